"""Findings made of whatever a file may hold: escape codes, markup of every format, half characters."""

from hypothesis import strategies as st

from advisor.lint.finding import SEVERITIES, Edit, Finding, Fix
from advisor.pages.formats import FindingContext
from advisor.pages.style import visible

_TRICKS = (
    "\x1b[31m", "\x1b]8;;http://x\x07", "\u202e", "\u200b", "\udcff", "\ud800", "\x00", "\x85", "\u2028", "\ufffe",
    "\r\n", "\t", "]]>", "<b>", "&amp;", "<!--", '"', "'", "::error::", "%0A", ",", ":", "|", "\\|", "`", "``",
    "](http://x)", "[a](b)", "**", "~~", "![x]",
    "https://x.example", "www.x.example", "@all", "#1", "{0}", "{", "}", "日本", "é", "e\u0301",
    "\U0001f469\u200d\U0001f4bb", "nas:/a ",
)
TEXT = st.lists(st.one_of(st.sampled_from(_TRICKS), st.text(max_size=8), st.characters()), max_size=8).map("".join)
LINE = TEXT.map(lambda text: text.replace("\n", " "))

CONSEQUENCES = ("mount-fails", "data-loss", "ignored", "performance")
CITED = {
    "nfs5.soft": {
        "claim": "nfs5.soft", "source": "nfs5", "title": "nfs(5): options | [all] of them", "publisher": "nfs-utils",
        "at": "OPTIONS, `soft`", "grade": "manual", "date": "2026-07-21", "address": "https://man.example/nfs.5.html",
    },
    "seen.soft": {
        "claim": "seen.soft", "source": "seen", "title": "What was <seen>", "publisher": "us", "at": "case soft",
        "grade": "observed", "date": None, "address": None,
    },
}
RULES = {
    name: {
        "rule": name, "title": "A {title} [of](it)", "why": "Because | it is *so*.", "remedy": "Write <hard>.",
        "severity": "warning", "consequence": "data-loss", "cites": list(CITED), "page": name.partition("/")[0],
    }
    for name in ("hard/default", "unknown-option")
}


@st.composite
def findings(draw):
    """A list of findings of a few lines, and the lines: {(file, number): text}."""
    files = draw(st.lists(TEXT.filter(bool), min_size=1, max_size=2, unique_by=visible))
    lines, found = {}, []
    for file in files:
        for number in range(1, draw(st.integers(1, 2)) + 1):
            lines[file, number] = text = draw(LINE)
            for _ in range(draw(st.integers(0, 2))):
                found.append(draw(_finding(file, number, text)))
    return found, lines


@st.composite
def _finding(draw, file, number, text):
    column = draw(st.integers(1, len(text) + 1))
    end = draw(st.integers(column, len(text) + 2))
    fix = None
    if draw(st.booleans()):
        edit = Edit(number, column, min(end, len(text) + 1), draw(TEXT))
        fix = Fix(draw(st.sampled_from(("safe", "unsafe"))), (edit,))
    return Finding(
        draw(st.sampled_from(sorted(RULES))), draw(st.sampled_from(SEVERITIES)), draw(st.sampled_from(CONSEQUENCES)),
        draw(st.sampled_from(("high", "medium", "low"))), file, number, column, max(end, column + 1),
        draw(st.sampled_from((None, "mount.hard"))), draw(st.one_of(st.none(), TEXT, st.integers(), st.booleans())),
        draw(st.one_of(st.just("omit"), st.lists(TEXT, max_size=2))), draw(TEXT), draw(TEXT), draw(TEXT),
        tuple(draw(st.lists(st.sampled_from(sorted(CITED)), unique=True))), fix,
        tuple(draw(st.lists(st.just("client.kernel"), max_size=1))), False,
    )


def everything():
    """One case that holds all of the tricks, wherever text can stand."""
    text = "x".join(_TRICKS)
    fix = Fix("unsafe", (Edit(1, 1, 2, text),))
    found = [
        Finding(
            "hard/default", severity, "data-loss", "medium", text, 1, 1, 5, "mount.hard", text, [text], text, text,
            text, tuple(CITED), fix, ("client.kernel",), False,
        )
        for severity in SEVERITIES
    ]
    return found, {(text, 1): text.replace("\n", " ")}


def summary(found, lines, question=None):
    """The summary that belongs to these findings."""
    return {
        "files": list(dict.fromkeys(file for file, _ in lines)), "not_judged": [],
        "config": None, "nfs_lines": len(lines),
        "errors": sum(f.severity == "error" for f in found), "warnings": sum(f.severity == "warning" for f in found),
        "notes": sum(f.severity == "note" for f in found), "suppressed": 1, "suppressions": [],
        "fixable": sum(f.fix is not None and f.fix.safety == "safe" for f in found),
        "fixable_unsafe": sum(f.fix is not None and f.fix.safety == "unsafe" for f in found),
        "inferred": [], "open": [], "question": question,
    }


QUESTION = {
    "open_settings": 3, "fact": "client.kernel", "question": "Which {kernel} does <the> client run?", "concerns": 2,
    "example": "5.14|6.1",
}


def context(lines, **more):
    return FindingContext(
        line=lambda file, number: lines[file, number], citation=CITED.__getitem__, rule=RULES.__getitem__,
        version="1.0", **more,
    )
