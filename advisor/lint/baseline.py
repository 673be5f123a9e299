"""Baselines: findings that are accepted, so that only new ones are reported. Lines may move, but not change."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence

from advisor import user_files
from advisor.lint.finding import Finding
from advisor.named_tuple import NamedTuple
from advisor.user_files import UserFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.lines import Result

SCHEMA = "advisor-baseline/1"


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
        """The findings of a result that are not accepted."""
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


def read(path: str) -> Baseline:
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


def text(path: str, results: Iterable[tuple[Result, Sequence[Finding]]]) -> str:
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
