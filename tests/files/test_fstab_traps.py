"""Traps: every slug where it belongs, at the right place, and none in correct lines."""

from __future__ import annotations

from pathlib import Path

from advisor.files.fstab import read
from tests.each import each
from tests.files.oracles import shared

DATA = Path(__file__).parent / "data"

CASES = [
    ("nas:/a /a nfs rw,hard,\\", [("backslash-continuation", "\\")]),
    ("nas:/a /a nfs rw 0 0 \\", [("backslash-continuation", "\\")]),
    ("nas:/a /a nfs “rw” 0 0", [("typographic-quotes", "“")]),
    ("nas:/a /a nfs rw,comment=‘x’ 0 0", [("typographic-quotes", "‘")]),
    ("“nas:/a /a nfs rw 0 0”", [("typographic-quotes", "“"), ("typographic-quotes", "”")]),
    ("nas:/a\u00a0/a nfs rw 0 0", [("non-breaking-space", "\u00a0")]),
    ("nas:/a /a nfs\u200b rw 0 0", [("non-breaking-space", "\u200b")]),
    ("nas:/a /a nfs rw\u00a00 0", [("non-breaking-space", "\u00a0")]),
    ("\ufeffnas:/a /a nfs rw 0 0", [("byte-order-mark", "\ufeff")]),
    ("\ufeff# /etc/fstab: static information", [("byte-order-mark", "\ufeff")]),
    ('nas:/a "/my share" nfs rw 0 0', [("quoted-path", '"')]),
    ("'nas:/my share' /a nfs rw 0 0", [("quoted-path", "'")]),
    ('nas:"/my share" /a nfs rw 0 0', [("quoted-path", '"')]),
    ("nas:/a /a nfs rw, hard 0 0", [("blank-after-comma", ", h")]),
    ("nas:/a /a nfs rw ,hard 0 0", [("blank-after-comma", " ,")]),
    ("nas:/a /a nfs rw,, hard 0 0", [("empty-option", ","), ("blank-after-comma", ", h")]),
    ("nas:/a /a nfs rw 0 0Mount", [("glued-text", "Mount")]),
    ("nas:/a /a nfs rw 0 0#note", [("glued-text", "#note")]),
    ("nas:/a /a nfs rw 0x0 0", [("glued-text", "x0")]),
    ("nas: /a /mnt nfs rw 0 0", [("shifted-fields", "nas: /a")]),
    ("nas:/a nfs rw,hard 0 0", [("shifted-fields", "nfs")]),
    ("fs-02f4d38b:/a efs _netdev,tls 0 0", [("shifted-fields", "efs")]),
    ("acct.file.core.windows.net:/acct/a aznfs vers=4.1 0 0", [("shifted-fields", "aznfs")]),
    ("nas:/a /a defaults 0 0", [("shifted-fields", "defaults")]),
    ("nas:/a /a timeo=600,x 0 0", [("shifted-fields", "timeo=600,x")]),
    ("nas:/a b /mnt nfs rw 0 0", [("shifted-fields", "/mnt")]),
    ("nas:/a /my share nfs rw 0 0", [("shifted-fields", "rw")]),
    ("nas:/a /my\\ share nfs rw 0 0", [("shifted-fields", "rw")]),
    ("nas:/a /a nfs 0 0", [("shifted-fields", "0")]),
    ("nas:/a /a nfs -o rw 0 0", [("shifted-fields", "-o")]),
    ("nas:/a /a nfs timeo= 600,rw 0 0", [("glued-text", ",rw")]),
    ("nas:/a /a nfs rw # note", [("trailing-comment", "# note")]),
    ("nas:/a /a nfs rw 0 # note", [("trailing-comment", "# note")]),
    ("nas:/a /a nfs rw 0 0 nofail", [("beyond-the-end", "nofail")]),
    ("nas:/a /a nfs rw 0 0 nas:/b /b nfs rw 0 0 ", [("beyond-the-end", "nas:/b /b nfs rw 0 0")]),
    ("nas:/a /a nfs rw 0 0 # note", []),
    ("nas:/a /a nfs # note", [("trailing-comment", "# note")]),
    ("nas:/a /a nfs r\0w 0 0", [("nul-byte", "\0")]),
    ("nas:/a /a nfs rw\r", [("carriage-return", "\r")]),
    ("nas:/a /a nfs rw 0 0\rnas:/b /b nfs", [("carriage-return", "\r")]),
    ("nas:/a /a nfs ,rw 0 0", [("empty-option", ",")]),
    ("nas:/a /a nfs rw,,hard 0 0", [("empty-option", ",")]),
    ("nas:/a /a nfs rw, 0 0", [("empty-option", ",")]),
    ('nas:/a /a nfs rw,context="a,hard 0 0', [("unclosed-quote", 'context="a,hard')]),
]


