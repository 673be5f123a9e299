"""What can be found out. `advisor diagnose MESSAGE|FILE|-`: from a message, a log or a whole question to its cause.
`advisor facts`: what this host, or a copy of its files, reveals about itself; with --bundle, what `check` reads of it,
to be judged elsewhere. `advisor probe SERVER[:/export]`: what an NFS server answers to a client that does not mount."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from advisor import __version__, user_files
from advisor.cli import options, terminal
from advisor.cli.parser import between
from advisor.cli.terminal import CannotRun, add_color_option, print_json, refuse_on, render_document, warn
from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.evidence import Reader, StatedFact, TextEvidence
from advisor.diagnose.logs import Rest, read_log, read_rest, split_input
from advisor.diagnose.messages import Masks, without_secrets
from advisor.pages import host as pages
from advisor.pages.phrases import counted, json_text
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase, Values
from advisor.rulebase.values import NFS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.host.tree import Tree
    from advisor.probe.questions import Request
    from advisor.probe.result import Probed

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


def configure_facts(top: argparse.ArgumentParser) -> None:
    top.add_argument("--root", metavar="DIR|ARCHIVE|BUNDLE",
                     help="read a copy of another host's files, such as a sosreport")
    top.add_argument("--bundle", metavar="FILE",
                     help="write what check reads of the host to a file, without secrets, to judge it elsewhere; "
                          "- is the standard output (docs/fleet.md)")
    top.add_argument("--from-probe", metavar="FILE",
                     help="with --bundle: keep in it what a server answered to this host")
    top.set_defaults(expired=True)
    top.add_argument(
        "--output-format", choices=("text", "json", "yaml"), default="text",
        help="yaml is what --facts of other commands reads",
    )


def run_facts(args: argparse.Namespace) -> int:
    base = options.rule_base()
    tree = options.tree_of(base, args.root)
    if args.bundle:
        _write_bundle(base, tree, args.bundle, options.read_probe(args))
        return 0
    if args.from_probe:
        raise CannotRun("--from-probe goes with --bundle FILE")
    seen = options.host_facts(base, tree, settings=True)
    if args.output_format == "json":
        print_json(pages.facts_data(seen))
    else:
        text = pages.facts_yaml(seen) if args.output_format == "yaml" else pages.facts_text(seen, terminal.columns())
        sys.stdout.write(text)
    return 0


def _write_bundle(base: RuleBase, tree: Tree, file: str, probed: Probed | None) -> None:
    """Write the bundle of a host, packed if the name of the file ends with .gz; "-" is standard output. With what a
    server answered, as if the host kept it. CannotRun."""
    from advisor.check.check_host import record
    from advisor.check.mount_outcomes import ANSWERS

    recorded = record(base, tree)
    if probed:
        answers, name = recorded.answers, "from-probe.json"
        recorded = recorded._replace(answers=answers._replace(
            files={**answers.files, f"{ANSWERS}/{name}": _text_of(probed)},
            folders={**answers.folders, ANSWERS: [*answers.folders.get(ANSWERS, ()), name]},
        ))
    layout = tree.layout
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    done = pages.bundle(recorded, made, __version__, "" if layout is None else layout.id, tree.runs)
    if done.left_out:
        names = ", ".join(f"{path} ({size >> 10} KiB)" for path, size in done.left_out.items())
        warn(f"a bundle has at most 64 KiB, so this was left out: {names}")
    if file == "-":
        sys.stdout.write(done.line)
        return
    content = done.line.encode("ascii")
    if file.endswith(".gz"):
        import gzip

        content = gzip.compress(content, mtime=0)
    with refuse_on(user_files.WriteError, OSError, before="--bundle "):
        user_files.save(file, content, 0o600)
    gone = recorded.redacted
    without = f"{counted(gone.secrets, 'secret')} and {counted(gone.comments, 'comment')} taken out"
    holds = f"{recorded.node or 'a host without a name'}, {counted(len(recorded.answers.files), 'file')}, {without}"
    print(visible(f"{file}: {holds}"))


def configure_probe(top: argparse.ArgumentParser) -> None:
    top.add_argument("source", metavar="SERVER[:/EXPORT]", help="the server, and the path as a mount names it")
    top.add_argument("--vers", type=_versions, default=(), metavar="LIST",
                     help="only these versions of NFS: 3,4.0,4.1,4.2 (default all)")
    top.add_argument("--port", type=between(1, 65535, int, "{}: from 1 to 65535"), default=0, metavar="N",
                     help="the port of NFS (default 2049)")
    top.add_argument("--mnt", action="store_true",
                     help="also ask the mount service (MNT) and NFSv3; the server logs it, and notes it until UMNT")
    top.add_argument("--timeout", type=between(0.05, 60, float, "{}: seconds, from 0.05 to 60"), default=3.0,
                     metavar="SECONDS",
                     help="how long one call may take (default 3); all together take 20 s at most")
    top.add_argument("--write-to", metavar="FILE", help="also write the answers to this file, for --from-probe")
    top.add_argument("--output-format", choices=("text", "json", "brief"), default="text")
    add_color_option(top)
    options.add_site_options(top)


def run_probe(args: argparse.Namespace) -> int:
    from advisor.pages.observe import probe_data, probe_page
    from advisor.probe.evidence import answers
    from advisor.probe.questions import WHOLE, probe_until_signal
    from advisor.probe.rpc import Budget

    request = _request(args)
    base = options.site_rule_base(args)
    probed, ended_by = probe_until_signal(request, Budget(args.timeout, WHOLE))
    if ended_by:
        warn("ended; " + ("nothing is left on the server" if not _left(probed) else
                          "the server may keep a record until the lease ends: " + _left(probed)))
        return 128 + ended_by
    if args.write_to:
        terminal.save_file(args.write_to, _text_of(probed).encode())
    if args.output_format == "json":
        print_json(probe_data(base, probed))
    elif args.output_format == "brief":
        from advisor.pages.brief import of_probe

        sys.stdout.write(of_probe(base, probed))
    else:
        sys.stdout.write(render_document("text", probe_page(base, probed), "", args.color))
    if _left(probed):
        warn(f"the server may keep a record until its lease ends: {_left(probed)}")
    return 1 if any(each.conclusion.kind == "trouble" for each in answers(base, probed)) else 0


def _left(probed: Probed) -> str:
    return ", ".join(dict.fromkeys(
        each.detail or f"{each.question}: {each.outcome}" for each in probed.asked
        if each.question in ("leave", "unmount") and each.outcome != "ok"))


def _text_of(probed: Probed) -> str:
    from advisor.probe.result import probed_data

    return json_text(probed_data(probed))


def _request(args: argparse.Namespace) -> Request:
    from advisor.files.source import MountSource, parse_source
    from advisor.probe.questions import MOST_PARTS, NFS_PORT, Request
    from advisor.sections import normalized

    text = args.source
    source = parse_source(text) if "/" in text else MountSource("host", normalized("server", text), "", None)
    request = Request(source.host, source.export, args.vers or NFS_VERSIONS, args.port or NFS_PORT, args.mnt)
    if source.problem or not source.host or source.export[:1] not in ("", "/") or (
        source.host.count(":") == 1 or {*source.host} & {*"@, "}
    ):
        why = source.problem if source.host else None
        raise CannotRun(f"{text}: {why or 'write SERVER, SERVER:/PATH or [ADDRESS]:/PATH'}")
    if len(request.parts) > MOST_PARTS:
        raise CannotRun(f"{text}: the path has more than {MOST_PARTS} parts, which are not all asked for")
    return request


def _versions(written: str) -> tuple[str, ...]:
    given = {"4": ["4.0", "4.1", "4.2"]}
    versions = [each for word in written.split(",") for each in given.get(word.strip(), [word.strip()])]
    wrong = [each for each in versions if each not in NFS_VERSIONS]
    if wrong:
        raise argparse.ArgumentTypeError(f'"{wrong[0]}" cannot be asked for; choose from {", ".join(NFS_VERSIONS)}')
    return tuple(each for each in NFS_VERSIONS if each in versions)
