"""Checks that span several files: references, domains, citations and examples. The models check single files.

What the annotations of a record's fields ask of its values (ids that exist, conditions, citations, expressions) one
walk over an entry finds, with the places. What an annotation cannot say is in `rules` and `knowledge`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from advisor.engine import word_list
from advisor.rulebase.audit import knowledge, rules, values
from advisor.rulebase.catalogue import TABLES, Authored, Catalogue, Entry, Items
from advisor.rulebase.document import Problem, YamlPath
from advisor.rulebase.model import (
    KINDS,
    Cause,
    Check,
    Claim,
    Conclusion,
    Fact,
    Family,
    Message,
    Phrase,
    Record,
    Tunable,
)
from advisor.rulebase.spelling import near

_REFUTED = ("wrong", "typo")
_DIAGNOSED = (Message, Family, Cause, Phrase, Conclusion)
"""Entries whose conditions may name observations."""


class Note(NamedTuple):
    """An annotation: a name, and what is in its brackets; of alternatives (`|`) these."""

    name: str
    parts: tuple[Note, ...] = ()


class Spot(NamedTuple):
    """A value of an entry. `facts`: those that the entry may name; `needed`: its field is required."""

    item: Authored[Record]
    catalogue: Catalogue
    facts: Items[Fact]
    at: YamlPath
    key: bool = False
    """The value is the key at `at`."""
    needed: bool = False


def problems_by_annotation(item: Authored[Record], catalogue: Catalogue, observed: bool) -> Iterator[Problem]:
    """Problems of a sound entry that the annotations of its fields tell. `observed`: it may name observations."""
    facts = catalogue.observable if observed or item.kind in _DIAGNOSED else catalogue.known_facts
    yield from _record(Spot(item, catalogue, facts, ()), item.record)


def _record(spot: Spot, record: Record) -> Iterator[Problem]:
    written = vars(record)
    for field, note, needed in _fields(type(record).__name__):
        value = written.get(field)
        if value is not None and value != ():
            yield from _value(spot._replace(at=(*spot.at, field), needed=needed), note, value)


def _value(spot: Spot, note: Note, value: object) -> Iterator[Problem]:
    if isinstance(value, Record):
        yield from _record(spot, value)
    elif note.name == "|":
        for choice in note.parts:
            if _may_be(choice, value):
                yield from _value(spot, choice, value)
    elif note.name in ("Sequence", "list") and isinstance(value, list):
        for index, one in enumerate(value):
            yield from _value(spot._replace(at=(*spot.at, index)), note.parts[0], one)
    elif note.name == "Mapping" and isinstance(value, dict):
        of, to = note.parts
        both = OF_BOTH.get((of.name, to.name))
        for name, one in value.items():
            here = spot._replace(at=(*spot.at, name))
            if both is not None:
                yield from both(here, name, one)
                continue
            if of.name in CHECKS:
                yield from CHECKS[of.name](here._replace(key=True), name)
            yield from _value(here, to, one)
    elif note.name in CHECKS:
        yield from CHECKS[note.name](spot, value)


def _may_be(note: Note, value: object) -> bool:
    kinds = {"Sequence": list, "list": list, "Mapping": dict, "Condition": dict}
    return isinstance(value, kinds.get(note.name, (bool, int, float, str)))


@cache
def _fields(name: str) -> list[tuple[str, Note, bool]]:
    """The fields of a kind of entry in which something is looked at, with their annotations, and whether they are
    required."""
    kind = KINDS[name]
    texts = {field: text for part in reversed(kind.__mro__[:-1]) for field, text in part.__annotations__.items()}
    notes = {field: _note(ast.parse(text, mode="eval").body) for field, text in texts.items()}
    return [(field, note, not hasattr(kind, field)) for field, note in notes.items() if _asks(note)]


def _note(node: ast.expr) -> Note:
    if isinstance(node, ast.BinOp):
        return Note("|", (_note(node.left), _note(node.right)))
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return Note(ast.unparse(node.value), tuple(map(_note, inner)))
    return Note(ast.unparse(node))


def _asks(note: Note) -> bool:
    """Whether anything of such a value is looked at. Entries that have an id of their own are items themselves, and
    what the compiler adds was looked at where it is from."""
    if note.name in ("Added", "ById", "Literal"):
        return False
    if note.name in KINDS:
        return bool(_fields(note.name))
    of_both = note.name == "Mapping" and (note.parts[0].name, note.parts[1].name) in OF_BOTH
    return note.name in CHECKS or of_both or any(map(_asks, note.parts))


def _fact(spot: Spot, name: object) -> Iterator[Problem]:
    yield from values.reference(spot.item, spot.at, str(name), spot.facts, "fact", key=spot.key)


def _setting(spot: Spot, name: object) -> Iterator[Problem]:
    yield from values.setting_name(spot.item, spot.at, str(name), spot.catalogue.tunables, spot.key)


def _of(kind: str, *tables: str) -> Callable[[Spot, object], Iterator[Problem]]:
    """A check that a name is in one of these tables."""

    def check(spot: Spot, name: object) -> Iterator[Problem]:
        known = [getattr(spot.catalogue, table) for table in tables]
        if not any(name in table for table in known):
            every = [entry for table in known for entry in table]
            yield from values.reference(spot.item, spot.at, str(name), every, kind, key=spot.key)

    return check


def _source(spot: Spot, name: object) -> Iterator[Problem]:
    if name not in spot.catalogue.sources:
        hint = near(name, spot.catalogue.sources, f"write kb/sources/{name}.yaml")
        yield spot.item.problem(spot.at, f'unknown source "{name}"', f"kb/sources/{name}.yaml does not exist", hint)


def _condition(spot: Spot, written: object) -> Iterator[Problem]:
    yield from values.condition(spot.item, spot.at, written, spot.facts)


def _cites(spot: Spot, cited: object) -> Iterator[Problem]:
    """No citation at all, claims that do not exist, nothing but refuted claims."""
    item, claims = spot.item, spot.catalogue.claims
    listed = cited if isinstance(cited, list) else []
    needed = spot.needed and not (isinstance(item.record, Check) and item.record.builtin in rules.UNSOURCED)
    if needed and not listed:
        why = "nothing is recommended without a source"
        write = "add cites: [source-id.claim] and the claim in kb/claims/"
        yield item.problem(spot.at, "no citation", why, write)
    for index, claim in enumerate(listed):
        yield from values.reference(item, (*spot.at, index), claim, claims, "claim")
    known = [claims[claim] for claim in listed if claim in claims]
    if needed and known and len(known) == len(listed) and all(_refuted(claim) for claim in known):
        better = word_list(dict.fromkeys(name for claim in known for name in claim.record.better))
        yield item.problem(
            spot.at,
            f"citations that are all refuted ({known[0].id} has the verdict {known[0].record.verdict})",
            "recommendations must not rest on claims known to be wrong",
            f"cite {better}, which is believed instead" if better else "cite a claim that is not refuted",
        )


def _refuted(claim: Authored[Claim]) -> bool:
    return claim.sound and claim.record.verdict in _REFUTED


def _expression(way: str, flags: int = 0) -> Callable[[Spot, object], Iterator[Problem]]:
    def check(spot: Spot, text: object) -> Iterator[Problem]:
        yield from values.expression(spot.item, spot.at, str(text), way, flags)

    return check


def _own_value(spot: Spot, value: object) -> Iterator[Problem]:
    item = spot.item
    if isinstance(item.record, Tunable):
        yield from values.literal(item, spot.at, spot.catalogue.tunables[item.id], value)
    else:
        yield from values.answer(item, spot.at, item.id, value, spot.facts)


def _answer(spot: Spot, name: str, value: object) -> Iterator[Problem]:
    yield from values.answer(spot.item, spot.at, name, value, spot.facts)


def _pattern(*words: str) -> Callable[[Spot, str, object], Iterator[Problem]]:
    """A check of a setting and what it has to be; `words`: those that are no value and allowed."""

    def check(spot: Spot, name: str, wanted: object) -> Iterator[Problem]:
        yield from _setting(spot._replace(key=True), name)
        yield from values.setting_pattern(spot.item, spot.at, name, wanted, spot.catalogue.tunables, words=words)

    return check


CHECKS: dict[str, Callable[[Spot, object], Iterator[Problem]]] = {
    "FactId": _fact,
    "TunableId": _of("tunable", "tunables"),
    "SettingId": _setting,
    "DecisionId": _of("decision", "decisions"),
    "ClaimId": _of("claim", "claims"),
    "MessageId": _of("message", "messages"),
    "LayoutId": _of("layout", "layouts"),
    "FamilyId": _of("family", "families"),
    "CheckId": _of("check", "checks"),
    "FindingId": _of("check", "checks", "errata", "rules"),
    "SourceId": _source,
    "Condition": _condition,
    "Cites": _cites,
    "WholeRegex": _expression("fullmatch"),
    "SearchRegex": _expression("search"),
    "LineRegex": _expression("search", re.MULTILINE),
    "StartRegex": _expression("match"),
    "OwnValue": _own_value,
    "OwnValues": _own_value,
    "OwnWord": _own_value,
}
"""Name of a type → what is asked of a value of it."""
OF_BOTH: dict[tuple[str, str], Callable[[Spot, str, object], Iterator[Problem]]] = {
    ("FactId", "Values"): _answer,
    ("FactId", "Scalar"): _answer,
    ("SettingId", "Pattern"): _pattern("present", "absent"),
    ("SettingId", "Implied"): _pattern("value"),
    ("SettingId", "Scalar"): _pattern(),
}
"""Types of the key and the value of a mapping → what is asked of the two."""
_BESIDES: dict[str, Callable[[Entry, Catalogue], Iterator[Problem]]] = {
    "facts": rules.fact_problems,
    "observations": rules.fact_problems,
    "capabilities": knowledge.capability_problems,
    "sources": knowledge.source_problems,
    "claims": knowledge.claim_problems,
    "platforms": knowledge.platform_problems,
    "recipes": knowledge.recipe_problems,
    "layouts": knowledge.layout_problems,
    "kinds": knowledge.kind_problems,
    "tunables": knowledge.tunable_problems,
    "checks": rules.check_problems,
    "errata": rules.erratum_problems,
    "messages": knowledge.message_problems,
    "causes": knowledge.cause_problems,
    "phrases": knowledge.phrase_problems,
    "conclusions": knowledge.conclusion_problems,
}
"""Table of the catalogue → what is asked of its entries beyond their annotations; of decisions and their rules that is
in `decision_problems`."""


def audit(catalogue: Catalogue, counts_as_correct: Callable[[str], bool]) -> list[Problem]:
    """Every problem that can be found without the engine. `counts_as_correct`: the files whose entries are not looked
    at one by one."""
    problems = list(catalogue.problems)
    for table in (*(table.name for table in TABLES), "rules"):
        items: dict[str, Entry] = getattr(catalogue, table)
        besides = _BESIDES.get(table)
        for item in items.values():
            if item.sound and not counts_as_correct(item.file):
                problems += problems_by_annotation(item, catalogue, observed=table == "observations")
                problems += besides(item, catalogue) if besides is not None else ()
    problems += rules.derivation_cycles(catalogue.known_facts)
    problems += rules.decision_problems(catalogue)
    problems += knowledge.file_name_problems(catalogue)
    problems += knowledge.row_problems(catalogue)
    problems += knowledge.spelling_problems(catalogue.tunables)
    return problems
