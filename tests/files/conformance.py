"""What docs/fstab-conformance.md says.

`python -m tests.files.conformance > docs/fstab-conformance.md` writes it anew.
"""

from __future__ import annotations

from typing import NamedTuple

from advisor.files.fstab import Entry, read
from advisor.files.fstab_readings import Trap


class Difference(NamedTuple):
    """A peer's expectation that the reader does not share. `column` as the records name it, or "verdict"."""

    peer: str
    column: str
    theirs: str
    ours: str
    lines: int
    basis: str
    why: str


# How many fstab lines of each peer have an expectation that its tests state.
STATED = {
    "augeas": 14,
    "insights-core": 3,
    "libstorage-ng": 6,
    "public Rust parser test": 2,
    "puppetlabs-mount_core": 3,
    "util-linux": 16,
}

INTENDED = [
    Difference(
        "insights-core",
        "mntops",
        "`defaults` when the field is absent",
        "no option field",
        1,
        "stated",
        "A reader reports what is written. Its user decides that an absent field means `defaults`.",
    ),
    Difference(
        "insights-core",
        "mntops",
        "`defaults` when the field is absent",
        "no option field",
        1,
        "derived",
        "As above.",
    ),
    Difference(
        "insights-core",
        "verdict",
        "the line is accepted",
        "the line is dropped",
        1,
        "derived",
        "Without its option column, the comment at its end lands in the sixth field, and libmount drops the line.",
    ),
]

READ_DIFFERENTLY = [
    "nas:/a /a nfs rw, hard 0 0",
    "nas: /a /mnt nfs rw 0 0",
    "nas:/a /a nfs rw # note",
    "nas:/a /a nfs rw 0 0#note",
    "nas:/a /a nfs rw 0 0x0",
    "nas:/a /a",
    r"nas:/a\043b /a nfs rw",
    r"nas:/a\\b /a nfs rw",
    "nas:/a /a nfs rw\r",
    "nas:/a /a nfs r\0w",
]

TRAPS = [
    "nas:/a /a nfs rw,\\",
    "nas:/a /a nfs ro,comment=“x”",
    "nas:/a /m\u00a0x nfs rw",
    "\ufeffnas:/a /a nfs rw",
    'nas:/a "/my share" nfs rw 0 0',
    "nas:/a /a nfs rw, hard 0 0",
    "nas:/a /a nfs rw 0 0Mount",
    "nas:/a nfs rw,hard 0 0",
    "nas:/a /a nfs rw # note",
    "nas:/a /a nfs r\0w",
    "nas:/a /a nfs rw\r",
    "nas:/a /a nfs rw,,hard",
    'nas:/a /a nfs context="a,rw',
]


def render() -> str:
    total = sum(STATED.values())
    differing = sum(one.lines for one in INTENDED if one.basis == "stated")
    return "\n".join([
        "# How fstab is read",
        "",
        "<!-- Written by `python -m tests.files.conformance`; a test keeps it so. -->",
        "",
        "The reader does exactly what libmount 2.38, the library of `mount(8)`, does.",
        "It also reads each line as `getmntent(3)` of glibc 2.36 does, which many other programs use.",
        "Tests compare it on random files with both, through `findmnt` and the C library itself.",
        "",
        "## Against the tests of other parsers",
        "",
        f"Of {total} lines whose expectation a peer's test states, {total - differing} are read as stated.",
        "Lines whose expectation was only derived from a peer's sample files are compared as well.",
        "An absent fifth or sixth field counts as 0, and escapes are compared decoded.",
        "",
        "| peer | lines stated |",
        "|---|---|",
        *(f"| {peer} | {count} |" for peer, count in STATED.items()),
        "",
        "### Intended differences",
        "",
        "| peer | expectation | column | theirs | here | lines | why |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {one.peer} | {one.basis} | {one.column} | {one.theirs} | {one.ours} | {one.lines} | {one.why} |"
            for one in INTENDED
        ),
        "",
        "## Where mount(8) and getmntent(3) disagree",
        "",
        "`Entry.difference` says how. Lines in ordinary form never differ.",
        "",
        "| line | what `Entry.difference` says |",
        "|---|---|",
        *(f"| {_code(line)} | {_cell(_entry(line).difference or '')} |" for line in READ_DIFFERENTLY),
        "",
        "A line with a NUL byte also makes `getmntent(3)` swallow the line after it,",
        "and a line of more than 4095 bytes loses its end there.",
        "",
        "## Traps",
        "",
        "`Entry.traps` names common mistakes, whether or not mount(8) accepts the line.",
        "",
        "| slug | example | words |",
        "|---|---|---|",
        *(f"| `{_trap(line).slug}` | {_code(line)} | {_cell(_trap(line).words)} |" for line in TRAPS),
        "",
    ])  # fmt: skip


def _entry(line: str) -> Entry:
    return read(line + "\n").entries[0]


def _trap(line: str) -> Trap:
    return _entry(line).traps[0]


def _code(line: str) -> str:
    return f"`{''.join(c if c.isprintable() else f'<U+{ord(c):04X}>' for c in line)}`"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


if __name__ == "__main__":
    print(render(), end="")
