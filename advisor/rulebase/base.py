"""The compiled rule base, as the commands use it. Standard library only: this is on the way of every `advisor lint`."""

from __future__ import annotations

import json
import os

from advisor.engine import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SCHEMA = "advisor-base/2"
LAZY = ("citations", "kb")
"""Parts that are JSON texts of their own, decoded when first used."""


class RuleBaseError(Exception):
    """The rule base cannot be used. `messages`: one for each problem, each with file, line and column where known."""

    def __init__(self, messages: list[str]) -> None:
        self.messages = messages
        super().__init__("\n".join(messages))


class RuleBase:
    """Everything the rule base says, as plain data: what the author wrote, without examples, ids as keys.

    Keys that were not written are absent. Claims, sources, capabilities, recipes and constraints are decoded when first
    used, and what a finding cites of claims and sources by itself: `lint` needs no more than that."""

    __slots__ = (
        "_citations",
        "_data",
        "_engine",
        "_kb",
        "checks",
        "decisions",
        "errata",
        "facts",
        "hash",
        "layers",
        "platforms",
        "sections",
        "tunables",
        "version",
    )

    def __init__(self, data: dict[str, Any]) -> None:
        if data.get("schema") != SCHEMA:
            raise RuleBaseError([f"the compiled rule base is of schema {data.get('schema')}, not {SCHEMA}"])
        self._data = data
        self._engine: Base | None = None
        self._citations: dict[str, Any] | None = None
        self._kb: dict[str, Any] | None = None
        self.hash: str = data["hash"]
        """Of the contents of rules/ and kb/."""
        self.version: str = data["version"]
        """Of the program that compiled it."""
        self.facts: dict[str, dict[str, Any]] = data["facts"]
        """Fact id → fact; capabilities are among them, as yes/no facts with `capability: true`."""
        self.sections: dict[str, str] = data["sections"]
        """Section → title, in the order in which the wizard asks."""
        self.layers: list[dict[str, Any]] = data["layers"]
        """Weakest first."""
        self.tunables: dict[str, dict[str, Any]] = data["tunables"]
        self.checks: dict[str, dict[str, Any]] = data["checks"]
        self.decisions: dict[str, dict[str, Any]] = data["decisions"]
        """Decision id → {decision, hit, file, rules: {rule id: rule}}; what a decision rests on comes before it."""
        self.platforms: list[dict[str, Any]] = data["platforms"]
        self.errata: dict[str, dict[str, Any]] = data["errata"]

    @property
    def engine(self) -> Base:
        """The engine's base."""
        if self._engine is None:
            self._engine = Base.from_json(self._data["engine"])
        return self._engine

    @property
    def citations(self) -> dict[str, Any]:
        """{claims: claim id → [source id, place], sources: source id → {title, publisher, grade, date?, address?}}."""
        if self._citations is None:
            self._citations = json.loads(self._data["citations"])
        return self._citations

    @property
    def claims(self) -> dict[str, dict[str, Any]]:
        """Claim id → claim."""
        claims: dict[str, dict[str, Any]] = self._knowledge()["claims"]
        return claims

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """Source id → source."""
        sources: dict[str, dict[str, Any]] = self._knowledge()["sources"]
        return sources

    @property
    def capabilities(self) -> dict[str, dict[str, Any]]:
        """Capability id → capability, with its citations."""
        capabilities: dict[str, dict[str, Any]] = self._knowledge()["capabilities"]
        return capabilities

    @property
    def recipes(self) -> dict[str, dict[str, Any]]:
        """Recipe id → benchmark recipe."""
        recipes: dict[str, dict[str, Any]] = self._knowledge()["recipes"]
        return recipes

    @property
    def kinds(self) -> dict[str, dict[str, Any]]:
        """Kind of tunables → how they are applied, checked and undone."""
        kinds: dict[str, dict[str, Any]] = self._knowledge()["kinds"]
        return kinds

    @property
    def check_examples(self) -> dict[str, list[dict[str, Any]]]:
        """Check → the fstab texts in which it must, and must not, find something."""
        examples: dict[str, list[dict[str, Any]]] = self._knowledge()["check_examples"]
        return examples

    @property
    def constraints(self) -> dict[str, dict[str, Any]]:
        """Constraint id → what cannot be, with its citations."""
        constraints: dict[str, dict[str, Any]] = self._knowledge()["constraints"]
        return constraints

    def _knowledge(self) -> dict[str, Any]:
        if self._kb is None:
            self._kb = json.loads(self._data["kb"])
        return self._kb


