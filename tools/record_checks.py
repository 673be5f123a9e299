"""Writes into kb/claims/ how claims fared when they were held against their sources, and changes nothing else there.

Run: python tools/record_checks.py RESULTS.jsonl [--root DIR]

One JSON object a line: {"claim": ID, "date": "2026-11-21", "outcome": "agrees" | "corrected" | "not-opened",
"against": what was opened, or "because": why it could not be}. A later check replaces an earlier one.
`python tools/claims.py unchecked` lists what is left to do."""

from __future__ import annotations

import argparse
import io
import json
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

from advisor.rulebase.document import YamlDocument, parse  # noqa: E402
from advisor.rulebase.model import Checked  # noqa: E402
from advisor.rulebase.schema import MODELS  # noqa: E402

WIDTH = 105


def record(root: Path, results: dict[str, Checked]) -> list[str]:
    """Write each claim's result below its verdict; the claims that no file holds."""
    left = dict(results)
    for path in sorted(root.glob("kb/claims/*.yaml")):
        raw = path.read_bytes()
        document = parse(path.name, raw)
        ours = [(index, claim["id"]) for index, claim in enumerate(document.data["claims"]) if claim["id"] in left]
        lines = raw.decode().splitlines(keepends=True)
        for index, name in reversed(ours):  # from the end, so that the lines above keep their numbers
            _write(lines, document, index, left.pop(name))
        if ours:
            path.write_text("".join(lines), encoding="utf-8")
    return list(left)


def _write(lines: list[str], document: YamlDocument, index: int, checked: Checked) -> None:
    claim = document.data["claims"][index]
    starts = {key: document.place(("claims", index, key), key=True) for key in claim}
    line, column = starts["verdict"]
    if "checked" in claim:
        first = starts["checked"][0]
        after = min((start for start, _ in starts.values() if start > first), default=None)
        del lines[first - 1 : after - 1 if after is not None else _end(lines, first, column)]
        line -= (after or 0) - first if first < line else 0
    indent = " " * (column - 1)
    lines[line:line] = [f"{indent}{part.rstrip()}\n" for part in _flow(checked).splitlines()]


def _end(lines: list[str], first: int, column: int) -> int:
    """The number of lines up to the end of a claim whose last key stands in line `first`."""
    end = first
    while end < len(lines) and lines[end][: column + 1].isspace() and lines[end].strip():
        end += 1
    return end


def _flow(checked: Checked) -> str:
    yaml = YAML()
    yaml.width = WIDTH
    stream = io.StringIO()
    told: Any = yaml.map(**checked.as_dict())
    told.fa.set_flow_style()
    yaml.dump({"checked": told}, stream)
    return stream.getvalue()


def main() -> int:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("file", type=Path, metavar="RESULTS.jsonl")
    top.add_argument("--root", type=Path, default=REPOSITORY, help="the folder that holds kb/")
    args = top.parse_args()
    results: dict[str, Checked] = {}
    for number, line in enumerate(args.file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            told = json.loads(line)
            name = told.pop("claim")
            results[name] = Checked.from_data(MODELS["Checked"](**told).model_dump(exclude_none=True))
        except (ValueError, KeyError, ValidationError) as error:
            print(f"{args.file}:{number}: {error}", file=sys.stderr)
            return 2
    missing = record(args.root, results)
    for name in missing:
        print(f"no claim is called {name}", file=sys.stderr)
    print(f"recorded {len(results) - len(missing)} checks")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
