"""`advisor kb sources | search WORDS | show ID | disputes | coverage | unchecked | export`: what the sources say."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from advisor.cli.options import add_site_options, site_rule_base
from advisor.cli.terminal import CannotRun, add_color_option, print_document, print_json
from advisor.rulebase.citations import cited_by
from advisor.rulebase.model import Record

if TYPE_CHECKING:
    from advisor.pages.blocks import Block
    from advisor.rulebase.model import RuleBase

Answer = tuple[int, object, "Callable[[], list[Block]]"]
"""Exit code, the data, and what makes the page for people."""


def configure(top: argparse.ArgumentParser) -> None:
    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    commands = {
        "sources": "every document, with its grade of evidence",
        "search": "claims, sources and tunables that contain all the words",
        "show": "one claim or source",
        "disputes": "where sources disagree, what was decided, and why",
        "coverage": "the documents by section, with their claims and rules; exit code 1 if any is missing",
        "unchecked": "claims with figures that have not been checked against their source",
        "export": "the whole knowledge base and all rules as JSON",
    }
    for name, says in commands.items():
        command = what.add_parser(name, help=says, description=says, allow_abbrev=False)
        add_site_options(command)
        if name == "search":
            command.add_argument("words", nargs="+", metavar="WORD", help="all of these")
        if name == "show":
            command.add_argument("id", metavar="ID", help="of a claim or a source")
        if name == "disputes":
            command.add_argument("tunable", nargs="?", metavar="TUNABLE", help="only this one")
        if name == "unchecked":
            command.add_argument("sources", nargs="*", metavar="SOURCE", help="only from these documents")
            command.add_argument("--all", action="store_true", help="claims without figures too")
        if name == "coverage":
            command.add_argument("--output-format", choices=("markdown", "json"), default="markdown")
        elif name != "export":
            command.add_argument("--output-format", choices=("text", "json"), default="text")
            add_color_option(command)


def run(args: argparse.Namespace) -> int:
    base = site_rule_base(args)
    if args.what == "export":
        print_json(_everything(base))
        return 0
    if args.what == "coverage":
        return _coverage(base, args.output_format)
    answer: Answer = {
        "sources": _sources, "search": _search, "show": _show, "disputes": _disputes, "unchecked": _unchecked,
    }[args.what](base, args)
    code, data, make_page = answer
    if args.output_format == "json":
        print_json(data)
        return code
    print_document(args, make_page())
    return code


def _coverage(base: RuleBase, output_format: str) -> int:
    from advisor.pages.kb import markdown
    from advisor.rulebase.citations import coverage

    data = coverage(base)
    if output_format == "json":
        print_json(data)
    else:
        sys.stdout.write(markdown(data))
    return int(bool(data["gaps"]))


def _sources(base: RuleBase, _: argparse.Namespace) -> Answer:
    from advisor.pages import kb

    counts: dict[str, int] = {}
    for claim in base.claims.values():
        counts[claim.source] = counts.get(claim.source, 0) + 1
    rows = [(source, counts.get(name, 0)) for name, source in sorted(base.sources.items())]
    return 0, [{**source.as_dict(), "claims": count} for source, count in rows], lambda: kb.sources(rows)


def _search(base: RuleBase, args: argparse.Namespace) -> Answer:
    from advisor.pages import kb

    words = [word.lower() for word in args.words]
    hits = []
    tables: dict[str, Mapping[str, Record]] = {"claim": base.claims, "source": base.sources, "tunable": base.tunables}
    for kind, table in tables.items():
        for name, record in table.items():
            entry = record.as_dict()
            text = f"{name} {' '.join(_strings(entry))}".lower()
            if all(word in text for word in words):
                hits.append((-sum(text.count(word) for word in words), kind, name, entry))
    hits.sort(key=lambda item: item[:3])
    data = [{"kind": kind, "id": name, **entry} for _, kind, name, entry in hits]
    return int(not data), data, lambda: kb.search(data, " ".join(args.words))


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [s for key, nested in value.items() for s in (str(key), *_strings(nested))]
    if isinstance(value, list):
        return [s for nested in value for s in _strings(nested)]
    return [str(value)]


def _show(base: RuleBase, args: argparse.Namespace) -> Answer:
    from advisor.pages import kb

    name = args.id
    if name in base.claims:
        entry = {**base.claims[name].as_dict(), "used_by": cited_by(base, name)}
        return 0, entry, lambda: kb.claim_page(base, name)
    if name in base.sources:
        claims = [i for i, c in base.claims.items() if c.source == name]
        return 0, {**base.sources[name].as_dict(), "claims": claims}, lambda: kb.source_page(base, name)
    from advisor.rulebase.spelling import near

    hint = near(name, [*base.claims, *base.sources], "`advisor kb search` searches by word")
    raise CannotRun(f"unknown claim or source {name!r}; {hint}")


def _unchecked(base: RuleBase, args: argparse.Namespace) -> Answer:
    from advisor.pages import kb
    from advisor.rulebase.citations import unchecked
    from advisor.rulebase.spelling import near

    for name in args.sources:
        if name not in base.sources:
            hint = near(name, base.sources, "`advisor kb search` searches by word")
            raise CannotRun(f"unknown source {name!r}; {hint}")
    names = unchecked(base.claims, args.sources, figures=not args.all)
    data = [{**base.claims[name].as_dict(), "used_by": cited_by(base, name)} for name in names]
    return 0, data, lambda: kb.unchecked([base.claims[name] for name in names])


def _disputes(base: RuleBase, args: argparse.Namespace) -> Answer:
    from advisor.pages import kb
    from advisor.rulebase.citations import disputes

    if args.tunable and args.tunable not in base.tunables:
        from advisor.rulebase.spelling import near

        hint = near(args.tunable, base.tunables, "`advisor kb search` searches by word")
        raise CannotRun(f"unknown tunable {args.tunable!r}; {hint}")
    data = disputes(base, args.tunable)
    return 0, data, lambda: kb.disputes(data)


def _everything(base: RuleBase) -> dict[str, object]:
    return {
        "schema": "advisor-kb/1", "sources": base.sources, "claims": base.claims, "facts": base.facts,
        "capabilities": base.capabilities, "constraints": base.constraints, "layers": base.layers,
        "tunables": base.tunables, "decisions": base.decisions, "checks": base.checks, "errata": base.errata,
        "platforms": base.platforms, "recipes": base.recipes,
    }
