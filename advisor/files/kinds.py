"""The kinds of files: which one a file is, by its name and content, and the reader of each.

A kind is proved. A program is one by its first line, and a file in another language by its name.
Else the name proposes a kind, which the lines have to have the form of; without such a name, at least one line has to
be certainly about NFS besides. A text that fits no kind has none: fstab is not a fallback.

    for mount in read_mounts("autofs", text, "/etc/auto.home").mounts: mount.options.text, mount.options.at(0, 4)
    for one in read_settings("nfs.conf", text, "/etc/nfs.conf").settings: one.section, one.key.text, one.value.span
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from advisor.files.placeholders import flat, shown_file, without_statements
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from advisor.files.records import Assignments, MountTable


NOT_YAML = "this cannot be read as YAML"
"""What is said of a text of which nothing could be read."""
SAMPLE = 400
"""Lines that are enough to tell."""
WIDTH = 2000
"""Characters that are read of each line."""


class Kind(NamedTuple):
    """`title`: for people. `commented`: such files can have comments, unlike the output of a program or a kernel
    command line. The others are regular expressions. `names`: the end of a path, which always has a slash in front,
    that such files alone have; `loose`: one that others have as well. `sign`: a line that no other kind of file has,
    and that is about NFS; a YAML file needs a word of NFS anywhere besides. `line`: an ordinary line; `usual`: most of
    these, by a form that compiles fast. They are matched at the start of a line without indentation, with one space for
    each run of white space.

    Of several kinds the one that most lines fit wins, and of equal ones the first in KINDS."""

    id: str
    title: str
    names: str = ""
    sign: str = ""
    line: str = ""
    commented: bool = True
    usual: str = ""
    loose: str = ""


_HOST = r"(?:\[[0-9A-Fa-f:.%\w]+\]|[\w.$&{}@-]+(?:\(\d+\))?(?:,[\w.()-]+)*)?"
_LOCATION = rf"{_HOST}:[/$&<{{](?!/)"
_HELPERS = r"nfs4?|efs|aznfs|nfs3|vastnfs"
_TYPES = rf"(?:{_HELPERS}|ext[234]|xfs|btrfs|vfat|swap|auto|tmpfs|cifs|smb3|ntfs(?:-3g)?|iso9660|udf|bind|proc|none)"
_EXPORT_WORD = (
    r"(?:r[wo]|a?sync|(?:no_)?(?:root_squash|all_squash|subtree_check|wdelay|acl|auth_nlm|pnfs)|(?:in)?secure(?:_locks)?"
    r"|(?:no)?hide|crossmnt|mp|mountpoint|security_label|fsid=\S*|sec=\S*|anon[ug]id=\S*|xprtsec=\S*)"
)
_MODULES = r"(?:nfs\w*|sunrpc|lockd|auth_rpcgss|rpcsec_gss_krb5|rpcrdma|svcrdma|xprtrdma|grace)"
_YAML = r"- |-$|\S[^:]*:(?: |$)|---|[\[\]{}\"']"
_KEY = r"(?:- )?[\"']?\w+[\"']?:(?: |$)|---$|- |#"
_INI = r"\[[^\]]*\]|[\w. -]+=|include\b"
_VARIABLE = r"(?:export )?[A-Z_][A-Z_0-9]*="
_MAP_TYPES = r"(?:file|program|yp|nis|nisplus|ldaps?|hesiod|sss|dir|multi|exec)[,:]\S"

KINDS = (
    Kind("script", "a program", sign=r"#!"),
    Kind("cloud-init", "cloud-init user data", r"/user-data$",
         r"#cloud-config\b|mount_default_fields:|- \[ ?[^,\]]*:/[^,\]]*, ?[\"']?/", _YAML),
    Kind("mountinfo", "/proc/self/mountinfo", r"[/._-]mountinfo$", r"\d+ \d+ \d+:\d+ \S+ \S+ (?:rw|ro)\b",
         commented=False),
    Kind("mountstats", "/proc/self/mountstats", r"[/.]mountstats$", r"device \S+ mounted on \S+ with fstype nfs4?\b",
         r"\w[\w.() -]*:|\d|device \S+ mounted on ", commented=False),
    Kind("mount", "output of mount", sign=r"\S+ on /[^(]* type \S+ \(", commented=False),
    Kind("findmnt", "output of findmnt", sign=r'TARGET +SOURCE\b|TARGET="|[├└]─ ?/\S* \S+ \w+ \w+|"target": ?"/',
         line=r'[│ ]*[├└]─|/\S* \S+|["{\[\]}]', commented=False),
    Kind("nfsstat", "output of nfsstat -m", sign=r"/\S* from \S+:/\S*$|Flags: r[wo],", commented=False),
    Kind("cib", "a Pacemaker configuration", r"/cib\.xml$", r"<(?:cib|primitive [^>]*(?:id|class)=)", r"<"),
    Kind("corosync.conf", "corosync.conf", r"/corosync\.conf$", r"(?:totem|nodelist|quorum) ?\{",
         r"\w+ ?\{|\}|\w+: ?\S"),
    Kind("ganesha.conf", "ganesha.conf",
         r"[/._-]ganesha(?!-ha)[\w.-]*\.conf$|/ganesha(?:\.d|/[\w.-]+\.d|/exports)/[^/]*\.conf$",
         r"(?i:EXPORT_DEFAULTS|NFS_CORE_PARAM|NFSv4|NFS_KRB5|MDCACHE|CACHEINODE|RADOS_KV|RADOS_URLS) ?(?:\{|$)"
         r"|(?i:EXPORT ?\{ ?)?(?i:Export_Id|Pseudo|Access_Type|Squash) ?= ?[\w/\"']+ ?;",
         r"\w+(?: ?\{| ?=[^=>]|$)|[{}%]|\"|[\w./*-]+ ?[,;]"),
    Kind("cmdline", "a kernel command line", r"/cmdline$",
         r"(?:\S+ )*(?:nfsroot=|netroot=nfs|root=/dev/nfs\b|root=nfs|BOOT_IMAGE=)",
         r"(?i:append|boot\w*|default|display|fdt\w*|initrd|ipappend|kernel|label|linux\w*|menu\w*|onerror|ontimeout"
         r"|options|prompt|say|serial|set\w*|timeout|title|ui)\b|[A-Z_]+=|\}$",
         loose=r"/pxelinux\.cfg/[^/]*$|linux\.(?:cfg|conf)$", commented=False),
    Kind("nfsmount.conf", "nfsmount.conf", r"[/._-]nfsmount\.conf$|/nfsmount\.conf\.d/[^/]*\.conf$",
         r"\[ ?(?:(?i:NFSMount_Global_Options) ?\]|(?i:MountPoint|Server) ?\")", _INI),
    Kind("autofs.conf", "autofs.conf", r"/autofs\.conf$",
         r"\[ (?:autofs|amd) \]|(?:master_map_name|mount_nfs_default_protocol|browse_mode|negative_timeout) ?=", _INI),
    # Files of other systems and programs that look like ours.
    Kind("ufw-applications", "an application profile of ufw", r"/ufw/applications\.d/[^/]*$",
         r"ports ?= ?\d[\d,:|/a-z]*$", _INI),
    Kind("vfstab", "vfstab of Solaris", r"/vfstab$", r"\S+ \S+ (?:/\S*|-) \S+ (?:-|\d) (?:yes|no) \S+$"),
    Kind("bsd-map", "an automounter map of FreeBSD or macOS",
         sign=r"\S+ (?:/\S* )?-(?:[\w=]{1,40},){0,30}(?:nfsv[234]|nolocks|locallocks|oneopenown|nfc)\b"
         r"|\S+ -\S+ nfs://"),
    Kind("dfstab", "dfstab of Solaris", r"/dfstab$", r"(?:/usr/sbin/)?share -[Fod] \S"),
    Kind("macos-nfs.conf", "nfs.conf of macOS", sign=r"nfs\.(?:client|server|lockd|statd)\.\w+(?:\.\w+)* ?(?:=|$)"),
    Kind("ansible-inventory", "an inventory of Ansible",
         sign=r"\[[\w.-]+:(?:vars|children)\]$|[\w.-]+ ansible_\w+ ?=", line=_INI),
    Kind("nfs.conf", "nfs.conf", r"(?<!\.d)/nfs\.conf$|[._-]nfs\.conf$|/nfs\.conf\.d/[^/]*\.conf$",
         r"\[ ?(?i:nfsd|mountd|statd|lockd|exportfs|exportd|s?v?c?gssd|nfsdcl(?:trac)?[dk]|sm-notify|nfsrahead) ?\]",
         _INI),
    Kind("idmapd.conf", "idmapd.conf", r"/idmapd\.conf$|/idmapd\.conf\.d/[^/]*\.conf$",
         r"(?i:Nobody-(?:User|Group)|Local-Realms|GSS-Methods|Pipefs-Directory) ?=|\[ ?UMICH_SCHEMA ?\]", _INI),
    Kind("systemd-mount", "a systemd mount or automount unit", r"\.(?:auto)?mount$|[./](?:auto)?mount\.d/[^/]*\.conf$",
         r"\[(?:Mount|Automount)\]", _INI),
    Kind("systemd-unit", "a systemd unit of another type",
         r"\.(?:service|socket|timer|target|path|slice)$|\.(?:service|target)\.d/[^/]*\.conf$",
         r"\[(?:Unit|Service|Install)\]", _INI),
    Kind("compose", "a compose file", r"/(?:docker-)?compose[^/]*\.ya?ml$", r"driver_opts: ?$|services: ?$",
         _YAML),
    Kind("kubernetes", "Kubernetes objects or Helm values",
         sign=r"apiVersion: ?\S|(?:- )?\"?mountOptions\"?:|[{ ]*\"apiVersion\":|"
         r"kind: (?:PersistentVolume|StorageClass)", line=_YAML),
    Kind("salt", "Salt states", r"\.sls$", r"(?:- )?mount\.(?:mounted|fstab_present)\b", _YAML),
    Kind("ansible", "Ansible tasks or variables", sign=r"- hosts: ?\S|(?:- )?(?:ansible\.\w+\.)?mount:(?: |$)|"
         r"(?:- )?(?:fstype|opts|mount_opts|nfs\w*_(?:opts|options|mounts?)|\w*mount_options?): ?\S|- name: \S",
         line=_YAML),
    Kind("udev", "udev rules", r"/udev/rules\.d/[^/]*\.rules$", loose=r"/udev/rules\.d/|\.rules$",
         sign=r'[A-Z]+(?:\{[^}]*\})? ?[=!+:-]?= ?"[^#]*\b(?:bdi|nfs|read_ahead_kb)\b',
         line=r'(?:ACTION|DEVPATH|SUBSYSTEMS?|KERNELS?|DRIVERS?|ATTRS?|ENV|TAGS?|PROGRAM|IMPORT|NAME|SYMLINK|RUN|TEST|CONST'
         r'|SYSCTL|OPTIONS|LABEL|GOTO)(?:\{[^}]*\})? ?[=!+:-]?= ?"[^"]*"(?: ?[,;]|$)'),
    Kind("autofs", "an autofs master file or map", r"/etc/auto[._](?!conf$)[\w.-]+$|/auto\.master\.d/[^/]*\.autofs$",
         loose=r"/auto[._](?!conf$)[\w.-]+$|\.autofs$",
         sign=rf".*[\" ]-fstype=(?:{_HELPERS})\b|/\S* -hosts\b|(?:/\S*|\+) ?(?:{_MAP_TYPES}|/etc/auto[._]|auto[._])"
         rf'|(?:[^ :="]+|"[^"]*") (?:/\S* )?-(?:\w+=|r[wo]\b|hard|soft|intr|bg|no)\S* (?:/\S* )?{_LOCATION}'
         rf"|\* {_LOCATION}\S*/&",
         line=rf"\+[\w.:/-]+$|(?:/\S*|\+\S*) (?:-(?:hosts|null)\b|{_MAP_TYPES}|/\S*auto[._]\S|auto[._]\S)"
         rf"|.*[\" ]-fstype=|"
         rf'(?:[^ :="]+|"[^"]*") (?:-\S+ )?(?:/\S* (?:-\S+ )?)?{_LOCATION}|{_LOCATION}\S*$|/\S* {_LOCATION}'),
    Kind("exports", "exports(5)", r"/exports$|/exports\.d/[^/]*\.exports$",
         loose=r"\.exports$|/exports\.d/[^/]*$|[/_]exports[._-][\w.-]*$|[._-]exports$",
         sign=rf'(?:"[^"]*"|[/<${{%@][^" (]*) (?:[^"()]*\([^()]*\) )*[^"()]*\({_EXPORT_WORD}(?:,|\)|$)'
         rf'|[/<][^" (]* -{_EXPORT_WORD}(?:,{_EXPORT_WORD})+(?: |$)',
         line=r'(?:"[^"]*"|[/<$\{][^" (]*) [^"]*?\((?:[a-z_]+(?:=[^()]*)?[,) ]|\)|\{\{|[^()]*$)',
         usual=r"/[^ ()]* (?:-[a-z][^ ()]* )*[\w@*?.:\[\]-]+(?:/[\d.]+)?(?: |$)"),
    Kind("autofs-defaults", "settings of the autofs service", r"/(?:default|sysconfig|conf\.d)/autofs$",
         r"(?:DEFAULT_)?(?:MASTER_MAP_NAME|BROWSE_MODE|APPEND_OPTIONS|MOUNT_NFS_DEFAULT_PROTOCOL|USE_MISC_DEVICE)=",
         _VARIABLE),
    Kind("nfs-defaults", "variables of the NFS services",
         r"/(?:default|sysconfig|conf\.d)/(?:nfs[\w-]*|rpc[\w.-]*)$|[/._-]default[_/-]nfs[\w.-]*$",
         r"(?:export )?(?:RPC(?:NFSD|MOUNTD|STATD|IDMAPD|S?V?C?GSSD|RQUOTAD)\w*|STATD_\w+|STATDOPTS|LOCKD_\w+|"
         r"MOUNTD_\w+|NEED_\w+|NFSD?_\w*|OPTS_RPC_NFSD|SMNOTIFYARGS|SECURE_NFS\w*|USE_KERNEL_NFSD_NUMBER|GSSD_OPTIONS|BLKMAPDARGS|"
         r"EXPORTFS_\w+)=", _VARIABLE),
    Kind("modprobe", "modprobe.d", r"/modprobe\.d/[^/]*\.conf$",
         loose=r"/modprobe[^/]*/[^/]*$|[/._-]modprobe[._-][^/]*$",
         sign=rf"(?:options|blacklist|install|remove|softdep) {_MODULES}(?: |$)",
         line=r"options [\w$-]+ \w|install \S+ \S|remove \S+ \S|blacklist [\w-]+(?: #.*)?$|alias \S+ [\w$-]+$|"
         r"softdep \S+ (?:pre|post):"),
    Kind("sysctl", "sysctl.d", r"/sysctl\.conf$|/sysctl\.d/[^/]*\.conf$",
         loose=r"/sysctl[^/]*/[^/]*$|[/._-]sysctl[._-][^/]*$",
         sign=r"-?(?:sunrpc|fs[./](?:nfsd?|lease\S*|mqueue)|net[./](?:core|ipv4|ipv6)|vm)[./][\w./]+ ?= ?[\w. ]+$",
         line=r"-?[\w*@-]+(?:[./][\w*@-]+)+ ?="),
    Kind("proc-mounts", "/proc/mounts", r"/proc/(?:\d+/|self/|thread-self/)?mounts$|/mtab$|\.mounts$|[/_]proc_mounts$",
         line=r"\S+ /\S* \S+ (?:rw|ro)(?:,\S*)? 0 0$|\S+ /\S* (?:sysfs|rootfs|proc|devtmpfs) (?:rw|ro)(?:,\S*)?$"
         r"|\S+ /\S* nfs4? r[wo],\S*\bnamlen=", commented=False),
    Kind("fstab", "fstab", r"/fstab$", loose=r"/(?![vd]fstab$)[^/]*fstab[^/]*$",
         sign=rf"(?:.*:/\S*|\S+) (?:/\S*|none|[{{$<@%]\S*) (?:{_HELPERS})(?: [^( ]+(?: \d.*)?$|$)"
         r"|\S+: ?/\S* (?:\S+ )?nfs4?(?: [^(\d]|$)"
         rf"|(?:/dev/|(?:PART)?(?:UUID|LABEL)=)\S* (?:/\S*|none|swap) {_TYPES} \S+(?: \d \d)?$",
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
    "deployment": "nfs_conf.read_variables",
    "ganesha.conf": "ganesha.read_settings", "cib": "cib.read_settings", "kubernetes": "yaml_mounts.read_settings",
}
"""Kind of file → module and function; the module is loaded with the first file of the kind."""
SETTINGS = tuple(_SETTING_READERS)
"""Kinds that `read_settings` reads."""
JUDGED = tuple(dict.fromkeys(("fstab", "exports", *MOUNTS, *SETTINGS)))
"""Kinds that are read and judged."""
AROUND = ("script", "systemd-unit", "ansible", "salt", "cloud-init", "kubernetes", "compose")
"""Kinds that may have text of other kinds inside."""

_KERNEL = (
    r"\S+ /\S* (?:(?:rootfs|sysfs|proc|devtmpfs|devpts|securityfs|cgroup2?|autofs) r[wo]\b|\S+ r[wo],\S*"
    r"(?:\baddr=|\bmountaddr=|\bclientaddr=|\bnamlen=))"
)
_COMMENT = r"(?m)^[ \t]*[#;]+"
_XML = r"<(?:[?!]|[\w:-]+(?: [^<>\n]*)?>?\n)"
"""The beginning of XML. The only kind that is XML, a cluster's, shows itself."""
_HEADING = r"\[[\w .-]+\]$"
_INDENTED = r"(?m)^[ \t].*$"


