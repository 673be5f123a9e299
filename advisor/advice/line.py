"""The mount options of an advice, as one list."""

from __future__ import annotations

from advisor.advice.model import Advice, OpenSetting, Recommendation
from advisor.advice.ranking import ACCESS, CLIENT, in_order, pointless, telling
from advisor.advice.steps import filled
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import absence_supports

_TYPE = "fstab.type"
PLAIN = "defaults"
"""What an option list holds when it sets nothing."""


def mount_options(advice: Advice) -> tuple[Recommendation, ...]:
    """The settled mount options to write. A default is written only where a rule or an administrator insists on it, and
    never where it says that something is off."""
    return tuple(one for one in advice.advised if one.kind == "mount-option" and stands_in_line(one))


def stands_in_line(one: Recommendation) -> bool:
    """Whether a mount option is written; see `mount_options`."""
    return bool(one.text) and (
        one.pinned or not one.already or (one.strength != "may" and one.written is not False)
    )


def bars(one: Recommendation) -> bool:
    """Whether it says that Linux must not mount this at all: another protocol, or another system's client."""
    return one.kind == ACCESS and one.strength == "must" and one.opinion and not one.pinned


def to_set(one: Recommendation, advice: Advice) -> bool:
    """Whether something is to be written, or is written out although it is the default."""
    insisted = one.kind == "mount-option" and stands_in_line(one)
    if advice.server and one.kind in CLIENT:
        return False
    return insisted or (telling(one) and not pointless(one.definition, advice.advised))


def unchanged(advice: Advice) -> list[Recommendation]:
    """What a rule says of this host that needs no change: it is so by default, or is best left out."""
    return [
        one for one in in_order(advice.advised)
        if one.opinion and not to_set(one, advice) and not (advice.server and one.kind in CLIENT)
    ]


def left_open(advice: Advice) -> tuple[OpenSetting, ...]:
    """What is not settled and of which some rule says something, the weightiest first."""
    return in_order(one for one in advice.open if one.strength is not None)


def mounts(advice: Advice) -> bool:
    """Whether there is a mount to write: the host is not the server, and something is settled."""
    if advice.server or any(bars(one) for one in advice.advised):
        return False
    return bool(mount_options(advice) or options_kept(advice))


def lacking(base: RuleBase, advice: Advice) -> list[OpenSetting]:
    """Open options, or a type, that have to be written one way or another: a line without them is not yet advised."""
    return [
        one for one in advice.open
        if one.kind in ("mount-option", "fstab-field") and one.strength == "must"
        and not any(
            absence_supports(possible.value, base.tunables[one.tunable].default) for possible in one.possible
        )
    ]


def lacking_exports(base: RuleBase, advice: Advice) -> list[OpenSetting]:
    """Open export options that may have to be written. An export says something by what it leaves out (who leaves out
    rw makes it read-only), so that none is written before these are settled."""
    return [
        one for one in advice.open
        if one.kind == "export-option" and any(
            possible.strength == "must"
            and not absence_supports(possible.value, base.tunables[one.tunable].default)
            for possible in one.possible
        )
    ]


def option_list(advice: Advice) -> str:
    """The options as a mount command and fstab take them."""
    written = [one.text for one in mount_options(advice)]
    return ",".join((*written, *(text for text in options_kept(advice) if text not in written))) or PLAIN


def options_kept(advice: Advice) -> tuple[str, ...]:
    """The options that facts state and those of today's line, as far as no advice speaks against them."""
    return tuple(
        text for tunable, text in {**advice.said, **advice.answers.today}.items()
        if text and tunable != _TYPE and ((one := advice.find(tunable)) is None or one.value == "keep")
    )


def fstab_line(advice: Advice) -> str:
    """The line for fstab, names escaped as fstab(5) says."""
    source = f"{host(advice.answers.name('server'))}:{advice.answers.name('export')}"
    fields = (
        escaped(source), escaped(advice.answers.name("target")),
        field(advice, "type", advice.answers.today.get(_TYPE, "nfs")), option_list(advice),
        field(advice, "freq", "0"), field(advice, "passno", "0"),
    )
    return "  ".join(fields[:4]) + "  " + " ".join(fields[4:])


def mount_line(advice: Advice) -> str:
    """The mount as it is written where it belongs: a line of fstab, unless a setting says of its value that it goes
    elsewhere (a manifest, the kernel's command line)."""
    words = {"server": advice.answers.name("server"), "export": advice.answers.name("export"),
             "options": option_list(advice)}
    for one in advice.advised:
        steps = one.definition.by_value.get(str(one.value))
        if one.kind == ACCESS and steps is not None and steps.line is not None:
            return filled(steps.line, words)
    return fstab_line(advice)


def host(server: str) -> str:
    """A server as it stands before the colon: an IPv6 address in brackets."""
    return f"[{server}]" if ":" in server and not server.startswith("[") else server


def escaped(text: str) -> str:
    """A field of fstab: blanks, tabs, newlines and backslashes as octal escapes, and a # that would begin a comment.

    Elsewhere # stays: getmntent(3) does not decode it."""
    return "".join(
        f"\\{ord(char):03o}" if char in " \t\n\r\\" or (char == "#" and not place) else char
        for place, char in enumerate(text)
    )


def field(advice: Advice, name: str, usual: str) -> str:
    """A field of fstab (`type`, `freq`, `passno`), or what is usual where nothing is settled."""
    found = advice.find(f"fstab.{name}")
    return usual if found is None or found.written is None else str(found.written)
