"""One export that several clients mount: the settings on which they do not agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.addresses import is_loopback, parse
from advisor.host.layouts import matches
from advisor.rulebase import values

if TYPE_CHECKING:
    from advisor.check.sides.side import ClientMount
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Value

NAMED = 3
"""Hosts that are named; of more the first is, and their number."""


class Disagreement(NamedTuple):
    """A setting that `few` clients have in one value and `many`, as many at least, in another."""

    tunable: str
    value: Value
    few: tuple[str, ...]
    other: Value
    many: tuple[str, ...]

    def words(self, base: RuleBase, server: str, exports: Sequence[str]) -> dict[str, str]:
        """For the message of a check."""
        tunable = base.tunables[self.tunable]
        return {
            "setting": values.name(tunable), "value": values.describe(tunable, self.value),
            "effect": values.describe(tunable, self.other), "server": server,
            "exports": several([f"{server}:{one}" for one in exports], "exports"),
            "clients": several(self.few, "hosts"), "others": several(self.many, "hosts"),
        }


@lru_cache(maxsize=1)
def compared(base: RuleBase) -> list[str]:
    """The settings in which clients of one export are compared. Kept, since it is asked for each server."""
    patterns = [one for check in base.checks.values() if check.sides is not None and check.sides.of == "export"
                for one in check.sides.differ]
    return [name for name in base.tunables if any(matches(name, pattern) for pattern in patterns)]


def in_effect(base: RuleBase, mount: ClientMount, names: Iterable[str]) -> dict[str, Value]:
    """Those of the settings that are known to be in effect. What the kernel does not list is at its default. Nothing is
    known of a mount that only a file asks for, nor of what lies behind a helper on the host itself."""
    address = parse(mount.source.host)
    if not mount.now or mount.source.host.lower() == "localhost" or (address is not None and is_loopback(address)):
        return {}
    found = {name: mount.shown[name].value if name in mount.shown else base.tunables[name].default for name in names}
    return {name: value for name, value in found.items() if value is not None}


def disagreements(tunable: Tunable, hosts: Mapping[Value, Collection[str]]) -> Iterator[Disagreement]:
    """Each value but the one that most hosts have, or, of equally many, the default. `hosts`: by value; a host that has
    two of them speaks for none."""
    times = Counter(host for several in hosts.values() for host in dict.fromkeys(several))
    sure = {value: tuple(sorted(one for one in set(several) if times[one] == 1)) for value, several in hosts.items()}
    ranked = sorted(
        (value for value in sure if sure[value]),
        key=lambda value: (-len(sure[value]), value != tunable.default, str(value)),
    )
    for value in ranked[1:]:
        yield Disagreement(tunable.id, value, sure[value], ranked[0], sure[ranked[0]])


def several(names: Sequence[str], what: str) -> str:
    """ "web1, web2 and web3"; of many the first, and how many there are: "web1 and 411 other hosts"."""
    if len(names) > NAMED:
        return f"{names[0]} and {len(names) - 1:,} other {what}"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
