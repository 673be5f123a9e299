"""An existing fstab: the mounts that its lines name, and its settings compared with the recommended ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.advise import advise
from advisor.advice.answers import bad_name
from advisor.advice.model import Advice, Recommendation
from advisor.lint.line_facts import mount_of
from advisor.lint.run import lint_text
from advisor.rulebase.model import RuleBase, Tunable
from advisor.rulebase.values import absence_supports, is_bound, supports
from advisor.sections import NAMES, Section

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.options.reading import Setting
    from advisor.rulebase.model.types import Scalar

_KINDS = ("mount-option", "fstab-field")


class ComparedSetting(NamedTuple):
    """One setting of one line. `today`: as written, "" if it is absent. `advised`: as it would be written, or the
    remedy of a finding. `verdict`: "same", "differs", "finding" (`why` is its message), "open" (the advice depends on
    unknown facts), "no-opinion"."""

    file: str
    line: int
    target: str
    tunable: str
    today: str
    advised: str
    verdict: str
    why: str


def compare_lines(
    base: RuleBase, advice: Advice, text: str, name: str, sections: Sequence[Section] = ()
) -> tuple[ComparedSetting, ...]:
    """Compares each NFS line with the advice: its options, recommended options that it lacks, and other findings.

    A line may show further facts: a server's name often shows the platform. `sections`: facts of some mounts. Raises
    SectionError if these contradict each other."""
    result = lint_text(text, name, base, advice.answers.facts, sections=sections)
    known: dict[tuple[tuple[str, Scalar], ...], Advice] = {(): advice}
    rows: list[ComparedSetting] = []
    for line, judged in result.judged.items():
        fields = result.line(line).split()
        place = (name, line, fields[1] if len(fields) > 1 else "")
        own = tuple(_shown_facts(base, advice, judged.state).items())
        if own not in known:
            known[own] = advise(base, advice.answers._replace(facts={**advice.answers.facts, **dict(own)}))
        mine = _settings(base, known[own], judged.settings, place)
        differing = {row.tunable for row in mine if row.verdict == "differs"}
        found = {
            one.tunable or one.rule: ComparedSetting(
                *place, one.tunable or one.rule, _finding_text(result.line(line), one), one.remedy, "finding",
                one.message,
            )
            for one in result.findings if one.line == line and not one.policy and one.tunable not in differing
        }
        rows += [row for row in mine if row.tunable not in found]
        rows += found.values()
    return tuple(rows)


def _shown_facts(base: RuleBase, advice: Advice, state: dict[str, int]) -> dict[str, Scalar]:
    """The facts that a line shows and that were not given, except its settings, which are compared."""
    found: dict[str, Scalar] = {}
    for fact, mask in state.items():
        if fact not in advice.state and fact not in base.decisions and base.facts[fact].derive is None:
            answer = base.engine.answer(fact, mask)
            if not isinstance(answer, list) and not is_bound(answer):
                found[fact] = answer
    return found


def _finding_text(line: str, one: Finding) -> str:
    return line[one.column - 1 : one.end_column - 1]


def _settings(
    base: RuleBase, advice: Advice, settings: Mapping[str, Setting], place: tuple[str, int, str]
) -> list[ComparedSetting]:
    """The options of a line, fields that should differ, and recommended options that are missing."""
    settled = {one.tunable: one for one in advice.advised if one.kind in _KINDS}
    unsettled = {one.tunable for one in advice.open}
    found = {
        setting: one for setting, one in settings.items()
        if setting in base.tunables and base.tunables[setting].kind in _KINDS
    }
    rows = []
    for tunable in dict.fromkeys((*found, *settled)):
        said = _row(found.get(tunable), settled.get(tunable), tunable in unsettled, base.tunables[tunable])
        if said is not None and (said[2] == "differs" or base.tunables[tunable].kind == "mount-option"):
            rows.append(ComparedSetting(*place, tunable, *said))
    return rows


def _row(
    found: Setting | None, one: Recommendation | None, is_open: bool, tunable: Tunable
) -> tuple[str, str, str, str] | None:
    """(today, advised, verdict, why); None if there is nothing to compare."""
    today = found.text if found is not None else ""
    if one is None:
        return (today, "", "open" if is_open else "no-opinion", "") if today else None
    if not one.recommends:
        return (today, "", "no-opinion", one.why) if today else None
    wanted = one.written if one.pinned else one.value
    advised = one.text or ("left out" if one.value == "omit" else str(one.value))
    default = tunable.default
    fits = supports(found.value, wanted, default) if found is not None else absence_supports(wanted, default)
    if found is None and (fits or (one.already and one.strength == "may")):
        return None
    return today, advised, "same" if fits else "differs", one.why


def mount_sections(base: RuleBase, text: str, path: str) -> tuple[Section, ...]:
    """A section for each NFS line of an fstab. `path`: of the file, for messages.

    Its facts are settings without advice (ro), settings that would otherwise be assumed (sec), and the platform of its
    type."""
    result = lint_text(text, path, base, {})
    found = []
    for line, judged in result.judged.items():
        mount = mount_of(result, line)
        names = dict(zip(NAMES, (mount.server, mount.export or "/", mount.target)))
        if any(bad_name(name, one) for name, one in names.items()):
            continue
        index, fstype = judged.rule_index, judged.settings["fstab.type"].text
        facts = {
            fact: index.engine.answer(fact, mask) for fact, mask in judged.masks.items()
            if (setting := base.facts[fact].setting) and setting.tunable in judged.settings
            and (fact not in base.decisions or base.facts[fact].usual)
        }
        today = {name: one.text for name, one in judged.settings.items() if one.field == "options"}
        if fstype in index.type_platform:
            facts["storage.platform"] = index.type_platform[fstype]
            today["fstab.type"] = fstype
        found.append(Section(f"{path}:{line}:1", names, facts, {}, today))
    return tuple(found)
