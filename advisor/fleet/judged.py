"""One class of hosts judged: a pure function of plain data, to be called in this process, in others, or by Dask."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.host import Given, WholeHost
from advisor.check.sides.clients_of_server import (
    compared_settings,
    connections_by_server,
    settings_in_effect,
    threads_of,
)
from advisor.check.sides.compared_host import ComparedHost
from advisor.check.sides.findings import applies
from advisor.engine import FactError
from advisor.fleet.alike import from_plain
from advisor.host.bundle import BundleTree
from advisor.lint.finding import Finding
from advisor.rulebase.base import load

if TYPE_CHECKING:
    from advisor.check.sides.compared_host import ClientMount
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value, Values


class Knowledge(NamedTuple):
    """What a user says of each host. `packs`: folders of a site's own rules; `known`: facts; `profiles`: security
    profiles whose checks are made."""

    packs: tuple[str, ...] = ()
    known: Mapping[str, Values] = {}
    profiles: tuple[str, ...] = ()


class MountOfClass(NamedTuple):
    """`server`, `export`, `target` as they are written. `options`: those in effect where `in_effect`, else those that a
    file asks for. `compared`: the settings in effect that all clients of an export should agree on."""

    server: str
    export: str
    target: str
    fstype: str
    options: tuple[str, ...]
    in_effect: bool
    compared: tuple[tuple[str, Value], ...] = ()

    @property
    def line(self) -> str:
        """As fstab would have it."""
        words = (f"{self.server}:{self.export}", self.target, self.fstype, ",".join(self.options) or "defaults")
        return " ".join([*(word.replace(" ", "\\040") for word in words), "0", "0"])


class JudgedClass(NamedTuple):
    """`digest`: of the class. `findings`: all of them, without fixes. `failed`: why it could not be judged, or None.
    `connections`: by server, how many a host of the class has to it. `threads`: of its own server; `loads`: the checks
    that speak of all connections to it."""

    digest: str
    facts: Mapping[str, Values]
    mounts: tuple[MountOfClass, ...]
    findings: tuple[Finding, ...]
    failed: str | None
    connections: tuple[tuple[str, int], ...] = ()
    threads: int | None = None
    loads: tuple[str, ...] = ()


def judge(digest: str, text: str, knowledge: Knowledge) -> JudgedClass:
    """Judge a class. `text`: a host of it without identity, as `advisor.fleet.alike.plain` writes it. Never raises for
    what the text holds."""
    base = base_of(knowledge.packs)
    given = Given(knowledge.known, knowledge.profiles)
    try:
        tree = BundleTree(digest[:8], from_plain(text), dict(base.layouts))
        host = WholeHost(base, tree, lambda _: given)
        found = host.judged()
        findings = [
            finding._replace(fix=None, joint=None) for area in found.areas.values() for result in area
            for finding in result.findings
        ]
        side = ComparedHost(base, tree, "", (), knowledge.known)
        names = base.ready(compared_settings)
        mounts = [_mount(one, settings_in_effect(base, one, names)) for one in side.mounts]
        return JudgedClass(
            digest, dict(host.known("", False)), tuple(mounts), tuple(findings), None,
            tuple(connections_by_server(side.mounts).items()),
            threads_of(side) if side.serves else None, _loads(side) if side.serves else (),
        )
    except FactError as error:
        return JudgedClass(digest, {}, (), (), str(error))
    except Exception as error:
        why = f"advisor failed on it ({type(error).__name__}: {error}); this is a bug in advisor"
        return JudgedClass(digest, {}, (), (), why)


@lru_cache(maxsize=1)
def base_of(packs: tuple[str, ...]) -> RuleBase:
    """The rule base, read once in each process."""
    return load(None, packs)


def _loads(side: ComparedHost) -> tuple[str, ...]:
    """The checks that speak of the load of this server."""
    return tuple(
        one.check for one in side.base.checks.values()
        if one.sides is not None and one.sides.of == "load" and applies(one, side.as_server)
    )


def _mount(one: ClientMount, compared: Mapping[str, Value]) -> MountOfClass:
    entry = one.entry
    now = [f"{name}={value}" if value else name for name, value in one.now.items() if name and name != "clientaddr"]
    written = entry.options.text.split(",") if entry.options is not None else []
    return MountOfClass(
        one.source.host, one.source.export, one.target, entry.fstype.value, tuple(now or filter(None, written)),
        bool(now), tuple(compared.items()),
    )
