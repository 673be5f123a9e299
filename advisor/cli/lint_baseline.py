"""Baselines on the command line: which one is in force, and what it did."""

from __future__ import annotations

import argparse
import sys

from advisor.cli.common import CannotRun
from advisor.document.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.config import Config
    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result


def add_baseline_options(site: argparse._ArgumentGroup, *names: str) -> None:
    """The option that names a baseline, under these names, and the one that writes it."""
    site.add_argument(*names, dest="baseline", metavar="FILE",
                      help="report only findings that are not accepted in FILE")
    site.add_argument("--write-baseline", metavar="FILE", help="accept today's findings: write them to FILE")


def in_force(args: argparse.Namespace, config: Config) -> Baseline | None:
    """The baseline that counts in this run. CannotRun where it cannot be read."""
    path = args.baseline
    if path is None and "baseline" in config.data:
        path = config.beside(config.data["baseline"])
    if path is None or args.write_baseline:
        return None
    from advisor.lint.baseline import BaselineError, read

    try:
        return read(path)
    except BaselineError as error:
        raise CannotRun(str(error)) from None


def save(path: str, found: list[tuple[Result, list[Finding]]]) -> None:
    """Accept these findings in the file `path`. CannotRun where it cannot be written."""
    from advisor.lint.baseline import text
    from advisor.lint.fix_write import WriteError
    from advisor.lint.fix_write import save as write

    try:
        write(path, text(path, found).encode())
    except WriteError as error:
        raise CannotRun(str(error)) from None
    count = sum(len(findings) for _, findings in found)
    print(f"{count} finding{'' if count == 1 else 's'} accepted in {path}")


def report(accepted: Baseline) -> None:
    """What the baseline did, on standard error: the findings are for others to read."""
    if accepted.accepted:
        print(f"advisor: {len(accepted.accepted)} accepted by {visible(accepted.path)}", file=sys.stderr)
    gone = sum(accepted.gone.values())
    if gone:
        first = min(accepted.gone)
        others = f" and {gone - 1} more" if gone > 1 else ""
        print(
            f"advisor: {visible(accepted.path)} accepts findings that no longer occur: {visible(first.rule)} at "
            f"{visible(first.target or first.source or 'line')} of {visible(first.file)}{others}; "
            f"--write-baseline {visible(accepted.path)} updates it", file=sys.stderr,
        )
