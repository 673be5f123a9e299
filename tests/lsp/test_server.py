"""The server: its settings, and clients that send what no editor would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs
from tests.tiers import in_both, part

needs.package("pygls", "lsp")

SOFT = "nas:/a /a nfs soft 0 0\n"


def rules(found) -> set[str]:
    return {one.code for one in found}


def test_the_configuration_holds_and_is_read_again(start, tmp_path: Path) -> None:
    settings = tmp_path / "advisor.toml"
    settings.write_text('ignore = ["hard/default"]\n', encoding="utf-8")
    editor = start(tmp_path)
    assert "hard/default" not in rules(editor.open("fstab", SOFT))
    settings.write_text('ignore = ["no-such-rule"]\n', encoding="utf-8")
    assert "hard/default" not in rules(editor.change("fstab", SOFT + "\n"))
    editor.until_shown("no rule has this name")
    settings.write_text('[severity]\n"hard/default" = "note"\n', encoding="utf-8")
    (soft,) = (one for one in editor.change("fstab", SOFT) if one.code == "hard/default")
    assert soft.severity == 3
    assert len(editor.shown) == 1


def test_options_choose_findings(start, tmp_path: Path) -> None:
    editor = start(tmp_path, "--ignore", "hard/*", "--set", "client.kernel=5.14")
    assert not {one for one in rules(editor.open("fstab", SOFT)) if one.startswith("hard/")}


def test_an_option_that_is_wrong_is_shown(start, tmp_path: Path) -> None:
    editor = start(tmp_path, "--ignore", "no-such-rule")
    editor.until_shown("--ignore no-such-rule")


types = needs.package("lsprotocol.types", "lsp")

NAMES = ("fstab", "exports", "nfs.conf", "a.mount", "auto.home", "pv.yaml", "compose.yaml", "ganesha.conf",
         "sysctl.d/a.conf", "proc/cmdline", "mountinfo")
TEXTS = (
    "", "\r", "\x00", "\ufeff", "😀" * 50, "(" * 300, "[" * 300, "{{{{\n- [", "a: &a [*a]\nb: *a\n", '"', "\\\n" * 50,
    "nas:/a /a nfs \\", "nas:/a /a nfs hard,,,=,=x,rsize=,\x0b,\u2028 0", "/srv *(", "/srv *(rw,sec=",
    "[nfsd\nthreads==", "[Mount]\nType=nfs\nOptions=\\\n", "a -fstype=nfs4,",
    "%YAML 9.9\n---\n!!python/object:os.system x\n", "x" * 20_000,
)


@in_both
@pytest.mark.parametrize("name", part(NAMES, 4))
def test_a_wrong_or_half_written_file_never_ends_the_server(editor, name: str) -> None:
    place = f"hostile/{name}"
    editor.open(place, "")
    for text in part(TEXTS, 3):
        version = editor.write(place, text)
        editor.actions(place, types.Range(types.Position(0, 0), types.Position(99, 99)))
        for at in (7, len(text) + 9):
            where = types.TextDocumentIdentifier(editor.uri(place)), types.Position(0, at)
            editor.wait(editor.client.text_document_hover_async(types.HoverParams(*where)))
            editor.wait(editor.client.text_document_completion_async(types.CompletionParams(*where)))
        editor.found(editor.uri(place), version)  # the first question was answered by judging it at once
    assert editor.shown == []
    editor.close(place)
    found = editor.open(f"after/{name}/fstab", "nas:/a /a nfs soft 0 0\n")
    assert "hard/default" in {one.code for one in found}
