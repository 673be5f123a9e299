"""What an unknown option is taken to have been meant to be: never something that the mount would refuse as well."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.lint.finding import Finding, apply
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

NAMES = sorted({
    form.spelling for one in load().of_kinds("mount-option").values() for form in one.forms
    if "*" not in form.spelling and not one.vendor
})


def _line(options: str) -> str:
    return f"nas:/a /a nfs {options} 0 0"


def _unknown(options: str) -> Finding:
    found = lint_text(_line(options), "fstab", load(), {}).findings
    (finding,) = (one for one in found if one.rule == "unknown-option")
    return finding


@example(name="v2", at=0, slip="", behind="x")  # v2 is an option, and newer clients refuse it
@given(
    name=st.sampled_from(NAMES), at=st.integers(0, 30), slip=st.sampled_from(["", "drop", "twice", "swap"]),
    behind=st.sampled_from(["", "4", "4.2", "=4", "600", "=hard", "1048576", "x"]),
)
def test_what_is_proposed_is_an_option(name: str, at: int, slip: str, behind: str) -> None:
    at %= len(name)
    if slip == "drop":
        name = name[:at] + name[at + 1:]
    elif slip == "twice":
        name = name[:at] + name[at] + name[at:]
    elif slip == "swap":
        name = name[:at] + name[at + 1:at + 2] + name[at] + name[at + 2:]
    for finding in lint_text(_line(name + behind), "fstab", load(), {}).findings:
        if finding.rule == "unknown-option" and finding.fix is not None and "Write" in finding.remedy:
            mended = apply(_line(name + behind), finding.fix.edits)
            left = [one for one in lint_text(mended, "fstab", load(), {}).findings if one.consequence == "mount-fails"]
            assert "unknown-option" not in {one.rule for one in left}, mended
            if "=" not in behind:  # a value that somebody wrote stays as it is
                assert not left, (mended, left)


@each(lambda: [
    ("ver4", "vers=4"), ("vers4.2", "vers=4.2"), ("nfsver4", "vers=4"), ("timeo600", "timeo=600"),
    ("rsize1048576", "rsize=1048576"), ("nconect8", "nconnect=8"), ("hrad", "hard"),
])
def test_a_missing_equals_sign_is_seen(written: str, meant: str) -> None:
    assert _unknown(written).remedy == f"Write {meant}."


@pytest.mark.parametrize("written", ["nfsver", "lookupcach", "v5", "nconnect99"])
def test_half_an_option_is_no_remedy(written: str) -> None:
    assert _unknown(written).fix is None
