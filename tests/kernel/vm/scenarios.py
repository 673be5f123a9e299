"""From answers to a case for the machine: the files that are recommended, with this machine's server in them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from zlib import crc32

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.answers_file import read_answers
from advisor.advice.model import Advice
from advisor.advice.rows import field, fstab_line, option_list
from advisor.install import artefacts
from advisor.rulebase.base import load
from tests.kernel.judge import read
from tests.kernel.vm.boot import Case

SCENARIOS = Path(__file__).parents[2] / "scenarios"
OWN = Path(__file__).with_name("answers")

_FILES = {
    "fstab": "fstab", "sysctl.d/91-nfs.conf": "sysctl.conf", "modprobe.d/91-nfs.conf": "modprobe.conf",
    "nfs.conf.d/91-nfs.conf": "nfs.conf", "exports.d/nfs-advisor.exports": "exports",
}
"""Path of a recommended file → its name in a case."""


def answers_files() -> list[Path]:
    """The scenarios, and made-up environments that the scenarios leave out."""
    return [*sorted(SCENARIOS.glob("*.yaml")), *sorted(OWN.glob("*.yaml"))]


@cache
def advice(path: Path) -> Advice:
    """What is recommended for answers, with names that stand for something in the machine."""
    answers: Answers = read_answers(load(), str(path))
    names = {"server": "127.0.0.1", "export": f"/srv/{path.stem}", "target": f"/mnt/{path.stem}", "clients": "*"}
    return advise(load(), answers._replace(names=names))


def left_out(advice: Advice) -> str | None:
    """Why this machine cannot mount it; None when it can."""
    kind = field(advice, "type", "nfs")
    if kind not in ("nfs", "nfs4"):
        return f"mounts with the helper mount.{kind}"
    line = read(option_list(advice), kind, "127.0.0.1:/srv")
    sec, proto = line.value("mount.sec") or "sys", line.value("mount.proto") or "tcp"
    if sec != "sys":
        return f"sec={sec} needs Kerberos on both sides"
    if proto not in ("tcp", "tcp6"):
        return f"proto={proto} needs other hardware, or a server that still offers it"
    return None


@cache
def case(path: Path) -> Case:
    """The files of a scenario."""
    given = advice(path)
    files = {
        _FILES[one.path]: one.text for one in artefacts(load(), given) if one.path in _FILES
    }
    files.setdefault("fstab", fstab_line(given) + "\n")  # a server's own files have none; a client of it would
    export = given.answers.name("export")
    files["exports"] = _export(files.get("exports"), given)
    files |= {
        "export": export,
        "settings": "\n".join(_settings(given)),
        "modules": "\n".join(parameters(files.get("modprobe.conf", ""))),
        "connections": str(connections(given)),
    }
    size = given.find("bdi.read_ahead_kb")
    if size is not None and size.written is not None:
        files["read_ahead"] = str(size.written)
    return Case(path.stem, given.answers.name("target"), files)


def ordered(cases: list[Case]) -> list[Case]:
    """Cases that load modules alike stand together: loading them again takes seconds."""
    return sorted(cases, key=lambda one: (lines(one.files.get("modprobe.conf")), lines(one.files.get("nfs.conf"))))


def lines(text: str | None) -> list[str]:
    """The lines of a file that are neither empty nor a comment."""
    return [line for line in (text or "").splitlines() if line and not line.startswith("#")]


def parameters(modprobe: str) -> dict[str, str]:
    """What a file for modprobe sets: module.parameter → value."""
    found: dict[str, str] = {}
    for line in lines(modprobe):
        _, module, *settings = line.split()
        found |= {f"{module}.{name}": value for name, _, value in (word.partition("=") for word in settings)}
    return found


def connections(advice: Advice) -> int:
    """How many connections the line promises."""
    return int(read(option_list(advice), "nfs", "127.0.0.1:/srv").value("mount.nconnect") or 1)


def _settings(advice: Advice) -> list[str]:
    """The sysctls to report and, after the case, to set back. Limits of dirty pages in bytes are undone by setting the
    ratios, and by nothing else."""
    named = [one for one in advice.advised if one.kind == "sysctl" and one.written is not None]
    return sorted({"vm.dirty_ratio", "vm.dirty_background_ratio", *(one.tunable[len("sysctl."):] for one in named)})


def _export(recommended: str | None, advice: Advice) -> str:
    """The recommended export, or one that allows no more than is needed: `secure`, the default, turns away a client
    that uses unreserved ports. The tree lies in memory and has no identity, so it is given one (fsid)."""
    path = advice.answers.name("export")
    if recommended is None:
        ports = "insecure" if "noresvport" in option_list(advice).split(",") else "secure"
        recommended = f"{path} *(rw,no_subtree_check,{ports})\n"
    return re.sub(r"^([^#].*)\)$", rf"\1,fsid={1 + crc32(path.encode()) % 10**6})", recommended, flags=re.MULTILINE)
