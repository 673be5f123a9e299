"""The options that commands share, and what they name: the configuration and the rules of a site (--config, --rules),
what is known (--set, --facts), and a host (--root)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.cli.terminal import CannotRun, ProgressLine, refuse_on, warn
from advisor.config import Config, ConfigError, find
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from advisor.check.facts import HostFacts
    from advisor.engine import State
    from advisor.host.tree import Tree
    from advisor.probe.result import Probed
    from advisor.rulebase.model import RuleBase, Values
    from advisor.sections import Section

    Namespace = argparse.Namespace
else:
    Namespace = object

OBSERVED = ("found", "until", "observed")
"""Keys of a file of facts beside the facts: see docs/observe.md."""


class FileFacts(NamedTuple):
    """The file of --facts. `facts`: of all mounts; `found`: those of them that were observed → when and how;
    `sections`: for some mounts."""

    facts: Mapping[str, Values] = {}
    found: Mapping[str, str] = {}
    sections: tuple[Section, ...] = ()


class Words(Namespace):
    """What a command line says that has words alone. Importing argparse and making its parser would take a tenth of a
    short run, so this stands in for the parser, and keeps what each option is without a command line."""

    def __init__(self, configure: Callable[[argparse.ArgumentParser], None], words: list[str]) -> None:
        self._given = words
        configure(self)  # type: ignore[arg-type]
        del self._given

    def add_argument(
        self, *names: str, nargs: str = "", dest: str = "", action: object = "", default: object = None, **_: object
    ) -> None:
        if names[0].startswith("-"):
            value = [] if isinstance(default, list) else False if action == "store_true" else default
        else:
            value = self._given if nargs == "*" else self._given[0]
        setattr(self, dest or names[0].lstrip("-").replace("-", "_"), value)

    def add_argument_group(self, _: str) -> Words:
        return self


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
    with refuse_on(ConfigError):
        return find(args.config, args.no_config)


def rule_folders(args: argparse.Namespace, config: Config) -> list[str]:
    """The folders with the site's own rules: those of the command line, else those of the configuration."""
    return args.rules or [config.beside(folder) for folder in config.data.get("rules", ())]


def rule_base(folders: Sequence[str] = ()) -> RuleBase:
    """The compiled rule base, with the site's own rules in these folders. CannotRun with every fault it has."""
    from advisor.rulebase.base import expired, load
    from advisor.rulebase.model import RuleBaseError

    try:
        with ProgressLine("compiling the rules, once after each change of them") as progress:
            base = load(packs=folders, progress=progress.show)
    except RuleBaseError as error:
        whose = f"the rules in {' and '.join(folders)} cannot be used:" if folders else "the rule base is broken:"
        raise CannotRun(whose, *(f"  {line}" for line in error.messages)) from None
    for folder in folders:
        for path, day in expired(folder).items():
            warn(f"{path}: valid until {day}, so it is left out; measure again, or delete it")
    return base


def site_rule_base(args: argparse.Namespace) -> RuleBase:
    """The rule base with the site's own rules, with a remark where these come from a configuration file that the
    command line does not name. CannotRun."""
    config = configuration(args)
    folders = rule_folders(args, config)
    if folders and not args.rules and not args.config:
        warn(f"rules from {config.name}")
    return rule_base(folders)


def add_fact_options(top: argparse.ArgumentParser) -> None:
    top.add_argument(
        "--set", action="append", default=[], metavar="FACT=VALUE", dest="facts_set",
        help="a known fact, for example client.kernel=5.14 or storage.platform=anf; may be repeated",
    )
    top.add_argument("--facts", metavar="FILE", help="a YAML or JSON file of facts: one `fact: value` per line")
    top.add_argument("--from-probe", metavar="FILE",
                     help="what a server answered: a file that advisor probe --write-to wrote")
    top.add_argument("--expired", action="store_true", help="also use facts that were observed too long ago")


