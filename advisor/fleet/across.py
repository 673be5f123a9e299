"""What hosts of a fleet come to together, in the words of the checks that compare two hosts (`sides`, rules/checks)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from advisor.fleet.examined import Examined
from advisor.fleet.judged import JudgedClass
from advisor.fleet.model import Across
from advisor.lint.finding import SEVERITY_OF, fill

if TYPE_CHECKING:
    from advisor.rulebase.model import Check, RuleBase

SESSIONS = ("vers=4.1", "vers=4.2")
"""With these versions a name alone tells a client apart."""


def across(base: RuleBase, hosts: Mapping[str, Examined], classes: Mapping[str, JudgedClass]) -> list[Across]:
    """What is found. `hosts`: title → host; `classes`: digest → what was judged."""
    alike: dict[tuple[str, str], list[str]] = {}
    for title, host in hosts.items():
        if host.unique is not None and host.host != host.place:
            alike.setdefault((host.host, host.unique), []).append(title)
    found: list[Across] = []
    for (node, unique), titles in alike.items():
        if len(titles) > 1:
            found += _one_client(base, node, unique, {title: classes[hosts[title].digest] for title in titles})
    return found


def _one_client(base: RuleBase, node: str, unique: str, hosts: Mapping[str, JudgedClass]) -> Iterator[Across]:
    """Hosts that call themselves alike, by each server that several of them have a session with."""
    wanted = "present" if unique else "absent"
    check = next((one for one in base.checks.values() if _is_about(one, wanted)), None)
    servers: dict[str, list[str]] = {}
    for title, judged in hosts.items():
        seen = {mount.server for mount in judged.mounts if mount.in_effect and {*SESSIONS}.intersection(mount.options)}
        for server in seen:
            servers.setdefault(server, []).append(title)
    for server, titles in sorted(servers.items()):
        if check is None or len(titles) < 2:
            continue
        first, *others = sorted(titles)
        words = {"client": first, "other": others[0], "node": node, "server": server}
        yield Across(
            check.check, SEVERITY_OF[check.strength], f"{node} at {server}", fill(check.message, **words),
            fill(check.why, **words), fill(check.remedy, **words), (first, *others), tuple(check.cites),
        )


def _is_about(check: Check, unique: str) -> bool:
    on = check.sides.on if check.sides is not None and check.sides.of == "clients" else {}
    return on.get("sides.identity") == "same" and on.get("sides.unique") == unique
