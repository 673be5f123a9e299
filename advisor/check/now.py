"""What a host sets and what is in effect there, setting by setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.files import collect
from advisor.check.mounted import effect_of, in_effect
from advisor.check.states import States
from advisor.host import HostValue
from advisor.host.tree import MOUNTINFO
from advisor.lint.rule_index import RuleIndex

if TYPE_CHECKING:
    from advisor.host import HostMount, Probed, Tree
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


class SettingNow(NamedTuple):
    """What files set, and what is in effect; None where that was not read. A value of None: it is not set, or not in
    effect, and `where` says why."""

    set: HostValue | None
    in_effect: HostValue | None


def of_host(base: RuleBase, tree: Tree, probed: Probed, known: Mapping[str, Values]) -> dict[str, SettingNow]:
    """Every setting that files of settings make for the whole host, and those in effect. `known`: facts."""
    kinds = {name: steps.file.kinds for name, steps in base.kinds.items() if steps.file}
    entries = {
        name: [one.id for one in base.host_files.values() if one.kind in of] for name, of in kinds.items()
    }
    wanted = {entry for several in entries.values() for entry in several}
    collected = collect(tree, [base.host_files[entry] for entry in base.host_files if entry in wanted])
    states = States(base, tree, collected, {}, probed, known=known)
    last = {one.tunable: HostValue(one.value, one.place) for one in states.set_values()}
    twins = {tunable.same_as: last[name] for name, tunable in base.tunables.items() if tunable.same_as and name in last}
    seen = {name: states.seen(*several) for name, several in entries.items() if several}
    probed_kinds = {base.tunables[name].kind for name in (*probed.settings, *probed.unset)}
    found = {}
    for tunable, definition in base.tunables.items():
        now = probed.settings.get(tunable)
        own = last.get(tunable) or twins.get(tunable)
        if own is None and now is None and definition.kind in probed_kinds and tunable not in probed.unset:
            continue  # it stands for what is written elsewhere
        if own is None and seen.get(definition.kind):
            own = HostValue(None, "")
        if own is not None or now is not None:
            found[tunable] = SettingNow(own, now)
    return found


def of_mount(base: RuleBase, tree: Tree, mounts: tuple[HostMount, ...], target: str) -> Iterator[tuple[str, HostValue]]:
    """What is in effect of each option of the mount at `target`, and of the fields of its line; nothing where the
    mounts are not known."""
    options = [name for name, tunable in base.tunables.items() if tunable.kind in ("mount-option", "fstab-field")]
    if tree.unmounted:
        return
    mount = next((one for one in reversed(mounts) if one.target == target), None)
    if mount is None:
        yield from ((name, HostValue(None, "not mounted")) for name in options)
        return
    index = RuleIndex(base, {}, kind="states")
    effects = in_effect(base, index, mount)
    for name in options:
        value = effect_of(base, name, effects)
        yield name, HostValue(value, "not shown by the kernel" if value is None else MOUNTINFO)
    if mount.read_ahead_kb is not None:
        yield "bdi.read_ahead_kb", mount.read_ahead_kb
