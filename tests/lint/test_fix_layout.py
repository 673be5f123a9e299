"""Columns after a fix."""

from __future__ import annotations

import pytest

from advisor.lint.finding import Edit, apply
from advisor.lint.fix import settle

TABLE = "nas:/b  /b  nfs  hard,intr,bg  0 0"


def test_edits_are_made_from_right_to_left() -> None:
    assert apply("ab cd", [Edit(1, 1, 2, "xyz"), Edit(1, 4, 6, "")]) == "xyzb "


# name: (the line, edited, a neighbour, what it becomes)
CASES = {
    "padded": (
        "nas:/a  /a  nfs  hard,intr,xx  0 0",
        "nas:/a  /a  nfs  hard  0 0",
        TABLE,
        "nas:/a  /a  nfs  hard          0 0",
    ),
    "taken from the blanks": (
        "nas:/a  /a  nfs  hard          0 0",
        "nas:/a  /a  nfs  hard,intr,x          0 0",
        TABLE,
        "nas:/a  /a  nfs  hard,intr,x   0 0",
    ),
    "no room": (
        "nas:/a  /a  nfs  hard,intr,xx  0 0",
        "nas:/a  /a  nfs  hard,intr,xx,yyyyy  0 0",
        TABLE,
        "nas:/a  /a  nfs  hard,intr,xx,yyyyy  0 0",
    ),
    "back into the column that it was pushed out of": (
        "nas:/a  /a  nfs  hard,intr,xx,yyyyy  0 0",
        "nas:/a  /a  nfs  hard  0 0",
        "nas:/b  /b  nfs  hard          0 0",
        "nas:/a  /a  nfs  hard          0 0",
    ),
    "one blank each is not a table": (
        "nas:/a /a nfs hard,intr 0 0",
        "nas:/a /a nfs hard 0 0",
        "nas:/b /b nfs hard,intr 0 0",
        "nas:/a /a nfs hard 0 0",
    ),
    "two blanks each is not a table": (
        "nas:/a  /a  nfs  hard,intr  0 0",
        "nas:/a  /a  nfs  hard  0 0",
        "nas:/b  /b  nfs  hard,bg  0 0",
        "nas:/a  /a  nfs  hard  0 0",
    ),
    "no neighbour": (
        "nas:/a  /a  nfs  hard,intr  0 0",
        "nas:/a  /a  nfs  hard  0 0",
        "",
        "nas:/a  /a  nfs  hard  0 0",
    ),
    "a tab more": (
        "nas:/a\t/a\tnfs\thard,intr\t0\t0",
        "nas:/a\t/a\tnfs\thard\t0\t0",
        "nas:/b\t/b\tnfs\trw,hard,x\t0\t0",
        "nas:/a\t/a\tnfs\thard\t\t0\t0",
    ),
    "a tab less": (
        "nas:/a\t/a\tnfs\thard\t\t0\t0",
        "nas:/a\t/a\tnfs\trw,hard,x\t\t0\t0",
        "nas:/b\t/b\tnfs\trw,hard,x\t0\t0",
        "nas:/a\t/a\tnfs\trw,hard,x\t0\t0",
    ),
    "mixed blanks are left alone": (
        "nas:/a  /a  nfs  hard,intr,b \t0 0",
        "nas:/a  /a  nfs  hard \t0 0",
        "nas:/b  /b  nfs  hard,intr,bg   0 0",
        "nas:/a  /a  nfs  hard \t0 0",
    ),
    "a carriage return at the end": (
        "nas:/a  /a  nfs  hard,intr,xx  0 0\r",
        "nas:/a  /a  nfs  hard  0 0\r",
        TABLE + "\r",
        "nas:/a  /a  nfs  hard          0 0\r",
    ),
    "indented": (
        "  nas:/a  /a  nfs  hard,intr,xx  0 0",
        "  nas:/a  /a  nfs  hard  0 0",
        f"  {TABLE}",
        "  nas:/a  /a  nfs  hard          0 0",
    ),
    "a comment after the last field": (
        "nas:/a  /a  nfs  hard,intr,xx  0 0  # old",
        "nas:/a  /a  nfs  hard  0 10  # old",
        f"{TABLE}  # new",
        "nas:/a  /a  nfs  hard          0 10  # old",
    ),
    "a field more": ("nas:/a /a nfs", "nas:/a /a nfs hard", TABLE, "nas:/a /a nfs hard"),
}


@pytest.mark.parametrize("name", CASES)
def test_columns(name: str) -> None:
    before, after, neighbour, settled = CASES[name]
    assert settle(before, after, neighbour, "") == settled
    assert settle(before, after, "", neighbour) == settled
