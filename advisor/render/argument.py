"""Why a setting is advised as it is, what stands against another value, and what would change it."""

from __future__ import annotations

from collections.abc import Collection

from advisor.advice.arguments import argue, costs, forbidden, least_assuming
from advisor.advice.citations import citations, concerns, measured
from advisor.advice.observed import OBSERVED
from advisor.advice.steps import general
from advisor.document.blocks import Block, Document, Items, ListItem, Text, code, dim, strong, text
from advisor.engine import proof
from advisor.render.citing import cite
from advisor.render.observed import effect_text as observed
from advisor.render.observed import effects_of
from advisor.render.states import side_by_side
from advisor.render.wording import OTHERWISE, answer_text, operand, outcome, question, supposed, value_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.model import Advice, Because, Bug, Cost, Estimate, OpenSetting, Recommendation, Supposition
    from advisor.advice.steps import Steps
    from advisor.engine.explain import ProofPart
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.today.pinned import Defied

_MARKS = {True: "✓", False: "✗", None: "?"}
_JOINTS = {"all": "all of these", "any": "any of these", "not": "not"}


def explained(base: RuleBase, advice: Advice, name: str) -> list[Block]:
    """Everything that the advice says of a tunable; nothing where it is silent."""
    page = Document()
    for one in advice.advised:
        if one.tunable == name:
            page.add(setting(base, advice, one))
    for figure in advice.estimates:
        if figure.tunable == name:
            page.add(estimate(base, figure))
    for waiting in advice.open:
        if waiting.tunable == name:
            page.add(unsettled(base, advice, waiting))
    return page.blocks


def setting(base: RuleBase, advice: Advice, one: Recommendation, written_in: str = "") -> list[Block]:
    """A setting that is settled or assumed: value, reason, facts, rules, sources, disagreement, and how to apply it.

    `written_in`: the files that have it."""
    page = Document()
    page.heading(text(code(one.tunable), f": {one.title}"), 1, "" if one.pinned else one.strength or "")
    page.pairs([("value", strong(shown(one))), ("strength", weight(one)), ("rule", rule_of(one))])
    page.add(side_by_side([one], advice.answers.now))
    page.para(one.why)
    page.para(observed(effects_of(base, advice.answers), one))
    page.para(one.rule.note if one.rule else None)
    argument = argue(base, advice, one)
    taken_for = {taken.fact for taken in (*one.rests_on, *one.presumes)}
    because = [fact for fact in argument.because if fact.fact not in taken_for]
    if because:
        page.heading("Because")
    for fact in because:
        page.item(_known(base, advice, fact), mark="✓")
    if one.rests_on:
        page.heading("It assumes")
    for taken in one.rests_on:
        page.item(assumed(base, taken), mark="≈")
    if one.presumes:
        page.heading("It takes for granted")
    for taken in one.presumes:
        page.item(assumed(base, taken), mark="≈")
    against = _refused(base, advice, one, argument.costs)
    if argument.costs or against:
        page.heading("What pinning it costs")
    if against:
        page.para(defiance(against))
        cite(page, base, citations(base, against.cites))
    for cost in argument.costs:
        page.para(price(cost))
        cite(page, base, cost.cites)
    _proof(page, base, advice, one)
    if argument.losers:
        page.heading("Rules that apply and lose")
    for loser in argument.losers:
        beaten = f" ({loser.rule}, layer {loser.layer}, beaten by {', '.join(loser.beaten_by)})"
        page.item(text(f"{value_said(one.definition, loser.value)}: {loser.why}", dim(beaten)), mark="✗")
    cite(page, base, argument.cites, "Sources", one.tunable)
    cite(page, base, argument.measured, "What others measured, on their systems", one.tunable)
    cite(page, base, argument.disagree, "Where sources disagree, are out of date or slip", one.tunable)
    if argument.elsewhere:
        page.heading("Left out, because it is about other systems")
        others = ", ".join(f"{what} ({number})" for what, number in argument.elsewhere.items())
        page.para(f"{others}. ", code(f"advisor explain {one.tunable}"), " has all of it.")
    page.add(how_to(one.definition, one.steps, one.rule.risk if one.rule else None, written_in))
    return page.blocks


