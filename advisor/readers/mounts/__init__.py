"""Mounts that files of other kinds than fstab ask for, each with the same fields as a line of fstab.

    table = read("autofs", text, "/etc/auto.home")
    for mount in table.mounts: mount.options.text, mount.options.at(0, 4)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.readers.mounts.table import MountTable

IN_EFFECT = ("proc-mounts", "mountinfo", "mount", "findmnt", "nfsstat")
"""Kinds that list what is mounted, and not what somebody asked for."""
IN_YAML = ("compose", "ansible", "salt", "cloud-init")
READ = ("systemd-mount", "autofs", "cmdline", "kubernetes", "nfsmount.conf", *IN_YAML, *IN_EFFECT)
"""Kinds (`advisor.readers.kinds`) that `read` reads."""


def read(kind: str, source: str | bytes, name: str, unit: str = "") -> MountTable:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises.
    `unit`: the text of the mount unit that a drop-in changes."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    if kind == "systemd-mount":
        from advisor.readers.mounts import units  # noqa: PLC0415  each kind loads its own reader

        return units.read(text, name, unit)
    if kind == "autofs":
        from advisor.readers.mounts import autofs  # noqa: PLC0415

        return autofs.read(text, name)
    if kind == "cmdline":
        from advisor.readers.mounts import cmdline  # noqa: PLC0415

        return cmdline.read(text, name)
    if kind == "kubernetes":
        from advisor.readers.mounts import kubernetes  # noqa: PLC0415

        return kubernetes.read(text, name)
    if kind in IN_YAML:
        from advisor.readers.mounts import playbooks  # noqa: PLC0415

        return playbooks.read(kind, text, name)
    if kind in IN_EFFECT:
        from advisor.readers.mounts import effect  # noqa: PLC0415

        return effect.read(kind, text, name)
    from advisor.readers.mounts import nfsmount  # noqa: PLC0415

    return nfsmount.read(text, name)
