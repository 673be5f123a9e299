"""The files that lint is given: their kinds, patterns, and the names of standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.pages.sarif_model import problems

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib

GOOD = "nas:/a /a nfs vers=4.2,hard 0 0\n"
BAD = "nas:/a /a nfs vers=4.2,nconect=8 0 0\n"
SOFT = "nas:/a /a nfs vers=4.2,soft,nconect=8 0 0\n"
EXPORTS = "/srv *(rw,no_root_sqash)\n"
CLUSTER = "totem {\n    version: 2\n    cluster_name: nas\n}\nnodelist {\n}\n"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()  # nothing above it counts


def test_a_kind_that_is_not_read_is_not_called_clean(advisor, tmp_path: Path) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    ran = advisor("lint", str(tmp_path / "corosync.conf"))
    assert (ran.code, ran.out) == (2, "")
    assert "it looks like corosync.conf" in ran.err
    assert "--kind" in ran.err


def test_of_a_folder_the_files_of_known_kinds_are_judged(advisor, tmp_path: Path, monkeypatch) -> None:
    """Neither links, nor what a server holds, nor the insides of git; what is passed over is counted."""
    top = tmp_path / "a b"
    for name, text in (("fstab", SOFT), ("sub/exports", EXPORTS), ("sub/notes", "Dear colleague\n"),
                       ("away/fstab", SOFT), (".git/fstab", SOFT), ("plain.sh", "echo\n"),
                       ("main.go", 'run("mount -t nfs nas:/a /a")\n')):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    (top / "link").symlink_to("fstab")
    (top / "folder").symlink_to("sub")
    listed = tmp_path / "mountinfo"
    listed.write_text(f"36 35 0:44 / {str(top / 'away').replace(' ', chr(92) + '040')} rw - nfs4 nas:/a rw\n")
    monkeypatch.setattr("advisor.cli.lint_modes.MOUNTS", listed)
    ran = advisor("lint", "a b", "--output-format", "concise")
    assert {line.partition(":")[0] for line in ran.out.splitlines()} == {"a b/fstab", "a b/sub/exports"}
    assert ran.code == 1
    assert ran.err == "advisor: a b: files passed over: 2 of no kind that lint reads\n"


def test_a_folder_without_a_file_that_lint_reads_is_not_called_clean(advisor, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "today").write_text("Dear colleague\n")
    ran = advisor("lint", "notes")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "advisor: notes: holds no file of a kind that lint reads (1 of no kind that lint reads)\n"


def test_standard_input_is_told_by_its_content(advisor) -> None:
    ran = advisor("lint", "-", stdin=CLUSTER)
    assert (ran.code, ran.out) == (2, "")
    assert "<stdin>: not checked" in ran.err
    assert "it looks like corosync.conf" in ran.err


@pytest.mark.parametrize("text", [
    "threads of nfsd: 8\n", "/srv 10.0.0.0/8(rw)\nb c\nd\n", "data -rw,soft nas5:/data\nd\ne\n",
])
def test_a_file_of_no_kind_is_not_called_clean(advisor, tmp_path: Path, text: str) -> None:
    (tmp_path / "notes").write_text(text)
    ran = advisor("lint", str(tmp_path / "notes"))
    assert (ran.code, ran.out) == (2, "")
    assert "--kind" in ran.err


@pytest.mark.parametrize("text", [
    "Dear colleague\n", "Device {\n  Mount Point = /mnt/a  # http://example.com/a\n}\n",
])
def test_a_file_of_no_kind_without_nfs_ends_with_no_word(advisor, tmp_path: Path, text: str) -> None:
    (tmp_path / "bacula-sd.conf").write_text(text)
    ran = advisor("lint", str(tmp_path / "bacula-sd.conf"))
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    (tmp_path / "fstab").write_text(BAD)
    ran = advisor("lint", str(tmp_path / "bacula-sd.conf"), str(tmp_path / "fstab"))
    assert (ran.code, ran.err) == (1, "")
    ran = advisor("lint", "-", stdin=text)
    assert ran.code == 2


def test_the_other_files_are_judged_and_the_rest_is_told_at_the_end(advisor, tmp_path: Path) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    (tmp_path / "fstab").write_text(BAD)
    ran = advisor("lint", str(tmp_path / "corosync.conf"), str(tmp_path / "fstab"))
    assert ran.code == 2
    assert "nconect=8" in ran.out
    assert "corosync.conf: not checked" in ran.err
    ran = advisor("lint", str(tmp_path / "fstab"))
    assert (ran.code, ran.err) == (1, "")


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "gitlab", "github", "markdown", "concise"])
def test_no_format_calls_it_clean(advisor, tmp_path: Path, form: str) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    ran = advisor("lint", str(tmp_path / "corosync.conf"), "--output-format", form)
    assert ran.code == 2
    assert "no findings" not in ran.out
    if form == "json":
        summary = json.loads(ran.out)["summary"]
        assert summary["files"] == []
        assert [(one["kind"], one["file"]) for one in summary["not_judged"]] == [
            ("corosync.conf", str(tmp_path / "corosync.conf"))
        ]


def test_the_kind_can_be_said(advisor, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text(BAD + "something else\n" * 3)
    ran = advisor("lint", str(tmp_path / "odd"))  # a text that quotes a line: nothing in it is an error
    assert (ran.code, "warning[unknown-option]" in ran.out) == (1, True)
    ran = advisor("lint", str(tmp_path / "odd"), "--kind", "fstab")
    assert (ran.code, "error[unknown-option]" in ran.out) == (1, True)
    (tmp_path / "fstab").write_text(GOOD)
    assert advisor("lint", str(tmp_path / "fstab"), "--kind", "corosync.conf").code == 2


def test_nothing_is_written_to_a_file_that_was_not_understood(advisor, tmp_path: Path) -> None:
    path = tmp_path / "corosync.conf"
    path.write_text(CLUSTER)
    for option in ("--fix", "--unsafe-fixes", "--diff"):
        ran = advisor("lint", str(path), option)
        assert (ran.code, ran.out) == (2, "")
    assert path.read_text() == CLUSTER
    assert {*tmp_path.iterdir()} == {path, tmp_path / ".git"}


def test_an_empty_file_holds_nothing_to_misread(advisor, tmp_path: Path) -> None:
    (tmp_path / "new").write_text("\n")
    assert advisor("lint", str(tmp_path / "new")).code == 0


def test_a_drop_in_whose_unit_is_missing_is_not_called_clean(advisor, tmp_path: Path) -> None:
    folder = tmp_path / "data.mount.d"
    folder.mkdir()
    (folder / "10-options.conf").write_text("[Mount]\nOptions=\nOptions=vers=4.2,soft\n")
    (tmp_path / "data.mount").write_text("[Mount]\nWhat=nas:/data\nWhere=/data\nType=nfs\n")
    ran = advisor("lint", str(folder / "10-options.conf"))
    assert (ran.code, ran.out) == (2, "")
    assert "the mount unit that it changes is not among the files" in ran.err
    ran = advisor("lint", str(folder / "10-options.conf"), str(tmp_path / "data.mount"))
    assert (ran.code, ran.err) == (1, "")
    assert "hard/default" in ran.out
    (folder / "10-options.conf").write_text("[Mount]\nType=nfs\nOptions=vers=4.2,soft\n")
    assert "hard/default" in advisor("lint", str(folder / "10-options.conf")).out


def findings(advisor, text, *args):
    return json.loads(advisor("lint", *args, "--output-format", "json", stdin=text).out)["findings"]


@pytest.mark.parametrize("file", [[], ["-"]])
def test_the_name_tells_the_kind_and_stands_in_the_findings(advisor, file):
    (found,) = findings(advisor, EXPORTS, *file, "--stdin-filename", "etc/exports")
    assert (found["rule"], found["file"]) == ("export-option-unknown", "etc/exports")
    empty = advisor("lint", *file, "--stdin-filename", "etc/exports", stdin="# nothing yet\n")
    assert (empty.code, empty.err) == (0, "")
    assert advisor("lint", "-", stdin="# nothing yet\n").code == 2, "without a name, nobody knows what this is"


def test_what_is_set_for_the_name_holds(advisor, tmp_path):
    (tmp_path / "advisor.toml").write_text('[[path]]\nmatch = "lab/*"\nselect = ["unknown-option"]\n')
    assert [f["rule"] for f in findings(advisor, SOFT, "--stdin-filename", "lab/fstab")] == ["unknown-option"]
    assert len(findings(advisor, SOFT, "--stdin-filename", "fstab")) > 1


def test_the_file_of_that_name_is_neither_read_nor_written(advisor, tmp_path):
    (tmp_path / "fstab").write_text("untouched\n")
    ran = advisor("lint", "--stdin-filename", "fstab", "--unsafe-fixes", stdin=SOFT)
    assert ran.out.startswith("nas:/a /a nfs vers=4.2,hard,nconnect=8")
    assert "fstab: 2 fixes made" in ran.err
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir() if one.is_file()] == [("fstab", "untouched\n")]


@pytest.mark.parametrize("args", [["fstab"], ["-", "fstab"], ["--watch"]])
def test_a_name_for_standard_input_alone(advisor, args):
    ran = advisor("lint", *args, "--stdin-filename", "fstab", stdin=SOFT)
    assert (ran.code, ran.out) == (2, "")
    assert "--stdin-filename" in ran.err


def test_an_unnamed_buffer_is_standard_input(advisor):
    (found, *_) = findings(advisor, SOFT, "--stdin-filename", "")
    assert found["file"] == "<stdin>"


def test_exit_zero(advisor):
    assert advisor("lint", "-", stdin=SOFT).code == 1
    ran = advisor("lint", "-", "--exit-zero", stdin=SOFT)
    assert ran.code == 0
    assert "unknown-option" in ran.out
    assert advisor("lint", "-", "--exit-zero", stdin="what is this?\n").code == 2
    assert advisor("lint", "no-such-file", "--exit-zero").code == 2


def test_show_config_says_what_is_set_and_where(advisor, tmp_path):
    (tmp_path / "advisor.toml").write_text(
        'fail_on = "error"\nignore = ["option-empty"]\nbaseline = "known.json"\n'
        '[facts]\nclient.kernel = "5.14"\n"workload.kind" = "eda"\n[severity]\n"option-*" = "note"\n'
        '[[path]]\nmatch = "lab/*"\nignore = ["timeo-too-short"]\npedantic = true\n'
        '[[mounts]]\nserver = "10.0.0.*"\nstorage.platform = "anf"\n'
    )
    ran = advisor("lint", "--show-config", "lab/fstab", "--set", "client.kernel=6.1", "--min-severity", "warning")
    assert ran.code == 0
    assert tomllib.loads(ran.out) == {
        "fail_on": "error", "ignore": ["option-empty", "timeo-too-short"], "min_severity": "warning", "pedantic": True,
        "baseline": "known.json", "facts": {"client.kernel": "6.1", "workload.kind": "eda"},
        "severity": {"option-*": "note"}, "mounts": [{"server": "10.0.0.*", "storage.platform": "anf"}],
    }
    origin = dict(line.split("  # ") for line in ran.out.splitlines() if "  # " in line)
    origin = {setting.split(" =")[0]: where for setting, where in origin.items()}
    assert origin == {
        "fail_on": "advisor.toml", "ignore": "advisor.toml and advisor.toml: path 1", "min_severity": "--min-severity",
        "pedantic": "advisor.toml: path 1", "baseline": "advisor.toml", '"client.kernel"': "--set",
        '"workload.kind"': "advisor.toml", '"option-*"': "advisor.toml", "[[mounts]]": "advisor.toml:13:1",
    }
    both = advisor("lint", "--show-config", "fstab", "--stdin-filename", "x")
    assert both.code == 2
    two = advisor("lint", "--show-config", "fstab", "other", "lab/fstab").out
    assert "\n# fstab\n# other\n" in two
    assert two.count("fail_on") == 2, "files for which the same holds stand together"


def test_show_config_without_any(advisor):
    ran = advisor("lint", "--show-config", "--no-pedantic")
    assert tomllib.loads(ran.out) == {"min_severity": "note", "fail_on": "warning", "pedantic": False}
    assert ran.out.startswith("# configuration: none\n\n# /etc/fstab\n")
    assert "pedantic = false       # --no-pedantic" in ran.out


def test_show_config_cannot_command_a_terminal(advisor, tmp_path):
    (tmp_path / "advisor.toml").write_text('baseline = "a\\u001b[31m\\"\\\\\\u202eb"\n')
    ran = advisor("lint", "--show-config", "x\x1b]0;")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert tomllib.loads(ran.out)["baseline"] == 'a\x1b[31m"\\\u202eb'


@pytest.mark.parametrize(
    ("environment", "terminal", "coloured"),
    [
        ({}, False, False), ({}, True, True), ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True), ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
        ({"FORCE_COLOR": ""}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False), ({"NO_COLOR": ""}, True, True),
    ],
)
def test_colour(monkeypatch, environment, terminal, coloured):
    from advisor.cli.terminal import wants_colour

    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert wants_colour("auto") is coloured
    assert wants_colour("always")
    assert not wants_colour("never")


def test_sarif_has_what_is_suppressed_and_why(advisor, tmp_path):
    def run(*args, text=SOFT):
        out = advisor("lint", "--stdin-filename", "fstab", "--output-format", "sarif", *args, stdin=text).out
        document = json.loads(out)
        assert problems(document) == []
        return {one["ruleId"]: one for one in document["runs"][0]["results"]}

    before = run()
    assert all(one["suppressions"] == [] for one in before.values())
    hushed = run(text=f"# advisor: ignore[unknown-option] the vendor's {{own}} client\n{SOFT}")
    assert hushed["unknown-option"]["suppressions"] == [
        {"kind": "inSource", "justification": "the vendor's {own} client"}
    ]
    assert run(text=f"# advisor: ignore[unknown-option]\n{SOFT}")["unknown-option"]["suppressions"] == [
        {"kind": "inSource"}
    ]
    assert hushed["hard/default"]["suppressions"] == []
    assert {rule: one["partialFingerprints"] for rule, one in hushed.items()} == {
        rule: one["partialFingerprints"] for rule, one in before.items()
    }
    chosen = ("--select", "hard/default", "--write-baseline", "known.json")
    advisor("lint", "--stdin-filename", "fstab", *chosen, stdin=SOFT)
    accepted = run("--baseline", "known.json")
    assert accepted["hard/default"]["suppressions"] == [
        {"kind": "external", "justification": "accepted in known.json"}
    ]
    assert accepted["unknown-option"]["suppressions"] == []
    assert accepted.keys() == before.keys()
