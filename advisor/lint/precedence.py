"""What goes before what, where several speak of a fact: what somebody said, what the line says, what a name gives away.

A name never goes before what was said: it is left aside. A line is what is being judged, so that its options count even
where somebody said otherwise; that is told."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.lint.finding import Finding, from_check
from advisor.options.words import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex

SAID_OTHERWISE = "said-otherwise"
_YES_NO = {"True": "yes", "False": "no"}
PLATFORM = "storage.platform"


def by_platform(
    index: RuleIndex, state: dict[str, int], platform: str | None, fstype: str
) -> tuple[frozenset[str], list[Finding]]:
    """Narrows the state by the platform that the type or the server's name gives away. Returns the facts that only the
    name gave away, and what there is to say where somebody said otherwise."""
    mask = index.mask(PLATFORM, platform) if platform is not None else None
    if mask is None:
        return frozenset(), []
    if fstype in index.type_platform:
        found = Setting(fstype, "fstype", 0, len(fstype), fstype)
        return frozenset(), by_line(index, state, {PLATFORM: mask}, {}, found)
    if PLATFORM not in index.known and index.agrees({**state, PLATFORM: mask}):
        state[PLATFORM] = mask
        return frozenset((PLATFORM,)), []
    if PLATFORM in state and state[PLATFORM] & mask:
        return frozenset(), []
    # Not a word in the options is wrong: it stands under the server.
    title = next(one.title for one in index.rulebase.platforms if one.platform == platform)
    given = _given(index, PLATFORM) if PLATFORM in index.known else "the given facts rule that out"
    words = f"the server's name is that of {title}, but {given}"
    return frozenset(), _told(index, Setting(None, "source", 0, 0, ""), words, severity="note")


def by_line(
    index: RuleIndex, state: dict[str, int], masks: Mapping[str, int], settings: Mapping[str, Setting],
    written: Setting | None = None,
) -> list[Finding]:
    """Narrows the state by what the line says. Returns what there is to say where somebody said otherwise.

    `written`: where the line says it, for a fact that no setting tells."""
    findings = []
    for fact, mask in masks.items():
        against = fact in index.known and not index.state.get(fact, mask) & mask
        state[fact] = state[fact] & mask or mask if fact in state else mask
        if against:
            setting = index.facts[fact].setting
            tunable = setting.tunable if setting else ""
            found = written or settings.get(tunable) or Setting(None, "options", 0, 0, "")
            line = f"the line says {found.text}" if found.text else f"the line leaves {tunable.partition('.')[2]} out"
            findings += _told(index, found, f"{line}, but {_given(index, fact)}")
    return findings


def _told(
    index: RuleIndex, found: Setting, words: str, *, severity: str | None = None
) -> list[Finding]:
    """About a fact, not a setting, so that it replaces no finding on the setting."""
    check = index.builtin.get(SAID_OTHERWISE)
    if check is None:
        return []
    return [from_check(check, found, tunable=None, value=found.value, words=words, severity=severity)]


def _given(index: RuleIndex, fact: str) -> str:
    value = index.known[fact]
    words = " or ".join(map(str, value)) if isinstance(value, list) else str(value)
    place = f" ({index.said[fact]})" if fact in index.said else ""
    return f"{fact}={_YES_NO.get(words, words)} is given{place}"
