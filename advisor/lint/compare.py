"""Compare the settings of a line with the decisions of the rule base (design.md §5).

Under partial knowledge a setting is a finding only when no reachable outcome supports it; what some outcomes support
and others do not is left open, never guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from advisor.engine.formula import is_formula
from advisor.lint.finding import Finding
from advisor.lint.outcomes import Case, Outcomes, missing, other_type, wrong
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.rulebase import values
from advisor.rulebase.model import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model.types import Pattern, Scalar, Value



def matches(pattern: Pattern, found: Setting | None) -> bool:
    """Whether a setting fits a pattern of a check: a scalar, a list, a range, `present`, `absent`, a regular expression
    that all of it must match (`~ …`) or must not (`!~ …`), or a word that must be among its words (`has …`) or must not
    (`lacks …`)."""
    if isinstance(pattern, list):
        return any(matches(one, found) for one in pattern)
    if pattern == "absent":
        return found is None
    if found is None:
        return False
    if pattern == "present":
        return True
    if found.value is None:  # perhaps set in another file: nothing follows, nor from a word that is not seen
        return False
    if isinstance(pattern, str) and pattern.startswith(("has ", "lacks ")):
        has, _, word = pattern.partition(" ")
        return (word in str(found.value).replace(",", " ").split()) is (has == "has")
    form = expression(pattern)
    if form is not None:
        return (form.fullmatch(str(found.value)) is not None) is str(pattern).startswith("~")
    if values.is_bound(pattern):
        return values.inside(found.value, pattern)
    return values.same(found.value, pattern)


@lru_cache(maxsize=64)
def expression(pattern: object) -> re.Pattern[str] | None:
    """The regular expression of a pattern of a check; None where it has none."""
    if not isinstance(pattern, str) or not pattern.startswith(("~ ", "!~ ")):
        return None
    text = pattern.partition(" ")[2]
    return re.compile(text)


class Undecided(NamedTuple):
    """A setting whose verdict depends on facts that are not known."""

    tunable: str
    about: str
    """The decision or named condition that is open."""


def compare(
    index: RuleIndex, settings: Mapping[str, Setting], options: str, reach: Callable[[str], Outcomes], *,
    confidence: Callable[[str, Outcomes], str], certain: Callable[[Rule], bool],
    spread: Mapping[str, list[Scalar]], brought: Mapping[str, Setting],
    able: Callable[[str], Outcomes] | None = None, unknown: Callable[[str], tuple[str, ...]] = lambda _: (),
    hidden: Callable[[str], bool] = lambda _: False,
) -> tuple[list[Finding], list[Undecided]]:
    """Every decision on a mount option or fstab field against one line.

    `options`: the raw option list; `reach` answers the outcomes of a decision for this line, and
    `able` those for a client that knows the option, as it must where one is written;
    `spread` the values that a setting stands for where these are several (`vers=4` is 4.0, 4.1 or 4.2),
    `brought` what other options or the file system type set, `confidence` how sure these outcomes of a decision are,
    `certain` whether a rule's condition holds for certain, `unknown` the facts on which an open decision depends,
    `hidden` whether a placeholder may set a tunable."""
    findings: list[Finding] = []
    undecided: list[Undecided] = []
    for tunable_id, absence in index.decided:
        found = settings.get(tunable_id)
        by_type = None
        if found is None and tunable_id in brought:
            by_type = brought[tunable_id] if brought[tunable_id].field == "fstype" else None
            if by_type is None:
                continue  # another option sets it and is judged itself
        elif found is None and (not absence or hidden(tunable_id)):
            continue
        tunable = index.tunables[tunable_id]
        fstype = settings.get("fstab.type")
        if found is None and tunable.applies_to and (fstype is None or fstype.value not in tunable.applies_to):
            continue  # this type does not know the option; to add it would make the mount fail
        default = tunable.default
        there = found or by_type
        stands_for: Sequence[Value] = () if there is None else spread.get(tunable_id) or (there.value,)
        meanings = [other for one in stands_for for other in (one, *tunable.meets.get(str(one), ()))]
        backed = {} if there is None else index.backing(tunable_id, meanings)
        if there is not None and all(backed.values()):
            continue  # right whatever holds: no need to ask what does
        outcomes = reach(tunable_id) if found is None or able is None else able(tunable_id)
        if not outcomes:
            continue
        if there is None and (tunable_id, outcomes) in index.unmissed:
            continue
        decision = index.rulebase.decisions[tunable_id]
        case = Case(
            tunable, decision, outcomes, confidence(tunable_id, outcomes), (), certain, index.layer_rank
        )
        if found is None:
            if by_type is None:
                finding = missing(case, options)
            else:
                unfit = not any(backed[rule] for _, rule in outcomes)
                plain = str((index.tunables["fstab.type"].values or ["nfs"])[0])
                finding = other_type(case, by_type, plain, options) if unfit else None
            if finding is not None:
                findings.append(finding)
            elif by_type is None:
                index.unmissed.add((tunable_id, outcomes))
            continue
        supporting = [backed[rule] for _, rule in outcomes]
        if all(supporting):
            continue
        if any(supporting):
            # Worth a question is what someone chose: every line has a type, and what is written out at its default is
            # as good as left out.
            chosen = default is None or not all(values.same(meaning, default) for meaning in meanings)
            if chosen and found.field == "options":
                undecided.append(Undecided(tunable_id, tunable_id))
            continue
        if not case.agreed:
            case = case._replace(unknown=unknown(tunable_id))
        refined = [settings[one] for one in tunable.refined_by if one in settings]
        finding = wrong(case, found, options, refined)
        held_back = [value for value, rule in reach(tunable_id) if (value, rule) not in outcomes]
        if finding.fix and held_back and not {finding.expected, *held_back} <= {"omit", "n/a"}:
            finding = finding._replace(fix=None)  # right only if the client knows the option
        findings.append(finding)
    return findings, undecided


def backing(rules: Mapping[str, Rule], meanings: Iterable[Value], default: Value) -> dict[str, bool]:
    """Rule → whether one of the values that a setting may stand for supports what it asks for. What a formula comes to
    rests on facts that are not weighed here, so that no value contradicts it."""
    return {
        name: any(values.supports(meaning, rule.value, default) or _as_good(rule, meaning) for meaning in meanings)
        or _counted(rule.value)
        for name, rule in rules.items()
    }


def _as_good(rule: Rule, meaning: Value) -> bool:
    """Whether a value is one of those with which the rule is content, though it asks for another."""
    return matches(list(rule.as_good), Setting(meaning, "options", 0, 0, ""))


def _counted(value: object) -> bool:
    """Whether a value is a formula over facts. Their names have a dot; `n/a` and words with a hyphen have none."""
    return isinstance(value, str) and "." in value and is_formula(value)
