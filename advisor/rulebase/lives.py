"""Lifetimes (`Life`): which versions have a setting, as conditions over facts, in words, and judged for a host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from advisor.engine.versions import following
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Condition, Fact, Life, RuleBase, Scalar, Tunable, Upstream, facts_in

Verdict = Callable[[Condition], "bool | None"]
"""Whether a condition over facts holds."""
UPSTREAM = "upstream"
PERHAPS_GONE = "perhaps-gone"
_ROLES = {"client": "nfs-client", "server": "nfs-server"}
"""Whose version a fact is, by its first word, and the role of such a host."""


class Standing(NamedTuple):
    """How a setting stands with a host. `kind`: too-new, perhaps-too-new, gone, ignored, or perhaps-gone, where the
    version is not known. `fact`: the version that decides. `needed`: the version that it takes, or from which on it is
    so."""

    kind: str
    life: Life
    fact: str
    needed: str


def older(fact: Fact, versions: Mapping[str, str]) -> Condition:
    """Where a host is certainly older than this. `versions`: of a `Life`."""
    about, stream = upstream(fact), f"{fact.id}_stream"
    cases: list[Condition] = []
    first = versions.get(UPSTREAM)
    if first is not None:
        followers: list[Scalar] = [name for name in about.streams if name == UPSTREAM or name not in versions]
        numbers: list[Scalar] = [*about.numbers]
        below: Condition = {fact.id: _below(about, first)}
        cases.append({**below, stream: followers})
        cases += [{"all": [below, {fact.id: numbers}]}] if about.numbers else []
    cases += [{fact.id: f"<{version}", stream: name} for name, version in versions.items() if name != UPSTREAM]
    return cases[0] if len(cases) == 1 else {"any": cases}


def newer(fact: Fact, versions: Mapping[str, str]) -> Condition:
    """Where a host certainly is as new as this. `versions`: of a `Life`."""
    cases: list[Condition] = [
        {fact.id: _from(upstream(fact), version)} if name == UPSTREAM
        else {fact.id: f">={version}{_same_base(fact, version)}", f"{fact.id}_stream": name}
        for name, version in versions.items()
    ]
    return cases[0] if len(cases) == 1 else {"any": cases}


def conditions(life: Life, facts: Mapping[str, Fact]) -> Iterator[tuple[str, Condition]]:
    """(what it is about, the condition) of all that is asked of a host's versions."""
    for name in life.of:
        fact = facts[name]
        if life.since:
            yield f"too-new:{name}", older(fact, {**life.since, **life.not_before})
        for what, versions in (("since", life.since), ("gone", life.until), ("ignored", life.ignored_from)):
            if versions:
                yield f"{what}:{name}", newer(fact, versions)


def standings(lives: Iterable[Life], facts: Mapping[str, Fact], holds: Verdict) -> Iterator[Standing]:
    """How a setting stands with a host, where its versions are known and something is to be said."""
    for life in lives:
        found = {name: _standing(life, facts[name], holds) for name in life.of if is_meant(name, holds)}
        kinds = {kind for kind in found.values() if kind is not None}
        kinds = kinds - {PERHAPS_GONE} or kinds  # a version that is known decides
        if len(kinds) == 1 and kinds != {""}:
            fact, kind = next((name, kind) for name, kind in found.items() if kind in kinds)
            yield Standing(kind, life, fact, needed(life, facts, kind))


def lives_of(tunable: Tunable, base: RuleBase, spelling: str | None = None) -> list[Life]:
    """The lifetimes of a setting, and of what it needs: its file, if it is no younger than that. `spelling`: also of
    what only this form of it needs."""
    forms, able = [form.when for form in tunable.forms if form.spelling == spelling], base.capabilities
    needed = [able[name].life for when in (tunable.needs, *forms) for name in facts_in(when) if name in able]
    younger = any(life.since and life.default is None for life in tunable.lives)
    file = () if younger or tunable.kind not in base.kinds else base.kinds[tunable.kind].lives
    return [*file, *tunable.lives, *filter(None, needed)]


