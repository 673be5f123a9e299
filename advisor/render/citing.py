"""Claims and where they stand: the one way in which sources are cited."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.advice.citations import opponents
from advisor.advice.model import Citation
from advisor.document.blocks import Document, Items, ListItem, TextRun, dim, text
from advisor.render import figures
from advisor.render.wording import GRADES
from advisor.rulebase.model import Claim, RuleBase


def cite(
    page: Document, base: RuleBase, cites: Iterable[Citation], heading: str = "", tunable: str | None = None
) -> None:
    """The claims as a list below a heading; nothing at all without claims. `tunable`: what the page is about; what
    stands against a claim is told as far as it is on that."""
    addresses: set[str] = set()
    cited = tuple(_cited(base, one, tunable, addresses) for one in cites)
    if cited and heading:
        page.heading(heading)
    if cited:
        page.add([Items(cited)])


def _cited(base: RuleBase, one: Citation, tunable: str | None, addresses: set[str]) -> ListItem:
    """`addresses`: those that stand in the list already; this one is added."""
    verdict = "" if one.verdict == "accepted" else f" [{one.verdict}]"
    below = Document()
    date = f", {one.date}" if one.date else ""
    name = f"{one.claim}{_fared(base.claims[one.claim])}"
    place = f"{one.title}, {one.publisher}{date}; {one.at}; {GRADES[one.grade]} ({name})"
    below.para(dim(place))
    if one.address and one.address not in addresses:
        below.para(TextRun(one.address, "dim", one.address))
        addresses.add(one.address)
    below.para(one.scope and f"Holds for: {one.scope}")
    below.add(figures.blocks(one.figures, one.says, one.claim))
    if one.verdict not in ("accepted", "measured"):
        below.para(base.claims[one.claim].note)
    for how, other in opponents(base, one, tunable):
        below.para(f"{how}: {other.says} ({other.title}, {other.at}; {other.claim})")
        if other.address and other.address not in addresses:
            below.para(TextRun(other.address, "dim", other.address))
            addresses.add(other.address)
    return ListItem(text(f"{one.says}{verdict}"), blocks=tuple(below.blocks))


def checked(claim: Claim) -> str | None:
    """ "2026-11-21, corrected: fs/nfs/super.c of Linux 6.12"; None for a claim that nobody has checked."""
    check = claim.checked
    if check is None:
        return None
    if check.outcome == "not-opened":
        return f"{check.date}, its source could not be opened: {check.because}"
    return f"{check.date}, {check.outcome}: {check.against}"


def _fared(claim: Claim) -> str:
    """The same in two words, to stand behind the claim's name."""
    check = claim.checked
    if check is None:
        return ""
    return ", source not opened" if check.outcome == "not-opened" else f", checked {check.date}"
