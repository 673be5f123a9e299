"""Values of settings: whether a tunable can have one, whether it satisfies a rule, and how it is written."""

from __future__ import annotations

import operator
import re
from collections.abc import Container, Iterable, Sequence
from functools import cache, lru_cache

from advisor.engine import word_list
from advisor.engine.formula import with_numbers
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import Rule, Scalar, Tunable, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard


NFS_VERSIONS = ("3", "4.0", "4.1", "4.2")
KERBEROS = ("krb5", "krb5i", "krb5p")
COMMON = "nfs"
"""The file system type whose options every helper type takes too."""
LINE_KINDS = ("mount-option", "fstab-field")
"""Kinds of tunables that are in a line of fstab."""
LISTED_KINDS = ("mount-option", "fstab-field", "export-option")
"""Kinds of which everything that counts is in one line: what is not written there is not set."""
_COMPARE = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne,
}
_WORDS = {">=": "at least", "<=": "at most", ">": "above", "<": "below", "==": "exactly", "!=": "other than"}
_SIGNS = ("<", ">", "=", "!")
_LIMIT = regex(r"(>=|<=|==|!=|>|<)\s*([^\s<>=!]+)")
_BOUND_ONLY = regex(r"(?:(?:>=|<=|==|!=|>|<)\s*-?\d{1,20}\s*)+")
_SECONDS = {"deciseconds": 0.1, "seconds": 1, "minutes": 60}
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_UNIT = r"(?:us|usec|ms|msec|s|sec|seconds?|m|min|minutes?|hr?|hours?|d|days?|w|weeks?|M|months?|y|years?)"
_AFTER = rf"(?:{_UNIT}\s*|\s+(?:{_UNIT}\s*)?)"  # spaces or a unit: digits alone would read as one number or as several
TIME_SPAN = rf"infinity|\s*{_NUMBER}(?:{_AFTER}{_NUMBER})*{_AFTER}?"
"""As systemd reads it."""
NUMERIC = ("uint", "int", "number", "size", "seconds")
_SIZE = r"[0-9]+ ?([KMGTkmgt]i?)?[Bb]?"
_WORD = r"[A-Za-z0-9_./:@+][A-Za-z0-9_./:@+=-]*"
"""Text that means nothing but itself to a shell, in an option list, and in every file that a setting is written to."""
_PROSE = r"[A-Za-z0-9][A-Za-z0-9 ,./:=_+-]*"
_VERSION = r"(?:[<>]=?|==)?[A-Za-z0-9][A-Za-z0-9.+~^:_-]*"


def meant_by(name: str, tunables: Container[str]) -> str:
    """The tunable that a name in a formula means, where an underscore may stand for a hyphen."""
    return name if name in tunables else name.replace("_", "-")


def is_bound(value: object) -> TypeGuard[str]:
    """True for a rule value such as "<=262144", ">=8 <=16" or ">=2*client.count"."""
    # The sign first: nearly all that is asked about are plain words and numbers.
    return isinstance(value, str) and value[:1] in _SIGNS and (
        _BOUND_ONLY.fullmatch(value) is not None or ("." in value and bool(_BOUND_ONLY.fullmatch(with_numbers(value))))
    )


def inside(number: object, bound: str) -> bool:
    """True if `number` satisfies every comparison of `bound`; a value that is not a number never does."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return all(_COMPARE[sign](number, limit) for sign, limit in _limits(bound))


@cache
def _limits(bound: str) -> list[tuple[str, int]]:
    """The comparisons of a bound: sign, number. Of a formula what it certainly asks for."""
    return [(sign, int(limit)) for sign, limit in _LIMIT.findall(with_numbers(bound))]


def same(a: object, b: object) -> bool:
    """Equal values; a word and a number that are written alike ("3" and 3) are equal, true and 1 are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a == b) or (type(a) is not type(b) and str(a) == str(b))


