"""Turn facts as authors declare them into rows of the compiled base, with their domains split into cells; and their
definitions and `never` conditions into impossible boxes, of which a query may leave out those that can be avoided
whatever the other facts are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from advisor.engine.boxes import Packed, Space, bits
from advisor.engine.cells import UNQUOTED, CellFact, FactRow, Value, whole_number
from advisor.engine.conditions import ALWAYS, Junction, boxes, constants, leaves, parse
from advisor.engine.errors import EngineError, FactError, Path
from advisor.engine.situation import first_case
from advisor.engine.versions import SCHEMES, following, key
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict, TypeVar

    from advisor.engine.conditions import Tree
    from advisor.engine.versions import Key

    P = TypeVar("P")

    # What `build` takes, and what a compiled base holds.

    class Inference(TypedDict):
        match: str
        sets: Mapping[str, object]

    class AuthoredFact(TypedDict, total=False):
        """`id` and `type` are always there."""

        id: str
        type: str
        values: Sequence[str]
        scheme: str | None
        minimum: int | None
        maximum: int | None
        applies: object
        derive: Mapping[object, object]
        otherwise: object
        infer: Sequence[Inference]
        builds: Mapping[str, str]

    class AuthoredConstraint(TypedDict, total=False):
        """`presumed` and `only_advice` may be left out."""

        id: str
        never: object
        presumed: bool
        only_advice: object

    class AuthoredRule(TypedDict, total=False):
        """`when` and `overrides` may be left out."""

        id: str
        layer: str
        when: object
        value: Value
        overrides: Sequence[str]

    class AuthoredDecision(TypedDict):
        id: str
        hit: str
        rules: Sequence[AuthoredRule]

    class AuthoredBase(TypedDict, total=False):
        """`constraints` and `conditions` may be left out."""

        facts: Sequence[AuthoredFact]
        constraints: Sequence[AuthoredConstraint]
        layers: Sequence[str]
        conditions: Mapping[str, object]
        decisions: Sequence[AuthoredDecision]

    ConstraintRow = tuple[int, str, Packed, int]
    """Number of the owner or -1, name, boxes, number of the defined fact or -1."""
    RuleRow = tuple[str, int, Value, list[str], Packed]
    """Id, number of the layer, value, what it overrides, boxes."""

    class CompiledBase(TypedDict):
        """`only_advice`: which of `presumed` apply to advice alone, by id; `only_once`: which of these apply only to
        advice that asks no questions. `ordinary`: one box outside every constraint and presumption, or none.
        `written`: decision -> rule -> its condition as its author wrote it.

        `circle`: decisions that depend on each other, if there are some; else `decisions` are in the order in which
        they can be decided. They and `written` may decode an entry when it is asked for."""

        format: int
        facts: list[FactRow]
        infer: dict[str, list[tuple[str, Mapping[str, object]]]]
        builds: dict[str, dict[str, str]]
        """Scheme → name of a build → the release that it is, as `VersionFact.builds` has it."""
        layers: list[str]
        constraints: list[ConstraintRow]
        presumed: list[tuple[str, Packed]]
        ordinary: Packed
        only_advice: list[str]
        only_once: list[str]
        circle: list[str]
        decisions: Mapping[str, tuple[str, list[RuleRow]]]
        conditions: dict[str, Packed]
        written: Mapping[str, Mapping[str, object]]


TYPES = ("enum", "bool", "int", "version")
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


def applies_where(fact: Declared) -> Tree:
    """The condition under which a fact has a value."""
    return fact.applies or ALWAYS


def sides(operator: str) -> tuple[int, ...]:
    """The sides of the constant on which a comparison's result changes: 0 just before it, 1 just after it."""
    return {">=": (0,), "<": (0,), ">": (1,), "<=": (1,)}.get(operator, (0, 1))


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


def impossible(space: Space, fact: Declared) -> list[int]:
    """The boxes that a fact's definition rules out: `n/a` if it applies, values if it does not, and all values but the
    derived one. Raises EngineError for a value that the fact cannot have."""
    name = str(fact.data["id"])
    subject = space.facts[name]
    ruled_out: list[int] = []
    if fact.applies:
        ruled_out += _with(space, boxes(space, fact.applies, negated=True), name, subject.full ^ subject.not_applicable)
        ruled_out += _with(space, boxes(space, fact.applies), name, subject.not_applicable)
    for value, tree, path in fact.values:
        try:
            mask = subject.mask(value)
        except FactError as error:
            raise EngineError(str(error), path) from None
        ruled_out += _with(space, _where(space, fact, tree), name, subject.full & ~mask)
    if fact.derived and fact.otherwise is not None:
        try:
            mask = subject.mask(fact.otherwise)
        except FactError as error:
            raise EngineError(str(error), (*fact.path, "otherwise")) from None
        ruled_out += _with(space, _where(space, fact, _none_of(fact)), name, subject.full & ~mask)
    return ruled_out


