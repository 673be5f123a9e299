"""What all builders of files share: files as records, the advice, the rule base, files.yaml, the heads of files, and
templates with what is put into them: arbitrary names, quoted for each file format so that it reads the same name
back."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from textwrap import wrap
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from advisor.advice.answers import NAMES
from advisor.advice.arguments import pin_costs
from advisor.advice.model import Advice, Row
from advisor.advice.rows import bracketed_host, field, in_order, mount_options, option_list
from advisor.advice.verdict import missing_options, warning
from advisor.engine import operand, word_list
from advisor.files.units import escaped, plain_path
from advisor.install.kept_templates import KeptTemplates
from advisor.lint.suppress import SIGN
from advisor.named_tuple import grouped
from advisor.pages.style import visible
from advisor.pages.wording import outcome, question, release_instead
from advisor.regex import regex
from advisor.rulebase.model import RuleBase, Values
from advisor.rulebase.values import is_bound, told_name

_PLAIN = regex(r"[A-Za-z0-9_./:@+=,-]+(?: [A-Za-z0-9_./:@+=,-]+)*")
_YAML_PLAIN = regex(r"[A-Za-z/][A-Za-z0-9_./-]*(?:=[A-Za-z0-9_./:-]+)?")
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
_YAML_LINE = 80
_EXPORTS_PLAIN = regex(r"[A-Za-z0-9_./:@*?\[\]^!-]")
_AUTOFS_PLAIN = regex(r"[A-Za-z0-9_./:@%+=~,\[\]-]")
_SPLIT = regex(r"[\s*?\[\\]")
_FIO_PLAIN = regex(r"[A-Za-z0-9_./+=@-]+")


class Unwritable(ValueError):
    """A name cannot be written in a file's format; the text says which and why."""


def plain(value: object) -> str:
    """A value in a format that has no way to quote one: it may contain nothing that the format reads otherwise."""
    text = str(value)
    if not _PLAIN.fullmatch(text):
        raise Unwritable(f"{visible(text)}: contains a character that the file would misread")
    return text


def unit(text: str) -> str:
    """A value in a systemd unit: % begins a specifier, and a backslash at the end joins the next line."""
    if text != text.strip():
        raise Unwritable(f"{visible(text)}: a systemd unit loses spaces at the ends of a value")
    if (len(text) - len(text.rstrip("\\"))) % 2:
        raise Unwritable(f"{visible(text)}: a systemd unit cannot contain a value that ends in a backslash")
    if any("\ud800" <= char <= "\udfff" for char in text):  # bytes of a name, which no encoding has
        raise Unwritable(f"{visible(text)}: systemd accepts only UTF-8")
    return text.replace("%", "%%")


def yaml(value: object) -> str:
    """A scalar on one line that YAML 1.1 and 1.2 read alike."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if _YAML_PLAIN.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return text
    return '"' + "".join(map(_yaml_char, text)) + '"'


def _yaml_char(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def ansible(value: object) -> str:
    """A scalar that Ansible reads literally: what looks like one of its templates is marked as plain text."""
    marked = isinstance(value, str) and any(sign in value for sign in ("{{", "{%", "{#"))
    return f"!unsafe {yaml(value)}" if marked else yaml(value)


def ansible_below(text: str, indent: int) -> str:
    """The same after a key, for long text: what does not fit in 80 characters is folded into several lines, which YAML
    joins by spaces."""
    short = ansible(text)
    folds = short.startswith('"') and text.isprintable() and text == text.strip()
    if len(short) < _YAML_LINE // 2 or not folds or "  " in text:
        return f" {short}"
    lines = wrap(text, _YAML_LINE - indent, break_long_words=False, break_on_hyphens=False)
    return "".join([" >-", *(f"\n{' ' * indent}{line}" for line in lines)])


def single_word(text: str) -> str:
    """A value that a shell script uses without quotation marks, so that nothing in it may split or expand."""
    if _SPLIT.search(text):
        raise Unwritable(
            f"{visible(text)}: the cluster's agent splits a path at spaces, and expands *, ?, [ and backslashes; "
            "export a directory without these"
        )
    return text


def exports(text: str) -> str:
    """A path or a client in exports(5), with octal escapes.

    exportfs decodes a backslash and three digits even where the backslash itself came from an escape, so beside one
    every character is escaped."""
    every = "\\" in text
    return "".join(
        char if char == "/" or (not every and _EXPORTS_PLAIN.fullmatch(char)) else _octal(char) for char in text
    )


def exportfs_client(client: str) -> str:
    """A client as exportfs CLIENT:PATH has it: an IPv6 address or network in brackets."""
    address, slash, length = client.partition("/")
    return f"{bracketed_host(address)}{slash}{length}"


def autofs(text: str) -> str:
    """A key or a location in an autofs map, with a backslash before each special character."""
    return "".join(char if _AUTOFS_PLAIN.fullmatch(char) or not char.isascii() else f"\\{char}" for char in text)


def fio(text: str) -> str | None:
    """A directory in a fio job file; None if fio would cut or expand it, which nothing prevents."""
    return text if _FIO_PLAIN.fullmatch(text) else None


def xml(value: object) -> str:
    return escape(visible(str(value)), quote=True)


def comment(lines: list[str], sign: str = "#") -> str:
    """Comment lines. None ends in a backslash, which would join the next line to it in half of the formats."""
    written = [f"{sign} {visible(line)}".rstrip() for line in lines]
    return "\n".join(f"{line[:-1]}\\x5c" if line.endswith("\\") else line for line in written)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


_LONGEST = 255
"""Characters of a unit's name, suffix included."""


