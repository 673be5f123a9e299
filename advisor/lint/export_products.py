"""Files of exports that a product writes itself, or reads in a form of its own (`exports_lines` of kb/platforms)."""

from __future__ import annotations

from advisor.lint.compare import expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model import ExportsLine, Platform

_PLATFORM = "storage.platform"


def product(index: RuleIndex, text: str) -> tuple[Platform | None, int]:
    """The product whose form a line of a file has, and the number of the line; (None, 0) where none has.

    A form that Linux does not read counts only where no line has a list of options in parentheses: then it was copied
    onto a Linux server, and exportfs stops at it."""
    said = index.given.get(_PLATFORM)
    known = [one for one in index.rulebase.platforms if one.exports_lines and said in (None, one.platform)]
    for number, line in enumerate(map(str.rstrip, text.split("\n")), 1):
        for one in known if line and not line.startswith("#") else ():
            own_form = one.set_in is None
            fits = (own_form and said is not None) or any(_fits(form, line) for form in one.exports_lines)
            if fits and not (own_form and "(" in text):
                return one, number
    return None, 0


def _fits(form: ExportsLine, line: str) -> bool:
    pattern = expression(f"~ {form.line}")
    return pattern is not None and (form.has or "") in line and pattern.fullmatch(line) is not None


def of_product(index: RuleIndex, platform: Platform) -> RuleIndex:
    """The index for a file of this product."""
    return index if _PLATFORM in index.given else index.knowing({**index.given, _PLATFORM: platform.platform})
