"""Finds a host's path in a copy: at the same place, or where the tool that made the copy puts it (kb/layouts.yaml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from advisor.files.patterns import name_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import Held, Layout

Reading = Callable[[str], str]
"""The text of a place → the text of the path; "" if there is none."""


def is_at_or_below(path: str, patterns: Sequence[str]) -> bool:
    """Whether a path is one of these, or below one. `*` stands for anything within one name."""
    names = path.split("/")
    return any(
        len(parts) <= len(names) and all(map(name_matches, names, parts))
        for parts in (pattern.split("/") for pattern in patterns)
    )


def detect_layout(names: Sequence[str], layouts: Sequence[Layout]) -> Layout | None:
    """The layout of a folder that holds these names; None for a plain copy."""
    return next(
        (layout for layout in layouts if any(name_matches(name, mark) for mark in layout.marks for name in names)), None
    )


class CopyLayout:
    """`layout`: that of the copy, None for this host and a plain copy. `tops`: the places that it names, and the
    folders above them."""

    def __init__(self, names: Callable[[str], Sequence[str]], layouts: Sequence[Layout]) -> None:
        """`names`: gives what is in a folder of the copy. OSError if it is none."""
        self.names = names
        self.layout: Layout | None = None
        self.tops: list[str] = []
        if layouts:
            try:
                self.layout = detect_layout(names("/"), layouts)
            except OSError:
                return
        for place in () if self.layout is None else self.layout.places:
            for at in place.at:
                parts = at.split("/")
                self.tops += ["/".join(parts[:number]) for number in range(2, len(parts) + 1)]

    def elsewhere(self, path: str) -> Iterator[tuple[str, Reading]]:
        """The places where a path may be, and how to read each."""
        for held in () if self.layout is None else self.layout.places:
            above = held.path.removesuffix("/**")
            if path != held.path and not (above != held.path and path.startswith(above + "/")):
                continue
            reading = _reading(held, path[len(above) + 1 :].replace("/", "."))
            for at in held.at:
                for place in self._expanded(at):
                    yield place, reading

    def _expanded(self, at: str) -> list[str]:
        if "*" not in at:
            return [at]
        above, _, name = at.rpartition("/")
        places = []
        for folder in self._expanded(above):
            try:
                names = [name] if "*" not in name else self.names(folder or "/")
                places += [f"{folder}/{child}" for child in names if name_matches(child, name)]
            except OSError:
                continue
        return places


def _reading(held: Held, key: str) -> Reading:
    if held.before is not None:
        return lambda text: _last_value(text, held.before.format(key=key) if held.before else "")
    if held.line is None:
        return lambda text: text
    form, gives = re.compile(held.line), held.gives or ""

    def read(text: str) -> str:
        if held.joined:
            text = text.replace("\n\t", "\t").replace("\n ", " ")
        for word, meaning in held.words.items():
            text = text.replace(word, meaning)
        fitting = filter(None, map(form.match, text.split("\n")))
        return "".join([f"{gives.format(match[0], *match.groups(''))}\n" for match in fitting])

    return read


def _last_value(text: str, before: str) -> str:
    """The rest of the last line that begins with `before`; "" if there is none."""
    at = text.rfind(f"\n{before}")
    begin = at + 1 + len(before) if at >= 0 else len(before) if text.startswith(before) else -1
    return "" if begin < 0 else text[begin : text.find("\n", begin) if "\n" in text[begin:] else None] + "\n"
