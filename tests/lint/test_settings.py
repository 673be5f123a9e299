"""Files of `name = value`: names, sections and values that nothing reads, and what the decisions say of the others."""

from __future__ import annotations

import pytest

from advisor.files.kinds import read_settings
from advisor.lint import settings
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def found(text: str, kind: str = "nfs.conf", name: str = "/etc/nfs.conf", **known: object) -> dict[int, list[str]]:
    """Line → rules, without notes."""
    told: dict[int, list[str]] = {}
    facts = {fact.replace("__", "."): value for fact, value in known.items()}
    for finding in lint_text(text, name, load(), facts, kind=kind).findings:
        if finding.severity != "note":
            told.setdefault(finding.line, []).append(finding.rule)
    return told


@each(lambda: [
    ("[nfsd]\nthreds=16\n", 2, "setting-unknown"),
    ("[nfsd]\nvers4_1=n\n", 2, "setting-unknown"),
    ("[nfsrahead]\nnfsv4=16384\n", 2, "setting-unknown"),
    ("[mountd]\nlease-time=60\n", 2, "setting-section-wrong"),
    ("[nfs]\nthreads=16\n", 1, "setting-section-unknown"),
    ("[nfsd]\nthreads=64k\n", 2, "setting-value"),
    ("[nfsd]\nvers3=disabled\n", 2, "setting-value"),
    ("[nfsd]\nthreads=16\nThreads = 32\n", 2, "setting-twice"),
    ("[nfsd]\nudp=y\n", 2, "nfsd-udp/off"),
    ("[NFSD]\nUDP = on # old clients\n", 2, "nfsd-udp/off"),
    ("[gssd]\nverbosity=-1\n", 2, "setting-value"),
    ("[mountd]\ndebug=all,trace\n", 2, "setting-value"),
])  # fmt: skip
def test_what_is_wrong_with_one_line(text: str, line: int, rule: str) -> None:
    assert found(text) == {line: [rule]}


@each(lambda: [
    "[nfsd]\nthreads=16\nvers3=N\nvers4.0=off\nrdma=y\nrdma-port=20049\nhost=192.0.2.1,nfs.example.com\n",
    "[nfsd]\nrdma=20049\nudp=n\n[mountd]\nmanage-gids=y\nport=20048\n[environment]\nANY=1\n",
    "[nfsd]\nthreads={{ threads }}\n{{ more }}=1\n<% if x %>\nscope=$SCOPE\n",
    "[gssd]\nuse-gss-proxy=1\n[lockd]\nport=32803\nudp-port=32769\n[statd]\nport=662\n", "", "# nothing\n",
    "[nfsd]\ninclude=-/etc/nfs-local.conf\n",
])  # fmt: skip
def test_what_is_right_is_no_finding(text: str) -> None:
    assert found(text) == {}


@each(lambda: [
    (16, True), ("y", True), (None, False), ("omit", False), ("n/a", False), (">=8", False),
])
def test_a_value_is_replaced_by_one_that_can_be_written(wanted: str | int | None, replaced: bool) -> None:
    written = read_settings("nfs.conf", "[nfsd]\nthreads=8\n", "x")
    judge = settings._Judge(RuleIndex(load(), {}, kind="nfs.conf"), written, None, None, False)
    value = written.settings[0].value
    assert [edit.text for edit in fix.edits] == [str(wanted)] if (fix := judge._fix(value, wanted)) else not replaced
    assert judge._fix(value._replace(text="9"), wanted) is None, "the file has another text there"


@each(lambda: [
    ("vm.dirty_ratio = 5 # much\n", "# much"), ("vm.dirty_ratio = 5\n# much\n", None), ("no.such = 5 # much\n", None),
])
def test_a_comment_behind_a_value_is_a_part_of_it(text: str, comment: str | None) -> None:
    findings = lint_text(text, "/etc/sysctl.conf", load(), {}, kind="sysctl").findings
    places = [text[one.column - 1 : one.end_column - 1] for one in findings if one.rule == "setting-trailing-comment"]
    assert places == [comment] * (comment is not None)


def test_what_a_value_counts_as_is_what_atoi_makes_of_it() -> None:
    for written, counted in (("-1", "-1"), ("64k", "64"), ("many", "0"), ("+7x", "+7")):
        (one,) = lint_text(f"[gssd]\nrpc-timeout={written}\n", "x", load(), {}, kind="nfs.conf").findings
        assert one.message.endswith(f"so it counts as {counted}")


def test_names_that_add_up_replace_nothing() -> None:
    assert found("[ autofs ]\nldap_uri = ldap://a\nldap_uri = ldap://b\n", "autofs.conf") == {}
    assert found("[ autofs ]\ntimeout = 60\ntimeout = 300\n", "autofs.conf") == {2: ["setting-twice"]}


def test_a_value_that_another_line_replaces_is_not_judged() -> None:
    assert found("[nfsd]\nudp=y\nudp=n\n") == {2: ["setting-twice"]}


