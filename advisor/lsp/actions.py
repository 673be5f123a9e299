"""What can be done about a finding: its fix, and the comment that accepts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from lsprotocol.types import CodeAction, CodeActionKind, Range, TextEdit, WorkspaceEdit

from advisor.document.escape import visible
from advisor.readers.kinds import BY_ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lsprotocol.types import Diagnostic

    from advisor.lint.finding import Finding, Fix
    from advisor.lsp.judging import JudgedText
    from advisor.lsp.places import Places

    Judge = Callable[[str], JudgedText]
    """What would be found if this were the text."""

REASON = "write the reason here"
_FIX = {"safe": "Fix", "unsafe": "Unsafe fix"}


def actions(
    uri: str, places: Places, judged: JudgedText, chosen: Range, *, judge: Judge,
    shown: Callable[[Finding], Diagnostic],
) -> list[CodeAction]:
    """For the findings that touch what is chosen, in their order. `shown`: a finding as the client knows it."""
    start, end = places.offset(chosen.start), places.offset(chosen.end)
    found: list[CodeAction] = []
    for f in judged.findings:
        at = places.span(f.line, f.column, f.end_column)
        if places.offset(at.start) > end or places.offset(at.end) < start:
            continue
        lines = [shown(f)]
        if f.fix is not None and not any("\n" in edit.text for edit in f.fix.edits):
            found.append(CodeAction(
                f"{_FIX[f.fix.safety]}: {visible(f.remedy or f.message)}", CodeActionKind.QuickFix, lines,
                is_preferred=f.fix.safety == "safe", edit=WorkspaceEdit({uri: list(_edits(places, f.fix))}),
            ))
        comment = _accepting(places, judged, f, judge)
        if comment is not None:
            found.append(CodeAction(
                f"Accept with a reason: {f.rule}", CodeActionKind.QuickFix, lines, edit=WorkspaceEdit({uri: [comment]}),
            ))
    return found


def _edits(places: Places, fix: Fix) -> Iterator[TextEdit]:
    for edit in fix.edits:
        yield TextEdit(places.span(edit.line, edit.column, edit.end_column), edit.text)


def _accepting(places: Places, judged: JudgedText, f: Finding, judge: Judge) -> TextEdit | None:
    """A comment above the entry of a finding. It is tried: None where it would not silence the finding, or would do
    anything else, as in files that have no comments."""
    if judged.kind is None or not BY_ID[judged.kind].commented:
        return None
    lines = places.text.split("\n")
    line = f.line
    while line > 1 and lines[line - 2].rstrip().endswith("\\"):  # a comment may not stand within an entry
        line -= 1
    above = lines[line - 1]
    indent = above[: len(above) - len(above.lstrip(" \t"))]
    rules = dict.fromkeys(one.rule for one in (f, *f.also))
    end = "\r\n" if above.endswith("\r") else "\n"
    comment = f"{indent}# advisor: ignore[{', '.join(rules)}] {REASON}{end}"
    after = judge("\n".join([*lines[: line - 1], comment.removesuffix("\n"), *lines[line - 1 :]]))
    had, has = _names(judged.findings), _names(after.findings)
    gone = had - has
    if after.kind != judged.kind or has - had or not gone or any(rule not in rules for rule, _ in gone):
        return None
    start = places.span(line, 1, 1).start
    return TextEdit(Range(start, start), comment)


def _names(findings: Sequence[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((one.rule, one.tunable) for f in findings for one in (f, *f.also))
