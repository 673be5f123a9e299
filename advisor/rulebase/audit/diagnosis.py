"""Messages, causes, phrases and conclusions: texts that can be known, names that exist, examples on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from advisor.engine.errors import word_list
from advisor.rulebase.audit import common
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import YamlPath, as_list, as_mapping, mappings_in, texts_in
from advisor.rulebase.model.diagnosis import FIELDS, count_letters, message_pieces
from advisor.rulebase.problems import Problem, near

LETTERS = 10
"""Letters outside its fields that a text needs to be recognised without further evidence."""
_SEEN = ("first", "confirmed", "possible")
_NOT_SEEN = ("ruled-out", "absent")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all that a diagnosis rests on."""
    facts = catalogue.observable()
    for item in catalogue.messages.values():
        if item.sound:
            yield from _message(item, catalogue, facts)
    for item in catalogue.causes.values():
        if item.sound:
            yield from _cause(item, catalogue, facts)
    for item in catalogue.phrases.values():
        if item.sound:
            yield from _words(item, ("words",), needed=True)
            yield from _words(item, ("unless",))
            yield from common.answers(item, ("holds",), item.data.get("holds"), facts)
            yield from common.answers(item, ("opposite",), item.data.get("opposite"), facts)
    for item in catalogue.conclusions.values():
        if item.sound:
            yield from _conclusion(item, catalogue)


