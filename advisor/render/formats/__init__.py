"""The output formats of `advisor lint`, imported when one is asked for.

Each is a function `(findings, summary, context) -> str`: findings in the order of files and lines, the summary as
`advisor.render.summary` describes it, a `FindingContext`. The text ends with a line end unless it is
empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary

FORMATS = {
    "text": "text",
    "concise": "reports",
    "json": "documents",
    "sarif": "documents",
    "github": "reports",
    "gitlab": "documents",
    "junit": "reports",
    "markdown": "reports",
    "prometheus": "metrics",
}
"""Name of a format → the module with its function, `as_` and the name."""

Render = Callable[["Sequence[Finding]", "Summary", "FindingContext"], str]


def renderer(name: str) -> Render:
    """The function that writes this format; `name` is one of FORMATS."""
    from importlib import import_module  # noqa: PLC0415  a format is imported when it is asked for

    found: Render = getattr(import_module(f"{__name__}.{FORMATS[name]}"), f"as_{name}")
    return found
