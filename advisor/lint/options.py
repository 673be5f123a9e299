"""The grammar of mount options: what a list of options says, and what is wrong with it. The options are data
(kb/tunables/mount); this module only reads and applies them.

    grammar = Grammar(rulebase.tunables)
    line = grammar.read("nfs", split_options("rw,nconnect=4"))     # needs no facts
    problems = grammar.judge(line, holds)                          # holds(name of a condition) -> True, False or None
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from advisor import values
from advisor.lint.option_items import read_item
from advisor.lint.option_table import Entry, Rule, Tables
from advisor.lint.option_types import Line, Problem, Setting

__all__ = ["Grammar", "Line", "Problem", "Setting"]

Holds = Callable[[str], bool | None]
_NOTHING: Mapping[str, Any] = {}


class Grammar:
    """Reads option lists. Make one for each run: it remembers every option text that it has read."""

    def __init__(self, tunables: Mapping[str, Mapping[str, Any]]) -> None:
        self._tunables = tunables
        self._tables = Tables(tunables)

    def read(self, fstype: str, items: Iterable[Any], beside: Mapping[str, Any] = _NOTHING) -> Line:
        """Read a list of options (`item.text`, `.name`, `.value`). `beside`: closed-world settings of the same line
        that verdicts may ask for, tunable → value. The result depends on the arguments alone."""
        line = Line({"fstab.type": fstype, **beside})
        table = self._tables.of(fstype)
        entries: dict[int, Entry] = {}
        hides, vendor = "", False
        unusable: dict[int, Problem] = {}
        unknown: list[Problem] = []
        for order, item in enumerate(items):
            got = table.memo.get(item.text)
            if got is None:
                got = table.memo[item.text] = read_item(self._tables, table, fstype, item)
            entry = got.entry
            if entry is None:
                unknown += [problem._replace(item=item) for problem in got.problems]
                continue
            shared = entry.shared
            for problem in got.problems:
                if got.stands:
                    line.problems.append(problem._replace(item=item))
                else:
                    unusable[order] = problem._replace(item=item)
            hides = hides or (item.text if shared.data.get("hides_unknown") else "")
            vendor = vendor or bool(shared.data.get("vendor"))
            setting = Setting(shared.id, got.value, got.written, item, entry.spelling, order)
            line.every.append(setting)
            entries[order] = entry
            if got.open:
                line.pending += [(problem._replace(item=item), wants) for problem, wants in got.open]
            if got.stands:
                self._place(line, shared.repeat, setting)
        if vendor:
            # Beside a vendor's own options its wider limits are an open question, not a mistake.
            line.pending = [(problem, False if wants is None else wants) for problem, wants in line.pending]
        self._follow(line, entries)
        self._verdicts(line, entries, unusable)
        line.problems += unusable.values()
        line.problems += [_hidden(problem, hides) for problem in unknown] if hides else unknown
        return line

    def judge(self, line: Line, holds: Holds) -> tuple[Problem, ...]:
        """Every problem of a line. One that hangs on a condition is left out when the condition says so, certain when
        it is decided, and carries the condition's name when it is open."""
        if not line.pending:
            return tuple(line.problems)
        told = list(line.problems)
        for problem, wants in line.pending:
            assert problem.condition is not None
            answer = holds(problem.condition)
            if answer is wants or (wants is None and answer is not True):
                told.append(problem._replace(condition=None))
            elif answer is None:
                told.append(problem)
        return tuple(told)

    def _place(self, line: Line, repeat: str, setting: Setting) -> None:
        before = line.effective.get(setting.tunable)
        if before is None:
            line.effective[setting.tunable] = setting
        elif repeat == "adds":
            if isinstance(before.value, str) and self._tunables[setting.tunable]["type"] == "list":
                parts = dict.fromkeys(f"{before.value}:{setting.value}".split(":"))
                setting = setting._replace(value=":".join(parts))
            line.effective[setting.tunable] = setting
        elif repeat == "first":
            self._override(line, setting, before)
        else:
            line.effective[setting.tunable] = setting
            if repeat == "fails":
                data = self._tunables[setting.tunable]
                line.problems.append(
                    Problem(
                        "repeated-option", setting.item, setting.tunable, setting.value, before.value,
                        f"{setting.item.text} after {before.item.text}: it may stand only once", "", "mount-fails",
                        tuple(data.get("cites") or ()), "",
                    )
                )
            else:
                self._override(line, before, setting)

    def _override(self, line: Line, old: Setting, by: Setting) -> None:
        line.overridden.append((old, by))
        again = values.same(old.value, by.value) and old.tunable == by.tunable
        message = f"{old.item.text} is written twice" if again else f"{old.item.text} gives way to {by.item.text}"
        cites = tuple(self._tunables[by.tunable].get("cites") or ())
        line.problems.append(
            Problem(
                "overridden-option", old.item, old.tunable, old.value, by.value, message, "", "ignored", cites, ""
            )
        )

    def _follow(self, line: Line, entries: Mapping[int, Entry]) -> None:
        """What the settings in effect bring with them."""
        form = self._tables.type_forms.get(line.around["fstab.type"], _NOTHING)
        for tunable, value in (form.get("presumes") or _NOTHING).items():
            if tunable not in line.effective:
                line.implied[tunable] = Setting(tunable, value, value, None, "", -1)
        for setting in sorted(line.effective.values(), key=lambda one: one.order):
            entry = entries[setting.order]
            shared = entry.shared
            brings = entry.implies if setting.value is False else {**shared.implies, **entry.implies}
            if brings and not _idle(entry, setting, line):
                self._imply(line, setting, brings)
            for tunable, value in {**shared.presumes, **entry.presumes}.items():
                if line.value(tunable) is None:
                    line.implied[tunable] = setting._replace(tunable=tunable, value=value, written=value)
                    line.problems.append(self._presumed(setting, tunable, value))

    def _imply(self, line: Line, setting: Setting, implied: Mapping[str, Any]) -> None:
        for tunable, told in implied.items():
            value = setting.value if told == "value" else told
            written = line.effective.get(tunable)
            if written is not None and (written.order > setting.order or values.same(written.value, value)):
                continue
            line.implied[tunable] = setting._replace(tunable=tunable, value=value, written=value)
            if written is not None:
                del line.effective[tunable]
                self._override(line, written, setting)

    def _presumed(self, setting: Setting, tunable: str, value: Any) -> Problem:
        text = values.spell(dict(self._tunables.get(tunable) or {"id": tunable}), value)
        data = self._tunables[setting.tunable]
        return Problem(
            "presumed-setting", setting.item, setting.tunable, setting.value, value,
            f"{setting.item.text} makes this a {text} mount", "", "portability", tuple(data.get("cites") or ()), None,
        )

    def _verdicts(self, line: Line, entries: Mapping[int, Entry], unusable: dict[int, Problem]) -> None:
        """Judge what is written and not overridden. Drops a bad value from `unusable` where nobody reads it."""
        lost = {old.order for old, _ in line.overridden}
        for setting in line.every:
            rules = entries[setting.order].shared.rules
            if not rules or setting.order in lost:
                continue
            bad = setting.order in unusable
            for rule in rules:
                if (bad and not rule.unread) or not _stands(rule, setting, line):
                    continue
                problem = _verdict(rule, setting, entries[setting.order])
                if rule.condition is not None:
                    line.pending.append((problem, True))
                    continue
                unusable.pop(setting.order, None)
                line.problems.append(problem)
                break


