"""Names of values: every one means one value, and a slip is never taken for another product."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.typed import fact_value
from advisor.cli.common import CannotRun, answers, facts_from
from advisor.rulebase.base import load
from advisor.session import parse
from advisor.words import NoChoiceError, chosen, names, plain

BASE = load()
NAMES = [
    (fact, value, name)
    for fact, told in BASE.facts.items()
    for value, label in (told.get("values") or {}).items()
    for name in (value, label, *(told.get("aliases") or {}).get(value, ()))
]


@pytest.mark.parametrize("spelt", [str, str.upper, str.lower, str.title, lambda name: name.replace(" ", "-")])
def test_every_name_means_its_value_everywhere(spelt: Any) -> None:
    for fact, value, name in NAMES:
        if plain(spelt(name)) != plain(name):
            continue  # "ß".upper(): another name
        assert fact_value(BASE, fact, spelt(name)) == value, (fact, name)
        assert parse(BASE, fact, spelt(name)).value == value, (fact, name)


def test_no_name_is_shared() -> None:
    owners: dict[tuple[str, str], set[str]] = {}
    for fact, value, name in NAMES:
        owners.setdefault((fact, plain(name)), set()).add(value)
    assert {key: found for key, found in owners.items() if len(found) > 1} == {}
    assert sum(len(names(told)) for told in BASE.facts.values()) == len(owners)


@pytest.mark.parametrize(("fact", "name", "value"), [
    ("storage.platform", "ANF", "anf"), ("storage.platform", "isilon", "powerscale"),
    ("storage.platform", "EFS", "aws-efs"), ("storage.platform", "FSx ONTAP", "aws-fsx-ontap"),
    ("client.distro", "rocky", "rhel"), ("client.distro", "CentOS Stream", "rhel"), ("mount.vers", "NFSv4.1", "4.1"),
    ("storage.platform", "ANF, isilon", ["anf", "powerscale"]), ("mount.vers", 3, "3"),
])
def test_names_that_people_use(fact: str, name: Any, value: Any) -> None:
    assert answers(BASE, [f"{fact}={name}"], None)[fact] == value
    assert facts_from(BASE, {fact: name}, "a file")[fact] == value


@pytest.mark.parametrize("word", [
    "cfs", "zfs", "ecs", "gfs", "afs", "nas", "s3", "lustre", "fsx-lustre", "flasharray", "powermax", "glusterfs",
    "moosefs", "beegfs", "minio", "panasas", "egnyte", "nasuni", "ctera", "quobyte", "smb", "cifs",
])
def test_another_product_is_never_suggested(word: str) -> None:
    for platform in ("storage.platform", "workload.kind"):
        with pytest.raises(NoChoiceError) as refused:
            chosen(BASE.facts[platform], word)
        assert "did you mean" not in str(refused.value)


@pytest.mark.parametrize(("word", "meant"), [
    ("isilno", "did you mean powerscale"), ("amf", "did you mean anf (Azure NetApp Files)?"),
    ("azure-flies", "did you mean azure-files"),
    ("syonlogy", "did you mean synology (Synology DSM)?"), ("netapp", "ontap or anf or aws-fsx-ontap"),
    ("Dell", "powerscale or dell-powerstore or dell-unity?"), ("azure", "anf or azure-files or azure-blob"),
])
def test_a_slip_and_a_makers_name_are_asked_back(word: str, meant: str) -> None:
    with pytest.raises(CannotRun) as refused:
        answers(BASE, [f"storage.platform={word}"], None)
    assert meant in str(refused.value)


def test_an_empty_list_says_nothing() -> None:
    for empty in ([], ",", ""):
        with pytest.raises(CannotRun):
            facts_from(BASE, {"storage.platform": empty}, "a file")
