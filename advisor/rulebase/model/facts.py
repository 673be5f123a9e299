"""Facts (what can be known), conditions over them, layers (the authority of a rule) and constraints."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import (
        Added,
        Cites,
        Condition,
        DecisionId,
        DottedId,
        FactId,
        LineRegex,
        OwnValue,
        OwnValues,
        OwnWord,
        Scalar,
        SearchRegex,
        Slug,
        Text,
        TunableId,
    )

JOINTS = ("all", "any", "not")
"""Keys of a condition that name no fact: they contain conditions."""


class Infer(Record):
    """What else is known when an exact value's text matches `match` (a regular expression, searched)."""

    match: SearchRegex
    sets: Mapping[FactId, Scalar]


class NarrowedBy(Record):
    """A second setting that narrows the first where that has the value `only_for` (`vers=4,minorversion=1`)."""

    tunable: TunableId
    only_for: Scalar
    map: Mapping[str, OwnValue]


class FromSetting(Record):
    """The fact is read from a setting of the line that is being judged.

    `absent` is the fact's value when the line does not have the setting; without it the fact stays open
    (the line leaves it to negotiation)."""

    tunable: TunableId
    absent: OwnValue | None = None
    negotiated: DecisionId | None = None
    """The estimate of what client and server agree on where the setting is left out; formulas compute with it."""
    map: Mapping[str, OwnValues] = {}
    """A written value that stands for several: `vers=4` is 4.0, 4.1 or 4.2."""
    fstypes: Mapping[str, OwnValues] = {}
    """What the file system type alone says where the setting is absent: `nfs4`."""
    narrowed_by: NarrowedBy | None = None


class Place(Record):
    """Something to read on a host. Exactly one of `file`, `dpkg`, `rpm`, `interface` and `mounted`.

    `key`: what follows `KEY=` in the file, without quotes. `match`, `without`: regular expressions that the text must,
    and must not, hold (searched; ^ and $ are the ends of lines)."""

    file: Text | None = None
    """An absolute path below /proc, /sys, /etc, /usr/lib or /run; others are never read."""
    exists: bool | None = None
    """Only whether the file or folder is there."""
    dpkg: Text | None = None
    """The version of a Debian package, with its epoch."""
    rpm: Text | None = None
    """The version and release of an RPM package, without its epoch."""
    interface: Literal["speed", "mtu"] | None = None
    """Of the interface towards the mounted servers, or with the default route: Mbit/s, bytes."""
    mounted: Sequence[Text] | None = None
    """Mounts in effect of one of these file system types: their targets."""
    key: Text | None = None
    match: LineRegex | None = None
    without: LineRegex | None = None


class Way(Place):
    """A way to find a fact: its value is the text of the place, or the group of `match`, unless this says otherwise."""

    value: OwnValue | None = None
    """The fact's value where the place is as it should be."""
    map: Mapping[str, OwnValue] | None = None
    """Text -> value; other texts say nothing."""
    cases: Mapping[OwnWord, LineRegex] | None = None
    """Value -> the regular expression that is found in the text then, and in no other case."""
    divide: int | None = None
    """A number is divided by this; the nearest whole number from 1 on is taken."""
    at_most: bool = False
    """The number, rounded up, is a bound: the fact may be less."""
    where: Sequence[Place] = ()
    """Other places that must be as they should be."""
    note: Text | None = None


class Probe(Record):
    """How a fact is found on a host. All ways are tried; those that find something must agree, or it stays unknown."""

    ways: Sequence[Way] = ()
    like: FactId | None = None
    """The ways are those of this other fact."""
    where: Sequence[Place] = ()
    """Places that must be as they should be, whatever the way."""
    granted: Mapping[FactId, Scalar] = {}
    """Facts with which `where` is granted: a server whose service is stopped is one all the same."""
    unless: Mapping[FactId, Scalar] = {}
    """Facts of this host with which it does not tell this one."""
    beside: Sequence[FactId] = ()
    """Facts that it means nothing without: not taken where the user said something else of them than this host does,
    or where this host's answer could not be used."""


