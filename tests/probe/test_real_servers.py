"""Real servers: the kernel's own in a virtual machine, and NFS-Ganesha in a network namespace.

Each situation is made, asked about as root and as a user, over IPv4 and IPv6, and has to be told right; afterwards the
server has no record of the client. ADVISOR_VM=1 asks for Linux 6.12 and Ganesha, ADVISOR_VM=all also for Linux 6.1."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from tests.kernel.vm.packages import Missing, missing_programs
from tests.probe import realm
from tests.probe.machine import CLIENT, SERVER, SERVER6, Machine, network, started, why_not
from tests.tiers import thorough

pytestmark = thorough

WANTED = os.environ.get("ADVISOR_VM", "")
KERNELS = ("6.12", "6.1") if WANTED == "all" else ("6.12",)
USER, ROOT = 65534, 0
SETUP = """
echo 15 >/proc/fs/nfsd/nfsv4leasetime; echo 10 >/proc/fs/nfsd/nfsv4gracetime
modprobe -a rpcsec_gss_krb5 cts ecb
for d in open others named krb ro port private trusted outer/inner root/home; do mkdir -p /srv/$d; done
mount -t tmpfs none /srv/outer/inner
chmod 1777 /srv/open /srv/ro; chmod 700 /srv/private /srv/trusted
echo 192.0.2.77 web1.example >>/etc/hosts
"""
EXPORTS = (
    "/srv/open *(rw,insecure,no_subtree_check,fsid=1)",
    "/srv/others 192.0.2.0/24(rw,no_subtree_check,fsid=2)",
    "/srv/named web1.example(rw,no_subtree_check,fsid=3)",
    "/srv/krb *(rw,insecure,no_subtree_check,fsid=4,sec=krb5p)",
    "/srv/ro *(ro,insecure,no_subtree_check,fsid=5)",
    "/srv/port *(rw,secure,no_subtree_check,fsid=6)",
    "/srv/private *(rw,insecure,no_subtree_check,fsid=7)",
    "/srv/trusted *(rw,insecure,no_subtree_check,fsid=8,no_root_squash)",
    "/srv/outer *(rw,insecure,crossmnt,no_subtree_check,fsid=9)",
    "/srv/outer/inner *(rw,insecure,no_subtree_check,fsid=10)",
)
NO_GRACE = "sleep 1; echo Y >/proc/fs/nfsd/v4_end_grace; echo Y >/proc/fs/lockd/nlm_end_grace"
START = f"rpcbind -w; rpc.statd --no-notify; exportfs -ra; rpc.nfsd 8; rpc.mountd -p 20048; {NO_GRACE}"
GANESHA = """
NFS_CORE_PARAM {{ Protocols = 3,4; }}
NFSV4 {{ Lease_Lifetime = 20; Grace_Period = 5; }}
EXPORT_DEFAULTS {{ Access_Type = None; SecType = sys; Squash = root_squash; }}
EXPORT {{ Export_Id = 1; Path = {0}/open; Pseudo = /srv/open; Access_Type = RW; FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 2; Path = {0}/others; Pseudo = /srv/others; FSAL {{ Name = VFS; }}
  CLIENT {{ Clients = 192.0.2.0/24; Access_Type = RW; }} }}
EXPORT {{ Export_Id = 3; Path = {0}/krb; Pseudo = /srv/krb; Access_Type = RW; SecType = krb5p; FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 4; Path = {0}/ro; Pseudo = /srv/ro; Access_Type = RO; FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 5; Path = {0}/port; Pseudo = {0}/port; Access_Type = RW; PrivilegedPort = true;
  FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 6; Path = {0}/private; Pseudo = /srv/private; Access_Type = RW; FSAL {{ Name = VFS; }} }}
EXPORT {{ Export_Id = 7; Path = {0}/trusted; Pseudo = /srv/trusted; Access_Type = RW; Squash = none;
  FSAL {{ Name = VFS; }} }}
