"""What a host shows is a fact, or it is said why not; a known bug is marked where the version was read."""

from __future__ import annotations

import pytest

from advisor.check.check_host import host_findings
from advisor.check.facts import _consistent_facts
from advisor.host.probe import HostValue
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Value, Values
from tests.host import trees


@pytest.mark.parametrize(("given", "name", "value", "why"), [
    ({}, "client.kernel", "abc", "/x says 'abc', which is unusable: "),
    ({}, "server.grace_s", 5, "/x says 5, which is unusable: "),
    ({}, "server.ha", True, "/x says True, which means nothing on most hosts"),
    ({"client.kernel_stream": "mainline", "client.kernel": "6.1"}, "client.has_nconnect", False,
     "/x says False, which contradicts other facts"),
    ({"client.distro": "debian"}, "client.kernel", "6.1", "client.distro was given as debian, and is unknown here"),
    ({"client.kernel": "5.4"}, "client.kernel", "6.1", None),
])
def test_what_is_no_fact_has_its_reason(given: dict[str, Values], name: str, value: Value, why: str | None) -> None:
    unknown: dict[str, str] = {}
    assert _consistent_facts(load(), given, {name: HostValue(value, "/x")}, unknown) == {}
    assert (unknown == {}) is (why is None)
    assert why is None or unknown[name].startswith(why)


def test_what_a_host_shows_is_known() -> None:
    shown = {"client.distro": HostValue("rhel", "/etc/os-release"), "client.kernel": HostValue("6.1", "/proc/x")}
    unknown: dict[str, str] = {}
    assert _consistent_facts(load(), {}, shown, unknown) == shown
    assert unknown == {}


def test_a_known_bug_marks_the_whole_version() -> None:
    files = {
        **trees.COMMON, **trees.systemd(), **trees.kernel("5.15.136", "#1-Alpine SMP"),
        "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/a", "/a"), "/etc/fstab": "nas:/a /a nfs hard 0 0\n",
    }
    bug = next(one for one in host_findings(load(), files, {}) if one.rule == "client-parallel-writes-nul")
    assert (bug.line, bug.column, bug.end_column) == (1, 1, len("kernel 5.15.136") + 1)


def test_what_goes_with_a_given_fact_is_known_where_the_host_shows_the_same() -> None:
    shown = {"client.distro": HostValue("rhel", "/etc/os-release"), "client.kernel": HostValue("6.1", "/proc/x")}
    unknown: dict[str, str] = {}
    assert "client.kernel" in _consistent_facts(load(), {"client.distro": "rhel"}, shown, unknown)
    assert unknown == {}
    assert "client.kernel" in _consistent_facts(load(), {"client.distro": ["debian", "rhel"]}, shown, unknown)
    assert "client.kernel" not in _consistent_facts(load(), {"client.distro": "debian"}, shown, unknown)
    assert unknown["client.kernel"] == "client.distro was given as debian, and is rhel here"
