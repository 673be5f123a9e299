"""The lines at the top and at the bottom of a screen: its name and its keys, shortened to fit the terminal."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from advisor.pages.screen import DIM, HEAD


class FittingText(Widget):
    """Shows the first of several wordings that fits; if none fits, the last one, cut with an ellipsis."""

    DEFAULT_CSS = "FittingText { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._wordings: tuple[Content, ...] = ()

    def show(self, *wordings: Content) -> None:
        """`wordings`: the longest first."""
        before = self._wordings
        if len(wordings) == len(before) and all(wording.is_same(other) for wording, other in zip(wordings, before)):
            return
        self._wordings = wordings
        width, height = self.content_size
        self.refresh(layout=len(self._rows(width)) != height)  # a needless layout would delay the next key

    def render(self) -> Content:
        width, height = self.content_size
        return Content("\n").join(self._rows(width)[:height])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(self._rows(width))

    def _rows(self, width: int) -> list[Content]:
        """The rows of the wording that is shown in `width` columns."""
        most = self.styles.max_height or self.styles.height
        room = int(most.value) if most is not None and most.is_cells else 1
        rows: list[Content] = []
        for wording in self._wordings if width else ():
            rows = wording.wrap(width)
            if len(rows) <= room:
                return rows
        return [*rows[: room - 1], *(row[: width - 1] + "…" for row in rows[room - 1 : room])]


class Head(FittingText):
    """The line at the top of a screen: its name, and details if there is room."""

    DEFAULT_CSS = "Head { height: 1; background: $panel; padding: 0 1; }"

    def __init__(self, title: str = "", *more: str | Content) -> None:
        super().__init__()
        self.update_with(title, *more)

    def update_with(self, title: str, *more: str | Content) -> None:
        """`more`: wordings of the details, the longest first."""
        head = Content.styled(title, HEAD)
        pieces = (Content.styled(wording, DIM) if isinstance(wording, str) else wording for wording in more if wording)
        self.show(*(Content.assemble(head, "  ", piece) for piece in pieces), head)


class KeyBar(Widget):
    """`keys`: (key as shown, label, action), the most useful first. Those that do not fit are only on the help screen,
    except the last, which leaves the screen and is always shown."""

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
