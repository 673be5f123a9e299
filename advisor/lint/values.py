"""Does a value that stands in a file support a value that a rule asks for? And how is a value written?"""

from __future__ import annotations

import operator
import re
from typing import Any

_COMPARE = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne}
_BOUND = re.compile(r"(>=|<=|==|!=|>|<)\s*(-?\d+)")
_BOUND_ONLY = re.compile(r"(?:(?:>=|<=|==|!=|>|<)\s*-?\d+\s*)+")


def is_bound(value: Any) -> bool:
    """True for a rule value such as "<=262144" or ">=8 <=16"."""
    return isinstance(value, str) and _BOUND_ONLY.fullmatch(value) is not None


def inside(number: Any, bound: str) -> bool:
    """True if `number` satisfies every comparison of `bound`; a value that is no number never does."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return all(_COMPARE[sign](number, int(limit)) for sign, limit in _BOUND.findall(bound))


def same(a: Any, b: Any) -> bool:
    """Equal values; a word and a number that are written alike ("3" and 3) are equal, true and 1 are not."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    return bool(a == b) or str(a) == str(b)


def supports(found: Any, wanted: Any, default: Any) -> bool:
    """Whether a setting that is present with value `found` supports the rule value `wanted`.

    `default` is the value in effect when the setting is absent (None: not known): writing it out does no harm
    where a rule says `omit`."""
    if wanted == "keep":
        return True
    if wanted in ("omit", "n/a"):
        return default is not None and same(found, default)
    if is_bound(wanted):
        return inside(found, wanted)
    return same(found, wanted)


def absence_supports(wanted: Any, default: Any) -> bool | None:
    """Whether leaving the setting out supports `wanted`; None when that depends on an unknown default."""
    if wanted in ("keep", "omit", "n/a"):
        return True
    if default is None:
        return None
    return inside(default, wanted) if is_bound(wanted) else same(default, wanted)


def spell(tunable: dict[str, Any], value: Any, like: str = "") -> str:
    """How `value` is written as a mount option: "nconnect=4", "nolock"; "" when the option is left out.

    `like`: how the option is written now, so that `nfsvers=3` becomes `nfsvers=4.1`."""
    if value in ("omit", "n/a"):
        return ""
    names = [str(form["spelling"]) for form in tunable.get("forms", ()) if form.get("takes")]
    if names:
        now = like.partition("=")[0]
        return f"{now if '=' in like and now in names else names[0]}={value}"
    for form in tunable.get("forms", ()):
        if form.get("means") is not None and same(form["means"], value):
            return str(form["spelling"])
    return f"{tunable['id'].partition('.')[2]}={value}"


def describe(tunable: dict[str, Any], value: Any, like: str = "") -> str:
    """A rule value in words, for a message; `like` as in `spell`."""
    if tunable["kind"] == "fstab-field":
        return str(value)
    name = tunable["forms"][0]["spelling"] if tunable.get("forms") else tunable["id"]
    if value in ("omit", "n/a"):
        return f"leave {name} out"
    if value == "keep":
        return f"any {name}"
    if is_bound(value):
        unit = f" {tunable['unit']}" if tunable.get("unit") else ""
        return f"{name} {value}{unit}"
    return spell(tunable, value, like)
