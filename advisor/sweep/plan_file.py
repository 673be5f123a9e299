"""The file of a plan, read: whatever a person has written there is checked before anything is mounted."""

from __future__ import annotations

from advisor import given
from advisor.options.grammar import Grammar
from advisor.readers.source import parse_source
from advisor.rulebase.problems import near
from advisor.sweep import jobs as sweep_jobs
from advisor.sweep.model import Factor, OwnNamespace, SweepPlan, every
from advisor.sweep.plan_text import ALL, HOST, SCHEMA
from advisor.sweep.takes import refused, unfit_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model import Tunable
    from advisor.rulebase.model.types import Value
    from advisor.sweep.model import Job

LINKS = ("ipvlan", "macvlan", "veth")
_KEYS = ("schema", "made", "export", "server", "isolation", "factors", "controls", "fixed", "jobs", "blocks", "seed",
         "drift_every", "points", "resolution", "aliases")
MOST_MOUNTS = 20_000
_LARGEST = 1 << 20
"""Bytes: enough for the points of so many mounts."""


class PlanError(Exception):
    """The plan cannot be used; the text names file, line, column, what is wrong, and what to write."""


def read(path: str, tunables: Mapping[str, Tunable]) -> tuple[SweepPlan, str]:
    """A plan, and the text of its file. Raises PlanError."""
    try:
        source = given.text(path, _LARGEST)
    except given.GivenError as error:
        raise PlanError(str(error)) from None
    return parsed(source, path, tunables), source


def parsed(source: str, path: str, tunables: Mapping[str, Tunable]) -> SweepPlan:
    """The plan in a text; `path` is for messages. Raises PlanError."""
    try:
        tree = given.yaml_data(source, path, places=True)
    except given.GivenError as error:
        raise PlanError(str(error)) from None
    if not isinstance(tree, dict) or tree.get("schema") != SCHEMA:
        raise PlanError(f"{path}:1:1: not a plan of a sweep, which begins with `schema: {SCHEMA}`; "
                        "`advisor sweep plan` writes one")
    return _PlanTree(path, tree, tunables).plan()


