"""`advisor sweep plan`: what is measured, what it takes, and what is refused."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from statistics import NormalDist, mean

import pytest

from advisor.cli import main
from advisor.rulebase.base import load
from advisor.sweep import design, jobs
from advisor.sweep.design import DesignError, points
from advisor.sweep.model import Factor, SweepPlan
from advisor.sweep.plan_file import read
from tests import needs

BASE = load()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def plan(*words: str) -> SweepPlan:
    assert main(["sweep", "plan", "nas:/data", "--no-config", *words]) == 0
    return read("sweep.yaml", BASE.tunables)[0]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["sweep", "plan", "nas:/data", "--no-config", *words]) == 2
    assert not Path("sweep.yaml").exists()
    return capsys.readouterr().err


def test_the_default_is_the_design_of_the_blog(capsys: pytest.CaptureFixture[str]) -> None:
    made = plan()
    assert {one.tunable: one.levels for one in made.factors} == {
        "mount.sync": (False, True), "mount.hard": ("hard", "soft"),
        "mount.rsize": (16384, 32768, 65536, 131072), "mount.wsize": (16384, 32768, 65536, 131072),
    }
    assert [one.tunable for one in made.factors if one.control] == ["mount.hard"]
    assert len(made.points) == 2 * 2 * 4
    assert all(made.asked(at)["mount.rsize"] == made.asked(at)["mount.wsize"] for at in range(16))
    assert {(job["rw"], job["size"]) for job in made.jobs.values()} == {
        (way, size) for way in ("read", "write") for size in ("1g", "2g", "4g")
    }
    assert [one.tunable for one in made.without_tied_factors().factors] == ["mount.sync", "mount.hard", "mount.rsize"]
    assert len(set(made.without_tied_factors().points)) == 16
    said = capsys.readouterr().out
    assert "mounts     90" in said
    assert "jobs       540" in said
    assert "637 GiB" in said  # 90 times 7 GiB, and 7 GiB of files to read


def test_ipv6_gets_its_own_transport() -> None:
    assert main(["sweep", "plan", "[2001:db8::1]:/data", "--no-config"]) == 0
    assert read("sweep.yaml", BASE.tunables)[0].fixed["mount.proto"] == "tcp6"


def test_factors_are_typed_as_their_settings() -> None:
    made = plan("--factor", "mount.nconnect=1,4", "--factor", "mount.vers=3,4.1", "--factor", "mount.sync=async,sync",
                "--set", "storage.platform=anf", "--own-network", "ipvlan,eth0,192.0.2.9/24", "--seed", "7")
    assert [one.levels for one in made.factors] == [(1, 4), ("3", "4.1"), (False, True)]
    assert made.server_says == {"storage.platform": "anf"}
    assert made.own is not None
    assert made.own.parent == "eth0"
    assert made.seed == 7


@pytest.mark.parametrize(("words", "says"), [
    (["--repeat", "4"], "--repeat 5 or more"),
    (["--factor", "mount.nconnect=1,17"], "mount.nconnect"),
    (["--factor", "mount.nconect=1,2"], "did you mean mount.nconnect?"),
    (["--factor", "mount.nconnect=4"], "two or more values"),
    (["--factor", "mount.nconnect=4,4"], "repeated"),
    (["--factor", "mount.rsize=5000,65536"], "would not be in effect"),
    (["--factor", "mount.proto=tcp,udp", "--factor", "mount.vers=3,4.1"], "the client would not mount with"),
    (["--factor", "mount.sync=sync,async", "--factor", "mount.sync=sync,async"], "is a factor already"),
    (["--job", "fio-8k-randm"], "did you mean fio-8k-random?"),
    (["--job", "mdtest-metadata"], "no job has this name"),
    (["--budget", "soon"], "90m"),
    (["--budget", "30m"], "fit the budget"),
    (["--set", "storage.platfrm=anf"], "storage.platform"),
    (["--own-network", "eth0"], "LINK,PARENT,ADDRESS"),
    (["--own-network", "tun,eth0,192.0.2.9/24"], "ipvlan"),
])
def test_what_cannot_be_planned_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert says in refused(capsys, *words)


@pytest.mark.parametrize(("words", "says"), [
    (["nas"], "nas: write SERVER:/PATH"), (["nas:data"], "write SERVER:/PATH"),
    (["nas:/data", "-o", "none/plan.yaml"], "none/plan.yaml: no such folder"),
])
def test_what_is_to_be_mounted_and_written_must_make_sense(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", "plan", "--no-config", *words]) == 2
    assert says in capsys.readouterr().err


def test_a_plan_that_is_there_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sweep.yaml").write_text("mine")
    assert main(["sweep", "plan", "nas:/data", "--no-config"]) == 2
    assert "already exists" in capsys.readouterr().err
    assert Path("sweep.yaml").read_text() == "mine"


TWO = [(Factor(f"mount.x{at}", (False, True)),) for at in range(7)]


@pytest.mark.parametrize(("count", "most", "resolution", "rows"), [(3, 4, 3, 4), (5, 16, 5, 16), (7, 8, 3, 8),
                                                                 (7, 16, 4, 16), (7, 128, None, 128)])
def test_a_fraction_is_balanced_and_says_what_it_mixes(
    count: int, most: int, resolution: int | None, rows: int
) -> None:
    needs.package("pydoe", "sweep")
    found = points(TWO[:count], most)
    assert found.resolution == resolution
    assert len(set(found.points)) == rows
    for at in range(count):
        assert sum(point[at] for point in found.points) * 2 == rows
    mains = {one[0].tunable for one in TWO}
    for alias in found.aliases:
        same = alias.split(" = ")
        assert sum(name in mains for name in same) <= 1  # no two main effects
        assert resolution is None or resolution < 5
        assert resolution == 3 or not mains & set(same)
    if resolution == 3 and count == 3:
        # In each row of a half of three factors the third is at its upper level where the two others agree or differ.
        assert found.aliases == ("mount.x0 = mount.x1 × mount.x2", "mount.x1 = mount.x0 × mount.x2",
                                 "mount.x2 = mount.x0 × mount.x1")


def test_factors_of_more_levels_are_measured_whole_beside_a_fraction() -> None:
    needs.package("pydoe", "sweep")
    many = (Factor("mount.rsize", (1, 2, 3)), Factor("mount.wsize", (1, 2, 3)))
    found = points([*TWO[:3], many], 12)
    assert len(set(found.points)) == 12
    assert all(point[3] == point[4] for point in found.points)
    with pytest.raises(DesignError, match=r"mount\.rsize"):
        points([*TWO[:3], many], 11)


def test_the_smallest_effect_is_found_as_often_as_it_says() -> None:
    """On the formula's own assumptions: normal noise, and a test of one difference at α / comparisons."""
    mounts, levels, blocks, comparisons, noise = 80, 2, 5, 12, 0.04
    effect = math.log1p(design.smallest_effect(mounts, levels, blocks, comparisons, noise))
    chance = random.Random(1)
    limit = NormalDist().inv_cdf(1 - design.ALPHA / 2 / comparisons)
    found = 0
    for _ in range(4000):
        low = mean(chance.gauss(0, noise) for _ in range(mounts // levels))
        high = mean(chance.gauss(effect, noise) for _ in range(mounts // levels))
        found += abs(high - low) / (noise * math.sqrt(2 * levels / mounts)) > limit
    assert 0.78 < found / 4000 < 0.88  # noise that must be estimated costs a little, so it is above 0.8 here


def test_more_runs_find_smaller_effects() -> None:
    seen = [design.smallest_effect(mounts, 2, 5, 10, 0.04) for mounts in (20, 40, 80, 400)]
    assert seen == sorted(seen, reverse=True)
    assert design.smallest_effect(80, 2, 5, 100, 0.04) > design.smallest_effect(80, 2, 5, 1, 0.04)
    assert design.smallest_effect(80, 2, 5, 10, 0.08) > 2 * design.smallest_effect(80, 2, 5, 10, 0.04)


FIO = """; a comment
[global]
bs=8k
directory=/mnt
size=64m

[one]
rw=randread
time_based
runtime=20
[two]
rw=write
"""


def test_a_job_file_of_fio_is_read() -> None:
    Path("jobs.fio").write_text(FIO)
    assert plan("--fio", "jobs.fio", "--factor", "mount.nconnect=1,4").jobs == {
        "one": {"bs": "8k", "size": "64m", "rw": "randread", "time_based": "1", "runtime": "20"},
        "two": {"bs": "8k", "size": "64m", "rw": "write"},
    }


@pytest.mark.parametrize(("old", "new", "says"), [
    ("[one]", "[one", "jobs.fio:7:1: the name of a job"),
    ("bs=8k", "  iodept=8", "jobs.fio:3:3: iodept: a sweep does not pass this on to fio; did you mean iodepth?"),
    ("[two]", "[one]", "jobs.fio:11:1: [one] is there already, in line 7"),
    ("[global]\n", "", "jobs.fio:2:1: bs=8k: comes before the first"),
    ("bs=8k", "bs=${BS}", "jobs.fio:3:1: bs=${BS}: variables"),
    ("size=64m\n", "", "jobs.fio:6:1: size is needed"),
    ("rw=write", "exec_prerun=reboot", "jobs.fio:12:1: exec_prerun"),
    (FIO[FIO.index("[one]"):], "", "contains no job"),
])
def test_a_mistake_in_a_job_file_is_told_where_it_is(
    old: str, new: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in FIO
    Path("jobs.fio").write_text(FIO.replace(old, new))
    assert says in refused(capsys, "--fio", "jobs.fio")


@pytest.mark.parametrize("name", sorted(name for name, one in BASE.recipes.items() if one.tool == "fio"))
def test_each_recipe_of_fio_makes_jobs(name: str) -> None:
    made = jobs.jobs_of_recipe(BASE.recipes, name)
    assert len(made) == max(1, len(BASE.recipes[name].runs))
    assert not any("{" in value for job in made.values() for value in job.values())


def test_around_the_advice_the_advised_value_comes_first() -> None:
    """Azure Files: 4 connections advised, and more than that may saturate the path."""
    found = design.around_advice(BASE, {"storage.platform": "azure-files", "client.has_nconnect": True})
    levels = {one.tunable: one.levels for column in found.columns for one in column}
    assert levels["mount.nconnect"][0] == 4
    assert len(levels["mount.nconnect"]) > 1
    assert not levels.keys() & found.fixed.keys()
    for name in levels:
        assert re.match(r"mount\.|bdi\.|sysctl\.sunrpc\.|module\.", name)
