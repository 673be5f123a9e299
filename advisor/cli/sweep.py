"""`advisor sweep` with its subcommands, and the subcommand `sweep show RESULT`: what the runs of a sweep show."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun, not_installed, rule_base, save_file
from advisor.cli.terminal import DOCUMENT_FORMATS, add_color_option, render_document

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase
    from advisor.sweep.model import SweepPlan
    from advisor.sweep.result import SweepResult

_PRINTED = "kb:"
_DATA = ("json", "csv", "parquet")


def configure(top: argparse.ArgumentParser) -> None:
    from advisor.cli import sweep_adopt, sweep_plan, sweep_run

    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    sweep_plan.configure(what)
    sweep_run.configure(what)
    _configure_show(what)
    sweep_adopt.configure(what)


def run(args: argparse.Namespace) -> int:
    from advisor.cli import sweep_adopt, sweep_plan, sweep_run

    parts = {"plan": sweep_plan.run, "show": _show, "adopt": sweep_adopt.run}
    return parts.get(args.what, sweep_run.run)(args)


def _configure_show(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "what a result shows: which settings make a difference, which do not, and what stays open"
    command = what.add_parser("show", help=says, description=says, allow_abbrev=False)
    command.add_argument("result", metavar="RESULT", help="the folder that `advisor sweep run` wrote, "
                         "or kb:NAME: the figures that a document prints (kb:nfs-tuning-blog)")
    command.add_argument("--top", type=_positive_number, default=30, metavar="N",
                         help="list so many of the fastest combinations of each direction (default 30)")
    command.add_argument("--margin", type=_percentage, default=0.05, metavar="PERCENT",
                         help="a smaller difference does not matter (default 5%%)")
    command.add_argument("--output-format", choices=(*DOCUMENT_FORMATS, *_DATA), default="text",
                         help="html is a page, svg one picture; csv and parquet have one row per run")
    command.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    add_color_option(command)


def _show(args: argparse.Namespace) -> int:
    text = _rendered_result(args)
    if args.output:
        save_file(args.output, text if isinstance(text, bytes) else text.encode())
    elif isinstance(text, bytes):
        if sys.stdout.isatty():
            raise CannotRun("parquet is not for a terminal", "give a file: -o runs.parquet")
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text)
    return 0


def _rendered_result(args: argparse.Namespace) -> str | bytes:
    from advisor.sweep import result

    base = rule_base()
    sweep_result = _read(args.result, base)
    if args.output_format == "csv":
        return result.as_csv(sweep_result)
    if args.output_format == "parquet":
        try:
            return result.as_parquet(sweep_result)
        except ImportError:
            raise not_installed("parquet needs pyarrow", "parquet") from None
    try:
        from advisor.sweep.analysis import analyse
    except ImportError:
        raise not_installed(
            "judging a sweep needs numpy and scipy", "sweep", "--output-format csv works without"
        ) from None
    shown = analyse(sweep_result.plan, sweep_result.runs, args.margin, timed=not sweep_result.printed)
    if args.output_format == "json":
        return result.as_json(sweep_result, shown)
    from advisor.sweep.report import report

    blocks = report(sweep_result, shown, base.tunables, args.top)
    return render_document(args.output_format, blocks, f"Sweep of {sweep_result.plan.export}", args.color)


def _read(name: str, base: RuleBase) -> SweepResult:
    from advisor.sweep import plan_file, result
    from advisor.sweep.result import SweepResult

    if name.startswith(_PRINTED):
        return _printed_figures(name[len(_PRINTED) :], base)
    folder = Path(name)
    try:
        plan = read_plan(name, base)
        where = result.environment(folder) if (folder / result.ENVIRONMENT).exists() else None
        return SweepResult(plan, result.runs(folder), where)
    except (plan_file.PlanError, result.ResultError) as error:
        raise CannotRun(str(error)) from None


def read_plan(folder: str, base: RuleBase) -> SweepPlan:
    """The plan in the folder of a result. CannotRun if the folder holds none; raises PlanError."""
    from advisor.sweep import plan_file, result

    path = Path(folder, result.PLAN)
    if not path.is_file():
        raise CannotRun(f"{folder}: contains no result of a sweep; name the folder that `advisor sweep run` wrote")
    return plan_file.read(str(path), base.tunables)[0]


def _printed_figures(name: str, base: RuleBase) -> SweepResult:
    from advisor.sweep.published import names, published_figures

    try:
        return published_figures(base, name)
    except KeyError:
        raise CannotRun(f"{_PRINTED}{name}: no such document; there are "
                        + ", ".join(_PRINTED + document for document in names())) from None


def _positive_number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:9]) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 1")
    return int(text)


def _percentage(text: str) -> float:
    try:
        share = float(text.rstrip("%").strip()) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a percentage above 0 and below 100, such as 5%")
    return share
