"""Writing a fixed file: whole or not at all, and never over something else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from advisor import atomic
from advisor.lint import fix_write
from advisor.lint.fix_write import WriteError, save, write

OLD, NEW = b"old\n", b"new\r\n\xff"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "fstab"
    path.write_bytes(OLD)
    return path


def beside(file: Path) -> set[str]:
    return {path.name for path in file.parent.iterdir()}


def refused(file: Path, words: str, old: bytes = OLD) -> None:
    """`write` must refuse, say these words, change nothing and leave nothing behind."""
    before = {path: path.lstat().st_ino for path in file.parent.rglob("*")}
    content = file.read_bytes()
    with pytest.raises(WriteError, match=words) as error:
        write(str(file), old, NEW)
    assert str(file) in str(error.value) or file.name in str(error.value)
    assert file.read_bytes() == content
    assert {path: path.lstat().st_ino for path in file.parent.rglob("*")} == before


def test_new_content_and_a_backup(file: Path) -> None:
    os.utime(file, ns=(10**18, 10**18))
    remarks = write(str(file), OLD, NEW)
    backup = file.with_name("fstab.advisor~")
    assert file.read_bytes() == NEW
    assert backup.read_bytes() == OLD
    assert backup.stat().st_mtime_ns == 10**18
    assert beside(file) == {"fstab", "fstab.advisor~"}
    assert remarks == [f"backup in {backup}"]


def test_an_older_backup_is_replaced_and_that_is_said(file: Path) -> None:
    write(str(file), OLD, NEW)
    (remark,) = write(str(file), NEW, b"third")
    assert "in place of an older one" in remark
    assert file.with_name("fstab.advisor~").read_bytes() == NEW


def test_a_backup_that_is_a_link_is_not_written_through(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("precious")
    file.with_name("fstab.advisor~").symlink_to(other)
    refused(file, "in the way of the backup")
    assert other.read_text() == "precious"


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o640, 0o4755])
def test_the_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    write(str(file), OLD, NEW)
    for path in (file, file.with_name("fstab.advisor~")):
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_is_kept(file: Path) -> None:
    os.chown(file, 12345, 54321)
    assert write(str(file), OLD, NEW)[1:] == []
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_an_owner_that_cannot_be_kept_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    os.chown(file, 12345, 54321)
    file.chmod(0o4755)
    monkeypatch.setattr(fix_write.os, "fchown", forbidden)
    assert "owner and group could not be kept" in write(str(file), OLD, NEW)
    assert file.read_bytes() == NEW
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


def test_extended_attributes_are_kept(file: Path) -> None:
    try:
        os.setxattr(file, "user.advisor", b"kept")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error.strerror}")
    write(str(file), OLD, NEW)
    for path in (file, file.with_name("fstab.advisor~")):
        assert os.getxattr(path, "user.advisor") == b"kept"


def test_a_label_that_cannot_be_kept_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def label(path: object, name: str) -> bytes:
        if isinstance(path, int):
            raise OSError(61, "No data available")
        return b"system_u:object_r:etc_t:s0"

    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(fix_write.os, "listxattr", lambda _: ["security.selinux"])
    monkeypatch.setattr(fix_write.os, "getxattr", label)
    monkeypatch.setattr(fix_write.os, "setxattr", forbidden)
    assert "could not be kept: security.selinux" in write(str(file), OLD, NEW)


def test_a_file_that_has_changed_is_left_alone(file: Path) -> None:
    refused(file, "has changed meanwhile", old=b"something else")


def test_a_change_at_the_last_moment_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fix_write.beside

    def slow(*args: object) -> Path:
        file.write_bytes(b"edited")
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fix_write, "beside", slow)
    with pytest.raises(WriteError, match="has changed meanwhile"):
        write(str(file), OLD, NEW)
    assert file.read_bytes() == b"edited"
    assert beside(file) == {"fstab"}


def test_the_same_text_in_another_file_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fix_write.beside

    def slow(*args: object) -> Path:
        other = file.with_name("other")
        other.write_bytes(OLD)
        other.replace(file)
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fix_write, "beside", slow)
    with pytest.raises(WriteError, match="has changed meanwhile"):
        write(str(file), OLD, NEW)


def test_a_link_within_the_folder_stays_a_link(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to("fstab")
    write(str(link), OLD, NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW
    assert file.with_name("fstab.advisor~").read_bytes() == OLD


def test_a_link_out_of_its_folder_is_not_followed(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "fstab"
    link.symlink_to(file)
    with pytest.raises(WriteError, match=f"is a symbolic link to {file}"):
        write(str(link), OLD, NEW)
    assert file.read_bytes() == OLD
    assert beside(file) == {"fstab", "elsewhere"}


def test_a_file_with_a_second_name_is_left_alone(file: Path) -> None:
    file.with_name("second").hardlink_to(file)
    refused(file, "hard links")


def test_a_pipe_is_no_file_to_fix(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(WriteError, match="no regular file"):
        write(str(pipe), OLD, NEW)


def test_a_file_that_is_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(WriteError, match="is gone"):
        write(str(file), OLD, NEW)


@pytest.mark.parametrize("number", [13, 30, 1])
def test_a_folder_that_cannot_be_written_to(file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def forbidden(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.tempfile, "mkstemp", forbidden)
    refused(file, f"{file.parent} must be writable")


@pytest.mark.parametrize("call", ["fsync", "fchmod", "utime"])
def test_nothing_is_left_behind_when_the_disk_is_full(file: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fix_write.os, call, full)
    refused(file, "No space left")


def test_saving_a_file_of_our_own(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save(str(path), b"{}")
    save(str(path), b"[]")
    assert path.read_bytes() == b"[]"
    assert beside(path) == {"baseline.json"}
    with pytest.raises(WriteError):
        save(str(tmp_path / "no" / "such" / "folder"), b"")
