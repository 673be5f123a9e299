"""Compares two windows, and reports differences beyond their noise. Both are documents of `advisor-observe/1`; the
earlier one is input from a file, so it is checked.

If both have parts, the parts are ranked (Mann and Whitney): if nothing changed, any part could as well belong to the
other window, so the chance of a split at least as one-sided is known exactly, for any distribution. Without parts the
spread is assumed: calls come in dependent bunches of BUNCH, and the times and sizes of calls deviate from their mean by
SPREAD times that mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist

from advisor.named_tuple import FormatError, NamedTuple, Readers, read_record
from advisor.observe.snapshot import Recording
from advisor.observe.window import MountKey, windows, with_keys

SCHEMA = "advisor-observe/1"
PARTS = 12
"""Parts of a window. With twelve in each window, a change can be told from chance for a thousand mounts at once."""
LEVEL = 0.01
"""The share of comparisons that may report a change although nothing changed, over all numbers together."""
BUNCH, SPREAD = 10, 2.0
LEAST = 0.05
"""Differences below this share of the larger number are not reported."""
SETTINGS = {"observed.connections": "connections", "observed.read_ahead": "read-ahead (KiB)"}
_ALIKE = 1.5
"""Parts that are longer than those of the other window by more than this factor have another spread, so they are not
compared."""


class ComparedQuantity(NamedTuple):
    """A quantity to compare. `unit`: for `measure`; `kind`: for assumed_error; `calls`: the quantity with the number of
    calls that it was taken from; `least`: if it is smaller in both windows it is not compared, because it does not
    matter, or has too few digits."""

    title: str
    unit: str
    kind: str
    calls: str = "observed.calls"
    least: int = 1


COMPARED = {
    "observed.call_rate": ComparedQuantity("calls per second", "thousandths", "count"),
    "observed.concurrency": ComparedQuantity("calls in flight at a time", "thousandths", "mean"),
    "observed.execute": ComparedQuantity("time of a call", "microseconds", "mean"),
    "observed.queue": ComparedQuantity("of that, waiting in the client", "microseconds", "mean"),
    "observed.rtt": ComparedQuantity("of that, until the answer", "microseconds", "mean"),
    "observed.backlog": ComparedQuantity("calls that wait for an RPC slot", "thousandths", "mean", least=100),
    "observed.send_queue": ComparedQuantity("calls that wait for the socket", "thousandths", "mean", least=100),
    "observed.read_payload": ComparedQuantity("data of a READ", "bytes", "mean", "observed.reads"),
    "observed.write_payload": ComparedQuantity("data of a WRITE", "bytes", "mean", "observed.writes"),
    "observed.metadata_share": ComparedQuantity("metadata calls", "per mille", "share"),
    "observed.throughput": ComparedQuantity("data per second", "MiB", "mean", least=10),
}
"""In the order in which they are reported."""


def parts_of(recording: Recording) -> dict[MountKey, list[dict[str, int]]]:
    """Mount → the compared quantities of each part during which it was mounted all the time; {} if the recording has no
    readings between the first and the last. A last part that ended early is left out."""
    by_mount: dict[MountKey, list[dict[str, int]]] = {}
    if recording.before is None or not recording.between:
        return by_mount
    readings = (recording.before, *recording.between, recording.after)
    for first, last in zip(readings, readings[1:]):
        for key, window in with_keys(windows(first, last)):
            if window.since_mount or window.mounted:
                continue
            values = {name: window.quantities.get(name) for name in ("observed.window", *COMPARED)}
            by_mount.setdefault(key, []).append({
                name: value for name, value in values.items() if isinstance(value, int)
            })
    for parts in by_mount.values():
        if parts[-1].get("observed.window", 0) * 2 < parts[0].get("observed.window", 0):
            del parts[-1]
    return by_mount


class ReportError(Exception):
    """The document is not a report that can be compared; the message says why."""


class ReportedConclusion(NamedTuple):
    id: str
    kind: str
    title: str
    says: str
    evidence: tuple[str, ...]


class ReportedMount(NamedTuple):
    """`facts`: the quantities that are numbers; `parts`: those of each part of the window, if it has parts."""

    target: str
    source: str
    since_mount: bool
    facts: Mapping[str, int]
    seconds: float | None = None
    options: Mapping[str, str] = {}
    parts: tuple[Mapping[str, int], ...] = ()
    conclusions: tuple[ReportedConclusion, ...] = ()
    notes: tuple[ReportedConclusion, ...] = ()

    @property
    def drawn(self) -> dict[str, ReportedConclusion]:
        """All but mere notes, by id."""
        return {each.id: each for each in (*self.conclusions, *self.notes) if each.kind != "note"}

    @property
    def part_length(self) -> float:
        """In milliseconds, on average; 0 without parts."""
        lengths = self.values("observed.window")
        return sum(lengths) / len(lengths) if lengths else 0.0

    def values(self, quantity: str) -> list[int]:
        """The quantity in each part that has it."""
        return [part[quantity] for part in self.parts if quantity in part]


class _ReportedWindow(NamedTuple):
    mounts: tuple[ReportedMount, ...]


def reported_mounts(document: object) -> list[ReportedMount]:
    """The mounts of a document. Raises ReportError."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        schema = document.get("schema") if isinstance(document, dict) else None
        raise ReportError(f'its schema is {schema!r}' if isinstance(schema, str) else f'it has no "schema": "{SCHEMA}"')
    try:
        return [*read_record(_ReportedWindow, document, _READERS).mounts]
    except FormatError as why:
        raise ReportError(f"its {why}") from None


