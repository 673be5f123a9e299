"""Conditions, values and other terms of the rule base in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.advice.answers import Answers
from advisor.advice.model import NOTHING, PINNED, Bug, Row, Steps, Supposition
from advisor.advice.rows import BY_HAND
from advisor.advice.supposed import rests_on
from advisor.engine import operand, word_list
from advisor.pages.phrases import counted, first_names
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.model import Condition, RuleBase, Tunable, Value, inner_conditions
from advisor.rulebase.values import in_words, is_bound, name, spell, told_name


def condition(when: Condition | None) -> str:
    """A condition as a phrase: "storage.platform is anf or ontap, and client.kernel is >=5.4"."""
    if not when:
        return "always"
    parts = []
    for key, value in when.items():
        if key == "all":
            parts += [condition(inner) for inner in inner_conditions(value)]
        elif key == "any":
            choices = [condition(inner) if len(inner) == 1 else f"({condition(inner)})"
                       for inner in inner_conditions(value)]
            parts.append(f"({'; or '.join(choices)})" if len(when) > 1 else "; or ".join(choices))
        elif key == "not":
            parts.append(f"not ({condition(inner_conditions(value)[0])})")
        else:
            parts.append(f"{key} does not apply" if value == "n/a" else f"{key} is {operand(value)}")
    *before, last = parts
    if not before:
        return last
    comma = "," if len(parts) > 2 or any(" or " in part for part in parts) else ""
    return f"{', '.join(before)}{comma} and {last}"


_MANY = 4
"""Values of an assumed fact that are still told one by one."""


def is_many(value: object) -> bool:
    """Whether an assumed fact has too many possible values to tell."""
    return isinstance(value, list) and len(value) > _MANY


def supposition_text(supposition: Supposition) -> str:
    """The assumed value of a fact that was not given: "mount.sec=sys", "workload.required_mibps: at most 4,500"."""
    value = supposition.value
    if isinstance(value, list):
        if is_many(value):
            return f"{supposition.fact}: one of {len(value)} values"
        return f"{supposition.fact}={possible_outcomes(value)}"
    is_range = str(value).startswith((">", "<"))
    return f"{supposition.fact}: {in_words(str(value), ',')}" if is_range else f"{supposition.fact}={operand(value)}"


def possible_outcomes(values: Iterable[object]) -> str:
    """The possible values of an open setting: "8 or left out"; of many values the first three."""
    words = {"omit": "left out", "n/a": "no effect"}
    every = dict.fromkeys(values)
    outcomes = list(dict.fromkeys(words.get(str(value), outcome(value)) for value in every if value != "keep"))
    listed = word_list(outcomes if len(outcomes) < 5 else [*outcomes[:3], f"{len(outcomes) - 3} others"])
    return f"{listed}, or change nothing" if "keep" in every and outcomes else listed or "change nothing"


def outcome(value: object, unit: str | None = None) -> str:
    """A rule's value for people."""
    words = {"omit": "leave it out", "keep": "leave it as it is", "n/a": "has no effect here"}
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) and value in words:
        return words[value]
    bound = is_bound(value)
    text = in_words(str(value)) if bound else str(value)
    return f"{text} {unit}" if unit and (bound or not isinstance(value, str)) else text


OTHERWISE = {
    "mount-fails": "the mount fails", "data-loss": "data can be lost", "stale-data": "old data can be read",
    "errors": "programs can get errors", "hang": "programs can hang", "boot": "the host may not boot",
    "security": "access is less secure", "ignored": "a setting has no effect", "performance": "access is slower",
    "unsupported": "the setup is not supported", "portability": "the line may fail elsewhere",
}
"""Consequence of not following a rule → in words."""
POSSIBLY = {"mount-fails": "the mount may fail"}
"""Consequence → in words, where it is not certain."""
GRADES = {
    "vendor": "vendor's documentation", "manual": "manual page", "code": "source code", "report": "report",
    "community": "community", "observed": "tried out", "measurement": "measurement",
}
"""Grade of evidence → in words."""
SEVERAL = 4
"""How many values of a list are named at most."""


