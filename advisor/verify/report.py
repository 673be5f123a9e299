"""`advisor rules verify` and `rules test`: every problem that prevents loading, and those that only a complete check
can find. The examples of checks, causes and conclusions, and the texts of messages, are tried with the code that users
run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from advisor.check.examples import findings_between, host_findings
from advisor.diagnose.diagnosis import RankedCause, rank
from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import MessageIndex
from advisor.engine import FactError
from advisor.engine.errors import word_list
from advisor.lint.finding import Finding, apply
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.observe.conclusions import conclusions
from advisor.rulebase import base, build, citations, packs, rule_files
from advisor.rulebase.catalogue import Authored, Catalogue, Entry
from advisor.rulebase.compile import assemble
from advisor.rulebase.document import Problem, YamlPath, mappings_in, merge_repeats, shown, texts_in
from advisor.rulebase.examples import to_flow
from advisor.rulebase.model import Message, Record, RuleBase
from advisor.rulebase.model.kb import message_pieces
from advisor.verify.acceptance import unaccepted_options

LINTING = (
    *build.FOUNDATION, "rules/checks/", "rules/errata/", "kb/host-files.yaml", "kb/kinds.yaml", "kb/layouts.yaml",
    "kb/platforms/", "kb/tunables/",
)
"""What the examples of checks rest on: no check rests on a decision."""
DIAGNOSIS = ("rules/", "kb/errno.yaml", "kb/messages/", "kb/phrases/")
"""What the examples of causes rest on besides: a pasted line is linted, decisions and all."""
OBSERVATION = ("rules/conclusions/", "rules/observations/")
"""What the examples of conclusions rest on besides."""


class Report(NamedTuple):
    """`size`: what was looked at, in words. `notes`: remarks that are not problems."""

    problems: list[Problem]
    notes: list[str]
    size: str


def verify(root: str | None = None) -> Report | None:
    """Look at the rule base at `root`, by default at the one in use; None when there is none."""
    root = os.path.abspath(root) if root is not None else base.source_root()  # noqa: PTH100  see rule_files.py
    contents = rule_files.files(root)
    if not contents:
        return None
    verified = build.Verified(root, contents)
    validated = build.check(root, contents, thorough=True, verified=verified)
    problems = [*validated.problems, *validated.near_misses]
    notes = []
    if validated.unused and not validated.problems:  # a faulty file may be the one that needs them
        notes.append(f"no rule needs the fact{'s' * (len(validated.unused) > 1)} {word_list(validated.unused, 'and')}")
    if validated.problems or validated.base is None or validated.diagnosis is None:
        if validated.catalogue.checks:
            notes.append("the examples of checks were not tried: they need a rule base without problems")
    else:
        compiled = assemble(validated.catalogue, validated.base, validated.diagnosis, "")
        rulebase = RuleBase(compiled)
        examples: tuple[tuple[str, tuple[str, ...], Callable[[], Iterator[Problem]]], ...] = (
            ("checks", LINTING, lambda: check_examples(validated.catalogue, compiled)),
            ("causes", (*LINTING, *DIAGNOSIS), lambda: cause_examples(validated.catalogue, rulebase)),
            ("conclusions", (*LINTING, *OBSERVATION), lambda: conclusion_examples(validated.catalogue, rulebase)),
        )
        for part, rests_on, try_all in examples:
            problems += verified.problems(part, rests_on, try_all)
        problems += unaccepted_options(validated.catalogue, rulebase, validated.catalogue.rules)
        problems += _citation_gaps(validated.catalogue, rulebase)
        notes += citations.checked_share(rulebase.claims)
    verified.keep()
    return Report(merge_repeats(problems), notes, _size(validated.catalogue))


def _size(catalogue: Catalogue) -> str:
    counts: dict[str, Mapping[str, object]] = {
        "rule": catalogue.rules,
        "decision": catalogue.decisions,
        "check": catalogue.checks,
        "erratum": catalogue.errata,
        "fact": catalogue.known_facts,
        "tunable": catalogue.tunables,
        "message": catalogue.messages,
        "cause": catalogue.causes,
        "conclusion": catalogue.conclusions,
        "claim": catalogue.claims,
        "source": catalogue.sources,
    }
    return _enumerated({noun: len(items) for noun, items in counts.items()})


def _enumerated(counts: Mapping[str, int]) -> str:
    """ "1 check, 2 errata and 3 rules", from noun → count."""
    plurals = {"erratum": "errata"}
    return word_list(
        [f"{count} {noun if count == 1 else plurals.get(noun, noun + 's')}" for noun, count in counts.items()], "and"
    )


def _citation_gaps(catalogue: Catalogue, compiled: RuleBase) -> Iterator[Problem]:
    """Sections and claims that were left out, and reasons that no longer hold."""
    for kind, name, detail in citations.gaps(compiled):
        if kind == "empty-section":
            item = catalogue.sources[name]
            at = ("sections", next(index for index, section in texts_in(item.data["sections"]) if section == detail))
            why, write = "no claim cites it", f'add a claim with at: "{detail}", or delete the section'
            yield item.problem(at, f'the section "{detail}"', why, write)
        elif kind == "unexplained":
            why = "nothing rests on it, and it gives no reason"
            write = "cite it, or add unused: why nothing does"
            yield catalogue.claims[name].problem(("id",), f'the claim "{name}"', why, write)
        else:
            why = f"something rests on it: {detail}"
            yield catalogue.claims[name].problem(("unused",), f'"unused" of {name}', why, "delete it", key=True)


def verify_pack(folder: str) -> Report:
    """Everything that is wrong with a pack, near misses too; `size` counts what is in it, examples included.

    Raises RuleBaseError when there are no rules in the folder."""
    files = base.pack_files(folder)
    folder = folder.rstrip("/") or "/"
    root = base.source_root()
    checked = build.check(root, rule_files.files(root), thorough=True, added={folder: files})
    own = _pack_entries(checked.catalogue)
    problems = [*checked.problems, *checked.near_misses]
    notes = []
    if checked.problems or checked.base is None or checked.diagnosis is None:
        if own.checks:
            notes.append("the examples of checks were not tried: they need rules without problems")
    else:
        compiled = assemble(checked.catalogue, checked.base, checked.diagnosis, "")
        wrong = [*check_examples(own, compiled), *unaccepted_options(checked.catalogue, RuleBase(compiled), own.rules)]
        problems += [packs.with_real_paths(problem, [folder]) for problem in wrong]
    return Report(merge_repeats(problems), notes, _pack_size(own))


def _pack_entries(catalogue: Catalogue) -> Catalogue:
    """What is in packs alone. A decision that was there before is not; the rules that were added to it are."""
    own = Catalogue()
    for name in ("rules", "checks", "errata", "decisions", "claims"):
        items: dict[str, Authored[Record]] = getattr(catalogue, name)
        setattr(own, name, {item.id: item for item in items.values() if packs.is_of_pack(item.file)})
    return own


def _pack_size(own: Catalogue) -> str:
    owners: list[Entry] = [
        *own.rules.values(), *own.checks.values(), *own.errata.values(), *own.decisions.values()
    ]
    counts = {
        "rule": len(own.rules),
        "check": len(own.checks),
        "erratum": len(own.errata),
        "claim": len(own.claims),
        "example": sum(len(mappings_in(item.data.get("examples"))) for item in owners),
    }
    return _enumerated({noun: count for noun, count in counts.items() if count})


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
