"""Judge one NFS line by the option grammar, the decisions and the checks, and list what stays open."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.files.fstab import split_options
from advisor.files.placeholders import has_markup, open_options
from advisor.files.records import Setting
from advisor.files.source import RESERVED, parse_source
from advisor.lint import line_facts
from advisor.lint.checks import check_line, moot, symptoms
from advisor.lint.compare import LineSettings, Undecided, compare, finding_of
from advisor.lint.finding import SEVERITIES, Edit, Finding, Fix, edit_list, report
from advisor.lint.rule_index import Judged, KnownHere, RuleIndex, State
from advisor.lint.twins import join
from advisor.rulebase import values
from advisor.rulebase.model import Check
from advisor.sections import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files import records
    from advisor.files.fstab import Whole
    from advisor.files.option_reading import OptionProblem
    from advisor.files.options import OptionList


MAX_JUDGED = 20_000
"""Judgements that are remembered."""


def judge(index: RuleIndex, entry: Whole | records.MountEntry, name: str) -> tuple[Judged, dict[str, Setting]]:
    """The judgement of one NFS line, and its settings. Like lines share the judgement, across files too.

    `name`: of the file. Raises SectionError if sections contradict one another."""
    source = parse_source(entry.source.value)
    index = index.of(Mount(source.host, source.export, entry.target.value, f"{name}:{entry.line_no}"))
    platform = index.rules.platform_of(source.host, entry.fstype.value)
    options = entry.options.text if entry.options is not None else ""
    freq = entry.freq.text if entry.freq is not None else ""
    passno = entry.passno.text if entry.passno is not None else ""
    family = source.kind if source.kind in ("ipv4", "ipv6") else None
    target = Setting(entry.target.value, "target", 0, 0, entry.target.value)
    written = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.value)
    # Checks of the source's form do not apply to a placeholder or a reserved example name.
    is_placeholder = source.kind == "placeholder" or source.host.endswith(RESERVED)
    # Lines that differ only in source or mount point are judged alike unless a check tests those.
    form = tuple(
        fits(entry.target.value if field == "fstab.target" else entry.source.value)
        for field, fits in index.rules.place_tests(entry.fstype.value)
        if not (is_placeholder and field == "fstab.source")
    )
    key = (entry.fstype.value, options, platform, freq, passno, family, is_placeholder, form)
    judged = index.judged.get(key)
    source_and_target = (entry.source.text, entry.target.text)
    if judged is None or judged.about not in (None, source_and_target):
        if len(index.judged) >= MAX_JUDGED:
            index.judged.clear()
        judged = _judge_anew(
            index, entry, options, platform=platform, family=family, source=None if is_placeholder else written,
            target=target,
        )
        if any(finding.field in ("source", "target") for finding in judged.findings):
            judged = judged._replace(about=source_and_target)
        index.judged[key] = judged
    settings = dict(judged.settings)
    settings["fstab.source"] = written
    settings["fstab.target"] = target
    if source.host:
        settings["fstab.host"] = Setting(source.host.lower(), "source", 0, len(entry.source.text), source.host)
        settings["fstab.export"] = Setting((source.export or "/").rstrip("/"), "source", 0, 0, source.export or "/")
    return judged, settings


def _judge_anew(
    index: RuleIndex, entry: Whole | records.MountEntry, options: str, *, platform: str | None, family: str | None,
    source: Setting | None, target: Setting,
) -> Judged:
    fstype = index.rules.type_in_effect(entry.fstype.value, entry.source.value)
    state = dict(index.state)
    inferred, contradictions = line_facts.by_platform(index, state, platform, fstype)
    fields = _fields(entry)
    beside = {name: setting.value for name, setting in fields.items()}
    beside["file.kind"] = index.kind
    if family is not None:
        beside["fstab.family"] = family
    # mount(8) forgets an option with an unclosed quote; the reader reports that.
    items = [item for item in split_options(options) if item.closed] if options else ()
    option_list = index.rules.grammar.read(fstype, items, beside)
    implied = option_list.implied
    kind = Setting(index.kind, "source", 0, 0, "")
    settings = {**option_list.effective, **fields, "fstab.target": target, "file.kind": kind}
    if source is not None:
        settings["fstab.source"] = source
    masks, spread = line_facts.by_settings(index, settings, implied, fstype)
    contradictions += line_facts.by_line(index, state, masks, settings)
    line_facts.by_default(index, state, masks, implied)
    known = KnownHere(index, state, inferred)

    of_options, open_conditions = ([], []) if index.rules.in_effect else option_findings(known, option_list, options)
    ignored = frozenset(finding.tunable for finding in of_options if finding.rule == IGNORED and finding.tunable)
    line = LineSettings(settings, options, implied, spread, _hidden(index, options), ignored)
    mismatches, open_settings = compare(known, line)
    # A setting without effect is neither right nor wrong; that it has none is finding enough.
    idle = index.rules.idle
    compared = [
        finding_of(mismatch, options) for mismatch in mismatches
        if mismatch.case.tunable.id not in ignored and mismatch.case.tunable.id not in idle
    ]
    wrong = {finding.tunable for finding in compared if finding.consequence == "mount-fails"}
    of_options = [finding for finding in of_options if not _follows(index, finding, wrong)]
    checked, open_checks = check_line(known, line)
    checked = [finding for finding in checked if not _is_recommended(index, finding, settings, state)]
    # Rules for a platform or workload take precedence over checks, and checks over rules that apply everywhere.
    general = [f for f in compared if f.tunable and index.rules.layer(f.tunable, f.rule) == "default"]
    findings = [*contradictions, *of_options, *(f for f in compared if f not in general), *checked, *general]
    quiet = symptoms(index, checked, settings) | moot(index, settings)
    if quiet:
        findings = [
            f for f in findings if f.tunable not in quiet or f.severity == "error" or f.rule in index.rules.cause_checks
        ]
    findings = join(_one_each(findings), index.rules.twins, options)
    all_open = (*(item for item in open_settings if item.tunable not in idle), *open_conditions, *open_checks)
    undecided = _with_facts(index, state, [item for item in all_open if item.tunable not in quiet])
    return Judged(tuple(findings), _unjudged(undecided, findings), settings, implied, masks, state, ignored, index)


def _hidden(index: RuleIndex, options: str) -> frozenset[str]:
    """The settings that placeholders among the options may make, "" for any."""
    names = open_options(options)
    return names and names & {""} | {
        tunable.id for tunable in index.tunables.values() if any(form.spelling in names for form in tunable.forms)
    }


def _is_recommended(index: RuleIndex, finding: Finding, settings: Mapping[str, Setting], state: State) -> bool:
    """Whether a finding is a note on a setting that has the recommended value; such a note would contradict that."""
    tunable = finding.tunable or ""
    setting = settings.get(tunable)
    if finding.severity != "note" or setting is None or tunable not in index.rulebase.decisions:
        return False
    wanted = [value for value, _ in index.reach(tunable, state)]
    return bool(wanted) and all(values.same(value, setting.value) for value in wanted)


def _follows(index: RuleIndex, finding: Finding, wrong: set[str | None]) -> bool:
    """Whether a setting has no effect only because another one, already reported, is wrong (nolock on NFSv4)."""
    if finding.rule != IGNORED or finding.tunable is None:
        return False
    verdicts = index.tunables[finding.tunable].ignored
    return any(not wrong.isdisjoint(verdict.together) for verdict in verdicts)


def _unjudged(
    undecided: tuple[tuple[str, tuple[str, ...]], ...], findings: list[Finding]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The undecided settings that are worth a question: not those with a warning or an error, or without effect."""
    judged = {f.tunable for f in findings if (f.severity != "note" or f.consequence == "ignored") and not f.policy}
    return tuple(item for item in undecided if item[0] not in judged)


