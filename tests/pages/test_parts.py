"""What single parts of pages say, beside the whole pages that other tests draw."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.advice.arguments import argue
from advisor.pages import host, rule_pages
from advisor.pages.blocks import Heading, plain, text
from advisor.pages.layout import terminal
from advisor.pages.style import Style
from advisor.pages.why import setting_page
from tests.advice.environments import base


def row(has: Before | None, written: Any = 16) -> Any:
    return SimpleNamespace(definition=base().tunables["nfs.conf.nfsd.threads"], written=written,
                           now=has and SimpleNamespace(in_effect=has, set=None))


@pytest.mark.parametrize(("has", "cell", "current"), [
    (None, "not collected", ""), (Before(None, ""), "not set", ""), (Before(None, "not mounted"), "not mounted", ""),
    (Before(8, "/etc/nfs.conf:2"), "8 /etc/nfs.conf:2", "now 8"), (Before(16, "x"), "16 x", ""),
])
def test_what_a_host_has_of_a_setting(has: Before | None, cell: str, current: str) -> None:
    told = host._cell(row(has), has, "not collected")
    assert plain(text(told)) == cell
    assert host.current_value(row(has)) == current


def test_a_page_tells_where_it_is_from() -> None:
    check, erratum = next(iter(base().checks.values())), next(iter(base().errata.values()))
    for page in (rule_pages.check_page(base(), check, ()), rule_pages.erratum_page(base(), erratum)):
        titles = [plain(one.text) for one in page if isinstance(one, Heading)]
        assert titles[-1] == "Sources", titles


def test_what_a_pin_costs_has_its_source() -> None:
    facts = {"storage.platform": "anf", "storage.volume_protocol": "3"}
    advice = advise(base(), Answers(facts, pins={"mount.vers": "4.1"}))
    held = advice.find("mount.vers")
    assert held is not None
    (cost,) = argue(base(), advice, held).costs
    told = terminal(setting_page(base(), advice, held), 200, Style(False))
    costs = told.partition("What pinning it costs")[2].partition("\nSources")[0]
    assert [cited for cited in cost.cites if cited.claim in costs], cost.cites
