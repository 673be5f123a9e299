"""Opens a folder, an archive or a bundle as the tree of a host's files.

A tar archive is read once from front to end, with nothing unpacked. Of its ordinary files and links those that concern
NFS are kept. Members, bytes and files have upper bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import BufferedIOBase, BufferedReader, RawIOBase
from typing import IO, Union

from advisor.host import tree
from advisor.host.bundle import BundleTree, bundles, is_bundle, read
from advisor.host.tree import Disk, Entry, FilesInMemory, Link, ShownFile, Tree, Unread, detect_layout, is_at_or_below
from advisor.named_tuple import grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import tarfile

    from advisor.rulebase.model import Layout

MAX_BLOCKS = 1 << 24
"""Bytes of one text file that holds blocks."""
_BEGIN, _FILE, _COMMAND = "#==[ ", "#==[ Configuration File ]", "#==[ Command ]"
_MISSING = " - File not found"

MAX_MEMBERS = 1_000_000
MAX_BYTES = 1 << 33
"""Of the archive, unpacked."""
MAX_KEPT = 1 << 26
"""Of all that is kept together."""
MAX_FILE = 1 << 23
"""Of a file that is kept; of a larger one only its size is."""
MAX_DEPTH = 2
"""Folders above the one with the host's files."""
BLOCK = 1 << 18
_ADVICE = "unpack what you need, and give the folder"

Stream = Union[BufferedIOBase, IO[bytes]]

KEPT = (
    "/etc", "/lib/modprobe.d", "/lib/sysctl.d", "/lib/udev/rules.d", "/lib/systemd/system",
    "/usr/lib/modprobe.d", "/usr/lib/os-release", "/usr/lib/sysctl.d", "/usr/lib/udev/rules.d",
    "/usr/lib/systemd/system", "/usr/local/lib/modprobe.d", "/usr/local/lib/sysctl.d", "/run/modprobe.d",
    "/run/sysctl.d", "/run/systemd/container", "/run/systemd/generator", "/run/systemd/system", "/run/udev/rules.d",
    "/proc/sys", "/proc/fs/nfsd", "/proc/self", "/proc/mounts", "/proc/cmdline", "/proc/meminfo", "/proc/cpuinfo",
    "/proc/version", "/proc/net", "/proc/1/comm", "/proc/*/mountinfo", "/proc/*/mounts", "/proc/*/net/route",
    "/proc/*/net/ipv6_route", "/proc/*/net/rpc", "/sys/module/*/parameters", "/sys/class/bdi", "/sys/class/net",
    "/sys/devices/system/cpu/online", "/var/lib/nfs", "/var/lib/pacemaker/cib/cib.xml", "/var/lib/dpkg/status",
    "/installed-rpms",
    "/var/log/messages", "/var/log/syslog", "/var/log/kern.log",
    "/cluster-scoped-resources/core/persistentvolumes", "/cluster-scoped-resources/storage.k8s.io/storageclasses",
)
"""Paths of a host that are kept, besides those that the layouts name."""
_ZSTD = b"\x28\xb5\x2f\xfd"


def open_tree(root: str, layouts: Sequence[Layout]) -> Tree:
    """The tree of the host whose files are below the folder, or in the archive or bundle, `root`. Raises Unread."""
    if os.path.isdir(root):  # noqa: PTH112  pathlib costs 15 ms at import
        return _folder(root, layouts)
    if not os.path.exists(root):  # noqa: PTH110
        raise Unread(f"{root}: folder or archive not found")
    if not os.path.isfile(root):  # noqa: PTH113
        raise Unread(f"{root}: neither a folder nor an ordinary file")
    if is_bundle(root):
        return _of_bundle(root, layouts)
    by_path = entries(root, layouts)
    layout = detect_layout([*dict.fromkeys(path.split("/")[1] for path in by_path)], layouts)
    if layout is not None and layout.blocks:
        texts = {name: by_path.get(f"/{name}") for name in layout.blocks}
        return Tree(root, False, layouts, _of_blocks({k: v for k, v in texts.items() if isinstance(v, bytes)}, layout))
    return Tree(root, False, layouts, FilesInMemory(by_path))


def _of_bundle(path: str, layouts: Sequence[Layout]) -> Tree:
    texts = bundles(path)
    _, text = next(texts)
    if next(texts, None) is not None:
        raise Unread(f"{path}: contains the bundles of several hosts; advisor fleet report reads them all")
    return BundleTree(path, read(text, path), {layout.id: layout for layout in layouts})


def _folder(root: str, layouts: Sequence[Layout]) -> Tree:
    if os.path.abspath(root) == "/":  # noqa: PTH100
        return Tree(root)
    try:
        root, layout = _report_folder(root, layouts)
    except OSError as error:
        raise Unread(f"{root}: cannot be read: {error.strerror}") from error
    if layout is None or not layout.blocks:
        return Tree(root, layouts=layouts)
    disk = Disk(root)
    texts = {}
    for name in layout.blocks:
        try:
            texts[name] = disk.content(f"/{name}", name, MAX_BLOCKS)
        except (OSError, Unread):
            continue
    return Tree(root, False, layouts, _of_blocks(texts, layout))


