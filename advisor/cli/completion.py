"""`advisor completion SHELL`: a completion script, made by shtab. The script calls `advisor completion --words KIND`
for the names of facts, settings and rules, so that they are those of the installed program."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from advisor.cli import COMMANDS, configure_command
from advisor.cli.options import rule_base
from advisor.cli.parser import parser, subcommand
from advisor.rulebase.model import RuleBase

OWN = ("bash", "zsh")
"""Shells to whose scripts a file in this folder is added."""
SHELLS = ("bash", "zsh", "fish", "tcsh")
OFFERED = {
    "FACT=VALUE": "facts", "SETTING=VALUE": "settings", "SETTING=A,B": "factors", "TUNABLE": "tunables",
    "SETTING": "settings", "RULE,…": "rules", "NAME,…": "profiles", "ID": "cited", "SOURCE": "sources",
    "TOPIC": "names",
}
"""Metavar of an argument → the kind of words to offer for it."""
PATHS = ("FILE", "DIR", "ARCHIVE", "BUNDLE", "TREE", "PLAN", "RESULT", "TARGET")
"""Parts of the metavars of arguments for which files are offered."""


def configure(top: argparse.ArgumentParser) -> None:
    what = top.add_mutually_exclusive_group(required=True)
    what.add_argument("shell", nargs="?", choices=SHELLS, metavar="SHELL",
                      help=f"print the script for this shell: {', '.join(SHELLS)}")
    what.add_argument("--words", choices=sorted(set(OFFERED.values())), help="print the words that a script offers")
    top.add_argument("--typed", default="", metavar="TEXT", help="with --words: what is typed so far, such as `a,b`")


def run(args: argparse.Namespace) -> int:
    if args.words:
        print("\n".join(dict.fromkeys(completions(rule_base(), args.words, args.typed))))
        return 0
    import shtab

    top = whole_parser()
    helping = next(action for action in top._actions if isinstance(action, argparse._SubParsersAction)).add_parser(
        "help", help="what a command does, and its options", add_help=False)
    helping.add_argument("command", nargs="?", choices=tuple(COMMANDS))
    _set_completers(top)
    own = f"\n{files('advisor.cli').joinpath(f'completion.{args.shell}').read_text()}" if args.shell in OWN else ""
    script = shtab.complete(top, args.shell, preamble=own if args.shell == "zsh" else "")
    print(f"{script}\n{own}" if args.shell == "bash" else script)
    return 0


def _set_completers(top: argparse.ArgumentParser) -> None:
    """Tell shtab which words, or files, to offer for each argument of a parser and of those below it."""
    import shtab

    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _set_completers(below)
        elif action.choices is None and action.nargs != 0:
            named = str(action.metavar or "")
            # shtab looks for this attribute, which argparse does not have
            if named in OFFERED:
                setattr(action, "complete", _shell_commands(OFFERED[named]))  # noqa: B010
            elif any(word in named for word in PATHS):
                setattr(action, "complete", shtab.FILE)  # noqa: B010


def _shell_commands(kind: str) -> dict[str, object]:
    """Shell → the code that asks for the words of a kind, in the form of `shtab.cmd`."""
    ask = f"advisor completion --words {kind} --typed="
    return {
        "bash": f"_advisor_{kind}",
        "zsh": f" _advisor_words {kind}",
        "fish": f"({ask}(commandline -ct | string replace -r '^--[a-z-]*=' ''))",
        "tcsh": f"`{ask}`",
        "preamble": {"bash": f'_advisor_{kind}() {{ compgen -W "$({ask}"$1" 2>/dev/null)" -- "$1"; }}'},
    }


def completions(base: RuleBase, kind: str, typed: str) -> Iterator[str]:
    """The words of a kind that can complete `typed`. In a list, `a,b`, they complete its last item: another name, or
    another value of the same setting."""
    if "," not in typed:
        yield from words(base, kind)
        return
    before = typed.rpartition(",")[0]
    name, valued, values = before.partition("=")
    start = f"{name}=" if valued else ""
    used = (values if valued else before).split(",")
    for word in words(base, kind):
        if word.startswith(start) and "=" not in (rest := word[len(start):]) and rest not in used:
            yield f"{before},{rest}"


def words(base: RuleBase, kind: str) -> Iterator[str]:
    """The names of a kind, each fact and setting also with each value that it lists."""
    if kind == "facts":
        yield from _with_values({name: fact.values or () for name, fact in base.facts.items()})
    elif kind in ("settings", "factors", "tunables"):
        plain = kind == "tunables"
        values = {name: () if plain else tunable.values or () for name, tunable in base.tunables.items()}
        options = {name[len("mount."):]: listed for name, listed in values.items() if name.startswith("mount.")}
        yield from (*_with_values(values), *_with_values(options))
    else:
        yield from {
            "profiles": base.profiles, "rules": base.rule_names, "sources": base.sources,
            "cited": (*base.claims, *base.sources),
            "names": (*base.checks, *base.errata, *base.tunables, *base.facts, *base.claims),
        }[kind]


def _with_values(named: Mapping[str, Iterable[object]]) -> Iterator[str]:
    for name, values in named.items():
        yield name
        yield from (f"{name}={value}" for value in values if " " not in str(value))


def whole_parser() -> argparse.ArgumentParser:
    """All commands in one parser, for completion and for the reference pages."""
    top = parser("advisor", "Checks NFS configuration and explains every recommendation.")
    top.add_argument("--version", action="store_true", help="print the version")
    subparsers = top.add_subparsers(metavar="COMMAND")
    for name, says in COMMANDS.items():
        configure_command(name, subcommand(subparsers, name, says))
    return top
