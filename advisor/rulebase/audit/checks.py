"""Checks and errata."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from string import Formatter

from advisor.engine import formula
from advisor.engine.errors import word_list
from advisor.rulebase.audit import common, values
from advisor.rulebase.audit.facts import both_outcomes
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import YamlMapping, as_mapping, mappings_in, texts_in
from advisor.rulebase.problems import Problem, near, shown
from advisor.rulebase.values import meant_by

WAYS = ("on", "pair", "total", "host", "sides", "builtin")
"""The ways in which a check can look."""
INTERNAL = "internal"
"""The `builtin` for a fault of the program, which has no source and no example."""

UNSOURCED = (INTERNAL, "said-otherwise")
"""Those that no source mentions; the other one reports a given fact that the line contradicts."""


_WORDS = {
    "on": frozenset({"value", "option", "expected", "names"}),
    "pair": frozenset({"value", "option", "expected", "names", "other", "other_line"}),
    "total": frozenset({"value", "option", "expected", "total", "limit", "count"}),
}
"""Way → the fields that `lint` fills in its texts, besides figures. The words of other ways depend on the check."""


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all checks and errata."""
    facts = catalogue.known_facts()
    for item in catalogue.checks.values():
        if item.sound:
            yield from _check(item, catalogue, facts)
    for item in catalogue.errata.values():
        if item.sound:
            yield from _erratum(item, catalogue, facts)


