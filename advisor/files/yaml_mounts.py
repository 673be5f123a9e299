"""YAML, with the place of every scalar. Mounts: mountOptions of PersistentVolumes, StorageClasses and Helm values, and
`mounts:` of cloud-init. Kubernetes objects as settings: each StorageClass and PersistentVolume is a block, its fields
are named by their paths (`spec.nfs.server`), and the parameters of csi-driver-nfs have their own section, because it
knows all of them.

In templates, what they will fill in is left blank. Only what is certainly NFS counts as a mount."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.bounded_yaml import BoundError, KeyedPairs, compose_all
from advisor.files.kinds import NOT_YAML
from advisor.files.placeholders import has_markup, without_statements
from advisor.files.records import (
    Assignment,
    Assignments,
    Block,
    Field,
    MountEntry,
    MountTable,
    Placed,
    Span,
    Stretch,
    Token,
)
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_LOADED = regex(r"(?m)^\{%-? ?endload ?-?%\}[ \t]*$")
"""The end of YAML that Salt loads into a variable, and others may follow."""
_NAMED = r"(?m:(?<=: )\{[A-Za-z_][\w.-]{0,60}\}(?=[ \t]{0,9}(?:\#|$)))"
"""A placeholder that YAML takes for a mapping: `path: {NAME}`."""
_INLINE = regex(
    rf"\{{\{{(?:[^{{}}\n]|\{{[^{{}}\n]*\}})*\}}\}}|\{{%[^{{}}\n]*%\}}|\$\{{[^\n{{}}]*\}}|<%[^%\n]*%>|{_NAMED}"
)
_BEGUN = regex(r"(?m)^[ \t]*(?:\{%.*|\{\{[^\n]*\}\}[ \t]*)$")
"""Lines that are a statement, perhaps with text in it, or an expression that stands for whole lines."""
_BREAK = regex("\r(?!\n)|[\x85\u2028\u2029]")
"""What YAML counts as the end of a line, and nobody else."""
MAX_GAPS = 8
"""Lines of a template that may be left out so that the others can be read."""
BLANK = "__"
"""Repeated, it stands for what a template will fill in."""
_LISTED = "mountOptions"
_ANNOTATION = ("metadata", "annotations", "volume.beta.kubernetes.io/mount-options")
"""The place of the options before Kubernetes had `mountOptions`; it still reads them there."""
_NFS = regex(r"nfs|efs\.csi|trident|csi\.vastdata|filestore|nasplugin|weka|infinibox|zfssa", re.IGNORECASE)
_NOT_NFS = regex(r"smb|cifs|\bebs|iscsi|disk\.csi|\brbd|\bceph|s3", re.IGNORECASE)
_NFS_ONLY = regex(r"nfsvers=.*|v?ers=4.*|v4(?:\.[012])?|v3|nconnect=.*|noresvport|nolock|minorversion=.*")
_SOURCES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "csi", "fc", "flexVolume",
    "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "portworxVolume", "rbd", "vsphereVolume",
)
"""The other types of a PersistentVolume."""
_TEMPLATE = regex(rf"\{{\{{|\{{%|\$\{{|<%|{_NAMED}")
_VOLUME = "PersistentVolume"
_OPTIONS_OF = {_VOLUME: ("spec", _LISTED), "StorageClass": (_LISTED,)}
_HELPERS = {"efs.csi.aws.com": ("efs", "tls", "encryptInTransit")}
"""Driver → the type that it mounts, the option that it adds, and the attribute that can forbid it."""

_DRIVERS = {"StorageClass": ("provisioner",), "PersistentVolume": ("spec", "csi", "driver")}
"""Kind of object → where it names its driver."""
_OF_CSI = {"StorageClass": "csi-driver-nfs", "PersistentVolume": "csi-driver-nfs-volume"}
_CSI = "nfs.csi.k8s.io"
_SHORTER = ("parameters.", "spec.csi.volumeAttributes.", "spec.csi.")
"""What the names of the driver's own fields begin with, which is left out."""
_MADE_BY = "metadata.annotations.pv.kubernetes.io/"
_UNREAD = ("metadata.labels", "metadata.managedFields", "status")


