"""The mount line of an advice, and the settings that have to be written."""

from __future__ import annotations

from advisor.advice.model import Advice, OpenSetting, Recommendation
from advisor.advice.ranking import ACCESS, CLIENT, asks_for_change, in_order, is_pointless
from advisor.advice.steps import fill_in
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import absence_supports

_TYPE = "fstab.type"
PLAIN = "defaults"
"""The option list that sets nothing."""


def mount_options(advice: Advice) -> tuple[Recommendation, ...]:
    """The settled mount options to write. A default is written only if it is pinned, or if a rule that must or should
    be followed gives it and it does not turn something off."""
    return tuple(option for option in advice.advised if option.kind == "mount-option" and is_written(option))


def is_written(option: Recommendation) -> bool:
    """Whether a mount option is written; see `mount_options`."""
    return bool(option.text) and (
        option.pinned or not option.already or (option.strength != "may" and option.written is not False)
    )


def forbids_mount(setting: Recommendation) -> bool:
    """Whether it recommends another protocol or system instead of a mount by Linux."""
    return setting.kind == ACCESS and setting.strength == "must" and setting.recommends and not setting.pinned


def is_to_set(setting: Recommendation, advice: Advice) -> bool:
    """Whether the setting has to be written, including a default that `is_written`."""
    insisted = setting.kind == "mount-option" and is_written(setting)
    if advice.server and setting.kind in CLIENT:
        return False
    return insisted or (asks_for_change(setting) and not is_pointless(setting.definition, advice.advised))


def unchanged_settings(advice: Advice) -> list[Recommendation]:
    """The recommendations that need no change: a default, or an option that is best left out."""
    return [
        setting for setting in in_order(advice.advised)
        if setting.recommends and not is_to_set(setting, advice) and not (advice.server and setting.kind in CLIENT)
    ]


def open_settings(advice: Advice) -> tuple[OpenSetting, ...]:
    """The open settings for which a rule has a recommendation, the most important first."""
    return in_order(setting for setting in advice.open if setting.strength is not None)


def has_mount(advice: Advice) -> bool:
    """Whether there is a mount to write: the host is not the server, and something is settled."""
    if advice.server or any(forbids_mount(setting) for setting in advice.advised):
        return False
    return bool(mount_options(advice) or kept_options(advice))


def missing_options(base: RuleBase, advice: Advice) -> list[OpenSetting]:
    """The open options and fields without which the line is incomplete, because no possible value may be left out."""
    return [
        setting for setting in advice.open
        if setting.kind in ("mount-option", "fstab-field") and setting.strength == "must"
        and not any(
            absence_supports(possible.value, base.tunables[setting.tunable].default) for possible in setting.possible
        )
    ]


def missing_export_options(base: RuleBase, advice: Advice) -> list[OpenSetting]:
    """The open export options that may have to be written. Leaving one out has a meaning too (an export without rw is
    read-only), so no export is written before these are settled."""
    return [
        setting for setting in advice.open
        if setting.kind == "export-option" and any(
            possible.strength == "must"
            and not absence_supports(possible.value, base.tunables[setting.tunable].default)
            for possible in setting.possible
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
