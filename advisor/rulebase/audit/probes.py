"""How facts are found on a host: places that can be read, patterns that compile, values that the facts have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase.audit import conditions, names, patterns
from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.document import Steps
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import YamlMapping, entries, mapping, texts

_FOLDERS = ("/proc/", "/sys/", "/etc/", "/usr/lib/", "/run/", "/var/lib/pacemaker/cib/")
_PLACES = ("file", "dpkg", "rpm", "interface", "mounted")


def check(item: Authored, facts: Items) -> Iterator[Problem]:
    """Problems of one fact's probe."""
    probe = item.data.get("probe")
    if not isinstance(probe, dict):
        return
    at: Steps = ("probe",)
    for part in ("granted", "unless"):
        yield from conditions.answers(item, (*at, part), mapping(probe.get(part)), facts)
    for index, name in texts(probe.get("beside")):
        yield from names.known(item, (*at, "beside", index), name, facts, "fact")
    like = probe.get("like")
    if isinstance(like, str):
        yield from names.known(item, (*at, "like"), like, facts, "fact")
    if bool(like) == bool(probe.get("ways")):
        yield item.problem(at, "a probe", "it has either ways of its own or those of another fact", "give one of them")
    for part in ("ways", "where"):
        for index, place in entries(probe.get(part)):
            yield from _place(item, (*at, part, index), place)
            for inner, other in entries(place.get("where")):
                yield from _place(item, (*at, part, index, "where", inner), other)
            yield from _values(item, (*at, part, index), place, facts)


def _place(item: Authored, at: Steps, place: YamlMapping) -> Iterator[Problem]:
    given = [key for key in _PLACES if key in place]
    if len(given) != 1:
        yield item.problem(at, f"a place with {' and '.join(given) or 'nothing to read'}",
                           "a place is one thing to read", f"give one of {', '.join(_PLACES)}")
    path = place.get("file")
    if isinstance(path, str) and not path.startswith(_FOLDERS):
        yield item.problem((*at, "file"), f'the file "{path}"', "files elsewhere are never read",
                           "name a file below /proc, /sys, /etc, /usr/lib, /run or /var/lib/pacemaker/cib")
    read = [((*at, key), place.get(key)) for key in ("match", "without")]
    cases = place.get("cases")
    read += [((*at, "cases", word), pattern) for word, pattern in cases.items()] if isinstance(cases, dict) else []
    for where, pattern in read:
        yield from patterns.check(item, where, pattern, "search", re.MULTILINE)


def _values(item: Authored, at: Steps, way: YamlMapping, facts: Items) -> Iterator[Problem]:
    if "value" in way:
        yield from conditions.answer(item, (*at, "value"), item.id, way["value"], facts)
    for word, value in mapping(way.get("map")).items():
        yield from conditions.answer(item, (*at, "map", word), item.id, value, facts)
    for word in mapping(way.get("cases")):
        yield from conditions.answer(item, (*at, "cases", word), item.id, word, facts)
