"""From what somebody types to an answer, or to what is wrong with it and what to write instead."""

from __future__ import annotations

import re
from typing import NamedTuple

from advisor.engine import FactError
from advisor.rulebase.model import Fact, RuleBase
from advisor.rulebase.words import NoChoiceError, chosen
from advisor.session.units import UnitError, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

_YES = ("yes", "y", "true", "on", "1")
_NO = ("no", "n", "false", "off", "0")
_COMPARISON = re.compile(r"(>=|<=|==|!=|>|<|=)\s*([^<>=!]+)")
_SPAN = re.compile(r"(\d[^-–]*?) ?(?:-|–|to|\.\.) ?(\d.*)", re.DOTALL)
"""Of numbers; in a version the hyphen is its own: 5.14.0-362."""
_NEWER = re.compile(r"(?:at least |from |since )(\S+)|(\S+?)(?:\+| or (?:newer|later|more|higher))", re.IGNORECASE)
_OLDER = re.compile(r"(?:at most |up to )(\S+)|(\S+?) or (?:older|earlier|less|lower|below)", re.IGNORECASE)
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:[-+~:._].*)?", re.DOTALL)
_SERVICE_PACK = re.compile(r"(\d)[ -]?SP ?(\d)", re.IGNORECASE)
_BEFORE = re.compile(r"(?:older than|before|below|less than|under) (\S+)", re.IGNORECASE)


class Parsed(NamedTuple):
    """`value`, or `problem`: why there is none and what to write. `problem` is None where the value holds."""

    value: Values | None
    problem: str | None = None


def parse(base: RuleBase, fact: str, text: str) -> Parsed:
    """What the text means as an answer to the question."""
    told = base.facts[fact]
    text = " ".join(text.split())
    if not text:
        return Parsed(None, "Nothing is written yet.")
    try:
        kind = told.type
        if kind == "bool":
            value: Values = _yes_no(text)
        elif kind == "enum":
            value = chosen(told, text)
        elif kind == "int":
            value = _number(told, text)
        else:
            value = _version(text)
        base.engine.fact(fact).mask(value)
    except (UnitError, NoChoiceError, _Wrong) as error:
        return Parsed(None, _sentence(str(error)))
    except FactError as error:
        hint = f"; did you mean {' or '.join(error.suggestions)}?" if error.suggestions else ""
        return Parsed(None, _sentence(error.message + hint))
    return Parsed(value)


class _Wrong(ValueError):
    """The text is not an answer; the message says why."""


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(("?", ".")) else text + "."


def _yes_no(text: str) -> bool:
    word = text.lower()
    if word not in (*_YES, *_NO):
        raise _Wrong(f"{text!r} is neither yes nor no")
    return word in _YES


def _number(told: Fact, text: str) -> int | str:
    unit = told.unit or ""
    span = _SPAN.fullmatch(text)
    parts = [(">=", span[1]), ("<=", span[2])] if span else _ranges(text)
    if parts is None:
        value = number(text.removeprefix("~").removeprefix("about "), unit)
        _inside(told, value)
        return value
    limits = []
    for sign, limit in parts:
        value = number(limit, unit)
        _inside(told, value)
        limits.append((sign, value))
    return " ".join(f"{sign}{value}" for sign, value in limits)


def _inside(told: Fact, value: int) -> None:
    low, high = told.minimum, told.maximum
    unit = f" {told.unit}" if told.unit else ""
    if low is not None and value < low:
        raise _Wrong(f"{value} is too small; the minimum is {low}{unit}")
    if high is not None and value > high:
        raise _Wrong(f"{value} is too large; the maximum is {high}{unit}")


def _version(text: str) -> str:
    text = _SERVICE_PACK.sub(r"\1.\2", text)
    parts = _ranges(text)
    if parts is None:
        return _plain_version(text)
    return " ".join(f"{sign}{_plain_version(limit)}" for sign, limit in parts)


def _plain_version(text: str) -> str:
    """The first word that begins with a number: all of `uname -sr` or "v6.1" will do."""
    for word in text.replace(",", " ").split():
        bare = word.lstrip("vV") if word[:1] in "vV" else word
        if _VERSION.fullmatch(bare):
            return bare
    raise _Wrong(f"{text!r} is not a version; write it like 5.14 or >=5.14")


def _ranges(text: str) -> list[tuple[str, str]] | None:
    """The comparisons of a range (">=5.15 <6.2", "5.15 or newer"); None for a single value."""
    if text[0] in "<>=!":
        found = _COMPARISON.findall(text)
        if "".join(sign + limit for sign, limit in found).replace(" ", "") != text.replace(" ", ""):
            raise _Wrong(f"{text!r} is not a range; write it like >=8 <16")
        return [("==" if sign == "=" else sign, limit.strip()) for sign, limit in found]
    for read, sign in ((_NEWER.fullmatch, ">="), (_OLDER.fullmatch, "<="), (_BEFORE.fullmatch, "<")):
        match = read(text)
        if match:
            return [(sign, next(part for part in match.groups() if part))]
    return None
