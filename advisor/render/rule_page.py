"""The pages of settings, checks and errata, for `advisor explain`, the wizard and `advisor rules docs`: always with
the same headings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.advice.citations import citations
from advisor.advice.steps import general
from advisor.document.blocks import Block, Code, Document, code, codes, text
from advisor.named_tuple import NamedTuple
from advisor.render.check_pattern import looks_for
from advisor.render.citing import cite
from advisor.render.wording import OTHERWISE, condition, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.document.blocks import Said
    from advisor.rulebase.model import Check, Decision, Erratum, Rule, RuleBase, Tunable
    from advisor.rulebase.model.types import Values

SEVERITY = {"must": "error", "should": "warning", "may": "note"}
FINDS, WHY, EXAMPLE, FIX, SOURCES = "What it finds", "Why it matters", "Example", "Fix", "Sources"
_DOUBTFUL = ("disputed", "dated", "typo", "wrong")
_SIGN = {"introduced": ">=", "fixed": "<", "last_affected": "<="}
_DONE = {
    "safe": text(code("advisor lint --fix"), " does this."),
    "unsafe": text(code("advisor lint --unsafe-fixes"), " does this: it changes what the mount does."),
}


class ShownExample(NamedTuple):
    """fstab text with the facts that are given beside it. `says`: what the finding says; `fixed`: the text after the
    fix; `safety`: of the fix. These are empty for text in which nothing is found, or that has no fix."""

    text: str
    given: Mapping[str, Values]
    says: tuple[str, ...] = ()
    fixed: str = ""
    safety: str = ""


class Examples(NamedTuple):
    """Texts in which something is found, and in which nothing is."""

    found: Sequence[ShownExample] = ()
    clear: Sequence[ShownExample] = ()


class DecisionCase(NamedTuple):
    """What a decision comes to where these facts are known; `expect` may be a list of what is still possible."""

    given: Mapping[str, Values]
    expect: Values


def check(base: RuleBase, told: Check, examples: Examples) -> list[Block]:
    """A check of the rule base."""
    page = Document()
    page.heading(text(code(told.check), f": {told.title}"), 1)
    page.pairs(_weight(told.strength, told.consequence))
    if told.policy:
        page.para("A matter of house policy: reported only with ", code("--pedantic"), ", or if selected by name.")
    for profile in told.profiles:
        page.para("Security profile: reported only with ", code(f"--profile {profile}"), ", or if selected by name.")
    page.heading(FINDS)
    page.para(looks_for(told))
    page.heading(WHY)
    page.para(told.why)
    for one in told.variants:
        weight = f", severity {SEVERITY[one.strength]}" if one.strength else ""
        words = " ".join(part for part in (one.why, one.remedy) if part)
        if weight or words:
            page.para("Where ", code(condition(one.when)), f"{weight}: {words}".rstrip(": "))
    page.heading(EXAMPLE)
    _examples(page, examples)
    page.heading(FIX)
    page.para(told.remedy)
    _fixed(page, examples.found)
    _sources(page, base, told.cites)
    return page.blocks


def erratum(base: RuleBase, told: Erratum, cases: Sequence[DecisionCase] = ()) -> list[Block]:
    """A known bug."""
    page = Document()
    page.heading(text(code(told.erratum), f": {told.title}"), 1)
    page.pairs(_weight(told.strength, told.consequence))
    page.heading(FINDS)
    page.para(told.symptom)
    ranges = ((stream, span) for stream, spans in told.affected.items() for span in spans)
    page.table(("package", "stream", "affected versions"), (
        (code(told.package), code(stream), code(_range(vars(span)))) for stream, span in ranges
    ))
    if told.when:
        page.para("Only where ", code(condition(told.when)), ".")
    page.heading(WHY)
    page.para(told.why)
    page.heading(EXAMPLE)
    for title, wanted in (("Affected", True), ("Not affected", False)):
        given = [one.given for one in cases if one.expect is wanted]
        if given:
            page.heading(title, 3)
        for facts in given:
            page.item(code(condition(facts)))
    page.heading(FIX)
    page.para(told.workaround or "There is none but a fixed version.")
    _sources(page, base, told.cites)
    return page.blocks


def _range(span: Mapping[str, object]) -> str:
    return " ".join(f"{_SIGN[key]}{version}" for key, version in span.items()) or "all"


def rule(base: RuleBase, told: Rule, decision: Decision) -> list[Block]:
    """One rule of a decision."""
    page = Document()
    page.heading(text(code(told.id), ": a rule on ", code(decision.decision)), 1)
    _rule(page, told, base.tunables[decision.decision].unit or decision.unit)
    _sources(page, base, told.cites)
    return page.blocks


def tunable(
    base: RuleBase, told: Tunable, examples: Examples | None = None, cases: Sequence[DecisionCase] = ()
) -> list[Block]:
    """A setting: what it is, and all that is recommended for it, strongest first."""
    page = _about(told)
    decision = base.decisions.get(told.id)
    rules = ranked(base, decision) if decision else []
    if decision:
        page.heading(FINDS)
        page.para(decision.about)
        page.para(_decides(decision, told))
        page.heading(WHY)
        for one in rules:
            page.heading(code(one.id), 3)
            _rule(page, one, told.unit or decision.unit)
    if examples is not None:
        page.heading(EXAMPLE)
        _examples(page, examples)
        if cases:
            page.heading("Recommended", 3)
            page.table(("where", "recommended"), (_case(one, told.unit) for one in cases))
    page.heading(FIX)
    usual = general(base, told)
    page.pairs([
        ("risk", told.risk), ("apply", usual.apply), ("takes effect", told.takes_effect), ("persists", told.persists),
        ("check", usual.check), ("undo", usual.undo),
    ])
    _fixed(page, examples.found if examples else ())
    _sources(page, base, (*told.cites, *(claim for one in rules for claim in one.cites)), told.id)
    if told.related:
        page.heading("See also", 3)
        page.para(codes(told.related))
    return page.blocks


def in_short(base: RuleBase, told: Tunable) -> list[Block]:
    """A setting without its rules: what it is, what it decides, and its own sources."""
    page = _about(told)
    decision = base.decisions.get(told.id)
    if decision:
        page.para(decision.about)
        page.para("All rules: ", code(f"advisor explain {told.id}"))
    _sources(page, base, told.cites, told.id)
    return page.blocks


def _about(told: Tunable) -> Document:
    page = Document()
    page.heading(text(code(told.id), f": {told.title}"), 1)
    page.para(told.about)
    page.pairs(_traits(told))
    for what, verdicts in (("refused", told.refused), ("ignored", told.ignored)):
        for verdict in verdicts:
            page.item(f"{what}: {verdict.why}")
    for change in told.becomes:
        page.item(f"{change.range}: {change.how}")
    return page


def ranked(base: RuleBase, decision: Decision) -> list[Rule]:
    """The rules of a decision, strongest layer first."""
    rank = {layer.id: place for place, layer in enumerate(base.layers)}
    return sorted(decision.rules.values(), key=lambda one: (-rank[one.layer], one.id))


def _rule(page: Document, told: Rule, unit: str | None) -> None:
    page.pairs([
        ("says", code(outcome(told.value, unit))), ("when", code(condition(told.when))), ("layer", told.layer),
        *_weight(told.strength, told.consequence), ("beats", codes(told.overrides)), ("risk", told.risk),
    ])
    page.para(told.why)
    page.para(told.note)


def _weight(strength: str | None, consequence: str | None) -> list[tuple[str, Said | None]]:
    """How much it matters: the severity of findings, and what happens otherwise."""
    return [
        ("strength", strength and f"{strength} ({SEVERITY[strength]})"),
        ("otherwise", consequence and f"{OTHERWISE[consequence]} ({consequence})"),
    ]


def _traits(told: Tunable) -> Iterator[tuple[str, Said | None]]:
    low, high = told.minimum, told.maximum
    limits = "" if low is None and high is None else f"{'' if low is None else low} … {'' if high is None else high}"
    default = outcome(told.default, told.unit) if told.default is not None else ""
    note = f"{default} ({told.default_note})" if default and told.default_note else default or told.default_note
    yield "governs", told.governs
    yield "written", codes(dict.fromkeys(form.spelling + ("=…" if form.takes else "") for form in told.forms))
    yield from (("kind", told.kind), ("unit", told.unit), ("range", limits))
    yield "values", ", ".join(str(value) for value in told.values or ())
    yield "default", note
    yield "needs", condition(told.needs) if told.needs else None
    yield "known to", told.vendor


def _decides(told: Decision, about: Tunable) -> str:
    if about.kind in ("mount-option", "fstab-field"):
        return ("A value that none of the rules that apply supports, or a missing one that they ask for. "
                "The highest layer wins.")
    if told.estimate:
        return "Nothing in a file: it is a figure to plan with."
    return "Nothing in an fstab: it is set elsewhere. This is what is recommended; the highest layer wins."


def _examples(page: Document, examples: Examples) -> None:
    for title, listed in (("Found", examples.found), ("Not found", examples.clear)):
        if listed:
            page.heading(title, 3)
        for one in listed:
            if one.given:
                page.para("With ", code(condition(one.given)), ":")
            page.code(one.text.rstrip("\n"), "fstab")
            for words in one.says:
                page.item(words)


def _case(one: DecisionCase, unit: str | None) -> tuple[Said, Said]:
    where = code(condition(one.given)) if one.given else "nothing is known"
    values = one.expect if isinstance(one.expect, list) else [one.expect]
    return where, codes((outcome(value, unit) for value in values), " or ")


def _fixed(page: Document, found: Iterable[ShownExample]) -> None:
    """What the program does about it, with the first example fixed."""
    one = next((example for example in found if example.fixed), None)
    if one is not None:
        page.para(_DONE[one.safety])
        page.add([Code(one.fixed.rstrip("\n"), "fstab")])


def _sources(page: Document, base: RuleBase, claims: Iterable[str], about: str | None = None) -> None:
    """`about`: a setting, of which claims that nothing rests on and that are doubtful are told as well."""
    page.heading(SOURCES)
    cited = citations(base, claims)
    if not cited:
        page.para("None: it tells of the program, not of NFS.")
    cite(page, base, cited, tunable=about)
    doubtful = [name for name, claim in base.claims.items() if about in claim.about and claim.verdict in _DOUBTFUL]
    others = citations(base, (name for name in doubtful if name not in {one.claim for one in cited}))
    if others:
        page.heading("Where sources disagree, are out of date or slip", 3)
        cite(page, base, others, tunable=about)
