"""Runs the mounts of a sweep one after another and takes down what came of each."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from advisor.observe import mountstats, quantities
from advisor.sweep import jobs as sweep_jobs
from advisor.sweep import undo
from advisor.sweep.bench import PLACE, Bench, MountFailed, NoAnswer, Stuck
from advisor.sweep.in_effect import READ_AHEAD, differences, kernel_path, mount_options
from advisor.sweep.isolation import SweepRefused, any_in_the_way
from advisor.sweep.jobs import JobError, Measured
from advisor.sweep.journal import Journal, JournalStep
from advisor.sweep.model import OwnNamespace, Run
from advisor.sweep.system import Done, System, TooSlow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from advisor.observe.mountstats import CountedMount
    from advisor.readers.mountinfo import MountInfo
    from advisor.sweep.in_effect import Tunables
    from advisor.sweep.model import Asked, Job, Plot

_SLACK = 120.0
"""Seconds that a job may take beyond its own time."""
_SLOWEST = 1 << 20
"""Bytes per second: what is slower is taken for stuck."""
_SPARE = 1.1
_QUICK = 10.0


class SweepExport(NamedTuple):
    """Where to measure: the server's address, as a number; what is mounted, as mount takes it; the namespace."""

    address: str
    source: str
    own: OwnNamespace | None