def _numbers(data: object) -> object:
    """Those of an object's values that are whole numbers."""
    if not isinstance(data, dict):
        raise FormatError("is not an object")
    numbers = {name: value for name, value in data.items() if isinstance(value, int) and not isinstance(value, bool)}
    if any(value < 0 for value in numbers.values()):
        raise FormatError("has a number below 0")
    return numbers


_READERS: Readers = {
    "ReportedMount": ReportedMount, "ReportedConclusion": ReportedConclusion, "Mapping[str, int]": _numbers,
}


class ComparedNumber(NamedTuple):
    """A number in both windows. `parts`: it was judged by their parts, not by an assumed spread."""

    quantity: str
    before: int
    after: int
    changed: bool
    parts: bool


class ConclusionChange(NamedTuple):
    """A conclusion of only one of the windows. `beyond`: a number that it rests on changed beyond the noise, or it is
    about an event, not an average."""

    id: str
    title: str
    says: str
    beyond: bool


class ComparedMount(NamedTuple):
    """`why_not`: why its numbers were not compared, "" if they were. `settings`: name, and value before and after,
    None if it was not set. `gone`, `new`, `still`: conclusions."""

    target: str
    before: ReportedMount | None
    after: ReportedMount | None
    why_not: str
    settings: Sequence[tuple[str, str | None, str | None]] = ()
    numbers: Sequence[ComparedNumber] = ()
    gone: Sequence[ConclusionChange] = ()
    new: Sequence[ConclusionChange] = ()
    still: Sequence[str] = ()

    @property
    def changed(self) -> list[ComparedNumber]:
        return [number for number in self.numbers if number.changed]


def compare(before: Iterable[ReportedMount], after: Iterable[ReportedMount]) -> list[ComparedMount]:
    """The mounts of the later window in its order, then those that only the earlier one has."""
    earlier, later = _by_target(before), _by_target(after)
    pairs = [(earlier.get(key), mount) for key, mount in later.items()]
    tests = sum(len(_comparable(old, new)) for old, new in pairs if old and not _why_not(old, new))
    return [
        *(_compared_mount(old, new, tests) for old, new in pairs),
        *(ComparedMount(mount.target, mount, None, "It is not mounted now.") for key, mount in earlier.items()
          if key not in later),
    ]


def _by_target(mounts: Iterable[ReportedMount]) -> dict[tuple[str, int], ReportedMount]:
    """The mounts by target and number, because several may have one target; the source may differ between the
    windows."""
    seen: dict[str, int] = {}
    by_target = {}
    for mount in mounts:
        number = seen[mount.target] = seen.get(mount.target, -1) + 1
        by_target[mount.target, number] = mount
    return by_target


def _compared_mount(old: ReportedMount | None, new: ReportedMount, tests: int) -> ComparedMount:
    if old is None:
        return ComparedMount(new.target, None, new, "It was not mounted before.")
    before, after = _settings(old), _settings(new)
    settings = [(name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))
                if before.get(name) != after.get(name)]
    why_not = _why_not(old, new)
    if why_not:
        return ComparedMount(new.target, old, new, why_not, settings)
    numbers = [_compared_number(quantity, old, new, tests) for quantity in _comparable(old, new)]
    changed = {number.quantity for number in numbers if number.changed}
    return ComparedMount(
        new.target, old, new, "", settings, numbers, _only_in(old, new, changed), _only_in(new, old, changed),
        [conclusion.title for name, conclusion in new.drawn.items() if name in old.drawn],
    )


