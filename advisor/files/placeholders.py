"""Placeholders: text of a template that something will replace before the file is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGNS = "${<%@`"
"""Every placeholder has one of these."""
_MARKUP = (
    r"""(?x)
      \$[A-Za-z0-9_{(]            # $NAME, ${NAME}, $(command), $1
    | \{\{ | \{% | <%             # Jinja, Helm, ERB
    | \{[A-Za-z_][^{}]*\}         # {name}
    | <[^<>]+>                    # <server>
    | %\([A-Za-z_]+\)s            # %(name)s
    | %[A-Za-z_]{2,}%             # %NAME%
    | (?<![0-9A-Za-z])%s(?![0-9A-Za-z])
    | @[A-Z_]{2,}@                # @NAME@
    | `                           # `command`
    """
)
_WHOLE = (
    r"""(?x)
      \$\{[^{}]*\} | \$\([^()]*\)   # ${NAME:-a b}, $(command -x)
    | \{\{[^{}]*\}\} | \{%[^{}]*%\} | <%[^<>]*%>
    | \{[A-Za-z_][^{}]*\}           # {the name}
    | <[^<>]+>                      # <the server>
    | `[^`]*`
    """
)


def placeholders(text: str) -> Iterator[re.Match[str]]:
    """Placeholders with a beginning and an end (`{{ name }}`, `<name>`, `$(command)`)."""
    return re.finditer(_WHOLE, text)


def joined(text: str) -> str:
    """The text with underscores for spaces inside placeholders; of the same length."""
    return re.sub(_WHOLE, lambda match: match[0].replace(" ", "_").replace("\t", "_"), text)


def masked(text: str) -> str:
    """The text with underscores for placeholders, so that nothing in them separates; of the same length."""
    return re.sub(_WHOLE, lambda match: "_" * len(match[0]), text) if has_markup(text) else text


def has_markup(text: str) -> bool:
    """Whether the text has a placeholder or variable."""
    return any(sign in text for sign in _SIGNS) and re.search(_MARKUP, text) is not None


def open_options(options: str) -> frozenset[str]:
    """The names of options with placeholders for values; "" if a placeholder may become any option."""
    if not has_markup(options):
        return frozenset()
    names, start = set(), 0
    for word in masked(options).split(","):
        text = options[start : start + len(word)]
        name = text.partition("=")[0]
        if has_markup(text):
            names.add("" if has_markup(name) else name)
        start += len(word) + 1
    return frozenset(names)


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
