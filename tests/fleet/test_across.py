"""What no host shows by itself."""

from __future__ import annotations

from advisor.fleet.judge import HostSource, Knowledge, findings_across
from advisor.fleet.model import FleetFinding
from advisor.fleet.report import Members
from advisor.fleet.run import judge_fleet
from tests.fleet.test_bundle import BASE, bundle_of
from tests.host import trees
from tests.tiers import thorough


def client(number: int, name: str = "node", unique: str = "", vers: str = "4.2", server: str = "nas") -> str:
    """A bundle of a host with an address of its own."""
    mount = f"60 22 0:52 / /a rw - nfs4 {server}:/a rw,vers={vers},hard,addr=10.0.2.9\n"
    return bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": f"{name}\n",
        "/proc/net/fib_trie": f"     |-- 10.1.0.{number}\n        /32 host LOCAL\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + mount,
        "/sys/module/nfs/parameters/nfs4_unique_id": f"{unique}\n",
    })


def mounting(number: int, options: str, exports: str = "/a", server: str = "nas") -> str:
    """A bundle of the client that mounts these exports with these options."""
    lines = "".join(
        f"{60 + at} 22 0:{52 + at} / /m{at} rw - nfs4 {server}:{export} rw,hard,{options},addr=10.0.2.9\n"
        for at, export in enumerate(exports.split())
    )
    return bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": f"web{number}\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + lines,
    })


def found(*bundles: str) -> list[FleetFinding]:
    fleet = judge_fleet([HostSource(f"x:{number}", one) for number, one in enumerate(bundles)], Knowledge())
    return findings_across(BASE, Members(fleet.hosts).hosts, fleet.classes)


def test_hosts_of_one_name_are_one_client_to_their_server() -> None:
    (one,) = found(client(1), client(2), client(3, "other"))
    assert one.rule == "clients-look-alike"
    assert one.severity == "error"
    assert one.hosts == ("node (x:0)", "node (x:1)")
    assert one.message.startswith("node (x:0) and node (x:1) both call themselves node, so nas")
    assert set(one.cites) <= set(BASE.claims)


def test_an_image_with_an_identifier_gives_it_to_every_copy() -> None:
    (one,) = found(client(1, unique="4f1c"), client(2, unique="4f1c"))
    assert one.rule == "unique-ids-equal"


def test_nothing_is_told_of_clients_that_a_server_tells_apart() -> None:
    assert found(client(1, unique="4f1c"), client(2, unique="77ab")) == []
    assert found(client(1, "one"), client(2, "two")) == []
    assert found(client(1, "one", "4f1c"), client(2, "two", "4f1c")) == []
    assert found(client(1), client(2, server="nas2")) == []
    assert [one.rule for one in found(client(1), client(2, vers="3"))] == ["mounted-in-several-ways"]
    assert found(client(1), client(1)) == []  # two bundles of one host


def test_an_export_that_few_hosts_mount_otherwise() -> None:
    (one,) = found(*(mounting(n, "vers=4.2,sec=krb5p") for n in range(6)), mounting(6, "vers=4.2,sec=sys"))
    assert (one.rule, one.severity, one.about, one.hosts) == ("flavours-of-hosts", "note", "nas:/a", ("web6",))
    assert one.message == "nas:/a: mounted with sec=sys on web6, and with sec=krb5p on web0 and 5 other hosts"
    assert set(one.cites) <= set(BASE.claims)


def test_what_the_kernel_does_not_list_is_at_its_default() -> None:
    (one,) = found(mounting(1, "vers=4.2,nconnect=8"), mounting(2, "vers=4.2"), mounting(3, "vers=4.2"))
    assert one.message == "nas:/a: mounted with nconnect=8 on web1, and with nconnect=1 on web2 and web3"


