"""The mounts in effect, and which of them a path is on: /proc/self/mountinfo, /proc/mounts, and what mount(8),
findmnt(8) and nfsstat(8) print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.files.records import Field, MountEntry, MountTable, Token, pieces
from advisor.named_tuple import NamedTuple, grouped
from advisor.regex import regex

NFS = ("nfs", "nfs4")
"""Types of NFS mounts in effect."""
_OCTAL = regex(r"\\([0-3][0-7]{2})")
_PRINTED = regex(r"(\S+) on (/[^(]*) type (\S+) \(([^)]*)\)")
_ADDED = regex(
    r"(?:client|mount)?addr=.*|mount(?:vers|port|proto)=.*|namlen=.*|local_lock=none|[rwb]size=.*|port=.*|(?:no)?intr"
)
"""Options that the kernel shows whether they were asked for or not."""
_TREE = regex("[ ├─└│`|-]*")
"""Characters with which findmnt draws its tree."""
_NAMED = regex(r'"?\b(target|TARGET|source|SOURCE|fstype|FSTYPE|options|OPTIONS)"?(?:=|: ?)"([^"]*)"')
_FROM = regex(r"(/[^ ]*) from ([^ ]+)")
_FLAGS = regex(r"\s*Flags:\s*(\S+)")
Offsets = tuple[int, int]
"""Beginning and end of a word in its line, from 0."""


class MountInfo(NamedTuple):
    """One mount. `device`: as "major:minor"; `root`: the folder of the file system that is visible at `target`.

    `source`, `target`, `root` and `fstype` are decoded; `options` (of this mount) and `super_options` (of the file
    system) are as written, joined by commas. `tags`: the optional fields, such as "shared:1"."""

    number: int
    parent: int
    device: str
    root: str
    target: str
    options: str
    tags: tuple[str, ...]
    fstype: str
    source: str
    super_options: str

    @property
    def is_nfs(self) -> bool:
        return self.fstype in NFS

    @property
    def address(self) -> str:
        """Of the NFS server; "" if the options do not name it."""
        return dict(option.partition("=")[::2] for option in self.super_options.split(",")).get("addr", "")


class MountsInEffect(NamedTuple):
    """`bad`: numbers, from 1, of lines that are neither entries nor empty."""

    mounts: tuple[MountInfo, ...]
    bad: tuple[int, ...]


def read(source: str | bytes) -> MountsInEffect:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a mountinfo. Never raises."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    mounts, bad = [], []
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        mount = _mount(line)
        if mount is None:
            bad.append(number)
        else:
            mounts.append(mount)
    return MountsInEffect(tuple(mounts), tuple(bad))


def _mount(line: str) -> MountInfo | None:
    fields = line.split(" ")
    try:
        dash = fields.index("-", 6)
        number, parent = int(fields[0]), int(fields[1])
    except ValueError:
        return None
    if len(fields) < dash + 3:
        return None
    # An empty source leaves its field empty; the superblock's options come last, and may have spaces in them.
    source = fields[dash + 2]
    super_options = " ".join(fields[dash + 3 :])
    return MountInfo(
        number, parent, fields[2], decoded(fields[3]), decoded(fields[4]), fields[5], tuple(fields[6:dash]),
        decoded(fields[dash + 1]), decoded(source), super_options,
    )


def decoded(field: str) -> str:
    """A field with its octal escapes (`\\040`) decoded."""
    if "\\" not in field:
        return field
    # The escapes stand for bytes, and several may make one character: Latin-1 holds them until all are there.
    try:
        raw = field.encode("utf-8", "surrogateescape").decode("latin-1")
    except UnicodeEncodeError:
        return field  # text that does not come from a file
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), raw).encode("latin-1").decode("utf-8", "surrogateescape")


def below(path: str, folder: str) -> bool:
    """Whether an absolute, normalised path is `folder` or in it."""
    return folder in ("/", path) or path.startswith(folder + "/")


def parents(path: str) -> Iterator[str]:
    """The directories above an absolute, normalised path, the nearest first."""
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def mount_of(path: str, mounts: tuple[MountInfo, ...]) -> MountInfo | None:
    """The mount that an absolute, normalised path is on; None if the list has neither a root nor a mount above it.

    It goes from the root's mount to what is mounted on it, as the kernel does: the longest target alone may be that of
    a mount that another one hides."""
    numbers = {mount.number for mount in mounts}
    at = next((m for m in mounts if m.target == "/" and (m.parent not in numbers or m.parent == m.number)), None)
    if at is None:
        return max((m for m in mounts if below(path, m.target)), key=lambda m: len(m.target), default=None)
    children = grouped((mount.parent, mount) for mount in mounts if below(path, mount.target))
    seen = {at.number}
    while True:
        nearer = [m for m in children.get(at.number, ()) if m.number not in seen]
        if not nearer:
            return at
        shortest = min(len(m.target) for m in nearer)
        at = [m for m in nearer if len(m.target) == shortest][-1]
        seen.add(at.number)


def read_mount_list(text: str, name: str, kind: str) -> MountTable:
    """The mounts of a list. Lines of another form are ignored: a program wrote them."""
    lines = text.split("\n")
    rows = {"findmnt": _findmnt, "nfsstat": _nfsstat}.get(kind)
    return MountTable(text, name, kind, tuple(rows(lines) if rows else _one_per_line(kind, lines)))


def _one_per_line(kind: str, lines: list[str]) -> Iterator[MountEntry]:
    for number, raw in enumerate(lines, 1):
        fields = _fields(kind, raw)
        if fields is not None:
            source, target, fstype, *options = (_part(number, raw, cut) for cut in fields)
            yield _listed_mount(raw, source, target, fstype, *options)


def _fields(kind: str, raw: str) -> Sequence[Offsets] | None:
    """Source, target, type, and one or two lists of options."""
    if kind == "mount":
        match = _PRINTED.match(raw)
        return None if match is None else [match.span(group) for group in range(1, 5)]
    cuts = list(_cuts(raw))
    if kind == "mountinfo":
        dash = next((at for at in range(6, len(cuts)) if raw[slice(*cuts[at])] == "-"), None)
        if dash is None or len(cuts) < dash + 4:
            return None
        return cuts[dash + 2], cuts[4], cuts[dash + 1], cuts[5], cuts[dash + 3]
    return None if len(cuts) < 4 else cuts[:4]


def _findmnt(lines: list[str]) -> Iterator[MountEntry]:
    """A table or tree below its column names, pairs (-P), or JSON (-J)."""
    heads: list[str] = []
    fields: dict[str, Token] = {}
    for number, raw in enumerate(lines, 1):
        words = raw.split()
        if "TARGET" in words and "OPTIONS" in words:
            heads = words
            continue
        named = [(match[1].upper(), match.span(2)) for match in _NAMED.finditer(raw)]
        if not named:
            drawn = _TREE.match(raw)
            cuts = list(_cuts(" " * drawn.end() + raw[drawn.end() :] if drawn else raw))
            named = list(zip(heads, cuts)) if len(cuts) == len(heads) else []
        for head, cut in named:
            if head in fields:  # the next mount begins
                fields = {}
            fields[head] = _part(number, raw, cut)
            if len(fields.keys() & {"SOURCE", "TARGET", "FSTYPE", "OPTIONS"}) == 4:
                of_source = lines[fields["SOURCE"].span.line - 1]
                yield _listed_mount(of_source, fields["SOURCE"], fields["TARGET"], fields["FSTYPE"], fields["OPTIONS"])
                fields = {}


def _nfsstat(lines: list[str]) -> Iterator[MountEntry]:
    """`nfsstat -m`: the source of a mount, and its options on the next line."""
    begun = None
    for number, raw in enumerate(lines, 1):
        match = _FROM.fullmatch(raw)
        flags = _FLAGS.match(raw)
        if match and ":/" in match[2]:
            begun = raw, _part(number, raw, match.span(2)), _part(number, raw, match.span(1))
        elif flags and begun:
            yield _listed_mount(*begun, None, _part(number, raw, flags.span(1)))
            begun = None


def _cuts(raw: str) -> Iterator[Offsets]:
    start = 0
    for word in raw.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def _part(number: int, raw: str, cut: Offsets) -> Token:
    return Token.at(number, cut[0] + 1, raw[slice(*cut)])


def _listed_mount(raw: str, source: Token, target: Token, fstype: Token | None, *options: Token) -> MountEntry:
    """`fstype`: None in a list that does not show it because all are NFS."""

    def field(part: Token) -> Field:
        return Field((part,), part.span, decoded(part.text))

    written: dict[str, Token] = {}
    for listed in options:
        for part in pieces(listed.text, listed.span):
            if not _ADDED.fullmatch(part.text):
                written.setdefault(part.text, part)
    return MountEntry(
        source.span.line, raw, source=field(source), target=field(target),
        fstype=Field((), source.span, "nfs") if fstype is None else field(fstype),
        options=Field(written.values(), options[0].span),
    )

