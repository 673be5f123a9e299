"""Everything that the rule base has a name for, as pages: `advisor explain`, `advisor kb show`, and the wizard."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from advisor.advice.citations import citations
from advisor.document.blocks import Block, Document, Text, TextRun, code, codes, text
from advisor.engine import support
from advisor.lint.sample import sample
from advisor.named_tuple import NamedTuple
from advisor.render import figures, rule_page
from advisor.render.citing import checked, cite
from advisor.render.wording import condition
from advisor.rulebase.model.conditions import named as mentioned
from advisor.rulebase.query import cited_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import Check, Fact, RuleBase
    from advisor.rulebase.model.observation import Conclusion


class Page(NamedTuple):
    """`make`: its blocks. `decision`: what it tells all of, if it is a setting with a decision."""

    make: Callable[[], list[Block]]
    decision: str | None = None


def named(base: RuleBase) -> dict[str, list[Page]]:
    """Every name → what bears it. A short name may mean several things."""
    found: dict[str, list[Page]] = {}
    for tunable_id, told in base.tunables.items():
        show = Page(partial(rule_page.tunable, base, told), tunable_id if tunable_id in base.decisions else None)
        short = tunable_id.partition(".")[2]
        spellings = {form.spelling for form in told.forms}
        for name in {tunable_id, short, short.rpartition(".")[2], *spellings, *told.misspellings}:
            found.setdefault(name, []).append(show)

    def add(name: str, make: Callable[[], list[Block]]) -> None:
        found.setdefault(name, []).append(Page(make))

    for decision in base.decisions.values():
        for rule_id, rule in decision.rules.items():
            add(rule_id, partial(rule_page.rule, base, rule, decision))
    for check_id, check in base.checks.items():
        add(check_id, partial(_check, base, check))
    for slug, erratum in base.errata.items():
        add(slug, partial(rule_page.erratum, base, erratum))
    for fact_id, fact in base.facts.items():
        add(fact_id, partial(_fact, base, fact))
    for conclusion_id, drawn in base.conclusions.items():
        add(conclusion_id, partial(_conclusion, base, drawn))
    for claim_id in base.claims:
        add(claim_id, partial(claim, base, claim_id))
    for source_id in base.sources:
        add(source_id, partial(source, base, source_id))
    return found


def _check(base: RuleBase, told: Check) -> list[Block]:
    """A check with its examples as they are written."""
    written = base.check_examples[told.check]
    shown = [[rule_page.ShownExample(sample(one)[1], one.given) for one in written if bool(one.finds) is finds]
             for finds in (True, False)]
    return rule_page.check(base, told, rule_page.Examples(*shown))


def _conclusion(base: RuleBase, told: Conclusion) -> list[Block]:
    """What the counters can show: when that is concluded, what the quantities in it are, and who says so."""
    page = Document()
    page.heading(text(code(told.id), f": {told.title}"), 1)
    page.para(told.means)
    page.pairs([
        ("concluded where", code(condition(told.when))),
        ("can help", codes(told.helps) if told.helps else None),
        ("can help, on the server", codes(told.helps_server) if told.helps_server else None),
        ("changes nothing", codes(told.useless) if told.useless else None),
        ("note", told.note),
    ])
    page.heading("Quantities")
    for quantity in dict.fromkeys(mentioned(told.when)):
        if quantity in base.observations:
            page.item(text(code(quantity), f": {base.observations[quantity].says}"))
    cite(page, base, citations(base, told.cites), "Sources")
    return page.blocks


def claim(base: RuleBase, name: str) -> list[Block]:
    told = base.claims[name]
    origin = base.sources[told.source]
    page = Document()
    page.heading(text(code(name), f": a claim, {told.verdict}"), 1)
    page.para(told.says)
    page.pairs([
        ("source", origin.title), ("publisher", origin.publisher), ("date", origin.date), ("place", told.at),
        ("address", _link(origin.address)), ("grade", origin.grade), ("scope", told.scope),
        ("about", codes(told.about)), ("note", told.note), ("checked", checked(told)),
        ("used by", codes(cited_by(base, name))), ("no rule", told.unused),
    ])
    shown = figures.blocks(told.figures or {})
    if shown:
        page.heading("Figures")
        page.add(shown)
    against = (*told.better, *told.disputed_by)
    cite(page, base, citations(base, against), "Against it")
    return page.blocks


def source(base: RuleBase, name: str) -> list[Block]:
    told = base.sources[name]
    page = Document()
    page.heading(text(code(name), f": {told.title}"), 1)
    page.pairs([
        ("publisher", told.publisher), ("language", told.language), ("date", told.date), ("version", told.version),
        ("address", _link(told.address)), ("file", told.file), ("grade", told.grade), ("note", told.note),
    ])
    page.heading("Claims")
    for claim_id, one in base.claims.items():
        if one.source == name:
            page.item(text(code(claim_id), f": {one.says}"))
    return page.blocks


def _link(address: str | None) -> Text:
    return (TextRun(address, "", address),) if address else ()


def _fact(base: RuleBase, told: Fact) -> list[Block]:
    page = Document()
    page.heading(text(code(told.id), f": {told.says}"), 1)
    for words in (told.ask, told.help, told.why):
        page.para(words)
    users = [name for name in base.decisions if told.id in support(base.engine, name)]
    page.pairs([
        ("type", told.type), ("of", f"the {told.scope}"), ("unit", told.unit), ("examples", ", ".join(told.examples)),
        ("used by", codes(users)),
    ])
    if told.values:
        page.heading("Values")
        page.pairs((value, label) for value, label in told.values.items())
    return page.blocks
