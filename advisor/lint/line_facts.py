"""The facts that are known of a line: given ones, those that the line states, and those that a name shows.

Given facts override a name. The options of the line are what is judged, so they count even against given facts, and the
contradiction is reported."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine.errors import word_list
from advisor.files.fstab import read
from advisor.files.records import Setting
from advisor.files.source import parse_source
from advisor.globs import fits, parts
from advisor.lint.finding import LINE, Finding
from advisor.rulebase import values
from advisor.sections import Mount, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex, State
    from advisor.lint.run import Result
    from advisor.rulebase.model.types import Scalar, Values

SAID_OTHERWISE = "said-otherwise"
_YES_NO = {"True": "yes", "False": "no"}
PLATFORM = "storage.platform"


def by_platform(
    index: RuleIndex, state: State, platform: str | None, fstype: str
) -> tuple[frozenset[str], list[Finding]]:
    """Narrow the state by the platform that the type or the server's name shows. Returns the facts that only the name
    shows, and findings on contradictions to given facts."""
    mask = index.rules.mask(PLATFORM, platform) if platform is not None else None
    if mask is None:
        return frozenset(), []
    if fstype in index.rules.type_platform:
        setting = Setting(fstype, "fstype", 0, len(fstype), fstype)
        return frozenset(), by_line(index, state, {PLATFORM: mask}, {}, setting)
    if PLATFORM not in index.known and index.agrees({**state, PLATFORM: mask}):
        state[PLATFORM] = mask
        return frozenset((PLATFORM,)), []
    if PLATFORM in state and state[PLATFORM] & mask:
        return frozenset(), []
    # The options are not at fault, so the finding points at the server.
    title = next(known.title for known in index.rulebase.platforms if known.platform == platform)
    given = _given(index, PLATFORM) if PLATFORM in index.known else "the given facts rule that out"
    words = f"the server's name is that of {title}, but {given}"
    return frozenset(), [*index.report(SAID_OTHERWISE, LINE, words=words, severity="note")]


def by_line(
    index: RuleIndex, state: State, masks: Mapping[str, int], settings: Mapping[str, Setting],
    written: Setting | None = None,
) -> list[Finding]:
    """Narrow the state by the facts that the line states. Returns findings on contradictions to given facts.

    `written`: the place that states the facts, if no setting does."""
    findings: list[Finding] = []
    for fact, mask in masks.items():
        contradicted = fact in index.known and not index.state.get(fact, mask) & mask
        state[fact] = state[fact] & mask or mask if fact in state else mask
        if contradicted:
            setting = index.facts[fact].setting
            tunable = setting.tunable if setting else ""
            place = written or settings.get(tunable) or Setting(None, "options", 0, 0, "")
            line = f"the line says {place.text}" if place.text else f"the line leaves {tunable.partition('.')[2]} out"
            # It names no tunable, so that it replaces no finding on the setting.
            words = f"{line}, but {_given(index, fact)}"
            findings += index.report(SAID_OTHERWISE, place, value=place.value, words=words)
    return findings


def _given(index: RuleIndex, fact: str) -> str:
    value = index.known[fact]
    words = word_list(map(str, value)) if isinstance(value, list) else str(value)
    place = f" ({index.given_at[fact]})" if fact in index.given_at else ""
    return f"{fact}={_YES_NO.get(words, words)} is given{place}"


def mount_of(result: Result, line: int) -> Mount:
    """The mount of a line of a result."""
    entry = next(iter(read(result.line(line)).entries))
    source = parse_source(entry.source.value)
    target = entry.target.value if entry.target is not None else ""
    return Mount(source.host, source.export, target, f"{result.name}:{line}")


def inferred(result: Result, line: int) -> int | None:
    """The mask of the platform that was inferred for a line; None if the platform was given or is not known."""
    judged = result.judged.get(line)
    if judged is None or judged.state.get(PLATFORM) == judged.rule_index.state.get(PLATFORM):
        return None
    mask: int = judged.state[PLATFORM]
    return mask


def why_inferred(result: Result, line: int, mask: int) -> tuple[str, tuple[str, ...]]:
    """What showed the platform of a line (`mask`), in words, and the claims that it shows it."""
    index = result.rule_index
    value = index.engine.describe(PLATFORM, mask)
    platform = next((known for known in index.rulebase.platforms if known.platform == value), None)
    fstype = result.judged[line].settings["fstab.type"].text
    if platform and fstype in platform.fstypes:
        return f"the mount's type is {fstype}", tuple(platform.cites[:1])
    host = normalized("server", mount_of(result, line).server)
    for name in platform.server_names if platform else ():
        if fits(host, parts(name.pattern.lower())):
            return f"the server's name matches {name.pattern}", tuple(name.cites)
    return "the server's name shows it", ()


def by_settings(
    index: RuleIndex, settings: Mapping[str, Setting], implied: Mapping[str, Setting], fstype: str
) -> tuple[State, dict[str, list[Scalar]]]:
    """The facts that the line itself states (`setting` in rules/facts). What it leaves to negotiation stays open.

    Returns fact → mask, and setting → values if the written value stands for several."""
    masks: State = {}
    spread: dict[str, list[Scalar]] = {}
    for fact, setting in index.rules.setting_facts:
        stated = settings.get(setting.tunable) or implied.get(setting.tunable)
        value = None if stated is None else stated.value
        answer: Values | None
        if value is None:
            answer = setting.fstypes.get(fstype, setting.absent)
        else:
            answer = setting.map.get(str(value), value)
            narrowed = setting.narrowed_by
            if narrowed and str(value) == narrowed.only_for and narrowed.tunable in settings:
                answer = narrowed.map.get(str(settings[narrowed.tunable].value), answer)
        if answer is None:
            continue
        if value is not None and not values.same(answer, value):
            spread[setting.tunable] = answer if isinstance(answer, list) else [answer]
        mask = index.rules.mask(fact, answer)
        if mask is not None:
            masks[fact] = mask
    return masks, spread


def by_default(
    index: RuleIndex, state: State, masks: Mapping[str, int], implied: Mapping[str, Setting]
) -> None:
    """Narrow the state, for what the line leaves open, to the only value with which the mount works, if any."""
    for fact, setting in index.rules.setting_facts:
        tunable = setting.tunable
        if fact in masks or fact in state or tunable in implied or tunable not in index.rules.forced:
            continue
        if index.may_mount_anyhow(tunable, state):
            continue
        outcomes = index.reach(tunable, state)
        if len({str(value) for value, _ in outcomes}) == 1:
            mask = index.rules.mask(fact, outcomes[0][0])
            if mask is not None:
                state[fact] = mask
