"""The JSON Schema of one line of what `advisor fleet report --output-format jsonl` writes.

`python -m advisor.render.fleet_schema` prints it; it is published as docs/schema/advisor-fleet-1.json."""

from __future__ import annotations

import json
from collections.abc import Mapping

from advisor.fleet.lines import SCHEMA
from advisor.lint.finding import SEVERITIES
from advisor.render.lint_schema import COUNT, TEXT, each, has, said

_MAYBE = {"type": ["string", "null"]}
_SEVERITY = {"enum": list(SEVERITIES)}
_SCALAR = {"type": ["string", "number", "boolean"]}
_TIME = said(TEXT, "ISO 8601 in UTC")
_HOSTS = each(TEXT, "names of hosts, sorted")
_CITES = each(TEXT, "ids of claims; `advisor kb show CLAIM` has all of one")
_CLASSES = each(TEXT, "names of classes, the one with most hosts first")

_DIFFERENCES = each(has({
    "what": said(TEXT, "a fact, file, setting, mount or finding"),
    "here": said(_MAYBE, "on this side; null where it is absent"),
    "there": said(_MAYBE, "on the other side; null where it is absent"),
}, "one thing that differs"), "what they differ in")

_FINDING = has({
    "rule": TEXT, "severity": _SEVERITY,
    "consequence": said(TEXT, "what happens if it is left unchanged"),
    "place": said(TEXT, "file:line:column on the host"),
    "setting": said(TEXT, "what is set, such as mount.nconnect"),
    "value": said(_MAYBE, "null where it is not set"),
    "advised": said(_MAYBE, "null where nothing is advised"),
    "message": TEXT, "remedy": TEXT, "cites": _CITES,
}, "a finding, which holds for all hosts of the class")

_SHARE = {
    "rule": TEXT, "setting": TEXT, "severity": _SEVERITY,
    "message": said(TEXT, "of the largest class that has it"), "remedy": TEXT,
    "hosts": said(COUNT, "how many have it"), "classes": _CLASSES,
}

_KINDS: dict[str, tuple[str, Mapping[str, object]]] = {
    "report": ("the header, the first line", {
        "schema": {"const": SCHEMA}, "version": said(TEXT, "of the program"), "made": _TIME,
        "hosts": said(COUNT, "how many were judged"),
    }),
    "class": ("hosts of identical configuration, as far as judging goes; the largest first", {
        "name": said(TEXT, "from the digest of that configuration: the same in each report"), "hosts": _HOSTS,
        "facts": {
            "type": "object", "description": "what was judged with",
            "additionalProperties": {"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]},
        },
        "mounts": each(TEXT, "as in fstab"), "findings": each(_FINDING, "most severe first"),
        "failed": said(_MAYBE, "why it could not be judged; else null"),
        "made": each(_TIME, "when the bundle of each host was made, in the order of hosts; empty text where unknown"),
    }),
    "share": ("how many hosts have one finding", _SHARE),
    "outlier": ("a small class that is almost like a large one", {
        "name": said(TEXT, "of the small class"), "near": said(TEXT, "of the large class"),
        "differences": _DIFFERENCES,
    }),
    "across": ("a finding that several hosts have only together", {
        "rule": TEXT, "severity": _SEVERITY, "about": said(TEXT, "what they share, such as a client id or an export"),
        "message": TEXT, "why": TEXT, "remedy": TEXT, "hosts": _HOSTS, "cites": _CITES,
    }),
    "unread": ("a bundle that was not used", {
        "place": said(TEXT, "the file, or file:line"), "why": TEXT,
        "older": said({"type": "boolean"}, "a newer bundle of the host counts"),
    }),
    "drift": ("what changed since an earlier report", {
        "since": said(_TIME, "when that report was made; ISO 8601 in UTC"),
        "new": said(_HOSTS, "hosts that it does not have"), "gone": said(_HOSTS, "hosts that only it has"),
        "moved": said(COUNT, "how many lines of kind moved follow"),
        "found": each(has(_SHARE, "a finding"), "findings that no host had then"),
        "mended": each(has(_SHARE, "a finding, as it was"), "findings that no host has any more"),
    }),
    "moved": ("hosts that went from one class to another", {
        "hosts": _HOSTS, "before": said(TEXT, "name of their class then"), "after": said(TEXT, "name of it now"),
        "differences": said(_DIFFERENCES, "`here` is before, `there` after"),
    }),
}


def schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of a line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a line of advisor fleet report --output-format jsonl",
        "description": "One record. Kinds and fields may be added; these stay as they are.",
        "oneOf": [_kind(name, about, properties) for name, (about, properties) in _KINDS.items()],
    }


def _kind(name: str, description: str, properties: Mapping[str, object]) -> dict[str, object]:
    return has({"kind": {"const": name}, **properties}, description)


def text() -> str:
    """The schema as the file that is published."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    print(text(), end="")