def _one_each(findings: list[Finding]) -> list[Finding]:
    """One finding per setting: the severest, and of equals the first. What an option presumes is not reported if the
    option itself is wrong. The checks of a security profile count separately, and hide nothing."""
    best: dict[object, Finding] = {}
    for number, finding in enumerate(findings):
        # Findings on the type are all about one word, whatever setting they are on.
        about = None if finding.field == "fstype" else finding.tunable
        profile = finding.policy and finding.severity != "note"
        key = (about, finding.field, finding.column, profile) if finding.tunable else number
        other = best.get(key)
        if other is None or SEVERITIES.index(finding.severity) > SEVERITIES.index(other.severity) or other.policy:
            best[key] = finding
    wrong = {
        (f.field, f.column) for f in best.values() if f.severity != "note" and f.rule != PRESUMES and not f.policy
    }
    return [f for f in best.values() if f.rule != PRESUMES or (f.field, f.column) not in wrong]


def _fields(entry: Whole | records.MountEntry) -> dict[str, Setting]:
    fields = {"fstab.type": Setting(entry.fstype.value, "fstype", 0, len(entry.fstype.text), entry.fstype.text)}
    for name, number in zip(("freq", "passno"), entry.numbers):
        field = getattr(entry, name)
        if field is not None:
            fields[f"fstab.{name}"] = Setting(number, name, 0, len(field.text), field.text)
    return fields


