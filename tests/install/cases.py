"""Environments whose files are tried on their own tools."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Advice
from advisor.install import Artefact, artefacts
from tests.advice.environments import base

HOME = {
    "host.role": "nfs-client", "client.container": False, "mount.ro": False, "client.init": "systemd",
    "client.vast_driver": False, "network.transport": "tcp", "workload.locks": False, "server.nlm": True,
    "workload.durable_writes": False, "workload.shared_writes": False,
}

CASES: dict[str, dict[str, Any]] = {
    "anf-eda-static": {
        **HOME, "storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda",
        "workload.static_data": True, "workload.access": "sequential", "client.kernel": "4.18.0-477.el8",
        "client.kernel_stream": "el8", "client.distro": "rhel", "client.release": "8.6", "client.count": 32,
        "network.cloud": "azure", "network.azure_load_balancer": False, "network.path": "local",
    },
    "azure-files": {
        **HOME, "storage.platform": "azure-files", "workload.kind": "general", "workload.access": "sequential",
        "client.kernel": "5.15", "client.kernel_stream": "ubuntu", "client.distro": "ubuntu", "client.release": "22.04",
        "storage.endpoint": "private", "storage.encrypted_transit": False, "network.cloud": "azure",
        "workload.static_data": False, "workload.prompt_changes": False,
    },
    "azure-files-24.04": {
        **HOME, "storage.platform": "azure-files", "workload.kind": "media", "workload.access": "sequential",
        "client.kernel": "6.8", "client.kernel_stream": "ubuntu", "client.distro": "ubuntu", "client.release": "24.04",
        "storage.endpoint": "private", "storage.encrypted_transit": False, "network.cloud": "azure",
        "workload.static_data": True, "network.path": "internet",
    },
    "efs": {
        **HOME, "storage.platform": "aws-efs", "workload.kind": "web", "workload.access": "mixed",
        "client.kernel": "6.1", "client.kernel_stream": "mainline", "client.distro": "amazon",
        "storage.encrypted_transit": False, "network.cloud": "aws",
        "workload.static_data": False, "workload.prompt_changes": False,
    },
    "home-1gbe": {
        **HOME, "storage.platform": "knfsd", "workload.kind": "home", "workload.access": "mixed",
        "client.kernel": "6.1", "client.kernel_stream": "debian", "client.distro": "debian", "client.release": "12",
        "network.speed_gbps": 1, "network.cloud": "none", "client.count": 3,
        "workload.static_data": False, "workload.prompt_changes": False,
    },
    "knfsd-sequential": {
        **HOME, "storage.platform": "knfsd", "workload.kind": "media", "workload.access": "sequential",
        "client.kernel": "6.12", "client.kernel_stream": "mainline", "client.distro": "debian", "client.release": "13",
        "network.cloud": "none", "workload.static_data": True,
    },
    "failover-pair": {
        "host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "home", "workload.access": "mixed",
        "server.distro": "rhel", "server.release": "9.4", "server.ha": True, "server.cluster_stack": "pacemaker",
        "server.v3_clients": True, "server.init": "systemd", "client.count": 20, "mount.sec": "sys", "mount.ro": False,
        "network.transport": "tcp", "workload.over_16_groups": False, "server.insecure_ports": False,
    },
    "hpc-server": {
        "host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "hpc", "workload.access": "sequential",
        "server.distro": "rhel", "server.release": "7.6", "server.kernel": "3.10.0-957.el7",
        "server.kernel_stream": "el7", "server.ha": True, "server.init": "systemd", "client.count": 32,
        "network.transport": "ipoib", "server.shared_storage": "sas", "workload.over_16_groups": True,
        "server.cpu_generation": "skylake-sp", "server.dimm_width": "x4", "mount.ro": False, "mount.sec": "sys",
        "mount.nconnect": 1,
    },
    "debian-server": {
        "host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "general", "workload.access": "mixed",
        "server.distro": "debian", "server.release": "12", "server.kernel": "6.1", "server.kernel_stream": "debian",
        "server.ha": False, "server.init": "systemd", "client.count": 32, "workload.over_16_groups": True,
        "network.transport": "tcp", "mount.ro": False, "mount.sec": "sys",
    },
    "kubernetes": {
        **HOME, "storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "containers",
        "workload.container_use": "volume", "storage.capacity_gib": 2048, "client.kernel": "5.15",
        "client.kernel_stream": "ubuntu", "client.distro": "ubuntu", "client.release": "22.04",
        "workload.access": "metadata", "network.cloud": "azure", "network.azure_load_balancer": False,
    },
    "hana": {
        **HOME, "storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "sap-hana",
        "workload.hana_volume": "data", "client.kernel": "5.14.0-362.el9", "client.kernel_stream": "el9",
        "client.distro": "rhel", "client.release": "9.2", "network.cloud": "azure",
    },
    "nothing": {},
}

HOSTILE = {
    "server": "fs-1.example", "export": "/a b#c%s\\040\"d'${x}{{ 7*7 }}&<script>$(id)`id`é;[x](y)",
    "target": "/mnt/-x y/%h\\t'\"&{{ 7*7 }}<b>$HOME;`id`#é", "clients": "10.0.0.0/8 *.example(x) @grp#1",
}


def advice(case: str, names: dict[str, str] | None = None) -> Advice:
    return advise(base(), Answers(facts=CASES[case], names=names or {}))


@lru_cache(maxsize=64)
def _made(case: str, names: frozenset[tuple[str, str]]) -> dict[str, Artefact]:
    return {one.path: one for one in artefacts(base(), advice(case, dict(names)))}


def made(case: str, names: dict[str, str] | None = None) -> dict[str, Artefact]:
    """Path → file. A cluster exports nothing that its agent would split."""
    if names is HOSTILE and CASES[case].get("server.ha"):
        names = {**names, "export": re.sub(r"[\s*?\[\\]", "", names["export"])}
    return _made(case, frozenset((names or {}).items()))
