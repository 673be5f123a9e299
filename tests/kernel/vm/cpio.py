"""Archives as a kernel unpacks them at boot (cpio, "newc"); several may stand one after the other."""

from __future__ import annotations

import stat

_FIELDS = "070701" + "{:08X}" * 13


class Archive:
    """Files from memory, all owned by root: nothing of this machine gets in."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._known: set[str] = set()

    def file(self, path: str, data: bytes | str, mode: int = 0o644) -> None:
        self._add(path, stat.S_IFREG | mode, data.encode() if isinstance(data, str) else data)

    def link(self, path: str, to: str) -> None:
        self._add(path, stat.S_IFLNK | 0o777, to.encode())

    def folder(self, path: str, mode: int = 0o755) -> None:
        self._add(path, stat.S_IFDIR | mode, b"")

    def terminal(self, path: str, major: int, minor: int) -> None:
        self._add(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def packed(self) -> bytes:
        return b"".join([*self._parts, _entry(0, "TRAILER!!!", 0, b"", (0, 0))])

    def _add(self, path: str, mode: int, data: bytes, device: tuple[int, int] = (0, 0)) -> None:
        path = path.strip("/")
        if path in self._known:
            return  # the kernel would keep the first of two folders, and append to the first of two files
        above = path.rpartition("/")[0]
        if above and above not in self._known:
            self.folder(above)  # a file whose folder has not come yet is dropped without a word
        self._known.add(path)
        self._parts.append(_entry(len(self._known), path, mode, data, device))


def _entry(number: int, path: str, mode: int, data: bytes, device: tuple[int, int]) -> bytes:
    name = path.encode() + b"\0"
    head = _FIELDS.format(number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0).encode() + name
    return _padded(head) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
