"""What only facts, capabilities, decisions, checks and errata ask for, beyond their annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from string import Formatter

from advisor.engine import GATE, formula, word_list
from advisor.engine.usual import circles
from advisor.rulebase import model
from advisor.rulebase.audit import values
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import Problem, YamlPath, shown
from advisor.rulebase.gates import gates
from advisor.rulebase.model import facts_in
from advisor.rulebase.spelling import near, plain
from advisor.rulebase.values import NUMERIC, meant_by

INTERNAL = "internal"
"""The `builtin` of a check for a fault of the program, which has no source and no example."""
UNSOURCED = (INTERNAL, "said-otherwise")
"""Those that no source mentions; the other one reports a given fact that the line contradicts."""
WAYS = ("on", "pair", "total", "host", "sides", "builtin")
"""The ways in which a check can look."""
SIDES = (
    "sides.reply", "sides.version", "sides.instead", "sides.flavour", "sides.keytab", "sides.server_keytab",
    "sides.passed", "sides.first", "sides.shared", "sides.transport", "sides.port", "sides.users", "sides.mapping",
    "sides.identity", "sides.unique", "sides.connections", "sides.export", "sides.scope",
    "sides.asked", "sides.asked_version", "sides.asked_flavour", "sides.asked_access", "sides.asked_rsize",
    "sides.asked_wsize", "sides.asked_slots",
)
"""What two hosts come to together, which a check may name (docs/rule-language.md)."""
COUNTED = ("sides.connections",)
"""Those of them that are numbers, which a check on the load of a server may calculate with."""
_RESERVED = ("n/a", "any", "all", "not")
_WORDS = {
    "on": frozenset({"value", "option", "expected", "names"}),
    "pair": frozenset({"value", "option", "expected", "names", "other", "other_line"}),
    "total": frozenset({"value", "option", "expected", "total", "limit", "count"}),
}
"""Way → the fields that `lint` fills in its texts, besides figures. The words of other ways depend on the check."""


def fact_problems(item: Authored[model.Fact], _: Catalogue) -> Iterator[Problem]:
    fact = item.record
    yield from _type(item, fact)
    yield from _aliases(item, fact)
    derive = fact.derive or {}
    for word in derive:
        yield from _derived_word(item, fact, word)
    if fact.otherwise is not None and not derive:
        mistake = '"otherwise" without "derive"'
        yield item.problem(("otherwise",), mistake, "nothing is derived", "delete it", key=True)
    for index in range(len(fact.usual) if derive else 0):
        why, write = "what it is follows from other facts", "give those usual values"
        yield item.problem(("usual", index), "a usual value of a derived fact", why, write, key=True)
    for index, hint in enumerate(fact.named):
        for place, folder in enumerate(hint.target):
            if not folder.startswith("/") or folder.endswith("/"):
                why, write = "a mount point is a whole path", "write it from / on, without a / behind"
                yield item.problem(("named", index, "target", place), f'"{folder}"', why, write)
    yield from values.probe_problems(item, fact.probe)


def _type(item: Authored[model.Fact], fact: model.Fact) -> Iterator[Problem]:
    if fact.type == "enum" and not fact.values:
        write = "add values: {word: label for people}"
        yield item.problem((), "an enum fact without values", "no one could answer it", write)
    for word in fact.values or ():
        if fact.type != "enum":
            mistake, why = f"values of a fact of type {fact.type}", "only enum facts list values"
            yield item.problem(("values",), mistake, why, "delete them", key=True)
            break
        if word in _RESERVED or values.comparisons(word) or word != word.strip():
            why = "the rule language gives that word another meaning"
            yield item.problem(("values", word), f'the value "{word}"', why, "choose another word", key=True)
    if fact.type == "version" and not fact.scheme:
        why = "versions are ordered by the rules of rpm, of dpkg or of kernel releases"
        yield item.problem((), "a version fact without a scheme", why, "add scheme: kernel, rpm or deb")
    for key in ("scheme", "minimum", "maximum", "unit"):
        if key in item.data and fact.type != ("version" if key == "scheme" else "int"):
            mistake = f'"{key}" on a fact of type {fact.type}'
            yield item.problem((key,), mistake, "it has no meaning there", "delete it", key=True)
    yield from limits(item, fact)


def limits(item: Authored[model.Record], of: model.Fact | model.Tunable) -> Iterator[Problem]:
    """The problem of a minimum above the maximum."""
    if of.minimum is not None and of.maximum is not None and of.minimum > of.maximum:
        yield item.problem(("minimum",), f"a minimum of {of.minimum}", f"the maximum is {of.maximum}", "swap them")


def _aliases(item: Authored[model.Fact], fact: model.Fact) -> Iterator[Problem]:
    """Problems of aliases and families whose names mean several values, or none."""
    known = fact.values or {}
    owner = {plain(name): value for value, label in known.items() for name in (value, label)}
    for value, aliases in fact.aliases.items():
        at = ("aliases", value)
        if value not in known:
            why = f"{fact.id} is one of {word_list(known)}" if known else "only enum facts have values"
            yield item.problem(at, f'names for "{value}"', why, "choose one of its values", key=True)
        for place, name in enumerate(aliases):
            other = owner.get(plain(name))
            owner[plain(name)] = value
            if other is not None:
                why = f"that names {other} already"
                yield item.problem((*at, place), f'"{name}" for {value}', why, "delete it, or write a longer name")
    for name, family in fact.families.items():
        at = ("families", name)
        if plain(name) in owner:
            why = f"that names {owner[plain(name)]} alone"
            yield item.problem(at, f'the family "{name}"', why, "delete it", key=True)
        for place, value in enumerate(family):
            if value not in known:
                mistake, why = f'"{value}" of the family "{name}"', f"{fact.id} has no such value"
                yield item.problem((*at, place), mistake, why, f"it is one of {word_list(known)}")


def _derived_word(item: Authored[model.Fact], fact: model.Fact, word: str) -> Iterator[Problem]:
    allowed = list(fact.values or ()) if fact.type == "enum" else ["true", "false"]
    if fact.type not in ("enum", "bool"):
        mistake, why = f"a derived fact of type {fact.type}", "only enum and bool facts are derived"
        yield item.problem(("derive",), mistake, why, "change the type")
    elif word not in allowed:
        why = f"{fact.id} is one of {word_list(allowed)}"
        yield item.problem(("derive", word), f'"{word}" is derived', why, "choose one of these", key=True)


def both_outcomes(item: Authored[model.Record], examples: Iterable[model.Example], noun: str) -> Iterator[Problem]:
    for index, example in enumerate(examples):
        if not isinstance(example.expect, bool) and example.expect not in ([True, False], [False, True]):
            mistake = f"{noun} expected to be {shown(example.expect)}"
            write = "write true, false, or [true, false] if that cannot be known"
            yield item.problem(("examples", index, "expect"), mistake, "it is so or not", write)
    expected = [example.expect for example in examples]
    template = "{{given: {{…}}, expect: {}}}"
    yield from both_sides(item, expected, template, f"{item.id} must hold", f"{item.id} must not hold")


def both_sides(
    item: Authored[model.Record], found: Iterable[object], template: str, positive: str, negative: str
) -> Iterator[Problem]:
    """Problems of examples of one side only. `found`: what each expects; `template`: of an example, with a {}.
    `positive`, `negative`: what such an example shows."""
    for wanted, words in ((True, positive), (False, negative)):
        if all(one is not wanted for one in found):
            write = f"add to examples: {template.format(str(wanted).lower())}"
            yield item.problem(("examples",), f"no example in which {words}", "both sides need an example", write)


def derivation_cycles(facts: Items[model.Fact]) -> Iterator[Problem]:
    """Facts derived from themselves, by any number of steps."""
    uses = {
        item.id: [name for part in _defining_conditions(item) for name in facts_in(part) if name in facts]
        for item in facts.values()
    }
    for circle in circles(uses, []):
        item = facts[circle[0]]
        path = " → ".join(circle)
        yield item.problem((), f"{item.id} is derived from itself", f"the cycle is {path}", "remove one step")


def _defining_conditions(item: Authored[model.Fact]) -> list[model.Condition | None]:
    """The conditions from which a derived fact or a capability follows."""
    if not item.sound:
        return []
    fact = item.record
    return [fact.when, fact.unless] if fact.capability else [*(fact.derive or {}).values()]


def decision_problems(catalogue: Catalogue) -> Iterator[Problem]:
    last = list(catalogue.layers.values())[-1:]
    if last and last[0].id != GATE:
        why = "nothing outranks what cannot be used at all"
        yield last[0].problem(("id",), f"{last[0].id} as the last layer", why, f"put the layer {GATE} behind it")
    for name, decision in catalogue.decisions.items():
        rules = {rule.id: rule for rule in catalogue.rules_on[name]}
        if decision.sound:
            yield from _decision(decision, rules, catalogue)
        for rule in rules.values():
            if rule.sound:
                yield from _rule(rule, decision, rules, catalogue)
    yield from _gates(catalogue)
    yield from _decision_cycles(catalogue)


def _gates(catalogue: Catalogue) -> Iterator[Problem]:
    """Gates whose names are those of rules, or of other gates."""
    taken = dict(catalogue.rules)
    for decision in catalogue.decisions:
        for gate in gates(catalogue, decision):
            first = taken.setdefault(gate.id, gate)
            if first is not gate:
                line, column = first.document.place((*first.steps, "id"))
                clash = f'the gate "{gate.id}", which is the name of a rule (at {first.document.path}:{line}:{column})'
                yield gate.problem(("id",), clash, "an id must stay unique forever", "give it another id")


def _decision(item: Authored[model.Decision], rules: Items[model.Rule], catalogue: Catalogue) -> Iterator[Problem]:
    decision = item.record
    if not decision.estimate:
        yield from values.reference(item, ("decision",), item.id, catalogue.tunables, "tunable")
    if not rules:
        yield item.problem((), "a decision without rules", "a decision is a list of rules", "add rules: […]")
    sound = [rule for rule in rules.values() if rule.sound]
    computes = any(values.formula_facts(rule.record.value, catalogue.known_facts) for rule in sound)
    all_rules = [*sound, *(gate for gate in gates(catalogue, item.id) if gate.sound)]
    added = (one for one in catalogue.additions if one.id == item.id and one.sound)
    owners: list[Authored[model.Decision] | Authored[model.Rule]] = [item, *added, *sound]
    for owner in owners:
        for index, example in enumerate(owner.record.examples):
            yield from _example_values(owner, ("examples", index, "expect"), example.expect, all_rules, computes)


def _example_values(
    item: Authored[model.Record], at: YamlPath, expected: object, rules: list[Authored[model.Rule]], computes: bool
) -> Iterator[Problem]:
    """Problems of an expected value that no rule says. `computes`: a formula may give any whole number."""
    known = [rule.record.value for rule in rules]
    # A rule's own unquoted version is reported at the rule.
    written = [rule.source(("value",)) for rule in rules if isinstance(rule.record.value, float)]
    for place, value in values.each(at, expected):
        source = item.source(place)
        if value is None or value in written or any(type(other) is type(value) and other == value for other in known):
            continue
        if source is not None and source in known:
            yield values.unquoted_version(item, place, f"{shown(value, source)} is expected", source)
        elif not (computes and (type(value) is int or ">=" in str(value))):
            why = f"the rules say {word_list(dict.fromkeys(shown(other) for other in known))}"
            yield item.problem(place, f"{shown(value, source)} is expected", why, "expect one of these")


def _rule(
    item: Authored[model.Rule], of: Authored[model.Decision], rules: Items[model.Rule], catalogue: Catalogue
) -> Iterator[Problem]:
    rule, tunable = item.record, catalogue.tunables.get(of.id)
    if rule.layer not in catalogue.layers:
        hint = near(rule.layer, catalogue.layers, f"it is one of {word_list(catalogue.layers)}")
        yield item.problem(("layer",), f'unknown layer "{rule.layer}"', "rules/layers.yaml does not define it", hint)
    if rule.layer == GATE:
        why = "a gate is what a tunable needs, or where it is refused or ignored"
        write = f"write it beside {of.id} in kb/tunables, or another layer"
        yield item.problem(("layer",), f"a rule of the layer {GATE}", why, write)
    if rule.strength is None and rule.value not in ("keep", "n/a"):
        why = "the strength decides how severe it is to do otherwise"
        yield item.problem((), f"the rule {item.id} without strength", why, "add strength: must, should or may")
    for index, name in enumerate(rule.overrides):
        at: YamlPath = ("overrides", index)
        yield from values.reference(item, at, name, rules, "rule")
        if name == item.id:
            yield item.problem(at, f"{name} overrides itself", "a rule beats others only", "delete it")
    yield from values.rule_value(item, bool(of.data.get("estimate")), tunable, catalogue.known_facts)
    for index, other in enumerate(rule.as_good):
        at = ("as_good", index)
        if isinstance(other, str) and other.startswith("~ "):
            yield from values.expression(item, at, other.partition(" ")[2], "fullmatch")
        elif tunable is not None:
            wrong = values.bound if values.is_bound(other) else values.literal
            yield from wrong(item, at, tunable, other)  # type: ignore[arg-type]


def facts_used(
    rules: Iterable[Authored[model.Rule]], facts: Items[model.Fact]
) -> dict[str, tuple[Authored[model.Rule], YamlPath]]:
    """The facts that a decision rests on, also through derived facts → the rule and place that first names each."""
    places: dict[str, tuple[Authored[model.Rule], YamlPath]] = {}
    for item in (item for item in rules if item.sound):
        mentioned: list[tuple[str, YamlPath]] = []
        mentioned += [(name, ("when",)) for name in facts_in(item.record.when)]
        mentioned += [(name, ("value",)) for name in values.formula_facts(item.record.value, facts)]
        while mentioned:
            name, place = mentioned.pop()
            if name in places or name not in facts:
                continue
            places[name] = (item, place)
            mentioned += [(deeper, place) for part in _defining_conditions(facts[name]) for deeper in facts_in(part)]
    return places


def _decision_cycles(catalogue: Catalogue) -> Iterator[Problem]:
    """Decisions that need each other's outcome."""
    graph: dict[str, list[str]] = {}
    places: dict[tuple[str, str], tuple[Authored[model.Rule], YamlPath]] = {}
    for decision in catalogue.decisions.values():
        rules = [*catalogue.rules_on[decision.id], *gates(catalogue, decision.id)] if decision.sound else []
        used = facts_used(rules, catalogue.known_facts)
        graph[decision.id] = [name for name in used if name in catalogue.decisions]
        places.update({(decision.id, name): used[name] for name in graph[decision.id]})
    for circle in circles(graph, []):
        rule, place = places[circle[0], circle[1]]
        mistake, write = f"{circle[0]} is decided by itself", "let one of these rules rest on other facts"
        why = f"the cycle is {' → '.join(circle)}, so neither can be decided first"
        yield rule.problem(place, mistake, why, write)


