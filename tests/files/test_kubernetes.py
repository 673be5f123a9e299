"""Kubernetes objects as settings: one block each, with the place of every field."""

from __future__ import annotations

import pytest

from advisor.files.yaml_mounts import read_settings
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

pytestmark = pytest.mark.usefixtures("parser")

CLASS = """apiVersion: storage.k8s.io/v1
kind: StorageClass
provisioner: nfs.csi.k8s.io
parameters:
  server: nas.example.com
  share: /data
mountOptions:
  - nfsvers=4.1
  - hard
reclaimPolicy: Retain
"""


def fields(text: str) -> dict[tuple[str, str], str]:
    return {(one.section, one.key.text): one.value.text for one in read_settings(text, "", "kubernetes").settings}


def rules(text: str) -> dict[str, int]:
    return {f.rule: f.line for f in lint_text(text, "a.yaml", load(), {}, kind="kubernetes").findings if not f.policy}


def test_fields_are_named_by_their_paths() -> None:
    found = fields(CLASS)
    assert found["csi-driver-nfs", "share"] == "/data"
    assert found["csi-driver-nfs", "mountOptions"] == "nfsvers=4.1,hard"
    other = fields(CLASS.replace("nfs.csi.k8s.io", "example.com/nfs"))
    assert other["StorageClass", "parameters.share"] == "/data"
    volume = "kind: PersistentVolume\nspec:\n  csi:\n    driver: nfs.csi.k8s.io\n    volumeAttributes: {share: /a}\n"
    assert fields(volume)["csi-driver-nfs-volume", "share"] == "/a"


def test_a_field_has_its_place() -> None:
    share = next(one for one in read_settings(CLASS, "", "kubernetes").settings if one.key.text == "share")
    assert (tuple(share.key.span), tuple(share.value.span)) == ((6, 3, 8), (6, 10, 15))


def test_each_object_counts_by_itself() -> None:
    listed = "kind: List\nitems:\n- kind: StorageClass\n  provisioner: nfs.csi.k8s.io\n  reclaimPolicy: Retain\n"
    text = f"{CLASS}---\n{listed}"
    assert len(read_settings(text, "", "kubernetes").blocks) == 2
    assert rules(text) == {"k8s-csi-share-missing": 15, "k8s-csi-server-missing": 15}


def test_what_a_template_may_fill_in_is_not_missing() -> None:
    text = CLASS.replace("  share: /data\n", "  {{- with .Values.share }}\n  share: {{ . }}\n  {{- end }}\n")
    assert rules(text) == {}
    assert "k8s-csi-share-missing" in rules(CLASS.replace("  share: /data\n", ""))


def test_names_are_read_in_any_case_and_options_are_named_as_such() -> None:
    assert rules(CLASS.replace("  share:", "  Share:").replace("  server:", "  SERVER:")) == {}
    text = CLASS.replace("  share:", '  nfsvers: "4.1"\n  share:')
    found = lint_text(text, "a", load(), {}, kind="kubernetes").findings
    assert [f.message for f in found if f.rule == "setting-unknown"] == [
        "nfsvers is not a parameter of csi-driver-nfs (it is a mount option)"]


def test_text_that_is_not_yaml_has_no_fields() -> None:
    assert read_settings("kind: [", "", "kubernetes").settings == ()
    assert read_settings("? [a]\n: b\nkind: StorageClass\n", "", "kubernetes").bad == ()


@each(lambda: [
    ("iam", "volumeHandle: fs-0c52cfbb301d1156a", {}),
    ("tls, iam", "volumeHandle: fs-0c52cfbb301d1156a", {}),
    ("iam", "volumeHandle: fs-0c52cfbb301d1156a, volumeAttributes: {encryptInTransit: 'false'}", {"option-refused": 3}),
    ("azid=use1-az1", "volumeHandle: fs-0c52cfbb301d1156a", {"option-refused": 3}),
    ("azid=use1-az1", "volumeHandle: 's3files:fs-e8a95a42'", {}),
])  # fmt: skip
def test_the_driver_of_efs_adds_tls_and_mounts_s3_files(options: str, csi: str, found: dict[str, int]) -> None:
    volume = f"kind: PersistentVolume\nspec:\n  mountOptions: [{options}]\n  csi: {{driver: efs.csi.aws.com, {csi}}}\n"
    assert rules(volume) == found
