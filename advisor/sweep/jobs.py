"""Benchmark jobs: fio jobs, or the nearest equivalent with dd. Reads jobs from recipes and files, makes their commands,
and parses the output."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from advisor import user_files
from advisor.engine import word_list
from advisor.regex import regex
from advisor.rulebase.model import Recipe
from advisor.rulebase.spelling import near
from advisor.sweep.model import Job

ALLOWED = frozenset((
    "rw", "readwrite", "bs", "blocksize", "size", "filesize", "nrfiles", "numjobs", "iodepth", "direct", "buffered",
    "ioengine", "runtime", "ramp_time", "time_based", "ss", "steadystate", "ss_dur", "steadystate_duration",
    "ss_ramp", "steadystate_ramp_time", "rwmixread", "fsync", "fdatasync", "end_fsync", "sync", "invalidate",
    "norandommap", "random_distribution", "randrepeat", "refill_buffers", "buffer_compress_percentage", "openfiles",
    "thinktime", "rate", "rate_iops", "loops", "fallocate",
))
"""Parameters of fio that a job may have: those that cannot name a file or run a program."""
_SET_BY_RUNNER = ("directory", "name", "group_reporting", "thread", "stonewall", "description")
"""Parameters that the runner sets itself, or has no use for: a job file may have them, and they are ignored."""
ENGINES = ("psync", "sync", "pvsync", "pvsync2", "libaio", "io_uring", "posixaio", "mmap")
LOST_WITH_DD = "dd instead of fio: no steady state, no ramp, no latencies, one process, and zeros for data"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = regex(r"([0-9]{1,12})([kmgt]?)(?:i?b)?", re.IGNORECASE)
_DIRECTIONS = ("read", "write")


class JobError(Exception):
    """The job is not known, cannot be run, or gave no result; the text says why."""


class Measured(NamedTuple):
    """One direction of a job. `rate`: bytes per second; `mean`, `p99`: microseconds that a call took, None if they
    are not known; `seconds`: how long was measured; `steady`: whether fio's criterion was met, None if the job has
    none."""

    direction: str
    rate: float
    iops: float | None
    mean: float | None
    p99: float | None
    seconds: float
    steady: bool | None


def check(name: str, job: Job) -> None:
    """Raises JobError if a parameter is forbidden, wrong or missing."""
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
    """fio's word for what a job does: read, write, randread, randwrite, rw or randrw. Raises JobError."""
    word = job.get("rw") or job.get("readwrite") or "read"
    if word not in ("read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"):
        raise JobError(f"rw={word}: write read, write, randread, randwrite, rw or randrw")
    return word


def reads(job: Job) -> bool:
    return direction(job) not in ("write", "randwrite")


def writes(job: Job) -> bool:
    return direction(job) not in ("read", "randread")


def size(job: Job) -> int:
    """Bytes of the job's files. Raises JobError."""
    each = _bytes(job.get("size", ""))
    copies = job.get("numjobs", "1")
    if each is None or each < 1 or not copies.isdecimal() or not 1 <= int(copies[:6]) <= 1024:
        raise JobError("size is needed, such as size=1g, and numjobs from 1 to 1024")
    return each * int(copies)


def seconds(job: Job) -> float:
    """The longest time that the job runs; 0 if it runs until its size is done. Raises JobError."""
    return _seconds(job.get("runtime", "0")) + _seconds(job.get("ramp_time", "0"))


def jobs_of_recipe(recipes: Mapping[str, Recipe], name: str) -> dict[str, Job]:
    """The jobs of a recipe: one for each of its runs. Raises JobError."""
    usable = sorted(known for known, recipe in recipes.items() if recipe.tool == "fio")
    recipe = recipes.get(name)
    if recipe is None or recipe.tool != "fio":
        hint = near(name, usable, f"there are {word_list(usable, 'and')}")
        raise JobError(f"--job {name}: no job has this name; {hint}")
    usual = {parameter.name: str(parameter.default) for parameter in recipe.parameters if parameter.default is not None}
    jobs: dict[str, Job] = {}
    for run in recipe.runs or ({},):
        settings = {**usual, **{key: str(value) for key, value in run.items()}, "directory": "."}
        words = [re.sub(r"\{([\w-]+)\}", lambda hit: settings[hit[1]], word) for word in recipe.command]  # noqa: B023
        options = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
        title = options.get("name") or name
        job = {key: value or "1" for key, value in options.items() if key not in _SET_BY_RUNNER}
        jobs[title] = _with_size(job)
        _check_at(title, jobs[title], f"--job {name}")
    return jobs


