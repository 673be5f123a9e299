"""How getmntent(3) reads a line, as glibc 2.36 has it, and how that differs from mount(8)."""

from __future__ import annotations

import pytest

from advisor.files.fstab import read
from advisor.files.fstab_readings import difference, getmntent_lines, getmntent_view
from advisor.files.libmount import BUFFER, Columns, Heard
from tests.each import each

PLAIN = Columns("a", "b", "c", "d", 0, 0)


@each(lambda: [
    ("", None), (" \t", None), ("# a", None), (" \t#a", None), ("a", Columns("a", "", "", "", 0, 0)),
    ("\ta b  c\td ", PLAIN), ("a b c d x", PLAIN), ("a b c d 1", PLAIN._replace(freq=1)),
    ("a b c d 1 2 x", PLAIN._replace(freq=1, passno=2)), ("a b c d 1x2", PLAIN._replace(freq=1)),
    ("a b c d -1\v+2", PLAIN._replace(freq=-1, passno=2)), ("a b c d \v" + "0" * 20 + "7", PLAIN._replace(freq=7)),
    ("a b c d 4294967297 \v" + "0" * 20 + "7", PLAIN._replace(freq=1, passno=7)),
    (r"\040\011 \012\134 \\x \043d", Columns(" \t", "\n\\", "\\x", r"\043d", 0, 0)),
    ("a b autofs ignore", None), ("a b autofs rw,ignore=1", None), ("a b autofs ignore,rw", None),
    ("a b autofs ignored", Columns("a", "b", "autofs", "ignored", 0, 0)),
    ("a b nfs ignore", Columns("a", "b", "nfs", "ignore", 0, 0)),
])  # fmt: skip
def test_the_columns_of_a_line(text: str, columns: Columns | None) -> None:
    assert getmntent_view((text, True)) == columns


def test_spaces_at_the_end_count_where_no_newline_follows() -> None:
    assert getmntent_view(("a b c d \t", True)) == getmntent_view(("a b c d \t", False)) == PLAIN
    assert getmntent_view(("a b ", False)) == Columns("a", "b", "", "", 0, 0)
    assert getmntent_view(None) is None


ROOM = BUFFER - 1


@each(lambda: [
    ([("a", True), ("b", False)], [("a", True), ("b", False)]),
    ([("x" * (ROOM - 1), True), ("b", True)], [("x" * (ROOM - 1), True), ("b", True)]),
    ([("x" * ROOM, True), ("b", True)], [("x" * ROOM, False), ("b", True)]),
    ([("x" * (ROOM + 1), True), ("b", True)], [("x" * ROOM, False), ("b", True)]),
    ([("a\0b", True), ("c", True), ("d", True)], [("a", False), None, ("d", True)]),
    ([("a\0", True), ("b\0", True), ("c", True), ("d", True)], [("a", False), None, None, ("d", True)]),
    ([("a\0", True)], [("a", False)]),
    # the rest is read in pieces of 1023 bytes, of which a NUL hides the newline of its own piece only
    ([("x" * (ROOM + 1022) + "\0", True), ("b", True)], [("x" * ROOM, False), ("b", True)]),
    ([("x" * (ROOM + 1021) + "\0", True), ("b", True), ("c", True)], [("x" * ROOM, False), None, ("c", True)]),
])  # fmt: skip
def test_what_is_in_the_buffer_for_each_line(lines: list[Heard], heard: list[Heard | None]) -> None:
    assert getmntent_lines(lines) == heard


ALL = "source 'a', target 'b', type 'c', options 'd', fifth field 0, sixth field 0"


@each(lambda: [
    (None, None, None), (PLAIN, PLAIN, None), (PLAIN._replace(options=None), PLAIN._replace(options=""), None),
    (PLAIN, None, f"getmntent(3) ignores the line, mount(8) reads it as {ALL}"),
    (None, PLAIN, f"mount(8) ignores the line, getmntent(3) reads it as {ALL}"),
    (PLAIN._replace(options=None, passno=1), PLAIN,
     "mount(8) reads the options as nothing, getmntent(3) as 'd'; the sixth field as 1, getmntent(3) as 0"),
    (PLAIN._replace(source="x" * 41), PLAIN._replace(source="x" * 50),
     "mount(8) reads the source as 41 characters, getmntent(3) as 50 characters"),
])  # fmt: skip
def test_a_difference_in_words(mine: Columns | None, theirs: Columns | None, words: str | None) -> None:
    assert difference(mine, theirs) == words


@pytest.mark.parametrize(("size", "differs"), [(ROOM - 2, False), (ROOM - 1, False), (ROOM, False), (ROOM + 1, True)])
def test_a_line_longer_than_the_buffer_of_getmntent_is_read_otherwise(size: int, differs: bool) -> None:
    for first, then in (("a", "b"), ("é", "b")):
        head = f"{first} /{then} nfs "
        text = head + "x" * (size - len(head.encode()))
        (entry,) = read(f"{text}\n").entries
        assert (entry.difference is not None) is differs
