"""What is behind a finding: of a rule its decision, of a check the check."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.lint.evidence import _origin, _why_inferred, _words, evidence, line_of
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

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


def test_a_known_fault_has_the_version_behind_it() -> None:
    facts = {"client.kernel": "5.12.4", "client.kernel_stream": "mainline"}
    result = lint_text("nas:/a /a nfs hard,timeo=600 0 0\n", "fstab", BASE, facts)
    (found,) = (one for one in result.findings if one.rule == "readdir-loop-5-11")
    behind = evidence(result, found)
    assert [(one.fact, one.value, one.origin) for one in behind.known] == [
        ("client.kernel", "5.12.4", "given"), ("client.kernel_stream", "mainline", "given")]
    assert (behind.wins, behind.check) == ((), None)


@pytest.mark.parametrize(("source", "fstype", "origin"), [
    ("fs-1.efs.eu-west-1.amazonaws.com:/", "nfs4", "the server's name matches *.efs.*.amazonaws.com"),
    ("fs-1:/", "efs", "the mount's type is efs"),
])
def test_what_shows_the_platform(source: str, fstype: str, origin: str) -> None:
    result = lint_text(f"{source} /a {fstype} hard 0 0\n", "fstab", BASE, {})
    mask = result.judged[1].inferred_platform
    assert mask is not None
    assert _why_inferred(result, 1, mask)[0] == origin


def test_where_the_facts_of_a_whole_file_are_from() -> None:
    given_at = {"a": "x", "b": "f:1"}
    index: Any = SimpleNamespace(observed={"a": "counted there"}, given_at=given_at, known={"b": 1, "c": 1})
    assert [_origin(index, None, fact) for fact in ("a", "b", "c", "d", "host.role")] == [
        "counted there", "given at f:1", "given", "follows from the given facts",
        "a host with NFS lines in its fstab is a client"]
    assert _words([True, "x", 3]) == "yes, x or 3"


@pytest.mark.parametrize(("options", "rule", "known"), [
    ("vers=3,sec=krb5", "kerberos-on-v3", [("mount.vers", "3", "the line says vers=3")]),
    ("rw, hard", "fstab-line-dropped", []),  # nothing is judged in it
])
def test_what_a_line_says_is_behind_its_finding(options: str, rule: str, known: list[tuple[str, str, str]]) -> None:
    result = lint_text(f"nas:/a /a nfs {options} 0 0\n", "fstab", BASE, {})
    (found,) = (one for one in result.findings if one.rule == rule)
    behind = evidence(result, found)
    assert [(one.fact, one.value, one.origin) for one in behind.known] == known
    assert behind.check is BASE.checks[rule]


@each(lambda: [
    ("nas:/srv /mnt", ("nas", "/srv", "/mnt")), ("/mnt nas:/srv", ("nas", "/srv", "/mnt")), ("nas", ("nas", "", "")),
    ("fd00::1 /mnt", ("fd00::1", "", "/mnt")), ("[fd00::1]:/a", ("fd00::1", "/a", "")), ("", ("", "", "")),
    ("nas:/srv /mnt nfs hard 0 0", ("nas", "/srv", "/mnt")),
])
def test_the_mount_that_a_text_names(text: str, names: tuple[str, str, str]) -> None:
    mount = line_of(BASE, text).mount
    assert (mount.server, mount.export, mount.target) == names


@each(lambda: [
    ("nas:/a nas:/b", "nas:/b is extra"), ("/a /b", "/b is extra"), ("nas nas", "nas is extra"),
    (":/srv /mnt", "no server name before the colon"), ("[]:/srv /mnt", "no server is named"),
    ("/dev/sda / ext4 defaults 0 1", "not an NFS line"),
])
def test_a_text_that_names_no_mount_says_why(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        line_of(BASE, text)
