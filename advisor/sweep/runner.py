"""Runs the mounts of a sweep one after the other, and undoes its changes: at the end, or later from the journal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from advisor.files.mountinfo import MountInfo
from advisor.observe import counters, quantities
from advisor.observe.counters import CountedMount
from advisor.sweep import bench
from advisor.sweep import jobs as sweep_jobs
from advisor.sweep.bench import Bench, MountFailed, Stuck, SweepRefused
from advisor.sweep.design import READ_AHEAD, Tunables, differences, kernel_path, mount_options
from advisor.sweep.jobs import JobError, Measured
from advisor.sweep.model import Asked, Job, OwnNamespace, Plot, Run
from advisor.sweep.system import Done, Journal, JournalStep, System, TooSlow

FOLDER_STEP = "folder"
"""A folder on the server; the detail is JSON with the data to mount the export again."""
SETTING_STEP = "setting"
"""A file of the kernel; the detail is its earlier content."""
_SLACK = 120.0
"""Seconds that a job may take beyond its own time."""
_LOWEST_RATE = 1 << 20
"""Bytes per second: a slower job is taken to be stuck."""
_SPARE = 1.1
"""Free space that is needed, as a part of the size of all files."""
_REMOVE_SECONDS = 600.0


class SweepExport(NamedTuple):
    """Where to measure: the server's address, as a number; the export, as mount takes it; a network namespace of its
    own, or None for the host's."""

    address: str
    source: str
    own: OwnNamespace | None


