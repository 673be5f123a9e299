"""What is said first: that NFS is not the answer, or that the mount is written elsewhere than in fstab."""

from __future__ import annotations

import re
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.rows import has_mount, mount_line
from advisor.advice.verdict import verdict, with_refusals
from advisor.install.build import artefacts
from tests.advice.environments import base
from tests.tiers import in_both, part


def advice(**facts: Any) -> Any:
    return advise(base(), Answers({name.replace("__", "."): value for name, value in facts.items()}))


@pytest.mark.parametrize(("facts", "instead"), [
    ({"workload__kind": "windows-profiles"}, "smb"),
    ({"workload__kind": "windows-profiles", "storage__platform": "azure-files", "client__kernel": "6.1"}, "smb"),
    ({"client__system": "esxi", "storage__platform": "ontap"}, "esxi-datastore"),
    ({"client__system": "windows", "workload__kind": "home"}, "own-client"),
])
def test_where_linux_does_not_mount_it_nothing_else_is_said(facts: dict[str, Any], instead: str) -> None:
    told = advice(**facts)
    assert told.find("access.protocol").value == instead
    # Another system's own client mounts the same server, whose settings are then all that is left to say.
    assert {one.kind for one in told.advised} == ({"access", "volume"} if "esxi" in instead else {"access"})
    assert not has_mount(told)
    assert (told.open, told.questions, told.bugs) == ((), (), ())
    assert [one.path for one in artefacts(base(), told)] == ["REPORT.md", "REPORT-details.md", "REPORT.html"]


@pytest.mark.parametrize(("manager", "written"), [
    ("xenserver", ""), ("ovirt", ""), ("cinder", "nfs_mount_options = vers=4.1,hard"), ("nova", "/mnt/nfs  nfs  hard"),
])
def test_what_manages_machines_and_mounts_by_itself_gets_no_line_in_fstab(manager: str, written: str) -> None:
    told = advice(storage__platform="ontap", workload__kind="vm-images", workload__vm_manager=manager)
    assert has_mount(told) is bool(written)
    assert written in mount_line(told)
    paths = {one.path for one in artefacts(base(), told)}
    assert bool(paths & {"fstab", "mount.sh", "autofs/auto.nfs-advisor"}) is (manager == "nova")
    assert verdict(base(), [with_refusals(base(), told)]).state == "ready"


@pytest.mark.parametrize("kind", ["elasticsearch", "sqlite"])
def test_what_should_not_lie_on_nfs_is_told_beside_the_line(kind: str) -> None:
    told = advice(workload__kind=kind, storage__platform="knfsd")
    first = told.find("access.protocol")
    assert first is not None
    assert (first.value, first.strength) == ("local-disk", "should")
    assert has_mount(told)


@pytest.mark.parametrize("facts", [{}, {"storage__platform": "anf"}, {"workload__kind": "home"}])
def test_nobody_else_hears_of_it(facts: dict[str, Any]) -> None:
    told = advice(**facts)
    assert not [one for one in told.advised if one.kind == "access" and one.recommends]
    asked = {ask.fact for ask in told.questions}
    assert not asked & {"client.system", "client.roams", "client.kubernetes"}


def test_a_volume_of_kubernetes_has_its_options_in_a_manifest() -> None:
    told = advice(client__kubernetes=True, storage__platform="aws-fsx-openzfs", workload__kind="postgresql",
                  client__kernel="6.1", mount__vers="4.1")
    assert mount_line(told).startswith("mountOptions: [vers=4.1,")
    assert "_netdev" not in mount_line(told)
    assert advice(storage__platform="aws-fsx-openzfs").find("mount._netdev").written is True
    made = {one.path for one in artefacts(base(), told)}
    assert "kubernetes/nfs-advisor.yaml" in made
    assert not any("fstab" in path or "autofs" in path or path.endswith(".mount") for path in made)


def test_whoever_makes_volumes_for_pods_is_not_asked_about_the_engines_storage() -> None:
    for pods in (True, False):
        told = advice(client__kubernetes=pods, storage__platform="aws-efs", workload__kind="containers")
        assert ("workload.container_use" in {one.fact for one in told.questions}) is not pods


def test_a_root_on_nfs_stands_on_the_kernels_command_line() -> None:
    told = advise(base(), Answers({"workload.kind": "diskless-root", "storage.platform": "knfsd"},
                                  names={"server": "10.0.0.1", "export": "/srv/root"}))
    line = mount_line(told)
    assert line.startswith("root=/dev/nfs nfsroot=10.0.0.1:/srv/root,")
    assert ",vers=3," in line
    assert line.endswith(" ip=dhcp")
    assert "nolock" in line
    assert "rsize=1048576" in line


def test_a_laptop_mounts_on_first_use() -> None:
    told = advice(client__roams=True, client__init="systemd")
    assert "x-systemd.automount" in mount_line(told)
    assert "x-systemd.automount" not in mount_line(advice(client__init="systemd"))


def test_whether_nfs_is_right_at_all_is_asked_first() -> None:
    advice = advise(base(), Answers({"storage.platform": "knfsd", "workload.kind": "containers"}))
    assert advice.questions[0].fact == "workload.container_use"


def test_the_reason_of_a_usual_value_is_that_of_the_case_at_hand() -> None:
    def reasons(**facts: Any) -> set[str]:
        rests = [usual for row in advice(storage__platform="ontap", **facts).assumed for usual in row.rests_on]
        return {usual.why for usual in rests if usual.fact == "identity.root_writes"}

    assert "fsGroup" in "".join(reasons(client__kubernetes=True, host__role="nfs-client"))


def test_a_mac_is_let_in_and_not_given_options_of_linux() -> None:
    for system, value in (("macos", True), ("linux", "omit")):
        told = advice(storage__platform="knfsd", client__system=system, client__roams=True, host__role="nfs-server")
        assert told.find("exports.insecure").value == value
        assert told.find("mount.x-systemd.automount").value == ("keep" if system == "macos" else True)
    mac = advice(storage__platform="knfsd", client__system="macos", host__role="nfs-client")
    assert mac.find("access.client_options").value == "macos-resvport"


def test_a_version_that_the_vendor_excludes_for_esxi_fails() -> None:
    known = {"storage__platform": "flashblade", "client__system": "esxi", "workload__kind": "vm-images"}
    for given, state in (({"mount__vers": "4.1", "mount__sec": "krb5"}, "will-fail"), ({"mount__vers": "3"}, "ready"),
                         ({}, "ready")):
        told = with_refusals(base(), advice(**known, **given))
        assert verdict(base(), [told]).state == state
        assert "over NFSv3" in " ".join(f"{row.steps.apply} {row.why}" for row in told.advised)
    elsewhere = advice(**{**known, "storage__platform": "ontap"}, mount__vers="4.1")
    assert "nfs41 add" in " ".join(row.steps.apply for row in elsewhere.advised)
    assert verdict(base(), [with_refusals(base(), elsewhere)]).state == "ready"


@in_both
def test_hosts_without_kubernetes_are_told_nothing_of_pods() -> None:
    for platform in part(base().facts["storage.platform"].values, 4):
        told = advice(storage__platform=platform, client__kubernetes=False, identity__root_writes=True,
                      identity__root_trusted=True)
        for row in told.part("set"):
            if row.kind in ("access", "identity", "volume"):
                assert not {"pod", "pods", "fsGroup", "Kubernetes"} & {*re.findall(r"\w+", row.why)}, (platform, row)
