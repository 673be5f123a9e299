"""What is in effect for a mount, compared with what is asked for."""

from __future__ import annotations

import pytest

from advisor.check.mounts import _is_equivalent, _requested_size


@pytest.mark.parametrize(("asked", "effect"), [
    (1, 4096), (1023, 4096), (1024, 1024), (1536, 1024), (4095, 2048), (4096, 4096), (5000, 4096), (1048576, 1048576),
    (2097152, 1048576),
])
def test_a_size_is_rounded_as_the_kernel_does(asked: int, effect: int) -> None:
    """kernel-observed.rsize-rounding"""
    assert _requested_size(asked) == effect
    assert _is_equivalent("mount.rsize", asked, effect)
    assert not _is_equivalent("mount.wsize", asked, effect + 1)


@pytest.mark.parametrize(("tunable", "asked", "effect", "same"), [
    ("mount.vers", "4", "4.2", True), ("mount.vers", "4.1", "4.2", False), ("mount.proto", "tcp", "tcp6", True),
    ("mount.sec", "krb5:sys", "sys", True), ("mount.sec", "krb5p", "sys", False), ("mount.timeo", 600, 600, True),
    ("mount.timeo", 600, 100, False),
])
def test_what_stands_for_several_values_is_any_of_them(tunable: str, asked: str | int, effect: str, same: bool) -> None:
    assert _is_equivalent(tunable, asked, effect) is same
