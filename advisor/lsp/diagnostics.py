"""Findings as diagnostics of the protocol, and code actions that fix or accept them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lsprotocol.types import (
    CodeAction,
    CodeActionKind,
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
    Range,
    TextEdit,
    WorkspaceEdit,
)

from advisor.files.kinds import BY_ID
from advisor.lint.suppress import accepting_comment, only_silences
from advisor.lsp.positions import Positions
from advisor.pages.escape import visible
from advisor.pages.style import is_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding, Fix
    from advisor.lsp.server import JudgedText
    from advisor.rulebase.model import RuleBase

    Judge = Callable[[str], JudgedText]
    """Judges a text as if it were the document's."""

SOURCE = "advisor"
SEVERITY = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}
REASON = "write the reason here"
_FIX = {"safe": "Fix", "unsafe": "Unsafe fix"}


def diagnostics(base: RuleBase, uri: str, positions: Positions, findings: Sequence[Finding]) -> list[Diagnostic]:
    """The findings of one text, in the same order."""
    return [diagnostic(base, uri, positions, finding) for finding in findings]


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
