"""The compiled rule base: immutable, and quickly read from JSON. What a query does not need is not decoded.

Decisions and named conditions are here too, and which rule beats which; `decisions.py` asks what follows."""

from __future__ import annotations

from advisor.engine.boxes import Packed, Space, State
from advisor.engine.cells import CellFact, FactRow, IntFact, ListedFact, Value, VersionFact
from advisor.engine.errors import EngineError, FactError, near
from advisor.engine.situation import Constraints, Presumptions, Situation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, KeysView, Mapping
    from typing import Any, Literal, TypeVar

    from advisor.engine.declare import CompiledBase, RuleRow

    T = TypeVar("T")

FORMAT = 10
MAX_MEMORIES = 4000
MAX_SITUATIONS = 256
GATE = "gate"
"""The layer of what no other rule passes, whatever the hit policy: what cannot be used at all."""
HITS = ("priority", "collect")
"""The strongest rule decides, or each that holds adds its value."""


class RankedRule:
    """`rank`: the higher beats the lower. `overrides`: rules that this one beats whatever their rank; nothing overrides
    a gate but another one."""

    __slots__ = ("boxes", "gate", "id", "layer", "overrides", "rank", "value")

    def __init__(self, row: RuleRow, hit: str, boxes: tuple[int, ...], gate: bool) -> None:
        self.id, self.layer, self.value, self.overrides, _ = row
        self.boxes = boxes
        self.gate = gate
        self.rank: float = 0
        if gate:
            self.rank = float("inf")
        elif hit == "priority":
            self.rank = self.layer

    def beats(self, other: RankedRule) -> bool:
        """Where both match, `other` is out."""
        return other.id in self.overrides or (self.rank > other.rank and self.id not in other.overrides)


class Condition:
    """A named condition: true where one of its boxes holds. `reads`: the facts that it compares, as guard bits."""

    __slots__ = ("boxes", "reads")

    def __init__(self, space: Space, boxes: tuple[int, ...]) -> None:
        self.boxes = boxes
        self.reads = 0
        for box in boxes:
            self.reads |= space.facts_of(box)


class RankedDecision(Condition):
    """The rules of a decision, strongest first and then by id: their order in the file does not matter.

    `boxes` are those of all rules: where none of them holds, the decision has a gap. `ranked`: rank alone says which
    rule beats which."""

    __slots__ = ("_covers_above", "hit", "id", "ranked", "rules")

    def __init__(self, space: Space, name: str, hit: str, rules: Iterable[RankedRule]) -> None:
        self.rules = sorted(rules, key=lambda rule: (-rule.rank, rule.id))
        super().__init__(space, tuple(box for rule in self.rules for box in rule.boxes))
        self.id = name
        self.hit = hit
        self.ranked = not any(rule.overrides for rule in self.rules)
        self._covers_above: dict[str, tuple[int, ...]] = {}

    def rule(self, name: str) -> RankedRule:
        """A rule by its id. Raises EngineError if the decision has none of this name."""
        for rule in self.rules:
            if rule.id == name:
                return rule
        raise EngineError(f"no rule {name!r} in decision {self.id!r}")

    def covers_above(self, rule: RankedRule) -> tuple[int, ...]:
        """The boxes of all rules that beat this one."""
        covers = self._covers_above.get(rule.id)
        if covers is None:
            covers = tuple(box for other in self.rules if other.beats(rule) for box in other.boxes)
            self._covers_above[rule.id] = covers
        return covers


