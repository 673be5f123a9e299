"""Checks on one line: settings that must all be present (closed world) and a condition on facts (open world); and
settings outside of mounts, on which only certain findings are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from advisor.engine import formula
from advisor.files.patterns import matches
from advisor.files.records import Setting
from advisor.lint.compare import ABSENT, CertainHere, KnownHere, LineSettings, compare, finding_of
from advisor.lint.finding import Edit, Finding, Fix, edit_list, report
from advisor.lint.rule_index import Alike, RuleIndex, State, Undecided
from advisor.rulebase import values
from advisor.rulebase.model import Check, FixTemplate, Pattern, Signs


def differ(index: RuleIndex, tunables: Iterable[str], settings: Mapping[str, Setting]) -> bool:
    """Whether the values in effect are not all equal. A value that is not known equals any other."""
    in_effect = [settings[t].value if t in settings else index.tunables[t].default for t in tunables]
    known = [value for value in in_effect if value is not None]
    return any(not values.same(known[0], value) for value in known[1:])


def has_signs(signs: Signs, settings: Mapping[str, Setting]) -> bool:
    """Whether a line has enough of these signs."""
    count = sum(all(matches(pattern, settings.get(tunable)) for tunable, pattern in sign.items()) for sign in signs.of)
    return bool(count >= signs.least)


def symptoms(index: RuleIndex, findings: Iterable[Finding], settings: Mapping[str, Setting]) -> frozenset[str]:
    """Settings that need no finding because one of these findings, of a check with `signs`, reports their cause: those
    that its fix removes and those that the check lists."""
    checks = [index.rulebase.checks[finding.rule] for finding in findings if finding.rule in index.rules.cause_checks]
    return frozenset(
        tunable for check in checks
        for tunable in (*_removed(check.fix, settings), *(check.signs.tells if check.signs else ()))
    )


def moot(index: RuleIndex, settings: Mapping[str, Setting]) -> frozenset[str]:
    """Settings that make no difference on this line, present or not (write on a read-only mount)."""
    return frozenset(
        tunable for tunable, beside in index.rules.moot.items()
        if all(matches(pattern, settings.get(other)) for other, pattern in beside.items())
    )


def figures(known: KnownHere, check: Check, line: LineSettings) -> dict[str, str] | None:
    """The `figures` of a check for one line, in words. None if the check does not apply: a figure is outside its range,
    or needs a number that is neither on the line, nor implied by an option, nor a known fact, nor a default."""
    index = known.index

    def number(name: str) -> int | None:
        name = values.meant_by(name, index.tunables)
        setting = line.settings.get(name) if name not in line.ignored else None
        setting = setting or _brought_by_option(line, name)
        tunable = index.tunables.get(name)
        default = tunable.default if tunable is not None else None
        value = setting.value if setting is not None else index.known.get(name, default)
        if isinstance(value, str) and value.isdecimal() and value.isascii():  # a port may be a name too
            return int(value)
        return value if isinstance(value, int) else None

    return worked_out(check, number)


def _brought_by_option(line: LineSettings, tunable: str) -> Setting | None:
    """A setting that an option brings with it; those that the file system type implies do not count."""
    setting = line.brought.get(tunable)
    return setting if setting is not None and setting.field == "options" else None


def worked_out(check: Check, number: Callable[[str], int | None]) -> dict[str, str] | None:
    """The `figures` of a check in words; None if one is outside its range or lacks a number. `number`: the value of a
    name in a formula."""
    results = {}
    for name, figure in check.figures.items():
        result = formula.evaluate(figure.formula, number)
        if result is None or (figure.range is not None and not values.inside(result, figure.range)):
            return None
        results[name] = values.amount(result, figure.unit)
    return results


def worded(check: Check, known: KnownHere) -> Check:
    """The check with the text of its first variant that certainly holds, or else with its own."""
    for number, variant in enumerate(check.variants):
        if known.holds(f"variant:{check.check}:{number}"):
            return check.replace(**vars(variant))
    return check


def _concerned(
    known: KnownHere, line: LineSettings, in_effect: Mapping[str, Setting]
) -> Iterator[tuple[Check, bool | None, str]]:
    """The `on` checks whose patterns fit a line and whose condition may hold: the verdict on it, and its name."""
    index = known.index
    for outline in index.rules.checks_of(in_effect):
        if any(map(line.may_hide, outline.absent)):
            continue
        if not all(matches(pattern, in_effect.get(tunable)) for tunable, pattern in outline.patterns):
            continue
        check = index.rulebase.checks[outline.check]
        condition = f"check:{check.check}"
        verdict = known.holds(condition) if check.when else True
        if verdict is False or (check.quiet_if and known.holds(f"quiet:{check.check}")):
            continue
        spared = known.holds(f"unless:{check.check}") if check.unless else False
        if spared:
            continue
        if verdict is True and spared is None:
            verdict, condition = None, f"unless:{check.check}"
        yield check, verdict, condition


def check_line(known: KnownHere, line: LineSettings, alike: Alike) -> tuple[list[Finding], list[Undecided]]:
    """Make every `on` check on one line. Settings without effect count only as places and as signs."""
    written, index = line.settings, known.index
    in_effect = {tunable: setting for tunable, setting in written.items() if tunable not in line.ignored}
    if alike.checks is None:
        alike.checks = [*_concerned(known, line, in_effect)]
    findings: list[Finding] = []
    undecided: list[Undecided] = []
    for check, verdict, condition in alike.checks:
        if check.differ and not differ(index, check.differ, in_effect):
            continue
        if check.signs and not has_signs(check.signs, written):
            continue
        if verdict is None:
            if check.figures and figures(known, check, line) is None:
                continue
            at = _place(check, written)
            setting = written.get(at) or _brought_by_option(line, at) or ABSENT
            # Only a written option is worth a question.
            is_option = setting.field == "options" and setting.end != setting.start
            if (is_option or condition.startswith("unless:")) and not check.policy:
                undecided.append(Undecided(at, condition))
            continue
        finding = found(known, check, line)
        if finding is not None:
            findings.append(finding)
    return findings, undecided


def found(known: KnownHere, check: Check, line: LineSettings) -> Finding | None:
    """The finding of an `on` check that applies to a line; None if that hangs on a figure (`figures`)."""
    numbers = figures(known, check, line) if check.figures else {}
    if numbers is None:
        return None
    at, fix, written = _place(check, line.settings), check.fix, line.settings
    setting = written.get(at) or _brought_by_option(line, at) or ABSENT
    # nfsmount.conf may set an option that the line leaves out.
    adds = any(tunable not in written for tunable in (*fix.set, *fix.add)) if fix else False
    return report(
        worded(check, known), setting, tunable=at, value=setting.value,
        confidence=known.confidence_in(f"check:{check.check}") if check.when else "high",
        fix=Fix.of("unsafe" if adds else fix.safety, fix_edits(known.index, fix, line)) if fix else None,
        figures=numbers, names=_listed([written[tunable] for tunable in _removed(fix, written)]),
    )


def _listed(options: list[Setting]) -> str:
    """The names of options in the order of the line: "a, b and c"."""
    ordered = sorted(options, key=lambda option: option.start)
    *others, last = [option.text.partition("=")[0] for option in ordered] or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _place(check: Check, settings: Mapping[str, Setting]) -> str:
    """The tunable that the finding points at: the first of `at` that is written."""
    at = check.at or next(iter(check.on or ()))
    if isinstance(at, str):
        return at
    return next((tunable for tunable in at if tunable in settings), at[0])


def _removed(fix: FixTemplate | None, settings: Mapping[str, Setting]) -> list[str]:
    """The tunables whose options a fix removes from a line."""
    wanted: dict[str, Pattern] = {}
    for entry in fix.remove if fix else ():
        wanted.update({entry: "present"} if isinstance(entry, str) else entry)
    return [
        tunable for tunable, pattern in wanted.items()
        if (setting := settings.get(tunable)) is not None and setting.field == "options" and matches(pattern, setting)
    ]


_FIELDS = ("fstype", "freq", "passno")
"""Fields besides the options that a fix may change."""


def fix_edits(index: RuleIndex, fix: FixTemplate, line: LineSettings) -> tuple[Edit, ...]:
    """The edits of a check's fix on this line; () if any of them cannot be made."""
    settings = line.settings
    drop = [settings[tunable] for tunable in _removed(fix, settings)]
    put: list[tuple[Setting, str]] = []
    add: list[str] = []
    edits: list[Edit] = []
    absent = {tunable: value for tunable, value in fix.add.items() if tunable not in settings}
    for tunable, value in {**fix.set, **absent}.items():
        setting = settings.get(tunable)
        if setting is not None and values.same(setting.value, value):
            continue
        if setting is not None and setting.field in _FIELDS:
            edits.append(Edit.within(setting.field, 0, len(setting.text), str(value)))
        elif tunable not in index.tunables or index.tunables[tunable].kind != "mount-option":
            return ()
        elif setting is not None:
            put.append((setting, values.spell(index.tunables[tunable], value, setting.text)))
        else:
            add.append(values.spell(index.tunables[tunable], value))
    if drop or put or add:
        in_list = edit_list(line.options, drop, put, add)
        if not in_list:
            return ()
        edits += in_list
    return tuple(edits)


def certain(
    index: RuleIndex, line: LineSettings, state: State, state_of: Callable[[str], State] | None = None
) -> Iterator[Finding]:
    """The certain findings on settings that count together. `state`: what is known. `state_of`: what is known for one
    decision, if that is more."""
    known = CertainHere(index, state, line.settings, state_of or (lambda _: state))
    alike = Alike() if state_of else known.alike(line)
    mismatches, _ = compare(known, line, alike)
    checked, _ = check_line(known, line, alike)
    quiet = moot(index, line.settings)
    findings = (*(finding_of(mismatch, line.options) for mismatch in mismatches), *checked)
    yield from (finding for finding in findings if finding.tunable not in quiet)
