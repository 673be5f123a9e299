"""One NFS line against the rule base: the grammar of its options, the decisions, the checks, and what stays open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.lint import line_facts
from advisor.lint.checks import check_line, moot, symptoms
from advisor.lint.compare import Undecided, compare
from advisor.lint.edits import edit_list
from advisor.lint.finding import SEVERITIES, Edit, Finding, Fix, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.lint.twins import join
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.readers.fstab import split_options
from advisor.readers.placeholders import has_markup, left_open
from advisor.readers.source import RESERVED, parse_source
from advisor.rulebase import values
from advisor.rulebase.model import Check
from advisor.sections import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from advisor.options.reading import OptionList, OptionProblem
    from advisor.readers import tables
    from advisor.readers.fstab.entry import Whole
    from advisor.rulebase.model.types import Value

    T = TypeVar("T")


class Judged(NamedTuple):
    """What all lines with the same type, options and inferred platform have in common."""

    findings: tuple[Finding, ...]
    open: tuple[tuple[str, tuple[str, ...]], ...]
    settings: Mapping[str, Setting]
    brought: Mapping[str, Setting]
    masks: Mapping[str, int]
    state: dict[str, int]
    ignored: frozenset[str]
    """Settings that certainly have no effect on this line (nolock on NFSv4)."""
    rule_index: RuleIndex
    """By which it was judged: what is known of the mount."""
    about: tuple[str, str] | None = None
    """The source and the target that findings speak of; None where none does, so that lines with others share it."""


MAX_JUDGED = 20_000


def judge(index: RuleIndex, entry: Whole | tables.MountEntry, name: str) -> tuple[Judged, dict[str, Setting]]:
    """What is to be said of one NFS line, and its settings. Like lines share it, in this text and the next.

    `name`: of the file. Raises SectionError where sections contradict one another."""
    source = parse_source(entry.source.value)
    index = index.of(Mount(source.host, source.export, entry.target.value, f"{name}:{entry.line_no}"))
    platform = index.platform_of(source.host, entry.fstype.value)
    options = entry.options.text if entry.options is not None else ""
    freq = entry.freq.text if entry.freq is not None else ""
    passno = entry.passno.text if entry.passno is not None else ""
    family = source.kind if source.kind in ("ipv4", "ipv6") else None
    target = Setting(entry.target.value, "target", 0, 0, entry.target.value)
    written = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.value)
    # A source that is still to be filled in, or stands for another, has no form that a check could find fault with.
    stands_in = source.kind == "placeholder" or source.host.endswith(RESERVED)
    # Only where checks speak of source or mount point do lines that differ in nothing else come out differently.
    form = tuple(
        fits(entry.target.value if field == "fstab.target" else entry.source.value)
        for field, fits in index.place_tests(entry.fstype.value)
        if not (stands_in and field == "fstab.source")
    )
    key = (entry.fstype.value, options, platform, freq, passno, family, stands_in, form)
    judged = index.judged.get(key)
    here = (entry.source.text, entry.target.text)
    if judged is None or judged.about not in (None, here):
        if len(index.judged) >= MAX_JUDGED:
            index.judged.clear()
        judged = _judge_anew(
            index, entry, options, platform=platform, family=family, source=None if stands_in else written,
            target=target,
        )
        if any(finding.field in ("source", "target") for finding in judged.findings):
            judged = judged._replace(about=here)
        index.judged[key] = judged
    settings = dict(judged.settings)
    settings["fstab.source"] = written
    settings["fstab.target"] = target
    if source.host:
        settings["fstab.host"] = Setting(source.host.lower(), "source", 0, len(entry.source.text), source.host)
        settings["fstab.export"] = Setting((source.export or "/").rstrip("/"), "source", 0, 0, source.export or "/")
    return judged, settings


def _judge_anew(
    index: RuleIndex, entry: Whole | tables.MountEntry, options: str, *, platform: str | None, family: str | None,
    source: Setting | None, target: Setting,
) -> Judged:
    fstype = index.type_in_effect(entry.fstype.value, entry.source.value)
    state = dict(index.state)
    inferred, otherwise = line_facts.by_platform(index, state, platform, fstype)
    fields = _fields(entry)
    beside = {name: found.value for name, found in fields.items()}
    beside["file.kind"] = index.kind
    if family is not None:
        beside["fstab.family"] = family
    said = read_options(index, fstype, options, beside)
    settings = {**said.settings, **fields, "fstab.target": target, "file.kind": Setting(index.kind, "source", 0, 0, "")}
    if source is not None:
        settings["fstab.source"] = source
    masks, spread = line_facts.by_settings(index, settings, said.implied, fstype)
    otherwise += line_facts.by_line(index, state, masks, settings)
    line_facts.by_default(index, state, masks, said.implied)
    given = {fact: mask for fact, mask in state.items() if fact not in inferred}

    def sure(ask: Callable[[str, dict[str, int]], T]) -> Callable[[str, T], str]:
        return lambda name, answer: "high" if not inferred or ask(name, given) == answer else "medium"

    findings, open_conditions = ([], []) if index.in_effect else option_findings(index, said, state)
    ignored = frozenset(d.tunable for d in findings if d.rule == IGNORED and d.tunable)
    hidden = _hidden(index, options)
    compared, open_settings = compare(
        index, settings, options, lambda decision: index.reach(decision, state),
        able=lambda decision: index.passing(decision, state),
        confidence=sure(index.reach), certain=lambda rule: index.verdict(rule.when, state) is True,
        unknown=lambda decision: index.deciding(decision, index.able(decision, state)), spread=spread,
        brought=said.implied, hidden=hidden,
    )
    # What has no effect is neither right nor wrong, and nothing else is to be said of it.
    compared = [finding for finding in compared if finding.tunable not in ignored and finding.tunable not in index.idle]
    open_settings = [one for one in open_settings if one.tunable not in index.idle]
    wrong = {finding.tunable for finding in compared if finding.consequence == "mount-fails"}
    findings = [finding for finding in findings if not _follows(index, finding, wrong)]
    in_effect = {tunable: found for tunable, found in settings.items() if tunable not in ignored}
    checked, open_checks = check_line(
        index, in_effect, options, lambda c: index.holds(c, state), sure(index.holds), written=settings,
        brought={tunable: found for tunable, found in said.implied.items() if found.field == "options"},
        hidden=hidden,
    )
    checked = [d for d in checked if not _asked_for(index, d, settings, state)]
    # What this platform or workload wants goes before a check for all of them, and that before a rule for all.
    general = [d for d in compared if d.tunable and index.layer(d.tunable, d.rule) == "default"]
    findings = [*otherwise, *findings, *(d for d in compared if d not in general), *checked, *general]
    quiet = symptoms(index, checked, settings) | moot(index, settings)
    if quiet:
        findings = [d for d in findings if d.tunable not in quiet or d.severity == "error" or d.rule in index.telling]
    findings = join(_one_each(findings), index.twins, options)
    undecided = _with_facts(
        index, state, [one for one in (*open_settings, *open_conditions, *open_checks) if one.tunable not in quiet]
    )
    return Judged(tuple(findings), _unjudged(undecided, findings), settings, said.implied, masks, state, ignored, index)


def _hidden(index: RuleIndex, options: str) -> Callable[[str], bool]:
    """Whether a placeholder among the options may set a tunable."""
    names = left_open(options)
    if not names:
        return lambda _tunable: False
    named = {one.id for one in index.tunables.values() if any(form.spelling in names for form in one.forms)}
    return lambda tunable: "" in names or tunable in named


def _asked_for(index: RuleIndex, finding: Finding, settings: Mapping[str, Setting], state: dict[str, int]) -> bool:
    """Whether a note is about a setting that is as the decision on it wants it here: no check speaks against that."""
    tunable = finding.tunable or ""
    found = settings.get(tunable)
    if finding.severity != "note" or found is None or tunable not in index.rulebase.decisions:
        return False
    wanted = [value for value, _ in index.reach(tunable, state)]
    return bool(wanted) and all(values.same(value, found.value) for value in wanted)


def _follows(index: RuleIndex, finding: Finding, wrong: set[str | None]) -> bool:
    """Whether a setting has no effect only because another one, already reported, is wrong (nolock on NFSv4)."""
    if finding.rule != IGNORED or finding.tunable is None:
        return False
    verdicts = index.tunables[finding.tunable].ignored
    return any(not wrong.isdisjoint(verdict.together) for verdict in verdicts)


def _unjudged(
    undecided: tuple[tuple[str, tuple[str, ...]], ...], findings: list[Finding]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is still worth a question: not a setting that is a warning or an error already, or that has no effect."""
    judged = {d.tunable for d in findings if (d.severity != "note" or d.consequence == "ignored") and not d.policy}
    return tuple(one for one in undecided if one[0] not in judged)


