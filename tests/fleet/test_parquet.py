"""The tables hold what the report says, and answer the questions of docs/fleet.md."""

from __future__ import annotations

import io
import re
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from advisor.fleet.judge import MountOfClass
from advisor.fleet.model import (
    ClassDifference,
    FleetDrift,
    FleetFinding,
    FleetReport,
    MovedHosts,
    OutlierClass,
    UnreadBundle,
)
from advisor.pages.fleet import TABLES, parquet
from tests import needs
from tests.fleet import made
from tests.fleet.made import NCONNECT, NOLOCK, host_class, report

pq = needs.package("pyarrow.parquet", "parquet")
PAGE = (Path(__file__).parents[2] / "docs/fleet.md").read_text(encoding="utf-8")
TIME = datetime(2026, 3, 1, 6, tzinfo=timezone.utc)

OLD = host_class("0000aaaa", ("a1", "a2", "a3"), NOLOCK, NCONNECT, options="vers=3,hard")
NEW = host_class("0000bbbb", ("b1",), NCONNECT._replace(setting="mount.x"), NCONNECT)
WHOLE = report(OLD._replace(made=("2026-03-01T06:00:00Z", "", "soon")), NEW)._replace(
    outliers=(OutlierClass("0000bbbb", "0000aaaa", (ClassDifference("/etc/fstab", "x", None),)),),
    across=(FleetFinding("alike", "error", "nas", "m", "w", "r", ("a1", "b1"), ("c.1",)),),
    unread=(UnreadBundle("f.jsonl:3", "an older bundle", older=True),),
    drift=FleetDrift("2026-01-01T00:00:00Z", ("b1",), ("z",), (MovedHosts(("a1", "a2"), "x", "0000aaaa", ()),), (), ()),
)


def tables(one: FleetReport) -> dict[str, list[dict[str, Any]]]:
    """Name → rows, as pyarrow reads them back."""
    return {name.partition(".")[0]: pq.read_table(io.BytesIO(data)).to_pylist() for name, data in parquet(one)}


def test_each_record_is_a_row() -> None:
    found = tables(WHOLE)
    assert [*found] == [*TABLES]
    assert all(row["report"] == TIME for rows in found.values() for row in rows)
    assert [(row["host"], row["class"], row["made"]) for row in found["hosts"]] == [
        ("a1", "0000aaaa", TIME), ("a2", "0000aaaa", None), ("a3", "0000aaaa", None), ("b1", "0000bbbb", None),
    ]
    assert [(row["class"], row["hosts"], row["worst"]) for row in found["classes"]] == [
        ("0000aaaa", 3, "error"), ("0000bbbb", 1, "warning"),
    ]
    first = found["findings"][0]
    assert {name: first[name] for name in NOLOCK._fields} == {**NOLOCK._asdict(), "cites": [*NOLOCK.cites]}
    assert {"report": TIME, "class": "0000aaaa", "fact": "client.ram", "value": "64"} in found["facts"]
    assert found["mounts"][0]["options"] == ["vers=3", "hard"]
    assert found["mounts"][0]["source"] == "filer:/data"
    assert found["outliers"][0]["there"] is None
    assert found["across"][0]["hosts"] == ["a1", "b1"]
    assert found["unread"][0]["older"] is True
    assert [(row["host"], row["change"], row["before"]) for row in found["changes"]] == [
        ("b1", "new", None), ("z", "gone", None), ("a1", "moved", "x"), ("a2", "moved", "x"),
    ]


@given(made.reports)
@settings(max_examples=30)
def test_any_report_can_be_written(one: FleetReport) -> None:
    found = tables(one)
    assert len(found["findings"]) == sum(len(each.findings) for each in one.classes)
    assert len(found["unread"]) == len(one.unread)


def test_a_report_without_anything_has_all_columns() -> None:
    for name, data in parquet(report()):
        assert pq.read_schema(io.BytesIO(data)).names == ["report", *TABLES[name.partition(".")[0]]]


def test_the_page_describes_each_column() -> None:
    for name, columns in TABLES.items():
        (row,) = re.findall(rf"(?m)^\| `{name}\.parquet` \|.*$", PAGE)
        assert set(columns) <= set(re.findall(r"`(\w+)`", row)), name


def test_the_queries_of_the_page_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = needs.package("duckdb")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report").mkdir()
    for name, data in parquet(WHOLE):
        (tmp_path / "report" / name).write_bytes(data)
    (block,) = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    by_rule, by_source = (query for query in block.split(";") if query.strip())
    assert duckdb.sql(by_rule).fetchall() == [("nconnect", "warning", 4), ("nolock", "error", 3)]
    assert duckdb.sql(by_source).fetchall() == [("filer:/data", ["a1", "a2", "a3"])]


def test_a_folder_is_written_or_refused_before_hosts_are_read(
    advisor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.fleet.test_report_command import host

    args = ("fleet", "report", "-", "--no-config", "--output-format", "parquet")
    for _ in range(2):  # the second time over the files of the first
        ran = advisor(*args, "-o", str(tmp_path / "new"), stdin=host(1) + host(2))
        assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert {path.name for path in (tmp_path / "new").iterdir()} == {f"{name}.parquet" for name in TABLES}
    hosts = pq.read_table(tmp_path / "new/hosts.parquet").column("host").to_pylist()
    assert hosts == ["node-001", "node-002"]
    (tmp_path / "file").write_text("mine")
    for options, why in (
        ((), "name it with -o FOLDER"), (("-o", "-"), "name it with -o FOLDER"),
        (("-o", str(tmp_path / "file")), "not a folder"), (("-o", str(tmp_path / "file/x")), "cannot be created"),
    ):
        ran = advisor(*args, *options)
        assert (ran.code, why in ran.err) == (2, True), ran.err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ran = advisor(*args, "-o", str(tmp_path / "new"))
    assert ran.err == (
        "advisor: parquet needs pyarrow\nadvisor: pip install '.[parquet]' in a checkout of advisor installs it\n"
    )


def test_names_of_mounts_come_back_as_they_were() -> None:
    mount = MountOfClass("nas", "/a b", "/mnt/c\td\\e", "nfs", ("hard",), True)
    rows = tables(report(OLD._replace(mounts=(mount.line,))))["mounts"]
    assert [(row["source"], row["target"]) for row in rows] == [("nas:/a b", "/mnt/c\td\\e")]
