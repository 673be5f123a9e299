"""Mounts in YAML, and the place of each of their options."""

from __future__ import annotations

import pytest

from advisor.files import kinds, yaml_mounts
from advisor.files.embedded import read_embedded
from advisor.files.records import MountEntry
from tests.each import each

pytestmark = pytest.mark.usefixtures("parser")


def read(kind: str, text: str) -> list[MountEntry]:
    mounts = [*kinds.read_mounts(kind, text, "x.yml").mounts, *(mount for _, mount in embedded(kind, text))]
    for mount in mounts:
        lines = text.split("\n")
        for part in mount.options.parts:
            if part.exact:
                assert lines[part.span.line - 1][part.span.column - 1:part.span.end_column - 1] == part.text
    return mounts


def embedded(kind: str, text: str) -> list[tuple[str, MountEntry]]:
    return read_embedded(text, "x.yml", kind).mounts if kind != "cloud-init" else []


Fields = tuple[str, str, str, str, tuple[int, int]]


def fields(kind: str, text: str) -> list[Fields]:
    return [
        (made.source.value, made.target.value, made.fstype.value, made.options.value, made.numbers)
        for made in read(kind, text)
    ]


@each(lambda: [
    ("compose", "driver_opts: {type: nfs, o: 'addr=nas,rw', device: ':/a'}", ("nas:/a", "", "nfs",
    "addr=nas,rw", (0, 0))),
    ("compose", "driver_opts: {type: nfs, o: 'rw', device: 'n:/a'}", ("n:/a", "", "nfs", "rw", (0, 0))),
    ("compose", "driver_opts: {o: 'rw', device: 'n:/a'}", None),
    ("ansible", "mount: {path: /a, name: /b, src: 'n:/a', fstype: nfs, opts: rw, dump: 1, passno: 2}",
     ("n:/a", "/a", "nfs", "rw", (1, 2))),
    ("ansible", "mount: name=/b src=n:/a fstype=nfs opts='rw,x=a b' passno=2", ("n:/a", "/b", "nfs",
    "rw,x=a b", (0, 2))),
    ("ansible", "mount: >\n  path=/b src=\"n:/a\"\n  fstype=nfs\topts=rw", ("n:/a", "/b", "nfs", "rw", (0, 0))),
    ("ansible", "mount: {src: '{{ x }}', fstype: nfs}", ("", "", "nfs", "", (0, 0))),
    ("salt", "/a: {mount.mounted: [{device: 'n:/a'}, {fstype: nfs}, {opts: [rw, hard]}, {dump: 1}, {pass_num: 2}]}",
     ("n:/a", "/a", "nfs", "rw,hard", (1, 2))),
    ("salt", "x: {mount.mounted: [name: /a, device: 'n:/a', fstype: nfs]}", ("n:/a", "/a", "nfs", "", (0, 0))),
    ("salt", "x: {mount.mounted: y}", None),
    ("cloud-init", "mounts: [['n:/a', /a, nfs, 'rw', '1', '2']]", ("n:/a", "/a", "nfs", "rw", (1, 2))),
    ("cloud-init", "mounts: [['n:/a', /a]]", ("n:/a", "/a", "auto", "defaults,nofail,_netdev", (0, 0))),
    ("cloud-init", "mounts: [['n:/a', /a, nfs, null, '1']]", ("n:/a", "/a", "nfs", "defaults,nofail,_netdev", (1, 0))),
    ("cloud-init", "mount_default_fields: [x, y, nfs, ro]\nmounts: [['n:/a', /a]]", ("n:/a", "/a", "nfs",
    "ro", (0, 0))),
    ("cloud-init", "mount_default_fields: [x, y, nfs, ro]\nmounts: [['n:/a', /a, ext4, rw]]",
     ("n:/a", "/a", "ext4", "rw", (0, 0))),
    ("cloud-init", "mount_default_fields: [x, y, nfs, ro]\nmounts: [['n:/a', /a, null, rw]]",
     ("n:/a", "/a", "nfs", "rw", (0, 0))),
    ("cloud-init", "mounts: [['n:/a']]", None), ("cloud-init", "mounts: [[null, /a]]", None),
    ("cloud-init", "mounts: [['n:/a', null]]", None),
])  # fmt: skip
def test_the_fields_of_a_mount(kind: str, text: str, expected: Fields | None) -> None:
    assert fields(kind, text) == ([expected] if expected else [])


def test_entries_of_mounts_that_are_no_list() -> None:
    text = "a: 1\nmounts:\n  - n:/a /b nfs\n  - x\n  - [n:/a, /a]\n"
    table = kinds.read_mounts("cloud-init", text, "user-data")
    assert table.bad == (((3, 5, 16), "an entry of mounts is a list; write [n:/a, /MOUNTPOINT, nfs]"),)


@each(lambda: [
    ("rw, hard", [("rw", (1, 4, 6)), (" hard", (1, 7, 12))]), ("'rw,,x'", [("rw", (1, 5, 7)), ("x", (1, 9, 10))]),
    ('"a"', [("a", (1, 5, 6))]), ('"a\\x62"', [("ab", (1, 4, 6))]), ("'a''b'", [("a'b", (1, 4, 7))]), ("''", []),
    ("','", []),
    ("[a, 'b']", [("a", (1, 5, 6)), ("b", (1, 9, 10))]), ("|\n  a,b", [("a", (2, 3, 4)), ("b", (2, 5, 6))]),
    ('"a,\n  b"', [("a", (1, 5, 6)), (" b", (1, 7, 8))]), ("{a: b}", []), ("{{ x }},b", [("{{ x }}", (1, 4, 11)),
    ("b", (1, 12, 13))]),
    ('"', []),
])  # fmt: skip
def test_the_parts_of_a_value(value: str, parts: list[tuple[str, tuple[int, int, int]]]) -> None:
    yaml = yaml_mounts.read_yaml(f"o: {value}")
    node = yaml_mounts.get(yaml.documents[0], "o") if yaml.documents else None
    assert [(part.text, tuple(part.span)) for part in yaml.parts(node)] == parts


def test_what_is_not_yaml_is_marked_as_a_line() -> None:
    assert [tuple(span) for span, _ in yaml_mounts.read_yaml("a: 1\nbc: }\n").bad] == [(2, 1, 6)]
    assert [tuple(span) for span, _ in yaml_mounts.read_yaml("a: [1,\n").bad] == [(2, 1, 2)]


def test_a_node_with_aliases_comes_once_and_knows_eight_around_it() -> None:
    yaml = yaml_mounts.read_yaml("a: &x {b: 1}\nc: [*x, {d: 2}]\n---\n" + "{e: " * 10 + "1" + "}" * 10)
    levels = [(mapping.value[0][0].value, len(above)) for mapping, above in yaml.mappings()]
    assert levels == [("a", 0), ("b", 1), ("d", 1), *(("e", min(level, 8)) for level in range(10))]


@each(lambda: [("present", ["exports"]), ("absent", [])])
def test_a_line_that_is_taken_away_is_none_of_the_file(state: str, found: list[str]) -> None:
    text = ("- hosts: nfs\n  tasks:\n    - lineinfile:\n        path: /etc/exports\n        line: /srv *(rw)\n"
            f"        state: {state}\n")
    assert [segment.kind for segment in read_embedded(text, "site.yml", "ansible").segments] == found
