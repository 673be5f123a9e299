"""YAML files as plain data, with the place of every key and value, and what is wrong there.

The data is made from the nodes of the parser here, because only they know the position of a value, and that `5.10` was
written without quotes.

The data may be faulty. `as_mapping`, `texts_in` and the like extract parts of it, and treat a value of another type as
absent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple, Union

from advisor.engine import word_list
from advisor.named_tuple import grouped
from advisor.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

Scalar = Union[bool, int, float, str]
Yaml = Union[None, Scalar, list["Yaml"], dict[str, "Yaml"]]
YamlMapping = dict[str, Yaml]
YamlPath = tuple[Union[str, int], ...]
"""The way from the top of a file to a value: `("rules", 0, "when")`."""
Mark = list[Any]
"""[line, column, rest]. rest: for a mapping {key: [line, column, mark of the value]}; for a list [marks of the items];
for an unquoted number or truth value its text as written; absent for other scalars. JSON-ready."""
MAX_DIGITS = 20
"""Digits of the largest number that 64 bits hold. Python refuses to read thousands."""
_TAG = "tag:yaml.org,2002:"
_ID = regex(
    r"(?:^|[-{,] *)(?:id|decision|source|platform|recipe|check|erratum): *[\"']?([A-Za-z0-9][\w./*-]*)", re.MULTILINE
)


def as_mapping(value: object) -> YamlMapping:
    """The value if it is a mapping, an empty one otherwise."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Yaml]:
    """The value if it is a list, an empty one otherwise."""
    return value if isinstance(value, list) else []


def texts_in(value: object) -> list[str]:
    """The texts of a list."""
    return [entry for entry in as_list(value) if isinstance(entry, str)]


def mappings_in(value: object) -> list[tuple[int, YamlMapping]]:
    """The mappings of a list, each with its index."""
    return [(index, entry) for index, entry in enumerate(as_list(value)) if isinstance(entry, dict)]


class Problem(NamedTuple):
    """One mistake. `line` and `column` count from 1; `file` is relative to the root that holds `rules/` and `kb/`.

    `found`: what is there. `why`: why that is wrong. `write`: what to write instead."""

    file: str
    line: int
    column: int
    found: str
    why: str
    write: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.found}; {self.why}; {self.write}"


def merge_repeats(problems: Iterable[Problem]) -> list[Problem]:
    """The problems in order of place. A mistake that a file repeats is reported once, with the other lines."""
    groups = grouped(((one.file, one.found, one.why, one.write), one) for one in sorted(set(problems)))
    kept = []
    for first, *others in groups.values():
        if not others:
            kept.append(first)
        else:
            lines = list(dict.fromkeys(str(other.line) for other in others))
            more = word_list(lines if len(lines) < 6 else [*lines[:4], f"{len(lines) - 4} more"], "and")
            kept.append(first._replace(write=f"{first.write} (the same in line{'s' * (len(lines) > 1)} {more})"))
    return sorted(kept)