class Runner:
    """One sweep. Use it as a context manager: it undoes everything at its end, whatever ends it."""

    def __init__(
        self, system: System, journal: Journal, export: SweepExport, tunables: Tunables, jobs: Mapping[str, Job]
    ) -> None:
        self._system = system
        self._journal = journal
        self._export = export
        self._tunables = tunables
        self._jobs = jobs
        self._bench = Bench(system, journal, *export)
        self._folder = f"nfs-advisor-sweep-{secrets.token_hex(8)}"
        self._step: JournalStep | None = None
        self._options = ""
        self._stuck = False
        self.tool = "fio" if system.has("fio") else "dd"
        """What runs the jobs."""
        self.remains: list[str] = []
        """What could not be undone, for people."""

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        self._system.finish()
        try:
            restore_settings(self._system, self._journal)
        except OSError as error:
            self.remains.append(f"settings of this host: {error}")
        try:
            if self._step is not None:
                self._remove_own_folder(self._step)
        except (MountFailed, OSError, SweepRefused, Stuck, TooSlow) as error:
            self.remains.append(f"{self._export.source}/{self._folder}: {error}")
        finally:
            self._bench.close()

    def open(self, plans: Sequence[Asked]) -> None:
        """Build the namespaces, and make a folder on the server with the files that jobs read. `plans`: the settings of
        each mount. Raises SweepRefused, MountFailed, Stuck, JobError."""
        for name, job in self._jobs.items():
            sweep_jobs.check(name, job)
            if self.tool == "dd":
                sweep_jobs.dd(job, "")
        if any(kernel_path(name) for asked in plans for name in asked):
            self._refuse_other_mounts()
        if self._export.own and any(str(asked.get("mount.sec", "")).startswith("krb5") for asked in plans):
            raise SweepRefused(
                "sec=krb5 does not work in a separate network namespace: rpc.gssd serves the host's",
                "let the plan use the host's network (isolation: host), or leave sec=krb5 out",
            )
        self._bench.open()
        self._options = self._first_mount(plans)
        step = JournalStep(FOLDER_STEP, self._folder, json.dumps({
            **self._export._asdict(), "own": self._export.own and list(self._export.own), "options": self._options,
        }))
        self._journal.begin(step)
        self._step = step
        made = self._run("mkdir", "--mode=700", self._path, within=_SLACK)
        if made.code:
            self._step = None
            self._journal.undone(step)
            raise SweepRefused(
                f"no folder can be created in {self._export.source}: {made.message.rpartition(': ')[2]}",
                "the sweep writes as root: if the server maps root to nobody (root_squash), give it a "
                "folder of the export that anyone may write to",
            )
        self._check_space()
        for name, job in self._jobs.items():
            if sweep_jobs.reads(job):
                self._lay_out(name, job)
        self._bench.unmount()

    def mount(self, plot: Plot, names: Sequence[str]) -> Generator[list[Run], None, None]:
        """Mount as planned, and run these of the plot's jobs: yields the runs of each. A mount that does not have the
        options it was to have gives no data. Raises Stuck if the server does not answer any more; SweepRefused where
        another mount appeared."""
        try:
            self._set_kernel_wide(plot.asked)
            mounted = self._bench.mount(mount_options(self._tunables, plot.asked))
            yield from self._run_jobs(plot, names, mounted)
        except bench.NoAnswer as error:
            raise self._give_up(str(error)) from None
        except MountFailed as error:
            yield from (self._no_data(plot, name, "", str(error)) for name in names)
        finally:
            restore_settings(self._system, self._journal)

    def _run_jobs(self, plot: Plot, names: Sequence[str], mounted: MountInfo) -> Generator[list[Run], None, None]:
        try:
            if READ_AHEAD in plot.asked:
                self._system.put(f"/sys/class/bdi/{mounted.device}/read_ahead_kb", f"{plot.asked[READ_AHEAD]}\n")
            shown = f"{mounted.options},{mounted.super_options}"
            wrong = differences(self._tunables, plot.asked, mounted)
            for name in names:
                if wrong:
                    yield self._no_data(plot, name, shown, "; ".join(wrong))
                else:
                    yield self._run_job(plot, name, shown)
        finally:
            if not self._stuck:
                self._bench.unmount()

    @property
    def _path(self) -> str:
        return f"{bench.MOUNT_POINT}/{self._folder}"

    def _run(self, *command: str, within: float) -> Done:
        try:
            return self._bench.run(*command, within=within)
        except TooSlow as error:
            raise self._give_up(str(error)) from None

    def _give_up(self, why: str) -> Stuck:
        """The server does not answer: send it nothing more."""
        self._stuck = True
        self._bench.abandon()
        return Stuck(why)

    def _first_mount(self, plans: Sequence[Asked]) -> str:
        """Mount with the first options that the server accepts, and return them."""
        first: MountFailed | None = None
        for options in dict.fromkeys(mount_options(self._tunables, asked) for asked in plans):
            try:
                self._bench.mount(options)
            except MountFailed as error:
                first = first or error
                if isinstance(error, bench.NoAnswer):
                    break
            else:
                return options
        raise first or MountFailed("the plan has no mounts")

    def _check_space(self) -> None:
        output = self._run("stat", "--file-system", "--format=%a %S", self._path, within=_SLACK)
        words = output.out.split()
        if output.code or len(words) != 2:
            raise SweepRefused(f"the free space of {self._export.source} cannot be read: {output.message}")
        free = int(words[0]) * int(words[1])
        needed = sum(sweep_jobs.size(job) for job in self._jobs.values())
        if free < needed * _SPARE:
            raise SweepRefused(
                f"{self._export.source} has {free >> 20} MiB free; the jobs need {needed >> 20} MiB and a tenth more",
                "make the jobs smaller (size), or free some space",
            )

    def _lay_out(self, name: str, job: Mapping[str, str]) -> None:
        within = _SLACK + sweep_jobs.size(job) / _LOWEST_RATE
        if self.tool == "fio":
            done = self._run(*sweep_jobs.fio(name, job, self._path, lay_out=True), within=within)
        else:
            done = self._run(*sweep_jobs.dd({**job, "rw": "write"}, self._file(name)), within=within)
        if done.code:
            raise JobError(f"the files of job {name} cannot be written: {done.message}")

    def _file(self, name: str) -> str:
        return f"{self._path}/{name}.dd"

    def _run_job(self, plot: Plot, name: str, shown: str) -> list[Run]:
        job = self._jobs[name]
        before, began, run = self._counters(), self._system.now(), self._empty_run(plot, name, shown)
        try:
            measured = self._measure(name, job)
        except JobError as error:
            return self._no_data(plot, name, shown, str(error))
        after, took = self._counters(), self._system.now() - began
        counted: Mapping[str, int | str] = {}
        if after is not None:
            counted = quantities.of_mount(before, after, quantities.called_operations(before, after), took)
        return [run._replace(**measurement._asdict(), counted=counted) for measurement in measured]

    def _no_data(self, plot: Plot, name: str, shown: str, why: str) -> list[Run]:
        """The run of a job that gave no data."""
        return [self._empty_run(plot, name, shown)._replace(why=why)]

    def _empty_run(self, plot: Plot, name: str, shown: str) -> Run:
        """A run of a job that starts now, without its results. `shown`: the options in effect."""
        kind = sweep_jobs.direction(self._jobs[name])
        return Run(
            plot.number, plot.block, plot.point, plot.drift, plot.asked, name,
            direction="write" if kind.endswith("write") else "read", rate=None, iops=None, mean=None, p99=None,
            seconds=0.0, steady=None, started=self._system.date(), options=shown, counted={}, tool=self.tool,
        )

    def _measure(self, name: str, job: Mapping[str, str]) -> list[Measured]:
        within = _SLACK + (sweep_jobs.seconds(job) or sweep_jobs.size(job) / _LOWEST_RATE)
        if self.tool == "fio":
            done = self._run(*sweep_jobs.fio(name, job, self._path), within=within)
            if done.code:
                raise JobError(f"fio: {done.message}")
            return sweep_jobs.read_fio(done.out)
        kind = sweep_jobs.direction(job)
        file = self._file(name)
        done = self._run(*sweep_jobs.dd(job, file), within=within)
        if done.code:
            raise JobError(done.message)
        measured = sweep_jobs.read_dd(kind, done.err)
        if kind == "write":
            self._run("rm", "-f", "--", file, within=_SLACK)
        return measured

    def _counters(self) -> CountedMount | None:
        mounts = counters.read_mountstats(self._bench.counters())
        return next((mount for mount in mounts if mount.target == bench.MOUNT_POINT), None)

    def _set_kernel_wide(self, asked: Asked) -> None:
        """Set what all mounts of this kernel share; restored after the run. Raises SweepRefused, MountFailed."""
        for name, value in asked.items():
            path = kernel_path(name)
            if path is None:
                continue
            self._refuse_other_mounts()
            try:
                step = JournalStep(SETTING_STEP, path, self._system.text(path))
                self._journal.begin(step)
                self._system.put(path, f"{value}\n")
                now = self._system.text(path).strip()
            except OSError as error:
                raise MountFailed(f"{path}: {error.strerror}") from None
            if now != str(value):
                raise MountFailed(f"{path}: {value} was asked for; in effect is {now}")

    def _refuse_other_mounts(self) -> None:
        others = bench.all_nfs_mounts(self._system)
        if others:
            raise SweepRefused(
                f"{', '.join(others)}: the plan changes settings that all NFS mounts of this host share",
                "unmount them, or remove these factors from the plan",
            )

    def _remove_own_folder(self, step: JournalStep) -> None:
        if self._stuck:
            raise Stuck("the server does not answer")
        if self._bench.mounted() is None:
            self._bench.mount(self._options)
        _remove_folder(self._bench, step.what)
        self._bench.unmount()
        self._journal.undone(step)


