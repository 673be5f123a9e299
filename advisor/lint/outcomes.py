"""What is to be said of a setting that no outcome supports, or that is missing: its words, and the smallest fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from advisor.lint.edits import edit_list
from advisor.lint.finding import SEVERITIES, SEVERITY_OF, Edit, Finding, Fix
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.rulebase import values
from advisor.rulebase.model import Decision, Rule, Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value

Outcomes = tuple[tuple["Scalar", str], ...]
"""(value, rule id) of every outcome that is still possible."""


class Case(NamedTuple):
    """A tunable, and what may hold of it. `unknown`: the facts that decide between the outcomes, the most telling
    first; `certain`: whether a rule's condition holds for certain."""

    tunable: Tunable
    decision: Decision
    outcomes: Outcomes
    confidence: str
    unknown: tuple[str, ...]
    certain: Callable[[Rule], bool]
    rank: Mapping[str, int]

    @property
    def default(self) -> Value:
        return self.tunable.default

    @property
    def asked(self) -> list[Scalar]:
        return [value for value, _ in self.outcomes]

    @property
    def agreed(self) -> bool:
        """Whether all outcomes have one value."""
        return all(values.same(value, self.outcomes[0][0]) for value in self.asked)

    def usual(self, value: Value) -> bool:
        """Whether this is a flag as it is anyway: taking the other word out says the same in less."""
        return isinstance(value, bool) and values.same(value, self.default)

    def severity(self, absent: bool = False) -> str:
        """The severity that is certain: under partial knowledge that of the weakest rule."""
        rules = (self.decision.rules[rule] for _, rule in self.outcomes)
        strengths = ((absent and rule.missing) or rule.strength or "may" for rule in rules)
        return SEVERITIES[min(SEVERITIES.index(SEVERITY_OF[strength]) for strength in strengths)]

    def speaking(self, outcomes: Outcomes) -> tuple[Scalar, Rule]:
        """The value and the rule that speak for these outcomes: a rule that holds for certain, else the one that
        assumes least: no exception to another one here, one that does not say that the mount fails, of the lowest
        layer, and the weakest there."""
        rules = []
        for value, rule_id in outcomes:
            rule = self.decision.rules[rule_id]
            severity = SEVERITIES.index(SEVERITY_OF[rule.strength or "may"])
            unsure = len(self.outcomes) > 1 and not self.certain(rule)
            exception = any(other in rule.overrides for _, other in outcomes)
            fails = rule.consequence == "mount-fails"
            rules.append((unsure, exception, fails, self.rank[rule.layer], severity, rule_id, value, rule))
        *_, value, rule = min(rules, key=lambda one: one[:6])
        return value, rule


def wrong(case: Case, found: Setting, options: str, refined: Sequence[Setting] = ()) -> Finding:
    """A setting that stands there and that no outcome supports. `refined`: settings that go with the old value."""
    tunable = case.tunable
    wanted = values.common(case.asked, case.default)
    # Where the outcomes have nothing in common, a number may still be too large or too small for all of them.
    firm = wanted is not None and not values.supports(found.value, wanted, case.default)
    if not firm:
        wanted = values.beyond(found.value, case.asked, case.default)
    speaking = tuple(one for one in case.outcomes if values.same(one[0], wanted)) if firm else case.outcomes
    value, rule = case.speaking(speaking)
    wanted = values.filled(wanted, found.value)
    severity, consequence = case.severity(), rule.consequence or "performance"
    name, field = found.text, tunable.kind == "fstab-field"
    if field:
        name = f"{tunable.id.partition('.')[2]} {found.text}"
    message = _message(case, wanted, firm, name, found.text)
    if (value == "n/a" or consequence == "ignored") and (field or wanted in ("omit", "n/a")):
        message, severity, consequence, safety = f"{name} has no effect here", "note", "ignored", "safe"
    else:
        safety = "unsafe"
    edits, remedy = _edits(case, wanted, found, options, refined) if firm else ((), _ask(case))
    why, cites = _grounds(case, rule, found.text)
    return Finding(
        rule.id, severity, consequence, case.confidence, "", 0, found.start + 1, found.end + 1, tunable.id,
        found.value, values.narrowest(case.asked, case.default) if wanted is None else wanted, message, why, remedy,
        cites, Fix.of(safety, edits), () if case.agreed else case.unknown, field=found.field,
    )


_MODAL = {"error": "must", "warning": "should", "note": "could"}
"""How strongly a message asks."""


