"""mountOptions of PersistentVolumes, StorageClasses and Helm values, with the place of each option in the YAML.

Templates are read with what they are to become left blank. Only what is certainly NFS is a mount here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.readers.mounts.table import Mount, Part, Parts, Table, pieces
from advisor.readers.spans import Span

OPTIONS = "mountOptions"
_WHOLE_LINE = re.compile(r"^[ \t]*\{\{[^\n]*\}\}[ \t]*$", re.MULTILINE)
_INLINE = re.compile(r"\{\{[^\n{}]*\}\}|\$\{[^\n{}]*\}")
_NFS = re.compile(r"nfs|efs\.csi|trident|csi\.vastdata|filestore|nasplugin|weka|infinibox|zfssa", re.IGNORECASE)
_NOT_NFS = re.compile(r"smb|cifs|\bebs|iscsi|disk\.csi|\brbd|ceph(?!.*nfs)|s3", re.IGNORECASE)
_NFS_ONLY = re.compile(r"nfsvers=.*|v?ers=4.*|v4(?:\.[012])?|v3|nconnect=.*|noresvport|nolock|minorversion=.*")
_HELPERS = {"efs.csi.aws.com": "efs"}


def read(text: str, name: str) -> Table:
    """Every list of mountOptions that is certainly of NFS, in all documents. What is no YAML is told as bad."""
    clean = _INLINE.sub(lambda found: "_" * len(found[0]), _WHOLE_LINE.sub(lambda found: " " * len(found[0]), text))
    lines = text.split("\n")
    try:
        documents = list(YAML(typ="rt", pure=True).compose_all(clean))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = min(mark.line + 1, len(lines)) if mark is not None else 1
        words = f"this cannot be read as YAML: {getattr(error, 'problem', None) or 'syntax error'}"
        span = Span(line, 1, max(len(lines[line - 1]), 1) + 1)
        return Table(text, name, "kubernetes", (), ((span, words),))
    mounts: list[Mount] = []
    for document in documents:
        for parent, above in _holders(document):
            mounts += _mount(parent, above, lines)
    return Table(text, name, "kubernetes", tuple(mounts))


def _holders(root: Node | None) -> Iterator[tuple[MappingNode, list[MappingNode]]]:
    """Mappings with mountOptions, each with those that it lies in. Aliases are followed once."""
    seen: set[int] = set()
    todo: list[tuple[Any, list[MappingNode]]] = [(root, [])]
    while todo:
        node, above = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            if _get(node, OPTIONS) is not None:
                yield node, above
            todo += [(value, [*above, node][-8:]) for _, value in reversed(node.value)]
        elif isinstance(node, SequenceNode):
            todo += [(value, above) for value in reversed(node.value)]


def _get(node: Node | None, *path: str) -> Node | None:
    for key in path:
        if not isinstance(node, MappingNode):
            return None
        node = next((value for name, value in node.value if getattr(name, "value", None) == key), None)
    return node


def _mount(holder: MappingNode, above: list[MappingNode], lines: list[str]) -> Iterator[Mount]:
    options = _get(holder, OPTIONS)
    items = options.value if isinstance(options, SequenceNode) else [options]
    parts = [part for item in items if isinstance(item, ScalarNode) for part in _parts(item, lines)]
    if not parts:
        return
    objects = [holder, *reversed(above)]
    driver = _first(objects, ("provisioner",), ("spec", "csi", "driver"), ("csi", "driver"))
    said = " ".join(_first(objects, *paths) for paths in (
        [("provisioner",), ("csi", "driver"), ("spec", "csi", "driver")], [("parameters", "protocol")],
        [("parameters", "backendType")], [("kind",)],
    ))  # fmt: skip
    inline = any(_get(one, "nfs") is not None for one in objects[:2])
    own = any(_NFS_ONLY.fullmatch(part.text) for part in parts)
    if not (inline or own or _NFS.search(said)) or (_NOT_NFS.search(said) and not own):
        return
    near = parts[0].span
    server = _first(objects[:2], ("nfs", "server"), ("parameters", "server"), ("csi", "volumeAttributes", "server"),
                    ("spec", "nfs", "server"))
    path = _first(objects[:2], ("nfs", "path"), ("parameters", "share"), ("csi", "volumeAttributes", "share"))
    source = f"{server}:{path or '/'}" if server and "__" not in server else ""
    yield Mount(
        near.line, "", source=Parts([], near, source), target=Parts([], near, ""),
        fstype=Parts([], near, _HELPERS.get(driver, "nfs")), options=Parts(parts, near),
    )


def _first(objects: list[MappingNode], *paths: tuple[str, ...]) -> str:
    for one in objects:
        for path in paths:
            found = _get(one, *path)
            if isinstance(found, ScalarNode):
                return str(found.value)
    return ""


def _parts(node: ScalarNode, lines: list[str]) -> list[Part]:
    """The options of one list item, which may hold several; as they stand in the file where it says them plainly."""
    line, column = node.start_mark.line, node.start_mark.column
    if node.end_mark.line == line:
        written = lines[line][column : node.end_mark.column].rstrip()
        quote = written[:1] if written[:1] in ("'", '"') and written[-1:] == written[:1] and len(written) > 1 else ""
        inner = written[len(quote) : len(written) - len(quote)]
        if "\\" not in inner and len(inner) == len(node.value):
            start = column + 1 + len(quote)
            return [part for part in pieces(inner, Span(line + 1, start, start + len(inner))) if part.text]
    span = Span(line + 1, column + 1, max(column + 2, len(lines[line]) + 1))
    return [Part(text, span, exact=False) for text in node.value.split(",") if text]
