"""What nfsrahead sets at the next mount is what read_ahead_kb is set to now."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from advisor.engine import reach
from tests.advice.environments import base

ONE_VERSION = {"azure-files": "4.1", "aws-efs": "4.1", "azure-blob": "3"}
PLAIN: dict[str, Any] = {"client.has_readahead_15x": False, "client.has_nfsrahead": True, "client.system": "linux",
         "host.role": "nfs-client", "client.kubernetes": False}


@pytest.mark.parametrize(("vers", "key"), [("3", "nfs"), ("4.1", "nfs4")])
def test_the_next_mount_reads_as_far_ahead(vers: str, key: str) -> None:
    engine = base().engine
    tried = 0
    kinds = ("general", "render", "sas-grid", "backup")
    for platform, kind, access in product(base().facts["storage.platform"].values, kinds, ("sequential", "mixed")):
        told = PLAIN | {"storage.platform": platform, "workload.kind": kind, "workload.access": access}
        told["mount.vers"] = vers
        if ONE_VERSION.get(platform, vers) != vers:
            continue
        if platform == "aws-efs":
            told["storage.encrypted_transit"] = False  # otherwise its mount helper sets it
        state = {fact: engine.fact(fact).mask(value) for fact, value in told.items()}
        now, later = (
            {str(outcome.value) for outcome in reach(engine, name, state)}
            for name in ("bdi.read_ahead_kb", f"nfs.conf.nfsrahead.{key}")
        )
        assert now == later, (platform, kind, access)
        tried += bool(now)
    assert tried > 100
