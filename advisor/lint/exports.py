"""exports(5) against the rule base: options by their grammar (kb/tunables/exports), the decisions on them, the checks,
and what can be said of clients and of several exports together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING

from advisor.lint.certain import certain
from advisor.lint.finding import Finding, from_check, placed
from advisor.lint.rule_index import RuleIndex
from advisor.options.words import Setting
from advisor.readers.mounts.exports import Export, read
from advisor.readers.placeholders import has_markup
from advisor.readers.source import is_ipv6
from advisor.rulebase.model.tunables import Form

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

_QUAD = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_NEARLY = re.compile(r"[0-9lIOo]{1,3}(?:\.[0-9lIOo]{1,3}){3}")
_RANGE = re.compile(r"[0-9]+(?:\.[0-9]+){3}-[0-9.]+|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]*\[[0-9-]+\]")
_SHORT = re.compile(r"[0-9]+(?:\.[0-9]+){0,2}")
_STARRED = re.compile(r"[0-9*?]+(?:\.[0-9*?]+){1,3}")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:[:-]?[0-9A-Fa-f]{4}){6}|(?:[0-9A-Fa-f]{8}[:-]?){4}")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|[0-9]+)")
LONGEST = 40
"""Letters of a word for which a similar option is looked for."""
Spellings = dict[str, tuple[str, Form]]
"""An option as it is spelt → its tunable, and the form that spells it so."""
_UNPROVED = ("sys", "unix", "none", "null")
_PLACE = Setting(None, "target", 0, 0, "")


def judge(index: RuleIndex, text: str, name: str) -> tuple[list[Finding], int]:
    """The findings of one file, in no order, and how many lines of it export something."""
    findings: list[tuple[Finding, Export]] = []
    exports = read(text)
    words = _spellings(index)
    for number, export in enumerate(exports):
        before = exports[number - 1] if number else export
        ignored = before.apart is not None and before.client.text == "*" and export is not before
        left = len(exports) - number - 1
        findings += [(finding, export) for finding in _one(index, export, words, left, ignored)]
    findings += [(finding, export) for export, finding in _together(index, exports)]
    if exports and re.search(r"(?:^|/)exports\.d/(?:\.[^/]*|[^/]*(?<!\.exports))$", name):
        findings += [(finding, exports[0]) for finding in _said(index, "export-file-ignored", _PLACE, "")]
    return [placed(finding, name, export) for finding, export in findings], len({one.path.span for one in exports})


def _spellings(index: RuleIndex) -> Spellings:
    """Option → its tunable, and the form that spells it so."""
    return {
        form.spelling: (tunable, form)
        for tunable, told in index.tunables.items() if tunable.startswith("exports.") for form in told.forms
    }


def _one(index: RuleIndex, export: Export, words: Spellings, left: int, ignored: bool) -> Iterator[Finding]:
    """What is to be said of one export; `left`: how many come after it. `ignored`: exportfs drops it."""
    client = export.client.text
    at_client = Setting(client, "target", 0, len(client), client)
    if has_markup(export.path.text) or has_markup(client) or has_markup(export.options.text):
        at_client = at_client._replace(value="$")
    elif export.bad is not None:
        yield from _said(index, "export-list-broken", at_client, _with_loss(export.bad, left))
        return
    else:
        if export.apart is not None:
            yield from _said(index, "export-blank-before-options", at_client, _two(client, export.apart.text))
        never = _never(client)
        if never is not None:
            yield from _said(index, "export-client-never-matches", at_client, never)
    settings = {
        "exports.path": Setting(export.path.text, "source", 0, len(export.path.text), export.path.text),
        "exports.client": at_client,
    }
    offset = 0
    several = sum(part.text.startswith("sec=") for part in export.options.parts) > 1
    for number, part in enumerate(export.options.parts):
        found = Setting(part.text, "options", offset, offset + len(part.text), part.text)
        offset += len(part.text) + 1
        last = number == len(export.options.parts) - 1
        if has_markup(part.text) or (not part.text and last):
            continue
        tunable, value, wrong = _option(index, part.text, words)
        if wrong is not None:
            slug = "export-option-value" if tunable else "export-option-unknown"
            yield from _said(index, slug, found, _with_loss(wrong, left))
            return
        if not (several and tunable in ("exports.sec", "exports.rw", "exports.root_squash", "exports.all_squash")):
            settings[tunable] = found._replace(value=value)
    if not ignored:
        yield from certain(index, settings, export.options.text, index.state)


def _two(client: str, given: str) -> str:
    if client == "*":
        return f"the space before {given} makes this two exports to everybody; the first counts and is read-only"
    return f"the space before {given} makes this two exports: {client} gets the defaults, everybody gets {given}"


def _with_loss(words: str, left: int) -> str:
    more = f" and the {left} after it" if left > 1 else " and the one after it" if left else ""
    return f"{words}; exportfs stops reading here, so this export{more} {'are' if left else 'is'} not made"


def _option(index: RuleIndex, text: str, words: Spellings) -> tuple[str, Value, str | None]:
    """The tunable that an option sets, its value, and what is wrong with it, in words."""
    name, equals, value = text.partition("=")
    tunable, form = words.get(name, ("", None))
    takes = form.takes if form is not None else None
    if form is None or (takes is None and equals) or (takes == "value" and not equals):
        near = get_close_matches(name, words, 1) if 0 < len(name) <= LONGEST else []
        hint = f" (did you mean {near[0]}?)" if near and near[0] != name else ""
        return "", None, f"{text} is not an export option{hint}" if text else "an empty option between two commas"
    if takes is None:
        return tunable, form.means, None
    told = index.tunables[tunable]
    if told.type == "int" and not re.fullmatch(r"[+-]?[0-9]+", value):
        return tunable, None, f"{text}: {name} takes a number, not a name"
    if told.type in ("enum", "list"):
        items = value.split(":") if told.type == "list" else [value]
        unknown = [item for item in items if item not in (told.values or ())]
        if unknown:
            return tunable, None, f"{text}: {name} takes {', '.join(map(str, told.values or ()))}, not {unknown[0]}"
    if name == "fsid" and not (value == "root" or _NUMBER.fullmatch(value) or _UUID.fullmatch(value)):
        return tunable, None, f"{text}: fsid takes root, a number or a UUID"
    if name == "sec":  # what lets in without a proof of identity decides
        value = next((one for one in value.split(":") if one in _UNPROVED), value)
    return tunable, int(value) if told.type == "int" else value, None


def _never(client: str) -> str | None:
    """In words, why no client ever matches this; None where one may."""
    if client == "\\":
        return "a space follows the backslash, so the line ends here: the next one becomes a path of its own"
    if "://" in client:
        return f"{client} is a URL; write the name or the address of the client"
    if "," in client:
        return f"{client} is taken for one name; separate clients with spaces, each with its own options"
    if client.startswith("[") and is_ipv6(client[1:].partition("]")[0]):
        return f"{client}: square brackets stand for a set of characters here; write the IPv6 address without them"
    address, slash, mask = client.partition("/")
    if slash:
        return _network(client, address, mask)
    if _RANGE.fullmatch(client):
        return f"{client} is not an address range but an impossible host name; write a network such as 192.0.2.0/28"
    if _QUAD.fullmatch(client):
        return f"{client} is not an IPv4 address" if any(int(one[:4]) > 255 for one in client.split(".")) else None
    if _NEARLY.fullmatch(client) and any(sign.isdigit() for sign in client):
        return f"{client} has letters where digits belong, and is taken for a name"
    if ("*" in client or "?" in client) and _STARRED.fullmatch(client) and any(sign.isdigit() for sign in client):
        return f"{client}: a pattern is compared with names, not with addresses; write a network such as 192.0.2.0/24"
    if _SHORT.fullmatch(client) and "." in client:
        return f"{client} is the one address {_filled(client)}, not a network; write it in full, with its mask"
    return None


def _network(client: str, address: str, mask: str) -> str | None:
    if client.startswith("gss/") or has_markup(client):
        return None
    if _SHORT.fullmatch(address):
        return f"{client}: a network has all four numbers; write {_padded(address)}/{mask or 24}"
    if _QUAD.fullmatch(address):
        if any(int(one[:4]) > 255 for one in address.split(".")):
            return f"{client} is not an IPv4 network"
        if mask.isdigit() and int(mask[:4]) > 32:
            return f"{client}: an IPv4 prefix is at most 32"
        if mask and not mask.isdigit() and not _QUAD.fullmatch(mask):
            return f"{client}: {mask} is not a netmask; write /24, or /255.255.255.0"
    elif is_ipv6(address):
        if mask.isdigit() and int(mask[:4]) > 128:
            return f"{client}: an IPv6 prefix is at most 128"
    else:
        return f"{client}: a network begins with an address, not with a name"
    return None


def _padded(address: str) -> str:
    return ".".join([*address.split("."), "0", "0", "0"][:4])


def _filled(address: str) -> str:
    """A short address as inet_aton reads it: the last number fills what is left."""
    *first, last = (int(one[:10]) for one in address.split("."))
    number = last
    for at, one in enumerate(first):
        number |= one << 8 * (3 - at)
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def _together(index: RuleIndex, exports: list[Export]) -> Iterator[tuple[Export, Finding]]:
    """The same client of the same path twice, and one fsid for two paths."""
    first: dict[tuple[str, str], Export] = {}
    roots: dict[str, Export] = {}
    for export in exports:
        path = export.path.text.rstrip("/") or "/"
        if export.bad is not None or has_markup(path) or has_markup(export.client.text):
            continue
        client = export.client.text.lower() or "*"
        before = first.setdefault((path, client), export)
        if before is not export and before.apart is None:
            found = Setting(client, "target", 0, len(export.client.text), export.client.text)
            line = str(before.line_no)
            for finding in _said(index, "export-twice", found, "", other_line=line, path=path, client=client):
                yield export, finding
        offset = 0
        for part in export.options.parts:
            name, _, value = part.text.partition("=")
            if name == "fsid" and value:
                key = "0" if value == "root" else value.lower()
                other = roots.setdefault(key, export)
                if (other.path.text.rstrip("/") or "/") != path:
                    found = Setting(value, "options", offset, offset + len(part.text), part.text)
                    for finding in _said(index, "export-fsid-twice", found, "", other=other.path.text,
                                       other_line=str(other.line_no)):
                        yield export, finding
            offset += len(part.text) + 1


def _said(index: RuleIndex, slug: str, found: Setting, words: str, **more: str) -> Iterator[Finding]:
    check = index.builtin.get(slug)
    if check is not None:
        yield from_check(check, found, tunable=None, value=found.value, figures={"words": words, **more})
