"""Clients compared with their server: what is read of both, and what whole files of odd lines come to."""

from __future__ import annotations

import random
from ipaddress import ip_address
from types import SimpleNamespace

import pytest

from advisor.check import client_server
from advisor.check.client_server import compare
from advisor.check.compared_host import ComparedHost
from advisor.check.host_differences import node_settings
from advisor.host.tree import tree_of
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from advisor.rulebase.model import Check, CheckExample
from tests.each import each
from tests.host import trees


def test_options_of_each_flavour() -> None:
    """What stands before the first sec= is where each flavour begins; what follows one is of that one."""
    text = "/a *(no_root_squash,sec=krb5:krb5p,rw,sec=sys,ro,root_squash)\n/b *(rw)\n"
    made = {one.path: one for one in ComparedHost(load(), tree_of({"/etc/exports": text}), "nas").exports.all}
    told = made["/a"].flavours
    assert [*told] == ["krb5", "krb5p", "sys"]
    assert (told["krb5"]["exports.rw"], told["krb5"]["exports.root_squash"]) == (True, False)
    assert (told["sys"]["exports.rw"], told["sys"]["exports.root_squash"]) == (False, True)
    assert [*made["/b"].flavours] == ["sys"]


def test_what_a_server_sets_in_files_that_it_includes() -> None:
    files = {"/etc/nfs.conf": "[nfsd]\nthreads=16\ninclude=site.inc\n", "/etc/site.inc": "Threads=64\nvers3=No\n"}
    settings = ComparedHost(load(), tree_of(files), "nas").settings
    threads = settings["nfs.conf.nfsd.threads"]
    assert (threads.value, threads.place) == ("64", "nas:/etc/site.inc:1")
    assert settings["nfs.conf.nfsd.vers3"].value == "n"


def test_a_check_is_spared_unless_its_exception_is_certainly_not_so() -> None:
    check, kafka = load().checks["index-on-nfs"], {"workload.kind": "kafka"}
    for known, expected in (
        ({**kafka, "storage.platform": "ontap", "mount.vers": "4.1"}, False), ({**kafka}, False),
        ({**kafka, "storage.platform": "knfsd"}, True), ({"workload.kind": "backup"}, False),
    ):
        assert client_server.applies(check, RuleIndex(load(), known)) is expected, known


ODD = [
    "/", "/srv/a", "*", "(rw)", "(ro,fsid=0)", "(", "@x", "[a-", "\\", '"', "\t", " ", "10.0.0.0/99", "gss/krb5",
    "fd00::/64", "1/99999999999999999999", "é", "inet 10.0.0.1/24", "2: eth0", "999.1.1.1", "10.0.0.1 nas", "#", ",,",
]
PATHS = ["/", "/srv", "/srv/a", "//a/../b", "srv", "/a" * 200]
"""What stands in lines that no administrator wrote."""


def made_up(source: random.Random) -> dict[str, str]:
    def odd() -> str:
        return "".join(source.choice(ODD) for _ in range(6))

    def export() -> str:
        options = source.choice(["rw", "ro,fsid=0", "sec=krb5,rw,sec=sys", "fsid=11", "crossmnt", "bogus", ""])
        return f"{source.choice(PATHS)} {source.choice(['*', '10.0.0.0/8', '@x', '[z', 'fd00::/64'])}({options})"

    def mount() -> str:
        options = source.choice(["hard", "vers=3", "vers=4,ro", "sec=krb5:sys", "noresvport", "port=99999999999"])
        return f"{source.choice(['nas', '10.0.0.1', '[fd00::1]'])}:{source.choice(PATHS)} /m nfs {options} 0 0"

    files = {"/etc/exports": export, "/etc/fstab": mount, "/etc/hosts": odd, "/ip-addr": odd, "/proc/net/fib_trie": odd,
             "/var/lib/nfs/etab": export, "/proc/fs/nfsd/versions": odd, "/etc/nfs.conf": odd, "/etc/hostname": odd}
    return {
        path: "".join(f"{(line if source.random() < 0.9 else odd)()}\n" for _ in range(source.randint(0, 6)))
        for path, line in files.items() if source.random() < 0.7
    }


@each(lambda: range(40))
def test_whatever_stands_in_the_files_every_message_is_whole(seed: int) -> None:
    base, source = load(), random.Random(seed)
    hosts = [ComparedHost(base, tree_of(made_up(source), name), name, ("nas",)) for name in "abcd"]
    found = compare(base, hosts[:2], hosts[2:])
    for finding in (one for area in found.results.values() for result in area for one in result.findings):
        assert "?" not in finding.message + finding.why + finding.remedy, finding


