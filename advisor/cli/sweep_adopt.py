"""`advisor sweep adopt RESULT --into DIR`: rules of this site from what was measured; `--remove` deletes them."""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.options import given_facts, rule_base
from advisor.cli.terminal import CannotRun, not_installed, refuse_on
from advisor.pages.style import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from advisor.rulebase.model import RuleBase
    from advisor.sweep.adopt import BestLevel
    from advisor.sweep.model import Environment, SweepPlan

_ROUNDS = 6
_EXAMPLE = "add to examples: "
_REDUNDANT = re.compile(r": not in \S+ is redundant")
_YEAR = 365


def configure(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "turn a result into rules of this site; they apply to this server and client, until a given day"
    command = what.add_parser("adopt", help=says, description=says, allow_abbrev=False)
    command.add_argument("result", metavar="RESULT", help="the folder that `advisor sweep run` wrote")
    command.add_argument("--into", metavar="DIR", required=True, help="the folder with your own rules, for --rules DIR")
    command.add_argument("--until", metavar="DATE",
                         help="the last day on which they apply, as 2027-11-22 (default: a year after the measurement)")
    command.add_argument("--set", action="append", default=[], metavar="FACT=VALUE", dest="facts_set",
                         help="what is known of the server, if the plan did not say it")
    command.add_argument("--remove", action="store_true", help="remove what was adopted from this result")


def run(args: argparse.Namespace) -> int:
    from advisor.sweep import adopt, plan_file, result

    base = rule_base()
    with refuse_on(plan_file.PlanError, result.ResultError, adopt.NotAdopted):
        plan = result.plan_of(Path(args.result), base.tunables)
        where = result.environment(Path(args.result))
        if args.remove:
            return _remove(adopt.file_names(plan, where), Path(args.into))
        return _adopt(base, args, plan, where)


def _adopt(base: RuleBase, args: argparse.Namespace, plan: SweepPlan, where: Environment) -> int:
    from advisor.sweep import adopt, result
    from advisor.sweep.model import LEVEL
    from advisor.user_files import WriteError, save

    given = {name: value for name, value in given_facts(base, args.facts_set).items()
             if isinstance(value, (str, int))}
    where = where._replace(server_says={**where.server_says, **given})
    _check_kernel(where)
    until = _until(args.until, where.started[:10])
    try:
        from advisor.sweep.analysis import analyse
    except ImportError as error:
        raise not_installed(f"the analysis needs {error.name}", "sweep") from None
    analysis = analyse(plan, result.runs(Path(args.result)))
    rules = adopt.best_levels(base, plan, analysis)
    wanted = [best_level for best_level in rules if not best_level.why_not]
    for best_level in rules:
        why = best_level.why_not or _why_overruled(base, plan, where, best_level)
        if why:
            print(visible(f"not adopted: {best_level.factor.tunable}: {why}"))
            wanted = [other for other in wanted if other is not best_level]
    if not wanted:
        raise CannotRun(f"{args.result}: nothing to adopt; `advisor sweep show {args.result}` shows what the runs say")
    for pair in analysis.interactions:
        if pair.holm < LEVEL and any(best_level.factor.tunable in pair.factors for best_level in wanted):
            print(visible(f"note: what {pair.factors[0]} does depends on {pair.factors[1]} ({pair.direction}); the "
                          "figures are averages over both"))
    texts = _with_examples(base, plan, where, wanted, until)
    into = Path(args.into)
    _check_with_existing(into, texts)
    try:
        into.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            save(str(into / name), text.encode())
            print(visible(str(into / name)))
    except WriteError as error:
        raise CannotRun(str(error)) from None
    except OSError as error:
        raise CannotRun(f"{into}: {error.strerror or error}") from None
    print(f"They apply until {until}. Next: advisor recommend --rules {visible(args.into)}")
    return 0


def _check_kernel(where: Environment) -> None:
    """CannotRun if this client has another kernel now."""
    if where.client == platform.node() and where.kernel != platform.release():
        raise CannotRun(f"measured with kernel {where.kernel}; this host has {platform.release()} now, so the figures "
                        "may not hold: run the plan again into a new folder")


def _until(text: str | None, measured: str) -> str:
    try:
        if text is None:
            last = datetime.date.fromisoformat(measured) + datetime.timedelta(days=_YEAR)
        else:
            last = datetime.date.fromisoformat(text)
    except ValueError:
        raise CannotRun(f"--until {text}: write a day, such as 2027-11-22") from None
    if last < datetime.date.today():
        raise CannotRun(f"the rules would apply until {last}, which has passed: measure again, or give a later --until")
    return last.isoformat()


def _why_overruled(base: RuleBase, plan: SweepPlan, where: Environment, best_level: BestLevel) -> str:
    """Why a rule that outranks speed excludes the value where it was measured; "" if none does."""
    from advisor.advice.advise import advise
    from advisor.advice.answers import Answers
    from advisor.rulebase.values import describe, supports
    from advisor.sweep.adopt import outranks_speed, rule_condition

    tunable = best_level.factor.tunable
    facts = {name: value for name, value in rule_condition(plan, where, tunable).items() if name in base.facts}
    recommendation = advise(base, Answers(facts=facts)).find(tunable)
    if (
        recommendation is None or not outranks_speed(recommendation.rule)
        or supports(best_level.value, recommendation.value, recommendation.definition.default)
    ):
        return ""
    return (f"speed does not decide; it must be {describe(recommendation.definition, recommendation.value)}: "
            f"{recommendation.why}")


def _with_examples(
    base: RuleBase, plan: SweepPlan, where: Environment, wanted: Sequence[BestLevel], until: str
) -> dict[str, str]:
    """The files, with an example for each part of a condition, as `rules verify` asks for them. CannotRun if the
    rules do not fit in with those that are there."""
    from advisor.rulebase.model import RuleBaseError
    from advisor.sweep.adopt import files
    from advisor.verify import verify_pack

    examples: dict[str, list[str]] = {}
    apart: set[str] = set()
    for _ in range(_ROUNDS):
        texts = files(base, plan, where, wanted, until=until, examples=examples, apart=apart)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                Path(folder, name).write_text(text, encoding="utf-8")
            try:
                problems = verify_pack(folder).problems
            except RuleBaseError as error:
                raise CannotRun(*error.messages) from None
        if not problems:
            return texts
        if not _apply_proposals(problems, texts, wanted, examples, apart):
            break
    raise CannotRun("the rules conflict with existing ones:", *(f"  {problem}" for problem in problems))


def _check_with_existing(into: Path, texts: Mapping[str, str]) -> None:
    """CannotRun if the new rules conflict with those in the folder, which no command could read then."""
    from advisor.rulebase.model import RuleBaseError
    from advisor.verify import verify_pack

    with tempfile.TemporaryDirectory() as folder:
        with refuse_on(OSError, UnicodeDecodeError, before=f"{into}: "):
            there = {path.relative_to(into): path.read_text(encoding="utf-8") for path in into.rglob("*.yaml")}
        if not there:
            return  # alone they have been verified
        for name, text in {**there, **{Path(name): text for name, text in texts.items()}}.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        try:
            problems = [
                problem for problem in map(str, verify_pack(folder).problems) if any(name in problem for name in texts)
            ]
        except RuleBaseError as error:
            problems = list(error.messages)
    if problems:
        raise CannotRun(f"{into}: nothing was written, because beside the rules there these cannot be used:",
                        *(f"  {problem}".replace(folder, str(into)) for problem in problems),
                        f"an earlier result goes with: advisor sweep adopt RESULT --into {into} --remove")


def _apply_proposals(
    problems: Sequence[object], texts: Mapping[str, str], wanted: Sequence[BestLevel], examples: dict[str, list[str]],
    apart: set[str],
) -> bool:
    """Whether each problem asks for an example, or says that no stronger rule can apply here. These go to `examples`
    and `apart`."""
    for problem in map(str, problems):
        proposed = problem.partition(_EXAMPLE)[2]
        example = proposed[: proposed.rfind("}") + 1]
        file = problem.partition(".yaml:")[0].rpartition("/")[2] + ".yaml"
        names = (best_level.factor.tunable for best_level in wanted)
        tunable = next((name for name in names if f"decision: {name}\n" in texts.get(file, "")), "")
        if tunable and example and example not in examples.get(tunable, ()):
            examples.setdefault(tunable, []).append(example)
        elif tunable and _REDUNDANT.search(problem) and tunable not in apart:
            apart.add(tunable)
        else:
            return False
    return True


def _remove(names: Sequence[str], into: Path) -> int:
    """Remove the files that were made of a result. CannotRun if there are none."""
    paths = [path for path in (into / name for name in names) if path.is_file() and not path.is_symlink()]
    if not paths:
        raise CannotRun(f"{into}: nothing here was adopted from this result (its source would be {names[0]})")
    try:
        for path in paths:
            path.unlink()
            print(visible(f"removed {path}"))
    except OSError as error:
        raise CannotRun(f"{error.filename}: {error.strerror}") from None
    return 0
