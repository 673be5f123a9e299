"""Mutants of the rule base: every small change that breaks one row of it, as data.

A mutant changes one place of one file. Which there are depends on the files alone, never on chance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from advisor.engine import formula
from advisor.engine.versions import comparisons
from advisor.rulebase.audit.values import LINE_PARTS
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import YamlDocument, YamlPath
from advisor.rulebase.values import words_of

GONE = object()
"""Stands for "nothing is written there any more"."""
NOBODY = "no-source.no-claim"
NOTHING_FOLLOWS = "not-nfs"
"""A platform that is not mounted over NFS, which examples presume away. That no rule names it beside others is asserted
in test_shipped_base."""
PATTERNS = ("~ ", "!~ ")
_LISTED = ("rules", "rows", "capabilities")
"""Where the place of an owner in its file, which may change, is not a part of a mutant's name."""
_KEYWORDS = {"omit": "keep", "keep": "omit", "n/a": "keep"}
_NUMBER = re.compile(r"\d+")
_NAME_OR_NUMBER = re.compile(r"[A-Za-z_][\w.]*|\d+")
_HALF_YEAR = re.compile(r"(\d\d)\.(04|10)")
_RELEASE = re.compile(r"(.*?)(\d+)((?:\.(?:el|fc)\d.*)?)")


class Mutant(NamedTuple):
    """`owner`: id of the rule, check, erratum, capability. `steps`: the place in the file; `new`: what is put there."""

    kind: str
    path: str
    owner: str
    steps: YamlPath
    new: Any

    @property
    def name(self) -> str:
        """The same from run to run, whatever else changes in the rule base."""
        new = "gone" if self.new is GONE else repr(self.new)
        inside = self.steps[2:] if self.steps[0] in _LISTED else self.steps
        return f"{self.owner} {self.kind} {'.'.join(map(str, inside))} = {new}"


def changed(document: YamlDocument, mutant: Mutant) -> YamlDocument:
    """The mutant's file."""
    return YamlDocument(document.path, _put(document.data, mutant.steps, mutant.new), [1, 1], [])


def is_written(document: YamlDocument, mutant: Mutant) -> bool:
    """Whether the file has the place: a condition that follows from a lifetime is nowhere written."""
    data = document.data
    for step in mutant.steps[:-1]:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _put(data: Any, steps: YamlPath, new: Any) -> Any:
    if not steps:
        return new
    step, *rest = steps
    if new is GONE and not rest:
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if key != step}
        return [value for index, value in enumerate(data) if index != step]
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[step] = _put(data.get(step) if isinstance(data, dict) else data[step], tuple(rest), new)
    return copy


def mutants(catalogue: Catalogue) -> Iterator[Mutant]:
    """All of them, in order of the files."""
    maker = _Maker(catalogue)
    for rule in catalogue.rules.values():
        yield from maker.rule(rule)
    for item in catalogue.checks.values():
        yield from maker.check(item)
    for item in catalogue.errata.values():
        yield from maker.erratum(item)
    for item in catalogue.capabilities.values():
        for part in ("when", "unless"):
            yield from maker.condition(item, (part,), item.data.get(part, {}))
        yield from maker.cites(item)


