"""A window as a document of `advisor-observe/1` tells it. Such a file may have been written by anything."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    Kind = TypeVar("Kind")

SCHEMA = "advisor-observe/1"


class EarlierError(Exception):
    """The document is not a window that can be compared; the text says why."""


class EarlierConclusion(NamedTuple):
    kind: str
    title: str
    says: str
    evidence: Sequence[str]


class EarlierMount(NamedTuple):
    """`facts`: the quantities that are numbers; `parts`: those of each part of the window, where it was cut."""

    target: str
    source: str
    seconds: float | None
    since_mount: bool
    options: Mapping[str, str]
    facts: Mapping[str, int]
    parts: Sequence[Mapping[str, int]]
    conclusions: Mapping[str, EarlierConclusion]

    @property
    def length(self) -> float:
        """Milliseconds of a part, on average; 0 where there are none."""
        lengths = self.values("observed.window")
        return sum(lengths) / len(lengths) if lengths else 0.0

    def values(self, quantity: str) -> list[int]:
        """The quantity in each part that knows it."""
        return [part[quantity] for part in self.parts if quantity in part]


def mounts_of(document: object) -> list[EarlierMount]:
    """The mounts of a document. Raises EarlierError."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else None
        raise EarlierError(f'its schema is {found!r}' if isinstance(found, str) else f'it has no "schema": "{SCHEMA}"')
    return [_mount(_is(dict, one, "a mount")) for one in _is(list, document.get("mounts"), "mounts")]


def _mount(data: dict[str, object]) -> EarlierMount:
    seconds = data.get("seconds")
    drawn = [_is(dict, one, "a conclusion") for name in ("conclusions", "notes")
             for one in _is(list, data.get(name, []), name)]
    return EarlierMount(
        _is(str, data.get("target"), "target"), _is(str, data.get("source"), "source"),
        float(seconds) if isinstance(seconds, (int, float)) else None,
        _is(bool, data.get("since_mount"), "since_mount"),
        {name: _is(str, value, "options") for name, value in _is(dict, data.get("options", {}), "options").items()},
        _numbers(data.get("facts"), "facts"),
        [_numbers(one, "parts") for one in _is(list, data.get("parts", []), "parts")],
        {_is(str, one.get("id"), "id"): _conclusion(one) for one in drawn if one.get("kind") != "note"},
    )


def _conclusion(data: dict[str, object]) -> EarlierConclusion:
    kind, title, says = (_is(str, data.get(name), name) for name in ("kind", "title", "says"))
    evidence = [_is(str, one, "evidence") for one in _is(list, data.get("evidence"), "evidence")]
    return EarlierConclusion(kind, title, says, evidence)


def _numbers(data: object, what: str) -> dict[str, int]:
    numbers = _is(dict, data, what)
    found = {
        str(name): value for name, value in numbers.items() if isinstance(value, int) and not isinstance(value, bool)
    }
    if any(value < 0 for value in found.values()):
        raise EarlierError(f'its "{what}" has a number below 0')
    return found


def _is(kind: type[Kind], value: object, what: str) -> Kind:
    if not isinstance(value, kind):
        raise EarlierError(f'its "{what}" is not what this schema has there')
    return value