@pytest.mark.parametrize("digits", ["²", "9" * 5000, "٣"])
def test_digits_that_are_not_a_number_stop_no_comparison(digits: str) -> None:
    server = tree_of({
        "/etc/exports": "/srv *(rw,sync)\n", "/etc/nfs.conf": f"[nfsd]\nthreads={digits}\nmanage-gids=y\n",
        "/etc/passwd": f"ann:x:{digits}:1::/:/bin/sh\n", "/etc/hostname": "srv\n",
    })
    client = tree_of({
        "/etc/fstab": f"srv:/srv /d nfs nconnect={digits} 0 0\n", "/etc/passwd": "ann:x:1001:1::/:/bin/sh\n",
    })
    base = load()
    done = compare(base, [ComparedHost(base, server, "srv", ("srv",))], [ComparedHost(base, client, "client")])
    assert len(done.matched) == 1


@pytest.mark.parametrize(("here", "there", "reported"), [
    (1000, 1001, True), (59999, 1001, True), (999, 998, False), (1001, 1001, False), (60000, 60001, False),
])  # fmt: skip
def test_the_numbers_of_people_are_compared(here: int, there: int, reported: bool) -> None:
    """Those of services, below 1000, each distribution gives in its own way."""
    server = {"/etc/exports": "/srv *(rw,sync)\n", "/etc/passwd": f"ann:x:{there}:1::/:/bin/sh\n"}
    client = {
        "/etc/fstab": "nas:/srv /d nfs sec=sys 0 0\n", "/etc/passwd": f"ann:x:{here}:1::/:/bin/sh\n",
        "/ip-addr": "2: eth0    inet 192.0.2.7/24 scope global\n",
    }
    base = load()
    done = compare(
        base, [ComparedHost(base, tree_of(server), "nas", ("nas",))], [ComparedHost(base, tree_of(client), "client")]
    )
    rules = {one.rule for area in done.results.values() for result in area for one in result.findings}
    assert ("users-numbers-differ" in rules) is reported, rules


LEASE = "nfs.conf.nfsd.lease-time"


def lease(one: dict[str, str], other: dict[str, str]) -> list[tuple[str, str | None, str, str | None]]:
    """The lease time of two nodes: the one where it is reported, its value, the other one, and its value."""
    hosts = [ComparedHost(load(), tree_of(files), title) for title, files in (("one", one), ("other", other))]
    told = [(at, beside) for name, at, beside in node_settings(*hosts, [LEASE]) if name == LEASE]
    return [
        (at.title, str(value.value) if value else None, beside.title, str(second.value) if second else None)
        for (at, value), (beside, second) in told
    ]


def test_a_setting_of_one_node_is_compared_with_the_default_of_the_other() -> None:
    """It is reported where it is written, at the second node if both write it; a default is known only of a file that
    was read."""
    unset, short, long = ({"/etc/nfs.conf": f"[nfsd]\n{line}\n"} for line in ("", "lease-time=60", "lease-time=120"))
    unread = {"/etc/hostname": "node\n"}
    assert lease(short, unset) == [("one", "60", "other", "90")]
    assert lease(unset, short) == [("other", "60", "one", "90")]
    assert lease(short, long) == [("other", "120", "one", "60")]
    assert lease(short, unread) == [("one", "60", "other", None)]
    assert lease(unread, short) == [("other", "60", "one", None)]
    assert lease(unset, unset) == []


def test_an_example_has_as_many_clients_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[list[str], list[str]]] = []

    def record(base: object, servers: object, clients: object) -> SimpleNamespace:
        compared.append(([one.title for one in servers], [one.title for one in clients]))  # type: ignore[attr-defined]
        return SimpleNamespace(results={})

    monkeypatch.setattr(client_server, "compare", record)
    files = {"/etc/fstab": "nas:/a /a nfs rw 0 0\n"}
    for more in ({"client": files}, {"client": files, "clients": 3}, {"client": files, "other": files},
                 {"other": files}):
        client_server.findings_between(load(), CheckExample.from_data({"server": files, **more}))
    assert compared == [(["server"], ["client"]), (["server"], ["client", "client2", "client3"]),
                        (["server"], ["client", "other"]), (["server", "other"], [])]


def test_figures_are_worked_out_of_what_was_found() -> None:
    check = Check.from_data({
        "check": "too-many", "sides": {"of": "load", "on": {"sides.connections": ">=10"}},
        "figures": {"needed": {"formula": "sides.connections * 2", "range": ">=30"}},
    })
    assert check.sides is not None
    assert client_server.figures_of(check, check.sides, {"sides.connections": 16}) == {"needed": "32"}
    assert client_server.figures_of(check, check.sides, {"sides.connections": 12}) is None, "the figure is too small"
    assert client_server.figures_of(check, check.sides, {"sides.connections": 4}) is None, "it is not what is asked for"
    assert client_server.figures_of(check, check.sides, {}) is None


