"""`advisor observe --compare`: an earlier window, read from its file, and this one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun
from advisor.cli.drawing import drawn

if TYPE_CHECKING:
    from advisor.observe.compare import ReportedMount
    from advisor.observe.recording import Recording
    from advisor.observe.report import ObserveReport

_HOW = "write it with: advisor observe --output-format json > before.json"


def earlier(path: str) -> list[ReportedMount]:
    """The mounts of a file. CannotRun, before anything is watched, where it is not a window."""
    from advisor import given
    from advisor.observe.compare import ReportError, reported_mounts

    try:
        return reported_mounts(given.json_data(given.text(path), path))
    except given.GivenError as error:
        raise CannotRun(f"--compare {error}", _HOW) from None
    except ReportError as error:
        raise CannotRun(f"--compare {path}: not a window that observe wrote: {error}", _HOW) from None


def compared(args: argparse.Namespace, before: list[ReportedMount], report: ObserveReport, read: Recording) -> str:
    """What changed, in the format that was asked for."""
    from advisor.observe.compare import compare, parts_of, reported_mounts
    from advisor.render import observe_compare
    from advisor.render.observe import data

    chosen = {one.rstrip("/") or "/" for one in args.mount}
    asked = [one for one in before if not chosen or one.target in chosen]
    found = compare(asked, reported_mounts(data(report, parts_of(read))))
    if args.output_format == "json":
        from advisor.render.json_text import json_text

        return json_text(observe_compare.data(found))
    return drawn(args.output_format, observe_compare.page(found), observe_compare.TITLE, args.color)
