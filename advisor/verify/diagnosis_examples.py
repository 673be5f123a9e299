"""Examples of causes and conclusions, and texts of messages: tried with what finds and draws them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import MessageIndex
from advisor.diagnose.ranking import RankedCause, rank
from advisor.observe.conclusions import conclusions
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import YamlPath, as_mapping, mappings_in, texts_in
from advisor.rulebase.model import CauseExample, ConclusionExample, RuleBase
from advisor.rulebase.model.diagnosis import message_pieces
from advisor.rulebase.problems import Problem

_SAMPLES = {
    "server": "nas7", "source": "nas7:/vol9/home", "path": "/vol9/home", "address": "192.0.2.7", "number": "5",
    "version": "5.14.0-362", "errno": "Permission denied", "name": "xyzzy", "option": "xyzzy", "any": "xyzzy plugh",
}
"""What stands in a field when a text is tried."""


def cause_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a cause is not what they say, and texts that are taken for other messages."""
    reader = Reader(base) if catalogue.causes else None
    yield from _own_texts(catalogue, MessageIndex(base) if reader is None else reader.index)
    for item in catalogue.causes.values():
        for number, example in mappings_in(item.data.get("examples")):
            if reader is None:
                break
            parsed = CauseExample.from_data({**example})
            ranked = rank(base, reader.read(parsed.text, parsed.given))
            found, wanted = _standing(ranked, item.id), parsed.expect
            if wanted != found[0] and wanted not in found:
                why = f"it is {' and '.join(found)}" + (f"; first is {ranked[0].cause.id}" if ranked else "")
                yield item.problem(
                    ("examples", number, "expect"), f"{item.id} is expected to be {wanted}", why,
                    "correct the cause or the example",
                )


def _standing(ranked: list[RankedCause], name: str) -> list[str]:
    """What a cause is among those that were found: its status, and whether it is the first, or as likely as that."""
    for one in ranked:
        if one.cause.id == name:
            first = one.status == ranked[0].status != "ruled-out" and one.likelihood > ranked[0].likelihood * 0.999
            return [one.status, "first"] if first else [one.status]
    return ["absent"]


def _own_texts(catalogue: Catalogue, index: MessageIndex) -> Iterator[Problem]:
    for item in catalogue.messages.values():
        written: list[tuple[YamlPath, str]] = [(("text",), str(item.data["text"]))] if "text" in item.data else []
        written += [(("also", number), text) for number, text in texts_in(item.data.get("also"))]
        for at, text in written:
            pieces = message_pieces(text)
            sample = "".join(_SAMPLES.get(field.rstrip("0123456789"), "") + literal for literal, field in pieces)
            program = item.data.get("program") or as_mapping(item.document.data)["program"]
            sample = f"{program}: {sample}"
            found = [hit.message for hit in index.hits(index.folding.line(sample))]
            yield from _taken(item, at, sample, [one.id for one in found])


def _taken(item: Authored, at: YamlPath, sample: str, found: list[str]) -> Iterator[Problem]:
    if item.id not in found:
        other = f"it is taken for {found[0]}" if found else "nothing is found in it"
        yield item.problem(at, f'the text "{sample}" of {item.id}', other,
                           "make the text longer, or name the other message in same_text")


def conclusion_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a conclusion is drawn and should not be, or the other way round."""
    for item in catalogue.conclusions.values():
        for number, example in mappings_in(item.data.get("examples")):
            parsed = ConclusionExample.from_data({**example})
            drawn = {one.conclusion.id: one for one in conclusions(base, parsed.given)}
            if (item.id in drawn) is not parsed.expect:
                found = "is not concluded" if parsed.expect else "is concluded"
                yield item.problem(("examples", number, "expect"), f"{item.id} {found}", "the example says otherwise",
                                   "correct the conclusion or the example")
            elif parsed.expect and "?" in drawn[item.id].says:
                yield item.problem(("examples", number, "given"), f'"{drawn[item.id].says}"',
                                   "the example gives no value for a field of says", "add it to given")
