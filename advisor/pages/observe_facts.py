"""Observations as a file of facts: each value with its evidence and origin, the quantities that conclusions rest on,
and the last day on which they may be used."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from advisor.advice.answers import OBSERVED
from advisor.observe.conclusions import DrawnConclusion, measure
from advisor.pages.observe import span_text
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.observe.window import JudgedMount, MountWindow, ObserveReport
    from advisor.rulebase.model.types import Values

Measured = dict[str, tuple["Values", str]]
"""Fact → its value, and the sentence that shows it."""


def facts_file(base: RuleBase, report: ObserveReport, day: str, until: str) -> str:
    """YAML for `--facts`. `day`: when it was observed, "" if not known; `until`: the last day on which it may be used;
    both as 2026-12-31."""
    lines = ["# Observed by advisor; true of the work in that time, and of no other."]
    of_server = _measured(report.server_conclusions + report.server_notes)
    if of_server:
        lines += [*_fact_lines(of_server, ""), *_origins(of_server, _origin(day), ""), f"until: {_quoted(until)}"]
    servers: dict[str, tuple[Measured, str]] = {}
    sections: dict[str, list[str]] = {}
    for mount in report.mounts:
        measured = _measured([drawn for drawn in mount.conclusions + mount.notes if drawn.conclusion.of == "mount"])
        window = mount.window
        calls = window.quantities.get("observed.calls")
        if not calls:
            continue
        seen = _origin(day, f"{span_text(window)}: {measure(int(calls), 'calls')}")
        server, export = _source(window.source)
        wide = {fact: value for fact, value in measured.items() if base.facts[fact].scope == "server"}
        known = servers.setdefault(server, ({}, seen))[0] if server else {}
        for fact, value in wide.items():
            known.setdefault(fact, value)
        own = {fact: value for fact, value in measured.items() if fact not in wide}
        sections[window.target] = list(_mount_lines(mount, (server, export), own, seen, until))
    parts = [*_server_lines(servers, until), *(line for section in sections.values() for line in section)]
    lines += ["mounts:", *parts] if parts else ["mounts: []  # no mount had calls"]
    return "\n".join(lines) + "\n"


def _server_lines(servers: Mapping[str, tuple[Measured, str]], until: str) -> Iterator[str]:
    for server, (measured, seen) in servers.items():
        if measured:
            yield f"  - server: {_quoted(server)}"
            yield from (*_fact_lines(measured, "    "), *_origins(measured, seen, "    "))
            yield f"    until: {_quoted(until)}"


def _mount_lines(
    mount: JudgedMount, names: tuple[str, str], measured: Measured, seen: str, until: str
) -> Iterator[str]:
    window: MountWindow = mount.window
    yield f"  - target: {_quoted(window.target)}"
    if all(names):
        yield f"    server: {_quoted(names[0])}"
        yield f"    export: {_quoted(names[1])}"
    yield from (*_fact_lines(measured, "    "), *_origins(measured, seen, "    "), f"    until: {_quoted(until)}")
    yield "    observed:"
    for name, value in sorted(window.quantities.items()):
        yield f"      {name.removeprefix('observed.')}: {_value(value)}"


def _measured(conclusions: list[DrawnConclusion]) -> Measured:
    return {fact: (value, drawn.says) for drawn in conclusions for fact, value in drawn.holds.items()}


def _fact_lines(measured: Measured, margin: str) -> Iterator[str]:
    for fact, (value, says) in measured.items():
        yield f"{margin}{fact}: {_value(value)}  # {visible(says)}"


def _origins(measured: Measured, seen: str, margin: str) -> Iterator[str]:
    if measured:
        yield f"{margin}found:"
        yield from (f"{margin}  {fact}: {_quoted(seen)}" for fact in measured)


def _origin(day: str, how: str = "") -> str:
    return " ".join(part for part in (OBSERVED, day, how) if part)


def _source(source: str) -> tuple[str, str]:
    """Server and path of what is mounted; "" for both if they cannot be distinguished."""
    server, colon, path = source.partition(":/")
    return (server, f"/{path}") if colon and server and not server.endswith(":") else ("", "")


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value) if isinstance(value, (bool, int)) else _quoted(str(value))


def _quoted(text: str) -> str:
    """A quoted YAML string. JSON is not enough: it escapes characters beyond 16 bits as two, which YAML refuses."""
    return "".join(
        json.dumps(char)[1:-1] if ord(char) < 0x10000 else f"\\U{ord(char):08x}" for char in text
    ).join('""')
