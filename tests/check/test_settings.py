"""The settings of all files together: what is included, in which order, and what is the same in other words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import settings
from advisor.check.check_host import host_findings
from advisor.check.compared_host import ComparedHost
from advisor.check.host import GivenFacts, WholeHost, collect
from advisor.check.settings import current_settings, in_order, set_values
from advisor.files.read_together import MAX_INCLUDED
from advisor.host.probe import HostValue, probe
from advisor.host.tree import tree_of
from advisor.lint.finding import Finding
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from tests.each import each
from tests.host import trees


def found(files: dict[str, str]) -> list[tuple[str, int, str, str]]:
    findings: list[Finding] = host_findings(load(), files, {})
    return [(f.file, f.line, f.rule, f.message) for f in findings if not f.policy]


def test_an_included_file_begins_in_the_section_of_the_line() -> None:
    told = found({"/etc/nfs.conf": "[nfsd]\ninclude=site.inc\n", "/etc/site.inc": "threds=16\nthreads=64\n"})
    assert [(file, line, rule) for file, line, rule, _ in told] == [("/etc/site.inc", 1, "setting-unknown")]


def test_the_order_of_what_is_read() -> None:
    told = found({
        "/etc/nfs.conf": "[nfsd]\nthreads=16\ninclude=site.inc\n",
        "/etc/site.inc": "threads=64\n",
    })
    assert [(file, line, rule) for file, line, rule, _ in told] == [("/etc/nfs.conf", 2, "nfs-conf-overridden")]
    assert "/etc/site.inc:1" in told[0][3]
    last = found({
        "/etc/nfs.conf": "[nfsd]\ninclude=site.inc\nthreads=16\n", "/etc/site.inc": "threads=64\n",
    })
    assert [(file, line, rule) for file, line, rule, _ in last] == [("/etc/site.inc", 1, "nfs-conf-overridden")]


def test_a_file_that_is_not_there_and_one_that_may_be_missing() -> None:
    told = found({"/etc/nfs.conf": "[nfsd]\ninclude=-none\ninclude=nfs.d/site.inc\nthreads=16\n"})
    assert [(line, rule) for _, line, rule, _ in told] == [(3, "nfs-conf-include-missing")]
    assert not found({"/etc/nfs.conf": "[nfsd]\ninclude=a\n", "/etc/a": "-> a"}), "it cannot be read"


def test_files_that_include_each_other_come_to_an_end() -> None:
    told = found({
        "/etc/nfs.conf": "[nfsd]\ninclude=a\n", "/etc/a": "include=b\nthreads=64\n", "/etc/b": "include=a\n",
    })
    assert not told
    assert not found({"/etc/nfs.conf": "[nfsd]\ninclude=nfs.conf\n"})


@pytest.mark.parametrize(("path", "alone"), [("/etc/sysctl.conf", True), ("/etc/sysctl.d/7.conf", False)])
def test_a_file_beside_a_folder_of_such_files(path: str, alone: bool) -> None:
    texts = collect(tree_of({path: "vm.dirty_ratio = 5\n"}), [*load().host_files.values()]).texts
    assert [(one.tunable, one.value, one.beside_folder) for one in set_values(load(), texts)] == [
        ("sysctl.vm.dirty_ratio", "5", alone),
    ]


def test_a_file_that_an_empty_one_hides_is_told_where_any_word_of_nfs_stands() -> None:
    told = found({
        "/etc/modprobe.d/nfs.conf": "",
        "/usr/lib/modprobe.d/nfs.conf": "# ours\noptions sunrpc tcp_slot_table_entries=16\n",
        "/etc/modprobe.d/other.conf": "", "/usr/lib/modprobe.d/other.conf": "options e1000 debug=1\n",
    })
    assert [(file, line, rule) for file, line, rule, _ in told] == [
        ("/usr/lib/modprobe.d/nfs.conf", 2, "udev-rule-masked"),
    ]


def values(files: dict[str, str]) -> list[tuple[str, str]]:
    host = ComparedHost(load(), tree_of(files), "nas")
    return [(setting.file.path, setting.value) for setting in set_values(load(), host.collected.texts)]


def test_an_included_file_is_read_in_its_place_and_not_again_within_itself() -> None:
    assert values({
        "/etc/nfs.conf": "[nfsd]\nthreads=1\ninclude=a\nthreads=5\ninclude=b\n",
        "/etc/a": "threads=2\ninclude=b\nthreads=4\n", "/etc/b": "threads=3\ninclude=a\ninclude=b\n",
    }) == [
        ("/etc/nfs.conf", "1"), ("/etc/a", "2"), ("/etc/b", "3"), ("/etc/a", "4"), ("/etc/nfs.conf", "5"),
        ("/etc/b", "3"), ("/etc/a", "2"), ("/etc/a", "4"),
    ]  # fmt: skip


@pytest.mark.parametrize("heading", ["", "[nfsd]\n"])
def test_files_that_include_one_another_are_read_to_a_depth(heading: str) -> None:
    """A file without a section of its own continues that of the line that includes it, also for those it includes."""
    files = {f"/etc/f{number}": f"{heading}include=f{number + 1}\nthreads={number}\n" for number in range(1, 2000)}
    told = values({"/etc/nfs.conf": "[nfsd]\ninclude=f1\n", **files})
    assert [value for _, value in told] == [str(number) for number in range(MAX_INCLUDED - 1, 0, -1)]


def test_what_includes_a_file_before_any_section_is_not_followed() -> None:
    assert values({"/etc/nfs.conf": "include=a\n[nfsd]\nthreads=1\n", "/etc/a": "[nfsd]\nthreads=2\n"}) == [
        ("/etc/nfs.conf", "1"),
    ]


def test_one_setting_in_other_words() -> None:
    """conffile ignores the case of sections and keys, and takes yes for y."""
    told = found({"/etc/nfs.conf": "[nfsd]\nthreads=16\nvers3=no\n", "/etc/nfs.conf.d/a.conf": "[NFSD]\nVERS3=n\n"})
    assert not told
    told = found({"/etc/nfs.conf": "[nfsd]\nthreads=16\n", "/etc/nfs.conf.d/a.conf": "[NFSD]\nThreads=64\n"})
    assert [(file, line, rule) for file, line, rule, _ in told] == [("/etc/nfs.conf", 2, "nfs-conf-overridden")]


EXPORT = "EXPORT { Export_Id = %d; Path = /srv/%d; Pseudo = /srv/%d; FSAL { Name = VFS; } }\n"


def test_blocks_of_ganesha_are_judged_with_what_they_are_included_in() -> None:
    files = {
        "/etc/ganesha/ganesha.conf": "%include defaults.conf\n%dir exports\nNFSv4 { Grace_Period = 90; }\n",
        "/etc/ganesha/defaults.conf": "EXPORT_DEFAULTS { Access_Type = RO; }\n",
        "/etc/ganesha/exports/1.conf": EXPORT % (1, 1, 1),
        "/etc/ganesha/exports/2.conf": EXPORT % (2, 2, 2),
    }
    assert found(files) == []
    files["/etc/ganesha/defaults.conf"] = "EXPORT_DEFAULTS { Squash = All; Anonymous_uid = 65534; }\n"
    assert [(file, rule) for file, _, rule, _ in found(files)] == [
        ("/etc/ganesha/exports/1.conf", "ganesha-nobody-let-in"),
        ("/etc/ganesha/exports/2.conf", "ganesha-nobody-let-in"),
    ]
    del files["/etc/ganesha/defaults.conf"]
    assert [(file, rule) for file, _, rule, _ in found(files)] == [
        ("/etc/ganesha/ganesha.conf", "ganesha-include-missing"),
    ]


MODULE = "/sys/module/nfs/parameters/max_session_slots"
MAXIMUM = "sysctl.sunrpc.tcp_max_slot_table_entries"
IN_NO_FILE = {
    "/etc/sysctl.conf": "vm.swappiness = 10\n", "/etc/modprobe.d/x.conf": "blacklist pcspkr\n",
    "/proc/sys/sunrpc/tcp_max_slot_table_entries": "128\n", "/proc/cmdline": "quiet\n",
}


def test_a_value_in_no_file_is_one_that_differs_from_a_certain_default(monkeypatch: pytest.MonkeyPatch) -> None:
    tunables = load().tunables
    assert [rule for _, _, rule, _ in found(IN_NO_FILE)] == ["sysctl-in-no-file"]
    assert not found({**IN_NO_FILE, "/proc/sys/sunrpc/tcp_max_slot_table_entries": f"{tunables[MAXIMUM].default}\n"})
    cmdline = {"/proc/cmdline": "quiet sunrpc.tcp_max_slot_table_entries=128\n"}
    assert not [rule for _, _, rule, _ in found({**IN_NO_FILE, **cmdline}) if rule == "sysctl-in-no-file"]
    assert not found({path: text for path, text in IN_NO_FILE.items() if path.startswith("/proc/sys/")})
    elsewhere = next(tunable.default_when for tunable in tunables.values() if tunable.default_when)
    for unknown in ({"default": None}, {"default_when": elsewhere}):
        changed = {**tunables, MAXIMUM: tunables[MAXIMUM].replace(**unknown)}
        monkeypatch.setattr(load(), "tunables", changed)
        assert not found(IN_NO_FILE), unknown
        monkeypatch.undo()


def test_what_is_in_effect_is_compared_with_the_last_file() -> None:
    both = {
        "/etc/sysctl.d/10-a.conf": "sunrpc.tcp_max_slot_table_entries = 128\n",
        "/etc/sysctl.d/20-b.conf": "sunrpc.tcp_max_slot_table_entries = 256\n",
    }
    for now, wanted in ((128, ["/etc/sysctl.d/20-b.conf"]), (256, [])):
        told = found({**both, "/proc/sys/sunrpc/tcp_max_slot_table_entries": f"{now}\n"})
        assert [file for file, _, rule, _ in told if rule == "sysctl-not-in-effect"] == wanted


def test_a_setting_whose_value_is_the_name_of_a_file_includes_nothing() -> None:
    told = values({"/etc/nfs.conf": "[nfsd]\ninclude=a\nhost=a\nthreads=5\n", "/etc/a": "port=2049\n"})
    assert told == [("/etc/a", "2049"), ("/etc/nfs.conf", "a"), ("/etc/nfs.conf", "5")]


@pytest.mark.parametrize(("path", "read"), [
    ("/etc/nfs.conf.d/a.conf", True), ("/etc/nfs.conf.d/.a.conf", False), ("/etc/nfs.conf.d/a.txt", False),
    ("/etc/nfs.conf.d/.a.txt", False),
])
def test_a_drop_in_that_nothing_reads_sets_nothing(path: str, read: bool) -> None:
    host = ComparedHost(load(), tree_of({"/etc/nfs.conf": "[nfsd]\n", path: "[nfsd]\nthreads=64\n"}), "nas")
    assert ("nfs.conf.nfsd.threads" in host.settings) is read


def test_a_file_that_an_empty_one_hides_is_reported_at_the_whole_line() -> None:
    line = 'SUBSYSTEM=="bdi", ATTR{read_ahead_kb}="4096"'
    rules = "/usr/lib/udev/rules.d/99-nfs.rules"
    hidden = [finding for finding in host_findings(load(), {
        "/etc/udev/rules.d/99-nfs.rules": "", rules: f"# NFS\n{line}\n",
    }, {}) if finding.rule == "udev-rule-masked"]
    assert [(f.file, f.line, f.column, f.end_column) for f in hidden] == [(rules, 2, 1, len(line) + 1)]


@pytest.mark.parametrize(("same_name", "order"), [
    ("hides", ["/etc/x.d/1.conf", "/run/x.d/2.conf", "/etc/x.d/3.conf", "/etc/x.conf"]),
    ("both", ["/etc/x.d/3.conf", "/etc/x.conf", "/run/x.d/2.conf", "/etc/x.d/1.conf"]),
])
def test_files_of_folders_go_by_their_names_and_one_beside_them_is_last(same_name: str, order: list[str]) -> None:
    given = ("/etc/x.d/3.conf", "/etc/x.conf", "/run/x.d/2.conf", "/etc/x.d/1.conf")
    texts: Any = [SimpleNamespace(path=path, host_file=SimpleNamespace(same_name=same_name)) for path in given]
    assert [text.path for text in in_order(texts)] == order


SLOTS, UDEV = "/proc/sys/sunrpc/tcp_max_slot_table_entries", 'SUBSYSTEM=="bdi", RUN+="/bin/sh -c \'echo 128 > {}\'"\n'


@each(lambda: [
    ({"/etc/sysctl.conf": "sunrpc.tcp_max_slot_table_entries = 128\n", SLOTS: "256\n"}, ["sysctl-not-in-effect"]),
    ({"/etc/sysctl.conf": "sunrpc.tcp_max_slot_table_entries = 256\n", SLOTS: "256\n"}, []),
    # What a file says instead of a number is a finding already.
    ({"/etc/sysctl.conf": "sunrpc.tcp_max_slot_table_entries = many\n", SLOTS: "256\n"}, []),
    ({"/etc/modprobe.d/x.conf": "options nfs max_session_slots=8\n", MODULE: "64\n"},
     ["module-parameter-not-in-effect"]),
    ({"/etc/nfs.conf": "[nfsd]\nthreads=8\n", "/proc/fs/nfsd/threads": "16\n"}, ["server-setting-not-in-effect"]),
    ({"/etc/nfs.conf": "[nfsd]\nthreads=8\n", "/proc/fs/nfsd/threads": "0\n"}, []),  # it is stopped
    ({**IN_NO_FILE, "/etc/udev/rules.d/9.rules": UDEV.format(SLOTS)}, []),  # the rule sets it
])
def test_which_settings_are_not_in_effect(files: dict[str, str], reported: list[str]) -> None:
    told = [rule for _, _, rule, _ in found(files)]
    assert [rule for rule in told if rule.endswith(("-not-in-effect", "-in-no-file"))] == reported


@each(lambda: [
    ({}, [MODULE]), ({"/etc/modprobe.d/x.conf": "options nfs max_session_slots=4\n"}, []),  # the file is to blame
    ({"/etc/fstab": "", "/proc/self/mountinfo": trees.ROOT_MOUNT}, []),  # nothing is mounted
    ({MODULE: "180\n"}, []),
])
def test_what_is_in_effect_and_in_no_file_is_judged_where_nfs_is_mounted(
    files: dict[str, str], reported: list[str]
) -> None:
    mounted = {"/etc/fstab": "nas:/a /a nfs hard,vers=4.1 0 0\n", MODULE: "4\n",
               "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/a", "/a")}
    told = host_findings(load(), {**mounted, **files}, {"storage.platform": "anf"})
    assert [one.file for one in told if one.rule == "session-slots/anf" and one.file == MODULE] == reported
    assert not [one.fix for one in told if one.file == MODULE and one.fix], "no file has a line to change"


def test_what_files_set_beside_what_is_in_effect() -> None:
    tree = tree_of({"/etc/sysctl.conf": "sunrpc.tcp_max_slot_table_entries = 128\n", SLOTS: "256\n",
                    "/etc/modprobe.d/x.conf": "options nfs max_session_slots=8\n"})
    read = current_settings(load(), tree, probe(load().facts, tree, load().tunables, {}), {})
    assert read[MAXIMUM] == (HostValue("128", "/etc/sysctl.conf:1"), HostValue(256, SLOTS))
    assert read["module.nfs.max_session_slots"] == (HostValue("8", "/etc/modprobe.d/x.conf:1"), None)
    assert read["sysctl.sunrpc.tcp_slot_table_entries"] == (HostValue(None, ""), None), "the files were read"
    assert "mount.vers" not in read, "no file of settings has it"
    alone = tree_of({SLOTS: "256\n"})
    read = current_settings(load(), alone, probe(load().facts, alone, load().tunables, {}), {})
    assert read[MAXIMUM] == (None, HostValue(256, SLOTS)), "no file of its kind was collected"
    file = tree_of({MODULE: "64\n", "/etc/modprobe.d/x.conf": "options sunrpc tcp_slot_table_entries=16\n"})
    read = current_settings(load(), file, probe(load().facts, file, load().tunables, {}), {})
    assert read["module.sunrpc.tcp_slot_table_entries"] == (HostValue("16", "/etc/modprobe.d/x.conf:1"), None)


def test_only_what_ought_to_be_otherwise_is_reported_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [(rule, severity) for rule in ("session-slots/anf", "other") for severity in ("note", "warning", "error")]
    found: list[Any] = [SimpleNamespace(rule=rule, severity=severity, _replace=lambda name=(rule, severity), **_: name)
                        for rule, severity in told]
    monkeypatch.setattr(settings, "lint_text", lambda *_, **__: SimpleNamespace(findings=found))
    kept = SimpleNamespace(findings=[])
    host: Any = WholeHost(load(), tree_of({MODULE: "4\n", "/etc/fstab": "nas:/a /a nfs hard 0 0\n",
                          "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/a", "/a")}),
                          lambda _: GivenFacts({}, ()))
    host.indexes = (RuleIndex(load(), {}),)
    monkeypatch.setattr(host, "add_result", lambda area, where, text: where)
    host.results[MODULE] = kept
    settings.against_advice(host, {})
    assert kept.findings == [("session-slots/anf", "warning"), ("session-slots/anf", "error")]
