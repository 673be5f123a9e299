"""Comments that suppress findings."""

from __future__ import annotations

import pytest

from advisor.files.fstab import Span
from advisor.lint.suppress import Suppression, suppressions


def test_the_comment_on_the_line_before() -> None:
    found = suppressions("# head\n  # advisor: ignore[a-b, c/d] it is meant so \nnas:/a /a nfs\n")
    assert found == (Suppression(2, 3, 3, ("a-b", "c/d"), "it is meant so", Span(2, 3, 45), None),)


def test_several_comments_and_others_between() -> None:
    found = suppressions("# advisor: ignore[a]\n# why\n#advisor:ignore[b]\nnas:/a /a nfs\n")
    assert [(one.target, one.slugs) for one in found] == [(4, ("b",)), (4, ("a",))]


@pytest.mark.parametrize("between", ["", "nas:/x /x nfs"])
def test_only_the_next_entry_is_meant(between: str) -> None:
    found = suppressions(f"# advisor: ignore[a]\n{between}\nnas:/a /a nfs\n")
    assert [one.target for one in found] == [2 if between else None]


def test_no_entry_below() -> None:
    (only,) = suppressions("# advisor: ignore[a]\n\nnas:/a /a nfs\n")
    assert (only.target, only.problem) == (None, "no entry follows this comment, so it suppresses nothing")


@pytest.mark.parametrize(
    "comment", ["# advisor: ignore", "# advisor: ignore[]", "# advisor: ignroe[a]", "# advisor: ignore a"]
)
def test_what_is_not_understood_is_said(comment: str) -> None:
    (only,) = suppressions(comment + "\nnas:/a /a nfs\n")
    assert only.slugs == ()
    assert only.problem
    assert "not understood" in only.problem


@pytest.mark.parametrize("line", ["# the advisor: see below", "# ignore[a]", "nas:/a /a nfs # advisor: ignore[a]"])
def test_other_comments_mean_nothing(line: str) -> None:
    assert suppressions(line + "\nnas:/a /a nfs\n") == ()


def test_an_entry_of_several_lines() -> None:
    text = "# advisor: ignore[a]\n/srv \\\n  x(ro) \\\n  y(ro)\n/b z(ro)\n"
    assert [(one.target, one.last) for one in suppressions(text, continued=True)] == [(2, 4)]
    assert [(one.target, one.last) for one in suppressions(text)] == [(2, 2)]


def test_an_entry_that_goes_on_into_a_comment_is_of_one_line() -> None:
    text = "# advisor: ignore[a]\n/srv \\\n# note\n/b z(ro)\n"
    assert [(one.target, one.last) for one in suppressions(text, continued=True)] == [(2, 2)]


def test_what_a_comment_begins_with() -> None:
    assert suppressions("; advisor: ignore[a]\n[nfsd]\n") == ()
    assert [one.target for one in suppressions("; advisor: ignore[a]\n[nfsd]\n", signs="#;")] == [2]
