"""Compare the settings of a line with the decisions of the rule base.

Under partial knowledge a setting is a mismatch only if no reachable outcome supports it. If only some do, the verdict
is left open, never guessed. `finding_of` words a mismatch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.files.records import Setting
from advisor.lint.finding import SEVERITIES, SEVERITY_OF, Edit, Finding, Fix, edit_list, report
from advisor.lint.kind_rules import meanings_of
from advisor.lint.rule_index import FEW, Alike, Outcomes, RuleIndex, State, Undecided
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Decision, Rule, Scalar, Tunable, Value

PLACES = ("fstab.source", "fstab.target")
ABSENT = Setting(None, "options", 0, 0, "")
"""The place of a setting that is not written."""


class Case(NamedTuple):
    """A tunable and the possible outcomes of its decision. `unknown`: the facts that decide between these, the most
    decisive first. `certain`: the only rule, or those whose condition certainly holds. `rank`: layer → rank, the lowest
    first."""

    tunable: Tunable
    decision: Decision
    outcomes: Outcomes
    confidence: str
    unknown: tuple[str, ...]
    certain: frozenset[str]
    rank: Mapping[str, int]

    @property
    def default(self) -> Value:
        return self.tunable.default

    @property
    def asked(self) -> list[Scalar]:
        return [value for value, _ in self.outcomes]

    @property
    def agreed(self) -> bool:
        return all(values.same(value, self.outcomes[0][0]) for value in self.asked)

    def is_default_flag(self, value: Value) -> bool:
        """Whether this is the default of a flag, so that removing the opposite word is enough to set it."""
        return isinstance(value, bool) and values.same(value, self.default)

    def severity(self, absent: bool = False) -> str:
        """The severity that is certain: that of the weakest rule."""
        rules = (self.decision.rules[rule] for _, rule in self.outcomes)
        strengths = ((absent and rule.missing) or rule.strength or "may" for rule in rules)
        return SEVERITIES[min(SEVERITIES.index(SEVERITY_OF[strength]) for strength in strengths)]

    def reported(self, outcomes: Outcomes) -> tuple[Scalar, Rule]:
        """The value and rule to report for these outcomes: a rule that certainly holds, or else the one that assumes
        least. That is one that is no exception to another of them, that does not say that the mount fails, of the
        lowest layer, and the weakest there."""
        rules = []
        for value, rule_id in outcomes:
            rule = self.decision.rules[rule_id]
            severity = SEVERITIES.index(SEVERITY_OF[rule.strength or "may"])
            uncertain = rule_id not in self.certain
            exception = any(other in rule.overrides for _, other in outcomes)
            fails = rule.consequence == "mount-fails"
            rules.append((uncertain, exception, fails, self.rank[rule.layer], severity, rule_id, value, rule))
        *_, value, rule = min(rules, key=lambda entry: entry[:6])
        return value, rule


class Mismatch(NamedTuple):
    """A setting that no possible outcome supports, or, without a setting, one that the line lacks and all outcomes
    demand. `refined`: settings that make sense only with its value. `unable`: values that are possible only for a
    client that does not know the setting. `plain`: for a setting that the file system type implies, the type that
    implies nothing."""

    case: Case
    setting: Setting | None
    refined: Sequence[Setting] = ()
    unable: Sequence[Scalar] = ()
    plain: str = ""


class LineSettings(NamedTuple):
    """The settings of a line, or others that count together. `options`: the option list as written. `settings`: those
    written. `brought`: those that other options or the file system type imply, each at the place of what implies it.
    `spread`: setting → values, if it stands for several (`vers=4` is 4.0, 4.1 or 4.2). `hidden`: settings that a
    placeholder may make, "" for any. `ignored`: settings that certainly have no effect."""

    settings: Mapping[str, Setting]
    options: str = ""
    brought: Mapping[str, Setting] = {}
    spread: Mapping[str, Sequence[Scalar]] = {}
    hidden: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def may_hide(self, tunable: str) -> bool:
        """Whether a placeholder may make this setting."""
        return "" in self.hidden or tunable in self.hidden


class KnownHere:
    """The known facts with which settings are judged. `inferred`: those that only a name shows."""

    def __init__(self, index: RuleIndex, state: State, inferred: frozenset[str] = frozenset()) -> None:
        self.index, self.state, self.inferred = index, state, inferred
        self._given = {fact: mask for fact, mask in state.items() if fact not in inferred} if inferred else state

    def alike(self, line: LineSettings, form: tuple[bool, ...] = ()) -> Alike:
        """What was found in lines with the same outcome of every test. `form`: the outcomes of those on source and
        target."""
        self.index.lines += 1
        if self.index.lines < FEW:
            return Alike()
        passed, fstype = self.index.rules.passed, line.settings.get("fstab.type")
        written = [(t, passed(t, setting.value)) for t, setting in line.settings.items() if t not in PLACES]
        brought = [(t, setting.field == "fstype" and setting.value) for t, setting in line.brought.items()]
        of_all = (form, id(self.state), line.hidden, line.ignored, str(line.spread), fstype and fstype.value)
        return self.index.alike((*of_all, *written, *brought))

    def holds(self, condition: str) -> bool | None:
        """Whether a named condition is true, false or open."""
        return self.index.holds(condition, self.state)

    def is_certain(self, rule: Rule) -> bool:
        """Whether the condition of a rule certainly holds."""
        return self.index.verdict(rule.when, self.state) is True

    def outcomes(self, decision: str) -> Outcomes:
        """The outcomes that are still possible."""
        return self.index.reach(decision, self.state)

    def outcomes_in_use(self, decision: str) -> Outcomes:
        """Those for a client that knows the setting, which it does if the setting is written."""
        return self.index.passing(decision, self.state)

    def may_be_left_out(self, decision: str) -> bool:
        """Whether a possible outcome has nothing against leaving the setting out."""
        return self.index.can_win("missable", decision, self.state)

    def deciding(self, decision: str) -> tuple[str, ...]:
        """The unknown facts that decide between the outcomes, the most decisive first."""
        return self.index.deciding(decision, self.index.able(decision, self.state))

    def confidence(self, decision: str, outcomes: Outcomes) -> str:
        """How sure these outcomes are: "medium" if an inferred fact leads to them."""
        return "high" if not self.inferred or self.index.reach(decision, self._given) == outcomes else "medium"

    def confidence_in(self, condition: str) -> str:
        """How sure the verdict on a named condition is."""
        sure = not self.inferred or self.index.holds(condition, self._given) == self.holds(condition)
        return "high" if sure else "medium"


class CertainHere(KnownHere):
    """The known facts for settings outside of lines, on which only certain findings are reported. `state_of`: the facts
    for one decision."""

    def __init__(
        self, index: RuleIndex, state: State, settings: Mapping[str, Setting], state_of: Callable[[str], State]
    ) -> None:
        super().__init__(index, state)
        self._settings, self._state_of = settings, state_of

    def outcomes(self, decision: str) -> Outcomes:
        """The outcomes that are still possible; if none of them supports what is written, only the certain ones."""
        known = self._state_of(decision)
        outcomes = self.index.reach(decision, known)
        setting, default = self._settings.get(decision), self.index.tunables[decision].default
        if setting is None or any(values.supports(setting.value, value, default) for value, _ in outcomes):
            return outcomes
        rules = self.index.rulebase.decisions[decision].rules
        certain = ((value, rule) for value, rule in outcomes if self.index.verdict(rules[rule].when, known) is True)
        return tuple(certain) or outcomes

    outcomes_in_use = outcomes

    def may_be_left_out(self, _decision: str) -> bool:
        return False

    def deciding(self, _decision: str) -> tuple[str, ...]:
        return ()


def compare(known: KnownHere, line: LineSettings, alike: Alike) -> tuple[list[Mismatch], list[Undecided]]:
    """Compare settings with every decision on them."""
    mismatches: list[Mismatch] = []
    undecided: list[Undecided] = []
    for tunable, may_be_missed in known.index.rules.decided if alike.decided is None else alike.decided:
        written, brought = line.settings.get(tunable), line.brought.get(tunable)
        if written is not None:
            wrong = _judge_written(known, line, tunable, written)
        elif brought is not None:  # an option that brings a setting is judged by itself; a type is not
            wrong = _judge_type(known, line, tunable, brought) if brought.field == "fstype" else None
        else:
            wrong = _judge_absent(known, line, tunable) if may_be_missed and not line.may_hide(tunable) else None
        if isinstance(wrong, Undecided):
            undecided.append(wrong)
        elif wrong is not None:
            mismatches.append(wrong)
    if alike.decided is None:
        alike.decided, alike.undecided = [(mismatch.case.tunable.id, True) for mismatch in mismatches], undecided
    return mismatches, alike.undecided


def _is_an_option(known: KnownHere, line: LineSettings, tunable: str) -> bool:
    """Whether the file system type knows this setting. With another type the mount would fail."""
    types, fstype = known.index.tunables[tunable].applies_to, line.settings.get("fstab.type")
    return not types or (fstype is not None and fstype.value in types)


def _case(known: KnownHere, tunable: str, outcomes: Outcomes) -> Case:
    index = known.index
    decision = index.rulebase.decisions[tunable]
    certain = frozenset(rule for _, rule in outcomes if len(outcomes) == 1 or known.is_certain(decision.rules[rule]))
    confidence = known.confidence(tunable, outcomes)
    return Case(index.tunables[tunable], decision, outcomes, confidence, (), certain, index.rules.layer_rank)


def _judge_written(known: KnownHere, line: LineSettings, tunable: str, setting: Setting) -> Mismatch | Undecided | None:
    if not setting.text:
        return None  # a type that such files do not write
    definition = known.index.tunables[tunable]
    meanings = meanings_of(definition, line.spread.get(tunable) or (setting.value,))
    backed = known.index.rules.backing(tunable, meanings)
    if all(backed.values()):
        return None  # right under every rule
    outcomes = known.outcomes_in_use(tunable)
    supporting = [backed[rule] for _, rule in outcomes]
    if all(supporting):
        return None
    if any(supporting):
        # Only a choice is worth a question: every line has a type, and a default may as well be left out.
        default = definition.default
        chosen = default is None or not all(values.same(meaning, default) for meaning in meanings)
        return Undecided(tunable, tunable) if chosen and setting.field == "options" else None
    refined = [line.settings[name] for name in definition.refined_by if name in line.settings]
    unable = [value for value, rule in known.outcomes(tunable) if (value, rule) not in outcomes]
    case = _case(known, tunable, outcomes)
    if not case.agreed:
        case = case._replace(unknown=known.deciding(tunable))
    return Mismatch(case, setting, refined, unable)


def _judge_absent(known: KnownHere, line: LineSettings, tunable: str) -> Mismatch | None:
    if known.may_be_left_out(tunable) or not _is_an_option(known, line, tunable):
        return None
    outcomes, definition = known.outcomes(tunable), known.index.tunables[tunable]
    rules = known.index.rulebase.decisions[tunable].rules
    if not outcomes or not all(values.demands(rules[rule], definition.default) for _, rule in outcomes):
        return None
    case = _case(known, tunable, outcomes)
    return Mismatch(case, None) if case.agreed or case.certain else None


def _judge_type(known: KnownHere, line: LineSettings, tunable: str, setting: Setting) -> Mismatch | None:
    """Whether the type implies a setting that certainly must be another, and the mount fails otherwise."""
    meanings = meanings_of(known.index.tunables[tunable], line.spread.get(tunable) or (setting.value,))
    backed = known.index.rules.backing(tunable, meanings)
    if all(backed.values()) or not _is_an_option(known, line, tunable):
        return None
    outcomes = known.outcomes(tunable)
    if not outcomes or any(backed[rule] for _, rule in outcomes):
        return None
    case = _case(known, tunable, outcomes)
    value, _ = case.reported(outcomes)
    if not case.agreed or case.severity() != "error" or values.is_bound(value) or value in ("omit", "n/a"):
        return None
    return Mismatch(case, setting, plain=str((known.index.tunables["fstab.type"].values or ["nfs"])[0]))


def finding_of(mismatch: Mismatch, options: str) -> Finding:
    """The finding, with its text and the smallest fix. `options`: the raw option list."""
    case, setting = mismatch.case, mismatch.setting
    if setting is None:
        return _missing(case, options)
    return _other_type(case, setting, mismatch.plain, options) if mismatch.plain else _wrong(mismatch, setting, options)


def _wrong(mismatch: Mismatch, setting: Setting, options: str) -> Finding:
    case = mismatch.case
    tunable = case.tunable
    wanted = values.common(case.asked, case.default)
    # If the outcomes have nothing in common, a number may still be too large or too small for all of them.
    firm = wanted is not None and not values.supports(setting.value, wanted, case.default)
    if not firm:
        wanted = values.beyond(setting.value, case.asked, case.default)
    matching = tuple(pair for pair in case.outcomes if values.same(pair[0], wanted)) if firm else case.outcomes
    value, rule = case.reported(matching)
    wanted = values.filled(wanted, setting.value)
    severity, consequence = case.severity(), rule.consequence or "performance"
    name, field = setting.text, tunable.kind == "fstab-field"
    if field:
        name = f"{tunable.id.partition('.')[2]} {setting.text}"
    message = _message(case, rule, wanted, firm, name)
    if (value == "n/a" or consequence == "ignored") and (field or wanted in ("omit", "n/a")):
        message, severity, consequence, safety = f"{name} has no effect here", "note", "ignored", "safe"
    else:
        safety = "unsafe"
    edits, remedy = _edits(case, wanted, setting, options, mismatch.refined) if firm else ((), _ask(case))
    expected = values.narrowest(case.asked, case.default) if wanted is None else wanted
    if mismatch.unable and not all(value in ("omit", "n/a") for value in (expected, *mismatch.unable)):
        edits = ()  # right only if the client knows the option
    why, cites = _grounds(case, rule, setting.text)
    return report(
        rule, setting, tunable=tunable.id, value=setting.value, expected=expected, severity=severity,
        consequence=consequence, confidence=case.confidence, message=message, why=why, remedy=remedy, cites=cites,
        fix=Fix.of(safety, edits), depends_on=case.unknown,
    )

_MODAL = {"error": "must", "warning": "should", "note": "could"}
"""Severity → the verb of a message."""
_HARM = {
    "mount-fails": "would make the mount fail", "data-loss": "can lose data", "stale-data": "can show old data",
    "errors": "can give programs errors", "hang": "can hang programs", "boot": "can stop the boot",
    "security": "would weaken security", "unsupported": "would not be supported", "performance": "can cost speed",
    "ignored": "would do nothing", "portability": "would not work everywhere",
}
"""Consequence → what a value does to its reader; a rule's `harm` is more exact."""