class _Maker:
    def __init__(self, catalogue: Catalogue) -> None:
        self.facts = catalogue.known_facts
        self.tunables = catalogue.tunables
        self.layers = list(catalogue.layers)
        self.builtins = sorted({item.data["builtin"] for item in catalogue.checks.values() if "builtin" in item.data})
        self.advised = {
            rule.id: catalogue.decisions[name] for name, rules in catalogue.advised.items() for rule in rules
        }
        self.decisions = {item.document.path: item for item in catalogue.decisions.values()}

    def of(self, item: Authored, kind: str, steps: YamlPath, *several: Any) -> Iterator[Mutant]:
        for new in several:
            yield Mutant(kind, item.document.path, item.id, item.steps + steps, new)

    def cites(self, item: Authored) -> Iterator[Mutant]:
        yield from self.of(item, "cites", ("cites",), [], [NOBODY, *item.data["cites"][1:]])

    def rule(self, item: Authored) -> Iterator[Mutant]:
        decision = self.advised.get(item.id) or self.decisions[item.document.path]
        yield from self.value(item, decision)
        yield from self.cites(item)
        layer = self.layers.index(item.data.get("layer", "default"))
        near = [self.layers[at] for at in (layer - 1, layer + 1) if 0 <= at < len(self.layers)]
        yield from self.of(item, "layer", ("layer",), *near)
        for index in range(len(item.data.get("overrides", ()))):
            yield from self.of(item, "overrides", ("overrides", index), GONE)
        yield from self.condition(item, ("when",), item.data.get("when", {}))

    def value(self, item: Authored, decision: Authored) -> Iterator[Mutant]:
        value, tunable = item.data["value"], self.tunables.get(decision.id)
        new = _other_values(value, tunable)
        others = [rule["value"] for rule in decision.data["rules"]]
        new += [other for other in others if not _same(other, value)][:1]
        unique = [one for index, one in enumerate(new) if not any(_same(one, other) for other in new[:index])]
        yield from self.of(item, "value", ("value",), *unique)

    def condition(self, item: Authored, at: YamlPath, condition: dict[str, Any]) -> Iterator[Mutant]:
        for key, value in condition.items():
            place = (*at, key)
            if len(condition) > 1 or len(at) == 1:
                yield from self.of(item, "drop", place, GONE)
            if key in ("all", "any"):
                for index, part in enumerate(value):
                    if len(value) > 1:
                        yield from self.of(item, "branch", (*place, index), GONE)
                    yield from self.condition(item, (*place, index), part)
            elif key == "not":
                yield from self.condition(item, place, value)
            else:
                yield from self.answer(item, place, key, value)

    def answer(self, item: Authored, at: YamlPath, fact: str, value: Any) -> Iterator[Mutant]:
        """One fact's value in a condition."""
        kind = self.facts[fact].data.get("type", "bool")
        if kind == "bool":
            yield from self.of(item, "flip", at, not value)
        elif kind == "enum":
            domain = list(self.facts[fact].data["values"])
            yield from self.words(item, at, domain, value, every=self.settles(item))
        elif kind == "int" and isinstance(value, int):
            yield from self.of(item, "bound", at, value + 1, value - 1)
        else:
            for index, one in enumerate(value if isinstance(value, list) else [value]):
                place = (*at, index) if isinstance(value, list) else at
                yield from self.of(item, "bound", place, *moved(one, version=kind == "version"))

    def settles(self, item: Authored) -> bool:
        """Whether an example of it can say that the outcome is the same in many cases."""
        decision = self.decisions.get(item.document.path)
        return decision is not None and decision.data.get("hit") != "collect"

    def words(self, item: Authored, at: YamlPath, domain: list[str], value: Any, every: bool) -> Iterator[Mutant]:
        """One word, or one of several, out of a domain. `every`: with each of the others; one example of a decision can
        rule them all out. Elsewhere an example is one case, and a list gets the word that stands before its first."""
        listed = value if isinstance(value, list) else [value]
        others = [word for word in domain if word not in listed and word != NOTHING_FOLLOWS]
        if not every:
            others = _before(domain, listed)[-1:] if isinstance(value, list) else []
        for word in others:
            yield from self.of(item, "add", at, [*listed, word])
        for index in range(len(listed) if len(listed) > 1 else 0):
            yield from self.of(item, "remove", (*at, index), GONE)

    def check(self, item: Authored) -> Iterator[Mutant]:
        yield from self.cites(item)
        yield from self.condition(item, ("when",), item.data.get("when", {}))
        yield from self.settings(item, ("on",), item.data.get("on") or {})
        for name, figure in item.data.get("figures", {}).items():
            yield from self.of(item, "figure", ("figures", name, "formula"), *_numbers_moved(figure["formula"]))
            if "range" in figure:
                yield from self.of(item, "bound", ("figures", name, "range"), GONE, *moved(figure["range"]))
        for index, variant in enumerate(item.data.get("variants", ())):
            yield from self.of(item, "variant", ("variants", index), GONE)
            yield from self.condition(item, ("variants", index, "when"), variant["when"])
        if "builtin" in item.data:
            at = self.builtins.index(item.data["builtin"])
            yield from self.of(item, "builtin", ("builtin",), self.builtins[at - 1])
        pair = item.data.get("pair") or {}
        for part in ("same", "differ"):
            for index in range(len(pair.get(part, ()))):
                yield from self.of(item, "pair", ("pair", part, index), GONE)
        for part in ("either", "neither"):
            yield from self.settings(item, ("pair", part), pair.get(part, {}))
        for index in range(len(item.data.get("differ", ()))):
            yield from self.of(item, "differ", ("differ", index), GONE)
        total = item.data.get("total") or {}
        for index in range(len(total.get("each", ()))):
            yield from self.of(item, "total", ("total", "each", index), GONE)
        if total:
            yield from self.of(item, "total", ("total", "limit"), total["limit"] - 1, total["limit"] + 1)
        yield from self.settings(item, ("total", "neither"), total.get("neither", {}))
        if pair.get("order", "any") != "any":
            yield from self.of(item, "pair", ("pair", "order"), "any")

    def settings(self, item: Authored, at: YamlPath, settings: dict[str, Any]) -> Iterator[Mutant]:
        """Tunable → pattern, as in a check's `on`."""
        for name, pattern in settings.items():
            place = (*at, name)
            yield from self.of(item, "on", place, GONE)
            if pattern in ("present", "absent"):
                yield from self.of(item, "on", place, {"present": "absent", "absent": "present"}[pattern])
                continue
            listed = pattern if isinstance(pattern, list) else [pattern]
            for index, one in enumerate(listed):
                inner = (*place, index) if isinstance(pattern, list) else place
                if len(listed) > 1:
                    yield from self.of(item, "on", inner, GONE)
                if isinstance(one, bool):
                    yield from self.of(item, "on", inner, not one)
                elif isinstance(one, str) and not one.startswith(PATTERNS) and comparisons(one):
                    yield from self.of(item, "on", inner, *moved(one))
            words = list(words_of(self.tunables[name].record)) if name in self.tunables else []
            domain = [*dict.fromkeys(words), *([] if name in LINE_PARTS else ["absent"])]
            others = [word for word in _before(domain, listed) if isinstance(pattern, list) or word != "absent"]
            yield from self.of(item, "on", place, *([*listed, word] for word in others[-1:]))

    def erratum(self, item: Authored) -> Iterator[Mutant]:
        yield from self.cites(item)
        yield from self.condition(item, ("when",), item.data.get("when", {}))
        for index in range(len(item.data["facts"])):
            yield from self.of(item, "drop", ("facts", index), GONE)
        for stream, spans in item.data["affected"].items():
            yield from self.of(item, "drop", ("affected", stream), GONE)
            for index, span in enumerate(spans):
                for key, version in span.items():
                    place = ("affected", stream, index, key)
                    yield from self.of(item, "drop", place, GONE)
                    yield from self.of(item, "bound", place, *(step(version, by) for by in (1, -1)))


