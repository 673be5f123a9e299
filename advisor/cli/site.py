"""What holds for a site: its configuration file and its own rules, the same for every command that reads rules."""

from __future__ import annotations

import argparse
import sys

from advisor.cli.common import CannotRun, rule_base
from advisor.config import Config, ConfigError, find
from advisor.document.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase


def add_site_options(top: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--config, --no-config and --rules, in a group that may hold more."""
    site = top.add_argument_group("for a site")
    site.add_argument("--config", metavar="FILE",
                      help="configuration (default advisor.toml, here or above in the repository, else "
                           "/etc/advisor/config.toml)")
    site.add_argument("--no-config", action="store_true", help="read no configuration file")
    site.add_argument("--rules", action="append", default=[], metavar="DIR", help="a folder with your own rules")
    return site


def configuration(args: argparse.Namespace) -> Config:
    """The configuration in force. CannotRun where it cannot be used."""
    if args.config and args.no_config:
        raise CannotRun("--config and --no-config: give only one of them")
    try:
        return find(args.config, args.no_config)
    except ConfigError as error:
        raise CannotRun(str(error)) from None


def packs(args: argparse.Namespace, config: Config) -> list[str]:
    """The folders with the site's own rules: those of the command line, else those of the configuration."""
    return args.rules or [config.beside(folder) for folder in config.data.get("rules", ())]


def site_packs(args: argparse.Namespace) -> list[str]:
    """`packs` under the configuration in force. Where nobody named that file, standard error tells that it counts."""
    config = configuration(args)
    folders = packs(args, config)
    if folders and not args.rules and not args.config:
        print(f"advisor: rules from {visible(str(config.name))}", file=sys.stderr)
    return folders


def site_base(args: argparse.Namespace) -> RuleBase:
    """The rule base with the site's own rules in it. CannotRun, with every fault, where they cannot be used."""
    return rule_base(site_packs(args))


def passed_on(args: argparse.Namespace) -> list[str]:
    """The options for another process of this program, started in the same folder."""
    given = [f"--rules={folder}" for folder in args.rules]
    given += [f"--config={args.config}"] if args.config else []
    return [*given, "--no-config"] if args.no_config else given
