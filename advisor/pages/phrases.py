"""Counts, places and lists in words; JSON output, and values in YAML output."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.engine import word_list
from advisor.pages.style import visible
from advisor.rulebase.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats import Cited, LinePlace, Summary


def counted(number: int, what: str) -> str:
    """ "1 error", "2 errors", "100,000 hosts"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def clipped(text: str, width: int) -> str:
    """The text, cut with an ellipsis if it has more than `width` characters."""
    return text if len(text) <= width else text[: max(width - 1, 1)].rstrip() + "…"


def first_sentence(text: str) -> str:
    """The first sentence of a text, without its further ones."""
    return text.partition(". ")[0].rstrip(".") + "."


def totals(summary: Summary) -> str:
    """ "6 errors, 11 warnings"; "no findings"."""
    numbers = ((summary["errors"], "error"), (summary["warnings"], "warning"), (summary["notes"], "note"))
    return ", ".join(counted(number, what) for number, what in numbers if number) or "no findings"


def scope_of_lint(summary: Summary) -> str:
    """ "15 NFS lines of 2 files"; "2 files" if they have no NFS lines."""
    files = len(summary["files"])
    if not summary["nfs_lines"]:
        return counted(files, "file")
    return counted(summary["nfs_lines"], "NFS line") + (f" of {files} files" if files != 1 else "")


_NAMES = 6


def first_names(names: Sequence[str], most: int = _NAMES) -> str:
    """ "a, b, c, d, e, f and 3 more"; all names if there are at most `most`."""
    return f"{', '.join(names[:most])}{f' and {len(names) - most} more' if len(names) > most else ''}"


def some(names: Iterable[str], columns: int, between: str = ", ") -> str:
    """As many as fit, at least one: "a, b and 2 more"."""
    every = [*names]
    for number in range(len(every), 1, -1):
        more = f"{';' * (between == '; ')} and {len(every) - number} more" if number < len(every) else ""
        words = f"{between.join(every[:number])}{more}"
        if len(words) <= columns:
            return words
    return f"{every[0]} and {len(every) - 1} more" if len(every) > 1 else "".join(every)


_PLACES = 5
"""How many places are named."""


def line_list(places: Sequence[LinePlace], several: bool) -> str:
    """ "lines 3, 5 and 7"; with `several` files, "a:3 and b:5". At most five places."""
    where = [f"{place['file']}:{place['line']}" if several else str(place["line"]) for place in places[:_PLACES]]
    if len(places) > _PLACES:
        where.append(f"{len(places) - _PLACES} more")
    text = word_list(where, "and")
    return text if several else f"line{'s' if len(places) > 1 else ''} {text}"


def source_line(f: Finding, citation: Callable[[str], Cited]) -> str:
    """The sources of a finding, each with the first place in it: "Source: nfs(5) …, MOUNT OPTIONS"; "" for none."""
    titles: dict[str, str] = {}
    for claim in f.cites:
        cite = citation(claim)
        titles.setdefault(cite["title"], cite["at"])
    text = "; ".join(f"{title}, {at}" for title, at in titles.items())
    return f"Source{'s' if len(titles) > 1 else ''}: {text}" if titles else ""


def remaining_questions(matter: int, more: int) -> str:
    """ "3 questions still matter, 9 more could fine-tune"; "9 more questions could fine-tune" if none matters."""
    if not matter:
        return f"{counted(more, 'more question')} could fine-tune" if more else "no question is left"
    fine = f", {more} more could fine-tune" if more else ""
    return f"{counted(matter, 'question')} still matter{'s' if matter == 1 else ''}{fine}"


def with_unit(value: int, unit: str) -> str:
    """ "1,500 requests", "1 request"."""
    first, blank, rest = unit.partition(" ")
    if value == 1 and len(first) > 2:
        first = first.removesuffix("s")
    return f"{value:,} {first}{blank}{rest}".rstrip()


def well_formed(data: object) -> object:
    """A copy of JSON-ready data in which lone surrogates (bytes that were not UTF-8) are written as "\\xff"."""
    if isinstance(data, str):
        return data if data.isascii() else "".join([visible(c) if "\ud800" <= c <= "\udfff" else c for c in data])
    if isinstance(data, Record):
        return well_formed(data.as_dict())
    if isinstance(data, Mapping):
        return {well_formed(name): well_formed(value) for name, value in data.items()}
    if isinstance(data, Sequence):
        return [well_formed(value) for value in data]
    return data


def json_text(data: object) -> str:
    """Indented JSON with a line end. Printable text is not escaped; control and invisible characters are."""
    text = json.dumps(well_formed(data), indent=2, ensure_ascii=False)
    lines = text.split("\n")
    if not all(line.isprintable() for line in lines):
        lines = ["".join([c if c.isprintable() else json.dumps(c)[1:-1] for c in line]) for line in lines]
    return "\n".join(lines) + "\n"


def yaml_value(value: object) -> str:
    """A value as JSON in ASCII, on one line. Only a character beyond 16 bits is written otherwise: JSON escapes it as
    two, which YAML refuses."""
    if isinstance(value, list):
        return f"[{', '.join(map(yaml_value, value))}]"
    text = json.dumps(well_formed(value), ensure_ascii=False)
    return "".join([
        c if " " <= c <= "~" else json.dumps(c)[1:-1] if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text
    ])
