"""Facts and how a host shows them, constraints, capabilities."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.engine.errors import word_list
from advisor.rulebase.audit import common
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import Yaml, YamlMapping, YamlPath, as_mapping, mappings_in, texts_in
from advisor.rulebase.model.facts import facts_in
from advisor.rulebase.problems import Problem, shown
from advisor.rulebase.spelling import plain

_RESERVED = ("n/a", "any", "all", "not")
_FOLDERS = ("/proc/", "/sys/", "/etc/", "/usr/lib/", "/run/", "/var/lib/pacemaker/cib/")
_PLACES = ("file", "dpkg", "rpm", "interface", "mounted")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of facts, observations, constraints and capabilities."""
    facts = catalogue.known_facts()
    for item in catalogue.observations.values():
        if item.sound:
            yield from _kind(item)
            yield from _links(item, catalogue, catalogue.observable())
    for item in catalogue.facts.values():
        if item.sound:
            yield from _kind(item)
            yield from _aliases(item)
            yield from _links(item, catalogue, facts)
            yield from probe_problems(item, facts)
    for item in catalogue.constraints.values():
        if item.sound:
            yield from common.condition(item, ("never",), as_mapping(item.data.get("never")), facts)
            yield from common.citations(item, (), item.data.get("cites"), catalogue.claims)
    for item in catalogue.capabilities.values():
        if item.sound:
            yield from _capability(item, catalogue, facts)
    yield from _derivation_cycles(facts)


def _kind(item: Authored) -> Iterator[Problem]:
    data, kind = item.data, item.data.get("type")
    values = data.get("values")
    if kind == "enum" and not values:
        yield item.problem(
            (), "an enum fact without values", "no one could answer it", "add values: {word: label for people}"
        )
    for word in values if isinstance(values, dict) else ():
        if kind != "enum":
            yield item.problem(
                ("values",), f"values of a fact of type {kind}", "only enum facts list values", "delete them", key=True
            )
            break
        if word in _RESERVED or common.comparisons(word) or word != word.strip():
            why = "the rule language gives that word another meaning"
            yield item.problem(("values", word), f'the value "{word}"', why, "choose another word", key=True)
    if kind == "version" and not data.get("scheme"):
        why = "versions are ordered by the rules of rpm, of dpkg or of kernel releases"
        yield item.problem((), "a version fact without a scheme", why, "add scheme: kernel, rpm or deb")
    for key in ("scheme", "minimum", "maximum", "unit"):
        if key in data and kind not in (("version",) if key == "scheme" else ("int",)):
            yield item.problem(
                (key,), f'"{key}" on a fact of type {kind}', "it has no meaning there", "delete it", key=True
            )
    low, high = data.get("minimum"), data.get("maximum")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        yield item.problem(("minimum",), f"a minimum of {low}", f"the maximum is {high}", "swap them")


def _aliases(item: Authored) -> Iterator[Problem]:
    """Problems of aliases and families whose names mean several values, or none."""
    values = item.data.get("values")
    values = values if isinstance(values, dict) else {}
    owner = {plain(name): value for value, label in values.items() for name in (value, str(label))}
    for value, aliases in as_mapping(item.data.get("aliases")).items():
        at = ("aliases", value)
        if value not in values:
            why = f"{item.id} is one of {word_list(values)}" if values else "only enum facts have values"
            yield item.problem(at, f'names for "{value}"', why, "choose one of its values", key=True)
        for place, name in texts_in(aliases):
            other = owner.get(plain(name))
            owner[plain(name)] = value
            if other is not None:
                why = f"that names {other} already"
                yield item.problem((*at, place), f'"{name}" for {value}', why, "delete it, or write a longer name")
    for name, family in as_mapping(item.data.get("families")).items():
        at = ("families", name)
        if plain(name) in owner:
            why = f"that names {owner[plain(name)]} alone"
            yield item.problem(at, f'the family "{name}"', why, "delete it", key=True)
        for place, value in texts_in(family):
            if value not in values:
                yield item.problem((*at, place), f'"{value}" of the family "{name}"', f"{item.id} has no such value",
                                   f"it is one of {word_list(values)}")


