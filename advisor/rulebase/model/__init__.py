"""The rule base as records, of which each kind says what an author may write; and the whole, as the program reads what
was compiled. Standard library only, since every `lint` imports this.

`advisor.rulebase.schema` makes the models for authors of the records."""

# ruff: noqa: F401, F403, F405  it offers every kind of record

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate

from advisor.engine import Base
from advisor.rulebase.model.kb import *
from advisor.rulebase.model.record import JOINTS, KINDS, Record, facts_in, inner_conditions
from advisor.rulebase.model.rules import *
from advisor.rulebase.model.tunables import *

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from mmap import mmap
    from typing import Any, TypedDict, TypeVar

    from advisor.rulebase.model.types import Condition, Operand, Pattern, Scalar, Value, Values, WordGroups
    from advisor.rulebase.words import MessageWords, PatternRow
    V = TypeVar("V")
    Content = bytes | mmap
    OutlineRow = tuple[str, str, Sequence[str], bool, Sequence[str], Sequence[str], Mapping[str, Pattern]]
    class OptionIndex(TypedDict):
        """`spellings`: of mount options → the tunables that have it; `misspellings` → the spelling that is meant.
        `helper_types`: types of file systems that vendors' mount helpers know. `negotiated`: tunables with `tries`."""

        spellings: Mapping[str, Sequence[str]]
        misspellings: Mapping[str, str]
        helper_types: Sequence[str]
        negotiated: Sequence[str]
    class LintIndex(OptionIndex):
        """`missable`: decision → the rules that do not demand the setting, where others do; `forced`: decision → the
        rules without which the mount works, where it fails without others. `errata`: fact → those that affect the host
        whose version it is; `spoils`: those that make a setting useless. `idle`: kind of file → tunables that do
        nothing there. `moot`, `twins`: tunable → what it says there. `setting_facts`: facts that settings show. `held`:
        kind of file → kinds of tunables that it holds."""

        held: dict[str, list[str]]
        missable: Mapping[str, Sequence[str]]
        forced: Mapping[str, Sequence[str]]
        errata: dict[str, list[str]]
        spoils: list[str]
        idle: dict[str, list[str]]
        moot: dict[str, Mapping[str, Pattern]]
        twins: dict[str, str]
        setting_facts: list[str]
else:
    Condition = Operand = Pattern = Scalar = Value = Values = WordGroups = object  # annotations alone name them
    LintIndex = OptionIndex = OutlineRow = object


_decoded = json.JSONDecoder().raw_decode
SCHEMA = "advisor-base/13"
PRIOR, SCALES, SHARES = "(prior)", "(scales)", "(shares)"
"""Among the weights: what speaks for a family or cause before anything is read; how much each kind of evidence counts;
share of the first cause by its score → how often it was right. All in hundredths."""
READ_WHOLE = ("engine", "lint", "sections")
"""Mappings of a compiled base that are not tables, whose entries are decoded one by one."""
ENGINE_TABLES = ("conditions", "decisions", "written")
"""The tables of what the engine reads."""


FEW = 30
"""Entries that are asked for one by one of each table."""


class RuleBaseError(Exception):
    """The rule base cannot be used. `messages`: one for each problem, each with file, line and column if known."""

    def __init__(self, messages: Sequence[str]) -> None:
        self.messages = list(messages)
        super().__init__("\n".join(messages))


def to_lines(data: Mapping[str, Any]) -> bytes:
    """A compiled base as JSON Lines: first all but the tables, and how many bytes each of them takes; then the tables.
    The first line of a table says at which byte behind it the entry of each name starts, with a space before each name;
    then come the entries."""
    engine = data["engine"]
    tables = {
        name: _pack_table(part) for name, part in data.items() if isinstance(part, dict) and name not in READ_WHOLE
    }
    engine_tables = {name: _pack_table(engine[name]) for name in ENGINE_TABLES}
    first = {name: part for name, part in data.items() if name not in tables}
    first["engine"] = {name: part for name, part in engine.items() if name not in ENGINE_TABLES}
    first["tables"] = {name: len(table) for name, table in tables.items()}
    first["engine_tables"] = {name: len(table) for name, table in engine_tables.items()}
    return b"".join([json.dumps(first).encode(), b"\n", *tables.values(), *engine_tables.values()])


def _pack_table(table: Mapping[str, object]) -> bytes:
    entries = [f"{json.dumps(entry)}\n".encode() for entry in table.values()]
    starts = dict(zip(table, accumulate(map(len, entries), initial=0)))
    return b"".join([b"{ ", json.dumps(starts)[1:].encode(), b"\n", *entries])


def from_lines(content: Content) -> dict[str, Any]:
    """The compiled base that `to_lines` was given, of which only the first line is decoded. Raises ValueError."""
    first = _line(content, 0)
    data = dict(json.loads(first))
    start = len(first)
    for sizes, part in (("tables", data), ("engine_tables", data.get("engine", {}))):
        for name, length in data.pop(sizes, {}).items():
            part[name] = PackedTable(content, start)
            start += length
    if start != len(content):
        raise ValueError(f"{len(content)} bytes instead of {start}")
    return data


