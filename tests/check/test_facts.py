"""What a host shows is a fact, or it is said why not; a known bug is marked where the version was read."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.check.check_host import host_findings
from advisor.check.facts import HostFacts, _consistent_facts, as_server, facts_of, with_platform
from advisor.host.probe import HostValue, probe
from advisor.host.tree import tree_of
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Value, Values
from tests.each import each
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


def test_what_implies_other_facts_goes_before_them() -> None:
    """Inside a container the kernel is that of the host, and the distribution is not."""
    shown = {"client.distro": HostValue("alpine", "/x"), "client.kernel": HostValue("5.14.0-427.13.1.el9_4", "/y")}
    unknown: dict[str, str] = {}
    assert [*_consistent_facts(load(), {}, shown, unknown)] == ["client.kernel"]
    assert [*unknown] == ["client.distro"]


def test_the_values_that_were_found_by_their_scopes() -> None:
    found: Any = {"client.kernel": HostValue("6.1", "/x"), "server.threads": HostValue(8, "/y"),
                  "server.kernel": HostValue(None, "/z")}
    shown = HostFacts(probe({}, tree_of({})), found, {})
    assert shown.values(load()) == {"client.kernel": "6.1", "server.threads": 8}
    scope = load().facts["server.threads"].scope
    assert scope != load().facts["client.kernel"].scope
    assert shown.values(load(), scope) == {"server.threads": 8}


def test_what_was_given_is_not_unknown() -> None:
    nothing = facts_of(load(), tree_of({})).unknown
    given = facts_of(load(), tree_of({}), {"client.distro": "debian"}).unknown
    assert {*nothing} - {*given} == {"client.distro"}


def test_what_goes_with_a_given_fact_is_known_where_the_host_shows_the_same() -> None:
    shown = {"client.distro": HostValue("rhel", "/etc/os-release"), "client.kernel": HostValue("6.1", "/proc/x")}
    unknown: dict[str, str] = {}
    assert "client.kernel" in _consistent_facts(load(), {"client.distro": "rhel"}, shown, unknown)
    assert unknown == {}
    assert "client.kernel" in _consistent_facts(load(), {"client.distro": ["debian", "rhel"]}, shown, unknown)
    assert "client.kernel" not in _consistent_facts(load(), {"client.distro": "debian"}, shown, unknown)
    assert unknown["client.kernel"] == "client.distro was given as debian, and is rhel here"


EFS, AZURE = "fs-1.efs.eu-west-1.amazonaws.com:/", "acct.file.core.windows.net:/acct/s"


@each(lambda: [
    ((EFS,), "aws-efs", None), ((EFS, EFS), "aws-efs", None), ((), None, "no NFS mount is in effect"),
    (("nas:/a",), None, "the name of the mounted server nas does not identify a platform"),
    ((EFS, "nas:/a"), None, "the name of the mounted server nas does not identify a platform"),
    ((EFS, AZURE), None, "the names of the mounted servers point to several platforms: aws-efs, azure-files"),
])
def test_the_platform_is_known_if_the_names_of_all_servers_show_the_same(
    sources: tuple[str, ...], platform: str | None, why: str | None
) -> None:
    mounts = "".join(trees.nfs(source, f"/m{number}", number=60 + number) for number, source in enumerate(sources))
    tree, name = tree_of({**trees.COMMON, "/proc/self/mountinfo": trees.ROOT_MOUNT + mounts}), "storage.platform"
    shown = facts_of(load(), tree)
    assert (shown.facts[name].value if name in shown.facts else None, shown.unknown.get(name)) == (platform, why)
    given = facts_of(load(), tree, {name: "ontap"})
    assert (name in given.facts, name in given.unknown) == (False, False)
    assert name not in facts_of(load(), tree, platform=False).facts
    index, now = RuleIndex(load(), {}), probe(load().facts, tree).mounts
    assert with_platform(load(), index, now, {}) == ({} if platform is None else {name: platform})
    assert with_platform(load(), index, now, {name: "ontap"}) == {name: "ontap"}


def test_a_server_is_told_what_a_client_alone_has_no_more() -> None:
    known = {"client.kernel": "6.1", "storage.volume_protocol": "4.1"}
    assert as_server(load(), known) == {"host.role": "nfs-server", "client.kernel": "6.1"}
    contradictory = {**known, "client.kernel_stream": "mainline", "client.has_nconnect": False}
    assert as_server(load(), contradictory) == {"host.role": "nfs-server", **contradictory}, "reported elsewhere"
