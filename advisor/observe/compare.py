"""Before and after: what differs between two windows beyond their noise. Both are documents of `advisor-observe/1`."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe import noise
from advisor.observe.earlier import EarlierMount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class ComparedQuantity(NamedTuple):
    """`kind`: of advisor.observe.noise.assumed_error; `calls`: the quantity that counts what it was taken from. What is
    below `least` in both windows is not compared: nobody would act on it, or its digits do not tell it."""

    title: str
    kind: str
    calls: str = "observed.calls"
    least: int = 1


COMPARED = {
    "observed.call_rate": ComparedQuantity("calls a second", "count"),
    "observed.concurrency": ComparedQuantity("calls under way at a time", "mean"),
    "observed.execute": ComparedQuantity("time of a call", "mean"),
    "observed.queue": ComparedQuantity("of that, waiting in the client", "mean"),
    "observed.rtt": ComparedQuantity("of that, until the answer", "mean"),
    "observed.backlog": ComparedQuantity("calls that wait for an RPC slot", "mean", least=100),
    "observed.send_queue": ComparedQuantity("calls that wait for the socket", "mean", least=100),
    "observed.read_payload": ComparedQuantity("data of a READ", "mean", "observed.reads"),
    "observed.write_payload": ComparedQuantity("data of a WRITE", "mean", "observed.writes"),
    "observed.metadata_share": ComparedQuantity("metadata calls", "share"),
    "observed.throughput": ComparedQuantity("data a second", "mean", least=10),
}
"""What is compared, in the order in which it is told."""
SETTINGS = {"observed.connections": "connections", "observed.read_ahead": "read-ahead (KiB)"}


_ALIKE = 1.5
"""Parts of which one is longer than another by more than that differ in their spread already."""


class ComparedNumber(NamedTuple):
    """One number in both windows. `parts`: it was judged by their parts, not by what has to be assumed."""

    quantity: str
    before: int
    after: int
    changed: bool
    parts: bool


class Flip(NamedTuple):
    """A conclusion that one window shows, and the other does not. `beyond`: a number that it rests on changed, or it is
    something that went wrong: an event, not an average."""

    id: str
    title: str
    says: str
    beyond: bool


class ComparedMount(NamedTuple):
    """`why_not`: why its numbers were not compared, "" where they were. `settings`: name, and its value before and
    after, None where it was not there. `gone`, `new`, `still`: conclusions."""

    target: str
    before: EarlierMount | None
    after: EarlierMount | None
    why_not: str
    settings: Sequence[tuple[str, str | None, str | None]] = ()
    numbers: Sequence[ComparedNumber] = ()
    gone: Sequence[Flip] = ()
    new: Sequence[Flip] = ()
    still: Sequence[str] = ()

    @property
    def changed(self) -> list[ComparedNumber]:
        return [one for one in self.numbers if one.changed]


def compare(before: Iterable[EarlierMount], after: Iterable[EarlierMount]) -> list[ComparedMount]:
    """The mounts of the later window in its order, then those that only the earlier one has."""
    earlier, later = _by_name(before), _by_name(after)
    pairs = [(earlier.get(name), one) for name, one in later.items()]
    tests = sum(len(_both(old, new)) for old, new in pairs if old and not _why_not(old, new))
    found = [_mount(old, new, tests) for old, new in pairs]
    return found + [
        ComparedMount(one.target, one, None, "It is not mounted now.") for name, one in earlier.items()
        if name not in later
    ]


def _by_name(mounts: Iterable[EarlierMount]) -> dict[tuple[str, int], EarlierMount]:
    """Several may be mounted on one target; the order tells them apart."""
    seen: dict[str, int] = {}
    found = {}
    for one in mounts:
        number = seen[one.target] = seen.get(one.target, -1) + 1
        found[one.target, number] = one
    return found


def _mount(old: EarlierMount | None, new: EarlierMount, tests: int) -> ComparedMount:
    if old is None:
        return ComparedMount(new.target, None, new, "It was not mounted before.")
    settings = _settings(old, new)
    why_not = _why_not(old, new)
    if why_not:
        return ComparedMount(new.target, old, new, why_not, settings)
    numbers = [_number(quantity, old, new, tests) for quantity in _both(old, new)]
    moved = {one.quantity for one in numbers if one.changed}
    return ComparedMount(
        new.target, old, new, "", settings, numbers, _flips(old, new, moved), _flips(new, old, moved),
        [one.title for name, one in new.conclusions.items() if name in old.conclusions],
    )


def _why_not(old: EarlierMount, new: EarlierMount) -> str:
    for one, when in ((old, "before"), (new, "now")):
        if one.since_mount:
            return (f"The numbers of {when} are averages since it was mounted, whose noise nobody can tell; watch it "
                    "for a while (advisor observe --for 60s) both times.")
        if not one.facts.get("observed.calls"):
            return f"It had no calls {when}."
    return ""


def _both(old: EarlierMount, new: EarlierMount) -> list[str]:
    """What both windows know, and is not next to nothing in both."""
    return [name for name, comparison in COMPARED.items()
            if name in old.facts and name in new.facts and max(old.facts[name], new.facts[name]) >= comparison.least]


def _settings(old: EarlierMount, new: EarlierMount) -> list[tuple[str, str | None, str | None]]:
    before, after = _set(old), _set(new)
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))
            if before.get(name) != after.get(name)]


def _set(one: EarlierMount) -> Mapping[str, str]:
    chosen = {title: str(one.facts[name]) for name, title in SETTINGS.items() if name in one.facts}
    return {"source": one.source, **one.options, **chosen}


def _number(quantity: str, old: EarlierMount, new: EarlierMount, tests: int) -> ComparedNumber:
    before, after = old.facts[quantity], new.facts[quantity]
    first, last = old.values(quantity), new.values(quantity)
    alike = old.length <= new.length * _ALIKE and new.length <= old.length * _ALIKE
    parts = alike and noise.least_chance(len(first), len(last)) <= noise.LEVEL / tests
    if parts:
        rising = sum(one > other for one in last for other in first) > len(first) * len(last) / 2
        beyond = noise.chance(first, last) <= noise.LEVEL / tests and rising == (after > before)
    else:
        comparison = COMPARED[quantity]
        errors = [noise.assumed_error(comparison.kind, one.facts[quantity], one.facts.get(comparison.calls, 0))
                  for one in (old, new)]
        beyond = abs(after - before) > noise.deviations(tests) * sum(error**2 for error in errors) ** 0.5
    return ComparedNumber(quantity, before, after, beyond and noise.is_large(before, after), parts)


def _flips(one: EarlierMount, other: EarlierMount, moved: set[str]) -> list[Flip]:
    """What the one window shows, and the other does not."""
    return [
        Flip(name, conclusion.title, conclusion.says,
             conclusion.kind == "trouble" or bool(moved & set(conclusion.evidence)))
        for name, conclusion in one.conclusions.items() if name not in other.conclusions
    ]
