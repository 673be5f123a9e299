"""The pages of settings, checks, errata and findings, for `advisor explain`, the wizard and the documentation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.advice.model import flag_words, general_steps
from advisor.lint.finding import SEVERITY_OF, Finding, Fix, apply
from advisor.pages.blocks import Block, Document, Text, TextLike, code, codes, text
from advisor.pages.claims import cite
from advisor.pages.style import Style
from advisor.pages.wording import OTHERWISE, condition, outcome, step_rows
from advisor.rulebase.citations import DOUBTFUL, citations
from advisor.rulebase.lives import in_words, lives_of
from advisor.rulebase.model import Check, Decision, Erratum, Pattern, Rule, RuleBase, Tunable, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.evidence import Evidence, RuleSide

FINDS, WHY, EXAMPLE, FIX, SOURCES = "What it finds", "Why it matters", "Example", "Fix", "Sources"


def check_page(base: RuleBase, check: Check, examples: Sequence[Block], fix: Sequence[Block] = ()) -> list[Block]:
    """`fix`: what follows the remedy."""
    page = Document()
    page.heading(text(code(check.check), f": {check.title}"), 1)
    page.pairs(_weight_rows(check.strength, check.consequence))
    if check.policy:
        page.para("A matter of house policy: reported only with ", code("--pedantic"), ", or if selected by name.")
    for profile in check.profiles:
        page.para("Security profile: reported only with ", code(f"--profile {profile}"), ", or if selected by name.")
    page.heading(FINDS)
    derived = any(name in base.tunables and base.tunables[name].derived for name in check.on or ())
    page.para(f"{check.title}." if derived else _looks_for(check))
    page.heading(WHY)
    page.para(check.why)
    for variant in check.variants:
        weight = f", severity {SEVERITY_OF[variant.strength]}" if variant.strength else ""
        words = " ".join(part for part in (variant.why, variant.remedy) if part)
        if weight or words:
            page.para("Where ", code(condition(variant.when)), f"{weight}: {words}".rstrip(": "))
    page.heading(EXAMPLE)
    page.add(examples)
    page.heading(FIX)
    page.para(check.remedy)
    page.add(fix)
    _add_sources(page, base, check.cites)
    return page.blocks


def erratum_page(base: RuleBase, erratum: Erratum, examples: Sequence[Block] = ()) -> list[Block]:
    page = Document()
    page.heading(text(code(erratum.erratum), f": {erratum.title}"), 1)
    page.pairs(_weight_rows(erratum.strength, erratum.consequence))
    page.heading(FINDS)
    page.para(erratum.symptom)
    for sign in erratum.messages:
        page.item(code(sign))
    if erratum.stacks:
        page.para("A kernel's trace may name ", code(", ".join(erratum.stacks)), ".")
    ranges = ((stream, span) for stream, spans in erratum.affected.items() for span in spans)
    page.table(("package", "stream", "affected versions"), (
        (code(erratum.package), code(stream), code(span.text or "all")) for stream, span in ranges
    ))
    if erratum.when:
        page.para("Only where ", code(condition(erratum.when)), ".")
    page.heading(WHY)
    page.para(erratum.why)
    if examples:
        page.heading(EXAMPLE)
    page.add(examples)
    page.heading(FIX)
    page.para(erratum.workaround or "There is none but a fixed version.")
    _add_sources(page, base, erratum.cites)
    return page.blocks


def rule_page(base: RuleBase, rule: Rule, decision: Decision) -> list[Block]:
    page = Document()
    page.heading(text(code(rule.id), ": a rule on ", code(decision.decision)), 1)
    _add_rule(page, rule, base.tunables[decision.decision].unit or decision.unit)
    _add_sources(page, base, rule.cites)
    return page.blocks


def tunable_page(
    base: RuleBase, tunable: Tunable, examples: Sequence[Block] | None = None, fix: Sequence[Block] = ()
) -> list[Block]:
    """A setting: a description, and all its rules, the strongest layer first. `fix`: what follows its steps."""
    page = _tunable_header(base, tunable)
    decision = base.decisions.get(tunable.id)
    rules = rules_by_layer(base, decision) if decision else []
    if decision:
        page.heading(FINDS)
        page.para(decision.about)
        page.para(_searched_text(decision, tunable))
        page.heading(WHY)
        for rule in rules:
            page.heading(code(rule.id), 3)
            _add_rule(page, rule, tunable.unit or decision.unit)
    if examples is not None:
        page.heading(EXAMPLE)
        page.add(examples)
    page.heading(FIX)
    page.pairs(step_rows(tunable, general_steps(base, tunable), tunable.risk))
    page.add(fix)
    _add_sources(page, base, (*tunable.cites, *(claim for rule in rules for claim in rule.cites)), tunable.id)
    if tunable.related:
        page.heading("See also", 3)
        page.para(codes(tunable.related))
    return page.blocks


def short_page(base: RuleBase, tunable: Tunable) -> list[Block]:
    """A setting in brief: a description, which value is recommended when, and how it is set."""
    page, more = _tunable_header(base, tunable), "R"
    decision = base.decisions.get(tunable.id)
    if decision:
        page.para(decision.about)
        rules = rules_by_layer(base, decision)
        page.heading("Recommended")
        words = flag_words(tunable)
        values = {rule.id: words.get(str(rule.value).lower()) or outcome(rule.value) for rule in rules}
        shown = {name: value if len(value) <= _FORMULA else "computed" for name, value in values.items()}
        told = rules if len(rules) <= _ROWS else [*rules[: _ROWS - 1], rules[-1]]  # the last one holds elsewhere
        page.table((), ((code(shown[rule.id]), condition(rule.when)) for rule in told))
        more = f"{len(rules) - len(told)} further rules, r" if told is not rules else more
    if rows := [row for row in step_rows(tunable, general_steps(base, tunable), tunable.risk) if row[1]]:
        page.heading(FIX)
        page.pairs(rows)
    page.para(f"{more}easons, checks and sources: ", code(f"advisor explain {tunable.id} --all"))
    return page.blocks


_FORMULA, _ROWS = 24, 16
"""A longer value is a formula, and more rules than these are more than a page: the long form shows them."""


def summary_page(base: RuleBase, tunable: Tunable, lacking: Sequence[str] = ()) -> list[Block]:
    """A setting without its rules: a description and its own sources. `lacking`: that this host does not have it."""
    page = _tunable_header(base, tunable)
    for words in lacking:
        page.para(words)
    decision = base.decisions.get(tunable.id)
    if decision and not lacking:
        page.para(decision.about)
        page.para("All rules: ", code(f"advisor explain {tunable.id}"))
    _add_sources(page, base, tunable.cites, tunable.id)
    return page.blocks


def _tunable_header(base: RuleBase, tunable: Tunable) -> Document:
    page = Document()
    page.heading(text(code(tunable.id), f": {tunable.title}"), 1)
    page.para(tunable.about)
    lives = lives_of(tunable, base)
    page.pairs([*_trait_rows(tunable), ("versions", "; ".join(in_words(life, base.facts) for life in lives))])
    for life in lives:
        page.para(life.why)
    for what, verdicts in (("refused", tunable.refused), ("ignored", tunable.ignored)):
        for verdict in verdicts:
            page.item(f"{what}: {verdict.why}")
    for change in tunable.becomes:
        page.item(f"{change.range}: {change.how}")
    return page


def rules_by_layer(base: RuleBase, decision: Decision) -> list[Rule]:
    rank = {layer.id: place for place, layer in enumerate(base.layers)}
    return sorted(decision.rules.values(), key=lambda rule: (-rank[rule.layer], rule.id))


def _add_rule(page: Document, rule: Rule, unit: str | None) -> None:
    page.pairs([
        ("says", code(outcome(rule.value, unit))), ("when", code(condition(rule.when))), ("layer", rule.layer),
        *_weight_rows(rule.strength, rule.consequence), ("beats", codes(rule.overrides)), ("risk", rule.risk),
    ])
    page.para(rule.why)
    page.para(rule.note)


def _weight_rows(strength: str | None, consequence: str | None) -> list[tuple[str, TextLike | None]]:
    """Rows on the severity of findings and on the consequence."""
    return [
        ("strength", strength and f"{strength} ({SEVERITY_OF[strength]})"),
        ("otherwise", consequence and f"{OTHERWISE[consequence]} ({consequence})"),
    ]


def _trait_rows(tunable: Tunable) -> Iterator[tuple[str, TextLike | None]]:
    low, high = tunable.minimum, tunable.maximum
    limits = "" if low is None and high is None else f"{'' if low is None else low} … {'' if high is None else high}"
    default = outcome(tunable.default, tunable.unit) if tunable.default is not None else ""
    both = default and tunable.default_note
    note = f"{default} ({tunable.default_note})" if both else default or tunable.default_note
    yield "governs", tunable.governs
    yield "written", codes(dict.fromkeys(form.spelling + ("=…" if form.takes else "") for form in tunable.forms))
    yield from (("kind", tunable.kind), ("unit", tunable.unit), ("range", limits))
    yield "values", ", ".join(str(value) for value in tunable.values or ())
    yield "default", note
    yield "needs", condition(tunable.needs) if tunable.needs else None
    yield "known to", tunable.vendor


def _searched_text(decision: Decision, about: Tunable) -> str:
    if about.kind in ("mount-option", "fstab-field"):
        return "Values that no rule for your facts supports, and required values that are missing."
    if decision.estimate:
        return "Nothing in a file: it is a figure to plan with."
    return "Nothing in an fstab: it is set elsewhere. This is what is recommended; the highest layer wins."


def add_example(page: Document, source: str, given: Mapping[str, Values]) -> None:
    if given:
        page.para("With ", code(condition(given)), ":")
    page.code(source.rstrip("\n"), "fstab")


def _add_sources(page: Document, base: RuleBase, claims: Iterable[str], about: str | None = None) -> None:
    """`about`: a setting; doubtful claims on it are added, though nothing rests on them."""
    page.heading(SOURCES)
    cited = citations(base, claims)
    if not cited:
        page.para("None: it tells of the program, not of NFS.")
    cite(page, base, cited, tunable=about)
    doubtful = [name for name, verdict in base.claims_on.get(about or "", {}).items() if verdict in DOUBTFUL]
    others = citations(base, (name for name in doubtful if name not in {citation.claim for citation in cited}))
    if others:
        page.heading("Where sources disagree, are out of date or slip", 3)
        cite(page, base, others, tunable=about)


_BETWEEN = {
    "mount": "a mount and its server with ", "hosts": "a client and its server with ",
    "clients": "two clients of a server with ", "load": "a server and its clients with ",
    "nodes": "two nodes of a server with ", "export": "hosts that mount one export with ",
}


def _looks_for(check: Check) -> Text:
    parts: list[Text] = []

    def add(*words: TextLike) -> None:
        parts.append(text(*words))

    if check.on:
        add("a line with ", code(condition(check.on)))
    if check.differ:
        add("of which ", codes(check.differ), " differ")
    if check.sides and not check.sides.on and not check.sides.differ:
        add(_BETWEEN[check.sides.of].rpartition(" with ")[0])
    for figure in check.figures.values():
        if figure.range:
            add("of which ", code(figure.formula), f" is {figure.range}{f' {figure.unit}' if figure.unit else ''}")
    pair, total = check.pair, check.total
    if pair:
        add("two NFS lines that are alike in ", codes(pair.same))
        if pair.differ:
            add("and differ in ", codes(pair.differ))
        if pair.either:
            add("of which at least one has ", _any_of(pair.either, " and "))
        if pair.neither:
            add("of which neither has ", _any_of(pair.neither))
    if total:
        add("NFS lines whose ", code(total.of), f" adds up to more than {total.limit}")
        add("those that are alike in ", codes(total.each), " counted once")
        if total.neither:
            add("those with ", _any_of(total.neither), " not counted")
    if check.sides and check.sides.on:
        add(_BETWEEN[check.sides.of], code(condition(check.sides.on)))
    if check.sides and check.sides.differ:
        add(_BETWEEN[check.sides.of], "different values of ", codes(check.sides.differ))
    if check.when:
        add("where ", code(condition(check.when)))
    if not parts:
        return text(f"{check.title}.")
    first = parts[0][0]
    start = first._replace(text=first.text[:1].upper() + first.text[1:])
    sentence = [start, *parts[0][1:]]
    for part in parts[1:]:
        sentence += text(", ", part)
    return text(sentence, ".")


def _any_of(patterns: Mapping[str, Pattern], word: str = " or ") -> Text:
    return codes((condition({name: pattern}) for name, pattern in patterns.items()), word)


_CONFIDENCE = {"medium": "medium, since it rests on a platform that was inferred", "low": "likely, not certain"}


def finding_page(
    base: RuleBase, f: Finding, behind: Evidence, line: Callable[[str, int], str], columns: int
) -> list[Block]:
    """A page on one finding, with its line. `line`: returns a line by file and number; `columns`: the page's width."""
    page = Document()
    page.heading(text(f.message), 1)
    page.para(f"{f.severity}, line {f.line} ({f.rule})")
    marks = [(at.column, at.end_column, at.severity) for at in (f, *f.also)]
    from advisor.pages.formats.text import snippet  # noqa: PLC0415  it needs all of lint

    page.code("\n".join(snippet(f.line, line(f.file, f.line), marks, columns - 4, Style(False))), "text")
    page.add(finding_proof(base, f, behind, line))
    return page.blocks


