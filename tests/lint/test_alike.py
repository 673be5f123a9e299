"""What is judged like an earlier line is judged as it would be alone, to the letter: lines that differ in values which
messages quote, from which durations are computed, or by which a test tells them apart; and lines that people wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from random import Random

import pytest

from advisor.files.exports import read as read_exports
from advisor.lint import alike as like_lines
from advisor.lint import compare
from advisor.lint import exports as exports_of_lint
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from advisor.rulebase.model import Values
from tests import needs
from tests.lint.test_corpus import FILES, SHARED
from tests.tiers import in_both, part, some, thorough

BASE = load()
KNOWN = ({}, {"storage.platform": "ontap", "client.kernel": "6.1"})
USUAL = ("rw", "ro", "hard", "soft", "vers=3", "vers=4", "vers=4.2", "nolock", "noac", "sec=krb5", "nconnect=8", "x=$B")
NUMBERS = (1, 600, 1048576, 0, 2, 3, 14, 29, 30, 31, 59, 60, 61, 150, 601, 3600, 65535, 65536)
SOURCES = ("nas:/srv", "10.0.0.1:/a", "[fe80::1]:/x", "a.file.core.windows.net:/a/b", "$SRV:/x", "nas:srv")


def near(tunable: str) -> list[str]:
    """The numbers that rules compare a setting with, some others, and those beside them."""
    tests = [check.on.get(tunable) for check in BASE.checks.values() if check.on]
    if tunable in BASE.decisions:
        tests += [rule.value for rule in BASE.decisions[tunable].rules.values()]
    found = {int(digits) for test in tests for digits in re.findall("[0-9]{1,9}", str(test))}
    return [str(number + step) for number in sorted({*found, *NUMBERS[:3]}) for step in (-1, 0, 1)]


def mounts(count: int) -> Iterable[str]:
    """Every option with a number, beside other options, with the numbers that anything compares it with; and lines of
    random options, each followed by lines that differ from it in numbers alone."""
    draw = Random(count)
    forms = [(name, tunable, form) for name, tunable in BASE.of_kinds("mount-option").items() for form in tunable.forms]
    for name, tunable, form in part(forms, 5):
        if tunable.type in ("uint", "int") and form.takes:
            for beside in ("soft,ro", f"vers=3,actimeo={count}"):
                yield from (f"nas:/srv /a nfs {beside},{form.spelling}={number} 0 0" for number in near(name))
    for _ in range(count):
        words = [draw.choice(USUAL)]
        for name, tunable, form in draw.choices(forms, k=draw.choice((1, 2, 5))):
            value = draw.choice([*map(str, form.values or tunable.values or ()), *near(name)])
            words.append(form.spelling.replace("*", "x") + (f"={value}" if form.takes else ""))
        line = f"{draw.choice(SOURCES)} {draw.choice(('/a', '/home', '/'))} {draw.choice(('nfs', 'nfs4'))}"
        line += f" {','.join(words)} 0 {draw.choice('02')}"
        yield line
        for _ in range(4):
            yield re.sub("=([0-9]+)", lambda _: f"={draw.choice(NUMBERS)}", line)


def exports(count: int) -> Iterable[str]:
    draw = Random(count)
    options = [
        f"{form.spelling}={draw.choice(tunable.values or NUMBERS)}" if form.takes else form.spelling
        for tunable in BASE.of_kinds("export-option").values() for form in tunable.forms
    ]
    for number in range(count):
        words = [draw.choice(options) for _ in range(draw.choice((0, 1, 2, 4)))]
        client = draw.choice(("*", "192.0.2.0/24", "10.0.0.5", "*.example.com", "@group", "host", "192.0.2.0", "$H"))
        yield f"{draw.choice(('/srv', '/', '/etc', f'/vol{number}'))} {client}({','.join(words)},anonuid={number})"


@pytest.fixture
def agree(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lints lines as one file, with what is remembered of lines alike, and without."""

    def agreeing(kind: str, lines: Iterable[str], *, few_are_alike: bool = False) -> None:
        text = "\n".join(dict.fromkeys(lines))
        for known in KNOWN:
            like, alone = (judged(kind, text, known, few) for few in (0, 10**9))
            for line, findings in enumerate(zip_longest(like.findings, alone.findings)):
                assert findings[0] == findings[1], line
            assert (like.open, like.votes) == (alone.open, alone.votes)
            assert all(like.settings(line) == alone.settings(line) for line in like.judged)
            assert few_are_alike or like.rule_index.met or like.rule_index.clean
            assert alone.rule_index.met + alone.rule_index.alike.cache_info().hits == 0

    def judged(kind: str, text: str, known: Mapping[str, Values], few: int) -> Result:
        monkeypatch.setattr(like_lines, "MANY", 10**9)
        for module in (like_lines, compare, exports_of_lint):
            monkeypatch.setattr(module, "FEW", few)
        return lint_text(text, "file", BASE, known, kind=kind)

    return agreeing


@in_both
@pytest.mark.parametrize(("kind", "lines", "count"), some(
    [("fstab", mounts, 20), ("fstab", mounts, 200), ("exports", exports, 100), ("exports", exports, 1000)], 2,
))
def test_made_up_lines(
    kind: str, lines: Callable[[int], Iterable[str]], count: int, agree: Callable[..., None]
) -> None:
    agree(kind, (line.replace(" /a ", f" /m{number} ") for number, line in enumerate(lines(count))))


@thorough
@pytest.mark.skipif(not FILES, reason=needs.SHARED)
def test_lines_that_people_wrote(agree: Callable[..., None]) -> None:
    written = (line for file in FILES for line in file.read_text("utf-8", "surrogateescape").split("\n"))
    agree("fstab", [line for line in written if ":" in line and "advisor:" not in line],
          few_are_alike=True)
    texts = [file.read_text("utf-8", "surrogateescape") for file in sorted((SHARED / "corpus" / "exports").glob("*"))]
    agree("exports", [line for text in texts if read_exports(text) for line in text.split("\n") if "(" in line])


def test_a_mount_point_that_is_at_fault_is_named_at_its_own_place() -> None:
    lines = [f"nas:{path} {path} nfs hard 0 0" for path in ("/var/lib/docker", "/var/lib/containerd/", "/srv")]
    found = lint_text("\n".join(lines), "fstab", load(), {}).findings
    told = [finding for finding in found if finding.rule == "container-root-on-nfs"]
    assert [lines[f.line - 1][f.column - 1 : f.end_column - 1] for f in told] == [
        "/var/lib/docker", "/var/lib/containerd/",
    ]
    assert [f.message.partition(" ")[0] for f in told] == ["/var/lib/docker", "/var/lib/containerd/"]
