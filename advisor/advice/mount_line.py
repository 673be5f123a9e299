"""The mount line of an advice, and what it lacks."""

from __future__ import annotations

from advisor.advice.model import Advice, Row
from advisor.advice.ranking import ACCESS, forbids_mount, is_written
from advisor.advice.steps import fill_in
from advisor.rulebase.values import LINE_KINDS, absence_supports

_TYPE = "fstab.type"
PLAIN = "defaults"
"""The option list that sets nothing."""


def mount_options(advice: Advice) -> tuple[Row, ...]:
    """The mount options to write, in the order in which they are written."""
    return tuple(row for row in advice.rows if row.kind == "mount-option" and is_written(row))


def has_mount(advice: Advice) -> bool:
    """Whether there is a mount to write: the host is not the server, and something is settled."""
    if advice.server or any(forbids_mount(row) for row in advice.rows):
        return False
    return bool(mount_options(advice) or kept_options(advice))


def missing_options(advice: Advice) -> list[Row]:
    """The open options and fields without which the line is incomplete, because no possible value may be left out."""
    return [
        row for row in advice.open
        if row.kind in LINE_KINDS and row.strength == "must"
        and not any(absence_supports(maybe.value, row.definition.default) for maybe in row.possible)
    ]


def missing_export_options(advice: Advice) -> list[Row]:
    """The open export options that may have to be written. Leaving one out has a meaning too (an export without rw is
    read-only), so no export is written before these are settled."""
    return [
        row for row in advice.open
        if row.kind == "export-option" and any(
            maybe.strength == "must" and not absence_supports(maybe.value, row.definition.default)
            for maybe in row.possible
        )
    ]


def option_list(advice: Advice) -> str:
    """The options as in a mount command and in fstab."""
    written = [option.text for option in mount_options(advice)]
    return ",".join((*written, *(text for text in kept_options(advice) if text not in written))) or PLAIN


def kept_options(advice: Advice) -> tuple[str, ...]:
    """The options that facts state and those of the current line, unless a recommendation is about them."""
    return tuple(
        text for tunable, text in {**advice.given_options, **advice.answers.today}.items()
        if text and tunable != _TYPE and ((setting := advice.find(tunable)) is None or setting.value == "keep")
    )


def fstab_line(advice: Advice) -> str:
    """The line for fstab, names escaped as fstab(5) says."""
    source = f"{bracketed_host(advice.answers.name('server'))}:{advice.answers.name('export')}"
    fields = (
        escape_field(source), escape_field(advice.answers.name("target")),
        field(advice, "type", advice.answers.today.get(_TYPE, "nfs")), option_list(advice),
        field(advice, "freq", "0"), field(advice, "passno", "0"),
    )
    return "  ".join(fields[:4]) + "  " + " ".join(fields[4:])


def mount_line(advice: Advice) -> str:
    """The mount as a line of fstab, or in the form that the rule base has for a manifest or the kernel's command
    line."""
    words = {"server": advice.answers.name("server"), "export": advice.answers.name("export"),
             "options": option_list(advice)}
    for setting in advice.advised:
        steps = setting.definition.by_value.get(str(setting.value))
        if setting.kind == ACCESS and steps is not None and steps.line is not None:
            return fill_in(steps.line, words)
    return fstab_line(advice)


def bracketed_host(server: str) -> str:
    """A server in the syntax of a mount source: an IPv6 address in brackets."""
    return f"[{server}]" if ":" in server and not server.startswith("[") else server


def escape_field(text: str) -> str:
    """A field of fstab: spaces, tabs, newlines and backslashes as octal escapes, and a # that would begin a comment.

    Elsewhere # stays: getmntent(3) does not decode it."""
    return "".join(
        f"\\{ord(char):03o}" if char in " \t\n\r\\" or (char == "#" and not place) else char
        for place, char in enumerate(text)
    )


def field(advice: Advice, name: str, usual: str) -> str:
    """A field of fstab (`type`, `freq`, `passno`), or `usual` if it is not settled."""
    setting = advice.find(f"fstab.{name}")
    return usual if setting is None or setting.written is None else str(setting.written)
