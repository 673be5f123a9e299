"""Parses typed answers: values, ranges, and numbers with units as people write them (10G, 25 Gbit/s, 1.5 ms)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from advisor.engine import FactError
from advisor.engine.errors import word_list
from advisor.rulebase.model import Fact, RuleBase
from advisor.rulebase.spelling import NoChoiceError, chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


_YES = ("yes", "y", "true", "on", "1")
_NO = ("no", "n", "false", "off", "0")
_COMPARISON = re.compile(r"(>=|<=|==|!=|>|<|=)\s*([^<>=!]+)")
_RANGE = re.compile(r"(\d[^-–]*?) ?(?:-|–|to|\.\.) ?(\d.*)", re.DOTALL)
"""A range of numbers. Versions have no such ranges, because they contain hyphens: 5.14.0-362."""
_NEWER = re.compile(r"(?:at least |from |since )(\S+)|(\S+?)(?:\+| or (?:newer|later|more|higher))", re.IGNORECASE)
_OLDER = re.compile(r"(?:at most |up to )(\S+)|(\S+?) or (?:older|earlier|less|lower|below)", re.IGNORECASE)
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:[-+~:._].*)?", re.DOTALL)
_SERVICE_PACK = re.compile(r"(\d)[ -]?SP ?(\d)", re.IGNORECASE)
_BEFORE = re.compile(r"(?:older than|before|below|less than|under) (\S+)", re.IGNORECASE)


class Parsed(NamedTuple):
    """`value`; if it is None, `problem` says why and what to write instead."""

    value: Values | None
    problem: str | None = None


def parse(base: RuleBase, fact: str, text: str) -> Parsed:
    """Parses a typed answer to the question for a fact."""
    definition = base.facts[fact]
    text = " ".join(text.split())
    if not text:
        return Parsed(None, "Nothing is written yet.")
    try:
        kind = definition.type
        if kind == "bool":
            value: Values = _yes_no(text)
        elif kind == "enum":
            value = chosen(definition, text)
        elif kind == "int":
            value = _number(definition, text)
        else:
            value = _version(text)
        base.engine.fact(fact).mask(value)
    except (UnitError, NoChoiceError, _AnswerProblem) as error:
        return Parsed(None, _sentence(str(error)))
    except FactError as error:
        hint = f"; did you mean {word_list(error.suggestions)}?" if error.suggestions else ""
        return Parsed(None, _sentence(error.message + hint))
    return Parsed(value)


class _AnswerProblem(ValueError):
    """The text is not an answer; the message says why, without a capital and a full stop."""


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(("?", ".")) else text + "."


def _yes_no(text: str) -> bool:
    word = text.lower()
    if word not in (*_YES, *_NO):
        raise _AnswerProblem(f"{text!r} is neither yes nor no")
    return word in _YES


def _number(fact: Fact, text: str) -> int | str:
    unit = fact.unit or ""
    span = _RANGE.fullmatch(text)
    parts = [(">=", span[1]), ("<=", span[2])] if span else _ranges(text)
    if parts is None:
        value = parse_number(text.removeprefix("~").removeprefix("about "), unit)
        _check_limits(fact, value)
        return value
    limits = []
    for sign, limit in parts:
        value = parse_number(limit, unit)
        _check_limits(fact, value)
        limits.append((sign, value))
    return " ".join(f"{sign}{value}" for sign, value in limits)


def _check_limits(fact: Fact, value: int) -> None:
    low, high = fact.minimum, fact.maximum
    unit = f" {fact.unit}" if fact.unit else ""
    if low is not None and value < low:
        raise _AnswerProblem(f"{value} is too small; the minimum is {low}{unit}")
    if high is not None and value > high:
        raise _AnswerProblem(f"{value} is too large; the maximum is {high}{unit}")


def _version(text: str) -> str:
    text = _SERVICE_PACK.sub(r"\1.\2", text)
    parts = _ranges(text)
    if parts is None:
        return _plain_version(text)
    return " ".join(f"{sign}{_plain_version(limit)}" for sign, limit in parts)


def _plain_version(text: str) -> str:
    """The first word that is a version: the text may be the output of `uname -sr`, or "v6.1"."""
    for word in text.replace(",", " ").split():
        bare = word.lstrip("vV") if word[:1] in "vV" else word
        if _VERSION.fullmatch(bare):
            return bare
    raise _AnswerProblem(f"{text!r} is not a version; write it like 5.14 or >=5.14")


def _ranges(text: str) -> list[tuple[str, str]] | None:
    """The comparisons of a range (">=5.15 <6.2", "5.15 or newer"); None for a single value."""
    if text[0] in "<>=!":
        comparisons = _COMPARISON.findall(text)
        if "".join(sign + limit for sign, limit in comparisons).replace(" ", "") != text.replace(" ", ""):
            raise _AnswerProblem(f"{text!r} is not a range; write it like >=8 <16")
        return [("==" if sign == "=" else sign, limit.strip()) for sign, limit in comparisons]
    for read, sign in ((_NEWER.fullmatch, ">="), (_OLDER.fullmatch, "<="), (_BEFORE.fullmatch, "<")):
        match = read(text)
        if match:
            return [(sign, next(part for part in match.groups() if part))]
    return None


_NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)([^\d<>=!]*)")
MAX_DIGITS = 30
"""No answer has more digits, and Python refuses to convert thousands of them."""
_THOUSANDS = re.compile(r"(?<=\d)[ ,_'](?=\d{3}(?!\d))")
_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}
_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}
_TIMES = {"ns": Fraction(1, 1000), "us": Fraction(1), "ms": Fraction(1000), "s": Fraction(10**6)}
_TIME_WORDS = {
    "µs": "us", "μs": "us", "usec": "us", "microsecond": "us", "microseconds": "us", "msec": "ms", "millisecond": "ms",
    "milliseconds": "ms", "second": "s", "seconds": "s",
    "sec": "s",
}


class UnitError(ValueError):
    """The text has no number, or a unit that cannot be converted; the message says what to write."""


def parse_number(text: str, unit: str) -> int:
    """The text as a whole number of `unit`, which is also assumed for a number without a unit. Raises UnitError."""
    match = _NUMBER.fullmatch(_THOUSANDS.sub("", text.strip()))
    if not match:
        raise UnitError(f"{text!r} is not a number")
    if len(match[1]) > MAX_DIGITS:
        raise UnitError(f"a number of {len(match[1])} digits is too large")
    written = match[2].strip().rstrip(".")
    value = Fraction(match[1].replace(",", ".")) * unit_factor(written, unit)
    if value.denominator != 1 and value >= 10 and not _is_same_unit(written, unit):
        value = Fraction(round(value))  # 64 GB of memory are 60 GiB: exact enough
    if value.denominator != 1:
        raise UnitError(f"only whole numbers{f' of {unit}' if unit else ''}; write {int(value)} or {int(value) + 1}")
    return int(value)


def unit_factor(written: str, unit: str) -> Fraction:
    """How many `unit` are one `written`: 1024 for "GiB" in "MiB". Raises UnitError."""
    if not written or _is_same_unit(written, unit):
        return Fraction(1)
    size, wanted = _size_unit(written), _size_unit(unit)
    if wanted is not None:
        if size is None and len(written) == 1:  # 10G of memory, 25G of network: a prefix of the unit
            size = _size_unit(written + unit.lstrip("kKMGTP"))
        if size is None or size[1] != wanted[1]:
            raise UnitError(f"{written!r} is not a unit for this number; write it in {unit}")
        return size[0] / wanted[0]
    time, wanted_time = _time_unit(written), _time_unit(unit)
    if wanted_time is not None:
        if time is None:
            raise UnitError(f"{written!r} is not a unit of time; write the number in {unit}")
        return time / wanted_time
    if written in ("k", "K", "M"):
        return Fraction(_DECIMAL[written.lower()])
    raise UnitError(f"cannot read {written!r}; write only the number{f', in {unit}' if unit else ''}")


def _is_same_unit(written: str, unit: str) -> bool:
    return written.lower().rstrip("s") == unit.lower().rstrip("s")


def _size_unit(unit: str) -> tuple[Fraction, bool] | None:
    """(bits, whether it is per second) of a unit of data or throughput; None for other units."""
    text = "Gbit/s" if unit.strip().lower() == "gbe" else unit.strip()
    rate = False
    for ending in ("/s", "/sec", "ps", " per second"):
        if text.lower().endswith(ending) and text.lower() != "ps":
            text, rate = text[: -len(ending)].strip(), True
            break
    match = re.fullmatch(r"([kKMGTP]?)(i?)(bytes?|B|bits?|b)", text)
    if not match or (match[2] and not match[1]):
        return None
    scale = (_BINARY if match[2] else _DECIMAL)[match[1].lower()]
    return Fraction(scale * (8 if match[3][0] == "B" or match[3].startswith("byte") else 1)), rate


def _time_unit(unit: str) -> Fraction | None:
    word = unit.strip().lower()
    return _TIMES.get(_TIME_WORDS.get(word, word))


def choice_keys(values: Sequence[object]) -> list[str]:
    """A key for each value: 1, 2, 3 …; if a value begins with a digit ("3", "4.1"), all values are their own keys, so
    that 3 means NFSv3, not the third line."""
    names = [value if isinstance(value, str) else "" for value in values]
    if any(name[:1].isdigit() for name in names):
        return names
    return [str(place) for place in range(1, len(names) + 1)]