class Base:
    """A rule base. Make one with `build` or `Base.from_json`; the functions of this package ask it."""

    __slots__ = (
        "_conditions",
        "_constraints",
        "_decisions",
        "_memories",
        "_numbered",
        "_presumptions",
        "_raw",
        "_situations",
        "facts",
        "layers",
        "pause",
        "space",
    )

    def __init__(self, raw: CompiledBase) -> None:
        if raw.get("format") != FORMAT:
            raise EngineError(f"compiled for another version of the engine ({raw.get('format')}, not {FORMAT})")
        self._raw = raw
        self.space = Space(_facts(raw["facts"], raw["builds"]))
        self.facts: dict[str, CellFact] = self.space.facts
        self._numbered = [*self.facts.values()]
        self.layers: list[str] = raw["layers"]
        self._decisions: dict[str, RankedDecision] = {}
        self._conditions: dict[str, Condition] = {}
        self._constraints: Constraints | None = None
        self._presumptions: dict[str, Presumptions] = {}
        self._situations: dict[frozenset[tuple[str, int]], Situation] = {}
        self._memories: dict[object, Any] = {}
        self.pause: Callable[[], object] | None = None
        """Called before each question of the many that a query is made of: a thread can give way there."""

    @classmethod
    def from_json(cls, data: CompiledBase) -> Base:
        """The base that `to_json` was asked of. Raises EngineError for another format."""
        return cls(data)

    def to_json(self) -> CompiledBase:
        """All of it as plain data for `json.dumps`."""
        return self._raw

    @property
    def decisions(self) -> KeysView[str]:
        return self._raw["decisions"].keys()

    @property
    def conditions(self) -> KeysView[str]:
        return self._raw["conditions"].keys()

    @property
    def constraints(self) -> Constraints:
        if self._constraints is None:
            rows = ((owner, packed, defines) for owner, _, packed, defines in self._raw["constraints"])
            self._constraints = Constraints(self.space, rows, self.boxes)
        return self._constraints

    def decision(self, name: str) -> RankedDecision:
        """A decision by its id. Raises EngineError if there is none."""
        decision = self._decisions.get(name)
        if decision is None:
            hit, rows = _look_up("decision", name, self._raw["decisions"])
            rules = [RankedRule(row, hit, self.boxes(row[4]), self.layers[row[1]] == GATE) for row in rows]
            decision = self._decisions[name] = RankedDecision(self.space, name, hit, rules)
        return decision

    def condition(self, name: str) -> Condition:
        """A named condition. Raises EngineError if there is none."""
        condition = self._conditions.get(name)
        if condition is None:
            packed = _look_up("condition", name, self._raw["conditions"])
            condition = self._conditions[name] = Condition(self.space, self.boxes(packed))
        return condition

    def written(self, decision: str) -> Mapping[str, object]:
        """The conditions of a decision's rules as their author wrote them: rule id -> condition."""
        return _look_up("decision", decision, self._raw["written"])

    def inferences(self, fact: str) -> list[tuple[str, Mapping[str, object]]]:
        """(regular expression, what is known where it matches) for the text of a fact's exact value."""
        return self._raw["infer"].get(fact, [])

    @property
    def presumptions(self) -> Presumptions:
        """What advice presumes while it asks."""
        return self._presuming("only_once")

    def _presuming(self, without: Literal["only_advice", "only_once", ""]) -> Presumptions:
        made = self._presumptions.get(without)
        if made is None:
            left_out = self._raw[without] if without else ()
            named = tuple((name, self.boxes(packed)) for name, packed in self._raw["presumed"] if name not in left_out)
            made = Presumptions(self.space, named, self.constraints.boxes, *self.boxes(self._raw["ordinary"]))
            self._presumptions[without] = made
        return made

    def state(self, answers: Mapping[str, object]) -> State:
        """What is known once these answers are given, and what is presumed as far as nothing known speaks against it.

        Raises as `certain` does."""
        return self.presume(self.certain(answers))

    def presume(self, certain: State, *, once: bool = False) -> State:
        """What is certain, and what is presumed as far as nothing of it speaks against it. `once`: also what is
        presumed only where nobody is asked."""
        return self._presume(certain, self._presuming("" if once else "only_once"))

    def behind(self, state: State, fact: str, certain: int) -> tuple[str, ...]:
        """The ids of the presumptions that narrow a fact to what the state says of it. `certain`: its cells without
        them."""
        return self._presuming("").behind(state, fact, certain)

    def judging(self, answers: Mapping[str, object]) -> State:
        """As `state`, without what only advice presumes: what is written may be meant for a rare case.

        Raises as `certain` does."""
        return self._presume(self.certain(answers), self._presuming("only_advice"))

    def certain(self, answers: Mapping[str, object]) -> State:
        """What is known once these answers are given: exact values, lists of values, ranges, "n/a"; None says nothing.

        Raises FactError for an unknown fact, a value outside the domain, and answers that contradict each other."""
        state: State = {}
        for fact, answer in answers.items():
            if answer is not None:
                state[fact] = self.fact(fact).mask(answer)
        for fact, answer in answers.items():
            self._infer(state, fact, answer)
        return {fact: mask for fact, mask in state.items() if mask != self.facts[fact].full}

    def without_bearing(self, answers: Mapping[str, object]) -> list[str]:
        """The facts that were answered, and do not apply where the other answers hold. Raises as `certain` does."""
        known = self.certain(answers)
        if not any(self.fact(fact).not_applicable for fact in known) or self.situation(known).consistent:
            return []
        wide = self.situation({fact: mask | self.fact(fact).not_applicable for fact, mask in known.items()})
        facts = [fact for fact in map(self.fact, known) if fact.not_applicable] if wide.consistent else []
        return [
            fact.id for fact in facts
            if wide.possible(self.space.guard_of[fact.id]) >> fact.shift == fact.not_applicable
        ]

    def _infer(self, state: State, fact: str, answer: object) -> None:
        """Narrows in the state what the text of an exact value gives away of other facts.

        Raises FactError where they are said to be something else."""
        rules = self.inferences(fact)
        if not rules or not isinstance(answer, str) or answer.startswith(("<", ">", "=", "!")):
            return
        import re  # noqa: PLC0415 - few facts need it

        for pattern, known in rules:
            if re.search(pattern, answer):
                for other, value in known.items():
                    mask = self.fact(other).mask(value)
                    if other in state and not state[other] & mask:
                        inferred = self.describe(other, state[other])
                        raise FactError(
                            fact, answer, f"{answer!r} means that {other} is {value}, but it is said to be {inferred}"
                        )
                    state[other] = state.get(other, mask) & mask

    def _presume(self, certain: State, presumptions: Presumptions) -> State:
        def consistent(narrowed: int) -> bool:
            return self.situation(self.space.unpack(narrowed)).consistent

        box = self.space.pack(certain)
        left = self.remembered(("presume", presumptions, box), lambda: presumptions.applied(box, consistent))
        return {**certain, **self.space.unpack(left)}

    def describe(self, fact: str, mask: int) -> str:
        """The cells of a mask in words: "older than 5.3", "anf, ontap"."""
        return self.fact(fact).describe(mask)

    def answer(self, fact: str, mask: int) -> Value | list[Value]:
        """The cells of a mask as an answer that `state` takes: a value, a range, or a list of them."""
        return self.fact(fact).answer(mask)

    def fact(self, name: str) -> CellFact:
        """A fact by its id. Raises FactError if there is none."""
        try:
            return self.facts[name]
        except KeyError:
            raise FactError(name, None, "unknown fact", near(name, self.facts)) from None

    def situation(self, state: State) -> Situation:
        """What follows from a state. Raises FactError for an unknown fact."""
        said = frozenset(state.items())  # found faster than the box
        situation = self._situations.get(said)
        if situation is None:
            try:
                box = self.space.pack(state)
            except KeyError as error:
                raise FactError(str(error.args[0]), None, "unknown fact", near(error.args[0], self.facts)) from None
            if len(self._situations) >= MAX_SITUATIONS:
                self._situations.clear()
            situation = self._situations[said] = Situation(self.space, self.constraints, box)
        return situation

    def boxes(self, packed: Packed) -> tuple[int, ...]:
        """Boxes as they stand in the JSON, each a list of fact number, mask, fact number, mask …"""
        boxes = []
        for pairs in packed:
            box = self.space.everything
            for at in range(0, len(pairs), 2):
                fact = self._numbered[pairs[at]]
                box ^= (fact.full ^ pairs[at + 1]) << fact.shift
            boxes.append(box)
        return tuple(boxes)

    def remembered(self, question: object, work_out: Callable[[], T]) -> T:
        """The answer to a question, which is worked out once. Its first word says which function asks."""
        if self.pause is not None:
            self.pause()
        answer: T = self._memories.get(question, self)
        if answer is self:  # another thread may clear them meanwhile
            answer = work_out()
            if len(self._memories) >= MAX_MEMORIES:
                self._memories.clear()
            self._memories[question] = answer
        return answer


def _look_up(kind: str, name: str, known: Mapping[str, T]) -> T:
    if name not in known:
        hint = near(name, known)
        raise EngineError(f"no {kind} {name!r}" + (f"; did you mean {hint[0]}?" if hint else ""))
    return known[name]


def _facts(rows: Iterable[FactRow], builds: Mapping[str, Mapping[str, str]]) -> list[CellFact]:
    facts: list[CellFact] = []
    shift = 0
    for row in rows:
        fact: CellFact
        if row[1] == "int":
            fact = IntFact(row, shift)
        elif row[1] == "version":
            fact = VersionFact(row, shift, builds)
        else:
            fact = ListedFact(row, shift)
        facts.append(fact)
        shift += fact.size + 1
    return facts
