"""Mounts that units, maps, Kubernetes objects and nfsmount.conf ask for: the same grammar and checks as in fstab, with
the place of each option; what a kind cannot have is told, and what is read in fstab alone is not missed."""

from __future__ import annotations

import itertools

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

UNIT = """\
[Unit]
After=network-online.target

[Mount]
# the share
What=nas5:/export/a
Where=/mnt/a
Type=nfs
Options=vers=4.2,{}
"""


def found(kind: str, text: str, name: str = "x", **known: object) -> dict[tuple[int, int, int], str]:
    """Place → rule, without notes."""
    result = lint_text(text, name, load(), known, kind=kind)
    return {(f.line, f.column, f.end_column): f.rule for f in result.findings if f.severity != "note"}


def notes(kind: str, text: str) -> set[str]:
    findings = lint_text(text, "x", load(), {}, kind=kind).findings
    return {f.tunable or f.rule for f in findings if f.severity == "note" and not f.policy}


@pytest.mark.parametrize("option", ["nconect=8", "nconnect=99", "timeo=30,soft", "vers=4.9", "rsize=1024"])
def test_an_option_is_judged_alike_everywhere(option: str) -> None:
    fstab = set(found("fstab", f"nas5:/export/a /mnt/a nfs {option} 0 0\n").values())
    assert fstab
    for kind, text in {
        "systemd-mount": f"[Mount]\nWhat=nas5:/export/a\nWhere=/mnt/a\nType=nfs\nOptions={option}\n",
        "autofs": f"a -{option} nas5:/export/a\n",
        "kubernetes": "kind: PersistentVolume\nspec:\n  nfs: {server: nas5, path: /a}\n  mountOptions:\n"
        + "".join(f"    - {one}\n" for one in option.split(",")),
    }.items():
        assert set(found(kind, text).values()) == fstab, kind


def test_a_unit_is_shown_at_its_options() -> None:
    assert found("systemd-mount", UNIT.format("nconect=8")) == {(9, 18, 27): "unknown-option"}
    assert found("systemd-mount", UNIT.format("hard")) == {}
    assert found("systemd-mount", "[Mount]\nWhat=//nas/a\nWhere=/a\nType=cifs\nOptions=nconect=8\n") == {}


def test_a_unit_s_source_is_looked_at() -> None:
    assert found("systemd-mount", "[Mount]\nWhat=nas5\nWhere=/a\nType=nfs\nOptions=hard\n") == {
        (2, 6, 10): "fstab-source-form"
    }


def test_what_is_read_in_fstab_alone_has_no_effect_elsewhere() -> None:
    text = UNIT.format("noauto,x-systemd.automount,_netdev,nofail")
    assert notes("systemd-mount", text) == {"mount.noauto", "mount.x-systemd.automount"}
    assert notes("autofs", "a -vers=4.2,noauto,_netdev,nofail nas5:/a\n") == {
        "mount.noauto", "mount._netdev", "mount.nofail"
    }
    assert notes("kubernetes", "kind: PersistentVolume\nspec:\n  nfs: {}\n  mountOptions: [vers=4.2, _netdev]\n") == {
        "mount._netdev"
    }
    efs = "a -fstype=efs,tls fs-1:/\n"
    assert "mount._netdev" not in {f.tunable for f in lint_text(efs, "x", load(), {}, kind="autofs").findings}


def test_nothing_is_said_of_a_type_that_a_volume_does_not_write() -> None:
    text = "kind: PersistentVolume\nspec:\n  mountOptions: [hard]\n  nfs: {server: nas5, path: /a}\n"
    assert not notes("kubernetes", text)


def test_a_map_is_shown_at_its_options() -> None:
    assert found("autofs", "a -fstype=nfs4,rw,nconect=8 nas5:/a\n") == {(1, 19, 28): "unknown-option"}
    assert found("autofs", "/srv/a  nas5:/a\nb  -nconect=8  \\\n  nas5:/b\n") == {(2, 5, 14): "unknown-option"}
    assert found("autofs", "m -rw / nas5:/a /b -nconect=8 nas5:/b\n") == {(1, 21, 30): "unknown-option"}
    assert found("autofs", "m -nconect=8 / nas5:/a /b nas5:/b\n") == {(1, 4, 13): "unknown-option"}  # told once


def test_the_automounter_s_own_options_and_other_file_systems_are_no_mistake() -> None:
    assert found("autofs", "a -fstype=nfs,strict,use-weight-only,vers=4.2,hard nas5(2),nas6:/a\n") == {}
    assert found("autofs", "cd -fstype=iso9660,nconect=8 :/dev/cdrom\n*  nas5:/home/&\n") == {}
    assert found("autofs", "/net -hosts\n/home /etc/auto.home --timeout=60\n/misc file:/etc/x\n+auto.master\n") == {}


def test_one_bad_entry_hides_no_other() -> None:
    assert found("autofs", "a -rw,hard\nb -nconect=8 nas5:/b\n") == {
        (1, 1, 11): "entry-not-understood", (2, 4, 13): "unknown-option",
    }


