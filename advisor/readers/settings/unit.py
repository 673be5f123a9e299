"""systemd units of mounts and automounts: their keys, and whether the unit is called after its mount point, as systemd
demands."""

from __future__ import annotations

from advisor.readers.mounts.units import assignments
from advisor.readers.placeholders import has_markup
from advisor.readers.settings.table import Assignment, Assignments, Slip, Token
from advisor.readers.spans import Span
from advisor.unit_names import escaped, plain_path

_SECTIONS = {"mount": "Mount", "automount": "Automount"}
_OF_ALL_UNITS = ("Unit", "Install")


def read(text: str, name: str, kind: str) -> Assignments:
    """The keys of all sections, and a name that does not fit Where=."""
    settings: list[Assignment] = []
    sections: list[Token] = []
    slips: list[Slip] = []
    section = ""
    unit = _unit(name)
    for number, column, line in assignments(text):
        if line.startswith("["):
            section = line[1:].partition("]")[0]
            if section not in _OF_ALL_UNITS and not section.startswith("X-"):
                sections.append(Token(section, Span(number, column + 1, column + 1 + len(section))))
            continue
        key, equals, value = line.partition("=")
        if not equals or section.startswith("X-"):
            continue
        word = Token(key.strip(), Span(number, column, column + len(key.rstrip())))
        start = column + len(key) + 1 + len(value) - len(value.lstrip())
        token = Token(value.strip(), Span(number, start, start + len(value.strip())))
        settings.append(Assignment(section, word, token))
        if word.text == "Where" and section == _SECTIONS.get(unit.rpartition(".")[2]):
            slips += _misnamed(unit, token)
    return Assignments(text, name, kind, tuple(settings), tuple(sections), slips=tuple(slips))


def _unit(path: str) -> str:
    """The name of the unit that a file, or a drop-in for it, belongs to; "" for none."""
    folder, _, name = path.rpartition("/")
    folder = folder.rpartition("/")[2]
    if folder.endswith((".mount.d", ".automount.d")):
        return folder.removesuffix(".d")
    return name if name.endswith((".mount", ".automount")) else ""


def _misnamed(unit: str, where: Token) -> list[Slip]:
    plain = plain_path(where.text) if where.text.startswith("/") else None
    if plain is None or has_markup(where.text) or "%" in where.text or "@" in unit:
        return []
    right = f"{escaped(plain)}.{unit.rpartition('.')[2]}"
    if right in unit:  # or a copy of the file, kept under a longer name
        return []
    return [Slip("unit-name-differs", where.span, words={"unit": unit, "where": where.text, "right": right})]
