"""`advisor sweep adopt`: from runs to rules of a site, which hold where and as long as they should."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.cli import main
from advisor.rulebase.base import load
from advisor.rulebase.rule_files import expired
from advisor.sweep import adopt, plan_file, result
from advisor.sweep.model import Environment, Factor, SweepPlan
from tests import needs
from tests.sweep import made_up
from tests.tiers import thorough

pytestmark = thorough

needs.package("scipy", "sweep")
JOBS = {
    "read-1m": {"rw": "read", "size": "1g"}, "read-8k": {"rw": "read", "size": "1g"},
    "write-1m": {"rw": "write", "size": "1g"},
}
PLAN = made_up.plan()._replace(
    export="nas:/data/home", jobs=JOBS, fixed={"mount.proto": "tcp"}, server_says={"storage.platform": "knfsd"}
)
WHERE = Environment("elsewhere", "6.1.0-18-amd64", "2.6.2", "fio-3.33", "nas:/data", "192.0.2.1",
                    "2026-11-22T20:15:00Z", {}, PLAN.server_says)
HERE = ("--set", "storage.platform=knfsd", "--set", "client.kernel=6.1.5")
Truth = Callable[[tuple[int, ...], str], float]


def kept(folder: Path, truth: Truth = made_up.some, plan: SweepPlan = PLAN, where: Environment = WHERE) -> str:
    folder.mkdir()
    (folder / result.PLAN).write_text(plan_file.to_yaml(plan))
    result.save_environment(folder, where._replace(server_says=plan.server_says))
    result.add_runs(folder, made_up.runs(plan, 1, truth))
    return str(folder)


def advised(capsys: pytest.CaptureFixture[str], rules: Path, *facts: str) -> str:
    capsys.readouterr()
    assert main(["recommend", "--rules", str(rules), *facts]) == 0
    return capsys.readouterr().out


class Adopted(NamedTuple):
    """A result, the folder of rules into which it was adopted, and what the command said."""

    result: str
    rules: Path
    said: str


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    """Not to be changed."""
    folder = tmp_path_factory.mktemp("adopted")
    measured, rules = kept(folder / "result"), folder / "rules"
    with redirect_stdout(StringIO()) as said:
        assert main(["sweep", "adopt", measured, "--into", str(rules), "--until", "2999-01-01"]) == 0
    return Adopted(measured, rules, said.getvalue())


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_what_was_measured_becomes_advice_here_and_nowhere_else(
    adopted: Adopted, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "not adopted: mount.vers: the runs show no effect of it" in adopted.said
    assert "mount.hard" not in adopted.said  # a control is not for adopting
    assert main(["rules", "verify", "--rules", str(adopted.rules)]) == 0
    # made_up.some: eight connections multiply the rate by e^0.3 = 1.35
    here = " ".join(advised(capsys, adopted.rules, *HERE).split())
    assert re.search(r"nconnect=8 should Measured here, 2026-11-22, 5 blocks, \+3[2-8] % ± \d %", here)
    assert "rsize=1048576 should Measured here" in here
    assert "writing (write-1m) with nconnect=8 against nconnect=1" in here
    for facts in (("--set", "storage.platform=knfsd", "--set", "client.kernel=6.12"),
                  ("--set", "storage.platform=anf", "--set", "client.kernel=6.1.5")):
        assert "Measured here" not in advised(capsys, adopted.rules, *facts)


def test_removing_a_result_leaves_nothing_of_it(adopted: Adopted, tmp_path: Path) -> None:
    rules = shutil.copytree(adopted.rules, tmp_path / "rules")
    assert main(["sweep", "adopt", adopted.result, "--into", str(rules), "--remove"]) == 0
    assert list(rules.iterdir()) == []


def test_removing_a_result_keeps_those_of_exports_whose_names_begin_alike(adopted: Adopted, tmp_path: Path) -> None:
    above = PLAN._replace(export="nas:/data")
    rules, result_above = shutil.copytree(adopted.rules, tmp_path / "rules"), kept(tmp_path / "above", plan=above)
    assert main(["sweep", "adopt", result_above, "--into", str(rules), "--until", "2999-01-01", "--remove"]) == 2
    (rules / f"{adopt.source_name(above, WHERE)}.yaml").write_text("of the result above")
    assert main(["sweep", "adopt", result_above, "--into", str(rules), "--remove"]) == 0
    assert texts(rules) == texts(adopted.rules)


def test_exports_that_are_spelled_alike_are_two_sources() -> None:
    plans = [PLAN._replace(export=export) for export in ("nas:/data/a", "nas:/data-a")]
    assert len({adopt.source_name(plan, WHERE) for plan in plans}) == 2
    later = WHERE._replace(started="2026-11-22T21:15:00Z")
    assert adopt.source_name(PLAN, later) != adopt.source_name(PLAN, WHERE) == adopt.source_name(PLAN, WHERE)


def test_a_second_result_that_says_otherwise_waits_until_the_first_is_removed(
    adopted: Adopted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def four_is_best(levels: tuple[int, ...], direction: str) -> float:
        return (0.0, 0.3, 0.1)[levels[1]]

    later = WHERE._replace(started="2026-11-23T20:15:00Z")
    rules = shutil.copytree(adopted.rules, tmp_path / "rules")
    second = kept(tmp_path / "second", four_is_best, where=later)
    into = ["--into", str(rules), "--until", "2999-01-01"]
    assert main(["sweep", "adopt", second, *into]) == 2
    said = capsys.readouterr().err
    assert "they say 4 and 8" in said or "they say 8 and 4" in said
    assert "--remove" in said
    assert texts(rules) == texts(adopted.rules)
    assert main(["sweep", "adopt", adopted.result, *into, "--remove"]) == 0
    assert main(["sweep", "adopt", second, *into]) == 0
    assert "nconnect=4" in advised(capsys, rules, *HERE)


def test_a_rule_that_must_be_obeyed_is_not_beaten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A volume that is exported over NFSv4.1 alone has to be mounted so, however fast NFSv3 was on another."""
    def slower(levels: tuple[int, ...], direction: str) -> float:
        return -0.3 * levels[0]

    plan = PLAN._replace(server_says={"storage.platform": "anf"})
    found, rules = kept(tmp_path / "result", slower, plan), tmp_path / "rules"
    assert main(["sweep", "adopt", found, "--into", str(rules), "--until", "2999-01-01"]) == 0
    here = ("--set", "storage.platform=anf", "--set", "client.kernel=6.1.5", "--set")
    assert "vers=3 " in advised(capsys, rules, *here, "storage.volume_protocol=3")
    there = advised(capsys, rules, *here, "storage.volume_protocol=4.1")
    assert "vers=4.1 " in there
    assert "vers=3" not in there


