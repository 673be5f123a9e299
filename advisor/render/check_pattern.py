"""What a check looks for, in words."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.document.blocks import Text, code, codes, text
from advisor.render.wording import condition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.document.blocks import Said
    from advisor.rulebase.model import Check
    from advisor.rulebase.model.types import Pattern

_BETWEEN = {
    "mount": "a mount and its server with ", "hosts": "a client and its server with ",
    "clients": "two clients of a server with ", "load": "a server and its clients with ",
    "nodes": "two nodes of a server with ", "export": "hosts that mount one export with ",
}


def looks_for(check: Check) -> Text:
    """What a check looks for."""
    parts: list[Text] = []

    def add(*said: Said) -> None:
        parts.append(text(*said))

    if check.on:
        add("a line with ", code(condition(check.on)))
    if check.differ:
        add("of which ", codes(check.differ), " differ")
    if check.sides and not check.sides.on and not check.sides.differ:
        add(_BETWEEN[check.sides.of].rpartition(" with ")[0])
    for figure in check.figures.values():
        if figure.range:
            add("of which ", code(figure.formula), f" is {figure.range}{f' {figure.unit}' if figure.unit else ''}")
    pair, total = check.pair, check.total
    if pair:
        add("two NFS lines that are alike in ", codes(pair.same))
        if pair.differ:
            add("and differ in ", codes(pair.differ))
        if pair.either:
            add("of which at least one has ", _any_of(pair.either, " and "))
        if pair.neither:
            add("of which neither has ", _any_of(pair.neither))
    if total:
        add("NFS lines whose ", code(total.of), f" adds up to more than {total.limit}")
        add("those that are alike in ", codes(total.each), " counted once")
        if total.neither:
            add("those with ", _any_of(total.neither), " not counted")
    if check.sides and check.sides.on:
        add(_BETWEEN[check.sides.of], code(condition(check.sides.on)))
    if check.sides and check.sides.differ:
        add(_BETWEEN[check.sides.of], "different values of ", codes(check.sides.differ))
    if check.when:
        add("where ", code(condition(check.when)))
    if not parts:
        return text(f"{check.title}.")
    first = parts[0][0]
    start = first._replace(text=first.text[:1].upper() + first.text[1:])
    said = [start, *parts[0][1:]]
    for part in parts[1:]:
        said += text(", ", part)
    return text(said, ".")


def _any_of(patterns: Mapping[str, Pattern], word: str = " or ") -> Text:
    return codes((condition({name: pattern}) for name, pattern in patterns.items()), word)
