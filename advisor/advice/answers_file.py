"""The answers file in YAML, which the wizard exports and `recommend --answers` reads: answers for a host and, in
sections, for some of its mounts. Facts that a server's name or a mount point shows are added."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor import user_files
from advisor.advice.answers import NAMES as NAMED
from advisor.advice.answers import (
    AnswerError,
    Answers,
    bad_name,
    check_answers,
    fact_value,
    from_plain,
    parse_day,
    parse_quantity,
    to_plain,
)
from advisor.engine import FactError, consistent, operand
from advisor.files.patterns import by_server_name, has_wildcards
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Platform, RuleBase, Values
from advisor.rulebase.model.rules import Named
from advisor.sections import (
    NAMES,
    Matcher,
    Mount,
    Section,
    SectionError,
    ServerFacts,
    common_value,
    facts_of_mount,
    normalized,
    observed_facts,
    with_bearing,
)
from advisor.user_files import UserFileError, flatten

PLATFORM = "storage.platform"
MAX_SECTIONS = 1000
"""The most sections of a file: each is matched with each mount."""
SHARED_NAMES = tuple(name for name in NAMED if name not in NAMES)
"""Names that are the same for all mounts."""


class AnswersFileError(ValueError):
    """An answers file cannot be used. The message begins with file:line:column if the place is known."""


def answers_text(answers: Answers) -> str:
    """The file's text. Equal answers give equal texts."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import

    yaml = YAML(typ="rt", pure=True)
    yaml.width = 120
    yaml.default_flow_style = False
    stream = io.StringIO()
    yaml.dump({key: value for key, value in to_plain(answers).items() if value}, stream)
    return stream.getvalue()


def read_answers(base: RuleBase, path: str) -> Answers:
    """The answers in a file, checked against the rule base. Raises AnswersFileError."""
    try:
        return parse_answers(base, user_files.read_text(path), path)
    except UserFileError as error:
        raise AnswersFileError(str(error)) from None


def parse_answers(base: RuleBase, text: str, path: str) -> Answers:
    """The answers in a file's text; `path` is for messages. Raises AnswersFileError."""
    tree: object = None
    try:
        tree = user_files.parse_yaml(text, path, places=True)
        answers_data = from_plain(user_files.without_places(tree))
        return check_answers(base, answers_data._replace(mounts=sections_in(base, tree, path)))
    except (UserFileError, SectionError) as error:
        raise AnswersFileError(str(error)) from None
    except AnswerError as error:
        line, column = user_files.place_of(tree, error.where)
        raise AnswersFileError(f"{path}:{line}:{column}: {error}") from None


def sections_in(base: RuleBase, tree: object, path: str) -> tuple[Section, ...]:
    """The sections under the key `mounts` of a YAML text. `tree`: parsed with places; `path`: for messages. Raises
    SectionError."""
    if not isinstance(tree, dict) or "mounts" not in tree:
        return ()

    def place(number: int, key: str) -> str:
        line, column = user_files.place_of(tree, ("mounts", number, key, *key.split(".")))
        return f"{path}:{line}:{column}"

    return sections(base, user_files.without_places(tree["mounts"]), place)


class Sign(NamedTuple):
    """A fact inferred from a name. `where`: the name, in words."""

    fact: str
    value: Values
    where: str


def infer_signs(base: RuleBase, names: Mapping[str, str], facts: Mapping[str, Values]) -> dict[str, Sign]:
    """Fact → what a name shows of it, if `facts` has nothing on it and nothing that contradicts it."""
    signs: dict[str, Sign] = {}
    engine = base.engine
    for sign in (*_by_server(base, names.get("server", "")), *_by_target(base, names.get("target", ""))):
        if sign.fact in facts or sign.fact in signs:
            continue
        shown = {**{fact: earlier.value for fact, earlier in signs.items()}, sign.fact: sign.value}
        try:
            known = {**with_bearing(base, facts)[0], **shown}
            possible = consistent(engine, engine.state(known))
        except FactError:
            possible = False
        if possible:
            signs[sign.fact] = sign
    return signs


def with_little_guidance(
    base: RuleBase, each: Iterable[Mapping[str, Values]], levels: Sequence[str] = ("partial", "none-found")
) -> list[Platform]:
    """The platforms in the facts of these mounts for which little or no vendor guidance was found; their notes say what
    is missing."""
    known = [facts.get(PLATFORM) for facts in each]
    return [platform for platform in base.platforms if platform.platform in known and platform.guidance in levels]


def _by_server(base: RuleBase, server: str) -> Iterator[Sign]:
    for platform, name in by_server_name(base.platforms, normalized("server", server)):
        yield Sign(PLATFORM, platform.platform, f"the server's name matches {name.pattern}")


