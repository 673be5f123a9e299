"""Writes a page for each check, decision and erratum, with the examples in their files, and an index.

`python tools/rule_pages.py DIR`; pages of this program that are there and no longer wanted are removed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from advisor.engine import FactError
from advisor.files.kinds import BY_ID
from advisor.lint.finding import Finding
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.pages import rule_pages
from advisor.pages.blocks import Block, Document, TextRun, code, codes
from advisor.pages.markup import markdown
from advisor.pages.wording import condition, outcome
from advisor.rulebase import rule_files, values
from advisor.rulebase.base import load, source_root
from advisor.rulebase.build import parsed_documents
from advisor.rulebase.document import YamlMapping, mappings_in
from advisor.rulebase.model import Check, CheckExample, Decision, Example, RuleBase, Tunable, Value, Values

MARK = "<!-- Written by `tools/rule_pages.py`. -->"
INDEX = "README"
_KINDS = {"mount-option": "Decisions on mount options", "fstab-field": "Decisions on fields of fstab"}
_LINE = "server.example:/export  /mnt  nfs  {options}  0 0\n"
_NUMBERS = (0, 1, 2, 4, 8, 16, 64, 600, 1024, 4096, 65536, 262144, 1048576)


def write(folder: Path, wanted: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in wanted and MARK in path.read_text(encoding="utf-8"):
            path.unlink()
    for name, text in wanted.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


class DecisionCase(NamedTuple):
    """An expected value of a decision for some facts; a list in `expect` has all possible values."""

    given: Mapping[str, Values]
    expect: Values


_DONE = {
    "safe": (code("advisor lint --fix"), " does this."),
    "unsafe": (code("advisor lint --unsafe-fixes"), " does this: it changes what the mount does."),
}


class ShownExample(NamedTuple):
    """fstab text and the facts given with it. `says`: the messages of its findings; `fixed`: the text after the fix;
    `safety`: of the fix. These are empty for a text without findings or without a fix."""

    text: str
    given: Mapping[str, Values]
    says: tuple[str, ...] = ()
    fixed: str = ""
    safety: str = ""


class Examples(NamedTuple):
    """Texts with findings, and texts without."""

    found: Sequence[ShownExample] = ()
    clear: Sequence[ShownExample] = ()


class _PageEntry(NamedTuple):
    """A row of the index. `kind`: the heading it is listed under; `rules`: the names that findings carry."""

    page: str
    title: str
    kind: str
    rules: tuple[str, ...]


def pages(base: RuleBase) -> dict[str, str]:
    """Name of a page (without `.md`) → its text; the index is `README`."""
    linter = _ExampleLinter(base)
    written = _rule_files_by_path()
    advised: dict[str, list[YamlMapping]] = {}
    for path in sorted(written):
        if path.startswith("kb/platforms/"):
            for _, rule in mappings_in(written[path].get("rules")):
                advised.setdefault(str(rule["decision"]), []).append(rule)
    page_blocks: dict[str, list[Block]] = {}
    entries = []
    for slug, check in sorted(base.checks.items()):
        examples = linter.of_check(check, base.check_examples[slug])
        page_blocks[slug] = rule_pages.check_page(base, check, _shown(examples), _fix(examples.found))
        entries.append(_PageEntry(slug, check.title, "Checks", (slug,)))
    for name, decision in sorted(base.decisions.items()):
        tunable = base.tunables[name]
        cases = list(_cases(written.get(decision.file, {}), advised.get(name, ())))
        examples = linter.of_decision(decision, tunable, cases)
        shown = [*_shown(examples), *_advised(cases, tunable.unit)]
        page_blocks[name] = rule_pages.tunable_page(base, tunable, shown, _fix(examples.found))
        rules = tuple(rule.id for rule in rule_pages.rules_by_layer(base, decision))
        entries.append(_PageEntry(name, tunable.title, _KINDS.get(tunable.kind, "Other decisions"), rules))
    for slug, bug in sorted(base.errata.items()):
        page_blocks[slug] = rule_pages.erratum_page(base, bug, _affected(list(_cases(written.get(bug.file, {})))))
        entries.append(_PageEntry(slug, bug.title, "Errata", (slug,)))
    page_blocks[INDEX] = _index(entries)
    return {name: f"{MARK}\n\n{markdown(blocks)}" for name, blocks in page_blocks.items()}


def _index(entries: Sequence[_PageEntry]) -> list[Block]:
    page = Document()
    page.heading("Rules", 1)
    page.para("A page for each check, decision and erratum; see also ", code("advisor explain NAME"), ".")
    for kind in dict.fromkeys(entry.kind for entry in entries):
        listed = sorted(entry for entry in entries if entry.kind == kind)
        page.heading(kind)
        several = any(entry.rules != (entry.page,) for entry in listed)
        page.table(("page", "what it is about", "rules")[: 2 + several], (
            (TextRun(entry.page, "", f"{entry.page}.md"), entry.title, codes(entry.rules))[: 2 + several]
            for entry in listed
        ))
    return page.blocks


def _rule_files_by_path() -> dict[str, YamlMapping]:
    """Path → data of each file of the rule base. The compiled base lacks the examples of decisions and errata."""
    root = source_root()
    return {
        document.path: document.data for document in parsed_documents(root, rule_files.files(root))
        if isinstance(document.data, dict)
    }


def _cases(data: YamlMapping, advised: Iterable[YamlMapping] = ()) -> Iterator[DecisionCase]:
    """The examples of a decision's rules, with those `advised` in the files of platforms, and then of the decision, or
    of an erratum; each once."""
    owners = [*(rule for _, rule in mappings_in(data.get("rules"))), *advised, data]
    seen: list[DecisionCase] = []
    for owner in owners:
        for _, example in mappings_in(owner.get("examples")):
            parsed = Example.from_data({**example})
            case = DecisionCase(parsed.given, parsed.expect)
            if case not in seen:
                seen.append(case)
                yield case


def _shown(examples: Examples) -> list[Block]:
    page = Document()
    for title, listed in (("Found", examples.found), ("Not found", examples.clear)):
        if listed:
            page.heading(title, 3)
        for example in listed:
            rule_pages.add_example(page, example.text, example.given)
            for words in example.says:
                page.item(words)
    return page.blocks


def _fix(examples: Iterable[ShownExample]) -> list[Block]:
    """The fix that the program can make, with the first fixed example."""
    page = Document()
    example = next((example for example in examples if example.fixed), None)
    if example is not None:
        page.para(*_DONE[example.safety])
        page.code(example.fixed.rstrip("\n"), "fstab")
    return page.blocks


def _advised(cases: Sequence[DecisionCase], unit: str | None) -> list[Block]:
    page = Document()
    if cases:
        page.heading("Recommended", 3)
    rows = []
    for case in cases:
        values = case.expect if isinstance(case.expect, list) else [case.expect]
        where = code(condition(case.given)) if case.given else "nothing is known"
        rows.append((where, codes((outcome(value, unit) for value in values), " or ")))
    page.table(("where", "recommended"), rows)
    return page.blocks


def _affected(cases: Sequence[DecisionCase]) -> list[Block]:
    page = Document()
    for title, wanted in (("Affected", True), ("Not affected", False)):
        page.listed(title, (code(condition(case.given)) for case in cases if case.expect is wanted), level=3)
    return page.blocks


class _ExampleLinter:
    """Lints the examples of the pages, so that each shown finding is a real one."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.indexes: dict[str, RuleIndex] = {}

    def of_check(self, check: Check, written: Iterable[CheckExample]) -> Examples:
        """A check's own examples: those in which it finds something, with what it says, and the others."""
        flagged, clear = [], []
        for example in written:
            kind, text = example.kind_and_text()
            if example.finds:
                flagged.append(self._shown(text, example.given, check.check, kind))
            else:
                clear.append(ShownExample(text, example.given))
        return Examples(flagged, clear)

    def of_decision(self, decision: Decision, tunable: Tunable, advice: Iterable[DecisionCase]) -> Examples:
        """For each rule one line that it finds something in, and that line as it should be."""
        if tunable.kind != "mount-option":
            return Examples()
        flagged: dict[str, ShownExample] = {}
        clear: dict[str, ShownExample] = {}
        for case in advice:
            known = self._split(case.given, decision.decision)
            if known is None or isinstance(case.expect, list) or case.expect == "keep":
                continue
            given, options = known
            for option in _other_forms(tunable, case.expect):
                text = _LINE.format(options=",".join([*options, *([option] if option else [])]) or "defaults")
                finding = self._finding(text, given, decision)
                if finding is not None and finding.rule not in flagged:
                    flagged[finding.rule] = self._shown(text, given, finding.rule)
                    for right in _expected_forms(tunable, case.expect):
                        good = _LINE.format(options=",".join([*options, *right]) or "defaults")
                        if self._finding(good, given, decision) is None and good != text:
                            clear[finding.rule] = ShownExample(good, given)
                            break
                    break
        return Examples(list(flagged.values()), list(clear.values()))

    def _split(self, given: Mapping[str, Values], tunable: str) -> tuple[dict[str, Values], list[str]] | None:
        """Facts to give, and options that set the other facts; None if no option can."""
        facts: dict[str, Values] = {}
        options = []
        for fact, value in given.items():
            setting = self.base.facts[fact].setting
            if setting is None:
                facts[fact] = value
                continue
            other = self.base.tunables.get(setting.tunable)
            if isinstance(value, list) or value == "n/a" or str(value).startswith((">", "<", "=", "!")):
                return None
            if other is None or other.id == tunable or other.kind != "mount-option":
                return None
            options.append(values.spell(other, value))
        return facts, [option for option in options if option]

    def _lint(self, text: str, given: Mapping[str, Values], kind: str = "fstab") -> Result | None:
        facts = kind + repr(given)
        try:
            result = lint_text(text, kind, self.base, given, self.indexes.get(facts), kind=kind,
                               profiles=self.base.profiles)
        except FactError:
            return None
        self.indexes[facts] = result.rule_index
        return result

    def _finding(self, text: str, given: Mapping[str, Values], decision: Decision) -> Finding | None:
        """The first finding of a decision in a line; None if there is none."""
        result = self._lint(text, given)
        if result is None:
            return None
        return next((f for f in result.findings if f.rule in decision.rules), None)

    def _shown(self, text: str, given: Mapping[str, Values], rule: str, kind: str = "fstab") -> ShownExample:
        """The text with what a rule says of it, and with that rule's first fix made."""
        result = self._lint(text, given, kind) if kind in BY_ID else None  # others are whole hosts
        findings = [f for f in result.findings if f.rule == rule] if result is not None else []
        says = tuple(dict.fromkeys(f.message for f in findings))
        fix = next((f.fix for f in findings if f.fix is not None), None)
        if fix is None:
            return ShownExample(text, given, says)
        lines = text.split("\n")
        for edit in sorted(fix.edits, key=lambda edit: (-edit.line, -edit.column)):
            line = lines[edit.line - 1]
            lines[edit.line - 1] = line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :]
        return ShownExample(text, given, says, "\n".join(lines), fix.safety)


def _other_forms(tunable: Tunable, expect: Value) -> Iterator[str]:
    """Spellings of the option with values other than the expected one; "" at the end, to leave it out."""
    for form in tunable.forms:
        if not form.takes:
            yield form.spelling
            continue
        limits = (tunable.maximum, tunable.minimum, tunable.default)
        for value in (*(tunable.values or ()), *limits, *_NUMBERS):
            if value is not None and not isinstance(value, bool) and not values.same(value, expect):
                yield f"{form.spelling}={value}"
    yield ""


def _expected_forms(tunable: Tunable, expect: Value) -> Iterator[list[str]]:
    """Spellings of the option with the expected value, each in a list; [] to leave it out."""
    if expect in ("omit", "n/a"):
        yield []
    elif values.is_bound(expect):
        for number in sorted({*_NUMBERS, tunable.maximum or 0}, reverse=True):
            if values.inside(number, expect):
                yield [values.spell(tunable, number)]
    else:
        yield [values.spell(tunable, expect)]


if __name__ == "__main__":
    write(Path(sys.argv[1]), pages(load()))
