"""The rule base as the linter needs it: the rules for one kind of file, and with them what is known of its mounts and
what was already asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from advisor.engine import FactError, consistent, contenders, holds, next_questions, possible, support
from advisor.engine.decisions import GATE
from advisor.globs import fits, parts
from advisor.lint.compare import Outcomes, backing, matches, text_test
from advisor.options.grammar import Grammar
from advisor.options.reading import Setting
from advisor.readers.mounts import IN_EFFECT
from advisor.readers.mounts import READ as MOUNTS
from advisor.readers.source import parse_source
from advisor.rulebase import values
from advisor.rulebase.model import RuleBase, Tunable
from advisor.rulebase.model.facts import JOINTS, facts_in, inner_conditions
from advisor.sections import Matcher, Mount, Section, ServerFacts, facts_of_mount, observed_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.judge import Judged
    from advisor.readers.fstab.entry import Whole
    from advisor.readers.tables import MountEntry
    from advisor.rulebase.model import Check
    from advisor.rulebase.model.base import CheckOutline
    from advisor.rulebase.model.types import Condition, Operand, Value, Values

    Key = tuple[object, ...]


MAX_BACKING = 2000
_OF_EVERY_LINE = ("fstab.", "file.")
"""How the names of settings begin that are there whatever options are written."""
_GUESSED = "auto"


def _grammar(rulebase: RuleBase) -> Grammar:
    return Grammar(rulebase.tunables, rulebase.lint)


def _unseen(tunable: Tunable) -> bool:
    """Whether the kernel never hears of a setting, or shows one of its own, so that a list of mounts cannot tell it."""
    return tunable.read_by in ("mount", "systemd", "comment") or tunable.kind == "fstab-field"


def _judged_in(rulebase: RuleBase, kind: str) -> tuple[str, ...]:
    """The kinds of tunables that files of this kind hold."""
    if kind == "exports":
        return ("export-option",)
    named = tuple(rulebase.lint["held"].get(kind, ()))
    return (*values.LINE_KINDS, *named) if not named or kind in MOUNTS else named


class KindRules:
    """What does not depend on what is known, and what was worked out of it. `RuleBase.ready` makes each once.

    `profiles`: the security profiles whose checks are made."""

    def __init__(self, rulebase: RuleBase, kind: str = "fstab", profiles: Sequence[str] = ()) -> None:
        self.rulebase = rulebase
        self.kind = kind
        """Of the files (advisor.readers.kinds)."""
        self.profiles = profiles
        self.engine = rulebase.engine
        self.facts = rulebase.facts
        judged = _judged_in(rulebase, kind)
        self.tunables = rulebase.of_kinds(*dict.fromkeys((*values.LINE_KINDS, *judged)))
        """Those that stand in a line of fstab, or in a file of this kind."""
        self.grammar = rulebase.ready(_grammar)
        self._masks: dict[tuple[str, object], int | None] = {}
        self._supports: dict[str, tuple[str, ...]] = {}
        """Decision or condition → the facts that bear on it."""
        self._platforms: dict[str, str | None] = {}
        self._of_line = values.LINE_KINDS[0] in judged
        self.decided = self._decided(judged)
        """(tunable on which there is a decision, whether leaving it out can ever be a finding)"""
        self.in_effect = kind in IN_EFFECT
        """The kernel took these options, and shows more than was asked for."""
        self.idle = frozenset(rulebase.lint["idle"].get(kind, ())).union(
            name for name, tunable in (self.tunables.items() if self.in_effect else ()) if _unseen(tunable)
        )
        """Settings that do nothing in files of this kind, so that none is missed there."""
        self.unmissed: set[tuple[str, Outcomes]] = set()
        """(tunable, outcomes) where leaving the setting out is not a finding (advisor.lint.compare)."""
        self._backing: dict[tuple[str, str], dict[str, bool]] = {}
        self.layer_rank = {layer.id: rank for rank, layer in enumerate(rulebase.layers)}
        outlines = [one for one in rulebase.outlines(frozenset(judged)) if self._asked_for(one)]
        self.line_checks = [one for one in outlines if one.looks_at == "on"]
        self.telling = frozenset(one.check for one in self.line_checks if one.signs)
        """Checks that tell the cause of other findings."""
        self.pair_checks = [one.check for one in outlines if one.looks_at == "pair"]
        self.total_checks = [one.check for one in outlines if one.looks_at == "total"]
        self._places: dict[str, list[tuple[str, Callable[[str], bool]]]] = {}
        self._checks_of: dict[str, list[int]] = {}
        for number, one in enumerate(self.line_checks):
            telling = next((name for name in sorted(one.needed) if not name.startswith(_OF_EVERY_LINE)), "")
            self._checks_of.setdefault(telling, []).append(number)
        self.moot = rulebase.lint["moot"]
        """Setting → those beside which it makes no difference."""
        self.twins = rulebase.lint["twins"]
        self.forced = frozenset(name for name in rulebase.lint["forced"] if name in rulebase.decisions)
        """Decisions with a rule without which the mount fails."""
        facts = ((name, self.facts[name].setting) for name in rulebase.lint["setting_facts"])
        self.setting_facts = [(name, setting) for name, setting in facts if setting]
        self.nfs_types = {"nfs", "nfs4"}.union(
            rulebase.lint["helper_types"], *(p.fstypes for p in rulebase.platforms)
        )
        """File system types that are NFS: the kernel's, and those of vendors' mount helpers (efs, aznfs)."""
        self._names = [
            (parts(one.pattern.lower()), p.platform)
            for p in rulebase.platforms for one in p.server_names
        ]
        self.type_platform: dict[str, str] = {
            fstype: p.platform for p in rulebase.platforms for fstype in p.fstypes
        }

    def _decided(self, judged: Sequence[str]) -> list[tuple[str, bool]]:
        missable = {*self.rulebase.lint["missable"]}
        kinds = {name: kind for kind in judged for name in self.rulebase.of_kinds(kind)}
        return [
            (name, name in missable and kinds[name] in values.LISTED_KINDS)
            for name in self.rulebase.decisions if name in kinds
        ]

    def checks_of(self, settings: Iterable[str]) -> list[CheckOutline]:
        """The checks of lines for which these settings may be enough."""
        numbers = [number for name in ("", *settings) for number in self._checks_of.get(name, ())]
        return [self.line_checks[number] for number in sorted(numbers)]

    def place_tests(self, fstype: str) -> list[tuple[str, Callable[[str], bool]]]:
        """What checks ask of the source and target of a line of this type: ("fstab.source", whether a text fits)."""
        if fstype not in self._places:
            found = Setting(fstype, "fstype", 0, 0, fstype)
            kind = Setting(self.kind, "source", 0, 0, "")
            self._places[fstype] = [
                (field, text_test(pattern)) for one in self.line_checks
                if all(matches(p, found if t == "fstab.type" else kind) for t, p in one.patterns
                       if t in ("fstab.type", "file.kind"))
                for field, pattern in one.patterns if field in ("fstab.source", "fstab.target")
            ]
        return self._places[fstype]

    def _asked_for(self, check: Check | CheckOutline) -> bool:
        return not check.profiles or any(profile in self.profiles for profile in check.profiles)

    def builtin(self, slug: str) -> Check | None:
        """The check of this name that the reader or the grammar answers; None where the rule base has none."""
        check = self.rulebase.checks.get(slug)
        return check if check is not None and check.builtin == slug and self._asked_for(check) else None

    def type_in_effect(self, written: str, source: str) -> str:
        """The type that is mounted: for `auto`, mount(8) takes host:/path for NFS."""
        if written != _GUESSED:
            return written
        found = parse_source(source)
        return "nfs" if found.kind in ("host", "ipv4", "ipv6") and found.export.startswith("/") else written

    def is_nfs(self, entry: Whole | MountEntry) -> bool:
        """Whether this line or entry mounts NFS."""
        return self.type_in_effect(entry.fstype.value, entry.source.value) in self.nfs_types

    def platform_of(self, host: str | None, fstype: str) -> str | None:
        """The platform that a helper's type or the server's name gives away; None when neither does."""
        if fstype in self.type_platform:
            return self.type_platform[fstype]
        if not host:
            return None
        host = host.lower().rstrip(".")
        if host not in self._platforms:
            self._platforms[host] = next((p for parts, p in self._names if fits(host, parts)), None)
        return self._platforms[host]

    def mask(self, fact: str, answer: object) -> int | None:
        """The mask of an answer; None when it lies outside the fact's domain."""
        key = (fact, tuple(answer) if isinstance(answer, list) else answer)
        if key not in self._masks:
            try:
                self._masks[key] = self.engine.fact(fact).mask(answer)
            except FactError:
                self._masks[key] = None
        return self._masks[key]

    def backing(self, tunable: str, meanings: list[Value]) -> dict[str, bool]:
        """`compare.backing`, remembered: values come again where lines as a whole do not."""
        key = (tunable, repr(meanings))
        if key not in self._backing:
            if len(self._backing) >= MAX_BACKING:
                self._backing.clear()
            rules = self.rulebase.decisions[tunable].rules
            self._backing[key] = backing(rules, meanings, self.rulebase.tunables[tunable].default)
        return self._backing[key]

    def layer(self, decision: str, rule: str) -> str:
        """The layer of a decision's rule."""
        return str(self.rulebase.decisions[decision].rules[rule].layer or "default")


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
