"""What `advisor recommend` prints: what to set, grouped; what is open; the next question; figures; known bugs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from advisor.advice.groups import ACCESS, GROUPS
from advisor.advice.impact import in_order, warns
from advisor.advice.line import bars, to_set
from advisor.advice.named import thin
from advisor.advice.usual import granted
from advisor.render.argument import price, shown
from advisor.render.conditions import either, operand
from advisor.render.escape import visible
from advisor.render.explain import Page
from advisor.render.plain import counted, let_be, remaining, with_unit

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.model import Advice, Ask, Bug, Cost, Estimate, Open, Recommendation

_OPEN = 12
"""How many open settings are listed; the next question says more than a longer list."""


def summary(
    page: Page, advice: Advice, line: tuple[str, list[str]], every: bool,
    costs: Callable[[Recommendation], Iterable[Cost]],
) -> None:
    """`line`: the fstab line, and what it still has to get; `every`: also what needs no change; `costs`: what a held
    value gives up."""
    facts(page, advice.answers)
    for title, kinds in GROUPS:
        group = in_order(one for one in advice.advised if one.kind in kinds)
        mine = group if every else [one for one in group if to_set(one, advice)]
        if mine:
            page.heading(title)
            (_access if kinds == (ACCESS,) else rows)(page, mine, costs)
        if kinds[0] == "mount-option" and line[0]:
            page.lines += ["", f"  {visible(line[0])}"]
            if line[1]:
                page.para(f"Not complete: {', '.join(line[1])} must be written and is still open.")
    assumed(page, advice.assumed)
    taken_for_granted(page, [advice])
    if every:
        _left_out(page, advice)
    else:
        _fine(page, advice)
    effects(page, advice)
    unsettled(page, advice.open, every)
    _next(page, advice.questions)
    estimates(page, advice.estimates)
    bugs(page, advice.bugs)


def _access(page: Page, told: Iterable[Recommendation], costs: Callable[[Recommendation], Iterable[Cost]]) -> None:
    """Why NFS, mounted by Linux, is not the answer, and what is."""
    for one in told:
        page.para(" ".join((one.steps.apply, *(price(cost) for cost in costs(one)))), 2)
        page.para(" ".join((one.why, *_resting(one))), 2)
        if bars(one):
            page.para("So there is no mount line, and nothing else to set on a Linux host.", 2)


def _left_out(page: Page, advice: Advice) -> None:
    mine = in_order(one for one in advice.advised if warns(one))
    if mine:
        page.heading("Leave out")
        rows(page, mine)


def _fine(page: Page, advice: Advice) -> None:
    """What is to be left alone, in one paragraph."""
    left_out = [_short(one) for one in in_order(one for one in advice.advised if warns(one))]
    fine = sum(not to_set(one, advice) and not warns(one) for one in advice.advised)
    if fine or left_out:
        page.heading(f"{let_be(fine, left_out)}. (--all explains them)")


def assumed(page: Page, told: Iterable[Recommendation]) -> None:
    """What was taken for granted, and how to say otherwise."""
    taken = {one.fact: one for setting in told for one in setting.rests_on}
    if taken:
        page.heading("Assumed, and harmless if wrong; say otherwise with --set FACT=VALUE")
        page.pairs([(f"{fact}={operand(one.value)}", one.why) for fact, one in taken.items()])


def taken_for_granted(page: Page, each: Iterable[Advice]) -> None:
    """What is presumed of the hosts and the mount."""
    taken = granted(page.base, each)
    if taken:
        said = ", ".join(f"{one.fact}={operand(one.value)}" for one in taken)
        page.heading(f"Taken for granted: {said}")


def facts(page: Page, answers: Answers) -> None:
    """What is known, and where it is from."""
    if not answers.facts:
        page.heading("Nothing is known yet. Give facts with --set FACT=VALUE, --answers FILE or --from-host.")
        return
    page.heading("For")
    origin = answers.origin
    page.pairs([
        (name, _said(value) + (f"  ({origin[name]})" if name in origin else ""))
        for name, value in answers.facts.items()
    ])
    no_guidance(page, [answers])


def no_guidance(page: Page, each: Iterable[Answers]) -> None:
    """Says where little or nothing that a vendor published was found for a platform. `each`: answers for one mount."""
    for told in thin(page.base, [answers.facts for answers in each]):
        note = told.note or ""
        if told.guidance == "none-found":
            page.para(f"No vendor guidance was found for {told.title}; general advice applies. {note}".rstrip())
        else:
            page.para(f"{told.title}: {note} General advice fills the rest.")


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


def rows(
    page: Page, settled: Iterable[Recommendation], costs: Callable[[Recommendation], Iterable[Cost]] = lambda _: (),
    also: Callable[[Recommendation], str] = lambda _: "",
) -> None:
    """One setting a row: what to write, how strongly, and why. `also`: what more there is to say of one."""
    told = []
    for one in settled:
        why = " ".join((one.why, *(price(cost) for cost in costs(one)), *_resting(one), also(one))).strip()
        told.append((_short(one), "given" if one.pinned else one.strength or "", why))
    wide = min(max(len(text) for text, _, _ in told), page.columns // 2 - 8)
    for text, strength, why in told:
        if len(text) > wide:
            page.para(text, 2)
        head = text if len(text) <= wide else ""
        page.para(why, 2, f"{head:<{wide}}  {strength:<6}  ")


def _resting(one: Recommendation) -> list[str]:
    """On which assumptions a setting rests."""
    taken = [f"{usual.fact}={operand(usual.value)}" for usual in one.rests_on]
    return [f"(Assumes {', '.join(taken)}.)"] if taken else []


def _short(one: Recommendation) -> str:
    if one.value == "omit":
        name = one.told.forms[0].spelling if one.told.forms else one.tunable
        return str(name).removeprefix("sysctl.")
    if one.kind in ("mount-option", "sysctl", "module-parameter") and one.text:
        return str(one.text)
    if one.kind == "nfs.conf" and one.text:
        return f"[{one.tunable.split('.')[2]}] {one.text}"
    name = one.tunable.partition(".")[2]
    return f"{name}: {shown(one)}"


def effects(page: Page, advice: Advice) -> None:
    if advice.effects:
        page.heading("What the values that you hold change elsewhere")
    for one in advice.effects:
        page.para(f"{one.tunable}: {one.after} instead of {one.before}", 2, "- ")


def unsettled(page: Page, open_: Iterable[Open], every: bool) -> None:
    """What is open, the weightiest first."""
    told = in_order(one for one in open_ if every or one.strength is not None)
    if told:
        page.heading(f"Open: {counted(len(told), 'setting')}")
    for one in told if every else told[:_OPEN]:
        values = either(possible.value for possible in one.possible)
        asks = f"; depends on {', '.join(one.asks)}" if one.asks else ""
        page.para(f"{one.tunable}: {values}{asks}", 2, "- ")
    if len(told) > _OPEN and not every:
        page.para(f"{len(told) - _OPEN} more (--all shows them)", 2, "- ")


def left(questions: Sequence[Ask]) -> str:
    """How many questions still matter, as the heading of the first."""
    matter = sum(one.matters for one in questions)
    said = remaining(matter, len(questions) - matter)
    return f"{said}. First" if matter else said


def _next(page: Page, questions: Sequence[Ask]) -> None:
    """The question for which most is at stake."""
    if questions:
        page.heading(left(questions))
        first = questions[0]
        page.para(f"{first.ask}  (--set {first.fact}=…)")
        page.para(f"Bears on {_listed(first.decisions)}.")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 6
    return ", ".join(names[:6]) + (f" and {more} more" if more > 0 else "")


def estimates(page: Page, told: Iterable[Estimate]) -> None:
    told = list(told)
    known = [(one, one.value) for one in told if one.value is not None]
    missing = sorted({fact for one in told if one.value is None for fact in one.missing})
    if known:
        page.heading("Estimates")
    for one, value in known:
        filled = "" if one.filled == str(value) else f" = {one.filled}"
        page.para(f"{one.title}: {with_unit(value, one.unit)}{filled}", 2, "- ")
        page.para(one.why, 4)
    if missing:
        page.para(f"More can be computed from {', '.join(missing)}.")


def bugs(page: Page, told: Iterable[Bug]) -> None:
    known = list(told)
    if known:
        page.heading("Known bugs")
    for one in known:
        head = "affects you" if one.certain else f"may affect you; depends on {', '.join(one.asks)}"
        page.para(f"{one.title} ({one.erratum}): {head}", 2, "- ")
        page.para(one.symptom, 4)
        page.para(one.workaround, 4)
