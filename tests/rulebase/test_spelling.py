"""Names of values: every one means one value, and a slip is never taken for another product."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.advice.answers import fact_value
from advisor.cli.options import given_facts, typed_facts
from advisor.cli.terminal import CannotRun
from advisor.rulebase.base import load
from advisor.rulebase.spelling import NoChoiceError, chosen, names, plain
from advisor.wizard import typed_answer
from tests.each import each
from tests.tiers import thorough

BASE = load()
NAMES = [
    (fact, value, name)
    for fact, told in BASE.facts.items()
    for value, label in (told.values or {}).items()
    for name in (value, label, *(told.aliases).get(value, ()))
]


@thorough
@pytest.mark.parametrize("spelt", [str, str.upper, str.lower, str.title, lambda name: name.replace(" ", "-")])
def test_every_name_means_its_value_everywhere(spelt: Any) -> None:
    for fact, value, name in NAMES:
        if plain(spelt(name)) != plain(name):
            continue  # "ß".upper(): another name
        assert fact_value(BASE, fact, spelt(name)) == value, (fact, name)
        assert typed_answer.parse(BASE, fact, spelt(name)).value == value, (fact, name)


def test_a_value_that_is_gone_is_refused_with_the_reason() -> None:
    with pytest.raises(NoChoiceError, match="no NFSv2 since"):
        chosen(BASE.facts["mount.vers"], "2")
    with pytest.raises(NoChoiceError, match="not one of the choices"):
        chosen(BASE.facts["mount.vers"], "5")


def test_no_name_is_shared() -> None:
    owners: dict[tuple[str, str], set[str]] = {}
    for fact, value, name in NAMES:
        owners.setdefault((fact, plain(name)), set()).add(value)
    assert {key: found for key, found in owners.items() if len(found) > 1} == {}
    assert sum(len(names(told)) for told in BASE.facts.values()) == len(owners)


@each(lambda: [
    ("storage.platform", "ANF", "anf"), ("storage.platform", "isilon", "powerscale"),
    ("storage.platform", "EFS", "aws-efs"), ("storage.platform", "FSx ONTAP", "aws-fsx-ontap"),
    ("client.distro", "rocky", "rhel"), ("client.distro", "CentOS Stream", "rhel"), ("mount.vers", "NFSv4.1", "4.1"),
    ("storage.platform", "ANF, isilon", ["anf", "powerscale"]), ("mount.vers", 3, "3"),
])
def test_names_that_people_use(fact: str, name: Any, value: Any) -> None:
    assert given_facts(BASE, [f"{fact}={name}"])[fact] == value
    assert typed_facts(BASE, {fact: name}, "a file")[fact] == value


@each(lambda: [
    "zfs", "ecs", "gfs", "afs", "nas", "s3", "flasharray", "powermax", "glusterfs", "moosefs", "minio", "panasas",
    "egnyte", "nasuni", "ctera", "quobyte", "cxfs", "cvfs", "ocfs", "refs", "xfs", "pfs", "nfs", "cloud",
])
def test_another_product_is_never_suggested(word: str) -> None:
    for platform in ("storage.platform", "workload.kind"):
        with pytest.raises(NoChoiceError) as refused:
            chosen(BASE.facts[platform], word)
        assert "did you mean" not in str(refused.value)


@pytest.mark.parametrize("word", ["lustre", "FSx for Lustre", "beegfs", "smb", "cifs", "gcsfuse"])
def test_what_is_not_nfs_is_taken_for_that(word: str) -> None:
    assert fact_value(BASE, "storage.platform", word) == "not-nfs"


@each(lambda: [
    ("isilno", "did you mean powerscale"), ("amf", "did you mean anf (Azure NetApp Files)?"),
    ("azure-flies", "did you mean azure-files"),
    *((slip, "did you mean anf (Azure NetApp Files)?") for slip in ("anfx", "ANFS", "afn", "anff")),
    *((slip, "did you mean ontap (") for slip in ("ontapx", "onta", "otap", "ontpa")),
    ("vas", "did you mean vast (VAST Data)?"), ("efss", "did you mean aws-efs (Amazon EFS)?"),
    ("knfs", "did you mean knfsd"),
    ("syonlogy", "did you mean synology (Synology DSM)?"),
    ("netapp", "ontap, anf, aws-fsx-ontap or gcp-netapp-volumes?"),
    ("Dell", "powerscale, dell-powerstore or dell-unity?"), ("azure", "anf, azure-files or azure-blob"),
])
def test_a_slip_and_a_makers_name_are_asked_back(word: str, meant: str) -> None:
    with pytest.raises(CannotRun) as refused:
        given_facts(BASE, [f"storage.platform={word}"])
    assert meant in str(refused.value)


@each(lambda: [
    ("storage.platform", "azure netapp", "anf"), ("storage.platform", "anf volume", "anf"),
    ("storage.platform", "azure files nfs share", "azure-files"),
    ("storage.platform", "Azure premium files", "azure-files"),
    ("storage.platform", "blob", "azure-blob"), ("storage.platform", "aws elastic file system", "aws-efs"),
    ("storage.platform", "efs csi", "aws-efs"), ("storage.platform", "fsx for netapp", "aws-fsx-ontap"),
    ("storage.platform", "filestore enterprise", "gcp-filestore"), ("storage.platform", "linux server", "knfsd"),
    ("storage.platform", "oracle file storage", "oci-fss"), ("storage.platform", "oci", "oci-fss"),
    ("storage.platform", "aliyun", "alibaba-nas"), ("storage.platform", "ibm vpc", "ibm-file-vpc"),
    ("storage.platform", "aws s3 file gateway", "aws-file-gateway"), ("storage.platform", "FAS8200", "ontap"),
    ("storage.platform", "vast storage", "vast"), ("storage.platform", "qnapp", "qnap"),
    ("storage.platform", "wekka", "weka"), ("storage.platform", "weak", "weka"),
    ("storage.platform", "treunas", "truenas"), ("storage.platform", "hpee", "hpe-greenlake-file or hpe-alletra"),
    ("workload.kind", "hanna", "sap-hana"), ("workload.kind", "posgres", "postgresql"),
    ("workload.kind", "build server", "software-build"), ("workload.kind", "SAP", "sap-hana or general"),
    ("workload.kind", "SAS", "sas-grid or sas-viya"), ("workload.kind", "k8s", "containers"),
    ("workload.kind", "scratch", "hpc or eda"),
    ("client.distro", "Rocky 9", "rhel"), ("client.distro", "rhel9", "rhel"),
    ("client.distro", "Ubuntu 22.04", "ubuntu"),
    ("client.distro", "sles15", "sles"), ("client.distro", "Amazon Linux 2", "amazon"),
    ("mount.vers", "4", "4.0, 4.1 or 4.2"), ("mount.vers", "nfsv4", "4.0, 4.1 or 4.2"),
])
def test_what_people_type_is_led_to_its_value(fact: str, word: str, meant: str) -> None:
    with pytest.raises(NoChoiceError) as refused:
        chosen(BASE.facts[fact], word)
    told = str(refused.value)
    assert f"did you mean {meant} (" in told or told.endswith(f"did you mean {meant}?"), told


@each(lambda: [
    ("storage.platform", "gpfs", "storage-scale"), ("storage.platform", "power scale", "powerscale"),
    ("storage.platform", "fsx zfs", "aws-fsx-openzfs"), ("storage.platform", "CVS", "gcp-netapp-volumes"),
    ("storage.platform", "wekafs", "weka"), ("storage.platform", "onefs", "powerscale"),
    ("storage.tier", "BASIC_HDD", "basic"), ("storage.tier", "HIGH_SCALE_SSD", "high-scale"),
    ("storage.volume_protocol", "NFSv4", "4.1"), ("workload.kind", "GitLab", "gitlab"),
    ("workload.kind", "pgsql", "postgresql"), ("workload.kind", "IBM MQ", "message-broker"),
    ("workload.kind", "Proxmox", "vm-images"),
    ("workload.kind", "home directory", "home"), ("workload.kind", "S/4HANA", "sap-hana"),
    ("workload.kind", "Solr", "elasticsearch"), ("workload.kind", "Blender", "render"),
    ("client.distro", "AL2023", "amazon"), ("network.cloud", "no", "none"),
    ("workload.hana_volume", "/hana/log", "log"), ("workload.access", "small files", "metadata"),
    ("network.path", "same VPC", "local"), ("storage.endpoint", "service endpoint", "public"),
    ("client.init", "OpenRC", "other"), ("client.kernel_stream", "rhel8", "el8"),
])
def test_other_names_that_people_use(fact: str, word: str, value: str) -> None:
    assert fact_value(BASE, fact, word) == value


@each(lambda: [
    ("workload.kind", "mssql"), ("workload.kind", "sql server"), ("workload.kind", "couchdb"), ("workload.kind", "db2"),
    ("workload.kind", "exchange server"), ("workload.kind", "splunk"), ("workload.kind", "oracle linux"),
    ("storage.platform", "file storage service"),
    ("storage.platform", "nas share"),
    ("storage.platform", "openzfs server"),
    ("storage.platform", "azure files smb"), ("storage.platform", "data domain"), ("storage.platform", "3par"),
    ("mount.vers", "5"), ("mount.vers", "4.3"), ("storage.volume_protocol", "2"),
])
def test_words_of_another_product_lead_nowhere(fact: str, word: str) -> None:
    with pytest.raises(NoChoiceError) as refused:
        chosen(BASE.facts[fact], word)
    assert "did you mean" not in str(refused.value)


def test_an_empty_list_says_nothing() -> None:
    for empty in ([], ",", ""):
        with pytest.raises(CannotRun):
            typed_facts(BASE, {"storage.platform": empty}, "a file")
