"""Compare the settings of a line with the decisions of the rule base (design.md §5).

Under partial knowledge a setting is a finding only when no reachable outcome supports it; what some outcomes support
and others do not is left open, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from advisor import values
from advisor.lint.drafts import Change, Draft, Found
from advisor.lint.finding import SEVERITIES, SEVERITY_OF
from advisor.lint.fix_options import edit_list

Outcomes = tuple[tuple[Any, str], ...]
"""(value, rule id) of every outcome that is still possible."""


class Open(NamedTuple):
    """A setting whose verdict depends on facts that are not known."""

    tunable: str
    about: str
    """The decision or named condition that is open."""


def compare(
    base: Any, settings: Mapping[str, Found], options: str, reach: Callable[[str], Outcomes], *,
    confidence: Callable[[str, Outcomes], str], certain: Callable[[dict[str, Any]], bool],
    spread: Mapping[str, list[Any]], brought: Mapping[str, Found],
    able: Callable[[str], Outcomes] | None = None, unknown: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> tuple[list[Draft], list[Open]]:
    """Every decision on a mount option or fstab field against one line.

    `base` is the RuleBase, `options` the raw option list, `reach` answers the outcomes of a decision for this line, and
    `able` those for a client that knows the option, as it must where one is written;
    `spread` the values that a setting stands for where these are several (`vers=4` is 4.0, 4.1 or 4.2),
    `brought` what other options or the file system type set, `confidence` how sure these outcomes of a decision are,
    `certain` whether a rule's condition holds for certain, `unknown` the facts on which an open decision depends."""
    drafts: list[Draft] = []
    undecided: list[Open] = []
    for tunable_id, decision, absence in base.line_decisions:
        found = settings.get(tunable_id)
        by_type = None
        if found is None and tunable_id in brought:
            by_type = brought[tunable_id] if brought[tunable_id].place == "fstype" else None
            if by_type is None:
                continue  # another option sets it and is judged itself
        elif found is None and not absence:
            continue
        tunable = base.tunables[tunable_id]
        if found is None and tunable.get("applies_to") and settings["fstab.type"].value not in tunable["applies_to"]:
            continue  # this type does not know the option; to add it would make the mount fail
        default = tunable.get("default")
        there = found or by_type
        meanings = [] if there is None else spread.get(tunable_id) or [there.value]
        meanings = [other for one in meanings for other in (one, *tunable.get("meets", {}).get(str(one), ()))]
        backed = {} if there is None else base.backing(tunable_id, meanings)
        if there is not None and all(backed.values()):
            continue  # right whatever holds: no need to ask what does
        outcomes = reach(tunable_id) if found is None or able is None else able(tunable_id)
        if not outcomes:
            continue
        case = _Case(
            tunable, decision, outcomes, confidence(tunable_id, outcomes), (), certain, base.layer_rank
        )
        if found is None:
            if by_type is None:
                draft = _absent(case, options)
            else:
                wrong = not any(backed[rule] for _, rule in outcomes)
                plain = str(base.tunables["fstab.type"]["values"][0])
                draft = _other_type(case, by_type, plain, options) if wrong else None
            if draft is not None:
                drafts.append(draft)
            continue
        supporting = [backed[rule] for _, rule in outcomes]
        if all(supporting):
            continue
        if any(supporting):
            # Worth a question is what someone chose: every line has a type, and what is written out at its default is
            # as good as left out.
            chosen = default is None or not all(values.same(meaning, default) for meaning in meanings)
            if chosen and found.place == "options":
                undecided.append(Open(tunable_id, tunable_id))
            continue
        if not case.agreed:
            case = case._replace(unknown=unknown(tunable_id))
        draft = _present(case, found, options)
        if draft.changes and outcomes != reach(tunable_id):
            draft = draft._replace(changes=(), safety=None)  # right only if the client knows the option
        drafts.append(draft)
    return drafts, undecided


def backing(rules: Mapping[str, Any], meanings: list[Any], default: Any) -> dict[str, bool]:
    """Rule → whether one of the values that a setting may stand for supports what it asks for."""
    return {
        name: any(values.supports(meaning, rule["value"], default) for meaning in meanings)
        for name, rule in rules.items()
    }