def default_here(life: Life, facts: Mapping[str, Fact], holds: Verdict) -> tuple[object, str] | None:
    """The default in this host's version, and the fact that gives the version; None if the version does not decide."""
    for name in life.of if life.default is not None else ():
        for value, condition in ((life.default, newer), (life.before, older)):
            if is_meant(name, holds) and holds(condition(facts[name], life.since)):
                return value, name
    return None


def needed(life: Life, facts: Mapping[str, Fact], kind: str = "") -> str:
    """The version of the project that a setting takes, or from which on it is gone or ignored: "Linux 6.14"."""
    ends = life.until or life.ignored_from
    versions = {"gone": life.until, "ignored": life.ignored_from, PERHAPS_GONE: ends}.get(kind, life.since)
    return f"{upstream(facts[life.of[0]]).name} {_said(versions)}"


def in_words(life: Life, facts: Mapping[str, Fact]) -> str:
    """ "since Linux 6.8, gone since Linux 6.14"."""
    name = upstream(facts[life.of[0]]).name
    what = "since" if life.default is None else f"default {life.default} since"
    parts = [(what, life.since), ("gone since", life.until), ("ignored from", life.ignored_from)]
    return ", ".join(f"{words} {name} {_said(versions)}" for words, versions in parts if versions)


def _standing(life: Life, fact: Fact, holds: Verdict) -> str | None:
    """The kind of a standing; "" where all is well, None where the version does not tell."""
    for kind, versions in (("gone", life.until), ("ignored", life.ignored_from)):
        verdict = holds(newer(fact, versions)) if versions else False
        if verdict:
            return kind
        if verdict is None:
            return PERHAPS_GONE
    if life.since and life.default is None:
        if holds(older(fact, {**life.since, **life.not_before})):
            return "too-new"
        lower = holds({fact.id: _below(upstream(fact), life.since[UPSTREAM])}) if UPSTREAM in life.since else None
        if lower and not holds(newer(fact, life.since)):
            return "perhaps-too-new"
        return None if lower is None else ""
    return ""


def is_meant(fact: str, holds: Verdict) -> bool:
    """Whether the host may be one of which this is the version: not a server's, if it is a client."""
    role = _ROLES.get(fact.partition(".")[0])
    return role is None or holds({"host.role": role}) is not False


def upstream(fact: Fact) -> Upstream:
    assert fact.upstream is not None  # the audit sees to that
    return fact.upstream


def known_to_be_known(fact: Fact) -> Condition:
    """Where a host is no newer than the newest version whose settings are known."""
    about = upstream(fact)
    spans: list[Scalar] = [f"<={about.newest}", *(f">={epoch}0 <={epoch}{about.newest}" for epoch in about.epochs)]
    return {fact.id: spans}


def _said(versions: Mapping[str, str]) -> str:
    """The version for people: the project's, and those of other streams."""
    first = versions.get(UPSTREAM) or next(iter(versions.values()))
    others = [f"{version} in {name}" for name, version in versions.items() if version != first]
    return first + (f" ({', '.join(others)})" if others else "")


def _below(about: Upstream, version: str) -> list[Scalar] | str:
    return [f"<{version}", *(f">={e}0 <{e}{version}" for e in about.epochs)] if about.epochs else f"<{version}"


def _from(about: Upstream, version: str) -> list[Scalar] | str:
    if not about.epochs:
        return f">={version}"
    return [f">={version} <{about.epochs[0]}0", *(f">={e}{version}" for e in about.epochs)]


def _same_base(fact: Fact, version: str) -> str:
    """The end of the range of kernels that a distribution builds from the same release, which have it from then on."""
    return f" <{following(version.partition('-')[0])}" if fact.scheme == "kernel" else ""
