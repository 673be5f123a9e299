"""Which setting is written where: kernel settings may also be module parameters, threads have a file by release."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.model import Recommendation
from advisor.artefacts.context import FileContext

_SLOTS_IN = "service.slot_table_file"
_THREADS_IN = "service.nfsd_threads_file"
THREADS = "nfs.conf.nfsd.threads"


class SysctlLine(NamedTuple):
    """One line of a file. `about`: lines for the comment above it."""

    name: str
    value: str
    line: str
    about: list[str]
    one: Recommendation


class ModuleLine(NamedTuple):
    """One line for modprobe."""

    module: str
    parameter: str
    value: str
    about: list[str]
    one: Recommendation

    @property
    def line(self) -> str:
        return f"options {self.module} {self.parameter}={self.value}"


def sysctls(context: FileContext) -> list[SysctlLine]:
    """The sysctl settings that stand in a file of sysctl."""
    twins = _twins(context)
    return [
        SysctlLine(one.tunable.removeprefix("sysctl."), str(one.written), one.text, context.about(one), one)
        for one in context.settled("sysctl") if one.tunable not in twins
    ]


def modules(context: FileContext) -> list[ModuleLine]:
    """The module parameters, with the sysctl settings that last only as such."""
    twins = _twins(context)
    found = []
    for one in (*context.settled("sysctl"), *context.settled("module-parameter")):
        if one.tunable in twins or one.kind == "module-parameter":
            _, module, parameter = twins.get(one.tunable, one.tunable).split(".", 2)
            found.append(ModuleLine(module, parameter, str(one.written), context.about(one), one))
    return found


def _twins(context: FileContext) -> dict[str, str]:
    """sysctl → the module parameter that is the same variable; {} where files of sysctl are known to do."""
    decided = context.advice.find(_SLOTS_IN)
    if decided is not None and decided.value in ("/etc/sysctl.d", "keep"):
        return {}
    return {told.same_as: name for name, told in context.base.tunables.items() if told.same_as}


def nfs_conf(context: FileContext) -> dict[str, list[SysctlLine]]:
    """Section of nfs.conf → its settings."""
    sections: dict[str, list[SysctlLine]] = {}
    for one in context.settled("nfs.conf"):
        if one.tunable == THREADS and threads_line(context):
            continue
        if _other_owner(context, one):
            continue
        _, _, section, key = one.tunable.split(".", 3)
        sections.setdefault(section, []).append(
            SysctlLine(key, str(one.written), f"{key}={one.written}", context.about(one), one)
        )
    return sections


def _other_owner(context: FileContext, one: Recommendation) -> bool:
    """Whether another file has the knob, so that this one must not set it too."""
    rivals: dict[str, str] = context.data["not_with"].get(one.tunable, {})
    chosen = {name: context.advice.find(name) for name in rivals}
    return not one.pinned and any(found is not None and found.value == rivals[name] for name, found in chosen.items())


def threads_line(context: FileContext) -> tuple[str, str] | None:
    """The line for the number of nfsd threads and its file, where that is not nfs.conf."""
    threads = next((one for one in context.settled("nfs.conf") if one.tunable == THREADS), None)
    place = context.advice.find(_THREADS_IN)
    line = context.data["threads_lines"].get(place.value) if place else None
    if threads is None or place is None or line is None:
        return None
    return line.format(value=threads.written), str(place.value).rpartition(" ")[0]
