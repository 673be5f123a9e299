"""What is said of a server, in which words, and what that rests on; against a server in this process."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from advisor.advice.answers import fact_value
from advisor.pages.blocks import plain
from advisor.pages.layout import terminal
from advisor.pages.observe import probe_data, probe_page
from advisor.pages.style import Style
from advisor.probe import questions
from advisor.probe.evidence import answered, answers, found_facts, known, observations, words
from advisor.probe.protocols import admits
from advisor.probe.result import (
    Answering,
    Asked,
    Attributes,
    Door,
    ExportedPath,
    Grant,
    Identity,
    MinorVersion,
    PathStep,
    Probed,
    Registered,
    ServerAddress,
)
from advisor.rulebase.model import RuleBase
from advisor.rulebase.model.kb import PROBED
from tests.each import each
from tests.probe.fake import Fake, Shared
from tests.probe.test_questions import asked, serving
from tests.schemas import validate


def troubles(base: RuleBase, probed: Probed) -> list[str]:
    return [each.conclusion.id.removeprefix("probe_") for each in answers(base, probed)
            if each.conclusion.kind == "trouble"]


def shown(base: RuleBase, probed: Probed) -> str:
    return " ".join(terminal(probe_page(base, probed), 100, Style(False)).split())


GANESHA = {"scope": "vm_NFS-Ganesha"}
SITUATIONS: dict[str, tuple[Callable[[], Fake], str, dict[str, object], list[str]]] = {
    "all is well": (lambda: Fake({"/srv": Shared(mode=0o1777)}), "/srv", {}, []),
    "not exported": (lambda: Fake({"/srv": Shared()}), "/data", {}, ["not_exported"]),
    "exported to others": (
        lambda: Fake({"/srv": Shared(("192.0.2.0/24",), "NOENT")}), "/srv", {}, ["other_clients"]),
    "below an export": (lambda: Fake({"/srv": Shared()}), "/srv/typo/x", {}, ["missing"]),
    "to hosts by name": (lambda: Fake({"/srv": Shared(("web1",), "NOENT")}), "/srv", {}, ["not_admitted"]),
    "listed for this host, and missing": (
        lambda: Fake({"/srv": Shared(("127.0.0.1",), "NOENT")}), "/srv", {}, ["not_admitted"]),
    "below another root": (lambda: Fake({"/home": Shared()}), "/export/home", {}, ["elsewhere"]),
    "without an export list": (
        lambda: Fake({"/srv": Shared()}, programs=(100000, 100003)), "/data", {}, ["absent", "no_v3_mount", "no_nlm"]),
    "Kerberos": (lambda: Fake({"/srv": Shared(status="WRONGSEC", flavours=("krb5", "krb5p"))}), "/srv", {},
                 ["kerberos"]),
    "TLS": (lambda: Fake({"/srv": Shared(status="WRONGSEC")}, tls=True), "/srv", {}, ["tls"]),
    "another flavour": (lambda: Fake({"/srv": Shared(status="WRONGSEC")}), "/srv", {}, ["security"]),
    "no flavour is named": (lambda: Fake({"/srv": Shared(status="WRONGSEC", flavours=())}), "/srv", {}, ["security"]),
    "a high port": (lambda: Fake({"/srv": Shared(status="PERM")}), "/srv", {}, ["port"]),
    "a high port, Ganesha": (lambda: Fake({"/srv": Shared(status="NOENT")}, **GANESHA), "/srv", {}, ["port_ganesha"]),
    "read-only": (lambda: Fake({"/srv": Shared(mode=0o1777, rights="ro")}), "/srv", {}, ["read_only"]),
    "not writable, and that is all": (lambda: Fake({"/srv": Shared(mode=0o755, rights="ro")}), "/srv", {}, []),
    "one's own directory": (
        lambda: Fake({"/srv": Shared(mode=0o755, owner="1000", rights="ro")}), "/srv", {}, ["read_only"]),
    "not readable": (lambda: Fake({"/srv": Shared(mode=0o700, rights="none")}), "/srv", {}, ["mode"]),
    "a directory on the way": (lambda: Fake({"/srv": Shared(status="ACCES")}), "/srv", {}, ["denied"]),
    "a file": (lambda: Fake({"/srv": Shared(status="NOTDIR")}), "/srv", {}, ["file"]),
    "a stale directory": (lambda: Fake({"/srv": Shared(status="STALE")}), "/srv", {}, ["failed"]),
    "names of another domain": (lambda: Fake({"/srv": Shared(owner="root@other.example")}), "/srv", {}, ["domain"]),
    "names of this host's domain": (lambda: Fake({"/srv": Shared(owner="root@Example.org")}), "/srv", {}, []),
    "grace": (lambda: Fake({"/srv": Shared()}, grace="nfsv4"), "/srv", {}, ["grace"]),
    "lockd's grace": (lambda: Fake({"/srv": Shared()}, grace="lockd"), "/srv", {}, ["grace_lockd"]),
    "no lock manager": (
        lambda: Fake({"/srv": Shared()}, programs=(100000, 100003, 100005)), "/srv", {}, ["no_nlm"]),
    "NFSv3 only": (lambda: Fake({"/srv": Shared()}, nfs_versions=(3,)), "/srv", {}, ["v3_only"]),
    "over NFSv3, to others": (lambda: Fake({"/srv": Shared(("192.0.2.7",), v3="ACCES")}, nfs_versions=(3,)), "/srv",
                              {"mount": True}, ["v3_other_clients", "v3_only"]),
    "over NFSv3, for the port": (lambda: Fake({"/srv": Shared(v3="ACCES")}, nfs_versions=(3,)), "/srv",
                                 {"mount": True}, ["v3_port", "v3_only"]),
    "over NFSv3, not at all": (
        lambda: Fake({"/srv": Shared()}, nfs_versions=(3,)), "/data", {"mount": True}, ["v3_not_exported", "v3_only"]),
    "over NFSv3, read-only": (lambda: Fake({"/srv": Shared(mode=0o777, rights="ro")}, nfs_versions=(3,)), "/srv",
                              {"mount": True}, ["v3_read_only", "v3_only"]),
    "over NFSv3, Kerberos": (lambda: Fake({"/srv": Shared(flavours=(390003,))}, nfs_versions=(3,)), "/srv",
                             {"mount": True}, ["kerberos", "v3_only"]),
    "one program with one port": (lambda: Fake({"/srv": Shared(flavours=(0, 1))}, heedless=True), "/srv",
                                  {"mount": True}, ["ports_unlisted", "v3_only"]),
    "one program, and another path": (lambda: Fake({"/srv": Shared()}, heedless=True), "/data", {"mount": True},
                                      ["v3_absent", "ports_unlisted", "v3_only"]),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_each_situation_is_told_and_no_other(monkeypatch: pytest.MonkeyPatch, base: RuleBase, name: str) -> None:
    make, export, request, expected = SITUATIONS[name]
    with serving(monkeypatch, make()) as fake:
        probed = asked(fake, export, **request)
    assert troubles(base, probed) == expected
    validate(probe_data(base, probed), "advisor-probe-1")
    for answer in answers(base, probed):
        assert "{" not in answer.says
        assert "?" not in answer.says
        assert answer.conclusion.of == "probe"
    for said in probe_data(base, probed)["answers"]:  # type: ignore[attr-defined]
        assert said["rests_on"], "each answer names the questions it rests on"


def lone(**found: object) -> Probed:
    """A result that knows little."""
    return Probed("nas", "/srv", 2049, "2026-11-28T00:00:00Z", 1000, False, ip="192.0.2.1",
                  addresses=(ServerAddress("192.0.2.1"),), **found)  # type: ignore[arg-type]


def doors(nfs: str, rpcbind: str = "dropped", ip: str = "192.0.2.1") -> tuple[Door, ...]:
    return (Door(ip, 2049, nfs, 1.0), Door(ip, 111, rpcbind, 1.0))


@pytest.mark.parametrize(("probed", "expected"), [
    (lone(doors=doors("refused", "refused")), ["refused_unlisted"]),
    (lone(doors=doors("dropped", "open"), rpcbind=4, registered=(Registered(100003, 4, "tcp", 2049),)), ["dropped"]),
    (lone(doors=doors("dropped")), ["silent_host"]), (lone(doors=doors("unreachable", "unreachable")), ["unreachable"]),
    (lone(doors=doors("forbidden", "forbidden")), ["forbidden"]),
    (lone(doors=doors("refused", "open"), rpcbind=4, registered=(Registered(100003, 4, "tcp", 2050),)), ["other_port"]),
    (lone(doors=doors("refused", "open"), rpcbind=4), ["refused"]),
    (lone(doors=doors("open"), answering=(Answering("nfs", 3, 2049, "not-rpc"), Answering("nfs", 4, 2049, "silent"))),
     ["mute"]),
    (lone(doors=(*doors("open", "open"), *doors("dropped", ip="192.0.2.2"))), ["dead_address"]),
    (lone(doors=(*doors("open", "open"), *doors("unreachable", ip="2001:db8::1"))), []),
    (lone(doors=doors("open", "open"), rpcbind=4, answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 20048, "dropped"), Answering("nlm", 4, 4045, "ok"))),
     ["mountd_blocked"]),
    (lone(doors=doors("open", "dropped"), answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 0, "not-asked"))), ["rpcbind_blocked"]),
    (lone(doors=doors("open", "open"), rpcbind=4, asked=(Asked("nfs 4.2", "silent", 3000.0),), answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 20048, "refused"))), ["mountd_dead"]),
    (lone(doors=doors("open", "open"), rpcbind=4, minors=(MinorVersion("4.2", "silent"),), answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 0, "unregistered"))), ["mountd_dead"]),
    (lone(doors=doors("open", "open"), rpcbind=4, asked=(Asked("nfs 4.2", "silent", 3000.0),), answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 20048, "ok"))), ["hangs"]),
    (lone(doors=doors("open", "open"), rpcbind=4, answering=(
        Answering("nfs", 3, 2049, "ok"), Answering("mountd", 3, 20048, "ok"), Answering("nlm", 4, 4045, "dropped"))),
     ["nlm_blocked"]),
])
def test_connections(base: RuleBase, probed: Probed, expected: list[str]) -> None:
    assert troubles(base, probed) == expected


def test_a_name_without_an_address(base: RuleBase) -> None:
    probed = Probed("nas", "/srv", 2049, "2026-11-28T00:00:00Z", 0, True)
    probed = probed._replace(asked=(Asked("addresses", "unresolved", 1.0),))
    assert troubles(base, probed) == ["unresolved"]
    assert "nas does not resolve on this host" in shown(base, probed)


def test_the_sentence_names_the_path_and_the_clients(monkeypatch: pytest.MonkeyPatch, base: RuleBase) -> None:
    with serving(monkeypatch, Fake({"/srv/x": Shared(("192.0.2.0/24", "web*"), "NOENT")})) as fake:
        page_of = shown(base, asked(fake, "/srv/x"))
    assert ("LOOKUP says that /srv/x does not exist, and the export list has /srv/x for 192.0.2.0/24, web*" in page_of)
    assert "Not asked: MNT (--mnt), whether Kerberos works, RDMA, UDP." in page_of


def test_a_path_that_ends_alike_is_named(monkeypatch: pytest.MonkeyPatch, base: RuleBase) -> None:
    with serving(monkeypatch, Fake({"/export/x": Shared(), "/y": Shared()})) as fake:
        assert "It lists /export/x. Correct the path" in shown(base, asked(fake, "/srv/x"))


def test_what_has_no_answer_is_said(base: RuleBase) -> None:
    said = shown(base, lone(doors=doors("open"), asked=(Asked("tls", "denied", 1.0, "AUTH_TOOWEAK"),)))
    assert "tls: the server refuses the credentials (AUTH_TOOWEAK)" in said


def test_as_root(base: RuleBase) -> None:
    """Squashed or not, and the port: only root can ask."""
    def of(steps: str, **found: object) -> Probed:
        probed = lone(doors=doors("open", "open"), steps=(PathStep("/", "OK"), PathStep("srv", steps)), **found)
        return probed._replace(uid=0, low_port=True)

    private = questions.Attributes("directory", "0700", "0", "0")
    assert troubles(base, of("OK", attributes=private, granted=())) == ["root_squash"]
    assert troubles(base, of("OK", attributes=private, granted=("read", "modify"))) == []
    assert known(base, of("OK", from_high_port="PERM"))["server.insecure_ports"] is False
    assert known(base, of("OK", from_high_port="OK"))["server.insecure_ports"] is True
    assert "server.insecure_ports" not in known(base, of("WRONGSEC", from_high_port="WRONGSEC"))
    assert troubles(base, of("PERM")) == ["refused_anyway"]


def test_facts_are_those_of_the_rule_base(monkeypatch: pytest.MonkeyPatch, base: RuleBase) -> None:
    fake = Fake({"/srv": Shared(mode=0o1777, flavours=(1, "krb5"))}, minors=(0, 1), **GANESHA)  # type: ignore[arg-type]
    with serving(monkeypatch, fake):
        found = found_facts(base, asked(fake, "/srv"))
    assert found["mount.vers"] == ["3", "4.0", "4.1"]
    assert found["mount.sec"] == ["sys", "krb5"]
    assert (found["server.nlm"], found["server.insecure_ports"]) == (True, True)
    assert "ganesha" in found["storage.platform"]  # type: ignore[operator]
    for name, value in found.items():
        assert fact_value(base, name, value) is not None
    base.diagnosis.certain(known(base, asked_again := lone(doors=doors("refused"))))
    assert found_facts(base, asked_again) == {}


LINUX, NETAPP = "knfsd truenas synology qnap", "ontap anf aws-fsx-ontap gcp-netapp-volumes"


WHO = [
    (Identity("vm", 0, "vm_NFS-Ganesha"), 100, "ganesha cephfs-nfs storage-scale", True, "scope vm_NFS-Ganesha"),
    (Identity("vm", 0, "my-own-scope", ("pnfs-mds", "pnfs-ds")), 64, "", None, ""),
    (Identity("9a", 0, "9a", ("non-pnfs",), "freebsd.org", "FreeBSD 14.2-RELEASE #0: now\n me@host"), 64,
     "freebsd-nfsd", True, "implementation id FreeBSD 14.2-RELEASE #0: now me@host of freebsd.org"),
    (Identity("0x01ff", 0, "0x01ff", (), "netapp.com", "NetApp Release 9.14.1"), 64, NETAPP, True,
     "implementation id NetApp Release 9.14.1 of netapp.com"),
    (Identity("vm", 0, "vm", ("pnfs-mds",), "kernel.org", "Linux 6.15.0 #1 SMP x86_64"), 64, LINUX, True,
     "implementation id Linux 6.15.0 #1 SMP x86_64 of kernel.org"),
    (Identity("vm", 0, "vm", ("pnfs-mds",), "kernel.org", "Plan 9"), 64, "", None, ""),
    (Identity("vm", 0, "vm", ("pnfs-mds",), "kernel.org.example", "Linux 6.15.0"), 64, "", None, ""),
    (Identity("vm", 0, "vm", ("pnfs-mds", "moved-refer")), 50, LINUX, False, "no implementation id, owner vm, "
     "roles pnfs-mds, moved-refer, operations 50"),
    (Identity("vm", 0, "vm", ("pnfs-mds",)), 16, LINUX, False, "no implementation id, owner vm, roles pnfs-mds, "
     "operations 16"),
    (Identity("vm", 0, "other", ("pnfs-mds",)), 50, "", None, ""),
    (Identity("vm", 0, "vm", ("pnfs-mds",)), 64, "", None, ""), (Identity("0x00ff", 0, "vm"), 50, "", None, ""),
]


def test_who_answers(base: RuleBase) -> None:
    for identity, operations, platforms, sure, evidence in WHO:
        probed = lone(identity=identity, grant=Grant(30, 1, 1, operations, False))
        who = answered(base.platforms, probed)
        assert ([*who.platforms] if who else [], who.sure if who else None) == (platforms.split(), sure)
        assert found_facts(base, probed).get("storage.platform", []) == platforms.split()
        assert (evidence or "not known") in shown(base, probed._replace(answering=(Answering("nfs", 4, 2049, "ok"),)))


@pytest.mark.parametrize(("server", "implementation", "platforms"), [
    ("svm-0a.fs-0b.fsx.eu-west-1.amazonaws.com", "netapp.com", ["aws-fsx-ontap"]),
    ("share.file.core.windows.net.", "", ["azure-files"]), ("10.0.0.4", "netapp.com", NETAPP.split()), ("nas", "", []),
    ("fs-0b.efs.eu-west-1.amazonaws.com", "netapp.com", ["aws-efs"]),
])
def test_a_name_tells_which_service_it_is(
    base: RuleBase, server: str, implementation: str, platforms: list[str]
) -> None:
    """Before any reply, and more narrowly than replies that several have in common."""
    probed = lone(identity=Identity("x", 0, "y", (), implementation, "NetApp Release 9.14.1"),
                  grant=Grant(30, 1, 1, 64, False))._replace(server=server)
    who = answered(base.platforms, probed)
    assert [*(who.platforms if who else ())] == platforms


@pytest.mark.parametrize(("name", "kernel"), [
    ("Linux 6.15.0 #1 SMP x86_64", "6.15.0"), ("Linux 7.0.0-31-generic", "7.0.0-31-generic"),
    ("Linux 6.12.0-55.9.1.el10_0.x86_64 #1 SMP", "6.12.0-55.9.1.el10_0.x86_64"), ("Linux", None), ("Linux six", None),
    ("Linux 6.1\x1b[2J #1", None), ("Linux 6." + "6" * 5000, None), ("linux 6.1.1", None),
])
def test_a_kernel_that_names_itself(base: RuleBase, name: str, kernel: str | None) -> None:
    probed = lone(identity=Identity("vm", 0, "vm", (), "kernel.org", name), grant=Grant(30, 1, 1, 64, False))
    assert found_facts(base, probed).get("server.kernel") == kernel
    if kernel:
        base.engine.state(found_facts(base, probed))


def test_nothing_is_known_by_its_ports(base: RuleBase) -> None:
    probed = lone(doors=doors("open", "open"), registered=(Registered(100003, 4, "tcp", 2049),))
    assert answered(base.platforms, probed) is None


def test_a_page_stays_short_and_clean_whatever_a_server_says(base: RuleBase) -> None:
    wild, long = "\x1b[2J{server}%s\r\u202e", "/srv/" + "x" * 100_000
    probed = lone(
        rpcbind=4, registered=tuple(Registered(100003, 3, "tcp", port) for port in range(3000, 9000)),
        exports=(*(ExportedPath(f"/{n}/srv", (wild,) * 50) for n in range(500)),
                 ExportedPath("/srv", tuple(f"10.0.0.{n}" for n in range(250))), ExportedPath(long, ())),
        identity=Identity(long, 0, long, ("pnfs-mds",), "netapp.com", wild * 1000), grant=Grant(30, 1, 1, 64, False),
        steps=(PathStep("/", "OK"), PathStep("srv", "NOENT")), flavours=(wild, "sys") * 500, root_names=(wild, long),
        attributes=Attributes("directory", "0755", f"{wild}@{long}", wild),
        answering=(Answering("nfs", 3, 2049, "ok"),),
    )
    said = terminal(probe_page(base, probed), 100, Style(False))
    assert len(said) < 20_000
    assert not {"\x1b", "\r", "\u202e"} & {*said}
    assert "10.0.0.7 and 242 more" in " ".join(said.split())
    assert "has /srv for 10.0.0.0" in " ".join(said.split())


@each(lambda: [
    ("*", "192.0.2.1", True), ("192.0.2.0/24", "192.0.2.1", True), ("192.0.2.0/255.255.255.0", "192.0.3.1", False),
    ("192.0.2.9", "192.0.2.1", False), ("2001:db8::/32", "2001:db8::1", True), ("2001:db8::/32", "192.0.2.1", False),
    ("web*", "192.0.2.1", None), ("@group", "192.0.2.1", None), ("(everyone)", "::1", True),
])
def test_whom_an_entry_admits(client: str, ip: str, admitted: bool | None) -> None:
    assert admits(client, ip) is admitted


def test_all_words_are_given_and_all_observations_are_known(base: RuleBase) -> None:
    probed = lone(exports=(ExportedPath("/srv", ()),))
    assert words(probed).keys() == {*PROBED}
    sentences = " ".join(one.says for one in base.conclusions.values() if one.of == "probe")
    assert [word for word in PROBED if f"{{{word}}}" not in sentences] == []
    names = {name for name in base.observations if name.startswith("probe.")}
    assert {*observations(probed)} <= names
    assert plain(probe_page(base, probed)[0].text) == "nas:/srv"  # type: ignore[union-attr]
    assert json.loads(json.dumps(probe_data(base, probed)))["answers"] is not None
