"""The cases that two real kernels were asked, and those of them that say nothing of the options alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests import needs

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "kernel-agreement.md"
OWN = [Path(__file__).parent / name for name in ("observed.jsonl", "observed-fstab.jsonl")]

WHOLE_GROUPS = {
    "&&": "several mounts, or a remount: what counts is how they share, not one option list",
    "@via=raw": "handed straight to the kernel, without mount.nfs, which fstab always goes through",
    "@sh=": "the server or the client was reconfigured first",
    "@args=-f": "a pretended mount, which nothing checks",
}
EXCLUDED = {
    "sec=none": "the server exports sec=sys only",
    "sec=krb5": "needs Kerberos on both sides",
    "sec=krb5i": "needs Kerberos on both sides",
    "sec=krb5p": "needs Kerberos on both sides",
    "vers=3,sec=krb5": "needs Kerberos on both sides",
    "proto=rdma": "needs RDMA hardware and its module",
    "vers=3,port=2049,mountport=20048,retry=0": "the server's mountd listens on another port",
    "@via=fstab-a nofail,port=2050,retry=0": "nothing listens on that port",
    "@src=127.0.0.1:/srv/sec vers=4.2,noresvport": "the export demands privileged ports",
    "@src=127.0.0.1:/srv/nope vers=4.2": "the server has no such export",
    "@src=127.0.0.1:/srv/nope vers=3": "the server has no such export",
    "@src=nosuchhost:/srv/a vers=4.2,retry=0": "the name does not resolve",
    "@src=nfs://127.0.0.1/srv/a vers=4.2": "the first field is wrong, not the options",
    "@src=//127.0.0.1/srv/a vers=4.2": "the first field is wrong, not the options",
    "xprtsec=tls": "6.12 knows the option; the TLS daemon is missing (6.1 does not know it and is compared)",
}
"""Cases of the oracle files whose outcome does not depend on the options alone, with the reason."""


DIFFERENCES = {
    "private": "mount.nfs itself refuses it; mount(8), which fstab goes through, removes it",
    "shared": "mount.nfs itself refuses it; mount(8), which fstab goes through, removes it",
    "rshared": "mount.nfs itself refuses it; mount(8), which fstab goes through, removes it",
    "noauto=1": "mount.nfs itself refuses it; mount(8), which fstab goes through, removes it",
    "mountport=20048": "the server's mountd listens on another port",
    "vers=3,mounthost=nosuchhost": "the name does not resolve",
    "@src=localhost:/srv/a proto=tcp6": "the name has no IPv6 address there",
    "sec=null": "the server exports sec=sys only",
    "sec=lkey": "the server exports sec=sys only",
    "sec=spkm3": "the server exports sec=sys only",
    "@via=fstab vers=4.2,sec=null:sys": "the server exports sec=sys only",
    "@via=fstab vers4,sloppy": "mount.nfs reads what begins with vers as a version, and sloppy does not hide that",
    "@via=fstab v3.1,sloppy": "mount.nfs reads what begins with v3 as a version, and sloppy does not hide that",
    "vers=4.1,sec=krb5:sys": "needs Kerberos on both sides",
    "rdma": "needs RDMA hardware and its module",
    "rdma,tcp": "needs RDMA hardware and its module",
    "vers=3,rdma": "needs RDMA hardware and its module",
}
"""Cases of the two files on which the grammar and the machine differ, with the reason."""


class Case(NamedTuple):
    """One mount. `shown`: its options in /proc/mounts, None when it failed."""

    text: str
    options: str
    fstype: str
    source: str
    through: str
    accepted: bool
    shown: str | None


def oracle(kernel: str) -> Path:
    """The file of answers that the shared folder holds for a kernel ("6.1", "6.12")."""
    return needs.OTHERS / "kernel" / f"oracle-{kernel}.jsonl"


def asked(kernel: str) -> list[Case]:
    """Every case of the oracle file that is one mount of one option list."""
    rows = [json.loads(line) for line in oracle(kernel).read_text().splitlines()]
    return [_case(row["case"], row) for row in rows if not any(mark in row["case"] for mark in WHOLE_GROUPS)]


def compared(kernel: str) -> list[Case]:
    """The cases whose outcome depends on the options alone."""
    left_out = set(EXCLUDED)
    if kernel == "6.1":
        left_out.discard("xprtsec=tls")
    return [case for case in asked(kernel) if case.text not in left_out]


def own(kernel: str) -> list[Case]:
    """The cases of observed.jsonl and observed-fstab.jsonl: further questions to the same kernels."""
    rows = [json.loads(line) for path in OWN for line in path.read_text().splitlines()]
    return [_case(row["case"], row.get(kernel, row)) for row in rows]


def _case(text: str, answer: dict[str, Any]) -> Case:
    options, fstype, source, through = "", "nfs", "127.0.0.1:/srv/a", "mount.nfs"
    sloppy = False
    for word in text.split(" "):
        mark, _, value = word.partition("=")
        if mark == "@t":
            fstype = value
        elif mark == "@src":
            source = value
        elif mark == "@via":
            through = value
        elif word == "@args=-s":
            sloppy = True  # the command line's way to say it
        elif not word.startswith("@") and word != "-":
            options = word
    if sloppy:
        options = f"sloppy,{options}"
    shown = answer.get("proc_mounts_options", answer.get("shown"))
    return Case(text, options or "defaults", fstype, source, through, answer["rc"] == 0, shown)
