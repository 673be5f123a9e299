"""Completion of names of settings and of their values."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import CompletionItem, CompletionItemKind, Range, TextEdit

from advisor.lsp.cursor import SpelledSetting, cursor, is_useful, vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lsprotocol.types import Position

    from advisor.lsp.cursor import Cursor
    from advisor.lsp.positions import Positions
    from advisor.rulebase.model import RuleBase, Tunable


def completion(base: RuleBase, positions: Positions, kind: str, where: Position) -> list[CompletionItem]:
    """All completions at a position; the editor filters them by the text that is typed already."""
    at = cursor(kind, positions.text, positions.offset(where))
    if at is None:
        return []
    place = Range(positions.position(at.start), positions.position(at.end))
    if at.name is not None:
        sort, texts = CompletionItemKind.Value, [*_values(base, kind, at)]
    else:
        sort, texts = CompletionItemKind.Property, [*_names(base, kind, at, positions.text[at.end : at.end + 1])]
        texts.sort(key=lambda entry: entry[0])
    return [
        CompletionItem(
            text, kind=sort, detail=f"{detail.title} ({detail.vendor})" if detail.vendor else detail.title,
            documentation=note, sort_text=f"{number:04}", text_edit=TextEdit(place, text),
        )
        for number, (text, detail, note) in enumerate(texts)
    ]


def _names(base: RuleBase, kind: str, at: Cursor, behind: str) -> Iterator[tuple[str, Tunable, str | None]]:
    """Each name once; an option that needs a value, with its equals sign."""
    seen = set()
    for setting in vocabulary(base, kind, at):
        equals = "=" if setting.takes and at.store != "setting" and behind != "=" else ""
        text = f"{setting.spelling}{equals}"
        if "*" not in text and text not in seen and is_useful(setting.tunable):
            seen.add(text)
            yield text, setting.tunable, setting.tunable.about


def _values(base: RuleBase, kind: str, at: Cursor) -> Iterator[tuple[str, Tunable, str | None]]:
    """The values of the setting that can be listed, else its default if it is a number."""
    seen = set()
    for setting in vocabulary(base, kind, at):
        if setting.spelling.lower() != (at.name or "").lower():
            continue
        for value in _listed(setting):
            if value not in seen:
                seen.add(value)
                yield value, setting.tunable, setting.tunable.value_notes.get(value)


def _listed(setting: SpelledSetting) -> list[str]:
    if setting.values:
        return [str(value) for value in setting.values]
    default = setting.tunable.default
    return [str(default)] if type(default) is int else []
