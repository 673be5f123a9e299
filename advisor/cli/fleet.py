"""`advisor fleet report BUNDLES…`: the hosts of a fleet by classes, what is found on them, and which stand out."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar

from advisor import __version__
from advisor.cli import terminal
from advisor.cli.findings import Chooser, Settings, add_choice_options
from advisor.cli.options import add_fact_options, add_site_options, configuration, rule_base, rule_folders
from advisor.cli.parser import subcommand
from advisor.cli.terminal import CannotRun
from advisor.fleet.judge import HostSource, Knowledge, findings_across
from advisor.fleet.model import LARGEST, FleetReport, read_lines, write_lines
from advisor.fleet.report import Members, drift, report
from advisor.fleet.run import LOCAL, DaskError, Fleet, Mapper, judge_fleet, judge_with, on_dask, sources
from advisor.host.bundle import numbered_lines
from advisor.host.tree import Unread
from advisor.lint.finding import at_least
from advisor.pages import fleet as pages
from advisor.rulebase.model import RuleBase
from advisor.user_files import UserFileError, WriteError, check_writable, read_text

FORMATS = ("text", "jsonl", "html", "prometheus", "parquet")
LONGEST_PATH = 4096
"""PATH_MAX of Linux."""

_MAPPER: ContextVar[Mapper | None] = ContextVar("_MAPPER", default=None)
"""The mapper that `main_with` was given."""


def configure(fleet: argparse.ArgumentParser) -> None:
    what = fleet.add_subparsers(dest="what", metavar="WHAT", required=True)
    top = subcommand(what, "report", "hosts by identical configuration, what is found on them, and which stand out")
    top.add_argument("bundles", nargs="+", metavar="BUNDLES",
                     help="files of facts --bundle, one host or many (.jsonl), sosreports and other archives, trees, "
                          "folders of these; - reads bundles or the paths of bundles, one on each line")
    top.add_argument("--jobs", type=int, metavar="N", help="processes (default: one for each processor)")
    top.add_argument("--dask", nargs="?", const="local", metavar="SCHEDULER",
                     help="judge on Dask: alone, on a cluster of this machine; else on that of the scheduler with this "
                          "address or scheduler file (docs/fleet-large.md)")
    add_fact_options(top)
    add_choice_options(top)
    top.add_argument("--output-format", choices=FORMATS, default="text",
                     help="text is for people, jsonl for programs, html one page with a picture, prometheus metrics "
                          "for node_exporter, parquet tables for DuckDB (docs/fleet.md)")
    top.add_argument("-o", "--output", metavar="FILE",
                     help="write to this file, whole or not at all; parquet: into this folder")
    top.add_argument("--since", metavar="FILE", help="an earlier report, as jsonl: report what changed since then")
    top.add_argument("--verbose", action="store_true", help="every class, finding and host (text)")
    terminal.add_color_option(top)
    add_site_options(top)
    top.set_defaults(root=None, from_host=False)


def run(args: argparse.Namespace) -> int:
    if args.jobs is not None and not 1 <= args.jobs <= 512:
        raise CannotRun(f"--jobs {args.jobs}: write a number from 1 to 512")
    _check_output(args)
    config = configuration(args)
    folders = rule_folders(args, config)
    base = rule_base(folders)
    settings = Chooser(args, base, config, by_root=False).of("")
    before = None if args.since is None else _earlier_report(args.since)
    own_rules = tuple(os.path.abspath(folder) for folder in folders)  # noqa: PTH100
    knowledge = Knowledge(own_rules, settings.known, tuple(sorted(settings.profiles)))
    made = report_of(base, _judge_sources(args, _sources(args.bundles, base), knowledge), settings)
    if not made.classes:
        why = [f"{bundle.place}: {bundle.why}" for bundle in made.unread[:10]]
        hint = "name bundles, archives such as sosreports, or folders of them"
        raise CannotRun("no host could be read", *(why or [hint]))
    if before is not None:
        made = made._replace(drift=drift(before, made))
    _show(args, made)
    severities = {*(share.severity for share in made.shares), *(finding.severity for finding in made.across)}
    failed = any(at_least(severity, settings.fail_on) for severity in severities)
    return 2 if any(host_class.failed for host_class in made.classes) else int(failed)


def report_of(base: RuleBase, fleet: Fleet, settings: Settings) -> FleetReport:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    members = Members(fleet.hosts)
    between = findings_across(base, members.hosts, fleet.classes, settings.known)
    wanted = [finding for finding in between if settings.severity_of(finding.rule, finding.severity) is not None]
    return report(now, fleet, members, settings.reported, wanted)


def main_with(mapped: Mapper, argv: Sequence[str]) -> int:
    """`advisor fleet report` with these arguments, where `mapped` has both functions called: by Spark, Ray, or anything
    else that can do what `map` does. The exit code."""
    from advisor.cli import main

    token = _MAPPER.set(mapped)
    try:
        return main(["fleet", "report", *argv])
    finally:
        _MAPPER.reset(token)


def _judge_sources(args: argparse.Namespace, hosts: Iterable[HostSource], knowledge: Knowledge) -> Fleet:
    mapped = _MAPPER.get()
    if mapped is not None:
        return judge_with(mapped, hosts, knowledge)
    if args.dask is None:
        return judge_fleet(hosts, knowledge, args.jobs)
    if args.jobs is not None and args.dask != LOCAL:
        raise CannotRun("--jobs is for processes of this machine; a scheduler has its own workers")
    try:
        with on_dask(args.dask, args.jobs, terminal.warn) as mapped:
            return judge_with(mapped, hosts, knowledge)
    except DaskError as error:
        raise CannotRun(f"--dask {args.dask}: {error}") from None
    except ImportError:
        raise terminal.not_installed("--dask needs Dask", "dask") from None


def _earlier_report(path: str) -> FleetReport:
    with terminal.refuse_on(UserFileError, before="--since "):
        return read_lines(read_text(path, LARGEST).splitlines(), path)


def _sources(paths: Sequence[str], base: RuleBase) -> Iterator[HostSource]:
    layouts = [*base.layouts.values()]
    for path in paths:
        if path != "-":
            yield from sources([path], layouts)
            continue
        if sys.stdin is None:
            raise CannotRun("-: standard input is closed; name files or folders instead")
        try:
            for number, line in numbered_lines(sys.stdin.buffer):
                text = line.strip()
                if text.startswith("{"):
                    yield HostSource(f"<stdin>:{number}", text)
                elif len(text) > LONGEST_PATH:
                    why = "neither a bundle nor a path: longer than a path can be"
                    yield HostSource(f"<stdin>:{number}", None, why)
                else:
                    yield from sources([text], layouts)
        except Unread as error:
            yield HostSource("<stdin>", None, str(error))


def _check_output(args: argparse.Namespace) -> None:
    """CannotRun if the output could not be written; called before hosts are read."""
    if args.output == "-":
        args.output = None
    if args.output_format == "parquet":
        _check_folder(args.output)
    elif args.output:
        with terminal.refuse_on(WriteError, before="-o "):
            check_writable(args.output)


def _check_folder(path: str | None) -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise terminal.not_installed("parquet needs pyarrow", "parquet")
    if path is None:
        raise CannotRun("parquet is a folder of files: name it with -o FOLDER")
    if os.path.lexists(path) and not os.path.isdir(path):  # noqa: PTH112
        raise CannotRun(f"-o {path}: not a folder; parquet is a folder of files")
    try:
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
    except OSError as error:
        raise CannotRun(f"-o {path}: cannot be created: {error.strerror}") from None


def _show(args: argparse.Namespace, made: FleetReport) -> None:
    if args.output_format == "parquet":
        for name, content in pages.parquet(made):
            terminal.save_file(f"{args.output}/{name}", content)
    elif args.output:
        terminal.save_file(args.output, _report_text(args, made).encode("utf-8", "backslashreplace"))
    elif args.output_format == "text":
        terminal.print_document(args, pages.blocks(made, whole=args.verbose))
    else:
        sys.stdout.write(_report_text(args, made))


def _report_text(args: argparse.Namespace, made: FleetReport) -> str:
    if args.output_format == "jsonl":
        return "".join(write_lines(made, __version__))
    if args.output_format == "html":
        from advisor.pages.fleet_page import fleet_page

        return fleet_page(made, f"advisor {__version__}")
    if args.output_format == "prometheus":
        return pages.metrics(made, __version__)
    color = "always" if args.color == "always" else "never"
    return terminal.render_document("text", pages.blocks(made, whole=args.verbose), "", color)