class Yaml(NamedTuple):
    """`documents`: their roots; none if the text cannot be read, and `bad` then says why, for people. `blanked`:
    the lines without templates."""

    documents: tuple[Node, ...]
    lines: list[str]
    blanked: list[str]
    bad: tuple[tuple[Span, str], ...]

    def mappings(self) -> Iterator[tuple[MappingNode, list[MappingNode]]]:
        """Every mapping, each with those around it, the nearest last. A node with aliases comes once."""
        seen: set[int] = set()
        todo: list[tuple[Node, list[MappingNode]]] = [(root, []) for root in reversed(self.documents)]
        while todo:
            node, above = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, MappingNode):
                yield node, above
                inside = [*above, node][-8:]
                todo += [(value, inside) for _, value in reversed(node.value) if not isinstance(value, ScalarNode)]
            elif isinstance(node, SequenceNode):
                todo += [(value, above) for value in reversed(node.value)]

    def parts(self, node: Node | None) -> list[Token]:
        """The items of a scalar that lists options, or of a list of such scalars; exact where the file has them
        literally. A space beside a comma belongs to the item, because it is passed on, and the kernel does not know `
        hard`."""
        if isinstance(node, SequenceNode):
            return [part for item in node.value for part in self.parts(item)]
        if not isinstance(node, ScalarNode):
            return []
        text = self.placed(node)
        return [item for item in text.cut(0, len(text.text.rstrip("\n"))).items() if item.text.strip()]

    def placed(self, node: Node) -> Placed:
        """The text of a scalar as the file has it, templates included."""
        first, last, runs = node.start_mark, node.end_mark, []
        style = getattr(node, "style", None)
        block, quoted = style in ("|", ">"), style in ("'", '"')
        lines = self.lines[first.line + block : last.line + (last.column > 0)]
        indent = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0) if block else 0
        for number, line in enumerate(lines, first.line + block):
            blanks = indent if block else len(line) - len(line.lstrip())
            start = first.column + quoted if number == first.line else blanks
            end = last.column - quoted if number == last.line and not block else len(line)
            runs.append(Stretch(line[start:end] + "\n" * (style == "|"), number + 1, start + 1))
            if style != "|" and number < first.line + block + len(lines) - 1:
                runs.append(Stretch(" ", number + 1, end + 1, False))
        text = Placed(runs).unescaped() if style == '"' else Placed(runs)
        if quoted and len(lines) == 1 and len(text.text) != len(str(node.value)):  # escapes of other kinds
            shown = re.sub("_{4,}", lambda gap: f"${{{gap[0][3:]}}}", str(node.value))  # what a template fills in
            return Placed([Stretch(shown, first.line + 1, first.column + 1, exact=False)])
        return text

    def field(self, node: Node | None) -> Token | None:
        """A scalar as one part; None for other nodes."""
        if not isinstance(node, ScalarNode):
            return None
        value = "" if BLANK in node.value else node.value
        return Token(value, self.span(node), exact=False)

    def span(self, node: Node) -> Span:
        """The place of a node, up to the end of its first line."""
        line, column = node.start_mark.line, node.start_mark.column
        end = node.end_mark.column if node.end_mark.line == line else len(self.lines[line])
        return Span(line + 1, column + 1, max(column + 2, end + 1))


_ERRORS = (YAMLError, RecursionError, ValueError, NotImplementedError)
"""What a parser of YAML raises; the last for comments in odd places."""


