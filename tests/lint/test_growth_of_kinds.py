"""In every kind of file, work grows with the options of one mount, the clients of one export or the settings of one
section, and no faster; and `check` with the files of a host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

from advisor.check.check_host import host_findings
from advisor.files.kinds import JUDGED
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from tests.steps import steps
from tests.tiers import thorough

BASE = load()
OPTIONS = ("zzzz{i}", "rsize={i}", "hard", "rw", "sec=krb5:sys")
"""None is read, each overrides the one before, all are the same, and so on."""
CIB = ('<cib><configuration><resources><group id="g">{}</group></resources><constraints>{}</constraints>'
       "</configuration></cib>")
RESOURCE = '<primitive id="{0}" class="ocf" provider="heartbeat" type="{1}"><instance_attributes id="i{0}">{2}'
RESOURCE += "</instance_attributes></primitive>"
IN_EFFECT = "rw,{0},addr=10.0.0.1"
ONE: Mapping[str, str] = {
    "fstab": "nas:/a /a nfs {0} 0 0\n",
    "systemd-mount": "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\nOptions={0}\n",
    "autofs": "a -fstype=nfs,{0} nas:/a\n",
    "cmdline": "root=/dev/nfs nfsroot=10.0.0.1:/a,{0} ip=dhcp\n",
    "kubernetes": "kind: PersistentVolume\nspec:\n  nfs: {{server: n, path: /a}}\n  mountOptions: ['{0}']\n",
    "compose": "volumes:\n  a:\n    driver_opts:\n      type: nfs\n      device: ':/a'\n      o: addr=nas,{0}\n",
    "ansible": "- mount:\n    src: nas:/a\n    path: /a\n    fstype: nfs\n    opts: {0}\n",
    "salt": "/a:\n  mount.mounted:\n    - device: nas:/a\n    - fstype: nfs\n    - opts: {0}\n",
    "cloud-init": "#cloud-config\nmounts:\n- [nas:/a, /a, nfs, '{0}']\n",
    "proc-mounts": f"nas:/a /a nfs {IN_EFFECT} 0 0\n",
    "mountinfo": f"30 25 0:26 / /a rw shared:1 - nfs nas:/a {IN_EFFECT}\n",
    "mount": f"nas:/a on /a type nfs ({IN_EFFECT})\n",
    "findmnt": f"TARGET SOURCE FSTYPE OPTIONS\n/a     nas:/a nfs    {IN_EFFECT}\n",
    "nfsstat": f"/a from nas:/a\n Flags: {IN_EFFECT}\n",
    "exports": "/a nas({0})\n",
}
"""A mount, or an export, with its options."""
MANY: Mapping[str, tuple[str, str]] = {
    "nfsmount.conf": ("[ NFSMount_Global_Options ]\n{0}", "{o}=1\n"),
    "nfs.conf": ("[nfsd]\n{0}", "{o}=1\n"), "idmapd.conf": ("[General]\n{0}", "{o}=1\n"),
    "autofs.conf": ("[ autofs ]\n{0}", "{o}=1\n"), "autofs-defaults": ("{0}", "{o}=1\n"),
    "nfs-defaults": ("{0}", "RPCNFSDCOUNT={i}\n"), "deployment": ("{0}", "OPEN_PORT={i}\n"),
    "sysctl": ("{0}", "sunrpc.{o}=1\n"),
    "modprobe": ("options nfs {0}\n", "{o}=1 "), "udev": ('SUBSYSTEM=="bdi", {0}\n', 'ATTR{{read_ahead_kb}}="{i}", '),
    "ganesha.conf": ("EXPORT {{ Export_Id = 1; Path = /a; Pseudo = /a; {0}}}\n", "{o} = 1; "),
    "ganesha.conf: clients": ("EXPORT {{ Export_Id = 1; Path = /a; Pseudo = /a; {0}}}\n",
                              "CLIENT {{ Clients = h{i}; Access_Type = RW; }} "),
    "cib": (CIB.format(RESOURCE.format("s", "exportfs", "{0}"), ""), '<nvpair id="n{i}" name="{o}" value="1"/>'),
    "cib: constraints": (CIB.format(RESOURCE.format("s", "exportfs", "") * 40, "{0}"),
                         '<rsc_order id="o{i}" first="g" then="s"/>'),
    "exports: clients": ("/a {0}\n", "h{i}({o}) "), "exports: lines": ("{0}", "/a{i} h(rw,fsid={i})\n"),
    "exports: fsid": ("/a h(rw,{0}ro)\n", "fsid={i},"), "autofs: lines": ("{0}", "a{i} -fstype=nfs,{o} nas:/a\n"),
    "systemd-mount: lines": ("[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\nOptions={0}hard\n", "{o},\\\n"),
    "kubernetes: lines": ("kind: PersistentVolume\nspec:\n  nfs: {{server: n, path: /a}}\n  mountOptions:\n{0}",
                          "  - '{o}'\n"),
    "kubernetes: keys": ("spec:\n  volumes:\n{0}", "    v{i}: {{name: a, nfs: {{server: n, path: /{o}}}}}\n"),
    "compose: volumes": ("volumes:\n{0}", "  v{i}: {{driver_opts: {{type: nfs, device: ':/a', o: '{o}'}}}}\n"),
}
"""A file, and what it has many of."""
ALWAYS = ("cmdline", "compose", "kubernetes: lines", "exports: fsid", "cib: constraints")


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of the first lines, which would hide how the rest grows."""
    monkeypatch.setattr("advisor.lint.compare.FEW", 0)
    monkeypatch.setattr("advisor.lint.alike.MOST", 0)
    monkeypatch.setattr(RuleIndex, "kept", classmethod(_made_anew))


