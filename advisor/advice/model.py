"""Advice as plain data, the source of text, JSON, written files and the wizard, and the steps to apply, check and undo
a setting: texts of the rule base, filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from advisor.advice.answers import Answers, Before, Now
from advisor.lint.finding import Finding
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.citations import Citation
from advisor.rulebase.model import Erratum, Rule, RuleBase, Tunable, Value, Values
from advisor.rulebase.values import describe, in_words, is_bound, name, same, spell

SILENT = ("keep", "n/a")
"""Values that ask for nothing."""
PINNED = "Pinned by you."
NOTHING = "nothing to do"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    Part = Literal["set", "leave out", "fine", "open", ""]
    """What there is to do with a setting: write it; leave out what some guides recommend; nothing, it is right already;
    find out what it depends on; "" where no rule asks for anything."""
    State = Literal["settled", "assumed", "open", "refused"]
    """How certain a row is: it holds whatever else does; it holds with usual values, and is harmless if they are wrong;
    it is not known; it is pinned to a value that must not be used."""


class Because(NamedTuple):
    """A fact on which a value rests. `value`: as it was answered, or in words; `need`: how much of it is enough.
    `origin`: "given", "decided", "follows", "assumed", or where it was read."""

    fact: str
    value: str
    need: str
    origin: str


class Loser(NamedTuple):
    """A rule that applies, or may apply, and does not win; `beaten_by`: the rules that beat it."""

    rule: str
    layer: str
    value: Value
    why: str
    cites: tuple[str, ...]
    beaten_by: tuple[str, ...]


class Cost(NamedTuple):
    """What would be recommended instead of a pinned value."""

    rule: str | None
    value: Value
    strength: str | None
    consequence: str | None
    why: str
    cites: tuple[Citation, ...]


class Supposition(NamedTuple):
    """What is supposed of a fact that is not known: its usual value, or what is presumed (then `value` may be a range
    or a list). `why`: why that is usually so."""

    fact: str
    value: Values
    why: str
    cites: tuple[str, ...]


class RefusedPin(NamedTuple):
    """A pinned value that must not be used. `problem`: one line; `why`: a sentence or two; `cites`: ids of claims."""

    tunable: str
    problem: str
    consequence: str
    why: str
    cites: tuple[str, ...]


class Possible:
    """A value that an open setting may still get, by which rule. `when`: a case in which it does, in words, which are
    found when it is read."""

    __slots__ = ("_when", "consequence", "rule", "strength", "value", "why")

    def __init__(
        self, value: Value, rule: str | None, strength: str | None, consequence: str | None, why: str, *,
        when: str | Callable[[], str] = "",
    ) -> None:
        self.value, self.rule, self.strength, self.consequence, self.why = value, rule, strength, consequence, why
        self._when = when

    @property
    def when(self) -> str:
        if not isinstance(self._when, str):
            self._when = self._when()
        return self._when

    def _asdict(self) -> dict[str, object]:
        """As data for JSON."""
        return {name: getattr(self, name) for name in ("value", "rule", "strength", "consequence", "why", "when")}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Possible) and self._asdict() == other._asdict()

    __hash__ = None  # type: ignore[assignment]


class Steps(NamedTuple):
    """Texts with commands and lines to write; "" for none. `before`: what was there, if it was looked up. `verify`:
    what to run or where to look; `shows`, `lacks`: what it shows afterwards ("8"), or no longer shows."""

    before: str = ""
    apply: str = ""
    verify: str = ""
    shows: str = ""
    lacks: str = ""
    undo: str = ""

    @property
    def seen(self) -> str:
        """The expected result in words: "shows 8"."""
        return f"shows {self.shows}" if self.shows else f"does not show {self.lacks}" if self.lacks else ""

    @property
    def check(self) -> str:
        """The check as a sentence."""
        return f"{self.verify} {self.seen}".strip()


NO_STEPS = Steps()


class Row(NamedTuple):
    """One setting of the advice. Whatever is shown or written of advice is a view of rows: `Advice.rows`, and
    `Several.host` for what several mounts of a host share.

    A view chooses rows by `part` (what there is to do) and `state` (how certain it is), in the order of
    `rows.in_order`, under the titles of `rows.GROUPS`, and takes its words from `pages.wording`. What costs more
    is worked out for the rows that show it: `arguments.argue` (facts, sources, losing rules), `arguments.pin_costs`,
    `arguments.ways_to_change` (what would change it), `verdict.with_refusals` (`refused`).

    `definition`: the tunable's own data (unit, takes_effect, persists, risk …). `strength`, `consequence`, `why`: of
    the rule that won, or of the strongest that may still win; a strength of None: nothing would come of it, because
    the setting only says where others are written, and none of them is; or only clients have it, and the host is the
    server; or leaving it out is right whichever value is.

    `value`: the rule's: a literal, "omit", "keep", "n/a", or a bound. `written`: the concrete value to write; None
    where there is nothing to write or it cannot be known. `text`: as it is written in its file ("nconnect=8"), ""
    likewise. `already`: it is the default, in effect anyway. `pinned`: an administrator fixed it. `rule`: what the rule
    base has on the rule that won (cites, risk, layer …); None for a pinned value that no rule gives. `rests_on`: the
    usual values that are assumed for it. `presumes`: what is assumed for it, without proof that it does no
    harm. `steps`: how to apply, check and undo this value. `idle`: it cannot be used here (a gate), and nothing in the
    rule base would ask for it anyway.

    `possible`: the values of an open setting, which has none of the above. `asks`: the facts that settle it.
    `otherwise`: the same of a setting that is left at its default because no must may speak against that.

    `now`: what the host sets and has in effect, if it was read. `refused`: why its pinned value must not be used.
    `mounts`: the mount points that ask for a setting of the host, if not all do."""

    tunable: str
    kind: str
    title: str
    definition: Tunable
    strength: str | None
    consequence: str | None
    why: str
    value: Value = None
    written: Value = None
    text: str = ""
    already: bool = False
    pinned: bool = False
    rule: Rule | None = None
    rests_on: tuple[Supposition, ...] = ()
    presumes: Sequence[Supposition] = ()
    steps: Steps = NO_STEPS
    idle: bool = False
    possible: tuple[Possible, ...] = ()
    asks: tuple[str, ...] = ()
    part: Part = ""
    now: Now | None = None
    refused: RefusedPin | None = None
    mounts: tuple[str, ...] = ()
    otherwise: tuple[Possible, ...] = ()

    @property
    def state(self) -> State:
        if self.possible:
            return "open"
        return "refused" if self.refused else "assumed" if self.rests_on or self.otherwise else "settled"

    @property
    def summary(self) -> str:
        """The recommendation in a few words: as it is written, or what to do."""
        if not self.recommends or self.value == "n/a":
            return NOTHING
        if self.value == "omit":
            return f"leave out {name(self.definition).removeprefix('sysctl.')}"
        return self.text or describe(self.definition, self.value)

    @property
    def recommends(self) -> bool:
        """Whether it recommends anything, even to leave something out."""
        return self.pinned or (self.value not in SILENT and not self.idle and not self.possible)


class Argument(NamedTuple):
    """Why a settled value is what it is. `because`: the smallest set of facts that forces it. `cites`: what the winning
    rule rests on. `disagree`: sources that say otherwise, or slip. `measured`: what sources measured with the setting,
    on systems like the one at hand. `elsewhere`: what else they are about → how many more such claims there are.
    `costs`: what a pinned value gives up."""

    because: tuple[Because, ...]
    cites: tuple[Citation, ...]
    disagree: tuple[Citation, ...]
    measured: tuple[Citation, ...]
    costs: tuple[Cost, ...]
    elsewhere: dict[str, int]


class Estimate(NamedTuple):
    """A figure. `value` is None while `missing` facts are not known. `filled`: the formula with its numbers.
    `rests_on`: the usual values among them, and those for which the formula holds."""

    tunable: str
    title: str
    about: str
    unit: str
    formula: str
    filled: str
    value: int | None
    missing: tuple[str, ...]
    rule: str
    why: str
    cites: tuple[str, ...]
    rests_on: tuple[Supposition, ...] = ()


class Bug(NamedTuple):
    """A known bug. `certain`: the known facts put the host among those affected; else `asks` has the facts that
    decide."""

    erratum: str
    fault: Erratum
    certain: bool
    asks: tuple[str, ...]


class FactQuestion(NamedTuple):
    """A question that can still change something. `settles`: how many open settings its answer settles, on average;
    `decisions`: those that it bears on. `impact`: what is at stake for these settings times the chance to settle them.
    `matters`: something that must or should be done waits for it; other answers could only fine-tune."""

    fact: str
    ask: str
    settles: float
    decisions: tuple[str, ...]
    impact: float
    matters: bool


class PinEffect(NamedTuple):
    """What pinning one setting changes in another."""

    tunable: str
    before: str
    after: str


class Advice(NamedTuple):
    """Everything that follows from some answers. `state`: the engine's, with what was decided; `supposed`: with the
    usual values, too. `rows`: all settings: what can be done now, in the order in which decisions rest on one another,
    then what cannot be said without an answer. `given_options`: tunable → text, for options of the line that facts
    state outright. `server`: the host is the server, by an answer, or by something that only servers have. `asking`: as
    for `advise`. `objections`: what the linter finds above a note in its mount line (`verdict.with_refusals`)."""

    answers: Answers
    state: dict[str, int]
    supposed: dict[str, int]
    rows: tuple[Row, ...]
    estimates: tuple[Estimate, ...]
    bugs: tuple[Bug, ...]
    questions: tuple[FactQuestion, ...]
    effects: tuple[PinEffect, ...]
    base_hash: str
    version: str
    given_options: Mapping[str, str] = {}
    server: bool = False
    asking: bool = False
    objections: tuple[Finding, ...] = ()

    @property
    def advised(self) -> tuple[Row, ...]:
        """What can be done now."""
        return tuple(row for row in self.rows if not row.possible)

    @property
    def open(self) -> tuple[Row, ...]:
        """What depends on facts that are not known."""
        return tuple(row for row in self.rows if row.possible)

    def part(self, *parts: Part) -> list[Row]:
        """The rows with which there is this to do."""
        return [row for row in self.rows if row.part in parts]

    @property
    def settled(self) -> tuple[Row, ...]:
        """What applies to all values of unknown facts."""
        return tuple(row for row in self.advised if not (row.rests_on or row.otherwise))

    @property
    def assumed(self) -> tuple[Row, ...]:
        """What rests on usual values as well, and is harmless if they are wrong; and what is left at its default."""
        return tuple(row for row in self.rows if row.rests_on or row.otherwise)

    @property
    def unusable_pins(self) -> tuple[Row, ...]:
        """Settings whose pinned value cannot be used, as the rule of a gate says."""
        return tuple(row for row in self.advised if row.tunable in self.answers.pins and not row.pinned)

    def find(self, tunable: str) -> Row | None:
        """What is recommended for a tunable; None while it is open."""
        return next((row for row in self.rows if row.tunable == tunable and not row.possible), None)


_FIELD = regex(r"\{([a-z]+)(?: - ([0-9]{1,6}))?\}")
_CHECK = ("shows", "lacks")
_TEXTS = ("sets", "verify", *_CHECK, "undo", "undo_to", "undo_unset", "undo_same")
_SPELLED = ("mount-option", "export-option")


def steps_for(base: RuleBase, tunable: Tunable, value: Value, written: Value, answers: Answers) -> Steps:
    """How to apply, check and undo a settled value: `value` as the rule gives it, `written` as the file spells it, None
    for a setting that is left out."""
    if value in SILENT:
        return NO_STEPS
    known = answers.before.get(tunable.id)
    words = _placeholders(tunable, written, answers, known)
    if written is None and value != "omit":
        inside = in_words(value) if is_bound(value) else str(value)
        return Steps("", f"Nothing to write: {inside} is already in effect.")
    texts = texts_for(base, tunable, "omit" if written is None else _key(written))
    other = answers.before.get(tunable.other_unit or "")
    if known is not None and known.value == 0 and other is not None:  # it is off: the other unit counts
        words |= {"name": (tunable.other_unit or "").partition(".")[2], "before": str(other.value)}
    wanted = (*(texts.get(word, "") for word in ("sets", "verify", *_CHECK)), _undo(texts, known, written))
    return Steps(_before(known, written, tunable, texts), *(fill_in(text, words) for text in wanted))


def texts_for(base: RuleBase, tunable: Tunable, value: str | None = None) -> dict[str, str]:
    """The texts of a tunable over those of its kind; those for the value (as text, or "omit") over those for any."""
    kind = base.kinds.get(tunable.kind)
    of_kind = () if kind is None else (kind,)
    asked = (value, "default") if _opposite(tunable, value) else (value,)
    single = [part.by_value[key] for key in reversed(asked) for part in (*of_kind, tunable) if key in part.by_value]
    by_word: dict[str, str] = {}
    for part in (*of_kind, tunable, *single):
        texts = {word: text for word in _TEXTS if (text := getattr(part, word)) is not None}
        if any(word in texts for word in _CHECK):
            by_word = {word: text for word, text in by_word.items() if word not in _CHECK}
        by_word |= texts
    return by_word


def general_steps(base: RuleBase, tunable: Tunable) -> Steps:
    """The steps without a value: capitals stand for it, and for what was there. None for what NFS does not know."""
    if tunable.foreign:
        return Steps()
    texts = texts_for(base, tunable)
    words = {**_places(tunable), "value": "VALUE", "text": "OPTION", "target": "MOUNTPOINT", "server": "SERVER",
             "export": "EXPORT", "clients": "CLIENTS"}
    if tunable.forms:
        form = tunable.forms[0]
        words["text"] = f"{form.spelling}{'=VALUE' if form.takes else ''}"
    flags = flag_words(tunable)
    checks = [
        f"{word}: {fill_in(_check(texts_for(base, tunable, value)), own)}" for value, word in flags.items()
        for own in [{**words, "text": word, "other": _opposite(tunable, value)}]
    ]
    words["text"] = " or ".join(flags.values()) or words["text"]
    single = {value: texts_for(base, tunable, value) for value in tunable.by_value if "sets" not in texts}
    apply, check, undo = (
        "\n".join(f"{value}: {fill_in(part(own_texts), words)}" for value, own_texts in single.items())
        or fill_in(part(texts), words)
        for part in (lambda texts: texts.get("sets", ""), _check, lambda texts: texts.get("undo", ""))
    )
    return Steps(apply=apply, verify="\n".join(checks) or check, undo=undo)


def _opposite(tunable: Tunable, value: str | None) -> str:
    """The other word of a flag whose value is its default, which nothing shows; "" elsewhere."""
    if value is None or tunable.default is None or value != _key(tunable.default):
        return ""
    return next((word for other, word in flag_words(tunable).items() if other != value), "")


def flag_words(tunable: Tunable) -> dict[str, str]:
    """The values of a flag that has a word for each, as text, with their words: {"true": "lock", "false": "nolock"}."""
    forms = tunable.forms if tunable.type == "flag" else ()
    words = {_key(form.means): form.spelling for form in reversed(forms) if not form.takes and form.means is not None}
    return words if len(words) == 2 else {}


def _placeholders(names: Tunable, written: Value, answers: Answers, known: Before | None) -> dict[str, str]:
    """What replaces the names in braces."""
    spelled = names.kind in _SPELLED and written is not None
    default = names.default
    return {
        **_places(names),
        "value": value_text(names, written),
        "text": spell(names, written) if spelled else value_text(names, written),
        "other": _opposite(names, _key(written)),
        "unset": spell(names, default) if names.kind in _SPELLED and default is not None else str(default),
        "before": "" if known is None or known.value is None else as_written(names, known.value),
        **{which: answers.name(which) for which in ("server", "export", "target", "clients")},
    }


def fill_in(text: str, words: Mapping[str, str]) -> str:
    """The text with its known names in braces replaced."""

    def put(match: re.Match[str]) -> str:
        word = words.get(match[1])
        if word is None or not match[2]:
            return match[0] if word is None else word
        return str(int(word) - int(match[2])) if word.isdecimal() else f"({word} - {match[2]})"

    return _FIELD.sub(put, text)


def value_text(tunable: Tunable, value: object) -> str:
    """A value as people and files write it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value)
    if tunable.type == "version" and text.startswith(">="):
        return f"{text[2:].strip()} or later"
    return text


