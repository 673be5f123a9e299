"""`advisor rules list | verify | test | schema | new`: what is in the rule base, whether it is sound, how its files
look, and a template for your own. `advisor completion SHELL`: a completion script, made by shtab, which calls `advisor
completion --words KIND` for the names of facts, settings and rules, so that they are those of the installed program."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from advisor.cli import COMMANDS, configure_command
from advisor.cli.options import add_site_options, rule_base, site_rule_base
from advisor.cli.parser import parser, subcommand
from advisor.cli.terminal import CannotRun, print_json
from advisor.rulebase.model import Check, Erratum, RuleBase, RuleBaseError
from advisor.rulebase.spelling import near

if TYPE_CHECKING:
    from advisor.verify import Report

SOURCE = "site-policy"
KINDS = ("decision", "check", "erratum")


def configure(top: argparse.ArgumentParser) -> None:
    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    command = subcommand(what, "list", "every rule, check and erratum, with layer, value, strength and title")
    command.add_argument("names", nargs="*", metavar="NAME",
                         help="only these: an area (mount, sysctl, checks …), a tunable (mount.nconnect or nconnect), "
                              "or a rule")
    command.add_argument("--facts", action="store_true", help="list the facts that rules use instead")
    command.add_argument("--output-format", choices=("text", "json"), default="text")
    add_site_options(command)
    says = "check all of rules/ and kb/ and report the problems; exit code 1 if there are any"
    command = subcommand(what, "verify", says)
    command.add_argument("--root", metavar="DIR",
                         help="the folder that contains rules/ and kb/ (default: the one in use)")
    command.add_argument("--rules", metavar="DIR", help="check a folder of your own rules, like `advisor rules test`")
    command = subcommand(what, "schema", "the JSON Schema of a kind of file, for editors")
    command.add_argument("kind", nargs="?", metavar="KIND", help="decision, check, claims …; none: list the kinds")
    command.add_argument("--write-to", metavar="DIR", help="write KIND.schema.json there; without KIND, all of them")

    says = "test the examples of your own rules together with the shipped rules; exit code 1 if one fails"
    command = subcommand(what, "test", says)
    command.add_argument("folder", nargs="?", metavar="DIR",
                         help="the folder with your rules; default: the shipped ones")
    command = subcommand(what, "new", "write a template for your own rule")
    command.add_argument("kind", choices=KINDS, metavar="KIND", help="decision, check or erratum")
    command.add_argument("name", metavar="NAME",
                         help="of a decision: the tunable, such as mount.nconnect; else a new name")
    command.add_argument("--into", metavar="DIR", default=".", help="the folder with your rules (default: this one)")


def run(args: argparse.Namespace) -> int:
    if args.what == "list":
        return _list(args)
    if args.what == "schema":
        return _schema(args.kind, args.write_to)
    if args.what == "new":
        return write_template(args)
    root, folder = (None, args.folder) if args.what == "test" else (args.root, args.rules)
    if root is not None and folder is not None:
        raise CannotRun("--root and --rules: give only one of them")
    return _verify(root) if folder is None else _verify_pack(folder)


Row = tuple[list[str], dict[str, object]]
"""The words that select an entry, and what is listed of it."""


def _list(args: argparse.Namespace) -> int:
    base = site_rule_base(args)
    rows = _facts(base) if args.facts else _rules(base)
    if args.names:
        rows = [row for row in rows if any(name in row[0] for name in args.names)]
        unknown = [name for name in args.names if not any(name in row[0] for row in rows)]
        if unknown:
            known = {word for words, _ in (*_rules(base), *_facts(base)) for word in words}
            hint = near(unknown[0], known, "`advisor rules list` shows all of them")
            raise CannotRun(f"no rule, tunable or area is called {unknown[0]!r}; {hint}")
    if args.output_format == "json":
        print_json([entry for _, entry in rows])
    else:
        columns = ("id", "scope", "type", "says") if args.facts else ("id", "layer", "value", "strength", "title")
        _table([[_cell(entry[column]) for column in columns] for _, entry in rows])
    return 0


def _rules(base: RuleBase) -> list[Row]:
    rows: list[Row] = []
    for tunable, decision in base.decisions.items():
        names = [tunable, tunable.partition(".")[2], tunable.partition(".")[0], decision.file.split("/")[1]]
        rows += [
            ([*names, rule.id], {
                "id": rule.id, "kind": "rule", "decision": tunable, "layer": rule.layer, "value": rule.value,
                "strength": rule.strength, "title": base.tunables[tunable].title, "file": rule.file or decision.file,
            })
            for rule in decision.rules.values()
        ]
    others: list[tuple[str, str, Check | Erratum]] = [
        *(("check", slug, check) for slug, check in base.checks.items()),
        *(("erratum", slug, erratum) for slug, erratum in base.errata.items()),
    ]
    rows += [
        ([slug, entry.file.split("/")[1]], {
            "id": slug, "kind": kind, "decision": None, "layer": kind, "value": None, "strength": entry.strength,
            "title": entry.title, "file": entry.file,
        })
        for kind, slug, entry in others
    ]
    return sorted(rows, key=lambda row: (row[1]["kind"] != "rule", str(row[1]["file"]), str(row[1]["id"])))


def _facts(base: RuleBase) -> list[Row]:
    rows: list[Row] = []
    for name, fact in base.facts.items():
        kind = " | ".join(fact.values or ()) or fact.type + (f" ({fact.unit})" if fact.unit else "")
        rows.append(([name, name.partition(".")[0], str(fact.section)], {
            "id": name, "scope": fact.scope, "type": kind, "says": fact.says, "section": fact.section, "ask": fact.ask,
        }))
    return rows


def _table(rows: Sequence[Sequence[str]]) -> None:
    widths = [min(max(map(len, column)), 40) for column in zip(*rows)][:-1]
    for row in rows:
        padded = (text.ljust(width) for text, width in zip(row, widths))
        sys.stdout.write("  ".join((*padded, row[-1])).rstrip() + "\n")


def _cell(value: object) -> str:
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _verify(root: str | None) -> int:
    start = perf_counter()
    from advisor.verify import verify

    report = verify(root)
    if report is None:
        raise CannotRun(f"{root or 'the program'}: no rule base here; a folder with rules/ and kb/ is needed")
    return _print_report(report, report.size, f" ({perf_counter() - start:.2f} s)")


def _verify_pack(folder: str) -> int:
    from advisor.verify import verify_pack

    try:
        report = verify_pack(folder)
    except RuleBaseError as error:
        raise CannotRun(*error.messages) from None
    return _print_report(report, report.size or folder)


def _print_report(report: Report, size: str, took: str = "") -> int:
    for problem in report.problems:
        print(problem)
    for note in report.notes:
        print(f"note: {note}")
    count = len(report.problems)
    print(f"{size}: {count or 'no'} problem{'' if count == 1 else 's'}{took}")
    return int(bool(count))


def _schema(kind: str | None, folder: str | None) -> int:
    from advisor.rulebase.schema import kinds, schema

    known = kinds()
    if kind is not None and kind not in known:
        hint = near(kind, known, f"kinds: {', '.join(known)}")
        raise CannotRun(f"unknown kind of file {kind!r}; {hint}")
    if folder is not None:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
            for name in [kind] if kind else known:
                text = json.dumps(schema(name), indent=2, ensure_ascii=False) + "\n"
                Path(folder, f"{name}.schema.json").write_text(text, encoding="utf-8")
        except OSError as error:
            raise CannotRun(f"--write-to {folder}: {error.strerror}") from None
    elif kind is not None:
        print_json(schema(kind))
    else:
        for name, (pattern, _) in known.items():
            print(f"{name:<14}{pattern}")
    return 0


def write_template(args: argparse.Namespace) -> int:
    """Write the template files. CannotRun if one of them exists."""
    _check_name(args.kind, args.name)
    folder = Path(args.into)
    made = _files(args.kind, args.name, args.into)
    shared = f"{SOURCE}.yaml"
    for name in made:
        if name != shared and (folder / name).exists():
            raise CannotRun(f"{folder / name}: already exists")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            if name == shared and (folder / name).exists():
                continue
            with (folder / name).open("x", encoding="utf-8") as file:
                file.write(text)
            print(folder / name)
    except OSError as error:
        raise CannotRun(f"{error.filename}: cannot be written: {error.strerror}") from None
    print(f"Fill in every TODO; then `advisor rules test {args.into}` and `advisor lint --rules {args.into}`.")
    return 0


def _check_name(kind: str, name: str) -> None:
    base = rule_base()
    if kind == "decision":
        if name not in base.tunables:
            hint = near(name, base.tunables, "`advisor rules list` lists the decisions")
            raise CannotRun(f"unknown tunable {name!r}; {hint}")
    elif not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise CannotRun(f"{name!r}: use lower-case letters, digits and single hyphens, such as no-bg-mounts")
    elif name in base.rule_names:
        raise CannotRun(f"{name!r} is already the name of a rule")


def _files(kind: str, name: str, folder: str) -> dict[str, str]:
    """File name → text, of a new `kind` (one of KINDS) called `name` in `folder`.

    The last file, the source, serves all rules of the folder and is written only where it is missing."""
    short = name.partition(".")[2].lower() if kind == "decision" else name
    claim = f"{SOURCE}.{re.sub(r'[^a-z0-9.-]', '-', short)}"
    made = {f"{name}.yaml": kind, f"claims-{name}.yaml": "claim", f"{SOURCE}.yaml": "source"}
    words = {"name": name, "short": short, "claim": claim, "folder": folder, "source": SOURCE}
    templates = files("advisor.cli") / "new"
    return {
        file: (templates / f"{template}.template").read_text(encoding="utf-8").format(**words)
        for file, template in made.items()
    }


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


def configure_completion(top: argparse.ArgumentParser) -> None:
    what = top.add_mutually_exclusive_group(required=True)
    what.add_argument("shell", nargs="?", choices=SHELLS, metavar="SHELL",
                      help=f"print the script for this shell: {', '.join(SHELLS)}")
    what.add_argument("--words", choices=sorted(set(OFFERED.values())), help="print the words that a script offers")
    top.add_argument("--typed", default="", metavar="TEXT", help="with --words: what is typed so far, such as `a,b`")


def run_completion(args: argparse.Namespace) -> int:
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
