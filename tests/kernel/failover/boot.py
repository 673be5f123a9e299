"""Boots the machine with the pair and reads what it said of each case."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.kernel.failover.cases import Case
from tests.kernel.failover.cib import cib
from tests.kernel.vm.boot import run
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import Image

_PROGRAMS = ("by-hand", "fence_vm", "init", "nfs-kernel-server", "pacemaker", "pair", "recorder.py")
_MINUTES = 30
"""For a boot and all its cases."""


def told(image: Image, cases: Iterable[Case]) -> str:
    """What the machine said, for `outcomes`. Raises Failed."""
    archive = Archive()
    for name in _PROGRAMS:
        archive.file(name, Path(__file__).with_name(name).read_bytes(), 0o755)
    for number, case in enumerate(cases):
        archive.file(f"cases/{number:03}/name", case.name)
        archive.file(f"cases/{number:03}/settings", case.settings)
        if case.replaced is not None:
            archive.file(f"cases/{number:03}/cib.xml", cib(case.replaced))
    return run(image, archive, limit=60 * _MINUTES, own_clock=True)
