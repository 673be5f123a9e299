"""Compare the settings of a line with the decisions of the rule base.

Under partial knowledge a setting is a finding only if no reachable outcome supports it. If only some do, the verdict is
left open, never guessed. Each finding has its text and the smallest fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from advisor.engine.formula import is_formula
from advisor.files.option_reading import Setting
from advisor.lint.edits import edit_list
from advisor.lint.finding import SEVERITIES, SEVERITY_OF, Edit, Finding, Fix
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Decision, Rule, Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model.types import Pattern, Scalar, Value


Outcomes = tuple[tuple["Scalar", str], ...]
"""(value, rule id) of every outcome that is still possible."""


class Case(NamedTuple):
    """A tunable and the possible outcomes of its decision. `unknown`: the facts that decide between these, the most
    decisive first. `certain`: whether a rule's condition certainly holds. `rank`: layer → rank, the lowest first."""

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
            uncertain = len(self.outcomes) > 1 and not self.certain(rule)
            exception = any(other in rule.overrides for _, other in outcomes)
            fails = rule.consequence == "mount-fails"
            rules.append((uncertain, exception, fails, self.rank[rule.layer], severity, rule_id, value, rule))
        *_, value, rule = min(rules, key=lambda entry: entry[:6])
        return value, rule


def wrong(case: Case, setting: Setting, options: str, refined: Sequence[Setting] = ()) -> Finding:
    """The finding on a setting that no outcome supports. `refined`: settings that make sense only with its value."""
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
    message = _message(case, wanted, firm, name, setting.text)
    if (value == "n/a" or consequence == "ignored") and (field or wanted in ("omit", "n/a")):
        message, severity, consequence, safety = f"{name} has no effect here", "note", "ignored", "safe"
    else:
        safety = "unsafe"
    edits, remedy = _edits(case, wanted, setting, options, refined) if firm else ((), _ask(case))
    why, cites = _grounds(case, rule, setting.text)
    return Finding(
        rule.id, severity, consequence, case.confidence, "", 0, setting.start + 1, setting.end + 1, tunable.id,
        setting.value, values.narrowest(case.asked, case.default) if wanted is None else wanted, message, why, remedy,
        cites, Fix.of(safety, edits), () if case.agreed else case.unknown, field=setting.field,
    )


_MODAL = {"error": "must", "warning": "should", "note": "could"}
"""Severity → the verb of a message."""


def _message(case: Case, wanted: Value, firm: bool, name: str, text: str) -> str:
    """What is wrong, in words. `wanted`: the right value, or None if it depends. `firm`: whether it is right in all
    cases; if not, the message names the unknown fact that decides."""
    open_on = f"; the right value depends on {case.unknown[0]}" if case.unknown else ""
    severity = case.severity()
    if wanted is None:
        return f"{name} is not {'what is recommended' if severity == 'note' else 'right'} here{open_on}"
    wanted_words = "left out" if case.is_default_flag(wanted) else values.describe(case.tunable, wanted, text)
    return f"{name} {_MODAL[severity]} be {wanted_words}{'' if firm else open_on}"


def _grounds(case: Case, rule: Rule, text: str) -> tuple[str, tuple[str, ...]]:
    """The reason and its claims: those of the rule if it certainly holds, or else of all rules that may hold."""
    if len(case.outcomes) == 1 or case.certain(rule):
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


def other_type(case: Case, setting: Setting, plain: str, options: str) -> Finding | None:
    """The finding on a file system type that implies a setting (nfs4: vers=4) which certainly must be another.
    `plain`: the type that implies nothing."""
    value, rule = case.reported(case.outcomes)
    if not case.agreed or case.severity() != "error" or values.is_bound(value) or value in ("omit", "n/a"):
        return None
    option = values.spell(case.tunable, value)
    edits = edit_list(options, add=[option])
    edits = (Edit.within("fstype", setting.start, setting.end, plain), *edits) if edits else ()
    message = f"the type {setting.text} must be {plain}, with {option}"
    return Finding(
        rule.id, "error", rule.consequence or "performance", case.confidence, "", 0, setting.start + 1, setting.end + 1,
        case.tunable.id, setting.value, value, message, rule.why,
        f"Write the type {plain}, and add {option} to the options.", tuple(rule.cites), Fix.of("unsafe", edits),
        field=setting.field,
    )


def missing(case: Case, options: str) -> Finding | None:
    """The finding on a missing setting; None unless all outcomes demand the same value."""
    if not case.agreed or not all(values.demands(case.decision.rules[rule], case.default) for _, rule in case.outcomes):
        return None
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
    return Finding(
        rule.id, severity, rule.consequence or "performance", case.confidence, "", 0, 1, 1, tunable.id, None, value,
        message, rule.why, remedy, tuple(rule.cites), Fix.of("unsafe", edits), field="options",
    )


def matches(pattern: Pattern, setting: Setting | None) -> bool:
    """Whether a setting fits a pattern of a check: a scalar, a list of patterns, a range, `present`, `absent`, a
    regular expression that its whole value matches (`~ …`) or does not match (`!~ …`), or a word that it contains
    (`has …`) or does not contain (`lacks …`)."""
    if isinstance(pattern, list):
        return any(matches(alternative, setting) for alternative in pattern)
    if pattern == "absent":
        return setting is None
    if setting is None:
        return False
    if pattern == "present":
        return True
    if setting.value is None:  # unknown, perhaps because another file sets it
        return False
    if isinstance(pattern, str) and pattern.startswith(("has ", "lacks ")):
        has, _, word = pattern.partition(" ")
        return (word in str(setting.value).replace(",", " ").split()) is (has == "has")
    form = expression(pattern)
    if form is not None:
        return (form.fullmatch(str(setting.value)) is not None) is str(pattern).startswith("~")
    if values.is_bound(pattern):
        return values.inside(setting.value, pattern)
    return values.same(setting.value, pattern)


