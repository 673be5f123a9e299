"""Archives that mean harm, are damaged, or are no archives."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from advisor.cli.options import tree_of
from advisor.cli.terminal import CannotRun
from advisor.host import opening
from advisor.host.tree import Unread
from tests.host import archives


def special(tar: tarfile.TarFile, name: str, kind: bytes, target: str = "") -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    tar.addfile(member)


def test_names_that_lead_elsewhere_are_passed_over(base: Any, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        archives.add(tar, "host/etc/fstab", "good\n")
        archives.add(tar, "host/../etc/fstab", "bad\n")
        archives.add(tar, "/host/etc/fstab", "bad\n")
        archives.add(tar, "host/etc/../../etc/nfs.conf", "bad\n")
    tree = tree_of(base, str(tmp_path / "a.tar"))
    assert tree.text("/etc/fstab") == "good\n"
    assert not tree.exists("/etc/nfs.conf")


def test_links_stay_inside_and_devices_are_no_files(base: Any, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        archives.add(tar, "host/etc/hostname", "inside\n")
        archives.add(tar, "host/etc/up", "-> ../../../../../../etc/hostname")
        archives.add(tar, "host/etc/out", "-> /etc/hostname")
        archives.add(tar, "host/etc/round", "-> round")
        special(tar, "host/etc/hard", tarfile.LNKTYPE, "host/etc/hostname")
        special(tar, "host/etc/harder", tarfile.LNKTYPE, "../../etc/hostname")
        special(tar, "host/etc/fifo", tarfile.FIFOTYPE)
        special(tar, "host/etc/device", tarfile.CHRTYPE)
    tree = tree_of(base, str(tmp_path / "a.tar"))
    for path in ("/etc/up", "/etc/out", "/etc/hard"):
        assert tree.text(path) == "inside\n"
    for path in ("/etc/round", "/etc/harder", "/etc/fifo", "/etc/device"):
        with pytest.raises(Unread):
            tree.text(path)


def test_the_last_of_several_members_counts(base: Any, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        archives.add(tar, "etc/fstab", "old\n")
        archives.add(tar, "./etc/fstab", "new\n")
    assert tree_of(base, str(tmp_path / "a.tar")).text("/etc/fstab") == "new\n"


@pytest.mark.parametrize("size", [-512, -1024, -(1 << 40)])
def test_a_member_cannot_lead_back(base: Any, tmp_path: Path, size: int) -> None:
    """Read for ever, the archive would hold up the program."""
    member = tarfile.TarInfo("host/etc/fstab")
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" + size.to_bytes(11, "big", signed=True)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    (tmp_path / "a.tar").write_bytes(bytes(header) + bytes(10240))
    with pytest.raises(CannotRun, match="damaged"):
        tree_of(base, str(tmp_path / "a.tar"))


@pytest.mark.parametrize("limit", ["MAX_MEMBERS", "MAX_KEPT", "MAX_BYTES"])
def test_what_is_counted_has_a_bound(base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    files = {f"/etc/sysctl.d/{n}.conf": f"# {n}\n{'x' * 5000}" for n in range(100)}
    path = archives.pack(tmp_path / "a.tar.gz", files, mode="w:gz")
    assert tree_of(base, path).names("/etc/sysctl.d")
    monkeypatch.setattr(opening, limit, {"MAX_MEMBERS": 99, "MAX_KEPT": 100_000, "MAX_BYTES": 300_000}[limit])
    with pytest.raises(CannotRun, match="unpack what you need"):
        tree_of(base, path)


def test_a_large_file_is_passed_over_and_not_kept(
    base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "MAX_FILE", 100)
    path = archives.pack(tmp_path / "a.tar", {"/etc/fstab": "x" * 101, "/etc/exports": "y"})
    tree = tree_of(base, path)
    assert tree.text("/etc/exports") == "y"
    with pytest.raises(Unread, match="too large"):
        tree.text("/etc/fstab")
    assert tree.exists("/etc/fstab")


def test_equal_lists_of_mounts_are_kept_once(base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MAX_KEPT", 200_000)
    files = {f"/proc/{n}/mountinfo": archives.MOUNTINFO * 50 for n in range(1, 200)}
    tree = tree_of(base, archives.pack(tmp_path / "a.tar", {**files, "/proc/self": "-> 17"}))
    assert tree.mounts


@pytest.mark.parametrize("content", [b"", b"hello\n" * 1000, gzip.compress(b"hello", mtime=0), b"\x1f\x8b\x08garbage",
                                     b"\xfd7zXZ\x00garbage", b"BZh9garbage"])
def test_what_is_no_archive_is_refused(base: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(CannotRun, match=r"--root .*x: (damaged|contains no copy)"):
        tree_of(base, str(tmp_path / "x"))


def test_a_cut_archive_is_refused(base: Any, tmp_path: Path) -> None:
    files = {f"/etc/sysctl.d/{n}.conf": "x" * 5000 for n in range(100)}
    whole = Path(archives.pack(tmp_path / "a.tar.gz", files, mode="w:gz")).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(CannotRun, match="damaged"):
        tree_of(base, str(tmp_path / "cut.tar.gz"))


def test_an_archive_without_a_host_is_refused(base: Any, tmp_path: Path) -> None:
    path = archives.pack(tmp_path / "a.tar", {"/src/main.c": "int main;"})
    with pytest.raises(CannotRun, match="no copy of a host's files"):
        tree_of(base, path)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python 3.14 reads it by itself")
def test_without_a_reader_of_zstd_the_way_out_is_told(
    base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "a.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd" + b"\0" * 100)
    with pytest.raises(CannotRun, match="zstd -d"):
        tree_of(base, str(tmp_path / "a.tar.zst"))


def test_zstd_is_read_where_something_can(base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Path(archives.pack(tmp_path / "a.tar", {"/etc/fstab": "told\n"})).read_bytes()
    (tmp_path / "a.tar.zst").write_bytes(b"\x28\xb5\x2f\xfd...")

    class Opened:
        @staticmethod
        def stream_reader(_: object) -> io.BytesIO:
            return io.BytesIO(plain)

    class Module:
        ZstdDecompressor = Opened

        @staticmethod
        def ZstdFile(_: object) -> io.BytesIO:  # noqa: N802
            return io.BytesIO(plain)

    monkeypatch.setitem(sys.modules, "zstandard", Module)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "compression.zstd", Module)  # type: ignore[arg-type]
    assert tree_of(base, str(tmp_path / "a.tar.zst")).text("/etc/fstab") == "told\n"
