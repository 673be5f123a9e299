"""A document in the format that was asked for."""

from __future__ import annotations

from advisor.cli.common import columns, wants_colour

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.document.blocks import Block

FORMATS = ("text", "markdown", "html", "svg")


def drawn(form: str, blocks: list[Block], title: str, color: str) -> str:
    """The document's text. `form`: one of FORMATS; `title`: of a page or picture; `color`: what --color says."""
    if form == "markdown":
        from advisor.document.markdown import markdown

        return markdown(blocks)
    if form == "text":
        from advisor.document.style import Style
        from advisor.document.terminal import terminal

        return terminal(blocks, columns(), Style(wants_colour(color)))
    from advisor import __version__

    generator = f"advisor {__version__}"
    if form == "html":
        from advisor.document.html import html

        return html(blocks, title, generator)
    from advisor.document.svg import svg

    return svg(blocks, title, generator)
