"""Prometheus' text format, as node_exporter's textfile collector reads it: no times, each metric in one piece."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

Sample = tuple[Mapping[str, str], int]
"""Labels, and the value."""


class Gauge(NamedTuple):
    """`name`: as docs/fleet.md lists it; `about`: its help, one sentence. No two samples have the same labels."""

    name: str
    about: str
    samples: Iterable[Sample]


def exposition(gauges: Iterable[Gauge]) -> str:
    """The text. A gauge without samples is left out."""
    parts: list[str] = []
    for one in gauges:
        samples = [f"{one.name}{_labels(labels)} {value}\n" for labels, value in one.samples]
        if samples:
            parts += [f"# HELP {one.name} {_escaped(one.about)}\n# TYPE {one.name} gauge\n", *samples]
    return "".join(parts)


def _labels(labels: Mapping[str, str]) -> str:
    quoted = {name: _escaped(text).replace(chr(34), chr(92) + chr(34)) for name, text in labels.items()}
    joined = ",".join(f"{name}=\"{text}\"" for name, text in quoted.items())
    return f"{{{joined}}}" if joined else ""


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
