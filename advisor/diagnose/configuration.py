"""Configuration in a pasted text: its findings, and whether the exports in it contain the mounted path and admit the
client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from advisor.diagnose.messages import PastedLine
from advisor.engine import FactError
from advisor.files.kinds import identify
from advisor.files.source import Address, HostsFile, parse_address
from advisor.files.words import MOUNTS, TYPES, mount_words
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Scalar, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.export_lookup import Exported
    from advisor.lint.finding import Finding
    from advisor.lint.lines import Result

_LINES = ("exports", "fstab", "mount", "proc-mounts")
"""Kinds whose lines are read one by one."""
_FENCED = ("autofs", "ansible", "compose")
"""Kinds that are read only in fenced blocks, because messages and sentences look like them."""
_BLOCKS = (
    "nfs.conf", "idmapd.conf", "nfsmount.conf", "ganesha.conf", "systemd-mount", "kubernetes", *_FENCED,
)
"""Kinds that are read in blocks: a fenced block, or the lines between two empty ones."""
_ARGUMENTS, _OUTPUT = "mounting arguments:", "Output:"
"""Between these the kubelet and CSI drivers print their mount command; all may be on one line."""
_SHOWS = ("sudo ", "cat ", "less ", "more ", "vi ", "nano ")
"""Commands before the name of a file whose text follows."""
_FILES = ("exports", "fstab", "nfs.conf", "nfsmount.conf", "idmapd.conf", "auto.master")
"""Files that people name without their folder."""
_HEADING_WORDS = 10
_MOST_OPTIONS = 20
_FEW_WORDS = 4
_LONE_OPTIONS = ("rw)", "ro)", "sync)", "async)", "insecure)", "no_root_squash)")
_IN_CLIENT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*?@:/[]<>")
MAX_LINES = 2000
"""Lines that are searched for configuration."""


class PastedBlock(NamedTuple):
    """Configuration of one kind. `lines`: number in the pasted text of each of its lines."""

    kind: str
    text: str
    lines: tuple[int, ...]


class PastedFinding(NamedTuple):
    """A finding on a pasted line. `line`: its number in the text; `text`: the line itself; `kind`: the kind of its
    file."""

    finding: Finding
    line: int
    text: str
    kind: str

    @property
    def decides(self) -> bool:
        """Whether the line cannot work at all."""
        return (self.finding.severity, self.finding.consequence) == ("error", "mount-fails")


class PastedConfiguration(NamedTuple):
    """The configuration found in a text. `facts`: fact → every value that its lines give; `said`: likewise for options
    that sentences mention; `numbers`: the numbers of its lines; `options`: each export option as a sentence, with the
    number of its line."""

    findings: list[PastedFinding]
    facts: dict[str, list[Scalar]]
    numbers: frozenset[int]
    said: dict[str, list[Scalar]]
    options: Sequence[tuple[int, str]]


def blocks(lines: Sequence[PastedLine]) -> Iterator[PastedBlock]:
    """The configuration among the lines. A line that names a file ("/etc/exports (server):", `$ cat /etc/fstab`) says
    the kind of what follows it up to an empty line."""
    single: dict[str, list[tuple[int, str]]] = {}
    held: list[PastedLine] = []
    kind: str | None = None

    def ended() -> Iterator[PastedBlock]:
        text = "".join(f"{pasted.text}\n" for pasted in held)
        kinds = _BLOCKS if held and held[0].fenced else _BLOCKS[: -len(_FENCED)]
        whole = identify(text, among=kinds) if held and kind is None else kind
        if held and whole in (kinds if kind is None else _BLOCKS):
            yield PastedBlock(whole, text, tuple(pasted.number for pasted in held))
            return
        for pasted in held:
            kind_and_text = _configuration_line(pasted.text, kind)
            if kind_and_text is not None:
                single.setdefault(kind_and_text[0], []).append((pasted.number, kind_and_text[1]))

    for line in lines[:MAX_LINES]:
        heading = _heading(line.text)
        empty = not line.text.strip()
        if heading is None and held and line.fenced == held[-1].fenced and (not empty or line.fenced):
            held.append(line)
            continue
        if heading is None and not held and not empty:
            held = [line]
            continue
        if empty and not held:
            continue  # below a heading
        yield from ended()
        kind, rest = heading or (None, "" if empty else line.text)
        held = [line._replace(text=rest)] if rest else []
    yield from ended()
    for name, stated in single.items():
        yield PastedBlock(name, "".join(f"{text}\n" for _, text in stated), tuple(number for number, _ in stated))


def _heading(text: str) -> tuple[str | None, str] | None:
    """The kind of what follows, of a line that only names a file, and what stands behind its colon; None for other
    lines. Of a line that names something else ("/srv (home):") the kind is None."""
    bare = text.strip().lstrip("#$ ")
    for command in _SHOWS:
        bare = bare.removeprefix(command).lstrip()
    word, _, rest = bare.partition(" ")
    path, colon, behind = word.partition(":")
    rest = rest.strip()
    if behind or not path:
        return None  # a program's message that names file and line, or no file
    kind = _kind_of(path)
    if rest.startswith("("):
        said, _, after = rest[1:].partition(")")
        colon, rest = after[:1], after[1:].strip()
        if colon != ":" and (after or kind is None or set(said) & set(",=")):
            return None  # an export with its options
        return kind, rest
    if bare.endswith(":") and len(bare.split()) <= _HEADING_WORDS:
        kinds = [_kind_of(word.strip("`'\".,:()")) for word in bare.split()]
        return next(((found, "") for found in kinds if found), None)
    return (kind, rest) if kind and (colon or not rest) else None


def _kind_of(path: str) -> str | None:
    """The kind of the file with this name."""
    if "/" not in path and path not in _FILES:
        return None
    kind = identify("", path if "/" in path else f"/{path}")
    return kind if kind != "fstab" or "fstab" in path else None


def _configuration_line(text: str, headed: str | None) -> tuple[str, str] | None:
    """(kind, text) of a single line of configuration; a mount command becomes a line of fstab. None for other lines.
    `headed`: the kind that a heading gives it. What a person says behind a line is left out."""
    words = text.split()
    if len(words) < 2 or len(text) > MAX_LINES:
        return None
    command = _mount_command(_quoted_command(text) or words)
    if command is not None:
        return command
    if words[0].startswith("#"):
        return None
    export = export_line(text, headed == "exports") if headed in (None, "exports") else None
    if export is not None:
        return "exports", export
    if not any(word in TYPES for word in words):
        return None
    kind = headed or identify(text)
    if kind in ("mount", "proc-mounts"):
        return kind, text
    if kind in _LINES and kind != "exports" and len(words) > 2 and words[2] in TYPES and words[1].startswith("/"):
        fields = 6 if words[4:6] and all(map(str.isdigit, words[4:6])) else 4
        return "fstab", text if len(words) <= fields else " ".join(words[:fields])
    return None


def export_line(text: str, headed: bool = False) -> str | None:
    """The export in a line of /etc/exports or of exportfs, without what a person says behind it; None if it has none.
    Without a parenthesis or a heading only addresses are clients."""
    words = text.split()
    if len(words) < 2 or not words[0].startswith(("/", '"/')) or text.count("(") != text.count(")"):
        return None
    if words[0].startswith('"') or "\\" in words[0]:
        return text if "(" in text else None
    last = max((at for at, word in enumerate(words) if word.endswith((")", "),"))), default=0)
    if words[0].endswith(":") or not all(_may_be_client(word) for word in words[1 : last + 1]):
        return None
    end = last + 1
    while end < len(words) and (_is_network(words[end]) or (headed and not last and len(words) <= _FEW_WORDS)):
        end += 1
    export = text if end == len(words) else " ".join(words[:end])
    if headed or (last and identify(export) == "exports") or (not last and end == len(words)):
        return export if end > 1 else None
    return None


def _may_be_client(word: str) -> bool:
    """Whether this can be a client with options, or a part of one that a space has cut off."""
    host, bracket, options = word.partition("(")
    if bracket and not host and "," not in options:
        return options in _LONE_OPTIONS  # else a remark in parentheses
    return bool(bracket) or word.endswith(")") or word.startswith("-") or not set(host) - _IN_CLIENT


def _is_network(word: str) -> bool:
    host = word.partition("(")[0].partition("/")[0]
    return word.startswith("@") or host == "*" or parse_address(host) is not None


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
    given = mount_words(words)
    kind = words[given.fstype[0]][given.fstype[1] :] if given.fstype else name.partition(".")[2]
    if name not in MOUNTS or given.surplus or not given.source or not given.target or kind not in ("", *TYPES):
        return None
    source, target = words[given.source], words[given.target]
    options = ",".join(words[number][first:] for number, first in given.options) or "defaults"
    plain = target.startswith("/") and ":/" in source
    return ("fstab", f"{source} {target} {kind or 'nfs'} {options} 0 0") if plain else None


def lint_pasted(base: RuleBase, lines: Sequence[PastedLine], known: Mapping[str, Values]) -> PastedConfiguration:
    """Lint the configuration among the lines. `known`: facts that apply to all of it."""
    findings: list[PastedFinding] = []
    facts: dict[str, list[Scalar]] = {}
    numbers: set[int] = set()
    exported: list[tuple[int, str]] = []
    for block in blocks(lines):
        result = _linted(base, block.text, known, block.kind)
        numbers.update(block.lines)
        for finding in result.findings:
            line = block.lines[min(finding.line, len(block.lines)) - 1]
            findings.append(PastedFinding(finding, line, result.line(finding.line), block.kind))
        _collect(result, facts)
        for number, text in zip(block.lines, block.text.splitlines() if block.kind == "exports" else ()):
            from advisor.files.exports import read  # noqa: PLC0415  few texts have any

            given = [export for export in read(text) if export.client.text or len(text.split()) < 3]
            parts = (part.text for export in given for part in export.options.parts)
            exported += [(number, f"export {part}.") for part in dict.fromkeys(parts)]
    quoted = {pasted.number for pasted in lines[:MAX_LINES] if _ARGUMENTS in pasted.text.lower()}
    # A line that quotes a command also has messages.
    said: dict[str, list[Scalar]] = {}
    options = _options_in(base, (line.text for line in lines[:MAX_LINES] if line.number not in numbers))
    if options:
        text = "".join(f"said:/ /said nfs {option} 0 0\n" for option in options)
        _collect(_linted(base, text, {}), said)
    return PastedConfiguration(findings, facts, frozenset(numbers - quoted), said, exported[:MAX_LINES])


def _linted(base: RuleBase, text: str, known: Mapping[str, Values], kind: str = "fstab") -> Result:
    from advisor.lint.run import lint_text  # noqa: PLC0415  few texts have any configuration

    try:
        return lint_text(text, "pasted", base, known, kind=kind)
    except FactError:
        return lint_text(text, "pasted", base, {}, kind=kind)


def _options_in(base: RuleBase, lines: Iterable[str]) -> list[str]:
    """The options with values in sentences that give facts, each once: `vers=3` of "mounted with vers=3,soft", unless
    it is said to work with it."""
    told = [line for line in lines if "=" in line and len(line) <= MAX_LINES]
    spellings, facts = base.lint["spellings"], base.facts.keys()
    synonyms = (word for first, *others in base.reading["synonyms"] if first == "work" for word in others)
    works = base.concepts["works"].words if "works" in base.concepts else ()
    well = [f" {word}" for word in (*works, *synonyms)]
    options: dict[str, None] = {}
    for line in told:
        parts = line.replace("; ", ", ").replace(". ", ", ").split(", ")
        troubled = (part for part in parts if not any(word in part for word in well))
        for word in " ".join(troubled).replace(",", " ").split():
            name, equals, value = word.strip("'\"`().;:").partition("=")
            if equals and value.replace(".", "").isalnum() and not facts.isdisjoint(spellings.get(name, ())):
                options[f"{name}={value}"] = None
    return list(options)[:_MOST_OPTIONS]


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
_NOT_IN_SERVER = frozenset("/='\"@<>{}$*")
_BINDS = ("-v", "--volume")
"""Options of Docker and Podman after which NAME:/PATH is a volume and a directory of the container."""
_UNKNOWN = "@"
"""Stands for clients that are not shown."""


class ShownExports(NamedTuple):
    """The exports in a text. `whole`: a program printed them, so the list is complete."""

    exports: Sequence[Exported]
    whole: bool


class ExportFact(NamedTuple):
    """`fact`: PATH_EXPORTED or CLIENT_ALLOWED. `sure`: it follows from a whole list, not from a part of one."""

    fact: str
    value: bool
    line: int
    sure: bool


def export_facts(lines: Sequence[PastedLine]) -> list[ExportFact]:
    """Facts about the mounts in a text that follow from its exports; [] if either is missing, or if several servers are
    named."""
    shown = _shown_exports(lines)
    if not shown.exports:
        return []
    from advisor.files.exports import plain  # noqa: PLC0415  few texts have any

    named = [line.text for line in lines if any(word in line.text for word in _MOUNTING)]
    asked = {(server, plain(path) if path != "/" else "") for text in named for server, path, _ in mounts(text)}
    if len({server for server, _ in asked}) != 1:
        return []
    facts: list[ExportFact] = []
    for path in sorted({path for _, path in asked if path}):
        facts += _path_facts(path, shown, _addresses(lines))
    values = {
        fact: {export_fact.value for export_fact in facts if export_fact.fact == fact}
        for fact in (PATH_EXPORTED, CLIENT_ALLOWED)
    }
    return [export_fact for export_fact in facts if len(values[export_fact.fact]) == 1]


def _path_facts(path: str, shown: ShownExports, addresses: set[Address]) -> Iterator[ExportFact]:
    from advisor.files.export_clients import admits  # noqa: PLC0415
    from advisor.files.export_lookup import Exports, PathLookup  # noqa: PLC0415

    exports, nobody = Exports(sorted(shown.exports, key=lambda export: export.kind)), HostsFile("")

    def answer(are_for: Callable[[Exported], bool]) -> Exported | None:
        """The export that answers a client, whichever version it uses; None if none does."""
        lookup = PathLookup(exports, are_for, None)
        replies = [lookup.v3(path), *lookup.v4(path)]
        return next((reply.export for reply in replies if reply.how == "mounted"), None)

    def is_for(address: Address, export: Exported, unknown: bool) -> bool:
        """Whether an export is for the client with this address; `unknown`, where names or netgroups decide."""
        admitted = admits(export.client, address, nobody)
        return unknown if admitted is None else admitted

    around = answer(lambda _: True)
    if around is None:
        yield ExportFact(PATH_EXPORTED, False, shown.exports[0].span.line, shown.whole)
        return
    yield ExportFact(PATH_EXPORTED, True, around.span.line, True)
    certain, possible = (
        {answer(partial(is_for, address, unknown=unknown)) is not None for address in addresses}
        for unknown in (False, True)
    )
    if True in certain or possible == {False}:
        yield ExportFact(CLIENT_ALLOWED, True in certain, around.span.line, True)


def _shown_exports(lines: Sequence[PastedLine]) -> ShownExports:
    exports: list[Exported] = []
    whole = []
    listed = False
    waiting = ""
    for line in lines:
        words = line.text.split()
        begins = bool(words) and words[0].startswith("/")
        export = export_line(line.text.replace("<world>", "*"))
        listed = line.text.startswith(_HEADER) or (listed and begins)
        text = ""
        if words and waiting and "(" in words[0] and _PRINTED in words[0]:
            text = f"{waiting} {line.text}"  # exportfs breaks the line behind a long path
        elif export is not None and not listed:
            text = export
        if text:
            exports += _exports_in(text.replace("<world>", "*"), line.number)
            whole.append(listed or _PRINTED in text)
        elif listed and begins:
            clients = " ".join(words[1:]).replace(",", " ")
            exports += _exports_in(f"{words[0]} {clients or _UNKNOWN}", line.number)
            whole.append(True)
        waiting = words[0] if begins and len(words) == 1 else ""
    return ShownExports(exports, all(whole))


def _exports_in(line: str, number: int) -> Iterator[Exported]:
    """The exports of a line. A word that exportfs does not know may be of another version, and stops nothing."""
    from advisor.files.export_lookup import Exported  # noqa: PLC0415
    from advisor.files.exports import plain, read  # noqa: PLC0415

    for export in read(line):
        fsid = {} if export.file_system is None else {"exports.fsid": export.file_system}
        span = export.path.span._replace(line=number)
        yield Exported(plain(export.path.text), export.client.text or "*", fsid, {}, {}, "", span)


def mounts(text: str) -> Iterator[tuple[str, str, str]]:
    """(server, path, the word behind it) of each SERVER:/PATH in a line, unless it is a volume of a container."""
    words = [word.strip("'\"`,;().") for word in text.split()] if ":/" in text else []
    for at, word in enumerate(words):
        server, colon, path = (word.partition("=")[2] or word).rpartition(":/")
        fits = colon and server and not path.startswith("/") and not set(server) & _NOT_IN_SERVER
        if fits and words[max(at - 1, 0)] not in _BINDS and not word.startswith(_BINDS):
            following = (one for one in words[at + 1 : at + 3] if one not in ("on", "to", "at"))
            yield server.strip("[]"), f"/{path}", next(following, "")


def _addresses(lines: Sequence[PastedLine]) -> set[Address]:
    """The addresses of the client that mount.nfs and rpc.mountd print."""
    addresses: set[Address | None] = set()
    for line in lines:
        _, marked, rest = line.text.partition("clientaddr=")
        if not marked:
            _, marked, rest = line.text.partition("mount request from ")
        if marked:
            addresses.update(parse_address(word) for word in rest.replace(",", " ").replace("'", " ").split()[:1])
    return {address for address in addresses if address is not None}
