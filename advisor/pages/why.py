"""The pages of `why` (the argument for a setting), `why-not` (against another value) and `what-if` (what would change
it)."""

from __future__ import annotations

from advisor.advice import arguments
from advisor.advice.answers import OBSERVED
from advisor.advice.model import (
    Advice,
    Because,
    Bug,
    Cost,
    Estimate,
    RefusedPin,
    Row,
    Steps,
    Supposition,
    general_steps,
)
from advisor.advice.verdict import with_refusals
from advisor.engine import contenders, operand
from advisor.engine.explain import FactChange, ProofPart, proof
from advisor.pages import wording
from advisor.pages.blocks import Block, Document, Items, ListItem, Paragraph, Text, code, dim, strong, text
from advisor.pages.claims import cite
from advisor.pages.host import effect_text, effects_of, state_table
from advisor.rulebase.citations import citations
from advisor.rulebase.model import RuleBase, Tunable, Value

_MEASURED = "What others measured, on their systems"
_MARKS = {True: "✓", False: "✗", None: "?"}
_JOINTS = {"all": "all of these", "any": "any of these", "not": "not"}


def setting_pages(base: RuleBase, advice: Advice, name: str, every: bool = True) -> list[Block]:
    """The pages about a tunable; [] if the advice does not mention it. Unless `every`: in a screen, with the sources in
    a line each."""
    page = Document()
    for setting in with_refusals(base, advice).advised:
        if setting.tunable == name and setting.otherwise:
            page.add(_open_page(base, advice, setting._replace(possible=setting.otherwise), every))
        elif setting.tunable == name:
            page.add(setting_page(base, advice, setting, every=every))
    for figure in advice.estimates:
        if figure.tunable == name:
            page.add(estimate_page(base, figure))
    for waiting in advice.open:
        if waiting.tunable == name:
            page.add(_open_page(base, advice, waiting, every))
    return page.blocks


def setting_page(base: RuleBase, advice: Advice, setting: Row, written_in: str = "", every: bool = True) -> list[Block]:
    """The page on a settled or assumed setting: value, reason, facts, rules, sources, disagreements, and steps.
    `written_in`: the files in which it is written; `every` as in `setting_pages`."""
    page = Document()
    page.heading(text(code(setting.tunable), f": {setting.title}"), 1, "" if setting.pinned else setting.strength or "")
    page.pairs([
        ("value", strong(wording.value_in_words(setting))), ("strength", wording.strength_text(setting)),
        ("rule", f"{setting.rule.id}, layer {setting.rule.layer}" if setting.rule else None),
    ])
    page.add(state_table([setting]))
    page.para(setting.why)
    page.para(effect_text(effects_of(base, advice.answers), setting))
    page.para(setting.rule.note if setting.rule else None)
    argument = arguments.argue(base, advice, setting)
    assumed = (*setting.rests_on, *setting.presumes)
    taken_for = {taken.fact for taken in assumed}
    because = [fact for fact in argument.because if fact.fact not in taken_for]
    page.listed("Because", (_fact_text(base, advice, fact) for fact in because), "✓")
    page.listed("It assumes", (_assumption_text(base, taken) for taken in assumed), "≈")
    against = None if arguments.is_forbidden(base, advice, setting) else setting.refused
    if argument.costs or against:
        page.heading("What pinning it costs")
    if against:
        page.para(refusal(against))
        cite(page, base, citations(base, against.cites))
    for cost in argument.costs:
        page.para(_cost_sentence(cost))
        cite(page, base, cost.cites)
    if every:
        _add_proof(page, base, advice, setting)
        page.listed("Rules that apply and lose", (
            text(
                f"{wording.value_text(setting.definition, loser.value)}: {loser.why}",
                dim(f" ({loser.rule}, layer {loser.layer}, beaten by {', '.join(loser.beaten_by)})"),
            ) for loser in arguments.losers(base, advice, setting)
        ), "✗")
    cite(page, base, argument.cites, "Sources", setting.tunable, every=every)
    cite(page, base, argument.measured, _MEASURED, setting.tunable, every=every)
    cite(page, base, argument.disagree, "Where sources disagree, are out of date or slip", setting.tunable, every=every)
    if argument.elsewhere and every:
        page.heading("Left out, because it is about other systems")
        others = ", ".join(f"{what} ({number})" for what, number in argument.elsewhere.items())
        page.para(f"{others}. ", code(f"advisor explain {setting.tunable}"), " has all of it.")
    _add_how_to(page, setting.definition, setting.steps, setting.rule.risk if setting.rule else None, written_in)
    return page.blocks


def _cost_sentence(cost: Cost) -> str:
    """The recommendation that a pinned value replaces, as a sentence."""
    strength = ", ".join(word for word in (cost.strength, cost.consequence) if word)
    return f"The rule base says {wording.outcome(cost.value)}{f' ({strength})' if strength else ''}: {cost.why}"


def refusal(refused: RefusedPin) -> str:
    """ "proto=udp is refused here: the mount fails. NFSv4 does not run over UDP."."""
    after = wording.OTHERWISE.get(refused.consequence, "")
    return f"{refused.problem}: {after}. {refused.why}" if after else f"{refused.problem}. {refused.why}"