def identify(text: str, name: str = "", among: Collection[str] = ()) -> str | None:
    """The id of the kind, None if it is unknown. `name`: the path, "" for none. An empty file counts as an fstab, in
    which nothing can be misread. `among`: the kinds that matter; for others the answer may be None."""
    if text.lstrip().startswith("#!") or text.startswith(IN_PARTS):
        return "script"
    path = plain_name(name or shown_file(text))
    named, own = by_name(f"/{path}") if path and not re.match(_XML, text.lstrip()) else (None, False)
    own = own and ("/" not in name or name.startswith("/etc/"))
    data = outer_language(text) if named is None and "{%" in text else ""  # a statement may be all that there is
    text = without_statements(text)
    language = outer_language("" if named else text, name) or data
    if language == YAML:
        return None if "\0" in text else _yaml_kind(text, named)
    lines = list(_lines(text))
    is_cluster = language == XML and _is_proved(BY_ID["cib"], lines)
    if is_cluster or (language == HCL and plain_name(name).endswith(".json")):  # or objects of Kubernetes
        language = ""
    if language or text.count("\0") * 20 > len(text):
        return (_against_its_name(text, lines, language) or "script") if language else None
    if not lines:  # what is commented out shows what it was
        commented = named or _by_content(list(_lines(re.sub(_COMMENT, "", text))), "", 0.0)
        return commented or (None if text.strip() else "fstab")
    if named == "autofs" and "/auto_" in "/" + name and _is_proved(BY_ID["bsd-map"], lines):
        return "bsd-map"
    if named is not None and BY_ID[named].line == _INI and not _is_proved(BY_ID[named], lines):
        named = _by_content(lines, text, 0.9) or named  # a name such as 10-nfs.conf is also one of sysctl.d
    if named is not None and _fits(BY_ID[named], lines, own):
        return named
    if among and not any(_is_proved(BY_ID[kind], lines) for kind in among):
        return named if own else None
    return _by_content(lines, text, 0.51 if own else 0.5) or (named if own else None)


