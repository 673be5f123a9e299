"""NFS configuration inside other text: commands of a script, files that it writes, options beside a type; blocks of
code and lines that prove themselves in documentation. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

from advisor.files import kinds
from advisor.files.embedded_blocks import read_blocks
from advisor.files.embedded_commands import Shell, read_sections, shell
from advisor.files.embedded_found import OF_OTHER_SYSTEMS, Found, Segment, kind_of_path, looks_like_command
from advisor.files.kinds import IN_EFFECT, JUDGED, identify, is_line_of
from advisor.files.placeholders import joined
from advisor.files.records import MountEntry, Placed
from advisor.files.units import runs_before_network
from advisor.files.words import TYPES
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_TYPE = r"[\"']?(?:[ \t]*(?:=>|[=:])|[ \t])[ \t]*[\"']?nfs4?\b(?![-*])"
_NFS_TEXT = regex(
    rf"-t[ \t]*[\"']?nfs4?\b(?!-)|(?i:(?<!root)fs_?type){_TYPE}|\b(?:mount_)?type{_TYPE}|"
    r"[/}$]\S{0,60}[ \t]+nfs4?[ \t]+[a-z_]|\bnfsvers=|"
    r"[,(\"' ](?:no_root_squash|no_subtree_check|no_all_squash)[,)\"']|,no_(?:root_squash|subtree_check)$|"
    r"\b[rw]size=\d|\bnconnect=|\bnfs://[\w$\[{]|"
    r"\bnoresvport\b|ocf:heartbeat:exportfs|exportfs -\w*o"
)
_NOT_READ = regex(
    r"(?i:\\ClientForNFS\\|\bNew-NfsShare\b|\s-nfshost\b)|\besxcli storage nfs(?:41)? add\b|\bmknfsexp\b|\bnfsVolume\(|"
    r"[\"']netfs[\"']|\bsharing[./]nfs\b|automountInformation: -|\bmount -o [\w=.,]{0,100}\bnolock\b"
)
"""What shows configuration of NFS in a line, in forms that are read, and in those of Windows, ESXi, AIX, libvirt and
storage systems, which are not."""
_SERVICE = regex(r"\bRPC(?:NFSD|MOUNTD)[A-Z]{1,9}(?=['\"]?[ \t]{0,9}(?:=>|[:,]))")
"""A variable of the services in front of its value."""
_VALUE = regex(r"['\"]?[ \t]*(?:=>|[:,])[ \t]*(?:'([^']*)'|\"([^\"]*)\"|(\d[\w-]*|-[^,'\"}]*))")
WIDTH = 2000
"""Characters of a line that are searched."""
_LINUX = r"\b(?:systemctl|apt|apt-get|yum|dnf|zypper|pacman|exportfs|nfs-kernel-server|nfs-utils)\b"
_MAC = r"(?im)\bmacos\b|\bos x\b|\bdarwin\b|\bsw_vers\b|(?:^|[;&|(`]|sudo )[ \t]{0,40}(?:/sbin/)?mount_nfs[ \t]"
_SERVER = r"\b(?:exportfs|nfsserver|nfs-server|nfs-kernel-server|nfs-ganesha|etc/exports|mountd)\b"
_BSD = r"(?i)bsd\b|\bdarwin\b|\bmac(?:os)?\b|\bos x\b|\buname\b|\"Linux\""
_WORDS = ("nfs", "netfs", "mount", "export", "_squash", "/auto.", "idmapd", "sunrpc", "lockd", "2049", "aws_efs",
          "aws::efs", "b64", "base64")
_COMMENTS = ("#", "//", "/*", "* ", ";", "<!--")


class Embedded(NamedTuple):
    """`mounts`, `segments`: with their places in the file. `unread`: the numbers of lines that have something of NFS in
    a form that is not known. `shown`: of lines that the file may only show to people."""

    mounts: list[tuple[str, MountEntry]]
    segments: list[Segment]
    unread: list[int]
    shown: set[int]


def read_embedded(text: str, name: str, kind: str, seen: Iterable[int] = ()) -> Embedded:
    """What the file of this name and kind contains. `seen`: lines that a reader of its kind understood."""
    found = Found(seen, about_nfs="nfs" in "/".join(name.lower().rsplit("/", 2)[-2:]))
    language = kinds.outer_language(text, name) if kind in ("script", "systemd-unit") else kinds.YAML
    found.on_linux = re.search(_LINUX, text) is not None and re.search(_BSD, text) is None
    found.on_mac = re.search(_MAC, text) is not None and re.search(_LINUX, text) is None
    found.is_server = re.search(_SERVER, text) is not None
    found.in_image = language == kinds.DOCKERFILE
    whole = Placed.of_file(text)
    shown: set[int] = set()
    if language == kinds.PROGRAM:
        pass
    elif language == kinds.DOCUMENT or (kind == "script" and not language):
        shown.update(range(1, text.count("\n") + 2))
        _read_document(found, whole)
    elif language == kinds.YAML:
        from advisor.files.embedded_yaml import read_values  # noqa: PLC0415  the parser takes long to load

        read_values(found, text)
    elif language in (kinds.HCL, kinds.RUBY, kinds.NIX, kinds.PUPPET, kinds.GROOVY, kinds.XML):
        read_blocks(found, language, whole)
    elif language == kinds.SECTIONS:
        read_sections(found, whole)
    elif language not in (kinds.LDIF, kinds.MIME) or not found.written("", whole):
        _commands(found, whole)
    while found.scripts:
        _commands(found, *found.scripts.pop(0))
    unread = _unread(found, text)
    if language != kinds.PROGRAM and unread:
        lines, starts = _lines(whole)
        places = ((number, starts[number - 1]) for number in unread)
        shown.update(number for number, at in places if _add_line(found, whole.cut(at, at + len(lines[number - 1]))))
    if language in (kinds.YAML, kinds.HCL, kinds.PUPPET, kinds.RUBY):
        _service_variables(found, whole)
    found.state_directories()
    found.state_mountd_closed(text)
    if text.startswith("#!") and text.partition("\n")[0].endswith("\r") and (found.mounts or found.segments):
        found.state("CARRIAGE_RETURN", whole.cut(0, 2))
    still = found.unread.union(number for number in unread if number not in found.seen)
    return Embedded(found.mounts, found.segments, sorted(still), shown)


def _commands(found: Found, text: Placed, depth: int = 0) -> None:
    """Read commands, and state that a unit has one that mounts at boot and does not wait for the network."""
    before = len(found.mounts)
    shell(found, text, depth)
    for _, mount in found.mounts[before:] if found.mounts[before:] and runs_before_network(text.text) else ():
        found.state("EARLY_MOUNT", Placed.in_place("mount", mount.source.span))


def _unread(found: Found, text: str) -> list[int]:
    return [
        number for number, line in enumerate(text.split("\n"), 1)
        if number in found.unread or (number not in found.seen and not line.lstrip().startswith(_COMMENTS) and (
            _NFS_TEXT.search(line[:WIDTH]) or _NOT_READ.search(line[:WIDTH])
        ))
    ]


def has_nfs_text(text: str) -> bool:
    """Whether there is anything to look for."""
    lower = text.lower()
    return any(word in lower for word in _WORDS)


def hints_at_nfs(text: str) -> bool:
    """Whether a text of no known kind may be about NFS; other programs have words such as "mount" too."""
    return _HINT.search(text) is not None


_HINT = regex(
    r"(?i:(?<![a-z0-9+])(?:rpc)?nfs|_squash|/auto\.|idmapd|sunrpc|lockd|\b2049\b|aws[_:]{1,2}efs)"
    r"|\((?:r[ow]|a?sync)\b|-fstype=|(?:^|[\s\"'=,])[\w.-]{1,255}:/(?!/)"
)
_BEGINS = regex(
    r"(?i)[ \t>*-]{0,40}(?:(?P<fence>```+|~~~+)[ \t]*\{?\.?(?P<info>[\w+-]*)"
    r"|\.\. (?:code|code-block|sourcecode)::[ \t]*(?P<directive>[\w+-]*)"
    r"|#\+begin_(?:src|example)[ \t]*(?P<org>[\w+-]*)|(?P<bar>----+|\.\.\.\.+)[ \t]*$)"
)
"""A line that begins a block of code in Markdown, reStructuredText, Org and AsciiDoc."""
_LANGUAGE = regex(r"\[source,[ \t]*(\w+)")
_ENDS = {
    "bash": "sh", "shell": "sh", "zsh": "sh", "terraform": "tf", "ruby": "rb", "puppet": "pp", "python": "py",
    "javascript": "js", "typescript": "ts", "jinja": "j2",
}
"""Name of a language → the end of a file's name."""
_PROMPT = regex(
    r"[ \t]*(?:[>*+-]{1,2}[ \t]+|\d{1,3}[.)][ \t]+){0,3}(?:\*\*)?(?:`|<(?:pre|code)\b[^<>\n]*>)?"
    r"(?:\[?[\w.-]*(?:@[^\n#$%>`]*)?[#$%>][ \t]+)?"
)
"""What stands in front of a command: the sign of a list, a prompt."""
_EDITED = regex(r"\s*(?:[#$] )?(?:sudo )?(?:vim?|nano|emacs|gedit|pico)[ \t]+(/\S+)[ \t]*\n")
"""The command that opens the file whose text follows."""
_TABLES = ("", "exports", "fstab", "autofs")
_ASSIGNS = regex(r"(?:export )?[A-Z][A-Z_0-9]*=\S")
_SETTING = regex(r"[ \t]*(nfs_mount_options)[ \t]*=[ \t]*(?=\S)")
_SPAN = regex(r"`([^`\n]+)`")
_CLOSES = regex(r"(?:`|</(?:pre|code)>|\*\*)[ \t]*$")
_IN_LINES = ("nfs", "mount", "export", "docker", "=", "(r", "sync,")
_USUAL = ("defaults", "rw", "ro", "auto", "noauto", "_netdev", "hard", "soft", "bg", "intr", "user", "nofail")
_SHOWN = regex(r"<world>|\bwdelay,(?:no)?hide\b|,namlen=\d|,clientaddr=|,mountaddr=|\bon /\S{0,300} type \w+ \(")
"""What exportfs -v prints and the kernel lists, and nobody writes."""


