"""docs/cases.md as it follows from the tables in cases.py and cases_elsewhere.py."""

from __future__ import annotations

from typing import Any

from tests.lint.cases import CASES
from tests.lint.cases_elsewhere import ELSEWHERE

REPORTS = {
    "case-004": "longhorn/longhorn/issues/6655",
    "case-006": "ltsp/ltsp/issues/136",
    "case-007": "Azure/AZNFS-mount/pull/298",
    "case-012": "kubernetes-sigs/azurefile-csi-driver/issues/619",
    "case-013": "dlandon/unassigned.devices/issues/71",
    "case-015": "e2b-dev/infra/pull/1429",
    "case-022": "openhpc/ohpc/pull/784",
    "case-025": "hashicorp/vagrant/issues/5479",
    "case-026": "YungSang/boot2docker-vagrant-box/issues/20",
    "case-027": "pires/kubernetes-vagrant-coreos-cluster/issues/317",
    "case-028": "OpenStackCookbook/vagrant-openstack/issues/45",
    "case-030": "winnfsd/winnfsd/issues/89",
    "case-032": "kofemann/simple-nfs/issues/17",
    "case-033": "kubernetes/kubernetes/issues/96284",
    "case-037": "David-Crty/databasement/issues/344",
    "case-038": "Sonarr/Sonarr/issues/2797",
    "case-040": "facebookresearch/DrQA/issues/69",
    "case-041": "dbfit/dbfit/pull/192",
    "case-043": "rancher/rancher-catalog/issues/149",
    "case-044": "poseidon/typhoon/pull/26",
    "case-052": "MicrosoftDocs/azure-docs/pull/4420",
    "case-053": "OctopusDeploy/helm-charts/pull/90",
    "case-056": "adlogix/docker-machine-nfs/pull/5",
    "case-060": "scotch-io/scotch-box/issues/250",
    "case-061": "aws/aws-parallelcluster-cookbook/pull/1554",
    "case-062": "BiBiServ/bibigrid/issues/695",
    "case-063": "sjiveson/nfs-server-alpine/pull/64",
    "case-065": "aws/efs-utils/issues/22",
    "case-066": "ContainX/docker-volume-netshare/pull/179",
    "case-068": "aws/aws-parallelcluster/issues/49",
    "case-074": "util-linux/util-linux/issues/1309",
    "case-077": "cloudfoundry/nfs-volume-release/issues/29",
    "case-079": "nebius/soperator/pull/2169",
    "case-081": "NetAppDocs/ontap/issues/1788",
    "case-113": "hashicorp/vagrant/issues/2546",
    "case-117": "longhorn/longhorn/issues/9323",
    "case-120": "arter97/exfat-linux/issues/18",
    "case-121": "openzfs/zfs/issues/570",
    "case-125": "longhorn/longhorn/issues/2357",
    "case-126": "TRaSH-Guides/Guides/issues/1476",
}
"""Where to read them, below https://github.com/; the others have no page of their own."""


def answer(value: Any) -> str:
    """A fact's value as --set takes it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def rows() -> list[str]:
    """The rows of docs/cases.md, in the order of the reports' numbers."""
    told = {}
    links = {
        case.id: f"[{case.id}](https://github.com/{REPORTS[case.id]})" if case.id in REPORTS else case.id
        for case in (*CASES, *ELSEWHERE)
    }
    for case in CASES:
        facts = ", ".join(f"`{fact}={answer(value)}`" for fact, value in case.facts.items()) or "none"
        finds = ", ".join(f"`{rule}`" for rule in case.finds) or f"none: {case.reason}"
        told[case.id] = f"| {links[case.id]} | {case.symptom} | `{' '.join(case.line.split())}` | {facts} | {finds} |"
    for other in ELSEWHERE:
        page = f"; see `advisor explain {other.speaks}`" if other.speaks else ""
        row = [links[other.id], other.symptom, f"`{' '.join(other.line.split())}`" if other.line else "", ""]
        told[other.id] = f"| {' | '.join(row)} | not in the mount options: {other.reason}{page} |"
    return [told[name] for name in sorted(told)]
