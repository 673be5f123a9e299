"""`advisor lint --show-config`: the settings for the linted files, each with its origin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from advisor.cli.fact_options import flatten
from advisor.pages.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.cli.lint_settings import Chooser, Settings
    from advisor.sections import Section

    Row = tuple[str, object, str]
    """Key, value, and where it is from."""

DEFAULT = "default"


def show_config(chooser: Chooser, names: Sequence[str]) -> None:
    """Print the settings of these files as TOML, with the origin of each as a comment. Files with the same settings
    are shown once; each group is a complete TOML document."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        groups.setdefault(tuple(where for where, _ in chooser.config.tables(name)), []).append(name)
    config = chooser.config.name
    lines = [f"# configuration: {'none' if config is None else visible(config)}"]
    for several in groups.values():
        lines += ["", *(f"# {visible(name)}" for name in several), *_group(chooser, several[0])]
    sys.stdout.write("\n".join(lines) + "\n")


def _group(chooser: Chooser, name: str) -> Iterator[str]:
    settings = chooser.of(name)
    yield from _table(_keys(chooser, name, settings))
    facts = [(fact, value, _origin(chooser, name, fact)) for fact, value in sorted(settings.known.items())]
    if facts:
        yield from ("", "[facts]", *_table(facts))
    levels = {
        rule: (level, where)
        for where, table in chooser.config.tables(name) for rule, level in table.get("severity", {}).items()
    }
    if levels:
        yield from ("", "[severity]", *_table((rule, level, where) for rule, (level, where) in levels.items()))
    for section in settings.sections:
        yield from ("", *_section(section))


def _keys(chooser: Chooser, name: str, settings: Settings) -> Iterator[Row]:
    """The keys other than tables. Unset lists and files are left out."""
    args, config = chooser.args, chooser.config
    keys: dict[str, object] = {}
    origins: dict[str, str] = {}
    for where, table in config.tables(name):
        for key, value in table.items():
            keys[key] = value
            origins[key] = f"{origins[key]} and {where}" if key == "ignore" and key in origins else where
    rules = [config.beside(folder) for folder in config.data.get("rules", ())]
    baseline = config.beside(config.data["baseline"]) if "baseline" in config.data else None
    pedantic = keys.get("pedantic", False) if args.pedantic is None else args.pedantic
    for key, value, option in (
        ("select", settings.wanted, args.select),
        ("ignore", settings.unwanted, args.ignore),
        ("min_severity", settings.min_severity, args.min_severity),
        ("fail_on", settings.fail_on, args.fail_on),
        ("pedantic", pedantic, args.pedantic),
        ("profile", chooser.profiles or keys.get("profile", ()), args.profile),
        ("rules", args.rules or rules, args.rules),
        ("baseline", args.baseline or baseline, args.baseline),
    ):
        if value not in (None, (), []):
            given = option is not None and option != []
            flag = "no-pedantic" if option is False else key.replace("_", "-")
            yield key, value, f"--{flag}" if given else origins.get(key, DEFAULT)


def _origin(chooser: Chooser, name: str, fact: str) -> str:
    """Where a fact was given."""
    args = chooser.args
    if fact in chooser.given:
        is_set = any(assignment.partition("=")[0].strip() == fact for assignment in args.facts_set)
        return "--set" if is_set else str(args.facts)
    for where, table in reversed(list(chooser.config.tables(name))):
        if fact in flatten(table.get("facts", {})):
            return where
    return "this host" if args.from_host and not args.root else str(args.root)


def _section(section: Section) -> Iterator[str]:
    yield f"[[mounts]]  # {visible(section.place)}"
    for key, value in (*section.names.items(), *section.facts.items()):
        yield f"{_name(key)} = {_value(value)}"


def _table(rows: Iterable[Row]) -> Iterator[str]:
    """Lines of TOML with their origins one below the other."""
    written = [(f"{_name(key)} = {_value(value)}", where) for key, value, where in rows]
    widest = max((len(text) for text, _ in written), default=0)
    return (f"{text:<{widest}}  # {visible(where)}" for text, where in written)


def _name(key: str) -> str:
    """A key of TOML: in quotes where it holds more than letters, digits, - and _."""
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else _value(key)


def _value(value: object) -> str:
    """A value in TOML, with control characters escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text) + '"'
