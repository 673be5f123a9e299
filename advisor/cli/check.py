"""`advisor check`: the NFS configuration of a host, or of clients compared with their server (--server, --client)."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from advisor.check.check_host import check_host
from advisor.check.client_server import ComparedHosts, compare
from advisor.check.compared_host import ComparedHost
from advisor.check.facts import HostFacts, with_platform
from advisor.check.host import AREAS, SERVER, CollectedFiles, GivenFacts, HostText, WholeHost, concerns_nfs
from advisor.check.mount_outcomes import kept_answers
from advisor.cli import findings as judging
from advisor.cli import options
from advisor.cli.terminal import CannotRun, add_color_option, refuse_on
from advisor.files.kinds import BY_ID
from advisor.host.bundle import BundleTree
from advisor.host.tree import Tree
from advisor.lint.finding import Finding, at_least, together
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.suppress import Baseline
from advisor.named_tuple import grouped
from advisor.pages.formats import FORMATS, NotJudged
from advisor.pages.phrases import counted, first_names
from advisor.probe.evidence import ServerAsked, asked_for
from advisor.probe.result import Probed
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import SectionError

Pairs = list[tuple[Result, list[Finding]]]
"""Each result with those of its findings that are reported."""
Unseen = list[tuple[str, list[str]]]
"""Why something could not be seen, and what."""


class _OneHost(argparse.Action):
    """An option that another one of its kind does not silently replace."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object,
                 option_string: str | None = None) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"{option_string} is for one host: --server and --client compare hosts, and "
                         f"advisor fleet report judges many")
        setattr(namespace, self.dest, values)


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--root", metavar="DIR|ARCHIVE|BUNDLE", action=_OneHost,
                     help="check a copy of another host's files: a folder, a tar archive, a sosreport (docs/check.md), "
                          "or what facts --bundle wrote")
    top.add_argument("--server", action="append", metavar="[NAME=]TREE",
                     help="compare the exports of this server with the mounts of clients; NAME: under which clients "
                          "mount it. Given twice: compare the nodes of a cluster")
    top.add_argument("--client", action="extend", nargs="+", metavar="[NAME=]TREE",
                     help="the clients of the server; where --client or --server is missing, that side is this host")
    top.add_argument("--area", action="append", choices=tuple(AREAS), help="only this area; may be repeated")
    options.add_fact_options(top)
    judging.add_choice_options(top)
    top.add_argument("--output-format", choices=tuple(FORMATS), default="text",
                     help="text is for people, the others are for programs (docs/output.md)")
    top.add_argument("--verbose", action="store_true", help="show the whole proof of each finding (text)")
    add_color_option(top)
    top.add_argument("--write-to", metavar="DIR",
                     help="write the files that bring the host to the advice, and a script that undoes it, into this "
                          "folder")
    top.add_argument("--unsafe-fixes", action="store_true", help="with --write-to: make fixes that change behaviour")
    top.add_argument("--force", action="store_true", help="with --write-to: overwrite files that you have edited")
    judging.add_baseline_options(options.add_site_options(top), "--since", "--baseline")
    top.set_defaults(from_host=False)


def run(args: argparse.Namespace) -> int:
    if not args.write_to and (args.force or args.unsafe_fixes):
        raise CannotRun(f"{'--force' if args.force else '--unsafe-fixes'} goes with --write-to DIR")
    if args.write_to and args.area:
        raise CannotRun("--write-to checks the whole host: leave out --area")
    if not (args.server or args.client):
        return HostCheck(args).run()
    if args.root or args.write_to:
        option = "--root" if args.root else "--write-to"
        raise CannotRun(f"{option} is for one host: leave it out beside --server and --client")
    return SidesCheck(args).run()


