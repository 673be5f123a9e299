"""Checks that a value is one which its fact or its setting can have: in conditions, examples, rules and defaults."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator

from advisor.engine import cells, formula, versions, word_list
from advisor.regex import regex
from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.document import Problem, YamlPath, shown
from advisor.rulebase.model import Fact, Place, Probe, Record, Rule, Tunable
from advisor.rulebase.regex_safety import why_unsafe
from advisor.rulebase.spelling import near
from advisor.rulebase.values import NUMERIC, Misfit, limits, misfit, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

FEW = 12
"""This many values are listed; of more only the number is given."""
KEYWORDS = ("omit", "keep", "n/a")
"""Rule values that name no setting: do not set it, leave it alone, no effect here."""
LINE_PARTS = (
    "fstab.source", "fstab.target", "fstab.type", "fstab.options", "fstab.freq", "fstab.passno", "fstab.host",
    "fstab.export", "fstab.server",
)
"""Parts of a line that a check or a verdict may name although they are not tunables."""
_OWNERS = {
    "claim": "kb/claims/", "tunable": "kb/tunables/", "fact": "rules/facts/", "decision": "rules/",
    "rule": "this decision", "message": "kb/messages/", "check": "rules/checks/", "layout": "kb/layouts.yaml",
    "family": "rules/families.yaml",
}
_FOLDERS = ("/proc/", "/sys/", "/etc/", "/usr/lib/", "/run/", "/var/lib/pacemaker/cib/")
_PLACES = ("file", "dpkg", "rpm", "interface", "mounted")
_WHOLE = regex(r"-?\d+")


def comparisons(text: str) -> list[tuple[str, str]] | None:
    """(sign, constant) of a range such as ">=5.3 <5.11"; None when `text` is not a range, or a broken one."""
    try:
        return versions.comparisons(text) or None
    except ValueError:
        return None


def is_bound(value: object) -> TypeGuard[str]:
    """True for "<=262144" or ">=8 <=16"; unlike in rulebase.values, also for constants that are not numbers."""
    return isinstance(value, str) and comparisons(value) is not None


def reference(
    item: Authored[Record], at: YamlPath, name: str, known: Collection[str], kind: str, *, key: bool = False,
    similar: Collection[str] = (),
) -> Iterator[Problem]:
    """A problem when `name`, found at `at`, is not known. `kind`: a key of `_PLACES`; `similar`: what may be meant."""
    if name not in known:
        where = _OWNERS[kind]
        otherwise = f"add it to {where}" + (", or find one with `advisor kb search WORD`" if kind == "claim" else "")
        hint = near(name, similar or known, otherwise)
        yield item.problem(at, f'unknown {kind} "{name}"', f"{where} does not define it", hint, key)


def setting_name(
    item: Authored[Record], at: YamlPath, name: str, tunables: Items[Tunable], key: bool = False
) -> Iterator[Problem]:
    """A problem when `name` is neither a tunable nor a part of a line."""
    if name not in LINE_PARTS:
        yield from reference(item, at, name, tunables, "tunable", key=key, similar=(*tunables, *LINE_PARTS))


def expression(item: Authored[Record], at: YamlPath, text: str, way: str, flags: int = 0) -> Iterator[Problem]:
    """Problems of a regular expression. `way`: how it is used, one of regex_safety.WAYS."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # "[[": Python means to read it in another way, and says so to every user
            why = why_unsafe(text, flags, way)
    except (re.error, OverflowError, RecursionError, FutureWarning) as error:
        yield item.problem(at, f'"{text}"', f"that is not a regular expression: {error}", "correct it")
        return
    if why is not None:
        yield item.problem(
            at, f'"{text}"', f"a long text could keep it busy for a very long time: {why}",
            "write it so that each character can be read in one way only",
        )


def condition(item: Authored[Record], steps: YamlPath, written: object, facts: Items[Fact]) -> Iterator[Problem]:
    """Problems of the condition at `steps` below `item`. `facts`: those that it may name."""
    if not isinstance(written, dict):
        mistake = f"the condition is {shown(written, item.source(steps))}"
        yield item.problem(steps, mistake, "a condition is a mapping from facts to values", "write {fact: value}")
        return
    for key, value in written.items():
        at = (*steps, key)
        if key in ("all", "any"):
            if not isinstance(value, list) or not value:
                why = f'"{key}" joins a list of conditions'
                yield item.problem(
                    at, f'"{key}" has {shown(value, item.source(at))}', why, f"write {key}: [{{fact: value}}, …]"
                )
                continue
            for index, part in enumerate(value):
                yield from condition(item, (*at, index), part, facts)
        elif key == "not":
            yield from condition(item, at, value, facts)
        else:
            yield from answer(item, at, key, value, facts)


def answer(item: Authored[Record], at: YamlPath, name: str, value: object, facts: Items[Fact]) -> Iterator[Problem]:
    """Problems of one fact's value: a scalar, a list or a range. `at` is the value's place below `item`."""
    fact = facts.get(name)
    if fact is None:
        hint = near(name, facts, "see rules/facts/ for the facts there are")
        why = "no file of rules/facts/ and no capability defines it"
        yield item.problem(at, f'unknown fact "{name}"', why, hint, key=True)
        return
    if not fact.sound:
        return
    if value == []:
        yield item.problem(at, "an empty list", "no value would ever match", "list the values")
    for place, one in each(at, value):
        yield from _answer(item, place, fact, one)


def each(at: YamlPath, value: object) -> list[tuple[YamlPath, object]]:
    """The values of a list, or the one value, with their places."""
    if isinstance(value, (list, tuple)):
        return [((*at, index), one) for index, one in enumerate(value)]
    return [(at, value)]


def _answer(item: Authored[Record], at: YamlPath, known: Authored[Fact], value: object) -> Iterator[Problem]:
    if value is None:
        return  # YAML's own problem, reported already
    fact = known.record
    mistake = f"{fact.id} is {shown(value, item.source(at))}"
    if isinstance(value, (dict, list)):
        yield item.problem(at, mistake, "a fact is compared with values", "write a value, a list or a range")
    elif value == "n/a":
        if not fact.applies:
            why = "this fact has no n/a: it applies everywhere"
            yield item.problem(at, mistake, why, "write one of its values, or give the fact an applies condition")
    elif fact.type == "bool":
        if not isinstance(value, bool):
            yield item.problem(at, mistake, "it is a yes/no fact", "write true or false, without quotes")
    elif fact.type == "enum":
        yield from _enum_answer(item, at, mistake, known, value)
    elif fact.type == "int":
        yield from _int_answer(item, at, mistake, fact, value)
    else:
        yield from _version_answer(item, at, mistake, fact, value)


def _enum_answer(
    item: Authored[Record], at: YamlPath, mistake: str, fact: Authored[Fact], value: object
) -> Iterator[Problem]:
    words = fact.record.values or {}
    source = item.source(at)
    if value in words and isinstance(value, str):
        return
    if source is not None and (source in words or any(re.fullmatch(r"\d+(\.\d+)*", word) for word in words)):
        yield unquoted_version(item, at, mistake, source)
        return
    yield item.problem(at, mistake, *no_such_value(fact, words, value))


def no_such_value(fact: Authored[Fact], words: Collection[str], value: object) -> tuple[str, str]:
    """Why a fact cannot have a value, and what to do."""
    home = fact.document.path
    why = f"it is one of {word_list(words)}" if len(words) <= FEW else f"it is one of {len(words)} values, and not this"
    hint = near(value, words, "")
    return why, f"{hint} (a new one belongs in {home})" if hint else f"choose one that {home} lists, or add it there"


def _int_answer(item: Authored[Record], at: YamlPath, mistake: str, fact: Fact, value: object) -> Iterator[Problem]:
    unit = f" of {fact.unit}" if fact.unit else ""
    if isinstance(value, str):
        try:
            parts = versions.comparisons(value)
            for _, constant in parts:
                cells.whole_number(constant)
        except ValueError:
            parts = []
        if not parts:
            write = 'write a number, or a range such as ">=4 <16"'
            yield item.problem(at, mistake, f"it is a whole number{unit}", write)
    elif isinstance(value, bool) or not isinstance(value, int):
        yield item.problem(at, mistake, f"it is a whole number{unit}", "write one, without quotes")
    elif (fact.minimum is not None and value < fact.minimum) or (fact.maximum is not None and value > fact.maximum):
        yield item.problem(at, mistake, f"it can be {span(fact.minimum, fact.maximum)}{unit}", "write a number inside")


def _version_answer(item: Authored[Record], at: YamlPath, mistake: str, fact: Fact, value: object) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield unquoted_version(item, at, mistake, item.source(at) or str(value))
        return
    if fact.scheme is None:
        return  # the fact's own problem
    try:
        for text in [constant for _, constant in versions.comparisons(value)] or [value]:
            versions.key(fact.scheme, text)
    except ValueError:
        yield item.problem(at, mistake, "that is not a version", 'write "5.14", or a range such as ">=5.3 <5.11"')


def unquoted_version(item: Authored[Record], at: YamlPath, mistake: str, source: str) -> Problem:
    """A version that YAML took for a number."""
    why = "a version without quotes is read as a number, and 5.10 becomes 5.1"
    return item.problem(at, mistake, why, f'write "{source}" in quotes')


def literal(
    item: Authored[Record], at: YamlPath, setting: Authored[Tunable], value: object, by_type: bool = False
) -> Iterator[Problem]:
    """Problems of one value that a setting is said to have. What one of its bare words stands for is right, unless
    `by_type`: it is this which is asked about."""
    if not setting.sound or value is None:
        return
    meant = [form.means for form in setting.record.forms if form.means is not None]
    if by_type or not any(type(other) is type(value) and other == value for other in meant):
        yield from _unfit(item, at, setting.record, value, misfit(setting.record, value, authored=True))


def _unfit(
    item: Authored[Record], at: YamlPath, tunable: Tunable, value: object, wrong: Misfit | None
) -> Iterator[Problem]:
    if wrong is None or (wrong.words == [] and tunable.type in ("enum", "list")):
        return  # without words, the tunable's own problem
    source = item.source(at)
    mistake = f"{tunable.id} is {shown(value, source)}"
    if source is not None and source in wrong.words:
        yield unquoted_version(item, at, mistake, source)
        return
    mistake = mistake if wrong.part is None else f'{tunable.id} has "{wrong.part}"'
    write = near(wrong.part or value, wrong.words, wrong.write)
    yield item.problem(at, mistake, wrong.why, write)


def bound(item: Authored[Record], at: YamlPath, setting: Authored[Tunable] | None, text: str) -> Iterator[Problem]:
    """Problems of a bound such as ">=8 <=16"; `setting` is None for a figure that is not one."""
    tunable = setting.record if setting is not None and setting.sound else None
    if setting is not None and (tunable is None or tunable.kind == "package"):
        return  # a package's value is a version
    if tunable is not None and tunable.type not in NUMERIC:
        yield item.problem(at, f'the bound "{text}"', f"{tunable.id} is not a number", "write one of its values")
        return
    low, high = (None, None) if tunable is None else limits(tunable)
    least, most = [] if low is None else [low], [] if high is None else [high]
    for sign, constant in comparisons(formula.with_numbers(text)) or ():
        if not _WHOLE.fullmatch(constant):
            why = f'"{constant}" is not a whole number'
            yield item.problem(at, f'the bound "{text}"', why, 'write a bound such as "<=262144"')
            return
        if sign in (">", ">=", "=="):
            least.append(int(constant) + (sign == ">"))
        if sign in ("<", "<=", "=="):
            most.append(int(constant) - (sign == "<"))
    if least and most and max(least) > min(most):
        unit = f" {tunable.unit}" if tunable is not None and tunable.unit else ""
        of = f" of {span(low, high)}{unit}" if (low, high) != (None, None) else ""
        write = "write a bound that some value keeps"
        yield item.problem(at, f'the bound "{text}"', f"no number{of} is inside", write)


def setting_pattern(
    item: Authored[Record], at: YamlPath, name: str, wanted: object, tunables: Items[Tunable],
    *, words: Collection[str] = ("present", "absent"),
) -> Iterator[Problem]:
    """Problems of what a setting has to be: a value, a list, a range, an expression, or one of `words`."""
    setting = tunables.get(name)
    for place, pattern in each(at, wanted):
        sign, _, text = pattern.partition(" ") if isinstance(pattern, str) else ("", "", "")
        if sign in ("~", "!~"):
            yield from expression(item, place, text, "fullmatch")
        if setting is None or not setting.sound:
            continue
        value = text if sign in ("has", "lacks") else pattern
        if is_bound(value):
            yield from bound(item, place, setting, value)
        elif (value not in words or isinstance(value, bool)) and not (
            sign in ("~", "!~") and setting.record.type in ("string", "pattern")
        ):
            yield from literal(item, place, setting, value)


def rule_value(
    rule: Authored[Rule], estimate: bool, setting: Authored[Tunable] | None, facts: Items[Fact]
) -> Iterator[Problem]:
    """Problems of a rule's value. `setting` is None for a figure that is not one (an `estimate`), or an unknown one."""
    value = rule.record.value
    at = ("value",)
    if value in KEYWORDS or (setting is not None and not setting.sound):
        return
    numeric = estimate if setting is None else setting.record.type in NUMERIC
    for limit in formula.limits(value):
        yield from _formula(rule, limit.text, True, setting, facts)
        if limit.grows:
            continue
        write = "write a formula that is larger the larger its facts are: + * min( , ) max( , ), and / by a number"
        yield rule.problem(at, f'the formula "{limit.text}"', "a fact that is not known counts as 0 in a limit", write)
    if is_bound(value):
        yield from bound(rule, at, setting, value)
    elif isinstance(value, str) and not formula.limits(value) and (
        formula_facts(value, facts) or (numeric and any(sign in value for sign in "+*/()"))
    ):
        yield from _formula(rule, value, numeric, setting, facts)
    elif setting is not None:
        wrong = list(literal(rule, at, setting, value))
        if isinstance(value, str) and not setting.record.fields and not wrong:  # root reads what it is written to
            wrong += _unfit(rule, at, setting.record, value, misfit(setting.record, value))
        yield from wrong
    elif numeric and (isinstance(value, bool) or not isinstance(value, (int, float))):
        write = "write a number, a bound or a formula"
        yield rule.problem(at, f"the value is {shown(value)}", "an estimate is a figure", write)


def formula_facts(value: object, facts: Items[Fact]) -> frozenset[str]:
    """The facts that a formula computes with; empty for any other value. `mq-deadline` is a word, not a difference."""
    names = formula.names_in(value)
    return names if any(name in facts for name in names) else frozenset()


def _positive(term: formula.Term, facts: Items[Fact]) -> bool:
    """Whether a part of a formula is more than 0 whatever is known. An undefined fact is reported elsewhere."""
    if term.sign == "number":
        return term.number > 0
    if term.sign == "fact":
        fact = facts.get(term.name)
        return fact is None or not fact.sound or (fact.record.minimum or 0) > 0
    return term.sign != "-" and all(_positive(part, facts) for part in term.parts)


def _formula(
    rule: Authored[Rule], text: str, numeric: bool, setting: Authored[Tunable] | None, facts: Items[Fact]
) -> Iterator[Problem]:
    at = ("value",)
    shown_formula = f'the formula "{text}"'
    if not numeric:
        if setting is not None:
            yield rule.problem(at, shown_formula, f"{setting.id} is not a number", "write one of its values")
        return
    try:
        parsed = formula.parse(text)
    except formula.FormulaError as error:
        write = 'write numbers, facts, + - * / min( , ) max( , ) and parentheses, such as "2 * client.count"'
        yield rule.problem(at, shown_formula, error.message.partition(" of ")[0], write)
        return
    if not all(_positive(divisor, facts) for divisor in parsed.divisors()):
        write = "divide by numbers, and by facts that have a minimum of 1 or more"
        yield rule.problem(at, shown_formula, "what it divides by may be 0", write)
    for name in sorted(parsed.names):
        fact = facts.get(name)
        if fact is None:
            hint = near(name, facts, "see rules/facts/ for the facts there are")
            why = "no file of rules/facts/ defines it"
            yield rule.problem(at, f'unknown fact "{name}" in {shown_formula}', why, hint)
        elif fact.sound and fact.record.type != "int":
            why = "only whole numbers can be computed with"
            yield rule.problem(at, f"{name} in {shown_formula}", why, "name a fact of type int")


def probe_problems(item: Authored[Record], probe: Probe | None) -> Iterator[Problem]:
    """Problems of how a fact, or a setting in effect, is found on a host."""
    if probe is None:
        return
    if bool(probe.like) == bool(probe.ways):
        why = "it has either its own ways or those of another fact"
        yield item.problem(("probe",), "a probe", why, "give one of them")
    for index, way in enumerate(probe.ways):
        at: YamlPath = ("probe", "ways", index)
        yield from _place(item, at, way)
        for inner, place in enumerate(way.where):
            yield from _place(item, (*at, "where", inner), place)
    for index, place in enumerate(probe.where):
        yield from _place(item, ("probe", "where", index), place)


def _place(item: Authored[Record], at: YamlPath, place: Place) -> Iterator[Problem]:
    given = [key for key in _PLACES if vars(place).get(key) is not None]
    if len(given) != 1:
        mistake = f"a place with {' and '.join(given) or 'nothing to read'}"
        yield item.problem(at, mistake, "a place is one thing to read", f"give one of {', '.join(_PLACES)}")
    if place.file is not None and not place.file.startswith(_FOLDERS):
        write = "name a file below /proc, /sys, /etc, /usr/lib, /run or /var/lib/pacemaker/cib"
        yield item.problem((*at, "file"), f'the file "{place.file}"', "files elsewhere are never read", write)
