"""What a report on a fleet makes of bundles and classes: hosts, usage, and what changed since an earlier one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from advisor.fleet.judge import ExaminedHost
from advisor.fleet.model import (
    ClassDifference,
    FleetDrift,
    FleetReport,
    KnownFault,
    UnreadBundle,
    Usage,
    known_faults,
    usage,
)
from advisor.fleet.report import Members, differences, drift
from advisor.pages.fleet import blocks
from advisor.pages.layout import terminal
from advisor.pages.style import Style
from tests.fleet import made
from tests.fleet.made import NCONNECT, NOLOCK, host_class, report, share


def bundle(host: str, made: str, *addresses: str) -> ExaminedHost:
    return ExaminedHost(f"{host}-{made}-{'+'.join(addresses)}", host, made, "0" * 64, "", None, frozenset(addresses))


@pytest.mark.parametrize(("second", "hosts"), [
    (bundle("a", "2", "10.0.0.1"), 1),
    (bundle("a", "2", "10.0.0.2", "10.0.0.1"), 1),
    (bundle("a", "2"), 1),
    (bundle("a", "2", "10.0.0.2"), 2),
    (bundle("b", "2", "10.0.0.1"), 2),
])
def test_a_name_and_an_address_tell_hosts_apart(second: ExaminedHost, hosts: int) -> None:
    first = bundle("a", "1", "10.0.0.1")
    for order in ((first, second), (second, first)):
        members = Members(order)
        assert (len(members.hosts), len(members.older)) == (hosts, 2 - hosts)
        assert second in members.hosts.values()
        assert (first in members.hosts.values()) == (hosts == 2)


def test_many_hosts_of_one_name_are_not_compared_with_each_other() -> None:
    asked = 0

    class Counted(frozenset[str]):
        def __iter__(self) -> Iterator[str]:
            nonlocal asked
            asked += 1
            return super().__iter__()

        def __and__(self, other: object) -> frozenset[str]:
            raise AssertionError("two hosts were compared")

    many = [bundle("localhost", "1")._replace(place=str(n), addresses=Counted([str(n)])) for n in range(300)]
    assert len(Members(many).hosts) == 300
    assert asked <= 2 * len(many)


def test_faults_of_versions_are_a_table_of_their_own() -> None:
    hang = NOLOCK._replace(rule="hang", setting="package.kernel", value="6.1.0-28", advised="6.1.148",
                           message="It hangs: one cannot kill it")
    line = hang._replace(value=None, place="/etc/fstab:4:1")
    some, few = host_class("aaaa", ("a", "b"), hang, line), host_class("bbbb", ("c",), hang._replace(value="6.1.0-25"))
    made = report(some, few, shares=(share(hang, some, few), share(NOLOCK, few)))
    assert known_faults(made.classes) == [
        KnownFault("hang", "error", "It hangs", 3, ("kernel 6.1.0-28", "kernel 6.1.0-25"), ("6.1.148",))
    ]
    lines = [line.split() for line in terminal(blocks(made, False), 100, Style(False)).splitlines()]
    assert ["✗", "3", "kernel", "6.1.0-28", "+1", "6.1.148", "It", "hangs", "[hang]"] in lines
    assert sum("hang" in " ".join(words) for words in lines) == 1  # and is no finding below
    assert lines[1] == ["3", "with", "an", "error."]


def test_a_broken_file_of_many_lines_is_one_line_of_the_report() -> None:
    unread = (*(UnreadBundle(f"/in/bad.json:{line}", "not valid JSON") for line in range(1, 2001)),
              UnreadBundle("/in/other.json", "empty"))
    told = terminal(blocks(report(V3)._replace(unread=unread), False), 100, Style(False))
    assert "/in/bad.json:1  not valid JSON, and 1,999 more of this file" in told
    assert "/in/other.json  empty" in told
    assert "3 with nothing; 2,001 bundles not used." in told
    assert told.count("not valid JSON") == 1


V3 = host_class("aaaa", ("a", "b", "c"), options="vers=3,proto=udp,hard,sec=sys")
V4 = host_class("bbbb", ("d", "e"), options="vers=4.2,proto=tcp,sec=krb5p")
WRITTEN = host_class("cccc", ("f",), options="defaults")


def test_hosts_are_counted_by_each_value() -> None:
    used = usage((V3, V4, WRITTEN))
    assert Usage("vers", "3", 3, ("aaaa",)) in used
    assert Usage("proto", "udp", 3, ("aaaa",)) in used
    assert Usage("sec", "krb5p", 2, ("bbbb",)) in used
    assert Usage("vers", "", 1, ("cccc",)) in used
    assert [one.option for one in used] == sorted((one.option for one in used), key=("vers", "proto", "sec").index)


def test_two_mounts_of_one_kind_count_once_for_a_host() -> None:
    twice = V3._replace(mounts=V3.mounts * 2)
    assert usage((twice,)) == usage((V3,))


def test_a_host_without_a_mount_counts_for_nothing() -> None:
    assert usage((V3._replace(mounts=()),)) == []


def test_the_report_shows_it() -> None:
    told = terminal(blocks(report(V3, WRITTEN), False), 80, Style(False))
    assert "Mounted with" in told
    assert any(line.split() == ["vers", "not", "known", "1", "cccc"] for line in told.splitlines())
    assert "Mounted with" not in terminal(blocks(report(V3._replace(mounts=())), False), 80, Style(False))


OLD = host_class("0000aaaa", ("a", "b", "c", "gone"), NOLOCK)
LEFT = host_class("0000aaaa", ("c",), NOLOCK)
NEW = host_class("0000bbbb", ("a", "b", "new"), NCONNECT, kernel="6.12")


def test_hosts_that_are_new_gone_and_in_another_class() -> None:
    found = drift(report(OLD), report(NEW, LEFT, made="2026-03-08T06:00:00Z"))
    assert found.since == "2026-03-01T06:00:00Z"
    assert (found.new, found.gone) == (("new",), ("gone",))
    (moved,) = found.moved
    assert (moved.hosts, moved.before, moved.after) == (("a", "b"), "0000aaaa", "0000bbbb")
    assert ClassDifference("client.kernel", "5.14", "6.12") in moved.differences


def test_the_text_says_what_changed() -> None:
    now = report(NEW, LEFT, made="2026-03-08T06:00:00Z", shares=(share(NCONNECT, NEW),))
    before = report(OLD, shares=(share(NOLOCK, OLD),))
    told = terminal(blocks(now._replace(drift=drift(before, now)), False), 200, Style(False))
    moved = "a, b: class 0000aaaa, now 0000bbbb", "client.kernel: 5.14 → 6.12"
    for said in ("Since 2026-03-01T06:00:00Z", "1 host new: new", "1 host gone: gone", *moved, NCONNECT.message):
        assert said in told
    same = terminal(blocks(now._replace(drift=drift(now, now)), False), 200, Style(False))
    assert "Nothing changed." in same


def test_a_finding_is_new_where_no_host_had_it_and_mended_where_none_has_it() -> None:
    before = report(OLD, shares=(share(NOLOCK, OLD),))
    after = report(NEW, shares=(share(NCONNECT, NEW),))
    found = drift(before, after)
    assert (found.found, found.mended) == (after.shares, before.shares)
    still = drift(before, report(NEW, LEFT, shares=(share(NOLOCK, LEFT), share(NCONNECT, NEW))))
    assert still.mended == ()


def test_a_finding_is_not_mended_because_its_hosts_are_not_there_or_could_not_be_judged() -> None:
    before = report(OLD, shares=(share(NOLOCK, OLD),))
    assert drift(before, report(host_class("0000cccc", ("other",)))).mended == ()
    assert drift(before, report(host_class("0000cccc", ("a",), failed="too deep"))).mended == ()
    assert drift(before, report(host_class("0000cccc", ("a",)))).mended == before.shares


@given(made.reports)
@settings(max_examples=50)
def test_nothing_changed_since_the_same_report(one: FleetReport) -> None:
    found = drift(one, one)
    assert found == FleetDrift(one.made, (), (), (), (), ())


def test_differences_of_two_classes() -> None:
    one = host_class("1", ("a",), NOLOCK, options="hard,vers=4.2")
    other = host_class("2", ("b",), options="vers=4.2,soft,nconnect=4", kernel="6.12")
    assert differences(one, other) == (
        ClassDifference("client.kernel", "5.14", "6.12"),
        ClassDifference("options of /data", "hard", "soft,nconnect=4"),
        ClassDifference("finding nolock", NOLOCK.message, None),
    )
    assert differences(one, one) == ()


def test_a_mount_that_only_one_has_or_that_is_of_another_server_is_shown_whole() -> None:
    one = host_class("1", ("a",))
    moved = one._replace(mounts=("other:/data /data nfs hard,vers=4.2 0 0",))
    (found,) = differences(one, moved)
    assert found == ClassDifference("mount /data", one.mounts[0], moved.mounts[0])
    (lacks,) = differences(one, one._replace(mounts=()))
    assert lacks == ClassDifference("mount /data", one.mounts[0], None)


def test_options_in_another_order_show_both_lines() -> None:
    one, other = host_class("1", (), options="a,b"), host_class("2", (), options="b,a")
    (found,) = differences(one, other)
    assert found == ClassDifference("mount /data", one.mounts[0], other.mounts[0])


def test_values_of_facts_are_shown_as_people_write_them() -> None:
    one = host_class("1", ())._replace(facts={"a": True, "b": [1, "x"], "c": 1})
    other = host_class("2", ())._replace(facts={"a": False, "c": 1})
    assert differences(one, other) == (ClassDifference("a", "yes", "no"), ClassDifference("b", "1, x", None))
