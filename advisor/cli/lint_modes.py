"""What `advisor lint` does besides judging, loaded when it is asked for: the files of a folder; --fix, --unsafe-fixes
and --diff; --watch; and --show-config."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import Optional

from advisor.cli.findings import Chooser, Settings
from advisor.cli.terminal import CannotRun, refuse_on, warn
from advisor.files.libmount import as_bytes
from advisor.files.mountinfo import NFS
from advisor.files.mountinfo import read as read_mountinfo
from advisor.lint.finding import Finding
from advisor.lint.fix import Fixed, fix_text
from advisor.lint.fix_write import unified, write
from advisor.lint.lines import Result
from advisor.named_tuple import grouped
from advisor.pages.style import visible
from advisor.user_files import WriteError, flatten

Row = tuple[str, object, str]
"""Key, value, and where it is from."""

JudgeText = Callable[[str], "tuple[Result, list[Finding]]"]
"""A text → its result, and the findings to report."""

INTERVAL = 0.5
"""Seconds between two polls of the named files. Polling works on every file system."""
CLEAR = "\x1b[2J\x1b[3J\x1b[H"

MOUNTS = Path("/proc/self/mountinfo")
REMOTE = (*NFS, "autofs", "cifs", "smb3")
"""Types of mounts of which no folder is entered: a server that is away would stop the program."""

Mark = Optional[tuple[int, int, int]]
DEFAULT = "default"


def files_in(folder: str, is_read: Callable[[str], bool]) -> list[str]:
    """The files in this folder and below it that `is_read` says are of a kind that lint reads, in order of their
    names. Symbolic links, .git and what servers hold are left out. How many files were passed over is said; CannotRun
    if all were."""
    try:
        mounts = read_mountinfo(MOUNTS.read_bytes()).mounts
    except OSError:  # not Linux
        mounts = ()
    away = {mount.target for mount in mounts if mount.fstype in REMOTE}
    found: list[str] = []
    passed = dict.fromkeys(("of no kind that lint reads", "that cannot be opened"), 0)
    unknown, closed = passed
    for here, folders, _ in os.walk(folder):
        top = os.path.realpath(here)
        folders[:] = sorted(name for name in folders if name != ".git" and f"{top}/{name}" not in away)
        for path in sorted(entry.path for entry in os.scandir(here) if entry.is_file(follow_symlinks=False)):
            try:
                if is_read(path):
                    found.append(path)
                else:
                    passed[unknown] += 1
            except OSError:
                passed[closed] += 1
    said = ", ".join(f"{number} {what}" for what, number in passed.items() if number)
    if not found:
        raise CannotRun(f"{folder}: holds no file of a kind that lint reads" + (f" ({said})" if said else ""))
    if said:
        warn(f"{folder}: files passed over: {said}")
    return found


def fix_file(
    args: argparse.Namespace, name: str, content: bytes, judge_text: JudgeText, *, fstab: bool, piped: bool
) -> tuple[Result, list[Finding]]:
    """Fix one file as the options ask, and return its result and remaining findings.

    `piped`: the content came from standard input, and the fixed text goes to standard output, whatever the name.
    With --diff nothing is written, and the findings in the unchanged file are returned."""

    def judge(text: str) -> tuple[Sequence[Finding], Sequence[Finding]]:
        result, findings = judge_text(text)
        return result.findings, findings

    before = content.decode("utf-8", "surrogateescape")
    safeties = frozenset(("safe", "unsafe") if args.unsafe_fixes else ("safe",))
    fixed = fix_text(before, judge, safeties, fstab=fstab)
    if args.diff:
        pieces = unified(visible(name), before, fixed.text)
        if sys.stdout.isatty():
            sys.stdout.writelines("\n".join(map(visible, piece.split("\n"))) for piece in pieces)
        else:
            _write_bytes(as_bytes("".join(pieces)))
        warn(f"{name}: {_fix_count(fixed, 'would be made')}")
        return judge_text(before)
    remarks: Sequence[str] = ()
    if piped:
        _write_bytes(as_bytes(fixed.text))
    elif fixed.text != before:
        with refuse_on(WriteError):
            remarks = write(name, content, as_bytes(fixed.text))
    warn("; ".join([f"{name}: {_fix_count(fixed, 'made')}", *remarks]))
    return judge_text(fixed.text)


def _fix_count(fixed: Fixed, done: str) -> str:
    number = len(fixed.done)
    text = f"{number or 'no'} {'fix' if number == 1 else 'fixes'} {done}"
    if fixed.refused:
        rules = ", ".join(dict.fromkeys(finding.rule for finding in fixed.refused))
        text += f"; {len(fixed.refused)} left out, because they would improve nothing ({rules})"
    return text


def _write_bytes(content: bytes) -> None:
    """Bytes to standard output, whatever its encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def watch(
    files: Sequence[str], look: Callable[[], object], wait: Callable[[float], None] = time.sleep,
    rounds: int | None = None,
) -> int:
    """Call `look` now, and again after each change of one of the files. A file that is missing or cannot be read for a
    moment, as while an editor replaces it, does not end this; Ctrl-C does, with exit code 130.

    `wait` and `rounds` (how often the files are looked at) are for tests."""
    gc.enable()
    seen: list[Mark] | None = None
    try:
        for _ in repeat(None) if rounds is None else repeat(None, rounds):
            now = [mark(file) for file in files]
            if now != seen:
                seen = now
                _round(look)
            wait(INTERVAL)
    except KeyboardInterrupt:
        return 130
    return 0