def _report_folder(root: str, layouts: Sequence[Layout]) -> tuple[str, Layout | None]:
    """The folder that a support tool wrote: this one, or the only such one in it."""
    names = sorted(os.listdir(root))  # noqa: PTH208
    layout = detect_layout(names, layouts)
    if layout is not None:
        below = f"{root}/{layout.below}"
        return (below if layout.below and os.path.isdir(below) else root), layout  # noqa: PTH112
    made = []
    for name in names if "etc" not in names else ():
        inner = f"{root}/{name}"
        if os.path.isdir(inner) and not os.path.islink(inner):  # noqa: PTH112, PTH114
            layout = detect_layout(sorted(os.listdir(inner)), layouts)  # noqa: PTH208
            made += [] if layout is None else [inner]
    return _report_folder(made[0], layouts) if len(made) == 1 else (root, None)


def _of_blocks(texts: dict[str, bytes], layout: Layout) -> FilesInMemory:
    """The host in text files that each hold blocks of many files."""
    by_path: dict[str, Entry] = {f"/{layout.marks[0]}": b""}
    absent = set()
    for name, content in texts.items():
        for path, shown in _split_blocks(content.decode("utf-8", "surrogateescape"), name):
            if shown is None:
                absent.add(path)
            else:
                by_path.setdefault(path, shown)
    return FilesInMemory(by_path, frozenset(absent))


def _split_blocks(text: str, name: str) -> Iterator[tuple[str, ShownFile | None]]:
    """(path, content, or None for a file that the host does not have) of each block of a file called `name`, as
    supportconfig writes them:

        #==[ Command ]======================================#
        # /usr/bin/uname -a
        Linux web1 5.14.21-150500.55.83-default #1 SMP …
    """
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line.startswith(_BEGIN)] + [len(lines)]
    for begin, end in zip(begins, begins[1:]):
        header = lines[begin + 1].removeprefix("# ").strip() if begin + 1 < end else ""
        if lines[begin].startswith(_FILE) and header.startswith("/"):
            if header.endswith(_MISSING):
                yield header.removesuffix(_MISSING), None
            else:
                yield header, _block(lines, begin + 2, end, f"{name}: {header}")
        elif lines[begin].startswith(_COMMAND) and header:
            program, blank, rest = header.partition(" ")
            command = f"{program.rpartition('/')[2]}{blank}{rest}"
            yield f"/commands/{command.replace('/', '-')}", _block(lines, begin + 2, end, f"{name}: {command}")


def _block(lines: list[str], begin: int, end: int, where: str) -> ShownFile:
    while end > begin and not lines[end - 1].strip():
        end -= 1
    return ShownFile("\n".join([*lines[begin:end], ""]).encode("utf-8", "surrogateescape"), where)


def entries(path: str, layouts: Sequence[Layout]) -> dict[str, Entry]:
    """What is kept of the archive at `path`, by absolute path of the host. Raises Unread."""
    import tarfile  # noqa: PLC0415  it takes milliseconds to load

    try:
        with open(path, "rb") as raw:  # noqa: PTH123  pathlib costs 15 ms at import
            kept = _Members(path, layouts)
            stream = _Forward(_Bounded(_decompressed(raw, path), path), BLOCK)
            with tarfile.open(fileobj=stream, mode="r:") as tar:
                while (member := tar.next()) is not None:
                    kept.take(tar, member)
                    tar.members.clear()  # type: ignore[attr-defined]  # it would remember them all
            return kept.found()
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        raise Unread(f"{path}: damaged, or not a tar archive ({error})") from error


class _Bounded(RawIOBase):
    """A stream that refuses to give more than MAX_BYTES. What is skipped is read, and dropped."""

    def __init__(self, stream: Stream, path: str) -> None:
        self.stream, self.path, self.at = stream, path, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, _whence: int = 0, /) -> int:
        """To an offset from the start that is still ahead; `_Forward` asks for no other."""
        while self.at < offset and self._read(min(offset - self.at, BLOCK)):
            pass
        return self.at

    def _read(self, size: int) -> bytes:
        try:
            piece = self.stream.read(size)
        except Exception as error:  # each compression has its own errors
            raise Unread(f"{self.path}: damaged ({error})") from error
        self.at += len(piece)
        if self.at > MAX_BYTES:
            raise Unread(f"{self.path}: holds more than {MAX_BYTES >> 30} GiB; {_ADVICE}")
        return piece


class _Forward(BufferedReader):
    """A file that refuses to go back, as a header with a negative size would have it.

    tarfile can read a stream without such help, but then it copies its buffer again for each header."""

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence != 0 or offset < self.tell():
            raise ValueError("a header leads back")
        return super().seek(offset)


