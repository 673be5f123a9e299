"""What commands configure: what they mount and export, and the files that they write. `Found` collects it, and what the
values of other languages have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.files import outer
from advisor.files.kinds import by_name, identify
from advisor.files.placed import Placed
from advisor.files.placeholders import has_markup
from advisor.files.records import Field, MountEntry, Span
from advisor.files.words import MOUNTS, TYPES, Scanner, ShellCommand, Word, commands, mount_words
from advisor.named_tuple import NamedTuple

_INI = ("nfs.conf", "idmapd.conf", "nfsmount.conf", "autofs.conf", "systemd-mount")
"""Kinds of which a part can be judged only from a heading on."""
_BY_NAME = (*_INI, "ganesha.conf", "exports", "fstab", "sysctl", "modprobe", "nfs-defaults", "autofs",
            "autofs-defaults")
"""Kinds that the path alone proves."""
_BY_CONTENT = (*_INI, "ganesha.conf", "kubernetes", "compose", "cloud-init", "ansible", "cib")
"""Kinds that a text shows whose path tells nothing."""
AT_ONCE = "at once"
"""The name of what is set in the running kernel."""
_AT_ONCE = re.compile(r"/proc/sys/|/sys/module/(\w+)/parameters/(\w+)$")
_SYSCTL = re.compile(r"(?:sunrpc|fs\.nfsd?|net\.core|net\.ipv4|vm)\.[\w.]+")
_ENTRY = re.compile(r"(?im)^(automountInformation: ?).*(?:\n .*)*")
_REST = re.compile(r"(?<=\n )[^\n]+|(?<! )(?<!\n)[^\n]+")
_USER_DATA = r"\s*(?:#cloud-config\b|(?:runcmd|bootcmd|write_files|mounts|package_update):)"
_WRAPPERS = frozenset((
    "sudo", "doas", "env", "nohup", "time", "timeout", "exec", "command", "nice", "ionice", "busybox", "run", "RUN",
    "eval", "export", "local", "readonly", "declare", "typeset", "ENTRYPOINT", "CMD",
))
_WITH_VALUE = ("-u", "-g", "-k", "-s", "-n", "-h")
"""Options of these with a value in the next word."""
_AROUND = re.compile(
    r"ssh|docker|podman|kubectl|oc|chroot|nsenter|xargs|flock|unshare|runuser|su|bash|sh|(?:retry|run|try)\w*"
)
"""Commands that have another one among their arguments or in their input."""
_TALK = frozenset((
    "echo", "printf", "cat", "tee", "grep", "egrep", "test", "[", "[[", "die", "log", "info", "warn", ":", "umount",
    "find", "findmnt", "df", "showmount",
))
"""Commands whose arguments count only if they are written to a configuration file."""
_COMMAND = re.compile(
    r"\s*(?:crm\(live\)\S{0,60} )?(?:sudo )?(?:/[\w.-]{1,30}){0,5}/?(?:mount|"
    r"mount\.nfs4?|exportfs|docker|podman|crm|pcs|primitive|echo|printf|"
    r"cat|bash|sh|su|until|while|if|mkdir|apt-get|apt|yum|dnf|sed|test|grep)\s"
)
_INSERTION = re.compile(r"(?:\\?\$|\d+|/(?:[^/\\]|\\.)*/)?\s*[aic]\s*(?:\\\s*)?(?=\S)")
_EXPORTED = re.compile(
    r"\S\((?:r[wo]|a?sync|(?:no_)?\w+_squash|(?:in)?secure\w*|(?:no_)?subtree_check|crossmnt|nohide|fsid=\w+|"
    r"anon[ug]id=\d+|sec=[\w:]+)[,)]"
)
_EXPORT_ONLY = re.compile(r"(?:no_)?(?:root_squash|all_squash|subtree_check)\b|crossmnt\b|\bfsid=|anon[ug]id=")
_OPTION_NAME = re.compile(
    r"(?i)(?:nfs|efs|mount|export|server)\w{0,40}(?:opt|flag|args|_ops)|opt\w{0,40}nfs|^opt(?:ion)?s$"
)
_NFS_OPTION = re.compile(
    r"\b(?:nfsvers=|vers=(?:3|4(?:\.[012])?)(?![\d.])|[rw]size=|nolock\b|noresvport\b|nconnect=|retrans=|timeo=|actimeo=)"
)
_OF_OTHERS = re.compile(
    r"\b(?:uid|gid|file_mode|dir_mode|credentials|username)=|\b(?:alldirs|nolocks|locallocks)\b"
    r"|(?<![=\w])(?:tls|iam)\b|\baccesspoint="
)
"""Options of other file systems, which have `vers=` and `rsize=` as well, of NFS on BSD and macOS, and of a helper."""
_EXPORT_OF_OTHERS = re.compile(r"[ \t]-(?:alldirs|mapall|maproot|network|mask)\b")
"""Options of exports on BSD and macOS."""
_DAEMON = re.compile(r"(?i)rpc|nfsd|statd|mountd|idmapd|gssd")
"""Variables of options for a daemon."""
_MOUNT_NAME = r"(?i)nfs\S{0,60}mount|mount\S{0,60}nfs"
_OWN_OPTION = re.compile(r"\b(?:nfsvers=|nolock\b|noresvport\b|nconnect=|retrans=|[rw]size=\d+,\w*(?:hard|soft)\b)")
KINDS = ("fstype", "type", "filesystem", "filesystemtype", "mounttype", "fsvfstype")
OPTIONS = ("opts", "options", "mountoptions", "mountopts", "mountflags", "flags", "fsmntops")
_SOURCES = ("device", "src", "source", "share", "remote", "what")
_CLIENTS = ("client", "clients", "host", "hosts", "network", "networks", "allowed")
PATHS = ("path", "dest", "destfile", "destination", "name", "filename", "file", "target")
_PATH = re.compile(r"/|\.(?:auto)?mount$|\.service$")
TEXTS = ("content", "contents", "line", "block", "text")
MAX_DEPTH = 6
"""Commands inside commands that are read."""
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

    def __init__(self, seen: Iterable[int]) -> None:
        self.mounts: list[tuple[str, MountEntry]] = []
        self.segments: list[Segment] = []
        self.seen = set(seen)
        self.group = 0
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

    def docker_volume(self, near: Span, given: Mapping[str, Sequence[Placed]]) -> None:
        """A volume of Docker's driver `local`, by its options."""
        kind, options, device = (next(iter(given.get(key, ())), None) for key in ("type", "o", "device"))
        if kind and kind.text in TYPES:
            items = options.items() if options else []
            server = next((item.text[5:] for item in items if item.text.startswith("addr=")), "")
            source: Placed | str = device or ""
            if device and device.text.startswith(":"):
                source = f"{server}{device.text}"
            self.mount("compose", near, {"source": source, "fstype": kind}, [options] if options else [])

    def in_kernel(self, command: str, words: Sequence[Placed]) -> None:
        """Add what sysctl and modprobe set at once, as lines of their files."""
        given = [part for word in words if "=" in word.text for part in (word, "\n" if command == "sysctl" else " ")]
        if given and command == "sysctl":
            self.segment("sysctl", AT_ONCE, Placed.joined(given))
        elif given and "=" not in words[0].text:
            self.segment("modprobe", AT_ONCE, Placed.joined(["options ", words[0], " ", *given[:-1], "\n"]))

    def export(self, parts: Iterable[Placed | str]) -> None:
        self.segment("exports", "exports", Placed.joined([*parts, "\n"]))

    def export_part(self, text: Placed) -> bool:
        """Add text if it is a line of exports, or what follows the path in one, or the options of one."""
        if _EXPORTED.search(text.text):
            self.export([text] if re.match(r'["/{$<][^(]* ', text.text) else ["$path ", text])
        elif _EXPORT_ONLY.search(text.text) and " " not in text.text.strip():
            before, behind = {"(": ("$path $clients", ""), "-": ("$path ", " $clients")}.get(
                text.text[0], ("$path $clients(", ")"))
            self.export([before, text, behind])
        else:
            return False
        return True

    def options(self, name: str, texts: Sequence[Placed]) -> bool:
        """Add the value of a variable if its name and value show options of NFS: of a mount, unless only exports have
        them. Returns whether they do."""
        texts = [text for text in texts if text.text not in ("null", "~", "true", "false")]
        texts = [text.cut(text.text[:1] == ",", len(text.text.rstrip(","))) for text in texts]  # parts of a list
        if not texts or not _OPTION_NAME.search(name) or _DAEMON.search(name):
            return False
        if any(re.search(r"\s-|\s\w+\s", text.text) for text in texts):
            return False
        if any(_EXPORT_ONLY.search(text.text) for text in texts):
            return any(list(map(self.export_part, texts)))
        own = any((_NFS_OPTION if len(name) > len("options") else _OWN_OPTION).search(text.text) for text in texts)
        if texts[0].text.startswith("-") or not (own or "nfs" in name.lower()):
            return False
        # A word with a capital letter is the name of a parameter.
        if any(_OF_OTHERS.search(text.text) or re.fullmatch(r"[A-Z]\w*", text.text) for text in texts):
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
        def first(*keys: str) -> Placed | None:
            return next((text for key in keys for text in given.get(key, ())), None)

        path = path or next((text.text for key in PATHS for text in given.get(key, ()) if _PATH.search(text.text)), "")
        absent = any(text.text == "absent" for text in given.get("state", ()))
        for text in [text for key in TEXTS for text in given.get(key, ())] if path else ():
            if absent:
                self.see(text)
            elif kind_of_path(path) or not looks_like_command(text.text):
                self.written(path, Placed.joined([text, "\n"]))
        key, value, parameters = first("name"), first("value"), first("params")
        if key and value and _SYSCTL.fullmatch(key.text):
            self.in_kernel("sysctl", [Placed.joined([key, "=", value])])
        elif key and parameters:
            words = re.finditer(r"\S+", parameters.text)
            self.in_kernel("modprobe", [key, *(parameters.cut(*word.span()) for word in words)])
        kind, source, client = first(*KINDS), first(*_SOURCES), first(*_CLIENTS) or "$clients"
        options = [text for key in OPTIONS for text in given.get(key, ())]
        is_nfs, located = kind is not None and kind.text in TYPES, source is not None and ":" in source.text
        self.see(*([kind] if kind and is_nfs else ()))
        if is_nfs and "o" in given:
            self.docker_volume(near, given)
        elif any(_EXPORT_ONLY.search(text.text) for text in options) and not is_nfs:
            if (client != "$clients" or "export" in name) and "(" not in options[0].text:
                listed = [part for text in options for part in (",", text)][1:]
                self.export([first("path", "name", "directory") or "$path", " ", client, "(", *listed, ")"])
        elif (options or located or (source and is_nfs)) and (
            is_nfs or (driver and not kind) or re.search(_MOUNT_NAME, name)
        ):
            rules = "kubernetes" if driver else "systemd-mount" if "what" in given else "ansible"
            numbers = {"freq": first("dump"), "passno": first("passno", "passnum")}
            self.mount(rules, near, {
                "fstype": kind if kind and is_nfs else "nfs", "target": next(iter(titles), ""),
                "source": source if source and (located or (self.plain and "/" in source.text)) else "",
                **{name: number for name, number in numbers.items() if number},
            }, options)

    def _from_directory(self, text: Placed) -> None:
        """Add the entries of maps in the form of LDIF, in which a line that begins with a space goes on."""
        for entry in _ENTRY.finditer(text.text):
            at, parts = entry.end(1), []
            for line in text.text[at : entry.end()].split("\n "):
                parts.append(text.cut(at, at + len(line)))
                at += len(line) + 2
            self.segment("autofs", "auto.ldap", Placed.joined(["key ", *parts, "\n"]))

    def written(self, path: str, text: Placed, group: int = 0, depth: int = 0) -> bool:
        """Add the text of the file `path`, "" if that is not known. Returns whether it is configuration of NFS."""
        named, at_once = kind_of_path(path), _AT_ONCE.match(path)
        if named == "exports" and _EXPORT_OF_OTHERS.search(text.text):
            self.see(text)
            return True
        if at_once:
            start = path[10:].replace("/", ".") if at_once[1] is None else f"options {at_once[1]} {at_once[2]}"
            self.segment("sysctl" if at_once[1] is None else "modprobe", AT_ONCE, Placed.joined([f"{start}=", text]))
            return True
        if "automountInformation:" in text.text:
            self._from_directory(text)
            return True
        language = outer.outer_language(text.text, path)
        if language in (outer.SHELL, outer.CRMSH) or path.endswith(".service") or "ocf:heartbeat:" in text.text:
            shell(self, text, depth + 1)
            return True
        path = path or ("user-data" if re.match(_USER_DATA, text.text) else "")
        kind = named or identify(text.text, path)
        by_content = kind in _BY_CONTENT and (kind in _INI or "nfs" in text.text)
        if kind is None or not (named or by_content) or (kind in _INI and text.text.lstrip()[:1] != "["):
            return False
        self.segment(kind, path or kind, text, group)
        return True


