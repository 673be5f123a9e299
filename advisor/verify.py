"""`advisor rules verify` and `rules test`: every problem that prevents loading, and those that only a complete check
can find. Examples of checks, causes and conclusions, and the texts of messages, are tried with the code that users run;
and the grammar of options is proved to accept everything that the rules advise."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from advisor.check.check_host import host_findings
from advisor.check.client_server import findings_between
from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import MessageIndex
from advisor.diagnose.score import RankedCause, rank
from advisor.engine import FactError, State, word_list
from advisor.engine.base import RankedDecision
from advisor.engine.base import RankedRule as Advised
from advisor.engine.cells import IntFact
from advisor.engine.formula import in_numbers, names_in
from advisor.engine.situation import first_case
from advisor.files.fstab import split_options
from advisor.files.kinds import JUDGED
from advisor.files.option_reading import read_item
from advisor.files.option_table import OptionTables, OptionVerdict, Test
from advisor.lint.finding import Finding, apply
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.observe.quantities import conclusions
from advisor.rulebase import base, build, citations, rule_files, values
from advisor.rulebase.catalogue import Authored, Catalogue, Entry, is_of_pack
from advisor.rulebase.compile import assemble
from advisor.rulebase.document import Problem, YamlPath, mappings_in, merge_repeats, shown
from advisor.rulebase.examples import impossible, one_case, to_flow, unlike
from advisor.rulebase.model import CheckExample, Record, RuleBase, Scalar, Tunable
from advisor.rulebase.values import COMMON
from advisor.rulebase.words import message_pieces

SILENT = ("keep", "omit", "n/a")
MANY = 1 << 31
"""A number that is larger than any that an option takes."""
LINTING = (
    *build.FOUNDATION, "rules/checks/", build.ERRATA, "kb/host-files.yaml", "kb/kinds.yaml", "kb/layouts.yaml",
    "kb/platforms/", "kb/tunables/",
)
"""What the examples of checks rest on: no check rests on a decision."""
DIAGNOSIS = ("rules/", "kb/concepts.yaml", "kb/errno.yaml", "kb/messages/", "kb/phrases/")
"""What the examples of causes rest on besides: a pasted line is linted, decisions and all."""
OBSERVATION = ("rules/conclusions/", "rules/observations/")
"""What the examples of conclusions rest on besides."""


class Report(NamedTuple):
    """`size`: what was looked at, in words. `notes`: remarks that are not problems."""

    problems: list[Problem]
    notes: list[str]
    size: str


def verify(root: str | None = None) -> Report | None:
    """Look at the rule base at `root`, by default at the one in use; None when there is none."""
    root = os.path.abspath(root) if root is not None else base.source_root()  # noqa: PTH100  see rule_files.py
    contents = rule_files.files(root)
    if not contents:
        return None
    verified = rule_files.Verified(root, contents)
    validated = build.check(root, contents, thorough=True, verified=verified)
    problems = [*validated.problems, *validated.near_misses]
    notes = []
    if validated.unused and not validated.problems:  # a faulty file may be the one that needs them
        notes.append(f"no rule needs the fact{'s' * (len(validated.unused) > 1)} {word_list(validated.unused, 'and')}")
    if validated.problems or validated.base is None or validated.diagnosis is None:
        if validated.catalogue.checks:
            notes.append("the examples of checks were not tried: they need a rule base without problems")
    else:
        compiled = assemble(validated.catalogue, validated.base, validated.diagnosis, "")
        rulebase = RuleBase(compiled)
        examples: tuple[tuple[str, tuple[str, ...], Callable[[], Iterator[Problem]]], ...] = (
            ("checks", LINTING, lambda: check_examples(validated.catalogue, compiled)),
            ("causes", (*LINTING, *DIAGNOSIS), lambda: cause_examples(validated.catalogue, rulebase)),
            ("conclusions", (*LINTING, *OBSERVATION), lambda: conclusion_examples(validated.catalogue, rulebase)),
        )
        for part, rests_on, try_all in examples:
            problems += verified.problems(part, rests_on, try_all)
        problems += unaccepted_options(validated.catalogue, rulebase, validated.catalogue.rules)
        problems += _citation_gaps(validated.catalogue, rulebase)
        problems += _unread_kinds(validated.catalogue)
        notes += citations.checked_share(rulebase.claims)
    verified.keep()
    return Report(merge_repeats(problems), notes, _size(validated.catalogue))


def _size(catalogue: Catalogue) -> str:
    """What there is, in words: "1 check, 2 errata and 3 rules"."""
    counts: dict[str, Collection[object]] = {
        "rule": catalogue.rules, "decision": catalogue.decisions, "check": catalogue.checks,
        "erratum": catalogue.errata, "fact": catalogue.known_facts, "tunable": catalogue.tunables,
        "message": catalogue.messages, "cause": catalogue.causes, "family": catalogue.families,
        "conclusion": catalogue.conclusions, "claim": catalogue.claims, "source": catalogue.sources,
    }
    return _enumerated({noun: len(items) for noun, items in counts.items()})


def _enumerated(counts: Mapping[str, int]) -> str:
    plurals = {"erratum": "errata", "family": "families"}
    nouns = [f"{count} {noun if count == 1 else plurals.get(noun, noun + 's')}" for noun, count in counts.items()]
    return word_list(nouns, "and")


def _citation_gaps(catalogue: Catalogue, compiled: RuleBase) -> Iterator[Problem]:
    """Sections and claims that were left out, and reasons that no longer hold."""
    for kind, name, detail in citations.gaps(compiled):
        if kind == "empty-section":
            item = catalogue.sources[name]
            at = ("sections", item.record.sections.index(detail))
            why, write = "no claim cites it", f'add a claim with at: "{detail}", or delete the section'
            yield item.problem(at, f'the section "{detail}"', why, write)
        elif kind == "unexplained":
            why = "nothing rests on it, and it gives no reason"
            write = "cite it, or add unused: why nothing does"
            yield catalogue.claims[name].problem(("id",), f'the claim "{name}"', why, write)
        else:
            why = f"something rests on it: {detail}"
            yield catalogue.claims[name].problem(("unused",), f'"unused" of {name}', why, "delete it", key=True)


def _unread_kinds(catalogue: Catalogue) -> Iterator[Problem]:
    """Kinds of files that have no reader."""
    why, write = "no reader of advisor/files/kinds.py has it", "correct the name, or add its reader there"
    for item in catalogue.host_files.values():
        if item.record.kind not in JUDGED:
            yield item.problem(("kind",), f'the kind "{item.record.kind}"', why, write)
    for kind in catalogue.kinds.values():
        for index, name in enumerate(kind.record.file.kinds if kind.record.file else ()):
            if name not in JUDGED:
                yield kind.problem(("file", "kinds", index), f'the kind "{name}"', why, write)


def verify_pack(folder: str) -> Report:
    """Everything that is wrong with a pack, near misses too; `size` counts what is in it, examples included.

    Raises RuleBaseError when there are no rules in the folder."""
    files = base.pack_files(folder)
    folder = folder.rstrip("/") or "/"
    root = base.source_root()
    checked = build.check(root, rule_files.files(root), thorough=True, added={folder: files})
    own = _pack_entries(checked.catalogue)
    problems = [*checked.problems, *checked.near_misses]
    notes = []
    if checked.problems or checked.base is None or checked.diagnosis is None:
        if own.checks:
            notes.append("the examples of checks were not tried: they need rules without problems")
    else:
        compiled = assemble(checked.catalogue, checked.base, checked.diagnosis, "")
        wrong = [*check_examples(own, compiled), *unaccepted_options(checked.catalogue, RuleBase(compiled), own.rules)]
        problems += [build.with_real_paths(problem, [folder]) for problem in wrong]
    return Report(merge_repeats(problems), notes, _pack_size(own))


def _pack_entries(catalogue: Catalogue) -> Catalogue:
    """What is in packs alone. A decision that was there before is not; the rules that were added to it are."""
    own = Catalogue()
    for name in ("rules", "checks", "errata", "decisions", "claims"):
        items: dict[str, Authored[Record]] = getattr(catalogue, name)
        setattr(own, name, {item.id: item for item in items.values() if is_of_pack(item.file)})
    return own


def _pack_size(own: Catalogue) -> str:
    owners: list[Entry] = [*own.rules.values(), *own.checks.values(), *own.errata.values(), *own.decisions.values()]
    counts = {
        "rule": len(own.rules), "check": len(own.checks), "erratum": len(own.errata), "claim": len(own.claims),
        "example": sum(len(mappings_in(item.data.get("examples"))) for item in owners),
    }
    return _enumerated({noun: count for noun, count in counts.items() if count})

_ABSENT = 0.06
"""A cause whose likelihood is less than this share of the first one's is as good as absent."""
_SAMPLES = {
    "server": "nas7", "source": "nas7:/vol9/home", "path": "/vol9/home", "address": "192.0.2.7", "number": "5",
    "version": "5.14.0-362", "errno": "Permission denied", "name": "xyzzy", "option": "xyzzy", "any": "xyzzy plugh",
}
"""What is in a field when a text is tried."""


