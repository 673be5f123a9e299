"""Redacts text before it is shown: secrets always; addresses, host names and users on request."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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

    def __init__(self, names: Iterable[str] = ()) -> None:
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