def _message(case: Case, rule: Rule, wanted: Value, firm: bool, name: str) -> str:
    """The message of a finding: the harm and the remedy. `wanted`: the right value, or None if it depends. `firm`:
    whether it is right in all cases; if not, the message names the unknown fact that decides."""
    open_on = f"; the right value depends on {case.unknown[0]}" if case.unknown else ""
    severity = case.severity()
    if wanted is None:
        return f"{name} is not {'what is recommended' if severity == 'note' else 'right'} here{open_on}"
    words = "left out" if case.is_default_flag(wanted) else values.describe(case.tunable, wanted, name)
    todo = "remove it" if words == "left out" else f"use {words}"
    return f"{name} {rule.harm or _HARM[rule.consequence or 'performance']}; {todo}{'' if firm else open_on}"


def _grounds(case: Case, rule: Rule, text: str) -> tuple[str, tuple[str, ...]]:
    """The reason and its claims: those of the rule if it certainly holds, or else of all rules that may hold."""
    if rule.id in case.certain:
        return rule.why, tuple(rule.cites)
    cited = [*rule.cites, *(claim for _, other in case.outcomes for claim in case.decision.rules[other].cites)]
    return f"{text} fits none of the cases that are still possible.", tuple(dict.fromkeys(cited))


def _ask(case: Case) -> str:
    facts = " and ".join(f"--set {fact}=…" for fact in case.unknown[:2])
    if not facts:
        return "Write the value that the storage vendor recommends."
    return f"Give {facts} to get the right value."


