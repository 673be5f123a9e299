"""The order of a plan, and the rows of a result."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.sweep import result
from advisor.sweep.model import Environment, Factor, Run, SweepPlan

PLAN = SweepPlan(
    "nas:/data",
    (Factor("mount.nconnect", (1, 4)), Factor("mount.soft", (False, True), control=True)),
    ((0, 0), (0, 1), (1, 0), (1, 1)),
    {"read": {"rw": "read", "size": "1g"}, "write": {"rw": "write", "size": "1g"}},
    {"mount.vers": "4.1"}, 5, 7, 2, None, (), None, "2026-11-22",
)


def run(plot: int, why: str | None = None) -> Run:
    rate = None if why else 1e8
    return Run(plot, 1, 0, False, {"mount.nconnect": 4}, "read", "read", rate, None, None, None, 30.0, None,
               "2026-11-22T20:15:00Z", "rw,nconnect=4", {"retrans": 0}, "fio", why)


@given(st.integers(0, 2**32))
def test_every_block_has_every_point_once_and_every_mount_every_job(seed: int) -> None:
    plots = PLAN._replace(seed=seed).plots()
    assert Counter((one.block, one.point) for one in plots if not one.drift) == Counter(
        (block, point) for block in range(1, 6) for point in range(4)
    )
    assert all(sorted(one.jobs) == ["read", "write"] for one in plots)
    assert [one.number for one in plots] == list(range(1, len(plots) + 1))
    assert [one.block for one in plots] == sorted(one.block for one in plots)
    assert plots == PLAN._replace(seed=seed).plots()


def test_the_blocks_have_orders_of_their_own() -> None:
    plots = PLAN.plots()
    orders = {tuple(one.point for one in plots if one.block == block and not one.drift) for block in range(1, 6)}
    assert len(orders) > 1


def test_the_first_point_comes_again_to_show_drift() -> None:
    repeated = [one for one in PLAN.plots() if one.drift]
    assert len(repeated) == 5 * 2
    assert all(one.asked == {"mount.vers": "4.1", "mount.nconnect": 1, "mount.soft": False} for one in repeated)


def test_runs_are_read_as_they_were_added(tmp_path: Path) -> None:
    assert result.runs(tmp_path) == []
    result.add_runs(tmp_path, [run(1), run(2, "nconnect=4 was asked for; in effect is 1")])
    result.add_runs(tmp_path, [run(3)])
    assert result.runs(tmp_path) == [run(1), run(2, "nconnect=4 was asked for; in effect is 1"), run(3)]


def test_a_line_that_was_cut_off_goes_and_its_run_comes_again(tmp_path: Path) -> None:
    result.add_runs(tmp_path, [run(1), run(2)])
    path = tmp_path / result.RUNS
    path.write_bytes(path.read_bytes()[:-20])
    assert result.runs(tmp_path) == [run(1)]
    result.add_runs(tmp_path, [run(2)])
    assert result.runs(tmp_path) == [run(1), run(2)]


def test_a_line_that_is_no_run_is_named(tmp_path: Path) -> None:
    (tmp_path / result.RUNS).write_text('{"plot": 1}\n')
    with pytest.raises(result.ResultError, match=r"runs\.jsonl:1:1: not a run of a sweep"):
        result.runs(tmp_path)


def test_the_environment_comes_back(tmp_path: Path) -> None:
    where = Environment("c1", "6.12.1", "2.8.2", "fio-3.33", "nas", "192.0.2.1", "2026-11-22T20:15:00Z",
                        {"client.kernel": "6.12"}, {"storage.platform": "knfsd"})
    result.save_environment(tmp_path, where)
    assert result.environment(tmp_path) == where
    (tmp_path / result.ENVIRONMENT).write_text("{}")
    with pytest.raises(result.ResultError, match=r"environment\.json: not what a sweep writes"):
        result.environment(tmp_path)