def test_exports_on_which_the_same_hosts_disagree_are_told_together() -> None:
    homes = "/home/a /home/b /home/c /home/d"
    (one,) = found(mounting(1, "vers=4.1", homes), mounting(2, "vers=4.2", homes), mounting(3, "vers=4.2", homes))
    assert one.message.startswith("nas:/home/a and 3 other exports: mounted with vers=4.1 on web1, and with vers=4.2")


def test_locks_that_one_host_keeps_to_itself() -> None:
    (one,) = found(mounting(1, "vers=3,local_lock=all"), mounting(2, "vers=3,local_lock=none"))
    assert (one.rule, one.severity, one.hosts) == ("locks-on-some-hosts", "warning", ("web1",))


def test_exports_that_only_look_alike_are_not_compared() -> None:
    assert found(mounting(1, "vers=4.1"), mounting(2, "vers=4.2", server="nas2")) == []
    assert found(mounting(1, "vers=4.1"), mounting(2, "vers=4.2", "/b")) == []
    # The helper of EFS listens on each host itself.
    assert found(mounting(1, "vers=4.1", server="127.0.0.1"), mounting(2, "vers=4.2", server="127.0.0.1")) == []
    # What files ask for says little about what is in effect.
    asking = bundle_of({**trees.DEBIAN12, "/etc/fstab": "nas:/a /a nfs vers=3 0 0\n"})
    assert found(mounting(1, "vers=4.2"), asking) == []
    # One host that has both speaks for none.
    assert found(mounting(1, "vers=4.2"), mounting(2, "vers=4.2"), bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": "web3\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + "60 22 0:52 / /m rw - nfs4 nas:/a rw,vers=4.2,hard,addr=10.0.2.9\n"
                                "61 22 0:53 / /n rw - nfs4 nas:/a rw,vers=4.1,hard,addr=10.0.2.9\n",
    })) == []


def serving(threads: int, name: str = "nas", **more: str) -> str:
    """A bundle of a server. `more`: files of /proc/fs/nfsd."""
    return bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": f"{name}\n", "/etc/exports": "/a *(rw,sync)\n",
        "/proc/fs/nfsd/threads": f"{threads}\n", **{f"/proc/fs/nfsd/{file}": text for file, text in more.items()},
        "/proc/net/fib_trie": "     |-- 10.0.2.9\n        /32 host LOCAL\n",
    })


def loads(*bundles: str, rule: str = "threads-for-connections") -> list[FleetFinding]:
    return [one for one in found(*bundles) if one.rule == rule]


@thorough
def test_all_connections_of_the_fleet_beside_the_threads_of_a_server() -> None:
    clients = [mounting(n, "vers=4.2,nconnect=4") for n in range(3)]
    (one,) = loads(serving(8), *clients)
    assert one.hosts == ("nas",)
    assert one.message == "3 clients have 12 connections to nas, whose 8 threads work on 8 requests at a time"
    assert loads(serving(16), *clients) == []
    for server, many in ("10.0.2.9", 1), ("nas.example.com", 1), ("other", 0):
        clients = [mounting(n, "vers=4.2,nconnect=4", server=server) for n in range(3)]
        assert len(loads(serving(8), *clients)) == many
    clients = [mounting(n, "vers=4.2,nconnect=4") for n in range(3)]
    assert loads(serving(8), serving(9, "nas.lan"), *clients) == []  # nothing shows which of the two is meant


def test_all_connections_of_the_fleet_beside_what_the_kernel_of_a_server_keeps() -> None:
    limit = "connections-above-limit"
    clients = [mounting(n, "vers=4.2,nconnect=16") for n in range(6)]
    (one,) = loads(serving(1), *clients, rule=limit)
    assert one.message.startswith("6 clients have 96 connections to nas, which keeps 80 with threads=1 unless ")
    assert loads(serving(2), *clients, rule=limit) == []
    assert loads(serving(1, max_connections="4096\n"), *clients, rule=limit) == []
    assert loads(serving(1, max_connections="0\n"), *clients, rule=limit)


