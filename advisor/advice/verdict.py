"""The verdict on a recommendation: whether it is ready to install, what is still open, and what will fail. Pages, JSON,
written files and the wizard all take it from here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.advice.model import Advice, RefusedPin, Row
from advisor.advice.rows import ACCESS, blocked_settings, forbids_mount, fstab_line, has_mount, in_hand, in_order
from advisor.engine import holds, possible, word_list
from advisor.lint.finding import Finding
from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.model import RuleBase, Values
from advisor.rulebase.values import LINE_KINDS, absence_supports, describe, told_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from advisor.advice.several import Conflict

_GRAVE = ("data-loss", "security", "boot", "mount-fails")
"""Consequences without which nothing is held up, unless the line lacks what it must have."""

_VALUES = 90
"""Characters of the possible values that a reason lists; more are left to `advisor why`."""
_FEW = 2
"""Settings that wait for one answer and are still told one by one."""
_EMPTY = "No rule sets anything here: a server of this platform is set up with its own tools."


class _Waiting(NamedTuple):
    """What must be settled first. `harm`: the place of the worst among CONSEQUENCES."""

    harm: int
    settings: tuple[str, ...]
    says: str


class AdviceVerdict(NamedTuple):
    """`open`: how many settings that must be made depend on what is not known, or on what has to be done first.
    `reasons`: a sentence for each, or one for all that wait for one answer, for all that makes it fail, for what should
    rather not be on NFS, and for known bugs; the worst first. `unnamed`: names without which nothing is installed; the
    default mount point will do. `empty`: there is nothing to install. `amiss`: no answer settles what is open."""

    state: Literal["ready", "open", "will-fail"] = "ready"
    open: int = 0
    reasons: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    empty: bool = False
    amiss: bool = False

    @property
    def title(self) -> str:
        """The verdict in a few words."""
        things, verb, has = ("1 thing", "is", "has") if self.open == 1 else (f"{self.open} things", "are", "have")
        what = f"{things} {has} to be put right first" if self.amiss else f"{things} that must be right {verb} open"
        ready = "Ready, but names are missing." if self.unnamed else "Nothing to set." if self.empty else "Ready."
        return {"ready": ready, "open": f"NOT READY: {what}.", "will-fail": "This will fail."}[self.state]

    @property
    def badge(self) -> str:
        """The verdict in a word, the same before and after the last question. READY: whatever must be right is."""
        ready = "NOTHING TO SET" if self.empty else "READY"
        return {"ready": ready, "open": "OPEN", "will-fail": "WILL FAIL"}[self.state]

    @property
    def beside(self) -> str:
        """What stands beside the badge: "2 musts", "names missing, 1 warning"; "" for what is plainly ready."""
        if self.state != "ready":
            return f"{self.open} must{'s' * (self.open != 1)}" if self.state == "open" else ""
        number = len(self.reasons)
        warned = f"{number} warning{'s' * (number != 1)}" if number and not self.empty else ""
        return ", ".join(filter(None, ("names missing" * bool(self.unnamed), warned)))


def verdict(
    base: RuleBase, advices: Sequence[Advice], conflicts: Iterable[Conflict] = (), *, options: bool = True
) -> AdviceVerdict:
    """The verdict on the advice for all mounts of a host, which `with_refusals` has judged. `options`: its reasons name
    the facts that options of the command line give; else the questions alone."""
    failing: dict[str, None] = {}
    noted: dict[str, None] = {}
    conflicts = [*conflicts]
    waiting = [
        _Waiting(_harm_of(base, one), (one.tunable,), f"{one.says}.") for one in conflicts if not one.used
    ]
    noted |= {f"{conflict.says}.": None for conflict in conflicts if conflict.used}
    for advice in advices:
        for row in advice.rows:
            if row.refused:
                failing[f"{row.refused.problem}. {row.refused.why}".strip()] = None
            elif row.kind == ACCESS and row.recommends and not row.pinned and row.strength != "may":
                fails = forbids_mount(row) and row.consequence != "ignored"  # another system's own client does not fail
                (failing if fails else noted)[access_reason(row)] = None
        told = {row.tunable for row in advice.rows if row.refused} | {one.tunable for one in conflicts}
        for finding in (one for one in advice.objections if one.tunable not in told):
            if finding.severity != "error" and _holds_up(finding):
                about = (finding.tunable or finding.rule,)
                waiting.append(_Waiting(CONSEQUENCES.index(finding.consequence), about, _objection(finding)))
            else:
                (failing if finding.severity == "error" else noted)[_objection(finding)] = None
        waiting += _open_reasons(base, advice, options)
        faults = [bug.fault for bug in advice.bugs if bug.certain and bug.fault.strength != "may"]
        noted |= {f"{fault.title}: {fault.symptom} {fault.workaround or ''}".rstrip(): None for fault in faults}
    state: Literal["ready", "open", "will-fail"] = "will-fail" if failing else "open" if waiting else "ready"
    empty = not any(has_mount(advice) or advice.part("set", "open") for advice in advices)
    names = [] if empty else unnamed(advice for advice in advices if _exports(advice) or has_mount(advice))
    read = {_read_as_server(base, advice.answers.facts, options): None for advice in advices if advice.server}
    if empty:
        noted[_EMPTY] = None
    waiting.sort(key=lambda one: one.harm)
    reasons = dict.fromkeys(filter(None, (*failing, *read, *(one.says for one in waiting), *noted)))
    names = [name for name in names if name != "target"]
    amiss = bool(waiting) and not any(asks_for(base, advice, row) for advice in advices for row in wanting(advice))
    number = len({name for one in waiting for name in one.settings})
    return AdviceVerdict(state, number, (*reasons,), tuple(names), empty, amiss)


def access_reason(row: Row) -> str:
    """What comes before the mount, and why."""
    return f"{row.steps.apply} {row.why}".strip()


def _read_as_server(base: RuleBase, facts: Mapping[str, Values], options: bool) -> str:
    """Which answer makes this advice for the server; "" if that was said."""
    if "host.role" in facts:
        return ""
    engine = base.engine
    only = (fact for fact in facts if engine.answer(
        "host.role", possible(engine, "host.role", engine.certain({fact: facts[fact]}))) == "nfs-server")
    because = next((f", since only servers have {fact}" for fact in only), "")
    return f"This is for the server{because}{'; for a client: --set host.role=nfs-client' * options}."


def _exports(advice: Advice) -> bool:
    """Whether it has a line of exports: an appliance's own tools are told otherwise whom it serves."""
    return any(row.kind == "export-option" and row.written is not None for row in advice.advised)


