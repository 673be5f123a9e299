"""The exports of ganesha.conf, and what NFS-Ganesha makes of a path that a client asks for.

NFSv4 clients ask for the Pseudo of an export, NFSv3 clients for its Path, or for Pseudo too with mount_path_pseudo.
The first CLIENT block with the client decides; what it leaves out comes from the EXPORT block, then from
EXPORT_DEFAULTS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from advisor.files.export_clients import network
from advisor.files.export_lookup import Exported, Exports, Reply, absolute, admits
from advisor.files.mountinfo import parents
from advisor.files.placeholders import has_markup
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.export_lookup import Admits
    from advisor.files.records import Assignment, Assignments
    from advisor.files.source import Address, HostsFile
    from advisor.rulebase.model import RuleBase

    _Level = Mapping[str, list[Assignment]]

KIND = "ganesha.conf"
_VERSIONS = ("3", "4")
_NOBODY = ("none", "mdonly", "mdonly_ro")
"""Values of Access_Type with which files cannot be read."""


class GaneshaExport(NamedTuple):
    """What a client may do with one export under one version."""

    exported: Exported
    can_mount: bool


class GaneshaExports(Exports):
    """`by_version`: version → path that clients ask for → what the blocks say, in their order; `pseudos`: Path →
    Pseudo."""

    def __init__(self, by_version: Mapping[str, Mapping[str, list[GaneshaExport]]], pseudos: Mapping[str, str]) -> None:
        entries = [entry for by_path in by_version.values() for several in by_path.values() for entry in several]
        super().__init__([entry.exported for entry in entries])
        self.by_version, self.pseudos = by_version, pseudos


class GaneshaLookup:
    """The exports as one client sees them; `admits` says which exports are for it."""

    def __init__(self, exports: GaneshaExports, admits: Admits) -> None:
        self.exports, self.admits = exports, admits

    def v3(self, asked: str) -> Reply:
        path = absolute(asked)
        return self._nearest("3", path) or self._refusal("3", path)

    def v4(self, asked: str) -> list[Reply]:
        path = absolute(asked)
        reply = self._nearest("4", path)
        if reply is None and any(path in (pseudo, *parents(pseudo)) for pseudo in self.exports.by_version["4"]):
            reply = Reply("pseudo", path)
        return [reply or self._refusal("4", path)]

    def _nearest(self, version: str, path: str) -> Reply | None:
        """The answer of the export at the path or around it."""
        by_path = self.exports.by_version[version]
        entries = next((by_path[folder] for folder in (path, *parents(path)) if folder in by_path), None)
        if entries is None:
            return None
        first = next((entry for entry in entries if self.admits(entry.exported)), None)
        if first is None or not first.can_mount:
            return Reply("ganesha-refused", path)
        return Reply("mounted", path, first.exported)

    def _refusal(self, version: str, path: str) -> Reply:
        """Why no export answers: its other name was asked for, it has other versions, or it is not there."""
        folders = (path, *parents(path))
        for exported, pseudo in self.exports.pseudos.items():
            asked, right = (exported, pseudo) if version == "4" else (pseudo, exported)
            if asked in folders and right in self.exports.by_version[version]:
                other = absolute(f"{right}/{path[len(asked.rstrip('/')):]}")
                return Reply(f"ganesha-path-v{version}", path, other_path=other)
        if any(folder in self.exports.pseudos or folder in self.exports.pseudos.values() for folder in folders):
            return Reply("ganesha-version", path)
        return Reply("ganesha-not-exported", path)


def is_client(client: str, address: Address | None, hosts: HostsFile) -> bool | None:
    """As `admits` says of exports(5), but a prefix of 0 is every host of its family."""
    parsed = network(client) if "/" in client else None
    if parsed is not None and not parsed.mask and address is not None:
        return address.max_prefixlen == parsed.bits
    return admits(client, address, hosts)


def ganesha_exports(base: RuleBase, written: Assignments) -> GaneshaExports | None:
    """The exports of a file; None if it includes others, cannot be read as a whole, or is a template."""
    if written.includes or written.bad or has_markup(written.text):
        return None
    return _GaneshaFile(base, written).exports()


class _GaneshaFile:
    def __init__(self, base: RuleBase, written: Assignments) -> None:
        self.written = written
        exported = {name: tunable for name, tunable in base.of_kinds(KIND).items() if ".EXPORT." in name}
        by_key = {name.rpartition(".")[2].lower(): tunable for name, tunable in exported.items()}
        self.synonyms = {
            name: {k.lower(): str(v) for k, v in tunable.synonyms.items()} for name, tunable in by_key.items()
        }
        self.by_block: dict[int, dict[str, list[Assignment]]] = {}
        for assignment in written.settings:
            block = self.by_block.setdefault(-1 if assignment.block is None else assignment.block, {})
            block.setdefault(assignment.key.text.lower(), []).append(assignment)
        self.blocks = [(block.heading.text.lower(), block.inside) for block in written.blocks]

    def exports(self) -> GaneshaExports:
        core, defaults = self._named("nfs_core_param"), self._named("export_defaults")
        offered = self._words(core, "protocols") or self._words(core, "nfs_protocols") or _VERSIONS
        by_pseudo = self._word(core, "mount_path_pseudo") in ("true", "yes")
        by_version: dict[str, dict[str, list[GaneshaExport]]] = {version: {} for version in _VERSIONS}
        pseudos: dict[str, str] = {}
        for number, block in enumerate(self.blocks):
            own = self.by_block.get(number, {})
            path = self._text(own, "path")
            if block != ("export", None) or not path:
                continue
            pseudo = self._text(own, "pseudo") or path
            pseudos.setdefault(absolute(path), absolute(pseudo))
            for clients, levels in self._permissions(number, defaults):
                for version in _VERSIONS:
                    if version not in (self._words(levels, "protocols") or offered) or version not in offered:
                        continue
                    asked = absolute(pseudo if version == "4" or by_pseudo else path)
                    entries = by_version[version].setdefault(asked, [])
                    entries += [self._export(asked, client, own, levels) for client in clients]
        return GaneshaExports(by_version, pseudos)

    def _named(self, name: str) -> list[_Level]:
        """What the outermost blocks of this name say."""
        return [self.by_block.get(number, {}) for number, block in enumerate(self.blocks) if block == (name, None)]

    def _permissions(self, number: int, defaults: Sequence[_Level]) -> Iterator[tuple[list[str], Sequence[_Level]]]:
        """The clients of each CLIENT block of an export, then everybody, each with the blocks that say what they may
        do, the innermost first."""
        own = self.by_block.get(number, {})
        mine = [index for index, block in enumerate(self.blocks) if block == ("client", number)]
        general = [
            index for index, (name, inside) in enumerate(self.blocks)
            if name == "client" and inside is not None and self.blocks[inside] == ("export_defaults", None)
        ]
        for index in mine or general:
            block = self.by_block.get(index, {})
            names = [_unquoted(value.text) for client in block.get("clients", ()) for value in client.values]
            yield names, [block, own, *defaults]
        yield ["*"], [own, *defaults]

    def _export(self, path: str, client: str, own: _Level, levels: Sequence[_Level]) -> GaneshaExport:
        access = self._word(levels, "access_type") or "none"
        flavours = self._words(levels, "sectype") or ("none", "sys")
        exported = Exported(
            path, client, {}, {flavour: {"exports.rw": access == "rw"} for flavour in flavours},
            {}, self.written.name, own["path"][0].key.span,
        )
        return GaneshaExport(exported, access not in _NOBODY)

    def _words(self, levels: Sequence[_Level], key: str) -> tuple[str, ...]:
        """The words of a list, where the first of these blocks has it."""
        for level in levels:
            for token in level.get(key, ())[-1:]:
                known = self.synonyms.get(key, self.synonyms.get("protocols", {}) if "protocols" in key else {})
                words = [_unquoted(value.text).lower() for value in token.values or (token.value,)]
                return tuple(known.get(word, word) for word in words)
        return ()

    def _word(self, levels: Sequence[_Level], key: str) -> str:
        return next(iter(self._words(levels, key)), "")

    def _text(self, level: _Level, key: str) -> str:
        return next((_unquoted(token.value.text) for token in level.get(key, ())[-1:]), "")


def _unquoted(text: str) -> str:
    """A value without its quotation marks."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
