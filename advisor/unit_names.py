"""Names of systemd units for mount points, as systemd-escape(1) makes them."""

from __future__ import annotations

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")


def plain_path(path: str) -> str | None:
    """The path without doubled slashes and "." parts, as systemd writes it; None for one with a ".." part, which
    systemd refuses."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/" + "/".join(parts)


def escaped(path: str) -> str:
    """The name, without its suffix, of the unit for a path from `plain_path`: "mnt-data" for /mnt/data."""
    return "".join(
        "-" if byte == 0x2F else chr(byte) if byte in _PLAIN and (place or byte != 0x2E) else f"\\x{byte:02x}"
        for place, byte in enumerate(path[1:].encode("utf-8", "surrogateescape"))
    ) or "-"
