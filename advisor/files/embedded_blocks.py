"""Embedded text in Terraform, Nomad, Chef, Vagrant, Nix, Puppet, Jenkins and XML, which are read alike: words,
brackets, and keys with values. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from advisor.files import kinds
from advisor.files.embedded_commands import shell
from advisor.files.embedded_found import (
    CLIENTS,
    EXPORT_ITEM,
    KINDS,
    OPTIONS,
    PATHS,
    TEXTS,
    Found,
    Values,
    looks_like_command,
)
from advisor.files.records import Placed, Span
from advisor.files.words import TYPES, Scanner, Word, elements
from advisor.regex import regex

_LONG = {kinds.NIX: ("''",), **dict.fromkeys((kinds.GROOVY, kinds.HCL), ("'''", '"""'))}
_DRIVERS = ("provisioner", "storageprovisioner", "pluginid", "driver")
_BARE = regex(rf"{'|'.join(TYPES)}|true|false|\d+")
"""What counts as a value without quotes."""
_CALLED = (["value"], ["writeable"], ["sync"])
"""Properties in Chef that have a value without quotes."""
_TALK = frozenset((
    "description", "comment", "message", "errormessage", "msg", "puts", "raise", "log", "notice", "fail",
))
_OF_NIX = {"exports": "exports", "extramodprobeconfig": "modprobe.d/nixos.conf"}
"""Key → the file that its value is."""
_FILES = ("template", "epp", "file", "templatefile", "lookup", "hiera", "regsubst", "fileexists", "source",
          "versioncmp", "defined", "member", "has_key", "getvar", "fact", "startswith", "contains")
"""Functions whose arguments are never the text of a file, nor options."""
_OPENS = ("if", "unless", "case", "def", "class", "module", "begin", "while", "until", "for")
MAX_LISTED = 20
"""Values that a name stands for: `a = b` and `b = a` would double them each time."""
MIN_ITEMS = 4
"""Options of an export and the commas before them: fewer are a list of something else."""
MAX_CLIENTS = 10
"""Words of a string that may be a line of exports."""


_TOP = Span(1, 1, 2)


class _Block:
    """`names`, `titles`: the words and strings in front of it. `at`: the last word before it, whatever it is. `inner`:
    the names of blocks inside."""

    def __init__(self, names: Sequence[str] = (), titles: Sequence[Placed] = (), at: Span = _TOP) -> None:
        self.names, self.titles, self.at = names, list(titles), at
        self.groups: dict[str, Values] = {}
        """What keys have in front, such as `a.b` in `a.b.type` → key → values."""
        self.inner: set[str] = set()

    @property
    def span(self) -> Span:
        """The place of what is said of the whole block."""
        return self.titles[0].span if self.titles else self.at

    @property
    def declared(self) -> str:
        """The name of the variable or option that this may declare."""
        return next((text.text for text in self.titles), self.names[0] if self.names else "")

    def values(self, path: str) -> list[Placed]:
        group, _, key = re.sub(r"\[:?['\"]?([^]['\":]*)['\"]?\]", r".\1", path).rpartition(".")
        return self.groups.setdefault(group, {}).setdefault(key.lower().replace("_", ""), [])


