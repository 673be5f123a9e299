from __future__ import annotations

from hypothesis import given, settings

from advisor.document.layout import terminal
from advisor.document.style import Style
from advisor.fleet.differences import differences
from advisor.fleet.drift import drift
from advisor.fleet.model import ClassDifference, FleetDrift, FleetReport
from advisor.render.fleet import blocks
from tests.fleet import made
from tests.fleet.made import NCONNECT, NOLOCK, host_class, report, share

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
