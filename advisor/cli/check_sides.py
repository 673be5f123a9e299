"""`advisor check --server TREE --client TREE…`: clients compared with their server, and servers with each other."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.host import AREAS
from advisor.cli import lint_output
from advisor.cli.check import FindingsByArea, findings_by_area, reported_findings
from advisor.cli.common import CannotRun
from advisor.cli.lint_settings import baseline_in_force, report_baseline, save_baseline
from advisor.host.tree import Tree, Unread
from advisor.pages.phrases import counted, first_names

if TYPE_CHECKING:
    from advisor.check.client_server import ComparedHosts
    from advisor.check.compared_host import ComparedHost
    from advisor.cli.lint_settings import Chooser
    from advisor.config import Config
    from advisor.lint.baseline import Baseline
    from advisor.rulebase.model import RuleBase


def run(args: argparse.Namespace, base: RuleBase, config: Config, chooser: Chooser) -> int:
    """Compare the hosts that were named. A server without a client is compared with this host, and the other way round;
    several servers without a client only with each other."""
    from advisor.check.client_server import compare

    servers = _named_hosts(base, chooser, args.server, "--server")
    clients = _named_hosts(base, chooser, args.client, "--client")
    if not clients and len(servers) == 1:
        clients = _named_hosts(base, chooser, [None], "--client")
    if not servers:
        servers = _named_hosts(base, chooser, [None], "--server")
    _make_titles_unique([*servers, *clients])
    done = compare(base, servers, clients)
    wanted = args.area or list(AREAS)
    accepted = baseline_in_force(args, config)
    reported, failed = reported_findings({area: done.results[area] for area in wanted}, chooser, accepted)
    if args.write_baseline:
        save_baseline(args.write_baseline, [pair for several in reported.values() for pair in several])
        return 0
    _show(args, base, config.name, _SidesRun(done, servers, clients, reported), accepted)
    if accepted is not None:
        report_baseline(accepted)
    return int(failed)


class _SidesRun(NamedTuple):
    """What was compared, and what is reported of it."""

    done: ComparedHosts
    servers: Sequence[ComparedHost]
    clients: Sequence[ComparedHost]
    found: FindingsByArea

    @property
    def title(self) -> str:
        servers = " and ".join(server.title for server in self.servers)
        return f"{servers} and {counted(len(self.clients), 'client')}" if self.clients else f"{servers} side by side"

    @property
    def about(self) -> str:
        if not self.clients:
            return "what has to be equal on both"
        owner = "this server" if len(self.servers) == 1 else "these servers"
        parts = [f"{counted(len(self.done.matched), 'mount')} of {owner}"]
        parts += [f"{len(self.done.elsewhere)} of others"] if self.done.elsewhere else []
        parts += [f"{len(self.done.unclear)} not judged"] if self.done.unclear else []
        return ", ".join(parts)

    @property
    def advice(self) -> list[str]:
        """What to do where nothing could be compared."""
        if not self.clients or self.done.matched:
            return []
        server = self.servers[0]
        known = [*server.names, *(str(address.address) for address in server.addresses or ())]
        names = ", ".join(known[:6]) or "none is known"
        return [
            f"no mount of a client is one of {server.title} by its names and addresses ({names}); "
            "if clients mount it by another name, write --server NAME=TREE"
        ]


def _named_hosts(
    base: RuleBase, chooser: Chooser, named: Sequence[str | None] | None, option: str
) -> list[ComparedHost]:
    """The hosts that an option names; None among `named`: this host. CannotRun if one cannot be read."""
    from advisor.check.compared_host import ComparedHost
    from advisor.host.opening import open_tree

    hosts = []
    for text in named or ():
        names, root = _split_name(text)
        try:
            tree = Tree() if root is None else open_tree(root, [*base.layouts.values()])
        except Unread as error:
            raise CannotRun(f"{option} {error}") from None
        hosts.append(ComparedHost(base, tree, names[0] if names else "", names, chooser.of("").known))
    return hosts


def _split_name(text: str | None) -> tuple[list[str], str | None]:
    """Splits NAME,NAME=TREE. What exists as a file is taken whole, as a path."""
    names, equals, root = (text or "").partition("=")
    if text is None or not equals or "/" in names or os.path.exists(text):  # noqa: PTH110
        return [], text
    return [name for name in names.split(",") if name], root


def _make_titles_unique(sides: Sequence[ComparedHost]) -> None:
    """Give hosts of one name the names of their trees too."""
    titles = [side.title for side in sides]
    for side in sides:
        if titles.count(side.title) > 1:
            side.title = f"{side.title} ({os.path.basename(side.tree.root)})"  # noqa: PTH119
    titles = [side.title for side in sides]
    for number, side in enumerate(sides, 1):
        if titles.count(titles[number - 1]) > 1:
            side.title = f"{side.title} {number}"


def _show(
    args: argparse.Namespace, base: RuleBase, config: str | None, run: _SidesRun, accepted: Baseline | None
) -> None:
    done, advice = run.done, run.advice
    shown = findings_by_area(run.found)
    everything = [finding for several in shown.values() for finding in several]
    unclear: dict[str, list[str]] = {}
    for mount, why in done.unclear:
        unclear.setdefault(why, []).append(mount)
    render = None
    if args.output_format == "text":
        from advisor.pages.check import CheckReport, check_text

        elsewhere = [f"{mount.file}:{mount.entry.line_no} {mount.words}" for mount in done.elsewhere]
        notes = [
            *([f"fine: {first_names(done.fine)}"] if done.fine else ()),
            *([f"of other servers: {first_names(elsewhere)}"] if elsewhere else ()),
            *(f"not judged: {first_names(mounts)} ({why})" for why, mounts in unclear.items()),
            *advice,
        ]
        areas = [(AREAS[area], several) for area, several in shown.items() if several]
        render = partial(check_text, CheckReport(run.title, run.about, areas, notes))
    results = [result for several in done.results.values() for result in several]
    lint_output.show(
        args, base, results, everything, passed=[], config=config, render=render, fixing=False,
        unseen=[*unclear.items(), *((hint, ["mounts of the server"]) for hint in advice)], accepted=accepted,
    )