def given_facts(base: RuleBase, facts_set: Iterable[str], file: FileFacts | None = None) -> dict[str, Values]:
    """Facts from --facts and --set (which wins), typed as rules/facts says. CannotRun names what is wrong."""
    known = {} if file is None else dict(file.facts)
    for item in facts_set:
        name, equals, text = item.partition("=")
        if not equals:
            raise CannotRun(f"--set {item!r}: write FACT=VALUE, for example --set client.kernel=5.14")
        known[name.strip()] = _typed(base, name.strip(), text.strip(), "--set")
    return known


def facts_with_bearing(base: RuleBase, known: Mapping[str, Values]) -> dict[str, Values]:
    """The given facts, n/a for those that do not matter beside the others. CannotRun for an impossible one."""
    from advisor.engine import FactError
    from advisor.sections import with_bearing

    with refuse_on(FactError):
        return with_bearing(base, known)[0]


def certain_state(base: RuleBase, known: Mapping[str, object]) -> State:
    """The state in which these facts are certain. CannotRun if they contradict each other or their domains."""
    from advisor.engine import FactError

    with refuse_on(FactError):
        return base.engine.certain(known)


def warn_unused(section: Section) -> None:
    """Warn of a section that fits no mount: a slip in a pattern would go unnoticed."""
    names = ", ".join(f"{name} = {text}" for name, text in section.names.items())
    warn(f"{section.place}: no mount matches {names}, so its facts have no effect; correct the pattern, or delete the "
         "section")


def typed_facts(base: RuleBase, tree: object, where: str) -> dict[str, Values]:
    """The facts of a mapping, nested (`client: {kernel: …}`) or flat; CannotRun, naming `where`, if it has others."""
    from advisor.user_files import flatten

    if tree is not None and not isinstance(tree, dict):
        raise CannotRun(f"{where}: facts are expected, one in each line, such as `client.kernel: \"5.14\"`")
    return {name: _typed(base, name, value, where) for name, value in flatten(tree or {}).items()}


def _typed(base: RuleBase, name: str, value: object, where: str) -> Values:
    from advisor.advice.answers import AnswerError, fact_value

    with refuse_on(AnswerError, before=f"{where}: "):
        try:
            return fact_value(base, name, value)
        except AnswerError as error:
            named = isinstance(value, str) and value.strip(", ")
            general = base.facts[name].unlisted if named and name in base.facts else None
            if general is None or "did you mean" in str(error):
                raise
            warn(f"{where}: {value} is not known here, so what holds for all is used: {name}={general}")
            return general


def read_probe(args: argparse.Namespace) -> Probed | None:
    """The file that --from-probe names; None without it, or with a warning if it is too old. CannotRun names what is
    wrong."""
    path: str | None = args.from_probe
    if path is None:
        return None
    from advisor import user_files
    from advisor.probe.result import ProbeFileError, from_text

    with refuse_on(user_files.UserFileError, before="--from-probe "):
        text = user_files.read_text(path, user_files.LARGE)
    with refuse_on(ProbeFileError, before=f"--from-probe {path}: "):
        probed = from_text(text)
    return probed if _usable(probed.until, path, args.expired) else None


def _probe_facts(
    base: RuleBase, probed: Probed, given: Mapping[str, Values]
) -> tuple[dict[str, Values], dict[str, str]]:
    """The facts that a probe shows and nobody has given, and when and where each was found."""
    from advisor.probe.evidence import found_facts

    facts = {fact: value for fact, value in found_facts(base, probed).items() if fact not in given}
    origin = f"observed {probed.at[:10]} by advisor probe {probed.server}:{probed.export}".rstrip(":")
    return facts, dict.fromkeys(facts, origin)


def probe_sections(base: RuleBase, probed: Probed, place: str, given: Mapping[str, Values]) -> Iterator[Section]:
    """What a probe shows of the mounts of its server, and of its export; not what the server offers them."""
    from advisor.probe.evidence import OFFERED
    from advisor.sections import Section

    facts, found = _probe_facts(base, probed, given)
    for scope, names in (("server", {"server": probed.server}),
                         ("mount", {"server": probed.server, "export": probed.export})):
        own = {fact: value for fact, value in facts.items()
               if base.facts[fact].scope == scope and not fact.startswith(OFFERED)}
        if own and all(names.values()):
            places = dict.fromkeys((*own, *names), place)
            yield Section(place, names, own, places, found={fact: found[fact] for fact in own})


