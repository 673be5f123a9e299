"""Whatever is written for a value: it is refused, or it stands in files and commands as what it is, and no more."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import AnswerError, Answers, bad_name, check_answers, fact_value, pin_value
from advisor.advice.answers_file import AnswersFileError, parse_answers
from advisor.advice.model import Advice
from advisor.files.source import parse_source
from advisor.install import artefacts
from advisor.install.context import Unwritable, plain
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBaseError
from advisor.rulebase.values import why_invalid
from advisor.wizard.state import Refused, Session, pin
from tests.each import each
from tests.install.cases import CASES, advice, base, made
from tests.tiers import thorough
from tests.zipped import zip_equal

pytestmark = thorough

HOSTILE = (
    "x; id", "$(id)", "`id`", "a\nb = c", "a\x00b", "{}", "{0}", "{target}", "{0.__class__}", "%s", "%n%h", "'", '"',
    "<script>alert(1)</script>", "a\u2028b", "a\u2029b", "a\u0085b", "\x1b[2J", "\x9b2J", "a|b", "a && b",
    "a > /etc/passwd", "a,exec", "a b", " ", "", "\\", "a\\", "#", "-rf", "--", "~", "*", "a\tb", "\u202eabc", "é", "٣",
    "9" * 5000, "1 2 3; id", "nfs\r\n[Service]\nExecStart=/bin/sh", "{{ 7*7 }}", "!unsafe x", "]]>", "${HOME}",
    "a=b;c", "1e9", "0x10\n", "=", "+",
)
PIECES = st.sampled_from([*";$`\n\x00{}%'\"<>\u2028\x1b\x9b|&,# \\()[]~*!?^\r\t", "$(", "{0}", "%s"])
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=3)), max_size=5).map("".join)
FORBIDDEN = frozenset(";$`\n\r\t\x00{}%'\"<>|&#\\()[]~*!?^\u2028\u2029\u0085\x1b\x9b")
_VERSIONS = frozenset("<>~^")
"""What versions and ranges of them may have besides."""


def settings_of_rules() -> list[str]:
    return [name for name, told in base().decisions.items() if not told.estimate]


def harmless(name: str, value: Any) -> bool:
    """Whether a value that was accepted can do nothing in any file."""
    if isinstance(value, (bool, int)) or value in (base().tunables[name].values or ()):  # a word of the rule base
        return True
    return isinstance(value, str) and value.isascii() and not set(value) & FORBIDDEN and not value.startswith("-")


@each(settings_of_rules)
def test_a_held_value_is_of_its_type(name: str) -> None:
    for text in HOSTILE:
        with suppress(AnswerError):
            assert harmless(name, pin_value(base(), name, text)), (name, text)


@given(st.deferred(lambda: st.sampled_from(settings_of_rules())), TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_held_value_is_of_its_type_whatever_it_is(name: str, text: str) -> None:
    with suppress(AnswerError):
        assert harmless(name, pin_value(base(), name, text))


@each(lambda: sorted(base().tunables))
def test_no_tunable_has_a_value_that_means_more_than_itself(name: str) -> None:
    """Also those that no rule of ours decides: a site's own rules may."""
    told = base().tunables[name]
    words = {str(word) for word in told.values or ()}
    for text in HOSTILE:
        if text not in words:
            assert why_invalid(told, text) is not None or harmless(name, text), (name, text)


@each(lambda: sorted(base().facts))
def test_a_fact_is_of_its_type(name: str) -> None:
    for text in HOSTILE:
        try:
            facts = {name: fact_value(base(), name, text)}
            told = check_answers(base(), Answers(facts=facts)).facts[name]
        except AnswerError:
            continue
        assert isinstance(told, (bool, int)) or (set(str(told)) & FORBIDDEN) <= _VERSIONS, (name, text)


@given(st.deferred(lambda: st.sampled_from(sorted(base().facts))), TEXTS)
@settings(max_examples=200, deadline=None)
def test_facts_of_a_file_are_of_their_type(name: str, text: str) -> None:
    try:
        told = check_answers(base(), Answers(facts={name: fact_value(base(), name, text)})).facts[name]
    except AnswerError:
        return
    words = told if isinstance(told, list) else [told]
    assert all(isinstance(one, (bool, int)) or (set(str(one)) & FORBIDDEN) <= _VERSIONS for one in words)


@pytest.mark.parametrize("text", ["x; id", "{target}", "a\\nb", "$(id)"])
def test_ways_in(text: str) -> None:
    """The answers file and the wizard know the same values as --pin."""
    with pytest.raises(AnswersFileError):
        parse_answers(base(), f'schema: advisor-answers/1\npins: {{tuned.profile: "{text}"}}\n', "a.yaml")
    with pytest.raises(Refused):
        pin(base(), Session(), "tuned.profile", text)


OF_A_SITE = {
    "tuned.profile": "x; id", "filesystem.export": "$(id)", "fstab.type": "nfs\\n", "raid.level": "`id`",
    "mount.fsc": "a,exec", "mount.addr": "{0}", "nfs.conf.nfsd.scope": "a\\n[mountd]",
    "exports.fsid": "0) *(rw", "module.nfs.nfs4_unique_id": "a b",
}


