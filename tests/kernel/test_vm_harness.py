"""The parts of the virtual machine's harness that need no machine: archives, reports, and what counts as kept."""

from __future__ import annotations

import lzma
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.kernel.judge import KERNELS
from tests.kernel.vm.boot import Case, parse
from tests.kernel.vm.cpio import Archive
from tests.kernel.vm.image import unpacked
from tests.kernel.vm.promises import promises
from tests.kernel.vm.scenarios import OWN, advice, case, left_out, ordered

HELD = OWN / "held-v3.yaml"
SHOWN = (
    "rw,relatime,vers=3,rsize=1048576,wsize=1048576,namlen=255,acregmin=120,acregmax=120,acdirmin=120,acdirmax=120,"
    "softerr,softreval,nocto,nolock,noresvport,proto=tcp,nconnect=16,timeo=150,retrans=5,sec=sys,local_lock=all,addr=127.0.0.1"
)


@pytest.mark.skipif(not shutil.which("cpio"), reason="no cpio to read the archive with")
def test_an_archive_is_what_cpio_reads(tmp_path: Path) -> None:
    archive = Archive()
    archive.file("a/deep/one", "text", 0o755)
    archive.link("a/two", "deep/one")
    archive.file("a/deep/one", "given twice")
    subprocess.run(["cpio", "-id", "--quiet"], input=archive.packed(), cwd=tmp_path, check=True)
    assert (tmp_path / "a/two").read_text() == "text"
    assert (tmp_path / "a/deep/one").stat().st_mode & 0o777 == 0o755


def test_a_kernel_is_taken_out_of_its_image() -> None:
    inner = lzma.compress(b"\x7fELF kernel")
    head = bytearray(1024)
    head[0x1F1] = 1
    head[0x248:0x24C] = (0).to_bytes(4, "little")
    head[0x24C:0x250] = len(inner).to_bytes(4, "little")
    assert unpacked(bytes(head) + inner) == b"\x7fELF kernel"
    assert unpacked(bytes(head) + b"something else") == bytes(head) + b"something else"


def test_a_report_is_read() -> None:
    told = "noise\ncase\ta\nrc\t0\nstderr\tone\nstderr\ttwo\nsysctl.vm.dirty_ratio\t20\r\ncase\tb\nrc\t32\n\ndone\n"
    first, second = parse(told)
    assert (first["rc"], first["stderr"], first["sysctl"]) == (0, ["one", "two"], {"vm.dirty_ratio": "20"})
    assert (second["case"], second["rc"]) == ("b", 32)


def test_what_other_helpers_mount_is_left_out() -> None:
    given = advice(HELD)
    assert left_out(given) is None
    rows = tuple(
        one._replace(text="sec=krb5", written="krb5") if one.tunable == "mount.sec" else one for one in given.rows
    )
    assert left_out(given._replace(rows=rows)) == "sec=krb5 needs Kerberos on both sides"


def test_cases_with_equal_parameters_stand_together() -> None:
    loads = ["options a b=1", "", "# why\noptions a b=1", "# nothing"]
    cases = [Case(str(number), "/mnt", {"modprobe.conf": text}) for number, text in enumerate(loads)]
    assert [one.name for one in ordered(cases)] == ["1", "3", "0", "2"]


def report(**changes: Any) -> dict[str, Any]:
    """What the machine says of held-v3.yaml when everything is as promised, or otherwise."""
    mount = f"127.0.0.1:/srv/held-v3 /mnt/held-v3 nfs {SHOWN} 0 0"
    before = {
        one.tunable.removeprefix("sysctl."): str(one.written).replace(" ", "\t") for one in advice(HELD).advised
        if one.kind == "sysctl" and one.written is not None
    }
    exports = case(HELD).files["exports"].splitlines()
    kept = {
        "rc": 0, "io": 0, "stderr": [], "mount": [mount], "ports": ["A000"] * 16, "exports": exports, "before": before,
        "sysctl": before, "sysctl_rc": 0, "module": {}, "threads": 8,
    }
    return {**kept, **changes}


def broken(**changes: Any) -> list[str]:
    told = promises(case(HELD), advice(HELD), report(**changes), KERNELS["6.12"])
    return [promise.about.partition(" (")[0] for promise in told if not promise.kept]


def without(word: str, other: str = "") -> list[str]:
    return [report()["mount"][0].replace(f",{word}", other)]


def test_every_promise_can_be_broken() -> None:
    assert broken(mount=without("nocto")) == ["mount.nocto = True"]
    assert broken(mount=without("softerr", ",hard")) == ["mount.hard = softerr"]
    assert broken(mount=without("acregmax=120")) == ["mount.acregmax = 120"]
    assert broken(mount=without("timeo=150", ",timeo=600")) == ["mount.timeo = 150"]
    assert broken(mount=without("sec=sys")) == ["mount.sec = sys"]
    assert broken(mount=without("nocto", ",nocto,noac")) == ["no noac"]
    assert broken(ports=["A000"] * 15) == ["16 connections"]
    assert broken(ports=["02E8"] * 16) == ["unreserved ports"]
    assert broken(exports=["/srv/held-v3 *(sync)"]) != []
    assert broken(rc=32, mount=[], stderr=["mount.nfs: bad option"]) == ["the line is accepted"]
    assert broken(io=1) == ["files can be written and read"]
    dirty = {**report()["before"], "vm.vfs_cache_pressure": "50"}
    assert broken(before=dirty) == ["vm.vfs_cache_pressure = 100 without being set"]


def test_a_promise_that_is_kept_is_not_reported() -> None:
    assert broken() == []
