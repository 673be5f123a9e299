"""Diagnosis at numbered prompts: finds the causes of a message, and narrows them down by one check after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from advisor.user_files import UserFileError
from advisor.wizard.plain_talk import Talk
from advisor.wizard.texts import read_file_or_text

if TYPE_CHECKING:
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.rulebase.model import RuleBase


def diagnose(talk: Talk, base: RuleBase, written: str) -> None:
    """`written`: a message, or the name of a file; if it is empty, lines are read up to an empty one."""
    from advisor.diagnose.diagnosis import Diagnosis  # noqa: PLC0415
    from advisor.diagnose.text import without_secrets  # noqa: PLC0415  seldom used
    from advisor.pages.diagnose import page  # noqa: PLC0415

    if not written:
        talk.say("Write or paste the message, or the name of a file; an empty line ends it.")
        lines = []
        while line := talk.ask(">"):
            lines.append(line)
        written = "\n".join(lines)
    try:
        text = read_file_or_text(written)
    except UserFileError as error:
        talk.say(str(error))
        return
    if text:
        diagnosis = Diagnosis(base, text)
        narrow_down(talk, diagnosis, lambda: talk.page(page(diagnosis, without_secrets, steps=False)))


def narrow_down(talk: Talk, diagnosis: Diagnosis, show: Callable[[], object]) -> None:
    """Asks for one check or answer at a time, until a cause is confirmed or no check is left. `show`: prints the
    diagnosis so far. Raises InputEnded."""
    show()
    while (step := diagnosis.step()) is not None:
        talk.say()
        talk.say(step.do, f"Check on the {step.on}: " if step.on else "", "  ")
        for meaning in step.tells:
            talk.say(meaning, "  ")
        for number, (_, words) in enumerate(step.choices, 1):
            talk.say(words, f"  {number}  ", "     ")
        written = talk.ask_in_command("Number (q leaves):")
        if not written:
            return
        if not written.isdecimal() or not 1 <= int(written[:4]) <= len(step.choices):
            talk.say(f"A number from 1 to {len(step.choices)}.")
            continue
        diagnosis.choose(step, step.choices[int(written[:4]) - 1][0])
        show()
