"""Mounts in compose files (`driver_opts`), Ansible tasks (`mount:`), Salt states (`mount.mounted`) and cloud-init
(`mounts:`), with their places."""

from __future__ import annotations

from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.files import yaml_nodes
from advisor.files.spans import Span
from advisor.files.tables import MountEntry, MountTable, TextPart, TextParts
from advisor.files.yaml_nodes import Yaml, get, word

_MODULES = ("mount", "ansible.posix.mount", "ansible.builtin.mount")  # the last redirects to ansible.posix


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """Every mount that has a type. Text that is not YAML is `bad`."""
    yaml = yaml_nodes.read(text)
    mounts_in = {"compose": _compose, "ansible": _ansible, "salt": _salt, "cloud-init": _cloud_init}[kind]
    mounts = tuple(mount for holder, _ in yaml.mappings() for mount in mounts_in(yaml, holder))
    return MountTable(text, name, kind, mounts, (*yaml.bad, *(_not_lists(yaml) if kind == "cloud-init" else ())))


def _compose(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    driver = get(holder, "driver_opts")
    options = yaml.parts(get(driver, "o"))
    server = next((option.text for option in options if option.text.startswith("addr=")), "")[5:]
    for mount in _mount(yaml, get(driver, "device"), None, get(driver, "type"), options):
        if mount.source.value.startswith(":"):
            mount.source.value = f"{server}{mount.source.value}"
        yield mount


def _ansible(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    for module in _MODULES:
        task = get(holder, module)
        # A task may be on one line: `mount: path=/data src=nas:/data fstype=nfs opts=hard`.
        given = yaml.words(task) if isinstance(task, ScalarNode) else {
            key: get(task, key) for key in ("path", "name", "src", "fstype", "opts", "dump", "passno")
        }
        target = given.get("path") or given.get("name")
        options = yaml.parts(given.get("opts"))
        for mount in _mount(yaml, given.get("src"), target, given.get("fstype"), options):
            yield _with_numbers(yaml, mount, given.get("dump"), given.get("passno"))


def _salt(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    for name, state in holder.value:
        listed = get(state, "mount.mounted")
        # The arguments are a list of mappings with one key each; without `name` the state's own name counts.
        given = {
            str(key.value): value for argument in (listed.value if isinstance(listed, SequenceNode) else ())
            if isinstance(argument, MappingNode) for key, value in argument.value
        }
        options = yaml.parts(given.get("opts"))
        for mount in _mount(yaml, given.get("device"), given.get("name", name), given.get("fstype"), options):
            yield _with_numbers(yaml, mount, given.get("dump"), given.get("pass_num"))


def _cloud_init(yaml: Yaml, holder: MappingNode) -> Iterator[MountEntry]:
    """Fields that an entry leaves out are those of `mount_default_fields`, or cloud-init's own."""
    mounts, defaults = get(holder, "mounts"), get(holder, "mount_default_fields")
    for entry in mounts.value if isinstance(mounts, SequenceNode) else ():
        if not isinstance(entry, SequenceNode) or len(entry.value) < 2:
            continue
        source, target, fstype, options, freq, passno = (_entry_field(entry, at) for at in range(6))
        if fstype is not None and options is not None:
            mount_entries = _mount(yaml, source, target, fstype, yaml.parts(options))
        else:
            fields = [_entry_field(defaults, at) for at in range(4)]
            mount_entries = _with_defaults(yaml, [source, target, fstype, options], fields)
        for mount in mount_entries:
            yield _with_numbers(yaml, mount, freq, passno)


def _not_lists(yaml: Yaml) -> Iterator[tuple[Span, str]]:
    """Entries of `mounts` that cloud-init refuses."""
    for holder, _ in yaml.mappings():
        mounts = get(holder, "mounts")
        for entry in mounts.value if isinstance(mounts, SequenceNode) else ():
            if isinstance(entry, ScalarNode) and ":/" in entry.value:
                source = entry.value.split()[0]
                yield yaml.span(entry), f"an entry of mounts is a list; write [{source}, /MOUNTPOINT, nfs]"


def _entry_field(entry: Node | None, at: int) -> Node | None:
    """A field of an entry, None if it is missing."""
    fields = entry.value if isinstance(entry, SequenceNode) else []
    return fields[at] if at < len(fields) and not fields[at].tag.endswith(":null") else None


def _with_defaults(yaml: Yaml, given: list[Node | None], defaults: list[Node | None]) -> Iterator[MountEntry]:
    """A mount of which some fields come from the defaults; these have no place in the entry."""
    written = [yaml.field(node) for node in given]
    if written[0] is None or written[1] is None:
        return
    near = written[0].span
    fields = [
        TextParts([part] if part else [], near, None if part else getattr(node, "value", default))
        for part, node, default in zip(written, defaults, ("", "", "auto", "defaults,nofail,_netdev"))
    ]
    options = given[3] or defaults[3]
    if options is not None:
        fields[3] = TextParts(yaml.parts(options), near)
    source, target, fstype, mount_options = fields
    yield MountEntry(near.line, "", source=source, target=target, fstype=fstype, options=mount_options)


def _mount(
    yaml: Yaml, device: Node | None, target: Node | None, fstype: Node | None, options: list[TextPart]
) -> Iterator[MountEntry]:
    kind = yaml.field(fstype)
    if kind is None or not isinstance(fstype, ScalarNode):
        return
    near = options[0].span if options else Span(*kind.span)
    what, where = yaml.field(device), yaml.field(target)
    yield MountEntry(
        near.line, "", source=TextParts([what] if what else [], near, word(device)),
        target=TextParts([where] if where else [], near), fstype=TextParts([kind], near),
        options=TextParts(options, near),
    )


def _with_numbers(yaml: Yaml, mount: MountEntry, freq: Node | None, passno: Node | None) -> MountEntry:
    """The mount with the last two fields of fstab."""
    mount.freq, mount.passno = (
        TextParts([part], mount.options.near) if part else None for part in (yaml.field(freq), yaml.field(passno))
    )
    return mount
