"""The steps to apply, check and undo a setting: texts of the rule base, filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.advice.answers import Answers, Before
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Tunable, Value
from advisor.rulebase.values import in_words, is_bound, name, same, spell

_FIELD = re.compile(r"\{([a-z]+)(?: - ([0-9]{1,6}))?\}")
_CHECK = ("shows", "lacks")
_TEXTS = ("sets", "verify", *_CHECK, "undo", "undo_to", "undo_unset", "undo_same")
_SPELLED = ("mount-option", "export-option")


class Steps(NamedTuple):
    """Texts with commands and lines to write; "" for none. `before`: what was there, if it was looked up. `verify`:
    what to run or where to look; `shows`, `lacks`: what it shows afterwards ("8"), or no longer shows."""

    before: str = ""
    apply: str = ""
    verify: str = ""
    shows: str = ""
    lacks: str = ""
    undo: str = ""

    @property
    def seen(self) -> str:
        """The expected result in words: "shows 8"."""
        return f"shows {self.shows}" if self.shows else f"does not show {self.lacks}" if self.lacks else ""

    @property
    def check(self) -> str:
        """The check as a sentence."""
        return f"{self.verify} {self.seen}".strip()


def steps_for(base: RuleBase, tunable: Tunable, value: Value, written: Value, answers: Answers) -> Steps:
    """The steps for a settled value: `value` as the rule has it, `written` as it is written (None for nothing)."""
    if value in ("keep", "n/a"):
        return Steps()
    known = answers.before.get(tunable.id)
    words = _placeholders(tunable, written, answers, known)
    if written is None and value != "omit":
        inside = in_words(value) if is_bound(value) else str(value)
        return Steps("", f"Nothing to write: {inside} is already in effect.")
    texts = texts_for(base, tunable, "omit" if written is None else _key(written))
    other = answers.before.get(tunable.other_unit or "")
    if known is not None and known.value == 0 and other is not None:  # it is off: the other unit counts
        words |= {"name": (tunable.other_unit or "").partition(".")[2], "before": str(other.value)}
    wanted = (*(texts.get(word, "") for word in ("sets", "verify", *_CHECK)), _undo(texts, known, written))
    return Steps(_before(known, written, tunable, texts), *(fill_in(text, words) for text in wanted))


def texts_for(base: RuleBase, tunable: Tunable, value: str | None = None) -> dict[str, str]:
    """The texts of a tunable over those of its kind; those for the value (as text, or "omit") over those for any."""
    kind = base.kinds.get(tunable.kind)
    of_kind = () if kind is None else (kind,)
    single = [part.by_value[value] for part in (*of_kind, tunable) if value in part.by_value]
    by_word: dict[str, str] = {}
    for part in (*of_kind, tunable, *single):
        texts = {word: text for word in _TEXTS if (text := getattr(part, word)) is not None}
        if any(word in texts for word in _CHECK):
            by_word = {word: text for word, text in by_word.items() if word not in _CHECK}
        by_word |= texts
    return by_word


def general_steps(base: RuleBase, tunable: Tunable) -> Steps:
    """The steps without a value: capitals stand for it, and for what was there."""
    texts = texts_for(base, tunable)
    words = {**_places(tunable), "value": "VALUE", "text": "OPTION", "target": "MOUNTPOINT", "server": "SERVER",
             "export": "EXPORT", "clients": "CLIENTS"}
    if tunable.forms:
        form = tunable.forms[0]
        words["text"] = f"{form.spelling}{'=VALUE' if form.takes else ''}"
    single = {value: texts_for(base, tunable, value) for value in tunable.by_value if "sets" not in texts}
    apply, check, undo = (
        "\n".join(f"{value}: {fill_in(part(own_texts), words)}" for value, own_texts in single.items())
        or fill_in(part(texts), words)
        for part in (lambda texts: texts.get("sets", ""), _check, lambda texts: texts.get("undo", ""))
    )
    return Steps(apply=apply, verify=check, undo=undo)


def _placeholders(names: Tunable, written: Value, answers: Answers, known: Before | None) -> dict[str, str]:
    """What replaces the names in braces."""
    spelled = names.kind in _SPELLED and written is not None
    default = names.default
    return {
        **_places(names),
        "value": value_text(names, written),
        "text": spell(names, written) if spelled else value_text(names, written),
        "unset": spell(names, default) if names.kind in _SPELLED and default is not None else str(default),
        "before": "" if known is None or known.value is None else as_written(names, known.value),
        **{which: answers.name(which) for which in ("server", "export", "target", "clients")},
    }


def fill_in(text: str, words: Mapping[str, str]) -> str:
    """The text with its known names in braces replaced."""

    def put(match: re.Match[str]) -> str:
        word = words.get(match[1])
        if word is None or not match[2]:
            return match[0] if word is None else word
        return str(int(word) - int(match[2])) if word.isdecimal() else f"({word} - {match[2]})"

    return _FIELD.sub(put, text)


def value_text(tunable: Tunable, value: object) -> str:
    """A value as people and files write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value)
    if tunable.type == "version" and text.startswith(">="):
        return f"{text[2:].strip()} or later"
    return text


def _places(tunable: Tunable) -> dict[str, str]:
    """The parts of a tunable's name."""
    own = tunable.id.partition(".")[2]
    first, _, last = own.partition(".")
    words = {"name": name(tunable) if tunable.forms else own, "module": first, "parameter": last}
    if tunable.id.startswith(f"{tunable.kind}."):
        words["section"], _, words["key"] = tunable.id[len(tunable.kind) + 1 :].partition(".")
    return words


def _key(written: Value) -> str:
    return str(written).lower() if isinstance(written, bool) else str(written)


def _check(texts: Mapping[str, str]) -> str:
    return Steps(**{word: texts.get(word, "") for word in ("verify", *_CHECK)}).check


def as_written(tunable: Tunable, value: Value) -> str:
    """A value of the host as its file has it."""
    return spell(tunable, value) if tunable.kind in _SPELLED else value_text(tunable, value)


def _before(known: Before | None, written: Value, tunable: Tunable, texts: Mapping[str, str]) -> str:
    if known is not None:
        if known.value is None:
            return f"not set ({known.where})"
        already = ", as recommended" if written is not None and same(known.value, written) else ""
        return f"{as_written(tunable, known.value)}{already} ({known.where})"
    default = tunable.default
    if written is not None and default is not None and same(written, default):
        return "not checked; this is the default, so there is something to do only if it was changed"
    return "not checked; use --from-host" if "undo_to" in texts else "not checked"


def _undo(texts: Mapping[str, str], known: Before | None, written: Value) -> str:
    usual = texts.get("undo", "")
    if known is None:
        return usual
    if known.value is None:
        return texts.get("undo_unset", usual)
    same_now = written is not None and same(known.value, written)
    return texts.get("undo_same" if same_now else "undo_to", usual)
