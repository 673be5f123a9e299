"""Platforms by the names that people use: the version and what the vendor asks for, or that nothing was found."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, fact_value
from advisor.advice.rows import option_list
from advisor.cli import main
from tests.advice.environments import base
from tests.each import each

KNOWN = {"workload.kind": "general", "client.kernel": "6.1"}


@each(lambda: [
    ("WEKA", {}, {"vers=4.1", "sec=sys", "hard"}),
    ("WEKA", {"mount.vers": "3"}, {"vers=3", "nolock", "sec=sys"}),
    ("IBM File Storage for VPC", {}, {"vers=4.1", "sec=sys", "_netdev"}),
    ("IBM Cloud File Storage for Classic", {}, {"vers=3", "sec=sys"}),
    ("Alibaba Cloud NAS", {"workload.shared_writes": False}, {"vers=3", "nolock", "noresvport"}),
    ("Alibaba Cloud NAS", {"workload.shared_writes": True}, {"vers=4.0", "noresvport"}),
    ("Alibaba Cloud NAS", {"workload.shared_writes": True, "mount.vers": "3"}, {"vers=3", "lock"}),
    ("CephFS", {}, {"vers=4.1"}),
    ("InfiniBox", {}, {"vers=3"}),
    ("Hammerspace", {}, {"vers=4.2"}),
    ("S3 File Gateway", {"mount.vers": "3"}, {"nolock"}),
])
def test_what_the_vendor_asks_for(platform: str, more: dict[str, Any], options: set[str]) -> None:
    facts = {**KNOWN, "storage.platform": fact_value(base(), "storage.platform", platform), **more}
    assert options <= set(option_list(advise(base(), Answers(facts))).split(","))


def test_locks_are_not_left_to_one_client_unasked() -> None:
    """Whoever has not said whether clients share files gets no NFSv3 with nolock on Alibaba's NAS."""
    told = advise(base(), Answers({**KNOWN, "storage.platform": "alibaba-nas"}))
    assert "mount.vers" in {one.tunable for one in told.open if one.strength == "must"}
    assert "nolock" not in option_list(told)
    assert "workload.shared_writes" in {ask.fact for ask in told.questions if ask.matters}


@pytest.mark.parametrize("platform", ["gcp-filestore", "oci-fss", "aws-efs", "azure-files", "anf", "alibaba-nas"])
def test_root_that_is_not_trusted_is_squashed_wherever_the_data_is(platform: str) -> None:
    told: dict[str, Any] = {**KNOWN, "storage.platform": platform, "identity.root_writes": True}
    trusted = advise(base(), Answers(told)).find("volume.squash")
    squashed = advise(base(), Answers({**told, "identity.root_trusted": False})).find("volume.squash")
    assert trusted is not None
    assert squashed is not None
    assert squashed.consequence == "security"
    assert squashed.value != trusted.value


@each(lambda: sorted(base().facts["storage.platform"].values))
def test_root_of_nodes_keeps_its_rights_on_a_condition(platform: str) -> None:
    """Neither a volume made by hand nor a pod without fsGroup needs it."""
    facts = {"storage.platform": platform, "client.kubernetes": True, "workload.kind": "containers"}
    told = advise(base(), Answers({**facts, "identity.root_writes": True, "identity.root_trusted": True}))
    squash = told.find("volume.squash")
    if squash is not None and squash.recommends:
        assert "if a class makes volumes or pods set fsGroup" in str(squash.value)


def test_of_hypervisors_ovirt_alone_does_not_write_as_root() -> None:
    """Its hosts work as vdsm, and the export that its manual shows squashes root."""
    server = {"storage.platform": "knfsd", "host.role": "nfs-server", "workload.kind": "vm-images"}
    for manager, squashed in (("ovirt", True), ("cinder", False), ("other", False)):
        row = advise(base(), Answers({**server, "workload.vm_manager": manager})).find("exports.root_squash")
        assert row is not None
        assert row.value is squashed, manager


def test_a_client_of_another_system_is_a_client_until_a_server_is_named() -> None:
    for system in ("windows", "esxi", "macos"):
        rows = advise(base(), Answers({"client.system": system})).rows
        assert [row.tunable for row in rows if row.strength == "must"] == ["access.protocol"], system
        told = Answers({"client.system": system, "export.filesystem": "xfs"})
        served = advise(base(), told)
        assert served.server
        wanted = {row.tunable for row in served.part("set", "open") if row.strength == "must"}
        as_root = {"exports.root_squash"} if system == "esxi" else set()  # its hosts mount and write as root
        assert wanted == {"exports.async", "exports.rw"} | as_root, system


def test_every_platform_has_a_page_and_says_what_was_found() -> None:
    pages = {one.platform: one for one in base().platforms}
    assert pages.keys() == set(base().facts["storage.platform"].values) - {"other"}
    for name, page in pages.items():
        assert page.cites or page.guidance == "none-found" or name == "knfsd", name


@pytest.mark.parametrize(("platform", "said"), [("nutanix", True), ("Nutanix Files", True), ("anf", False)])
def test_silence_of_a_vendor_is_told(platform: str, said: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--set", f"storage.platform={platform}"]) == 0
    assert ("No vendor guidance was found for" in capsys.readouterr().out) is said


@pytest.mark.parametrize(("platform", "said"), [("freebsd", True), ("isilon", True), ("anf", False), ("knfsd", False)])
def test_where_a_vendor_says_little_it_is_told(platform: str, said: bool, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--set", f"storage.platform={platform}"]) == 0
    assert ("General advice fills the rest." in " ".join(capsys.readouterr().out.split())) is said


def test_who_says_little_has_a_note_of_what_is_missing() -> None:
    assert all(one.note for one in base().platforms if one.guidance == "partial")
