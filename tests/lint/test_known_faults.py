"""Known faults of the host's versions: found where they certainly are, open where the line of builds decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cli import main
from advisor.lint.lines import FAULT, Result
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

FAULTY = "client-ro-rw-shared"
LINE = "nas:/a /mnt/a nfs vers=3,hard 0 0\n"


def _judged(**known: str) -> Result:
    return lint_text(LINE, "fstab", load(), {name.replace("__", "."): value for name, value in known.items()})


def _open(result: Result) -> set[str]:
    return {item.tunable.removeprefix(FAULT) for item in result.open if item.tunable.startswith(FAULT)}


def test_a_fault_is_found_in_its_range_of_a_known_stream_only() -> None:
    inside = _judged(client__kernel="6.12.20", client__kernel_stream="mainline")
    assert FAULTY in {finding.rule for finding in inside.findings}
    assert FAULTY not in _open(inside)
    outside = _judged(client__kernel="6.12.70", client__kernel_stream="mainline")
    assert FAULTY not in {finding.rule for finding in outside.findings} | _open(outside)


def test_without_the_stream_it_may_be_and_the_stream_decides() -> None:
    unknown = _judged(client__kernel="6.12.20")
    assert FAULTY not in {finding.rule for finding in unknown.findings}
    assert {item.facts for item in unknown.open if item.tunable == f"{FAULT}{FAULTY}"} == {("client.kernel_stream",)}


def test_a_numbered_build_of_debian_has_the_faults_of_its_release() -> None:
    assert FAULTY in {finding.rule for finding in _judged(client__kernel="6.1.0-31-amd64").findings}
    assert FAULTY not in {finding.rule for finding in _judged(client__kernel="6.1.0-44-amd64").findings}


def test_a_condition_on_an_option_counts() -> None:
    known = {"client.kernel": "6.12.10", "client.kernel_stream": "mainline"}
    for options, found in (("fsc", True), ("hard", False)):
        result = lint_text(f"nas:/a /mnt/a nfs {options} 0 0\n", "fstab", load(), known)
        assert ("client-netfs-read-crash" in {finding.rule for finding in result.findings}) is found


def test_the_output_says_that_they_may_affect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fstab"
    path.write_text(LINE)
    main(["lint", str(path), "--set", "client.kernel=6.12.20"])
    assert "known faults of this version may affect you" in " ".join(capsys.readouterr().out.split())
