"""Whether the service can answer, on whole hosts: what is certain is told, and what was not collected says nothing."""

from __future__ import annotations

from advisor.check.check_host import check_host, host_findings, record
from advisor.check.host import GivenFacts, WholeHost
from advisor.cli.options import tree_of
from advisor.fleet.fingerprint import Anonymizer
from advisor.host.bundle import Bundle, BundleTree
from advisor.host.tree import tree_of as in_memory
from advisor.rulebase.base import load
from tests.each import each

EXPORTS = {"/etc/exports": "/srv/a 10.0.0.0/8(rw,no_subtree_check)\n"}
WANTS = "/etc/systemd/system/multi-user.target.wants"
ROOT = "20 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
SERVER = ("exports-not-served", "exports-server-stopped", "exports-server-not-enabled")


def rules(files: dict[str, str]) -> list[str]:
    host = WholeHost(load(), in_memory(files), lambda _: GivenFacts({}, ()))
    check_host(host)
    told = [(result, one) for results in host.areas.values() for result in results for one in result.findings]
    for result, one in told:
        assert 1 <= one.column <= one.end_column <= len(result.line(one.line)) + 1, one
    return [one.rule for _, one in told if not one.policy]


@each(lambda: [
    ({"/proc/fs/nfsd/threads": "0\n", f"{WANTS}/ssh.service": "-> /x"}, "exports-not-served"),
    ({"/proc/fs/nfsd/threads": "0\n", f"{WANTS}/nfs-server.service": "-> /x"}, "exports-server-stopped"),
    ({"/proc/fs/nfsd/threads": "0\n"}, "exports-server-stopped"),
    ({"/proc/net/rpc/nfsd": "th 8 0\n", f"{WANTS}/ssh.service": "-> /x"}, "exports-server-not-enabled"),
    ({"/unit-files": "nfs-kernel-server.service disabled enabled\n"}, "exports-server-not-enabled"),
    ({"/unit-files": "nfs-kernel-server.service alias -\n"}, None),
    ({"/etc/systemd/system/x.mount": ""}, None),
    ({}, None),
    ({"/proc/fs/nfsd/threads": "0\n", "/etc/ganesha/ganesha.conf": "EXPORT { Export_Id = 1; }\n"}, None),
])
def test_a_server_has_to_run_and_to_start(files: dict[str, str], found: str | None) -> None:
    assert [rule for rule in rules({**EXPORTS, **files}) if rule in SERVER] == ([found] if found else [])


@each(lambda: [
    ("Nobody-User = ghost", True), ("nobody-user = ghost", True), ("Nobody-User = root", False),
    ("Nobody-User = {{ user }}", False), ("Nobody-User =", False), ("Nobody-Group = ghost", False),  # no list of groups
    ("Other-User = ghost", False),
])
def test_the_users_of_idmapd_have_to_be_there(line: str, told: bool) -> None:
    files = {"/etc/idmapd.conf": f"[Mapping]\n{line}\n", "/etc/passwd": "root:x:0:0::/:/bin/sh\n",
             "/etc/nsswitch.conf": "passwd: files\ngroup: files\n"}
    assert ("idmapd-no-such-user" in rules(files)) is told


@each(lambda: [((), False), (("cis",), True)])
def test_units_that_start_are_looked_for_if_a_profile_asks(profiles: tuple[str, ...], asked: bool) -> None:
    host = WholeHost(load(), in_memory({}), lambda _: GivenFacts({}, profiles))
    check_host(host)
    assert ("units that start at boot" in {one.title for one in host.collected.unseen}) is asked


def test_whom_a_state_is_about_is_counted_and_shown_at_the_first() -> None:
    client = 'clientid: 0x1\naddress: "192.0.2.{}:800"\nstatus: {}\n'
    files = {f"/proc/fs/nfsd/clients/{number}/info": client.format(number, state)
             for number, state in enumerate(("confirmed", "courtesy", "expirable"), 1)}
    (found,) = [one for one in host_findings(load(), {**EXPORTS, **files}, {}) if one.rule == "server-client-silent"]
    assert (found.file, found.line, found.column) == ("/proc/fs/nfsd/clients/2/info", 2, 1)
    assert found.end_column == len('address: "192.0.2.2:800"') + 1
    assert found.message.startswith("2 of 3 ")
    assert "192.0.2.2, 192.0.2.3" in found.message


@each(lambda: [("-> /dev/null", ["nfsdcld-masked"]), ("-> /lib/systemd/system/x.service", []), ("[Unit]\n", [])])
def test_a_masked_unit_of_a_server(unit: str, told: list[str]) -> None:
    found = rules({**EXPORTS, "/etc/systemd/system/nfsdcld.service": unit})
    assert [rule for rule in found if rule.startswith("nfsdcld-")] == told


def test_without_exports_nothing_has_to_run() -> None:
    assert not {*SERVER} & {*rules({"/proc/fs/nfsd/threads": "0\n", "/etc/exports": "# none\n"})}


