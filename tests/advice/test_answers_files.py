"""Faults in an answers file: each is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice.answers import Answers
from advisor.advice.answers_file import (
    MAX_SECTIONS,
    AnswersFileError,
    infer_signs,
    joined_answers,
    overruled_observations,
    parse_answers,
    read_answers,
    same_server,
    sections,
)
from advisor.sections import Section, SectionError
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


MOUNT = {"server": "nas", "export": "/a", "target": "/b"}
KIND = "workload.kind"


def section(**written: object) -> Section:
    told = {name.replace("__", "."): value for name, value in written.items()}
    (made,) = sections(base(), [told], lambda number, key: f"{number}:{key}")
    return made


def test_what_a_section_says() -> None:
    made = section(server="nas*", workload__kind="home", found__workload__kind="seen", until="2026-12-31")
    assert (made.names, made.facts, made.found, made.until) == (
        {"server": "nas*"}, {KIND: "home"}, {KIND: "seen"}, "2026-12-31")
    assert section(**MOUNT).concrete
    assert not section(server="nas", workload__kind="home").concrete


@each(lambda: [
    ("text", "0:: a section is a mapping"), ({"workload.kind": "home"}, "0:: a section without server"),
    ({"server": "nas*"}, "0:: a section needs a fact"), ({"server": 5}, "0:server: server is 5: write a pattern"),
    ({"server": ""}, "0:server: server is '': write a pattern"),
    ({"export": "vol", "workload.kind": "home"}, "0:export: export is 'vol'; a path begins with / or *"),
    ({"serve": "nas"}, "0:serve: unknown key 'serve'; did you mean server?"),
    ({"server": "nas", "workload.kind": "hme"}, "0:workload.kind: "),
    ({"server": "nas", "client.kernel": "6.1"}, "0:client.kernel: client.kernel is a fact of the host"),
    ({"server": "nas", "until": "soon"}, "0:until: "), ({"server": "nas", "observed.none": 1}, "0:observed.none: "),
    ({**MOUNT, "target": "/b\x00"}, "0:target: "),
])
def test_a_section_that_is_wrong_names_its_key(written: object, said: str) -> None:
    with pytest.raises(SectionError) as refused:
        sections(base(), [written], lambda number, key: f"{number}:{key}")
    assert str(refused.value).startswith(said)


def test_so_many_sections_and_not_one_more() -> None:
    def refused(count: int) -> str:
        try:
            sections(base(), [MOUNT] * count, lambda number, _: f"at {number}")
        except SectionError as error:
            return str(error).partition(":")[0]
        return ""

    assert (refused(MAX_SECTIONS), refused(MAX_SECTIONS + 1)) == ("", f"at {MAX_SECTIONS}")
    with pytest.raises(SectionError, match="mounts is a list of sections"):
        sections(base(), MOUNT, lambda *_: "x")


def test_answers_for_mounts_become_sections_again() -> None:
    one = Answers({"client.kernel": "6.1", KIND: "home", "storage.platform": "aws-efs"}, frozenset({"a", "b"}),
                  {"mount.hard": True}, {"server": "fs-1.efs.eu-west-1.amazonaws.com", "export": "/", "target": "/a"},
                  {"client.kernel": "seen", KIND: "told"})
    sign = infer_signs(base(), one.names, {})["storage.platform"]
    one = one._replace(origin={**one.origin, "storage.platform": sign.where})
    facts = {**one.facts, KIND: "hpc"}
    other = one._replace(facts=facts, unknown=frozenset({"b"}), names={**one.names, "target": "/b"})
    both = joined_answers(base(), [one, other])
    assert (both.facts, both.unknown, both.pins) == ({"client.kernel": "6.1"}, {"b"}, {"mount.hard": True})
    assert both.origin == {"client.kernel": "seen"}
    assert [(made.names["target"], made.facts, made.found) for made in both.mounts] == [
        ("/a", {KIND: "home"}, {KIND: "told"}), ("/b", {KIND: "hpc"}, {KIND: "told"})]
    differing = joined_answers(base(), [one, other._replace(facts={**other.facts, "client.kernel": "5.4"})])
    assert "client.kernel" not in differing.facts


def test_what_a_name_shows_counts_unless_it_is_known_or_contradicts() -> None:
    names = {"server": "fs-1.efs.eu-west-1.amazonaws.com", "target": "/a"}
    assert infer_signs(base(), names, {})["storage.platform"].value == "aws-efs"
    assert "storage.platform" not in infer_signs(base(), names, {"storage.platform": "ontap"})
    assert "storage.platform" not in infer_signs(base(), names, {"storage.tier": "enterprise"}), "no tier of EFS"
    assert infer_signs(base(), {"server": "nas"}, {}) == {}


def test_an_observation_that_what_is_known_contradicts_is_named_once() -> None:
    seen = Section("f:1", {"server": "nas"}, {KIND: "home"}, {KIND: "f:2"}, found={KIND: "counted"})
    said = seen._replace(found={})
    mount = Answers({KIND: "hpc"}, names=MOUNT)

    def overruled(section: Section, *mounts: Answers) -> object:
        return overruled_observations(base(), Answers(mounts=(section,)), mounts)

    assert overruled(seen, mount, mount) == [("f:2", KIND, "home", "hpc")]
    assert overruled(said, mount) == overruled(seen, mount._replace(facts={KIND: ["home", "hpc"]})) == []
    assert overruled(seen, mount._replace(names={**MOUNT, "server": "other"})) == []
