"""Findings for people: each line once, with carets, then what is wrong with it, what to write, and why; of a whole host
behind a summary, area by area."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.lint.finding import SEVERITIES, Finding
from advisor.lint.lines import FAULT
from advisor.named_tuple import grouped
from advisor.pages.formats import FindingContext, LinePlace, NotSettled, Summary
from advisor.pages.phrases import counted, line_list, scope_of_lint, totals
from advisor.pages.style import Part, Style, cells, is_mark, visible, wrap, wrap_parts

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
    return "".join(pieces(findings, summary, context))


def pieces(findings: Sequence[Finding], summary: Summary, context: FindingContext) -> Iterator[str]:
    """`as_text`, one line of a file after the other, so that a long page is never whole in memory."""
    report = TextReport(context)
    for group in grouped(((f.file, f.line), f) for f in findings).values():
        report.findings(group)
        yield report.taken()
    report.closing(summary)
    yield report.taken()


class TextReport:
    """The lines of a report. A text that several findings share is wrapped once. `given`: the reasons told so far, each
    with its file, where it is not told again."""

    def __init__(self, context: FindingContext) -> None:
        self.context = context
        self.style = context.style
        self.columns: int = context.columns
        self.lines: list[str] = []
        self.wrapped: dict[tuple[object, ...], list[str]] = {}
        self.given: set[tuple[str, str]] = set()

    def taken(self) -> str:
        """The text so far, which the report then forgets."""
        lines, self.lines = self.lines, []
        return "\n".join([*lines, ""])

    def findings(self, findings: Sequence[Finding]) -> None:
        """Adds findings, grouped by file and line."""
        for (file, number), group in grouped(((f.file, f.line), f) for f in findings).items():
            self._line(file, number, group)

    def _line(self, file: str, number: int, group: Sequence[Finding]) -> None:
        """One line of a file and its findings."""
        marks = [(at.column, at.end_column, at.severity) for f in group for at in (f, *f.also)]
        self.lines += snippet(number, self.context.line(file, number), marks, self.columns, self.style)
        place = f"{visible(file)}:{number}:"
        proofs: set[object] = set()
        for f in group:
            self._head(f, f"{place}{f.column}:")
            if self.context.verbose:
                proved = f.rule, f.tunable, f.why, f.remedy, f.fix
                if proved not in proofs:
                    proofs.add(proved)
                    self._proof(f)
                continue
            self._do(f)
            if (file, f.why) not in self.given:
                self.given.add((file, f.why))
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
            for line in not_judged(summary["open"], several):
                self._para(line)
        question = summary["question"]
        faults = {item["tunable"].removeprefix(FAULT) for item in summary["open"] if item["tunable"].startswith(FAULT)}
        if faults:
            named = ", ".join(sorted(faults)[:3]) + (" …" if len(faults) > 3 else "")
            self._para(f"{counted(len(faults), 'known fault')} of this version may affect you; that depends on whose "
                       f"build it is: {named}. advisor explain NAME tells more.")
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
    """A manual page or the project's tests without what the title explains: "nfs(5)", "Tests on Linux 6.1 and 6.12"."""
    page, colon, _ = title.partition(": ")
    return page if colon and ((page.endswith(")") and " " not in page) or page.startswith("Tests ")) else title


def not_judged(items: Iterable[NotSettled], several: bool) -> list[str]:
    """Sentences on settings that were not judged, with the facts that would settle them; one for all lines of a
    setting."""
    sentences = []
    groups = grouped(((item["tunable"], tuple(item["depends_on"])), item) for item in items)
    for (tunable, facts), places in groups.items():
        on = f" depends on {', '.join(facts)}" if facts else " cannot be judged"
        sentences.append(f"open: {tunable}{on} ({line_list(places, several)})")
    return sentences


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
        ("harmful finding", "", [f for f in findings if f.consequence not in (*_SLOW, *_NO_EFFECT)]),
        ("slow setting", "", [f for f in findings if f.consequence in _SLOW]),
        ("setting", " without effect", [f for f in findings if f.consequence in _NO_EFFECT]),
    )
    for title, after, sort in sorts:
        if sort:
            lines += wrap(f"{counted(len(sort), title)}{after}", columns, "  ", "    ")
        alike: dict[tuple[str, str], list[LinePlace]] = {}
        for finding in sorted(sort, key=lambda f: -SEVERITIES.index(f.severity)):
            place: LinePlace = {"file": finding.file, "line": finding.line}
            alike.setdefault((finding.rule, finding.message), []).append(place)
        for (_, message), places in list(alike.items())[:_FINDINGS]:
            lines += wrap(visible(f"{line_list(places, several=True)}: {message}"), columns, "    ", "      ")
        if len(alike) > _FINDINGS:
            lines += wrap(f"and {len(alike) - _FINDINGS} more", columns, "    ", "    ")
    return lines

CUT = "…"
Mark = tuple[int, int, str]
"""First column, column after the last, severity."""