def _decompressed(raw: IO[bytes], path: str) -> Stream:
    """The archive without its compression, which its first bytes show."""
    head = raw.read(6)
    raw.seek(0)
    if head.startswith(b"\x1f\x8b"):
        import gzip  # noqa: PLC0415

        return gzip.GzipFile(fileobj=raw)
    if head == b"\xfd7zXZ\x00":
        import lzma  # noqa: PLC0415

        return lzma.LZMAFile(raw)
    if head.startswith(b"BZh"):
        import bz2  # noqa: PLC0415

        return bz2.BZ2File(raw)
    if head.startswith(_ZSTD):
        return _zstd(raw, path)
    return raw


def _zstd(raw: IO[bytes], path: str) -> Stream:
    from importlib import import_module  # noqa: PLC0415

    try:  # Python 3.14 has it
        stream: Stream = import_module("compression.zstd").ZstdFile(raw)
    except ImportError:
        try:
            stream = import_module("zstandard").ZstdDecompressor().stream_reader(raw)
        except ImportError:
            raise Unread(
                f"{path}: reading .zst needs Python 3.14 or the package zstandard; "
                f"or unpack it first: zstd -d {path}"
            ) from None
    return stream


class _Members:
    """Keeps what is wanted of one member after the other, under its name in the archive."""

    def __init__(self, path: str, layouts: Sequence[Layout]) -> None:
        self.path, self.layouts = path, layouts
        places = [at for layout in layouts for place in layout.places for at in place.at]
        patterns = (*KEPT, *places, *(f"/{name}" for layout in layouts for name in layout.blocks))
        self.patterns = grouped((pattern.split("/")[1], pattern) for pattern in patterns)
        self.entries: dict[str, Entry] = {}
        self.hard_links: set[str] = set()
        self.contents: dict[bytes, bytes] = {}
        """Each content, kept once: processes of one namespace have the same mounts."""
        self.tops: dict[str, set[str]] = {}
        self.members = self.size = 0

    def take(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        self.members += 1
        if self.members > MAX_MEMBERS:
            raise Unread(f"{self.path}: holds more than {MAX_MEMBERS} files; {_ADVICE}")
        if member.size < 0:
            raise ValueError(f"{member.name} has a size below 0")
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        if not parts or ".." in parts or member.name.startswith("/"):
            return  # it could do no harm, since nothing is unpacked; but no tool writes such names
        for depth in range(min(MAX_DEPTH + 1, len(parts))):
            self.tops.setdefault("/".join(parts[:depth]), set()).add(parts[depth])
        name = "/" + "/".join(parts)
        if member.issym() or member.islnk():
            if self._wanted(parts, folders=True):
                target = member.linkname
                if member.islnk():  # a path in the archive
                    target = "/" + target.removeprefix("./").lstrip("/")
                self.entries[name] = Link(target)
                self.hard_links -= {name}
                self.hard_links |= {name} if member.islnk() else set()
        elif member.isdir():
            if self._wanted(parts, folders=True):
                self.entries.setdefault(name, None)
        elif member.isreg() and self._wanted(parts):
            self.hard_links -= {name}
            if member.size > MAX_FILE:
                self.entries[name] = tree.LargeFile(member.size)
                return
            stream = tar.extractfile(member)
            content = stream.read() if stream is not None else b""
            kept = self.contents.setdefault(content, content)
            self.size += len(content) + len(name) if kept is content else len(name)
            if self.size > MAX_KEPT:
                raise Unread(f"{self.path}: too much to keep; {_ADVICE}")
            self.entries[name] = kept

    def _wanted(self, parts: list[str], folders: bool = False) -> bool:
        for depth in range(min(MAX_DEPTH + 1, len(parts))):
            patterns = self.patterns.get(parts[depth])
            if patterns is None:
                continue
            path = "/" + "/".join(parts[depth:])
            if is_at_or_below(path, patterns) or (
                folders and any(is_at_or_below(pattern, [path]) for pattern in patterns)
            ):
                return True
        return bool(folders and len(parts) <= MAX_DEPTH + 2)

    def found(self) -> dict[str, Entry]:
        """The entries by their path on the host."""
        top = self._top()
        if top is None:
            raise Unread(f"{self.path}: contains no copy of a host's files (/etc, /proc) and no support report")
        prefix = f"/{top}" if top else ""
        by_path: dict[str, Entry] = {}
        for name, entry in self.entries.items():
            if not name.startswith(f"{prefix}/"):
                continue
            kept = entry
            if isinstance(entry, Link) and name in self.hard_links:
                kept = Link(entry.target[len(prefix) :] if entry.target.startswith(f"{prefix}/") else "/nowhere")
            by_path[name[len(prefix) :]] = kept
        return by_path

    def _top(self) -> str | None:
        """The folder of the archive with the host's files."""
        nearest = sorted(self.tops, key=lambda top: (top.count("/") + bool(top), top))
        for top in nearest:
            layout = detect_layout(sorted(self.tops[top]), self.layouts)
            if layout is not None:
                below = f"{top}/{layout.below}".strip("/")
                return below if layout.below and below in self.tops else top
        return next((top for top in nearest if self.tops[top] & {"etc", "proc"}), None)
