"""Values in effect that are set at once, and go back to what they were."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.check.settings import SetValue
    from advisor.host.probe import Probed

_READ_AHEAD = "bdi.read_ahead_kb"
_NFSRAHEAD = "nfs.conf.nfsrahead."


class Change(NamedTuple):
    """`apply` and `undo`: commands; `place`: where `value` is seen then."""

    tunable: str
    apply: str
    undo: str
    place: str
    value: str


def changes(probed: Probed, last: Mapping[str, SetValue], concerned: Container[str]) -> Iterator[Change]:
    """For each of these tunables the step from what is in effect to what the files say. `last`: what they say."""
    yield from _read_ahead(probed, last)
    for tunable, one in last.items():
        now, wanted = probed.settings.get(tunable), " ".join(one.value.split())
        if tunable not in concerned or now is None or str(now.value) == wanted:
            continue
        kind, _, name = tunable.partition(".")
        if kind == "sysctl":
            apply, undo = (f"sysctl -w {shlex.quote(f'{name}={value}')}" for value in (wanted, now.value))
            yield Change(tunable, apply, undo, f"/proc/sys/{name.replace('.', '/')}", wanted)
        elif kind == "module" and f"sysctl.{name}" not in last:  # that file is applied later, and holds
            place = "/sys/module/{}/parameters/{}".format(*name.partition(".")[::2])
            yield _written(tunable, place, wanted, str(now.value))


def _read_ahead(probed: Probed, last: Mapping[str, SetValue]) -> Iterator[Change]:
    """A rule of udev, and nfsrahead which it may ask, are for what is mounted from now on."""
    for mount in probed.mounts:
        asked = (last.get(name) for name in (_READ_AHEAD, f"{_NFSRAHEAD}{mount.fstype}", f"{_NFSRAHEAD}default"))
        wanted = next((one.value for one in asked if one is not None and one.value.isdigit()), None)
        now = mount.read_ahead_kb
        if wanted is not None and now is not None and str(now.value) != wanted:
            yield _written(_READ_AHEAD, f"/sys/class/bdi/{mount.device}/read_ahead_kb", wanted, str(now.value))


def _written(tunable: str, place: str, wanted: str, now: str) -> Change:
    apply, undo = (f"now {shlex.quote(value)} {shlex.quote(place)}" for value in (wanted, now))
    return Change(tunable, apply, undo, place, wanted)