def _before(domain: list[Any], listed: list[Any]) -> list[Any]:
    """The other words of a domain, that which stands before the first listed one last."""
    first = min((at for at, word in enumerate(domain) if any(_same(word, one) for one in listed)), default=0)
    return [word for word in domain[first:] + domain[:first] if not any(_same(word, one) for one in listed)]


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def _other_values(value: Any, tunable: Authored | None) -> list[Any]:
    """Values that a rule might have by mistake instead of its own."""
    if value in _KEYWORDS and isinstance(value, str):
        return [_KEYWORDS[value]]
    if isinstance(value, bool):
        return [not value, "omit"]
    if isinstance(value, int):
        return [value + 1, value - 1, "omit"]
    if isinstance(value, str) and comparisons(value):
        return [*moved(value, version=tunable is not None and tunable.data["kind"] == "package"), "omit"]
    if tunable is None or (formula.is_formula(value) and tunable.data["type"] not in ("enum", "list", "string")):
        numbers = _numbers_moved(value)
        return [*numbers, f"{value} + 1"]
    if tunable.data.get("fields"):
        return [*_numbers_moved(value), "omit"]
    words = [word for word in words_of(tunable.record) if word != value]
    return [*words[:1], "omit"]


def _numbers_moved(text: str) -> list[str]:
    found = [match for match in _NAME_OR_NUMBER.finditer(text) if match[0].isdigit()]
    return [f"{text[: m.start()]}{int(m[0]) + by}{text[m.end() :]}" for m in found for by in (1, -1)]


def moved(text: str, version: bool = False) -> list[str]:
    """A range with each of its constants one step up and one step down."""
    pairs = comparisons(text) or [("", text)]
    new = []
    for index, (_, constant) in enumerate(pairs):
        if not version and not constant.isdigit():
            continue  # a formula, whose inputs are moved in the tests of formulas
        for by in (1, -1):
            other = step(constant, by) if version else str(int(constant) + by)
            new.append(" ".join(s + (other if at == index else c) for at, (s, c) in enumerate(pairs)))
    return new


def step(version: str, by: int) -> str:
    """The next or the last version: its last number counts, ahead of a distribution's mark; 22.04 and 22.10 follow."""
    half = _HALF_YEAR.fullmatch(version)
    if half:
        halves = int(half[1]) * 2 + (half[2] == "10") + by
        return f"{halves // 2:02}.{('04', '10')[halves % 2]}"
    match = _RELEASE.fullmatch(version)
    assert match, version
    head, number, tail = match.groups()
    if int(number) + by >= 0:
        return f"{head}{int(number) + by}{tail}"
    shorter = _RELEASE.fullmatch(head.rstrip(".-"))
    assert shorter, version
    return f"{shorter[1]}{int(shorter[2]) - 1}.9{tail}"
