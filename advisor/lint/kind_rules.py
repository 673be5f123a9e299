"""The rules for one kind of file: which settings and checks are looked at there, and what its lines mean."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache

from advisor.engine import FactError
from advisor.engine.formula import is_formula, parse
from advisor.files.kinds import IN_EFFECT, MOUNTS
from advisor.files.options import Grammar
from advisor.files.patterns import by_server_name, matches, value_test
from advisor.files.records import MountEntry, Setting, Span
from advisor.files.source import parse_source
from advisor.lint.finding import Finding, report
from advisor.regex import regex
from advisor.rulebase import values
from advisor.rulebase.model import Check, CheckOutline, Pattern, Rule, RuleBase, Tunable, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from advisor.files.libmount import Item


MAX_TESTED = 5000
"""Values, and lines, of which it is remembered what tests say of them."""
_OF_EVERY_LINE = ("fstab.", "file.")
"""Prefixes of settings that every line has, whatever its options."""
_GUESSED = "auto"
_PLAIN = regex(r"[\w=.:/+-]+")
"""An option without quotes, escapes and placeholders."""


def _grammar(rulebase: RuleBase) -> Grammar:
    return Grammar(rulebase.tunables, rulebase.lint)


def _judged_in(rulebase: RuleBase, kind: str) -> tuple[str, ...]:
    """The kinds of tunables that files of this kind set."""
    if kind == "exports":
        return ("export-option",)
    named = tuple(rulebase.lint["held"].get(kind, ()))
    return (*values.LINE_KINDS, *named) if not named or kind in MOUNTS else named


class KindRules:
    """The rules for files of one kind. `RuleBase.ready` makes one for each kind and set of profiles.

    `kind`: of file (advisor.files.kinds). `profiles`: the security profiles to check."""

    def __init__(self, rulebase: RuleBase, kind: str, profiles: Sequence[str]) -> None:
        self.rulebase = rulebase
        self.kind = kind
        self.profiles = profiles
        self.engine = rulebase.engine
        self.facts = rulebase.facts
        judged = _judged_in(rulebase, kind)
        self.tunables = rulebase.of_kinds(*dict.fromkeys((*values.LINE_KINDS, *judged)))
        """The tunables that a line of fstab or a file of this kind sets."""
        self.grammar = rulebase.ready(_grammar)
        self._masks: dict[tuple[str, object], int | None] = {}
        self._platform_named = cache(lambda host: next(by_server_name(rulebase.platforms, host), None))
        self.of_line = values.LINE_KINDS[0] in judged
        self.decided = self._decided(judged)
        """(tunable with a decision, whether leaving it out can be a finding)"""
        self.in_effect = kind in IN_EFFECT
        """Whether the files show options in effect, of which the kernel lists more than were given."""
        self.idle = frozenset(rulebase.lint["idle"].get(kind, ())).union(
            name for name, tunable in (self.tunables.items() if self.in_effect else ())  # the kernel does not show them
            if tunable.read_by in ("mount", "systemd", "comment") or tunable.kind == "fstab-field"
        )
        """Settings that do nothing in files of this kind."""
        self.layer_rank = {layer.id: rank for rank, layer in enumerate(rulebase.layers)}
        outlines = [outline for outline in rulebase.outlines(frozenset(judged)) if self._asked_for(outline)]
        self.line_checks = [outline for outline in outlines if outline.looks_at == "on"]
        self.cause_checks = frozenset(outline.check for outline in self.line_checks if outline.signs)
        """Checks that report the cause of other findings."""
        self.pair_checks = [outline.check for outline in outlines if outline.looks_at == "pair"]
        self.total_checks = [outline.check for outline in outlines if outline.looks_at == "total"]
        self._checks_of: dict[str, list[int]] = {}
        self._like: dict[tuple[str, str], Hashable] = {}
        self.place_tests = cache(self._places_of)
        self._patterns = cache(self._patterns_on)
        self._outcomes = lru_cache(MAX_TESTED, typed=True)(self._tested)
        self._backed = lru_cache(MAX_TESTED)(lambda name, _, *meanings: backing(
            rulebase.decisions[name].rules, meanings, rulebase.tunables[name].default
        ))
        self._numbers = cache(self._compared_with)
        for number, outline in enumerate(self.line_checks):
            setting = next((name for name in sorted(outline.needed) if not name.startswith(_OF_EVERY_LINE)), "")
            self._checks_of.setdefault(setting, []).append(number)
        self.moot = rulebase.lint["moot"]
        """Setting → settings beside which it makes no difference."""
        self.twins = rulebase.lint["twins"]
        facts = ((name, self.facts[name].setting) for name in rulebase.lint["setting_facts"])
        self.setting_facts = [(name, setting) for name, setting in facts if setting]
        self.nfs_types = {"nfs", "nfs4"}.union(rulebase.lint["helper_types"], *(p.fstypes for p in rulebase.platforms))
        """File system types that are NFS: the kernel's, and those of vendors' mount helpers (efs, aznfs)."""
        self.type_platform: dict[str, str] = {fstype: p.platform for p in rulebase.platforms for fstype in p.fstypes}

    def _decided(self, judged: Sequence[str]) -> list[tuple[str, bool]]:
        missable = self.rulebase.lint["missable"]
        kinds = {name: kind for kind in judged for name in self.rulebase.of_kinds(kind)}
        return [
            (name, name in missable and kinds[name] in values.LISTED_KINDS)
            for name in self.rulebase.decisions if name in kinds
        ]

    def checks_of(self, settings: Iterable[str]) -> list[CheckOutline]:
        """The checks of lines that may apply to a line with these settings, whatever their values."""
        present = frozenset(settings)
        numbers = sorted(number for name in ("", *present) for number in self._checks_of.get(name, ()))
        return [
            outline for outline in map(self.line_checks.__getitem__, numbers)
            if present >= outline.needed and present.isdisjoint(outline.absent)
        ]

    def _places_of(self, fstype: str) -> list[tuple[str, Callable[[Value], bool]]]:
        """The tests that checks make of the source and target of a line of this type: ("fstab.source", test)."""
        here = {"fstab.type": Setting(fstype, "", 0, 0, ""), "file.kind": Setting(self.kind, "", 0, 0, "")}
        return [
            (field, value_test(pattern)) for outline in self.line_checks
            if all(matches(p, here[t]) for t, p in outline.patterns if t in here)
            for field, pattern in outline.patterns if field in ("fstab.source", "fstab.target")
        ]

    def _asked_for(self, check: Check | CheckOutline) -> bool:
        return not check.profiles or any(profile in self.profiles for profile in check.profiles)

    def builtin(self, slug: str) -> Check | None:
        """The check of this name, if its findings come from Python; None if the rule base or the profiles lack it."""
        check = self.rulebase.checks.get(slug)
        return check if check is not None and check.builtin == slug and self._asked_for(check) else None

    def report(self, slug: str, place: Setting | Span, /, **more: Any) -> tuple[Finding, ...]:
        """The finding of this built-in check, as `finding.report` makes it, or none if `builtin` has none."""
        check = self.builtin(slug)
        return () if check is None else (report(check, place, **more),)

    def type_in_effect(self, written: str, source: str) -> str:
        """The type that is mounted. For `auto`, mount(8) mounts host:/path as NFS."""
        if written != _GUESSED:
            return written
        parsed = parse_source(source)
        return "nfs" if parsed.kind in ("host", "ipv4", "ipv6") and parsed.export.startswith("/") else written

    def is_nfs(self, entry: MountEntry) -> bool:
        """Whether it mounts a server; a directory of this host is bound by mount(8) itself, whatever the type."""
        if entry.source.value.startswith("/") and "bind" in entry.options.value.split(","):
            return False
        return self.type_in_effect(entry.fstype.value, entry.source.value) in self.nfs_types

    def platform_of(self, host: str | None, fstype: str) -> str | None:
        """The platform that the type of a mount helper or the name of the server shows; None if neither does."""
        if fstype in self.type_platform:
            return self.type_platform[fstype]
        if not host:
            return None
        named = self._platform_named(host.lower().rstrip("."))
        return named[0].platform if named else None

    def mask(self, fact: str, answer: object) -> int | None:
        """The mask of an answer; None if it is outside the fact's domain."""
        key = (fact, tuple(answer) if isinstance(answer, list) else answer)
        if key not in self._masks:
            try:
                self._masks[key] = self.engine.fact(fact).mask(answer)
            except FactError:
                self._masks[key] = None
        return self._masks[key]

    def backing(self, tunable: str, meanings: list[Value]) -> dict[str, bool]:
        """`backing` of the rules of a decision."""
        return self._backed(tunable, repr(meanings), *meanings)  # the text tells 1 from true

    @cached_property
    def _told_apart(self) -> frozenset[str]:
        """Settings of which more than `passed` counts: those that give facts, and their like."""
        facts = [[setting.tunable, *([setting.narrowed_by.tunable] if setting.narrowed_by else ())]
                 for _, setting in self.setting_facts]
        return frozenset(self.grammar.negotiating).union(*self.moot.values(), *facts)

    @cached_property
    def weighed(self) -> frozenset[str]:
        """The settings whose values some check of lines weighs against others."""
        checks = [self.rulebase.checks[outline.check] for outline in self.line_checks]
        formulas = (figure.formula for check in checks for figure in check.figures.values())
        names = (name for formula in formulas for name in parse(formula).names)
        return frozenset(values.meant_by(name, self.tunables) for name in names).union(*(c.differ for c in checks))

    def likeness(self, fstype: str, item: Item) -> Hashable:
        """A key that two options of a line share if they have the same text, or if they set one thing to values that no
        test distinguishes, and nothing is wrong with either."""
        key = (fstype, item.text)
        like = self._like.get(key)
        if like is None:
            if len(self._like) >= MAX_TESTED:
                self._like.clear()
            like = self._like[key] = self._likeness(fstype, item)
        return like

    def _likeness(self, fstype: str, item: Item) -> Hashable:
        got = self.grammar.option(fstype, item)
        if got.entry is None or got.problems or not got.usable or not _PLAIN.fullmatch(item.text):
            return item.text
        shared = got.entry.shared
        sets = (shared.id, *shared.implies, *got.entry.implies)
        if not self._told_apart.isdisjoint(sets):
            return item.text
        when = [(problem.condition, wants) for problem, wants in got.open]
        verdicts = [
            (rule.fits is None or rule.fits(got.value)) and bool(rule.written(item.text)) for rule in shared.rules
        ]
        return (shared.id, got.entry.spelling, *when, *verdicts, self.passed(shared.id, got.value))

    def passed(self, tunable: str, value: Value) -> Hashable:
        """A key for a value. Values with equal keys pass the same checks of lines and suit the same decisions."""
        if type(value) is int and (limits := self._numbers(tunable)) is not None:
            return bisect_left(limits, value) + bisect_right(limits, value)
        return self._outcomes(tunable, value)

    def _patterns_on(self, tunable: str) -> dict[str, Pattern]:
        """The patterns with which checks of lines test a setting, by their text."""
        signs = [check.signs for check in map(self.rulebase.checks.__getitem__, self.cause_checks)]
        tests = [outline.patterns for outline in self.line_checks]
        tests += [[*sign.items()] for of in signs if of for sign in of.of]
        tests += [[*beside.items()] for beside in self.moot.values()]
        return {repr(pattern): pattern for patterns in tests for name, pattern in patterns if name == tunable}

    def _tested(self, tunable: str, value: Value) -> Hashable:
        """The outcomes of all tests of a value."""
        setting, definition = Setting(value, "", 0, 0, ""), self.tunables.get(tunable)
        passed = [matches(pattern, setting) for pattern in self._patterns(tunable).values()]
        if definition is not None and tunable in self.rulebase.decisions:
            meanings, rules = meanings_of(definition, (value,)), self.rulebase.decisions[tunable].rules
            passed += self.backing(tunable, meanings).values()
            passed += [values.supports(value, rule.value, definition.default) for rule in rules.values()]
            passed += [values.same(meaning, definition.default) for meaning in meanings]
        return tuple(passed)

    def _compared_with(self, tunable: str) -> list[int] | None:
        """The numbers with which anything compares the value of a setting, in order; None if it is also tested as text,
        or compared with other settings. What a formula of a rule gives is not known here, so any number suits it."""
        definition, tests = self.tunables.get(tunable), [*self._patterns(tunable)]
        if definition is not None and tunable in self.rulebase.decisions:
            tests.append(str((definition.default, [*definition.meets])))
            rules = self.rulebase.decisions[tunable].rules.values()
            tests += [str((rule.value, rule.as_good)) for rule in rules if not is_formula(rule.value)]
        if any(re.search(r"~ |has |lacks |[a-z]\.[a-z]", test) for test in tests):
            return None
        return sorted({int(number) for test in tests for number in re.findall(r"-?[0-9]+", test)})

    def layer(self, decision: str, rule: str) -> str:
        return str(self.rulebase.decisions[decision].rules[rule].layer or "default")


def meanings_of(tunable: Tunable, written: Iterable[Value]) -> list[Value]:
    """The values that a setting may have for which one of these is written."""
    return [meaning for value in written for meaning in (value, *tunable.meets.get(str(value), ()))]


def backing(rules: Mapping[str, Rule], meanings: Iterable[Value], default: Value) -> dict[str, bool]:
    """Rule → whether one of the values that a setting may stand for supports the rule's value, or is as good to it. The
    result of a formula is not known here, so any value supports it."""
    return {
        name: is_formula(rule.value) or any(
            values.supports(meaning, rule.value, default)
            or (meaning is not None and value_test(list(rule.as_good))(meaning)) for meaning in meanings
        )
        for name, rule in rules.items()
    }
