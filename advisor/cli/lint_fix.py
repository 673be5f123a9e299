"""`advisor lint --fix`, `--unsafe-fixes` and `--diff`: from the fixes of a text to the file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from advisor.atomic import WriteError
from advisor.cli.common import CannotRun
from advisor.files.libmount import as_bytes
from advisor.lint.fix import Fixed, fix_text
from advisor.lint.fix_write import unified, write
from advisor.pages.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result

JudgeText = Callable[[str], "tuple[Result, list[Finding]]"]
"""A text → its result, and the findings to report."""


def fix_file(
    args: argparse.Namespace, name: str, content: bytes, judge_text: JudgeText, *, fstab: bool, piped: bool
) -> tuple[Result, list[Finding]]:
    """Fix one file as the options ask, and return its result and remaining findings.

    `piped`: the content came from standard input, and the fixed text goes to standard output, whatever the name.
    With --diff nothing is written, and the findings in the unchanged file are returned."""

    def judge(text: str) -> tuple[Sequence[Finding], Sequence[Finding]]:
        result, findings = judge_text(text)
        return result.findings, findings

    before = content.decode("utf-8", "surrogateescape")
    safeties = frozenset(("safe", "unsafe") if args.unsafe_fixes else ("safe",))
    fixed = fix_text(before, judge, safeties, fstab=fstab)
    if args.diff:
        _show_diff(name, before, fixed.text)
        _report(name, _fix_count(fixed, "would be made"))
        return judge_text(before)
    if piped:
        _write_bytes(as_bytes(fixed.text))
        _report(name, _fix_count(fixed, "made"))
    elif fixed.text != before:
        try:
            remarks = write(name, content, as_bytes(fixed.text))
        except WriteError as error:
            raise CannotRun(str(error)) from None
        _report(name, "; ".join([_fix_count(fixed, "made"), *remarks]))
    else:
        _report(name, _fix_count(fixed, "made"))
    return judge_text(fixed.text)


def _fix_count(fixed: Fixed, done: str) -> str:
    number = len(fixed.done)
    text = f"{number or 'no'} {'fix' if number == 1 else 'fixes'} {done}"
    if fixed.refused:
        rules = ", ".join(dict.fromkeys(finding.rule for finding in fixed.refused))
        text += f"; {len(fixed.refused)} left out, because they would improve nothing ({rules})"
    return text


def _show_diff(name: str, before: str, after: str) -> None:
    pieces = unified(visible(name), before, after)
    if sys.stdout.isatty():
        sys.stdout.writelines("\n".join(visible(line) for line in piece.split("\n")) for piece in pieces)
    else:
        _write_bytes(as_bytes("".join(pieces)))


def _write_bytes(content: bytes) -> None:
    """Bytes to standard output, whatever its encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _report(name: str, what: str) -> None:
    """To standard error: standard output is for findings, diffs and fixed text."""
    print(f"advisor: {visible(name)}: {visible(what)}", file=sys.stderr)
