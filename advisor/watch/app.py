"""The application of `observe --live`: shows readings of the counters until it is paused."""

from __future__ import annotations

import contextlib
import os
import threading

from textual.app import App
from textual.screen import Screen

from advisor.watch.frame import INTERVALS, HostFeed, WatchFrame
from advisor.watch.screens import MountList, WatchScreen
from advisor.wizard.screen import THEMES, theme_after


class Watch(App[int]):
    """`feed`: reads this host; None for a recording, which has only `frame`. `leads`: label of the key that ends the
    application."""

    TITLE = "NFS mounts"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, feed: HostFeed | None, frame: WatchFrame | None = None, theme: str = "dark", leads: str = "quit"
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)  # else its own colours turn black
        self.feed, self.frame, self.latest = feed, frame, frame
        self.paused, self.leads = False, leads
        self.theme = THEMES[theme]

    def get_default_screen(self) -> Screen[None]:
        return MountList()

    def on_mount(self) -> None:
        if self.feed is not None:
            threading.Thread(target=self.feed.run, args=(self._read,), daemon=True).start()

    def _read(self, frame: WatchFrame) -> None:
        """Called in the thread of the feed."""
        with contextlib.suppress(RuntimeError):  # the application has ended
            self.call_later(self.take, frame)

    def take(self, frame: WatchFrame) -> None:
        """Shows a frame, at once or when the pause ends."""
        self.latest = frame
        if not self.paused:
            self.frame = frame
            self.show()

    def show(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, WatchScreen) and screen.is_mounted:
                screen.show_frame()

    def pause(self) -> None:
        self.paused = not self.paused
        self.frame = self.frame if self.paused else self.latest
        self.show()

    def pace(self, step: int) -> None:
        """Changes the interval between readings to the next longer (1) or shorter (-1) one of INTERVALS."""
        if self.feed is None:
            self.bell()
            return
        every = self.feed.every
        intervals = [interval for interval in INTERVALS if (interval > every if step > 0 else interval < every)]
        self.feed.every = min(intervals, key=lambda interval: abs(interval - every), default=every)
        self.show()

    def next_theme(self) -> None:
        self.theme = theme_after(self.theme)

    def reading_age(self) -> tuple[str, ...]:
        """Texts on the interval of readings and the length of the judged window, the longer one first."""
        frame = self.frame
        if frame is None or self.feed is None:
            return ("reading" if frame is None else f"recording of {frame.seconds:.0f} s", "")
        every = "paused" if self.paused else f"every {self.feed.every:g} s"
        judged = f"judged over {frame.seconds:.0f} s" if frame.seconds >= 1 else "since each was mounted"
        return (f"{every}, {judged}" if frame.mounts else every), every

    def leave(self) -> None:
        if self.feed is not None:
            self.feed.ended.set()
        self.exit(0)

    async def action_quit(self) -> None:
        self.leave()