KUBERNETES = """\
apiVersion: v1
kind: PersistentVolume
spec:
  mountOptions:
    - "nconect=8"   # twice
    - hard,rsize=1024
  nfs:
    server: nas5
    path: /a
---
kind: StorageClass
provisioner: nfs.csi.k8s.io
mountOptions: [nfsvers=4.1, wsize=1024]
---
kind: StorageClass
provisioner: smb.csi.k8s.io
mountOptions: [dir_mode=0777]
"""


def test_every_document_of_a_yaml_is_read_with_its_places() -> None:
    assert found("kubernetes", KUBERNETES) == {
        (5, 8, 17): "unknown-option", (6, 12, 22): "rsize-tiny", (13, 29, 39): "wsize-tiny",
        (12, 14, 28): "k8s-csi-share-missing",
    }


def test_a_template_is_read_as_far_as_it_is_certain() -> None:
    text = "{{- if .Values.nfs }}\nkind: PersistentVolume\nspec:\n  mountOptions:\n    - {{ .Values.opts }}\n"
    text += "    - nconect=8\n"
    text += "  nfs:\n    server: {{ .Values.server }}\n    path: /a\n{{- end }}\n"
    assert found("kubernetes", text) == {(6, 7, 16): "unknown-option"}


def test_what_is_no_yaml_is_told() -> None:
    assert set(found("kubernetes", "kind: PersistentVolume\nspec: [nfs\n").values()) == {"entry-not-understood"}
    assert not found("kubernetes", "kind: PersistentVolume\nspec: [\n")  # nothing says that it concerns NFS


def test_nfsmount_conf_is_read_as_mount_nfs_reads_it() -> None:
    text = '[ NFSMount_Global_Options ]\nNfsvers=4.1\nHard=True\nNConnect=99\n[ Server "nas5" ]\nRsize=1k\nac=False\n'
    assert found("nfsmount.conf", text) == {(4, 1, 12): "option-out-of-range", (6, 1, 9): "rsize-tiny"}
    assert found("nfsmount.conf", "vers=4\n[ Sever ]\nx=1\n") == {
        (1, 1, 7): "entry-not-understood", (2, 3, 8): "entry-not-understood",
    }


def test_older_releases_forget_what_two_servers_set() -> None:
    # nfsconf of nfs-utils 2.6.2 dumps only the second of them.
    text = '[ Server "a" ]\nvers=3\nhard=true\n[ Server "b" ]\nvers=4.2\n[ MountPoint "/x" ]\nvers=4.1\n'
    assert found("nfsmount.conf", text) == {(2, 1, 5): "nfsmount-option-lost"}
    assert found("nfsmount.conf", '[ Server "a" ]\nvers=3\n[ Server "a" ]\nvers=4.2\n') == {}


@each(lambda: itertools.product(["systemd-mount", "autofs", "kubernetes", "nfsmount.conf"], [
    "", "\n", "\0", "\\", "a\\\n", "[Mount]\nWhat=", "- - -", "a: &x [*x]\n", "{{", "\ud800", "x -\n", "[",
    "mountOptions:\n", "[Mount]\nWhat=\\\n\\\n", "a " * 5000, "-" * 5000, "a: " * 500, '"' * 3000, "/ " * 3000,
    "a nas:/a " * 2000,
]))  # fmt: skip
def test_nothing_is_raised(kind: str, text: str) -> None:
    lint_text(text, "x", load(), {}, kind=kind)


def test_mounts_in_effect_are_judged_by_what_somebody_chose() -> None:
    shown = "rw,relatime,vers=4.1,rsize=8192,wsize=8192,namlen=255,{},proto=tcp,timeo=600,retrans=2,sec=sys,"
    shown += "clientaddr=192.0.2.7,local_lock=none,addr=192.0.2.1"
    soft, hard = shown.format("soft"), shown.format("hard")
    for kind, form in {
        "proc-mounts": "sysfs /sys sysfs rw 0 0\nnas5:/a /mnt/a nfs4 {} 0 0\n",
        "mount": "sysfs on /sys type sysfs (rw)\nnas5:/a on /mnt/a type nfs4 ({})\n",
        "mountinfo": "20 1 0:3 / /sys rw - sysfs sysfs rw\n"
        "36 35 0:46 / /mnt/a rw,relatime shared:1 - nfs4 nas5:/a {}\n",
    }.items():
        column = form.split("\n")[1].index("{}") + soft.index("soft") + 1
        assert found(kind, form.format(soft)) == {(2, column, column + 4): "hard/default"}
        assert found(kind, form.format(hard)) == {}
        assert notes(kind, form.format(hard)) == set()
        assert all(f.fix is None for f in lint_text(form.format(soft), "x", load(), {}, kind=kind).findings)