def _one_each(findings: list[Finding]) -> list[Finding]:
    """One setting, one complaint: of several about the same setting the severest, and of equals the first. What an
    option brings with it is not worth a word where it is to go anyway. What a security profile asks for is a matter of
    its own, and hides nothing."""
    best: dict[object, Finding] = {}
    for number, finding in enumerate(findings):
        # Whatever is said of the type, it is one word.
        about = None if finding.field == "fstype" else finding.tunable
        profile = finding.policy and finding.severity != "note"
        key = (about, finding.field, finding.column, profile) if finding.tunable else number
        held = best.get(key)
        if held is None or SEVERITIES.index(finding.severity) > SEVERITIES.index(held.severity) or held.policy:
            best[key] = finding
    wrong = {
        (d.field, d.column)
        for d in best.values()
        if d.severity != "note" and d.rule != PRESUMES and not d.policy
    }
    return [d for d in best.values() if d.rule != PRESUMES or (d.field, d.column) not in wrong]


def _fields(entry: Whole | tables.MountEntry) -> dict[str, Setting]:
    fields = {"fstab.type": Setting(entry.fstype.value, "fstype", 0, len(entry.fstype.text), entry.fstype.text)}
    for name, number in zip(("freq", "passno"), entry.numbers):
        field = getattr(entry, name)
        if field is not None:
            fields[f"fstab.{name}"] = Setting(number, name, 0, len(field.text), field.text)
    return fields


