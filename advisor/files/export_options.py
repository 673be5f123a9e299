"""The options of an export as exportfs reads them: what each sets, for which security flavours, and at which exportfs
stops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from advisor.files.exports import UUID_DIGITS, Export, file_system, read, strtoul
from advisor.files.placeholders import has_markup
from advisor.files.records import Field
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Form, RuleBase, Tunable, Value

LONGEST = 40
"""Letters of the longest word for which a similar option is searched: the search is slow."""
SEC = "exports.sec"
BY_FLAVOUR = ("exports.rw", "exports.root_squash", "exports.all_squash")
"""Tunables that may differ from one security flavour to the next, if they follow its `sec=`; no others do, `insecure`
neither."""
OF_A_FLAVOUR = (SEC, *BY_FLAVOUR)
_MOST_LISTS = 1000
"""Lists of options that are remembered; exports of one file have few different ones."""


class OptionWord(NamedTuple):
    """One option. `start`: its offset in the list. `tunable`: what it sets, "" if exportfs does not know it, or if it
    is a placeholder. `value`: with those of earlier words, if they add up. `wrong`: why exportfs stops here, for
    people."""

    text: str
    start: int
    tunable: str
    value: Value
    wrong: str | None = None

    @property
    def name(self) -> str:
        return self.text.partition("=")[0]


class ExportOptions(NamedTuple):
    """The options of one export. `words`: exportfs stops at the first that is wrong; others that are wrong count as
    placeholders. `written`: tunable → the last word that sets it. `values`: tunable → value in effect, flags at their
    defaults among them; of BY_FLAVOUR as the last word says. `flavours`: in the order in which the server offers them,
    each with its values of BY_FLAVOUR. `is_whole`: each word is an option. `several_flavours`: `sec=` is written more
    than once, so that flavours may have options of their own."""

    words: tuple[OptionWord, ...]
    written: Mapping[str, OptionWord]
    values: Mapping[str, Value]
    flavours: Mapping[str, Mapping[str, Value]]
    is_whole: bool
    several_flavours: bool

    @property
    def wrong(self) -> str | None:
        """Why exportfs stops at a word; None if it does not."""
        return next((word.wrong for word in self.words if word.wrong), None)


class ExportGrammar:
    """The options that exportfs knows; `RuleBase.ready` keeps one. `forms`: spelling, with the equals sign if a value
    follows → tunable and form."""

    def __init__(self, base: RuleBase) -> None:
        self.tunables: dict[str, Tunable] = {
            name: tunable for name, tunable in base.of_kinds("export-option").items() if tunable.forms
        }
        self.forms: dict[str, tuple[str, Form]] = {
            f"{form.spelling}=" if form.takes else form.spelling: (name, form)
            for name, tunable in self.tunables.items() for form in tunable.forms
        }
        self._defaults = {tunable: self.tunables[tunable].default for tunable, form in self.forms.values()
                          if form.takes is None}
        self._read: dict[tuple[str, ...], ExportOptions] = {}

    def read(self, options: Field) -> ExportOptions:
        words = tuple(part.text for part in options.parts)
        read = self._read.get(words)
        if read is None:
            if len(self._read) >= _MOST_LISTS:
                self._read.clear()
            read = self._read[words] = self._options(words)
        return read

    def _options(self, texts: Sequence[str]) -> ExportOptions:
        words: list[OptionWord] = []
        written: dict[str, OptionWord] = {}
        values = dict(self._defaults)
        flavours: dict[str, dict[str, Value]] = {}
        active: list[str] = []
        own = {name: values[name] for name in BY_FLAVOUR if name in values}
        start, reexported, stops = 0, False, False
        for number, text in enumerate(texts):
            at, start = start, start + len(text) + 1
            if not text and number == len(texts) - 1:
                continue
            tunable, value, wrong = self.option(text)
            wrong = wrong or misplaced(reexported, text)
            if has_markup(text) or (stops and wrong is not None):
                words.append(OptionWord(text, at, "", None))
                continue
            reexported = reexported or text.startswith("reexport=")
            if wrong is None and self.tunables[tunable].repeat == "adds":
                before = str(written[tunable].value).split(":") if tunable in written else ()
                given = {*before, *str(value).split(":")}
                value = ":".join(str(word) for word in self.tunables[tunable].values or () if word in given)
            word = OptionWord(text, at, tunable, value, wrong)
            words.append(word)
            if wrong is not None:
                stops = True
                continue
            written[tunable], values[tunable] = word, word.value
            if tunable == SEC:
                synonyms = self.tunables[SEC].synonyms
                active = [str(synonyms.get(flavour, flavour)) for flavour in str(value).split(":")]
                for flavour in active:
                    flavours.setdefault(flavour, dict(own))
            elif tunable in BY_FLAVOUR:
                for each in (own, *(flavours[flavour] for flavour in active)):
                    each[tunable] = word.value
        values.setdefault(SEC, "sys")
        return ExportOptions(
            tuple(words), written, values, flavours or {"sys": own}, not (stops or any(map(has_markup, texts))),
            sum(word.text.startswith("sec=") for word in words) > 1,
        )

    def option(self, text: str) -> tuple[str, Value, str | None]:
        """The tunable that an option sets, "" if unknown; its value; and what is wrong with it in words, or None."""
        name, equals, value = text.partition("=")
        tunable, form = self.forms.get(name + equals, ("", None))
        if form is None:
            near = get_close_matches(name, self.forms, 1) if 0 < len(name) <= LONGEST else []
            hint = f" (did you mean {near[0]}?)" if near and near[0] != name else ""
            return "", None, f"{text} is not an export option{hint}" if text else "an empty option between two commas"
        if not form.takes:
            return tunable, form.means, None
        definition = self.tunables[tunable]
        if definition.type == "int" and not re.fullmatch(r"[+-]?[0-9]+", value):
            return tunable, None, f"{text}: {name} takes a number, not a name"
        if definition.type in ("enum", "list"):
            items = value.split(":") if definition.type == "list" else [value]
            unknown = [item for item in items if item not in (definition.values or ())]
            if unknown:
                taken = ", ".join(map(str, definition.values or ()))
                return tunable, None, f"{text}: {name} takes {taken}, not {unknown[0]}"
        if name == "fsid" and file_system(value) is None:
            return tunable, None, f"{text}: fsid takes root, a number or a UUID"
        return tunable, int(value) if definition.type == "int" else value, None

    def spelling(self, tunable: str, value: Value) -> str:
        """The option that gives a tunable this value."""
        forms = self.tunables[tunable].forms
        return next((form.spelling for form in forms if form.means == value), "")

    def default(self, tunable: str) -> str:
        """The option that would set a tunable to its default; "" if there is none."""
        definition = self.tunables[tunable]
        for form in definition.forms if definition.default is not None else ():
            if form.takes is None and form.means == definition.default:
                return form.spelling
            if form.takes == "value" and definition.default != "none":
                return f"{form.spelling}={definition.default}"
        return ""


def misplaced(reexported: bool, text: str) -> str | None:
    """Why an option must not follow `reexport=` in its list, if that came before; None if it may."""
    if not reexported or not text.startswith(("fsid=", "reexport=")):
        return None
    if text.startswith("fsid="):
        return f"{text}: fsid= must stand before reexport="
    return f"{text}: only one reexport= is allowed"


def wrapped_number(word: OptionWord) -> str | None:
    """What becomes of a number that is too large, in words (exportfs keeps its lowest 32 bits); None for others."""
    name, _, value = word.text.partition("=")
    whole = strtoul(value) if name in ("fsid", "anonuid", "anongid") else None
    if whole is None:
        return None
    whole = whole if name == "fsid" else int(value)
    if -(1 << 31) <= whole < 1 << 32:
        return None
    if name == "fsid" and len(value) == UUID_DIGITS and value.isdigit():
        return f"{word.text}: 32 digits without a letter are a number, not a UUID, and become fsid=4294967295"
    kept = f" and becomes {name}={whole & 0xFFFFFFFF}" if 0 < whole < 1 << 64 else ""
    return f"{word.text} is too large{kept}"


class FullOptions(NamedTuple):
    """The options of an export: those in effect, those that a later one overrides (`idle`), and the defaults."""

    written: tuple[str, ...]
    idle: tuple[str, ...]
    defaults: tuple[str, ...]


def each_in_full(base: RuleBase, source: str) -> Iterator[tuple[str, str, FullOptions | str]]:
    """Path, client and full options of every export of a text; a message instead of options that are not known."""
    grammar = base.ready(ExportGrammar)
    for export in read(source):
        if not export.path.text:
            continue
        reason: FullOptions | str | None = None
        if export.bad is not None:
            reason = f"cannot be read: {export.bad}"
        elif not has_markup(export.options.text):
            reason = in_full(grammar, export)
        reason = reason or "the options hold a word that stands for others, or that exportfs does not know"
        yield export.path.text, export.client.text, reason


def in_full(grammar: ExportGrammar, export: Export) -> FullOptions | None:
    """The options in force for a client; None if a word is not an option."""
    options = grammar.read(export.options)
    if options.wrong is not None:
        return None
    last: dict[str, OptionWord] = {}
    group = ""
    for word in options.words:
        if word.tunable == SEC:
            group = word.text  # the following options apply to these flavours
        adds = grammar.tunables[word.tunable].repeat == "adds"
        scope = word.text if adds else group if word.tunable in OF_A_FLAVOUR else ""
        last[f"{word.tunable} {scope}"] = word
    counting = {word.start for word in last.values()}
    defaults = (grammar.default(tunable) for tunable in grammar.tunables if tunable not in options.written)
    return FullOptions(
        tuple(word.text for word in options.words if word.start in counting),
        tuple(word.text for word in options.words if word.start not in counting), tuple(filter(None, defaults)),
    )
