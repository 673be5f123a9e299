"""Names of systemd units for mount points, as systemd-escape(1) makes them."""

from __future__ import annotations

from advisor.artefacts.model import Unwritable

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")
_LONGEST = 255
"""Characters of a unit's name, suffix included."""


def simplified(path: str) -> str:
    """The path without doubled slashes and "." parts, as Where= must have it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Unwritable(f"{path}: systemd takes no mount point with .. in it")
    return "/" + "/".join(parts)


def unit_name(path: str, suffix: str) -> str:
    """ "mnt-data.mount" for /mnt/data and "mount"."""
    inner = simplified(path)[1:]
    escaped = "-" if not inner else "".join(
        "-" if byte == 0x2F else chr(byte) if byte in _PLAIN and (place or byte != 0x2E) else f"\\x{byte:02x}"
        for place, byte in enumerate(inner.encode("utf-8", "surrogateescape"))
    )
    name = f"{escaped}.{suffix}"
    if len(name) > _LONGEST:
        raise Unwritable(f"{path}: is too long for the name of a systemd unit")
    return name