def _edits(
    case: Case, wanted: Value, setting: Setting, options: str, refined: Sequence[Setting]
) -> tuple[tuple[Edit, ...], str]:
    """The smallest change that satisfies what is certainly required, and the remedy in words. For a bound that is the
    nearest number, never the value of a rule that may not hold."""
    tunable, like = case.tunable, setting.text
    if setting.field != "options":
        remedy = values.advise(tunable, wanted)
        if tunable.id in ("fstab.freq", "fstab.passno") and isinstance(wanted, int):
            return (Edit.within(setting.field, setting.start, setting.end, str(wanted)),), remedy
        return (), remedy
    out = any(value in ("omit", "n/a") or case.is_default_flag(value) for value in case.asked)
    if out and all(values.absence_supports(value, case.default) for value in case.asked):
        return edit_list(options, drop=[setting]), values.advise(tunable, "omit", like)
    number = values.nearest(wanted, setting.value) if values.is_bound(wanted) else None
    remedy = values.advise(tunable, wanted, like, number)
    if values.is_bound(wanted) and number is None:
        return (), remedy
    if refined:
        remedy = f"{remedy.rstrip('.')} and remove {', '.join(other.text for other in refined)}."
    text = values.spell(tunable, wanted if number is None else number, like)
    return edit_list(options, drop=refined, put=[(setting, text)]), remedy


