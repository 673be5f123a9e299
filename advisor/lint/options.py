"""The grammar of mount options: what a list of options says, and what is wrong with it. The options are data
(kb/tunables/mount); this module only reads and applies them.

    grammar = Grammar(rulebase.tunables)
    line = grammar.read("nfs", split_options("rw,nconnect=4"))     # needs no facts
    problems = grammar.judge(line, holds)                          # holds(name of a condition) -> True, False or None
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from advisor.lint import option_words as words
from advisor.lint import values
from advisor.lint.option_table import Entry, Rule, Table, Tables

Holds = Callable[[str], bool | None]
_NOTHING: Mapping[str, Any] = {}


class Setting(NamedTuple):
    """A tunable's value on a line. `value`: as the client uses it; `written`: before the client changes it (rsize=5000
    is used as 4096). `item`: the reader's option; None where the file system type itself brings the setting."""

    tunable: str
    value: Any
    written: Any
    item: Any
    spelling: str
    order: int


class Problem(NamedTuple):
    """What is wrong with one option. `kind`: the slug of a builtin check. `suggestion`: what to write instead, "" for
    nothing at all, None where it cannot be told. `condition`: the open condition that it hangs on; None: certain."""

    kind: str
    item: Any
    tunable: str | None
    value: Any
    expected: Any
    message: str
    why: str
    consequence: str
    cites: tuple[str, ...]
    suggestion: str | None = None
    condition: str | None = None


class _Read(NamedTuple):
    """One item, read by itself. `stands`: it has a value that can be used."""

    entry: Entry | None
    value: Any
    written: Any
    problems: tuple[Problem, ...]
    open: tuple[tuple[Problem, bool | None], ...]
    stands: bool


