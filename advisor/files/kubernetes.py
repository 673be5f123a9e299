"""Kubernetes objects as settings: each StorageClass and PersistentVolume is a block, and its fields are named by their
paths (`spec.nfs.server`). The parameters of csi-driver-nfs have their own section, because it knows all of them."""

from __future__ import annotations

from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from advisor.files.records import Assignment, Assignments, Block, Token
from advisor.files.yaml_mounts import BLANK, Yaml, get, items, read_yaml, word

_DRIVERS = {"StorageClass": ("provisioner",), "PersistentVolume": ("spec", "csi", "driver")}
"""Kind of object → where it names its driver."""
_OF_CSI = {"StorageClass": "csi-driver-nfs", "PersistentVolume": "csi-driver-nfs-volume"}
_CSI = "nfs.csi.k8s.io"
_SHORTER = ("parameters.", "spec.csi.volumeAttributes.", "spec.csi.")
"""What the names of the driver's own fields begin with, which is left out."""
_MADE_BY = "metadata.annotations.pv.kubernetes.io/"
_UNREAD = ("metadata.labels", "metadata.managedFields", "status")


def read_settings(text: str, file: str, kind: str, _begins: str | None = None) -> Assignments:
    """The fields of all objects. Never raises; text that is not YAML has none, which the reader of its mounts says."""
    yaml = read_yaml(text)
    settings: list[Assignment] = []
    blocks: list[Block] = []
    filled: set[int | None] = set()
    for holder, _ in yaml.mappings():
        section, heading = word(get(holder, "kind")), get(holder, "kind")
        if section not in _DRIVERS or heading is None:
            continue
        if word(get(holder, *_DRIVERS[section])) == _CSI:
            section = _OF_CSI[section]
        number = len(blocks)
        blocks.append(Block(Token(section, yaml.span(heading))))
        lines = yaml.lines[holder.start_mark.line : holder.end_mark.line]
        if any(line.lstrip().startswith(("{{", "{%")) for line in lines):
            filled.add(number)
        for key, value in _fields(yaml, holder, ""):
            prefixes = (_MADE_BY, *(_SHORTER if section in _OF_CSI.values() else ()))
            prefix = next((prefix for prefix in prefixes if key.text.startswith(prefix)), "")
            name = key.text[len(prefix):]
            shown = key._replace(text=name.lower() if prefix in _SHORTER else name)  # the driver ignores their case
            settings.append(Assignment(section, shown, value, block=number))
    return Assignments(text, file, kind, tuple(settings), blocks=tuple(blocks), filled_in=frozenset(filled))


def _fields(yaml: Yaml, node: MappingNode, path: str) -> Iterator[tuple[Token, Token]]:
    """The name and the value of each field; the items of a list are joined by commas."""
    for key, value in node.value:
        if not isinstance(key, ScalarNode) or f"{path}{key.value}" in _UNREAD:
            continue
        name = Token(f"{path}{key.value}", yaml.span(key))
        if isinstance(value, MappingNode):
            yield from _fields(yaml, value, f"{name.text}.")
        elif isinstance(value, (ScalarNode, SequenceNode)) and (value.value or f"{name.text}." not in _SHORTER):
            scalars = items(value) or [value]
            words = ",".join(str(item.value) for item in scalars if isinstance(item, ScalarNode))
            yield name, Token("{{}}" if BLANK in words else words, yaml.span(scalars[0]))