class Runner:
    """One sweep. `jobs`: name → parameters of fio. `settings`: all that any run asks for.

    Use it as a context: it undoes everything at the end, however that comes."""

    def __init__(
        self, system: System, journal: Journal, place: SweepExport, tunables: Tunables,
        jobs: Mapping[str, Job],
    ) -> None:
        self._system = system
        self._journal = journal
        self._place = place
        self._tunables = tunables
        self._jobs = jobs
        self._bench = Bench(system, journal, place.address, place.source, place.own)
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
            undo.restore(self._system, self._journal)
        except OSError as error:
            self.remains.append(f"settings of this host: {error}")
        try:
            if self._step is not None:
                self._take_folder_away(self._step)
        except (MountFailed, OSError, SweepRefused, Stuck, TooSlow) as error:
            self.remains.append(f"{self._place.source}/{self._folder}: {error}")
        finally:
            self._bench.close()

    def open(self, plans: Sequence[Asked]) -> None:
        """Build the namespaces, make a folder on the server, and the files that jobs read. `plans`: what is asked for,
        of all mounts. Raises SweepRefused, MountFailed, Stuck, JobError."""
        for name, job in self._jobs.items():
            sweep_jobs.check(name, job)
            if self.tool == "dd":
                sweep_jobs.dd(job, "")
        if any(kernel_path(name) for asked in plans for name in asked):
            self._refuse_any()
        if self._place.own and any(str(asked.get("mount.sec", "")).startswith("krb5") for asked in plans):
            raise SweepRefused(
                "sec=krb5 does not work in a network namespace of its own: rpc.gssd serves the host's",
                "let the plan use the host's network (isolation: host), or leave sec=krb5 out",
            )
        self._bench.open()
        self._options = self._first_mount(plans)
        step = JournalStep(undo.FOLDER, self._folder, undo.detail(*self._place, self._options))
        self._journal.doing(step)
        self._step = step
        made = self._run("mkdir", "--mode=700", self._path, within=_SLACK)
        if made.code:
            self._step = None
            self._journal.undone(step)
            raise SweepRefused(
                f"no folder can be made in {self._place.source}: {made.said.rpartition(': ')[2]}",
                "the sweep writes as root: where the server maps root to nobody (root_squash), give it a "
                "folder of the export that everybody may write to",
            )
        self._check_space()
        for name, job in self._jobs.items():
            if sweep_jobs.direction(job) not in ("write", "randwrite"):
                self._lay_out(name, job)
        self._unmount()

    def mount(self, plot: Plot, names: Sequence[str]) -> Generator[list[Run], None, None]:
        """Mount as a plan says, and run these of its jobs: gives the runs of each. A mount without the options
        that it was asked for gives no data. Raises Stuck where the server does not answer any more; SweepRefused where
        another mount appeared."""
        try:
            self._set(plot.asked)
            mounted = self._bench.mount(mount_options(self._tunables, plot.asked))
            yield from self._mounted(plot, names, mounted)
        except NoAnswer as error:
            raise self._gone(str(error)) from None
        except MountFailed as error:
            yield from (self._none(plot, name, "", str(error)) for name in names)
        finally:
            undo.restore(self._system, self._journal)

    def _mounted(self, plot: Plot, names: Sequence[str], mounted: MountInfo) -> Generator[list[Run], None, None]:
        try:
            self._read_ahead(plot.asked, mounted)
            shown = f"{mounted.options},{mounted.super_options}"
            wrong = differences(self._tunables, plot.asked, mounted)
            for name in names:
                if wrong:
                    yield self._none(plot, name, shown, "; ".join(wrong))
                else:
                    yield self._job(plot, name, shown)
        finally:
            if not self._stuck:
                self._unmount()

    @property
    def _path(self) -> str:
        return f"{PLACE}/{self._folder}"

    def _run(self, *command: str, within: float) -> Done:
        try:
            return self._bench.run(*command, within=within)
        except TooSlow as error:
            raise self._gone(str(error)) from None

    def _gone(self, why: str) -> Stuck:
        """The server does not answer: nothing more is asked of it."""
        self._stuck = True
        self._bench.abandon()
        return Stuck(why)

    def _unmount(self) -> None:
        self._bench.unmount()

    def _first_mount(self, plans: Sequence[Asked]) -> str:
        """Mount with the first options that the server accepts, and return them."""
        first: MountFailed | None = None
        for options in dict.fromkeys(mount_options(self._tunables, asked) for asked in plans):
            try:
                self._bench.mount(options)
            except MountFailed as error:
                first = first or error
                if isinstance(error, NoAnswer):
                    break
            else:
                return options
        raise first or MountFailed("the plan has no mounts")

    def _check_space(self) -> None:
        output = self._run("stat", "--file-system", "--format=%a %S", self._path, within=_SLACK)
        words = output.out.split()
        if output.code or len(words) != 2:
            raise SweepRefused(f"the free space of {self._place.source} cannot be read: {output.said}")
        free = int(words[0]) * int(words[1])
        needed = sum(sweep_jobs.size(job) for job in self._jobs.values())
        if free < needed * _SPARE:
            raise SweepRefused(
                f"{self._place.source} has {free >> 20} MiB free; the jobs need {needed >> 20} MiB and a tenth more",
                "make the jobs smaller (size), or free some space",
            )

    def _lay_out(self, name: str, job: Mapping[str, str]) -> None:
        within = _SLACK + sweep_jobs.size(job) / _SLOWEST
        if self.tool == "fio":
            done = self._run(*sweep_jobs.fio(name, job, self._path, lay_out=True), within=within)
        else:
            done = self._run(*sweep_jobs.dd({**job, "rw": "write"}, self._file(name)), within=within)
        if done.code:
            raise JobError(f"the files of job {name} cannot be written: {done.said}")

    def _file(self, name: str) -> str:
        return f"{self._path}/{name}.dd"

    def _job(self, plot: Plot, name: str, shown: str) -> list[Run]:
        job = self._jobs[name]
        before, began, started = self._counters(), self._system.now(), self._system.date()
        try:
            measured = self._measure(name, job)
        except JobError as error:
            return self._none(plot, name, shown, str(error))
        after, took = self._counters(), self._system.now() - began
        counted: Mapping[str, int | str] = {}
        if after is not None:
            counted = quantities.of_mount(before, after, quantities.called_operations(before, after), took)
        return [
            Run(plot.number, plot.block, plot.point, plot.drift, plot.asked, name, one.direction, one.rate, one.iops,
                one.mean, one.p99, one.seconds, one.steady, started, shown, counted, self.tool)
            for one in measured
        ]

    def _none(self, plot: Plot, name: str, shown: str, why: str) -> list[Run]:
        """The run of a job that gave no data."""
        kind = sweep_jobs.direction(self._jobs[name])
        return [
            Run(plot.number, plot.block, plot.point, plot.drift, plot.asked, name,
                "write" if kind.endswith("write") else "read", None, None, None, None, 0.0, None, self._system.date(),
                shown, {}, self.tool, why)
        ]

    def _measure(self, name: str, job: Mapping[str, str]) -> list[Measured]:
        within = _SLACK + (sweep_jobs.seconds(job) or sweep_jobs.size(job) / _SLOWEST)
        if self.tool == "fio":
            done = self._run(*sweep_jobs.fio(name, job, self._path), within=within)
            if done.code:
                raise JobError(f"fio: {done.said}")
            return sweep_jobs.read_fio(done.out)
        kind = sweep_jobs.direction(job)
        file = self._file(name)
        done = self._run(*sweep_jobs.dd(job, file), within=within)
        if done.code:
            raise JobError(done.said)
        measured = sweep_jobs.read_dd(kind, done.err)
        if kind == "write":
            self._run("rm", "-f", "--", file, within=_SLACK)
        return measured

    def _counters(self) -> CountedMount | None:
        found = (one for one in mountstats.read_mountstats(self._bench.counters()) if one.target == PLACE)
        return next(found, None)

    def _set(self, asked: Asked) -> None:
        """Set what every mount of this kernel shares; it is set back after the run. Raises SweepRefused."""
        for name, value in asked.items():
            path = kernel_path(name)
            if path is None:
                continue
            self._refuse_any()
            try:
                step = JournalStep(undo.SETTING, path, self._system.text(path))
                self._journal.doing(step)
                self._system.put(path, f"{value}\n")
                now = self._system.text(path).strip()
            except OSError as error:
                raise MountFailed(f"{path}: {error.strerror}") from None
            if now != str(value):
                raise MountFailed(f"{path}: {value} was asked for; in effect is {now}")

    def _refuse_any(self) -> None:
        others = any_in_the_way(self._system)
        if others:
            raise SweepRefused(
                f"{', '.join(others)}: the plan changes settings that all NFS mounts of this host share",
                "unmount them, or take these factors out of the plan",
            )

    def _read_ahead(self, asked: Asked, mounted: MountInfo) -> None:
        if READ_AHEAD in asked:
            self._system.put(f"/sys/class/bdi/{mounted.device}/read_ahead_kb", f"{asked[READ_AHEAD]}\n")

    def _take_folder_away(self, step: JournalStep) -> None:
        if self._stuck:
            raise Stuck("the server does not answer")
        if self._bench.mounted() is None:
            self._bench.mount(self._options)
        undo.remove(self._bench, step.what)
        self._bench.unmount()
        self._journal.undone(step)
