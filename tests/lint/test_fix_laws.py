"""What a fix writes holds whatever is not known: lines, states of knowledge and their completions drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine import FactError, State, consistent
from advisor.lint.finding import Finding, apply
from advisor.lint.fix import fix_text
from advisor.lint.run import lint_text
from advisor.rulebase import values
from tests.lint.fixing import BOTH, base
from tests.tiers import examples

OPTIONS = (
    "nconnect=16", "nconnect=8", "nconnect=1", "rsize=1048576", "rsize=65536", "wsize=1048576", "wsize=8192",
    "actimeo=600", "actimeo=0", "actimeo=61", "timeo=14", "timeo=100", "timeo=6000", "retrans=1", "retrans=9", "soft",
    "softerr", "hard", "vers=3", "vers=4.0", "vers=4.1", "vers=4.2", "nolock", "lock", "sync", "noac", "nocto", "fsc",
    "lookupcache=none", "ro", "sec=krb5p", "proto=rdma", "noresvport", "bg", "nordirplus", "max_connect=4",
)


def _answers() -> dict[str, list[Any]]:
    """Fact → some of its answers, for the facts that can be asked for."""
    answers: dict[str, list[Any]] = {}
    for name, fact in base().facts.items():
        if fact.ask:
            usual = {"bool": [True, False], "enum": list(fact.values or ())}
            given = [int(text) if fact.type == "int" else text for text in fact.examples or ()]
            answers[name] = usual.get(fact.type) or given
    return answers


ANSWERS = _answers()
CHOICES = {fact: st.sampled_from(answers) for fact, answers in ANSWERS.items()}
lines = st.builds(
    "nas:/a /a {} {} 0 {}".format, st.sampled_from(["nfs", "nfs", "nfs4"]),
    st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=5, unique_by=lambda text: text.partition("=")[0]).map(
        ",".join
    ),
    st.sampled_from("02"),
)


def _grown(known: Mapping[str, Any], data: st.DataObject, facts: list[str], within: State) -> dict[str, Any]:
    """Answers to these facts beside what is known; those that contradict it, or `within`, are left out."""
    chosen = dict(zip(facts, data.draw(st.tuples(*(CHOICES[fact] for fact in facts)))))
    if _agree({**known, **chosen}, within):
        return {**known, **chosen}
    grown = dict(known)
    for fact, answer in chosen.items():
        if _agree({**grown, fact: answer}, within):
            grown[fact] = answer
    return grown


def _agree(facts: Mapping[str, Any], within: State) -> bool:
    engine = base().engine
    try:
        certain = engine.certain(facts)
    except FactError:
        return False
    both = {fact: mask & within.get(fact, mask) for fact, mask in certain.items()}
    return all(both.values()) and consistent(engine, {**within, **both})


def _judged(line: str, known: Mapping[str, Any]) -> list[Finding]:
    """Findings of rules of decisions, not of checks."""
    findings = lint_text(line, "fstab", base(), known).findings
    return [f for f in findings if f.tunable in base().decisions and "/" in f.rule]


def _asked(line: str, known: Mapping[str, Any], tunable: str) -> list[Any]:
    """The values that the rules may ask for in this line."""
    result = lint_text(line, "fstab", base(), known)
    assert result.rule_index is not None
    return [value for value, _ in result.rule_index.reach(tunable, result.judged[1].state)]


def _presumed(line: str, known: Mapping[str, Any]) -> State:
    """What the line was judged by: what is known, what the line shows, and what is presumed until it is denied."""
    return lint_text(line, "fstab", base(), known).judged[1].state


@examples(15, 120)
@given(lines, st.data())
def test_what_is_written_is_asked_for_whatever_is_not_known(line: str, data: st.DataObject) -> None:
    likely = ["storage.platform", "workload.kind", "workload.static_data"]
    some = data.draw(st.lists(st.sampled_from([*likely, *ANSWERS]), max_size=4, unique=True))
    known = _grown({}, data, some, {})
    for finding in _judged(line, known):
        if finding.fix is None or finding.tunable is None:
            continue
        fixed = apply(line, finding.fix.edits)
        again = [f for f in _judged(fixed, known) if f.tunable == finding.tunable]
        assert not [f for f in again if f.fix is not None or f.rule == finding.rule], "what was mended is told again"
        default = base().tunables[finding.tunable].default
        left_out = finding.remedy.startswith("Leave")
        presumed = _presumed(line, known)
        for _ in range(3):
            whole = _grown(known, data, [fact for fact in ANSWERS if fact not in known], presumed)
            for value in _asked(line, whole, finding.tunable):
                right = values.absence_supports(value, default) if left_out else values.same(value, finding.expected)
                # A bound that is met holds in every case, although more may be asked for in some.
                met = values.is_bound(finding.expected) and values.implies(value, finding.expected, default)
                assert right or met, (fixed, whole, value)


REFUSED = (
    "proto=udp", "udp", "migration", "minorversion=1", "minorversion=0", "mountproto=tcp", "mountport=9", "nfsprog=1",
    "rsize=x", "nconect=4", "nconnect=99", "max_connect=99", "sec=krb6", "vers=2", "vers=4", "vers=4.3", "v3", "v4.1",
    "port=x", "clientaddr=x", "lookupcache=no", "timeo=", "hard=1", "sloppy",
)
failing_lines = st.builds(
    "nas:/a /a {} {} 0 0".format, st.sampled_from(["nfs", "nfs4"]),
    st.lists(st.sampled_from((*REFUSED, *OPTIONS)), min_size=1, max_size=4, unique=True).map(",".join),
)


@examples(25, 300)
@given(failing_lines, st.sampled_from([{}, {"storage.platform": "azure-files"}, {"storage.platform": "aws-efs"},
                                       {"storage.platform": "azure-blob"}, {"client.kernel": "6.12.117"}]))
def test_no_run_leaves_a_line_that_fails_for_what_it_offered_to_fix(line: str, known: Mapping[str, Any]) -> None:
    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        found = lint_text(text, "fstab", base(), known).findings
        return found, found

    offered = {(f.rule, f.tunable) for f in judge(line)[0] if f.fix and f.consequence == "mount-fails"}
    fixed = fix_text(line, judge, BOTH).text
    failing = [finding for finding in judge(fixed)[0] if finding.consequence == "mount-fails"]
    assert not [f.message for f in failing if (f.rule, f.tunable) in offered or f.fix], fixed


@examples(15, 120)
@given(lines, st.data())
def test_a_message_offers_no_choice(line: str, data: st.DataObject) -> None:
    known = _grown({}, data, data.draw(st.lists(st.sampled_from(list(ANSWERS)), max_size=4, unique=True)), {})
    for finding in _judged(line, known):
        assert " or " not in finding.message, finding.message
        assert finding.remedy


@pytest.mark.parametrize(
    ("known", "line", "fixed"),
    [
        ({"workload.static_data": False, "workload.kind": "general"}, "actimeo=600", "actimeo=60"),
        (
            {"workload.static_data": False, "workload.prompt_changes": True}, "actimeo=600,lookupcache=none",
            "actimeo=1,lookupcache=none",
        ),
        ({"storage.platform": "anf"}, "vers=4.1,rsize=1048576", "vers=4.1,rsize=262144"),
        ({"storage.platform": "azure-files"}, "vers=4.1,nconnect=16", "vers=4.1,nconnect=16"),
        ({"storage.platform": "azure-files", "client.kernel": "6.12"}, "vers=4.1,nconnect=16", "vers=4.1,nconnect=4"),
    ],
)
def test_the_smallest_change_that_is_certain(known: dict[str, Any], line: str, fixed: str) -> None:
    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        found = lint_text(text, "fstab", base(), known).findings
        return found, [finding for finding in found if not finding.policy]

    assert fix_text(f"nas:/a /a nfs {line} 0 0\n", judge, BOTH).text == f"nas:/a /a nfs {fixed} 0 0\n"
