"""One line a finding: `file:line:column: severity[rule] message`."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.document.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.summary import Summary


def render(findings: Sequence[Finding], _summary: Summary, _context: object) -> str:
    """Nothing at all without findings."""
    return "".join(
        f"{visible(f.file)}:{f.line}:{f.column}: {f.severity}[{f.rule}] {visible(f.message)}\n" for f in findings
    )
