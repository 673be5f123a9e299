"""advisor check: a whole host, and the files that bring it to the advice."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from advisor.check.host import AREAS
from advisor.host import tree
from advisor.pages.formats import FORMATS
from tests.host import archives, trees
from tests.schemas import validate

CLIENT = {
    **trees.DEBIAN12,
    "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/data", "/data"),
    "/etc/fstab": "nas:/data  /data  nfs  vers=4.1,hard,nconect=8  0 0\n",
    "/etc/exports": "/srv  *(rw,no_root_squash)\n",
    "/etc/idmapd.conf": "[General]\nDomain = example.com\n",
}


def test_the_summary_comes_first(advisor, tmp_path):
    ran = advisor("check", "--root", trees.plant(tmp_path, CLIENT))
    assert ran.code == 1, ran.err
    head = ran.out[: ran.out.index("\n\n")]
    head = " ".join(head.split())
    assert "debian 12, kernel 6.1.0-48-amd64" in head
    assert "1 NFS mount in effect from nas" in head
    assert "/etc/fstab:1: unknown option nconect=8" in head
    assert "harmful finding" in head
    assert "--fix" not in ran.out
    assert ran.out.index("\nClient mounts\n") < ran.out.index("\nServer\n")


def test_a_host_without_nfs_is_told_in_a_few_lines(advisor, tmp_path):
    files = {**trees.DEBIAN12, "/etc/fstab": "/dev/sda1 / ext4 defaults 0 1\n", "/etc/hostname": "x\n"}
    ran = advisor("check", "--root", trees.plant(tmp_path, files))
    assert ran.code == 0, ran.err
    assert "nothing that was seen uses NFS" in ran.out
    assert len(ran.out.splitlines()) < 10


def test_areas_can_be_chosen(advisor, tmp_path):
    root = trees.plant(tmp_path, CLIENT)
    ran = advisor("check", "--root", root, "--area", "server", "--output-format", "json")
    assert {finding["file"] for finding in json.loads(ran.out)["findings"]} == {"/etc/exports"}


def test_an_area_is_judged_with_what_the_files_of_the_others_say(advisor, tmp_path):
    """The slot table is set by a file of another area, so nobody is told that no file sets it."""
    files = {"/etc/exports": "/data 10.0.0.1(rw,no_subtree_check)\n",
             "/etc/sysctl.d/90-slots.conf": "sunrpc.tcp_slot_table_entries = 32\n",
             "/proc/sys/sunrpc/tcp_slot_table_entries": "24\n"}
    ran = advisor("check", "--root", trees.plant(tmp_path, files), "--area", "server", "--output-format", "json")
    assert json.loads(ran.out)["findings"] == []
    assert json.loads(ran.out)["summary"]["files"] == ["/etc/exports"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_of_lint(advisor, tmp_path, name):
    ran = advisor("check", "--root", trees.plant(tmp_path, CLIENT), "--output-format", name)
    assert ran.code == 1, ran.err
    assert "unknown-option" in ran.out
    if name == "json":
        validate(json.loads(ran.out), "advisor-lint-1")


def test_programs_learn_the_area_and_what_was_not_seen(advisor, tmp_path):
    archive = archives.pack(tmp_path / "sc.tar.gz", {**archives.SUPPORTCONFIG}, mode="w:gz")
    told = json.loads(advisor("check", "--root", archive, "--output-format", "json").out)
    validate(told, "advisor-lint-1")
    assert {one["area"] for one in told["findings"]} <= set(AREAS)
    assert [one["area"] for one in told["findings"] if "fstab" in one["file"]]
    assert {one["area"] for one in told["findings"] if "fstab" in one["file"]} == {"client-mounts"}
    unseen = {one["what"]: one["reason"] for one in told["summary"]["unseen"]}
    assert unseen["mount units of systemd"] == "not collected"
    run = json.loads(advisor("check", "--root", archive, "--output-format", "sarif").out)["runs"][0]
    assert {one["properties"]["area"] for one in run["results"]} == {one["area"] for one in told["findings"]}
    notes = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert any(note.startswith("not seen: mount units of systemd (") for note in notes)


def test_what_lint_tells_has_no_area(advisor):
    told = json.loads(advisor("lint", "-", "--output-format", "json", stdin="nas:/a /a nfs hrad 0 0\n").out)
    assert "unseen" not in told["summary"]
    assert ["area" in one for one in told["findings"]] == [False]


def test_since_a_baseline_only_new_findings_are_told(advisor, tmp_path):
    root, accepted = trees.plant(tmp_path / "host", CLIENT), str(tmp_path / "accepted.json")
    assert advisor("check", "--root", root, "--write-baseline", accepted).code == 0
    ran = advisor("check", "--root", root, "--since", accepted)
    assert ran.code == 0, ran.out
    assert "accepted by" in ran.err
    (tmp_path / "host/etc/fstab").write_text(CLIENT["/etc/fstab"] + "nas:/new  /new  nfs  hrad  0 0\n")
    ran = advisor("check", "--root", root, "--since", accepted)
    assert ran.code == 1
    assert "hrad" in ran.out
    assert "nconect" not in ran.out.replace("nconect=8  0 0", "")


SERVER_ONLY = {**trees.DEBIAN12, "/etc/exports": "/srv  *(rw,no_root_squash)\n"}


@pytest.mark.parametrize(("words", "code"), [
    ((), 1), (("--fail-on", "warning"), 1), (("--fail-on", "error"), 0), (("--min-severity", "error"), 0),
    (("--area", "client-mounts"), 0), (("--area", "client-mounts", "--area", "server"), 1),
])
def test_what_is_reported_decides_the_exit_code(advisor, tmp_path, words, code):
    """The exports of this host have warnings and no error."""
    ran = advisor("check", "--root", trees.plant(tmp_path, SERVER_ONLY), "--output-format", "json", *words)
    assert ran.code == code
    shown = {finding["severity"] for finding in json.loads(ran.out)["findings"]}
    assert "error" not in shown
    assert ("warning" in shown) == (words[0:1] != ("--min-severity",) and words != ("--area", "client-mounts"))


def test_areas_are_shown_in_the_order_in_which_they_are_told(advisor, tmp_path):
    ran = advisor("check", "--root", trees.plant(tmp_path, CLIENT), "--area", "server", "--area", "client-mounts")
    assert ran.out.index("Client mounts") < ran.out.index("\nServer")
    assert advisor("check", "--root", str(tmp_path), "--area", "server").out.count("Client mounts") == 0


def test_rules_can_be_chosen_and_left_out(advisor, tmp_path):
    root = trees.plant(tmp_path, CLIENT)
    ran = advisor("check", "--root", root, "--select", "unknown-option", "--output-format", "concise")
    assert [line for line in ran.out.splitlines() if "unknown-option" not in line][:-1] == []
    assert advisor("check", "--root", root, "--ignore", "*").code in (0, 2)


def test_what_is_no_copy_of_a_host(advisor, tmp_path):
    (tmp_path / "x").write_text("hello\n")
    ran = advisor("check", "--root", str(tmp_path / "x"))
    assert ran.code == 2
    assert "--root" in ran.err


def test_known_bugs_are_told_once_a_host_with_the_place_of_the_version(advisor, tmp_path):
    files = {
        **trees.COMMON, **trees.systemd(), **trees.kernel("5.15.136", "#1-Alpine SMP"),
        "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/a", "/a") + trees.nfs("nas:/b", "/b", number=61),
        "/etc/fstab": "nas:/a /a nfs hard 0 0\nnas:/b /b nfs hard 0 0\n",
    }
    ran = advisor("check", "--root", trees.plant(tmp_path / "a", files), "--output-format", "json")
    bugs = [one for one in json.loads(ran.out)["findings"] if one["rule"] == "client-parallel-writes-nul"]
    assert [(one["file"], one["value"], one["expected"]) for one in bugs] == [
        ("/proc/sys/kernel/osrelease", "5.15.136", "5.15.191"),
    ]
    assert bugs[0]["remedy"].endswith("It is fixed in kernel 5.15.191.")
    unknown = {**files, **trees.kernel("5.15.136-generic-ours", "#1 SMP by somebody")}
    ran = advisor("check", "--root", trees.plant(tmp_path / "b", unknown), "--output-format", "json")
    assert "client-parallel-writes-nul" not in {one["rule"] for one in json.loads(ran.out)["findings"]}


def test_an_archive_names_the_place_inside(advisor, tmp_path):
    ran = advisor("check", "--root", archives.pack(tmp_path / "sc.tar.gz", archives.SUPPORTCONFIG, mode="w:gz"))
    assert ran.code == 1
    assert "fs-diskio.txt: /etc/fstab:1" in ran.out
    assert "never contains it" in ran.out


def test_what_only_root_may_read_is_told_once(advisor, tmp_path, monkeypatch):
    real = tree.Disk.content

    def content(self, path, shown, limit):
        if path in ("/var/lib/nfs/etab", "/etc/exports"):
            raise PermissionError(13, "Permission denied")
        return real(self, path, shown, limit)

    monkeypatch.setattr(tree.Disk, "content", content)
    files = {**CLIENT, "/var/lib/nfs/etab": "/srv\t*(ro)\n"}
    ran = advisor("check", "--root", trees.plant(tmp_path, files))
    told = [line for line in " ".join(ran.out.split()).split("not seen: ") if "root may" in line]
    assert [line.partition(" (")[0] for line in told] == ["/etc/exports, /var/lib/nfs/etab"]
    assert "export-in-no-file" not in ran.out


def test_lint_takes_facts_of_a_copy(advisor, tmp_path):
    root = trees.plant(tmp_path, {**archives.SOS_RHEL, "/etc/os-release": 'ID="rhel"\nVERSION_ID="7.9"\n'})
    old = "Linux web1 3.10.0-1160.el7.x86_64 #1 SMP x x86_64 GNU/Linux\n"
    (tmp_path / "sos_commands/kernel/uname_-a").write_text(old)
    (tmp_path / "proc/sys/kernel/osrelease").write_text("3.10.0-1160.el7.x86_64\n")
    line = "nas:/a  /a  nfs  vers=4.1,hard,nconnect=4  0 0\n"
    assert "option-too-new" in advisor("lint", "-", "--root", root, stdin=line).out
    assert "option-too-new" not in advisor("lint", "-", stdin=line).out


def test_a_folder_that_a_report_never_holds_is_told_beside_the_file_that_it_may_override(advisor, tmp_path):
    report = {"/sos_commands/kernel/uname_-a": "Linux h 5.14.0-362.el9.x86_64 #1 SMP\n",
              "/etc/exports": "/srv 10.0.0.0/8(rw,no_subtree_check)\n"}
    told = "/etc/nfs.conf.d/ (a sosreport never contains it)"
    ran = advisor("check", "--root", trees.plant(tmp_path / "a", {**report, "/etc/nfs.conf": "[nfsd]\nthreads=32\n"}))
    assert told in " ".join(ran.out.split())
    ran = advisor("check", "--root", trees.plant(tmp_path / "b", report))
    assert told not in " ".join(ran.out.split())
    assert "15 more" in " ".join(ran.out.split())  # among them the exports in effect and the versions of packages
    secure = {**report, "/etc/exports": "/srv 10.0.0.0/8(rw,sec=krb5p,no_subtree_check)\n"}
    ran = advisor("check", "--root", trees.plant(tmp_path / "c", secure), "--output-format", "json")
    assert "the keytab of Kerberos" in [one["what"] for one in json.loads(ran.out)["summary"]["unseen"]]


def test_what_files_are_compared_with_is_named_if_it_was_not_seen(advisor, tmp_path):
    files = {"/etc/exports": "/srv/a 10.0.0.0/8(rw,no_subtree_check)\n", "/srv/a/x": "",
             "/proc/self/mountinfo": trees.ROOT_MOUNT}
    told = " ".join(advisor("check", "--root", trees.plant(tmp_path / "a", files)).out.split())
    assert "exports in effect" in told
    assert "fine as written, but not compared with all that is in effect: /etc/exports" in told
    assert "versions of packages" in told
    etab = {"/var/lib/nfs/etab": "/srv/a\t10.0.0.0/8(rw,sync,no_subtree_check)\n", "/var/lib/dpkg/status": "\n",
            "/etc/systemd/system/multi-user.target.wants/nfs-server.service": ""}
    told = " ".join(advisor("check", "--root", trees.plant(tmp_path / "b", {**files, **etab})).out.split())
    assert "exports in effect" not in told
    assert "versions of packages" not in told
    assert "fine: /etc/exports" in told
    assert "nsswitch.conf" not in told
    mapping = {**files, **etab, "/etc/idmapd.conf": "[Mapping]\nNobody-User = a\n", "/etc/passwd": "a:x:1:1::/:\n"}
    told = " ".join(advisor("check", "--root", trees.plant(tmp_path / "c", mapping)).out.split())
    assert "not in this copy: groups, sources of users in nsswitch.conf" in told
    assert "not compared with all that is in effect: /etc/idmapd.conf" in told


def test_a_mount_in_effect_says_where_it_is_changed(advisor, tmp_path):
    mounts = (
        f"{trees.ROOT_MOUNT}60 22 0:52 / /var/lib/kubelet/pods/1/volumes/kubernetes.io~nfs/v rw - nfs4 nas:/v "
        "rw,vers=4.1,soft,timeo=10,retrans=2,addr=10.0.0.9\n"
        "61 22 0:53 / /mnt/b rw - nfs4 nas:/b rw,vers=4.1,soft,timeo=10,retrans=2,addr=10.0.0.9\n"
    )
    files = {"/proc/self/mountinfo": mounts, "/etc/fstab": "nas:/b /mnt/b nfs vers=4.1 0 0\n"}
    told = " ".join(advisor("check", "--root", trees.plant(tmp_path, files)).out.split())
    assert "change mountOptions of the PersistentVolume" in told
    assert "Change it in /etc/fstab:1." in told


SLOTS = "/proc/sys/sunrpc/tcp_max_slot_table_entries"
READ_AHEAD = "/sys/class/bdi/0:52/read_ahead_kb"
IDMAPPING = "/sys/module/nfs/parameters/nfs4_disable_idmapping"
HOST = {
    **trees.DEBIAN12,
    "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("acct.file.core.windows.net:/acct/a", "/a"),
    "/etc/fstab": "# mine\nacct.file.core.windows.net:/acct/a  /a  nfs  vers=4.1,hard,intr,nconect=4  0 0\n",
    "/etc/sysctl.d/50-nfs.conf": "vm.swappiness = 10\nsunrpc.tpc_max_slot_table_entries = 128\n",
    SLOTS: "65536\n",
    "/etc/modprobe.d/nfs.conf": "options nfs nfs4_disable_idmaping=Y\n",
    IDMAPPING: "N\n",
    READ_AHEAD: "128\n",
}
FACTS = ("workload.access=sequential", "client.has_nfsrahead=no", "client.has_readahead_15x=no")
STUBS = {
    "id": "echo 0",
    "sysctl": 'shift; key=${1%%=*}; echo "${1#*=}" > "$ROOT/proc/sys/$(echo "$key" | tr . /)"',
    "udevadm": "true", "systemctl": "true", "exportfs": "echo exportfs >> \"$ROOT/ran\"", "mountpoint": "echo 0:52",
}


@pytest.fixture
def host(advisor, tmp_path):
    return OnTree(advisor, tmp_path)


class OnTree:
    """A host that is a tree, on which what was written is run."""

    def __init__(self, advisor, tmp_path: Path) -> None:
        self.advisor, self.root, self.out = advisor, tmp_path / "host", tmp_path / "out"
        self.stubs = tmp_path / "stubs"
        self.stubs.mkdir()
        for name, body in STUBS.items():
            (self.stubs / name).write_text(f"#!/bin/sh\n{body}\n")
            (self.stubs / name).chmod(0o755)

    def plant(self, files: dict[str, str]) -> None:
        trees.plant(self.root, files)

    def check(self, *more: str):
        sets = [word for fact in FACTS for word in ("--set", fact)]
        return self.advisor("check", "--root", str(self.root), *sets, *more)

    def write(self, *more: str):
        ran = self.check("--write-to", str(self.out), *more)
        assert ran.code == 0, ran.err
        return ran

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        text = (self.out / script).read_text()
        for place in ("/etc/", "/sys/", "/run/"):
            text = text.replace(f" {place}", f" {self.root}{place}")
        moved = self.out / f"{script}.moved"
        moved.write_text(text)
        env = {"PATH": f"{self.stubs}:{os.environ['PATH']}", "ROOT": str(self.root)}
        return subprocess.run(["/bin/sh", str(moved)], env=env, capture_output=True, text=True, check=False)

    def state(self) -> dict[str, tuple[str, int]]:
        return {
            str(path.relative_to(self.root)): (path.read_text(), stat.S_IMODE(path.stat().st_mode))
            for path in self.root.rglob("*") if path.is_file()
        }


def test_what_was_written_mends_the_host_and_undo_brings_back_all_of_it(host):
    host.plant(HOST)
    (host.root / "etc/modprobe.d/nfs.conf").chmod(0o600)
    (host.root / "etc/udev/rules.d").mkdir(parents=True)
    before = host.state()
    host.write("--unsafe-fixes")
    assert host.state() == before, "the host itself is not touched"
    ran = host.run("apply.sh")
    assert ran.returncode == 0, ran.stderr
    after = host.state()
    assert "vers=4.1,hard,nconnect=4" in after["etc/fstab"][0]
    assert after["etc/fstab"][0].startswith("# mine\n")
    assert after["etc/modprobe.d/nfs.conf"] == ("options nfs nfs4_disable_idmapping=Y\n", 0o600)
    assert [after[place[1:]][0].strip() for place in (SLOTS, READ_AHEAD, IDMAPPING)] == ["128", "15360", "Y"]
    found = host.check("--min-severity", "warning", "--output-format", "concise").out
    assert "not-in-effect" not in found
    assert "unknown" not in found
    assert "read-ahead" not in found
    assert host.run("look.sh").stdout.count("128") >= 1
    ran = host.run("undo.sh")
    assert ran.returncode == 0, ran.stderr
    assert {name: (text.strip(), mode) for name, (text, mode) in host.state().items()} == {
        name: (text.strip(), mode) for name, (text, mode) in before.items()
    }


def test_only_safe_fixes_are_made_unless_more_is_asked_for(host):
    host.plant(HOST)
    host.write()
    assert (host.out / "files/etc/fstab").read_text() == HOST["/etc/fstab"].replace(",intr", "")
    assert not (host.out / "files/etc/modprobe.d").exists()
    told = (host.out / "STEPS.md").read_text()
    assert "unknown option nconect=4; did you mean nconnect=4? Write nconnect=4. --unsafe-fixes" in told
    assert "umount /a" in told
    assert "| `/etc/fstab` |" in told.partition("## Files\n")[2]
    assert "What you unmounted, mounted or restarted yourself stays so" in told
    assert "This host mounts and serves" not in told


def test_a_file_that_changed_since_is_left_alone(host):
    host.plant(HOST)
    host.write("--unsafe-fixes")
    (host.root / "etc/fstab").write_text("other\n")
    before = host.state()
    ran = host.run("apply.sh")
    assert ran.returncode == 1
    assert "changed since" in ran.stderr
    assert host.state() == before
    assert host.run("undo.sh").returncode == 1
    assert (host.root / "etc/fstab").read_text() == "other\n"


def test_a_second_run_writes_the_same_and_keeps_what_somebody_edited(host):
    host.plant(HOST)
    host.write()
    assert all(line.startswith("same") for line in host.write().out.splitlines()[:-1])
    (host.out / "files/etc/fstab").write_text("mine\n")
    ran = host.check("--write-to", str(host.out))
    assert ran.code == 1
    assert "kept" in ran.out
    assert (host.out / "files/etc/fstab").read_text() == "mine\n"


def test_a_file_of_an_earlier_run_keeps_its_settings_and_comes_back(host):
    """Somebody took one of two settings out of it again."""
    host.plant({**HOST, "/etc/udev/rules.d/x.rules": "\n"})
    host.write()
    host.run("apply.sh")
    place = host.root / "etc/udev/rules.d/90-nfs-read-ahead.rules"
    old = place.read_text().replace("15360", "4096")
    place.write_text(old)
    host.write()
    assert host.run("apply.sh").returncode == 0
    assert "15360" in place.read_text()
    assert host.run("undo.sh").returncode == 0
    assert place.read_text() == old


def test_what_stands_in_a_report_is_not_written_back(host, advisor, tmp_path):
    """supportconfig leaves comments out: as a whole file it would lose them."""
    archive = archives.pack(tmp_path / "sc.tar.gz", archives.SUPPORTCONFIG, mode="w:gz")
    advisor("check", "--root", archive, "--write-to", str(host.out), "--unsafe-fixes")
    assert not list(host.out.rglob("fstab"))


def test_a_value_that_was_not_collected_cannot_be_brought_back_and_is_told(host):
    host.plant({path: text for path, text in HOST.items() if path != SLOTS})
    host.write("--unsafe-fixes")
    told = (host.out / "STEPS.md").read_text()
    assert "the values in effect of sunrpc.tcp\\_max\\_slot\\_table\\_entries were not collected" in told
    assert "sysctl -w" not in (host.out / "apply.sh").read_text()


@pytest.mark.parametrize("etab", [
    "/a\t10.0.0.0/8(rw,sync,wdelay,hide,nocrossmnt,secure,root_squash,no_all_squash)\n",
    "/a\t10.0.0.0/8(rw,sync,wdelay,hide)\n/by-hand\t10.0.0.9(rw,sync,wdelay,hide)\n",
])
def test_exports_made_by_hand_are_not_withdrawn(host, etab):
    host.plant({**trees.DEBIAN12, "/etc/exports": "/a 10.0.0.0/8(rw)\n/b 10.0.0.0/8(ro)\n", "/var/lib/nfs/etab": etab})
    host.write()
    assert "run 'exportfs -a'" in (host.out / "apply.sh").read_text()
    assert not [path for path in host.out.rglob("*.sh") if "exportfs -r" in path.read_text()]


def test_a_host_without_nfs_gets_nothing(host):
    host.plant({**trees.DEBIAN12, "/etc/fstab": "/dev/sda1 / ext4 defaults 0 1\n", "/etc/hostname": "x\n"})
    assert "Nothing to write" in host.write().out
    assert not host.out.exists()


@pytest.mark.parametrize("options", [("--force",), ("--unsafe-fixes",), ("--write-to", "x", "--area", "server")])
def test_options_that_go_together(host, options):
    host.plant(HOST)
    assert host.check(*options).code == 2


def test_one_host_is_not_replaced_by_another_in_silence(advisor, tmp_path):
    trees.plant(tmp_path / "a", CLIENT)
    ran = advisor("check", "--root", str(tmp_path / "a"), "--root", str(tmp_path / "b"))
    assert ran.code == 2
    assert "--root is for one host: --server and --client compare hosts" in " ".join(ran.err.split())
