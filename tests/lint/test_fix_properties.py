"""What holds of every fix: over texts that are made up, and over the files of others."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from advisor.lint.fix import Fixed, fix_text
from advisor.readers.fstab import read, split_options
from advisor.readers.fstab.libmount import as_bytes
from tests.lint.fixing import BOTH, SAFE, SHARED, judge, texts, view

CORPUS = sorted(SHARED.glob("corpus/fstab/*.fstab"))
corpus = pytest.mark.skipif(not CORPUS, reason=f"no files of others in {SHARED}/corpus (see ADVISOR_SHARED)")


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
    old, new = read(before).lines, read(after).lines
    assert len(old) == len(new)
    for a, b in zip(old, new, strict=True):
        if a.raw == b.raw:
            continue
        assert a.entry is not None
        assert b.entry is not None
        assert a.entry.libmount == b.entry.libmount == "ok"
        assert a.raw[len(a.raw.rstrip()) :] == b.raw[len(b.raw.rstrip()) :]
        words_a, words_b = a.raw.split(), b.raw.split()
        assert words_a[:2] == words_b[:2]
        assert words_a[6:] == words_b[6:]
        assert len(words_b) in (len(words_a), 4)
        assert a.raw[: a.raw.index(words_a[2])] == b.raw[: b.raw.index(words_a[2])]


@settings(max_examples=60, deadline=None)
@given(texts())
def test_all_fixes(text: str) -> None:
    fixed_well(text, BOTH)


@settings(max_examples=60, deadline=None)
@given(texts())
def test_safe_fixes_change_nothing_that_is_in_effect(text: str) -> None:
    fixed = fixed_well(text, SAFE)
    gone: dict[int, set[str | None]] = {}
    for finding in fixed.done:
        gone.setdefault(finding.line, set()).add(finding.tunable)
    for a, b in zip(read(text).entries, read(fixed.text).entries, strict=True):
        if a.raw != b.raw:
            before, after = (_in_effect(entry) for entry in (a, b))
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            assert changed <= gone[a.line_no] | {"mount.defaults"}


def _in_effect(entry: object) -> dict[str, object]:
    options = entry.options  # type: ignore[attr-defined]
    line = view().grammar.read(entry.fstype.value, split_options(options.text) if options else ())  # type: ignore[attr-defined]
    return {name: one.value for name, one in (*line.implied.items(), *line.effective.items())}


@corpus
@pytest.mark.parametrize("safeties", [SAFE, BOTH], ids=["safe", "all"])
def test_files_of_others(safeties: frozenset[str]) -> None:
    changed = 0
    for file in CORPUS:
        raw = file.read_bytes()
        text = raw.decode("utf-8", "surrogateescape")
        fixed = fixed_well(text, safeties)
        assert as_bytes(text) == raw
        changed += fixed.text != text
    assert changed > len(CORPUS) // 20


def verified(folder: Path, content: bytes) -> tuple[bool, int]:
    """Whether findmnt accepts a file, and how many parse errors it tells."""
    file = folder / "fstab"
    file.write_bytes(content)
    ran = subprocess.run(
        ["findmnt", "--verify", "--tab-file", str(file)], capture_output=True, check=False, env={"LC_ALL": "C"}
    )
    return ran.returncode == 0, ran.stdout.count(b"[E]") + ran.stderr.count(b"parse error")


@corpus
@pytest.mark.skipif(shutil.which("findmnt") is None, reason="findmnt is not installed")
def test_findmnt_accepts_what_it_accepted_before(tmp_path: Path) -> None:
    for file in CORPUS:
        raw = file.read_bytes()
        fixed = fix_text(raw.decode("utf-8", "surrogateescape"), judge, BOTH).text
        if as_bytes(fixed) != raw:
            (was_fine, errors), (is_fine, errors_left) = verified(tmp_path, raw), verified(tmp_path, as_bytes(fixed))
            assert is_fine or not was_fine, file.name
            assert errors_left <= errors, file.name