class Line:
    """What one list of options says. `pending`: problems that hang on a condition, each with the answer that makes it
    one (None: every answer but True)."""

    __slots__ = ("around", "effective", "every", "implied", "overridden", "pending", "problems")

    def __init__(self, around: Mapping[str, Any]) -> None:
        self.around = around
        self.effective: dict[str, Setting] = {}
        self.implied: dict[str, Setting] = {}
        self.every: list[Setting] = []
        self.overridden: list[tuple[Setting, Setting]] = []
        self.problems: list[Problem] = []
        self.pending: list[tuple[Problem, bool | None]] = []

    def value(self, tunable: str) -> Any:
        """The value in effect, written or implied; None where the line does not say."""
        setting = self.effective.get(tunable) or self.implied.get(tunable)
        return self.around.get(tunable) if setting is None else setting.value


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
        hides = vendor = False
        unusable: dict[int, Problem] = {}
        unknown: list[Problem] = []
        for order, item in enumerate(items):
            got = table.memo.get(item.text)
            if got is None:
                got = table.memo[item.text] = self._item(table, fstype, item)
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
            hides = hides or bool(shared.data.get("hides_unknown"))
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
        line.problems += [_hidden(problem) for problem in unknown] if hides else unknown
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

    # -- one item

    def _item(self, table: Table, fstype: str, item: Any) -> _Read:
        if not item.text:
            return _Read(None, None, None, (_plain("empty-option", "an empty option", "ignored", ""),), (), False)
        entries = table.entries(item.name)
        if not entries or (entries[0].spelling.endswith("*") and entries[0].shared.rules):
            # Imported late: most files have no unknown option.
            from advisor.lint import option_guess  # noqa: PLC0415

            unknown = option_guess.unknown(self._tables, table, fstype, item, bool(entries))
            if unknown is not None:
                return _Read(None, None, None, (unknown,), (), False)
        return self._value(entries, item)

    def _value(self, entries: tuple[Entry, ...], item: Any) -> _Read:
        fitting = [e for e in entries if (e.read is not None) == (item.value is not None) or e.stray or e.optional]
        if not fitting:
            return self._misused(entries[0], item)
        plain = next((e for e in fitting if e.condition is None), None)
        wide = next((e for e in fitting if e.condition is not None), None)
        entry = plain or wide
        assert entry is not None
        got = _word(entry, item)
        if got.wrong and plain and wide:
            wider = _word(wide, item)
            if not wider.wrong:
                problem = self._wrong(entry, item, got)._replace(condition=wide.condition)
                return self._done(entry, item, wider.value, ((problem, None),))
        if got.wrong:
            problem = self._wrong(entry, item, got)
            return _Read(entry, got.value, got.value, (problem,), (), False)
        if entry.condition is None:
            return self._done(entry, item, got.value, ())
        return self._done(entry, item, got.value, ((_too_old(entry, item, entry.condition), False),))

    def _done(
        self, entry: Entry, item: Any, written: Any, unsure: tuple[tuple[Problem, bool | None], ...]
    ) -> _Read:
        shared = entry.shared
        value, change = words.changed(shared.data, written)
        problems: tuple[Problem, ...] = ()
        if change is not None:
            text = values.spell(dict(shared.data), value)
            message = f"{item.text} is used as {text}" if value != written else f"{item.text}: {change['how']}"
            problems = (
                Problem(
                    "value-changed", None, shared.id, written, value, message, change["how"], "ignored",
                    tuple(change["cites"]), text if value != written else None,
                ),
            )
        if shared.needs is not None:
            unsure = (*unsure, (_too_old(entry, item, shared.needs), False))
        return _Read(entry, value, written, problems, unsure, True)

    def _misused(self, entry: Entry, item: Any) -> _Read:
        shared = entry.shared
        consequence = "ignored" if shared.harmless else "mount-fails"
        cites = tuple(shared.data.get("cites") or ())
        if item.value is None:
            problem = Problem(
                "missing-value", None, shared.id, None, None, f"{item.text} needs a value", "", consequence, cites
            )
        else:
            problem = Problem(
                "unexpected-value", None, shared.id, item.value, None, f"{item.name} takes no value", "", consequence,
                cites, item.name,
            )
        return _Read(entry, None, None, (problem,), (), False)

    def _wrong(self, entry: Entry, item: Any, got: words.Word) -> Problem:
        shared = entry.shared
        meant = words.suffixed(item.value or "", shared.data.get("unit"))
        message = f"{item.text}: {entry.spelling} takes {words.told(got.expected)}"
        suggestion = None if meant is None else f"{item.name}={meant}"
        if suggestion is None and ";" in (item.value or ""):
            suggestion = item.text.replace(";", ",")
        return Problem(
            got.wrong or "bad-value", None, shared.id, item.value, got.expected, message, "",
            "ignored" if shared.harmless else "mount-fails", tuple(shared.data.get("cites") or ()), suggestion,
        )

    # -- the line as a whole

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
            if entry.implies:
                self._imply(line, setting, entry.implies)
            if shared.implies and setting.value is not False:
                self._imply(line, setting, shared.implies)
            for tunable, value in {**shared.presumes, **entry.presumes}.items():
                if line.value(tunable) is None:
                    line.implied[tunable] = setting._replace(tunable=tunable, value=value, written=value)
                    line.problems.append(self._presumed(setting, tunable, value))

    def _imply(self, line: Line, setting: Setting, implied: Mapping[str, Any]) -> None:
        for tunable, told in implied.items():
            value = setting.value if told == "value" else told
            written = line.effective.get(tunable)
            if written is None:
                line.implied[tunable] = setting._replace(tunable=tunable, value=value, written=value)
            elif written.order < setting.order and not values.same(written.value, value):
                del line.effective[tunable]
                line.implied[tunable] = setting._replace(tunable=tunable, value=value, written=value)
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


def _word(entry: Entry, item: Any) -> words.Word:
    if entry.read is None or item.value is None:
        return words.Word(entry.means if entry.means is not None else True)
    return entry.read(item.value)


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
    # What brings other settings with it does something by that, and is not lightly removed.
    alone = not (entry.implies or entry.presumes or entry.shared.presumes)
    return Problem(
        rule.kind, setting.item, setting.tunable, setting.value, None, message, rule.why, rule.consequence, rule.cites,
        "" if ignored and alone else None, rule.condition,
    )


def _too_old(entry: Entry, item: Any, condition: str) -> Problem:
    data = entry.shared.data
    vendor = data.get("vendor")
    message = f"{item.text} is an option of the {vendor}" if vendor else f"this client does not know {item.text}"
    return Problem(
        "vendor-option" if vendor else "too-old-client", None, data["id"], item.value, None, message,
        (data.get("about") or "") if vendor else "", "mount-fails", tuple(data.get("cites") or ()), None, condition,
    )


def _plain(kind: str, message: str, consequence: str, suggestion: str | None) -> Problem:
    return Problem(kind, None, None, None, None, message, "", consequence, (), suggestion)


def _hidden(problem: Problem) -> Problem:
    """An unknown option beside one that hides unknown names: dropped instead of refused."""
    if problem.kind != "unknown-option":
        return problem
    return problem._replace(consequence="ignored")