def read_facts_file(base: RuleBase, args: argparse.Namespace, by_mount: bool = False) -> FileFacts:
    """The facts of --facts and --from-probe; what was given takes precedence over what a server has shown. Observed
    facts that are too old are left out, with a warning, unless --expired is given. `by_mount`: those of a probe hold
    for the mounts of its server only. CannotRun names what is wrong."""
    file, probed = _facts_file(base, args), read_probe(args)
    if probed is None:
        return file
    if by_mount:
        return file._replace(sections=(*file.sections, *probe_sections(base, probed, args.from_probe, file.facts)))
    facts, found = _probe_facts(base, probed, file.facts)
    return file._replace(facts={**file.facts, **facts}, found={**file.found, **found})


def _facts_file(base: RuleBase, args: argparse.Namespace) -> FileFacts:
    path: str | None = args.facts
    if path is None:
        return FileFacts()
    from advisor import user_files

    with refuse_on(user_files.UserFileError, before="--facts "):
        text = user_files.read_text(path)
        is_json = text.lstrip().startswith("{")
        tree = user_files.parse_json(text, path) if is_json else user_files.parse_yaml(text, path)
    if not isinstance(tree, dict):
        return FileFacts(typed_facts(base, tree, path))
    sections: tuple[Section, ...] = ()
    if "mounts" in tree:
        from advisor.advice.answers_file import sections_in
        from advisor.sections import SectionError

        with refuse_on(SectionError, user_files.UserFileError):
            sections = sections_in(base, user_files.parse_yaml(text, path, places=True), path)
    facts = typed_facts(base, {key: value for key, value in tree.items() if key not in (*OBSERVED, "mounts")}, path)
    found = tree.get("found") or {}
    if not isinstance(found, dict):
        raise CannotRun(f"{path}: found is a mapping of facts to where they are from")
    observed = {str(fact): str(where) for fact, where in found.items() if str(fact) in facts}
    if observed and not _usable(_until(tree, path), path, args.expired):
        facts = {fact: value for fact, value in facts.items() if fact not in observed}
        observed = {}
    return FileFacts(facts, observed, without_outdated(sections, args.expired))


def without_outdated(sections: Iterable[Section], expired: bool) -> tuple[Section, ...]:
    """The sections, without facts that were observed too long ago; a warning names these."""
    kept = []
    for section in sections:
        if not _usable(section.until, section.place, expired):
            facts = {fact: value for fact, value in section.facts.items() if fact not in section.found}
            section = section._replace(facts=facts, found={}, observed={})  # noqa: PLW2901
        kept.append(section)
    return tuple(kept)


def _usable(until: str, place: str, expired: bool) -> bool:
    """Whether observed facts may still be used; if not, with a warning."""
    if not until or expired or time.strftime("%Y-%m-%d") <= until:
        return True
    warn(f"{place}: observed too long ago (good until {until}), so not used; observe again, or give --expired")
    return False


def _until(tree: dict[str, object], path: str) -> str:
    from advisor.advice.answers import AnswerError, parse_day

    with refuse_on(AnswerError, before=f"{path}: "):
        return parse_day(tree["until"]) if "until" in tree else ""


def host_facts(
    base: RuleBase, tree: Tree, given: Mapping[str, Values] | None = None, *, platform: bool = True,
    settings: bool = False,
) -> HostFacts:
    """As `facts_of`. CannotRun if `given` contradicts itself."""
    from advisor.check.facts import facts_of
    from advisor.engine import FactError

    with refuse_on(FactError):
        return facts_of(base, tree, given, platform=platform, settings=settings)


def tree_of(base: RuleBase, root: str | None, option: str = "--root") -> Tree:
    """The files of the host below the folder, or in the archive, `root`, which `option` named; None: this host.
    CannotRun says why not."""
    from advisor.host.tree import Tree, Unread

    if root is None:
        return Tree()
    from advisor.host.opening import open_tree

    with refuse_on(Unread, before=f"{option} "):
        return open_tree(root, [*base.layouts.values()])
