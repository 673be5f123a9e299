"""One of the hosts that are compared: its names and addresses, what it mounts, what it exports, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from advisor.check.facts import facts_of
from advisor.check.host import ETAB, SERVER, HostFiles, HostText
from advisor.check.settings import set_values
from advisor.files import kinds
from advisor.files.export_clients import admits
from advisor.files.export_lookup import Exported, Exports, PathLookup, exports_of
from advisor.files.exports import Export, cluster_exports, folder_of
from advisor.files.exports import read as read_export_lines
from advisor.files.ganesha import GaneshaExports, GaneshaLookup, ganesha_exports, is_client
from advisor.files.mountinfo import MountInfo, mount_of
from advisor.files.records import MountEntry, Setting, Span
from advisor.files.source import Address, MountSource, parse_source
from advisor.host.network import hosts_file, local_addresses, node_name, own_names
from advisor.host.probe import probe, whole_number
from advisor.host.tree import Tree, Unread
from advisor.lint.alike import judge
from advisor.lint.rule_index import RuleIndex, as_client
from advisor.rulebase.model import RuleBase, Value, Values

_MOUNTS = ("fstab", "systemd-mount", "autofs")
_IN_EFFECT, _DEFAULTS = "mountinfo", "nfsmount.conf"


class ValueInFile(NamedTuple):
    """What a file sets, or what is in effect. `file`: of which host and which file, as `ComparedHost.file` names it."""

    value: Value
    file: str
    span: Span

    @property
    def place(self) -> str:
        return f"{self.file}:{self.span.line}"

    @property
    def number(self) -> int | None:
        return whole_number(str(self.value))


class ClientMount(NamedTuple):
    """A mount that a file of a client asks for, or one in effect that none asks for. `now`: the options in effect;
    `shown`: the settings that these are."""

    client: ComparedHost
    file: str
    entry: MountEntry
    source: MountSource
    settings: Mapping[str, Setting]
    now: Mapping[str, str] = {}
    shown: Mapping[str, Setting] = {}

    @property
    def target(self) -> str:
        return self.entry.target.value

    @property
    def values(self) -> dict[str, Value]:
        """Of the settings that the file asks for."""
        return {name: setting.value for name, setting in self.settings.items()}

    @property
    def words(self) -> str:
        """For messages: server:/export."""
        return f"{self.source.host}:{self.source.export}"

    def option(self, name: str) -> str:
        """What a mount has, or else asks for, of a mount option; "" if that is the default."""
        written = self.settings.get(f"mount.{name}")
        return str(self.now.get(name) or ("" if written is None else written.value))


class ComparedHost(HostFiles):
    """A host to compare. `name`: for messages; `called`: names by which clients mount it; `known`: facts."""

    def __init__(
        self, base: RuleBase, tree: Tree, name: str, called: Sequence[str] = (),
        known: Mapping[str, Values] = {},
    ) -> None:
        super().__init__(base, tree)
        self.node = node_name(tree)
        self.title = name or self.node.partition(".")[0] or tree.root.rpartition("/")[2] or "this host"
        self.called = called
        self.known = dict(known)
        self.hosts = hosts_file(tree)
        self.addresses = local_addresses(tree)
        self.names = [*called, *own_names(tree, self.hosts, [local.address for local in self.addresses or ()])]
        self._single_values: dict[str, str] = {}
        """The texts of files that are read for one value."""
        self._admitted: dict[Address | None, dict[str, bool | None]] = {}

    def file(self, name: str) -> str:
        """The name of a file of this host among those of all hosts."""
        return f"{self.title}:{name}"

    def text_of(self, file: str) -> tuple[str, str, str]:
        """The area, the kind and the text of a file that was named by `file`."""
        for text in self.collected.texts:
            if self.file(text.name) == file:
                return text.host_file.area, text.host_file.kind, text.text
        if self.etab is not None and self.etab[1] == file:
            return "server", "exports", self.etab[0]
        return "kernel", "", self._single_values.get(file, "")

    # What it exports

    @cached_property
    def etab(self) -> tuple[str, str] | None:
        """What is exported now, and the name of the file; None if nothing is, or it is not known."""
        try:
            text, where = self.tree.read(ETAB)
        except Unread:
            return None
        return (text, self.file(where)) if text.strip() else None

    @cached_property
    def exports(self) -> Exports:
        return self.ganesha or exports_of(self.base, self._export_lists())

    def _export_lists(self) -> Iterator[tuple[list[Export], str]]:
        """Lists of exports, each read up to its first error: those of a file, each resource of a cluster, and those in
        effect that are in no file."""
        for text in self.texts("exports", "cib"):
            name = self.file(text.name)
            if text.host_file.kind == "cib":
                yield from (([export], name) for export in cluster_exports(kinds.read_settings("cib", text.text, name)))
            elif folder_of(text.path) is not None:
                yield read_export_lines(text.text), name
        if self.etab is not None:
            yield read_export_lines(self.etab[0]), self.etab[1]

    @cached_property
    def ganesha(self) -> GaneshaExports | None:
        """The exports of NFS-Ganesha; None if the kernel serves, or nothing certain is known of them."""
        if self.etab is not None or any(read_export_lines(text.text) for text in self.texts("exports")):
            return None
        texts = self.texts("ganesha.conf")
        if len(texts) != 1:
            return None
        return ganesha_exports(self.base, kinds.read_settings("ganesha.conf", texts[0].text, self.file(texts[0].name)))

    @property
    def serves(self) -> bool:
        """Whether its exports are known. Where no list of exports was found, it may just not have been copied."""
        if self.etab is not None or self.ganesha is not None:
            return True
        return bool(self.texts("exports")) and self.seen("exports")

    def admitted(self, address: Address | None) -> dict[str, bool | None]:
        """Client of an export → whether it is the host with this address; None if that is unknown."""
        if address not in self._admitted:
            clients = dict.fromkeys(export.client for export in self.exports.all)
            is_host = admits if self.ganesha is None else is_client
            self._admitted[address] = {client: is_host(client, address, self.hosts) for client in clients}
        return self._admitted[address]

    def lookup(self, address: Address | None, assumed: Mapping[str, bool]) -> PathLookup | GaneshaLookup:
        """The exports as the host with this address sees them. `assumed`: client of which it is not known whether it is
        this host → whether it is."""
        known = self.admitted(address)

        def is_for_client(export: Exported) -> bool:
            return assumed.get(export.client, known[export.client]) is True

        if self.ganesha is not None:
            return GaneshaLookup(self.ganesha, is_for_client)
        return PathLookup(self.exports, is_for_client, self._mount_of)

    @cached_property
    def _mount_of(self) -> Callable[[str], MountInfo | None] | None:
        """The mount that a path of this host lies on, each looked up once."""
        mounts = self.tree.mounts
        return lru_cache(maxsize=None)(lambda path: mount_of(path, mounts)) if mounts else None

    @cached_property
    def as_server(self) -> RuleIndex:
        """The rule base with what the host's files say of it as a server."""
        role: Mapping[str, Values] = {"host.role": "nfs-server"}
        facts = facts_of(self.base, self.tree, role, platform=False).values(self.base, "server")
        return RuleIndex.kept(self.base, {**role, **facts}, "states")

    # What it mounts

    @cached_property
    def mounts(self) -> list[ClientMount]:
        """What it mounts over NFS: what files ask for, then what is in effect beside that."""
        known = as_client(self.base, self.known)
        index, index_now = (RuleIndex.kept(self.base, known, kind) for kind in ("fstab", _IN_EFFECT))
        asked = [mount for text in self.texts(*_MOUNTS) for mount in self._mounts_in(text, index)]
        in_effect = [
            mount._replace(now=_options(mount.entry), shown=mount.settings)
            for text in self.texts(_IN_EFFECT) for mount in self._mounts_in(text, index_now)
        ]
        visible = {mount.target: mount for mount in in_effect}
        for number, mount in enumerate(asked):
            mounted = visible.get(mount.target)
            if mounted is not None and mount.source.export.rstrip("/") == mounted.source.export.rstrip("/"):
                asked[number] = mount._replace(now=mounted.now, shown=mounted.shown)
        targets = {mount.target for mount in asked if mount.now}
        return [*asked, *(mount for mount in in_effect if mount.target not in targets)]

    def _mounts_in(self, text: HostText, index: RuleIndex) -> Iterator[ClientMount]:
        kind = text.host_file.kind
        for entry in kinds.read_mounts(kind, text.text, text.name).mounts:
            source = parse_source(entry.source.value)
            if not index.rules.is_nfs(entry) or source.problem is not None:
                continue
            if source.kind not in ("host", "ipv4", "ipv6") or any(sign in source.export for sign in "&*$"):
                continue
            line = judge(index, entry, text.name)
            defaults = {} if kind == _IN_EFFECT else self._defaults_of(source.host, entry.target.value)
            at_source = {
                name: Setting(default.value, "source", 0, len(entry.source.text), default.text)
                for name, default in defaults.items()
            }
            set_here = {**at_source, **line.judged.brought, **line.judged.settings, **line.own}
            yield ClientMount(self, self.file(text.name), entry, source, set_here)

    def _defaults_of(self, server: str, target: str) -> dict[str, Setting]:
        """What nfsmount.conf gives to a mount: the section of its mount point goes before that of its server, and that
        before the one for all."""
        defaults: dict[str, Setting] = {}
        for of_server, of_target, settings in self._mount_defaults:
            if of_server in ("", server.lower()) and of_target in ("", target):
                defaults |= settings
        return defaults

    @cached_property
    def _mount_defaults(self) -> list[tuple[str, str, dict[str, Setting]]]:
        """(server, mount point, settings) of each section of nfsmount.conf and of the files in its .d; "" stands for
        all. What overrides others comes later, else they are in the order in which they are read."""
        index = RuleIndex.kept(self.base, as_client(self.base, self.known), _DEFAULTS)
        sections = [
            (parse_source(section.source.value).host.lower(), section.target.value, {
                name: setting for name, setting in judge(index, section, text.name).judged.settings.items()
                if name.startswith("mount.")
            })
            for text in self.texts(_DEFAULTS) for section in kinds.read_mounts(_DEFAULTS, text.text, text.name).mounts
        ]
        return sorted(sections, key=lambda section: (bool(section[1]), bool(section[0])))

    # What it sets

    @cached_property
    def settings(self) -> Mapping[str, ValueInFile]:
        """Tunable → what is in effect, or else what files set, the last one of them."""
        settings = {
            setting.tunable: ValueInFile(setting.meaning, self.file(setting.name), setting.span)
            for setting in set_values(self.base, self.collected.texts)
        }
        is_server = any(text.host_file.kind in SERVER for text in self.collected.texts)
        for name, now in probe({}, self.tree, self.base.tunables).settings.items():
            if name.startswith("nfs.conf.") and (not is_server or now.value == 0):
                continue  # 0 threads: the server is stopped
            settings[name] = self.whole_file(now.value, now.where)
        return settings

    def turns_off(self, key: str) -> bool:
        """Whether a key of [nfsd] in nfs.conf is certainly `n`."""
        setting = self.settings.get(f"nfs.conf.nfsd.{key}")
        return setting is not None and setting.value == "n" and self.seen("nfs-conf")

    def whole_file(self, value: Value, where: str) -> ValueInFile:
        """A value that is all that a file of the host holds."""
        file = self.file(where)
        self._single_values[file] = f"{value}\n"
        return ValueInFile(value, file, Span(1, 1, len(str(value)) + 1))


def _options(entry: MountEntry) -> Mapping[str, str]:
    return dict(word.partition("=")[::2] for word in entry.options.text.split(","))