def names_of(advice: Advice) -> tuple[str, ...]:
    """The names that its files have."""
    return ("export", "clients") if advice.server else ("server", "export", "target")


def unnamed(advices: Iterable[Advice]) -> list[str]:
    """The names for which the files have a placeholder."""
    return [*dict.fromkeys(
        name for advice in advices for name in names_of(advice) if not advice.answers.names.get(name)
    )]


def naming(names: Sequence[str]) -> str:
    """What to give, so that nothing is installed with the name of a server, an export or clients that are not there;
    "" if only the mount point is missing, whose default will do."""
    words = word_list((f"--{name}" for name in names), "and")
    return f"give {words}, for which the files have placeholders" if {*names} - {"target"} else ""


def wanting(advice: Advice) -> list[Row]:
    """What must be right and is not yet: open settings of which a must may ask for more than the default, and what has
    to be done by hand so that nobody else reads or changes the data; the worst harm first."""
    missing = {row.tunable for row in missing_options(advice)}
    rows = (row for row in advice.rows if row.part == "open" or _by_hand(row))
    rows = (row for row in rows if not row.possible or _harm(row) in _GRAVE or row.tunable in missing)
    return sorted(in_order(rows), key=_badness)


def unsettled(advice: Advice) -> list[Row]:
    """The open settings that must or should be made to avoid a harm and that hold nothing up, the worst first."""
    wanted = wanting(advice)
    return [row for row in in_order(advice.open) if row.strength in ("must", "should") and row.consequence
            and row.kind != ACCESS and row not in wanted]


def _harm(row: Row) -> str:
    """The consequence of an open setting's worst must that the default does not satisfy; "" without one."""
    if not row.possible:
        return row.consequence or ""
    return min((
        maybe.consequence for maybe in row.possible
        if maybe.strength == "must" and absence_supports(maybe.value, row.definition.default) is not True
    ), key=CONSEQUENCES.index, default=None) or ""


def _by_hand(row: Row) -> bool:
    """Whether security needs what no file has."""
    return row.part == "set" and row.kind == "identity" and (row.strength, row.consequence) == ("must", "security")


def _holds_up(finding: Finding) -> bool:
    """Whether nothing should be installed before this is settled: a grave harm, or a value that is wrong in every case
    that is still possible."""
    wrong = bool(finding.depends_on and not finding.fix)
    return finding.severity != "note" and (finding.consequence in _GRAVE or wrong)


