"""Mounts of other types on top of NFS: which are reported, at which place, and with which fix."""

from __future__ import annotations

import pytest

from advisor.lint.finding import apply
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

NFS = "nas:/data /data nfs hard 0 0\n"
ABOUT = ("overlay-upper-on-nfs", "bound-before-nfs")


@pytest.mark.parametrize(("line", "found"), [
    ("overlay /m overlay lowerdir=/usr,upperdir=/data/u 0 0", ("overlay-upper-on-nfs", "upperdir=/data/u")),
    ("overlay /m overlay lowerdir=/data,upperdir=/u,workdir=/w 0 0", None),
    ("overlay /m overlay lowerdir=/data 0 0", None),
    ("overlay /m overlay upperdir=u 0 0", None),
    ("/data/home /home none bind 0 0", ("bound-before-nfs", "/data/home")),
    ("/data /home none bind 0 0", ("bound-before-nfs", "/data")),
    ("/database /home none bind 0 0", None),
    ("/data/home /home none bind,_netdev 0 0", None),
    ("/data/swap none swap sw 0 0", None),
    ("/dev/sdb1 /x ext4 defaults 0 0", None),
])
def test_what_is_mounted_on_top_of_nfs(line: str, found: tuple[str, str] | None) -> None:
    text = f"{NFS}{line}\n"
    told = [finding for finding in lint_text(text, "fstab", load(), {}).findings if finding.rule in ABOUT]
    places = [(f.rule, line[f.column - 1 : f.end_column - 1]) for f in told if f.line == 2]
    assert (places, len(told)) == (([found], 1) if found else ([], 0))
    for finding in told:
        assert "line 1" in finding.message
        if finding.rule == "bound-before-nfs":
            assert finding.fix is not None
            assert apply(line, finding.fix.edits) == line.replace("bind", "bind,_netdev")
