"""Computes the advice for some answers by running every decision of the rule base, with usual values of facts that were
not given: assumed for settings if they can do no harm, and put into figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cache, partial

from advisor import __version__
from advisor.advice.answers import OBSERVED, Answers, marked
from advisor.advice.model import NO_STEPS, PINNED, SILENT, Advice, Bug, Estimate, PinEffect, Row, Supposition, steps_for
from advisor.advice.rows import (
    ACCESS,
    CLIENT,
    at_default,
    consequence_of,
    forbids_mount,
    is_idle,
    is_pointless,
    one_of_two_units,
    open_setting,
    questions,
    stays_at_default,
    with_parts,
    with_questions,
)
from advisor.advice.supposed import Presumed, figures, presumptions, suppositions, whole
from advisor.engine import Outcome, State, can_hold, holds, possible
from advisor.engine.base import GATE
from advisor.engine.errors import word_list
from advisor.engine.formula import names_in
from advisor.engine.usual import Counsel
from advisor.engine.usual import advise as decide
from advisor.lint.lifetimes import lacking
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.counsel import (
    CONSEQUENCES,
    STRENGTHS,
    Lookup,
    decide_all,
    evaluate,
    formula_facts,
    is_in_effect,
    missing_facts,
    of_nothing,
    speaking_rule,
    to_write,
)
from advisor.rulebase.model import Rule, RuleBase, Scalar, Tunable, Value
from advisor.rulebase.values import is_bound, same, spell

_ROLE = "host.role"


def advise(
    base: RuleBase, answers: Answers, *, strict: bool = False, unless: Collection[str] = (), asking: bool = False,
    about: str = "",
) -> Advice:
    """The advice for some answers. Raises FactError if they contradict each other, EngineError for an unknown pin.

    `strict`: no usual values are assumed; `unless`: none of these facts, and nothing is presumed of them. `asking`:
    someone answers one question after the other, or was `asked` for the answers; else what is not known stays unknown,
    and defaults stay where no must may speak against them. `about`: the setting asked about; what others presume,
    bugs, and settings that do not matter to it are left out. The order of the answers does not matter."""
    order = {fact: place for place, fact in enumerate(base.facts)}
    answers, asking = marked(base, answers), asking or answers.asked
    answers = answers._replace(facts=dict(sorted(answers.facts.items(), key=lambda item: order.get(item[0], -1))))
    pins = all_pins(base, answers)
    certain, given = _known(base, answers, pins, asking, unless)
    lookup = _number_lookup(base, answers, {})
    unknown = answers.unknown if asking else base.facts
    decided = partial(
        decide_all, base, certain, given, lookup=lookup, strict=strict, unless=unless, unknown=unknown, about=about,
    )
    if not (strict or unless or answers.unknown or answers.facts or pins):
        counsel = base.ready(of_nothing, asking)
    else:
        counsel = decided(pins)
    replaced = _by_version(base, answers, counsel, pins)
    if replaced:
        pins = {**pins, **{name: rule.value for name, rule in replaced.items()}}
        counsel = decided(pins)
    state, supposed = counsel.state, counsel.supposed
    presumed = cache(partial(presumptions, base, certain, given, counsel))
    presumed_of = {fact for fact, mask in given.items() if certain.get(fact) != mask}
    make = partial(
        _Told, base, answers, counsel, pins, replaced=replaced,
        presumed=lambda name: Presumed(presumed, name, presumed_of),
    )
    told = make(_beside(base, about) if about and not pins else counsel.outcomes)
    asks = not about or any(row.tunable == about for row in told.unsettled)
    if about and asks and not pins:
        told = make(counsel.outcomes)  # what to ask first depends on all that is open
    advised, estimates = told.advised, told.estimates
    places = {name: place for place, name in enumerate(base.tunables)}
    estimates.sort(key=lambda estimate: places[estimate.tunable])
    server = told.server
    unsettled = [
        row._replace(strength=None, consequence=consequence_of(row.possible, None))
        if is_idle(row) or is_pointless(row.definition, (*advised, *told.unsettled))
        or (row.tunable.startswith(("identity.", "network.")) and row.tunable in counsel.harmful)  # no Kerberos, RDMA
        else row for row in told.unsettled if not (server and row.kind in CLIENT)
    ]
    asked = questions(
        base, answers, state, supposed, unsettled=unsettled, advised=advised, estimates=estimates,
    ) if asks else ()
    unsettled = [with_questions(setting, asked) for setting in unsettled]
    if not (asking or strict):
        kept = [row for row in unsettled if stays_at_default(row) and base.decisions[row.tunable].hit != "collect"]
        advised += map(at_default, kept)
        unsettled = [row for row in unsettled if row not in kept]
    here = one_of_two_units(base, tuple(_for_host(base, answers, row) for row in advised))
    if bars := [row for row in here if forbids_mount(row)]:  # if Linux must not mount it, at most the server matters
        beside = [row for row in here if row.kind in (ACCESS, "volume", "identity") and row.recommends]
        rows = with_parts(tuple(beside if bars[0].consequence == "ignored" else bars), server=False)
        return Advice(_without_bearing(base, answers, rows), state, supposed, rows, (), (), (), (), base.hash,
                      __version__, asking=asking)
    rows = with_parts((*here, *unsettled), server=server)
    return Advice(
        answers, state, supposed, rows, tuple(estimates), () if about else known_bugs(base, given, state), asked,
        _pin_effects(base, answers, pins, counsel.outcomes, asking), base.hash, __version__,
        _options_of_facts(base, answers), server, asking,
    )


def _beside(base: RuleBase, about: str) -> set[str]:
    """A setting, and those that can change what is said of it without an open fact: the same in another unit, what it
    says the place of, and whether Linux should mount at all."""
    tunable = base.tunables[about]
    return {about, tunable.other_unit or about, *tunable.places, *base.of_kinds(ACCESS)}


class _Told:
    """What the decisions come to. `advised`: what can be done now; `unsettled`: what cannot be said without an answer.
    `names`: the decisions; `replaced`: as `_by_version` gives it; `presumed`: what a decision presumes."""

    def __init__(
        self, base: RuleBase, answers: Answers, counsel: Counsel, pins: Container[str], names: Container[str], *,
        replaced: Mapping[str, Rule], presumed: Callable[[str], Presumed],
    ) -> None:
        self.base, self.answers, self.counsel = base, answers, counsel
        self.pins, self.replaced, self.presumed = pins, replaced, presumed
        self.server = base.engine.answer(_ROLE, possible(base.engine, _ROLE, counsel.state)) == "nfs-server"
        done = {name: (assumption.outcome,) for name, assumption in counsel.assumed.items()}
        self.server = base.engine.answer(_ROLE, possible(base.engine, _ROLE, counsel.state)) == "nfs-server"
        self.lookup = _number_lookup(base, answers, counsel.outcomes)
        self.guess = _number_lookup(base, answers, {**counsel.outcomes, **done})
        self.advised: list[Row] = []
        self.unsettled: list[Row] = []
        self.estimates: list[Estimate] = []
        for name, outcomes in counsel.outcomes.items():
            if name in names:
                self._add(name, outcomes)

    def _add(self, name: str, outcomes: tuple[Outcome, ...]) -> None:
        """Adds what one decision comes to."""
        base, decision, assumption = self.base, self.base.decisions[name], self.counsel.assumed.get(name)
        useful = [outcome for outcome in outcomes if outcome.value != "n/a"]  # what has no effect does no harm
        kind = base.tunables[name].kind
        serves = kind == "service" and self.server  # its clients may have any version
        harmless = (kind == "volume" or serves) and name not in self.pins
        if decision.estimate:
            self.estimates += figures(base, name, self.lookup, self.counsel, self.answers.facts)
        elif harmless and len(useful) == 1 and useful[0].rule:
            self.advised.append(self._settled(name, useful[0]))
        elif name in self.replaced and outcomes[0].rule is None:
            self.advised.append(_recommendation(
                base, name, outcomes[0], self.lookup, self.counsel.state, held=False, rule=self.replaced[name]))
        elif assumption is not None and not missing_facts(assumption.outcome.value, base.facts, self.guess):
            taken = suppositions(base, assumption.rests_on, self.counsel.supposed)
            known = self.counsel.supposed if taken else self.counsel.state
            row = self._settled(name, assumption.outcome, self.guess, known)
            self.advised.append(row._replace(rests_on=taken))
        else:
            self._add_decided(name, outcomes)

    def _add_decided(self, name: str, outcomes: tuple[Outcome, ...]) -> None:
        """Adds what follows without an assumption."""
        base, lookup = self.base, self.lookup
        pinned = name in self.pins and outcomes[0].rule is None  # a gate that holds for certain overrules a pin
        collects = base.decisions[name].hit == "collect"
        if not collects and (len(outcomes) != 1 or outcomes[0].rule is None) and not pinned:
            self.unsettled.append(open_setting(base, name, outcomes, (), lookup))
            return
        waiting = [outcome for outcome in outcomes
                   if missing_facts(outcome.value, base.facts, lookup) or not (outcome.certain or pinned)]
        self.advised += [self._settled(name, outcome) for outcome in outcomes if outcome not in waiting]
        if waiting:
            missing = [fact for outcome in waiting for fact in missing_facts(outcome.value, base.facts, lookup)]
            self.unsettled.append(open_setting(base, name, tuple(waiting), tuple(missing), lookup))

    def _settled(
        self, name: str, outcome: Outcome, numbers: Lookup | None = None, known: State | None = None
    ) -> Row:
        return _recommendation(
            self.base, name, outcome, numbers or self.lookup,
            self.counsel.state if known is None else known, held=name in self.pins,
            presumes=self.presumed(name),
        )


def _without_bearing(base: RuleBase, answers: Answers, rows: Iterable[Row]) -> Answers:
    """The answers, of which those that no row rests on are said not to matter."""
    engine = base.engine
    read = {fact for row in rows for fact in engine.space.names(engine.decision(row.tunable).reads)}
    idle = {fact: "does not matter here" for fact in answers.facts
            if base.facts[fact].scope == "host" and fact not in read}
    return answers._replace(origin={**idle, **answers.origin})


def of_clients(base: RuleBase, advice: Advice, *, strict: bool = False) -> Advice | None:
    """The clients' advice beside a server's, where facts tell of both and nobody said which of them is meant. What it
    says of the storage as the server's does is left out."""
    facts = advice.answers.facts
    if not advice.server or _ROLE in facts or not any(fact.startswith(("client.", "workload.")) for fact in facts):
        return None
    clients = advise(base, advice.answers._replace(facts={**facts, _ROLE: "nfs-client"}), strict=strict)
    told = {(row.tunable, row.value) for row in advice.advised if row.kind == "volume"}
    exported = {row.tunable for row in advice.part("set") if row.kind == "export-option"}
    return clients._replace(rows=tuple(
        row for row in clients.rows if (row.tunable, row.value) not in told
        and not (row.kind == "volume" and exported.intersection(row.definition.related))
    ))


