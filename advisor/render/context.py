"""What a format needs beside the findings and the summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from advisor.render.style import Style

if TYPE_CHECKING:
    from advisor.lint.evidence import Evidence
    from advisor.lint.finding import Finding


class Context:
    """How to look up what findings refer to, and how to show it.

    `line(file, number)`: a line of a file, without its end. `citation(claim)`: {claim, source, title, publisher, at,
    grade, date, address}, the last two may be None. `rule(name)`: {rule, title, what, why, remedy, severity,
    consequence, cites}. `evidence(finding)`: what is behind it (advisor.lint.evidence), asked for only where `verbose`.
    `columns`: the width to wrap at."""

    __slots__ = ("citation", "columns", "evidence", "line", "rule", "style", "verbose", "version")

    def __init__(
        self, *, line: Callable[[str, int], str], citation: Callable[[str], Mapping[str, Any]],
        rule: Callable[[str], Mapping[str, Any]], version: str, evidence: Callable[[Finding], Evidence] | None = None,
        style: Style | None = None, columns: int = 100, verbose: bool = False,
    ) -> None:
        self.line, self.citation, self.rule, self.evidence = line, citation, rule, evidence
        self.version = version
        self.style = style or Style(False)
        self.columns = columns
        self.verbose = verbose
