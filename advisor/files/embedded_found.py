"""What is found of NFS inside other text: `Found` collects mounts, exports and texts of files, whatever language has
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from advisor.files import kinds
from advisor.files.embedded_encodings import decoded, parts_of
from advisor.files.kinds import by_name, identify
from advisor.files.placeholders import default_of, has_markup, joined
from advisor.files.records import Field, MountEntry, Placed, Span
from advisor.files.words import TYPES
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_INI = ("nfs.conf", "idmapd.conf", "nfsmount.conf", "autofs.conf", "systemd-mount")
"""Kinds of which a part can be judged only from a heading on."""
_BY_NAME = (*_INI, "ganesha.conf", "exports", "fstab", "sysctl", "udev", "modprobe", "nfs-defaults", "autofs",
            "autofs-defaults")
"""Kinds that the path alone proves."""
_BY_CONTENT = (*_INI, "ganesha.conf", "kubernetes", "compose", "cloud-init", "ansible", "cib")
"""Kinds that a text shows whose path tells nothing."""
_OTHER_SYSTEMS = ("bsd-map", "vfstab", "dfstab", "macos-nfs.conf")
"""Kinds that have the paths of ours on other systems."""
AT_ONCE = "at once"
"""The name of what is set in the running kernel."""
TO_KERNEL = regex(r"/proc/sys/|/sys/module/(\w+)/parameters/(\w+)$")
SYSCTL = regex(r"(?:sunrpc|fs\.nfsd?|net\.core|net\.ipv4|vm)\.[\w.]+")
_ENTRY = regex(r"(?im)^(automountInformation: ?).*(?:\n .*)*")
_OF_MASTER = regex(r"(?!-)[^\s:/]+[ \t]+-")
"""An entry of a master map in LDIF: the name of a map, and options."""
_USER_DATA = r"\s*(?:#cloud-config\b|(?:runcmd|bootcmd|write_files|mounts|package_update):)"
_COMMAND = regex(
    r"\s*(?:crm\(live\)\S{0,60} )?(?:sudo )?(?:\$\{[\w.-]+\})?(?:/[\w.-]+)*/?(?:mount|"
    r"mount\.nfs4?|exportfs|docker|podman|crm|pcs|primitive|echo|printf|"
    r"cat|bash|sh|su|until|while|if|mkdir|apt-get|apt|yum|dnf|sed|test|grep)\s"
)
_EXPORT_WORD = (
    r"(?:r[wo]|a?sync|(?:no_)?\w+_squash|(?:in)?secure\w*|(?:no_)?subtree_check|crossmnt|nohide|fsid=\w+|"
    r"anon[ug]id=\d+|sec=[\w:]+)"
)
EXPORTED = regex(rf"\S ?\((?:[$#]\{{?\w{{1,60}}\}}?,)?{_EXPORT_WORD}[,)]")
EXPORT_ITEM = regex(
    rf"{_EXPORT_WORD}|security_label|sign_fh|nordirplus|hide|nocrossmnt|(?:no_)?(?:acl|wdelay|pnfs)|"
    r"(?:mountpoint|mp|refer|replicas|reexport|xprtsec)(?:=\S+)?"
)
_CLIENT = regex(r"[^\s(),'\"]+\(([^()\s]+)\)")
_OF_EXPORTS = regex(_EXPORT_WORD)
_EXPORT_ONLY = regex(r"(?:no_)?(?:root_squash|all_squash|subtree_check)\b|crossmnt\b|\bfsid=|anon[ug]id=")
OPTION_NAME = regex(
    r"(?i)(?:nfs|efs|mount|mnt|export|server)\w{0,40}(?:opt|flag|args|_ops)|opt\w{0,40}nfs|opt(?:ion)?s$"
)
_NAME_OF_MOUNT = regex(r"(?i)nfs|efs|mount|mnt|export|server")
_NFS_OPTION = regex(
    r"\b(?:nfsvers=|vers=(?:3|4(?:\.[012])?)(?![\d.])|[rw]size=|nolock\b|noresvport\b|nconnect=|retrans=|timeo=|actimeo=|"
    r"lookupcache=|nofsc\b|sec=sys\b)"
)
_IN_FRONT = regex(r"^(?:-fstype=(?:nfs4?|auto)\b)?,?")
"""What is in front of the options of a map, or of a part of a list."""
OF_OTHERS = regex(
    r"\b(?:uid|gid|file_mode|dir_mode|credentials|username)=|\b(?:alldirs|nolocks|locallocks|nfsv[234])\b"
    r"|(?<![=\w])(?:tls|iam)\b|\baccesspoint="
)
"""Options of other file systems, which have `vers=` and `rsize=` as well, of NFS on BSD and macOS, and of a helper."""
OF_OTHER_SYSTEMS = regex(
    r"(?:^|,)-\w(?:,|$)|\b(?:no(?:locks|lockd|owners|browse|inet[46])\b|locallocks|deadtimeout=|allgssname|oneopenown|"
    r"mntudp|nfc\b)"
)
"""Options that only mount_nfs of macOS or a BSD has, which also hands on what begins with a dash."""
_EXPORT_OF_OTHERS = regex(r"[ \t]-(?:alldirs|mapall|maproot|network|mask)\b")
"""Options of exports on BSD and macOS."""
_EXPORT_OF_AIX = regex(r"[ \t]-[^\s(]*\b(?:anon|root|access)=")
_DAEMON = regex(r"(?i)rpc|nfsd|statd|mountd|idmapd|gssd")
"""Variables of options for a daemon."""
_MAP_LINE = regex(
    r"[\w.*/-]+[ \t]+-([\w.=:,-]+)[ \t]+[\w.$&{}-]+:/[^ \t]*"
)
_MAP_OPTION = regex(r"fstype=nfs4?|r[wo]|hard|soft|intr|nfsvers=[\d.]+")
_MOUNT_NAME = r"(?i)nfs\S{0,60}mount|mount\S{0,60}nfs"
_OWN_OPTION = regex(r"\b(?:nfsvers=|nolock\b|noresvport\b|nconnect=|retrans=|[rw]size=\d+,\w*(?:hard|soft)\b)")
KINDS = ("fstype", "type", "filesystem", "filesystemtype", "mounttype", "fsvfstype", "vfstype", "format")
OPTIONS = ("opts", "options", "mountoptions", "mountopts", "mountflags", "mntopts", "flags", "fsmntops", "nfsoptions",
           "fs:option")
SOURCES = ("device", "src", "source", "share", "remote", "what", "serverpath")
CLIENTS = ("client", "clients", "host", "hosts", "network", "networks", "allowed")
_MODES = {"writeable": {"true": "rw", "false": "ro"}, "sync": {"true": "sync", "false": "async"}}
"""Property of an export in Chef → value → option."""
PATHS = ("path", "dest", "destfile", "destination", "name", "filename", "file", "target")
PORTS = ("111", "2049")
_PORTS = regex(r"(?:--add-port=|--dports?=)?\d{1,5}(?:[,:-]\d{1,5}){0,30}(?:/tcp)?")
MAX_WELL_KNOWN = 600
"""No port above is known to be another service's than mountd."""
_MOUNTD = regex(r"(?i)mountd")
_OF_PORTS = ("fromport", "toport", "port", "ports", "destinationportrange", "destinationportranges",
          "portrangemin", "portrangemax")
