"""What the kernel said in a window, as `diagnose` knows its messages."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from advisor.observe.report import KernelMessage

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase


def kernel_messages(base: RuleBase, text: str) -> list[KernelMessage]:
    """The messages that tell of more than the ordinary course, in their order."""
    if not text.strip():
        return []
    from advisor.diagnose.evidence import Reader
    from advisor.diagnose.logs import read_log

    found = read_log(Reader(base), BytesIO(text.encode("utf-8", "replace")).read)
    return [KernelMessage(one.message.id, one.text.strip(), one.count) for one in found.problems()]
