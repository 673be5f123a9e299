"""The versions that people name and programs print, with side and time."""

from __future__ import annotations

from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import pasted_lines
from advisor.diagnose.versions import VersionReader
from advisor.rulebase.clauses import Vocabulary
from advisor.rulebase.model import RuleBase

PRINTED = {
    "Linux nas 6.1.0-28-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22) x86_64 GNU/Linux":
        ["kernel 6.1.119-1"],
    "6.8.0-45-generic": ["kernel 6.8.0-45-generic"],
    "Linux version 5.14.0-427.13.1.el9_4.x86_64 (builder@host) (gcc) #1 SMP PREEMPT_DYNAMIC":
        ["kernel 5.14.0-427.13.1.el9_4.x86_64"],
    "[ 12.345678] CPU: 3 PID: 123 Comm: nfsd Not tainted 6.1.71 #1": ["kernel 6.1.71 server"],
    "nfs-utils-2.5.4-25.el9.x86_64\nkernel-5.14.0-427.13.1.el9_4.x86_64":
        ["nfs-utils 2.5.4-25.el9", "kernel 5.14.0-427.13.1.el9_4"],
    "ii  nfs-common   1:2.6.2-4+deb12u1 amd64  NFS support files": ["nfs-utils 1:2.6.2-4+deb12u1"],
    "ii  linux-image-6.1.0-28-amd64 6.1.119-1 amd64  Linux 6.1": ["kernel 6.1.0-28-amd64"],
    "nfs-common/stable,now 1:2.6.2-4 amd64 [installed]": ["nfs-utils 1:2.6.2-4"],
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian': ["debian 12"],
    "uname -r: 6.12.48+deb13-amd64": ["kernel 6.12.48+deb13-amd64"],
    "[ 1.5] CPU: 3 PID: 9 Comm: kworker/u8:1 Not tainted 6.1.71 #1": ["kernel 6.1.71"],
    "[ 1.5] CPU: 3 PID: 9 Comm: kworker/u8:1 Not tainted 6.1.71 #1 Workqueue: nfsd4": ["kernel 6.1.71 server"],
    "[ 1.5] CPU: 3 PID: 9 Comm: bash Not tainted 6.1.71 #1 of nfsd": ["kernel 6.1.71"],
}
STATED = {
    "kernel 6.6.7": ["kernel 6.6.7"],
    "Which kernel?\nIn linux it hangs: 6.8": ["kernel 6.8"],
    "The NFS server:\nkernel 6.8": ["kernel 6.8 server"],
    "server: it runs\nkernel 6.8": ["kernel 6.8 server"],
    "# server\nkernel 6.8": ["kernel 6.8 server"],
    "The NFS server\nkernel 6.8": ["kernel 6.8"],
    "Result:\nkernel 6.8": ["kernel 6.8"],
    "Debian 12 client, server is Ubuntu 24.04 HWE": ["debian 12 client", "ubuntu 24.04 server"],
    "RHEL 9.4": ["rhel 9.4"],
    "Rocky Linux 9.3": ["rhel 9.3"],
    "Red Hat Enterprise Linux 9.4": ["rhel 9.4"],
    "Red Hat Enterprise Linux Server release 7.9 (Maipo)": ["rhel 7.9"],
    "SUSE Linux Enterprise Server 15 SP5": ["sles 15.5"],
    "Ubuntu Linux 22.04": ["ubuntu 22.04"],
    "Debian Linux 6.1.119": ["kernel 6.1.119"],
    "clients: Amazon Linux 2023": ["amazon 2023 client"],
    "openSUSE Leap 15.5": ["other 15.5"],
    "RHEL8.6 here, SLES 15 SP5 there": ["rhel 8.6", "sles 15.5"],
    "Kernel 5.10 on both sides.": ["kernel 5.10 client", "kernel 5.10 server"],
    "Client: Fedora 41, 6.11.4-300.fc41.x86_64\nServer: Debian 12, 6.1.0-28-amd64": [
        "fedora 41 client", "kernel 6.11.4-300.fc41 client", "debian 12 server", "kernel 6.1.0-28-amd64 server",
    ],
    "The server runs kernel 6.12.9, the clients run 6.8.0-45-generic":
        ["kernel 6.12.9 server", "kernel 6.8.0-45-generic client"],
    "after the update from 6.14.3 to 6.14.5 the mounts hang": ["kernel 6.14.3 before", "kernel 6.14.5"],
    "it worked with 5.15, but fails with kernel 6.8": ["kernel 5.15 before", "kernel 6.8"],
    "6.9.4 good, 6.9.5 bad": ["kernel 6.9.4 before", "kernel 6.9.5"],
    "Downgrading from 6.8.12 to 6.5.13 helps": ["kernel 6.8.12", "kernel 6.5.13 before"],
    "It is fixed in 6.14.6": ["kernel 6.14.6 after"],
    "kernel 5.15 is not affected": ["kernel 5.15 before"],
    "I upgraded nfs-utils to 2.8.3 and exportfs crashes": ["nfs-utils 2.8.3"],
    "tried 6.1, 6.6 and 6.12 kernels, all hang": ["kernel 6.6", "kernel 6.12"],
}
NOTHING = (
    "mount -o vers=4.1,proto=tcp 10.1.2.3:/export /mnt",
    "NFS 4.2, TrueNAS 24.10.2, docker 20.10.7, kubernetes v1.28.3",
    "NFS-Ganesha 5.7.1 and autofs 5.1.8",
    "NFSv4.1 is slow since 4.1 was chosen",
    "In linux it hangs: 6.8", "Which kernel?\nIt hangs: 6.8", "nfs-utils-coreos", "nfs-common/stable is installed",
)