def test_what_the_kernel_does_not_show_is_not_missed_in_effect() -> None:
    text = "fs-1.efs.eu-west-1.amazonaws.com:/ /m nfs4 rw,relatime,vers=4.1,hard,{}proto=tcp,addr=192.0.2.1 0 0\n"
    assert set(found("proc-mounts", text.format("")).values()) == {"noresvport/asked-for"}
    assert found("proc-mounts", text.format("noresvport,")) == {}


def test_a_compose_volume_is_mounted_by_the_kernel_alone() -> None:
    text = "volumes:\n  a:\n    driver_opts:\n      type: nfs\n      o: \"addr=nas5,{}\"\n      device: \":/a\"\n"
    assert found("compose", text.format("rw,nfsvers=4.1,hard")) == {}
    assert found("compose", text.format("nconect=8")) == {(5, 21, 30): "unknown-option"}
    for word in ("_netdev", "nofail", "noauto", "defaults", "x-systemd.automount"):
        assert set(found("compose", text.format(word)).values()) == {"option-refused"}, word
    assert found("compose", text.format("nconect=8").replace("type: nfs", "type: cifs")) == {}


@pytest.mark.parametrize("module", ["ansible.posix.mount", "ansible.builtin.mount", "mount"])
def test_an_ansible_task_is_shown_at_its_options(module: str) -> None:
    task = f"- name: data\n  {module}:\n    path: /a\n    src: nas5:/a\n    fstype: nfs\n    opts: {{}}\n"
    assert found("ansible", task.format("vers=4.2,nconect=8,_netdev")) == {(6, 20, 29): "unknown-option"}
    assert found("ansible", task.format("vers=4.2,nofail,noauto,hard")) == {}
    assert found("ansible", task.format("'{{ a | default(\"x,y\") }},nconect=8'")) == {(6, 37, 46): "unknown-option"}


@pytest.mark.parametrize("task", [
    "- mount: path=/a src=nas5:/a fstype=nfs opts=vers=4.2,nconect=8 state=mounted\n",
    "- ansible.posix.mount: \"name=/a src='nas5:/a' fstype=nfs opts='vers=4.2,nconect=8' state={{ s }}\"\n",
    "- mount: >\n    path=/a src={{ nas }}:/a fstype=nfs\n    opts=vers=4.2,nconect=8\n    state=mounted\n",
])
def test_an_ansible_task_in_one_line_is_read_like_one_in_several(task: str) -> None:
    line = next(number for number, text in enumerate(task.split("\n"), 1) if "nconect" in text)
    column = task.split("\n")[line - 1].index("nconect") + 1
    assert found("ansible", task) == {(line, column, column + 9): "unknown-option"}


@pytest.mark.parametrize(("kind", "text"), [
    ("ansible", "- mount:\n    path: /a\n    src: nas5:/a\n    fstype: nfs\n    opts: vers=4.2, hard\n"),
    ("compose", "driver_opts:\n  type: nfs\n  device: ':/a'\n  o: addr=nas5,vers=4.2, hard\n"),
    ("fstab", "nas5:/a /a nfs vers=4.2,\\040hard 0 0\n"),
])
def test_a_blank_beside_a_comma_is_part_of_the_option(kind: str, text: str) -> None:
    # Linux 6.12.117, asked with mount(8) and fstab: "Unknown parameter ' hard'" and "Bad value for 'timeo'" (` 600`).
    finding = next(one for one in lint_text(text, "x", load(), {}, kind=kind).findings if one.rule == "unknown-option")
    assert finding.remedy == "Write hard."
    assert "did you mean hard?" in finding.message


def test_what_is_proposed_for_an_option_with_blanks_has_none() -> None:
    text = "- mount:\n    path: /a\n    src: nas5:/a\n    fstype: nfs\n    opts: vers=4.2,timeo = 600\n"
    assert [one.remedy for one in lint_text(text, "x", load(), {}, kind="ansible").findings] == ["Write timeo=600."]


def test_cloud_init_mounts_are_shown_at_their_options() -> None:
    text = "#cloud-config\nmounts:\n  - [nas5:/a, /a, nfs, 'vers=4.2,nconect=8', '0', '0']\n  - [xvdh, /b]\n"
    assert found("cloud-init", text) == {(3, 34, 43): "unknown-option"}


def test_docker_hands_words_for_other_programs_to_the_kernel() -> None:
    """The kernel knows no word that systemd or a person reads, and Docker takes none out."""
    for tunable in load().of_kinds("mount-option").values():
        if tunable.read_by in ("systemd", "comment"):
            assert {"file.kind": "compose"} in [one.together for one in tunable.refused], tunable.id


@pytest.mark.parametrize(("kind", "text", "parts"), [
    ("autofs", "a -rw nas:/a\nb -rw nas:/b\n", 2), ("autofs", "a -rw nas:/a\n", 1), ("autofs", "# none\n", 0),
    ("proc-mounts", "nas:/a /a nfs4 rw 0 0\nnas:/b /b nfs4 rw 0 0\n", 2),
])
def test_the_parts_of_a_file_are_its_mounts(kind: str, text: str, parts: int) -> None:
    assert lint_text(text, "f", load(), {}, kind=kind).parts == parts
