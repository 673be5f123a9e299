"""Sections for some mounts, in the configuration and in files of facts, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FSTAB = """\
10.0.0.4:/data  /hana/data/HDB  nfs  vers=4.1,hard,nconnect=4  0 0
10.0.0.5:/log   /hana/log/HDB   nfs  vers=4.1,hard,nconnect=4  0 0
"""
TOML = """\
[facts]
"client.kernel" = "6.1"

[[mounts]]
server = "10.0.0.*"
storage.platform = "anf"
workload.kind = "sap-hana"

[[mounts]]  # the log
target = "/hana/log/*"
"workload.hana_volume" = "log"
"""
YAML = """\
client.kernel: "6.1"
mounts:
  - server: 10.0.0.*
    storage.platform: anf
    workload: {kind: sap-hana}
  - target: /hana/log/*
    workload.hana_volume: log
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fstab").write_text(FSTAB)
    return tmp_path


def rules(ran) -> set[tuple[str, int]]:
    return {(one["rule"], one["line"]) for one in json.loads(ran.out)["findings"]}


def lint(advisor, *args: str):
    return advisor("lint", "fstab", "--output-format", "json", *args)


def test_configuration_and_facts_say_the_same(advisor, folder: Path) -> None:
    (folder / "advisor.toml").write_text(TOML)
    configured = rules(lint(advisor))
    assert ("nconnect/hana-log", 2) in configured
    assert ("nconnect/hana-log", 1) not in configured
    (folder / "facts.yaml").write_text(YAML)
    assert rules(lint(advisor, "--no-config", "--facts", "facts.yaml")) == configured
    facts = {"client.kernel": "6.1", "mounts": [
        {"server": "10.0.0.*", "storage.platform": "anf", "workload.kind": "sap-hana"},
        {"target": "/hana/log/*", "workload.hana_volume": "log"},
    ]}
    (folder / "facts.json").write_text(json.dumps(facts))
    assert rules(lint(advisor, "--no-config", "--facts", "facts.json")) == configured


def test_verbose_says_which_section(advisor, folder: Path) -> None:
    (folder / "advisor.toml").write_text(TOML)
    out = " ".join(advisor("lint", "fstab", "--verbose").out.split())
    assert "workload.hana_volume is log (given at advisor.toml:11:1)" in out
    assert "storage.platform is anf (given at advisor.toml:6:1)" in out


def test_a_section_that_fits_nothing_is_told(advisor, folder: Path) -> None:
    (folder / "advisor.toml").write_text(TOML + '\n[[mounts]]\ntarget = "/hanna/*"\nworkload.kind = "sap-hana"\n')
    ran = lint(advisor)
    assert "advisor.toml:13:1: no mount matches target = /hanna/*" in ran.err
    assert "advisor.toml:4:1" not in ran.err


@pytest.mark.parametrize(("written", "said"), [
    ('target = "/a"\n  client.kernel = "6.1"', "advisor.toml:3:3: client.kernel is a fact of the host"),
    ('target = "/a"\nworkload.knid = "eda"', "advisor.toml:3:1: unknown fact 'workload.knid'; did you mean"),
    ('target = "/a"\nworkload.kind = "edda"', "advisor.toml:3:1: "),
    ('target = "/a"\nserver.kernel = 5.1', 'advisor.toml:3:1: server.kernel: quote the version ("5.1")'),
    ('traget = "/a"\nworkload.kind = "eda"', "advisor.toml:2:1: unknown key 'traget'; did you mean target?"),
    ('workload.kind = "eda"', "advisor.toml:1:1: a section without server, export or target"),
    ('target = "/a"', "advisor.toml:1:1: a section needs a fact"),
    ('target = "a/*"\nworkload.kind = "eda"', "advisor.toml:2:1: target is 'a/*'"),
    ('server = 10\nworkload.kind = "eda"', 'advisor.toml:2:1: server is 10: write a pattern in quotes, such as "nas*"'),
    ('server = "a"\nserver.nlm = true', 'write facts of the server in quotes: "server.nlm" = true'),
    ('[mounts.workload]\nkind = "edda"\n[[mounts]]\ntarget="/b"', "advisor.toml:3:1: "),
])
def test_mistakes_are_told_with_their_place(advisor, folder: Path, written: str, said: str) -> None:
    (folder / "advisor.toml").write_text(f"[[mounts]]\n{written}\n")
    ran = lint(advisor)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_mistakes_in_yaml(advisor, folder: Path) -> None:
    for text, said in (
        ("mounts:\n- target: /a\n  workload.kind: edda\n", "facts.yaml:3:3: "),
        ("mounts:\n- target: /a\n  workload:\n    knid: eda\n", "facts.yaml:4:5: unknown fact 'workload.knid'"),
        ("mounts: {target: /a}\n", "facts.yaml:1:1: mounts is a list"),
        ("mounts:\n- 5\n", "facts.yaml:2:3: a section is a mapping"),
    ):
        (folder / "facts.yaml").write_text(text)
        ran = lint(advisor, "--facts", "facts.yaml")
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err, ran.err


def test_a_contradiction_names_both_places_and_the_line(advisor, folder: Path) -> None:
    (folder / "advisor.toml").write_text(TOML + '\n[[mounts]]\nserver = "10.0.0.5"\nworkload.kind = "home"\n')
    ran = lint(advisor)
    assert ran.code == 2
    assert "advisor.toml:15:1: workload.kind is home for /hana/log/HDB (fstab:2)" in ran.err
    assert "and sap-hana by advisor.toml:7:1" in ran.err
