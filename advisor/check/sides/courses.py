"""The courses that things may take where a mount meets its server: the settings of both, and words for messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.clients import NETWORK, admits, mask_of
from advisor.check.sides.exports import BY_FLAVOUR, Exported
from advisor.host import Unread
from advisor.options.reading import Setting

if TYPE_CHECKING:
    from advisor.check.sides.addresses import Address
    from advisor.check.sides.paths import Reply
    from advisor.check.sides.side import ClientMount, Side
    from advisor.rulebase.model.types import Value

KEYTAB, VERSIONS, PORTS = "/etc/krb5.keytab", "/proc/fs/nfsd/versions", "/proc/fs/nfsd/portlist"
_ALL = ("3", "4.0", "4.1", "4.2")


class Course(NamedTuple):
    """`settings`: of both sides, and `sides.…`, as checks name them; `words`: for their messages. `export`: that
    answers, or of which the reply speaks."""

    settings: Mapping[str, Setting]
    words: Mapping[str, str]
    export: Exported | None

    @property
    def reply(self) -> str:
        return str(self.settings["sides.reply"].value)


class Courses:
    """Makes the ways of a mount whose client speaks from this address; None: it is not known."""

    def __init__(self, mount: ClientMount, server: Side, address: Address | None) -> None:
        self.mount, self.server, self.address = mount, server, address

    def of(self, version: str, reply: Reply, flavour: str = "") -> Course:
        """The way with this version and security flavour; "" where the export refuses those of the mount."""
        export, mount = reply.export, self.mount
        found: dict[str, Value] = {"sides.reply": reply.how, "sides.version": version or None}
        words = {
            "source": mount.words, "path": reply.path, "asked": mount.source.export, "host": mount.source.host,
            "server": self.server.title, "client": mount.client.title, "vers": version, "other": reply.other,
            "address": self.address.text if self.address is not None else "", "flavour": flavour,
            "offered": listed([one for one in _ALL if offers(self.server, one) is not False]),
        }
        if export is not None:
            words |= {
                "export": export.path, "allowed": export.client, "place": export.place,
                "flavours": ":".join(export.flavours),
                "clients": listed(sorted({one.client for one in self.server.exports.of[export.path]})),
            }
        if reply.passed is not None:
            words |= {"inner": reply.passed.path, "inner_place": reply.passed.place}
        if export is not None and reply.how == "mounted":
            rival, twin = self._rival(export), self._twin(export)
            found |= {
                **export.options, **export.flavours.get(flavour, {}), "exports.sec": words["flavours"],
                "sides.flavour": flavour or "refused", "sides.keytab": has_keytab(mount.client),
                "sides.server_keytab": has_keytab(self.server),
                "sides.passed": _passed(reply), "sides.first": rival, "sides.shared": twin,
            }
            words |= {"rival": rival or "", "twin": twin or ""}
        if self.server.ganesha is None:
            found["sides.transport"], found["sides.port"] = _transport(mount, self.server), _port(mount, self.server)
        words["port"] = str(found.get("sides.port") or "")
        line = {name: Setting(value, "", 0, 0, str(value)) for name, value in found.items() if value is not None}
        return Course({**line, **mount.settings}, words, export)

    def _rival(self, export: Exported) -> str | None:
        """The place of an export of the same path to a narrower network that holds the client too, and comes later."""
        wide = mask_of(export.client) if export.kind == NETWORK else None
        if self.address is None or wide is None:
            return None
        for one in self.server.exports.of[export.path]:
            narrow = mask_of(one.client) if one.kind == NETWORK else None
            if narrow is None or narrow <= wide or one.alike(export, BY_FLAVOUR):
                continue
            if admits(one.client, self.address, self.server.hosts):
                return one.place
        return None

    def _twin(self, export: Exported) -> str | None:
        """The path of an export with the same number, which comes before this one."""
        first = self.server.exports.numbered.get((export.kind, export.fixed() or ""))
        return first.path if first is not None and first.path != export.path else None


def offers(server: Side, version: str) -> bool | None:
    """Whether a server offers a version: as nfsd says, or nfs.conf; None where neither speaks of it, and for
    NFS-Ganesha, whose exports each have their own."""
    if server.ganesha is not None:
        return None
    try:
        words = server.tree.text(VERSIONS).split()
    except Unread:
        words = []
    major = version.partition(".")[0]
    if f"+{major}" in words or f"-{major}" in words:
        return f"+{major}" in words and f"-{version}" not in words
    for name in dict.fromkeys((f"nfs.conf.nfsd.vers{major}", f"nfs.conf.nfsd.vers{version}")):
        put = server.settings.get(name)
        if put is not None and put.value == "n" and server.seen("nfs-conf"):
            return False
    return None


def has_keytab(side: Side) -> bool | None:
    """Whether the host has keys for Kerberos; None where that was not collected."""
    try:
        return side.tree.exists(KEYTAB)
    except Unread:
        return None


def _value(mount: ClientMount, name: str) -> str:
    """What a mount has, or asks for, of an option; "" where that is the default."""
    written = mount.settings.get(f"mount.{name}")
    return str(mount.now.get(name) or ("" if written is None else written.value))


def _transport(mount: ClientMount, server: Side) -> str | None:
    """`refused`, where the server is certainly not there over UDP or TCP."""
    wanted = "udp" if _value(mount, "proto").startswith("udp") else "tcp"
    try:
        ports = server.tree.text(PORTS).split("\n")
    except Unread:
        ports = []
    if any(ports):
        return None if any(one.startswith((wanted, "rdma")) for one in ports) else "refused"
    put = server.settings.get(f"nfs.conf.nfsd.{wanted}")
    return "refused" if put is not None and put.value == "n" and server.seen("nfs-conf") else None


def _port(mount: ClientMount, server: Side) -> str | None:
    """The port of the server, where the mount certainly goes to another one."""
    wanted, put = _value(mount, "port"), server.settings.get("nfs.conf.nfsd.port")
    there = "" if not server.seen("nfs-conf") else "2049" if put is None else str(put.value)
    usual = "2049" if not wanted and _value(mount, "vers").startswith("4") else wanted
    return there if usual.isdigit() and usual != "0" and there.isdigit() and usual != there else None


def _passed(reply: Reply) -> str | None:
    """In what an export that the client never gets to differs from the one around it."""
    one, other = reply.passed, reply.export
    if one is None or other is None:
        return None
    differ = [name.partition(".")[2] for name in BY_FLAVOUR if not one.alike(other, (name,))]
    if [*one.flavours] != [*other.flavours]:
        differ = ["sec"]
    return " ".join(differ) or None


def listed(words: Sequence[str]) -> str:
    """Words as a sentence has them: "3, 4.1 and 4.2"."""
    *others, last = words or ("none",)
    return f"{', '.join(others)} and {last}" if others else last
