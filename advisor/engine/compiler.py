"""`build`: compile a rule base, as plain data that authors wrote, to a `Base`; and `verify`: what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from advisor.engine.base import FORMAT, GATE, HITS, Base, RankedDecision, RankedRule
from advisor.engine.boxes import Packed, Space, State, bits
from advisor.engine.conditions import boxes, leaves, parse
from advisor.engine.decisions import holds, value_key
from advisor.engine.declare import (
    BoxGroup,
    Declared,
    check_derived,
    declare,
    impossible,
    in_words,
    owned,
    rows,
)
from advisor.engine.errors import EngineError, FactError, Path, TooBigError, near
from advisor.engine.formula import names_in
from advisor.engine.situation import first_case
from advisor.engine.usual import circles, decided_mask, find_circle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.conditions import Tree
    from advisor.engine.declare import (
        AuthoredBase,
        AuthoredDecision,
        AuthoredRule,
        CompiledBase,
        ConstraintRow,
        RuleRow,
    )


def build(data: AuthoredBase) -> Base:
    """Compile what authors wrote.

    facts: [{id, type, values?, scheme?, minimum?, maximum?, applies?, derive?, otherwise?, infer?, builds?}]
    constraints: [{id, never, presumed?, only_advice?}]; layers: ids, weakest first, `gate` last
    conditions: name -> condition
    decisions: [{id, hit, rules: [{id, layer, when, value, overrides?}]}]
    Raises EngineError with the path of the fault in `data`, and a witness if there is one."""
    declared = declare(data["facts"])
    nevers = [
        (str(row["id"]), parse(row["never"], declared, ("constraints", str(row["id"]), "never")), row.get("presumed"))
        for row in data.get("constraints") or ()
    ]
    conditions = {
        str(name): parse(condition, declared, ("conditions", str(name)))
        for name, condition in (data.get("conditions") or {}).items()
    }
    layers = [str(layer) for layer in data["layers"]]
    if GATE in layers[:-1]:
        raise EngineError(f"the layer {GATE} is not the last, and no rule passes it", ("layers",))
    decisions = _decisions(data["decisions"], declared)
    every_tree = [tree for _, tree, _ in nevers] + list(conditions.values())
    every_tree += [tree for _, trees in decisions.values() for tree in trees.values()]
    packed: dict[str, tuple[str, list[RuleRow]]] = {}
    raw: CompiledBase = {
        "format": FORMAT,
        "facts": rows(declared, every_tree),
        "infer": {},
        "builds": _builds(declared.values()),
        "layers": layers,
        "constraints": [],
        "presumed": [],
        "ordinary": [],
        "only_advice": [str(item["id"]) for item in data.get("constraints") or () if item.get("only_advice")],
        "only_once": [str(item["id"]) for item in data.get("constraints") or () if item.get("only_advice") == "once"],
        "circle": [],
        "decisions": packed,
        "conditions": {},
        "written": {
            name: {rule["id"]: _when(rule) for rule in decision["rules"]} for name, (decision, _) in decisions.items()
        },
    }
    space = Base(raw).space
    raw["infer"] = {name: _inferences(space, fact) for name, fact in declared.items() if fact.data.get("infer")}
    certain = [(name, tree) for name, tree, presumed in nevers if not presumed]
    raw["constraints"] = _constraints(space, declared, certain)
    for name, tree, presumed in nevers:
        if presumed:
            raw["presumed"].append((name, _packed(space, _boxes(space, tree, ("constraints", name, "never")))))
    raw["ordinary"] = _ordinary(raw)
    for name, tree in conditions.items():
        raw["conditions"][name] = _packed(space, _boxes(space, tree, ("conditions", name)))
    for name, (decision, trees) in decisions.items():
        packed[name] = decision["hit"], _rule_rows(space, layers, decision, trees)
    base = Base(raw)
    for name in decisions:
        refuse_circles(base, base.decision(name))
    ordered: list[str] = []
    raw["circle"] = find_circle(base, ordered)
    if not raw["circle"]:
        raw["decisions"] = {name: packed[name] for name in ordered}
    return base


def _decisions(
    authored: Iterable[AuthoredDecision], declared: Mapping[str, Declared]
) -> dict[str, tuple[AuthoredDecision, dict[str, Tree]]]:
    """Each with the conditions of its rules."""
    decisions: dict[str, tuple[AuthoredDecision, dict[str, Tree]]] = {}
    for decision in authored:
        if decision["id"] in decisions:
            raise EngineError("this decision is declared twice", ("decisions", decision["id"]))
        decisions[str(decision["id"])] = decision, _rule_trees(decision, declared)
    return decisions


def _ordinary(raw: CompiledBase) -> Packed:
    """A case that no constraint and no presumption rules out, if there is one. It is stored because the search for it
    would dominate the time that lint needs to apply presumptions."""
    base = Base(raw)
    covers = (*base.constraints.boxes, *(box for _, packed in raw["presumed"] for box in base.boxes(packed)))
    case = base.space.uncovered(base.space.everything, covers)
    return [] if case is None else _packed(base.space, [case])


def _when(rule: AuthoredRule) -> object:
    """A rule's condition; {}, which always holds, if it has none."""
    when = rule.get("when")
    return {} if when is None else when


