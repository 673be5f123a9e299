"""What users need on both sides: each step once, in an order that works, and files that their own tools read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.cli import main
from advisor.install.build import artefacts
from advisor.install.context import data
from advisor.install.host_files import dns_domain
from advisor.rulebase.base import load
from tests.install.tools import run, tool
from tests.tiers import thorough

WANTED: dict[str, Any] = {
    "storage.platform": "knfsd", "host.role": "nfs-server", "server.distro": "debian", "identity.root_trusted": False,
    "identity.wire": "private", "identity.owners": "each", "identity.root_writes": False, "identity.unattended": True,
    "identity.same_ids": True, "mount.ro": False,
}
COMMANDS = {
    "ad": ("adcli update --login-ccache --service-name=nfs", "realm join DOMAIN"),
    "ipa": ("ipa-getkeytab -p nfs/nas.corp.example -k /etc/krb5.keytab", "ipa-client-install"),
    "realm": ("kadmin -q 'ktadd nfs/nas.corp.example'", "kadmin -q 'ktadd host/CLIENT'"),
}


def made(server: str = "nas.corp.example", **facts: Any) -> dict[str, str]:
    answers = Answers(facts={**WANTED, **facts}, names={"server": server, "export": "/srv/home"})
    return {one.path: one.text for one in artefacts(load(), advise(load(), answers))}


@pytest.mark.parametrize("directory", COMMANDS)
def test_both_sides_get_the_commands_of_their_directory(directory: str) -> None:
    for role in ("nfs-server", "nfs-client"):
        text = made(**{"identity.directory": directory, "host.role": role})["identity/both-sides.md"]
        server, clients = text.split("## On each client")
        key, join = COMMANDS[directory]
        assert key in server
        assert key not in clients
        assert join in clients
        assert server.index(key) < server.index("sec=krb5p in the export's parentheses")
        assert "sec=krb5p in the mount options" in clients
        assert not re.search(r"^## [^\n]*\n+(?:## |\Z)", text, re.MULTILINE), "no heading over nothing"
        assert "/var/lib/gssproxy/clients/UID.keytab" in clients
        assert "UID.keytab" not in server
        for line in text.splitlines():
            own = directory == "realm" or "your own realm" in line
            assert own or "kadmin" not in line, "only a realm of MIT has kadmin"


def test_the_domain_is_that_of_the_servers_name(tmp_path: Path) -> None:
    text = made(**{"identity.directory": "ad"})["identity/idmapd.conf"]
    (tmp_path / "idmapd.conf").write_text(text)
    assert "\n[General]\nDomain = corp.example\n" in text
    told = run(tool("nfsconf"), "--file", str(tmp_path / "idmapd.conf"), "--get", "General", "Domain")
    assert told.stdout.strip() == "corp.example"


@pytest.mark.parametrize(("server", "domain"), [
    ("nas.corp.example", "corp.example"), ("NAS.Corp.Example.", "corp.example"), ("nas", ""), ("192.0.2.7", ""),
    ("[2001:db8::7]", ""),
])
def test_a_domain_comes_from_a_full_name_only(server: str, domain: str) -> None:
    assert dns_domain(server) == domain


def test_an_address_is_said_to_be_no_name_for_kerberos() -> None:
    text = made("192.0.2.7", **{"identity.directory": "ad"})["identity/both-sides.md"]
    assert "Kerberos needs the server's full name, and 192.0.2.7 is not one" in text
    facts = {"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "hpc"}
    without = artefacts(load(), advise(load(), Answers(facts=facts, names={"server": "192.0.2.7"})))
    assert "Kerberos needs" not in next(one.text for one in without if one.path == "identity/both-sides.md")


def test_nothing_is_written_where_hosts_trust_one_another() -> None:
    found = made(**{"identity.root_trusted": True, "identity.wire": "open", "identity.directory": "local"})
    assert not [path for path in found if path.startswith("identity/")]


def test_every_setting_of_users_has_its_place_in_the_steps() -> None:
    listed = {name for side in data()["sides"] for name in side["settings"]}
    ours = {name for name, told in load().tunables.items() if told.kind == "identity"}
    assert ours <= listed
    assert listed <= set(load().decisions)


FSTAB = """fs1.{0}:/home  /home  nfs  vers=4.2,sec=krb5p  0 0
fs2.example.org:/scratch  /scratch  nfs  vers=4.2,sec=sys  0 0
fs3.example.org:/k  /k  nfs  vers=4.2,sec=krb5  0 0
"""


def test_a_pinned_mount_option_does_not_keep_the_server_from_its_steps() -> None:
    answers = Answers(facts={"storage.platform": "anf"}, pins={"identity.tunnel": "1min", "mount.nconnect": 8})
    assert "identity/both-sides.md" in {one.path for one in artefacts(load(), advise(load(), answers))}


@thorough
@pytest.mark.parametrize(("domain", "told"), [("example.org", False), ("other.example", True)])
def test_several_mounts_have_steps_of_their_own_and_one_domain(tmp_path: Path, domain: str, told: bool) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text(FSTAB.format(domain))
    out = tmp_path / "out"
    settings = ("--set", "storage.platform=knfsd", "--set", "identity.directory=ipa")
    assert main(["recommend", "--mounts", str(fstab), *settings, "--write-to", str(out)]) in (0, None)
    assert sorted(one.name for one in (out / "identity").iterdir()) == [
        "both-sides-1-home.md", "both-sides-3-k.md", "idmapd.conf",
    ]
    assert "needs another identity/idmapd.conf" not in (out / "reports/1-home.md").read_text()
    assert ("needs another identity/idmapd.conf" in (out / "reports/3-k.md").read_text()) is told


@pytest.mark.parametrize(("flavour", "said"), [("sys", False), ("krb5p", True)])
def test_the_pages_speak_of_kerberos_where_it_is_used(flavour: str, said: bool) -> None:
    known = {"storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "hpc"}
    answers = Answers({**known, "mount.sec": flavour, "host.role": "nfs-client"}, names={"server": "10.0.0.4"})
    (text,) = [one.text for one in artefacts(load(), advise(load(), answers)) if one.path == "identity/both-sides.md"]
    assert ("Kerberos" in text, "10.0.0.4 is not one" in text) == (said, said)
