"""The kinds of files: which one a file is, by its name and content, and the reader of each.

The name proposes a kind, which content that fits it nowhere, or another kind mostly, overrules. A text that fits no
kind has none: fstab is not a fallback.

    for mount in read_mounts("autofs", text, "/etc/auto.home").mounts: mount.options.text, mount.options.at(0, 4)
    for one in read_settings("nfs.conf", text, "/etc/nfs.conf").settings: one.section, one.key.text, one.value.span
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from advisor.files.records import Assignment, Assignments, MountTable


SAMPLE = 400
"""Lines that are enough to tell."""
WIDTH = 2000
"""Characters that are read of each line."""


class Kind(NamedTuple):
    """`title`: for people. `commented`: such files can have comments, unlike the output of a program or a kernel
    command line. The others are regular expressions. `names`: the end of a path, which always has a slash in front.
    `sign`: a line that settles the kind wherever it is. `line`: an ordinary line; `usual`: most of these, by a form
    that compiles fast. They are matched at the start of a line without indentation, with one space for each run of
    white space.

    A kind that is recognised by its sign comes before one recognised by its lines; of several the first in KINDS
    wins."""

    id: str
    title: str
    names: str = ""
    sign: str = ""
    line: str = ""
    commented: bool = True
    usual: str = ""


_LOCATION = r"(?:\[[0-9A-Fa-f:.%\w]+\]|[\w.$&{}@-]+(?:\(\d+\))?(?:,[\w.()-]+)*)?:[/$&<]"
_HELPERS = r"nfs4?|efs|aznfs|nfs3|vastnfs"
_TYPES = rf"(?:{_HELPERS}|ext[234]|xfs|btrfs|vfat|swap|auto|tmpfs|cifs|smb3|ntfs(?:-3g)?|iso9660|udf|bind|proc|none)"
_EXPORT_WORD = r"(?:r[wo]|a?sync|(?:no_|in)?[a-z]+_?[a-z_]*|fsid=\S*|sec=\S*|anon[ug]id=\S*|xprtsec=\S*)"

KINDS = (
    Kind("script", "a program", sign=r"#!"),
    Kind("cloud-init", "cloud-init user data", r"/user-data$", r"#cloud-config\b|mount_default_fields:|mounts: ?$"),
    Kind("mountinfo", "/proc/self/mountinfo", r"[/._-]mountinfo$", line=r"\d+ \d+ \d+:\d+ \S+ \S+ (?:rw|ro)\b",
         commented=False),
    Kind("mountstats", "/proc/self/mountstats", r"[/.]mountstats$", r"device \S+ mounted on \S+ with fstype ",
         commented=False),
    Kind("mount", "output of mount", line=r"\S+ on /[^(]* type \S+ \(", commented=False),
    Kind("findmnt", "output of findmnt", sign=r'TARGET +SOURCE\b|TARGET="|[├└]─ ?/|"filesystems": ?\[',
         commented=False),
    Kind("nfsstat", "output of nfsstat -m", sign=r"/\S* from \S+:/\S*$|Flags: r[wo],", commented=False),
    Kind("cib", "a Pacemaker configuration", r"/cib\.xml$", r"<(?:cib|primitive|resources|configuration)\b"),
    Kind("corosync.conf", "corosync.conf", r"/corosync\.conf$", r"(?:totem|nodelist|quorum) ?\{"),
    Kind("ganesha.conf", "ganesha.conf",
         r"[/._-]ganesha[\w.-]*\.conf$|/ganesha(?:\.d|/[\w.-]+\.d|/exports)/[^/]*\.conf$",
         r"(?i:EXPORT|EXPORT_DEFAULTS|NFS_CORE_PARAM|NFSv4|NFS_KRB5|MDCACHE|CACHEINODE|RADOS_KV|RADOS_URLS) ?(?:\{|$)"
         r"|(?i:Export_Id|Pseudo) ?= ?[\w/\"']+ ?;",
         line=r"%(?:include|dir|url) \S|(?i:LOG|CEPH|VFS|GPFS|FSAL|CLIENT|DIRECTORY_SERVICES|PSEUDOFS) ?(?:\{|$)"),
    Kind("cmdline", "a kernel command line", r"/cmdline$",
         r"(?:\S+ )*(?:nfsroot=|netroot=nfs|root=/dev/nfs\b|root=nfs|BOOT_IMAGE=)", commented=False),
    Kind("nfsmount.conf", "nfsmount.conf", r"[/._-]nfsmount\.conf$|/nfsmount\.conf\.d/[^/]*\.conf$",
         r"\[ ?(?i:NFSMount_Global_Options|MountPoint|Server)\b"),
    Kind("autofs.conf", "autofs.conf", r"/autofs\.conf$", r"\[ ?(?:autofs|amd) ?\]"),
    # Files of other systems that look like ours.
    Kind("vfstab", "vfstab of Solaris", r"/vfstab$", r"\S+ \S+ (?:/\S*|-) \S+ (?:-|\d) (?:yes|no) \S+$"),
    Kind("dfstab", "dfstab of Solaris", r"/dfstab$", r"(?:/usr/sbin/)?share -[Fod] \S"),
    Kind("macos-nfs.conf", "nfs.conf of macOS", sign=r"nfs\.(?:client|server|lockd|statd)\.\w+(?:\.\w+)* ?(?:=|$)"),
    Kind("nfs.conf", "nfs.conf", r"[/._-]nfs\.conf$|/nfs\.conf\.d/[^/]*\.conf$",
         r"\[ ?(?i:nfsd|mountd|statd|lockd|exportfs|exportd|s?v?c?gssd|nfsdcl(?:trac)?[dk]|sm-notify|nfsrahead) ?\]"),
    Kind("idmapd.conf", "idmapd.conf", r"/idmapd\.conf$|/idmapd\.conf\.d/[^/]*\.conf$",
         r"\[ ?(?:Mapping|Translation|Static|UMICH_SCHEMA) ?\]"),
    Kind("systemd-mount", "a systemd mount or automount unit", r"\.(?:auto)?mount$|[./](?:auto)?mount\.d/[^/]*\.conf$",
         r"\[(?:Mount|Automount)\]"),
    Kind("systemd-unit", "a systemd unit of another type",
         r"\.(?:service|socket|timer|target|path|slice)$|\.(?:service|target)\.d/[^/]*\.conf$",
         r"\[(?:Unit|Service|Install)\]"),
    Kind("compose", "a compose file", r"/(?:docker-)?compose[^/]*\.ya?ml$", r"driver_opts: ?$|services: ?$"),
    Kind("kubernetes", "Kubernetes objects or Helm values",
         sign=r"apiVersion: ?\S|(?:- )?\"?mountOptions\"?:|\"apiVersion\":|kind: (?:PersistentVolume|StorageClass)"),
    Kind("salt", "Salt states", r"\.sls$", r"(?:- )?mount\.(?:mounted|fstab_present)\b"),
    Kind("ansible", "Ansible tasks or variables", sign=r"- hosts: ?\S|(?:- )?(?:ansible\.\w+\.)?mount:(?: |$)|"
         r"(?:- )?(?:fstype|opts|mount_opts|nfs\w*_(?:opts|options|mounts?)|\w*mount_options?): ?\S|- name: \S"),
    Kind("udev", "udev rules", r"/udev/rules\.d/|\.rules$",
         line=r'(?:ACTION|DEVPATH|SUBSYSTEMS?|KERNELS?|DRIVERS?|ATTRS?|ENV|TAGS?|PROGRAM|IMPORT|NAME|SYMLINK|RUN|TEST|CONST'
         r'|SYSCTL|OPTIONS|LABEL|GOTO)(?:\{[^}]*\})? ?[=!+:-]?= ?"[^"]*"(?: ?,|$)'),
    Kind("autofs", "an autofs master file or map", r"/auto[._](?!conf$)[\w.-]+$|\.autofs$",
         line=rf"\+[\w.:/-]+$|(?:/\S*|\+\S*) (?:-(?:hosts|null)\b|(?:file|program|yp|nis|nisplus|ldaps?|hesiod|sss|dir"
         rf"|multi|exec)[,:]\S|/\S*auto[._]\S|auto[._]\S)|.*[\" ]-fstype=|"
         rf'(?:[^ :="]+|"[^"]*") (?:-\S+ )?(?:/\S* (?:-\S+ )?)?{_LOCATION}|{_LOCATION}\S*$|/\S* {_LOCATION}'),
    Kind("exports", "exports(5)", r"[/.]exports$|/exports\.d/[^/]*$|/exports[._-][\w.-]*$",
         line=rf'(?:"[^"]*"|[/<$\\{{][^" (]*) [^"]*?\((?:{_EXPORT_WORD}[,) ]|\)|{_EXPORT_WORD}$)'),
    Kind("autofs-defaults", "settings of the autofs service", r"/(?:default|sysconfig|conf\.d)/autofs$",
         line=r"(?:DEFAULT_)?(?:MASTER_MAP_NAME|TIMEOUT|NEGATIVE_TIMEOUT|BROWSE_MODE|APPEND_OPTIONS|LOGGING|"
         r"LDAP_\w+|SEARCH_BASE|MAP_OBJECT_CLASS|ENTRY_\w+|AUTH_CONF_FILE|MOUNT_NFS_DEFAULT_PROTOCOL|MAP_ATTRIBUTE|"
         r"VALUE_ATTRIBUTE|DAEMONOPTIONS|LOCALOPTIONS|UNDERSCORETODOT|DISABLE_DIRECT|USE_MISC_DEVICE|OPTIONS)="),
    Kind("nfs-defaults", "variables of the NFS services",
         r"/(?:default|sysconfig|conf\.d)/(?:nfs[\w-]*|rpc[\w.-]*)$|[/._-]default[_/-]nfs[\w.-]*$",
         line=r"(?:export )?(?:RPC\w+|STATD\w*|LOCKD_\w+|MOUNTD_\w+|NEED_\w+|NFSD?\w*|RQUOTAD\w*|S?V?C?GSSD\w*|"
         r"PIPEFS_MOUNTPOINT|SMNOTIFYARGS|IDMAPD\w*|USE_KERNEL_NFSD_NUMBER|SECURE_NFS\w*|OPTS_RPC\w*|CREATE_XFS\w*|"
         r"BLKMAPDARGS|GSS_\w+|EXPORTFS_\w+|KEYTAB\w*)="),
    Kind("modprobe", "modprobe.d", r"/modprobe\.d/[^/]*$|[/._-]modprobe\.(?:conf|d[._-])[^/]*$",
         line=r"options [\w$-]+ \w|install \S+ \S|remove \S+ \S|blacklist [\w-]+(?: #.*)?$|alias \S+ [\w$-]+$|"
         r"softdep \S+ (?:pre|post):"),
    Kind("sysctl", "sysctl.d", r"/sysctl\.d/[^/]*$|[/._-]sysctl\.(?:conf|d[._-])[^/]*$",
         line=r"-?[\w*@-]+(?:[./][\w*@-]+)+ ?="),
    Kind("proc-mounts", "/proc/mounts", r"/proc/(?:\d+/|self/|thread-self/)?mounts$|/mtab$|\.mounts$|[/_]proc_mounts$",
         line=r"\S+ /\S* \S+ (?:rw|ro)(?:,\S*)? 0 0$|\S+ /\S* (?:sysfs|rootfs|proc|devtmpfs) (?:rw|ro)(?:,\S*)?$"
         r"|\S+ /\S* nfs4? r[wo],\S*\bnamlen=", commented=False),
    Kind("fstab", "fstab", r"/(?![vd]fstab$)[^/]*fstab[^/]*$",
         line=rf"\S+ (?:/\S*|none|swap) [A-Za-z][\w.-]*(?: [^(]|$)"
         rf"|(?:[^ :/]+:/|//|/dev/|(?:PART)?(?:UUID|LABEL)=)\S* \D"
         rf"|\S.* (?:{_HELPERS})(?: [^(]|$)|\S+ \S+ {_TYPES}(?: [^(]|$)", usual=r"\S+ /\S* [a-z][\w.-]* [^(]"),
)
BY_ID = {kind.id: kind for kind in KINDS}
IN_EFFECT = ("proc-mounts", "mountinfo", "mount", "findmnt", "nfsstat")
"""Kinds that list what is mounted, not what is to be mounted."""
_MOUNT_READERS = {
    "fstab": "fstab.read_mounts", "systemd-mount": "units.read_unit_mounts", "autofs": "autofs.read_maps",
    "cmdline": "kernel_settings.read_root_mounts", "kubernetes": "yaml_mounts.read_kubernetes",
    "nfsmount.conf": "nfs_conf.read_nfsmount",
    **dict.fromkeys(("compose", "ansible", "salt", "cloud-init"), "yaml_mounts.read_playbook"),
    **dict.fromkeys(IN_EFFECT, "mountinfo.read_mount_list"),
}
MOUNTS = tuple(_MOUNT_READERS)
"""Kinds that `read_mounts` reads."""
_SETTING_READERS = {
    "nfs.conf": "nfs_conf.read_conffile", "idmapd.conf": "nfs_conf.read_conffile",
    "nfs-defaults": "nfs_conf.read_variables", "autofs.conf": "autofs.read_autofs_conf",
    "autofs-defaults": "autofs.read_autofs_conf", "autofs": "autofs.read_master",
    "sysctl": "kernel_settings.read_sysctl", "modprobe": "kernel_settings.read_modprobe",
    "cmdline": "kernel_settings.read_cmdline", "udev": "kernel_settings.read_udev", "systemd-mount": "units.read_unit",
    "ganesha.conf": "ganesha.read_settings", "cib": "cib.read_settings", "kubernetes": "kubernetes.read_settings",
}
"""Kind of file → module and function; the module is loaded with the first file of the kind."""
SETTINGS = tuple(_SETTING_READERS)
"""Kinds that `read_settings` reads."""
INCLUDING = ("nfs.conf", "idmapd.conf", "ganesha.conf")
"""Kinds in which one file can include another."""
MAX_INCLUDED = 10
"""Files of which each includes the next one."""
JUDGED = tuple(dict.fromkeys(("fstab", "exports", *MOUNTS, *SETTINGS)))
"""Kinds that are read and judged."""
AROUND = ("script", "systemd-unit", "ansible", "salt", "cloud-init", "kubernetes", "compose")
"""Kinds that may have text of other kinds inside."""

_KERNEL = (
    r"\S+ /\S* (?:(?:rootfs|sysfs|proc|devtmpfs|devpts|securityfs|cgroup2?|autofs) r[wo]\b|\S+ r[wo],\S*"
    r"(?:\baddr=|\bmountaddr=|\bclientaddr=|\bnamlen=))"
)
_COMMENT = r"(?m)^[ \t]*[#;]+"
_BETWEEN = r"\{%[^%]*%\}|\{\{-?/\*|<%[^%]*%>$"


def identify(text: str, name: str = "") -> str | None:
    """The id of the kind, None if it is unknown. `name`: the path, "" for none. An empty file counts as an fstab, in
    which nothing can be misread."""
    named = _by_name(name)
    if named == "script":
        return named
    lines = list(_lines(text))
    if named is not None and (not lines or any(_matches_kind(BY_ID[named], line) for line in lines)):
        return named
    if not lines:  # what is commented out shows what it was
        commented = _by_content(list(_lines(re.sub(_COMMENT, "", text))), "", least=0.0)
        return commented or (None if text.strip() else "fstab")
    kind = _by_content(lines, text)
    return kind if named is None or (kind is not None and _share(BY_ID[kind], lines) > 0.5) else named


def _by_name(name: str) -> str | None:
    path = "/" + name
    for kind in reversed(KINDS):  # fstab first: it is by far the most frequent
        if kind.names and _compiled(kind.names).search(path):
            return kind.id
    return None


def _lines(text: str) -> Iterator[str]:
    """Lines without comments and empty lines, with single spaces; continued lines are joined."""
    seen = 0
    begun = ""
    for raw in text.split("\n"):
        words = begun + " ".join(raw[:WIDTH].split())
        begun = ""
        if not words or (words[0] in "#;" and not words.startswith(("#cloud-config", "#!"))):
            continue
        if words.startswith("#!") and seen:
            continue
        if words.endswith("\\") and len(words) < WIDTH:
            begun = words[:-1]
            continue
        if words.startswith(("{%", "{{", "<%")) and re.match(_BETWEEN, words):
            continue
        yield words
        seen += 1
        if seen >= SAMPLE:
            return
    if begun:
        yield begun


def _matches_kind(kind: Kind, line: str) -> bool:
    return any(form and _compiled(form).match(line) for form in (kind.usual, kind.line, kind.sign))


def _by_content(lines: list[str], text: str, least: float = 0.49) -> str | None:
    """The kind that most lines fit, if their share is above `least`."""
    for kind in KINDS:
        if kind.sign and any(map(_compiled(kind.sign).match, lines)):
            return kind.id
    best, most = None, least
    for kind in KINDS:
        share = _share(kind, lines) if kind.line else 0.0
        if kind.id == "proc-mounts" and not (share > 0.9 and _from_the_kernel(lines, text)):
            continue
        if share > most:
            best, most = kind.id, share
    return best


def _share(kind: Kind, lines: list[str]) -> float:
    """The share of lines that fit, 1 if one of them settles the kind."""
    if kind.sign and any(map(_compiled(kind.sign).match, lines)):
        return 1.0
    return sum(map(bool, map(_compiled(kind.line).match, lines))) / len(lines) if kind.line and lines else 0.0


def _from_the_kernel(lines: list[str], text: str) -> bool:
    """Whether this is the kernel's list of mounts, not an fstab that looks like it: it has no comments, and single
    spaces."""
    if "\t" in text or "  " in text or text.lstrip().startswith("#") or "\n#" in text:
        return False
    matching = sum(re.match(_KERNEL, line) is not None for line in lines)
    usual = sum(",relatime" in line or "seclabel" in line for line in lines)
    return matching > 0 or usual * 2 > len(lines)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)


def read_mounts(kind: str, source: str | bytes, name: str, unit: str = "") -> MountTable:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises.
    `unit`: of a drop-in, the text of the mount unit that it changes."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    table: MountTable = _loaded(_MOUNT_READERS[kind])(text, name, kind, *((unit,) if unit else ()))
    return table


def included(name: str, value: str) -> tuple[str, bool]:
    """The file that `include=` in the file `name` refers to, and whether it may be missing (a leading dash)."""
    optional = value.startswith("-")
    path = value[1:] if optional else value
    beside = "/" in name and not path.startswith("/")
    return f"{name.rpartition('/')[0]}/{path}" if beside else path, optional


def included_folder(name: str, directive: Assignment) -> str | None:
    """The pattern of the files that a directive in the file `name` includes; None if it does not name a folder."""
    if directive.key.text.lower() != "dir":
        return None
    path = included(name, directive.value.text.rstrip("/"))[0]
    return path if "*" in path.rpartition("/")[2] else f"{path}/*"


def read_settings(kind: str, source: str | bytes, name: str, begins: str | None = None) -> Assignments:
    """Read the text or the bytes (UTF-8; other bytes are kept as surrogate escapes) of a file. Never raises.
    `begins`: the section in which another file includes this one."""
    text = source if isinstance(source, str) else source.decode("utf-8", "surrogateescape")
    assignments: Assignments = _loaded(_SETTING_READERS[kind])(text, name, kind, *(() if begins is None else (begins,)))
    return assignments


def _loaded(place: str) -> Any:
    """A function of a module of this package."""
    module, _, function = place.partition(".")
    return getattr(__import__(f"advisor.files.{module}", fromlist=[function]), function)