def _why_not(old: ReportedMount, new: ReportedMount) -> str:
    for mount, which, when in ((old, "earlier", "before"), (new, "present", "now")):
        if mount.since_mount:
            return (f"The {which} numbers are averages since it was mounted, whose noise is unknown; watch it for a "
                    "while (advisor observe --for 60s) both times.")
        if not mount.facts.get("observed.calls"):
            return f"It had no calls {when}."
    return ""


def _comparable(old: ReportedMount, new: ReportedMount) -> list[str]:
    """The quantities that both windows have and that are large enough in one of them."""
    return [name for name, comparison in COMPARED.items()
            if name in old.facts and name in new.facts and max(old.facts[name], new.facts[name]) >= comparison.least]


def _settings(mount: ReportedMount) -> Mapping[str, str]:
    observed = {title: str(mount.facts[name]) for name, title in SETTINGS.items() if name in mount.facts}
    return {"source": mount.source, **mount.options, **observed}


def _compared_number(quantity: str, old: ReportedMount, new: ReportedMount, tests: int) -> ComparedNumber:
    before, after = old.facts[quantity], new.facts[quantity]
    first, last = old.values(quantity), new.values(quantity)
    alike = old.part_length <= new.part_length * _ALIKE and new.part_length <= old.part_length * _ALIKE
    parts = alike and least_chance(len(first), len(last)) <= LEVEL / tests
    if parts:
        rising = sum(late > early for late in last for early in first) > len(first) * len(last) / 2
        beyond = chance(first, last) <= LEVEL / tests and rising == (after > before)
    else:
        comparison = COMPARED[quantity]
        errors = [assumed_error(comparison.kind, mount.facts[quantity], mount.facts.get(comparison.calls, 0))
                  for mount in (old, new)]
        beyond = abs(after - before) > deviations(tests) * sum(error**2 for error in errors) ** 0.5
    large = abs(after - before) >= LEAST * max(before, after) > 0
    return ComparedNumber(quantity, before, after, beyond and large, parts)


def _only_in(mount: ReportedMount, other: ReportedMount, changed: set[str]) -> list[ConclusionChange]:
    return [
        ConclusionChange(name, conclusion.title, conclusion.says,
                         conclusion.kind == "trouble" or bool(changed & set(conclusion.evidence)))
        for name, conclusion in mount.drawn.items() if name not in other.drawn
    ]


def chance(before: Sequence[float], after: Sequence[float]) -> float:
    """The two-sided p-value of the ranked parts. Ties count for neither side, which can only make it larger."""
    if not before or not after:
        return 1.0
    more = sum(new > old for new in after for old in before)
    less = sum(new < old for new in after for old in before)
    ways = _ways(len(before), len(after))
    return min(1.0, 2 * sum(ways[max(more, less) :]) / sum(ways))


def least_chance(before: int, after: int) -> float:
    """The smallest value that chance() can have with this many parts."""
    return min(1.0, 2 / math.comb(before + after, after)) if before and after else 1.0


@lru_cache(maxsize=64)
def _ways(before: int, after: int) -> tuple[int, ...]:
    """Number of wins → orders of all parts in which the later window wins this many pairs."""
    ways = [1] + [0] * (before * after)
    for factor in range(1, after + 1):  # the product of (1 - x^(before+factor)) / (1 - x^factor)
        for at in range(len(ways) - 1, before + factor - 1, -1):
            ways[at] -= ways[at - before - factor]
        for at in range(factor, len(ways)):
            ways[at] += ways[at - factor]
    return tuple(ways)


def deviations(tests: int) -> float:
    """How many standard deviations count as a change, with this many numbers compared."""
    return NormalDist().inv_cdf(1 - LEVEL / (2 * max(tests, 1)))


def assumed_error(kind: str, value: float, calls: float) -> float:
    """The standard error to assume for a number that was counted over this many calls. `kind`: "count" for a rate,
    "share" for per mille of the calls, "mean" for the mean of a time, length or size."""
    if calls <= 0:
        return math.inf
    if kind == "share":
        share = min(max(value / 1000, 1 / calls), 1 - 1 / calls) if calls > 2 else 0.5
        return 1000 * math.sqrt(share * (1 - share) * BUNCH / calls)
    return value * math.sqrt(BUNCH / calls) * (1.0 if kind == "count" else SPREAD)
