"""The settings that files of settings make, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.includes import in_place, of_others
from advisor.check.order import in_order
from advisor.readers import settings
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.rulebase.model import RuleBase


class SetValue(NamedTuple):
    """A tunable's value in a file. `alone`: the file stands beside a folder of such files."""

    tunable: str
    value: str
    file: HostText
    span: Span
    text: str
    alone: bool

    @property
    def name(self) -> str:
        """Of the file."""
        return self.file.name

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file.name}:{self.span.line}"


def placed(base: RuleBase, texts: Sequence[HostText]) -> Iterator[SetValue]:
    """Every setting of these files that has a tunable; of several values of one the last holds."""
    files = {kind: steps.file for steps in base.kinds.values() if steps.file for kind in steps.file.kinds}
    for kind in settings.READ:
        file = files.get(kind)
        if file is None or file.inherits:
            continue  # of blocks, each has settings of its own
        of_kind = [text for text in texts if text.host_file.kind == kind]
        below = of_others(of_kind)
        for one in in_order(of_kind):
            if one.path in below:
                continue  # it is read where another file includes it
            folder, _, name = one.path.rpartition("/")
            ending = file.folder.ending if file.folder and folder.endswith(".d") else ""
            if not name.endswith(ending) or name.startswith("."):
                continue  # it is not read, which the linter tells
            alone = one.host_file.same_name == "hides" and not folder.endswith(".d")
            for place, setting in in_place(one, of_kind):
                section = f"{setting.section}." if file.sections else ""
                tunable = f"{file.prefix}{section}{setting.key.text}"
                if tunable in base.tunables and setting.value.text:
                    span = Span(setting.key.span.line, setting.key.span.column, setting.value.span.end_column)
                    yield SetValue(
                        tunable, setting.value.text, place, span, f"{setting.key.text}={setting.value.text}", alone
                    )
