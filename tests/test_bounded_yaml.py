"""No YAML text is worth more work than its length: each reader refuses what is nested too deeply, what contains itself,
and aliases that stand for far more than there is."""

from __future__ import annotations

import pytest
from ruamel.yaml.nodes import Node

from advisor.bounded_yaml import DEPTH, BoundError, bounded_yaml
from advisor.files.kinds import read_mounts
from advisor.rulebase import document
from advisor.user_files import UserFileError, parse_yaml
from tests.steps import steps

KINDS = ("kubernetes", "compose", "ansible", "salt", "cloud-init")
LETTERS = "abcdefghij"


def bomb(width: int, levels: int) -> str:
    """`width` ** `levels` values, or one at a time in mappings."""
    lists = (
        f"{letter}: &{letter} [{', '.join([f'*{before}'] * width)}]\n"
        for before, letter in zip(LETTERS, LETTERS[1:levels])
    )
    return "a: &a [hard]\n" + "".join(lists)


LAST = LETTERS[8]
BOMBS = {
    "aliases of aliases": bomb(9, 9) + f"nfs: {{}}\nmountOptions: *{LAST}\nmount: {{opts: *{LAST}, fstype: nfs}}\n",
    "a list in itself": "nfs: {}\nmountOptions: &a [hard, *a]\n",
    "a list in itself, one mount": "mount: {src: 'nas:/a', path: /a, fstype: nfs, opts: &a [hard, *a]}\n",
    "a volume in itself": "driver_opts: &a {type: nfs, device: ':/a', o: [*a]}\n",
    "mounts in themselves": "mounts: &a [[nas:/a, /a, nfs, *a]]\n",
    "a mapping in itself": "a: &a {b: *a}\n",
    "brackets": "a: " + "[" * 3000, "braces": "a: " + "{" * 3000, "keys": "{a: " * 3000, "dashes": "- " * 3000,
    "question marks": "? " * 3000,
    "indentation": "".join(" " * n + "a:\n" for n in range(300)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_text_is_a_bomb(name: str) -> None:
    text = BOMBS[name]
    for kind in KINDS:
        table = read_mounts(kind, text, "some.yaml")
        assert len(table.bad) == 1, kind
        assert table.bad[0][1].startswith("this cannot be read as YAML"), kind
        assert steps(lambda kind=kind: read_mounts(kind, text, "some.yaml")) < 100 * len(text) + 2000  # type: ignore[misc]
    for places in (True, False):
        with pytest.raises(UserFileError):
            parse_yaml(text, "some.yaml", places)
    assert document.parse("rules/some.yaml", text.encode()).problems


def nodes(text: str) -> list[Node]:
    return [*bounded_yaml().compose_all(text)]


@pytest.mark.parametrize("text", [
    "a: &a [hard, nfsvers=4.1]\nb: *a\nc: *a\n",
    "x: &x {driver: local, driver_opts: &o {type: nfs}}\nv: {<<: *x, name: b}\nw: {<<: *x}\ny: *o\n",
    "common: &c {a: 1, b: 2, c: 3, d: 4}\n" + "".join(f"s{n}: {{<<: *c, n: {n}}}\n" for n in range(500)),
    "&a a: 1\n---\n&a a: 2\n",
    "a: " + "[" * (DEPTH - 2) + "]" * (DEPTH - 2),
])  # fmt: skip
def test_what_people_write_is_within_the_bounds(text: str) -> None:
    assert nodes(text)


def test_a_little_more_is_not() -> None:
    assert nodes(bomb(3, 5))
    with pytest.raises(BoundError, match="too many values"):
        nodes(bomb(3, 10))
    assert nodes("[" * DEPTH + "]" * DEPTH)
    with pytest.raises(BoundError, match="too deeply"):
        nodes("[" * (DEPTH + 1) + "]" * (DEPTH + 1))


@pytest.mark.parametrize("text", ["a: &x 1\n", "a: 1\nb: *a\n"])
def test_files_of_the_user_have_no_aliases(text: str) -> None:
    with pytest.raises(BoundError, match="an anchor or alias"):
        bounded_yaml("safe", aliases=False).load(text)


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029", "\r\n"])
@pytest.mark.parametrize("kind", KINDS)
def test_lines_end_where_the_file_has_them_end(kind: str, end: str) -> None:
    """YAML has more ends of lines than editors have."""
    task = ("- mount:", "    src: nas:/a", "    path: /a", "    fstype: nfs", "    opts: hard,soft")
    for text in (task, ("a: b", "c: d")):
        read_mounts(kind, end.join(text) + end, "some.yaml")
        read_mounts(kind, "\n".join(text) + end, "some.yaml")
