"""Fixing a text: what is applied, in what order, and when it is left alone. The judges here are made up."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.fix import Fixed, Judge, fix_finding, fix_text, lint_file
from advisor.rulebase.base import load

SAFE, BOTH = frozenset(("safe",)), frozenset(("safe", "unsafe"))


def finding(
    rule: str, line: int, edits: list[tuple[int, int, str]], safety: str = "safe", severity: str = "note"
) -> Finding:
    fix = Fix(safety, tuple(Edit(line, start, end, text) for start, end, text in edits)) if edits else None
    return Finding(rule, severity, "ignored", "high", "x", line, 1, 2, None, None, None, "", "", "", (), fix, (), False)


def replacing(*rules: tuple[str, str, str]) -> Judge:
    """A judge with rules (name, word, text to write instead): every occurrence of the word is a finding."""

    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        found = [
            finding(name, number, [(at.start() + 1, at.end() + 1, to)])
            for number, line in enumerate(text.split("\n"), 1)
            for name, word, to in rules
            for at in re.finditer(re.escape(word), line)
        ]
        return found, found

    return judge


def fix(text: str, judge: Judge, safeties: frozenset[str] = SAFE) -> Fixed:
    fixed = fix_text(text, judge, safeties)
    assert fix_text(fixed.text, judge, safeties).text == fixed.text, "fixing twice changes something more"
    return fixed


def line(options: str) -> str:
    return f"nas:/a /a nfs {options} 0 0"


def test_several_lines_and_passes() -> None:
    judge = replacing(("one", "aa", "b"), ("two", "bb", "c"))
    fixed = fix(f"# aa\n{line('aaaa')}\n\n{line('aa')}", judge)
    assert fixed.text == f"# aa\n{line('c')}\n\n{line('b')}"
    assert sorted(f.rule for f in fixed.done) == ["one", "one", "one", "two"]
    assert fixed.refused == ()


def test_edits_that_touch_are_made_one_after_the_other() -> None:
    assert fix(line("xyxy"), replacing(("one", "x", "1"), ("two", "y", "2"))).text == line("1212")


def test_two_findings_with_the_same_edit() -> None:
    fixed = fix(line("xxx,a"), replacing(("one", "xxx", "y"), ("two", "xxx", "y")))
    assert fixed.text == line("y,a")
    assert len(fixed.done) == 2


def test_a_line_that_grows_for_ever_stays_as_it_was() -> None:
    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        rule = f"r{len(text)}"
        found = [finding(rule, 1, [(at.start() + 1, at.end() + 1, "grow,a")]) for at in re.finditer("grow", text)]
        return found, found

    assert fix(line("grow"), judge).text == line("grow")


def test_only_what_is_wanted_and_allowed() -> None:
    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        all_of = [
            finding(word, 1, [(at.start() + 1, at.end() + 1, "done")], safety)
            for word, safety in (("safe", "safe"), ("risky", "unsafe"), ("hidden", "safe"))
            for at in re.finditer(word, text)
        ]
        return all_of, [one for one in all_of if one.rule != "hidden"]

    assert fix(line("safe,risky,hidden"), judge).text == line("done,risky,hidden")
    assert fix(line("safe,risky,hidden"), judge, BOTH).text == line("done,done,hidden")


def test_a_circle_leaves_the_line_as_it_was() -> None:
    judge = replacing(("go", "start", "ping"), ("a", "ping", "pong"), ("b", "pong", "ping"), ("ok", "x", "y"))
    fixed = fix(f"{line('start')}\n{line('x')}", judge)
    assert fixed.text == f"{line('start')}\n{line('y')}"
    assert {f.rule for f in fixed.refused} >= {"go", "a"}
    assert [f.rule for f in fixed.done] == ["ok"]


def test_a_fix_that_does_not_remove_its_finding_is_not_made() -> None:
    fixed = fix(line("x,grow"), replacing(("more", "grow", "growgrow"), ("ok", "x", "y")))
    assert fixed.text == line("y,grow")
    assert [f.rule for f in fixed.refused] == ["more"]


def test_an_edit_that_changes_nothing_does_no_harm() -> None:
    assert fix(line("x,same"), replacing(("idle", "same", "same"), ("ok", "x", "y"))).text == line("y,same")


def test_a_fix_that_brings_an_error_is_not_made() -> None:
    plain = replacing(("bad", "x", "boom"), ("ok", "y", "z"))

    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        found, wanted = plain(text)
        lines = enumerate(text.split("\n"), 1)
        errors = [finding("boom", n, [], severity="error") for n, one in lines if "boom" in one]
        return [*found, *errors], wanted

    fixed = fix(f"{line('x,y')}\n{line('y')}", judge)
    assert fixed.text == f"{line('x,z')}\n{line('z')}"
    assert [(f.rule, f.line) for f in fixed.refused] == [("bad", 1)]


def test_a_fix_that_brings_an_error_in_another_line_is_not_made() -> None:
    plain = replacing(("swap", "x", "y"), ("ok", "m", "n"))

    def judge(text: str) -> tuple[list[Finding], list[Finding]]:
        found, wanted = plain(text)
        clash = [finding("clash", 2, [], severity="error")] if text.count("y") > 1 else []
        return [*found, *clash], wanted

    fixed = fix(f"{line('x,m')}\n{line('y,m')}", judge)
    assert fixed.text == f"{line('x,n')}\n{line('y,n')}", "the others are made all the same"
    assert [f.rule for f in fixed.refused] == ["swap"]


@pytest.mark.parametrize(
    "dropped", ["nas:/a /a nfs x, hard 0 0", "nas:/a /a nfs x 0 # x", "nas:/a x", "nas:/a /a nfs x\0 0 0"]
)
def test_lines_that_mount_ignores_are_left_alone(dropped: str) -> None:
    text = f"{dropped}\n{line('x')}\n"
    fixed = fix(text, replacing(("one", "x", "y")))
    assert (fixed.text, fixed.refused) == (f"{dropped}\n{line('y')}\n", ())


@pytest.mark.parametrize("to", ["", "a b", "y\nnas:/b /b nfs"])
def test_no_fix_takes_a_line_apart(to: str) -> None:
    assert fix(line("x"), replacing(("one", "x", to))).text == line("x")


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_stay(ends: str, last: bool) -> None:
    text = ends.join(["# c", line("x"), "", line("y")]) + ends * last
    assert fix(text, replacing(("one", "x", "z"), ("two", "y", "z"))).text == text.replace("x", "z").replace("y", "z")


def test_bytes_that_are_no_text_stay() -> None:
    text = b"# \xff\xfe\nnas:/\xe9 /a nfs x 0 0".decode("utf-8", "surrogateescape")
    assert fix(text, replacing(("one", "x", "y"))).text == text.replace("nfs x", "nfs y")


def test_it_ends_with_rules_that_never_agree() -> None:
    words = [f"w{number}" for number in range(12)]
    judge: Callable[[str], tuple[list[Finding], list[Finding]]] = replacing(
        *((f"r{n}", f"{word}.", f"{words[(n + 5) % 12]}.") for n, word in enumerate(words))
    )
    assert fix(line("w0.,w3."), judge).text == line("w0.,w3.")


def test_one_finding_alone_is_fixed() -> None:
    base, lines = load(), ["nas:/a /a nfs nconect=8,hard 0 0", "nas:/b /b nfs nconect=8,hard 0 0"]
    text = "\n".join(lines)
    found = [one for one in lint_file(base, text, "fstab", {}).findings if one.rule == "unknown-option"]
    assert [one.line for one in found] == [1, 2]
    for at, one in enumerate(found):
        mended = [line.replace("nconect", "nconnect") if at == place else line for place, line in enumerate(lines)]
        assert fix_finding(base, text, "fstab", {}, one).split("\n") == mended
