"""Opens a folder, an archive or a bundle as the tree of a host's files."""

from __future__ import annotations

import os

from advisor.host.layouts import detect_layout
from advisor.host.tree import Disk, Entry, FilesInMemory, ShownFile, Tree, Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from advisor.rulebase.model import Layout

MAX_BLOCKS = 1 << 24
"""Bytes of one text file that holds blocks."""
_BEGIN, _FILE, _COMMAND = "#==[ ", "#==[ Configuration File ]", "#==[ Command ]"
_MISSING = " - File not found"


def open_tree(root: str, layouts: Sequence[Layout]) -> Tree:
    """The tree of the host whose files are below the folder, or in the archive or bundle, `root`. Raises Unread."""
    if os.path.isdir(root):  # noqa: PTH112  pathlib costs 15 ms at import
        return _folder(root, layouts)
    if not os.path.exists(root):  # noqa: PTH110
        raise Unread(f"{root}: folder or archive not found")
    if not os.path.isfile(root):  # noqa: PTH113
        raise Unread(f"{root}: neither a folder nor an ordinary file")
    from advisor.host.bundle import is_bundle  # noqa: PLC0415

    if is_bundle(root):
        return _of_bundle(root, layouts)
    from advisor.host.archive import entries, top_names  # noqa: PLC0415  what reads archives takes milliseconds to load

    by_path = entries(root, layouts)
    layout = detect_layout([*top_names(by_path)], layouts)
    if layout is not None and layout.blocks:
        texts = {name: by_path.get(f"/{name}") for name in layout.blocks}
        return Tree(root, False, layouts, _of_blocks({k: v for k, v in texts.items() if isinstance(v, bytes)}, layout))
    return Tree(root, False, layouts, FilesInMemory(by_path))


def _of_bundle(path: str, layouts: Sequence[Layout]) -> Tree:
    from advisor.host.bundle import (  # noqa: PLC0415
        BundleTree,
        bundles,
        read,
    )

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
