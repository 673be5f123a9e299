"""Boots the machine with some cases and reads what it reports."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import Image

INIT = Path(__file__).with_name("init")
LIMIT = 300
"""Seconds for a boot and all its cases."""

_ALWAYS = {"case", "rc", "sysctl_rc", "threads"}
"""What every report has."""


class Case(NamedTuple):
    """What is installed before a mount. `files`: name → text, as `init` looks for them; `target`: where it mounts."""

    name: str
    target: str
    files: dict[str, str]


class Failed(Exception):
    """The machine did not finish; the text ends with what its console said last."""


def boot(image: Image, cases: Iterable[Case]) -> list[dict[str, Any]]:
    """One report a case, in their order: see `parse`."""
    archive = Archive()
    archive.file("init", INIT.read_bytes(), 0o755)
    for number, case in enumerate(cases):
        for name, text in {"name": case.name, "target": case.target, **case.files}.items():
            archive.file(f"cases/{number:03}/{name}", text)
    told = run(image, archive)
    reports = parse(told)
    if any(not set(report) >= _ALWAYS for report in reports):
        raise Failed(f"Linux {image.release} left something out:\n{told[-500:]}")
    return reports


def run(image: Image, archive: Archive, limit: int = LIMIT, own_clock: bool = False) -> str:
    """What the machine said on its second serial line; `archive` holds its `init`. With `own_clock` its time goes on
    with what it executes (one instruction a nanosecond) and jumps where it waits, so that the load here has no part in
    the times. Raises Failed."""
    with tempfile.TemporaryDirectory(prefix="advisor-vm-") as name:
        folder = Path(name)
        (folder / "initrd").write_bytes(image.archive.read_bytes() + archive.packed())
        _qemu(image, folder, limit, own_clock)
        console = (folder / "console").read_text(errors="replace")
        told = (folder / "data").read_text(errors="replace")
    if "\ndone" not in told:
        raise Failed(f"Linux {image.release} did not finish:\n{console[-3000:]}\n{told[-500:]}")
    return told


def _qemu(image: Image, folder: Path, limit: int, own_clock: bool) -> None:
    try:
        ran = subprocess.run(
            command(image, folder, own_clock=own_clock), capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return  # what it had to say so far tells where it hung
    if ran.returncode:
        raise Failed(f"qemu: {ran.stderr.strip()[-1000:]}")


def command(image: Image, folder: Path, network: str = "none", cpus: int = 1, own_clock: bool = False) -> list[str]:
    """The words that start qemu; `initrd` lies in `folder`, and its serial lines are written there. `network`: its
    option nic; see `run` for `own_clock`."""
    accel = ["-accel", "kvm"] if _kvm() and not own_clock else []
    return [
        "qemu-system-x86_64", *accel, "-accel", "tcg", "-cpu", "max", "-machine", "q35", "-m", "1024",
        "-smp", str(cpus), *(["-icount", "shift=0,sleep=off"] if own_clock else []),
        "-nodefaults", "-no-reboot", "-display", "none", "-monitor", "none", "-nic", network,
        "-serial", f"file:{folder}/console", "-serial", f"file:{folder}/data",
        "-kernel", str(image.kernel), "-initrd", str(folder / "initrd"),
        "-append", "console=ttyS0 quiet panic=-1 mitigations=off",
    ]


def _kvm() -> bool:
    """Whether the processor runs machines. In some containers the device is there though the processor does not."""
    flags = Path("/proc/cpuinfo").read_text().split()
    return ("vmx" in flags or "svm" in flags) and os.access("/dev/kvm", os.R_OK | os.W_OK)


def parse(told: str) -> list[dict[str, Any]]:
    """Reports from lines `key<TAB>value`; `case` begins one. A key that is said again gives a list of its values; a
    key with a dot (`sysctl.vm.dirty_ratio`) is an entry of the table before the dot."""
    reports: list[dict[str, Any]] = []
    for line in told.replace("\r", "").splitlines():
        key, tab, value = line.partition("\t")
        if not tab:
            continue
        value = value.strip()
        if key == "case":
            reports.append({"case": value, "stderr": [], "mount": [], "ports": [], "exports": [], "sysctl": {},
                            "before": {}, "module": {}})
        elif key in ("stderr", "mount", "ports", "exports"):
            reports[-1][key].append(value)
        elif "." in key:
            table, _, name = key.partition(".")
            reports[-1][table][name] = value
        else:
            reports[-1][key] = int(value) if value.lstrip("-").isdigit() else value
    return reports