def text_test(pattern: Pattern) -> Callable[[str], bool]:
    """`matches`, for one pattern and many texts."""
    form = expression(pattern) if isinstance(pattern, str) else None
    if form is None:
        return lambda text: matches(pattern, Setting(text, "source", 0, 0, text))
    fits = form.fullmatch
    return lambda text: (fits(text) is not None) is str(pattern).startswith("~")


@lru_cache(maxsize=64)
def expression(pattern: object) -> re.Pattern[str] | None:
    """The regular expression of a check's pattern; None if it is not one."""
    if not isinstance(pattern, str) or not pattern.startswith(("~ ", "!~ ")):
        return None
    text = pattern.partition(" ")[2]
    return re.compile(text)


class Undecided(NamedTuple):
    """A setting whose verdict depends on facts that are not known."""

    tunable: str
    about: str
    """The decision or named condition that is open."""


def compare(
    index: RuleIndex, settings: Mapping[str, Setting], options: str, reach: Callable[[str], Outcomes], *,
    confidence: Callable[[str, Outcomes], str], certain: Callable[[Rule], bool],
    spread: Mapping[str, list[Scalar]], brought: Mapping[str, Setting],
    may_be_left_out: Callable[[str], bool] = lambda _: False,
    able: Callable[[str], Outcomes] | None = None, unknown: Callable[[str], tuple[str, ...]] = lambda _: (),
    hidden: Callable[[str], bool] = lambda _: False,
) -> tuple[list[Finding], list[Undecided]]:
    """Compare one line with every decision on its settings.

    `options`: the raw option list. `reach`: the outcomes of a decision for this line; `able`: those for a client that
    knows the option, which it does if the option is written. `may_be_left_out`: whether a possible outcome has nothing
    against leaving a setting out. `spread`: setting → values, if it stands for several
    (`vers=4` is 4.0, 4.1 or 4.2). `brought`: settings that other options or the file system type imply. `confidence`:
    how sure the outcomes of a decision are. `certain`: whether a rule's condition certainly holds. `unknown`: the facts
    on which an open decision depends. `hidden`: whether a placeholder may set a tunable."""
    findings: list[Finding] = []
    undecided: list[Undecided] = []
    for tunable_id, absence in index.decided:
        written = settings.get(tunable_id)
        by_type = None
        if written is None and tunable_id in brought:
            by_type = brought[tunable_id] if brought[tunable_id].field == "fstype" else None
            if by_type is None:
                continue  # the option that sets it is judged
        elif written is None and (not absence or hidden(tunable_id)):
            continue
        tunable = index.tunables[tunable_id]
        fstype = settings.get("fstab.type")
        if written is None and tunable.applies_to and (fstype is None or fstype.value not in tunable.applies_to):
            continue  # the mount would fail: this type does not know the option
        default = tunable.default
        setting = written or by_type
        stands_for: Sequence[Value] = () if setting is None else spread.get(tunable_id) or (setting.value,)
        meanings = [meaning for value in stands_for for meaning in (value, *tunable.meets.get(str(value), ()))]
        backed = {} if setting is None else index.backing(tunable_id, meanings)
        if setting is not None and all(backed.values()):
            continue  # right under every rule
        if setting is None and may_be_left_out(tunable_id):
            continue
        outcomes = reach(tunable_id) if written is None or able is None else able(tunable_id)
        if not outcomes:
            continue
        decision = index.rulebase.decisions[tunable_id]
        case = Case(
            tunable, decision, outcomes, confidence(tunable_id, outcomes), (), certain, index.layer_rank
        )
        if written is None:
            if by_type is None:
                finding = missing(case, options)
            else:
                unfit = not any(backed[rule] for _, rule in outcomes)
                plain = str((index.tunables["fstab.type"].values or ["nfs"])[0])
                finding = other_type(case, by_type, plain, options) if unfit else None
            if finding is not None:
                findings.append(finding)
            continue
        supporting = [backed[rule] for _, rule in outcomes]
        if all(supporting):
            continue
        if any(supporting):
            # Only a choice is worth a question: every line has a type, and a default may as well be left out.
            chosen = default is None or not all(values.same(meaning, default) for meaning in meanings)
            if chosen and written.field == "options":
                undecided.append(Undecided(tunable_id, tunable_id))
            continue
        if not case.agreed:
            case = case._replace(unknown=unknown(tunable_id))
        refined = [settings[name] for name in tunable.refined_by if name in settings]
        finding = wrong(case, written, options, refined)
        held_back = [value for value, rule in reach(tunable_id) if (value, rule) not in outcomes]
        if finding.fix and held_back and not {finding.expected, *held_back} <= {"omit", "n/a"}:
            finding = finding._replace(fix=None)  # right only if the client knows the option
        findings.append(finding)
    return findings, undecided


def backing(rules: Mapping[str, Rule], meanings: Iterable[Value], default: Value) -> dict[str, bool]:
    """Rule → whether one of the values that a setting may stand for supports the rule's value. The result of a formula
    is not known here, so any value supports it."""
    return {
        name: any(values.supports(meaning, rule.value, default) or _as_good(rule, meaning) for meaning in meanings)
        or _counted(rule.value)
        for name, rule in rules.items()
    }


def _as_good(rule: Rule, meaning: Value) -> bool:
    """Whether the rule accepts a value although it recommends another."""
    return matches(list(rule.as_good), Setting(meaning, "options", 0, 0, ""))


def _counted(value: object) -> bool:
    """Whether a value is a formula over facts. Their names have a dot; `n/a` and words with a hyphen have none."""
    return isinstance(value, str) and "." in value and is_formula(value)
