"""Tries the examples of checks, causes and conclusions, and the texts of messages, with the code that users run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.check.examples import findings_between, host_findings
from advisor.diagnose.diagnosis import RankedCause, rank
from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import MessageIndex
from advisor.engine import FactError
from advisor.lint.finding import Finding, apply
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.observe.conclusions import conclusions
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import YamlPath
from advisor.rulebase.examples import to_flow
from advisor.rulebase.model import Message, RuleBase
from advisor.rulebase.model.diagnosis import message_pieces
from advisor.rulebase.problems import Problem, shown

_SAMPLES = {
    "server": "nas7", "source": "nas7:/vol9/home", "path": "/vol9/home", "address": "192.0.2.7", "number": "5",
    "version": "5.14.0-362", "errno": "Permission denied", "name": "xyzzy", "option": "xyzzy", "any": "xyzzy plugh",
}
"""What is in a field when a text is tried."""


def check_examples(catalogue: Catalogue, compiled: Mapping[str, object]) -> Iterator[Problem]:
    """Examples in which a check does not find what it says. `compiled` is the catalogue, compiled."""
    # No check rests on a decision, and judging all decisions for each example would take seconds.
    rulebase = RuleBase({**compiled, "decisions": {}})
    indexes: dict[str, RuleIndex] = {}  # many examples know the same
    for item in catalogue.checks.values():
        for number, parsed in enumerate(item.record.examples):
            at: YamlPath = ("examples", number)
            try:
                kind, text = parsed.kind_and_text()
                if parsed.host is not None:
                    findings = host_findings(rulebase, parsed.host, parsed.given)
                elif parsed.server is not None:
                    findings = findings_between(rulebase, parsed)
                else:
                    if kind not in indexes:
                        indexes[kind] = RuleIndex(rulebase, {}, kind=kind, profiles=rulebase.profiles)
                    key = kind + to_flow(parsed.given)
                    if key not in indexes:
                        indexes[key] = indexes[kind].knowing(parsed.given)
                    name = parsed.name or "example"
                    findings = lint_text(text, name, rulebase, parsed.given, index=indexes[key], kind=kind).findings
            except FactError as error:
                yield item.problem(
                    (*at, "given"), str(error), "the example describes an impossible case", "correct given"
                )
                continue
            count = sum(finding.rule == item.id for finding in findings)
            wanted = parsed.finds
            if (count if type(wanted) is int else count > 0) != wanted:
                others = sorted({finding.rule for finding in findings} - {item.id})
                why = f"it finds {count} time{'s' * (count != 1)}" + (
                    f" (others do: {', '.join(others)})" if others else ""
                )
                expectation = (
                    f"{item.id} is expected to find {shown(wanted)}"
                    if type(wanted) is int
                    else (
                        f"{item.id} is expected to find something"
                        if wanted
                        else f"{item.id} is expected to find nothing"
                    )
                )
                yield item.problem((*at, "finds"), expectation, why, "correct the check or the example")
                continue
            own = [finding for finding in findings if finding.rule == item.id]
            if parsed.says is not None and all(finding.message != parsed.says for finding in own):
                expectation = f"{item.id} is expected to say {shown(parsed.says)}"
                why = f"it says {shown(own[0].message)}" if own else "it says nothing"
                yield item.problem((*at, "says"), expectation, why, "correct the check or the example")
            if parsed.fixed is not None:
                fixed = _fixed(text, own)
                if fixed != parsed.fixed:
                    expectation = f"{item.id} is expected to write {shown(parsed.fixed)}"
                    why = f"its fix leaves {shown(fixed)}"
                    yield item.problem((*at, "fixed"), expectation, why, "correct the fix or the example")


def _fixed(text: str, findings: list[Finding]) -> str:
    """The text after the fixes of these findings."""
    lines = text.split("\n")
    for finding in findings:
        if finding.fix is not None:
            lines[finding.line - 1] = apply(lines[finding.line - 1], finding.fix.edits)
    return "\n".join(lines)


def cause_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a cause is not what they say, and texts that are taken for other messages."""
    reader = Reader(base)
    yield from _own_texts(catalogue, reader.index)
    for item in catalogue.causes.values():
        for number, parsed in enumerate(item.record.examples):
            ranked = rank(base, reader.read(parsed.text, parsed.given))
            statuses, wanted = _status_of(ranked, item.id), parsed.expect
            if wanted != statuses[0] and wanted not in statuses:
                why = f"it is {' and '.join(statuses)}" + (f"; first is {ranked[0].cause.id}" if ranked else "")
                yield item.problem(
                    ("examples", number, "expect"), f"{item.id} is expected to be {wanted}", why,
                    "correct the cause or the example",
                )


def _status_of(ranked: list[RankedCause], name: str) -> list[str]:
    """What a cause is among those that were found: its status, and whether it is the first, or as likely as that."""
    for ranked_cause in ranked:
        if ranked_cause.cause.id == name:
            first = (
                ranked_cause.status == ranked[0].status != "ruled-out"
                and ranked_cause.likelihood > ranked[0].likelihood * 0.999
            )
            return [ranked_cause.status, "first"] if first else [ranked_cause.status]
    return ["absent"]


def _own_texts(catalogue: Catalogue, index: MessageIndex) -> Iterator[Problem]:
    for item in catalogue.messages.values():
        message = item.record
        written: list[tuple[YamlPath, str]] = [] if message.text is None else [(("text",), message.text)]
        written += [(("also", number), text) for number, text in enumerate(message.also)]
        for at, text in written:
            pieces = message_pieces(text)
            sample = "".join(_SAMPLES.get(field.rstrip("0123456789"), "") + literal for literal, field in pieces)
            sample = f"{message.program}: {sample}"
            found = [hit.message.id for hit in index.hits(index.folding.line(sample))]
            yield from _mistaken(item, at, sample, found)


def _mistaken(item: Authored[Message], at: YamlPath, sample: str, message_ids: list[str]) -> Iterator[Problem]:
    if item.id not in message_ids:
        other = f"it is taken for {message_ids[0]}" if message_ids else "nothing is found in it"
        yield item.problem(at, f'the text "{sample}" of {item.id}', other,
                           "make the text longer, or name the other message in same_text")


def conclusion_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a conclusion is drawn and should not be, or the other way round."""
    for item in catalogue.conclusions.values():
        for number, parsed in enumerate(item.record.examples):
            drawn = {conclusion.conclusion.id: conclusion for conclusion in conclusions(base, parsed.given)}
            if (item.id in drawn) is not parsed.expect:
                outcome = "is not concluded" if parsed.expect else "is concluded"
                yield item.problem(("examples", number, "expect"), f"{item.id} {outcome}", "the example says otherwise",
                                   "correct the conclusion or the example")
            elif parsed.expect and "?" in drawn[item.id].says:
                yield item.problem(("examples", number, "given"), f'"{drawn[item.id].says}"',
                                   "the example gives no value for a field of says", "add it to given")
