"""What `advisor explain` prints: one page on a rule, check, option, sysctl, fact, erratum, claim or source."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from advisor.advice.steps import general
from advisor.compiled import RuleBase
from advisor.lint.sample import sample
from advisor.render import figures, kb
from advisor.render.conditions import condition, outcome
from advisor.render.escape import visible


class Page:
    """Collects wrapped lines. `columns`: the width to wrap at."""

    def __init__(self, base: RuleBase, columns: int, style: Any) -> None:
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

    def pairs(self, rows: Iterable[tuple[str, Any]]) -> None:
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
            source = self.base.sources[told["source"]]
            verdict = "" if told["verdict"] == "accepted" else f" [{told['verdict']}]"
            date = f", {source['date']}" if source.get("date") else ""
            name = f"{claim_id}{kb.fared(told)}"
            self.para(f"{source['title']}{date}, {told['at']}: {told['says']}{verdict} ({name})", indent, "- ")


def tunable(page: Page, told: dict[str, Any], decision: dict[str, Any] | None) -> None:
    page.heading(f"{told['id']}: {told['title']}")
    page.para(told.get("about"))
    forms = [f["spelling"] + ("=…" if f.get("takes") else "") for f in told.get("forms", ())]
    spellings = ", ".join(dict.fromkeys(forms))
    limits = _limits(told)
    page.pairs([
        ("governs", told.get("governs")), ("written", spellings), ("kind", told["kind"]),
        ("unit", told.get("unit")), ("range", limits),
        ("values", ", ".join(str(v) for v in told.get("values") or ())),
        ("default", _default(told)), ("needs", condition(told["needs"]) if told.get("needs") else None),
        ("known to", told.get("vendor")),
    ])
    for what in ("refused", "ignored"):
        for verdict in told.get(what, ()):
            page.para(f"{what}: {verdict['why']}", 2, "- ")
    for change in told.get("becomes", ()):
        page.para(f"{change['range']}: {change['how']}", 2, "- ")
    if decision:
        _decision(page, told, decision)
    page.heading("Set, check, undo")
    usual = general(page.base, told)
    page.pairs([
        ("set", usual.apply), ("verify", usual.check), ("undo", usual.undo), ("takes effect", told.get("takes_effect")),
        ("persists", told.get("persists")), ("risk", told.get("risk")),
    ])
    _sources(page, told, decision)
    if told.get("related"):
        page.heading("See also")
        page.para(", ".join(told["related"]))


def _limits(told: dict[str, Any]) -> str | None:
    low, high = told.get("minimum"), told.get("maximum")
    if low is None and high is None:
        return None
    return f"{'' if low is None else low} … {'' if high is None else high}"


def _default(told: dict[str, Any]) -> str | None:
    default = told.get("default")
    note = told.get("default_note")
    if default is None:
        return note
    return f"{outcome(default, told.get('unit'))}{f' ({note})' if note else ''}"


def _decision(page: Page, told: dict[str, Any], decision: dict[str, Any]) -> None:
    page.heading("What is recommended, strongest first")
    page.para(decision.get("about"))
    order = {layer["id"]: rank for rank, layer in enumerate(page.base.layers)}
    rules = sorted(decision["rules"].values(), key=lambda r: (-order[r.get("layer", "default")], r["id"]))
    for one in rules:
        strength = f", {one['strength']}" if one.get("strength") else ""
        value = outcome(one["value"], told.get("unit"))
        where = condition(one.get("when") or {})
        page.para(f"{value}  when {where}  ({one['id']}, {one.get('layer', 'default')}{strength})", 2)
        page.para(one["why"], 6)


def _sources(page: Page, told: dict[str, Any], decision: dict[str, Any] | None) -> None:
    cited = list(told.get("cites", ()))
    for one in (decision or {"rules": {}})["rules"].values():
        cited += one["cites"]
    cited = list(dict.fromkeys(cited))
    if cited:
        page.heading("Sources")
        page.cite(cited, 2)
    others = [
        claim_id for claim_id, claim in page.base.claims.items()
        if told["id"] in claim.get("about", ()) and claim["verdict"] in ("disputed", "dated", "typo", "wrong")
    ]
    if others:
        page.heading("Where sources disagree, are out of date or slip")
        for claim_id in others:
            page.cite([claim_id], 2)
            claim = page.base.claims[claim_id]
            page.para(claim.get("note"), 6)
            for better in dict.fromkeys((*claim.get("better", ()), *claim.get("disputed_by", ()))):
                page.para(f"against it: {page.base.claims[better]['says']} ({better})", 6)


def rule(page: Page, told: dict[str, Any], decision: dict[str, Any]) -> None:
    page.heading(f"{told['id']}: a rule on {decision['decision']}")
    page.pairs([
        ("says", outcome(told["value"])), ("when", condition(told.get("when") or {})), ("layer", told["layer"]),
        ("strength", told.get("strength")), ("otherwise", told.get("consequence")), ("risk", told.get("risk")),
        ("beats", ", ".join(told.get("overrides", ()))),
    ])
    page.heading("Why")
    page.para(told["why"])
    page.para(told.get("note"))
    page.heading("Sources")
    page.cite(told["cites"], 2)


def check(page: Page, told: dict[str, Any]) -> None:
    page.heading(f"{told['check']}: {told['title']}")
    page.pairs([
        ("strength", told["strength"]), ("consequence", told["consequence"]),
        ("when", condition(told["when"]) if told.get("when") else None),
        ("shown", "only with --pedantic" if told.get("policy") else None),
    ])
    for title, text in (("Why it matters", told["why"]), ("What to do", told["remedy"])):
        page.heading(title)
        page.para(text)
    for variant in told.get("variants", ()):
        page.heading(f"Where {condition(variant['when'])}")
        for part in ("why", "remedy"):
            page.para(variant.get(part))
    _check_examples(page, told)
    page.heading("Sources")
    page.cite(told["cites"], 2)


def _check_examples(page: Page, told: dict[str, Any]) -> None:
    for title, wanted in (("Found in", True), ("Not found in", False)):
        examples = [e for e in page.base.check_examples[told["check"]] if bool(e["finds"]) is wanted]
        if examples:
            page.heading(title)
            page.lines += [f"    {visible(line)}" for e in examples for line in sample(e)[1].splitlines()]


def erratum(page: Page, told: dict[str, Any]) -> None:
    page.heading(f"{told['erratum']}: {told['title']}")
    ranges = "; ".join(
        f"{stream}: " + ", ".join(_range(one) for one in given) for stream, given in told["affected"].items()
    )
    page.pairs([
        ("package", told["package"]), ("affected", ranges), ("symptom", told["symptom"]),
        ("consequence", told["consequence"]), ("strength", told["strength"]), ("workaround", told.get("workaround")),
    ])
    page.heading("Why")
    page.para(told["why"])
    page.heading("Sources")
    page.cite(told["cites"], 2)


def _range(one: dict[str, Any]) -> str:
    words = []
    if one.get("introduced"):
        words.append(f"from {one['introduced']}")
    if one.get("fixed"):
        words.append(f"fixed in {one['fixed']}")
    if one.get("last_affected"):
        words.append(f"up to {one['last_affected']}")
    return " ".join(words) or "all"


def claim(page: Page, claim_id: str, told: dict[str, Any], used_by: list[str]) -> None:
    source = page.base.sources[told["source"]]
    page.heading(f"{claim_id}: a claim, {told['verdict']}")
    page.para(told["says"])
    page.pairs([
        ("source", source["title"]), ("publisher", source["publisher"]), ("date", source.get("date")),
        ("place", told["at"]), ("address", source.get("address")), ("grade", source["grade"]),
        ("scope", told.get("scope")), ("about", ", ".join(told.get("about", ()))),
        ("figures", figures.words(told.get("figures", {}))), ("note", told.get("note")),
        ("checked", kb.checked(told)), ("used by", ", ".join(used_by)), ("no rule", told.get("unused")),
    ])
    page.lines += figures.tables(told.get("figures", {}), page.columns)
    against = list(dict.fromkeys((*told.get("better", ()), *told.get("disputed_by", ()))))
    if against:
        page.heading("Against it")
        page.cite(against, 2)


def source(page: Page, told: dict[str, Any], claims: Iterator[str]) -> None:
    page.heading(f"{told['source']}: {told['title']}")
    fields = ("publisher", "language", "date", "version", "address", "file", "grade", "note")
    page.pairs([(name, told.get(name)) for name in fields])
    page.heading("Claims")
    for claim_id in claims:
        page.para(f"{claim_id}: {page.base.claims[claim_id]['says']}", 2, "- ")


def fact(page: Page, told: dict[str, Any], used_by: list[str]) -> None:
    page.heading(f"{told['id']}: {told['says']}")
    page.para(told.get("ask"))
    page.para(told.get("help"))
    page.para(told.get("why"))
    page.pairs([
        ("type", told["type"]), ("of", f"the {told['scope']}"), ("unit", told.get("unit")),
        ("examples", ", ".join(told.get("examples", ()))),
        ("used by", ", ".join(used_by)),
    ])
    for value, label in (told.get("values") or {}).items():
        page.para(label, 4, f"{value}: ")
