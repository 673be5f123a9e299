"""On what clients of a server disagree, how many of them are named, and what a client is to its server."""

from __future__ import annotations

from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import host_differences
from advisor.check.compared_host import ComparedHost
from advisor.check.host_differences import (
    DOMAIN,
    MTU,
    THREADS,
    Disagreement,
    _default,
    _mtu,
    _unlike_exports,
    compared_values,
    connections,
    connections_by_server,
    disagreements,
    domain,
    has_session,
    identity,
    load,
    node_settings,
    node_values,
    one_sided_mapping,
    shared_settings,
    threads_of,
    user_problems,
)
from advisor.host.tree import tree_of
from advisor.rulebase.base import load as load_base
from advisor.rulebase.model.types import Value
from tests.each import each
from tests.host import trees

BASE = load_base()
RSIZE = "mount.rsize"


def host(files: dict[str, str], *names: str) -> ComparedHost:
    return ComparedHost(BASE, tree_of({"/etc/hostname": "web1\n", **files}), names[0] if names else "web1", names)


def mount(source: str = "nas", now: dict[str, str] | None = None, **settings: Value) -> Any:
    shown = {f"mount.{name}": SimpleNamespace(value=value) for name, value in settings.items()}
    return SimpleNamespace(source=SimpleNamespace(host=source, export="/x"), now=now or {}, settings=shown, shown=shown)


def outcomes(*each: tuple[str, str, str, bool]) -> Any:
    """A mount that comes to one of these: version, flavour, reply, and whether all users are mapped to one."""
    known = [
        SimpleNamespace(words={"vers": vers, "flavour": flavour}, reply=reply, values={"exports.all_squash": squashed})
        for vers, flavour, reply, squashed in each
    ]
    return SimpleNamespace(always=lambda fits: bool(known) and all(map(fits, known)), mount="m")


V4, V3, KRB5 = ("4.2", "sys", "mounted", False), ("3", "sys", "mounted", False), ("4.2", "krb5", "mounted", False)


@each(lambda: [
    ({1: ["a", "b"], 2: ["c"]}, [(2, ("c",), 1, ("a", "b"))]),
    ({1: ["a"], 2: ["c", "b"]}, [(1, ("a",), 2, ("b", "c"))]),
    ({1: ["a"], 2: ["b"], 0: ["c"]}, [(1, ("a",), 0, ("c",)), (2, ("b",), 0, ("c",))]),  # 0 is the default
    ({1: ["a", "b"], 2: ["b"]}, []),  # b has both, and counts for neither
    ({1: ["a", "a"], 2: ["b"]}, [(2, ("b",), 1, ("a",))]),
    ({1: ["a"]}, []), ({}, []),
])
def test_the_fewer_disagree_with_the_more_or_with_the_default(hosts: Any, found: list[tuple[object, ...]]) -> None:
    tunable: Any = SimpleNamespace(id="x", default=0)
    assert [(one.value, one.few, one.other, one.many) for one in disagreements(tunable, hosts)] == found


@pytest.mark.parametrize(("count", "words"), [
    (1, "h1"), (2, "h1 and h2"), (3, "h1, h2 and h3"), (4, "h1 and 3 other hosts"), (1002, "h1 and 1,001 other hosts"),
])
def test_of_more_than_three_hosts_the_first_is_named(count: int, words: str) -> None:
    names = tuple(f"h{number}" for number in range(1, count + 1))
    told = Disagreement(RSIZE, 65536, names, 131072, ("x",)).words(BASE, "nas", ["/a", "/b", "/c", "/d"])
    assert (told["clients"], told["others"], told["exports"]) == (words, "x", "nas:/a and 3 other exports")


@pytest.mark.parametrize(("now", "written", "number"), [
    ({"nconnect": "4"}, 8, 4), ({"vers": "4.2"}, 8, 1), ({}, 8, 8), ({}, None, 1), ({}, "many", 1),
])
def test_connections_are_those_in_effect_or_else_those_asked_for(
    now: dict[str, str], written: Value, number: int
) -> None:
    asked = mount(now=now, nconnect=written) if written is not None else mount(now=now)
    assert connections(asked) == number
    assert connections_by_server([asked, mount("NAS", {"nconnect": "3"})]) == {"nas": max(number, 3)}


def test_the_load_of_a_server_in_words() -> None:
    assert [load(8, 16, clients, "nas")[1]["clients"] for clients in (1, 2, 1000)] == [
        "1 client has", "2 clients have", "1,000 clients have"]
    assert load(8, 16, 2, "nas")[0] == {"sides.connections": 16, THREADS: 8}


