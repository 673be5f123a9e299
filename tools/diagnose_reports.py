"""Measures the diagnosis: labelled reports beside our first three causes; a source's messages beside the catalogue.

    python tools/diagnose_reports.py reports.jsonl          # each line: {"text": …, "accepted": …}; or message,
                                                            # environment and accepted_cause
    python tools/diagnose_reports.py --source nfs-utils/    # every message of mount.nfs that the catalogue lacks
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from advisor.diagnose.evidence import Reader
from advisor.diagnose.score import rank
from advisor.rulebase.base import load

_FUNCTIONS = re.compile(r"\b(?:nfs_error|xlog(?:_warn|_err)?|fprintf|printf|syslog|perror)\s*\(")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[a-zA-Z]")
_FOLDERS = ("utils/mount",)
_LETTERS = 10


def reports(path: Path) -> None:
    """Print each report with its accepted cause and our first three, to be judged by a person."""
    base = load()
    reader = base.ready(Reader)
    count = silent = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        text = told.get("text") or "\n\n".join(filter(None, (told.get("message"), told.get("environment"))))
        ranked = rank(base, reader.read(text))
        count, silent = count + 1, silent + (not ranked)
        print(f"{told.get('id', count)}: {' '.join(text.split())[:300]}")
        print(f"  accepted: {told.get('accepted') or told.get('accepted_cause')}")
        for place, one in enumerate(ranked[:3], 1):
            print(f"  {place}. {one.status}, {one.likelihood:.2f}: {one.cause.title} ({one.cause.id})")
    print(f"{count} reports, {silent} without an answer")


def messages(root: Path) -> Iterator[tuple[str, str]]:
    """Place and text, with a sample in each conversion, of what the programs print."""
    for folder in _FOLDERS:
        for path in sorted((root / folder).glob("*.c")):
            source = path.read_text(encoding="utf-8", errors="replace")
            for call in _FUNCTIONS.finditer(source):
                statement = source[call.end() : source.find(";", call.end())]
                text = "".join(_STRING.findall(statement.partition('",')[0] + '"'))
                text = text.replace("\\n", " ").replace("\\t", " ").replace('\\"', '"')
                if sum(map(str.isalpha, _CONVERSION.sub("", text))) >= _LETTERS:
                    yield f"{path.relative_to(root)}:{source.count(chr(10), 0, call.start()) + 1}", text


def missing(root: Path) -> None:
    """Print the messages of the source that the catalogue does not know."""
    index = load().ready(Reader).index
    count = lacking = 0
    for place, text in messages(root):
        count += 1
        samples = ("5", "/srv/x", "nas7:/srv/x", "Permission denied")
        if not any(index.hits(index.folding.line(_CONVERSION.sub(sample, text))) for sample in samples):
            lacking += 1
            print(f"{place}: {text.strip()}")
    print(f"{count} messages, {lacking} of them not in the catalogue")


def main() -> None:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("reports", nargs="?", type=Path)
    top.add_argument("--source", type=Path, help="a checkout of nfs-utils")
    args = top.parse_args()
    if args.source:
        missing(args.source)
    if args.reports:
        reports(args.reports)


if __name__ == "__main__":
    main()