def _read_document(found: Found, text: Placed) -> None:
    """Read the blocks of a document, and its other lines."""
    reader = _DocumentReader(found)
    for language, block in _blocks(text):
        if language is None or not reader.is_file(language, block):
            reader.commands(language, block)
    reader.certain_lines(text)


def proves(text: str) -> bool:
    """Whether a line of a text whose kind is not known is certainly about NFS."""
    return "nfs" in text and any(
        _kind_of_line(line) or ("nfs" in line and looks_like_command(line)) for line in text.split("\n")
    )


def _blocks(text: Placed) -> Iterator[tuple[str | None, Placed]]:
    """The blocks of code, each with the name of its language, "" if it has none."""
    at, start, language, end, indent = 0, -1, "", "", -1
    above = ""
    for line in [*text.text.split("\n"), ""]:
        bare, after = line.strip(), at + len(line) + 1
        opened = start >= 0
        if opened:
            inside = not bare or len(line) - len(line.lstrip()) > indent
            closed = (bare.lstrip("> ").lower().startswith(end) if end else not inside) or at >= len(text.text)
            if closed:
                yield language.lower(), text.cut(start, at)
                start = -1
        if start < 0 and not (opened and end):  # what ends a block by its indentation may begin the next
            opens = _BEGINS.match(line)
            if opens and (not opens["bar"] or not above or _LANGUAGE.match(above)):
                named = opens["info"] or opens["directive"] or opens["org"] or ""
                said = _LANGUAGE.match(above)
                start, language, indent = after, named or (said[1] if said else ""), -1
                end = (opens["fence"] or opens["bar"] or "").strip() or "#+end"
                if opens["directive"] is not None:
                    end, indent = "", len(line) - len(line.lstrip())
            elif bare.endswith("::"):
                start, language, end, indent = after, "", "", len(line) - len(line.lstrip())
        above, at = bare, after


