"""What a client takes: single values of a setting, and combinations of them."""

from __future__ import annotations

from advisor.options.reading import changed
from advisor.readers.fstab import split_options
from advisor.rulebase.problems import near
from advisor.rulebase.unfit import unfit
from advisor.sweep.in_effect import can_be_set, mount_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.options.grammar import Grammar
    from advisor.rulebase.model import Tunable
    from advisor.rulebase.model.types import Value


def unfit_level(tunables: Mapping[str, Tunable], name: str, value: object) -> str | None:
    """Why a sweep cannot measure this value of a setting, with what to write; None where it can."""
    if name not in tunables or not can_be_set(name):
        what = "not a setting that a sweep can change" if name in tunables else "not a setting that is known"
        usable = "name mount options (mount.nconnect), bdi.read_ahead_kb, sysctl.sunrpc.* or module.nfs.*"
        return f"{name}: {what}; {near(name, [one for one in tunables if can_be_set(one)], usable)}"
    tunable = tunables[name]
    if isinstance(value, float) and tunable.type != "number":
        return f'{name}: has the number {value}; in quotes ("{value}") it is a version'
    if not isinstance(value, (str, int)):
        return f"{name}: has {value!r}, which is not a value; write a number, text, true or false"
    why = unfit(tunable, value)
    if why:
        hint = near(value, tunable.values or (), "") if isinstance(value, str) else ""
        return f"{name}: does not fit: {why}" + (f"; {hint}" if hint else "")
    now, change = changed(tunable, value)
    if change is not None and now != value:
        return f"{name}: {value} would not be in effect: {change.how}; write {now}"
    return None


def refused(tunables: Mapping[str, Tunable], grammar: Grammar, asked: Mapping[str, Value]) -> str | None:
    """Why the client refuses a combination; None where it takes it."""
    options = mount_options(tunables, asked)
    found = grammar.read("nfs", split_options(options)).refusal
    return None if found is None else f"{options}: {found.message}{': ' + found.why if found.why else ''}"
