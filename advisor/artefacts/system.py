"""Files that set the system up: sysctl.d, modprobe.d, nfs.conf.d, the nfsd threads, udev, tuned, exports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from advisor.artefacts.context import Context
from advisor.artefacts.model import Artefact
from advisor.artefacts.settings import THREADS, modules, nfs_conf, sysctls, threads_line
from advisor.artefacts.templating import render
from advisor.values import spell

_NUMBER = re.compile(r'(ATTR\{read_ahead_kb\}=)"\d+"')


def system(context: Context) -> Iterator[Artefact]:
    """Those of the files that have something in them."""
    kernel = sysctls(context)
    if kernel:
        yield _made(context, "sysctl", {"settings": kernel}, verify=[f"sysctl {one.name}" for one in kernel])
    parameters = modules(context)
    if parameters:
        yield _made(context, "modprobe", {"settings": parameters}, verify=[f"cat {one.file}" for one in parameters])
    sections = nfs_conf(context)
    if sections:
        told = [f"nfsconf --get {name} {one.name}" for name, ours in sections.items() for one in ours]
        after = ["systemctl restart nfs-server"] if {"nfsd", "mountd"} & sections.keys() else []
        steps = context.data["files"]["nfs-conf"]
        yield _made(context, "nfs-conf", {"sections": sections}, verify=told, apply=[*steps["apply"], *after],
                    undo=[*steps["undo"], *after])
    yield from _threads(context)
    yield from _read_ahead(context)
    yield from _tuned(context)
    yield from _exports(context)


def _threads(context: Context) -> Iterator[Artefact]:
    found = threads_line(context)
    one = context.advice.find(THREADS)
    if found and one:
        yield _made(context, "nfsd-threads", {"line": found[0], "about": context.about(one)}, install=found[1])


def _read_ahead(context: Context) -> Iterator[Artefact]:
    """The rule base has the whole line of the rule; only the number changes."""
    rule, size = context.advice.find("bdi.read_ahead_rule"), context.advice.find("bdi.read_ahead_kb")
    if not (rule and size and rule.value == "udev-rule" and size.written is not None):
        return
    line = str(rule.told["sets"]).strip().splitlines()[-1]
    number = int(size.written)
    about = [*context.about(size), *context.about(rule)]
    yield _made(context, "udev", {"line": _NUMBER.sub(rf'\1"{number}"', line), "about": about})


def _tuned(context: Context) -> Iterator[Artefact]:
    one = next((one for one in context.settled("tuned") if one.tunable == "tuned.profile"), None)
    if one is None:
        return
    values = {"profile": one.text, "about": context.about(one), "settings": sysctls(context)}
    yield _made(context, "tuned", values, names={"profile": one.text})


def _exports(context: Context) -> Iterator[Artefact]:
    if not context.is_server:
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


def _made(context: Context, file: str, values: Mapping[str, object], **steps: Any) -> Artefact:
    head = context.head_of(file)
    return context.artefact(file, render(file, head=head, c=context, **values), **steps)
