"""An editor, as far as a language server sees one: a client that starts `advisor lsp` and speaks to it."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
PATIENCE = 60
"""Seconds after which a server that says nothing has failed."""


class Editor:
    """Texts that are open have a number for each change; what the server says of each is kept with it."""

    def __init__(self, folder: Path, *options: str, encodings: Sequence[types.PositionEncodingKind | str] = ()) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("editor", "1")
        self.published: dict[tuple[str, int | None], list[types.Diagnostic]] = {}
        self.shown: list[str] = []
        self.versions = itertools.count(1)

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri, params.version] = list(params.diagnostics)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.shown.append(params.message)

        self.capabilities = self.wait(self._start(options, encodings)).capabilities

    def wait(self, what: Awaitable[T]) -> T:
        async def bounded() -> T:
            return await asyncio.wait_for(what, PATIENCE)

        return self.loop.run_until_complete(bounded())

    async def _start(self, options: Sequence[str], encodings: Sequence[types.PositionEncodingKind | str]):
        await self.client.start_io(sys.executable, "-m", "advisor", "lsp", *options, cwd="/")
        general = types.GeneralClientCapabilities(position_encodings=list(encodings) or None)
        result = await self.client.initialize_async(types.InitializeParams(
            types.ClientCapabilities(general=general), root_uri=self.folder.as_uri(),
        ))
        self.client.initialized(types.InitializedParams())
        return result

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "plaintext") -> list[types.Diagnostic]:
        """Open a text that nobody has saved; what the server finds in it."""
        uri, version = self.uri(name), next(self.versions)
        document = types.TextDocumentItem(uri, language, version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return self.found(uri, version)

    def change(self, name: str, text: str) -> list[types.Diagnostic]:
        """Write another text in its place; what the server finds in that, after the pause that it makes."""
        return self.found(self.uri(name), self.write(name, text))

    def write(self, name: str, text: str) -> int:
        """Write another text in its place; its version."""
        version = next(self.versions)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, self.uri(name)),
            [types.TextDocumentContentChangeWholeDocument(text)]))
        return version

    def until_shown(self, words: str) -> None:
        """Wait for a message to the user with these words."""
        async def told() -> None:
            while not any(words in one for one in self.shown):
                await asyncio.sleep(0.01)

        self.wait(told())

    def found(self, uri: str, version: int | None) -> list[types.Diagnostic]:
        async def told() -> list[types.Diagnostic]:
            while (uri, version) not in self.published:
                assert not self.client.stopped, "the server has ended"
                await asyncio.sleep(0.01)
            return self.published[uri, version]

        return self.wait(told())

    def actions(self, name: str, at: types.Range) -> dict[str, types.CodeAction]:
        """What can be done in a stretch of an open text: title → action."""
        found = self.wait(self.client.text_document_code_action_async(types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(name)), at, types.CodeActionContext([]))))
        return {one.title: one for one in found}

    def hover(self, name: str, text: str) -> str:
        """What is shown at the mark | of a text, as Markdown; "" for nothing."""
        place = self._marked(name, text)
        found = self.wait(self.client.text_document_hover_async(types.HoverParams(*place)))
        return found.contents.value if found else ""

    def completion(self, name: str, text: str) -> dict[str, types.CompletionItem]:
        """What may be written at the mark | of a text: label → item."""
        place = self._marked(name, text)
        found = self.wait(self.client.text_document_completion_async(types.CompletionParams(*place)))
        return {one.label: one for one in found or ()}

    def _marked(self, name: str, text: str) -> tuple[types.TextDocumentIdentifier, types.Position]:
        before = text.partition("|")[0]
        self.open(name, text.replace("|", "", 1))
        lines = before.split("\n")
        return types.TextDocumentIdentifier(self.uri(name)), types.Position(len(lines) - 1, len(lines[-1]))

    def close(self, name: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(
            self.uri(name))))

    def quit(self) -> int | None:
        """End the server as editors do; its exit code."""
        async def ended() -> int | None:
            await self.client.shutdown_async(None)
            self.client.exit(None)
            assert self.client._server is not None
            code = await self.client._server.wait()
            await self.client.stop()
            return code

        code = self.wait(ended())
        self.loop.close()
        return code
