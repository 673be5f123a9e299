"""What is known of some mounts only."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.lint.run import lint_text
from advisor.sections import Matcher, Mount, Section, SectionError, facts_of_mount
from tests.advice.environments import base
from tests.tiers import thorough

LINES = {
    "/hana/data/HDB": "10.0.0.4:/data /hana/data/HDB nfs vers=4.1,hard,nconnect=4 0 0",
    "/hana/log/HDB": "10.0.0.5:/log /hana/log/HDB nfs vers=4.1,hard,nconnect=4 0 0",
    "/home": "nas7.example:/home /home nfs vers=3,hard,nolock 0 0",
    "/srv/eda": "nas8.example:/eda /srv/eda nfs vers=3,hard,actimeo=1 0 0",
}


def section(facts: dict[str, Any], place: str = "site.toml:1:1", **names: str) -> Section:
    return Section(place, names, facts, {})


ANF = section({"storage.platform": "anf", "workload.kind": "sap-hana"}, server="10.0.0.*")
LOG = section({"workload.hana_volume": "log"}, "site.toml:5:1", target="/hana/log/*")
HOME = section({"workload.kind": "home"}, "site.toml:9:1", export="/home", server="nas?.example")
EDA = section({"workload.kind": "eda", "workload.static_data": True}, "site.toml:13:1", target="/srv/*")
SECTIONS = (ANF, LOG, HOME, EDA)


def found(lines: tuple[str, ...], sections: tuple[Section, ...] = (), **known: Any) -> dict[str, list[tuple[str, ...]]]:
    """Mount point → its findings, without their lines."""
    result = lint_text("".join(f"{LINES[one]}\n" for one in lines), "fstab", base(), known, sections=sections)
    told: dict[str, list[tuple[str, ...]]] = {one: [] for one in lines}
    for finding in result.findings:
        told[lines[finding.line - 1]].append((finding.rule, finding.severity, finding.message))
    return told


def rules(told: dict[str, list[tuple[str, ...]]], target: str) -> set[str]:
    return {row[0] for row in told[target]}


def test_each_line_is_judged_by_what_is_known_of_its_mount() -> None:
    told = found(tuple(LINES), SECTIONS)
    assert "nconnect/hana-log" in rules(told, "/hana/log/HDB")
    assert "nconnect/hana-log" not in rules(told, "/hana/data/HDB")
    assert not any("hana" in rule for rule in rules(told, "/home") | rules(told, "/srv/eda"))


@thorough
@given(st.permutations(sorted(LINES)), st.integers(1, 4), st.permutations(SECTIONS), st.integers(0, 4))
def test_a_section_is_as_good_as_saying_it_of_the_line_alone(
    every: list[str], some: int, ordered: list[Section], few: int
) -> None:
    """The other lines, the other sections and their order make no difference."""
    lines, sections = every[:some], ordered[:few]
    told = found(tuple(lines), tuple(sections))
    for line in lines:
        server, _, rest = LINES[line].partition(":")
        mount = Mount(server, rest.split()[0], line)
        fitting = [sections[number] for number in Matcher(sections).fitting(mount)]
        alone: dict[str, Any] = {}
        for one in fitting:
            alone |= one.facts
        assert told[line] == found((line,), **alone)[line]


@pytest.mark.parametrize(("names", "mount", "fit"), [
    ({"server": "NAS*"}, Mount("nas7.example.", "/a", "/a"), True),
    ({"server": "[FE80::*]"}, Mount("fe80::1", "/a", "/a"), True),
    ({"target": "/hana/log/*"}, Mount("n", "/a", "/hana/log/HDB/mnt1/"), True),
    ({"target": "/hana/log/*"}, Mount("n", "/a", "/hana/log"), False),
    ({"target": "/hana/log/"}, Mount("n", "/a", "/hana/log"), True),
    ({"target": "/"}, Mount("n", "/a", "/"), True),
    ({"target": "/A"}, Mount("n", "/a", "/a"), False),
    ({"server": "n", "export": "/b"}, Mount("n", "/a", "/a"), False),
    ({"export": "*"}, Mount("n", "", "/a"), True),
])
def test_names(names: dict[str, str], mount: Mount, *, fit: bool) -> None:
    assert bool(Matcher([Section("", names, {}, {})]).fitting(mount)) is fit


def test_what_is_said_twice_is_narrowed() -> None:
    both = (section({"client.count": ">=8"}, server="*"), section({"client.count": 32}, target="*"),
            section({"workload.kind": ["eda", "home"]}, target="*"), section({"workload.kind": "eda"}, target="*"))
    for order in (both, both[::-1]):
        assert facts_of_mount(base(), {}, order, Mount("n", "/a", "/a")) == {"client.count": 32, "workload.kind": "eda"}


def test_what_does_not_matter_to_a_mount_contradicts_nothing() -> None:
    wide = {"storage.platform": "aws-efs", "client.count": 8}
    sections = [section({"storage.volume_protocol": "3"}, "f:4:1", target="*")]
    assert facts_of_mount(base(), wide, sections, Mount("n", "/a", "/a")) == {**wide, "storage.volume_protocol": "n/a"}


@pytest.mark.parametrize(("wide", "sections", "told"), [
    ({},
     [section({"workload.kind": "eda"}, "f:1:1", server="*"), section({"workload.kind": "home"}, "f:4:1", target="*")],
     ("f:4:1: workload.kind is home for /a (fstab:3), and eda by f:1:1", "narrow")),
    ({"workload.kind": "eda"}, [section({"workload.kind": "home"}, "f:4:1", target="*")],
     ("f:4:1: workload.kind is home for /a (fstab:3), and eda for all mounts",)),
    ({}, [section({"client.count": 8}, "f:1:1", server="*"), section({"client.count": 9}, "f:4:1", target="*")],
     ("f:4:1: client.count is 9", "8 by f:1:1")),
    ({"host.role": "nfs-server"}, [section({"storage.platform": "aws-efs"}, "f:4:1", target="*")],
     ("f:4:1: what is said of /a (fstab:3) contradicts itself", "host.role is nfs-server (of all mounts)",
      "storage.platform is aws-efs (f:4:1)")),
])
def test_contradictions_are_told_and_never_resolved(wide: dict[str, Any], sections: list[Section], told: Any) -> None:
    with pytest.raises(SectionError) as caught:
        facts_of_mount(base(), wide, sections, Mount("n", "/a", "/a", "fstab:3"))
    for part in told:
        assert part in str(caught.value)


def test_one_server_is_one_thing() -> None:
    text = "nas:/a /a nfs hard 0 0\nNAS.:/b /b nfs hard 0 0\n"
    sections = [section({"storage.platform": "ontap"}, "f:1:1", target="/a"),
                section({"storage.platform": "knfsd"}, "f:4:1", target="/b")]
    with pytest.raises(SectionError, match=r"f:4:1: storage.platform is knfsd for /b \(fstab:2\), and ontap by f:1:1"):
        lint_text(text, "fstab", base(), {}, sections=sections)
    assert lint_text(text.replace("NAS.", "nas2"), "fstab", base(), {}, sections=sections).nfs_lines == 2


EFS = "fs-0123abcd.efs.eu-west-1.amazonaws.com:/ /efs nfs vers=4.1,hard,nconnect=4 0 0\n"


def test_a_name_goes_behind_what_was_said_and_that_is_told() -> None:
    said = [section({"storage.platform": "knfsd"}, "f:1:1", server="fs-*")]
    assert "nconnect/aws-efs" in {f.rule for f in lint_text(EFS, "fstab", base(), {}).findings}
    told = {f.rule: f for f in lint_text(EFS, "fstab", base(), {}, sections=said).findings}
    assert "nconnect/aws-efs" not in told
    assert told["said-otherwise"].message == (
        "the server's name is that of Amazon EFS, but storage.platform=knfsd is given (f:1:1)"
    )
    assert told["said-otherwise"].severity == "note"


def test_a_name_goes_behind_what_follows_from_what_was_said() -> None:
    told = {f.rule: f for f in lint_text(EFS, "fstab", base(), {"storage.volume_protocol": "4.1"}).findings}
    assert "nconnect/aws-efs" not in told
    assert "rule that out" in told["said-otherwise"].message


def test_a_line_that_says_otherwise_is_told_and_judged_by_what_it_says() -> None:
    result = lint_text("nas:/a /a nfs vers=3,hard,nolock 0 0\n", "fstab", base(), {"mount.vers": "4.1"})
    told = {f.rule: f for f in result.findings}
    assert told["said-otherwise"].message == "the line says vers=3, but mount.vers=4.1 is given"
    assert (told["said-otherwise"].severity, told["said-otherwise"].column) == ("warning", 15)
    assert "local-locks" in told, "nolock does something with vers=3, whatever was given"


def test_lint_assumes_nothing_of_a_mount() -> None:
    line = "nas:/a /a nfs hard 0 0\n"
    known = {"workload.kind": "home"}
    assert lint_text(line, "fstab", base(), {}, sections=[section(known, target="/a")]).open == \
        lint_text(line, "fstab", base(), known).open