def by_name(path: str) -> tuple[str | None, bool]:
    """The kind that the name proposes, and whether files of that kind alone have such a name."""
    for loose in (False, True):
        for kind in reversed(KINDS):  # fstab first: it is by far the most frequent
            names = kind.loose if loose else kind.names
            if names and _compiled(names).search(path):
                return kind.id, not loose
    return None, False


def _fits(kind: Kind, lines: list[str], own: bool) -> bool:
    """Whether these can be the lines of a file with the name of this kind. `own`: only such files have it."""
    if own:
        return any(_matches_kind(kind, line) for line in lines)
    share = _share(kind, lines)
    return share >= 0.5 or (share >= 0.2 and _is_proved(kind, lines))


def _yaml_kind(text: str, named: str | None, otherwise: str = "ansible") -> str | None:
    """The kind of a YAML file: lines without indentation tell before others, which may be text inside it. `otherwise`:
    Ansible has most of the others."""
    top = list(_lines(re.sub(_INDENTED, "", text)))
    for lines in (top, list(_lines(text))):
        kinds = [kind.id for kind in KINDS if kind.line == _YAML and _is_proved(kind, lines)]
        if kinds:
            return named if named in kinds else kinds[0]
    return named if named and BY_ID[named].line == _YAML else otherwise or None