def supports(current: Value, wanted: Value, default: Value) -> bool:
    """Whether a setting that is present with value `current` supports the rule value `wanted`.

    `default` is the value in effect when the setting is absent (None: not known): writing it out does no harm
    where a rule says `omit`."""
    if wanted == "keep":
        return True
    if wanted in ("omit", "n/a"):
        return default is not None and same(current, default)
    if is_bound(wanted):
        return inside(current, wanted)
    parts = _parts(wanted)
    if len(parts) > 1:
        numbers = _parts(current)
        return len(numbers) == len(parts) and all(supports(a, b, None) for a, b in zip(numbers, parts))
    return same(current, wanted)


def _parts(value: Value) -> list[Value]:
    """The parts of a value with several fields, of which `*` is any number; one part where it has no spaces."""
    words = value.split(" ") if isinstance(value, str) and " " in value and not is_bound(value) else []
    return ["keep" if word == "*" else int(word) if word.isascii() and word.isdigit() else word for word in words]


def filled(wanted: Value, current: Value) -> Value:
    """A value that satisfies a rule value with several fields, with the fewest changes to `current`."""
    parts, numbers = _parts(wanted), _parts(current)
    if not parts or len(parts) != len(numbers):
        return wanted
    chosen = [
        now if supports(now, part, None) else nearest(part, now) if is_bound(part) and isinstance(now, int) else part
        for part, now in zip(parts, numbers)
    ]
    return " ".join(map(str, chosen))


def implies(a: Value, b: Value, default: Value) -> bool:
    """Whether doing what rule value `a` asks for also does what `b` asks for."""
    if same(a, b) or b == "keep":
        return True
    parts = _parts(a), _parts(b)
    if parts[0] and len(parts[0]) == len(parts[1]):
        return all(implies(part, other, None) for part, other in zip(*parts))
    if a in ("omit", "n/a"):
        return b in ("omit", "n/a") or (default is not None and supports(default, b, default))
    if not is_bound(a):
        return a != "keep" and supports(a, b, default)
    if not is_bound(b):
        return False
    limits = [limit for _, limit in (*_limits(a), *_limits(b))]
    return all(inside(n, b) for limit in limits for n in (limit - 1, limit, limit + 1) if inside(n, a))


def narrowest(wanted: Iterable[Scalar], default: Value) -> list[Scalar]:
    """The rule values that no other one implies: of 262144 and "<=262144" the first.

    Literals come first and `omit` last."""
    order = sorted(wanted, key=lambda value: (value in ("omit", "n/a"), is_bound(value)))
    kept: list[Scalar] = []
    for place, value in enumerate(order):
        rivals = (*kept, *order[place + 1 :])
        if not any(implies(rival, value, default) for rival in rivals):
            kept.append(value)
    return kept


def common(wanted: Sequence[Scalar], default: Value) -> Value:
    """The rule value that all the others imply, which holds whichever of them is right: "<=60" of 1 and "<=60". None if
    there is none."""
    return next((value for value in wanted if all(implies(other, value, default) for other in wanted)), None)


def beyond(number: Value, wanted: Iterable[Scalar], default: Value) -> str | None:
    """The bound that a number breaks whichever of these rule values is right: "<=8" for 16 of 2 and ">=4 <=8".
    None if it lies between them, or where one of them is not a number."""
    ends = [_bound_ends(value, default) for value in wanted]
    least, most = [low for low, _ in ends], [high for _, high in ends]
    bounds = [f">={min(low for low in least if low is not None)}"] if None not in least else []
    bounds += [f"<={max(high for high in most if high is not None)}"] if None not in most else []
    return next((bound for bound in bounds if not inside(number, bound)), None)


