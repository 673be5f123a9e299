"""Variables of a shell: where each value is, and what a shell takes in another way than its author meant."""

from __future__ import annotations

import pytest

from advisor.files.nfs_conf import MAX_LINES, read_variables
from advisor.files.records import Assignments
from tests.each import each


def read(text: str) -> Assignments:
    return read_variables(text, "/etc/default/nfs-common", "nfs-defaults")


@each(lambda: [
    ("\tA=1", "1", (1, 4, 5)), ("export  A=b;c", "b", (1, 11, 12)), ("A+=1", "1", (1, 4, 5)),
    ("A[0]=1 2", "1", (1, 6, 7)),
    ('A="b c" # d', "b c", (1, 4, 7)), ("A='b'c", "bc", (1, 3, 7)), ('A=""', "", (1, 4, 4)),
    ("A=", "", (1, 3, 3)), ('A=" b "', "b", (1, 4, 7)), ("A=b'c d'", "bc d", (1, 3, 9)),
    ('A="b\nc" d', "b\nc", (1, 3, 5)), ('A="b\\\nc"', "b c", (1, 3, 6)), ("A=b\\", "b\\", (1, 3, 5)),
    ('A="b\\"c\\d\\\\"', 'b"c\\d\\', (1, 4, 12)), ("A='b\\'", "b\\", (1, 4, 6)), ("A=b\\'c", "b'c", (1, 3, 7)),
    ("A=b&c", "b", (1, 3, 4)), ("A=b|c", "b", (1, 3, 4)), ("A=b\tc", "b", (1, 3, 4)), ("A=b\r", "b", (1, 3, 4)),
])  # fmt: skip
def test_a_value_and_its_place(text: str, value: str, place: tuple[int, int, int]) -> None:
    (setting,) = read(text).settings
    begin = text.index("A")
    assert (setting.key.text, tuple(setting.key.span)) == ("A", (1, begin + 1, begin + 2))
    assert (setting.value.text, tuple(setting.value.span)) == (value, place)
    assert not read(text).bad


@pytest.mark.parametrize(("line", "words"), [
    (" A =1 ", "a space before the equals sign makes A a command; write A=value"),
    ("A= 1", "a space after the equals sign leaves A empty; write A=value"),
    ('A="1', "the quotation mark after A= is not closed, so what follows becomes part of the value"),
])  # fmt: skip
def test_what_a_shell_takes_in_another_way(line: str, words: str) -> None:
    file = read(f"B=1\n{line}\nC=2\n")
    indent = len(line) - len(line.lstrip())
    assert [(tuple(span), why) for span, why in file.bad] == [((2, indent + 1, len(line.rstrip()) + 1), words)]
    assert [one.key.text for one in file.settings] == ["B", "C"]


@each(lambda: [
    "A= # b", "A= ; b", "A= && b", "A= B=1", "A=", "A=  ", "A='' b", "{{ a }} =1", "A ={{ b }}",
])
def test_what_a_shell_takes_as_it_was_meant(line: str) -> None:
    assert read(line).bad == ()


def test_a_value_of_more_lines_than_the_limit_is_not_closed() -> None:
    lines = ["x"] * (MAX_LINES - 2)
    (setting, _) = read("\n".join(['A="', *lines, 'y"', "B=1"])).settings
    assert setting.value.text == "\n".join([*lines, "y"])
    file = read("\n".join(['A="', *lines, "x", 'y"', "B=1"]))
    assert [span.line for span, _ in file.bad] == [1]
    assert [one.key.text for one in file.settings] == ["B"]
