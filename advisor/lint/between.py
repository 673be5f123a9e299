"""Checks between lines: mounts that share something, mount points that hide one another, overlays on top of NFS.

Linear in the number of lines: they are grouped by what must be equal and compared with the first of their group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache

from advisor.files.fstab import split_options
from advisor.files.patterns import matches
from advisor.files.records import MountEntry, Setting
from advisor.lint.alike import MountLine
from advisor.lint.finding import LINE, Finding, Fix, edit_list, report
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import grouped
from advisor.rulebase import values
from advisor.rulebase.model import Check, Pattern, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Effective: TypeAlias = Value | tuple[str, int | None] | object


UNKNOWN = object()
"""A value in effect that cannot be known from the line."""
OWN = ("fstab.source", "fstab.target", "fstab.host", "fstab.export")
"""Settings in which lines that share what is judged may differ."""


def check_pairs(index: RuleIndex, lines: Iterable[MountLine]) -> Iterable[tuple[MountLine, Finding]]:
    """Make every `pair` and `total` check. Yields each finding with its line: the later one of a pair, or the one with
    which a total passes its limit."""
    lines = list(lines)
    sharing = cache(lambda *names: _sharing(names, lines))
    for name in index.rules.pair_checks if len(lines) > 1 else ():
        yield from _pairs(index, index.rulebase.checks[name], sharing)
    for name in index.rules.total_checks if lines else ():
        yield from _total(index, index.rulebase.checks[name], lines)


def _concerned(
    index: RuleIndex, check: Check, neither: Mapping[str, Pattern], lines: Iterable[MountLine]
) -> Iterable[MountLine]:
    """The lines that a check is about. `neither`: patterns that must not match. Like lines are tested once."""
    alone = any(tunable in OWN for tunable in neither)
    known: dict[int, bool] = {}
    for line in lines:
        kind = id(line if alone or line.differs_in(neither) else line.judged)
        if kind not in known:
            holds = not check.when or index.holds(f"check:{check.check}", line.judged.state)
            known[kind] = holds is True and not any(matches(p, line.get(t)) for t, p in neither.items())
        if known[kind]:
            yield line


def _total(index: RuleIndex, check: Check, lines: list[MountLine]) -> Iterable[tuple[MountLine, Finding]]:
    asked = check.total
    assert asked is not None
    usual = index.tunables[asked.of].default
    default = usual if isinstance(usual, int) else 0
    groups: dict[tuple[Value, ...], tuple[MountLine, int]] = {}
    for line in _concerned(index, check, asked.neither, lines):
        setting = line.get(asked.of)
        number = setting.value if setting is not None and isinstance(setting.value, int) else default
        key = tuple(line.value(t) for t in asked.each)
        first, smallest = groups.get(key, (line, number))
        groups[key] = (first, min(smallest, number))
    total = sum(number for _, number in groups.values())
    if total <= asked.limit:
        return
    reached = 0
    for line, number in groups.values():
        reached += number
        if reached > asked.limit:
            setting = line.get(asked.of) or line.get(_at(check)) or LINE
            yield line, report(
                check, setting, tunable=asked.of, value=number, total=total, limit=asked.limit, count=len(groups)
            )
            return


def _sharing(names: Sequence[str], lines: Iterable[MountLine]) -> list[MountLine]:
    """The lines that have the same values of these settings as another line."""
    groups = grouped((tuple(line.value(name) for name in names), line) for line in lines)
    shared = {id(line) for key, of in groups.items() if len(of) > 1 and None not in key for line in of}
    return [line for line in lines if id(line) in shared]


def _pairs(
    index: RuleIndex, check: Check, sharing: Callable[..., list[MountLine]]
) -> Iterable[tuple[MountLine, Finding]]:
    """`sharing`: gives the lines that share the values of these settings with another."""
    pair = check.pair
    assert pair is not None
    exact = [t for t in pair.same if t.startswith("fstab.")]
    loose = [t for t in pair.same if not t.startswith("fstab.")]
    leaders: dict[tuple[Hashable, ...], MountLine] = {}
    known: dict[int, tuple[Hashable, ...]] = {}
    for line in _concerned(index, check, pair.neither, sharing(*exact)):
        key = tuple(line.value(t) for t in exact)
        kind = id(line if line.differs_in(loose) else line.judged)
        if kind not in known:
            known[kind] = tuple(_like(_effective(index, t, line)) for t in loose)
        leader = leaders.setdefault((*key, *known[kind]), line)
        if leader is line:
            continue
        if leader.value("fstab.target") == line.value("fstab.target"):
            continue  # one hides the other, which is a finding already
        differing = [t for t in pair.differ if _differ(index, t, leader, line)]
        if pair.differ and not differing:
            continue
        if not all(
            matches(pattern, leader.get(t)) or matches(pattern, line.get(t))
            for t, pattern in pair.either.items()
        ):
            continue
        at = next((t for t in differing if line.get(t)), _at(check))
        setting = line.get(at) or line.own["fstab.source"]
        names = ", ".join(t.partition(".")[2] for t in differing)
        yield line, report(
            check, setting, tunable=at, value=setting.value,
            other_line=leader.entry.line_no, other=_written(index, differing, leader, line),
            option=_written(index, differing, line, leader), names=names,
        )


def _at(check: Check) -> str:
    """The setting that the finding points at."""
    return check.at if isinstance(check.at, str) else "fstab.source"


def _effective(index: RuleIndex, tunable: str, line: MountLine) -> Effective:
    """A value to compare: the mask if the tunable is an enumerated fact (`vers=4` is three versions), or else the value
    in effect. A number has no mask, since different numbers may share a cell."""
    listed = tunable in index.facts and index.facts[tunable].type == "enum"
    if listed and tunable in line.judged.masks:
        return ("mask", line.judged.masks[tunable])
    setting = line.get(tunable)
    if setting is not None:
        return setting.value
    definition = index.tunables.get(tunable)
    default = definition.default if definition else None
    if definition is None or default is None:
        return UNKNOWN
    if definition.default_when and index.holds(f"default:{tunable}", line.judged.state) is not True:
        return UNKNOWN
    return ("mask", index.rules.mask(tunable, default)) if listed else default


def _like(value: Effective) -> Hashable:
    """A key that is equal for values that are certainly the same (`values.same`). Two lines that leave a setting out
    also have the same value, because one server answers both alike."""
    return value if value is UNKNOWN or isinstance(value, (tuple, bool)) else str(value)


def _differ(index: RuleIndex, tunable: str, a: MountLine, b: MountLine) -> bool:
    x, y = _effective(index, tunable, a), _effective(index, tunable, b)
    if x is UNKNOWN or y is UNKNOWN:
        return False
    if isinstance(x, tuple) and isinstance(y, tuple):
        return not x[1] & y[1]  # "4" may come out as 4.2
    return not (x == y or values.same(x, y))


def _written(index: RuleIndex, tunables: list[str], line: MountLine, beside: MountLine) -> str:
    """How `line` writes these settings, with the defaults of those that it leaves out, unless `beside` only implies
    them."""
    texts, defaults = [], []
    for tunable in tunables:
        setting = line.get(tunable)
        if setting is not None:
            texts.append(setting.text)
        elif tunable not in beside.judged.brought:
            defaults.append(values.spell(index.tunables[tunable], index.tunables[tunable].default))
    if defaults:
        texts.append(f"{', '.join(defaults)} (the default{'' if len(defaults) == 1 else 's'})")
    return ", ".join(dict.fromkeys(texts)) or (line.own["fstab.source"].text if not tunables else "the defaults")


def check_targets(
    index: RuleIndex, entries: Iterable[MountEntry], is_nfs: frozenset[int]
) -> Iterable[tuple[MountEntry, Finding]]:
    """Findings on duplicate mount points, and on a child that is listed before its parent, if one of the two is NFS.

    `entries`: all lines of the file. `is_nfs`: the line numbers of NFS mounts."""
    duplicate, order = index.builtin("fstab-duplicate-target"), index.builtin("fstab-target-order")
    seen: dict[str, MountEntry] = {}
    folders = Folders()
    listed = []
    for entry in entries:
        target = entry.target.value.rstrip("/") or "/"
        if not target.startswith("/"):
            continue
        listed.append((folders.add(target, entry), target, entry))
        entry.release()
        first = seen.setdefault(target, entry)
        if first is not entry and duplicate and (entry.line_no in is_nfs or first.line_no in is_nfs):
            yield entry, report(
                duplicate, Setting(target, "target", 0, 0, entry.target.value), tunable="fstab.target", value=target,
                other_line=first.line_no,
            )
    if not order:
        return
    for number, target, entry in listed:
        above = folders.later(number, entry.line_no)
        if above is not None and (entry.line_no in is_nfs or above.line_no in is_nfs):
            yield entry, report(
                order, Setting(target, "target", 0, 0, entry.target.value), tunable="fstab.target", value=target,
                other=above.target.value.rstrip("/") or "/", other_line=above.line_no,
            )


class Folders:
    """The mount points of a file as a tree of folders, so that a lookup takes time linear in the length of the path."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, str], int] = {}
        self.parents = [0]
        self.entries: dict[int, MountEntry] = {}

    def add(self, target: str, entry: MountEntry) -> int:
        """Add a folder and return its number. The first entry that mounts there is kept."""
        at = 0
        for name in target[1:].split("/") if target != "/" else ():
            inner = self.numbers.setdefault((at, name), len(self.parents))
            if inner == len(self.parents):
                self.parents.append(at)
            at = inner
        self.entries.setdefault(at, entry)
        return at

    def later(self, number: int, line: int) -> MountEntry | None:
        """The entry of the nearest parent folder that is mounted after `line`, or None. The root does not count: it is
        mounted before fstab is read, wherever its line is."""
        while number := self.parents[number]:
            above = self.entries.get(number)
            if above is not None and above.line_no > line:
                return above
        return None


