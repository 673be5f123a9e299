"""The configuration file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from advisor import config
from advisor.config import ConfigError, find
from tools import config_schema

ROOT = Path(__file__).resolve().parents[2]
TEXT = "nas:/a /a nfs vers=4.2,hard,timeo=14,intr 0 0\n"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder with an fstab, in which the command runs; `site(text)` writes advisor.toml."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fstab").write_text(TEXT)

    def write(text):
        (tmp_path / "advisor.toml").write_text(text)
        return tmp_path

    return write


def rules(ran):
    return {finding["rule"]: finding["severity"] for finding in json.loads(ran.out)["findings"]}


def lint(advisor, *args):
    return advisor("lint", "fstab", "--output-format", "json", *args)


def test_it_is_found_in_this_folder(advisor, site):
    assert set(rules(lint(advisor))) == {"timeo-too-short", "option-ignored"}
    site('ignore = ["timeo-too-short"]')
    assert set(rules(lint(advisor))) == {"option-ignored"}
    assert len(rules(lint(advisor, "--no-config"))) == 2


def test_it_can_be_named(advisor, site, tmp_path):
    site("min_severity = 'error'")
    other = tmp_path / "other.toml"
    other.write_text('select = ["option-*"]')
    assert set(rules(lint(advisor, "--config", str(other)))) == {"option-ignored"}


def test_the_system_wide_one_is_read_where_there_is_no_other(advisor, site, tmp_path, monkeypatch):
    wide = tmp_path / "wide.toml"
    wide.write_text('ignore = ["*"]')
    monkeypatch.setattr(config, "SYSTEM", str(wide))
    assert rules(lint(advisor)) == {}
    site("")
    assert len(rules(lint(advisor))) == 2, "no merging: the nearer one counts alone"


def test_severity(advisor, site):
    site('[severity]\n"option-*" = "error"\n"timeo-too-short" = "off"\n')
    ran = lint(advisor)
    assert rules(ran) == {"option-ignored": "error"}
    assert ran.code == 1
    site('[severity]\n"option-*" = "error"\n"option-ignored" = "note"\n')
    assert rules(lint(advisor))["option-ignored"] == "note", "the last that fits counts"


def test_a_policy_rule_is_told_when_it_is_named(advisor, site):
    site('[severity]\n"no-nofail-policy" = "warning"\n')
    assert rules(lint(advisor))["no-nofail-policy"] == "warning"
    site('[severity]\n"*" = "warning"\n')
    assert "no-nofail-policy" not in rules(lint(advisor))
    site("pedantic = true")
    assert "no-nofail-policy" in rules(lint(advisor))
    assert "no-nofail-policy" not in rules(lint(advisor, "--no-pedantic"))


def test_facts_flat_or_nested_and_the_command_line_wins(advisor, site, tmp_path):
    (tmp_path / "fstab").write_text("nas:/a /a nfs vers=4.1,hard,nconnect=8 0 0\n")
    for text in (
        '[facts]\n"storage.platform" = "azure-files"\n"client.kernel" = "6.1"\n',
        '[facts.storage]\nplatform = "azure-files"\n[facts.client]\nkernel = "6.1"\n',
        'facts = { "storage.platform" = "azure-files", "client.kernel" = "6.1" }\n',
    ):
        site(text)
        assert "nconnect/azure-files" in rules(lint(advisor))
        assert "nconnect/azure-files" not in rules(lint(advisor, "--set", "storage.platform=knfsd"))


def test_the_command_line_wins(advisor, site):
    site('select = ["option-ignored"]\nignore = ["timeo-too-short"]\nmin_severity = "error"\nfail_on = "note"\n')
    assert rules(lint(advisor)) == {}
    assert set(rules(lint(advisor, "--min-severity", "note"))) == {"option-ignored"}
    assert lint(advisor, "--min-severity", "note").code == 1
    assert lint(advisor, "--min-severity", "note", "--fail-on", "error").code == 0
    changed = lint(advisor, "--min-severity", "note", "--select", "timeo-*,option-*", "--ignore", "option-ignored")
    assert set(rules(changed)) == {"timeo-too-short"}


def test_settings_for_some_files(advisor, site, tmp_path):
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "fstab").write_text(TEXT)
    site(
        'fail_on = "note"\n[[path]]\nmatch = "lab/*"\nignore = ["timeo-too-short"]\nfail_on = "error"\n'
        '[[path]]\nmatch = "*/lab/fstab"\nseverity = { "option-ignored" = "warning" }\n'
    )
    found = json.loads(advisor("lint", "fstab", "lab/fstab", "--output-format", "json").out)["findings"]
    assert sorted((f["file"], f["rule"], f["severity"]) for f in found) == [
        ("fstab", "option-ignored", "note"),
        ("fstab", "timeo-too-short", "note"),
        ("lab/fstab", "option-ignored", "warning"),
    ]
    assert advisor("lint", "lab/fstab").code == 0
    assert advisor("lint", "fstab").code == 1


def test_a_baseline_and_rules_are_looked_for_beside_the_file(advisor, site, tmp_path, monkeypatch):
    folder = site('baseline = "known.json"\n')
    advisor("lint", "fstab", "--write-baseline", "known.json")
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    ran = advisor("lint", "../fstab", "--config", "../advisor.toml", "--output-format", "json")
    assert (rules(ran), ran.code) == ({}, 0)
    (folder / "advisor.toml").write_text('rules = ["our-rules"]\n')
    ran = advisor("lint", "../fstab", "--config", "../advisor.toml")
    assert ran.code == 2
    assert "../our-rules: folder not found" in ran.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('selct = ["x"]', ["advisor.toml", "unknown key 'selct'", "did you mean select?"]),
        ("colour = true", ["unknown key 'colour'", "the keys are facts, select"]),
        ('ignore = "timeo-too-short"', ["ignore: a list of texts"]),
        ("ignore = [1]", ["ignore: a list of texts"]),
        ('ignore = ["timeo-to-short"]', ["ignore", "did you mean timeo-too-short"]),
        ('min_severity = "eror"', ["min_severity", "did you mean error?"]),
        ("min_severity = 3", ["min_severity: 3 is none of note, warning, error"]),
        ("pedantic = 'yes'", ["pedantic: true or false"]),
        ("severity = ['x']", ["severity: a table"]),
        ("[severity]\nunknown-option = 'on'", ["severity: unknown-option", "'on' is none of"]),
        ("[severity]\nunknown-opton = 'off'", ["did you mean unknown-option"]),
        ("facts = 1", ["facts: a table"]),
        ('[facts]\n"client.kernal" = "6.1"', ["advisor.toml: unknown fact 'client.kernal'", "client.kernel"]),
        ('[facts]\n"client.kernel" = 6.1', ["quote the version"]),
        ('[facts]\n"storage.platform" = "azure-fils"', ["azure-files"]),
        ("rules = x", ["not valid TOML", "line 1"]),
        ("rules = 'x'", ["rules: a list"]),
        ("baseline = 1", ["baseline: the name of a file"]),
        ("[path]\nmatch = 'x'", ["[[path]] in double brackets"]),
        ("[[path]]\nignore = []", ["path 1: match is missing"]),
        ("[[path]]\nmatch = 'x'\n[[path]]\nmatch = 'y'\nfacs = {}", ["path 2: unknown key 'facs'", "mean facts?"]),
        ("[[path]]\nmatch = 'x'\nrules = ['y']", ["'rules' applies to all files"]),
        ("[[path]]\nmatch = 'x'\nignore = ['no-such-rule-at-all']", ["path 1: ignore"]),
    ],
)
def test_mistakes_are_refused_with_file_key_and_hint(advisor, site, text, words):
    site(text)
    ran = lint(advisor)
    assert (ran.code, ran.out) == (2, "")
    for word in words:
        assert word in ran.err
    assert "Traceback" not in ran.err


def test_a_file_that_cannot_be_read(advisor, site):
    for name, words in (("no.toml", "file not found"), (".", "is a folder")):
        ran = lint(advisor, "--config", name)
        assert ran.code == 2
        assert words in ran.err
    (site("").joinpath("advisor.toml")).write_bytes(b"ignore = ['\xff']")
    assert "not UTF-8" in lint(advisor).err
    assert "give only one of them" in lint(advisor, "--config", "advisor.toml", "--no-config").err


def test_the_published_schema_is_made_from_the_keys():
    published = (ROOT / "docs/schema/advisor-config-1.json").read_text()
    assert published == config_schema.text(), "run python tools/config_schema.py > docs/schema/advisor-config-1.json"


def test_the_documentation_has_every_key_and_its_examples_are_right(tmp_path):
    page = (ROOT / "docs/configuration.md").read_text()
    shown = set()
    for block in page.split("```toml\n")[1:]:
        example = tmp_path / "advisor.toml"
        example.write_text(block.partition("```")[0])
        shown |= find(str(example), False).data.keys()
    assert shown >= {"facts", "severity", "path", "ignore", "baseline", "rules"}
    for key in config.KEYS:
        assert f"| `{key}` |" in page


def test_the_first_example_of_the_documentation_is_usable(advisor, site):
    page = (ROOT / "docs/configuration.md").read_text()
    site(page.partition("```toml\n")[2].partition("```")[0])
    assert set(rules(lint(advisor))) == {"timeo-too-short", "no-nofail-policy"}


def accepts(schema, value):
    """Whether a value is right by the few words of JSON Schema that the published one uses."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    wanted = schema.get("type")
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted is not None and not any(isinstance(value, kinds[kind]) for kind in wanted):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return False
    if isinstance(value, list):
        return all(accepts(schema.get("items", {}), item) for item in value)
    if not isinstance(value, dict):
        return True
    if not set(schema.get("required", ())) <= value.keys():
        return False
    known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    parts = [(known.get(key, others), inner) for key, inner in value.items()]
    return all(part is not False and accepts(part, inner) for part, inner in parts)


