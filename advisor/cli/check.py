"""`advisor check [--root DIR|ARCHIVE]`: everything of a host that concerns NFS."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check.host import AREAS, Given, WholeHost
from advisor.cli.check_told import chosen
from advisor.cli.common import CannotRun, add_color_option, add_fact_options, rule_base
from advisor.cli.host_facts import tree_of
from advisor.cli.lint_baseline import add_baseline_options, in_force, report, save
from advisor.cli.lint_settings import Chooser, add_choice_options
from advisor.cli.site import add_site_options, configuration, packs
from advisor.render.formats import FORMATS

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.check.files import Collected, HostText
    from advisor.host.tree import Tree
    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--root", metavar="DIR|ARCHIVE|BUNDLE",
                     help="check a copy of another host's files: a folder, a tar archive, a sosreport (docs/check.md), "
                          "what facts --bundle wrote")
    top.add_argument("--server", action="append", metavar="[NAME=]TREE",
                     help="compare the exports of this host with the mounts of clients; NAME: by which these mount it. "
                          "Given twice: compare the nodes of a cluster")
    top.add_argument("--client", action="extend", nargs="+", metavar="[NAME=]TREE",
                     help="clients of the server; without --client or --server, that side is this host")
    top.add_argument("--area", action="append", choices=tuple(AREAS), help="only this area; may be repeated")
    add_fact_options(top)
    add_choice_options(top)
    top.add_argument("--output-format", choices=tuple(FORMATS), default="text",
                     help="text is for people, the others are for programs (docs/output.md)")
    top.add_argument("--verbose", action="store_true", help="the whole proof of each finding (text)")
    add_color_option(top)
    top.add_argument("--write-to", metavar="DIR",
                     help="write what would bring the host to the advice, and the way back, into this folder")
    top.add_argument("--unsafe-fixes", action="store_true", help="with --write-to: make fixes that change behaviour")
    top.add_argument("--force", action="store_true", help="with --write-to: overwrite files that you have edited")
    add_baseline_options(add_site_options(top), "--since", "--baseline")
    top.set_defaults(from_host=False)


def run(args: argparse.Namespace) -> int:
    if not args.write_to and (args.force or args.unsafe_fixes):
        raise CannotRun(f"{'--force' if args.force else '--unsafe-fixes'} goes with --write-to DIR")
    if args.write_to and args.area:
        raise CannotRun("--write-to looks at the whole host: leave out --area")
    if not (args.server or args.client):
        return HostRun(args).code()
    if args.root or args.write_to:
        option = "--root" if args.root else "--write-to"
        raise CannotRun(f"{option} is for one host: leave it out beside --server and --client")
    from advisor.cli import check_sides

    config = configuration(args)
    base = rule_base(packs(args, config))
    return check_sides.run(args, base, config, Chooser(args, base, config, by_root=False))


class HostRun:
    """One host, looked at with these arguments."""

    def __init__(self, args: argparse.Namespace, tree: Tree | None = None) -> None:
        """`tree`: of the host, where it was opened already."""
        self.args = args
        self.config = configuration(args)
        self.base: RuleBase = rule_base(packs(args, self.config))
        self.chooser = Chooser(args, self.base, self.config, by_root=False)
        self.tree: Tree = tree or tree_of(self.base, args.root)
        self.host = WholeHost(self.base, self.tree, self._given)

    def code(self) -> int:
        """Tells what was found; the exit code."""
        return self._tell(*self.looked())

    def looked(self) -> tuple[dict[str, list[Result]], Collected, list[HostText], HostFacts]:
        """The results by area; what was read, and of it what is not judged; what is known of the host."""
        areas, collected, left, seen = self.host.judged()
        return *self._wanted(areas, collected, left), seen

    def _given(self, name: str) -> Given:
        settings = self.chooser.of(name)
        return Given(settings.known, settings.profiles)

    def _wanted(
        self, areas: dict[str, list[Result]], collected: Collected, left: list[HostText]
    ) -> tuple[dict[str, list[Result]], Collected, list[HostText]]:
        """What is in the areas that were asked for. All files are read and judged first, since each area rests on the
        others: a value that is in effect may be set by a file of another one."""
        wanted = self.args.area or list(AREAS)
        others = {host_file.title for host_file in self.base.host_files.values() if host_file.area not in wanted}
        collected = collected._replace(
            texts=[one for one in collected.texts if one.host_file.area in wanted],
            unseen=[one for one in collected.unseen if one.title not in others],
        )
        asked = {area: results for area, results in areas.items() if area in wanted}
        return asked, collected, [one for one in left if one.host_file.area in wanted]

    def _tell(
        self, areas: dict[str, list[Result]], collected: Collected, left: list[HostText], seen: HostFacts
    ) -> int:
        args = self.args
        accepted = in_force(args, self.config)
        found, failed = chosen(areas, self.chooser, accepted)
        everything = [one for findings in found.values() for one in findings]
        if args.write_baseline:
            save(args.write_baseline, everything)
            return 0
        if args.write_to:
            return self._write(everything, collected, seen, accepted)
        from advisor.cli.check_output import CheckedHost, show

        show(args, self.base, CheckedHost(self.tree, found, collected, left, seen), self.config.name, accepted)
        if accepted is not None:
            report(accepted)
        return int(failed)

    def _write(
        self, found: list[tuple[Result, list[Finding]]], collected: Collected, seen: HostFacts,
        accepted: Baseline | None,
    ) -> int:
        """Write what answers the findings that are told."""
        from advisor.check.host import SERVER
        from advisor.cli.recommend_write import write
        from advisor.lint.finding import Finding
        from advisor.lint.run import lint_text
        from advisor.mend import CheckedFiles, HowFar, written

        def look(one: HostText) -> tuple[Result, list[Finding]]:
            settings = self.chooser.of(one.name)
            facts = self.host.known(one.name, one.host_file.kind in SERVER)
            kind = one.host_file.kind
            result = lint_text(one.text, one.name, self.base, facts, kind=kind, profiles=settings.profiles)
            findings = settings.reported(result.findings)
            return result, findings if accepted is None else accepted.fresh(result, findings)

        def tells(rule: str, severity: str) -> bool:
            one = Finding(rule, severity, "", "", "", 0, 0, 0, None, None, None, "", "", "", (), None)
            return bool(self.chooser.of("").reported([one]))

        host = CheckedFiles(
            self.base, self.tree, collected, seen.probe, self._roles(collected, found, seen),
            [one for _, findings in found for one in findings],
            frozenset(one.rule for result, _ in found for one in result.findings), frozenset(self.host.unread),
        )
        safeties = frozenset(("safe", "unsafe") if self.args.unsafe_fixes else ("safe",))
        made = written(host, look, HowFar(safeties, tells))
        if not made:
            print("Nothing to write: no finding has a fix, and nothing that is certainly advised is missing.")
            return 0
        return write(lambda _: made, self.args.write_to, force=self.args.force)

    def _roles(
        self, collected: Collected, found: list[tuple[Result, list[Finding]]], seen: HostFacts
    ) -> list[Mapping[str, Values]]:
        """What is known of the host as a client, if it mounts anything, and as a server, if it exports anything."""
        from advisor.check.facts import with_platform
        from advisor.check.host import SERVER
        from advisor.lint.rule_index import RuleIndex

        uses = {result.name for result, _ in found if result.nfs_lines}
        used = [one.host_file for one in collected.texts if one.name in uses]
        areas = {file.area for file in used if file.kind in (*SERVER, "fstab")}
        roles: list[Mapping[str, Values]] = []
        if seen.probe.mounts or "client-mounts" in areas:
            known = self.host.known("", False)
            index = RuleIndex(self.base, known, kind="states")
            roles.append(with_platform(self.base, index, seen.probe.mounts, known))
        return [*roles, self.host.known("", True)] if "server" in areas else roles
