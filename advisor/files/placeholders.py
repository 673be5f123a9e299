"""Placeholders: text of a template that something will replace before the file is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGNS = "${<%@`Y"
"""Every placeholder has one of these."""
_OF_TEMPLATES = (
    r"""(?x)
      \{\{ | \{% | <%             # Jinja, Helm, ERB
    | <[^<>]+>                    # <server>
    | %\([A-Za-z_]+\)s            # %(name)s
    | %[A-Za-z_]{2,}%             # %NAME%
    | @[A-Z_]{2,}@                # @NAME@
    | `[^`]+`                     # `command`
    | \bYOUR[_-][A-Z]             # YOUR_SERVER
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
      \$\{[^{}\n]*\} | \$\([^()\n]*\)   # ${NAME:-a b}, $(command -x)
    | \{\{[^{}\n]*\}\} | \{%[^{}\n]*%\} | <%[^<>\n]*%>
    | \{[A-Za-z_][^{}\n]*\}           # {the name}
    | <[^<>\n]+>                      # <the server>
    | `[^`\n]*`
    """
)

_COMMENTS = (("{#", "#}", r"(?s)(?<!\$)\{#.*?#\}"), ("/*", "*/", r"(?s)\{\{-?[ ]?/\*.*?\*/[ ]?-?\}\}"))
"""How comments of Jinja and of Go begin and end, and the whole."""
_STATEMENTS = (
    r"""(?mx)
      ^[ \t]* (?:
        (?: \{%(?![+-]?\ ?(?:include|call|block|macro|extends)) (?:(?!%\})[\s\S]){0,1000} %\}
          | <%(?!=) (?:(?!%>)[\s\S]){0,1000} %>                             # ERB
        ) [ \t]*)+ \r?$
    | ^[ \t]* %\{[^{}\n]*\} [ \t]*\r?$                            # Terraform
    """
)


def without_statements(text: str) -> str:
    """The text of a template without its comments, without lines that are only statements, and without the prompts of a
    pasted terminal. Such lines become empty, so that others keep their number, and what is left its columns. Statements
    that stand for text stay."""
    for begin, close, comment in _COMMENTS:
        end = text.rfind(close) + 8  # so that each beginning in front of it has an end
        if end > 7 and begin in text:
            text = re.sub(comment, lambda match: re.sub(r"[^\n]", " ", match[0]), text[:end]) + text[end:]
            text = re.sub(r"(?m)^[ \t]+$", "", text)
    if "%" in text:
        text = re.sub(_STATEMENTS, lambda match: "\n" * match[0].count("\n"), text)
    if "$ " in text or "@" in text or "# cat" in text:
        text = re.sub(_PROMPT, "", text)
    return text


_PROMPT = (
    r"""(?mx)
      ^ (?: \[?[\w.-]+@[\w.-]+[^\n\#$%>]{0,80}[\#$%>] | [$%] | \#(?=\ cat\ /\S+\s*$) )
      [ ]? (?: $ | (?:sudo\ )? (?:(?:cat|less|more|head|tail)(?:\ -\S+)*\ (?P<path>/\S+)[^\n]*$
        | (?:cat|grep|mount|findmnt|nfsstat|exportfs|sysctl|vim?|nano)\b [^\n]*$))
    """
)
"""A shell's prompt and the command that shows what follows."""


def shown_file(text: str) -> str:
    """The path of the file that is shown in a pasted terminal, "" if it does not begin with such a command."""
    match = re.match(_PROMPT, text.lstrip()[:400])
    return (match["path"] or "") if match else ""


_NOT_LIVE = ("ansible", "chef", "puppet", "puppetlabs", "salt", "skel")


def is_live(name: str, text: str) -> bool:
    """Whether a program reads the file of this name as it is, so that nothing fills in placeholders any more. A text
    with statements is a template, whatever its name."""
    path = name.rpartition(": ")[2]
    owned = path.startswith("/etc/") and path.split("/")[2] not in _NOT_LIVE
    return owned and re.search(r"\{[%#-]|<%[^=]", text) is None


def placeholders(text: str) -> Iterator[re.Match[str]]:
    """Placeholders with a beginning and an end (`{{ name }}`, `<name>`, `$(command)`)."""
    return re.finditer(_WHOLE, text)


def joined(text: str) -> str:
    """The text with underscores for spaces inside placeholders; of the same length."""
    if not any(sign in text for sign in _SIGNS):
        return text
    return re.sub(_WHOLE, lambda match: match[0].replace(" ", "_").replace("\t", "_"), text)


def masked(text: str) -> str:
    """The text with underscores for placeholders, so that nothing in them separates; of the same length."""
    return re.sub(_WHOLE, lambda match: "_" * len(match[0]), text) if has_markup(text) else text


def divided(text: str, separator: str = ",") -> Iterator[tuple[int, str]]:
    """The items of a list, each with its beginning; separators inside quotes and placeholders do not count."""
    start, quoted = 0, False
    for at, sign in enumerate([*masked(text), separator]):
        if sign == '"':
            quoted = not quoted
        if sign == separator and (not quoted or at == len(text)):
            yield start, text[start:at]
            start = at + 1


def has_markup(text: str) -> bool:
    """Whether the text has a placeholder or variable."""
    return any(sign in text for sign in _SIGNS) and re.search(_MARKUP, text) is not None


def is_of_template(text: str) -> bool:
    """Whether the text has a placeholder that no program fills in when it reads its configuration."""
    return any(sign in text for sign in _SIGNS) and re.search(_OF_TEMPLATES, text) is not None


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
    known = [label for label in labels if label.isdigit()]
    masks = [label for label in labels if label in ("x", "X", "xx", "XX", "xxx", "XXX")]
    fits = all(0 < len(label) <= 3 and label.isascii() and _is_uniform(label) for label in labels)
    return fits and len(labels) >= 4 and len(known) < len(labels) and len(known) + len(masks) >= 2


def _is_uniform(label: str) -> bool:
    """Whether these are digits, or one repeated letter."""
    return label.isdigit() or (label.isalpha() and len(set(label)) == 1)
