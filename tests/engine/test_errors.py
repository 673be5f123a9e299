"""What a refusal says."""

from __future__ import annotations

import pytest

from advisor.engine.errors import EngineError, FactError, near, word_list


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["3"], "3"), (["3", 4.1], "3 or 4.1"), (["3", "4.1", "4.2"], "3, 4.1 or 4.2")]
)
def test_words_are_listed_as_people_write_them(words: list[object], text: str) -> None:
    assert word_list(words) == text
    assert word_list(words, "and") == text.replace("or", "and")


def test_at_most_three_similar_words_are_suggested_the_likeliest_first() -> None:
    assert near("vers", ["vers1", "vers2", "verse", "vers", "other"])[0] == "vers"
    assert near("vers0", ["vers1", "vers2", "vers3", "vers4"]) == ["vers4", "vers3", "vers2"]
    assert near("vers", ["proto"]) == []
    assert near("vers", []) == []


def test_a_word_is_like_another_from_six_in_ten_letters_on() -> None:
    assert near("abcde", ["abcxy"]) == ["abcxy"]  # 2 * 3 of 10 letters
    assert near("abcdef", ["abcxyz"]) == []  # 2 * 3 of 12
    assert near("ABCDE", ["abcde"]) == ["abcde"]


def test_what_is_much_less_likely_than_the_best_is_not_suggested() -> None:
    assert near("abcdefghij", ["abcdefghij", "abcdefghix"]) == ["abcdefghij", "abcdefghix"]  # 0.9
    assert near("abcdefghij", ["abcdefghij", "abcdefghyx"]) == ["abcdefghij"]  # 0.8


def test_an_error_says_where_and_in_which_case() -> None:
    assert str(EngineError("wrong")) == "wrong"
    assert str(EngineError("wrong", ("decisions", "x", 0))) == "decisions > x > 0: wrong"
    assert str(EngineError("wrong", ("x",), "a is true")) == "x: wrong, for example where a is true"
    refusal = FactError("a", 3, "no", ["4", "5"])
    assert (str(refusal), refusal.message, refusal.path) == ("a: no; did you mean 4 or 5?", "no", ())
