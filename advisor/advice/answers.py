"""Answers: facts, "I don't know", pinned settings, and names that only generated files use; each value checked against
what a fact, a tunable or an observed quantity can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from unicodedata import category

from advisor.engine import FactError, consistent, holds, operand, possible, word_list
from advisor.engine.usual import decided
from advisor.files.source import parse_source
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import Fact, RuleBase, Scalar, Tunable, Value, Values
from advisor.rulebase.spelling import NoChoiceError, chosen, near
from advisor.rulebase.values import why_invalid, widest
from advisor.sections import Section, with_bearing

SCHEMA = "advisor-answers/1"
KEYS = ("schema", "asked", "facts", "unknown", "pins", "names", "mounts", "found", "observed")
"""Keys of an answers file."""

NAMES = {
    "server": "nfs-server.example",
    "export": "/export",
    "target": "/mnt/nfs",
    "clients": "client.example",
}
"""Names used only in generated files → placeholder (.example is reserved for that).
`server`: host name or address; `export`: path on the server; `target`: mount point; `clients`: who may mount, as
exports(5) writes it."""


FSTAB = "/etc/fstab"
OBSERVED = "observed"
"""The first word of the origin of an observed fact; other facts have the file in which they were found."""
YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WORDS = ("omit", "keep")
_LONG = 20
"""Digits that no number of a setting has."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")


class Before(NamedTuple):
    """The state of a setting before any change. `value`: None if nothing sets it; `where`: the place that was read.

    For a file that would be written, `value` is True if it exists; for FSTAB, it is the line of the mount point."""

    value: Value
    where: str


class Now(NamedTuple):
    """A setting of the host. `set`: by its files; `in_effect`: now; each None if it was not read, for the reason
    `unread`: a copy of a host has only the collected files.

    A `value` of None means that no file sets it, or that it is not in effect; `where` says why."""

    set: Before | None
    in_effect: Before | None
    unread: str = "not read"


class Answers(NamedTuple):
    """`facts`: fact → value, range or list, as `Base.state` takes them. `unknown`: facts that were answered with
    "I don't know". `pins`: tunable → fixed value. `names`: see NAMES. `origin`: fact → where its value was read, for
    facts that were not answered. `mounts`: sections about some mounts only; see `answers_by_mount`. `today`: tunable →
    text, of the settings in the mount's current line. `observed`: quantity → value, from the counters of the mount.
    `asked`: the wizard asked for them, so what was not answered stays open and is not assumed.

    `before`: tunable or file → its current state; `now`: tunable → its set and effective value. Neither is saved, since
    both may change at any time."""

    facts: dict[str, Values] = {}
    unknown: frozenset[str] = frozenset()
    pins: dict[str, Scalar] = {}
    names: dict[str, str] = {}
    origin: dict[str, str] = {}
    before: dict[str, Before] = {}
    now: Mapping[str, Now] = {}
    mounts: tuple[Section, ...] = ()
    today: Mapping[str, str] = {}
    observed: Mapping[str, Values] = {}
    asked: bool = False

    def name(self, which: str) -> str:
        """A name, or its placeholder."""
        return self.names.get(which) or NAMES[which]


class AnswerError(ValueError):
    """An error in answers. `where`: the path of keys to it, from which a file's line is found."""

    def __init__(self, where: tuple[str, ...], message: str) -> None:
        self.where = where
        super().__init__(message)


def to_plain(answers: Answers) -> dict[str, object]:
    """The answers as data for a file, with sorted keys, so that equal answers give equal files."""
    return {
        "schema": SCHEMA,
        **({"asked": True} if answers.asked else {}),
        "facts": dict(sorted(answers.facts.items())),
        "unknown": sorted(answers.unknown),
        "pins": dict(sorted(answers.pins.items())),
        "names": {name: answers.names[name] for name in sorted(answers.names) if answers.names[name]},
        "mounts": [_section(section) for section in answers.mounts],
        "found": {name: answers.origin[name] for name in sorted(answers.origin) if name in answers.facts},
        "observed": dict(sorted(answers.observed.items())),
    }


