"""`NamedTuple` as of `typing`, for what `lint` imports: `typing` itself takes milliseconds to load, and then to compile
each annotation. Here they are left as they are written."""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Fields(type):
        """Of a class body, the annotated names are the fields of a tuple, and what they are set to their defaults."""

        def __new__(cls, name, _bases, body):
            fields = body.get("__annotations__", {})
            made = namedtuple(
                name, fields, defaults=[body[field] for field in fields if field in body], module=body["__module__"]
            )
            for key, value in body.items():
                if key not in fields and key not in ("__module__", "__qualname__"):
                    setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_Fields, "NamedTuple", (), {})