def _against_its_name(text: str, lines: list[str], language: str) -> str | None:
    """The kind of a text that is, from its first line on, no script or document, as its name says."""
    if language not in (SHELL, DOCUMENT) or not lines:
        return None
    top = re.sub(_INDENTED, "", text)
    if all(re.match(_KEY, line) for line in _lines(top)):
        kind = _yaml_kind(top, None, "")
        return None if kind == "ansible" else kind  # a target of make may be called mount
    kinds = [kind for kind in KINDS if kind.line == _INI or kind.id == "sysctl"]  # a quoted line may prove others
    proved = language == SHELL and any(_is_proved(kind, lines[:1]) for kind in kinds)
    return _by_content(lines, text, 0.9) if proved else None


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
        yield flat(words)
        seen += 1
        if seen >= SAMPLE:
            return
    if begun:
        yield begun


def _matches_kind(kind: Kind, line: str) -> bool:
    return any(form and _compiled(form).match(line) for form in (kind.usual, kind.line, kind.sign))


def _is_proved(kind: Kind, lines: list[str]) -> bool:
    return bool(kind.sign) and any(map(_compiled(kind.sign).match, lines))


def is_line_of(kind: str, line: str) -> bool:
    """Whether a line with single spaces is certainly from a file of this kind."""
    return _is_proved(BY_ID[kind], [line])


