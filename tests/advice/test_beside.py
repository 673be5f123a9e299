"""The comparison with an fstab: no weaker than lint, and it knows what the line tells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice import beside_fstab
from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.beside_fstab import ComparedSetting, _row, compare_lines, file_objections
from advisor.files.records import Setting
from advisor.lint.run import lint_text
from tests.advice.environments import base

EFS = "fs-0123abcd.efs.eu-west-1.amazonaws.com:/ /efs nfs4 nconect=8,rsize=1048576,nfsvers=4.0 0 0\n"
LINES = [
    EFS,
    "nas:/a /a nfs soft,timeo=10,vers=3 0 0\n",
    "nas:/b /b nfs ro,rsize=4096,noac 0 2\n",
    "acc.file.core.windows.net:/acc/share /c nfs vers=3,sec=krb5 0 0\n",
]


def compared(line: str, **facts: object) -> dict[str, ComparedSetting]:
    rows = compare_lines(base(), advise(base(), Answers(facts)), line, "fstab")
    return {row.tunable: row for row in rows}


@pytest.mark.parametrize("line", LINES)
def test_whatever_lint_says_of_a_line_stands_beside_it(line: str) -> None:
    rows = compared(line)
    told = [one for one in lint_text(line, "fstab", base(), {}).findings if not one.policy]
    assert told
    for one in told:
        assert rows[one.tunable or one.rule].verdict in ("differs", "finding"), one.rule


def test_the_servers_name_tells_the_platform() -> None:
    rows = compared(EFS)
    assert (rows["mount.vers"].verdict, rows["mount.vers"].advised) == ("differs", "vers=4.1")
    assert rows["mount.noresvport"].advised == "noresvport"
    assert "mount.noresvport" not in compared("nas:/ /efs nfs4 rsize=1048576 0 0\n")


def test_what_was_said_goes_before_the_name() -> None:
    assert "mount.noresvport" not in compared(EFS, **{"storage.platform": "knfsd"})


def test_an_unknown_option_is_no_gap() -> None:
    assert any(row.verdict == "finding" and row.today == "nconect=8" for row in compared(EFS).values())


def test_files_are_linted_before_they_are_written() -> None:
    files = {"/etc/fstab": "nas:/a /a nfs nonsense 0 0\n", "/etc/nfs.conf": "[nfsd]\nthreds=8\n", "/x.bin": "zz"}
    found = [(path, finding.rule) for path, finding in file_objections(base(), files.items(), {})]
    assert found == [("/etc/fstab", "unknown-option"), ("/etc/nfs.conf", "setting-unknown")]
    assert file_objections(base(), [("/etc/fstab", "nas:/a /a nfs vers=4.2,hard 0 0\n")], {}) == []


def test_notes_and_house_policy_do_not_speak_against_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [SimpleNamespace(rule=f"{severity}-{policy}", severity=severity, policy=policy)
            for severity in ("note", "warning", "error") for policy in (False, True)]
    monkeypatch.setattr(beside_fstab, "lint_text", lambda *_, **__: SimpleNamespace(findings=told))
    found = [finding.rule for _, finding in file_objections(base(), [("/etc/fstab", "")], {})]
    assert found == ["warning-False", "error-False"]


@pytest.mark.parametrize(("text", "value", "advised"), [
    ("nconnect=8", 8, "nconnect=8"), ("", 8, "8"), ("", "omit", "left out"),
])
def test_what_is_advised_is_its_text_or_else_its_value(text: str, value: Any, advised: str) -> None:
    row: Any = SimpleNamespace(recommends=True, pinned=False, written=value, value=value, text=text, why="so",
                               already=False, strength="must")
    setting = Setting(4, "options", 0, 10, "nconnect=4")
    assert _row(setting, row, False, base().tunables["mount.nconnect"]) == ("nconnect=4", advised, "differs", "so")
