"""What the sources say, for those who maintain kb/.

`python tools/claims.py coverage`: the documents by section, with their claims and what rests on them, as Markdown, or
as JSON with --json; exit code 1 if anything is missing. `python tools/claims.py unchecked [SOURCE …]`: the claims with
figures that have not been checked against their source; with --all also those without figures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from advisor.pages.claims import figures_in_words
from advisor.rulebase.base import load
from advisor.rulebase.citations import citing_entries, claims_by_section, gaps, users
from advisor.rulebase.model import Claim, RuleBase

SCHEMA = "advisor-coverage/1"
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


def unchecked(claims: Mapping[str, Claim], sources: list[str], figures: bool = True) -> list[str]:
    """The claims of these sources (none: all) that have not been checked; `figures`: only those with figures."""
    return [
        name for name, claim in claims.items()
        if claim.checked is None and (not sources or claim.source in sources) and (not figures or claim.figures)
    ]


def coverage(base: RuleBase) -> dict[str, Any]:
    """The documents by section, citing entries, unused claims and gaps."""
    used = users(base)

    def covered(name: str) -> dict[str, object]:
        claim = base.claims[name]
        resting = [{"kind": kind, "name": user} for kind, user in used.get(name, ())]
        return {"claim": name, "verdict": claim.verdict, "says": claim.says, "used_by": resting,
                "unused": claim.unused}

    return {
        "schema": SCHEMA,
        "documents": [
            {"source": name, "title": base.sources[name].title, "sections": [
                {"section": section, "claims": [*map(covered, claims)]} for section, claims in sections.items()
            ]}
            for name, sections in claims_by_section(base).items() if sections
        ],
        "rests_on": [
            {"kind": kind, "name": name, "claims": claims} for kind, name, claims in citing_entries(base) if claims
        ],
        "unused": [
            {"claim": name, "source": claim.source, "verdict": claim.verdict, "why": claim.unused}
            for name, claim in base.claims.items() if name not in used
        ],
        "gaps": [gap._asdict() for gap in gaps(base)],
        "totals": {"claims": len(base.claims), "used": len(used), "sources": len(base.sources)},
    }


def markdown(data: dict[str, Any]) -> str:
    """The page of what `coverage` returns."""
    lines = [
        "# What the sources say, and what rests on it", "", "<!-- Written by `tools/claims.py`. -->", "",
        *_summary(data), "", "## The seed documents, section by section", "",
        "Sections are named in English, in the order of the document.",
        "A claim in two sections is listed in both.", "",
    ]
    for document in data["documents"]:
        rows = [
            (section["section"] if index == 0 else "", _code([claim["claim"]]), claim["verdict"], _use(claim))
            for section in document["sections"] for index, claim in enumerate(section["claims"])
        ]
        heads = ("section", "claim", "verdict", "what rests on it")
        lines += [f"### {document['title']} (`{document['source']}`)", "", *_table(heads, rows), ""]
    lines += ["## What rests on which claims", ""]
    for kind, heading in _HEADINGS.items():
        rows = sorted((user["name"], user["claims"]) for user in data["rests_on"] if user["kind"] == kind)
        if rows:
            lines += [f"### {heading}", "", *_table((kind, "claims"), ((_code([n]), _code(c)) for n, c in rows)), ""]
    unused = ((_code([claim["claim"]]), claim["verdict"], claim["why"] or "") for claim in data["unused"])
    lines += ["## Claims on which nothing rests", "", "Each says why.", ""]
    return "\n".join([*lines, *_table(("claim", "verdict", "why nothing rests on it"), unused)]) + "\n"


def _summary(data: dict[str, Any]) -> list[str]:
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


def _use(claim: dict[str, Any]) -> str:
    names: dict[str, list[str]] = {}
    for user in claim["used_by"]:
        names.setdefault(user["kind"], []).append(user["name"])
    uses = [f"{kind} {_code(several)}" for kind, several in names.items()]
    return "; ".join(uses) or f"nothing: {claim['unused'] or '?'}"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def main(argv: list[str]) -> int:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = top.add_subparsers(dest="what", required=True)
    what.add_parser("coverage").add_argument("--json", action="store_true")
    left = what.add_parser("unchecked")
    left.add_argument("sources", nargs="*", metavar="SOURCE")
    left.add_argument("--all", action="store_true")
    args = top.parse_args(argv)
    base = load()
    if args.what == "coverage":
        data = coverage(base)
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n" if args.json else markdown(data))
        return int(bool(data["gaps"]))
    for name in unchecked(base.claims, args.sources, figures=not args.all):
        claim = base.claims[name]
        figures = figures_in_words(claim.figures or {})
        print(f"{name}, {claim.at}: {claim.says}{f' ({figures})' if figures else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
