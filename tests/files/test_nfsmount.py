"""Sections of nfsmount.conf: which options they give to whom, and which of them older releases drop."""

from __future__ import annotations

from advisor.files import kinds
from advisor.files.nfs_conf import lost_options
from advisor.files.records import Span
from tests.each import each

TEXT = """\
[ NFSMount_Global_Options ]
Defaultvers = 4
nfsvers=4.1
Soft = True
# note
[ Server "nas" ]
Background=true
background=False
rsize = 32k
[MountPoint "/a"]
ac=false
rsize=1
rsize=
[Empty]
a=b
"""


def test_the_options_of_each_section() -> None:
    table = kinds.read_mounts("nfsmount.conf", TEXT, "/etc/nfsmount.conf")
    assert [(one.source.value, one.target.value, one.fstype.value, one.options.text) for one in table.mounts] == [
        ("", "", "nfs", "nfsvers=4.1,soft"), ("nas:/", "", "nfs", "fg,rsize=32768"), ("", "/a", "nfs", "noac"),
    ]
    assert [one.line_no for one in table.mounts] == [2, 8, 11]
    assert [tuple(part.span) for one in table.mounts for part in one.options.parts] == [
        (3, 1, 12), (4, 1, 12), (8, 1, 17), (9, 1, 12), (11, 1, 9),
    ]
    assert [tuple(one.source.near) for one in table.mounts] == [(1, 3, 26), (6, 3, 15), (10, 2, 17)]
    words = 'unknown section; the sections are NFSMount_Global_Options, Server "…", MountPoint "…"'
    assert table.bad == ((Span(14, 2, 7), words),)


@each(lambda: [
    ("bg=true", "bg"), ("bg=false", "fg"), ("foreground=FALSE", "bg"), ("hard=false", "nohard"),
    ("timeo=600", "timeo=600"),
    ("rsize=4k", "rsize=4096"), ("rsize=2M", "rsize=2097152"), ("wsize=1g", "wsize=1073741824"), ("a=04k", "a=04k"),
    ("a=k", "a=k"), ("a=4t", "a=4t"), ("a=1" + "0" * 11 + "k", "a=102400000000000"), ("a=²k", "a=²k"),
    ("a=4\\\n k", "a=4   k"),
])  # fmt: skip
def test_what_an_option_is_made_of(line: str, option: str) -> None:
    (mount,) = kinds.read_mounts("nfsmount.conf", f'[Server "n"]\n{line}\n', "/etc/nfsmount.conf").mounts
    assert mount.options.text == option


def test_a_value_on_the_next_line_is_marked_at_its_name() -> None:
    (mount,) = kinds.read_mounts("nfsmount.conf", '[Server "n"]\n soft=\\\n true\n', "/etc/nfsmount.conf").mounts
    assert [tuple(part.span) for part in mount.options.parts] == [(2, 2, 6)]


def test_options_that_older_releases_drop() -> None:
    text = (
        "[NFSMount_Global_Options]\nrsize=1\n"
        '[Server "a"]\nrsize=2\nwsize=\nrsize=3\n[Server "b"]\nRsize=4\nwsize=5\n'
        '[MountPoint "/a"]\nrsize=6\n[Server "b"]\nwsize=7\n[Server "c"]\nrsize=8\n'
    )
    assert [(lost.span, lost.words) for lost in lost_options(text, "/etc/nfsmount.conf")] == [
        (Span(6, 1, 6), {"key": "rsize", "section": "a", "line": "8"}),
        (Span(8, 1, 6), {"key": "rsize", "section": "b", "line": "15"}),
    ]
