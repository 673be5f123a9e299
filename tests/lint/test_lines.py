"""What a line of fstab, or what somebody writes of one, says of its mount."""

from __future__ import annotations

import pytest

from advisor.lint.evidence import line_of, nfs_lines
from advisor.lint.finding import apply
from advisor.lint.judge import _hidden, by_line
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

BASE = load()
FSTAB = """\
# a comment
UUID=1 / ext4 defaults 0 1
nas1:/vol/data /mnt/data nfs vers=3,hard,sec=krb5,ro 0 0
[fd00::1]:/x /hana/data/H\\0401 nfs rw 0 0
acct.file.core.windows.net:/acct/s /mnt/s nfs4 vers=4,minorversion=1 0 0
fs-1.efs.eu-west-1.amazonaws.com:/ /efs efs tls,_netdev 0 0
"""


def test_each_nfs_line_is_named_and_tells_its_facts() -> None:
    lines = nfs_lines(BASE, FSTAB, "fstab")
    assert [one.mount.place for one in lines] == ["fstab:3", "fstab:4", "fstab:5", "fstab:6"]
    assert [one.mount[:3] for one in lines[:2]] == [
        ("nas1", "/vol/data", "/mnt/data"), ("fd00::1", "/x", "/hana/data/H 1"),
    ]
    first, second, azure, efs = (one.facts for one in lines)
    assert (first["mount.vers"], first["mount.sec"], first["mount.ro"]) == ("3", "krb5", True)
    assert second["mount.ro"] is False
    assert "mount.vers" not in second, "left to negotiation"
    assert not {"client.system", "client.roams", "client.kubernetes"} & first.keys(), "presumed, and said by no line"
    assert (azure["storage.platform"], azure["mount.vers"]) == ("azure-files", "4.1")
    assert efs["storage.platform"] == "aws-efs", "by its type"
    assert {facts["host.role"] for facts in (first, second, azure, efs)} == {"nfs-client"}


@pytest.mark.parametrize(("text", "named"), [
    ("nas1:/data /mnt/data", ("nas1", "/data", "/mnt/data")), ("nas1", ("nas1", "", "")),
    ("nas1:/data", ("nas1", "/data", "")), ("/mnt/data", ("", "", "/mnt/data")),
    ("nas1 /mnt/d", ("nas1", "", "/mnt/d")),
    ("/mnt/d nas1:/x", ("nas1", "/x", "/mnt/d")), ("fd00::1 /mnt", ("fd00::1", "", "/mnt")),
    ("[fd00::1]:/x", ("fd00::1", "/x", "")), ("nas1:/d /mnt nfs vers=4.1 0 0", ("nas1", "/d", "/mnt")),
])
def test_a_mount_is_named_as_in_fstab_or_by_a_part(text: str, named: tuple[str, str, str]) -> None:
    assert line_of(BASE, text).mount[:3] == named


def test_a_whole_line_tells_its_facts() -> None:
    assert line_of(BASE, "nas1:/d /mnt nfs vers=4.1,ro 0 0").facts["mount.vers"] == "4.1"


@each(lambda: [
    ("/a /b", "/b is extra"), ("nas1 nas2", "nas2 is extra"), ("nas1: /mnt", "no path follows the colon"),
    (":/x", "no server"), ("smb://nas/share", "not in"), ("a b c", "not an NFS line"),
    ("x /y ext4 defaults", "not an NFS line"),
])
def test_what_names_no_mount_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        line_of(BASE, text)


def test_what_a_line_may_leave_open_can_be_asked_for() -> None:
    """Every condition that a finding may wait for leads to the facts that settle it."""
    index = RuleIndex(BASE, {})
    kinds = {"check", "needs", "form", "ignored", "refused", "repeats", "default"}
    told = [name for name in BASE.engine.conditions if name.partition(":")[0] in kinds]
    assert {name.partition(":")[0] for name in told} == kinds
    for name in told:
        assert all(BASE.facts[fact].ask for fact in index.unknown_facts(name, index.state)), name
    name, fact = "repeats:mount.vers", "client.nfs_utils"
    assert index.unknown_facts(name, index.state) == (fact,)
    settled = BASE.engine.fact(fact).mask("2.5.4")
    assert index.unknown_facts(name, {**index.state, fact: settled & -settled}) == ()


