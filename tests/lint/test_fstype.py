"""The file system type nfs4 is a version: what follows where the storage serves another one."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

base = cache(load)
BLOB = "acct.blob.core.windows.net:/acct/c"


def found(line: str, **facts: Any) -> dict[str, Finding]:
    answers = {name.replace("__", "."): value for name, value in facts.items()}
    return {f.rule: f for f in lint_text(f"{line} 0 0\n", "fstab", base(), answers).findings if not f.policy}


@pytest.mark.parametrize(
    ("source", "facts"),
    [
        (BLOB, {}), ("nas:/acct/c", {"storage__platform": "azure-blob"}), ("nas:/x", {"storage__platform": "oci-fss"}),
        ("nas:/x", {"storage__platform": "anf", "storage__volume_protocol": "3"}),
        ("nas:/x", {"storage__platform": "gcp-filestore", "storage__tier": "basic"}),
    ],
)
@pytest.mark.parametrize("options", ["rw,hard", "nolock,hard", "lock"])
def test_nfs4_cannot_mount_what_serves_v3_only(source: str, facts: dict[str, str], options: str) -> None:
    findings = found(f"{source} /x nfs4 {options}", **facts)
    (error,) = (f for f in findings.values() if f.consequence == "mount-fails")
    assert (error.severity, error.tunable, error.expected) == ("error", "mount.vers", "3")
    assert error.message == "the type nfs4 must be nfs, with vers=3"
    assert error.fix is not None
    assert [edit.text for edit in error.fix.edits] == ["nfs", ",vers=3"]
    assert not any("nolock is missing" in f.message or f.message.startswith("nolock") for f in findings.values())


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("nas:/x /x nfs4 rw,hard", {}), ("nas:/x /x nfs4 rw,hard", {"storage__platform": "knfsd"}),
        ("nas:/x /x nfs4 rw,hard", {"storage__platform": "anf"}),
        ("nas:/x /x nfs4 vers=4.1", {"storage__platform": "anf", "storage__volume_protocol": "4.1"}),
        ("acct.file.core.windows.net:/acct/s /x nfs4 vers=4.1,hard,nconnect=4", {}),
    ],
)
def test_nfs4_mounts_elsewhere(line: str, facts: dict[str, str]) -> None:
    assert "mount-fails" not in {f.consequence for f in found(line, **facts).values()}


def test_a_server_with_one_version_decides_what_the_line_leaves_open() -> None:
    assert found(f"{BLOB} /x nfs rw,hard")["lock/no-lock-manager"].message == "nolock is missing"


@pytest.mark.parametrize("option", ["lock", "nolock", "local_lock=all"])
@pytest.mark.parametrize("line", ["nas:/x /x nfs4 {}", "nas:/x /x nfs vers=4.1,{}"])
def test_words_for_locks_are_idle_on_v4(line: str, option: str) -> None:
    assert found(line.format(option))["option-ignored"].message == f"{option} has no effect here"


@pytest.mark.parametrize(("line", "safety"), [
    ("nas:/x /x nfs4 hard", "unsafe"), ("nas:/x /x nfs4", "unsafe"), ("nas:/x /x nfs4 vers=4.1,hard", "safe"),
    ("nas:/x /x nfs4 nfsvers=3", "safe"),
])  # fmt: skip
def test_a_fix_that_adds_an_option_is_not_safe(line: str, safety: str) -> None:
    """`Nfsvers=4.1` in nfsmount.conf holds for the type nfs4 too, unless the line names a version."""
    fix = found(line)["fstype-nfs4"].fix
    assert fix is not None
    assert fix.safety == safety


def test_what_a_default_may_give_effect_is_not_removed() -> None:
    """With `Nfsvers=3` in nfsmount.conf, minorversion=0 makes a mount with 4.2, and the type nfs4 one with NFSv3."""
    for line in ("nas:/x /x nfs minorversion=0", "nas:/x /x nfs4 nolock", "nas:/x /x nfs4 local_lock=all"):
        assert found(line)["option-ignored"].fix is None, line
    for line in ("nas:/x /x nfs vers=4.1,minorversion=2", "nas:/x /x nfs4 vers=4.2,nolock"):
        fix = found(line)["option-ignored"].fix
        assert fix is not None, line
        assert fix.safety == "safe"
