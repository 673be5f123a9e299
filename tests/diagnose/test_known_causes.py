"""Messages with a known cause: from tickets, from kernels where it was made on purpose, from answered questions."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from ruamel.yaml import YAML

from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.score import CONFIRMED, RULED_OUT, RankedCause
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from tests.each import each

EVENT = 'MountVolume.SetUp failed for volume "efs" : mount failed: exit status 32'
ARGUMENTS = "-t nfs -o hard,nfsvers=4.1,noresvpor,retrans=2 fs.example.com:/foobar /var/lib/kubelet/pods/1/volumes/efs"
REFUSED = "mount.nfs: an incorrect mount option was specified"
STATD = (
    "mount.nfs: rpc.statd is not running but is required for remote locking.",
    "mount.nfs: Either use '-o nolock' to keep locks local, or start statd.",
    REFUSED,
)

DESCENT = """mount.nfs: trying text-based options 'vers=4.2,addr=192.0.2.9,clientaddr=192.0.2.7'
mount.nfs: mount(2): Protocol not supported
mount.nfs: trying text-based options 'vers=4,minorversion=1,addr=192.0.2.9,clientaddr=192.0.2.7'
mount.nfs: mount(2): Input/output error
mount.nfs: mount system call failed"""


@pytest.mark.parametrize("text", [
    f"{EVENT}\nMounting command: mount\nMounting arguments: {ARGUMENTS}\nOutput: {REFUSED}",
    f"{EVENT} Mounting command: mount Mounting arguments: {ARGUMENTS} Output: {REFUSED}",
    f"{EVENT}\\nMounting command: mount\\nMounting arguments: {ARGUMENTS}\\nOutput: {REFUSED}",
    f"Mounting command: systemd-run\nMounting arguments: --description=Kubernetes transient mount for /x --scope -- "
    f"mount {ARGUMENTS}\nOutput: Running scope as unit run-1.scope.\n{REFUSED}",
])
def test_the_arguments_that_kubelet_prints_are_judged(base: RuleBase, text: str) -> None:
    told = Diagnosis(base, text)
    assert [one.cause.id for one in told.confirmed()] == ["unknown-option"]
    assert any("noresvport" in one.finding.message for one in told.evidence.configuration.findings)
    assert "client.kubernetes" in {one.fact for one in told.evidence.stated} or "kubelet" not in text


@pytest.mark.parametrize("text", [
    "Mounting arguments: -t xfs -o dir_mode=0777 /dev/disk/azure/lun2 /var/lib/kubelet/plugins/m1",
    "Mounting arguments:", "Mounting arguments: --description=x --scope --", "mounting arguments: -- -- --",
])
def test_arguments_of_other_mounts_are_left_alone(base: RuleBase, text: str) -> None:
    assert Diagnosis(base, text).evidence.configuration.findings == []


@pytest.mark.parametrize(("text", "cause"), [
    ("kernel: nfsd: too many open connections, consider increasing the number of threads", "server-connections-limit"),
    ("touch: cannot touch '/m/x': Read-only file system\n\n/data 10.0.0.0/24 (rw,sync)", "export-blank-before-options"),
    ("Hosts outside of our network can mount the share.\n/data nas5 (rw,sync)", "export-blank-before-options"),
    ("mount.nfs: access denied by server while mounting nas:/a\n\n/a 10.0.0.0/24 (rw)", "export-blank-before-options"),
    ("/data 10.0.0.0/24 (rw,sync)", "export-blank-before-options"),
    (DESCENT, "server-v3-only"),
    ("kernel: nfs: server 127.0.0.1 not responding, still trying", "local-tunnel-down"),
    ("kernel: nfs: server 127.0.0.1 not responding, timed out", "local-tunnel-down"),
    ("kernel: INFO: task nfsd:2971 blocked for more than 120 seconds.", "server-file-system-blocked"),
    ("kernel: watchdog: BUG: soft lockup - CPU#4 stuck for 105s! [nfsd:2971]", "server-kernel-loops"),
    ("kernel: INFO: task rsync:2971 blocked for more than 120 seconds.", "server-gone-hard-mount"),
    ('mount.nfs: not installed setuid - "user" NFS mounts not supported.', "mount-helper-without-root"),
    ("NFS: nfs4_discover_server_trunking unhandled error -512. Exiting with error EIO", "mount-interrupted"),
    ("NFS: nfs4_discover_server_trunking unhandled error -121. Exiting with error EIO", "server-answers-wrongly"),
    ("mount.nfs: Failed to resolve server nas.local: Name or service not known", "mdns-name"),
    ("mount.nfs: Failed to resolve server nas: Name or service not known", "name-does-not-resolve"),
    ("Failed to resolve server nfs.default.svc.cluster.local: Name or service not known", "cluster-name-on-node"),
    ("NFS: nfs4_discover_server_trunking unhandled error -5. Exiting with error EIO", "first-answer-unusable"),
    ("kernel: nfs4_discover_server_trunking unhandled error -512. Exiting with error EIO", "mount-interrupted"),
    ("NFS: v4 server nas1  returned a bad sequence-id error!", "open-order-lost"),
    ("RPC: fragment too large: 1195725856", "not-an-nfs-client"),
    ("RPC: fragment too large: 369295616", "not-an-nfs-client"),
    ("cp: failed to close '/mnt/x': No space left on device, df on the client shows free space", "server-full"),
    ("cp: error writing '/mnt/nas/x': No space left on device", "server-full"),
    ("Disk quota exceeded on nfs mount", "server-quota"),
    ("mount.nfs: access denied by server while mounting nas1:/srv/home", "export-other-clients"),
    ("mount.nfs: mount(2): Permission denied", "export-other-clients"),
    ("mount.nfs4: mount(2): Connection refused", "nfsd-not-running"),
    ("mount.nfs4: mount(2): Protocol not supported", "server-version-off"),
    ("mount.nfs4: Protocol not supported", "server-version-off"),
    ("mount.nfs: Protocol not supported", "server-version-off"),
    ("INFO: task cp:1234 blocked for more than 120 seconds. rpc_wait_bit_killable", "server-gone-hard-mount"),
    ("it hangs since the upgrade to Ubuntu 24.04, df never comes back", "server-gone-hard-mount"),
    ("lockd: server nas1 not responding, still trying", "lock-manager-silent"),
    ("nfs: server nas1 not responding, still trying", "server-gone-hard-mount"),
    ("NFS: state manager: check lease failed on NFSv4 server nas1 with error 13", "machine-credential-refused"),
    ("rpc-srv/tcp: nfsd: sent only 12345 when sending 32888 bytes - shutting down socket", "client-stops-reading"),
    ("nfs: RPC call returned error 13", "local-policy-forbids"),
    ("mount.nfs: Key has expired", "krb5-no-ticket"),
    ("rpc.nfsd: writing fd to kernel failed: errno 98 (Address already in use)", "port-2049-taken"),
    ("rpc.nfsd: writing fd to kernel failed: errno 111 (Connection refused)", "rpcbind-not-running"),
    ("mkdir: cannot create directory 'x': Unknown error 521 on an NFS mount", "server-fault-answered"),
    ("mv: cannot move '/nfs/a/x' to '/nfs/b/x': Invalid cross-device link", "rename-between-mounts"),
    ("EXDEV from rename below one NFS mount, the target is a ZFS dataset of its own", "rename-between-exports"),
    ("cp of a sparse file makes it full size on the NFS mount", "holes-not-seen"),
    ("A VM on a sparse image freezes: nfs: server nas not responding, still trying", "server-gone-hard-mount"),
    ("tail -f shows old content on NFS", "attribute-cache"),
    ("showmount -e times out but mounting with vers=4 works", "firewall-mountd-blocked"),
    ("WARNING:NFS file system /u02 mounted with incorrect options", "oracle-mount-options"),
    ("mount.nfs: requested NFS version or transport protocol is not supported, works after modprobe nfs",
     "client-version-module"),
    ("modprobe: FATAL: Module nfs not found in directory /lib/modules/5.4.0", "kernel-without-nfs"),
    ("Bus error (core dumped) after a new version was copied to the NFS share", "program-replaced"),
    ("mount: can't find /mnt/nfs in /etc/fstab or /etc/mtab", "not-in-fstab"),
    ("applyFSGroup failed for vol nfs1: lchown /var/lib/kubelet/pods/1/mount: operation not permitted", "root-squash"),
    ("applyFSGroup failed for vol nfs1: lstat /var/lib/kubelet/pods/1/mount: stale file handle",
     "handles-not-persistent"),
    ("A pod is stuck terminating: UnmountVolume.TearDown failed for its NFS volume, device is busy", "mount-in-use"),
    ("Pods are stuck terminating, UnmountVolume.TearDown failed, the NFS server pod was deleted before",
     "server-removed-before-clients"),
    ("With krb5p a copy of 200 MB stops in the middle and the process hangs: nfs: server nas not responding",
     "server-gone-hard-mount"),
    ("nsm_monitor :NLM :EVENT :Monitor ::ffff:192.0.2.9 SM_MON failed: RPC: Timed out", "server-statd-not-running"),
    ("nsm_monitor :Can not monitor ::ffff:192.0.2.9 SM_MON ret 5 : RPC: Timed out", "server-statd-not-running"),
    ("vfs_lookup_path :FSAL :CRIT :Could not get handle for path /r, error Operation not supported\n"
     "init_export_root :EXPORT :CRIT :Lookup failed on path, ExportId=0 Path=/r FSAL_ERROR=(Not supported,95)",
     "ganesha-no-handles"),
    ("vfs_lookup_path :FSAL :CRIT :Could not get handle for path /r, error Operation not permitted",
     "ganesha-handles-forbidden"),
])
def test_the_cause_of_an_everyday_message_is_the_first(base: RuleBase, text: str, cause: str) -> None:
    told = Diagnosis(base, text)
    leaves = [one.cause.id for one in told.causes if one.cause.id != one.family]
    assert leaves[:1] == [cause]
    assert told.evidence.unknown == []


@pytest.mark.parametrize("name", ["nfs4_reclaim_open_state", "__nfs4_reclaim_open_state"])
def test_locks_that_were_lost_are_told_of(base: RuleBase, name: str) -> None:
    told = Diagnosis(base, f"NFS: {name}: Lock reclaim failed!")
    assert {"locks-kept", "lease-ran-out", "server-forgets-clients"} == {one.cause.id for one in told.possible()[:3]}


def test_nothing_is_mounted_where_a_mount_fails_so_it_is_not_soft(base: RuleBase) -> None:
    assert "soft-mount-gave-up" not in {one.cause.id for one in Diagnosis(base, DESCENT).possible()}


@pytest.mark.parametrize("between", ["\n", " "])
def test_the_refusal_that_always_follows_statd_is_no_option(base: RuleBase, between: str) -> None:
    following = Diagnosis(base, between.join(STATD)).next_check()
    assert following is not None
    assert "dmesg" not in following.check.do


PRODUCED = YAML(typ="safe").load(Path(__file__).with_name("produced.yaml").read_text(encoding="utf-8"))["produced"]


@pytest.mark.parametrize("case", PRODUCED, ids=[f"{n}: {case['made']}" for n, case in enumerate(PRODUCED)])
def test_the_cause_is_named_from_what_was_printed(base: RuleBase, case: dict[str, object]) -> None:
    assert isinstance(case["causes"], list)
    diagnosis = Diagnosis(base, str(case["said"]))
    ranked = [one.cause.id for one in diagnosis.causes if one.status != "ruled-out" and one.cause.id != one.family]
    place = next((at for at, name in enumerate(ranked, start=1) if name in case["causes"]), 99)
    assert place <= int(str(case["place"])), ranked[:5]
    assert not [one.cause.id for one in diagnosis.confirmed() if one.cause.id not in case["causes"]]


def test_enough_causes_were_produced_and_named() -> None:
    named = {case["causes"][0] for case in PRODUCED if case["place"] <= 3}
    assert len(named) >= 25


class Report(NamedTuple):
    """`accepted`: causes that an expert would take for the answer; `told`: what is diagnosed, in order."""

    source: str
    accepted: set[str]
    told: list[RankedCause]

    @property
    def rank(self) -> int:
        open_ = [one.cause.id for one in self.told if one.status != RULED_OUT and one.cause.id != one.family]
        return next((at for at, name in enumerate(open_, 1) if name in self.accepted), len(open_) + 100)


@cache
def reports() -> tuple[Report, ...]:
    base = load()
    text = (Path(__file__).parent / "reports.yaml").read_text(encoding="utf-8")
    told = YAML(typ="safe").load(text)["reports"]
    return tuple(Report(one["source"], set(one["accepted"]), Diagnosis(base, one["text"]).causes) for one in told)


def test_every_report_has_a_source_of_its_own() -> None:
    assert len({one.source for one in reports()}) == len(reports()) >= 40


def test_every_accepted_cause_exists() -> None:
    assert {name for one in reports() for name in one.accepted} <= set(load().causes)


def test_the_cause_is_among_the_first_three() -> None:
    late = [one.source for one in reports() if one.rank > 3]
    assert len(late) <= len(reports()) * 15 // 100, late


def test_the_cause_is_the_first() -> None:
    late = [one.source for one in reports() if one.rank > 1]
    assert len(late) <= len(reports()) * 40 // 100, late


def test_no_wrong_cause_is_confirmed() -> None:
    for one in reports():
        sure = {told.cause.id for told in one.told if told.status == CONFIRMED}
        assert not sure or sure & one.accepted, one.source


@each(lambda: [
    ("NFS ist sehr langsam", "symptom.slow"),
    ("le montage NFS est lent", "symptom.slow"),
    ("el montaje NFS es muy lento", "symptom.slow"),
    ("NFS работает очень медленно", "symptom.slow"),
    ("NFS が 遅い です", "symptom.slow"),
    ("挂载 NFS 后访问很慢", "symptom.slow"),
    ("ls hängt auf dem NFS-Mount", "symptom.hang"),
    ("ls зависает на NFS", "symptom.hang"),
    ("NFSマウントがハングする", "symptom.hang"),
    ("执行 ls 时卡住,目录在 NFS 上", "symptom.hang"),
])
def test_common_symptoms_are_known_in_other_languages(text: str, symptom: str) -> None:
    assert symptom in Diagnosis(load(), text).evidence.seen


def test_the_not_of_an_error_denies_no_word_behind_it() -> None:
    stated = Diagnosis(load(), "mount.nfs: Operation not permitted in Docker container").evidence.stated
    assert "story.in_docker" in {one.fact for one in stated}
    stated = Diagnosis(load(), "mount.nfs: Operation not permitted, not in Docker").evidence.stated
    assert "story.in_docker" not in {one.fact for one in stated}