def _rule_trees(decision: AuthoredDecision, declared: Mapping[str, Declared]) -> dict[str, Tree]:
    path: Path = ("decisions", str(decision["id"]))
    if decision["hit"] not in HITS:
        raise EngineError(f"hit {decision['hit']!r} is none of {', '.join(HITS)}", path)
    trees: dict[str, Tree] = {}
    for rule in decision["rules"]:
        if rule["id"] in trees:
            raise EngineError(f"two rules are called {rule['id']}", path)
        trees[str(rule["id"])] = parse(_when(rule), declared, (*path, "rules", str(rule["id"]), "when"))
    return trees


def _rule_rows(space: Space, layers: list[str], decision: AuthoredDecision, trees: Mapping[str, Tree]) -> list[RuleRow]:
    rule_rows: list[RuleRow] = []
    gates = {str(rule["id"]) for rule in decision["rules"] if rule["layer"] == GATE}
    for rule in decision["rules"]:
        path: Path = ("decisions", str(decision["id"]), "rules", str(rule["id"]))
        if rule["layer"] not in layers:
            raise EngineError(f"layer {rule['layer']!r} is none of {', '.join(layers)}", (*path, "layer"))
        overrides = [str(other) for other in rule.get("overrides") or ()]
        for other in overrides:
            if other not in trees or other == rule["id"]:
                hint = near(other, trees)
                raise EngineError(
                    f"overrides {other!r}, which is not another rule of this decision"
                    + (f"; did you mean {hint[0]}?" if hint else ""),
                    (*path, "overrides"),
                )
            if other in gates and rule["id"] not in gates:
                raise EngineError(f"overrides {other!r}, which is a gate: no rule passes it", (*path, "overrides"))
        _check_value(space, decision, rule, path)
        packed = _packed(space, _boxes(space, trees[str(rule["id"])], (*path, "when")))
        rule_rows.append((str(rule["id"]), layers.index(rule["layer"]), rule["value"], overrides, packed))
    return rule_rows


def _check_value(space: Space, decision: AuthoredDecision, rule: AuthoredRule, path: Path) -> None:
    value = rule["value"]
    fact = space.facts.get(str(decision["id"]))
    if fact is not None:
        try:
            decided_mask(fact, value)
        except FactError as error:
            raise EngineError(f"the decision is also a fact: {error}", (*path, "value")) from None


def _builds(facts: Iterable[Declared]) -> dict[str, dict[str, str]]:
    """The builds of all facts by scheme: what one fact says of its scheme is true of the others."""
    builds: dict[str, dict[str, str]] = {}
    for fact in facts:
        if fact.data.get("builds"):
            builds.setdefault(str(fact.data["scheme"]), {}).update(fact.data["builds"])
    return builds


def _inferences(space: Space, fact: Declared) -> list[tuple[str, Mapping[str, object]]]:
    inferences: list[tuple[str, Mapping[str, object]]] = []
    for index, rule in enumerate(fact.data["infer"]):
        path: Path = (*fact.path, "infer", index)
        try:
            re.compile(rule["match"])
        except re.error as error:
            raise EngineError(f"{rule['match']!r} is not a regular expression: {error}", path) from None
        for other, value in rule["sets"].items():
            if other not in space.facts:
                raise EngineError(f"unknown fact {other!r}", path)
            try:
                space.facts[other].mask(value)
            except FactError as error:
                raise EngineError(str(error), path) from None
        inferences.append((rule["match"], dict(rule["sets"])))
    return inferences


