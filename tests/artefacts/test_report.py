"""The reports: the argument is there, measured figures are drawn to scale, servers hear nothing of mounts."""

from __future__ import annotations

import re

from advisor.advice import Answers, advise
from advisor.advice.citing import citations
from advisor.artefacts import artefacts
from advisor.artefacts.bars import charts
from advisor.artefacts.context import data
from tests.artefacts.cases import CASES, base, made


def bars(claim: str) -> list[tuple[str, float, str]]:
    found = charts(citations(base(), [claim]), data()["measures"])
    return [tuple(bar) for chart in found for bar in chart.bars]  # type: ignore[misc]


def test_bars_are_to_scale() -> None:
    assert bars("anf-mount.eda-iops-saved") == [
        ("iops before", 1.0, "150,000 operations/s"), ("iops after", 0.04, "6,000 operations/s"),
    ]
    assert bars("anf-mount.nocto-saves")[:2] == [
        ("nocto percent (1)", 0.65, "65 %"), ("nocto percent (2)", 0.7, "70 %"),
    ]


def test_a_lone_figure_is_not_compared_with_itself() -> None:
    assert bars("anf-benchmarks.combined-gain") == []


def test_claims_that_were_not_measured_are_not_drawn() -> None:
    assert bars("anf-slots.per-connection-128") == []


def test_a_row_of_a_table_is_named_by_its_conditions() -> None:
    labels = [label for label, _, _ in bars("nfs-tuning-blog.write-table")]
    assert "sync soft buffer bytes 65536 size mib 1024" in labels


def test_every_setting_that_is_written_is_argued() -> None:
    for case in CASES:
        files = made(case)
        report = files["REPORT.md"].text
        for path, one in files.items():
            if path.startswith("REPORT"):
                continue
            for tunable in re.findall(r"^# ((?:mount|sysctl|module|nfs\.conf|exports|tuned)\.\S+): ", one.text, re.M):
                assert f"### `{tunable}`" in report, (case, path)


def test_every_file_says_what_made_it_and_from_what() -> None:
    for case in CASES:
        for one in made(case).values():
            assert f"Made by advisor 0.1.0 from the rule base {base().hash}." in one.text, one.path
            for fact in CASES[case]:
                said = fact.replace("_", "\\_") if one.path.endswith(".md") else fact
                assert said in re.sub(r"\n#\s+", " ", one.text), (one.path, fact)


def test_a_server_hears_nothing_of_mounts() -> None:
    paths = made("hpc-server")
    assert not any(path.startswith(("fstab", "mount", "systemd", "autofs")) for path in paths)
    assert "nfsd-threads" in paths
    assert paths["nfsd-threads"].install == "/etc/sysconfig/nfs"
    assert "mount.nconnect" not in paths["REPORT.md"].text.split("## Open")[1]
    assert "## To do by hand" in paths["REPORT.md"].text


def test_what_must_be_written_and_is_open_stops_the_mount() -> None:
    advice = advise(base(), Answers(facts={"storage.platform": "anf"}))
    files = {one.path: one for one in artefacts(base(), advice)}
    assert "fstab" not in files
    assert "No file here mounts anything yet: `mount.vers` must be written" in files["REPORT.md"].text


def test_a_held_value_tells_what_it_costs() -> None:
    facts = {"storage.platform": "aws-efs"}
    advice = advise(base(), Answers(facts=facts, pins={"mount.noresvport": False}))
    report = {one.path: one.text for one in artefacts(base(), advice)}["REPORT.md"]
    assert "Holding it costs: " in report
    assert "Held: mount.noresvport = no" in report.replace("\\_", "_")


def test_slots_are_module_parameters() -> None:
    files = made("anf-eda-static")
    assert "options sunrpc tcp_max_slot_table_entries=128" in files["modprobe.d/91-nfs.conf"].text
    assert "sunrpc" not in files["sysctl.d/91-nfs.conf"].text


def test_what_no_setting_can_mend_is_told() -> None:
    report = made("azure-files-24.04")["REPORT.md"].text
    assert "## What the linter says of the line" in report
    assert "`clear-text-over-internet`" in report
    assert "## What the linter says" not in made("home-1gbe")["REPORT.md"].text


def test_read_ahead_goes_to_nfs_conf_where_nfsrahead_is() -> None:
    files = made("azure-files-24.04")
    assert "\n[nfsrahead]\n" in files["nfs.conf.d/91-nfs.conf"].text
    assert "\nnfs4=15360\n" in files["nfs.conf.d/91-nfs.conf"].text
    assert "udev/90-nfs-read-ahead.rules" not in files
    assert 'ATTR{read_ahead_kb}="15360"' in made("azure-files")["udev/90-nfs-read-ahead.rules"].text
