"""What is written lints clean without a flag, or the verdict says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.verdict import verdict, with_refusals
from advisor.cli import main
from advisor.install.build import checked_context
from advisor.install.scripts import mounts
from advisor.lint.run import lint_text
from advisor.lint.stated import stated
from tests.advice.environments import answers, base
from tests.tiers import examples

PINS: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {"mount.nconnect": 2}, {"mount.rsize": 65536}, {"mount.hard": "soft"}, {"mount.vers": "3"},
)


def objections(told: Answers) -> list[str]:
    """The findings above a note in the line that is written, of which the verdict says nothing."""
    advice = with_refusals(base(), advise(base(), told))
    if advice.unusable_pins or verdict(base(), [advice]).reasons:
        return []
    text = "\n".join(made.text for made in mounts(checked_context(base(), advice)) if made.path == "fstab")
    found = lint_text(text, "fstab", base(), {}).findings
    return [f"{one.rule}: {one.message}\n{text}" for one in found if one.severity != "note" and not one.policy]


@examples(15, 200)
@given(answers(), st.sampled_from(PINS))
def test_a_line_that_is_called_ready_has_no_finding_above_a_note(told: Answers, pins: dict[str, Any]) -> None:
    pins = {name: value for name, value in pins.items() if name not in told.facts}
    assert objections(told._replace(pins=pins)) == []


@examples(5, 30)
@given(st.text(alphabet='{}":,a1 .\\', max_size=40))
def test_a_statement_that_is_not_understood_says_nothing_of_the_line(said: str) -> None:
    line = "nas:/a /a nfs hard 0 0\n"
    bare, told = (
        {one.rule for one in lint_text(text, "fstab", base(), {}).findings}
        for text in (line, f"# advisor: facts {{{said}}}\n{line}")
    )
    assert told - bare == ({"unused-suppression"} if said.strip() else set())
    assert bare <= told


def test_what_is_given_otherwise_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "fstab"
    file.write_text('# advisor: facts {"storage.platform": "azure-files"}\nnas:/a /a nfs vers=3,hard 0 0\n')
    assert stated(file.read_text(), "facts") == {2: {"storage.platform": "azure-files"}}
    assert main(["lint", str(file)]) == 1
    assert main(["lint", "--set", "storage.platform=ontap", str(file)]) in (0, 1)


@pytest.mark.parametrize(("said", "words"), [
    ('{"storage.platform": "knfds", "workload.kind": "home"}',
     "of the facts said of this line, these or their values are not known: storage.platform"),
    ("{storage.platform: knfsd}", """not understood: write '# advisor: facts {"NAME": "VALUE"}'"""),
    ('{"storage.platform": "' + 20_000 * "k" + '"}', """not understood: write '# advisor: facts {"NAME": "VALUE"}'"""),
    ('{"storage.platform": "knfsd", "workload.kind": "home"}', None),
])
def test_a_statement_that_was_edited_wrongly_is_reported(said: str, words: str | None) -> None:
    found = lint_text(f"# advisor: facts {said}\nnas:/a /a nfs hard 0 0\n", "fstab", base(), {}).findings
    assert [one.message for one in found if one.rule == "unused-suppression"] == ([words] if words else [])
