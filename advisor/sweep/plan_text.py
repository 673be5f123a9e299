"""The text of a plan: YAML that a person can read and edit, in the same order each time."""

from __future__ import annotations

import json

from advisor.sweep.model import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.sweep.model import SweepPlan

SCHEMA = "advisor-sweep-plan/1"
HOST = "host"
"""Isolation: this host's own network."""
ALL = "all"
"""Points: every combination."""
_SAYS = {
    "schema": "A plan for `advisor sweep run`. Edit it if you like; everything is checked before anything is mounted.",
    "export": "What is mounted.",
    "server": "What is known of the server: facts, as for `advisor recommend --set`.",
    "isolation": "`host`: this host's own network, where no other mount of the server may exist. Else an own network\n"
                 "# namespace: link (ipvlan, macvlan or veth), parent, address, gateway.",
    "factors": "Settings, and the values that are compared.",
    "controls": "Factors that must show no effect. If one does, distrust the others.",
    "fixed": "Settings that every mount has.",
    "jobs": "What runs on each mount: parameters of fio.",
    "blocks": "How many times all points are measured, each time in another order.",
    "seed": "The same seed gives the same order.",
    "drift_every": "So many mounts apart the first point is measured again, to see how the server drifts; 0: never.",
    "points": "Combinations: `all`, or a list with the number of each factor's level, from 0.",
    "resolution": "Of a fraction of all combinations.",
    "aliases": "What these points cannot tell apart.",
}


def written(plan: SweepPlan) -> str:
    """The text of its file."""
    data: dict[str, object] = {
        "schema": SCHEMA, "made": plan.made, "export": plan.export, "server": dict(plan.server_says),
        "isolation": HOST if plan.own is None else plan.own._asdict(),
        "factors": {one.tunable: list(one.levels) for one in plan.factors},
        "controls": [one.tunable for one in plan.factors if one.control],
        "fixed": dict(plan.fixed), "jobs": {name: dict(job) for name, job in plan.jobs.items()},
        "blocks": plan.blocks, "seed": plan.seed, "drift_every": plan.drift_every,
        "points": ALL if plan.points == every(plan.factors) else [list(point) for point in plan.points],
    }
    data |= {"resolution": plan.resolution} if plan.resolution is not None else {}
    data |= {"aliases": list(plan.aliases)} if plan.aliases else {}
    lines = []
    for key, value in data.items():
        lines += ["", f"# {_SAYS[key]}"] if key in _SAYS and key != "schema" else []
        if isinstance(value, dict) and value:
            lines += [f"{key}:", *(f"  {_text(name)}: {_text(one)}" for name, one in value.items())]
        elif isinstance(value, list) and value and key in ("points", "aliases"):
            lines += [f"{key}:", *(f"  - {_text(one)}" for one in value)]
        else:
            lines.append(f"{key}: {_text(value)}")
    return "\n".join((f"# {_SAYS['schema']}", *lines)) + "\n"


def _text(value: object) -> str:
    """As YAML takes it: words bare, other text in quotes."""
    if isinstance(value, str) and value.replace("_", "a").replace(".", "a").isalnum() and value[0].isalpha() and (
        value.isascii() and value.lower() not in ("true", "false", "null")
    ):
        return value
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(name)}: {_text(one)}' for name, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False)
