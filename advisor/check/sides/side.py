"""One of the hosts that are compared: its names and addresses, what it mounts, what it exports, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.files import HostText, collect
from advisor.check.judged import SERVER
from advisor.check.order import in_order
from advisor.check.sides import addresses, names
from advisor.check.sides.clients import admits
from advisor.check.sides.defaults import KIND, Preset, given_by, presets
from advisor.check.sides.exports import CIB, ETAB, Exported, Exports, exports
from advisor.check.sides.ganesha import KIND as GANESHA
from advisor.check.sides.ganesha import GaneshaExports, GaneshaServed, ganesha_exports
from advisor.check.sides.paths import Served
from advisor.host import Unread, probe
from advisor.lint.judge import judge
from advisor.lint.rule_index import RuleIndex, as_client
from advisor.options.reading import Setting
from advisor.readers import mounts, settings
from advisor.readers.fstab import read as read_fstab
from advisor.readers.fstab.entry import is_whole
from advisor.readers.judged import JUDGED
from advisor.readers.mountinfo import mount_of
from advisor.readers.mounts.exports import read as read_exports
from advisor.readers.source import MountSource, parse_source
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.sides.addresses import Address
    from advisor.host import Tree
    from advisor.readers.fstab.entry import Whole
    from advisor.readers.mountinfo import MountInfo
    from advisor.readers.mounts.table import MountEntry
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value, Values

_MOUNTS = ("fstab", "systemd-mount", "autofs")
_IN_EFFECT = "mountinfo"


class Put(NamedTuple):
    """A setting of a file, or in effect. `file`: of which host and which file; `text`: of that file."""

    value: Value
    file: str
    span: Span

    @property
    def place(self) -> str:
        return f"{self.file}:{self.span.line}"


class ClientMount(NamedTuple):
    """A mount that a file of a client asks for, or one in effect that none asks for. `now`: the options in effect;
    `shown`: the settings that these are."""

    client: Side
    file: str
    entry: Whole | MountEntry
    source: MountSource
    settings: Mapping[str, Setting]
    now: Mapping[str, str]
    shown: Mapping[str, Setting] = {}

    @property
    def target(self) -> str:
        return self.entry.target.value

    @property
    def words(self) -> str:
        return f"{self.source.host}:{self.source.export}"


class Side:
    """`name`: by which people know it; `called`: other names under which it is mounted. `known`: facts."""

    def __init__(
        self, base: RuleBase, tree: Tree, name: str, called: Sequence[str] = (),
        known: Mapping[str, Values] | None = None,
    ) -> None:
        self.base, self.tree = base, tree
        self.node = names.node(tree)
        self.title = name or self.node.partition(".")[0] or tree.root.rpartition("/")[2] or "this host"
        self.called = called
        self.known = dict(known or {})
        self.hosts = names.hosts(tree)
        self.addresses = addresses.local(tree)
        self.names = [*called, *names.own(tree, self.hosts, [one.address for one in self.addresses or ()])]
        self.shown: dict[str, str] = {}
        """What stands in files that are read for one value."""
        self._admitted: dict[Address | None, dict[str, bool | None]] = {}
        self.collected = collect(tree, list(base.host_files.values()))

    def file(self, name: str) -> str:
        """The name of a file of this host among those of all hosts."""
        return f"{self.title}:{name}"

    def texts(self, *kinds: str) -> list[HostText]:
        return [one for one in self.collected.texts if one.host_file.kind in kinds and one.host_file.kind in JUDGED]

    def text_of(self, file: str) -> tuple[str, str, str]:
        """The area, the kind and the text of a file that was named by `file`."""
        for one in self.collected.texts:
            if self.file(one.name) == file:
                return one.host_file.area, one.host_file.kind, one.text
        if self.etab is not None and self.etab[1] == file:
            return "server", "exports", self.etab[0]
        return "kernel", "", self.shown.get(file, "")

    def seen(self, entry: str) -> bool:
        """Whether each place of this entry of kb/host-files.yaml could be looked at."""
        host_file = self.base.host_files.get(entry)
        return host_file is not None and not any(one.title == host_file.title for one in self.collected.unseen)

    @cached_property
    def etab(self) -> tuple[str, str] | None:
        """What is exported now, and the name of the place; None where nothing is, or it is not known."""
        try:
            text, where = self.tree.read(ETAB)
        except Unread:
            return None
        return (text, self.file(where)) if text.strip() else None

    @cached_property
    def exports(self) -> Exports:
        texts = [one._replace(name=self.file(one.name)) for one in self.texts("exports", CIB)]
        return self.ganesha or exports(self.base, texts, self.etab)

    @cached_property
    def ganesha(self) -> GaneshaExports | None:
        """The exports of NFS-Ganesha; None where the kernel serves, or nothing certain is known of them."""
        if self.etab is not None or any(read_exports(one.text) for one in self.texts("exports")):
            return None
        return ganesha_exports(self.base, [one._replace(name=self.file(one.name)) for one in self.texts(GANESHA)])

    def admitted(self, address: Address | None) -> dict[str, bool | None]:
        """Client of an export → whether it is the host with this address; None where that cannot be told."""
        if address not in self._admitted:
            named = dict.fromkeys(one.client for one in self.exports.made)
            self._admitted[address] = {client: admits(client, address, self.hosts) for client in named}
        return self._admitted[address]

    def served(self, address: Address | None, taken: Mapping[str, bool]) -> Served | GaneshaServed:
        """The exports as the host with this address sees them. `taken`: what clients are taken to be that are not
        known."""
        permissions = self.admitted(address)

        def lets(one: Exported) -> bool:
            return taken.get(one.client, permissions[one.client]) is True

        return Served(self.exports, lets, self._on) if self.ganesha is None else GaneshaServed(self.ganesha, lets)

    @cached_property
    def _on(self) -> Callable[[str], MountInfo | None] | None:
        """The mount that a path of this host lies on, each looked up once."""
        mounts = self.tree.mounts
        return lru_cache(maxsize=None)(lambda path: mount_of(path, mounts)) if mounts else None

    @property
    def serves(self) -> bool:
        """Whether its exports are known. A host without any list of exports may be one of which it was not copied."""
        if self.etab is not None or self.ganesha is not None:
            return True
        return bool(self.texts("exports")) and self.seen("exports")

    @cached_property
    def mounts(self) -> list[ClientMount]:
        """What it mounts over NFS: what files ask for, then what is in effect beside that."""
        index = RuleIndex(self.base, as_client(self.base, self.known))
        asked = [*self._asked(index)]
        effect = [
            one._replace(now=_options(one.entry), shown=one.settings) for text in self.texts(_IN_EFFECT)
            for one in self._wanted(text, RuleIndex(self.base, as_client(self.base, self.known), kind=_IN_EFFECT))
        ]
        there = {one.target: one for one in effect}
        asked = [
            one._replace(now=there[one.target].now, shown=there[one.target].shown)
            if one.target in there and _alike(one, there[one.target]) else one
            for one in asked
        ]
        targets = {one.target for one in asked if one.now}
        return [*asked, *(one for one in effect if one.target not in targets)]

    @cached_property
    def as_server(self) -> RuleIndex:
        """The rule base under what its files tell of it as a server."""
        role: Mapping[str, Values] = {"host.role": "nfs-server"}
        found = {
            name: one.value for name, one in probe(self.base.facts, self.tree, None, role).facts.items()
            if one.value is not None and self.base.facts[name].scope == "server"
        }
        return RuleIndex(self.base, {**role, **found}, kind="states")

    def _asked(self, index: RuleIndex) -> Iterator[ClientMount]:
        for text in self.texts(*_MOUNTS):
            yield from self._wanted(text, index)

    def _wanted(self, text: HostText, index: RuleIndex) -> Iterator[ClientMount]:
        kind = text.host_file.kind
        listed = (
            [one for one in read_fstab(text.text, text.name).entries if one.libmount == "ok" and is_whole(one)]
            if kind == "fstab" else mounts.read(kind, text.text, text.name).mounts
        )
        for entry in listed:
            source = parse_source(entry.source.value)
            if not index.is_nfs(entry) or source.problem is not None or not source.export:
                continue
            if source.kind not in ("host", "ipv4", "ipv6") or any(sign in source.export for sign in "&*$"):
                continue
            judged, found = judge(index, entry, text.name)
            given = {} if kind == _IN_EFFECT else given_by(self._presets, source.host, entry.target.value)
            whole = {
                name: Setting(one.value, "source", 0, len(entry.source.text), one.text) for name, one in given.items()
            }
            yield ClientMount(self, self.file(text.name), entry, source, {**whole, **judged.brought, **found}, {})

    @cached_property
    def _presets(self) -> list[Preset]:
        return presets(RuleIndex(self.base, as_client(self.base, self.known), kind=KIND), self.texts(KIND))

    @cached_property
    def settings(self) -> Mapping[str, Put]:
        """Tunable → what holds: what is in effect, or else what files set, the last one of them."""
        found: dict[str, Put] = {}
        files = {kind: steps.file for steps in self.base.kinds.values() if steps.file for kind in steps.file.kinds}
        for kind in settings.READ:
            file = files.get(kind)
            for one in in_order(self.texts(kind)) if file is not None and not file.inherits else ():
                for setting in settings.read(kind, one.text, one.name).settings:
                    section = f"{setting.section}." if file and file.sections else ""
                    name = self._spelled(f"{file.prefix if file else ''}{section}{setting.key.text}")
                    if name and setting.value.text:
                        span = Span(setting.key.span.line, setting.key.span.column, setting.value.span.end_column)
                        words = file.synonyms if file is not None and self.base.tunables[name].values else {}
                        value = str(words.get(setting.value.text.lower(), setting.value.text))
                        found[name] = Put(value, self.file(one.name), span)
        server = any(one.host_file.kind in SERVER for one in self.collected.texts)
        for name, now in probe({}, self.tree, self.base.tunables).settings.items():
            if name.startswith("nfs.conf.") and (not server or now.value == 0):
                continue  # of a server that is stopped
            found[name] = self.put(now.value, now.where)
        return found

    def put(self, value: Value, where: str) -> Put:
        """A value that is all that a file of the host holds."""
        file = self.file(where)
        self.shown[file] = f"{value}\n"
        return Put(value, file, Span(1, 1, len(str(value)) + 1))

    def _spelled(self, name: str) -> str:
        """The tunable of this name, whatever its capitals; "" where there is none."""
        return name if name in self.base.tunables else self._capitals.get(name.lower(), "")

    @cached_property
    def _capitals(self) -> dict[str, str]:
        kinds = ("nfs.conf", "idmapd.conf")
        return {name.lower(): name for name, tunable in self.base.tunables.items() if tunable.kind in kinds}


def _options(entry: Whole | MountEntry) -> Mapping[str, str]:
    text = entry.options.text if entry.options is not None else ""
    return dict(word.partition("=")[::2] for word in text.split(","))


def _alike(one: ClientMount, other: ClientMount) -> bool:
    return one.source.export.rstrip("/") == other.source.export.rstrip("/")
