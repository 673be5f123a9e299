"""What comments in a file, and baselines, say of its entries. Findings are accepted by comments (`# advisor:
ignore[rule, …] reason` above an entry), of which those that do nothing become findings, and by baselines, for which
lines may move, but not change. What is known is said by `# advisor: facts {…}` and `# advisor: pins {…}`, as written
files have them: above an entry of fstab, and anywhere in other files. Facts given otherwise take precedence."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor import user_files
from advisor.engine import EngineError
from advisor.files.fstab import Entry
from advisor.files.libmount import shown
from advisor.files.records import Span
from advisor.files.source import parse_source
from advisor.lint.finding import Finding
from advisor.lint.lines import Result, Silenced
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import Mount, Section, facts_of_mount
from advisor.user_files import UserFileError

SLUG = "unused-suppression"
MAX_GUESSES = 20
"""Unknown names per file for which a similar one is searched, which is slow; a file with more has no mere typos."""
SCHEMA = "advisor-baseline/1"
_COMMENT = regex(r"[ \t]*([#;]+[ \t]*advisor:[ \t]*(.*))", re.DOTALL)
_IGNORE = regex(r"ignore[ \t]*\[([^\]]*)\][ \t]*(.*)", re.DOTALL)


class Suppression(NamedTuple):
    """One such comment. `target`, `last`: the first and last line of its entry; `target` is None if none follows.
    `problem`: why the comment has no effect."""

    line: int
    target: int | None
    last: int
    slugs: tuple[str, ...]
    reason: str
    span: Span
    problem: str | None


def suppressions(text: str, *, signs: str = "#", continued: bool = False) -> tuple[Suppression, ...]:
    """The suppressions of a file, from its end to its beginning: each is for the entry below it, with only comments
    between. `signs`: with which a comment can begin. `continued`: a backslash at the end of a line continues the
    entry."""
    if "advisor:" not in text:
        return ()
    comments: list[Suppression] = []
    target: int | None = None
    last = 0
    lines = text.split("\n")
    for number in range(len(lines), 0, -1):
        raw = lines[number - 1]
        words = raw.strip()
        if not words:
            target = None
        elif words[0] not in signs:
            goes_on = continued and words.endswith("\\") and target == number + 1
            target, last = number, last if goes_on else number
        elif (comment := _comment(raw, number, target, last)) is not None:
            comments.append(comment)
    return tuple(comments)


def _comment(raw: str, line: int, target: int | None, last: int) -> Suppression | None:
    """The suppression in a comment line, None for an ordinary comment."""
    comment = _COMMENT.fullmatch(raw.rstrip())
    if comment is None or is_statement(raw):
        return None
    span = Span(line, comment.start(1) + 1, comment.end(1) + 1)
    ignore = _IGNORE.fullmatch(comment[2])
    slugs = tuple(slug for part in ignore[1].split(",") if (slug := part.strip())) if ignore else ()
    problem = None
    if not slugs:
        what = next((word for word in STATEMENTS if comment[2].startswith(word)), "")
        form = f'{what} {{"NAME": "VALUE"}}' if what else "ignore[name, name] reason"
        problem = f"not understood: write '{SIGN}{form}'"
    elif target is None:
        problem = "no entry follows this comment, so it suppresses nothing"
    return Suppression(line, target, last, slugs, ignore[2] if ignore else "", span, problem)


def suppress(result: Result, text: str) -> None:
    """Move the findings that comments suppress from the result's `findings` to its `silenced`.

    A comment that suppresses nothing, or cannot be read, becomes a finding."""
    _accept_pins(result, text)
    if result.rule_index.kind == "fstab" and f"{SIGN}facts" in text:
        for line, names in unfit(result.rule_index.rulebase, text):
            words = f"of the facts said of this line, these or their values are not known: {shown(names, 100)[1:-1]}"
            result.add(result.rule_index.report(SLUG, Span(line, 1, len(result.line(line)) + 1), words=words))
    comments = _comments(result.rule_index.kind, text)
    if not comments:
        return
    unused = _UnusedComments(result, _move(result, comments))
    for comment in comments:
        if SLUG not in comment.slugs:
            result.add(unused.findings(comment))


def _accept_pins(result: Result, text: str) -> None:
    """Move the findings on pinned settings that no error is about."""
    if f"{SIGN}pins" not in text:
        return
    pins = stated(text, "pins") if result.rule_index.kind == "fstab" else {}
    of_all = {} if pins else stated_of_all(text, "pins")
    held = [f for f in result.findings if f.severity != "error" and f.tunable in pins.get(f.line, of_all)]
    result.silenced += [Silenced(finding, "pinned") for finding in held]
    result.findings = [finding for finding in result.findings if finding not in held]


def silence(result: Result, kind: str) -> None:
    """The same for findings that were added after a file of this kind was judged. No comment is reported."""
    if "advisor:" in result.text:
        _move(result, _comments(kind, result.text))


def _comments(kind: str, text: str) -> Sequence[Suppression]:
    """The comments that suppress something. In fstab a backslash continues no line and ; starts no comment."""
    fstab = kind == "fstab"
    return suppressions(text, signs="#" if fstab else "#;", continued=not fstab)


def _move(result: Result, comments: Sequence[Suppression]) -> set[tuple[int | None, str]]:
    """Move what these comments suppress. Returns (line that a comment is about, rule) for each that had an effect."""
    comment_on: dict[tuple[int, str], Suppression] = {}
    for comment in reversed(comments):
        for slug in comment.slugs if comment.target else ():
            for line in range(comment.target or 0, comment.last + 1):
                comment_on.setdefault((line, slug), comment)
    kept: list[Finding] = []
    used: set[tuple[int | None, str]] = set()
    for finding in result.findings:
        silencer = comment_on.get((finding.line, finding.rule))
        if silencer is None:
            kept.append(finding)
        else:
            result.silenced.append(Silenced(finding, silencer.reason))
            used.add((silencer.target, finding.rule))
    result.findings = kept
    return used


def accepting_comment(text: str, finding: Finding, reason: str) -> tuple[int, str]:
    """(line, comment): a comment that suppresses a finding, with its line end, and the number of the line above which
    it belongs. Above an entry of several lines, because a comment between them would end the entry."""
    lines = text.split("\n")
    line = finding.line
    while line > 1 and lines[line - 2].rstrip().endswith("\\"):
        line -= 1
    below = lines[line - 1]
    indent = below[: len(below) - len(below.lstrip(" \t"))]
    rules = dict.fromkeys(part.rule for part in (finding, *finding.also))
    end = "\r\n" if below.endswith("\r") else "\n"
    return line, f"{indent}# advisor: ignore[{', '.join(rules)}] {reason}{end}"


def only_silences(before: Sequence[Finding], after: Sequence[Finding], finding: Finding) -> bool:
    """Whether the findings after an edit are those before, without some of the same rule as `finding`."""
    had, has = _keys(before), _keys(after)
    gone = had - has
    rules = {part.rule for part in (finding, *finding.also)}
    return bool(gone) and not has - had and all(rule in rules for rule, _ in gone)


def _keys(findings: Sequence[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((part.rule, part.tunable) for finding in findings for part in (finding, *finding.also))


class _UnusedComments:
    """Finds the comments that do nothing. `used`: as `_move` returns it."""

    def __init__(self, result: Result, used: set[tuple[int | None, str]]) -> None:
        self.result, self.used = result, used
        self.guesses = MAX_GUESSES

    def findings(self, comment: Suppression) -> Iterator[Finding]:
        """Findings on one comment. It is not unused as long as an unknown fact may make it necessary."""
        base = self.result.rule_index.rulebase
        start, end = comment.span.column - 1, comment.span.end_column - 1
        text = self.result.line(comment.line)
        if not comment.slugs:
            yield from self._report(comment.line, start, end, comment.problem or "")
            return
        end = text.find("[", start)
        for slug in comment.slugs:
            start = text.find(slug, end)
            end = start + len(slug)
            place = (comment.line, start, end)
            if slug not in base.checks and slug not in base.errata and slug not in base.decision_of:
                yield from self._report(*place, f"no rule is called {slug}{self._near(slug)}")
            elif comment.target is None:
                yield from self._report(*place, comment.problem or "")
            elif (comment.target, slug) not in self.used and not _open(self.result, slug, comment.target):
                yield from self._report(*place, f"line {comment.target} has no finding {slug} to suppress")

    def _near(self, slug: str) -> str:
        if not self.guesses:
            return ""
        self.guesses -= 1
        from advisor.rulebase.spelling import near  # noqa: PLC0415  seldom needed

        hint = near(slug, self.result.rule_index.rulebase.rule_names, "")
        return f"; {hint}" if hint else ""

    def _report(self, line: int, start: int, end: int, words: str) -> Iterator[Finding]:
        text = self.result.line(line)[start:end]
        yield from self.result.rule_index.report(SLUG, Span(line, start + 1, end + 1), option=text, words=words)


def _open(result: Result, rule: str, line: int) -> bool:
    """Whether the rule might find something in the line if more facts were known."""
    index, judged = result.rule_index, result.judged.get(line)
    check = index.rulebase.checks.get(rule)
    if check is not None and (check.host or check.sides):
        return True  # only a check of a whole host, or of two, can tell
    if judged is None and index.kind == "fstab":
        return False
    state = judged.state if judged else index.state
    decision = index.rulebase.decision_of.get(rule)
    if decision is not None:
        possible = {name for _, name in index.reach(decision, state)}
        return rule in possible and len(possible) > 1
    if check is None:
        facts = index.rulebase.errata[rule].facts
        return any(index.holds(f"erratum:{rule}:{fact}", state) is not False for fact in facts)
    if check.builtin:
        return judged is not None and bool(judged.open)
    return bool(check.when) and index.holds(f"check:{rule}", state) is None


class Accepted(NamedTuple):
    """What identifies a finding. `file`: relative to the baseline's folder if it is below that. `source`, `target`: the
    first two fields of the line. `option`: the marked text, or "" for a missing setting."""

    file: str
    rule: str
    source: str
    target: str
    option: str


class BaselineError(Exception):
    """The baseline cannot be used. The message says why and what to do."""


class Baseline:
    """Accepted findings, with the number of times that each occurs. Records which of them the run found."""

    def __init__(self, path: str, entries: Counter[Accepted]) -> None:
        self.path = path
        self.entries = entries
        self.accepted: list[Finding] = []
        """Findings of the run that the baseline accepted."""
        self._found: Counter[Accepted] = Counter()
        self._files: set[str] = set()

    @property
    def gone(self) -> Counter[Accepted]:
        """Entries of the files of the run that no longer occur. A file may have several results."""
        return Counter({entry: n for entry, n in self.entries.items() if entry.file in self._files}) - self._found

    def fresh(self, result: Result, findings: Iterable[Finding]) -> list[Finding]:
        return self._split(result, findings)[0]

    def _split(self, result: Result, findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
        """The findings of a result that are not accepted, and those that are."""
        unused = Counter(self.entries)
        fresh, accepted = [], []
        for finding in findings:
            entry = fingerprint(self.path, result, finding)
            if unused[entry] > 0:
                unused[entry] -= 1
                accepted.append(finding)
            else:
                fresh.append(finding)
        return fresh, accepted

    def note(self, result: Result, findings: Sequence[Finding]) -> None:
        """Record what the baseline accepts in a file. `findings`: those that would be reported without it."""
        self.accepted += self._split(result, findings)[1]
        self._found.update(fingerprint(self.path, result, finding) for finding in result.findings)
        self._files.add(relative(self.path, result.name))


def read_baseline(path: str) -> Baseline:
    """Read a baseline. Raises BaselineError."""
    try:
        document = user_files.parse_json(user_files.read_text(path, user_files.LARGE), path)
    except UserFileError as error:
        hint = "" if os.path.exists(path) else f"; --write-baseline {path} creates one"  # noqa: PTH110
        raise BaselineError(f"{error}{hint}") from None
    try:
        if not isinstance(document, dict):
            raise TypeError
        if document["schema"] != SCHEMA:
            raise BaselineError(f"{path}: has schema {document['schema']!r}; this program reads {SCHEMA}")
        entries: Counter[Accepted] = Counter()
        for item in document["findings"]:
            entries[Accepted(*(str(item[name]) for name in Accepted._fields))] += int(item.get("count", 1))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BaselineError(f"{path}: is not an advisor baseline; --write-baseline {path} writes a new one") from None
    return Baseline(path, entries)


def baseline_text(path: str, results: Iterable[tuple[Result, Sequence[Finding]]]) -> str:
    """The text of a baseline at `path` that accepts these findings; sorted, so that its diffs are short."""
    entries = Counter(fingerprint(path, result, finding) for result, findings in results for finding in findings)
    listed = [{**entry._asdict(), "count": count} for entry, count in sorted(entries.items())]
    return json.dumps({"schema": SCHEMA, "findings": listed}, indent=1) + "\n"


def fingerprint(path: str, result: Result, finding: Finding) -> Accepted:
    """The entry for a finding in the baseline at `path`."""
    line = result.line(finding.line)
    marked = line[finding.column - 1 : finding.end_column - 1].strip(" \t")
    fields = ["", ""] if line.lstrip(" \t").startswith("#") else [*line.split(None, 2)[:2], "", ""]
    missing = finding.value is None and finding.tunable is not None
    return Accepted(relative(path, finding.file), finding.rule, fields[0], fields[1], "" if missing else marked)


def relative(path: str, name: str) -> str:
    """The name of a linted file as the baseline at `path` writes it."""
    if name.startswith("<"):
        return name
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120  pathlib costs 15 ms at import
    file = os.path.abspath(name)  # noqa: PTH100
    below = os.path.commonpath([folder, file]) == folder
    return os.path.relpath(file, folder) if below else file


SIGN = "# advisor: "
STATEMENTS = ("facts", "pins")
_LONGEST = 20_000


def is_statement(line: str) -> bool:
    return bool(_statement(line)[0])


def _statement(line: str) -> tuple[str, Mapping[str, Values]]:
    """(kind, values) of what a comment states: "facts" or "pins", and each with its value; ("", {}) for other lines."""
    what, _, data = line.rstrip().partition(SIGN)[2].partition(" ")
    if line.startswith(SIGN) and what in STATEMENTS and data.startswith("{") and len(data) <= _LONGEST:
        try:
            return what, json.loads(data)
        except (ValueError, RecursionError):
            pass
    return "", {}


def stated(text: str, what: str) -> dict[int, Mapping[str, Values]]:
    """Number of the line of an entry → the facts or pins that are said above it."""
    above: dict[str, Values] = {}
    found: dict[int, Mapping[str, Values]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        kind, said = _statement(line)
        if kind == what:
            above |= said
        elif line.strip() and not line.startswith("#"):
            found[number], above = above, {}
    return {number: said for number, said in found.items() if said}


def stated_of_all(text: str, what: str) -> Mapping[str, Values]:
    """The facts or pins on which all that is said in a file agrees."""
    first, *others = [*stated(text, what).values()] or [{}]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def with_stated(index: RuleIndex, text: str, name: str) -> RuleIndex:
    """The index with the facts that are said in a file of another kind than fstab."""
    base, said = index.rulebase, stated_of_all(text, "facts")
    facts = {fact: value for fact, value in said.items() if _fits(base, fact, value)}
    section = Section(f"{name}:1:1", {}, facts, {}, found=dict.fromkeys(facts, f"said in {name}"))
    more = index.with_sections([section])
    if index.matcher.sections:  # which may say something else of a mount
        return more
    return more.knowing(facts_of_mount(base, index.given, [section], Mount("", "", "")))


def sections(rulebase: RuleBase, text: str, name: str, entries: Iterable[Entry]) -> tuple[Section, ...]:
    """A section for each entry of which facts are said. What the rule base does not know is left out."""
    above, made = stated(text, "facts"), []
    for entry in entries:
        facts = {fact: value for fact, value in above.get(entry.line_no, {}).items() if _fits(rulebase, fact, value)}
        source = parse_source(entry.source.value)
        names = {"server": source.host, "export": source.export, "target": entry.target.value}
        where = dict.fromkeys(facts, f"said above line {entry.line_no}")
        made.append(Section(f"{name}:{entry.line_no}:1", names, facts, {}, found=where))
    return tuple(section for section in made if section.facts)


def unfit(rulebase: RuleBase, text: str) -> Iterator[tuple[int, str]]:
    """Number of the line of an entry, and the facts said above it that count for nothing."""
    for number, facts in stated(text, "facts").items():
        if names := [fact for fact, value in facts.items() if not _fits(rulebase, fact, value)]:
            yield number, ", ".join(names)


def _fits(rulebase: RuleBase, fact: str, value: Values) -> bool:
    try:
        return fact in rulebase.facts and bool(rulebase.engine.fact(fact).mask(value))
    except (EngineError, TypeError):
        return False