def to_text(data: dict[str, Any]) -> str:
    """A compiled base as it is kept in a file: one JSON a line, first all but the lazy parts, then each of them.

    As strings inside one JSON these would be decoded twice, and once even where nobody needs them."""
    first = json.dumps({key: part for key, part in data.items() if key not in LAZY})
    return "\n".join([first, *(data[name] for name in LAZY)])


def from_text(text: str) -> dict[str, Any]:
    """The compiled base that `to_text` was given."""
    first, *lazy = text.split("\n")
    return {**json.loads(first), **dict(zip(LAZY, lazy, strict=True))}


def load(root: str | None = None, packs: Sequence[str] = ()) -> RuleBase:
    """The rule base at `root` (a folder that holds rules/ and kb/); by default the one that came with the program.

    `packs`: folders with a site's own rules, which are verified together with it. Raises RuleBaseError, with every
    problem found, when it is broken or missing."""
    if packs:
        return _from_files(os.path.abspath(root or authored()), packs)  # noqa: PTH100
    if root is None:
        try:
            with open(f"{_package()}/_base.json", encoding="utf-8") as stream:  # noqa: PTH123
                return RuleBase(from_text(stream.read()))
        except FileNotFoundError:
            root = authored()
        except ValueError as error:
            raise RuleBaseError([f"{_package()}/_base.json is damaged ({error}): install advisor again"]) from None
    return _from_files(os.path.abspath(root))  # noqa: PTH100


def authored() -> str:
    """The folder with the rules/ and kb/ that came with the program: beside the package, or inside an installed one."""
    package = _package()
    data = f"{package}/_data"
    return data if os.path.isdir(data) else os.path.dirname(package)  # noqa: PTH112, PTH120


def _package() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  see tree.py


def _from_files(root: str, packs: Sequence[str] = ()) -> RuleBase:
    from advisor.rulebase import store, tree  # noqa: PLC0415  an installed wheel needs neither

    contents = tree.files(root)
    if not contents:
        raise RuleBaseError([f"{root}: no rule base here; it needs the folders rules/ and kb/"])
    added = {folder.rstrip("/") or "/": pack_files(folder) for folder in packs}
    hashes = [tree.content_hash(contents), *(tree.content_hash(files) for files in added.values())]
    stamp = tree.digest(*(part.encode() for part in (*hashes, tree.code_stamp())))
    name = f"base-{tree.digest(*(os.fsencode(path) for path in added))}.json" if added else "base.json"
    for kept in store.kept(root, name):
        if kept.startswith(f'{{"stamp": "{stamp}"'):
            return RuleBase(from_text(kept))
    from advisor.rulebase.load import compiled  # noqa: PLC0415  pydantic and perhaps the YAML parser: only when stale

    data = {"stamp": stamp, **compiled(root, contents, added)}
    store.keep(root, name, to_text(data))
    return RuleBase(data)


def pack_files(folder: str) -> dict[str, bytes]:
    """Path → content of the YAML files of a site's own rules. Raises RuleBaseError when there are none."""
    from advisor.rulebase import tree  # noqa: PLC0415

    try:
        found = tree.pack(folder.rstrip("/") or "/")
    except OSError as error:
        raise RuleBaseError([f"{error.filename or folder}: cannot be read: {error.strerror}"]) from None
    except ValueError as error:  # given.GivenError
        raise RuleBaseError([str(error)]) from None
    if not found:
        missing = "no rules here: no *.yaml file" if os.path.isdir(folder) else "folder not found"  # noqa: PTH112
        raise RuleBaseError([f"{folder}: {missing}"])
    return found