@each(lambda: CASES)
def test_traps_and_their_places(line: str, expected: list[tuple[str, str]]) -> None:
    (entry,) = read(line + "\n").entries
    assert [(trap.slug, line[trap.span.column - 1 : trap.span.end_column - 1]) for trap in entry.traps] == expected


def test_a_utf_16_file_says_so() -> None:
    first = read("nas:/a /a nfs\n".encode("utf-16")).entries[0]
    assert {trap.slug for trap in first.traps} == {"byte-order-mark", "nul-byte"}


def test_a_byte_order_mark_matters_only_at_the_start() -> None:
    second = read("a /a nfs\n\ufeffb /b nfs\n").entries[1]
    assert [trap.slug for trap in second.traps] == ["non-breaking-space"]


def test_a_latin_1_no_break_space_is_found() -> None:
    (entry,) = read(b"nas:/a\xa0/a nfs rw 0 0\n").entries
    assert [trap.slug for trap in entry.traps] == ["non-breaking-space"]
    assert "U+00A0" in entry.traps[0].words


def test_correct_lines_have_no_traps_and_every_program_reads_them_alike() -> None:
    entries = read((DATA / "good.fstab").read_bytes()).entries
    assert len(entries) == 25
    assert [entry for entry in entries if entry.traps or entry.difference or entry.libmount != "ok"] == []


def test_the_corpus_is_not_flooded() -> None:
    """Read by hand: 631 entries, of which 19 are at fault. A change that finds many more is suspicious."""
    flagged = {"dropped": 0, "differ": 0, "traps": 0}
    for path in (shared() / "corpus" / "fstab").iterdir():
        for entry in read(path.read_bytes()).entries:
            flagged["dropped"] += entry.libmount != "ok"
            flagged["differ"] += entry.difference is not None
            flagged["traps"] += bool(entry.traps)
    assert flagged == {"dropped": 14, "differ": 15, "traps": 17}


