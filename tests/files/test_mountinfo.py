"""The mounts in effect: fields, escapes, which mount a path is seen on; no line makes the reader fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.files.mountinfo import MountInfo, mount_of, parents, read
from tests.each import each
from tests.tiers import examples

ROOT = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"


def test_every_field() -> None:
    line = "60 22 0:52 /sub /mnt/a\\040b rw,relatime shared:9 master:2 - nfs4 nas:/x\\134y rw,vers=4.1,addr=10.0.0.1\n"
    assert read(line).mounts == (
        MountInfo(60, 22, "0:52", "/sub", "/mnt/a b", "rw,relatime", ("shared:9", "master:2"), "nfs4", "nas:/x\\y",
              "rw,vers=4.1,addr=10.0.0.1"),
    )


@each(lambda: [
    ("\\011", "\t"), ("\\012", "\n"), ("\\043", "#"), ("\\303\\251", "é"), ("é\\040", "é "), ("\\351", "\udce9"),
    ("\\9", "\\9"), ("\\400", "\\400"), ("\\04", "\\04"), ("\\134040", "\\040"),
])
def test_escapes(written: str, meant: str) -> None:
    assert read(f"60 22 0:52 / /{written} rw - nfs4 nas:/ rw").mounts[0].target == f"/{meant}"


@pytest.mark.parametrize(
    "line", ["x", "1 2 3:4 / /x rw", "1 2 3:4 / /x rw -", "1 2 3:4 / /x rw - ext4", "a 2 3:4 / /x rw - ext4 s o", " "]
)
def test_a_bad_line_is_named_and_the_others_are_read(line: str) -> None:
    info = read(f"{ROOT}{line}\n\n{ROOT}")
    assert info.bad == (2,)
    assert len(info.mounts) == 2


def test_a_mount_without_a_source_or_options_is_a_mount() -> None:
    assert read("1 2 0:3 / /x rw - tmpfs  rw").mounts[0].source == ""
    assert read("1 2 0:3 / /x rw - tmpfs none").mounts[0].super_options == ""


@each(lambda: [("/", "ext4"), ("/a", "nfs"), ("/a/b/c", "tmpfs"), ("/ab", "ext4"), ("/c", "xfs"), ("/c/d", "xfs"),
 ("/e", "nfs4")])
def test_which_mount_a_path_is_seen_on(path: str, fstype: str) -> None:
    mounts = read(
        "30 22 0:1 / /a rw - nfs n:/ rw\n31 30 0:2 / /a/b rw - tmpfs t rw\n" + ROOT
        # /c/d was mounted before /c was mounted over it, so that it is hidden; /e is mounted twice
        + "32 22 0:3 / /c/d rw - nfs n:/ rw\n33 22 0:4 / /c rw - xfs /dev/b rw\n"
        + "34 22 0:5 / /e rw - tmpfs t rw\n35 34 0:6 / /e rw - nfs4 n:/ rw\n"
    ).mounts
    found = mount_of(path, mounts)
    assert found is not None
    assert found.fstype == fstype


def test_mounts_that_name_each_other_as_parent_do_not_go_round_for_ever() -> None:
    mounts = read("1 0 0:1 / / rw - ext4 a rw\n2 3 0:2 / /x rw - xfs a rw\n3 2 0:3 / /x rw - xfs a rw\n").mounts
    assert mount_of("/x/y", mounts) is mounts[0]


_FIELD = st.text(st.sampled_from("09 \\/-:,=\n\0é\udcffax"), max_size=6)
_LINES = st.lists(st.lists(_FIELD | st.sampled_from(["-", "22", "1", "/", "nfs4", "0:5"]), max_size=14), max_size=5)


@examples(75, 300)
@given(
    st.text() | _LINES.map(lambda lines: "\n".join(" ".join(line) for line in lines)), st.sampled_from(["/", "/a/x"])
)
def test_no_text_makes_it_fail(text: str, path: str) -> None:
    info = read(text)
    assert len(info.mounts) + len(info.bad) == len([line for line in text.split("\n") if line])
    mount_of(path, info.mounts)


@settings(max_examples=100)
@given(st.binary())
def test_no_bytes_make_it_fail(data: bytes) -> None:
    read(data)


@settings(max_examples=200)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_what_the_kernel_escapes_is_read_back(name: str) -> None:
    escaped = "".join(f"\\{ord(c):03o}" if c in " \t\n\\#" else c for c in name)
    assert read(f"1 2 0:3 / /{escaped} rw - nfs n:/ rw").mounts[0].target == f"/{name}"


def test_the_directories_above_a_path_end_with_the_root() -> None:
    assert [*parents("/srv/a/b")] == ["/srv/a", "/srv", "/"]
    assert [*parents("/")] == []


def test_the_server_of_an_nfs_mount() -> None:
    line = "60 22 0:52 / /a rw - {} nas:/x {}\n"
    told = [
        (mount.is_nfs, mount.address) for text in (
            line.format("nfs4", "rw,vers=4.2,clientaddr=10.0.0.5,addr=10.0.2.9"),
            line.format("nfs", "rw,mountaddr=1.2.3.4"),
            line.format("nfsd", "rw"), line.format("cifs", "rw,addr=10.0.2.9"),
        ) for mount in read(text).mounts
    ]
    assert told == [(True, "10.0.2.9"), (True, ""), (False, ""), (False, "10.0.2.9")]