def _by_target(base: RuleBase, target: str) -> Iterator[Sign]:
    path = target.rstrip("/") + "/"
    for fact, hint, folder in base.ready(_folders):
        if path.startswith(f"{folder}/"):
            where = f"the mount point is in {folder}"
            yield Sign(fact, hint.value, where if hint.confidence == "high" else f"a guess: {where}")


def _folders(base: RuleBase) -> list[tuple[str, Named, str]]:
    """(fact, what names show of it, a folder that does)."""
    return [(fact, hint, folder) for fact, definition in base.facts.items() for hint in definition.named
            for folder in hint.target]


Place = Callable[[int, str], str]
"""(number of the section from 0, key in it or "") → file:line:column."""
_EXAMPLE = {"server": "nas*", "export": "/vol/*", "target": "/hana/log/*"}


def sections(base: RuleBase, written: object, place: Place) -> tuple[Section, ...]:
    """The sections of a file, typed. `written`: the value of its key `mounts`. Raises SectionError."""
    if not isinstance(written, list):
        raise SectionError(f"{place(0, '')}: mounts is a list of sections, each with names and facts")
    if len(written) > MAX_SECTIONS:
        raise SectionError(
            f"{place(MAX_SECTIONS, '')}: more than {MAX_SECTIONS} sections: write patterns that fit several mounts"
        )
    return tuple(_section(base, number, section, place) for number, section in enumerate(written))


def _section(base: RuleBase, number: int, written: object, place: Place) -> Section:
    here = place(number, "")
    if not isinstance(written, dict):
        raise SectionError(f"{here}: a section is a mapping, such as server: nas*, workload.kind: home")
    names: dict[str, str] = {}
    facts: dict[str, Values] = {}
    marks: dict[str, str] = {}
    counted: dict[str, Values] = {}
    until = ""
    places = {}
    for key, value in flatten(written).items():
        at = places[key] = place(number, key)
        part, _, rest = key.partition(".")
        try:
            if key in NAMES:
                names[key] = _name(key, value, at)
            elif key == "until":
                until = parse_day(value)
            elif part == "found" and rest:
                marks[rest] = str(value)
            elif part == "observed" and rest:
                counted.update([parse_quantity(base, rest, value)])
            else:
                facts[key] = _fact(base, key, value, at)
        except AnswerError as error:
            raise SectionError(f"{at}: {error}") from None
    section = Section(here, names, facts, places, found=marks, observed=counted, until=until)
    if not names:
        raise SectionError(
            f"{here}: a section without server, export or target would apply to all mounts: name one of them, or write "
            "its facts with those of all mounts"
        )
    if not facts and not counted and not section.concrete:
        raise SectionError(f"{here}: a section needs a fact, such as workload.kind = …: add one, or delete the section")
    if section.concrete:
        for name, text in names.items():
            wrong = bad_name(name, text)
            if wrong:
                raise SectionError(f"{places[name]}: {wrong}")
    return section


def _name(key: str, value: object, at: str) -> str:
    if not isinstance(value, str) or not value:
        raise SectionError(f'{at}: {key} is {value!r}: write a pattern in quotes, such as "{_EXAMPLE[key]}"')
    if key != "server" and not value.startswith("/") and not has_wildcards(value[0]):
        raise SectionError(f"{at}: {key} is {value!r}; a path begins with / or *")
    return value


def _fact(base: RuleBase, key: str, value: object, at: str) -> Values:
    if "." not in key:
        from advisor.rulebase.spelling import near  # noqa: PLC0415  only for a mistake

        hint = near(key, NAMES, f"there are {', '.join(NAMES)} and facts")
        raise SectionError(f"{at}: unknown key {key!r}; {hint}")
    try:
        typed = fact_value(base, key, value)
        base.engine.fact(key).mask(typed)
    except (AnswerError, FactError) as error:
        raise SectionError(f"{at}: {error}") from None
    if base.facts[key].scope == "host":
        raise SectionError(
            f"{at}: {key} is a fact of the host, the same for all its mounts: write it with the facts of all mounts"
        )
    return typed


