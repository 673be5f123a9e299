"""What sets variables of the kernel, modules and devices: sysctl.d(5), as sysctl and systemd-sysctl read it (no
sections, no continued lines, no comments behind a value); modprobe.d(5), as kmod reads it; the kernel command line,
with the root file system that it asks for; and udev(7) rules, as udevd parses them: rules that it drops, rules without
an effect, and attributes of backing devices (bdi), among them the read_ahead_kb of a mount. Programs are not run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.placeholders import has_markup
from advisor.files.records import (
    Assignment,
    Assignments,
    Field,
    MountEntry,
    MountTable,
    Placed,
    Slip,
    Span,
    Token,
    continued_lines,
    pieces,
)
from advisor.files.settings_grammar import near
from advisor.named_tuple import NamedTuple
from advisor.regex import regex

_ASIDE = regex(r"[ \t](?=#|;|//)")
_COMMANDS = {"alias": 2, "blacklist": 1, "install": 2, "options": 2, "remove": 2, "softdep": 2, "weakdep": 2}
"""Command → how many words have to follow."""
_OLD = ("include", "config")
WORD = regex(r'(?:"[^"]*"?|[^\s"])+')
"""A word of a kernel command line or of modprobe.d; spaces in quotation marks do not end it."""
_SYSCTL = regex(r"([\w-]+)\.([\w-]+)=([^\s=]+)")
_NOTHING = regex(r"(?:/usr)?/bin/(?:true|false)\b|(?:true|false)$|:$|/dev/null$")
_NETROOT = regex(r"(?:root|netroot)=(?:dhcp:)?nfs4?:")
_HOST = regex(r"\[[^\]]*\]:|[^/:,]*:(?=/)")
_PARAMETER = regex(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)(=?)")
_ADDRESS = regex(r"[0-9]+(?:\.[0-9]+){3}")
_AUTO = ("off", "none", "on", "any", "dhcp", "bootp", "rarp", "both")
_DRACUT = ("dhcp6", "auto6", "either6", "link6", "link-local", "single-dhcp", "ibft", "auto")
_UDEV_TOKEN = regex(
    r'(?P<key>[A-Za-z_]+)(?:\{(?P<part>[^}]*)\})?[ \t]*(?P<sign>==|!=|\+=|-=|:=|=)[ \t]*(?P<mark>e|i)?"'
    r'(?P<value>(?:[^"\\]|\\.)*)"'
)
_GAP = regex(r"[ \t,]*")
_MATCH = ("==", "!=")
_ONLY_MATCHED = frozenset((
    "ACTION", "DEVPATH", "KERNEL", "KERNELS", "SUBSYSTEM", "SUBSYSTEMS", "DRIVER", "DRIVERS", "ATTRS", "CONST", "TEST",
    "RESULT", "TAGS", "PROGRAM", "IMPORT",
))
"""Keys without an effect of their own. PROGRAM and IMPORT match with any operator."""
_STRICT = _ONLY_MATCHED - {"PROGRAM", "IMPORT"}
"""Keys to which nothing can be assigned."""
_KEYS = _ONLY_MATCHED | frozenset((
    "NAME", "SYMLINK", "ENV", "TAG", "ATTR", "SYSCTL", "RUN", "OWNER", "GROUP", "MODE", "SECLABEL", "OPTIONS", "LABEL",
    "GOTO", "WAIT_FOR", "LAST_RULE",
))
_BRACED = frozenset(("ATTR", "ATTRS", "ENV", "SYSCTL", "CONST", "SECLABEL", "IMPORT"))
"""Keys that need a name in braces."""
_READ_AHEAD = "read_ahead_kb"
_EVENTS = ("add", "remove", "change", "move", "online", "offline", "bind", "unbind")
_DOLLAR = regex(r"(?<!\$)\$(?=[0-9(])")
_EXPANDED = regex(r"\([ \t]*[=!]=|-v[ \t]+\w+=(?:[ \t]|$)|'[ \t]*[=!]=")
"""The rest of an awk program after a shell has replaced its $4 and $kernel by nothing."""


def read_sysctl(text: str, name: str, kind: str) -> Assignments:
    """The settings of a file, and the lines that are none. Keys have dots, however they are written."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        start = len(raw) - len(raw.lstrip()) + 1
        whole = Span(number, start, start + len(line))
        left, equals, right = line.partition("=")
        key = left.rstrip()
        if has_markup(key):
            continue
        if not equals:
            if not key.startswith("-"):  # tells systemd to leave the key alone
                bad.append((whole, "this is not an assignment, so it is skipped; write key = value"))
        elif len(key.split()) > 1 and key.removeprefix("sudo ").split()[0].rpartition("/")[2] == "sysctl":
            bare = f"{key.split()[-1]} = {right.strip()}"
            bad.append((whole, f"this is a command, and a file has no commands; write {bare}"))
        elif len(key.split()) > 1:
            bad.append((whole, f'no kernel has a key called "{key}", so the line is skipped; write key = value'))
        elif key:
            begin = start + (1 if key.startswith("-") else 0)
            token = Token(dotted(key.removeprefix("-")), Span(number, begin, start + len(key)))
            at = start + len(left) + 1 + len(right) - len(right.lstrip())
            settings.append(_sysctl_assignment(token, right.strip(), number, at))
        else:
            bad.append((whole, "no key before the equals sign; the line is skipped"))
    return Assignments(text, name, kind, tuple(settings), bad=tuple(bad))


