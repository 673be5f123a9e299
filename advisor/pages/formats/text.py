"""Findings for people: each line once, with carets, then what is wrong with it, what to write, and why; of a whole host
behind a summary, area by area."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.lint.finding import SEVERITIES
from advisor.pages.formats.snippet import snippet
from advisor.pages.phrases import counted, line_list, scope_of_lint, totals
from advisor.pages.style import Part, visible, wrap, wrap_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.pages.formats.context import FindingContext
    from advisor.pages.formats.summary import LinePlace, Summary

_INDENT = "    "
_DO, _WHY, _REST = f"{_INDENT}do:  ", f"{_INDENT}why: ", f"{_INDENT}     "
_PREAMBLE = 60
"""A first sentence shorter than this seldom is the reason; it leads to it."""
_OPTION = {"safe": "--fix", "unsafe": "--unsafe-fixes"}
_SLOW, _NO_EFFECT = ("performance",), ("ignored", "portability")
_FINDINGS = 5
"""How many findings of each group the summary lists; findings with the same message count as one."""


def as_text(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> str:
    """Findings grouped by file and line, then what could not be judged, then the count."""
    report = TextReport(context)
    report.findings(findings)
    report.closing(summary)
    return "\n".join(report.lines) + "\n"


class TextReport:
    """The lines of a report. A text that several findings share is wrapped once."""

    def __init__(self, context: FindingContext) -> None:
        self.context = context
        self.style = context.style
        self.columns: int = context.columns
        self.lines: list[str] = []
        self.wrapped: dict[tuple[object, ...], list[str]] = {}

    def findings(self, findings: Sequence[Finding]) -> None:
        """Adds findings, grouped by file and line."""
        groups: dict[tuple[str, int], list[Finding]] = {}
        for f in findings:
            groups.setdefault((f.file, f.line), []).append(f)
        for (file, number), group in groups.items():
            self._line(file, number, group)

    def _line(self, file: str, number: int, group: Sequence[Finding]) -> None:
        """One line of a file and its findings; a reason that they share is given once."""
        marks = [(at.column, at.end_column, at.severity) for f in group for at in (f, *f.also)]
        self.lines += snippet(number, self.context.line(file, number), marks, self.columns, self.style)
        place = f"{visible(file)}:{number}:"
        reasons = set()
        for f in group:
            self._head(f, f"{place}{f.column}:")
            if self.context.verbose:
                self._proof(f)
                continue
            self._do(f)
            if f.why not in reasons:
                reasons.add(f.why)
                self._why(f)
        self.lines.append("")

    def _head(self, f: Finding, place: str) -> None:
        label, text = f"{f.severity}[{f.rule}]", f"{visible(f.message)} ({f.consequence})"
        if self.style.colour:
            parts = [(place, self.style.painter("bold")), (label, self.style.painter(f.severity)), (text, None)]
            self.lines += wrap_parts(parts, self.columns, "", _INDENT)
        else:
            self.lines += wrap(f"{place} {label} {text}", self.columns, "", _INDENT)

    def _do(self, f: Finding) -> None:
        """What to write instead: the remedy, new text that it does not contain, and the option that writes it."""
        texts = [] if f.fix is None else [edit.text.strip(", ") for edit in f.fix.edits]
        key = (f.remedy, f.fix and f.fix.safety, *texts)
        lines = self.wrapped.get(key)
        if lines is None:
            new = ", ".join(dict.fromkeys(text for text in texts if text and text not in f.remedy))
            parts: list[Part] = [
                (visible(text), self.style.painter(kind))
                for text, kind in ((f.remedy, "good"), (new and f"-> {new}", "good")) if text
            ]
            if f.fix is not None and self.context.fixing:
                parts.append((f"[{_OPTION[f.fix.safety]}]", self.style.painter("dim")))
            lines = self.wrapped[key] = wrap_parts(parts, self.columns, _DO, _REST) if parts else []
        self.lines += lines

    def _why(self, f: Finding) -> None:
        """The reason in short, and the source that is easiest to read."""
        key = (f.why, f.cites)
        lines = self.wrapped.get(key)
        if lines is None:
            parts: list[Part] = [(visible(in_short(f.why)), None)]
            cited = [self.context.citation(claim) for claim in f.cites]
            if cited:
                best = next((cite for cite in cited if cite["grade"] in ("manual", "vendor")), cited[0])
                more = len({cite["source"] for cite in cited}) - 1
                named = f"({short_title(best['title'])}{f' +{more}' if more else ''})"
                parts.append((visible(named), lambda text: self.style.link(text, best["address"])))
            lines = self.wrapped[key] = wrap_parts(parts, self.columns, _WHY, _REST)
        self.lines += lines

    def _proof(self, f: Finding) -> None:
        from advisor.pages.layout import terminal  # noqa: PLC0415  only for those who ask

        assert self.context.proof is not None  # only `verbose` proves anything, and brings it
        drawn = terminal(self.context.proof(f), self.columns - 2, self.style)
        self.lines += [f"  {line}" if line else "" for line in drawn.splitlines()]

    def closing(self, summary: Summary) -> None:
        """Adds what the findings rest on, what was left open, and the count."""
        several = len(summary["files"]) > 1
        if summary["inferred"]:
            taken = "; ".join(
                f"{inferred['title']}, {line_list(inferred['places'], several)}" for inferred in summary["inferred"]
            )
            facts = " ".join(dict.fromkeys(f"--set {inferred['fact']}=…" for inferred in summary["inferred"]))
            self._para(f"Inferred from server name or mount type: {taken}. If that is wrong, give {facts}")
        if self.context.verbose:
            from advisor.pages.finding import not_judged  # noqa: PLC0415  only for those who ask

            for line in not_judged(summary["open"], several):
                self._para(line)
        question = summary["question"]
        if question:
            number = question["open_settings"]
            verb = "depends" if number == 1 else "depend"
            self._para(
                f"{counted(number, 'setting')} {verb} on facts that are not known; {question['concerns']} on this: "
                f"{question['question']} Answer with --set {question['fact']}={question['example']}"
            )
        self._total(summary)

    def _total(self, summary: Summary) -> None:
        counts = {"error": summary["errors"], "warning": summary["warnings"], "note": summary["notes"]}
        kind = next((kind for kind, count in counts.items() if count), "bold")
        tail = f"in {scope_of_lint(summary)}"
        if summary["suppressed"]:
            tail += f"; {summary['suppressed']} suppressed"
        options = (("--fix", summary["fixable"]), ("--unsafe-fixes", summary["fixable_unsafe"]))
        fixes = [f"{count} with {option}" for option, count in options if count]
        if fixes and self.context.fixing:
            tail += f"; fixable: {', '.join(fixes)}"
        self.lines += wrap_parts([(totals(summary), self.style.painter(kind)), (tail, None)], self.columns, "", "  ")

    def _para(self, text: str) -> None:
        self.lines += wrap(visible(text), self.columns, "", "  ")


def in_short(text: str) -> str:
    """The first sentence, and the next where the first is a short one. A sentence ends where a capital follows."""
    at = text.find(". ")
    while at >= 0 and not (text[at + 2 : at + 3].isupper() and at >= _PREAMBLE):
        at = text.find(". ", at + 2)
    return text if at < 0 else text[: at + 1]


def short_title(title: str) -> str:
    """A manual page without what its title explains: "nfs(5)"."""
    page, colon, _ = title.partition(": ")
    return page if colon and page.endswith(")") and " " not in page else title


def check_text(
    findings: Sequence[Finding], summary: Summary, context: FindingContext, *, title: str, about: str,
    areas: Sequence[tuple[str, Sequence[Finding]]], notes: Sequence[str],
) -> str:
    """The report on a host, or on several. `title`: which; `about`: details of them. `findings`: those of all `areas`,
    (heading, findings) of each. `notes`: sentences at the end of the summary."""
    lines = wrap(visible(f"{title}: {about}"), context.columns, "", "  ")
    lines += _summary_lines(findings, context.columns)
    for note in notes:
        lines += wrap(visible(note), context.columns, "  ", "    ")
    report = TextReport(context)
    for area, area_findings in areas:
        head = [(area.capitalize(), context.style.painter("bold"))]
        report.lines += [*wrap_parts(head, context.columns, "", ""), ""]
        report.findings(area_findings)
    if findings or summary["question"]:
        report.closing(summary)
    return "\n".join([*lines, "", *report.lines]).rstrip("\n") + "\n"


def _summary_lines(findings: Sequence[Finding], columns: int) -> list[str]:
    """The summary: findings that do harm, that cost speed, and that have no effect."""
    lines: list[str] = []
    sorts = (
        ("will hurt", [f for f in findings if f.consequence not in (*_SLOW, *_NO_EFFECT)]),
        ("only slow", [f for f in findings if f.consequence in _SLOW]),
        ("without effect", [f for f in findings if f.consequence in _NO_EFFECT]),
    )
    for title, sort in sorts:
        if sort:
            lines += wrap(f"{title}: {len(sort)}", columns, "  ", "    ")
        alike: dict[tuple[str, str], list[LinePlace]] = {}
        for finding in sorted(sort, key=lambda f: -SEVERITIES.index(f.severity)):
            place: LinePlace = {"file": finding.file, "line": finding.line}
            alike.setdefault((finding.rule, finding.message), []).append(place)
        for (_, message), places in list(alike.items())[:_FINDINGS]:
            lines += wrap(visible(f"{line_list(places, several=True)}: {message}"), columns, "    ", "      ")
        if len(alike) > _FINDINGS:
            lines += wrap(f"and {len(alike) - _FINDINGS} more", columns, "    ", "    ")
    return lines
