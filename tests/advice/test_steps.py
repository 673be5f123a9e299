"""Apply, check and undo speak of the value that is advised, of no other one, and of what was there before."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.advice.model import (
    Steps,
    _before,
    _opposite,
    _places,
    _undo,
    flag_words,
    general_steps,
    steps_for,
    value_text,
)
from advisor.rulebase.counsel import formula_facts, to_write
from advisor.rulebase.model import Tunable
from advisor.rulebase.values import is_bound, same, spell, why_invalid
from tests.advice.environments import base
from tests.each import each

NOTHING = Answers()
NEVER_SET = ("benchmark.recipe",)
"""Something to run, which sets nothing."""


@cache
def values_of(name: str) -> tuple[tuple[Any, Any], ...]:
    """Every value that the rules give a tunable, with what is written for it, and some more that people may hold."""
    told = base().tunables[name]
    found: list[tuple[Any, Any]] = []
    for rule in base().decisions[name].rules.values():
        value = rule.value
        if value in ("keep", "n/a") and not isinstance(value, bool):
            continue
        if formula_facts(value, base().facts):
            value = 4321
        found.append((value, to_write(told, value)))
    if told.type == "flag":
        found += [(True, True), (False, False)]
    if told.type == "enum":
        found += [(word, word) for word in told.values]
    if told.type == "uint" and not told.forms:
        found += [(number, number) for number in (7, 64, 1500) if why_invalid(told, number) is None]
    return tuple({repr(pair): pair for pair in found}.values())


@cache
def all_values() -> list[tuple[str, Any, Any]]:
    return [
        (name, value, written)
        for name, decision in base().decisions.items() if not decision.estimate and name not in NEVER_SET
        for value, written in values_of(name)
    ]


def written_values() -> list[tuple[str, Any, Any]]:
    return [case for case in all_values() if case[2] is not None]


def called(name: str, value: Any, written: Any) -> str:
    return f"{name}={value}"


def of(name: str, value: Any, written: Any, before: Before | None = None) -> Steps:
    known = {} if before is None else {name: before}
    return steps_for(base(), base().tunables[name], value, written, Answers(before=known, names={"target": "/mnt/x"}))


def spelled(name: str, written: Any) -> str:
    told = base().tunables[name]
    return spell(told, written) if told.kind in ("mount-option", "export-option") else value_text(told, written)


def has(text: str, word: str) -> bool:
    """Whether a word or number stands in a text, by itself or behind a = sign."""
    return re.search(rf"(?<![\w/.-]){re.escape(word)}(?![\w/-]|\.\w)", text) is not None


def others(name: str, written: Any) -> set[str]:
    """How the other values of a tunable are written, but for those that stand in this one or in the setting's name."""
    told = base().tunables[name]
    mine = f"{spelled(name, written)} {name} {name.replace('.', ' ')}"
    values = [other for _, other in values_of(name) if other is not None and not same(other, written)]
    texts = {spelled(name, other) for other in values}
    texts |= {value_text(told, other) for other in values if not isinstance(other, bool)}
    return {one for one in texts if len(one) > 1 and not has(mine, one)}


def has_words(name: str, written: Any) -> bool:
    """Whether a value says in words of its own what is to be done or seen."""
    return str(written).lower() in base().tunables[name].by_value


@each(written_values, called)
def test_apply_says_this_value_and_no_other(name: str, value: Any, written: Any) -> None:
    told = of(name, value, written)
    assert told.apply
    assert has_words(name, written) or spelled(name, written) in told.apply
    assert not [one for one in others(name, written) if has(told.apply, one)]


@each(written_values, called)
def test_the_check_is_one_of_this_value(name: str, value: Any, written: Any) -> None:
    told = of(name, value, written)
    assert told.verify
    assert told.seen
    if not has_words(name, written):
        words = [value_text(base().tunables[name], written), spelled(name, written)]
        words += [word for key, word in flag_words(base().tunables[name]).items() if key != str(written).lower()]
        assert any(word in told.check for word in words)
    if not told.seen.startswith("does not show "):
        assert not [one for one in others(name, written) if has(told.check, one)]
    for other, more in values_of(name):
        if more is not None and not same(more, written):
            assert of(name, other, more).check != told.check


@each(all_values, called)
def test_what_is_left_out_is_not_set(name: str, value: Any, written: Any) -> None:
    if value != "omit" or isinstance(value, bool):
        return
    told = of(name, value, written)
    assert re.match(r"(Leave|Do not set) ", told.apply), told.apply
    assert told.seen.startswith("does not show ") or base().tunables[name].kind == "export-option"


