"""Compare the settings of a line with the decisions of the rule base (design.md §5).

Under partial knowledge a setting is a finding only when no reachable outcome supports it; what some outcomes support
and others do not is left open, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from advisor.lint import values
from advisor.lint.drafts import Change, Draft, Found, addition, removal
from advisor.lint.finding import SEVERITIES, SEVERITY_OF

Outcomes = tuple[tuple[Any, str], ...]
"""(value, rule id) of every outcome that is still possible."""


class Open(NamedTuple):
    """A setting whose verdict depends on facts that are not known."""

    tunable: str
    about: str
    """The decision or named condition that is open."""


def compare(
    base: Any, settings: Mapping[str, Found], options: str, reach: Callable[[str], Outcomes], confidence: str,
    spread: Mapping[str, list[Any]], implied: Mapping[str, Any],
) -> tuple[list[Draft], list[Open]]:
    """Every decision on a mount option or fstab field against one line.

    `base` is the RuleBase, `options` the raw option list, `reach` answers the outcomes of a decision for this line,
    `spread` the values that a setting stands for where these are several (`vers=4` is 4.0, 4.1 or 4.2),
    `implied` what other options or the file system type set."""
    drafts: list[Draft] = []
    undecided: list[Open] = []
    for tunable_id, decision, absence, wanted in base.line_decisions:
        found = settings.get(tunable_id)
        if found is None and (not absence or tunable_id in implied):
            continue  # nothing to say, or another option sets it and is judged itself
        tunable = base.tunables[tunable_id]
        default = tunable.get("default")
        meanings = [] if found is None else spread.get(tunable_id) or [found.value]
        if found is not None and all(_backed(meanings, value, default) for value in wanted):
            continue  # right whatever holds: no need to ask what does
        outcomes = reach(tunable_id)
        if not outcomes:
            continue
        if found is None:
            draft = _absent(tunable, decision, outcomes, options, confidence)
            if draft is not None:
                drafts.append(draft)
            continue
        backing = [_backed(meanings, value, default) for value, _ in outcomes]
        if all(backing):
            continue
        if any(backing):
            undecided.append(Open(tunable_id, tunable_id))
            continue
        drafts.append(_present(tunable, decision, outcomes, found, options, confidence))
    return drafts, undecided


def _backed(meanings: list[Any], wanted: Any, default: Any) -> bool:
    """Whether one of the values that a setting may stand for supports the wanted one."""
    return any(values.supports(meaning, wanted, default) for meaning in meanings)


def distinct(decision: dict[str, Any]) -> list[Any]:
    """The values that a decision's rules can give, each once."""
    found: list[Any] = []
    for rule in decision["rules"].values():
        if not any(values.same(rule["value"], one) for one in found):
            found.append(rule["value"])
    return found


def absence_matters(tunable: dict[str, Any], decision: dict[str, Any]) -> bool:
    """Whether some rule asks, more strongly than `may`, for a value that is not in effect by default."""
    return any(
        rule.get("strength") in ("must", "should")
        and values.absence_supports(rule["value"], tunable.get("default")) is False
        for rule in decision["rules"].values()
    )


def _weakest(decision: dict[str, Any], outcomes: Outcomes) -> tuple[Any, dict[str, Any], str]:
    """The outcome whose rule asks least: under partial knowledge no more than that is certain."""
    ranked = []
    for value, rule_id in outcomes:
        rule = decision["rules"][rule_id]
        ranked.append((SEVERITIES.index(SEVERITY_OF[rule.get("strength") or "may"]), rule_id, value, rule))
    rank, _, value, rule = min(ranked, key=lambda item: (item[0], item[1]))
    return value, rule, SEVERITIES[rank]


def _present(
    tunable: dict[str, Any], decision: dict[str, Any], outcomes: Outcomes, found: Found, options: str, confidence: str,
) -> Draft:
    value, rule, severity = _weakest(decision, outcomes)
    wanted = [value for value, _ in outcomes]
    consequence = rule.get("consequence") or "performance"
    policy = False
    if value == "n/a":
        consequence, severity = "ignored", "note"
    elif value == "omit" and tunable.get("default") is not None and severity == "note":
        consequence = rule.get("consequence") or "ignored"
    wanted = list(dict.fromkeys(wanted))
    advice = " or ".join(dict.fromkeys(values.describe(tunable, w, found.text) for w in wanted))
    changes: tuple[Change, ...] = ()
    safety = None
    if len(wanted) == 1:
        changes = _replace(tunable, value, found, options)
        safety = "unsafe" if changes else None
        if changes and value in ("omit", "n/a") and consequence == "ignored":
            safety = "safe"
    name = f"{tunable['title']}: {found.text}" if tunable["kind"] == "fstab-field" else found.text
    message = f"{name}: {_short(advice)}"
    if value == "n/a" or (value == "omit" and consequence == "ignored"):
        message = f"{name} has no effect here"
    elif wanted == ["omit"]:
        message = f"{name} should be left out"
    return Draft(
        rule["id"], severity, consequence, confidence if len(wanted) == 1 else "medium", found.place, found.start,
        found.end, tunable["id"], found.value, wanted[0] if len(wanted) == 1 else wanted, message, rule["why"],
        _short(advice), tuple(rule["cites"]), safety, changes, (), policy,
    )


def _short(advice: str) -> str:
    return advice if advice.startswith("leave ") else f"write {advice}"


def _replace(tunable: dict[str, Any], value: Any, found: Found, options: str) -> tuple[Change, ...]:
    if found.place != "options":
        if tunable["id"] in ("fstab.freq", "fstab.passno") and isinstance(value, int):
            return (Change(found.place, found.start, found.end, str(value)),)
        return ()
    if value in ("omit", "n/a"):
        return (removal(options, found),)
    if values.is_bound(value):
        return ()
    return (Change("options", found.start, found.end, values.spell(tunable, value, found.text)),)


def _absent(
    tunable: dict[str, Any], decision: dict[str, Any], outcomes: Outcomes, options: str, confidence: str,
) -> Draft | None:
    """A setting that is missing is a finding only when the outcome is settled, strong and not in effect anyway."""
    if any(not values.same(value, outcomes[0][0]) for value, _ in outcomes):
        return None
    value, rule, severity = _weakest(decision, outcomes)
    if severity == "note":
        return None
    # What is negotiated (None) may come out right by itself; where it does not, a check says so.
    if values.absence_supports(value, tunable.get("default")) is not False:
        return None
    advice = values.describe(tunable, value)
    changes: tuple[Change, ...] = ()
    if not values.is_bound(value) and tunable["kind"] == "mount-option":
        changes = (addition(options, values.spell(tunable, value)),)
    return Draft(
        rule["id"], severity, rule.get("consequence") or "performance", confidence, "options", 0, 0,
        tunable["id"], None, value, f"{advice} is missing", rule["why"], f"add {advice}", tuple(rule["cites"]),
        "unsafe" if changes else None, changes, (), False,
    )
