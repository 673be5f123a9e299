"""Work grows with the text and no faster. Steps are counted, not seconds: the lines of Python that the linter runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from advisor.lint.fix import fix_text
from advisor.lint.fix_write import unified
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from tests.steps import own_base, steps
from tests.tiers import thorough

BOTH = frozenset(("safe", "unsafe"))


def lines(line: str) -> Callable[[int], str]:
    return lambda n: "".join(line.format(i=i, v=("3", "4.0", "4.1", "4.2", "4")[i % 5]) + "\n" for i in range(n))


def options(option: str) -> Callable[[int], str]:
    return lambda n: f"nas:/a /a nfs {','.join(option.format(i=i) for i in range(n))} 0 0\n"


# Numbers of seconds from 10000 on pass the same tests, so what is remembered is known from the first line. Smaller ones
# are of some kinds (see the last test), and each kind that comes later would be a step.
SHAPES: dict[str, Callable[[int], str]] = {
    "lines of one server": lines("nas:/e/{i} /m/{i} nfs hard,actimeo=1{i:04} 0 0"),
    "lines of one export": lines("nas:/e /m/{i} nfs vers={v},rsize={i},acregmin=1{i:04} 0 0"),
    "lines of one server at other ports": lines("nas:/e/{i} /m/{i} nfs vers={v},nconnect=4,port={i} 0 0"),
    "lines of many servers": lines("nas{i}:/e /m/{i} nfs hard,actimeo=1{i:04} 0 0"),
    "lines alike": lines("nas:/e /m/{i} nfs soft 0 0"),
    "one target": lines("nas:/e/{i} /m nfs hard 0 0"),
    "targets inside one another": lambda n: "".join(f"nas:/e {'/a' * i} nfs hard 0 0\n" for i in range(n // 4, 0, -1)),
    "deep targets": lambda n: f"nas:/e {'/a' * n} nfs hard 0 0\nnas:/f {'/a' * (n - 1)} nfs hard\nnas:/ / nfs hard\n",
    "comments before one line": lambda n: "# advisor: ignore[hard/default] x\n" * n + "nas:/e /m nfs soft 0 0\n",
    "comments that suppress nothing": lines("# advisor: ignore[hard/default] x\n"),
    "comments with no rule's name": lines("# advisor: ignore[hard/defaul{i}] x\nnas:/e /m nfs soft"),
    "names in one comment": lambda n: f"# advisor: ignore[{','.join(f'x{i}' for i in range(n))}]\nnas:/e /m nfs soft\n",
    "lines that mount ignores": lines("nas:/e /m{i} nfs rw, hard 0 0"),
    "lines of Windows": lines("nas:/e/{i} /m{i} nfs hard 0 0\r"),
    "lines with a NUL": lines("nas:/e/{i} /m{i} nfs hard\0 0 0"),
    "lines of other file systems": lines("/dev/sd{i} /m/{i} ext4 defaults 0 2"),
    "an option without a value": options("rsize="),
    "commas": options(""),
    "an option again and again": options("hard"),
    "options against one another": lambda n: f"nas:/a /a nfs {'hard,soft,' * (n // 2)}rw\n",
    "other values of one option": options("rsize={i}"),
    "unknown options": options("zzzz{i}"),
    "options that are nearly known": options("nconect{i}"),
    "options of systemd": options("x-systemd.foo{i}=1"),
    "quoted options": options('context="a{i},b"'),
    "escaped options": options("ha\\162d"),
    "quotes": lambda n: f"nas:/a /a nfs {chr(34) * n}\n",
    "security flavours": lambda n: f"nas:/a /a nfs sec={'sys:krb5:' * n}sys\n",
    "words after the sixth field": lambda n: f"nas:/a /a nfs soft 0 0 {'a ' * n}\n",
    "servers": lambda n: f"nas{',b' * n}:/a /a nfs hard\n",
    "colons": lambda n: f"[{':' * n}]:/a /a nfs hard\n",
    "placeholders": lambda n: f"nas:/a /a nfs {','.join('${x}' for _ in range(n))}\n",
    "a time span": lambda n: f"nas:/a /a nfs x-systemd.idle-timeout={'9' * n}x\n",
    "one long line after a NUL": lambda n: f"nas:/a /a nfs hard\0{'x' * 40 * n}\nnas:/b /b nfs hard\n",
}


ALWAYS = ("lines of one export", "comments before one line", "an option again and again", "other values of one option")
some_shapes = pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in ALWAYS else thorough) for name in SHAPES
])


@pytest.fixture(autouse=True)
def _no_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first names that are unknown in a file, and the first lines, of which nothing is remembered, cost most of a
    small one, which would hide how the rest grows."""
    monkeypatch.setattr("advisor.lint.suppress.MAX_GUESSES", 0)
    monkeypatch.setattr("advisor.lint.compare.FEW", 0)
    monkeypatch.setattr("advisor.lint.alike.MOST", 0)