def _round(look: Callable[[], object]) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(CLEAR)
    try:
        look()
    except CannotRun as error:
        for line in error.lines:
            warn(line)
    sys.stdout.flush()


def mark(file: str) -> Mark:
    """A value that changes when the file does: (mtime, size, inode); None if it has no status."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def show_config(chooser: Chooser, names: Sequence[str]) -> None:
    """Print the settings of these files as TOML, with the origin of each as a comment. Files with the same settings
    are shown once; each group is a complete TOML document."""
    groups = grouped((tuple(where for where, _ in chooser.config.tables(name)), name) for name in names)
    config = chooser.config.name
    lines = [f"# configuration: {'none' if config is None else visible(config)}"]
    for several in groups.values():
        lines += ["", *(f"# {visible(name)}" for name in several), *_group(chooser, several[0])]
    sys.stdout.write("\n".join(lines) + "\n")


def _group(chooser: Chooser, name: str) -> Iterator[str]:
    settings = chooser.of(name)
    yield from _table(_keys(chooser, name, settings))
    facts = [(fact, value, _origin(chooser, name, fact)) for fact, value in sorted(settings.known.items())]
    if facts:
        yield from ("", "[facts]", *_table(facts))
    levels = {
        rule: (level, where)
        for where, table in chooser.config.tables(name) for rule, level in table.get("severity", {}).items()
    }
    if levels:
        yield from ("", "[severity]", *_table((rule, level, where) for rule, (level, where) in levels.items()))
    for section in settings.sections:
        yield from ("", f"[[mounts]]  # {visible(section.place)}")
        for key, value in (*section.names.items(), *section.facts.items()):
            yield f"{_name(key)} = {_value(value)}"


def _keys(chooser: Chooser, name: str, settings: Settings) -> Iterator[Row]:
    """The keys other than tables. Unset lists and files are left out."""
    args, config = chooser.args, chooser.config
    keys: dict[str, object] = {}
    origins: dict[str, str] = {}
    for where, table in config.tables(name):
        for key, value in table.items():
            keys[key] = value
            origins[key] = f"{origins[key]} and {where}" if key == "ignore" and key in origins else where
    rules = [config.beside(folder) for folder in config.data.get("rules", ())]
    baseline = config.beside(config.data["baseline"]) if "baseline" in config.data else None
    pedantic = keys.get("pedantic", False) if args.pedantic is None else args.pedantic
    for key, value, option in (
        ("select", settings.wanted, args.select),
        ("ignore", settings.unwanted, args.ignore),
        ("min_severity", settings.min_severity, args.min_severity),
        ("fail_on", settings.fail_on, args.fail_on),
        ("pedantic", pedantic, args.pedantic),
        ("profile", chooser.profiles or keys.get("profile", ()), args.profile),
        ("rules", args.rules or rules, args.rules),
        ("baseline", args.baseline or baseline, args.baseline),
    ):
        if value not in (None, (), []):
            given = option is not None and option != []
            flag = "no-pedantic" if option is False else key.replace("_", "-")
            yield key, value, f"--{flag}" if given else origins.get(key, DEFAULT)


def _origin(chooser: Chooser, name: str, fact: str) -> str:
    args = chooser.args
    if fact in chooser.given:
        is_set = any(assignment.partition("=")[0].strip() == fact for assignment in args.facts_set)
        return "--set" if is_set else str(args.facts)
    for where, table in reversed(list(chooser.config.tables(name))):
        if fact in flatten(table.get("facts", {})):
            return where
    return "this host" if args.from_host and not args.root else str(args.root)


def _table(rows: Iterable[Row]) -> Iterator[str]:
    """Lines of TOML with their origins one below the other."""
    written = [(f"{_name(key)} = {_value(value)}", where) for key, value, where in rows]
    widest = max((len(text) for text, _ in written), default=0)
    return (f"{text:<{widest}}  # {visible(where)}" for text, where in written)


def _name(key: str) -> str:
    """A key of TOML: in quotes where it holds more than letters, digits, - and _."""
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else _value(key)


def _value(value: object) -> str:
    """A value in TOML, with control characters escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text) + '"'
