"""Which files of a host concern NFS."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
