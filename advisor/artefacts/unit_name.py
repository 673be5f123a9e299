"""Names of systemd units for mount points, or that there is none."""

from __future__ import annotations

from advisor.artefacts.model import Unwritable
from advisor.unit_names import escaped, plain_path

_LONGEST = 255
"""Characters of a unit's name, suffix included."""


def simplified(path: str) -> str:
    """The path without doubled slashes and "." parts, as Where= must have it."""
    plain = plain_path(path)
    if plain is None:
        raise Unwritable(f"{path}: systemd takes no mount point with .. in it")
    return plain


def unit_name(path: str, suffix: str) -> str:
    """ "mnt-data.mount" for /mnt/data and "mount"."""
    name = f"{escaped(simplified(path))}.{suffix}"
    if len(name) > _LONGEST:
        raise Unwritable(f"{path}: is too long for the name of a systemd unit")
    return name