def _message(case: Case, wanted: Value, firm: bool, name: str, text: str) -> str:
    """What is wrong. Where an unknown fact decides which value is right, the message names that fact instead of a
    value."""
    open_on = f"; the right value depends on {case.unknown[0]}" if case.unknown else ""
    severity = case.severity()
    if wanted is None:
        return f"{name} is not {'what is recommended' if severity == 'note' else 'right'} here{open_on}"
    wanted_words = "left out" if case.usual(wanted) else values.describe(case.tunable, wanted, text)
    return f"{name} {_MODAL[severity]} be {wanted_words}{'' if firm else open_on}"


def _grounds(case: Case, rule: Rule, text: str) -> tuple[str, tuple[str, ...]]:
    """Why, and who says so: the rule that speaks if it holds for certain, else all that may hold."""
    if len(case.outcomes) == 1 or case.certain(rule):
        return rule.why, tuple(rule.cites)
    cited = [*rule.cites, *(claim for _, one in case.outcomes for claim in case.decision.rules[one].cites)]
    return f"{text} fits none of the cases that are still possible.", tuple(dict.fromkeys(cited))


def _ask(case: Case) -> str:
    facts = " and ".join(f"--set {fact}=…" for fact in case.unknown[:2])
    if not facts:
        return "Write the value that the storage vendor recommends."
    return f"Give {facts} to get the right value."


def _edits(
    case: Case, wanted: Value, found: Setting, options: str, refined: Sequence[Setting]
) -> tuple[tuple[Edit, ...], str]:
    """The smallest change that satisfies what is certainly asked for, and its words. What an open fact decides is never
    written: for a bound it is the nearest number, not the value of a rule that may not hold."""
    tunable, like = case.tunable, found.text
    if found.field != "options":
        remedy = values.advise(tunable, wanted)
        if tunable.id in ("fstab.freq", "fstab.passno") and isinstance(wanted, int):
            return (Edit.within(found.field, found.start, found.end, str(wanted)),), remedy
        return (), remedy
    out = any(value in ("omit", "n/a") or case.usual(value) for value in case.asked)
    if out and all(values.absence_supports(value, case.default) for value in case.asked):
        return edit_list(options, drop=[found]), values.advise(tunable, "omit", like)
    number = values.nearest(wanted, found.value) if values.is_bound(wanted) else None
    remedy = values.advise(tunable, wanted, like, number)
    if values.is_bound(wanted) and number is None:
        return (), remedy
    if refined:
        remedy = f"{remedy.rstrip('.')} and remove {', '.join(one.text for one in refined)}."
    text = values.spell(tunable, wanted if number is None else number, like)
    return edit_list(options, drop=refined, put=[(found, text)]), remedy


def other_type(case: Case, found: Setting, plain: str, options: str) -> Finding | None:
    """What the file system type stands for (4 of nfs4) must be something else for certain: so must the type."""
    value, rule = case.speaking(case.outcomes)
    if not case.agreed or case.severity() != "error" or values.is_bound(value) or value in ("omit", "n/a"):
        return None
    option = values.spell(case.tunable, value)
    edits = edit_list(options, add=[option])
    edits = (Edit.within("fstype", found.start, found.end, plain), *edits) if edits else ()
    message = f"the type {found.text} must be {plain}, with {option}"
    return Finding(
        rule.id, "error", rule.consequence or "performance", case.confidence, "", 0, found.start + 1, found.end + 1,
        case.tunable.id, found.value, value, message, rule.why,
        f"Write the type {plain}, and add {option} to the options.", tuple(rule.cites), Fix.of("unsafe", edits),
        field=found.field,
    )


def missing(case: Case, options: str) -> Finding | None:
    """A setting that is missing is a finding only when the outcome is settled, strong and not in effect anyway."""
    tunable, severity = case.tunable, case.severity(absent=True)
    if not case.agreed or severity == "note":
        return None
    value, rule = case.speaking(case.outcomes)
    # What is negotiated (None) may come out right by itself; where it does not, a check says so.
    if values.absence_supports(value, case.default) is not False:
        return None
    advice = values.describe(tunable, value)
    message = f"{advice} is missing"
    written: Value = value
    if values.is_bound(value):
        message = f"{values.name(tunable)} is missing; it {_MODAL[severity]} be {advice}"
        written = values.nearest(value, case.default)
    edits = edit_list(options, add=[values.spell(tunable, written)]) if written is not None else ()
    remedy = f"Add {values.spell(tunable, written)}." if edits else values.advise(tunable, value)
    return Finding(
        rule.id, severity, rule.consequence or "performance", case.confidence, "", 0, 1, 1, tunable.id, None, value,
        message, rule.why, remedy, tuple(rule.cites), Fix.of("unsafe", edits), field="options",
    )
