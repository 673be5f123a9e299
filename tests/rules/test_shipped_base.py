"""The rule base that is shipped: sound, and every example in it holds, also in the compiled form."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from ruamel.yaml import YAML

from advisor.engine import FactError, formula, holds, possible
from advisor.rulebase import rule_files
from advisor.rulebase.base import load, source_root
from advisor.rulebase.examples import example_outcomes
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import LINE_KINDS
from advisor.verify import verify
from tests.each import each
from tests.tiers import in_both, part, thorough

ROOT = source_root()
CONTENTS = rule_files.files(ROOT)


DECISIONS = {
    found[1].decode(): path
    for path, text in CONTENTS.items()
    if (found := re.search(rb"^decision: (\S+)$", text, re.MULTILINE))
}
"""Decision → its file."""


def read(path: str) -> Any:
    """What stands in a file, read in a way that shares nothing with the loader."""
    return YAML(typ="safe").load(CONTENTS[path])


@cache
def traits() -> dict[str, list[str]]:
    """Trait → the platforms that have it."""
    found: dict[str, list[str]] = {}
    for path in CONTENTS:
        if path.startswith("kb/platforms/"):
            told = read(path)
            for trait in told.get("traits", ()):
                found.setdefault(trait, []).append(told["platform"])
    return found


def given_facts(example: Any) -> dict[str, Any]:
    """What is given, with the platforms that a trait stands for."""
    facts = dict(example["given"])
    platform = facts.get("storage.platform")
    words = platform if isinstance(platform, list) else [platform]
    if not traits().keys().isdisjoint(words):
        facts["storage.platform"] = [one for word in words for one in traits().get(word, [word])]
    return facts


@thorough
def test_nothing_is_wrong() -> None:
    report = verify()
    assert report is not None
    assert "\n".join(map(str, report.problems)) == ""


def test_an_option_is_called_idle_by_the_program_itself(base: RuleBase) -> None:
    """A manual page alone has been wrong about that: noatime, bg beside an automount unit, no_wdelay.
    What stands in no line, such as a setting of a BIOS, is read by no program whose source one could open."""
    seen = {"code", "observed"}
    verdicts = [
        (tunable.id, verdict.cites)
        for tunable in base.tunables.values() if tunable.kind in LINE_KINDS
        for verdict in (*tunable.ignored, *tunable.overlooked)
    ]
    assert len(verdicts) > 30
    grade = {name: base.sources[claim.source].grade for name, claim in base.claims.items()}
    assert [name for name, cites in verdicts if not seen & {grade[claim] for claim in cites}] == []


def test_every_decision_is_looked_at(base: RuleBase) -> None:
    assert sorted(DECISIONS) == sorted(base.decisions)


@in_both
@each(lambda: part(sorted(DECISIONS), 4))
def test_examples_of_a_decision(name: str) -> None:
    base = load()
    told = read(DECISIONS[name])
    listed = [*told.get("examples", ()), *(e for r in told.get("rules") or told["rows"] for e in r.get("examples", ()))]
    assert len(listed) >= 1
    for example in listed:
        state = base.engine.state(given_facts(example))
        values = [value for value, _ in example_outcomes(base.engine, name, state)]
        values = [computed(value, example["given"]) for value in values]
        expected = example["expect"] if isinstance(example["expect"], list) else [example["expect"]]
        assert sorted(map(repr, values)) == sorted(map(repr, expected)), example


def computed(value: Any, given: dict[str, Any]) -> Any:
    numbers = {fact: number for fact, number in given.items() if type(number) is int}
    names = formula.names_in(value)
    return formula.in_numbers(value, numbers.get) if names and names <= numbers.keys() else value


def test_examples_of_capabilities(base: RuleBase) -> None:
    for told in read("kb/capabilities.yaml")["capabilities"]:
        fact = base.engine.fact(told["id"])
        for example in told["examples"]:
            cells = possible(base.engine, told["id"], base.engine.state(given_facts(example)))
            expected = example["expect"] if isinstance(example["expect"], list) else [example["expect"]]
            assert cells == sum(fact.mask(value) for value in expected), (told["id"], example)


@thorough
def test_examples_of_errata(base: RuleBase) -> None:
    for told in (read(path) for path in CONTENTS if path.startswith("rules/errata/")):
        for example in told["examples"]:
            given = given_facts(example)
            facts = [fact for fact in told["facts"] if fact in given or f"{fact}_stream" in given] or told["facts"]
            verdicts = [
                holds(base.engine, f"erratum:{told['erratum']}:{fact}", base.engine.state(given)) for fact in facts
            ]
            assert (True in verdicts) is example["expect"], (told["erratum"], example)


def test_every_platform_can_be_an_answer(base: RuleBase) -> None:
    platforms = {platform.platform for platform in base.platforms}
    assert platforms <= set(base.facts["storage.platform"].values)


def test_nothing_but_its_refusal_speaks_of_what_is_not_nfs(base: RuleBase) -> None:
    """Examples presume that the storage serves NFS, so none of them notices a rule that names what does not."""
    rules = {rule.id: rule.when for decision in base.decisions.values() for rule in decision.rules.values()}
    others = {name: entry.when for table in (base.checks, base.errata) for name, entry in table.items()}
    assert {name for name, when in {**rules, **others}.items() if "'not-nfs'" in str(when)} == {"access/not-nfs"}


def test_answers_of_facts_can_be_given(base: RuleBase) -> None:
    """What a fact shows as an example of an answer is an answer."""
    for name, fact in base.facts.items():
        for answer in fact.examples:
            try:
                base.engine.state({name: int(answer) if fact.type == "int" and answer.isdigit() else answer})
            except FactError as error:
                pytest.fail(str(error))


def test_what_is_ignored_is_never_more_than_a_note(base: RuleBase) -> None:
    """A site may see that otherwise in a pack of its own; here no build fails over what does no harm. That holds for a
    line of fstab, which means the same without the option; what settings ask for in vain is missing there."""
    judged = [
        rule for name, told in base.decisions.items() if base.tunables[name].kind in LINE_KINDS
        for rule in told.rules.values()
    ]
    of_lines = (told for name, told in base.checks.items() if any(one.fstab for one in base.check_examples[name]))
    told = [*judged, *of_lines]
    assert not [
        one for one in told if one.consequence == "ignored" and one.strength != "may"
    ]


def test_the_risk_of_a_rule_is_what_it_costs_and_no_instruction() -> None:
    """The first sentence stands behind "Price:" on the card."""
    orders = re.compile(r"(Open|Leave|Set|Add|Only ever|Before you|Put|Use|Make|Do|Run|Install|Keep|Write) ")
    told = [
        (rule["id"], rule["risk"]) for path in DECISIONS.values() for rule in read(path)["rules"] if "risk" in rule
    ]
    assert told
    assert [name for name, risk in told if orders.match(risk)] == []


def test_no_rule_calls_an_error_by_another_name() -> None:
    """A reason that tells of errors goes with a consequence that says so."""
    base = load()
    rules = [*base.checks.values(), *(rule for decision in base.decisions.values() for rule in decision.rules.values())]
    told = re.compile(r"\binaccessible\b|\bget errors\b|\bgets an error at once\b|handles? stale\b"
                      r"|\b(?:are|become) stale\b")
    telling = {r.consequence: r.why for r in rules if told.search(f"{getattr(r, 'message', '')} {r.why}")}
    assert "errors" in telling
    assert telling.keys().isdisjoint(("stale-data", "hang", "boot")), telling


YES_OR_NO = {"Do", "Does", "Is", "Are", "Has", "Have", "Can", "Will", "Must", "May"}


def test_a_question_with_a_list_of_answers_is_not_one_for_yes_or_no() -> None:
    asked = {fact.id: fact.ask for fact in load().facts.values() if fact.type == "enum" and fact.ask}
    assert [name for name, ask in asked.items() if ask.split()[0] in YES_OR_NO and " or " not in ask] == []


def test_the_checks_of_names_without_a_suffix_know_the_same_names(base: RuleBase) -> None:
    """The rule language cannot share a list of names between checks."""
    checks = [base.checks[f"systemd-{word}-name"] for word in ("after", "before", "requires")]
    assert len({str(test) for check in checks for test in check.on.values()}) == 1


def test_a_misspelled_option_is_not_taken_for_its_opposite(base: RuleBase) -> None:
    meant = base.lint["misspellings"]
    for word, option in (
        ("nolocks", "nolock"), ("no_lock", "nolock"), ("nolck", "nolock"), ("locks", "lock"), ("wr", "rw"),
        ("r/w", "rw"), ("rw.", "rw"), ("readonly", "ro"), ("asnyc", "async"), ("nosync", "async"), ("snyc", "sync"),
        ("nofg", "bg"), ("nobg", "fg"), ("background", "bg"), ("nosoft", "hard"), ("noreaddirplus", "nordirplus"),
        ("nofscache", "nofsc"), ("fscache", "fsc"), ("noresport", "noresvport"), ("no_suid", "nosuid"),
        ("nfsver", "vers"), ("noconnect", "nconnect"),
    ):
        assert meant[word] == option, word