def answers_by_mount(base: RuleBase, answers: Answers) -> tuple[Answers, ...]:
    """The answers for each mount that a section names completely, in their order; without one, for the mount that the
    answers themselves name. A mount point among the answers chooses one of several.

    Facts inferred from names are included, with their origin, unless a given fact contradicts them. Raises SectionError
    for a contradiction."""
    named: dict[tuple[str, ...], Section] = {}
    for section in answers.mounts:
        if section.concrete:
            named.setdefault(mount_key(section.names), section)
    if "target" in answers.names:
        wanted = normalized("target", answers.names["target"])
        named = {key: section for key, section in named.items() if key[2] == wanted}
    matcher, servers = Matcher(answers.mounts), ServerFacts()
    each = [
        answers._replace(names={**answers.names, **section.names}, today=section.today) for section in named.values()
    ]
    return tuple(_mount_answers(base, mount, matcher, servers) for mount in each or [answers])


def joined_answers(base: RuleBase, mounts: Sequence[Answers]) -> Answers:
    """The answers with a section for each of several mounts: the reverse of `answers_by_mount`. Facts that can be
    inferred from names are left out."""
    first = mounts[0]
    host = {
        fact: value for fact, value in first.facts.items()
        if base.facts[fact].scope == "host" and all(mount.facts.get(fact) == value for mount in mounts)
    }
    return Answers(
        host, frozenset.intersection(*(mount.unknown for mount in mounts)), first.pins,
        {name: text for name, text in first.names.items() if name in SHARED_NAMES},
        {fact: where for fact, where in first.origin.items() if fact in host},
        mounts=tuple(_section_of(base, mount) for mount in mounts),
    )


def _section_of(base: RuleBase, mount: Answers) -> Section:
    inferred = {
        fact for fact, sign in infer_signs(base, mount.names, {}).items() if mount.origin.get(fact) == sign.where
    }
    facts = {
        fact: value for fact, value in mount.facts.items()
        if base.facts[fact].scope != "host" and fact not in inferred
    }
    marks = {fact: where for fact, where in mount.origin.items() if fact in facts}
    return Section("", {name: mount.names[name] for name in NAMES}, facts, {}, found=marks, observed=mount.observed)


def same_server(one: Answers, other: Answers) -> bool:
    """Whether two mounts name the same server."""
    server = normalized("server", one.names.get("server", ""))
    return server != "" and server == normalized("server", other.names.get("server", ""))


def is_complete(names: Mapping[str, str]) -> bool:
    """Whether these name one mount, as a section does."""
    return Section("", {name: names[name] for name in NAMES if name in names}, {}, {}).concrete


def mount_key(names: Mapping[str, str]) -> tuple[str, ...]:
    """What distinguishes a mount: server, export and target."""
    return tuple(normalized(name, names.get(name, "")) for name in NAMES)


def unused_sections(answers: Answers, mounts: Iterable[Answers]) -> list[Section]:
    """The sections that fit none of these mounts."""
    matcher = Matcher(answers.mounts)
    for mount in mounts:
        matcher.fitting(_mount(mount))
    return matcher.unused()


def overruled_observations(
    base: RuleBase, answers: Answers, mounts: Iterable[Answers]
) -> list[tuple[str, str, str, str]]:
    """Observations of these mounts that contradict what is known of them, once each: the place, the fact, the observed
    value, and the one that is used."""
    matcher = Matcher(answers.mounts)
    overruled = []
    for mount in mounts:
        for number in matcher.fitting(_mount(mount)):
            section = matcher.sections[number]
            for fact in section.found.keys() & mount.facts.keys():
                seen, counts = section.facts[fact], mount.facts[fact]
                if common_value(base, fact, seen, counts) is None:
                    overruled.append((section.where(fact), fact, operand(seen), operand(counts)))
    return list(dict.fromkeys(sorted(overruled)))


def _mount(answers: Answers) -> Mount:
    return Mount(*(answers.names.get(name, "") for name in NAMES))


def _mount_answers(base: RuleBase, answers: Answers, matcher: Matcher, servers: ServerFacts) -> Answers:
    """The answers for the mount that they name."""
    mount = _mount(answers)
    fitting = [matcher.sections[number] for number in matcher.fitting(mount)]
    known = facts_of_mount(base, answers.facts, fitting, mount)
    seen = {fact: where for fact, where in observed_facts(known, fitting).items() if fact not in answers.facts}
    places = {
        fact: section.where(fact) for section in reversed(fitting)
        for fact in section.facts if fact not in section.found
    }
    servers.check(base, mount, known, places)
    signed = infer_signs(base, answers.names, known)
    origin = {fact: where for fact, where in answers.origin.items() if fact in known and fact not in places}
    return answers._replace(
        facts={**known, **{fact: sign.value for fact, sign in signed.items()}}, unknown=answers.unknown - set(known),
        origin={**origin, **seen, **{fact: sign.where for fact, sign in signed.items()}}, mounts=(),
        observed={name: value for section in fitting for name, value in section.observed.items()} or answers.observed,
    )