def _bound_ends(value: Value, default: Value) -> tuple[int | None, int | None]:
    """The least and the largest number that a rule value allows; None if there is no such end."""
    if is_bound(value):
        steps = {"<": -1, ">": 1}
        limits = [(sign, limit + steps.get(sign, 0)) for sign, limit in _limits(value)]
        least = [limit for sign, limit in limits if sign in (">", ">=", "==")]
        most = [limit for sign, limit in limits if sign in ("<", "<=", "==")]
        return max(least, default=None), min(most, default=None)
    number = default if value in ("omit", "n/a") else value
    return (number, number) if isinstance(number, int) and not isinstance(number, bool) else (None, None)


def nearest(bound: str, number: Value) -> int | None:
    """The number inside a bound that is nearest to `number`; None if the bound has no end inside.

    If `number` is not a number, as for an unknown default: the lower end, or else the upper."""
    if isinstance(number, (int, float)) and inside(number, bound):
        return int(number)
    ends = [end for end in _bound_ends(bound, None) if end is not None and inside(end, bound)]
    if not ends:
        return None
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return min(ends, key=lambda end: abs(end - number))
    return min(ends)


def absence_supports(wanted: Value, default: Value) -> bool | None:
    """Whether leaving the setting out supports `wanted`; None when that depends on an unknown default."""
    if wanted in ("keep", "omit", "n/a"):
        return True
    if default is None:
        return None
    return inside(default, wanted) if is_bound(wanted) else same(default, wanted)


def demands(rule: Rule, default: Value) -> bool:
    """Whether the rule asks, more strongly than `may`, for a value that leaving the setting out does not give. A
    negotiated value may turn out right."""
    return (rule.missing or rule.strength) in ("must", "should") and absence_supports(rule.value, default) is False


def spell(tunable: Tunable, value: Value, like: str = "") -> str:
    """How `value` is written as a mount option: "nconnect=4", "nolock"; "" when the option is left out.

    `like`: how the option is written now, so that `nfsvers=3` becomes `nfsvers=4.1`."""
    if value in ("omit", "n/a"):
        return ""
    if isinstance(value, bool):
        for form in tunable.forms:
            if form.means is value:
                return form.spelling
    names = [form.spelling for form in tunable.forms if form.takes]
    if names:
        now = like.partition("=")[0]
        return f"{now if '=' in like and now in names else names[0]}={value}"
    for form in tunable.forms:
        if form.means is not None and same(form.means, value):
            return form.spelling
    return f"{like.partition('=')[0] if '=' in like else tunable.id.partition('.')[2]}={value}"


def in_words(bound: str, group: str = "") -> str:
    """A bound for people: "<=262144" is "at most 262144", ">=8 <=16" is "between 8 and 16". `group`: between
    thousands."""
    parts = [(sign, f"{int(limit):{group}}" if limit.isdecimal() else limit) for sign, limit in _LIMIT.findall(bound)]
    if [sign for sign, _ in parts] == [">=", "<="]:
        return f"between {parts[0][1]} and {parts[1][1]}"
    return " and ".join(f"{_WORDS[sign]} {limit}" for sign, limit in parts)


@lru_cache(maxsize=1024)
def amount(number: int, unit: str | None) -> str:
    """A number for people. A time has the unit that people would use: "4.2 s", "3 minutes", "1.5 hours"."""
    if unit not in _SECONDS:
        return f"{number} {unit or ''}".rstrip()
    seconds = number * _SECONDS[unit]
    for size, word in ((3600, "hours"), (60, "minutes"), (1, "s")):
        if seconds >= 2 * size:
            return f"{round(seconds / size, 1):g} {word}"
    return f"{round(seconds, 1):g} s"


def name(tunable: Tunable) -> str:
    """The option's usual name: "nconnect"; for a setting that is not an option its id."""
    return tunable.forms[0].spelling if tunable.forms else tunable.id


def kernel_file(tunable: str) -> str:
    """The file with the value that is in effect, of a sysctl or a module's parameter."""
    kind, _, name = tunable.partition(".")
    if kind == "sysctl":
        return f"/proc/sys/{name.replace('.', '/')}"
    module, _, parameter = name.partition(".")
    return f"/sys/module/{module}/parameters/{parameter}"


