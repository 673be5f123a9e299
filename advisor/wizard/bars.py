"""The lines at the top and at the bottom of a screen: its name and its keys. Each says as much as there is
room for, also after the terminal was resized."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from advisor.document.screen import DIM, HEAD


class FittingText(Widget):
    """The same text in fewer and fewer words: the first that fits is shown, else the last, and "…" where it is cut."""

    DEFAULT_CSS = "FittingText { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ways: tuple[Content, ...] = ()

    def show(self, *ways: Content) -> None:
        """`ways`: the most words first."""
        if len(ways) == len(self._ways) and all(one.is_same(other) for one, other in zip(ways, self._ways)):
            return
        self._ways = ways
        width, height = self.content_size
        self.refresh(layout=len(self._rows(width)) != height)  # another layout would make a key wait

    def render(self) -> Content:
        width, height = self.content_size
        return Content("\n").join(self._rows(width)[:height])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(self._rows(width))

    def _rows(self, width: int) -> list[Content]:
        """The rows of the way that is shown in so many columns."""
        most = self.styles.max_height or self.styles.height
        room = int(most.value) if most is not None and most.is_cells else 1
        rows: list[Content] = []
        for one in self._ways if width else ():
            rows = one.wrap(width)
            if len(rows) <= room:
                return rows
        return [*rows[: room - 1], *(one[: width - 1] + "…" for one in rows[room - 1 : room])]


class Head(FittingText):
    """The line at the top of a screen: its name, and more where there is room."""

    DEFAULT_CSS = "Head { height: 1; background: $panel; padding: 0 1; }"

    def __init__(self, title: str = "", *more: str | Content) -> None:
        super().__init__()
        self.update_with(title, *more)

    def update_with(self, title: str, *more: str | Content) -> None:
        """`more`: what else to show if there is room, the most words first."""
        head = Content.styled(title, HEAD)
        pieces = (Content.styled(one, DIM) if isinstance(one, str) else one for one in more if one)
        self.show(*(Content.assemble(head, "  ", one) for one in pieces), head)


class KeyBar(Widget):
    """`keys`: (key as shown, what it does, action), most wanted first; the last one, the way out, is always there. What
    does not fit is left to the help screen."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $panel; color: $text-muted; padding: 0 1; }
    """

    def __init__(self, keys: list[tuple[str, str, str]]) -> None:
        super().__init__()
        self.keys = keys

    def show(self, keys: list[tuple[str, str, str]]) -> None:
        if keys != self.keys:
            self.keys = keys
            self.refresh()

    def render(self) -> Content:
        room = self.size.width - sum(len(f"{key} {says}") for key, says, _ in self.keys[-1:])
        shown = []
        for key, says, action in self.keys[:-1]:
            room -= len(f"{key} {says}  ")
            if room < 0:
                break
            shown.append((key, says, action))
        return Content("  ").join(
            Content.assemble((key, "bold $text-accent"), f" {says}").stylize(Style.from_meta({"@click": action}))
            for key, says, action in (*shown, *self.keys[-1:])
        )