def _other_type(case: Case, setting: Setting, plain: str, options: str) -> Finding:
    value, rule = case.reported(case.outcomes)
    option = values.spell(case.tunable, value)
    edits = edit_list(options, add=[option])
    edits = (Edit.within("fstype", setting.start, setting.end, plain), *edits) if edits else ()
    return report(
        rule, setting, tunable=case.tunable.id, value=setting.value, expected=value, severity="error",
        confidence=case.confidence, message=f"the type {setting.text} must be {plain}, with {option}",
        remedy=f"Write the type {plain}, and add {option} to the options.", fix=Fix.of("unsafe", edits),
    )


def _missing(case: Case, options: str) -> Finding:
    tunable, severity = case.tunable, case.severity(absent=True)
    value, rule = case.reported(case.outcomes)
    advice = values.describe(tunable, value)
    message = f"{advice} is missing"
    written: Value = value
    if values.is_bound(value):
        message = f"{values.name(tunable)} is missing; it {_MODAL[severity]} be {advice}"
        written = values.nearest(value, case.default)
    edits = edit_list(options, add=[values.spell(tunable, written)]) if written is not None else ()
    remedy = f"Add {values.spell(tunable, written)}." if edits else values.advise(tunable, value)
    return report(
        rule, ABSENT, tunable=tunable.id, expected=value, severity=severity, confidence=case.confidence,
        message=message, remedy=remedy, fix=Fix.of("unsafe", edits),
    )
