"""`artefacts`: all files that apply to an advice."""

from __future__ import annotations

from advisor.advice.answers import NAMES, bad_name
from advisor.advice.model import Advice
from advisor.artefacts.ansible import ansible
from advisor.artefacts.benchmarks import benchmarks
from advisor.artefacts.context import FileContext
from advisor.artefacts.kubernetes import kubernetes
from advisor.artefacts.model import Artefact, Judge, Unwritable
from advisor.artefacts.mounts import mounts
from advisor.artefacts.report import report
from advisor.artefacts.system import system
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import unfit


def artefacts(base: RuleBase, advice: Advice, judge: Judge) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files. `judge`: says what there is against the line.

    Raises Unwritable for a name or a held value that has no place in a file that root installs."""
    context = checked(base, advice)
    made = [*mounts(context), *system(context), *kubernetes(context)]
    made += ansible(context, made)
    made += benchmarks(context)
    return [*made, *report(context, made, judge)]


def checked(base: RuleBase, advice: Advice) -> FileContext:
    """The context of an advice. Raises as `artefacts` does."""
    for name in NAMES:
        wrong = bad_name(name, advice.answers.name(name))
        if wrong:
            raise Unwritable(wrong)
    for one in advice.advised:
        wrong = None if one.written is None else unfit(one.told, one.written)
        if wrong:
            raise Unwritable(wrong)
    return FileContext(base, _in_order(base, advice))


def _in_order(base: RuleBase, advice: Advice) -> Advice:
    """Facts in the order of the rule base: neither the reasons nor the bytes may depend on who answered what first."""
    order = [*base.facts, *sorted({*advice.state, *advice.answers.facts} - set(base.facts))]
    facts, state = advice.answers.facts, advice.state
    answers = advice.answers._replace(facts={name: facts[name] for name in order if name in facts})
    return advice._replace(answers=answers, state={name: state[name] for name in order if name in state})