def test_soft_is_not_adopted_for_its_speed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = PLAN._replace(factors=(*PLAN.factors[:3], PLAN.factors[3]._replace(control=False)))
    found = kept(tmp_path / "result", control, plan)
    assert main(["sweep", "adopt", found, "--into", str(tmp_path / "rules")]) == 2
    assert "not adopted: mount.hard: speed does not decide; it must be hard" in capsys.readouterr().out


def test_what_must_be_otherwise_is_not_adopted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = kept(tmp_path / "result", plan=PLAN._replace(server_says={"storage.platform": "aws-efs"}))
    assert main(["sweep", "adopt", found, "--into", str(tmp_path / "rules"), "--until", "2999-01-01"]) == 0
    assert "not adopted: mount.nconnect: speed does not decide; it must be left out" in capsys.readouterr().out
    assert not list((tmp_path / "rules").glob("*nconnect*"))


def test_rules_that_held_until_yesterday_are_left_out(
    adopted: Adopted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = shutil.copytree(adopted.rules, tmp_path / "rules")
    for file in rules.iterdir():
        file.write_text(file.read_text().replace("until: 2999-01-01", "until: 2020-01-01"))
    capsys.readouterr()
    assert main(["recommend", "--rules", str(rules), *HERE]) == 0
    told = capsys.readouterr()
    assert "Measured here" not in told.out
    assert "mount-nconnect.yaml: valid until 2020-01-01, so it is left out" in told.err


def test_the_last_day_still_counts() -> None:
    files = {"a.yaml": b"until: 2026-11-22\n", "b.yaml": b"until: '2026-11-21'\n", "c.yaml": b"x: until: 2020-01-01\n"}
    assert expired(files, "2026-11-22") == {"b.yaml": "2026-11-21"}


def test_a_day_that_is_none_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "until: soon\nsource: site\ntitle: t\npublisher: p\nlanguage: en\ngrade: report\n"
    (tmp_path / "site.yaml").write_text(text)
    assert main(["rules", "verify", "--rules", str(tmp_path)]) == 1
    assert "site.yaml:1:8: " in capsys.readouterr().out


def control(levels: tuple[int, ...], direction: str) -> float:
    """soft is faster than hard: something is wrong with the measurement."""
    return 0.3 * levels[3]


def both_ways(levels: tuple[int, ...], direction: str) -> float:
    """More connections read faster and write slower."""
    return (0.2 if direction == "read" else -0.2) * levels[1]


@pytest.mark.parametrize(("truth", "says"), [
    (control, "mount.hard must show no effect"),
    (both_ways, "nothing to adopt"),
    (made_up.nothing, "nothing to adopt"),
])
def test_what_cannot_be_trusted_is_not_adopted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], truth: Truth, says: str
) -> None:
    found = kept(tmp_path / "result", truth)
    assert main(["sweep", "adopt", found, "--into", str(tmp_path / "rules"), "--until", "2999-01-01"]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "rules").exists()


