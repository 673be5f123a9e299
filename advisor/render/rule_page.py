"""`advisor rules docs`: a page for each check, decision and erratum, always with the same headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from advisor.render.conditions import condition, outcome
from advisor.render.escape import visible
from advisor.render.formats.markdown import code, literal
from advisor.render.style import is_address
from advisor.rulebase.model import Check, Decision, Erratum, Tunable, Variant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Pattern, Values

MARK = "<!-- Written by `advisor rules docs`; a test keeps it so. -->"
_SEVERITY = {"must": "error", "should": "warning", "may": "note"}
_DONE = {
    "safe": "`advisor lint --fix` does this.",
    "unsafe": "`advisor lint --unsafe-fixes` does this: it changes what the mount does.",
}


class Example(NamedTuple):
    """fstab text with the facts that are given beside it. `says`: what the finding says; `fixed`: the text after the
    fix; `safety`: of the fix. These are empty for text in which nothing is found, or that has no fix."""

    text: str
    given: Mapping[str, Values]
    says: tuple[str, ...] = ()
    fixed: str = ""
    safety: str = ""


class Advice(NamedTuple):
    """What a decision comes to where these facts are known; `expect` may be a list of what is still possible."""

    given: Mapping[str, Values]
    expect: Values


def check_page(
    told: Check, examples: tuple[Sequence[Example], Sequence[Example]], cited: Iterable[Mapping[str, Any]]
) -> str:
    """The page of a check of the rule base. `examples`: found and not found."""
    policy = ["A matter of house policy: told only with `--pedantic`, or where it is selected by name."]
    lines = [
        *_head(told.check, told.title),
        _weight(told.strength, told.consequence), *(policy if told.policy else []), "",
        "## What it finds", "", _finds(told), "",
        "## Why it matters", "", literal(told.why), "", *_variants(told.variants),
        "## Example", "", *_examples(*examples),
        "## Fix", "", literal(told.remedy), *_fix(examples[0]), "",
        *_sources(cited),
    ]
    return page(lines)


def decision_page(
    told: Decision, tunable: Tunable, examples: tuple[Sequence[Example], Sequence[Example]],
    advice: Sequence[Advice], cited: Iterable[Mapping[str, Any]],
) -> str:
    """The page of a decision: all that is recommended for one tunable.

    Its rules: strongest layer first. `examples`: found and not found."""
    unit = tunable.unit or told.unit
    rules = told.rules.values()
    lines = [*_head(told.decision, tunable.title or told.decision)]
    if told.about:
        lines += [literal(told.about), ""]
    lines += ["## What it finds", "", _decides(told, tunable), ""]
    lines += table(
        ("rule", "recommends", "where", "layer", "severity", "otherwise"),
        [
            (f"`{rule.id}`", code(outcome(rule.value, unit)), code(condition(rule.when)), rule.layer,
             _SEVERITY.get(rule.strength or "", ""), rule.consequence or "")
            for rule in rules
        ],
    )
    lines += ["", "## Why it matters", ""]
    for rule in rules:
        lines += [f"### {rule.id}", "", literal(rule.why), ""]
        for label, text in (("Risk", rule.risk), ("Note", rule.note)):
            lines += [f"{label}: {literal(text)}", ""] if text else []
        if rule.overrides:
            lines += [f"It beats, whatever their layers: {_names(rule.overrides)}.", ""]
    lines += ["## Example", "", *_examples(*examples)]
    if advice:
        lines += ["### Recommended", "", *table(("where", "recommended"), [_advice(one, unit) for one in advice]), ""]
    lines += ["## Fix", "", *_set(tunable), *_fix(examples[0]), "", *_sources(cited)]
    return page(lines)


def erratum_page(told: Erratum, examples: Sequence[Advice], cited: Iterable[Mapping[str, Any]]) -> str:
    """The page of an erratum."""
    ranges = [
        (f"`{told.package}`", code(stream), code(" ".join(f"{_SIGN[end]}{one}" for end, one in vars(span).items())))
        for stream, spans in told.affected.items() for span in spans
    ]
    lines = [
        *_head(told.erratum, told.title), _weight(told.strength, told.consequence), "",
        "## What it finds", "", literal(told.symptom), "",
        *table(("package", "stream", "affected versions"), ranges), "",
    ]
    if told.when:
        lines += [f"Only where {code(condition(told.when), table=False)}.", ""]
    lines += ["## Why it matters", "", literal(told.why), "", "## Example", ""]
    for title, wanted in (("### Found", True), ("### Not found", False)):
        given = [f"- {code(condition(dict(one.given)), table=False)}" for one in examples if one.expect is wanted]
        lines += [title, "", *given, ""] if given else []
    lines += ["## Fix", "", literal(told.workaround or "There is none."), "", *_sources(cited)]
    return page(lines)


_SIGN = {"introduced": ">=", "fixed": "<", "last_affected": "<="}


def page(lines: Iterable[str]) -> str:
    """A page of these lines."""
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(name: str, title: str) -> list[str]:
    return [f"# {name}", "", MARK, "", f"**{literal(title)}**", ""]


def _weight(strength: str, consequence: str) -> str:
    return f"Severity: {_SEVERITY[strength]}. Consequence: {consequence}."


def _variants(variants: Iterable[Variant]) -> list[str]:
    """What a check says where more is known, if it is more than other words for the same."""
    lines = []
    for one in variants:
        weight = f", severity {_SEVERITY[one.strength]}" if one.strength else ""
        told = " ".join(literal(text) for text in (one.why, one.remedy) if text)
        if weight or told:
            lines += [f"Where {code(condition(one.when), table=False)}{weight}: {told}".rstrip(": "), ""]
    return lines


def _finds(told: Check) -> str:
    """What a check looks for."""
    parts = []
    if told.on:
        parts.append(f"a line with {code(condition(told.on), table=False)}")
    parts += [f"of which {_names(told.differ)} differ"] if told.differ else []
    for figure in told.figures.values():
        if figure.range:
            unit = f" {figure.unit}" if figure.unit else ""
            parts.append(f"of which {code(figure.formula, table=False)} is {figure.range}{unit}")
    pair = told.pair
    if pair:
        parts.append(f"two NFS lines that are alike in {_names(pair.same)}")
        parts += [f"and differ in {_names(pair.differ)}"] if pair.differ else []
        parts += [f"of which one at least has {_any_of(pair.either, ' and ')}"] if pair.either else []
        parts += [f"of which none has {_any_of(pair.neither)}"] if pair.neither else []
    total = told.total
    if total:
        parts.append(f"NFS lines whose `{total.of}` adds up to more than {total.limit}")
        parts.append(f"those that are alike in {_names(total.each)} counted once")
        parts += [f"those with {_any_of(total.neither)} not counted"] if total.neither else []
    parts += [f"where {code(condition(told.when), table=False)}"] if told.when else []
    text = ", ".join(parts) or literal(told.title)
    return f"{text[:1].upper()}{text[1:]}."


def _any_of(patterns: Mapping[str, Pattern], word: str = " or ") -> str:
    return word.join(code(condition({tunable: pattern}), table=False) for tunable, pattern in patterns.items())


def _decides(told: Decision, tunable: Tunable) -> str:
    if tunable.kind in ("mount-option", "fstab-field"):
        return "A value, or the lack of one, that no rule supports which applies; the highest layer wins."
    if told.estimate:
        return "Nothing in a file: it is a figure to plan with."
    return "Nothing in an fstab: it is set elsewhere. This is what is recommended; the highest layer wins."


def _names(tunables: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in tunables)


def _examples(found: Sequence[Example], clear: Sequence[Example]) -> list[str]:
    lines = []
    for title, examples in (("### Found", found), ("### Not found", clear)):
        if examples:
            lines += [title, ""]
        for one in examples:
            if one.given:
                lines += [f"With {code(condition(dict(one.given)), table=False)}:", ""]
            lines += [*_block(one.text), ""]
            lines += [f"- {literal(text)}" for text in one.says] + ([""] if one.says else [])
    return lines


def _block(text: str) -> list[str]:
    return ["```fstab", *(visible(line) for line in text.rstrip("\n").split("\n")), "```"]


def _advice(one: Advice, unit: str | None) -> tuple[str, str]:
    where = code(condition(dict(one.given))) if one.given else "nothing is known"
    values = one.expect if isinstance(one.expect, list) else [one.expect]
    return where, " or ".join(code(outcome(value, unit)) for value in values)


def _fix(found: Sequence[Example]) -> list[str]:
    """What the program does about it, with the first example fixed."""
    one = next((example for example in found if example.fixed), None)
    if one is None:
        return []
    return ["", _DONE[one.safety], "", *_block(one.fixed)]


def _set(tunable: Tunable) -> list[str]:
    """How to set, check and undo it."""
    spelled = [f"`{form.spelling}{'=…' if form.takes else ''}`" for form in tunable.forms]
    rows = [
        ("Set", f"the option {' or '.join(spelled)}" if spelled else literal(tunable.sets or "")),
        *((label, literal(str(getattr(tunable, key) or ""))) for label, key in _HOW.items()),
    ]
    return [f"- {label}: {text}" for label, text in rows if text]


_HOW = {"Check": "verify", "Undo": "undo", "Takes effect": "takes_effect", "Lasts": "persists", "Risk": "risk"}


def _sources(cited: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = ["## Sources", ""]
    cited = list(cited)
    if not cited:
        lines.append("None: it tells of the program, not of NFS.")
    for one in cited:
        title = literal(one["title"])
        if one["address"] and is_address(one["address"]):
            title = f"[{title}]({one['address']})"
        verdict = "" if one["verdict"] == "accepted" else f", {one['verdict']}"
        said = f"{literal(one['at'])}: {literal(one['says'])}"
        lines.append(f"- {title}, {said} (`{one['claim']}`, {one['grade']}{verdict})")
    return lines


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows)]