@pytest.mark.parametrize(("running", "value"), [("16\n", "16"), ("0\n", "64")])
def test_what_a_server_has_in_effect_goes_before_what_its_files_set(running: str, value: str) -> None:
    threads, shown = "nfs.conf.nfsd.threads", {"/proc/fs/nfsd/threads": running}
    found = ComparedHost(load(), tree_of({**shown, "/etc/nfs.conf": "[nfsd]\nthreads=64\n"}), "nas").settings
    assert str(found[threads].value) == value
    assert threads not in ComparedHost(load(), tree_of(shown), "client").settings, "no file shows that it serves"


@each(lambda: [
    ("nas:/srv", "nas", 1, "fine"), ("other:/srv", "other", 1, "fine"),
    ("192.0.2.7:/srv", "nas", 1, "fine"), ("192.0.2.9:/srv", "", 0, "elsewhere"),
    ("third:/srv", "", 0, "nothing shows whether third is this server"),
    ("nas:/none", "nas", 1, ""),  # it is reported
])
def test_a_mount_is_judged_with_its_own_server_alone(source: str, server: str, matched: int, told: str) -> None:
    base = load()
    servers = [ComparedHost(base, tree_of({"/etc/exports": "/srv *(rw,insecure)\n", "/ip-addr":
                f"2: eth0    inet 192.0.2.{number}/24 scope global\n"}), name, (name,))
               for name, number in (("nas", 7), ("other", 8))]
    client = ComparedHost(base, tree_of({"/etc/fstab": f"{source} /d nfs hard,vers=4.2 0 0\n"}), "client")
    done = compare(base, servers, [client])
    assert [one.server.title for one in done.matched] == [server] * matched
    listed = {"fine": done.fine, "elsewhere": done.elsewhere}
    assert {name: len(of) for name, of in listed.items()} == {name: int(name == told) for name in listed}
    assert [why for _, why in done.unclear] == ([told] if told.startswith("nothing") else [])
    found = [one.rule for area in done.results.values() for result in area for one in result.findings]
    assert (found != []) is (told == "")


def test_exports_that_are_made_and_in_no_file_are_exports_too() -> None:
    files = {"/etc/exports": "/a *(rw)\n", "/var/lib/nfs/etab": "/b\t*(rw,sync)\n"}
    both = ComparedHost(load(), tree_of(files), "nas")
    assert [(one.path, one.file) for one in both.exports.all] == [
        ("/a", "nas:/etc/exports"), ("/b", "nas:/var/lib/nfs/etab")]
    assert both.text_of("nas:/var/lib/nfs/etab") == ("server", "exports", "/b\t*(rw,sync)\n")
    assert both.text_of("nas:/etc/exports")[2] == "/a *(rw)\n"
    assert both.serves
    assert not ComparedHost(load(), tree_of({}), "nas").serves, "it may just not have been copied"
    resource = '<cib><configuration><resources><primitive id="x" class="ocf" provider="heartbeat" type="exportfs">' \
        '<instance_attributes id="i"><nvpair id="d" name="directory" value="/c"/><nvpair id="c" name="clientspec" ' \
        'value="*"/><nvpair id="f" name="fsid" value="7"/></instance_attributes></primitive></resources>' \
        '</configuration></cib>'
    cluster = ComparedHost(load(), tree_of({"/var/lib/pacemaker/cib/cib.xml": resource}), "nas")
    assert [one.path for one in cluster.exports.all] == ["/c"]


@each(lambda: [
    ("nas", "web1.example.com", "sos-1", "nas"), ("", "web1.example.com", "sos-1", "web1"), ("", "", "sos-1", "sos-1"),
])
def test_the_title_of_a_host(name: str, node: str, folder: str, title: str) -> None:
    files = {"/etc/hostname": f"{node}\n"} if node else {}
    assert ComparedHost(load(), tree_of(files, f"tmp/{folder}"), name).title == title


@each(lambda: [
    ("192.0.2.7", {"0.0.0.0/0": True, "*": True}), ("fd00::7", {"0.0.0.0/0": False, "*": True}),
])
def test_a_prefix_of_0_is_every_host_to_ganesha(address: str, admitted: dict[str, bool]) -> None:
    """exportfs cannot tell: its mask is shifted by 32 bits."""
    block = "EXPORT { Export_Id = 1; Path = /srv; Pseudo = /srv; Access_Type = None; FSAL { Name = VFS; } " \
        "CLIENT { Clients = 0.0.0.0/0; Access_Type = RW; } }\n"
    ganesha = ComparedHost(load(), tree_of({"/etc/ganesha/ganesha.conf": block}), "nas")
    assert ganesha.admitted(ip_address(address)) == admitted
    if address.startswith("192"):
        kernel = ComparedHost(load(), tree_of({"/etc/exports": "/srv 0.0.0.0/0(rw) *(ro)\n"}), "nas")
        assert kernel.admitted(ip_address(address)) == {"0.0.0.0/0": None, "*": True}