def _links(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    if data.get("applies") is not None:
        yield from common.condition(item, ("applies",), data["applies"], facts)
    for place, other in texts_in(data.get("asked_after")):
        yield from common.reference(item, ("asked_after", place), other, facts, "fact")
    derive = as_mapping(data.get("derive"))
    for word, condition in derive.items():
        yield from _own_value(item, ("derive", word), word)
        yield from common.condition(item, ("derive", word), condition, facts)
    if "otherwise" in data:
        if not derive:
            yield item.problem(
                ("otherwise",), '"otherwise" without "derive"', "nothing is derived", "delete it", key=True
            )
        else:
            yield from common.answer(item, ("otherwise",), item.id, data["otherwise"], facts)
    for index, rule in mappings_in(data.get("infer")):
        at = ("infer", index)
        yield from common.pattern(item, (*at, "match"), rule.get("match"), "search")
        yield from common.answers(item, (*at, "sets"), rule.get("sets"), facts)
    for index, usual in mappings_in(data.get("usual")):
        at = ("usual", index)
        if derive:
            why, write = "what it is follows from other facts", "give those usual values"
            yield item.problem(at, "a usual value of a derived fact", why, write, key=True)
        yield from common.answer(item, (*at, "value"), item.id, usual.get("value"), facts)
        if usual.get("when") is not None:
            yield from common.condition(item, (*at, "when"), usual["when"], facts)
        yield from common.citations(item, at, usual.get("cites"), catalogue.claims, needed=False)
    for index, hint in mappings_in(data.get("named")):
        at = ("named", index)
        yield from common.answer(item, (*at, "value"), item.id, hint.get("value"), facts)
        for place, folder in texts_in(hint.get("target")):
            if not folder.startswith("/") or folder.endswith("/"):
                why = "a mount point is a whole path"
                yield item.problem((*at, "target", place), f'"{folder}"', why, "write it from / on, without a / behind")
    setting = data.get("setting")
    if isinstance(setting, dict):
        yield from _setting(item, setting, catalogue, facts)


def _own_value(item: Authored, at: tuple[str, ...], word: str) -> Iterator[Problem]:
    kind = item.data.get("type")
    allowed = list(as_mapping(item.data.get("values"))) if kind == "enum" else ["true", "false"]
    if kind not in ("enum", "bool"):
        yield item.problem(
            ("derive",), f"a derived fact of type {kind}", "only enum and bool facts are derived", "change the type"
        )
    elif word not in allowed:
        yield item.problem(
            at, f'"{word}" is derived', f"{item.id} is one of {word_list(allowed)}", "choose one of these", key=True
        )


def _setting(item: Authored, setting: YamlMapping, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    at = ("setting",)
    narrowed = as_mapping(setting.get("narrowed_by"))
    for place, name in (
        ((*at, "tunable"), setting.get("tunable")),
        ((*at, "narrowed_by", "tunable"), narrowed.get("tunable")),
    ):
        if isinstance(name, str):
            yield from common.reference(item, place, name, catalogue.tunables, "tunable")
    negotiated = setting.get("negotiated")
    if isinstance(negotiated, str):
        yield from common.reference(item, (*at, "negotiated"), negotiated, catalogue.decisions, "decision")
    if "absent" in setting:
        yield from common.answer(item, (*at, "absent"), item.id, setting["absent"], facts)
    for part, table in (("map", setting), ("fstypes", setting), ("map", narrowed)):
        place = (*at, "narrowed_by", part) if table is narrowed else (*at, part)
        for word, value in as_mapping(table.get(part)).items():
            yield from common.answer(item, (*place, word), item.id, value, facts)


def _capability(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    for part in ("when", "unless"):
        if part in data:
            yield from common.condition(item, (part,), data[part], facts)
    yield from common.citations(item, (), data.get("cites"), catalogue.claims)
    yield from both_outcomes(item, facts, "a capability")


def both_outcomes(item: Authored, facts: Items, noun: str) -> Iterator[Problem]:
    """Problems of examples that expect true or false; both must occur."""
    listed = mappings_in(item.data.get("examples"))
    for index, example in listed:
        at = ("examples", index)
        yield from common.answers(item, (*at, "given"), example.get("given"), facts)
        expected = example.get("expect")
        if expected is not None and not isinstance(expected, bool) and expected not in ([True, False], [False, True]):
            write = "write true, false, or [true, false] if that cannot be known"
            yield item.problem((*at, "expect"), f"{noun} expected to be {shown(expected)}", "it is so or not", write)
    for wanted, word in ((True, "must hold"), (False, "must not hold")):
        if "examples" in item.data and not any(example.get("expect") is wanted for _, example in listed):
            write = f"add to examples: {{given: {{…}}, expect: {str(wanted).lower()}}}"
            yield item.problem(
                ("examples",), f"no example in which {item.id} {word}", "both sides need an example", write
            )


def _derivation_cycles(facts: Items) -> Iterator[Problem]:
    """Facts derived from themselves, by any number of steps."""
    uses: dict[str, list[str]] = {}
    for item in facts.values():
        uses[item.id] = [name for part in defining_conditions(item) for name in facts_in(part) if name in facts]
    for circle in cycles(uses):
        item = facts[circle[0]]
        path = " → ".join((*circle, circle[0]))
        yield item.problem((), f"{item.id} is derived from itself", f"the cycle is {path}", "remove one step")


def defining_conditions(item: Authored) -> list[Yaml]:
    """The conditions from which a derived fact or a capability follows."""
    if "type" in item.data:
        return list(as_mapping(item.data.get("derive")).values())
    return [item.data.get("when"), item.data.get("unless")]


def cycles(uses: dict[str, list[str]]) -> list[list[str]]:
    """The cycles of a graph, one for each back edge of a depth-first search."""
    loops: list[list[str]] = []
    state: dict[str, int] = {}
    path: list[str] = []

    def visit(name: str) -> None:
        state[name] = 1
        path.append(name)
        for other in uses.get(name, ()):
            if state.get(other) == 1:
                loops.append(path[path.index(other) :])
            elif other not in state:
                visit(other)
        path.pop()
        state[name] = 2

    for name in uses:
        if name not in state:
            visit(name)
    return loops


def probe_problems(item: Authored, facts: Items) -> Iterator[Problem]:
    """Problems of one fact's probe."""
    written = item.data.get("probe")
    if not isinstance(written, dict):
        return
    at: YamlPath = ("probe",)
    for part in ("granted", "unless"):
        yield from common.answers(item, (*at, part), as_mapping(written.get(part)), facts)
    for index, name in texts_in(written.get("beside")):
        yield from common.reference(item, (*at, "beside", index), name, facts, "fact")
    like = written.get("like")
    if isinstance(like, str):
        yield from common.reference(item, (*at, "like"), like, facts, "fact")
    if bool(like) == bool(written.get("ways")):
        yield item.problem(at, "a probe", "it has either its own ways or those of another fact", "give one of them")
    for part in ("ways", "where"):
        for index, place in mappings_in(written.get(part)):
            yield from _place(item, (*at, part, index), place)
            for inner, other in mappings_in(place.get("where")):
                yield from _place(item, (*at, part, index, "where", inner), other)
            yield from _values(item, (*at, part, index), place, facts)


def _place(item: Authored, at: YamlPath, place: YamlMapping) -> Iterator[Problem]:
    given = [key for key in _PLACES if key in place]
    if len(given) != 1:
        yield item.problem(at, f"a place with {' and '.join(given) or 'nothing to read'}",
                           "a place is one thing to read", f"give one of {', '.join(_PLACES)}")
    path = place.get("file")
    if isinstance(path, str) and not path.startswith(_FOLDERS):
        yield item.problem((*at, "file"), f'the file "{path}"', "files elsewhere are never read",
                           "name a file below /proc, /sys, /etc, /usr/lib, /run or /var/lib/pacemaker/cib")
    read = [((*at, key), place.get(key)) for key in ("match", "without")]
    cases = place.get("cases")
    read += [((*at, "cases", word), pattern) for word, pattern in cases.items()] if isinstance(cases, dict) else []
    for where, pattern in read:
        yield from common.pattern(item, where, pattern, "search", re.MULTILINE)


def _values(item: Authored, at: YamlPath, way: YamlMapping, facts: Items) -> Iterator[Problem]:
    if "value" in way:
        yield from common.answer(item, (*at, "value"), item.id, way["value"], facts)
    for word, value in as_mapping(way.get("map")).items():
        yield from common.answer(item, (*at, "map", word), item.id, value, facts)
    for word in as_mapping(way.get("cases")):
        yield from common.answer(item, (*at, "cases", word), item.id, word, facts)
