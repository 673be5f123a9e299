"""Mounts in compose files (`driver_opts`), Ansible tasks (`mount:`) and cloud-init (`mounts:`), with their places."""

from __future__ import annotations

from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.readers.mounts import yaml_nodes
from advisor.readers.mounts.table import MountEntry, MountTable, TextPart, TextParts
from advisor.readers.mounts.yaml_nodes import Yaml, get, word
from advisor.readers.spans import Span

_MODULES = ("mount", "ansible.posix.mount")


def read(kind: str, text: str, name: str) -> MountTable:
    """Every mount that says its type. What is no YAML is told as bad."""
    yaml = yaml_nodes.read(text)
    found = {"compose": _compose, "ansible": _ansible, "cloud-init": _cloud_init}[kind]
    mounts = (mount for holder, _ in yaml.mappings() for mount in found(yaml, holder))
    return MountTable(text, name, kind, tuple(mounts), yaml.bad)


def _compose(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    driver = get(holder, "driver_opts")
    options = [part for part in yaml.parts(get(driver, "o")) if not part.text.startswith("addr=")]
    server = next((one.text for one in yaml.parts(get(driver, "o")) if one.text.startswith("addr=")), "")[5:]
    device = word(get(driver, "device"))
    source = f"{server}{device}" if server and device.startswith(":") else device
    yield from _mount(yaml, source, None, get(driver, "type"), options)


def _ansible(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    for module in _MODULES:
        task = get(holder, module)
        # A task may be written in one line: `mount: path=/data src=nas:/data fstype=nfs opts=hard`.
        given = yaml.words(task) if isinstance(task, ScalarNode) else {
            key: get(task, key) for key in ("path", "name", "src", "fstype", "opts")
        }
        target = given.get("path") or given.get("name")
        options = yaml.parts(given.get("opts"))
        yield from _mount(yaml, word(given.get("src")), target, given.get("fstype"), options)


def _cloud_init(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    mounts = get(holder, "mounts")
    for entry in mounts.value if isinstance(mounts, SequenceNode) else ():
        if isinstance(entry, SequenceNode) and len(entry.value) > 3:
            source, target, fstype, options = entry.value[:4]
            yield from _mount(yaml, word(source), target, fstype, yaml.parts(options))


def _mount(
    yaml: Yaml, source: str, target: Node | None, fstype: Node | None, options: list[TextPart]
) -> Iterator[MountEntry]:
    kind = yaml.field(fstype)
    if kind is None or not isinstance(fstype, ScalarNode):
        return
    near = options[0].span if options else Span(*kind.span)
    where = yaml.field(target)
    yield MountEntry(
        near.line, "", source=TextParts([], near, source), target=TextParts([where] if where else [], near),
        fstype=TextParts([kind], near), options=TextParts(options, near),
    )
