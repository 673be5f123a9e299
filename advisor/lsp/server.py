"""The server: what the client says of its texts, and what is answered."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from advisor import __version__
from advisor.config import NAME
from advisor.lsp.actions import actions
from advisor.lsp.completion import completion
from advisor.lsp.diagnostics import diagnostic, diagnostics
from advisor.lsp.hover import hover
from advisor.lsp.judging import JudgedText, OpenText
from advisor.lsp.places import Places
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pygls.workspace import TextDocument

    from advisor.lsp.judging import Judging

PAUSE = 0.2
"""Seconds without a further change after which the texts are judged."""


class SeenText(NamedTuple):
    """A text as it was judged last. `version`: the client's number for it."""

    version: int | None
    places: Places
    judged: JudgedText


class Server(LanguageServer):
    """Texts are sent whole, since the protocol's lines are not those of every library."""

    def __init__(self, judging: Judging) -> None:
        super().__init__("advisor", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.judging = judging
        self.seen: dict[str, SeenText] = {}
        """Address of an open text → what was found in it."""
        self._told: dict[str, tuple[int | None, Sequence[types.Diagnostic]]] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._complaint = ""
        self._registered()

    def look_soon(self, pause: float = PAUSE) -> None:
        """Judge the open texts after a pause; what asks for it meanwhile starts the pause again."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(pause, self.look)

    def look(self) -> None:
        """Judge the open texts now, and tell what has changed."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        self._renew()
        base = self.judging.base
        if base is None:
            return
        documents = dict(self.workspace.text_documents)
        judged = self.judging.judge([_open(one) for one in documents.values()])
        encoding = self.workspace.position_encoding
        self.seen = {
            uri: SeenText(one.version, Places(one.source, str(getattr(encoding, "value", encoding))), found)
            for (uri, one), found in zip(documents.items(), judged)
        }
        for uri, seen in self.seen.items():
            self._tell(uri, seen.version, diagnostics(base, uri, seen.places, seen.judged.findings))

    def actions(self, uri: str, chosen: types.Range) -> list[types.CodeAction]:
        """What can be done about the findings in a stretch of a text."""
        seen, base = self.current(uri), self.judging.base
        if seen is None or base is None:
            return []

        def judge(text: str) -> JudgedText:
            texts = {address: _open(one) for address, one in self.workspace.text_documents.items()}
            texts[uri] = texts[uri]._replace(text=text)
            return self.judging.judge([*texts.values()])[[*texts].index(uri)]

        return actions(
            uri, seen.places, seen.judged, chosen,
            judge=judge, shown=lambda f: diagnostic(base, uri, seen.places, f),
        )

    def hover(self, uri: str, where: types.Position) -> types.Hover | None:
        """Why something is found at a place, and what the setting there is."""
        seen, base = self.current(uri), self.judging.base
        return None if seen is None or base is None else hover(base, seen.places, seen.judged, where)

    def completion(self, uri: str, where: types.Position) -> list[types.CompletionItem]:
        """What may be written at a place."""
        seen, base = self.current(uri), self.judging.base
        if seen is None or base is None or seen.judged.kind is None:
            return []
        return completion(base, seen.places, seen.judged.kind, where)

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a document that was closed."""
        self.seen.pop(uri, None)
        if self._told.pop(uri, (None, ()))[1]:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def current(self, uri: str) -> SeenText | None:
        """An open document with its current findings; None if it is not open, or if the rules could not be loaded."""
        document = self.workspace.text_documents.get(uri)
        seen = self.seen.get(uri)
        if document is not None and (seen is None or seen.places.text != document.source):
            self.look()
            seen = self.seen.get(uri)
        return seen

    def _tell(self, uri: str, version: int | None, found: Sequence[types.Diagnostic]) -> None:
        if self._told.get(uri) != (version, found):
            self._told[uri] = version, found
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    def _renew(self) -> None:
        """Each complaint about the settings is shown once."""
        complaint = self.judging.renew()
        if complaint and complaint != self._complaint:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"advisor: {complaint}"))
        self._complaint = complaint

    def _registered(self) -> None:
        @self.feature(types.INITIALIZED)
        def initialized(server: Server, _: types.InitializedParams) -> None:
            server.started()

        @self.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def opened(server: Server, _: types.DidOpenTextDocumentParams) -> None:
            server.look_soon(0)

        @self.feature(types.TEXT_DOCUMENT_DID_CHANGE)
        def changed(server: Server, _: types.DidChangeTextDocumentParams) -> None:
            server.look_soon()

        @self.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def saved(server: Server, _: types.DidSaveTextDocumentParams) -> None:
            server.look_soon(0)

        @self.feature(types.TEXT_DOCUMENT_DID_CLOSE)
        def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
            server.closed(params.text_document.uri)
            server.look_soon()

        @self.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        def written(server: Server, _: types.DidChangeWatchedFilesParams) -> None:
            server.look_soon(0)

        @self.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
        def act(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
            return server.actions(params.text_document.uri, params.range)

        @self.feature(types.TEXT_DOCUMENT_HOVER)
        def explain(server: Server, params: types.HoverParams) -> types.Hover | None:
            return server.hover(params.text_document.uri, params.position)

        @self.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[",", "=", "(", ":"]))
        def complete(server: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
            return server.completion(params.text_document.uri, params.position)

    def started(self) -> None:
        """Go to the client's folder, as one would to run `advisor lint`, and ask to be told of its configuration."""
        folder = self.workspace.root_path
        if folder is not None and os.path.isdir(folder):  # noqa: PTH112
            os.chdir(folder)
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is not None and watching.dynamic_registration:
            watched = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(f"**/{NAME}")])
            self.client_register_capability(types.RegistrationParams([
                types.Registration("settings", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched),
            ]))
        self._renew()


def _open(document: TextDocument) -> OpenText:
    path = to_fs_path(document.uri) if document.uri.startswith("file:") else None
    return OpenText(path or f"<{document.uri}>", document.language_id or "", document.source)