def _section(section: Section) -> dict[str, object]:
    more = {
        "found": {name: section.found[name] for name in sorted(section.found) if name in section.facts},
        "until": section.until,
        "observed": dict(sorted(section.observed.items())),
    }
    facts = dict(sorted(section.facts.items()))
    return {**section.names, **facts, **{key: value for key, value in more.items() if value}}


def from_plain(data: object) -> Answers:
    """The answers in the data of a file. Raises AnswerError if the data is not in this format. Facts and pins are
    checked later, by `check_answers`."""
    if not isinstance(data, dict):
        raise AnswerError((), "an answers file must be a mapping with the keys schema, facts, unknown, pins and names")
    schema = data.get("schema")
    if schema != SCHEMA:
        problem = "has no schema" if schema is None else f"has schema {schema!r}"
        raise AnswerError(("schema",), f"the file {problem}; this program reads schema: {SCHEMA}")
    for key in data:
        if key not in KEYS:
            raise AnswerError((str(key),), f"unknown key {key!r}; the keys are {', '.join(KEYS)}")
    facts, pins = _mapping(data, "facts"), _mapping(data, "pins")
    names = {name: str(value) for name, value in _mapping(data, "names").items()}
    for name, text in names.items():
        if name not in NAMES:
            raise AnswerError(("names", name), f"unknown name {name!r}; there are {', '.join(NAMES)}")
        bad = bad_name(name, text)
        if bad:
            raise AnswerError(("names", name), bad)
    origin = {name: str(value) for name, value in _mapping(data, "found").items()}
    unknown = data.get("unknown") or []
    if not isinstance(unknown, list):
        raise AnswerError(("unknown",), "unknown must be a list of facts")
    asked = data.get("asked", False)
    if not isinstance(asked, bool):
        raise AnswerError(("asked",), "asked is true or false")
    return Answers(
        facts, frozenset(map(str, unknown)), pins, names, origin, observed=_mapping(data, "observed"),
        asked=asked,
    )


def bad_name(which: str, text: str) -> str | None:
    """The problem with a name, or None. Names are written into files that root installs, and into commands."""
    if not text:
        return f"{which} is empty"
    hidden = next((char for char in text if category(char) in _HIDDEN and char not in _JOINERS), None)
    if hidden is not None:
        what = "a control character" if category(hidden) == "Cc" else f"the invisible character U+{ord(hidden):04X}"
        return f"{which} contains {what}"
    if which in ("export", "target") and not text.startswith("/"):
        return f"{which} is {text!r}; write an absolute path such as {NAMES[which]}"
    if which == "server":
        source = parse_source(f"[{text}]:/" if ":" in text and not text.startswith("[") else f"{text}:/")
        if source.kind not in ("host", "ipv4", "ipv6") or source.problem or not _HOST.fullmatch(text):
            return f"server is {text!r}; write a host name or an address, without the path"
    return None


