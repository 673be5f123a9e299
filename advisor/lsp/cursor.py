"""What an editor asks about the cursor: completions, and hover texts, which are pages of `advisor explain`. To find
the option, key or value there, the file is read with a probe, a word that no file has, instead of the word."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import CompletionItem, CompletionItemKind, Hover, MarkupContent, MarkupKind, Range, TextEdit

from advisor.files import kinds
from advisor.files.exports import read as read_exports
from advisor.files.fstab import read as read_fstab
from advisor.files.settings_grammar import SettingsGrammar
from advisor.named_tuple import NamedTuple
from advisor.pages.kb import pages_by_name
from advisor.pages.markdown import markdown
from advisor.pages.rule_pages import summary_page
from advisor.rulebase.values import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lsprotocol.types import Position

    from advisor.lsp.diagnostics import JudgedText, Positions
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar

PROBE = "advisorprobe"
RULE = "\n---\n\n"
"""Markdown's line between two pages."""
_AROUND = frozenset(",:=()[]{}\"'#;")
"""What separates words, besides spaces."""


class Cursor(NamedTuple):
    """The word at the cursor. `start`, `end`: its offsets. `store`: "mount-option", "export-option", or "setting" in
    files of `name = value`. `section`: of a setting; for a mount option, the type of the mount. `name`: the option or
    key that the word is a value of, None if the word is a name."""

    start: int
    end: int
    word: str
    store: str
    section: str = ""
    name: str | None = None


def cursor(kind: str, text: str, offset: int) -> Cursor | None:
    """The word at an offset of a file; None if it is neither an option, a key nor a value."""
    start = end = offset
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    # An unfinished line may lack the equals sign or the semicolon of an assignment.
    for word in (PROBE, f"{PROBE}=x", f"{PROBE}=x;"):
        place = _find(kind, f"{text[:start]}{word}{text[end:]}")
        if place is not None:
            store, section, name = place
            return Cursor(start, end, text[start:end], store, section, name)
    return None


def _in_word(sign: str) -> bool:
    return sign not in _AROUND and not sign.isspace()


def _find(kind: str, text: str) -> tuple[str, str, str | None] | None:
    """The store and section of the probe, and the name before it."""
    for store, options in (
        ("mount-option", _mount_options(kind, text)), ("export-option", _export_options(kind, text)),
    ):
        for fstype, option in options:
            if PROBE in option:
                name, equals, _ = option.partition("=")
                return store, fstype, None if PROBE in name or not equals else name
    for assignment in kinds.read_settings(kind, text, "").settings if kind in kinds.SETTINGS else ():
        if PROBE in assignment.key.text:
            return "setting", assignment.section, None
        if PROBE in assignment.value.text:
            return "setting", assignment.section, assignment.key.text
    return None


def _mount_options(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """The type and the text of each option."""
    if kind == "fstab":
        for entry in read_fstab(text, "").entries:
            if PROBE in entry.options.value:
                yield from ((entry.fstype.value, option) for option in entry.options.value.split(","))
    elif kind in kinds.MOUNTS:
        for mount in kinds.read_mounts(kind, text, "").mounts:
            yield from ((mount.fstype.value, part.text) for part in mount.options.parts)


def _export_options(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "exports":
        for export in read_exports(text):
            yield from (("", part.text) for part in export.options.parts)


class SpelledSetting(NamedTuple):
    """One spelling of a setting. `takes`: whether a value follows; `values`: those that can be listed."""

    spelling: str
    tunable: Tunable
    takes: bool
    values: tuple[Scalar, ...] = ()


def vocabulary(base: RuleBase, kind: str, at: Cursor) -> Iterator[SpelledSetting]:
    """Every name that may be at the cursor, or before the value at the cursor."""
    if at.store == "setting":
        for name in base.ready(SettingsGrammar, kind).names(at.section):
            yield SpelledSetting(name.key, name.tunable, True, tuple(name.tunable.values or ()))
        return
    for tunable in base.tunables.values():
        if tunable.kind == at.store and (at.store != "mount-option" or _is_known(tunable, at.section)):
            for form in tunable.forms:
                words = tuple(form.values or tunable.values or ()) if form.takes else ()
                yield SpelledSetting(form.spelling, tunable, form.takes is not None, words)


def settings_at(base: RuleBase, kind: str, at: Cursor) -> list[Tunable]:
    """The settings that the word at the cursor names, or is a value of."""
    name = at.word if at.name is None else at.name
    tunables = [setting.tunable for setting in vocabulary(base, kind, at) if _matches(setting.spelling, name)]
    return list({tunable.id: tunable for tunable in tunables}.values())


def is_useful(tunable: Tunable) -> bool:
    """Whether a setting has any effect: it is not always refused or ignored."""
    return not any(
        verdict.values is None and verdict.written is None and verdict.when is None and not verdict.together
        for verdict in (*tunable.refused, *tunable.ignored)
    )


def _is_known(tunable: Tunable, fstype: str) -> bool:
    """Whether mounts of this type have the option; mounts by helpers have all of COMMON."""
    return not tunable.applies_to or COMMON in tunable.applies_to or fstype in tunable.applies_to


def _matches(spelling: str, name: str) -> bool:
    if spelling.endswith("*") and spelling != "*":
        return name.startswith(spelling[:-1])
    return spelling.lower() == name.lower()


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


def hover(base: RuleBase, positions: Positions, judged: JudgedText, where: Position) -> Hover | None:
    """The pages of the rules with findings at a position, and of the setting there; None if there are neither."""
    offset = positions.offset(where)
    names = []
    for f in judged.findings:
        at = positions.span(f.line, f.column, f.end_column)
        if positions.offset(at.start) <= offset < positions.offset(at.end):
            names.append(f.rule)
    known = pages_by_name(base) if names else {}
    lines = [markdown(page.make()) for name in dict.fromkeys(names) for page in known.get(name, ())]
    word = cursor(judged.kind, positions.text, offset) if judged.kind else None
    if word is not None:
        lines += [markdown(summary_page(base, tunable)) for tunable in settings_at(base, judged.kind or "", word)]
    return Hover(MarkupContent(MarkupKind.Markdown, RULE.join(lines))) if lines else None
