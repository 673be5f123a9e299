"""The file of a plan: YAML that a person can read and edit. All of it is checked before anything is mounted."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from advisor import user_files
from advisor.files.options import Grammar
from advisor.files.source import parse_source
from advisor.rulebase.examples import to_flow
from advisor.rulebase.model import Tunable, Value
from advisor.rulebase.spelling import near
from advisor.sweep import jobs as sweep_jobs
from advisor.sweep.design import why_refused, why_unfit
from advisor.sweep.model import Factor, Job, OwnNamespace, SweepPlan, all_points

SCHEMA = "advisor-sweep-plan/1"
HOST = "host"
"""Isolation: this host's own network."""
ALL = "all"
"""Points: every combination."""
LINKS = ("ipvlan", "macvlan", "veth")
_KEYS = ("schema", "made", "export", "server", "isolation", "factors", "controls", "fixed", "jobs", "blocks", "seed",
         "drift_every", "points", "resolution", "aliases")
MAX_MOUNTS = 20_000
_MAX_BYTES = 1 << 20
"""Enough for the points of this many mounts."""
_COMMENTS = {
    "schema": "A plan for `advisor sweep run`. Edit it if you like; everything is checked before anything is mounted.",
    "export": "What is mounted.",
    "server": "What is known of the server: facts, as for `advisor recommend --set`.",
    "isolation": "`host`: this host's own network, if it has no other mount of the server. Otherwise a separate\n"
                 "# network namespace: link (ipvlan, macvlan or veth), parent, address, gateway.",
    "factors": "Settings, and the values to compare.",
    "controls": "Factors that must show no effect. If one does, distrust the others.",
    "fixed": "Settings that every mount has.",
    "jobs": "What runs on each mount: parameters of fio.",
    "blocks": "How many times all points are measured, each time in another order.",
    "seed": "The same seed gives the same order.",
    "drift_every": "After this many mounts the first point is measured again, to see how the server drifts; 0: never.",
    "points": "Combinations: `all`, or a list with the number of each factor's level, from 0.",
    "resolution": "Of a fraction of all combinations.",
    "aliases": "What these points cannot tell apart.",
}


class PlanError(Exception):
    """The plan cannot be used; the text names file, line, column, what is wrong, and what to write."""


def read(path: str, tunables: Mapping[str, Tunable]) -> tuple[SweepPlan, str]:
    """A plan, and the text of its file. Raises PlanError."""
    try:
        source = user_files.read_text(path, _MAX_BYTES)
    except user_files.UserFileError as error:
        raise PlanError(str(error)) from None
    return parse(source, path, tunables), source