def _made_anew(
    cls: type[RuleIndex], base: RuleBase, known: Mapping[str, Any], kind: str, profiles: Collection[str] = ()
) -> RuleIndex:
    return cls(base, known, kind=kind, profiles=profiles)


def text_of(shape: str, option: str, n: int) -> str:
    if shape in ONE:
        return ONE[shape].format(",".join(option.format(i=i) for i in range(n)))
    whole, part = MANY[shape]
    return whole.format("".join(part.format(i=i, o=option.format(i=i).partition("=")[0]) for i in range(n)))


def is_linear(work: Callable[[int], Any], size: int) -> None:
    work(4 * size)  # what is asked for the first time is remembered
    one, two, four = (steps(lambda n=n: work(n)) for n in (size, 2 * size, 4 * size))
    assert four - two <= 2.3 * (two - one) + 500, (one, two, four)


def test_every_kind_has_a_shape() -> None:
    assert {*ONE, *(shape.partition(":")[0] for shape in MANY)} >= {*JUDGED}


@pytest.mark.parametrize("shape", [
    pytest.param(shape, marks=() if shape in ALWAYS else thorough) for shape in (*ONE, *MANY)
])
def test_options_of_one_mount(shape: str) -> None:
    kind = shape.partition(":")[0]
    index = RuleIndex(BASE, {}, (), kind)
    for option in OPTIONS:
        is_linear(lambda n, option=option: lint_text(  # type: ignore[misc]
            text_of(shape, option, n), "x", BASE, {}, index, kind=kind), 9)