def told_name(tunable: Tunable) -> str:
    """A setting as shown to people: as written in a file, or its title if no file holds it."""
    if tunable.kind == "fstab-field":
        return tunable.id.partition(".")[2]
    written = tunable.forms or tunable.kind in ("sysctl", "module-parameter", "nfs.conf")
    return name(tunable).removeprefix("sysctl.") if written else tunable.title


def describe(tunable: Tunable, value: Value, like: str = "") -> str:
    """A rule value in a message: "nconnect=4", "at most 262144 bytes", "left out".

    Deciseconds are written as a time too: "at least 150 (15 s)". `like` as in `spell`."""
    if value in ("omit", "n/a"):
        return "left out"
    if is_bound(value):
        words, unit = in_words(value), tunable.unit or ""
        if unit == "deciseconds":  # an unusual unit
            return f"{words} ({' and '.join(amount(limit, unit) for _, limit in _limits(value))})"
        return f"{words} {unit.removesuffix('s') if words.endswith(' 1') else unit}".rstrip()
    return str(value) if tunable.kind == "fstab-field" else spell(tunable, value, like)


def advise(tunable: Tunable, wanted: Value, like: str = "", number: int | None = None) -> str:
    """The remedy for a setting that should have the rule value `wanted`: "Write nconnect=4.", "Write timeo=150 or
    more."

    `number`: the one to write where `wanted` is a bound."""
    if wanted in ("omit", "n/a"):
        return f"Leave {like.partition('=')[0] or name(tunable)} out."
    if not is_bound(wanted):
        return f"Write {describe(tunable, wanted, like)}."
    if number is None:
        return f"Write {like.partition('=')[0] or name(tunable)}=N with N {in_words(wanted)}."
    least, most = _bound_ends(wanted, None)
    others = f", or another number {in_words(wanted)}"
    if least is None or most is None:
        others = " or less" if least is None else " or more"
    return f"Write {spell(tunable, number, like)}{others if least != most else ''}."


class Misfit(NamedTuple):
    """Why a tunable cannot have a value, and what to write. `part`: the word of a list that is meant; `words`: those
    that there are, where only some are possible."""

    why: str
    write: str
    part: str | None = None
    words: Sequence[Scalar] = ()


def widest(tunable: Tunable) -> Tunable:
    """The tunable with the largest number that any of its forms takes, as that of a vendor's client does."""
    most = max((form.maximum or 0 for form in tunable.forms), default=0)
    return tunable.replace(maximum=most) if tunable.maximum is not None and most > tunable.maximum else tunable


def why_invalid(tunable: Tunable, value: object) -> str | None:
    """Why a rule or a pin cannot have this value of a tunable, in a sentence without its stop; None if it can.

    `value`: no bound and none of the words that name no value. What has passed here may stand in every file and
    command: text holds no character that any of them would take for its own."""
    if any(form.means is not None and same(form.means, value) for form in tunable.forms):
        return None
    wrong = misfit(tunable, value)
    if wrong is None:
        return None
    found = f"{tunable.id} is {value!r}" if wrong.part is None else f"{tunable.id} has {wrong.part!r}"
    return f"{found}; {wrong.why}"


def misfit(tunable: Tunable, value: object, authored: bool = False) -> Misfit | None:
    """Why a tunable cannot have this value, which none of its bare words stands for; None if it can.

    `authored`: as an entry of the rule base says that a file has it, with the type that YAML gives it; otherwise it is
    to be written, a number of a list of words perhaps as text."""
    kind = tunable.type
    if kind == "flag":
        return None if isinstance(value, bool) else Misfit("it is on or off", "write true or false")
    if kind in NUMERIC:
        return _misfit_number(tunable, value, authored)
    if kind in ("enum", "list"):
        return _misfit_word(tunable, value, authored)
    if not isinstance(value, str):
        return Misfit("it is text", "write it in quotes")
    if tunable.fields:
        return _misfit_fields(tunable.fields, value, authored)
    if kind == "pattern" and not _matches(tunable.pattern or "", value):
        return Misfit(f"it does not match {tunable.pattern}", "write a value that does")
    return None if authored else _unwritable(tunable, value)


