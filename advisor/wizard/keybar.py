"""The line of keys at the bottom. Each key can be clicked."""

from __future__ import annotations

from textual.content import Content
from textual.style import Style
from textual.widget import Widget


class KeyBar(Widget):
    """`keys`: (key as shown, what it does, action), most wanted first; what does not fit is left to the help screen."""

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
        room = self.size.width
        parts: list[Content] = []
        for key, says, action in self.keys:
            text = f"{key} {says}"
            if len(text) > room:
                break
            room -= len(text) + 2
            link = Style.from_meta({"@click": action})
            parts.append(Content.assemble((key, "bold $text-accent"), f" {says}  ").stylize(link))
        return Content("").join(parts)