def _line(content: Content, start: int) -> bytes:
    return content[start : content.find(b"\n", start) + 1]


class PackedTable(Mapping["str", "object"]):
    """A table of `to_lines`. An entry is decoded each time it is asked for. The first FEW are searched in the table's
    first line; to decode that takes longer."""

    def __init__(self, content: Content, start: int) -> None:
        self._content, self._start = content, start
        self._searched = 0

    @cached_property
    def _names(self) -> str:
        """The table's first line, which is ASCII."""
        return str(_line(self._content, self._start), "ascii")

    @cached_property
    def _starts(self) -> dict[str, int]:
        """Name → where the entry starts behind the first line."""
        starts: dict[str, int] = json.loads(self._names)
        return starts

    def _place(self, name: str) -> int | None:
        """The name's number in the first line. Only a name begins with a space and a quotation mark: those inside of
        names are escaped."""
        if self._searched >= FEW:
            return self._starts.get(name)
        self._searched += 1
        sought = f" {json.dumps(name)}: "
        at = self._names.find(sought)
        return None if at < 0 else int(_decoded(self._names, at + len(sought))[0])

    def __getitem__(self, name: str) -> object:
        place = self._place(name)
        if place is None:
            raise KeyError(name)
        return _decoded(str(_line(self._content, self._start + len(self._names) + place), "ascii"))[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._starts)

    def __len__(self) -> int:
        return len(self._starts)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._place(name) is not None


class NamedTable(Mapping["str", "V"]):
    """Entries by name. Each is made when it is first asked for: few commands need more than some of them."""

    def __init__(self, read: Callable[[Any], V], entries: Mapping[str, Any]) -> None:
        self._read = read
        self._entries = entries
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._read(self._entries[name])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries


class CheckOutline:
    """The part of a check of lines or settings that decides whether the whole check has to be read.

    `looks_at`: "on", "pair" or "total". Of `on`: `needed`, tunables that must be written; `absent`, those that must
    not; `patterns`, those of which a value is asked. `signs`: it has some."""

    __slots__ = ("absent", "check", "looks_at", "needed", "patterns", "profiles", "signs")

    def __init__(self, row: OutlineRow) -> None:
        self.check, self.looks_at, self.profiles, self.signs, needed, absent, patterns = row
        self.needed = frozenset(needed)
        self.absent = frozenset(absent)
        self.patterns = [*patterns.items()]