def parse(source: str, path: str, tunables: Mapping[str, Tunable]) -> SweepPlan:
    """The plan in a text; `path` is for messages. Raises PlanError."""
    try:
        tree = user_files.parse_yaml(source, path, places=True)
    except user_files.UserFileError as error:
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
        plain = user_files.without_places(tree)
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
            raise self._wrong(("export",), "export is SERVER:/PATH, as for mount")
        factors = self._factors()
        count = prod(len(factor.levels) for factor in factors)
        blocks = self._number("blocks", 1, 1000)
        points = self._data.get("points", ALL)
        if points == ALL and count * blocks > MAX_MOUNTS:
            raise self._wrong(("factors",), f"factors make {count * blocks} mounts; {MAX_MOUNTS} is the most: "
                                            "drop factors or levels")
        resolution = self._number("resolution", 2, 20) if "resolution" in self._data else None
        plan = SweepPlan(
            export, factors, all_points(factors) if points == ALL else self._points(points, factors), self._jobs(),
            {name: self._level(("fixed", name), name, value) for name, value in self._table("fixed").items()}, blocks,
            self._number("seed", 0, (1 << 63) - 1), self._number("drift_every", 0, MAX_MOUNTS, 0), resolution,
            tuple(self._list("aliases")), self._own(), str(self._data.get("made", "")), self._server(),
        )
        for factor in factors:
            if factor.tunable in plan.fixed:
                raise self._wrong(("fixed", factor.tunable),
                                  f"{factor.tunable} is a factor too; remove it from one of them")
        self._check_accepted(plan)
        return plan

    def _wrong(self, where: tuple[str | int, ...], says: str) -> PlanError:
        line, column = user_files.place_of(self._tree, where)
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
        if not isinstance(value, list) or not all(isinstance(each, str) and each.isprintable() for each in value):
            raise self._wrong((key,), f"{key} is a list of texts")
        return value

    def _factors(self) -> tuple[Factor, ...]:
        controls = self._list("controls")
        table = self._table("factors")
        for number, name in enumerate(controls):
            if name not in table:
                hint = near(name, table, "a control is one of the factors")
                raise self._wrong(("controls", number), f"controls: {name} is not a factor; {hint}")
        factors = []
        for name, levels in table.items():
            if not isinstance(levels, list) or not levels:
                raise self._wrong(("factors", name), f"factors: {name} is a list of values, such as [1, 4]")
            values = tuple(self._level(("factors", name, at), name, value) for at, value in enumerate(levels))
            if len({str(value) for value in values}) < len(values):
                raise self._wrong(("factors", name), f"factors: {name} has a value twice; write each once")
            factors.append(Factor(name, values, name in controls))
        return tuple(factors)

    def _points(self, points: object, factors: tuple[Factor, ...]) -> tuple[tuple[int, ...], ...]:
        if not isinstance(points, list) or not points or len(points) > MAX_MOUNTS:
            raise self._wrong(("points",), "points is `all`, or a list with the number of each factor's level, from 0, "
                                           f"in each of its {MAX_MOUNTS} points at most")
        checked_points = []
        for number, point in enumerate(points):
            fits = isinstance(point, list) and len(point) == len(factors) and all(
                type(at) is int and 0 <= at < len(factor.levels) for at, factor in zip(point, factors)
            )
            if not fits:
                raise self._wrong(("points", number),
                                  f"points has {point!r}, not the number of a level for each of the factors")
            checked_points.append(tuple(point))
        return tuple(checked_points)

    def _level(self, where: tuple[str | int, ...], name: str, value: object) -> Value:
        why = why_unfit(self._tunables, name, value)
        if why is not None:
            raise self._wrong(where, f"{where[0]}: {why}")
        assert isinstance(value, (str, int, float))
        return value

    def _server(self) -> dict[str, Value]:
        facts: dict[str, Value] = {}
        for name, value in self._table("server").items():
            if not isinstance(value, (str, int)) or not str(value).isprintable():
                raise self._wrong(("server", name), f"server: {name} is a fact with one value, versions in quotes")
            facts[name] = value
        return facts

    def _check_accepted(self, plan: SweepPlan) -> None:
        """Raises PlanError if the client would refuse a combination."""
        grammar = Grammar(self._tunables)
        for number in range(len(plan.points)):
            why = why_refused(self._tunables, grammar, plan.asked(number))
            if why is not None:
                where: tuple[str | int, ...] = ("points", number) if self._data.get("points", ALL) != ALL else (
                    "factors",)
                raise self._wrong(where, f"the client would not mount with {why}; remove this combination")

    def _own(self) -> OwnNamespace | None:
        value = self._data.get("isolation")
        if value == HOST:
            return None
        if not isinstance(value, dict) or not {"link", "parent", "address"} <= value.keys():
            raise self._wrong(("isolation",), "isolation is `host`, or has link, parent, address and perhaps gateway")
        words = {key: str(each) for key, each in value.items()}
        if words["link"] not in LINKS or words.keys() - set(OwnNamespace._fields):
            raise self._wrong(("isolation",), f"isolation has a link ({', '.join(LINKS)}), a parent, an address, and "
                                              "a gateway")
        if "/" not in words["address"]:
            raise self._wrong(("isolation", "address"),
                              "isolation: address needs the length of its prefix, such as 192.0.2.9/24")
        return OwnNamespace(**words)

    def _jobs(self) -> dict[str, Job]:
        jobs: dict[str, Job] = {}
        for name, job in self._table("jobs").items():
            if not isinstance(job, dict):
                raise self._wrong(("jobs", name), f"jobs: {name} is a mapping of fio's parameters")
            jobs[name] = {key: str(int(value) if isinstance(value, bool) else value) for key, value in job.items()}
            try:
                sweep_jobs.check(name, jobs[name])
            except sweep_jobs.JobError as error:
                raise self._wrong(("jobs", name), f"jobs: {error}") from None
            for key, value in jobs[name].items():
                if not value.isprintable() or not value:
                    raise self._wrong(("jobs", name, key), f"jobs: {name}: {key} is not text; write its value out")
        if not jobs:
            raise self._wrong(("jobs",), "jobs are missing: name at least one")
        return jobs


def to_yaml(plan: SweepPlan) -> str:
    """The text of a plan's file, which a person can read and edit."""
    data: dict[str, object] = {
        "schema": SCHEMA, "made": plan.made, "export": plan.export, "server": dict(plan.server_says),
        "isolation": HOST if plan.own is None else plan.own._asdict(),
        "factors": {factor.tunable: list(factor.levels) for factor in plan.factors},
        "controls": [factor.tunable for factor in plan.factors if factor.control],
        "fixed": dict(plan.fixed), "jobs": {name: dict(job) for name, job in plan.jobs.items()},
        "blocks": plan.blocks, "seed": plan.seed, "drift_every": plan.drift_every,
        "points": ALL if plan.points == all_points(plan.factors) else [list(point) for point in plan.points],
    }
    data |= {"resolution": plan.resolution} if plan.resolution is not None else {}
    data |= {"aliases": list(plan.aliases)} if plan.aliases else {}
    lines = []
    for key, value in data.items():
        lines += ["", f"# {_COMMENTS[key]}"] if key in _COMMENTS and key != "schema" else []
        if isinstance(value, dict) and value:
            lines += [f"{key}:", *(f"  {to_flow(name)}: {to_flow(each)}" for name, each in value.items())]
        elif isinstance(value, list) and value and key in ("points", "aliases"):
            lines += [f"{key}:", *(f"  - {to_flow(each)}" for each in value)]
        else:
            lines.append(f"{key}: {to_flow(value)}")
    return "\n".join((f"# {_COMMENTS['schema']}", *lines)) + "\n"
