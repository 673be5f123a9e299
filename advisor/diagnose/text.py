"""Splits a pasted text into lines, and redacts text before it is shown: secrets always; addresses, host names and users
on request. Lines lose code fences, quote marks of mail, prompts and escape codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from advisor.named_tuple import NamedTuple
from advisor.rulebase.words import printable

_TIMES = (
    re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"),
    re.compile(r"(?:[A-Z][a-z][a-z] )?[A-Z][a-z][a-z] [ \d]?\d \d\d:\d\d:\d\d(?: \d{4})?"),
    re.compile(r"\[ {0,8}\d{1,9}\.\d{6}\]"),
)
"""ISO 8601; syslog, journalctl and dmesg -T; dmesg."""
_PROMPTS = ("#", "$", "%")
_LEAD = 80
"""Characters in which a line's time or prompt ends."""
_SECRET = re.compile(r"(?i)\b(pass(?:word|wd|phrase)?|pw|secret|token|credentials?|api[_-]?key|sig)([=:] ?)[^\s,;&]+")
_IPV4 = re.compile(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b")
_IPV6 = re.compile(r"\b[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]{2,34}\b|(?<![\w:])::[0-9A-Fa-f]{1,4}\b")
_NAME = re.compile(r"[\w.-]+")
_SOURCE = re.compile(r"(?<![\w.:/-])([A-Za-z0-9][\w-]{0,62})(?=:/)")
_USER = re.compile(r"\b[\w.-]{1,40}@(?=[\w.-])|(?<=/home/)[\w.-]{1,40}")
_KEPT = (
    "mount.", "umount.", "rpc.", "nfs-", "nfsd.", "kernel.", "exports.", "idmapd.conf", "nfs.conf", "nfsmount.conf",
)
"""Programs, files and settings that look like the name of a host."""
_FORMS = (("user", _USER), ("address", _IPV4), ("address", _IPV6), ("server", _SOURCE), ("host", _NAME))
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_MASKS = ("address-", "host-", "user-")


class PastedLine(NamedTuple):
    """`number`: in the text, from 1. `text`: of the line, cleaned. `fenced`: it is in a block of code."""

    number: int
    text: str
    fenced: bool = False


def pasted_lines(text: str) -> Iterator[PastedLine]:
    """The lines of a text. What a program has put into one line with \\n is several, with one number."""
    fenced = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = printable(raw)
        while line.startswith(("> ", ">>")) or line == ">":  # of mail; a redirection has a command before it
            line = line[1:].removeprefix(" ")
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            yield PastedLine(number, "", fenced)
            continue
        parts = line.replace("\\r", "").replace('\\"', '"').split("\\n") if "\\n" in line else [line]
        for part in parts:
            yield PastedLine(number, without_prompt(part).rstrip(), fenced)


def without_prompt(line: str) -> str:
    """The line without a shell's prompt. A lone number sign is kept, because it begins a comment in files."""
    bare = line.lstrip()
    if bare.startswith("$ "):
        return bare[2:]
    head, bracket, rest = bare[:_LEAD].partition("]") if bare.startswith("[") else ("", "", bare)
    if bracket and "@" in head and rest[:1] in _PROMPTS:
        return bare[len(head) + 2 :].lstrip()  # [root@host ~]#
    user, at, place = bare[:_LEAD].partition("@")
    end = min((position for mark in _PROMPTS if (position := place.find(mark)) >= 0), default=-1)
    if at and end >= 0 and ":" in place[:end] and not any(map(str.isspace, user + place[:end])):
        return place[end + 1 :].lstrip() + bare[_LEAD:]  # root@host:~#
    return line


def time_of(line: str) -> str | None:
    """The time at the start of a line, as written; None if there is none."""
    head = line[:_LEAD]
    for form in _TIMES:
        match = form.search(head)
        if match:
            return match[0].strip("[] ")
    return None


def _is_host(name: str) -> bool:
    """Whether a word looks like a host name: parts between dots, the last of letters."""
    parts = name.split(".")
    known = name.lower().startswith(_KEPT)
    return len(parts) > 1 and all(parts) and parts[-1].isalpha() and len(parts[-1]) > 1 and not known


def without_secrets(text: str) -> str:
    """The text without what follows password=, token= and the like."""
    return _SECRET.sub(r"\1\2…", text)


class Masks:
    """Masks addresses, hosts and users, the same one with the same mask in the whole report. `names`: further host
    names, which do not look like one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._given: dict[str, dict[str, str]] = {}
        self._names = {name.lower() for name in names}

    def __call__(self, text: str) -> str:
        """The text with users, hosts and addresses masked."""
        text = without_secrets(text)
        for kind, form in _FORMS:
            text = form.sub(self._masked(kind), text)
        return text

    def _masked(self, kind: str) -> Callable[[re.Match[str]], str]:
        def mask(match: re.Match[str]) -> str:
            name = match[0]
            if name.startswith(_MASKS):
                return name
            if kind == "host" and name.lower() not in self._names and not _is_host(name):
                return name
            if kind == "address" and _TIME.fullmatch(name):
                return name
            word = "host" if kind == "server" else kind
            known = self._given.setdefault(word, {})
            mask = known.setdefault(name.lower().rstrip("@"), f"{word}-{len(known) + 1}")
            return mask + ("@" if name.endswith("@") else "")

        return mask
