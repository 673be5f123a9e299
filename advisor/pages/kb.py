"""The pages of `advisor kb` (sources, disputes, search results), and a page for every named entry of the rule base, for
`advisor explain`, `advisor kb show`, and the wizard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from advisor.named_tuple import NamedTuple
from advisor.pages import rule_pages
from advisor.pages.blocks import Block, Document, Items, ListItem, Paragraph, Text, TextRun, code, codes, text
from advisor.pages.claims import check_text, cite, figure_blocks
from advisor.pages.wording import condition, outcome
from advisor.rulebase.citations import Dispute, citations, cited_by
from advisor.rulebase.model import Check, Claim, Conclusion, Fact, RuleBase, Source, Tunable, facts_in


def sources(documents: Sequence[tuple[Source, int]]) -> list[Block]:
    """`documents`: each with the number of its claims."""
    page = Document()
    for source, claims in documents:
        date = f", {source.date}" if source.date else ""
        head = f"  [{source.grade}] {source.title}, {source.publisher}{date} ({source.language})"
        link = (Paragraph((TextRun(source.address, "", source.address),)),) if source.address else ()
        page.item(text(code(source.source), head, f"; {claims} claims"), *link)
    page.para(f"{len(documents)} sources")
    return page.blocks


def search(entries: Sequence[Mapping[str, object]], wanted: str) -> list[Block]:
    """`entries`: of several kinds as data, each with its `kind` and `id`."""
    page = Document()
    for entry in entries:
        verdict = f" [{entry['verdict']}]" if entry.get("verdict") else ""
        page.item(f"{entry['kind']} {entry['id']}{verdict}: {entry.get('says') or entry.get('title') or ''}")
    page.para(f"{len(entries)} found for {wanted!r}" if entries else f"nothing contains all of {wanted!r}")
    return page.blocks


def disputes(base: RuleBase, disputed: Sequence[Dispute]) -> list[Block]:
    page = Document()
    for dispute in disputed:
        page.heading(code(dispute.tunable))
        page.add([Items((
            *(_side(base, claim, "") for claim in dispute.claims),
            *(_side(base, claim, "against: ") for claim in dispute.against),
        ))])
        if dispute.decided:
            page.para("decided:")
        for rule in dispute.decided:
            strength = f", {rule.strength}" if rule.strength else ""
            page.item(
                f"{outcome(rule.value)} when {condition(rule.when)} ({rule.id}, {rule.layer}{strength}): {rule.why}"
            )
    if not disputed:
        page.para("no disputes")
    return page.blocks


def _side(base: RuleBase, claim: Claim, prefix: str) -> ListItem:
    source = base.sources[claim.source]
    date = f", {source.date}" if source.date else ""
    scope = f" For {claim.scope}." if claim.scope else ""
    note = (Paragraph(text(claim.note)),) if claim.note else ()
    words = f"{claim.says}{scope} [{claim.verdict}] ({source.publisher}{date}, {claim.at}; {claim.id})"
    return ListItem(text(f"{prefix}{words}"), blocks=note)


class Page(NamedTuple):
    """`make`: makes its blocks. `decision`: the setting whose rules the page has, None for other pages. `tunable`: the
    setting that it is about. `cites`: its claims."""

    make: Callable[[], list[Block]]
    decision: str | None = None
    tunable: Tunable | None = None
    cites: Sequence[str] = ()


def _message_page(base: RuleBase, name: str) -> list[Block]:
    page, message = Document(), base.messages[name]
    page.heading(f"{message.program}: {message.text}", 1)
    page.para(message.means)
    page.listed("Possible causes", (cause.title for cause in base.causes.values() if name in cause.explains))
    return page.blocks


def _cause_page(base: RuleBase, name: str) -> list[Block]:
    page, cause = Document(), base.causes[name]
    page.heading(cause.title, 1)
    page.para(cause.why)
    page.pairs([("check", cause.check.do), ("it shows", cause.check.tells), ("do", cause.remedy.do),
                ("undo", cause.remedy.undo)])
    return page.blocks


def pages_of(base: RuleBase, name: str, every: bool = True) -> list[Page]:
    """The pages of a name: a short one may mean several things. Unless `every`, a setting has one screen."""
    pages = [
        Page(
            partial(rule_pages.tunable_page if every else rule_pages.short_page, base, base.tunables[of]),
            of if of in base.decisions else None, base.tunables[of], base.tunables[of].cites,
        )
        for of in base.called.get(name, ())
    ]

    def add(make: Callable[[], list[Block]], cites: Sequence[str] = ()) -> None:
        pages.append(Page(make, cites=cites))

    if name in base.decision_of:
        decision = base.decisions[base.decision_of[name]]
        add(partial(rule_pages.rule_page, base, decision.rules[name], decision), decision.rules[name].cites)
    if name in base.checks:
        add(partial(_check_page, base, base.checks[name]), base.checks[name].cites)
    if name in base.errata:
        add(partial(rule_pages.erratum_page, base, base.errata[name]), base.errata[name].cites)
    if name in base.facts:
        add(partial(_fact_page, base, base.facts[name]))
    if name in base.conclusions:
        add(partial(_conclusion_page, base, base.conclusions[name]), base.conclusions[name].cites)
    if name in base.claims:
        add(partial(claim_page, base, name), (name,))
    if name in base.sources:
        add(partial(source_page, base, name))
    if not pages and name in base.messages:  # looked up last: it costs to read them
        add(partial(_message_page, base, name))
    if not pages and name in base.causes:
        add(partial(_cause_page, base, name), base.causes[name].cites)
    return pages


def names(base: RuleBase) -> list[str]:
    """All that has a page, by the names that are spelled rightly."""
    tables = (base.called, base.decision_of, base.checks, base.errata, base.facts, base.conclusions, base.claims)
    known = dict.fromkeys(name for table in (*tables, base.sources) for name in table)
    return [name for name in known if name not in base.lint["misspellings"]]


def _check_page(base: RuleBase, check: Check) -> list[Block]:
    """A check, with its examples as the rule base has them."""
    examples = Document()
    for title, finds in (("Found", True), ("Not found", False)):
        listed = [example for example in base.check_examples[check.check] if bool(example.finds) is finds]
        if listed:
            examples.heading(title, 3)
        for example in listed:
            rule_pages.add_example(examples, example.kind_and_text()[1], example.given)
    return rule_pages.check_page(base, check, examples.blocks)


def _conclusion_page(base: RuleBase, conclusion: Conclusion) -> list[Block]:
    """A conclusion from counters: its condition, the meaning of its quantities, and its sources."""
    page = Document()
    page.heading(text(code(conclusion.id), f": {conclusion.title}"), 1)
    page.para(conclusion.means)
    page.pairs([
        ("concluded where", code(condition(conclusion.when))),
        ("can help", codes(conclusion.helps)), ("can help, on the server", codes(conclusion.helps_server)),
        ("changes nothing", codes(conclusion.useless)),
        ("note", conclusion.note),
    ])
    page.heading("Quantities")
    for quantity in dict.fromkeys(facts_in(conclusion.when)):
        if quantity in base.observations:
            page.item(text(code(quantity), f": {base.observations[quantity].says}"))
    cite(page, base, citations(base, conclusion.cites), "Sources")
    return page.blocks


def claim_page(base: RuleBase, name: str) -> list[Block]:
    cited = base.claims[name]
    origin = base.sources[cited.source]
    page = Document()
    page.heading(text(code(name), f": a claim, {cited.verdict}"), 1)
    page.para(cited.says)
    page.pairs([
        ("source", origin.title), ("publisher", origin.publisher), ("date", origin.date), ("place", cited.at),
        ("address", _link(origin.address)), ("grade", origin.grade), ("scope", cited.scope),
        ("about", codes(cited.about)), ("note", cited.note), ("checked", check_text(cited)),
        ("used by", codes(cited_by(base, name))), ("no rule", cited.unused),
    ])
    page.section("Figures", figure_blocks(cited.figures or {}))
    cite(page, base, citations(base, (*cited.better, *cited.disputed_by)), "Against it")
    return page.blocks


def source_page(base: RuleBase, name: str) -> list[Block]:
    source = base.sources[name]
    page = Document()
    page.heading(text(code(name), f": {source.title}"), 1)
    page.pairs([
        ("publisher", source.publisher), ("language", source.language), ("date", source.date),
        ("version", source.version),
        ("address", _link(source.address)), ("file", source.file), ("grade", source.grade), ("note", source.note),
    ])
    page.heading("Claims")
    for claim_id, claim in base.claims.items():
        if claim.source == name:
            page.item(text(code(claim_id), f": {claim.says}"))
    return page.blocks


def _link(address: str | None) -> Text:
    return (TextRun(address, "", address),) if address else ()


def _fact_page(base: RuleBase, fact: Fact) -> list[Block]:
    page = Document()
    page.heading(text(code(fact.id), f": {fact.says}"), 1)
    for words in (fact.ask, fact.help, fact.why):
        page.para(words)
    page.pairs([
        ("type", fact.type), ("of", f"the {fact.scope}"), ("unit", fact.unit), ("examples", ", ".join(fact.examples)),
        ("used by", codes(base.used_by.get(fact.id, ()))),
    ])
    if fact.values:
        page.heading("Values")
        page.pairs((value, label) for value, label in fact.values.items())
    return page.blocks


def export_pages(base: RuleBase, source: str) -> list[Block]:
    """Each export of this text, lines of exports(5), in full: what a client gets, with the defaults."""
    from advisor.files.export_options import each_in_full  # noqa: PLC0415  few ask for exports

    page = Document()
    for path, client, full in each_in_full(base, source):
        page.heading(f"{path} to {client or 'every host'}")
        if isinstance(full, str):
            page.para(full)
        else:
            rows = [("written", full.written), ("without effect", full.idle), ("by default", full.defaults)]
            page.pairs((label, codes(names)) for label, names in rows if names)
    return page.blocks
