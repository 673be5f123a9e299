"""All files that apply to an advice; for several mounts of one host every line in one fstab, the host's settings
once, a report for each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.advice.answers import NAMES, bad_name
from advisor.advice.model import Advice
from advisor.advice.several import Conflict, Several
from advisor.install.context import ARGUMENT, Artefact, FileContext
from advisor.install.host_files import host_files, identity
from advisor.install.mounts import benchmarks, mounts
from advisor.install.orchestration import ansible, cloud, kubernetes, role
from advisor.install.report import report
from advisor.install.scripts import scripts
from advisor.install.templating import Unwritable
from advisor.pages.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import why_invalid


def artefacts(base: RuleBase, advice: Advice) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files.

    Raises Unwritable for a name or a held value that has no place in a file that root installs."""
    context = checked_context(base, advice)
    made = [*mounts(context), *host_files(context), *identity(context), *kubernetes(context)]
    played = list(ansible([context], context, made))
    run = [*scripts([context], context, made)]
    made += [*cloud([context], context, made), *played, *benchmarks(context)]
    return [*made, *run, *(role() if played else ()), *report(context, made)]


def checked_context(base: RuleBase, advice: Advice, argument: str = ARGUMENT.format("REPORT.md")) -> FileContext:
    """The context of an advice. `argument`: the place to which a file refers for its reasons. Raises as `artefacts`
    does."""
    for name in NAMES:
        wrong = bad_name(name, advice.answers.name(name))
        if wrong:
            raise Unwritable(wrong)
    for recommendation in advice.advised:
        wrong = (
            None if recommendation.written is None else why_invalid(recommendation.definition, recommendation.written)
        )
        if wrong:
            raise Unwritable(wrong)
    return FileContext(base, _in_order(base, advice), argument)


def _in_order(base: RuleBase, advice: Advice) -> Advice:
    """Facts in the order of the rule base: neither the reasons nor the bytes may depend on who answered what first."""
    order = [*base.facts, *sorted({*advice.state, *advice.answers.facts} - set(base.facts))]
    facts, state = advice.answers.facts, advice.state
    answers = advice.answers._replace(facts={name: facts[name] for name in order if name in facts})
    return advice._replace(answers=answers, state={name: state[name] for name in order if name in state})


_ONE_ONLY = "No manifests or benchmarks: they are made for one mount; name it with --target."
_OTHER_DOMAIN = "Another mount of this host needs another {path}; a host has one, so the first mount's is written."


def artefacts_several(base: RuleBase, advices: Several) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files. Raises Unwritable as `artefacts` does."""
    names = [_name(number, advice.answers.name("target")) for number, advice in enumerate(advices.mounts, 1)]
    contexts = [
        checked_context(base, advice, ARGUMENT.format(f"reports/{name}.md"))
        for name, advice in zip(names, advices.mounts)
    ]
    own = [list(mounts(context)) for context in contexts]
    whole = _host(base, advices)
    host = list(host_files(whole))
    mounted = [artefact for several in own for artefact in several]
    run = [*scripts(contexts, whole, [*mounted, *host])]
    host += [*cloud(contexts, whole, [*mounted, *host]), *ansible(contexts, whole, host)]
    together: dict[str, Artefact] = {}
    for made in mounted:
        known = together.get(made.path)
        together[made.path] = made if known is None else _merge_files(known, made)
    reports = []
    users: dict[str, Artefact] = {}
    for name, context, made_here in zip(names, contexts, own):
        context.remarks += [_ONE_ONLY, *whole.remarks, *(_conflict_text(conflict) for conflict in advices.conflicts)]
        mine = [_for_mount(artefact, name) for artefact in identity(context)]
        for artefact in mine:
            known = users.setdefault(artefact.path, artefact)
            if known.lines != artefact.lines:
                context.remarks.append(_OTHER_DOMAIN.format(path=artefact.path))
        for artefact in report(context, [*made_here, *mine, *host]):
            suffix = artefact.path.partition(".")[2]
            reports.append(artefact._replace(path=f"reports/{name}.{suffix}", title=f"Report on {context.target}"))
    played = any(artefact.path == whole.data["files"]["ansible"]["path"] for artefact in host)
    return [*together.values(), *users.values(), *host, *run, *(role() if played else ()), *reports]


def _name(number: int, target: str) -> str:
    """The name of the files of one mount: "2-mnt-data"."""
    return f"{number}-{re.sub('[^A-Za-z0-9]+', '-', target).strip('-') or 'root'}"


def _for_mount(artefact: Artefact, name: str) -> Artefact:
    """The file under the name of its mount, if it is a list of steps; a file of the host keeps its name."""
    stem, dot, suffix = artefact.path.rpartition(".")
    return artefact._replace(path=f"{stem}-{name}{dot}{suffix}") if suffix == "md" else artefact


def _host(base: RuleBase, several: Several) -> FileContext:
    """What the files of the host are made from: its settings, and the facts that are known of all mounts."""
    before = {name: known for advice in several.mounts for name, known in advice.answers.before.items()}
    whole = several.mounts[0]._replace(answers=several.answers._replace(mounts=(), before=before))
    return checked_context(base, whole, ARGUMENT.format("reports"))


def _merge_files(first: Artefact, other: Artefact) -> Artefact:
    """A file with the content of both; a line that is not a comment is in it once."""
    there = set(first.text.splitlines())
    more = [
        line for line in other.text.splitlines()
        if not line.startswith("#!") and (line.startswith("#") or line not in there)
    ]
    return first._replace(
        text="\n".join((first.text.rstrip("\n"), "", *more, "")), apply=_distinct(first.apply, other.apply),
        verify=_distinct(first.verify, other.verify), undo=_distinct(first.undo, other.undo),
    )


def _distinct(some: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _conflict_text(conflict: Conflict) -> str:
    sides = "; ".join(
        f"{side.target} wants {side.tunable} {outcome(side.value)} ({side.rule})" for side in conflict.sides
    )
    return f"{conflict.title}: no value suits all mounts, so none is written: {sides}."
