"""Which files of a host are found, in which order, and what is said of those that are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from advisor.check.host import collect
from advisor.check.settings import current_settings
from advisor.cli.options import tree_of
from advisor.files.autofs import maps
from advisor.files.kinds import BY_ID
from advisor.host.probe import HostValue, probe
from tests.host import archives, trees


def paths(base: Any, folder: Path, files: dict[str, str], entry: str) -> list[str]:
    found = collect(tree_of(base, trees.plant(folder, files)), [*base.host_files.values()])
    return [one.path for one in found.texts if one.host_file.id == entry]


def test_every_entry_names_a_kind_and_absolute_paths(base: Any) -> None:
    for entry in base.host_files.values():
        assert entry.kind in BY_ID, entry.id
        assert all(path.startswith("/") for path in entry.at), entry.id


RELEASES = {
    "RHEL 7": {"/etc/sysconfig/nfs": "nfs-defaults", "/etc/exports": "exports", "/etc/idmapd.conf": "idmapd-conf",
               "/usr/lib/sysctl.d/50-default.conf": "sysctl", "/etc/modprobe.d/lockd.conf": "modprobe"},
    "RHEL 9": {"/etc/nfs.conf": "nfs-conf", "/etc/nfsmount.conf": "nfsmount-conf",
               "/etc/exports.d/a.exports": "exports",
               "/etc/sysconfig/autofs": "autofs-defaults", "/etc/autofs.conf": "autofs-defaults"},
    "Debian 11": {"/etc/default/nfs-kernel-server": "nfs-defaults", "/etc/default/nfs-common": "nfs-defaults",
                  "/etc/default/autofs": "autofs-defaults", "/lib/udev/rules.d/60-nfs.rules": "udev"},
    "Debian 12": {"/etc/nfs.conf.d/local.conf": "nfs-conf", "/etc/nfsmount.conf.d/x.conf": "nfsmount-conf",
                  "/usr/lib/modprobe.d/50-nfs.conf": "modprobe", "/usr/lib/udev/rules.d/99-nfs.rules": "udev"},
    "SLES 15": {"/etc/nfs.conf.local": "nfs-conf", "/etc/sysconfig/nfs": "nfs-defaults", "/etc/auto.master": "autofs"},
    "Alpine": {"/etc/conf.d/nfs": "nfs-defaults", "/etc/sysctl.conf": "sysctl",
               "/etc/sysctl.d/00-alpine.conf": "sysctl"},
}


@pytest.mark.parametrize("release", RELEASES)
def test_the_files_of_each_release_are_found(base: Any, tmp_path: Path, release: str) -> None:
    wanted = RELEASES[release]
    planted = dict.fromkeys(wanted, "options nfs x=1\nread_ahead_kb\n")
    found = collect(tree_of(base, trees.plant(tmp_path, planted)), [*base.host_files.values()])
    assert {one.path: one.host_file.id for one in found.texts} == wanted


def test_a_file_hides_those_of_its_name_in_later_folders(base: Any, tmp_path: Path) -> None:
    files = {
        "/etc/sysctl.d/50-a.conf": "a = 1\n", "/usr/lib/sysctl.d/50-a.conf": "a = 2\n",
        "/usr/lib/sysctl.d/60-b.conf": "b = 1\n", "/run/sysctl.d/60-b.conf": "b = 2\n",
        "/etc/sysctl.conf": "c = 1\n", "/etc/sysctl.d/99-sysctl.conf": "-> ../sysctl.conf",
        "/etc/sysctl.d/notes": "x = 1\n",
    }
    tree = tree_of(base, trees.plant(tmp_path, files))
    found = collect(tree, [one for one in base.host_files.values() if one.id == "sysctl"])
    assert [one.path for one in found.texts] == [
        "/etc/sysctl.d/50-a.conf", "/etc/sysctl.d/99-sysctl.conf", "/run/sysctl.d/60-b.conf",
    ]
    assert not found.hidden, "only what an empty file turns off is told"


@pytest.mark.parametrize("mask", ["-> /dev/null", ""])
def test_a_masked_rule_is_hidden(base: Any, tmp_path: Path, mask: str) -> None:
    rule = 'SUBSYSTEM=="bdi", ATTR{read_ahead_kb}="4096"\n'
    files = {"/etc/udev/rules.d/99-nfs.rules": mask, "/usr/lib/udev/rules.d/99-nfs.rules": rule}
    found = collect(tree_of(base, trees.plant(tmp_path, files)), [*base.host_files.values()])
    assert [(one.path, one.by) for one in found.hidden] == [
        ("/usr/lib/udev/rules.d/99-nfs.rules", "/etc/udev/rules.d/99-nfs.rules"),
    ]
    assert not [one for one in found.texts if one.host_file.id == "udev"]


def test_lib_that_is_a_link_is_read_once(base: Any, tmp_path: Path) -> None:
    files = {"/lib": "-> usr/lib", "/usr/lib/sysctl.d/50-a.conf": "a = 1\n", "/usr/lib/udev/rules.d/60-b.rules": ""}
    tree = tree_of(base, trees.plant(tmp_path, files))
    found = collect(tree, [*base.host_files.values()])
    assert [one.path for one in found.texts] == ["/usr/lib/sysctl.d/50-a.conf"]
    assert not found.hidden


def test_maps_that_the_master_names(base: Any, tmp_path: Path) -> None:
    files = {
        "/etc/auto.master": "/home /etc/auto.home\n/net -hosts\n/- file:/etc/auto.direct\n/nis yp:auto.nis\n"
                            "/prog program:/etc/auto.sh\n/more auto.more --timeout=60\n/out /srv/auto.out\n"
                            "/x /etc/auto.x\n",
        "/etc/auto.home": "* nas:/home/&\n", "/etc/auto.direct": "/data nas:/data\n", "/etc/auto.more": "a nas:/a\n",
        "/etc/auto.master.d/y.autofs": "/y /etc/auto.y\n", "/etc/auto.y": "b nas:/b\n", "/etc/auto.x": "#!/bin/sh\n",
    }
    assert paths(base, tmp_path, files, "autofs") == [
        "/etc/auto.master", "/etc/auto.home", "/etc/auto.direct", "/etc/auto.more", "/etc/auto.master.d/y.autofs",
        "/etc/auto.y",
    ]
    found = collect(tree_of(base, str(tmp_path)), [*base.host_files.values()])
    assert {one.path: one.why for one in found.unseen if one.there} == {
        "yp:auto.nis": "this map is in no file", "/etc/auto.sh": "it is a program, which is not run",
        "/etc/auto.x": "it is a program, which is not run",
        "/srv/auto.out": "the map /srv/auto.out: is outside of what is read",
    }


def test_names_of_maps() -> None:
    found = maps("# /a /etc/a\n/a \\\n /etc/auto.a\n/b file,sun:/etc/auto.b\n+auto.master\n/c ldap:ou=x\n/d\n")
    assert [(one.point, one.path) for one in found] == [("/a", "/etc/auto.a"), ("/b", "/etc/auto.b"), ("/c", "")]


def test_what_was_not_collected_is_told_as_a_whole(base: Any, tmp_path: Path) -> None:
    tree = tree_of(base, archives.pack(tmp_path / "a.tar", archives.SUPPORTCONFIG))
    found = collect(tree, [*base.host_files.values()])
    assert {one.title for one in found.unseen if one.whole} >= {"nfsmount.conf", "idmapd.conf", "modprobe.d"}
    exports = [one for one in found.unseen if one.title == "exports"]
    assert [(one.path, one.why, one.whole) for one in exports] == [
        ("/etc/exports.d/*", "a supportconfig archive never contains it", False),
    ]
    read = current_settings(base, tree, probe(base.facts, tree), {})
    kinds = {base.tunables[name].kind for name, (own, _) in read.items() if own == HostValue(None, "")}
    assert {"sysctl", "nfs.conf"} <= kinds, "the archive has these files"
    assert not {"module-parameter", "idmapd.conf"} & kinds, "nothing is called unset in files that nobody saw"


def test_volumes_of_a_cluster(base: Any, tmp_path: Path) -> None:
    files = {
        "/cluster-scoped-resources/core/persistentvolumes/a.yaml":
            "apiVersion: v1\nkind: PersistentVolume\nspec:\n  mountOptions: [hard]\n  nfs: {server: nas, path: /a}\n",
    }
    tree = tree_of(base, archives.pack(tmp_path / "a.tar", files, "must-gather.local.1/quay-io-x"))
    found = collect(tree, [*base.host_files.values()])
    assert [one.host_file.kind for one in found.texts] == ["kubernetes"]


def test_drop_ins_of_several_units_do_not_hide_each_other(base: Any, tmp_path: Path) -> None:
    folder = "/etc/systemd/system/"
    files = {f"{folder}{unit}.mount.d/override.conf": "[Mount]\nOptions=hard\n" for unit in ("mnt-a", "mnt-b")}
    files[f"{folder}mnt-a.service.d/override.conf"] = "[Service]\nOptions=x\n"
    assert paths(base, tmp_path, files, "mount-drop-ins") == [
        f"{folder}mnt-a.mount.d/override.conf", f"{folder}mnt-b.mount.d/override.conf",
    ]
