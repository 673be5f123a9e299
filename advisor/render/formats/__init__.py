"""The output formats of `advisor lint`: one module each, imported when it is asked for.

Each has `render(findings, summary, context) -> str`: findings in the order of files and lines, the summary as
`advisor.render.formats.json_document` describes it, a `FindingContext`. The text ends with a line end unless it is
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
    "concise": "concise",
    "json": "json_document",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
    "markdown": "markdown",
}
"""Name of a format → its module."""

Render = Callable[["Sequence[Finding]", "Summary", "FindingContext"], str]


def renderer(name: str) -> Render:
    """The function that writes this format; `name` is one of FORMATS."""
    from importlib import import_module  # noqa: PLC0415  a format is imported when it is asked for

    found: Render = import_module(f"{__name__}.{FORMATS[name]}").render
    return found