def check_derived(space: Space, fact: Declared, constraints: Iterable[int]) -> None:
    """Raises EngineError if a derived fact would have two values, or none. `constraints`: all impossible boxes."""
    name = str(fact.data["id"])
    own = space.guard_of[name]
    covers = [cover for cover in constraints if not space.facts_of(cover) & own]
    subject = space.facts[name]
    for index, (value, tree, path) in enumerate(fact.values):
        for other, other_tree, _ in fact.values[:index]:
            if subject.mask(value) & subject.mask(other):
                continue
            common = boxes(space, Junction("all", (applies_where(fact), tree, other_tree)))
            case = first_case(space, common, (), covers)
            if case is not None:
                words = in_words(space, space.unpack(case))
                raise EngineError(f"{name} would be both {other} and {value}", path, words)
    if fact.derived and fact.otherwise is None:
        case = first_case(space, _where(space, fact, _none_of(fact)), (), covers)
        if case is not None:
            words = in_words(space, space.unpack(case))
            raise EngineError(f"{name} would have no value; add a condition, or otherwise", fact.path, words)


def in_words(space: Space, state: Mapping[str, int]) -> str:
    """A state in words: "client.kernel is older than 5.3 and mount.ro is true"; "" if nothing is known. A comma
    precedes "and" if a fact has several values: "platform is anf or ontap, and mount.ro is true"."""
    *parts, last = [_said(space.facts[name], mask) for name, mask in state.items()] or [""]
    if not parts:
        return last
    comma = len(parts) > 1 or any(" or " in part for part in (*parts, last))
    return f"{', '.join(parts)}{',' if comma else ''} and {last}"


@lru_cache(maxsize=4096)
def _said(fact: CellFact, mask: int) -> str:
    return f"{fact.id} does not apply" if mask == fact.not_applicable else f"{fact.id} is {fact.describe(mask, 'or')}"


def _where(space: Space, fact: Declared, tree: Tree) -> list[int]:
    return boxes(space, Junction("all", (applies_where(fact), tree)))


def _none_of(fact: Declared) -> Tree:
    return Junction("not", (Junction("any", tuple(tree for _, tree, _ in fact.values)),))


def _with(space: Space, cases: Iterable[int], name: str, mask: int) -> list[int]:
    """The same boxes, narrowed to the cases in which the fact has one of these cells."""
    return [common for box in cases if (common := space.meet(box, space.only(name, mask))) is not None]


MAX_TRIES = 2000
"""Combinations of boxes that are tried for one fact; if these are not enough, every query reads its constraints."""


class BoxGroup(NamedTuple):
    """The boxes of one definition or `never`. `defines`: the guard bit of the defined fact, 0 for a `never`."""

    name: str
    boxes: list[int]
    defines: int


def owned(space: Space, groups: list[BoxGroup]) -> list[tuple[int, BoxGroup]]:
    """Each group with the guard bit of the fact that owns it, 0 if none does: a fact that can always avoid the group's
    boxes. A query that neither asks nor knows anything about the owner may leave the group out.

    A fact that has a possible cell in every case of the others is eliminated together with all groups that mention it,
    and then the next one. Facts with few groups go first, and defined facts before others, so that a group precedes
    those of the other facts that it mentions."""
    remaining = [(_mentioned(space, group), group) for group in groups]
    eliminated: list[tuple[int, BoxGroup]] = []
    stuck = 0
    while True:
        fact = _fewest_groups(remaining, stuck)
        if not fact:
            return eliminated + [(0, group) for _, group in remaining]
        own = [group for facts, group in remaining if facts & fact]
        if _always_free(space, fact, [box for group in own for box in group.boxes]):
            eliminated += [(fact, group) for group in own]
            remaining = [(facts, group) for facts, group in remaining if not facts & fact]
            stuck = 0
        else:
            stuck |= fact


def _fewest_groups(groups: list[tuple[int, BoxGroup]], stuck: int) -> int:
    """The guard bit of the fact to try next, 0 if there is none. `stuck`: facts that cannot be eliminated for now."""
    counts: dict[int, tuple[int, bool, int]] = {}
    defined = {group.defines for _, group in groups}
    for facts, _ in groups:
        for fact in bits(facts & ~stuck):
            count = counts[fact][0] + 1 if fact in counts else 1
            counts[fact] = (count, fact not in defined, -fact)
    return min(counts, key=counts.__getitem__, default=0)


def _mentioned(space: Space, group: BoxGroup) -> int:
    facts = group.defines
    for box in group.boxes:
        facts |= space.facts_of(box)
    return facts


def _always_free(space: Space, fact: int, boxes: list[int]) -> bool:
    """Whether the boxes leave a cell of the fact in every case of the other facts."""
    segment = space.segment[fact]
    tries = 0

    def blocked(case: int, cells: int) -> bool:
        """Whether in some part of the case, of the other facts, boxes cover all these cells."""
        nonlocal tries
        tries += 1
        if not cells or tries > MAX_TRIES:
            return True
        cell = cells & -cells
        for box in boxes:
            if box & cell:
                common = space.meet(case, box | segment)
                if common is not None and blocked(common, cells & ~box):
                    return True
        return False

    return not blocked(space.everything, segment)