@pytest.mark.parametrize(("change", "words", "says"), [
    ({}, ["--until", "2020-01-01"], "has passed"),
    ({}, ["--until", "soon"], "write a day"),
    ({}, ["--remove"], "nothing here was adopted"),
    ({"client": platform.node(), "kernel": "2.6.32"}, [], "measured with kernel 2.6.32"),
    ({"server_says": {}}, [], "nothing is known of the server"),
])
def test_a_result_that_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object], words: list[str], says: str
) -> None:
    where = WHERE._replace(**{name: value for name, value in change.items() if name != "server_says"})  # type: ignore
    plan = PLAN._replace(server_says={}) if "server_says" in change else PLAN
    found = kept(tmp_path / "result", plan=plan, where=where)
    assert main(["sweep", "adopt", found, "--into", str(tmp_path / "rules"), *words]) == 2
    assert says in capsys.readouterr().err


def test_settings_that_changed_together_are_adopted_together(tmp_path: Path) -> None:
    factors = (Factor("mount.rsize", (65536, 1048576)), Factor("mount.wsize", (32768, 524288)))
    plan = PLAN._replace(factors=factors, points=((0, 0), (1, 1)), aliases=("x",), drift_every=2)

    def larger(levels: tuple[int, ...], direction: str) -> float:
        return 0.4 * levels[0]

    found, rules = kept(tmp_path / "result", larger, plan), tmp_path / "rules"
    assert main(["sweep", "adopt", found, "--into", str(rules), "--until", "2999-01-01"]) == 0
    text = next(rules.glob("*claims*")).read_text()
    assert "with rsize=1048576 against rsize=65536" in text
    assert "with wsize=524288 against wsize=32768" in text
    assert "; rsize changed with it" in text


def test_a_folder_without_a_result_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "adopt", str(tmp_path), "--into", str(tmp_path / "rules")]) == 2
    assert "contains no result of a sweep" in capsys.readouterr().err


def test_a_slower_level_recommends_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def slower(levels: tuple[int, ...], direction: str) -> float:
        return -0.3 * (levels[1] > 0)

    found, rules = kept(tmp_path / "result", slower), tmp_path / "rules"
    assert main(["sweep", "adopt", found, "--into", str(rules), "--until", "2999-01-01"]) == 0
    here = " ".join(advised(capsys, rules, *HERE, "--all").split())
    assert "with nconnect=1 against nconnect=4" in here
    assert load().tunables["mount.nconnect"].default == 1
