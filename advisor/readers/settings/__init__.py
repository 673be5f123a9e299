"""Settings that files of `name = value` hold, each with its place.

    file = read("nfs.conf", text, "/etc/nfs.conf")
    for one in file.settings: one.section, one.key.text, one.value.span
"""

from __future__ import annotations

from collections.abc import Callable

from advisor.readers.settings import autofs_conf, automaster, cmdline, conffile, modprobe, shell, sysctl, udev, unit
from advisor.readers.settings.table import Assignment, Assignments, Slip, Token

__all__ = ["READ", "Assignment", "Assignments", "Slip", "Token", "read"]

_READERS: dict[str, Callable[[str, str, str], Assignments]] = {
    "nfs.conf": conffile.read, "idmapd.conf": conffile.read, "nfs-defaults": shell.read,
    "autofs.conf": autofs_conf.read, "autofs-defaults": autofs_conf.read,
    "sysctl": sysctl.read, "modprobe": modprobe.read, "udev": udev.read, "systemd-mount": unit.read,
    "cmdline": cmdline.read, "autofs": automaster.read,
}
READ = tuple(_READERS)
"""Kinds (`advisor.readers.kinds`) that `read` reads."""


def read(kind: str, source: str | bytes, name: str) -> Assignments:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    return _READERS[kind](text, name, kind)