class UsualValue(Record):
    """What a fact is taken to be in advice until a value is given. Of several the first whose `when` holds.

    Advice rests on it only if it can do no harm; `lint` never does. A fact whose answer is dangerous either way has
    none."""

    value: OwnValue
    why: Text
    """Why this is what one meets, in words that finish "assumed, because …"."""
    when: Condition | None = None
    once_unknown: bool = False
    """Used only after the answer "I don't know": until then it is asked."""
    cites: Cites = ()


class Named(Record):
    """What the mount point gives away of the fact, unless a value is given: `target` or anything below it.

    `confidence`: medium for a folder of people's own choosing, which only suggests its use."""

    value: OwnValue
    target: Sequence[Text]
    confidence: Literal["high", "medium"] = "high"


class Fact(Record):
    """Something that can be known of an environment. `values` (enum): value -> label for people.

    `aliases`: value -> other names that people know it by; capitals, spaces, hyphens and underscores make no
    difference. No two values share a name. `families`: a name that several values share (a maker's) -> these values; it
    is not an answer, and is asked back. `fillers`: words that people write beside a name, and that mean nothing."""

    id: DottedId
    type: Literal["enum", "bool", "int", "version"]
    scope: Literal["host", "server", "mount"]
    """What it is a fact of. What is said for one server or mount leaves the others alone."""
    says: Text
    values: Mapping[str, Text] | None = None
    aliases: Mapping[str, Sequence[Text]] = {}
    families: Mapping[Text, Sequence[Text]] = {}
    fillers: Sequence[Text] = ()
    scheme: Literal["kernel", "rpm", "deb"] | None = None
    unit: Text | None = None
    minimum: int | None = None
    maximum: int | None = None
    section: Slug = ""
    capability: Added[bool] = False
    when: Added[Condition | None] = None
    unless: Added[Condition | None] = None
    ask: Text | None = None
    help: Text | None = None
    why: Text | None = None
    examples: Sequence[Text] = ()
    asked_after: Sequence[FactId] = ()
    """Facts that imply this one, or without which it means little: they are asked first, and after "I don't know" to
    one of them this is not asked."""
    lasting: bool = False
    """It is not changed for the sake of a setting (the storage, the work): what-if lists it last."""
    applies: Condition | None = None
    """Where this is false the fact is `n/a`, a cell of its own; where it is true the fact is never `n/a`."""
    derive: Mapping[str, Condition] | None = None
    """Derived fact: value -> the condition that makes it so. The conditions must not overlap."""
    otherwise: OwnValue | None = None
    """The derived fact's value where no condition of `derive` holds."""
    infer: Sequence[Infer] = ()
    usual: Sequence[UsualValue] = ()
    named: Sequence[Named] = ()
    setting: FromSetting | None = None
    probe: Probe | None = None
    """How the fact is found on a host, or in a copy of its files."""


class Layer(Record):
    id: Slug
    says: Text


class Constraint(Record):
    """A state of the world that cannot be."""

    id: Slug
    never: Condition
    presumed: bool = False
    """It could be, but hardly is: taken to be impossible unless what is known says that it is so. A release says which
    kernel it brings; the kernel's own build says more. Settings say which presumptions they need."""
    only_advice: bool = False
    """Presumed in advice alone, which names it beside each setting: an existing line may serve another purpose."""
    why: Text
    cites: Cites


def inner_conditions(joined: object) -> list[Condition]:
    """The conditions in `all`, `any` or `not`; whatever is not a condition is left out."""
    return [part for part in (joined if isinstance(joined, list) else [joined]) if isinstance(part, dict)]


def facts_in(condition: object) -> Iterator[str]:
    """The facts that a condition names, as often as it names them; none if it is not a mapping."""
    for key, value in condition.items() if isinstance(condition, dict) else ():
        if key in JOINTS:
            for part in inner_conditions(value):
                yield from facts_in(part)
        else:
            yield key