def shown(one: Recommendation) -> str:
    """The value for people, with a word on a default that is in effect anyway."""
    if one.text and one.text == str(one.written) and one.value != one.written:
        value = f"{one.text} ({outcome(one.value, one.definition.unit)})"
    else:
        value = one.text or outcome(one.value, one.definition.unit)
    return f"{value}, which is the default" if one.already else value


def weight(one: Recommendation) -> str:
    """How strongly it is advised, and what happens otherwise: "must, or the mount fails"."""
    if one.pinned:
        return "pinned by you"
    strength, other = one.strength or "", OTHERWISE.get(one.consequence or "")
    return f"{strength}, or {other}" if strength and other else strength


def rule_of(one: Recommendation) -> str:
    return f"{one.rule.id}, layer {one.rule.layer}" if one.rule else ""


def price(one: Cost) -> str:
    """What is advised instead of a value that is held, in a sentence."""
    strength = ", ".join(word for word in (one.strength, one.consequence) if word)
    return f"The rule base says {outcome(one.value)}{f' ({strength})' if strength else ''}: {one.why}"


def defiance(one: Defied) -> str:
    """What becomes of a pinned value: "proto=udp is refused here: the mount fails. NFSv4 does not run over UDP."."""
    after = OTHERWISE.get(one.consequence, "")
    return f"{one.problem}: {after}. {one.why}" if after else f"{one.problem}. {one.why}"


def against_pinned(base: RuleBase, advice: Advice, one: Recommendation) -> list[str]:
    """What speaks against a pinned value, a sentence or two each; [] where nothing does, or nothing is pinned."""
    if not one.pinned:
        return []
    prices = costs(base, advice, one)
    refused = _refused(base, advice, one, prices)
    return [*([defiance(refused)] if refused else []), *map(price, prices)]


def _refused(base: RuleBase, advice: Advice, one: Recommendation, prices: Collection[Cost]) -> Defied | None:
    """What the linter has against a pinned value, where no rule says that it must not be."""
    if not one.pinned or forbidden(prices):
        return None
    from advisor.today.pinned import defied  # noqa: PLC0415  few pin anything

    return defied(base, advice).get(one.tunable)


def assumed(base: RuleBase, taken: Supposition) -> str:
    """A usual value that is taken for an answer: the question, the answer, and why."""
    value = answer_text(base, taken.fact, taken.value)
    raw = operand(taken.value)
    key = taken.fact if value == raw else f"{taken.fact}={raw}"
    return f"{question(base, taken.fact)} {value} ({key}). {taken.why}"


def how_to(tunable: Tunable, steps: Steps, risk: str | None = None, written_in: str = "") -> list[Block]:
    """Risk, and how to apply, check and undo."""
    page = Document()
    page.pairs([
        ("risk", risk or tunable.risk), ("written in", written_in), ("before", steps.before), ("apply", steps.apply),
        ("takes effect", tunable.takes_effect), ("persists", tunable.persists),
        ("check", steps.check), ("undo", steps.undo),
    ])
    if page.blocks:
        page.blocks[:0] = _headed("Risk, apply, check, undo")
    return page.blocks


def _headed(words: str) -> list[Block]:
    page = Document()
    page.heading(words)
    return page.blocks


def _known(base: RuleBase, advice: Advice, fact: Because) -> str:
    """A fact as question and answer, its name, where it is from, and what of it is enough."""
    known = {"true": "yes", "false": "no"}.get(fact.value, fact.value)
    value = answer_text(base, fact.fact, advice.answers.facts.get(fact.fact, known))
    key = fact.fact if value == known else f"{fact.fact}={known}"
    enough = "" if fact.need in (fact.value, value, "true", "false") else f"; {fact.need} is enough"
    origin = {"given": "you said so", "decided": "follows from the rules"}.get(fact.origin, fact.origin)
    stated = fact.origin in ("given", "decided", "follows", "assumed") or fact.origin.startswith(f"{OBSERVED} ")
    found = origin if stated else f"found in {origin}"
    return f"{question(base, fact.fact)} {value} ({key}; {found}{enough})"


