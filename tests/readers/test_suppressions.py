"""Comments that suppress findings."""

from __future__ import annotations

import pytest

from advisor.readers.fstab import Span, read
from advisor.readers.fstab.suppressions import Suppression


def test_the_comment_on_the_line_before() -> None:
    found = read("# head\n  # advisor: ignore[a-b, c/d] it is meant so \nnas:/a /a nfs\n").suppressions
    assert found == {3: (Suppression(2, 3, ("a-b", "c/d"), "it is meant so", Span(2, 3, 45), None),)}


def test_several_comments_and_others_between() -> None:
    found = read("# advisor: ignore[a]\n# why\n#advisor:ignore[b]\nnas:/a /a nfs\n").suppressions
    assert [one.slugs for one in found[4]] == [("a",), ("b",)]


@pytest.mark.parametrize("between", ["", "nas:/x /x nfs"])
def test_only_the_next_entry_is_meant(between: str) -> None:
    found = read(f"# advisor: ignore[a]\n{between}\nnas:/a /a nfs\n").suppressions
    assert 3 not in found


def test_no_entry_below() -> None:
    ((only,),) = read("# advisor: ignore[a]\n\nnas:/a /a nfs\n").suppressions.values()
    assert (only.target, only.problem) == (None, "no entry follows this comment, so it suppresses nothing")


@pytest.mark.parametrize(
    "comment", ["# advisor: ignore", "# advisor: ignore[]", "# advisor: ignroe[a]", "# advisor: ignore a"]
)
def test_what_is_not_understood_is_said(comment: str) -> None:
    ((only,),) = read(comment + "\nnas:/a /a nfs\n").suppressions.values()
    assert only.slugs == ()
    assert only.problem
    assert "not understood" in only.problem


@pytest.mark.parametrize("line", ["# the advisor: see below", "# ignore[a]", "nas:/a /a nfs # advisor: ignore[a]"])
def test_other_comments_mean_nothing(line: str) -> None:
    assert read(line + "\nnas:/a /a nfs\n").suppressions == {}
