"""What is written lints clean without a flag, or the verdict says why not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.verdict import verdict, with_refusals
from advisor.install.build import checked_context
from advisor.install.scripts import mounts
from advisor.lint.run import lint_text
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
