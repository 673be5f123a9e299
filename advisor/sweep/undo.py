"""Undoes what a sweep did, from its journal: at the end of a sweep, and at the start of the next one what a killed
sweep left."""

from __future__ import annotations

import json

from advisor.sweep.bench import LINK, PLACE, Bench, MountFailed, Stuck
from advisor.sweep.isolation import SweepRefused
from advisor.sweep.journal import Journal, JournalStep
from advisor.sweep.model import OwnNamespace
from advisor.sweep.system import System, TooSlow

FOLDER = "folder"
"""Kind of step: a folder on the server; its detail is what ``detail`` says."""
SETTING = "setting"
"""Kind of step: a file of the kernel; its detail is what was in it."""
_QUICK = 10.0
_REMOVE = 600.0


def clean(system: System, journal: Journal) -> list[str]:
    """Undo all that is left, as far as that is possible. Returns what is still left, for people."""
    remains = []
    for step in journal.left():
        try:
            _undo(system, journal, step)
        except (MountFailed, OSError, SweepRefused, Stuck, TooSlow, ValueError) as error:
            remains.append(f"{_named(step)}: {error}")
        else:
            journal.undone(step)
    return remains


def restore(system: System, journal: Journal) -> None:
    """Set the kernel's settings back. Raises OSError."""
    for step in journal.left():
        if step.kind == SETTING:
            system.put(step.what, step.detail)
            journal.undone(step)


def detail(address: str, source: str, own: OwnNamespace | None, options: str) -> str:
    """What is needed to come to a folder on the server again."""
    return json.dumps({"address": address, "source": source, "own": own and list(own), "options": options})


def _undo(system: System, journal: Journal, step: JournalStep) -> None:
    if step.kind == SETTING:
        system.put(step.what, step.detail)
    elif step.kind == LINK:
        if step.what in system.names("/sys/class/net"):
            system.run("ip", "link", "del", step.what, within=_QUICK)
    elif step.kind == "place":
        system.run("rmdir", "--ignore-fail-on-non-empty", PLACE, within=_QUICK)
    elif step.kind == FOLDER:
        at = json.loads(step.detail)
        own = OwnNamespace(*at["own"]) if at["own"] else None
        bench = Bench(system, journal, at["address"], at["source"], own)
        try:
            bench.open()
            bench.mount(at["options"])
            remove(bench, step.what)
            bench.unmount()
        finally:
            bench.close()


def remove(bench: Bench, name: str) -> None:
    """Remove a folder from the export, which is mounted. Raises OSError, TooSlow."""
    done = bench.run("rm", "-r", "-f", "--one-file-system", "--", f"{PLACE}/{name}", within=_REMOVE)
    if done.code:
        raise OSError(done.said)


def _named(step: JournalStep) -> str:
    if step.kind == FOLDER:
        return f"folder {step.what} in {json.loads(step.detail)['source']}"
    if step.kind == SETTING:
        return f"{step.what} (was {step.detail.strip()})"
    return f"{step.kind} {step.what}"
