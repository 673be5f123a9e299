"""The output of `advisor kb`: sources, disputes, search results, and the coverage of every source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.pages.blocks import Block, Document, Items, ListItem, Paragraph, TextRun, code, text
from advisor.pages.claims import figures_in_words
from advisor.pages.wording import condition, outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.citations import Coverage, CoveredClaim, CoveredDocument, Dispute, DisputedClaim
    from advisor.rulebase.model import Claim, Source


def sources(documents: Sequence[tuple[Source, int]]) -> list[Block]:
    """`documents`: each with the number of its claims."""
    page = Document()
    for source, claims in documents:
        date = f", {source.date}" if source.date else ""
        head = f"  [{source.grade}] {source.title}, {source.publisher}{date} ({source.language})"
        link = (Paragraph((TextRun(source.address, "", source.address),)),) if source.address else ()
        page.item(text(code(source.source), head, f"; {claims} claims"), *link)
    page.para(f"{len(documents)} sources")
    return page.blocks


def search(entries: Sequence[Mapping[str, object]], wanted: str) -> list[Block]:
    """`entries`: of several kinds as data, each with its `kind` and `id`."""
    page = Document()
    for entry in entries:
        verdict = f" [{entry['verdict']}]" if entry.get("verdict") else ""
        page.item(f"{entry['kind']} {entry['id']}{verdict}: {entry.get('says') or entry.get('title') or ''}")
    page.para(f"{len(entries)} found for {wanted!r}" if entries else f"nothing contains all of {wanted!r}")
    return page.blocks


def unchecked(claims: Sequence[Claim]) -> list[Block]:
    page = Document()
    for claim in claims:
        figures = figures_in_words(claim.figures or {})
        page.item(f"{claim.id}, {claim.at}: {claim.says}", *((Paragraph(text(figures)),) if figures else ()))
    page.para(f"{len(claims)} claims" if claims else "every claim was checked")
    return page.blocks


def disputes(disputed: Sequence[Dispute]) -> list[Block]:
    page = Document()
    for dispute in disputed:
        page.heading(code(dispute["tunable"]))
        sides = [
            *(_side(side, "") for side in dispute["claims"]),
            *(_side(side, "against: ") for side in dispute["against"]),
        ]
        page.add([Items(tuple(sides))])
        if dispute["decided"]:
            page.para("decided:")
        for rule in dispute["decided"]:
            strength = f", {rule['strength']}" if rule["strength"] else ""
            page.item(
                f"{outcome(rule['value'])} when {condition(rule['when'])} ({rule['rule']}, {rule['layer']}{strength}): "
                f"{rule['why']}"
            )
    if not disputed:
        page.para("no disputes")
    return page.blocks


def _side(side: DisputedClaim, prefix: str) -> ListItem:
    date = f", {side['date']}" if side["date"] else ""
    scope = f" For {side['scope']}." if side["scope"] else ""
    place = f"({side['publisher']}{date}, {side['at']}; {side['claim']})"
    note = (Paragraph(text(side["note"])),) if side["note"] else ()
    return ListItem(text(f"{prefix}{side['says']}{scope} [{side['verdict']}] {place}"), blocks=note)


_HEADINGS = {
    "rule": "Rules",
    "check": "Checks",
    "erratum": "Errata",
    "capability": "Capabilities",
    "constraint": "Constraints",
    "recipe": "Benchmark recipes",
    "platform": "Platforms",
    "tunable": "Tunables",
}
_GAPS = {
    "empty-section": "{id}: no claim is from the section {detail}",
    "unexplained": "{id}: nothing rests on it, and it gives no reason",
    "stale": "{id}: says why nothing rests on it, but this does: {detail}",
}


def markdown(data: Coverage) -> str:
    """The page of the result of `advisor.rulebase.citations.coverage`."""
    lines = [
        "# What the sources say, and what rests on it",
        "",
        "<!-- Written by `advisor kb coverage`; a test keeps it so. -->",
        "",
        *_summary(data),
        "",
        "## The seed documents, section by section",
        "",
        "Sections are named in English, in the order of the document.",
        "A claim in two sections is listed in both.",
        "",
    ]
    for document in data["documents"]:
        lines += _document(document)
    lines += ["## What rests on which claims", ""]
    for kind, heading in _HEADINGS.items():
        rows = sorted((user["name"], user["claims"]) for user in data["rests_on"] if user["kind"] == kind)
        if rows:
            lines += [f"### {heading}", "", *_table((kind, "claims"), ((_code([n]), _code(c)) for n, c in rows)), ""]
    lines += [
        "## Claims on which nothing rests",
        "",
        "Each says why.",
        "",
        *_table(
            ("claim", "verdict", "why nothing rests on it"),
            ((_code([claim["claim"]]), claim["verdict"], claim["why"] or "") for claim in data["unused"]),
        ),
    ]
    return "\n".join(lines) + "\n"


def _summary(data: Coverage) -> list[str]:
    totals = data["totals"]
    sections = sum(len(document["sections"]) for document in data["documents"])
    lines = [
        f"{totals['claims']} claims of {totals['sources']} sources: something rests on {totals['used']} of them, "
        f"{totals['claims'] - totals['used']} say why nothing does.",
        f"{len(data['documents'])} documents are mapped section by section, {sections} sections in all.",
    ]
    if not data["gaps"]:
        return [*lines, "Nothing is unmapped."]
    return [*lines, "", "Unmapped:", "", *(f"- {_GAPS[gap['kind']].format(**gap)}" for gap in data["gaps"])]


def _document(document: CoveredDocument) -> list[str]:
    rows = [
        (section["section"] if index == 0 else "", _code([claim["claim"]]), claim["verdict"], _use(claim))
        for section in document["sections"]
        for index, claim in enumerate(section["claims"])
    ]
    columns = ("section", "claim", "verdict", "what rests on it")
    return [f"### {document['title']} (`{document['source']}`)", "", *_table(columns, rows), ""]


def _use(claim: CoveredClaim) -> str:
    names: dict[str, list[str]] = {}
    for user in claim["used_by"]:
        names.setdefault(user["kind"], []).append(user["name"])
    uses = [f"{kind} {_code(users)}" for kind, users in names.items()]
    return "; ".join(uses) or f"nothing: {claim['unused'] or '?'}"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [columns, tuple("---" for _ in columns), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
