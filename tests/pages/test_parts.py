"""What single parts of pages say, beside the whole pages that other tests draw."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.answers import Before
from advisor.pages import host, rule_pages
from advisor.pages.blocks import Heading, plain, text
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