def _objection(finding: Finding) -> str:
    return f"{finding.message}. {finding.why} {finding.remedy}".rstrip()


def _open_reasons(base: RuleBase, advice: Advice, options: bool) -> list[_Waiting]:
    """What must be right and is not yet; one sentence for many that wait for one answer."""
    rows = wanting(advice)
    waiting = grouped((row.asks[0], row) for row in rows if row.possible and row.asks)
    many = {fact: group for fact, group in waiting.items() if len(group) > _FEW}
    reasons = []
    for fact, group in many.items():
        named = [told_name(row.definition) for row in group if row.kind in LINE_KINDS]
        others = len(group) - len(named)
        named += [f"{others} more" if named else f"{others} settings"] if others else []
        asks = f"{base.facts[fact].ask or fact}{f' ({fact})' * options}"
        says = f"{asks} Until this is answered, {word_list(named, 'and')} stay open."
        reasons.append(_Waiting(min(map(_badness, group)), (*(row.tunable for row in group),), says))
    return [*reasons, *(
        _Waiting(_badness(row), (row.tunable,), _reason(base, advice, row, options)) for row in rows
        if not (row.possible and row.asks and row.asks[0] in many)
    )]


def _harm_of(base: RuleBase, conflict: Conflict) -> int:
    """The place among CONSEQUENCES of the worst harm that a mount's own value avoids."""
    rules = (base.decisions[side.tunable].rules.get(side.rule or "") for side in conflict.sides)
    return min((CONSEQUENCES.index(rule.consequence) for rule in rules if rule), default=0)


def _badness(row: Row) -> int:
    """The place of its harm among CONSEQUENCES; of an option that the line lacks, whatever that is, the mount fails."""
    return CONSEQUENCES.index(_harm(row) or "mount-fails")


def asks_for(base: RuleBase, advice: Advice, row: Row) -> tuple[str, ...]:
    """The facts that would settle an open setting, those answered with "I don't know" if nothing else would."""
    return row.asks or (*blocked_settings(base, advice, [row]),) if row.possible else ()


def _reason(base: RuleBase, advice: Advice, row: Row, options: bool) -> str:
    if not row.possible:
        return f"{(row.steps.apply or str(row.value)).removesuffix('.')}. {row.why}"
    facts = asks_for(base, advice, row)
    asks = " ".join(f"{base.facts[fact].ask or fact}{f' ({fact})' * options}" for fact in facts[:2])
    otherwise = f"No question settles it{f': advisor why {row.tunable}' if options else '.'}"
    depends = f"It depends on: {asks}" if asks else otherwise
    values, cases = in_hand(row)
    one = len({str(maybe.value) for maybe in cases}) < 2
    unless = ", unless an answer rules it out" if one and len(cases) < len(row.possible) else ""
    # of one value among others, or of a product that nobody named, it would read as if that were settled
    why = f" {cases[0].why if cases else row.why}" if one and "storage.platform" not in facts else ""
    told = f": {values}{unless}" if len(values) <= _VALUES else ""
    return f"{told_name(row.definition)} is open{told}.{why} {depends}"


def warning(advice: Advice) -> str:
    """What stands beside a line that is not ready; "" for one that is."""
    refused = [row for row in advice.rows if row.refused and row.kind in LINE_KINDS]
    if refused:
        return f"NOT READY: {refused[0].refused.problem if refused[0].refused else ''}."
    against = [one.message for one in advice.objections if one.severity == "error" or _holds_up(one)]
    if against:
        return f"NOT READY: {against[0]}."
    missing = [f"{row.definition.title} ({row.tunable})" for row in missing_options(advice)]
    if missing:
        return f"NOT READY: first decide {word_list(missing, 'and')}."
    mine = [row for row in wanting(advice) if row.kind in (*LINE_KINDS, "identity")]
    harms = word_list(dict.fromkeys(_harm(row).replace("-", " ") for row in mine), "and")
    names = word_list((told_name(row.definition) for row in mine), "and")
    return f"NOT READY: {names} must be settled first ({harms})." if mine else ""


def missing_options(advice: Advice) -> list[Row]:
    """The open options and fields without which the line is incomplete, because no possible value may be left out."""
    return [
        row for row in advice.open
        if (row.kind == "export-option" or (row.kind in LINE_KINDS and row.strength == "must"))
        and not any(absence_supports(maybe.value, row.definition.default) for maybe in row.possible)
    ]


