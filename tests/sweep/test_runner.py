"""What a sweep does to a host, and that it undoes all of it, however it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.rulebase.base import load
from advisor.sweep.bench import IDENTIFIER, MountFailed, Stuck, SweepRefused
from advisor.sweep.jobs import JobError
from advisor.sweep.model import Asked, OwnNamespace, Plot, Run
from advisor.sweep.runner import FOLDER_STEP, SETTING_STEP, Runner, SweepExport, clean
from advisor.sweep.system import Journal, JournalError, JournalStep, Signalled
from tests.sweep.fake import HOST, SERVER, FakeHost

OWN = OwnNamespace("veth", "br0", "192.0.2.9/24")
JOBS = {"write": {"rw": "write", "bs": "8k", "size": "1m"}}
ASKED: Asked = {"mount.vers": "4.1", "mount.nconnect": 4, "mount.sync": True}
SLOTS = "sysctl.sunrpc.tcp_slot_table_entries"
SLOTS_FILE = "/proc/sys/sunrpc/tcp_slot_table_entries"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(str(tmp_path))


def runner(
    host: FakeHost, journal: Journal, own: OwnNamespace | None = OWN, jobs: dict[str, dict[str, str]] = JOBS
) -> Runner:
    return Runner(host, journal, SweepExport(SERVER, f"{SERVER}:/srv", own), load().tunables, jobs)


def sweep(host: FakeHost, journal: Journal, *plans: Asked, own: OwnNamespace | None = OWN) -> list[Run]:
    with runner(host, journal, own) as running:
        running.open(plans)
        jobs = [job for at, asked in enumerate(plans) for job in running.mount(plot(asked, at), ["write"])]
    return [run for job in jobs for run in job]


def plot(asked: Asked, at: int = 0) -> Plot:
    return Plot(at + 1, 1, at, False, asked, ("write",))


def is_clean(host: FakeHost, journal: Journal) -> bool:
    return not (host.held or host.mounted or host.folders or journal.pending()) and host.links == {"br0"}


def test_a_run_is_measured_and_nothing_stays(journal: Journal) -> None:
    host = FakeHost()
    (run,) = sweep(host, journal, ASKED)
    assert run.why is None
    assert run.rate == 1000
    assert "nconnect=4" in run.options
    assert is_clean(host, journal)


def test_the_identity_is_set_before_the_first_mount(journal: Journal) -> None:
    host = FakeHost(production="/data")
    sweep(host, journal, ASKED)
    assert host.inside[IDENTIFIER].startswith("advisor-")
    assert host.inside["/proc/sys/kernel/hostname"].startswith("advisor-")
    assert host.files["/proc/sys/kernel/hostname"] == f"{HOST}\n"
    named = next(at for at, command in enumerate(host.done) if command[:2] == ("tee", IDENTIFIER))
    assert named < host.names_done().index("mount.nfs")
    sysfs = host.done.index(("mount", "-t", "sysfs", "sysfs", "/sys"))
    assert sysfs < named, "the sysfs of the host would show the host's identity"


@pytest.mark.parametrize("stubborn", [{IDENTIFIER}, {"/proc/sys/kernel/hostname"}])
def test_without_an_identity_nothing_is_mounted(journal: Journal, stubborn: set[str]) -> None:
    host = FakeHost(production="/data")
    host.stubborn = stubborn
    with pytest.raises(SweepRefused, match="lease"):
        sweep(host, journal, ASKED)
    assert "mount.nfs" not in host.names_done()
    assert is_clean(host, journal)


def test_a_kernel_without_the_file_is_named_by_its_host_name(journal: Journal) -> None:
    host = FakeHost()
    del host.inside[IDENTIFIER]
    assert sweep(host, journal, ASKED)[0].why is None


def test_the_address_of_another_machine_is_refused(journal: Journal) -> None:
    host = FakeHost()
    host.answers = True
    with pytest.raises(SweepRefused, match=r"192\.0\.2\.9 answers already"):
        sweep(host, journal, ASKED)
    assert is_clean(host, journal)


def test_kerberos_needs_the_network_of_the_host(journal: Journal) -> None:
    host = FakeHost()
    with pytest.raises(SweepRefused, match="krb5"):
        sweep(host, journal, {**ASKED, "mount.sec": "krb5"})
    assert host.done == []


def test_beside_another_mount_the_host_is_no_place(journal: Journal) -> None:
    host = FakeHost(production="/data")
    with pytest.raises(SweepRefused, match="/data"):
        sweep(host, journal, ASKED, own=None)
    assert "mount.nfs" not in host.names_done()
    assert is_clean(host, journal)


def test_alone_the_host_is_a_place(journal: Journal) -> None:
    host = FakeHost()
    assert sweep(host, journal, ASKED, own=None)[0].why is None
    assert not host.own_network
    assert is_clean(host, journal)


def test_what_was_not_given_is_no_data(journal: Journal) -> None:
    class Smaller(FakeHost):
        def _mountinfo(self, path: str) -> str:
            return super()._mountinfo(path).replace("rsize=1048576", "rsize=65536")

    host = Smaller()
    (run,) = sweep(host, journal, {**ASKED, "mount.rsize": 1048576})
    assert run.rate is None
    assert run.why == "rsize=1048576 was asked for; in effect is rsize=65536"
    assert "fio" not in host.names_done()


def test_a_mount_that_fails_is_no_data_and_the_others_go_on(journal: Journal) -> None:
    class Picky(FakeHost):
        def _mount_nfs(self, command: tuple[str, ...], feed: str):  # type: ignore[no-untyped-def]
            if "vers=4.1" in command[4]:
                self.refuses["mount.nfs"] = "Protocol not supported"
            try:
                return super()._mount_nfs(command, feed) if not self.refuses else self.run(*command, within=1)
            finally:
                self.refuses.clear()

    host = Picky()
    first, second = sweep(host, journal, ASKED, {**ASKED, "mount.vers": "3"})
    assert first.why == "Protocol not supported"
    assert second.why is None
    assert is_clean(host, journal)


def test_version_3_takes_no_locks(journal: Journal) -> None:
    host = FakeHost()
    sweep(host, journal, {"mount.vers": "3"})
    assert all("nolock" in command[4] for command in host.done if command[0] == "mount.nfs")


def test_slot_tables_are_set_and_set_back(journal: Journal) -> None:
    host = FakeHost()
    assert sweep(host, journal, {**ASKED, SLOTS: 64})[0].why is None
    assert ("put", SLOTS_FILE, "64\n") in host.done
    assert host.files[SLOTS_FILE] == "2\n"
    assert is_clean(host, journal)


def test_slot_tables_are_left_alone_beside_any_mount(journal: Journal) -> None:
    host = FakeHost(production="/data")
    with pytest.raises(SweepRefused, match="/data"):
        sweep(host, journal, {**ASKED, SLOTS: 64})
    assert host.files[SLOTS_FILE] == "2\n"
    assert is_clean(host, journal)


@pytest.mark.parametrize("at", ["modprobe", "ip", "tee", "mount.nfs", "mkdir", "stat", "fio", "umount"])
def test_a_signal_at_any_step_leaves_nothing(journal: Journal, at: str) -> None:
    class Interrupted(FakeHost):
        ended = False

        def run(self, *command: str, within: float, feed: str = ""):  # type: ignore[no-untyped-def]
            done = super().run(*command, within=within, feed=feed)
            if at in command and not self.ended and "-p" not in command:
                self.ended = True
                raise Signalled(15)
            return done

    host = Interrupted()
    with pytest.raises(Signalled):
        sweep(host, journal, {**ASKED, SLOTS: 64})
    assert host.files[SLOTS_FILE] == "2\n"
    assert is_clean(host, journal)


def test_a_server_that_stops_answering_ends_the_sweep(journal: Journal) -> None:
    host = FakeHost()
    running = runner(host, journal)
    with running:
        running.open([ASKED])
        host.dead = {"fio", "rm"}
        with pytest.raises(Stuck, match="fio did not end in"):
            list(running.mount(plot(ASKED), ["write"]))
    assert running.remains
    assert not host.held
    assert [step.kind for step in journal.pending()] == [FOLDER_STEP]

    host.dead = set()
    assert clean(host, journal) == []
    assert is_clean(host, journal)


def test_a_server_that_never_answered_ends_it_at_once(journal: Journal) -> None:
    host = FakeHost()
    host.dead = {"mount.nfs"}
    with pytest.raises(MountFailed, match="did not answer"):
        sweep(host, journal, ASKED, {**ASKED, "mount.vers": "3"})
    assert host.names_done().count("mount.nfs") == 1
    assert is_clean(host, journal)


def test_an_export_that_cannot_be_written_is_refused(journal: Journal) -> None:
    class ReadOnly(FakeHost):
        def _mkdir(self, command: tuple[str, ...], feed: str):  # type: ignore[no-untyped-def]
            done = super()._mkdir(command, feed)
            self.folders.clear()
            return done if command[1] == "-p" else done._replace(code=1, err="mkdir: x: Read-only file system\n")

    host = ReadOnly()
    with pytest.raises(SweepRefused, match="Read-only file system"):
        sweep(host, journal, ASKED)
    assert is_clean(host, journal)


def test_too_little_space_is_refused(journal: Journal) -> None:
    host = FakeHost()
    running = runner(host, journal, jobs={"big": {"rw": "write", "size": "4g"}})
    with pytest.raises(SweepRefused, match="3906 MiB free"), running:
        running.open([ASKED])
    assert is_clean(host, journal)


def test_dd_stands_in_for_fio(journal: Journal) -> None:
    class WithDd(FakeHost):
        def _dd(self, _command: tuple[str, ...], _feed: str):  # type: ignore[no-untyped-def]
            from advisor.sweep.system import Done

            return Done(0, "", "128+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n")

    host = WithDd()
    host.lacks = {"fio"}
    assert sweep(host, journal, ASKED)[0].rate == 2097152
    running = runner(host, journal, jobs={"random": {"rw": "randread", "size": "1m", "bs": "4k"}})
    with pytest.raises(JobError, match="needs fio"), running:
        running.open([ASKED])


def test_what_a_killed_sweep_left_is_undone(tmp_path: Path) -> None:
    host, journal = FakeHost(), Journal(str(tmp_path))
    running = runner(host, journal)
    running.open([ASKED])
    host.files[SLOTS_FILE] = "64\n"
    journal.begin(JournalStep(SETTING_STEP, SLOTS_FILE, "2\n"))
    assert len(host.links) == 2
    host.release()  # with the process all of its namespaces go
    journal.close()
    assert host.folders

    later = Journal(str(tmp_path))
    assert clean(host, later) == []
    assert host.files[SLOTS_FILE] == "2\n"
    assert is_clean(host, later)


def test_one_sweep_at_a_time(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    with pytest.raises(JournalError, match="another sweep"):
        Journal(str(tmp_path))
    journal.close()
    Journal(str(tmp_path)).close()


def test_a_journal_that_was_cut_off_is_read(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path))
    first, second = JournalStep("place", "/a"), JournalStep(SETTING_STEP, "/b", "1\n")
    journal.begin(first)
    journal.begin(second)
    journal.undone(first)
    journal.close()
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"number": 3, "kind": "pla')
    again = Journal(str(tmp_path))
    assert again.pending() == [second]
    third = JournalStep("link", "c")
    again.begin(third)
    again.close()
    assert Journal(str(tmp_path)).pending() == [third, second]


def test_programs_are_asked_for(journal: Journal) -> None:
    host = FakeHost()
    host.lacks = {"nsenter", "ip"}
    with pytest.raises(SweepRefused, match="nsenter, ip"):
        sweep(host, journal, ASKED)
    assert host.done == []
