"""What the names of a mount give away."""

from __future__ import annotations

from advisor.advice.answers_file import infer_signs
from tests.advice.environments import base
from tests.each import each

EFS = "fs-0123abcd.efs.eu-west-1.amazonaws.com"


@each(lambda: [
    ({"server": EFS}, {"storage.platform": "aws-efs"}),
    ({"server": f"{EFS}.".upper()}, {"storage.platform": "aws-efs"}),
    ({"target": "/hana/data/HDB/mnt00001"}, {"workload.kind": "sap-hana", "workload.hana_volume": "data"}),
    ({"target": "/home/"}, {"workload.kind": "home"}),
    ({"target": "/sapmnt/PRD"}, {"workload.kind": "general"}),
    ({"target": "/usr/sap/trans"}, {"workload.kind": "general"}),
    ({"target": "/usr/sap/HN1"}, {"workload.kind": "sap-hana", "workload.hana_volume": "usr-sap"}),
    ({"target": "/homework", "server": "efs.example"}, {}),
    ({}, {}),
])
def test_a_name_tells(names: dict[str, str], told: dict[str, str]) -> None:
    assert {fact: one.value for fact, one in infer_signs(base(), names, {}).items()} == told


def test_what_was_said_goes_before_a_name() -> None:
    names = {"server": EFS, "target": "/hana/log"}
    found = infer_signs(base(), names, {"storage.platform": "knfsd", "workload.kind": "general"})
    assert found == {}, "a HANA volume contradicts what was said of the work"


def test_the_name_is_told() -> None:
    log = infer_signs(base(), {"target": "/hana/log"}, {})["workload.hana_volume"]
    assert log.where == "the mount point is in /hana/log"
    home = infer_signs(base(), {"target": "/home/a"}, {})["workload.kind"]
    assert home.where == "a guess: the mount point is in /home"
