"""The Jinja environment: templates are package data; HTML escapes by itself, the other formats by named filters."""

from __future__ import annotations

import shlex
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from advisor.artefacts import quote
from advisor.render.escape import visible
from advisor.render.formats.markdown import code, escaped


@cache
def environment() -> Environment:
    env = Environment(
        loader=PackageLoader("advisor.artefacts"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, autoescape=select_autoescape(["html.j2"]),
    )
    env.filters |= {
        "comment": quote.comment, "plain": quote.plain, "yaml": quote.yaml, "ansible": quote.ansible,
        "sh": shlex.quote, "unit": quote.unit, "autofs": quote.autofs, "exports": quote.exports, "md": escaped,
        "code": code, "shown": shown,
    }
    return env


def shown(text: str) -> str:
    """Text of several lines without what would drive a terminal, or show it in another order than it has."""
    return "\n".join(map(visible, text.split("\n")))


def render(template: str, **values: Any) -> str:
    """A template's text. It ends in one newline."""
    return environment().get_template(f"{template}.j2").render(**values).rstrip("\n") + "\n"
