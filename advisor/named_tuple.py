"""A fast `NamedTuple` for modules that `lint` imports. `typing` takes milliseconds to load, and more to evaluate each
annotation; here annotations stay strings, and no code is compiled for a class, unlike in collections.namedtuple."""

from __future__ import annotations

__all__ = ["NamedTuple", "as_data", "grouped"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import NamedTuple, TypeVar

    K = TypeVar("K")
    V = TypeVar("V")
else:
    from collections import _tuplegetter  # the descriptor of a namedtuple's field, in C

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
    return {name: _plain(value) for name, value in fields.items()}


def _plain(value: object) -> object:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return as_data(value)
    return [*map(_plain, value)] if isinstance(value, (tuple, list)) else value
