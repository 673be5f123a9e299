"""Findings between hosts: which checks fit, and where they are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.host.layouts import matches as named
from advisor.lint.checks import worked_out
from advisor.lint.compare import matches
from advisor.lint.finding import at, from_check, placed
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import Result
from advisor.lint.suppress import silence
from advisor.options.reading import Setting
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.sides.courses import Course
    from advisor.check.sides.exports import Exported
    from advisor.check.sides.hosts import Differing
    from advisor.check.sides.meet import Meeting
    from advisor.check.sides.one_export import Disagreement
    from advisor.check.sides.side import Side
    from advisor.readers.spans import Span
    from advisor.rulebase.model import Check, RuleBase, Sides
    from advisor.rulebase.model.types import Value

Found = Mapping[str, "Value"]
Words = Mapping[str, str]


class Spot(NamedTuple):
    """Where a finding is told: in which file of which host."""

    side: Side
    file: str
    span: Span


class Telling:
    """Collects the findings of all files of all hosts."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.index = RuleIndex(base, {}, kind="states")
        self.checks: dict[str, list[tuple[Check, Sides]]] = {}
        for check in base.checks.values():
            if check.sides is not None:
                self.checks.setdefault(check.sides.of, []).append((check, check.sides))
        self.results: dict[str, tuple[str, str, Result]] = {}
        """File → its area, its kind, and what is found there."""

    def meeting(self, meeting: Meeting) -> bool:
        """Tell what holds in every way that things may be. Whether there was anything."""
        reported = False
        for check, wanted in self.checks.get("mount", ()):
            if all(holds(wanted, way.settings) for way in meeting.ways):
                reported = True
                way = meeting.ways[0]
                if wanted.edit == "server" and way.export is not None:
                    self._at_export(check, meeting.server, way.export, way.words)
                else:
                    self._at_mount(check, meeting, way)
        return reported

    def _at_mount(self, check: Check, meeting: Meeting, way: Course) -> None:
        mount, entry = meeting.mount, meeting.mount.entry
        source = Setting(mount.source.host, "source", 0, len(entry.source.text), entry.source.text)
        setting = next((mount.settings[name] for name in _listed(check.at) if name in mount.settings), source)
        finding = from_check(check, setting, tunable=setting.tunable or None, value=setting.value, figures=way.words)
        self._result(mount.client, mount.file).findings.append(placed(finding, mount.file, entry))

    def _at_export(self, check: Check, server: Side, export: Exported, words: Words) -> None:
        tunable = next((name for name in _listed(check.at) if name in export.at), None)
        span = export.at[tunable] if tunable is not None else export.span
        result = self._result(server, export.file)
        text = result.line(span.line)[span.column - 1 : span.end_column - 1]
        finding = from_check(check, Setting(text, "", 0, 0, text), tunable=tunable, value=text, figures=words)
        if at(finding, export.file, span) not in result.findings:
            result.findings.append(at(finding, export.file, span))

    def differing(self, of: str, side: Side, other: Side, one: Differing) -> None:
        """Tell of a setting in which two hosts differ, at the first of them."""
        words = {
            "setting": values.name(self.base.tunables[one.tunable]), "effect": str(one.other.value),
            "place": one.other.place, "client": side.title, "server": other.title,
        }
        for check, wanted in self.checks.get(of, ()):
            if any(named(one.tunable, pattern) for pattern in wanted.differ):
                setting = Setting(one.one.value, "", 0, 0, "")
                finding = from_check(check, setting, tunable=one.tunable, value=one.one.value, figures=words)
                self._result(side, one.one.file).findings.append(at(finding, one.one.file, one.one.span))

    def disagreeing(self, one: Disagreement, server: str, export: str, place: Spot) -> None:
        """Tell of a setting on which the clients of an export do not agree, at one of the fewer."""
        for check, wanted in self.checks.get("export", ()):
            if any(named(one.tunable, pattern) for pattern in wanted.differ):
                finding = from_check(
                    check, Setting(one.value, "", 0, 0, ""), tunable=one.tunable, value=one.value,
                    figures=one.words(self.base, server, [export]),
                )
                self._result(place.side, place.file).findings.append(at(finding, place.file, place.span))

    def found(self, of: str, found: Found, words: Words, place: Spot, index: RuleIndex | None = None) -> None:
        """Tell what two hosts come to, in the words of every check that it fits. `index`: what is known of the host
        of which a check's `when` speaks; without it such a check is silent."""
        for check, wanted in self.checks.get(of, ()):
            figures = come_to(check, wanted, found) if speaks(check, index) else None
            if figures is not None:
                finding = from_check(check, Setting(None, "", 0, 0, ""), tunable=None, figures={**words, **figures})
                self._result(place.side, place.file).findings.append(at(finding, place.file, place.span))

    def sorted_into(self, areas: Mapping[str, list[Result]]) -> None:
        """Add the results to those of their areas, with their findings in the order of the lines, and without those
        that comments in the files keep silent."""
        for area, kind, result in self.results.values():
            silence(result, kind)
            result.findings.sort(key=lambda one: (one.line, one.column))
            areas[area].append(result)

    def _result(self, side: Side, file: str) -> Result:
        if file not in self.results:
            area, kind, text = side.text_of(file)
            self.results[file] = area, kind, Result(file, text, self.index)
        return self.results[file][2]


def speaks(check: Check, index: RuleIndex | None) -> bool:
    """Whether a check speaks of a host. `index`: what is known of it; None where nothing is."""
    if index is None:
        return not check.when
    when = not check.when or index.holds(f"check:{check.check}", index.state)
    return when is True and not (check.unless and index.holds(f"unless:{check.check}", index.state))


def come_to(check: Check, wanted: Sides, found: Found) -> dict[str, str] | None:
    """The figures of a check, in words, where what hosts come to is what it asks for; else None."""
    if wanted.differ or not holds(wanted, _as_settings(found)):
        return None
    numbers = {name: value for name, value in found.items() if isinstance(value, int)}
    return worked_out(check, numbers.get)


def _as_settings(found: Found) -> dict[str, Setting]:
    """What two hosts come to, as the patterns of checks are held against it."""
    return {name: Setting(value, "", 0, 0, str(value)) for name, value in found.items() if value is not None}


def holds(wanted: Sides, settings: Mapping[str, Setting]) -> bool:
    """Whether all that a check asks for is so."""
    return all(matches(pattern, settings.get(name)) for name, pattern in wanted.on.items())


def _listed(names: str | Sequence[str] | None) -> Iterator[str]:
    yield from [names] if isinstance(names, str) else names or ()
