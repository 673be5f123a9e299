"""What becomes of a line: how mount(8) and getmntent(3) read it. The real ones are asked wherever they are at hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.files.fstab import Columns, Fstab, read, split_options
from advisor.files.fstab_readings import getmntent_lines as heard_by_glibc
from advisor.files.fstab_readings import getmntent_view
from advisor.files.libmount import BUFFER, as_bytes, decode
from tests.each import each
from tests.files import oracles
from tests.files.oracles import shared
from tests.files.strategies import files
from tests.tiers import examples

# The models follow these versions to the letter. Others differ in small things.
needs_findmnt = pytest.mark.skipif(
    oracles.findmnt_version() != "2.38", reason=f"needs findmnt of util-linux 2.38, found {oracles.findmnt_version()}"
)
needs_glibc = pytest.mark.skipif(
    oracles.glibc_version() != "2.36", reason=f"needs glibc 2.36, found {oracles.glibc_version()}"
)

VERDICTS = [
    ("nas:/a /a nfs rw 0 0", "ok"),
    ("nas:/a /a nfs", "ok"),
    ("nas:/a /a nfs rw 0 -1", "ok"),
    ("nas:/a /a nfs rw 0 0 # note", "ok"),
    ("nas:/a /a nfs rw 0 0 seventh", "ok"),
    ("nas:/a /a nfs rw \f0 0", "ok"),
    ("nas:/a /a nfs rw 0 99999999999999999999", "ok"),
    ("nas:/a", "the line has only one field of the three that it needs: mount(8) ignores the whole line"),
    ("nas:/a /a", "the line has only two fields of the three that it needs: mount(8) ignores the whole line"),
    ("nas:/a /a nfs rw, hard 0 0", "the fifth field 'hard' is not a number: mount(8) ignores the whole line"),
    ("nas:/a /a nfs rw # note", "the fifth field '#' is not a number: mount(8) ignores the whole line"),
    ("nas:/a /a nfs rw 0 0Mount", "the sixth field '0Mount' is not a number: mount(8) ignores the whole line"),
    ("nas:/a /a nfs rw 0 0\f", "the sixth field '0\\x0c' is not a number: mount(8) ignores the whole line"),
    (
        "nas:/a /a nfs rw 99999999999999999999 0",
        "the fifth field '99999999999999999999' is too large a number: mount(8) ignores the whole line",
    ),
    ("nas:/a /a nfs r\0w 0 0", "the line contains a NUL byte: mount(8) ignores the whole line"),
]


@each(lambda: VERDICTS)
def test_verdict_in_words(line: str, verdict: str) -> None:
    (entry,) = read(line + "\n").entries
    assert entry.libmount == verdict


@pytest.mark.parametrize(
    ("line", "view"),
    [
        ("nas:/a /a nfs rw 0 4294967297", Columns("nas:/a", "/a", "nfs", "rw", 0, 1)),
        ("nas:/a /a nfs rw 99999999999999999999", Columns("nas:/a", "/a", "nfs", "rw", -1, 0)),
        ("nas:/a /a nfs", Columns("nas:/a", "/a", "nfs", None, 0, 0)),
        # a NUL ends a last line without newline
        ("nas:/a /a nfs rw\0junk", Columns("nas:/a", "/a", "nfs", "rw", 0, 0)),
    ],
)
def test_what_mount_reads(line: str, view: Columns) -> None:
    (entry,) = read(line).entries
    assert entry.libmount_view == view


@pytest.mark.parametrize(
    ("line", "difference"),
    [
        ("nas:/a /a nfs rw\r", "mount(8) reads the options as 'rw', getmntent(3) as 'rw\\r'"),
        (r"nas:/a\043b /a nfs rw", r"mount(8) reads the source as 'nas:/a#b', getmntent(3) as 'nas:/a\043b'"),
        (
            "nas: /a /mnt nfs rw",
            "mount(8) ignores the line, getmntent(3) reads it as source 'nas:', target '/a', type '/mnt',"
            " options 'nfs', fifth field 0, sixth field 0",
        ),
        (
            "nas:/a /a nfs " + "x" * 5000,
            "mount(8) reads the options as 5000 characters, getmntent(3) as 4081 characters",
        ),
    ],
)
def test_differences_in_words(line: str, difference: str) -> None:
    (entry,) = read(line + "\n").entries
    assert entry.difference
    assert entry.difference == difference


def test_a_nul_makes_getmntent_swallow_the_next_line() -> None:
    _, second, third = read("a /a nfs r\0w\nb /b nfs rw\nc /c nfs rw\n").entries
    assert second.glibc is None
    assert second.difference
    assert second.difference.startswith("getmntent(3) ignores the line, mount(8) reads it as source 'b'")
    assert not third.difference


NORMAL = [
    "nas:/a /a nfs rw 0 0",
    "nas:/a /a nfs",
    r"nas:/a /m\040x nfs a=b",
    "nas:/a /a nfs rw 0 0\r",
    "nas:/é /a nfs rw,",
]


@pytest.mark.parametrize("line", NORMAL)
def test_normal_lines_do_not_differ(line: str) -> None:
    (entry,) = read(line + "\n").entries
    assert not entry.difference
    assert entry.difference is None


def accepted(fstab: Fstab) -> list[Columns]:
    return [entry.libmount_view for entry in fstab.entries if entry.libmount_view]


def as_findmnt_prints(view: Columns) -> Columns:
    return view._replace(target=view.target.rstrip("/") or "/", options=view.options or "")


def by_getmntent(fstab: Fstab) -> list[Columns]:
    """Everything getmntent(3) returns, also for lines that are blank to mount(8)."""
    *lines, last = fstab.text.split("\n")
    heard = heard_by_glibc([*((line, True) for line in lines), *([(last, False)] if last else [])])
    views = [getmntent_view(one) for one in heard]
    for entry in fstab.entries:
        assert entry.glibc == views[entry.line_no - 1]
    return [view for view in views if view]


@needs_findmnt
@given(files)
@examples(50, 200)
def test_findmnt_agrees(data: bytes) -> None:
    fstab = read(data)
    views, errors = oracles.findmnt(data)
    assert [as_findmnt_prints(view) for view in accepted(fstab)] == [as_findmnt_prints(view) for view in views]
    assert {entry.line_no for entry in fstab.entries if entry.libmount != "ok"} == errors


@needs_glibc
@given(files)
@examples(75, 300)
def test_getmntent_agrees(data: bytes) -> None:
    assert by_getmntent(read(data)) == oracles.getmntent(data)


@needs_glibc
@pytest.mark.parametrize("size", range(4095 + 1020, 4095 + 1027))
def test_getmntent_agrees_where_a_nul_may_hide_the_end_of_a_long_line(size: int) -> None:
    data = b"nas:/a /a nfs ".ljust(size, b"x") + b"\0\nnas:/b /b nfs rw 0 0\nnas:/c /c nfs rw 0 0\n"
    assert by_getmntent(read(data)) == oracles.getmntent(data)


@needs_glibc
@pytest.mark.parametrize("size", range(1019, 1027))
def test_getmntent_agrees_on_the_line_in_which_it_finds_the_end_of_another(size: int) -> None:
    data = b"nas:/a /a nfs ".ljust(5000, b"x") + b"\0\n" + b"y" * size + b"\0\nnas:/b /b nfs\nnas:/c /c nfs\n"
    assert by_getmntent(read(data)) == oracles.getmntent(data)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared() / "corpus" / name).read_text().splitlines()]


def as_view(row: dict[str, Any]) -> Columns:
    return Columns(*(row[name] for name in ("source", "target", "fstype", "options", "freq", "passno")))


def test_edge_lines_are_read_as_observed() -> None:
    observed = rows("edge_lines.jsonl")
    compared = 0
    for row in observed:
        fstab = read(row["input"])
        if isinstance(row["libmount_2.38.1"], dict):  # not recorded in full: too long, or not UTF-8
            continue
        compared += 1
        assert accepted(fstab) == [as_view(one) for one in row["libmount_2.38.1"]], row["name"]
        errors = {entry.line_no for entry in fstab.entries if entry.libmount != "ok"}
        assert errors == ({1} if "parse error at line 1" in row["libmount_stderr"] else set()), row["name"]
        assert by_getmntent(fstab) == [as_view(one) for one in row["glibc_getmntent"]], row["name"]
    assert compared == len(observed) - 2


def test_edge_lines_that_were_not_recorded_in_full() -> None:
    (latin1,) = read(b"nas:/caf\xe9 /a nfs defaults 0 0\n").entries
    assert latin1.source.value == "nas:/caf\udce9"
    assert (latin1.libmount, latin1.difference) == ("ok", None)
    options = ",".join(f"x-k{number}=v" for number in range(1000))
    (long,) = read(f"nas:/a /a nfs {options} 0 0\n").entries
    assert long.libmount_view
    assert long.libmount_view.options == options
    assert long.glibc
    assert long.glibc.options == options[: BUFFER - 1 - len("nas:/a /a nfs ")]


@needs_findmnt
@given(st.text(alphabet='ab=,"\\0457é', max_size=25))
@settings(max_examples=300, deadline=None)
def test_libmount_finds_the_same_options(text: str) -> None:
    """Apart from empty items, and from a last one whose quotation never ends: it forgets those."""
    mine = [(item.name, item.value) for item in split_options(text) if item.text and item.closed]
    theirs = oracles.libmount_options(as_bytes(decode(text)))
    assert [(as_bytes(name), None if value is None else as_bytes(value)) for name, value in mine] == theirs