_ADMITTED = ("cidrblocks", "ipv6cidrblocks", "cidripv4", "cidripv6", "cidrip", "sourceranges", "sourceaddressprefix",
             "remoteipprefix")
_OF_FIREWALL = ("permanent", "immediate", "rule")
"""Keys of Ansible's modules for firewalls."""
_OF_EXPORT = ("allowedclients", "clientsmatch", "ipranges", "networks", "source")
_ROOT = {**dict.fromkeys(("hasrootaccess", "rootaccess", "rootaccessenabled"), "true"), "identitysquash": "NONE",
         "squashmode": "NO_ROOT_SQUASH", "maprootuser": "root"}
"""Key in a rule of an export policy → the value that leaves root its rights; and the keys whom it admits."""
_SENSE, _NOT_IN = ("type", "direction", "access"), regex(r"(?i)egress|outbound|deny")
EFS = ("AWS::EFS::FileSystem", "aws_efs_file_system")
"""The type of a resource that is a file system of EFS."""
_EVERYBODY = frozenset(("0.0.0.0/0", "::/0", "*", "Internet"))
MODE_OF_ALL = regex(r"[02]?[0-7]{2}[2367]|(?:a|o|go|ugo)[+=]r?w[xX]?")
"""A mode with which everyone may write."""
_UNKNOWN = "$path"
"""What stands for the path of an export that is not known."""
_PATH = regex(r"/|\.(?:auto)?mount$|\.service$")
TEXTS = ("content", "contents", "line", "block", "text")
TELLING = frozenset((
    *KINDS, *OPTIONS, *SOURCES, *TEXTS, *_ADMITTED, *_OF_FIREWALL, *_OF_EXPORT, "mode", "permissions", "op",
    "params", "value", "squashmode", "replace",
))
"""Keys without one of which the others that stand together tell nothing."""
Values = dict[str, list[Placed]]
"""Key, in small letters without underscores → values."""