class _DocumentReader:
    def __init__(self, found: Found) -> None:
        self.found = found
        self.shell = Shell(found, 0)

    def is_file(self, language: str, block: Placed) -> bool:
        """Add a block that is the text of a file, or of a language other than a shell's."""
        if "automountInformation:" in block.text:
            return self.found.written("", block)
        edited = _EDITED.match(block.text)
        if edited:  # more commands may follow the lines of a table, which prove themselves
            return kind_of_path(edited[1]) not in _TABLES and self.found.written(edited[1], block.cut(edited.end()))
        end = _ENDS.get(language, language)
        outer_one = kinds.outer_language("", f"block.{end}") if end else ""
        if outer_one == kinds.SHELL:
            return False
        if _SHOWN.search(block.text):
            self.found.see(block)
            return True
        if not outer_one and any(map(looks_like_command, block.text.split("\n"))):
            return False
        name = f"block.{end}" if outer_one else end
        kind = identify(block.text, name)
        if kind in IN_EFFECT:
            self.found.see(block)
        if kind is None or not block.text.strip():
            return False
        if kind not in JUDGED and kinds.outer_language(block.text, name) in ("", kinds.DOCUMENT, kinds.SHELL):
            return False
        if outer_one != kinds.PROGRAM:
            self.found.segment(kind, name or kind, block)
        return True

    def commands(self, language: str | None, block: Placed) -> None:
        """Read commands, without prompts."""
        parts, at = [], 0
        for line in block.text.split("\n"):
            prompt = _PROMPT.match(line)
            start = prompt.end() if prompt and ("#" not in prompt[0] or language in ("", "console", "text")) else 0
            parts.append(block.cut(at + start if looks_like_command(line[start:]) else at, at + len(line) + 1))
            at += len(line) + 1
        self.shell.read(Placed.joined(parts))

    def certain_lines(self, text: Placed) -> None:
        """Read the commands and the lines of files that no block had."""
        lines, starts = _lines(text)
        taken = 0
        for number, line in enumerate(lines, 1):
            if number > taken and number not in self.found.seen and any(word in line for word in _IN_LINES):
                prompt = _PROMPT.match(line)
                spans = [(prompt.end() if prompt else 0, len(line)), *(span.span(1) for span in _SPAN.finditer(line))]
                for start, end in spans:
                    piece = _CLOSES.sub("", line[start:end]).rstrip()
                    at = starts[number - 1] + start
                    setting = _SETTING.match(piece)
                    if setting:
                        self.found.options(setting[1], [text.cut(at + setting.end(), at + len(piece))])
                    elif looks_like_command(piece) or _ASSIGNS.match(piece):
                        taken = _last_line(lines, number) if end == len(line) else number
                        last = starts[taken] if taken > number else at + len(piece)
                        self.shell.read(Placed.joined([text.cut(at, last), "\n"]))
                    else:
                        _add_line(self.found, text.cut(at, at + len(piece)))


