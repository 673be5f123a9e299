"""What is in effect for a mount, compared with what is asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import mounts
from advisor.check.check_host import host_findings
from advisor.check.mounts import _is_equivalent, _reasons
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each
from tests.host import trees


@each(lambda: [
    (1, 4096), (1023, 4096), (1024, 1024), (1536, 1024), (4095, 2048), (4096, 4096), (5000, 4096), (1048576, 1048576),
    (2097152, 1048576),
])
def test_a_size_is_rounded_as_the_kernel_does(asked: int, effect: int) -> None:
    """kernel-observed.rsize-rounding"""
    rsize, wsize = load().tunables["mount.rsize"], load().tunables["mount.wsize"]
    assert _is_equivalent(rsize, asked, effect)
    assert not _is_equivalent(wsize, asked, effect + 1)
    assert [why for why, _ in _reasons(rsize, asked, effect, {})] == ["otherwise"]
    assert [why for why, _ in _reasons(rsize, asked, effect - 1, {})] == ["size-reduced", "otherwise"]


@each(lambda: [
    ("mount.vers", "4", "4.2", True), ("mount.vers", "4.1", "4.2", False), ("mount.proto", "tcp", "tcp6", True),
    ("mount.sec", "krb5:sys", "sys", True), ("mount.sec", "krb5p", "sys", False), ("mount.timeo", 600, 600, True),
    ("mount.timeo", 600, 100, False), ("mount.timeo", 7000, 6000, True), ("mount.rsize", 0, 1048576, True),
])
def test_what_stands_for_several_values_is_any_of_them(tunable: str, asked: str | int, effect: str, same: bool) -> None:
    assert _is_equivalent(load().tunables[tunable], asked, effect) is same


@pytest.mark.parametrize(("line", "at_boot"), [
    ("nas:/a /a nfs hard 0 0", True), ("nas:/a /a nfs hard,noauto 0 0", False),
    ("{{ nas }}:/a /a nfs hard 0 0", None), ("nas:/a {{ place }} nfs hard 0 0", None),
    ("nas:/a /{{ place }} nfs hard 0 0", None),
])
def test_what_a_template_fills_in_asks_for_no_mount(line: str, at_boot: bool | None) -> None:
    result = lint_text(f"{line}\n", "/etc/fstab", load(), {})
    text = SimpleNamespace(name="/etc/fstab", text=f"{line}\n", host_file=SimpleNamespace(kind="fstab"))
    host: Any = SimpleNamespace(texts=lambda kind: [text] if kind == "fstab" else [], results={"/etc/fstab": result})
    found = [(mount.target, mount.at_boot) for mount in mounts._wanted_mounts(host)]
    assert found == ([] if at_boot is None else [("/a", at_boot)])


def test_what_is_reported_at_the_line_is_not_at_the_mount_that_comes_of_it() -> None:
    mounts_now = trees.nfs("nas:/a", "/a") + trees.nfs("nas:/b", "/b", device="0:53", number=61)
    files = {
        **trees.COMMON, "/etc/fstab": "nas:/a /a nfs soft 0 0\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + mounts_now.replace(",hard,", ",soft,"),
    }
    found = sorted(one for one in host_findings(load(), files, {}) if one.tunable == "mount.hard")
    assert [(one.file, one.line) for one in found] == [("/etc/fstab", 1), ("/proc/self/mountinfo", 4)]
    assert len({one.rule for one in found}) == 1
