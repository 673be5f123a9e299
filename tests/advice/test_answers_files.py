"""Faults in an answers file: each is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice.answers import Answers
from advisor.advice.answers_file import AnswersFileError, parse_answers, read_answers, same_server
from tests.advice.environments import base
from tests.each import each

GOOD = """schema: advisor-answers/1
facts:
  storage.platform: anf
  client.kernel: "5.10"
pins: {mount.vers: "4.1"}
names: {export: /vol1}
unknown: [client.count]
"""


def test_a_file_without_faults() -> None:
    told = parse_answers(base(), GOOD, "a.yaml")
    assert told.facts == {"storage.platform": "anf", "client.kernel": "5.10"}
    assert told.pins == {"mount.vers": "4.1"}
    assert told.unknown == {"client.count"}
    assert told.name("export") == "/vol1"
    assert told.name("server") == "nfs-server.example"


@each(lambda: [
    ('"5.10"', "5.10", "a.yaml:4:3: client.kernel: quote the version"),
    ("anf", "amf", "a.yaml:3:3: "),
    ("storage.platform", "storage.platfrom", "did you mean storage.platform"),
    ('"4.1"', '"9"', "a.yaml:5:8: mount.vers is '9'; it is one of"),
    ("mount.vers", "mount.version", "a.yaml:5:8: unknown setting 'mount.version'"),
    ("/vol1", "vol1", "a.yaml:6:9: export is 'vol1'; write an absolute path"),
    ("export", "exprot", "a.yaml:6:9: unknown name 'exprot'"),
    ("client.count", "client.cuont", "a.yaml:7:11: unknown fact 'client.cuont'"),
    ("unknown:", "unkown:", "a.yaml:7:1: unknown key 'unkown'"),
    ("advisor-answers/1", "advisor-answers/9", "a.yaml:1:1: the file has schema 'advisor-answers/9'"),
    ("facts:", "facts: [", "not valid YAML"),
])
def test_faults_are_named_with_their_place(old: str, new: str, told: str) -> None:
    with pytest.raises(AnswersFileError) as error:
        parse_answers(base(), GOOD.replace(old, new, 1), "a.yaml")
    assert told in str(error.value)


@pytest.mark.parametrize("text", ["", "- a\n", "7\n", "facts: 3\nschema: advisor-answers/1\n", "a: &x [*x]\n"])
def test_other_yaml_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(AnswersFileError, match=r"a\.yaml"):
        parse_answers(base(), text, "a.yaml")


def test_contradictions_are_told() -> None:
    text = GOOD.replace("client.kernel: \"5.10\"", "workload.static_data: yes\n  workload.shared_writes: yes")
    with pytest.raises(AnswersFileError, match=r"so one of them is not so: .*workload\.static_data"):
        parse_answers(base(), text, "a.yaml")


def test_of_contradictions_only_what_was_answered_is_told() -> None:
    """The release tells the kernel's stream here, which is not an answer."""
    facts = 'client.kernel: "5.14.0-362.el9"\n  client.release: "8.6"\n  client.has_readahead_15x: yes'
    with pytest.raises(AnswersFileError, match=r"is not so: client\.kernel: [^,]*, client\.has_readahead_15x: True$"):
        parse_answers(base(), GOOD.replace("client.kernel: \"5.10\"", facts), "a.yaml")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name, words in (("none", "file not found"), ("", "is a folder"), ("binary", "not UTF-8")):
        with pytest.raises(AnswersFileError, match=words):
            read_answers(base(), str(tmp_path / name))


@pytest.mark.parametrize(("one", "other", "same"), [
    ("nas", "nas", True), ("NAS.example.org", "nas.example.org", True), ("nas", "nas2", False), ("", "", False),
    ("nas", "", False),
])
def test_the_same_server_is_one_that_both_name(one: str, other: str, same: bool) -> None:
    first, second = (Answers(names={"server": name} if name else {}) for name in (one, other))
    assert same_server(first, second) is same