def _idle(entry: Entry, setting: Setting, line: Line) -> bool:
    """Whether the setting is ignored for certain, and so brings nothing with it."""
    rules = entry.shared.rules
    return any(r.kind == "ignored-option" and r.condition is None and _stands(r, setting, line) for r in rules)


def _stands(rule: Rule, setting: Setting, line: Line) -> bool:
    if rule.fits is not None and not rule.fits(setting.value):
        return False
    for tunable, test in rule.together:
        value = line.value(tunable)
        if value is not None if test is None else value is None or not test(value):
            return False
    return True


def _verdict(rule: Rule, setting: Setting, entry: Entry) -> Problem:
    text = setting.item.text
    ignored = rule.kind == "ignored-option"
    message = f"{text} has no effect here" if ignored else f"{text} is refused here"
    # What brings other settings with it does something by that, and is not lightly removed. What is ignored for
    # certain implies nothing (`_idle`).
    alone = not (entry.presumes or entry.shared.presumes or (entry.implies and rule.condition is not None))
    return Problem(
        rule.kind, setting.item, setting.tunable, setting.value, None, message, rule.why, rule.consequence, rule.cites,
        "" if ignored and alone else None, rule.condition,
    )


def _hidden(problem: Problem, by: str) -> Problem:
    """An unknown option beside one that hides unknown names: dropped instead of refused."""
    if problem.kind != "unknown-option":
        return problem
    return problem._replace(
        consequence="ignored", why=f"The mount goes on without it: {by} drops the names that nobody knows."
    )
