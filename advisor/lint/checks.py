"""Checks on one line: settings that must all stand there (closed world), under a condition on facts (open world)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from advisor.lint import values
from advisor.lint.compare import Open
from advisor.lint.drafts import Change, Draft, Found, addition, from_check, removal

_NOWHERE = Found(None, "options", 0, 0, "")


def matches(pattern: Any, found: Found | None) -> bool:
    """Whether a setting fits a pattern of a check: a scalar, a list, a range, `present` or `absent`."""
    if isinstance(pattern, list):
        return any(matches(one, found) for one in pattern)
    if pattern == "absent":
        return found is None
    if found is None:
        return False
    if pattern == "present":
        return True
    if values.is_bound(pattern):
        return values.inside(found.value, pattern)
    return values.same(found.value, pattern)


def check_line(
    base: Any, settings: Mapping[str, Found], options: str, holds: Callable[[str], bool | None], confidence: str,
) -> tuple[list[Draft], list[Open]]:
    """Every `on` check of the rule base against one line."""
    drafts: list[Draft] = []
    undecided: list[Open] = []
    for check in base.line_checks:
        on = check["on"]
        if not all(matches(pattern, settings.get(tunable)) for tunable, pattern in on.items()):
            continue
        verdict = holds(f"check:{check['check']}") if check.get("when") else True
        if verdict is False:
            continue
        at = check.get("at") or next(iter(on))
        found = settings.get(at, _NOWHERE)
        if verdict is None:
            if found.place != "options" or found.end == found.start or check.get("policy"):
                continue  # only what someone wrote is worth a question
            undecided.append(Open(at, f"check:{check['check']}"))
            continue
        fix = check.get("fix")
        changes = fix_changes(base, fix, settings, options) if fix else ()
        drafts.append(
            from_check(
                check, found, tunable=at, value=found.value, confidence=confidence if check.get("when") else "high",
                safety=fix["safety"] if fix and changes else None, changes=changes,
            )
        )
    return drafts, undecided


def fix_changes(
    base: Any, fix: dict[str, Any], settings: Mapping[str, Found], options: str
) -> tuple[Change, ...]:
    """The edits of a check's fix on this line; none when one of them cannot be made."""
    changes = []
    for tunable in fix.get("remove", ()):
        found = settings.get(tunable)
        if found is not None and found.place == "options":
            changes.append(removal(options, found))
    for tunable, value in fix.get("set", {}).items():
        found = settings.get(tunable)
        if found is None:
            changes.append(addition(options, values.spell(base.tunables[tunable], value)))
        elif found.place == "options":
            changes.append(Change("options", found.start, found.end, values.spell(base.tunables[tunable], value)))
        else:
            changes.append(Change(found.place, found.start, found.end, str(value)))
    return tuple(changes)
