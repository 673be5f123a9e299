"""Who still uses what."""

from __future__ import annotations

from advisor.document.layout import terminal
from advisor.document.style import Style
from advisor.fleet.usage import Used, usage
from advisor.render.fleet import blocks
from tests.fleet.made import host_class, report

OLD = host_class("aaaa", ("a", "b", "c"), options="vers=3,proto=udp,hard,sec=sys")
NEW = host_class("bbbb", ("d", "e"), options="vers=4.2,proto=tcp,sec=krb5p")
WRITTEN = host_class("cccc", ("f",), options="defaults")


def test_hosts_are_counted_by_each_value() -> None:
    used = usage((OLD, NEW, WRITTEN))
    assert Used("vers", "3", 3, ("aaaa",)) in used
    assert Used("proto", "udp", 3, ("aaaa",)) in used
    assert Used("sec", "krb5p", 2, ("bbbb",)) in used
    assert Used("vers", "", 1, ("cccc",)) in used
    assert [one.option for one in used] == sorted((one.option for one in used), key=("vers", "proto", "sec").index)


def test_two_mounts_of_one_kind_count_once_for_a_host() -> None:
    twice = OLD._replace(mounts=OLD.mounts * 2)
    assert usage((twice,)) == usage((OLD,))


def test_a_host_without_a_mount_counts_for_nothing() -> None:
    assert usage((OLD._replace(mounts=()),)) == []


def test_the_report_shows_it() -> None:
    told = terminal(blocks(report(OLD, WRITTEN), False), 80, Style(False))
    assert "Mounted with" in told
    assert any(line.split() == ["vers", "not", "said", "1", "cccc"] for line in told.splitlines())
    assert "Mounted with" not in terminal(blocks(report(OLD._replace(mounts=())), False), 80, Style(False))
