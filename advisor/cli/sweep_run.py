"""`advisor sweep run PLAN`: mount with each combination of the plan in turn, and measure. `advisor sweep clean`: undo
what a killed sweep left."""

from __future__ import annotations

import argparse
import contextlib
import platform
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from advisor.cli.options import host_facts, rule_base, tree_of
from advisor.cli.parser import subcommand
from advisor.cli.terminal import CannotRun, duration, overwrite_line, refuse_on, warn
from advisor.files.source import parse_source
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase
from advisor.sweep import jobs, plan_file, result, system
from advisor.sweep.bench import MountFailed, Stuck, SweepRefused
from advisor.sweep.model import Environment, Plot, SweepPlan
from advisor.sweep.runner import Runner, SweepExport, clean
from advisor.user_files import WriteError

DoneJobs = set[tuple[int, str]]
"""Which jobs a result has: number of the mount, name of the job."""

_OVERHEAD = 2.0
"""Seconds that a mount takes besides its jobs; a guess, until one was measured."""


def configure(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "run a plan: mount with each combination in turn and measure; continues where it was interrupted"
    command = subcommand(what, "run", says)
    command.add_argument("plan", metavar="PLAN", help="the file that `advisor sweep plan` wrote")
    command.add_argument("-o", "--output", metavar="DIR",
                         help="the folder of the result (default: the plan's name without .yaml, and .result)")
    says = "undo what a killed sweep left: its folder on the server, changed settings of the kernel"
    subcommand(what, "clean", says)


def run(args: argparse.Namespace) -> int:
    host = system.System()
    if not host.is_root():
        raise CannotRun("advisor sweep needs root: it mounts, makes namespaces, and reads the kernel's counters",
                        f"sudo advisor sweep {args.what} …; planning a sweep and showing its result need no root")
    with refuse_on(system.JournalError):
        journal = system.Journal()
    host.listen()
    try:
        remains = _clean(host, journal)
        return (1 if remains else 0) if args.what == "clean" else _run(args, host, journal)
    except system.Signalled as end:
        return 128 + end.number
    finally:
        journal.close()


def _clean(host: system.System, journal: system.Journal) -> list[str]:
    left = len(journal.pending())
    if not left:
        return []
    warn(f"an earlier sweep did not end; undoing {left} step{'s' if left > 1 else ''} that it left")
    remains = clean(host, journal)
    for line in remains:
        warn(f"still left: {line}")
    return remains


def _run(args: argparse.Namespace, host: system.System, journal: system.Journal) -> int:
    base = rule_base()
    with refuse_on(plan_file.PlanError, result.ResultError):
        plan, source = plan_file.read(args.plan, base.tunables)
        export = _export(plan)
        folder = Path(args.output or Path(args.plan).with_suffix(".result"))
        runner = Runner(host, journal, export, base.tunables, plan.jobs)
        here = _environment(base, plan, export, runner, host)
        _check_folder(folder, source, here)
        done = {(job_run.plot, job_run.job) for job_run in result.runs(folder)}
    wanted = plan.plots()
    todo = [plot for plot in wanted if any((plot.number, name) not in done for name in plot.jobs)]
    if len(todo) < len(wanted):
        warn(f"{folder}: {len(wanted) - len(todo)} of {len(wanted)} mounts are measured already")
    if todo:
        _sweep(runner, plan, folder, lambda: result.begin(folder, source, here), todo=todo, done=done)
    lost = len({job_run.plot for job_run in result.runs(folder) if job_run.why})
    without = f", {lost} of them without data" if lost else ""
    print(f"{folder}: {len(wanted)} mounts are measured{without}; advisor sweep show {folder}")
    return 0


def _check_folder(folder: Path, plan: str, here: Environment) -> None:
    """CannotRun if the folder holds something other than a result of this plan, on this kernel, with this tool.
    Raises ResultError."""
    new = "name a new folder with -o"
    try:
        if not folder.exists() or not any(folder.iterdir()):
            return
        if not all((folder / name).exists() for name in (result.PLAN, result.ENVIRONMENT)):
            raise CannotRun(f"{folder}: is not empty, and contains no result; {new}")
        if (folder / result.PLAN).read_text(encoding="utf-8") != plan:
            raise CannotRun(f"{folder}: contains the result of another plan; {new}")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRun(f"{folder}: cannot be used: {getattr(error, 'strerror', None) or 'no plan'}; {new}") from None
    then = result.environment(folder)
    for what in ("client", "kernel", "tool", "address"):
        was, now = getattr(then, what), getattr(here, what)
        if was != now:
            raise CannotRun(f"{folder}: its runs were measured with {what} {was}; now it is {now}; {new}")


def _sweep(
    runner: Runner, plan: SweepPlan, folder: Path, begin: Callable[[], None], *, todo: Sequence[Plot], done: DoneJobs
) -> None:
    """Make the mounts that are left. `begin`: makes the folder of the result. CannotRun if the sweep has to stop; what
    was measured is kept."""
    lines: list[str] = []
    try:
        with runner:
            if runner.tool == "dd":
                warn(f"fio is not installed: {jobs.LOST_WITH_DD}")
            runner.open([plot.asked for plot in todo])
            begin()
            _mounts(runner, plan, folder, todo, done)
    except SweepRefused as error:
        lines = list(error.lines)
    except Stuck as error:
        lines = [f"{plan.export}: the server does not answer any more: {error}",
                 "the same command continues with the rest when it does"]
    except OSError as error:
        lines = [f"{error.filename or folder}: {error.strerror or error}"]
    except (jobs.JobError, MountFailed, system.TooSlow, WriteError) as error:
        lines = [f"{plan.export}: {error}"]
    finally:
        left = [f"left behind: {line}; the next run, or advisor sweep clean, removes it" for line in runner.remains]
        if not lines:
            for line in left:
                warn(line)
    if lines:
        raise CannotRun(*lines, *left)


def _mounts(runner: Runner, plan: SweepPlan, folder: Path, todo: Sequence[Plot], done: DoneJobs) -> None:
    progress = _Progress(len(todo), plan)
    reasons: set[str] = set()  # each reason once: it comes again with each mount that asks for the same
    for number, plot in enumerate(todo):
        progress.begin(number, plot)
        names = [name for name in plot.jobs if (plot.number, name) not in done]
        with contextlib.closing(runner.mount(plot, names)) as measured:
            for runs in measured:
                result.add_runs(folder, runs)
                if runs[0].why and runs[0].why not in reasons:
                    reasons.add(runs[0].why)
                    progress.remark(f"mount {plot.number}, {runs[0].job}: no data: {runs[0].why}")
    progress.end()


def _export(plan: SweepPlan) -> SweepExport:
    """CannotRun if the server's name is not known."""
    source = parse_source(plan.export)
    try:
        addresses = socket.getaddrinfo(source.host, 2049, type=socket.SOCK_STREAM)
    except OSError as error:
        raise CannotRun(f"{source.host}: {error.strerror or error}") from None
    address = str(addresses[0][4][0])
    host = f"[{address}]" if ":" in address else address
    if plan.own is None and source.kind == "host" and len({entry[4][0] for entry in addresses}) == 1:
        host = source.host  # Kerberos wants the name; in a separate namespace it may not be resolved
    return SweepExport(address, f"{host}:{source.export}", plan.own)


def _environment(
    base: RuleBase, plan: SweepPlan, export: SweepExport, runner: Runner, host: system.System
) -> Environment:
    found = host_facts(base, tree_of(base, None), platform=False).facts
    facts = {name: fact.value for name, fact in found.items()}
    version = host.run(runner.tool, "--version", within=10).out.splitlines()
    return Environment(
        platform.node(), platform.release(), str(facts.get("client.nfs_utils", "")), version[0] if version else "",
        plan.export, export.address, host.date(), facts, plan.server_says,
    )


class _Progress:
    """How far the sweep is, and how long it still takes: on a terminal one line that changes, in a pipe a line per
    mount."""

    def __init__(self, count: int, plan: SweepPlan) -> None:
        self._count = count
        self._factors = [factor.tunable for factor in plan.factors]
        self._guess = _OVERHEAD + sum(jobs.seconds(job) for job in plan.jobs.values())
        self._began = time.monotonic()
        self._live = sys.stderr.isatty()

    def begin(self, number: int, plot: Plot) -> None:
        each = (time.monotonic() - self._began) / number if number else self._guess
        left = duration(each * (self._count - number))
        asked = ", ".join(f"{name.partition('.')[2]} {plot.asked[name]}" for name in self._factors)
        line = visible(f"{number + 1} of {self._count}, {left} left: {asked}")
        if self._live:
            overwrite_line(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def remark(self, line: str) -> None:
        self.end()
        print(visible(line), file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._live:
            overwrite_line("")