@lru_cache(maxsize=1)
def read_yaml(text: str) -> Yaml:
    """Read all documents of a text. Never raises. The last one is kept, as one file may have several readers. In a
    template, lines that cannot be read before they are filled in become empty."""
    begun = _BEGUN.sub("", without_statements(_LOADED.sub("---", text)))
    blanked, whole = (
        _BREAK.sub(" ", _INLINE.sub(lambda match: "_" * len(match[0]), part)).split("\n") for part in (begun, text)
    )
    lines = text.split("\n")
    template = _TEMPLATE.search(text) is not None
    if template:
        for attempt in (blanked, whole):  # a playbook is YAML before it is filled in, too
            with suppress(*_ERRORS):
                return Yaml(tuple(compose_all("\n".join(attempt))), lines, attempt, ())
    gaps = MAX_GAPS * template
    while True:
        try:
            return Yaml(tuple(compose_all("\n".join(blanked))), lines, blanked, ())
        except _ERRORS as error:
            mark = getattr(error, "problem_mark", None)
            line = min(mark.line + 1, len(lines)) if mark is not None else 1
            if gaps and blanked[line - 1] and not isinstance(error, BoundError):
                gaps -= 1
                blanked[line - 1] = ""
                continue
            if template and not isinstance(error, BoundError):  # its words of NFS count as not judged
                return Yaml((), lines, blanked, ())
            words = f"{NOT_YAML}: {getattr(error, 'problem', None) or 'syntax error'}"
            return Yaml((), lines, blanked, ((Span(line, 1, max(len(lines[line - 1]), 1) + 1), words),))


def get(node: Node | None, *path: str) -> Node | None:
    """The node below these nested keys, None if one is missing."""
    for key in path:
        if not isinstance(node, MappingNode):
            return None
        node = node.value.by_key.get(key) if isinstance(node.value, KeyedPairs) else None
    return node


def items(node: Node | None) -> list[Node]:
    """What a list contains; [] for any other node."""
    return node.value if isinstance(node, SequenceNode) else []


def word(node: Node | None) -> str:
    """The text of a scalar; "" for other nodes, and for what a template will fill in."""
    return str(node.value) if isinstance(node, ScalarNode) and BLANK not in node.value else ""


def read_kubernetes(text: str, name: str, kind: str) -> MountTable:
    """Every list of mountOptions that is certainly for NFS, in all documents. Text that is not YAML is `bad`."""
    yaml = read_yaml(text)
    mounts: list[MountEntry] = []
    bad = list(yaml.bad)
    plain = _TEMPLATE.search(text) is None
    for holder, above in yaml.mappings():
        around = (*above, holder)
        if any(isinstance(get(node, "properties"), MappingNode) or get(node, "openAPIV3Schema") for node in around):
            continue  # the schema in a CustomResourceDefinition rather than an object
        bad += _misplaced(yaml, holder, above)
        bad += _refused(yaml, holder, above) if plain else ()
        spec = get(holder, "spec")
        if isinstance(spec, MappingNode):
            mounts += _volume(get(holder, *_ANNOTATION), spec, [*above, holder], yaml)
        mounts += _volume(get(holder, _LISTED), holder, above, yaml)
    return MountTable(text, name, kind, tuple(mounts), tuple(bad))


def _misplaced(yaml: Yaml, holder: MappingNode, above: list[MappingNode]) -> Iterator[tuple[Span, str]]:
    """mountOptions that Kubernetes refuses: as a text, or in the volume of a pod."""
    kind = word(get(holder, "kind"))
    listed = get(holder, *_OPTIONS_OF[kind]) if kind in _OPTIONS_OF else None
    if isinstance(listed, MappingNode) or (isinstance(listed, ScalarNode) and word(listed)):
        what = "mapping" if isinstance(listed, MappingNode) else "string"
        yield yaml.span(listed), f"mountOptions has to be a list with one option per item; Kubernetes refuses a {what}"
    volume = get(holder, "nfs")
    if not isinstance(volume, MappingNode):
        return
    inline = get(volume, _LISTED) or (get(holder, _LISTED) if get(holder, "name") is not None else None)
    if inline is not None and any(get(ancestor, "volumes") is not None for ancestor in above):
        yield yaml.span(inline), "an nfs volume of a pod has no mountOptions; a PersistentVolume has"


