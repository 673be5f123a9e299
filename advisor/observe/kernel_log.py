"""What the running kernel prints, read from its ring buffer without a command."""

from __future__ import annotations

import os

_KMSG = "/dev/kmsg"


def ring(since: float = 0.0) -> list[str] | None:
    """The messages logged since this many seconds after boot; None if this user may not read them."""
    try:
        handle = os.open(_KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    found: list[str] = []
    try:
        while True:
            try:
                record = os.read(handle, 8192)  # each call gives one
            except BrokenPipeError:  # it was overwritten meanwhile
                continue
            except OSError:  # no more, or not for this user
                return found
            if not record:
                return found
            line = message(record.decode("utf-8", "replace"), since)
            if line is not None:
                found.append(line)
    finally:
        os.close(handle)


def message(record: str, since: float) -> str | None:
    """The text of a record (level, number, microseconds since boot, flags; text), None where it is older."""
    head, _, rest = record.partition(";")
    fields = head.split(",")
    at = fields[2] if len(fields) > 2 and fields[2].isdecimal() else "0"
    return rest.partition("\n")[0] if int(at[:18]) >= since * 1_000_000 else None
