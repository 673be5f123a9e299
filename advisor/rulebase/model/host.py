"""Which files of a host concern NFS, and where they lie in what support tools collect of it."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import Slug, Text


class HostFile(Record):
    """Files of one kind, in the order in which they are looked for."""

    id: Slug
    title: Text
    """In a sentence: "udev rules"."""
    area: Literal["client-mounts", "client-settings", "kernel", "server"]
    """Under which heading what is found there is told."""
    kind: Text
    """Of advisor.readers.kinds."""
    at: Sequence[Text]
    """Patterns of absolute paths; `*` stands for anything within one name."""
    same_name: Literal["hides", "both"] = "both"
    """Whether a file hides those of its name in later folders."""
    about: Sequence[Text] = ()
    """Words, one of which is in a file that concerns NFS. None: all do."""
    only: Sequence[Slug] = ()
    """Layouts of kb/layouts.yaml, where no other copy and no host has them."""
    maps: bool = False
    """They name other files of the kind, as a master file of the automounter does."""


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
    joined: bool = False
    """A line that begins with a blank goes on with the line before it."""
    words: Mapping[str, str] = {}
    """What stands there for something else: text → what it means."""


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
