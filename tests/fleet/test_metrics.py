"""The metrics are what Prometheus reads, and count what the report says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from advisor.fleet.model import FleetDrift, FleetFinding, FleetReport, MovedHosts, UnreadBundle
from advisor.pages.fleet import VALUES, metrics
from advisor.pages.formats.machine_readable import Gauge, exposition
from tests import needs
from tests.fleet import made
from tests.fleet.made import NCONNECT, NOLOCK, host_class, report
from tests.pages.hostile import TEXT

parser = needs.package("prometheus_client.parser")
DOCS = Path(__file__).parents[2] / "docs/fleet.md"

Series = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(text: str) -> Series:
    """Name and labels → value, as Prometheus' own parser reads them. No series comes twice."""
    found: Series = {}
    for family in parser.text_string_to_metric_families(text):
        assert family.type == "gauge"
        assert family.documentation.endswith(".")
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            assert sample.name == family.name
            assert key not in found
            assert sample.timestamp is None
            found[key] = sample.value
    return found


def values(found: Series, name: str) -> dict[tuple[str, ...], float]:
    """The values of a metric by those of its labels."""
    return {tuple(text for _, text in labels): value for (one, labels), value in found.items() if one == name}


@given(made.reports)
@settings(max_examples=100)
def test_any_report_is_read_by_the_parser_of_prometheus(one: FleetReport) -> None:
    found = read(metrics(one, "1.0"))
    assert values(found, "advisor_fleet_build_info") == {("1.0",): 1}
    assert found["advisor_fleet_hosts", ()] == one.hosts


@given(TEXT)
def test_a_label_says_what_was_said(text: str) -> None:
    ((_, labels),) = read(exposition([Gauge("advisor_x", "X.", [({"rule": text}, 3)])]))
    assert dict(labels) == {"rule": text}


def test_hosts_are_counted_by_their_worst_finding_and_by_rule() -> None:
    both = host_class("a", ("a1", "a2", "a3"), NOLOCK, NCONNECT)
    fine, broken = host_class("c", ("c1", "c2")), host_class("d", ("d1",), failed="a bug")
    one = host_class("b", ("b1", "b2"), NCONNECT)
    joint = FleetFinding("alike", "error", "nas", "", "", "", ("b1", "c1"), ())
    found = read(metrics(report(both, one, fine, broken)._replace(across=(joint,)), "1.0"))
    assert values(found, "advisor_fleet_hosts_by_worst_finding") == {
        ("error",): 5, ("warning",): 1, ("note",): 0, ("none",): 1, ("not_judged",): 1,
    }
    assert values(found, "advisor_fleet_finding_hosts") == {
        ("alike", "error"): 2, ("nconnect", "warning"): 5, ("nolock", "error"): 3,
    }
    assert found["advisor_fleet_classes", ()] == 4


def test_a_rule_has_one_series_with_its_worst_severity() -> None:
    twice = NCONNECT._replace(severity="error", setting="mount.other")
    found = read(metrics(report(host_class("a", ("a",), twice, NCONNECT), host_class("b", ("b",), NCONNECT)), "1.0"))
    assert values(found, "advisor_fleet_finding_hosts") == {("nconnect", "error"): 2}


def test_hosts_cannot_make_series_without_end() -> None:
    odd = [host_class(f"{n:03}", (f"n{n}",), options=f"vers={'x' * n}\"") for n in range(50)]
    many = [host_class(f"{n}", (f"m{n}", f"o{n}"), options=f"vers=4.{n}") for n in range(50)]
    found = values(read(metrics(report(*many, *odd), "1.0")), "advisor_fleet_mounted_hosts")
    versions = {value: count for (option, value), count in found.items() if option == "vers"}
    assert len(versions) == VALUES + 1
    assert versions["4.0"] == 2
    assert sum(versions.values()) == 150
    assert found["sec", "unknown"] == 150


def test_bundles_and_times() -> None:
    one = host_class("a", ("a", "b", "c"))._replace(made=("2026-01-02T00:00:00Z", "", "2026-01-01T00:00:00Z"))
    left = (UnreadBundle("x", "no", older=True), UnreadBundle("y", "no"), UnreadBundle("z", "no"))
    moved = FleetDrift("2026-01-01T00:00:00Z", ("a",), (), (MovedHosts(("b", "c"), "x", "a", ()),), (), ())
    found = read(metrics(report(one)._replace(unread=left, drift=moved), "1.0"))
    assert found["advisor_fleet_newest_bundle_timestamp_seconds", ()] == 1767312000
    assert found["advisor_fleet_oldest_bundle_timestamp_seconds", ()] == 1767225600
    assert (found["advisor_fleet_bundles_unreadable", ()], found["advisor_fleet_bundles_older", ()]) == (2, 1)
    assert values(found, "advisor_fleet_changed_hosts") == {("new",): 1, ("gone",): 0, ("moved",): 2}
    page = DOCS.read_text(encoding="utf-8").replace("`…_newest_…`", "`advisor_fleet_newest_bundle_timestamp_seconds`")
    assert {name for name, _ in found if f"`{name}`" not in page} == set()


def test_a_file_is_written_whole_or_refused_before_hosts_are_read(advisor: Any, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_text("{}\n")
    args = ("fleet", "report", str(bundle), "--no-config", "--output-format", "prometheus", "-o")
    assert "no host could be read" in advisor(*args, str(tmp_path / "x.prom")).err
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.json"]
    for target, why in (
        (tmp_path, "a folder; name a file"), ("/dev/null", "a device, pipe or socket"),
        (tmp_path / "gone/x.prom", "there is no folder"),
    ):
        ran = advisor(*args, str(target))
        assert (ran.code, why in ran.err) == (2, True), ran.err