"""

Ask = Callable[..., dict[str, Any]]


def asker(namespace: str, names: Mapping[str, str] = MappingProxyType({})) -> Ask:
    """Asks from a namespace: the JSON of a probe, with the ids of its troubles and notes. `names`: of the environment.
    """
    def ask(source: str, *words: str, uid: int = USER) -> dict[str, Any]:
        command = ["ip", "netns", "exec", namespace, sys.executable, "-c", _AS_USER, str(uid),
                   "probe", source, "--output-format", "json", *words]
        own = {**os.environ, **names}
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=own)
        assert ran.stdout, ran.stderr
        found: dict[str, Any] = json.loads(ran.stdout)
        for kind in ("trouble", "note", "verdict"):
            found[kind] = [each["id"].removeprefix("probe_") for each in found["answers"] if each["kind"] == kind]
        left = [each for each in found["asked"] if each["question"] in ("leave", "unmount") and each["outcome"] != "ok"]
        assert left == []
        return found

    return ask


_AS_USER = """
import os, sys
from advisor.cli import main
from advisor.probe import questions
uid, asked = int(sys.argv[1]), questions.probe
"name".encode("idna")
def as_user(*words):
    os.seteuid(uid)
    try:
        return asked(*words)
    finally:
        os.seteuid(0)
