"""Writing a fixed file: whole or not at all, and never over something else."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from advisor import user_files
from advisor.lint import fix_write
from advisor.lint.fix_write import write
from advisor.user_files import NewFile, WriteError, save

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


def test_the_first_original_is_kept_however_often_one_fixes(file: Path) -> None:
    first, last = file.with_name("fstab.advisor~"), file.with_name("fstab.advisor-last~")
    write(str(file), OLD, NEW)
    (remark,) = write(str(file), NEW, b"third")
    assert remark == f"the first original is still in {first}, and the text replaced now is in {last}"
    write(str(file), b"third", b"fourth")
    assert (first.read_bytes(), last.read_bytes(), file.read_bytes()) == (OLD, b"third", b"fourth")
    assert beside(file) == {"fstab", "fstab.advisor~", "fstab.advisor-last~"}


def test_the_first_original_is_not_kept_twice(file: Path) -> None:
    first = file.with_name("fstab.advisor~")
    write(str(file), OLD, NEW)
    file.write_bytes(OLD)
    assert write(str(file), OLD, NEW) == [f"the first original is still in {first}"]
    assert beside(file) == {"fstab", "fstab.advisor~"}


@pytest.mark.parametrize("times", [0, 1, 2])
def test_a_refused_run_leaves_all_backups_alone(file: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    texts = [OLD, b"second", b"third"]
    for before, after in zip(texts, texts[1 : times + 1]):
        write(str(file), before, after)
    real = os.replace

    def forbidden(source: object, place: object, **_: object) -> None:
        if str(place) == str(file):
            raise PermissionError(1, "Operation not permitted")
        real(source, place)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "replace", forbidden)
    contents = {path.name: path.read_bytes() for path in file.parent.iterdir()}
    refused(file, "cannot be replaced", texts[times])
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == contents


def test_a_file_system_without_hard_links(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", forbidden)
    write(str(file), OLD, NEW)
    write(str(file), NEW, b"third")
    assert file.with_name("fstab.advisor~").read_bytes() == OLD
    assert file.with_name("fstab.advisor-last~").read_bytes() == NEW


KILLED = """
import os, sys
from advisor.lint import fix_write
real, left = os.fsync, int(sys.argv[2])
def fsync(handle):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    real(handle)
os.fsync = fsync
fix_write.write(sys.argv[1], b"old\\n", b"new")
"""


@pytest.mark.parametrize("moment", [0, 1, 2])
def test_what_a_killed_run_leaves_is_taken_away_by_the_next(file: Path, moment: int) -> None:
    command = [sys.executable, "-c", KILLED.replace("\\\\", "\\"), str(file), str(moment)]
    assert subprocess.run(command, check=False, cwd=Path(__file__).parents[2]).returncode == -9
    left = [name for name in beside(file) if name.endswith(".advisor-new")]
    assert bool(left) is (moment < 2)
    current = file.read_bytes()
    assert current == (OLD if moment < 2 else b"new")
    write(str(file), current, b"newer")
    assert file.with_name("fstab.advisor~").read_bytes() == OLD
    assert [name for name in beside(file) if name.endswith(".advisor-new")] == []


def test_what_another_run_is_writing_stays(file: Path) -> None:
    with NewFile(file, b"theirs") as theirs:
        write(str(file), OLD, NEW)
        assert theirs.path.read_bytes() == b"theirs"
    assert beside(file) == {"fstab", "fstab.advisor~"}


def test_a_backup_that_is_a_link_is_not_written_through(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("precious")
    file.with_name("fstab.advisor~").symlink_to(other)
    refused(file, "blocks the backup")
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
def test_an_owner_that_cannot_be_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    os.chown(file, 12345, 54321)
    monkeypatch.setattr(fix_write.os, "fchown", forbidden)
    refused(file, "belongs to user 12345 and group 54321")


AS_ANOTHER = """
import fcntl, os, sys, tempfile  # as another user the interpreter's files may be out of reach
from advisor.user_files import WriteError
from advisor.lint.fix_write import write
os.setgroups([]); os.setgid(54321); os.setuid(12345)
try:
    write(sys.argv[1], b"old\\n", b"new")
except WriteError as error:
    sys.exit(str(error))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("mode", [0o1777, 0o777])
def test_another_user_does_not_become_the_owner(mode: int) -> None:
    with tempfile.TemporaryDirectory() as name:  # the folder of a test's own may be entered by its user alone
        folder, file = Path(name), Path(name, "fstab")
        folder.chmod(mode)
        file.write_bytes(OLD)
        file.with_name("fstab.advisor~").write_bytes(b"first")
        command = [sys.executable, "-c", AS_ANOTHER.replace("\\\\", "\\"), str(file)]
        ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
        assert f"{file}: belongs to user 0 and group 0" in ran.stderr
        assert file.read_bytes() == OLD
        assert beside(file) == {"fstab", "fstab.advisor~"}


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


def test_an_access_list_that_cannot_be_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fix_write.os, "listxattr", lambda _: ["system.posix_acl_access"])
    monkeypatch.setattr(fix_write.os, "getxattr", forbidden)
    refused(file, "access control list could not be preserved")


def test_a_file_that_has_changed_is_left_alone(file: Path) -> None:
    refused(file, "has changed in the meantime", old=b"something else")


def test_a_change_at_the_last_moment_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*args: object) -> NewFile:
        file.write_bytes(b"edited")
        return NewFile(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fix_write, "NewFile", slow)
    with pytest.raises(WriteError, match="has changed in the meantime"):
        write(str(file), OLD, NEW)
    assert file.read_bytes() == b"edited"
    assert beside(file) == {"fstab"}


def test_the_same_text_in_another_file_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*args: object) -> NewFile:
        other = file.with_name("other")
        other.write_bytes(OLD)
        other.replace(file)
        return NewFile(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(fix_write, "NewFile", slow)
    with pytest.raises(WriteError, match="has changed in the meantime"):
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
    os.link(file, file.with_name("second"))
    refused(file, "hard links")


def test_a_pipe_is_no_file_to_fix(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(WriteError, match="not a regular file"):
        write(str(pipe), OLD, NEW)


def test_a_file_that_is_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(WriteError, match="is gone"):
        write(str(file), OLD, NEW)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    told = user_files.failure_text(str(tmp_path / "none" / "fstab"), OSError(2, "No such file or directory"))
    assert told == f"{tmp_path / 'none' / 'fstab'}: there is no folder {tmp_path / 'none'}; create it first"


@pytest.mark.parametrize("number", [13, 30, 1])
def test_a_folder_that_cannot_be_written_to(file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def forbidden(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkstemp", forbidden)
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
