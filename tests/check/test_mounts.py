"""What is in effect for a mount, compared with what is asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import mounts
from advisor.check.check_host import host_findings
from advisor.check.mounts import _is_equivalent, _reasons
from advisor.files.fstab import read
from advisor.host.probe import HostValue, probe
from advisor.host.tree import tree_of
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each
from tests.host import trees


@each(lambda: [
    (1, 4096), (1023, 4096), (1024, 1024), (1536, 1024), (4095, 2048), (4096, 4096), (5000, 4096), (1048576, 1048576),
    (2097152, 1048576),
])
def test_a_size_is_rounded_as_the_kernel_does(asked: int, effect: int) -> None:
    """kernel-observed.rsize-rounding"""
    rsize, wsize = load().tunables["mount.rsize"], load().tunables["mount.wsize"]
    assert _is_equivalent(rsize, asked, effect)
    assert not _is_equivalent(wsize, asked, effect + 1)
    assert [why for why, _ in _reasons(rsize, asked, effect, {})] == ["otherwise"]
    assert [why for why, _ in _reasons(rsize, asked, effect - 1, {})] == ["size-reduced", "otherwise"]


@each(lambda: [
    ("mount.vers", "4", "4.2", True), ("mount.vers", "4.1", "4.2", False), ("mount.proto", "tcp", "tcp6", True),
    ("mount.sec", "krb5:sys", "sys", True), ("mount.sec", "krb5p", "sys", False), ("mount.timeo", 600, 600, True),
    ("mount.timeo", 600, 100, False), ("mount.timeo", 7000, 6000, True), ("mount.rsize", 0, 1048576, True),
])
def test_what_stands_for_several_values_is_any_of_them(tunable: str, asked: str | int, effect: str, same: bool) -> None:
    assert _is_equivalent(load().tunables[tunable], asked, effect) is same


@pytest.mark.parametrize(("line", "at_boot"), [
    ("nas:/a /a nfs hard 0 0", True), ("nas:/a /a nfs hard,noauto 0 0", False),
    ("{{ nas }}:/a /a nfs hard 0 0", None), ("nas:/a {{ place }} nfs hard 0 0", None),
    ("nas:/a /{{ place }} nfs hard 0 0", None), ("nas:/a /{{place}} nfs hard 0 0", None),
    ("{{nas}}:/a /a nfs hard 0 0", None),
])
def test_what_a_template_fills_in_asks_for_no_mount(line: str, at_boot: bool | None) -> None:
    result = lint_text(f"{line}\n", "/etc/fstab", load(), {})
    text = SimpleNamespace(name="/etc/fstab", text=f"{line}\n", host_file=SimpleNamespace(kind="fstab"))
    host: Any = SimpleNamespace(texts=lambda kind: [text] if kind == "fstab" else [], results={"/etc/fstab": result})
    found = [(mount.target, mount.at_boot) for mount in mounts._wanted_mounts(host)]
    assert found == ([] if at_boot is None else [("/a", at_boot)])


def test_what_is_reported_at_the_line_is_not_at_the_mount_that_comes_of_it() -> None:
    mounts_now = trees.nfs("nas:/a", "/a") + trees.nfs("nas:/b", "/b", device="0:53", number=61)
    files = {
        **trees.COMMON, "/etc/fstab": "nas:/a /a nfs soft 0 0\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + mounts_now.replace(",hard,", ",soft,"),
    }
    found = sorted(one for one in host_findings(load(), files, {}) if one.tunable == "mount.hard")
    assert [(one.file, one.line) for one in found] == [("/etc/fstab", 1), ("/proc/self/mountinfo", 4)]
    assert len({one.rule for one in found}) == 1


def test_what_is_in_effect_of_one_mount() -> None:
    hidden = trees.nfs("nas:/old", "/a").replace("timeo=600", "timeo=100")
    tree = tree_of({**trees.COMMON, "/proc/self/mountinfo": trees.ROOT_MOUNT + hidden + trees.nfs("nas:/a", "/a")})
    now = probe(load().facts, tree).mounts
    shown = {name: value.value for name, value in mounts.current_options(load(), tree, now, "/a")}
    assert (shown["mount.vers"], shown["mount.timeo"], shown["mount.nconnect"]) == ("4.1", 600, 1)
    assert shown["mount.bg"] is None
    where = {name: value.where for name, value in mounts.current_options(load(), tree, now, "/a")}
    assert (where["mount.vers"], where["mount.bg"]) == ("/proc/self/mountinfo", "not shown by the kernel")
    assert not {load().tunables[name].kind for name in shown} - {"mount-option", "fstab-field"}
    absent = dict(mounts.current_options(load(), tree, now, "/b"))
    assert {*absent.values()} == {HostValue(None, "not mounted")}
    assert absent.keys() == shown.keys()
    assert not [*mounts.current_options(load(), tree_of({}), (), "/b")], "the mounts are not known"
    ahead = now[-1]._replace(read_ahead_kb=HostValue(128, "/sys/x"))
    assert dict(mounts.current_options(load(), tree, (ahead,), "/a"))["bdi.read_ahead_kb"] == HostValue(128, "/sys/x")


ANSWER = """{{"schema": "advisor-probe/1", "server": "nas", "export": "/{0}", "port": 2049,
 "at": "2999-01-01T00:00:00Z", "uid": 0, "low_port": true, "ip": "192.0.2.1", "exports": [],
 "steps": [{{"name": "/", "status": "OK"}}, {{"name": "{0}", "status": "{1}"}}]}}"""


@each(lambda: [
    (("a", "NOENT"), "nas:/a /m nfs hard 0 0", [("/etc/fstab", "refused-when-asked")]),
    (("b", "NOENT"), "nas:/a /m nfs hard 0 0", [("/var/lib/nfs-advisor/probes/x.json", "refused-when-asked")]),
    (("b", "NOENT"), "other:/b /m nfs hard 0 0", [("/var/lib/nfs-advisor/probes/x.json", "refused-when-asked")]),
    (("b", "OK"), "nas:/a /m nfs hard 0 0", []),
])
def test_what_a_server_refused_is_reported_at_the_line_or_else_at_the_answer(
    answer: tuple[str, str], line: str, reported: list[tuple[str, str]]
) -> None:
    files = {"/etc/fstab": f"{line}\n", "/var/lib/nfs-advisor/probes/x.json": ANSWER.format(*answer)}
    told = host_findings(load(), files, {})
    assert [(one.file, one.rule) for one in told if one.rule == "refused-when-asked"] == reported


@each(lambda: [
    ("/a /etc/auto.a\n/b /etc/auto.a\n", [(1, 4), (2, 4)]),
    ("/a /etc/auto.a # /etc/auto.a\n# /c /etc/auto.a\n", [(1, 4)]),
    ("/a \\\n  file:/etc/auto.a \\\n --timeout=60\n", [(2, 3)]), ("/a /etc/\\\nauto.a\n", [(1, 4)]),
    ("/a auto.a\n/b /etc/auto.b\n/etc/auto.a yp:/etc/auto.a\n", []), ("/etc/auto.a /etc/auto.a /etc/auto.a", [(1, 13)]),
    ("#\\\n/a /etc/auto.a\n", []), ("\\\n\\\n/a /etc/auto.a\\", [(3, 4)]),
    ("/a\x85/etc/auto.a\n\0/b /etc/auto.a", [(1, 4)]),
])  # fmt: skip
def test_a_map_that_does_not_exist_is_reported_where_it_is_named(master: str, places: list[tuple[int, int]]) -> None:
    files = {"/etc/auto.master": master, "/etc/auto.b": "x nas:/x\n", "/etc/auto.misc": "y nas:/y\n"}
    found = [one for one in host_findings(load(), files, {}) if one.rule == "automount-map-missing"]
    assert [(one.line, one.column) for one in found] == places


@each(lambda: [
    ({}, []), ({"options": "hard,noatime"}, ["stale-unit"]), ({"source": "nas:/b"}, ["stale-unit"]),
    ({"target": "/x"}, []), ({"options": ""}, []), ({"name": "a.automount"}, []),
])
def test_a_unit_that_was_made_from_an_older_line_is_reported(changes: dict[str, str], reported: list[str]) -> None:
    told: list[str] = []
    unit = {"name": "a.mount", "source": "nas:/a", "target": "/a", "options": "hard", **changes}
    text = "[Mount]\nWhat={source}\nWhere={target}\nType=nfs\nOptions={options}\n".format(**unit)
    host: Any = SimpleNamespace(tree=tree_of({f"/run/systemd/generator/{unit['name']}": text}),
                                report=lambda difference, *_, **words: told.append(difference))
    fstab = "nas:/a /a nfs rw,hard 0 0\n"
    (line,) = read(fstab, "/etc/fstab").entries
    mounts._stale_units(host, [mounts.WantedMount(lint_text(fstab, "/etc/fstab", load(), {}), line, {})])
    assert told == reported
