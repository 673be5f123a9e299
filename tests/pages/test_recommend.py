"""What the whole page of an advice has: what there is to do, and no row for what needs nothing."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts
from advisor.pages.recommend import recommendation, untouched
from advisor.pages.wording import setting_name
from advisor.rulebase.values import LINE_KINDS
from tests.advice.environments import base


@pytest.mark.parametrize("facts", [
    {"storage.platform": "alibaba-nas", "workload.kind": "web", "workload.shared_writes": False},
    {"storage.platform": "knfsd", "host.role": "nfs-server", "client.count": 60},
    {"storage.platform": "cephfs-nfs", "host.role": "nfs-server", "server.ha": True},
])
def test_what_needs_nothing_has_no_row(facts: dict[str, object]) -> None:
    advice = advise(base(), Answers(facts))
    page = str(recommendation(base(), advice, True))
    assert "leave it as it is" not in page
    for row in advice.part("set"):
        assert setting_name(row) in page, row.tunable
    report = next(file.text for file in artefacts(base(), advice) if file.path == "REPORT.md")
    by_hand = report.partition("## To do by hand")[2].partition("\n## ")[0]
    to_do = {row.tunable.replace("_", "\\_") for row in advice.part("set")}
    assert {line.partition("](")[0].removeprefix("| [") for line in by_hand.splitlines() if "](REPORT" in line} <= to_do


@pytest.mark.parametrize(("facts", "kept", "left_out"), [
    ({"storage.platform": "ontap", "workload.kind": "general"},
     {"proto=tcp", "retrans=2", "timeo=600", "rsize (negotiated)", "vers (negotiated)"}, {"noac", "intr"}),
    ({"storage.platform": "aws-efs", "workload.kind": "web"}, {"proto=tcp", "retrans=2"}, {"noac", "nconnect"}),
])
def test_options_that_guides_write_are_named_where_they_stay_as_they_are(
    facts: dict[str, object], kept: set[str], left_out: set[str],
) -> None:
    advice = advise(base(), Answers(facts))
    sentence = untouched(advice.rows) or ""
    at_default, without = sentence.removesuffix(" (advisor why NAME).").split("; left out: ")
    assert kept <= set(at_default.removeprefix("At the default: ").split(", "))
    assert left_out <= set(without.split(", "))
    assert sentence in str(recommendation(base(), advice, False))
    written = {row.text for row in advice.part("set")}
    assert not written & {*at_default.split(", "), *without.split(", ")}


def test_a_bound_that_the_default_meets_is_listed_only_if_it_should_be_kept() -> None:
    advice = advise(base(), Answers({"storage.platform": "ontap"}))
    page = str(recommendation(base(), advice, False))
    assert "Up to about 10 Gbit/s one connection, the default, is enough" not in page
    assert "nconnect=1 (more for a fast link)" in (untouched(advice.rows) or "")
    slow = {"storage.platform": "azure-files", "client.has_nconnect": True, "workload.single_threaded": True}
    page = str(recommendation(base(), advise(base(), Answers(slow)), False))
    assert "cannot fill several connections" in page


@pytest.mark.parametrize("facts", [
    {"storage.platform": "knfsd", "host.role": "nfs-server", "server.v3_clients": True},
    {"storage.platform": "knfsd", "host.role": "nfs-server", "client.system": "windows"},
    {"storage.platform": "truenas", "workload.kind": "vm-images"},
    {"storage.platform": "cephfs-nfs", "host.role": "nfs-server", "server.ha": True},
    {"storage.platform": "anf", "workload.kind": "sap-hana"},
])
def test_what_must_be_is_on_the_short_page_even_where_it_is_so_by_default(facts: dict[str, object]) -> None:
    advice = advise(base(), Answers(facts))
    page = " ".join(str(recommendation(base(), advice, False)).split())
    kept = [row for row in advice.part("fine") if row.strength == "must" and row.kind not in LINE_KINDS]
    assert all(setting_name(row) in page for row in kept), kept
    assert kept or "v3_clients" not in str(facts)


def test_what_comes_first_is_said_once() -> None:
    facts = {"storage.platform": "knfsd", "host.role": "nfs-client", "client.system": "windows"}
    page = " ".join(str(recommendation(base(), advise(base(), Answers(facts)), False)).split())
    assert page.count("mtype=hard") == 1


def test_a_page_asks_first_what_decides_the_worst_harm() -> None:
    facts = {"storage.platform": "anf", "workload.kind": "sap-hana", "workload.hana_volume": "shared",
             "client.count": 2, "client.distro": "sles", "client.release": "15.5"}
    first = advise(base(), Answers(facts)).questions[0]
    assert first.fact == "workload.shared_writes", "not whether the files are static, for which the defaults are right"


def test_an_assumption_of_many_values_is_not_told_as_its_first_three() -> None:
    facts = {"storage.platform": "truenas", "client.proxmox": True, "client.container": True}
    page = " ".join(str(recommendation(base(), advise(base(), Answers(facts)), False)).split())
    assert "pct set" in page
    assert "workload.kind=eda" not in page
