"""`advisor completion SHELL`: a completion script (by shtab)."""

from __future__ import annotations

import argparse
from importlib import import_module


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="write it where this shell looks for completions")


def run(args: argparse.Namespace) -> int:
    import shtab

    print(shtab.complete(whole_parser(), args.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """All commands in one parser, for completion and for the reference pages."""
    from advisor.cli import COMMANDS
    from advisor.cli.common import parser

    top = parser("advisor", "Checks NFS configuration and explains every recommendation.")
    top.add_argument("--version", action="store_true", help="print the version")
    subparsers = top.add_subparsers(metavar="COMMAND")
    for name, says in COMMANDS.items():
        command = subparsers.add_parser(name, help=says, description=says, allow_abbrev=False)
        import_module(f"advisor.cli.{name.replace('-', '_')}").configure(command)
    return top
