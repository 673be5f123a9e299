"""JSON output, and values in YAML output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from advisor.pages.style import visible
from advisor.rulebase.model import Record


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
