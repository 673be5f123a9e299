"""Files that mount on a client: fstab, a command, systemd units, autofs maps."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from advisor.advice.answers import FSTAB
from advisor.advice.mount_line import fstab_line
from advisor.install.context import FileContext
from advisor.install.model import Artefact, Unwritable
from advisor.install.quote import simplified


def mounts(context: FileContext) -> Iterator[Artefact]:
    """Every way to mount it; the administrator chooses one. None on a server, where no option is settled, or where
    something other than the host mounts; for / only the line of fstab."""
    if not context.mounted or context.any_known(context.data["mounted_elsewhere"]):
        return
    yield _fstab(context)
    if context.at_root:
        context.remarks.append(
            "No command, units or autofs maps: / is the root file system, which is mounted before they could be used."
        )
        return
    yield _made(context, "mount-command", mode=0o755)
    if not context.any_known(context.data["units_unless"]):
        try:
            yield from _units(context)
        except Unwritable as reason:  # the other files can hold the name, and say nothing less
            context.remarks.append(f"No systemd units: {reason}.")
    for file in ("autofs-master", "autofs-map"):
        yield _made(context, file, options=_portable(context))


def _fstab(context: FileContext) -> Artefact:
    """The lines for fstab. What to do with them depends on the line for the mount point that was there before."""
    made = _made(context, "fstab", line=fstab_line(context.advice))
    known = context.advice.answers.before.get(FSTAB)
    if known is None or context.at_root:
        return made
    wording = context.data["files"]["fstab"]["absent" if known.value is None else "seen"]
    names = {"here": made.path, "target": shlex.quote(context.target), "old": known.value, "where": known.where}
    apply, undo = (tuple(step.format_map(names) for step in wording[word]) for word in ("apply", "undo"))
    return made._replace(apply=apply, undo=undo)


def _units(context: FileContext) -> tuple[Artefact, ...]:
    waits = not any(option.tunable in context.data["start_without"] for option in context.mounted)
    options = _portable(context, context.data["unit_too"])
    return tuple(
        _made(context, file, where=simplified(context.target), options=options, waits=waits)
        for file in ("mount-unit", "automount-unit")
    )


def _portable(context: FileContext, but: Iterable[str] = ()) -> str:
    return ",".join(option.text for option in context.portable(but))


def _made(context: FileContext, file: str, mode: int = 0o644, **values: object) -> Artefact:
    """The reasons are beside the line of fstab; the other ways to make the same mount give only what they rest on."""
    about: list[str] = []
    if context.data["files"][file]["kinds"]:
        about = context.reasons(context.mounted) if file == "fstab" else context.taken(context.mounted)
    return context.rendered(file, {"head": [*context.head_of(file), *about], **values}, mode=mode)
