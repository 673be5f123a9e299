"""What becomes of the settings of a line under its circumstances: refused, ignored, overlooked (kb/tunables/mount)."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.lint.finding import Setting
from advisor.lint.option_table import OptionForm, OptionVerdict, Together
from advisor.lint.option_types import OptionList, OptionProblem


def verdicts(line: OptionList, entries: Mapping[int, OptionForm], unusable: dict[int, OptionProblem]) -> None:
    """Judge what is written and not overridden. What is wrong with it (`unusable`, by order) does no harm where it is
    overlooked."""
    lost = {old.order for old, _ in line.overridden}
    last: dict[str, int] = {}
    for setting in line.every:
        shared = entries[setting.order].shared
        if setting.order in lost:
            continue
        problem = unusable.get(setting.order)
        if problem is not None:
            last = last or {one.tunable: one.order for one in line.every}
            for minor in shared.overlooked:
                if minor.followed and last[setting.tunable] == setting.order:
                    continue
                if minor.fixed is not None and minor.fixed is bool(line.tried):
                    continue
                if holds(minor.together, line) and minor.written(setting.text):
                    unusable[setting.order] = problem._replace(consequence="ignored", why=minor.why, cites=minor.cites)
                    break
            continue
        for rule in shared.rules:
            if not _stands(rule, setting, line):
                continue
            problem = _verdict(rule, setting, entries[setting.order])
            if rule.condition is not None:
                line.pending.append((problem, True))
                continue
            line.problems.append(problem)
            break


def idle(entry: OptionForm, setting: Setting, line: OptionList) -> bool:
    """Whether the setting is ignored for certain, and so brings nothing with it."""
    rules = entry.shared.rules
    return any(r.kind == "ignored-option" and r.condition is None and _stands(r, setting, line) for r in rules)


def turns_on(
    line: OptionList, entries: Mapping[int, OptionForm], unusable: Mapping[int, OptionProblem], tunable: str
) -> bool:
    """Whether the value of `tunable` can decide whether the line is refused."""
    for setting in line.every:
        shared = entries[setting.order].shared
        if setting.order in unusable:
            if tunable in shared.turns:
                return True
        elif tunable in shared.turns and any(
            rule.kind == "refused-option" and (rule.fits is None or rule.fits(setting.value)) for rule in shared.rules
        ):
            return True
    return False


def holds(together: Together, line: OptionList) -> bool:
    """Whether the other settings of a line are as a verdict, or an entry of `tries`, wants them. While 4.2 is tried for
    `vers=4` both are."""
    for tunable, test in together:
        written = line.written(tunable)
        if test is None:
            if written is not None:
                return False
            continue
        if not any(value is not None and test(value) for value in (line.value(tunable), written)):
            return False
    return True


def _stands(rule: OptionVerdict, setting: Setting, line: OptionList) -> bool:
    if rule.fits is not None and not rule.fits(setting.value):
        return False
    return holds(rule.together, line) and bool(rule.written(setting.text))


def _verdict(rule: OptionVerdict, setting: Setting, entry: OptionForm) -> OptionProblem:
    text = setting.text
    ignored = rule.kind == "ignored-option"
    message = f"{text} has no effect here" if ignored else f"{text} is refused here"
    # What brings other settings with it does something by that, and is not lightly removed. What is ignored for
    # certain implies nothing (`idle`).
    # What is refused by itself, and not beside another option, has to go.
    alone = not (entry.implies and rule.condition is not None) if ignored else not rule.together
    return OptionProblem(
        rule.kind, text, setting.start, setting.tunable, setting.value, None, message, rule.why, rule.consequence,
        rule.cites, "" if alone else None, rule.condition,
    )
