"""systemd units of mounts and automounts, and their drop-ins (systemd.mount(5)): the mount, all keys, and whether the
unit is named after its mount point, as systemd demands. And the names of units for mount points, as systemd-escape(1)
makes them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.files.placeholders import has_markup
from advisor.files.records import (
    UNHEADED,
    Assignment,
    Assignments,
    Field,
    MountEntry,
    MountTable,
    Slip,
    Span,
    Token,
    continued_lines,
)
from advisor.files.source import parse_source
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")


def plain_path(path: str) -> str | None:
    """The path without doubled slashes and "." parts, as systemd writes it; None for one with a ".." part, which
    systemd refuses."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return None if ".." in parts else "/" + "/".join(parts)


def escaped(path: str) -> str:
    """The name, without its suffix, of the unit for a path from `plain_path`: "mnt-data" for /mnt/data."""
    return "".join(
        "-" if byte == 0x2F else chr(byte) if byte in _PLAIN and (place or byte != 0x2E) else f"\\x{byte:02x}"
        for place, byte in enumerate(path[1:].encode("utf-8", "surrogateescape"))
    ) or "-"


_SECTIONS = {"mount": "Mount", "automount": "Automount"}
_OF_ALL_UNITS = ("Unit", "Install")
_KEYS = ("What", "Where", "Type", "Options")
_AT_BOOT = frozenset(("multi-user.target", "default.target", "graphical.target"))
_EARLY = regex(
    r"(?:network|network-pre|local-fs|basic|sysinit|syslog|rpcbind|dbus|NetworkManager|systemd-networkd)"
    r"\.(?:target|service|socket)"
)
"""Units that may be there before the network is."""
_TRIES = regex(r"\b(?:ping|sleep|until|while|nc|curl|wait|online|retry=)\b|\bbg\b")
"""What shows that a command waits for something, or tries until that is there."""


class _UnitFile(NamedTuple):
    """A unit, or a drop-in. `sections`: their headings; `bad`: what cannot be read, and why, for people."""

    settings: list[Assignment]
    sections: list[Token]
    bad: list[tuple[Span, str]]

    def of(self, section: str, key: str) -> Iterator[Token]:
        """The values of a key, in their order."""
        return (one.value for one in self.settings if (one.section, one.key.text) == (section, key))

    def words(self, section: str, *keys: str) -> list[str]:
        """The words of keys that each line adds to. An empty line takes nothing back of what units depend on."""
        return [word for key in keys for value in self.of(section, key) for word in value.text.split()]

    def since_empty(self, section: str, key: str) -> list[str]:
        """The values of a key that an empty one resets."""
        values = [value.text for value in self.of(section, key)]
        return values[max((number for number, value in enumerate(values, 1) if not value), default=0):]

    def mount_keys(self) -> dict[str, Assignment]:
        """The keys of [Mount] that say what is mounted, each with its last assignment."""
        return {one.key.text: one for one in self.settings if one.section == "Mount" and one.key.text in _KEYS}


def _read(text: str) -> _UnitFile:
    unit = _UnitFile([], [], [])
    section = ""
    unheaded: Span | None = None
    for line in continued_lines(text, "#;", " "):
        key, equals, value = line.text.partition("=")
        if line.text.startswith("["):
            section, closed, rest = line.text[1:].partition("]")
            unit.sections.append(line.token(1, 1 + len(section)))
            if not closed or rest.strip():
                unit.bad.append((line.span, "a section header must be alone on its line, in square brackets"))
        elif equals and not unit.sections and not has_markup(key):
            unheaded = unheaded or line.span
        elif equals:
            start = len(key) + 1 + len(value) - len(value.lstrip())
            written = line.cut(start, start + len(value.strip()))
            items = () if written.token().exact else tuple(written.items())
            unit.settings.append(Assignment(
                section, line.token(0, len(key.rstrip())), line.token(start, start + len(written.text)), values=items,
            ))
        elif line.text:
            unit.bad.append((line.span, "not an assignment; write Key=value"))
    if unheaded is not None:
        unit.bad.insert(0, (unheaded, f"{UNHEADED}; write its heading above, such as [Mount] or [Unit]"))
    return unit