def _share(kind: Kind, lines: list[str]) -> float:
    """The share of lines that fit."""
    return sum(_matches_kind(kind, line) for line in lines) / max(1, len(lines))


def _by_content(lines: list[str], text: str, least: float = 0.5) -> str | None:
    """The kind that most lines fit, if their share is at least this and one of them proves it."""
    if _share(BY_ID["proc-mounts"], lines) > 0.9 and _from_the_kernel(lines, text):
        return "proc-mounts"
    headed = any(re.match(_HEADING, line) for line in lines)
    proved = [
        (_share(kind, lines), kind.id) for kind in KINDS
        if (kind.line == _INI or not headed) and not (kind.line == _YAML and "\0" in text) and _is_proved(kind, lines)
    ]
    share, kind = max(proved, key=lambda found: found[0], default=(0.0, ""))
    return kind if kind and share >= (max(least, 0.8) if BY_ID[kind].line == _YAML else least) else None


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


SHELL, YAML, HCL, RUBY, NIX, PUPPET, DOCKERFILE, GROOVY, CRMSH, LDIF, SECTIONS, XML, MIME, DOCUMENT, PROGRAM = (
    "shell", "yaml", "hcl", "ruby", "nix", "puppet", "dockerfile", "groovy", "crmsh", "ldif", "sections", "xml",
    "mime", "document", "program",
)
"""SECTIONS: headings with keys and values below, as Quadlet and Proxmox VE have them. DOCUMENT: for people, who find
commands and lines of files in it. PROGRAM: any other language, in which nothing is read."""
IN_PARTS = ("Content-Type: multipart/", "MIME-Version: ")
"""How a text of several files begins, as cloud-init takes it."""
_SUFFIXES = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "zsh", "bats", "ks", "mk", "command", "run", "env"), SHELL),
    **dict.fromkeys(("yml", "yaml", "sls", "eyaml", "bu"), YAML),
    **dict.fromkeys(("tf", "tfvars", "hcl", "nomad", "tofu", "json", "ign", "bicep", "toml"), HCL),
    **dict.fromkeys(("rb", "rake"), RUBY), "nix": NIX, "pp": PUPPET, "groovy": GROOVY, "jenkinsfile": GROOVY,
    **dict.fromkeys(("dockerfile", "containerfile"), DOCKERFILE), "crm": CRMSH, "crmsh": CRMSH, "ldif": LDIF,
    "volume": SECTIONS, "xml": XML,
    **dict.fromkeys((
        "py", "pl", "pm", "js", "mjs", "cjs", "ts", "tsx", "jsx", "go", "rs", "c", "h", "cc", "cpp", "hpp", "java",
        "kt", "scala", "php", "lua", "tcl", "awk", "el", "lisp", "clj", "hs", "ml", "swift", "cs", "r", "jl", "ps1",
        "bat", "cmd", "vim", "css", "scss", "html", "htm", "sql", "fish", "vue", "tex", "m4",
    ), PROGRAM),
    **dict.fromkeys(("md", "markdown", "mdx", "qmd", "rst", "adoc", "asciidoc", "org"), DOCUMENT),
}
"""End of the name → language."""
_NAMES = {
    "vagrantfile": RUBY, "berksfile": RUBY, "gemfile": RUBY, "rakefile": RUBY, "dockerfile": DOCKERFILE,
    "containerfile": DOCKERFILE, "jenkinsfile": GROOVY, "makefile": SHELL, "gnumakefile": SHELL, "justfile": SHELL,
    "crontab": SHELL, "warewulf": YAML,
}
"""First part of the name, up to a dot or a dash → language."""
_RUN_BY_SHELL = regex(r"/rc\.local$|/(?:init|cron|rc[0-6S]?|profile|local)\.(?:d|hourly|daily|weekly|monthly)/[\w-]+$")
"""Paths of what a shell or cron runs."""
_TEMPLATES = ("j2", "jn2", "jinja", "jinja2", "jinja2.html", "tpl", "tmpl", "tftpl", "tftemplate", "template", "erb",
              "epp", "in", "gotmpl", "orig", "example", "sample", "dist", "bak")
