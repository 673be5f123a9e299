"""The same report, wherever hosts and classes are judged; the scripts of docs/fleet-large.md are run."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests import needs
from tests.fleet.test_report_command import SOFT, host
from tests.tiers import thorough

pytestmark = thorough

PAGE = (Path(__file__).parents[2] / "docs/fleet-large.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(bash|python)\n(.*?)```", PAGE, re.DOTALL)
JSONL = ("--output-format", "jsonl")


@pytest.fixture(scope="module")
def bundles() -> str:
    """Three classes, and a bundle that cannot be read."""
    soft = (host(number, **{"/etc/fstab": SOFT}) for number in range(40, 45))
    return "".join([*(host(number) for number in range(1, 40)), "{}\n", *soft, host(50, **{"/etc/fstab": ""})])


@pytest.fixture
def folder(tmp_path: Path, bundles: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "bundles/all.jsonl").write_text(bundles)
    (tmp_path / "advisor.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A scheduler and a worker in this process."""
    dask = needs.package("distributed", "dask")
    with dask.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as running:
        yield running


def records(text: str) -> list[str]:
    """The report without its header, which tells the time."""
    lines = text.splitlines()
    assert len(lines) > 5
    return lines[1:]


def test_dask_tells_the_same(advisor: Any, folder: Path, cluster: Any) -> None:
    here = advisor("fleet", "report", "bundles", *JSONL)
    there = advisor("fleet", "report", "bundles", *JSONL, "--dask", cluster.scheduler_address)
    assert (there.code, there.err) == (here.code, "")
    assert records(there.out) == records(here.out)
    (folder / "scheduler.json").write_text(f'{{"address": "{cluster.scheduler_address}"}}')
    by_file = advisor("fleet", "report", "bundles", *JSONL, "--dask", "scheduler.json")
    assert records(by_file.out) == records(here.out)


def test_workers_with_another_advisor_are_refused(
    advisor: Any, folder: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> str:
        ran = advisor("fleet", "report", "bundles", "--dask", cluster.scheduler_address)
        assert ran.code == 2
        return str(ran.err)

    monkeypatch.setattr("advisor.fleet.run.version", lambda: "0.0.9")
    assert "workers have advisor 0.0.9, and this is" in refused()

    def missing() -> None:
        raise ModuleNotFoundError("No module named 'advisor'")

    monkeypatch.setattr("advisor.fleet.run.version", missing)
    assert "the workers have no advisor" in refused()


@pytest.mark.parametrize(("options", "why"), [
    (("--dask=bundles/",), "--dask bundles/: neither a scheduler file nor an address such as tcp://node:8786"),
    (("--dask", "bundles/all.jsonl"), "--dask bundles/all.jsonl: is larger than"),
    (("--dask", "list.json"), "--dask list.json: a file, but not one in which dask scheduler --scheduler-file writes"),
    (("--dask", "tcp://127.0.0.1:1", "--jobs", "2"), "--jobs is for processes of this machine"),
])
def test_what_is_no_scheduler_is_refused(advisor: Any, folder: Path, options: tuple[str, ...], why: str) -> None:
    needs.package("distributed", "dask")
    (folder / "list.json").write_text("[]")
    ran = advisor("fleet", "report", "bundles", *options)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err


def test_without_dask_it_says_how_to_install_it(
    advisor: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    ran = advisor("fleet", "report", "bundles", "--dask")
    assert ran.code == 2
    assert ran.err == (
        "advisor: --dask needs Dask\nadvisor: pip install '.[dask]' in a checkout of advisor installs it\n"
    )


def sent(function: Callable[[Any], Any], item: object) -> Any:
    """What a call in another process gives."""
    function, item = pickle.loads(pickle.dumps((function, item)))
    return pickle.loads(pickle.dumps(function(item)))


class Done(SimpleNamespace):
    """What Ray gives for a call."""

    def future(self) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(self.value)
        return done


def stand_in_for_ray() -> dict[str, dict[str, object]]:
    def remote(call: Callable[..., object]) -> object:
        return SimpleNamespace(remote=lambda function, item: Done(value=call(lambda one: sent(function, one), item)))

    return {"ray": {"init": lambda: None, "remote": remote}}


def stand_in_for_spark() -> dict[str, dict[str, object]]:
    def parallelize(batch: list[object], slices: int) -> object:
        assert 0 < slices == len(batch)
        return SimpleNamespace(
            map=lambda function: SimpleNamespace(collect=lambda: [sent(function, one) for one in batch])
        )

    session = SimpleNamespace(sparkContext=SimpleNamespace(parallelize=parallelize))
    builder = SimpleNamespace(appName=lambda name: SimpleNamespace(getOrCreate=lambda: session))
    return {"pyspark": {}, "pyspark.sql": {"SparkSession": SimpleNamespace(builder=builder)}}


def stand_in_for_jobqueue() -> dict[str, dict[str, object]]:
    dask = needs.package("distributed", "dask")

    def cluster(cores: int, processes: int, memory: str, walltime: str) -> object:
        made = dask.LocalCluster(n_workers=0, processes=False, dashboard_address=None, memory_limit=memory)
        made.scale = lambda jobs: dask.LocalCluster.scale(made, min(jobs, cores * processes))
        return made

    return {"dask_jobqueue": {"SLURMCluster": cluster}}


@pytest.mark.parametrize(("package", "stand_in"), [
    ("dask_jobqueue", stand_in_for_jobqueue), ("ray", stand_in_for_ray), ("pyspark", stand_in_for_spark),
])
def test_a_script_of_the_page_writes_the_same_report(
    advisor: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, package: str,
    stand_in: Callable[[], dict[str, dict[str, object]]],
) -> None:
    imports = re.compile(rf"(?m)^(from|import) {package}")
    (script,) = (text for kind, text in BLOCKS if kind == "python" and imports.search(text))
    for name, held in stand_in().items():
        module = ModuleType(name)
        vars(module).update(held)
        monkeypatch.setitem(sys.modules, name, module)
    here = advisor("fleet", "report", "bundles", *JSONL)
    with pytest.raises(SystemExit) as ended:
        exec(compile(script, package, "exec"), {"__name__": "__main__"})
    assert ended.value.code == here.code
    assert records((folder / "report.jsonl").read_text()) == records(here.out)


def test_the_page_has_no_other_script() -> None:
    assert [kind for kind, _ in BLOCKS] == ["bash", "python", "python", "python"]


def test_the_batch_job(advisor: Any, folder: Path) -> None:
    """Started for real with ADVISOR_CLUSTER=1: a scheduler and a worker take some seconds."""
    job = BLOCKS[0][1]
    assert subprocess.run(["bash", "-n"], input=job, text=True, check=False).returncode == 0
    if not os.environ.get("ADVISOR_CLUSTER"):
        pytest.skip("set ADVISOR_CLUSTER=1 to start a scheduler and a worker")
    (folder / "srun").write_text('#!/bin/sh\nexec "$@"\n')
    (folder / "srun").chmod(0o755)
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["bash", "-c", job], env={**os.environ, "PATH": path}, check=True, timeout=120, capture_output=True)
    here = advisor("fleet", "report", "bundles", *JSONL)
    assert records((folder / "report.jsonl").read_text()) == records(here.out)