def _proof(page: Document, base: RuleBase, advice: Advice, one: Recommendation) -> None:
    """The condition of the rule that won, part by part, with what is known of each fact."""
    if not one.rule:
        return
    state = {fact: mask for fact, mask in advice.state.items() if fact != one.tunable}
    found = next((step for step in proof(base.engine, one.tunable, state) if step.rule == one.rule.id), None)
    if found is None:
        return
    page.heading(f"The rule {found.rule} ({found.layer})")
    parts = found.tree.parts if found.tree.kind == "all" else (found.tree,)
    if not parts:
        page.item("holds always, unless a stronger rule says otherwise", mark="✓")
    for part in parts:
        shown_part = _part(base, part)
        page.item(shown_part.text, *shown_part.blocks, mark=shown_part.mark)
    if found.beaten_by:
        page.para(dim(f"where they apply, stronger rules decide: {', '.join(found.beaten_by)}"))


def _part(base: RuleBase, part: ProofPart) -> ListItem:
    mark = _MARKS[part.verdict]
    if part.kind in _JOINTS and part.parts:
        return ListItem(text(_JOINTS[part.kind]), mark, (Items(tuple(_part(base, inner) for inner in part.parts)),))
    need, have = ({"true": "yes", "false": "no"}.get(words, words) for words in (part.need, part.have))
    has = "" if have == need else f"; known: {have}"
    return ListItem(text(f"{part.kind} is {need}{has}"), mark)


def unsettled(base: RuleBase, advice: Advice, one: OpenSetting) -> list[Block]:
    """A setting that is open: what it may be, and what settles it."""
    page = Document()
    tunable = base.tunables[one.tunable]
    page.heading(text(code(one.tunable), f": {one.title}"), 1)
    page.para("Open: the known facts leave several values possible.")
    page.para(tunable.about)
    page.heading("What it may be")
    for possible in least_assuming(base, advice, one).possible:
        when = f", for example where {possible.when}" if possible.when else ""
        page.item(text(f"{value_said(tunable, possible.value)}: {possible.why}", dim(f" ({possible.rule}{when})")))
    if one.asks:
        page.heading("What settles it")
    for fact in one.asks:
        page.item(question_text(base, fact), mark="?")
    ours = [claim for claim in measured(base, one.tunable) if concerns(base, advice.supposed, claim) is not False]
    cite(page, base, citations(base, ours), "What others measured, on their systems", one.tunable)
    page.add(how_to(tunable, general(base, tunable)))
    return page.blocks


def question_text(base: RuleBase, fact: str) -> Text:
    return text(f"{question(base, fact)} (", code(f"--set {fact}=…"), ")")


def estimate(base: RuleBase, one: Estimate) -> list[Block]:
    """A figure, how it comes about, and what it still needs."""
    page = Document()
    page.heading(text(code(one.tunable), f": {one.title}"), 1)
    page.para(one.about)
    value = f"{one.value:,} {one.unit}" if one.value is not None else "not known yet"
    page.pairs([
        ("value", strong(value)), ("formula", one.formula), ("filled in", one.filled),
        ("needs", ", ".join(one.missing)), ("assumes", ", ".join(map(supposed, one.rests_on))), ("rule", one.rule),
    ])
    page.para(one.why)
    cite(page, base, citations(base, one.cites), "Sources")
    return page.blocks


def bug(base: RuleBase, one: Bug) -> list[Block]:
    """A known bug."""
    page = Document()
    page.heading(text(f"{one.title} (", code(one.erratum), ")"), 1, one.strength)
    page.para(f"Package {one.package}: {affects(one)}.")
    for heading, words in (
        ("What is seen", one.symptom), ("Why", one.why), ("What to do", one.workaround or "Use a fixed version."),
    ):
        page.heading(heading)
        page.para(words)
    cite(page, base, citations(base, one.cites), "Sources")
    return page.blocks


def affects(one: Bug) -> str:
    return "affects you" if one.certain else f"may affect you; depends on {', '.join(one.asks)}"
