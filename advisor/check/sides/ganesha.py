"""The exports of ganesha.conf, and what NFS-Ganesha makes of a path that a client asks for.

NFSv4 clients ask for the Pseudo of an export, NFSv3 clients for its Path, or for Pseudo too with mount_path_pseudo.
The first CLIENT block with the client decides, and what it leaves out is said by the EXPORT block, then by
EXPORT_DEFAULTS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides import clients
from advisor.check.sides.exports import Exported, Exports, around, plain
from advisor.check.sides.paths import Reply
from advisor.readers import settings
from advisor.readers.placeholders import has_markup

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.check.sides.paths import Lets
    from advisor.readers.settings.table import Assignment, Assignments
    from advisor.rulebase.model import RuleBase

    _Level = Mapping[str, list[Assignment]]

KIND = "ganesha.conf"
_VERSIONS = ("3", "4")
_NOBODY = ("none", "mdonly", "mdonly_ro")
"""Values of Access_Type with which files cannot be read."""


class GaneshaExport(NamedTuple):
    """What a client may do with one export under one version. `open`: it may mount it."""

    exported: Exported
    open: bool


class GaneshaExports(Exports):
    """`by`: version → path that is asked for → what the blocks say, in their order; `paths`: Path → Pseudo."""

    def __init__(self, by: Mapping[str, Mapping[str, list[GaneshaExport]]], paths: Mapping[str, str]) -> None:
        made = [one.exported for listed in by.values() for entries in listed.values() for one in entries]
        super().__init__(tuple(made), unclear=False)
        self.by, self.paths = by, paths
        self.named = {*paths, *paths.values()}


class GaneshaServed:
    """The exports as one client sees them."""

    def __init__(self, exports: GaneshaExports, lets: Lets) -> None:
        self.exports, self.lets = exports, lets

    def v3(self, asked: str) -> Reply:
        path = plain(asked)
        found = self._nearest("3", path)
        return self._elsewhere("3", path) if found is None else found

    def v4(self, asked: str) -> list[Reply]:
        path = plain(asked)
        found = self._nearest("4", path)
        if found is None and any(path in around(pseudo) for pseudo in self.exports.by["4"]):
            found = Reply("pseudo", path)
        return [self._elsewhere("4", path) if found is None else found]

    def _nearest(self, version: str, path: str) -> Reply | None:
        """The answer of the export at the path or around it."""
        listed = self.exports.by[version]
        entries = next((listed[one] for one in around(path) if one in listed), None)
        if entries is None:
            return None
        first = next((one for one in entries if self.lets(one.exported)), None)
        if first is None or not first.open:
            return Reply("ganesha-refused", path)
        return Reply("mounted", path, first.exported)

    def _elsewhere(self, version: str, path: str) -> Reply:
        """Why no export answers: its other name was asked for, it has other versions, or it is not there."""
        for one, pseudo in self.exports.paths.items():
            here, there = (one, pseudo) if version == "4" else (pseudo, one)
            if here in around(path) and there in self.exports.by[version]:
                return Reply(f"ganesha-path-v{version}", path, other=plain(f"{there}/{path[len(here.rstrip('/')):]}"))
        if any(one in self.exports.named for one in around(path)):
            return Reply("ganesha-version", path)
        return Reply("ganesha-not-exported", path)


def ganesha_exports(base: RuleBase, texts: list[HostText]) -> GaneshaExports | None:
    """The exports of this file; None where it includes others, cannot be read as a whole, or is a template."""
    if len(texts) != 1:
        return None
    written = settings.read(KIND, texts[0].text, texts[0].name)
    if written.includes or written.bad or has_markup(written.text):
        return None
    return _GaneshaFile(base, written).exports()


class _GaneshaFile:
    def __init__(self, base: RuleBase, written: Assignments) -> None:
        self.written = written
        exported = {name: one for name, one in base.of_kinds(KIND).items() if ".EXPORT." in name}
        by_key = {name.rpartition(".")[2].lower(): one for name, one in exported.items()}
        self.synonyms = {name: {k.lower(): str(v) for k, v in one.synonyms.items()} for name, one in by_key.items()}
        self.of: dict[int, dict[str, list[Assignment]]] = {}
        for one in written.settings:
            block = self.of.setdefault(-1 if one.block is None else one.block, {})
            block.setdefault(one.key.text.lower(), []).append(one)
        self.blocks = [(one.heading.text.lower(), one.inside) for one in written.blocks]

    def exports(self) -> GaneshaExports:
        core, usual = self._named("nfs_core_param"), self._named("export_defaults")
        offered = self._words(core, "protocols") or self._words(core, "nfs_protocols") or _VERSIONS
        by_pseudo = self._word(core, "mount_path_pseudo") in ("true", "yes")
        by: dict[str, dict[str, list[GaneshaExport]]] = {version: {} for version in _VERSIONS}
        paths: dict[str, str] = {}
        for number, block in enumerate(self.blocks):
            own = self.of.get(number, {})
            path = self._text(own, "path")
            if block != ("export", None) or not path:
                continue
            pseudo = self._text(own, "pseudo") or path
            paths.setdefault(plain(path), plain(pseudo))
            for named, levels in self._permissions(number, usual):
                for version in _VERSIONS:
                    mine = self._words(levels, "protocols") or offered
                    if version not in mine or version not in offered:
                        continue
                    asked = plain(pseudo if version == "4" or by_pseudo else path)
                    entries = by[version].setdefault(asked, [])
                    entries += [self._made(asked, client, own, levels) for client in named]
        return GaneshaExports(by, paths)

    def _named(self, name: str) -> list[_Level]:
        """What the outermost blocks of this name say."""
        return [self.of.get(number, {}) for number, block in enumerate(self.blocks) if block == (name, None)]

    def _permissions(
        self, number: int, usual: Sequence[_Level]
    ) -> Iterator[tuple[list[str], Sequence[_Level]]]:
        """The clients of each CLIENT block of an export, then everybody; with the blocks that say what they may."""
        own = self.of.get(number, {})
        mine = [one for one, block in enumerate(self.blocks) if block == ("client", number)]
        general = [
            one for one, (name, inside) in enumerate(self.blocks)
            if name == "client" and inside is not None and self.blocks[inside] == ("export_defaults", None)
        ]
        for one in mine or general:
            block = self.of.get(one, {})
            names = [_bare(value.text) for client in block.get("clients", ()) for value in client.values]
            yield names, [block, own, *usual]
        yield ["*"], [own, *usual]

    def _made(
        self, path: str, client: str, own: _Level, levels: Sequence[_Level]
    ) -> GaneshaExport:
        access = self._word(levels, "access_type") or "none"
        flavours = self._words(levels, "sectype") or ("none", "sys")
        exported = Exported(
            path, client, clients.kind(client), {}, {one: {"exports.rw": access == "rw"} for one in flavours}, {},
            self.written.name, own["path"][0].key.span,
        )
        return GaneshaExport(exported, access not in _NOBODY)

    def _words(self, levels: Sequence[_Level], key: str) -> tuple[str, ...]:
        """The words of a list, where the first of these blocks has it."""
        for level in levels:
            for token in level.get(key, ())[-1:]:
                known = self.synonyms.get(key, self.synonyms.get("protocols", {}) if "protocols" in key else {})
                words = [_bare(value.text).lower() for value in token.values or (token.value,)]
                return tuple(known.get(word, word) for word in words)
        return ()

    def _word(self, levels: Sequence[_Level], key: str) -> str:
        return next(iter(self._words(levels, key)), "")

    def _text(self, level: _Level, key: str) -> str:
        return next((_bare(token.value.text) for token in level.get(key, ())[-1:]), "")


def _bare(text: str) -> str:
    """A value without its quotation marks."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
