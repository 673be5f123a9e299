"""The mount line, always on top: what is assumed in it is underlined, what must not stand there is red."""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.content import Content, Span
from textual.widgets import Static

from advisor.advice.line import bars, fstab_line, lacking, mount_line, mount_options
from advisor.advice.model import Advice
from advisor.document.screen import BAD, DIM, GOOD
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.wizard.pins import against

ASSUMED = f"{GOOD} underline"


class LineOnTop(Static):
    """The line for the mount that is looked at."""

    DEFAULT_CSS = """
    LineOnTop { height: auto; max-height: 5; padding: 0 1; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._shown: tuple[str, Sequence[Span]] = ("", [])

    def show(self, base: RuleBase, advice: Advice) -> None:
        text = line(base, advice)
        if (text.plain, text.spans) != self._shown:  # another layout would make the key wait
            self._shown = text.plain, text.spans
            self.update(text)


def line(base: RuleBase, advice: Advice) -> Content:
    """The line for fstab, as far as it is known, and what is assumed in it or missing from it."""
    if advice.server:
        return Content.styled("What to set on the server. Enter explains a line.", DIM)
    bar = next((one for one in advice.advised if bars(one)), None)
    if bar is not None:
        return Content.styled(f"No mount line. {bar.why}", DIM)
    if not mount_options(advice):
        return Content.styled("The mount line comes with the first answers. Enter explains a line.", DIM)
    text = mount_line(advice)
    assumed = [one.text for one in mount_options(advice) if one.rests_on]
    missing = [wording.label(base.tunables[one.tunable]) for one in lacking(base, advice)]
    notes = [f"assumed: {', '.join(assumed)}"] if assumed else []
    notes += [f"not complete: {', '.join(missing)}"] if missing else []
    return Content.assemble(
        ("/etc/fstab  " if text == fstab_line(advice) else "", DIM), *_marked(text, base, advice),
        (f"  ({'; '.join(notes)})" if notes else "", DIM),
    )


def _marked(text: str, base: RuleBase, advice: Advice) -> list[tuple[str, str]]:
    """The line in pieces, as few as can be."""
    defied = against(base, advice)
    styles = {one.text: ASSUMED for one in mount_options(advice) if one.rests_on}
    styles |= {one.text: BAD for one in mount_options(advice) if one.tunable in defied}
    pieces: list[tuple[str, str]] = []
    for part in re.split(r"([\s,]+)", text):
        style = styles.get(part, GOOD)
        before = pieces.pop()[0] if pieces and pieces[-1][1] == style else ""
        pieces.append((before + part, style))
    return pieces