def _is_of_pod(holder: MappingNode, above: list[MappingNode]) -> bool:
    """Whether this is a volume of a pod."""
    return get(holder, "name") is not None and any(get(ancestor, "volumes") is not None for ancestor in above)


def _refused(yaml: Yaml, holder: MappingNode, above: list[MappingNode]) -> Iterator[tuple[Span, str]]:
    """nfs volumes that the API server refuses."""
    nfs = get(holder, "nfs")
    if not isinstance(nfs, MappingNode):
        return
    of_claim = bool(above) and word(get(above[-1], "kind")) == "PersistentVolume" and get(above[-1], "spec") is holder
    of_pod = _is_of_pod(holder, above)
    if not (of_claim or of_pod):
        return
    path = get(nfs, "path")
    if path is not None and not word(path).startswith("/") and not has_markup(word(path)):
        yield yaml.span(path), "path is not absolute; Kubernetes refuses such an nfs volume"
    whole = of_pod or (get(holder, "capacity") is not None and get(holder, "accessModes") is not None)
    for name in ("server", "path") if whole else ():  # else it may be a patch
        if get(nfs, name) is None:
            yield yaml.span(nfs), f"an nfs volume needs {name}; Kubernetes refuses one without"
    others = (name for name in _SOURCES if isinstance(get(holder, name), MappingNode))
    other = next(others, None)
    if other is not None:
        yield yaml.span(nfs), f"{other} is given beside nfs; Kubernetes refuses a volume with two sources"


def _volume(listed: Node | None, holder: MappingNode, above: list[MappingNode], yaml: Yaml) -> Iterator[MountEntry]:
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
    fstype, added, unless = _HELPERS.get(driver, ("nfs", "", ""))
    special = _first(objects[:2], ("csi", "volumeHandle"), ("parameters", "provisioningMode"))
    if special.startswith("s3files"):
        fstype = "s3files"
    elif added and added not in [part.text for part in parts] and (
        _first(objects[:2], ("csi", "volumeAttributes", unless)).lower() != "false"
    ):
        parts.append(Token(added, near, exact=False))
    yield MountEntry(
        near.line, "", source=Field((), near, source), target=Field((), near, ""),
        fstype=Field((), near, fstype), options=Field(parts, near),
    )


def _first(objects: list[MappingNode], *paths: tuple[str, ...]) -> str:
    return next((text for node in objects for path in paths if (text := word(get(node, *path)))), "")


def read_playbook(text: str, name: str, kind: str) -> MountTable:
    """The mounts of cloud-init. Those of playbooks, states and compose files are read as embedded text. Text that is
    not YAML is `bad`."""
    yaml = read_yaml(text)
    if kind != "cloud-init":
        return MountTable(text, name, kind, (), yaml.bad)
    bad = [*yaml.bad]
    mounts = tuple(mount for holder, _ in yaml.mappings() for mount in _cloud_init(yaml, holder, bad))
    return MountTable(text, name, kind, mounts, tuple(bad))


