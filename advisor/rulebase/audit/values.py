"""Checks that the type, list and range of a tunable allow the values in rules, defaults and examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.engine import formula
from advisor.engine.errors import word_list
from advisor.rulebase.audit import common
from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.document import Yaml, YamlPath, as_list, mappings_in, texts_in
from advisor.rulebase.model import Tunable
from advisor.rulebase.problems import Problem, near, shown
from advisor.rulebase.values import TIME_SPAN, why_invalid

if TYPE_CHECKING:
    from typing import TypeGuard

KEYWORDS = ("omit", "keep", "n/a")
"""Rule values that name no setting: do not set it, leave it alone, no effect here."""
LINE_PARTS = (
    "fstab.source",
    "fstab.target",
    "fstab.type",
    "fstab.options",
    "fstab.freq",
    "fstab.passno",
    "fstab.host",
    "fstab.export",
    "fstab.server",
)
"""Parts of a line that a check or a verdict may name although they are not tunables."""
SIDES = (
    "sides.reply",
    "sides.version",
    "sides.instead",
    "sides.flavour",
    "sides.keytab",
    "sides.server_keytab",
    "sides.passed",
    "sides.first",
    "sides.shared",
    "sides.transport",
    "sides.port",
    "sides.users",
    "sides.mapping",
    "sides.identity",
    "sides.unique",
    "sides.connections",
    "sides.export",
    "sides.scope",
)
"""What two hosts come to together, which a check may name (docs/rule-language.md)."""
COUNTED = ("sides.connections",)
"""Those of them that are numbers, which a check on the load of a server may calculate with."""
NUMERIC = ("uint", "int", "number", "size", "seconds")
_WHOLE = re.compile(r"-?\d+")
_SIZE = re.compile(r"\d+ ?([KMGT]i?)?B?", re.I)


def words_of(tunable: Authored) -> list[Yaml]:
    """The values that an enum or list tunable knows: its own list, and what its bare words stand for."""
    words = list(as_list(tunable.data.get("values")))
    for _, form in mappings_in(tunable.data.get("forms")):
        words += [form["means"]] if "means" in form else []
        words += as_list(form.get("values"))
    return words


def _is_bare_word_value(tunable: Authored, value: object) -> bool:
    """Whether a bare word of the tunable means this value (`nofsc` means false)."""
    meant = [form["means"] for _, form in mappings_in(tunable.data.get("forms")) if "means" in form]
    return any(type(other) is type(value) and other == value for other in meant)


def is_expression(tunable: Authored, value: object) -> bool:
    """Whether this stands for all texts that match, or do not: "~ sys|krb5", of a setting that is text."""
    return tunable.data.get("type") in ("string", "pattern") and str(value).startswith(("~ ", "!~ "))


def is_bound(value: object) -> TypeGuard[str]:
    """True for "<=262144" or ">=8 <=16"; unlike in rulebase.values, also for constants that are not numbers."""
    return isinstance(value, str) and common.comparisons(value) is not None


def literal(item: Authored, at: YamlPath, tunable: Authored, value: object, by_type: bool = False) -> Iterator[Problem]:
    """Problems of one value that a setting of `tunable` is said to have.

    `by_type`: it is what a bare word stands for, so that this is not an excuse."""
    kind = tunable.data.get("type")
    source = item.source(at)
    mistake = f"{tunable.id} is {shown(value, source)}"
    if not tunable.sound or value is None or kind is None or (not by_type and _is_bare_word_value(tunable, value)):
        return
    if kind == "flag":
        if not isinstance(value, bool):
            yield item.problem(at, mistake, "it is set or not set", "write true or false")
    elif kind in NUMERIC:
        yield from _number(item, at, mistake, tunable, value)
    elif kind in ("enum", "list"):
        yield from _word(item, at, mistake, tunable, value)
    elif not isinstance(value, str):
        yield item.problem(at, mistake, "it is text", f'write "{source or shown(value)}" in quotes')
    elif tunable.data.get("fields"):
        yield from _fields(item, at, mistake, [name for _, name in texts_in(tunable.data["fields"])], value)
    elif kind == "pattern" and not _matches(tunable, value):
        yield item.problem(at, mistake, f"it does not match {tunable.data.get('pattern')}", "write a value that does")


def unwritable_text(item: Authored, at: YamlPath, tunable: Authored, value: object) -> Iterator[Problem]:
    """The problem of a text that a rule would have written into files and commands that root reads."""
    if not isinstance(value, str) or not tunable.sound or not {"id", "type"} <= tunable.data.keys():
        return
    if not tunable.data.get("fields") and why_invalid(tunable.record(Tunable), value):
        mistake = f"{tunable.id} is {shown(value, item.source(at))}"
        why = "in a file or a command some of it would mean something else"
        allowed = "letters, digits, spaces and , . / + -" if tunable.data["type"] == "prose" else (
            "letters, digits and . / : @ + = - _"
        )
        yield item.problem(at, mistake, why, f"write {allowed} only")


def _number(item: Authored, at: YamlPath, mistake: str, tunable: Authored, value: object) -> Iterator[Problem]:
    kind = str(tunable.data["type"])
    if isinstance(value, str):
        written = _SIZE.fullmatch(value) if kind == "size" else kind == "seconds" and re.fullmatch(TIME_SPAN, value)
        if not written:
            yield item.problem(
                at, mistake, f"it is a {'whole ' if kind.endswith('int') else ''}number", "write one, without quotes"
            )
        return
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind == "number" else int):
        yield item.problem(at, mistake, "it is a whole number", "write one")
        return
    low, high = _limits(tunable)
    if (low is not None and value < low) or (high is not None and value > high):
        yield item.problem(at, mistake, f"it is {_span(low, high)}{_unit(tunable)}", "write a number inside")


def _word(item: Authored, at: YamlPath, mistake: str, tunable: Authored, value: object) -> Iterator[Problem]:
    words = words_of(tunable)
    same = [word for word in words if word == value and isinstance(word, bool) == isinstance(value, bool)]
    if same or not words:
        return
    source = item.source(at)
    if source is not None and source in words:
        yield common.unquoted_version(item, at, mistake, source)
        return
    separator = tunable.data.get("separator")
    if tunable.data["type"] == "list" and isinstance(value, str) and isinstance(separator, str):
        strange = [part for part in value.split(separator) if part not in words]
        if not strange:
            return
        mistake = f'{tunable.id} has "{strange[0]}"'
        value = strange[0]
    shown_words = word_list(shown(word) if isinstance(word, bool) else word for word in words)
    yield item.problem(at, mistake, f"it is one of {shown_words}", near(value, words, "choose one of these"))


def _fields(item: Authored, at: YamlPath, mistake: str, fields: list[str], value: str) -> Iterator[Problem]:
    parts = value.split()
    if len(parts) != len(fields):
        why = f"it has {len(fields)} fields: {', '.join(fields)}"
        yield item.problem(at, mistake, why, "write a number, a comparison such as >=4096, or * for each")
    for part in parts:
        constants = common.comparisons(part) or [("", part)]
        if part != "*" and not all(_WHOLE.fullmatch(constant) for _, constant in constants):
            yield item.problem(at, mistake, f'"{part}" is not a number', "write a number, a bound such as >=4096, or *")


def bound(item: Authored, at: YamlPath, tunable: Authored | None, text: str) -> Iterator[Problem]:
    """Problems of a bound such as ">=8 <=16"; `tunable` is None for a figure that is not a setting."""
    low, high = (None, None) if tunable is None else _limits(tunable)
    if tunable is not None and (not tunable.sound or tunable.data.get("kind") == "package"):
        return  # a package's value is a version
    if tunable is not None and tunable.data.get("type") not in NUMERIC:
        yield item.problem(at, f'the bound "{text}"', f"{tunable.id} is not a number", "write one of its values")
        return
    floor, ceiling = low, high
    for sign, constant in common.comparisons(text) or ():
        if not _WHOLE.fullmatch(constant):
            yield item.problem(
                at, f'the bound "{text}"', f'"{constant}" is not a whole number', 'write a bound such as "<=262144"'
            )
            return
        number = int(constant)
        if sign in (">", ">=", "=="):
            least = number + (sign == ">")
            floor = least if floor is None else max(floor, least)
        if sign in ("<", "<=", "=="):
            most = number - (sign == "<")
            ceiling = most if ceiling is None else min(ceiling, most)
    if floor is not None and ceiling is not None and floor > ceiling:
        limits = (
            f" of {_span(low, high)}{_unit(tunable)}" if tunable is not None and (low, high) != (None, None) else ""
        )
        yield item.problem(
            at, f'the bound "{text}"', f"no number{limits} is inside", "write a bound that some value keeps"
        )


def setting_patterns(
    item: Authored, steps: YamlPath, settings: object, tunables: Items, *words: str
) -> Iterator[Problem]:
    """Problems of tunable → value, list, range, or one of `words` (a verdict's `together`, a check's `on`)."""
    for name, wanted in settings.items() if isinstance(settings, dict) else ():
        tunable = tunables.get(name)
        if tunable is None:
            if name not in LINE_PARTS:
                hint = near(name, tunables, "add it to kb/tunables/")
                yield item.problem(
                    (*steps, name), f'unknown tunable "{name}"', "kb/tunables/ does not define it", hint, key=True
                )
            continue
        several = isinstance(wanted, list)
        for index, pattern in enumerate(wanted if several else [wanted]):
            at = (*steps, name, index) if several else (*steps, name)
            has_word = isinstance(pattern, str) and pattern.startswith(("has ", "lacks "))
            value = pattern.partition(" ")[2] if has_word else pattern
            if is_bound(value):
                yield from bound(item, at, tunable, value)
            elif (value not in words or isinstance(value, bool)) and not is_expression(tunable, value):
                yield from literal(item, at, tunable, value)


def _limits(tunable: Authored) -> tuple[int | None, int | None]:
    low, high = tunable.data.get("minimum"), tunable.data.get("maximum")
    if low is None and tunable.data.get("type") == "uint":
        low = 0
    return (low if isinstance(low, int) else None), (high if isinstance(high, int) else None)


def _span(low: int | None, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if low is None else f"{low} to {high}"


def _unit(tunable: Authored | None) -> str:
    unit = tunable.data.get("unit") if tunable is not None else None
    return f" {unit}" if unit else ""


def _matches(tunable: Authored, value: str) -> bool:
    try:
        return re.fullmatch(str(tunable.data.get("pattern", "")), value) is not None
    except re.error:
        return True  # the broken pattern is a problem of its own


def rule_value(rule: Authored, decision: Authored, tunable: Authored | None, facts: Items) -> Iterator[Problem]:
    """Problems of a rule's value. `tunable` is None for a figure that is not a setting, or an unknown one."""
    value = rule.data.get("value")
    at = ("value",)
    if value is None or value in KEYWORDS:
        return
    numeric = bool(decision.data.get("estimate")) if tunable is None else tunable.data.get("type") in NUMERIC
    if is_bound(value):
        yield from bound(rule, at, tunable, value)
    elif isinstance(value, str) and (
        formula_facts(value, facts) or (numeric and any(sign in value for sign in "+*/()"))
    ):
        yield from _formula(rule, value, numeric, tunable, facts)
    elif tunable is not None:
        wrong = list(literal(rule, at, tunable, value))
        yield from wrong or unwritable_text(rule, at, tunable, value)
    elif numeric and (isinstance(value, bool) or not isinstance(value, (int, float))):
        yield rule.problem(
            at, f"the value is {shown(value)}", "an estimate is a figure", "write a number, a bound or a formula"
        )


