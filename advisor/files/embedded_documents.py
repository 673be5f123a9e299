"""NFS configuration in documentation and notes: blocks of code, and lines that prove themselves what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from advisor.files import outer
from advisor.files.embedded_commands import Shell
from advisor.files.embedded_found import OF_OTHER_SYSTEMS, Found, looks_like_command
from advisor.files.kinds import IN_EFFECT, JUDGED, identify, is_line_of
from advisor.files.placed import Placed
from advisor.files.placeholders import joined
from advisor.files.words import TYPES

_OPENS = re.compile(
    r"(?i)[ \t>*-]{0,40}(?:(?P<fence>```+|~~~+)[ \t]*\{?\.?(?P<info>[\w+-]*)"
    r"|\.\. (?:code|code-block|sourcecode)::[ \t]*(?P<directive>[\w+-]*)"
    r"|#\+begin_(?:src|example)[ \t]*(?P<org>[\w+-]*)|(?P<bar>----+|\.\.\.\.+)[ \t]*$)"
)
"""A line that begins a block of code in Markdown, reStructuredText, Org and AsciiDoc."""
_LANGUAGE = re.compile(r"\[source,[ \t]*(\w+)")
_ENDS = {
    "bash": "sh", "shell": "sh", "zsh": "sh", "terraform": "tf", "ruby": "rb", "puppet": "pp", "python": "py",
    "javascript": "js", "typescript": "ts", "jinja": "j2",
}
"""Name of a language → the end of a file's name."""
_PROMPT = re.compile(
    r"[ \t]*(?:[>*+-]{1,2}[ \t]+|\d{1,3}[.)][ \t]+){0,3}(?:`|<(?:pre|code)\b[^<>\n]*>)?"
    r"(?:\[?[\w.-]*(?:@[^\n#$%>`]*)?[#$%>][ \t]+)?"
)
"""What stands in front of a command: the sign of a list, a prompt."""
_ASSIGNS = re.compile(r"(?:export )?[A-Z][A-Z_0-9]*=\S")
_SPAN = re.compile(r"`([^`\n]+)`")
_CLOSES = re.compile(r"(?:`|</(?:pre|code)>)[ \t]*$")
_WORDS = ("nfs", "mount", "export", "docker", "=")
_USUAL = ("defaults", "rw", "ro", "auto", "noauto", "_netdev", "hard", "soft", "bg", "intr", "user", "nofail")
_SHOWN = re.compile(r"<world>|\bwdelay,(?:no)?hide\b|,namlen=\d|,clientaddr=|,mountaddr=|\bon /\S{0,300} type \w+ \(")
"""What exportfs -v prints and the kernel lists, and nobody writes."""


def read_document(found: Found, text: Placed) -> None:
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
        if start < 0:
            opens = _OPENS.match(line)
            if opens and (not opens["bar"] or not above or _LANGUAGE.match(above)):
                named = opens["info"] or opens["directive"] or opens["org"] or ""
                said = _LANGUAGE.match(above)
                start, language, indent = after, named or (said[1] if said else ""), -1
                end = (opens["fence"] or opens["bar"] or "").strip() or "#+end"
                if opens["directive"] is not None:
                    end, indent = "", len(line) - len(line.lstrip())
            elif bare.endswith("::"):
                start, language, end, indent = after, "", "", len(line) - len(line.lstrip())
        else:
            inside = not bare or len(line) - len(line.lstrip()) > indent
            closed = (bare.lstrip("> ").lower().startswith(end) if end else not inside) or at >= len(text.text)
            if closed:
                yield language.lower(), text.cut(start, at)
                start = -1
        above, at = bare, after


class _DocumentReader:
    def __init__(self, found: Found) -> None:
        self.found = found
        self.shell = Shell(found, 0)

    def is_file(self, language: str, block: Placed) -> bool:
        """Add a block that is the text of a file, or of a language other than a shell's."""
        end = _ENDS.get(language, language)
        outer_one = outer.outer_language("", f"block.{end}") if end else ""
        if outer_one == outer.SHELL:
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
        if kind not in JUDGED and outer.outer_language(block.text, name) in ("", outer.DOCUMENT, outer.SHELL):
            return False
        if outer_one != outer.PROGRAM:
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
            if number > taken and number not in self.found.seen and any(word in line for word in _WORDS):
                prompt = _PROMPT.match(line)
                spans = [(prompt.end() if prompt else 0, len(line)), *(span.span(1) for span in _SPAN.finditer(line))]
                for start, end in spans:
                    piece = _CLOSES.sub("", line[start:end]).rstrip()
                    at = starts[number - 1] + start
                    if looks_like_command(piece) or _ASSIGNS.match(piece):
                        taken = _last_line(lines, number) if end == len(line) else number
                        last = starts[taken] if taken > number else at + len(piece)
                        self.shell.read(Placed.joined([text.cut(at, last), "\n"]))
                    else:
                        _add_line(self.found, text.cut(at, at + len(piece)))


def read_lines(found: Found, text: Placed, numbers: list[int]) -> Iterator[int]:
    """Read those of these lines that are certainly of a file. Returns their numbers."""
    lines, starts = _lines(text)
    for number in numbers:
        if _add_line(found, text.cut(starts[number - 1], starts[number - 1] + len(lines[number - 1]))):
            yield number


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
    """The kind of file that a line is certainly from, fstab or exports; "" for others."""
    words = joined(line.partition(" #")[0]).split()
    if len(words) < 2 or words[0].startswith("#") or _SHOWN.search(line) or OF_OTHER_SYSTEMS.search(line):
        return ""
    mount = (
        3 < len(words) < 7 and ":" in words[0][1:] and words[1][0] in "/$<{%" and words[2] in TYPES
        and not words[3].startswith(("[", "...", "("))
        and (len(words) == 6 or "," in words[3] or "=" in words[3] or words[3] in _USUAL)
        and all(word.isdigit() for word in words[4:])
    )
    if mount:
        return "fstab"
    return "exports" if words[-1].endswith(")") and is_line_of("exports", " ".join(words)) else ""