def dotted(key: str) -> str:
    """The key with dots between its parts. If a slash comes first, slashes separate, and dots belong to names."""
    first = next((sign for sign in key if sign in "./"), ".")
    return key if first == "." else key.translate(str.maketrans("./", "/."))


def _sysctl_assignment(key: Token, value: str, number: int, at: int) -> Assignment:
    aside = _ASIDE.search(value)
    if aside is None:
        return Assignment("", key, Token.at(number, at, value))
    taken = value[:aside.start()].rstrip()
    rest = Token.at(number, at + aside.end(), value[aside.end():])
    return Assignment("", key, Token.at(number, at, taken), rest)


def read_modprobe(text: str, name: str, kind: str) -> Assignments:
    """The parameters of modules, section by section; lines that kmod skips; modules that are never loaded."""
    settings: list[Assignment] = []
    bad: list[tuple[Span, str]] = []
    slips: list[Slip] = []
    for whole in continued_lines(text, joint=" "):
        line = [whole.token(*word.span()) for word in WORD.finditer(whole.text)]
        if not line or whole.text.startswith("#") or has_markup(line[0].text):
            continue
        command, words, first = line[0].text, line[1:], line[0].span
        span = first._replace(end_column=max(one.span.end_column for one in line if one.span.line == first.line))
        wanted = _COMMANDS.get(command)
        if wanted is None:
            if command not in _OLD and not command.startswith("#"):
                bad.append((span, _why_unknown(line)))
        elif len(words) < wanted:
            bad.append((span, f"too few words follow {command}, so the line is skipped"))
        elif command == "options":
            settings += parameters(module(words[0].text), words[1:])
        elif command == "blacklist" or (command == "install" and _NOTHING.match(words[1].text)):
            how, idle = "blacklist", "module-blacklist-idle"
            if command == "install":
                how, idle = f"install … {words[1].text}", ""
            slips.append(Slip("module-disabled", words[0].span, module(words[0].text), {"how": how}, idle))
    return Assignments(text, name, kind, tuple(settings), bad=tuple(bad), slips=tuple(slips))


def module(name: str) -> str:
    """The name of a module as the kernel has it, where a dash is an underscore."""
    return name.replace("-", "_")


