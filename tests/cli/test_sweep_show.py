"""`advisor sweep show`: the document, and the formats for other programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from advisor.sweep import plan_file, result
from advisor.sweep.model import Environment
from tests import needs
from tests.sweep.made_up import plan, runs, some


@pytest.fixture
def judged() -> None:
    """What judging a sweep needs; its rows can be had without."""
    needs.package("scipy", "sweep")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    told = plan()
    (tmp_path / result.PLAN).write_text(plan_file.to_yaml(told._replace(jobs={
        name: {**job, "size": "1g", "bs": "1m"} for name, job in told.jobs.items()
    })))
    result.save_environment(tmp_path, Environment("c1", "6.12.1", "2.8.2", "fio-3.33", "nas", "192.0.2.1",
                                                  "2026-11-22T20:15:00Z", {}, {}))
    found = runs(told, 1, some)
    found[5] = found[5]._replace(rate=None, why="nconnect=4 was asked for; in effect is 1")
    result.add_runs(tmp_path, found)
    return tmp_path


@pytest.mark.usefixtures("judged")
def test_what_is_certain_comes_first(advisor, folder):
    done = advisor("sweep", "show", str(folder))
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    first, second = told.index("What makes a difference"), told.index("What makes no difference that matters")
    assert first < second < told.index("How far to trust this")
    assert "nconnect=8" in told[first:second]
    assert "vers=4.1" not in told[first:second]
    assert "1 run gave no data: nconnect=4 was asked for; in effect is 1 (1)." in told
    assert "The control (hard), which can have no effect, shows none." in told
    assert "c1, Linux 6.12.1, fio-3.33" in told


@pytest.mark.usefixtures("judged")
def test_the_fastest_are_listed_with_what_they_were_mounted_with(advisor, folder):
    told = advisor("sweep", "show", str(folder), "--top", "3", "--output-format", "markdown").out
    table = told[told.index("Fastest 3 of 48, read") :].split("Fastest")[1]
    ranked = [line for line in table.splitlines() if line.startswith(("| 1 |", "| 2 |", "| 3 |"))]
    assert [("nconnect=8" in line, "rsize=1048576" in line) for line in ranked] == [(True, True)] * 3


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize("form", ["markdown", "html", "svg"])
def test_other_backends_say_the_same(advisor, folder, form):
    done = advisor("sweep", "show", str(folder), "--output-format", form)
    assert done.code == 0, done.err
    assert "What makes a difference" in done.out
    assert "src=" not in done.out  # a page needs nothing else


def test_csv_has_a_row_for_each_run_and_can_be_told_apart(advisor, folder):
    done = advisor("sweep", "show", str(folder), "--output-format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == len(runs(plan(), 1, some))
    assert rows[0]["job.bs"] == "1m"
    assert {row["asked.mount.nconnect"] for row in rows} == {"1", "4", "8"}
    assert [row["why"] for row in rows if not row["rate"]] == ["nconnect=4 was asked for; in effect is 1"]
    assert rows[0]["kernel"] == "6.12.1"


@pytest.mark.usefixtures("judged")
def test_json_has_the_effects_with_their_intervals(advisor, folder):
    told = json.loads(advisor("sweep", "show", str(folder), "--output-format", "json").out)
    eight = next(one for one in told["effects"] if (one["level"], one["job"]) == (8, "write-1m"))
    assert (eight["verdict"], eight["against"]) == ("effect", 1)
    assert eight["low"] < 1.35 < eight["high"]  # exp(0.3), which was put in
    assert len(told["runs"]) == len(runs(plan(), 1, some))


def test_parquet_has_the_same_rows(advisor, folder, tmp_path):
    pq = needs.package("pyarrow.parquet", "parquet")
    file = tmp_path / "runs.parquet"
    assert advisor("sweep", "show", str(folder), "--output-format", "parquet", "-o", str(file)).code == 0
    table = pq.read_table(file).to_pylist()
    assert [row["rate"] for row in table] == [run.rate for run in result.runs(folder)]
    assert {row["asked.mount.rsize"] for row in table} == {65536, 1048576}


def test_a_folder_that_is_no_result(advisor, tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        done = advisor("sweep", "show", str(folder))
        assert (done.code, done.out) == (2, "")
        assert "contains no result of a sweep; name the folder that `advisor sweep run` wrote" in done.err


@pytest.mark.usefixtures("judged")
def test_a_result_that_has_not_begun(advisor, folder):
    (folder / result.RUNS).unlink()
    done = advisor("sweep", "show", str(folder))
    assert done.code == 0, done.err
    assert "There are too few runs with data." in done.out


@pytest.mark.usefixtures("judged")
def test_the_figures_of_a_document_come_with_what_they_cannot_prove(advisor):
    done = advisor("sweep", "show", "kb:nfs-tuning-blog")
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    assert told.index("What these figures cannot prove") < told.index("What makes no difference that matters")
    assert "The tables hold the 30 fastest of 48 runs in each direction." in told
    assert "rsize, wsize: reported as rsize" in told
    assert "What makes a difference" not in told
    # Of a control, which can have no effect, an interaction is a warning, and not a finding.
    assert "What sync does seems to depend on hard (dd, write)." in told
    assert "which can have no effect, shows none" not in told


@pytest.mark.usefixtures("judged")
def test_a_margin_of_less_than_one_percent_is_told_as_it_was_given(advisor):
    told = advisor("sweep", "show", "kb:nfs-tuning-blog", "--margin", "0.2%").out
    assert "What makes no difference that matters (less than 0.2%)" in told
    assert "less than 0%" not in told


def test_a_document_without_figures_is_named_with_those_that_have_some(advisor):
    done = advisor("sweep", "show", "kb:../x")
    assert (done.code, done.out) == (2, "")
    assert "kb:../x: no such document; there are kb:anf-benchmarks, kb:dell-nss74, kb:nfs-tuning-blog" in done.err


def test_rows_of_a_document_are_for_other_programs_too(advisor):
    done = advisor("sweep", "show", "kb:nfs-tuning-blog", "--output-format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 60
    assert {row["asked.mount.rsize"] for row in rows} == {"32768", "65536", "131072"}