def _known(
    base: RuleBase, answers: Answers, pins: Mapping[str, Scalar], asking: bool, unless: Collection[str] = ()
) -> tuple[State, State]:
    """What is known without and with presumptions, of which none is about the facts in `unless`. A pin adds no
    knowledge, but rules out presumptions against it."""
    engine, certain = base.engine, base.engine.certain(answers.facts)
    if not asking and (role := possible(engine, _ROLE, certain)) != engine.fact(_ROLE).full:
        certain = {**certain, _ROLE: role}  # it may follow from what only servers have; presumptions read it
    held = {name: engine.fact(name).mask(value) for name, value in pins.items()
            if name in base.facts and value not in (*SILENT, "omit")}
    presumed = engine.presume({**certain, **held}, once=not asking)
    return certain, {**presumed, **{name: certain.get(name, engine.fact(name).full) for name in (*held, *unless)}}


def _by_version(base: RuleBase, answers: Answers, counsel: Counsel, pins: Container[str]) -> dict[str, Rule]:
    """Decision → a rule in place of the one that won: the versions that are known lack the setting, or a known fault
    of theirs spoils its value."""
    state, replaced = counsel.state, {}
    free = {name: outcomes for name, outcomes in counsel.outcomes.items() if name not in pins}
    shown = {name: outcomes[0] for name, outcomes in free.items() if len(outcomes) == 1}
    shown.update((name, assumption.outcome) for name, assumption in counsel.assumed.items())
    index = RuleIndex(base, answers.facts, kind="nfs.conf")
    for name, outcomes in free.items() if answers.facts else ():  # without any, no version is known
        asked = any(outcome.value not in SILENT for outcome in outcomes)
        for finding in lacking(index, base.tunables[name]) if asked else ():
            data = {"id": finding.rule, "layer": GATE, "value": "n/a", "why": f"{finding.message}. {finding.why}"}
            replaced[name] = Rule.from_data({**data, "cites": [*finding.cites]})
    faults = sorted((base.errata[name] for name in base.lint["spoils"]), key=lambda one: STRENGTHS.index(one.strength))
    for name, use, erratum in ((name, use, fault) for fault in faults for name, use in fault.spoils.items()):
        outcome = shown.get(name) if name not in replaced else None  # the strongest fault decides
        rule = base.decisions[name].rules.get(outcome.rule or "") if outcome else None
        if rule is None or rule.strength == "must" or rule.value in (use, "omit"):
            continue
        there = dict(state)
        for fact in {name, *erratum.when} & base.engine.facts.keys() & shown.keys():
            value = rule.value if fact == name else shown[fact].value
            left_open = value in SILENT  # client and server negotiate, as a rule what is newest
            negotiated = erratum.when.get(fact) if erratum.strength != "may" else None
            mask = index.rules.mask(fact, negotiated if left_open else value)
            there[fact] = possible(base.engine, fact, state) & (base.engine.fact(fact).full if mask is None else mask)
        if any(holds(base.engine, f"erratum:{erratum.erratum}:{version}", there) for version in erratum.facts):
            replaced[name] = Rule.from_data({
                "id": erratum.erratum, "layer": "erratum", "value": use, "strength": erratum.strength,
                "consequence": erratum.consequence, "why": f"{erratum.symptom} {erratum.why}",
                "cites": [*erratum.cites], "file": erratum.file,
            })
    return replaced