def test_rules_of_a_site(tmp_path: Path) -> None:
    for tunable, value in OF_A_SITE.items():
        (tmp_path / f"{tunable}.yaml").write_text(
            f'decision: {tunable}\nrules:\n  - id: site/{tunable.replace(".", "-")}\n    layer: site\n'
            f'    when: {{client.distro: rhel}}\n    value: "{value}"\n    strength: should\n'
            "    consequence: performance\n    why: It is ours.\n    cites: [nfs5.noac]\n"
        )
    with pytest.raises(RuleBaseError) as error:
        load(packs=[str(tmp_path)])
    for tunable in OF_A_SITE:
        said = [line for line in error.value.messages if f"{tunable}.yaml:6:" in line and f"{tunable} is " in line]
        assert said, (tunable, error.value)


def with_value(told: Advice, tunable: str, value: Any) -> Advice:
    """An advice that holds a value which no check has seen."""
    return told._replace(rows=tuple(
        one._replace(written=value, value=value, text=f"{tunable} = {value}", already=False)
        if one.tunable == tunable else one for one in told.rows
    ))


@pytest.mark.parametrize("case", [case for case in CASES if case != "nothing"])
def test_no_file_takes_a_value_that_is_none(case: str) -> None:
    told = advice(case)
    for one in told.advised:
        if one.written is not None and one.kind != "benchmark":
            with pytest.raises(Unwritable):
                artefacts(base(), with_value(told, one.tunable, "x; id\n{target}"))


@pytest.mark.parametrize("text", [text for text in HOSTILE if not text.isascii() or set(text) & FORBIDDEN])
def test_formats_without_quotes_hold_nothing_that_needs_some(text: str) -> None:
    with pytest.raises(Unwritable):
        plain(text)


NAMES = [text for text in HOSTILE if bad_name("export", f"/{text}") is None]


@pytest.mark.parametrize("text", NAMES)
def test_names_in_commands_are_one_word(text: str) -> None:
    """Each command has as many words as with a plain name, and the name is one of them."""
    names = {"server": "nas", "export": f"/e{text}", "target": f"/t{text}", "clients": "*"}
    told = {path: one for path, one in made("home-1gbe", names).items() if not path.startswith("systemd/")}
    usual = made("home-1gbe", {"server": "nas", "export": "/e", "target": "/t", "clients": "*"})
    for path, one in told.items():
        for ours, theirs in zip_equal((*one.apply, *one.verify, *one.undo),
                                (*usual[path].apply, *usual[path].verify, *usual[path].undo)):
            if not theirs.startswith("cat /sys") and theirs[0].islower() and not path.startswith("benchmarks/"):
                words = [names["target"] if word == "/t" else word for word in shlex.split(theirs)]
                assert shlex.split(ours) == words


@pytest.mark.parametrize("text", [
    "a\nb", "a\x00", "\x1b[2J", "\x9b2J", "a\x85b", "\r", "a\u2028b", "a\u2029", "a\u202eb", "\u2066a", "\u200e",
    "\ufeff", "a\xadb", "\U000e0041",
])  # fmt: skip
def test_names_that_end_a_line_or_drive_a_terminal_are_none(text: str) -> None:
    for which in ("server", "export", "target", "clients"):
        assert bad_name(which, f"/{text}") is not None


@pytest.mark.parametrize("text", [text for text in HOSTILE if text not in ("=", "+", "")])
def test_a_server_is_a_host(text: str) -> None:
    assert bad_name("server", text) is not None or (text.isascii() and text.isalnum())


@pytest.mark.parametrize("server", [
    "[x", "x]", "[x]", "[::1", "::1]", "[1.2.3.4]", "1:2", "a:b", ":", "256.1.1.1", "1.2.3.4444", "-x", "%eth0",
    "x" * 300, ".", "fe80::1%", "nas%eth0", "192.168.x.x",
])  # fmt: skip
def test_a_server_that_the_linter_rejects_is_none(server: str) -> None:
    source = parse_source(f"[{server}]:/e" if ":" in server and not server.startswith("[") else f"{server}:/e")
    rejected = source.problem is not None or source.kind not in ("host", "ipv4", "ipv6")
    assert bad_name("server", server) is not None or not rejected


@pytest.mark.parametrize("server", [
    "nas", "nas.example.com", "nas_1", "192.0.2.1", "2001:db8::1", "[2001:db8::1]", "fe80::1%eth0",
])  # fmt: skip
def test_names_and_addresses_are_servers(server: str) -> None:
    assert bad_name("server", server) is None


def test_what_was_found_says_what_it_likes() -> None:
    """The places of an answers file are free text."""
    facts = CASES["home-1gbe"]
    waiting = list(HOSTILE)
    while waiting:
        origin = {fact: waiting.pop() for fact in facts if waiting}
        answers = Answers(facts=facts, origin=origin)
        for one in artefacts(base(), advise(base(), answers)):
            for line in one.text.split("\n"):
                assert line.isprintable(), (one.path, line)
                plain_line = one.path.endswith((".md", ".html")) or line.startswith("#")
                assert "ExecStart" not in line or plain_line, one.path
