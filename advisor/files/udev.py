"""udev(7) rules, as udevd parses them: rules that it drops, rules without an effect, and the attributes that rules set
for backing devices (bdi), among them the read_ahead_kb of a mount. Programs are not run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.records import Assignment, Assignments, JoinedLine, Slip, Span, Token
from advisor.named_tuple import NamedTuple

_TOKEN = re.compile(
    r'(?P<key>[A-Za-z_]+)(?:\{(?P<part>[^}]*)\})?[ \t]*(?P<sign>==|!=|\+=|-=|:=|=)[ \t]*(?P<mark>e|i)?"'
    r'(?P<value>(?:[^"\\]|\\.)*)"'
)
_GAP = re.compile(r"[ \t,]*")
_MATCH = ("==", "!=")
_ONLY_MATCHED = frozenset((
    "ACTION", "DEVPATH", "KERNEL", "KERNELS", "SUBSYSTEM", "SUBSYSTEMS", "DRIVER", "DRIVERS", "ATTRS", "CONST", "TEST",
    "RESULT", "TAGS", "PROGRAM", "IMPORT",
))
"""Keys without an effect of their own. PROGRAM and IMPORT match with any operator."""
_STRICT = _ONLY_MATCHED - {"PROGRAM", "IMPORT"}
"""Keys to which nothing can be assigned."""
_KEYS = _ONLY_MATCHED | frozenset((
    "NAME", "SYMLINK", "ENV", "TAG", "ATTR", "SYSCTL", "RUN", "OWNER", "GROUP", "MODE", "SECLABEL", "OPTIONS", "LABEL",
    "GOTO", "WAIT_FOR", "LAST_RULE",
))
_BRACED = frozenset(("ATTR", "ATTRS", "ENV", "SYSCTL", "CONST", "SECLABEL", "IMPORT"))
"""Keys that need a name in braces."""
_READ_AHEAD = "read_ahead_kb"
_EVENTS = ("add", "remove", "change", "move", "online", "offline", "bind", "unbind")
_DOLLAR = re.compile(r"(?<!\$)\$(?=[0-9(])")
_EXPANDED = re.compile(r"\([ \t]*[=!]=|-v[ \t]+\w+=(?:[ \t]|$)|'[ \t]*[=!]=")
"""The rest of an awk program after a shell has replaced its $4 and $kernel by nothing."""


class _UdevWord(NamedTuple):
    """KEY{part}sign"value". `at`: the place of the value."""

    key: str
    part: str
    sign: str
    value: str
    span: Span
    at: Span


class _UdevRule(NamedTuple):
    """`wrong`: what udev cannot read, and why."""

    words: list[_UdevWord]
    wrong: tuple[Span, str] | None

    def only(self, key: str) -> str | None:
        """The one plain value that this key has to have, if the rule asks for one."""
        values = [word.value for word in self.words if word.key == key and word.sign == "=="]
        return values[0] if len(values) == 1 and not set(values[0]) & set("*?[|") else None


def read_udev(text: str, name: str, kind: str) -> Assignments:
    """The attributes that rules set for backing devices; rules that udev drops, or that do not do what their author
    meant."""
    settings: list[Assignment] = []
    slips: list[Slip] = []
    jumps = False
    for line in _lines(text):
        rule = _rule(line)
        if rule.wrong is not None:
            slips.append(Slip("udev-rule-dropped", rule.wrong[0], words={"words": rule.wrong[1]}))
            continue
        jumps = jumps or any(word.key == "GOTO" for word in rule.words)
        slips += _slips(rule, jumps)
        subsystem = rule.only("SUBSYSTEM")
        for word in rule.words:
            filled = word.part == _READ_AHEAD and ("%" in word.value or "$" in word.value)
            ours = subsystem == "bdi" or (subsystem is None and word.part == _READ_AHEAD)
            if word.key == "ATTR" and word.sign not in _MATCH and ours and "/" not in word.part and not filled:
                begin = word.span.column + 5
                key = Token(word.part, Span(word.span.line, begin, begin + len(word.part)))
                settings.append(Assignment("", key, Token(word.value, word.at)))
    return Assignments(text, name, kind, tuple(settings), slips=tuple(slips))


def _slips(rule: _UdevRule, jumps: bool) -> Iterator[Slip]:
    """What a rule that udev accepts does not do, or does too often."""
    words = rule.words
    if words and all(word.key in _ONLY_MATCHED or (word.sign in _MATCH and word.key != "LABEL") for word in words):
        compared = next((word for word in words if word.key == "ATTR" and word.sign == "=="), None)
        if not any(word.key in ("PROGRAM", "IMPORT") for word in words) or compared is not None:
            shown = compared or words[-1]
            todo = "Remove the rule, or write what it is to do."
            if compared is not None:
                todo = f'Write ATTR{{{shown.part}}}="{shown.value}" to set it.'
            yield Slip("udev-rule-idle", shown.span, words={"todo": todo})
        return
    for word in words:
        events = [event.strip() for event in word.value.split("|")]
        comes = any(event in _EVENTS or set(event) & set("*?[$%") for event in events)
        if word.key == "ACTION" and word.sign == "==" and not comes:
            yield Slip("udev-no-event", word.span, words={"event": word.value, "events": ", ".join(_EVENTS)})
    sets = [w for w in words if w.key == "ATTR" and w.sign not in _MATCH and w.part == _READ_AHEAD]
    subsystem = rule.only("SUBSYSTEM")
    for word in sets:
        if subsystem not in (None, "bdi"):
            yield Slip("udev-attribute-elsewhere", word.span, words={"subsystem": str(subsystem)})
        elif not jumps and not any(map(_restricts_devices, words)):
            if word.value.isdigit():
                yield Slip("udev-every-device", word.span, words={"value": word.value})
        elif not any(w.key == "ACTION" for w in words) and not jumps:
            yield Slip("udev-without-action", words[0].span)
    for word in words:
        if sets and word.key == "PROGRAM":
            if "awk" in word.value and _EXPANDED.search(word.value):
                yield Slip("udev-shell-expanded", word.span)
            elif (dollar := _DOLLAR.search(word.value)) and "\\$" not in word.value:
                yield Slip("udev-dollar", word.span, words={"found": word.value[dollar.start():][:2]})


def _restricts_devices(word: _UdevWord) -> bool:
    """Whether a word restricts its rule to some devices of a subsystem."""
    if word.key in ("SUBSYSTEM", "ACTION", "SUBSYSTEMS"):
        return False
    if word.key in ("PROGRAM", "IMPORT"):
        return True
    if word.key in ("RESULT", "TEST", "KERNEL", "KERNELS", "DEVPATH"):
        return word.value not in ("*", "?*")
    return word.sign in _MATCH


def _rule(line: JoinedLine) -> _UdevRule:
    """The words of a rule, up to the first one that udev cannot read."""
    words: list[_UdevWord] = []
    at = 0
    while True:
        gap = _GAP.match(line.text, at)
        at = gap.end() if gap else at
        if at >= len(line.text):
            return _UdevRule(words, None)
        match = _TOKEN.match(line.text, at)
        if match is None:
            return _UdevRule(words, (line.span(at, len(line.text.rstrip())), _why_unreadable(line.text[at:])))
        span, value = line.span(*match.span()), line.span(*match.span("value"))
        word = _UdevWord(match["key"], match["part"] or "", match["sign"], match["value"], span, value)
        wrong = _why_misused(word, match["part"] is not None)
        if wrong:
            return _UdevRule(words, (span, wrong))
        words.append(word)
        at = match.end()


def _why_misused(word: _UdevWord, braces: bool) -> str | None:
    """What is wrong with a key or its operator."""
    if word.key not in _KEYS:
        similar = (key for key in sorted(_KEYS) if key == word.key.upper() or _is_one_letter_off(key, word.key))
        near = next(similar, None)
        return f"there is no key {word.key}" + (f" (did you mean {near}?)" if near else "")
    if word.key in _BRACED and not braces:
        return f"{word.key} needs a name in braces, as in {word.key}{{name}}"
    if word.key in _STRICT and word.sign not in _MATCH:
        return f"{word.key} can only be compared; write {word.key}==\"{word.value}\""
    return None


def _is_one_letter_off(key: str, word: str) -> bool:
    """Whether one letter is missing, added or changed."""
    short, long = sorted((key, word), key=len)
    same = next((at for at, (a, b) in enumerate(zip(short, long)) if a != b), len(short))
    return short[same:] == long[same + 1:] if len(short) < len(long) else short[same + 1:] == long[same + 1:]


def _why_unreadable(rest: str) -> str:
    if rest.startswith("#"):
        return "a comment has to be on its own line"
    if any(sign in rest for sign in "“”„«»"):
        return "the quotation marks are typographic; write straight ones"
    word = rest.split(maxsplit=1)[0].rstrip(",")
    if "(" in word.partition("=")[0]:
        return f"in {word}, the name of an attribute has to be in braces, as in ATTR{{name}}"
    if "'" in word:
        return f"in {word}, the value needs double quotation marks"
    if word.count('"') == 1:
        return "the quotation mark is never closed"
    if "=" in word and '"' not in word:
        return f"in {word}, the value has no quotation marks"
    return f"{word} is not KEY==\"value\" or KEY=\"value\""


def _lines(text: str) -> Iterator[JoinedLine]:
    """Each rule with the lines that continue it. A comment between them does not end it."""
    begun: list[tuple[int, int, str]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if line.startswith("#"):
            continue
        more = line.endswith("\\")
        if line.rstrip("\\").strip():
            begun.append((number, len(raw) - len(raw.lstrip()) + 1, line[:-1] if more else line))
        if not more and begun:
            yield JoinedLine(begun)
            begun = []
    if begun:
        yield JoinedLine(begun)
