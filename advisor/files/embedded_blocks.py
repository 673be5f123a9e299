"""NFS configuration in Terraform, Nomad, Chef, Vagrant, Nix, Puppet and Jenkins: options beside a type nfs, texts of
files beside their path, commands in strings.

These languages are read alike: words, brackets, and keys with values. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.files import outer
from advisor.files.embedded_commands import shell
from advisor.files.embedded_found import KINDS, OPTIONS, PATHS, TEXTS, Found, Values, looks_like_command
from advisor.files.placed import Placed
from advisor.files.records import Span
from advisor.files.words import TYPES, Scanner, Word

_LONG = {outer.NIX: ("''",), outer.GROOVY: ("'''", '"""')}
_DRIVERS = ("provisioner", "storageprovisioner", "pluginid", "driver")
_TALK = frozenset((
    "description", "comment", "message", "errormessage", "msg", "puts", "raise", "log", "notice", "fail",
))
_OF_NIX = {"exports": "exports", "extramodprobeconfig": "modprobe.d/nixos.conf"}
"""Key → the file that its value is."""
_FILES = ("template", "epp", "file", "templatefile", "lookup", "hiera", "regsubst", "fileexists", "source",
          "versioncmp", "defined", "member", "has_key", "getvar", "fact", "startswith", "contains")
"""Functions whose arguments are never the text of a file, nor options."""
_OPENS = ("if", "unless", "case", "def", "class", "module", "begin", "while", "until", "for")
MAX_CLIENTS = 10
"""Words of a string that may be a line of exports."""


class _Block:
    """`names`, `titles`: the words and strings in front of it. `inner`: the names of blocks inside."""

    def __init__(self, names: Sequence[str] = (), titles: Sequence[Placed] = ()) -> None:
        self.names, self.titles = names, list(titles)
        self.groups: dict[str, Values] = {}
        """What keys have in front, such as `a.b` in `a.b.type` → key → values."""
        self.inner: set[str] = set()
        self.span = Span(1, 1, 2)

    def values(self, path: str) -> list[Placed]:
        group, _, key = re.sub(r"\[:?['\"]?([^]['\":]*)['\"]?\]", r".\1", path).rpartition(".")
        return self.groups.setdefault(group, {}).setdefault(key.lower().replace("_", ""), [])


def read_blocks(found: Found, text: Placed, language: str) -> None:
    """Read a text in one of these languages."""
    scanner = Scanner(text, False, language in (outer.HCL, outer.GROOVY), _LONG.get(language, ()))
    _BlockReader(found, language).read([*scanner.tokens(), "\n"])


