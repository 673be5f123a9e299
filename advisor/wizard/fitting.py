"""A text in as many words as there is room for, also after the terminal was resized."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from advisor.document.screen import DIM, HEAD


class Fitting(Widget):
    """The same text in fewer and fewer words: the first that fits is shown, else the last, and "…" where it is cut."""

    DEFAULT_CSS = "Fitting { height: 1; }"

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


class Head(Fitting):
    """The line at the top of a screen: its name, and more where there is room."""

    DEFAULT_CSS = "Head { height: 1; background: $panel; padding: 0 1; }"

    def __init__(self, title: str = "", *more: str | Content) -> None:
        super().__init__()
        self.update_with(title, *more)

    def update_with(self, title: str, *more: str | Content) -> None:
        """`more`: what else could stand there, the most words first."""
        head = Content.styled(title, HEAD)
        pieces = (Content.styled(one, DIM) if isinstance(one, str) else one for one in more if one)
        self.show(*(Content.assemble(head, "  ", one) for one in pieces), head)
