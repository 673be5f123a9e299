"""REPORT.md and REPORT.html: the whole argument, what to do manually, and how to install, check and undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.advice.answers import NAMES
from advisor.advice.arguments import citations
from advisor.advice.beside_fstab import objections
from advisor.install.context import Artefact, FileContext
from advisor.pages.blocks import Block, Code, Document, code, codes, fold_details, lower_headings, strong, text
from advisor.pages.claims import cite
from advisor.pages.html import html_page
from advisor.pages.markdown import markdown
from advisor.pages.recommend import add_effects, picture
from advisor.pages.why import bug_page, estimate_page, question_text, setting_page, with_refusals
from advisor.pages.wording import open_values

if TYPE_CHECKING:
    from advisor.advice.model import Row
    from advisor.lint.finding import Finding

_TITLE = "NFS configuration: report"


def report(context: FileContext, made: Iterable[Artefact]) -> Iterator[Artefact]:
    """Both reports, with the same content."""
    blocks = _blocks(context, list(made))
    yield Artefact("REPORT.md", markdown(blocks), "Report")
    yield Artefact("REPORT.html", html_page(blocks, _TITLE, f"advisor {context.advice.version}"), "Report")


def _blocks(context: FileContext, files: list[Artefact]) -> list[Block]:
    base, advice = context.base, with_refusals(context.base, context.advice)
    page = Document()
    page.heading(_TITLE, 1)
    for line in context.provenance(NAMES):
        page.item(line)
    page.para("Measured effects are the sources' own figures, for their systems; nothing here was measured on yours.")
    page.table(("name", "value"), ((name, code(advice.answers.name(name))) for name in NAMES))
    page.heading("Files")
    if context.lacking and not context.is_server:
        lacking = codes(setting.tunable for setting in context.lacking)
        page.para("No file here mounts anything yet: ", lacking, " must be written, but its value is open.")
    for remark in context.remarks:
        page.para(remark)
    for file in files:
        page.fold(text(code(file.path), f": {file.title}"), _file(file), 3)
    drawn = picture(advice)
    if drawn:
        page.heading("The cluster")
        page.code("\n".join(drawn))
    rows = [recommendation for recommendation in advice.advised if _is_shown(recommendation)]
    for title, by_hand in (("Settings", False), ("To do by hand", True)):
        mine = [recommendation for recommendation in rows
                if (recommendation.kind in context.data["by_hand"]) is by_hand]
        if mine:
            page.heading(title)
        for recommendation in mine:
            there = ", ".join(file.path for file in files if f"\n# {recommendation.tunable}: " in file.text)
            page.add(lower_headings(fold_details(setting_page(base, advice, recommendation, there), "Why, and how"), 2))
    _objections_section(page, context, _objections(context, files))
    add_effects(page, advice)
    _open(page, context)
    for title, parts in (
        ("Estimates", [estimate_page(base, estimate) for estimate in advice.estimates if estimate.value is not None]),
        ("Known bugs", [bug_page(base, bug) for bug in advice.bugs]),
    ):
        if parts:
            page.heading(title)
        for part in parts:
            page.add(lower_headings(part, 2))
    recipes = [base.recipes[str(recommendation.value)] for recommendation in advice.advised
               if recommendation.kind == "benchmark" and str(recommendation.value) in base.recipes]
    measured = citations(base, (claim for recipe in recipes for claim in recipe.cites))
    cite(page, base, measured, "What to compare benchmarks with")
    return page.blocks


def _file(file: Artefact) -> list[Block]:
    """Where a file belongs, how to install, check and undo it, and what is in it."""
    page = Document()
    page.pairs([
        ("belongs in", code(file.install) if file.install else None), ("apply", "\n".join(file.apply)),
        ("check", "\n".join(file.verify)), ("undo", "\n".join(file.undo)),
    ])
    page.add([Code(file.text.rstrip("\n"))])
    return page.blocks


def _is_shown(recommendation: Row) -> bool:
    """Whether a setting is shown: not a default in effect that is only a matter of preference."""
    if recommendation.kind == "benchmark":
        return False
    return recommendation.pinned or (
        recommendation.recommends
        and not (recommendation.strength == "may" and (recommendation.already or recommendation.value == "omit"))
    )


def _objections_section(page: Document, context: FileContext, found: list[Finding]) -> None:
    """Add the linter's findings in the line for fstab under the same facts, such as a workload that does not suit
    NFS."""
    if found:
        page.heading("What the linter says of the line")
    for objection in found:
        sources = Document()
        cite(sources, context.base, citations(context.base, objection.cites), tunable=objection.tunable)
        words = f": {objection.message}. {objection.why} {objection.remedy} ("
        page.item(text(strong(objection.severity), words, code(objection.rule), ")"), *sources.blocks)


def _objections(context: FileContext, files: Iterable[Artefact]) -> list[Finding]:
    line = next((file.text for file in files if file.path == context.data["files"]["fstab"]["path"]), None)
    if line is None:
        return []
    bugs = {bug.erratum for bug in context.advice.bugs}
    return [objection for objection in objections(context.base, line, context.advice.answers.facts)
            if objection.rule not in bugs]


def _open(page: Document, context: FileContext) -> None:
    waiting = [setting for setting in context.advice.open if setting.strength is not None]
    if waiting:
        page.heading("Open")
        page.para("These are in no file until the questions are answered.")
    for setting in waiting:
        questions = [part for fact in setting.asks for part in text(" ", question_text(context.base, fact))]
        page.item(text(code(setting.tunable), f": {open_values(setting)}.", questions))
