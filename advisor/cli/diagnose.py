"""`advisor diagnose MESSAGE|FILE|-`: from a message, a log or a whole question to its cause."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

from advisor.cli import facts_file
from advisor.cli.common import CannotRun, add_color_option, add_fact_options, answers, columns, wants_colour
from advisor.cli.site import add_site_options, site_base

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

LIMIT = 16 << 20
"""Bytes of a text that is read whole; a longer one is a log, of which the lines about NFS are read."""


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("what", nargs="*", metavar="MESSAGE|FILE|-",
                     help="a message, or a file that holds one (a log, a question as it was posted); -: standard input")
    top.add_argument("--fstab", action="append", default=[], metavar="FILE", help="the client's fstab, as evidence")
    top.add_argument("--exports", action="append", default=[], metavar="FILE", help="the server's exports, as evidence")
    top.add_argument("--root", metavar="DIR|ARCHIVE",
                     help="the logs and the configuration of a copy of a host's files: a folder, a sosreport")
    top.add_argument("--from-host", action="store_true", help="those of this host; nothing is executed")
    top.add_argument("--all", action="store_true", help="every possible cause, with its check")
    top.add_argument("--ask", action="store_true", help="ask one check or question after the other, on the terminal")
    top.add_argument("--redact", action="store_true", help="mask addresses, host names and users, to post the answer")
    top.add_argument("--output-format", choices=("text", "json", "markdown"), default="text")
    add_color_option(top)
    add_fact_options(top)
    add_site_options(top)


def run(args: argparse.Namespace) -> int:
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.diagnose.evidence import Reader
    from advisor.diagnose.logs import read_log
    from advisor.render.diagnose import names_a_cause

    if args.ask and ("-" in args.what or args.output_format != "text"):
        raise CannotRun("--ask needs the terminal for its answers: give the text as a file, and no --output-format")
    base = site_base(args)
    known: dict[str, Values] = dict(answers(base, args.facts_set, facts_file.read(base, args)))
    reader = Reader(base)
    piped = _piped(args)
    read = _log(args, piped)
    evidence = reader.read(_given(args, piped), known) if read is None else read_log(reader, read)
    if args.root or args.from_host:
        from advisor.cli.diagnose_host import add_host

        logs = add_host(base, reader, evidence, args.root)
        if not logs:
            print("advisor: no log could be read; messages of the kernel need root, or a file", file=sys.stderr)
    diagnosis = Diagnosis(base, evidence)
    if args.ask:
        _ask(args, diagnosis)
    else:
        show(args, diagnosis)

    return 0 if names_a_cause(diagnosis) else 1


def _ask(args: argparse.Namespace, diagnosis: Diagnosis) -> None:
    """Narrow the causes down, one check or question at a time, until one is confirmed or nothing tells more."""
    from advisor.wizard.plain_diagnosing import narrowed
    from advisor.wizard.plain_talk import Ended, Talk

    with contextlib.suppress(Ended):
        narrowed(Talk(sys.stdin, sys.stdout, columns()), diagnosis, lambda: show(args, diagnosis, steps=False))


def answer(base: RuleBase, text: str, colour: str) -> int:
    """Print the diagnosis of a text; returns the exit code."""
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.render.diagnose import names_a_cause

    diagnosis = Diagnosis(base, text)
    show(argparse.Namespace(redact=False, output_format="text", all=False, color=colour), diagnosis)
    return 0 if names_a_cause(diagnosis) else 1


def _piped(args: argparse.Namespace) -> bytes | None:
    """What stands on standard input, if it is to be read: at most a byte more than a text that is read whole."""
    if not (args.what or args.fstab or args.exports or args.root or args.from_host):
        if sys.stdin is None or sys.stdin.isatty():
            raise CannotRun("nothing to diagnose: give a message in quotes, a file, or - for standard input")
        args.what = ["-"]
    return sys.stdin.buffer.read(LIMIT + 1) if "-" in args.what else None


def _log(args: argparse.Namespace, piped: bytes | None) -> Callable[[int], bytes] | None:
    """What reads the single thing that was given, if it is too large to be a question; None else."""
    alone = len(args.what) == 1 and not args.fstab and not args.exports
    if piped is not None and len(piped) > LIMIT:
        if not alone:
            raise CannotRun("standard input is longer than 16 MiB, a log: give it alone")
        head = io.BytesIO(piped)
        return lambda size: head.read(size) or sys.stdin.buffer.read(size)
    if not alone or not os.path.isfile(args.what[0]) or os.path.getsize(args.what[0]) <= LIMIT:  # noqa: PTH113, PTH202
        return None
    try:
        return open(args.what[0], "rb").read  # it is read to its end, and then the program ends
    except OSError as error:
        raise CannotRun(f"{args.what[0]}: cannot be read: {error.strerror}") from None


def _given(args: argparse.Namespace, piped: bytes | None) -> str:
    """Everything that was given, as one text."""
    parts = [_decoded(piped or b"") if one == "-" else _text(one) for one in args.what]
    for name in (*args.fstab, *args.exports):
        parts.append(f"```\n{_file(name)}\n```")
    return "\n\n".join(parts)


def _text(one: str) -> str:
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


def show(args: argparse.Namespace, diagnosis: Diagnosis, steps: bool = True) -> None:
    """Print a diagnosis in the format that was asked for. `steps`: with the check and the question that follow."""
    from advisor.diagnose.redaction import Masks, without_secrets

    mask = Masks(diagnosis.evidence.names) if args.redact else without_secrets
    if args.output_format == "json":
        from advisor.render.diagnose import data
        from advisor.render.json_text import json_text

        sys.stdout.write(json_text(data(diagnosis, mask)))
        return
    from advisor.render.diagnose import page

    blocks = page(diagnosis, mask, args.all, steps)
    if args.output_format == "markdown":
        from advisor.document.markdown import markdown

        sys.stdout.write(markdown(blocks))
        return
    from advisor.document.style import Style
    from advisor.document.terminal import terminal

    sys.stdout.write(terminal(blocks, columns(), Style(wants_colour(args.color))))
