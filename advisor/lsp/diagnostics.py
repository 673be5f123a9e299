"""Findings as the protocol's diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    Location,
)

from advisor.document.escape import visible
from advisor.document.style import is_address
from advisor.lsp.places import Places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase

SOURCE = "advisor"
SEVERITY = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}


def diagnostics(base: RuleBase, uri: str, places: Places, findings: Sequence[Finding]) -> list[Diagnostic]:
    """The findings of one text, in the same order."""
    return [diagnostic(base, uri, places, finding) for finding in findings]


def diagnostic(base: RuleBase, uri: str, places: Places, f: Finding) -> Diagnostic:
    """One finding: what is wrong and what to do; the reason stands in the hover."""
    words = "\n".join(visible(text) for text in (f"{f.message} ({f.consequence})", f.remedy) if text)
    address = _address(base, f)
    return Diagnostic(
        range=places.span(f.line, f.column, f.end_column),
        message=words,
        severity=SEVERITY[f.severity],
        code=f.rule,
        code_description=CodeDescription(address) if address else None,
        source=SOURCE,
        related_information=[
            DiagnosticRelatedInformation(
                Location(uri, places.span(other.line, other.column, other.end_column)), visible(other.message)
            )
            for other in f.also
        ] or None,
    )


def _address(base: RuleBase, f: Finding) -> str | None:
    """Where the first of its sources that has an address can be read."""
    addresses = (base.sources[base.claims[claim].source].address for claim in f.cites)
    return next((one for one in addresses if one and is_address(one)), None)
