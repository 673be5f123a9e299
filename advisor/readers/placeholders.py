"""Marks of a template: text that something else will replace before the file is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIGNS = "${<%@`"
"""One of these is in every mark."""
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
    """What is still to be filled in, where it has two ends (`{{ name }}`, `<name>`, `$(command)`)."""
    return re.finditer(_WHOLE, text)


def joined(text: str) -> str:
    """The text with an underscore for each blank inside a placeholder; as long as before."""
    return re.sub(_WHOLE, lambda found: found[0].replace(" ", "_").replace("\t", "_"), text)


def masked(text: str) -> str:
    """The text with underscores for each placeholder, so that nothing in it separates; as long as before."""
    return re.sub(_WHOLE, lambda found: "_" * len(found[0]), text) if has_markup(text) else text


def has_markup(text: str) -> bool:
    """Whether the text holds a variable or a blank to be filled in."""
    return any(sign in text for sign in _SIGNS) and re.search(_MARKUP, text) is not None


def left_open(options: str) -> frozenset[str]:
    """The names of the options whose values are placeholders; "" where a whole word is one, which may become any
    option."""
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
    """Whether this is an IPv4 address with digits blacked out, such as `192.168.x.10` or `10.xx.xxx.01`."""
    labels = host.split(".")
    known = [label for label in labels if label.isdigit()]
    masks = [label for label in labels if label in ("x", "X", "xx", "XX", "xxx", "XXX")]
    fits = all(0 < len(label) <= 3 and label.isascii() and _alike(label) for label in labels)
    return fits and len(labels) >= 4 and len(known) < len(labels) and len(known) + len(masks) >= 2


def _alike(label: str) -> bool:
    """Whether these are digits, or one letter again and again."""
    return label.isdigit() or (label.isalpha() and len(set(label)) == 1)