_HIDDEN = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of characters that a person does not see, that end a line, or that turn text around."""
_JOINERS = "\u200c\u200d"
"""Format characters of which words of some languages are made."""
_HOST = regex(r"[A-Za-z0-9_.:\[][A-Za-z0-9_.:-]*(?:%[A-Za-z0-9_.-]+)?\]?")
"""A name or an address; an IPv6 address may be in brackets and name an interface."""


def _mapping(data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise AnswerError((key,), f"{key} must be a mapping of names to values")
    return {str(name): inner for name, inner in value.items()}


def fact_value(base: RuleBase, name: str, value: object) -> Values:
    """A fact's value as the engine expects it; raises AnswerError for an unknown fact or a value of another type."""
    fact = base.facts.get(name)
    if fact is None:
        raise AnswerError((name,), f"unknown fact {name!r}; {_hint(name, base.facts)}")
    kind = fact.type
    if value == "n/a":
        return "n/a"
    if kind == "bool":
        word = str(value).lower()
        if word not in YES_NO:
            raise AnswerError((name,), f"{name} is yes or no; {value!r} is neither")
        return YES_NO[word]
    if kind == "version":
        if isinstance(value, str):
            return value.strip()
        raise AnswerError(
            (name,), f'{name}: quote the version ("{value}"): without quotes 5.10 is the number 5.1'
        )
    if kind == "int" and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            if value.lstrip().startswith(("<", ">", "=", "!")):
                return value  # a range, which the engine reads
        unit = fact.unit
        what = f"a whole number{f' of {unit}' if unit else ''}, or a range such as >=8 <16"
        raise AnswerError((name,), f"{name} is {what}; {value!r} is neither")
    if kind == "enum":
        return _enum_value(name, fact, value)
    return value  # type: ignore[return-value]  # the engine refuses what is not an answer


def _enum_value(name: str, fact: Fact, value: object) -> Values:
    """The value, or values, that names stand for; n/a may be one of a list."""
    words = [str(word) for word in value] if isinstance(value, list) else [str(value)]
    if not words:
        raise AnswerError((name,), f"{name}: the list is empty: give at least one value")
    try:
        short = fact.setting.map if fact.setting else {}  # what the setting itself leaves open, as vers=4 does
        choices = [short.get(word) or chosen(fact, word) if word != "n/a" else word for word in words]
    except NoChoiceError as error:
        raise AnswerError((name,), f"{name}: {error}") from None
    flat: list[Scalar] = [scalar for part in choices for scalar in (part if isinstance(part, list) else [part])]
    return flat if len(flat) > 1 else flat[0]


def pin_value(base: RuleBase, name: str, value: object, facts: Mapping[str, Values] | None = None) -> Scalar:
    """A pinned setting's value, typed as its tunable says; raises AnswerError if it cannot be that. `facts`: the
    answers, which may say that the client takes more than others."""
    if name not in base.decisions or base.decisions[name].estimate:
        raise AnswerError((name,), f"unknown setting {name!r}; {_hint(name, base.decisions)}")
    tunable = base.tunables[name]
    more = [form.spelling for form in tunable.forms if form.maximum]
    with suppress(FactError):  # contradictory answers are reported elsewhere
        if facts and any(holds(base.engine, f"form:{name}:{word}", base.engine.certain(facts)) for word in more):
            tunable = widest(tunable)
    text = str(value).strip()
    if text in _WORDS:
        return text
    typed = _to_type(tunable, text)
    wrong = "n/a is only for rules; pin omit or keep instead" if typed == "n/a" else why_invalid(tunable, typed)
    if wrong:
        raise AnswerError((name,), wrong)
    return typed


def _to_type(tunable: Tunable, text: str) -> Scalar:
    """The text as a value of the tunable's type, or the text itself if it does not fit that type."""
    kind = tunable.type
    if kind == "flag":
        return YES_NO.get(text.lower(), text)
    digits = text.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and len(digits) < _LONG
    return int(text) if whole and kind in ("uint", "int", "number", "size", "seconds") else text


