"""GitHub Flavored Markdown, for comments and job summaries. Markup in the input is shown, not obeyed."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.document.markup import code, escaped
from advisor.document.style import is_address
from advisor.render.plain import totals, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.render.context import FindingContext
    from advisor.render.summary import Summary


def render(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """A heading, the count, and a table for each file that has findings."""
    files: dict[str, list[Finding]] = {}
    for f in findings:
        files.setdefault(f.file, []).append(f)
    passed = summary["not_judged"]
    lines = ["## advisor lint"]
    if summary["files"] or not passed:
        lines += ["", f"**{totals(summary)}** in {where(summary)}"]
    for one in passed:
        lines += ["", f"{code(one['file'], table=False)}: {escaped(one['reason'])}."]
    for name, found in files.items():
        lines += ["", f"### {code(name)}", "", "| place | severity | rule | finding | what to write | source |"]
        lines.append("|---|---|---|---|---|---|")
        for f in found:
            finding = f"{escaped(f.message)} ({f.consequence})"
            cells = (f"{f.line}:{f.column}", f.severity, code(f.rule), finding, escaped(f.remedy), _source(f, context))
            lines.append("| " + " | ".join(cells) + " |")
    question = summary["question"]
    if question:
        answer = code(f"--set {question['fact']}={question['example']}", table=False)
        lines += ["", f"Not known, and needed most: {escaped(question['question'])} Answer with {answer}."]
    return "\n".join(lines) + "\n"


def _source(f: Finding, context: FindingContext) -> str:
    if not f.cites:
        return ""
    cited = [context.citation(claim) for claim in f.cites]
    cite = next((one for one in cited if one["address"]), cited[0])
    title = escaped(cite["title"])
    address = cite["address"]
    return f"[{title}]({address})" if address and is_address(address) else title
