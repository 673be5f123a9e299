"""The settings that files make, in the order in which they are applied, included files among them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.files import kinds
from advisor.files.kinds import INCLUDING, included
from advisor.files.records import Span

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.files.records import Assignment
    from advisor.rulebase.model import RuleBase

MAX_DEPTH = 10
"""Files, each of which includes the next one."""


class SetValue(NamedTuple):
    """A tunable's value in a file. `meaning`: the value in the rule base's word for it. `beside_folder`: the file is
    alone beside a folder of such files, as /etc/sysctl.conf is."""

    tunable: str
    value: str
    meaning: str
    file: HostText
    span: Span
    text: str
    beside_folder: bool

    @property
    def name(self) -> str:
        """Of the file."""
        return self.file.name

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file.name}:{self.span.line}"


def set_values(base: RuleBase, texts: Sequence[HostText]) -> Iterator[SetValue]:
    """Every setting of these files that has a tunable; of several values of one the last applies."""
    files = {kind: (name, steps.file) for name, steps in base.kinds.items() if steps.file for kind in steps.file.kinds}
    for kind in kinds.SETTINGS:
        tunable_kind, file = files.get(kind, ("", None))
        if file is None or file.inherits:
            continue  # each block has its own settings
        of_kind = [text for text in texts if text.host_file.kind == kind]
        included_paths = {path for text in of_kind for _, path, _ in includes(text)}
        folded = base.ready(_by_lower_case, tunable_kind) if file.ignores_case else {}
        for text in in_order(of_kind):
            if text.path in included_paths:
                continue  # it is read where another file includes it
            folder, _, name = text.path.rpartition("/")
            ending = file.folder.ending if file.folder and folder.endswith(".d") else ""
            if not name.endswith(ending) or name.startswith("."):
                continue  # nothing reads it, which the linter reports
            alone = text.host_file.same_name == "hides" and not folder.endswith(".d")
            for place, assignment in _with_included(text, of_kind):
                section = f"{assignment.section}." if file.sections else ""
                tunable = f"{file.prefix}{section}{assignment.key.text}"
                tunable = folded.get(tunable.lower(), tunable)
                if tunable in base.tunables and assignment.value.text:
                    words = file.synonyms if base.tunables[tunable].values else {}
                    yield SetValue(
                        tunable, assignment.value.text,
                        str(words.get(assignment.value.text.lower(), assignment.value.text)), place,
                        Span(assignment.key.span.line, assignment.key.span.column, assignment.value.span.end_column),
                        f"{assignment.key.text}={assignment.value.text}", alone,
                    )


def _by_lower_case(base: RuleBase, kind: str) -> Mapping[str, str]:
    return {name.lower(): name for name in base.of_kinds(kind)}


def in_order(texts: Sequence[HostText]) -> list[HostText]:
    """Files of one kind in the order in which they are applied. Those that hide one another go by their names, whatever
    their folders; others in the order of their patterns. A file beside such folders is applied after all of them."""

    def place(text: HostText) -> tuple[int, str]:
        folder, _, name = text.path.rpartition("/")
        if text.host_file.same_name == "both":
            return 0, ""
        return (0, name) if folder.endswith(".d") else (1, name)

    return sorted(texts, key=place)


def _with_included(text: HostText, texts: Sequence[HostText]) -> Iterator[tuple[HostText, Assignment]]:
    """The settings of a file, with those of the files among `texts` that it includes in their places."""
    others = {other.path: other for other in texts} if text.host_file.kind in INCLUDING else {}

    def all_of(file: HostText, begins: str | None, above: tuple[str, ...]) -> Iterator[tuple[HostText, Assignment]]:
        assignments = kinds.read_settings(file.host_file.kind, file.text, file.name, begins)
        including = {directive.key.span for directive in assignments.includes}
        for assignment in sorted(
            (*assignments.settings, *assignments.includes), key=lambda assignment: assignment.key.span
        ):
            if assignment.key.span not in including:
                yield file, assignment
                continue
            other = others.get(os.path.normpath(included(file.path, assignment.value.text)[0]))
            if other is not None and other.path not in above and len(above) < MAX_DEPTH:
                yield from all_of(other, assignment.section, (*above, other.path))

    yield from all_of(text, None, (text.path,))


def includes(text: HostText) -> Iterator[tuple[Assignment, str, bool]]:
    """Each line that includes one file, the path of that file, and whether it may be missing."""
    if text.host_file.kind in INCLUDING and "include" in text.text.lower():
        for directive in kinds.read_settings(text.host_file.kind, text.text, text.name, "").includes:
            if directive.key.text.lower() == "include":
                path, optional = included(text.path, directive.value.text)
                yield directive, os.path.normpath(path), optional
