"""What a YAML file may hold, and parts of it that may be faulty: whatever has another type counts as not there."""

from __future__ import annotations

from typing import Union

Scalar = Union[bool, int, float, str]
Yaml = Union[None, Scalar, list["Yaml"], dict[str, "Yaml"]]
YamlMapping = dict[str, Yaml]


def copied(value: Yaml) -> Yaml:
    """A copy that shares no mapping and no list with the value. `copy.deepcopy` takes several times as long."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def mapping(value: object) -> YamlMapping:
    """The value if it is a mapping, an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[Yaml]:
    """The value if it is a list, an empty one otherwise."""
    return value if isinstance(value, list) else []


def scalar(value: object) -> Scalar | None:
    """The value if it is one alone, None otherwise."""
    return value if isinstance(value, (bool, int, float, str)) else None


def texts(value: object) -> list[tuple[int, str]]:
    """The texts of a list, each with its index."""
    return [(index, entry) for index, entry in enumerate(listed(value)) if isinstance(entry, str)]


def entries(value: object) -> list[tuple[int, YamlMapping]]:
    """The mappings of a list, each with its index."""
    return [(index, entry) for index, entry in enumerate(listed(value)) if isinstance(entry, dict)]