def _cloud_init(yaml: Yaml, holder: MappingNode, bad: list[tuple[Span, str]]) -> Iterator[MountEntry]:
    """Fields that an entry leaves out are those of `mount_default_fields`, or cloud-init's own; these have no place in
    the entry. Adds to `bad` the entries that cloud-init refuses."""
    defaults = [_entry_field(get(holder, "mount_default_fields"), at) for at in range(4)]
    for entry in items(get(holder, "mounts")):
        if isinstance(entry, ScalarNode) and ":/" in entry.value:
            words = f"an entry of mounts is a list; write [{entry.value.split()[0]}, /MOUNTPOINT, nfs]"
            bad.append((yaml.span(entry), words))
        source, target, fstype, listed, freq, passno = (_entry_field(entry, at) for at in range(6))
        first = yaml.field(source)
        if first is None or yaml.field(target) is None:
            continue
        options = yaml.parts(listed or defaults[3])
        near = options[0].span if options and listed is not None else first.span
        given = listed is not None or defaults[3] is not None
        yield MountEntry(
            near.line, "", source=_field(yaml, source, near), target=_field(yaml, target, near),
            fstype=_field(yaml, fstype, near, getattr(defaults[2], "value", "auto")),
            options=Field(options, near) if given else Field((), near, "defaults,nofail,_netdev"),
            freq=_field(yaml, freq, near), passno=_field(yaml, passno, near),
        )


def _entry_field(entry: Node | None, at: int) -> Node | None:
    """A field of an entry, None if it is missing."""
    fields = items(entry)
    return fields[at] if at < len(fields) and not str(fields[at].tag).endswith(":null") else None


def _field(yaml: Yaml, node: Node | None, near: Span, default: str = "") -> Field:
    """A field that one scalar gives; any other node is none."""
    part = yaml.field(node)
    return Field((), near, default) if part is None else Field((part,), near)


def read_settings(text: str, file: str, kind: str, _begins: str | None = None) -> Assignments:
    """The fields of all objects. Never raises; text that is not YAML has none, which the reader of its mounts says."""
    yaml = read_yaml(text)
    settings: list[Assignment] = []
    blocks: list[Block] = []
    filled: set[int | None] = set()
    for holder, above in yaml.mappings():
        section, heading = word(get(holder, "kind")), get(holder, "kind")
        nfs = get(holder, "nfs")
        if isinstance(nfs, MappingNode) and _is_of_pod(holder, above):  # as a PersistentVolume has it
            for path, key, value in _fields(yaml, nfs, "spec.nfs."):
                settings.append(Assignment(_VOLUME, Token(path, key), value, block=len(blocks)))
            blocks.append(Block(Token(_VOLUME, yaml.span(nfs))))
        if section not in _DRIVERS or heading is None:
            continue
        if word(get(holder, *_DRIVERS[section])) == _CSI:
            section = _OF_CSI[section]
        number = len(blocks)
        blocks.append(Block(Token(section, yaml.span(heading))))
        end = holder.end_mark
        lines = yaml.lines[holder.start_mark.line : end.line + (end.column > 0)]
        if any(line.lstrip().startswith(("{{", "{%")) for line in lines):
            filled.add(number)
        prefixes = (_MADE_BY, *(_SHORTER if section in _OF_CSI.values() else ()))
        for path, key, value in _fields(yaml, holder, ""):
            prefix = next(filter(path.startswith, prefixes), "")
            name = path[len(prefix):]
            shown = name.lower() if prefix in _SHORTER else name  # the driver ignores their case
            settings.append(Assignment(section, Token(shown, key), value, block=number))
    return Assignments(text, file, kind, tuple(settings), blocks=tuple(blocks), filled_in=frozenset(filled))


def _fields(yaml: Yaml, node: MappingNode, path: str) -> Iterator[tuple[str, Span, Token]]:
    """The path, the place of the last key and the value of each field; the items of a list are joined by commas."""
    for key, value in node.value:
        name = f"{path}{key.value}"
        if not isinstance(key, ScalarNode) or name in _UNREAD:
            continue
        if isinstance(value, MappingNode):
            yield from _fields(yaml, value, f"{name}.")
        elif isinstance(value, (ScalarNode, SequenceNode)) and (value.value or f"{name}." not in _SHORTER):
            scalars = items(value) or [value]
            words = ",".join(str(item.value) for item in scalars if isinstance(item, ScalarNode))
            yield name, yaml.span(key), Token("{{}}" if BLANK in words else words, yaml.span(scalars[0]))
