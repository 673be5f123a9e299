"""Finds what a word names, or what it may have meant: a name, or a value of a fact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from advisor.engine import word_list
from advisor.engine.errors import near as similar
from advisor.regex import regex
from advisor.rulebase.model import Fact, Scalar, Values

_JOINTS = regex(r"[\s_-]+")
_SHORT = 6
"""Letters below which a wrong letter makes another name (efs, gfs), unless it is the neighbour of the right one."""
_WORD = regex(r"[^\W_]+")
_MANY = 4
"""Values for which a choice is not offered."""
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


class NoChoiceError(ValueError):
    """The word names no value; the message says what to write."""


def plain(name: str) -> str:
    """A name in the form in which names are compared: in lower case, without spaces, hyphens and underscores."""
    return _JOINTS.sub("", name.casefold())


def chosen(fact: Fact, text: str) -> Values:
    """The value of an enum fact that a text names, or the values that a list of names means ("anf, ontap").

    A name is a value, its label, or one of its aliases. Raises NoChoiceError."""
    known = names(fact)
    if plain(text) in known:
        return known[plain(text)]
    words = [word.strip() for word in re.split(r",|\sor\s", text) if word.strip()]
    values: list[Scalar] = list(dict.fromkeys(value for word in words for value in _meant(fact, known, word)))
    if not values:
        raise NoChoiceError(f"{text!r} names nothing")
    return values if len(values) > 1 else values[0]


def names(fact: Fact) -> dict[str, str]:
    """Name, as `plain` gives it → the value that it names."""
    values = fact.values or {}
    by_name = {plain(label): value for value, label in values.items()}
    by_name |= {plain(name): value for value, aliases in (fact.aliases).items() for name in aliases}
    return by_name | {plain(value): value for value in values}


def one_slip(word: str, known: str) -> bool:
    """Whether two words are equal but for one extra or missing letter, two swapped ones, or, in a longer word, one
    wrong letter."""
    if len(word) == len(known):
        wrong = [at for at, (letter, other) in enumerate(zip(word, known)) if letter != other]
        if len(wrong) == 2:
            return wrong[1] == wrong[0] + 1 and sorted(word) == sorted(known)
        return not wrong or (len(wrong) == 1 and len(known) > len("nfs"))
    longer, shorter = (word, known) if len(word) > len(known) else (known, word)
    return len(longer) == len(shorter) + 1 and any(
        longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer))
    )


def _is_slip_for(word: str, known: str) -> bool:
    """A slip for a name. Another digit is another version, and in a short name another letter another product: many are
    a letter or two before "fs". A last letter too many or too few, and letters swapped behind the first, name none."""
    if [each for each in word if each.isdigit()] != [each for each in known if each.isdigit()]:
        return False
    if len(known) >= _SHORT:
        return one_slip(word, known)
    if min(len(word), len(known)) < len("nfs"):
        return False
    if len(word) != len(known):
        inside = len(known) == _SHORT - 1 and word[0] == known[0]
        end = word[:-1] == known or word == known[:-1]
        doubled = any(letter == other and word[:at] + word[at + 1 :] == known
                      for at, (letter, other) in enumerate(zip(word, word[1:])))
        return end or doubled or (inside and one_slip(word, known))
    wrong = [letter + other for letter, other in zip(word, known) if letter != other]
    if len(wrong) == 2:
        return (len(known) > len("nfs") or word[0] == known[0]) and one_slip(word, known)
    return len(wrong) == 1 and word[0] == known[0] and any(wrong[0] in row or wrong[0][::-1] in row for row in _KEYS)


def _meant(fact: Fact, known: Mapping[str, str], word: str) -> Sequence[str]:
    """The value that a word names, or all of a family too large to ask which of them is meant."""
    family = next((meant for name, meant in fact.families.items() if plain(name) == plain(word)), ())
    return family if len(family) > _MANY else [_one(fact, known, word)]


def _one(fact: Fact, known: Mapping[str, str], word: str) -> str:
    if plain(word) in known:
        return known[plain(word)]
    if word in fact.gone:
        raise NoChoiceError(fact.gone[word])
    values = fact.values or {}
    bearers: dict[str, Sequence[str]] = {name: [value] for name, value in known.items()}
    bearers |= {plain(name): meant for name, meant in fact.families.items()}
    generic = plain(word) in map(plain, fact.fillers)
    slips = {
        value for name, meant in bearers.items() if not generic and _is_slip_for(plain(word), name) for value in meant
    }
    meant = bearers.get(plain(word)) or [value for value in values if value in slips] or _by_words(fact, known, word)
    if 0 < len(meant) <= _MANY:
        words = f"{meant[0]} ({values[meant[0]]})" if len(meant) == 1 else word_list(meant)
        raise NoChoiceError(f"{word!r} is not one of the choices; did you mean {words}?")
    raise NoChoiceError(f"{word!r} is not one of the choices; they are {', '.join(values)}")


def _by_words(fact: Fact, known: Mapping[str, str], word: str) -> list[str]:
    """The values whose names contain all these words: "azure netapp", "anf volume", "Rocky 9".

    Words that the fact says tell nothing (`fillers`) do not count, nor does a release behind a name. One word counts
    only if it is a complete name."""
    without_release = plain(word.rstrip("0123456789."))
    if without_release in known:
        return [known[without_release]]
    fillers = {plain(each) for each in fact.fillers}
    families = fact.families
    spoken = _words(word) - fillers
    whole, part = [], []
    for value, label in (fact.values or {}).items():
        own = [_words(name) - fillers for name in (value, label, *fact.aliases.get(value, ()))]
        makers = {plain(name) for name, meant in families.items() if value in meant}
        if not spoken or not spoken <= set().union(makers, *own):
            continue
        if any(name and name <= spoken for name in own):
            whole.append(value)
        elif len(spoken) > 1 or spoken <= makers:
            part.append(value)
    return whole or part


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.casefold()))


def near(word: object, known: Iterable[object], otherwise: str) -> str:
    """ "did you mean X?" with up to three names of `known` that look like `word`; `otherwise` when none does."""
    close = close_names(str(word), tuple(sorted({str(name) for name in known})))
    return f"did you mean {word_list(close)}?" if close else otherwise


@lru_cache(maxsize=1024)
def close_names(word: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Up to three of `names` that look like `word`, the most alike first; else those with its last part."""
    tail = word.rpartition(".")[2]
    return tuple(similar(word, names) or [name for name in names if tail and name.rpartition(".")[2] == tail][:3])
