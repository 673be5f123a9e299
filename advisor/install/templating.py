"""The Jinja environment: templates are package data; text goes into them through named filters."""

from __future__ import annotations

import shlex
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from advisor.install import quote


@cache
def environment() -> Environment:
    env = Environment(  # noqa: S701  no template is HTML
        loader=PackageLoader("advisor.install"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters |= {
        "comment": quote.comment, "plain": quote.plain, "yaml": quote.yaml, "ansible": quote.ansible,
        "ansible_below": quote.ansible_below,
        "sh": shlex.quote, "unit": quote.unit, "autofs": quote.autofs, "exports": quote.exports, "xml": quote.xml,
    }
    return env


def render(template: str, **values: object) -> str:
    """A template's text. It ends in one newline."""
    return environment().get_template(f"{template}.j2").render(**values).rstrip("\n") + "\n"
