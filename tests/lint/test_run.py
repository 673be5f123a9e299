"""A whole file: what is known of a line, what is told once, and what never happens."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine import FactError
from advisor.lint.finding import SEVERITIES, Finding, apply
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each
from tests.tiers import examples
from tests.zipped import zip_equal

BASE = load()

EFS = "fs-1.efs.eu-west-1.amazonaws.com"


def lint(text: str | bytes, facts: dict[str, Any] | None = None) -> Result:
    return lint_text(text, "fstab", BASE, facts or {})


def rules(line: str, facts: dict[str, Any] | None = None, policy: bool = False) -> dict[str, Finding]:
    return {f.rule: f for f in lint(f"{line}\n", facts).findings if policy or not f.policy}


# What is known

@pytest.mark.parametrize(
    ("host", "options", "rule"),
    [
        (EFS, "vers=4.1", "noresvport/asked-for"),
        ("eu-west-1a." + EFS, "vers=4.1", "noresvport/asked-for"),
        (EFS.upper() + ".", "vers=4.1", "noresvport/asked-for"),
        ("${id}.efs.${region}.amazonaws.com", "vers=4.1", "noresvport/asked-for"),
        ("acct.file.core.windows.net", "vers=3", "vers/only-4.1"),
        ("acct.blob.core.windows.net", "vers=4.1", "vers/only-3"),
    ],
)
def test_the_name_of_the_server_gives_the_platform_away(host: str, options: str, rule: str) -> None:
    assert rules(f"{host}:/x /x nfs {options} 0 0")[rule].confidence == "medium"


@pytest.mark.parametrize(("kernel", "found", "asked"), [
    ({}, False, True), ({"client.kernel": "6.1.0", "client.kernel_stream": "mainline"}, True, False),
    ({"client.kernel": "6.12.0", "client.kernel_stream": "mainline"}, False, False),
])
def test_an_option_that_the_kernel_may_not_know_is_a_question(kernel: dict[str, str], found: bool, asked: bool) -> None:
    told = lint("nas:/a /a nfs vers=4.1,xprtsec=tls 0 0\n", kernel)
    assert ("option-too-new" in {finding.rule for finding in told.findings}) is found
    assert ("mount.xprtsec" in {item.tunable for item in told.open}) is asked


def test_what_was_said_counts_more_than_the_name() -> None:
    assert "noresvport/asked-for" not in rules(f"{EFS}:/ /x nfs vers=4.1 0 0", {"storage.platform": "knfsd"})
    told = rules("10.0.0.5:/ /x nfs vers=4.1 0 0", {"storage.platform": "aws-efs"})
    assert told["noresvport/asked-for"].confidence == "high"
    assert "nconnect/aws-efs" in rules("fs-1:/ /x efs _netdev,nconnect=4 0 0", {"storage.platform": "knfsd"})


def test_what_does_not_rest_on_the_name_is_certain() -> None:
    told = rules(f"{EFS}:/ /x nfs vers=4.1,noresvport,soft 0 2")
    assert {rule: told[rule].confidence for rule in ("hard/default", "passno/nfs")} == {
        "hard/default": "high", "passno/nfs": "high",
    }


def test_types_of_mount_helpers() -> None:
    assert "noresvport/asked-for" not in rules("fs-1:/ /x efs _netdev,tls 0 0")  # the helper adds it
    assert rules("fs-1:/ /x efs _netdev,nconnect=4 0 0")["nconnect/aws-efs"].confidence == "high"
    assert "aznfs-without-version" in rules("a.blob.core.windows.net:/a/c /x aznfs _netdev 0 0")
    assert "unknown-option" in rules("nas:/x /x nfs tls 0 0")
    assert rules("//nas/x /x cifs credentials=/etc/cred,nconnect=4 0 0") == {}


def test_the_line_says_which_version_it_has() -> None:
    assert "option-ignored" in rules("nas:/x /x nfs vers=4.1,nolock 0 0", {"mount.vers": "3"})
    assert "option-ignored" not in rules("nas:/x /x nfs nolock 0 0", {"mount.vers": "3"})


def test_a_fact_that_does_not_exist_is_refused() -> None:
    with pytest.raises(FactError):
        lint("", {"storage.platform": "nonsense"})


# What is not known is not guessed

def test_an_open_setting_is_a_question_and_no_finding() -> None:
    result = lint("nas:/x /x nfs vers=4.1,nconnect=16 0 0\n")
    assert not [f for f in result.findings if f.tunable == "mount.nconnect"]
    (item,) = [item for item in result.open if item.tunable == "mount.nconnect"]
    assert item.line == 1
    assert "storage.platform" in item.facts
    assert result.votes["storage.platform"] == sum("storage.platform" in item.facts for item in result.open)


def test_an_answer_settles_it() -> None:
    line = "nas:/x /x nfs vers=4.1,nconnect=16 0 0"
    azure = {"storage.platform": "azure-files", "client.kernel": "6.1"}
    assert rules(line, azure)["nconnect/azure-files"].expected == 4
    assert rules(line, azure)["nconnect/azure-files"].severity == "warning"
    old = {"client.kernel": "4.9", "client.kernel_stream": "mainline"}
    assert rules(line, old)["option-too-new"].severity == "error"
    told = lint("nas:/a /a nfs vers=4.1,nconnect=4 0 0\n", old)
    (too_new,) = (one for one in told.findings if one.rule == "option-too-new")
    assert too_new.message.startswith("nconnect=4 needs Linux 5.3")
    assert too_new.message.endswith("; this client has 4.9")


def test_a_setting_that_is_told_of_is_no_question_as_well() -> None:
    result = lint("nas:/x /x nfs rsize=8192 0 0\n")
    assert [f.rule for f in result.findings if not f.policy] == ["rsize-tiny"]
    assert result.open == []


def test_a_setting_without_effect_is_no_question() -> None:
    assert not [item for item in lint("nas:/x /x nfs noac,actimeo=60 0 0\n").open if item.tunable == "mount.actimeo"]


@pytest.mark.parametrize("options", ["defaults", "rw,hard,tcp", "timeo=600,retrans=2", "_netdev,nofail"])
def test_ordinary_options_raise_no_question(options: str) -> None:
    assert lint(f"nas:/x /x nfs {options} 0 0\n").open == []


def test_what_a_weak_rule_and_a_strong_one_forbid_is_a_warning_until_more_is_known() -> None:
    line = "nas:/x /x nfs soft 0 0"
    assert rules(line)["hard/default"].severity == "warning"
    assert rules(line, {"workload.kind": "postgresql"})["hard/databases"].severity == "error"
    assert "hard/default" not in rules("nas:/x /x nfs ro,soft 0 0")


# One complaint for one setting

def test_the_severest_complaint_stands_for_all() -> None:
    told = [f for f in lint(f"{EFS}:/ /x nfs vers=4.2,noresvport 0 0\n").findings if f.tunable == "mount.vers"]
    assert [f.rule for f in told] == ["efs-version"]


def test_a_note_does_not_speak_against_what_is_asked_for() -> None:
    line = "nas:/hana  /hana/data  nfs  vers=3,nolock,hard  0 0"
    assert "local-locks" in rules(line)
    assert "local-locks" in rules(line, {"storage.platform": "ontap", "workload.kind": "oracle"})
    assert "local-locks" not in rules(line, {"storage.platform": "ontap", "workload.kind": "sap-hana"})
    assert "local-locks" not in rules(line, {"storage.platform": "knfsd", "server.nlm": False})


def test_of_equals_the_one_that_knows_the_platform() -> None:
    told = rules(f"{EFS}:/ /x nfs vers=4.1,noresvport,rsize=8192,timeo=14 0 0")
    assert {"rsize/aws-efs", "timeo/aws-efs"} <= set(told)
    assert not {"rsize-tiny", "timeo-too-short"} & set(told)


def test_an_erratum_is_told_once_a_file() -> None:
    text = "nas:/x /x nfs hard 0 0\nnas:/y /y nfs hard 0 0\n"
    told = [f for f in lint(text, {"client.kernel": "3.10.0-957.el7"}).findings if f.rule == "rhel76-nfs-hang"]
    assert [(f.line, f.severity) for f in told] == [(1, "error")]


@each(lambda: [
    ("6.8.10", None, None), ("6.8.10", "mainline", {"client-memory-deadlock"}), ("6.8.10", "ubuntu", set()),
    ("6.12.45+deb13-amd64", None, {"client-exiting-tasks"}), ("6.12.48+deb13-amd64", None, set()),
    ("6.6.7-200.fc39.x86_64", None, {"client-login-cache"}), ("6.6.14-200.fc39.x86_64", None, set()),
])
def test_a_known_fault_is_of_a_stream(kernel: str, stream: str | None, faults: set[str] | None) -> None:
    """Told where the version and its stream are known; asked for where the stream is not; silent outside its range."""
    known = {"client.kernel": kernel, **({} if stream is None else {"client.kernel_stream": stream})}
    result = lint("nas:/x /x nfs hard,vers=4.1 0 0\n", known)
    among = {"client-login-cache", "client-memory-deadlock", "client-exiting-tasks"} & {f.rule for f in result.findings}
    if faults is None:
        assert not among
        assert result.votes["client.kernel_stream"] >= 2
    else:
        assert faults <= among
        assert faults or not among & {"client-login-cache", "client-exiting-tasks"}
        assert "client.kernel_stream" not in result.votes


def test_a_known_fault_names_the_version_that_has_the_fix() -> None:
    told = lint("nas:/x /x nfs hard,vers=4.1 0 0\n", {"client.kernel": "6.12.45+deb13-amd64"}).findings
    (lost,) = (f for f in told if f.rule == "client-exiting-tasks")
    assert (lost.expected, lost.remedy) == ("6.12.48", "Update the kernel. It is fixed in kernel 6.12.48.")


# Lines as lines

def test_a_place_for_what_stands_nowhere() -> None:
    finding = rules(f"{EFS}:/ /x nfs")["noresvport/asked-for"]
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    line = f"{EFS}:/ /x nfs"
    assert line[: edit.column - 1] + edit.text + line[edit.end_column - 1 :] == f"{EFS}:/ /x nfs noresvport"


@pytest.mark.parametrize("options", ["rw,,hard", "rw,hard,", ",rw,hard", "rw,,,hard,"])
def test_empty_options_are_told_once_and_shown_by_a_comma(options: str) -> None:
    line = f"nas:/x /x nfs {options} 0 0"
    (empty,) = (f for f in lint(f"{line}\n").findings if f.rule == "option-empty")
    assert line[empty.column - 1] == ","
    assert ("and 2 more" in empty.message) is (options == "rw,,,hard,")
    assert empty.fix is not None
    assert apply(line, empty.fix.edits) == "nas:/x /x nfs rw,hard 0 0"


@each(lambda: [
    ("nas:/x  nfs  rw,hard  0  0", "fstab-trap", "error"),
    ("nas:/x /x nfs rw, hard 0 0", "fstab-line-dropped", "error"),
    ("nas: /x /x nfs rw 0 0", "fstab-line-dropped", "error"),
    ("nas:/x x nfs rw 0 0", "fstab-target-relative", "error"),
    ("nas /x nfs rw 0 0", "fstab-source-form", "error"),
    ("a,b:/x /x nfs rw 0 0", "fstab-source-form", "warning"),
    ("nas:/\\043x /x nfs rw 0 0", "fstab-readers-differ", "warning"),
    ("/dev/\\043x /x ext4 rw 0 0\nnas:/a /a nfs hard 0 0", "fstab-readers-differ", "note"),
])
def test_a_line_that_is_easily_got_wrong(line: str, rule: str, severity: str) -> None:
    assert rules(line)[rule].severity == severity


def test_a_relative_mount_point_is_marked_as_a_whole() -> None:
    found = rules("nas:/x data nfs rw 0 0")["fstab-target-relative"]
    assert (found.column, found.end_column) == (8, 12)


def test_a_template_is_not_judged_by_its_blanks() -> None:
    assert rules("${S}:/x ${T} nfs ${O} 0 0") == {}
    assert rules("<server>:<path> <mount point> nfs rw 0 0") == {}


@pytest.mark.parametrize(
    ("line", "rule", "text"),
    [
        ("<nfs server>:/x  /x  nfs  rw,hrad  0 0", "unknown-option", "hrad"),
        ("{{ nas | default('a b') }}:/x  /mnt/{{ name }}  nfs4  soft,timeo=5  0 0", "fstype-nfs4", "nfs4"),
        ("$(cat /etc/nas):/x  /x  nfs  rsize=${SIZE:-8 k},intr  0 0", "option-ignored", "intr"),
    ],
)
def test_what_is_seen_in_a_template_is_judged(line: str, rule: str, text: str) -> None:
    finding = rules(line)[rule]
    assert line[finding.column - 1 : finding.end_column - 1] == text


def test_a_template_that_cannot_be_read_is_not_judged() -> None:
    line = "{{ nas }}:/x  {% if x %} /x  nfs  hard,  0 0"
    result = lint_text(line, "fstab", load(), {})
    assert (result.findings, result.unread) == ([], [1])


@each(lambda: ["NFS", "nfss", "nfs3", "nsf", "nfsv4", "nfs4.1", "nf", "Nfs4", "aznsf"])
def test_a_slip_in_the_type_is_no_other_file_system(fstype: str) -> None:
    finding = rules(f"nas:/x /x {fstype} rw 0 0")["fstab-type-unknown"]
    assert (finding.severity, finding.consequence) == ("error", "mount-fails")


@each(lambda: ["nas:/x /x glusterfs rw 0 0", "nas:6789:/ /x ceph rw 0 0", "u@nas:/x /x fuse.sshfs rw 0 0",
         "/dev/sda1 /x ntfs rw 0 0", "//nas/x /x cifs rw 0 0", "nas:/x /x none bind 0 0",
         "nas@tcp:/fs /x lustre rw 0 0"])
def test_other_file_systems_are_left_alone(line: str) -> None:
    assert "fstab-type-unknown" not in rules(line)


def test_the_reason_for_a_dropped_line_is_said_once() -> None:
    message = rules("nas: /x /x nfs rw 0 0")["fstab-line-dropped"].message
    assert message == "mount ignores this line: a space after the colon cuts the source in two: write 'nas:/x'"
    assert rules("nas:/x /x")["fstab-line-dropped"].message.count("ignores") == 1


def test_a_quote_at_the_end_is_the_reason() -> None:
    message = rules("nas:/x /x nfs rw 0 0\u201d")["fstab-line-dropped"].message
    assert "typographic quote" in message or "glued" in message


def test_the_line_end_of_dos_is_no_reason_to_drop_a_line() -> None:
    message = rules("nas:/x /x\r")["fstab-line-dropped"].message
    assert message == "mount ignores this line: the line has only two fields of the three that it needs"
    told = [f.line for f in lint("nas:/x /x\r\nnas:/y /y nfs hard\r\nnas:/z /z nfs hard\r\n").findings
            if f.rule == "fstab-trap"]
    assert told == [2]


@each(lambda: [
    "...", "bug", "/dev/sdb1: UUID=1 TYPE=ext4 PARTUUID=2", "/dev/sda1 /a ext4 rw, noatime 0 0",
    "Note: nothing to mount here, as yet", "/dev/\\043x /x ext4 rw 0 0", "sshfs#me@a:/b /b fuse rw, ro 0 0", "a b c\r",
    "/dev/sda1 /srv/nfs ext4 rw 0 0 # by nfs-server",
])
def test_without_an_nfs_mount_the_form_of_lines_is_not_our_concern(line: str) -> None:
    assert not lint(f"/dev/sda2 / ext4 defaults 0 1\n{line}\n").findings


# Laws

WORDS = [
    "rw", "ro", "hard", "soft", "softerr", "vers=3", "vers=4", "vers=4.1", "vers=4.2", "nfsvers=4.0", "nconnect=4",
    "nconnect=16", "nconnect=99", "nconect=8", "rsize=8192", "rsize=1M", "timeo=14", "timeo=600", "noac", "actimeo=600",
    "nolock", "lock", "udp", "tcp", "rdma", "sec=krb5", "noresvport", "intr", "bg", "nofail", "noauto", "", "sloppy",
    "xprtsec=tls", "max_connect=4", "fsc", "nocto", "sync", "lookupcache=none", "mountport=1", "remoteports=dns", "tls",
]
HOSTS = [
    "nas", "NAS", "10.0.0.1", "[fe80::1]", EFS, "a.file.core.windows.net", "a.blob.core.windows.net", "${x}", "a,b",
]
lines = st.builds(
    "{}:/{} /{} {} {} {}".format, st.sampled_from(HOSTS), st.sampled_from("ab"), st.sampled_from("abc"),
    st.sampled_from(["nfs", "nfs4", "efs", "aznfs", "ext4"]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: ",".join(words) or "rw"),
    st.sampled_from(["0 0", "0 2", "1 0", "", "0"]),
)
known = st.fixed_dictionaries(
    {},
    optional={
        "client.kernel": st.sampled_from(["4.18.0-240.el8", "5.2", "5.15.0-91-generic", "6.12.117"]),
        "storage.platform": st.sampled_from(["anf", "azure-files", "aws-efs", "ontap", "knfsd", "other"]),
        "workload.kind": st.sampled_from(["eda", "postgresql", "oracle", "general"]),
        "workload.shared_writes": st.booleans(),
    },
)


@examples(60, 200)
@given(st.one_of(st.text(max_size=200), st.binary(max_size=200), st.lists(lines, max_size=6).map("\n".join)))
def test_any_text_can_be_judged(text: str | bytes) -> None:
    result = lint(text)
    for finding in result.findings:
        json.dumps(finding)
        # The carriage return of DOS, which `line` leaves out, can be pointed at as well.
        assert 1 <= finding.column <= finding.end_column <= len(result.line(finding.line)) + 2
    order = [(f.line, f.column, -SEVERITIES.index(f.severity)) for f in result.findings]
    assert order == sorted(order)
    json.dumps([(one.line, one.tunable, one.facts) for one in result.open])


@examples(50, 150)
@given(lines, known, known)
def test_knowing_more_takes_no_failing_mount_away(line: str, less: dict[str, Any], more: dict[str, Any]) -> None:
    def failing(facts: dict[str, Any]) -> set[str | None]:
        return {f.tunable for f in lint(f"{line}\n", facts).findings
                if f.severity == "error" and f.consequence == "mount-fails"}

    if "nas:" not in line:
        more.pop("storage.platform", None)  # may not be what the name or type of this line says
    assert failing(less) <= failing({**more, **less})


@examples(40, 100)
@given(lines, known)
def test_a_setting_is_a_finding_or_a_question_not_both(line: str, facts: dict[str, Any]) -> None:
    result = lint(f"{line}\n", facts)
    told = {f.tunable for f in result.findings if f.severity != "note" and not f.policy and f.tunable}
    assert not told & {item.tunable for item in result.open}


@examples(30, 100)
@given(st.lists(lines, min_size=1, max_size=5))
def test_line_ends_of_dos_change_nothing_else(entries: list[str]) -> None:
    def told(end: str) -> list[tuple[Any, ...]]:
        text = "".join(line + end for line in entries)
        return [(f.line, f.column, f.rule, f.message) for f in lint(text).findings
                if f.rule not in ("fstab-trap", "fstab-readers-differ")]

    assert told("\n") == told("\r\n")


def test_alike_lines_are_judged_alike() -> None:
    line = "nas:/{0} /{0} nfs soft,rsize=8192,nconnect=8,intr 0 2\n"
    result = lint(line.format("a") + line.format("b"))
    first, second = ([f for f in result.findings if f.line == n] for n in (1, 2))
    assert [f._replace(line=0, fix=None) for f in first] == [f._replace(line=0, fix=None) for f in second]
    assert len(first) >= 5
    assert [(i.tunable, i.facts) for i in result.open if i.line == 1] == [
        (i.tunable, i.facts) for i in result.open if i.line == 2
    ]


# Comments that silence findings

def test_a_comment_silences_what_it_names_on_the_next_line() -> None:
    text = "# advisor: ignore[hard/default] a scratch area\nnas:/x /x nfs soft,intr 0 0\nnas:/y /y nfs soft 0 0\n"
    result = lint(text)
    told = [(f.line, f.rule) for f in result.findings if f.tunable in ("mount.hard", "mount.intr")]
    assert told == [(2, "option-ignored"), (3, "hard/default")]
    assert len(result.silenced) == 1


@pytest.mark.parametrize(("number", "value"), [("9" * 5000, -1), ("4294967297", 1), ("+2", 2), ("\f2", 2)])
def test_numbers_are_read_as_mount_reads_them(number: str, value: int) -> None:
    assert rules(f"nas:/a /a nfs vers=4.2,hard 0 {number}")["passno/nfs"].value == value


def test_an_option_is_missed_only_where_the_type_knows_it() -> None:
    facts = {"storage.platform": "aws-efs", "storage.encrypted_transit": True}
    line = "fs-1.efs.eu-west-1.amazonaws.com:/ /efs {} vers=4.1,noresvport,_netdev 0 0\n"
    told = {
        fstype: {f.rule for f in lint_text(line.format(fstype), "fstab", BASE, facts).findings}
        for fstype in ("nfs", "efs")
    }
    assert "efs-tls/required" in told["efs"]
    assert "efs-tls/required" not in told["nfs"]  # tls would make that mount fail
    assert "type/efs-tls" in told["nfs"]


@pytest.mark.parametrize(
    ("option", "remedy", "message"),
    [
        ("int", "Remove int.", "unknown option int; intr would have no effect either"),
        ("relatme", "Remove relatme.", "unknown option relatme; relatime would have no effect either"),
        ("hrad", "Write hard.", "unknown option hrad; did you mean hard?"),
    ],
)
def test_a_guess_never_leads_to_an_option_that_does_nothing(option: str, remedy: str, message: str) -> None:
    finding = rules(f"nas:/x /x nfs {option} 0 0")["unknown-option"]
    assert (finding.remedy, finding.message) == (remedy, message)


def test_a_missing_field_says_which_fields_a_line_has() -> None:
    finding = rules("fs-02f4d38b:/a efs _netdev,tls 0 0")["fstab-trap"]
    assert finding.message == "the second field is 'efs', a file system type: the mount point is missing"
    assert finding.remedy.startswith("Write source, mount point, type, options")


def test_why_a_value_changes_is_a_sentence() -> None:
    assert rules("nas:/x /x nfs rsize=4194304 0 0")["option-value-changed"].why.startswith("The Linux client sends")


@pytest.mark.parametrize(
    ("written", "message", "remedy"),
    [
        (65535, "rsize=65535 is used as rsize=61440, before Linux 6.0 as 32768", "Write rsize=65536."),
        (50000, "rsize=50000 is used as rsize=49152, before Linux 6.0 as 32768", "Write rsize=49152."),
        (65537, "rsize=65537 is used as rsize=65536", "Write rsize=65536."),
    ],
)
def test_what_a_size_comes_to(written: int, message: str, remedy: str) -> None:
    told = rules(f"nas:/x /x nfs rsize={written} 0 0")["option-value-changed"]
    assert (told.message, told.remedy) == (message, remedy)


def test_what_no_other_option_makes_wrong_is_removed() -> None:
    told = rules("nas:/x /x nfs vers=3,proto=udp 0 0", {"client.distro": "ubuntu", "client.release": "22.04"})
    found = told["option-refused"]
    assert (found.remedy, found.fix and found.fix.safety) == ("Remove proto=udp.", "unsafe")
    beside = rules("nas:/x /x nfs vers=3,minorversion=1 0 0")["option-refused"]
    assert beside.remedy == "Remove minorversion=1."


def test_what_is_taken_out_whether_or_not_the_client_knows_it_has_a_fix() -> None:
    line = f"{EFS}:/ /x nfs4 vers=4.1,noresvport,nconnect=8 0 0"
    finding = rules(line)["nconnect/aws-efs"]
    assert finding.expected == "omit"
    assert finding.fix is not None
    assert "nconnect" not in apply(line, finding.fix.edits)


def test_what_refines_a_version_goes_with_it() -> None:
    line = "acct.blob.core.windows.net:/acct/c /x nfs vers=4,minorversion=1,sec=sys,nolock 0 0"
    told = rules(line)["vers/only-3"]
    assert told.remedy == "Write vers=3 and remove minorversion=1."


def test_who_needs_each_write_stored_is_told_of_sync_whatever_the_work() -> None:
    needed = {"workload.durable_writes": True}
    assert "sync/durable-writes" in rules("nas:/x /x nfs vers=4.2,hard 0 0", needed)
    assert "sync/durable-writes" not in rules("nas:/x /x nfs hard 0 0", {**needed, "workload.kind": "postgresql"})


@pytest.mark.parametrize("ports", ["dns", "10.0.0.1-10.0.0.8", "10.0.0.1~10.0.0.2", "fd00::1-fd00::4"])
def test_any_list_of_addresses_is_as_good_as_dns(ports: str) -> None:
    vast = {"storage.platform": "vast", "client.vast_driver": True}
    assert "remoteports/vast" not in rules(f"v:/x /x nfs vers=3,remoteports={ports} 0 0", vast)


def test_a_bug_of_one_version_is_not_held_against_the_next() -> None:
    shared = {"workload.kind": "software-build", "workload.shared_writes": True, "storage.platform": "knfsd"}
    assert "vers/shared-repositories" in rules("git:/x /x nfs vers=4.0 0 0", shared)
    assert "vers/shared-repositories" not in rules("git:/x /x nfs vers=4.2 0 0", shared)


def test_the_price_of_sync_is_told_unless_it_is_asked_for() -> None:
    assert "sync-cost" in rules("nas:/x /x nfs sync 0 0")
    facts = {"workload.durable_writes": True, "workload.kind": "general"}
    assert "sync-cost" not in rules("nas:/x /x nfs sync 0 0", facts)


def test_each_value_that_was_given_is_named_where_the_line_says_otherwise() -> None:
    line = "fs-12345678.efs.us-east-1.amazonaws.com:/ /a nfs4 rw 0 0"
    findings = lint_text(line, "fstab", load(), {"storage.platform": ["ontap", "anf"]}).findings
    assert any("but storage.platform=ontap or anf is given" in finding.message for finding in findings)


def test_what_only_servers_have_makes_the_host_no_client() -> None:
    """What is given about a server of one's own contradicts nothing, so that everything else given still counts."""
    line = "nas:/data  /data  nfs  vers=3,rsize=262144,wsize=262144  0 0"
    plain = rules(line, {"storage.platform": "ontap"})
    assert "rsize-below-1m" not in plain
    assert rules(line, {"storage.platform": "ontap", "server.v3_clients": True}).keys() == plain.keys()


