"""What an editor shows of a setting or a finding: why, and by which sources."""

from __future__ import annotations

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")


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
    assert "silently lose or corrupt data" in shown
    assert "https://" in shown


@pytest.mark.parametrize("text", ["# ha|rd\n", "nas:/ha|rd /a nfs hard 0 0\n", "nas:/a /a nfs hard 0 0\n|", "|"])
def test_other_words_are_left_alone(editor, text: str) -> None:
    assert editor.hover("other/fstab", text) == ""