def kind_of_path(path: str) -> str:
    """The kind of file that a path alone proves, or ""."""
    kind, own = by_name("/" + path) if path else (None, False)
    return kind if kind in _BY_NAME and own else ""


def looks_like_command(text: str) -> bool:
    """Whether text, such as a string in a program, begins with a command that may be about NFS."""
    return _COMMAND.match(text) is not None


def shell(found: Found, text: Placed, depth: int = 0) -> None:
    """Read text as a shell does."""
    if depth <= MAX_DEPTH:
        _Shell(found, depth).read(text)


class _Shell:
    def __init__(self, found: Found, depth: int) -> None:
        self.found, self.depth = found, depth
        self.values: dict[str, Placed | None] = {}
        """Variable → its value, None if it has several."""

    def read(self, text: Placed) -> None:
        scanner = Scanner(text)
        pipe: list[ShellCommand] = []
        base = self.found.group + 1
        for command in commands(scanner.tokens()):
            self.found.group = base + command.group
            pipe.append(command)
            self._command(command)
            if not command.piped:
                self._write(pipe)
                pipe = []
        for inner in scanner.inner:
            if looks_like_command(inner.text):
                shell(self.found, inner, self.depth + 1)
            elif inner.text.split(" ")[0].rpartition("/")[2] in _TALK:
                self.found.see(inner)

    def _command(self, command: ShellCommand) -> None:
        words = command.words
        name, words = self._named([part for word in words for part in self._parts(word)])
        for word in command.words:
            start = _assigned(word)
            text = word.text.cut(start)
            if (start or name not in _TALK) and " " in text.text and looks_like_command(text.text):
                shell(self.found, text, self.depth + 1)
        values = [word.value for word in words]
        if name == "ENV" and len(words) > 2 and not _assigned(words[1]):
            self.found.options(values[1], [words[2].text])
            self.found.see(words[1].text)
        elif name == "ENV":
            for word in words[1:]:
                self._assign(word, _assigned(word))
        if name == "sed":
            self._sed(words)
        if name in ("primitive", "pcs", "crm", "configure") and {"create", "primitive"}.intersection(values):
            self._resource(words)
        elif name in ("docker", "podman", "nerdctl"):
            self._docker(words)
        if _AROUND.fullmatch(name):
            at = next((number for number, value in enumerate(values) if value.rpartition("/")[2] in MOUNTS), 0)
            name, words = values[at].rpartition("/")[2], words[at:]
        if name in MOUNTS:
            self._mount(words, name)
        elif name == "exportfs":
            self._exportfs(words)
        elif name == "ipa":
            for before, word in zip(words, words[1:]):  # of automountkey-add
                start = 7 * word.value.startswith("--info=")
                if start or before.value == "--info":
                    self.found.segment("autofs", "auto.ldap", Placed.joined(["key ", word.text.cut(start), "\n"]))
        elif name in ("sysctl", "modprobe"):
            self.found.in_kernel(name, [word.text for word in words[1:] if word.value[:1] not in ("-", "")])
        elif name in _TALK:
            self.found.see(*(word.text for word in command.words), *(command.fed if name == ":" else ()))

    def _named(self, words: Sequence[Word]) -> tuple[str, list[Word]]:
        """The name of the command that is run, and its words from there on."""
        at, wrapped = 0, False
        while at < len(words):
            text = words[at].text
            prefix = re.match(r"Exec\w+=[-@!:+]*|[-@+]+(?=[a-z/])|crm\(live\)\S*#", text.text)
            if prefix and not wrapped:
                text = text.cut(prefix.end())
            start = _assigned(words[at])
            name = text.text.rpartition("/")[2]
            if start and not prefix:
                self._assign(words[at], start)
            elif not name or name in _WRAPPERS or (wrapped and re.match(r"[-\d]", name)):
                at += wrapped and name in _WITH_VALUE
                wrapped = True
            else:
                return name, [Word(text), *words[at + 1 :]]
            at += 1
        return "", []

    def _assign(self, word: Word, start: int) -> None:
        name, text = word.value[:start].rstrip("+="), word.text.cut(start)
        known = self.values.get(name, text)
        self.values[name] = text if known and known.text == text.text else None
        self.found.options(name, [text] if text.text else [])

    def _value(self, text: Placed) -> Placed:
        """The text, or the value of the variable that it consists of."""
        variable = re.fullmatch(r"\$\{?([A-Za-z_]\w*)(?:\[[@*]\])?\}?", text.text)
        return (self.values.get(variable[1]) if variable else None) or text

    def _parts(self, word: Word) -> list[Word]:
        """A word, or those of the arguments in the variable that it is."""
        text = self._value(word.text)
        if not (word.bare or "[@]" in word.value) or not text.text.startswith("-") or text is word.text:
            return [word]
        return [Word(text.cut(*part.span())) for part in re.finditer(r"\S+", text.text)]

    def _write(self, pipe: Sequence[ShellCommand]) -> None:
        """Text that commands send to a file, or to other commands."""
        first, last = pipe[0], pipe[-1]
        name, words = self._named(first.words)
        reader, arguments = self._named(last.words)
        targets = [word.text for word in (last.targets or first.targets)]
        if reader in ("tee", "sponge", "COPY", "ADD"):
            targets = [word.text for word in arguments[1:] if word.value[:1] not in ("-", "<")][-1:]
        path = self._value(targets[0]).text if targets else ""
        path = "" if "$" in path else path
        texts = [*first.fed, *(last.fed if last is not first else ())]
        for text in texts:
            read = self.found.written(path, text, self.found.group, self.depth)
            if not read and not path and _AROUND.fullmatch(reader):
                shell(self.found, text, self.depth + 1)
        if name in ("echo", "printf") and (kind_of_path(path) or _AT_ONCE.match(path)):
            meant = [Word(self._value(word.text), word.bare) for word in words]
            self.found.written(path, _printed(meant), self.found.group, self.depth)

    def _sed(self, words: Sequence[Word]) -> None:
        """`sed -i '$a LINE' FILE`."""
        path = words[-1].value
        for word in words[1:-1]:
            insertion = _INSERTION.match(word.value)
            if insertion and kind_of_path(path):
                line = word.text.cut(insertion.end())
                self.found.written(path, Placed.joined([line.unescaped("nt"), "\n"]), self.found.group)

    def _mount(self, words: Sequence[Word], name: str) -> None:
        arguments = mount_words([word.value for word in words])
        texts = [word.text for word in words]
        fstype: Placed | None = None
        if arguments.fstype:
            fstype = texts[arguments.fstype[0]].cut(arguments.fstype[1])
        kind = fstype.text if fstype else name.partition(".")[2]
        source = texts[arguments.source].text if arguments.source else ""
        if arguments.source and (kind in TYPES or (not kind and ":/" in source and source[0] != "/")):
            given: dict[str, Placed | str] = {"fstype": fstype or kind or "nfs", "source": texts[arguments.source]}
            given["target"] = texts[arguments.target] if arguments.target else ""
            options = [self._value(texts[at].cut(first)) for at, first in arguments.options]
            self.found.mount("script", texts[0].span, given, options)
        self.found.see(*texts[:1], *(texts if not source or kind not in ("", *TYPES) else ()))

    def _exportfs(self, words: Sequence[Word]) -> None:
        """`exportfs -o OPTIONS CLIENT:/PATH`."""
        options: list[Placed | str] = []
        for before, word in zip(words, words[1:]):
            client, _, path = word.value.partition(":/")
            if before.value.startswith("-") and before.value.endswith("o"):
                options += [",", word.text] if options else [word.text]
            elif path and options and not word.value.startswith("-"):
                colon = len(client)
                host, path_text = word.text.cut(0, colon), word.text.cut(colon + 1)
                self.found.export([path_text, " ", host if colon else "*", "(", *options, ")"])
        self.found.see(*(word.text for word in words))

    def _docker(self, words: Sequence[Word]) -> None:
        """`docker volume create -o …`, and `--mount` with `volume-opt=`."""
        given: Values = {}
        for before, word in zip(words, words[1:]):
            text, start = word.text, 0
            if before.value in ("-o", "--opt") or word.value.startswith("--opt="):
                pair(given, text.cut(6 * word.value.startswith("--opt=")))
            for piece in re.findall(r'"[^"]*"|[^,"]+|.', word.value) if "volume-opt=" in word.value else ():
                inner = text.cut(start + (piece[0] == '"'), start + len(piece.rstrip('"')))
                start += len(piece)
                if inner.text.startswith("volume-opt="):
                    pair(given, inner.cut(11))
        self.found.docker_volume(words[0].text.span, given)
        if {"build", "tag", "run"}.intersection(word.value for word in words[1:2]) and not given:
            self.found.see(*(word.text for word in words[:4]))  # -t is the name of an image here

    def _resource(self, words: Sequence[Word]) -> None:
        """A resource of Pacemaker, as crm and pcs write it."""
        agents = [n for n, word in enumerate(words) if word.value.rpartition(":")[2] in ("exportfs", "Filesystem")]
        at = agents[0] if agents else len(words)
        pairs: Values = {}
        for word in words[at + 1 :]:
            if word.value in ("op", "meta", "--group"):
                break
            pair(pairs, word.text)
        given = {key: texts[0] for key, texts in pairs.items()}
        options = [given["options"]] if "options" in given else []
        self.found.see(*(word.text for word in words[at : at + 1] if "directory" in given))
        if "directory" in given and words[at].value.endswith("exportfs"):
            fsid = given.get("fsid")
            known = fsid and not has_markup(fsid.text) and not (options and "fsid=" in options[0].text)
            numbered = ["," if options else "", "fsid=", fsid] if fsid and known else []
            self.found.export([given["directory"], " ", given.get("clientspec", "*"), "(", *options, *numbered, ")"])
        elif "fstype" in given and given["fstype"].text in TYPES:
            named = {"source": given.get("device", ""), "target": given.get("directory", ""), "fstype": given["fstype"]}
            self.found.mount("script", words[at].text.span, named, options)


def _assigned(word: Word) -> int:
    """Where the value of a word begins that sets a variable; 0 for other words."""
    match = re.match(r"[A-Za-z_]\w*\+?=", word.value)
    return match.end() if match else 0


def pair(given: Values, text: Placed) -> None:
    """Add the value of `key=value`, without quotes."""
    key, equals, value = text.text.partition("=")
    quoted = value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1
    if equals:
        given[key] = [text.cut(len(key) + 1 + quoted, len(text.text) - quoted)]


def _printed(words: Sequence[Word]) -> Placed:
    """What echo or printf prints. Some shells' echo needs -e for a backslash; where it is missing it is meant."""
    listed, between, end = [word.text for word in words[1:]], " ", "\n"
    while words[0].value == "echo" and listed and re.fullmatch(r"-[neE]+", listed[0].text):
        end = "" if "n" in listed.pop(0).text else end
    if words[0].value == "printf" and listed:  # a format, or the lines that go into it
        listed, between = (listed[1:], "\n") if listed[0].text.startswith("%s") else (listed[:1], "")
    texts = [text.unescaped("nt\\") for text in listed]
    return Placed.joined([*[part for text in texts for part in (text, between)][:-1], end])
