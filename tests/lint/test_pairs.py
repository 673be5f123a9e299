"""Checks between lines, with the shipped rules."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

BASE = load()

SHARED = "nconnect-shared-transport"
IGNORED = "same-export-option-ignored"
CACHES = "same-export-separate-caches"


def found(rule: str, *lines: str, **facts: Any) -> list[Finding]:
    text = "".join(f"{line}  0 0\n" for line in lines)
    given = {name.replace("__", "."): value for name, value in facts.items()}
    return [one for one in lint_text(text, "fstab", BASE, given).findings if one.rule == rule]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=4.2,nconnect=8"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=4.2"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "NAS:/b /b nfs nfsvers=4.2,nconnect=8,nosharecache,noresvport"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs v4.2,port=2049,tcp,nconnect=8"),
        ("nas:/a /a nfs nconnect=4", "nas:/b /b nfs nconnect=8"),
        ("nas:/a /a nfs vers=4,nconnect=4", "nas:/b /b nfs vers=4,nconnect=8"),
    ],
)
def test_mounts_that_share_connections(first: str, second: str) -> None:
    (one,) = found(SHARED, first, second)
    assert one.line == 2
    assert "line 1" in one.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=4.2,nconnect=4"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=3,nconnect=8"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=4.1,nconnect=8"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas2:/b /b nfs vers=4.2,nconnect=8"),
        ("nas:/a /a nfs vers=4.2,nconnect=4", "nas:/b /b nfs vers=4.2,xprtsec=tls,nconnect=8"),
        ("nas:/a /a nfs vers=4.2", "nas:/b /b nfs vers=4.2,nconnect=1"),
    ],
)
def test_mounts_that_do_not(first: str, second: str) -> None:
    assert found(SHARED, first, second) == []


@pytest.mark.parametrize("version", ["vers=4", "hard", "vers=4,minorversion=1"])
def test_versions_that_may_differ_are_not_taken_for_equal(version: str) -> None:
    assert found(SHARED, f"nas:/a /a nfs {version},nconnect=4", "nas:/b /b nfs vers=4.2,nconnect=8") == []


def test_a_minor_version_may_be_written_in_two_ways() -> None:
    assert found(SHARED, "nas:/a /a nfs vers=4,minorversion=1,nconnect=4", "nas:/b /b nfs vers=4.1,nconnect=8")


def test_every_later_mount_is_held_against_the_first() -> None:
    lines = [f"nas:/{name} /{name} nfs vers=4.2,nconnect={n}" for name, n in (("a", 4), ("b", 8), ("c", 4), ("d", 2))]
    assert [one.line for one in found(SHARED, *lines)] == [2, 4]


@pytest.mark.parametrize("bad", ["nconnect=99", "nconect=8", "nconnect=8,vers=4.2,udp"])
def test_a_line_that_does_not_mount_shares_nothing(bad: str) -> None:
    assert found(SHARED, f"nas:/a /a nfs vers=4.2,{bad}", "nas:/b /b nfs vers=4.2,nconnect=4") == []


def test_a_port_that_the_first_mount_chose() -> None:
    (one,) = found("resvport-shared-transport", "nas:/a /a nfs vers=4.2", "nas:/b /b nfs vers=4.2,noresvport")
    assert "noresvport here" in one.message


@each(lambda: [
    ("timeo=100", IGNORED), ("retrans=5", IGNORED), ("ro", CACHES), ("soft", CACHES), ("noac", CACHES),
    ("actimeo=30", CACHES), ("acdirmax=30", CACHES), ("acdirmax=60", ""), ("rsize=65536", ""), ("sec=krb5", ""),
])
def test_one_export_mounted_twice(second: str, rule: str) -> None:
    """What the server decides where a line says nothing (rsize, sec) may be equal or not: no finding."""
    lines = ("nas:/a /a nfs vers=4.2", f"nas:/a/ /b nfs vers=4.2,{second}")
    assert [len(found(name, *lines)) for name in (IGNORED, CACHES)] == [int(rule == IGNORED), int(rule == CACHES)]


def test_different_values_in_one_message() -> None:
    (one,) = found(CACHES, "nas:/a /a nfs vers=4.2", "nas:/a /b nfs vers=4.2,soft,ro")
    assert one.message.startswith("ro, soft here and rw, hard (the defaults) in line 1:")
    (one,) = found(CACHES, "nas:/a /a nfs vers=4.2,noac", "nas:/a /b nfs vers=4.2")
    assert one.message.startswith("ac (the default) here and noac in line 1:")
    (one,) = found(CACHES, "nas:/a /a nfs vers=4.2", "nas:/a /b nfs vers=4.2,actimeo=5")
    assert one.message.startswith("actimeo=5 here and the defaults in line 1:")


def test_another_export_or_cache_is_no_second_mount() -> None:
    assert found(IGNORED, "nas:/a /a nfs timeo=100", "nas:/b /b nfs timeo=600") == []
    assert found(IGNORED, "nas:/a /a nfs timeo=100,nosharecache", "nas:/a /b nfs nosharecache") == []
    assert found("nosharecache-two-caches", "nas:/a /a nfs timeo=100,nosharecache", "nas:/a /b nfs nosharecache")


AZURE = ("a.file.core.windows.net:/a/x /x aznfs vers=4.1,_netdev", "a.file.core.windows.net:/a/y /y nfs vers=4.1")


def test_a_pair_needs_its_condition_on_both_lines() -> None:
    assert found("azure-files-plain-beside-tls", *AZURE)
    plain = tuple(line.replace("a.file.core.windows.net", "10.0.0.4") for line in AZURE)
    assert found("azure-files-plain-beside-tls", *plain) == []
    assert found("azure-files-plain-beside-tls", *plain, storage__platform="azure-files")


def test_targets() -> None:
    (double,) = found("fstab-duplicate-target", "nas:/a /data nfs hard", "nas:/b /data/ nfs hard")
    assert (double.line, double.value) == (2, "/data")
    assert found("fstab-duplicate-target", "/dev/sda1 /data ext4 defaults", "nas:/a /data nfs hard")
    assert found("fstab-duplicate-target", "/dev/sda1 /data ext4 defaults", "/dev/sda2 /data ext4 defaults") == []
    (local,) = found("fstab-duplicate-target", "nas:/a /data nfs hard", "/dev/sda1 /data ext4 defaults")
    assert (local.line, local.value) == (2, "/data"), "a local mount hides the NFS mount before it"
    (late,) = found("fstab-target-order", "nas:/a /data/a nfs hard", "/dev/sda1 /data/ ext4 defaults")
    assert (late.line, late.message) == (1, "/data/a is below /data, which is not mounted until line 2")
    (above,) = found("fstab-target-order", "/dev/sda1 /data/a ext4 defaults", "nas:/a /data nfs hard")
    assert above.line == 1, "the parent is the NFS mount"
    assert found("fstab-target-order", "/dev/sda1 /data/a ext4 defaults", "/dev/sda2 /data ext4 defaults") == []
    assert found("fstab-target-order", "/dev/sda1 /data ext4 defaults", "nas:/a /data/a nfs hard") == []
    assert found("fstab-target-order", "nas:/a /data nfs hard", "nas:/b /database nfs hard") == []


PORTS = "reserved-ports-run-out"


def servers(count: int, options: str, start: int = 1) -> list[str]:
    return [f"nas{number}:/a /{number} nfs {options}" for number in range(start, start + count)]


def test_reserved_ports_are_counted_once_a_server() -> None:
    (one,) = found(PORTS, *servers(30, "nconnect=16"))
    assert (one.line, one.tunable) == (23, "mount.nconnect")
    assert "30 servers need 480 connections" in one.message
    assert found(PORTS, *servers(22, "nconnect=16"), *servers(22, "nconnect=16")) == []


def test_a_line_without_nconnect_takes_one_reserved_port() -> None:
    (one,) = found(PORTS, *servers(360, "vers=4.2"))
    assert one.line == 360
    assert found(PORTS, *servers(359, "vers=4.2")) == []


def test_of_two_lines_of_one_server_the_smaller_number_is_sure() -> None:
    assert found(PORTS, *servers(30, "nconnect=16"), *servers(30, "vers=4.2")) == []


def test_the_mount_point_tells_lines_apart_that_are_alike_in_all_else() -> None:
    lines = ("nas:/a /a nfs vers=3", "nas:/var /var nfs vers=3", "nas:/b /b nfs vers=3")
    assert [one.line for one in found("var-needs-nolock", *lines)] == [2]


def test_sizes_of_one_line_are_compared_where_the_vendor_asks_for_it() -> None:
    line = "10.0.0.4:/v /v nfs vers=4.1,rsize=65536,wsize=262144"
    assert len(found("anf-sizes-differ", line, storage__platform="anf")) == 1
    assert found("anf-sizes-differ", line) == []


def test_another_version_is_another_cache_only_where_it_is_sure() -> None:
    assert found(CACHES, "nas:/a /a nfs vers=4.2", "nas:/a /b nfs vers=3")
    assert found(CACHES, "nas:/a /a nfs vers=4.2", "nas:/a /b nfs vers=4") == []
    assert found(CACHES, "nas:/a /a nfs vers=4.2", "nas:/a /b nfs") == []


def test_the_port_of_nfsv3_is_not_known_where_it_is_not_written() -> None:
    assert found(SHARED, "nas:/a /a nfs vers=3,port=2049,nconnect=4", "nas:/b /b nfs vers=3,nconnect=8") == []


def test_what_has_no_effect_makes_no_difference() -> None:
    first = "nas:/a /a nfs vers=4.2,timeo=100"
    assert found(IGNORED, first, "nas:/a /b nfs vers=4.2,timeo=600,nolock,noacl")


@pytest.mark.parametrize(("options", "early"), [
    ("bind", True), ("bind,ro", True), ("bind,nofail", False), ("bind,ro,_netdev", False), ("noauto,bind", False),
])
def test_one_option_is_enough_for_a_bound_directory_to_wait(options: str, early: bool) -> None:
    """systemd-fstab-generator asks for no more; tests/lint/test_order_at_boot.py asks it."""
    lines = ("nas:/a /a nfs hard", f"/a/x /x none {options}")
    assert [one.line for one in found("bound-before-nfs", *lines)] == [2] * early