def check_problems(item: Authored[model.Check], catalogue: Catalogue) -> Iterator[Problem]:
    check, tunables = item.record, catalogue.tunables
    ways = [way for way in WAYS if getattr(check, way)]
    if len(ways) != 1:
        mistake = f"a check with {word_list(ways, 'and')}" if ways else f"a check without {word_list(WAYS)}"
        yield item.problem((), mistake, "a check looks in exactly one way", "keep or add one of these")
    if check.sides is not None:
        yield from _sides(item, check.sides, tunables)
    summed = tunables.get(check.total.of) if check.total is not None else None
    if summed is not None and summed.sound and summed.record.type not in NUMERIC:
        why = f"{summed.id} is of type {summed.record.type}"
        yield item.problem(("total", "of"), f"a sum of {summed.id}", why, "name a setting that is a number")
    loads = check.sides is not None and check.sides.of == "load"
    for part in ("differ", "figures", "signs", "variants"):
        if getattr(check, part) and not check.on and not (part == "figures" and loads):
            why = "it speaks of the settings of a line that `on` has found"
            yield item.problem((part,), f"{part} without on", why, "add on: {…: present}")
    for name, figure in check.figures.items():
        yield from _figure(item, ("figures", name), figure, catalogue)
    if len(ways) == 1 and ways[0] in _WORDS:
        fields = _WORDS[ways[0]] | check.figures.keys()
        yield from _message_fields(item, (), check, fields)
        for index, variant in enumerate(check.variants):
            yield from _message_fields(item, ("variants", index), variant, fields)
    for index, variant in enumerate(check.variants):
        for place, claim in enumerate(variant.cites):
            if claim not in check.cites:
                why, write = "a check cites all on which its words rest", "add it to the check's cites"
                yield item.problem(("variants", index, "cites", place), f'"{claim}"', why, write)
    for index, example in enumerate(check.examples):
        if type(example.finds) is int and example.finds < 0:
            at, why = ("examples", index, "finds"), "there cannot be fewer than none"
            yield item.problem(at, f"{example.finds} findings", why, "write 0 or more")
    found = [bool(example.finds) for example in check.examples] + [True] * (check.builtin == INTERNAL)
    template = "{{fstab: …, finds: {}}}"
    yield from both_sides(item, found, template, f"{item.id} must find something", f"{item.id} must find nothing")


