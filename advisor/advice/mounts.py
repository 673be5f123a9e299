"""Sections for some mounts, as somebody wrote them: read, and refused where they are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from advisor.advice.answers import AnswerError, bad_name
from advisor.advice.typed import fact_value
from advisor.engine import FactError
from advisor.globs import special
from advisor.lint.sections import NAMES, Section, SectionError

MOST = 1000
"""Sections that one file may have: each is looked at for each mount."""
Place = Callable[[int, str], str]
"""(number of the section from 0, key in it or "") → file:line:column."""
_EXAMPLE = {"server": "nas*", "export": "/vol/*", "target": "/hana/log/*"}


def sections(base: Any, written: Any, place: Place) -> tuple[Section, ...]:
    """The sections of a file, typed. `written`: the value of its key `mounts`. Raises SectionError for what
    cannot be."""
    if not isinstance(written, list):
        raise SectionError(f"{place(0, '')}: mounts is a list of sections, each with names and facts")
    if len(written) > MOST:
        raise SectionError(f"{place(MOST, '')}: more than {MOST} sections: write patterns that fit several mounts")
    return tuple(_section(base, number, one, place) for number, one in enumerate(written))


def _section(base: Any, number: int, written: Any, place: Place) -> Section:
    here = place(number, "")
    if not isinstance(written, dict):
        raise SectionError(f"{here}: a section is a mapping, such as server: nas*, workload.kind: home")
    names: dict[str, str] = {}
    facts: dict[str, Any] = {}
    places = {}
    for key, value in _flat(written):
        at = places[key] = place(number, key)
        if key in NAMES:
            names[key] = _name(key, value, at)
        else:
            facts[key] = _fact(base, key, value, at)
    found = Section(here, names, facts, places)
    if not names:
        raise SectionError(
            f"{here}: a section without server, export or target would hold for all mounts: name one of them, or write "
            "its facts with those of all mounts"
        )
    if not facts and not found.concrete:
        raise SectionError(f"{here}: a section without facts says nothing: add one (workload.kind = …), or delete it")
    if found.concrete:
        for name, text in names.items():
            wrong = bad_name(name, text)
            if wrong:
                raise SectionError(f"{places[name]}: {wrong}")
    return found


def _flat(tree: dict[Any, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted key → value, however the keys are nested."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _name(key: str, value: Any, at: str) -> str:
    if not isinstance(value, str) or not value:
        raise SectionError(f'{at}: {key} is {value!r}: write a pattern in quotes, such as "{_EXAMPLE[key]}"')
    if key != "server" and not value.startswith("/") and not special(value[0]):
        raise SectionError(f"{at}: {key} is {value!r}, and no path is like that: begin it with / or *")
    return value


def _fact(base: Any, key: str, value: Any, at: str) -> Any:
    if "." not in key:
        from difflib import get_close_matches  # noqa: PLC0415  only for a mistake

        near = get_close_matches(key, NAMES, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(NAMES)} and facts"
        raise SectionError(f"{at}: unknown key {key!r}; {hint}")
    try:
        typed = fact_value(base, key, value)
        base.engine.fact(key).mask(typed)
    except (AnswerError, FactError) as error:
        raise SectionError(f"{at}: {error}") from None
    if base.facts[key]["scope"] == "host":
        raise SectionError(
            f"{at}: {key} is a fact of the host, the same for all of its mounts: write it with the facts of all mounts"
        )
    return typed