def grows_linearly(work: Callable[[str], Any], shape: Callable[[int], str], size: int) -> None:
    work(shape(size // 2))  # what is asked for the first time is remembered
    one, two, four = (steps(lambda n=n: work(shape(n))) for n in (size, 2 * size, 4 * size))
    assert four - two <= 2.3 * (two - one) + 500, (one, two, four)


@some_shapes
def test_lint(name: str) -> None:
    base = own_base()
    index = RuleIndex(base, {})
    # What is compared line with line is little beside what is done for each.
    size = 100 if name == "lines of one server at other ports" else 40
    grows_linearly(lambda text: lint_text(text, "fstab", base, {}, index), SHAPES[name], size)


@some_shapes
def test_fix(name: str) -> None:
    base = own_base()
    index = RuleIndex(base, {})

    def work(text: str) -> None:
        def judge(some: str) -> Any:
            found = lint_text(some, "fstab", base, {}, index).findings
            return found, found

        fixed = fix_text(text, judge, BOTH)
        list(unified("fstab", text, fixed.text))

    # Options that are nearly known are guessed at, up to a number, so the cost of a guess has to be in the first count.
    # Of targets inside one another there are a quarter as many lines.
    slow = name in ("options that are nearly known", "targets inside one another")
    grows_linearly(work, SHAPES[name], 24 if slow else 12)


def test_the_count_sees_what_grows_faster() -> None:
    def work(text: str) -> None:
        for line in text:
            fix_text(text, lambda _: ([], []), BOTH)
            assert line

    with pytest.raises(AssertionError):
        grows_linearly(work, lambda n: "x\n" * n, 40)


@pytest.mark.parametrize(
    ("fact", "first", "answer"),
    [("mount.vers", "4.1", "3"), ("client.kernel", "5.14.0-284.el9", "5.14.0-362.el9"), ("mount.ro", False, True)],
)
def test_what_an_answer_means_is_looked_up_and_not_searched_for(fact: str, first: Any, answer: Any) -> None:
    """To work out for it all that follows took a third of the time of a small file."""
    base = own_base()
    index = RuleIndex(base, {})
    index.rules.mask(fact, first)  # what is asked for the first time is remembered
    assert steps(lambda: index.rules.mask(fact, answer)) < 300
    assert index.rules.mask(fact, answer) == base.engine.state({fact: answer})[fact]
    assert index.rules.mask("mount.vers", "9") is None


def test_numbers_are_of_no_more_kinds_than_the_constants_they_are_compared_with() -> None:
    """Each kind is judged once, whatever comes, so that it adds a constant to what grows with the lines."""
    rules = RuleIndex(own_base(), {}).rules
    kinds = [rules.passed("mount.actimeo", number) for number in range(20_000)]
    assert 1 < len({*kinds}) < 20
    assert len({*kinds[10_000:]}) == 1
