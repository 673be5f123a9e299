"""Findings as diagnostics of the protocol, code actions that fix or accept them, and positions in a text as the linter
and as the protocol count them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
    Position,
    PositionEncodingKind,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from advisor.files.kinds import BY_ID
from advisor.lint.suppress import accepting_comment, only_silences
from advisor.named_tuple import NamedTuple
from advisor.pages.style import is_address, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding, Fix
    from advisor.rulebase.model import RuleBase

_LINE_END = re.compile(r"\r\n|\n|\r")
"""The line ends of the protocol; for the linter, only a line feed ends a line."""
_WIDTHS: dict[str, tuple[str, int]] = {
    PositionEncodingKind.Utf8.value: ("utf-8", 1),
    PositionEncodingKind.Utf16.value: ("utf-16-le", 2),
    PositionEncodingKind.Utf32.value: ("utf-32-le", 4),
}
"""Negotiated encoding → its name in Python, and the bytes of one unit."""


SOURCE = "advisor"
SEVERITY = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
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

    def span(self, line: int, column: int, end_column: int) -> Range:
        """The range of a finding. The linter counts characters from 1, and the end is exclusive. Positions beyond the
        text become its end."""
        start, end = self._offset(line, column), self._offset(line, end_column)
        return Range(self.position(start), self.position(end))

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : min(offset, self._ends[line])]
        return Position(line, len(before.encode(self._codec, "surrogatepass")) // self._unit)

    def offset(self, place: Position) -> int:
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


def diagnostic(base: RuleBase, uri: str, positions: Positions, f: Finding) -> Diagnostic:
    """The diagnostic of one finding: message and remedy; the reason is shown by hover."""
    words = "\n".join(visible(text) for text in (f"{f.message} ({f.consequence})", f.remedy) if text)
    address = _address(base, f)
    return Diagnostic(
        range=positions.span(f.line, f.column, f.end_column),
        message=words,
        severity=SEVERITY[f.severity],
        code=f.rule,
        code_description=CodeDescription(address) if address else None,
        source=SOURCE,
        related_information=[
            DiagnosticRelatedInformation(
                Location(uri, positions.span(other.line, other.column, other.end_column)), visible(other.message)
            )
            for other in f.also
        ] or None,
    )


def _address(base: RuleBase, f: Finding) -> str | None:
    """The web address of the first source that has one."""
    addresses = (base.sources[base.claims[claim].source].address for claim in f.cites)
    return next((address for address in addresses if address and is_address(address)), None)


def actions(
    uri: str, positions: Positions, judged: JudgedText, chosen: Range, *, judge: Judge,
    to_diagnostic: Callable[[Finding], Diagnostic],
) -> list[CodeAction]:
    """The fixes of the findings that touch the chosen range, and the comments that accept them, in their order.

    `to_diagnostic`: the diagnostic that the client has for a finding."""
    start, end = positions.offset(chosen.start), positions.offset(chosen.end)
    code_actions: list[CodeAction] = []
    for f in judged.findings:
        at = positions.span(f.line, f.column, f.end_column)
        if positions.offset(at.start) > end or positions.offset(at.end) < start:
            continue
        fixed = [to_diagnostic(f)]
        if f.fix is not None and not any("\n" in edit.text for edit in f.fix.edits):
            code_actions.append(CodeAction(
                f"{_FIX[f.fix.safety]}: {visible(f.remedy or f.message)}", CodeActionKind.QuickFix, fixed,
                is_preferred=f.fix.safety == "safe", edit=WorkspaceEdit({uri: list(_edits(positions, f.fix))}),
            ))
        comment = _accept_edit(positions, judged, f, judge)
        if comment is not None:
            code_actions.append(CodeAction(
                f"Accept with a reason: {f.rule}", CodeActionKind.QuickFix, fixed, edit=WorkspaceEdit({uri: [comment]}),
            ))
    return code_actions


def _edits(positions: Positions, fix: Fix) -> Iterator[TextEdit]:
    for edit in fix.edits:
        yield TextEdit(positions.span(edit.line, edit.column, edit.end_column), edit.text)


def _accept_edit(positions: Positions, judged: JudgedText, f: Finding, judge: Judge) -> TextEdit | None:
    """The edit that inserts a comment above the entry of a finding. None if linting the edited text shows that the
    comment would not silence the finding, or would do anything else, as in files that have no comments."""
    if judged.kind is None or not BY_ID[judged.kind].commented:
        return None
    lines = positions.text.split("\n")
    line, comment = accepting_comment(positions.text, f, REASON)
    after = judge("\n".join([*lines[: line - 1], comment.removesuffix("\n"), *lines[line - 1 :]]))
    if after.kind != judged.kind or not only_silences(judged.findings, after.findings, f):
        return None
    start = positions.span(line, 1, 1).start
    return TextEdit(Range(start, start), comment)
