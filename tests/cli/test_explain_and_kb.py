"""`advisor --version`, `advisor explain` and `advisor kb`."""

import json

import pytest

from advisor import __version__
from advisor.cli import COMMANDS
from tests.tiers import thorough


def test_version(advisor):
    assert advisor("--version").out == f"advisor {__version__}\n"
    assert advisor().code == 2


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(advisor, command):
    ran = advisor(command, "--help")
    assert ran.code == 0
    assert command in ran.out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nconnect", ["mount.nconnect", "azure-files", "16"]),
        ("mount.nconnect", ["Recommended", "storage.platform is azure-files", "apply:", "--all"]),
        ("nolock", ["mount.lock", "apply:", "check:", "undo:"]),
        ("tcp_sack", ["sysctl.net.ipv4.tcp_sack"]),
        ("nconnect/azure-files", ["a rule on mount.nconnect", "platform"]),
        ("nconnect-shared-transport", ["What it finds", "Why it matters", "Fix", "Found", "Not found"]),
        ("azure-files-perf.nconnect-4", ["a claim", "used by", "nconnect/azure-files"]),
        ("client.kernel", ["version", "uname -r"]),
        ("nfs5", ["manual", "Claims"]),
        ("rhel76-nfs-hang", ["3.10.0-957.5.1.el7"]),
    ],
)
def test_explain(advisor, name, words):
    ran = advisor("explain", name)
    assert ran.code == 0, ran.err
    for word in words:
        assert word in ran.out, word


def test_the_answer_is_a_page_and_all_of_it_follows_on_demand(advisor, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")
    facts = ("--set", "storage.platform=anf", "--set", "workload.kind=eda", "--set", "client.kernel=6.1")
    lines = {("recommend", *facts): 40, ("why", "nconnect", *facts[:2]): 45, ("explain", "nconnect"): 60}
    for command, most in lines.items():
        short, full = advisor(*command).out, advisor(*command, "--all").out
        assert len(short.splitlines()) <= most, command
        assert len(full.splitlines()) > 1.5 * len(short.splitlines()), command
    out = advisor("why", "nconnect", *facts[:2]).out
    assert out.index("nconnect=8") < out.index("leave it out"), "the usual answer comes first"
    assert "https://" in advisor("explain", "nconnect", "--all").out


def test_explain_names_the_winner_and_the_losers(advisor):
    facts = ["storage.platform=azure-files", "client.has_nconnect=true"]
    ran = advisor("explain", "nconnect", *(x for f in facts for x in ("--set", f)))
    told = " ".join(ran.out[ran.out.index("With the facts given"):].split())
    assert "settled: 4 by nconnect/azure-files" in told
    assert "loses to nconnect/azure-files" in told
    assert "by nconnect/default" in told


def test_an_unknown_name_suggests_near_ones(advisor):
    ran = advisor("explain", "nconect2")
    assert ran.code == 2
    assert "did you mean nconnect?" in ran.err, "and not a misspelling that is known"


def test_kb_sources_and_show(advisor):
    sources = json.loads(advisor("kb", "sources", "--output-format", "json").out)
    assert {"nfs5", "anf-module", "azure-files-perf", "dell-nss74"} <= {s["source"] for s in sources}
    shown = json.loads(advisor("kb", "show", "azure-files-perf.nconnect-4", "--output-format", "json").out)
    assert shown["source"] == "azure-files-perf"
    assert "nconnect/azure-files" in shown["used_by"]
    assert advisor("kb", "show", "azure-files-perf.nconect-4").code == 2


def test_kb_search_finds_all_words(advisor):
    found = json.loads(advisor("kb", "search", "nconnect", "krb5", "--output-format", "json").out)
    assert found
    assert all("krb5" in json.dumps(one).lower() for one in found)
    assert advisor("kb", "search", "xyzzy", "plugh").code == 1


def test_kb_disputes_show_both_sides_and_the_decision(advisor):
    told = {d["tunable"]: d for d in json.loads(advisor("kb", "disputes", "--output-format", "json").out)}
    assert {"mount.nconnect", "sysctl.net.ipv4.tcp_sack", "sysctl.sunrpc.tcp_max_slot_table_entries"} <= set(told)
    for dispute in told.values():
        assert dispute["claims"]
        for side in dispute["claims"]:
            assert side["says"]
            assert side["publisher"]


@thorough
def test_kb_export_is_whole(advisor):
    everything = json.loads(advisor("kb", "export").out)
    assert everything["schema"] == "advisor-kb/1"
    for claim in everything["claims"].values():
        assert claim["source"] in everything["sources"]


@pytest.mark.parametrize("words", [("lint", "--\x1b[2J"), ("why", "a", "\t\u202e"), ("kb", "\x9b")])
def test_what_is_no_argument_is_shown_and_not_obeyed(advisor, words):
    ran = advisor(*words)
    assert ran.code == 2
    assert all(line.isprintable() for line in ran.err.split("\n"))


def test_what_cannot_be_read_is_no_fault_of_the_program(advisor, monkeypatch, tmp_path):
    def refused(*_):
        raise PermissionError(13, "Permission denied", "/srv/rules")

    monkeypatch.setattr("advisor.rulebase.rule_files.files", refused)
    ran = advisor("rules", "verify", "--root", str(tmp_path))
    assert (ran.code, ran.err) == (2, "advisor: /srv/rules: Permission denied\n")


def test_explain_an_export_in_full(advisor, tmp_path):
    ran = advisor("explain", "/srv 10.0.0.0/8(rw,ro,fsid=3)  \"b c\"(rw)")
    assert ran.code == 0
    assert "written:         ro, fsid=3" in ran.out
    assert "without effect:  rw" in ran.out
    for default in ("no_subtree_check", "sync", "wdelay", "root_squash", "secure", "sec=sys", "anonuid=65534"):
        assert default in ran.out
    file = tmp_path / "site.exports"
    file.write_text("/a x(rw,anonuid=5) y(typo)\n/b\n")
    ran = advisor("explain", str(file))
    assert "/a to x" in ran.out
    assert "anonuid=65534" in ran.out.partition("/b to every host")[2]
    assert "does not know" in ran.out
    assert advisor("explain", str(tmp_path / "nowhere")).code == 2
    assert advisor("explain", "/etc/passwd").code == 2