def _sides(item: Authored[model.Check], sides: model.Sides, tunables: Items[model.Tunable]) -> Iterator[Problem]:
    """Problems of what two hosts must come to, and of patterns that fit no setting."""
    for name, wanted in sides.on.items():
        at = ("sides", "on", name)
        yield from values.setting_pattern(item, at, name, wanted, tunables)
        if not name.startswith("sides."):
            yield from values.setting_name(item, at, name, tunables, key=True)
        elif name not in SIDES:
            why, write = "nothing between two hosts is called so", near(name, SIDES, "choose one")
            yield item.problem(at, f'"{name}"', why, write, key=True)
    for index, pattern in enumerate(sides.differ):
        begin, star, _ = pattern.partition("*")
        if not any(name.startswith(begin) if star else name == begin for name in tunables):
            why = "kb/tunables/ has nothing of this form"
            yield item.problem(("sides", "differ", index), f'"{pattern}"', why, near(pattern, tunables, "correct it"))


def _message_fields(
    item: Authored[model.Check], at: YamlPath, words: model.Check | model.Variant, fields: AbstractSet[str]
) -> Iterator[Problem]:
    """Problems of fields that lint does not fill, which users would see as "?"."""
    for part, text in (("message", words.message), ("why", words.why), ("remedy", words.remedy)):
        named, problem = fields_in(item, (*at, part), text or "", "a brace", "write {{ or }} for a brace itself")
        yield from problem
        for field in named:
            if field not in fields:
                known = ", ".join(f"{{{name}}}" for name in sorted(fields))
                write = near(field, fields, f"write one of {known}, or {{{{ and }}}} for braces themselves")
                yield item.problem((*at, part), f"{{{field}}}", "this check has no such field", write)


