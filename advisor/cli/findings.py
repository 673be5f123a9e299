"""Findings on the command line: the options that choose them, the settings for each file, the baseline, and printing
them in each output format."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from advisor import __version__
from advisor.cli import options
from advisor.cli.terminal import CannotRun, columns, print_json, refuse_on, save_file, wants_colour, warn
from advisor.config import table_places
from advisor.lint.finding import INTERNAL, SEVERITIES, Finding, at_least
from advisor.lint.lines import Result, Silenced
from advisor.lint.rule_index import PLATFORM, RuleIndex, as_client
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple, grouped
from advisor.pages.formats import FindingContext, cite, renderer, rule_facts
from advisor.pages.style import Style, has_links
from advisor.rulebase.model import facts_in
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import TextIO

    from advisor.config import Config, Table
    from advisor.files.read_together import Beside
    from advisor.lint.suppress import Baseline
    from advisor.pages.blocks import Block
    from advisor.pages.formats import Inferred, LinePlace, NotJudged, OpenQuestion, Render, Summary
    from advisor.rulebase.model import RuleBase, Values

STATISTICS_SCHEMA = "advisor-statistics/1"


def add_choice_options(top: argparse.ArgumentParser, *, failing: bool = True) -> None:
    """Add the options that choose findings; `failing`: also --fail-on, which decides the exit code."""
    top.add_argument("--select", action="append", default=[], metavar="RULE,…",
                     help="only these rules; names may contain * (nconnect/*)")
    top.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="not these rules")
    top.add_argument("--min-severity", choices=SEVERITIES, help="show nothing less severe (default note)")
    if failing:
        top.add_argument("--fail-on", choices=SEVERITIES,
                         help="exit with 1 if a finding is at least this severe (default warning)")
    top.add_argument("--pedantic", action=_with_a_negation,  # type: ignore[arg-type]
                     help="also report matters of house policy")
    top.add_argument("--profile", action="append", default=[], metavar="NAME,…",
                     help="also report what a security profile asks for: cis, scap, stig, or one of your own rules")


def _with_a_negation(**words: object) -> argparse.Action:
    """An action for --name and --no-name. Where files alone are named, argparse is not loaded."""
    from argparse import BooleanOptionalAction

    return BooleanOptionalAction(**words)  # type: ignore[call-overload,no-any-return]


class Settings(NamedTuple):
    """`known`: facts; `sections`: those of some mounts only. `wanted`, `unwanted`: patterns of rule names. `levels`:
    (pattern, severity or off), the last that fits counts. `policies`: checks of house policy and of security profiles
    that are reported. `profiles`: those whose checks are run."""

    known: Mapping[str, Values]
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    min_severity: str
    fail_on: str
    policies: frozenset[str]
    profiles: frozenset[str]
    sections: tuple[Section, ...]

    def reported(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings to report, each with the severity that it is to have."""
        if not (self.wanted or self.unwanted or self.levels):
            least, policies = self.min_severity, self.policies
            return [f for f in findings if at_least(f.severity, least) and (not f.policy or f.rule in policies)]
        severities = ((f, self.severity_of(f.rule, f.severity, f.policy)) for f in findings)
        return [
            finding if severity == finding.severity else finding._replace(severity=severity)
            for finding, severity in severities if severity is not None
        ]

    def severity_of(self, rule: str, severity: str, policy: bool = False) -> str | None:
        """The severity with which a finding of a rule is reported; None if it is not reported."""
        name, level = next((pair for pair in reversed(self.levels) if matches(rule, [pair[0]])), ("", None))
        if level == "off" or matches(rule, self.unwanted):
            return None
        if self.wanted and rule != INTERNAL and not matches(rule, self.wanted):
            return None
        if policy and not (rule in self.policies or self.wanted or name == rule):
            return None
        severity = level or severity
        return severity if at_least(severity, self.min_severity) else None