def _lines(text: Placed) -> tuple[list[str], list[int]]:
    """The lines, and where each begins, and the end."""
    lines = text.text.split("\n")
    return lines, [0, *accumulate(len(line) + 1 for line in lines)]


def _add_line(found: Found, line: Placed) -> bool:
    """Add a line if it is certainly of a file."""
    kind = _kind_of_line(line.text)
    if kind:
        found.segment(kind, kind, Placed.joined([line, "\n"]))
    elif _SHOWN.search(line.text):
        found.see(line)
    return bool(kind)


def _last_line(lines: list[str], number: int) -> int:
    """The number of the line in which the command ends that begins in this one."""
    last = number
    while last < len(lines) and lines[last - 1].rstrip().endswith("\\"):
        last += 1
    document = re.search(r"<<-?[ \t]*['\"\\]?(\w+)", lines[last - 1])
    ends = (n for n, line in enumerate(lines[last:], last + 1) if line.strip() == document[1]) if document else iter(())
    return next(ends, last)


def _kind_of_line(line: str) -> str:
    """The kind of file that a line is certainly from: fstab, exports or a map; "" for others."""
    words = joined(line.partition(" #")[0]).split()
    if len(words) < 2 or words[0].startswith("#"):
        return ""
    if _SHOWN.search(line) or OF_OTHER_SYSTEMS.search(line):
        return ""
    mount = (
        3 < len(words) < 7 and ":" in words[0][1:] and words[1][0] in "/$<{%" and words[2] in TYPES
        and not words[3].startswith(("[", "...", "("))
        and (len(words) == 6 or "," in words[3] or "=" in words[3] or words[3] in _USUAL)
        and all(word.isdigit() for word in words[4:])
    )
    if mount:
        return "fstab"
    if words[1].startswith("-fstype=nfs") and len(words) == 3 and ":" in words[2]:
        return "autofs"
    return "exports" if words[-1].endswith(")") and is_line_of("exports", " ".join(words)) else ""



def _service_variables(found: Found, text: Placed) -> None:
    """Variables of the services with values, as data of Jinja, YAML, Puppet and Ruby has them."""
    lines: list[Placed | str] = []
    for name in _SERVICE.finditer(text.text):
        begin, end = text.text.rfind("\n", 0, name.start()) + 1, f"{text.text}\n".index("\n", name.end())
        line = text.cut(begin, min(end, begin + WIDTH))
        value = _VALUE.match(line.text, name.end() - begin)
        if value and not line.text.lstrip().startswith("#"):
            lines += [text.cut(*name.span()), '="', line.cut(*value.span(value.lastindex or 0)), '"\n']
    if lines:
        found.segment("nfs-defaults", "nfs-defaults", Placed.joined(lines))