def _misfit_number(tunable: Tunable, value: object, authored: bool) -> Misfit | None:
    kind = tunable.type
    if isinstance(value, str):
        written = (
            re.fullmatch(_SIZE, value) if kind == "size" else re.fullmatch(TIME_SPAN, value) if kind == "seconds"
            else kind == "number" and not authored and re.fullmatch(_NUMBER, value)
        )
        if not written:
            return Misfit(f"it is a {'whole ' if kind.endswith('int') else ''}number", "write one, without quotes")
        return None if authored else _unwritable(tunable, value)
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind == "number" else int):
        return Misfit("it is a whole number", "write one")
    low, high = limits(tunable)
    if (low is None or value >= low) and (high is None or value <= high):
        return None
    unit = f" {tunable.unit}" if tunable.unit else ""
    return Misfit(f"it can be {span(low, high)}{unit}", "write a number inside")


def limits(tunable: Tunable) -> tuple[int | None, int | None]:
    """The least and the largest number that a tunable can be; None for no such limit."""
    return 0 if tunable.minimum is None and tunable.type != "int" else tunable.minimum, tunable.maximum


def span(low: int | None, high: int | None) -> str:
    """Limits in words: "1 to 16"."""
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def words_of(tunable: Tunable) -> list[Scalar]:
    """The values that an enum or list tunable knows: its own list, and what its bare words stand for."""
    words = [*(tunable.values or ())]
    for form in tunable.forms:
        words += [] if form.means is None else [form.means]
        words += form.values or ()
    return words


def _misfit_word(tunable: Tunable, value: object, authored: bool) -> Misfit | None:
    words = words_of(tunable)
    if any(same(word, value) and (not authored or type(word) is type(value)) for word in words):
        return None
    part = None
    if tunable.type == "list" and isinstance(value, str) and tunable.separator:
        part = next((part for part in value.split(tunable.separator) if part not in words), None)
        if part is None:
            return None
    shown = dict.fromkeys(str(word).lower() if isinstance(word, bool) else str(word) for word in words)
    return Misfit(f"it is one of {word_list(shown)}", "choose one of these", part, words)


def _misfit_fields(fields: Sequence[str], value: str, authored: bool) -> Misfit | None:
    """A value of several numbers; an author may write bounds, and `*` for any."""
    parts = value.split() if authored else value.split(" ")
    if len(parts) != len(fields):
        write = "write a number, a comparison such as >=4096, or * for each"
        return Misfit(f"it has {len(fields)} fields: {', '.join(fields)}", write)
    for part in parts:
        bound = authored and (part == "*" or is_bound(part))
        if not bound and not (part.isascii() and part.isdigit()):
            return Misfit(f'"{part}" is not a number', "write a number, a bound such as >=4096, or *")
    return None


def _unwritable(tunable: Tunable, text: str) -> Misfit | None:
    """Why a text must not be in files and commands that root reads."""
    if tunable.type == "prose":
        safe, characters = re.fullmatch(_PROSE, text), "letters, digits, spaces and , . / : = _ + -"
    elif tunable.type == "version":
        safe, characters = re.fullmatch(_VERSION, text), "letters, digits and . + ~ ^ : _ -"
    else:
        safe, characters = re.fullmatch(_WORD, text), "letters, digits and . / : @ + = - _"
    why = f"only {characters} mean nothing else in every file and command that it is written to"
    return None if safe else Misfit(why, "write these only")


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True  # the broken pattern is a problem of its own
