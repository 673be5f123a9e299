"""What makes no difference on a line is not spoken of: writing on a read-only mount, speed where one thread writes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from tests.lint.fixing import base
from tests.tiers import examples

AZURE = {"storage.platform": "azure-files", "client.kernel": "6.12"}
WRITING = ("mount.wsize", "mount.sync", "mount.write", "mount.noalignwrite")


def told(line: str, known: dict[str, Any] | None = None) -> list[Finding]:
    return [f for f in lint_text(line, "fstab", base(), known or {}).findings if not f.policy]


@pytest.mark.parametrize("options", ["wsize=8192", "wsize=32768", "wsize=2097152", "sync", "write=wait", "wsize=0"])
def test_a_read_only_mount_is_not_warned_of_its_writes(options: str) -> None:
    assert told(f"nas:/a /a nfs ro,{options} 0 0") == []


@pytest.mark.parametrize(
    ("known", "options"),
    [
        ({"storage.platform": "anf"}, "vers=4.1,rsize=262144,wsize=1048576"),
        ({"storage.platform": "anf"}, "vers=4.1,rsize=65536,wsize=262144"),
        ({"workload.kind": "general", "workload.durable_writes": True}, "vers=4.2"),
        ({"storage.platform": "ontap", "workload.kind": "oracle"}, "vers=3,wsize=65536,rsize=262144"),
    ],
)
def test_nor_by_a_vendor(known: dict[str, Any], options: str) -> None:
    def of_writing(access: str) -> set[str | None]:
        return {f.tunable for f in told(f"nas:/a /a nfs {access},{options} 0 0", known)} & {*WRITING}

    assert of_writing("rw")
    assert not of_writing("ro")


def test_what_does_not_mount_is_an_error_all_the_same() -> None:
    assert [f.severity for f in told("nas:/a /a nfs ro,wsize=1M 0 0")] == ["error"]


def test_two_caches_of_what_is_only_read_are_no_matter() -> None:
    lines = "nas:/a /a nfs vers=4.2,{},actimeo=5 0 0\nnas:/a /b nfs vers=4.2,{} 0 0\n"
    assert {f.rule for f in told(lines.format("ro", "rw"))} == {"same-export-separate-caches"}
    assert told(lines.format("ro", "ro")) == []


def test_more_connections_are_not_missed_where_nobody_said_that_many_write() -> None:
    line = "acct.file.core.windows.net:/acct/trans /usr/sap/trans nfs vers=4.1{} 0 0"
    assert told(line.format(""), AZURE) == []
    (finding,) = told(line.format(",nconnect=16"), AZURE)
    assert (finding.rule, finding.severity, finding.expected) == ("nconnect/azure-files", "warning", 4)


@pytest.mark.parametrize(
    ("known", "options", "message", "fixable"),
    [
        (
            {"storage.platform": "azure-files"}, "vers=4.1,nconnect=16",
            "nconnect=16 can cost speed; use nconnect=4", False,
        ),
        (AZURE, "vers=4.1,nconnect=16", "nconnect=16 can cost speed; use nconnect=4", True),
        (
            {"storage.platform": "anf", "workload.kind": "eda"}, "vers=4.1,sec=sys,nconnect=4",
            "nconnect=4 can cost speed; use nconnect=8", False,
        ),
    ],
)
def test_who_writes_an_option_has_a_client_that_knows_it(
    known: dict[str, Any], options: str, message: str, fixable: bool
) -> None:
    (finding,) = [f for f in told(f"nas:/a /a nfs {options} 0 0", known) if f.tunable == "mount.nconnect"]
    assert (finding.message, finding.fix is not None) == (message, fixable)


def test_what_shows_even_less_old_data_is_not_called_stale() -> None:
    shared = {"workload.kind": "software-build", "workload.shared_writes": True}
    assert not [f for f in told("nas:/a /a nfs lookupcache=none 0 0", shared) if f.consequence == "stale-data"]
    prompt = {"workload.kind": "general", "workload.static_data": False, "workload.prompt_changes": True}
    assert not [f for f in told("nas:/a /a nfs actimeo=0 0 0", prompt) if f.consequence == "stale-data"]


def test_two_lines_for_one_place_are_told_once() -> None:
    text = "nas:/a /a nfs vers=4.2,actimeo=5 0 0\nnas:/a /a nfs vers=4.2 0 0\n"
    assert [f.rule for f in told(text)] == ["fstab-duplicate-target"]


@examples(20, 60)
@given(
    st.lists(st.sampled_from(["wsize=8192", "wsize=32768", "sync", "async", "write=eager", "hard", "vers=4.1", "noac"]),
             max_size=5),
    st.sampled_from(["anf", "aws-efs", "azure-blob", "ontap", "knfsd", "aws-fsx-openzfs"]),
    st.sampled_from(["oracle", "sap-hana", "eda", "general", "postgresql"]),
)
def test_no_finding_of_a_read_only_mount_is_about_writing(options: list[str], platform: str, kind: str) -> None:
    known = {"storage.platform": platform, "workload.kind": kind}
    found = told(f"nas:/a /a nfs {','.join([*options, 'ro'])} 0 0", known)
    assert not [f for f in found if f.tunable in WRITING and f.severity != "error" and f.rule != "option-overridden"]


def test_what_noac_rechecks_anyway_nocto_does_not_make_stale() -> None:
    shared = {"workload.kind": "software-build", "workload.shared_writes": True}
    for beside in ("noac", "actimeo=0"):
        found = [f for f in told(f"nas:/a /a nfs vers=4.2,{beside},nocto 0 0", shared) if f.tunable == "mount.nocto"]
        assert [(f.severity, f.consequence) for f in found] == [("note", "ignored")]


@pytest.mark.parametrize(
    ("line", "known", "rule"),
    [
        ("w:/h /home nfs vers=4.1,sec=krb5 0 0", {"storage.platform": "weka"}, "sec/weka"),
        ("n:/r / nfs vers=4.2 0 0", {"workload.kind": "diskless-root"}, "vers/diskless-root"),
        ("c:/a /a nfs vers=4.2 0 0", {"storage.platform": "cephfs-nfs"}, "vers/cephfs"),
    ],
)
def test_who_has_chosen_what_a_vendor_also_has_is_told_nothing(line: str, known: dict[str, Any], rule: str) -> None:
    assert rule not in {finding.rule for finding in told(line, known)}