def fields_in(
    item: Authored[model.Record], at: YamlPath, text: str, mistake: str, write: str
) -> tuple[list[str], list[Problem]]:
    """The fields in braces of a text, or the problem with its braces."""
    try:
        return [field for _, field, _, _ in Formatter().parse(text) if field is not None], []
    except ValueError as error:
        return [], [item.problem(at, mistake, str(error), write)]


def _figure(item: Authored[model.Check], at: YamlPath, figure: model.Figure, catalogue: Catalogue) -> Iterator[Problem]:
    tunables, facts, shown_formula = catalogue.tunables, catalogue.facts, f'the formula "{figure.formula}"'
    if figure.range is not None and not values.is_bound(figure.range):
        mistake = f"the range {shown(figure.range)}"
        yield item.problem((*at, "range"), mistake, "it is not a bound", 'write one such as "<300"')
    place = (*at, "formula")
    try:
        parsed = formula.parse(figure.formula)
    except formula.FormulaError as error:
        write = "write numbers, settings, + - * / min( , ) max( , ) and parentheses"
        yield item.problem(place, shown_formula, error.message.partition(" of ")[0], write)
        return
    if any(divisor.sign != "number" or not divisor.number for divisor in parsed.divisors()):
        why = "what a line sets may be 0, by which nothing can be divided"
        yield item.problem(place, shown_formula, why, "divide by a number")
    for written in sorted(parsed.names):
        name = meant_by(written, tunables)
        if name in COUNTED and item.record.sides:
            continue
        about: Authored[model.Tunable] | Authored[model.Fact] | None = tunables.get(name) or facts.get(name)
        if about is None:
            yield from values.reference(item, place, name, tunables, "tunable")
        elif about.sound and about.record.type not in (*NUMERIC, "pattern"):
            write = "use settings and facts that are numbers"
            yield item.problem(place, shown_formula, f"{name} is of type {about.record.type}", write)


