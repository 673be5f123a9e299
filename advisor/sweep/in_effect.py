"""From what a plan asks for to mount options and settings of the kernel; and whether a mount has what was asked for."""

from __future__ import annotations

from advisor.options.grammar import Grammar
from advisor.readers.fstab import split_options
from advisor.rulebase.values import same, spell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.readers.mountinfo import MountInfo
    from advisor.rulebase.model import Tunable
    from advisor.sweep.model import Asked

    Tunables = Mapping[str, Tunable]

READ_AHEAD = "bdi.read_ahead_kb"
_KERNEL_WIDE = {"sysctl.sunrpc.": "/proc/sys/sunrpc/", "module.nfs.": "/sys/module/nfs/parameters/",
                "module.sunrpc.": "/sys/module/sunrpc/parameters/"}


def kernel_path(tunable: str) -> str | None:
    """The file of a setting that every NFS mount of this kernel shares; None for others."""
    for prefix, folder in _KERNEL_WIDE.items():
        if tunable.startswith(prefix):
            return folder + tunable[len(prefix):].replace(".", "/")
    return None


def can_be_set(tunable: str) -> bool:
    """Whether a sweep can give each run its own value of it."""
    return tunable.startswith("mount.") or tunable == READ_AHEAD or kernel_path(tunable) is not None


def mount_options(tunables: Tunables, asked: Asked) -> str:
    """The option list for mount.nfs.

    What may become NFSv3 gets `nolock`: in a network namespace of its own lockd would find no rpc.statd, or would
    register with the host's rpcbind in the place of the host's own; and reading and writing take no locks."""
    words = [spell(tunables[name], value) for name, value in asked.items() if name.startswith("mount.")]
    if not str(asked.get("mount.vers", "")).startswith("4") and not asked.keys() & {"mount.lock", "mount.nolock"}:
        words.append("nolock")
    return ",".join(word for word in words if word)


def differences(tunables: Tunables, asked: Asked, mount: MountInfo) -> list[str]:
    """What the mount does not have of the options that were asked for: "nconnect=4 was asked for; in effect is …"."""
    shown = f"{mount.options},{mount.super_options}"
    line = Grammar(tunables).read(mount.fstype, split_options(shown))
    found = []
    for name, value in asked.items():
        if not name.startswith("mount."):
            continue
        tunable = tunables[name]
        seen = line.value(name)
        if seen is None:
            seen = tunable.default
        if seen is None or not same(seen, value):
            now = "nothing that the kernel shows" if seen is None else spell(tunable, seen)
            found.append(f"{spell(tunable, value)} was asked for; in effect is {now}")
    return found
