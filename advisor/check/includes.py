"""Files of settings that include others: what is written there counts in the place of the line that names it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from advisor.host import Unread
from advisor.readers.settings import INCLUDING, included, read
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.check.states import States
    from advisor.readers.settings.table import Assignment

DEEPEST = 10
"""Files that include one another."""


def of_others(texts: Sequence[HostText]) -> set[str]:
    """Of files of one kind, those that others include, which are not read by themselves."""
    return {wanted for one in texts for _, wanted, _ in _named(one)}


def in_place(one: HostText, texts: Sequence[HostText]) -> Iterator[tuple[HostText, Assignment]]:
    """The settings of a file, with those of the files among `texts` that it includes in their places."""
    others = {other.path: other for other in texts} if one.host_file.kind in INCLUDING else {}

    def all_of(file: HostText, begins: str | None, above: tuple[str, ...]) -> Iterator[tuple[HostText, Assignment]]:
        nested = read(file.host_file.kind, file.text, file.name, begins)
        lines = {each.key.span for each in nested.includes}
        for each in sorted((*nested.settings, *nested.includes), key=lambda each: each.key.span):
            if each.key.span not in lines:
                yield file, each
                continue
            other = others.get(os.path.normpath(included(file.path, each.value.text)[0]))
            if other is not None and other.path not in above and len(above) < DEEPEST:
                yield from all_of(other, each.section, (*above, other.path))

    yield from all_of(one, None, (one.path,))


def compare(states: States) -> None:
    """Tell of files that are named and certainly not there."""
    for kind in INCLUDING:
        texts = states.texts(kind)
        there = {one.path for one in texts}
        for one in texts:
            for each, wanted, optional in _named(one):
                if wanted not in there and not optional and _is_missing(states, wanted):
                    span = Span(each.key.span.line, each.key.span.column, each.value.span.end_column)
                    tunable = f"{kind}.include"
                    states.tell("include-missing", one.name, span, tunable=tunable, option=each.value.text, path=wanted)


def _named(one: HostText) -> Iterator[tuple[Assignment, str, bool]]:
    """Each line that includes a file, the path of that file, and whether it may be missing."""
    if one.host_file.kind in INCLUDING and "include" in one.text.lower():
        for each in read(one.host_file.kind, one.text, one.name, "").includes:
            if each.key.text.lower() != "include":
                continue
            wanted, optional = included(one.path, each.value.text)
            yield each, os.path.normpath(wanted), optional


def _is_missing(states: States, path: str) -> bool:
    """Whether a file is certainly not there."""
    try:
        return not states.tree.exists(path)
    except Unread:
        return False
