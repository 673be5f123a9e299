"""The examples of checks and conclusions are tried, and those that do not hold are problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import verify as linted
from advisor.engine import Base
from advisor.rulebase import examples
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.verify import verify
from tests.rulebase.bases import edit

CHECK = "rules/checks/intr-with-nconnect.yaml"

CASES = {
    "finds nothing": (
        "nfs intr,nconnect=4 0 0",
        "nfs nconnect=4 0 0",
        "finds: true}",
        "expected to find something",
        "it finds 0 times",
    ),
    "finds something": (
        "nfs nconnect=4 0 0",
        "nfs nconnect=4,intr 0 0",
        "finds: false}",
        "expected to find nothing",
        "it finds 1 time",
    ),
    "counts": ("finds: true}", "finds: 2}", "finds: 2}", "expected to find the number 2", "it finds 1 time"),
}


@pytest.mark.parametrize("name", CASES)
def test_examples_that_do_not_hold(root: Path, name: str) -> None:
    old, new, holder, found, why = CASES[name]
    edit(root, CHECK, old, new)
    report = verify(str(root))
    assert report is not None
    assert [problem.file for problem in report.problems] == [CHECK]
    line = (root / CHECK).read_text().split("\n")[report.problems[0].line - 1]
    assert line.endswith(holder)
    assert line[report.problems[0].column - 1 :] == holder.removeprefix("finds: ")
    assert found in report.problems[0].found
    assert why in report.problems[0].why


def test_counts_may_be_exact(root: Path) -> None:
    edit(root, CHECK, "finds: true}", "finds: 1}")
    report = verify(str(root))
    assert report is not None
    assert report.problems == []


@pytest.mark.parametrize(("says", "problems"), [("intr has no effect", 0), ("intr does nothing", 1)])
def test_words_are_compared(root: Path, says: str, problems: int) -> None:
    edit(root, CHECK, "finds: true}", f"finds: true, says: {says}}}")
    report = verify(str(root))
    assert report is not None
    assert [(problem.file, problem.why) for problem in report.problems] == (
        [(CHECK, 'it says "intr has no effect"')] * problems
    )


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The decisions, and the files of checks, whose examples are tried."""
    seen: list[str] = []
    try_all, lint = examples.try_all, linted.lint_text

    def counting(base: Base, decision: Authored, catalogue: Catalogue) -> object:
        seen.append(decision.id)
        return try_all(base, decision, catalogue)

    def linting(*args: object, **options: object) -> object:
        seen.append("checks")
        return lint(*args, **options)

    monkeypatch.setattr(examples, "try_all", counting)
    monkeypatch.setattr(linted, "lint_text", linting)
    return seen


def test_only_what_an_edit_can_change_is_tried_again(root: Path, tried: list[str]) -> None:
    decisions = {"mount.nconnect", "mount.vers", "sysctl.sunrpc.slots"}

    def verified() -> set[str]:
        tried.clear()
        report = verify(str(root))
        assert report is not None
        assert report.problems == []
        return set(tried)

    assert verified() == {*decisions, "checks"}
    assert verified() == set()
    edit(root, "rules/mount/vers.yaml", "strength: must", "strength: may")
    assert verified() == {"mount.vers"}
    edit(root, CHECK, "strength: ", "strength:  ")
    assert verified() == {"checks"}
    edit(root, "rules/facts/all.yaml", "says: The NFS version.", "says: The version of NFS.")
    assert verified() == {*decisions, "checks"}


def test_what_fails_is_tried_again(root: Path, tried: list[str]) -> None:
    old, new, *_ = CASES["finds nothing"]
    edit(root, CHECK, old, new)
    for _ in range(2):
        tried.clear()
        report = verify(str(root))
        assert report is not None
        assert len(report.problems) == 1
        assert "checks" in tried


def test_examples_wait_for_a_sound_base(root: Path) -> None:
    edit(root, "rules/mount/vers.yaml", "strength: must", "strength: most")
    report = verify(str(root))
    assert report is not None
    assert len(report.problems) == 1
    assert "the examples of checks were not tried: they need a rule base without problems" in report.notes


@pytest.mark.parametrize(("old", "new", "found"), [
    ("{counted.wait: 9}", "{counted.wait: 4}", "too_slow is expected to be concluded"),
    ("{counted.wait: 3}", "{counted.wait: 6}", "too_slow is expected to not be concluded"),
    ("A call waited {counted.wait}.", "A call of {client.kernel} waited.", '"A call of ? waited."'),
])
def test_examples_of_conclusions(root: Path, old: str, new: str, found: str) -> None:
    file = root / "rules/conclusions/all.yaml"
    file.write_text(file.read_text().replace(old, new))
    report = verify(str(root))
    assert report is not None
    assert [problem.found for problem in report.problems] == [found]


def test_a_kind_of_file_has_a_reader(root: Path) -> None:
    host_file = "{id: acmed, title: settings of acmed, area: server, kind: acmed.conf, at: [/etc/acmed.conf]}"
    (root / "kb/host-files.yaml").write_text(f"host_files:\n  - {host_file}\n")
    report = verify(str(root))
    assert report is not None
    assert [(problem.file, problem.found) for problem in report.problems] == [
        ("kb/host-files.yaml", 'the kind "acmed.conf"'),
    ]
