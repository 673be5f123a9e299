"""Files that set the system up: sysctl.d, modprobe.d, nfs.conf.d, the nfsd threads, udev, tuned, exports."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from advisor.advice.line import lacking_exports
from advisor.advice.model import Recommendation
from advisor.artefacts.context import FileContext
from advisor.artefacts.model import Artefact
from advisor.artefacts.settings import THREADS, SysctlLine, modules, nfs_conf, sysctls, threads_line
from advisor.artefacts.templating import render
from advisor.rulebase.values import same, spell


def system(context: FileContext) -> Iterator[Artefact]:
    """Those of the files that have something in them."""
    kernel = sysctls(context)
    if kernel:
        yield _sysctl(context, kernel)
    parameters = modules(context)
    if parameters:
        yield _made(context, "modprobe", {"settings": parameters}, more_verify=[check(one.one) for one in parameters])
    sections = nfs_conf(context)
    if sections:
        told = [check(one.one) for ours in sections.values() for one in ours]
        after = ["systemctl restart nfs-server"] if {"nfsd", "mountd"} & sections.keys() else []
        steps = context.data["files"]["nfs-conf"]
        yield _made(context, "nfs-conf", {"sections": sections}, more_verify=told, apply=[*steps["apply"], *after],
                    undo=[*steps["undo"], *after])
    yield from _threads(context)
    yield from _read_ahead(context)
    yield from _exports(context)


def _sysctl(context: FileContext, kernel: list[SysctlLine]) -> Artefact:
    """What was seen before is put back at once; the rest is back after a restart."""
    seen = context.advice.answers.before
    back = [
        f"{one.name}={known.value}" for one in kernel
        if (known := seen.get(one.one.tunable)) is not None and not same(known.value, one.one.written)
    ]
    restore = [context.data["restore"].format_map({"setting": shlex.quote(setting)}) for setting in back]
    if any(one.one.tunable not in seen for one in kernel):
        restore.append(context.data["reboot"])
    verify = [check(one.one) for one in kernel]
    return _made(context, "sysctl", {"settings": kernel}, more_verify=verify, more_undo=restore)


def check(one: Recommendation) -> str:
    """The command that shows the value in effect; what it shows stands behind it, as a comment."""
    return f"{one.steps.verify}  # {one.steps.seen}"


def _threads(context: FileContext) -> Iterator[Artefact]:
    found = threads_line(context)
    one = context.advice.find(THREADS)
    if found and one:
        yield _made(context, "nfsd-threads", {"line": found[0], "about": context.about(one)}, install=found[1],
                    more_verify=[check(one)])


def _read_ahead(context: FileContext) -> Iterator[Artefact]:
    """The rule base has the whole line of the rule, but for the size."""
    rule, size = context.advice.find("bdi.read_ahead_rule"), context.advice.find("bdi.read_ahead_kb")
    if not (rule and size and rule.value == "udev-rule" and size.written is not None):
        return
    line = rule.steps.apply.splitlines()[-1].replace("KIB", str(int(size.written)))
    about = [*context.about(size), *context.about(rule)]
    yield _made(context, "udev", {"line": line, "about": about})


def _exports(context: FileContext) -> Iterator[Artefact]:
    if not context.is_server:
        return
    waiting = lacking_exports(context.base, context.advice)
    if waiting:
        context.remarks.append(
            f"The exports line waits for {' and '.join(one.tunable for one in waiting)} to be settled."
        )
        return
    first, skipped = context.data["export_order"], context.data["export_not_options"]
    ours = [
        one for one in context.advice.advised
        if one.kind == "export-option" and one.written is not None and one.tunable not in skipped
    ]
    if not ours:
        return
    ours.sort(key=lambda one: first.index(one.tunable) if one.tunable in first else len(first))
    clients = context.advice.answers.name("clients").split(" ")
    options = ",".join(spell(one.told, one.written) for one in ours)
    values = {"options": options, "about": [context.about(one) for one in ours], "clients": clients}
    yield _made(context, "exports", values)


def _made(context: FileContext, file: str, values: Mapping[str, object], **steps: Any) -> Artefact:
    head = context.head_of(file)
    return context.artefact(file, render(file, head=head, c=context, **values), **steps)
