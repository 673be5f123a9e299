"""Master files of the automounter: its own options, and mount options for all entries of a map."""

from __future__ import annotations

import pytest

from advisor.lint.run import lint_text
from advisor.readers import mounts
from advisor.readers.settings import read
from advisor.rulebase.base import load


@pytest.mark.parametrize(("line", "own", "given"), [
    ("/home /etc/auto.home --timeout=600 --ghost", [("timeout", "600"), ("ghost", "")], ""),
    ("/home auto.home --timeout 300 -g rw,soft", [("timeout", "300"), ("ghost", "")], "rw,soft"),
    ("/home auto.home --ghost,--timeout=30", [("ghost", ""), ("timeout", "30")], ""),
    ("/home auto.home -t 60 -fstype=nfs4,vers=4.1", [("timeout", "60")], "vers=4.1"),
    ("/net -hosts -nosuid,nodev", [], "nosuid,nodev"), ("+auto.master", [], ""),
    ("key -rw nas:/data", [], "rw"), ("/home auto.home # kept --timeout=5", [("", "")], ""),
])  # fmt: skip
def test_a_line(line: str, own: list[tuple[str, str]], given: str) -> None:
    assert [(one.key.text, one.value.text) for one in read("autofs", line, "auto.master").settings] == own
    entries = mounts.read("autofs", line, "auto.master").mounts
    assert ",".join(entry.options.text for entry in entries) == given


@pytest.mark.parametrize(("line", "rules"), [
    ("/home /etc/auto.home --timeout=600 --ghost -rw,hard,nosuid", set()),
    ("/home /etc/auto.home --ghots", {"setting-unknown"}), ("/home /etc/auto.home --timeout=5m", {"setting-value"}),
    ("/home /etc/auto.home -rw,hrad", {"unknown-option"}),
    ("/home /etc/auto.home # soon", {"setting-trailing-comment"}),
    ("/smb /etc/auto.smb -fstype=cifs,uid=1000,credentials=/x", set()), ("/smb /etc/auto.smb uid=1000,noperm", set()),
    ("/home /etc/auto.home -fstype=nfs,nconnect=99", {"option-out-of-range"}), ("/net -hosts", set()),
])  # fmt: skip
def test_what_is_said_of_a_line(line: str, rules: set[str]) -> None:
    assert {one.rule for one in lint_text(f"{line}\n", "/etc/auto.master", load(), {}, kind="autofs").findings} == rules