@pytest.mark.parametrize(("source", "now", "known"), [
    ("nas", {"rsize": "65536"}, {RSIZE: 65536, "mount.hard": True}), ("nas", {}, {}),
    ("localhost", {"rsize": "65536"}, {}), ("LOCALHOST", {"rsize": "65536"}, {}), ("127.0.0.1", {"rsize": "65536"}, {}),
    ("192.0.2.1", {"rsize": "65536"}, {RSIZE: 65536, "mount.hard": True}),
])
def test_what_is_known_of_a_mount_in_effect(source: str, now: dict[str, str], known: dict[str, Value]) -> None:
    default = BASE.tunables["mount.hard"].default
    wanted = {name: default if name == "mount.hard" else value for name, value in known.items()}
    assert compared_values(BASE, mount(source, now, rsize=65536), [RSIZE, "mount.hard", "mount.clientaddr"]) == wanted


def test_a_session_is_certain_only_if_every_outcome_has_one() -> None:
    four_one, four_zero = ("4.1", "sys", "mounted", False), ("4.0", "sys", "mounted", False)
    assert [has_session(outcomes(*each)) for each in ((V4,), (four_one, V4), (V4, four_zero), (V3,), ())] == [
        True, True, False, False, False]


@pytest.mark.parametrize(("files", "told"), [
    ({"/sys/fs/nfs/net/nfs_client/identifier": "abc\n"}, ("abc", "web1")),
    *(({"/sys/fs/nfs/net/nfs_client/identifier": f"{none}\n",
        "/etc/modprobe.d/n.conf": "options nfs nfs4_unique_id=u7\n"}, ("u7", "web1")) for none in ("", "(null)")),
    ({"/sys/fs/nfs/net/nfs_client/identifier": "(null)\n"}, None),  # a file that was not collected may set it
    ({"/sys/fs/nfs/net/nfs_client/identifier": "abc\n", "/etc/hostname": ""}, None),
])
def test_what_a_client_calls_itself(files: dict[str, str], told: tuple[str, str] | None) -> None:
    assert identity(host(files)) == told


@pytest.mark.parametrize(("files", "name"), [
    ({"/etc/idmapd.conf": "[General]\nDomain = Example.ORG\n"}, "example.org"),
    ({"/etc/hostname": "web1.Example.com\n"}, "example.com"),
    ({"/etc/hosts": "192.0.2.7 web1.example.net web1\n"}, "example.net"),
    ({"/etc/hosts": "127.0.0.1 localhost.localdomain web1\n"}, None), ({}, None),
])
def test_the_domain_is_set_or_that_of_the_full_name(files: dict[str, str], name: str | None) -> None:
    found = domain(host(files))
    assert (found.value if found else None) == name
    assert DOMAIN in BASE.tunables


ON = {"/etc/modprobe.d/n.conf": "options nfs nfs4_disable_idmapping=N\n"}
ON_SERVER = {"/etc/modprobe.d/n.conf": "options nfsd nfs4_disable_idmapping=0\n"}
OFF = {"/etc/modprobe.d/n.conf": "options nfs nfs4_disable_idmapping=1\noptions nfsd nfs4_disable_idmapping=Y\n"}


@each(lambda: [
    (ON, OFF, [outcomes(V4)], "client"), (OFF, ON_SERVER, [outcomes(V4)], "server"),
    (ON, ON_SERVER, [outcomes(V4)], None),
    (OFF, OFF, [outcomes(V4)], None), (ON, OFF, [outcomes(V3)], None), (ON, OFF, [outcomes(KRB5)], None),
    (ON, OFF, [outcomes(V4, KRB5)], None), (ON, OFF, [outcomes(V3), outcomes(V4)], "client"), (ON, OFF, [], None),
])
def test_one_host_that_maps_names_alone(
    client: dict[str, str], server: dict[str, str], mounts: list[Any], side: str | None
) -> None:
    found = one_sided_mapping(host(client), host(server, "nas"), mounts)
    assert (found[0] if found else None) == side


PEOPLE = {"/etc/passwd": "ann:x:1000:1::/:/bin/sh\nbob:x:1001:1::/:/bin/sh\n", "/etc/group": "team:x:5:ann, bob\n"}
THERE = {
    "/etc/passwd": "ann:x:1000:1::/:/bin/sh\n", "/etc/nfs.conf": "[mountd]\nmanage-gids=y\n",
    "/etc/nsswitch.conf": "passwd: files\n",
}


