"""Placeholders: text of a template that something will replace before the file is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.regex import regex

_MAY_BE = regex(r"[${<%@`#]|(?i:your|change|replace|update|insert)|_HERE")
"""Every placeholder has one of these."""
_OF_TEMPLATES = (
    r"""(?x)
      \{\{ | \{% | <%             # Jinja, Helm, ERB
    | <[^<>]+>                    # <server>
    | %\([A-Za-z_]+\)s            # %(name)s
    | %[A-Za-z_]{2,}%             # %NAME%
    | @[A-Z_]{2,}@                # @NAME@
    | @(?:runtime|config)\b       # what Manila fills in
    | \#[A-Z_]{3,}(?::\w+)*\#      # what xCAT does: #TABLE:site:key#
    | `[^`]+`                     # `command`
    | \b(?:YOUR[_-][A-Z]|your[_-][a-z])  # YOUR_SERVER
    | \b(?i:change|replace|update|insert)[_-]?(?i:me|this)\b | [A-Z]_HERE\b  # CHANGEME
    """
)
_MARKUP = _OF_TEMPLATES + (
    r"""
    | \$[A-Za-z0-9_{(]            # $NAME, ${NAME}, $(command), $1
    | \{[A-Za-z_][^{}]*\}         # {name}
    | (?<![0-9A-Za-z])%s(?![0-9A-Za-z])
    """
)
_WHOLE = (
    r"""(?x)
      \$\{[^{}\n]*\} | \$\(\([^()\n]*\)\) | \$\([^()\n]*\)   # ${NAME:-a b}, $((a + b)), $(command -x)
    | \{\{[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*){0,4}\}\} | \{%[^{}\n]*%\} | <%[^<>\n]*%>
    | \{[A-Za-z_][^{}\n]*\}           # {the name}
    | <[^<>\n]+>                      # <the server>
    | `[^`\n]*` | \#[A-Z_]{3,}(?::\w+)*\#
    """
)

_COMMENTS = ((regex(r"(?<!\$)\{#"), "#}"), (regex(r"\{\{-? ?/\*"), "*/"))
"""How comments of Jinja and of Go begin and end."""
_LINE = regex(r"(?m)^[ \t]*(?=\{%|<%|%\{|\{\{)")
"""The beginning of a line that may have only statements."""
_STANDS_FOR_TEXT = regex(
    r"\{%[+-]? ?(?:include|call|block|macro|extends)|<%="
    r"|\{\{(?!-?[ \t]{0,9}(?:(?:if|else|end|range|with|define|break|continue|file|nobackup|abort)\b|\$\w{1,60} :?=))"
)
_CONDITION = regex(r"(?:\{%|<%|%\{|\{\{)[-+~]?[ \t]{0,9}(?:if|unless|case|when|el(?:se?)?if|else)\b")
_CLOSE = {"{%": "%}", "<%": "%>", "%{": "}", "{{": "}}"}
"""How statements of Jinja, ERB, Terraform, and Go begin and end."""
_LONGEST = 1000
"""Characters of a statement."""


def without_statements(text: str) -> str:
    """The text of a template without its comments, without lines that are only statements, and without the prompts of a
    pasted terminal. Such lines become empty, so that others keep their number, and what is left its columns. Statements
    that stand for text stay."""
    for begin, close in _COMMENTS:
        if close in text:
            text = _without_comments(text, begin, close)
    if "%" in text or "{{" in text:
        kept, done = [], 0
        for line in _LINE.finditer(text):
            end = _end_of_statements(text, line.end()) if line.start() >= done else -1
            if end >= 0:
                kept += [text[done : line.start()], "\n" * text.count("\n", line.start(), end)]
                done = end
        text = "".join(kept) + text[done:]
    if "$ " in text or "@" in text or "# cat" in text:
        text = re.sub(_PROMPT, "", text)
    return text


_OF_LINES = regex(r"\{\{[^{}\n]*\n[^{}]*\}\}[^\n]*")
"""An expression of several lines, to the end of the last."""


def plain_lines(text: str) -> str:
    """The text of a template as what reads line by line needs it: besides, an expression of several lines is one gap,
    which ends the first of them."""
    text = without_statements(text)
    if "{{" in text:
        text = _OF_LINES.sub(lambda gap: "{{_}}" + "\n" * gap[0].count("\n"), text)
    return joined(text)


def has_conditions(text: str) -> bool:
    """Whether some lines of a template may be left out, so that two of them need not stand in the same file."""
    return _CONDITION.search(text) is not None


def _without_comments(text: str, begin: re.Pattern[str], close: str) -> str:
    kept, done = [], 0
    while (comment := begin.search(text, done)) is not None:
        end = text.find(close, comment.end())
        if end < 0:
            break
        if close == "*/":
            end = text.find("}}", end)
        end = len(text) if end < 0 else end + 2
        kept += [text[done : comment.start()], re.sub(r"[^\n]", " ", text[comment.start() : end])]
        done = end
    return re.sub(r"(?m)^[ \t]+$", "", "".join(kept) + text[done:]) if kept else text


def _end_of_statements(text: str, at: int) -> int:
    """Where the line ends that a row of statements fills; -1 if something else is in it."""
    begin = at
    while True:
        close = _CLOSE.get(text[at : at + 2])
        end = -1 if close is None or _STANDS_FOR_TEXT.match(text, at) else text.find(close, at + 2, at + _LONGEST)
        if close is None or end < 0 or (close == "}" and "\n" in text[at:end]):
            return -1
        at = end + len(close)
        while text[at : at + 1] in (" ", "\t", "\r"):
            at += 1
        if text[at : at + 1] in ("", "\n"):
            return at
        if text.startswith("{{-", begin):  # what follows goes on with the line before
            at = text.find("\n", at)
            return at if at >= 0 else len(text)


_PROMPT = (
    r"""(?mx)
      ^ \#\ cat\ (?P<shown>/\S+) [ \t]* $
    | ^ (?: \[?[\w.-]{1,60}@[\w.-]{1,60}[^\n\#$%>]{0,80}[\#$%>] | [$%] )
      [ ]? (?: $ | (?:sudo\ )? (?:(?:cat|less|more|head|tail)(?:\ -[\w=]{1,20}){0,3}\ (?P<path>/\S+)(?:[\ \t][^\n]*)?$
        | (?:cat|grep|mount|findmnt|nfsstat|exportfs|sysctl|vim?|nano)\b [^\n]*$))
    """
)
"""A shell's prompt and the command that shows what follows."""


def shown_file(text: str) -> str:
    """The path of the file that is shown in a pasted terminal, "" if it does not begin with such a command."""
    head = text.lstrip()[:400]
    match = re.match(_PROMPT, head) if any(sign in head for sign in "#$%>") else None
    return (match["path"] or match["shown"] or "") if match else ""


_NOT_LIVE = ("ansible", "chef", "puppet", "puppetlabs", "salt", "skel")


def is_live(name: str, text: str) -> bool:
    """Whether a program reads this file directly, so that nothing will fill in its placeholders. A text
    with statements is a template, whatever its name."""
    path = name.rpartition(": ")[2]
    owned = path.startswith("/etc/") and path.split("/")[2] not in _NOT_LIVE
    return owned and re.search(r"\{[%#-]|<%[^=]", text) is None


def placeholders(text: str) -> Iterator[re.Match[str]]:
    """Placeholders with a beginning and an end (`{{ name }}`, `<name>`, `$(command)`)."""
    return re.finditer(_WHOLE, text)


def _may_have_some(text: str) -> bool:
    return _MAY_BE.search(text) is not None


_SPACES, _CODE = str.maketrans(" \t", "__"), str.maketrans(" \t()\"", "_____")


def joined(text: str) -> str:
    """The text with underscores for spaces inside placeholders; of the same length."""
    return re.sub(_WHOLE, lambda match: match[0].translate(_SPACES), text) if _may_have_some(text) else text


def flat(text: str) -> str:
    """The same, with underscores also for brackets and quotation marks, which are code there."""
    return re.sub(_WHOLE, lambda match: match[0].translate(_CODE), text) if _may_have_some(text) else text


def masked(text: str) -> str:
    """The text with underscores for placeholders, so that nothing in them separates; of the same length."""
    return re.sub(_WHOLE, lambda match: "_" * len(match[0]), text) if has_markup(text) else text


def divided(text: str, separator: str = ",") -> Iterator[tuple[int, str]]:
    """The items of a list, each with its beginning; separators inside quotes and placeholders do not count."""
    start, quoted, plain = 0, False, masked(text)
    if '"' not in plain:
        for item in plain.split(separator):
            yield start, text[start : start + len(item)]
            start += len(item) + 1
        return
    for at, sign in enumerate([*plain, separator]):
        if sign == '"':
            quoted = not quoted
        if sign == separator and (not quoted or at == len(text)):
            yield start, text[start:at]
            start = at + 1


def has_markup(text: str) -> bool:
    """Whether the text has a placeholder or variable."""
    return _may_have_some(text) and re.search(_MARKUP, text) is not None


def is_of_template(text: str) -> bool:
    """Whether the text has a placeholder that no program fills in when it reads its configuration."""
    return _may_have_some(text) and re.search(_OF_TEMPLATES, text) is not None


_DEFAULT = regex(
    r"\{\{[^{}\n]{0,150}(?:\b|_)default\([ _]?(?:'([^'{}\n]*)'|\"([^\"{}\n]*)\")[^{}\n]{0,150}\}\}"
    r"|\$\{\w+:?-([^{}\n]*)\}"
)


def default_of(text: str) -> tuple[int, int] | None:
    """Where the default of the variable is that the text consists of; None if it is something else."""
    default = _DEFAULT.fullmatch(text.strip())
    before = len(text) - len(text.lstrip())
    spans = (default.span(group) for group in (1, 2, 3) if default[group]) if default else iter(())
    return next(((before + start, before + end) for start, end in spans), None)


def open_options(options: str) -> frozenset[str]:
    """The names of options with placeholders for values; "" if a placeholder may become any option."""
    if not has_markup(options):
        return frozenset()
    words = [text for _, text in divided(options) if has_markup(text)]
    names = (text.partition("=")[0] for text in words)
    return frozenset("" if has_markup(name) else name for name in names)


def masked_address(host: str) -> bool:
    """Whether this is an IPv4 address with some digits masked, such as `192.168.x.10` or `10.xx.xxx.01`."""
    labels = host.split(".")
    if len(labels) < 4 or not all(0 < len(label) <= 3 for label in labels):
        return False
    known = [label for label in labels if label.isdigit()]
    masks = [label for label in labels if label in ("x", "X", "xx", "XX", "xxx", "XXX")]
    alike = all(label.isdigit() or (label.isalpha() and len({*label}) == 1) for label in labels)  # one repeated letter
    return alike and host.isascii() and len(known) < len(labels) and len(known) + len(masks) >= 2