def clients(*lines: str, roots: tuple[str, str] = ("one", "other")) -> list[ComparedHost]:
    return [ComparedHost(load(), tree_of({
        "/etc/fstab": f"{line}\n", "/etc/hostname": "web\n", "/sys/fs/nfs/net/nfs_client/identifier": "abc\n",
        "/ip-addr": "2: eth0    inet 10.1.2.3/16 scope global\n"}, root), root) for line, root in zip(lines, roots)]


@each(lambda: [
    ("4.2", "4.2", ("one", "other"), ["other:/etc/fstab"]), ("4.2", "4.2", ("one", "one"), []),  # the same host twice
    ("3", "4.2", ("one", "other"), []), ("4.2", "4.0", ("one", "other"), []),  # only a session goes by the name alone
])
def test_two_clients_that_a_server_takes_for_one(one: str, other: str, roots: tuple[str, str], at: list[str]) -> None:
    server = ComparedHost(load(), tree_of({"/etc/exports": "/srv *(rw,sync)\n"}), "nas", ("nas",))
    both = clients(*(f"nas:/srv /d nfs vers={vers} 0 0" for vers in (one, other)), roots=roots)
    done = compare(load(), [server], both)
    found = [finding for results in done.results.values() for result in results for finding in result.findings]
    assert [finding.file for finding in found if finding.rule == "unique-ids-equal"] == at


@each(lambda: [("9000", "1500", 1), ("9000", "9000", 0), (None, "1500", 0), ("9000", None, 0), (None, None, 0)])
def test_a_setting_is_reported_where_both_values_are_known_and_differ(
    here: str | None, there: str | None, count: int
) -> None:
    findings, sides = client_server.FindingsByFile(load()), []
    for name, value in (("web", here), ("nas", there)):
        host = ComparedHost(load(), tree_of({}), name)
        sides.append((host, None if value is None else host.whole_file(value, "/sys/class/net/eth0/mtu")))
    findings.add_difference("hosts", "network.mtu", *sides)
    found = [(result.name, one.value) for results in findings.by_area(["kernel"]).values() for result in results
             for one in result.findings]
    assert found == [("web:/sys/class/net/eth0/mtu", "9000")] * count


def test_what_has_to_be_changed_at_the_server_is_reported_there() -> None:
    server = ComparedHost(load(), tree_of({"/etc/exports": "/srv 10.0.0.0/8(rw) 10.1.0.0/16(ro)\n"}), "nas", ("nas",))
    done = compare(load(), [server], clients("nas:/srv /d nfs hard,vers=4.2 0 0"))
    found = [(finding.file, finding.rule) for finding in done.results["server"][0].findings]
    assert found == [("nas:/etc/exports", "wide-network-first")]


def test_a_mount_in_effect_completes_its_line() -> None:
    now = trees.nfs("nas:/a/", "/a") + trees.nfs("nas:/old", "/b", number=61) + trees.nfs("nas:/c", "/c", number=62)
    client = ComparedHost(load(), tree_of({
        "/etc/fstab": "nas:/a /a nfs timeo=100 0 0\nnas:/b /b nfs hard 0 0\n/dev/sda /e ext4 rw 0 0\n"
                      ":/x /x nfs rw 0 0\nnas:/home/& /h nfs rw 0 0\nnas:/d /d nfs rw 0 0\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + now,
    }), "client")
    assert [(one.words, one.target, one.now.get("vers", ""), one.option("timeo")) for one in client.mounts] == [
        ("nas:/a", "/a", "4.1", "600"), ("nas:/b", "/b", "", ""), ("nas:/d", "/d", "", ""),
        ("nas:/old", "/b", "4.1", "600"), ("nas:/c", "/c", "4.1", "600"),
    ]  # fmt: skip


@each(lambda: [
    ("nas:/a /a nfs rw 0 0", "5"), ("nas:/a /b nfs rw 0 0", "4"), ("NAS:/a /b nfs rw 0 0", "4"),
    ("other:/a /b nfs rw 0 0", "3"), ("other:/a /b nfs retrans=9 0 0", "9"), ("other:/a /a nfs rw 0 0", "5"),
])
def test_defaults_of_a_mount_point_go_before_those_of_a_server(line: str, retrans: str) -> None:
    """nfsmount.conf(5)"""
    client = ComparedHost(load(), tree_of({
        "/etc/nfsmount.conf": '[ MountPoint "/a" ]\nretrans=5\n[ Server "nas" ]\nretrans=4\n'
                              "[ NFSMount_Global_Options ]\nretrans=3\n",
        "/etc/fstab": f"{line}\n",
    }), "client")
    assert client.mounts[0].option("retrans") == retrans
