"""Finds files that are no NFS configuration and are judged all the same: each with a warning or an error although it
has no word of NFS, or on which reading fails.

Run: python tools/foreign_files.py FOLDER … [--all] [--seen FILE]

Files are read as `advisor lint` reads them: kind by name and content, nothing else known. `--all` also lists files with
words of NFS, for a person to look through. `--seen` remembers contents, so that a later run reads only new ones."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

from advisor.cli.lint import kind_of, why_not_judged  # noqa: E402
from advisor.lint.finding import Finding  # noqa: E402
from advisor.lint.rule_index import RuleIndex  # noqa: E402
from advisor.lint.run import lint_text  # noqa: E402
from advisor.rulebase.base import load  # noqa: E402

NFS = re.compile(rb"nfs|\befs\b|sunrpc|rpcbind|lockd|exportfs", re.IGNORECASE)
"""A file without any of these has nothing to do with NFS."""
LARGEST = 1 << 22
"""Larger files are left out: they are data."""


class Foreign:
    """`kinds`: how many files were taken for which kind."""

    def __init__(self) -> None:
        self.base = load()
        self.indexes: dict[str, RuleIndex] = {}
        self.kinds: Counter[str | None] = Counter()

    def findings(self, name: str, data: bytes) -> list[Finding]:
        """Warnings and errors on one file."""
        kind = kind_of(name, data, None)
        self.kinds[kind] += 1
        if kind is None or why_not_judged(name, data, kind, ()):
            return []
        result = lint_text(data, name, self.base, {}, self.indexes.get(kind), kind=kind)
        self.indexes[kind] = result.rule_index
        return [finding for finding in result.findings if finding.severity != "note" and not finding.policy]


def files(folders: list[str]) -> Iterator[Path]:
    """Regular files below the folders, without links."""
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in sorted(names):
                path = Path(parent, name)
                if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
                    yield path


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seen", type=Path)
    args = parser.parse_args(arguments)
    os.environ["ADVISOR_DEBUG"] = "1"  # a failure is raised
    seen = set(args.seen.read_text().split()) if args.seen and args.seen.exists() else set()
    foreign, told = Foreign(), 0
    for path in files(args.folders):
        data = path.read_bytes()
        key = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        if key in seen:
            continue
        seen.add(key)
        about = "nfs" if NFS.search(data) else "-"
        try:
            found = foreign.findings(str(path), data)
        except Exception as error:
            found, about = [], "raises"
            print(f"raises\t{path}\t{type(error).__name__}: {error}")
        told += about == "raises" or (bool(found) and about == "-")
        if found and (args.all or about == "-"):
            first = found[0]
            rules = ", ".join(f"{rule} {count}" for rule, count in Counter(f.rule for f in found).most_common(3))
            print(f"{about}\t{path}\t{rules}\tline {first.line}: {first.message[:120]}", flush=True)
    if args.seen:
        args.seen.write_text("\n".join(sorted(seen)))
    print(f"{sum(foreign.kinds.values())} files; " + ", ".join(
        f"{kind} {count}" for kind, count in foreign.kinds.most_common()))
    return int(told > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
