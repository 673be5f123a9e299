"""The list of mounts, as top has it."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static

from advisor.document.blocks import Document
from advisor.document.screen import screen
from advisor.observe.window import MountKey
from advisor.watch import rows
from advisor.watch.frame import WatchedMount
from advisor.watch.mount_page import MountPage
from advisor.watch.screens import Watching
from advisor.wizard.row_list import ListRow, RowList
from advisor.wizard.screen import KeyBar


class LiveMounts(Watching):
    """One mount a row; Enter shows all about it."""

    NAME = "Mounts"
    DEFAULT_CSS = """
    LiveMounts #heads { height: 1; padding: 0 1; }
    LiveMounts RowList { height: 1fr; margin: 0 1; }
    LiveMounts #rest { height: auto; dock: bottom; margin: 0 0 1 0; padding: 0 1; display: none; }
    """
    KEYS = [
        ("Enter", "all about it", "open"), ("s", "sort", "next_sort"), ("Space", "pause", "pause"),
        ("+ -", "interval", "pace(1)"), ("?", "keys", "keys"), ("q", "quit", "quit"),
    ]
    BINDINGS = [
        Binding("enter", "open", "All about the mount"),
        Binding("s", "next_sort", "Sort by the next column"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.by = next(iter(rows.SORTS))
        self.shown: list[WatchedMount] = []
        self.put = 0
        """Where the cursor was put. Where it was moved to since, it stays with that mount; on top it stays on top."""
        self.followed: MountKey | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        yield Static(id="heads", markup=False)
        yield RowList()
        yield Static(id="rest", markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.show_frame()

    def show_frame(self) -> None:
        frame = self.application.frame
        mounted = sum(one.judged is not None for one in frame.mounts) if frame else 0
        self.head(f"NFS mounts  {mounted}" if mounted else "NFS mounts")
        if frame is None:
            return
        found = self.query_one(RowList)
        if found.highlighted is not None and found.highlighted != self.put:
            self.followed = self._at(found) if found.highlighted else None
        self.shown = rows.ordered(frame, self.by)
        width = max(self.size.width - 3, 20)
        self.query_one("#heads", Static).update(rows.heads(width, self.by) if self.shown else Content())
        found.draw(ListRow(("mount", str(number)), rows.row(one, width)) for number, one in enumerate(self.shown))
        names = [one.name for one in self.shown]
        self.put = names.index(self.followed) if self.followed in names else 0
        found.highlighted = self.put if names else None
        self._rest(frame.report.serves)

    def _rest(self, serves: bool) -> None:
        """What stands below the list, or instead of it."""
        frame, document = self.application.frame, Document()
        if frame is None:
            return
        if not self.shown:
            where = "in this recording" if frame.recorded else "here; it is listed as soon as there is one"
            document.para(f"No NFS file system is mounted {where}.")
        if serves and not any(one.judged and one.judged.window.local for one in self.shown):
            drawn = frame.report.server_conclusions
            said = "; ".join(one.conclusion.title for one in drawn) or "nothing that was counted limits it"
            document.para(f"The NFS server on this host: {said}.")
        rest = self.query_one("#rest", Static)
        rest.display = bool(document.blocks)
        rest.update(screen(document.blocks, max(self.size.width - 2, 20)))

    def _at(self, found: RowList) -> MountKey | None:
        at = found.highlighted
        return self.shown[at].name if at is not None and at < len(self.shown) else None

    def action_sort(self, by: str) -> None:
        self.by = by
        self.show_frame()

    def action_next_sort(self) -> None:
        words = list(rows.SORTS)
        self.action_sort(words[(words.index(self.by) + 1) % len(words)])

    def action_quit(self) -> None:
        self.application.leave()

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        name = self._at(self.query_one(RowList))
        if name is not None:
            self.app.push_screen(MountPage(name))
