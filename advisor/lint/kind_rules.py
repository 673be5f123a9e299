"""The rules for one kind of file, whatever is known of the mounts in it: sorted by where they apply."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.engine import FactError
from advisor.globs import fits, parts
from advisor.lint.checks import patterns
from advisor.lint.compare import absence_matters, backing, expression
from advisor.lint.outcomes import Outcomes
from advisor.options.grammar import Grammar
from advisor.readers.mounts import IN_EFFECT
from advisor.readers.mounts import READ as MOUNTS
from advisor.readers.source import parse_source
from advisor.rulebase import values
from advisor.rulebase.model import RuleBase, Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.readers.fstab.entry import Whole
    from advisor.readers.tables import MountEntry
    from advisor.rulebase.model import Check
    from advisor.rulebase.model.types import Pattern, Scalar, Value

MAX_BACKING = 2000
_GUESSED = "auto"


def _listed(value: Pattern | None) -> list[Scalar]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _grammar(rulebase: RuleBase) -> Grammar:
    return Grammar(rulebase.of_kinds(*values.LINE_KINDS))


def _idle_in(kind: str, tunable: Tunable) -> bool:
    """Whether a verdict says that this is ignored in files of this kind, whatever else is set."""
    if kind in IN_EFFECT and (tunable.read_by in ("mount", "systemd", "comment") or tunable.kind == "fstab-field"):
        return True  # the kernel never hears of it, and shows a type of its own
    return any(
        verdict.together.keys() == {"file.kind"} and kind in _listed(verdict.together["file.kind"])
        for verdict in tunable.ignored if verdict.together and not verdict.values
    )


def _judged_in(rulebase: RuleBase, kind: str) -> tuple[str, ...]:
    """The kinds of tunables that files of this kind hold."""
    if kind == "exports":
        return ("export-option",)
    named = tuple(steps.id for steps in rulebase.kinds.values() if steps.file is not None and kind in steps.file.kinds)
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
        self.line_decisions = [
            (name, decision, tunable.kind in values.LISTED_KINDS and absence_matters(tunable, decision))
            for name in rulebase.decisions
            if name in self.tunables and self.tunables[name].kind in judged
            for decision, tunable in ((rulebase.decisions[name], self.tunables[name]),)
        ]
        """(tunable, decision, whether leaving the setting out can ever be a finding)"""
        self.in_effect = kind in IN_EFFECT
        """The kernel took these options, and shows more than was asked for."""
        self.idle = frozenset(name for name, tunable in self.tunables.items() if _idle_in(kind, tunable))
        """Settings that do nothing in files of this kind, so that none is missed there."""
        self.unmissed: set[tuple[str, Outcomes]] = set()
        """(tunable, outcomes) where leaving the setting out is not a finding (advisor.lint.compare)."""
        self._backing: dict[tuple[str, str], dict[str, bool]] = {}
        self.layer_rank = {layer.id: rank for rank, layer in enumerate(rulebase.layers)}
        checks = [one for one in rulebase.checks_of(frozenset(judged)) if self._asked_for(one)]
        self.line_checks = [c for c in checks if c.on]
        self.line_patterns = [patterns(check) for check in self.line_checks]
        self.targets = [*dict.fromkeys(t for c in self.line_checks for t in _listed((c.on or {}).get("fstab.target")))]
        """Patterns of the mount point of which a check speaks."""
        self.telling = frozenset(c.check for c in self.line_checks if c.signs)
        """Checks that tell the cause of other findings."""
        forms = dict.fromkeys(p for c in self.line_checks for p in _listed((c.on or {}).get("fstab.source")))
        self.sources = [form for form in map(expression, forms) if form is not None]
        """Forms of the first field of which a check speaks."""
        self.pair_checks = [c for c in checks if c.pair]
        self.total_checks = [c for c in checks if c.total]
        self.moot = {name: tunable.moot for name, tunable in self.tunables.items() if tunable.moot}
        """Setting → those beside which it makes no difference."""
        self.twins = {name: tunable.twin for name, tunable in self.tunables.items() if tunable.twin}
        self.setting_facts = [(name, fact.setting) for name, fact in self.facts.items() if fact.setting]
        self.nfs_types = {"nfs", "nfs4"}.union(
            *(t.applies_to for t in self.tunables.values() if t.vendor),
            *(p.fstypes for p in rulebase.platforms),
        )
        """File system types that are NFS: the kernel's, and those of vendors' mount helpers (efs, aznfs)."""
        self._names = [
            (parts(one.pattern.lower()), p.platform)
            for p in rulebase.platforms for one in p.server_names
        ]
        self.type_platform: dict[str, str] = {
            fstype: p.platform for p in rulebase.platforms for fstype in p.fstypes
        }

    def _asked_for(self, check: Check) -> bool:
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
