"""Answers as people write them: values, ranges, and numbers with units (10G, 25 Gbit/s, 1.5 ms)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from advisor.advice.answers import YES_NO
from advisor.engine import FactError
from advisor.engine.errors import word_list
from advisor.regex import regex
from advisor.rulebase.model import Fact, RuleBase, Values
from advisor.rulebase.model.rules import AnswerForm
from advisor.rulebase.spelling import NoChoiceError, chosen

_YES_NO = {**YES_NO, "y": True, "1": True, "n": False, "0": False}
_COMPARISON = regex(r"(>=|<=|==|!=|>|<|=)\s*([^<>=!]+)")
_RANGE = regex(r"(\d[^-–]*?) ?(?:-|–|to|\.\.) ?(\d.*)", re.DOTALL)
"""A range of numbers. Versions have no such ranges, because they contain hyphens: 5.14.0-362."""
_NEWER = regex(r"(?:at least |from |since )(\S+)|(\S+?)(?:\+| or (?:newer|later|more|higher))", re.IGNORECASE)
_OLDER = regex(r"(?:at most |up to )(\S+)|(\S+?) or (?:older|earlier|less|lower|below)", re.IGNORECASE)
_VERSION = regex(r"\d+(?:\.\d+)*(?:[-+~:._].*)?", re.DOTALL)
_SERVICE_PACK = regex(r"(\d)[ -]?SP ?(\d)", re.IGNORECASE)
_BEFORE = regex(r"(?:older than|before|below|less than|under) (\S+)", re.IGNORECASE)


class Parsed(NamedTuple):
    """`value`; if it is None, `problem` says why and what to write instead."""

    value: Values | None
    problem: str | None = None


def form_of(base: RuleBase, fact: str, facts: Mapping[str, Values]) -> AnswerForm | None:
    """How an answer is written, by the answers to other questions; None if that is not known."""
    forms = base.facts[fact].forms
    return next((form for form in forms if all(facts.get(name) == value for name, value in form.given.items())), None)


def parse(base: RuleBase, fact: str, text: str, facts: Mapping[str, Values] = {}) -> Parsed:
    """`facts`: the other answers, by which it may be none."""
    definition, form = base.facts[fact], form_of(base, fact, facts)
    text = " ".join(text.split())
    if not text:
        return Parsed(None, "Nothing is written yet.")
    try:
        kind = definition.type
        if kind == "bool":
            if text.lower() not in _YES_NO:
                raise _AnswerProblem(f"{text!r} is neither yes nor no")
            value: Values = _YES_NO[text.lower()]
        elif kind == "enum":
            value = chosen(definition, text)
        elif kind == "int":
            value = _number(definition, text)
        else:
            value = _version(text)
            if form is not None and not all(re.search(form.match, each) for each in re.findall(r"[^<>=!\s]+", value)):
                whose = next(iter(form.given), "")
                named = whose and (base.facts[whose].values or {}).get(str(form.given[whose]), "")
                wrong = f"{named} has no release {value}; releases look" if named else f"{value} is none; one looks"
                raise _AnswerProblem(f"{wrong} like {word_list(form.examples)}")
        base.engine.fact(fact).mask(value)
    except (UnitError, NoChoiceError, _AnswerProblem) as error:
        return Parsed(None, _sentence(str(error)))
    except FactError as error:
        hint = f"; did you mean {word_list(error.suggestions)}?" if error.suggestions else ""
        return Parsed(None, _sentence(error.message + hint))
    return Parsed(value)


def named_instead(base: RuleBase, fact: str, text: str) -> dict[str, Values]:
    """The answers (fact → value) that a product with its release gives if another version is asked: the distribution
    and its release for "RHEL 9", typed as a kernel; {} for other texts."""
    for release in base.facts.values():
        for asked in release.asked_after if release.type == base.facts[fact].type and release.id != fact else ():
            with suppress(NoChoiceError):
                if base.facts[asked].type == "enum" and base.facts[asked].section == base.facts[fact].section:
                    name = chosen(base.facts[asked], re.split(r"\d", text)[0].strip())
                    value = parse(base, release.id, text, {asked: name}).value
                    if value is not None and isinstance(name, str):
                        return {asked: name, release.id: value}
    return {}


class _AnswerProblem(ValueError):
    """The text is not an answer; the message says why, without a capital and a full stop."""


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(("?", ".")) else text + "."


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


_NUMBER = regex(r"(\d+(?:[.,]\d+)?)([^\d<>=!]*)")
MAX_DIGITS = 30
"""No answer has more digits, and Python refuses to convert thousands of them."""
_THOUSANDS = regex(r"(?<=\d)[ ,_'](?=\d{3}(?!\d))")
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
