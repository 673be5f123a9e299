"""All about one mount: what it does, where the time goes, what limits it and why."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from advisor.document.escape import visible
from advisor.document.screen import screen
from advisor.observe.window import MountKey
from advisor.watch.frame import WatchedMount
from advisor.watch.rows import page
from advisor.watch.screens import Watching
from advisor.wizard.screen import KeyBar


class MountPage(Watching):
    """The mount of a name, which may be unmounted meanwhile."""

    NAME = "Mount"
    DEFAULT_CSS = "MountPage VerticalScroll { padding: 0 1; scrollbar-size-vertical: 1; }"
    KEYS = [
        ("← →", "other mounts", "other(1)"), ("Space", "pause", "pause"), ("+ -", "interval", "pace(1)"),
        ("?", "keys", "keys"), ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("escape,q", "leave", "Back to the list"),
        Binding("left", "other(-1)", "The mount before this one", priority=True),
        Binding("right", "other(1)", "The next mount", priority=True),  # else the text takes them
    ]

    def __init__(self, name: MountKey) -> None:
        super().__init__()
        self.mount_name = name

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.show_frame()

    def show_frame(self) -> None:
        frame = self.application.frame
        names = {one.name: one for one in frame.mounts} if frame else {}
        one = names.get(self.mount_name, WatchedMount(self.mount_name, None))
        self.head(visible(self.mount_name[0]))
        width = max(self.size.width - 4, 20)
        self.query_one("#text", Static).update(screen(page(one, width), width))

    def action_other(self, by: int) -> None:
        frame = self.application.frame
        names = [one.name for one in frame.mounts] if frame else []
        if self.mount_name in names:
            self.mount_name = names[(names.index(self.mount_name) + by) % len(names)]
            self.query_one(VerticalScroll).scroll_home(animate=False)
        self.show_frame()

    def action_leave(self) -> None:
        self.dismiss(None)