def question(base: RuleBase, fact: str) -> str:
    """The question for a fact; for a fact that is never asked, its description."""
    definition = base.facts.get(fact)
    if definition is None:
        return title(base, fact)
    return str(definition.ask or definition.says)


def title(base: RuleBase, tunable: str) -> str:
    if tunable in base.tunables:
        return base.tunables[tunable].title
    return base.facts[tunable].says if tunable in base.facts else tunable


UNKNOWN = "I don't know"


def given_answer(base: RuleBase, answers: Answers, fact: str) -> str:
    """The answer to a question in words. A version that is not known is that of a release which was named instead: the
    kernel of RHEL 9."""
    if fact not in answers.unknown:
        return answer_text(base, fact, answers.facts[fact])
    release = release_instead(base, answers, fact)
    named = [answer_text(base, name, answers.facts[name]) for name in (*base.facts[release].asked_after, release)
             if name in answers.facts] if release else []
    return f"that of {' '.join(named)}" if release else UNKNOWN


def release_instead(base: RuleBase, answers: Answers, fact: str) -> str:
    """The known release of the product whose version is asked for; "" without one."""
    asked = base.facts[fact]
    return next((
        one.id for one in base.facts.values() if one.id in answers.facts and one.id != fact and one.asked_after
        and (one.type, one.section) == (asked.type, asked.section) == ("version", asked.section)
    ), "")


def answer_text(base: RuleBase, fact: str, value: object) -> str:
    """An answer in words: "Azure NetApp Files", "yes", "64 GiB"."""
    if isinstance(value, list):
        every = (base.facts[fact].values if fact in base.facts else None) or {}
        left = [label for other, label in every.items() if other not in value]
        if left and len(value) > SEVERAL and len(left) <= SEVERAL:
            return f"anything but {' and '.join(left)}"
        texts = [answer_text(base, fact, choice) for choice in value]
        if len(texts) > SEVERAL:
            texts = [*texts[:SEVERAL], counted(len(texts) - SEVERAL, "other")]
        return word_list(texts)
    if isinstance(value, bool):
        return operand(value)
    definition = base.facts.get(fact)
    labels = (definition.values if definition else None) or {}
    if str(value) in labels:
        return labels[str(value)]
    text = in_words(value) if is_bound(value) else str(value)
    return f"{text} {definition.unit}" if definition and definition.unit else text


def mask_text(base: RuleBase, fact: str, mask: int) -> str:
    """The possible values of a fact in a state, in words."""
    if fact not in base.facts:
        return ""
    try:
        answer = base.engine.answer(fact, mask)
        if base.facts[fact].type in ("int", "version"):
            parts = answer if isinstance(answer, list) else [answer]
            newest = base.engine.describe(fact, base.engine.fact(fact).mask(parts[-1]))
            newest += f" {base.facts[fact].unit}" if base.facts[fact].unit else ""
            return newest if len(parts) == 1 else f"{newest}, or {counted(len(parts) - 1, 'other range')}"
        return answer_text(base, fact, answer)
    except (ValueError, KeyError, TypeError):
        return str(base.engine.describe(fact, mask))


def section_text(setting: Row) -> str:
    """A setting of a file with sections, as it is written: "[nfsd] vers3=n", "NFSv4 { Graceless = false; }". "" for
    other settings, or if nothing is to be written."""
    if setting.kind not in ("nfs.conf", "ganesha.conf") or not setting.text:
        return ""
    section, _, key = setting.tunable[len(setting.kind) + 1:].partition(".")
    return f"[{section}] {setting.text}" if setting.kind == "nfs.conf" else f"{section} {{ {key} = {setting.text}; }}"


def value_in_words(setting: Row) -> str:
    """ "8, which is the default"."""
    if setting.text and setting.text == str(setting.written) and setting.value != setting.written:
        value = f"{setting.text} ({outcome(setting.value, setting.definition.unit)})"
    else:
        told = setting.definition.value_notes.get(str(setting.value)) if setting.kind in BY_HAND else ""
        value = told or setting.text or outcome(setting.value, setting.definition.unit)
    return f"{value}, which is the default" if setting.already else value


