"""How settings are applied, checked and undone: names in braces that something stands for, places that can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase.audit import names, probes
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import Steps
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import YamlMapping, mapping

_TEXTS = ("sets", "verify", "shows", "lacks", "undo", "undo_to", "undo_unset", "undo_same")
_NAMED = re.compile(r"(?<!\w)\{([a-z]+)(?: - [0-9]{1,6})?\}")
_KNOWN = (
    "value", "text", "unset", "name", "before", "server", "export", "target", "section", "key", "module", "parameter",
)
_LINE = ("server", "export", "options")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of the steps of all kinds and tunables."""
    for kind in catalogue.kinds.values():
        for part, text in mapping(kind.data.get("file")).items() if kind.sound else ():
            if isinstance(text, dict) and "cites" in text:
                yield from names.cites(kind, ("file", part), text["cites"], catalogue.claims)
    for item in (*catalogue.kinds.values(), *catalogue.tunables.values()):
        if item.sound:
            yield from _braces(item, (), item.data)
            for value, text in mapping(item.data.get("by_value")).items():
                yield from _braces(item, ("by_value", value), mapping(text))
            yield from probes.check(item, catalogue.known_facts())
            other = item.data.get("other_unit")
            if isinstance(other, str):
                yield from names.known(item, ("other_unit",), other, catalogue.tunables, "tunable")


def _braces(item: Authored, at: Steps, templates: YamlMapping) -> Iterator[Problem]:
    for word, known in (*((text, _KNOWN) for text in _TEXTS), ("line", _LINE)):
        for found in _NAMED.finditer(str(templates.get(word) or "")):
            if found[1] not in known:
                yield item.problem(
                    (*at, word), f'"{found[0]}"', "nothing stands for that name", f"write one of {', '.join(known)}"
                )
