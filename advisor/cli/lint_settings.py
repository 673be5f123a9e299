"""The settings for one linted file, from the command line and the configuration file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from advisor.cli.common import CannotRun, save_file
from advisor.cli.fact_options import certain_state, given_facts, host_facts, read_facts_file, tree_of, typed_facts
from advisor.lint.finding import INTERNAL, SEVERITIES, at_least
from advisor.lint.rule_index import as_client
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.pages.escape import visible
from advisor.sections import SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.config import Config, Table
    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.read_together import Beside
    from advisor.lint.rule_index import RuleIndex
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.sections import Section


def add_choice_options(top: argparse.ArgumentParser, *, failing: bool = True) -> None:
    """Add the options that choose findings; `failing`: also --fail-on, which decides the exit code."""
    from argparse import BooleanOptionalAction  # not needed where only files are named

    top.add_argument("--select", action="append", default=[], metavar="RULE,…",
                     help="only these rules; names may contain * (nconnect/*)")
    top.add_argument("--ignore", action="append", default=[], metavar="RULE,…", help="not these rules")
    top.add_argument("--min-severity", choices=SEVERITIES, help="show nothing less severe (default note)")
    if failing:
        top.add_argument("--fail-on", choices=SEVERITIES,
                         help="exit with 1 if a finding is at least this severe (default warning)")
    top.add_argument("--pedantic", action=BooleanOptionalAction, help="also report matters of house policy")
    top.add_argument("--profile", action="append", default=[], metavar="NAME,…",
                     help="also report what a security profile asks for: cis, scap, stig, or one of your own rules")


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
    sections: tuple[Section, ...] = ()

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
        file = read_facts_file(base, args)
        self.given = given_facts(base, args.facts_set, file)
        self.sections = (*_config_sections(base, config), *file.sections)
        self.made: dict[tuple[str, ...], Settings] = {}
        # Every table is read at once, so that a mistake shows whatever is linted.
        tables = [(str(config.name), config.data)]
        tables += [(f"{config.name}: path {n}", table) for n, table in enumerate(config.data.get("path", ()), 1)]
        for where, table in tables:
            self._refuse_unknown(where, table)
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
            facts |= typed_facts(self.base, table.get("facts", {}), where)
            levels |= table.get("severity", {})
            ignored += tuple(table.get("ignore", ()))
        last: Table = {key: value for _, table in tables for key, value in table.items()}
        args = self.args
        known = {**facts, **self.given}
        certain_state(self.base, known)  # refuse contradictory answers before any file is read
        if args.from_host or (self.by_root and args.root):
            known = {**self._host(known), **known}
        pedantic = last.get("pedantic", False) if args.pedantic is None else args.pedantic
        wanted = self.wanted or tuple(last.get("select", ()))
        chosen = self.profiles or tuple(last.get("profile", ()))
        named = (*wanted, *levels)
        profiles = frozenset(chosen)
        if named:
            profiles = profiles.union(
                *(check.profiles for name, check in self.base.checks.items() if check.profiles and matches(name, named))
            )
        return Settings(
            known, wanted, self.unwanted or ignored, tuple(levels.items()),
            args.min_severity or last.get("min_severity", "note"), args.fail_on or last.get("fail_on", "warning"),
            self._policies(pedantic, chosen), profiles, self.sections,
        )

    def _policies(self, pedantic: bool, profiles: tuple[str, ...]) -> frozenset[str]:
        if not pedantic and not profiles:
            return frozenset()
        return frozenset(
            name for name, check in self.base.checks.items()
            if (pedantic and check.policy) or any(profile in profiles for profile in check.profiles)
        )

    def _host(self, known: Mapping[str, Values]) -> dict[str, Values]:
        """The facts of the host beside `known`, as a client: a host with NFS lines in its fstab is one. Facts of scope
        server are left out, since they would describe this host, not the servers that it mounts from."""
        given = as_client(self.base, known)
        tree = tree_of(self.base, self.args.root if self.by_root else None)
        facts = host_facts(self.base, tree, given, platform=False).facts
        return {
            name: host_value.value for name, host_value in facts.items()
            if host_value.value is not None and self.base.facts[name].scope == "host"
        }

    def _refuse_unknown(self, where: str, table: Table) -> None:
        for key in ("select", "ignore", "severity"):
            _checked_patterns(self.base, list(table.get(key, ())), f"{where}: {key}")
        _checked_profiles(self.base, list(table.get("profile", ())), f"{where}: profile")
        typed_facts(self.base, table.get("facts", {}), where)


def _config_sections(base: RuleBase, config: Config) -> tuple[Section, ...]:
    """The sections of the configuration."""
    if "mounts" not in config.data:
        return ()
    from advisor.advice.answers_file import sections
    from advisor.config import table_places

    places = table_places(config.text, "mounts")

    def place(number: int, key: str) -> str:
        keys = places[number] if number < len(places) else {}
        line, column = keys.get(key) or keys.get("", (1, 1))
        return f"{config.name}:{line}:{column}"

    try:
        return sections(base, config.data["mounts"], place)
    except SectionError as error:
        raise CannotRun(str(error)) from None


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a rule's name fits one of the patterns."""
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
    if names:
        known = base.profiles
        for name in names:
            if name not in known:
                raise CannotRun(f"{option} {name}: unknown security profile; the profiles are {', '.join(known)}")
    return tuple(names)


def _checked_patterns(base: RuleBase, patterns: list[str], option: str) -> tuple[str, ...]:
    for pattern in patterns:
        if not any(matches(name, [pattern]) for name in base.rule_names):
            from advisor.rulebase.problems import near

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

    def judge(
        self, text: str | bytes, name: str, kind: str, beside: Sequence[Beside] = ()
    ) -> tuple[Result, list[Finding]]:
        """One file of this kind (advisor.files.kinds), and those of its findings to report."""
        settings = self.chooser.of(name)
        key = (id(settings), kind)
        try:
            result = lint_text(text, name, self.base, settings.known, self.indexes.get(key),
                               sections=settings.sections, kind=kind, profiles=settings.profiles, beside=beside)
        except SectionError as error:
            raise CannotRun(str(error)) from None
        self.indexes[key] = result.rule_index
        findings = settings.reported(result.findings)
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
    from advisor.lint.baseline import BaselineError, read

    try:
        return read(path)
    except BaselineError as error:
        raise CannotRun(str(error)) from None


def save_baseline(path: str, reported: list[tuple[Result, list[Finding]]]) -> None:
    """Accept these findings in the file `path`. CannotRun if it cannot be written."""
    from advisor.lint.baseline import text

    save_file(path, text(path, reported).encode())
    count = sum(len(findings) for _, findings in reported)
    print(f"{count} finding{'' if count == 1 else 's'} accepted in {path}")


def report_baseline(accepted: Baseline) -> None:
    """Report the effect of the baseline on standard error."""
    if accepted.accepted:
        print(f"advisor: {len(accepted.accepted)} accepted by {visible(accepted.path)}", file=sys.stderr)
    gone = sum(accepted.gone.values())
    if gone:
        first = min(accepted.gone)
        others = f" and {gone - 1} more" if gone > 1 else ""
        print(
            f"advisor: {visible(accepted.path)} accepts findings that no longer occur: {visible(first.rule)} at "
            f"{visible(first.target or first.source or 'line')} of {visible(first.file)}{others}; "
            f"--write-baseline {visible(accepted.path)} updates it", file=sys.stderr,
        )
