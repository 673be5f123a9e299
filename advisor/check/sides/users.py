"""Users of a client and of its server, as their files name them: who has another number on the server, and whom a
server that looks up groups itself does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.courses import listed
from advisor.host import Unread

if TYPE_CHECKING:
    from advisor.check.sides.meet import Meeting
    from advisor.check.sides.side import Side

PASSWD, GROUP, SWITCH = "/etc/passwd", "/etc/group", "/etc/nsswitch.conf"
MANAGE_GIDS = "nfs.conf.mountd.manage-gids"
PEOPLE = range(1000, 60000)
"""Numbers that are given to people; those below are for services, which each distribution numbers in its own way."""
_LOCAL = {"files", "compat", "systemd", "altfiles"}
"""Sources of users that hold none but this host's own."""
_NAMED = 3
"""Users that a message names."""


class Users(NamedTuple):
    """`numbers`: of people, by name. `joined`: names that are members of groups beside their own. `all_local`: whether
    the host certainly has no users but those of its files."""

    numbers: Mapping[str, int]
    joined: frozenset[str]
    all_local: bool


def users(side: Side) -> Users | None:
    """The users in a host's files; None where they were not collected."""
    try:
        passwd = side.tree.text(PASSWD)
    except Unread:
        return None
    numbers = {
        fields[0]: int(fields[2]) for fields in _fields(passwd, 3) if fields[2].isdecimal() and int(fields[2]) in PEOPLE
    }
    members = {name.strip() for fields in _fields(_text(side, GROUP), 4) for name in fields[3].split(",")}
    return Users(numbers, frozenset(members.intersection(numbers)), _all_local(side))


def compare(client: Side, server: Side, meetings: Sequence[Meeting]) -> Iterator[tuple[str, dict[str, str], Meeting]]:
    """What AUTH_SYS makes of the users: what it is, the words of its message, and the mount that shows it."""
    meeting = next((one for one in meetings if sends_numbers(one)), None)
    here, there = (users(client), users(server)) if meeting is not None else (None, None)
    if meeting is None or here is None or there is None:
        return
    others = sorted(name for name, number in here.numbers.items() if there.numbers.get(name, number) != number)
    if others:
        differing = [f"{name} ({here.numbers[name]} and {there.numbers[name]})" for name in others]
        yield "other-numbers", _words(client, server, differing), meeting
    put = server.settings.get(MANAGE_GIDS)
    known = set(there.numbers.values())
    missing = sorted(name for name in here.joined if here.numbers[name] not in known)
    if put is not None and put.value == "y" and there.all_local and missing:
        yield "without-groups", {**_words(client, server, missing), "place": put.place}, meeting


def sends_numbers(meeting: Meeting) -> bool:
    """Whether a mount certainly works with AUTH_SYS, and the server heeds the numbers."""
    return bool(meeting.ways) and all(
        way.reply == "mounted" and way.words["flavour"] == "sys"
        and not ("exports.all_squash" in way.settings and way.settings["exports.all_squash"].value is True)
        for way in meeting.ways
    )


def _words(client: Side, server: Side, names: Sequence[str]) -> dict[str, str]:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return {"users": listed([*names[:_NAMED], *more]), "client": client.title, "server": server.title}


def _all_local(side: Side) -> bool:
    """Whether nsswitch.conf names no source of users but files. Words in brackets say what follows from an answer."""
    for line in _text(side, SWITCH).split("\n"):
        name, colon, sources = line.partition("#")[0].partition(":")
        if colon and name.strip() == "passwd":
            return {one for one in sources.split() if not one.startswith("[")} <= _LOCAL
    return False


def _text(side: Side, path: str) -> str:
    try:
        return side.tree.text(path)
    except Unread:
        return ""


def _fields(text: str, least: int) -> Iterator[list[str]]:
    for line in text.split("\n"):
        fields = line.split(":")
        if len(fields) >= least and not line.startswith(("#", "+", "-")):
            yield fields
