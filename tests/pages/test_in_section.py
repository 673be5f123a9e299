"""A setting of a file with sections is shown as it is written in that file."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.pages.wording import setting_text
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Values


@pytest.mark.parametrize(("platform", "tunable", "shown"), [
    ("ganesha", "ganesha.conf.NFS_CORE_PARAM.Enable_NLM", "NFS_CORE_PARAM { Enable_NLM = false; }"),
    ("knfsd", "nfs.conf.nfsd.vers3", "[nfsd] vers3=n"),
])
def test_as_it_is_written(platform: str, tunable: str, shown: str) -> None:
    facts: dict[str, Values] = {
        "host.role": "nfs-server", "storage.platform": platform, "server.ha": True, "server.v3_clients": False,
    }
    advice = advise(load(), Answers(facts))
    assert setting_text(next(one for one in advice.settled if one.tunable == tunable)) == shown
