"""Today's settings and the recommended ones, side by side."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.render.escape import visible
from advisor.render.explain import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.beside import Row

_MARK = {"same": "=", "differs": "!", "finding": "!", "open": "?", "no-opinion": " "}
_TELLS = ("differs", "finding")


def table(page: Page, rows: Iterable[Row]) -> None:
    """A block for each line of the file; a mark before each setting says whether it is as recommended."""
    told = list(rows)
    if not told:
        page.heading("There is no NFS line to compare with.")
    places = list(dict.fromkeys((row.file, row.line, row.target) for row in told))
    wide = max((len(visible(row.today)) for row in told), default=0)
    for place in places:
        page.heading(f"{place[0]}:{place[1]}  {place[2]}")
        for row in told:
            if (row.file, row.line, row.target) != place:
                continue
            mark = page.style("warning" if row.verdict in _TELLS else "dim", _MARK[row.verdict])
            advised = row.advised if row.verdict not in ("same", "finding") else ""
            line = f"  {mark} {visible(row.today):<{min(wide, page.columns // 2)}}  {visible(advised)}"
            page.lines.append(line.rstrip())
            if row.verdict in _TELLS:
                page.para(row.why, 6)
            if row.verdict == "finding":
                page.para(row.advised, 6)
    if told:
        page.heading("=  as recommended    !  to be changed, or looked at    ?  open")
