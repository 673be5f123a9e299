"""What lint says of a line, whole: the marked text, rule, severity, harm and sureness, the value and the one that is
expected, and the line after the fix; no policies. `python -m tests.lint.test_whole_findings` writes whole_findings.txt
anew; read its diff before you commit it."""

from __future__ import annotations

from pathlib import Path

from advisor.lint.finding import Finding, apply
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

FILE = Path(__file__).with_name("whole_findings.txt")
NAMES = {"exports": "/etc/exports", "nfs.conf": "/etc/nfs.conf", "sysctl": "/etc/sysctl.d/a.conf",
         "modprobe": "/etc/modprobe.d/a.conf"}
END = " ⏎ "


def said(result: Result, one: Finding) -> list[str]:
    line = result.line(one.line)
    place = f"{one.line}: " if END.strip() in result.text.replace("\n", END.strip()).rstrip(END) else ""
    marked = line[one.column - 1 : one.end_column - 1] or f"column {one.column}"
    harm = f"{one.severity}, {one.consequence}" + ", perhaps" * (one.confidence != "high")
    told = [f"  {place}{marked}: {one.rule}, {harm}, {one.value!r} → {one.expected!r}"]
    if one.fix is not None:
        edits = [edit for edit in one.fix.edits if edit.line == one.line]
        told.append(f"    {one.fix.safety} → {apply(line, edits)}")
    if one.joint is not None:
        told.append(f"    with {one.joint.tunable}")
    return told


def judged(head: str) -> list[str]:
    """What is said of a case: `kind fact=value …: line ⏎ line`."""
    about, _, text = head.partition(": ")
    kind, *facts = about.split()
    known = dict(fact.split("=") for fact in facts)
    result = lint_text(text.replace(END, "\n") + "\n", NAMES.get(kind, "fstab"), load(), known, kind=kind)
    asked = ", ".join(dict.fromkeys(item.tunable for item in result.open))
    return [
        head, *(line for one in result.findings if not one.policy for line in said(result, one)),
        *([f"  open: {asked}"] if asked else []),
    ]


def told(text: str) -> str:
    return "\n".join(line for head in text.split("\n") if head and head[0] != " " for line in judged(head)) + "\n"


def test_what_is_said_of_whole_lines() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert told(text).split("\n") == text.split("\n")


if __name__ == "__main__":
    FILE.write_text(told(FILE.read_text(encoding="utf-8")), encoding="utf-8")