def erratum_problems(item: Authored[model.Erratum], catalogue: Catalogue) -> Iterator[Problem]:
    erratum, facts = item.record, catalogue.known_facts
    if not erratum.facts:
        write = "add facts: [client.kernel] or another version fact"
        yield item.problem(("facts",), "an erratum without facts", "no fact gives the version of a host", write)
    if not erratum.affected:
        write = "add affected: {stream: [{fixed: …}]}"
        mistake = "an erratum without affected versions"
        yield item.problem(("affected",), mistake, "no version would be affected", write)
    for index, name in enumerate(erratum.facts):
        fact = facts.get(name)
        if fact is None or not fact.sound:
            continue
        if fact.record.type != "version":
            why = f"{name} is of type {fact.record.type}"
            yield item.problem(("facts", index), f'the fact "{name}"', why, "name a version fact")
        yield from _streams(item, ("facts", index), name, facts)
    for stream, spans in erratum.affected.items():
        if not spans:
            why, write = "no version of it would be affected", "add [{fixed: …}]"
            yield item.problem(("affected", stream), f'the stream "{stream}" without ranges', why, write)
        for index, span in enumerate(spans):
            yield from _range(item, ("affected", stream, index), span)
    yield from both_outcomes(item, erratum.examples, "an erratum")


