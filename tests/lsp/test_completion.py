"""What may be written at the cursor, and what stands there."""

from __future__ import annotations

import pytest

from tests import needs

needs.package("pygls", "lsp")

UNIT = "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\n"
VOLUME = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec:\n  nfs: {server: nas, path: /a}\n"
COMPOSE = "services: {}\nvolumes:\n  a:\n    driver_opts:\n      type: nfs\n      device: ':/a'\n"


@pytest.mark.parametrize(("name", "text", "offered", "never"), [
    ("fstab", "nas:/a /a nfs so|", "soft", "insecure"),
    ("fstab", "nas:/a /a nfs hard,ns|,vers=4.1 0 0\n", "nconnect=", "nconnect"),
    ("fstab", "nas:/a /a nfs hard,ncon|=4 0 0\n", "nconnect", "nconnect="),
    ("fstab", "nas:/a /a nfs hard,in| 0 0\n", "hard", "intr"),
    ("fstab", "nas:/a /a nfs sec=krb5:| 0 0\n", "krb5i", "hard"),
    ("fstab", "nas:/a /a nfs vers=4.| 0 0\n", "4.2", "vers="),
    ("exports", "/srv 10.0.0.0/8(rw,no_r|", "no_root_squash", "hard"),
    ("exports", "/srv 10.0.0.0/8(sec=|)\n", "krb5p", "rw"),
    ("nfs.conf", "[nfsd]\nthr|\n", "threads", "state-directory-path"),
    ("nfs.conf", "[nfsd]\nvers3=|\n", "y", "threads"),
    ("sysctl.d/9.conf", "sunrpc.tcp_s|\n", "sunrpc.tcp_slot_table_entries", "hard"),
    ("a.mount", f"{UNIT}Options=hard,|\n", "soft", "TimeoutSec"),
    ("a.mount", f"{UNIT}Time|\n", "TimeoutSec", "hard"),
    ("auto.home", "home -fstype=nfs4,| nas:/a\n", "soft", "insecure"),
    ("pv.yaml", f"{VOLUME}  mountOptions:\n    - |\n", "soft", "insecure"),
    ("compose.yaml", f"{COMPOSE}      o: addr=nas,s|\n", "soft", "insecure"),
])
def test_names_and_values_are_offered(editor, name: str, text: str, offered: str, never: str) -> None:
    found = editor.completion(f"complete/{name}", text)
    assert offered in found
    assert never not in found


def test_what_is_offered_takes_the_place_of_what_is_written(editor) -> None:
    text = "# 😀\nnas:/😀 /a nfs hard,so|ft 0 0\n"
    edit = editor.completion("place/fstab", text)["softerr"].text_edit
    assert (edit.range.start.line, edit.range.start.character, edit.range.end.character) == (1, 20, 24)
    assert edit.new_text == "softerr"


def test_options_of_a_helper_are_for_its_type(editor) -> None:
    own = set(editor.completion("helper/fstab", "nas:/a /a aznfs | 0 0\n".replace("|", "hard,|")))
    common = set(editor.completion("helper/fstab", "nas:/a /a nfs hard,| 0 0\n"))
    assert common < own


@pytest.mark.parametrize("text", ["nas:/| /a nfs hard 0 0\n", "# so|\n", "|", "nas:/a /|"])
def test_nothing_is_offered_where_no_option_stands(editor, text: str) -> None:
    assert editor.completion("none/fstab", text) == {}


@pytest.mark.parametrize(("name", "text", "setting"), [
    ("fstab", "nas:/a /a nfs hard,rsi|ze=1048576 0 0\n", "mount.rsize"),
    ("fstab", "nas:/a /a nfs hard,rsize=10|48576 0 0\n", "mount.rsize"),
    ("fstab", "nas:/ä /a nfs hard,rsize=1048576,vers=4|.1 0 0\n", "mount.vers"),
    ("exports", "/srv 10.0.0.0/8(rw,no_root_sq|uash)\n", "exports.root_squash"),
    ("nfs.conf", "[nfsd]\nthr|eads = 16\n", "nfs.conf.nfsd.threads"),
    ("sysctl.d/9.conf", "sunrpc.tcp_slot|_table_entries = 64\n", "sysctl.sunrpc.tcp_slot_table_entries"),
    ("a.mount", "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\nOptions=ha|rd\n", "mount.hard"),
    ("auto.home", "home -fstype=nfs4,har|d nas:/a\n", "mount.hard"),
])
def test_a_setting_is_explained_with_its_sources(editor, name: str, text: str, setting: str) -> None:
    shown = editor.hover(f"hover/{name}", text)
    assert f"`{setting}`" in shown
    assert "Sources" in shown
    assert len(shown) < 12_000


def test_a_finding_is_explained(editor) -> None:
    shown = editor.hover("found/fstab", "nas:/a /a nfs so|ft 0 0\n")
    assert "`hard/default`" in shown
    assert "silently lose or corrupt writes" in shown
    assert "https://" in shown


@pytest.mark.parametrize("text", ["# ha|rd\n", "nas:/ha|rd /a nfs hard 0 0\n", "nas:/a /a nfs hard 0 0\n|", "|"])
def test_other_words_are_left_alone(editor, text: str) -> None:
    assert editor.hover("other/fstab", text) == ""