class Chooser:
    """Works out the settings of each file. Files to which the same tables apply share one `Settings`."""

    def __init__(self, args: argparse.Namespace, base: RuleBase, config: Config, *, by_root: bool = True) -> None:
        """`by_root`: take facts from the host that --root names."""
        self.by_root = by_root
        self.args, self.base, self.config = args, base, config
        file = options.read_facts_file(base, args, by_mount=True)
        answered, mounts, self.pins = _answers(base, args)
        given = options.given_facts(base, args.facts_set, file)
        self.given = options.facts_with_bearing(base, {**answered, **given})
        self.sections = (*_config_sections(base, config), *file.sections, *mounts)
        self.made: dict[tuple[str, ...], Settings] = {}
        # Every table is read at once, so that a mistake shows whatever is linted.
        tables = [(str(config.name), config.data)]
        tables += [(f"{config.name}: path {n}", table) for n, table in enumerate(config.data.get("path", ()), 1)]
        for where, table in tables:
            for key in ("select", "ignore", "severity"):
                _checked_patterns(base, list(table.get(key, ())), f"{where}: {key}")
            _checked_profiles(base, list(table.get("profile", ())), f"{where}: profile")
            options.typed_facts(base, table.get("facts", {}), where)
        self.wanted = _checked_patterns(base, _split(args.select), "--select")
        self.unwanted = _checked_patterns(base, _split(args.ignore), "--ignore")
        self.profiles = _checked_profiles(base, _split(args.profile), "--profile")
        self.of("")

    def of(self, name: str) -> Settings:
        """The settings for one linted file. CannotRun when its facts contradict each other."""
        tables = list(self.config.tables(name))
        key = tuple(where for where, _ in tables)
        if key not in self.made:
            self.made[key] = self._make(tables)
        return self.made[key]

    def _make(self, tables: Sequence[tuple[str, Table]]) -> Settings:
        facts: dict[str, Values] = {}
        levels: dict[str, str] = {}
        ignored: tuple[str, ...] = ()
        for where, table in tables:
            facts |= options.typed_facts(self.base, table.get("facts", {}), where)
            levels |= table.get("severity", {})
            ignored += tuple(table.get("ignore", ()))
        last: Table = {key: value for _, table in tables for key, value in table.items()}
        args = self.args
        known = {**facts, **self.given}
        options.certain_state(self.base, known)  # refuse contradictory answers before any file is read
        if args.from_host or (self.by_root and args.root):
            known = {**self._host(known), **known}
        pedantic = last.get("pedantic", False) if args.pedantic is None else args.pedantic
        wanted = self.wanted or tuple(last.get("select", ()))
        chosen = self.profiles or tuple(last.get("profile", ()))
        named = (*wanted, *levels)
        profiles = frozenset(chosen)
        policies = frozenset(
            name for name, check in self.base.checks.items()
            if (pedantic and check.policy) or not profiles.isdisjoint(check.profiles)
        ) if pedantic or profiles else profiles
        if named:
            profiles = profiles.union(
                *(check.profiles for name, check in self.base.checks.items() if check.profiles and matches(name, named))
            )
        return Settings(
            known, wanted, self.unwanted or ignored, tuple(levels.items()),
            args.min_severity or last.get("min_severity", "note"), args.fail_on or last.get("fail_on", "warning"),
            policies, profiles, self.sections,
        )

    def _host(self, known: Mapping[str, Values]) -> dict[str, Values]:
        """The facts of the host beside `known`, as a client: a host with NFS lines in its fstab is one. Facts of scope
        server are left out, since they would describe this host, not the servers that it mounts from."""
        given = as_client(self.base, known)
        tree = options.tree_of(self.base, self.args.root if self.by_root else None)
        return options.host_facts(self.base, tree, given, platform=False).values(self.base, "host")


