"""Judge what is embedded in other text, each part by the reader and the rules of its own kind."""

from __future__ import annotations

from collections.abc import Callable

from advisor.files.embedded import has_nfs_text, read_embedded
from advisor.files.embedded_commands import AT_ONCE, Segment
from advisor.files.placed import Placed
from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.lines import FileJudge, Result, source_form
from advisor.lint.rule_index import RuleIndex

MAX_PADDING = 100_000
"""Empty lines in front of embedded texts, in which lines then have the same numbers as in the file around."""
_TOGETHER = ("ansible", "salt", "compose")
"""Kinds of files whose mounts are all made on the same hosts. Of a script, one branch may be run."""
_OF_TEMPLATES = ("entry-not-understood",)
"""Not reported in text that a program writes: the program fills its placeholders in."""
_OF_BOOT = ("setting-before-module",)
"""Not reported of what a command sets at once."""
_QUOTING = frozenset("'\"\\$`\n#")
Judge = Callable[[RuleIndex, str, str, str], Result]
"""Of the rules for a kind of file, this kind, a text and its name."""


def add_embedded(result: Result, judge: Judge) -> None:
    """Add what is found in the embedded text of a file."""
    if not has_nfs_text(result.text):
        return
    found = read_embedded(result.text, result.name, result.rule_index.kind, result.read)
    result.unread = found.unread
    result.parts += len(found.mounts) + len(found.segments)
    judges: dict[str, FileJudge] = {}
    for kind, mount in found.mounts:
        index = result.rule_index.of_kind(kind)
        if index.rules.is_nfs(mount):
            mount.fixable = True  # where its options have exact places
            form = tuple(source_form(index, mount)) if kind != "compose" and mount.source.value else ()
            result.add(form, mount)
            judges.setdefault(kind, FileJudge(index, result)).judge(mount, form)
    for kind, lines in judges.items():
        if kind in _TOGETHER:
            lines.judge_pairs()
    padding = MAX_PADDING
    for segment in found.segments:
        padding -= segment.texts[0].numbers()[0]
        _add_segment(result, segment, judge, padded=padding > 0)
    result.findings = [*{(f.line, f.column, f.rule, f.message): f for f in reversed(result.findings)}.values()]


def _add_segment(result: Result, segment: Segment, judge: Judge, *, padded: bool) -> None:
    text = Placed.joined(segment.texts)
    lines: list[str] = []
    starts: dict[int, int] = {}
    at = 0
    for line in text.text.split("\n"):
        number = text.token(at, at).span.line
        lines += [""] * (number - 1 - len(lines) if padded and at < len(text.text) else 0)
        lines.append(line.replace("#{", "${"))
        starts[len(lines)] = at
        at += len(line) + 1
    part = judge(result.rule_index.of_kind(segment.kind), segment.kind, "\n".join(lines), segment.name)
    left_out = _OF_BOOT if segment.name == AT_ONCE else _OF_TEMPLATES
    kept = [finding for finding in part.findings if finding.rule not in left_out]
    result.add(_moved(finding, text, starts, result.name) for finding in kept)
    result.nfs_lines += part.nfs_lines
    result.judged.update((_line(text, starts, line), judged) for line, judged in part.judged.items())
    result.open += [item._replace(line=_line(text, starts, item.line)) for item in part.open]
    result.unread += [_line(text, starts, line) for line in part.unread]
    for fact, votes in part.votes.items():
        result.votes[fact] = result.votes.get(fact, 0) + votes


def _line(text: Placed, starts: dict[int, int], number: int) -> int:
    return text.token(starts[number], starts[number]).span.line


def _moved(finding: Finding, text: Placed, starts: dict[int, int], name: str) -> Finding:
    """A finding in embedded text, at its place in the file."""
    start = starts[finding.line] - 1
    span = text.token(start + finding.column, start + finding.end_column).span
    edits = tuple(_edit(edit, text, starts) for edit in (finding.fix.edits if finding.fix else ()))
    exact = tuple(edit for edit in edits if edit is not None)
    fix = Fix.of(finding.fix.safety, exact) if finding.fix and len(exact) == len(edits) else None
    joint = finding.joint and finding.joint._replace(both=_moved(finding.joint.both, text, starts, name))
    return finding._replace(
        file=name, line=span.line, column=span.column, end_column=span.end_column, fix=fix, joint=joint
    )


def _edit(edit: Edit, text: Placed, starts: dict[int, int]) -> Edit | None:
    """An edit of the file; None if it has the text otherwise there."""
    start = starts.get(edit.line, 0) - 1
    token = text.token(start + edit.column, start + edit.end_column)
    if not token.exact or edit.line not in starts or _QUOTING.intersection(edit.text):
        return None
    return edit._replace(line=token.span.line, column=token.span.column, end_column=token.span.end_column)
