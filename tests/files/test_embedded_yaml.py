"""What is skipped in YAML because it can tell nothing, told as if it were not skipped."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from advisor.files import embedded_found, embedded_yaml
from advisor.files.embedded_found import TELLING, Found
from advisor.files.embedded_yaml import read_values
from advisor.files.records import Placed, Span
from tests.each import each

WORDS = (
    "nfs", "nfs4", "rw", "true", "soft", "hard", "no_root_squash", "/data", "/etc/exports", "/etc/fstab", "nas:/data",
    "exportfs", "mount.nfs4", "quay.io/x/nfs-client-provisioner:v4", "0777", "2049", "-rw", "vers:4", "any", "*",
    "0.0.0.0/0", "a=1",
)
NAMES = ("", "nfs_mount", "auto_nfs", "exports", "driver_opts", "AWS::S3::Bucket")
MORE_KEYS = ("nfs_mount_options", "NFS_EXPORTS", "ansible.builtin.shell", "net.core.rmem_max", "nfs_clients", "server")


@cache
def keys() -> tuple[str, ...]:
    return tuple(dict.fromkeys(_words_of_code()))


def _words_of_code() -> Iterator[str]:
    """The words of the code that looks at keys, as keys."""
    for module in (embedded_yaml, embedded_found):
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                yield node.value
    yield from MORE_KEYS


def told(found: Found) -> object:
    """All that was found."""
    segments = [(one.kind, one.name, [part.text for part in one.texts]) for one in found.segments]
    mounts = [(kind, [(field.value, field.text) for field in mount.fields]) for kind, mount in found.mounts]
    ports, placed = [port.text for port in found.ports], [(what, text.text) for what, text in found.placed]
    return segments, mounts, ports, placed, found.seen, found.unread, [text.text for text, _ in found.scripts]


def told_of(text: str) -> object:
    found = Found((), about_nfs=True)
    found.is_server = True
    read_values(found, text)
    return told(found)


@each(keys)
def test_a_word_tells_as_much_as_the_same_in_quotation_marks(key: str) -> None:
    words = [word for word in WORDS if word != "*"]  # with which no word of YAML begins
    bare, quoted = ("---\n".join(f"{key}: {sign}{word}{sign}\n" for word in words) for sign in ("", '"'))
    assert told_of(bare) == told_of(quoted)


@each(lambda: range(200), "{}".format)
def test_without_a_telling_key_nothing_is_told(seed: int) -> None:
    pick = random.Random(seed)
    known = [key for key in keys() if key not in TELLING]
    texts = {key: [Placed.in_place(pick.choice(WORDS), Span(1, 1, 2))] for key in known if pick.random() < 0.5}
    found = Found((), about_nfs=True)
    found.together(pick.choice(NAMES), texts, Span(1, 1, 2), titles=texts.get("path", ())[:1])
    assert told(found) == told(Found((), about_nfs=True)), texts
