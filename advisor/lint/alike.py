"""One judgement for all lines that no test tells apart. A line whose options no earlier line has is compared by what
tests say of each option; what a finding quotes of it is worded again, and places are moved."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from advisor.engine import formula
from advisor.files.fstab import split_options
from advisor.files.records import MountEntry, Setting
from advisor.files.source import RESERVED, parse_source
from advisor.lint.checks import figures, found
from advisor.lint.compare import KnownHere, LineSettings
from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.judge import judge_anew
from advisor.lint.rule_index import FEW, Judged, Key, RuleIndex, Told
from advisor.rulebase import values
from advisor.rulebase.model import Check, Value
from advisor.sections import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from advisor.files.libmount import Item

    P = TypeVar("P", Edit, Finding)


MAX_JUDGED = 20_000
"""Judgements that are remembered."""
MOST = 40
"""Options of a line that is compared with others, since each finding is compared with each option."""
MANY = 200
"""So many more lines unlike any other than like one, and none is compared any more, which would only take longer."""


class MountLine:
    """One NFS line. `items`: its options. `own`: what its source and target set. `judged`: what it shares with like
    lines."""

    __slots__ = ("_items", "_starts", "entry", "judged", "own")

    def __init__(
        self, entry: MountEntry, items: tuple[Item, ...], own: Mapping[str, Setting], judged: Judged
    ) -> None:
        self.entry, self.own, self.judged = entry, own, judged
        self._items = None if items == judged.items else items
        """None if the judgement has the options of this very line."""

    @property
    def shares(self) -> bool:
        """Whether the judgement has the options of another line."""
        return self._items is not None

    def get(self, tunable: str) -> Setting | None:
        """A setting in effect, written or brought by another."""
        setting = self.own.get(tunable)
        if setting is not None:
            return setting
        setting = self.judged.in_effect.get(tunable)
        return setting if setting is None or self._items is None else _again(self.judged, setting, self._items)

    def value(self, tunable: str) -> Value:
        """The value of a setting; None if the line has none."""
        setting = self.get(tunable)
        return None if setting is None else setting.value

    def differs_in(self, tunables: Iterable[str]) -> bool:
        """Whether the line may have another value of one of these than the lines with which it shares a judgement."""
        return self._items is not None and not self.judged.free.isdisjoint(tunables)

    def findings(self) -> Sequence[Finding]:
        """The findings in the line by itself, without its neighbours."""
        judged = self.judged
        if self._items is None or not judged.findings:
            return judged.findings
        starts = [item.start for item in judged.items]
        moved = [_moved(finding, starts, judged.items, self._items) for finding in judged.findings]
        if judged.worded:
            line = _line(judged, self.entry.options.text, self._items)
            known = KnownHere(judged.rule_index, judged.state)
            for number in judged.worded:
                old, check = moved[number], judged.rule_index.rulebase.checks[moved[number].rule]
                new = found(known, check, line)
                assert new is not None
                moved[number] = old._replace(
                    value=new.value, message=new.message, why=new.why, remedy=new.remedy, fix=new.fix,
                )
        return moved


def _items(entry: MountEntry) -> tuple[Item, ...]:
    return split_options(entry.options.text) if entry.options.text else ()


def _again(judged: Judged, setting: Setting, items: Sequence[Item]) -> Setting:
    """A setting of a judgement, as these options make it."""
    if setting.field != "options":
        return setting
    return judged.rule_index.rules.grammar.rewritten(judged.settings["fstab.type"].text, setting, items[setting.order])


def _line(judged: Judged, options: str, items: Sequence[Item]) -> LineSettings:
    """The settings of a line with these options, of which only the text is another than that of the judgement."""
    settings, brought = (
        {name: _again(judged, setting, items) for name, setting in those.items()}
        for those in (judged.settings, judged.brought)
    )
    return LineSettings(settings, options, brought, ignored=judged.ignored)


def _moved(finding: Finding, starts: Sequence[int], old: Sequence[Item], new: Sequence[Item]) -> Finding:
    """A finding on the old options at its place in the new ones."""

    def column(at: int) -> int:
        number = bisect_right(starts, at - 1) - 1
        inside, item = at - 1 - starts[number], new[number]
        return 1 + item.start + (len(item.text) if inside == len(old[number].text) else inside)

    def place(of: P) -> P:
        return of._replace(column=column(of.column), end_column=column(of.end_column)) if of.field == "options" else of

    fix, joint = finding.fix, finding.joint
    if fix is not None:
        finding = finding._replace(fix=Fix(fix.safety, tuple(map(place, fix.edits))))
    if joint is not None:
        finding = finding._replace(joint=joint._replace(both=_moved(joint.both, starts, old, new)))
    return place(finding)


def named(entry: MountEntry, file: str) -> Mount:
    """The names of a mount in this file, as sections of answers ask for them."""
    source = parse_source(entry.source.value)
    return Mount(source.host, source.export, entry.target.value, f"{file}:{entry.line_no}")


def judge(index: RuleIndex, entry: MountEntry, name: str, *, alike: bool = False) -> MountLine:
    """Judge one NFS line. Lines with the same options share the judgement, across files too. `alike`: so do those that
    no test tells apart; then the judgement may have the options of another line.

    `name`: of the file. Raises SectionError if sections contradict one another."""
    return _judged_here(index.of(named(entry, name)) if index.matcher.sections else index, entry, alike)


def settings_of(judged: Judged, entry: MountEntry) -> Mapping[str, Setting]:
    """The settings of a line, whose judgement is shared with lines that have other options."""
    return _judged_here(judged.rule_index, entry, alike=False).judged.settings


def _judged_here(index: RuleIndex, entry: MountEntry, alike: bool) -> MountLine:
    """`index`: with what is known of the mount."""
    source = parse_source(entry.source.value)
    platform = index.rules.platform_of(source.host, entry.fstype.value)
    family = source.kind if source.kind in ("ipv4", "ipv6") else None
    target = Setting(entry.target.value, "target", 0, 0, entry.target.value)
    written = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.value)
    # Checks of the source's form do not apply to a placeholder or a reserved example name.
    is_placeholder = source.kind == "placeholder" or source.host.endswith(RESERVED)
    # Lines that differ only in source or mount point are judged alike unless a check tests those.
    form = tuple(
        fits(target.value if field == "fstab.target" else written.value)
        for field, fits in index.rules.place_tests(entry.fstype.value)
        if not (is_placeholder and field == "fstab.source")
    )
    around = (entry.fstype.value, platform, entry.freq.text, entry.passno.text, family, is_placeholder, form)
    key: Key = (entry.options.text, *around)
    judged, shape, items = index.judged.get(key), None, _items(entry)
    if judged is None and alike and FEW <= index.lines < MANY + index.met and len(items) <= MOST:
        shape = (*around, *[index.rules.likeness(around[0], item) for item in items])
        judged = index.judged.get(_told(index, shape, entry, items))
        index.met += judged is not None
    about = (entry.source.text, entry.target.text)
    if judged is None or judged.about not in (None, about):
        if len(index.judged) >= MAX_JUDGED:
            index.judged.clear()
        judged = judge_anew(
            index, entry, form, platform=platform, family=family, target=target,
            source=None if is_placeholder else written,
        )
        if any(finding.field in ("source", "target") for finding in judged.findings):
            judged = judged._replace(about=about)
        if shape is not None:
            judged = _share(judged, shape)
            index.judged[_told(index, shape, entry, items)] = judged
        index.judged[key] = judged
    own = {"fstab.source": written, "fstab.target": target}
    if source.host:
        own["fstab.host"] = Setting(source.host.lower(), "source", 0, len(entry.source.text), source.host)
        own["fstab.export"] = Setting((source.export or "/").rstrip("/"), "source", 0, 0, source.export or "/")
    return MountLine(entry, items, own, judged)


def _told(index: RuleIndex, shape: Key, entry: MountEntry, items: Sequence[Item]) -> Key:
    """A key that lines with one `shape` share if nothing else tells them apart either."""
    told = index.told.get(shape)
    if told is None:
        return ()
    known = KnownHere(index, told.like.state)
    line = _line(told.like, entry.options.text, items) if told.checks else LineSettings({})
    silent = [figures(known, check, line) is None for check in told.checks]
    return (*[items[number].text for number in told.options], *silent, shape)


def _share(judged: Judged, shape: Key) -> Judged:
    """Note what tells other lines of the same shape from this one: the options that a finding marks, changes or quotes,
    unless it can be worded again; those whose values count beside others, on this line or by what they bring; and
    whether checks that work something out find nothing."""
    index, fstype = judged.rule_index, judged.settings["fstab.type"].text
    entries = [index.rules.grammar.option(fstype, item).entry for item in judged.items]
    sets = [{entry.shared.id, *entry.shared.implies, *entry.implies} if entry else set() for entry in entries]
    times = Counter(name for names in sets for name in names)
    counts: set[str] = set().union(*(entry.shared.turns for entry in entries if entry))
    weighed = {check.check: _weighed(index, check) for check in judged.weighing}
    counts.update(*(weighed[check.check] for check in judged.weighing if check.differ))
    told = index.told.get(shape) or Told((), (), judged)
    fixed = {number for number, names in enumerate(sets)
             if not names or not counts.isdisjoint(names) or any(times[name] > 1 for name in names)}
    rests_on = [_rests_on(judged.items, sets, finding, weighed) for finding in judged.findings]
    twins = {*index.rules.twins, *index.rules.twins.values()}
    firm = [finding.rule not in weighed or finding.tunable in twins for finding in judged.findings]
    fixed.update(told.options, *(numbers for numbers, is_firm in zip(rests_on, firm) if is_firm))
    free = frozenset(name for number, names in enumerate(sets) if number not in fixed for name in names)
    checks = {check.check: check for check in told.checks}
    for check in judged.weighing:
        unlike = free & weighed[check.check]
        numbers = all(index.tunables[name].type in ("uint", "int") for name in unlike)
        if unlike and (not numbers or any(figure.range for figure in check.figures.values())):
            checks[check.check] = check
    worded = tuple(n for n, numbers in enumerate(rests_on) if not firm[n] and not numbers <= fixed)
    judged = judged._replace(free=free, worded=worded)
    index.told[shape] = Told(tuple(sorted(fixed)), tuple(checks.values()), judged)
    return judged


def _rests_on(
    items: Sequence[Item], sets: Sequence[set[str]], finding: Finding, weighed: Mapping[str, set[str]]
) -> set[int]:
    """The numbers of the options that a finding marks, changes or quotes. `sets`: what each sets and brings."""
    both = [finding, *([finding.joint.both] if finding.joint else [])]
    about = {finding.tunable or ""}.union(weighed.get(finding.rule, ()))
    texts = [text for one in both for text in (one.message, one.remedy, one.why)]
    places = [(one.field, one.column, one.end_column) for one in both]
    places += [(at.field, at.column, at.end_column) for one in both if one.fix for at in one.fix.edits]
    return {
        number for number, (item, names) in enumerate(zip(items, sets))
        if not names.isdisjoint(about) or any(item.text in text for text in texts)
        or any(
            field == "options" and column <= item.start + len(item.text) and item.start + 1 < end_column
            for field, column, end_column in places
        )
    }


def _weighed(index: RuleIndex, check: Check) -> set[str]:
    """The settings of which a check works something out, or that its fix depends on."""
    names = {name for figure in check.figures.values() for name in formula.parse(figure.formula).names}
    removed = (entry for entry in (check.fix.remove if check.fix else ()) if not isinstance(entry, str))
    changed = (name for of in (*removed, check.fix.set if check.fix else {}) for name in of)
    return {values.meant_by(name, index.tunables) for name in (*names, *check.differ, *changed)}
