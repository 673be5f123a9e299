"""What is behind a finding: of a rule its decision, of a check the check."""

from __future__ import annotations

import pytest

from advisor.lint.evidence import _origin, evidence
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

BASE = load()
LINES = {
    "nas:/a /a nfs vers=4.2,soft,rsize=4096,nconnect=32 0 0": {"storage.platform": "anf", "client.kernel": "6.1"},
    "fs-1.efs.eu-west-1.amazonaws.com:/ /a nfs vers=3,soft 0 0": {"workload.kind": "postgresql"},
    "nas:/a /a nfs udp,noac,intr 0 0": {"storage.platform": "ontap", "workload.kind": "oracle"},
}


def test_a_finding_has_its_decision_or_its_check_behind_it() -> None:
    of_rules = of_checks = 0
    texts = [(f"{line}\n", facts) for line, facts in LINES.items()]
    texts += [
        (f"{example.fstab}\n", dict(example.given)) for name in BASE.checks for example in BASE.check_examples[name]
        if example.fstab is not None and example.finds
    ]
    for text, facts in texts:
        result = lint_text(text, "fstab", BASE, facts)
        for finding in result.findings:
            behind = evidence(result, finding)
            decision = BASE.decisions.get(finding.tunable or "")
            if decision is not None and finding.rule in decision.rules:
                assert behind.wins[0].rule == finding.rule, finding
                assert behind.check is None
                of_rules += 1
            else:
                assert behind.check is BASE.checks.get(finding.rule)
                assert behind.check is not None or finding.rule in BASE.errata, finding
                assert (behind.wins, behind.beaten) == ((), ())
                of_checks += 1
    assert of_rules > 30
    assert of_checks > 100


def test_what_a_rule_still_needs_is_not_known_yet() -> None:
    waiting = 0
    for line, facts in LINES.items():
        result = lint_text(f"{line}\n", "fstab", BASE, facts)
        for finding in result.findings:
            behind = evidence(result, finding)
            for side in (*behind.wins, *behind.beaten):
                assert not [fact for fact in facts if f"{fact} is" in side.needs], side
                waiting += bool(side.needs)
    assert waiting > 2
    result = lint_text("nas:/a /a nfs soft 0 0\n", "fstab", BASE, {})
    (soft,) = (one for one in result.findings if one.tunable == "mount.hard")
    needs = {side.rule: side.needs for side in evidence(result, soft).wins}
    assert needs["hard/default"] == ""
    assert needs["hard/mail"] == "workload.kind is mail"


@pytest.mark.parametrize(("line", "fact", "origin"), [
    ("nas:/a /a nfs vers=3 0 0", "mount.vers", "the line says vers=3"),
    ("nas:/a /a nfs vers=3 0 0", "host.role", "a host with NFS lines in its fstab is a client"),
])
def test_where_a_fact_is_from(line: str, fact: str, origin: str) -> None:
    result = lint_text(f"{line}\n", "fstab", BASE, {})
    assert _origin(result.rule_index, result.judged[1], fact) == origin
