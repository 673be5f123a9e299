"""The settings of all files together: what is included, in which order, and what is the same in other words."""

from __future__ import annotations

import pytest

from advisor.check.check_host import host_findings
from advisor.lint.finding import Finding
from advisor.rulebase.base import load


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


def test_files_that_include_each_other_come_to_an_end() -> None:
    told = found({
        "/etc/nfs.conf": "[nfsd]\ninclude=a\n", "/etc/a": "include=b\nthreads=64\n", "/etc/b": "include=a\n",
    })
    assert not told
    assert not found({"/etc/nfs.conf": "[nfsd]\ninclude=nfs.conf\n"})


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
