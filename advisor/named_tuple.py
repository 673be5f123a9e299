"""A fast `NamedTuple` for modules that `lint` imports. `typing` takes milliseconds to load, and more to evaluate each
annotation; here annotations stay strings, and no code is compiled for a class, unlike in collections.namedtuple.

Records as data for JSON, and read from it again: what a field may hold is what its annotation says."""

from __future__ import annotations

__all__ = ["FormatError", "NamedTuple", "Readers", "as_data", "fields_of", "grouped", "plain_data", "read_record"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import NamedTuple, TypeVar

    K = TypeVar("K")
    V = TypeVar("V")
    T = TypeVar("T", bound=NamedTuple)
    Readers = Mapping[str, "type[NamedTuple] | Callable[[object], object]"]
    """Annotation → the record that it stands for, or what reads a value. Plain types, None, and tuples, sequences and
    mappings of what is known need none."""
else:
    from collections import _tuplegetter  # the descriptor of a namedtuple's field, in C

    Readers = object  # annotations alone name it

    _tuple = tuple.__new__

    class _Named(tuple):
        """The base of all classes that are made from NamedTuple."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}
        _last = ()
        """The values of `_field_defaults`."""

        def __new__(cls, *values, **named):
            missing = len(cls._fields) - len(values)
            if missing or named:
                if not named and 0 < missing <= len(cls._last):
                    values += cls._last[-missing:]
                else:
                    values = cls._complete(values, named)
            return _tuple(cls, values)

        @classmethod
        def _complete(cls, values, named):
            """All values, in order. Raises TypeError if some are missing, or too many."""
            given = dict(zip(cls._fields, values))
            by_field = {**cls._field_defaults, **given, **named}
            if len(values) > len(given) or given.keys() & named.keys() or by_field.keys() != {*cls._fields}:
                raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}; given: {values}, {named}")
            return map(by_field.__getitem__, cls._fields)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **changes):
            new = _tuple(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no fields {', '.join(changes)}")
            return new

        def _asdict(self):
            return dict(zip(self._fields, self))

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

        def __getnewargs__(self):
            return tuple(self)

    class _Fields(type):
        """Makes a tuple class of a class body: annotated names become fields, and their values defaults."""

        def __new__(cls, name, _bases, body):
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body[field] for field in fields if field in body}
            getters = {field: _tuplegetter(number, "") for number, field in enumerate(fields)}
            made = {"_fields": fields, "_field_defaults": defaults, "_last": tuple(defaults.values()), "__slots__": ()}
            return type(name, (_Named,), {**body, **getters, **made})

    NamedTuple = type.__new__(_Fields, "NamedTuple", (), {})


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key → its values, in order."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def as_data(record: NamedTuple | Mapping[str, object]) -> dict[str, object]:
    """A record for JSON, with each named tuple in it as a dictionary; json would write them as lists."""
    fields = record._asdict() if isinstance(record, tuple) else record
    return {name: plain_data(value) for name, value in fields.items()}


def plain_data(value: object) -> object:
    """A value for JSON; what has fields tells them as `_asdict`."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return as_data(value)
    return [*map(plain_data, value)] if isinstance(value, (tuple, list)) else value


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
    if wanted.startswith(("tuple[", "Sequence[")):
        if not isinstance(data, list):
            raise FormatError("is not a list")
        each = _each(wanted[wanted.index("[") + 1 : -1].removesuffix(", ..."), data, readers)
        return tuple(each) if wanted[0] == "t" else each
    if wanted.startswith("Mapping[") and wanted not in readers:
        if not isinstance(data, dict):
            raise FormatError("is not an object")
        return dict(zip(data, _each(wanted[13:-1], data.values(), readers)))
    if wanted in _PLAIN:
        kinds, why = _PLAIN[wanted]
        if not isinstance(data, kinds) or isinstance(data, bool) is not (wanted == "bool") or (
            wanted == "int" and data < 0  # type: ignore[operator]
        ):
            raise FormatError(why)
        return data
    reader = readers[wanted]
    return read_record(reader, data, readers) if isinstance(reader, type) else reader(data)


def _each(hint: str, data: Collection[object], readers: Readers) -> Collection[object]:
    if hint == "str" and {*map(type, data)} <= {str}:  # nearly always, and the texts of a host are many
        return data
    return [_read(hint, each, readers) for each in data]
