"""No rule of mere speed or portability wins over one that guards the data, whatever the layers of the two."""

from __future__ import annotations

from advisor.engine import winners
from advisor.engine.base import GATE
from advisor.rulebase.values import supports
from tests.advice.environments import base

SEVERE = ("data-loss", "stale-data", "errors", "security", "boot", "mount-fails")
MEANT = {
    ("netdev/azure-files-tls", "netdev/kubernetes"), ("netdev/s3-files", "netdev/kubernetes"),  # fstab alone reads it
    ("place/diskless-root", "place/kubernetes"), ("place/proxmox-container", "place/kubernetes"),
    ("lock/needed", "lock/diskless-root"),  # the kernel mounts its root with nolock whatever is written
    ("sync/durable-writes", "sync/read-only"), ("sync/durable-writes", "sync/databases"),  # nothing, or synced already
    ("actimeo/changing-data", "actimeo/mail"),  # 60 satisfies both
    ("actimeo/changing-data", "actimeo/azure-files-large-directories"),  # 30 to 60 is within it
    ("actimeo/changing-data", "actimeo/far"),
    ("nconnect/ontap-crowd", "nconnect/hana-data"), ("nconnect/ontap-crowd", "nconnect/hana-shared"),  # fewer than 16
    ("nconnect/ontap-crowd", "nconnect/ontap-v40"),
    # neither a database nor Borg appends from several hosts
    ("application/appending", "application/oracle"), ("application/appending", "application/backup"),
    # disks of virtual machines are not appended to, and Proxmox VE has its own word for the same cache
    ("application/appending", "application/proxmox"), ("application/appending", "application/esxi-ontap"),
    ("application/virtual-machines", "application/proxmox"),
    ("squash/root", "squash/truenas-one-owner"), ("squash/untrusted-root", "squash/truenas-one-owner"),  # root's too
    *((one, "squash/synology-one-owner") for one in ("squash/root", "squash/untrusted-root", "nas-squash/synology")),
    *((f"mount-package/{family}", "mount-package/efs") for family in ("red-hat", "debian", "suse")),  # it needs these
    # klibc mounts version 3 alone, and these serve version 4 alone: none works
    ("vers/diskless-klibc", "vers/aws-efs"),
    ("vers/diskless-klibc", "vers/evroc-file-store"), ("vers/diskless-klibc", "vers/hammerspace"),
    ("vers/kerberos", "vers/v3-fastest"),  # nothing is published of Kerberos with these services
    # another system's own client is said first, or each of them would wait for the workload
    *((f"access/{kind}", f"access/{system}") for kind in ("blob-broker", "elasticsearch", "local-only", "sqlite")
      for system in ("esxi", "windows", "other-systems")),
}
"""(the guarding rule, the one that wins)"""


def test_speed_yields_to_harm() -> None:
    engine = base().engine
    wrong = set()
    for name, decision in base().decisions.items():
        if name not in base().tunables:
            continue
        ranked, default = engine.decision(name), base().tunables[name].default
        for guard in decision.rules.values():
            severe = guard.consequence in SEVERE and guard.strength in ("must", "should")
            if not severe or guard.value in ("keep", "n/a"):
                continue
            for other in decision.rules.values():
                mere = other.layer != GATE and other.consequence in ("performance", "portability", "ignored")
                if not mere or not ranked.rule(other.id).beats(ranked.rule(guard.id)):
                    continue
                agree = supports(other.value, guard.value, default) or supports(guard.value, other.value, default)
                cases = (
                    engine.space.meet(one, two)
                    for one in ranked.rule(guard.id).boxes for two in ranked.rule(other.id).boxes
                )
                if not agree and other.value not in guard.as_good and any(
                    case is not None and other.id in winners(engine, name, engine.space.unpack(case)) for case in cases
                ):
                    wrong.add((guard.id, other.id))
    assert wrong - MEANT == set()
    assert MEANT - wrong == set()