def absence_matters(tunable: dict[str, Any], decision: dict[str, Any]) -> bool:
    """Whether some rule asks, more strongly than `may`, for a value that is not in effect by default."""
    return any(
        (rule.get("missing") or rule.get("strength")) in ("must", "should")
        and values.absence_supports(rule["value"], tunable.get("default")) is False
        for rule in decision["rules"].values()
    )


class _Case(NamedTuple):
    """A tunable, and what may hold of it. `unknown`: the facts that decide between the outcomes, the most telling
    first; `certain`: whether a rule's condition holds for certain."""

    tunable: dict[str, Any]
    decision: dict[str, Any]
    outcomes: Outcomes
    confidence: str
    unknown: tuple[str, ...]
    certain: Callable[[dict[str, Any]], bool]
    rank: Mapping[str, int]

    @property
    def default(self) -> Any:
        return self.tunable.get("default")

    @property
    def asked(self) -> list[Any]:
        return [value for value, _ in self.outcomes]

    @property
    def agreed(self) -> bool:
        """Whether all outcomes have one value."""
        return all(values.same(value, self.outcomes[0][0]) for value in self.asked)

    def usual(self, value: Any) -> bool:
        """Whether this is a flag as it is anyway: taking the other word out says the same in less."""
        return isinstance(value, bool) and values.same(value, self.default)

    def severity(self, missing: bool = False) -> str:
        """The severity that is certain: under partial knowledge that of the weakest rule."""
        rules = (self.decision["rules"][rule] for _, rule in self.outcomes)
        strengths = ((missing and rule.get("missing")) or rule.get("strength") or "may" for rule in rules)
        return SEVERITIES[min(SEVERITIES.index(SEVERITY_OF[strength]) for strength in strengths)]

    def spokesman(self, outcomes: Outcomes) -> tuple[Any, dict[str, Any]]:
        """The value and the rule that speak for these outcomes: a rule that holds for certain, else the one that
        assumes least: one that does not say that the mount fails, of the lowest layer, and the weakest there."""
        told = []
        for value, rule_id in outcomes:
            rule = self.decision["rules"][rule_id]
            severity = SEVERITIES.index(SEVERITY_OF[rule.get("strength") or "may"])
            unsure = len(self.outcomes) > 1 and not self.certain(rule)
            fails = rule.get("consequence") == "mount-fails"
            told.append((unsure, fails, self.rank[rule.get("layer") or "default"], severity, rule_id, value, rule))
        *_, value, rule = min(told, key=lambda one: one[:5])
        return value, rule


def _present(case: _Case, found: Found, options: str) -> Draft:
    tunable = case.tunable
    wanted = values.common(case.asked, case.default)
    # Where the outcomes have nothing in common, a number may still be too large or too small for all of them.
    firm = wanted is not None and not values.supports(found.value, wanted, case.default)
    if not firm:
        wanted = values.beyond(found.value, case.asked, case.default)
    speaking = tuple(one for one in case.outcomes if values.same(one[0], wanted)) if firm else case.outcomes
    value, rule = case.spokesman(speaking)
    severity, consequence = case.severity(), rule.get("consequence") or "performance"
    name, field = found.text, tunable["kind"] == "fstab-field"
    if field:
        name = f"{tunable['id'].partition('.')[2]} {found.text}"
    message = _message(case, wanted, firm, name, found.text)
    if (value == "n/a" or consequence == "ignored") and (field or wanted in ("omit", "n/a")):
        message, severity, consequence, safety = f"{name} has no effect here", "note", "ignored", "safe"
    else:
        safety = "unsafe"
    changes, remedy = _change(case, wanted, found, options) if firm else ((), _ask(case))
    why, cites = _grounds(case, rule, found.text)
    return Draft(
        rule["id"], severity, consequence, case.confidence, found.place, found.start, found.end, tunable["id"],
        found.value, values.narrowest(case.asked, case.default) if wanted is None else wanted, message, why, remedy,
        cites, safety if changes else None, changes, () if case.agreed else case.unknown, False,
    )


_MODAL = {"error": "must", "warning": "should", "note": "could"}
"""How strongly a message asks."""


