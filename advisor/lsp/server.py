"""The language server: it lints the texts that an editor has open, and answers its requests.

What an editor is told of a text: findings as diagnostics of the protocol, code actions that fix or accept them, and
positions as the linter and as the protocol count them; and at the cursor completions, and hover texts, which are pages
of `advisor explain`."""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from advisor import __version__
from advisor.config import NAME
from advisor.files import kinds
from advisor.lint.finding import Finding
from advisor.lint.suppress import accepting_comment, only_silences
from advisor.lsp.cursor import cursor, names_at, settings_at, values_at
from advisor.named_tuple import NamedTuple
from advisor.pages.kb import pages_of
from advisor.pages.markup import markdown
from advisor.pages.rule_pages import summary_page
from advisor.pages.style import is_address, visible
from advisor.regex import regex
from advisor.rulebase.model import RuleBase

_LINE_END = regex(r"\r\n|\n|\r")
"""The line ends of the protocol; for the linter, only a line feed ends a line."""
_WIDTHS: dict[str, tuple[str, int]] = {
    types.PositionEncodingKind.Utf8.value: ("utf-8", 1),
    types.PositionEncodingKind.Utf16.value: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32.value: ("utf-32-le", 4),
}
"""Negotiated encoding → its name in Python, and the bytes of one unit."""
SOURCE = "advisor"
SEVERITY = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
REASON = "write the reason here"
_FIX = {"safe": "Fix", "unsafe": "Unsafe fix"}


class JudgedText(NamedTuple):
    """The findings in an open text. `kind`: as in advisor.files.kinds; None if it is unknown, and nothing was
    judged."""

    kind: str | None
    findings: Sequence[Finding] = ()


Judge = Callable[[str], JudgedText]
"""Judges a text as if it were the document's."""


class Positions:
    """The positions of one text. `encoding`: how the client counts within a line, one of PositionEncodingKind."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._codec, self._unit = _WIDTHS.get(encoding, _WIDTHS["utf-16"])
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._ends = [*(match.start() for match in _LINE_END.finditer(text)), len(text)]
        self._linted = [0, *(at + 1 for at, sign in enumerate(text) if sign == "\n")]

    def span(self, line: int, column: int, end_column: int) -> types.Range:
        """The range of a finding. The linter counts characters from 1, and the end is exclusive. Positions beyond the
        text become its end."""
        start, end = self._offset(line, column), self._offset(line, end_column)
        return types.Range(self.position(start), self.position(end))

    def position(self, offset: int) -> types.Position:
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return types.Position(line, len(before.encode(self._codec, "surrogatepass")) // self._unit)

    def offset(self, place: types.Position) -> int:
        """The offset of a position; beyond a line or the text, the end of it."""
        if place.line >= len(self._starts):
            return len(self.text)
        start = self._starts[place.line]
        line = self.text[start : self._ends[place.line]]
        head = line.encode(self._codec, "surrogatepass")[: place.character * self._unit]
        return start + len(head.decode(self._codec, "ignore" if self._codec == "utf-8" else "surrogatepass"))

    def _offset(self, line: int, column: int) -> int:
        if line > len(self._linted):
            return len(self.text)
        start = self._linted[line - 1]
        end = self._linted[line] - 1 if line < len(self._linted) else len(self.text)
        return min(start + column - 1, end)


def diagnostic(base: RuleBase, uri: str, positions: Positions, f: Finding) -> types.Diagnostic:
    """The diagnostic of one finding: message and remedy; the reason is shown by hover."""
    words = "\n".join(visible(text) for text in (f"{f.message} ({f.consequence})", f.remedy) if text)
    addresses = (base.sources[base.claims[claim].source].address for claim in f.cites)
    address = next((address for address in addresses if address and is_address(address)), None)
    return types.Diagnostic(
        range=positions.span(f.line, f.column, f.end_column),
        message=words,
        severity=SEVERITY[f.severity],
        code=f.rule,
        code_description=types.CodeDescription(address) if address else None,
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(
                types.Location(uri, positions.span(other.line, other.column, other.end_column)), visible(other.message)
            )
            for other in f.also
        ] or None,
    )


def actions(
    uri: str, positions: Positions, judged: JudgedText, chosen: types.Range, *, judge: Judge,
    to_diagnostic: Callable[[Finding], types.Diagnostic],
) -> list[types.CodeAction]:
    """The fixes of the findings that touch the chosen range, and the comments that accept them, in their order.

    `to_diagnostic`: the diagnostic that the client has for a finding."""
    start, end = positions.offset(chosen.start), positions.offset(chosen.end)
    code_actions: list[types.CodeAction] = []
    for f in judged.findings:
        at = positions.span(f.line, f.column, f.end_column)
        if positions.offset(at.start) > end or positions.offset(at.end) < start:
            continue
        fixed = [to_diagnostic(f)]
        if f.fix is not None and not any("\n" in edit.text for edit in f.fix.edits):
            code_actions.append(types.CodeAction(
                f"{_FIX[f.fix.safety]}: {visible(f.remedy or f.message)}", types.CodeActionKind.QuickFix, fixed,
                is_preferred=f.fix.safety == "safe", edit=types.WorkspaceEdit({uri: [
                    types.TextEdit(positions.span(edit.line, edit.column, edit.end_column), edit.text)
                    for edit in f.fix.edits
                ]}),
            ))
        comment = _accept_edit(positions, judged, f, judge)
        if comment is not None:
            code_actions.append(types.CodeAction(
                f"Accept with a reason: {f.rule}", types.CodeActionKind.QuickFix, fixed,
                edit=types.WorkspaceEdit({uri: [comment]}),
            ))
    return code_actions


def _accept_edit(positions: Positions, judged: JudgedText, f: Finding, judge: Judge) -> types.TextEdit | None:
    """The edit that inserts a comment above the entry of a finding. None if linting the edited text shows that the
    comment would not silence the finding, or would do anything else, as in files that have no comments."""
    if judged.kind is None or not kinds.BY_ID[judged.kind].commented:
        return None
    lines = positions.text.split("\n")
    line, comment = accepting_comment(positions.text, f, REASON)
    after = judge("\n".join([*lines[: line - 1], comment.removesuffix("\n"), *lines[line - 1 :]]))
    if after.kind != judged.kind or not only_silences(judged.findings, after.findings, f):
        return None
    start = positions.span(line, 1, 1).start
    return types.TextEdit(types.Range(start, start), comment)


def completion(base: RuleBase, positions: Positions, kind: str, where: types.Position) -> list[types.CompletionItem]:
    """All completions at a position; the editor filters them by the text that is typed already."""
    at = cursor(kind, positions.text, positions.offset(where))
    if at is None:
        return []
    place = types.Range(positions.position(at.start), positions.position(at.end))
    if at.name is not None:
        sort, texts = types.CompletionItemKind.Value, [*values_at(base, kind, at)]
    else:
        names = names_at(base, kind, at, positions.text[at.end : at.end + 1])
        sort, texts = types.CompletionItemKind.Property, sorted(names, key=lambda entry: entry[0])
    return [
        types.CompletionItem(
            text, kind=sort, detail=f"{detail.title} ({detail.vendor})" if detail.vendor else detail.title,
            documentation=note, sort_text=f"{number:04}", text_edit=types.TextEdit(place, text),
        )
        for number, (text, detail, note) in enumerate(texts)
    ]


RULE = "\n---\n\n"
"""Markdown's line between two pages."""


