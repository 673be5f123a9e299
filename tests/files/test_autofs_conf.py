"""Where the settings of autofs.conf are, and which lines automount skips."""

from __future__ import annotations

from advisor.files.autofs import read_autofs_conf
from tests.each import each


@each(lambda: [
    ("timeout = 300", ("timeout", 1, 8), ("300", 11, 14)), ("a=1 \r", ("a", 1, 2), ("1", 3, 4)),
    ('a\t=  "b c" # d', ("a", 1, 2), ("b c", 7, 10)), ("a=b#c", ("a", 1, 2), ("b", 3, 4)), ("a=", ("a", 1, 2),
    ("", 3, 3)),
    ("a=  #b", ("a", 1, 2), ("", 3, 3)), ("a=b=c", ("a", 1, 2), ("b=c", 3, 6)),
])  # fmt: skip
def test_a_name_and_its_value(line: str, key: tuple[str, int, int], value: tuple[str, int, int]) -> None:
    (setting,) = read_autofs_conf(f"; x\n{line}\n", "/etc/autofs.conf", "autofs.conf").settings
    assert (setting.key.text, *setting.key.span) == (key[0], 2, *key[1:])
    assert (setting.value.text, *setting.value.span) == (value[0], 2, *value[1:])


@each(lambda: [
    (" a=1 ", (1, 2, 5), "the line does not begin with a letter, so automount skips it"),
    ("1=1", (1, 1, 4), "the line does not begin with a letter, so automount skips it"),
    ("é=1", (1, 1, 4), "the line does not begin with a letter, so automount skips it"),
    ("abc", (1, 1, 4), "this is not an assignment, so it is skipped; write name = value"),
    ("[autofs", (1, 1, 8), "this heading has no ], so what follows belongs to the section before it"),
    ("{{ a }}", None, ""), ("a={{ b }}", None, ""), ("#a", None, ""), ("  ", None, ""), (" ;a", None, ""),
])  # fmt: skip
def test_lines_that_automount_skips(line: str, span: tuple[int, int, int] | None, words: str) -> None:
    bad = read_autofs_conf(line, "/etc/autofs.conf", "autofs.conf").bad
    assert [(tuple(place), why) for place, why in bad] == ([] if span is None else [(span, words)])


def test_the_section_of_each_setting() -> None:
    file = read_autofs_conf("a=1\n[  amd ] x\nb=1\n[ /mnt/x ]\nc=1\n[other\nd=1\n[]\ne=1\n", "/etc/autofs.conf",
    "autofs.conf")
    assert [(one.section, one.key.text) for one in file.settings] == [
        ("autofs", "a"), ("amd", "b"), ("amd", "c"), ("amd", "d"), ("", "e"),
    ]
    assert [(one.text, tuple(one.span)) for one in file.sections] == [("amd", (2, 4, 7)), ("", (8, 2, 2))]


def test_the_file_of_variables_has_no_sections() -> None:
    file = read_autofs_conf("[autofs]\nif x\nA=1\n b=1\n[c\n", "/etc/default/autofs", "autofs-defaults")
    assert [(one.section, one.key.text) for one in file.settings] == [("", "A")]
    assert (file.sections, [span.line for span, _ in file.bad]) == ((), [4, 5])