def told(line: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """Slug, place, words and missing fields of each trap."""
    (entry,) = read(f"{line}\n").entries
    return [
        (trap.slug, line[trap.span.column - 1:trap.span.end_column - 1], trap.words, trap.lacks) for trap in entry.traps
    ]


SHIFTED, GLUED = "shifted-fields", "glued-text"
SPACE = "a space in a field shifts the fields after it; write \\040 for it"


@each(lambda: [
    ("nas: /a /b nfs", SHIFTED, "nas: /a", "a space after the colon cuts the source in two: write 'nas:/a'", ()),
    ("nas:/a nfs4 rw 0 0", SHIFTED, "nfs4",
     "the second field is 'nfs4', a file system type: the mount point is missing", ()),
    ("nas:/a /a rw,timeo=1", SHIFTED, "rw,timeo=1",
     "the third field is 'rw,timeo=1', which are mount options: the file system type is missing", ("fstype",)),
    ("nas:/a /a 0 0", SHIFTED, "0",
     "the third field is '0', a number: the file system type and the options are missing", ("fstype", "options")),
    ("nas:/a b /mnt nfs", SHIFTED, "/mnt",
     "the third field is '/mnt', a path, not a file system type: write a space in a path as \\040", ()),
    ("nas:/a /a nfs 0 0", SHIFTED, "0",
     "the fourth field is '0', a number: the options are missing, write 'defaults' there", ("options",)),
    ("nas:/a /a nfs -o rw", SHIFTED, "-o",
     "the fourth field is '-o', which belongs on the command line of mount: write the options without it", ()),
    ("nas:/a /a nfs rw no 0", SHIFTED, "no", f"the fifth field is 'no' where a number belongs: {SPACE}", ()),
    ("nas:/a /a nfs rw 0 no", SHIFTED, "no", f"the sixth field is 'no' where a number belongs: {SPACE}", ()),
    ("nas:/a /a nfs rw\\ x 0", SHIFTED, "x", "the fifth field is 'x' where a number belongs: "
     "a backslash does not escape a space; write \\040 for it", ()),
    ("nas:/a /a nfs rw 0 -1x", GLUED, "x",
     "'x' is glued to the number in the sixth field: delete it or move it", ()),
    ("nas:/a /a nfs rw 0x 0", GLUED, "x", "'x' is glued to the number in the fifth field: delete it or move it", ()),
    ("nas:/a /a nfs rw , hard 0", "blank-after-comma", " ,",
     "a space next to a comma cuts the options in two, and ',' lands in the fifth field", ()),
    ("nas:/a /a nfs rw,  hard 0", "blank-after-comma", ",  h",
     "a space next to a comma cuts the options in two, and 'hard' lands in the fifth field", ()),
    ("nas:/a /a nfs rw 0 0 x y ", "beyond-the-end", "x y",
     "nothing reads 'x' and what follows it, for the line ends with its sixth field:"
     " write an option into the fourth field, and another mount on a line of its own", ()),
    ("nas:/a # /a nfs", "trailing-comment", "# /a nfs",
     "the comment is read as the second field: put it on a line of its own, above", ()),
    ("nas:/a /a nfs rw 0 #b ", "trailing-comment", "#b",
     "the comment is read as the sixth field: put it on a line of its own, above", ()),
    ("nas:/a '/b' nfs", "quoted-path", "'",
     "quotes do not group words; they become part of the second field: write a space as \\040", ()),
    ("nas:'/a' /b nfs", "quoted-path", "'",
     "quotes do not group words; they become part of the first field: write a space as \\040", ()),
    ("nas:/a /b nfs rw\u200b,hard", "non-breaking-space", "\u200b",
     "U+200B looks like a space, but is part of the fourth field: write a plain space, or \\040 for a space in a name",
     ()),
    ("nas:/a /b nfs “rw”", "typographic-quotes", "“",
     "the typographic quote “ is part of the fourth field: fstab needs no quotes here", ()),
    ("nas:/a /b nfs rw,", "empty-option", ",", "extra comma: delete it", ()),
    ("nas:/a /b nfs rw,,hard,", "empty-option", ",", "extra comma: delete it", ()),
    ("nas:/a /b nfs rw\r", "carriage-return", "\r",
     "the line ends with a carriage return, as on Windows: save the file with Unix line endings", ()),
    ("nas:/a /b nfs r\rw", "carriage-return", "\r",
     "a carriage return does not end the line: save the file with Unix line endings", ()),
    ("nas:/a /b nfs rw \\ ", "backslash-continuation", "\\",
     "fstab has no continuation lines: the backslash is literal, and the next line is read on its own", ()),
    ("nas:/a /b nfs r\0w", "nul-byte", "\0", "a NUL byte: the file is damaged, or not in UTF-8", ()),
    ("\ufeffnas:/a /b nfs", "byte-order-mark", "\ufeff",
     "the file begins with a byte order mark, which becomes part of the first field: save it without one", ()),
])  # fmt: skip
def test_a_trap_in_words(line: str, slug: str, place: str, words: str, lacks: tuple[str, ...]) -> None:
    assert (slug, place, words, lacks) in told(line)


@each(lambda: [
    ("nas:/it’s /b nfs rw 0 0", []), ("nas:/a /a’b nfs rw", []), ("nfs nfs nfs rw", []), ("tmpfs nfs tmpfs rw", []),
    ("a /b 9 rw", []), ("nas:/a /b# nfs rw 0 0 # “x”", []), ("nas:/a /a nfs -1 rw 0", [(SHIFTED, "-1")]),
    ("nas:/a /b nfs rw 0 0 \\# x", [("beyond-the-end", "\\# x")]),
    ("nas:/a /b nfs rw 0 0“", [("typographic-quotes", "“")]),
    ("nas:/a /b nfs rw 0 0\f\r", [(GLUED, "\f"), ("carriage-return", "\r")]),
])  # fmt: skip
def test_what_only_resembles_a_trap_is_none(line: str, traps: list[tuple[str, str]]) -> None:
    assert [trap[:2] for trap in told(line)] == traps
