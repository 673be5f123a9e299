"""What `advisor explain` prints: one page on a rule, check, option, sysctl, fact, erratum, claim or source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from advisor.advice.steps import general
from advisor.lint.sample import sample
from advisor.render import figures, kb
from advisor.render.conditions import condition, outcome
from advisor.render.escape import visible
from advisor.rulebase.model import Check, Claim, Decision, Erratum, Fact, Rule, RuleBase, Source, Tunable, VersionRange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.render.style import Style


class Page:
    """Collects wrapped lines. `columns`: the width to wrap at."""

    def __init__(self, base: RuleBase, columns: int, style: Style) -> None:
        self.base, self.columns, self.style = base, columns, style
        self.lines: list[str] = []

    def heading(self, text: str) -> None:
        if self.lines:
            self.lines.append("")
        self.lines.append(self.style("bold", visible(text)))

    def para(self, text: str | None, indent: int = 2, bullet: str = "") -> None:
        if not text:
            return
        pad = " " * indent
        self.lines += textwrap.wrap(
            visible(str(text)), max(self.columns, 40), initial_indent=pad + bullet,
            subsequent_indent=pad + " " * len(bullet), break_long_words=False, break_on_hyphens=False,
        )

    def pairs(self, rows: Iterable[tuple[str, object]]) -> None:
        """Labels and texts in two columns; the lines of a text of several lines, such as commands, stay apart."""
        shown = [(label, str(value)) for label, value in rows if value not in (None, "", [], {})]
        wide = max((len(label) for label, _ in shown), default=0)
        for label, value in shown:
            head = f"{label + ':':<{wide + 2}}"
            for line in value.splitlines():
                self.para(line, 2, head)
                head = " " * len(head)

    def cite(self, claims: Iterable[str], indent: int = 4) -> None:
        for claim_id in claims:
            told = self.base.claims.get(claim_id)
            if told is None:
                continue
            source = self.base.sources[told.source]
            verdict = "" if told.verdict == "accepted" else f" [{told.verdict}]"
            date = f", {source.date}" if source.date else ""
            name = f"{claim_id}{kb.fared(told)}"
            self.para(f"{source.title}{date}, {told.at}: {told.says}{verdict} ({name})", indent, "- ")


def tunable(page: Page, told: Tunable, decision: Decision | None) -> None:
    page.heading(f"{told.id}: {told.title}")
    page.para(told.about)
    forms = [f.spelling + ("=…" if f.takes else "") for f in told.forms]
    spellings = ", ".join(dict.fromkeys(forms))
    limits = _limits(told)
    page.pairs([
        ("governs", told.governs), ("written", spellings), ("kind", told.kind),
        ("unit", told.unit), ("range", limits),
        ("values", ", ".join(str(v) for v in told.values or ())),
        ("default", _default(told)), ("needs", condition(told.needs) if told.needs else None),
        ("known to", told.vendor),
    ])
    for what, verdicts in (("refused", told.refused), ("ignored", told.ignored)):
        for verdict in verdicts:
            page.para(f"{what}: {verdict.why}", 2, "- ")
    for change in told.becomes:
        page.para(f"{change.range}: {change.how}", 2, "- ")
    if decision:
        _decision(page, told, decision)
    page.heading("Set, check, undo")
    usual = general(page.base, told)
    page.pairs([
        ("set", usual.apply), ("verify", usual.check), ("undo", usual.undo), ("takes effect", told.takes_effect),
        ("persists", told.persists), ("risk", told.risk),
    ])
    _sources(page, told, decision)
    if told.related:
        page.heading("See also")
        page.para(", ".join(told.related))


def _limits(told: Tunable) -> str | None:
    low, high = told.minimum, told.maximum
    if low is None and high is None:
        return None
    return f"{'' if low is None else low} … {'' if high is None else high}"


def _default(told: Tunable) -> str | None:
    default = told.default
    note = told.default_note
    if default is None:
        return note
    return f"{outcome(default, told.unit)}{f' ({note})' if note else ''}"


def _decision(page: Page, told: Tunable, decision: Decision) -> None:
    page.heading("What is recommended, strongest first")
    page.para(decision.about)
    order = {layer.id: rank for rank, layer in enumerate(page.base.layers)}
    rules = sorted(decision.rules.values(), key=lambda r: (-order[r.layer], r.id))
    for one in rules:
        strength = f", {one.strength}" if one.strength else ""
        value = outcome(one.value, told.unit)
        where = condition(one.when)
        page.para(f"{value}  when {where}  ({one.id}, {one.layer}{strength})", 2)
        page.para(one.why, 6)


def _sources(page: Page, told: Tunable, decision: Decision | None) -> None:
    cited = list(told.cites)
    for one in decision.rules.values() if decision else ():
        cited += one.cites
    cited = list(dict.fromkeys(cited))
    if cited:
        page.heading("Sources")
        page.cite(cited, 2)
    others = [
        claim_id for claim_id, claim in page.base.claims.items()
        if told.id in claim.about and claim.verdict in ("disputed", "dated", "typo", "wrong")
    ]
    if others:
        page.heading("Where sources disagree, are out of date or slip")
        for claim_id in others:
            page.cite([claim_id], 2)
            claim = page.base.claims[claim_id]
            page.para(claim.note, 6)
            for better in dict.fromkeys((*claim.better, *claim.disputed_by)):
                page.para(f"against it: {page.base.claims[better].says} ({better})", 6)


def rule(page: Page, told: Rule, decision: Decision) -> None:
    page.heading(f"{told.id}: a rule on {decision.decision}")
    page.pairs([
        ("says", outcome(told.value)), ("when", condition(told.when or {})), ("layer", told.layer),
        ("strength", told.strength), ("otherwise", told.consequence), ("risk", told.risk),
        ("beats", ", ".join(told.overrides)),
    ])
    page.heading("Why")
    page.para(told.why)
    page.para(told.note)
    page.heading("Sources")
    page.cite(told.cites, 2)


def check(page: Page, told: Check) -> None:
    page.heading(f"{told.check}: {told.title}")
    page.pairs([
        ("strength", told.strength), ("consequence", told.consequence),
        ("when", condition(told.when) if told.when else None),
        ("shown", "only with --pedantic" if told.policy else None),
    ])
    for title, text in (("Why it matters", told.why), ("What to do", told.remedy)):
        page.heading(title)
        page.para(text)
    for variant in told.variants:
        page.heading(f"Where {condition(variant.when)}")
        page.para(variant.why)
        page.para(variant.remedy)
    _check_examples(page, told)
    page.heading("Sources")
    page.cite(told.cites, 2)


def _check_examples(page: Page, told: Check) -> None:
    for title, wanted in (("Found in", True), ("Not found in", False)):
        examples = [e for e in page.base.check_examples(told.check) if bool(e.finds) is wanted]
        if examples:
            page.heading(title)
            page.lines += [f"    {visible(line)}" for e in examples for line in sample(e)[1].splitlines()]


def erratum(page: Page, told: Erratum) -> None:
    page.heading(f"{told.erratum}: {told.title}")
    ranges = "; ".join(
        f"{stream}: " + ", ".join(_range(one) for one in given) for stream, given in told.affected.items()
    )
    page.pairs([
        ("package", told.package), ("affected", ranges), ("symptom", told.symptom),
        ("consequence", told.consequence), ("strength", told.strength), ("workaround", told.workaround),
    ])
    page.heading("Why")
    page.para(told.why)
    page.heading("Sources")
    page.cite(told.cites, 2)


def _range(one: VersionRange) -> str:
    words = []
    if one.introduced:
        words.append(f"from {one.introduced}")
    if one.fixed:
        words.append(f"fixed in {one.fixed}")
    if one.last_affected:
        words.append(f"up to {one.last_affected}")
    return " ".join(words) or "all"


def claim(page: Page, claim_id: str, told: Claim, used_by: list[str]) -> None:
    source = page.base.sources[told.source]
    page.heading(f"{claim_id}: a claim, {told.verdict}")
    page.para(told.says)
    page.pairs([
        ("source", source.title), ("publisher", source.publisher), ("date", source.date),
        ("place", told.at), ("address", source.address), ("grade", source.grade),
        ("scope", told.scope), ("about", ", ".join(told.about)),
        ("figures", figures.words(told.figures or {})), ("note", told.note),
        ("checked", kb.checked(told)), ("used by", ", ".join(used_by)), ("no rule", told.unused),
    ])
    page.lines += figures.tables(told.figures or {}, page.columns)
    against = list(dict.fromkeys((*told.better, *told.disputed_by)))
    if against:
        page.heading("Against it")
        page.cite(against, 2)


def source(page: Page, told: Source, claims: Iterator[str]) -> None:
    page.heading(f"{told.source}: {told.title}")
    fields = ("publisher", "language", "date", "version", "address", "file", "grade", "note")
    page.pairs([(name, getattr(told, name)) for name in fields])
    page.heading("Claims")
    for claim_id in claims:
        page.para(f"{claim_id}: {page.base.claims[claim_id].says}", 2, "- ")


def fact(page: Page, told: Fact, used_by: list[str]) -> None:
    page.heading(f"{told.id}: {told.says}")
    page.para(told.ask)
    page.para(told.help)
    page.para(told.why)
    page.pairs([
        ("type", told.type), ("of", f"the {told.scope}"), ("unit", told.unit),
        ("examples", ", ".join(told.examples)),
        ("used by", ", ".join(used_by)),
    ])
    for value, label in (told.values or {}).items():
        page.para(label, 4, f"{value}: ")
