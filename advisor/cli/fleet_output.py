"""Where a report on a fleet goes, and in which format."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.cli.common import CannotRun

if TYPE_CHECKING:
    from advisor.fleet.model import FleetReport

FORMATS = ("text", "jsonl", "html", "prometheus")


def check_output(args: argparse.Namespace) -> None:
    """Refuse what could not be written, before hosts are read."""
    if args.output == "-":
        args.output = None
    if args.output:
        from advisor.atomic import WriteError, check

        try:
            check(args.output)
        except WriteError as error:
            raise CannotRun(f"-o {error}") from None


def show(args: argparse.Namespace, made: FleetReport) -> None:
    """Write the report."""
    if args.output:
        from advisor.atomic import WriteError, save

        try:
            save(args.output, _text(args, made).encode())
        except WriteError as error:
            raise CannotRun(str(error)) from None
        return
    if args.output_format == "text":
        from advisor.cli.advising import show as show_text
        from advisor.render.fleet import blocks

        show_text(args, blocks(made, whole=args.verbose))
        return
    sys.stdout.write(_text(args, made))


def _text(args: argparse.Namespace, made: FleetReport) -> str:
    if args.output_format == "jsonl":
        from advisor.fleet.lines import lines

        return "".join(lines(made, __version__))
    if args.output_format == "html":
        from advisor.render.fleet_page import fleet_page

        return fleet_page(made, f"advisor {__version__}")
    if args.output_format == "prometheus":
        from advisor.render.fleet_metrics import metrics

        return metrics(made, __version__)
    from advisor.cli.drawing import drawn
    from advisor.render.fleet import blocks

    return drawn("text", blocks(made, whole=args.verbose), "", "always" if args.color == "always" else "never")
