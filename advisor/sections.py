"""What is known of some mounts only: sections of a configuration, of a file of facts, or of answers.

A section names mounts by patterns of server, export and mount point, and says facts of them. No section goes before
another, whatever its place and however narrow its patterns: all that fit a mount hold together, and together with what
is known of all mounts. Where that cannot be, nothing is judged, and both are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.engine import FactError, consistent
from advisor.globs import fits, parts, special
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

NAMES = ("server", "export", "target")
"""What patterns are for."""


class Mount(NamedTuple):
    """What sections go by. `place`: where it is written, for messages (fstab:3)."""

    server: str
    export: str
    target: str
    place: str = ""


class Section(NamedTuple):
    """Facts of some mounts. `names`: any of NAMES → pattern; `facts`: fact → value, of scope server or mount.

    `place`: file:line:column; `places`: the same for each fact, and for each of `names`.

    `today`: the settings of the line of fstab that the section stands for, tunable → text.

    `found`: fact → when and how it was observed, for those of `facts` that nobody said; they make way for what somebody
    says. `observed`: quantities of the window in which they were. `until`: the day, as 2026-12-31, after which that is
    too old; "" for never."""

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
        """Whether it names one mount, rather than patterns."""
        return len(self.names) == len(NAMES) and not any(map(special, self.names.values()))

    def where(self, fact: str) -> str:
        """Where a fact stands."""
        return self.places.get(fact, self.place)


class SectionError(ValueError):
    """What is said of a mount cannot be; the text begins with a place, and says what to do."""


class Matcher:
    """Sections made ready for many mounts. `used`: the numbers of those that fitted one."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self.sections = tuple(sections)
        self._patterns = [
            [(NAMES.index(name), parts(plain(name, text))) for name, text in one.names.items()] for one in sections
        ]
        self.used: set[int] = set()

    def fitting(self, mount: Mount) -> tuple[int, ...]:
        """The numbers of the sections for a mount."""
        names = [plain(name, text) for name, text in zip(NAMES, mount)]
        found = tuple(
            number for number, patterns in enumerate(self._patterns)
            if all(fits(names[which], pattern) for which, pattern in patterns)
        )
        self.used.update(found)
        return found

    def unused(self) -> list[Section]:
        """The sections that fitted nothing so far."""
        return [one for number, one in enumerate(self.sections) if number not in self.used]


class Servers:
    """What sections say of servers: a server is one thing, whatever is mounted from it."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], tuple[Values, str, Mount]] = {}

    def check(self, base: RuleBase, mount: Mount, known: Mapping[str, Values], said: Mapping[str, str]) -> None:
        """Raises SectionError where something else was said of the mount's server for another mount. `known`: of this
        mount; `said`: fact → the place of the section that says it."""
        server = plain("server", mount.server)
        for fact, place in said.items():
            if not server or base.facts[fact].scope != "server":
                continue
            value, before, other = self._told.setdefault((server, fact), (known[fact], place, mount))
            if both(base, fact, value, known[fact]) is None:
                raise SectionError(
                    f"{place}: {fact} is {shown(known[fact])} for {_words(mount)}, and {shown(value)} by {before} "
                    f"for {_words(other)}: both are mounted from {mount.server}, and this is a fact of the server"
                )


def plain(name: str, text: str) -> str:
    """A name or a pattern as it is compared: servers without case, brackets and a last dot, paths without a last
    slash."""
    if name == "server":
        text = text.lower().rstrip(".")
        return text[1:-1] if text.startswith("[") and text.endswith("]") and ":" in text else text
    return text.rstrip("/") or "/" if text else ""


def together(
    base: RuleBase, wide: Mapping[str, Values], sections: Sequence[Section], mount: Mount
) -> dict[str, Values]:
    """What is known of a mount: the facts of all mounts, and those of the sections that fit it. Where both limit a fact
    it is what is left by both; what was observed makes way. `base`: a RuleBase. Raises SectionError where they
    contradict one another."""
    known = dict(wide)
    said: dict[str, str] = {}
    for section in sections:
        for fact, value in section.facts.items():
            if fact in section.found:
                continue
            left = both(base, fact, known[fact], value) if fact in known else value
            if left is None:
                raise SectionError(_clash(section, fact, known[fact], said.get(fact), mount))
            if left is not known.get(fact):
                known[fact] = left
                said[fact] = section.where(fact)
    if said:
        _check(base, known, said, mount)
    for section in sections:
        for fact in section.found:
            if fact in section.facts and fact not in known and _fits(base, {**known, fact: section.facts[fact]}):
                known[fact] = section.facts[fact]
    return known


def observed(known: Mapping[str, Values], sections: Sequence[Section]) -> dict[str, str]:
    """Of what is known of a mount, the facts that were observed → when and how. `known`: as `together` gives it."""
    said = {fact for one in sections for fact in one.facts if fact not in one.found}
    return {
        fact: where for one in reversed(sections) for fact, where in one.found.items()
        if fact not in said and fact in known and known[fact] == one.facts.get(fact)
    }


def both(base: RuleBase, fact: str, one: Values, other: Values) -> Values | None:
    """What is left of a fact of which two things are said; None where they contradict each other."""
    kind = base.engine.fact(fact)
    first, second = kind.mask(one), kind.mask(other)
    numbers = type(one) is type(other) is int
    if not first & second or (numbers and one != other):
        return None
    common = first & second
    return one if common == first else other if common == second else kind.answer(common)


def clash(base: RuleBase, known: Mapping[str, Values]) -> tuple[str, ...]:
    """The fewest facts of those known that cannot all be so; () where all can. Raises FactError for one that alone
    cannot be, or that speaks against another by its text."""
    state = base.engine.state(known)
    if consistent(base.engine, state):
        return ()
    from advisor.engine import reason  # noqa: PLC0415  only a contradiction needs it

    found = reason(base.engine, next(iter(base.decisions)), state)
    return tuple(fact for fact in found if fact in known) or tuple(known)


def _fits(base: RuleBase, known: Mapping[str, Values]) -> bool:
    try:
        return not clash(base, known)
    except FactError:
        return False


def _check(base: RuleBase, known: Mapping[str, Values], said: Mapping[str, str], mount: Mount) -> None:
    """Raises SectionError where what is known of a mount cannot be."""
    try:
        against = clash(base, known)
    except FactError as error:
        place = said.get(str(error.fact)) or next(iter(said.values()))
        raise SectionError(f"{place}: {error} (of {_words(mount)})") from None
    if against:
        place = next((said[fact] for fact in against if fact in said), next(iter(said.values())))
        conflicts = "; ".join(f"{fact} is {shown(known[fact])} ({said.get(fact, 'of all mounts')})" for fact in against)
        raise SectionError(
            f"{place}: what is said of {_words(mount)} contradicts itself: {conflicts}. Correct one of these, or the "
            "section's patterns"
        )


def _clash(section: Section, fact: str, before: object, place: str | None, mount: Mount) -> str:
    here = f"{section.where(fact)}: {fact} is {shown(section.facts[fact])} for {_words(mount)}"
    if place is None:
        return f"{here}, and {shown(before)} for all mounts: give it only in sections, each for its own mounts"
    return f"{here}, and {shown(before)} by {place}: remove it from one of them, or narrow its patterns"


def _words(mount: Mount) -> str:
    return f"{mount.target} ({mount.place})" if mount.place else mount.target


def shown(value: object) -> str:
    """A value, or what is left of a fact, as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " or ".join(map(shown, value)) if isinstance(value, list) else str(value)
