"""What a format needs beside the findings and the summary."""

from __future__ import annotations

from collections.abc import Callable

from advisor.document.style import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.document.blocks import Block
    from advisor.lint.finding import Finding
    from advisor.render.summary import Cited, RuleFacts


class FindingContext:
    """How to look up what findings refer to, and how to show it.

    `line(file, number)`: a line of a file, without its end. `citation(claim)` and `rule(name)`: in the shapes of
    advisor.render.summary. `proof(finding)`: what is behind it (advisor.render.finding), asked for only where
    `verbose`. `columns`: the width to wrap at. `fixing`: the command has --fix."""

    __slots__ = ("citation", "columns", "fixing", "line", "proof", "rule", "style", "verbose", "version")

    def __init__(
        self, *, line: Callable[[str, int], str], citation: Callable[[str], Cited],
        rule: Callable[[str], RuleFacts], version: str, proof: Callable[[Finding], list[Block]] | None = None,
        style: Style | None = None, columns: int = 100, verbose: bool = False, fixing: bool = True,
    ) -> None:
        self.line, self.citation, self.rule, self.proof = line, citation, rule, proof
        self.version = version
        self.style = style or Style(False)
        self.columns = columns
        self.verbose = verbose
        self.fixing = fixing
