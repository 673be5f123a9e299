"""`advisor sweep run`: from a plan to a folder of runs, in one go or in several."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path

import pytest

from advisor.cli import main
from advisor.sweep import system
from advisor.sweep.model import Factor, OwnNamespace, SweepPlan
from advisor.sweep.plan_file import to_yaml
from advisor.sweep.result import ENVIRONMENT, runs
from advisor.sweep.system import Done, Signalled
from tests.sweep.fake import FIO, FakeHost

FACTORS = (Factor("mount.vers", ("3", "4.1")), Factor("mount.nconnect", (1, 4)))
PLAN = SweepPlan(
    "192.0.2.1:/srv", FACTORS, tuple(itertools.product((0, 1), (0, 1))),
    {"a": {"rw": "write", "size": "1m"}, "b": {"rw": "write", "size": "1m"}}, {}, 2, 7, 3, None, (),
    OwnNamespace("veth", "br0", "192.0.2.9/24"), "2026-11-22",
)
WHOLE = {(one.number, name) for one in PLAN.plots() for name in one.jobs}


class Host(FakeHost):
    """`ends_after`: how many jobs run before a signal comes."""

    def __init__(self, ends_after: int = -1) -> None:
        super().__init__()
        self.ends_after = ends_after

    def listen(self) -> None:
        pass

    def _fio(self, command: tuple[str, ...], _feed: str) -> Done:
        if "--version" in command:
            return Done(0, "fio-3.33\n", "")
        if self.ends_after == 0:
            raise Signalled(15)
        self.ends_after -= 1
        return Done(0, FIO, "")


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(system, "Journal", partial(system.Journal, str(tmp_path / "state")))
    path = tmp_path / "plan.yaml"
    path.write_text(to_yaml(PLAN))
    return path


def run(monkeypatch: pytest.MonkeyPatch, plan: Path, host: FakeHost, *more: str) -> int:
    monkeypatch.setattr(system, "System", lambda: host)
    return main(["sweep", "run", str(plan), *more])


def keys(plan: Path) -> list[tuple[int, str]]:
    return [(one.plot, one.job) for one in runs(plan.with_suffix(".result"))]


def test_a_plan_is_run_once(
    monkeypatch: pytest.MonkeyPatch, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, plan, Host()) == 0
    assert sorted(keys(plan)) == sorted(WHOLE)
    told = capsys.readouterr()
    assert told.err.splitlines()[0].startswith("1 of 12, ")
    assert "12 mounts are measured" in told.out

    again = Host()
    assert run(monkeypatch, plan, again) == 0
    assert "mount.nfs" not in again.names_done()
    assert sorted(keys(plan)) == sorted(WHOLE)


def test_runs_without_data_are_counted_and_each_reason_is_told_once(
    monkeypatch: pytest.MonkeyPatch, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Single(Host):
        def _mountinfo(self, path: str) -> str:
            return super()._mountinfo(path).replace("nconnect=4", "nconnect=1")

    assert run(monkeypatch, plan, Single()) == 0
    told = capsys.readouterr()
    assert told.err.count("nconnect=4 was asked for; in effect is nconnect=1") == 1
    assert "12 mounts are measured, 4 of them without data" in told.out


@pytest.mark.parametrize("stops", [(0,), (1, 2, 5), (7, 7, 7)])
def test_interrupted_and_resumed_is_the_same_as_uninterrupted(
    monkeypatch: pytest.MonkeyPatch, plan: Path, stops: tuple[int, ...]
) -> None:
    for after in stops:
        host = Host(after)
        assert run(monkeypatch, plan, host) == 143
        assert not host.held
        assert not host.folders
    assert len(keys(plan)) == sum(stops)
    assert run(monkeypatch, plan, Host()) == 0
    assert sorted(keys(plan)) == sorted(WHOLE)


def test_a_refusal_makes_no_folder(
    monkeypatch: pytest.MonkeyPatch, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text(to_yaml(PLAN._replace(own=None)))
    host = Host()
    host.production = "/data"
    assert run(monkeypatch, plan, host) == 2
    assert "/data (192.0.2.1:/srv)" in capsys.readouterr().err
    assert not plan.with_suffix(".result").exists()


def test_root_is_needed(monkeypatch: pytest.MonkeyPatch, plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    host = Host()
    host.root = False
    assert run(monkeypatch, plan, host) == 2
    assert "needs root" in capsys.readouterr().err
    assert host.done == []


def test_a_folder_with_something_else_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, plan, Host()) == 0
    result = plan.with_suffix(".result")
    where = result / ENVIRONMENT
    where.write_text(where.read_text().replace("fio-3.33", "fio-3.1"))
    assert run(monkeypatch, plan, Host()) == 2
    assert "measured with tool fio-3.1; now it is fio-3.33" in capsys.readouterr().err

    plan.write_text(to_yaml(PLAN._replace(seed=8)))
    assert run(monkeypatch, plan, Host()) == 2
    assert "another plan" in capsys.readouterr().err
    assert run(monkeypatch, plan, Host(), "-o", str(tmp_path)) == 2
    assert "contains no result" in capsys.readouterr().err


def test_what_a_killed_sweep_left_is_undone_first(
    monkeypatch: pytest.MonkeyPatch, plan: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = Host()
    left = system.Journal()
    left.begin(system.JournalStep("setting", "/proc/sys/sunrpc/tcp_slot_table_entries", "2\n"))
    left.close()
    host.files["/proc/sys/sunrpc/tcp_slot_table_entries"] = "64\n"
    monkeypatch.setattr(system, "System", lambda: host)
    assert main(["sweep", "clean"]) == 0
    assert host.files["/proc/sys/sunrpc/tcp_slot_table_entries"] == "2\n"
    assert "an earlier sweep did not end" in capsys.readouterr().err