def _constraints(space: Space, declared: Mapping[str, Declared], nevers: list[tuple[str, Tree]]) -> list[ConstraintRow]:
    _check_order(declared)
    groups: list[BoxGroup] = []
    for name, fact in declared.items():
        if fact.conditions:
            try:
                groups.append(BoxGroup(name, impossible(space, fact), space.guard_of[name]))
            except TooBigError as error:
                raise TooBigError(error.message, fact.path) from None
    groups += [BoxGroup(name, _boxes(space, tree, ("constraints", name, "never")), 0) for name, tree in nevers]
    covers = [box for group in groups for box in group.boxes]
    for fact in declared.values():
        check_derived(space, fact, covers)
    if space.uncovered(space.everything, covers) is None:
        never = [box for group in groups if not group.defines for box in group.boxes]
        for fact in declared.values():
            check_derived(space, fact, never)  # the likeliest cause: a fact that always has two values
        raise EngineError("the constraints contradict each other: nothing at all is possible", ("constraints",))
    numbers = {guard: number for number, guard in enumerate(space.guard_of.values())}
    return [
        (numbers.get(owner, -1), group.name, _packed(space, group.boxes), numbers.get(group.defines, -1))
        for owner, group in owned(space, groups)
    ]


def _check_order(declared: Mapping[str, Declared]) -> None:
    """Raises EngineError if facts are derived from each other in a circle."""
    needs = {name: [leaf.fact for tree in fact.conditions for leaf in leaves(tree)] for name, fact in declared.items()}
    for circle in circles(needs, []):
        raise EngineError(f"these facts follow from each other: {' -> '.join(circle)}", declared[circle[0]].path)


def _boxes(space: Space, tree: Tree, path: Path) -> list[int]:
    try:
        return boxes(space, tree)
    except TooBigError as error:
        raise TooBigError(error.message, path) from None


def _packed(space: Space, case_boxes: list[int]) -> Packed:
    numbers = {guard: number for number, guard in enumerate(space.guard_of.values())}
    packed = []
    for box in case_boxes:
        pairs: list[int] = []
        for guard in bits(space.facts_of(box)):
            fact = space.owner[guard]
            pairs += [numbers[guard], box >> fact.shift & fact.full]
        packed.append(pairs)
    return packed


def refuse_circles(base: Base, decision: RankedDecision) -> None:
    """Raises EngineError if there is a consistent case in which rules beat each other in a circle."""
    situation = base.situation({})
    for rule in decision.rules:
        if rule.overrides:  # rank alone makes no circle
            circle_and_case = _circle(base, decision, [rule], situation.cases(rule.boxes))
            if circle_and_case:
                circle, case_box = circle_and_case
                names = " > ".join(member.id for member in (*circle, circle[0]))
                path = ("decisions", decision.id, "rules", rule.id, "overrides")
                case = in_words(base.space, base.space.more(situation.box, case_box))
                raise EngineError(f"these rules beat each other in a circle: {names}", path, case)


def _circle(
    base: Base, decision: RankedDecision, trail: list[RankedRule], cases: list[int]
) -> tuple[list[RankedRule], int] | None:
    """A circle that starts with `trail`, and a case of it. Rules that allow a shortcut are skipped, because a circle
    with a shortcut contains a shorter circle."""
    for rule in decision.rules:
        if not trail[-1].beats(rule) or rule in trail:
            continue
        if any(earlier.beats(rule) for earlier in trail[:-1]) or any(rule.beats(later) for later in trail[1:]):
            continue
        together = [case for a in cases for b in rule.boxes if (case := base.space.meet(a, b)) is not None]
        if not together:
            continue
        longer = [*trail, rule]
        if not rule.beats(trail[0]):
            circle_and_case = _circle(base, decision, longer, together)
            if circle_and_case:
                return circle_and_case
            continue
        covers = base.situation({}).near(decision.reads).covers
        witness = first_case(base.space, together, (), covers)
        if witness is not None:
            return longer, witness
    return None


class Fault(NamedTuple):
    """`decision`: the decision, condition, constraint or fact at fault. `witness`: a case that shows the fault.

    `kind`: gap (no rule holds), conflict (two rules of equal rank with different values both win), dead (always
    beaten, by several rules), masked (always beaten by one rule), unsatisfiable (its condition can never hold),
    unused-fact (nothing reads it), cycle (decisions wait for each other), too-big (gave up)."""

    kind: str
    decision: str
    rules: tuple[str, ...]
    witness: State
    message: str


