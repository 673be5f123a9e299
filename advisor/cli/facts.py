"""`advisor facts`: what this host, or a copy of its files, reveals about itself; with --bundle, what `check` reads of
it, to be judged elsewhere."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from advisor.cli.options import host_facts, rule_base, tree_of
from advisor.cli.terminal import columns, print_json, refuse_on, warn
from advisor.pages.style import visible

if TYPE_CHECKING:
    from advisor.host.tree import Tree
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--root", metavar="DIR|ARCHIVE|BUNDLE",
                     help="read a copy of another host's files, such as a sosreport")
    top.add_argument("--bundle", metavar="FILE",
                     help="write what check reads of the host to a file, without secrets, to judge it elsewhere; "
                          "- is the standard output (docs/fleet.md)")
    top.add_argument(
        "--output-format", choices=("text", "json", "yaml"), default="text",
        help="yaml is what --facts of other commands reads",
    )


def run(args: argparse.Namespace) -> int:
    base = rule_base()
    tree = tree_of(base, args.root)
    if args.bundle:
        _write_bundle(base, tree, args.bundle)
        return 0
    from advisor.pages import facts

    seen = host_facts(base, tree, settings=True)
    if args.output_format == "json":
        print_json(facts.data(seen))
    else:
        sys.stdout.write(facts.yaml(seen) if args.output_format == "yaml" else facts.text(seen, columns()))
    return 0


def _write_bundle(base: RuleBase, tree: Tree, file: str) -> None:
    """Write the bundle of a host, packed if the name of the file ends with .gz; "-" is standard output. CannotRun."""
    import time

    from advisor import __version__, user_files
    from advisor.check.recording import record
    from advisor.pages.facts import bundle
    from advisor.pages.phrases import counted

    recorded = record(base, tree)
    layout = tree.layout
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    done = bundle(recorded, made, __version__, "" if layout is None else layout.id, tree.runs)
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
