"""A line that leaves the version open comes out as mount.nfs leaves it: with the first version that is not refused."""

from __future__ import annotations

import pytest

from tests.kernel.judge import fails, problems, read
from tests.kernel.random_lists import option_lists

TRIED = ("4.2", "4.1", "4.0", "3")
DECIDES_ITSELF = ("minorversion", "mountvers")
"""Options that mean something else where the version is left open."""
SOURCE, KERNEL = "127.0.0.1:/x", "6.12.117"


def lists(seed: str, count: int) -> list[str]:
    return [one for one in option_lists(seed, count, versions=False) if not any(w in one for w in DECIDES_ITSELF)]


@pytest.mark.parametrize("seed", ["first", "second"])
def test_a_line_fails_where_it_fails_with_every_version(seed: str) -> None:
    chosen = lists(seed, 400)
    alone = {one: fails(one, "nfs", SOURCE, KERNEL) for one in chosen}
    named = {one: all(fails(f"vers={v},{one}", "nfs", SOURCE, KERNEL) for v in TRIED) for one in chosen}
    assert alone == named
    assert 50 < sum(alone.values()) < len(chosen) - 50


def test_what_comes_out_is_the_first_version_that_is_not_refused() -> None:
    lowered = 0
    for one in lists("third", 600):
        line = read(one, "nfs", SOURCE)
        if line.refusal is not None:
            continue
        first = next(v for v in TRIED if read(f"vers={v},{one}", "nfs", SOURCE).refusal is None)
        came = line.value("mount.vers")
        assert came == (None if first == TRIED[0] else first), one
        lowered += came is not None
    assert lowered > 10


def test_the_option_that_lowers_the_version_is_named() -> None:
    found = problems("rw,hard,migration,nconnect=2", "nfs", SOURCE, KERNEL)
    (told,) = (problem for problem in found if problem.kind == "presumed-setting")
    assert (told.text, told.tunable, told.value) == ("migration", "mount.vers", "4.0")
