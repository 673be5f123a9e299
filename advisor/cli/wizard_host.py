"""The whole host, for the wizard: each file judged as `advisor check` judges it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.cli import check
from advisor.cli.site import passed_on

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values
    from advisor.today.mending import JudgedFile


def judged_files(args: argparse.Namespace, root: str | None, given: Mapping[str, Values]) -> list[JudgedFile]:
    """What there is against this host, or the copy below `root`, file by file; only what has findings. `given`: what
    was answered. CannotRun says why nothing could be looked at."""
    from advisor.check.host import AREAS, SERVER
    from advisor.today.mending import JudgedFile

    top = argparse.ArgumentParser()
    check.configure(top)
    options = [f"--set={fact}={_written(value)}" for fact, value in given.items() if not isinstance(value, list)]
    run = check.HostRun(top.parse_args([*passed_on(args), *([f"--root={root}"] if root else []), *options]))
    areas, collected, _, _ = run.looked()
    kinds = {one.name: one.host_file.kind for one in collected.texts}
    found = []
    for area, results in areas.items():
        for result in results:
            wanted = run.chooser.of(result.name).reported(result.findings)
            if wanted:
                kind = kinds.get(result.name)
                facts = run.host.known(result.name, kind in SERVER)
                found.append(JudgedFile(AREAS[area], result, tuple(wanted), facts, kind is not None))
    return found


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
