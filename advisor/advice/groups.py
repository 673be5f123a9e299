"""The order in which settings are shown: title → kinds of settings under it."""

from __future__ import annotations

ACCESS = "access"
"""The kind of what says whether NFS, mounted by Linux, is the answer at all."""
MOUNT = ("mount-option", "fstab-field")
"""The kinds that a mount's line is made of."""
CLIENT = (ACCESS, *MOUNT, "bdi", "benchmark", "tuned")
"""The kinds that only a client has: on a server they are not asked about."""
GROUPS = (
    ("First of all", (ACCESS,)),
    ("Mount options", MOUNT),
    ("Kernel settings", ("sysctl", "module-parameter")),
    ("NFS services and read-ahead", ("nfs.conf", "bdi", "service", "tuned")),
    ("Exports", ("export-option",)),
    ("Network", ("network",)),
    ("The server's disks and machine", ("filesystem", "raid", "scheduler", "layout", "bios", "vm")),
    ("Storage and software", ("volume", "package")),
    ("Tests to run", ("benchmark",)),
)