def check_answers(base: RuleBase, answers: Answers) -> Answers:
    """The answers with every value typed. Raises AnswerError, also for answers that contradict each other."""
    facts = {name: _with_key("facts", fact_value, base, name, value) for name, value in answers.facts.items()}
    with_facts = partial(pin_value, facts=facts)
    pins = {name: _with_key("pins", with_facts, base, name, value) for name, value in answers.pins.items()}
    for name in answers.unknown:
        if name not in base.facts:
            raise AnswerError(("unknown", name), f"unknown fact {name!r}; {_hint(name, base.facts)}")
    for name, value in pins.items():
        other = base.tunables[name].other_unit or ""
        if value not in _WORDS and pins.get(other, "omit") not in _WORDS:
            raise AnswerError(("pins", name), f"{name} and {other} are one limit in two units; pin only one of them")
    try:
        answers = marked(base, answers._replace(facts=facts))
        state = base.engine.state(answers.facts)
    except FactError as error:
        raise AnswerError(("facts", str(error.fact)), str(error)) from None
    if not consistent(base.engine, state):
        raise AnswerError(("facts",), _clash_text(base, _clashing(base, answers.facts)))
    try:
        if pins:
            decided(base.engine, base.engine.certain(answers.facts), pins)  # a presumption yields to a pin
    except FactError as error:
        raise AnswerError(("pins", str(error.fact)), f"{error.fact}: {error}") from None
    observed = dict(parse_quantity(base, name, value) for name, value in answers.observed.items())
    return answers._replace(pins=pins, observed=observed)


def marked(base: RuleBase, answers: Answers) -> Answers:
    """The answers, n/a for those that do not matter beside the others, which their origin says. Raises as
    `with_bearing` does."""
    facts, beside = with_bearing(base, answers.facts)
    remarks = {name: f"{operand(value)} does not matter here" for name, value in beside.items()}
    return answers._replace(facts=facts, origin={**answers.origin, **remarks}) if beside else answers


def _clash_text(base: RuleBase, clash: dict[str, Values]) -> str:
    """That answers contradict each other, and which of them to change: the one that has fewest values beside the
    others."""
    fitting: dict[str, Values] = {}
    for name in clash:
        state = base.engine.state({other: value for other, value in clash.items() if other != name})
        fitting[name] = base.engine.answer(name, possible(base.engine, name, state))
    change = min(fitting, key=lambda name: len(value) if isinstance(value := fitting[name], list) else 1)
    others = f", or correct {word_list(name for name in clash if name != change)}" if len(clash) > 1 else ""
    said = ", ".join(f"{name}: {value}" for name, value in clash.items())
    return (f"change {change} to {operand(fitting[change])}{others}: these answers contradict each other, so one of "
            f"them is not so: {said}")


def _clashing(base: RuleBase, facts: dict[str, Values]) -> dict[str, Values]:
    """A minimal set of answers that contradict each other."""
    for name in facts:
        rest = {other: value for other, value in facts.items() if other != name}
        if not consistent(base.engine, base.engine.state(rest)):
            facts = rest
    return facts


def _with_key(
    key: str, check: Callable[[RuleBase, str, object], T], base: RuleBase, name: str, value: object
) -> T:
    try:
        return check(base, name, value)
    except AnswerError as error:
        raise AnswerError((key, *error.where), str(error)) from None


def _hint(name: str, known: Iterable[str]) -> str:
    return near(name, known, "`advisor rules list --facts` shows all of them")


def parse_quantity(base: RuleBase, name: str, value: object) -> tuple[str, Values]:
    """A quantity's whole name and its value; `name` may do without "observed.". Raises AnswerError."""
    where = ("observed", name)
    whole = name if name in base.observations or name in base.facts else f"observed.{name}"
    if whole not in base.observations and whole not in base.facts:
        raise AnswerError(where, f"unknown quantity {name!r}; {near(whole, base.observations, 'observe writes them')}")
    if type(value) not in (int, str):
        raise AnswerError(where, f"{name} is {value!r}; observe writes a number or a word")
    try:
        base.diagnosis.fact(whole).mask(value)
    except FactError as error:
        raise AnswerError(where, str(error)) from None
    return whole, value  # type: ignore[return-value]  # the engine took it


def parse_day(text: object) -> str:
    """A day as 2026-12-31. Raises AnswerError."""
    from datetime import date  # noqa: PLC0415  few answers are days

    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        raise AnswerError(("until",), f"until is {str(text)!r}; write a day such as 2026-12-31") from None