def _options_of_facts(base: RuleBase, answers: Answers) -> dict[str, str]:
    """Tunable → option text, of options that follow from facts without a decision: a read-only mount has ro."""
    settings = ((base.facts[fact].setting, value) for fact, value in answers.facts.items())
    return {
        setting.tunable: _file_text(base.tunables[setting.tunable], value) for setting, value in settings
        if setting and setting.tunable not in base.decisions and value != setting.absent and not isinstance(value, list)
    }


def all_pins(base: RuleBase, answers: Answers) -> dict[str, Scalar]:
    """The pinned settings, including facts that are settings (mount.vers) and were answered with a single value."""
    pins = {
        name: value for name, value in answers.facts.items()
        if name in base.decisions and isinstance(value, (str, int)) and value != "n/a" and not is_bound(value)
        and not str(value).startswith((">", "<", "!", "="))
    }
    return {**pins, **answers.pins}


def _pin_effects(
    base: RuleBase, answers: Answers, pins: dict[str, Scalar], outcomes: dict[str, tuple[Outcome, ...]], asking: bool
) -> tuple[PinEffect, ...]:
    """The changes that the pins of an administrator cause in other settings. `pins`: these and all others."""
    if not answers.pins:
        return ()
    others = {name: value for name, value in pins.items() if name not in answers.pins}
    free = decide(base.engine, _known(base, _without(answers, answers.pins), others, asking)[1], others)
    return tuple(
        PinEffect(name, _values(free[name]), _values(pinned)) for name, pinned in outcomes.items()
        if name not in pins and _values(free[name]) != _values(pinned) and not base.decisions[name].estimate
    )