def _with_facts(
    index: RuleIndex, state: dict[str, int], undecided: list[Undecided]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    bearing: dict[str, tuple[str, ...]] = {}
    for one in undecided:
        facts = index.unknown_facts(one.about, state)
        bearing[one.tunable] = tuple(dict.fromkeys((*bearing.get(one.tunable, ()), *facts)))
    return tuple(one for one in bearing.items() if one[1])  # what nobody can answer is not a question


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
"""A problem of the grammar → the `builtin` of the check that has the words for it."""
IGNORED = CHECK_OF["ignored-option"]
PRESUMES = CHECK_OF["presumed-setting"]


class Options(NamedTuple):
    """An option list that was read: what it sets, what follows from that, and what the grammar needs to judge it."""

    text: str
    line: OptionList
    settings: dict[str, Setting]
    implied: dict[str, Setting]
    """What they bring with them, each where the option or the type stands that brings it."""


def read_options(index: RuleIndex, fstype: str, text: str, beside: Mapping[str, Value]) -> Options:
    """Read an option list; the settings are those in effect, as the client will use them."""
    # What begins a quotation that nothing ends is forgotten by mount(8); the reader tells that.
    items = [item for item in split_options(text) if item.closed] if text else ()
    line = index.grammar.read(fstype, items, beside)
    return Options(text, line, dict(line.effective), dict(line.implied))


def option_findings(index: RuleIndex, options: Options, state: dict[str, int]) -> tuple[list[Finding], list[Undecided]]:
    """The grammar's problems with a line under what is known; what hangs on an unknown fact is left open."""
    alike: dict[tuple[str, str, str], list[OptionProblem]] = {}
    undecided: list[Undecided] = []
    for problem in index.grammar.judge(options.line, lambda name: index.holds(name, state)):
        if has_markup(problem.text):
            continue  # a placeholder of a template: what it will become is not known
        if problem.condition is not None:
            undecided.append(Undecided(problem.tunable or problem.text.partition("=")[0], problem.condition))
            continue
        # What is wrong again and again with the same words is told once, and mended everywhere.
        alike.setdefault((problem.kind, problem.text, problem.message), []).append(problem)
    checks = ((index.builtin(CHECK_OF[kind]), problems) for (kind, *_), problems in alike.items())
    return [_draft(check, problems, options.text) for check, problems in checks if check is not None], undecided


def _draft(check: Check, problems: list[OptionProblem], text: str) -> Finding:
    problem = problems[0]
    places = [
        Setting(one.value, "options", one.start, one.start + len(one.text), one.text) for one in problems
    ]
    found = places[0]
    edits: tuple[Edit, ...] = ()
    if problem.suggestion == "":
        edits = edit_list(text, drop=places)
    elif problem.suggestion:
        edits = edit_list(text, put=[(place, problem.suggestion) for place in places])
    ignored = problem.consequence == "ignored"
    # Taking out what has no effect changes nothing; everything else changes what the mount does.
    safety = "safe" if ignored and problem.suggestion == "" else "unsafe"
    remedy = None
    if problem.suggestion:
        remedy = f"Write {problem.suggestion}."
    elif problem.suggestion == "":
        remedy = f"Remove {problem.text}." if problem.text else None
    if not problem.text:  # an empty place is shown by the comma beside it
        comma = found.start if text[found.start : found.start + 1] == "," else found.start - 1
        found = found._replace(start=comma, end=comma + 1)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return from_check(
        check, found, tunable=problem.tunable, value=problem.value, expected=problem.expected,
        message=problem.message + more, why=problem.why or None, remedy=remedy, consequence=problem.consequence,
        severity="note" if ignored else "error" if problem.consequence == "mount-fails" else None,
        cites=problem.cites or None, fix=Fix.of(safety, edits), suggestion=problem.suggestion or "",
        words=problem.message,
    )
