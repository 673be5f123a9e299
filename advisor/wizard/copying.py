"""The mount line and the mount command, for other windows: through the terminal's clipboard, and as bare text."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor.document.escape import visible
from advisor.document.screen import DIM, HEAD
from advisor.rulebase.model import RuleBase
from advisor.session import Session
from advisor.wizard.screen import KeyBar, Leaf


def commands(base: RuleBase, session: Session) -> list[str]:
    """What mounts by hand, until the next restart. Raises ValueError where the files cannot be made."""
    from advisor.wizard.exported import artefacts  # noqa: PLC0415  few copy anything

    return [
        line for one in artefacts(base, session) if one.path == "mount.sh" for line in one.text.splitlines()
        if line and not line.startswith(("#", "set "))
    ]


class Copied(Leaf):
    """The text alone. Whether a terminal takes what it is sent (OSC 52) nobody is told, so that it stands here too."""

    NAME = "Copied"
    DEFAULT_CSS = """
    Copied #head { height: auto; background: $panel; padding: 0 1; }
    Copied VerticalScroll { padding: 1 0; }
    """
    KEYS = [("?", "keys", "keys"), ("Esc", "back", "leave")]

    def __init__(self, what: str, text: str) -> None:
        super().__init__()
        self.what, self.text = what, text

    def again(self) -> None:
        return None

    def compose(self) -> ComposeResult:
        note = f"  {self.what} was sent to the terminal's clipboard. If it is not there, select it here."
        yield Static(Content.assemble(("Copied", HEAD), (note, DIM)), id="head", markup=False)
        with VerticalScroll():
            yield Static(Content("\n".join(map(visible, self.text.splitlines()))), markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.wizard.copy_to_clipboard(self.text)
