"""Numbers with units, as people write them: 10G, 25 Gbit/s, 1.5 ms."""

from __future__ import annotations

import re
from fractions import Fraction

_NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)([^\d<>=!]*)")
MAX_DIGITS = 30
"""More than any answer has; Python refuses to convert thousands of them."""
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
    """A text without a number in a unit that converts to the one asked for; the message says what to write."""


def number(text: str, unit: str) -> int:
    """The whole number of `unit` that the text means; a number without a unit is taken to be in `unit`."""
    match = _NUMBER.fullmatch(_THOUSANDS.sub("", text.strip()))
    if not match:
        raise UnitError(f"{text!r} is not a number")
    if len(match[1]) > MAX_DIGITS:
        raise UnitError(f"a number of {len(match[1])} digits is too large")
    written = match[2].strip().rstrip(".")
    value = Fraction(match[1].replace(",", ".")) * factor(written, unit)
    if value.denominator != 1 and value >= 10 and not _same(written, unit):
        value = Fraction(round(value))  # 64 GB of memory are 60 GiB: near enough for a size that people know
    if value.denominator != 1:
        raise UnitError(f"only whole numbers{f' of {unit}' if unit else ''}; write {int(value)} or {int(value) + 1}")
    return int(value)


def factor(written: str, unit: str) -> Fraction:
    """How many `unit` one `written` is."""
    if not written or _same(written, unit):
        return Fraction(1)
    size, wanted = _size(written), _size(unit)
    if wanted is not None:
        if size is None and len(written) == 1:  # 10G of memory, 25G of network: the unit's own kind
            size = _size(written + unit.lstrip("kKMGTP"))
        if size is None or size[1] != wanted[1]:
            raise UnitError(f"{written!r} is not a unit for this number; write it in {unit}")
        return size[0] / wanted[0]
    time, wanted_time = _time(written), _time(unit)
    if wanted_time is not None:
        if time is None:
            raise UnitError(f"{written!r} is not a unit of time; write the number in {unit}")
        return time / wanted_time
    if written in ("k", "K", "M"):
        return Fraction(_DECIMAL[written.lower()])
    raise UnitError(f"cannot read {written!r}; write only the number{f', in {unit}' if unit else ''}")


def _same(written: str, unit: str) -> bool:
    return written.lower().rstrip("s") == unit.lower().rstrip("s")


def _size(unit: str) -> tuple[Fraction, bool] | None:
    """(bits, whether a second) of a unit of data or of throughput."""
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


def _time(unit: str) -> Fraction | None:
    word = unit.strip().lower()
    return _TIMES.get(_TIME_WORDS.get(word, word))
