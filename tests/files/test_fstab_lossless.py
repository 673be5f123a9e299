"""Whatever the bytes, nothing raises, nothing is lost, and every span points at its text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.files.fstab import Fstab, Span, read, split_options
from advisor.files.libmount import as_bytes
from advisor.lint.suppress import suppressions
from tests.files.oracles import shared
from tests.files.strategies import files
from tests.tiers import examples

HARD_CASES = [
    b"",
    b"\n",
    b"\n\n",
    b"a",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"\xff\xfea\0 \0b\0\n\0",
    b"a\0b\n",
    b"\f\n",
    b"a\rb\n",
    b"a b c\x85d\n",
    "a b c\u2028d e\n".encode(),
]


def _cut(fstab: Fstab, span: Span) -> str:
    return fstab.text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def _exercise(fstab: Fstab) -> None:
    """Everything that a caller may ask for."""
    for suppression in suppressions(fstab.text):
        assert _cut(fstab, suppression.span).startswith("#")
    lines = fstab.text.split("\n")
    assert [entry.raw for entry in fstab.entries] == [lines[entry.line_no - 1] for entry in fstab.entries]
    for number in {*range(1, len(lines) + 1)} - {entry.line_no for entry in fstab.entries}:
        assert lines[number - 1].lstrip(" \t")[:1] in ("", "#", "\r", "\0")
    for entry in fstab.entries:
        assert entry.libmount
        assert (entry.libmount == "ok") == (entry.libmount_view is not None)
        for field in entry.fields:
            assert not field.parts or _cut(fstab, field.span) == field.text
            assert isinstance(field.value, str)
        for trap in entry.traps:
            assert trap.span.line == entry.line_no
            assert trap.words
            assert _cut(fstab, trap.span)
        at = 0
        options = entry.options
        for item in split_options(options.text) if options.parts else ():
            span = options.at(item.start, item.start + len(item.text))
            assert _cut(fstab, span) == item.text
            assert span.column >= at
            at = span.end_column
            if item.value is not None and "\\" not in item.text and item.closed:
                assert item.text == f"{item.name}={item.value}"


@pytest.mark.parametrize("data", HARD_CASES)
def test_hard_cases_are_kept(data: bytes) -> None:
    fstab = read(data)
    assert as_bytes(fstab.text) == data
    _exercise(fstab)


@given(st.one_of(files, st.binary(max_size=200)))
@examples(100, 300)
def test_any_bytes_are_kept(data: bytes) -> None:
    fstab = read(data)
    assert as_bytes(fstab.text) == data
    _exercise(fstab)


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_kept(text: str) -> None:
    fstab = read(text, "name")
    assert (fstab.text, fstab.name) == (text, "name")
    _exercise(fstab)


def test_text_with_lone_surrogates_does_not_raise() -> None:
    fstab = read("a /b nfs \ud800\\040\0\n\ud800")
    _exercise(fstab)
    assert as_bytes(fstab.text)


def test_only_a_newline_ends_a_line() -> None:
    fstab = read("a b c\fd\x85e\u2028f\rg\nh")
    assert [(entry.line_no, entry.raw) for entry in fstab.entries] == [(1, "a b c\fd\x85e\u2028f\rg"), (2, "h")]


def test_comments_and_blank_lines_are_no_entries() -> None:
    fstab = read("# c\n\n \t\n  # d\na /b nfs\n\r\n")
    assert [(entry.line_no, entry.raw) for entry in fstab.entries] == [(5, "a /b nfs")]


def test_every_file_of_the_corpus_is_kept() -> None:
    paths = sorted((shared() / "corpus" / "fstab").iterdir())
    assert len(paths) > 300
    for path in paths:
        data = path.read_bytes()
        fstab = read(data, path.name)
        assert as_bytes(fstab.text) == data
        _exercise(fstab)