def _without(answers: Answers, names: Container[str]) -> Answers:
    return answers._replace(facts={fact: value for fact, value in answers.facts.items() if fact not in names})


Given = tuple["Value", "Rule | None"]
"""A value, and the rule that gives it."""


def without_pin(base: RuleBase, advice: Advice, name: str) -> tuple[tuple[Given, ...], tuple[Given, ...]]:
    """The values that are possible for a setting without its pin, and those of them that matter: the one that would be
    advised, or else all. Remembered, since every page and file that mentions the pin asks for it."""
    answers = _without(advice.answers, (name,))
    every = all_pins(base, advice.answers)
    pins = {setting: value for setting, value in every.items() if setting != name}
    certain, given = _known(base, answers, every, advice.asking)
    unknown = answers.unknown if advice.asking else frozenset(base.facts)

    def work_out() -> tuple[tuple[Given, ...], tuple[Given, ...]]:
        lookup = _number_lookup(base, answers, {})
        told = decide_all(base, certain, given, pins, lookup, strict=False, unknown=unknown, only=name)
        lookup = _number_lookup(base, answers, told.outcomes)

        def values(outcomes: Iterable[Outcome]) -> tuple[Given, ...]:
            return tuple(
                (evaluate(outcome.value, base.facts, lookup),
                 speaking_rule(base, name, outcome.value, told.state) if outcome.rule else None)
                for outcome in outcomes
            )

        outcomes, assumed = values(told.outcomes[name]), told.assumed.get(name)
        return outcomes, outcomes if assumed is None or assumed.rests_on else values([assumed.outcome])

    numbers = tuple(item for item in answers.facts.items() if type(item[1]) is int)
    question = ("without pin", name, base.engine.space.pack(given), tuple(pins.items()), numbers, unknown)
    return base.engine.remembered(question, work_out)


