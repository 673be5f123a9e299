"""Writing: whole files, nothing edited is lost, nothing outside the folder is touched, and again changes nothing."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from advisor import user_files
from advisor.install import Artefact, build, write_all
from advisor.install.build import MANIFEST
from advisor.user_files import WriteError
from tests.install.cases import made

ONE, TWO = Artefact("a/one", "first\n", "One"), Artefact("two.sh", "second\n", "Two", mode=0o755)


def statuses(folder: Path, *files: Artefact, force: bool = False) -> dict[str, str]:
    return {one.path: one.status for one in write_all(folder, files, force)}


def tree(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
        for path in sorted(folder.rglob("*")) if path.is_file()
    }


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "out"
    files = list(made("anf-eda-static").values())
    assert {one.status for one in write_all(folder, files)} == {"new"}
    before = tree(folder)
    assert {one.status for one in write_all(folder, files)} == {"same"}
    assert tree(folder) == before
    assert set(before) == {one.path for one in files} | {MANIFEST}
    assert not list(folder.rglob("*.advisor-new"))


def test_modes_follow_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        statuses(tmp_path, ONE, TWO)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "two.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "a" / "one").stat().st_mode) == 0o640


def test_what_is_ours_and_not_edited_is_brought_up_to_date(tmp_path: Path) -> None:
    statuses(tmp_path, ONE, TWO)
    assert statuses(tmp_path, ONE._replace(content="new\n"), TWO) == {"a/one": "changed", "two.sh": "same"}
    assert (tmp_path / "a" / "one").read_text() == "new\n"


def test_what_was_edited_is_kept(tmp_path: Path) -> None:
    statuses(tmp_path, ONE, TWO)
    (tmp_path / "a" / "one").write_text("mine\n")
    for _ in range(2):
        assert statuses(tmp_path, ONE, TWO) == {"a/one": "kept", "two.sh": "same"}
        assert (tmp_path / "a" / "one").read_text() == "mine\n"
    assert statuses(tmp_path, ONE, TWO, force=True) == {"a/one": "changed", "two.sh": "same"}
    assert (tmp_path / "a" / "one").read_text() == "first\n"
    assert statuses(tmp_path, ONE._replace(content="new\n"), TWO)["a/one"] == "changed"


def test_what_somebody_else_put_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "two.sh").write_text("theirs\n")
    assert statuses(tmp_path, TWO) == {"two.sh": "kept"}
    assert statuses(tmp_path, TWO) == {"two.sh": "kept"}
    (tmp_path / "two.sh").write_text("second\n")
    assert statuses(tmp_path, TWO) == {"two.sh": "same"}


def test_what_was_deleted_is_written_again(tmp_path: Path) -> None:
    statuses(tmp_path, ONE, TWO)
    (tmp_path / "two.sh").unlink()
    assert statuses(tmp_path, ONE, TWO) == {"a/one": "same", "two.sh": "new"}


def test_what_applies_no_more_is_removed_unless_edited(tmp_path: Path) -> None:
    statuses(tmp_path, ONE, TWO)
    assert statuses(tmp_path, TWO) == {"two.sh": "same", "a/one": "removed"}
    assert not (tmp_path / "a").exists()
    statuses(tmp_path, ONE, TWO)
    (tmp_path / "a" / "one").write_text("mine\n")
    assert statuses(tmp_path, TWO) == {"two.sh": "same", "a/one": "stale"}
    assert statuses(tmp_path, TWO) == {"two.sh": "same", "a/one": "stale"}
    assert (tmp_path / "a" / "one").read_text() == "mine\n"
    assert statuses(tmp_path, TWO, force=True) == {"two.sh": "same", "a/one": "removed"}
    assert statuses(tmp_path, TWO) == {"two.sh": "same"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one").write_text("theirs\n")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a").symlink_to(outside)
    for force in (False, True):
        with pytest.raises(WriteError, match="a symbolic link where a folder belongs"):
            write_all(folder, [TWO, ONE], force)
    assert (outside / "one").read_text() == "theirs\n"
    assert not (folder / "two.sh").exists()  # nothing is written before everything was looked at
    (folder / "a").unlink()
    (folder / "two.sh").symlink_to(outside / "one")
    with pytest.raises(WriteError, match="a symbolic link where a file belongs"):
        write_all(folder, [TWO], True)


def test_other_things_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(WriteError, match="a file where a folder belongs"):
        write_all(tmp_path, [ONE])
    (tmp_path / "two.sh").mkdir()
    with pytest.raises(WriteError, match="a folder where a file belongs"):
        write_all(tmp_path, [TWO])
    with pytest.raises(WriteError, match="not a folder"):
        write_all(tmp_path / "a", [TWO])


@pytest.mark.parametrize("text", ["", "[]", "{}", "no json", '{"schema": "advisor-manifest/1", "files": 3}', "\udcff"])
def test_a_broken_manifest_makes_nothing_ours(tmp_path: Path, text: str) -> None:
    statuses(tmp_path, ONE)
    (tmp_path / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert statuses(tmp_path, ONE._replace(content="new\n")) == {"a/one": "kept"}


def test_equal_manifests_are_equal_bytes(tmp_path: Path) -> None:
    build._save_manifest(tmp_path, {"b": {str(number) for number in range(20)}, "a": {"x"}})
    told = json.loads((tmp_path / MANIFEST).read_text())["files"]
    assert [*told] == ["a", "b"]
    assert told["b"] == sorted(told["b"])


def test_a_manifest_cannot_name_a_file_elsewhere(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("first\n")
    folder = tmp_path / "out"
    statuses(folder, ONE)
    manifest = json.loads((folder / MANIFEST).read_text())
    for path in ("../victim", str(victim), MANIFEST, ""):
        manifest["files"] = {path: manifest["files"].get("a/one", [])}
        (folder / MANIFEST).write_text(json.dumps(manifest))
        with pytest.raises(WriteError, match="outside the folder"):
            write_all(folder, [], True)
    assert victim.exists()


def test_a_failure_leaves_whole_files_that_are_still_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses(tmp_path, ONE, TWO)
    newer = [ONE._replace(content="1\n"), TWO._replace(content="2\n")]
    real, calls = user_files.os.fsync, []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 3:  # the manifest, the first file, its folder
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(user_files.os, "fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        write_all(tmp_path, newer)
    monkeypatch.undo()
    assert (tmp_path / "a" / "one").read_text() in ("first\n", "1\n")
    assert (tmp_path / "two.sh").read_text() == "second\n"
    assert not list(tmp_path.rglob("*.advisor-new"))
    assert {one.status for one in write_all(tmp_path, newer)} <= {"same", "changed"}
    assert (tmp_path / "two.sh").read_text() == "2\n"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WriteError):
        write_all(Path("/proc/no-such-folder"), [ONE])
    with pytest.raises(WriteError):
        write_all(tmp_path, [ONE._replace(path="../out")])