def server(name: str, scope: str, exports: str, domain: str = "example.org", **more: str) -> str:
    """A bundle of a server that is a node of the server `scope`; "" for one that does not say so."""
    conf = f"[nfsd]\nthreads=64\nscope={scope}\n" if scope else "[nfsd]\nthreads=64\n"
    return bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": f"{name}\n", "/etc/nfs.conf": conf, "/etc/exports": exports,
        "/etc/idmapd.conf": f"[General]\nDomain = {domain}\n", **more,
    })


def test_nodes_of_one_scope_are_compared_without_being_asked() -> None:
    told = found(
        server("ha1", "nas", "/data *(rw,fsid=11)\n"), server("ha2", "nas", "/data *(rw,fsid=12)\n", "example.com"),
    )
    assert {one.rule: (one.severity, one.about, one.hosts) for one in told} == {
        "node-fsid-differs": ("error", "scope nas", ("ha1", "ha2")),
        "nodes-differ": ("warning", "scope nas", ("ha1", "ha2")),
    }
    assert {one.message for one in told} == {
        "ha1 and ha2 (ha2:/etc/exports:1) give /data different fsids, so a failover makes every file handle stale",
        "idmapd.conf.General.Domain is example.com on ha2 and example.org on ha1 (ha1:/etc/idmapd.conf:2)",
    }


def test_nodes_are_compared_with_what_identifies_them() -> None:
    """A class has neither its own name nor its own identifiers of file systems; nodes that are of one class differ."""
    one, other = (f"/data *(rw,fsid=4d1b7c52-0000-4000-8000-00000000000{n})\n" for n in (1, 2))
    told = found(server("ha1", "nas", one), server("ha2", "nas", other))
    assert [each.rule for each in told] == ["node-fsid-differs"]
    fstab = {"/etc/fstab": "UUID=7f0c9a10-0000-4000-8000-00000000000f / ext4 defaults 0 1\n"}
    assert found(server("ha1", "nas", one), server("ha2", "nas", one, **fstab)) == []
    both = "/data ha1(rw,fsid=1) ha2(rw,fsid=1)\n"
    assert found(server("ha1", "nas", both), server("ha2", "nas", both)) == []


def test_servers_that_are_no_nodes_of_one_another() -> None:
    one, other = "/data *(rw,fsid=11)\n", "/data *(rw,fsid=12)\n"
    assert found(server("ha1", "nas", one), server("ha2", "nas2", other)) == []
    assert found(server("ha1", "", one), server("ha2", "", other)) == []
    assert found(server("ha1", "nas", one), server("ha2", "", other)) == []


def test_a_scope_that_servers_of_a_site_were_given_by_a_copy() -> None:
    logs, one, other = "/logs *(rw,fsid=12)\n", "/data *(rw,fsid=11)\n", "/data *(rw,fsid=12)\n"
    assert found(server("db1", "nas", logs), server("ha1", "nas", one)) == []
    told = found(server("db1", "nas", logs), server("ha1", "nas", one), server("ha2", "nas", other))
    assert [(each.rule, each.hosts) for each in told] == [("node-fsid-differs", ("ha1", "ha2"))]
    idle = server("ha2", "nas", "", "example.com")
    assert [each.rule for each in found(server("ha1", "nas", one), idle)] == ["nodes-differ"]
    assert found(server("db1", "nas", logs), server("ha1", "nas", one), idle) == []


def test_each_node_is_compared_with_the_first() -> None:
    conf = {"/etc/nfs.conf": "[nfsd]\nscope=nas\nlease-time=30\n"}
    bundles = [server(f"ha{n}", "nas", "/data *(rw,fsid=1)\n", **(conf if n == 3 else {})) for n in range(1, 5)]
    assert [(one.rule, one.hosts) for one in found(*bundles)] == [("nodes-differ", ("ha1", "ha3"))]
