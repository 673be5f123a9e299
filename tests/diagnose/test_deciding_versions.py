"""What is decided of a version in a text, with lines and faults made up for it: which program it is of, who printed it,
whether a fault is in it, and how that is said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.diagnose import faults
from advisor.diagnose.faults import FaultFinder, FoundFault, fault_cause
from advisor.diagnose.messages import pasted_lines
from advisor.diagnose.versions import NOW, Version, VersionReader
from advisor.rulebase.base import load
from advisor.rulebase.clauses import Vocabulary
from advisor.rulebase.model import VersionRange
from tests.each import each

BASE = load()
READER = VersionReader(BASE.facts["client.distro"], Vocabulary.from_tables(**BASE.reading["vocabulary"]).lists)


@each(lambda: [
    ("6.8.0-45-generic", [("kernel", "6.8.0-45-generic")]), ("6.8.0-45-generic here", []),
    ("Linux version 6.8.0 (x)", [("kernel", "6.8.0")]), ("the version 6.8.0 (x)", []),
    ("6.8.0 #1", [("kernel", "6.8.0")]), ("6.8.0 1", []),
    ("6.1.0-28-amd64 #1 SMP Debian 6.1.119-1 (2024)", [("kernel", "6.1.119-1")]),
    ("ii nfs-common 1:2.6.2-4", [("nfs-utils", "1:2.6.2-4")]), ("hi nfs-common:amd64 2.6", [("nfs-utils", "2.6")]),
    ("rc nfs-common 2.6", []), ("ii nfs-common", []), ("ii linux-image-6.1.0 6.1", [("kernel", "6.1.0")]),
    ("ii linux-image-amd64 6.1", []),
    ("nfs-common/stable 2.6.2 amd64", [("nfs-utils", "2.6.2")]), ("nfs-common/stable 2.6.2", []),
    ("nfs-common/stable v2 amd64", []), ("nfs-utils-2.5.4-26.x86_64", [("nfs-utils", "2.5.4-26")]),
    ("nfs-utils-2.5.4-26.rpm installed", [("nfs-utils", "2.5.4-26")]), ("nfs-utils-2.5 is installed", []),
    ("nfs-utils-devel-2.5", []),
])
def test_which_version_a_program_printed(text: str, found: list[tuple[str, str]]) -> None:
    (line,) = pasted_lines(text)
    told = [*READER._printed(line, text.split(), "client")]
    assert [(one.package, one.text) for one in told] == found
    assert all((one.side, one.when, one.line, one.printed) == ("client", NOW, 1, True) for one in told)


@each(lambda: [
    ("x Comm: nfsd Not 6.1 #1", "server"), ("x Comm: bash nfsd Not 6.1 #1", "client"),
    ("Comm: kworker/1 nfsd 6.1 #1", "server"), ("Comm: kworker/1 6.1 #1", "client"),
])
def test_a_trace_of_a_thread_of_the_server_is_the_servers(text: str, side: str) -> None:
    (line,) = pasted_lines(text)
    assert [one.side for one in READER._printed(line, text.split(), "client")] == [side]


@each(lambda: [
    ("6.8", True, ["kernel 6.8"]), ("6.8", False, []), ("6.8.1", False, ["kernel 6.8.1"]),
    ("it hangs 6.8.1", False, []),
    ("it hangs (6.8.1", False, ["kernel 6.8.1"]), ("it hangs, 6.8.1", False, ["kernel 6.8.1"]),
    ("the server 6.8", False, ["kernel 6.8"]), ("the server 4.1", False, []),
    ("running 6.8.1", False, ["kernel 6.8.1"]),
])
def test_a_number_alone_is_of_a_kernel_where_one_would_be(text: str, about_kernels: bool, found: list[str]) -> None:
    (line,) = pasted_lines(text if not about_kernels else f"{text} kernel")
    told = READER._stated(line, text.split(), "", about_kernels)
    assert [f"{one.package} {one.text}" for one in told if not one.bare] == found


@each(lambda: [
    ("server from 6.14.3 to 6.14.5", ["server", "server"]), ("server 6.14.3 and 6.14.5", ["server", ""]),
    ("server 6.14.3 and client 6.14.5", ["server", "client"]), ("to 6.14.5 server", ["server"]),
])
def test_both_numbers_of_an_update_are_of_one_side(text: str, sides: list[str]) -> None:
    (line,) = pasted_lines(text)
    assert [one.side for one in READER._stated(line, text.split(), "", False)] == sides


def test_a_number_that_may_be_a_kernels_counts_beside_one_that_is() -> None:
    def read(text: str) -> list[tuple[str, bool]]:
        return [(one.text, one.bare) for one in READER.read([*pasted_lines(text)])]

    assert read("it hangs on 6.14") == [("6.14", True)]
    assert read("it hangs on 6.14\n6.8.0-45-generic") == [("6.8.0-45-generic", False)]
    assert read("it hangs on 4.1") == [], "which is a version of NFS"


def ranges(stream: str, *spans: tuple[str, str]) -> dict[str, list[VersionRange]]:
    """Between numbers that real faults begin and end with: no others are told apart."""
    return {stream: [VersionRange.from_data({"introduced": first, "fixed": last}) for first, last in spans]}


MAINLINE = ranges("mainline", ("5.10.220", "5.10.235"), ("5.19", "6.1.129"))
DEBIAN = ranges("debian", ("6.12", "6.12.16"))
EL = ranges("el8", ("4.18.0-252.el8", "4.18.0-348.el8"))


@each(lambda: [
    ("6.1", "", MAINLINE, faults.MAY), ("6.1.128", "", MAINLINE, faults.INSIDE),
    ("6.1.129", "", MAINLINE, faults.OUTSIDE),
    ("5.10.219", "", MAINLINE, faults.OUTSIDE), ("5.10.220", "", MAINLINE, faults.INSIDE),
    ("5.15.1", "", MAINLINE, faults.OUTSIDE), ("no", "", MAINLINE, faults.OPEN),
    ("6.12.15-1", "debian", DEBIAN, faults.INSIDE), ("6.12.16-1", "debian", DEBIAN, faults.OUTSIDE),
    ("6.12.15-1", "debian", MAINLINE | DEBIAN, faults.INSIDE),
    ("6.12.16-1", "debian", MAINLINE | DEBIAN, faults.OUTSIDE),
    ("6.1.60-1", "debian", MAINLINE, faults.MAY),  # of its own nobody says, but the release that it is made from has it
    ("6.3.1-1", "debian", MAINLINE, faults.OUTSIDE), ("5.4.1-1", "debian", MAINLINE, faults.OUTSIDE),
    ("6.1.60-1", "debian", EL, faults.OUTSIDE),  # nor has that
    ("4.18.0-305.el8", "", EL, faults.INSIDE), ("4.18.0-372.el8", "", EL, faults.OUTSIDE),
    ("5.14.0-150.el9", "", MAINLINE, faults.OPEN), ("4.18.0-305.el8", "", MAINLINE, faults.OPEN),  # may have got it
    ("6.12.0-55.el10", "", MAINLINE, faults.OUTSIDE),
    ("6.2.0-39-generic", "", MAINLINE, faults.OUTSIDE), ("6.0.0-16-generic", "", MAINLINE, faults.MAY),
])
def test_whether_a_version_is_in_a_fault(text: str, distro: str, affected: Any, found: int) -> None:
    told: Any = SimpleNamespace(affected=affected)
    version = Version("kernel", text, "server", NOW, 1, True, distro)
    assert FaultFinder(BASE)._verdict(told, "server.kernel", version) == found


def test_a_fault_of_a_side_that_is_not_said_asks_whose_the_version_is() -> None:
    fault = FoundFault(BASE.errata["nfsd-callback-hang"], 1.0, True, (), False)
    known, open_ = fault_cause(fault), fault_cause(fault._replace(anybodys=True))
    assert (known.side, known.check.on) == ("server", "server")
    assert known.check.do == "Compare the server's version of the kernel (uname -r)"
    assert open_.check.do.startswith("Is the version that you named the client's or the server's? Compare the server's")
    assert known.check.tells.startswith("Affected: mainline >=5.10.220 <5.10.235; mainline >=5.19 <6.1.129; ")
    other = next(one for one in BASE.errata.values() if one.package == "nfs-utils").replace(workaround=None)
    told = fault_cause(fault._replace(erratum=other))
    assert told.check.do.endswith(" version of the nfs-utils")
    assert told.remedy.do == "Update the nfs-utils."


@each(lambda: [
    ("The server runs 6.1.1.", False, True), ("6.1.1-rc0 on it; kernel 6.1.1", True, True), ("It hangs.", False, False),
])
def test_whose_a_version_is_has_to_be_asked_unless_it_is_said(said: str, anybodys: bool, found: bool) -> None:
    lines = [*pasted_lines(f"{said}\nnfsd4_shutdown_callback+0xb9/0x120 [nfsd]" if found else said)]
    told = FaultFinder(BASE).find(lines, READER.read(lines), {})
    mine = [one for one in told if one.erratum.erratum == "nfsd-callback-hang"]
    assert [(one.anybodys, one.proved) for one in mine] == ([(anybodys, True)] if found else [])