@each(written_values, called)
def test_undo_goes_back_to_what_was_there(name: str, value: Any, written: Any) -> None:
    told = base().tunables[name]
    unseen = of(name, value, written)
    assert unseen.undo
    assert unseen.before.startswith("not checked")
    default = told.default
    if default is not None and not isinstance(default, bool) and not same(default, written) and len(str(default)) > 1:
        assert not has(unseen.undo, str(default))
    if told.kind not in ("mount-option", "fstab-field", "sysctl", "module-parameter", "bdi", "tuned", "network"):
        return
    before = next((more for _, more in values_of(name) if more is not None and not same(more, written)), None)
    kind = base().kinds.get(told.kind)
    if before is not None and (told.undo_to or (kind and kind.undo_to)):
        seen = of(name, value, written, Before(before, "/proc/x"))
        assert spelled(name, before) in seen.undo
        assert seen.before == f"{spelled(name, before)} (/proc/x)"


@each(written_values, called)
def test_what_was_so_before_is_not_undone(name: str, value: Any, written: Any) -> None:
    told = of(name, value, written, Before(written, "/etc/x"))
    assert told.before == f"{spelled(name, written)}, as recommended (/etc/x)"
    kind = base().tunables[name].kind
    if kind in ("mount-option", "fstab-field"):
        assert told.undo.startswith("Nothing; ")


def test_what_was_not_set_is_taken_out() -> None:
    told = of("mount.nconnect", 8, 8, Before(None, "/etc/fstab:3"))
    assert told.before == "not set (/etc/fstab:3)"
    assert told.undo == "Remove nconnect=8 from the line."


@pytest.mark.parametrize("value", ["keep", "n/a"])
@pytest.mark.parametrize("name", ["module.nfs.max_session_slots", "exports.rw", "mount.rsize", "tuned.profile"])
def test_where_nothing_is_advised_there_is_nothing_to_do(name: str, value: str) -> None:
    assert of(name, value, None) == Steps()


def test_the_value_that_holds_by_itself_needs_nothing() -> None:
    told = of("mount.actimeo", ">=1", None)
    assert told.apply == "Nothing to write: at least 1 is already in effect."
    assert told.undo == ""


def test_of_two_units_of_a_setting_the_one_in_effect_is_what_undo_writes_back() -> None:
    ratio, size = "sysctl.vm.dirty_ratio", "sysctl.vm.dirty_bytes"
    before = {ratio: Before(20, "p"), size: Before(0, "p")}
    told = steps_for(base(), base().tunables[size], 1000, 1000, Answers(before=before))
    assert told.undo == "Delete the line, then sysctl -w 'vm.dirty_ratio=20'", "0 is what it says while it is off"
    told = steps_for(base(), base().tunables[size], 1000, 1000, Answers(before={**before, size: Before(7, "p")}))
    assert told.undo == "Delete the line, then sysctl -w 'vm.dirty_bytes=7'"


def test_examples() -> None:
    assert "mtu 1500" in of("network.mtu", 1500, 1500).apply
    assert "ping -M do -s 1472 " in of("network.mtu", 1500, 1500).check
    assert "ping -M do -s 8972 " in of("network.mtu", 9000, 9000).check
    told = of("exports.async", "omit", None)
    assert (told.apply, told.check) == (
        "Leave async out of the parentheses, so that sync applies; then run exportfs -a.",
        "cat /var/lib/nfs/etab shows sync",
    )
    assert of("tuned.profile", "x", "x", Before("balanced", "p")).undo == "tuned-adm profile balanced"
    told = of("sysctl.net.ipv4.tcp_rmem", "4096 131072 16777216", "4096 131072 16777216",
              Before("4096 131072 6291456", "p"))
    assert told.undo == "Delete the line, then sysctl -w 'net.ipv4.tcp_rmem=4096 131072 6291456'"


@given(st.deferred(lambda: st.sampled_from([name for name, told in base().tunables.items() if told.type == "uint"])),
       st.integers(0, 9999))
@settings(max_examples=100, deadline=None)
def test_numbers_of_any_tunable(name: str, number: int) -> None:
    """Also of those that no rule of ours decides."""
    told = base().tunables[name]
    if why_invalid(told, number) is not None or told.kind in ("estimate", "benchmark"):
        return
    one = steps_for(base(), told, number, number, NOTHING)
    assert "{" not in one.apply + one.check + one.undo
    if one.apply:
        assert str(number) in one.apply


@each(lambda: sorted(base().tunables))
def test_no_name_in_braces_is_left(name: str) -> None:
    told = general_steps(base(), base().tunables[name])
    assert not re.search(r"(?<!\w)\{[a-z]+\}", "".join(told))