def known_bugs(base: RuleBase, given: State, state: State) -> tuple[Bug, ...]:
    """The known bugs that certainly affect these hosts, then those that may, the worst first. `given`: what is known
    without usual values: of a version about which it says no more than of any other, no bug is named."""
    engine = base.engine
    anywhere = engine.presume({})
    known = [
        fact for fact in base.lint["errata"] if possible(engine, fact, given) != possible(engine, fact, anywhere)
    ]
    bugs = []
    for slug in dict.fromkeys(slug for fact in known for slug in base.lint["errata"][fact]):
        erratum = base.errata[slug]
        if erratum.unless and holds(base.engine, f"unless:{slug}", state):
            continue
        verdicts = {fact: holds(base.engine, f"erratum:{slug}:{fact}", state) for fact in erratum.facts}
        certain = any(verdicts.values())
        open_facts = tuple(fact for fact, verdict in verdicts.items() if verdict is None and fact in known)
        if certain or open_facts:
            bugs.append(Bug(slug, erratum, certain, () if certain else open_facts))
    return tuple(sorted(bugs, key=lambda bug: (
        not bug.certain, STRENGTHS.index(bug.fault.strength), CONSEQUENCES.index(bug.fault.consequence), bug.erratum,
    )))


def _unknown(fact: str, lookup: Lookup) -> Lookup:
    return lambda name: None if name == fact else lookup(name)


def _recommendation(
    base: RuleBase, name: str, outcome: Outcome, lookup: Lookup, state: State, *, held: bool, rule: Rule | None = None,
    presumes: Sequence[Supposition] = (),
) -> Row:
    """The recommendation for a settled outcome. `held`: the setting is pinned; a gate may still overrule that. `rule`:
    the one that gives it, if the decision has none."""
    tunable = base.tunables[name]
    value = evaluate(outcome.value, base.facts, lookup)
    written = to_write(tunable, value)
    if outcome.rule:
        rule = speaking_rule(base, name, outcome.value, state)
    strength, consequence, why = (rule.strength, rule.consequence, rule.why) if rule else (None, None, PINNED)
    inputs = [
        f"{fact}={number}" for fact in sorted(names_in(outcome.value)) if (number := lookup(fact)) is not None
        and value != evaluate(outcome.value, base.facts, _unknown(fact, lookup))
    ]
    if inputs:
        why = f"{why} Computed from {' and '.join(inputs)}."
    idle = rule is not None and rule.layer == GATE and not held and not _is_asked_for(base, name, state)
    return Row(
        name, tunable.kind, tunable.title, tunable, strength, consequence, why, value, written,
        _file_text(tunable, written), is_in_effect(tunable, value, written), held and not outcome.rule, rule,
        (), presumes, NO_STEPS, idle,
    )