def _places(tunable: Tunable) -> dict[str, str]:
    """The parts of a tunable's name."""
    own = tunable.id.partition(".")[2]
    first, _, last = own.partition(".")
    words = {"name": name(tunable) if tunable.forms else own, "module": first, "parameter": last}
    if tunable.id.startswith(f"{tunable.kind}."):
        words["section"], _, words["key"] = tunable.id[len(tunable.kind) + 1 :].partition(".")
    return words


def _key(written: Value) -> str:
    return str(written).lower() if isinstance(written, bool) else str(written)


def _check(texts: Mapping[str, str]) -> str:
    return Steps(**{word: texts.get(word, "") for word in ("verify", *_CHECK)}).check


def as_written(tunable: Tunable, value: Value) -> str:
    """A value of the host as its file has it."""
    return spell(tunable, value) if tunable.kind in _SPELLED else value_text(tunable, value)


def _before(known: Before | None, written: Value, tunable: Tunable, texts: Mapping[str, str]) -> str:
    if known is not None:
        if known.value is None:
            return f"not set ({known.where})"
        already = ", as recommended" if written is not None and same(known.value, written) else ""
        return f"{as_written(tunable, known.value)}{already} ({known.where})"
    default = tunable.default
    if written is not None and default is not None and same(written, default):
        return "not checked; this is the default, so there is something to do only if it was changed"
    return "not checked; use --from-host" if "undo_to" in texts else "not checked"


def _undo(texts: Mapping[str, str], known: Before | None, written: Value) -> str:
    usual = texts.get("undo", "")
    if known is None:
        return usual
    if known.value is None:
        return texts.get("undo_unset", usual)
    same_now = written is not None and same(known.value, written)
    return texts.get("undo_same" if same_now else "undo_to", usual)