class RuleBase:
    """Everything the rule base says, without examples."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        if data.get("schema") != SCHEMA:
            raise RuleBaseError([f"the compiled rule base has schema {data.get('schema')}, not {SCHEMA}"])
        self._data, self._compiled = data, data["engine"]
        self._of_kind: Mapping[str, Sequence[str]] = data["of_kind"]
        self._outlines: Mapping[str, Sequence[OutlineRow]] = data["outlines"]
        self.lint: LintIndex = data["lint"]
        """Indexes of all settings, from which lint decides what to decode."""
        self.hash: str = data["hash"]
        """Of the contents of rules/ and kb/."""
        self.version: str = data["version"]
        """Of the program that compiled it."""
        self.facts = NamedTable(Fact.from_data, data["facts"])
        """Capabilities are among them, as yes/no facts."""
        self.sections: Mapping[str, str] = data["sections"]
        """Section → title, in the order in which the wizard asks."""
        self.layers = [Layer.from_data(layer) for layer in data["layers"]]
        """Weakest first."""
        self.tunables = NamedTable(Tunable.from_data, data["tunables"])
        self.checks = NamedTable(Check.from_data, data["checks"])
        self.decisions = NamedTable(Decision.from_data, data["decisions"])
        """What a decision rests on comes before it."""
        self.errata = NamedTable(Erratum.from_data, data["errata"])
        self.claims = NamedTable(Claim.from_data, data["claims"])
        self.sources = NamedTable(Source.from_data, data["sources"])
        self.capabilities = NamedTable(Capability.from_data, data["capabilities"])
        self.recipes = NamedTable(Recipe.from_data, data["recipes"])
        self.kinds = NamedTable(KindSteps.from_data, data["kinds"])
        """Kind of tunables → how they are applied, checked and undone, and the files that hold them."""
        self.layouts = NamedTable(Layout.from_data, data["layouts"])
        """Of what support tools collect, in the order in which they are tried."""
        self.host_files = NamedTable(HostFile.from_data, data["host_files"])
        """Those that concern NFS, in the order in which they are reported."""
        self.constraints = NamedTable(Constraint.from_data, data["constraints"])
        """Impossible combinations of facts."""
        self.check_examples = NamedTable(_check_examples, data["check_examples"])
        """The fstab texts in which a check must, and must not, find something."""

        self.messages = NamedTable(Message.from_data, data["messages"])
        """Messages of programs, and symptoms."""
        self.families = NamedTable(Family.from_data, data["families"])
        """Of causes, in the order in which they are tried where nothing else decides."""
        self.causes = NamedTable(Cause.from_data, data["causes"])
        self.phrases = NamedTable(Phrase.from_data, data["phrases"])
        self.concepts = NamedTable(Concept.from_data, data["concepts"])
        self.errno = NamedTable(ErrorTexts.from_data, data["errno"])
        self.observations = NamedTable(Fact.from_data, data["observations"])
        """Facts that only the conditions of causes and conclusions name."""
        self.conclusions = NamedTable(Conclusion.from_data, data["conclusions"])
        self.reading = NamedTable(_unchanged, data["diagnosis"])
        """With what a text is read: `synonyms`, words that mean the same, the one that entries use first; which of
        `patterns` are tried with a line (`MessageWords`); the tables of a `vocabulary`; the groups of words of
        `symptoms` and `phrases`, each with the number of what it belongs to; those `unless` which a phrase counts; what
        is asked of all `causes`; which conditions change with a fact (`bearing`)."""
        self.terms: Mapping[str, Mapping[str, int]] = NamedTable(_unchanged, data["terms"])
        """Term → cause or family → how much the term stands out in its text (advisor/rulebase/words.py)."""
        self.weights: Mapping[str, Mapping[str, int]] = NamedTable(_unchanged, data["weights"])
        """What a report says or shows → family → how much that speaks for it. Besides, PRIOR, SCALES and SHARES."""
        self.called: Mapping[str, Sequence[str]] = NamedTable(_unchanged, data["called"])
        """A tunable's name, what people may call it, a spelling, a file that shows it → all tunables that are meant."""
        self.decision_of: Mapping[str, str] = NamedTable(_unchanged, data["decision_of"])
        """Rule → its decision."""
        self.used_by: Mapping[str, Sequence[str]] = NamedTable(_unchanged, data["used_by"])
        """Fact → the decisions on which it can bear."""
        self.claims_on: Mapping[str, Mapping[str, str]] = NamedTable(_unchanged, data["claims_on"])
        """Tunable → claims on it → the verdicts on them."""
        self.patterns: Mapping[str, PatternRow] = data["patterns"]
        """Number → a text of a message."""
        self.foreign: Mapping[str, Sequence[Sequence[str]]] = data["foreign"]
        """Word of a system's error text → such texts, each with the English one."""
        self.nothing_known = NamedTable(_unchanged, data["nothing_known"])
        """What is decided where nothing is known, `asking` or at `once` (advisor/rulebase/counsel.py)."""
        self._ready: dict[tuple[object, ...], Any] = {}

    def ready(self, make: Callable[..., V], *of: Hashable) -> V:
        """Data derived from the base for one use, `make(base, *of)`: computed once, and shared."""
        key = (make, *of)
        if key not in self._ready:
            self._ready[key] = make(self, *of)
        made: V = self._ready[key]
        return made

    def again(self) -> RuleBase:
        """The same rule base, for another thread: it remembers its own answers."""
        return RuleBase(self._data)

    def of_kinds(self, *kinds: str) -> Mapping[str, Tunable]:
        names = {name: name for kind in kinds for name in self._of_kind.get(kind, ())}
        return NamedTable(self.tunables.__getitem__, names)

    def outlines(self, kinds: AbstractSet[str]) -> list[CheckOutline]:
        """The outlines of the checks of settings, and of lines that mount, of these kinds of tunables."""
        return [
            CheckOutline(row)
            for of in self._outlines if not kinds.isdisjoint(of.split()) for row in self._outlines[of]
        ]

    def scope(self, claim: str) -> Mapping[str, Values]:
        """The facts under which a claim applies: its own, else those of its source."""
        cited = self.claims[claim]
        return self.sources[cited.source].holds if cited.holds is None else cited.holds

    @cached_property
    def platforms(self) -> list[Platform]:
        return [Platform.from_data(platform) for platform in self._data["platforms"]]

    @cached_property
    def engine(self) -> Base:
        return Base.from_json(self._compiled)

    @cached_property
    def diagnosis(self) -> Base:
        """The engine's base for the conditions of causes, `when:<cause>`, `proof:<cause>`, `likelier:<cause>:<n>`,
        of families, `family:<family>`, and of conclusions, `conclusion:<name>`.

        It knows the observations too, and no decisions."""
        return Base.from_json(self.reading["engine"])

    @cached_property
    def weighed(self) -> Mapping[str, Cause]:
        """All causes, without their texts."""
        return {cause["id"]: Cause.from_data(cause) for cause in self.reading["causes"]}

    @property
    def rule_names(self) -> list[str]:
        """Every name that a finding may carry: of rules of decisions, checks, errata."""
        return [*self.decision_of, *self.checks, *self.errata]

    @property
    def profiles(self) -> list[str]:
        """The security profiles that checks belong to, sorted."""
        return sorted({profile for check in self.checks.values() for profile in check.profiles})


def _unchanged(data: V) -> V:
    return data


def _check_examples(data: list[dict[str, Any]]) -> list[CheckExample]:
    return [CheckExample.from_data(example) for example in data]
