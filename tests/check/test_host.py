"""Which files of a host are read, what counts as seen, and which check reports a difference."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import host as host_module
from advisor.check.host import GivenFacts, HostFiles, HostText, UnseenFile, WholeHost, collect, concerns_nfs, is_same
from advisor.files.records import Span
from advisor.host.tree import paths_like, tree_of
from advisor.rulebase.base import load
from advisor.rulebase.model import Check, HostFile
from tests.each import each

BASE = load()


@pytest.mark.parametrize(("pattern", "found"), [
    ("/etc/a.d/x.conf", ["/etc/a.d/x.conf"]),
    ("/etc/none", ["/etc/none"]),  # whether it is there is asked when it is read
    ("/etc/a.d/*.conf", ["/etc/a.d/x.conf", "/etc/a.d/z.conf"]),
    ("/etc/a.d/*", ["/etc/a.d/.y.conf", "/etc/a.d/w", "/etc/a.d/x.conf", "/etc/a.d/z.conf"]),
    ("/etc/*.d/x.conf", ["/etc/a.d/x.conf", "/etc/b.d/x.conf"]),
    ("/etc/b*/*", ["/etc/b.d/x.conf"]),
])
def test_paths_that_fit_a_pattern(pattern: str, found: list[str]) -> None:
    tree = tree_of(dict.fromkeys(
        ("/etc/a.d/x.conf", "/etc/a.d/.y.conf", "/etc/a.d/z.conf", "/etc/a.d/w", "/etc/b.d/x.conf"), ""))
    assert sorted(paths_like(pattern, tree.names)) == found


@pytest.mark.parametrize("count", [2, 3, 4])
def test_so_many_files_of_an_entry_are_read_and_not_one_more(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(host_module, "MAX_FILES", 3)
    entry = BASE.host_files["sysctl"]
    files = {f"/etc/sysctl.d/{number}.conf": "sunrpc.tcp_slot_table_entries = 8\n" for number in range(count)}
    found = collect(tree_of(files), [entry])
    assert len(found.texts) == min(count, 3)
    assert [(unseen.why, unseen.there, unseen.whole) for unseen in found.unseen if unseen.there] == (
        [("there are more than 3 files", True, False)] if count > 3 else [])


@pytest.mark.parametrize(("there", "whole", "seen", "everywhere"), [
    (None, None, True, True), (False, False, True, False), (True, False, False, False), (False, True, False, False),
])
def test_what_was_looked_for(there: bool | None, whole: bool | None, seen: bool, everywhere: bool) -> None:
    host = HostFiles(BASE, tree_of({}))
    host.collected = collect(host.tree, [])
    if there is not None and whole is not None:
        host.collected.unseen.append(UnseenFile(BASE.host_files["fstab"].title, "/x", "why", there, whole))
    assert (host.seen("fstab"), host.seen("fstab", all_places=True)) == (seen, everywhere)
    assert host.seen("sysctl", all_places=True)


@each(lambda: [
    ("1", "1", True), (1, "1", True), ("1", "0", False), ("Y", "1", True), ("N", 0, True), ("Y", "0", False),
    ("4096  131072\t6291456", "4096 131072 6291456", True), (" y", "y", True), ("y", "1", False),
])
def test_values_that_mean_the_same_to_the_kernel(value: object, other: object, same: bool) -> None:
    assert is_same(value, other) is is_same(other, value) is same


@pytest.mark.parametrize(("entry", "text", "lines", "concerned"), [
    ("nfs-conf", "[nfsd]\nthreads=8\n", 0, True), ("nfs-conf", "[nfsd]\n# threads=8\n;x\n\n", 0, False),
    ("sysctl", "vm.dirty_ratio = 5\n", 0, False), ("sysctl", "vm.dirty_ratio = 5\n", 1, True),
    ("fstab", "/dev/sda / ext4 defaults 0 1\n", 0, False), ("fstab", "nas:/a /a nfs defaults 0 0\n", 1, True),
])
def test_a_file_concerns_nfs_by_its_lines_or_as_a_whole(entry: str, text: str, lines: int, concerned: bool) -> None:
    of: Any = SimpleNamespace(text=text, host_file=BASE.host_files[entry])
    assert concerns_nfs(of, SimpleNamespace(nfs_lines=lines)) is concerned  # type: ignore[arg-type]


def reported(host: dict[str, object], words: dict[str, Any], when: bool | str | None = "none") -> list[str]:
    """The messages of a check with this `host`, and of one that always applies. `when`: the truth of a condition."""
    checks = [
        Check.from_data({
            "check": slug, "title": "t", "message": slug, "why": "w", "remedy": "r", "cites": [], "strength": "should",
            "consequence": "performance", "host": {"found": "x", **about}, **({"when": {"a": 1}} if with_it else {}),
        })
        for slug, about, with_it in (("special", host, when != "none"), ("always", {}, False))
    ]
    whole = WholeHost(BASE, tree_of({}), lambda _: GivenFacts({}))
    whole.checks = {"x": checks}
    whole.indexes = (SimpleNamespace(holds=lambda *_: None, state=None),  # type: ignore[assignment]
                     SimpleNamespace(holds=lambda *_: when, state=None))
    whole.results["f"] = SimpleNamespace(findings=[])  # type: ignore[assignment]
    whether = whole.report("x", "f", Span(1, 1, 2), **words)
    told = [finding.message for finding in whole.results["f"].findings]
    assert whether == bool(told)
    return told


NCONNECT = "mount.nconnect"


@each(lambda: [
    ({}, {}, "special"),
    ({"of": ["mount.*"]}, {"tunable": NCONNECT}, "special"), ({"of": ["sysctl.*"]}, {"tunable": NCONNECT}, "always"),
    ({"of": ["mount.*"]}, {}, "always"),
    ({"types": ["ext*"]}, {"fstype": "ext4"}, "special"), ({"types": ["ext*"]}, {"fstype": "xfs"}, "always"),
    ({"lacks": "noauto"}, {"options": "rw,noauto"}, "always"), ({"lacks": "noauto"}, {"options": "rw"}, "special"),
    ({"lacks": "noauto"}, {"options": "noautox"}, "special"), ({"lacks": "noauto"}, {}, "special"),
    ({"at_default": True}, {"tunable": "mount.retrans", "effect": "x"}, "always"),
    ({"at_default": True}, {"effect": "x"}, "always"),
    ({"besides": ["/mnt/*"]}, {"path": "/mnt/a/b"}, ""), ({"besides": ["/mnt/*"]}, {"path": "/srv"}, "special"),
    ({"besides": ["/mnt/*"]}, {}, "special"),
])
def test_the_first_check_that_applies_reports_a_difference(
    host: dict[str, object], words: dict[str, Any], applies: str
) -> None:
    assert reported(host, words) == ([applies] if applies else [])


def test_a_check_of_the_default_needs_the_default_in_effect() -> None:
    tunable = next(one for one in BASE.tunables.values() if isinstance(one.default, int) and one.default > 1)
    for effect, applies in ((tunable.default, "special"), (str(tunable.default), "special"), (1, "always")):
        assert reported({"at_default": True}, {"tunable": tunable.id, "effect": effect}) == [applies]


@pytest.mark.parametrize(("when", "applies"), [(True, "special"), (False, "always"), (None, "always")])
def test_a_condition_has_to_hold_certainly_of_the_client_or_the_server(when: bool | None, applies: str) -> None:
    assert reported({}, {}, when) == [applies]


def test_an_entry_of_one_layout_is_looked_for_there_alone() -> None:
    entry = HostFile.from_data({**BASE.host_files["sysctl"].as_dict(), "only": ["sosreport"]})
    assert collect(tree_of({"/etc/sysctl.conf": "sunrpc.tcp_slot_table_entries = 8\n"}), [entry]) == ([], [], [], [])


def test_what_cannot_be_read_is_unseen_and_what_is_not_there_is_not() -> None:
    wanted = [BASE.host_files[name] for name in ("nfs-conf", "autofs")]
    found = collect(tree_of({
        "/etc/nfs.conf": "[nfsd]\ninclude=loop\ninclude=none\nthreads=8\n", "/etc/loop": "-> loop",
        "/etc/auto.master": "/a /etc/auto.a\n/b /etc/auto.none\n/c /etc/auto.sh\n/d /etc/auto.loop\n/e yp:auto.e\n",
        "/etc/auto.a": "data -rw nas:/data\n", "/etc/auto.sh": "#!/bin/sh\n", "/etc/auto.loop": "-> auto.loop",
    }), wanted)
    assert [text.path for text in found.texts] == ["/etc/nfs.conf", "/etc/auto.master", "/etc/auto.a"]
    assert {one.path for one in found.unseen if one.there} == {
        "/etc/loop", "/etc/auto.sh", "/etc/auto.loop", "yp:auto.e"}


def test_a_file_in_a_folder_that_is_a_link_to_another_is_hidden_by_none() -> None:
    """/lib is a link to /usr/lib on most hosts."""
    empty = {"/etc/udev/rules.d/9-nfs.rules": "", "/usr/lib/udev/rules.d/9-nfs.rules": "# nfs\n"}
    hidden = collect(tree_of(empty), [BASE.host_files["udev"]]).hidden
    assert [(one.path, one.by) for one in hidden] == [
        ("/usr/lib/udev/rules.d/9-nfs.rules", "/etc/udev/rules.d/9-nfs.rules")]
    full = collect(tree_of({**empty, "/etc/udev/rules.d/9-nfs.rules": "# nfs\n"}), [BASE.host_files["udev"]])
    assert full.hidden == [], "it is replaced on purpose"
    linked = collect(tree_of({"/usr/lib/udev/rules.d/9-nfs.rules": "", "/lib": "-> usr/lib"}),
                     [BASE.host_files["udev"]])
    assert linked.hidden == []


def test_files_of_an_area_are_judged_and_others_listed() -> None:
    host = WholeHost(BASE, tree_of({"/etc/fstab": "nas:/a /a nfs soft 0 0\n", "/proc/mdstat": "x"}),
                     lambda _: GivenFacts({}))
    other = HostText(HostFile.from_data({**BASE.host_files["fstab"].as_dict(), "kind": "none"}), "/x", "/x", "")
    told: list[bool] = []

    def known(name: str, server: bool) -> Any:
        told.append(server)
        return {}

    exports = HostText(BASE.host_files["exports"], "/etc/exports", "/etc/exports", "/a *(rw)\n")
    by_area, left = host_module.judge_files(BASE, [*host.collected.texts, exports, other], known)
    assert left == [other]
    assert {area: [result.name for result in results] for area, results in by_area.items() if results} == {
        BASE.host_files["fstab"].area: ["/etc/fstab"], BASE.host_files["exports"].area: ["/etc/exports"]}
    assert told == [False, True]
