"""Changes of a host: its files with the linter's fixes, and values that are set at once, with the commands to undo
this."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.fix import fix_text

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.check.settings import SetValue
    from advisor.host.probe import ProbedHost
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result

Lint = Callable[["HostText"], tuple["Result", list["Finding"]]]
"""Lints a file; returns the result, and those of its findings that are reported."""


class EditedFile(NamedTuple):
    """A file and its new text. `left`: line and rule of the findings that remain."""

    file: HostText
    text: str
    left: frozenset[tuple[int, str]]


def edit_files(
    files: Iterable[HostText], lint: Lint, safeties: frozenset[str], kinds: Container[str]
) -> list[EditedFile]:
    """The files of these kinds below /etc that fixes change. Other files belong to a package; a file in a report is
    skipped, because it may have lost its comments."""
    edited = []
    for file in files:
        if file.host_file.kind not in kinds or not file.path.startswith("/etc/") or file.name != file.path:
            continue

        def judge(text: str, file: HostText = file) -> tuple[list[Finding], list[Finding]]:
            result, findings = lint(file._replace(text=text))
            return result.findings, findings

        fixed = fix_text(file.text, judge, safeties, fstab=file.host_file.kind == "fstab")
        if fixed.text != file.text:
            _, left = lint(file._replace(text=fixed.text))
            edited.append(EditedFile(file, fixed.text, frozenset((finding.line, finding.rule) for finding in left)))
    return edited


_READ_AHEAD = "bdi.read_ahead_kb"
_NFSRAHEAD = "nfs.conf.nfsrahead."


class Change(NamedTuple):
    """A value to set at once. `apply`, `undo`: commands; `place`: the file that contains `value` afterwards."""

    tunable: str
    apply: str
    undo: str
    place: str
    value: str


def changes(probed: ProbedHost, last: Mapping[str, SetValue], concerned: Container[str]) -> Iterator[Change]:
    """The changes from the values in effect to those that files set. `last`: tunable → the value that files set;
    `concerned`: the tunables to change."""
    yield from _read_ahead(probed, last)
    for tunable, setting in last.items():
        now, wanted = probed.settings.get(tunable), " ".join(setting.value.split())
        if tunable not in concerned or now is None or str(now.value) == wanted:
            continue
        kind, _, name = tunable.partition(".")
        if kind == "sysctl":
            apply, undo = (f"sysctl -w {shlex.quote(f'{name}={value}')}" for value in (wanted, now.value))
            yield Change(tunable, apply, undo, f"/proc/sys/{name.replace('.', '/')}", wanted)
        elif kind == "module" and f"sysctl.{name}" not in last:  # sysctl.d is applied later, and wins
            place = "/sys/module/{}/parameters/{}".format(*name.partition(".")[::2])
            yield _write_change(tunable, place, wanted, str(now.value))


def _read_ahead(probed: ProbedHost, last: Mapping[str, SetValue]) -> Iterator[Change]:
    """Sets the read-ahead of existing mounts, because udev rules and nfsrahead apply only to later ones."""
    for mount in probed.mounts:
        asked = (last.get(name) for name in (_READ_AHEAD, f"{_NFSRAHEAD}{mount.fstype}", f"{_NFSRAHEAD}default"))
        wanted = next((setting.value for setting in asked if setting is not None and setting.value.isdigit()), None)
        now = mount.read_ahead_kb
        if wanted is not None and now is not None and str(now.value) != wanted:
            yield _write_change(_READ_AHEAD, f"/sys/class/bdi/{mount.device}/read_ahead_kb", wanted, str(now.value))


def _write_change(tunable: str, place: str, wanted: str, now: str) -> Change:
    apply, undo = (f"now {shlex.quote(value)} {shlex.quote(place)}" for value in (wanted, now))
    return Change(tunable, apply, undo, place, wanted)
