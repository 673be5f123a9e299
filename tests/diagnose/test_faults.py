"""Known faults of versions: named where the version is in their range, never where it is outside."""

from __future__ import annotations

from advisor.diagnose.diagnosis import CONFIRMED, Diagnosis
from advisor.diagnose.evidence import Reader
from advisor.diagnose.faults import shares
from advisor.rulebase.model import Erratum, RuleBase
from tests.tiers import in_both, part, thorough

TOLD = {"kernel": "The {side} runs kernel {version}.", "nfs-utils": "The {side} has nfs-utils {version}."}


def _named(reader: Reader, text: str) -> list[str]:
    return [fault.erratum.erratum for fault, _ in shares(reader.read(text).faults)]


def _report(erratum: Erratum, version: str) -> str:
    side = erratum.facts[0].partition(".")[0]
    words = f"{erratum.title}. {erratum.symptom}".split()
    told = " ".join(word for word in words if "." not in word[:-1])  # without other versions
    return f"{TOLD[erratum.package].format(side=side, version=version)}\n{told}"


@in_both
def test_each_is_the_first_inside_its_range_and_absent_outside(base: RuleBase) -> None:
    reader = base.ready(Reader)
    wrong = []
    for name, erratum in part(base.errata.items(), 4):
        spans = erratum.affected.get("mainline") or erratum.affected.get("upstream") or ()
        if erratum.package not in TOLD or not spans:
            continue
        if spans[0].introduced and _named(reader, _report(erratum, spans[0].introduced))[:1] != [name]:
            wrong.append(f"{name} is not the first in {spans[0].introduced}")
        if spans[-1].fixed and name in _named(reader, _report(erratum, spans[-1].fixed)):
            wrong.append(f"{name} is named in {spans[-1].fixed}")
    assert wrong == []


STALL = "INFO: task nfsd:812 blocked for more than 120 seconds.\n nfsd4_shutdown_callback+0xb9/0x120 [nfsd]"


def test_a_function_of_a_trace_and_the_version_confirm(base: RuleBase) -> None:
    first = Diagnosis(base, f"Server: Debian 12, 6.1.0-25-amd64\n{STALL}").causes[0]
    assert (first.cause.id, first.status) == ("nfsd-callback-hang", CONFIRMED)
    kinds = {kind for kind, *_ in first.because}
    assert {"version", "stack"} <= kinds


def test_a_function_alone_is_enough_to_look(base: RuleBase) -> None:
    reader = base.ready(Reader)
    found = [fault.erratum.erratum for fault in reader.read(STALL.splitlines()[1]).faults]
    assert "nfsd-callback-hang" in found
    assert reader.read("The mount hangs.").faults == []


def test_the_side_and_what_worked_count(base: RuleBase) -> None:
    reader = base.ready(Reader)
    said = "Two NFSv3 mounts of one NAS, one ro and one rw: Read-only file system on the writable one."
    fault = "client-ro-rw-shared"
    assert fault in _named(reader, f"{said} The client runs 6.12.20.")
    assert fault in _named(reader, f"{said} Since the update from 6.11.9 to 6.12.20.")
    assert fault not in _named(reader, f"{said} The client runs 6.11.9, the server runs 6.12.20.")
    assert fault not in _named(reader, f"{said} With 6.12.20 it works, with 6.12.21 it does not.")
    assert fault not in _named(reader, said), "without a version nothing is known"


def test_a_stream_without_a_range_is_judged_by_the_release_that_it_is_built_from(base: RuleBase) -> None:
    reader = base.ready(Reader)
    said = "qemu guests with qcow2 images on NFS do not start, Could not open backing file; server runs"
    assert "nfsd-unaligned-reads" in _named(reader, f"{said} 6.5.0-14-generic.")
    assert "nfsd-unaligned-reads" not in _named(reader, f"{said} 5.15.0-119-generic.")


ORDINARY = (
    "Debian 12, 6.1.0-28-amd64. mount.nfs: access denied by server while mounting nas:/srv/data",
    "Client 6.12.9. mount.nfs: Connection refused; the NFS server is not started.",
    "Arch, 6.17.3-arch1-1. At boot the mount fails: Network is unreachable, later mount -a works.",
    "Rocky 9, 5.14.0-427.el9: df hangs since the server was switched off.",
)


def test_an_ordinary_trouble_is_no_fault_of_the_version_that_is_told(base: RuleBase) -> None:
    reader = base.ready(Reader)
    assert {text: named for text in ORDINARY if (named := _named(reader, text))} == {}


@thorough
def test_a_trace_that_stops_elsewhere_is_of_another_fault(base: RuleBase) -> None:
    """Many faults crash a kernel of one version: the function in which it stopped says which."""
    reader = base.ready(Reader)
    tried = 0
    for name, erratum in base.errata.items():
        spans = erratum.affected.get("mainline") or ()
        if erratum.package != "kernel" or not erratum.stacks or not spans or not spans[0].introduced:
            continue
        told = _report(erratum, spans[0].introduced)
        if any(function in told for function in erratum.stacks):
            continue
        own, other = (
            next(fault.weight for fault in reader.read(f"{told}\nRIP: 0010:{function}+0x1f/0x90 [nfsd]").faults
                 if fault.erratum.erratum == name)
            for function in (erratum.stacks[0], "some_other_function")
        )
        assert other < own - 3, name
        tried += 1
    assert tried > 10


def test_beside_what_a_message_proves_a_version_alone_explains_nothing(base: RuleBase) -> None:
    text = (
        "The client runs 6.4.0. A Kerberos mount fails with Permission denied when requests are sent again:\n"
        "rpc.gssd: WARNING: Failed to create krb5 context for user with uid 0: Clock skew too great"
    )
    causes = Diagnosis(base, text).causes
    assert (causes[0].cause.id, causes[0].status) == ("krb5-clock-skew", CONFIRMED)
    assert not [one for one in causes if one.family == "known-fault" and one.likelihood > 0.1]