class Segment(NamedTuple):
    """Text in the format of a file with this name, in several parts. `kind`: as in advisor.files.kinds. `group`: the
    same for texts that are all written or none is."""

    kind: str
    name: str
    group: int
    texts: list[Placed]


class Found:
    """`mounts`: each with the kind of file by whose rules it is judged. `seen`: lines that were understood."""

    def __init__(self, seen: Iterable[int], *, about_nfs: bool) -> None:
        self.mounts: list[tuple[str, MountEntry]] = []
        self.segments: list[Segment] = []
        self.scripts: list[tuple[Placed, int]] = []
        """Commands that are still to be read, each with the number of texts around it."""
        self.seen = set(seen)
        self.unread: set[int] = set()
        """Lines that certainly are configuration of NFS and cannot be read."""
        self._written: set[tuple[Span, str]] = set()
        self.group = 0
        self.placed: list[tuple[str, Placed]] = []
        """What is to be stated of a directory if that is exported for writing."""
        self.ports: list[Placed] = []
        """Ports that a firewall opens."""
        self.about_nfs = about_nfs
        """Whether the name of the file, or what is around, says that options are of NFS."""
        self.on_linux = self.on_mac = False
        """Whether a command or package shows that this is for no BSD; whether it is for macOS and not for Linux."""
        self.is_server = self.in_image = False
        """Whether the file is about a server of NFS; whether it is a Dockerfile."""
        self.plain = False
        """Whether a value is what it says, as in YAML: elsewhere it may be the argument of any function."""

    def see(self, *texts: Placed) -> None:
        for text in texts:
            self.seen.update(text.numbers())

    def segment(self, kind: str, name: str, text: Placed, group: int = 0) -> None:
        """Add text of a file; what a group of commands adds to one file is one text."""
        self.see(text)
        last = self.segments[-1] if self.segments and group else None
        if last and last[:3] == (kind, name, group):
            last.texts.append(text)
        else:
            self.segments.append(Segment(kind, name, group, [text]))

    def mount(self, kind: str, near: Span, given: Mapping[str, Placed | str], options: Sequence[Placed]) -> None:
        """Add a mount. `given`: its source, target and fstype; `options`: lists of them."""
        self.see(*options, *(text for text in given.values() if isinstance(text, Placed)))
        options = [*map(_meant, options)]
        if self.on_mac or (not self.on_linux and any(OF_OTHER_SYSTEMS.search(text.text) for text in options)):
            return
        items = [item for text in options for item in text.items() if item.text.strip()]
        first = items[0].span if items else near
        fields = {"source": Field((), near), "target": Field((), near)}
        for name, text in given.items():
            if isinstance(text, Placed):
                token = text.token()
                shown = re.sub(r"#\{[^{}]*\}", lambda gap: f"${{{'_' * (len(gap[0]) - 3)}}}", token.text)
                fields[name] = Field((token._replace(text=shown),), near)
            else:
                fields[name] = Field((), near, text)
        self.mounts.append((kind, MountEntry(first.line, "", **fields, options=Field(items, first))))

    def volume(self, given: Mapping[str, Sequence[Placed]], near: Span, rules: str = "script") -> None:
        """A volume or storage that mount makes. `rules`: compose for one of Docker's driver `local`, which needs addr=;
        Podman, Proxmox VE and a kickstart file run mount."""
        values = {key: texts[0] for key, texts in given.items() if texts}
        kind, options = values.get("type"), values.get("options") or values.get("o")
        source: Placed | str = values.get("device", "")
        items = options.items() if options else []
        if "server" in values and "export" in values:
            source = Placed.joined([values["server"], ":", values["export"]])
        elif isinstance(source, Placed) and source.text.startswith(":"):
            server = next((item.text[5:] for item in items if item.text.startswith("addr=")), "")
            source = f"{server}{source.text}"
        if kind and kind.text in TYPES:
            named = {"fstype": kind, "source": source, "target": values.get("path", "")}
            self.mount(rules, near, named, [options] if options else [])

    def in_kernel(self, command: str, words: Sequence[Placed]) -> None:
        """Add what sysctl and modprobe set at once, as lines of their files."""
        given = [part for word in words if "=" in word.text for part in (word, "\n" if command == "sysctl" else " ")]
        if given and command == "sysctl":
            self.segment("sysctl", AT_ONCE, Placed.joined(given))
        elif given and "=" not in words[0].text:
            self.segment("modprobe", AT_ONCE, Placed.joined(["options ", words[0], " ", *given[:-1], "\n"]))

    def state(self, what: str, value: Placed) -> None:
        """Add something that is around NFS, by its name in kb/tunables/deployment."""
        self.segment("deployment", "deployment", Placed.joined([f"{what}='", value, "'\n"]))

    def state_directories(self) -> None:
        """State what is known of directories that are exported for writing. One with the path of a mount may be on a
        client."""
        texts = (Placed.joined(segment.texts).text for segment in self.segments if segment.kind == "exports")
        lines = (joined(line) for text in texts for line in text.split("\n") if re.search(r"\brw\b", line))
        exported = {_path(line.split()[0]) for line in lines if line.strip()} - {_UNKNOWN, ""}
        mounted = {_path(mount.target.value) for _, mount in self.mounts}
        for (what, path), text in {(what, _path(text.text)): text for what, text in reversed(self.placed)}.items():
            above = path if path not in mounted else ""
            while above and above not in exported:
                above = above.rpartition("/")[0]
            if above:
                self.state(what, Placed.in_place("this directory", text.span) if has_markup(text.text) else text)

    def state_mountd_closed(self, text: str) -> None:
        """State that rpcbind and NFS are let through, and no port that can be mountd's."""
        opened = {port.text: port for port in self.ports}
        others = (int(port) for port in opened.keys() - {*PORTS} if port.isdecimal())
        if opened.keys() >= {*PORTS} and max(others, default=0) <= MAX_WELL_KNOWN and not _MOUNTD.search(text):
            self.state("MOUNTD_CLOSED", opened[PORTS[0]])

    def _port(self, names: Iterable[str], given: Values) -> None:
        """A rule of a firewall that lets all addresses in. `names`: what stands in front of its keys."""
        sources = [text.text for text in _values(given, _ADMITTED)]
        ports = [port for text in _values(given, _OF_PORTS) for port in ports_in(text)]
        said = " ".join((*names, *(text.text for text in _values(given, _SENSE))))
        if _NOT_IN.search(said) or given.keys().isdisjoint((*_ADMITTED, *_OF_FIREWALL)):
            return
        self.ports += ports
        if _EVERYBODY.intersection(sources):
            for port in [port for port in ports if port.text in PORTS][:1]:
                self.state("OPEN_PORT", port)

    def _policy(self, given: Values) -> None:
        """A rule of a storage service's export policy that admits root from all addresses."""
        clients = [text for text in _values(given, _OF_EXPORT) if text.text in _EVERYBODY]
        security = [text.text for text in given.get("superuser", ())]
        is_root = any(text.text == value for key, value in _ROOT.items() for text in given.get(key, ()))
        if clients and (is_root or "any" in security or "sys" in security):
            self.state("OPEN_POLICY", clients[0])
        for squash in given.get("squashmode", ()) if is_root and not clients else ():
            rights = "ro" if any(text.text == "READ_ONLY" for text in given.get("accessmode", ())) else "rw"
            self.export([f"{_UNKNOWN} $clients(", Placed.in_place(f"{rights},no_root_squash", squash.span), ")"])

    def export(self, parts: Iterable[Placed | str]) -> None:
        self.segment("exports", "exports", Placed.joined([*parts, "\n"]))

    def export_part(self, text: Placed) -> bool:
        """Add text if it is a line of exports, or what follows the path in one, or the options of one."""
        if EXPORTED.search(text.text):
            self.export([text] if re.match(r'["/{$<][^(]* ', text.text) else [f"{_UNKNOWN} ", text])
        elif _EXPORT_ONLY.search(text.text) and not re.search(r"\S\s+\S|[\[\]{}:]'|':", joined(text.text)):
            before, behind = {"(": (f"{_UNKNOWN} $clients", ""), "-": (f"{_UNKNOWN} ", " $clients")}.get(
                text.text[0], (f"{_UNKNOWN} $clients(", ")"))
            self.export([before, text, behind])
        else:
            return False
        return True

    def map_line(self, text: Placed) -> bool:
        """Add text that certainly is a line of a map."""
        line = _MAP_LINE.fullmatch(text.text.strip())
        is_line = line is not None and any(map(_MAP_OPTION.fullmatch, line[1].split(",")))
        if is_line:
            self.segment("autofs", "auto.map", Placed.joined([text, "\n"]))
        return is_line

    def options(self, name: str, texts: Sequence[Placed]) -> bool:
        """Add the value of a variable if its name and value show options of NFS: of a mount, unless only exports have
        them. Returns whether they do."""
        texts = [text for text in texts if not (text.text.isdecimal() or text.text in ("null", "~", "true", "false"))]
        if not texts or not (OPTION_NAME.search(name) or "," in ",".join(text.text for text in texts)):
            return False
        if len(texts) > 1 and not any(re.search(r"[,(\s]", text.text) for text in texts):  # an option in each
            texts = [Placed.joined([part for text in texts for part in (",", text)][1:])]
        of_map = any(text.text.startswith("-fstype=nfs") for text in texts)
        starts = [len(text.text) - len(_IN_FRONT.sub("", text.text, 1)) for text in texts]
        texts = [text.cut(start, len(text.text.rstrip(","))) for start, text in zip(starts, texts)]
        listed = [text.text for text in texts if "," in text.text and _EXPORT_ONLY.search(text.text)]
        if any(all(map(EXPORT_ITEM.fullmatch, text.split(","))) for text in listed):
            return any(list(map(self.export_part, texts)))
        if not OPTION_NAME.search(name) or _DAEMON.search(name):
            return False
        if any(re.search(r"\s-|\s\w+\s", text.text) for text in texts):
            return False
        if any(_EXPORT_ONLY.search(text.text) for text in texts):
            return any(list(map(self.export_part, texts)))
        known = _NFS_OPTION if _NAME_OF_MOUNT.search(name) or self.about_nfs else _OWN_OPTION
        own = of_map or any(known.search(text.text) for text in texts)
        if texts[0].text.startswith("-") or not (own or "nfs" in name.lower()):
            return False
        # A word with a capital letter is the name of a parameter.
        if any(OF_OTHERS.search(text.text) or re.fullmatch(r"[A-Z]\w*", text.text) for text in texts):
            self.see(*texts)
            return True
        self.mount("ansible", texts[0].span, {"fstype": "nfs"}, texts)
        return True

    def together(
        self, name: str, given: Values, near: Span, *, titles: Sequence[Placed] = (), path: str = "",
        driver: bool = False,
    ) -> None:
        """Keys that stand together: text beside the path of its file, options beside a type or beside clients. `name`,
        `titles`: what stands in front; `driver`: a driver of NFS takes the options."""
        first = partial(_first, given)
        named = (name.strip(), *(title.text for title in titles))
        mode = first("mode", "permissions")
        where = first("path", "dest", "name") or next(iter(titles), None)
        if where and mode and MODE_OF_ALL.fullmatch(mode.text):
            if where.text.startswith("/etc/") and kind_of_path(where.text):
                self.state("OPEN_FILE", where)
            elif given.keys().isdisjoint((*TEXTS, "src", "source")):  # else it is a file
                self.placed.append(("OPEN_DIRECTORY", where))
        self._port(named, given)
        self._policy(given)
        plain = "encrypted" not in given or {text.text for text in given["encrypted"]} == {"false"}
        if plain and any(kind in named for kind in EFS):
            self.state("EFS_PLAIN", Placed.in_place("yes", near))
        path = path or next(
            (text.text for text in _values(given, PATHS) if _PATH.search(text.text) or kind_of_path(text.text)), "")
        absent = any(text.text == "absent" for text in given.get("state", ()))
        replaced = ("replace",) if "regexp" in given else ()
        for text in _values(given, (*TEXTS, *replaced)) if path else ():
            if absent:
                self.see(text)
            elif kind_of_path(path) or not looks_like_command(text.text):
                whole = decoded(text, first("encoding"))
                if not whole.text and kind_of_path(path) and text.text.strip():
                    self.unread.update([text.span.line])
                else:
                    self.written(path, Placed.joined([whole, "\n"]))
        key, value, parameters = first("name"), first("value"), first("params")
        section, option = first("section"), first("option", "setting")
        if path and section and option and value and not absent:
            ini = Placed.joined(["[", section, "]\n", option, " = ", value, "\n"])
            if not self.written(path, ini):
                self.options(option.text, [value])
        setting = key or first("key") or next(iter(titles), None)
        if setting and value and SYSCTL.fullmatch(setting.text):
            self.in_kernel("sysctl", [Placed.joined([setting, "=", value])])
        elif key and value and key.text == "stonith-enabled":
            self.state("FENCING", value)
        elif key and value:  # a variable of the environment, a value of a chart
            self.options(key.text, given["value"])
        elif key and parameters:
            words = re.finditer(r"\S+", parameters.text)
            self.in_kernel("modprobe", [key, *(parameters.cut(*word.span()) for word in words)])
        self._mounted(name, given, near, titles=titles, driver=driver)

    def _mounted(self, name: str, given: Values, near: Span, *, titles: Sequence[Placed], driver: bool) -> None:
        """Keys that ask for a mount, a volume or an export, as `together` has them."""
        first = partial(_first, given)
        types = (text for text in _values(given, KINDS) if text.text in TYPES)
        kind = next(types, first(*KINDS)) or (first("nfs") if "mountoptions" in given else None)
        source = first(*SOURCES)
        clients = next((given[key] for key in CLIENTS if given.get(key)), [])
        options = [*_values(given, OPTIONS)]
        kind = kind and _meant(kind)
        is_nfs, located = kind is not None and kind.text in (*TYPES, "true"), source is not None and ":" in source.text
        if is_nfs:
            self.see(*_values(given, KINDS))
        if is_nfs and ("o" in given or "driver_opts" in name):
            self.volume(given, near, "compose")
        elif any(_EXPORT_ONLY.search(text.text) for text in options) and not is_nfs:
            if (clients or "export" in name) and "(" not in options[0].text:
                modes = [(means, text) for key, values in _MODES.items() for text in given.get(key, ())
                         for means in [values.get(text.text)] if means]
                options += [Placed.in_place(means, text.span) for means, text in modes]
                listed = [part for text in options for part in (",", text)][1:]
                admitted = [part for client in clients or ("$clients",) for part in (" ", client, "(", *listed, ")")]
                title = first("name")
                directory = first("path", "directory") or (title if title and title.text[:1] in "/$<{" else _UNKNOWN)
                self.export([directory, *admitted])
        elif options and not kind and "auto" in name and (place := first(*SOURCES, "location")) and ":" in place.text:
            sign = "" if options[0].text.startswith("-") else "-"
            key = first("key") or first("name") or "key"
            self.segment("autofs", "auto.map", Placed.joined([key, f" {sign}", options[0], " ", place, "\n"]))
        elif (options or located or (source and is_nfs)) and (
            is_nfs or (driver and not kind) or re.search(_MOUNT_NAME, name)
        ):
            rules = "kubernetes" if driver else "systemd-mount" if "what" in given else "ansible"
            options += [Placed.in_place("udp", text.span) for text in given.get("nfsudp", ()) if text.text == "true"]
            numbers = {"freq": first("dump"), "passno": first("passno", "passnum")}
            self.mount(rules, near, {
                "fstype": kind if kind and kind.text in TYPES else "nfs", "target": next(iter(titles), ""),
                "source": source if source and (located or (self.plain and "/" in source.text)) else "",
                **{name: number for name, number in numbers.items() if number},
            }, options)

    def written(self, path: str, text: Placed, group: int = 0, depth: int = 0) -> bool:
        """Add the text of the file `path`, "" if that is not known. Returns whether it is configuration of NFS."""
        found = (text.span, text.text.strip())
        if found in self._written:  # by its first line, and by the path beside it
            return True
        if text.text.startswith(kinds.IN_PARTS) and not depth:
            read = [self.written(name, part, group, depth + 1) for name, part in parts_of(text)]
            return any(read)
        named, at_once = kind_of_path(path), TO_KERNEL.match(path)
        if named and identify(text.text, path) in _OTHER_SYSTEMS:
            self.see(text)
            return True
        of_bsd = _EXPORT_OF_OTHERS.search(text.text) and not self.on_linux
        if named == "exports" and (of_bsd or _EXPORT_OF_AIX.search(text.text)):
            self.see(text)
            return True
        if named == "udev" and group:  # of a shell, which may fill in $4 and $kernel itself
            return False
        if at_once:
            start = path[10:].replace("/", ".") if at_once[1] is None else f"options {at_once[1]} {at_once[2]}"
            self.segment("sysctl" if at_once[1] is None else "modprobe", AT_ONCE, Placed.joined([f"{start}=", text]))
            return True
        if "automountInformation:" in text.text:
            for entry in _ENTRY.finditer(text.text):  # of maps in LDIF, where a line that begins with a space goes on
                at, parts = entry.end(1), []
                for line in text.text[at : entry.end()].split("\n "):
                    parts.append(text.cut(at, at + len(line)))
                    at += len(line) + 2
                of_master = _OF_MASTER.match(Placed.joined(parts).text) is not None
                map_name, key = ("auto.master", "/- ") if of_master else ("auto.ldap", "key ")
                self.segment("autofs", map_name, Placed.joined([key, *parts, "\n"]))
            return True
        language = kinds.outer_language(text.text, path)
        if language in (kinds.SHELL, kinds.CRMSH) or path.endswith(".service") or "ocf:heartbeat:" in text.text:
            self.scripts.append((text, depth + 1))
            self._written.add(found)
            return True
        path = path or ("user-data" if re.match(_USER_DATA, text.text) else "")
        kind = named or identify(text.text, path)
        by_content = kind in _BY_CONTENT and (kind in _INI or "nfs" in text.text.lower())
        if kind is None or not (named or by_content) or (kind in _INI and text.text.lstrip()[:1] != "["):
            return False
        self.segment(kind, path or kind, text, group)
        self._written.add(found)
        return True