UNIT = "[Mount]\nWhat=nas:/a{i}\nWhere=/m{i}\nType=nfs\nOptions=hard\n"
EXPORT = "EXPORT {{ Export_Id = {i}; Path = /a{i}; Pseudo = /a{i}; }}\n"
ROOT = "1 0 0:1 / / rw - ext4 /dev/sda rw\n"
NOW = "{j} 1 0:{j} / /m{i} rw shared:1 - nfs nas:/a{i} rw,vers=3,hard,addr=10.0.0.1\n"
HOSTS: Mapping[str, Mapping[str, str]] = {
    "exports.d": {"/etc/exports.d/{i}.exports": "/srv/{i} 10.0.0.0/8(rw,fsid={i})\n"},
    "units": {"/etc/systemd/system/m{i}.mount": UNIT},
    "automounts": {"/etc/systemd/system/m{i}.automount": "[Automount]\nWhere=/m{i}\n# nfs\n"},
    "drop-ins": {"/etc/systemd/system/m{i}.mount": UNIT,
                 "/etc/systemd/system/m{i}.mount.d/x.conf": "[Mount]\nOptions=soft\nType=nfs\n"},
    "nfs.conf.d": {"/etc/nfs.conf.d/{i}.conf": "[nfsd]\nthreads={i}\n"},
    "included in nfs.conf": {"/etc/nfs.conf": "[nfsd]\ninclude=/etc/n{i}.conf\n", "/etc/n{i}.conf": "threads={i}\n"},
    "nfsmount.conf.d": {"/etc/nfsmount.conf.d/{i}.conf": '[ Server "n{i}" ]\nhard=False\n'},
    "sections of nfsmount.conf": {"/etc/nfsmount.conf": '[ Server "n{i}" ]\nhard=False\n',
                                  "/etc/fstab": "n{i}:/a /m{i} nfs hard 0 0\n"},
    "idmapd.conf.d": {"/etc/idmapd.conf.d/{i}.conf": "[General]\nDomain=x{i}\n"},
    "modprobe.d": {"/etc/modprobe.d/{i}.conf": "options nfs nfs4_disable_idmapping={i}\n"},
    "sysctl.d": {"/etc/sysctl.d/{i}.conf": "sunrpc.tcp_slot_table_entries={i}\n"},
    "udev": {"/etc/udev/rules.d/{i}.rules": 'SUBSYSTEM=="bdi", ATTR{{read_ahead_kb}}="{i}"\n'},
    "maps": {"/etc/auto.master": "/m{i} /etc/auto.x{i}\n", "/etc/auto.x{i}": "a -fstype=nfs,hard nas:/a{i}\n"},
    "auto.master.d": {"/etc/auto.master.d/{i}.autofs": "/m{i} /etc/auto.x\n", "/etc/auto.x": "a{i} nas:/a\n"},
    "ganesha": {"/etc/ganesha/ganesha.conf": "%dir /etc/ganesha/e.d\n", "/etc/ganesha/e.d/{i}.conf": EXPORT},
    "included in ganesha.conf": {"/etc/ganesha/ganesha.conf": "%include /etc/ganesha/e.d/{i}.conf\n",
                                 "/etc/ganesha/e.d/{i}.conf": EXPORT},
    "mounts in effect": {"/proc/self/mountinfo": NOW, "/etc/fstab": "nas:/a{i} /m{i} nfs vers=3,soft 0 0\n"},
    "mounts in no file": {"/proc/self/mountinfo": NOW, "/etc/fstab": ""},
    "exports in effect": {"/etc/exports": "/srv/{i} 10.0.0.0/8(rw,fsid={i})\n",
                          "/var/lib/nfs/etab": "/srv/{i}\t10.0.0.0/8(ro,sync,fsid={i},sec=sys,ro)\n"},
}
"""Path → its text; a path with `{i}` stands for many files, another for one with many lines."""


def host(shape: str, n: int) -> dict[str, str]:
    files: dict[str, str] = {}
    for path, text in HOSTS[shape].items():
        for i in range(n):
            at, line = path.format(i=i), text.format(i=i, j=i + 30)
            files[at] = files.get(at, ROOT if at.endswith("mountinfo") else "") + line if "{i}" in text else line
    return files


@pytest.mark.parametrize("shape", [
    pytest.param(shape, marks=() if shape == "exports.d" else thorough) for shape in HOSTS
])
def test_files_of_one_host(shape: str) -> None:
    is_linear(lambda n: host_findings(BASE, host(shape, n), {"client.kernel": "6.1"}), 20)


@thorough
def test_the_count_sees_what_grows_faster() -> None:
    with pytest.raises(AssertionError):
        is_linear(lambda n: [host_findings(BASE, {"/etc/fstab": "nas:/a /a nfs hard 0 0\n"}, {}) for _ in range(n * n)],
                  2)