def hover(base: RuleBase, positions: Positions, judged: JudgedText, where: types.Position) -> types.Hover | None:
    """The pages of the rules with findings at a position, and of the setting there; None if there are neither."""
    offset = positions.offset(where)
    names = []
    for f in judged.findings:
        at = positions.span(f.line, f.column, f.end_column)
        if positions.offset(at.start) <= offset < positions.offset(at.end):
            names.append(f.rule)
    lines = [markdown(page.make()) for name in dict.fromkeys(names) for page in pages_of(base, name)]
    word = cursor(judged.kind, positions.text, offset) if judged.kind else None
    if word is not None:
        lines += [markdown(summary_page(base, tunable)) for tunable in settings_at(base, judged.kind or "", word)]
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, RULE.join(lines))) if lines else None


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
        # A line that has just been begun proves nothing.
        named = kinds.identify("", self.workspace.text_documents[uri].path)
        kind = last.judged.kind or (named if named != "fstab" else None)
        return [] if kind is None else completion(base, last.positions, kind, where)

    def close_document(self, uri: str) -> None:
        self.documents.pop(uri, None)
        if self._published.pop(uri, (None, ()))[1]:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self.judge_soon()

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
        for event, react in (
            (types.INITIALIZED, lambda _: self.start_in_workspace()),
            (types.TEXT_DOCUMENT_DID_OPEN, lambda _: self.judge_soon(0)),
            (types.TEXT_DOCUMENT_DID_CHANGE, lambda _: self.judge_soon()),
            (types.TEXT_DOCUMENT_DID_SAVE, lambda _: self.judge_soon(0)),
            (types.TEXT_DOCUMENT_DID_CLOSE, lambda params: self.close_document(params.text_document.uri)),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, lambda _: self.judge_soon(0)),
        ):
            self.feature(event)(react)
        fixes = types.CodeActionOptions([types.CodeActionKind.QuickFix])
        words = types.CompletionOptions(trigger_characters=[",", "=", "(", ":"])
        for request, options, answer in (
            (types.TEXT_DOCUMENT_CODE_ACTION, fixes, lambda asked: self.actions(asked.text_document.uri, asked.range)),
            (types.TEXT_DOCUMENT_HOVER, None, lambda asked: self.hover(asked.text_document.uri, asked.position)),
            (types.TEXT_DOCUMENT_COMPLETION, words,
             lambda asked: self.completion(asked.text_document.uri, asked.position)),
        ):
            self.feature(request, options)(answer)

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
