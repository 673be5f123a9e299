"""The versioned JSON of `advisor lint` (advisor.render.lint_schema lists its fields)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from advisor.render.lint_schema import EDIT, FINDING, OTHER, SCHEMA, SUMMARY
from advisor.render.plain import well_formed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Cited, Summary


def render(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """One document, a finding a line. Bytes that were not UTF-8 are told as text: \\xff."""
    cites = {claim: context.citation(claim) for f in findings for claim in f.cites}
    lines = [_line(_finding(f, cites)) for f in findings]
    told: Mapping[str, object] = summary
    end = _line({name: told[name] for name in SUMMARY})
    found = ",\n".join(lines)
    return f'{{"schema": "{SCHEMA}",\n"findings": [\n{found}\n],\n"summary": {end}}}\n'


def _finding(f: Finding, cites: Mapping[str, Cited]) -> dict[str, object]:
    told = {name: getattr(f, name) for name in FINDING}
    told["cites"] = [cites[claim] for claim in f.cites]
    told["depends_on"] = list(f.depends_on)
    if f.also:
        told["also"] = [{name: getattr(other, name) for name in OTHER} for other in f.also]
    if f.fix is not None:
        edits = [{name: getattr(edit, name) for name in EDIT} for edit in f.fix.edits]
        told["fix"] = {"safety": f.fix.safety, "edits": edits}
    return told


def _line(data: dict[str, object]) -> str:
    text = json.dumps(data)
    # Half a surrogate pair is valid JSON that many readers refuse.
    return json.dumps(well_formed(data)) if "\\ud" in text else text
