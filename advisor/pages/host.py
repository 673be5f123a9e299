"""What a page says of a host: its facts as text, as YAML for `--facts`, and as a bundle
(docs/schema/advisor-bundle-1.json); and the state of recommended settings on it: what is set and in effect, and whether
its counters show that a setting can help or would change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from advisor.advice.answers import Answers, Before
from advisor.advice.model import Row, as_written
from advisor.named_tuple import NamedTuple, grouped
from advisor.pages.blocks import Block, Document, TextLike, code, dim, text
from advisor.pages.phrases import yaml_value
from advisor.pages.style import cells, visible, wrap
from advisor.pages.wording import label
from advisor.rulebase.model import RuleBase, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from advisor.check.check_host import RecordedHost
    from advisor.check.facts import HostFacts
    Found = tuple[Value, str, str]
    """A value, where it was read, and a note or ""."""
    from advisor.advice.several import Several

FACTS_SCHEMA, SCHEMA = "advisor-facts/1", "advisor-bundle/1"
MAX_BYTES = 1 << 16
_LEFT_OUT = "left out of the bundle, which would be larger than 64 KiB"
_IN_BUNDLE = ("facts", "unknown", "settings", "unset", "inventory", "mounts")


def facts_data(seen: HostFacts) -> dict[str, object]:
    """What `advisor facts --output-format json` prints; docs/facts.md describes it."""
    probe = seen.probe
    return {
        "schema": FACTS_SCHEMA,
        "root": probe.root,
        "facts": _values(seen.facts),
        "unknown": dict(sorted(seen.unknown.items())),
        "settings": _values(probe.settings),
        "unset": probe.unset,
        "inventory": _values(probe.inventory),
        "mounts": [
            {**mount._asdict(), "read_ahead_kb": None if mount.read_ahead_kb is None else mount.read_ahead_kb.value}
            for mount in probe.mounts
        ],
    }


def _values(found: Mapping[str, Found]) -> dict[str, object]:
    return {
        name: {"value": value, "where": where, "note": note or None} for name, (value, where, note) in found.items()
    }


def facts_text(seen: HostFacts, columns: int) -> str:
    """Facts in aligned columns (fact, value, place), then unknown facts with the reason, settings, and mounts. Wrapped
    at `columns`."""
    probe = seen.probe
    lines: list[str] = []
    _add_section(lines, "Facts", seen.facts)
    if seen.unknown:
        lines.append("Not known")
        for why, names in grouped((why, name) for name, why in sorted(seen.unknown.items())).items():
            lines += wrap(visible(", ".join(names)), columns, "  ", "  ")
            lines += wrap(visible(why), columns, "    ", "    ")
        lines.append("")
    _add_section(lines, "Settings in effect", probe.settings)
    if probe.unset:
        count = len(probe.unset)
        others = (f"{count} other setting{'s' if count > 1 else ''} could not be read: a module that is not loaded, a "
                  "kernel that has none, or one that only root may see; JSON lists each.")
        lines += [*wrap(others, columns, "  ", "  "), ""]
    _add_section(lines, "This host", probe.inventory)
    lines += ["NFS mounts in effect"] if probe.mounts else []
    for mount in probe.mounts:
        ahead = "" if mount.read_ahead_kb is None else f", read-ahead {mount.read_ahead_kb.value} KiB"
        lines += [
            visible(f"  {mount.server}:{mount.export} on {mount.target} ({mount.fstype}{ahead})"),
            visible(f"    {','.join(mount.options)}"),
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def facts_yaml(seen: HostFacts) -> str:
    """A line `fact: value` for each fact, with the place as a comment; unknown facts are comments."""
    root = seen.probe.root
    lines = [f"# Facts found {'on this host' if root == '/' else 'below ' + visible(root)} by advisor facts."]
    for name, (value, where, note) in seen.facts.items():
        lines.append(f"{name}: {yaml_value(value)}  # {visible(f'{where}; {note}' if note else where)}")
    if not seen.facts:
        lines.append("{}")
    for name, why in sorted(seen.unknown.items()):
        lines.append(f"# {name}: not known: {visible(why)}")
    return "\n".join(lines) + "\n"


def _add_section(lines: list[str], title: str, found: Mapping[str, Found]) -> None:
    if not found:
        return
    lines.append(title)
    shown = [
        [visible(part) for part in (
            name, ("yes" if value else "no") if isinstance(value, bool) else str(value),
            f"{where} ({note})" if note else where,
        )]
        for name, (value, where, note) in found.items()
    ]
    widths = [min(max(len(cells(row[at])) for row in shown), 48) for at in range(len(shown[0]) - 1)]
    for row in shown:
        padded = [part + " " * (width - len(cells(part))) for part, width in zip(row[:-1], widths)]
        lines.append("  " + "  ".join((*padded, row[-1])).rstrip())
    lines.append("")


class BundleLine(NamedTuple):
    """`line`: at most MAX_BYTES bytes of JSON, with its line end. `left_out`: file or part that did not fit → its size
    in bytes."""

    line: str
    left_out: Mapping[str, int]


def bundle(recorded: RecordedHost, made: str, version: str, layout: str, runs: bool) -> BundleLine:
    """The bundle of a host. `made`: when (ISO 8601 in UTC), by this `version`; `layout`: of the copy that was read;
    `runs`: whether programs of the host were run."""
    answers, redacted = recorded.answers, recorded.redacted
    files, uncollected = dict(answers.files), dict(answers.uncollected)
    known = facts_data(recorded.seen)
    left_out: dict[str, int] = {}
    content: dict[str, object] = {
        "schema": SCHEMA, "host": recorded.node, "made": made, "advisor": version, "layout": layout, "runs": runs,
        "redacted": {"comments": redacted.comments, "secrets": redacted.secrets, "emptied": redacted.emptied},
        "left_out": left_out, **{name: known[name] for name in _IN_BUNDLE},
        "read": {**answers._asdict(), "files": files, "uncollected": uncollected},
    }
    line = _json(content)
    if len(line) >= MAX_BYTES:  # the reasons for unset settings also follow from the files
        left_out["unset"] = len(_json(known["unset"]))
        content["unset"] = {}
        line = _json(content)
    for path in sorted(files, key=lambda path: len(files[path]), reverse=True):
        if len(line) < MAX_BYTES:
            break
        left_out[path] = len(files.pop(path).encode("utf-8", "surrogateescape"))
        uncollected[path] = f"{path}: {_LEFT_OUT}"
        line = _json(content)
    return BundleLine(line + "\n", left_out)


def _json(data: object) -> str:
    """JSON in ASCII, so that a character is a byte. Bytes of a file that are not UTF-8 are kept as \\udc80 to
    \\udcff."""
    return json.dumps(data, separators=(",", ":"))


_PERFORMANCE = ("performance", None)
"""Consequences of settings that improve speed. Other settings have reasons that no counter shows."""


class ObservedEffect(NamedTuple):
    """The observed effect of a setting. `says`: the evidence. `conclusion`: its id in rules/conclusions. `at_most`: how
    much the setting can save, in words; "" if unknown."""

    kind: Literal["helps", "useless"]
    says: str
    conclusion: str
    at_most: str = ""

    @property
    def words(self) -> str:
        """The effect in a sentence or two."""
        if self.kind == "useless":
            return f"Observed: it would change nothing. {self.says}"
        most = f" It saves {self.at_most} at most." if self.at_most else ""
        return f"Observed: it can help. {self.says}{most}"


Effects = Mapping[str, ObservedEffect]
"""Tunable → its observed effect."""


def effects_of(base: RuleBase, answers: Answers) -> dict[str, ObservedEffect]:
    """The effects of settings by the observed quantities, without settings for which these contradict each other."""
    if not answers.observed:
        return {}
    from advisor.observe.quantities import conclusions  # noqa: PLC0415  only for those who have observed

    drawn = conclusions(base, answers.observed)
    helps = {
        name: ObservedEffect("helps", conclusion.says, conclusion.conclusion.id, conclusion.at_most.get(name, ""))
        for conclusion in reversed(drawn) for name in (*conclusion.conclusion.helps, *conclusion.at_most)
    }
    useless = {
        name: ObservedEffect("useless", conclusion.says, conclusion.conclusion.id)
        for conclusion in reversed(drawn) for name in conclusion.conclusion.useless
    }
    both = helps.keys() & useless.keys()
    return {name: effect for name, effect in {**helps, **useless}.items() if name not in both}


def shared_effects(base: RuleBase, several: Several) -> dict[str, ObservedEffect]:
    """The effects of settings of the host: it can help if it can help one mount; it changes nothing if it changes
    nothing for all mounts that ask for it."""
    each = {advice.answers.name("target"): effects_of(base, advice.answers) for advice in several.mounts}
    effects = {}
    for tunable, targets in several.wanted.items():
        seen = [each[target].get(tunable) for target in targets if target in each]
        helping = [effect for effect in seen if effect is not None and effect.kind == "helps"]
        if helping:
            effects[tunable] = helping[0]
        elif seen and seen[0] is not None and None not in seen:
            effects[tunable] = seen[0]
    return effects


def effect_on(effects: Effects, setting: Row) -> ObservedEffect | None:
    """The observed effect of a setting, if it is to be written and is meant to improve speed."""
    writes = setting.recommends and setting.value != "omit" and setting.written is not None
    return effects.get(setting.tunable) if writes and setting.consequence in _PERFORMANCE else None


def effect_text(effects: Effects, setting: Row) -> str:
    """The observed effect in words; "" if there is none."""
    effect = effect_on(effects, setting)
    return effect.words if effect else ""


def helping_first(settings: Iterable[Row], effects: Effects) -> list[Row]:
    """The settings in their order, but with those that can help first and those that change nothing last."""
    def place(setting: Row) -> int:
        effect = effect_on(effects, setting)
        return 1 if effect is None else 0 if effect.kind == "helps" else 2

    return sorted(settings, key=place)


def state_table(settings: Iterable[Row]) -> list[Block]:
    """A table of what is set, in effect and recommended; [] if none of these settings was read."""
    rows: list[tuple[TextLike, ...]] = []
    for setting in settings:
        has = setting.now
        if has is not None:
            cells = (_cell(setting, part, has.unread) for part in (has.set, has.in_effect))
            wanted = setting.written
            advised = code(as_written(setting.definition, wanted)) if wanted is not None else (
                "leave out" if setting.value == "omit" else "keep")
            rows.append((label(setting.definition), *cells, advised))
    page = Document()
    if rows:
        page.table(("setting", "set", "in effect", "advised"), rows)
    return page.blocks


def current_value(setting: Row) -> str:
    """ "now 65536": the value in effect, else the set value; "" if it is the recommended one."""
    has = setting.now and (setting.now.in_effect or setting.now.set)
    if not has or has.value is None or setting.written is None:
        return ""
    mine, wanted = as_written(setting.definition, has.value), as_written(setting.definition, setting.written)
    return "" if mine == wanted else f"now {mine.rpartition('=')[2]}"


def _cell(setting: Row, has: Before | None, unread: str) -> TextLike:
    if has is None:
        return dim(unread)
    if has.value is None:
        return dim(has.where if has.where.startswith("not ") else "not set")
    return text(code(as_written(setting.definition, has.value)), dim(f" {has.where}"))