@pytest.mark.parametrize(("name", "off", "on"), [
    ("mount.lock", "nfsstat -m shows nolock", "nfsstat -m does not show nolock"),
    ("mount.acl", "nfsstat -m shows noacl", "nfsstat -m does not show noacl"),
    ("mount.bg", "findmnt --fstab -no OPTIONS /mnt/x shows fg", "findmnt --fstab -no OPTIONS /mnt/x shows bg"),
])
def test_what_is_never_shown_is_not_looked_for(name: str, off: str, on: str) -> None:
    """The kernel prints only the word that is not the default; what it never sees stands in fstab alone."""
    assert [of(name, value, value).check for value in (False, True)] == [off, on]


def test_what_nfs_does_not_know_is_not_written() -> None:
    told = {tunable.foreign: any(general_steps(base(), tunable)) for tunable in base().tunables.values()
            if tunable.kind == "mount-option"}
    assert told == {True: False, False: True}


def test_the_steps_of_a_flag_name_both_words() -> None:
    told = general_steps(base(), base().tunables["exports.async"])
    assert told.apply.startswith("Write sync or async in the export's parentheses")
    assert told.check.splitlines() == [f"{word}: cat /var/lib/nfs/etab shows {word}" for word in ("sync", "async")]


LOCK, SACK = "mount.lock", "sysctl.net.ipv4.tcp_sack"


@each(lambda: [
    (LOCK, "true", "nolock"), (LOCK, "false", ""), (LOCK, None, ""), ("exports.rw", "true", ""),
    ("mount.nconnect", "8", ""),
])
def test_a_flag_at_its_default_is_told_by_the_other_word(name: str, value: str | None, word: str) -> None:
    assert base().tunables[LOCK].default is True
    assert _opposite(base().tunables[name], value) == word


@each(lambda: [
    (None, 1, {}, "not checked; this is the default, so there is something to do only if it was changed"),
    (None, 0, {"undo_to": "x"}, "not checked; use --from-host"), (None, 0, {"undo": "x"}, "not checked"),
    (None, None, {}, "not checked"), (Before(None, "/x"), 1, {}, "not set (/x)"),
    (Before(0, "/x"), 0, {}, "0, as recommended (/x)"), (Before(0, "/x"), 1, {}, "0 (/x)"),
    (Before(0, "/x"), None, {}, "0 (/x)"),
])
def test_what_is_said_of_the_value_before(
    known: Before | None, written: int | None, texts: dict[str, str], said: str
) -> None:
    assert base().tunables[SACK].default == 1
    assert _before(known, written, base().tunables[SACK], texts) == said


@each(lambda: [
    (None, 1, "usual"), (Before(None, "/x"), 1, "unset"), (Before(0, "/x"), 0, "same"), (Before(0, "/x"), 1, "to"),
    (Before(0, "/x"), None, "to"),
])
def test_the_way_back_is_to_what_was_there(known: Before | None, written: int | None, way: str) -> None:
    ways = {"undo": "usual", "undo_unset": "unset", "undo_same": "same", "undo_to": "to"}
    assert _undo(ways, known, written) == way
    assert _undo({"undo": "usual"}, known, written) == "usual"
    assert _undo({}, known, written) == ""


def test_the_default_is_not_in_effect_where_something_else_is() -> None:
    facts = {"storage.platform": "anf"}
    usual = advise(base(), Answers(facts=facts)).find("sysctl.net.ipv4.tcp_sack")
    found = advise(base(), Answers(facts=facts, before={"sysctl.net.ipv4.tcp_sack": Before(0, "/proc/sys/x")}))
    here = found.find("sysctl.net.ipv4.tcp_sack")
    assert usual is not None
    assert here is not None
    assert (usual.already, here.already) == (True, False)
    assert here.steps.undo == "Delete the line, then sysctl -w 'net.ipv4.tcp_sack=0'"


def test_bounds_have_words() -> None:
    number = Tunable.from_data({"type": "uint"})
    assert not any(is_bound(value_text(number, written)) for _, _, written in written_values())


@pytest.mark.parametrize(("name", "places"), [
    ("nfs.conf.nfsd.threads", {"section": "nfsd", "key": "threads"}),
    ("ganesha.conf.EXPORT.Transports", {"section": "EXPORT", "key": "Transports"}),
    ("module.nfs.max_session_slots", {"module": "nfs", "parameter": "max_session_slots"}),
    ("mount.nconnect", {"name": "nconnect"}),
])
def test_the_parts_of_a_name_are_those_that_files_have(name: str, places: dict[str, str]) -> None:
    told = _places(base().tunables[name])
    assert {part: told[part] for part in places} == places
