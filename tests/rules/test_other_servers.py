"""What another server than the kernel's is advised: nothing that it never reads, and no disks that it does not have."""

from __future__ import annotations

from advisor.engine import reach
from advisor.rulebase.model import RuleBase

_KERNELS_OWN = ("nfs.conf.nfsd.", "nfs.conf.mountd.", "nfs.conf.exportd.", "nfs.conf.nfsdcld.", "file.nfsd",
                "module.nfsd.", "service.nfsd", "exports.")
_DISKS = ("raid.", "layout.", "filesystem.", "scheduler.")


def _set(base: RuleBase, platform: str, names: tuple[str, ...]) -> list[str]:
    state = base.engine.certain({"storage.platform": platform, "host.role": "nfs-server"})
    return [
        decision for decision in base.decisions if decision.startswith(names)
        and any(outcome.value not in ("keep", "omit", "n/a") for outcome in reach(base.engine, decision, state))
    ]


def test_ganesha_is_advised_nothing_of_the_kernels_server(base: RuleBase) -> None:
    for platform in ("ganesha", "cephfs-nfs", "storage-scale"):
        assert _set(base, platform, _KERNELS_OWN) == []
    assert {"nfs.conf.nfsd.threads", "exports.root_squash"} <= {*_set(base, "knfsd", _KERNELS_OWN)}


def test_a_cluster_file_system_is_advised_no_disks(base: RuleBase) -> None:
    for platform in ("cephfs-nfs", "storage-scale"):
        assert _set(base, platform, _DISKS) == []
    assert "filesystem.zfs_sharenfs" in _set(base, "ganesha", _DISKS)