def jobs_of_file(path: str) -> dict[str, Job]:
    """The jobs of a fio job file, each with the parameters of [global]. Raises JobError, with line and column."""
    try:
        lines = user_files.read_text(path).splitlines()
    except user_files.UserFileError as error:
        raise JobError(str(error)) from None
    shared: dict[str, str] = {}
    jobs: dict[str, dict[str, str]] = {}
    first_line: dict[str, int] = {}
    section: dict[str, str] | None = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        at = f"{path}:{number}:{line.index(text) + 1}"
        if text.startswith("["):
            name = text[1:].partition("]")[0]
            if not text.endswith("]") or not name:
                raise JobError(f"{at}: the name of a job ends with ]; write [name]")
            if name in jobs:
                raise JobError(f"{at}: [{name}] is there already, in line {first_line[name]}; give it another name")
            section = shared if name == "global" else jobs.setdefault(name, dict(shared))
            first_line[name] = number
            continue
        if section is None:
            raise JobError(f"{at}: {text}: comes before the first [job]; begin with [global] or the name of a job")
        key, _, value = (word.strip() for word in text.partition("="))
        if key in _SET_BY_RUNNER:
            continue
        if key not in ALLOWED:
            known = f"a sweep takes {', '.join(sorted(ALLOWED))}"
            raise JobError(f"{at}: {key}: a sweep does not pass this on to fio; {near(key, ALLOWED, known)}")
        if "$" in value:
            raise JobError(f"{at}: {key}={value}: variables are not filled in; write the value itself")
        section[key] = value or "1"
    if not jobs:
        raise JobError(f"{path}: contains no job; write [name] and below it what fio does")
    for name, job in jobs.items():
        jobs[name] = _with_size(job)
        _check_at(name, jobs[name], f"{path}:{first_line[name]}:1")
    return dict(jobs)


def _with_size(job: dict[str, str]) -> dict[str, str]:
    """The job with the size of all its files, where it has that of each."""
    if "size" not in job and "filesize" in job and job.get("nrfiles", "1").isdecimal():
        size = re.fullmatch(r"([0-9]{1,12})(\D*)", job["filesize"])
        if size:
            return {**job, "size": f"{int(size[1]) * int(job.get('nrfiles', '1')[:6])}{size[2]}"}
    return job


def _check_at(name: str, job: Job, where: str) -> None:
    try:
        check(name, job)
    except JobError as error:
        raise JobError(f"{where}: {error}") from None


def fio(name: str, job: Job, folder: str, *, lay_out: bool = False) -> list[str]:
    """The command. `lay_out`: only write the files that it reads."""
    given = {"ioengine": "psync", "fallocate": "none", **job}
    command = ["fio", "--output-format=json", "--thread", f"--name={name}", f"--directory={folder}",
               "--group_reporting", *(f"--{key}={value}" for key, value in given.items())]
    if lay_out:
        command.append("--create_only=1")
    elif not reads(job):
        command.append("--unlink=1")  # each run writes a new file
    return command


def read_fio(output: str) -> list[Measured]:
    """Raises JobError."""
    try:
        data = json.loads(output[output.index("{"):])
        job = data["jobs"][0]
        if job["error"]:
            raise JobError(f"fio ended with error {job['error']}")
        state = job.get("steadystate")
        steady = None if state is None else bool(state["attained"])
        measured = []
        for name in _DIRECTIONS:
            part = job[name]
            if part["total_ios"]:
                latency = part["clat_ns"]
                p99 = latency.get("percentile", {}).get("99.000000")
                measured.append(Measured(
                    name, float(part["bw_bytes"]), float(part["iops"]), float(latency["mean"]) / 1000,
                    None if p99 is None else float(p99) / 1000, float(part["runtime"]) / 1000, steady,
                ))
    except (ValueError, LookupError, TypeError, AttributeError):
        raise JobError("fio printed no result that can be read") from None
    if not measured:
        raise JobError("fio counted no reads or writes; the run must be longer than its ramp time")
    return measured


def dd(job: Job, file: str) -> list[str]:
    """The nearest equivalent dd command, once over the whole size. Raises JobError if there is none."""
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
    """From the summary that dd prints. Raises JobError."""
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
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) * _UNITS[match[2].lower()] if match else None


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([0-9]{1,9})(s|m|h)?", text.strip())
    if not match:
        raise JobError(f"{text}: a length of time is written 30s, 5m or 1h")
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2] or "s"]
