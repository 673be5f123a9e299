"""The grammar of mount options: what a list of options sets, and what is wrong with it. The options are data
(kb/tunables/mount); this module only applies them.

    grammar = Grammar(rulebase.tunables, rulebase.lint)
    line = grammar.read("nfs", split_options("rw,nconnect=4"))     # needs no facts
    problems = grammar.judge(line, holds)                          # holds(name of a condition) -> True, False or None
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.files.libmount import Item
from advisor.files.option_reading import OptionProblem, ReadOption, read_item
from advisor.files.option_table import OptionForm, OptionTables, OptionVerdict, Together
from advisor.files.records import Setting
from advisor.rulebase import values
from advisor.rulebase.model import OptionIndex, Scalar, Tunable, Value

Holds = Callable[[str], "bool | None"]
_NOTHING: Mapping[str, Scalar] = {}


class OptionList:
    """The settings and problems of one list of options.

    `effective`: written settings in effect, by tunable. `implied`: settings that these or the type imply. `every`: all
    written settings, in order. `overridden`: (setting, the one that overrides it). `problems` depend on no facts;
    `pending` ones depend on a condition, each with the verdict that makes it a problem (None: any but True). `around`:
    the values of other fields of the line. `tried`: tunable → value that is negotiated in this attempt (4.1 for
    `vers=4`), which takes precedence."""

    __slots__ = ("around", "effective", "every", "implied", "overridden", "pending", "problems", "tried")

    def __init__(self, around: Mapping[str, Value], tried: Mapping[str, Value]) -> None:
        self.around = around
        self.tried = tried
        self.effective: dict[str, Setting] = {}
        self.implied: dict[str, Setting] = {}
        self.every: list[Setting] = []
        self.overridden: list[tuple[Setting, Setting]] = []
        self.problems: list[OptionProblem] = []
        self.pending: list[tuple[OptionProblem, bool | None]] = []

    def value(self, tunable: str) -> Value:
        """The value in effect: tried, written or implied; None if the line sets none."""
        return self.tried[tunable] if tunable in self.tried else self.written(tunable)

    def written(self, tunable: str) -> Value:
        """The value that is written or implied, whatever is tried; None if the line sets none."""
        setting = self.effective.get(tunable) or self.implied.get(tunable)
        return self.around.get(tunable) if setting is None else setting.value

    @property
    def refusal(self) -> OptionProblem | None:
        """The first problem with which the mount certainly fails."""
        return next((problem for problem in self.problems if problem.consequence == "mount-fails"), None)


class Grammar:
    """Reads option lists. Make one per run: it remembers every option that it has read."""

    def __init__(self, tunables: Mapping[str, Tunable], index: OptionIndex | None = None) -> None:
        """`index`: the index of these tunables, if it was made before."""
        self._tunables = tunables
        self._tables = OptionTables(tunables, index)
        self._memo: dict[str, dict[str, ReadOption]] = {}
        """File system type → text of an option → how it was read before."""

    def option(self, fstype: str, item: Item) -> ReadOption:
        """One option by itself; its problems speak of the first item with this text."""
        table = self._tables.of(fstype)
        memo = self._memo.setdefault(table.fstype, {})
        if item.text not in memo:
            memo[item.text] = read_item(self._tables, table, fstype, item)
        return memo[item.text]

    def rewritten(self, fstype: str, setting: Setting, item: Item) -> Setting:
        """The setting that results once its option has another value."""
        if item.text == setting.text and item.start == setting.start:
            return setting
        value, entry = setting.value, None if item.text == setting.text else self.option(fstype, item).entry
        if entry is not None:
            brings = {**entry.shared.implies, **entry.implies}
            if setting.tunable == entry.shared.id or brings.get(setting.tunable) == "value":
                value = self.option(fstype, item).value
        end = item.start + len(item.text)
        return Setting(value, "options", item.start, end, item.text, setting.tunable, setting.order)

    @property
    def negotiating(self) -> Iterator[str]:
        """The settings on which it depends how others are negotiated."""
        for tunable, together, _ in self._tables.tries:
            yield from (tunable, *dict(together))

    def read(self, fstype: str, items: Iterable[Item], beside: Mapping[str, Value] = _NOTHING) -> OptionList:
        """Read a list of options. `beside`: tunable → value, for other fields of the line on which verdicts may depend.
        The result depends on the arguments alone."""
        items = tuple(items)
        line, entries, unusable = self._read(fstype, items, beside, _NOTHING)
        for tunable, together, tries in self._tables.tries:
            if holds(together, line) and depends_on(line, entries, unusable, tunable):
                return self._negotiated(line, tunable, tries, lambda tried: self._read(fstype, items, beside, tried)[0])
        return line

    def _negotiated(
        self, line: OptionList, tunable: str, tries: Sequence[Scalar],
        attempt: Callable[[Mapping[str, Value]], OptionList],
    ) -> OptionList:
        """The line with the first value of `tries` with which it is not refused. If the options rule out an earlier
        value, so that the mount gets another one than its author may expect, that is a problem of the line."""
        cause: OptionProblem | None = None
        for value in tries:
            other = attempt({tunable: value})
            if other.refusal is None:
                break
            cause = cause or other.refusal
        if line.refusal is not None if other.refusal is not None else cause is None and line.refusal is None:
            return line  # no value makes a difference
        if cause is not None and value != tries[0]:
            if line.written(tunable) is None:
                at = cause.start
                other.implied[tunable] = Setting(value, "options", at, at + len(cause.text), cause.text, tunable)
            # What decides the value is not idle, though nobody reads it under the value that it leads to.
            others = [p for p in other.problems if p.start != cause.start or p.kind != "ignored-option"]
            other.problems = [*others, self._presumed(cause, tunable, value)]
        return other

    def _presumed(self, cause: OptionProblem, tunable: str, value: Value) -> OptionProblem:
        text = values.spell(self._tunables[tunable], value)
        cites = tuple(self._tunables[cause.tunable].cites) if cause.tunable else ()
        return OptionProblem(
            "presumed-setting", cause.text, cause.start, f"{cause.text} makes this a {text} mount", tunable, value,
            consequence="portability", cites=cites,
        )

    def _read(
        self, fstype: str, items: tuple[Item, ...], beside: Mapping[str, Value], tried: Mapping[str, Value]
    ) -> tuple[OptionList, dict[int, OptionForm], dict[int, OptionProblem]]:
        """One attempt: the line, and by order the entries of its settings and the problems of unusable ones."""
        line = OptionList({"fstab.type": fstype, **beside}, tried)
        table = self._tables.of(fstype)
        memo = self._memo.setdefault(table.fstype, {})
        entries: dict[int, OptionForm] = {}
        hides, vendor = "", False
        unusable: dict[int, OptionProblem] = {}
        unknown: list[OptionProblem] = []
        for order, item in enumerate(items):
            got = memo.get(item.text) or self.option(fstype, item)
            entry = got.entry
            if entry is None:
                unknown += [problem._replace(start=item.start) for problem in got.problems]
                continue
            shared = entry.shared
            for problem in got.problems:
                if got.usable:
                    line.problems.append(problem._replace(start=item.start))
                else:
                    unusable[order] = problem._replace(start=item.start)
            hides = hides or (item.text if shared.data.hides_unknown else "")
            vendor = vendor or bool(shared.data.vendor)
            end = item.start + len(item.text)
            setting = Setting(got.value, "options", item.start, end, item.text, shared.id, order)
            line.every.append(setting)
            entries[order] = entry
            if got.open:
                line.pending += [(problem._replace(start=item.start), wants) for problem, wants in got.open]
            if got.usable:
                self._place(line, shared.repeat, setting)
        if hides:
            line.pending = [pair for pair in line.pending if pair[0].kind != "too-old-client"]
            for order, problem in unusable.items():
                if entries[order].bare:
                    unusable[order] = _hidden(problem, hides)
        if vendor:
            # Beside a vendor's own options its wider limits are an open question, not a mistake.
            line.pending = [(problem, False if wants is None else wants) for problem, wants in line.pending]
        self._follow(line, entries)
        verdicts(line, entries, unusable)
        line.problems += unusable.values()
        line.problems += [
            _hidden(problem, hides) if hides and problem.kind == "unknown-option" else problem for problem in unknown
        ]
        return line, entries, unusable

    def judge(self, line: OptionList, holds: Holds) -> tuple[OptionProblem, ...]:
        """Every problem of a line. Of those that depend on a condition, it omits the ones that do not apply, and leaves
        the name of the condition in those that are open."""
        if not line.pending:
            return tuple(line.problems)
        problems = list(line.problems)
        for problem, wants in line.pending:
            assert problem.condition is not None
            answer = holds(problem.condition)
            if answer is wants or (wants is None and answer is not True):
                problems.append(problem._replace(condition=None))
            elif answer is None:
                problems.append(problem)
        return tuple(problems)

    def _place(self, line: OptionList, repeat: str, setting: Setting) -> None:
        before = line.effective.get(setting.tunable)
        if before is None:
            line.effective[setting.tunable] = setting
        elif repeat == "adds":
            if isinstance(before.value, str) and self._tunables[setting.tunable].type == "list":
                parts = dict.fromkeys(f"{before.value}:{setting.value}".split(":"))
                setting = setting._replace(value=":".join(parts))
            line.effective[setting.tunable] = setting
        else:
            line.effective[setting.tunable] = setting
            if repeat == "fails":
                self._repeat(line, before, setting)
            else:
                self._override(line, before, setting)

    def _repeat(self, line: OptionList, before: Setting, setting: Setting) -> None:
        data = self._tunables[setting.tunable]
        message = f"{setting.text} after {before.text}: it may be given only once"
        problem = OptionProblem(
            "repeated-option", setting.text, setting.start, message, setting.tunable, setting.value, before.value,
            cites=tuple(data.cites), suggestion="",
        )
        if data.repeats_when:
            line.pending.append((problem._replace(condition=f"repeats:{setting.tunable}"), None))
        else:
            line.problems.append(problem)

    def _override(self, line: OptionList, old: Setting, by: Setting) -> None:
        line.overridden.append((old, by))
        again = values.same(old.value, by.value) and old.tunable == by.tunable
        message = f"{old.text} is given twice" if again else f"{old.text} is overridden by {by.text}"
        line.problems.append(OptionProblem(
            "overridden-option", old.text, old.start, message, old.tunable, old.value, by.value, consequence="ignored",
            cites=tuple(self._tunables[by.tunable].cites), suggestion="",
        ))

    def _follow(self, line: OptionList, entries: Mapping[int, OptionForm]) -> None:
        """Add the settings that those in effect imply."""
        fstype = str(line.around["fstab.type"])
        form = self._tables.type_forms.get(fstype)
        for tunable, value in (form.presumes if form else _NOTHING).items():
            if tunable not in line.effective:
                line.implied[tunable] = Setting(value, "fstype", 0, len(fstype), fstype, tunable)
        for setting in sorted(line.effective.values(), key=lambda setting: setting.order):
            entry = entries[setting.order]
            shared = entry.shared
            brings = entry.implies if setting.value is False else {**shared.implies, **entry.implies}
            if brings and not idle(entry, setting, line):
                self._imply(line, setting, brings, entries)

    def _imply(
        self, line: OptionList, setting: Setting, implied: Mapping[str, Scalar], entries: Mapping[int, OptionForm]
    ) -> None:
        for tunable, implied_value in implied.items():
            value = setting.value if implied_value == "value" else implied_value
            written = line.effective.get(tunable)
            if written is not None:
                # What is ignored wherever it stands gives way too; its verdict says why, and that is not the order.
                ignored = idle(entries[written.order], written, line)
                if values.same(written.value, value) or (written.order > setting.order and not ignored):
                    continue
                del line.effective[tunable]
                if not ignored:
                    self._override(line, written, setting)
            line.implied[tunable] = setting._replace(tunable=tunable, value=value)


def _hidden(problem: OptionProblem, by: str) -> OptionProblem:
    """The problem of an unknown option that another option makes the client ignore instead of refuse."""
    return problem._replace(
        consequence="ignored", why=f"The mount continues without it: {by} drops unknown names."
    )


def verdicts(line: OptionList, entries: Mapping[int, OptionForm], unusable: dict[int, OptionProblem]) -> None:
    """Judge the settings that are written and not overridden. `unusable`: problems by order, which do no harm if the
    client overlooks them."""
    lost = {old.order for old, _ in line.overridden}
    last: dict[str, int] = {}
    for setting in line.every:
        shared = entries[setting.order].shared
        if setting.order in lost:
            continue
        problem = unusable.get(setting.order)
        if problem is not None:
            last = last or {other.tunable: other.order for other in line.every}
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
            if not _applies(rule, setting, line):
                continue
            problem = _verdict(rule, setting, entries[setting.order], line)
            if rule.condition is not None:
                line.pending.append((problem, True))
                continue
            line.problems.append(problem)
            break


def idle(entry: OptionForm, setting: Setting, line: OptionList) -> bool:
    """Whether the setting is certainly ignored, so that it implies nothing."""
    rules = entry.shared.rules
    return any(r.kind == "ignored-option" and r.condition is None and _applies(r, setting, line) for r in rules)


def depends_on(
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
    """Whether the other settings of a line meet the tests of a verdict or of an entry of `tries`. While 4.2 is tried
    for `vers=4`, a test of either value is met."""
    for tunable, test in together:
        written = line.written(tunable)
        if test is None:
            if written is not None:
                return False
            continue
        if not any(value is not None and test(value) for value in (line.value(tunable), written)):
            return False
    return True


def _applies(rule: OptionVerdict, setting: Setting, line: OptionList) -> bool:
    if rule.fits is not None and not rule.fits(setting.value):
        return False
    if rule.fixed is not None and rule.fixed is bool(line.tried):
        return False
    return holds(rule.together, line) and bool(rule.written(setting.text))


def _verdict(rule: OptionVerdict, setting: Setting, entry: OptionForm, line: OptionList) -> OptionProblem:
    text = setting.text
    ignored = rule.kind == "ignored-option"
    message = f"{text} has no effect here" if ignored else f"{text} is refused here"
    # What brings other settings with it does something by that, and is not lightly removed. What is ignored for
    # certain implies nothing (`idle`).
    # What is refused has to go, and beside other options the line works without it; a version beside them is meant.
    alone = not entry.shared.data.tries or not rule.together
    if ignored:
        # nfsmount.conf may set what the line leaves to the type, or to mount.nfs.
        absent = entry.shared.data.read_by == "mount.nfs" and any(test is None for _, test in rule.together)
        by_type = any(other in line.implied and line.implied[other].field == "fstype" for other, _ in rule.together)
        alone = not ((entry.implies and rule.condition is not None) or absent or by_type)
    return OptionProblem(
        rule.kind, text, setting.start, message, setting.tunable, setting.value, None, rule.why, rule.consequence,
        rule.cites, "" if alone else None, rule.condition,
    )
