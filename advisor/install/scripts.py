"""The scripts that install the files and mount, verify the settings in effect, and restore the earlier state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from advisor.advice.mount_line import escape_field, fstab_line
from advisor.files.units import plain_path
from advisor.install.context import Artefact, FileContext, for_people
from advisor.install.host_files import modules, nfs_conf, sysctls
from advisor.install.templating import Unwritable, exports, unit_name

_HOW = (
    "As root, sh apply.sh installs these files, puts their settings into effect and mounts the lines of fstab; "
    "sh verify.sh shows what is not in effect; sh revert.sh restores what was there. They name what is left to do."
)
_EXPORTFS = "exportfs"
_WORD = re.compile(r"[^;, ]+")
"""The option in what a check shows; words about it may follow."""
_TABLE = str.maketrans({char: f"\\{ord(char):03o}" for char in " \t\n\\"})
"""How the kernel's table of mounts writes a mount point."""


class MountPoint(NamedTuple):
    """A mount. `line`: of fstab; `field`: the mount point in it; `at`: the same in the kernel's table; `unit`: its
    systemd unit, "" without one; `helper`: the program that mounts it; `source`: what the table shows, "" if the
    helper decides; `shows`: options that the table shows, `lacks`: beginnings of those that it does not show."""

    line: str
    field: str
    at: str
    target: str
    unit: str
    helper: str
    source: str
    shows: tuple[str, ...]
    lacks: tuple[str, ...]


class InstalledFile(NamedTuple):
    """`here`: below the folder; `place`: on the host; `lines`: without comments; `after`: what puts them into
    effect."""

    here: str
    place: str
    lines: tuple[str, ...]
    after: tuple[str, ...]


def scripts(contexts: Sequence[FileContext], host: FileContext, made: Sequence[Artefact]) -> Iterator[Artefact]:
    """The scripts; nothing if no file of `made` is for them. Arguments as `orchestration.ansible` has them."""
    copied = [*installed(host, made)]
    there = {artefact.path for artefact in made}
    mounts = [mount_point(context) for context in contexts] if host.data["files"]["fstab"]["path"] in there else []
    if not (copied or mounts):
        return
    after = [step for file in copied for step in file.after]
    values_of = {
        "files": copied, "values": [*modules(host), *sysctls(host)],
        "mounts": [mount for mount in mounts if mount.target.strip("/")],
        "looks": [{**line.row.steps._asdict(), "name": line.row.tunable.removeprefix("nfs.conf.")}
                  for ours in nfs_conf(host).values() for line in ours],
        "exports": [exports(host.export)] if host.data["files"]["exports"]["path"] in there else [],
        "withdrawn": _withdrawn(host, copied),
        "exported": [recommendation.steps.shows for recommendation in host.advice.advised
                     if recommendation.kind == "export-option" and recommendation.steps.shows],
        "after": [step for step in dict.fromkeys(after) if not for_people(step)],
        "by_hand": [*dict.fromkeys((*filter(for_people, after), *_by_hand(host, made)))],
        "needs": [*dict.fromkeys((*(word for mount in mounts for word in ("awk", mount.helper)), *_tools(after)))],
        "state": host.data["state"],
    }
    host.remarks.append(_HOW)
    for name in ("apply-script", "verify-script", "revert-script"):
        yield host.rendered(name, values_of, mode=0o755)


def _withdrawn(host: FileContext, copied: Iterable[InstalledFile]) -> list[str]:
    """The file of exports, the path as it writes it, and the exports as exportfs -u names them; empty without one."""
    ours = host.data["files"]["exports"]["path"]
    return [word for file in copied if file.here == ours for word in (file.place, exports(host.export), *host.exported)]


def _tools(steps: Iterable[str]) -> list[str]:
    """The programs that the steps need and a host may lack."""
    return [_EXPORTFS] * any(step.startswith(_EXPORTFS) for step in steps)


def installed(host: FileContext, made: Iterable[Artefact]) -> Iterator[InstalledFile]:
    """The files of `made` that are copied to where they belong, in the order in which they count."""
    by_path = {artefact.path: artefact for artefact in made}
    for file, kind in host.data["scripted"].items():
        artefact = by_path.get(host.data["files"][file]["path"])
        if artefact is not None:
            yield InstalledFile(artefact.path, artefact.install, artefact.lines, tuple(_after(host, kind)))


def _after(host: FileContext, kind: str) -> list[str]:
    steps: list[str] = host.data["edited"].get(kind, [])
    if kind != "nfs.conf":
        return steps
    if not {"nfsd", "mountd"} & nfs_conf(host).keys():
        return []
    return [": ".join(host.data["restart_cluster"])] if host.settled("cluster") else steps


def _by_hand(host: FileContext, made: Iterable[Artefact]) -> Iterator[str]:
    """The steps of files that no script copies."""
    for file in host.data["not_scripted"]:
        for artefact in made:
            if artefact.path == host.data["files"][file]["path"]:
                yield f"{artefact.title} ({artefact.path}): see the report"
    fstab = host.data["files"]["fstab"]
    if host.at_root and any(artefact.path == fstab["path"] for artefact in made):
        yield from (step.format(here=fstab["path"]) for step in fstab["at_root"]["apply"])


def mount_point(context: FileContext) -> MountPoint:
    """The mount that is advised."""
    table = context.base.kinds["mount-option"].verify
    seen = [option.steps for option in context.mounted if option.steps.verify == table]
    try:
        unit = unit_name(context.target, "mount")
    except Unwritable:
        unit = ""
    at = plain_path(context.target) or context.target
    source = context.source.rstrip("/") if context.type in context.data["kernel_types"] else ""
    return MountPoint(
        fstab_line(context.advice), escape_field(context.target), at.translate(_TABLE), context.target, unit,
        f"mount.{context.type}", source.translate(_TABLE), _words(steps.shows for steps in seen),
        _words(steps.lacks for steps in seen),
    )


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(match[0] for text in texts if (match := _WORD.match(text)))
