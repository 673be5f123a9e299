"""Files for the whole host, and the choice of the file for each setting: some sysctl settings are written as module
parameters, and the file for the number of threads depends on the release."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from advisor.advice.model import Row
from advisor.advice.mount_line import missing_export_options
from advisor.install.cluster import cluster
from advisor.install.context import FileContext
from advisor.install.model import Artefact
from advisor.pages.cluster import resources
from advisor.rulebase.values import same, spell

_SLOTS_IN = "service.slot_table_file"
_THREADS_IN = "service.nfsd_threads_file"
THREADS = "nfs.conf.nfsd.threads"


class SysctlLine(NamedTuple):
    """One line of a file. `about`: lines for the comment above it."""

    name: str
    value: str
    line: str
    about: list[str]
    recommendation: Row


class ModuleLine(NamedTuple):
    """One line for modprobe."""

    module: str
    parameter: str
    value: str
    about: list[str]
    recommendation: Row

    @property
    def line(self) -> str:
        return f"options {self.module} {self.parameter}={self.value}"


def sysctls(context: FileContext) -> list[SysctlLine]:
    """The sysctl settings that are in a file of sysctl."""
    twins = _twins(context)
    return [
        SysctlLine(
            recommendation.tunable.removeprefix("sysctl."), str(recommendation.written), recommendation.text,
            context.about(recommendation), recommendation,
        )
        for recommendation in context.settled("sysctl") if recommendation.tunable not in twins
    ]


def modules(context: FileContext) -> list[ModuleLine]:
    """The module parameters, with the sysctl settings that last only as such."""
    twins = _twins(context)
    lines = []
    for recommendation in (*context.settled("sysctl"), *context.settled("module-parameter")):
        if recommendation.tunable in twins or recommendation.kind == "module-parameter":
            _, module, parameter = twins.get(recommendation.tunable, recommendation.tunable).split(".", 2)
            lines.append(ModuleLine(
                module, parameter, str(recommendation.written), context.about(recommendation), recommendation
            ))
    return lines


def _twins(context: FileContext) -> dict[str, str]:
    """sysctl → the module parameter that is the same variable; {} where files of sysctl are known to do."""
    decided = context.advice.find(_SLOTS_IN)
    if decided is not None and decided.value in ("/etc/sysctl.d", "keep"):
        return {}
    return {tunable.same_as: name for name, tunable in context.base.tunables.items() if tunable.same_as}


def nfs_conf(context: FileContext) -> dict[str, list[SysctlLine]]:
    """Section of nfs.conf → its settings."""
    sections: dict[str, list[SysctlLine]] = {}
    for recommendation in context.settled("nfs.conf"):
        if recommendation.tunable == THREADS and threads_line(context):
            continue
        if _is_set_elsewhere(context, recommendation):
            continue
        _, _, section, key = recommendation.tunable.split(".", 3)
        sections.setdefault(section, []).append(SysctlLine(
            key, str(recommendation.written), f"{key}={recommendation.written}", context.about(recommendation),
            recommendation,
        ))
    return sections


def _is_set_elsewhere(context: FileContext, recommendation: Row) -> bool:
    """Whether another file sets the same thing, so that this one must not."""
    rivals: dict[str, str] = context.data["not_with"].get(recommendation.tunable, {})
    chosen = {name: context.advice.find(name) for name in rivals}
    return not recommendation.pinned and any(
        choice is not None and choice.value == rivals[name] for name, choice in chosen.items()
    )


def threads_line(context: FileContext) -> tuple[str, str] | None:
    """The line for the number of nfsd threads and its file, if that is not nfs.conf."""
    threads = next(
        (recommendation for recommendation in context.settled("nfs.conf") if recommendation.tunable == THREADS), None
    )
    place = context.advice.find(_THREADS_IN)
    line = context.data["threads_lines"].get(place.value) if place else None
    if threads is None or place is None or line is None:
        return None
    return line.format(value=threads.written), str(place.value).rpartition(" ")[0]


def host_files(context: FileContext) -> Iterator[Artefact]:
    """The files for the settings of the whole host; none that would be empty."""
    kernel = sysctls(context)
    if kernel:
        yield _sysctl(context, kernel)
    parameters = modules(context)
    if parameters:
        yield context.rendered("modprobe", {"settings": parameters},
                    more_verify=[check(line.recommendation) for line in parameters])
    sections = nfs_conf(context)
    if sections:
        checks = [check(line.recommendation) for ours in sections.values() for line in ours]
        again = context.data["restart_cluster" if context.settled("cluster") else "restart_server"]
        after = again if {"nfsd", "mountd"} & sections.keys() else []
        steps = context.data["files"]["nfs-conf"]
        yield context.rendered("nfs-conf", {"sections": sections}, more_verify=checks, apply=[*steps["apply"], *after],
                    undo=[*steps["undo"], *after])
    yield from _threads(context)
    yield from _read_ahead(context)
    yield from _exports(context)


def _sysctl(context: FileContext, kernel: list[SysctlLine]) -> Artefact:
    """What was seen before is put back at once; the rest is back after a restart."""
    seen = context.advice.answers.before
    back = [
        f"{line.name}={known.value}" for line in kernel
        if (known := seen.get(line.recommendation.tunable)) is not None
        and not same(known.value, line.recommendation.written)
    ]
    restore = [context.data["restore"].format_map({"setting": shlex.quote(setting)}) for setting in back]
    if any(line.recommendation.tunable not in seen for line in kernel):
        restore.append(context.data["reboot"])
    verify = [check(line.recommendation) for line in kernel]
    return context.rendered("sysctl", {"settings": kernel}, more_verify=verify, more_undo=restore)


def check(recommendation: Row) -> str:
    """The command that shows the value in effect; its output follows as a comment."""
    return f"{recommendation.steps.verify}  # {recommendation.steps.seen}"


def _threads(context: FileContext) -> Iterator[Artefact]:
    line_and_file = threads_line(context)
    threads = context.advice.find(THREADS)
    if line_and_file and threads:
        yield context.rendered("nfsd-threads", {"line": line_and_file[0], "about": context.about(threads)},
                    install=line_and_file[1], more_verify=[check(threads)])


def _read_ahead(context: FileContext) -> Iterator[Artefact]:
    """The udev rule for read-ahead. The rule base has its line, with KIB for the size."""
    rule, size = context.advice.find("bdi.read_ahead_rule"), context.advice.find("bdi.read_ahead_kb")
    if not (rule and size and rule.value == "udev-rule" and size.written is not None):
        return
    line = rule.steps.apply.splitlines()[-1].replace("KIB", str(int(size.written)))
    about = [*context.about(size), *context.about(rule)]
    yield context.rendered("udev", {"line": line, "about": about})


def _exports(context: FileContext) -> Iterator[Artefact]:
    if not context.is_server:
        return
    waiting = missing_export_options(context.advice)
    if waiting:
        context.remarks.append(
            f"The exports line waits for {' and '.join(option.tunable for option in waiting)} to be settled."
        )
        return
    first, skipped = context.data["export_order"], context.data["export_not_options"]
    ours = [
        option for option in context.advice.advised
        if option.kind == "export-option" and option.written is not None and option.tunable not in skipped
    ]
    if not ours:
        return
    ours.sort(key=lambda option: first.index(option.tunable) if option.tunable in first else len(first))
    options = ",".join(spell(option.definition, option.written) for option in ours)
    group = [recommendation for recommendation in context.settled("cluster") if recommendation.written]
    if resources(context.advice):  # a cluster withdraws what it finds in files, and loses what no resource has
        yield from cluster(context, group, ours, options)
    else:
        values = {"options": options, "about": context.argued(ours), "clients": context.clients}
        yield context.rendered("exports", values)
