"""Version order of rpm, dpkg and kernel releases, and ranges as people write them (">=5.3 <5.11").

Keys are plain tuples, so a sorted list of them can be bisected.

rpm: `[epoch:]version[-release]`, compared as rpmvercmp does, `~` before and `^` after the base version.
deb: `[epoch:]upstream[-revision]`, compared as dpkg does.
kernel: what `uname -r` prints. 5.3 and 5.3.0 are equal, a release candidate comes before its release, an
architecture at the end (`.x86_64`) does not count, and whatever follows the number is compared as rpm does:
6.1 <= 6.1.0-56-amd64."""

from __future__ import annotations

import re
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    Key = tuple["int | str | Key", ...]


SCHEMES = ("kernel", "rpm", "deb")

_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-~^:_")
"""What the three schemes write versions with. Whatever else stands in one is not a version."""

_RPM_PART = r"[0-9]+|[a-zA-Z]+|[~^]"
_TILDE, _END, _CARET, _WORD, _NUMBER = range(5)  # in rpm's order, oldest first

_DEB_PART = r"([^0-9]*)([0-9]*)"
_DEB_END = ((0,), (0, ""))

_KERNEL = r"(?s)v?([0-9]+(?:\.[0-9]+)*)(?:[-.~](?:0\.)?rc([0-9]+))?(.*)"
_ARCHITECTURE = r"\.(?:x86_64|aarch64|ppc64le|ppc64|s390x|riscv64|i[3-6]86|armv7hl|noarch)$"


def compare(scheme: str, a: str, b: str) -> int:
    """-1, 0 or 1 as `a` is older than, as old as, or newer than `b`. Raises ValueError for what is not a version."""
    left, right = key(scheme, a), key(scheme, b)
    return (left > right) - (left < right)


@lru_cache(maxsize=4096)
def key(scheme: str, text: str) -> Key:
    """A tuple that sorts as the version does. Raises ValueError for an unknown scheme and for what is not a version."""
    text = text.strip()
    if not text or not _LETTERS.issuperset(text):
        raise ValueError(f"{text!r} is not a version")
    if scheme == "kernel":
        return _kernel_key(text)
    if scheme not in ("rpm", "deb"):
        raise ValueError(f"unknown version scheme {scheme!r}")
    epoch, colon, rest = text.partition(":")
    if not colon:
        epoch, rest = "0", text
    if not (epoch.isascii() and epoch.isdigit() and rest):
        raise ValueError(f"{text!r} is not a version")
    if scheme == "rpm":
        version, _, release = rest.partition("-")
        return (*_number(epoch), _rpm_key(version), _rpm_key(release))
    upstream, hyphen, revision = rest.rpartition("-")
    return (*_number(epoch), _deb_key(upstream if hyphen else rest), _deb_key(revision if hyphen else ""))


def _number(digits: str) -> tuple[int, str]:
    """Sorts as the number does, however long (int() refuses thousands of digits)."""
    digits = digits.lstrip("0")
    return len(digits), digits


def _rpm_key(text: str) -> Key:
    parts: list[tuple[int, int, str]] = []
    for part in re.findall(_RPM_PART, text):
        if part == "~":
            parts.append((_TILDE, 0, ""))
        elif part == "^":
            parts.append((_CARET, 0, ""))
        elif part[0].isdigit():
            parts.append((_NUMBER, *_number(part)))
        else:
            parts.append((_WORD, 0, part))
    parts.append((_END, 0, ""))
    return tuple(parts)


def _deb_key(text: str) -> Key:
    parts = [(_deb_letters(letters), _number(digits)) for letters, digits in re.findall(_DEB_PART, text)]
    while len(parts) > 1 and parts[-1] == _DEB_END:  # the first is never left out: "0" is as old as ""
        parts.pop()
    parts.append(_DEB_END)
    return tuple(parts)


def _deb_letters(letters: str) -> tuple[int, ...]:
    """`~` before the end, the end before letters, letters before everything else."""
    return (*(-1 if c == "~" else ord(c) if c.isascii() and c.isalpha() else ord(c) + 256 for c in letters), 0)


def _kernel_key(text: str) -> Key:
    match = re.fullmatch(_KERNEL, text)
    if match is None:
        raise ValueError(f"{text!r} is not a kernel release")
    numbers = [_number(part) for part in match[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == (0, ""):
        numbers.pop()
    candidate = (0, *_number(match[2])) if match[2] else (1, 0, "")
    return (tuple(numbers), candidate, _rpm_key(re.sub(_ARCHITECTURE, "", match[3])))


OPERATORS = (">=", "<=", "==", "!=", ">", "<")


def comparisons(text: str) -> list[tuple[str, str]]:
    """ ">=5.3 <5.11" as [(">=", "5.3"), ("<", "5.11")]; empty for a text that is not a range. May raise ValueError."""
    if not text.lstrip().startswith(("<", ">", "=", "!")):
        return []
    pairs: list[tuple[str, str]] = []
    words = text.split()
    while words:
        word = words.pop(0)
        operator = next((sign for sign in OPERATORS if word.startswith(sign)), "")
        constant = word[len(operator) :] or (words.pop(0) if words else "")
        if not operator or not constant or any(sign in constant for sign in "<>=!"):
            raise ValueError(f"{text!r} is not a range; write comparisons with spaces between them, such as >=3 <8")
        pairs.append((operator, constant))
    return pairs


def following(version: str) -> str:
    """The first version after all that a version stands for. Where it is all numbers it stands for whatever begins so,
    4.18.0 for every build of 4.18.0 and 8 for 8.0 to 8.10. Empty for one build, such as 4.18.0-240.el8."""
    head = version.rstrip("0123456789")
    last = version[len(head) :]
    if not 0 < len(last) < 20 or head.strip("0123456789.:-"):
        return ""
    return head + str(int(last) + 1).zfill(len(last))
