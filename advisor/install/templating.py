"""Templates and what is put into them: arbitrary names, quoted for each file format and for systemd units so that the
format reads the same name back. Raises Unwritable if that is impossible."""

from __future__ import annotations

import re
import shlex
from functools import cache
from html import escape
from textwrap import wrap

from jinja2 import Environment, PackageLoader, StrictUndefined

from advisor.advice.mount_line import bracketed_host
from advisor.files.units import escaped, plain_path
from advisor.pages.escape import visible

_PLAIN = re.compile(r"[A-Za-z0-9_./:@+=,-]+(?: [A-Za-z0-9_./:@+=,-]+)*")
_YAML_PLAIN = re.compile(r"[A-Za-z/][A-Za-z0-9_./-]*(?:=[A-Za-z0-9_./:-]+)?")
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
_YAML_LINE = 80
_YAML_BREAKS = "\x85\u2028\u2029\ufeff"
_EXPORTS_PLAIN = re.compile(r"[A-Za-z0-9_./:@*?\[\]^!-]")
_AUTOFS_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+=~,\[\]-]")
_SPLIT = re.compile(r"[\s*?\[\\]")
_FIO_PLAIN = re.compile(r"[A-Za-z0-9_./+=@-]+")


class Unwritable(ValueError):
    """A name cannot be written in a file's format; the text says which and why."""


def plain(value: object) -> str:
    """A value in a format that has no way to quote one: it may contain nothing that the format reads otherwise."""
    text = str(value)
    if not _PLAIN.fullmatch(text):
        raise Unwritable(f"{visible(text)}: contains a character that the file would misread")
    return text


def unit(text: str) -> str:
    """A value in a systemd unit: % begins a specifier, and a backslash at the end joins the next line."""
    if text != text.strip():
        raise Unwritable(f"{visible(text)}: a systemd unit loses spaces at the ends of a value")
    if (len(text) - len(text.rstrip("\\"))) % 2:
        raise Unwritable(f"{visible(text)}: a systemd unit cannot contain a value that ends in a backslash")
    if not _is_utf8(text):
        raise Unwritable(f"{visible(text)}: systemd accepts only UTF-8")
    return text.replace("%", "%%")


def yaml(value: object) -> str:
    """A scalar on one line that YAML 1.1 and 1.2 read alike."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if _YAML_PLAIN.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return text
    return '"' + "".join(map(_yaml_char, text)) + '"'


def _yaml_char(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char.isprintable() and char not in _YAML_BREAKS:
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def ansible(value: object) -> str:
    """A scalar that Ansible reads literally: what looks like one of its templates is marked as plain text."""
    marked = isinstance(value, str) and any(sign in value for sign in ("{{", "{%", "{#"))
    return f"!unsafe {yaml(value)}" if marked else yaml(value)


def ansible_below(text: str, indent: int) -> str:
    """The same after a key, for long text: what does not fit in 80 characters is folded into several lines, which YAML
    joins by spaces."""
    short = ansible(text)
    folds = short.startswith('"') and text.isprintable() and text == text.strip()
    if len(short) < _YAML_LINE // 2 or not folds or "  " in text:
        return f" {short}"
    lines = wrap(text, _YAML_LINE - indent, break_long_words=False, break_on_hyphens=False)
    return "".join([" >-", *(f"\n{' ' * indent}{line}" for line in lines)])


def single_word(text: str) -> str:
    """A value that a shell script uses without quotation marks, so that nothing in it may split or expand."""
    if _SPLIT.search(text):
        raise Unwritable(
            f"{visible(text)}: the cluster's agent splits a path at spaces, and expands *, ?, [ and backslashes; "
            "export a directory without these"
        )
    return text


def exports(text: str) -> str:
    """A path or a client in exports(5), with octal escapes.

    exportfs decodes a backslash and three digits even where the backslash itself came from an escape, so beside one
    every character is escaped."""
    every = "\\" in text
    return "".join(
        char if char == "/" or (not every and _EXPORTS_PLAIN.fullmatch(char)) else _octal(char) for char in text
    )


def exportfs_client(client: str) -> str:
    """A client as exportfs CLIENT:PATH has it: an IPv6 address or network in brackets."""
    address, slash, length = client.partition("/")
    return f"{bracketed_host(address)}{slash}{length}"


def autofs(text: str) -> str:
    """A key or a location in an autofs map, with a backslash before each special character."""
    return "".join(char if _AUTOFS_PLAIN.fullmatch(char) or not char.isascii() else f"\\{char}" for char in text)


def fio(text: str) -> str | None:
    """A directory in a fio job file; None if fio would cut or expand it, which nothing prevents."""
    return text if _FIO_PLAIN.fullmatch(text) else None


def xml(value: object) -> str:
    """Text in XML."""
    return escape(visible(str(value)), quote=True)


def comment(lines: list[str], sign: str = "#") -> str:
    """Comment lines. None ends in a backslash, which would join the next line to it in half of the formats."""
    return "\n".join(_without_final_backslash(f"{sign} {visible(line)}") if line else sign for line in lines)


def _without_final_backslash(line: str) -> str:
    return f"{line[:-1]}\\x5c" if line.endswith("\\") else line.rstrip()


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_LONGEST = 255
"""Characters of a unit's name, suffix included."""


def simplified(path: str) -> str:
    """The path without doubled slashes and "." parts, as Where= must have it."""
    plain = plain_path(path)
    if plain is None:
        raise Unwritable(f"{path}: systemd accepts no mount point with .. in it")
    return plain


def unit_name(path: str, suffix: str) -> str:
    """ "mnt-data.mount" for /mnt/data and "mount"."""
    name = f"{escaped(simplified(path))}.{suffix}"
    if len(name) > _LONGEST:
        raise Unwritable(f"{path}: is too long for the name of a systemd unit")
    return name


@cache
def environment() -> Environment:
    env = Environment(  # noqa: S701  no template is HTML
        loader=PackageLoader("advisor.install"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters |= {
        "comment": comment, "plain": plain, "yaml": yaml, "ansible": ansible,
        "ansible_below": ansible_below,
        "sh": shlex.quote, "unit": unit, "autofs": autofs, "exports": exports, "xml": xml,
    }
    return env


def render(template: str, **values: object) -> str:
    """A template's text. It ends in one newline."""
    return environment().get_template(f"{template}.j2").render(**values).rstrip("\n") + "\n"