def parameters(name: str, words: list[Token]) -> Iterator[Assignment]:
    """The parameters of the module `name`. To the kernel a number sign does not begin a comment: the words behind it
    are parameters that do not exist."""
    for at, word in enumerate(words):
        if word.text.startswith("#"):
            end = max(piece.span.end_column for piece in words if piece.span.line == word.span.line)
            rest = Token(" ".join(piece.text for piece in words[at:]), Span(word.span.line, word.span.column, end))
            yield Assignment(name, Token("", word.span), Token("", word.span), rest)
            return
        if word.text.startswith("=") or (at and words[at - 1].text.endswith("=") and "=" not in word.text):
            continue  # the rest of an assignment with spaces in it
        key, equals, value = word.text.partition("=")
        if equals and not value and at + 1 == len(words):
            equals = ""
        start = word.span.column + len(key) + len(equals)
        quoted = len(value) > 1 and value[0] == value[-1] == '"'
        if quoted:
            start, value = start + 1, value[1:-1]
        yield Assignment(
            name, Token(module(key), word.span._replace(end_column=word.span.column + len(key))),
            Token.at(word.span.line, start, value),
        )


def _why_unknown(line: list[Token]) -> str:
    command = line[0].text
    parameter = _SYSCTL.fullmatch("".join(word.text for word in line))
    if parameter:
        name, key, value = parameter.groups()
        return f"modprobe skips the line, which is written as for sysctl; write options {name} {key}={value}"
    known = [name for name in _COMMANDS if name.startswith(command[:3].lower())]
    meant = next((name for name in known if name != command), "options" if command.lower()[:1] == "o" else "")
    hint = f" (did you mean {meant}?)" if meant else ""
    return f"no command is called {command}{hint}, so modprobe skips the line"


def read_root_mounts(text: str, name: str, kind: str) -> MountTable:
    """The mounts of all lines that are not comments."""
    found = [(number, word) for number, words in _lines(text) for word in words]
    mounts = (_root_mount(word[0].strip('"'), number, word.start() + 1) for number, word in found)
    return MountTable(text, name, kind, tuple(mount for mount in mounts if mount is not None))