def objections_to_pin(base: RuleBase, advice: Advice, setting: Row) -> list[str]:
    """Objections to a pinned value, a sentence or two each; [] if there are none, or if it is not pinned."""
    refused = setting.refused and not arguments.is_forbidden(base, advice, setting)
    costs = map(_cost_sentence, arguments.pin_costs(base, advice, setting))
    return [*([refusal(setting.refused)] if setting.refused and refused else []), *costs]


def _assumption_text(base: RuleBase, taken: Supposition) -> str:
    """A question, the value that is supposed as its answer, and why."""
    value = wording.answer_text(base, taken.fact, taken.value)
    raw = operand(taken.value)
    key = taken.fact if value == raw else f"{taken.fact}={raw}"
    return f"{wording.question(base, taken.fact)} {value} ({key}). {taken.why}"


def _add_how_to(page: Document, tunable: Tunable, steps: Steps, risk: str | None = None, written_in: str = "") -> None:
    rows = Document()
    rows.pairs(wording.step_rows(tunable, steps, risk or tunable.risk, written_in))
    page.section("Risk, apply, check, undo", rows.blocks)


def _fact_text(base: RuleBase, advice: Advice, fact: Because) -> str:
    """A fact as question and answer, with its name, origin, and the range that the rule needs."""
    known = {"true": "yes", "false": "no"}.get(fact.value, fact.value)
    value = wording.answer_text(base, fact.fact, advice.answers.facts.get(fact.fact, known))
    key = fact.fact if value == known else f"{fact.fact}={known}"
    enough = "" if fact.need in (fact.value, value, "true", "false") else f"; {fact.need} is enough"
    origin = {"given": "you said so", "decided": "follows from the rules"}.get(fact.origin, fact.origin)
    stated = fact.origin in ("given", "decided", "follows", "assumed") or fact.origin.startswith(f"{OBSERVED} ")
    origin_text = origin if stated else f"found in {origin}"
    return f"{wording.question(base, fact.fact)} {value} ({key}; {origin_text}{enough})"


def _add_proof(page: Document, base: RuleBase, advice: Advice, setting: Row) -> None:
    """Adds the condition of the winning rule, part by part, with the known values of facts."""
    if not setting.rule:
        return
    state = {fact: mask for fact, mask in advice.state.items() if fact != setting.tunable}
    step = next((step for step in proof(base.engine, setting.tunable, state) if step.rule == setting.rule.id), None)
    if step is None:
        return
    page.heading(f"The rule {step.rule} ({step.layer})")
    parts = step.tree.parts if step.tree.kind == "all" else (step.tree,)
    if not parts:
        page.item("always applies, unless a stronger rule says otherwise", mark="✓")
    for part in parts:
        shown = _proof_item(base, part)
        page.item(shown.text, *shown.blocks, mark=shown.mark)
    if step.beaten_by:
        page.para(dim(f"where they apply, stronger rules decide: {', '.join(step.beaten_by)}"))


def _proof_item(base: RuleBase, part: ProofPart) -> ListItem:
    mark = _MARKS[part.verdict]
    if part.kind in _JOINTS and part.parts:
        parts = Items(tuple(_proof_item(base, inner) for inner in part.parts))
        return ListItem(text(_JOINTS[part.kind]), mark, (parts,))
    need, have = ({"true": "yes", "false": "no"}.get(words, words) for words in (part.need, part.have))
    has = "" if have == need else f"; known: {have}"
    return ListItem(text(f"{part.kind} is {need}{has}"), mark)


def _open_page(base: RuleBase, advice: Advice, setting: Row, every: bool) -> list[Block]:
    """The page on an open setting: its possible values, first what the usual answers give, and the questions that
    settle it. `every` as in `setting_pages`."""
    page = Document()
    tunable = base.tunables[setting.tunable]
    page.heading(text(code(setting.tunable), f": {setting.title}"), 1)
    stays = " Meanwhile the default stays, since no must speaks against it." if setting.otherwise else ""
    usual = contenders(base.engine, setting.tunable, advice.supposed)
    values = sorted(arguments.least_assuming(base, advice, setting).possible, key=lambda value: value.rule not in usual)
    page.para(f"Open: the known facts leave several values possible.{stays}")
    page.para(tunable.about if every else None)
    page.heading("Possible values, the most usual first")
    for possible in values:
        when = f", for example where {possible.when}" if every and possible.when else ""
        rule = base.decisions[setting.tunable].rules.get(possible.rule or "")
        left = {key: value for key, value in (rule.when if rule else {}).items() if key not in advice.answers.facts}
        case = f" if {wording.condition(left)}" if left and not every else ""
        words = text(f"{wording.value_text(tunable, possible.value)}{case}: {possible.why}")
        page.item(text(words, dim(f" ({possible.rule}{when})")) if every else words)
    page.listed("What settles it", (question_text(base, fact) for fact in setting.asks), "?")
    ours = [
        claim for claim in arguments.claims_about(base, setting.tunable, "measured")
        if arguments.concerns(base, advice.supposed, claim) is not False
    ]
    cite(page, base, citations(base, ours), _MEASURED, setting.tunable, every=every)
    _add_how_to(page, tunable, general_steps(base, tunable))
    return page.blocks