@each(lambda: [
    ({"/srv/b/x": ""}, ["export-missing"]),
    ({"/srv/a/x": ""}, []),
    ({"/srv/b/x": "", "/srv/a": "-> b"}, []),
    ({"/srv/b/x": "", "/srv/a": "-> c"}, []),  # links are not followed out of what is exported
    ({"/srv/a/x": "", "/etc/fstab": "/dev/sdb /srv ext4 defaults 0 2\n"}, []),
    ({"/srv/a/x": "", "/etc/fstab": "/dev/sdb /srv/ ext4 defaults 0 2\n", "/proc/self/mountinfo": ROOT},
     ["export-not-mounted"]),
    ({"/srv/a/x": "", "/etc/fstab": "/dev/sdb /srv ext4 defaults,noauto 0 2\n", "/proc/self/mountinfo": ROOT}, []),
    ({"/srv/a/x": "", "/etc/fstab": "/dev/sdb /srv ext4 defaults 0 2\n",
      "/proc/self/mountinfo": f"{ROOT}21 20 8:2 / /srv/a rw - ext4 /dev/sdc rw\n"}, []),
])
def test_an_exported_directory_has_to_be_there(files: dict[str, str], found: list[str]) -> None:
    told = rules({**EXPORTS, **files})
    assert [rule for rule in told if rule in ("export-missing", "export-not-mounted")] == found


@each(lambda: [
    ("ALL: ALL\n", "", 1), ("rpcbind mountd : ALL\n", "", 1), ("mountd: ALL\nrpcbind: ALL\n", "", 2),
    ("ALL: PARANOID\n", "", 0), ("sshd: ALL\n", "", 0), ("#ALL: ALL\n", "", 0), ("ALL: ALL EXCEPT 10.\n", "", 0),
    ("ALL EXCEPT mountd: ALL\n", "", 0), ("ALL: ALL\n", "ALL: 10.\n", 0), ("ALL: ALL\n", "mountd, rpcbind: 10.\n", 0),
    ("ALL: ALL\n", "mountd: 10.\n", 1), ("ALL: ALL\n", None, 1),
])
def test_access_lists_count_where_programs_read_them(deny: str, allow: str | None, found: int) -> None:
    files = {**EXPORTS, "/etc/hosts.deny": deny, "/etc/os-release": "ID=debian\nVERSION_ID=12\n"}
    files.update({} if allow is None else {"/etc/hosts.allow": allow})
    del files["/etc/exports"]
    assert "wrappers-refuse" not in rules(files)
    assert rules({**files, **EXPORTS}).count("wrappers-refuse") == found


def test_a_directory_on_a_network_file_system_is_not_touched() -> None:
    host = WholeHost(load(), tree_of(load(), None), lambda _: GivenFacts({}, ()))
    assert host.tree.guarded
    assert not host.look_for("/")


CLIENT = 'clientid: 0x{0}\naddress: "10.0.0.{0}:790"\nstatus: {1}\nseconds from last renew: 9\ncallback state: {2}\n'


def test_clients_of_a_state_are_one_finding_and_stay_out_of_a_class() -> None:
    """Thousands are possible: one finding names the first of them, and a bundle keeps the lines that count."""
    clients = {f"/proc/fs/nfsd/clients/{n}/info": CLIENT.format(n, "confirmed", "DOWN" if n % 2 else "UP")
               for n in range(1, 21)}
    tree = in_memory({**EXPORTS, **clients, "/srv/a/x": ""})
    recorded = record(load(), tree)
    host = WholeHost(load(), BundleTree("x", Bundle("x", "", "", "", True, recorded.answers), {}),
                     lambda _: GivenFacts({}, ()))
    check_host(host)
    told = [f for results in host.areas.values() for r in results for f in r.findings if f.rule.startswith("server-cl")]
    first = "10.0.0.1, 10.0.0.11, 10.0.0.13, 10.0.0.15, 10.0.0.17, 10.0.0.19 …"
    assert [f.message for f in told] == [f"10 of 20 NFSv4 clients cannot be called back: {first}"]
    kept = recorded.answers.files["/proc/fs/nfsd/clients/1/info"]
    assert ("clientid" in kept, kept.split("\n")[1]) == (False, 'address: "10.0.0.1:790"')
    alone = Anonymizer(load()).without_identity(Bundle("x", "", "", "", True, recorded.answers))
    assert not [path for path in alone.answers.files if "clients" in path]


@each(lambda: [
    ("rpc 9999 99 0 0 0", False), ("rpc 9999 100 0 0 0", True), ("rpc 10000 100 0 0 0", True),
    ("rpc 10001 100 0 0 0", False), ("rpc 100 100 100 0", False), ("rpc 9999 100 0 x 0", False),
    ("net 9999 100 0 0 0", False),
])
def test_a_hundred_refused_calls_and_one_in_a_hundred_are_reported(line: str, refused: bool) -> None:
    found = [rule for rule in rules({**EXPORTS, "/proc/net/rpc/nfsd": f"th 8 0\n{line}\n"}) if "refuse" in rule]
    assert (len(found) == 1) is refused


@each(lambda: [
    ("root:x:0:0::/:/bin/sh\n", "files", "nobody", True), ("nobody:x:1:1::/:/bin/sh\n", "files", "nobody", False),
    ("root:x:0:0::/:/bin/sh\n", "files systemd", "nobody", False),  # which systemd makes up
    ("root:x:0:0::/:/bin/sh\n", "files systemd", "someone", True),
    ("root:x:0:0::/:/bin/sh\n", "files sss", "nobody", False),
    ("", "files", "nobody", False), ("root:x:0:0::/:/bin/sh\n", None, "nobody", False),
])
def test_a_user_whom_no_source_can_know_is_reported(
    passwd: str, sources: str | None, name: str, missing: bool
) -> None:
    files = {**EXPORTS, "/etc/idmapd.conf": f"[Mapping]\nNobody-User = {name}\n", "/etc/passwd": passwd}
    files |= {} if sources is None else {"/etc/nsswitch.conf": f"passwd: {sources}\n"}
    assert len([rule for rule in rules(files) if "idmap" in rule or "user" in rule]) == int(missing)