class _BlockReader:
    def __init__(self, found: Found, language: str) -> None:
        self.found, self.language = found, language
        self.lines = language != outer.NIX
        """Whether a line ends a statement."""
        self.calls = language in (outer.RUBY, outer.GROOVY)
        """Whether a statement may have pairs of its own: `a "b", type: "nfs"`."""

    def read(self, tokens: Sequence[Word | str]) -> None:
        stack: list[tuple[str, _Block]] = [("", _Block())]
        names: list[str] = []
        titles: list[Placed] = []
        values: list[Placed] | None = None
        pairs = _Block()
        called = ""
        known: dict[str, list[Placed]] = {}
        """Variable → what it is set to."""
        before: Word | str = ""
        for part, follows in zip(tokens, [*tokens[1:], ""]):
            closing, block = stack[-1]
            if isinstance(part, Word):
                path = part.value[:-1] if part.value.endswith(":") and self.language != outer.NIX else ""
                ruby = self.language == outer.RUBY and part.bare
                if ruby and (part.value == "do" or (not names and part.value in _OPENS)):
                    stack.append(("end", _Block(names, titles) if part.value == "do" else block))
                    names, titles, values = [], [], None
                elif ruby and part.value == "end" and closing == "end":
                    self._close(stack)
                    names, titles, values = [], [], None
                elif path and self.language == outer.PUPPET:
                    self._judge(block, None)
                    block.groups, block.titles = {}, [part.text.cut(0, len(path))]
                elif path or follows in ("=", "=>"):
                    inline = self.calls and closing != "}" and follows != "="
                    values = (pairs if inline else block).values(path or part.value.lstrip(":$"))
                    if values and ruby and follows == "=":  # another branch sets it; what each sets is one list
                        self._texts(part.value, [*values], "")
                        values.clear()
                    name = (path or part.value).rpartition(".")[2]
                    if name.startswith("$") or name.lower() not in OPTIONS:
                        known[name.lstrip("$")] = values
                    names.append(path or part.value)
                elif part.bare and values is not None and before in ("=", "=>") and closing != "…)" and (
                    set_to := known.get(part.value.lstrip("$").rpartition(".")[2])
                ):
                    values += set_to
                elif not part.bare or before == "<<" or (values is not None and part.value in (*TYPES, "true")):
                    called = names[0] if len(names) == 1 and not titles else called
                    if closing != "…)":
                        (titles if values is None else values).append(part.text)
                else:
                    names.append(part.value)
            elif part in "{([":
                named = part == "(" and isinstance(before, Word) and before.value in _FILES
                closes = "…)" if named else {"{": "}", "(": ")", "[": "]"}[part]
                stack.append((closes, _Block(names, titles) if part == "{" else block))
                if part == "{":
                    names, titles, values = [], [], None
            elif part in "})]":
                if called and values is None and part == "}":
                    block.values(called).extend(titles)
                    called = ""
                if closing.endswith(part):
                    self._close(stack)
                    names, titles, values = ([], [], None) if part == "}" else (names, titles, values)
            elif closing not in ("]", ")", "…)") and (
                part == ";" or (part == "," and not self.calls)
                or (part == "\n" and self.lines and before not in (",", "=", "=>"))
            ):
                if called and values is None:
                    block.values(called).extend(titles)
                if pairs.groups:
                    pairs.names, pairs.titles = names, titles
                    self._judge(pairs, None)
                names, titles, values, pairs, called = [], [], None, _Block(), ""
            before = part
        while len(stack) > 1:
            self._close(stack)
        self._judge(stack[0][1], None)

    def _close(self, stack: list[tuple[str, _Block]]) -> None:
        _, block = stack.pop()
        above = stack[-1][1]
        if block is not above:
            self._judge(block, above)
            above.inner.update(block.inner, (name.lower() for name in block.names))
            if [name.lower() for name in block.names[-1:]] == ["mountconfig"]:
                above.groups.setdefault("", {}).update(block.groups.get("", {}))

    def _judge(self, block: _Block, above: _Block | None) -> None:
        """Take what is in a block, now that all of it is known."""
        around = above.groups.get("", {}) if above else {}
        title = next((text.text for text in block.titles), "")
        for group, given in block.groups.items():
            name = " ".join([*block.names, group])
            file = title if "/" in title else ""
            if "environment.etc." in name:
                file = f"/etc/{name.partition('environment.etc.')[2]}"
            for key, path in _OF_NIX.items():
                self.found.together("", {"text": given.get(key, [])}, block.span, path=path)
            drivers = [text.text for key in _DRIVERS for text in (*given.get(key, ()), *around.get(key, ()))]
            driver = "nfs" in block.inner or any(re.search(r"\bnfs|efs\.csi", text) for text in drivers)
            place = next((text.span for key in (*OPTIONS, *KINDS) for text in given.get(key, ())), block.span)
            self.found.together(name, given, place, titles=block.titles, path=file, driver=driver)
            is_file = file or any("/" in text.text for key in PATHS for text in given.get(key, ()))
            for key, texts in given.items():
                kinds = key in OPTIONS and any(given.get(kind) for kind in KINDS)
                if key not in _OF_NIX and not kinds and not (key in TEXTS and is_file):
                    self._texts(title if key == "default" else key, texts, name)
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
        elif not self.found.options(key, texts):
            self._exports(texts)

    def _written(self, text: Placed) -> bool:
        return self.found.written("", Placed.joined([text, "\n"]))

    def _exports(self, texts: Sequence[Placed]) -> None:
        """Lines of exports."""
        for text in texts:
            for line in re.finditer(r"[^\n]+", text.text):
                if line[0].rstrip().endswith(")") and len(line[0].split()) < MAX_CLIENTS:
                    before, behind = len(line[0]) - len(line[0].lstrip()), len(line[0]) - len(line[0].rstrip())
                    self.found.export_part(text.cut(line.start() + before, line.end() - behind))
