"""Text files that hold many others: blocks of files and of what commands print, as supportconfig writes them.

    #==[ Command ]======================================#
    # /usr/bin/uname -a
    Linux web1 5.14.21-150500.55.83-default #1 SMP …
"""

from __future__ import annotations

from collections.abc import Iterator

from advisor.host.store import ShownFile

_BEGIN, _FILE, _COMMAND = "#==[ ", "#==[ Configuration File ]", "#==[ Command ]"
_MISSING = " - File not found"


def split(text: str, name: str) -> Iterator[tuple[str, ShownFile | None]]:
    """(path, what stands there, None for a file that the host does not have) of each block of a file called `name`."""
    lines = text.split("\n")
    begins = [number for number, line in enumerate(lines) if line.startswith(_BEGIN)] + [len(lines)]
    for begin, end in zip(begins, begins[1:]):
        header = lines[begin + 1].removeprefix("# ").strip() if begin + 1 < end else ""
        if lines[begin].startswith(_FILE) and header.startswith("/"):
            if header.endswith(_MISSING):
                yield header.removesuffix(_MISSING), None
            else:
                yield header, _shown(lines, begin + 2, end, f"{name}: {header}")
        elif lines[begin].startswith(_COMMAND) and header:
            program, blank, rest = header.partition(" ")
            command = f"{program.rpartition('/')[2]}{blank}{rest}"
            yield f"/commands/{command.replace('/', '-')}", _shown(lines, begin + 2, end, f"{name}: {command}")


def _shown(lines: list[str], begin: int, end: int, where: str) -> ShownFile:
    while end > begin and not lines[end - 1].strip():
        end -= 1
    return ShownFile("\n".join([*lines[begin:end], ""]).encode("utf-8", "surrogateescape"), where)
