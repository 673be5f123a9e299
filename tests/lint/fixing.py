"""What the fixers are tried with: texts made up from every option that the grammar knows, and what must hold."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from advisor.files.fstab import read
from advisor.lint.finding import Finding
from advisor.lint.fix import Fixed, fix_text
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests import needs
from tests.zipped import zip_equal

SAFE, BOTH = frozenset(("safe",)), frozenset(("safe", "unsafe"))
SHARED = needs.OTHERS
_VALUES = ["3", "4.1", "8", "17", "1024", "1M", "5000", "abc", "0", "-1", "tcp", "krb5p", "600", "none", ""]
_ODD = ["", "nconect=8", "rsize=1M;wsize=1M", "xyz", "hard=1", 'context="a,b"', 'context="a', r"intr\054hard"]
_USUAL = ["defaults", "hard", "soft", "intr", "noatime", "vers=3", "vers=4.2", "timeo=14", "bg", "rw", "nofail"]


@lru_cache
def base() -> Any:
    return load()


@lru_cache
def index() -> RuleIndex:
    return RuleIndex(base(), {})


def judge(text: str) -> tuple[list[Finding], list[Finding]]:
    """All findings are to be fixed, those of house policy too."""
    found = lint_text(text, "fstab", base(), {}, index()).findings
    return found, found


def fixed_well(text: str, safeties: frozenset[str]) -> Fixed:
    """Fix a text and check all that must hold of the result."""
    fixed = fix_text(text, judge, safeties)
    assert fix_text(fixed.text, judge, safeties).text == fixed.text, "fixing twice changes something more"
    _only_what_was_edited(text, fixed.text)
    before, after = judge(text)[0], judge(fixed.text)[0]
    errors, errors_left = (Counter(f.line for f in found if f.severity == "error") for found in (before, after))
    assert not errors_left - errors, "there are errors that were not there before"
    refused = {finding.line for finding in fixed.refused}
    mounted = {entry.line_no: entry.libmount for entry in read(fixed.text).entries}
    left = {f.line for f in after if f.fix is not None and f.fix.safety in safeties and mounted[f.line] == "ok"}
    assert left <= refused, "there is something left to fix"
    return fixed


def _only_what_was_edited(before: str, after: str) -> None:
    """Lines that mount(8) ignores, source, target, comments and line ends stay, and fields stay where blanks were."""
    mounted = [{entry.line_no for entry in read(text).entries if entry.libmount == "ok"} for text in (before, after)]
    for number, (a, b) in enumerate(zip_equal(*(re.findall(r"[^\n]*\n|[^\n]+", text) for text in (before, after))), 1):
        if a == b:
            continue
        assert all(number in numbers for numbers in mounted)
        # Only these are blanks: a \r that is not of the line's end belongs to the last word, and goes with it.
        assert a[len(a.rstrip(" \t")) :] == b[len(b.rstrip(" \t")) :]
        words_a, words_b = (re.findall(r"[^ \t\r\n][^ \t]*", line) for line in (a, b))
        assert words_a[:2] == words_b[:2]
        assert words_a[6:] == words_b[6:]
        assert len(words_b) in (len(words_a), 4, 5, 6)  # fields that were missing may have come
        start = re.match(r"[ \t]*[^ \t]+[ \t]+[^ \t]+[ \t]+", a)
        assert start is not None
        assert b.startswith(start[0])


def options() -> list[str]:
    told = [t for t in base().tunables.values() if t.kind == "mount-option"]
    forms = [form for tunable in told for form in tunable.forms]
    return [form.spelling.replace("*", "x") + ("=" if form.takes else "") for form in forms]


def _spelt(option: str) -> st.SearchStrategy[str]:
    return st.sampled_from(_VALUES).map(option.__add__) if option.endswith("=") else st.just(option)


def texts() -> st.SearchStrategy[str]:
    """Texts of up to six lines, with line ends of Unix or DOS, the last one with or without."""
    option = st.one_of(st.sampled_from(_USUAL), st.sampled_from(options()).flatmap(_spelt), st.sampled_from(_ODD))
    blank = st.sampled_from(["  ", "\t", " ", "      ", "\t\t", " \t "])
    source = ["nas:/a", "fs-01.efs.eu-west-1.amazonaws.com:/", "a.file.core.windows.net:/a/s", "[fe80::1]:/x", "$X:/y"]
    fields = st.tuples(
        st.sampled_from(source),
        st.sampled_from(["/a", "/b", "/b/c", r"/x\040y"]),
        st.sampled_from(["nfs"] * 6 + ["nfs4", "efs", "aznfs", "ext4"]),
        st.lists(option, min_size=1, max_size=6).map(",".join).filter(bool),
        st.sampled_from("0002"),
        st.sampled_from("00012"),
        st.sampled_from(["#", "# note", "x"]),
    )

    def joined(words: tuple[str, ...], blanks: list[str], count: int, end: str) -> str:
        return "".join(w + b for w, b in zip(words[:count], blanks)).rstrip(" \t") + end

    entry = st.builds(
        joined,
        fields,
        st.lists(blank, min_size=7, max_size=7),
        st.sampled_from([3, 4, 5, 6, 6, 6, 6, 7]),
        st.sampled_from(["", "", "", " ", "\\"]),
    )
    comment = "# advisor: ignore[unknown-option] x"
    other = st.sampled_from(["", "# c", "  ", comment, "UUID=1 / ext4 defaults 0 1", "\0"])
    line = st.one_of(entry, entry, entry, other)
    return st.builds(
        lambda lines, end, last: end.join(lines) + end * last,
        st.lists(line, min_size=1, max_size=6),
        st.sampled_from(["\n", "\n", "\r\n"]),
        st.booleans(),
    )
