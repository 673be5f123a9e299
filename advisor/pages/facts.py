"""The facts of a host as text, as YAML for `--facts`, and as a bundle (docs/schema/advisor-bundle-1.json)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from advisor.pages.escape import cells, visible
from advisor.pages.json_text import well_formed
from advisor.pages.style import wrap

if TYPE_CHECKING:
    from advisor.check.recording import RecordedHost

SCHEMA = "advisor-bundle/1"
MAX_BYTES = 1 << 16
_LEFT_OUT = "left out of the bundle, which would be larger than 64 KiB"
_IN_BUNDLE = ("facts", "unknown", "settings", "unset", "inventory", "mounts")


class Found(TypedDict):
    """A value, the place where it was read, and a note."""

    value: object
    where: str
    note: str | None


class FoundMount(TypedDict):
    """An NFS mount in effect."""

    server: str
    export: str
    target: str
    fstype: str
    options: list[str]
    device: str
    read_ahead_kb: object


class FoundOnHost(TypedDict):
    """What `advisor facts --output-format json` prints; docs/facts.md describes it."""

    schema: str
    root: str
    facts: dict[str, Found]
    unknown: dict[str, str]
    settings: dict[str, Found]
    unset: Mapping[str, str]
    inventory: dict[str, Found]
    mounts: list[FoundMount]


def text(data: FoundOnHost, columns: int) -> str:
    """Facts in aligned columns (fact, value, place), then unknown facts with the reason, settings, and mounts. Wrapped
    at `columns`."""
    lines: list[str] = []
    _add_section(lines, "Facts", [_row(name, reading) for name, reading in data["facts"].items()])
    if data["unknown"]:
        lines.append("Not known")
        for why, names in _by_reason(data["unknown"]):
            lines += wrap(visible(", ".join(names)), columns, "  ", "  ")
            lines += wrap(visible(why), columns, "    ", "    ")
        lines.append("")
    _add_section(lines, "Settings in effect", [_row(name, reading) for name, reading in data["settings"].items()])
    if data["unset"]:
        count = len(data["unset"])
        others = (f"{count} other setting{'s' if count > 1 else ''} could not be read: a module that is not loaded, a "
                  "kernel that has none, or one that only root may see; JSON lists each.")
        lines += [*wrap(others, columns, "  ", "  "), ""]
    _add_section(lines, "This host", [_row(name, reading) for name, reading in data["inventory"].items()])
    for mount in data["mounts"]:
        if mount is data["mounts"][0]:
            lines.append("NFS mounts in effect")
        ahead = "" if mount["read_ahead_kb"] is None else f", read-ahead {mount['read_ahead_kb']} KiB"
        lines += [
            visible(f"  {mount['server']}:{mount['export']} on {mount['target']} ({mount['fstype']}{ahead})"),
            visible(f"    {','.join(mount['options'])}"),
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def yaml(data: FoundOnHost) -> str:
    """A line `fact: value` for each fact, with the place as a comment; unknown facts are comments."""
    lines = [f"# Facts found {'on this host' if data['root'] == '/' else 'below ' + visible(data['root'])} by "
             "advisor facts."]
    for name, reading in data["facts"].items():
        note = f"; {reading['note']}" if reading["note"] else ""
        lines.append(f"{name}: {_scalar(reading['value'])}  # {visible(reading['where'] + note)}")
    if not data["facts"]:
        lines.append("{}")
    for name, why in data["unknown"].items():
        lines.append(f"# {name}: not known: {visible(why)}")
    return "\n".join(lines) + "\n"


def _scalar(value: object) -> str:
    """A value as JSON, which is also YAML: versions stay strings, and ASCII has no invisible characters or line
    ends."""
    return json.dumps(well_formed(value))


def _row(name: str, reading: Found) -> list[str]:
    value = reading["value"]
    shown_value = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return [name, shown_value, reading["where"] + (f" ({reading['note']})" if reading["note"] else "")]


def _by_reason(unknown: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """(reason, facts) of unknown facts."""
    by_reason: dict[str, list[str]] = {}
    for name, why in unknown.items():
        by_reason.setdefault(why, []).append(name)
    return list(by_reason.items())


def _add_section(lines: list[str], title: str, rows: Iterable[list[str]]) -> None:
    shown = [[visible(part) for part in row] for row in rows]
    if not shown:
        return
    lines.append(title)
    widths = [min(max(len(cells(row[at])) for row in shown), 48) for at in range(len(shown[0]) - 1)]
    for row in shown:
        padded = [part + " " * (width - len(cells(part))) for part, width in zip(row[:-1], widths)]
        lines.append("  " + "  ".join((*padded, row[-1])).rstrip())
    lines.append("")


class BundleLine(NamedTuple):
    """`line`: at most MAX_BYTES bytes of JSON, with its line end. `left_out`: file or part that did not fit → its size
    in bytes."""

    line: str
    left_out: Mapping[str, int]


class MadeBy(NamedTuple):
    """When (ISO 8601 in UTC) and by which version a bundle was made."""

    made: str
    version: str


def bundle(recorded: RecordedHost, host_facts: FoundOnHost, of: MadeBy, layout: str, runs: bool) -> BundleLine:
    """The bundle of a host. `host_facts`: what `advisor facts` prints of it. `layout`: of the copy that was read;
    `runs`: whether programs of the host were run."""
    answers, redacted = recorded.answers, recorded.redacted
    files, uncollected = dict(answers.files), dict(answers.uncollected)
    known = dict(host_facts)
    left_out: dict[str, int] = {}
    data: dict[str, object] = {
        "schema": SCHEMA, "host": recorded.node, "made": of.made, "advisor": of.version, "layout": layout, "runs": runs,
        "redacted": {"comments": redacted.comments, "secrets": redacted.secrets, "emptied": redacted.emptied},
        "left_out": left_out, **{name: known[name] for name in _IN_BUNDLE},
        "read": {**answers._asdict(), "files": files, "uncollected": uncollected},
    }
    text = _json(data)
    if len(text) >= MAX_BYTES:  # the reasons for unset settings also follow from the files
        left_out["unset"] = len(_json(known["unset"]))
        data["unset"] = {}
        text = _json(data)
    for path in sorted(files, key=lambda path: len(files[path]), reverse=True):
        if len(text) < MAX_BYTES:
            break
        left_out[path] = len(files.pop(path).encode("utf-8", "surrogateescape"))
        uncollected[path] = f"{path}: {_LEFT_OUT}"
        text = _json(data)
    return BundleLine(text + "\n", left_out)


def _json(data: object) -> str:
    """JSON in ASCII, so that a character is a byte. Bytes of a file that are not UTF-8 are kept as \\udc80 to
    \\udcff."""
    return json.dumps(data, separators=(",", ":"))
