"""Advice for several mounts of one host: a line for each, and settings of the host that suit all of them.

A setting of the host gets a value only if the advice for every mount allows it. Otherwise nothing is written, and the
mounts and rules that disagree are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from operator import and_

from advisor.advice.advise import advise, for_names, with_written_value
from advisor.advice.answers import Answers
from advisor.advice.model import SILENT, Advice, FactQuestion, Possible, Row, Supposition
from advisor.advice.rows import open_row, with_parts
from advisor.engine import contenders
from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase.counsel import SEVERE, STRENGTHS, is_in_effect, to_write
from advisor.rulebase.model import RuleBase, Value
from advisor.rulebase.values import same


class MountSide(NamedTuple):
    """The value that the advice for one mount gives a setting of the host."""

    target: str
    tunable: str
    value: Value
    rule: str | None
    strength: str | None
    why: str


class Conflict(NamedTuple):
    """A setting of the host, or of one server's mounts, for which mounts need different values. `used`: what the lines
    of all of them have nevertheless; "" if none is advised."""

    tunable: str
    title: str
    sides: tuple[MountSide, ...]
    used: str = ""

    @property
    def says(self) -> str:
        """It in a sentence without its end."""
        return f"{self.title}: no value suits all mounts, so {f'all have {self.used}' if self.used else 'none is set'}"


class SharedQuestion(NamedTuple):
    """A question, and the mount points for which it is open; all of them for a fact of the host."""

    ask: FactQuestion
    targets: tuple[str, ...]


class Several(NamedTuple):
    """`answers`: as given, with all sections. `mounts`: the advice for each, with the host's settings as they suit all.
    `rows`: the host's settings, as `Advice.rows` has them. `wanted`: setting → the
    mount points whose advice asks for it, first the one whose reason is shown."""

    answers: Answers
    mounts: tuple[Advice, ...]
    rows: tuple[Row, ...]
    conflicts: tuple[Conflict, ...]
    questions: tuple[SharedQuestion, ...]
    wanted: dict[str, tuple[str, ...]]

    @property
    def host(self) -> tuple[Row, ...]:
        """What can be done on the host now."""
        return tuple(row for row in self.rows if not row.possible)

    @property
    def open(self) -> tuple[Row, ...]:
        """What depends on facts that are not known."""
        return tuple(row for row in self.rows if row.possible)


def advise_several(
    base: RuleBase, answers: Answers, mounts: Iterable[Answers], *, strict: bool = False, asking: bool = False,
    first: Callable[[Answers], Advice] | None = None,
) -> Several:
    """The advice for several mounts. `mounts`: from `answers_by_mount`. `first`: returns the advice for one mount
    alone, for example a cached one. `strict`, `asking`: as for `advise`. Raises FactError and EngineError."""
    mounts = tuple(mounts)
    advices = _one_each(base, mounts, first or partial(advise, base, strict=strict, asking=asking))
    torn = _disputed_facts(base, advices)
    if torn:
        advices = _one_each(base, mounts, partial(advise, base, strict=strict, unless=torn, asking=asking))
    conflicts = _agree(base, advices, partial(advise, base, strict=strict, unless=torn, asking=asking))
    several = combine(base, answers, advices)
    return several._replace(conflicts=(*several.conflicts, *conflicts))


def _agree(base: RuleBase, advices: list[Advice], make: Callable[[Answers], Advice]) -> list[Conflict]:
    """Gives mounts that share connections, as checks of pairs say, one value of what the first of them decides for all;
    returns where no value suits them all."""
    conflicts = []
    for pair, why in ((check.pair, check.why) for check in base.checks.values() if check.pair):
        if "fstab.host" not in pair.same or "fstab.export" in pair.same or len(pair.differ) != 1:
            continue
        name, groups = pair.differ[0], dict[object, list[int]]()
        for place, advice in enumerate(advices):
            found = (advice.find(other) for other in pair.same)
            key = advice.answers.name("server"), *(row and row.text for row in found)
            groups.setdefault(key, []).append(place)
        for places in groups.values():
            setting = _Setting(base, name, [advices[place] for place in places])
            shared = setting.shared() if len({row.text for _, row in setting.settled}) > 1 else None
            rank = [(row.pinned, row.strength) for _, row in setting.asking]
            if isinstance(shared, Conflict):
                sure = [row for (_, row), mine in zip(setting.asking, rank) if mine == rank[0]]
                best = max(sure, key=lambda row: row.written if isinstance(row.written, int) else 0)
                apart = best.pinned and len({row.text for row in sure}) > 1
                conflicts.append(shared._replace(used="" if apart else best.summary))
                shared = None if apart else best
            if shared is None or shared.possible:
                continue
            told = shared._replace(why=f"{shared.why} {why}")
            value = "omit" if told.written is None else told.written
            for place in places:
                mine = advices[place]
                if (row := mine.find(name)) is None or row.text == told.text:
                    continue
                pinned = make(mine.answers._replace(pins={**mine.answers.pins, name: value}))
                rows = tuple(told if one.tunable == name else one for one in pinned.rows)
                advices[place] = mine._replace(rows=rows, state=pinned.state, supposed=pinned.supposed)
    return conflicts


def _one_each(base: RuleBase, mounts: Iterable[Answers], make: Callable[[Answers], Advice]) -> list[Advice]:
    """The advice for each mount, worked out once for those that differ in names alone."""
    made: dict[object, Advice] = {}
    advices = []
    for mount in mounts:
        alike = id(mount.now), repr(mount._replace(names={}, now={}))
        if alike not in made:
            made[alike] = make(mount)
        advices.append(for_names(base, made[alike], mount.names))
    return advices


def _disputed_facts(base: RuleBase, advices: Sequence[Advice]) -> frozenset[str]:
    """Facts of the host of which different things are usual or presumed for different mounts: none can be assumed."""
    taken = grouped(
        (fact, mask) for advice in advices for fact, mask in advice.supposed.items()
        if fact not in advice.answers.facts and base.facts[fact].scope == "host" and base.facts[fact].usual
    )
    return frozenset(fact for fact, masks in taken.items() if not reduce(and_, masks))


def combine(base: RuleBase, answers: Answers, advices: Sequence[Advice]) -> Several:
    """The advice for several mounts of one host, made compatible. The order of the mounts changes only their order in
    the result."""
    host: list[Row] = []
    unsettled: list[Row] = []
    conflicts: list[Conflict] = []
    wanted: dict[str, tuple[str, ...]] = {}
    mine = [name for name in base.decisions if name in base.tunables and is_host_kind(base, base.tunables[name].kind)]
    for name in mine:
        if base.decisions[name].hit == "collect":
            each = {str(row.value): row for advice in advices for row in advice.rows if row.tunable == name}
            for row in each.values():
                (unsettled if row.possible else host).append(row)
            wanted[name] = tuple(_target(advice) for advice in advices if advice.find(name) is not None)
            continue
        setting = _Setting(base, name, advices)
        shared = setting.shared()
        wanted[name] = tuple(_target(advice) for advice, _ in setting.asking)
        if isinstance(shared, Conflict):
            conflicts.append(shared)
        elif shared is not None:
            (unsettled if shared.possible else host).append(shared)
    host, twice = _without_twin_units(host, advices)
    host = [row._replace(mounts=_if_some(wanted[row.tunable], len(advices))) for row in host]
    together = tuple(_with_host_settings(base, advice, host, unsettled) for advice in advices)
    rows = tuple(row for row in together[0].rows if is_host_kind(base, row.kind))
    return Several(answers, together, rows, (*conflicts, *twice), _questions(base, advices), wanted)


def _if_some(targets: Sequence[str], mounts: int) -> tuple[str, ...]:
    """The mount points, sorted; () if they are all."""
    return tuple(sorted(targets)) if len(targets) < mounts else ()


def is_host_kind(base: RuleBase, kind: str) -> bool:
    """Whether settings of a kind apply to the whole host."""
    return kind in base.kinds and base.kinds[kind].scope == "host"


class _Setting:
    """One setting of the host, as the advice for each mount has it."""

    def __init__(self, base: RuleBase, name: str, advices: Sequence[Advice]) -> None:
        self.base, self.name, self.definition = base, name, base.tunables[name]
        self.settled = [
            (advice, recommendation) for advice in advices if (recommendation := advice.find(name)) is not None
        ]
        self.open = [(advice, row) for advice in advices for row in advice.open if row.tunable == name]
        self.left = [
            (advice, row._replace(possible=row.otherwise)) for advice, row in self.settled if row.otherwise
        ]
        layers = [layer.id for layer in base.layers]

        def weight(side: tuple[Advice, Row]) -> tuple[bool, int, int, bool, str, str]:
            recommendation = side[1]
            strength = (*STRENGTHS, None).index(recommendation.strength)
            layer = -layers.index(recommendation.rule.layer if recommendation.rule else layers[0])
            return (
                not recommendation.pinned, strength, layer, bool(recommendation.rests_on), str(recommendation.value),
                _target(side[0]),
            )

        self.asking = sorted((side for side in self.settled if side[1].recommends), key=weight)

    def shared(self) -> Row | Conflict | None:
        """The setting that suits all mounts, open, or in conflict."""
        if not self.asking:
            return self._open() if self.open else self._nothing_to_do()
        first = self.asking[0][1]
        value = self._value(first.written)
        if not all(self._allows(recommendation.value, value) for _, recommendation in self.settled):
            return Conflict(self.name, self.definition.title, tuple(_side(*side) for side in self.asking))
        resting = self._resting(value)
        if resting is None or not all(
            self._allows(p.value, value) for _, row in (*self.open, *self.left) for p in row.possible
        ):
            return self._open()
        taken = {supposition.fact: supposition for supposition in (*first.rests_on, *resting)}
        shared = first
        if not same(first.written, value):
            shared = with_written_value(self.base, self.asking[0][0].answers, first, value)
        presumed = {taken.fact: taken for _, recommendation in self.settled for taken in recommendation.presumes}
        return shared._replace(rests_on=tuple(taken.values()), presumes=tuple(presumed.values()))

    def _value(self, value: Value) -> Value:
        """The value that satisfies all mounts, starting from that of the strongest recommendation."""
        for _ in self.asking:
            for _, recommendation in self.asking:
                if not self._allows(recommendation.value, value):
                    value = self._nearest(recommendation.value, value)
        return value

    def _nearest(self, wanted: Value, value: Value) -> Value:
        nearest = self.definition.replace(usual=())
        return to_write(nearest if value is None else nearest.replace(default=value), wanted)

    def _allows(self, wanted: Value, value: Value) -> bool:
        """Whether advice for a mount allows that this is written; None: that nothing is."""
        if wanted in SILENT:
            return True
        if value is None:
            return wanted == "omit" or is_in_effect(self.definition, wanted, to_write(self.definition, wanted))
        if wanted == "omit":
            default = self.definition.default
            return default is not None and same(value, default)
        return same(self._nearest(wanted, value), value)

    def _resting(self, value: Value) -> tuple[Supposition, ...] | None:
        """The usual values without which the advice for some mount may forbid this value; None if it would do harm
        there if they are wrong."""
        resting: list[Supposition] = []
        rules = self.base.decisions[self.name].rules
        for advice, recommendation in self.settled:
            if not recommendation.rests_on:
                continue
            forbidding = [
                rules[rule] for rule in contenders(self.base.engine, self.name, advice.state)
                if not self._allows(rules[rule].value, value)
            ]
            if any(rule.strength == "must" or rule.consequence in SEVERE for rule in forbidding):
                return None
            resting += recommendation.rests_on if forbidding else ()
        return tuple(resting)

    def _nothing_to_do(self) -> Row | None:
        """A recommendation of some mount to do nothing, preferably because nothing is needed rather than because it
        would have no effect."""
        rows = (row for _, row in self.settled)
        return min(rows, key=lambda row: (row.value != "keep", bool(row.rests_on)), default=None)

    def _open(self) -> Row:
        """That the value depends on what is not known of some mounts; what the others want is among the possible
        values."""
        possible: dict[str, Possible] = {}
        asks: list[str] = []
        for _, waiting in (*self.open, *self.left):
            possible |= {str(candidate.value): candidate for candidate in waiting.possible}
            asks += waiting.asks
        for advice, recommendation in self.asking:
            when = f"the mount is {_target(advice)}"
            mine = Possible(
                recommendation.value, recommendation.rule.id if recommendation.rule else None, recommendation.strength,
                recommendation.consequence, recommendation.why, when=when,
            )
            possible.setdefault(str(recommendation.value), mine)
            asks += [taken.fact for taken in recommendation.rests_on]
        order = [fact for fact in self.base.facts if fact in asks]
        return open_row(self.definition, tuple(possible[key] for key in sorted(possible)), tuple(order))


def _side(advice: Advice, recommendation: Row) -> MountSide:
    return MountSide(
        _target(advice), recommendation.tunable, recommendation.value,
        recommendation.rule.id if recommendation.rule else None, recommendation.strength, recommendation.why,
    )


def _target(advice: Advice) -> str:
    return advice.answers.name("target")


def _without_twin_units(
    host: list[Row], advices: Sequence[Advice]
) -> tuple[list[Row], list[Conflict]]:
    """The settings without those that are one limit in two units, if mounts want both units, and these conflicts."""
    written = {
        recommendation.tunable: recommendation for recommendation in host
        if recommendation.written is not None and not recommendation.already
    }
    twice = [
        (name, other) for name, recommendation in written.items()
        if (other := recommendation.definition.other_unit) in written and name < other
    ]
    conflicts = [
        Conflict(name, written[name].title, tuple(
            _side(advice, recommendation) for advice in advices for unit in (name, other)
            if (recommendation := advice.find(unit)) is not None and recommendation.recommends
        ))
        for name, other in twice
    ]
    out = {name for pair in twice for name in pair}
    return [recommendation for recommendation in host if recommendation.tunable not in out], conflicts


def _with_host_settings(
    base: RuleBase, advice: Advice, host: Sequence[Row], unsettled: Sequence[Row]
) -> Advice:
    """The advice for a mount, with the host's settings as they suit all."""
    own = (row for row in advice.rows if not is_host_kind(base, row.kind))
    rows = sorted((*own, *host, *unsettled), key=lambda row: bool(row.possible))  # what is open comes last
    return advice._replace(rows=with_parts(rows, server=advice.server))


def _questions(base: RuleBase, advices: Sequence[Advice]) -> tuple[SharedQuestion, ...]:
    """The questions of all mounts: a fact of the host is asked once, one of a server once for each server."""
    by_subject: dict[tuple[str, str], list[tuple[FactQuestion, str]]] = {}
    for advice in advices:
        of = {"host": "", "server": advice.answers.name("server"), "mount": _target(advice)}
        for ask in advice.questions:
            by_subject.setdefault((ask.fact, of[base.facts[ask.fact].scope]), []).append((ask, _target(advice)))
    shared = [
        SharedQuestion(
            max((ask for ask, _ in several), key=lambda ask: (ask.matters, ask.impact)),
            tuple(sorted(target for _, target in several)),
        )
        for several in by_subject.values()
    ]
    order = {fact: place for place, fact in enumerate(base.facts)}
    return tuple(sorted(shared, key=lambda question: (
        not question.ask.matters, -question.ask.impact * len(question.targets), order[question.ask.fact],
        question.targets,
    )))
