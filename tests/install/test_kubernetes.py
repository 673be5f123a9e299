"""The manifests against the parts of Kubernetes' schema that they use."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import artefacts
from tests.install.cases import HOSTILE, base, made
from tests.install.tools import lines

PATH = "kubernetes/nfs-advisor.yaml"
_NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", "maxLength": 253}
_QUANTITY = {"type": "string", "pattern": "^[0-9]+(Ki|Mi|Gi|Ti)$"}
_MODES = {"type": "array", "minItems": 1, "items": {"enum": ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                                             "ReadWriteOncePod"]}}
_OPTIONS = {"type": "array", "items": {"type": "string"}}
_META = {"type": "object", "required": ["name"], "properties": {"name": _NAME}, "additionalProperties": False}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


SCHEMAS = {
    "StorageClass": _object({
        "apiVersion": {"const": "storage.k8s.io/v1"}, "kind": {}, "metadata": _META,
        "provisioner": {"type": "string"}, "reclaimPolicy": {"enum": ["Delete", "Retain"]},
        "volumeBindingMode": {"enum": ["Immediate", "WaitForFirstConsumer"]}, "mountOptions": _OPTIONS,
    }, "apiVersion", "kind", "metadata", "provisioner"),
    "PersistentVolume": _object({
        "apiVersion": {"const": "v1"}, "kind": {}, "metadata": _META, "spec": _object({
            "capacity": _object({"storage": _QUANTITY}, "storage"), "accessModes": _MODES,
            "persistentVolumeReclaimPolicy": {"enum": ["Retain", "Delete", "Recycle"]},
            "storageClassName": _NAME, "mountOptions": _OPTIONS,
            "nfs": _object({"server": {"type": "string"}, "path": {"type": "string"}, "readOnly": {"type": "boolean"}},
                           "server", "path"),
        }, "capacity", "accessModes", "nfs"),
    }, "apiVersion", "kind", "metadata", "spec"),
    "PersistentVolumeClaim": _object({
        "apiVersion": {"const": "v1"}, "kind": {}, "metadata": _META, "spec": _object({
            "accessModes": _MODES, "storageClassName": _NAME, "volumeName": _NAME,
            "resources": _object({"requests": _object({"storage": _QUANTITY}, "storage")}, "requests"),
        }, "accessModes", "resources"),
    }, "apiVersion", "kind", "metadata", "spec"),
}


@pytest.mark.parametrize("names", [None, HOSTILE, {"server": "fd00::1", "export": "/yes"}])
def test_manifests_have_the_form_that_kubernetes_asks_for(names: dict[str, str] | None) -> None:
    text = made("kubernetes", names)[PATH].text
    read = list(yaml.safe_load_all(text))
    assert [one["kind"] for one in read] == list(SCHEMAS)
    assert read == list(YAML(typ="safe", pure=True).load_all(text))
    for one in read:
        errors = [error.message for error in Draft202012Validator(SCHEMAS[one["kind"]]).iter_errors(one)]
        assert errors == []
    volume = read[1]["spec"]
    wanted = names or {"server": "nfs-server.example", "export": "/export"}
    assert volume["nfs"] == {"server": wanted["server"], "path": wanted["export"]}
    assert volume["capacity"]["storage"] == "2048Gi"
    assert "mountOptions" not in read[0]  # which reach no volume that is made by hand
    assert "hard" in volume["mountOptions"]


def test_options_that_only_fstab_knows_are_left_out() -> None:
    assert "nofail" in made("efs")["fstab"].text.splitlines()[-1]
    options = next(line for line in made("efs")["systemd/mnt-nfs.mount"].text.splitlines() if line.startswith("Opt"))
    assert "nofail" not in options
    assert "_netdev" in options
    assert "_netdev" not in lines(made("efs")["autofs/auto.nfs-advisor"].text)[0]
    assert "WantedBy=remote-fs.target" in made("efs")["systemd/mnt-nfs.mount"].text
    assert "RequiredBy=remote-fs.target" in made("home-1gbe")["systemd/mnt-nfs.mount"].text


def test_a_helper_type_is_no_volume_of_kubernetes() -> None:
    facts = {"storage.platform": "aws-efs", "storage.encrypted_transit": True, "workload.kind": "containers"}
    paths = [one.path for one in artefacts(base(), advise(base(), Answers(facts=facts)))]
    assert "fstab" in paths
    assert PATH not in paths


def test_no_manifest_without_containers() -> None:
    assert PATH not in made("home-1gbe")
    facts = {"storage.platform": "knfsd", "client.container": True, "mount.vers": "4.1"}  # such as LXD
    assert PATH not in [one.path for one in artefacts(base(), advise(base(), Answers(facts=facts)))]


@pytest.mark.parametrize(("platform", "driver", "parameters"), [
    ("ontap", "csi.trident.netapp.io", None),
    ("knfsd", "nfs.csi.k8s.io", {
        "server": "nfs-server.example", "share": "/export",
        "csi.storage.k8s.io/provisioner-secret-name": "nfs-advisor",
        "csi.storage.k8s.io/provisioner-secret-namespace": "default"}),
])
def test_the_driver_that_is_advised_makes_the_volumes(
    platform: str, driver: str, parameters: dict[str, str] | None
) -> None:
    facts = {"storage.platform": platform, "client.kubernetes": True, "host.role": "nfs-client", "mount.vers": "4.1"}
    written = {one.path: one for one in artefacts(base(), advise(base(), Answers(facts=facts)))}
    storage_class, *secrets, claim = yaml.safe_load_all(written[PATH].text)
    assert storage_class["provisioner"] == driver
    assert storage_class.get("parameters") == parameters
    assert "hard" in storage_class["mountOptions"]
    assert "volumeName" not in claim["spec"]
    options = ",".join(storage_class["mountOptions"])  # as the driver mounts to delete a volume
    assert [secret["stringData"] for secret in secrets] == [{"mountOptions": options}] * bool(parameters)