def _message(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    written: list[tuple[YamlPath, str]] = [(("text",), str(data["text"]))] if "text" in data else []
    written += [(("also", index), text) for index, text in texts_in(data.get("also"))]
    if bool(written) == bool(data.get("words")):
        yield item.problem((), f"{item.id} has neither text nor words, or both",
                           "a message is known by its text and a symptom by its words", "give one of them")
    fields: set[str] = set()
    for at, text in written:
        try:
            parts = message_pieces(text)
        except ValueError as error:
            yield item.problem(at, f'"{text}"', str(error), "close it, or write {{ for a brace")
            continue
        yield from _text(item, at, text, parts)
        fields |= {field for _, field in parts[1:]}
    yield from _words(item, ("words",))
    source = data.get("source") or as_mapping(item.document.data).get("source")
    if isinstance(source, str) and source not in catalogue.sources:
        hint = near(source, catalogue.sources, f"write kb/sources/{source}.yaml")
        yield item.problem(("source",), f'unknown source "{source}"', "no file of kb/sources defines it", hint)
    if "at" in data and source is None:
        yield item.problem(("at",), "a place without a source", "there is no such place", "add source: …", key=True)
    if isinstance(data.get("errno"), str) and data["errno"] not in catalogue.errno:
        hint = near(data["errno"], catalogue.errno, "add it to kb/errno.yaml")
        yield item.problem(("errno",), f'unknown error "{data["errno"]}"', "kb/errno.yaml does not have it", hint)
    for index, name in texts_in(data.get("same_text")):
        yield from common.reference(item, ("same_text", index), name, catalogue.messages, "message")
    for name, value in as_mapping(data.get("holds")).items():
        at = ("holds", name)
        if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
            yield from common.reference(item, at, name, facts, "fact", key=True)
            if value[1:-1] not in fields:
                yield item.problem(at, f'"{value}"', "no text of the message has this field",
                                   f"it is one of {word_list(sorted(fields))}" if fields else "write the value")
        else:
            yield from common.answer(item, at, name, value, facts)


def _text(item: Authored, at: YamlPath, text: str, parts: list[tuple[str, str]]) -> Iterator[Problem]:
    for _, field in parts[1:]:
        if field.rstrip("0123456789") not in FIELDS:
            hint = near(field, FIELDS, f"it is one of {word_list(FIELDS)}")
            yield item.problem(at, f'the field "{{{field}}}"', "there is no such field", hint)
    if any(not literal for literal, _ in parts[1:-1]):
        yield item.problem(at, "two fields without anything between them",
                           "it would be unclear where one ends", "make them one")
    if count_letters(parts) < LETTERS and not item.data.get("generic"):
        yield item.problem(at, f'"{text}"', f"it has fewer than {LETTERS} letters to be known by",
                           "add generic: true; it then counts only where the text names NFS")


def _words(item: Authored, at: YamlPath, needed: bool = False) -> Iterator[Problem]:
    groups = as_list(item.data.get(str(at[0])))
    if needed and not groups:
        yield item.problem(at, "no words", "it could never be found", "add words: [[…]]")
    for index, words in enumerate(groups):
        group = texts_in(words)
        if not group or not all(word.strip() for _, word in group):
            yield item.problem((*at, index), "an empty group", "it would always count", "write its words")
        for place, word in group:
            if word != word.lower():
                yield item.problem((*at, index, place), f'"{word}"', "words are compared in lower case",
                                   f'write "{word.lower()}"')


def _cause(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    if not data.get("explains"):
        yield item.problem(("explains",), f"{item.id} explains nothing", "nothing would lead to it",
                           "add explains: {message: 0}")
    for name, count in as_mapping(data.get("explains")).items():
        yield from common.reference(item, ("explains", name), name, catalogue.messages, "message", key=True)
        if isinstance(count, int) and count < 0:
            yield item.problem(("explains", name), f"{count} reports", "it is a number of reports", "write 0 or more")
    for index, name in texts_in(data.get("proved_by")):
        yield from common.reference(item, ("proved_by", index), name, catalogue.messages, "message")
    known = {**catalogue.checks, **catalogue.errata, **catalogue.rules}
    for index, name in texts_in(data.get("findings")):
        yield from common.reference(item, ("findings", index), name, known, "check")
    for part in ("when", "proof"):
        if part in data:
            yield from common.condition(item, (part,), data[part], facts)
    for index, weight in mappings_in(data.get("likelier")):
        yield from common.condition(item, ("likelier", index, "when"), weight.get("when"), facts)
        times = weight.get("times")
        if isinstance(times, (int, float)) and not times > 0:
            why = "what cannot be is said with when"
            yield item.problem(("likelier", index, "times"), f"times {times}", why, "write a number above 0")
    yield from common.citations(item, (), data.get("cites"), catalogue.claims)
    yield from _examples(item, facts)


def _examples(item: Authored, facts: Items) -> Iterator[Problem]:
    examples = mappings_in(item.data.get("examples"))
    for index, example in examples:
        yield from common.answers(item, ("examples", index, "given"), example.get("given"), facts)
    expected = [example.get("expect") for _, example in examples]
    if not any(expect in _SEEN for expect in expected):
        yield item.problem(("examples",), f"no example in which {item.id} is the cause", "both sides need an example",
                           "add one: {text: …, expect: first}")
    if not any(expect in _NOT_SEEN for expect in expected) and expected.count("possible") == len(expected):
        yield item.problem(("examples",), f"no example in which {item.id} is not the cause",
                           "both sides need an example", "add one: {text: …, expect: ruled-out} or absent")


def _conclusion(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    facts = catalogue.observable()
    yield from common.condition(item, ("when",), item.data.get("when"), facts)
    yield from _sentence(item, ("says",), item.data.get("says", ""), facts)
    for part in ("helps", "helps_server", "useless"):
        for index, name in texts_in(item.data.get(part)):
            yield from common.reference(item, (part, index), name, catalogue.tunables, "tunable")
    for name, quantity in as_mapping(item.data.get("at_most")).items():
        yield from common.reference(item, ("at_most", name), name, catalogue.tunables, "tunable")
        yield from common.reference(item, ("at_most", name), str(quantity), facts, "fact")
    for name, value in as_mapping(item.data.get("measures")).items():
        yield from common.reference(item, ("measures", name), name, catalogue.known_facts(), "fact")
        yield from _sentence(item, ("measures", name), value, facts)
    yield from common.answers(item, ("holds",), item.data.get("holds"), catalogue.known_facts())
    yield from common.citations(item, (), item.data.get("cites"), catalogue.claims)
    examples = mappings_in(item.data.get("examples"))
    for index, example in examples:
        yield from common.answers(item, ("examples", index, "given"), example.get("given"), facts)
    for side, words in ((True, "in which it is concluded"), (False, "in which it is not")):
        if all(example.get("expect") is not side for _, example in examples):
            why = "both sides need an example"
            yield item.problem(("examples",), f"no example {words}", why,
                               f"add one: {{given: {{…}}, expect: {str(side).lower()}}}")


def _sentence(item: Authored, at: YamlPath, sentence: object, facts: Items) -> Iterator[Problem]:
    """Problems of a text with quantities in it."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(str(sentence)) if field is not None]
    except ValueError as error:
        yield item.problem(at, "a sentence with a broken field", str(error), "close it, or write {{ for a brace")
        fields = []
    for field in fields:
        yield from common.reference(item, at, field, facts, "fact")
