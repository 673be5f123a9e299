"""Turn facts as authors declare them into rows of the compiled base, with their domains split into cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

from advisor.engine.cells import UNQUOTED, OrderedFact, whole_number
from advisor.engine.conditions import ALWAYS, Tree, constants, leaves, parse
from advisor.engine.errors import EngineError, Path
from advisor.engine.versions import SCHEMES, following, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.types import AuthoredFact, FactRow
    from advisor.engine.versions import Key

TYPES = ("enum", "bool", "int", "version")
P = TypeVar("P")
Compared = list[tuple[object, Path]]
"""Values with which a fact is compared, each with its place."""


class Declared(NamedTuple):
    """A fact with parsed conditions. `values`: (value, condition, path) for each value of a derived fact."""

    data: AuthoredFact
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


def declare(facts: Iterable[AuthoredFact]) -> dict[str, Declared]:
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


def rows(declared: Mapping[str, Declared], trees: Iterable[Tree]) -> list[FactRow]:
    """The facts as rows of the compiled base. Their edges come from the constants in all conditions."""
    compared: dict[str, Compared] = {name: [] for name in declared}
    for tree in [*trees, *(tree for fact in declared.values() for tree in fact.conditions)]:
        for leaf in leaves(tree):
            compared[leaf.fact].append((leaf.value, leaf.path))
    for name, fact in declared.items():
        compared[name] += [(value, path) for value, _, path in fact.values]
        if fact.otherwise is not None:
            compared[name].append((fact.otherwise, (*fact.path, "otherwise")))
    return [_row(name, fact, compared[name]) for name, fact in declared.items()]


def check_order(declared: Mapping[str, Declared]) -> None:
    """Raises EngineError if facts are derived from each other in a circle."""
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
    """The sides of the constant on which a comparison's result changes: 0 just before it, 1 just after it."""
    return {">=": (0,), "<": (0,), ">": (1,), "<=": (1,)}.get(operator, (0, 1))


def exact(fact: OrderedFact, value: object) -> bool:
    """Whether every edge of a compared value is an edge of the fact, so that the value splits no cell."""
    start, end = fact.domain()
    for operator, constant in constants(value):
        around = fact.around(constant)
        for edge in (around[side] for side in sides(operator)):
            outside = (start is not None and edge <= start) or (end is not None and edge >= end)
            if not outside and edge not in fact.edge_list():
                return False
    return True


def _check_domain(fact: AuthoredFact, path: Path) -> None:
    kind = fact.get("type")
    if kind not in TYPES:
        raise EngineError(f"type {kind!r} is none of {', '.join(TYPES)}", path)
    if kind == "enum":
        values = list(fact.get("values") or ())
        if not values or not all(isinstance(value, str) for value in values) or len(set(values)) != len(values):
            raise EngineError("an enum needs values: different texts, in quotes if they look like numbers", path)
    elif fact.get("values"):
        raise EngineError(f"only an enum has values, not a fact of type {kind}", path)
    if kind == "version" and fact.get("scheme") not in SCHEMES:
        raise EngineError(f"a version needs a scheme: {', '.join(SCHEMES)}", path)
    low, high = fact.get("minimum"), fact.get("maximum")
    if low is not None and high is not None and low > high:
        raise EngineError(f"minimum {low} is above maximum {high}", path)
    if fact.get("otherwise") is not None and not fact.get("derive"):
        raise EngineError("otherwise belongs to a derived fact, which has derive", path)


def _value(fact: AuthoredFact, word: object, path: Path) -> object:
    """The value for a key of `derive`, which YAML may read as text whatever the type of the fact."""
    if fact["type"] == "bool" and word in ("true", "false"):
        return word == "true"
    if fact["type"] == "int" and isinstance(word, str):
        try:
            return whole_number(word)
        except ValueError as error:
            raise EngineError(str(error), path) from None
    return word


def _row(name: str, fact: Declared, compared: Compared) -> FactRow:
    data, always = fact.data, fact.applies is None
    if data["type"] == "enum":
        return name, "enum", list(data["values"]), always, fact.derived
    if data["type"] == "bool":
        return name, "bool", None, always, fact.derived
    if data["type"] == "int":
        low, high = data.get("minimum"), data.get("maximum")
        starts = set(_edges(name, compared, lambda constant, side: whole_number(constant) + side))
        inside = [start for start in starts if (low is None or start > low) and (high is None or start <= high)]
        return name, "int", (low, high, sorted(inside)), always, fact.derived
    scheme = str(data["scheme"])
    cuts = _edges(name, compared, lambda constant, side: _cut(scheme, constant, side))
    texts: dict[Key, str] = {}
    for place, text, _ in sorted(cuts, key=lambda cut: (len(cut[1]), cut[1])):
        texts.setdefault(place, text)
    ordered = sorted({(place, after) for place, _, after in cuts})
    return name, "version", (scheme, [(texts[place], after) for place, after in ordered]), always, fact.derived


def _edges(name: str, compared: Compared, edge: Callable[[object, int], P]) -> list[P]:
    """The places where the result of a comparison changes."""
    edges: list[P] = []
    for value, path in compared:
        try:
            edges += [edge(constant, side) for operator, constant in constants(value) for side in sides(operator)]
        except ValueError as error:
            raise EngineError(f"{name}: {error}", path) from None
    return edges


def _cut(scheme: str, version: object, side: int) -> tuple[Key, str, int]:
    """(sort key, version, 0 before or 1 after). The edge after everything that a version stands for is the edge before
    the first version that it does not stand for."""
    if not isinstance(version, str):
        raise ValueError(UNQUOTED.format(version))
    after = following(version) if side else ""
    return (key(scheme, after), after, 0) if after else (key(scheme, version), version, side)
