"""Text made fit for files that other programs read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.document.escape import visible
from advisor.rulebase.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.summary import Cited, LinePlace, Summary


def well_formed(data: object) -> object:
    """A copy of JSON-ready data in which lone surrogates (bytes that were not UTF-8) are written as "\\xff"."""
    if isinstance(data, str):
        return data if data.isascii() else "".join([visible(c) if "\ud800" <= c <= "\udfff" else c for c in data])
    if isinstance(data, Record):
        return well_formed(data.plain())
    if isinstance(data, Mapping):
        return {well_formed(name): well_formed(value) for name, value in data.items()}
    if isinstance(data, Sequence):
        return [well_formed(one) for one in data]
    return data


def json_text(data: object) -> str:
    """JSON, indented, with a line end. Text stays readable; what a terminal might obey, and what cannot be seen, are
    JSON's own escapes."""
    import json  # noqa: PLC0415  not every output is JSON

    text = json.dumps(well_formed(data), indent=2, ensure_ascii=False)
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        lines = ["".join([c if c.isprintable() else json.dumps(c)[1:-1] for c in line]) for line in lines]
    return "\n".join(lines) + "\n"


def counted(number: int, what: str) -> str:
    """ "1 error", "2 errors", "100,000 hosts"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def totals(summary: Summary) -> str:
    """What was found, in words: "6 errors, 11 warnings"; "no findings"."""
    numbers = ((summary["errors"], "error"), (summary["warnings"], "warning"), (summary["notes"], "note"))
    return ", ".join(counted(number, what) for number, what in numbers if number) or "no findings"


def where(summary: Summary) -> str:
    """What was looked at: "15 NFS lines of 2 files"; where there are none, "2 files"."""
    files = len(summary["files"])
    if not summary["nfs_lines"]:
        return counted(files, "file")
    return counted(summary["nfs_lines"], "NFS line") + (f" of {files} files" if files != 1 else "")


_PLACES = 5
"""How many lines are listed before it is only said how many more there are."""


def lines_of(places: Sequence[LinePlace], several: bool) -> str:
    """ "lines 3, 5 and 7"; where there are `several` files, each with the file's name: "a:3 and b:5"."""
    where = [f"{one['file']}:{one['line']}" if several else str(one["line"]) for one in places[:_PLACES]]
    if len(places) > _PLACES:
        where.append(f"{len(places) - _PLACES} more")
    text = ", ".join(where[:-1]) + (" and " if where[1:] else "") + where[-1]
    return text if several else f"line{'s' if len(places) > 1 else ''} {text}"


def sources(f: Finding, citation: Callable[[str], Cited]) -> str:
    """Each source of a finding once, with the first place in it: "Source: nfs(5) …, MOUNT OPTIONS"; "" for none."""
    titles: dict[str, str] = {}
    for claim in f.cites:
        cite = citation(claim)
        titles.setdefault(cite["title"], cite["at"])
    text = "; ".join(f"{title}, {at}" for title, at in titles.items())
    return f"Source{'s' if len(titles) > 1 else ''}: {text}" if titles else ""


def remaining(matter: int, more: int) -> str:
    """How many questions still matter: "3 questions still matter, 9 more could fine-tune"."""
    if not matter:
        return f"No question matters any more; {counted(more, 'answer')} could fine-tune"
    fine = f", {more} more could fine-tune" if more else ""
    return f"{counted(matter, 'question')} still matter{'s' if matter == 1 else ''}{fine}"


def let_be(fine: int, left_out: Sequence[str]) -> str:
    """What is to be left alone: "14 settings are fine without a change; 2 that some guides recommend are …"."""
    sentence = [f"{counted(fine, 'setting')} {'is' if fine == 1 else 'are'} fine without a change"] if fine else []
    if left_out:
        be = "is" if len(left_out) == 1 else "are"
        sentence.append(f"{len(left_out)} that some guides recommend {be} best left out: {', '.join(left_out)}")
    return "; ".join(sentence)


def with_unit(value: int, unit: str) -> str:
    """ "1,500 requests", "1 request"."""
    first, blank, rest = unit.partition(" ")
    if value == 1 and len(first) > 2:
        first = first.removesuffix("s")
    return f"{value:,} {first}{blank}{rest}".rstrip()
