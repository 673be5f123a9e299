"""`advisor diagnose MESSAGE|FILE|-`: from a message, a log or a whole question to its cause."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun, add_fact_options, answers, columns, wants_colour
from advisor.cli.site import add_site_options, site_base

if TYPE_CHECKING:
    from advisor.diagnose.state import Diagnosis
    from advisor.rulebase.model.types import Values

LIMIT = 16 << 20
"""Bytes of a text that is read whole; a longer one is a log, of which the lines about NFS are read."""


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("what", nargs="*", metavar="MESSAGE|FILE|-",
                     help="a message, or a file that holds one (a log, a question as it was posted); -: standard input")
    top.add_argument("--fstab", action="append", default=[], metavar="FILE", help="the client's fstab, as evidence")
    top.add_argument("--exports", action="append", default=[], metavar="FILE", help="the server's exports, as evidence")
    top.add_argument("--all", action="store_true", help="every possible cause, with its check")
    top.add_argument("--redact", action="store_true", help="mask addresses, host names and users, to post the answer")
    top.add_argument("--output-format", choices=("text", "json", "markdown"), default="text")
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    add_fact_options(top)
    add_site_options(top)


def run(args: argparse.Namespace) -> int:
    from advisor.diagnose.state import Diagnosis

    base = site_base(args)
    known: dict[str, Values] = dict(answers(base, args.facts_set, args.facts))
    diagnosis = Diagnosis(base, _given(args), known)
    show(args, diagnosis)
    from advisor.render.diagnose import named

    return 0 if named(diagnosis) else 1


def _given(args: argparse.Namespace) -> str:
    """Everything that was given, as one text."""
    parts = []
    if not args.what and not args.fstab and not args.exports:
        if sys.stdin is None or sys.stdin.isatty():
            raise CannotRun("nothing to diagnose: give a message in quotes, a file, or - for standard input")
        args.what = ["-"]
    for one in args.what:
        parts.append(_text(one))
    for name in (*args.fstab, *args.exports):
        parts.append(f"```\n{_file(name)}\n```")
    return "\n\n".join(parts)


def _text(one: str) -> str:
    if one == "-":
        return _decoded(sys.stdin.buffer.read(LIMIT + 1)[:LIMIT])
    if os.path.exists(one):  # noqa: PTH110  pathlib costs 15 ms at import
        return _file(one)
    if "/" in one and " " not in one:
        raise CannotRun(f"{one}: file not found")
    return one


def _file(name: str) -> str:
    from advisor.given import GivenError, content

    try:
        return _decoded(content(name, LIMIT))
    except GivenError as error:
        raise CannotRun(str(error)) from None


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def show(args: argparse.Namespace, diagnosis: Diagnosis) -> None:
    """Print a diagnosis in the format that was asked for."""
    from advisor.diagnose.masks import Masks, without_secrets

    mask = Masks(diagnosis.evidence.names) if args.redact else without_secrets
    if args.output_format == "json":
        from advisor.render.diagnose_json import data
        from advisor.render.plain import json_text

        sys.stdout.write(json_text(data(diagnosis, mask)))
        return
    from advisor.render.diagnose import page

    blocks = page(diagnosis, mask, args.all)
    if args.output_format == "markdown":
        from advisor.document.markdown import markdown

        sys.stdout.write(markdown(blocks))
        return
    from advisor.document.style import Style
    from advisor.document.terminal import terminal

    sys.stdout.write(terminal(blocks, columns(), Style(wants_colour(args.color))))
