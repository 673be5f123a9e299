"""Lines that were copied from /proc/mounts: one note tells the cause, and what was negotiated is not blamed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.lint.finding import Finding
from advisor.lint.fix import fix_text
from advisor.lint.run import lint_text
from tests import needs
from tests.each import each
from tests.lint.fixing import BOTH, base, judge

SHARED = needs.OTHERS
RULES = {"copied-from-proc-mounts", "copied-mountd-port"}
"""The second where the port of mountd is among what was copied."""
V4 = (
    "rw,relatime,vers=4.2,rsize=131072,wsize=131072,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,"
    "clientaddr=192.0.2.7,local_lock=none,addr=192.0.2.1"
)
V3 = (
    "rw,relatime,vers=3,rsize=8192,wsize=8192,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,"
    "mountaddr=192.0.2.1,mountvers=3,mountport=20048,mountproto=udp,local_lock=none,addr=192.0.2.1"
)
NEGOTIATED = {
    "mount.rsize", "mount.wsize", "mount.addr", "mount.clientaddr", "mount.mountaddr", "mount.mountvers",
    "mount.mountport", "mount.mountproto", "mount.local_lock", "mount.namlen", "mount.relatime", "fstab.type",
}


def told(line: str) -> list[Finding]:
    return [f for f in lint_text(line, "fstab", base(), {}).findings if not f.policy]


@pytest.mark.parametrize("line", [f"nas:/a /a nfs4 {V4} 0 0", f"nas:/a /a nfs {V4} 0 0", f"nas:/a /a nfs {V3} 0 0"])
def test_one_finding_tells_the_cause(line: str) -> None:
    (finding,) = told(line)
    port = "mountport" in line
    assert finding.rule == ("copied-mountd-port" if port else "copied-from-proc-mounts")
    assert finding.severity == ("warning" if port else "note")
    assert not {item.tunable for item in lint_text(line, "fstab", base(), {}).open} & NEGOTIATED


def test_what_was_chosen_is_judged_all_the_same() -> None:
    chosen = V3.replace("hard", "soft").replace("timeo=600", "timeo=14").replace("rw", "rw,sync")
    found = {f.rule for f in told(f"nas:/a /a nfs {chosen} 0 0")}
    assert found >= {"hard/default", "soft-gives-up-soon", "copied-mountd-port"}


@pytest.mark.parametrize(
    ("fstype", "options", "left"),
    [
        ("nfs4", V4, ("nfs", "rw,vers=4.2,hard,proto=tcp,timeo=600,retrans=2,sec=sys")),
        ("nfs", V3, ("nfs", "rw,vers=3,hard,proto=tcp,timeo=600,retrans=2,sec=sys")),
        ("nfs", V3.replace("hard", "hard,nolock").replace("local_lock=none", "local_lock=all"),
         ("nfs", "rw,vers=3,hard,nolock,proto=tcp,timeo=600,retrans=2,sec=sys,local_lock=all")),
    ],
)
def test_what_is_left_was_chosen_or_is_the_default(fstype: str, options: str, left: tuple[str, str]) -> None:
    def judged(text: str) -> tuple[list[Finding], list[Finding]]:
        return judge(text)[0], told(text)

    fixed = fix_text(f"nas:/a /a {fstype} {options} 0 0\n", judged, BOTH).text
    assert tuple(fixed.split()[2:4]) == left
    assert not RULES & {f.rule for f in told(fixed)}


def test_the_names_of_what_goes_are_told() -> None:
    (finding,) = told(f"nas:/a /a nfs {V3} 0 0")
    assert finding.remedy.startswith(
        "Remove relatime, rsize, wsize, namlen, mountaddr, mountvers, mountport, mountproto, local_lock and addr;"
    )


@given(st.sampled_from([V4, V3]), st.data())
def test_a_part_of_such_a_line_is_known_too(options: str, data: st.DataObject) -> None:
    """Whoever copies may leave out some options: as long as two give it away, nothing negotiated is blamed."""
    items = options.split(",")
    kept = [item for item in items if data.draw(st.booleans())]
    names = {item.partition("=")[0] for item in kept}
    run = {"vers", "rsize", "wsize", "proto", "timeo", "retrans", "sec"}
    signs = len(names & {"addr", "clientaddr", "mountaddr", "local_lock", "namlen", "relatime"})
    signs += {"mountvers", "mountproto"} <= names
    signs += run <= names
    found = told(f"nas:/a /a nfs {','.join(kept) or 'rw'} 0 0")
    assert sum(f.rule in RULES for f in found) == (signs >= 2)
    if signs >= 2:
        assert not {f.tunable for f in found if f.rule not in RULES and f.severity != "error"} & NEGOTIATED


@pytest.mark.skipif(not (SHARED / "corpus" / "procmounts").is_dir(), reason=needs.SHARED)
@each(lambda: sorted((SHARED / "corpus" / "procmounts").glob("*")), str)
def test_what_other_kernels_printed(path: Path) -> None:
    for line in path.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        words = line.split()
        if len(words) < 4 or ":" not in words[0] or words[2] not in ("nfs", "nfs4") or "=" not in words[3]:
            continue
        found = told(f"{line}\n")
        if any(f.rule == "fstab-line-dropped" for f in found):
            continue
        assert sum(f.rule in RULES for f in found) == 1, line
        assert not {f.tunable for f in found if f.rule not in RULES and f.severity != "error"} & NEGOTIATED, line
