"""What was found on a host, as text for people and as the YAML that `--facts` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TypedDict

from advisor.document.escape import cells, visible
from advisor.document.wrap import wrap
from advisor.render.plain import well_formed


class Found(TypedDict):
    """A value, the place where it was read, and what is to be known about it."""

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
    """Aligned columns: fact, value, where it was read; then what is not known, and why; then settings and mounts.

    What is not known is wrapped at `columns`."""
    lines: list[str] = []
    _section(lines, "Facts", [_row(name, one) for name, one in data["facts"].items()])
    if data["unknown"]:
        lines.append("Not known")
        for why, names in _by_reason(data["unknown"]):
            lines += wrap(visible(", ".join(names)), columns, "  ", "  ")
            lines += wrap(visible(why), columns, "    ", "    ")
        lines.append("")
    _section(lines, "Settings in effect", [_row(name, one) for name, one in data["settings"].items()])
    if data["unset"]:
        count = len(data["unset"])
        others = (f"{count} other setting{'s' if count > 1 else ''} could not be read: a module that is not loaded, a "
                  "kernel that has none, or one that only root may see; JSON tells each.")
        lines += [*wrap(others, columns, "  ", "  "), ""]
    _section(lines, "This host", [_row(name, one) for name, one in data["inventory"].items()])
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
    """One `fact: value` a line, with the place as a comment; what is not known is a comment too."""
    lines = [f"# Facts found {'on this host' if data['root'] == '/' else 'below ' + visible(data['root'])} by "
             "advisor facts."]
    for name, one in data["facts"].items():
        note = f"; {one['note']}" if one["note"] else ""
        lines.append(f"{name}: {_scalar(one['value'])}  # {visible(one['where'] + note)}")
    if not data["facts"]:
        lines.append("{}")
    for name, why in data["unknown"].items():
        lines.append(f"# {name}: not known: {visible(why)}")
    return "\n".join(lines) + "\n"


def _scalar(value: object) -> str:
    """A JSON string is a YAML string, and keeps versions from being read as numbers; plain ASCII, so that no character
    ends the line or hides."""
    return json.dumps(well_formed(value))


def _row(name: str, one: Found) -> list[str]:
    value = one["value"]
    shown_value = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return [name, shown_value, one["where"] + (f" ({one['note']})" if one["note"] else "")]


def _by_reason(unknown: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Reason → the facts that it keeps unknown."""
    found: dict[str, list[str]] = {}
    for name, why in unknown.items():
        found.setdefault(why, []).append(name)
    return list(found.items())


def _section(lines: list[str], title: str, rows: Iterable[list[str]]) -> None:
    shown = [[visible(part) for part in row] for row in rows]
    if not shown:
        return
    lines.append(title)
    widths = [min(max(len(cells(row[at])) for row in shown), 48) for at in range(len(shown[0]) - 1)]
    for row in shown:
        padded = [part + " " * (width - len(cells(part))) for part, width in zip(row[:-1], widths)]
        lines.append("  " + "  ".join((*padded, row[-1])).rstrip())
    lines.append("")
