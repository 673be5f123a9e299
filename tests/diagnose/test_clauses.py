"""What the clauses of a report say: outcomes with their polarity, and what they are about."""

from __future__ import annotations

import pytest

from advisor.diagnose.evidence import Reader
from advisor.rulebase.clauses import Vocabulary
from advisor.rulebase.model import RuleBase


@pytest.fixture(scope="module")
def vocabulary(base: RuleBase) -> Vocabulary:
    return Vocabulary(base.reading["synonyms"], base.concepts.values())


def says(vocabulary: Vocabulary, text: str) -> list[set[str]]:
    """The features of each clause."""
    clauses: dict[int, set[str]] = {}
    for feature in vocabulary.features(vocabulary.sentences([(1, text)])):
        clauses.setdefault(feature.clause, set()).add(feature.name)
    return list(clauses.values())


@pytest.mark.parametrize(("text", "said", "not_said"), [
    ("The v3 mount fails, the v4 one works.", {"fails:v3", "works:v4"}, {"works:v3", "fails:v4"}),
    ("The server has not been restarted.", {"no-restart"}, {"restart", "hangs"}),
    ("Nothing hangs here.", {"not:hangs"}, {"hangs"}),
    ("Nobody is able to write there.", {"fails", "fails:write"}, {"wrong-owner"}),
    ("Every file there is owned by nobody.", {"wrong-owner"}, {"fails"}),
    ("With ufw disabled I can list it, enabled I cannot.", {"works:no-firewall", "fails"}, {"fails:firewall"}),
    ("With all_squash it works.", {"works:squash"}, {"fails"}),
    ("As root I cannot delete anything, as a user it works.", {"fails:root:delete", "works:user"}, {"works:root"}),
    ("Users see everything, but writing is refused.", {"denied:write"}, {"works:write"}),
    ("chown in the container: Operation not permitted", {"denied:container:chown"}, {"works:chown"}),
    ("It doesn't work over wifi, by cable it works.", {"fails:wireless", "works:network"}, {"works:wireless"}),
    ("No client boots.", {"fails:boot"}, {"works:boot"}),
    ("Without a firewall it is no different.", {"no-firewall"}, {"firewall"}),
])
def test_a_clause_says_what_happens_and_to_what(
    vocabulary: Vocabulary, text: str, said: set[str], not_said: set[str]
) -> None:
    found = set().union(*says(vocabulary, text))
    assert said <= found
    assert not not_said & found


@pytest.mark.parametrize(("one", "other"), [
    ("Root may not chown there: denied.", "As root, changing the owner is refused."),
    ("The folder is empty.", "I see nothing in the directory: no files."),
    ("After the upgrade it hangs.", "Since we upgraded, everything is stuck."),
])
def test_other_words_have_a_feature_in_common(vocabulary: Vocabulary, one: str, other: str) -> None:
    assert set().union(*says(vocabulary, one)) & set().union(*says(vocabulary, other))


def test_a_clause_has_the_line_where_its_sentence_begins(vocabulary: Vocabulary) -> None:
    lines = [(3, "The mount hangs."), (4, "ls works,"), (5, "find is slow.")]
    assert {(one.name, one.line) for one in vocabulary.features(vocabulary.sentences(lines))} >= {
        ("hangs", 3), ("works", 4), ("slow", 4)
    }


@pytest.mark.parametrize(("text", "fact", "value"), [
    ("NFSv3 mounts fail, NFSv4 works", "story.works_with_v3", None),
    ("With NFSv3 it works", "story.works_with_v3", True),
    ("The server has not been restarted", "story.server_restarted", False),
    ("The NFS server was restarted", "story.server_restarted", True),
    ("With the firewall off it works", "story.firewall", None),
    ("The firewall is off", "story.firewall", False),
])
def test_a_fact_is_stated_by_the_clause_that_says_it(base: RuleBase, text: str, fact: str, value: bool | None) -> None:
    stated = {one.fact: one.value for one in base.ready(Reader).read(f"{text}\n").stated}
    assert stated.get(fact) == value
