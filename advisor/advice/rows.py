"""The rows of an advice: their order and groups, what there is to do with each, the questions that would settle the
open ones, and the mount line that the settled ones make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from advisor.advice.answers import Answers
from advisor.advice.model import Advice, Estimate, FactQuestion, Possible, Row, Steps, fill_in
from advisor.engine import Outcome, State, word_list
from advisor.engine.ask import Question, applicability_facts, next_questions
from advisor.engine.declare import in_words
from advisor.files.libmount import escaped
from advisor.rulebase.counsel import CONSEQUENCES, SEVERE, STRENGTHS, Lookup, evaluate
from advisor.rulebase.model import Rule, RuleBase, Tunable, Value
from advisor.rulebase.values import LINE_KINDS, absence_supports, describe, told_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.model import Part

ACCESS = "access"
"""The kind of settings that say whether NFS, mounted by Linux, is the right choice at all."""
CLIENT = (ACCESS, *LINE_KINDS, "bdi", "benchmark", "tuned")
"""The kinds that only clients have."""
BY_HAND = (ACCESS, "identity", "tuned", "service", "package", "bios", "raid", "scheduler", "layout", "cluster",
           "volume", "network", "filesystem", "vm")
"""The kinds that nobody installs: the report says how they are done."""
MOUNT_OPTIONS, EXPORTS = "Mount options", "Exports"
GROUPS = (
    ("First of all", (ACCESS,)),
    (MOUNT_OPTIONS, LINE_KINDS),
    ("Kernel settings", ("sysctl", "module-parameter")),
    ("NFS services and read-ahead", ("nfs.conf", "ganesha.conf", "bdi", "service", "tuned")),
    (EXPORTS, ("export-option",)),
    ("Users and Kerberos", ("identity",)),
    ("High availability", ("cluster",)),
    ("Network", ("network",)),
    ("The server's disks and machine", ("filesystem", "raid", "scheduler", "layout", "bios", "vm")),
    ("Storage and software", ("volume", "package")),
    ("Tests to run", ("benchmark",)),
)


GRAVE_MUSTS = [("must", harm) for harm in ("data-loss", "security", "boot")]
"""Without these a mount line is not ready, so what they depend on is asked first."""
_KINDS = [kind for _, kinds in GROUPS for kind in kinds]


def by_hand(advice: Advice) -> list[Row]:
    """What is to be made and is for people, in order: what no file holds. Not what only says where others are written;
    and read-ahead only if neither nfsrahead nor a rule of udev is given it."""
    made = [row for row in in_order(advice.part("set")) if not row.refused]
    kept = any(row.tunable.startswith("nfs.conf.nfsrahead.") or row.value == "udev-rule" for row in made)
    return [row for row in made if not row.definition.places
            and (row.kind in BY_HAND or (row.kind == "bdi" and not kept))]


_FENCING = "cluster.fencing"
"""Before all that is as grave: nothing else keeps two nodes from writing to one disk."""


def in_order(settings: Iterable[Row]) -> tuple[Row, ...]:
    """Must before should before may, worse consequences first, the mount line before other settings."""
    return tuple(sorted(settings, key=_rank))


def _rank(setting: Row) -> tuple[int, int, int, bool]:
    return (
        (*STRENGTHS, None).index(setting.strength), _KINDS.index(setting.kind), CONSEQUENCES.index(setting.consequence),
        setting.tunable != _FENCING,
    )


def by_group(rows: Iterable[Row]) -> list[tuple[str, tuple[Row, ...]]]:
    """The titles of GROUPS, each with its rows in order."""
    ordered = in_order(rows)
    return [(title, tuple(row for row in ordered if row.kind in kinds)) for title, kinds in GROUPS]


def with_parts(rows: Sequence[Row], *, server: bool) -> tuple[Row, ...]:
    """The rows of one advice with what there is to do with each. `server`: the host is the server, where what only
    clients have is not shown."""
    advised = [row for row in rows if not row.possible]
    return tuple(row._replace(part=_part(row, advised, server)) for row in rows)


def _part(row: Row, advised: Sequence[Row], server: bool) -> Part:
    if row.possible:
        return "open" if row.strength is not None else ""
    if server and row.kind in CLIENT:
        return ""
    if is_written(row) or (_asks_for_change(row) and not is_pointless(row.definition, advised)):
        return "set"
    if not row.recommends:
        return ""
    return "leave out" if row.value == "omit" and row.strength != "may" and not row.pinned else "fine"


def is_written(option: Row) -> bool:
    """Whether it is an option of a mount or an export that is written: a default only if it is pinned, or if a rule
    that must or should be followed gives it; of a mount, not if it turns something off."""
    exported = option.kind == "export-option"
    return (exported or option.kind == "mount-option") and bool(option.text) and (
        option.pinned or not option.already or (option.strength != "may" and (exported or option.written is not False))
    )


def forbids_mount(row: Row) -> bool:
    """Whether it recommends another protocol or system instead of a mount by Linux."""
    return row.kind == ACCESS and row.strength == "must" and row.recommends and not row.pinned


def _asks_for_change(row: Row) -> bool:
    """Whether it asks for a value other than the default, or for one that people must not change."""
    changed = not row.already or (row.strength == "must" and row.kind in BY_HAND)
    return row.pinned or (row.recommends and changed and row.value != "omit")


def is_pointless(tunable: Tunable, rows: Iterable[Row]) -> bool:
    """Whether a tunable only decides where others are written, and none of these is written or open."""
    places = tunable.places
    return bool(places) and not any(
        row.tunable in places and (row.possible or _asks_for_change(row)) for row in rows
    )


def is_idle(row: Row) -> bool:
    """Whether leaving the setting out is right for each of its possible values."""
    return all(
        maybe.rule is not None and absence_supports(maybe.value, row.definition.default) for maybe in row.possible
    )


def stays_at_default(row: Row) -> bool:
    """Whether the default of an open setting is in effect, allowed by every must that may apply, and not certainly
    wrong: of an export, a number that is certainly needed may only not be known yet."""
    tunable = row.definition
    known = tunable.default is not None or bool(tunable.usual) or any(maybe.value == "keep" for maybe in row.possible)
    if row.kind == "export-option" and not any(
        absence_supports(maybe.value, tunable.default) for maybe in row.possible
    ):
        return False
    return known and row.strength is not None and all(
        maybe.rule is not None and (maybe.strength != "must" or absence_supports(maybe.value, tunable.default) is True)
        for maybe in row.possible
    )


def stake(setting: Row) -> float:
    """The weight of an open or assumed setting: a must counts ten times a should, harm more than speed, the mount line
    more than the rest."""
    worth = {"must": 100.0, "should": 10.0, "may": 1.0}[setting.strength or "may"]
    if setting.consequence in SEVERE:
        worth *= 3
    return worth * (2 if setting.kind in LINE_KINDS else 1)


def one_of_two_units(base: RuleBase, settled: tuple[Row, ...]) -> tuple[Row, ...]:
    """The settings, with a limit that has two units written in one unit only: the pinned one, or else the one of the
    higher layer."""
    ranks = {layer.id: rank for rank, layer in enumerate(base.layers)}
    written = {
        setting.tunable: setting for setting in settled
        if setting.written is not None and (setting.pinned or not setting.already)
    }

    def weight(setting: Row) -> tuple[bool, int, str]:
        return setting.pinned, ranks.get(setting.rule.layer if setting.rule else "", 0), setting.tunable

    def kept(setting: Row) -> Row:
        other = written.get(setting.definition.other_unit or "")
        if other is None or setting.tunable not in written or weight(setting) > weight(other):
            return setting
        why = f"{other.text} is the same limit in another unit, and the last one written wins."
        rule = setting.rule.replace(why=why) if setting.rule else None
        return setting._replace(
            value="n/a", written=None, text="", already=False, pinned=False, steps=Steps(), why=why, rule=rule,
        )

    return tuple(map(kept, settled))


_ESTIMATE = 0.01
"""The weight of a figure, beside 1 for a setting: figures are asked for last."""
_ASSUMED = 0.1
"""The weight of an assumed setting, beside 1 for an open one: the assumption is most likely right."""
_USUALLY = 0.3
"""The factor for a fact with a usual value: the answer most likely changes nothing."""
_RARE = 0.5
"""The lowest chance that an answer changes something: though few kernels lack an option, it depends on the kernel."""


def questions(
    base: RuleBase, answers: Answers, state: State, supposed: State, *, unsettled: Iterable[Row],
    advised: Iterable[Row], estimates: Iterable[Estimate],
) -> tuple[FactQuestion, ...]:
    """The facts that people can answer and that can still change something visible, the most important first.

    After "I don't know", the usual value is used if there is one; facts that may not apply then, and those that are
    asked only after that one, are left out.

    A setting on which others depend (the NFS version) passes its weight on to the questions that settle it, and is
    asked for itself only if there are none. Next come facts that could change only assumptions, and last those that
    only a formula needs."""
    waiting = {setting.tunable: setting for setting in unsettled}
    assumed = {recommendation.tunable: recommendation for recommendation in advised if recommendation.rests_on}
    figures = [name for name, decision in base.decisions.items() if decision.estimate]
    closed = {name for name, fact in base.facts.items() if not fact.ask} | answers.unknown
    closed |= {name for name, value in answers.facts.items() if _is_single(value)}
    taken = {**state, **{name: supposed[name] for name in answers.unknown if name in supposed}}
    closed |= _dependent_on_unknown(base, answers, taken)
    weights: dict[str, _Weight] = {}
    for decisions, settles, impact in (
        (waiting, 1.0, lambda name: stake(waiting[name])),
        (assumed, 0.0, lambda name: _ASSUMED * stake(assumed[name])),
        (figures, _ESTIMATE, lambda _: _ESTIMATE),
    ):
        for question in next_questions(base.engine, decisions, taken, closed, quick=True):
            weights.setdefault(question.fact, _Weight()).add(question, settles, impact)
    for setting in [name for name in weights if name in base.decisions]:
        _pass_on(setting, weights)
    for estimate in estimates:
        for fact in estimate.missing:
            if fact not in closed:
                weights.setdefault(fact, _Weight()).needed_for(estimate.tunable)
    for fact, weight in weights.items():
        if fact not in base.decisions and state.get(fact) != supposed.get(fact):
            weight.impact *= _USUALLY
    urgency = {name: _urgency(setting) for name, setting in waiting.items()}
    matter = {name for name, setting in waiting.items() if setting.strength in ("must", "should")}
    unseen = {
        name for name, setting in waiting.items()
        if setting.strength is None or all(maybe.value in ("keep", "n/a") for maybe in setting.possible)
    }
    asked = [
        FactQuestion(
            fact, base.facts[fact].ask or "", weight.settles, tuple(dict.fromkeys(weight.bears)), weight.impact,
            not matter.isdisjoint(weight.bears),
        )
        for fact, weight in weights.items() if not unseen.issuperset(weight.bears)
    ]
    order = {fact: place for place, fact in enumerate(base.facts)}
    must = {name for name, setting in waiting.items() if setting.strength == "must"}
    grave = {name for name in must if waiting[name].kind in LINE_KINDS
             and any((maybe.strength, maybe.consequence) in GRAVE_MUSTS for maybe in waiting[name].possible)}
    # Whether NFS is right at all comes first.
    access = {name for name, setting in waiting.items() if setting.kind == ACCESS}
    return tuple(sorted(asked, key=lambda ask: (
        not ask.matters, not access.issuperset(ask.decisions), grave.isdisjoint(ask.decisions),
        must.isdisjoint(ask.decisions), min(urgency.get(name, len(CONSEQUENCES)) for name in ask.decisions),
        -ask.impact, order[ask.fact],
    )))


def _urgency(setting: Row) -> int:
    """The place among CONSEQUENCES of the worst harm that the default of an open setting may do; their number for
    none."""
    return min((
        CONSEQUENCES.index(maybe.consequence) for maybe in setting.possible if maybe.strength in ("must", "should")
        and absence_supports(maybe.value, setting.definition.default) is not True
    ), default=len(CONSEQUENCES))


def blocked_settings(base: RuleBase, advice: Advice, waiting: Iterable[Row]) -> dict[str, tuple[str, ...]]:
    """Fact that was answered with "I don't know" → the open settings that it could still change."""
    unknown = advice.answers.unknown
    closed = {name for name, fact in base.facts.items() if not fact.ask or name in advice.answers.facts}
    pending = next_questions(base.engine, [setting.tunable for setting in waiting], advice.state, closed - unknown)
    return {question.fact: question.decisions for question in pending if question.fact in unknown}


def _dependent_on_unknown(base: RuleBase, answers: Answers, taken: State) -> set[str]:
    """The questions that depend on an "I don't know", or on another question that does. `taken`: the state with usual
    values."""
    if not answers.unknown:
        return set()
    waiting = {name: fact for name, fact in base.facts.items() if name not in answers.facts}
    dependent = {
        name for name in waiting
        if not answers.unknown.isdisjoint(applicability_facts(base.engine, name, taken))
    }
    while more := {
        name for name, fact in waiting.items()
        if name not in dependent and not (dependent | answers.unknown).isdisjoint(fact.asked_after)
    }:
        dependent |= more
    return dependent


def _is_single(value: object) -> bool:
    """Whether the answer is a single value. A short version such as 5.14 counts as one: the user knows no more."""
    return not isinstance(value, list) and not str(value).startswith(("<", ">", "=", "!"))


class _Weight:
    """The weight of a question."""

    def __init__(self) -> None:
        self.settles = 0.0
        self.impact = 0.0
        self.bears: list[str] = []

    def add(self, question: Question, settles: float, impact: Callable[[str], float]) -> None:
        self.settles += settles * question.settles
        self.impact += sum(max(chance, _RARE) * impact(name) for name, chance in question.chances.items())
        self.bears += question.decisions

    def needed_for(self, estimate: str) -> None:
        self.settles += _ESTIMATE
        self.impact += _ESTIMATE
        self.bears.append(estimate)


def _pass_on(setting: str, weights: dict[str, _Weight]) -> None:
    """Passes the weight of a setting on to the questions that settle it, and drops the question for the setting."""
    settling = [weight for fact, weight in weights.items() if setting in weight.bears and fact != setting]
    if not settling:
        return
    rest = weights.pop(setting)
    for weight in settling:
        weight.settles += rest.settles / len(settling)
        weight.impact += rest.impact / len(settling)
        weight.bears += rest.bears


_TYPE = "fstab.type"
PLAIN = "defaults"
"""The option list that sets nothing."""


def mount_options(advice: Advice) -> tuple[Row, ...]:
    """The mount options to write, in the order in which they are written."""
    return tuple(row for row in advice.rows if row.kind == "mount-option" and is_written(row))


def has_mount(advice: Advice) -> bool:
    """Whether there is a mount to write: the host is not the server, and something is settled."""
    if advice.server or any(forbids_mount(row) for row in advice.rows):
        return False
    return bool(mount_options(advice) or kept_options(advice))


def option_list(advice: Advice) -> str:
    """The options as in a mount command and in fstab."""
    written = [option.text for option in mount_options(advice)]
    return ",".join((*written, *(text for text in kept_options(advice) if text not in written))) or PLAIN


def kept_options(advice: Advice) -> tuple[str, ...]:
    """The options that facts state and those of the current line, unless a recommendation is about them."""
    return tuple(
        text for tunable, text in {**advice.given_options, **advice.answers.today}.items()
        if text and tunable != _TYPE and ((setting := advice.find(tunable)) is None or setting.value == "keep")
    )


def fstab_line(advice: Advice) -> str:
    """The line for fstab, names escaped as fstab(5) says."""
    source = f"{bracketed_host(advice.answers.name('server'))}:{advice.answers.name('export')}"
    fields = (
        escaped(source), escaped(advice.answers.name("target")),
        field(advice, "type", advice.answers.today.get(_TYPE, "nfs")), option_list(advice),
        field(advice, "freq", "0"), field(advice, "passno", "0"),
    )
    return "  ".join(fields[:4]) + "  " + " ".join(fields[4:])


def form_elsewhere(advice: Advice) -> str | None:
    """The form of the mount where something else than fstab names it: a manifest, the kernel's command line, the files
    of what manages machines. Whoever wrote a line into fstab as well would mount it twice."""
    steps = (row.definition.by_value.get(str(row.value)) for row in advice.advised if row.kind == ACCESS)
    return next((one.line for one in steps if one is not None and one.line is not None), None)


def mount_line(advice: Advice) -> str:
    """The mount as a line of fstab, or in the form that it has elsewhere."""
    form = form_elsewhere(advice)
    if form is None:
        return fstab_line(advice)
    return fill_in(form, {"server": advice.answers.name("server"), "export": advice.answers.name("export"),
                          "options": option_list(advice)})


def export_line(advice: Advice) -> str:
    """The export as a line of /etc/exports; "" if a cluster makes it, or nothing is to be written."""
    rows = in_order(advice.part("set"))
    options = ",".join(row.text for row in rows if row.kind == "export-option" and not row.refused)
    if not options or any(row.kind == "cluster" for row in rows):
        return ""
    return f"{advice.answers.name('export')}  {advice.answers.name('clients')}({options})"


def bracketed_host(server: str) -> str:
    """A server in the syntax of a mount source: an IPv6 address in brackets."""
    return f"[{server}]" if ":" in server and not server.startswith("[") else server


def field(advice: Advice, name: str, usual: str) -> str:
    """A field of fstab (`type`, `freq`, `passno`), or `usual` if it is not settled."""
    setting = advice.find(f"fstab.{name}")
    return usual if setting is None or setting.written is None else str(setting.written)


def open_setting(
    base: RuleBase, name: str, outcomes: tuple[Outcome, ...], missing: tuple[str, ...], lookup: Lookup
) -> Row:
    rules = base.decisions[name].rules
    possible = tuple(
        possible_value(
            base, rules.get(one.rule or ""), evaluate(one.value, base.facts, lookup) or one.value, one
        ) for one in outcomes
    )
    return open_row(base.tunables[name], possible, missing)


def at_default(row: Row) -> Row:
    """An open setting that keeps its default, which is in effect anyway, until something else is known."""
    values = in_hand(row)[0]
    return row._replace(
        value="keep", already=True, possible=(), otherwise=row.possible,
        why=f"The default stays; {values} only if one of these says so: {word_list(row.asks)}.",
    )


def in_hand(row: Row) -> tuple[str, Sequence[Possible]]:
    """What an open setting may have to be other than its default, in words, and the cases, the strongest first."""
    cases = [maybe for maybe in row.possible if absence_supports(maybe.value, row.definition.default) is not True]
    cases.sort(key=lambda maybe: (*STRENGTHS, None).index(maybe.strength))
    by_hand = told_name(row.definition) == row.definition.title
    told = (str(maybe.value) if by_hand else describe(row.definition, maybe.value) for maybe in cases)
    return word_list(dict.fromkeys(told)), cases


def open_row(tunable: Tunable, possible: tuple[Possible, ...], asks: tuple[str, ...]) -> Row:
    """A row that is open, with the strength of the strongest rule that may still win, and what that is about."""
    strength = min((maybe.strength for maybe in possible if maybe.strength), key=STRENGTHS.index, default=None)
    consequence = consequence_of(possible, strength)
    why = next((maybe.why for maybe in possible if maybe.strength == strength), "")
    return Row(
        tunable.id, tunable.kind, tunable.title, tunable, strength, consequence, why, possible=possible, asks=asks,
    )


def consequence_of(possible: Iterable[Possible], strength: str | None) -> str | None:
    """What the rule of this strength is about."""
    return next((maybe.consequence for maybe in possible if maybe.strength == strength), None)


def possible_value(base: RuleBase, rule: Rule | None, value: Value | None, case: Outcome | State) -> Possible:
    """A value that a setting may get from a rule (None: no rule), for example in a case, or in that of an outcome."""
    def when() -> str:
        return in_words(base.engine.space, case.witness if isinstance(case, Outcome) else case)

    if rule is None:
        return Possible(value, None, None, None, "No rule covers this case.", when=when)
    return Possible(value, rule.id, rule.strength, rule.consequence, rule.why, when=when)


def with_questions(setting: Row, asked: Iterable[FactQuestion]) -> Row:
    return setting._replace(asks=tuple(dict.fromkeys(
        (*setting.asks, *(question.fact for question in asked if setting.tunable in question.decisions))
    )))
