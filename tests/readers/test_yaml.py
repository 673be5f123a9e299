"""YAML: what cannot be read in every kind of file that is YAML, and nfs volumes that Kubernetes refuses."""

from __future__ import annotations

import pytest

from advisor.readers import mounts
from advisor.readers.kubernetes import read_mounts

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
    return [words.partition(";")[0] for _, words in read_mounts(text, "volume.yaml", "kubernetes").bad]


@pytest.mark.parametrize("whole", [PV, POD])
@pytest.mark.parametrize(("nfs", "says"), [
    ("{server: nas, path: /data}", []),
    ("{server: nas, path: data}", ["path is not absolute"]),
    ("{server: nas, path: nas:/data}", ["path is not absolute"]),
    ("{server: nas}", ["an nfs volume needs path"]),
    ("{path: /data}", ["an nfs volume needs server"]),
])  # fmt: skip
def test_what_an_nfs_volume_lacks(whole: str, nfs: str, says: list[str]) -> None:
    assert told(whole.replace("{server: nas, path: /data}", nfs)) == says


@pytest.mark.parametrize(("more", "says"), [
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
    ((span, _),) = read_mounts(PV.replace("/data", "data"), "volume.yaml", "kubernetes").bad
    assert (span.line, PV.split("\n")[span.line - 1].strip()[:4]) == (7, "nfs:")


@pytest.mark.parametrize("kind", ["kubernetes", "compose", "ansible", "cloud-init", "salt"])
@pytest.mark.parametrize(("text", "line"), [
    ("a: 1\nb: 2\n\tc: 3\nd: 4\n", 3),  # a tab cannot indent
    ("a: 1\nb: }\nc: 3\n", 2),
    ("a: 1\n\n\nb: [1, 2", 4),  # it goes on until the end
])
def test_what_is_not_yaml_is_told_where_it_cannot_be_read(kind: str, text: str, line: int) -> None:
    table = mounts.read(kind, text, "x.yaml")
    assert [span.line for span, _ in table.bad] == [line]
    assert not table.mounts


def test_a_number_of_thousands_of_digits_is_read() -> None:
    task = f'- mount: {{path: /d, src: "nas:/d", fstype: nfs, opts: hard, dump: "{"9" * 5000}", passno: "2"}}\n'
    (mount,) = mounts.read("ansible", task, "play.yml").mounts
    freq, passno = mount.numbers
    assert freq > 0
    assert passno == 2