def _lines(text: str) -> Iterator[tuple[int, list[re.Match[str]]]]:
    """The numbers and words of lines that are not comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.lstrip().startswith("#"):
            yield number, [*WORD.finditer(line)]


def _root_mount(word: str, number: int, column: int) -> MountEntry | None:
    netroot = _NETROOT.match(word)
    begin = netroot.end() if netroot else 8 if word.startswith("nfsroot=") else 0
    if not begin:
        return None
    host = _HOST.match(word, begin)
    path = host.end() if host else begin
    # In dracut's form a colon ends the path, in the kernel's a comma.
    end = next((at for at in range(path, len(word)) if word[at] in ",:"), len(word))
    span = Span(number, column + begin, column + end)
    options = pieces(word[end + 1:], Span(number, column + end + 1, column + len(word)))
    fstype = "nfs4" if netroot and netroot[0].endswith("nfs4:") else "nfs"
    return MountEntry(
        number, word, source=Field.of(word[begin:end], (number, column + begin)), target=Field((), span, "/"),
        fstype=Field((), span, fstype), options=Field([part for part in options if part.text], span),
    )


def read_cmdline(text: str, name: str, kind: str) -> Assignments:
    """The parameters of modules, with the module as section, and mistakes in nfsroot= and ip=."""
    settings: list[Assignment] = []
    slips: list[Slip] = []
    for number, words in _lines(text):
        by_kernel = any(word[0] == "root=/dev/nfs" for word in words)
        for word in words:
            span = Span(number, word.start() + 1, word.end() + 1)
            match = _PARAMETER.match(word[0])
            if match is not None:
                settings.append(_parameter(match, word[0], span))
            elif not has_markup(word[0]):
                slips += _syntax_slips(word[0], span, by_kernel)
    return Assignments(text, name, kind, tuple(settings), slips=tuple(slips))


def _parameter(match: re.Match[str], word: str, span: Span) -> Assignment:
    middle, start = span.column + match.start(2), span.column + match.end()
    rest = word[match.end():]
    value = rest.strip('"')
    return Assignment(
        module(match[1]), Token.at(span.line, middle, module(match[2])),
        Token.at(span.line, start + len(rest) - len(rest.lstrip('"')), value),
    )


def _syntax_slips(word: str, span: Span, by_kernel: bool) -> Iterator[Slip]:
    key, _, value = word.partition("=")
    if key == "nfsroot" and value:
        place = value.partition(",")[0]
        host, colon, path = place.partition(":")
        if colon and path.startswith("/") and by_kernel and not _ADDRESS.fullmatch(host) and not host.startswith("["):
            yield Slip("nfsroot-name", span, words={"host": host})
        elif not colon and _ADDRESS.match(place):
            address, slash, rest = place.partition("/")
            yield Slip("nfsroot-form", span, words={"todo": f"nfsroot={address}:{slash}{rest}" if slash else
                                                    f"nfsroot={address}:/DIRECTORY"})
    elif key == "ip" and value.isalpha() and value not in (*_AUTO, *_DRACUT):
        yield Slip("ip-form", span, words={"value": value, "words": ", ".join(_AUTO)})


class _UdevWord(NamedTuple):
    """KEY{part}sign"value". `at`: the place of the value."""

    key: str
    part: str
    sign: str
    value: str
    span: Span
    at: Span


class _UdevRule(NamedTuple):
    """`wrong`: what udev cannot read, and why."""

    words: list[_UdevWord]
    wrong: tuple[Span, str] | None

    def only(self, key: str) -> str | None:
        """The one plain value that this key has to have, if the rule asks for one."""
        values = [word.value for word in self.words if word.key == key and word.sign == "=="]
        return values[0] if len(values) == 1 and not set(values[0]) & set("*?[|") else None


def read_udev(text: str, name: str, kind: str) -> Assignments:
    """The attributes that rules set for backing devices; rules that udev drops, or that do not do what their author
    meant."""
    settings: list[Assignment] = []
    slips: list[Slip] = []
    jumps = False
    for line in continued_lines(text, "#"):
        rule = _udev_rule(line)
        if rule.wrong is not None:
            slips.append(Slip("udev-rule-dropped", rule.wrong[0], words={"words": rule.wrong[1]}))
            continue
        jumps = jumps or any(word.key == "GOTO" for word in rule.words)
        slips += _udev_slips(rule, jumps)
        subsystem = rule.only("SUBSYSTEM")
        for word in rule.words:
            filled = word.part == _READ_AHEAD and ("%" in word.value or "$" in word.value)
            ours = subsystem == "bdi" or (subsystem is None and word.part == _READ_AHEAD)
            if word.key == "ATTR" and word.sign not in _MATCH and ours and "/" not in word.part and not filled:
                begin = word.span.column + 5
                key = Token.at(word.span.line, begin, word.part)
                settings.append(Assignment("", key, Token(word.value, word.at)))
    return Assignments(text, name, kind, tuple(settings), slips=tuple(slips))


def _udev_slips(rule: _UdevRule, jumps: bool) -> Iterator[Slip]:
    """What a rule that udev accepts does not do, or does too often."""
    words = rule.words
    if words and all(word.key in _ONLY_MATCHED or (word.sign in _MATCH and word.key != "LABEL") for word in words):
        compared = next((word for word in words if word.key == "ATTR" and word.sign == "=="), None)
        if not any(word.key in ("PROGRAM", "IMPORT") for word in words) or compared is not None:
            shown = compared or words[-1]
            todo = "Remove the rule, or write what it is to do."
            if compared is not None:
                todo = f'Write ATTR{{{shown.part}}}="{shown.value}" to set it.'
            yield Slip("udev-rule-idle", shown.span, words={"todo": todo})
        return
    for word in words:
        events = [event.strip() for event in word.value.split("|")]
        comes = any(event in _EVENTS or set(event) & set("*?[$%") for event in events)
        if word.key == "ACTION" and word.sign == "==" and not comes:
            yield Slip("udev-no-event", word.span, words={"event": word.value, "events": ", ".join(_EVENTS)})
    sets = [w for w in words if w.key == "ATTR" and w.sign not in _MATCH and w.part == _READ_AHEAD]
    subsystem = rule.only("SUBSYSTEM")
    restricted, keys = any(map(_restricts_devices, words)), {word.key for word in words}
    for word in sets:
        if subsystem not in (None, "bdi"):
            yield Slip("udev-attribute-elsewhere", word.span, words={"subsystem": str(subsystem)})
        elif not jumps and not restricted:
            if word.value.isdigit():
                yield Slip("udev-every-device", word.span, words={"value": word.value})
        elif "ACTION" not in keys and not jumps:
            yield Slip("udev-without-action", words[0].span)
    for word in words:
        if sets and word.key == "PROGRAM":
            if "awk" in word.value and _EXPANDED.search(word.value):
                yield Slip("udev-shell-expanded", word.span)
            elif (dollar := _DOLLAR.search(word.value)) and "\\$" not in word.value:
                yield Slip("udev-dollar", word.span, words={"found": word.value[dollar.start():][:2]})


def _restricts_devices(word: _UdevWord) -> bool:
    """Whether a word restricts its rule to some devices of a subsystem."""
    if word.key in ("SUBSYSTEM", "ACTION", "SUBSYSTEMS"):
        return False
    if word.key in ("PROGRAM", "IMPORT"):
        return True
    if word.key in ("RESULT", "TEST", "KERNEL", "KERNELS", "DEVPATH"):
        return word.value not in ("*", "?*")
    return word.sign in _MATCH


def _udev_rule(line: Placed) -> _UdevRule:
    """The words of a rule, up to the first one that udev cannot read."""
    words: list[_UdevWord] = []
    at = 0
    while True:
        gap = _GAP.match(line.text, at)
        at = gap.end() if gap else at
        if at >= len(line.text):
            return _UdevRule(words, None)
        match = _UDEV_TOKEN.match(line.text, at)
        if match is None:
            return _UdevRule(words, (line.token(at, len(line.text.rstrip())).span, _why_unreadable(line.text[at:])))
        span, value = line.token(*match.span()).span, line.token(*match.span("value")).span
        word = _UdevWord(match["key"], match["part"] or "", match["sign"], match["value"], span, value)
        wrong = _why_misused(word, match["part"] is not None)
        if wrong:
            return _UdevRule(words, (span, wrong))
        words.append(word)
        at = match.end()


def _why_misused(word: _UdevWord, braces: bool) -> str | None:
    """What is wrong with a key or its operator."""
    if word.key not in _KEYS:
        meant = near(word.key, sorted(_KEYS))
        return f"udev has no key {word.key}" + (f" (did you mean {meant}?)" if meant else "")
    if word.key in _BRACED and not braces:
        return f"{word.key} needs a name in braces, as in {word.key}{{name}}"
    if word.key in _STRICT and word.sign not in _MATCH:
        return f"{word.key} can only be compared; write {word.key}==\"{word.value}\""
    return None


def _why_unreadable(rest: str) -> str:
    if rest.startswith("#"):
        return "a comment has to be on its own line"
    if any(sign in rest for sign in "“”„«»"):
        return "the quotation marks are typographic; write straight ones"
    word = rest.split(maxsplit=1)[0].rstrip(",")
    if "(" in word.partition("=")[0]:
        return f"in {word}, the name of an attribute has to be in braces, as in ATTR{{name}}"
    if "'" in word:
        return f"in {word}, the value needs double quotation marks"
    if word.count('"') == 1:
        return "the quotation mark is never closed"
    if "=" in word and '"' not in word:
        return f"in {word}, the value has no quotation marks"
    return f"{word} is not KEY==\"value\" or KEY=\"value\""
