"""Mounts of other types on top of NFS: which are reported, at which place, and with which fix."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.lint.between import Folders
from advisor.lint.finding import apply
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

NFS = "nas:/data /data nfs hard 0 0\n"
ABOUT = ("overlay-upper-on-nfs", "bound-before-nfs")


@each(lambda: [
    ("overlay /m overlay lowerdir=/usr,upperdir=/data/u 0 0", ("overlay-upper-on-nfs", "upperdir=/data/u")),
    ("overlay /m overlay lowerdir=/data,upperdir=/u,workdir=/w 0 0", None),
    ("overlay /m overlay lowerdir=/data 0 0", None),
    ("overlay /m overlay upperdir=u 0 0", None), ("overlay /m overlay upperdir,lowerdir=/data 0 0", None),
    ("/data/home /home none bind 0 0", ("bound-before-nfs", "/data/home")),
    ("/data /home none bind 0 0", ("bound-before-nfs", "/data")),
    ("/database /home none bind 0 0", None),
    ("/data/home /home none bind,_netdev 0 0", None),
    ("/data/swap none swap sw 0 0", None),
    ("/dev/sdb1 /x ext4 defaults 0 0", None),
    ("/data/home /home nfs hard 0 0", None),
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


def test_the_nearest_folder_above_that_is_mounted_later() -> None:
    folders = Folders()
    entries: dict[str, Any] = {path: SimpleNamespace(line_no=line) for line, path in enumerate(
        ("/", "/a/b/c", "/a", "/a/b", "/ab"), 1)}
    numbers = {path: folders.add(path, entry) for path, entry in entries.items()}
    assert len({*numbers.values()}) == len(numbers)
    assert folders.add("/a/b", entries["/ab"]) == numbers["/a/b"], "the first that is mounted there is kept"
    assert folders.later(numbers["/a/b/c"], 2) is entries["/a/b"]
    assert folders.later(numbers["/a/b"], 2) is entries["/a"]
    assert folders.later(numbers["/a/b"], 4) is None
    assert folders.later(numbers["/ab"], 0) is None, "the root is mounted before fstab is read"
