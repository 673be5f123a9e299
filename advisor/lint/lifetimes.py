"""Settings that are too new for a host, or that its version no longer has or ignores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.files.records import Setting, Span
from advisor.lint.finding import Finding
from advisor.lint.rule_index import RuleIndex, State
from advisor.rulebase.lives import default_here, is_meant, known_to_be_known, lives_of, needed, standings, upstream
from advisor.rulebase.model import Life, Tunable


def findings(
    index: RuleIndex, tunable: Tunable, state: State, place: Setting | Span, written: str
) -> Iterator[Finding]:
    """Findings on a setting that this host may lack yet, or no longer have. `written`: it as the file has it."""
    lives = lives_of(tunable, index.rulebase)
    if not lives:
        return
    kind = index.rulebase.kinds[tunable.kind]
    unread = kind.without or (kind.file and kind.file.unread)
    for standing in standings(lives, index.facts, lambda condition: index.verdict(condition, state)):
        why = standing.life.why or (unread.why if unread else None)
        harm = standing.life.consequence if standing.kind == "too-new" else None
        yield from index.report(
            f"setting-{standing.kind}", place, tunable=tunable.id, why=why, cites=standing.life.cites,
            consequence=harm, severity="error" if harm == "mount-fails" else None,
            figures={"key": written, "needed": standing.needed, "here": here(index, standing.fact)},
        )


def here(index: RuleIndex, fact: str) -> str:
    """The version of this host, if it is known exactly: "; this host has 2.5.4"."""
    version, whose = index.known.get(fact), fact.partition(".")[0]
    return f"; this {whose} has {version}" if isinstance(version, str) and version[:1].isdigit() else ""


def too_new(index: RuleIndex, option: str, tunable: str) -> str:
    """That a mount option is too new for a client, with the version that has it; "" if that is not known."""
    for life in lives_of(index.tunables[tunable], index.rulebase, option.partition("=")[0]):
        return f"{option} needs {needed(life, index.facts)}{here(index, life.of[0])}"
    return ""


def lacking(index: RuleIndex, tunable: Tunable) -> list[Finding]:
    """Findings on a setting that the host certainly lacks or ignores. If only its file is too young, and it says itself
    how it is set, it can be set elsewhere."""
    elsewhere = tunable.sets and all(life.default is not None for life in tunable.lives)
    found = () if elsewhere else _of_host(index, tunable)
    return [finding for finding in found if "-perhaps-" not in finding.rule]


def told(index: RuleIndex, tunable: Tunable) -> tuple[list[str], bool]:
    """Sentences on how a setting stands with a host, and whether the host certainly lacks it."""
    found = _of_host(index, tunable)
    words = [f"{finding.message}. {finding.why}" for finding in found]
    words += [f"The default is {default}{here(index, fact)}." for _, default, fact in defaults(index, tunable)]
    return words, any(finding.rule in _LACKING for finding in found)


def defaults(index: RuleIndex, tunable: Tunable) -> Iterator[tuple[Life, object, str]]:
    """(lifetime, default, the fact that gives the version) of each default that changed once and is known here."""
    for life in tunable.lives:
        default = default_here(life, index.facts, lambda condition: index.verdict(condition, index.state))
        if default is not None:
            yield (life, *default)


def _of_host(index: RuleIndex, tunable: Tunable) -> list[Finding]:
    return [*findings(index, tunable, index.state, Span(1, 1, 1), tunable.id.rpartition(".")[2])]


_LACKING = ("setting-too-new", "setting-gone")


def newest_known(index: RuleIndex, versions: Sequence[str], state: State) -> tuple[str, bool]:
    """The newest version whose settings are known, for people, "" if this host has none that is newer; and whether it
    certainly has. `versions`: facts, of which the host has one."""
    meant = [index.facts[name] for name in versions if is_meant(name, lambda when: index.verdict(when, state))]
    known = {index.verdict(known_to_be_known(fact), state) for fact in meant}
    if not meant or True in known:
        return "", False
    about = upstream(meant[0])
    return f"{about.name} {about.newest}", False in known
