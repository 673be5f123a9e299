"""`advisor lint` as a user meets it: exit codes, formats, facts, refusals."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.rulebase.base import load

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/fstab"
GOOD = "nas:/a /a nfs vers=4.2,hard 0 0\n"
BAD = "nas:/a /a nfs vers=4.2,nconect=8 0 0\n"
FIELDS = {
    "rule", "severity", "consequence", "confidence", "file", "line", "column", "end_column", "tunable", "value",
    "expected", "message", "why", "remedy", "cites", "fix", "depends_on",
}


def lint(advisor, text, *args):
    """The JSON findings for a text on standard input."""
    ran = advisor("lint", "-", "--output-format", "json", *args, stdin=text)
    assert ran.code in (0, 1), ran.err
    return json.loads(ran.out)


def test_exit_codes(advisor):
    assert advisor("lint", "-", stdin=GOOD).code == 0
    assert advisor("lint", "-", stdin=BAD).code == 1
    assert advisor("lint", "/no/such/place/fstab").code == 2


def test_fail_on_and_min_severity(advisor):
    soft = "nas:/a /a nfs vers=4.2,rw,soft,timeo=600 0 0\n"
    assert advisor("lint", "-", stdin=soft).code == 1
    assert advisor("lint", "-", "--fail-on", "error", stdin=soft).code == 0
    assert lint(advisor, soft, "--min-severity", "error")["findings"] == []


def test_the_json_document(advisor):
    document = lint(advisor, BAD)
    assert document["schema"] == "advisor-lint/1"
    (finding,) = document["findings"]
    assert set(finding) == FIELDS
    assert finding["severity"] == "error"
    assert finding["consequence"] == "mount-fails"
    start = BAD.index("nconect")
    assert (finding["line"], finding["column"], finding["end_column"]) == (1, start + 1, start + 1 + len("nconect=8"))
    assert "nconnect" in finding["message"] + finding["remedy"]
    for cite in finding["cites"]:
        assert set(cite) >= {"claim", "title", "at"}
    assert document["summary"]["errors"] == 1


def test_concise_is_one_line_a_finding(advisor):
    ran = advisor("lint", "-", "--output-format", "concise", stdin=BAD + "nas:/b /b nfs vers=4.2,hard 0 0\n")
    assert ran.out.count("\n") == 1
    assert ran.out.startswith(f"<stdin>:1:{BAD.index('nconect') + 1}: error[")


def test_the_shipped_example_has_a_dozen_faults_and_good_lines(advisor):
    document = json.loads(advisor("lint", str(EXAMPLE), "--output-format", "json").out)
    assert len({f["rule"] for f in document["findings"]}) >= 12
    text = EXAMPLE.read_text().splitlines()
    good = {n for n, line in enumerate(text, 1) if "# Good" in line}
    start = good.pop()
    told = {f["line"] for f in document["findings"] if f["severity"] != "note"}
    assert not told & set(range(start, start + 5))


def test_facts_decide(advisor):
    line = "nas:/a /a nfs vers=4.1,nconnect=8,hard 0 0\n"
    assert lint(advisor, line)["findings"] == []
    told = lint(advisor, line, "--set", "storage.platform=azure-files", "--set", "client.kernel=6.1")["findings"]
    assert [(f["tunable"], f["expected"]) for f in told if f["tunable"] == "mount.nconnect"] == [("mount.nconnect", 4)]


def test_what_depends_on_unknown_facts_is_one_question(advisor):
    ran = advisor("lint", "-", stdin="nas:/a /a nfs vers=3,nocto,actimeo=600,hard 0 0\n")
    assert "--set " in ran.out
    assert ran.code == 0


def test_a_fact_that_waits_for_another_is_not_asked_first(advisor):
    base = load()
    for line in ("nas:/a /a nfs vers=3,nocto 0 0\n", "nas:/a /data nfs soft,nconnect=8 0 0\n"):
        asked = lint(advisor, line)["summary"]["question"]
        assert not base.facts[asked["fact"]].applies


def test_facts_from_a_file(advisor, tmp_path):
    facts = tmp_path / "facts.yaml"
    facts.write_text('storage.platform: azure-files\nclient:\n  kernel: "6.1"\n')
    told = lint(advisor, "nas:/a /a nfs vers=4.1,nconnect=8,hard 0 0\n", "--facts", str(facts))["findings"]
    assert "mount.nconnect" in {f["tunable"] for f in told}
    facts.write_text("client.kernel: 5.10\n")
    refused = advisor("lint", "-", "--facts", str(facts), stdin=GOOD)
    assert refused.code == 2
    assert "quote" in refused.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--set", "client.kernal=6.1"], "client.kernel"),
        (["--set", "client.kernel"], "FACT=VALUE"),
        (["--set", "storage.platform=azure-fils"], "azure-files"),
        (["--set", "workload.static_data=maybe"], "yes or no"),
        (["--select", "nconect-shared-transport"], "nconnect-shared-transport"),
        (["--facts", "/no/such/place.yaml"], "file not found"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_usage_is_refused_with_a_hint(advisor, args, words):
    ran = advisor("lint", "-", *args, stdin=GOOD)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


def test_an_empty_name_is_shown(advisor):
    assert advisor("lint", "").err == "advisor: '': file not found\n"


def test_a_folder_is_refused(advisor, tmp_path):
    ran = advisor("lint", str(tmp_path))
    assert ran.code == 2
    assert "folder" in ran.err


def test_select_and_ignore(advisor):
    text = "nas:/a /a nfs vers=4.2,soft,nconect=8 0 2\n"
    rules = {f["rule"] for f in lint(advisor, text)["findings"]}
    assert len(rules) >= 3
    one = sorted(rules)[0]
    assert {f["rule"] for f in lint(advisor, text, "--select", one)["findings"]} == {one}
    assert {f["rule"] for f in lint(advisor, text, "--ignore", one)["findings"]} == rules - {one}


def test_a_suppression_on_the_line_before(advisor):
    rule = lint(advisor, BAD)["findings"][0]["rule"]
    document = lint(advisor, f"# advisor: ignore[{rule}] we know\n{BAD}")
    assert document["findings"] == []
    assert document["summary"]["suppressed"] == 1


def test_the_input_cannot_command_the_terminal(advisor):
    evil = "nas:/a\x1b[31m[bold]x[/bold] /a nfs vers=4.2,n\x1b]0;x\x07conect=8 0 0\n"
    for form in ("text", "concise"):
        out = advisor("lint", "-", "--output-format", form, stdin=evil).out
        assert "\x1b" not in out
        assert "\x07" not in out
    assert "[bold]x[/bold]" in advisor("lint", "-", stdin=evil).out


def test_colour_only_where_it_is_wanted(advisor, monkeypatch):
    assert "\x1b[" not in advisor("lint", "-", stdin=BAD).out  # a pipe
    assert "\x1b[" in advisor("lint", "-", "--color", "always", stdin=BAD).out
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "\x1b[" not in advisor("lint", "-", stdin=BAD).out


def test_bytes_that_are_not_text(advisor):
    ran = advisor("lint", "-", stdin=b"\xff\xfe\x00nas:/a /a nfs soft\x80 0 0\n\n# c\n")
    assert ran.code in (0, 1)


def test_lint_imports_nothing_heavy():
    code = (
        "import sys; from advisor.cli import main; main(['lint', sys.argv[1]]); "
        "heavy = {'pydantic', 'ruamel.yaml', 'rich', 'textual', 'typing'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    # The first run may have to recompile a stale checkout, which needs ruamel and pydantic.
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", code, str(EXAMPLE)], capture_output=True, text=True, check=True)
    assert ran.stderr.strip().splitlines()[-1] == "[]"


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m advisor lint {EXAMPLE} | head -n 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stderr == ""
