"""`advisor sweep` with its subcommands. Here are `plan SERVER:/export`, which writes a plan and prints what it takes
and what it can find; `show RESULT`: what the runs show; and `adopt RESULT --into DIR`: rules of this site from what was
measured, which `--remove` deletes."""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from textwrap import wrap

from advisor.cli import sweep_run, terminal
from advisor.cli.options import add_site_options, given_facts, rule_base, site_rule_base
from advisor.cli.parser import between, subcommand
from advisor.cli.terminal import CannotRun
from advisor.engine import FactError
from advisor.files.source import parse_source
from advisor.pages.style import visible
from advisor.rulebase.model import RuleBase, Scalar
from advisor.sweep import design, jobs, plan_file, result
from advisor.sweep.model import LEVEL, Environment, Job, OwnNamespace, SweepPlan
from advisor.user_files import WriteError, save

_PRINTED = "kb:"
_DATA = ("json", "csv", "parquet")
BLOCKS = 5
_DRIFT = 8
_YEAR = 365
_FEWER = ("with fewer than 5 blocks chance looks like an effect; write --repeat 5 or more, and choose fewer levels or "
          "shorter jobs to save time")


def configure(top: argparse.ArgumentParser) -> None:
    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    _configure_plan(what)
    sweep_run.configure(what)
    _configure_show(what)
    _configure_adopt(what)


def run(args: argparse.Namespace) -> int:
    parts = {"plan": _write_plan, "show": _show, "adopt": _adopt}
    return parts.get(args.what, sweep_run.run)(args)


def _configure_show(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "what a result shows: which settings make a difference, which do not, and what stays open"
    command = subcommand(what, "show", says)
    command.add_argument("result", metavar="RESULT", help="the folder that `advisor sweep run` wrote, "
                         "or kb:NAME: the figures that a document prints (kb:nfs-tuning-blog)")
    command.add_argument("--top", type=between(1, 100_000, int, "{!r}: a whole number from 1"), default=30, metavar="N",
                         help="list so many of the fastest combinations of each direction (default 30)")
    command.add_argument("--margin", type=_percentage, default=0.05, metavar="PERCENT",
                         help="a smaller difference does not matter (default 5%%)")
    command.add_argument("--output-format", choices=(*terminal.DOCUMENT_FORMATS, *_DATA), default="text",
                         help="html is a page, svg one picture; csv and parquet have one row per run")
    command.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    terminal.add_color_option(command)


def _show(args: argparse.Namespace) -> int:
    text = _rendered_result(args)
    if args.output:
        terminal.save_file(args.output, text if isinstance(text, bytes) else text.encode())
    elif isinstance(text, bytes):
        if sys.stdout.isatty():
            raise CannotRun("parquet is not for a terminal", "give a file: -o runs.parquet")
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text)
    return 0


def _rendered_result(args: argparse.Namespace) -> str | bytes:
    base = rule_base()
    sweep_result = _read(args.result, base)
    if args.output_format == "csv":
        return result.as_csv(sweep_result)
    if args.output_format == "parquet":
        try:
            return result.as_parquet(sweep_result)
        except ImportError:
            raise terminal.not_installed("parquet needs pyarrow", "parquet") from None
    try:
        from advisor.sweep.analysis import analyse
    except ImportError:
        raise terminal.not_installed(
            "judging a sweep needs numpy and scipy", "sweep", "--output-format csv works without"
        ) from None
    shown = analyse(sweep_result.plan, sweep_result.runs, args.margin, timed=not sweep_result.printed)
    if args.output_format == "json":
        return result.as_json(sweep_result, shown)
    from advisor.sweep.report import report

    blocks = report(sweep_result, shown, base.tunables, args.top)
    return terminal.render_document(args.output_format, blocks, f"Sweep of {sweep_result.plan.export}", args.color)


def _read(name: str, base: RuleBase) -> result.SweepResult:
    if name.startswith(_PRINTED):
        try:
            return result.published_figures(base, name[len(_PRINTED) :])
        except KeyError:
            known = ", ".join(_PRINTED + document for document in result.names())
            raise CannotRun(f"{name}: no such document; there are {known}") from None
    folder = Path(name)
    with terminal.refuse_on(plan_file.PlanError, result.ResultError):
        plan = result.plan_of(folder, base.tunables)
        where = result.environment(folder) if (folder / result.ENVIRONMENT).exists() else None
        return result.SweepResult(plan, result.runs(folder), where)