def test_a_line_does_not_widen_what_is_known() -> None:
    """`vers=4` is 4.0, 4.1 or 4.2: whoever knows that it is 4.1 keeps that. What nobody gave is the line's."""
    index = RuleIndex(BASE, {"mount.vers": "4.1"})
    version, security = BASE.engine.fact("mount.vers").mask, BASE.engine.fact("mount.sec").mask("krb5")
    state = {"mount.vers": version("4.1")}
    assert by_line(index, state, {"mount.vers": version(["4.0", "4.1", "4.2"]), "mount.sec": security}, {}) == []
    assert state == {"mount.vers": version("4.1"), "mount.sec": security}
    assert by_line(index, state, {"mount.vers": version("3")}, {})


@pytest.mark.parametrize(("line", "fixed"), [
    ("nas:/a /a hard,vers=4.2 0 0", "nas:/a /a nfs hard,vers=4.2 0 0"), ("nas:/a /a hard,nonsense 0 0", None),
])
def test_a_type_that_is_left_out_is_added_before_options_that_an_nfs_mount_knows(line: str, fixed: str | None) -> None:
    fixes = [finding.fix for finding in lint_text(f"{line}\n", "fstab", load(), {}).findings if finding.fix]
    assert [apply(line, fix.edits) for fix in fixes] == ([] if fixed is None else [fixed])


@pytest.mark.parametrize(("options", "hidden"), [
    ("hard,rsize=8192", ()), ("hard,rsize={{ size }}", ("mount.rsize",)), ("{{ all }},hard", ("",)),
    ("{{ all }},rsize={{ size }}", ("", "mount.rsize")),
])
def test_what_a_template_may_set_is_hidden(options: str, hidden: tuple[str, ...]) -> None:
    assert _hidden(RuleIndex(BASE, {}), options) == {*hidden}


@each(lambda: [
    ("fstab", "nas:/a /a nfs hard 0 0", ""), ("fstab", "<server>:/a /a nfs hard 0 0", "<server>:/a"),
    ("fstab", "x.x.x.x:/a /a nfs hard 0 0", "x.x.x.x:/a"), ("fstab", "nas:/${x} /a nfs hard 0 0", "nas:/${x}"),
    ("fstab", "{{nas}}:/a /a nfs hard 0 0", "{{nas}}:/a"), ("fstab", "nas:/a /<dir> nfs hard 0 0", "/<dir>"),
    ("fstab", "nas:/a /a nfs hard,rsize=<size> 0 0", "rsize=<size>"),
    ("fstab", "nas:/a /a nfs hard,context=<x> 0 0", ""),  # the kernel takes any text
    ("autofs", "data -rw nas:/a/${USER}", ""), ("autofs", "data -rw ${HOST}:/a", ""),  # automount expands them
    ("autofs", "data -rw <server>:/a", "<server>:/a"), ("autofs", "data -rsize=<size> nas:/a", "rsize=<size>"),
    ("kubernetes", "kind: PersistentVolume\nspec: {nfs: {server: <nas>, path: /a}}", ""),  # a template for others
])
def test_a_placeholder_that_is_left_is_marked(kind: str, text: str, marked: str) -> None:
    name = {"fstab": "/etc/fstab", "autofs": "/etc/auto.a"}.get(kind, "x.yaml")
    result = lint_text(f"{text}\n", name, BASE, {}, kind=kind)
    found = [one for one in result.findings if one.rule == "placeholder-left"]
    assert [text[one.column - 1 : one.end_column - 1] for one in found] == ([marked] if marked else [])