def missing_export_options(advice: Advice) -> list[Row]:
    """The open export options that may have to be written. Leaving one out has a meaning too (an export without rw is
    read-only), so no export is written before these are settled."""
    missing = missing_options(advice)
    return [
        row for row in advice.open
        if row.kind == "export-option" and (row in missing or any(
            maybe.strength == "must" and not absence_supports(maybe.value, row.definition.default)
            for maybe in row.possible
        ))
    ]


def _refusals(base: RuleBase, advice: Advice) -> dict[str, RefusedPin]:
    """Setting → the objection to its pinned value: a rule of strength "must", or an error of the linter. Facts that are
    settings, such as mount.vers, count as pinned."""
    pinned = {recommendation.tunable: recommendation for recommendation in advice.advised if recommendation.pinned}
    refused: dict[str, RefusedPin] = {}
    if not pinned:
        return refused
    from advisor.advice.arguments import is_forbidden, pin_costs  # noqa: PLC0415  few pin anything

    for recommendation in pinned.values():
        if is_forbidden(base, advice, recommendation):
            prices = pin_costs(base, advice, recommendation)
            wanted = word_list(describe(recommendation.definition, cost.value) for cost in prices)
            value = recommendation.text or describe(recommendation.definition, recommendation.value)
            after = {cost.consequence or "" for cost in prices}
            refused[recommendation.tunable] = RefusedPin(
                recommendation.tunable, f"{value} breaks a rule that must be kept ({wanted})",
                after.pop() if len(after) == 1 else "", " Or: ".join(cost.why for cost in prices),
                tuple(cite.claim for cost in prices for cite in cost.cites),
            )
    for finding in advice.objections:
        tunable = finding.tunable or ""
        if finding.severity == "error" and tunable in pinned and tunable not in refused:
            refused[tunable] = _refused_by(finding)
    return refused


def _refused_by(finding: Finding) -> RefusedPin:
    why = f"{finding.why} {finding.remedy}"
    return RefusedPin(finding.tunable or "", finding.message, finding.consequence, why, tuple(finding.cites))


def said_against(advice: Advice, row: Row) -> RefusedPin | None:
    """Why a value that was fixed is refused, or what the linter finds in it above a note."""
    found = (_refused_by(finding) for finding in advice.objections if finding.tunable == row.tunable)
    return row.refused or next(found, None)


def objections(base: RuleBase, line: str, facts: Mapping[str, Values]) -> list[Finding]:
    """The findings in a line of fstab with these facts, except those of house policy."""
    from advisor.lint.run import lint_text  # noqa: PLC0415  most advice needs no linter

    return [finding for finding in lint_text(line, "fstab", base, facts).findings if not finding.policy]


def _may_object(base: RuleBase, advice: Advice) -> bool:
    """Whether the linter may find something to say of the mount line: of a pinned value, of a server that was named, or
    by a check of what is written there, in environments like this one."""
    if any(row.pinned for row in advice.rows):
        return True
    written, unsettled = {row.tunable for row in advice.rows if row.text}, {row.tunable for row in advice.open}
    checks = (
        base.checks[outline.check] for outline in base.ready(RuleBase.outlines, frozenset(LINE_KINDS))
        if outline.looks_at == "on"
        and all(name in written or base.tunables[name].kind == "fstab-field" for name in outline.needed)
    )
    named = "server" in advice.answers.names
    return any(
        not check.on.keys() & unsettled and ((named and any(_is_named(base, name) for name in check.on)) or (
            check.strength != "may" and check.when and holds(base.engine, f"check:{check.check}", advice.state)
        )) for check in checks if check.on
    )


def _is_named(base: RuleBase, tunable: str) -> bool:
    """Whether people name it themselves, such as the server: of that, notes are told too."""
    return tunable in base.tunables and base.tunables[tunable].kind == "fstab-field" and tunable not in base.decisions


def with_refusals(base: RuleBase, advice: Advice) -> Advice:
    """The advice with what is to be said against it: `objections`, and `refused` in its rows."""
    if has_mount(advice) and _may_object(base, advice):
        told = {*(bug.erratum for bug in advice.bugs), *(row.tunable for row in advice.open)}
        against = objections(base, fstab_line(advice), advice.answers.facts)
        advice = advice._replace(objections=tuple(
            finding for finding in against if (finding.severity != "note" or _is_named(base, finding.tunable or ""))
            and not told & {finding.rule, finding.tunable}
        ))
    refused = _refusals(base, advice)
    rows = (row._replace(refused=refused.get(row.tunable)) for row in advice.rows) if refused else advice.rows
    return advice._replace(rows=tuple(rows))