def read_unit_mounts(text: str, name: str, kind: str, unit: str = "") -> MountTable:
    """The mount of a unit, if it has enough of one. The last assignment of a key counts. `unit`: of a drop-in, the text
    of the unit that it changes; what only the unit sets counts too, but has no place in this file."""
    file = _read(text)
    parts = file.mount_keys()
    base = {key: part.value.text for key, part in _read(unit).mount_keys().items()} if unit and parts else {}
    values = {**base, **{key: part.value.text for key, part in parts.items()}}
    mounts = _mount(parts, base) if "What" in values or values.get("Type") in ("nfs", "nfs4") else ()
    return MountTable(text, name, kind, mounts, tuple(file.bad))


def _mount(parts: dict[str, Assignment], base: dict[str, str]) -> tuple[MountEntry, ...]:
    near = (parts.get("What") or parts.get("Options") or next(iter(parts.values()))).value
    fields = {key: Field([], near.span, base.get(key)) for key in _KEYS}
    for key, part in parts.items():
        fields[key] = Field(part.values if key == "Options" and part.values else [part.value], near.span)
    what = fields["What"].value
    if not fields["Type"].value and parse_source(what).kind in ("host", "ipv4", "ipv6"):
        fields["Type"] = Field((), near.span, "nfs")  # as mount(8) guesses
    at = parts["Options"].value.span.line if "Options" in parts else near.span.line
    return (
        MountEntry(
            at, what, source=fields["What"], target=fields["Where"], fstype=fields["Type"],
            options=fields["Options"],
        ),
    )


def read_unit(text: str, name: str, kind: str) -> Assignments:
    """The keys of all sections, and a file name that does not fit Where=."""
    file, unit = _read(text), _unit_name(name)
    sections = [one for one in file.sections if one.text not in _OF_ALL_UNITS and not one.text.startswith("X-")]
    own = _SECTIONS.get(unit.rpartition(".")[2], "")
    slips = [slip for where in file.of(own, "Where") for slip in _name_slips(unit, where)] if own else []
    settings = tuple(one for one in file.settings if not one.section.startswith("X-"))
    return Assignments(text, name, kind, settings, tuple(sections), slips=tuple(slips))


def _unit_name(path: str) -> str:
    """The name of the unit that a file, or a drop-in, belongs to; "" for none."""
    folder, _, name = path.rpartition("/")
    folder = folder.rpartition("/")[2]
    if folder.endswith((".mount.d", ".automount.d")):
        return folder.removesuffix(".d")
    return name if name.endswith((".mount", ".automount")) else ""


def _name_slips(unit: str, where: Token) -> list[Slip]:
    plain = plain_path(where.text) if where.text.startswith("/") else None
    if plain is None or has_markup(where.text) or "%" in where.text or "@" in unit:
        return []
    right = f"{escaped(plain)}.{unit.rpartition('.')[2]}"
    if right in unit:  # or a copy of the file, kept under a longer name
        return []
    return [Slip("unit-name-differs", where.span, words={"unit": unit, "where": where.text, "right": right})]


def runs_before_network(text: str) -> bool:
    """Whether this is a unit that is started at boot, and may run its commands before the network is up: it comes after
    no unit that may need the network, is not restarted, and no command waits or tries again."""
    unit = _read(text)
    first = unit.sections[0].span.line if unit.sections else 0
    others = [*(span.line for span, _ in unit.bad), *(one.key.span.line for one in unit.settings)]
    lines = text.split("\n")
    if not first or any(line < first and not has_markup(lines[line - 1]) for line in others):
        return False  # a script, which may write a unit
    targets = (value.split() for key in ("WantedBy", "RequiredBy") for value in unit.since_empty("Install", key))
    started = any(not _AT_BOOT.isdisjoint(words) for words in targets)
    after = unit.words("Unit", "After", "Requires", "BindsTo")
    restarts = [value.text for value in unit.of("Service", "Restart") if value.text][-1:] not in ([], ["no"])
    runs = {one.key.text for one in unit.settings if one.key.text.startswith(("ExecStart", "ExecCondition"))}
    commands = [command for key in runs for command in unit.since_empty("Service", key)]
    return started and all(map(_EARLY.fullmatch, after)) and not restarts and not any(map(_TRIES.search, commands))


def leaves_type_open(text: str, unit: str) -> bool:
    """Whether a drop-in sets options, and neither it nor its unit says for which type of file system."""
    keys = _read(text).mount_keys()
    return "Options" in keys and not {"What", "Type"} & {*keys, *_read(unit).mount_keys()}


def options_at(text: str) -> Span | None:
    """The place of Options= in [Mount], if it is set."""
    part = _read(text).mount_keys().get("Options")
    return part.value.span if part is not None else None