def question_text(base: RuleBase, fact: str) -> Text:
    return text(f"{wording.question(base, fact)} (", code(f"--set {fact}=…"), ")")


def estimate_page(base: RuleBase, estimate: Estimate) -> list[Block]:
    """The page on a figure: its formula, and the facts that it still needs."""
    page = Document()
    page.heading(text(code(estimate.tunable), f": {estimate.title}"), 1)
    page.para(estimate.about)
    value = f"{estimate.value:,} {estimate.unit}" if estimate.value is not None else "not known yet"
    page.pairs([
        ("value", strong(value)), ("formula", estimate.formula), ("filled in", estimate.filled),
        ("needs", ", ".join(estimate.missing)),
        ("assumes", ", ".join(map(wording.supposition_text, estimate.rests_on))), ("rule", estimate.rule),
    ])
    page.para(estimate.why)
    cite(page, base, citations(base, estimate.cites), "Sources")
    return page.blocks


def bug_page(base: RuleBase, bug: Bug) -> list[Block]:
    from advisor.pages.rule_pages import erratum_page  # noqa: PLC0415  few settings have one

    return [*erratum_page(base, bug.fault), Paragraph(text(f"It {wording.affected_text(bug)}."))]


_ELSEWHERE = 4
"""How many changes are shown that need another platform or other work."""


def why_not_page(base: RuleBase, name: str, value: Value, counterpoint: arguments.Counterarguments) -> list[Block]:
    page = Document()
    words = wording.value_text(base.tunables[name], value)
    if counterpoint.fits and not counterpoint.wanted:
        page.heading(f"Nothing speaks against {name}: {words}", 1)
    elif counterpoint.fits:
        page.heading(f"{name}: {words} is possible; it depends on unknown facts", 1)
    else:
        page.heading(f"{name}: not {words}", 1)
    for head, rows in (("allowed", counterpoint.fits), ("instead", counterpoint.wanted)):
        for wanted, rule, why in rows:
            page.item(text(f"{head}: {wording.value_text(base.tunables[name], wanted)} by {rule}: {why}"))
    if counterpoint.obstacles:
        page.heading("Rules that would give it, and what prevents them")
    for obstacle, why in counterpoint.obstacles:
        if obstacle.beaten_by:
            way = f"{obstacle.rule} is beaten by {obstacle.beaten_by}"
        elif obstacle.fact:
            have = "does not apply here" if obstacle.have == "n/a" else f"is {obstacle.have}"
            way = f"{obstacle.rule} needs {obstacle.fact} to be {obstacle.need}; it {have}"
        else:
            way = f"{obstacle.rule} needs {obstacle.need}; there is {obstacle.have}"
        page.item(f"{way}. {why}", mark="✗")
    if not counterpoint.fits and not counterpoint.obstacles:
        page.para("No rule gives this value.")
    return page.blocks


def what_if_page(base: RuleBase, advice: Advice, name: str, ways: arguments.WaysToChange) -> list[Block]:
    """The page on the smallest changes of facts that lead to another value."""
    page = Document()
    mine = [setting for setting in advice.advised if setting.tunable == name]
    now = [wording.value_text(setting.definition, setting.value) for setting in mine]
    page.heading(f"What if: {wording.label(base.tunables[name])} (now: {' and '.join(now) or 'open'})", 1)
    page.para(dim("The smallest changes to the facts that lead to another value."))
    page.listed("Find out first", (question_text(base, fact) for fact in ways.asks), "?")
    if ways.changes:
        page.heading("What would change it")
    for change in ways.changes:
        _add_change(page, base, name, change)
    if ways.elsewhere:
        page.heading("On another platform or system, or for other work")
    for change in ways.elsewhere[:_ELSEWHERE]:
        _add_change(page, base, name, change)
    if len(ways.elsewhere) > _ELSEWHERE:
        page.item(f"{len(ways.elsewhere) - _ELSEWHERE} more")
    if not any(ways):
        page.para("No change of one or two of the facts that are known makes another value possible.")
    return page.blocks


def _add_change(page: Document, base: RuleBase, name: str, change: FactChange) -> None:
    facts = [
        f"{wording.question(base, fact)} {wording.mask_text(base, fact, change.state[fact])} ({fact})"
        for fact in change.facts
    ]
    case = [f"{fact} is {wording.mask_text(base, fact, mask)}" for fact, mask in change.where.items()]
    sure = "then:" if change.settled else "then perhaps:"
    value = wording.value_text(base.tunables[name], change.value)
    why = base.decisions[name].rules[change.rule].why
    below = Document()
    below.para(f"{sure} ", strong(value), dim(f" ({change.rule})"), f". {why}")
    if case and not change.settled:
        below.para(dim(f"For example, if {' and '.join(case)}."))
    page.item("\n".join(facts), *below.blocks, mark="≠")
