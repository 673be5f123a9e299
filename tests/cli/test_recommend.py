"""`advisor recommend`, `why`, `why-not` and `what-if`, as a user runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.recommended import told
from tests.tiers import some, thorough

ANF = (
    "--set", "storage.platform=anf", "--set", "storage.volume_protocol=3", "--set", "workload.kind=eda",
    "--set", "workload.static_data=yes", "--set", "client.kernel=6.1", "--set", "mount.sec=sys",
    "--set", "client.count=32", "--set", "host.role=nfs-client",
)


@thorough
def test_what_nobody_said_is_told_as_taken_for_granted(advisor) -> None:
    presumed = {one["fact"]: one["value"] for one in told(advisor, *ANF)["presumed"]}
    assert presumed == {
        "client.system": "linux", "client.kubernetes": False, "client.proxmox": False, "identity.wire": "open",
        "client.roams": False,
        "mount.proto": ["tcp", "tcp6"], "network.azure_load_balancer": False, "network.transport": ["tcp", "ipoib"],
        "server.firewall": True,
        "identity.root_writes": False, "identity.root_trusted": True, "identity.same_ids": True,
    }
    out = advisor("recommend", *ANF, "--all").out
    assert "Assumed of most hosts; say otherwise with --set FACT=VALUE" in out
    assert all(f"{fact}=" in out for fact in presumed)
    short = " ".join(advisor("recommend", *ANF).out.split())
    _, _, assumed = short.partition("Assumes ")
    assert assumed.partition(" overrides this.")[0].endswith(
        " and what is usual (--all); --set FACT=VALUE"
    )
    laptop = told(advisor, "--set", "workload.kind=general", "--set", "client.roams=yes", "--set", "client.kernel=6.1")
    assert {"client.system", "client.kubernetes"} <= {one["fact"] for one in laptop["presumed"]}
    assert "client.roams" not in {one["fact"] for one in laptop["presumed"]}


def test_what_is_taken_for_granted_has_its_own_reason(advisor) -> None:
    """Servers are seldom small, on RDMA or many other things; none of that makes the host a client."""
    presumed = {one["fact"]: one for one in told(advisor, "--set", "storage.platform=windows-nfs")["presumed"]}
    assert presumed["host.role"]["value"] == "nfs-client"
    assert "aws-file-gateway.versions" in presumed["host.role"]["cites"]
    assert "nfs-utils.conf-rdma-off" not in presumed["host.role"]["cites"]


def test_what_all_rows_assume_is_said_once(advisor) -> None:
    pair = ("recommend", "--set", "host.role=nfs-server", "--set", "server.ha=yes")
    out = " ".join(advisor(*pair).out.split())
    assert out.count("server.v3_clients=yes") == 1
    assert "server.v3_clients=yes" in out[out.index("Assumes ") :]
    assert "server.cluster_stack=pacemaker" not in out, "most pairs have it"
    assert "server.cluster_stack=pacemaker" in advisor(*pair, "--all").out


def test_a_platform_without_guidance_is_named(advisor) -> None:
    assert told(advisor, *ANF)["unguided"] == []
    assert told(advisor, "--set", "storage.platform=hpe-alletra")["unguided"] == ["hpe-alletra"]


def test_a_known_environment(advisor) -> None:
    document = told(advisor, *ANF)
    settled = {one["tunable"]: one for one in document["settled"]}
    assert settled["mount.vers"]["value"] == "3"
    assert settled["mount.vers"]["strength"] == "must"
    nconnect = settled["mount.nconnect"]
    assert (nconnect["value"], nconnect["text"]) == (8, "nconnect=8")
    assert "anf-mount.nconnect-8" in [cite["claim"] for cite in nconnect["cites"]]
    assert {fact["fact"] for fact in nconnect["because"]} >= {"storage.platform", "client.kernel"}
    assert "dated" in {cite["verdict"] for cite in nconnect["disagree"]}
    figures = {one["tunable"]: one for one in document["estimates"]}
    assert figures["estimate.connections"]["value"] == 256
    assert figures["estimate.connections"]["filled"] == "32 * 8"
    assert figures["estimate.requests_in_flight"]["value"] == 1024


def test_nothing_known_settles_no_mount_option_and_asks_where_the_data_lives(advisor) -> None:
    document = told(advisor)
    assert not [one for one in document["settled"] if one["kind"] == "mount-option" and one["text"]]
    assert document["questions"][0]["fact"] == "storage.platform"


BOTH = ("--set", "storage.platform=knfsd", "--set", "export.filesystem=xfs", "--set", "client.kernel=6.8")


@pytest.mark.parametrize(("given", "both"), [
    (BOTH, True), (BOTH[:4], False), ((*BOTH, "--set", "host.role=nfs-server"), False),
    ((*BOTH, "--set", "host.role=nfs-client"), False), (BOTH[:2] + BOTH[4:], False),
])
def test_whoever_tells_of_both_sides_is_advised_on_both(advisor, given: tuple[str, ...], both: bool) -> None:
    said = advisor("recommend", *given)
    assert said.code == 0
    assert ("For its clients" in said.out) is both
    if both:
        server, clients = said.out.split("For its clients")
        assert "/export  client.example(" in server
        assert "/mnt/nfs  nfs  " in clients
        assert "/mnt/nfs  nfs  " not in server


def test_what_server_and_clients_share_is_said_once(advisor) -> None:
    said = advisor("recommend", "--set", "storage.platform=freebsd-nfsd", "--set", "client.distro=fedora",
                   "--set", "export.filesystem=zfs")
    server, clients = said.out.split("For its clients")
    assert "squash: " in server
    assert "squash: " not in clients
    assert "/mnt/nfs  nfs  " in clients


def test_what_the_line_of_exports_says_is_not_repeated_for_the_clients(advisor) -> None:
    facts = ["--set", "storage.platform=knfsd", "--set", "workload.kind=postgresql"]
    server, clients = advisor("recommend", *facts, "--set", "export.filesystem=ext4").out.split("For its clients")
    alone = advisor("recommend", *facts).out
    assert "root_squash" in server
    assert [words in clients for words in ("  owner: ", "  export: ", "  squash: ")] == [True, False, False]
    assert all(words in alone for words in ("  owner: ", "  export: ", "  squash: "))


def test_what_waits_for_one_answer_is_told_once(advisor) -> None:
    """And what one vendor asks for is not told while nobody named a product."""
    said = " ".join(advisor("recommend").out.split())
    waiting = "- Where does the data live? (storage.platform) Until this is answered, sec, "
    told = re.search("NOT READY: ([0-9]+) things that must be right are open. (.*?) and ([0-9]+) more stay open", said)
    assert told
    assert told[2].startswith(waiting)
    assert int(told[1]) == len(told[2].removeprefix(waiting).split(",")) + 1 + int(told[3])
    assert "retry is open" not in said
    assert "Microsoft" not in said


def test_equal_answers_give_equal_bytes(advisor) -> None:
    again = [advisor("recommend", *ANF, "--output-format", form).out for form in ("json", "text", "json", "text")]
    assert again[:2] == again[2:]


def test_the_line_holds_what_is_settled(advisor) -> None:
    names = ("--server", "fe80::1", "--export", "/a b", "--target", "/mnt/x")
    out = advisor("recommend", *ANF, *names).out
    line = next(line for line in out.splitlines() if "  nfs  " in line)
    assert line.split() == [
        "[fe80::1]:/a\\040b", "/mnt/x", "nfs",
        "sec=sys,vers=3,nconnect=8,actimeo=600,hard,lock,nocto,rsize=262144,wsize=262144",
        "0", "0",
    ]


def test_a_pin_holds_and_its_cost_is_told_with_its_source(advisor) -> None:
    document = told(advisor, *ANF, "--pin", "vers=4.1")
    vers = next(one for one in document["settled"] if one["tunable"] == "mount.vers")
    assert (vers["value"], vers["pinned"]) == ("4.1", True)
    (cost,) = vers["costs"]
    assert (cost["value"], cost["strength"]) == ("3", "must")
    assert cost["cites"]
    assert "sysctl.sunrpc.tcp_max_slot_table_entries" in [one["tunable"] for one in document["effects"]]


@pytest.mark.parametrize(("platform", "version"), [
    *some([("windows-nfs", "4.2"), ("aws-file-gateway", "4.0"), ("alibaba-nas", "4.1"), ("weka", "4.2"),
           ("synology", "4.2"), ("ibm-file-classic", "4.0"), ("qumulo", "4.2"), ("aws-efs", "3")], 8),
])
def test_a_version_that_the_server_lacks_is_told(advisor, platform: str, version: str, tmp_path: Path) -> None:
    """It is kept, since somebody said that the mount has to use it; but what becomes of it is said."""
    given = ("--set", f"storage.platform={platform}", "--set", f"mount.vers={version}")
    document = told(advisor, *given)
    (vers,) = (one for one in document["settled"] if one["tunable"] == "mount.vers")
    assert vers["value"] == version
    assert vers["refused"]["consequence"] in ("mount-fails", "unsupported")
    problem = vers["refused"]["problem"]
    assert vers["refused"]["cites"]
    fstab = tmp_path / "fstab"
    fstab.write_text("nas:/a /a nfs hard 0 0\nnas:/b /b nfs hard 0 0\n")
    for more in ((), ("--mounts", str(fstab))):
        assert problem in " ".join(advisor("recommend", *given, *more).out.split())
    assert problem in " ".join(advisor("why", "mount.vers", *given).out.split())


def test_nothing_is_said_against_a_version_that_the_server_has(advisor) -> None:
    document = told(advisor, "--set", "storage.platform=windows-nfs", "--set", "mount.vers=4.1")
    (vers,) = (one for one in document["settled"] if one["tunable"] == "mount.vers")
    assert (vers["pinned"], vers["refused"]) == (True, None)


def test_of_rules_for_one_value_the_one_speaks_that_assumes_least(advisor) -> None:
    """Whoever has a volume of Azure NetApp Files, and said no more, reads nothing of HANA."""
    out = advisor("why", "mount.vers", "--set", "storage.platform=anf").out
    assert "HANA" not in out.split("What settles it")[0]


def test_why_gives_the_whole_argument(advisor) -> None:
    out = " ".join(advisor("why", "nconnect", *ANF, "--all").out.split())
    for part in ("nconnect=8", "Because", "(storage.platform=anf; you said so)", "Sources",
                 "learn.microsoft.com",
                 "disagree", "check:", "undo:", "takes effect:"):
        assert part in out, part


def test_why_of_an_open_setting_names_the_question(advisor) -> None:
    out = advisor("why", "nconnect", *ANF[:-8]).out
    assert "Open" in out
    assert "--set client.kernel=" in out


def test_why_of_an_estimate(advisor) -> None:
    out = advisor("why", "estimate.connections", *ANF).out
    assert "256 connections" in out
    assert "32 * 8" in out


def test_why_not(advisor) -> None:
    out = advisor("why-not", "nconnect=16", *ANF).out
    assert "not nconnect=16" in out
    assert "instead: nconnect=8" in out
    assert "nconnect/fsx-openzfs needs storage.platform to be aws-fsx-openzfs; it is anf" in " ".join(out.split())
    assert "Nothing speaks against" in advisor("why-not", "nconnect=8", *ANF).out


def test_what_if(advisor) -> None:
    out = " ".join(advisor("what-if", "nconnect", *ANF).out.split())
    assert "Kerberos with privacy (mount.sec) then: leave it out (nconnect/kerberos)" in out


def test_compare_shows_both_sides(advisor, tmp_path: Path) -> None:
    (tmp_path / "fstab").write_text("nas:/a /a nfs vers=3,nconnect=4,rsize=262144,soft 0 0\n")
    rows = {row["tunable"]: row for row in told(advisor, *ANF, "--compare", str(tmp_path / "fstab"))["compare"]}
    assert (rows["mount.nconnect"]["today"], rows["mount.nconnect"]["advised"]) == ("nconnect=4", "nconnect=8")
    assert rows["mount.nconnect"]["verdict"] == "differs"
    assert rows["mount.rsize"]["verdict"] == "same"
    assert rows["mount.actimeo"]["today"] == ""
    out = advisor("recommend", *ANF, "--compare", str(tmp_path / "fstab")).out
    assert "nconnect=4" in out
    assert "nconnect=8" in out


def test_answers_of_a_file_and_of_the_command_line(advisor, tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("schema: advisor-answers/1\nfacts: {storage.platform: anf}\nunknown: [mount.sec]\n")
    document = told(advisor, "--answers", str(path), "--set", "storage.platform=aws-efs")
    assert document["answers"]["facts"]["storage.platform"] == "aws-efs"
    assert "mount.sec" not in [one["fact"] for one in document["questions"]]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--set", "storage.platform=azure-fils"), "did you mean"),
        (("--set", "storage.platfrom=anf"), "did you mean storage.platform"),
        (("--pin", "nconnect"), "write SETTING=VALUE"),
        (("--pin", "nconnect=99"), "it can be 1 to 16"),
        (("--pin", "nconect=4"), "did you mean"),
        (("--answers", "/no/such/place"), "file not found"),
        (("--compare", "/no/such/place"), "file not found"),
        (("--export", "relative"), "absolute path"),
        (("--server", "a b"), "host name"),
        (("--force",), "--write-to"),
        (("--set", "workload.static_data=yes", "--set", "workload.shared_writes=yes"), "contradict"),
        (("--set", "storage.volume_protocol=3", "--set", "storage.platform=anf", "--pin", "vers=nine"), "it is one of"),
    ],
)
def test_faults_are_told_with_exit_code_2(advisor, args: tuple[str, ...], said: str) -> None:
    ran = advisor("recommend", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_hostile_names_are_shown_and_not_obeyed(advisor) -> None:
    out = advisor("recommend", *ANF, "--export", "/[red]x", "--color", "always").out
    assert "/[red]x" in out
    assert advisor("recommend", *ANF, "--export", "/a\x1b[31m").code == 2


def test_a_line_that_lacks_what_it_must_have_says_so(advisor) -> None:
    open_version = ("--set", "storage.platform=anf", "--set", "workload.kind=eda")
    assert "NOT READY: first decide NFS protocol version (mount.vers)" in advisor("recommend", *open_version).out
    assert "first decide" not in advisor("recommend", *ANF).out


EDA = ("--set", "storage.platform=anf", "--set", "workload.kind=eda", "--set", "client.kernel=6.1",
       "--set", "storage.volume_protocol=3")


def test_what_is_assumed_is_written_and_marked_and_strict_leaves_it_out(advisor) -> None:
    document = told(advisor, *EDA)
    hard = next(one for one in document["assumed"] if one["tunable"] == "mount.hard")
    assert hard["text"] == "hard"
    assert [taken["fact"] for taken in hard["rests_on"]] == ["mount.ro"]
    assert not any(one["rests_on"] for one in document["settled"])
    assert "mount.hard" in [one["tunable"] for one in told(advisor, *EDA, "--strict")["open"]]
    text = advisor("recommend", *EDA).out
    assert ",hard," in next(line for line in text.splitlines() if "  nfs  " in line)
    assert "mount.ro=no" in text[text.index("Assumes "):]
    assert "(Assumes mount.ro=no.)" in " ".join(advisor("recommend", *EDA, "--all").out.split())
    strict = advisor("recommend", *EDA, "--strict").out
    assert ",hard," not in next(line for line in strict.splitlines() if "  nfs  " in line)
    assert "mount.ro=no" not in strict


def test_what_could_lose_data_is_asked_and_not_assumed(advisor) -> None:
    document = told(advisor, *EDA)
    waiting = {one["tunable"] for one in document["open"]}
    left = {one["tunable"]: one for one in document["assumed"] if one["otherwise"]}
    assert {"mount.sync", "mount.actimeo"} <= waiting | left.keys(), "durable writes and static data are never granted"
    assert all(one["write"] is None and not one["rests_on"] for one in left.values()), "the default is left as it is"
    asked = [one["fact"] for one in document["questions"] if one["matters"]]
    assert {"workload.durable_writes", "workload.static_data"} <= set(asked)


def test_must_comes_before_should_and_should_before_may(advisor) -> None:
    document = told(advisor, *EDA)
    order = ["must", "should", "may", None]
    for part in ("settled", "assumed", "open"):
        ranks = [order.index(one["strength"]) for one in document[part]]
        assert ranks == sorted(ranks)


def test_why_not_takes_an_option_as_it_stands_in_fstab(advisor) -> None:
    assert advisor("why-not", "nolock", *ANF).out == advisor("why-not", "mount.lock=off", *ANF).out
    assert advisor("why-not", "soft", *ANF).out == advisor("why-not", "mount.hard=soft", *ANF).out
    wrong = advisor("why-not", "nonsense", *ANF)
    assert (wrong.code, "as in fstab" in wrong.err) == (2, True)


def test_a_pin_that_cannot_be_used_is_refused_with_the_reason(advisor):
    ran = advisor("recommend", "--set", "client.kernel=3.10.0-957.el7", "--pin", "mount.nconnect=4")
    assert (ran.code, ran.out) == (2, "")
    assert "mount.nconnect cannot be pinned here: " in ran.err
    assert advisor("recommend", "--set", "client.kernel=5.14", "--pin", "mount.nconnect=4").code == 0
