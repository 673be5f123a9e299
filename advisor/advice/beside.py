"""Today's settings of an fstab beside the recommended ones."""

from __future__ import annotations

from typing import Any, NamedTuple

from advisor.advice.model import Advice, Recommendation
from advisor.values import absence_supports, supports


class Row(NamedTuple):
    """One setting of one line. `today`: as written, "" where it is absent. `advised`: as it would be written, or in the
    rule's words. `verdict`: "same", "differs", "open" (what is right is not known), "no-opinion"."""

    file: str
    line: int
    target: str
    tunable: str
    today: str
    advised: str
    verdict: str
    why: str


def beside(base: Any, advice: Advice, text: str, name: str) -> tuple[Row, ...]:
    """Every option of each NFS line, and every recommended one that it lacks."""
    from advisor.lint.run import lint_text  # noqa: PLC0415  only a comparison needs the linter

    result = lint_text(text, name, base, advice.answers.facts)
    settled = {one.tunable: one for one in advice.advised if one.kind in ("mount-option", "fstab-field")}
    unsettled = {one.tunable for one in advice.open}
    rows = []
    for line, judged in result.judged.items():
        fields = result.line(line).split()
        found = {setting: one for setting, one in judged.settings.items() if setting in base.tunables}
        for tunable in dict.fromkeys((*found, *settled)):
            said = _row(found.get(tunable), settled.get(tunable), tunable in unsettled, base.tunables[tunable])
            if said is not None:
                rows.append(Row(name, line, fields[1] if len(fields) > 1 else "", tunable, *said))
    return tuple(rows)


def _row(
    found: Any, one: Recommendation | None, is_open: bool, told: dict[str, Any]
) -> tuple[str, str, str, str] | None:
    """(today, advised, verdict, why); None where there is nothing on either side."""
    today = found.text if found is not None else ""
    if one is None:
        return (today, "", "open" if is_open else "no-opinion", "") if today else None
    if not one.opinion:
        return (today, "", "no-opinion", one.why) if today else None
    wanted = one.written if one.pinned else one.value
    advised = one.text or ("left out" if one.value == "omit" else str(one.value))
    default = told.get("default")
    fits = supports(found.value, wanted, default) if found is not None else absence_supports(wanted, default)
    if found is None and (fits or (one.already and one.strength == "may")):
        return None
    return today, advised, "same" if fits else "differs", one.why
