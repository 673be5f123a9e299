"""`lint_text` judges one file by the rule base: an fstab here, other kinds in other_kinds."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from advisor.files.fstab import Entry, read
from advisor.files.libmount import shown
from advisor.files.placeholders import has_conditions, is_live, plain_lines
from advisor.files.records import Span
from advisor.lint.finding import INTERNAL, Finding
from advisor.lint.lines import FileJudge, Result, order
from advisor.lint.rule_index import RuleIndex
from advisor.regex import regex
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.read_together import Beside

_OTHER_LINE = regex(r"\bline [0-9]")
"""What the message of a finding on two lines has."""


def lint_text(
    text: str | bytes, name: str, rulebase: RuleBase, answers: Mapping[str, Values], index: RuleIndex | None = None,
    *, sections: Sequence[Section] = (), kind: str = "fstab", profiles: Collection[str] = (),
    beside: Sequence[Beside] = (), root: str = "",
) -> Result:
    """Judge one file. `answers`: facts that are known, fact → value (raises the engine's FactError if they clash).
    `sections`: facts of some mounts only (raises SectionError if they clash). `kind`: as in advisor.files.kinds.
    `profiles`: the security profiles to check. `beside`: the other files of the run, some of which are read together
    with this one. `root`: where the copy of a host is to which the file belongs. `index`: reused from an earlier Result
    for the same rule base, answers, sections and kind, because it remembers what it was asked.

    If the program fails on a line, that is a finding (`internal`), and the other lines are still judged."""
    index = index or RuleIndex(rulebase, answers, sections, kind, profiles)
    text = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    try:
        return _silenced(_judged(index, kind, text, name, beside, live=is_live(name.removeprefix(root), text)))
    except SectionError:
        raise
    except Exception as error:
        result = Result(name, text, index)
        result.add(_failed(index, Span(1, 1, len(result.line(1)) + 1), error))
        return result


def _judged(
    index: RuleIndex, kind: str, text: str, name: str, beside: Sequence[Beside] = (), *, live: bool = False
) -> Result:
    """The findings in a text of any kind, also those that comments in it silence."""
    if kind == "fstab":
        return _judge_fstab(index, text, name, live)
    from advisor.lint.other_kinds import judge_other  # noqa: PLC0415  most files are fstab

    if "# advisor: facts" in text:
        from advisor.lint.suppress import with_stated  # noqa: PLC0415  files that advisor wrote

        index = with_stated(index, text, name)
    return judge_other(index, kind, text, name, beside, live=live, judge=_judged)


def _judge_fstab(index: RuleIndex, text: str, name: str, live: bool) -> Result:
    fstab = read(text if live else plain_lines(text), name)
    if "# advisor: facts" in text:
        from advisor.lint.suppress import sections  # noqa: PLC0415  files that advisor wrote

        index = index.with_sections(sections(index.rulebase, text, name, fstab.entries))
    result = Result(name, text, index, live)
    lines = FileJudge(index, result)
    for entry in fstab.entries:
        try:
            lines.judge_entry(entry)
        except SectionError:
            raise
        except Exception as error:
            result.add(_failed(index, _whole(entry), error))
    if fstab.entries:
        try:
            lines.judge_together()
        except Exception as error:
            result.add(_failed(index, _whole(fstab.entries[0]), error))
    lines.drop_others(fstab.entries)
    return result


def _silenced(result: Result) -> Result:
    """The same result, sorted, without the findings that comments in the file suppress, and without those on two lines
    of a template that may never be together."""
    if has_conditions(result.text):
        result.findings = [one for one in result.findings if not _OTHER_LINE.search(one.message)]
    if "advisor:" in result.text:
        from advisor.lint.suppress import suppress  # noqa: PLC0415  few files need it

        suppress(result, result.text)
    result.findings.sort(key=order)
    return result


def _whole(entry: Entry) -> Span:
    return Span(entry.line_no, 1, len(entry.raw) + 1)


def _failed(index: RuleIndex, place: Span, error: Exception) -> tuple[Finding, ...]:
    """The finding that a line could not be judged. With ADVISOR_DEBUG set, the error is raised again instead."""
    words = shown(f"{type(error).__name__}: {error}", 100)[1:-1]
    findings = index.report(INTERNAL, place, words=words)
    if not findings or os.environ.get("ADVISOR_DEBUG"):
        raise error
    return findings
