"""Settings in files of `name = value`, each with its place.

    file = read("nfs.conf", text, "/etc/nfs.conf")
    for one in file.settings: one.section, one.key.text, one.value.span
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.tables import Assignment, Assignments

_READERS = {
    "nfs.conf": "conffile", "idmapd.conf": "conffile", "nfs-defaults": "shell", "autofs.conf": "autofs_conf",
    "autofs-defaults": "autofs_conf", "sysctl": "sysctl", "modprobe": "modprobe", "udev": "udev",
    "systemd-mount": "units", "cmdline": "cmdline", "autofs": "autofs",
    "ganesha.conf": "ganesha", "cib": "cib",
}
"""Kind of file → the module that reads it, which is loaded with the first file of the kind."""
READ = tuple(_READERS)
"""Kinds (`advisor.files.kinds`) that `read` reads."""
INCLUDING = tuple(kind for kind, module in _READERS.items() if module in ("conffile", "ganesha"))
"""Kinds in which one file can include another."""


def included(name: str, value: str) -> tuple[str, bool]:
    """The file that `include=` in the file `name` refers to, and whether it may be missing (a leading dash)."""
    optional = value.startswith("-")
    path = value[1:] if optional else value
    beside = "/" in name and not path.startswith("/")
    return f"{name.rpartition('/')[0]}/{path}" if beside else path, optional


def included_folder(name: str, directive: Assignment) -> str | None:
    """The pattern of the files that a directive in the file `name` includes; None if it does not name a folder."""
    if directive.key.text.lower() != "dir":
        return None
    path = included(name, directive.value.text.rstrip("/"))[0]
    return path if "*" in path.rpartition("/")[2] else f"{path}/*"


def read(kind: str, source: str | bytes, name: str, begins: str | None = None) -> Assignments:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises.
    `begins`: the section in which another file includes this one."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    reader = __import__(f"advisor.files.{_READERS[kind]}", fromlist=["read_settings"])
    more = () if begins is None else (begins,)
    assignments: Assignments = reader.read_settings(text, name, kind, *more)
    return assignments
