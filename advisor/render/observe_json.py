"""What was observed, for programs: `advisor-observe/1`, and its schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from advisor.observe.compare import SCHEMA
from advisor.observe.mountstats import OPERATION
from advisor.observe.quantities import time_spent
from advisor.observe.window import keyed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from advisor.observe.conclusions import DrawnConclusion
    from advisor.observe.report import JudgedMount, ObserveReport
    from advisor.observe.window import MountKey

Data = dict[str, object]


def data(report: ObserveReport, parts: Mapping[MountKey, Sequence[Mapping[str, int]]]) -> Data:
    """The whole report, ready for JSON. `parts`: of the window, as parts_of() gives them."""
    names = [name for name, _ in keyed([one.window for one in report.mounts])]
    return {
        "schema": SCHEMA,
        "mounts": [
            {**_mount(one), "parts": [dict(part) for part in parts.get(name, ())]}
            for name, one in zip(names, report.mounts)
        ],
        "server": {
            "conclusions": [_drawn(one) for one in report.server_conclusions],
            "notes": [_drawn(one) for one in report.server_notes], "facts": dict(report.server),
        },
        "unmounted": report.gone,
        "unseen": report.unseen,
        "kernel": [one._asdict() for one in report.kernel],
    }


def _mount(one: JudgedMount) -> Data:
    window = one.window
    spent = time_spent(window.quantities)
    return {
        "target": window.target, "source": window.source, "seconds": window.seconds,
        "since_mount": window.since_mount, "conclusions": [_drawn(found) for found in one.conclusions],
        "notes": [_drawn(found) for found in one.notes], "facts": dict(window.quantities),
        "options": dict(window.options), "mounted": window.mounted,
        "calls": window.calls, "operations": {
            name: dict(row) for name, row in window.operations.items() if row["ops"]
        },
        "time": None if spent is None else {
            "queued": spent.queued, "network": spent.network, "server": spent.server, "after": spent.after,
        },
    }


def _drawn(one: DrawnConclusion) -> Data:
    what = one.conclusion
    return {
        "id": what.id, "kind": what.kind, "title": what.title, "says": one.says, "means": what.means,
        "evidence": sorted(one.evidence), "helps": list(what.helps), "helps_server": list(what.helps_server),
        "useless": list(what.useless), "at_most": dict(one.at_most), "holds": dict(one.holds),
        "cites": list(what.cites),
    }


def schema() -> Data:
    """The JSON Schema of the output."""
    text: Data = {"type": "string"}
    texts: Data = {"type": "array", "items": text}
    whole: Data = {"type": "integer", "minimum": 0}
    conclusions: Data = {"type": "array", "items": {"$ref": "#/$defs/conclusion"}}
    facts: Data = {"type": "object", "additionalProperties": {"type": ["integer", "string"]}}
    time = _object({"queued": whole, "network": whole, "server": {"type": ["integer", "null"]}, "after": whole})
    mount = _object({
        "target": text, "source": text, "seconds": {"type": ["number", "null"]}, "since_mount": {"type": "boolean"},
        "conclusions": conclusions, "notes": conclusions, "facts": facts,
        "options": {"type": "object", "additionalProperties": text},
        "parts": {
            "type": "array", "items": {"type": "object", "additionalProperties": whole},
            "description": "What --compare looks at, in each part of the window, where readings were taken between.",
        },
        "mounted": {"type": "boolean", "description": "It was mounted, perhaps again, in the window."},
        "calls": {"type": "object", "additionalProperties": whole},
        "operations": {"type": "object", "additionalProperties": {
            **_object(dict.fromkeys(OPERATION, whole)), "required": [name for name in OPERATION if name != "errors"],
            "description": "Sums over the window: calls, bytes, milliseconds. Old kernels count no errors.",
        }},
        "time": {"anyOf": [{**time, "description": "Microseconds of a mean call."}, {"type": "null"}]},
    })
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The output of advisor observe --output-format json",
        **_object({
            "schema": {"const": SCHEMA}, "mounts": {"type": "array", "items": mount},
            "server": _object({"conclusions": conclusions, "notes": conclusions, "facts": facts}),
            "unmounted": texts, "unseen": texts,
            "kernel": {"type": "array", "items": _object({"id": text, "text": text, "times": whole})},
        }),
        "$defs": {"conclusion": _object({
            "id": text, "kind": {"enum": ["limit", "trouble", "work", "verdict", "note"]},
            "title": text, "says": text, "means": text, "evidence": texts, "helps": texts, "helps_server": texts,
            "useless": texts,
            "at_most": {"type": "object", "additionalProperties": text}, "holds": {"type": "object"}, "cites": texts,
        })},
    }


def _object(properties: Data) -> Data:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def text() -> str:
    """The published schema, docs/schema/advisor-observe-1.json."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")
