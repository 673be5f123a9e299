"""No YAML text is worth more work than its length: each reader refuses what is nested too deeply, what contains itself,
and aliases that stand for far more than there is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from advisor import bounded_yaml as parsers
from advisor.bounded_yaml import DEPTH, BoundError, bounded_yaml, compose_all
from advisor.files.kinds import read_mounts
from advisor.rulebase import document
from advisor.user_files import UserFileError, parse_yaml
from tests.each import each
from tests.steps import steps
from tests.tiers import examples

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


@pytest.mark.usefixtures("parser")
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
    return compose_all(text)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", [
    "a: &a [hard, nfsvers=4.1]\nb: *a\nc: *a\n",
    "x: &x {driver: local, driver_opts: &o {type: nfs}}\nv: {<<: *x, name: b}\nw: {<<: *x}\ny: *o\n",
    "common: &c {a: 1, b: 2, c: 3, d: 4}\n" + "".join(f"s{n}: {{<<: *c, n: {n}}}\n" for n in range(500)),
    "&a a: 1\n---\n&a a: 2\n",
    "a: " + "[" * (DEPTH - 2) + "]" * (DEPTH - 2),
])  # fmt: skip
def test_what_people_write_is_within_the_bounds(text: str) -> None:
    assert nodes(text)


@pytest.mark.usefixtures("parser")
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


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028", "\u2029", "\r\n"])
@pytest.mark.parametrize("kind", KINDS)
def test_lines_end_where_the_file_has_them_end(kind: str, end: str) -> None:
    """YAML has more ends of lines than editors have."""
    task = ("- mount:", "    src: nas:/a", "    path: /a", "    fstype: nfs", "    opts: hard,soft")
    for text in (task, ("a: b", "c: d")):
        read_mounts(kind, end.join(text) + end, "some.yaml")
        read_mounts(kind, "\n".join(text) + end, "some.yaml")


def tree(node: Node, lines: int) -> object:
    """All that a node says. At the end of a text without a last line feed, a block ends there or in the next line."""
    end = (node.end_mark.line, node.end_mark.column)
    said = (type(node), str(node.tag), node.start_mark.line, node.start_mark.column)
    if isinstance(node, ScalarNode):
        return *said, *end, node.value, node.style
    end = (lines, 0) if not node.flow_style and end[0] == lines - 1 and end[1] else end
    values = [part for pair in node.value for part in pair] if isinstance(node, MappingNode) else node.value
    return *said, *end, [tree(value, lines) for value in values]


def both(text: str) -> bool:
    """Whether libyaml reads the text; what it reads is the same as the pure parser's."""
    if parsers.CParser is None:
        pytest.skip("pip install ruamel.yaml.clib")
    quick = None if parsers._PURE.search("\n" + text) else parsers._by_libyaml(text)
    if quick is not None:
        lines = text.count("\n") + 1
        assert [tree(node, lines) for node in quick] == [tree(node, lines) for node in pure(text)]
    return quick is not None


def pure(text: str) -> list[Node]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsers, "CParser", None)
        return compose_all(text)


@pytest.mark.parametrize("text", [
    "a: 1\nb: [x, 'y z', \"\\u00e4\"]\nc:\nd: {e: , f}\n-1: ~\n",
    "a:\n  b:\n\nc:\n-\n- d\n",
    "- 5.10\n- 0x1f\n- 010\n- yes\n- true\n- 2026-11-28\n- 12:30\n- 1_000\n- .inf\n- '1'\n- ''\n- <<\n- =\n",
    "a: >-\n  folded\n  text\n\n  more\nb: |+\n  kept\n\n# comment\nc: |2\n   two\n",
    "# first\na: plain\n  text, b: 'quoted\n  text'\n".replace(", b", "\nb"),
    "a: 1\r\nb: |\r\n  c\r\n  d\r\n",
    "ключ: ä\n😀: [😀, a]\n",
    "---\na: 1\n...\n---\n- b\n",
    "a: !vault |\n  secret\nb: !!str 1\nc: !Ref {d: e}\n",
    "a: 'no line feed at the end'",
    "a: " + "[" * (DEPTH - 1) + "]" * (DEPTH - 1),
])
def test_libyaml_reads_it_as_the_pure_parser_does(text: str) -> None:
    assert both(text)


@each(lambda: [
    "a: &x 1\nb: *x\n", "a: b\t\n", "%YAML 1.1\n---\na: yes\n", "? a\n: b\n", "a: |#b\n", "---\n",
    "a: ! 1\n", "a\rb: 1\n", "a: [\n", "a: \x00\n", "[" * (DEPTH + 1), "a: \u2028\n",
])  # fmt: skip
def test_libyaml_leaves_it_to_the_pure_parser(text: str) -> None:
    assert not both(text)


PIECES = [*" :-[]{}#!|>'\"%@`?,\nab1\\é~", "  ", "- ", ": ", "\n  ", "a: ", "...\n"]


@examples(150, 3000)
@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_libyaml_reads_no_text_otherwise(text: str) -> None:
    try:
        both(text)
    except YAMLError:  # what the pure parser alone refuses has no other meaning
        assert parsers._by_libyaml(text) is not None
