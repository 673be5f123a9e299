"""Facts that apply to some mounts only: the sections of a configuration, a facts file or an answers file.

A section names mounts by patterns of server, export and mount point, and gives facts of them. No section takes
precedence, whatever its place and however narrow its patterns: the facts of all sections that fit a mount hold, and
those of all mounts too. Where they contradict each other, nothing is judged, and the message names both."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

from advisor.engine import FactError, consistent, operand
from advisor.engine.cells import NOT_APPLICABLE
from advisor.files.patterns import has_wildcards, name_fits, name_parts
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Values

NAMES = ("server", "export", "target")
"""The names for which a section may have patterns."""


class Mount(NamedTuple):
    """The names of a mount, which patterns are matched against. `place`: of the mount, for messages (fstab:3)."""

    server: str
    export: str
    target: str
    place: str = ""


class Section(NamedTuple):
    """Facts of some mounts. `names`: any of NAMES → pattern; `facts`: fact → value, of scope server or mount.

    `place`: file:line:column; `places`: the same for each fact, and for each of `names`.

    `today`: the settings of the line of fstab that the section stands for, tunable → text.

    `found`: fact → when and how it was observed, for those of `facts` that were not given; given ones replace them.
    `observed`: quantities of the window in which they were observed. `until`: the last day on which they may be used,
    as 2026-12-31; "" for no limit."""

    place: str
    names: Mapping[str, str]
    facts: Mapping[str, Values]
    places: Mapping[str, str]
    today: Mapping[str, str] = {}
    found: Mapping[str, str] = {}
    observed: Mapping[str, Values] = {}
    until: str = ""

    @property
    def concrete(self) -> bool:
        """Whether it names one mount, without patterns."""
        return len(self.names) == len(NAMES) and not any(map(has_wildcards, self.names.values()))

    def where(self, fact: str) -> str:
        """The place of a fact."""
        return self.places.get(fact, self.place)


class SectionError(ValueError):
    """Facts given for a mount contradict each other; the text begins with a place, and says what to do."""


class Matcher:
    """Finds the sections for a mount. `used`: the numbers of the sections that have fitted one."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = tuple(sections)
        self._patterns = [
            [(NAMES.index(name), name_parts(normalized(name, text))) for name, text in section.names.items()]
            for section in sections
        ]
        self.used: set[int] = set()

    def fitting(self, mount: Mount) -> tuple[int, ...]:
        """The numbers of the sections for a mount."""
        names = [normalized(name, text) for name, text in zip(NAMES, mount)]
        fitting = tuple(
            number for number, patterns in enumerate(self._patterns)
            if all(name_fits(names[which], pattern) for which, pattern in patterns)
        )
        self.used.update(fitting)
        return fitting

    def unused(self) -> list[Section]:
        """The sections that fitted nothing so far."""
        return [section for number, section in enumerate(self.sections) if number not in self.used]


