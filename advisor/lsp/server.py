"""The language server: it lints the texts that an editor has open, and answers its requests."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from advisor import __version__
from advisor.config import NAME
from advisor.files.kinds import identify
from advisor.lsp.answers import JudgedText, Positions, actions, completion, diagnostic, hover
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pygls.workspace import TextDocument

    from advisor.rulebase.model import RuleBase

PAUSE = 0.2
"""Seconds without a change after which the texts are judged."""


class OpenText(NamedTuple):
    """A text that an editor has open. `name`: its path, or its URI in angle brackets if it is not a file. `language`:
    the editor's language identifier."""

    name: str
    language: str
    text: str


class Judging(Protocol):
    """Judges open texts as `advisor lint` judges files in the working folder. The command line implements it, because
    it knows the options and the configuration."""

    base: RuleBase | None
    """The rules in force; None until `renew` has found settings that can be used."""

    def renew(self) -> str:
        """Read configuration, baseline and facts again if they changed. Returns their problem, or ""; with a problem,
        the last usable settings stay in force."""

    def judge(self, texts: Sequence[OpenText]) -> list[JudgedText]:
        """Judge all open texts, some of which are read together. To be called only if `base` is not None."""


class JudgedDocument(NamedTuple):
    """An open text and its last findings. `version`: the client's number for it."""

    version: int | None
    positions: Positions
    judged: JudgedText


class Server(LanguageServer):
    """The server. Clients send whole texts, because libraries differ in what ends a line."""

    def __init__(self, judging: Judging) -> None:
        super().__init__("advisor", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.judging = judging
        self.documents: dict[str, JudgedDocument] = {}
        """Address of an open text → its last findings."""
        self._published: dict[str, tuple[int | None, Sequence[types.Diagnostic]]] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._complaint = ""
        self._register_handlers()

    def judge_soon(self, pause: float = PAUSE) -> None:
        """Judge the open texts after a pause; a further call starts the pause again."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(pause, self.judge_now)

    def judge_now(self) -> None:
        """Judge the open texts now, and publish what has changed."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        self._renew()
        base = self.judging.base
        if base is None:
            return
        documents = dict(self.workspace.text_documents)
        judged = self.judging.judge([_open(document) for document in documents.values()])
        encoding = self.workspace.position_encoding
        self.documents = {
            uri: JudgedDocument(
                document.version, Positions(document.source, str(getattr(encoding, "value", encoding))), judged_text,
            )
            for (uri, document), judged_text in zip(documents.items(), judged)
        }
        for uri, last in self.documents.items():
            self._publish(uri, last.version, [
                diagnostic(base, uri, last.positions, finding) for finding in last.judged.findings
            ])

    def actions(self, uri: str, chosen: types.Range) -> list[types.CodeAction]:
        last, base = self.judged_document(uri), self.judging.base
        if last is None or base is None:
            return []

        def judge(text: str) -> JudgedText:
            texts = {address: _open(document) for address, document in self.workspace.text_documents.items()}
            texts[uri] = texts[uri]._replace(text=text)
            return self.judging.judge([*texts.values()])[[*texts].index(uri)]

        return actions(
            uri, last.positions, last.judged, chosen,
            judge=judge, to_diagnostic=lambda f: diagnostic(base, uri, last.positions, f),
        )

    def hover(self, uri: str, where: types.Position) -> types.Hover | None:
        last, base = self.judged_document(uri), self.judging.base
        return None if last is None or base is None else hover(base, last.positions, last.judged, where)

    def completion(self, uri: str, where: types.Position) -> list[types.CompletionItem]:
        last, base = self.judged_document(uri), self.judging.base
        if last is None or base is None:
            return []
        named = identify("", self.workspace.text_documents[uri].path)  # a line that has just been begun proves nothing
        kind = last.judged.kind or (named if named != "fstab" else None)
        return [] if kind is None else completion(base, last.positions, kind, where)

    def close_document(self, uri: str) -> None:
        self.documents.pop(uri, None)
        if self._published.pop(uri, (None, ()))[1]:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def judged_document(self, uri: str) -> JudgedDocument | None:
        """An open document with its current findings; None if it is not open, or if the rules could not be loaded."""
        document = self.workspace.text_documents.get(uri)
        last = self.documents.get(uri)
        if document is not None and (last is None or last.positions.text != document.source):
            self.judge_now()
            last = self.documents.get(uri)
        return last

    def _publish(self, uri: str, version: int | None, reported: Sequence[types.Diagnostic]) -> None:
        if self._published.get(uri) != (version, reported):
            self._published[uri] = version, reported
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, reported, version))

    def _renew(self) -> None:
        """Read the settings again, and show a problem with them once."""
        complaint = self.judging.renew()
        if complaint and complaint != self._complaint:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"advisor: {complaint}"))
        self._complaint = complaint

    def _register_handlers(self) -> None:
        @self.feature(types.INITIALIZED)
        def initialized(server: Server, _: types.InitializedParams) -> None:
            server.start_in_workspace()

        @self.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def opened(server: Server, _: types.DidOpenTextDocumentParams) -> None:
            server.judge_soon(0)

        @self.feature(types.TEXT_DOCUMENT_DID_CHANGE)
        def changed(server: Server, _: types.DidChangeTextDocumentParams) -> None:
            server.judge_soon()

        @self.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def saved(server: Server, _: types.DidSaveTextDocumentParams) -> None:
            server.judge_soon(0)

        @self.feature(types.TEXT_DOCUMENT_DID_CLOSE)
        def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
            server.close_document(params.text_document.uri)
            server.judge_soon()

        @self.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
        def written(server: Server, _: types.DidChangeWatchedFilesParams) -> None:
            server.judge_soon(0)

        @self.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
        def act(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
            return server.actions(params.text_document.uri, params.range)

        @self.feature(types.TEXT_DOCUMENT_HOVER)
        def explain(server: Server, params: types.HoverParams) -> types.Hover | None:
            return server.hover(params.text_document.uri, params.position)

        @self.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[",", "=", "(", ":"]))
        def complete(server: Server, params: types.CompletionParams) -> list[types.CompletionItem]:
            return server.completion(params.text_document.uri, params.position)

    def start_in_workspace(self) -> None:
        """Change to the client's folder, so that paths are as for `advisor lint` there, and watch its configuration
        files."""
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
