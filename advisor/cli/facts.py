"""What can be found out. `advisor facts`: what this host, or a copy of its files, reveals about itself; with --bundle,
what `check` reads of it, to be judged elsewhere. `advisor probe SERVER[:/export]`: what an NFS server answers to a
client that does not mount."""

from __future__ import annotations

import argparse
import sys
import time

from advisor import __version__, user_files
from advisor.cli import options, terminal
from advisor.cli.parser import between
from advisor.cli.terminal import CannotRun, add_color_option, print_json, refuse_on, render_document, warn
from advisor.pages import host as pages
from advisor.pages.phrases import counted, json_text
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import NFS_VERSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.host.tree import Tree
    from advisor.probe.questions import Request
    from advisor.probe.result import Probed


def configure(top: argparse.ArgumentParser) -> None:
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


def run(args: argparse.Namespace) -> int:
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
