"""Findings about rsize and wsize that have one cause: judged apart, shown as one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from advisor.lint.finding import Finding, apply, together
from advisor.lint.run import lint_text
from tests.lint.fixing import base


def told(options: str, known: dict[str, Any] | None = None) -> list[Finding]:
    """What is shown of the sizes in a line."""
    found = together(lint_text(f"nas:/a /a nfs {options} 0 0", "fstab", base(), known or {}).findings)
    return [f for f in found if f.tunable in ("mount.rsize", "mount.wsize")]


def fixed(options: str, finding: Finding) -> str:
    assert finding.fix is not None
    return apply(f"nas:/a /a nfs {options} 0 0", finding.fix.edits).split()[3]


@pytest.mark.parametrize(
    ("options", "message", "left"),
    [
        ("rsize=8192,wsize=8192", "rsize=8192 and wsize=8192 make requests so small", "defaults"),
        ("rw,rsize=1024,hard,wsize=4096", "rsize=1024 and wsize=4096 make requests so small", "rw,hard"),
        ("wsize=32768,rsize=16384,hard", "rsize=16384 and wsize=32768 are less than", "hard"),
        ("rsize=1M,hard,wsize=1M", "rsize=1M and wsize=1M: rsize and wsize take a number",
         "rsize=1048576,hard,wsize=1048576"),
        ("rsize=2097152,wsize=2097152", "rsize=2097152 and wsize=2097152 are used as",
         "rsize=1048576,wsize=1048576"),
    ],
)
def test_one_cause_is_one_finding(options: str, message: str, left: str) -> None:
    (finding,) = told(options)
    assert finding.message.startswith(message)
    assert fixed(options, finding) == left
    (other,) = finding.also
    assert (finding.tunable, other.tunable) == ("mount.rsize", "mount.wsize")
    assert options[other.column - 15 : other.end_column - 15].startswith("wsize=")
    json.dumps(finding)


def test_the_rule_of_a_platform_speaks_of_both() -> None:
    options = "vers=4.1,rsize=1048576,wsize=1048576"
    (finding,) = told(options, {"storage.platform": "anf"})
    assert finding.message == "rsize=1048576 and wsize=1048576 can cost speed; use at most 262144 bytes"
    assert finding.remedy == "Write rsize=262144 and wsize=262144 or less."
    assert fixed(options, finding) == "vers=4.1,rsize=262144,wsize=262144"


@pytest.mark.parametrize(
    "options", ["rsize=8192,wsize=32768", "rsize=1M,wsize=2M", "rsize=70000,wsize=140000", "rsize=8192", "wsize=8192"]
)
def test_different_causes_are_told_apart(options: str) -> None:
    findings = told(options)
    assert len(findings) == options.count("size")
    assert not any(finding.also for finding in findings)


def test_what_is_kept_silent_takes_nothing_else_along() -> None:
    found = lint_text("nas:/a /a nfs rsize=8192,wsize=8192 0 0", "fstab", base(), {}).findings
    for rule in ("rsize-tiny", "wsize-tiny"):
        (finding,) = together(f for f in found if f.rule == rule)
        assert " and " not in finding.message.partition(";")[0]
        assert finding.also == ()


def test_twins_of_two_lines_stay_apart() -> None:
    text = "nas:/a /a nfs rsize=8192 0 0\nnas:/b /b nfs wsize=8192 0 0\n"
    found = together(lint_text(text, "fstab", base(), {}).findings)
    assert [f.line for f in found if f.rule in ("rsize-tiny", "wsize-tiny")] == [1, 2]
