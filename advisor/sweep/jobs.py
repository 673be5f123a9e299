"""What is measured on a mount: a fio job, or the nearest that dd can do; and what it tells."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.sweep.model import Job

ALLOWED = frozenset((
    "rw", "readwrite", "bs", "blocksize", "size", "filesize", "nrfiles", "numjobs", "iodepth", "direct", "buffered",
    "ioengine", "runtime", "ramp_time", "time_based", "ss", "steadystate", "ss_dur", "steadystate_duration",
    "ss_ramp", "steadystate_ramp_time", "rwmixread", "fsync", "fdatasync", "end_fsync", "sync", "invalidate",
    "norandommap", "random_distribution", "randrepeat", "refill_buffers", "buffer_compress_percentage", "openfiles",
    "thinktime", "rate", "rate_iops", "loops", "fallocate",
))
"""Parameters of fio that a job may give: those that cannot name a file or run a program."""
ENGINES = ("psync", "sync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap")
_LOST = "dd instead of fio: no steady state, no ramp, no latencies, one process, and zeros for data"
_FACTOR = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,12})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_DIRECTIONS = ("read", "write")


class JobError(Exception):
    """The job cannot be run, or told nothing; the text says why."""


class Measured(NamedTuple):
    """One direction of a job. `rate`: bytes per second; `p99`: microseconds that 99 % of the calls ended in, and
    `mean` on average, None where they are not known; `seconds`: that were counted; `steady`: whether fio's criterion
    was met, None where the job has none."""

    direction: str
    rate: float
    iops: float | None
    mean: float | None
    p99: float | None
    seconds: float
    steady: bool | None


def lost_with_dd() -> str:
    """What is lost where dd stands in for fio, for people."""
    return _LOST


def check(name: str, job: Job) -> None:
    """Raises JobError where a job says what it must not, or too little."""
    for key in job:
        if key not in ALLOWED:
            raise JobError(f"job {name}: {key} is not among the parameters that a sweep passes on to fio: "
                           f"{', '.join(sorted(ALLOWED))}")
    if job.get("ioengine", "psync") not in ENGINES:
        raise JobError(f"job {name}: ioengine={job['ioengine']}; a sweep runs {', '.join(ENGINES)}")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", name):
        raise JobError(f"job {name!r}: a name is letters, digits, - and _, 40 at most")
    size(job)
    direction(job)


def direction(job: Job) -> str:
    """fio's word for what a job does: read, write, randread, randwrite, rw, randrw."""
    word = job.get("rw") or job.get("readwrite") or "read"
    if word not in ("read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"):
        raise JobError(f"rw={word}: write read, write, randread, randwrite, rw or randrw")
    return word


def writes(job: Job) -> bool:
    return direction(job) not in ("read", "randread")


def size(job: Job) -> int:
    """Bytes that the job's files take."""
    each = _bytes(job.get("size", ""))
    copies = job.get("numjobs", "1")
    if each is None or each < 1 or not copies.isdecimal() or not 1 <= int(copies[:6]) <= 1024:
        raise JobError("size is needed, such as size=1g, and numjobs from 1 to 1024")
    return each * int(copies)


def seconds(job: Job) -> float:
    """The longest that the job measures; 0 where it runs until its size is done."""
    return _seconds(job.get("runtime", "0")) + _seconds(job.get("ramp_time", "0"))


def fio(name: str, job: Job, folder: str, *, lay_out: bool = False) -> list[str]:
    """The command. `lay_out`: only make the files that it reads."""
    given = {"ioengine": "psync", "fallocate": "none", **job}
    command = ["fio", "--output-format=json", "--thread", f"--name={name}", f"--directory={folder}",
               "--group_reporting", *(f"--{key}={value}" for key, value in given.items())]
    if lay_out:
        command.append("--create_only=1")
    elif direction(job) in ("write", "randwrite"):
        command.append("--unlink=1")  # each run writes a new file
    return command


def read_fio(output: str) -> list[Measured]:
    """Raises JobError."""
    try:
        data = json.loads(output[output.index("{"):])
        jobs = data["jobs"]
        one = jobs[0]
        if one["error"]:
            raise JobError(f"fio ended with error {one['error']}")
        state = one.get("steadystate")
        steady = None if state is None else bool(state["attained"])
        found = []
        for name in _DIRECTIONS:
            part = one[name]
            if part["total_ios"]:
                latency = part["clat_ns"]
                p99 = latency.get("percentile", {}).get("99.000000")
                found.append(Measured(
                    name, float(part["bw_bytes"]), float(part["iops"]), float(latency["mean"]) / 1000,
                    None if p99 is None else float(p99) / 1000, float(part["runtime"]) / 1000, steady,
                ))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise JobError("fio printed no result that can be read") from None
    if not found:
        raise JobError("fio counted no reads or writes; the run must be longer than its ramp time")
    return found


def dd(job: Job, file: str) -> list[str]:
    """The command that does nearest to the same, once over the whole size. Raises JobError where there is none."""
    kind = direction(job)
    if kind not in _DIRECTIONS:
        raise JobError(f"rw={kind} needs fio; dd only reads or writes from one end to the other")
    block = _bytes(job.get("bs") or job.get("blocksize") or "4k")
    whole = _bytes(job.get("size", ""))
    if not block or not whole:
        raise JobError("dd needs bs and size")
    direct = job.get("direct") == "1"
    command = ["dd", f"bs={block}", f"count={max(1, whole // block)}"]
    if kind == "read":
        return [*command, f"if={file}", "of=/dev/null", *(["iflag=direct"] if direct else [])]
    return [*command, "if=/dev/zero", f"of={file}", *(["oflag=direct"] if direct else []), "conv=fsync"]


def read_dd(kind: str, errors: str) -> list[Measured]:
    """What dd says of itself. Raises JobError."""
    last = next((line for line in reversed(errors.splitlines()) if "copied, " in line), "")
    try:
        size = float(last.partition(" byte")[0])
        took = float(last.rpartition("copied, ")[2].partition(" s")[0])
    except ValueError:
        size = took = 0.0
    if took <= 0:
        raise JobError("dd did not say how long it took")
    return [Measured(kind, size / took, None, None, None, took, None)]


def _bytes(text: str) -> int | None:
    found = _SIZE.fullmatch(text.strip())
    return int(found[1]) * _FACTOR[found[2].lower()] if found else None


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([0-9]{1,9})(s|m|h)?", text.strip())
    if not found:
        raise JobError(f"{text}: a length of time is written 30s, 5m or 1h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2] or "s"]
