"""The files for several mounts of one host: every line in one fstab, the host's settings once, a report for each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.advice.several import Conflict, Several
from advisor.artefacts.build import checked
from advisor.artefacts.context import FileContext
from advisor.artefacts.model import Artefact, Judge
from advisor.artefacts.mounts import mounts
from advisor.artefacts.report import report
from advisor.artefacts.system import system
from advisor.render.wording import outcome
from advisor.rulebase.model import RuleBase

_ONE_ONLY = "No Ansible playbook, manifests or benchmarks: they are made for one mount; name it with --target."


def artefacts_several(base: RuleBase, told: Several, judge: Judge) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files. Raises Unwritable as `artefacts` does."""
    contexts = [checked(base, advice) for advice in told.mounts]
    own = [list(mounts(context)) for context in contexts]
    host = list(system(_host(base, told)))
    together: dict[str, Artefact] = {}
    for made in (one for several in own for one in several):
        known = together.get(made.path)
        together[made.path] = made if known is None else _joined(known, made)
    reports = []
    for number, (context, made_here) in enumerate(zip(contexts, own), 1):
        context.remarks += [_ONE_ONLY, *(_words(one) for one in told.conflicts)]
        name = re.sub("[^A-Za-z0-9]+", "-", context.target).strip("-") or "root"
        for one in report(context, [*made_here, *host], judge):
            suffix = one.path.partition(".")[2]
            reports.append(one._replace(path=f"reports/{number}-{name}.{suffix}", title=f"Report on {context.target}"))
    return [*together.values(), *host, *reports]


def _host(base: RuleBase, told: Several) -> FileContext:
    """What the files of the host are made from: its settings, and the facts that are known of all mounts."""
    before = {name: known for advice in told.mounts for name, known in advice.answers.before.items()}
    return checked(base, told.mounts[0]._replace(answers=told.answers._replace(mounts=(), before=before)))


def _joined(one: Artefact, other: Artefact) -> Artefact:
    """A file with what stands in both; what is not a comment stands there once."""
    there = set(one.text.splitlines())
    more = [
        line for line in other.text.splitlines()
        if not line.startswith("#!") and (line.startswith("#") or line not in there)
    ]
    return one._replace(
        text="\n".join((one.text.rstrip("\n"), "", *more, "")), apply=_both(one.apply, other.apply),
        verify=_both(one.verify, other.verify), undo=_both(one.undo, other.undo),
    )


def _both(some: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _words(one: Conflict) -> str:
    sides = "; ".join(f"{side.target} wants {side.tunable} {outcome(side.value)} ({side.rule})" for side in one.sides)
    return f"{one.title}: no value suits all mounts, so none is written: {sides}."
