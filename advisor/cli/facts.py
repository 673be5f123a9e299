"""`advisor facts`: what this host, or a copy of its files, says of itself."""

from __future__ import annotations

import argparse
import sys

from advisor.cli.common import columns, rule_base
from advisor.cli.host_facts import look, tree_of
from advisor.host.probe import HostValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.render.facts import Found, FoundOnHost

SCHEMA = "advisor-facts/1"


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
    from advisor.render import facts

    if args.bundle:
        from advisor.cli.facts_bundle import write

        base = rule_base()
        write(base, tree_of(base, args.root), args.bundle, data)
        return 0
    seen = look(rule_base(), args.root, settings=True)
    answers = data(seen)
    if args.output_format == "json":
        from advisor.render.json_text import json_text

        text = json_text(answers)
    else:
        text = facts.yaml(answers) if args.output_format == "yaml" else facts.text(answers, columns())
    sys.stdout.write(text)
    return 0


def data(seen: HostFacts) -> FoundOnHost:
    """What was found, as JSON and YAML tell it."""
    probe = seen.probe
    return {
        "schema": SCHEMA,
        "root": probe.root,
        "facts": {name: _found(one) for name, one in seen.facts.items()},
        "unknown": dict(sorted(seen.unknown.items())),
        "settings": {name: _found(one) for name, one in probe.settings.items()},
        "unset": probe.unset,
        "inventory": {name: _found(one) for name, one in probe.inventory.items()},
        "mounts": [
            {
                "server": mount.server, "export": mount.export, "target": mount.target, "fstype": mount.fstype,
                "options": list(mount.options), "device": mount.device,
                "read_ahead_kb": None if mount.read_ahead_kb is None else mount.read_ahead_kb.value,
            }
            for mount in probe.mounts
        ],
    }


def _found(one: HostValue) -> Found:
    return {"value": one.value, "where": one.where, "note": one.note or None}
