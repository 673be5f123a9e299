"""The answer of a command as JSON of at most 8 KB, for programs and assistants (docs/schema/advisor-brief-1.json): the
verdict first, then the points with their reasons, the sources that they cite, what to find out next, and the command
that says more."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from advisor.advice.answers_file import with_little_guidance
from advisor.advice.arguments import argue
from advisor.advice.model import Advice, Possible, Row
from advisor.advice.rows import has_mount, in_order, mount_line
from advisor.advice.several import Conflict
from advisor.advice.verdict import verdict, with_refusals
from advisor.diagnose.diagnosis import Diagnosis
from advisor.engine import operand
from advisor.lint.finding import SEVERITIES, Finding
from advisor.named_tuple import NamedTuple
from advisor.observe.window import ObserveReport
from advisor.pages.blocks import Block, Heading, plain
from advisor.pages.diagnose import Mask, said
from advisor.pages.formats import Cited, FindingContext, Summary, cite
from advisor.pages.layout import terminal
from advisor.pages.observe import NOTHING, one_line
from advisor.pages.phrases import counted, scope_of_lint, totals, well_formed
from advisor.pages.recommend import guidance_text
from advisor.pages.style import Style
from advisor.pages.wording import label, open_values, question, value_in_words, value_text
from advisor.probe.evidence import answers
from advisor.probe.result import Probed
from advisor.rulebase.model import RuleBase

SCHEMA = "advisor-brief/1"
LIMIT = 8 << 10
"""Bytes of the whole text; it is ASCII."""
_MOST = 40
"""Points that are looked at: 8 KB hold fewer."""
_TEXT, _NAME = 600, 200
"""Bytes of a text that is there once, and of a name or place."""
_LEVELS = ((2000, 3), (600, 2), (240, 1), (120, 1))
"""Bytes of a text in a point, and its citations, from the most to the fewest that are tried."""
_CAUSES = 3
_WIDE = 100
"""Columns of a text that is laid out."""


class Point(NamedTuple):
    """`about`: the rule, setting, cause or conclusion. `weight`: a severity, strength, kind or status. `place`: where
    it was found. `do`: what to do, or to write. `cites`: claims of the rule base."""

    about: str
    says: str
    weight: str = ""
    place: str = ""
    value: object = None
    why: str = ""
    do: str = ""
    cites: Sequence[str] = ()


class Ask(NamedTuple):
    """What to find out next. `how`: the option or command that answers it. `tells`: what the outcomes mean."""

    question: str
    how: str = ""
    tells: str = ""


class Answer(NamedTuple):
    """`points`: the most important first. `more`: the command that says more. `line`: the mount line that is
    advised."""

    verdict: str
    points: Sequence[Point]
    more: str
    ask: Ask | None = None
    line: str = ""


def brief(answer: Answer, source: Callable[[str], Cited]) -> str:
    """The text, with a line end. Texts are shortened, and then the last points left out and counted, until it fits.
    `source`: of a claim."""
    points = answer.points[:_MOST]
    for size, cites in _LEVELS:
        shown = [_shortened(point, size, cites) for point in points]
        fit, too_many = 0, len(shown) + 1
        while too_many - fit > 1:
            middle = (fit + too_many) // 2
            if len(_text(answer, shown[:middle], source)) <= LIMIT:
                fit = middle
            else:
                too_many = middle
        if fit == len(answer.points):
            break
    return _text(answer, shown[:fit], source)


def _shortened(point: Point, size: int, cites: int) -> Point:
    """The point with texts of at most so many bytes, and so many citations."""
    about, place = _cut(point.about, _NAME), _cut(point.place, _NAME)
    says, why, do = (_cut(words, size) for words in (point.says, point.why, point.do))
    return Point(about, says, point.weight, place, point.value, why, do, tuple(dict.fromkeys(point.cites))[:cites])


def _cut(words: str, size: int) -> str:
    """A text that takes at most so many bytes in JSON, besides the quotes and the dots for what is left out."""
    kept = words[:size + 1]
    while (written := len(json.dumps(well_formed(kept))) - 2) > size:
        kept = kept[:len(kept) * size // written].rstrip()
    return words if kept == words else f"{kept}…"


def _text(answer: Answer, points: Sequence[Point], source: Callable[[str], Cited]) -> str:
    cited = {claim: source(claim) for point in points for claim in point.cites}
    data = {
        "schema": SCHEMA, "verdict": _cut(answer.verdict, _TEXT), "line": _cut(answer.line, 2 * _TEXT) or None,
        "points": [_filled(point._asdict()) for point in points], "left_out": len(answer.points) - len(points),
        "sources": {
            claim: {"title": of["title"], "at": of["at"], "date": of["date"], "address": of["address"]}
            for claim, of in cited.items()
        },
        "ask": answer.ask and _filled({name: _cut(words, _TEXT) for name, words in answer.ask._asdict().items()}),
        "more": _cut(answer.more, _NAME),
    }
    return json.dumps(well_formed(data)) + "\n"


def _filled(fields: dict[str, object]) -> dict[str, object]:
    """The fields that say something, and those that are always there."""
    return {
        name: value for name, value in fields.items()
        if name in ("about", "says", "question") or value not in ("", None, ())
    }


def as_brief(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """What `lint` and `check` found, the gravest first."""
    ranked = sorted(findings, key=lambda finding: -SEVERITIES.index(finding.severity))
    points = [
        Point(f.rule, f.message, f.severity, f"{f.file}:{f.line}:{f.column}", None, f.why, f.remedy, f.cites)
        for f in ranked
    ]
    points += [Point("not-judged", passed["reason"], place=passed["file"]) for passed in summary["not_judged"]]
    points += [Point("not-seen", seen["reason"], place=seen["what"]) for seen in summary.get("unseen", ())]
    asked = summary["question"]
    ask = None if asked is None else Ask(asked["question"], f"--set {asked['fact']}={asked['example']}")
    unjudged = f"; {counted(len(summary['not_judged']), 'file')} not judged" if summary["not_judged"] else ""
    head = f"{totals(summary)} in {scope_of_lint(summary)}{unjudged}"
    return brief(Answer(head, points, "the same command with --output-format json", ask), context.citation)


def of_advice(base: RuleBase, advices: Iterable[Advice], conflicts: Iterable[Conflict] = ()) -> str:
    """What `recommend` recommends for the mounts of a host: what to set, then what to leave out, then what is open."""
    judged = [with_refusals(base, advice) for advice in advices]
    told = verdict(base, judged, conflicts)
    points = {
        (row.tunable, row.text): _of_row(base, advice, row)
        for part in ("set", "leave out", "open") for advice in judged for row in in_order(advice.part(part))
    }
    faults = {
        bug.erratum: Point(bug.erratum, f"{bug.fault.title}: {bug.fault.symptom}",
                           "certain" if bug.certain else "possible", why=bug.fault.why, do=bug.fault.workaround or "",
                           cites=bug.fault.cites)
        for advice in judged for bug in advice.bugs
    }
    lacking = with_little_guidance(base, [advice.answers.facts for advice in judged])
    notes = [Point(platform.platform, guidance_text(platform)) for platform in lacking]
    lines = "\n".join(mount_line(advice) for advice in judged if has_mount(advice))
    first = next((question for advice in judged for question in advice.questions), None)
    ask = None if first is None else Ask(first.ask, f"--set {first.fact}=…")
    more = "advisor why SETTING; advisor recommend --all"
    return brief(
        Answer(" ".join((told.title, *told.reasons)), [*points.values(), *faults.values(), *notes], more, ask, lines),
        partial(cite, base),
    )


def of_setting(base: RuleBase, advice: Advice, name: str) -> str:
    """The argument of `why` for one setting."""
    judged = with_refusals(base, advice)
    rows = [row for row in judged.rows if row.tunable == name]
    asks = [fact for row in rows for fact in row.asks]
    points = [_of_row(base, judged, row) for row in rows]
    points += [
        Point(possible.rule or name, f"{value_text(row.definition, possible.value)}{_case(possible)}",
              possible.strength or "", why=possible.why)
        for row in rows for possible in (*row.possible, *row.otherwise)
    ]
    points += [Point(taken.fact, f"assumed: {operand(taken.value)}", why=taken.why, cites=taken.cites)
               for row in rows for taken in (*row.rests_on, *row.presumes)]
    points += [Point(cost.rule or name, value_text(row.definition, cost.value), cost.strength or "", why=cost.why)
               for row in rows for cost in argue(base, judged, row).costs]
    head = "; ".join(f"{label(row.definition)}: {_value(row)}" for row in rows) or f"no rule applies to {name} here"
    ask = Ask(question(base, asks[0]), f"--set {asks[0]}=…") if asks else None
    return brief(Answer(head, points, f"advisor why {name} --all", ask), partial(cite, base))


def _case(possible: Possible) -> str:
    return f", for example where {possible.when}" if possible.when else ""


def _value(row: Row) -> str:
    meanwhile = "open; meanwhile " if row.otherwise else ""
    return f"open: {open_values(row)}" if row.possible else f"{meanwhile}{value_in_words(row)}"


def _of_row(base: RuleBase, advice: Advice, row: Row) -> Point:
    argument = argue(base, advice, row)
    because = ", ".join(f"{fact.fact}={fact.value}" for fact in argument.because)
    does = row.steps.apply or ""
    cites = [cited.claim for cited in argument.cites]
    says = f"{row.title}: {_value(row)}" + (f" (because {because})" if because else "")
    weight = "open" if row.otherwise else row.strength or ""
    return Point(row.tunable, says, weight, value=row.written, why=row.why, do=does, cites=cites)


def of_diagnosis(diagnosis: Diagnosis, mask: Mask) -> str:
    """The likely causes, each with its remedy, and the check that separates them."""
    points = [
        Point(cause.id, cause.title, candidate.status, value=round(candidate.likelihood, 2), why=cause.why,
              do=mask(cause.remedy.do), cites=cause.cites)
        for candidate in diagnosis.possible()[:_CAUSES] for cause in (candidate.cause,)
    ]
    points += [
        Point(pasted.finding.rule, mask(pasted.finding.message), pasted.finding.severity, f"line {pasted.line}",
              do=pasted.finding.remedy, cites=pasted.finding.cites)
        for pasted in diagnosis.evidence.configuration.findings
    ]
    following, asked = diagnosis.next_check(), diagnosis.question()
    ask = None
    if following is not None:
        ask = Ask(f"on the {following.check.on}", following.check.do, " ".join(following.outcomes()))
    elif asked is not None:
        ask = Ask(asked.fact.ask or "", f"--set {asked.fact.id}=…")
    more = "the same command with --all"
    return brief(Answer(mask(said(diagnosis)), points, more, ask), partial(cite, diagnosis.base))


def of_window(base: RuleBase, report: ObserveReport) -> str:
    """What `observe` concludes of each mount, and of the server on this host."""
    drawn = [(mount.window.target, one) for mount in report.mounts for one in mount.conclusions]
    drawn += [("this server", one) for one in report.server_conclusions]
    points = [
        Point(one.conclusion.id, one.says, one.conclusion.kind, place, None, one.conclusion.means,
              "; ".join(f"{what} {', '.join(some)}" for what, some in (
                  ("tune", one.conclusion.helps), ("useless:", one.conclusion.useless)) if some), one.conclusion.cites)
        for place, one in drawn
    ]
    points += [Point("not-seen", words) for words in report.unseen]
    verdict = "; ".join(one_line(mount) for mount in report.mounts) or NOTHING
    return brief(Answer(verdict, points, "advisor observe"), partial(cite, base))


def of_probe(base: RuleBase, probed: Probed) -> str:
    """What a server's answers mean, what decides first."""
    drawn = sorted(answers(base, probed), key=lambda each: each.conclusion.kind == "note")
    points = [
        Point(each.conclusion.id, f"{each.conclusion.title}. {each.says}", each.conclusion.kind,
              why=each.conclusion.means, cites=each.conclusion.cites) for each in drawn
    ]
    faults = [each.conclusion.title for each in drawn if each.conclusion.kind != "note"]
    head = "; ".join(faults) or "Nothing that was asked shows a fault"
    more = "the same command without --output-format"
    return brief(Answer(f"{probed.server}: {head}.", points, more), partial(cite, base))


def of_pages(base: RuleBase, blocks: Sequence[Block], claims: Iterable[str], more: str) -> str:
    """Pages of `explain`: a point for each section, of which the first cites. `claims`: what the subjects cite."""
    sections: list[tuple[str, list[Block]]] = []
    for block in blocks:
        if isinstance(block, Heading) or not sections:
            sections.append((plain(block.text) if isinstance(block, Heading) else "", []))
        if not isinstance(block, Heading):
            sections[-1][1].append(block)
    points = [Point(head, terminal(body, _WIDE, Style(False)).strip()) for head, body in sections if body]
    points[:1] = [point._replace(cites=tuple(claims)) for point in points[:1]]
    title = next((head for head, _ in sections), "")
    return brief(Answer(title, points, more), partial(cite, base))