"""Ends of a name behind that of what the template becomes."""
_INTERPRETER = r"#! ?(?:\S*/)?(?:env (?:-\S+ )*)?([A-Za-z]+)"
_INTERPRETERS = {**dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "bats"), SHELL), "ruby": RUBY}
_CONTENT = (
    (CRMSH, "cp", r"(?:crm\(live\)[^#]*# ?|crm configure |configure )?primitive [\w.-]+ (?:\\|[\w:.-]+)"),
    (DOCKERFILE, "F", r"FROM [\w./:@${}-]+(?: AS \S+)?$"),
    (NIX, "{", r"\{ ?(?:[\w?]+ ?, ?)*(?:\.\.\.|\w+) ?\} ?:(?: |$)"),
    (MIME, "CM", "|".join(IN_PARTS)),
    (XML, "<", r"<(?:\?xml |pool[ >]|pam_mount>)"),
    (HCL, "rdvmp", r'(?:resource|data|variable|module|provider) "[^"]*"(?: "[^"]*")? ?\{'),
    (RUBY, "Vrmdte", r"Vagrant\.configure\b|require '[^']*'$"
     r"|(?:mount|directory|template|execute) ['\"][^'\"]*['\"] do$"),
    (PUPPET, "cdn", r"(?:class|define|node) (?:\{ ?)?[\w:'.-]+(?: ?\([^)]*\))? ?[{}]$"),
    (SHELL, "SM@*0123456789", r"(?:SHELL|MAILTO)=|@reboot |(?:[\d*][\d*/,-]* ){5}\S"),  # a crontab
    (YAML, "-#{", r"---(?: ?[#!{]|$)|#cloud-config\b|\{%-? (?:load|import)_yaml "),
)
"""A language, the characters with which its first line may begin, and the form of that line, comments left out, with
single spaces; for names that tell nothing."""
_ANYWHERE = (
    (CRMSH, "primitive ", r"^primitive [\w.{} -]+\\?(?:\n[ \t]*)?\b(?:ocf:\w|exportfs\b|Filesystem\b)"),
    (SECTIONS, "nfs: ", r"^nfs: [\w.-]+\n[ \t]+"
     r"(?:path|server|export|content|options|disable|nodes|shared|prune-backups)[ \t]"),
    (SECTIONS, "lxc.", r"^lxc\.[\w.]+[ \t]*[=:]"),
    (SECTIONS, "nfs_mount_options", r"^nfs_mount_options[ \t]*="),  # of Cinder, Glance or Manila
    (SHELL, "%p", r"^%(?:pre|post)(?:[ \t][^\n]*)?$"),  # of a kickstart file
    (SHELL, "--", r"^nfs[ \t]+--(?:server|dir|opts)\b"),  # of another
    (SHELL, "d-i", r"^d-i[ \t]+[\w/-]+[ \t]+(?:string|boolean|(?:multi)?select|note)\b"),  # an answer may be a command
)
"""A language, what a text of it contains, and a line that shows it wherever it is, in the first of these: a resource of
a cluster, a storage of Proxmox VE, a heading of an installer's file."""
_DATA = r"(?m)^\{%-? ?set \w+ ?= ?(?:salt\[[^]\n]*\]\()?\{$"
"""The heading of data in Jinja, in which Python's notation is like HCL's."""
_MODE = r"-\*- *(?:mode: *)?([\w-]+)|\bvim?:.{0,300}\b(?:ft|filetype)=(\w+)|# *shellcheck shell=(\w+)"
"""What tells an editor the language, in a comment."""
SEARCHED = 1 << 16
"""Characters that are searched for such lines."""
MAX_COMMENTS = 100
"""Lines of comments before the first other line."""