_OVERLAY, _UPPER = "overlay", "upperdir"
_LATER = {"_netdev", "nofail", "noauto", "x-systemd.automount"}
"""Options of lines that are not mounted before the network is up, or that nothing waits for."""


def check_stacked(
    index: RuleIndex, entries: Iterable[MountEntry], is_nfs: frozenset[int]
) -> Iterable[tuple[MountEntry, Finding]]:
    """Findings on mounts of other types on top of NFS: an overlay whose upper directory is there, and a directory or
    disk image that is mounted from there. `entries`: all lines. `is_nfs`: the line numbers of NFS mounts."""
    upper, early = index.builtin("overlay-upper-on-nfs"), index.builtin("bound-before-nfs")
    if early is not None and index.verdict(early.quiet_if, index.state):
        early = None
    entries = list(entries)
    overlays, bound = [], []
    for entry in entries:
        if entry.line_no in is_nfs:
            continue
        source, fstype = entry.source.text, entry.fstype.value
        if upper and fstype == _OVERLAY:
            overlays.append(entry)
        if early and source.startswith("/") and not source.startswith(("/dev/", "//")) and fstype != "swap":
            bound.append(entry)
        entry.release()
    if not is_nfs or not (overlays or bound):
        return
    mounted = {e.target.value.rstrip("/") or "/": e for e in entries}
    for entry in overlays:
        for item in split_options(entry.options.text):
            below = _mount_of(item.value, mounted) if item.name == _UPPER and item.value else None
            if upper is not None and below is not None and below.line_no in is_nfs:
                setting = Setting(item.value, "options", item.start, item.start + len(item.text), item.text)
                yield entry, report(upper, setting, tunable=None, other_line=below.line_no)
    for entry in bound:
        below, options = _mount_of(entry.source.value, mounted), entry.options.text
        if early is None or below is None or below.line_no not in is_nfs:
            continue
        if not any(item.name in _LATER for item in split_options(options)):
            setting = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.text)
            fix = Fix.of("safe", edit_list(options, add=["_netdev"]))
            yield entry, report(early, setting, tunable=None, other_line=below.line_no, fix=fix)


def _mount_of(path: str, mounted: Mapping[str, MountEntry]) -> MountEntry | None:
    """The line that mounts the file system of this path; None if no line does."""
    if not path.startswith("/"):
        return None
    path = path.rstrip("/") or "/"
    while path not in mounted and path != "/":
        path = path.rpartition("/")[0] or "/"
    return mounted.get(path)
