"""The result of a probe, typed; as data for JSON (docs/schema/advisor-probe-1.json), and read from it again."""

from __future__ import annotations

from datetime import date, timedelta

from advisor.named_tuple import NamedTuple, as_data, read_record
from advisor.rulebase.values import NFS_VERSIONS
from advisor.user_files import UserFileError, parse_json

SCHEMA = "advisor-probe/1"
_DAYS = 30
"""How long the answers of a server are used."""


class Asked(NamedTuple):
    """A question. `outcome`: "ok", or a word of `rpc.WORDS`, with what the server said in `detail`."""

    question: str
    outcome: str
    ms: float
    detail: str = ""


class ServerAddress(NamedTuple):
    """`name`: what it resolves back to, "" if to nothing."""

    ip: str
    name: str = ""


class Door(NamedTuple):
    """A TCP port. `outcome`: "open", or a word of `rpc.WORDS`."""

    ip: str
    port: int
    outcome: str
    ms: float


class Registered(NamedTuple):
    """A program that is registered with rpcbind. `protocol`: tcp, tcp6, udp, udp6."""

    program: int
    version: int
    protocol: str
    port: int


class Answering(NamedTuple):
    """A program that was called (NULL). `outcome`: "ok", "unregistered", or a word of `rpc.WORDS`."""

    program: str
    version: int
    port: int
    outcome: str
    detail: str = ""


class ExportedPath(NamedTuple):
    """A line of the export list."""

    path: str
    clients: tuple[str, ...]


class MinorVersion(NamedTuple):
    """A version of NFSv4. `outcome`: "on", "off", or a word of `rpc.WORDS`."""

    version: str
    outcome: str


class Identity(NamedTuple):
    """What the server says of itself to EXCHANGE_ID. `domain`, `implementation`: its implementation id, if any."""

    owner: str
    owner_minor: int
    scope: str
    roles: tuple[str, ...] = ()
    domain: str = ""
    implementation: str = ""


class Grant(NamedTuple):
    """What CREATE_SESSION granted; sizes in bytes."""

    slots: int
    request: int
    response: int
    operations: int
    persistent: bool


class PathStep(NamedTuple):
    """The lookup of one part of the path. `status`: "OK", or the NFSv4 error without NFS4ERR_."""

    name: str
    status: str
    fsid: str = ""


class Attributes(NamedTuple):
    """Of a file system object in NFSv4. `lease`: seconds, the server's; `maxread`, `maxwrite`: bytes; 0: not told."""

    kind: str = ""
    mode: str = ""
    owner: str = ""
    group: str = ""
    fsid: str = ""
    lease: int = 0
    maxread: int = 0
    maxwrite: int = 0


class MountedV3(NamedTuple):
    """What MNT said, and NFSv3 with its file handle. `status`, `getattr`: "OK", or the error. Sizes in bytes."""

    status: str
    flavours: tuple[str, ...] = ()
    getattr: str = ""
    mode: str = ""
    owner: str = ""
    group: str = ""
    rights_known: bool = False
    granted: tuple[str, ...] = ()
    rtmax: int = 0
    rtpref: int = 0
    wtmax: int = 0
    wtpref: int = 0
    dtpref: int = 0
    name_max: int = 0


class Probed(NamedTuple):
    """What a server answered. `versions`: of NFS, those that were asked for; `at`: when, UTC; `uid`, `low_port`: as
    whom it was asked; `own_domain`: of NFSv4, this host's; `mtu`, `rtt_us`: of the path; `rpcbind`: its version, 0 if
    it did not answer; `version`: of NFSv4 that was spoken; `elsewhere`: another path below the pseudo-root that leads
    to the export; `below`: whether entries of it are on other file systems; `from_high_port`: how the last step ends
    from a port above 1023, if the others came from a low one; `grace`: who is in its grace period: "nfsv4", "lockd".
    "" and None: not known."""

    server: str
    export: str
    port: int
    at: str
    uid: int
    low_port: bool
    versions: tuple[str, ...] = NFS_VERSIONS
    seconds: float = 0.0
    addresses: tuple[ServerAddress, ...] = ()
    ip: str = ""
    own_ip: str = ""
    own_domain: str = ""
    doors: tuple[Door, ...] = ()
    mtu: int = 0
    rtt_us: int = 0
    rpcbind: int = 0
    registered: tuple[Registered, ...] = ()
    answering: tuple[Answering, ...] = ()
    exports: tuple[ExportedPath, ...] | None = None
    minors: tuple[MinorVersion, ...] = ()
    tls: str = ""
    version: str = ""
    identity: Identity | None = None
    grant: Grant | None = None
    root_names: tuple[str, ...] = ()
    steps: tuple[PathStep, ...] = ()
    elsewhere: str = ""
    attributes: Attributes | None = None
    granted: tuple[str, ...] | None = None
    flavours: tuple[str, ...] = ()
    below: bool | None = None
    from_high_port: str = ""
    grace: str = ""
    mounted: MountedV3 | None = None
    asked: tuple[Asked, ...] = ()

    @property
    def until(self) -> str:
        """The last day on which it is used. ValueError and OverflowError if `at` is not a time."""
        return str(date.fromisoformat(self.at[:10]) + timedelta(days=_DAYS))


class ProbeFileError(ValueError):
    """The data is not the result of a probe; the text says where and why."""


def probed_data(probed: Probed) -> dict[str, object]:
    return {"schema": SCHEMA, **as_data(probed)}


def from_text(text: str) -> Probed:
    """The result in a file. Raises ProbeFileError, which does not name the file."""
    try:
        found = from_data(parse_json(text, ""))
        assert found.until
    except (UserFileError, ValueError, OverflowError) as error:
        raise ProbeFileError(f"not what advisor probe --write-to wrote: {error}") from None
    return found


def from_data(data: object) -> Probed:
    """The result that `probed_data` wrote. Raises ProbeFileError and FormatError."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ProbeFileError(f'its schema is not "{SCHEMA}"')
    return read_record(Probed, data, {part.__name__: part for part in (
        Asked, ServerAddress, Door, Registered, Answering, ExportedPath, MinorVersion, Identity, Grant, PathStep,
        Attributes, MountedV3,
    )})
