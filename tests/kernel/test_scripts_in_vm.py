"""apply.sh, verify.sh and revert.sh, run as somebody would on two real kernels with a server that answers.

Two boots take a minute, so it is done where ADVISOR_VM=all asks for it."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts
from tests.install.cases import CASES, base
from tests.kernel.vm.boot import run
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs
from tests.tiers import thorough

pytestmark = thorough

INIT = Path(__file__).with_name("vm") / "scripts-init"
MINE = "tmpfs  /other  tmpfs  noauto  0 0\n"


class Course(NamedTuple):
    """What is tried with the advice for a case. `spoilt`: a value of the kernel and what it is made; `told`: what
    verify.sh says then. `files`: what the machine finds beside the scripts."""

    case: str
    role: str = "client"
    target: str = "/mnt/a b#c\\d"
    spoilt: str = "/proc/sys/net/core/rmem_max 4321"
    told: str = ""
    files: dict[str, str] = {}
    facts: dict[str, object] = {}


COURSES = {
    "slots": Course(
        "anf-eda-static", target="/mnt/data", told="net.core.rmem_max is 4321, not 16777216",
        files={"fstab.before": "nas:/old  /mnt/data/  nfs  soft,noauto  0 0\n", "sysctl.before": "# mine\n"},
    ),
    "ports": Course("azure-files-24.04", files={"added": MINE}),
    "limits": Course(
        "knfsd-sequential", spoilt="/proc/sys/vm/dirty_ratio 33", told="vm.dirty_bytes is 0, not 8589934592",
        facts={"storage.platform": "azure-blob", "client.memory_gib": 64},
    ),
    "waiting": Course("anf-eda-static", role="waits"),
    "server": Course("debian-server", role="server"),
}


def archive() -> Archive:
    made = Archive()
    made.file("init", INIT.read_bytes(), 0o755)
    for number, (name, course) in enumerate(COURSES.items()):
        export = "/export" if course.role == "server" else "/srv/data"
        names = {"server": "127.0.0.1", "export": export, "clients": "*", "target": course.target}
        told = advise(base(), Answers(facts={**CASES[course.case], **course.facts}, names=names))
        folder = f"cases/{number}"
        for one in artefacts(base(), told):
            made.file(f"{folder}/out/{one.path}", one.text, one.mode)
        files = {"name": name, "role": course.role, "target": course.target, "break": f"{course.spoilt}\n"}
        for path, text in {**files, **course.files}.items():
            made.file(f"{folder}/{path}", text)
    return made


@pytest.mark.skipif(os.environ.get("ADVISOR_VM") != "all", reason="boots virtual machines; ADVISOR_VM=all asks for it")
@pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {', '.join(missing_programs())}")
@pytest.mark.parametrize("kernel", ["6.1", "6.12"])
def test_applied_verified_spoilt_and_reverted(kernel: str) -> None:
    try:
        machine = image(kernel)
    except Missing as error:
        pytest.skip(f"no virtual machine: {error}")
    said: dict[str, dict[str, list[str]]] = {}
    for line in run(machine, archive()).replace("\r", "").splitlines():
        key, tab, value = line.partition("\t")
        if key == "case":
            said[value] = case = defaultdict(list)
        elif tab:
            case[key].append(value)
    assert set(said) == set(COURSES)
    for name, told in said.items():
        assert told["early_rc"] == ["1"], (name, "nothing is in place yet")
        assert told["apply_rc"] == ["0"], (name, told["apply"])
        assert told["revert_rc"] == ["0"], (name, told["revert"])
        mine = [f"> {line}" for line in COURSES[name].files.get("added", "").splitlines()]
        assert [line for line in told["left"] if "/etc/fstab" not in line or not mine] == [], (name, "all is as it was")
    for name in ("slots", "ports", "limits"):
        told, course = said[name], COURSES[name]
        assert (told["verify_rc"], len(told["mount"])) == (["0"], 1), (name, told["verify"])
        assert told["again"] == ["To see what is in effect: sh verify.sh"], "a second run has nothing to do"
        assert (told["broken_rc"] == ["1"]) is bool(course.told)
        assert not course.told or told["broken"][0] == course.told
        assert [line for line in told["torn"] if line.startswith("/etc/fstab has no line: 127.0.0.1:/srv/data ")]
        assert told["torn_rc"] == told["unmounted_rc"] == told["otherwise_rc"] == ["1"]
        assert f"{course.target} is not mounted" in told["unmounted"]
        assert f"{course.target} is mounted without hard" in told["otherwise"]
    assert "took the line for" in " ".join(said["ports"]["revert"]), "somebody else's line stays"
    assert said["waiting"]["mount"] == [], "nothing is mounted before the parameter counts"
    assert "restart the host" in " ".join(said["waiting"]["apply"])
    assert said["server"]["verify"][0] == "nfsd.threads is 4, not 64", "apply.sh restarts nothing"
    assert said["server"]["restarted_rc"] == ["0"]
