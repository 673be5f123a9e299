"""What commands share: refusing to run, the configuration of a site, and the rule base."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from advisor.cli.terminal import warn
from advisor.config import Config, ConfigError, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.rulebase.model import RuleBase


class CannotRun(Exception):
    """The command cannot do its work; `lines` say what is wrong and what to do. Exit code 2."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines


def not_installed(what: str, extra: str, *instead: str) -> CannotRun:
    """What to raise for `what`, a sentence on a missing package that an extra of advisor brings. The program is on no
    package index, so only a checkout is named."""
    return CannotRun(what, "; ".join([f"pip install '.[{extra}]' in a checkout of advisor installs it", *instead]))


def save_file(path: str, content: bytes) -> None:
    """Write a file, whole or not at all. CannotRun if it cannot be written."""
    from advisor.atomic import WriteError, save

    try:
        save(path, content)
    except WriteError as error:
        raise CannotRun(str(error)) from None


def add_site_options(top: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--config, --no-config and --rules, in a group that may hold more."""
    site = top.add_argument_group("for a site")
    site.add_argument("--config", metavar="FILE",
                      help="configuration (default advisor.toml, here or above in the repository, else "
                           "/etc/advisor/config.toml)")
    site.add_argument("--no-config", action="store_true", help="read no configuration file")
    site.add_argument("--rules", action="append", default=[], metavar="DIR", help="a folder with your own rules")
    return site


def site_arguments(args: argparse.Namespace) -> list[str]:
    """The same options for another process of this program, started in the same folder."""
    given = [f"--rules={folder}" for folder in args.rules]
    given += [f"--config={args.config}"] if args.config else []
    return [*given, "--no-config"] if args.no_config else given


def configuration(args: argparse.Namespace) -> Config:
    """The configuration in force. CannotRun if it cannot be used."""
    if args.config and args.no_config:
        raise CannotRun("--config and --no-config: give only one of them")
    try:
        return find(args.config, args.no_config)
    except ConfigError as error:
        raise CannotRun(str(error)) from None


def rule_folders(args: argparse.Namespace, config: Config) -> list[str]:
    """The folders with the site's own rules: those of the command line, else those of the configuration."""
    return args.rules or [config.beside(folder) for folder in config.data.get("rules", ())]


def announced_rule_folders(args: argparse.Namespace) -> list[str]:
    """The same, with a remark where they come from a configuration file that the command line does not name."""
    config = configuration(args)
    folders = rule_folders(args, config)
    if folders and not args.rules and not args.config:
        warn(f"rules from {config.name}")
    return folders


def rule_base(folders: Sequence[str] = ()) -> RuleBase:
    """The compiled rule base, with the site's own rules in these folders. CannotRun with every fault it has."""
    from advisor.rulebase.base import expired, load
    from advisor.rulebase.model import RuleBaseError

    try:
        base = load(packs=folders, compiling=_say_compiling)
    except RuleBaseError as error:
        whose = f"the rules in {' and '.join(folders)} cannot be used:" if folders else "the rule base is broken:"
        raise CannotRun(whose, *(f"  {line}" for line in error.messages)) from None
    for folder in folders:
        for path, day in expired(folder).items():
            warn(f"{path}: valid until {day}, so it is left out; measure again, or delete it")
    return base


def _say_compiling() -> None:
    if sys.stderr.isatty():
        warn("compiling the rules, as after each change of them; this can take half a minute")


def site_rule_base(args: argparse.Namespace) -> RuleBase:
    """The rule base with the site's own rules, as these arguments and the configuration name them. CannotRun."""
    return rule_base(announced_rule_folders(args))
