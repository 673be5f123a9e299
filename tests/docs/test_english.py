"""What a machine can see of docs/style.md: words never to use, and how titles, messages and reasons begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.prose import ROOT, Text, docstrings, pages, rule_base, strings
from tests.each import each

AWKWARD = {
    r"there is an? \w+ too many": "there is a comma too many",
    r"\bis an? \w+ and no \w+": "It is an action and no setting.",
    r"\bwho has yet\b": "The rule is for who has yet to choose.",
    r"\bfor who \w+": "This is for who did not look.",
    r"\b(?:an?|the) \w+ of (?:yours|theirs|one's own)\b": "an answer of yours goes before it",
    r"\bnot (?:un|in)(?:common|likely|usual|possible|sufficient)\b": "It is not uncommon.",
    r"(?<!here )\b(?:is|are) no (?:address|alias|comment|date|data|day|facts?|fault|file|gate|link|number|options?|"
    r"path|request|settings?|text|time|YAML)\b": "A retry that is no number is ignored.",
    r"\bno \w+ that (?:does not|is not|has no)\b": "There is no server that does not do so.",
    r"\b([a-z]{2,}) (?!that\b|had\b)\1\b(?![-.])": "Write the the value.",
    r"(?<![-\w])a (?!uni|us[aeu]|ud|is\b|one\b|once\b|eu|ubi|util)[aeiou][a-z]": "Write a option.",
    r"\ban (?!hour|honest|http|nfs|fs|rpc|rsize|ssh|xprt|xfs)[b-df-hj-np-tv-z][a-z]": "Write an value.",
}
"""Patterns of sentences that no native writer would write, and a sentence that each of them finds."""
IN_RULES = {
    r"\bstands? (?:in|there|behind|beside|first)\b": "The domain stands in idmapd.conf.",
    r"\b(?:is|are|be|been) mended\b|\b[Mm]end (?:the|DNS|LDAP)\b": "This is mended by hand.",
    r"\b(?:every|some)body\b": "It lets everybody write.",
    r"\b(?:last|first) (?:value|one|entry|line) holds\b": "The last value holds.",
    r"\b[Ii]nside of\b": "It is inside of the export.",
    r"\b(?:under way|anew)\b": "Calls under way are made anew.",
    r"\b(?:[Tt]ake|[Pp]ut) (?:\S+ ){1,3}(?:out|back) (?:of|and|into)\b": "Take the option out and mount again.",
    r"\b(?:asks|wants) for\b(?=.*\bdemand)|\bdemands?\b": "The export demands TLS.",
    r"\bthat is none\b": "It returned an address that is none.",
}
"""Patterns that the rule base no longer has, and a sentence that each of them finds."""


@cache
def base() -> tuple[Text, ...]:
    return tuple(rule_base(
        "rules", "kb/tunables", "kb/platforms", "kb/recipes", "kb/messages", "kb/kinds.yaml", "kb/capabilities.yaml",
    ))


@cache
def everything() -> tuple[Text, ...]:
    return tuple(one for one in (*base(), *pages(), *strings()) if not one.place.startswith("docs/style.md"))


@cache
def everything_and_docstrings() -> tuple[Text, ...]:
    return (*everything(), *docstrings())


@cache
def refused_words() -> tuple[str, ...]:
    rows = re.findall(r"^\|.*\|(.*)\|$", (ROOT / "docs" / "style.md").read_text(encoding="utf-8"), re.MULTILINE)
    return tuple(word for cell in rows for word in re.findall(r"`([^`]+)`", cell))


def offences(texts: tuple[Text, ...], pattern: str) -> list[str]:
    found = re.compile(pattern)
    return [f"{one.place}: {one.text}" for one in texts if found.search(one.text)]


def words(*texts: str) -> str:
    """A pattern that finds any of these words, wherever a line of YAML breaks."""
    each = "|".join(r"\s+".join(map(re.escape, text.split())) for text in texts)
    return rf"(?i)(?<![\w-])(?:{each})(?![\w-])"


def test_the_word_list_is_read() -> None:
    assert {"misspelt", "no opinion", "without a word"} <= set(refused_words())


def test_refused_words_are_used_nowhere() -> None:
    for text in refused_words():
        assert offences((Text("x:1", "why", f"So {text} it is."),), words(*refused_words())), text
    assert not offences(everything(), words(*refused_words()))


@each(AWKWARD.items)
def test_sentences_read_as_english(pattern: str, sample: str) -> None:
    assert offences((Text("x:1", "why", sample),), pattern)
    assert not offences(everything_and_docstrings(), pattern)


@each(IN_RULES.items)
def test_sentences_of_rules_use_plain_verbs(pattern: str, sample: str) -> None:
    assert offences((Text("x:1", "why", sample),), pattern)
    assert not offences(base(), pattern)


def misformed(texts: tuple[Text, ...]) -> Iterator[str]:
    """Fields of rules and checks that do not begin or end as style.md says."""
    for one in texts:
        text = one.text.strip()
        if one.field in ("title", "message") and re.search(r"(?<!\.)\.$", text):
            yield f"{one.place}: no full stop at the end of a {one.field}: {text}"
        elif one.field == "title" and "/checks/" in one.place and re.match(r"(?:An?|The) ", text):
            yield f"{one.place}: the title of a check begins without an article: {text}"
        elif one.field in ("why", "remedy", "risk", "workaround", "symptom", "help") and not re.search(r"[.?!]$", text):
            yield f"{one.place}: a full stop ends {one.field}: {text}"
        elif one.field == "ask" and not text.endswith("?"):
            yield f"{one.place}: a question ends with a question mark: {text}"
        elif one.field != "page" and re.search("[“”‘’]", text):
            yield f"{one.place}: quotes are straight: {text}"


def test_fields_begin_and_end_as_the_style_says() -> None:
    samples = [("title", "Too many."), ("message", "{option} is bad."), ("why", "It is bad"), ("ask", "Say it.")]
    for field, text in [*samples, ("help", "See “x”.")]:
        assert [*misformed((Text("rules/checks/x.yaml:1", field, text),))]
    assert [*misformed((Text("rules/checks/x.yaml:1", "title", "A comma"),))]
    assert not [*misformed(base())]


def test_all_kinds_of_text_are_read() -> None:
    kinds = {Path(one.place).parts[0]: one.field for one in everything()}
    assert {"rules", "kb", "docs", "advisor"} <= set(kinds)
    assert len(everything()) > 3000
