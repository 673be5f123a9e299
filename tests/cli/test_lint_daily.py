"""Living with the linter: baselines, statistics, watching, patterns, a pre-commit hook, and a quick start."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from advisor.cli.lint_modes import watch

ROOT = Path(__file__).resolve().parents[2]
TEXT = "nas:/a /a nfs vers=4.2,soft,timeo=600 0 0\nnas:/b /b nfs vers=4.2,hard,timeo=14,intr 0 0\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fstab").write_text(TEXT)
    return tmp_path


def rules(ran):
    return [finding["rule"] for finding in json.loads(ran.out)["findings"]]


# Baselines


def test_todays_findings_are_accepted_and_new_ones_told(advisor, here):
    ran = advisor("lint", "fstab", "--write-baseline", "known.json")
    assert (ran.code, ran.out) == (0, "3 findings accepted in known.json\n")
    ran = advisor("lint", "fstab", "--baseline", "known.json", "--output-format", "json")
    assert (ran.code, rules(ran)) == (0, [])
    assert ran.err == "advisor: 3 accepted by known.json\n"
    (here / "fstab").write_text(f"# moved\n{TEXT}nas:/c /c nfs vers=4.2,nconect=4 0 0\n")
    ran = advisor("lint", "fstab", "--baseline", "known.json", "--output-format", "json")
    assert (ran.code, rules(ran)) == (1, ["unknown-option"])


def test_what_no_longer_occurs_is_told_in_one_line(advisor, here):
    advisor("lint", "fstab", "--write-baseline", "known.json")
    (here / "fstab").write_text("nas:/b /b nfs vers=4.2,hard 0 0\n")
    ran = advisor("lint", "fstab", "--baseline", "known.json", "--output-format", "concise")
    assert (ran.code, ran.out) == (0, "")
    (line,) = ran.err.splitlines()
    assert "accepts findings that no longer occur" in line
    assert "and 2 more" in line
    assert "--write-baseline known.json" in line


def test_rules_that_are_not_looked_for_now_have_not_gone(advisor, here):
    advisor("lint", "fstab", "--write-baseline", "known.json")
    assert advisor("lint", "fstab", "--baseline", "known.json", "--select", "option-ignored").err == (
        "advisor: 1 accepted by known.json\n"
    )


def test_a_missing_baseline_says_how_to_make_one(advisor, here):
    ran = advisor("lint", "fstab", "--baseline", "no.json")
    assert ran.code == 2
    assert "--write-baseline no.json" in ran.err


def test_a_baseline_that_cannot_be_written(advisor, here):
    ran = advisor("lint", "fstab", "--write-baseline", "no/such/folder.json")
    assert ran.code == 2
    assert "no/such/folder.json" in ran.err


# Statistics


def test_statistics(advisor, here):
    ran = advisor("lint", "fstab", "fstab", "--statistics")
    first, *_, last = ran.out.splitlines()
    assert re.fullmatch(r"1 +warning +[a-z0-9/-]+ +[A-Z].*", first)
    assert ran.out.count("\n") == 4
    assert last == "3 of 3 have a fix: --fix, --unsafe-fixes"
    assert ran.code == 1
    document = json.loads(advisor("lint", "fstab", "--statistics", "--output-format", "json").out)
    assert document["schema"] == "advisor-statistics/1"
    assert {"rule": "option-ignored", "severity": "note", "count": 1, "fixable": 1} in document["statistics"]
    refused = advisor("lint", "fstab", "--statistics", "--output-format", "sarif")
    assert refused.code == 2
    assert "text or json" in refused.err
    (here / "fstab").write_text("")
    assert advisor("lint", "fstab", "--statistics").out == "no findings\n"


# Files


def test_patterns_that_no_shell_has_expanded(advisor, here):
    for name in ("a", "b"):
        (here / f"{name}.fstab").write_text(TEXT)
    (here / "dir.fstab").mkdir()
    (here / "deep" / "er").mkdir(parents=True)
    (here / "deep" / "er" / "fstab").write_text(TEXT)
    (here / "od[d]").write_text(TEXT)

    def files(*args):
        return json.loads(advisor("lint", *args, "--output-format", "json").out)["summary"]["files"]

    assert files("*.fstab") == ["a.fstab", "b.fstab"]
    assert files("[ab].fstab", "a.fstab") == ["a.fstab", "b.fstab"], "each file once"
    assert files("**/fstab") == ["deep/er/fstab", "fstab"]
    assert files("od[d]") == ["od[d]"], "a file that is called so"
    ran = advisor("lint", "*.nothing")
    assert ran.code == 2
    assert "no file matches this pattern" in ran.err
    for missing, why in (("*.nothing", "no file matches this pattern"), ("nothing", "file not found")):
        ran = advisor("lint", missing, "a.fstab", "--output-format", "json")
        assert (ran.code, ran.err) == (2, f"advisor: {missing}: {why}\n")
        assert json.loads(ran.out)["summary"]["files"] == ["a.fstab"], "the others are judged"


def test_a_name_that_is_none(advisor):
    ran = advisor("lint", "a\0b")
    assert ran.code == 2
    assert "internal error" not in ran.err


def test_options_may_stand_between_files(advisor, here):
    (here / "b").write_text("nas:/b /b nfs vers=4.2,nconect=4 0 0\n")
    ran = advisor("lint", "fstab", "--output-format", "json", "b", "--ignore", "option-ignored")
    assert json.loads(ran.out)["summary"]["files"] == ["fstab", "b"]


# Watching


def test_watch_looks_again_when_a_file_changes(here):
    file = here / "fstab"
    seen, waits = [], []

    def edit_in_place():
        file.write_text("changed\n")

    def replace():
        new = here / "new"
        new.write_text("changed\n")
        os.utime(new, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
        new.replace(file)

    steps = [lambda: None, edit_in_place, lambda: None, replace, file.unlink, lambda: None, edit_in_place, lambda: None]

    def wait(seconds):
        waits.append(seconds)
        steps[len(waits) - 1]()

    assert watch([str(file)], lambda: seen.append(len(waits)), wait, rounds=len(steps)) == 0
    assert seen == [0, 2, 4, 5, 7]
    assert set(waits) == {0.5}


def test_watch_outlives_a_file_that_is_gone_for_a_moment(advisor, here, monkeypatch, capsys):
    waits = []

    def wait(_):
        waits.append(1)
        if len(waits) == 1:
            (here / "fstab").unlink()
        elif len(waits) == 2:
            (here / "fstab").write_text("nas:/a /a nfs vers=4.2,hard 0 0\n")
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(watch, "__defaults__", (wait, None))
    ran = advisor("lint", "fstab", "--watch", "--output-format", "concise")
    assert ran.code == 130
    assert ran.out.count("soft") >= 1
    assert ran.err == "advisor: fstab: file not found\n"


@pytest.mark.parametrize("args", [["--fix"], ["--unsafe-fixes"], ["--diff"], ["--write-baseline", "x"], ["-"]])
def test_watch_looks_only(advisor, here, args):
    ran = advisor("lint", "fstab", "--watch", *args)
    assert ran.code == 2
    assert f"cannot be used with {args[0]}" in ran.err


def test_ctrl_c_ends_watching_without_a_word(here):
    command = [sys.executable, "-m", "advisor", "lint", "fstab", "--watch", "--no-config", "--output-format", "concise"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
    ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=here, env=env, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        assert ran.stdout.readline().startswith("fstab:1:")
        time.sleep(0.1)
        ran.send_signal(signal.SIGINT)
        _, errors = ran.communicate(timeout=30)
    finally:
        ran.kill()
    assert (ran.returncode, errors) == (130, "")


# The hook


def test_the_pre_commit_hooks(here):
    hooks = YAML(typ="safe", pure=True).load(ROOT / ".pre-commit-hooks.yaml")
    ids, entries, files = ([one[key] for one in hooks] for key in ("id", "entry", "files"))
    assert ids == ["advisor-lint", "advisor-fix"]
    wanted = ["fstab", "etc/fstab", "hosts/a.fstab"]
    others = ["fstab.md", "xfstab", "fstab.d/readme"]
    for pattern in files:
        assert [name for name in (*wanted, *others) if re.search(pattern, name)] == wanted
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for entry in entries:
        command = [sys.executable, "-m", *entry.split(), "fstab"]
        assert subprocess.run(command, cwd=here, env=env, capture_output=True, check=False).returncode == 1
    assert "intr" not in (here / "fstab").read_text()


# The start


def test_what_is_not_asked_for_is_not_imported(here):
    (here / "fstab").write_text("nas:/a /a nfs vers=4.2,hard,_netdev 0 0\n")
    unwanted = [
        "tomllib", "difflib", "tempfile", "glob", "shutil", "pathlib", "dataclasses", "inspect",
        "advisor.lint.fix", "advisor.lint.fix_write", "advisor.lint.suppress",
        "advisor.cli.lint_modes", "pydantic", "ruamel.yaml",
    ]  # fmt: skip
    code = (
        "import sys; from advisor.cli import main; main(['lint', 'fstab', '--output-format', 'concise']); "
        f"print([m for m in {unwanted!r} if m in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-S", "-c", code]
    site = os.pathsep.join([str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))])
    for _ in range(2):  # the first run may have to compile a stale checkout
        ran = subprocess.run(
            command, cwd=here, env={**env, "PYTHONPATH": site}, capture_output=True, text=True, check=True
        )
    assert ran.stdout == "[]\n"


# Comments


def test_what_a_comment_keeps_silent_stands_in_the_json_with_its_reason(advisor):
    text = f"# advisor: ignore[hard/default, timeo-too-short] scratch space\n{TEXT}"
    summary = json.loads(advisor("lint", "-", "--output-format", "json", stdin=text).out)["summary"]
    assert summary["suppressed"] == 1
    assert summary["suppressions"] == [
        {"file": "<stdin>", "line": 2, "rule": "hard/default", "severity": "warning", "reason": "scratch space"}
    ]
    ran = advisor("lint", "-", "--output-format", "concise", stdin=text)
    assert ran.out.startswith("<stdin>:1:33: note[unused-suppression] line 2 has no finding timeo-too-short")