def strength_text(setting: Row) -> str:
    """ "must, or the mount fails"; of a default, which does no harm, "must"."""
    if setting.pinned:
        return "pinned by you" if setting.why == PINNED else "given"
    strength, other = setting.strength or "", "" if setting.already else OTHERWISE.get(setting.consequence or "")
    return f"{strength}, or {other}" if strength and other else strength


def setting_name(setting: Row) -> str:
    """A setting as written in its file, or the advice to omit it: "nconnect=8", "leave out intr"."""
    if setting.value == "omit":
        return f"leave out {told_name(setting.definition)}"
    if setting.kind in ("mount-option", "export-option", "sysctl", "module-parameter") and setting.text:
        return setting.text
    return section_text(setting) or f"{setting.tunable.partition('.')[2]}: {value_in_words(setting)}"


def affected_text(bug: Bug) -> str:
    return "affects you" if bug.certain else f"may affect you; depends on {', '.join(bug.asks)}"


def setting_text(setting: Row) -> str:
    """The advice on a setting, in a few words."""
    if section_text(setting):
        return section_text(setting)
    named = setting.value == "omit" or (
        setting.text and setting.kind in ("mount-option", "export-option", "sysctl", "module-parameter"))
    if named and setting.summary != NOTHING:  # the summary contains the setting's name
        return setting.summary
    return f"{told_name(setting.definition)}: {setting.summary}"


def at_stake(rows: Sequence[Row], fact: str) -> str:
    """ "decides hard; at stake: data can be lost", of the settings that rest on an assumed fact; "" if it decides
    nothing that is made or left out."""
    mine = [row for row in rows if row.part and not row.definition.places and rests_on(row, fact)]
    harm = min((row.consequence for row in mine), key=CONSEQUENCES.index, default=None)
    names = first_names([told_name(row.definition) for row in mine], SEVERAL)
    return f"decides {names}{f'; at stake: {OTHERWISE[harm]}' if harm else ''}" if mine else ""


def assumptions_text(setting: Row) -> str:
    """The assumptions and presumptions of a setting; "" if it has none."""
    taken = ", ".join(map(supposition_text, (*setting.rests_on, *setting.presumes)))
    return f"  assumes {taken}" if taken else ""


def step_rows(tunable: Tunable, steps: Steps, risk: str | None, written_in: str = "") -> list[tuple[str, str | None]]:
    """What to know and do to set it, each with its label. `written_in`: the files in which it is written."""
    return [
        ("risk", risk), ("written in", written_in), ("before", steps.before), ("apply", steps.apply),
        ("takes effect", tunable.takes_effect), ("persists", tunable.persists), ("check", steps.check),
        ("undo", steps.undo),
    ]


def label(tunable: Tunable) -> str:
    """A setting's short name: "nconnect", "net.core.rmem_max"."""
    kind, _, rest = tunable.id.partition(".")
    if kind == "fstab":
        return f"fstab {rest}"
    return name(tunable) if kind == "mount" else rest if kind == "sysctl" else tunable.id


def open_values(setting: Row) -> str:
    return possible_outcomes(possible.value for possible in setting.possible)


def value_text(tunable: Tunable, value: Value) -> str:
    """A rule's value for one setting: "nconnect=4", "at most 262144 bytes", "leave it out"."""
    if value in ("omit", "keep", "n/a") or "(" in str(value) or "*" in str(value):
        return outcome(value)
    if is_bound(value):
        return f"{in_words(value)} {tunable.unit or ''}".rstrip()
    return spell(tunable, value) if tunable.kind == "mount-option" else outcome(value, tunable.unit)


def progress_text(counts: tuple[int, int, int]) -> str:
    """The numbers of settings to make, of settings that are fine, and of open settings."""
    to_do, fine, waiting = counts
    return f"{counted(to_do, 'setting')} to make, {fine} fine, {waiting} undecided"


def assumed_answer(base: RuleBase, supposition: Supposition) -> str:
    """A usual value that is assumed, as question and answer."""
    return f"{question(base, supposition.fact)} {answer_text(base, supposition.fact, supposition.value)}"
