"""What kind of file is which: by content alone, by name, and that nothing is taken for fstab for want of better."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from advisor.cli.lint import kind_of
from advisor.files.kinds import AROUND, BY_ID, JUDGED, KINDS, SAMPLE, WIDTH, identify
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests import needs
from tests.each import each

SHARED = needs.OTHERS
MANIFEST = SHARED / "corpus" / "manifest.jsonl"
LOOK_ALIKES = Path(__file__).with_name("look_alikes.yaml")

BY_CONTENT = [
    ("ansible-inventory", "[nfsd]\nnfs1 ansible_host=192.0.2.1\n[all:vars]\nthreads=8\n"),
    ("exports", "/srv/a -rw,sync,no_subtree_check 192.0.2.0/24 nas6\n"),
    ("fstab", "nas5:/export/a /srv/a nfs vers=4.1,hard 0 0\n"),
    ("fstab", "# static\nUUID=0a1b / ext4 rw,relatime 0 1\nnas5:/a /a nfs rw,relatime,addr=192.0.2.1 0 0\n"),
    ("fstab", "{{ server }}:{{ path }} {{ target }} nfs4 {{ options }} 0 0\n"),
    ("fstab", "nas5:/export/a nfs4 soft,intr\n"),
    ("kubernetes", '{"apiVersion": "v1", "kind": "PersistentVolume"}\n'),
    ("fstab", "$NFS_SRC $NFS_DIR nfs hard,intr\n"),
    ("exports", "/ localhost (rw)\n"),
    ("exports", "/srv/a 192.0.2.0/24(rw,sync,no_subtree_check) *.example.com(ro)\n"),
    ("exports", '"/srv/with blank" gss/krb5p(rw)\n'),
    ("exports", "/srv/a \\\n  nas1(rw) \\\n  nas2(ro)\n"),
    ("exports", "/srv/a 2001:db8:5::/64(rw)\n"),
    ("autofs", "data -fstype=nfs,nconect=8 nas5:/export/data\n"),
    ("autofs", "*  nas5:/home/&\n"),
    ("autofs", "/srv/apps  -ro,hard  nas5,nas6:/export/apps\n"),
    ("autofs", "/home /etc/auto.home --timeout=60\n/net -hosts\n+auto.master\n"),
    ("autofs", "multi / -rw nas5:/a \\\n  /b nas5:/b\n"),
    ("proc-mounts", "sysfs /sys sysfs rw,nosuid,nodev 0 0\nnas5:/a /a nfs4 rw,relatime,vers=4.2,addr=192.0.2.1 0 0\n"),
    ("mountinfo", "36 35 98:0 / /mnt rw,noatime shared:1 - nfs4 nas5:/a rw,vers=4.2\n"),
    ("mount", "nas5:/a on /mnt/a type nfs4 (rw,relatime,vers=4.2)\n"),
    ("findmnt", "TARGET SOURCE FSTYPE OPTIONS\n/mnt/a nas5:/a nfs4 rw\n"),
    ("mountstats", "device nas5:/a mounted on /mnt/a with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2\n"),
    ("nfsstat", "/mnt/a from nas5:/a\n Flags:\trw,relatime,vers=4.2\n"),
    ("nfs.conf", "[nfsd]\nthreads=64\n"),
    ("nfsmount.conf", "[ NFSMount_Global_Options ]\nnconnect=4\n"),
    ("nfsmount.conf", '[ Server "nas5" ]\nvers=4.2\n'),
    ("idmapd.conf", "[General]\nDomain = example.com\n[Mapping]\nNobody-User = nobody\n"),
    ("systemd-mount", "[Unit]\nAfter=network-online.target\n[Mount]\nWhat=nas5:/a\nWhere=/a\nType=nfs\n"),
    ("systemd-mount", "[Automount]\nWhere=/a\n"),
    ("systemd-unit", "[Unit]\nDescription=x\n[Service]\nExecStart=/bin/true\n"),
    ("autofs.conf", "[ autofs ]\ntimeout = 300\n"),
    ("autofs-defaults", 'TIMEOUT=300\nBROWSE_MODE="no"\n'),
    ("nfs-defaults", "RPCNFSDCOUNT=64\nNEED_GSSD=yes\n"),
    ("sysctl", "sunrpc.tcp_max_slot_table_entries = 128\nnet/core/rmem_max=1\n"),
    ("modprobe", "options sunrpc tcp_max_slot_table_entries=128\n"),
    ("udev", 'SUBSYSTEM=="bdi", ACTION=="add", ATTR{read_ahead_kb}="16384"\n'),
    ("kubernetes", "apiVersion: v1\nkind: PersistentVolume\nspec:\n  mountOptions: [nconnect=4]\n"),
    ("kubernetes", "persistence:\n  mountOptions:\n    - vers=4.1\n"),
    ("compose", "volumes:\n  a:\n    driver_opts:\n      type: nfs\n      o: addr=nas5,rw\n"),
    ("ansible", "- hosts: all\n  tasks:\n    - ansible.posix.mount:\n        src: nas5:/a\n"),
    ("ansible", "- name: mount\n  mount: name=/a src=nas5:/a fstype=nfs state=mounted\n"),
    ("salt", "/a:\n  mount.mounted:\n    - device: nas5:/a\n"),
    ("cloud-init", "#cloud-config\nmounts:\n  - [nas5:/a, /a, nfs, defaults, '0', '0']\n"),
    ("cmdline", "root=/dev/nfs nfsroot=192.0.2.1:/srv/root,vers=4.1 ip=dhcp rw\n"),
    ("cib", '<cib><configuration><primitive id="x"/></configuration></cib>\n'),
    ("corosync.conf", "totem {\n  version: 2\n}\n"),
    ("ganesha.conf", "# exports\nEXPORT {\n  Export_Id = 7;\n  Path = /srv;\n}\n"),
    ("ganesha.conf", "nfs_core_param\n{\n    Protocols = 4;\n}\n"),
    ("script", "#!/bin/sh\nshowmount -e $1\n"),
    ("macos-nfs.conf", "# tuning\nnfs.client.mount.options = nfsvers=4.0,resvport\nnfs.server.nfsd_threads=64\n"),
    ("ufw-applications", "[nfsd]\ntitle=NFS\nports=2049/tcp\n[mountd]\nports=13025/tcp|13025/udp\n"),
    ("vfstab", "#device device mount FS fsck mount mount\nfd - /dev/fd fd - no -\nnas5:/a - /a nfs - yes rw,vers=3\n"),
    ("bsd-map", "/net/data -intr,nfsv4 192.0.2.7:/vol/data\n/net/a -nolocks nas5:/a\n"),
    ("dfstab", 'share -F nfs -o rw=client1,root=client1 -d "home" /export/home\n'),
]

NOT_KNOWN = [
    "root:x:0:0:root:/root:/bin/bash\n",
    "127.0.0.1 localhost\n192.0.2.1 nas5\n",
    "nameserver 192.0.2.53\noptions timeout:2\n",
    "Filesystem 1K-blocks Used Available Use% Mounted on\nnas5:/a 1048576 1 1048575 1% /a\n",
    "Dear colleague, please mount the share.\nIt is on nas5.\n",
    '{"a": 1}\n',
    "x = 1\n",
    "nas5:/a nfs4 10G\n",
    "\0\1\2\n",
]


@each(lambda: BY_CONTENT)
def test_content_alone_tells_the_kind(kind: str, text: str) -> None:
    assert identify(text) == kind
    assert identify(text.replace("\n", "\r\n")) in (kind, "fstab" if kind == "proc-mounts" else kind)


def test_one_line_of_the_kernel_tells_its_table() -> None:
    """An address is what only the kernel writes; the other lines could stand in an fstab as well."""
    plain = "/dev/sda1 / ext4 rw,noatime 0 0\n/dev/sda2 /srv xfs rw 0 0\n"
    assert identify(plain) == "fstab"
    assert identify(f"{plain}nas5:/a /a nfs4 rw,vers=4.2,addr=192.0.2.5 0 0\n") == "proc-mounts"


@pytest.mark.parametrize("text", NOT_KNOWN)
def test_what_fits_nothing_is_of_no_kind(text: str) -> None:
    assert identify(text) is None
    assert identify(text, "/etc/something") is None


def test_every_kind_is_told_by_content() -> None:
    assert {kind for kind, _ in BY_CONTENT} == set(BY_ID)
    assert len(BY_ID) == len(KINDS)


@each(lambda: [
    ("/etc/vfstab", "vfstab"), ("/etc/dfs/dfstab", "dfstab"),
    ("/etc/fstab", "fstab"), ("fstab.bak", "fstab"), ("host7.fstab", "fstab"), ("etc_fstab", "fstab"),
    ("/etc/ganesha/ganesha.conf", "ganesha.conf"), ("/etc/ganesha/exports/7.conf", "ganesha.conf"),
    ("/etc/exports", "exports"), ("/etc/exports.d/home", "exports"), ("site.exports", "exports"),
    ("/etc/auto.master", "autofs"), ("auto_home", "autofs"), ("/etc/auto.master.d/a.autofs", "autofs"),
    ("/etc/nfs.conf", "nfs.conf"), ("/etc/nfs.conf.d/10-site.conf", "nfs.conf"),
    ("/etc/nfsmount.conf.d/a.conf", "nfsmount.conf"), ("/etc/idmapd.conf", "idmapd.conf"),
    ("/etc/systemd/system/mnt-a.mount", "systemd-mount"), ("mnt-a.automount", "systemd-mount"),
    ("/etc/systemd/system/mnt-a.mount.d/50-x.conf", "systemd-mount"),
    ("/etc/sysctl.d/91-nfs.conf", "sysctl"), ("/etc/modprobe.d/nfs.conf", "modprobe"),
    ("/etc/udev/rules.d/99-nfs.rules", "udev"), ("/proc/mounts", "proc-mounts"), ("/proc/self/mounts", "proc-mounts"),
    ("/etc/mtab", "proc-mounts"), ("/proc/self/mountinfo", "mountinfo"), ("/proc/self/mountstats", "mountstats"),
    ("/etc/default/nfs-kernel-server", "nfs-defaults"), ("/etc/sysconfig/nfs", "nfs-defaults"),
    ("/etc/conf.d/nfs", "nfs-defaults"), ("/etc/sysconfig/autofs", "autofs-defaults"),
    ("/etc/autofs.conf", "autofs.conf"),
    ("docker-compose.yml", "compose"), ("/proc/cmdline", "cmdline"),
])  # fmt: skip
def test_the_name_tells_the_kind_of_a_file_that_says_nothing(name: str, kind: str) -> None:
    assert identify("", name) == kind
    assert identify("# nothing is set\n", name) == kind


def test_the_name_of_a_map_tells_whose_options_it_has() -> None:
    text = "/net/data -intr,nfsv4 192.0.2.7:/vol/data\n/net/b nas5:/b\n/net/c nas5:/c\n"
    assert identify(text, "/etc/auto_mount") == "bsd-map"
    assert identify(text, "/etc/auto.mount") == "autofs"
    assert identify("/net/b -ro,nfsvers=4 nas5:/b\n", "/etc/auto_mount") == "autofs"


def test_a_name_of_two_kinds_is_that_of_the_content() -> None:
    assert identify("# x\nsunrpc.tcp_slot_table_entries=128\nnet.core.rmem_max = 7\n", "10-nfs.conf") == "sysctl"
    assert identify("threads=64\nvers4=n\n", "10-nfs.conf") == "nfs.conf"
    assert identify("[nfsd]\nthreads=64\n", "10-nfs.conf") == "nfs.conf"


def test_a_name_is_believed_where_the_content_fits_it() -> None:
    mounts = "sysfs /sys sysfs rw,nosuid,nodev 0 0\nnas5:/a /a nfs4 rw,relatime,vers=4.2,addr=192.0.2.1 0 0\n"
    assert identify(mounts, "/etc/fstab") == "fstab"  # somebody copied it there, and mount(8) reads it so
    for text in ("/srv nas1 nas2\n", "/srv 192.0.2.0/24\n", "/a -ro,sync nas1 @hosts\n/b *.example.com\n"):
        assert {identify(text, f"{folder}/exports") for folder in ("/etc", "/home/me")} == {"exports"}, text
    for text in ("/usr/lib/a.so\n", "/srv /mnt\n", "export A=1\n", "/a = b\n"):
        assert identify(text, "/home/me/exports") is None, text
    assert identify("nas5:/a /a nfs defaults 0 0\n", "/etc/mtab") == "fstab"


def test_a_name_is_not_believed_against_all_of_the_content() -> None:
    assert identify("/srv 192.0.2.0/24(rw,sync)\n", "/tmp/fstab") == "exports"
    assert identify("nonsense\n", "/etc/fstab") == "fstab"  # bad lines of fstab are findings


def test_a_file_that_is_switched_off_is_told_by_what_stood_in_it() -> None:
    assert identify("# only comments\n#/srv 192.0.2.0/24(rw,sync)\n", "site") == "exports"


def test_a_long_line_and_a_long_file_are_told_by_their_beginning() -> None:
    assert identify("a" * 1_000_000) is None
    assert identify("nas5:/a /a nfs " + "rw," * 500_000 + "\n") == "fstab"
    assert identify("nas5:/a /a nfs rw 0 0\n" * 100_000) == "fstab"


FAMILIES = {
    "nfs_conf": {"nfs.conf", "nfsmount.conf", "idmapd.conf", "nfs-defaults"},
    "procmounts": {"proc-mounts", "mountinfo", "mount", "mountstats", "ansible"},
    "systemd": {"systemd-mount", "systemd-unit"}, "k8s": {"kubernetes"}, "cloudinit": {"cloud-init"},
    "ansible": {"ansible", "salt"}, "autofs": {"autofs", "autofs.conf", "autofs-defaults"},
}  # fmt: skip
SAYING_NOTHING = {
    "modprobe/id-16291772534.conf": "the keyword is translated",
    "modprobe/id-29719831440.conf": "a list item in front of the keyword",
    "nfs_conf/nfs-utils-tests_nfsconf_01-errors.conf.conf": "sections that no NFS program has",
    "nfs_conf/nfs-utils-tests_nfsconf_02-valid.conf.conf": "sections that no NFS program has",
    "nfs_conf/nfs-utils-tests_nfsconf_02-valid.sub.conf": "sections that no NFS program has",
    "procmounts/hotsos-tests_unit_fake_data_root_kubernetes_proc_mounts.mounts": "the text of a link",
    "procmounts/procfs-mountstats-1.mountstats": "no entry of a mount",
    "procmounts/procfs-mountstats-2.mountstats": "no entry of a mount",
    "procmounts/procfs-mountstats-3.mountstats": "no entry of a mount",
    "sysctl/hotsos-tests_unit_fake_data_root_kubernetes_etc_sysctl.d_99-sysctl.conf.conf": "the text of a link",
    "sysctl/insights-test_sysctl-SYSCTL_CONF_INITRAMFS_TEST.conf": "what a program printed about a file",
    "sysctl/insights-test_sysctl-SYSCTL_TEST.conf": "keys without a path, that no kernel has",
}


@pytest.mark.skipif(not MANIFEST.exists(), reason=needs.SHARED)
def test_public_files_are_told_apart() -> None:
    wrong = {}
    rows = [json.loads(line) for line in MANIFEST.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        text = (MANIFEST.parent / row["file"]).read_bytes().decode("utf-8", "surrogateescape")
        kind = identify(text, row["file"])
        if kind not in FAMILIES.get(row["kind"], {row["kind"]}):
            wrong[row["file"]] = kind
    assert wrong == dict.fromkeys(SAYING_NOTHING)


def test_only_the_first_lines_and_characters_are_read() -> None:
    mount, other, key = "nas5:/a on /mnt/a type nfs4 (rw)\n", "x\n", "a = 1\n"
    assert identify(key * (SAMPLE - 1) + "#!/bin/sh\n[nfsd]\n") == "nfs.conf"
    assert identify(key * SAMPLE + "[nfsd]\n") is None
    assert identify(f"{'#' * 10}\n" * SAMPLE + "[nfsd]\n") == "nfs.conf"
    assert identify(mount * 50 + other * 50) == "mount"
    assert identify(mount * 48 + other * 52) is None
    assert identify(f"/a {'b' * (WIDTH - 8)}(ro)\n") == "exports"
    assert identify(f"/a {'b' * WIDTH}(ro)\n") is None


def test_a_program_begins_with_its_interpreter() -> None:
    assert identify("\n  #!/bin/sh\nnas5:/a /a nfs rw 0 0\n") == "script"
    assert identify("[nfsd]\n#!/bin/sh\n") == "nfs.conf"


@each(lambda: [
    ("{{- /* note */}}\n{% if a %}\nnas5:/a /a nfs rw 0 0\n<% b %>\n", "fstab"),
    ("[nfs\\\nd]", "nfs.conf"),
    ("[nfsd]\\", "nfs.conf"), ("a b\\", None), ("# [nfsd]\n#\tthreads=1\n", "nfs.conf"), ("# a note\n", None),
    ("\n \n", "fstab"),
    ("", "fstab"),
])  # fmt: skip
def test_lines_are_read_without_what_surrounds_them(text: str, kind: str | None) -> None:
    assert identify(text) == kind


def test_a_name_yields_to_content_that_is_mostly_of_another_kind() -> None:
    entry, other = "nas5:/a /a nfs rw 0 0\n", "x\n"
    assert identify(entry * 3 + other * 2, "/etc/nfs.conf") == "fstab"
    assert identify(entry + other, "/etc/nfs.conf") == "nfs.conf"


KERNEL = "nas5:/a /a nfs4 rw,relatime,addr=192.0.2.1 0 0\n"
LIKELY = "nas5:/a /a nfs4 rw,relatime 0 0\n"
PLAIN = "nas5:/a /a nfs4 rw 0 0\n"


@each(lambda: [
    (KERNEL, "proc-mounts"), (KERNEL.replace(" ", "\t"), "fstab"), (KERNEL.replace(" ", "  "), "fstab"),
    (f"# a\n{KERNEL}", "fstab"), (f"{KERNEL}# a\n", "fstab"), (PLAIN, "fstab"), (LIKELY, "proc-mounts"),
    (LIKELY + PLAIN, "fstab"), (LIKELY * 2 + PLAIN, "proc-mounts"), (KERNEL * 10 + "x\n", "proc-mounts"),
    (KERNEL * 9 + "x\n", "fstab"),
])  # fmt: skip
def test_what_the_kernel_writes(text: str, kind: str) -> None:
    assert identify(text) == kind


def test_nothing_is_found_in_files_of_others() -> None:
    for case in YAML(typ="safe").load(LOOK_ALIKES.read_text(encoding="utf-8")):
        text, name = case["text"], case.get("name", "")
        kind = identify(text, name)
        if "kind" in case:
            assert kind == case["kind"], case["what"]
        kind = kind_of(name, text.encode(), None)
        assert kind not in (*JUDGED, *AROUND) or not lint_text(text, name, load(), {}, kind=kind).findings, case["what"]


@pytest.mark.parametrize(("text", "kind"), [
    (f"$ cat /proc/mounts\nsysfs /sys sysfs rw,relatime 0 0\n{KERNEL}", "proc-mounts"),
    ("[root@web1 ~]# cat /etc/exports\n/srv web2(rw)\n[root@web1 ~]# \n", "exports"),
    ("root@web1:/tmp$ mount -t nfs4\nnas5:/a on /a type nfs4 (rw,vers=4.2)\n", "mount"),
    ("# cat /etc/fstab\nnas5:/a /a nfs rw 0 0\n", "fstab"),
])
def test_a_pasted_terminal(text: str, kind: str) -> None:
    """What the command shows is read, and the prompt is not."""
    assert identify(text) == kind
    findings = lint_text(text, "<stdin>", load(), {}, kind=kind).findings
    assert "error" not in {found.severity for found in findings}


EMBEDDED = [
    ("compose.sh", "cat > compose.yaml <<E\nservices:\n  a: {}\nE\n", "script"),
    ("roles/nfs/tasks/main.yml", "- name: a\n  copy:\n    content: |\n      [nfsd]\n      threads=8\n", "ansible"),
    ("x.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: |\n    - hosts: all\n", "kubernetes"),
    ("mount.pp", "[Mount]\nWhat=nas5:/a\n", "script"),
    ("fstab.md", "nas5:/a /a nfs rw 0 0\n", "script"),
    ("README.md", "# NFS\n- first:\n\n    apiVersion: v1\n    kind: PersistentVolume\n- then: mount it\n", "script"),
    ("README.md", "apiVersion: v1\nkind: PersistentVolume\nspec:\n  nfs:\n    server: nas5\n", "kubernetes"),
    ("tune.sh", "# for NFS\nnet.core.rmem_max = 16777216\nsunrpc.tcp_slot_table_entries = 128\n", "sysctl"),
    ("tune.sh", "sysctl -w net.core.rmem_max=16777216\nmount nas5:/a /a\n", "script"),
    ("nfs.sh", "NFSD_COUNT=8\nmount nas5:/a /a\n", "script"),
    ("volumes.sh", "version: '3.2'\nservices:\n  a:\n    image: b\n", "compose"),
]


@pytest.mark.parametrize(("name", "text", "kind"), EMBEDDED)
def test_what_is_inside_does_not_make_the_kind(name: str, text: str, kind: str | None) -> None:
    assert identify(text, name) == kind