def clean(system: System, journal: Journal) -> list[str]:
    """Undo what a killed sweep left, as far as possible. Returns what is still left, for people."""
    remains = []
    for step in journal.pending():
        try:
            _undo(system, journal, step)
        except (MountFailed, OSError, SweepRefused, Stuck, TooSlow, ValueError) as error:
            remains.append(f"{_step_text(step)}: {error}")
        else:
            journal.undone(step)
    return remains


def restore_settings(system: System, journal: Journal) -> None:
    """Restore the kernel's settings. Raises OSError."""
    for step in journal.pending():
        if step.kind == SETTING_STEP:
            system.put(step.what, step.detail)
            journal.undone(step)


def _undo(system: System, journal: Journal, step: JournalStep) -> None:
    if step.kind == SETTING_STEP:
        system.put(step.what, step.detail)
    elif step.kind == bench.LINK_STEP:
        if step.what in system.names("/sys/class/net"):
            system.run("ip", "link", "del", step.what, within=bench.QUICK)
    elif step.kind == bench.PLACE_STEP:
        system.run("rmdir", "--ignore-fail-on-non-empty", bench.MOUNT_POINT, within=bench.QUICK)
    elif step.kind == FOLDER_STEP:
        folder = json.loads(step.detail)
        own = OwnNamespace(*folder["own"]) if folder["own"] else None
        made = Bench(system, journal, folder["address"], folder["source"], own)
        try:
            made.open()
            made.mount(folder["options"])
            _remove_folder(made, step.what)
            made.unmount()
        finally:
            made.close()


def _remove_folder(on: Bench, name: str) -> None:
    """Remove a folder from the export, which is mounted. Raises OSError, TooSlow."""
    done = on.run("rm", "-r", "-f", "--one-file-system", "--", f"{bench.MOUNT_POINT}/{name}", within=_REMOVE_SECONDS)
    if done.code:
        raise OSError(done.message)


def _step_text(step: JournalStep) -> str:
    if step.kind == FOLDER_STEP:
        return f"folder {step.what} in {json.loads(step.detail)['source']}"
    if step.kind == SETTING_STEP:
        return f"{step.what} (was {step.detail.strip()})"
    return f"{step.kind} {step.what}"
