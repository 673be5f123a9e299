"""Lines that nobody means to write: each is judged, or is a finding of its own, and the others are judged too."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.cli import main
from advisor.files.fstab import read
from advisor.lint import between, lines
from advisor.lint.finding import INTERNAL
from advisor.lint.lines import Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.tiers import thorough

BASE = load()

INDEX = RuleIndex(BASE, {})
FINE = "nas:/x /x nfs soft 0 0"
HUGE = "9" * 4301  # one digit more than Python converts
ODD = [
    "\f", "\v", "\x1c", "\x85", "\u2028", "\u2029", "\u00a0", "\0", "\r", "\ud800", "\udc80", "\ufeff", "\x1b[31m", "٣",
    "½", "\U000e0041", HUGE, "-" + HUGE, "0" * 5000, "x" * 5000, ",", "=", "\\", '"', "'", "%", "{", "{value}", "\\000",
]
PLACES = [
    "{} nfs hard 0 0", "{}nas:/x /m nfs hard", "nas{}:/x /m nfs hard", "nas:{} /m nfs hard", "nas:/x /m{} nfs hard",
    "nas:/x {} nfs hard", "nas:/x /m nfs{} hard", "nas:/x /m {} hard", "nas:/x /m nfs hard{}", "nas:/x /m nfs {}=1",
    "nas:/x /m nfs hard,{}", "nas:/x /m nfs hard {}", "nas:/x /m nfs hard {} 0", "nas:/x /m nfs hard 0 {}",
    "nas:/x /m nfs hard 0{} 0{}", "nas:/x /m nfs hard 0 0 {}", "{} {} {} {} {} {}", "{}", "#{}",
    "[{}::1]:/x /m nfs hard",
    "[::1%{}]:/x /m nfs hard", "[::{}.1.1.1]:/x /m nfs hard", "{}.{}.{}.{}:/x /m nfs hard", "{}://x /m nfs hard",
    "# advisor: ignore[{}] x", "# advisor: {}",
]


def lint(text: str | bytes) -> Result:
    return lint_text(text, "fstab", BASE, {}, INDEX)


def judged(text: str) -> None:
    for found in (lint(text), lint(f"{text}\n{FINE}\n")):
        assert [f.message for f in found.findings if f.rule == INTERNAL] == []
    assert any(f.rule == "hard/default" and f.line == 2 + text.count("\n") for f in found.findings) or "\0" in text
    assert read(text).text == text


@pytest.mark.parametrize("place", PLACES)
def test_odd_text_in_any_place(place: str) -> None:
    for odd in ODD:
        judged(place.replace("{}", odd))


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=thorough)])
def test_odd_values_of_every_option(every: int) -> None:
    spellings = sorted({form.spelling for t in INDEX.tunables.values() for form in t.forms})
    odd = (HUGE, f"-{HUGE}", f"{HUGE}k", f"1.{HUGE}", "٣", "1_0", "", "=", "\f", "\0", "\ud800")
    for number, value in enumerate(odd):
        for spelling in spellings[number % every :: every]:
            judged(f"nas:/x /m nfs {spelling.replace('*', 'foo')}={value} 0 0")


def test_numbers_beyond_what_a_program_reads_are_refused_like_others() -> None:
    for value in ("rsize={}", "retry={}", "port={}", "actimeo={}k"):
        huge, large = (lint(f"nas:/x /m nfs {value.format(text)}").findings for text in (HUGE, "4294967296"))
        assert {f.rule for f in huge} - {"fstab-readers-differ"} == {f.rule for f in large}


@pytest.mark.parametrize("end", ["\r", "\r\n", "\x85", "\u2028", "\v", "\f"])
def test_nothing_but_a_newline_ends_a_line(end: str) -> None:
    found = lint(f"{FINE}{end}{FINE}{end}")
    assert len({f.line for f in found.findings}) == (2 if "\n" in end else 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "latin-1"])
def test_other_encodings(encoding: str) -> None:
    found = lint(f"{FINE}\nnas:/ä /ä nfs soft 0 0\n".encode(encoding))
    assert all(f.rule != INTERNAL for f in found.findings)


# A fault of the program itself.


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that fails on every line that mounts at /odd."""
    judge = lines.judge

    def fails(index: Any, entry: Any, name: str, *, alike: bool) -> Any:
        if entry.target.value == "/odd":
            raise IndexError("a list\nof nothing \x1b[31m")
        return judge(index, entry, name, alike=alike)

    monkeypatch.delenv("ADVISOR_DEBUG", raising=False)
    monkeypatch.setattr(lines, "judge", fails)


TEXT = "nas:/a /a nfs soft 0 0\nnas:/odd /odd nfs soft 0 0\nnas:/b /b nfs soft 0 0\n"


@pytest.mark.usefixtures("faulty")
def test_a_line_that_fails_is_a_finding_and_the_others_are_judged() -> None:
    found = lint(TEXT).findings
    (failed,) = [f for f in found if f.rule == INTERNAL]
    end = len(TEXT.split("\n")[1]) + 1
    assert (failed.line, failed.column, failed.end_column, failed.severity) == (2, 1, end, "error")
    assert "IndexError: a list\\nof nothing \\x1b[31m" in failed.message
    assert {f.line for f in found if f.rule == "hard/default"} == {1, 3}


@pytest.mark.usefixtures("faulty")
def test_the_error_itself_for_those_who_mend_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADVISOR_DEBUG", "1")
    with pytest.raises(IndexError):
        lint(TEXT)


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "gitlab", "junit", "markdown", "concise"])
def test_it_is_told_whatever_is_selected(form: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fstab"
    file.write_text(TEXT)
    command = ["lint", str(file), "--no-config", "--fail-on", "error"]
    assert main([*command, "--select", "nconnect/*", "--output-format", form]) == 1
    assert "internal" in capsys.readouterr().out
    assert main([*command, "--statistics"]) == 1
    assert main([*command, "--fix"]) == 1


def test_lines_that_cannot_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADVISOR_DEBUG", raising=False)
    monkeypatch.setattr(lines, "check_pairs", lambda *_: [between.UNKNOWN.nothing])
    found = lint(TEXT).findings
    assert [f.line for f in found if f.rule == INTERNAL] == [1]
    assert {f.line for f in found if f.rule == "hard/default"} == {1, 2, 3}
