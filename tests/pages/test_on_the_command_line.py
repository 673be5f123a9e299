"""The output of `advisor lint` as it comes out of the program."""

import io
import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from advisor.cli import main
from advisor.pages.formats import FORMATS
from tests.pages.sarif_model import problems
from tests.schemas import validate
from tests.tiers import some

ROOT = Path(__file__).parents[2]
EXAMPLE = str(ROOT / "examples/fstab")


def lint(capsys, *args):
    assert main(["lint", "--no-config", EXAMPLE, *args]) in (0, 1)
    return capsys.readouterr().out


def test_json_is_as_its_schema_says_and_has_nothing_more(capsys):
    document = json.loads(lint(capsys, "--output-format", "json"))
    validate(document, "advisor-lint-1")
    assert any(found["fix"] for found in document["findings"])


def test_sarif_is_sarif(capsys):
    document = json.loads(lint(capsys, "--output-format", "sarif"))
    assert problems(document) == []
    (run,) = document["runs"]
    assert any("fixes" in result for result in run["results"])
    assert all(rule["help"]["markdown"] for rule in run["tool"]["driver"]["rules"])
    run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert problems(document)


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_is_the_same_twice_and_holds_the_findings(form, capsys):
    first = lint(capsys, "--output-format", form)
    assert first == lint(capsys, "--output-format", form)
    assert ('rule="unknown-option",severity="error"} 1' if form == "prometheus" else "nconect=8") in first  # it counts


def test_fingerprints_survive_moving_lines_and_other_options(capsys, monkeypatch):
    def names(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        main(["lint", "--no-config", "-", "--output-format", "gitlab"])
        return {one["check_name"]: one["fingerprint"] for one in json.loads(capsys.readouterr().out)}

    before = names("nas:/a /a nfs vers=4.2,nconect=8 0 0\n")
    after = names("# a comment\n\nnas:/a  /a  nfs  vers=4.2,hard,nconect=8 0 0\n")
    assert before["unknown-option"] == after["unknown-option"]
    assert names("nas:/b /b nfs vers=4.2,nconect=8 0 0\n")["unknown-option"] != before["unknown-option"]


def test_verbose_names_facts_winner_loser_and_grade(capsys):
    out = " ".join(lint(capsys, "--verbose", "--set", "client.kernel=6.1").split())
    assert "rule: nconnect/azure-files (platform): 4" in out
    assert "client.kernel is 6.1 (given)" in out
    assert "storage.platform is azure-files (the server's name matches *.file.core.windows.net;" in out
    assert "beats: nconnect/default (default)" in out
    assert "mount.ro is no (the line says rw)" in out
    assert "vendor's documentation (azure-files-perf.nconnect-4" in out


def test_the_text_says_what_was_inferred(capsys):
    out = " ".join(lint(capsys).split())
    assert "Inferred from server name or mount type: Azure Files (NFS share), line 23; Amazon EFS, line 25." in out
    given = " ".join(lint(capsys, "--set", "storage.platform=other").split())
    assert "Inferred from" not in given


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("verbose", [False, True])
def test_nothing_overflows(columns, verbose, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = lint(capsys, *(["--verbose"] if verbose else []))
    lines = [line for line in out.splitlines() if not line.strip().startswith("https://")]  # these stay whole
    assert max(map(len, lines)) <= columns


def test_hyperlinks_only_where_the_terminal_has_them(capsys, monkeypatch):
    for name in ("TMUX", "STY", "FORCE_HYPERLINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-kitty")
    assert "\x1b]8;;https://" in lint(capsys, "--color", "always")
    assert "\x1b]8" not in lint(capsys, "--color", "never")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "KITTY_WINDOW_ID", "DOMTERM"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b]8" not in lint(capsys, "--color", "always")


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"text"}))
def test_files_for_programs_have_no_colour(form, capsys):
    assert "\x1b" not in lint(capsys, "--output-format", form, "--color", "always")


def test_a_terminal_that_knows_only_ascii():
    one = f"main(['lint', '--no-config', {EXAMPLE!r}, '--output-format', form, '--verbose']) == 1"
    ran = subprocess.run(
        [sys.executable, "-c", f"from advisor.cli import main\nfor form in {sorted(FORMATS)}: assert {one}, form"],
        capture_output=True, env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"}, cwd=ROOT, check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert len(ran.stdout.decode("ascii")) > 1000


@pytest.mark.parametrize(("command", "columns"), some(product(
    ("recommend", "recommend --verbose --all", "why nconnect", "what-if nconnect", "facts", "explain nconnect",
     "kb disputes", "rules list", "lint --help", f"lint --no-config {EXAMPLE}"),
    ("1", "19", "0", "-5", "x", "9" * 5000),
), 5))
def test_no_width_is_too_narrow(
    command: str, columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(command.split()) in (0, 1)
    assert capsys.readouterr().out
