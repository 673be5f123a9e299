"""Where a report on a fleet goes, and in which format."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.cli.common import CannotRun

if TYPE_CHECKING:
    from advisor.fleet.model import FleetReport

FORMATS = ("text", "jsonl", "html", "prometheus", "parquet")


def check_output(args: argparse.Namespace) -> None:
    """Refuse what could not be written, before hosts are read."""
    if args.output == "-":
        args.output = None
    if args.output_format == "parquet":
        _check_folder(args.output)
    elif args.output:
        from advisor.atomic import WriteError, check

        try:
            check(args.output)
        except WriteError as error:
            raise CannotRun(f"-o {error}") from None


def _check_folder(path: str | None) -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise CannotRun("parquet needs pyarrow", "pip install 'nfs-advisor[parquet]'")
    if path is None:
        raise CannotRun("parquet is a folder of files: name it with -o FOLDER")
    if os.path.lexists(path) and not os.path.isdir(path):  # noqa: PTH112
        raise CannotRun(f"-o {path}: not a folder; parquet is a folder of files")
    try:
        os.makedirs(path, exist_ok=True)  # noqa: PTH103
    except OSError as error:
        raise CannotRun(f"-o {path}: cannot be made: {error.strerror}") from None


def show(args: argparse.Namespace, made: FleetReport) -> None:
    """Write the report."""
    if args.output:
        from advisor.atomic import WriteError, save

        try:
            for path, content in _files(args, made):
                save(path, content)
        except WriteError as error:
            raise CannotRun(str(error)) from None
        return
    if args.output_format == "text":
        from advisor.cli.advising import show as show_text
        from advisor.render.fleet import blocks

        show_text(args, blocks(made, whole=args.verbose))
        return
    sys.stdout.write(_text(args, made))


def _files(args: argparse.Namespace, made: FleetReport) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file that is written."""
    if args.output_format != "parquet":
        yield args.output, _text(args, made).encode("utf-8", "backslashreplace")
        return
    from advisor.render.fleet_parquet import parquet

    for name, content in parquet(made):
        yield f"{args.output}/{name}", content


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
