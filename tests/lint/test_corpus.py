"""Every fstab of a collection of public ones. What is an error there was read line by line, and has its reason here.

The collection is not part of the repository: it lies beside it, or where ADVISOR_SHARED says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from advisor.files.fstab import read, split_options
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from tests import needs
from tests.lint.fixing import base
from tests.tiers import some

SHARED = needs.OTHERS
FILES = sorted((SHARED / "corpus" / "fstab").glob("*"))

pytestmark = pytest.mark.skipif(not FILES, reason=needs.SHARED)

ERRORS = {
    ("forum-56803059329-client.fstab", 11, "fstab-line-dropped"): "a space after the colon: seven fields",
    ("insights-test_ls-FSTAB_NFS.fstab", 2, "fstab-source-form"): "no name begins with --",
    ("insights-test_ls-FSTAB_NFS.fstab", 5, "fstab-source-form"): "no name begins with --",
    ("insights-test_ls-FSTAB_NFS.fstab", 6, "fstab-source-form"): "no name begins with --",
    ("insights-test_ls-FSTAB_NFS.fstab", 7, "fstab-source-form"): "no name begins with --",
    ("line-1123.fstab", 1, "unknown-option"): "three dots instead of the options",
    ("line-15120434952.fstab", 1, "fstab-trap"): "no mount point, so the options stand where the type belongs",
    ("line-15120434952.fstab", 2, "fstab-trap"): "no mount point, so the options stand where the type belongs",
    ("line-16983760959.fstab", 1, "fstab-source-form"): "a word without a colon",
    ("line-16983760959.fstab", 1, "fstab-target-relative"): "a mount point without a slash",
    ("line-20129394963.fstab", 1, "unknown-option"): "TLS, which the helper knows as tls",
    ("line-30222469177.fstab", 1, "fstab-source-form"): "a slash before the server's name",
    ("line-43204144163.fstab", 1, "fstab-line-dropped"): "a word glued to the last number",
    ("line-49140738639.fstab", 1, "fstab-line-dropped"): "the whole line in typographic quotes",
    ("line-56803059329.fstab", 1, "fstab-line-dropped"): "a space after the colon: seven fields",
    ("line-57141426026.fstab", 1, "fstab-line-dropped"): "a blank in the source: seven fields",
    ("util-linux-tests_ts_libmount_files_fstab.broken.fstab", 1, "fstab-line-dropped"): "one word",
    ("util-linux-tests_ts_libmount_files_fstab.broken.fstab", 8, "fstab-line-dropped"): "prose",
}
"""Everything that is an error with nothing known: not one of these lines is mounted at boot."""

ERRORS_OF_6_12 = {
    ("line-25140149810.fstab", 1): "udp",
    ("line-30445778609.fstab", 1): "udp",
    ("line-37132494249.fstab", 1): "udp",
    ("line-41463739411.fstab", 1): "proto=udp",
    ("stefanha-nfs-man-examples.fstab", 2): "nfsvers=2 and proto=udp",
}
"""What fails on Linux 6.12 besides: UDP and NFSv2 are gone."""

PLAIN = {"defaults", "rw", "hard", "tcp", "proto=tcp", "_netdev", "nofail", "noauto", "auto", "x-systemd.automount",
         "timeo=600", "retrans=2", "nosuid", "nodev", "vers=3", "nfsvers=3", "vers=4.1", "vers=4.2", "nfsvers=4"}
"""Options that nobody would call wrong on any mount, unless more is known."""
CLOUD = ("amazonaws", "windows.net", "EFS", "efs")
"""Servers for which more is known: they ask for options that are missing."""


@cache
def lint(path: Path, *facts: tuple[str, Any]) -> Result:
    return lint_text(path.read_bytes(), path.name, base(), dict(facts))


def errors(*facts: tuple[str, Any]) -> set[tuple[str, int, str]]:
    return {
        (path.name, f.line, f.rule) for path in FILES for f in lint(path, *facts).findings if f.severity == "error"
    }


def test_errors_are_lines_that_do_not_mount() -> None:
    assert errors() == set(ERRORS)


def test_further_errors_of_a_kernel_are_lines_that_it_refuses() -> None:
    known = errors(("client.kernel", "6.12.117"))
    assert {(name, line) for name, line, _ in known - set(ERRORS)} == set(ERRORS_OF_6_12)
    assert set(ERRORS) <= known


def test_a_finding_points_at_something_that_stands_in_its_line() -> None:
    for path in FILES:
        result = lint(path)
        for found in result.findings:
            line = result.line(found.line)
            assert 1 <= found.column < found.end_column <= len(line) + 1, found
            assert line[found.column - 1 : found.end_column - 1].strip(), found


def test_edits_lie_within_their_line() -> None:
    for path in FILES:
        result = lint(path)
        for found in result.findings:
            for edit in found.fix.edits if found.fix else ():
                assert 1 <= edit.column <= edit.end_column <= len(result.line(edit.line)) + 1, found


def test_findings_have_words_and_can_be_written_as_json() -> None:
    for path in FILES:
        for found in lint(path).findings:
            json.dumps(found)
            assert found.message, found
            assert found.why, found
            assert found.remedy, found
            assert not any("{" in text or "  " in text for text in (found.why, found.remedy)), found


def test_plain_lines_are_left_alone() -> None:
    """No finding, and no question either, on lines that say nothing unusual."""
    looked_at = 0
    for path in FILES:
        result = lint(path)
        blamed = {
            f.line for f in result.findings
            if not f.policy and f.rule not in ("fstab-duplicate-target", "fstab-target-order", "passno/nfs", "freq/nfs")
        }
        asked = {item.line for item in result.open if item.tunable != "mount.vers"}
        for entry in read(path.read_bytes(), path.name).entries:
            if entry.libmount != "ok" or entry.fstype.value != "nfs" or any(name in entry.raw for name in CLOUD):
                continue
            words = {item.text for item in split_options(entry.options.text)}
            if words <= PLAIN and (path.name, entry.line_no) not in RELATIVE:
                looked_at += 1
                assert entry.line_no not in blamed | asked, (path.name, entry.raw)
    assert looked_at > 60


RELATIVE = {(name, line) for name, line, _ in ERRORS}
"""Plain options on lines that are wrong for another reason."""


@pytest.mark.parametrize(
    "facts",
    some([
        {"client.kernel": "6.12.117"},
        {"client.kernel": "5.4.0-216-generic", "client.distro": "ubuntu"},
        {"storage.platform": "anf", "workload.kind": "eda"},
        {"storage.platform": "azure-files", "storage.encrypted_transit": True},
        {"storage.platform": "knfsd", "workload.kind": "postgresql", "workload.static_data": False},
    ], 4),
    ids=lambda facts: ",".join(map(str, facts.values())),
)
def test_knowing_more_takes_no_failing_mount_away(facts: Mapping[str, Any]) -> None:
    assert failing() <= failing(*facts.items())


@cache
def failing(*given: tuple[str, Any]) -> set[tuple[str, int, str | None]]:
    return {
        (path.name, f.line, f.tunable) for path in FILES for f in lint(path, *given).findings
        if f.severity == "error" and f.consequence == "mount-fails"
    }


def test_what_is_ignored_is_never_more_than_a_note() -> None:
    told = {(f.rule, f.severity) for path in FILES for f in lint(path).findings if f.consequence == "ignored"}
    assert {severity for _, severity in told} == {"note"}, told