class _BlockReader:
    """Goes through the words and signs of a text. `names`, `titles`: the bare words and the strings since the last
    statement ended; `values`: those of the key behind which it is, None for none."""

    def __init__(self, found: Found, language: str) -> None:
        self.found, self.language = found, language
        self.lines = language != kinds.NIX
        """Whether a line ends a statement."""
        self.calls = language in (kinds.RUBY, kinds.GROOVY)
        """Whether a statement may have pairs of its own: `a "b", type: "nfs"`."""
        self.known: dict[str, list[Placed]] = {}
        """Variable → what it is set to."""
        self.stack: list[tuple[str, _Block]] = [("", _Block())]
        """What ends each open block, and the block."""
        self.at, self.branch = _TOP, 0
        self.before: Word | str = ""
        self._begin_statement()

    def _begin(self) -> None:
        self.names: list[str] = []
        self.titles: list[Placed] = []
        self.values: list[Placed] | None = None

    def _begin_statement(self) -> None:
        self._begin()
        self.pairs, self.called = _Block(), ""

    def read(self, tokens: Sequence[Word | str]) -> None:
        for part, follows in zip(tokens, [*tokens[1:], ""]):
            if isinstance(part, Word):
                self.at = part.text.span
                self._word(part, follows)
            elif part in "{([":
                self._opening(part)
            elif part in "})]":
                self._closing(part)
            elif self._ends_statement(part):
                self._end_statement()
            self.before = part
        while len(self.stack) > 1:
            self._close()
        self._judge(self.stack[0][1], None)

    def _word(self, part: Word, follows: Word | str) -> None:
        closing, block = self.stack[-1]
        path = part.value[:-1] if part.value.endswith(":") and self.language != kinds.NIX else ""
        if self.language == kinds.RUBY and part.bare and self._opens_or_ends(part.value):
            return
        if path and self.language == kinds.PUPPET:
            self._judge(block, None)
            block.groups, block.titles = {}, [part.text.cut(0, len(path))]
        elif path or follows in ("=", "=>"):
            self._key(part, path, follows)
        elif self.language == kinds.NIX and part.bare and part.value in ("then", "else") and self.values is not None:
            if part.value == "else":  # what each branch lists is one list
                self._texts(self.names[-1] if self.names else "", [*self.values], "")
                del self.values[self.branch :]
            self.branch = len(self.values)
        elif part.bare and self.values is not None and self.before in ("=", "=>") and closing != "…)" and (
            set_to := self.known.get(part.value.lstrip("$").rpartition(".")[2])
        ):
            self.values += set_to[: max(0, MAX_LISTED - len(self.values))]
        elif not part.bare or self.before == "<<" or (
            (self.values is not None or self.names in _CALLED) and _BARE.fullmatch(part.value)
        ):
            self.called = self.names[0] if len(self.names) == 1 and not self.titles else self.called
            if closing != "…)":
                (self.titles if self.values is None else self.values).append(part.text)
        else:
            self.names.append(part.value)

    def _opens_or_ends(self, word: str) -> bool:
        """Whether this word of Ruby opens or ends a block."""
        closing, block = self.stack[-1]
        if word == "do" or (not self.names and word in _OPENS):
            self.stack.append(("end", _Block(self.names, self.titles, self.at) if word == "do" else block))
        elif word == "end" and closing == "end":
            self._close()
        else:
            return False
        self._begin()
        return True

    def _key(self, part: Word, path: str, follows: Word | str) -> None:
        """Take a key, or a variable that is set: what follows are its values. `path`: the key in front of a colon."""
        closing, block = self.stack[-1]
        inline = self.calls and closing != "}" and follows != "="
        values = (self.pairs if inline else block).values(path or part.value.lstrip(":$"))
        if values and self.language == kinds.RUBY and part.bare and follows == "=":
            self._texts(part.value, [*values], "")  # another branch sets it; what each sets is one list
            values.clear()
        name = (path or part.value).rpartition(".")[2]
        name = "value" if name == "for_each" else name  # what `each.value` goes through
        if name.startswith("$") or name.lower() not in OPTIONS or (name != "options" and self.language == kinds.NIX):
            self.known[name.lstrip("$")] = values
        self.values = values
        self.names.append(path or part.value)

    def _opening(self, sign: str) -> None:
        named = sign == "(" and isinstance(self.before, Word) and self.before.value in _FILES
        closes = "…)" if named else {"{": "}", "(": ")", "[": "]"}[sign]
        inner = _Block(self.names, self.titles, self.at) if sign == "{" else self.stack[-1][1]
        self.stack.append((closes, inner))
        if sign == "{":
            self._begin()

    def _closing(self, sign: str) -> None:
        closing, block = self.stack[-1]
        if self.called and self.values is None and sign == "}":
            block.values(self.called).extend(self.titles)
            self.called = ""
        elif self.values is None and sign == "}":  # what a block ends with is its value
            self._exports(self.titles)
        if closing.endswith(sign):
            self._close()
            if sign == "}":
                self._begin()

    def _ends_statement(self, sign: str) -> bool:
        return self.stack[-1][0] not in ("]", ")", "…)") and (
            sign == ";" or (sign == "," and not self.calls)
            or (sign == "\n" and self.lines and self.before not in (",", "=", "=>"))
        )

    def _end_statement(self) -> None:
        if self.called and self.values is None:
            self.stack[-1][1].values(self.called).extend(self.titles)
        if self.pairs.groups:
            self.pairs.names, self.pairs.titles, self.pairs.at = self.names, self.titles, self.at
            self._judge(self.pairs, None)
        self._begin_statement()

    def _close(self) -> None:
        _, block = self.stack.pop()
        above = self.stack[-1][1]
        if block is not above:
            if block.names == ["content"]:  # of a dynamic block, whose title is its name
                block.titles = above.titles
            self._judge(block, above)
            default, declared = block.groups.get("", {}).get("default"), block.declared.rpartition(".")[2]
            self.known[declared] = self.known.get(declared) or default or []
            above.inner.update(block.inner, (name.lower() for name in block.names))
            encoded = block.groups.get("", {}).get("source", []) if block.names == ["contents"] else []  # of Ignition
            above.values("contents").extend(text for text in encoded if text.text.startswith("data:"))
            if block.names and block.names[-1].lower() in ("mountconfig", "allow"):
                above.groups.setdefault("", {}).update(block.groups.get("", {}))

    def _judge(self, block: _Block, above: _Block | None) -> None:
        """Take what is in a block, now that all of it is known."""
        around = above.groups.get("", {}) if above else {}
        title = next((text.text for text in block.titles), "")
        of_language = _OF_NIX if self.language == kinds.NIX else {}
        for group, given in block.groups.items():
            name = " ".join([*block.names, group])
            file = title if "/" in title else ""
            if "environment.etc." in name:
                file = f"/etc/{name.partition('environment.etc.')[2]}"
            for key, path in of_language.items():
                self.found.together("", {"text": given.get(key, [])}, block.span, path=path)
            self.found.ports += given.get("allowedtcpports", ())
            drivers = [text.text for key in _DRIVERS for text in (*given.get(key, ()), *around.get(key, ()))]
            drivers += [text for text in (*block.inner, *block.names[-1:]) if text in ("nfs", ":nfs")]
            driver = any(re.search(r"\bnfs|efs\.csi", text) for text in drivers)
            place = next((text.span for key in (*OPTIONS, *KINDS) for text in given.get(key, ())), block.span)
            self.found.together(name, given, place, titles=block.titles, path=file, driver=driver)
            provisioner = around.get("storageprovisioner")
            if provisioner and block.names == ["parameters"]:
                fields = [Placed.joined([f'\n  {key}: "', *texts[:1], '"']) for key, texts in given.items()]
                self.found.segment("kubernetes", "class.yaml", Placed.joined([
                    "kind: StorageClass\nprovisioner: ", provisioner[0], "\nparameters:", *fields, "\n"]))
            is_file = file or any("/" in text.text for key in PATHS for text in given.get(key, ()))
            for key, texts in given.items():
                of_kind = key in OPTIONS and any(given.get(kind) for kind in (*KINDS, *CLIENTS))
                if key not in of_language and not of_kind and not (key in TEXTS and is_file):
                    self._texts(block.declared if key == "default" else key, texts, name)
        self._texts("", block.titles, " ".join(block.names))

    def _texts(self, key: str, texts: Sequence[Placed], name: str) -> None:
        """Commands, files whose path is not known, options under a name that tells."""
        if key in _TALK or name.partition(" ")[0].rpartition(".")[2] in _TALK:
            self.found.see(*texts)
        elif any("\n" in text.text or looks_like_command(text.text) for text in texts):
            whole = [text for text in texts if len(texts) == 1 or not text.text.startswith("#!")]  # a list has lines
            if not any(list(map(self._written, whole))):
                shell(self.found, Placed.joined([part for text in texts for part in (text, "\n")]))
                self._exports(texts)
        elif not any(list(map(self.found.map_line, texts))) and not self.found.options(key, texts):
            self._exports(texts)

    def _written(self, text: Placed) -> bool:
        return self.found.written("", Placed.joined([text, "\n"]))

    def _exports(self, texts: Sequence[Placed]) -> None:
        """Lines of exports, and lists of their options."""
        for of_export, run in groupby(texts, lambda text: EXPORT_ITEM.fullmatch(text.text) is not None):
            listed = [part for text in run for part in (",", text)] if of_export else []
            if len(listed) > MIN_ITEMS:
                self.found.export_part(Placed.joined(listed[1:]))
        for text in texts:
            for line in re.finditer(r"[^\n]+", text.text):
                if line[0].rstrip().endswith(")") and len(line[0].split()) < MAX_CLIENTS:
                    before, behind = len(line[0]) - len(line[0].lstrip()), len(line[0]) - len(line[0].rstrip())
                    self.found.export_part(text.cut(line.start() + before, line.end() - behind))


def read_blocks(found: Found, language: str, text: Placed) -> None:
    """Read text of one of these languages."""
    if language == kinds.XML:
        tokens = elements(text)
    else:
        tokens = Scanner(text, False, language in (kinds.HCL, kinds.GROOVY), _LONG.get(language, ())).tokens()
    _BlockReader(found, language).read([*tokens, "\n"])
