"""What is recommended is what the linter finds nothing to say about, under the same facts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.advice.advise import advise, all_pins
from advisor.advice.answers import Answers
from advisor.advice.rows import form_elsewhere, mount_options
from advisor.engine import FactError, consistent
from advisor.install import artefacts
from advisor.install.build import checked_context
from advisor.install.scripts import mounts
from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.pages.why import objections_to_pin, with_refusals
from tests.install.cases import CASES, base
from tests.tiers import thorough

pytestmark = thorough

_VERSIONS = {
    "kernel": ["3.10.0-957.el7", "4.18.0-193.el8", "4.18.0-477.el8", "5.14.0-362.el9", "5.3", "5.15", "6.1", "6.12"],
    "deb": ["8.6", "9.2", "22.04", "24.04", "12", "13", "2.6.4", "2.8.2"],
    "rpm": ["2.02-1"],
}
_NUMBERS = [1, 2, 8, 16, 64, 128, 1000, 4096, 65536]
_STREAMS = {".el7": "el7", ".el8": "el8", ".el9": "el9"}


def value_of(name: str) -> st.SearchStrategy[Any]:
    """A value that somebody may answer."""
    fact = base().facts[name]
    if fact.type == "enum":
        return st.sampled_from(list(fact.values))
    if fact.type == "bool":
        return st.booleans()
    if fact.type == "version":
        return st.sampled_from(_VERSIONS[fact.scheme])
    inside = [n for n in _NUMBERS if (fact.minimum or n) <= n <= (fact.maximum or n)]
    return st.sampled_from(inside or [fact.minimum])


@st.composite
def environments(draw: st.DrawFn, **given: str) -> dict[str, Any]:
    """Some of the questions, answered so that the answers go together with those given. The platform is answered nearly
    always: little follows without it."""
    asked = [name for name, fact in base().facts.items() if fact.ask and name not in ("mount.proto",)]
    chosen = draw(st.sets(st.sampled_from(asked), max_size=len(asked)))
    if draw(st.integers(0, 9)):
        chosen.add("storage.platform")
    facts: dict[str, Any] = dict(given)
    for name in asked:
        if name not in chosen or name in given:
            continue
        more = {**facts, name: draw(value_of(name))}
        if name == "client.kernel":
            more["client.kernel_stream"] = next(
                (stream for part, stream in _STREAMS.items() if part in more[name]), "mainline"
            )
        if can_be(more):
            facts = more
    return without_costly_pins(facts)


def can_be(facts: dict[str, Any]) -> bool:
    """Whether all of it can be true."""
    try:
        return consistent(base().engine, base().engine.state(facts))
    except FactError:
        return False


def without_costly_pins(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts without settings (mount.vers may be answered) of which the advice says what speaks against them."""
    pins = all_pins(base(), Answers(facts=facts))
    if not pins:
        return facts
    try:
        advice = advise(base(), Answers(facts=facts))
    except FactError:
        costly = set(pins)
    else:
        judged = with_refusals(base(), advice).advised
        costly = {one.tunable for one in judged if objections_to_pin(base(), advice, one)}
    return {name: value for name, value in facts.items() if name not in costly}


def findings(facts: dict[str, Any]) -> tuple[str, list[Finding]]:
    """The fstab that is written, and what the linter says of it."""
    context = checked_context(base(), advise(base(), Answers(facts=facts)))
    made = {one.path: one.text for one in mounts(context)}
    if "fstab" not in made:
        elsewhere = form_elsewhere(context.advice) is not None
        assert context.is_server or context.lacking or elsewhere or not mount_options(context.advice)
        return "", []
    return made["fstab"], lint_text(made["fstab"], "fstab", base(), facts).findings


SAID_ANYWAY = {
    "local-locks",  # a note on what nolock costs, also where a rule asks for nolock
    "nconnect-few-requests",  # a note: the storage's number stands until somebody measures
    "fsc-needs-cachefilesd",  # a reminder of a service, which no line can show
    # The work itself does not belong on NFS:
    "container-storage-on-nfs", "sqlite-on-nfs", "git-on-cloud-nfs", "index-on-nfs",
    "azure-files-many-groups", "azure-blob-locks",  # nor this work on that service
    "anf-hana-on-v3", "kerberos-on-v3",  # the volume has to be converted first
    "clear-text-over-internet",  # a tunnel, which no line can show either
    # Of these, checks speak and no decision does:
    "v3-locks-in-container",  # client.container
    "groups-over-16",  # sec=sys was answered, and it is the server that can look groups up
}
"""What no line could do anything about, or what only the administrator can know. Known bugs are told apart: recommend
tells them too."""


def said(found: list[Finding]) -> list[tuple[str, str, str]]:
    """Without matters of policy, and without what is said of any line."""
    left_out = {*SAID_ANYWAY, *base().errata}
    return [(f.rule, f.severity, f.message) for f in found if not f.policy and f.rule not in left_out]


@given(environments(**{"host.role": "nfs-client"}))
@settings(max_examples=75, deadline=None, suppress_health_check=list(HealthCheck))
def test_lint_has_nothing_to_say(facts: dict[str, Any]) -> None:
    """Two of three have a line to judge."""
    text, found = findings(facts)
    assert said(found) == [], (facts, text)


@pytest.mark.parametrize("case", CASES)
def test_lint_has_nothing_to_say_of_the_cases(case: str) -> None:
    _, found = findings(CASES[case])
    assert said(found) == []


@pytest.mark.parametrize("platform", list(base().facts["storage.platform"].values))
def test_names_that_stand_in_are_not_judged(platform: str) -> None:
    """The form of a source is asked of real names."""
    _, found = findings({"storage.platform": platform})
    assert not [one for one in found if "-form" in one.rule or "source" in one.rule]


@given(environments(), st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_equal_answers_give_equal_bytes(facts: dict[str, Any], random: Any) -> None:
    shuffled = list(facts.items())
    random.shuffle(shuffled)
    advices = [advise(base(), Answers(facts=dict(items))) for items in (facts.items(), shuffled)]
    texts = [[one._replace(content=one.text) for one in artefacts(base(), advice)] for advice in advices]
    assert texts[0] == texts[1]
