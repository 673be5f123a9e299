"""The NFS lines of an fstab: the server, export and mount point of each, and the facts that it answers."""

from __future__ import annotations

from advisor.files.fstab import read
from advisor.files.source import is_ipv6, parse_source
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import is_bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


class NfsLine(NamedTuple):
    """`number`: of the line, from 1, or 0 for one that is not from a file. `server`, `export`, `target`: decoded, "" if
    missing. `options`: as written. `facts`: fact → value, only facts that the wizard would ask for."""

    number: int
    server: str
    export: str
    target: str
    options: str
    facts: dict[str, Values]


def nfs_lines(base: RuleBase, text: str, name: str) -> list[NfsLine]:
    """The lines that mount NFS. `name`: of the file, for messages. Nothing on this host is read."""
    judged = lint_text(text, name, base, {}).judged
    presumed = base.engine.judging({})
    lines = []
    for entry in read(text, name).entries:
        if entry.line_no not in judged:
            continue
        source = parse_source(entry.source.value)
        facts: dict[str, Values] = {}
        for fact, mask in judged[entry.line_no].state.items():
            asked = base.facts[fact].ask and mask != presumed.get(fact)
            value = base.engine.answer(fact, mask) if asked else []
            if not isinstance(value, list) and not is_bound(value):
                facts[fact] = value
        lines.append(NfsLine(
            entry.line_no, source.host, source.export, entry.target.value if entry.target else "",
            entry.options.text if entry.options else "", facts,
        ))
    return lines


def line_of(base: RuleBase, text: str) -> NfsLine:
    """The line for a text that names a mount: `server:/export /mount/point`, a part of that, or a whole line of fstab.

    Raises ValueError with what is wrong, for the user."""
    words = text.split()
    if len(words) > 2:
        lines = nfs_lines(base, text, "the line")
        if not lines:
            raise ValueError("this is not an NFS line of fstab; write server:/export /mount/point")
        return lines[0]._replace(number=0)
    server = export = target = ""
    for word in words:
        if word.startswith("/"):
            target, twice = word, bool(target)
        else:
            twice = bool(server)
            server, export = _source(word)
        if twice:
            raise ValueError(f"{word} is extra; write server:/export /mount/point")
    return NfsLine(0, server, export, target, "", {})


def _source(word: str) -> tuple[str, str]:
    """The server and the export, which may be "", of a first field. Raises ValueError."""
    if ":" not in word or is_ipv6(word):
        return word, ""
    source = parse_source(word)
    if source.problem or not source.host:
        raise ValueError(f"{word}: {source.problem or 'no server is named'}")
    return source.host, source.export