def _check(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    ways = [way for way in WAYS if data.get(way)]
    if len(ways) != 1:
        mistake = f"a check with {word_list(ways, 'and')}" if ways else f'a check without {word_list(WAYS)}'
        yield item.problem((), mistake, "a check looks in exactly one way", "keep or add one of these")
    yield from values.setting_patterns(item, ("on",), data.get("on"), catalogue.tunables, "present", "absent")
    for name, wanted in as_mapping(data.get("on")).items():
        if isinstance(wanted, str) and wanted.startswith(("~ ", "!~ ")):
            yield from common.pattern(item, ("on", name), wanted.partition(" ")[2], "fullmatch")
    sides = as_mapping(data.get("sides"))
    yield from _sides(item, as_mapping(sides.get("on")), sides.get("differ"), catalogue.tunables)
    pair, total = as_mapping(data.get("pair")), as_mapping(data.get("total"))
    fix, signs = as_mapping(data.get("fix")), as_mapping(data.get("signs"))
    listed = [
        *((("pair", part), pair.get(part)) for part in ("same", "differ")),
        (("total", "each"), total.get("each")),
        (("differ",), data.get("differ")),
        (("fix", "remove"), fix.get("remove")),  # those without a pattern
        (("signs", "tells"), signs.get("tells")),
    ]
    for steps, several in listed:
        for index, name in texts_in(several):
            yield from _place(item, (*steps, index), name, catalogue.tunables)
    for part in ("either", "neither"):
        yield from values.setting_patterns(
            item, ("pair", part), pair.get(part), catalogue.tunables, "present", "absent"
        )
    yield from values.setting_patterns(
        item, ("total", "neither"), total.get("neither"), catalogue.tunables, "present", "absent"
    )
    whole = total.get("of")
    if isinstance(whole, str):
        yield from _place(item, ("total", "of"), whole, catalogue.tunables)
        summed = catalogue.tunables.get(whole)
        if summed is not None and summed.data.get("type") not in values.NUMERIC:
            why = f"{summed.id} is of type {summed.data.get('type')}"
            yield item.problem(("total", "of"), f"a sum of {summed.id}", why, "name a setting that is a number")
    for part in ("set", "add"):
        yield from values.setting_patterns(item, ("fix", part), fix.get(part), catalogue.tunables)
    for steps, several in ((("fix", "remove"), fix.get("remove")), (("signs", "of"), signs.get("of"))):
        for index, settings in mappings_in(several):
            yield from values.setting_patterns(item, (*steps, index), settings, catalogue.tunables, "present", "absent")
    place = data.get("at")
    if isinstance(place, str):
        yield from _place(item, ("at",), place, catalogue.tunables)
    for index, name in texts_in(data.get("at")):
        yield from _place(item, ("at", index), name, catalogue.tunables)
    loads = sides.get("of") == "load"
    for part in ("differ", "figures", "signs", "variants"):
        if data.get(part) and not data.get("on") and not (part == "figures" and loads):
            why = "it speaks of the settings of a line that `on` has found"
            yield item.problem((part,), f"{part} without on", why, "add on: {…: present}")
    for name, figure in as_mapping(data.get("figures")).items():
        yield from _figure(item, ("figures", name), as_mapping(figure), catalogue.tunables, catalogue.facts)
    if len(ways) == 1 and ways[0] in _WORDS:
        fields = _WORDS[ways[0]] | as_mapping(data.get("figures")).keys()
        yield from _message_fields(item, (), data, fields)
        for index, variant in mappings_in(data.get("variants")):
            yield from _message_fields(item, ("variants", index), as_mapping(variant), fields)
    for part in ("when", "unless"):
        yield from common.condition(item, (part,), data.get(part, {}), facts)
    sourced = data.get("builtin") not in UNSOURCED
    yield from common.citations(item, (), data.get("cites"), catalogue.claims, needed=sourced)
    for index, variant in mappings_in(data.get("variants")):
        yield from common.condition(item, ("variants", index, "when"), as_mapping(variant.get("when")), facts)
        own = [claim for _, claim in texts_in(data.get("cites"))]
        for place, claim in texts_in(variant.get("cites")):
            if claim not in own:
                at, why = ("variants", index, "cites", place), "a check cites all on which its words rest"
                yield item.problem(at, f'"{claim}"', why, "add it to the check's cites")
    yield from _examples(item, facts)


def _place(item: Authored, at: tuple[str | int, ...], name: str, tunables: Items) -> Iterator[Problem]:
    if name not in tunables and name not in values.LINE_PARTS:
        hint = near(name, (*tunables, *values.LINE_PARTS), "add it to kb/tunables/")
        yield item.problem(at, f'unknown tunable "{name}"', "kb/tunables/ does not define it", hint)


def _sides(item: Authored, settings: YamlMapping, differ: object, tunables: Items) -> Iterator[Problem]:
    """Problems of what two hosts must come to, and of patterns that fit no setting."""
    for name in settings:
        if name.startswith("sides.") and name not in values.SIDES:
            why, write = "nothing between two hosts is called so", near(name, values.SIDES, "choose one")
            yield item.problem(("sides", "on", name), f'"{name}"', why, write, key=True)
    of_one = {name: wanted for name, wanted in settings.items() if not name.startswith("sides.")}
    yield from values.setting_patterns(item, ("sides", "on"), of_one, tunables, "present", "absent")
    for index, pattern in texts_in(differ):
        begin, star, _ = pattern.partition("*")
        if not any(name.startswith(begin) if star else name == begin for name in tunables):
            why = "kb/tunables/ has nothing of this form"
            yield item.problem(("sides", "differ", index), f'"{pattern}"', why, near(pattern, tunables, "correct it"))


def _message_fields(
    item: Authored, at: tuple[str | int, ...], data: YamlMapping, fields: AbstractSet[str]
) -> Iterator[Problem]:
    """Problems of fields that lint does not fill, which users would see as "?"."""
    for part in ("message", "why", "remedy"):
        text = data.get(part)
        if not isinstance(text, str):
            continue
        try:
            named = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
        except ValueError as error:
            yield item.problem((*at, part), "a brace", str(error), "write {{ or }} for a brace itself")
            continue
        for field in named:
            if field not in fields:
                known = ", ".join(f"{{{name}}}" for name in sorted(fields))
                write = near(field, fields, f"write one of {known}, or {{{{ and }}}} for braces themselves")
                yield item.problem((*at, part), f"{{{field}}}", "this check has no such field", write)


def _figure(
    item: Authored, at: tuple[str | int, ...], figure: YamlMapping, tunables: Items, facts: Items,
) -> Iterator[Problem]:
    text, bound = figure.get("formula"), figure.get("range")
    if bound is not None and not values.is_bound(bound):
        yield item.problem((*at, "range"), f"the range {shown(bound)}", "it is not a bound", 'write one such as "<300"')
    if not isinstance(text, str):
        return
    try:
        parsed = formula.parse(text)
    except formula.FormulaError as error:
        write = "write numbers, settings, + - * / min( , ) max( , ) and parentheses"
        yield item.problem((*at, "formula"), f'the formula "{text}"', error.message.partition(" of ")[0], write)
        return
    if any(divisor.sign != "number" or not divisor.number for divisor in parsed.divisors()):
        why = "what a line sets may be 0, by which nothing can be divided"
        yield item.problem((*at, "formula"), f'the formula "{text}"', why, "divide by a number")
    for written in sorted(parsed.names):
        name = meant_by(written, tunables)
        if name in values.COUNTED and item.data.get("sides"):
            continue
        if name in facts and name not in tunables:
            kind = facts[name].data.get("type")
        else:
            yield from common.reference(item, (*at, "formula"), name, tunables, "tunable")
            kind = tunables[name].data.get("type") if name in tunables else None
        if kind is not None and kind not in (*values.NUMERIC, "pattern"):
            write = "use settings and facts that are numbers"
            yield item.problem((*at, "formula"), f'the formula "{text}"', f"{name} is of type {kind}", write)


def _examples(item: Authored, facts: Items) -> Iterator[Problem]:
    listed = mappings_in(item.data.get("examples"))
    for index, example in listed:
        yield from common.answers(item, ("examples", index, "given"), example.get("given"), facts)
        finds = example.get("finds")
        if isinstance(finds, int) and not isinstance(finds, bool) and finds < 0:
            yield item.problem(
                ("examples", index, "finds"), f"{finds} findings", "there cannot be fewer than none", "write 0 or more"
            )
    for wanted, word in ((True, "must find something"), (False, "must find nothing")):
        if wanted and item.data.get("builtin") == INTERNAL:
            continue
        if "examples" in item.data and not any(
            bool(example.get("finds")) is wanted for _, example in listed if "finds" in example
        ):
            write = f"add to examples: {{fstab: …, finds: {str(wanted).lower()}}}"
            yield item.problem(
                ("examples",), f"no example in which {item.id} {word}", "both sides need an example", write
            )


def _erratum(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    affected: YamlMapping = as_mapping(data.get("affected"))
    if data.get("facts") == []:
        why = "no fact gives the version of a host"
        yield item.problem(
            ("facts",), "an erratum without facts", why, "add facts: [client.kernel] or another version fact"
        )
    if affected == {}:
        why = "no version would be affected"
        yield item.problem(
            ("affected",), "an erratum without affected versions", why, "add affected: {stream: [{fixed: …}]}"
        )
    for index, name in texts_in(data.get("facts")):
        yield from common.reference(item, ("facts", index), name, facts, "fact")
        fact = facts.get(name)
        if fact is None or not fact.sound:
            continue
        if fact.data.get("type") != "version":
            why = f"{name} is of type {fact.data.get('type', 'bool')}"
            yield item.problem(("facts", index), f'the fact "{name}"', why, "name a version fact")
        yield from _streams(item, ("facts", index), name, affected, facts)
    for stream, ranges in affected.items():
        yield from _ranges(item, stream, ranges)
    yield from common.condition(item, ("when",), as_mapping(data.get("when")), facts)
    yield from common.citations(item, (), data.get("cites"), catalogue.claims)
    yield from both_outcomes(item, facts, "an erratum")


def _streams(
    item: Authored, at: tuple[str | int, ...], name: str, affected: YamlMapping, facts: Items
) -> Iterator[Problem]:
    lines = facts.get(f"{name}_stream")
    if lines is None:
        if len(affected) > 1:
            why = f"there is no fact {name}_stream to tell them apart"
            yield item.problem(
                at, f"{len(affected)} streams for {name}", why, "add that fact, or write one erratum per stream"
            )
        return
    words = as_mapping(lines.data.get("values"))
    for stream in affected:
        if lines.sound and stream not in words:
            hint = near(stream, words, "choose one of these")
            yield item.problem(
                ("affected", stream), f'the stream "{stream}"', f"{lines.id} is one of {word_list(words)}", hint,
                key=True,
            )


def _ranges(item: Authored, stream: str, ranges: object) -> Iterator[Problem]:
    if not ranges:
        why = "no version of it would be affected"
        yield item.problem(("affected", stream), f'the stream "{stream}" without ranges', why, "add [{fixed: …}]")
    for index, span in mappings_in(ranges):
        at = ("affected", stream, index)
        if "fixed" in span and "last_affected" in span:
            yield item.problem(at, "both fixed and last_affected", "they say the same in two ways", "keep one")
        if not span:
            why = "every version of the stream would be affected"
            yield item.problem(at, "a range without ends", why, "add introduced, fixed or last_affected")
        for key, version in span.items():
            if isinstance(version, str) and (not version or any(sign in version for sign in "<>=! ")):
                why = "it is one version, not a range"
                yield item.problem(
                    (*at, key), f"{key} is {shown(version)}", why, 'write a version such as "3.10.0-957.el7"'
                )
