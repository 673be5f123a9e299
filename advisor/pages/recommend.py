"""The output of `advisor recommend` for one or several mounts: what to set, open settings, the next questions, figures,
and known bugs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from advisor.advice.answers_file import with_little_guidance
from advisor.advice.rows import (
    ACCESS,
    EXPORTS,
    MOUNT_OPTIONS,
    by_group,
    export_line,
    forbids_mount,
    has_mount,
    in_order,
    mount_line,
)
from advisor.advice.supposed import presumed_facts
from advisor.advice.verdict import access_reason, verdict, warning, with_refusals
from advisor.engine import operand, word_list
from advisor.named_tuple import grouped
from advisor.pages import wording
from advisor.pages.blocks import Block, Document, Paragraph, TextLike, code, text
from advisor.pages.failover import picture
from advisor.pages.host import Effects, effect_on, effect_text, effects_of, helping_first, shared_effects, state_table
from advisor.pages.phrases import counted, first_names, first_sentence, remaining_questions, with_unit
from advisor.pages.why import objections_to_pin, refusal
from advisor.pages.wording import label, open_values, outcome, setting_name, supposition_text
from advisor.rulebase.values import LINE_KINDS, is_bound, told_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.beside_fstab import ComparedSetting
    from advisor.advice.model import Advice, Bug, Estimate, FactQuestion, Row, Supposition
    from advisor.advice.several import Conflict, Several
    from advisor.rulebase.model import Platform, RuleBase

_MARK = {"same": "=", "differs": "!", "finding": "!", "open": "?", "no-opinion": " "}
_TELLS = ("differs", "finding")
_WRITTEN = ("sysctl", "module-parameter", "export-option")
"""Kinds that are named as they are written; of others the short form says what to do."""


def recommendation(base: RuleBase, advice: Advice, every: bool, facts: bool = True) -> list[Block]:
    """The page for one mount, in a screen or two; `every`: with all reasons, and settings that need no change; `facts`:
    with what is known."""
    page, advice = Document(), with_refusals(base, advice)
    if facts:
        _add_facts(page, base, advice.answers, every)
    add_verdict(page, base, [advice], told=[access_reason(row) for row in advice.advised if row.kind == ACCESS])
    seen = effects_of(base, advice.answers)
    page.section("Set, in effect, advised", state_table(in_order(advice.part("set"))))
    _add_groups(page, base, advice, advice.advised, seen, every=every)
    add_assumed(page, [advice], every)
    add_effects(page, advice)
    if every:
        _add_open(page, advice.rows, every)
    if advice.questions:
        first = advice.questions[0]
        page.heading(f"{_questions_heading(advice.questions)}: {first.ask} (--set {first.fact}=…)")
        if every:
            page.para(f"Bears on {first_names(first.decisions)}.")
    waiting, fine, left_out = advice.part("open"), advice.part("fine"), advice.part("leave out")
    numbers = ((waiting, "open"), (fine, "fine as is"), (left_out, "best left out"))
    rest = [f"{len(rows)} {what}" for rows, what in numbers if rows]
    rest = [f"Not listed: {', '.join(rest)}"] if rest else []
    hidden = sum(not _matters(bug) for bug in advice.bugs)
    rest += [counted(hidden, "known bug")] if hidden else []
    page.para(f"{'; '.join(rest)} (--all)" if rest and not every else None)
    if every:
        _add_estimates(page, advice.estimates)
    _add_bugs(page, advice.bugs, every)
    return page.blocks


def recommendation_for_several(base: RuleBase, several: Several, every: bool) -> list[Block]:
    """The page for several mounts: a line for each, the host's settings once, and conflicts. `every`: with settings
    that need no change."""
    page = Document()
    judged = [with_refusals(base, advice) for advice in several.mounts]
    _add_facts(page, base, several.answers, every)
    add_verdict(page, base, judged, several.conflicts)
    page.heading("Lines for /etc/fstab")
    for advice in judged:
        target = advice.answers.name("target")
        page.code((mount_line(advice) if has_mount(advice) else "") or f"# none for {target}", "fstab")
        known, host = advice.answers, several.answers.facts
        names = [f"{fact}={operand(known.facts[fact])} ({where})" for fact, where in known.origin.items()
                 if host.get(fact) != known.facts[fact]]
        page.para(f"found: {', '.join(names)}" if names else "")
        own = effects_of(base, known)
        for setting in advice.advised:
            if setting.kind == ACCESS and setting.recommends:
                page.para(f"{setting.steps.apply} {setting.why}")
            elif setting.kind in LINE_KINDS and effect_on(own, setting):
                page.para(code(setting_name(setting)), f": {effect_text(own, setting)}")
        for row in advice.rows:
            page.para(refusal(row.refused) if row.refused else None)
        page.para(warning(advice))
    differing = [advice.answers for advice in several.mounts if several.answers.facts != advice.answers.facts]
    add_missing_guidance(page, base, differing)
    seen = shared_effects(base, several)
    _add_groups(page, base, None, several.host, seen, every=every)
    _add_conflicts(page, several.conflicts)
    add_assumed(page, several.mounts, every)
    for advice in several.mounts:
        add_effects(page, advice)
    _add_open(page, several.rows, every)
    if several.questions:
        page.heading(_questions_heading([question.ask for question in several.questions]))
    for question in several.questions[:_QUESTIONS]:
        about = "" if base.facts[question.ask.fact].scope == "host" else f" for {', '.join(question.targets)}"
        page.item(f"{question.ask.ask}  ({question.ask.fact}{about})")
    _add_bugs(page, {bug.erratum: bug for advice in several.mounts for bug in advice.bugs}.values(), every)
    return page.blocks


def _add_groups(
    page: Document, base: RuleBase, advice: Advice | None, rows: Iterable[Row], seen: Effects, *, every: bool
) -> None:
    """Adds the rows under their titles, and the mount line below its options. `advice`: None for what several mounts
    share; `seen`: what was observed of settings."""
    aside: list[Row] = []
    silent: list[Row] = []
    for title, group in by_group(rows):
        mine = helping_first((row for row in group if every or _is_listed(row)), seen)
        if every:
            silent += [row for row in mine if _is_silent(row, seen)]
            mine = [row for row in mine if row not in silent]
        else:
            mine = [row for row in mine if not row.definition.places]  # the files to write say where
            aside += [  # listed without the reason
                row for row in mine if row.strength == "may" and row.kind not in LINE_KINDS
                and not (row.pinned or row.mounts or row.refused or effect_text(seen, row))
            ]
            mine = [row for row in mine if row not in aside]
        if mine:
            page.heading(title if advice else f"{title}, for all mounts")
        if mine and advice and mine[0].kind == ACCESS:
            _add_access(page, base, advice, mine)
        elif mine:
            _add_settings(page, base, advice, mine, seen, every=every)
        if mine and advice and mine[0].kind == "cluster":
            page.code("\n".join(picture(advice)))
        if advice and title == MOUNT_OPTIONS and has_mount(advice):
            page.code(mount_line(advice), "fstab")
            page.para(warning(advice))
            page.para(None if every else untouched(advice.rows))
        if mine and advice and title == EXPORTS and export_line(advice):
            page.code(export_line(advice))
    if aside:
        listed = [
            setting_name(row) if wording.section_text(row) or row.kind in _WRITTEN else first_sentence(row.steps.apply)
            for row in aside
        ]
        sentence = "; ".join(words.rstrip(".") for words in listed)
        page.heading(f"Also, for speed and upkeep (--all says why): {sentence}.")
    if silent:
        named = [told_name(row.definition) for row in silent if row.kind in (*LINE_KINDS, "sysctl")]
        page.heading("Nothing to change here (advisor why NAME says why)")
        page.para(f"{', '.join(named)}; {counted(len(silent) - len(named), 'other setting')}.")


def _is_listed(row: Row) -> bool:
    """Whether the short form lists the row. It lists what has to be written and is not in the mount line, limits that
    the usual sizes already respect, and, outside the mount line, what must be left as it is."""
    if row.kind == "fstab-field" and row.strength == "may":
        return False
    bound = row.definition.familiar is not None and row.strength != "may" and is_bound(row.value)
    kept = row.strength == "must" and row.kind not in LINE_KINDS
    return row.part == "set" or (row.part == "fine" and (bound or kept))


def untouched(options: Iterable[Row]) -> str | None:
    """A sentence on the options that guides often write and the mount line does not have."""
    rest = [row for row in options if row.definition.familiar and row.part != "open" and not _is_listed(row)]
    needless = [row for row in rest if row.value == "omit" or row.definition.default is False]
    left_out = sorted(told_name(row.definition) for row in needless)
    kept = sorted(row.definition.familiar or "" for row in rest if row not in needless and row.value != "n/a")
    named = (("At the default", kept), ("left out", left_out))
    parts = [f"{words}: {', '.join(names)}" for words, names in named if names]
    return f"{'; '.join(parts)} (advisor why NAME)." if parts else None


def _is_silent(row: Row, seen: Effects) -> bool:
    """Whether there is nothing to do with a setting here, and nothing else is known of it."""
    known = row.pinned or row.possible or row.mounts or row.refused or effect_text(seen, row)
    return not known and row.part in ("", "fine" if row.definition.places else "")


def comparison(rows: Iterable[ComparedSetting]) -> list[Block]:
    """The current and the recommended settings: a list for each line of the file, with a mark before each setting."""
    page = Document()
    lines = list(rows)
    if not lines:
        page.heading("There is no NFS line to compare with.")
        return page.blocks
    for place in dict.fromkeys((row.file, row.line, row.target) for row in lines):
        page.heading(f"{place[0]}:{place[1]}  {place[2]}")
        for row in (row for row in lines if (row.file, row.line, row.target) == place):
            advised = row.advised if row.verdict not in ("same", "finding") else ""
            head = text(row.today, "  " if row.today else "", advised and text(f"→ {advised}"))
            why = [row.why] if row.verdict in _TELLS else []
            why += [row.advised] if row.verdict == "finding" else []
            page.item(head, *(Paragraph(text(words)) for words in why if words), mark=_MARK[row.verdict])
    page.heading("=  as recommended    !  to be changed, or looked at    ?  open")
    return page.blocks


def add_missing_guidance(page: Document, base: RuleBase, each: Iterable[Answers]) -> None:
    """Adds the platforms for which little or no vendor guidance was found. `each`: the answers for each mount."""
    for platform in with_little_guidance(base, [answers.facts for answers in each]):
        page.para(guidance_text(platform))


def guidance_text(platform: Platform) -> str:
    note = platform.note or ""
    if platform.guidance == "none-found":
        return f"No vendor guidance was found for {platform.title}; general advice applies. {note}".rstrip()
    return f"{platform.title}: {note} General advice fills the rest."


def _add_facts(page: Document, base: RuleBase, answers: Answers, every: bool) -> None:
    """Adds the known facts and their origins, in a sentence or one below the other."""
    if not answers.facts:
        page.heading("Nothing is known yet. Give facts with --set FACT=VALUE, --answers FILE or --from-host.")
        return
    origin = answers.origin
    facts = [(name, f"{operand(value)}{f'  ({origin[name]})' if name in origin else ''}")
             for name, value in answers.facts.items()]
    if every or origin:
        page.heading("For")
        page.pairs(facts)
    else:
        page.heading(f"For {', '.join(f'{name}={value}' for name, value in facts)}")
    add_missing_guidance(page, base, [answers])


def add_verdict(
    page: Document, base: RuleBase, judged: Sequence[Advice], conflicts: Iterable[Conflict] = (),
    told: Collection[str] = (),
) -> None:
    """Adds whether what is advised can be installed, and what stands against it. `told`: reasons that follow anyway."""
    found = verdict(base, judged, conflicts)
    page.heading(found.title, weight="" if found.state == "ready" else "must")
    reasons = [reason for reason in found.reasons if reason not in told]
    for reason in reasons[:_REASONS]:
        page.item(reason)
    if len(reasons) > _REASONS:
        page.item(f"{len(reasons) - _REASONS} more; --output-format json has all of them")


def _add_access(page: Document, base: RuleBase, advice: Advice, settings: Iterable[Row]) -> None:
    """Adds why Linux should not mount this over NFS, and what to do instead."""
    for setting in settings:
        page.para(" ".join((setting.steps.apply, *objections_to_pin(base, advice, setting))))
        page.para(" ".join((setting.why, *_assumption_notes([*setting.rests_on, *setting.presumes]))))
        if forbids_mount(setting):
            page.para("No mount line is given.")


def _add_settings(
    page: Document, base: RuleBase, advice: Advice | None, settings: Sequence[Row], seen: Effects, *, every: bool = True
) -> None:
    """Adds a row for each setting: what to write, its strength, and why; unless `every`, in one sentence. `advice`: to
    find the cost of pinned values."""
    assumes, presumes = (
        _common([setting.rests_on for setting in settings]), _common([setting.presumes for setting in settings]),
    ) if every else ([], [])
    rows: list[tuple[TextLike, TextLike, TextLike]] = []
    for setting in settings:
        against = objections_to_pin(base, advice, setting) if advice else []
        rest = _assumption_notes(
            [*_without(setting.rests_on, assumes), *_without(setting.presumes, presumes)]
        ) if every else []
        wanting = f"(For {', '.join(setting.mounts)}.)" if setting.mounts else ""
        mind = setting.definition.mind if setting.part == "set" else None
        why = f"{setting.why if every else first_sentence(setting.why)} {mind or ''}".rstrip()
        parts = (why, *against, *rest, f"{wanting} {effect_text(seen, setting)}".strip())
        why = " ".join(parts).strip()
        rows.append((code(setting_name(setting)), "given" if setting.pinned else setting.strength or "", why))
    page.table((), rows)
    page.para(" ".join(_assumption_notes([*assumes, *presumes], "All of this ")))


def _common(each: Sequence[Sequence[Supposition]]) -> list[Supposition]:
    """The suppositions that all of several settings share."""
    return [
        supposition for supposition in each[0] if all(supposition in other for other in each)
    ] if len(each) > 1 else []


def _without(suppositions: Iterable[Supposition], shared: Collection[Supposition]) -> list[Supposition]:
    return [supposition for supposition in suppositions if supposition not in shared]


def _assumption_notes(taken: Sequence[Supposition], before: str = "") -> list[str]:
    """A sentence in parentheses on what settings assume, if that is more than "none of the rest". `before`: its
    subject."""
    telling = [one for one in taken if not wording.is_many(one.value)]
    sentence = f"{before}assumes {', '.join(map(supposition_text, telling))}."
    return [f"({sentence[0].upper()}{sentence[1:]})"] if telling else []


def add_assumed(page: Document, each: Sequence[Advice], every: bool) -> None:
    """Adds the assumed facts, what rests on each, and how to override them."""
    settings = in_order(setting for advice in each for setting in advice.assumed)  # what a must rests on comes first
    usual = {supposition.fact: supposition for setting in settings for supposition in setting.rests_on}.values()
    if not every:
        taken = [supposition_text(supposition) for supposition in usual][:_TAKEN]
        taken += [f"{len(usual) - _TAKEN} more"] if len(usual) > _TAKEN else []
        taken += ["what is usual (--all)"]  # to tell what of it matters takes a fifth of all time
        page.heading(f"Assumes {word_list(taken, 'and')}; --set FACT=VALUE overrides this.")
        return
    presumed = tuple(taken for taken in presumed_facts(each) if taken.fact not in {one.fact for one in usual})
    rows = in_order({row.tunable: row for advice in each for row in advice.rows}.values())
    for suppositions, of in ((tuple(usual), ""), (presumed, " of most hosts")):
        if suppositions:
            page.heading(f"Assumed{of}; say otherwise with --set FACT=VALUE")
            page.pairs((supposition_text(supposition), f"{supposition.why} {decides and f'It {decides}.'}".rstrip())
                       for supposition in suppositions for decides in (wording.at_stake(rows, supposition.fact),))


def add_effects(page: Document, advice: Advice) -> None:
    words = (f"{effect.tunable}: {effect.after} instead of {effect.before}" for effect in advice.effects)
    page.listed("What your pinned values change elsewhere", words)


def _add_conflicts(page: Document, conflicts: Iterable[Conflict]) -> None:
    """Adds settings of the host for which mounts need different values."""
    for conflict in conflicts:
        page.heading(conflict.says)
        alike = grouped(((side.tunable, str(side.value), side.rule), side) for side in conflict.sides)
        for side, *others in alike.values():
            rule = f" ({', '.join(word for word in (side.strength, side.rule) if word)})"
            targets_text = ", ".join(sorted({one.target for one in (side, *others)}))
            page.item(f"{side.tunable}: {outcome(side.value)} for {targets_text}{rule}: {side.why}")
        page.para(f"Choose one with --pin {conflict.tunable}=VALUE.")


def _add_estimates(page: Document, estimates: Sequence[Estimate]) -> None:
    known = [(estimate, estimate.value) for estimate in estimates if estimate.value is not None]
    missing = sorted({fact for estimate in estimates if estimate.value is None for fact in estimate.missing})
    if known:
        page.heading("Estimates")
    for estimate, value in known:
        filled = "" if estimate.filled == str(value) else f" = {estimate.filled}"
        page.item(f"{estimate.title}: {with_unit(value, estimate.unit)}{filled}", Paragraph(text(estimate.why)))
    taken = {supposition_text(taken): None for estimate, _ in known for taken in estimate.rests_on}
    if taken:
        page.para(f"They assume {', '.join(taken)}; --set overrides this.")
    if missing:
        page.para(f"More can be computed from {', '.join(missing)}.")


def _add_bugs(page: Document, bugs: Iterable[Bug], every: bool) -> None:
    """Adds the known bugs; unless `every`, only those that certainly matter."""
    for place, bug in enumerate(bug for bug in bugs if every or _matters(bug)):
        if not place:
            page.heading("Known bugs")
        says = (bug.fault.symptom, bug.fault.workaround) if bug.fault.strength != "may" else ()
        below = (Paragraph(text(words)) for words in says if words)
        page.item(f"{bug.fault.title} ({bug.erratum}): {wording.affected_text(bug)}", *below)


_REASONS = 6
"""How many reasons of a verdict are listed."""


def _matters(bug: Bug) -> bool:
    return bug.certain and bug.fault.strength != "may"


_TAKEN = 3
"""How many harmless assumptions are named."""
_OPEN = 3
"""How many open settings are listed; the next question tells more than a longer list."""
_QUESTIONS = 3
"""How many questions are listed if there are several mounts: the first may be about one of them only."""


def _add_open(page: Document, open_: Iterable[Row], every: bool) -> None:
    """Adds the open settings, the most important first."""
    rows = list(open_)
    left = [label(row.definition) for row in in_order(rows) if row.otherwise and row.strength in ("must", "should")]
    page.para(f"Left at the default until more is known: {', '.join(left)}. (advisor why NAME)" if left else None)
    settings = in_order(row for row in rows if row.possible and (every or row.part == "open"))
    if settings:
        page.heading(f"Open: {counted(len(settings), 'setting')}, the most important first")
    for setting in settings if every else settings[:_OPEN]:
        asks = f" (depends on {', '.join(setting.asks)})" if setting.asks and every else ""
        page.item(f"{setting.tunable}: {open_values(setting)}{asks}")
    if len(settings) > _OPEN and not every:
        page.item(f"{len(settings) - _OPEN} more (--all shows them)")


def _questions_heading(questions: Sequence[FactQuestion]) -> str:
    """How many questions still matter, as the heading of the first."""
    matter = sum(question.matters for question in questions)
    summary = remaining_questions(matter, len(questions) - matter)
    return f"{summary}. First" if matter else f"{summary}. For example"