def snippet(number: int, text: str, marks: Iterable[Mark], columns: int, style: Style) -> list[str]:
    """Line `number` with its carets, as printed lines: one window, or more where the marks lie too far apart for
    `columns`. Marks are 1-based, in characters of `text`. A mark around another one is drawn with dashes."""
    gutter = f"{number} | "
    blank = " " * (len(gutter) - 2) + "| "
    room = max(columns - len(gutter), 12)
    shown, placed = _shown(text, sorted(set(marks)), room)
    lines = []
    for start, end, inside in _windows(len(shown), placed, room):
        lines.append(style("dim", gutter) + _cut(shown, start, end))
        lines.append(style("dim", blank) + _carets([(a - start, b - start, kind) for a, b, kind in inside], style))
        gutter = blank
    return lines


def _shown(text: str, marks: list[Mark], room: int) -> tuple[Sequence[str], list[Mark]]:
    """The text column by column, and the marks, 0-based, in these columns.

    Tabs become spaces; where the text is too wide, each run of spaces becomes one."""
    text = text.replace("\t", " ")
    if not marks:
        marks = [(1, 1, "note")]
    low, high = marks[0][0] - 1, max(end for _, end, _ in marks) - 1
    simple = text.isascii() and text.isprintable()
    if simple and len(text) <= room:
        return text, _placed([(a - 1, b - 1, kind) for a, b, kind in marks], len(text))
    if simple and "  " not in text[max(low - 1, 0) : high]:  # as usual: all marks are in one field
        moved = low - len(_squeezed(text[:low]))
        line = _squeezed(text)
        return line, _placed([(a - 1 - moved, b - 1 - moved, kind) for a, b, kind in marks], len(line))
    shown = cells(visible(text))
    squeeze = simple or len(shown) > room
    if squeeze:
        shown = cells(_squeezed(visible(text)))
    at, end = _columns(text, squeeze), len(text)
    placed = [(at[min(a - 1, end)], at[min(b - 1, end)], kind) for a, b, kind in marks]
    return shown, _placed(placed, len(shown))


def _columns(text: str, squeeze: bool) -> list[int]:
    """The column of each character, and the one after the last. `squeeze`: a run of spaces counts as one."""
    at, before = [0], " "
    for char in text:
        if char == " ":
            width = int(not squeeze or (at[-1] > 0 and before != " "))
        else:
            width = 0 if at[-1] and is_mark(char) else len(cells(visible(char)))
        at.append(at[-1] + width)
        before = char
    return at


def _squeezed(text: str) -> str:
    """Each run of spaces as one; one at the end stays, so that what follows keeps its distance."""
    words = " ".join(text.split())  # visible text has no other white space
    return f"{words} " if words and text[-1] == " " else words


def _placed(marks: list[Mark], length: int) -> list[Mark]:
    """The marks kept inside the line, or just behind its end, and at least one column wide."""
    placed = []
    for start, end, kind in marks:
        first = min(max(start, 0), length)
        placed.append((first, max(min(end, length), first + 1), kind))
    return placed


def _windows(length: int, marks: list[Mark], room: int) -> list[tuple[int, int, list[Mark]]]:
    """(start, end, marks inside) of the parts of the line to show."""
    if length + 1 <= room or (length == room and all(end <= room for _, end, _ in marks)):
        return [(0, length, marks)]
    groups: list[list[Mark]] = []
    for mark in marks:
        first = groups[-1][0][0] if groups else 0
        if groups and max(mark[1], *(earlier[1] for earlier in groups[-1])) - first <= room - 2:
            groups[-1].append(mark)
        else:
            groups.append([mark])
    windows = []
    for group in groups:
        low = group[0][0]
        high = min(max(end for _, end, _ in group), low + room - 2)
        start = max(min(low - (room - (high - low)) // 2, length + 1 - room), 0)
        if high <= room - 1:
            start = 0
        end = min(start + room, max(length, high))
        windows.append((start, end, [(a, min(b, high), kind) for a, b, kind in group]))
    return windows


def _cut(shown: Sequence[str], start: int, end: int) -> str:
    """Columns [start, end), with an ellipsis where the line goes on."""
    part = list(shown[start:end])
    if part and start > 0:
        part[0] = CUT
        if part[1:2] == [""]:  # the other half of a wide character
            part[1] = " "
    if part and end < len(shown):
        if part[-1] == "":
            part[-2] = " "
        part[-1] = CUT
    return "".join(part).rstrip(" ")


def _carets(marks: list[Mark], style: Style) -> str:
    """The line under the text."""
    parts: list[str] = []
    at = 0
    for start, end, kind in marks:
        if start < at:
            return _overlapping(marks, style)
        parts += (" " * (start - at), style(kind, "^" * (end - start)))
        at = end
    return "".join(parts)


def _overlapping(marks: list[Mark], style: Style) -> str:
    """Overlapping marks: the narrowest is on top, and one that contains another is drawn with dashes."""
    by_width = sorted(marks, key=lambda mark: mark[1] - mark[0])
    around = {mark for mark in marks if any(mark[0] <= a and b <= mark[1] and mark[:2] != (a, b) for a, b, _ in marks)}
    ends = sorted({end for start, stop, _ in marks for end in (start, stop)})
    parts = [" " * ends[0]]
    for start, end in zip(ends, ends[1:]):
        mark = next((mark for mark in by_width if mark[0] <= start and end <= mark[1]), None)
        if mark is None:
            parts.append(" " * (end - start))
        else:
            parts.append(style(mark[2], ("-" if mark in around else "^") * (end - start)))
    return "".join(parts)