class _PlanTree:
    """The data of a plan's file, key by key."""

    def __init__(self, path: str, tree: Mapping[str, object], tunables: Mapping[str, Tunable]) -> None:
        self._path = path
        self._tree = tree
        plain = given.plain(tree)
        assert isinstance(plain, dict)
        self._data: Mapping[str, object] = plain
        self._tunables = tunables

    def plan(self) -> SweepPlan:
        for key in self._data:
            if key not in _KEYS:
                raise self._wrong((key,), f"unknown key {key}; {near(key, _KEYS, 'a plan has ' + ', '.join(_KEYS))}")
        export = self._text("export")
        source = parse_source(export)
        if source.kind not in ("host", "ipv4", "ipv6") or source.problem or not source.export.startswith("/"):
            raise self._wrong(("export",), "export is SERVER:/PATH, as mount takes it")
        factors = self._factors()
        count = 1
        for one in factors:
            count *= len(one.levels)
        blocks = self._number("blocks", 1, 1000)
        points = self._data.get("points", ALL)
        if points == ALL and count * blocks > MOST_MOUNTS:
            raise self._wrong(("factors",), f"factors make {count * blocks} mounts; {MOST_MOUNTS} is the most: "
                                            "drop factors or levels")
        resolution = self._number("resolution", 2, 20) if "resolution" in self._data else None
        plan = SweepPlan(
            export, factors, every(factors) if points == ALL else self._points(points, factors), self._jobs(),
            {name: self._level(("fixed", name), name, value) for name, value in self._table("fixed").items()}, blocks,
            self._number("seed", 0, (1 << 63) - 1), self._number("drift_every", 0, MOST_MOUNTS, 0), resolution,
            tuple(self._list("aliases")), self._own(), str(self._data.get("made", "")), self._server(),
        )
        for one in factors:
            if one.tunable in plan.fixed:
                raise self._wrong(("fixed", one.tunable), f"{one.tunable} is a factor too; take it out here or there")
        self._accepted(plan)
        return plan

    def _wrong(self, where: tuple[str | int, ...], says: str) -> PlanError:
        line, column = given.place(self._tree, where)
        return PlanError(f"{self._path}:{line}:{column}: {says}")

    def _text(self, key: str) -> str:
        value = self._data.get(key)
        if not isinstance(value, str) or not value or not value.isprintable():
            raise self._wrong((key,), f"{key} is missing, or is not text; write it out")
        return value

    def _number(self, key: str, low: int, high: int, usual: int | None = None) -> int:
        value = self._data.get(key, usual)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self._wrong((key,), f"{key} is a whole number from {low} to {high}")
        return value

    def _table(self, key: str) -> Mapping[str, object]:
        value = self._data.get(key) or {}
        if not isinstance(value, dict):
            raise self._wrong((key,), f"{key} is a mapping: one `name: value` a line")
        return value

    def _list(self, key: str) -> list[str]:
        value = self._data.get(key) or []
        if not isinstance(value, list) or not all(isinstance(one, str) and one.isprintable() for one in value):
            raise self._wrong((key,), f"{key} is a list of texts")
        return value

    def _factors(self) -> tuple[Factor, ...]:
        controls = self._list("controls")
        table = self._table("factors")
        for number, name in enumerate(controls):
            if name not in table:
                hint = near(name, table, "a control is one of the factors")
                raise self._wrong(("controls", number), f"controls: {name} is not a factor; {hint}")
        found = []
        for name, levels in table.items():
            if not isinstance(levels, list) or not levels:
                raise self._wrong(("factors", name), f"factors: {name} is a list of values, such as [1, 4]")
            values = tuple(self._level(("factors", name, at), name, value) for at, value in enumerate(levels))
            if len({str(value) for value in values}) < len(values):
                raise self._wrong(("factors", name), f"factors: {name} has a value twice; write each once")
            found.append(Factor(name, values, name in controls))
        return tuple(found)

    def _points(self, points: object, factors: tuple[Factor, ...]) -> tuple[tuple[int, ...], ...]:
        if not isinstance(points, list) or not points or len(points) > MOST_MOUNTS:
            raise self._wrong(("points",), "points is `all`, or a list with the number of each factor's level, from 0, "
                                           f"in each of its {MOST_MOUNTS} points at most")
        found = []
        for number, point in enumerate(points):
            fits = isinstance(point, list) and len(point) == len(factors) and all(
                type(at) is int and 0 <= at < len(one.levels) for at, one in zip(point, factors)
            )
            if not fits:
                raise self._wrong(("points", number),
                                  f"points has {point!r}, not the number of a level for each of the factors")
            found.append(tuple(point))
        return tuple(found)

    def _level(self, where: tuple[str | int, ...], name: str, value: object) -> Value:
        why = unfit_level(self._tunables, name, value)
        if why is not None:
            raise self._wrong(where, f"{where[0]}: {why}")
        assert isinstance(value, (str, int, float))
        return value

    def _server(self) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for name, value in self._table("server").items():
            if not isinstance(value, (str, int)) or not str(value).isprintable():
                raise self._wrong(("server", name), f"server: {name} is a fact with one value, versions in quotes")
            found[name] = value
        return found

    def _accepted(self, plan: SweepPlan) -> None:
        """Whether the client takes each combination."""
        grammar = Grammar(self._tunables)
        for number in range(len(plan.points)):
            why = refused(self._tunables, grammar, plan.asked(number))
            if why is not None:
                where: tuple[str | int, ...] = ("points", number) if self._data.get("points", ALL) != ALL else (
                    "factors",)
                raise self._wrong(where, f"the client would not mount with {why}; take this combination out")

    def _own(self) -> OwnNamespace | None:
        value = self._data.get("isolation")
        if value == HOST:
            return None
        if not isinstance(value, dict) or not {"link", "parent", "address"} <= value.keys():
            raise self._wrong(("isolation",), "isolation is `host`, or has link, parent, address and perhaps gateway")
        factors = {key: str(one) for key, one in value.items()}
        if factors["link"] not in LINKS or factors.keys() - set(OwnNamespace._fields):
            raise self._wrong(("isolation",), f"isolation has a link ({', '.join(LINKS)}), a parent, an address, and "
                                              "a gateway")
        if "/" not in factors["address"]:
            raise self._wrong(("isolation", "address"),
                              "isolation: address needs the length of its prefix, such as 192.0.2.9/24")
        return OwnNamespace(**factors)

    def _jobs(self) -> dict[str, Job]:
        found: dict[str, Job] = {}
        for name, job in self._table("jobs").items():
            if not isinstance(job, dict):
                raise self._wrong(("jobs", name), f"jobs: {name} is a mapping of fio's parameters")
            found[name] = {key: str(int(one) if isinstance(one, bool) else one) for key, one in job.items()}
            try:
                sweep_jobs.check(name, found[name])
            except sweep_jobs.JobError as error:
                raise self._wrong(("jobs", name), f"jobs: {error}") from None
            for key, one in found[name].items():
                if not one.isprintable() or not one:
                    raise self._wrong(("jobs", name, key), f"jobs: {name}: {key} is not text; write its value out")
        if not found:
            raise self._wrong(("jobs",), "jobs are missing: what is to be measured?")
        return found
