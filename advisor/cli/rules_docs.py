"""`advisor rules docs`: a page for each check, decision and erratum."""

from __future__ import annotations

import argparse
from pathlib import Path

from advisor.cli.common import CannotRun, rule_base


def configure(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    says = "write a page for each check, decision and erratum, and an index"
    one = what.add_parser("docs", help=says, description=says, allow_abbrev=False)
    one.add_argument("--write-to", metavar="DIR", required=True, help="folder for the pages; removes outdated ones")


def run(args: argparse.Namespace) -> int:
    """Write the pages; pages of this command that are there and no longer wanted are removed."""
    from advisor.cli.rules_pages import MARK, pages

    folder = Path(args.write_to)
    wanted = pages(rule_base())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.md"):
            if path.stem not in wanted and MARK in path.read_text(encoding="utf-8"):
                path.unlink()
        for name, text in wanted.items():
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRun(f"--write-to {folder}: {error}") from None
    print(f"{len(wanted)} pages in {folder}")
    return 0
