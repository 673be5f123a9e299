"""What a mount unit, its drop-ins and an automount unit have to do with one another."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.lint.finding import Finding, at, from_check
from advisor.lint.read_together import Beside, drop_ins, mount_is_missing
from advisor.lint.rule_index import RuleIndex
from advisor.options.reading import Setting
from advisor.readers.fstab import split_options
from advisor.readers.settings import read
from advisor.readers.tables import MountTable
from advisor.readers.units import options_at, ordered_after

_TARGET = "remote-fs.target"
_PLACE = Setting(None, "source", 0, 0, "")


def together(index: RuleIndex, table: MountTable, beside: Sequence[Beside]) -> tuple[list[Finding], bool]:
    """Findings of a unit beside others, and whether a drop-in replaces the options that stand here."""
    findings = []
    own = options_at(table.text)
    later = next((one for one in reversed(drop_ins(table.name, beside)) if options_at(one.text)), None)
    replaced = index.builtin("unit-options-replaced")
    if own is not None and later is not None and replaced is not None:
        place = options_at(later.text)
        line = place.line if place is not None else 1
        findings.append(at(
            from_check(replaced, _PLACE, tunable=None, figures={"place": f"{later.name}:{line}"}), table.name, own,
        ))
    alone = index.builtin("automount-without-mount")
    where = next((one for one in read("systemd-mount", table.text, table.name).settings
                  if (one.section, one.key.text) == ("Automount", "Where")), None)
    if alone is not None and where is not None and mount_is_missing(table.name, where.value.text, beside):
        unit = table.name.rpartition("/")[2]
        figures = {"unit": unit, "right": unit.removesuffix(".automount") + ".mount", "where": where.value.text}
        findings.append(at(from_check(alone, _PLACE, tunable=None, figures=figures), table.name, where.value.span))
    return findings, later is not None


def waits_for_itself(index: RuleIndex, table: MountTable) -> list[Finding]:
    """A network mount that comes after the target before which systemd puts it."""
    check = index.builtin("unit-after-remote-fs")
    if check is None or not any(index.is_nfs(one) for one in table.mounts):
        return []
    if any(item.name == "nofail" for one in table.mounts for item in split_options(one.options.value)):
        return []
    return [
        at(from_check(check, _PLACE, tunable=None), table.name, part.span)
        for part in ordered_after(table.text) if part.text == _TARGET
    ]