class ServerFacts:
    """Checks that sections give the same facts of a server for all that is mounted from it."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], tuple[Values, str, Mount]] = {}

    def check(self, base: RuleBase, mount: Mount, known: Mapping[str, Values], places: Mapping[str, str]) -> None:
        """Raises SectionError if another mount of the same server has a different value. `known`: the facts of this
        mount; `places`: fact → the place of the section that gives it."""
        server = normalized("server", mount.server)
        for fact, place in places.items():
            if not server or base.facts[fact].scope != "server":
                continue
            value, before, other = self._given.setdefault((server, fact), (known[fact], place, mount))
            if common_value(base, fact, value, known[fact]) is None:
                raise SectionError(
                    f"{place}: {fact} is {operand(known[fact])} for {_words(mount)}, and {operand(value)} by "
                    f"{before} for {_words(other)}: both are mounted from {mount.server}, and this is a fact of the "
                    "server"
                )


def normalized(name: str, text: str) -> str:
    """A name or a pattern in its normal form: servers in lower case, without brackets and a final dot; paths without a
    final slash."""
    if name == "server":
        text = text.lower().rstrip(".")
        return text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text
    return text.rstrip("/") or "/" if text else ""


def facts_of_mount(
    base: RuleBase, wide: Mapping[str, Values], sections: Sequence[Section], mount: Mount
) -> dict[str, Values]:
    """The facts of a mount: those of all mounts (`wide`), and those of the sections that fit it. Where several limit a
    fact, it is what all of them allow; observed facts give way. Raises SectionError if they contradict one
    another."""
    known = dict(wide)
    places: dict[str, str] = {}
    for section in sections:
        for fact, value in section.facts.items():
            if fact in section.found:
                continue
            left = common_value(base, fact, known[fact], value) if fact in known else value
            if left is None:
                raise SectionError(_clash(section, fact, known[fact], places.get(fact), mount))
            if left is not known.get(fact):
                known[fact] = left
                places[fact] = section.where(fact)
    if places:
        with contextlib.suppress(FactError):  # told below, with its place
            known = with_bearing(base, known)[0]
        _check(base, known, places, mount)
    for section in sections:
        for fact in section.found:
            if fact in section.facts and fact not in known and _fits(base, {**known, fact: section.facts[fact]}):
                known[fact] = section.facts[fact]
    return known


def with_bearing(base: RuleBase, known: Mapping[str, Values]) -> tuple[dict[str, Values], dict[str, Values]]:
    """The facts with n/a for those that do not apply where the others hold, and what was said of these: a true answer
    contradicts nothing only because it does not matter. Raises FactError for one that is impossible on its own."""
    beside = {fact: known[fact] for fact in base.engine.without_bearing(known)}
    return {**known, **dict.fromkeys(beside, NOT_APPLICABLE)}, beside


def observed_facts(known: Mapping[str, Values], sections: Sequence[Section]) -> dict[str, str]:
    """Those facts of a mount that were observed → when and how. `known`: as `facts_of_mount` returns it."""
    given = {fact for section in sections for fact in section.facts if fact not in section.found}
    return {
        fact: where for section in reversed(sections) for fact, where in section.found.items()
        if fact not in given and fact in known and known[fact] == section.facts.get(fact)
    }


def common_value(base: RuleBase, fact: str, one: Values, other: Values) -> Values | None:
    """What two values of a fact, or limits, have in common; None if they contradict each other."""
    kind = base.engine.fact(fact)
    first, second = kind.mask(one), kind.mask(other)
    numbers = type(one) is type(other) is int
    if not first & second or (numbers and one != other):
        return None
    common = first & second
    return one if common == first else other if common == second else kind.answer(common)


def contradiction(base: RuleBase, known: Mapping[str, Values]) -> tuple[str, ...]:
    """The fewest known facts that cannot hold together; () where all can. Raises FactError for one that is impossible
    on its own, or whose form contradicts another."""
    state = base.engine.state(known)
    if consistent(base.engine, state):
        return ()
    from advisor.engine.explain import reason  # noqa: PLC0415  only a contradiction needs it

    facts = reason(base.engine, next(iter(base.decisions)), state)
    return tuple(fact for fact in facts if fact in known) or tuple(known)


def _fits(base: RuleBase, known: Mapping[str, Values]) -> bool:
    try:
        return not contradiction(base, known)
    except FactError:
        return False


def _check(base: RuleBase, known: Mapping[str, Values], places: Mapping[str, str], mount: Mount) -> None:
    """Raises SectionError if the facts of a mount contradict each other."""
    try:
        against = contradiction(base, known)
    except FactError as error:
        place = places.get(str(error.fact)) or next(iter(places.values()))
        raise SectionError(f"{place}: {error} (of {_words(mount)})") from None
    if against:
        place = next((places[fact] for fact in against if fact in places), next(iter(places.values())))
        conflicts = "; ".join(
            f"{fact} is {operand(known[fact])} ({places.get(fact, 'of all mounts')})" for fact in against
        )
        raise SectionError(
            f"{place}: what is said of {_words(mount)} contradicts itself: {conflicts}. Correct one of these, or the "
            "section's patterns"
        )


def _clash(section: Section, fact: str, before: object, place: str | None, mount: Mount) -> str:
    here = f"{section.where(fact)}: {fact} is {operand(section.facts[fact])} for {_words(mount)}"
    if place is None:
        return f"{here}, and {operand(before)} for all mounts: give it only in sections, each for its own mounts"
    return f"{here}, and {operand(before)} by {place}: remove it from one of them, or narrow its patterns"


def _words(mount: Mount) -> str:
    return f"{mount.target} ({mount.place})" if mount.place else mount.target
