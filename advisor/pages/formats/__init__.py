"""The output formats of `advisor lint`, imported when one is asked for.

Each is a function `(findings, summary, context) -> str`: findings in the order of files and lines, a `Summary` and a
`FindingContext`. The text ends with a line end unless it is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats.context import FindingContext
    from advisor.pages.formats.summary import Summary

FORMATS = {
    "text": "text",
    "concise": "reports",
    "json": "json_documents",
    "sarif": "json_documents",
    "github": "reports",
    "gitlab": "json_documents",
    "junit": "reports",
    "markdown": "reports",
    "prometheus": "reports",
}
"""Format → the module with its function, which is called `as_` and the format."""

Render = Callable[["Sequence[Finding]", "Summary", "FindingContext"], str]


def renderer(name: str) -> Render:
    """The function that writes this format, one of FORMATS."""
    function = f"as_{name}"
    render: Render = getattr(__import__(f"{__name__}.{FORMATS[name]}", fromlist=[function]), function)
    return render