@pytest.mark.parametrize("options", ['rw,"', 'rw,foo"', 'rw,timeo="600', 'rw,soft="'])
def test_what_an_unclosed_quotation_swallows_is_not_judged(options: str) -> None:
    """Both kernels mounted `rw,"`: mount(8) had forgotten the rest."""
    found = {(f.rule, f.severity) for f in lint(f"nas:/a /a nfs {options} 0 0\n").findings if not f.policy}
    assert found == {("fstab-trap", "warning")}


@pytest.mark.parametrize("size", ["0", "00", "1", "1023"])
def test_no_size_is_too_small_to_be_judged(size: str) -> None:
    told = rules(f"nas:/a /a nfs rsize={size} 0 0")
    assert told
    assert "internal" not in told


@pytest.mark.parametrize(
    ("fields", "sources"),
    [
        ("/a{} aznfs vers=3", ["nas:/a", "a-much-longer-name:/share", "nas:/b"]),
        ("/a{} nfs vers=3", ["acct.blob.core.windows.net:/acct", "another.blob.core.windows.net:/another"]),
    ],
)
def test_like_lines_are_told_of_their_own_names(fields: str, sources: list[str]) -> None:
    lines = [f"{source} {fields.format(number)} 0 0" for number, source in enumerate(sources, 1)]
    found = [one for one in lint("\n".join(lines)).findings if one.rule.endswith(("-source", "-form"))]
    told = [(one.line, one.end_column - one.column) for one in found]
    assert told == [(number, len(source)) for number, source in enumerate(sources, 1)]
    assert all(source in one.message for one, source in zip_equal(found, sources))


@pytest.mark.parametrize(("options", "missing"), [
    ("nfsvers=4.1", True), ("nfsvers=4.1,timeo=${timeo}", True), ("{{ options }}", False),
    ("nfsvers=4.1,$OPTIONS", False),
])
def test_an_option_that_a_placeholder_may_be_is_not_missed(options, missing):
    line = f"fs-12345678.efs.eu-west-1.amazonaws.com:/  /efs  nfs  {options}  0 0"
    assert ("noresvport/asked-for" in rules(line)) is missing


def test_an_exception_does_not_speak_for_a_value_that_others_want_too() -> None:
    """SAP HANA has rules of its own for volumes of Azure NetApp Files; whoever did not speak of it reads none."""
    found = rules("nas:/a /a nfs vers=4.2,hard 0 0", {"storage.platform": "anf"})["vers/v41-volume"]
    assert BASE.claims[found.cites[0]].source == "anf-faq-nfs"
    hana = {"storage.platform": "anf", "workload.hana_volume": "data", "storage.volume_protocol": "4.1"}
    assert "vers/anf-hana" in rules("nas:/a /a nfs vers=4.2,hard 0 0", hana)
