"""systemd mount units and their drop-ins: [Mount] with What=, Where=, Type= and Options= (systemd.mount(5))."""

from __future__ import annotations

from advisor.readers.mounts.table import MountEntry, MountTable, TextPart, TextParts
from advisor.readers.source import parse_source
from advisor.readers.spans import Span

_KEYS = ("What", "Where", "Type", "Options")


def read(text: str, name: str) -> MountTable:
    """The mount of a unit, if it says enough to be one. The last assignment of a key counts."""
    found: dict[str, TextPart] = {}
    section, bad = "", []
    for number, column, line in assignments(text):
        span = Span(number, column, column + len(line))
        if line.startswith("["):
            section, closed, rest = line[1:].partition("]")
            if not closed or rest.strip():
                bad.append((span, "a section header stands alone on its line, in square brackets"))
            continue
        key, equals, value = line.partition("=")
        if not equals:
            bad.append((span, "not an assignment; write Key=value"))
            continue
        if section == "Mount" and key.strip() in _KEYS:
            start = column + len(key) + 1 + len(value) - len(value.lstrip())
            written = value.strip()
            found[key.strip()] = TextPart(written, Span(number, start, start + len(written)))
    mounts = () if "What" not in found else _mount(found)
    return MountTable(text, name, "systemd-mount", mounts, tuple(bad))


def _mount(found: dict[str, TextPart]) -> tuple[MountEntry, ...]:
    what = found["What"]
    fields = {key: TextParts([found[key]] if key in found else [], what.span) for key in _KEYS}
    if not fields["Type"].text and parse_source(what.text).kind in ("host", "ipv4", "ipv6"):
        fields["Type"] = TextParts([], what.span, "nfs")  # as mount(8) guesses
    at = found.get("Options", what).span.line
    return (
        MountEntry(
            at, what.text, source=fields["What"], target=fields["Where"], fstype=fields["Type"],
            options=fields["Options"],
        ),
    )


def assignments(text: str) -> list[tuple[int, int, str]]:
    """Lines without comments: number, column and text. What is continued is one line; only its first part has exact
    columns, so that a continued list of options is shown by its beginning."""
    out: list[tuple[int, int, str]] = []
    begun: tuple[int, int, str] | None = None
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not begun and not line:
            continue
        if line.startswith(("#", ";")):
            continue
        start = len(raw) - len(raw.lstrip()) + 1
        here = (number, start, line) if begun is None else (begun[0], begun[1], f"{begun[2]} {line}")
        if line.endswith("\\"):
            begun = (here[0], here[1], here[2][:-1])
        else:
            out.append(here)
            begun = None
    return out if begun is None else [*out, begun]
