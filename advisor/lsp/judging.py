"""What the server asks of those who know command line and configuration: the findings of open texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase


class OpenText(NamedTuple):
    """`name`: its path, or its address in angle brackets if it is not a file. `language`: what the editor takes it
    for."""

    name: str
    language: str
    text: str


class JudgedText(NamedTuple):
    """`kind`: as in advisor.readers.kinds; None where nobody knows it, and nothing was judged."""

    kind: str | None
    findings: Sequence[Finding] = ()


class Judging(Protocol):
    """Judges open texts as `advisor lint` judges files, from the folder that the process is in."""

    base: RuleBase | None
    """The rules in force; None until `renew` has found settings that can be used."""

    def renew(self) -> str:
        """Read again what has changed of configuration, baseline and facts. Returns what is wrong with them, "" for
        nothing; the last settings that could be used stay in force then."""

    def judge(self, texts: Sequence[OpenText]) -> list[JudgedText]:
        """All open texts, of which some are read together with others. To be asked only where there is a `base`."""
