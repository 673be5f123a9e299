"""NFS configuration inside other text: commands of a script, files that it writes, options beside a type."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.files import outer
from advisor.files.embedded_commands import read_sections, shell
from advisor.files.embedded_found import Found, Segment
from advisor.files.placed import Placed
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.records import MountEntry

_TYPE = r"[\"']?(?:[ \t]*(?:=>|[=:])|[ \t])[ \t]*[\"']?nfs4?\b"
_NFS_TEXT = re.compile(
    rf"-t[ \t]*[\"']?nfs4?\b(?!-)|(?i:fs_?type){_TYPE}|\btype{_TYPE}|[/}}$]\S{{0,60}}[ \t]+nfs4?[ \t]+[a-z_]|"
    r"\bnfsvers=|[,(\"' ](?:no_root_squash|no_subtree_check|no_all_squash)[,)\"']|\b[rw]size=\d|\bnconnect=|"
    r"\bnoresvport\b|ocf:heartbeat:exportfs|exportfs -\w*o"
)
"""What shows configuration of NFS in a line."""
_LINUX = r"\b(?:systemctl|apt|apt-get|yum|dnf|zypper|pacman|exportfs|nfs-kernel-server|nfs-utils)\b"
_WORDS = ("nfs", "NFS", "mount", "export", "_squash", "/auto.", "idmapd", "sunrpc", "lockd")
_COMMENTS = ("#", "//", "/*", "* ", ";", "<!--")
WIDTH = 2000
"""Characters of a line that are searched."""


class Embedded(NamedTuple):
    """`mounts`, `segments`: with their places in the file. `unread`: the numbers of lines that have something of NFS in
    a form that is not known. `shown`: of lines that the file may only show to people."""

    mounts: list[tuple[str, MountEntry]]
    segments: list[Segment]
    unread: list[int]
    shown: set[int]


def read_embedded(text: str, name: str, kind: str, seen: Iterable[int] = ()) -> Embedded:
    """What the file of this name and kind contains. `seen`: lines that a reader of its kind understood."""
    found = Found(seen, about_nfs="nfs" in "/".join(name.lower().rsplit("/", 2)[-2:]))
    language = outer.outer_language(text, name) if kind in ("script", "systemd-unit") else outer.YAML
    found.on_linux = re.search(_LINUX, text) is not None
    whole = Placed.of_file(text)
    shown: set[int] = set()
    if language == outer.PROGRAM:
        pass
    elif language == outer.DOCUMENT or (kind == "script" and not language):
        from advisor.files.embedded_documents import read_document  # noqa: PLC0415

        shown.update(range(1, text.count("\n") + 2))
        read_document(found, whole)
    elif language == outer.YAML:
        from advisor.files.embedded_yaml import read_values  # noqa: PLC0415  the parser takes long to load

        read_values(found, text)
    elif language in (outer.HCL, outer.RUBY, outer.NIX, outer.PUPPET, outer.GROOVY):
        from advisor.files.embedded_blocks import read_blocks  # noqa: PLC0415

        read_blocks(found, whole, language)
    elif language == outer.SECTIONS:
        read_sections(found, whole)
    elif language != outer.LDIF or not found.written("", whole):
        shell(found, whole)
    while found.scripts:
        shell(found, *found.scripts.pop(0))
    if language != outer.PROGRAM and _unread(found, text):
        from advisor.files.embedded_documents import read_lines  # noqa: PLC0415

        shown.update(read_lines(found, whole, _unread(found, text)))
    return Embedded(found.mounts, found.segments, _unread(found, text), shown)


def _unread(found: Found, text: str) -> list[int]:
    return [
        number for number, line in enumerate(text.split("\n"), 1)
        if number not in found.seen and not line.lstrip().startswith(_COMMENTS) and _NFS_TEXT.search(line[:WIDTH])
    ]


def has_nfs_text(text: str) -> bool:
    """Whether there is anything to look for."""
    return any(word in text for word in _WORDS)
