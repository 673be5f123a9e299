"""The base class of all entries of the rule base, and what their conditions name. Standard library only, since every
`lint` imports this."""

from __future__ import annotations

from advisor.named_tuple import plain_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar, Self, dataclass_transform

    from advisor.rulebase.model.types import Condition

    Reader = Callable[[Any], object]
else:

    def dataclass_transform(**_: bool):
        """What type checkers read: the annotated names of a record are the arguments that make one."""
        return lambda kind: kind


KINDS: dict[str, type[Record]] = {}
"""Every kind of record by name."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record:
    """An entry of the rule base. Its fields are what an author may write, and never change.

    The instance's dictionary is the decoded entry itself, and a field that was not written is the default of its class:
    making one of the hundreds that each start needs costs a fifth of filling slots, and reading one is as fast."""

    _parts: ClassVar[dict[str, Reader] | None] = None
    """Field that holds records → what makes them of decoded data; worked out for the first record of a kind."""

    def __init_subclass__(cls) -> None:
        KINDS[cls.__name__] = cls
        cls._parts = None

    def __init__(self, **fields: object) -> None:
        vars(self).update(fields)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """The record of a decoded entry, which is the record's own from then on."""
        if cls._parts is None:
            texts = [item for kind in reversed(cls.__mro__[:-1]) for item in kind.__annotations__.items()]
            cls._parts = {name: read for name, text in texts if (read := _reader(text)) is not None}
        for name, read in cls._parts.items():
            if name in data:
                data[name] = read(data[name])
        record = cls.__new__(cls)
        object.__setattr__(record, "__dict__", data)
        return record

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # it holds lists and mappings

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def as_dict(self, *without: str) -> dict[str, object]:
        """The written fields but these, as data for JSON."""
        return {name: plain_data(value) for name, value in vars(self).items() if name not in without}

    _asdict = as_dict  # as a named tuple's

    def replace(self, **changes: object) -> Self:
        """A copy with other values in these fields."""
        return type(self)(**{**vars(self), **changes})


def _reader(annotation: str) -> Reader | None:
    """The function that makes the records in a field with this annotation; None if the field holds no records."""
    outer, _, inner = annotation.removesuffix(" | None").partition("[")
    if not inner:
        kind = KINDS.get(outer)
        return None if kind is None else lambda data: data if isinstance(data, Record) else kind.from_data(data)
    each = _reader(inner[:-1].partition(", ")[2] or inner[:-1])
    if each is None:
        return None
    if outer == "Sequence":
        return lambda data: [each(entry) for entry in data]
    if outer == "ById":  # as an author writes it, a list
        return lambda data: {
            name: each(entry)
            for name, entry in (data.items() if isinstance(data, dict) else ((entry["id"], entry) for entry in data))
        }
    return lambda data: {name: each(entry) for name, entry in data.items()}


JOINTS = ("all", "any", "not")
"""Keys of a condition that name no fact: they contain conditions."""


def inner_conditions(joined: object) -> list[Condition]:
    """The conditions in `all`, `any` or `not`; whatever is not a condition is left out."""
    return [part for part in (joined if isinstance(joined, list) else [joined]) if isinstance(part, dict)]


def facts_in(condition: object) -> Iterator[str]:
    """The facts that a condition names, as often as it names them; none if it is not a mapping."""
    for key, value in condition.items() if isinstance(condition, dict) else ():
        if key in JOINTS:
            for part in inner_conditions(value):
                yield from facts_in(part)
        else:
            yield key
