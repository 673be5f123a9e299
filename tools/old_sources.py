"""List the sources that were written or read long ago, those on which most rests first.

    python tools/old_sources.py [--days 365] [--today 2026-11-28]

A source is as old as its `date`; one without a date is listed with "no date". What rests on a source are the rules,
checks, errata, causes, tunables and so on that cite one of its claims. The day on which a claim was last compared with
its source stands beside it."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from datetime import date, timedelta

from advisor.rulebase.base import load
from advisor.rulebase.citations import citing_entries
from advisor.rulebase.model import RuleBase


def resting(base: RuleBase) -> dict[str, set[str]]:
    """Source → the entries that cite its claims."""
    found: dict[str, set[str]] = defaultdict(set)
    for kind, name, claims in citing_entries(base):
        for claim in claims:
            found[base.claims[claim].source].add(f"{kind} {name}")
    return found


def old(base: RuleBase, before: date) -> list[tuple[int, str, str, str]]:
    """(entries that rest on it, source, its date, when its claims were last compared), the most important first."""
    entries, compared = resting(base), defaultdict(str)
    for claim in base.claims.values():
        day = claim.checked.date if claim.checked else ""
        compared[claim.source] = max(compared[claim.source], str(day))
    rows = [
        (len(entries[name]), name, source.date or "no date", compared[name] or "never")
        for name, source in base.sources.items() if (source.date or "") < before.isoformat()[: len(source.date or "")]
        or not source.date
    ]
    return sorted(rows, key=lambda row: (-row[0], row[2], row[1]))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--days", type=int, default=365, help="how old a source has to be (default: 365)")
    parser.add_argument("--today", type=date.fromisoformat, default=date.today(), help="instead of today: 2026-11-28")
    args = parser.parse_args(arguments)
    print(f"{'rests':>5}  {'date':10}  {'compared':10}  source")
    for count, name, day, compared in old(load(), args.today - timedelta(days=args.days)):
        print(f"{count:>5}  {day:10}  {compared:10}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
