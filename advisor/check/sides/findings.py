"""Findings between hosts: which checks of the rule base with `sides` apply, and in which file they are reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.files.patterns import matches
from advisor.files.records import Setting
from advisor.globs import matches as fits
from advisor.lint.checks import worked_out
from advisor.lint.finding import Finding, at, from_check, placed
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import Result
from advisor.lint.suppress import silence
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.sides.client_and_server import HostDifference
    from advisor.check.sides.clients_of_server import Disagreement
    from advisor.check.sides.compared_host import ComparedHost
    from advisor.check.sides.mount_outcomes import MountOutcome, MountOutcomes
    from advisor.files.export_lookup import Exported
    from advisor.files.records import Span
    from advisor.rulebase.model import Check, RuleBase, Sides
    from advisor.rulebase.model.types import Value


class ComparedValues(NamedTuple):
    """The compared values of two hosts. `values`: `sides.…` and settings, as checks name them. `words`: for
    messages."""

    values: Mapping[str, Value]
    words: Mapping[str, str]


class FindingPlace(NamedTuple):
    """In which file of which host a finding is reported."""

    host: ComparedHost
    file: str
    span: Span


class FindingsByFile:
    """Collects the findings in all files of all hosts."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.index = RuleIndex(base, {}, kind="states")
        self.checks: dict[str, list[tuple[Check, Sides]]] = {}
        for check in base.checks.values():
            if check.sides is not None:
                self.checks.setdefault(check.sides.of, []).append((check, check.sides))
        self._results: dict[str, tuple[str, str, Result]] = {}
        """File → its area, its kind, and what is found there."""

    def add_mount(self, mount: MountOutcomes) -> bool:
        """Report what holds in every outcome; whether there was anything."""
        is_reported = False
        for check, wanted in self.checks.get("mount", ()):
            if all(holds(wanted, outcome.settings) for outcome in mount.outcomes):
                is_reported = True
                outcome = mount.outcomes[0]
                if wanted.edit == "server" and outcome.export is not None:
                    self._at_export(check, mount.server, outcome.export, outcome.words)
                else:
                    self._at_mount(check, mount, outcome)
        return is_reported

    def _at_mount(self, check: Check, outcomes: MountOutcomes, outcome: MountOutcome) -> None:
        mount, entry = outcomes.mount, outcomes.mount.entry
        source = Setting(mount.source.host, "source", 0, len(entry.source.text), entry.source.text)
        setting = next((mount.settings[name] for name in _names(check.at) if name in mount.settings), source)
        finding = from_check(
            check, setting, tunable=setting.tunable or None, value=setting.value, figures=outcome.words
        )
        self._result(mount.client, mount.file).findings.append(placed(finding, mount.file, entry))

    def _at_export(self, check: Check, server: ComparedHost, export: Exported, words: Mapping[str, str]) -> None:
        tunable = next((name for name in _names(check.at) if name in export.at), None)
        span = export.at[tunable] if tunable is not None else export.span
        result = self._result(server, export.file)
        text = result.line(span.line)[span.column - 1 : span.end_column - 1]
        finding = from_check(check, Setting(text, "", 0, 0, text), tunable=tunable, value=text, figures=words)
        if at(finding, export.file, span) not in result.findings:
            result.findings.append(at(finding, export.file, span))

    def add_difference(self, of: str, host: ComparedHost, other: ComparedHost, difference: HostDifference) -> None:
        """Report a setting in which two hosts differ, at the first of them."""
        words = {
            "setting": values.name(self.base.tunables[difference.tunable]), "effect": str(difference.other.value),
            "place": difference.other.place, "client": host.title, "server": other.title,
        }
        place = FindingPlace(host, difference.one.file, difference.one.span)
        self._add_setting(of, difference.tunable, difference.one.value, words, place)

    def add_disagreement(self, disagreement: Disagreement, server: str, export: str, place: FindingPlace) -> None:
        """Report a setting in which the clients of an export do not agree, at one of the fewer."""
        words = disagreement.words(self.base, server, [export])
        self._add_setting("export", disagreement.tunable, disagreement.value, words, place)

    def _add_setting(
        self, of: str, tunable: str, value: Value, words: Mapping[str, str], place: FindingPlace
    ) -> None:
        for check, wanted in self.checks.get(of, ()):
            if any(fits(tunable, pattern) for pattern in wanted.differ):
                setting = Setting(value, "", 0, 0, "")
                self._add(place, from_check(check, setting, tunable=tunable, value=value, figures=words))

    def add(self, of: str, compared: ComparedValues, place: FindingPlace, index: RuleIndex | None = None) -> None:
        """Report what comes of two hosts, with each check that it fits. `index`: what is known of the host that a
        check's `when` is about; without it such a check finds nothing."""
        for check, wanted in self.checks.get(of, ()):
            figures = figures_of(check, wanted, compared.values) if applies(check, index) else None
            if figures is not None:
                setting = Setting(None, "", 0, 0, "")
                self._add(place, from_check(check, setting, tunable=None, figures={**compared.words, **figures}))

    def _add(self, place: FindingPlace, finding: Finding) -> None:
        self._result(place.host, place.file).findings.append(at(finding, place.file, place.span))

    def _result(self, host: ComparedHost, file: str) -> Result:
        if file not in self._results:
            area, kind, text = host.text_of(file)
            self._results[file] = area, kind, Result(file, text, self.index)
        return self._results[file][2]

    def by_area(self, areas: Sequence[str]) -> dict[str, list[Result]]:
        """The results of each area, with their findings in the order of the lines, and without those that comments in
        the files suppress."""
        by_area: dict[str, list[Result]] = {area: [] for area in areas}
        for area, kind, result in self._results.values():
            silence(result, kind)
            result.findings.sort(key=lambda finding: (finding.line, finding.column))
            by_area[area].append(result)
        return by_area


def applies(check: Check, index: RuleIndex | None) -> bool:
    """Whether a check is about a host. `index`: what is known of it; None if nothing is."""
    if index is None:
        return not check.when
    when = not check.when or index.holds(f"check:{check.check}", index.state)
    return when is True and not (check.unless and index.holds(f"unless:{check.check}", index.state))


def figures_of(check: Check, wanted: Sides, compared_values: Mapping[str, Value]) -> dict[str, str] | None:
    """The figures of a check, in words, where it asks for what was found; else None."""
    settings = {
        name: Setting(value, "", 0, 0, str(value)) for name, value in compared_values.items() if value is not None
    }
    if wanted.differ or not holds(wanted, settings):
        return None
    numbers = {name: value for name, value in compared_values.items() if isinstance(value, int)}
    return worked_out(check, numbers.get)


def holds(wanted: Sides, settings: Mapping[str, Setting]) -> bool:
    """Whether the settings are all that a check asks for."""
    return all(matches(pattern, settings.get(name)) for name, pattern in wanted.on.items())


def _names(at: str | Sequence[str] | None) -> Iterator[str]:
    yield from [at] if isinstance(at, str) else at or ()
