"""The mount line, always on top: what is assumed in it is underlined, what must not stand there is red."""

from __future__ import annotations

import re

from textual.content import Content

from advisor.advice.line import bars, fstab_line, lacking, mount_line, mount_options
from advisor.advice.model import Advice
from advisor.document.screen import BAD, DIM, GOOD
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.wizard.fitting import Fitting
from advisor.wizard.pins import against

ASSUMED = f"{GOOD} underline"


class LineOnTop(Fitting):
    """The line for the mount that is looked at; on a small screen without the names of what is underlined in it."""

    DEFAULT_CSS = "LineOnTop { height: auto; max-height: 5; padding: 0 1; background: $surface; }"

    def update_with(self, base: RuleBase, advice: Advice) -> None:
        self.show(*lines(base, advice))


def lines(base: RuleBase, advice: Advice) -> tuple[Content, ...]:
    """The line for fstab, as far as it is known, and what is assumed in it or missing from it; the most words first."""
    if advice.server:
        return (Content.styled("What to set on the server. Enter explains a line.", DIM),)
    bar = next((one for one in advice.advised if bars(one)), None)
    if bar is not None:
        return (Content.styled(f"No mount line. {bar.why}", DIM),)
    if not mount_options(advice):
        return (Content.styled("The mount line comes with the first answers. Enter explains a line.", DIM),)
    text = mount_line(advice)
    assumed = [one.text for one in mount_options(advice) if one.rests_on]
    missing = [wording.label(base.tunables[one.tunable]) for one in lacking(base, advice)]
    line = Content.assemble(("/etc/fstab  " if text == fstab_line(advice) else "", DIM), *_marked(text, base, advice))
    lack = f"not complete: {', '.join(missing)}" if missing else ""
    notes = [f"assumed: {', '.join(assumed)}"] if assumed else []
    ways = ["; ".join([*notes, lack] if lack else notes), lack, "not complete" if lack else ""]
    return tuple(Content.assemble(line, (f"  ({one})" if one else "", DIM)) for one in dict.fromkeys(ways))


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
