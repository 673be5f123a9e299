"""Settings that a text names beside a version outside of their life, and those that it only mentions."""

from __future__ import annotations

import pytest

from advisor.diagnose.diagnosis import CONFIRMED, Diagnosis
from advisor.rulebase.model import RuleBase

CHANGED = (
    # (what the answer names, report)
    ("nlm_max_connections is gone since Linux 6.14",
     "Fedora 42, kernel 6.14.4 on the server. nlm_max_connections in lockd.conf has no effect."),
    ("rdirplus=force needs Linux 6.15", "rdirplus=force is refused on 6.8"),
    ("vers=2 is refused here (6.10)", "The option vers=2 is unknown after the update to 6.10"),
    ("pool-mode needs nfs-utils 2.8.1", "On our Debian 12 server pool-mode in nfs.conf changes nothing."),
    ("sign_fh needs nfs-utils 2.9.1", 'A Debian 13 server prints: exportfs: unknown keyword "sign_fh"'),
    ("nfsd.vers4.0 is n by default since nfs-utils 2.9.1",
     "Clients with vers=4.0 are refused since the server got nfs-utils 2.9.1"),
    ("nfsd.threads is 16 by default since nfs-utils 2.8.2",
     "The server went from nfs-utils 2.8.1 to 2.8.2, and now it has 16 threads. Why?"),
    ("limit-to-legacy-enctypes is gone since nfs-utils 2.8.6",
     "rpc.gssd of nfs-utils 2.8.6 ignores limit-to-legacy-enctypes"),
    ("nconnect=8 needs Linux 5.3 (4.18.0-240 in el8)",
     "RHEL 8 client, 4.18.0-193.el8.x86_64: nconnect=8, and mount.nfs says: an incorrect mount option was specified"),
    ("nfsdctl needs nfs-utils 2.8.1", "nfsdctl: command not found on an Ubuntu 24.04 server"),
    ("RPCNFSDCOUNT has no effect on this release (ubuntu 22.04)",
     "We upgraded our file server from Ubuntu 20.04 to Ubuntu 22.04, and RPCNFSDCOUNT is ignored."),
    ("RPCNFSDCOUNT has no effect on this release (debian 12)",
     "The server runs Debian 12. RPCNFSDCOUNT=64 in /etc/default/nfs-kernel-server is ignored."),
)
INSIDE = (
    "SLES 12 SP5 client, kernel 4.12.14: with nconnect=8 the mount hangs and the server does not answer.",
    "Client kernel 6.16 with rdirplus=force. Listing a directory is slow.",
    "nlm_max_connections is 2048 on the server with 6.12.40, and locking hangs.",
    "A server with nfs-utils 2.8.3 and pool-mode=pernode is slow.",
    "Our Java program with 200 threads hangs; the client has nfs-utils 2.5.4.",
    "mount.nfs: access denied by server while mounting nas:/srv. Debian 12 client, vers=4.2,nconnect=4.",
    "With kernel 6.8 on the client vers=4.1 works, with 6.9 the mount hangs.",
    "We updated TrueNAS, and vers=4.0 with proto=tcp hangs on all clients.",
    "The firewall has port 2049 open for tcp and udp. Client 6.8.0-45-generic: mount.nfs: Connection timed out",
    "On the Debian 11 server NFSv4 clients hang after each write to disk.",
)


@pytest.mark.parametrize(("named", "text"), CHANGED)
def test_a_setting_outside_of_its_life_is_the_first(base: RuleBase, named: str, text: str) -> None:
    first = Diagnosis(base, text).leading()
    assert first is not None
    assert first.cause.title.startswith(named)
    assert first.cause.check.do.startswith("advisor explain ")


def test_a_setting_inside_of_its_life_is_no_cause(base: RuleBase) -> None:
    found = {text: Diagnosis(base, text).evidence.changes for text in INSIDE}
    assert {text: [one.cause.title for one in named] for text, named in found.items() if named} == {}


@pytest.mark.parametrize("version", ["6.14.4", "6.13.9"])
def test_one_setting_is_judged_by_the_version_alone(base: RuleBase, version: str) -> None:
    text = f"Server kernel {version}. nlm_max_connections has no effect."
    assert bool(Diagnosis(base, text).evidence.changes) == (version >= "6.14")


def test_what_works_is_no_complaint(base: RuleBase) -> None:
    text = "Ubuntu 26.04 client with kernel 7.0: Remote I/O error. vers=4.0 works."
    assert Diagnosis(base, text).evidence.changes == []


def test_pasted_lines_are_judged_with_the_versions_of_the_text(base: RuleBase) -> None:
    mount = "Client kernel 6.8.\nnas:/src /mnt nfs rdirplus=force 0 0"
    first = Diagnosis(base, mount).leading()
    assert first is not None
    assert (first.cause.id, first.status) == ("option-too-new-for-kernel", CONFIRMED)
    conf = "The Debian 12 server ignores this:\n\n```\n[nfsd]\npool-mode=pernode\n```"
    first = Diagnosis(base, conf).leading()
    assert first is not None
    assert first.cause.title.startswith("pool-mode needs nfs-utils 2.8.1")


def test_of_several_versions_all_have_to_lack_it(base: RuleBase) -> None:
    said = "rdirplus=force is refused: client 6.8"
    assert Diagnosis(base, f"{said}.").evidence.changes
    assert Diagnosis(base, f"{said}, and another client with kernel 6.16 has the same trouble.").evidence.changes == []


def test_what_worked_before_is_no_praise_of_today(base: RuleBase) -> None:
    text = (
        "mount -t nfs -o vers=2 plotter:/spool /mnt worked for years. On the new box with nfs-utils 2.6.1:\n"
        "mount.nfs: Operation not supported"
    )
    assert Diagnosis(base, text).causes[0].cause.id == "option-refused"
    assert "option-refused" not in [one.cause.id for one in Diagnosis(base, text.replace("2.6.1", "1.3.4")).causes[:1]]