def test_of_several_lines_that_add_up_the_one_that_is_wrong_is_shown() -> None:
    mount = "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\n"
    for unit, place, says in (
        ("After=a.service\nAfter=b.service remote-fs.target\n", (3, 7, 33), "this mount comes after"),
        ("Before=a.service\nBefore=local-fs.target\n", (3, 8, 23), "Before=local-fs.target: "),
        ("Requires=remote-fs.service\nRequires=a.service\n", (2, 10, 27), "Requires=remote-fs.service: "),
        ("Requires=a.service\n" * 30 + "Requires=remote-fs.service\n", (2, 10, 19), "Requires="),
    ):
        findings = lint_text(f"[Unit]\n{unit}{mount}", "a.mount", load(), {}, kind="systemd-mount").findings
        (finding,) = (one for one in findings if one.rule.startswith("unit-"))
        assert (finding.line, finding.column, finding.end_column) == place
        assert finding.message.startswith(says)


def test_a_value_that_is_refused_replaces_none() -> None:
    for number, values in ((1, ("x", "16777216")), (2, ("16777216", "x"))):
        lines = "".join(f"net.core.rmem_max={value}\n" for value in values)
        assert found(lines, "sysctl", "a.conf") == {number: ["setting-value"]}
    text = "[Unit]\nDefaultDependencies={}\nDefaultDependencies={}\n[Automount]\nWhere=/a\n"
    for first, second, rules in (
        ("no", "yes", {2: ["setting-twice"]}), ("no", "", {}),
        ("no", "maybe", {3: ["setting-value"]}), ("maybe", "no", {2: ["setting-value"]}),
    ):
        assert found(text.format(first, second), "systemd-mount", "a.automount") == rules, (first, second)


def test_settings_in_front_of_all_headings_are_told_where_they_belong() -> None:
    for text, name, kind, says in (
        ("Domain = example.com\n", "/etc/idmapd.conf", "idmapd.conf", "; write [General] above it"),
        ("foo = bar\n[General]\n", "/etc/idmapd.conf", "idmapd.conf", "nothing reads it"),
        ("vers3=n\n[nfsd]\n", "/etc/nfs.conf", "nfs.conf", "; write [nfsd] above it"),
        ("What=nas:/a\nWhere=/a\n[Unit]\n", "a.mount", "systemd-mount", "such as [Mount] or [Unit]"),
        ("# idle\nTimeoutIdleSec=60\n", "a.automount", "systemd-mount", "such as [Mount] or [Unit]"),
    ):
        (finding,) = lint_text(text, name, load(), {}, kind=kind).findings
        assert finding.message.startswith("this comes before the first section"), text
        assert finding.message.endswith(says), text
    (finding,) = lint_text(" timeout = 300\n", "/etc/autofs.conf", load(), {}, kind="autofs.conf").findings
    assert "above" not in finding.message


def test_the_place_of_a_value_is_the_value() -> None:
    one = lint_text("[nfsd]\n udp = y # x\n", "x", load(), {}, kind="nfs.conf").findings[0]
    assert (one.line, one.column, one.end_column, one.tunable, one.value) == (2, 8, 9, "nfs.conf.nfsd.udp", "y")


@pytest.mark.parametrize(("text", "fixed"), [
    ("[nfsd]\n threds = 32  # c\n", "[nfsd]\n threads = 32  # c\n"),
    ("[ nfsds ]\nthreads=32\n", "[ nfsd ]\nthreads=32\n"),
    ('[nfsd]\nudp="y"\n', '[nfsd]\nudp="n"\n'),
    ("[nfsd]\nudp=\\\ny\n", "[nfsd]\nudp=\\\nn\n"),
    ("[nfsd]\nvers3=maybe\n", None),
])  # fmt: skip
def test_a_fix_writes_what_was_meant(text: str, fixed: str | None) -> None:
    fixes = [one.fix for one in lint_text(text, "x", load(), {}, kind="nfs.conf").findings if one.fix]
    if fixed is None:
        assert fixes == []
        return
    (edit,) = fixes[0].edits
    lines = text.split("\n")
    line = lines[edit.line - 1]
    lines[edit.line - 1] = line[:edit.column - 1] + edit.text + line[edit.end_column - 1:]
    assert ("\n".join(lines), fixes[0].safety) == (fixed, "unsafe")


def test_a_method_of_idmapping_that_does_not_exist_is_not_called_ignored() -> None:
    text = "[Translation]\nMethod = nsswich\n"
    (one,) = lint_text(text, "idmapd.conf", load(), {}, kind="idmapd.conf").findings
    assert (one.rule, one.severity, one.consequence) == ("setting-value", "warning", "unsupported")
    assert "every owner becomes nobody" in one.why
    assert "nfs-utils.idmap-plugins" in one.cites


def test_a_setting_that_is_too_new_is_told_of_once_and_the_others_all_the_same() -> None:
    text = "[nfsd]\nmin-threads=4\nudp=y\n"
    mainline = {"server__kernel": "4.4", "server__kernel_stream": "mainline", "server__nfs_utils": "2.8.5"}
    assert found(text, **mainline) == {2: ["setting-too-new"], 3: ["nfsd-udp/off"]}