def _streams(item: Authored[model.Erratum], at: YamlPath, name: str, facts: Items[model.Fact]) -> Iterator[Problem]:
    lines, affected = facts.get(f"{name}_stream"), item.record.affected
    if lines is None:
        if len(affected) > 1:
            why = f"there is no fact {name}_stream to tell them apart"
            write = "add that fact, or write one erratum per stream"
            yield item.problem(at, f"{len(affected)} streams for {name}", why, write)
        return
    for stream in affected if lines.sound else ():
        words = lines.record.values or {}
        if stream not in words:
            why, hint = f"{lines.id} is one of {word_list(words)}", near(stream, words, "choose one of these")
            yield item.problem(("affected", stream), f'the stream "{stream}"', why, hint, key=True)


def _range(item: Authored[model.Erratum], at: YamlPath, span: model.VersionRange) -> Iterator[Problem]:
    if span.fixed and span.last_affected:
        yield item.problem(at, "both fixed and last_affected", "they say the same in two ways", "keep one")
    if not vars(span):
        why = "every version of the stream would be affected"
        yield item.problem(at, "a range without ends", why, "add introduced, fixed or last_affected")
    for key, version in vars(span).items():
        if any(sign in version for sign in "<>=! "):
            write = 'write a version such as "3.10.0-957.el7"'
            yield item.problem((*at, key), f"{key} is {shown(version)}", "it is one version, not a range", write)


