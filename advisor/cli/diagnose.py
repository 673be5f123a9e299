"""`advisor diagnose MESSAGE|FILE|-`: from a message, a log or a whole question to its cause."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

from advisor.cli import options, terminal
from advisor.cli.terminal import CannotRun, add_color_option, print_json, refuse_on, render_document, warn
from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.evidence import Reader, StatedFact, TextEvidence
from advisor.diagnose.logs import Rest, read_log, read_rest, split_input
from advisor.diagnose.messages import Masks, without_secrets
from advisor.rulebase.model import RuleBase, Values

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.host.tree import Tree

LIMIT = 16 << 20
"""Bytes of a file with configuration."""
_LOGS = ("/logs/dmesg", "/logs/journal", "/var/log/messages", "/var/log/syslog", "/var/log/kern.log")
"""Log files of a host, and the output of log commands in a copy of one, as kb/layouts.yaml names it."""
_LARGEST = 64 << 20
_KMSG = "/dev/kmsg"


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("what", nargs="*", metavar="MESSAGE|FILE|-",
                     help="a message, or a file with one in it (a log, a question as posted); -: standard input")
    top.add_argument("--fstab", action="append", default=[], metavar="FILE", help="the client's fstab, as evidence")
    top.add_argument("--exports", action="append", default=[], metavar="FILE", help="the server's exports, as evidence")
    top.add_argument("--root", metavar="DIR|ARCHIVE",
                     help="the logs and the configuration in a copy of a host's files: a folder, a sosreport")
    top.add_argument("--from-host", action="store_true",
                     help="the logs and the configuration of this host; nothing is executed")
    top.add_argument("--all", action="store_true", help="list every possible cause, with its check")
    top.add_argument("--ask", action="store_true", help="ask one check or question after another, on the terminal")
    top.add_argument("--redact", action="store_true", help="mask addresses, host names and users, to post the answer")
    top.add_argument("--output-format", choices=("text", "json", "markdown", "brief"), default="text")
    add_color_option(top)
    options.add_fact_options(top)
    options.add_site_options(top)


def run(args: argparse.Namespace) -> int:
    if args.ask and ("-" in args.what or args.output_format != "text"):
        raise CannotRun("--ask needs the terminal for its answers: give the text as a file, and no --output-format")
    base = options.site_rule_base(args)
    file = options.read_facts_file(base, args, by_mount=True)
    known: dict[str, Values] = dict(options.given_facts(base, args.facts_set, file))
    reader = base.ready(Reader)
    text, rests = _given(args)
    evidence = reader.read(text, known)
    for before, rest in rests:
        read_rest(reader, rest, evidence, before)
    if args.root or args.from_host:
        logs = _add_host(base, reader, evidence, args.root)
        if not logs:
            warn("no log could be read; messages of the kernel need root, or a file")
    _add_probe(base, args, evidence)
    diagnosis = Diagnosis(base, evidence)
    mask = Masks(evidence.names) if args.redact else without_secrets
    shown = partial(show, diagnosis, mask, args.output_format, args.color, whole=args.all)
    if args.ask:
        from advisor.pages.diagnose import names_a_cause
        from advisor.wizard.prompt_tasks import InputEnded, Talk, narrow_down

        with contextlib.suppress(InputEnded):  # until one cause is confirmed or nothing is left to ask
            narrow_down(Talk(sys.stdin, sys.stdout, terminal.columns()), diagnosis, lambda: shown(steps=False))
        return 0 if names_a_cause(diagnosis) else 1
    return shown()


def _add_probe(base: RuleBase, args: argparse.Namespace, evidence: TextEvidence) -> None:
    """Add what a server answered, unless the text is about other servers only."""
    probed = options.read_probe(args)
    if probed is None:
        return
    from advisor.probe.evidence import proved

    if evidence.names and probed.server not in evidence.names:
        warn(f"--from-probe is about {probed.server}, and the text names {', '.join(sorted(evidence.names))}")
    evidence.add_probed(proved(base, probed))


def _given(args: argparse.Namespace) -> tuple[str, list[tuple[int, Rest]]]:
    """All that was given, as one text; and the rest of each file, with the number of the line before the file."""
    if not (args.what or args.fstab or args.exports or args.root or args.from_host):
        if sys.stdin is None or sys.stdin.isatty():
            raise CannotRun("nothing to diagnose: give a message in quotes, a file, or - for standard input")
        args.what = ["-"]
    parts: list[str] = []
    rests: list[tuple[int, Rest]] = []
    for argument in args.what:
        if argument != "-" and not os.path.exists(argument):  # noqa: PTH110  pathlib costs 15 ms at import
            if "/" in argument and " " not in argument:
                raise CannotRun(f"{argument}: file not found")
            parts.append(argument)
        elif argument != "-" and not os.path.isfile(argument):  # noqa: PTH113
            parts.append(_file(argument))
        else:
            read = sys.stdin.buffer.read if argument == "-" else _open(argument)
            text, rest = split_input(read)
            rests.append(("\n\n".join([*parts, ""]).count("\n"), rest))
            parts.append(_decoded(text))
    for name in (*args.fstab, *args.exports):
        parts.append(f"```\n{_file(name)}\n```")
    return "\n\n".join(parts), rests


def _open(name: str) -> Callable[[int], bytes]:
    try:
        return open(name, "rb").read  # it is read to its end, and then the program ends
    except OSError as error:
        raise CannotRun(f"{name}: cannot be read: {error.strerror}") from None


def _file(name: str) -> str:
    from advisor.user_files import UserFileError, read_bytes

    with refuse_on(UserFileError):
        return _decoded(read_bytes(name, LIMIT))


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def show(
    diagnosis: Diagnosis, mask: Callable[[str], str], form: str, color: str, *, whole: bool = False, steps: bool = True
) -> int:
    """Print a diagnosis in this format; the exit code. `whole`: with all causes; `steps`: with the check and the
    question that follow."""
    from advisor.pages import diagnose as pages

    if form == "json":
        print_json(pages.data(diagnosis, mask))
    elif form == "brief":
        from advisor.pages.brief import of_diagnosis

        sys.stdout.write(of_diagnosis(diagnosis, mask))
    else:
        sys.stdout.write(render_document(form, pages.page(diagnosis, mask, whole, steps), "", color))
    return 0 if pages.names_a_cause(diagnosis) else 1


def _add_host(base: RuleBase, reader: Reader, evidence: TextEvidence, root: str | None) -> list[str]:
    """Add the evidence of a host, or with `root` of a copy of its files: its facts, its configuration as `check` judges
    it, and its logs. Nothing is executed. Returns the logs that were read."""
    from advisor.check.host import collect, judge_files
    from advisor.diagnose.configuration import PastedFinding

    tree = options.tree_of(base, root)
    facts = options.host_facts(base, tree).values(base)
    evidence.read += [StatedFact(name, value, 0) for name, value in facts.items()]
    collected = collect(tree, list(base.host_files.values()))
    areas, _ = judge_files(base, collected.texts, lambda _name, _server: facts)
    for area, results in areas.items():
        for result in results:
            evidence.configuration.findings.extend(
                PastedFinding(finding, finding.line, result.line(finding.line), area) for finding in result.findings
            )
    names = []
    for name, text in _logs(tree):
        names.append(name)
        read_log(reader, io.BytesIO(text.encode("utf-8", "replace")).read, evidence)
    return names


def _logs(tree: Tree) -> Iterator[tuple[str, str]]:
    """Name and text of each log of a host that can be read."""
    from advisor.host.tree import Unread
    from advisor.observe.snapshot import kernel_log

    for path in _LOGS:
        try:
            log = tree.read(path, _LARGEST)
        except Unread:
            continue
        yield log.where, log.text
    if tree.live:
        text = "\n".join(kernel_log() or ())
        if text:
            yield _KMSG, text
