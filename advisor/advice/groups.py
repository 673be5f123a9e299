"""The order in which settings are shown: title → kinds of settings under it."""

from __future__ import annotations

GROUPS = (
    ("Mount options", ("mount-option", "fstab-field")),
    ("Kernel settings", ("sysctl", "module-parameter")),
    ("NFS services and read-ahead", ("nfs.conf", "bdi", "service", "tuned")),
    ("Exports", ("export-option",)),
    ("Network", ("network",)),
    ("The server's disks and machine", ("filesystem", "raid", "scheduler", "layout", "bios", "vm")),
    ("Storage and software", ("volume", "package")),
    ("Tests to run", ("benchmark",)),
)
