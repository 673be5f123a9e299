"""The facts of a host as text, as YAML for `--facts`, and as a bundle (docs/schema/advisor-bundle-1.json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.pages.json_text import well_formed
from advisor.pages.style import cells, visible, wrap

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.check.recording import RecordedHost
    from advisor.rulebase.model.types import Value

    Found = tuple[Value, str, str]
    """A value, where it was read, and a note or ""."""

FACTS_SCHEMA, SCHEMA = "advisor-facts/1", "advisor-bundle/1"
MAX_BYTES = 1 << 16
_LEFT_OUT = "left out of the bundle, which would be larger than 64 KiB"
_IN_BUNDLE = ("facts", "unknown", "settings", "unset", "inventory", "mounts")


def data(seen: HostFacts) -> dict[str, object]:
    """What `advisor facts --output-format json` prints; docs/facts.md describes it."""
    probe = seen.probe
    return {
        "schema": FACTS_SCHEMA,
        "root": probe.root,
        "facts": _values(seen.facts),
        "unknown": dict(sorted(seen.unknown.items())),
        "settings": _values(probe.settings),
        "unset": probe.unset,
        "inventory": _values(probe.inventory),
        "mounts": [
            {**mount._asdict(), "read_ahead_kb": None if mount.read_ahead_kb is None else mount.read_ahead_kb.value}
            for mount in probe.mounts
        ],
    }


def _values(found: Mapping[str, Found]) -> dict[str, object]:
    return {
        name: {"value": value, "where": where, "note": note or None} for name, (value, where, note) in found.items()
    }


def text(seen: HostFacts, columns: int) -> str:
    """Facts in aligned columns (fact, value, place), then unknown facts with the reason, settings, and mounts. Wrapped
    at `columns`."""
    probe = seen.probe
    lines: list[str] = []
    _add_section(lines, "Facts", seen.facts)
    if seen.unknown:
        lines.append("Not known")
        by_reason: dict[str, list[str]] = {}
        for name, why in sorted(seen.unknown.items()):
            by_reason.setdefault(why, []).append(name)
        for why, names in by_reason.items():
            lines += wrap(visible(", ".join(names)), columns, "  ", "  ")
            lines += wrap(visible(why), columns, "    ", "    ")
        lines.append("")
    _add_section(lines, "Settings in effect", probe.settings)
    if probe.unset:
        count = len(probe.unset)
        others = (f"{count} other setting{'s' if count > 1 else ''} could not be read: a module that is not loaded, a "
                  "kernel that has none, or one that only root may see; JSON lists each.")
        lines += [*wrap(others, columns, "  ", "  "), ""]
    _add_section(lines, "This host", probe.inventory)
    lines += ["NFS mounts in effect"] if probe.mounts else []
    for mount in probe.mounts:
        ahead = "" if mount.read_ahead_kb is None else f", read-ahead {mount.read_ahead_kb.value} KiB"
        lines += [
            visible(f"  {mount.server}:{mount.export} on {mount.target} ({mount.fstype}{ahead})"),
            visible(f"    {','.join(mount.options)}"),
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def yaml(seen: HostFacts) -> str:
    """A line `fact: value` for each fact, with the place as a comment; unknown facts are comments."""
    root = seen.probe.root
    lines = [f"# Facts found {'on this host' if root == '/' else 'below ' + visible(root)} by advisor facts."]
    for name, (value, where, note) in seen.facts.items():
        lines.append(f"{name}: {_scalar(value)}  # {visible(f'{where}; {note}' if note else where)}")
    if not seen.facts:
        lines.append("{}")
    for name, why in sorted(seen.unknown.items()):
        lines.append(f"# {name}: not known: {visible(why)}")
    return "\n".join(lines) + "\n"


def _scalar(value: object) -> str:
    """A value as JSON, which is also YAML: versions stay strings, and ASCII has no invisible characters or line
    ends."""
    return json.dumps(well_formed(value))


def _add_section(lines: list[str], title: str, found: Mapping[str, Found]) -> None:
    if not found:
        return
    lines.append(title)
    shown = [
        [visible(part) for part in (
            name, ("yes" if value else "no") if isinstance(value, bool) else str(value),
            f"{where} ({note})" if note else where,
        )]
        for name, (value, where, note) in found.items()
    ]
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


def bundle(recorded: RecordedHost, made: str, version: str, layout: str, runs: bool) -> BundleLine:
    """The bundle of a host. `made`: when (ISO 8601 in UTC), by this `version`; `layout`: of the copy that was read;
    `runs`: whether programs of the host were run."""
    answers, redacted = recorded.answers, recorded.redacted
    files, uncollected = dict(answers.files), dict(answers.uncollected)
    known = data(recorded.seen)
    left_out: dict[str, int] = {}
    content: dict[str, object] = {
        "schema": SCHEMA, "host": recorded.node, "made": made, "advisor": version, "layout": layout, "runs": runs,
        "redacted": {"comments": redacted.comments, "secrets": redacted.secrets, "emptied": redacted.emptied},
        "left_out": left_out, **{name: known[name] for name in _IN_BUNDLE},
        "read": {**answers._asdict(), "files": files, "uncollected": uncollected},
    }
    text = _json(content)
    if len(text) >= MAX_BYTES:  # the reasons for unset settings also follow from the files
        left_out["unset"] = len(_json(known["unset"]))
        content["unset"] = {}
        text = _json(content)
    for path in sorted(files, key=lambda path: len(files[path]), reverse=True):
        if len(text) < MAX_BYTES:
            break
        left_out[path] = len(files.pop(path).encode("utf-8", "surrogateescape"))
        uncollected[path] = f"{path}: {_LEFT_OUT}"
        text = _json(content)
    return BundleLine(text + "\n", left_out)


def _json(data: object) -> str:
    """JSON in ASCII, so that a character is a byte. Bytes of a file that are not UTF-8 are kept as \\udc80 to
    \\udcff."""
    return json.dumps(data, separators=(",", ":"))
