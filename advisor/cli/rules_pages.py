"""The pages of `advisor rules docs`, from the rule base and the examples in its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.cli.rules_examples import Lab
from advisor.document.blocks import Block, Document, TextRun, code, codes
from advisor.document.markdown import markdown
from advisor.render import rule_pages
from advisor.render.rule_pages import DecisionCase
from advisor.rulebase import rule_files
from advisor.rulebase.base import authored
from advisor.rulebase.cache import documents
from advisor.rulebase.document import YamlMapping, mappings_in
from advisor.rulebase.model import Example

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

MARK = "<!-- Written by `advisor rules docs`. -->"
INDEX = "README"
_KINDS = {"mount-option": "Decisions on mount options", "fstab-field": "Decisions on fields of fstab"}


class _PageEntry(NamedTuple):
    """A row of the index. `kind`: the heading under which it stands; `rules`: the names that findings carry."""

    page: str
    title: str
    kind: str
    rules: tuple[str, ...]


def pages(base: RuleBase) -> dict[str, str]:
    """Name of a page (without `.md`) → its text; the index is `README`."""
    lab = Lab(base)
    written = _written()
    found: dict[str, list[Block]] = {}
    entries = []
    for slug, check in sorted(base.checks.items()):
        found[slug] = rule_pages.check(base, check, lab.of_check(check, base.check_examples[slug]))
        entries.append(_PageEntry(slug, check.title, "Checks", (slug,)))
    for name, decision in sorted(base.decisions.items()):
        tunable = base.tunables[name]
        cases = list(_cases(written.get(decision.file, {})))
        found[name] = rule_pages.tunable(base, tunable, lab.of_decision(decision, tunable, cases), cases)
        rules = tuple(rule.id for rule in rule_pages.ranked(base, decision))
        entries.append(_PageEntry(name, tunable.title, _KINDS.get(tunable.kind, "Other decisions"), rules))
    for slug, bug in sorted(base.errata.items()):
        found[slug] = rule_pages.erratum(base, bug, list(_cases(written.get(bug.file, {}))))
        entries.append(_PageEntry(slug, bug.title, "Errata", (slug,)))
    found[INDEX] = _index(entries)
    return {name: f"{MARK}\n\n{markdown(blocks)}" for name, blocks in found.items()}


def _index(entries: Sequence[_PageEntry]) -> list[Block]:
    """The list of all pages."""
    page = Document()
    page.heading("Rules", 1)
    page.para("A page for each check, decision and erratum; see also ", code("advisor explain NAME"), ".")
    for kind in dict.fromkeys(entry.kind for entry in entries):
        listed = sorted(entry for entry in entries if entry.kind == kind)
        page.heading(kind)
        several = any(entry.rules != (entry.page,) for entry in listed)
        page.table(("page", "what it is about", "rules")[: 2 + several], (
            (TextRun(entry.page, "", f"{entry.page}.md"), entry.title, codes(entry.rules))[: 2 + several]
            for entry in listed
        ))
    return page.blocks


def _written() -> dict[str, YamlMapping]:
    """Path → what stands in each file of the rule base: the examples of decisions and errata are not compiled."""
    root = authored()
    return {one.path: one.data for one in documents(root, rule_files.files(root)) if isinstance(one.data, dict)}


def _cases(data: YamlMapping) -> Iterator[DecisionCase]:
    """The examples of a decision's rules, then its own, or those of an erratum; each once."""
    owners = [*(rule for _, rule in mappings_in(data.get("rules"))), data]
    seen: list[DecisionCase] = []
    for owner in owners:
        for _, example in mappings_in(owner.get("examples")):
            parsed = Example.from_data({**example})
            one = DecisionCase(parsed.given, parsed.expect)
            if one not in seen:
                seen.append(one)
                yield one
