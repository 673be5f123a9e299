"""Accepted findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.lint import suppress
from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.lint.suppress import Baseline, BaselineError
from tests.lint.fixing import base

TEXT = "nas:/a /a nfs vers=4.2,soft,nconect=8 0 0\nnas:/b /b nfs vers=4.2,hard,timeo=14 0 0\n"


def lint(text: str, name: str) -> Result:
    return lint_text(text, name, base(), {})


def accepted(folder: Path, text: str, name: str = "fstab") -> Baseline:
    """A baseline in `folder` that accepts what is found in a text there."""
    path = folder / "baseline.json"
    result = lint(text, str(folder / name))
    path.write_text(suppress.baseline_text(str(path), [(result, result.findings)]), encoding="utf-8")
    return suppress.read_baseline(str(path))


def fresh(known: Baseline, text: str, name: str = "fstab") -> list[str]:
    result = lint(text, str(Path(known.path).parent / name))
    known.note(result, result.findings)
    return [finding.rule for finding in known.fresh(result, result.findings)]


@pytest.mark.parametrize(
    "moved",
    [
        TEXT,
        "# a comment\n\n" + TEXT,
        "\n".join(reversed(TEXT.splitlines())) + "\n",
        TEXT.replace(" ", "   "),
        TEXT.replace(" ", "\t"),
        TEXT.replace("vers=4.2,", "vers=4.2,nodev,"),
    ],
)
def test_lines_may_move(tmp_path: Path, moved: str) -> None:
    known = accepted(tmp_path, TEXT)
    assert fresh(known, moved) == []
    assert len(known.accepted) == len(lint(TEXT, "fstab").findings)
    assert not known.gone


def test_what_is_new_is_told(tmp_path: Path) -> None:
    known = accepted(tmp_path, TEXT)
    third = "nas:/c /c nfs vers=4.2,hard,timeo=14 0 0\n"
    assert fresh(known, TEXT + third) == [finding.rule for finding in lint(third, "x").findings]
    assert fresh(known, TEXT.replace("timeo=14", "timeo=15")) == ["timeo-too-short"]
    assert "unknown-option" in fresh(known, TEXT.replace("/a /a", "/z /z"))


def test_another_file_is_another_matter(tmp_path: Path) -> None:
    known = accepted(tmp_path, TEXT)
    assert len(fresh(known, TEXT, "other")) == len(lint(TEXT, "x").findings)
    assert not known.gone, "the file that was accepted was not looked at"


def test_as_often_as_it_was_accepted(tmp_path: Path) -> None:
    twice = "nas:/a /a nfs vers=4.2,hard,intr 0 0\n"
    known = accepted(tmp_path, twice)
    assert fresh(known, twice * 2).count("option-ignored") == 1


def test_what_no_longer_occurs(tmp_path: Path) -> None:
    known = accepted(tmp_path, TEXT)
    fresh(known, TEXT.replace(",timeo=14", ""))
    ((entry, count),) = known.gone.items()
    assert (entry.rule, entry.target, entry.option, count) == ("timeo-too-short", "/b", "timeo=14", 1)


def test_the_file_is_readable_and_stable(tmp_path: Path) -> None:
    known = accepted(tmp_path, TEXT)
    document = json.loads(Path(known.path).read_text(encoding="utf-8"))
    assert document["schema"] == "advisor-baseline/1"
    assert {one["file"] for one in document["findings"]} == {"fstab"}
    assert {"rule", "source", "target", "option", "count"} <= document["findings"][0].keys()
    again = Path(known.path).read_text(encoding="utf-8")
    accepted(tmp_path, "# moved\n" + TEXT)
    assert Path(known.path).read_text(encoding="utf-8") == again


def test_files_outside_are_named_in_full(tmp_path: Path) -> None:
    assert suppress.relative(str(tmp_path / "b.json"), "/etc/fstab") == "/etc/fstab"
    assert suppress.relative(str(tmp_path / "b.json"), str(tmp_path / "d" / "fstab")) == "d/fstab"
    assert suppress.relative(str(tmp_path / "b.json"), "<stdin>") == "<stdin>"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "file not found; --write-baseline"),
        ("", "not valid JSON"),
        ("[]", "is not an advisor baseline"),
        ('{"schema": "advisor-lint/1", "findings": []}', "has schema"),
        ('{"schema": "advisor-baseline/1", "findings": [{"rule": "x"}]}', "is not an advisor baseline"),
        ('{"schema": "advisor-baseline/1", "findings": 3}', "is not an advisor baseline"),
        ('{"schema": "advisor-baseline/1", "findings": [{"file": "", "rule": "", "source": "", "target": "", '
         '"option": "", "count": 1e999}]}', "is not an advisor baseline"),
        (f'{{"schema": {"9" * 5000}}}', "not valid JSON"),
    ],
)
def test_files_that_are_no_baseline(tmp_path: Path, content: str | None, words: str) -> None:
    path = tmp_path / "b.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(BaselineError, match=words):
        suppress.read_baseline(str(path))


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    odd = b"nas:/\xff /\xe9 nfs hard,timeo=14,\xfe 0 0\n".decode("utf-8", "surrogateescape")
    assert fresh(accepted(tmp_path, odd), odd) == []


def test_a_file_may_have_several_results(tmp_path: Path) -> None:
    """As the bugs of one package, of which a client has one and a server another."""
    known = accepted(tmp_path, TEXT)
    for line in TEXT.splitlines(keepends=True):
        assert fresh(known, line) == []
    assert not known.gone