def _is_asked_for(base: RuleBase, name: str, state: State) -> bool:
    """Whether a rule would ask for a setting if it could be used; of a vendor's option only rules that may apply
    here."""
    asking = {rule.id for rule in base.engine.decision(name).rules if rule.value not in (*SILENT, "omit")}
    return bool(asking) and (not base.tunables[name].vendor or can_hold(base.engine, name, asking, state))


def _for_host(base: RuleBase, answers: Answers, recommendation: Row) -> Row:
    """The recommendation with its steps for this host: a current value within the bound is kept, and a default does
    not count as in effect if the host has another value."""
    known = answers.before.get(recommendation.tunable)
    now = known.value if known is not None else None
    if now is not None and recommendation.written is not None:
        written = to_write(recommendation.definition.replace(default=now, usual=()), recommendation.value)
        text, already = _file_text(recommendation.definition, written), recommendation.already and same(now, written)
        recommendation = recommendation._replace(written=written, text=text, already=already)
    found = answers.origin.get(recommendation.tunable)
    where = "you answered this" if not found else found if found.startswith(f"{OBSERVED} ") else f"found in {found}"
    said = recommendation.pinned and recommendation.tunable not in answers.pins
    return recommendation._replace(
        why=f"{where[:1].upper()}{where[1:]}." if said else recommendation.why,
        now=answers.now.get(recommendation.tunable),
        steps=steps_for(base, recommendation.definition, recommendation.value, recommendation.written, answers),
    )


def for_names(base: RuleBase, advice: Advice, names: dict[str, str]) -> Advice:
    """The same advice for a mount with these names."""
    answers = advice.answers._replace(names=names)
    rows = (
        row if row.possible else row._replace(
            steps=steps_for(base, row.definition, row.value, row.written, answers)
        ) for row in advice.rows
    )
    return advice._replace(answers=answers, rows=tuple(rows))


def with_written_value(
    base: RuleBase, answers: Answers, recommendation: Row, written: Value
) -> Row:
    """The recommendation with another value to write, which its rule allows too."""
    return recommendation._replace(
        value=written, written=written, text=_file_text(recommendation.definition, written),
        already=is_in_effect(recommendation.definition, written, written),
        steps=steps_for(base, recommendation.definition, written, written, answers),
    )


def _file_text(tunable: Tunable, written: Value) -> str:
    """The setting in the syntax of its file; "" for None."""
    kind = tunable.kind
    if written is None:
        return ""
    if kind in ("mount-option", "export-option"):
        return spell(tunable, written)
    if kind == "sysctl":
        return f"{tunable.id.removeprefix('sysctl.')} = {written}"
    if kind == "module-parameter":
        _, module, parameter = tunable.id.split(".", 2)
        return f"options {module} {parameter}={written}"
    if kind == "nfs.conf":
        return f"{tunable.id.split('.', 3)[3]}={written}"
    return str(written)


def _number_lookup(base: RuleBase, answers: Answers, outcomes: dict[str, tuple[Outcome, ...]]) -> Lookup:
    """A lookup of the number of a fact: the answer, the decided value, or the default or negotiated one."""

    def lookup(name: str) -> int | None:
        given, possible_outcomes = answers.facts.get(name), outcomes.get(name, ())
        if given is not None or len(possible_outcomes) != 1:
            return whole(given)
        value = possible_outcomes[0].value
        if whole(value) is not None:
            return whole(value)
        if formula_facts(value, base.facts):
            return None if missing_facts(value, base.facts, lookup) else whole(evaluate(value, base.facts, lookup))
        if is_bound(value):
            return whole(to_write(base.tunables[name], evaluate(value, base.facts, lookup)))
        setting = base.facts[name].setting if name in base.facts else None
        if setting is not None and setting.negotiated:
            return lookup(setting.negotiated)
        return whole(setting.absent) if setting else None

    return lookup


def _values(outcomes: tuple[Outcome, ...]) -> str:
    wanted = [outcome.value for outcome in outcomes if outcome.value not in ("keep", "n/a")]
    return word_list(str(value) for value in wanted) or "unchanged"
