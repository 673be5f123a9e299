"""What a file says of its entries in comments: which entry it is about, and what counts for nothing."""

from __future__ import annotations

import pytest

from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.lint.suppress import _LONGEST, is_statement, stated, stated_of_all, unfit, with_stated
from advisor.rulebase.base import load
from tests.each import each

BASE = load()
OLD = '# advisor: facts {"client.kernel": "4.17", "client.kernel_stream": "mainline"}\n'
LINE = "nas:/{0} /{0} nfs nconnect=4 0 0\n"


@each(lambda: [
    (LINE.format("a"), []), (OLD + LINE.format("a"), [2]), (OLD + LINE.format("a") + LINE.format("b"), [2]),
    (LINE.format("a") + OLD + LINE.format("b"), [3]), (f"{OLD}# why\n\n{LINE.format('a')}", [4]),
    (f" {OLD}{LINE.format('a')}", []), (OLD.replace("facts", "pins") + LINE.format("a"), []),
])
def test_facts_are_about_the_next_entry_alone(text: str, lines: list[int]) -> None:
    result = lint_text(text, "fstab", BASE, {"host.role": "nfs-client"})
    assert [line for line, facts in stated(text, "facts").items() if facts] == lines
    too_new = {finding.line for finding in result.findings if finding.tunable == "mount.nconnect"}
    assert too_new == {*lines}


def test_what_is_said_above_an_entry_adds_up_and_no_more_than_can_be_read() -> None:
    more = '# advisor: facts {"client.distro": "rhel"}\n'
    assert stated(OLD + more + LINE.format("a"), "facts") == {
        3: {"client.kernel": "4.17", "client.kernel_stream": "mainline", "client.distro": "rhel"}}
    for broken in ('# advisor: facts {"client.kernel"\n', "# advisor: facts [1]\n", "# advisor: other {}\n"):
        assert not is_statement(broken)
        assert stated(broken + LINE.format("a"), "facts") == {}


@pytest.mark.parametrize("over", [0, 1])
def test_a_statement_has_a_length_up_to_which_it_is_read(over: int) -> None:
    data = '{"x": "' + "y" * (_LONGEST - 9 + over) + '"}'
    assert len(data) == _LONGEST + over
    assert is_statement(f"# advisor: facts {data}") is not bool(over)


def test_facts_that_count_for_nothing_are_named() -> None:
    wrong = '# advisor: facts {"client.kernel": "3.10", "no.such": 1, "client.distro": "nothing"}\n'
    assert [*unfit(BASE, wrong + LINE.format("a"))] == [(2, "no.such, client.distro")]
    assert [*unfit(BASE, OLD + LINE.format("a"))] == []


def test_of_a_whole_file_counts_what_all_its_entries_say() -> None:
    other = '# advisor: facts {"client.kernel": "4.17", "client.kernel_stream": "el8"}\n'
    assert stated_of_all(OLD + LINE.format("a") + other + LINE.format("b"), "facts") == {"client.kernel": "4.17"}
    assert stated_of_all(LINE.format("a"), "facts") == {}
    written = '# advisor: facts {"server.nfs_utils": "2.3.3", "no.such": 1}\n[nfsd]\nthreads=8\n'
    index = RuleIndex(BASE, {}, kind="nfs.conf")
    assert with_stated(index, written, "x").known["server.nfs_utils"] == "2.3.3"
    assert with_stated(RuleIndex(BASE, {"server.nfs_utils": "2.6.1"}, kind="nfs.conf"), written, "x").known[
        "server.nfs_utils"] == "2.6.1", "what is given goes before"
    assert "no.such" not in with_stated(index, written, "x").known
