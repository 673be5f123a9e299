"""`advisor rules test | new`: an administrator's own rules."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from advisor.cli.common import CannotRun, rule_base


def configure(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the two subcommands."""
    says = "test the examples of your own rules together with the shipped rules; exit code 1 if one fails"
    one = what.add_parser("test", help=says, description=says, allow_abbrev=False)
    one.add_argument("folder", nargs="?", metavar="DIR", help="the folder with your rules; default: the shipped ones")
    says = "write a template for your own rule"
    one = what.add_parser("new", help=says, description=says, allow_abbrev=False)
    one.add_argument("kind", choices=("decision", "check", "erratum"), metavar="KIND", help="what to write")
    one.add_argument("name", metavar="NAME", help="of a decision: the tunable, such as mount.nconnect; else a new name")
    one.add_argument("--into", metavar="DIR", default=".", help="the folder with your rules (default: this one)")


def test(folder: str) -> int:
    """Verify a pack and print what is wrong with it."""
    from advisor.rulebase.model import RuleBaseError
    from advisor.verify.report import verify_pack

    try:
        report = verify_pack(folder)
    except RuleBaseError as error:
        raise CannotRun(*error.messages) from None
    for problem in report.problems:
        print(problem)
    for note in report.notes:
        print(f"note: {note}")
    count = len(report.problems)
    print(f"{report.size or folder}: {count or 'no'} problem{'' if count == 1 else 's'}")
    return int(bool(count))


def new(args: argparse.Namespace) -> int:
    """Write the template files; never over one that is there."""
    from advisor.rulebase import templates

    _refuse(args.kind, args.name)
    folder = Path(args.into)
    files = templates.files(args.kind, args.name, args.into)
    shared = f"{templates.SOURCE}.yaml"
    for name in files:
        if name != shared and (folder / name).exists():
            raise CannotRun(f"{folder / name}: already exists")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            if name == shared and (folder / name).exists():
                continue
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
            print(folder / name)
    except OSError as error:
        raise CannotRun(f"{error.filename}: cannot be written: {error.strerror}") from None
    print(f"Fill in every TODO; then `advisor rules test {args.into}` and `advisor lint --rules {args.into}`.")
    return 0


def _refuse(kind: str, name: str) -> None:
    from advisor.rulebase.problems import near

    base = rule_base()
    if kind == "decision":
        if name not in base.tunables:
            hint = near(name, base.tunables, "`advisor rules list` lists the decisions")
            raise CannotRun(f"unknown tunable {name!r}; {hint}")
    elif not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise CannotRun(f"{name!r}: use lower-case letters, digits and single hyphens, such as no-bg-mounts")
    elif name in base.rule_names:
        raise CannotRun(f"{name!r} is already the name of a rule")
