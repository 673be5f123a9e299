"""Where the files of a host lie in what support tools collect of it, and what they never collect."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.rulebase.model.types import Slug, Text


class Held(Record):
    """A path of the host that lies elsewhere, or that the output of a command stands for.

    Without `before` and `line` the content is that of the file itself."""

    path: Text
    """Canonical: `/installed-rpms`. With `/**` at its end, everything below."""
    at: Sequence[Text]
    """Places, the first that is there counts. `*` stands for anything within one name."""
    before: str | None = None
    """What a line begins with, the rest of which is the content: `{key} = ` (`key`: what `**` stood for, with dots)."""
    line: Text | None = None
    """A regular expression, matched against each line; the content is `gives` for every line that fits."""
    gives: str | None = None
    """`{1}` is what the first group of `line` matched. A line end follows."""


class Layout(Record):
    """What one tool collects. A path that is not spoken of lies where it lies on the host."""

    id: Slug
    title: Text
    """In words that begin a sentence: "a sosreport"."""
    marks: Sequence[Text]
    """Names at the top by any of which the layout is known. `*` stands for anything within one name."""
    below: Text | None = None
    """The folder in which the files lie, where there is one of that name."""
    blocks: Sequence[Text] = ()
    """Text files whose blocks are files and commands (`/commands/uname -a`), as supportconfig writes them."""
    whole: Sequence[Text] = ()
    """Folders that are collected with all that is in them, if at all: what is missing there does not exist."""
    never: Sequence[Text] = ()
    """Paths that no version collects. `*` stands for anything within one name; what lies below is meant too."""
    places: Sequence[Held] = ()