@each(lambda: [
    ({}, V4, [("without-groups", "bob")]),
    ({"/etc/nfs.conf": "[mountd]\nmanage-gids=n\n"}, V4, []),
    ({"/etc/nsswitch.conf": "passwd: files sss\n"}, V4, []),
    ({"/etc/passwd": PEOPLE["/etc/passwd"]}, V4, []),
    ({"/etc/passwd": "ann:x:1005:1::/:/bin/sh\nbob:x:1001:1::/:/bin/sh\n"}, V4, [
        ("other-numbers", "ann (1000 and 1005)"), ("without-groups", "ann")]),
    ({}, ("4.2", "krb5", "mounted", False), []), ({}, ("4.2", "sys", "refused", False), []),
    ({}, ("4.2", "sys", "mounted", True), []),
])
def test_users_matter_where_the_client_sends_their_ids(
    changes: dict[str, str], each: tuple[str, str, str, bool], found: list[tuple[str, str]]
) -> None:
    told = user_problems(host(PEOPLE), host({**THERE, **changes}, "nas"), [outcomes(each)])
    assert [(what, words["users"]) for what, words, _ in told] == found


@pytest.mark.parametrize("count", [2, 3, 4])
def test_three_users_are_named_and_the_rest_counted(count: int) -> None:
    here, there = (
        host({"/etc/passwd": "".join(f"u{number}:x:{start + number}:1::/:/bin/sh\n" for number in range(count))}, name)
        for start, name in ((2000, "web1"), (3000, "nas"))
    )
    ((_, words, _),) = user_problems(here, there, [outcomes(V4)])
    assert words["users"].count("(") == min(count, 3)
    assert words["users"].endswith("1 more") == (count > 3)


EXPORTS = "/a *(rw)\n/b 10.0.0.0/8(ro,fsid=5) @x(rw)\n"


def unlike(one: str, other: str) -> list[tuple[object, str, str, str]]:
    left, right = host({"/etc/exports": one}, "one"), host({"/etc/exports": other}, "other")
    return [(values["sides.export"], words["server"], words["export"], words["place"])
            for values, words, _ in _unlike_exports(left, right)]


@each(lambda: [
    (EXPORTS, []),
    ("/a *(rw)\n", [("missing", "one", "/b", ""), ("missing", "one", "/b", "")]),
    (EXPORTS + "/c *(rw)\n", [("missing", "other", "/c", "")]),
    (EXPORTS.replace("fsid=5", "fsid=0x5"), []),  # the same number
    (EXPORTS.replace("fsid=5", "fsid=6"), [("fsid", "one", "/b", "other:/etc/exports:2")]),
    (EXPORTS.replace("/a *(rw)", "/a *(ro)"), [("otherwise", "one", "/a", "other:/etc/exports:1")]),
    (EXPORTS.replace("/a *(rw)", "/a *(rw,sec=krb5)"), [("otherwise", "one", "/a", "other:/etc/exports:1")]),
    (EXPORTS.replace("/a *(rw)", "/a *(rw,crossmnt)"), [("otherwise", "one", "/a", "other:/etc/exports:1")]),
])
def test_exports_of_two_nodes_that_differ(other: str, found: list[tuple[object, str, str, str]]) -> None:
    """What is missing is said of either node, what is otherwise once."""
    assert unlike(EXPORTS, other) == found


def scopes(one: str, other: str, *, names: tuple[str, str] = ("n1", "n2")) -> list[object]:
    nodes = [host({"/etc/hostname": f"{name}\n", **({"/etc/nfs.conf": conf} if conf else {})}, name)
             for name, conf in zip(names, (one, other))]
    return [values for values, _, _ in node_values(*nodes)]


def test_a_node_without_exports_lacks_none() -> None:
    """Where a cluster makes them, the node that is not in use has none."""
    none, some = (host({"/etc/exports": text, "/etc/nfs.conf": "[nfsd]\nscope=x\n"}, name)
                  for name, text in (("one", "# none\n"), ("other", "/a *(rw)\n")))
    assert [*node_values(none, some)] == [*node_values(some, none)] == []


def test_two_nodes_without_a_scope_have_their_names_for_it() -> None:
    plain, scoped = "[nfsd]\nthreads=8\n", "[nfsd]\nscope=x\n"
    assert scopes(plain, plain) == [{"sides.scope": "by-name"}]
    assert scopes(plain, "") == [{"sides.scope": "by-name"}]
    assert scopes("", plain) == [], "there is no file to say it of"
    assert scopes(plain, scoped) == scopes(scoped, plain) == []
    assert scopes(plain, plain, names=("n1", "n1")) == []


