"""What is known to be true of made-up sweeps is found, and nothing else; how often: benchmarks/sweep_coverage.py."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.sweep.model import CANNOT_TELL, EFFECT, NO_DIFFERENCE, LevelEffect
from tests import needs
from tests.sweep.made_up import FACTORS, analyse, nothing, plan, runs, some
from tests.tiers import thorough


def found(effects: tuple[LevelEffect, ...], factor: str, level: object, job: str) -> LevelEffect:
    return next(one for one in effects if (one.factor, one.level, one.job) == (factor, level, job))


def test_the_effects_that_there_are_and_no_others() -> None:
    shown = analyse(plan(), runs(plan(), 1, some))
    for job in ("read-1m", "read-8k", "write-1m"):
        assert found(shown.effects, "mount.nconnect", 4, job).verdict == EFFECT
        assert found(shown.effects, "mount.nconnect", 8, job).ratio == pytest.approx(math.exp(0.3), abs=0.06)
        assert found(shown.effects, "mount.vers", "4.1", job).verdict == NO_DIFFERENCE
    assert found(shown.effects, "mount.rsize", 1048576, "read-1m").verdict == EFFECT
    assert found(shown.effects, "mount.rsize", 1048576, "write-1m").verdict == NO_DIFFERENCE
    assert {one.verdict for one in shown.control} == {NO_DIFFERENCE}
    assert all(one.holm >= 0.05 for one in shown.interactions)


def test_jobs_on_one_mount_are_not_so_many_trials() -> None:
    """With luck of the mount alone, a mean over two jobs is as uncertain as either: their agreement proves nothing."""
    shown = analyse(plan(), runs(plan(), 2, nothing, noise=1e-6, of_mounts=0.1))
    each = found(shown.effects, "mount.vers", "4.1", "read-1m")
    both = found(shown.effects, "mount.vers", "4.1", "")
    assert both.high / both.low == pytest.approx(each.high / each.low, rel=1e-3)


def test_an_effect_that_depends_on_another_factor() -> None:
    def only_together(levels: tuple[int, ...], direction: str) -> float:
        return 0.3 if levels[0] and levels[1] == 2 else 0.0

    shown = analyse(plan(), runs(plan(), 3, only_together))
    certain = {one.factors for one in shown.interactions if one.holm < 0.05}
    assert certain == {("mount.vers", "mount.nconnect")}
    cells = next(one.cells for one in shown.interactions if one.factors == ("mount.vers", "mount.nconnect"))
    rates = {cell.levels: cell.rate for cell in cells}
    assert rates["4.1", 8] / rates["3", 8] == pytest.approx(math.exp(0.3), rel=0.06)
    assert rates["4.1", 1] / rates["3", 1] == pytest.approx(1, rel=0.06)


def test_drift_is_shown_and_does_not_pass_for_an_effect() -> None:
    shown = analyse(plan(), runs(plan(), 4, nothing, drift=1.0))
    assert all(one.low <= math.e <= one.high and one.low > 1 for one in shown.drifts)
    assert {one.verdict for one in shown.effects} == {NO_DIFFERENCE}


def test_few_blocks_with_much_noise_cannot_tell_and_say_what_they_could_have_told() -> None:
    shown = analyse(plan(1), runs(plan(1), 5, nothing, noise=0.5))
    one = found(shown.effects, "mount.vers", "4.1", "write-1m")
    assert (one.verdict, one.detectable > 0.5) == (CANNOT_TELL, True)


def test_runs_without_data_are_counted_and_change_nothing_else() -> None:
    whole = runs(plan(), 6, some)
    lost = [run._replace(rate=None, why="nconnect=4 was asked for; in effect is 1") if run.plot == 7 else run
            for run in whole]
    shown = analyse(plan(), lost)
    assert [(one.plot, one.why) for one in shown.no_data] == [(7, "nconnect=4 was asked for; in effect is 1")] * 3
    assert [one.verdict for one in shown.effects] == [one.verdict for one in analyse(plan(), whole).effects]


def test_with_too_few_runs_it_says_so() -> None:
    shown = analyse(plan(), runs(plan(), 7, some)[:9])
    assert shown.effects == ()
    assert any("too few mounts to distinguish the effects" in one for one in shown.untold)
    assert analyse(plan(), []).untold == ()


def test_a_level_that_never_ran_is_named() -> None:
    without = [run for run in runs(plan(), 8, some) if plan().points[run.point][1] != 2]
    shown = analyse(plan(), without)
    assert "mount.nconnect=8 against 1" in shown.untold
    assert found(shown.effects, "mount.nconnect", 4, "write-1m").verdict == EFFECT


@thorough
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.floats(1e-3, 1e3))
def test_the_order_of_rows_and_the_unit_do_not_matter(seed: int, unit: float) -> None:
    told = runs(plan(), seed, some)
    other = [run._replace(rate=run.rate * unit) for run in told if run.rate]
    random.Random(seed).shuffle(other)
    one, two = analyse(plan(), told), analyse(plan(), other)
    key = sorted([(e.factor, str(e.level), e.job, e.verdict) for e in one.effects])
    assert key == sorted([(e.factor, str(e.level), e.job, e.verdict) for e in two.effects])
    mine = found(one.effects, "mount.nconnect", 4, "read-8k")
    theirs = found(two.effects, "mount.nconnect", 4, "read-8k")
    assert theirs.ratio == pytest.approx(mine.ratio)
    assert theirs.low == pytest.approx(mine.low)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_correction_never_makes_anything_more_certain_and_keeps_the_order(chances: list[float]) -> None:
    needs.package("scipy", "sweep")
    from advisor.sweep.analysis import holm

    corrected = holm(chances)
    assert all(1 >= new >= old for new, old in zip(corrected, chances))
    for one, new in zip(chances, corrected):
        assert all(new <= later for other, later in zip(chances, corrected) if other > one)


def test_holm_by_hand() -> None:
    needs.package("scipy", "sweep")
    from advisor.sweep.analysis import holm

    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize(("corrected", "within", "said"), [
    (0.01, 0.5, EFFECT), (0.01, 0.01, NO_DIFFERENCE), (0.5, 0.01, NO_DIFFERENCE), (0.5, 0.5, CANNOT_TELL),
])
def test_what_is_said(corrected: float, within: float, said: str) -> None:
    needs.package("scipy", "sweep")
    from advisor.sweep.analysis import verdict

    assert verdict(corrected, within) == said


def test_an_effect_of_the_control_counts_however_small_it_is() -> None:
    def hardly(levels: tuple[int, ...], direction: str) -> float:
        return 0.02 if levels[3] else 0.0

    shown = analyse(plan(), runs(plan(), 10, hardly, noise=0.002, of_mounts=0.002))
    assert {one.verdict for one in shown.control} == {EFFECT}


def test_the_control_is_marked() -> None:
    assert [one.tunable for one in FACTORS if one.control] == ["mount.hard"]
    assert {one.factor for one in analyse(plan(), runs(plan(), 9, some)).control} == {"mount.hard"}
