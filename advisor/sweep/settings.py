"""The settings that a sweep can vary: their mount options and kernel files, whether a client accepts them, and whether
they are in effect on a mount."""

from __future__ import annotations

from advisor.files.fstab import split_options
from advisor.files.option_table import value_in_use
from advisor.files.options import Grammar
from advisor.rulebase.problems import near
from advisor.rulebase.values import same, spell, why_invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.files.mountinfo import MountInfo
    from advisor.rulebase.model import Tunable
    from advisor.sweep.model import Asked

    Tunables = Mapping[str, Tunable]

READ_AHEAD = "bdi.read_ahead_kb"
_KERNEL_WIDE = {"sysctl.sunrpc.": "/proc/sys/sunrpc/", "module.nfs.": "/sys/module/nfs/parameters/",
                "module.sunrpc.": "/sys/module/sunrpc/parameters/"}


def kernel_path(tunable: str) -> str | None:
    """The file of a setting that all NFS mounts of this kernel share; None for other settings."""
    for prefix, folder in _KERNEL_WIDE.items():
        if tunable.startswith(prefix):
            return folder + tunable[len(prefix):].replace(".", "/")
    return None


def can_be_set(tunable: str) -> bool:
    """Whether a sweep can give each run its own value of it."""
    return tunable.startswith("mount.") or tunable == READ_AHEAD or kernel_path(tunable) is not None


def why_unfit(tunables: Tunables, name: str, value: object) -> str | None:
    """Why a sweep cannot measure this value of a setting, and what to write; None if it can."""
    if name not in tunables or not can_be_set(name):
        what = "not a setting that a sweep can change" if name in tunables else "not a setting that is known"
        usable = "name mount options (mount.nconnect), bdi.read_ahead_kb, sysctl.sunrpc.* or module.nfs.*"
        return f"{name}: {what}; {near(name, [known for known in tunables if can_be_set(known)], usable)}"
    tunable = tunables[name]
    if isinstance(value, float) and tunable.type != "number":
        return f'{name}: has the number {value}; in quotes ("{value}") it is a version'
    if not isinstance(value, (str, int)):
        return f"{name}: has {value!r}, which is not a value; write a number, text, true or false"
    why = why_invalid(tunable, value)
    if why:
        hint = near(value, tunable.values or (), "") if isinstance(value, str) else ""
        return f"{name}: does not fit: {why}" + (f"; {hint}" if hint else "")
    effective, change = value_in_use(tunable, value)
    if change is not None and effective != value:
        return f"{name}: {value} would not be in effect: {change.how}; write {effective}"
    return None


def mount_options(tunables: Tunables, asked: Asked) -> str:
    """The option list for mount.nfs.

    What may become NFSv3 gets `nolock`: in a separate network namespace lockd would find no rpc.statd, or would
    register with the host's rpcbind in place of the host's own; and reading and writing take no locks."""
    words = [spell(tunables[name], value) for name, value in asked.items() if name.startswith("mount.")]
    if not str(asked.get("mount.vers", "")).startswith("4") and not asked.keys() & {"mount.lock", "mount.nolock"}:
        words.append("nolock")
    return ",".join(word for word in words if word)


def why_refused(tunables: Tunables, grammar: Grammar, asked: Asked) -> str | None:
    """Why the client refuses a combination; None if it accepts it."""
    options = mount_options(tunables, asked)
    refusal = grammar.read("nfs", split_options(options)).refusal
    return None if refusal is None else f"{options}: {refusal.message}{': ' + refusal.why if refusal.why else ''}"


def differences(tunables: Tunables, asked: Asked, mount: MountInfo) -> list[str]:
    """What the mount does not have of the options that were asked for: "nconnect=4 was asked for; in effect is …"."""
    line = Grammar(tunables).read(mount.fstype, split_options(f"{mount.options},{mount.super_options}"))
    messages = []
    for name, value in asked.items():
        if not name.startswith("mount."):
            continue
        tunable = tunables[name]
        effective = line.value(name)
        if effective is None:
            effective = tunable.default
        if effective is None or not same(effective, value):
            now = "nothing that the kernel shows" if effective is None else spell(tunable, effective)
            messages.append(f"{spell(tunable, value)} was asked for; in effect is {now}")
    return messages