def check_examples(catalogue: Catalogue, compiled: Mapping[str, object]) -> Iterator[Problem]:
    """Examples in which a check does not find what it says. `compiled` is the catalogue, compiled."""
    # No check rests on a decision, and judging all decisions for each example would take seconds.
    rulebase = RuleBase({**compiled, "decisions": {}})
    rulebase.lint = {**rulebase.lint, "forced": {}}
    indexes: dict[str, RuleIndex] = {}  # many examples know the same
    for item in catalogue.checks.values():
        for number, example in enumerate(item.record.examples):
            at: YamlPath = ("examples", number)
            try:
                findings = _findings(example, rulebase, indexes)
            except FactError as error:
                yield impossible(item, at, str(error))
                continue
            own = [finding for finding in findings if finding.rule == item.id]
            wanted, count = example.finds, len(own)
            if (count if type(wanted) is int else count > 0) != wanted:
                others = ", ".join(sorted({finding.rule for finding in findings} - {item.id}))
                found = f"it finds {count} time{'s' * (count != 1)}" + (f" (others do: {others})" if others else "")
                times = shown(wanted) if type(wanted) is int else "something" if wanted else "nothing"
                yield unlike(item, (*at, "finds"), f"find {times}", found)
                continue
            if example.says is not None and all(finding.message != example.says for finding in own):
                said = f"it says {shown(own[0].message)}" if own else "it says nothing"
                yield unlike(item, (*at, "says"), f"say {shown(example.says)}", said)
            if example.fixed is not None and (fixed := _fixed(example.kind_and_text()[1], own)) != example.fixed:
                expected, write = f"write {shown(example.fixed)}", "correct the fix or the example"
                yield unlike(item, (*at, "fixed"), expected, f"its fix leaves {shown(fixed)}", write)


