"""Which of the files are judged, as what, and what is said of the others: what was not understood is never called
clean."""

from __future__ import annotations

import sys

from advisor.cli.lint_files import STDIN
from advisor.document.escape import visible
from advisor.named_tuple import NamedTuple
from advisor.readers.judged import JUDGED
from advisor.readers.kinds import BY_ID, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.render.summary import NotJudged

LOOKED_AT = 1 << 18
"""Bytes from which the kind of a file is told."""


class Passed(NamedTuple):
    """A file that was not judged. `kind`: None where nobody knows what it is."""

    name: str
    kind: str | None

    def why(self) -> str:
        """In words, what it is taken for and what can be done."""
        judged = ", ".join(JUDGED)
        if self.kind is None:
            return f"not checked, because it does not look like any known kind of file; use --kind ({judged}, …)"
        return (
            f"not checked: it looks like {BY_ID[self.kind].title}, which advisor does not read yet; "
            f"if it is something else, use --kind ({judged}, …)"
        )


def kind_of(name: str, content: bytes, said: str | None) -> str | None:
    """The kind of a file: as it was `said`, or told by its name and content."""
    if said is not None:
        return said
    return identify(content[:LOOKED_AT].decode("utf-8", "surrogateescape"), "" if name == STDIN else name)


def tell(passed: list[Passed]) -> None:
    """Say on standard error which files were not judged."""
    for one in passed:
        print(f"advisor: {visible(one.name)}: {one.why()}", file=sys.stderr)


def listed(passed: list[Passed]) -> list[NotJudged]:
    """The same, ready for JSON."""
    return [{"file": one.name, "kind": one.kind, "reason": one.why()} for one in passed]
