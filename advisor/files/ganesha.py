"""ganesha.conf: blocks that hold `name = value, value;` and other blocks, as the parser of NFS-Ganesha reads it; its
exports, and what NFS-Ganesha makes of a path that a client asks for.

NFSv4 clients ask for the Pseudo of an export, NFSv3 clients for its Path, or for Pseudo too with mount_path_pseudo.
The first CLIENT block with the client decides; what it leaves out comes from the EXPORT block, then from
EXPORT_DEFAULTS.

A mistake does not hide what follows it: where the parser gives up, this one continues behind the next semicolon, or
where a statement or a block obviously begins or ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from advisor.files.export_clients import admits, network
from advisor.files.export_lookup import Admits, Exported, Exports, Reply, absolute
from advisor.files.mountinfo import parents
from advisor.files.placeholders import has_markup, masked_address
from advisor.files.records import Assignment, Assignments, Block, Placed, Slip, Span, Token
from advisor.files.source import Address, HostsFile
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import RuleBase

_GAP = regex(r"(?:[ \t\r\f\n]|#[^\n]*|\{%[^%\n]*%\}|<%[^%\n]*%>)*")
"""White space, comments, and statements of templates."""
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]*")
_LINE = regex(r"[ \t]*(?P<value>\"[^\"\n]*\"|[^\s\";#]*)")
_QUOTED = regex(r"\"(?:\\.|[^\"\\])*\"|'[^']*'", re.DOTALL)
_WORD = regex(r"[~-][ \t]*[0-9][^\s,;={}#\"']*|(?:\{\{[^}\n]*\}\}|\$\{[^{}\n]*\}|[^\s,;={}#\"'$]|\$(?!\{))+")
_PLAIN = tuple(map(regex, (
    r"[~-]?[ \t]*(?:0[xX][0-9a-fA-F]+|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]+|[0-9]+))?",  # numbers, and two with a dot
    r"9[pP]|@[A-Za-z_][A-Za-z0-9_.-]*|[A-Za-z_?][A-Za-z0-9._-]*",  # words and netgroups
    r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?:/[1-9][0-9]?)?",
    r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:/[1-9][0-9]?)?",
    r"/(?:[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*/?)?",
    r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)+/?",
)))
"""Values that need no quotation marks, apart from patterns of names."""
_PATTERN = regex(r"[A-Za-z0-9._*?!\[\]-]+")
_FILLED_IN = regex(r"\{\{[^}\n]*\}\}[^;{}\n]*;?")
"""A statement of which a template will write the beginning or all."""
_END, _END_OF_VALUES = regex("[;}\n]"), regex("[;\n]")
"""Where reading goes on after something that is not a statement, and after something that is not a value."""
_DIRECTIVES = ("include", "dir", "url", "plugin")


def _is_plain(word: str) -> bool:
    """Whether a value needs no quotation marks."""
    if any(form.fullmatch(word) for form in _PLAIN):
        return True
    return _PATTERN.fullmatch(word) is not None and any(sign in word for sign in "*?]")


class _GaneshaWord(NamedTuple):
    """One value of a statement: [start, end) in the file, and its text without quotation marks."""

    start: int
    end: int
    text: str
    quoted: bool


def read_settings(text: str, name: str, kind: str, _begins: str | None = None) -> Assignments:
    """The statements of all blocks. The section of a statement is the name of the innermost block. An included file
    begins outside of all blocks."""
    return _GaneshaReader(text).read(name, kind)


class _GaneshaReader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.places = Placed.of_file(text)
        self.settings: list[Assignment] = []
        self.includes: list[Assignment] = []
        self.bad: list[tuple[Span, str]] = []
        self.slips: list[Slip] = []
        self.blocks: list[Block] = []
        self.open: list[int] = []
        """The open blocks, outermost first."""
        self.filled_in: set[int | None] = set()

    def read(self, name: str, kind: str) -> Assignments:
        while self._skip():
            self._item()
        for number in self.open:
            heading = self.blocks[number].heading
            self._wrong(heading.span, f"{heading.text} is never closed: a }} is missing")
        self.settings += _unused(self.settings, self.blocks, whole=not (self.includes or self.filled_in))
        return Assignments(
            self.text, name, kind, tuple(self.settings), tuple(block.heading for block in self.blocks),
            tuple(sorted(self.bad)), tuple(self.slips), tuple(self.includes), tuple(self.blocks),
            frozenset(self.filled_in),
        )

    def _skip(self) -> bool:
        """Skip white space and comments. Returns whether anything follows."""
        gap = _GAP.match(self.text, self.at)
        self.at = gap.end() if gap else self.at
        return self.at < len(self.text)

    def _span(self, start: int, end: int) -> Span:
        return self.places.token(start, end).span

    def _wrong(self, span: Span, words: str) -> None:
        self.bad.append((span, words))

    def _item(self) -> None:
        """A statement, the beginning or the end of a block, or a mistake."""
        start, sign = self.at, self.text[self.at]
        if sign == "}":
            self.at += 1
            if self.open:
                self.open.pop()
            else:
                self._wrong(self._span(start, self.at), "this } closes no block")
            return
        if sign == ";":
            self.at += 1
            self._wrong(self._span(start, self.at), "no semicolon may stand here: a block ends with its }")
            return
        name, filled_in = _NAME.match(self.text, start), _FILLED_IN.match(self.text, start)
        if name is not None:
            self._named(start, name.end())
        elif filled_in is not None:
            self.at = filled_in.end()
            self._fill_in()
        elif sign == "%":
            self._directive()
        else:
            self._lost(start)

    def _named(self, start: int, end: int) -> None:
        self.at = end
        follows = self.text[self.at] if self._skip() else ""
        if follows == "{":
            self.at += 1
            inside = self.open[-1] if self.open else None
            self.open.append(len(self.blocks))
            self.blocks.append(Block(self.places.token(start, end), inside))
        elif follows == "=":
            self.at += 1
            key = self.places.token(start, end)
            self._statement(key)
        else:
            self.at = end
            self._lost(start)

    def _lost(self, start: int) -> None:
        """Skip unknown text, up to the next semicolon, bracket or the end of the line."""
        end = _END.search(self.text, start)
        self.at = max(end.end() - (end[0] != ";"), start + 1) if end else len(self.text)
        if has_markup(self.text[start:self.at]):
            self._fill_in()
        else:
            self._wrong(self._span(start, self.at), "not a statement: write name = value; or a block in braces")

    def _fill_in(self) -> None:
        self.filled_in.add(self.open[-1] if self.open else None)

    def _directive(self) -> None:
        """%include and the like, which are only allowed between blocks."""
        start = self.at
        name = _NAME.match(self.text, start + 1)
        word = name[0] if name else ""
        self.at = name.end() if name else start + 1
        rest = _LINE.match(self.text, self.at)
        if word not in _DIRECTIVES or rest is None or not rest["value"]:
            self._lost(start)
            return
        self.at = rest.end()
        key = self.places.token(start, start + 1 + len(word))
        if self.open:
            inside = self.blocks[self.open[-1]].heading.text
            self._wrong(key.span, f"%{word} is not allowed inside {inside}; write it between blocks")
            return
        quote = rest["value"].startswith('"')
        if word == "url" and not rest["value"].startswith("rados://", quote):
            self._wrong(self._span(*rest.span("value")), "%url takes addresses only that begin with rados://")
        begin, end = rest.start("value") + quote, rest.end("value") - quote
        self.includes.append(Assignment("", Token(word, key.span), self.places.token(begin, end)))

    def _statement(self, key: Token) -> None:
        """The values up to the semicolon."""
        words: list[_GaneshaWord] = []
        expects = True
        """Whether a value may follow, as at the beginning and after a comma."""
        while True:
            if not self._skip():
                self._unended(key, words)
                break
            sign = self.text[self.at]
            if sign == ";" and (expects is False or not words):
                self.at += 1
                break
            if sign == "}":
                self._unended(key, words)
                break
            if sign == "," and (not expects or not words):
                self.at += 1
                expects = True
                continue
            if not expects and self._begins():
                self._unended(key, words)
                break
            word = self._word() if expects else None
            if word is None:
                self._astray(key, expects)
                return
            words.append(word)
            expects = False
        self._add(key, words)

    def _begins(self) -> bool:
        """Whether a statement or a block begins here, so that a semicolon is missing before it."""
        name = _NAME.match(self.text, self.at)
        gap = _GAP.match(self.text, name.end()) if name else None
        return gap is not None and self.text[gap.end():gap.end() + 1] in ("=", "{")

    def _word(self) -> _GaneshaWord | None:
        """The value that begins here, None for none."""
        start = self.at
        if self.text[start] in "\"'":
            match = _QUOTED.match(self.text, start)
            if match is None:
                return None
            self.at = match.end()
            return _GaneshaWord(start, self.at, match[0][1:-1], True)
        match = _WORD.match(self.text, start)
        if match is None:
            return None
        self.at = match.end()
        if not (has_markup(match[0]) or masked_address(match[0]) or _is_plain(match[0])):
            self._wrong(self._span(start, self.at), f'{match[0]} has to be in quotation marks: "{match[0]}"')
        return _GaneshaWord(start, self.at, match[0], False)

    def _unended(self, key: Token, words: list[_GaneshaWord]) -> None:
        """A statement without its semicolon."""
        span = self._span(words[-1].start, words[-1].end) if words else key.span
        self._wrong(span, f"no semicolon ends {key.text}")

    def _astray(self, key: Token, expects: bool) -> None:
        """Skip text that cannot be a value, up to the semicolon or the end of the line."""
        start = self.at
        end = _END_OF_VALUES.search(self.text, start)
        self.at = end.end() - (end[0] != ";") if end else len(self.text)
        if has_markup(self.text[start:self.at]):
            return
        words = "a quotation mark is never closed" if self.text[start] in "\"'" else (
            "a value is missing here" if expects else "a comma or a semicolon is missing before this"
        )
        self._wrong(self._span(start, max(start + 1, self.at)), f"{key.text}: {words}")

    def _add(self, key: Token, words: list[_GaneshaWord]) -> None:
        block = self.open[-1] if self.open else None
        section = self.blocks[block].heading.text if block is not None else ""
        if words:
            inner = 1 if words[0].quoted and len(words) == 1 else 0
            span = self._span(words[0].start + inner, words[-1].end - inner)
        else:
            span = Span(key.span.line, key.span.end_column, key.span.end_column)
        value = Token(",".join(word.text for word in words), span)
        if block is None:
            self._wrong(key.span, f"{key.text} is in no block, so nothing reads it")
        else:
            values = tuple(self.places.token(word.start, word.end) for word in words)
            self.settings.append(Assignment(section, key, value, block=block, values=values))


_Level = Mapping[str, list[Assignment]]
KIND = "ganesha.conf"
_VERSIONS = ("3", "4")
_NOBODY = ("none", "mdonly", "mdonly_ro")
"""Values of Access_Type with which files cannot be read."""


def _unused(settings: Sequence[Assignment], blocks: Sequence[Block], *, whole: bool) -> list[Assignment]:
    """That no export is served over NFSv4, as a setting of the block NFSv4. `whole`: the file has all exports."""
    names = [block.heading.text.lower() for block in blocks]
    v4 = next((number for number, name in enumerate(names) if name == "nfsv4"), None)
    said: dict[int, bool] = {}
    """Block → whether its Protocols, or those of a CLIENT block in it, may have NFSv4."""
    for one in settings if v4 is not None else ():
        if one.key.text.lower() == "protocols" and one.block is not None:
            inside = blocks[one.block].inside
            number = one.block if inside is None else inside
            words = [_unquoted(value.text) for value in one.values or (one.value,)]
            said[number] = said.get(number, False) or any(word.endswith("4") or has_markup(word) for word in words)
    usual = [said[number] for number, name in enumerate(names) if name == "export_defaults" and number in said]
    by_default = any(usual) or not usual
    exports = [said.get(number, by_default) for number, name in enumerate(names) if name == "export" and whole]
    if v4 is None or any(exports or [by_default]):
        return []
    near = blocks[v4].heading
    return [Assignment("NFSv4", near._replace(text="no-export"), near._replace(text="true"), block=v4)]


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
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