class _Check:
    """A check with the options of a command line. `accepted`: the baseline in force."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.config = options.configuration(args)
        self.base = options.rule_base(options.rule_folders(args, self.config))
        self.chooser = judging.Chooser(args, self.base, self.config, by_root=False)

    @cached_property
    def accepted(self) -> Baseline | None:
        return judging.baseline_in_force(self.args, self.config)

    def reported(self, areas: Mapping[str, Sequence[Result]]) -> tuple[dict[str, Pairs], bool]:
        """The findings to report by area, without accepted ones; and whether one of them makes the command fail."""
        failed = False
        reported: dict[str, Pairs] = {}
        for area, results in areas.items():
            reported[area] = []
            for result in results:
                settings = self.chooser.of(result.name)
                findings = chosen = settings.reported(result.findings)
                if self.accepted is not None:
                    findings = self.accepted.fresh(result, chosen)
                    self.accepted.note(result, chosen)
                failed = failed or any(at_least(finding.severity, settings.fail_on) for finding in findings)
                reported[area].append((result, findings))
        return reported, failed

    def show(
        self, reported: dict[str, Pairs], *, title: str, about: str, notes: Sequence[str], unseen: Unseen,
        passed: Sequence[NotJudged] = (), compared: list[Result] | None = None,
    ) -> None:
        """Print what was found, in the format that was asked for. The text begins with `title` and `about`, and `notes`
        end its summary. `compared`: all results, if more than those that are reported."""
        shown = {
            area: together(finding._replace(area=area) for _, findings in pairs for finding in findings)
            for area, pairs in reported.items()
        }
        render = None
        if self.args.output_format == "text":
            from advisor.pages.formats.text import check_text

            areas = [(AREAS[area], findings) for area, findings in shown.items() if findings]
            render = partial(check_text, title=title, about=about, areas=areas, notes=notes)
        judging.show_findings(
            self.args, self.base, compared or [result for pairs in reported.values() for result, _ in pairs],
            [finding for findings in shown.values() for finding in findings], passed=list(passed),
            config=self.config.name, render=render, fixing=False, unseen=unseen,
            accepted=self.accepted,
        )
        if self.accepted is not None:
            judging.report_baseline(self.accepted)


class HostCheck(_Check):
    def __init__(self, args: argparse.Namespace) -> None:
        super().__init__(args)
        self.tree: Tree = options.tree_of(self.base, args.root)
        self.sections = [section for path, probed in kept_answers(self.tree) if isinstance(probed, Probed)
                         for section in options.probe_sections(self.base, probed, path, self.chooser.given)]
        self.host = WholeHost(self.base, self.tree, self._given)
        self.host.asked = _asked(self.base, args)

    def run(self) -> int:
        args, judged = self.args, self.judged()
        reported, failed = self.reported(judged.areas)
        everything = [pair for pairs in reported.values() for pair in pairs]
        if args.write_baseline:
            judging.save_baseline(args.write_baseline, everything)
            return 0
        if args.write_to:
            return self._write(everything, judged)
        with_findings = {finding.file for _, findings in everything for finding in findings}
        named = {result.name: result for result, _ in everything}
        fine = [
            file.name for file in judged.collected.texts
            if file.name in named and concerns_nfs(file, named[file.name]) and file.name not in with_findings
        ]
        compared = [name for name in fine if name not in judged.uncompared]
        unseen = _unseen(judged.collected, self.tree)
        self.show(
            reported, title=_title(self.tree), about="; ".join(_host_summary(judged.facts, self.tree)),
            notes=[*_notes(compared, fine, bool(with_findings), judged.not_judged, unseen)], unseen=unseen, passed=[
                {"file": file.name, "kind": file.host_file.kind,
                 "reason": f"not checked: advisor does not read {BY_ID[file.host_file.kind].title} yet"}
                for file in judged.not_judged
            ],
        )
        return int(failed)

    def judged(self) -> WholeHost:
        """The host, reduced to the areas of --area. All files are judged first, since areas depend on each other: a
        file of one may set a value that is in effect in another."""
        host, wanted = self.host, self.args.area or list(AREAS)
        with refuse_on(SectionError):
            check_host(host)
        others = {host_file.title for host_file in self.base.host_files.values() if host_file.area not in wanted}
        host.areas = {area: results for area, results in host.areas.items() if area in wanted}
        host.collected = host.collected._replace(
            texts=[file for file in host.collected.texts if file.host_file.area in wanted],
            unseen=[file for file in host.collected.unseen if file.title not in others],
        )
        host.not_judged = [file for file in host.not_judged if file.host_file.area in wanted]
        return host

    def _given(self, name: str) -> GivenFacts:
        settings = self.chooser.of(name)
        return GivenFacts(settings.known, settings.profiles, (*settings.sections, *self.sections))

    def _write(self, reported: Pairs, judged: WholeHost) -> int:
        """Write the files that answer the reported findings."""
        from advisor.cli.recommend import write_files
        from advisor.install.host_changes import CheckedFiles
        from advisor.install.repair import repair_files
        from advisor.lint.run import lint_text

        def judge(file: HostText) -> tuple[Result, list[Finding]]:
            settings = self.chooser.of(file.name)
            facts = self.host.known(file.name, file.host_file.kind in SERVER)
            kind = file.host_file.kind
            result = lint_text(file.text, file.name, self.base, facts, kind=kind, profiles=settings.profiles)
            findings = settings.reported(result.findings)
            return result, findings if self.accepted is None else self.accepted.fresh(result, findings)

        def is_reported(rule: str, severity: str) -> bool:
            return self.chooser.of("").severity_of(rule, severity) is not None

        host = CheckedFiles(
            self.base, self.tree, judged.collected, judged.probed, self._roles(judged, reported),
            [finding for _, findings in reported for finding in findings], frozenset(self.host.not_read),
        )
        safeties = frozenset(("safe", "unsafe") if self.args.unsafe_fixes else ("safe",))
        made = repair_files(host, judge, safeties, is_reported)
        if not made:
            print("Nothing to write: no finding has a fix, and nothing that is certainly advised is missing.")
            return 0
        return write_files(lambda _: made, self.args.write_to, force=self.args.force)

    def _roles(self, judged: WholeHost, reported: Pairs) -> list[Mapping[str, Values]]:
        """The facts of the host as a client, if it mounts anything, and as a server, if it exports anything."""
        uses = {result.name for result, _ in reported if result.nfs_lines}
        used = [file.host_file for file in judged.collected.texts if file.name in uses]
        areas = {host_file.area for host_file in used if host_file.kind in (*SERVER, "fstab")}
        roles: list[Mapping[str, Values]] = []
        mounts = judged.probed.mounts
        if mounts or "client-mounts" in areas:
            known = self.host.known("", False)
            index = RuleIndex(self.base, known, kind="states")
            roles.append(with_platform(self.base, index, mounts, known))
        return [*roles, self.host.known("", True)] if "server" in areas else roles


class SidesCheck(_Check):
    """A comparison of the hosts that were named. A server without a client is compared with this host, and the other
    way round; several servers without a client only with each other."""

    def run(self) -> int:
        args = self.args
        servers, clients = self._named_hosts(args.server, "--server"), self._named_hosts(args.client, "--client")
        if not clients and len(servers) == 1:
            clients = self._named_hosts([None], "--client")
        if not servers:
            servers = self._named_hosts([None], "--server")
        _make_titles_unique([*servers, *clients])
        done = compare(self.base, servers, clients, _asked(self.base, args))
        reported, failed = self.reported({area: done.results[area] for area in args.area or AREAS})
        if args.write_baseline:
            judging.save_baseline(args.write_baseline, [pair for several in reported.values() for pair in several])
            return 0
        self._show_compared(done, servers, clients, reported)
        return int(failed)

    def _named_hosts(self, named: Sequence[str | None] | None, option: str) -> list[ComparedHost]:
        """The hosts that an option names; None among `named`: this host. CannotRun if one cannot be read."""
        hosts = []
        for text in named or ():
            names, root = _split_name(text)
            tree = options.tree_of(self.base, root, option)
            hosts.append(ComparedHost(self.base, tree, names[0] if names else "", names, self.chooser.of("").known))
        return hosts

    def _show_compared(
        self, done: ComparedHosts, servers: Sequence[ComparedHost], clients: Sequence[ComparedHost],
        reported: dict[str, Pairs],
    ) -> None:
        unclear = grouped((why, mount) for mount, why in done.unclear)
        advice = _name_hint(servers[0]) if clients and not done.matched else []
        elsewhere = [f"{mount.file}:{mount.entry.line_no} {mount.words}" for mount in done.elsewhere]
        notes = [
            *([f"fine: {first_names(done.fine)}"] if done.fine else ()),
            *([f"of other servers: {first_names(elsewhere)}"] if elsewhere else ()),
            *(f"not judged: {first_names(mounts)} ({why})" for why, mounts in unclear.items()),
            *advice,
        ]
        title = " and ".join(server.title for server in servers)
        if clients:
            title += f" and {counted(len(clients), 'client')}"
            owner = "this server" if len(servers) == 1 else "these servers"
            parts = [f"{counted(len(done.matched), 'mount')} of {owner}"]
            parts += [f"{len(done.elsewhere)} of others"] if done.elsewhere else []
            parts += [f"{len(done.unclear)} not judged"] if done.unclear else []
        else:
            title, parts = f"{title} side by side", ["what has to be equal on both"]
        unseen = [*unclear.items(), *((hint, ["mounts of the server"]) for hint in advice)]
        self.show(
            reported, title=title, about=", ".join(parts), notes=notes, unseen=unseen,
            compared=[result for results in done.results.values() for result in results],
        )


def _asked(base: RuleBase, args: argparse.Namespace) -> list[ServerAsked]:
    """What the server of --from-probe answered to this or another host about its export."""
    probed = options.read_probe(args)
    return [asked_for(base, probed)] if probed else []


def _name_hint(server: ComparedHost) -> list[str]:
    """What to do where no mount of a client is of the server."""
    known = [*server.names, *(str(address.address) for address in server.addresses or ())]
    names = ", ".join(known[:6]) or "none is known"
    return [
        f"no mount of a client is one of {server.title} by its names and addresses ({names}); "
        "if clients mount it by another name, write --server NAME=TREE"
    ]


def _title(tree: Tree) -> str:
    if tree.live:
        return "This host"
    if isinstance(tree, BundleTree):
        return f"{tree.root}, the bundle of {tree.bundle.host or 'a host without a name'}, {tree.bundle.made}"
    layout = tree.layout
    return f"{tree.root}, {'a copy of a host' if layout is None else layout.title}"


def _host_summary(host: HostFacts, tree: Tree) -> list[str]:
    facts = {name: str(host_value.value) for name, host_value in host.facts.items()}
    lines: list[str] = []
    for prefix in ("client.", "server."):
        words = [
            f"{name} {facts[prefix + fact]}".strip() for name, fact in (
                ("", "distro"), ("", "release"), ("kernel", "kernel"), ("nfs-utils", "nfs_utils"),
            ) if prefix + fact in facts
        ]
        if words and not lines:
            lines.append(", ".join([" ".join(words[:2]), *words[2:]] if "kernel" not in words[0] else words))
    servers = list(dict.fromkeys(mount.server or "?" for mount in host.probe.mounts))
    if servers:
        of = f" from {servers[0]}" if len(servers) == 1 else f" from {len(servers)} servers"
        lines.append(f"{counted(len(host.probe.mounts), 'NFS mount')} in effect{of}")
    elif tree.unmounted:
        lines.append("active NFS mounts unknown")
    else:
        lines.append("no NFS mount in effect")
    return lines


def _notes(
    fine: Sequence[str], silent: Sequence[str], findings: bool, not_judged: Iterable[HostText],
    unseen: Iterable[tuple[str, Sequence[str]]],
) -> Iterator[str]:
    """The sentences that end the summary: files that are fine, those that are `silent`, of which not all could be
    compared (`findings`: others are not), and what was not judged or not seen."""
    if fine:
        yield f"fine: {first_names(fine)}"
    half = [name for name in silent if name not in fine]
    if half:
        yield f"fine as written, but not compared with all that is in effect: {first_names(half)}"
    if not silent and not findings:
        yield "nothing that was seen uses NFS: no mount, no export, no setting"
    kinds = list(dict.fromkeys(file.host_file.title for file in not_judged))
    if kinds:
        yield f"not checked: {first_names(kinds)}, because advisor does not read them yet"
    for why, names in unseen:
        copy = why == "not collected"
        yield f"not in this copy: {first_names(names)}" if copy else f"not seen: {first_names(names)} ({why})"


def _unseen(collected: CollectedFiles, tree: Tree) -> list[tuple[str, list[str]]]:
    """(reason, names) of everything that could not be read: the title of a kind of files if none of its places could be
    read, else paths. A kind of which one place was read counts as seen."""
    read = {file.host_file.title for file in collected.texts}
    there = set(read)
    paths: dict[str, dict[str, None]] = {}
    # Even root may not read some files of /proc/sys.
    denied = {path: None for path in tree.denied if not path.startswith("/proc/sys/")}
    if denied:
        paths["you may not read this; root may"] = denied
    for file in collected.unseen:
        if file.path in tree.denied:
            continue
        if file.there:
            paths.setdefault(file.why, {})[file.path] = None
        elif file.whole and file.title not in there:
            there.add(file.title)
            paths.setdefault(file.why, {})[file.title] = None
        elif file.why != "not collected" and (  # a drop-in is read last, and may override all settings
            file.title not in there or (file.title in read and file.path.rpartition("/")[0].endswith(".d"))
        ):
            paths.setdefault(file.why, {})[file.path.partition("*")[0]] = None
    return [(why, list(whats)) for why, whats in paths.items()]


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