def shown(value: object, source: str | None = None) -> str:
    """A value as it should appear in a message. `source` is how an unquoted value is written in the file."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {source or value}"
    if isinstance(value, str):
        return f'"{value}"'
    return "a list" if isinstance(value, list) else "a mapping"


class YamlDocument:
    """A parsed file. `path` is relative to the root; `problems` are those of the YAML itself."""

    __slots__ = ("data", "ids", "marks", "path", "problems", "valid")

    def __init__(
        self, path: str, data: Yaml, marks: Mark, problems: list[Problem], ids: list[str] | None = None,
        *, valid: bool = False,
    ) -> None:
        self.path = path
        self.data = data
        self.marks = marks
        self.problems = problems
        self.ids = ids or []
        """What a file that cannot be read seems to define, so that those who refer to it do not look wrong too."""
        self.valid = valid
        """Its shape is right, and `data` is what its model returned."""

    def place(self, steps: YamlPath, key: bool = False) -> tuple[int, int]:
        """Line and column of the value at `steps`, or of its key; of the deepest part that exists otherwise."""
        passed = self._passed(steps)
        at, mark = passed[-1]
        line, column, *_ = at if key and len(passed) > len(steps) else mark
        return line, column

    def source(self, steps: YamlPath) -> str | None:
        """The text of an unquoted number or truth value at `steps`, as written; None for anything else."""
        passed = self._passed(steps)
        mark = passed[-1][1]
        return mark[2] if len(passed) > len(steps) and len(mark) > 2 and isinstance(mark[2], str) else None

    def _passed(self, steps: YamlPath) -> list[tuple[Mark, Mark]]:
        """The whole, and what is at each of the steps as far as they exist: the place of its key, and its mark."""
        passed = [(self.marks, self.marks)]
        for step in steps:
            mark = passed[-1][1]
            rest = mark[2] if len(mark) > 2 else None
            if isinstance(rest, dict) and step in rest:
                passed.append((rest[step], rest[step][2]))
            elif isinstance(rest, list) and isinstance(step, int) and step < len(rest):
                passed.append((rest[step], rest[step]))
            else:
                break
        return passed

    def problem(self, steps: YamlPath, found: str, why: str, write: str, key: bool = False) -> Problem:
        line, column = self.place(steps, key)
        return Problem(self.path, line, column, found, why, write)


def _place(text: str, index: int) -> tuple[int, int]:
    """The line and the column of a character."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def parse(path: str, raw: bytes) -> YamlDocument:
    """Parse one file. Never raises: what is wrong is in `.problems`, and `.data` may then be None or partial."""
    # Imported here: with a warm cache nothing is parsed and the parser is not needed.
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

    from advisor.bounded_yaml import bounded_yaml, compose_all  # noqa: PLC0415

    def failed(line: int, column: int, found: str, why: str, write: str) -> YamlDocument:
        ids = _ID.findall(raw.decode("utf-8", "replace"))
        return YamlDocument(path, None, [line, column], [Problem(path, line, column, found, why, write)], ids)

    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        return failed(
            *_place(before, len(before)),
            f"the byte 0x{raw[error.start]:02x}",
            "it is not UTF-8, the encoding of every file of the rule base",
            "save the file as UTF-8",
        )
    text = text.removeprefix("\ufeff")
    try:
        roots = compose_all(text)
        node = roots[0] if len(roots) == 1 else bounded_yaml("safe").compose(text)  # none, or one too many
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = _place(text, mark.index if mark else 0)  # of its lines YAML may have more
        what = " ".join(str(error.problem or "no valid YAML").split())
        context = f" {' '.join(error.context.split())}" if error.context else ""
        started = f", begun in line {error.context_mark.line + 1}" if error.context and error.context_mark else ""
        before = text.split("\n")[line - 1][: column - 1]
        if _misindented(what, before):
            column = len(before) - len(before.lstrip()) + 1
            why = f"the file cannot be read: no list or mapping above begins at column {column}"
            write = "indent it like the lines that it belongs with"
            return failed(line, column, "YAML syntax: wrong indentation", why, write)
        return failed(line, column, f"YAML syntax: {what}", f"the file cannot be read{context}{started}", _remedy(what))
    except YAMLError as error:
        line, column = _place(text, getattr(error, "position", 0))
        return failed(line, column, "a control character", "YAML does not allow it", "delete it")
    except RecursionError:
        return failed(1, 1, "values nested too deeply", "the file cannot be read", "write fewer levels")
    if node is None:
        return failed(1, 1, "an empty file", "a file of the rule base must have content", "fill it in or delete it")
    builder = _Builder(path)
    data, marks = builder.build(node)
    return YamlDocument(path, data, marks, builder.problems)


def _misindented(what: str, before: str) -> bool:
    """Whether a line begins at the wrong column. `before`: the text before the error in its line."""
    if "expected <block end>" in what:
        return not before.strip() and ("<block" in what.partition("found")[2] or "'-'" in what)
    # The colon of the line's first key: the line before had its whole value already.
    return "mapping values are not allowed" in what and re.fullmatch(r"\s*[\w.-]+", before) is not None


