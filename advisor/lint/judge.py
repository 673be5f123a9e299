"""Judge one NFS line by the option grammar, the decisions and the checks, and list what stays open.

What is known of a line: given facts, those that the line states, and those that a name shows. Given facts override a
name. The options of the line are what is judged, so they count even against given facts, and the contradiction is
reported."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine import consistent, word_list
from advisor.files.fstab import split_options
from advisor.files.placeholders import has_markup, open_options
from advisor.files.records import Field, MountEntry, Setting
from advisor.lint.checks import check_line, moot, symptoms
from advisor.lint.compare import KnownHere, LineSettings, compare, finding_of
from advisor.lint.finding import LINE, SEVERITIES, Edit, Finding, Fix, edit_list, join, report
from advisor.lint.rule_index import PLATFORM, Judged, RuleIndex, State, Undecided
from advisor.rulebase import values
from advisor.rulebase.model import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.option_reading import OptionProblem
    from advisor.files.options import OptionList
    from advisor.rulebase.model import Scalar, Values


SAID_OTHERWISE = "said-otherwise"
_YES_NO = {"True": "yes", "False": "no"}


def judge_anew(
    index: RuleIndex, entry: MountEntry, form: tuple[bool, ...], *, platform: str | None, family: str | None,
    source: Setting | None, target: Setting,
) -> Judged:
    options = entry.options.text
    fstype = index.rules.type_in_effect(entry.fstype.value, entry.source.value)
    state = dict(index.state)
    inferred, contradictions = _by_platform(index, state, platform, fstype)
    fields = _fields(entry)
    beside = {name: setting.value for name, setting in fields.items()}
    beside["file.kind"] = index.kind
    if family is not None:
        beside["fstab.family"] = family
    # mount(8) forgets an option with an unclosed quote; the reader reports that.
    items = split_options(options) if options else ()
    option_list = index.rules.grammar.read(fstype, [item for item in items if item.closed], beside)
    implied = option_list.implied
    settings = {**option_list.effective, **fields, "fstab.target": target,
                "file.kind": Setting(index.kind, "source", 0, 0, "")}
    if source is not None:
        settings["fstab.source"] = source
    masks, spread = _by_settings(index, settings, implied, fstype)
    contradictions += by_line(index, state, masks, settings)
    _by_default(index, state, masks, implied)
    state = index.shared(state)
    known = KnownHere(index, state, inferred)

    of_options, open_conditions = ([], []) if index.rules.in_effect else option_findings(known, option_list, options)
    if index.kind == "nfsmount.conf" and "mount.vers" in settings:  # a mount may ask for another version
        of_options = [finding for finding in of_options if finding.rule != IGNORED]
    ignored = frozenset(finding.tunable for finding in of_options if finding.rule == IGNORED and finding.tunable)
    line = LineSettings(settings, options, implied, spread, _hidden(index, options), ignored)
    alike = known.alike(line, form)
    mismatches, open_settings = compare(known, line, alike)
    # A setting without effect is neither right nor wrong; that it has none is finding enough.
    idle = index.rules.idle
    compared = [
        finding_of(mismatch, options) for mismatch in mismatches
        if mismatch.case.tunable.id not in ignored and mismatch.case.tunable.id not in idle
    ]
    wrong = {finding.tunable for finding in compared if finding.consequence == "mount-fails"}
    of_options = [finding for finding in of_options if not _follows(index, finding, wrong)]
    checked, open_checks = check_line(known, line, alike)
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
    findings = [finding._replace(cites=_of_platform(index, finding.cites, state)) for finding in findings]
    in_effect = {t: setting for t, setting in {**implied, **settings}.items() if t not in ignored}
    return Judged(
        tuple(findings), _unjudged(undecided, findings), settings, implied, masks, state, ignored, index, items,
        in_effect, tuple(check for check, *_ in alike.checks or ()),
    )


def _of_platform(index: RuleIndex, claims: tuple[str, ...], state: State) -> tuple[str, ...]:
    """Those of the claims that are not about other platforms."""
    if len(claims) < 2 or PLATFORM not in state:
        return claims
    about = ((claim, index.rulebase.scope(claim).get(PLATFORM)) for claim in claims)
    mine = [claim for claim, of in about if of is None or state[PLATFORM] & (index.rules.mask(PLATFORM, of) or 0)]
    return tuple(mine) or claims


def _hidden(index: RuleIndex, options: str) -> frozenset[str]:
    """The settings that placeholders among the options may make, "" for any."""
    names = open_options(options)
    return names and names & {""} | {
        tunable.id for tunable in index.tunables.values() if any(form.spelling in names for form in tunable.forms)
    }


def _by_platform(
    index: RuleIndex, state: State, platform: str | None, fstype: str
) -> tuple[frozenset[str], list[Finding]]:
    """Narrow the state by the platform that the type or the server's name shows. Returns the facts that only the name
    shows, and findings on contradictions to given facts."""
    mask = index.rules.mask(PLATFORM, platform) if platform is not None else None
    if mask is None:
        return frozenset(), []
    if fstype in index.rules.type_platform:
        setting = Setting(fstype, "fstype", 0, len(fstype), fstype)
        return frozenset(), by_line(index, state, {PLATFORM: mask}, {}, setting)
    if PLATFORM not in index.known and consistent(index.engine, {**state, PLATFORM: mask}):
        state[PLATFORM] = mask
        return frozenset((PLATFORM,)), []
    if PLATFORM in index.known and state[PLATFORM] & mask:
        return frozenset(), []
    # The options are not at fault, so the finding points at the server.
    title = next(known.title for known in index.rulebase.platforms if known.platform == platform)
    given = _given(index, PLATFORM) if PLATFORM in index.known else "the given facts rule that out"
    words = f"the server's name is that of {title}, but {given}"
    return frozenset(), [*index.report(SAID_OTHERWISE, LINE, words=words, severity="note")]


def by_line(
    index: RuleIndex, state: State, masks: Mapping[str, int], settings: Mapping[str, Setting],
    written: Setting | None = None,
) -> list[Finding]:
    """Narrow the state by the facts that the line states. Returns findings on contradictions to given facts.

    `written`: the place that states the facts, if no setting does."""
    findings: list[Finding] = []
    for fact, mask in masks.items():
        contradicted = fact in index.known and not index.state.get(fact, mask) & mask
        state[fact] = state[fact] & mask or mask if fact in state else mask
        if contradicted:
            setting = index.facts[fact].setting
            tunable = setting.tunable if setting else ""
            place = written or settings.get(tunable) or Setting(None, "options", 0, 0, "")
            line = f"the line says {place.text}" if place.text else f"the line leaves {tunable.partition('.')[2]} out"
            # It names no tunable, so that it replaces no finding on the setting.
            words = f"{line}, but {_given(index, fact)}"
            findings += index.report(SAID_OTHERWISE, place, value=place.value, words=words)
    return findings


def _given(index: RuleIndex, fact: str) -> str:
    value = index.known[fact]
    words = word_list(map(str, value)) if isinstance(value, list) else str(value)
    place = f" ({index.given_at[fact]})" if fact in index.given_at else ""
    return f"{fact}={_YES_NO.get(words, words)} is given{place}"


def _by_settings(
    index: RuleIndex, settings: Mapping[str, Setting], implied: Mapping[str, Setting], fstype: str
) -> tuple[State, dict[str, list[Scalar]]]:
    """The facts that the line itself states (`setting` in rules/facts). What it leaves to negotiation stays open.

    Returns fact → mask, and setting → values if the written value stands for several."""
    masks: State = {}
    spread: dict[str, list[Scalar]] = {}
    for fact, setting in index.rules.setting_facts:
        stated = settings.get(setting.tunable) or implied.get(setting.tunable)
        value = None if stated is None else stated.value
        answer: Values | None
        if value is None:
            answer = setting.fstypes.get(fstype, setting.absent)
        else:
            answer = setting.map.get(str(value), value)
            narrowed = setting.narrowed_by
            if narrowed and str(value) == narrowed.only_for and narrowed.tunable in settings:
                answer = narrowed.map.get(str(settings[narrowed.tunable].value), answer)
        if answer is None:
            continue
        if value is not None and not values.same(answer, value):
            spread[setting.tunable] = answer if isinstance(answer, list) else [answer]
        mask = index.rules.mask(fact, answer)
        if mask is not None:
            masks[fact] = mask
    return masks, spread


def _by_default(index: RuleIndex, state: State, masks: Mapping[str, int], implied: Mapping[str, Setting]) -> None:
    """Narrow the state, for what the line leaves open, to the only value with which the mount works, if any."""
    for fact, setting in index.rules.setting_facts:
        tunable = setting.tunable
        if fact in masks or fact in state or tunable in implied or index.can_win("forced", tunable, state):
            continue
        outcomes = index.reach(tunable, state)
        if len({str(value) for value, _ in outcomes}) == 1:
            mask = index.rules.mask(fact, outcomes[0][0])
            if mask is not None:
                state[fact] = mask


def _is_recommended(index: RuleIndex, finding: Finding, settings: Mapping[str, Setting], state: State) -> bool:
    """Whether a finding is a note on a setting with the recommended value, which it would contradict."""
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
    wrong = {(f.field, f.column) for f in best.values() if f.severity != "note" and f.rule != PRESUMES and not f.policy}
    return [f for f in best.values() if f.rule != PRESUMES or (f.field, f.column) not in wrong]


def _fields(entry: MountEntry) -> dict[str, Setting]:
    fields = {"fstab.type": Setting(entry.fstype.value, "fstype", 0, len(entry.fstype.text), entry.fstype.text)}
    for name, number in zip(("freq", "passno"), entry.numbers):
        field: Field = getattr(entry, name)
        if field.parts:
            fields[f"fstab.{name}"] = Setting(number, name, 0, len(field.text), field.text)
    return fields


def _with_facts(index: RuleIndex, state: State, undecided: list[Undecided]) -> tuple[tuple[str, tuple[str, ...]], ...]:
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
        told = problem
        if CHECK_OF[problem.kind] == "option-too-new" and problem.tunable:
            from advisor.lint.lifetimes import too_new  # noqa: PLC0415  few lines need it

            told = problem._replace(message=too_new(index, problem.text, problem.tunable) or problem.message)
        # A problem that occurs several times is reported once, and fixed everywhere.
        alike.setdefault((told.kind, told.text, told.message), []).append(told)
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
