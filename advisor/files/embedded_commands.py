"""What commands configure: what they mount and export, and the files that they write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.files.embedded_found import (
    EXPORTED,
    MODE_OF_ALL,
    OF_OTHERS,
    TO_KERNEL,
    Found,
    Values,
    kind_of_path,
    looks_like_command,
    ports_in,
)
from advisor.files.kinds import SHELL, outer_language
from advisor.files.placeholders import has_markup
from advisor.files.records import Placed
from advisor.files.words import (
    MOUNTS,
    TYPES,
    Scanner,
    ShellCommand,
    Word,
    assigned,
    commands,
    long_options,
    mount_words,
    printed,
    replacement,
)
from advisor.regex import regex

_WRAPPERS = frozenset((
    "sudo", "doas", "env", "nohup", "time", "timeout", "exec", "command", "nice", "ionice", "busybox", "run", "RUN",
    "cloud-init-per",
    "eval", "export", "local", "readonly", "declare", "typeset", "ENTRYPOINT", "CMD",
))
_INSTRUCTIONS = ("RUN", "CMD", "ENTRYPOINT", "FROM", "ENV", "COPY", "ADD", "WORKDIR", "USER", "HEALTHCHECK")
_NAMED = ("once", "instance", "always")
"""How often cloud-init-per runs a command, which a name of it follows."""
_WITH_VALUE = ("-u", "-g", "-k", "-s", "-n", "-h")
"""Options of these with a value in the next word."""
_AROUND = regex(
    r"ssh|docker|podman|kubectl|oc|pct|lxc|incus|chroot|nsenter|xargs|flock|unshare|systemd-run|runuser|su|bash|sh|curtin|in-target|d-i|(?:retry|run|try)\w*"
    r"|reboot|hourly|daily|weekly|monthly|yearly|annually|midnight|\d+|\*"
)
"""Commands that have another one among their arguments or in their input, and the time in a crontab."""
_TALK = frozenset((
    "echo", "printf", "cat", "tee", "grep", "egrep", "test", "[", "[[", "die", "log", "info", "warn", ":", "umount",
    "find", "findmnt", "df", "showmount",
))
"""Commands whose arguments count only if they are written to a configuration file."""
_ADDS = regex(r"(?i)\Aainsl\Z|add|append|insert|ensure|line")
"""Part of the names of commands that add a line to the file that they name."""
_ADDS_NOT = regex(r"(?i)\W|remov|del|comment|find|check|has")
"""What no such name has."""
_FUNCTION = regex(
    r"(?m)^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]{0,60})[ \t]*\([ \t]*\)\s{0,9}"
    r"\{([^\n]*(?:(?<!\})\n(?!\})[^\n]*(?:\n(?!\})[^\n]*){0,59})?)"
)
_DASH = regex(r"[\u2010-\u2015\u2212](?=\w)")
"""What word processors make of the sign in front of an option."""
_ARGUMENT = regex(r"\$\{?(\d)\b\}?")
_DEFAULT = regex(r"\$\{([A-Za-z_]\w*):?=[\"']?([^\"'}]*)[\"']?\}")
"""What a variable is set to if it is not set yet, as the argument of `:`."""
_VARIABLE = regex(r"\$(?:\{([A-Za-z_]\w*)(?:\[[@*]\])?\}|([A-Za-z_]\w*)(?:\[[@*]\])?)")
_EXPANSION = regex(r"\\([$`\\])|\$(\d|kernel\b)|\$(?:\{[^{}\n]*\}|\([^()\n]*\)|\w+)")
_SECTION = regex(r"(?m)^(?:[ \t]*\[\w+\]|(nfs|\w+): [\w.-]+)[ \t]*$")
_FIREWALL_OFF = regex(
    r"systemctl(?: --now)? (?:stop|disable|mask)(?: --now)? (?:firewalld|ufw|iptables|nftables)|ufw disable"
    r"|service (?:firewalld|ufw|iptables|nftables) stop|/etc/init\.d/iptables stop|chkconfig iptables off"
)
_OPENS = regex(r" allow | --add-port=| ACCEPT\b")
"""What lets packets through a firewall."""
_LXC = regex(r"(?m)^lxc\.mount\.entry[ \t]*[=:][ \t]*\S+[ \t]+\S+[ \t]+nfs4?[ \t]+(?!\S{0,300}addr=)(\S+)")
"""An NFS mount of a container whose options do not say where the server is."""
_KEY = regex(r"(?m)^[ \t]*(\w+)(?:[ \t]*=[ \t]*|[ \t]+)(\S[^\n]*)$")
_RUNS = regex(
    r"\bmount(?:\.nfs4?)?[ \t](?:[^\n]{0,200}[ \t])?(?:(?:-t[ \t]*|--types[ =])nfs4?\b|[\w${}.\[\]-]{1,100}:/)"
    r"|\bexportfs[ \t]{1,9}-\w*o"
)
"""A command that mounts or exports, in text for a file of which nothing is known."""
_INSERTION = regex(r"(?:\\?\$|\d+|/(?:[^/\\]|\\.)*/)?\s*[aic]\s*(?:\\\s*)?(?=\S)")
_SHELL = regex(r"(?:^|[ /])(?:ba|da|k|z)?sh(?: -\w{1,9}){0,3} -\w{0,3}c$")
"""What stands before the text of a script that a shell is given."""
MAX_CALLS = 20
"""Calls of functions that are followed."""
WIDTH = 300
"""Characters of a value that is filled in, and how many are in one text."""
MAX_VALUES = 4
"""Values of a variable that are looked at."""
MAX_DEPTH = 6
"""Commands inside commands that are read."""


def shell(found: Found, text: Placed, depth: int = 0) -> None:
    """Read text as a shell does."""
    if depth <= MAX_DEPTH:
        Shell(found, depth).read(text)


def read_sections(found: Found, text: Placed) -> None:
    """Read headings with keys and values below."""
    heads = [*_SECTION.finditer(text.text)]
    for head, end in zip(heads, [*(head.start() for head in heads[1:]), len(text.text)]):
        given = {"type": [text.cut(*head.span(1))]} if head[1] else {}
        for key in _KEY.finditer(text.text, head.end(), end):
            found.options(key[1], [text.cut(*key.span(2))] if key[1].startswith("nfs_mount_opt") else [])
            given.setdefault(key[1].lower(), []).append(text.cut(*key.span(2)))
        found.volume(given, text.cut(*head.span()).span)
    for entry in _LXC.finditer(text.text):
        found.state("LXC_MOUNT", text.cut(*entry.span(1)))


_SERVICES = ("systemd:nfs-server", "systemd:nfs-kernel-server")
"""Resources of Pacemaker that start the server and leave its state where it is."""
_INFODIR = "nfs_shared_infodir="
_ORDERED = ("IPaddr2", "exportfs")
"""Agents of resources whose order in a group is judged."""


class Shell:
    def __init__(self, found: Found, depth: int) -> None:
        self.found, self.depth = found, depth
        self.values: dict[str, list[Placed]] = {}
        """Variable → the values that it may have; itself if something is added to them."""
        self.groups: dict[str, int] = {}
        """Variable → the group of commands in which it was set last."""
        self.functions: dict[str, Placed] = {}
        """Name → what a function with arguments does."""
        self.ordered: dict[str, str] = {}
        """Name of a cluster's resource whose place in a group matters → its agent."""
        self.members: dict[str, dict[str, int]] = {}
        """Group that pcs fills one by one → the names of those in it, with their places."""
        self.keeps_state = False
        """Whether the text has the directory of the server's state."""
        self.calls = 0
        self.building = False
        """Whether an image is built here."""

    def read(self, text: Placed) -> None:
        self.functions.update(
            (function[1], text.cut(*function.span(2))) for function in _FUNCTION.finditer(text.text)
            if _ARGUMENT.search(function[2]) and re.search(r"nfs|mount|export", function[2])
        )
        self.keeps_state = self.keeps_state or "/var/lib/nfs" in text.text
        scanner = Scanner(text)
        pipe: list[ShellCommand] = []
        base = self.found.group + 2 - self.found.group % 2
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
        if self.found.in_image and words and words[0].value in _INSTRUCTIONS:
            self.building = words[0].value == "RUN" and "--security=insecure" not in (word.value for word in words)
            if words[1:] and words[1].value.startswith("["):  # the words of a command
                ends = ((word.text, re.fullmatch(r"(\[?)(.*?)[],]?", word.value, re.DOTALL)) for word in words[1:])
                words = [words[0], *(Word(text.cut(*end.span(2)), False) for text, end in ends if end)]
        if len(words) > 2 and words[1].value == "in" and words[1].bare:  # of `for`, whose list has the values
            self.values[words[0].value] = [self._filled(word.text) for word in words[2:][:MAX_VALUES]]
        name, words = self._named([part for word in words for part in self._parts(word)])
        for number, word in enumerate(command.words):
            start = assigned(word)
            text = word.text.cut(start)
            if " " in text.text and (
                ((start or name not in _TALK) and looks_like_command(text.text))
                or _SHELL.search(" ".join(word.value for word in command.words[max(0, number - 5) : number]))
            ):
                shell(self.found, text, self.depth + 1)
        values = [word.value for word in words]
        self._set_up(name, words, values)
        if _AROUND.fullmatch(name):
            inner = [value.rpartition("/")[2] for value in values]
            at = next((inner.index(value) for known in (MOUNTS, _TALK) for value in inner if value in known), 0)
            name, words = values[at].rpartition("/")[2], words[at:]
        if name in MOUNTS:
            self._mount(words, name)
        elif name == "exportfs":
            self._exportfs(words)
        elif name == "pvesm" and values[1:3] == ["add", "nfs"]:
            self.found.volume({**long_options(words), "type": [words[2].text]}, words[2].text.span)
        elif name == "nfs" and {"server", "dir"} <= (given := long_options(words)).keys():  # of a kickstart file
            named = {"type": [words[0].text], "export": given["dir"], "options": given.get("opts", [])}
            self.found.volume({**given, **named}, words[0].text.span)
        elif name in ("crudini", "openstack-config") and values[1:2] == ["--set"] and len(values) > 5:
            names = ("path", "section", "option", "value")
            self.found.together("", {key: [word.text] for key, word in zip(names, words[2:])}, words[0].text.span)
        elif name == "helm":
            for text in long_options(words).get("set", ()):  # a list in braces
                key, _, value = text.text.partition("=")
                if value.startswith("{") and value.endswith("}"):
                    self.found.options(key, [text.cut(len(key) + 2, len(text.text) - 1)])
        elif name == "ipa":
            for text in long_options(words).get("info", ()):  # of automountkey-add
                self.found.segment("autofs", "auto.ldap", Placed.joined(["key ", text, "\n"]))
        elif self.found.is_server and _FIREWALL_OFF.match(" ".join(values)):
            self.found.state("FIREWALL_OFF", words[0].text)
        elif name in ("chmod", "mkdir", "install") and any(map(MODE_OF_ALL.fullmatch, values)):
            for word in words[1:]:
                paths = [self._filled(word.text), *self._values(word.text)] if word.value[:1] in ("/", "$", '"') else []
                self.found.placed += [("OPEN_DIRECTORY", path) for path in paths]
        elif name in ("ufw", "firewall-cmd", "iptables") and _OPENS.search(" ".join(values)):
            self.found.ports += [port for word in words[1:] for port in ports_in(word.text)]
        elif name in ("sysctl", "modprobe"):
            self.found.in_kernel(name, [word.text for word in words[1:] if word.value[:1] not in ("-", "")])
        elif name in self.functions and self.calls < MAX_CALLS:
            self.calls += 1
            self._call(self.functions[name], words)
        elif _ADDS.search(name) and not _ADDS_NOT.search(name):
            path = next(filter(kind_of_path, values[1:]), "")
            for word in words[1:] if path else ():
                if " " in word.value:
                    self.found.written(path, Placed.joined([word.text, "\n"]), self.found.group, self.depth)
        elif name in _TALK:
            for default in (_DEFAULT.fullmatch(word.value) for word in words[1:2] if name == ":"):
                if default:
                    self.values.setdefault(default[1], [words[1].text.cut(*default.span(2))])
            self.found.see(*(word.text for word in command.words), *(word.text for word in command.fed if name == ":"))

    def _set_up(self, name: str, words: list[Word], values: list[str]) -> None:
        """What a command sets for those after it: variables, a changed file, a cluster, a container."""
        if name == "ENV" and len(words) > 2 and not assigned(words[1]):
            self.found.options(values[1], [words[2].text])
            self.found.see(words[1].text)
        elif name == "ENV":
            for word in filter(assigned, words[1:]):
                self._assign(word, assigned(word))
        elif name == "sed":
            self._sed(words)
        elif name in ("primitive", "pcs", "crm", "configure") and {"create", "primitive"}.intersection(values):
            self._resource(words)
            self._remember(words)
            for word in words:
                if word.value in _SERVICES and not self.keeps_state:
                    self.found.state("STATE_STAYS", word.text)
                elif word.value.startswith(_INFODIR):
                    self.found.placed.append(("STATE_EXPORTED", self._filled(word.text.cut(len(_INFODIR)))))
        elif name in ("group", "pcs", "crm", "configure") and "group" in values:
            self._order(words, {text: f" {' '.join(values)} ".find(f" {text} ") for text in self.ordered})
        elif name in ("property", "pcs", "crm", "configure"):
            for word in words[1:] if self.found.is_server else ():
                if word.value.startswith("stonith-enabled="):
                    self.found.state("FENCING", word.text.cut(16))
        elif name in ("docker", "podman", "nerdctl"):
            self._docker(words)

    def _named(self, words: Sequence[Word]) -> tuple[str, list[Word]]:
        """The name of the command that is run, and its words from there on."""
        at, wrapped = 0, False
        while at < len(words):
            text = words[at].text
            prefix = re.match(r"Exec\w+=[-@!:+]*|[-@+]+(?=[a-z/])|crm\(live\)\S*#", text.text)
            if prefix and not wrapped:
                text = text.cut(prefix.end())
            start = assigned(words[at])
            name = text.text.rpartition("/")[2]
            if start and not prefix:
                self._assign(words[at], start)
            elif at + 1 < len(words) and _VARIABLE.fullmatch(text.text):  # $SUDO, or $MOUNT
                value = self._filled(text).text.rpartition("/")[2]
                known = next((word for word in MOUNTS if value.lower().strip("${}") == word), "")
                if known:
                    return known, [Word(text), *words[at + 1 :]]
                wrapped = True
            elif not name or name in _WRAPPERS or (wrapped and (name in _NAMED or re.match(r"[-\d]", name))):
                at += wrapped and name in (*_WITH_VALUE, *_NAMED)
                wrapped = True
            else:
                return name, [Word(text), *words[at + 1 :]]
            at += 1
        return "", []

    def _assign(self, word: Word, start: int) -> None:
        name, text = word.value[:start].rstrip("+="), self._filled(word.text.cut(start))
        known = self.values.setdefault(name, [])
        if word.value[start - 2] == "+":
            known[:] = [Placed.joined(["$", word.text.cut(0, len(name))])]
        elif all(text.text != one.text for one in known) and len(known) < MAX_VALUES:  # else looked at again
            if self.groups.get(name) == self.found.group:
                known.clear()
            known.append(text)
        self.groups[name] = self.found.group
        if not self.found.options(name, [text] if text.text else []) and EXPORTED.search(text.text):
            self.found.export_part(text)

    def _values(self, text: Placed) -> list[Placed]:
        """The text, or the values of the variable that it consists of."""
        variable = _VARIABLE.fullmatch(text.text)
        known = self.values.get(variable[1] or variable[2], []) if variable else []
        return [one for one in known if len(known) < 2 or not OF_OTHERS.search(one.text)] or [self._filled(text)]

    def _call(self, body: Placed, words: Sequence[Word]) -> None:
        """Read what a function does with these arguments."""
        parts: list[Placed | str] = []
        at = 0
        for argument in _ARGUMENT.finditer(body.text):
            number = int(argument[1])
            if number < len(words):
                parts += [body.cut(at, argument.start()), words[number].text]
                at = argument.end()
        shell(self.found, Placed.joined([*parts, body.cut(at), "\n"]), self.depth + 1)

    def _filled(self, text: Placed) -> Placed:
        """The text with the values of variables that have one. Options keep the place where they are written."""
        parts: list[Placed | str] = []
        at = 0
        for variable in _VARIABLE.finditer(text.text) if "$" in text.text else ():
            known = self.values.get(variable[1] or variable[2], [])
            value = known[0].text if len(known) == 1 else "$"
            if "$" not in value and "`" not in value and "\n" not in value and len(value) < WIDTH > len(parts):
                place = text.token(variable.start(), variable.end()).span
                listed = "," in value or "=" in value
                parts += [text.cut(at, variable.start()),
                          known[0] if listed else Placed.in_place(value, place)]
                at = variable.end()
        return Placed.joined([*parts, text.cut(at)]) if parts else text

    def _parts(self, word: Word) -> list[Word]:
        """A word, or those of the arguments in the variable that it is."""
        text = self._filled(word.text)
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
        path = self._filled(targets[0]).text if targets else ""
        path = "" if "$" in path else path
        kind = kind_of_path(path)
        for word in (*first.fed, *(last.fed if last is not first else ())):
            text = word.text.unescaped("$`\\") if word.bare else word.text
            if kind == "udev":  # which has variables of its own
                self.found.written(path, _expanded(word.text) if word.bare else text)
                continue
            read = self.found.written(path, self._filled(text) if kind else text, self.found.group, self.depth)
            if not read and ((not path and _AROUND.fullmatch(reader)) or (targets and _RUNS.search(text.text))):
                shell(self.found, text, self.depth + 1)
        in_ldif = any("automountInformation:" in word.value for word in words)
        run = bool(targets) and outer_language("", targets[0].text) == SHELL
        if name in ("echo", "printf") and (kind or in_ldif or run or TO_KERNEL.match(path)):
            text = printed([Word(self._filled(word.text), word.bare) for word in words])
            if run:
                shell(self.found, text, self.depth + 1)
            else:
                self.found.written(path, text, self.found.group, self.depth)

    def _sed(self, words: Sequence[Word]) -> None:
        """`sed -i '$a LINE' FILE`, and `s/NAME=.*/NAME=VALUE/`."""
        path = words[-1].value
        for word in words[1:-1]:
            insertion = _INSERTION.match(word.value)
            line = word.text.cut(insertion.end()) if insertion else replacement(word.text)
            if line and insertion and outer_language("", path) == SHELL:
                shell(self.found, line, self.depth + 1)
            elif line and (kind_of_path(path) if insertion else kind_of_path(path) == "nfs-defaults"):
                self.found.written(path, Placed.joined([line.unescaped("nt"), "\n"]), self.found.group)

    def _mount(self, words: Sequence[Word], name: str) -> None:
        arguments = mount_words([_DASH.sub("-", word.value) for word in words])
        texts = [word.text for word in words]
        fstype: Placed | None = None
        if arguments.fstype:
            fstype = texts[arguments.fstype[0]].cut(arguments.fstype[1])
        kind = fstype.text if fstype else name.partition(".")[2]
        what = self._filled(texts[arguments.source]) if arguments.source else None
        if what and (kind in TYPES or (not kind and ":/" in what.text and what.text[0] != "/")):
            given: dict[str, Placed | str] = {"fstype": fstype or kind or "nfs", "source": what}
            given["target"] = texts[arguments.target] if arguments.target else ""
            for text in filter(lambda text: _DASH.match(text.text), texts):
                self.found.state("TYPOGRAPHIC_DASH", text)
            listed = [self._values(texts[at].cut(first)) for at, first in arguments.options]
            for number in range(max(map(len, listed), default=1)):  # one branch of the script sets each value
                options = [values[min(number, len(values) - 1)] for values in listed]
                if any(re.search(r"\bremount\b", text.text) for text in options):
                    self.found.see(*options)
                else:
                    self.found.mount("script", texts[0].span, given, options)
            if self.building:
                self.found.state("BUILD_MOUNT", texts[0])
        self.found.see(*(texts if not what or kind not in ("", *TYPES) else ()))

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
        options = long_options(words)
        for text in (*options.get("o", ()), *options.get("opt", ())):
            pair(given, text)
        for word in words:
            text, start = word.text, 0
            for piece in re.findall(r'"[^"]*"|[^,"]+|.', word.value) if "volume-opt=" in word.value else ():
                inner = text.cut(start + (piece[0] == '"'), start + len(piece.rstrip('"')))
                start += len(piece)
                if inner.text.startswith("volume-opt="):
                    pair(given, inner.cut(11))
        self.found.volume(given, words[0].text.span, "script" if words[0].value == "podman" else "compose")
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
        options = [part.cut(0, len(part.text.rstrip())).cut(len(part.text) - len(part.text.lstrip()))
                   for part in pairs.get("options", [])[:1]]  # around which the agent leaves spaces out
        self.found.see(*(word.text for word in words[at : at + 1] if "directory" in given))
        if "directory" in given and words[at].value.endswith("exportfs"):
            fsid = given.get("fsid")
            known = fsid and not has_markup(fsid.text) and not (options and "fsid=" in options[0].text)
            numbered = ["," if options else "", "fsid=", fsid] if fsid and known else []
            self.found.export([given["directory"], " ", given.get("clientspec", "*"), "(", *options, *numbered, ")"])
        elif "fstype" in given and given["fstype"].text in TYPES:
            named = {"source": given.get("device", ""), "target": given.get("directory", ""), "fstype": given["fstype"]}
            self.found.mount("script", words[at].text.span, named, options)


    def _remember(self, words: Sequence[Word]) -> None:
        """Remember a resource whose place in a group matters, and the group that pcs puts it in."""
        values = [word.value for word in words]
        agents = [(n, agent) for n, value in enumerate(values) if (agent := value.rpartition(":")[2]) in _ORDERED]
        if not agents or len(self.ordered) >= MAX_VALUES:
            return
        at, agent = agents[0]
        begins = 1 + next(n for n, value in enumerate(values) if value in ("create", "primitive"))
        resource = " ".join(values[begins:at])
        self.ordered[resource] = agent
        given = long_options(words)
        for group in given.get("group", ()) if given.keys().isdisjoint(("before", "after")) else ():
            places = self.members.setdefault(group.text, {})
            places[resource] = len(places)
            self._order(words, places)

    def _order(self, words: Sequence[Word], places: dict[str, int]) -> None:
        """State that an address starts before an export. `places`: resource → its place in a group, -1 for none."""
        inside = [(place, self.ordered[name]) for name, place in places.items() if place >= 0]
        exported = max((place for place, agent in inside if agent == "exportfs"), default=-1)
        if any(agent == "IPaddr2" and place < exported for place, agent in inside):
            self.found.state("ADDRESS_EARLY", words[0].text)


def _expanded(text: Placed) -> Placed:
    """What a shell makes of a here-document: nothing of what it does not know, such as $4 and udev's $kernel."""
    parts: list[Placed | str] = []
    at = 0
    for part in _EXPANSION.finditer(text.text):
        parts += [text.cut(at, part.start()), part[1] or ("" if part[2] else "_")]
        at = part.end()
    return Placed.joined([*parts, text.cut(at)])


def pair(given: Values, text: Placed) -> None:
    """Add the value of `key=value`, without quotes."""
    key, equals, value = text.text.partition("=")
    quoted = value[:1] in ("'", '"') and value[-1:] == value[:1] and len(value) > 1
    if equals:
        given[key] = [text.cut(len(key) + 1 + quoted, len(text.text) - quoted)]
