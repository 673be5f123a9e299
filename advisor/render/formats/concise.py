"""One line a finding: `file:line:column: severity[rule] message`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.render.escape import visible


def render(findings: Sequence[Any], _summary: Mapping[str, Any], _context: Any) -> str:
    """Nothing at all without findings."""
    return "".join(
        f"{visible(f.file)}:{f.line}:{f.column}: {f.severity}[{f.rule}] {visible(f.message)}\n" for f in findings
    )
