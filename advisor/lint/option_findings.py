"""From the grammar of mount options to findings: problems in the words of the builtin checks."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.lint.compare import Undecided
from advisor.lint.edits import edit_list
from advisor.lint.finding import Edit, Finding, Fix, from_check
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.readers.fstab import split_options
from advisor.readers.placeholders import has_markup
from advisor.rulebase.model import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.options.reading import OptionList, OptionProblem
    from advisor.rulebase.model.types import Value



CHECK_OF = {
    "unknown-option": "unknown-option",
    "bad-value": "bad-option-value",
    "out-of-range": "option-out-of-range",
    "missing-value": "option-missing-value",
    "unexpected-value": "option-unexpected-value",
    "repeated-option": "option-repeated",
    "overridden-option": "option-overridden",
    "vendor-option": "option-vendor",
    "refused-option": "option-refused",
    "ignored-option": "option-ignored",
    "value-changed": "option-value-changed",
    "too-old-client": "option-too-new",
    "too-old-value": "option-too-new",
    "empty-option": "option-empty",
    "presumed-setting": "option-presumes",
}
"""A problem of the grammar → the `builtin` of the check that has the words for it."""
IGNORED = CHECK_OF["ignored-option"]
PRESUMES = CHECK_OF["presumed-setting"]


class Options(NamedTuple):
    """An option list that was read: what it sets, what follows from that, and what the grammar needs to judge it."""

    text: str
    line: OptionList
    settings: dict[str, Setting]
    implied: dict[str, Setting]
    """What they bring with them, each where the option or the type stands that brings it."""


def read(index: RuleIndex, fstype: str, text: str, beside: Mapping[str, Value]) -> Options:
    """Read an option list; the settings are those in effect, as the client will use them."""
    # What begins a quotation that nothing ends is forgotten by mount(8); the reader tells that.
    items = [item for item in split_options(text) if item.closed] if text else ()
    line = index.grammar.read(fstype, items, beside)
    return Options(text, line, dict(line.effective), dict(line.implied))


def judge(index: RuleIndex, options: Options, state: dict[str, int]) -> tuple[list[Finding], list[Undecided]]:
    """The grammar's problems with a line under what is known; what hangs on an unknown fact is left open."""
    alike: dict[tuple[str, str, str], list[OptionProblem]] = {}
    undecided: list[Undecided] = []
    for problem in index.grammar.judge(options.line, lambda name: index.holds(name, state)):
        if has_markup(problem.text):
            continue  # a placeholder of a template: what it will become is not known
        if problem.condition is not None:
            undecided.append(Undecided(problem.tunable or problem.text.partition("=")[0], problem.condition))
            continue
        # What is wrong again and again with the same words is told once, and mended everywhere.
        alike.setdefault((problem.kind, problem.text, problem.message), []).append(problem)
    checks = ((index.builtin(CHECK_OF[kind]), problems) for (kind, *_), problems in alike.items())
    return [_draft(check, problems, options.text) for check, problems in checks if check is not None], undecided


def _draft(check: Check, problems: list[OptionProblem], text: str) -> Finding:
    problem = problems[0]
    places = [
        Setting(one.value, "options", one.start, one.start + len(one.text), one.text) for one in problems
    ]
    found = places[0]
    edits: tuple[Edit, ...] = ()
    if problem.suggestion == "":
        edits = edit_list(text, drop=places)
    elif problem.suggestion:
        edits = edit_list(text, put=[(place, problem.suggestion) for place in places])
    ignored = problem.consequence == "ignored"
    # Taking out what has no effect changes nothing; everything else changes what the mount does.
    safety = "safe" if ignored and problem.suggestion == "" else "unsafe"
    remedy = None
    if problem.suggestion:
        remedy = f"Write {problem.suggestion}."
    elif problem.suggestion == "":
        remedy = f"Remove {problem.text}." if problem.text else None
    if not problem.text:  # an empty place is shown by the comma beside it
        comma = found.start if text[found.start : found.start + 1] == "," else found.start - 1
        found = found._replace(start=comma, end=comma + 1)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return from_check(
        check, found, tunable=problem.tunable, value=problem.value, expected=problem.expected,
        message=problem.message + more, why=problem.why or None, remedy=remedy, consequence=problem.consequence,
        severity="note" if ignored else "error" if problem.consequence == "mount-fails" else None,
        cites=problem.cites or None, fix=Fix.of(safety, edits), suggestion=problem.suggestion or "",
        words=problem.message,
    )
