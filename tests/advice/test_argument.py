"""The argument tells what concerns the state at hand, who stands against a claim, and where it can be read."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.arguments import argue, concerns, is_forbidden
from advisor.pages.layout import terminal
from advisor.pages.style import Style
from advisor.pages.why import setting_page, setting_pages
from advisor.rulebase.citations import citation, opponents
from tests.advice.environments import base

ANF = {
    "storage.platform": "anf", "workload.kind": "eda", "storage.volume_protocol": "3", "mount.sec": "sys",
    "client.kernel": "5.14.0-362.el9", "workload.static_data": True,
}
HOME = {"storage.platform": "knfsd", "workload.kind": "home", "network.speed_gbps": 1}


def page(facts: dict[str, Any], tunable: str) -> list[str]:
    told = advise(base(), Answers(facts=facts))
    one = told.find(tunable)
    assert one is not None
    return terminal(setting_page(base(), told, one), 100, Style(False)).splitlines()


def argument(facts: dict[str, Any], tunable: str) -> Any:
    told = advise(base(), Answers(facts=facts))
    one = told.find(tunable)
    assert one is not None
    return argue(base(), told, one)


def test_figures_of_another_platform_are_left_out_and_counted() -> None:
    told = argument(ANF, "mount.nconnect")
    shown = {cite.source for cite in (*told.measured, *told.disagree)}
    assert "azure-files-perf" not in shown
    assert "anf-mount" in shown
    assert told.elsewhere["Azure Files (NFS share)"] >= 5
    text = " ".join(" ".join(page(ANF, "mount.nconnect")).split())
    assert "Left out, because it is about other systems" in text
    assert "Azure Files (NFS share) (" in text


def test_each_open_setting_has_a_page_before_anything_is_answered() -> None:
    told = advise(base(), Answers(facts={}), asking=True)
    assert "mount.nconnect" in {row.tunable for row in told.open}  # its bounds depend on a number
    assert not [row.tunable for row in told.open if not setting_pages(base(), told, row.tunable)]


def test_a_slow_network_says_nothing_on_a_cloud() -> None:
    assert not any("nfs-tuning-blog" in cite.claim for cite in argument(ANF, "mount.rsize").measured)
    assert any("nfs-tuning-blog" in cite.claim for cite in argument(HOME, "mount.rsize").measured)


def test_long_tables_are_folded() -> None:
    lines = page(HOME, "mount.rsize")
    text = " ".join(" ".join(lines).split())
    assert "30 rows: buffer_bytes 32768 to 131072" in text
    assert "mb_per_s 117 to 118 (advisor explain nfs-tuning-blog.read-table prints them)" in text
    assert not any(line.startswith("  sync ") for line in lines)


@pytest.mark.parametrize("claim", [name for name, told in base().claims.items() if told.verdict == "disputed"])
def test_a_disputed_claim_has_its_opponent(claim: str) -> None:
    against = opponents(base(), citation(base(), claim))
    assert against
    assert {how for how, _ in against} == {"disputed by"}


def test_opponents_stand_beside_what_they_dispute() -> None:
    text = " ".join(" ".join(page(ANF, "mount.nconnect")).split())
    place = text.index("Recommended slot table is 128 for nconnect 0-1")
    assert "disputed by: The slot table counts per connection" in text[place : place + 700]


def test_sources_have_addresses_or_names_but_no_files() -> None:
    for name, told in base().sources.items():
        cite = next((citation(base(), claim) for claim, one in base().claims.items() if one.source == name), None)
        assert told.title
        assert told.publisher
        if cite is not None and cite.address is not None:
            assert cite.address.startswith("https://") or cite.address.startswith("http://"), cite.address
    for name in ("anf-module", "anf-benchmarks", "dell-nss74", "azure-files-perf"):
        assert base().sources[name].address.startswith("https://")
        assert base().sources[name].date


def test_what_a_claim_is_about() -> None:
    state = base().engine.state({"storage.platform": "anf"})
    assert concerns(base(), state, "azure-files-perf.nconnect-clients") is False
    assert concerns(base(), state, "anf-mount.nconnect-sas-grid") is True
    assert concerns(base(), state, "anf-benchmarks.combined-gain") is None  # of EDA, and nobody said what the work is
    assert concerns(base(), state, "nfs5.noac") is True
    eda = base().engine.state({"storage.platform": "anf", "workload.kind": "oracle"})
    assert concerns(base(), eda, "anf-benchmarks.combined-gain") is False


def test_what_a_sentence_says_is_not_said_again() -> None:
    text = " ".join(" ".join(page(ANF, "mount.rsize")).split())
    assert "rsize_bytes = 262144" not in text


def test_what_is_assumed_is_among_the_reasons() -> None:
    advice = advise(base(), Answers({"storage.platform": "anf"}))
    assert len(advice.assumed) > 10
    for row in advice.assumed:
        because = {one.fact: one.origin for one in argue(base(), advice, row).because}
        assert {taken.fact for taken in row.rests_on} <= because.keys(), row.tunable
    known = advice.find("mount.hard")
    assert known is not None
    assert not {one.fact for one in argue(base(), advice, known).because} - {"storage.platform"} or known.rests_on


def test_a_pin_costs_what_would_be_advised_without_it_and_is_refused_only_if_no_case_allows_it() -> None:
    """Azure Blob takes several connections from a patched kernel only, and nobody said which this is."""
    patched = {"storage.platform": "azure-blob", "client.azure_nconnect": True}
    for facts, costs, refused in (
        ({"storage.platform": "azure-blob"}, ["nconnect/azure-blob"], False),
        ({**patched, "client.azure_nconnect": False}, ["nconnect/azure-blob"], True), (patched, [], False),
    ):
        advice = advise(base(), Answers(facts, pins={"mount.nconnect": 4}))
        held = advice.find("mount.nconnect")
        assert held is not None
        assert [one.rule for one in argue(base(), advice, held).costs] == costs
        assert is_forbidden(base(), advice, held) is refused


def test_a_pin_that_nothing_reads_changes_nothing_else() -> None:
    for asking in (False, True):
        advice = advise(base(), Answers({"storage.platform": "knfsd"}, pins={"mount.nofail": True}), asking=asking)
        assert advice.effects == ()
