"""exports(5) against the rule base: options by their grammar (kb/tunables/exports), the decisions on them, the checks,
and what can be said of clients and of several exports together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from advisor.lint.checks import certain
from advisor.lint.edits import NOTHING
from advisor.lint.export_clients import left_out, masked, never
from advisor.lint.finding import Finding, Fix, from_check, placed
from advisor.lint.rule_index import RuleIndex
from advisor.options.words import Setting
from advisor.readers.mounts.exports import Export, read
from advisor.readers.placeholders import has_markup
from advisor.rulebase.model.tunables import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:[:-]?[0-9A-Fa-f]{4}){6}|(?:[0-9A-Fa-f]{8}[:-]?){4}")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]+|[0-9]+)")
LONGEST = 40
"""Letters of a word for which a similar option is looked for."""
DEEPEST = 100
"""Directories of a path around which exports are looked for."""
Spellings = dict[str, tuple[str, Form]]
"""The spelling of an option → its tunable and its form."""
_UNPROVED = ("sys", "unix", "none", "null")
_OF_A_FLAVOUR = ("exports.sec", "exports.rw", "exports.root_squash", "exports.all_squash")
"""What may differ from one security flavour to the next."""
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
        nobody, other = never(client), masked(client)
        if nobody is not None:
            yield from _said(index, "export-client-never-matches", at_client, nobody)
        if other is not None:
            yield from _said(index, other[0], at_client, other[1])
    settings = {"exports.client": at_client}
    if not has_markup(export.path.text):
        path = export.path.text
        settings["exports.path"] = Setting(path, "source", 0, len(path), path)
    own: dict[str, Setting] = {}
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
        wrapped = _wrapped(tunable, part.text)
        if wrapped is not None:
            yield from _said(index, "export-number-wraps", found, wrapped)
        if not (several and tunable in _OF_A_FLAVOUR):
            before = own.get(tunable)
            if before is not None and before.value != value:
                overridden = f"{before.text} is overridden by {part.text}"
                yield from _said(index, "export-option-overridden", before, overridden)
            settings[tunable] = found._replace(value=value)
            if part.span > export.client.span:  # the others are defaults of the line, there to be overridden
                own[tunable] = settings[tunable]
    if not ignored:
        for finding in certain(index, settings, export.options.text, index.state):
            yield finding._replace(fix=_fix(finding.fix, export))


def _fix(fix: Fix | None, export: Export) -> Fix | None:
    """The same fix, where a list that sets nothing is empty and not `defaults`; one for all clients is left alone."""
    if fix is None or all(edit.text != NOTHING for edit in fix.edits):
        return fix
    if export.options.parts[0].span < export.client.span:
        return None
    return fix._replace(edits=tuple(edit._replace(text="") if edit.text == NOTHING else edit for edit in fix.edits))


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


def _wrapped(tunable: str, text: str) -> str | None:
    """In words, what a number that is too large becomes: exportfs keeps its lowest 32 bits."""
    name, _, value = text.partition("=")
    if tunable not in ("exports.fsid", "exports.anonuid", "exports.anongid") or not _NUMBER.fullmatch(value):
        return None
    try:
        number = int(value, 0)
    except ValueError:  # a leading zero: octal
        number = int(value, 8) if set(value) <= set("+-01234567") else 0
    if -(1 << 31) <= number < 1 << 32:
        return None
    kept = f" and becomes {name}={number & 0xFFFFFFFF}" if 0 < number < 1 << 64 else ""
    return f"{text} is too large{kept}"


def _together(index: RuleIndex, exports: list[Export]) -> Iterator[tuple[Export, Finding]]:
    """The same client of the same path twice, one fsid for two paths, and other security below an export."""
    first: dict[tuple[str, str], Export] = {}
    flavours: dict[tuple[str, str], tuple[str, Export]] = {}
    roots: dict[str, Export] = {}
    for export in exports:
        path = export.path.text.rstrip("/") or "/"
        if export.bad is not None or has_markup(path) or has_markup(export.client.text):
            continue
        client = export.client.text.lower()
        if not client and export.client.near != export.path.span:  # a list of options by itself
            client = "*"
        if left_out(client):
            continue
        before = first.setdefault((path, client), export)
        if before is not export and (export.client.text or before.apart is None):  # else the space is told
            found = Setting(client, "target", 0, len(export.client.text), export.client.text)
            figures = {"other_line": str(before.line_no), "path": path, "client": client or "everybody"}
            for finding in _said(index, "export-twice", found, "", **figures):
                yield export, finding
        flavour = ",".join(sorted(part.text for part in export.options.parts if part.text.startswith("sec=")))
        flavours.setdefault((path, client), (flavour or "sec=sys", export))
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
    for (path, client), (flavour, export) in flavours.items():
        for parent in _above(path):
            if (parent, client) in flavours:
                outer, above = flavours[parent, client]
                if outer != flavour:
                    found = Setting(flavour, "target", 0, len(export.client.text), flavour)
                    for finding in _said(index, "export-nested-sec", found, "", other=f"{outer} of {parent}",
                                         other_line=str(above.line_no)):
                        yield export, finding
                break


def _above(path: str) -> Iterator[str]:
    """The directories around a path, the nearest first. A path of very many is not looked at: none is exported so."""
    if path.count("/") <= DEEPEST:
        while path not in ("", "/"):
            path = path.rpartition("/")[0]
            yield path or "/"


def _said(index: RuleIndex, slug: str, found: Setting, words: str, **more: str) -> Iterator[Finding]:
    check = index.builtin.get(slug)
    if check is not None:
        yield from_check(check, found, tunable=None, value=found.value, figures={"words": words, **more})