def _message(case: _Case, wanted: Any, firm: bool, name: str, text: str) -> str:
    """What is wrong. Where no value is right whatever holds, the fact that decides is named, and no value is."""
    open_on = f"; the right value depends on {case.unknown[0]}" if case.unknown else ""
    severity = case.severity()
    if wanted is None:
        return f"{name} is not {'what is advised' if severity == 'note' else 'right'} here{open_on}"
    told = "left out" if case.usual(wanted) else values.describe(case.tunable, wanted, text)
    return f"{name} {_MODAL[severity]} be {told}{'' if firm else open_on}"


def _grounds(case: _Case, rule: dict[str, Any], text: str) -> tuple[str, tuple[str, ...]]:
    """Why, and who says so: the rule that speaks if it holds for certain, else all that may hold."""
    if len(case.outcomes) == 1 or case.certain(rule):
        return rule["why"], tuple(rule["cites"])
    cited = [claim for _, one in case.outcomes for claim in case.decision["rules"][one]["cites"]]
    return f"{text} fits none of the cases that are still possible.", tuple(dict.fromkeys(cited))


def _ask(case: _Case) -> str:
    facts = " and ".join(f"--set {fact}=…" for fact in case.unknown[:2])
    if not facts:
        return "Write the value that the vendor of the storage names."
    return f"Give {facts}; the right value follows."


def _change(case: _Case, wanted: Any, found: Found, options: str) -> tuple[tuple[Change, ...], str]:
    """The smallest change to what is certainly asked for, and its words. Nothing is written that an open fact decides:
    of a bound it is the nearest number, not the value of a rule that may not hold."""
    tunable, like = case.tunable, found.text
    if found.place != "options":
        remedy = values.advise(tunable, wanted)
        if tunable["id"] in ("fstab.freq", "fstab.passno") and isinstance(wanted, int):
            return (Change(found.place, found.start, found.end, str(wanted)),), remedy
        return (), remedy
    out = any(value in ("omit", "n/a") or case.usual(value) for value in case.asked)
    if out and all(values.absence_supports(value, case.default) for value in case.asked):
        return edit_list(options, drop=[found]), values.advise(tunable, "omit", like)
    number = values.nearest(wanted, found.value) if values.is_bound(wanted) else None
    remedy = values.advise(tunable, wanted, like, number)
    if values.is_bound(wanted) and number is None:
        return (), remedy
    return edit_list(options, put=[(found, values.spell(tunable, wanted if number is None else number, like))]), remedy


def _other_type(case: _Case, found: Found, plain: str, options: str) -> Draft | None:
    """What the file system type stands for (4 of nfs4) must be something else for certain: so must the type."""
    value, rule = case.spokesman(case.outcomes)
    if not case.agreed or case.severity() != "error" or values.is_bound(value) or value in ("omit", "n/a"):
        return None
    option = values.spell(case.tunable, value)
    changes = (Change("fstype", found.start, found.end, plain), *edit_list(options, add=[option]))
    message = f"the type {found.text} must be {plain}, with {option}"
    return Draft(
        rule["id"], "error", rule.get("consequence") or "performance", case.confidence, found.place, found.start,
        found.end, case.tunable["id"], found.value, value, message, rule["why"],
        f"Write the type {plain}, and {option} among the options.", tuple(rule["cites"]), "unsafe", changes, (), False,
    )


def _absent(case: _Case, options: str) -> Draft | None:
    """A setting that is missing is a finding only when the outcome is settled, strong and not in effect anyway."""
    tunable, severity = case.tunable, case.severity(missing=True)
    if not case.agreed or severity == "note":
        return None
    value, rule = case.spokesman(case.outcomes)
    # What is negotiated (None) may come out right by itself; where it does not, a check says so.
    if values.absence_supports(value, case.default) is not False:
        return None
    advice = values.describe(tunable, value)
    message, written = f"{advice} is missing", value
    if values.is_bound(value):
        message, written = f"{values.name(tunable)} is missing; it {_MODAL[severity]} be {advice}", None
        written = values.nearest(value, case.default)
    changes = edit_list(options, add=[values.spell(tunable, written)]) if written is not None else ()
    remedy = f"Add {values.spell(tunable, written)}." if changes else values.advise(tunable, value)
    return Draft(
        rule["id"], severity, rule.get("consequence") or "performance", case.confidence, "options", 0, 0,
        tunable["id"], None, value, message, rule["why"], remedy, tuple(rule["cites"]),
        "unsafe" if changes else None, changes, (), False,
    )
