"""Comments that ask for silence (`# advisor: ignore[rule, …] reason`): what they keep silent, and which do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from advisor.lint.drafts import Found, at, from_check
from advisor.lint.finding import Finding
from advisor.readers.spans import Span

SLUG = "unused-suppression"


class Silenced(NamedTuple):
    """A finding that is not told. `reason`: as the comment gives it, "" for none."""

    finding: Finding
    reason: str


def suppress(result: Any, fstab: Any) -> None:
    """Move the findings of a Result that comments ask not to tell from `findings` to `silenced`.

    Comments that suppress nothing, or are not understood, become findings themselves."""
    suppressions = fstab.suppressions
    if not suppressions:
        return
    kept: list[Finding] = []
    used: set[tuple[int, str]] = set()
    for finding in result.findings:
        by = next((s for s in suppressions.get(finding.line, ()) if finding.rule in s.slugs and s.target), None)
        if by is None:
            kept.append(finding)
        else:
            result.silenced.append(Silenced(finding, by.reason))
            used.update((s.line, finding.rule) for s in suppressions[finding.line])
    for several in suppressions.values():
        for one in several:
            if SLUG not in one.slugs:
                kept += _useless(result, one, used)
    result.findings = kept


def _useless(result: Any, one: Any, used: set[tuple[int, str]]) -> Iterator[Finding]:
    """Findings about one comment. What a fact that is not known may still call for is not useless."""
    if not one.slugs:
        yield from _said(result, one, "", one.problem)
        return
    for slug in one.slugs:
        known = result.view.rulebase
        if not any(slug in table for table in (known.checks, known.errata)) and _decision(known, slug) is None:
            yield from _said(result, one, slug, f"no rule is called {slug}{_near(known, slug)}")
        elif one.target is None:
            yield from _said(result, one, slug, one.problem)
        elif (one.line, slug) not in used and not _open(result, slug, one.target):
            yield from _said(result, one, slug, f"line {one.target} has no finding {slug} to suppress")


def _open(result: Any, rule: str, line: int) -> bool:
    """Whether the rule may yet find something in the line, were more facts known."""
    judged = result.judged.get(line)
    if judged is None:
        return False
    view = result.view
    decision = _decision(view.rulebase, rule)
    if decision is not None:
        possible = {name for _, name in view.reach(decision, judged.state)}
        return rule in possible and len(possible) > 1
    check = view.rulebase.checks.get(rule)
    if check is None:
        facts = view.rulebase.errata[rule]["facts"]
        return any(view.holds(f"erratum:{rule}:{fact}", judged.state) is not False for fact in facts)
    if check.get("builtin"):
        return bool(judged.open)
    return bool(check.get("when")) and view.holds(f"check:{rule}", judged.state) is None


def _decision(rulebase: Any, rule: str) -> str | None:
    return next((name for name, told in rulebase.decisions.items() if rule in told["rules"]), None)


def _near(rulebase: Any, slug: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  seldom needed

    from advisor.rulebase.query import rule_names  # noqa: PLC0415

    near = get_close_matches(slug, rule_names(rulebase), 1)
    return f"; did you mean {near[0]}?" if near else ""


def _said(result: Any, one: Any, slug: str, words: str) -> Iterator[Finding]:
    check = result.view.builtin.get(SLUG)
    if check is None:
        return
    start, end = one.span.column, one.span.end_column
    offset = result.line(one.line).find(slug, start - 1) if slug else -1
    if offset >= 0:
        start, end = offset + 1, offset + 1 + len(slug)
    draft = from_check(check, Found(None, "source", 0, 0, slug), tunable=None, words=words)
    yield at(draft, result.name, Span(one.line, start, end))
