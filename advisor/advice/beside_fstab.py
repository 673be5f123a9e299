"""Advice beside what the linter says: an existing fstab compared with it, and objections to pinned values, to a line,
and to files that are to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.advice.advise import advise
from advisor.advice.answers import bad_name
from advisor.advice.model import Advice, Row
from advisor.files.kinds import JUDGED, identify
from advisor.files.records import Setting
from advisor.lint.evidence import mount_of
from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Scalar, Tunable, Values
from advisor.rulebase.values import LINE_KINDS, absence_supports, is_bound, supports
from advisor.sections import NAMES, Section


class ComparedSetting(NamedTuple):
    """One setting of one line. `today`: as written, "" if it is absent. `advised`: as it would be written, or the
    remedy of a finding. `verdict`: "same", "differs", "finding" (`why` is its message), "open" (the advice depends on
    unknown facts), "no-opinion"."""

    file: str
    line: int
    target: str
    tunable: str
    today: str
    advised: str
    verdict: str
    why: str


def compare_lines(
    base: RuleBase, advice: Advice, text: str, name: str, sections: Sequence[Section] = ()
) -> tuple[ComparedSetting, ...]:
    """Compares each NFS line with the advice: its options, recommended options that it lacks, and other findings.

    A line may show further facts: a server's name often shows the platform. `sections`: facts of some mounts. Raises
    SectionError if these contradict each other."""
    result = lint_text(text, name, base, advice.answers.facts, sections=sections)
    known: dict[tuple[tuple[str, Scalar], ...], Advice] = {(): advice}
    rows: list[ComparedSetting] = []
    for line, judged in result.judged.items():
        fields = result.line(line).split()
        place = (name, line, fields[1] if len(fields) > 1 else "")
        own = tuple(_shown_facts(base, advice, judged.state).items())
        if own not in known:
            answers = advice.answers._replace(facts={**advice.answers.facts, **dict(own)})
            known[own] = advise(base, answers, asking=advice.asking)
        mine = _settings(base, known[own], result.settings(line), place)
        differing = {row.tunable for row in mine if row.verdict == "differs"}
        finding_rows = {
            finding.tunable or finding.rule: ComparedSetting(
                *place, finding.tunable or finding.rule, result.line(line)[finding.column - 1 : finding.end_column - 1],
                finding.remedy, "finding", finding.message,
            )
            for finding in result.findings
            if finding.line == line and not finding.policy and finding.tunable not in differing
        }
        rows += [row for row in mine if row.tunable not in finding_rows]
        rows += finding_rows.values()
    return tuple(rows)


def _shown_facts(base: RuleBase, advice: Advice, state: dict[str, int]) -> dict[str, Scalar]:
    """The facts of which a line shows more than is known or presumed, except its settings, which are compared."""
    facts: dict[str, Scalar] = {}
    for fact, mask in state.items():
        new = mask != advice.state.get(fact) and fact not in advice.answers.facts
        if new and fact not in base.decisions and base.facts[fact].derive is None:
            answer = base.engine.answer(fact, mask)
            if not isinstance(answer, list) and not is_bound(answer):
                facts[fact] = answer
    return facts


def _settings(
    base: RuleBase, advice: Advice, settings: Mapping[str, Setting], place: tuple[str, int, str]
) -> list[ComparedSetting]:
    """The options of a line, fields that should differ, and recommended options that are missing."""
    settled = {
        recommendation.tunable: recommendation for recommendation in advice.advised if recommendation.kind in LINE_KINDS
    }
    unsettled = {setting.tunable for setting in advice.open}
    line_settings = {
        tunable: setting for tunable, setting in settings.items()
        if tunable in base.tunables and base.tunables[tunable].kind in LINE_KINDS
    }
    rows = []
    for tunable in dict.fromkeys((*line_settings, *settled)):
        compared = _row(line_settings.get(tunable), settled.get(tunable), tunable in unsettled, base.tunables[tunable])
        if compared is not None and (compared[2] == "differs" or base.tunables[tunable].kind == "mount-option"):
            rows.append(ComparedSetting(*place, tunable, *compared))
    return rows


def _row(
    setting: Setting | None, recommendation: Row | None, is_open: bool, tunable: Tunable
) -> tuple[str, str, str, str] | None:
    """(today, advised, verdict, why); None if there is nothing to compare."""
    today = setting.text if setting is not None else ""
    if recommendation is None:
        return (today, "", "open" if is_open else "no-opinion", "") if today else None
    if not recommendation.recommends:
        return (today, "", "no-opinion", recommendation.why) if today else None
    wanted = recommendation.written if recommendation.pinned else recommendation.value
    advised = recommendation.text or ("left out" if recommendation.value == "omit" else str(recommendation.value))
    default = tunable.default
    fits = supports(setting.value, wanted, default) if setting is not None else absence_supports(wanted, default)
    if setting is None and (fits or (recommendation.already and recommendation.strength == "may")):
        return None
    return today, advised, "same" if fits else "differs", recommendation.why


def mount_sections(base: RuleBase, text: str, path: str) -> tuple[Section, ...]:
    """A section for each NFS line of an fstab. `path`: of the file, for messages.

    Its facts are settings without advice (ro), settings that would otherwise be assumed (sec), and the platform of its
    type."""
    result = lint_text(text, path, base, {})
    sections = []
    for line, judged in result.judged.items():
        mount = mount_of(result, line)
        names = dict(zip(NAMES, (mount.server, mount.export or "/", mount.target)))
        if any(bad_name(name, written) for name, written in names.items()):
            continue
        index, settings = judged.rule_index, result.settings(line)
        fstype = settings["fstab.type"].text
        facts = {
            fact: index.engine.answer(fact, mask) for fact, mask in judged.masks.items()
            if (setting := base.facts[fact].setting) and setting.tunable in settings
            and (fact not in base.decisions or base.facts[fact].usual)
        }
        today = {name: option.text for name, option in settings.items() if option.field == "options"}
        if fstype in index.rules.type_platform:
            facts["storage.platform"] = index.rules.type_platform[fstype]
            today["fstab.type"] = fstype
        sections.append(Section(f"{path}:{line}:1", names, facts, {}, today))
    return tuple(sections)


def file_objections(
    base: RuleBase, files: Iterable[tuple[str, str]], facts: Mapping[str, Values]
) -> list[tuple[str, Finding]]:
    """(path, finding) of files before they are written, except notes and findings of house policy. `files`: (path on
    the host, text) of each."""
    findings = []
    for path, text in files:
        kind = "fstab" if path.startswith("/etc/fstab") else identify(text, path)
        if kind in JUDGED:
            result = lint_text(text, path, base, facts, kind=kind)
            findings += [
                (path, finding) for finding in result.findings
                if not finding.policy and finding.severity != "note"
            ]
    return findings
