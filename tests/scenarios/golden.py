"""What is advised in each scenario, as it was reviewed against the documents (REVIEW.md).

`python -m tests.scenarios.golden` writes the files anew: read what changed before you keep it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers_file import read_answers
from advisor.advice.rows import fstab_line, has_mount
from advisor.rulebase.base import load

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.yaml"))


def told(base: Any, name: str) -> str:
    """The line, every value that is advised with the rule that gives it, what is open, and the figures."""
    advice = advise(base, read_answers(base, str(HERE / f"{name}.yaml")))
    data = {
        "line": fstab_line(advice) if has_mount(advice) else "",
        "advised": {
            one.tunable: f"{one.value} ({one.rule.id if one.rule else 'given'})"
            for one in advice.settled if one.recommends
        },
        "open": [one.tunable for one in advice.open],
        "figures": {one.tunable: f"{one.filled} = {one.value}" for one in advice.estimates if one.value is not None},
        "bugs": [one.erratum for one in advice.bugs if one.certain],
    }
    stream = io.StringIO()
    yaml = YAML(pure=True)
    yaml.width = 1000
    yaml.dump(data, stream)
    return stream.getvalue()


if __name__ == "__main__":
    for scenario in NAMES:
        (HERE / "golden" / f"{scenario}.yaml").write_text(told(load(), scenario), encoding="utf-8")
