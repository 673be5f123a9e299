"""Named tuples that were written as JSON (advisor.named_tuple.as_data), read again. What a field may hold is what its
annotation says."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NamedTuple, TypeVar

    T = TypeVar("T", bound=NamedTuple)
    Readers = Mapping[str, "type[NamedTuple] | Callable[[object], object]"]
    """Annotation → the record that it stands for, or what reads a value. Plain types, tuples and None need none."""

_PLAIN: Mapping[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "is not a text"), "int": ((int,), "is not a whole number from 0 on"),
    "float": ((int, float), "is not a number"), "bool": ((bool,), "is neither true nor false"),
}


class FormatError(ValueError):
    """The data does not fit; the message says where and why, as the end of a sentence."""


def fields_of(record: type[NamedTuple]) -> dict[str, str]:
    """Field → its annotation, as written."""
    return {name: str(getattr(hint, "__forward_arg__", hint)) for name, hint in record.__annotations__.items()}


def read_record(kind: type[T], data: object, readers: Readers) -> T:
    """A record of this kind, with the usual values of the fields that are missing and have one; what it does not know
    is skipped. Raises FormatError."""
    if not isinstance(data, dict):
        raise FormatError("is not an object")
    values = []
    for name, hint in fields_of(kind).items():
        if name not in data and name not in kind._field_defaults:
            raise FormatError(f"{name} is missing")
        try:
            values.append(_read(hint, data[name], readers) if name in data else kind._field_defaults[name])
        except FormatError as why:
            raise FormatError(f"{name}: {why}") from None
    return kind._make(values)


def _read(hint: str, data: object, readers: Readers) -> object:
    """The value of a field with this annotation."""
    wanted = hint.removesuffix(" | None")
    if data is None and wanted != hint:
        return None
    if wanted.startswith("tuple["):
        if not isinstance(data, list):
            raise FormatError("is not a list")
        return tuple(_read(wanted[6:-6], each, readers) for each in data)
    if wanted in _PLAIN:
        kinds, why = _PLAIN[wanted]
        if not isinstance(data, kinds) or isinstance(data, bool) is not (wanted == "bool") or (
            wanted == "int" and data < 0  # type: ignore[operator]
        ):
            raise FormatError(why)
        return data
    reader = readers[wanted]
    return read_record(reader, data, readers) if isinstance(reader, type) else reader(data)