def simplified(path: str) -> str:
    """The path without doubled slashes and "." parts, as Where= must have it."""
    plain = plain_path(path)
    if plain is None:
        raise Unwritable(f"{path}: systemd accepts no mount point with .. in it")
    return plain


def unit_name(path: str, suffix: str) -> str:
    """ "mnt-data.mount" for /mnt/data and "mount"."""
    name = f"{escaped(simplified(path))}.{suffix}"
    if len(name) > _LONGEST:
        raise Unwritable(f"{path}: is too long for the name of a systemd unit")
    return name


@cache
def environment() -> Environment:
    env = Environment(  # noqa: S701  no template is HTML
        loader=PackageLoader("advisor.install"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, bytecode_cache=KeptTemplates(str(files("advisor.install") / "templates")),
    )
    env.filters |= {
        "comment": comment, "plain": plain, "yaml": yaml, "ansible": ansible,
        "ansible_below": ansible_below,
        "sh": shlex.quote, "unit": unit, "autofs": autofs, "exports": exports, "xml": xml,
    }
    return env


def render(template: str, **values: object) -> str:
    """A template's text. It ends in one newline."""
    return environment().get_template(f"{template}.j2").render(**values).rstrip("\n") + "\n"


_WIDTH = 74
"""Characters of a comment's line, without its sign and indentation: yamllint allows 80 characters per line."""
ARGUMENT = "Facts, reasons and sources: {}"
_STAND_INS = "Names that stand for your own"


class Artefact(NamedTuple):
    """A file. `path`: below the folder that it is written to; `install`: where it belongs on the host, "" for one that
    is run or read in place. `content`: the text of a report is made when it is read. `apply`, `verify`, `undo`:
    commands, names quoted for a shell."""

    path: str
    content: str | Callable[[], str]
    title: str
    install: str = ""
    apply: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    mode: int = 0o644

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else self.content()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are neither blank nor comments; () for a report."""
        whole = self.content.splitlines() if isinstance(self.content, str) else ()
        return tuple(line for line in whole if line.strip() and not line.startswith("#"))


def for_people(step: str) -> bool:
    """Whether a step is a sentence, not a command: it begins with a capital letter, but not with a variable."""
    return step[:1].isupper() and "=" not in step.partition(" ")[0]


@cache
def data() -> dict[str, Any]:
    """files.yaml."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import

    text = files("advisor.install").joinpath("files.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = YAML(typ="safe").load(text)
    return read


class FileContext:
    """One advice, and what the files made from it have in common."""

    def __init__(self, base: RuleBase, advice: Advice, argument: str) -> None:
        self.base = base
        self.advice = advice
        self.data = data()
        name = advice.answers.name
        self.server, self.export, self.target = bracketed_host(name("server")), name("export"), name("target")
        self.source = f"{self.server}:{self.export}"
        self.type = field(advice, "type", "nfs")
        self.options = plain(option_list(advice))
        self.remarks: list[str] = []
        """What could not be written, and why; for the report."""
        self.argument = argument
        """A sentence that refers to the facts, reasons and sources."""

    def known(self, fact: str) -> object:
        """The one value that a fact has, answered or not; None while several are possible."""
        state, value = self.advice.state, self.advice.answers.facts.get(fact)
        if value is None and fact in state:
            value = self.base.engine.answer(fact, state[fact])
        return None if isinstance(value, list) or is_bound(value) else value

    def any_known(self, wanted: Mapping[str, object]) -> bool:
        """Whether one of the facts is known to have the value beside it."""
        return any(self.known(fact) == value for fact, value in wanted.items())

    @property
    def is_server(self) -> bool:
        return self.advice.server

    @property
    def clients(self) -> list[str]:
        """To whom the server exports, as exports(5) names them."""
        return self.advice.answers.name("clients").split(" ")

    @property
    def exported(self) -> list[str]:
        """The export to each client, as exportfs -u names it."""
        return [f"{exportfs_client(client)}:{self.export}" for client in self.clients]

    @property
    def mounted(self) -> tuple[Row, ...]:
        """The mount options that are written; none on a server, or while one that must be written is open."""
        return () if self.is_server or self.lacking else mount_options(self.advice)

    @property
    def lacking(self) -> list[Row]:
        """Open options, or a type, that have to be written one way or another: a mount without them is not yet
        advised."""
        return missing_options(self.advice)

    def portable(self, but: Iterable[str] = ()) -> list[Row]:
        """The mount options that mean the same outside fstab, and those of `but`."""
        left_out = set(self.data["fstab_only"]).difference(but)
        return [option for option in self.mounted if option.tunable not in left_out]

    def settled(self, kind: str) -> list[Row]:
        """What there is to write of a kind: concrete, and not in effect anyway."""
        return [
            row for row in self.advice.advised
            if row.kind == kind and row.written is not None
            and (row.pinned or not row.already)
        ]

    @property
    def at_root(self) -> bool:
        return not self.target.strip("/")

    def head_of(self, file: str) -> list[str]:
        """The lines that head a file of files.yaml."""
        described = self.data["files"][file]
        return self.head(described["title"], described["kinds"], described.get("names", ()))

    def head(self, title: str, kinds: Iterable[str] = (), names: Iterable[str] = ()) -> list[str]:
        """The lines that head a file: what wrote it, where the argument is, and which settings of its kinds are open.
        `names`: of NAMES, those that occur in the file."""
        stand_ins = self._stand_ins(names)
        lines = [f"{title}.", self._maker(), self.argument]
        lines += [visible(warned)] if "mount-option" in kinds and (warned := warning(self.advice)) else []
        lines += [visible(f"{_STAND_INS}: {'; '.join(stand_ins)}")] * bool(stand_ins)
        said = self.statements(short="fstab-field" not in kinds) if kinds else []
        return [*(line for fact in lines for line in wrapped(fact)), *self.open_lines(kinds), *said]

    def statements(self, *, short: bool = True) -> Iterator[str]:
        """The lines by which lint knows what is known here. `short`: no longer than YAML may have them."""
        answers = self.advice.answers
        facts = {name: value for name, value in answers.facts.items() if value != "n/a"}
        pins = {**{name: facts[name] for name in facts if name in self.base.decisions}, **answers.pins}
        for word, said in (("facts", facts), ("pins", pins)):
            line: dict[str, Values] = {}
            for name, value in said.items():
                if short and line and len(json.dumps({**line, name: value})) > _WIDTH - len(SIGN + word):
                    yield f"{SIGN[2:]}{word} {json.dumps(line)}"
                    line = {}
                line[name] = value
            if line:
                yield f"{SIGN[2:]}{word} {json.dumps(line)}"

    def _maker(self) -> str:
        return f"Made by advisor {self.advice.version} from the rule base {self.advice.base_hash}."

    def _stand_ins(self, names: Iterable[str]) -> list[str]:
        answers = self.advice.answers
        return [f"{name} ({answers.name(name)})" for name in NAMES if name in names and not answers.names.get(name)]

    def provenance(self, names: Iterable[str]) -> list[str]:
        """What wrote the files, and from what."""
        answers = self.advice.answers
        given = [f"{name} = {operand(value)}" for name, value in sorted(answers.facts.items())
                 if name not in answers.origin]
        found = [f"{name} = {operand(answers.facts[name])} ({where})" for name, where in sorted(answers.origin.items())
                 if name in answers.facts]
        held = [f"{name} = {operand(value)}" for name, value in sorted(answers.pins.items())]
        unknown = [name for name in sorted(answers.unknown) if not release_instead(self.base, answers, name)]
        kinds = (
            ("Given", given), ("Found", found), ("Pinned", held), ("Not known", unknown),
            (_STAND_INS, self._stand_ins(names)),
        )
        return [self._maker(), *(visible(f"{word}: {'; '.join(words)}") for word, words in kinds if words)]

    def open_lines(self, kinds: Iterable[str]) -> list[str]:
        """The questions that settle what is open among these kinds, each with the settings that wait for it. Which
        values these may have is in the report."""
        wanted = set(kinds)
        asked = grouped((setting.asks[0] if setting.asks else "", setting) for setting in in_order(self.advice.open)
                        if setting.kind in wanted and (setting.asks or setting.strength == "must"))
        lines: list[str] = []
        for fact, waiting in asked.items():
            names = word_list([row.tunable.removeprefix(f"{row.kind}.") if row.kind in ("nfs.conf", "ganesha.conf")
                               else told_name(row.definition) for row in waiting], "and")
            ask = f"until you answer: {question(self.base, fact)} (--set {fact}=…)" if fact else "see the report"
            lines += wrapped(f"Open: {names}, {ask}")
        return lines

    def about(self, row: Row) -> list[str]:
        """Why a setting is written, and what that rests on, as lines for a comment. The sources are in the report."""
        return [
            *wrapped(f"{row.tunable}: {row.why}"),
            *(line for words in self._taken(row) for line in wrapped(words, "  ")),
        ]

    def reasons(self, several: Iterable[Row]) -> list[str]:
        """The same for settings that are in one line; what more than one of them rests on is said once."""
        return [line for part in self.argued(several) for line in part]

    def argued(self, several: Iterable[Row]) -> list[list[str]]:
        """The same, each setting for itself and what they rest on at the end."""
        ours = list(several)
        taken = self.taken(ours)
        return [*(wrapped(f"{row.tunable}: {row.why}") for row in ours), *([taken] if taken else [])]

    def taken(self, several: Iterable[Row]) -> list[str]:
        """What settings rest on, and what they are pinned against, without the reasons."""
        texts = dict.fromkeys(text for row in several for text in self._taken(row))
        return [line for text in texts for line in wrapped(text)]

    def _taken(self, row: Row) -> Iterator[str]:
        for cost in pin_costs(self.base, self.advice, row):
            strength = ", ".join(word for word in (cost.strength, cost.consequence) if word)
            if cost.rule:
                yield f"Pinned against rule {cost.rule}: {outcome(cost.value)} ({strength}). {cost.why}"
        for taken in row.rests_on:
            yield f"Assumes {taken.fact} = {operand(taken.value)}; otherwise say --set {taken.fact}=…"
        for taken in row.presumes:
            yield f"Assumes {taken.fact} = {operand(taken.value)}: {taken.why}"

    def artefact(self, file: str, text: str, **changes: object) -> Artefact:
        """A file of files.yaml with this text. `changes`: of what files.yaml says; `more_verify` and `more_undo` are
        steps that follow its own, as they are."""
        described = {**self.data["files"][file], **changes}
        described |= described.get("at_root", {}) if self.at_root else {}
        raw = self._names(described)
        path, install = described["path"].format_map(raw), described.get("install", "").format_map(raw)
        quoted = {key: shlex.quote(text) for key, text in {**raw, "here": path, "install": install}.items()}
        quoted |= self._before(install, quoted)
        quoted["withdraw"] = "; ".join(f"exportfs -u {shlex.quote(export)}" for export in self.exported)
        steps = {
            key: (*filter(None, (step.format_map(quoted) for step in described[key])),
                  *described.get(f"more_{key}", ()))
            for key in ("apply", "verify", "undo")
        }
        return Artefact(path, text, described["title"], install, mode=described.get("mode", 0o644), **steps)

    def rendered(self, file: str, values: Mapping[str, object], **changes: object) -> Artefact:
        """A file of files.yaml, made from the template of its name. `values`: for the template, which also gets `head`
        and `c`, this context; `changes`: as for `artefact`."""
        text = render(file, **{"head": self.head_of(file), "c": self, **values})
        return self.artefact(file, text, **changes)

    def _before(self, install: str, quoted: Mapping[str, str]) -> dict[str, str]:
        """The steps that keep and put back a file that was there before; "" if it was seen that there is none."""
        known = self.advice.answers.before.get(install)
        if known is not None and known.value is None:
            return {"keep": "", "back": ""}
        return {word: self.data[word].format_map(quoted) for word in ("keep", "back")}

    def _names(self, described: Mapping[str, Any]) -> dict[str, str]:
        names = {
            "source": self.source, "target": self.target, "options": self.options, "type": self.type, "unit": "",
            "automount": "",
        }
        if any("unit}" in step or "automount}" in step for step in (described["path"], *described["apply"])):
            names["unit"] = unit_name(self.target, "mount")
            names["automount"] = unit_name(self.target, "automount")
        return names


def wrapped(text: str, indent: str = "") -> list[str]:
    """Lines of a comment; addresses are never broken."""
    return wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False,
                break_on_hyphens=False)