def _read(base: RuleBase, text: str) -> list[str]:
    lists = Vocabulary(base.reading["synonyms"], base.concepts.values()).lists
    versions = VersionReader(base.facts["client.distro"], lists).read(list(pasted_lines(text)))
    said = [(v.distro if v.package == "release" else v.package, v.text, v.side, v.when) for v in versions]
    return [" ".join(word for word in words if word and word != "now") for words in said]


def test_what_is_printed_and_said(base: RuleBase) -> None:
    cases = {**PRINTED, **STATED}
    assert {text: found for text in cases if (found := _read(base, text)) != cases[text]} == {}


def test_what_a_file_or_a_program_shows_is_printed_and_what_people_say_is_not(base: RuleBase) -> None:
    lists = Vocabulary(base.reading["synonyms"], base.concepts.values()).lists
    reader = VersionReader(base.facts["client.distro"], lists)
    for text, printed in (
        ("ID=debian\nVERSION_ID=12", True), ("Linux web 6.1.0-28-amd64 #1 SMP", True), ("since kernel 6.1.0", False),
    ):
        assert [version.printed for version in reader.read(list(pasted_lines(text)))] == [printed], text


def test_what_looks_like_a_version_and_is_none_of_a_kernel(base: RuleBase) -> None:
    assert {text: found for text in NOTHING if (found := _read(base, text))} == {}


def test_they_are_facts_with_their_stream_of_the_side_that_is_named(base: RuleBase) -> None:
    reader = base.ready(Reader)
    read = reader.read("Server:\nLinux nas 6.1.0-28-amd64 #1 SMP Debian 6.1.119-1 (2024-11-22) x86_64").read
    known = {fact: value for fact, value, _ in read}
    assert (known["server.kernel"], known["server.kernel_stream"]) == ("6.1.119-1", "debian")
    said = reader.read("NFS hangs.\nClients run 6.8.0-45-generic.").stated
    stated = {(fact, value): line for fact, value, line in said}
    assert stated["client.kernel", "6.8.0-45-generic"] == 2
    assert stated["client.kernel_stream", "ubuntu"] == 2
    unclear = reader.read("NFS hangs with kernel 6.6.7.")
    assert not any("kernel" in stated.fact for stated in (*unclear.read, *unclear.stated))
    assert [version.text for version in unclear.versions] == ["6.6.7"]


def test_the_name_of_a_build_tells_its_release(base: RuleBase) -> None:
    def release(name: str) -> int:
        return base.engine.certain({"server.kernel": name})["server.kernel"]

    assert release("6.1.0-28-amd64") == release("6.1.119") != release("6.1")
    assert release("6.1.0-999-amd64") == release(">=6.1 <6.2")  # newer than the table: any release of the series
    assert release("6.1.0-28.el9") == release("6.1.0")
