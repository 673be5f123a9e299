"""NFS configuration inside other text: commands of a script, files that it writes, options beside a type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.files import outer
from advisor.files.embedded_commands import Found, Segment, shell
from advisor.files.placed import Placed
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.records import MountEntry

_TYPE = r"[\"']?(?:[ \t]*(?:=>|[=:])|[ \t])[ \t]*[\"']?nfs4?\b"
_NFS_TEXT = re.compile(
    rf"-t[ \t]*[\"']?nfs4?\b|(?i:fs_?type){_TYPE}|\btype{_TYPE}|[/}}$]\S{{0,60}}[ \t]+nfs4?[ \t]+[a-z_]|\bnfsvers=|"
    r"[,(\"' ](?:no_root_squash|no_subtree_check|no_all_squash)[,)\"']|\b[rw]size=\d|\bnconnect=|\bnoresvport\b|"
    r"ocf:heartbeat:exportfs|exportfs -\w*o"
)
"""What shows configuration of NFS in a line."""
_WORDS = ("nfs", "NFS", "mount", "export", "_squash", "/auto.", "idmapd", "sunrpc", "lockd")
_COMMENTS = ("#", "//", "/*", "* ", ";", "<!--")
WIDTH = 2000
"""Characters of a line that are searched."""


class Embedded(NamedTuple):
    """`mounts`, `segments`: with their places in the file. `unread`: the numbers of lines that have something of NFS in
    a form that is not known."""

    mounts: list[tuple[str, MountEntry]]
    segments: list[Segment]
    unread: list[int]


def read_embedded(text: str, name: str, kind: str, seen: Iterable[int] = ()) -> Embedded:
    """What the file of this name and kind contains. `seen`: lines that a reader of its kind understood."""
    found = Found(seen)
    language = outer.outer_language(text, name) if kind in ("script", "systemd-unit") else outer.YAML
    if language == outer.PROGRAM:
        pass
    elif language == outer.YAML:
        from advisor.files.embedded_yaml import read_values  # noqa: PLC0415  the parser takes long to load

        read_values(found, text)
    elif language in (outer.HCL, outer.RUBY, outer.NIX, outer.PUPPET, outer.GROOVY):
        from advisor.files.embedded_blocks import read_blocks  # noqa: PLC0415

        read_blocks(found, Placed.of_file(text), language)
    elif language != outer.LDIF or not found.written("", Placed.of_file(text)):
        shell(found, Placed.of_file(text))
    unread = [
        number for number, line in enumerate(text.split("\n"), 1)
        if number not in found.seen and not line.lstrip().startswith(_COMMENTS) and _NFS_TEXT.search(line[:WIDTH])
    ]
    return Embedded(found.mounts, found.segments, unread)


def has_nfs_text(text: str) -> bool:
    """Whether there is anything to look for."""
    return any(word in text for word in _WORDS)
