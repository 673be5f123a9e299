"""YAML: what cannot be read in every kind of file that is YAML, and nfs volumes that Kubernetes refuses."""

from __future__ import annotations

import pytest

from advisor.files import kinds
from advisor.files.embedded import read_embedded
from advisor.files.yaml_mounts import read_kubernetes
from tests.each import each

pytestmark = pytest.mark.usefixtures("parser")

PV = """\
apiVersion: v1
kind: PersistentVolume
metadata: {name: data}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteMany]
  nfs: {server: nas, path: /data}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: a, image: b, volumeMounts: [{name: data, mountPath: /data}]}]
  volumes:
    - name: data
      nfs: {server: nas, path: /data}
    - name: scratch
      emptyDir: {}
"""


def told(text: str) -> list[str]:
    return [words.partition(";")[0] for _, words in read_kubernetes(text, "volume.yaml", "kubernetes").bad]


@pytest.mark.parametrize("whole", [PV, POD])
@pytest.mark.parametrize(("nfs", "says"), [
    ("{server: nas, path: /data}", []),
    ("{server: nas, path: <ABSOLUTE_PATH>}", []),
    ("{server: nas, path: data}", ["path is not absolute"]),
    ("{server: nas, path: nas:/data}", ["path is not absolute"]),
    ("{server: nas}", ["an nfs volume needs path"]),
    ("{path: /data}", ["an nfs volume needs server"]),
])  # fmt: skip
def test_what_an_nfs_volume_lacks(whole: str, nfs: str, says: list[str]) -> None:
    assert told(whole.replace("{server: nas, path: /data}", nfs)) == says


@each(lambda: [
    ("  csi: {driver: nfs.csi.k8s.io, volumeHandle: a}\n", ["csi is given beside nfs"]),
    ("  hostPath: {path: /a}\n", ["hostPath is given beside nfs"]),
    ("  csi: null\n", []),
    ("  persistentVolumeReclaimPolicy: Retain\n", []),
])  # fmt: skip
def test_a_volume_is_one_thing(more: str, says: list[str]) -> None:
    assert told(PV + more) == says


@pytest.mark.parametrize("text", [
    PV.replace("  capacity: {storage: 1Gi}\n", "").replace("server: nas, ", ""),  # a patch of one field
    PV.replace("{server: nas, path: /data}", "{server: '{{ .Values.server }}', path: '{{ .Values.path }}'}"),
    PV.replace("  nfs:", "  {{- if .Values.csi }}\n  csi: {driver: a}\n  {{- else }}\n  nfs:") + "  {{- end }}\n",
    "nfs: {path: data}\ncsi: {driver: a}\n",  # values of a chart
])  # fmt: skip
def test_what_may_be_whole_elsewhere_is_not_refused(text: str) -> None:
    assert told(text) == []


def test_it_is_told_where_it_stands() -> None:
    ((span, _),) = read_kubernetes(PV.replace("/data", "data"), "volume.yaml", "kubernetes").bad
    assert (span.line, PV.split("\n")[span.line - 1].strip()[:4]) == (7, "nfs:")


@pytest.mark.parametrize("kind", ["kubernetes", "compose", "ansible", "cloud-init", "salt"])
@pytest.mark.parametrize(("text", "line"), [
    ("a: 1\nb: 2\n\tc: 3\nd: 4\n", 3),  # a tab cannot indent
    ("a: 1\nb: }\nc: 3\n", 2),
    ("a: 1\n\n\nb: [1, 2", 4),  # it goes on until the end
])
def test_what_is_not_yaml_is_told_where_it_cannot_be_read(kind: str, text: str, line: int) -> None:
    table = kinds.read_mounts(kind, text, "x.yaml")
    assert [span.line for span, _ in table.bad] == [line]
    assert not table.mounts


def test_a_number_of_thousands_of_digits_is_read() -> None:
    task = f'- mount: {{path: /d, src: "nas:/d", fstype: nfs, opts: hard, dump: "{"9" * 5000}", passno: "2"}}\n'
    ((_, mount),) = read_embedded(task, "play.yml", "ansible").mounts
    freq, passno = mount.numbers
    assert freq > 0
    assert passno == 2


