"""Checks for parts that several kinds of entries have: conditions, answers, references, citations, patterns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from advisor.engine import cells, versions
from advisor.engine.errors import word_list
from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.document import YamlMapping, YamlPath, as_mapping, texts_in
from advisor.rulebase.problems import Problem, near, shown
from advisor.rulebase.regex_safety import why_unsafe

FEW = 12
"""This many values are listed; of more only the number is given."""
_PLACES = {
    "claim": "kb/claims/", "tunable": "kb/tunables/", "fact": "rules/facts/", "decision": "rules/",
    "rule": "this decision", "message": "kb/messages/", "check": "rules/checks/",
}
_REFUTED = ("wrong", "typo")


def comparisons(text: str) -> list[tuple[str, str]] | None:
    """(sign, constant) of a range such as ">=5.3 <5.11"; None when `text` is not a range, or a broken one."""
    try:
        return versions.comparisons(text) or None
    except ValueError:
        return None


def condition(item: Authored, steps: YamlPath, written: object, facts: Items) -> Iterator[Problem]:
    """Problems of the condition at `steps` below `item`. `facts` holds capabilities too."""
    if not isinstance(written, dict):
        mistake = f"the condition is {shown(written, item.source(steps))}"
        yield item.problem(steps, mistake, "a condition is a mapping from facts to values", "write {fact: value}")
        return
    for key, value in written.items():
        at = (*steps, key)
        if key in ("all", "any"):
            if not isinstance(value, list) or not value:
                why = f'"{key}" joins a list of conditions'
                yield item.problem(
                    at, f'"{key}" has {shown(value, item.source(at))}', why, f"write {key}: [{{fact: value}}, …]"
                )
                continue
            for index, part in enumerate(value):
                yield from condition(item, (*at, index), part, facts)
        elif key == "not":
            yield from condition(item, at, value, facts)
        else:
            yield from answer(item, at, key, value, facts)


def answers(item: Authored, steps: YamlPath, given: object, facts: Items) -> Iterator[Problem]:
    """Problems of a flat mapping of facts to what is known of them (an example's `given`)."""
    for key, value in given.items() if isinstance(given, dict) else ():
        yield from answer(item, (*steps, key), key, value, facts)


def answer(item: Authored, at: YamlPath, name: str, value: object, facts: Items) -> Iterator[Problem]:
    """Problems of one fact's value: a scalar, a list or a range. `at` is the value's place below `item`."""
    fact = facts.get(name)
    if fact is None:
        hint = near(name, facts, "see rules/facts/ for the facts there are")
        yield item.problem(
            at, f'unknown fact "{name}"', "no file of rules/facts/ and no capability defines it", hint, key=True
        )
        return
    if not fact.sound:
        return
    if isinstance(value, list):
        if not value:
            yield item.problem(at, "an empty list", "no value would ever match", "list the values")
        for index, entry in enumerate(value):
            yield from _scalar(item, (*at, index), fact, entry)
    else:
        yield from _scalar(item, at, fact, value)


def _scalar(item: Authored, at: YamlPath, fact: Authored, value: object) -> Iterator[Problem]:
    if value is None:
        return  # YAML's own problem, reported already
    data = fact.data
    kind = data.get("type", "bool")  # a capability is a yes/no fact
    mistake = f"{fact.id} is {shown(value, item.source(at))}"
    if isinstance(value, (dict, list)):
        yield item.problem(at, mistake, "a fact is compared with values", "write a value, a list or a range")
    elif value == "n/a":
        if not data.get("applies"):
            why = "this fact has no n/a: it applies everywhere"
            yield item.problem(at, mistake, why, "write one of its values, or give the fact an applies condition")
    elif kind == "bool":
        if not isinstance(value, bool):
            yield item.problem(at, mistake, "it is a yes/no fact", "write true or false, without quotes")
    elif kind == "enum":
        yield from _word(item, at, mistake, fact, value)
    elif kind == "int":
        yield from _number(item, at, mistake, data, value)
    else:
        yield from _version(item, at, mistake, data, value)


def _word(item: Authored, at: YamlPath, mistake: str, fact: Authored, value: object) -> Iterator[Problem]:
    words = as_mapping(fact.data.get("values"))
    source = item.source(at)
    if value in words and isinstance(value, str):
        return
    if source is not None and (source in words or _version_like(words)):
        yield unquoted_version(item, at, mistake, source)
        return
    yield item.problem(at, mistake, *no_such_value(fact, words, value))


def no_such_value(fact: Authored, words: Collection[str], value: object) -> tuple[str, str]:
    """Why a fact cannot have a value, and what to do."""
    home = fact.document.path
    why = f"it is one of {word_list(words)}" if len(words) <= FEW else f"it is one of {len(words)} values, and not this"
    hint = near(value, words, "")
    return why, f"{hint} (a new one belongs in {home})" if hint else f"choose one that {home} lists, or add it there"


def _number(item: Authored, at: YamlPath, mistake: str, data: YamlMapping, value: object) -> Iterator[Problem]:
    unit = f" of {data['unit']}" if data.get("unit") else ""
    if isinstance(value, str):
        try:
            parts = versions.comparisons(value)
            for _, constant in parts:
                cells.whole_number(constant)
        except ValueError:
            parts = []
        if not parts:
            yield item.problem(
                at, mistake, f"it is a whole number{unit}", 'write a number, or a range such as ">=4 <16"'
            )
        return
    if isinstance(value, bool) or not isinstance(value, int):
        yield item.problem(at, mistake, f"it is a whole number{unit}", "write one, without quotes")
        return
    low, high = data.get("minimum"), data.get("maximum")
    if (isinstance(low, int) and value < low) or (isinstance(high, int) and value > high):
        limits = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        yield item.problem(at, mistake, f"it is {limits}{unit}", "write a number inside")


def _version(item: Authored, at: YamlPath, mistake: str, data: YamlMapping, value: object) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield unquoted_version(item, at, mistake, item.source(at) or str(value))
        return
    scheme = data.get("scheme")
    if not isinstance(scheme, str):
        return  # the fact's own problem
    try:
        for text in [constant for _, constant in versions.comparisons(value)] or [value]:
            versions.key(scheme, text)
    except ValueError:
        yield item.problem(at, mistake, "that is not a version", 'write "5.14", or a range such as ">=5.3 <5.11"')


def unquoted_version(item: Authored, at: YamlPath, mistake: str, source: str) -> Problem:
    """A version that YAML took for a number."""
    why = "a version without quotes is read as a number, and 5.10 becomes 5.1"
    return item.problem(at, mistake, why, f'write "{source}" in quotes')


def _version_like(words: Iterable[object]) -> bool:
    return any(re.fullmatch(r"\d+(\.\d+)*", str(word)) for word in words)


def reference(
    item: Authored, at: YamlPath, name: str, items: Items, kind: str, *, key: bool = False
) -> Iterator[Problem]:
    """A problem when `name`, found at `at`, is not in `items`. `kind`: a key of `_PLACES`."""
    if name not in items:
        where = _PLACES[kind]
        otherwise = f"add it to {where}" + (", or find one with `advisor kb search WORD`" if kind == "claim" else "")
        hint = near(name, items, otherwise)
        yield item.problem(at, f'unknown {kind} "{name}"', f"{where} does not define it", hint, key)


def citations(item: Authored, steps: YamlPath, cited: object, claims: Items, needed: bool = True) -> Iterator[Problem]:
    """Problems of a list of citations: none at all, claims that do not exist, nothing but refuted claims."""
    at = (*steps, "cites")
    if needed and cited == []:
        why = "nothing is recommended without a source"
        yield item.problem(at, "no citation", why, "add cites: [source-id.claim] and the claim in kb/claims/")
    listed = texts_in(cited)
    for index, claim in listed:
        yield from reference(item, (*at, index), claim, claims, "claim")
    known = [claims[claim] for _, claim in listed if claim in claims]
    if needed and known and len(known) == len(listed) and all(claim.data.get("verdict") in _REFUTED for claim in known):
        better = word_list(dict.fromkeys(name for claim in known for _, name in texts_in(claim.data.get("better"))))
        yield item.problem(
            at,
            f"citations that are all refuted ({known[0].id} has the verdict {known[0].data['verdict']})",
            "recommendations must not rest on claims known to be wrong",
            f"cite {better}, which is believed instead" if better else "cite a claim that is not refuted",
        )


def pattern(item: Authored, at: YamlPath, expression: object, way: str, flags: int = 0) -> Iterator[Problem]:
    """Problems of one pattern. `way`: how it is used, one of regex_safety.WAYS."""
    text = expression if isinstance(expression, str) else ""
    try:
        why = why_unsafe(text, flags, way)
    except (re.error, OverflowError, RecursionError) as error:
        yield item.problem(at, f'"{expression}"', f"that is not a regular expression: {error}", "correct it")
        return
    if why is not None:
        yield item.problem(
            at, f'"{expression}"', f"a long text could keep it busy for a very long time: {why}",
            "write it so that each character can be read in one way only",
        )