questions.probe = as_user
sys.exit(main(sys.argv[2:]))
"""
"""A user may not be able to read the checkout, so only the questions are asked as one."""


@pytest.fixture(scope="module", params=KERNELS)
def machine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    if not WANTED:
        pytest.skip("boots virtual machines; ADVISOR_VM=1 asks for it")
    if missing_programs() or why_not():
        pytest.skip(why_not() or f"not installed: {', '.join(missing_programs())}")
    try:
        with started(request.param, tmp_path_factory.mktemp("machine")) as running:
            running.run(SETUP.strip())
            running.run("printf '%s\\n' {} >/etc/exports".format(" ".join(f"'{line}'" for line in EXPORTS)))
            running.run(START)
            yield running
    except Missing as error:
        pytest.skip(f"no virtual machine: {error}")


@pytest.fixture
def kernel(machine: Machine) -> Iterator[Ask]:
    yield asker(machine.namespace)
    assert machine.run("ls /proc/fs/nfsd/clients") == "", "a client record is left"
    assert machine.run("cat /var/lib/nfs/rmtab") == "", "a line of rmtab is left"


class Ganesha(NamedTuple):
    """How to ask it, the folder with what it exports, the namespace of the client, and its realm, if it has one."""

    ask: Ask
    folder: Path
    namespace: str
    realm: realm.Realm | None


@pytest.fixture(scope="module")
def ganesha(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ganesha]:
    if not WANTED:
        pytest.skip("starts NFS-Ganesha; ADVISOR_VM=1 asks for it")
    missing = [name for name in ("ganesha.nfsd", "rpcbind", "ip") if not shutil.which(name)]
    if missing or os.geteuid():
        pytest.skip(f"not installed: {', '.join(missing)}" if missing else "a network namespace needs root")
    folder = tmp_path_factory.mktemp("ganesha")
    for name, mode in {"open": 0o1777, "others": 0o755, "krb": 0o755, "ro": 0o1777, "port": 0o755, "private": 0o700,
                       "trusted": 0o700}.items():
        (folder / name).mkdir()
        (folder / name).chmod(mode)
    own, config = None, GANESHA.format(folder)
    if not realm.why_not():
        (folder / "realm").mkdir()
        own = realm.Realm(folder / "realm")
        config += f"NFS_KRB5 {{ PrincipalName = nfs; KeytabPath = {folder}/realm/keytab; Active_krb5 = true; }}\n"
    (folder / "conf").write_text(config)
    with network(f"advisor-g-{os.getpid()}") as server, network(f"advisor-c-{os.getpid()}") as client:
        for line in (f"ip link add g0 netns {server} type veth peer name g1 netns {client}",
                     f"ip -n {server} addr add {SERVER}/24 dev g0", f"ip -n {client} addr add {CLIENT}/24 dev g1",
                     f"ip -n {server} -6 addr add {SERVER6}/64 dev g0 nodad", f"ip -n {server} link set g0 up",
                     f"ip -n {client} -6 addr add fd09::2/64 dev g1 nodad", f"ip -n {client} link set g1 up"):
            subprocess.run(line.split(), check=True)
        serve = f"mount -t tmpfs none /run; mkdir /run/rpcbind /run/ganesha; rpcbind; exec ganesha.nfsd -F " \
            f"-L {folder}/log -f {folder}/conf -p {folder}/pid"
        with subprocess.Popen(  # a /run, processes and a network that nothing else sees; they end together
            ["ip", "netns", "exec", server, "unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", serve],
            env={**os.environ, **(own.names if own else {})},
        ) as daemon:
            try:
                _wait(lambda: (folder / "log").exists() and "SERVER INITIALIZED" in (folder / "log").read_text())
                yield Ganesha(asker(client, own.names if own else {}), folder, client, own)
            finally:
                daemon.kill()


def _wait(ready: Callable[[], bool]) -> None:
    for _ in range(300):
        if ready():
            return
        time.sleep(0.1)
    raise AssertionError("it did not start")


@pytest.mark.parametrize("address", [SERVER, f"[{SERVER6}]"])
@pytest.mark.parametrize(("export", "user", "root"), [
    ("open", [], []), ("others", ["other_clients"], ["other_clients"]), ("named", ["not_admitted"], ["not_admitted"]),
    ("nothing", ["not_exported"], ["not_exported"]), ("open/nothing", ["missing"], ["missing"]),
    ("krb", ["kerberos"], ["kerberos"]),
    ("ro", ["read_only"], ["read_only"]), ("port", ["port"], []), ("private", ["mode"], ["root_squash"]),
    ("trusted", ["mode"], []), ("outer", [], []),
])
def test_the_kernel_over_nfsv4(kernel: Ask, address: str, export: str, user: list[str], root: list[str]) -> None:
    for uid, expected in ((USER, user), (ROOT, root)):
        found = kernel(f"{address}:/srv/{export}", uid=uid)
        assert found["trouble"] == expected, f"as {uid}"
        assert (found["version"], found["grant"]["slots"]) == ("4.2", 30)
        assert found["seconds"] < 5
    if export == "outer":
        assert "below" in found["note"]
    if export == "trusted":
        assert "root" in found["note"]
    if export == "port":
        assert "high_port" in found["note"]


@pytest.mark.parametrize("address", [SERVER, f"[{SERVER6}]"])
@pytest.mark.parametrize(("export", "user", "root"), [
    ("open", [], []), ("others", ["v3_other_clients"], ["v3_other_clients"]),
    ("nothing", ["v3_not_exported"], ["v3_not_exported"]),
    ("krb", ["kerberos"], ["kerberos"]),
    ("ro", ["v3_read_only"], ["v3_read_only"]), ("port", ["v3_port"], []), ("private", ["mode"], ["root_squash"]),
])
def test_the_kernel_over_nfsv3(kernel: Ask, address: str, export: str, user: list[str], root: list[str]) -> None:
    for uid, expected in ((USER, user), (ROOT, root)):
        found = kernel(f"{address}:/srv/{export}", "--vers", "3", "--mnt", uid=uid)
        assert found["trouble"] == expected, f"as {uid}"


VERSIONS = {"4.0": None, "4.1": 30, "4.2": 30}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_kernel_over_each_version_of_nfsv4(kernel: Ask, version: str) -> None:
    expectations = {"open": [], "others": ["other_clients"], "nothing": ["not_exported"], "krb": ["kerberos"],
                    "ro": ["read_only"], "private": ["root_squash"], "port": []}
    for export, expected in expectations.items():
        found = kernel(f"{SERVER}:/srv/{export}", "--vers", version, uid=ROOT)
        assert (found["trouble"], found["version"]) == (expected, version), export
        assert (found["grant"] or {}).get("slots") == VERSIONS[version]


def test_the_kernel_that_has_little(machine: Machine, kernel: Ask) -> None:
    """Slots and sizes of a machine with little memory; Linux 6.4 is the first that offers TLS."""
    found = kernel(f"{SERVER}:/srv/open")
    assert {"few_slots", "small_sizes"} <= {*found["note"]}
    assert found["attributes"]["maxread"] == int(machine.run("cat /proc/fs/nfsd/max_block_size"))
    assert found["attributes"]["lease"] == int(machine.run("cat /proc/fs/nfsd/nfsv4leasetime"))
    assert [note for note in found["note"] if "tls" in note] == [
        "no_tls" if "6.1." in machine.run("uname -r") else "tls_offered"]


def test_the_kernel_that_sends_names(machine: Machine, kernel: Ask) -> None:
    """Of another domain than this host's, of the same, and numbers again. Names reach the kernel as idmapd would write
    them: it needs more libraries than the machine has."""
    if not Path("/etc/idmapd.conf").exists():
        pytest.skip("/etc/idmapd.conf is not there, so the namespace cannot have its own")
    cache = "/proc/net/rpc/nfs4.idtoname"
    machine.run("echo N >/sys/module/nfsd/parameters/nfs4_disable_idmapping")
    try:
        with resolved(machine.namespace, own={"idmapd.conf": "[General]\nDomain = here.example\n"}):
            for domain, expected in (("other.example", ["domain"]), ("HERE.example", [])):
                for kind in ("user", "group"):
                    machine.run(f"echo \"* {kind} 0 $(($(date +%s) + 1000)) root@{domain}\" >{cache}/channel")
                found = kernel(f"{SERVER}:/srv/open")
                assert (found["trouble"], found["attributes"]["owner"]) == (expected, f"root@{domain}")
                assert "names" in found["note"]
    finally:
        machine.run(f"echo Y >/sys/module/nfsd/parameters/nfs4_disable_idmapping; date +%s >{cache}/flush")
    assert kernel(f"{SERVER}:/srv/open")["attributes"]["owner"] == "0"


def test_the_kernel_that_requires_tls(machine: Machine, kernel: Ask) -> None:
    """The export reaches the kernel as mountd of nfs-utils 2.6.3 would write it: the machine has 2.6.2."""
    if "6.1." in machine.run("uname -r"):
        pytest.skip("Linux 6.4 is the first whose exports can require TLS")
    assert kernel(f"{SERVER}:/srv/open")["trouble"] == []
    options = 0x2426  # fsid=, no_subtree_check, wdelay, root_squash, insecure
    machine.run(f"printf '* /srv/open %s {options} 65534 65534 1 secinfo 1 1 {options} xprtsec 1 2\\n' "
                "$(($(date +%s) + 1000)) >/proc/net/rpc/nfsd.export/channel")
    try:
        assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["tls"]
    finally:
        machine.run("exportfs -f; sleep 1")


def test_the_kernel_with_another_root(machine: Machine, kernel: Ask) -> None:
    machine.run("exportfs -ua; exportfs -o rw,insecure,no_subtree_check,fsid=0 '*:/srv/root'")
    machine.run("exportfs -o rw,insecure,no_subtree_check,fsid=20 '*:/srv/root/home'")
    try:
        assert kernel(f"{SERVER}:/srv/root/home")["trouble"] == ["elsewhere"]
        assert kernel(f"{SERVER}:/home")["trouble"] == []
    finally:
        machine.run("exportfs -ua; exportfs -a")


@pytest.mark.parametrize(("flags", "trouble", "version"), [
    ("-N 4.1", [], "4.2"), ("-N 4.2 -N 4.1", [], "4.0"), ("-N 4", ["v3_only"], ""), ("-N 3", [], "4.2"),
])
def test_the_kernel_without_a_version(
    machine: Machine, kernel: Ask, flags: str, trouble: list[str], version: str
) -> None:
    machine.run(f"rpc.nfsd 0; rpc.nfsd {flags} 8; echo Y >/proc/fs/nfsd/v4_end_grace; sleep 1")
    try:
        found = kernel(f"{SERVER}:/srv/open")
        assert [each for each in found["trouble"] if not each.startswith("grace")] == trouble
        assert found["version"] == version
    finally:
        machine.run(f"rpc.nfsd 0; sleep 1; rpc.nfsd -V 3 -V 4 -V 4.1 -V 4.2 8; {NO_GRACE}")


def test_the_kernel_in_its_grace_periods(machine: Machine, kernel: Ask) -> None:
    """NFSv4's of 10 s, then lockd's of 50 s."""
    machine.run("rpc.nfsd 0; sleep 1; rpc.nfsd 8")
    assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["grace"]
    machine.run("echo Y >/proc/fs/nfsd/v4_end_grace; sleep 1")
    assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["grace_lockd"]
    machine.run("echo Y >/proc/fs/lockd/nlm_end_grace")
    assert kernel(f"{SERVER}:/srv/open")["trouble"] == []


def test_the_kernel_without_its_mountd(machine: Machine, kernel: Ask) -> None:
    """What it is asked waits for five seconds; the session is destroyed all the same."""
    machine.run("kill $(pidof rpc.mountd); sleep 1; exportfs -f")
    try:
        assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["mountd_dead"]
    finally:
        machine.run("rpc.mountd -p 20048; sleep 6")


def test_the_kernel_without_a_lock_manager(machine: Machine, kernel: Ask) -> None:
    machine.run("rpcinfo -d 100021 4; rpcinfo -d 100021 3; rpcinfo -d 100021 1")
    try:
        assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["no_nlm"]
    finally:
        machine.run(f"rpc.nfsd 0; sleep 1; rpc.nfsd 8; {NO_GRACE}")


@pytest.mark.parametrize(("dropped", "trouble"), [
    ("20048", ["mountd_blocked"]), ("2049", ["dropped"]), ("111", ["ports_unlisted"]), ("0-65535", ["silent_host"]),
])
def test_the_kernel_behind_a_firewall(machine: Machine, kernel: Ask, dropped: str, trouble: list[str]) -> None:
    if not shutil.which("nft"):
        pytest.skip("nft is not installed")
    nft = ["ip", "netns", "exec", machine.namespace, "nft"]
    rules = f"table inet f {{ chain o {{ type filter hook input priority 0; tcp sport {dropped} drop; }}; }}"
    subprocess.run([*nft, rules], check=True)
    try:
        assert kernel(f"{SERVER}:/srv/open", "--timeout", "1")["trouble"] == trouble
    finally:
        subprocess.run([*nft, "flush", "ruleset"], check=True)


@contextmanager
def resolved(namespace: str, *lines: str, own: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Names that programs in a namespace find, and other files of its own in /etc, which the host has too."""
    folder = Path("/etc/netns") / namespace
    folder.mkdir(parents=True)
    try:
        (folder / "hosts").write_text("\n".join(lines) + "\n")
        (folder / "nsswitch.conf").write_text("hosts: files\n")
        for name, text in own.items():
            (folder / name).write_text(text)
        yield
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("dead", ["10.9.0.99", "fd09::99"])
def test_an_address_that_is_dead(machine: Machine, kernel: Ask, dead: str) -> None:
    """The name has two addresses, one of them unused."""
    with resolved(machine.namespace, f"{dead} two", f"{SERVER} two", f"{SERVER6} six"):
        assert kernel("two:/srv/open", "--timeout", "1")["trouble"] == ["dead_address"]
        alone = kernel("six:/srv/open")
        assert (alone["trouble"], alone["ip"]) == ([], SERVER6)