def _percentage(text: str) -> float:
    try:
        share = float(text.rstrip("%").strip()) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a percentage above 0 and below 100, such as 5%")
    return share


def _configure_plan(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "write a plan: which settings to compare, with which jobs; print time, bytes and the smallest effect"
    command = subcommand(what, "plan", says)
    command.add_argument("export", metavar="SERVER:/EXPORT", help="what to mount")
    command.add_argument("--factor", action="append", default=[], metavar="SETTING=A,B",
                         help="a setting and the values to compare, for example mount.nconnect=1,4,8,16; "
                              "SETTING+SETTING change together; may be repeated (default: the design of the blog in "
                              "kb:nfs-tuning-blog)")
    command.add_argument("--around-advice", action="store_true",
                         help="compare the advised values, by --set, with their neighbours")
    jobs = command.add_mutually_exclusive_group()
    jobs.add_argument("--job", metavar="NAME", help="a recipe of fio to run (default: fio-sequential-passes)")
    jobs.add_argument("--fio", metavar="FILE", help="a job file of fio to run")
    command.add_argument("--set", action="append", default=[], metavar="FACT=VALUE", dest="facts_set",
                         help="what is known of the server, for example storage.platform=anf; may be repeated")
    command.add_argument("--budget", metavar="TIME", help="the longest that it may take: 90m, 4h")
    command.add_argument("--repeat", type=int, default=BLOCKS, metavar="N", help="how many blocks (default: 5)")
    command.add_argument("--noise", type=float, default=4.0, metavar="PERCENT",
                         help="how much like runs differ, for the smallest effect (default: 4)")
    command.add_argument("--seed", type=int, metavar="N", help="the same number gives the same order")
    command.add_argument("--own-network", metavar="LINK,PARENT,ADDRESS[,GATEWAY]",
                         help="measure in a separate network namespace: ipvlan,eth0,192.0.2.9/24; needed if this host "
                              "has another mount of the server")
    command.add_argument("-o", "--output", metavar="FILE", default="sweep.yaml", help="the plan (default: sweep.yaml)")
    add_site_options(command)


def _write_plan(args: argparse.Namespace) -> int:
    if args.repeat < BLOCKS:
        raise CannotRun(f"--repeat {args.repeat}: {_FEWER}")
    if not 0 < args.noise <= 100:
        raise CannotRun(f"--noise {args.noise:g}: write a number of percent above 0, such as 4")
    if not Path(args.output).parent.is_dir():
        raise CannotRun(f"{args.output}: no such folder; create it, or name another file with -o")
    source = parse_source(args.export)
    if source.problem or not source.export.startswith("/"):
        raise CannotRun(f"{args.export}: write SERVER:/PATH, as for mount")
    base = site_rule_base(args)
    with terminal.refuse_on(plan_file.PlanError, WriteError):
        plan, says = _plan(base, args)
        text = plan_file.to_yaml(plan)
        plan_file.parse(text, args.output, base.tunables)  # what is refused later is refused now
        if Path(args.output).exists():
            raise CannotRun(f"{args.output}: already exists; name another file with -o, or remove it")
        save(args.output, text.encode())
    _print_cost(base, plan, says, args)
    return 0


def _plan(base: RuleBase, args: argparse.Namespace) -> tuple[SweepPlan, tuple[str, ...]]:
    facts = _facts(base, args)
    wanted = _wanted_factors(base, args, facts)
    fixed = dict(wanted.fixed)
    if fixed.get("mount.proto") == "tcp" and parse_source(args.export).kind == "ipv6":
        fixed["mount.proto"] = "tcp6"
    wanted_jobs = _jobs(base, args, wanted)
    try:
        chosen = design.points(wanted.columns, _max_points(args, wanted_jobs))
    except design.DesignError as error:
        count = prod(len(column[0].levels) for column in wanted.columns)
        whole = terminal.duration(design.seconds(wanted_jobs, _mounts(count, args.repeat)))
        if_it_does = f"if the server does {design.RATE // 1_000_000} MB/s"
        raise CannotRun(str(error), f"all {count} take {whole}, {if_it_does}") from None
    factors = tuple(factor for column in wanted.columns for factor in column)
    plan = SweepPlan(
        args.export, factors, chosen.points, wanted_jobs, fixed, args.repeat,
        args.seed if args.seed is not None else int.from_bytes(args.export.encode(), "big") % 1_000_003,
        min(_DRIFT, len(chosen.points)), chosen.resolution, chosen.aliases, _own_namespace(args.own_network),
        datetime.date.today().isoformat(), facts,
    )
    return plan, wanted.says


def _facts(base: RuleBase, args: argparse.Namespace) -> dict[str, Scalar]:
    """The facts of --set. CannotRun for one with several values."""
    facts: dict[str, Scalar] = {}
    for name, value in given_facts(base, args.facts_set).items():
        if not isinstance(value, (str, int)):
            raise CannotRun(f"--set {name}: give one value, since it is what was measured")
        facts[name] = value
    return facts


def _wanted_factors(base: RuleBase, args: argparse.Namespace, facts: Mapping[str, Scalar]) -> design.WantedFactors:
    with terminal.refuse_on(design.FactorError, FactError):
        own = design.parse_factors(base.tunables, args.factor)
        if not args.around_advice:
            return design.WantedFactors(own, {}, ()) if own else design.shipped_design(base.tunables)
        names = [factor.tunable for column in own for factor in column]
        wanted = design.around_advice(base, facts, settled=names)
    if not own and not wanted.columns:
        raise CannotRun("--around-advice: the advice leaves no setting open to compare; say more of the server with "
                        "--set, or name settings with --factor")
    return wanted._replace(columns=(*own, *wanted.columns))


def _jobs(base: RuleBase, args: argparse.Namespace, wanted: design.WantedFactors) -> dict[str, Job]:
    with terminal.refuse_on(jobs.JobError):
        if args.fio:
            return jobs.jobs_of_file(args.fio)
        return jobs.jobs_of_recipe(base.recipes, args.job or wanted.jobs or design.shipped_design(base.tunables).jobs)


def _max_points(args: argparse.Namespace, wanted_jobs: Mapping[str, Job]) -> int:
    """How many points fit the budget, with the runs that show drift."""
    repeat: int = args.repeat
    most = plan_file.MAX_MOUNTS // repeat
    if args.budget:
        budget = _seconds(args.budget)
        while most and design.seconds(wanted_jobs, _mounts(most, repeat)) > budget:
            most -= 1
    return most


def _mounts(points: int, repeat: int) -> int:
    return repeat * (points - (-points // _DRIFT))


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,6})(s|m|min|h)", text)
    if not match:
        raise CannotRun(f"--budget {text}: write a length of time such as 90m or 4h")
    return int(match[1]) * {"s": 1.0, "h": 3600.0}.get(match[2], 60.0)


def _own_namespace(text: str | None) -> OwnNamespace | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not 3 <= len(parts) <= 4:
        raise CannotRun(f"--own-network {text}: write LINK,PARENT,ADDRESS[,GATEWAY], such as ipvlan,eth0,192.0.2.9/24")
    return OwnNamespace(*parts)


def _print_cost(base: RuleBase, plan: SweepPlan, says: tuple[str, ...], args: argparse.Namespace) -> None:
    def out(text: str, indent: str = "  ") -> None:
        for line in wrap(visible(text), terminal.columns() - 1, initial_indent=indent, subsequent_indent=indent + "  "):
            print(line)

    total = design.cost(plan)
    kind = "all combinations" if plan.resolution is None else f"a fraction of resolution {plan.resolution}"
    out(f"{args.output}: {len(plan.points)} points ({kind}) × {plan.blocks} blocks", "")
    for factor in plan.factors:
        out(design.factor_text(base.tunables, factor) + (" (control: must show no effect)" if factor.control else ""))
    for line in says:
        out(line)
    for line in plan.aliases:
        out(f"cannot be told apart: {line}")
    print()
    again = total.mounts - len(plan.points) * plan.blocks
    out(f"mounts     {total.mounts}, of which {again} repeat the first point to show drift")
    out(f"jobs       {total.jobs}")
    out(f"duration   {terminal.duration(total.seconds)}, if the server does {design.RATE // 1_000_000} MB/s")
    out(f"written    {_bytes(total.written)}; needs {_bytes(total.space)} free on the server")
    mounts = len(plan.points) * plan.blocks
    comparisons = design.comparisons(plan)
    print()
    out(f"smallest effect that it finds (probability {design.POWER:.0%}, α {design.ALPHA:.0%} over {comparisons} "
        f"comparisons, noise {args.noise:g} % assumed):", "")
    for levels in sorted({len(factor.levels) for factor in plan.factors}):
        least = design.smallest_effect(mounts, levels, plan.blocks, comparisons, args.noise / 100)
        names = ", ".join(factor.tunable.partition(".")[2] for factor in plan.factors if len(factor.levels) == levels)
        out(f"{100 * least:.1f} % for {names}")
    print()
    out(f"Next: sudo advisor sweep run {args.output}", "")
    if plan.own is None:
        sys.stdout.flush()
        terminal.warn("the sweep refuses to run if this host has another mount of the server; --own-network gives it a "
             "separate network")


def _bytes(count: int) -> str:
    for size, unit in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")):
        if count >= size:
            return f"{count / size:.3g} {unit}" if count < 1000 * size else f"{count / size:.0f} {unit}"
    return f"{count} bytes"


def _configure_adopt(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    says = "turn a result into rules of this site; they apply to this server and client, until a given day"
    command = subcommand(what, "adopt", says)
    command.add_argument("result", metavar="RESULT", help="the folder that `advisor sweep run` wrote")
    command.add_argument("--into", metavar="DIR", required=True, help="the folder with your own rules, for --rules DIR")
    command.add_argument("--until", metavar="DATE",
                         help="the last day on which they apply, as 2027-11-22 (default: a year after the measurement)")
    command.add_argument("--set", action="append", default=[], metavar="FACT=VALUE", dest="facts_set",
                         help="what is known of the server, if the plan did not say it")
    command.add_argument("--remove", action="store_true", help="remove what was adopted from this result")


def _adopt(args: argparse.Namespace) -> int:
    from advisor.sweep import adopt

    base = rule_base()
    with terminal.refuse_on(plan_file.PlanError, result.ResultError):
        plan = result.plan_of(Path(args.result), base.tunables)
        where = result.environment(Path(args.result))
        if args.remove:
            return _remove(adopt.file_names(plan, where), Path(args.into))
        try:
            return _write_rules(base, args, plan, where)
        except adopt.NotAdopted as error:
            raise CannotRun(*error.args) from None


def _write_rules(base: RuleBase, args: argparse.Namespace, plan: SweepPlan, where: Environment) -> int:
    from advisor.sweep import adopt

    given = {name: value for name, value in given_facts(base, args.facts_set).items() if isinstance(value, (str, int))}
    where = where._replace(server_says={**where.server_says, **given})
    if where.client == platform.node() and where.kernel != platform.release():
        raise CannotRun(f"measured with kernel {where.kernel}; this host has {platform.release()} now, so the figures "
                        "may not hold: run the plan again into a new folder")
    until = _until(args.until, where.started[:10])
    try:
        from advisor.sweep.analysis import analyse
    except ImportError as error:
        raise terminal.not_installed(f"the analysis needs {error.name}", "sweep") from None
    analysis = analyse(plan, result.runs(Path(args.result)))
    rules = adopt.best_levels(base, plan, analysis)
    wanted = [best_level for best_level in rules if not best_level.why_not]
    for best_level in rules:
        why = best_level.why_not or adopt.why_overruled(base, plan, where, best_level)
        if why:
            print(visible(f"not adopted: {best_level.factor.tunable}: {why}"))
            wanted = [other for other in wanted if other is not best_level]
    if not wanted:
        raise CannotRun(f"{args.result}: nothing to adopt; `advisor sweep show {args.result}` shows what the runs say")
    for pair in analysis.interactions:
        if pair.holm < LEVEL and any(best_level.factor.tunable in pair.factors for best_level in wanted):
            print(visible(f"note: what {pair.factors[0]} does depends on {pair.factors[1]} ({pair.direction}); the "
                          "figures are averages over both"))
    texts = adopt.verified_files(base, plan, where, wanted, until)
    into = Path(args.into)
    adopt.check_with_existing(into, texts)
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotRun(f"{into}: {error.strerror or error}") from None
    for name, text in texts.items():
        terminal.save_file(str(into / name), text.encode())
        print(visible(str(into / name)))
    print(f"They apply until {until}. Next: advisor recommend --rules {visible(args.into)}")
    return 0


def _until(text: str | None, measured: str) -> str:
    try:
        last = datetime.date.fromisoformat(measured if text is None else text)
    except ValueError:
        raise CannotRun(f"--until {text}: write a day, such as 2027-11-22") from None
    if text is None:
        last += datetime.timedelta(days=_YEAR)
    if last < datetime.date.today():
        raise CannotRun(f"the rules would apply until {last}, which has passed: measure again, or give a later --until")
    return last.isoformat()


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
