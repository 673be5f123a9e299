"""The rule base as the linter needs it: sorted by where it applies, with answers remembered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from advisor.engine import consistent, contenders, holds, next_questions, possible, support
from advisor.engine.decisions import GATE
from advisor.lint.kind_rules import KindRules
from advisor.lint.outcomes import Outcomes
from advisor.rulebase.model import RuleBase
from advisor.rulebase.model.facts import JOINTS, facts_in, inner_conditions
from advisor.sections import Matcher, Mount, Section, ServerFacts, facts_of_mount, observed_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.judge import Judged
    from advisor.rulebase.model.types import Condition, Operand, Values

    Key = tuple[object, ...]

_ROLE = "host.role"
_KNOWN: Mapping[str, Mapping[str, Values]] = {
    "kubernetes": {"client.kubernetes": True},
    "cmdline": {"workload.kind": "diskless-root"},
    "exports": {_ROLE: "nfs-server", "storage.platform": "knfsd"},
    "cib": {_ROLE: "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.cluster_stack": "pacemaker"},
}
"""What a file of a kind says by being there, unless somebody says otherwise."""
_OF_A_TUNABLE = {"needs": "needs", "default": "default_when", "repeats": "repeats_when"}
"""Conditions of a tunable that it has one of: the kind in their name → the key under which they were written."""
MAX_VIEWS = 500
"""Of mounts for which different things are known."""


def _several(mask: int) -> bool:
    """More than one bit is set."""
    return mask & (mask - 1) != 0


def as_client(rulebase: RuleBase, known: Mapping[str, Values]) -> dict[str, Values]:
    """What is known, of a client: a host with NFS lines in its fstab is one, unless what is known rules that out."""
    engine = rulebase.engine
    client = engine.fact(_ROLE).mask("nfs-client")
    is_one = _ROLE not in known and consistent(engine, {**engine.judging(known), _ROLE: client})
    return {_ROLE: "nfs-client", **known} if is_one else dict(known)


class RuleIndex(KindRules):
    """A RuleBase made ready for judging lines; make one for each run.

    `known`: the facts that the user gave, as answers (fact → value). `sections`: those of some mounts only; `of` gives
    the index of one mount. `profiles`: the security profiles whose checks are made."""

    def __init__(
        self, rulebase: RuleBase, known: Mapping[str, Values], sections: Sequence[Section] = (), kind: str = "fstab",
        profiles: Collection[str] = (),
    ) -> None:
        vars(self).update(vars(rulebase.ready(KindRules, kind, tuple(sorted(profiles)))))
        self.matcher = Matcher(sections)
        self._servers = ServerFacts()
        self.said: dict[str, str] = {}
        """Fact → the place of the section that says it."""
        self.observed: dict[str, str] = {}
        """Fact → when and how it was observed, where nobody said it."""
        self._of: dict[tuple[int, ...], RuleIndex] = {}
        self.given = known
        """What somebody said of all mounts, without what the kind of file says."""
        self._know(self._client(known))

    def _client(self, known: Mapping[str, Values]) -> dict[str, Values]:
        known = {**_KNOWN.get(self.kind, {}), **known}
        return as_client(self.rulebase, known) if self._of_line else known

    def _know(self, known: dict[str, Values]) -> None:
        self.known = known
        self.state: dict[str, int] = self.engine.judging(known)
        self._outcomes: dict[Key, Outcomes] = {}
        self._held: dict[Key, bool | None] = {}
        self._asked: dict[Key, tuple[str, ...]] = {}
        self.judged: dict[Key, Judged] = {}
        """What was judged of lines (advisor.lint.judge), for like ones."""

    def _like(self) -> RuleIndex:
        """A copy of itself; the module `copy` costs a millisecond at import."""
        index = RuleIndex.__new__(RuleIndex)
        vars(index).update(vars(self))
        return index

    def knowing(self, known: Mapping[str, Values]) -> RuleIndex:
        """The index of the same rules where this is known instead: most of what is made ready does not depend on it."""
        index = self._like()
        index._of = {}
        index.given = known
        index._know(self._client(known))
        return index

    def of(self, mount: Mount) -> RuleIndex:
        """The index for one mount, with the facts of the sections that fit it. Raises SectionError where these clash
        with one another, or with what is known of all mounts."""
        fitting = self.matcher.fitting(mount) if self.matcher.sections else ()
        if not fitting:
            return self
        if fitting not in self._of:
            if len(self._of) >= MAX_VIEWS:
                self._of.clear()
            sections = [self.matcher.sections[number] for number in fitting]
            self._of[fitting] = self._narrowed(facts_of_mount(self.rulebase, self.known, sections, mount), sections)
        index = self._of[fitting]
        self._servers.check(self.rulebase, mount, index.known, index.said)
        return index

    def _narrowed(self, known: dict[str, Values], sections: Sequence[Section]) -> RuleIndex:
        index = self._like()
        index._know(known)
        index.said = {
            fact: one.where(fact) for one in reversed(sections) for fact in one.facts if fact not in one.found
        }
        observed = observed_facts(known, sections)
        index.observed = {fact: where for fact, where in observed.items() if fact not in self.known}
        return index

    def agrees(self, state: dict[str, int]) -> bool:
        """Whether any case is as the state says."""
        return bool(consistent(self.engine, state))

    def _key(self, name: str, state: dict[str, int]) -> Key:
        facts = self._supports.get(name)
        if facts is None:
            facts = self._supports[name] = tuple(sorted(support(self.engine, name)))
        return (name, *map(state.get, facts))

    def reach(self, decision: str, state: dict[str, int]) -> Outcomes:
        """(value, rule id) of every rule that may still win; () where the state contradicts itself.

        Several rules may have one value: how strongly it is asked for is then open."""
        key = self._key(decision, state)
        if key not in self._outcomes:
            rules = self.rulebase.decisions[decision].rules
            self._outcomes[key] = tuple((rules[r].value, r) for r in contenders(self.engine, decision, state))
        return self._outcomes[key]

    def passing(self, decision: str, state: dict[str, int]) -> Outcomes:
        """The outcomes of `reach` for a setting that somebody mounts with: it is known to the client, and not refused.
        (Where it certainly is, the grammar says so, and the gate is all that is left here.)"""
        able = self.able(decision, state)
        key = ("passing", *self._key(decision, able))
        if key not in self._outcomes:
            found = self.reach(decision, able)
            free = tuple(one for one in found if one[0] != "omit" or self.layer(decision, one[1]) != GATE)
            self._outcomes[key] = free or found
        return self._outcomes[key]

    def able(self, tunable: str, state: dict[str, int]) -> dict[str, int]:
        """A state in which the client knows this option, where it may: what somebody mounts with is known to it. (An
        option that it certainly does not know is an error of its own.)"""
        needs = self.rulebase.tunables[tunable].needs or {}
        narrowed = dict(state)
        for fact, value in needs.items():
            mask = None if fact in JOINTS else self.mask(fact, value)
            left = mask and possible(self.engine, fact, state) & mask
            if not left:
                return state
            narrowed[fact] = left
        return narrowed

    def holds(self, condition: str, state: dict[str, int]) -> bool | None:
        """Whether a named condition is true, false or open."""
        key = self._key(condition, state)
        if key not in self._held:
            self._held[key] = holds(self.engine, condition, state)
        return self._held[key]

    def verdict(self, condition: Condition | None, state: dict[str, int]) -> bool | None:
        """Whether an authored condition holds, judged part by part: None where that cannot tell."""
        verdicts = [self._part(key, value, state) for key, value in (condition or {}).items()]
        return False if False in verdicts else None if None in verdicts else True

    def _part(self, key: str, value: Operand, state: dict[str, int]) -> bool | None:
        if key in JOINTS:
            inners = [self.verdict(one, state) for one in inner_conditions(value)]
            if key == "not":
                return None if inners[0] is None else not inners[0]
            settling = key == "any"
            return settling if settling in inners else None if None in inners else not settling
        wanted = self.mask(key, value)
        if wanted is None:
            return None
        known = possible(self.engine, key, state)
        return True if not known & ~wanted else None if known & wanted else False

    def unknown_facts(self, name: str, state: dict[str, int]) -> tuple[str, ...]:
        """Facts that can be asked for, are not known, and that a decision or condition speaks of where it is open."""
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
                and f not in self.known and _several(possible(self.engine, f, state))
            )
        return self._asked[key]

    def deciding(self, decision: str, state: dict[str, int]) -> tuple[str, ...]:
        """Facts that would settle an open decision, or help to: the most telling first."""
        key = ("deciding", *self._key(decision, state))
        if key not in self._asked:
            closed = [fact for fact, definition in self.facts.items() if not definition.ask]
            asked = next_questions(self.engine, [decision], state, closed, quick=True)
            self._asked[key] = tuple(question.fact for question in asked)
        return self._asked[key]

    def _condition(self, name: str) -> Condition | None:
        """The authored condition behind a name such as "check:<slug>" or "needs:<tunable>"."""
        kind, _, rest = name.partition(":")
        if kind == "check":
            return self.rulebase.checks[rest].when
        tunable, _, which = rest.partition(":")
        definition = self.rulebase.tunables[tunable]
        if kind in _OF_A_TUNABLE:
            condition: Condition | None = getattr(definition, _OF_A_TUNABLE[kind])
            return condition
        if kind == "form":
            return next(f.when for f in definition.forms if f.spelling == which and f.when)
        return (definition.refused if kind == "refused" else definition.ignored)[int(which)].when

    def _facts_of(self, condition: Condition | None, read: dict[str, None]) -> None:
        """Every fact that a condition speaks of; of a derived one, what it is derived from."""
        for fact in facts_in(condition):
            if fact not in read:
                read[fact] = None
                definition = self.facts[fact]
                for inner in (definition.when, definition.unless, *(definition.derive or {}).values()):
                    self._facts_of(inner, read)