def _answers(
    base: RuleBase, args: argparse.Namespace
) -> tuple[Mapping[str, Values], tuple[Section, ...], frozenset[str]]:
    """Facts, sections and the pinned settings of the answers file of the command line. CannotRun if it is faulty."""
    if getattr(args, "answers", None) is None:
        return {}, (), frozenset()
    from advisor.advice.answers import AnswerError, check_answers
    from advisor.advice.answers_file import AnswersFileError, read_answers

    with refuse_on(AnswersFileError, AnswerError):
        answers = check_answers(base, read_answers(base, args.answers))
    return answers.facts, answers.mounts, frozenset(answers.pins)


def _config_sections(base: RuleBase, config: Config) -> tuple[Section, ...]:
    if "mounts" not in config.data:
        return ()
    from advisor.advice.answers_file import sections

    places = table_places(config.text, "mounts")

    def place(number: int, key: str) -> str:
        keys = places[number] if number < len(places) else {}
        line, column = keys.get(key) or keys.get("", (1, 1))
        return f"{config.name}:{line}:{column}"

    with refuse_on(SectionError):
        return sections(base, config.data["mounts"], place)


def matches(name: str, patterns: Iterable[str]) -> bool:
    patterns = tuple(patterns)
    if name in patterns:
        return True
    if not any("*" in pattern or "?" in pattern or "[" in pattern for pattern in patterns):
        return False
    from fnmatch import fnmatchcase

    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _split(values: Iterable[str]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


def _checked_profiles(base: RuleBase, names: list[str], option: str) -> tuple[str, ...]:
    for name in names:
        if name not in base.profiles:
            raise CannotRun(f"{option} {name}: unknown security profile; the profiles are {', '.join(base.profiles)}")
    return tuple(names)


def _checked_patterns(base: RuleBase, patterns: list[str], option: str) -> tuple[str, ...]:
    for pattern in patterns:
        if not any(matches(name, [pattern]) for name in base.rule_names):
            from advisor.rulebase.spelling import near

            hint = near(pattern, base.rule_names, "`advisor rules list` shows all")
            raise CannotRun(f"{option} {pattern}: no rule has this name; {hint}")
    return tuple(patterns)


class TextJudge:
    """Judges texts with the options of a command line and a configuration. `indexes`: a cache of rule indexes, by
    settings and kind of file."""

    def __init__(self, args: argparse.Namespace, base: RuleBase, config: Config, *, by_root: bool = True) -> None:
        """`by_root`: as for Chooser. CannotRun if the settings cannot be used."""
        self.base = base
        self.chooser = Chooser(args, base, config, by_root=by_root)
        self.accepted = baseline_in_force(args, config)
        self.indexes: dict[tuple[int, str], RuleIndex] = {}
        self.root = (getattr(args, "root", None) or "").rstrip("/")

    def judge(
        self, text: str | bytes, name: str, kind: str, beside: Sequence[Beside] = ()
    ) -> tuple[Result, list[Finding]]:
        """One file of this kind (advisor.files.kinds), and those of its findings to report."""
        settings = self.chooser.of(name)
        key = (id(settings), kind)
        with refuse_on(SectionError):
            result = lint_text(text, name, self.base, settings.known, self.indexes.get(key),
                               sections=settings.sections, kind=kind, profiles=settings.profiles, beside=beside,
                               root=self.root)
        if result.segments:
            from advisor.check.one_file import add_both_sides

            add_both_sides(self.base, result)
        if result.rule_index.matcher.sections == settings.sections:  # a file may say more of its entries
            self.indexes[key] = result.rule_index
        pins = self.chooser.pins
        found = [f for f in result.findings if f.severity == "error" or f.tunable not in pins]
        findings = settings.reported(found if pins else result.findings)
        return result, findings if self.accepted is None else self.accepted.fresh(result, findings)


def add_baseline_options(site: argparse._ArgumentGroup, *names: str) -> None:
    """The option that names a baseline, under these names, and the one that writes it."""
    site.add_argument(*names, dest="baseline", metavar="FILE",
                      help="report only findings that are not accepted in FILE")
    site.add_argument("--write-baseline", metavar="FILE", help="accept today's findings: write them to FILE")


def baseline_in_force(args: argparse.Namespace, config: Config) -> Baseline | None:
    """The baseline of accepted findings that this run uses. CannotRun if it cannot be read."""
    path = args.baseline
    if path is None and "baseline" in config.data:
        path = config.beside(config.data["baseline"])
    if path is None or args.write_baseline:
        return None
    from advisor.lint.suppress import BaselineError, read_baseline

    with refuse_on(BaselineError):
        return read_baseline(path)


def save_baseline(path: str, reported: list[tuple[Result, list[Finding]]]) -> None:
    """Accept these findings in the file `path`. CannotRun if it cannot be written."""
    from advisor.lint.suppress import baseline_text

    save_file(path, baseline_text(path, reported).encode())
    count = sum(len(findings) for _, findings in reported)
    print(f"{count} finding{'' if count == 1 else 's'} accepted in {path}")


def report_baseline(accepted: Baseline) -> None:
    if accepted.accepted:
        warn(f"{len(accepted.accepted)} accepted by {accepted.path}")
    gone = sum(accepted.gone.values())
    if gone:
        first = min(accepted.gone)
        others = f" and {gone - 1} more" if gone > 1 else ""
        warn(f"{accepted.path} accepts findings that no longer occur: {first.rule} at "
             f"{first.target or first.source or 'line'} of {first.file}{others}; --write-baseline {accepted.path} "
             "updates it")


def show_findings(
    args: argparse.Namespace, base: RuleBase, results: list[Result], shown: list[Finding], *,
    passed: list[NotJudged], config: str | None, render: Render | None = None, fixing: bool = True,
    unseen: Iterable[tuple[str, Iterable[str]]] | None = None, accepted: Baseline | None = None,
    stream: TextIO | None = None,
) -> None:
    """Print the findings `shown` of these results as `args` asks. `passed`: files that were not judged; `config`: the
    configuration file that was read; `render`: what writes them instead of the format that was asked for; `fixing`:
    whether the command can fix them; `unseen`: of a host, why something could not be seen, and what;
    `accepted`: the baseline in force; `stream`: standard output if None."""
    files = {result.name: result for result in results}

    def line(name: str, number: int) -> str:
        return str(files[name].line(number))

    def proof(finding: Finding) -> list[Block]:
        from advisor.lint.evidence import evidence
        from advisor.pages.rule_pages import finding_proof

        return finding_proof(base, finding, evidence(files[finding.file], finding), line)

    colour = args.output_format == "text" and wants_colour(args.color)
    silent = [silenced for result in results for silenced in result.silenced]
    if accepted is not None:
        silent += [Silenced(finding, f"accepted in {accepted.path}", elsewhere=True) for finding in accepted.accepted]
    context = FindingContext(
        line=line,
        citation=lambda claim: cite(base, claim),
        rule=lambda name: rule_facts(base, name),
        proof=proof, version=__version__, verbose=args.verbose, columns=columns(), fixing=fixing,
        style=Style(colour, has_links(os.environ)), silenced=silent,
    )
    summary = _summary(base, results, shown, passed, config)
    if unseen is not None:
        summary["unseen"] = [{"what": what, "reason": why} for why, several in unseen for what in several]
    out = stream or sys.stdout
    if render is None and args.output_format == "text":
        from advisor.pages.formats.text import pieces

        out.writelines(pieces(shown, summary, context))
    else:
        out.write((render or renderer(args.output_format))(shown, summary, context))


def _summary(
    base: RuleBase, results: list[Result], shown: list[Finding], passed: list[NotJudged], config: str | None
) -> Summary:
    counts = Counter(finding.severity for finding in shown)
    fixes = Counter(finding.fix.safety for finding in shown if finding.fix is not None)
    return {
        "files": [result.name for result in results], "not_judged": passed, "config": config,
        "nfs_lines": sum(result.nfs_lines for result in results),
        "errors": counts["error"], "warnings": counts["warning"], "notes": counts["note"],
        "suppressed": sum(len(result.silenced) for result in results),
        "suppressions": [suppression for result in results for suppression in result.suppressions()],
        "fixable": fixes["safe"], "fixable_unsafe": fixes["unsafe"],
        "inferred": _inferred_platforms(base, results, shown),
        "open": [
            {"file": result.name, "line": setting.line, "tunable": setting.tunable, "depends_on": list(setting.facts)}
            for result in results for setting in result.open
        ],
        "question": _question(base, results),
    }


def _inferred_platforms(base: RuleBase, results: Iterable[Result], shown: Iterable[Finding]) -> list[Inferred]:
    """Platforms that were only inferred, from a server's name or a mount's type, and that findings rest on."""
    resting = {(f.file, f.line): None for f in shown if f.confidence != "high"}
    files = {result.name: result for result in results}
    places: dict[int, list[LinePlace]] = grouped(
        (judged.inferred_platform, {"file": file, "line": line}) for file, line in resting
        if (judged := files[file].judged.get(line)) and judged.inferred_platform is not None
    )
    titles = {platform.platform: platform.title for platform in base.platforms}
    values = {mask: base.engine.describe(PLATFORM, mask) for mask in places}
    return [
        {"fact": PLATFORM, "value": values[mask], "title": titles.get(values[mask], values[mask]),
         "places": line_places}
        for mask, line_places in places.items()
    ]


def _question(base: RuleBase, results: list[Result]) -> OpenQuestion | None:
    """The question about the fact that most open settings depend on; None if nothing is open."""
    votes: Counter[str] = Counter()
    for result in results:
        votes.update(result.votes)
    if not votes:
        return None
    # A fact that means nothing before another one is known waits for it; of equals the first is the most telling one.
    asked = [fact for fact in votes if votes.keys().isdisjoint(facts_in(base.facts[fact].applies))]
    fact = max(asked or votes, key=votes.__getitem__)
    definition = base.facts[fact]
    some = list(definition.values or definition.examples or ())
    example = "yes|no" if definition.type == "bool" else "|".join([*some[:2], "…"]) if len(some) > 1 else "VALUE"
    return {
        "open_settings": sum(len(result.open) for result in results), "fact": fact,
        "question": definition.ask or definition.says, "concerns": votes[fact], "example": example,
    }


def show_statistics(args: argparse.Namespace, base: RuleBase, shown: Iterable[Finding]) -> None:
    """Print how often each rule found something, the most frequent first, as a table or as JSON."""
    counts: Counter[tuple[str, str]] = Counter()
    fixable: Counter[tuple[str, str]] = Counter()
    for finding in shown:
        counts[finding.rule, finding.severity] += 1
        fixable[finding.rule, finding.severity] += finding.fix is not None
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if args.output_format == "json":
        print_json({"schema": STATISTICS_SCHEMA, "statistics": [
            {"rule": rule, "severity": severity, "count": count, "fixable": fixable[rule, severity]}
            for (rule, severity), count in rows
        ]})
        return
    if not rows:
        sys.stdout.write("no findings\n")
        return
    digits = len(str(rows[0][1]))
    names = max(len(rule) for (rule, _), _ in rows)
    for (rule, severity), count in rows:
        line = f"{count:>{digits}}  {severity:<7}  {rule:<{names}}  {rule_facts(base, rule)['title']}"
        sys.stdout.write(line.rstrip() + "\n")
    fixed = sum(fixable.values())
    if fixed:
        sys.stdout.write(f"{fixed} of {sum(counts.values())} have a fix: --fix, --unsafe-fixes\n")
