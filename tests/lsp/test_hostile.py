"""Whatever is open, the server goes on."""

from __future__ import annotations

import pytest

types = pytest.importorskip("lsprotocol.types", reason="the extra lsp is not installed")

NAMES = ("fstab", "exports", "nfs.conf", "a.mount", "auto.home", "pv.yaml", "compose.yaml", "ganesha.conf",
         "sysctl.d/a.conf", "proc/cmdline", "mountinfo")
TEXTS = (
    "", "\r", "\x00", "\ufeff", "😀" * 50, "(" * 300, "[" * 300, "{{{{\n- [", "a: &a [*a]\nb: *a\n", '"', "\\\n" * 50,
    "nas:/a /a nfs \\", "nas:/a /a nfs hard,,,=,=x,rsize=,\x0b,\u2028 0", "/srv *(", "/srv *(rw,sec=",
    "[nfsd\nthreads==", "[Mount]\nType=nfs\nOptions=\\\n", "a -fstype=nfs4,",
    "%YAML 9.9\n---\n!!python/object:os.system x\n", "x" * 20_000,
)


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_or_half_written_file_never_ends_the_server(editor, name: str) -> None:
    place = f"hostile/{name}"
    editor.open(place, "")
    for text in TEXTS:
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
