"""Mounts in files of other kinds than fstab, each with the same fields as a line of fstab.

    table = read("autofs", text, "/etc/auto.home")
    for mount in table.mounts: mount.options.text, mount.options.at(0, 4)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.tables import MountTable

IN_EFFECT = ("proc-mounts", "mountinfo", "mount", "findmnt", "nfsstat")
"""Kinds that list what is mounted, not what is to be mounted."""
_READERS = {
    "systemd-mount": "units", "autofs": "autofs", "cmdline": "cmdline", "kubernetes": "kubernetes",
    "nfsmount.conf": "nfsmount", **dict.fromkeys(("compose", "ansible", "salt", "cloud-init"), "playbooks"),
    **dict.fromkeys(IN_EFFECT, "mount_lists"),
}
"""Kind of file → the module that reads it, which is loaded with the first file of the kind."""
READ = tuple(_READERS)
"""Kinds (`advisor.files.kinds`) that `read` reads."""


def read(kind: str, source: str | bytes, name: str, unit: str = "") -> MountTable:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises.
    `unit`: of a drop-in, the text of the mount unit that it changes."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    reader = __import__(f"advisor.files.{_READERS[kind]}", fromlist=["read_mounts"])
    more = (unit,) if unit else ()
    table: MountTable = reader.read_mounts(text, name, kind, *more)
    return table
