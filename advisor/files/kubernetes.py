"""mountOptions of PersistentVolumes, StorageClasses and Helm values, with the place of each option in the YAML.

In templates, what they will fill in is left blank. Only what is certainly NFS counts as a mount."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from advisor.files import yaml_nodes
from advisor.files.spans import Span
from advisor.files.tables import MountEntry, MountTable, TextParts
from advisor.files.yaml_nodes import get, word

OPTIONS = "mountOptions"
_ANNOTATION = ("metadata", "annotations", "volume.beta.kubernetes.io/mount-options")
"""The place of the options before Kubernetes had `mountOptions`; it still reads them there."""
_NFS = re.compile(r"nfs|efs\.csi|trident|csi\.vastdata|filestore|nasplugin|weka|infinibox|zfssa", re.IGNORECASE)
_NOT_NFS = re.compile(r"smb|cifs|\bebs|iscsi|disk\.csi|\brbd|\bceph|s3", re.IGNORECASE)
_NFS_ONLY = re.compile(r"nfsvers=.*|v?ers=4.*|v4(?:\.[012])?|v3|nconnect=.*|noresvport|nolock|minorversion=.*")
_SOURCES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume",
    "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "portworxVolume", "rbd", "vsphereVolume",
)
"""The other types of a PersistentVolume."""
_TEMPLATE = re.compile(r"\{\{|\{%|\$\{")
_OPTIONS_OF = {"PersistentVolume": ("spec", OPTIONS), "StorageClass": (OPTIONS,)}
_HELPERS = {"efs.csi.aws.com": "efs"}


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """Every list of mountOptions that is certainly for NFS, in all documents. Text that is not YAML is `bad`."""
    yaml = yaml_nodes.read(text)
    mounts: list[MountEntry] = []
    bad = list(yaml.bad)
    plain = _TEMPLATE.search(text) is None
    for holder, above in yaml.mappings():
        bad += _misplaced(yaml, holder, above)
        bad += _refused(yaml, holder, above) if plain else ()
        spec = get(holder, "spec")
        if isinstance(spec, MappingNode):
            mounts += _mount(get(holder, *_ANNOTATION), spec, [*above, holder], yaml)
        mounts += _mount(get(holder, OPTIONS), holder, above, yaml)
    return MountTable(text, name, kind, tuple(mounts), tuple(bad))


def _misplaced(yaml: yaml_nodes.Yaml, holder: MappingNode, above: list[MappingNode]) -> Iterator[tuple[Span, str]]:
    """mountOptions that Kubernetes refuses: as a text, or in the volume of a pod."""
    kind = word(get(holder, "kind"))
    listed = get(holder, *_OPTIONS_OF[kind]) if kind in _OPTIONS_OF else None
    if isinstance(listed, ScalarNode) and word(listed):
        yield yaml.span(listed), "mountOptions has to be a list with one option per item; Kubernetes refuses a string"
    volume = get(holder, "nfs")
    inline = get(volume, OPTIONS) or (get(holder, OPTIONS) if get(holder, "name") is not None else None)
    if isinstance(volume, MappingNode) and inline is not None and any(
        get(ancestor, "volumes") is not None for ancestor in above
    ):
        yield yaml.span(inline), "an nfs volume of a pod has no mountOptions; a PersistentVolume has"


def _refused(
    yaml: yaml_nodes.Yaml, holder: MappingNode, above: list[MappingNode]
) -> Iterator[tuple[Span, str]]:
    """nfs volumes that the API server refuses."""
    nfs = get(holder, "nfs")
    of_claim = bool(above) and word(get(above[-1], "kind")) == "PersistentVolume" and get(above[-1], "spec") is holder
    of_pod = get(holder, "name") is not None and any(get(ancestor, "volumes") is not None for ancestor in above)
    if not isinstance(nfs, MappingNode) or not (of_claim or of_pod):
        return
    path = get(nfs, "path")
    if path is not None and not word(path).startswith("/"):
        yield yaml.span(path), "path is not absolute; Kubernetes refuses such an nfs volume"
    whole = of_pod or (get(holder, "capacity") is not None and get(holder, "accessModes") is not None)
    for name in ("server", "path") if whole else ():  # else it may be a patch
        if get(nfs, name) is None:
            yield yaml.span(nfs), f"an nfs volume needs {name}; Kubernetes refuses one without"
    others = (name for name in _SOURCES if isinstance(get(holder, name), MappingNode))
    other = next(others, None)
    if other is not None:
        yield yaml.span(nfs), f"{other} is given beside nfs; Kubernetes refuses a volume with two sources"


def _mount(
    listed: Node | None, holder: MappingNode, above: list[MappingNode], yaml: yaml_nodes.Yaml
) -> Iterator[MountEntry]:
    parts = yaml.parts(listed)
    if not parts:
        return
    objects = [holder, *reversed(above)]
    driver = _first(objects, ("provisioner",), ("spec", "csi", "driver"), ("csi", "driver"))
    words = " ".join(_first(objects, *paths) for paths in (
        [("provisioner",), ("csi", "driver"), ("spec", "csi", "driver")], [("parameters", "protocol")],
        [("parameters", "backendType")], [("kind",)],
    ))  # fmt: skip
    inline = any(get(node, "nfs") is not None for node in objects[:2])
    own = any(_NFS_ONLY.fullmatch(part.text) for part in parts)
    if not (inline or own or _NFS.search(words)) or (_NOT_NFS.search(words) and not own):
        return
    near = parts[0].span
    server = _first(objects[:2], ("nfs", "server"), ("parameters", "server"), ("csi", "volumeAttributes", "server"),
                    ("spec", "nfs", "server"))
    path = _first(objects[:2], ("nfs", "path"), ("parameters", "share"), ("csi", "volumeAttributes", "share"))
    source = f"{server}:{path or '/'}" if server else ""
    yield MountEntry(
        near.line, "", source=TextParts([], near, source), target=TextParts([], near, ""),
        fstype=TextParts([], near, _HELPERS.get(driver, "nfs")), options=TextParts(parts, near),
    )


def _first(objects: list[MappingNode], *paths: tuple[str, ...]) -> str:
    return next((text for node in objects for path in paths if (text := word(get(node, *path)))), "")
