"""What documents print, in the same analysis as a sweep of one's own."""

from __future__ import annotations

import math
import re
from collections import Counter

import pytest

from advisor.rulebase.base import load
from advisor.sweep.model import EFFECT, NO_DIFFERENCE, Run
from advisor.sweep.report import SweepResult
from advisor.sweep.result import names, published_figures
from tests import needs
from tests.sweep.made_up import analyse, nothing, plan, runs

BASE = load()
BLOG = published_figures(BASE, "nfs-tuning-blog")


def shown(found: SweepResult):
    return analyse(found.plan, found.runs, timed=not found.printed)


@pytest.mark.parametrize("name", names())
def test_each_run_has_the_settings_of_its_point_and_each_document_says_what_it_cannot_prove(name):
    found = published_figures(BASE, name)
    for run in found.runs:
        assert found.plan.asked(run.point) == run.asked
        assert (run.rate is None) == (run.why is not None)
    assert len(found.limits) >= 3


def test_the_figures_of_the_blog_are_those_of_its_lines():
    """Lines of the tables, worked out by hand: 4096 MiB in 36.5489 s, and 1024 MiB in 12.7614 s."""

    def rate(direction: str, sync: bool, hard: str, size: int, mib: int) -> float:
        wanted = {"mount.sync": sync, "mount.hard": hard, "mount.rsize": size, "mount.wsize": size, "job.size_mib": mib}
        one = next(run for run in BLOG.runs if run.direction == direction and wanted.items() <= run.asked.items())
        assert one.rate is not None
        return one.rate

    assert rate("read", True, "soft", 131072, 4096) == pytest.approx(117.51e6, rel=1e-4)
    assert rate("write", True, "soft", 65536, 1024) == pytest.approx(84.14e6, rel=1e-4)
    assert Counter(run.direction for run in BLOG.runs) == {"read": 30, "write": 30}


def test_the_figures_are_those_of_the_documents():
    """Against the text of the blog, where it is at hand."""
    blog = next((needs.OTHERS / "seeds").glob("001_*.txt"), None)
    if blog is None:
        pytest.skip(needs.SHARED)
    line = re.compile(r"(read|write) (a?sync) tcp (soft|hard) (\d+) (\d+) ([\d.]+) ([\d.]+)MB/s")
    told = [
        (direction, sync == "sync", hard, int(size), int(mib), float(seconds))
        for direction, sync, hard, size, mib, seconds, _ in line.findall(blog.read_text(encoding="utf-8"))
    ]
    assert sorted(told) == sorted(
        (run.direction, run.asked["mount.sync"], run.asked["mount.hard"], run.asked["mount.rsize"],
         run.asked["job.size_mib"], run.seconds)
        for run in BLOG.runs
    )


def test_the_blog_shows_what_its_author_says_and_no_more():
    """ "A majority of settings have little affect on the speed": none of 5 % or more among the listed runs."""
    told = shown(BLOG)
    assert {(one.factor, one.direction) for one in told.effects} == {
        (factor, direction)
        for factor in ("mount.sync", "mount.rsize", "job.size_mib") for direction in ("read", "write")
    }
    assert {one.verdict for one in told.effects} == {NO_DIFFERENCE}
    assert not told.drifts


def test_means_of_larger_buffers_agree_with_the_plain_mean():
    """All twelve reads with 128 KiB are in the table, so the model's mean is the plain one."""
    plain = [math.log(run.rate) for run in BLOG.runs
             if run.rate and run.direction == "read" and run.asked["mount.rsize"] == 131072]
    assert len(plain) == 12
    mean = next(one for one in shown(BLOG).means
                if (one.factor, one.level, one.direction) == ("mount.rsize", 131072, "read"))
    assert mean.rate == pytest.approx(math.exp(sum(plain) / 12), rel=1e-5)


@pytest.mark.parametrize("name", ["dell-nss74", "anf-benchmarks"])
def test_one_figure_a_setting_tells_no_difference(name):
    told = shown(published_figures(BASE, name))
    assert (told.effects, told.interactions) == ((), ())
    assert told.untold


def test_operations_without_a_size_are_no_rate():
    told = published_figures(BASE, "dell-nss74")
    stat = next(run for run in told.runs if run.job == "stat" and run.asked["server.release"] == "NSS7.4")
    assert (stat.rate, stat.iops) == (None, 522231)
    random = next(run for run in told.runs if (run.job, run.direction) == ("random-4k", "read"))
    assert (random.asked["server.release"], random.iops, random.rate) == ("NSS7.3", 28811, 28811 * 4096)


def reversed_order(found: list[Run]) -> list[Run]:
    last = len(found)
    return [run._replace(plot=last + 1 - number) for number, run in enumerate(found, 1)]


def test_without_an_order_the_numbers_of_mounts_count_for_nothing():
    other = BLOG._replace(runs=reversed_order(list(BLOG.runs)))
    assert [one.ratio for one in shown(other).effects] == pytest.approx([one.ratio for one in shown(BLOG).effects])


def test_jobs_that_share_no_mount_are_told_each_alone():
    """As after an interruption: the mean over all jobs has no mount then."""
    told = plan()
    half = len(told.plots()) // 2
    found = [run for run in runs(told, 1, nothing) if (run.plot <= half) == (run.job == "read-1m")]
    result = analyse(told, found)
    assert {one.job for one in result.fits if one.direction == "read"} <= {"read-1m", "read-8k"}
    assert not [one for one in result.effects if one.verdict == EFFECT]
