"""The files of a host with the fixes of the linter made."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.fix import fix_text

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result

Look = Callable[["HostText"], tuple["Result", list["Finding"]]]
"""A file → the result of the linter, and those of its findings that are told."""


class EditedFile(NamedTuple):
    """A file and its new text. `left`: line and rule of what is still found in it."""

    file: HostText
    text: str
    left: frozenset[tuple[int, str]]


def edited(files: Iterable[HostText], look: Look, safeties: frozenset[str], kinds: Container[str]) -> list[EditedFile]:
    """The files below /etc of these kinds that some fix changes. What lies elsewhere belongs to a package, and what
    stands in a report may have lost its comments."""
    found = []
    for one in files:
        if one.host_file.kind not in kinds or not one.path.startswith("/etc/") or one.name != one.path:
            continue

        def judge(text: str, one: HostText = one) -> tuple[list[Finding], list[Finding]]:
            result, findings = look(one._replace(text=text))
            return result.findings, findings

        fixed = fix_text(one.text, judge, safeties, fstab=one.host_file.kind == "fstab")
        if fixed.text != one.text:
            _, left = look(one._replace(text=fixed.text))
            found.append(EditedFile(one, fixed.text, frozenset((finding.line, finding.rule) for finding in left)))
    return found