@pytest.mark.parametrize(("one", "other", "found"), [
    ("threads=8", "threads=16", [("nfs.conf.nfsd.threads", "other", "16", "8")]),
    ("threads=8", "port=2050", [("nfs.conf.nfsd.threads", "one", "8", None)]),
    ("port=1", "threads=8", [("nfs.conf.nfsd.threads", "other", "8", None)]),
    ("port=1", "port=2", []),
])
def test_settings_of_two_nodes(one: str, other: str, found: list[tuple[str, str, str, str | None]]) -> None:
    """The second node first, or the only one that sets it."""
    nodes = [host({"/etc/nfs.conf": f"[nfsd]\n{conf}\n"}, name) for conf, name in ((one, "one"), (other, "other"))]
    told = [
        (name, first.title, str(value.value) if value else None, str(other_value.value) if other_value else None)
        for name, (first, value), (_, other_value) in node_settings(nodes[0], nodes[1], ["nfs.conf.nfsd.threads"])
    ]
    default = BASE.tunables["nfs.conf.nfsd.threads"].default
    assert told == [(*row[:3], row[3] or (None if default is None else str(default))) for row in found]


def test_a_default_is_known_only_of_a_file_that_was_read() -> None:
    name = next(name for name, tunable in BASE.tunables.items()
                if name.startswith("nfs.conf.nfsd.") and tunable.default is not None)
    read, unread = host({"/etc/nfs.conf": "[nfsd]\n"}, "a"), host({}, "b")
    found = _default(name, read)
    assert found is not None
    assert (found.value, found.place) == (BASE.tunables[name].default, "a:/etc/nfs.conf:1")
    assert _default(name, unread) is None
    assert _default("sysctl.vm.dirty_ratio", read) is None


def test_threads_that_a_server_has() -> None:
    conf = "[nfsd]\nthreads={}\n"
    assert [threads_of(host({"/etc/nfs.conf": conf.format(text)})) for text in ("16", "many")] == [16, None]
    assert threads_of(host({"/etc/nfs.conf": conf.format(16), "/proc/fs/nfsd/threads": "0\n"})) == 16, "it is stopped"
    assert threads_of(host({})) is None


def test_a_domain_matters_where_names_cross_the_wire() -> None:
    one, other = host({"/etc/hostname": "web1.a.example\n"}), host({"/etc/hostname": "nas.b.example\n"})
    client: Any = SimpleNamespace(client=one, now={}, source=SimpleNamespace(host="nas"))

    def told(*each: tuple[str, str, str, bool], files: dict[str, str] | None = None) -> list[str]:
        mapped = host({"/etc/hostname": "web1.a.example\n", **(files or {})})
        mounts: Any = [outcomes(*each)]
        mounts[0].mount = client
        return [f"{name} {one and one.value} {other and other.value}"
                for name, one, other in shared_settings(mapped, other, mounts) if name == DOMAIN]

    assert told(KRB5) == [f"{DOMAIN} a.example b.example"]
    assert told(V4) == told(V3) == told(KRB5, V3) == []
    off = {"/sys/module/nfs/parameters/nfs4_disable_idmapping": "N\n"}
    assert len(told(V4, files=off)) == 1
    assert told(V3, files=off) == []


def test_the_mtu_is_that_of_the_one_interface_that_leads_there() -> None:
    files = {**trees.CARDS, "/etc/hostname": "web1\n"}
    near, far, other = (ip_address(text) for text in ("10.0.2.9", "192.0.2.9", "10.0.2.10"))
    for targets, mtu in (([near], "9000"), ([far], "1500"), ([near, other], "9000"), ([near, far], None)):
        found = _mtu(host(files), targets)
        assert (found.value if found else None) == mtu, targets
    assert _mtu(host({path: text for path, text in files.items() if "mtu" not in path}), [near]) is None


@each(lambda: [([], ["a"]), ([{"addr": "192.0.2.7"}], ["192.0.2.7"]), ([{"addr": "?"}], ["a"])])
def test_the_way_to_a_server_is_that_of_its_mounts_or_else_of_its_first_address(now: Any, asked: list[str]) -> None:
    server: Any = SimpleNamespace(addresses=[SimpleNamespace(address="a"), SimpleNamespace(address="b")])
    client: Any = SimpleNamespace(settings={})
    mounts: Any = [SimpleNamespace(mount=SimpleNamespace(now=one), always=lambda _: False) for one in now]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host_differences, "_mtu", lambda host, targets: (host, [*map(str, targets)]))
        patch.setattr(host_differences, "client_addresses", lambda *_: ["c"])
        found: Any = [*shared_settings(client, server, mounts)]
    assert found == [(MTU, (client, asked), (server, ["c"] if now else []))]
