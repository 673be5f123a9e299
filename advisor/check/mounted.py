"""Mounts that files ask for beside those that are in effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.host import Unread
from advisor.host.layouts import matches
from advisor.lint.run import lint_text
from advisor.readers import mounts
from advisor.readers.fstab import read
from advisor.readers.placeholders import has_markup
from advisor.readers.source import parse_source
from advisor.readers.spans import Span
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.states import States
    from advisor.host import HostMount
    from advisor.lint.rule_index import RuleIndex
    from advisor.lint.run import Result
    from advisor.options.reading import Setting
    from advisor.readers.fstab.entry import Field
    from advisor.readers.mounts.table import TextParts
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value

_SIZES = ("mount.rsize", "mount.wsize")
_MOST = 1 << 20
_ESCAPES = {" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134"}


class Asked(NamedTuple):
    """A mount that a file asks for. `settings`: as the linter found them."""

    result: Result
    line: int
    span: Span
    source: str
    target: str
    options: Field | TextParts | None
    settings: Mapping[str, Setting]
    always: bool = True
    """Mounted whenever the host boots."""

    @property
    def words(self) -> list[str]:
        """The options, as written."""
        return self.options.text.split(",") if self.options is not None else []


def compare(states: States) -> None:
    """What is asked for and not mounted, mounted and asked for nowhere, or mounted otherwise."""
    asked = [*_asked(states)]
    _once(states, asked)
    tree, now = states.tree, states.probed.mounts
    if tree.unmounted or not tree.mounts:
        return
    targets = {mount.target: mount for mount in now}
    waiting = {mount.target for mount in tree.mounts if mount.fstype == "autofs"}
    there = {mount.target for mount in tree.mounts}
    for one in asked:
        mount = targets.get(one.target)
        if mount is not None:
            _differences(states, one, mount, now)
        elif one.target not in there | waiting and one.always and not _broken(one):
            states.tell("not-mounted", one.result.name, one.span, option=one.target, source=one.source)
    _stale_units(states, asked)
    if states.seen("fstab", "mount-units", "autofs"):
        _unasked(states, {one.target for one in asked}, waiting)


def _once(states: States, asked: list[Asked]) -> None:
    """Leave out of the mounts in effect what is told of the line that asks for them."""
    reported = {
        (one.target, finding.rule, finding.tunable) for one in asked for finding in one.result.findings
        if finding.line == one.line
    }
    for text in states.texts("mountinfo"):
        result = states.results.get(text.name)
        if result is None:
            continue
        targets = {one.line_no: one.target.value for one in mounts.read("mountinfo", text.text, text.name).mounts}
        result.findings = [
            one for one in result.findings if (targets.get(one.line), one.rule, one.tunable) not in reported
        ]


def _asked(states: States) -> Iterator[Asked]:
    for one in states.texts("fstab"):
        result = states.results.get(one.name)
        for entry in read(one.text, one.name).entries if result is not None else ():
            judged = result.judged.get(entry.line_no) if result is not None else None
            if result is None or judged is None or entry.source is None or entry.target is None:
                continue
            one_asked = Asked(
                result, entry.line_no, entry.target.span, entry.source.value, entry.target.value, entry.options,
                judged.settings,
            )
            yield from _whole(one_asked._replace(always="noauto" not in one_asked.words))
    for one in states.texts("systemd-mount"):
        result = states.results.get(one.name)
        for mount in mounts.read(one.host_file.kind, one.text, one.name).mounts if result is not None else ():
            judged = result.judged.get(mount.line_no) if result is not None else None
            if result is not None and judged is not None:  # a unit that nothing wants is not mounted at boot
                yield from _whole(Asked(
                    result, mount.line_no, mount.target.span, mount.source.value, mount.target.value, mount.options,
                    judged.settings, always=False,
                ))


def _whole(one: Asked) -> Iterator[Asked]:
    if one.target.startswith("/") and not has_markup(one.source) and not has_markup(one.target):
        yield one._replace(target=one.target.rstrip("/") or "/")


def _broken(one: Asked) -> bool:
    """Whether it was told already why this cannot be mounted."""
    return any(
        finding.line == one.line and finding.severity == "error" and finding.consequence == "mount-fails"
        for finding in one.result.findings
    )


def _differences(states: States, one: Asked, mount: HostMount, now: tuple[HostMount, ...]) -> None:
    source = parse_source(one.source)
    if (source.host, source.export.rstrip("/")) != (mount.server, mount.export.rstrip("/")):
        there = f"{mount.server}:{mount.export}"
        states.tell("other-source", one.result.name, one.span, option=one.source, value=one.source, effect=there)
        return
    before = now[: now.index(mount)]
    effects = in_effect(states.base, states.index, mount)
    for tunable, wanted in one.settings.items():
        if wanted.field != "options" or wanted.value is None:
            continue
        value, effect = wanted.value, effect_of(states.base, tunable, effects)
        if effect is None or _agree(tunable, value, effect):
            continue
        assert one.options is not None  # it is where the setting stands
        span = one.options.at(wanted.start, wanted.end)
        shown = values.spell(states.base.tunables[tunable], effect, wanted.text) or str(effect)
        for found, other in _reasons(value, effect, mount, before):
            if states.tell(
                found, one.result.name, span, tunable=tunable, value=value, option=wanted.text, effect=effect,
                other=other, target=one.target, shown=shown,
            ):
                break


def in_effect(base: RuleBase, index: RuleIndex, mount: HostMount) -> Mapping[str, Setting]:
    """The options in effect, read as a line of fstab would be. `index`: with no facts of a line."""
    target = "".join(_ESCAPES.get(sign, sign) for sign in mount.target)
    text = f"server:/export {target} {mount.fstype} {','.join(mount.options)} 0 0\n"
    judged = lint_text(text, "mountinfo", base, {}, index).judged.get(1)
    return judged.settings if judged is not None else {}


def effect_of(base: RuleBase, tunable: str, effects: Mapping[str, Setting]) -> Value:
    """The value in effect; what the kernel shows only where it is not the default has that."""
    if tunable in effects:
        return effects[tunable].value
    shared = (check.host for check in base.checks.values() if check.host and check.host.found == "shared-connections")
    return 1 if any(matches(tunable, one) for host in shared for one in host.of) else None


def _agree(tunable: str, value: Value, effect: Value) -> bool:
    if values.same(value, effect) or str(value) == str(effect):
        return True
    if tunable in _SIZES:
        return not isinstance(value, int) or not isinstance(effect, int) or _granted(value) == effect
    # vers=4 is any of its minor versions, tcp6 is TCP, and of several flavours one is taken.
    return str(effect).startswith((f"{value}.", f"{value}6")) or str(effect) in str(value).split(":")


def _granted(size: int) -> int:
    """What the client makes of a size before it asks the server (kernel-observed.rsize-rounding)."""
    if size < 1024:
        return 4096
    if size < 4096:
        return 1 << (size.bit_length() - 1)
    return min(size // 4096 * 4096, _MOST)


def _reasons(
    value: Value, effect: Value, mount: HostMount, before: tuple[HostMount, ...]
) -> Iterator[tuple[str, str]]:
    """What may be the reason of the difference, the likeliest first, each with the target of the mount that made it.
    Which settings a reason is one for, its check knows."""
    for one in before:
        if _way(one) == _way(mount):
            yield "shared-connections", one.target
            break
    if isinstance(value, int) and isinstance(effect, int) and effect < _granted(value):
        yield "size-reduced", ""
    for one in before:
        if one.device == mount.device and one.device != "none":
            yield "shared-file-system", one.target
            break
    yield "otherwise", ""


def _way(mount: HostMount) -> tuple[str, ...]:
    """What mounts that share connections have in common."""
    said = dict(option.partition("=")[::2] for option in mount.options)
    return (said.get("addr", mount.server), *(said.get(name, "") for name in ("vers", "proto", "xprtsec", "port")))


def _stale_units(states: States, asked: list[Asked]) -> None:
    """Units that systemd made of an older fstab."""
    folder = "/run/systemd/generator"
    try:
        names = [name for name in states.tree.names(folder) if name.endswith(".mount")]
    except Unread:
        return
    lines = {one.target: one for one in asked if one.result.name.endswith("fstab")}
    for name in names:
        try:
            made = mounts.read("systemd-mount", states.tree.text(f"{folder}/{name}"), name).mounts
        except Unread:
            continue
        for unit in made:
            one = lines.get(unit.target.value.rstrip("/"))
            if one is None:
                continue
            extra = [word for word in unit.options.text.split(",") if word and word not in one.words]
            if extra or unit.source.value != one.source:
                was = extra[0] if extra else unit.source.value
                unit_file = f"{folder}/{name}"
                states.tell("stale-unit", one.result.name, one.span, option=one.target, other=unit_file, was=was)


def _unasked(states: States, asked: set[str], waiting: set[str]) -> None:
    now = states.probed.mounts
    for mount in now:
        inside = any(
            other is not mount and other.server == mount.server and mount.target.startswith(f"{other.target}/")
            for other in now
        )
        by_automounter = any(mount.target == one or mount.target.startswith(f"{one}/") for one in waiting)
        if mount.target in asked or mount.target == "/" or inside or by_automounter:
            continue
        for name, line in _lines(states, mount.target):
            length = len(states.results[name].line(line))
            states.tell(
                "in-no-file", name, Span(line, 1, length + 1), option=mount.target, path=mount.target,
                source=f"{mount.server}:{mount.export}",
            )


def _lines(states: States, target: str) -> Iterator[tuple[str, int]]:
    """Where the list of mounts in effect shows a target: the last line, which is what is seen there."""
    for one in states.texts("mountinfo"):
        result = states.results.get(one.name)
        table = mounts.read(one.host_file.kind, one.text, one.name)
        found = [m.line_no for m in table.mounts if m.target.value == target]
        if result is not None and found:
            yield one.name, found[-1]

