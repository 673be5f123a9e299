"""Drives the numbered prompts with lines, and reads what they say."""

from __future__ import annotations

import io
from pathlib import Path

from advisor.advice.answers import Answers
from advisor.cli.wizard import setting_lookup
from advisor.rulebase.base import load
from advisor.wizard import state
from advisor.wizard.prompt_tasks import Talk
from advisor.wizard.prompts import PlainWizard
from advisor.wizard.state import Session

BASE = load()
NEW = state.go(state.start(), None)
"""A session at the first question, past the one for the mount."""
NAMED = setting_lookup(BASE)
ANF = {"storage.platform": "anf", "host.role": "nfs-client"}
V3 = {"storage.platform": "anf", "storage.volume_protocol": "3"}


class Ran:
    def __init__(self, wizard: PlainWizard, out: str) -> None:
        self.session, self.out = wizard.session, out
        assert not [char for char in out if char != "\n" and not char.isprintable()], "no escape code, ever"

    @property
    def flat(self) -> str:
        """As one line, for texts that may have been wrapped."""
        return " ".join(self.out.split())

    def says(self, *texts: str) -> Ran:
        for text in texts:
            assert text in self.flat, f"{text!r} is not in:\n{self.out}"
        return self

    def lacks(self, text: str) -> None:
        assert text not in self.flat, self.out


def run(
    *lines: str, session: Session | None = None, columns: int = 80, path: Path | None = None, check_host=None,
    observe=None,
    **found,
) -> Ran:
    out = io.StringIO()
    talk = Talk(io.StringIO("".join(f"{line}\n" for line in lines)), out, columns, echo=True)
    found = {name.replace("__", "."): value for name, value in found.items()}
    wizard = PlainWizard(
        BASE, session or NEW, found, talk, find_setting=NAMED, path=path, check_host=check_host, observe=observe
    )
    assert wizard.run() == 0
    return Ran(wizard, out.getvalue())


def given(**facts) -> Session:
    return state.start(Answers({name.replace("__", "."): value for name, value in facts.items()}))