def test_the_kernel_that_takes_tickets(machine: Machine, kernel: Ask, tmp_path: Path) -> None:
    if realm.why_not():
        pytest.skip(realm.why_not())
    own = realm.Realm(tmp_path)
    key = base64.b64encode(own.keytab.read_bytes()).decode()
    machine.run(f"echo {key} | base64 -d >/etc/krb5.keytab; printf '[libdefaults]\\n default_realm = TEST.EXAMPLE\\n' "
                f">/etc/krb5.conf; echo {SERVER} {realm.SERVICE} >>/etc/hosts; mkdir -p /var/tmp; rpc.svcgssd -n")
    asks_with_tickets(asker(machine.namespace, own.names), own, machine.namespace)


def asks_with_tickets(ask: Ask, own: realm.Realm, namespace: str) -> None:
    """Without a ticket, with one, and with one for another key than the server has."""
    def found() -> tuple[list[str], list[str]]:
        answers = ask(f"{realm.SERVICE}:/srv/krb", uid=ROOT)
        return answers["trouble"], [note for note in answers["note"] if note.startswith("kerberos")]

    with resolved(namespace, f"{SERVER} {realm.SERVICE}"), own.centre(namespace):
        assert found() == (["kerberos"], ["kerberos_no_ticket"])
        own.log_in(namespace)
        assert found() == (["kerberos"], ["kerberos_works"])
        own.change_key()
        own.log_in(namespace)
        assert found() == (["kerberos", "kerberos_refused"], [])