def _remedy(what: str) -> str:
    if "mapping values are not allowed" in what:
        return 'put text that contains a colon followed by a space in quotes: "like: this"'
    if "\\t" in what:
        return "indent with spaces, not tabs"
    if "end of stream" in what:
        return "close the quote or the bracket"
    if "cannot start any token" in what:
        return "put the text into quotes"
    if "another document" in what:
        return "one document per file: delete the line ---"
    if "undefined alias" in what:
        return "write the value out; a text that begins with * needs quotes"
    return "check indentation, quotes and brackets here and in the line before"


class _Builder:
    """Turns nodes into data and marks."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.seen: set[int] = set()

    def add(self, node: Node, found: str, why: str, write: str) -> None:
        mark = node.start_mark
        self.problems.append(Problem(self.path, mark.line + 1, mark.column + 1, found, why, write))

    def build(self, node: Node) -> tuple[Yaml, Mark]:
        mark: Mark = [node.start_mark.line + 1, node.start_mark.column + 1]
        if id(node) in self.seen or node.anchor:
            self.add(node, "an anchor or alias (& or *)", "readers should see the meaning in place", "write it out")
            return None, mark
        self.seen.add(id(node))
        if isinstance(node.value, str):
            return self.scalar(node, mark)
        if node.value and isinstance(node.value[0], tuple):
            return self.mapping(node, mark)
        if str(node.tag) == _TAG + "map":
            mark.append({})
            return {}, mark
        items = [self.build(item) for item in node.value]
        mark.append([place for _, place in items])
        return [value for value, _ in items], mark

    def mapping(self, node: Node, mark: Mark) -> tuple[YamlMapping, Mark]:
        data: YamlMapping = {}
        places: dict[str, tuple[int, int, Mark]] = {}
        for key, value in node.value:
            name = key.value if isinstance(key.value, str) else ""
            tag = str(key.tag).removeprefix(_TAG)
            if tag not in ("str", "bool"):
                self.add(key, f"the key {name or 'that is not text'}", "a key is text", f'write "{name}" in quotes')
                continue
            if name in places:
                first = places[name]
                self.add(
                    key,
                    f'the key "{name}" for the second time (first in line {first[0]}, column {first[1]})',
                    "only one of them would count",
                    "delete one, or put both into one",
                )
                continue
            built, place = self.build(value)
            data[name] = built
            places[name] = (key.start_mark.line + 1, key.start_mark.column + 1, place)
        mark.append(places)
        return data, mark

    def scalar(self, node: Node, mark: Mark) -> tuple[Yaml, Mark]:
        text = node.value
        tag = str(node.tag).removeprefix(_TAG)
        if tag in ("str", "timestamp"):
            return text, mark
        if tag == "null":
            self.add(node, "no value", "a key or list item needs a value", "give it one or delete it")
            return None, mark
        mark.append(text)
        if tag == "bool":
            return text.lower() == "true", mark
        digits = text.replace("_", "").lower()
        if tag == "int" and len(digits) > MAX_DIGITS:
            self.add(node, f"a number of {len(digits)} digits", "no setting is that large", "write fewer digits")
            return None, mark
        if tag == "int":
            if digits.lstrip("+-")[:1] == "0" and digits.lstrip("+-").isdigit() and int(digits):
                self.add(
                    node,
                    f"the number {text} with a leading zero",
                    f"it is read as {int(digits)}, and as octal elsewhere",
                    f'write {int(digits)}, or "{text}" in quotes for text',
                )
            return int(digits, 0 if digits.lstrip("+-")[:2] in ("0x", "0o", "0b") else 10), mark
        if tag == "float" and math.isfinite(number := float(digits.replace(".inf", "inf").replace(".nan", "nan"))):
            return number, mark
        self.add(node, text or "a tag", "the rule base contains text, numbers, true and false", "write it in quotes")
        return None, mark
