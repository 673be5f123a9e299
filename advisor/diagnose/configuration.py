"""Configuration in a pasted text: its findings, and whether the exports in it contain the mounted path and admit the
client."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network

from advisor.engine import FactError
from advisor.files.exports import file_system
from advisor.files.kinds import identify
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from advisor.diagnose.text import PastedLine
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Scalar, Values

_TYPES = frozenset(("nfs", "nfs4", "efs", "aznfs", "nfs3", "vastnfs"))
_LINES = ("exports", "fstab", "mount", "proc-mounts")
"""Kinds whose lines are read one by one."""
_BLOCKS = (
    "nfs.conf", "idmapd.conf", "nfsmount.conf", "systemd-mount", "kubernetes", "compose", "ansible", "autofs",
)
"""Kinds that are read in blocks: a fenced block, or the lines between two empty ones."""
_FENCED = ("autofs", "ansible", "compose")
"""Kinds that are read only in fenced blocks, because messages and sentences look like them."""
_ARGUMENTS, _OUTPUT = "mounting arguments:", "Output:"
"""Between these the kubelet and CSI drivers print their mount command; all may be on one line."""
MAX_LINES = 2000
"""Lines that are searched for configuration."""


class PastedBlock(NamedTuple):
    """Configuration of one kind. `lines`: number in the pasted text of each of its lines."""

    kind: str
    text: str
    lines: tuple[int, ...]


class PastedFinding(NamedTuple):
    """A finding in a pasted line. `line`: its number in the pasted text; `text`: the line."""

    finding: Finding
    line: int
    text: str


class PastedConfiguration(NamedTuple):
    """The configuration in a text. `facts`: fact → all values that its lines give it; `numbers`: line numbers of the
    configuration."""

    findings: list[PastedFinding]
    facts: dict[str, list[Scalar]]
    numbers: frozenset[int]


def blocks(lines: Sequence[PastedLine]) -> Iterator[PastedBlock]:
    """The configuration among the lines."""
    single: dict[str, list[tuple[int, str]]] = {}
    held: list[PastedLine] = []
    for line in (*lines[:MAX_LINES], None):
        if line is not None and line.text.strip() and (not held or line.fenced == held[-1].fenced):
            held.append(line)
            continue
        if line is not None and not line.text.strip() and line.fenced and held:
            held.append(line)
            continue
        kind = identify("\n".join(pasted.text for pasted in held)) if held else None
        if kind in _BLOCKS and (held[0].fenced or kind not in _FENCED):
            yield PastedBlock(
                kind, "\n".join(pasted.text for pasted in held) + "\n", tuple(pasted.number for pasted in held)
            )
        else:
            for pasted in held:
                kind_and_text = _configuration_line(pasted.text)
                if kind_and_text is not None:
                    single.setdefault(kind_and_text[0], []).append((pasted.number, kind_and_text[1]))
        held = [line] if line is not None and line.text.strip() else []
    for name, stated in single.items():
        yield PastedBlock(name, "".join(f"{text}\n" for _, text in stated), tuple(number for number, _ in stated))


def _configuration_line(text: str) -> tuple[str, str] | None:
    """(kind, text) of a single line of configuration; a mount command becomes a line of fstab. None for other lines."""
    words = text.split()
    if len(words) < 2 or len(text) > MAX_LINES:
        return None
    command = _mount_command(_quoted_command(text) or words)
    if command is not None:
        return command
    if words[0].startswith("#"):
        return None
    kind = identify(text)
    if kind == "exports" and words[0].startswith(("/", '"')) and "(" in text:
        return kind, text
    if kind in ("mount", "proc-mounts") and any(word in _TYPES for word in words):
        return kind, text
    if kind in _LINES and kind != "exports" and len(words) > 2 and words[2] in _TYPES and words[1].startswith("/"):
        return "fstab", text
    return None


def _quoted_command(text: str) -> list[str]:
    """The words of the mount command that a message quotes, [] if it quotes none. After `systemd-run … --` the command
    is complete; else only its arguments are quoted."""
    at = text.lower().find(_ARGUMENTS)
    if at < 0:
        return []
    words = text[at + len(_ARGUMENTS) :].partition(_OUTPUT)[0].split()
    return words[words.index("--") + 1 :] if "--" in words else ["mount", *words]


def _mount_command(words: list[str]) -> tuple[str, str] | None:
    """`mount -t nfs -o … server:/path /target` as a line of fstab."""
    while words and words[0] in ("sudo", "#", "$", "+"):
        words = words[1:]
    name = words[0].rpartition("/")[2] if words else ""
    if name not in ("mount", "mount.nfs", "mount.nfs4"):
        return None
    fstype = "nfs4" if name == "mount.nfs4" else "nfs" if name == "mount.nfs" else ""
    options: list[str] = []
    rest: list[str] = []
    waiting = ""
    for word in words[1:]:
        if waiting:
            if waiting == "t":
                fstype = word
            else:
                options.append(word)
            waiting = ""
        elif word in ("-t", "-o"):
            waiting = word[1]
        elif word.startswith(("-t", "-o")) and not word.startswith("--"):
            fstype = word[2:] if word[1] == "t" else fstype
            if word[1] == "o":
                options.append(word[2:])
        elif not word.startswith("-"):
            rest.append(word)
    plain = len(rest) == 2 and rest[1].startswith("/") and ":/" in rest[0]
    if not plain or (fstype and fstype not in _TYPES):
        return None
    return "fstab", f"{rest[0]} {rest[1]} {fstype or 'nfs'} {','.join(options) or 'defaults'} 0 0"


def lint_pasted(base: RuleBase, lines: Sequence[PastedLine], known: Mapping[str, Values]) -> PastedConfiguration:
    """Lint the configuration among the lines. `known`: facts that apply to all of it."""
    findings: list[PastedFinding] = []
    facts: dict[str, list[Scalar]] = {}
    numbers: set[int] = set()
    for block in blocks(lines):
        try:
            result = lint_text(block.text, "pasted", base, known, kind=block.kind)
        except FactError:
            result = lint_text(block.text, "pasted", base, {}, kind=block.kind)
        numbers.update(block.lines)
        for finding in result.findings:
            line = block.lines[min(finding.line, len(block.lines)) - 1]
            findings.append(PastedFinding(finding, line, result.line(finding.line)))
        _collect(result, facts)
    quoted = {pasted.number for pasted in lines[:MAX_LINES] if _ARGUMENTS in pasted.text.lower()}
    # A line that quotes a command also has messages.
    return PastedConfiguration(findings, facts, frozenset(numbers - quoted))


def _collect(result: Result, facts: dict[str, list[Scalar]]) -> None:
    """Add the facts that the lines give: version, flavour, platform …"""
    engine = result.rule_index.engine
    before = result.rule_index.state
    for judged in result.judged.values():
        for fact, mask in judged.state.items():
            if mask == before.get(fact) or engine.fact(fact).type not in ("enum", "bool"):
                continue
            answer = engine.answer(fact, mask)
            for value in answer if isinstance(answer, list) else [answer]:
                if value is not None and value not in facts.setdefault(fact, []):
                    facts[fact].append(value)


PATH_EXPORTED = "story.path_exported"
CLIENT_ALLOWED = "story.client_allowed"
_HEADER = "Export list for "
_PRINTED = "wdelay"
"""exportfs -v prints it, or its opposite, for every export; few people write it."""
_MOUNTING = ("mount", "nfs")


class ShownExport(NamedTuple):
    """One path with its clients as they are written. `whole`: a program printed the list, so it is complete. `root`: it
    has fsid=0, so NFSv4 calls it `/`."""

    path: str
    clients: tuple[str, ...]
    whole: bool
    root: bool
    line: int


class ExportFact(NamedTuple):
    """`fact`: PATH_EXPORTED or CLIENT_ALLOWED. `sure`: it follows from a whole list, not from a part of one."""

    fact: str
    value: bool
    line: int
    sure: bool


def export_facts(lines: Sequence[PastedLine]) -> list[ExportFact]:
    """Facts about the mounts in a text that follow from its exports; [] if either is missing, or if several servers are
    named."""
    shown = list(_shown_exports(lines))
    asked = {(server, path) for line in lines for server, path in _mount_sources(line.text)}
    if not shown or len({server for server, _ in asked}) != 1:
        return []
    facts: list[ExportFact] = []
    for path in sorted({path for _, path in asked if path}):
        facts += _path_facts(path, shown, _addresses(lines))
    values = {
        fact: {export_fact.value for export_fact in facts if export_fact.fact == fact}
        for fact in (PATH_EXPORTED, CLIENT_ALLOWED)
    }
    return [export_fact for export_fact in facts if len(values[export_fact.fact]) == 1]


def _path_facts(path: str, shown: Sequence[ShownExport], addresses: set[str]) -> Iterator[ExportFact]:
    around = [
        export for export in shown
        if _is_below(path, export.path) or any(root.root and _is_below(root.path + path, export.path) for root in shown)
    ]
    if not around:
        yield ExportFact(PATH_EXPORTED, False, shown[0].line, all(export.whole for export in shown))
        return
    nearest = max(len(export.path) for export in around)
    nearest_ones = [export for export in around if len(export.path) == nearest]
    yield ExportFact(PATH_EXPORTED, True, nearest_ones[0].line, True)
    verdicts = [
        _admits(client, address) for export in nearest_ones for client in export.clients for address in addresses
    ]
    if verdicts and None not in verdicts:
        yield ExportFact(CLIENT_ALLOWED, any(verdicts), nearest_ones[0].line, True)


def _is_below(path: str, parent: str) -> bool:
    return path == parent or path.startswith(parent.rstrip("/") + "/")


def _shown_exports(lines: Sequence[PastedLine]) -> Iterator[ShownExport]:
    listed = False
    waiting: tuple[str, int] | None = None
    for line in lines:
        words = line.text.split()
        listed = line.text.startswith(_HEADER) or (listed and bool(words) and words[0].startswith("/"))
        if not words:
            waiting = None
        elif waiting and "(" in words[0] and _PRINTED in words[0]:  # exportfs breaks the line behind a long path
            yield _export(waiting[0], words, waiting[1])
        elif words[0].startswith("/") and "(" in line.text and line.text.count("(") == line.text.count(")"):
            yield _export(words[0], words[1:], line.number)
        elif listed and words[0].startswith("/"):
            named = " ".join(words[1:]).replace("(everyone)", "*").replace(",", " ").split()
            yield ShownExport(_normal_path(words[0]), tuple(named), True, False, line.number)
        waiting = (words[0], line.number) if len(words) == 1 and words[0].startswith("/") else None


def _export(path: str, words: Sequence[str], line: int) -> ShownExport:
    options = " ".join(words)
    options_read = re.split(r"[(),\s]+", options)
    clients = tuple(
        "*" if word.startswith(("(", "<world>")) else word.partition("(")[0] for word in words if "(" in word
    )
    root = any(option.startswith("fsid=") and file_system(option[5:]) == "0" for option in options_read)
    return ShownExport(_normal_path(path), clients, _PRINTED in options, root, line)


def _normal_path(path: str) -> str:
    return path.strip('"').rstrip("/") or "/"


def _mount_sources(text: str) -> Iterator[tuple[str, str]]:
    """Each server:/path in a line about mounting. The path of the root is "": NFSv4 always has one."""
    if not any(word in text for word in _MOUNTING):
        return
    for word in text.split():
        server, colon, path = word.strip("'\"`,;()").rpartition(":/")
        if colon and server and not path.startswith("/") and not set(server) & set("/='\"@<>{}$*"):
            yield server.strip("[]"), "" if not path else _normal_path(f"/{path}")


def _addresses(lines: Sequence[PastedLine]) -> set[str]:
    """The addresses of the client that mount.nfs and rpc.mountd print."""
    addresses: set[str] = set()
    for line in lines:
        _, marked, rest = line.text.partition("clientaddr=")
        if not marked:
            _, marked, rest = line.text.partition("mount request from ")
        if marked:
            word = rest.replace(",", " ").replace("'", " ").split()[:1]
            addresses.update(candidate for candidate in word if _is_address(candidate))
    return addresses


def _is_address(text: str) -> bool:
    try:
        return ip_address(text) is not None
    except ValueError:
        return False


def _admits(client: str, address: str) -> bool | None:
    """Whether a client field of an export matches an address; None if names or netgroups decide."""
    if client == "*":
        return True
    try:
        return ip_address(address) in ip_network(client, strict=False)
    except ValueError:
        return None
