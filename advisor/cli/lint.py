"""`advisor lint [FILE … | -]`: check fstab files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from advisor.cli.common import CannotRun, add_fact_options, answers, rule_base, state
from advisor.lint.finding import SEVERITIES, at_least
from advisor.rulebase.query import rule_names


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("files", nargs="*", metavar="FILE", help="fstab files; - is standard input (default /etc/fstab)")
    add_fact_options(top)
    top.add_argument("--select", action="append", default=[], metavar="RULE,…",
                     help="only these rules; names may hold * (nconnect/*)")
    top.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="not these rules")
    top.add_argument("--min-severity", choices=SEVERITIES, default="note", help="show nothing weaker")
    top.add_argument("--fail-on", choices=SEVERITIES, default="warning",
                     help="exit with 1 if a finding is at least this severe (default %(default)s)")
    top.add_argument("--output-format", choices=("text", "json", "concise"), default="text")
    top.add_argument("--pedantic", action="store_true", help="also tell matters of house policy")
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def run(args: argparse.Namespace) -> int:
    from advisor.lint.run import lint_text

    base = rule_base()
    known = answers(base, args.facts_set, args.facts)
    state(base, known)  # refuse contradictory answers before any file is read
    wanted = _patterns(base, args.select, "--select")
    unwanted = _patterns(base, args.ignore, "--ignore")
    results = [lint_text(text, name, base, known) for name, text in _texts(args.files or ["/etc/fstab"])]
    shown = []
    for result in results:
        for finding in result.findings:
            if finding.policy and not args.pedantic and not _matches(finding.rule, wanted):
                continue
            if wanted and not _matches(finding.rule, wanted):
                continue
            if _matches(finding.rule, unwanted) or not at_least(finding.severity, args.min_severity):
                continue
            shown.append(finding)
    from advisor.cli.lint_output import show

    show(args, base, results, shown)
    return int(any(at_least(f.severity, args.fail_on) for f in shown))


def _texts(names: Iterable[str]) -> Iterable[tuple[str, bytes]]:
    for name in names:
        if name == "-":
            yield "<stdin>", sys.stdin.buffer.read()
            continue
        try:
            with open(name, "rb") as file:
                yield name, file.read()
        except IsADirectoryError:
            raise CannotRun(f"{name}: is a directory; name a file such as {name.rstrip('/')}/fstab") from None
        except FileNotFoundError:
            raise CannotRun(f"{name}: there is no such file") from None
        except OSError as error:
            raise CannotRun(f"{name}: cannot be read: {error.strerror}") from None


def _patterns(base: Any, values: list[str], option: str) -> list[str]:
    patterns = [p.strip() for value in values for p in value.split(",") if p.strip()]
    for pattern in patterns:
        if not any(_matches(name, [pattern]) for name in rule_names(base)):
            from difflib import get_close_matches

            near = get_close_matches(pattern, rule_names(base), 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise CannotRun(f"{option} {pattern}: no rule has this name{hint} (`advisor rules list` shows all)")
    return patterns


def _matches(name: str, patterns: list[str]) -> bool:
    if not patterns:
        return False
    from fnmatch import fnmatchcase

    return any(fnmatchcase(name, pattern) for pattern in patterns)
