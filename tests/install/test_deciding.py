"""What the makers of files decide of a text, a file that is there, and a setting that belongs elsewhere, on values made
up for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from advisor.advice.model import Steps
from advisor.install import build, context, host_files
from advisor.install.context import Unwritable
from tests.each import each
from tests.install.test_contexts import BASE, made, row
from tests.install.test_decided import files_of


@each(lambda: [
    (context.plain, "a b,c=/d:e@f+g-1.0", "a b,c=/d:e@f+g-1.0"), (context.plain, 8, "8"), (context.plain, "a  b", None),
    (context.plain, " a", None), (context.plain, "a;b", None), (context.plain, "", None), (context.plain, "a\n", None),
    (context.unit, "a b", "a b"), (context.unit, " a", None), (context.unit, "a ", None), (context.unit, "a\\", None),
    (context.unit, "a\\\\", "a\\\\"), (context.unit, "a\\b", "a\\b"), (context.unit, "\ud800", None),
    (context.unit, "a\udfffb", None), (context.unit, "\ue000", "\ue000"), (context.unit, "50%", "50%%"),
    (context.single_word, "/a-b.c", "/a-b.c"), (context.single_word, "/a b", None), (context.single_word, "/a*", None),
    (context.single_word, "/a?", None), (context.single_word, "/a[b", None), (context.single_word, "/a\\b", None),
    (context.exports, "/a b", "/a\\040b"), (context.exports, "/a\\b", "/\\141\\134\\142"),
    (context.exports, "*.a[b]?", "*.a[b]?"),
    (context.exports, "/ä", "/\\303\\244"), (context.exports, "a#b", "a\\043b"),
    (context.exportfs_client, "fd00::/64", "[fd00::]/64"), (context.exportfs_client, "10.0.0.0/8", "10.0.0.0/8"),
    (context.exportfs_client, "fd00::1", "[fd00::1]"), (context.exportfs_client, "@group", "@group"),
    (context.autofs, "a b", "a\\ b"), (context.autofs, "a-b/ä", "a-b/ä"), (context.autofs, "a&b", "a\\&b"),
    (context.simplified, "//a/./b/", "/a/b"), (context.simplified, "/a/../b", None), (context.simplified, "/", "/"),
    (context.xml, "a<\"b\"", "a&lt;&quot;b&quot;"),
])
def test_a_text_as_a_format_has_it(write: Callable[[Any], str], text: object, written: str | None) -> None:
    if written is None:
        with pytest.raises(Unwritable):
            write(text)
    else:
        assert write(text) == written


@each(lambda: [("/a-b_c.d+e=f@g", True), ("/a b", False), ("/a:b", False), ("/a$b", False), ("", False)])
def test_a_directory_that_fio_takes_as_it_is(text: str, plain: bool) -> None:
    assert context.fio(text) == (text if plain else None)


@each(lambda: [
    (True, "true"), (False, "false"), (0, "0"), (1, "1"), ("a", "a"), ("/a.b-c", "/a.b-c"), ("a=b:1", "a=b:1"),
    ("No", '"No"'), ("null", '"null"'), ("nulls", "nulls"), ("1a", '"1a"'), ("", '""'), ("a b", '"a b"'),
    ("\x01", '"\\x01"'), ("\xff", '"\xff"'), ("\x80", '"\\x80"'), ("\u0100", '"\u0100"'), ("\ud800", '"\\ud800"'),
    ("\U000e0001", '"\\U000e0001"'),
])
def test_a_scalar_as_yaml_has_it(value: object, written: str) -> None:
    assert context.yaml(value) == written


OLD, NEW = "old", "new"


@each(lambda: [
    (None, set(), False, "new", "gone"), (NEW, set(), False, "same", "stale"), (NEW, {NEW}, False, "same", "removed"),
    (OLD, {OLD}, False, "changed", "removed"), (OLD, set(), False, "kept", "stale"),
    (OLD, {NEW}, False, "kept", "stale"),
    (OLD, set(), True, "changed", "removed"), (OLD, {NEW, OLD}, False, "changed", "removed"),
])
def test_what_becomes_of_a_file(there: str | None, ours: set[str], force: bool, wanted: str, obsolete: str) -> None:
    def checksum(text: str) -> str:
        return sha256(text.encode()).hexdigest()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_existing_sum", lambda *_: None if there is None else checksum(there))
        known = {"a": {checksum(text) for text in ours}}
        assert build._plan(Path(), "a", checksum(NEW), known, force) == wanted
        assert build._plan(Path(), "a", "", known, force) == obsolete
        assert ours or build._plan(Path(), "a", checksum(NEW), {}, force) == wanted


def test_folders_that_are_left_empty_go_with_their_last_file(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/d"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    build._remove(tmp_path, "a/b/c")
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "d"]
    build._remove(tmp_path, "a/d")
    assert tmp_path.exists()
    assert [*tmp_path.iterdir()] == []


def test_a_manifest_is_written_only_if_it_differs(tmp_path: Path) -> None:
    build._save_manifest(tmp_path, {"a": {"2", "1"}})
    first = (tmp_path / build.MANIFEST).stat()
    build._save_manifest(tmp_path, {"a": {"1", "2"}})
    assert (tmp_path / build.MANIFEST).stat().st_ino == first.st_ino
    build._save_manifest(tmp_path, {"a": {"1"}})
    assert build._manifest(tmp_path) == {"a": {"1"}}


@each(lambda: [(True, 1, True), (False, 1, False), (True, 0, False)])
def test_what_is_known_is_a_comment_of_the_report(known: bool, facts: int, written: bool) -> None:
    given = made(row(), facts={"storage.platform": "anf"} if known and facts else {})
    assert bool(build._statements(given)) is written
    assert not build._statements(made(row(), facts={"storage.platform": "a--b"})), "which would end the comment"


@each(lambda: [
    (None, False, False), ("other", False, False), ("rival", False, True), ("rival", True, False),
])
def test_a_setting_that_another_file_sets_is_left_to_it(value: str | None, pinned: bool, elsewhere: bool) -> None:
    (name, rivals) = next(iter(context.data()["not_with"].items()))
    (rival, told) = next(iter(rivals.items()))
    mine = row(name, "x", pinned=pinned)
    others = [] if value is None else [row(rival, "", value=told if value == "rival" else value)]
    assert host_files._is_set_elsewhere(made(mine, *others), mine) is elsewhere


@each(lambda: [
    ({}, {}, True), ({"value": "keep"}, {}, False), ({}, {"written": None}, False), (None, {}, False),
    ({}, None, False),
])
def test_read_ahead_is_a_rule_of_udev_if_that_is_chosen(rule: Any, size: Any, made_: bool) -> None:
    steps = Steps(apply='Write it:\nACTION=="add", ATTR{read_ahead_kb}="KIB"')
    rows = [] if rule is None else [row("bdi.read_ahead_rule", "", steps=steps, **{"value": "udev-rule", **rule})]
    rows += [] if size is None else [row("bdi.read_ahead_kb", "", **{"value": 16384, "written": 16384, **size})]
    found = [file.text for file in host_files._read_ahead(made(*rows))]
    assert [re.sub(r"(?m)^#.*\n|\n", "", text) for text in found] == [
        'ACTION=="add", ATTR{read_ahead_kb}="16384"'] * made_


@each(lambda: [("10.0.0.1", True), ("fd00::1", True), ("nas", False), ("", False), ("10.0.0.1/8", False)])
def test_what_is_an_address(text: str, address: bool) -> None:
    assert host_files._is_address(text) is address


@each(lambda: [("/a", True), ("/a b", False), ("/a;b", False), ("", False)])
def test_a_name_that_crmsh_reads_back(text: str, plain: bool) -> None:
    assert host_files._is_plain(text) is plain


def test_the_options_of_an_export_are_in_the_usual_order_and_wait_for_what_must_be_right() -> None:
    names = {"server": "nas", "export": "/srv", "clients": "10.0.0.0/8"}
    rw, squash = (row(f"exports.{name}", name, value=True, written=True) for name in ("rw", "root_squash"))
    given = made(squash, rw, server=True, names=names)
    (file,) = host_files._exports(given)
    (line,) = (line for line in file.text.splitlines() if line.startswith("/srv"))
    assert line.endswith("(rw,root_squash)")
    assert [*host_files._exports(made(rw, names=names))] == [], "of a client"
    assert [*host_files._exports(made(server=True, names=names))] == [], "of nothing"
    assert [*host_files._exports(made(rw._replace(written=None), server=True, names=names))] == []


@each(lambda: [
    ({}, True), ({"server.distro": "rhel", "server.release": "8"}, False),
    ({"server.distro": "rhel", "server.release": "9"}, True),
])
def test_whether_the_folder_of_nfs_conf_is_read(facts: Any, read: bool) -> None:
    state = BASE.engine.certain({"host.role": "nfs-server", **facts})
    assert host_files.reads_folder(made(state=state)) is read


def test_a_script_needs_the_programs_that_its_steps_begin_with() -> None:
    server = files_of({"storage.platform": "knfsd", "host.role": "nfs-server", "client.count": 12})["apply.sh"]
    assert "command -v exportfs " in server
    assert "command -v awk " not in server, "which only looks at mounts"
    client = files_of({"storage.platform": "knfsd", "host.role": "nfs-client", "client.kernel": "6.1"})["apply.sh"]
    assert "command -v exportfs " not in client
    assert "command -v mount.nfs " in client


def test_the_settings_of_a_mount_have_no_part_in_the_report_of_a_server() -> None:
    rows = [row(), row("sysctl.vm.dirty_ratio", "x"), row("fstab.type", "nfs4", kind="fstab-field")]
    assert [*build._in_its_files(made(), rows)] == rows
    assert [*build._in_its_files(made(server=True), rows)] == [rows[1]]