def _findings(example: CheckExample, rulebase: RuleBase, indexes: dict[str, RuleIndex]) -> Sequence[Finding]:
    """What is found in an example. `indexes`: those of kinds of files, alone and with what is given."""
    kind, text = example.kind_and_text()
    if example.host is not None:
        return host_findings(rulebase, example.host, example.given)
    if example.server is not None:
        return findings_between(rulebase, example)
    if kind not in indexes:
        indexes[kind] = RuleIndex(rulebase, {}, kind=kind, profiles=rulebase.profiles)
    key = kind + to_flow(example.given)
    if key not in indexes:
        indexes[key] = indexes[kind].knowing(example.given)
    name = example.name or "example"
    return lint_text(text, name, rulebase, example.given, index=indexes[key], kind=kind).findings


def _fixed(text: str, findings: list[Finding]) -> str:
    """The text after the fixes of these findings."""
    lines = text.split("\n")
    for finding in findings:
        if finding.fix is not None:
            lines[finding.line - 1] = apply(lines[finding.line - 1], finding.fix.edits)
    return "\n".join(lines)


def cause_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a cause is not what they say, and texts that are taken for other messages."""
    reader = base.ready(Reader)
    yield from _own_texts(catalogue, reader.index)
    for item in catalogue.causes.values():
        for number, example in enumerate(item.record.examples):
            ranked = rank(base, reader.read(example.text, example.given))
            statuses = _status_of(ranked, item.id)
            if example.expect not in statuses:
                found = f"it is {' and '.join(statuses)}" + (f"; first is {ranked[0].cause.id}" if ranked else "")
                yield unlike(item, ("examples", number, "expect"), f"be {example.expect}", found)


def _status_of(ranked: list[RankedCause], name: str) -> list[str]:
    """What a cause is among those that were found: its status, and whether it is the first, or as likely as that; its
    family may stand before it. One that is much less likely than the first is as good as absent."""
    causes = [one for one in ranked if one.cause.id != one.family]
    for one in causes:
        if one.cause.id == name:
            first = one.status == causes[0].status != "ruled-out" and one.likelihood > causes[0].likelihood * 0.999
            absent = one.status == "possible" and one.likelihood < causes[0].likelihood * _ABSENT
            return [one.status, *(["first"] if first else []), *(["absent"] if absent else [])]
    return ["absent"]


def _own_texts(catalogue: Catalogue, index: MessageIndex) -> Iterator[Problem]:
    for item in catalogue.messages.values():
        message = item.record
        written: list[tuple[YamlPath, str]] = [] if message.text is None else [(("text",), message.text)]
        written += [(("also", number), text) for number, text in enumerate(message.also)]
        for at, text in written:
            pieces = message_pieces(text)
            sample = "".join(_SAMPLES.get(field.rstrip("0123456789"), "") + literal for literal, field in pieces)
            sample = f"{message.program}: {sample}"
            found = [hit.message.id for hit in index.hits(index.folding.line(sample))]
            if item.id not in found:
                other = f"it is taken for {found[0]}" if found else "nothing is found in it"
                write = "make the text longer, or name the other message in same_text"
                yield item.problem(at, f'the text "{sample}" of {item.id}', other, write)


def conclusion_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a conclusion is drawn and should not be, or the other way round."""
    for item in catalogue.conclusions.values():
        for number, example in enumerate(item.record.examples):
            drawn = {conclusion.conclusion.id: conclusion for conclusion in conclusions(base, example.given)}
            if (item.id in drawn) is not example.expect:
                expected, found = ("be concluded", "it is not") if example.expect else ("not be concluded", "it is")
                yield unlike(item, ("examples", number, "expect"), expected, found)
            elif example.expect and "?" in drawn[item.id].says:
                yield item.problem(("examples", number, "given"), f'"{drawn[item.id].says}"',
                                   "the example gives no value for a field of says", "add it to given")