LISTED = "mountOptions: [vers=4.1, hard]\n"


def volumes(text: str) -> list[tuple[str, str, str, str]]:
    return [
        (one.source.value, one.target.value, one.fstype.value, one.options.text)
        for one in read_kubernetes(text, "volume.yaml", "kubernetes").mounts
    ]


@each(lambda: [
    (LISTED, "", "nfs"), ("provisioner: efs.csi.aws.com\n" + LISTED, "", "efs"),
    ("nfs: {server: nas, path: /a}\nmountOptions: [hard]\n", "nas:/a", "nfs"),
    ("nfs: {server: nas}\nmountOptions: [hard]\n", "nas:/", "nfs"),
    ("provisioner: nfs.csi.k8s.io\nparameters: {server: nas, share: /b}\nmountOptions: [hard]\n", "nas:/b", "nfs"),
    ("csi: {driver: nfs.csi.k8s.io, volumeAttributes: {server: n, share: /c}}\nmountOptions: [hard]\n", "n:/c", "nfs"),
    ("parameters: {protocol: nfs}\nmountOptions: [hard]\n", "", "nfs"),
    ("parameters: {backendType: nfs}\nmountOptions: [hard]\n", "", "nfs"),
    ("provisioner: ebs.csi\nmountOptions: [nconnect=4]\n", "", "nfs"),
    ("spec: {nfs: {server: nas, path: /d}, mountOptions: [hard]}\n", "nas:/d", "nfs"),
    ("a: {nfs: {server: nas}, b: {mountOptions: [hard]}}\n", "nas:/", "nfs"),
])  # fmt: skip
def test_what_is_certainly_nfs(text: str, source: str, fstype: str) -> None:
    ((told_source, target, told_type, _),) = volumes(text)
    assert (told_source, target, told_type) == (source, "", fstype)


@each(lambda: [
    "mountOptions: [hard]\n", "provisioner: smb.csi.nfs\nmountOptions: [hard]\n",
    "mountOptions: []\nnfs: {server: nas}\n",
    "provisioner: ebs.csi\nmountOptions: [xnconnect=4, v5]\n", "nfs: {a: {b: {mountOptions: [hard]}}}\n",
    "a: {nfs: {server: nas}, b: {c: {mountOptions: [hard]}}}\n",
])  # fmt: skip
def test_what_may_be_something_else(text: str) -> None:
    assert volumes(text) == []


def test_options_in_the_annotation() -> None:
    text = PV.replace("{name: data}", "{annotations: {volume.beta.kubernetes.io/mount-options: 'rw,hard'}}")
    assert volumes(text) == [("nas:/data", "", "nfs", "rw,hard")]


NO_LIST = "mountOptions has to be a list with one option per item; Kubernetes refuses a string"


@each(lambda: [
    (f"{PV}  mountOptions: hard\n", (8, 17, 21), NO_LIST),
    ("kind: StorageClass\nmountOptions: hard,rw\n", (2, 15, 22), NO_LIST),
    ("kind: StorageClass\nmountOptions: !!set {hard: , soft: }\n", (2, 15, 37), NO_LIST.replace("string", "mapping")),
    (POD.replace("path: /data}", "path: /data, mountOptions: [hard]}"), (8, 53, 59),
     "an nfs volume of a pod has no mountOptions; a PersistentVolume has"),
    (POD.replace("path: /data}", "path: /data}\n      mountOptions: [hard]"), (9, 21, 27),
     "an nfs volume of a pod has no mountOptions; a PersistentVolume has"),
    (f"{PV}  mountOptions: ''\n", None, ""), (f"{PV}  mountOptions: [hard]\n", None, ""),
    ("nfs: {server: n, mountOptions: [hard]}\n", None, ""),
])  # fmt: skip
def test_options_that_are_out_of_place(text: str, place: tuple[int, int, int] | None, words: str) -> None:
    bad = read_kubernetes(text, "volume.yaml", "kubernetes").bad
    assert [(tuple(span), said) for span, said in bad] == ([(place, words)] if place else [])


def test_a_comment_before_empty_lines_is_read() -> None:
    assert read_kubernetes("a: #\n\n    b {c}\n\n\n  ", "x.yaml", "kubernetes").bad == ()
