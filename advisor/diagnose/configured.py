"""Configuration lines in a pasted text: which they are, what the linter finds in them, and what they tell."""

from __future__ import annotations

from advisor.engine import FactError
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.readers.kinds import identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from advisor.diagnose.lines import PastedLine
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Scalar, Values

_TYPES = frozenset(("nfs", "nfs4", "efs", "aznfs", "nfs3", "vastnfs"))
_LINES = ("exports", "fstab", "mount", "proc-mounts")
"""Kinds of which each line stands for itself."""
_BLOCKS = (
    "nfs.conf", "idmapd.conf", "nfsmount.conf", "systemd-mount", "kubernetes", "compose", "ansible", "autofs",
)
"""Kinds of which a fenced block, or what stands between two empty lines, is read whole."""
_FENCED = ("autofs", "ansible", "compose")
"""Kinds that messages and sentences look like: they are read only where the text is marked as code."""
_ARGUMENTS, _OUTPUT = "mounting arguments:", "Output:"
"""Between these the kubelet and CSI drivers print how they called mount; event and answer may share the line."""
MAX_LINES = 2000
"""Configuration is looked for in so many lines."""


class PastedBlock(NamedTuple):
    """Configuration of one kind. `lines`: number in the pasted text of each of its lines."""

    kind: str
    text: str
    lines: tuple[int, ...]


class FoundThere(NamedTuple):
    """A finding in a pasted line; `line`: its number in the pasted text, `text`: the line."""

    finding: Finding
    line: int
    text: str


class Configured(NamedTuple):
    """What the configuration in a text tells. `facts`: fact → every value that one of its lines gives it; `numbers`: of
    all lines that were read."""

    findings: list[FoundThere]
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
        kind = identify("\n".join(one.text for one in held)) if held else None
        if kind in _BLOCKS and (held[0].fenced or kind not in _FENCED):
            yield PastedBlock(kind, "\n".join(one.text for one in held) + "\n", tuple(one.number for one in held))
        else:
            for one in held:
                found = _of_line(one.text)
                if found is not None:
                    single.setdefault(found[0], []).append((one.number, found[1]))
        held = [line] if line is not None and line.text.strip() else []
    for name, stated in single.items():
        yield PastedBlock(name, "".join(f"{text}\n" for _, text in stated), tuple(number for number, _ in stated))


def _of_line(text: str) -> tuple[str, str] | None:
    """The kind of a line that is configuration by itself, and the line; a mount command as a line of fstab."""
    words = text.split()
    if len(words) < 2 or len(text) > MAX_LINES:
        return None
    command = _command(_arguments(text) or words)
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


def _arguments(text: str) -> list[str]:
    """The mount command that a message quotes; empty where none does. Behind `systemd-run … --` it stands whole."""
    at = text.lower().find(_ARGUMENTS)
    if at < 0:
        return []
    words = text[at + len(_ARGUMENTS) :].partition(_OUTPUT)[0].split()
    return words[words.index("--") + 1 :] if "--" in words else ["mount", *words]


def _command(words: list[str]) -> tuple[str, str] | None:
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
            fstype, waiting = (word, "") if waiting == "t" else (fstype, _keep(options, word))
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


def _keep(options: list[str], word: str) -> str:
    options.append(word)
    return ""


def judge(base: RuleBase, lines: Sequence[PastedLine], known: Mapping[str, Values]) -> Configured:
    """Lint the configuration among the lines. `known`: facts that hold for all of it."""
    findings: list[FoundThere] = []
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
            findings.append(FoundThere(finding, line, result.line(finding.line)))
        _collect(result, facts)
    quoted = {one.number for one in lines[:MAX_LINES] if _ARGUMENTS in one.text.lower()}
    return Configured(findings, facts, frozenset(numbers - quoted))  # around a quoted command others stand that count


def _collect(result: Result, facts: dict[str, list[Scalar]]) -> None:
    """Add what the lines say of themselves: version, flavour, platform …"""
    engine = result.rule_index.engine
    before = result.rule_index.state
    for judged in result.judged.values():
        for fact, mask in judged.state.items():
            if mask == before.get(fact) or engine.fact(fact).type not in ("enum", "bool"):
                continue
            answer = engine.answer(fact, mask)
            for one in answer if isinstance(answer, list) else [answer]:
                if one is not None and one not in facts.setdefault(fact, []):
                    facts[fact].append(one)
