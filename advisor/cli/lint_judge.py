"""What judges the texts of a run: a command line, a configuration and a rule base together."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from advisor.cli.common import CannotRun
from advisor.cli.lint_baseline import in_force
from advisor.cli.lint_settings import Chooser
from advisor.lint.run import lint_text
from advisor.sections import SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.config import Config
    from advisor.lint.finding import Finding
    from advisor.lint.read_together import Beside
    from advisor.lint.rule_index import RuleIndex
    from advisor.lint.run import Result
    from advisor.rulebase.model import RuleBase


class TextJudge:
    """`indexes`: what was made ready so far, of which each remembers what was asked of it."""

    def __init__(self, args: argparse.Namespace, base: RuleBase, config: Config, *, by_root: bool = True) -> None:
        """`by_root`: as for Chooser. CannotRun where the settings cannot be used."""
        self.base = base
        self.chooser = Chooser(args, base, config, by_root=by_root)
        self.accepted = in_force(args, config)
        self.indexes: dict[tuple[int, str], RuleIndex] = {}

    def look(
        self, text: str | bytes, name: str, kind: str, beside: Sequence[Beside] = ()
    ) -> tuple[Result, list[Finding]]:
        """One file of this kind (advisor.readers.kinds), and those of its findings that are to be told."""
        settings = self.chooser.of(name)
        key = (id(settings), kind)
        try:
            result = lint_text(text, name, self.base, settings.known, self.indexes.get(key),
                               sections=settings.sections, kind=kind, profiles=settings.profiles, beside=beside)
        except SectionError as error:
            raise CannotRun(str(error)) from None
        self.indexes[key] = result.rule_index
        findings = settings.reported(result.findings)
        return result, findings if self.accepted is None else self.accepted.fresh(result, findings)
