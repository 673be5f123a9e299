"""The order of rows and questions by importance, what there is to do with each row, and the rule that is cited for a
value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.advice.model import Part, Row
from advisor.advice.steps import Steps
from advisor.engine import State, open_facts
from advisor.engine.decisions import value_key
from advisor.rulebase.model import Rule, RuleBase, Tunable
from advisor.rulebase.values import LINE_KINDS, absence_supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value


ACCESS = "access"
"""The kind of settings that say whether NFS, mounted by Linux, is the right choice at all."""
CLIENT = (ACCESS, *LINE_KINDS, "bdi", "benchmark", "tuned")
"""The kinds that only clients have."""
MOUNT_OPTIONS = "Mount options"
GROUPS = (
    ("First of all", (ACCESS,)),
    (MOUNT_OPTIONS, LINE_KINDS),
    ("Kernel settings", ("sysctl", "module-parameter")),
    ("NFS services and read-ahead", ("nfs.conf", "ganesha.conf", "bdi", "service", "tuned")),
    ("Exports", ("export-option",)),
    ("Users and Kerberos", ("identity",)),
    ("High availability", ("cluster",)),
    ("Network", ("network",)),
    ("The server's disks and machine", ("filesystem", "raid", "scheduler", "layout", "bios", "vm")),
    ("Storage and software", ("volume", "package")),
    ("Tests to run", ("benchmark",)),
)


STRENGTHS = ("must", "should", "may")


def speaking_rule(base: RuleBase, decision: str, value: Value, state: State, won: Iterable[str]) -> Rule:
    """The rule to cite for a value: one that applies for certain, else the one that assumes least: of the lowest layer,
    with the fewest open facts, without the consequence "mount-fails", the weakest. It gets the lowest strength of all
    rules that may win, since no more is certain. `won`: the rules that may win."""
    rules = base.decisions[decision].rules
    wanted = value_key(value)
    mine = [rules[name] for name in won if value_key(rules[name].value) == wanted]
    if len(mine) == 1:
        return mine[0]
    layers = [layer.id for layer in base.layers]
    depends = open_facts(base.engine, decision, {rule.id for rule in mine}, state)

    def rank(rule: Rule) -> tuple[bool, int, int, bool, int, str]:
        layer, waits = layers.index(rule.layer), depends[rule.id]
        return bool(waits), layer, len(waits), rule.consequence == "mount-fails", -_strength(rule), rule.id

    weakest = max(map(_strength, mine))
    speaking = min(mine, key=rank)
    return speaking.replace(strength=STRENGTHS[weakest])


def _strength(rule: Rule) -> int:
    return STRENGTHS.index(rule.strength or "may")


CONSEQUENCES = (
    "data-loss", "security", "mount-fails", "boot", "hang", "stale-data", "unsupported", "performance", "ignored",
    "portability", None,
)
"""Worst first: losing data, failing to mount and hanging come before speed."""
SEVERE = CONSEQUENCES[: CONSEQUENCES.index("performance")]
"""Those that a wrong assumption must not have; it may only cost speed."""
_KINDS = [kind for _, kinds in GROUPS for kind in kinds]


def in_order(settings: Iterable[Row]) -> tuple[Row, ...]:
    """Must before should before may, worse consequences first, the mount line before other settings."""
    return tuple(sorted(settings, key=_rank))


def _rank(setting: Row) -> tuple[int, int, int]:
    return (
        (*STRENGTHS, None).index(setting.strength), _KINDS.index(setting.kind), CONSEQUENCES.index(setting.consequence),
    )


def by_group(rows: Iterable[Row]) -> list[tuple[str, tuple[Row, ...]]]:
    """The titles of GROUPS, each with its rows in order."""
    ordered = in_order(rows)
    return [(title, tuple(row for row in ordered if row.kind in kinds)) for title, kinds in GROUPS]


def with_parts(rows: Sequence[Row], *, server: bool) -> tuple[Row, ...]:
    """The rows of one advice with what there is to do with each. `server`: the host is the server, where what only
    clients have is not shown."""
    advised = [row for row in rows if not row.possible]
    return tuple(row._replace(part=_part(row, advised, server)) for row in rows)


def _part(row: Row, advised: Sequence[Row], server: bool) -> Part:
    if row.possible:
        return "open" if row.strength is not None else ""
    if server and row.kind in CLIENT:
        return ""
    insisted = row.kind == "mount-option" and is_written(row)
    if insisted or (_asks_for_change(row) and not is_pointless(row.definition, advised)):
        return "set"
    if not row.recommends:
        return ""
    return "leave out" if row.value == "omit" and row.strength != "may" and not row.pinned else "fine"


def is_written(option: Row) -> bool:
    """Whether a mount option is written: a default only if it is pinned, or if a rule that must or should be followed
    gives it and it does not turn something off."""
    return bool(option.text) and (
        option.pinned or not option.already or (option.strength != "may" and option.written is not False)
    )


def forbids_mount(row: Row) -> bool:
    """Whether it recommends another protocol or system instead of a mount by Linux."""
    return row.kind == ACCESS and row.strength == "must" and row.recommends and not row.pinned


def _asks_for_change(row: Row) -> bool:
    """Whether it asks for a value other than the default."""
    return row.pinned or (row.recommends and not row.already and row.value != "omit")


def is_pointless(tunable: Tunable, rows: Iterable[Row]) -> bool:
    """Whether a tunable only decides where others are written, and none of these is written or open."""
    places = tunable.places
    return bool(places) and not any(
        row.tunable in places and (row.possible or _asks_for_change(row)) for row in rows
    )


def is_idle(row: Row) -> bool:
    """Whether leaving the setting out is right for each of its possible values."""
    return all(
        maybe.rule is not None and absence_supports(maybe.value, row.definition.default) for maybe in row.possible
    )


def stake(setting: Row) -> float:
    """The weight of an open or assumed setting: a must counts ten times a should, harm more than speed, the mount line
    more than the rest."""
    worth = {"must": 100.0, "should": 10.0, "may": 1.0}[setting.strength or "may"]
    if setting.consequence in SEVERE:
        worth *= 3
    return worth * (2 if setting.kind in LINE_KINDS else 1)


def one_of_two_units(base: RuleBase, settled: tuple[Row, ...]) -> tuple[Row, ...]:
    """The settings, with a limit that has two units written in one unit only: the pinned one, or else the one of the
    higher layer."""
    ranks = {layer.id: rank for rank, layer in enumerate(base.layers)}
    written = {
        setting.tunable: setting for setting in settled
        if setting.written is not None and (setting.pinned or not setting.already)
    }

    def weight(setting: Row) -> tuple[bool, int, str]:
        return setting.pinned, ranks.get(setting.rule.layer if setting.rule else "", 0), setting.tunable

    beaten: dict[str, Row] = {}
    for setting in written.values():
        other = written.get(setting.definition.other_unit or "")
        if other is not None and weight(setting) < weight(other):
            beaten[setting.tunable] = other
    return tuple(
        _not_written(setting, beaten[setting.tunable]) if setting.tunable in beaten else setting for setting in settled
    )


def _not_written(setting: Row, other: Row) -> Row:
    """A setting that is not written because the other unit is."""
    why = f"{other.text} is the same limit in another unit, and the last one written wins."
    return setting._replace(
        value="n/a", written=None, text="", already=False, pinned=False, steps=Steps(), why=why,
        rule=setting.rule.replace(why=why) if setting.rule else None,
    )
