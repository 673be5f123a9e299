"""Facts as authors declare them, made into the rows of the compiled base: their domains split into cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from advisor.engine.conditions import ALWAYS, Tree, constants, leaves, parse
from advisor.engine.errors import EngineError, Path
from advisor.engine.ordered import UNQUOTED, OrderedFact, whole_number
from advisor.engine.versions import SCHEMES, following, key

TYPES = ("enum", "bool", "int", "version")


class Declared(NamedTuple):
    """A fact with its conditions read. `values`: a derived fact's (value, condition, path). `otherwise` may be None."""

    data: Mapping[str, Any]
    path: Path
    applies: Tree | None
    values: tuple[tuple[object, Tree, Path], ...]
    otherwise: object

    @property
    def derived(self) -> bool:
        return bool(self.values)

    @property
    def conditions(self) -> list[Tree]:
        """All conditions on which the fact depends."""
        return [*([self.applies] if self.applies else []), *(tree for _, tree, _ in self.values)]


def declare(facts: Iterable[Mapping[str, Any]]) -> dict[str, Declared]:
    """The facts by id. Raises EngineError for a malformed or repeated one."""
    listed = list(facts)
    names = [str(fact["id"]) for fact in listed]
    declared: dict[str, Declared] = {}
    for fact in listed:
        name = str(fact["id"])
        path: Path = ("facts", name)
        if name in declared:
            raise EngineError("this fact is declared twice", path)
        _check_domain(fact, path)
        applies = None if fact.get("applies") is None else parse(fact["applies"], names, (*path, "applies"))
        values = tuple(
            (
                _value(fact, word, (*path, "derive", str(word))),
                parse(condition, names, (*path, "derive", str(word))),
                (*path, "derive", str(word)),
            )
            for word, condition in (fact.get("derive") or {}).items()
        )
        declared[name] = Declared(fact, path, applies, values, fact.get("otherwise"))
    return declared


def rows(declared: Mapping[str, Declared], trees: Iterable[Tree]) -> list[list[Any]]:
    """[id, type, domain, applies always, derived] of each fact. Its edges come from the constants in all conditions."""
    edges: dict[str, list[tuple[Any, str, int]]] = {name: [] for name in declared}
    for tree in [*trees, *(tree for fact in declared.values() for tree in fact.conditions)]:
        for leaf in leaves(tree):
            edges[leaf.fact] += _edges(declared[leaf.fact].data, leaf.value, leaf.path)
    for name, fact in declared.items():
        for value, _, path in fact.values:
            edges[name] += _edges(fact.data, value, path)
        if fact.otherwise is not None:
            edges[name] += _edges(fact.data, fact.otherwise, (*fact.path, "otherwise"))
    return [
        [name, fact.data["type"], _domain(fact.data, edges[name]), fact.applies is None, fact.derived]
        for name, fact in declared.items()
    ]


def check_order(declared: Mapping[str, Declared]) -> None:
    """Raises EngineError for facts that follow from each other in a circle."""
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if name in trail:
            circle = " -> ".join((*trail[trail.index(name) :], name))
            raise EngineError(f"these facts follow from each other: {circle}", declared[name].path)
        if name not in done:
            for tree in declared[name].conditions:
                for used in dict.fromkeys(leaf.fact for leaf in leaves(tree)):
                    visit(used, (*trail, name))
            done.add(name)

    for name in declared:
        visit(name, ())


def applies_where(fact: Declared) -> Tree:
    """The condition under which a fact has a value."""
    return fact.applies or ALWAYS


def sides(operator: str) -> tuple[int, ...]:
    """Where a comparison's answer changes: 0 just before the constant, 1 just after it."""
    return {">=": (0,), "<": (0,), ">": (1,), "<=": (1,)}.get(operator, (0, 1))


def exact(fact: OrderedFact, value: object) -> bool:
    """Whether all edges of a comparison's value are edges of the fact, so that no cell is in it only by half."""
    start, end = fact.domain()
    for operator, constant in constants(value):
        around = fact.around(constant)
        for edge in (around[side] for side in sides(operator)):
            outside = (start is not None and edge <= start) or (end is not None and edge >= end)
            if not outside and edge not in fact.edge_list():
                return False
    return True


def _check_domain(fact: Mapping[str, Any], path: Path) -> None:
    kind = fact.get("type")
    if kind not in TYPES:
        raise EngineError(f"type {kind!r} is none of {', '.join(TYPES)}", path)
    if kind == "enum":
        values = list(fact.get("values") or ())
        if not values or not all(isinstance(value, str) for value in values) or len(set(values)) != len(values):
            raise EngineError("an enum needs values: different texts, in quotes where they look like numbers", path)
    elif fact.get("values"):
        raise EngineError(f"only an enum has values, not a fact of type {kind}", path)
    if kind == "version" and fact.get("scheme") not in SCHEMES:
        raise EngineError(f"a version needs a scheme: {', '.join(SCHEMES)}", path)
    low, high = fact.get("minimum"), fact.get("maximum")
    if low is not None and high is not None and low > high:
        raise EngineError(f"minimum {low} is above maximum {high}", path)
    if fact.get("otherwise") is not None and not fact.get("derive"):
        raise EngineError("otherwise belongs to a derived fact, which has derive", path)


def _value(fact: Mapping[str, Any], word: object, path: Path) -> object:
    """The value that a key of `derive` stands for: keys may be texts whatever the fact's type."""
    if fact["type"] == "bool" and word in ("true", "false"):
        return word == "true"
    if fact["type"] == "int" and isinstance(word, str):
        try:
            return whole_number(word)
        except ValueError as error:
            raise EngineError(str(error), path) from None
    return word


def _edges(fact: Mapping[str, Any], value: object, path: Path) -> list[tuple[Any, str, int]]:
    """(sort key, constant, 0 before or 1 after) of the places where a comparison's answer changes."""
    if fact["type"] not in ("int", "version"):
        return []
    found: list[tuple[Any, str, int]] = []
    try:
        for operator, constant in constants(value):
            if fact["type"] == "int":
                found += [(whole_number(constant), str(constant), side) for side in sides(operator)]
            elif isinstance(constant, str):
                found += [_cut(str(fact["scheme"]), constant, side) for side in sides(operator)]
            else:
                raise ValueError(UNQUOTED.format(constant))
    except ValueError as error:
        raise EngineError(f"{fact['id']}: {error}", path) from None
    return found


def _cut(scheme: str, version: str, side: int) -> tuple[Any, str, int]:
    """As `_edges`: after all that a version stands for is before the first that it does not."""
    after = following(version) if side else ""
    return (key(scheme, after), after, 0) if after else (key(scheme, version), version, side)


def _domain(fact: Mapping[str, Any], edges: Sequence[tuple[Any, str, int]]) -> Any:
    if fact["type"] == "enum":
        return list(fact["values"])
    if fact["type"] == "bool":
        return None
    if fact["type"] == "int":
        low, high = fact.get("minimum"), fact.get("maximum")
        starts = {place + after for place, _, after in edges}
        inside = [start for start in starts if (low is None or start > low) and (high is None or start <= high)]
        return [low, high, sorted(inside)]
    texts: dict[Any, str] = {}
    for place, text, _ in sorted(edges, key=lambda edge: (len(edge[1]), edge[1])):
        texts.setdefault(place, text)
    cuts = sorted({(place, after) for place, _, after in edges})
    return [fact["scheme"], [[texts[place], after] for place, after in cuts]]
