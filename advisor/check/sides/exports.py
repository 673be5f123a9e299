"""The exports of a server: their options for each security flavour, and which hosts their clients are.

Whether a client of exports(5) is a host is found out as mountd does: by its address, and by the names that the server's
own hosts file gives it. What a name server or a netgroup would say is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.files import exportfs_reads
from advisor.check.sides.addresses import parse
from advisor.files.exports import Export, cluster_exports, file_system, read
from advisor.files.mountinfo import parents
from advisor.files.placeholders import has_markup
from advisor.files.settings import read as settings
from advisor.lint.export_clients import is_dropped

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.check.sides.addresses import Address, HostsFile
    from advisor.files.spans import Span
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar

CIB = "cib"
BY_FLAVOUR = ("exports.rw", "exports.insecure", "exports.root_squash", "exports.all_squash")
"""Options that may differ from one flavour to the next."""
ADDRESS_OR_NAME, NETWORK, PATTERN, NETGROUP, ANYBODY, GSS = range(6)
"""Kinds of clients, in the order in which mountd looks at exports; within one kind the first that fits counts."""
_PREFIX = re.compile(r"[0-9]{1,3}")
Options = Mapping[str, "Scalar"]


class Exported(NamedTuple):
    """One export. `options`: those that apply to all flavours, tunable → value, where written; `flavours`: in the order
    in which the server offers them, each with those of BY_FLAVOUR; `at`: tunable → where it is written."""

    path: str
    client: str
    kind: int
    options: Options
    flavours: Mapping[str, Options]
    at: Mapping[str, Span]
    file: str
    span: Span
    of_cluster: bool = False
    """A resource of a cluster makes it, so its file is not for editing."""

    @property
    def place(self) -> str:
        where = f"{self.file}:{self.span.line}"
        return f"the exportfs resource ({where})" if self.of_cluster else where

    @property
    def is_root(self) -> bool:
        """Whether it is the root of what NFSv4 clients see."""
        return self.path == "/" or self.fsid == "0"

    @property
    def crosses(self) -> bool:
        return self.options.get("exports.crossmnt") is True

    @property
    def fsid(self) -> str | None:
        """The number or UUID that is written for it, in one spelling; "0" for the root."""
        fsid = self.options.get("exports.fsid")
        return None if fsid is None else file_system(str(fsid))

    def has_same(self, other: Exported, names: Iterable[str]) -> bool:
        """Whether another export has the same flavours, and for each of them the same values of these options."""
        if [*self.flavours] != [*other.flavours]:
            return False
        return all(
            self.flavours[flavour].get(name) == other.flavours[flavour].get(name)
            for flavour in self.flavours for name in names
        )


class Exports:
    """All exports of a server, in the order in which mountd looks at those of one path. `has_markup`: a path or a
    client is a placeholder of a template."""

    def __init__(self, exports: tuple[Exported, ...], has_markup: bool) -> None:
        self.all, self.has_markup = exports, has_markup
        self.by_path: dict[str, list[Exported]] = {}
        self.below: dict[str, list[Exported]] = {}
        """Directory → the exports of it and of what lies below."""
        self.roots = [export for export in exports if export.is_root]
        self.by_fsid: dict[tuple[int, str], Exported] = {}
        """Kind of client and fsid → the first export that has them."""
        for export in exports:
            self.by_path.setdefault(export.path, []).append(export)
            for folder in (export.path, *parents(export.path)):
                self.below.setdefault(folder, []).append(export)
            if export.fsid is not None:
                self.by_fsid.setdefault((export.kind, export.fsid), export)


def read_exports(base: RuleBase, texts: Iterable[HostText], etab: tuple[str, str] | None) -> Exports:
    """The exports of these files, those of a cluster among them, and those in effect that are in none of them. `etab`:
    its text and its name."""
    options = _ExportOptions(base)
    exports: dict[tuple[str, str], Exported] = {}
    placeholders = False
    lists = [(lines, text.name) for text in texts for lines in _lists(text)]
    if etab is not None:
        lists.append((read(etab[0]), etab[1]))
    for lines, name in lists:
        for line in lines:
            if has_markup(line.path.text) or has_markup(line.client.text):
                placeholders = True
                continue
            export = None if line.bad is not None else options.export(line, name)
            if export is None:
                break  # exportfs stops reading this file
            if not is_dropped(export.client):
                exports.setdefault((export.path, export.client.lower()), export)
    return Exports(tuple(sorted(exports.values(), key=lambda export: export.kind)), placeholders)


def _lists(text: HostText) -> list[list[Export]]:
    """Runs of exports, each read up to its first error: those of a file, or each resource of a cluster."""
    if text.host_file.kind == CIB:
        return [[export] for export in cluster_exports(settings(CIB, text.text, text.name))]
    return [read(text.text)] if exportfs_reads(text.path) else []


def normalized(path: str) -> str:
    """A path without double slashes and without one at its end."""
    return "/" + "/".join(part for part in path.split("/") if part)


class _ExportOptions:
    """Reads the options of exports, as the tunables of the rule base spell them."""

    def __init__(self, base: RuleBase) -> None:
        self.tunables: dict[str, Tunable] = {
            name: tunable for name, tunable in base.of_kinds("export-option").items() if tunable.forms
        }
        self.forms = {form.spelling: (name, form) for name, tunable in self.tunables.items() for form in tunable.forms}
        self.defaults = {name: self.tunables[name].default for name in BY_FLAVOUR}

    def export(self, line: Export, file: str) -> Exported | None:
        """The export; None if it has an option that ends the reading of the file."""
        options: dict[str, Scalar] = {}
        own: dict[str, Scalar] = {name: value for name, value in self.defaults.items() if value is not None}
        flavours: dict[str, dict[str, Scalar]] = {}
        active: list[str] = []
        at: dict[str, Span] = {}
        parts = line.options.parts
        for number, part in enumerate(parts):
            word, equals, value = part.text.partition("=")
            name, form = self.forms.get(word, ("", None))
            if not part.text and number == len(parts) - 1:
                continue
            if form is None or (equals if form.takes is None else form.takes == "value" and not equals):
                return None
            at[name] = part.span
            if name == "exports.sec":
                active = [str(self.tunables[name].synonyms.get(flavour, flavour)) for flavour in value.split(":")]
                for flavour in active:
                    flavours.setdefault(flavour, dict(own))
            elif name in BY_FLAVOUR:
                for values in (own, *(flavours[flavour] for flavour in active)):
                    values[name] = form.means if form.means is not None else value
            else:
                options[name] = value if form.means is None else form.means
        client = line.client.text
        span = line.client.span if line.client.parts else line.path.span
        return Exported(
            normalized(line.path.text), client or "*", client_kind(client), options, flavours or {"sys": own}, at, file,
            span, of_cluster=not line.fixable,
        )


def client_kind(client: str) -> int:
    """Which of the six kinds of clients this is."""
    if client in ("", "*"):
        return ANYBODY
    if client.startswith("gss/"):
        return GSS
    if client.startswith("@"):
        return NETGROUP
    sign = next((sign for sign in client if sign in "*?[/"), "")
    return NETWORK if sign == "/" else PATTERN if sign else ADDRESS_OR_NAME


def admits(client: str, address: Address | None, hosts: HostsFile) -> bool | None:
    """Whether this client is the host with the address; None if that is unknown. `hosts`: of the server."""
    kind = client_kind(client)
    if kind == ANYBODY:
        return True
    if kind in (NETGROUP, GSS) or address is None:
        return None
    if kind == NETWORK:
        return _in_network(address, client)
    if kind == PATTERN:
        names = hosts.names(address)
        return any(fits_pattern(name.lower(), client.lower()) for name in names) if names else None
    written = parse(client)
    addresses = [written] if written is not None else hosts.addresses(client)
    return address in addresses if addresses else None


def _in_network(address: Address, client: str) -> bool:
    network, mask = parse(client.partition("/")[0]), netmask(client)
    if network is None or mask is None or network.version != address.version:
        return False
    return not (int(address) ^ int(network)) & mask


def netmask(client: str) -> int | None:
    """The mask of a network, as a number; None if it is none. mountd takes masks with gaps, `ipaddress` does not."""
    first, _, written = client.partition("/")
    network, mask = parse(first), parse(written)
    if network is None:
        return None
    if mask is not None:
        return int(mask) if mask.version == network.version else None
    bits = network.max_prefixlen
    if not _PREFIX.fullmatch(written) or int(written) > bits:
        return None
    return ((1 << int(written)) - 1) << (bits - int(written))


def fits_pattern(name: str, pattern: str) -> bool:
    """Whether a name fits a wildmat pattern, in which [^a-z] negates a set and \\ quotes. Both in lower case."""
    pattern = re.sub(r"\\(.)", r"[\1]", pattern)
    try:
        return fnmatchcase(name, pattern.replace("[!", "[\\!").replace("[^", "[!"))
    except re.error:  # [z-a], before Python 3.12
        return False
