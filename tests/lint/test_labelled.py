"""Files with what an expert would certainly report in them (tests/labelled): all of that is found, and no other line
gets a warning or an error, but for those in `may`, which are a matter of opinion. `notes` have to be made; others may
be.

`settings` holds files of settings, `files`, `unseen` and `second` to `fifth` those of several kinds; these were
labelled before the program saw them, and some are templates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from advisor.files.kinds import identify
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

FILES = sorted((Path(__file__).parents[1] / "labelled").glob("*/*.yaml"))


def cases() -> Iterator[tuple[Path, int, dict[str, Any]]]:
    for path in FILES:
        read = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        yield from ((path, number, case) for number, case in enumerate(read))


@each(cases, lambda path, number, case: f"{path.parent.name}/{path.stem} {number}")
def test_what_is_certain_is_found_and_nothing_else(path: Path, number: int, case: dict[str, Any]) -> None:
    kind = path.stem
    assert identify(case["text"], case["name"]) == kind
    result = lint_text(case["text"], case["name"], load(), case.get("known", {}), kind=kind)
    told = {(one.line, one.rule) for one in result.findings if one.severity != "note" and not one.policy}
    told = {(line, rule) for line, rule in told if line not in case.get("may", ())}
    wanted = {(line, rule) for line, rule in case["finds"]}
    noted = {(one.line, one.rule) for one in result.findings if one.severity == "note"}
    assert noted >= {(line, rule) for line, rule in case.get("notes", ())}
    assert told == wanted, "\n".join(f"{f.line} {f.rule}: {f.message}" for f in result.findings)