def plain_name(name: str) -> str:
    """The name without the ends that templates and copies have."""
    stem, _, end = name.rpartition(".")
    return plain_name(stem) if stem and "/" not in end and end.lower() in _TEMPLATES else name


def outer_language(text: str, name: str = "") -> str:
    """The language, "" for a file that is not known to contain other text. `name`: the path, "" for none."""
    if text.startswith("#!"):
        interpreter = re.match(_INTERPRETER, " ".join(text[:200].partition("\n")[0].split()))
        return _INTERPRETERS.get(interpreter[1], PROGRAM) if interpreter else PROGRAM
    parts = plain_name(name).rpartition("/")[2].lower().split(".")
    language = _SUFFIXES.get(parts[-1]) if len(parts) > 1 else None
    language = language or _NAMES.get(parts[0].partition("-")[0])
    return language or (SHELL if _RUN_BY_SHELL.search(name) else _language_shown(text))


def _language_shown(text: str) -> str:
    head = text[:SEARCHED]
    shown = next((one for one, has, form in _ANYWHERE if has in head and re.search(f"(?m){form}", head)), "")
    if shown:
        return shown
    if "{%" in head and "load_yaml" not in text and re.search(_DATA, head):
        return HCL
    at = 0
    for _ in range(MAX_COMMENTS):
        end = text.find("\n", at)
        words = " ".join(text[at : end if end >= 0 else len(text)][:400].split())
        mode = re.search(_MODE, words) if words[:1] == "#" else None
        if mode:
            language = _SUFFIXES.get((mode[1] or mode[2] or mode[3]).lower().partition("-")[0].replace("shell", "sh"))
            if language:
                return language
        if words and (words[0] not in "#;" or words.startswith("#cloud-config")):
            return next((one for one, first, form in _CONTENT if words[0] in first and re.match(form, words)), "")
        if end < 0:
            break
        at = end + 1
    return ""
