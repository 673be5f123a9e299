"""What the prompts tell of an answer: what is to be done now, and in one line what is not any more."""

from __future__ import annotations

import io
import re

from advisor.session import AdviceChange
from advisor.wizard.plain_talk import Talk
from advisor.wizard.plain_texts import NEWS, news


def _said(changes: list[AdviceChange]) -> list[str]:
    out = io.StringIO()
    news(Talk(None, out), changes)
    return re.split(r"\n  - ", out.getvalue().rstrip("\n"))


def test_what_is_not_to_be_set_any_more_is_one_item() -> None:
    gone = [AdviceChange(f"sysctl.a.b{n}", "", f"a.b{n} = 1", "nothing to do", "It has its own administration.")
            for n in range(NEWS + 4)]
    new = AdviceChange("volume.threads", "", "open", "automatic", "The system sets it.")
    head, first, second = _said([*gone, new])
    assert head == f"{NEWS + 5} settings changed:"
    assert first == "volume.threads: automatic. The system sets it."
    assert "nothing to do. It has its own administration." in " ".join(second.split())
    assert "and 6 more" in " ".join(second.split())


def test_each_change_has_an_item_and_many_are_counted() -> None:
    changes = [AdviceChange(f"sysctl.a.b{n}", "", "open", f"a.b{n} = 1", "So it is.") for n in range(NEWS + 3)]
    items = _said(changes)
    assert len(items) == NEWS + 2
    assert items[-1] == "3 more; s shows everything."
