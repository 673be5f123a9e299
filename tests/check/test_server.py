"""Whether a server can answer: does it run, does it start, who is refused, and what keeps it from its exports."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import server
from advisor.files.exports import read
from advisor.files.mountinfo import MountInfo
from advisor.host.tree import NotCollected, Unread, tree_of
from advisor.rulebase.base import load
from tests.each import each

ENABLED = "/etc/systemd/system/multi-user.target.wants"


class Host:
    """A host of these files; what is reported is kept as (difference, words)."""

    def __init__(self, files: dict[str, str], about: tuple[str, ...] = (), missing: tuple[str, ...] = ()) -> None:
        self.tree: Any = tree_of(files)
        self.files, self._about, self._missing = files, about, missing
        self.told: list[tuple[str, dict[str, Any]]] = []

    def about(self, _: str) -> list[str]:
        return [*self._about]

    def is_missing(self, path: str) -> bool:
        return path in self._missing

    look_for = is_missing

    def texts(self, *_: str) -> list[Any]:
        text = self.files.get("/etc/fstab")
        return [] if text is None else [SimpleNamespace(text=text, name="fstab")]

    def add_result(self, area: str, name: str, text: str) -> str:
        return name

    def report(self, difference: str, name: str, span: Any, **words: Any) -> bool:
        self.told.append((difference, {"name": name, "line": span.line, **words}))
        return True


def runs(files: dict[str, str], live: bool = False) -> bool | None:
    host: Any = Host(files, missing=(server.COUNTERS,))
    host.tree = SimpleNamespace(optional_text=host.tree.optional_text, live=live)
    return server._runs(host)


def test_a_server_runs_if_it_has_threads() -> None:
    assert [runs({server.THREADS: text}) for text in ("8\n", "0\n")] == [True, False]
    assert [runs({server.COUNTERS: f"rc 0 1 2\nth {number} 0\n"}) for number in (8, 0)] == [True, False]
    assert runs({server.THREADS: "0\n", server.COUNTERS: "th 8 0\n"}) is False, "what it has now goes before"
    assert runs({server.COUNTERS: "rc 0 1 2\n"}) is None
    assert (runs({}), runs({}, live=True)) == (None, False), "a copy may just lack the file"


@each(lambda: [
    ({server.UNIT_FILES: "nfs-server.service enabled enabled\n"}, True),
    ({server.UNIT_FILES: "nfs-server.service enabled-runtime enabled\n"}, True),
    ({server.UNIT_FILES: "nfs-server.service alias -\n"}, True),
    ({server.UNIT_FILES: "nfs-server.service linked -\n"}, True),
    ({server.UNIT_FILES: "nfs-server.service disabled enabled\n"}, False),
    ({server.UNIT_FILES: "nfs-server.service masked enabled\n"}, False),
    ({server.UNIT_FILES: "nfs-server.service disabled -\nnfs-kernel-server.service enabled -\n"}, True),  # any of them
    ({server.UNIT_FILES: "other.service enabled\n"}, None),
    ({server.UNIT_FILES: "nfs-server.service\n"}, None),  # its state is missing
    ({f"{ENABLED}/nfs-server.service": "-> /lib/x"}, True),
    ({f"{ENABLED}/other.service": "-> /lib/x"}, False),
    ({"/etc/systemd/system/x.requires/nfs-server.service": "-> /lib/x", f"{ENABLED}/o.service": "x"}, True),
    ({"/etc/systemd/system/x.d/nfs-server.service": "x", f"{ENABLED}/o.service": "x"}, False),
    ({"/etc/systemd/system/x.wants/other.service": "x"}, None),  # nothing shows what starts with the host
])
def test_a_server_that_starts_with_the_host(files: dict[str, str], starts: bool | None) -> None:
    host: Any = Host(files, about=("nfs-server.service", "nfs-kernel-server.service"))
    assert server._starts(host) is starts


@pytest.mark.parametrize(("error", "there"), [(Unread("no permission"), True), (NotCollected("x"), False)])
def test_units_that_cannot_be_seen_are_named(monkeypatch: pytest.MonkeyPatch, error: Unread, there: bool) -> None:
    def unread(_: object) -> Any:
        raise error

    monkeypatch.setattr(server, "wanted_units", unread)
    host: Any = Host({}, about=("a.service",))
    host.collected = SimpleNamespace(unseen=["other"])
    server._starting_units(host)
    first, other = host.collected.unseen
    assert (first.path, first.why, first.there, first.whole, other) == (
        server.UNITS, "no permission" if there else "not collected", there, not there, "other")
    assert host.told == []


@pytest.mark.parametrize(("now", "at_boot", "told"), [
    (False, False, "not-served"), (False, True, "not-running"), (False, None, "not-running"),
    (True, False, "not-enabled"), (None, False, "not-enabled"), (True, True, None), (None, None, None),
    (True, None, None), (None, True, None),
])
def test_what_is_said_of_a_server_that_does_not_run(
    monkeypatch: pytest.MonkeyPatch, now: bool | None, at_boot: bool | None, told: str | None
) -> None:
    monkeypatch.setattr(server, "_runs", lambda _: now)
    monkeypatch.setattr(server, "_starts", lambda _: at_boot)
    (export,), text = read("/srv *(rw)\n"), SimpleNamespace(name="exports")
    host: Any = Host({}, about=("nfs-server.service",))
    server._report_server(host, text, export)  # type: ignore[arg-type]
    expected = {"name": "exports", "line": 1, "tunable": "nfs-server.service", "option": "/srv"}
    assert host.told == ([(told, expected)] if told else [])


def mounts(*targets: str) -> list[MountInfo]:
    named: list[Any] = [SimpleNamespace(target=target) for target in targets]
    return named


@each(lambda: [
    ("UUID=1 /srv ext4 defaults 0 0\n", "/", "", ("export-not-mounted", "/srv/a", "/srv", "fstab:1")),
    ("# data\nUUID=1 /srv/ ext4 defaults 0 0\n", "/", "", ("export-not-mounted", "/srv/a", "/srv", "fstab:2")),
    ("UUID=1 /srv ext4 noauto 0 0\n", "/", "", None),
    ("UUID=1 /srv ext4 defaults 0 0\n", "/srv", "", None),
    ("UUID=1 /srv ext4 defaults 0 0\nUUID=2 /srv/a ext4 defaults 0 0\n", "/srv", "",
     ("export-not-mounted", "/srv/a", "/srv/a", "fstab:2")),  # the nearest counts
    ("UUID=1 /srv ext4 defaults 0 0\n", "/srv/a", "", None),
    ("UUID=1 /srv ext4 defaults 0 0\n", "", "", None),  # nothing shows what is mounted
    ("UUID=1 /home ext4 defaults 0 0\n", "/", "/srv/a", ("export-missing", "/srv/a", None, None)),
    ("UUID=1 /home ext4 defaults 0 0\n", "/", "", None),
])
def test_an_exported_directory_that_is_not_there(
    fstab: str, mounted: str, missing: str, told: tuple[str, str, str | None, str | None] | None
) -> None:
    host: Any = Host({"/etc/fstab": fstab}, missing=(missing, "srv"))
    host.tree = SimpleNamespace(mounts=mounts(*mounted.split()))
    text: Any = SimpleNamespace(name="exports")
    server._report_directories(host, [(text, export) for export in read("/srv/a *(rw) @x(rw)\nsrv *(rw)\n")])
    found = [(what, words["option"], words.get("effect"), words.get("place")) for what, words in host.told]
    assert found == ([told] if told else []), "each path once, and none that is no path"
    assert all((words["name"], words["line"]) == ("exports", 1) for _, words in host.told)


DENY, ALLOW = server._ACCESS


@each(lambda: [
    ("ALL: ALL\n", "", [(1, "rpcbind and mountd")]),
    ("# x\nrpcbind: ALL\n", "", [(2, "rpcbind")]),
    ("rpcbind, mountd: ALL\n", "", [(1, "rpcbind and mountd")]),
    ("mountd: ALL\nALL: ALL\n", "", [(1, "mountd"), (2, "rpcbind")]),  # each once
    ("ALL: ALL\n", "rpcbind: 10.0.0.0/8\n", [(1, "mountd")]),
    ("ALL: ALL\n", "ALL: 10.0.0.0/8\n", []),
    ("ALL: 10.0.0.1\n", "", []),
    ("ALL EXCEPT sshd: ALL\n", "", []),
    ("ALL: ALL EXCEPT 10.0.0.0/8\n", "", []),
    ("#ALL: ALL\nALL\n", "", []),
    ("sshd: ALL\n", "", []),
])
def test_whom_the_access_lists_refuse(deny: str, allow: str, told: list[tuple[int, str]]) -> None:
    host: Any = Host({DENY: deny, ALLOW: allow}, about=("rpcbind", "mountd"))
    server._report_wrappers(host)
    assert [(words["line"], words["option"]) for _, words in host.told] == told
    assert {(what, words["name"]) for what, words in host.told} <= {("refused-by-wrappers", DENY)}


@each(lambda: [
    ("root:x:0\nnfs:x:1\n", "passwd: files\n", "nfs", False),
    ("root:x:0\n", "passwd: files\n", "nfs", True),
    ("root:x:0\n", "passwd: files sss\n", "nfs", False),  # another source may have it
    ("root:x:0\n", "passwd: files systemd\n", "nobody", False),  # systemd makes it up
    ("root:x:0\n", "passwd: files\n", "nobody", True),
    ("root:x:0\n", "passwd: files systemd\n", "nfs", True),
    ("", "passwd: files\n", "nfs", False),  # not collected
])
def test_a_user_that_the_host_certainly_lacks(passwd: str, switch: str, name: str, lacks: bool) -> None:
    host: Any = Host({"/etc/passwd": passwd, "/etc/nsswitch.conf": switch})
    assert server._has_no(host, "passwd", name) is lacks


@pytest.mark.parametrize(("line", "told"), [
    ("rpc 10000 100 90 10 0", ("100", 10000, "90", "10")), ("rpc 10001 100 90 10 0", None),
    ("rpc 500 99 99 0 0", None), ("rpc 500 100 100 0", None), ("rpc 500 x 100 0 0", None), ("net 1 100 1 0 0", None),
])
def test_calls_that_the_server_refused(line: str, told: tuple[Any, ...] | None) -> None:
    """At least a hundred, and a hundredth of all."""
    host: Any = Host({server.COUNTERS: f"rc 0 0 1\n{line}\n"})
    server._report_counters(host)
    found = [(words["effect"], words["value"], words["form"], words["proof"]) for _, words in host.told]
    assert found == ([told] if told else [])
    assert all(words["line"] == 2 and words["option"] == line for _, words in host.told)


@pytest.mark.parametrize(("line", "fstype"), [
    ("UUID=1 /srv/data ext4 defaults 0 0", "ext4"), ("/home /srv/data none bind 0 0", "bind"),
    ("/home /srv/data/ none defaults,rbind 0 0", "bind"), ("UUID=1 /srv/data ext4 noauto 0 0", None),
])
def test_what_is_mounted_at_boot_and_how(line: str, fstype: str | None) -> None:
    host: Any = Host({"/etc/fstab": f"# none\n{line}\n"})
    assert server._at_boot(host) == ({} if fstype is None else {"/srv/data": ("fstab:2", fstype)})


@pytest.mark.parametrize("files", [
    {"/proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 8:2 / /srv/a rw - xfs /dev/sdb1 rw\n"},
    {"/etc/fstab": "/dev/sdb1 /srv/a xfs defaults 0 0\n"},
    {"/proc/self/mountinfo": "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n23 22 8:2 / /srv/a rw - xfs /dev/sdb1 rw\n",
     "/etc/fstab": "/dev/sdc1 /srv/b ext4 defaults 0 0\n"},
])
def test_what_is_mounted_below_an_export_is_what_is_in_effect_or_else_in_fstab(files: dict[str, str]) -> None:
    host: Any = Host(files)
    host.base = load()
    exports: Any = [(SimpleNamespace(name="exports"), one) for one in read("/srv *(rw)\n")]
    server._report_mounts_below(host, exports)
    assert [(told, words["effect"], words["fstype"]) for told, words in host.told] == [
        ("mount-below-export", "/srv/a", "xfs"),
    ]


@pytest.mark.parametrize(("line", "known"), [
    ("/srv *(rw)", True), ("/srv *(rw", False), ("/{{ share }} *(rw)", False),
])
def test_an_export_that_exportfs_reads_is_known(line: str, known: bool) -> None:
    assert [server.is_known(export) for export in read(f"{line}\n")][:1] == [known]


@each(lambda: [
    ("/a *(rw,no_subtree_check)", "/a *(rw,sync)", []), ("/a *(rw)", "/a *(ro)", [("export-otherwise", "rw")]),
    ("/a *(sec=sys,rw,sec=krb5,ro)", "/a *(ro)", []),  # each flavour has options of its own
    ("/a *(anonuid=5)", "/a *(anonuid=6)", []),  # numbers are not compared
    ("/a *(rw)", "/b *(rw)", [("export-not-made", "*"), ("export-in-no-file", "/b")]),
    ("/a web1(rw)", "/a web1.example(rw)", []),  # exportfs writes its full name
    ("/a web1(rw)", "/a 10.0.0.0/8(rw)", [("export-not-made", "web1")]),
    ("/a 10.1.0.0/16(rw)", "/a web1(rw)", [("export-not-made", "10.1.0.0/16")]),
    ("/a web1(rw)", "/b web1(rw)", [("export-not-made", "web1"), ("export-in-no-file", "/b")]),
    ("/a *(rw)", "", []),  # the server is stopped
])
def test_exports_that_were_made_beside_those_of_the_files(
    line: str, made: str, told: list[tuple[str, str]]
) -> None:
    host: Any = Host({server.ETAB: f"{made}\n"})
    host.base, host.seen = load(), lambda *_: True
    text: Any = SimpleNamespace(text=f"{line}\n", name="exports", path="/etc/exports")
    server._compare_with_etab(host, [text])
    assert [(difference, words["option"]) for difference, words in host.told] == told
    host.told, host.seen = [], lambda *_: False
    server._compare_with_etab(host, [text])
    assert [difference for difference, _ in host.told] == [
        difference for difference, _ in told if difference != "export-in-no-file"], "the files were not all seen"


def test_an_access_list_that_cannot_be_read_refuses_nobody() -> None:
    deny = {"/etc/hosts.deny": "ALL: ALL\n"}
    for files, count in ((deny, 1), ({**deny, "/etc/hosts.allow": "-> hosts.allow"}, 0)):
        host: Any = Host(files, about=("rpcbind",))
        server._report_wrappers(host)
        assert len(host.told) == count


@each(lambda: [
    ("sshd: ALL", [(1, ["sshd"], ["ALL"])]), ("a, b : c d : spawn x", [(1, ["a", "b"], ["c", "d"])]),
    ("# a: b", []), ("  # a: b", []), ("a b", []), ("\n\na: b", [(3, ["a"], ["b"])]), ("", []),
])
def test_the_lines_of_an_access_list(text: str, lines: list[tuple[int, list[str], list[str]]]) -> None:
    assert [*server._access(text)] == lines
