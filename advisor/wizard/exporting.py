"""The files of an export, and one of them on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor.document.escape import visible
from advisor.document.screen import DIM, HEAD
from advisor.rulebase.model import RuleBase
from advisor.session import Session
from advisor.wizard.making import artefacts
from advisor.wizard.screen import KeyBar, Leaf

if TYPE_CHECKING:
    from advisor.artefacts import Artefact

FOLDER = "nfs-config"


class File(NamedTuple):
    """A file of the export. `made`: the artefact to write."""

    path: str
    title: str
    text: str
    made: Artefact


def files(base: RuleBase, session: Session) -> tuple[list[File], str | None]:
    """What would be written, and what is wrong, if anything is."""
    try:
        made = artefacts(base, session)
    except ValueError as error:
        return [], f"The files cannot be made: {error}"
    return [File(one.path, one.title, one.text, one) for one in made], None


def write(base: RuleBase, session: Session, folder: str, force: bool) -> tuple[list[tuple[str, str]], str | None]:
    """Writes them; (path, status) of each, and what went wrong."""
    from advisor.artefacts import write_all  # noqa: PLC0415
    from advisor.atomic import WriteError  # noqa: PLC0415

    if not folder:
        return [], "Write the name of a folder."
    found, problem = files(base, session)
    if problem:
        return [], problem
    try:
        done = write_all(Path(folder).expanduser(), [one.made for one in found], force)
    except (OSError, ValueError, RuntimeError, WriteError) as error:
        return [], str(error)
    return [(one.path, one.status) for one in done], None


class Shown(Leaf):
    """One file's text."""

    NAME = "File"
    DEFAULT_CSS = """
    Shown #head { height: 1; background: $panel; padding: 0 1; }
    Shown VerticalScroll { padding: 0 1; }
    """
    KEYS = [("Esc", "back", "leave")]

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def compose(self) -> ComposeResult:
        app = self.wizard
        found, problem = files(app.base, app.session)
        one = next((file for file in found if file.path == self.path), None)
        title, text = (one.title, one.text) if one else ("", problem or "This file is not made any more.")
        yield Static(Content.assemble((self.path, HEAD), (f"  {title}", DIM)), id="head", markup=False)
        with VerticalScroll():
            yield Static(Content("\n".join(visible(line) for line in text.splitlines())), markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