class Contradiction(NamedTuple):
    """An advised option that the grammar would speak against. `rules`: the one that advises it, then those that advise
    what it cannot stand with; `witness`: a case in which all of them win."""

    decision: str
    rules: tuple[str, ...]
    text: str
    kind: str
    why: str
    witness: State


class _Way(NamedTuple):
    """One way in which a circumstance may come about: in these boxes, outside of `shut`, by these rules."""

    boxes: tuple[int, ...]
    shut: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()


def contradictions(base: RuleBase) -> Iterator[Contradiction]:
    """Every advised option that the grammar does not accept, one for each rule."""
    proof = _Acceptance(base)
    for name in base.decisions:
        tunable = base.tunables[name]
        if tunable.kind == "mount-option":
            for rule in base.engine.decision(name).rules:
                for value in proof.written(tunable, rule.value):
                    contradiction = proof.against(name, rule, values.spell(tunable, value))
                    if contradiction is not None:
                        yield contradiction
                        break


class _Acceptance:
    def __init__(self, base: RuleBase) -> None:
        self.base, self.engine, self.space = base, base.engine, base.engine.space
        self.tables = OptionTables(base.tunables, base.lint)

    def written(self, tunable: Tunable, value: Scalar) -> list[Scalar]:
        """The values that may come to be written for a rule's value; of a bound or a formula its ends."""
        if value in SILENT:
            return []
        if names := names_in(value):
            numbers = dict.fromkeys(in_numbers(str(value), corner.get) for corner in self._corners(names))
            return [end for number in numbers if number is not None for end in self.written(tunable, number)]
        if values.is_bound(value):
            ends = [values.nearest(str(value), number) for number in (tunable.default, -MANY, MANY)]
            return [end for end in dict.fromkeys(ends) if end is not None and abs(end) != MANY]
        return [value]

    def _corners(self, names: Iterable[str]) -> list[dict[str, int]]:
        """The least and the largest numbers of these facts, in every combination."""
        ends = {}
        for name in sorted(names):
            fact = self.engine.facts[name]
            assert isinstance(fact, IntFact)
            ends[name] = (fact.minimum or 0, MANY if fact.maximum is None else fact.maximum)
        return [dict(zip(ends, corner)) for corner in product(*ends.values())]

    def against(self, name: str, rule: Advised, text: str) -> Contradiction | None:
        """What speaks first against writing this option where the rule wins."""
        types = self.base.tunables[name].applies_to or [COMMON]
        item = split_options(text)[0]
        read = read_item(self.tables, self.tables.of(types[0]), types[0], item)
        decision = self.engine.decision(name)
        objections: list[tuple[str, str, list[list[_Way]]]] = []
        for problem in read.problems:
            objections.append((problem.kind, problem.why or problem.message, []))
        for problem, when in read.open:
            objections.append(
                (problem.kind, problem.why or problem.message, [[self._named(str(problem.condition), when is True)]])
            )
        if read.entry is not None:
            for verdict in read.entry.shared.rules:
                if (verdict.fits is None or verdict.fits(read.value)) and verdict.written(text):
                    objections.append((verdict.kind, verdict.why, self._circumstances(verdict)))
        if COMMON not in types:
            other = self._decided("fstab.type", lambda value: value not in types)
            objections.append(("unknown-option", f"Only the type {word_list(types)} knows the option.", [other]))
        for kind, why, parts in objections:
            for ways in product(*parts):
                case = self._met(decision, rule, ways)
                if case is not None:
                    others = tuple(other for way in ways for other in way.rules)
                    return Contradiction(name, (rule.id, *others), text, kind, why, case)
        return None

    def _named(self, condition: str, wanted: bool) -> _Way:
        boxes = self.engine.condition(condition).boxes
        return _Way(boxes) if wanted else _Way((self.space.everything,), boxes)

    def _circumstances(self, verdict: OptionVerdict) -> list[list[_Way]]:
        """What has to hold together for a verdict, each with the ways in which it may."""
        parts = [[self._named(verdict.condition, True)]] if verdict.condition is not None else []
        for tunable, test in verdict.together:
            definition = self.base.facts.get(tunable)
            if test is not None and definition is not None and definition.type in ("enum", "bool"):
                listed: list[Scalar] = [*(definition.values or ())] if definition.type == "enum" else [False, True]
                mask = 0
                for value in listed:
                    mask |= self.engine.facts[tunable].mask(value) if test(value) else 0
                parts.append([_Way((self.space.only(tunable, mask),))] if mask else [])
            elif tunable in self.base.decisions:
                parts.append(self._decided(tunable, test))
            elif test is not None:
                parts.append([])  # no rule advises it, so that an advised line does not have it
        return parts

    def _decided(self, tunable: str, test: Test | None) -> list[_Way]:
        """The rules that write a value which passes the test; if there is none, those that write nothing."""
        decision, definition = self.engine.decision(tunable), self.base.tunables[tunable]
        ways = []
        for rule in decision.rules:
            wanted = self.written(definition, rule.value)
            if (test is None and not wanted) or (test is not None and any(map(test, wanted))):
                ways.append(_Way(rule.boxes, decision.covers_above(rule), (rule.id,)))
        return ways

    def _met(self, decision: RankedDecision, rule: Advised, ways: tuple[_Way, ...]) -> State | None:
        """A case in which the rule wins and everything else holds."""
        cases, shut = list(rule.boxes), decision.covers_above(rule)
        for way in ways:
            cases = [both for a in cases for b in way.boxes if (both := self.space.meet(a, b)) is not None]
            shut += way.shut
        reads = 0
        for box in (*cases, *shut):
            reads |= self.space.facts_of(box)
        situation = self.engine.situation({})
        case = first_case(self.space, cases, shut, situation.near(reads).covers) if cases else None
        return None if case is None else self.space.more(situation.box, case)

_CONSEQUENCES = {"ignored-option": "it has no effect", "value-changed": "it comes out as another value"}


def unaccepted_options(catalogue: Catalogue, base: RuleBase, blamed: Container[str]) -> Iterator[Problem]:
    """Options that rules advise where they are refused or ignored. `blamed`: the rules at which it may be told; of
    several the one that advises the option comes first."""
    for contradiction in contradictions(base):
        name = next((rule for rule in contradiction.rules if rule in blamed), None)
        if name is not None:
            yield _problem(catalogue, base, contradiction, name)


def _problem(catalogue: Catalogue, base: RuleBase, contradiction: Contradiction, name: str) -> Problem:
    case = one_case(base.engine, contradiction.witness)
    where = f"where {to_flow(case)}" if case else "whatever is known"
    others = [rule for rule in contradiction.rules if rule != name]
    beside = f", beside {word_list(others, 'and')}" if others else ""
    why = f"{_CONSEQUENCES.get(contradiction.kind, 'it is refused')} {where}{beside}: {contradiction.why.rstrip('.')}"
    write = "leave these cases out of its condition, or correct the option in kb/tunables"
    return catalogue.rules[name].problem(("value",), f"{name} recommends {contradiction.text}", why, write)