_SIGNALLED = """
import os, sys
from advisor.cli import main
from advisor.probe import rpc
at, number, made, call = int(sys.argv[1]), int(sys.argv[2]), [], rpc.Connection.call
def signalled(*words, **named):
    made.append(1)
    if len(made) == at:
        os.kill(os.getpid(), number)
    return call(*words, **named)
rpc.Connection.call = signalled
sys.exit(main(sys.argv[3:]))
"""


def test_the_kernel_is_left_whenever_a_signal_comes(machine: Machine, kernel: Ask) -> None:
    """During each third call of a probe; and whatever the time that a call may take."""
    for at in range(1, 100, 3):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[at // 3 % 3]
        command = ["ip", "netns", "exec", machine.namespace, sys.executable, "-c", _SIGNALLED, str(at),
                   str(int(number)), "probe", f"{SERVER}:/srv/open", "--mnt"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if ran.returncode < 128 and at > 30:
            break  # there are no more calls
        assert (ran.returncode, "nothing is left on the server" in ran.stderr) == (128 + number, True), f"call {at}"
        assert machine.run("ls /proc/fs/nfsd/clients; cat /var/lib/nfs/rmtab") == "", f"call {at}"
    for seconds in ("0.05", "0.1", "0.3"):
        kernel(f"{SERVER}:/srv/open", "--mnt", "--timeout", seconds)


def test_nothing_listens(machine: Machine, kernel: Ask) -> None:
    machine.run("rpc.nfsd 0")
    try:
        assert kernel(f"{SERVER}:/srv/open")["trouble"] == ["refused"]
    finally:
        machine.run(f"rpc.nfsd 8; {NO_GRACE}")


@pytest.mark.parametrize("address", [SERVER, f"[{SERVER6}]"])
@pytest.mark.parametrize(("path", "user", "root"), [
    ("/srv/open", [], []), ("/srv/others", ["not_exported"], ["not_exported"]),
    ("/srv/krb", ["kerberos"], ["kerberos"]), ("/srv/ro", ["read_only"], ["read_only"]),
    ("/srv/private", ["mode"], ["root_squash"]), ("/srv/trusted", ["mode"], []),
    ("FOLDER/port", ["port_ganesha"], []),
])
def test_ganesha_over_nfsv4(
    ganesha: Ganesha, address: str, path: str, user: list[str], root: list[str]
) -> None:
    ask, folder, *_ = ganesha
    for uid, expected in ((USER, user), (ROOT, root)):
        found = ask(f"{address}:{path.replace('FOLDER', str(folder))}", uid=uid)
        assert found["trouble"] == expected, f"as {uid}"
        assert found["identity"]["scope"].endswith("_NFS-Ganesha")
        assert found["seconds"] < 2


@pytest.mark.parametrize("version", ["4.0", "4.1", "4.2"])
def test_ganesha_over_each_version_of_nfsv4(ganesha: Ganesha, version: str) -> None:
    expectations = {"open": [], "others": ["not_exported"], "krb": ["kerberos"], "ro": ["read_only"],
                    "private": ["root_squash"]}
    for export, expected in expectations.items():
        found = ganesha.ask(f"{SERVER}:/srv/{export}", "--vers", version, uid=ROOT)
        assert (found["trouble"], found["version"]) == (expected, version), export


@pytest.mark.parametrize("address", [SERVER, f"[{SERVER6}]"])
def test_ganesha_over_nfsv3(ganesha: Ganesha, address: str) -> None:
    ask, folder, *_ = ganesha
    expectations = {"open": [], "others": ["v3_not_exported"], "krb": ["kerberos"], "ro": ["v3_read_only"]}
    for name, expected in expectations.items():
        for uid in (USER, ROOT):
            assert ask(f"{address}:{folder}/{name}", "--vers", "3", "--mnt", uid=uid)["trouble"] == expected


def test_ganesha_that_takes_tickets(ganesha: Ganesha) -> None:
    if ganesha.realm is None:
        pytest.skip(realm.why_not())
    asks_with_tickets(ganesha.ask, ganesha.realm, ganesha.namespace)


def test_one_program_without_rpcbind(tmp_path: Path) -> None:
    """rclone's server: mount service and NFSv3 on one port, and no export list."""
    if not WANTED or not shutil.which("rclone") or os.geteuid():
        pytest.skip("ADVISOR_VM=1 asks for it; it needs rclone 1.65 or later, and root for a network namespace")
    (tmp_path / "sub").mkdir()
    serve = ["rclone", "serve", "nfs", str(tmp_path), "--addr", f"{SERVER}:2049", "--config", "/dev/null",
             "--vfs-cache-mode", "off", "--log-file", str(tmp_path / "log"), "--dir-perms", "0777", "--umask", "0"]
    with network(f"advisor-r-{os.getpid()}") as space:
        subprocess.run(["ip", "-n", space, "addr", "add", f"{SERVER}/32", "dev", "lo"], check=True)
        with subprocess.Popen(["ip", "netns", "exec", space, *serve]) as daemon:
            try:
                _wait(lambda: (tmp_path / "log").exists() and "running at" in (tmp_path / "log").read_text())
                for path, expected in ((":/sub", ["v3_read_only"]), (":/nothing", ["v3_absent"])):
                    found = asker(space)(f"{SERVER}{path}", "--mnt")
                    assert found["trouble"] == [*expected, "ports_unlisted", "v3_only"]
            finally:
                daemon.terminate()
