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
    spread: Mapping[str, list[Any]], implied: Mapping[str, Any],
) -> tuple[list[Draft], list[Open]]:
    """Every decision on a mount option or fstab field against one line.

    `base` is the RuleBase, `options` the raw option list, `reach` answers the outcomes of a decision for this line,
    `spread` the values that a setting stands for where these are several (`vers=4` is 4.0, 4.1 or 4.2),
    `implied` what other options or the file system type set, `confidence` how sure these outcomes of a decision are,
    `certain` whether a rule's condition holds for certain."""
    drafts: list[Draft] = []
    undecided: list[Open] = []
    for tunable_id, decision, absence in base.line_decisions:
        found = settings.get(tunable_id)
        if found is None and (not absence or tunable_id in implied):
            continue  # nothing to say, or another option sets it and is judged itself
        tunable = base.tunables[tunable_id]
        if found is None and tunable.get("applies_to") and settings["fstab.type"].value not in tunable["applies_to"]:
            continue  # this type does not know the option; to add it would make the mount fail
        default = tunable.get("default")
        meanings = [] if found is None else spread.get(tunable_id) or [found.value]
        backed = {} if found is None else base.backing(tunable_id, meanings)
        if found is not None and all(backed.values()):
            continue  # right whatever holds: no need to ask what does
        outcomes = reach(tunable_id)
        if not outcomes:
            continue
        if found is None:
            draft = _absent(
                base, tunable, decision, outcomes, options=options, confidence=confidence(tunable_id, outcomes),
                certain=certain,
            )
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
        drafts.append(
            _present(
                base, tunable, decision, outcomes, found, options=options, confidence=confidence(tunable_id, outcomes),
                certain=certain,
            )
        )
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
        rule.get("strength") in ("must", "should")
        and values.absence_supports(rule["value"], tunable.get("default")) is False
        for rule in decision["rules"].values()
    )


def _spokesman(
    base: Any, decision: dict[str, Any], outcomes: Outcomes, certain: Callable[[dict[str, Any]], bool]
) -> tuple[Any, dict[str, Any], str]:
    """The value and the rule that speak for these outcomes, and the severity that is certain.

    Under partial knowledge no more is certain than what the weakest rule asks. The words are those of a rule that holds
    for certain, else of the one that assumes least: one that does not say that the mount fails, of the lowest layer,
    and the weakest there."""
    told = []
    for value, rule_id in outcomes:
        rule = decision["rules"][rule_id]
        severity = SEVERITIES.index(SEVERITY_OF[rule.get("strength") or "may"])
        unsure = len(outcomes) > 1 and not certain(rule)
        layer = base.layer_rank[rule.get("layer") or "default"]
        told.append((unsure, rule.get("consequence") == "mount-fails", layer, severity, rule_id, value, rule))
    *_, value, rule = min(told, key=lambda one: one[:5])
    return value, rule, SEVERITIES[min(one[3] for one in told)]


def _present(
    base: Any, tunable: dict[str, Any], decision: dict[str, Any], outcomes: Outcomes, found: Found, *, options: str,
    confidence: str, certain: Callable[[dict[str, Any]], bool],
) -> Draft:
    value, rule, severity = _spokesman(base, decision, outcomes, certain)
    wanted = values.narrowest([value for value, _ in outcomes], tunable.get("default"))
    consequence = rule.get("consequence") or "performance"
    field = tunable["kind"] == "fstab-field"
    idle = all(one in ("omit", "n/a") for one in wanted) and (value == "n/a" or consequence == "ignored")
    if idle:
        consequence, severity = "ignored", "note"
    changes = _replace(tunable, wanted[0], found, options) if len(wanted) == 1 else ()
    safety = None
    if changes:
        # What nothing reads can be changed without harm.
        safety = "safe" if idle or (field and consequence == "ignored") else "unsafe"
    name = f"{found.text} ({tunable['title'][:1].lower()}{tunable['title'][1:]})" if field else found.text
    said = list(dict.fromkeys(values.describe(tunable, one, found.text) for one in wanted))
    message = f"{name} {_MODAL[severity]} be {' or '.join(said)}"
    if idle:
        message = f"{name} has no effect here"
    elif len(said) > 2:
        message = f"{name} is not advised here, whatever holds of what is not known"
    return Draft(
        rule["id"], severity, consequence, confidence, found.place, found.start, found.end, tunable["id"], found.value,
        wanted[0] if len(wanted) == 1 else wanted, message, rule["why"],
        values.advise(tunable, wanted, "" if field else found.text), tuple(rule["cites"]), safety, changes, (), False,
    )


_MODAL = {"error": "must", "warning": "should", "note": "could"}
"""How strongly a message asks."""


def _replace(tunable: dict[str, Any], value: Any, found: Found, options: str) -> tuple[Change, ...]:
    if found.place != "options":
        if tunable["id"] in ("fstab.freq", "fstab.passno") and isinstance(value, int):
            return (Change(found.place, found.start, found.end, str(value)),)
        return ()
    if value in ("omit", "n/a"):
        return edit_list(options, drop=[found])
    if values.is_bound(value):
        return ()
    return edit_list(options, put=[(found, values.spell(tunable, value, found.text))])


def _absent(
    base: Any, tunable: dict[str, Any], decision: dict[str, Any], outcomes: Outcomes, *, options: str,
    confidence: str, certain: Callable[[dict[str, Any]], bool],
) -> Draft | None:
    """A setting that is missing is a finding only when the outcome is settled, strong and not in effect anyway."""
    if any(not values.same(value, outcomes[0][0]) for value, _ in outcomes):
        return None
    value, rule, severity = _spokesman(base, decision, outcomes, certain)
    if severity == "note":
        return None
    # What is negotiated (None) may come out right by itself; where it does not, a check says so.
    if values.absence_supports(value, tunable.get("default")) is not False:
        return None
    changes: tuple[Change, ...] = ()
    advice = values.describe(tunable, value)
    if values.is_bound(value):
        message = f"{values.name(tunable)} is missing; it {_MODAL[severity]} be {advice}"
        remedy = values.advise(tunable, [value])
    else:
        message, remedy = f"{advice} is missing", f"Add {advice}."
        changes = edit_list(options, add=[values.spell(tunable, value)])
    return Draft(
        rule["id"], severity, rule.get("consequence") or "performance", confidence, "options", 0, 0,
        tunable["id"], None, value, message, rule["why"], remedy, tuple(rule["cites"]),
        "unsafe" if changes else None, changes, (), False,
    )
