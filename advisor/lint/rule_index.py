"""The rules for one kind of file beside the facts that are known of its mounts (`RuleIndex`), and what follows for one
of them (`Judged`). Each remembers the answers that it has worked out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cache, lru_cache

from advisor.engine import GATE, can_win, consistent, contenders, holds, possible, support
from advisor.files.libmount import Item
from advisor.files.records import Setting
from advisor.lint.finding import Finding
from advisor.lint.kind_rules import MAX_TESTED, KindRules
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import (
    JOINTS,
    Check,
    Condition,
    Operand,
    RuleBase,
    Scalar,
    Values,
    facts_in,
    inner_conditions,
)
from advisor.sections import Matcher, Mount, Section, ServerFacts, facts_of_mount, observed_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

Key = tuple[object, ...]
State = dict[str, int]
"""Fact → the mask of the values that are still possible."""
Fault = tuple[str, str, bool]
"""A known bug, the fact that has the version, and whether it certainly applies."""
Outcomes = tuple[tuple["Scalar", str], ...]
"""(value, rule id) of every outcome that is still possible."""

_ROLE = "host.role"
PLATFORM = "storage.platform"
_KNOWN: Mapping[str, Mapping[str, Values]] = {
    "kubernetes": {"client.kubernetes": True},
    "cmdline": {"workload.kind": "diskless-root"},
    "exports": {_ROLE: "nfs-server", "storage.platform": "knfsd"},
    "cib": {_ROLE: "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.cluster_stack": "pacemaker"},
}
"""Kind of file → the facts that such a file implies, unless others are given."""
_OF_A_TUNABLE = {"needs": "needs", "default": "default_when", "repeats": "repeats_when"}
"""Conditions that a tunable has one of: the first part of their name → the attribute."""
MAX_VIEWS = 500
"""Indexes of mounts with different facts that are remembered."""
FEW = 20
"""Lines before anything is remembered: to tell which are alike would take longer."""
MAX_ANSWERS = 50_000
"""Answers that are remembered when another file or host comes; a large file may need more."""


def as_client(rulebase: RuleBase, known: Mapping[str, Values]) -> dict[str, Values]:
    """The known facts and the role of a client, which a host with NFS lines has unless these facts rule it out."""
    engine = rulebase.engine
    client = engine.fact(_ROLE).mask("nfs-client")
    is_one = _ROLE not in known and consistent(engine, {**engine.judging(known), _ROLE: client})
    return {_ROLE: "nfs-client", **known} if is_one else dict(known)


class Memory:
    """Answers of the engine, whichever file or host they were asked for."""

    def __init__(self, _: RuleBase) -> None:
        self.supports: dict[str, tuple[str, ...]] = {}
        """Decision or condition → the facts on which it depends."""
        self.outcomes: dict[Key, Outcomes] = {}
        self.held: dict[Key, bool | None] = {}
        self.winnable: dict[Key, bool] = {}

    def bound(self) -> None:
        """Forget the answers if there are many."""
        if len(self.held) > MAX_ANSWERS:
            for answers in (self.outcomes, self.held, self.winnable):
                answers.clear()


class Undecided(NamedTuple):
    """A setting whose verdict depends on facts that are not known."""

    tunable: str
    about: str
    """The decision or named condition that is open."""


class Alike:
    """What was found in lines with the same outcome of every test, to be used again: the decisions with findings, what
    is open, and the checks that concern them, each with its verdict and the condition on which that depends."""

    decided: list[tuple[str, bool]] | None = None
    undecided: list[Undecided]
    checks: list[tuple[Check, bool | None, str]] | None = None


class _KeptIndexes:
    """The indexes of hosts that were judged last."""

    def __init__(self, _: RuleBase) -> None:
        self.indexes: dict[Hashable, RuleIndex] = {}


class RuleIndex:
    """A rule base prepared for judging lines of one kind of file; make one for each run.

    `known`: the given facts (fact → value). `sections`: facts of some mounts only; `of` returns the index of one mount.
    `profiles`: the security profiles to check."""

    def __init__(
        self, rulebase: RuleBase, known: Mapping[str, Values], sections: Sequence[Section] = (), kind: str = "fstab",
        profiles: Collection[str] = (),
    ) -> None:
        self._prepare(rulebase.ready(KindRules, kind, tuple(sorted(profiles))), Matcher(sections), ServerFacts())
        self._know(known, self._client(known))

    @classmethod
    def kept(
        cls, rulebase: RuleBase, known: Mapping[str, Values], kind: str, profiles: Collection[str] = ()
    ) -> RuleIndex:
        """The index for files and hosts of which the same is known, with all that it remembers."""
        indexes = rulebase.ready(_KeptIndexes).indexes
        key = (kind, *sorted(profiles), *sorted((fact, repr(value)) for fact, value in known.items()))
        if key not in indexes:
            if len(indexes) >= MAX_VIEWS:
                indexes.clear()
            indexes[key] = cls(rulebase, known, kind=kind, profiles=profiles)
        return indexes[key]

    def _prepare(self, rules: KindRules, matcher: Matcher, servers: ServerFacts) -> None:
        self.rules, self.matcher, self._servers = rules, matcher, servers
        self.rulebase, self.engine, self.kind = rules.rulebase, rules.engine, rules.kind
        self.facts, self.tunables = rules.facts, rules.tunables
        self.builtin, self.report = rules.builtin, rules.report
        self.given_at: dict[str, str] = {}
        """Fact → the section that gives it, as file and line."""
        self.observed: dict[str, str] = {}
        """Fact → when and how it was observed, for facts that nobody gave."""
        self._of: dict[tuple[int, ...], RuleIndex] = {}
        self.of_kind = cache(lambda kind: RuleIndex(rules.rulebase, self.given, matcher.sections, kind, rules.profiles))
        """The index for text of another kind inside a file, with the same facts."""

    def _client(self, known: Mapping[str, Values]) -> dict[str, Values]:
        known = {**_KNOWN.get(self.kind, {}), **known}
        return as_client(self.rulebase, known) if self.rules.of_line else known

    def _know(self, given: Mapping[str, Values], known: dict[str, Values]) -> None:
        self.given = given
        """The facts that were given for all mounts, without those that the kind of file implies."""
        self.known = known
        memory = self.rulebase.ready(Memory)
        memory.bound()
        self._supports, self._outcomes = memory.supports, memory.outcomes
        self._held, self._winnable = memory.held, memory.winnable
        self._asked: dict[Key, tuple[str, ...]] = {}
        self._shared: dict[Key, State] = {}
        self._keys: dict[int, dict[str, Key]] = {}
        """By the id of a shared state, which is not freed before."""
        self._faults: dict[int, list[Fault]] = {}
        """Likewise: the known bugs that a client in this state may have."""
        self.alike = lru_cache(MAX_TESTED)(lambda _: Alike())
        """Key of lines → what was found in them (`KnownHere.alike`)."""
        self.lines = 0
        self.state = self.shared(self.engine.judging(known))
        self.found: dict[Key, list[Finding]] = {}
        """Settings that count together, and what is known → what is found in them, in whatever file."""
        self.clean: set[Hashable] = set()
        """Keys of exports without findings."""
        self.judged: dict[Key, Judged] = {}
        """Judgements of lines, for like ones."""
        self.met = 0
        """How many lines were like another."""
        self.told: dict[Key, Told] = {}
        """What tells lines apart whose options every test of a single value finds alike."""

    def _like(self, given: Mapping[str, Values], known: dict[str, Values]) -> RuleIndex:
        """The index of the same rules with other known facts; the preparation is shared."""
        index = RuleIndex.__new__(RuleIndex)
        index._prepare(self.rules, self.matcher, self._servers)
        index._know(given, known)
        return index

    def knowing(self, known: Mapping[str, Values]) -> RuleIndex:
        """The index of the same rules with other given facts."""
        return self._like(known, self._client(known))

    def with_sections(self, sections: Sequence[Section]) -> RuleIndex:
        """The index with further facts of some mounts."""
        return RuleIndex(self.rulebase, self.given, (*self.matcher.sections, *sections), self.kind, self.rules.profiles)

    def of(self, mount: Mount) -> RuleIndex:
        """The index for one mount, with the facts of the sections that fit it. Raises SectionError if these clash with
        one another or with the facts of all mounts."""
        fitting = self.matcher.fitting(mount) if self.matcher.sections else ()
        if not fitting:
            return self
        if fitting not in self._of:
            if len(self._of) >= MAX_VIEWS:
                self._of.clear()
            sections = [self.matcher.sections[number] for number in fitting]
            self._of[fitting] = self._narrowed(facts_of_mount(self.rulebase, self.known, sections, mount), sections)
        index = self._of[fitting]
        self._servers.check(self.rulebase, mount, index.known, index.given_at)
        return index

    def _narrowed(self, known: dict[str, Values], sections: Sequence[Section]) -> RuleIndex:
        index = self._like(self.given, known)
        index.given_at = {
            fact: section.where(fact)
            for section in reversed(sections) for fact in section.facts if fact not in section.found
        }
        observed = observed_facts(known, sections)
        index.observed = {fact: where for fact, where in observed.items() if fact not in self.known}
        return index

    def shared(self, state: State) -> State:
        """The same state for all lines of which the same is known; it must not change any more."""
        if len(self._shared) >= MAX_VIEWS:
            self._shared.clear()
            self._keys.clear()
            self._faults.clear()
            self.alike.cache_clear()
        state = self._shared.setdefault(tuple(sorted(state.items())), state)
        self._keys.setdefault(id(state), {})
        return state

    def faults(self, state: State, find: Callable[[RuleIndex, State], list[Fault]]) -> list[Fault]:
        """What `find` finds in a state; of a shared one it is kept."""
        if id(state) not in self._keys:
            return find(self, state)
        if id(state) not in self._faults:
            self._faults[id(state)] = find(self, state)
        return self._faults[id(state)]

    def _key(self, name: str, state: State) -> Key:
        known = self._keys.get(id(state), {})
        if name not in known:
            facts = self._supports.get(name)
            if facts is None:
                facts = self._supports[name] = tuple(sorted(support(self.engine, name)))
            known[name] = (name, *map(state.get, facts))
        return known[name]

    def reach(self, decision: str, state: State) -> Outcomes:
        """(value, rule id) of every rule that may still win; () if the state contradicts itself.

        Several rules may have one value; only their strength is then open."""
        key = self._key(decision, state)
        if key not in self._outcomes:
            rules = self.rulebase.decisions[decision].rules
            self._outcomes[key] = tuple((rules[r].value, r) for r in contenders(self.engine, decision, state))
        return self._outcomes[key]

    def can_win(self, group: Literal["missable", "forced"], decision: str, state: State) -> bool:
        """Whether one of the rules that `LintIndex` has for a decision in this group may still win. If so, the rest of
        the decision need not be searched."""
        rules = self.rulebase.lint[group].get(decision)
        if rules is None or decision not in self.rulebase.decisions:
            return True  # no rule of the decision is an exception from the group, or `verify` leaves the decision out
        key = (group, *self._key(decision, state))
        if key not in self._winnable:
            self._winnable[key] = can_win(self.engine, decision, rules, state)
        return self._winnable[key]

    def passing(self, decision: str, state: State) -> Outcomes:
        """The outcomes of `reach` for a setting that is in use, so that the client knows it and does not refuse it. (If
        the client certainly refuses it, the grammar reports that, and only the gate is left here.)"""
        able = self.able(decision, state)
        key = ("passing", *self._key(decision, able))
        if key not in self._outcomes:
            outcomes = self.reach(decision, able)
            passing = tuple(
                (value, rule) for value, rule in outcomes if value != "omit" or self.rules.layer(decision, rule) != GATE
            )
            self._outcomes[key] = passing or outcomes
        return self._outcomes[key]

    def able(self, tunable: str, state: State) -> State:
        """The state narrowed to clients that know this option, as those that mount with it do; unchanged if the client
        certainly does not know it, which is another error."""
        needs = self.rulebase.tunables[tunable].needs or {}
        narrowed = dict(state)
        for fact, value in needs.items():
            mask = None if fact in JOINTS else self.rules.mask(fact, value)
            remaining = mask and possible(self.engine, fact, state) & mask
            if not remaining:
                return state
            narrowed[fact] = remaining
        return narrowed

    def holds(self, condition: str, state: State) -> bool | None:
        """Whether a named condition is true, false or open."""
        key = self._key(condition, state)
        if key not in self._held:
            self._held[key] = holds(self.engine, condition, state)
        return self._held[key]

    def verdict(self, condition: Condition | None, state: State) -> bool | None:
        """Whether an authored condition holds, judged part by part; None if that leaves it open."""
        verdicts = [self._part(key, value, state) for key, value in (condition or {}).items()]
        return False if False in verdicts else None if None in verdicts else True

    def _part(self, key: str, value: Operand, state: State) -> bool | None:
        if key in JOINTS:
            inners = [self.verdict(condition, state) for condition in inner_conditions(value)]
            if key == "not":
                return None if inners[0] is None else not inners[0]
            decisive = key == "any"
            return decisive if decisive in inners else None if None in inners else not decisive
        wanted = self.rules.mask(key, value)
        if wanted is None:
            return None
        known = possible(self.engine, key, state)
        return True if not known & ~wanted else None if known & wanted else False

    def unknown_facts(self, name: str, state: State) -> tuple[str, ...]:
        """The unknown facts that can be asked for and that the open part of a decision or condition mentions."""
        key = ("unknown", *self._key(name, state))
        if key not in self._asked:
            if name in self.rulebase.decisions:
                rules = self.rulebase.decisions[name].rules
                asked: list[Condition | None] = [rules[rule].when for _, rule in self.reach(name, state)]
            else:
                asked = [self._condition(name)]
            read: dict[str, None] = {}
            for condition in asked:
                self._facts_of(condition, read)
            self._asked[key] = tuple(
                f for f in read if self.facts[f].ask and not self.facts[f].setting
                and f not in self.known and (mask := possible(self.engine, f, state)) & (mask - 1)  # several values
            )
        return self._asked[key]

    def deciding(self, decision: str, state: State) -> tuple[str, ...]:
        """The facts that would help to settle an open decision, the most decisive first."""
        key = ("deciding", *self._key(decision, state))
        if key not in self._asked:
            from advisor.engine.ask import next_questions  # noqa: PLC0415  for those who ask for more

            closed = [fact for fact, definition in self.facts.items() if not definition.ask]
            asked = next_questions(self.engine, [decision], state, closed, quick=True)
            self._asked[key] = tuple(question.fact for question in asked)
        return self._asked[key]

    def _condition(self, name: str) -> Condition | None:
        """The authored condition behind a name such as "check:<slug>" or "needs:<tunable>"."""
        kind, _, rest = name.partition(":")
        if kind in ("check", "unless"):
            check = self.rulebase.checks[rest]
            return check.when if kind == "check" else check.unless
        tunable, _, which = rest.partition(":")
        definition = self.rulebase.tunables[tunable]
        if kind in _OF_A_TUNABLE:
            condition: Condition | None = getattr(definition, _OF_A_TUNABLE[kind])
            return condition
        if kind == "form":
            return next(f.when for f in definition.forms if f.spelling == which and f.when)
        return (definition.refused if kind == "refused" else definition.ignored)[int(which)].when

    def _facts_of(self, condition: Condition | None, read: dict[str, None]) -> None:
        """Add to `read` the facts that a condition mentions and those from which they are derived."""
        for fact in facts_in(condition):
            if fact not in read:
                read[fact] = None
                definition = self.facts[fact]
                for inner in (definition.when, definition.unless, *(definition.derive or {}).values()):
                    self._facts_of(inner, read)


class Judged(NamedTuple):
    """The judgement that lines share which differ in nothing that anything tests or a finding quotes. `items`: the
    options of the first of them, which have the places in findings and settings, and the values of settings. `open`:
    (tunable, the facts that would help to judge it). `in_effect`: settings written or brought by others."""

    findings: tuple[Finding, ...]
    open: tuple[tuple[str, tuple[str, ...]], ...]
    settings: Mapping[str, Setting]
    brought: Mapping[str, Setting]
    masks: Mapping[str, int]
    state: State
    ignored: frozenset[str]
    """Settings that certainly have no effect (nolock on NFSv4)."""
    rule_index: RuleIndex
    """The index by which it was judged, with what is known of the mount."""
    items: tuple[Item, ...]
    in_effect: Mapping[str, Setting]
    weighing: tuple[Check, ...]
    """The checks that concern the line."""
    free: frozenset[str] = frozenset()
    """Settings of which the lines that share it may have other values."""
    worded: tuple[int, ...] = ()
    """The numbers of the findings that quote such values."""
    about: tuple[str, str] | None = None
    """The source and target, if a finding is about them; None if lines with others may share the judgement."""

    @property
    def inferred_platform(self) -> int | None:
        """The mask of the platform that was inferred for the line; None if it was given or is not known."""
        known = self.state.get(PLATFORM)
        return None if known == self.rule_index.state.get(PLATFORM) else known


class Told(NamedTuple):
    """What tells lines apart. `options`: the numbers of the options whose very text counts. `checks`: those of which it
    counts whether they work anything out. `like`: the judgement of one of the lines."""

    options: tuple[int, ...]
    checks: tuple[Check, ...]
    like: Judged
