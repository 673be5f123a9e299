"""What is said of a line holds for every server: they were asked with versions turned off (`rpc.nfsd -N`)."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.kernel.judge import KERNELS
from tests.tiers import thorough

base = cache(load)
ROWS = [json.loads(line) for line in (Path(__file__).parent / "observed-servers.jsonl").read_text().splitlines()]


class Line(NamedTuple):
    fstype: str
    options: str


def _line(case: str) -> Line:
    words = dict(word.partition("=")[::2] for word in case.split() if word.startswith("@"))
    options = next((word for word in case.split() if word[0] not in "@-"), "")
    return Line(words.get("@t", "nfs"), options)


OBSERVED: dict[Line, dict[str, str]] = {}
"""Line → server → the version that was mounted, "" if the mount failed."""
for row in ROWS:
    OBSERVED.setdefault(_line(row["case"]), {})[row["server"]] = row.get("vers", "")


@cache
def findings(line: Line) -> list[Finding]:
    text = f"127.0.0.1:/srv/a /mnt/x {line.fstype} {line.options or 'defaults'} 0 0\n"
    return lint_text(text, "fstab", base(), {"client.kernel": KERNELS["6.12"]}).findings


def test_servers_of_three_kinds_were_asked() -> None:
    assert {row["server"] for row in ROWS} == {"3", "3, 4.0", "4.0, 4.1, 4.2", "3, 4.0, 4.1, 4.2"}
    assert len(OBSERVED) > 200


@thorough
def test_a_mount_that_is_said_to_fail_fails_with_every_server() -> None:
    wrong = [
        (line, servers) for line, servers in OBSERVED.items()
        if any(f.consequence == "mount-fails" for f in findings(line)) and any(servers.values())
    ]
    assert wrong == []


def test_a_version_that_an_option_is_said_to_make_is_the_only_one() -> None:
    said = {
        line: match[1] for line in OBSERVED for f in findings(line)
        if (match := re.search(r" makes this a (?:vers=)?(\S+) mount", f.message))
    }
    assert len(said) > 10
    wrong = [(line, OBSERVED[line]) for line, version in said.items() if {*OBSERVED[line].values()} - {"", version}]
    assert wrong == []


def test_an_option_without_effect_changes_nothing_with_any_server() -> None:
    asked, wrong = 0, []
    for line, servers in OBSERVED.items():
        for finding in findings(line):
            option = finding.message.partition(" ")[0]
            rest = Line(line.fstype, ",".join(word for word in line.options.split(",") if word != option))
            if finding.rule == "option-ignored" and rest in OBSERVED:
                asked += 1
                without = OBSERVED[rest]
                wrong += [(line, server) for server, came in servers.items() if without.get(server, came) != came]
    assert asked > 10
    assert wrong == []


def test_a_minor_version_alone_refuses_servers_without_it() -> None:
    for fstype in ("nfs", "nfs4"):
        for minor in (1, 2):
            line = Line(fstype, f"minorversion={minor}")
            assert OBSERVED[line]["3, 4.0"] == OBSERVED[line]["3"] == ""
            assert "minorversion-alone" in {finding.rule for finding in findings(line)}
            assert not any(f.consequence in ("ignored", "mount-fails") for f in findings(line))