def verify(base: Base) -> list[Fault]:
    """All faults of a rule base, decision by decision."""
    faults: list[Fault] = []
    circle = base.to_json()["circle"]
    if circle:
        faults.append(Fault("cycle", circle[0], (), {}, f"decisions depend on each other: {' -> '.join(circle)}"))
    for name in sorted(base.decisions):
        decision = base.decision(name)
        try:
            faults += _check(base, decision)
        except TooBigError as error:
            faults.append(Fault("too-big", name, (), {}, f"{name}: {error.message}"))
    for name in sorted(base.conditions):
        if holds(base, name, {}) is False:
            faults.append(Fault("unsatisfiable", name, (), {}, f"condition {name} can never hold"))
    for _, name, forbidden, defines in base.to_json()["constraints"]:
        if defines < 0 and not forbidden:
            faults.append(Fault("unsatisfiable", name, (), {}, f"constraint {name} forbids nothing"))
    for name in _unused(base):
        faults.append(Fault("unused-fact", name, (), {}, f"no decision or condition reads the fact {name}"))
    return faults


def _check(base: Base, decision: RankedDecision) -> list[Fault]:
    """Gaps, rules that cannot win, and rules that contradict each other."""
    space = base.space
    situation = base.situation({})
    covers = situation.near(decision.reads).covers
    cases = {rule.id: situation.cases(rule.boxes) for rule in decision.rules}
    faults = []
    if decision.hit != "collect":
        gap = first_case(space, [situation.box], decision.boxes, covers)
        if gap is not None:
            faults.append(_fault(base, decision, "gap", (), case=gap, text="no rule holds"))
    for rule in decision.rules:
        faults += _useless(base, decision, rule, cases[rule.id])
    for rule, other in combinations(decision.rules, 2):
        if rule.beats(other) or other.beats(rule):
            continue
        if decision.hit == "collect" or value_key(rule.value) == value_key(other.value):
            continue
        common = [case for a in cases[rule.id] for b in cases[other.id] if (case := space.meet(a, b)) is not None]
        above = decision.covers_above(rule) + decision.covers_above(other)
        conflict = first_case(space, common, above, covers)
        if conflict is not None:
            text = f"{rule.id} gives {rule.value} and {other.id} gives {other.value}"
            faults.append(_fault(base, decision, "conflict", (rule.id, other.id), case=conflict, text=text))
    return faults


def _useless(base: Base, decision: RankedDecision, rule: RankedRule, cases: list[int]) -> list[Fault]:
    """The fault of a rule that can never win, if it cannot."""
    space = base.space
    covers = base.situation({}).near(decision.reads).covers
    case = first_case(space, cases, (), covers)
    if case is None:
        message = f"{decision.id}: the condition of {rule.id} can never hold"
        return [Fault("unsatisfiable", decision.id, (rule.id,), {}, message)]
    if first_case(space, cases, decision.covers_above(rule), covers) is not None:
        return []
    above = [other for other in decision.rules if other.beats(rule)]
    for other in above:
        if first_case(space, cases, other.boxes, covers) is None:
            text = f"{other.id} always beats {rule.id}"
            return [_fault(base, decision, "masked", (rule.id, other.id), case=case, text=text)]
    names = tuple(other.id for other in above if any(space.meet(a, b) for a in cases for b in other.boxes))
    text = f"{rule.id} is always beaten, by {', '.join(names)}"
    return [_fault(base, decision, "dead", (rule.id, *names), case=case, text=text)]


def _fault(base: Base, decision: RankedDecision, kind: str, rules: tuple[str, ...], *, case: int, text: str) -> Fault:
    witness = base.space.more(base.situation({}).box, case)
    where = f"where {in_words(base.space, witness)}" if witness else "whatever is known"
    return Fault(kind, decision.id, rules, witness, f"{decision.id}: {text}, {where}")


def _unused(base: Base) -> list[str]:
    """Facts that no condition reads, not even through a derived fact or a formula."""
    space = base.space
    reads = 0
    for name in base.conditions:
        reads |= base.condition(name).reads
    for name in base.decisions:
        decision = base.decision(name)
        reads |= decision.reads
        for rule in decision.rules:
            for fact in names_in(rule.value):
                reads |= space.guard_of.get(fact, 0)
    return space.names(space.guards & ~base.constraints.reading(reads))