def _with_facts(
    index: RuleIndex, state: State, undecided: list[Undecided]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    bearing: dict[str, tuple[str, ...]] = {}
    for item in undecided:
        facts = index.unknown_facts(item.about, state)
        bearing[item.tunable] = tuple(dict.fromkeys((*bearing.get(item.tunable, ()), *facts)))
    return tuple(item for item in bearing.items() if item[1])  # without facts that can be asked it is no question


CHECK_OF = {
    "unknown-option": "unknown-option",
    "bad-value": "bad-option-value",
    "out-of-range": "option-out-of-range",
    "missing-value": "option-missing-value",
    "unexpected-value": "option-unexpected-value",
    "repeated-option": "option-repeated",
    "overridden-option": "option-overridden",
    "vendor-option": "option-vendor",
    "refused-option": "option-refused",
    "ignored-option": "option-ignored",
    "value-changed": "option-value-changed",
    "too-old-client": "option-too-new",
    "too-old-value": "option-too-new",
    "empty-option": "option-empty",
    "presumed-setting": "option-presumes",
}
"""Kind of an OptionProblem → the built-in check that reports it."""
IGNORED = CHECK_OF["ignored-option"]
PRESUMES = CHECK_OF["presumed-setting"]


def option_findings(known: KnownHere, line: OptionList, text: str) -> tuple[list[Finding], list[Undecided]]:
    """The findings on the form of an option list, and what depends on unknown facts."""
    index = known.index
    alike: dict[tuple[str, str, str], list[OptionProblem]] = {}
    undecided: list[Undecided] = []
    for problem in index.rules.grammar.judge(line, known.holds):
        if has_markup(problem.text):
            continue  # what a placeholder becomes is not known
        if problem.condition is not None:
            undecided.append(Undecided(problem.tunable or problem.text.partition("=")[0], problem.condition))
            continue
        # A problem that occurs several times is reported once, and fixed everywhere.
        alike.setdefault((problem.kind, problem.text, problem.message), []).append(problem)
    checks = ((index.builtin(CHECK_OF[kind]), problems) for (kind, *_), problems in alike.items())
    return [_finding(check, problems, text) for check, problems in checks if check is not None], undecided


def _finding(check: Check, problems: list[OptionProblem], text: str) -> Finding:
    """The finding on problems that differ only in their place."""
    problem = problems[0]
    places = [Setting(same.value, "options", same.start, same.start + len(same.text), same.text) for same in problems]
    setting = places[0]
    edits: tuple[Edit, ...] = ()
    if problem.suggestion == "":
        edits = edit_list(text, drop=places)
    elif problem.suggestion:
        edits = edit_list(text, put=[(place, problem.suggestion) for place in places])
    ignored = problem.consequence == "ignored"
    # To remove an option without effect changes nothing; everything else changes what the mount does.
    safety = "safe" if ignored and problem.suggestion == "" else "unsafe"
    remedy = None
    if problem.suggestion:
        remedy = f"Write {problem.suggestion}."
    elif problem.suggestion == "":
        remedy = f"Remove {problem.text}." if problem.text else None
    if not problem.text:  # an empty option is marked by the comma beside it
        comma = setting.start if text[setting.start : setting.start + 1] == "," else setting.start - 1
        setting = setting._replace(start=comma, end=comma + 1)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return report(
        check, setting, tunable=problem.tunable, value=problem.value, expected=problem.expected,
        message=problem.message + more, why=problem.why or None, remedy=remedy, consequence=problem.consequence,
        severity="note" if ignored else "error" if problem.consequence == "mount-fails" else None,
        cites=problem.cites or None, fix=Fix.of(safety, edits), suggestion=problem.suggestion or "",
        words=problem.message,
    )
