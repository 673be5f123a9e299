"""Recordings: the raw readings of a window in a folder, which can be judged anywhere.

`before/` and `after/` hold the files of one reading each, `between/01`, `between/02` … the counters of mounts between
these two, `xprt_info.samples` the samples of the transports, `dmesg` what the kernel logged.
"""

from __future__ import annotations

from pathlib import Path

from advisor.named_tuple import NamedTuple
from advisor.observe.connections import SampledTransport, read_samples
from advisor.observe.live import MAX_BYTES
from advisor.observe.snapshot import DATE, KERNEL, PLACES, READ_AHEAD, SOCKETS, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

BETWEEN = "between"
SAMPLES = "xprt_info.samples"
_MAX_BETWEEN = 100


class RecordingError(Exception):
    """The folder cannot be used; the message says why, and what to do."""


class Recording(NamedTuple):
    """`before`: None if there is only one reading, the last. `between`: readings of the counters between these two,
    if any were kept."""

    before: Snapshot | None
    after: Snapshot
    samples: list[SampledTransport]
    between: Sequence[Snapshot] = ()


def replay(folder: str) -> Recording:
    """Read a recording. Raises RecordingError."""
    top = Path(folder)
    if not top.is_dir():
        raise RecordingError(f"{folder}: no such folder")
    after = _reading(top / "after")
    if "mountstats" not in after:
        raise RecordingError(f"{folder}: after/mountstats is missing; a recording, which --record makes, has it")
    kernel = _text(top / KERNEL)
    if kernel is not None:
        after[KERNEL] = kernel
    before = _reading(top / "before")
    samples = read_samples(_text(top / SAMPLES) or "")
    if "mountstats" not in before:
        return Recording(None, Snapshot(after), samples)
    return Recording(Snapshot(before), Snapshot(after), samples, [Snapshot(texts) for texts in _between(top / BETWEEN)])


def record(
    folder: str, before: Mapping[str, str], after: Mapping[str, str], samples: str,
    between: Sequence[Mapping[str, str]] = (),
) -> None:
    """Write a recording into a new or empty folder. Raises RecordingError."""
    top = Path(folder)
    try:
        top.mkdir(exist_ok=True)
        if any(top.iterdir()):
            raise RecordingError(f"{folder}: is not empty; name a new folder")
        numbered = [(f"{BETWEEN}/{number:02}", texts) for number, texts in enumerate(between, 1)]
        for name, texts in (("before", before), ("after", after), *numbered):
            (top / name).mkdir(parents=True)
            for file, text in texts.items():
                _write(top / KERNEL if file == KERNEL else top / name / file, text)
        _write(top / SAMPLES, samples)
    except OSError as error:
        raise RecordingError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None


def _between(folder: Path) -> Iterator[dict[str, str]]:
    """The readings, up to the first number that is missing."""
    for number in range(1, _MAX_BETWEEN):
        texts = _reading(folder / f"{number:02}")
        if "mountstats" not in texts:
            return
        yield texts


def _reading(folder: Path) -> dict[str, str]:
    texts = {name: _text(folder / name) for name in (*PLACES, READ_AHEAD, SOCKETS, DATE)}
    return {name: text for name, text in texts.items() if text is not None}


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