def formula_facts(value: object, facts: Items) -> frozenset[str]:
    """The facts that a formula computes with; empty for any other value. `mq-deadline` is a word, not a difference."""
    if not isinstance(value, str) or not formula.is_formula(value):
        return frozenset()
    names = formula.parse(value).names
    return names if any(name in facts for name in names) else frozenset()


def _positive(term: formula.Term, facts: Items) -> bool:
    """Whether a part of a formula is more than 0 whatever is known. An undefined fact is reported elsewhere."""
    if term.sign == "number":
        return term.number > 0
    if term.sign == "fact":
        least = facts[term.name].data.get("minimum", 0) if term.name in facts else 1
        return isinstance(least, int) and least > 0
    return term.sign != "-" and all(_positive(part, facts) for part in term.parts)


def _formula(rule: Authored, text: str, numeric: bool, tunable: Authored | None, facts: Items) -> Iterator[Problem]:
    at = ("value",)
    shown_formula = f'the formula "{text}"'
    if not numeric:
        if tunable is not None:
            yield rule.problem(at, shown_formula, f"{tunable.id} is not a number", "write one of its values")
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
            yield rule.problem(
                at, f'unknown fact "{name}" in {shown_formula}', "no file of rules/facts/ defines it", hint
            )
        elif fact.data.get("type") != "int":
            yield rule.problem(
                at, f"{name} in {shown_formula}", "only whole numbers can be computed with", "name a fact of type int"
            )