def _first(given: Values, *keys: str) -> Placed | None:
    return next(_values(given, keys), None)


def _values(given: Values, keys: Iterable[str]) -> Iterator[Placed]:
    return (text for key in keys for text in given.get(key, ()))


def ports_in(text: Placed) -> list[Placed]:
    """The ports that this names, as commands and modules for firewalls write them."""
    named = _PORTS.fullmatch(text.text)
    return [text.cut(*port.span()) for port in re.finditer(r"\d+", text.text)] if named else []


def _path(text: str) -> str:
    """The form of a path in which two are compared: `$A/b` for `${A}/b/*`."""
    return re.sub(r"\$\{(\w+)\}", r"$\1", joined(text).strip("\"'").removesuffix("*")).rstrip("/")


def _meant(text: Placed) -> Placed:
    """The text, or the default of the variable that it is."""
    span = default_of(text.text)
    return text.cut(*span) if span else text


def kind_of_path(path: str) -> str:
    """The kind of file that a path alone proves, or ""."""
    kind, own = by_name("/" + path) if path else (None, False)
    return kind if kind in _BY_NAME and own else ""


def is_export_client(text: str) -> bool:
    """Whether this is a client with at least two options, which is of exports whatever is around it."""
    client = _CLIENT.fullmatch(text)
    options = client[1].split(",") if client else []
    return len(options) > 1 and all(map(_OF_EXPORTS.fullmatch, options))


def looks_like_command(text: str) -> bool:
    """Whether text, such as a string in a program, begins with a command that may be about NFS."""
    return _COMMAND.match(text) is not None
