"""What all builders of files share: files as records, the advice, the rule base, files.yaml, and the heads of files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from textwrap import wrap
from typing import Any, NamedTuple

from advisor.advice.answers import NAMES
from advisor.advice.arguments import pin_costs
from advisor.advice.model import Advice, Row
from advisor.advice.mount_line import bracketed_host, field, missing_options, mount_options, option_list
from advisor.engine.errors import word_list
from advisor.install import templating
from advisor.install.templating import exportfs_client, render, unit_name
from advisor.pages.escape import visible
from advisor.pages.wording import operand, outcome
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import is_bound

_WIDTH = 74
"""Characters of a comment's line, without its sign and indentation: yamllint allows 80 characters per line."""
ARGUMENT = "Facts, reasons and sources: {}"
_STAND_INS = "Names that stand for your own"


class Artefact(NamedTuple):
    """A file. `path`: below the folder that it is written to; `install`: where it belongs on the host, "" for one that
    is run or read in place. `apply`, `verify`, `undo`: commands, names quoted for a shell."""

    path: str
    text: str
    title: str
    install: str = ""
    apply: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    mode: int = 0o644

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are neither blank nor comments."""
        return tuple(line for line in self.text.splitlines() if line.strip() and not line.startswith("#"))


def kernel_file(tunable: str) -> str:
    """The file with the value that is in effect, of a sysctl or a module's parameter."""
    kind, _, name = tunable.partition(".")
    if kind == "sysctl":
        return f"/proc/sys/{name.replace('.', '/')}"
    module, _, parameter = name.partition(".")
    return f"/sys/module/{module}/parameters/{parameter}"


def for_people(step: str) -> bool:
    """Whether a step is a sentence, not a command: it begins with a capital letter."""
    return step[:1].isupper()


@cache
def data() -> dict[str, Any]:
    """files.yaml."""
    from ruamel.yaml import YAML  # noqa: PLC0415  slow to import

    text = files("advisor.install").joinpath("files.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = YAML(typ="safe", pure=True).load(text)
    return read


class FileContext:
    """One advice, and what the files made from it have in common."""

    def __init__(self, base: RuleBase, advice: Advice, argument: str = ARGUMENT.format("REPORT.md")) -> None:
        self.base = base
        self.advice = advice
        self.data = data()
        name = advice.answers.name
        self.server, self.export, self.target = bracketed_host(name("server")), name("export"), name("target")
        self.source = f"{self.server}:{self.export}"
        self.type = field(advice, "type", "nfs")
        self.options = templating.plain(option_list(advice))
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
            recommendation for recommendation in self.advice.advised
            if recommendation.kind == kind and recommendation.written is not None
            and (recommendation.pinned or not recommendation.already)
        ]

    @property
    def at_root(self) -> bool:
        """Whether the mount point is /."""
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
        lines += [visible(f"{_STAND_INS}: {'; '.join(stand_ins)}")] * bool(stand_ins)
        return [line for fact in lines for line in wrapped(fact)] + self.open_lines(kinds)

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
        kinds = (
            ("Given", given), ("Found", found), ("Pinned", held), ("Nobody knows", sorted(answers.unknown)),
            (_STAND_INS, self._stand_ins(names)),
        )
        return [
            self._maker(),
            *(visible(f"{word}: {'; '.join(words)}") for word, words in kinds if words),
        ]

    def open_lines(self, kinds: Iterable[str]) -> list[str]:
        """What is not settled among these kinds, and the questions that would settle it."""
        wanted = set(kinds)
        lines: list[str] = []
        for setting in self.advice.open:
            if setting.kind not in wanted:
                continue
            values = word_list([*dict.fromkeys(outcome(possible.value) for possible in setting.possible)])
            asks = [f"{(self.base.facts[fact].ask or fact)} (--set {fact}=…)" for fact in setting.asks]
            settles = f" Settled by: {' '.join(asks)}" if asks else ""
            lines += wrapped(f"Open: {setting.tunable} ({values}).{settles}")
        return lines

    def about(self, recommendation: Row) -> list[str]:
        """Why a setting is written, and what that rests on, as lines for a comment. The sources are in the report."""
        return [
            *self._why(recommendation),
            *(line for words in self._taken(recommendation) for line in wrapped(words, "  ")),
        ]

    def reasons(self, several: Iterable[Row]) -> list[str]:
        """The same for settings that are in one line; what more than one of them rests on is said once."""
        return [line for part in self.argued(several) for line in part]

    def argued(self, several: Iterable[Row]) -> list[list[str]]:
        """The same, each setting for itself and what they rest on at the end."""
        ours = list(several)
        taken = self.taken(ours)
        return [*map(self._why, ours), *([taken] if taken else [])]

    def taken(self, several: Iterable[Row]) -> list[str]:
        """What settings rest on, and what they are pinned against, without the reasons."""
        texts = dict.fromkeys(text for recommendation in several for text in self._taken(recommendation))
        return [line for text in texts for line in wrapped(text)]

    def _why(self, recommendation: Row) -> list[str]:
        return wrapped(
            f"{recommendation.tunable}: {recommendation.why}{'' if recommendation.rule else ' (pinned by you)'}"
        )

    def _taken(self, recommendation: Row) -> Iterator[str]:
        for cost in pin_costs(self.base, self.advice, recommendation):
            strength = ", ".join(word for word in (cost.strength, cost.consequence) if word)
            if cost.rule:
                yield f"Pinned against rule {cost.rule}: {outcome(cost.value)} ({strength}). {cost.why}"
        for taken in recommendation.rests_on:
            yield f"Assumes {taken.fact} = {operand(taken.value)}; otherwise say --set {taken.fact}=…"
        for taken in recommendation.presumes:
            yield f"Takes {taken.fact} = {operand(taken.value)} for granted: {taken.why}"

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