SAMPLES = [
    {},
    {"select": ["a"]},
    {"select": "a"},
    {"x": 1},
    {"severity": {"a": "off"}},
    {"severity": {"a": "loud"}},
    {"min_severity": "note"},
    {"min_severity": "off"},
    {"pedantic": True},
    {"pedantic": 1},
    {"path": [{"match": "x"}]},
    {"path": [{}]},
    {"path": {"match": "x"}},
    {"path": [{"match": "x", "rules": ["y"]}]},
    {"path": [{"match": "x", "severity": {"a": "note"}}]},
    {"baseline": ""},
    {"facts": {"client": {"kernel": "6.1"}}},
    {"facts": []},
]


@pytest.mark.parametrize("data", SAMPLES)
def test_schema_and_program_agree(data):
    try:
        config.check("advisor.toml", data)
        right = True
    except ConfigError:
        right = False
    assert accepts(config_schema.schema(), data) is right


# Which file it is


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with a configuration in its root; the command runs in a folder inside."""
    inside = tmp_path / "repository" / "hosts" / "one"
    inside.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (tmp_path / "advisor.toml").write_text("pedantic = true")  # outside of it
    (inside / "fstab").write_text(TEXT)
    monkeypatch.chdir(inside)
    return tmp_path / "repository"


def test_it_is_looked_for_up_to_the_root_of_the_repository(advisor, repository):
    ran = lint(advisor)
    assert len(rules(ran)) == 2
    assert (ran.err, json.loads(ran.out)["summary"]["config"]) == ("", None), "what lies outside is not read"
    (repository / "advisor.toml").write_text('ignore = ["timeo-too-short"]')
    ran = lint(advisor)
    assert set(rules(ran)) == {"option-ignored"}
    assert ran.err == "advisor: settings from ../../advisor.toml\n"
    assert json.loads(ran.out)["summary"]["config"] == "../../advisor.toml"
    (repository / "hosts" / "advisor.toml").write_text("")
    assert len(rules(lint(advisor))) == 2, "the nearest one counts alone"


def test_outside_of_a_repository_only_this_folder_counts(advisor, tmp_path, monkeypatch):
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "fstab").write_text(TEXT)
    (tmp_path / "advisor.toml").write_text('ignore = ["*"]')
    monkeypatch.chdir(tmp_path / "inside")
    assert len(rules(lint(advisor))) == 2


def test_patterns_and_files_are_relative_to_it(advisor, repository):
    (repository / "advisor.toml").write_text('[[path]]\nmatch = "hosts/*"\nignore = ["timeo-too-short"]\n')
    assert set(rules(lint(advisor))) == {"option-ignored"}
    (repository / "accepted.json").write_text('{"schema": "advisor-baseline/1", "findings": []}')
    (repository / "advisor.toml").write_text('baseline = "accepted.json"')
    assert len(rules(lint(advisor))) == 2


def test_a_file_that_was_named_is_not_told(advisor, site, tmp_path):
    site("")
    assert lint(advisor, "--config", "advisor.toml").err == ""
    assert lint(advisor, "--no-config").err == ""
    assert lint(advisor).err == "advisor: settings from advisor.toml\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is that careful")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: os.chown(file, 12345, 0), "belongs to user 12345"),
        (lambda file: file.chmod(0o664), "is writable by users other"),
        (lambda file: file.chmod(0o646), "is writable by users other"),
    ],
)
def test_root_heeds_no_file_of_somebody_else_unasked(advisor, site, tmp_path, change, words):
    site('ignore = ["*"]')
    change(tmp_path / "advisor.toml")
    ran = lint(advisor)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert "--config" in ran.err
    assert rules(lint(advisor, "--config", "advisor.toml")) == {}
    assert len(rules(lint(advisor, "--no-config"))) == 2


def test_another_user_heeds_it(advisor, site, tmp_path, monkeypatch):
    site('ignore = ["*"]')
    (tmp_path / "advisor.toml").chmod(0o666)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert rules(lint(advisor)) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"), ("fail_on = " + "9" * 5000, "not valid TOML"),
        ("#" * (1 << 18) + "#", "is larger than 256 KiB"), ("\x00", "not valid TOML"),
    ],
)
def test_what_would_never_end_is_refused(advisor, site, text, words):
    site(text)
    ran = lint(advisor)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_a_pipe_of_its_name_is_not_read(advisor, site, tmp_path):
    os.mkfifo(tmp_path / "advisor.toml")
    assert len(rules(lint(advisor))) == 2
    assert "is a pipe" in lint(advisor, "--config", "advisor.toml").err