def finding_proof(base: RuleBase, f: Finding, behind: Evidence, line: Callable[[str, int], str]) -> list[Block]:
    """The page on a finding without its message and line."""
    page = Document()
    page.pairs(_proof_rows(f, behind, line))
    cite(page, base, citations(base, f.cites), "Sources", f.tunable)
    return page.blocks


def _proof_rows(f: Finding, behind: Evidence, line: Callable[[str, int], str]) -> Iterator[tuple[str, TextLike]]:
    yield "why", f.why
    yield "otherwise", OTHERWISE.get(f.consequence, "")
    yield "do", f.remedy
    if f.fix is not None:
        yield "fix", f"{f.fix.safety}; " + "; ".join(_fixed_lines(f.file, f.fix, line))
    yield "confidence", _CONFIDENCE.get(f.confidence, "")
    yield "depends on", ", ".join(f.depends_on)
    if behind.check is not None and not behind.check.builtin:
        yield "finds", _looks_for(behind.check)
    for number, side in enumerate(behind.wins):
        yield "and" if number else "rule", _rule_text(side)
    for known in behind.known:
        cites = f"; {', '.join(known.cites)}" if known.cites else ""
        yield "fact", f"{known.fact} is {known.value} ({known.origin}{cites})"
    for side in behind.beaten:
        yield "beats", _rule_text(side)


def _rule_text(side: RuleSide) -> str:
    return f"{side.rule} ({side.layer}): {outcome(side.value)}{f', if {side.needs}' if side.needs else ''}"


def _fixed_lines(file: str, fix: Fix, line: Callable[[str, int], str]) -> Iterator[str]:
    """The lines that a fix changes, after the fix, with single spaces between fields."""
    for number in dict.fromkeys(edit.line for edit in fix.edits):
        words = apply(line(file, number), (edit for edit in fix.edits if edit.line == number))
        yield f"line {number} becomes {' '.join(words.split())}"
