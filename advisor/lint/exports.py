"""exports(5) against the rule base: options by their grammar (kb/tunables/exports), the decisions on them, the checks,
and what can be said of clients and of several exports together."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.lint.checks import certain
from advisor.lint.compare import expression
from advisor.lint.edits import NOTHING
from advisor.lint.export_clients import never, otherwise, unknown
from advisor.lint.export_options import OF_A_FLAVOUR, Spellings, added, misplaced, option, spellings, wrapped
from advisor.lint.exports_together import made, plain, together
from advisor.lint.finding import Finding, Fix, from_check, placed
from advisor.lint.rule_index import RuleIndex
from advisor.options.reading import Setting
from advisor.readers.exports import Export, read
from advisor.readers.placeholders import has_markup

if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.readers.tables import TextPart
    from advisor.rulebase.model import ExportsLine, Platform

_PLACE = Setting(None, "target", 0, 0, "")
_STOPS = ("export-option-unknown", "export-option-value")
"""At an option that a line gives to all its clients exportfs stops once."""
_BY_ZFS = "exports.d/zfs.exports"
"""A file that a program writes: nothing is mended in it."""
_ARRANGED = ("export-fsid-twice", "export-outside-root")
"""What a product arranges itself: QTS exports a directory twice, as it mounts it again below the root of NFSv4."""
_OF_FILES = ("export-twice", "export-network-shadowed")
"""What goes by the order of lines, which the commands of a cluster have not."""
_SEVERAL = re.compile(r"[\s,;]")
_IGNORED = re.compile(r"(?:^|/)exports\.d/(?:\.[^/]*|[^/]*(?<!\.exports))$")


def judge(
    index: RuleIndex, text: str, name: str, earlier: Mapping[str, str] | None = None
) -> tuple[list[Finding], int]:
    """The findings of one file, in no order, and how many lines of it export something. `earlier`: the files that
    exportfs reads before it, name → text."""
    findings: list[tuple[Finding, Export]] = []
    exports = read(text)
    writer, at_line = product(index, text)
    if writer is not None and writer.set_in is None:
        on_line = {one.path.span.line: one for one in exports}
        return [placed(one, name, on_line.get(at_line, exports[0])) for one in _unread(index, writer)], len(on_line)
    index = index if writer is None else of_product(index, writer)
    words = spellings(index)
    for number, export in enumerate(exports):
        before = exports[number - 1] if number else export
        ignored = before.apart is not None and before.client.text == "*" and export is not before
        left = len(exports) - number - 1
        findings += [(finding, export) for finding in _one(index, export, words, left, ignored)]
    others = [one for file, content in (earlier or {}).items() for one in made(read(content), file)]
    findings += [(finding, export) for export, finding in together(index, words, made(exports), others)
                 if writer is None or finding.rule not in _ARRANGED]
    if exports and _IGNORED.search(name):
        findings += [(finding, exports[0]) for finding in _said(index, "export-file-ignored", _PLACE, "")]
    lines = {one.path.span for one in exports if one.path.text}
    by_zfs = name.endswith(_BY_ZFS)
    if any(not finding.policy for finding, _ in findings):
        findings += [(finding, exports[0]) for finding in _written(index, writer, by_zfs=by_zfs)]
    everything = [placed(finding, name, export) for finding, export in findings]
    everything = [finding._replace(fix=None) for finding in everything] if by_zfs or writer else everything
    first = {(f.line, f.column, f.rule): f for f in reversed(everything) if f.rule in _STOPS}
    return [f for f in everything if f.rule not in _STOPS or first[f.line, f.column, f.rule] is f], len(lines)


def judge_resources(index: RuleIndex, exports: Sequence[Export], name: str) -> list[Finding]:
    """The findings of the exports of a cluster. `index`: that of a file of exports."""
    words = spellings(index)
    findings = [(finding, export) for export in exports for finding in _one(index, export, words, None)]
    findings += [(finding, export) for export, finding in together(index, words, made(exports))
                 if finding.rule not in _OF_FILES]
    return [placed(finding, name, export) for finding, export in findings]


def _one(
    index: RuleIndex, export: Export, words: Spellings, left: int | None, ignored: bool = False
) -> Iterator[Finding]:
    """What is to be said of one export; `left`: how many come after it, None for that of a resource. `ignored`:
    exportfs drops it."""
    client = export.client.text
    at_client = Setting(client, "target", 0, len(client), client)
    if has_markup(export.path.text) or unknown(client) or has_markup(export.options.text):
        at_client = at_client._replace(value="$")
    elif export.bad is not None:
        itself = bool(export.path.text)
        if itself or left:
            yield from _said(index, "export-list-broken", at_client, _with_loss(export.bad, left, itself))
        return
    else:
        if export.apart is not None:
            yield from _said(index, "export-blank-before-options", at_client, _two(client, export.apart.text))
        nobody, other = never(client), otherwise(client)
        if left is None and (nobody is not None or _SEVERAL.search(client)):
            words_for = f"{client} is more than one client" if _SEVERAL.search(client) else nobody
            yield from _said(index, "cib-export-client", at_client, words_for or "")
        elif nobody is not None:
            yield from _said(index, "export-client-never-matches", at_client, nobody)
        elif other is not None:
            yield from _said(index, other[0], at_client, other[1])
        if not export.listed and export.apart is None and client and nobody is None:
            yield from _said(index, "export-no-options", at_client, "")
    settings = {"exports.client": at_client}
    if not has_markup(export.path.text):
        path = export.path.text
        settings["exports.path"] = Setting(plain(path), "source", 0, len(path), path)
    read_all = yield from _options(index, export, words, left, settings)
    if read_all and not ignored:
        for finding in certain(index, settings, export.options.text, index.state):
            if finding.tunable in settings or finding.expected is None or _lacks(export, finding.tunable):
                yield finding._replace(fix=_fix(finding, export))


def _options(
    index: RuleIndex, export: Export, words: Spellings, left: int | None, settings: dict[str, Setting]
) -> Generator[Finding, None, bool]:
    """What is wrong with single options, and into `settings` what they set. False where exportfs stops at one."""
    own: dict[str, Setting] = {}
    parts = export.options.parts
    several = sum(part.text.startswith("sec=") for part in parts) > 1
    offset = 0
    for number, part in enumerate(parts):
        found = Setting(part.text, "options", offset, offset + len(part.text), part.text)
        offset += len(part.text) + 1
        if has_markup(part.text) or (not part.text and number == len(parts) - 1):
            continue
        tunable, value, wrong = option(index, part.text, words)
        wrong = wrong or misplaced([one.text for one in parts[:number]], part.text)
        if wrong is not None and left is None:
            yield from _said(index, "cib-export-refused", found, wrong)
            return False
        if wrong is not None:
            slug = "export-option-value" if tunable else "export-option-unknown"
            yield from _said(index, slug, found, _with_loss(wrong, left))
            return False
        large = wrapped(tunable, part.text)
        if large is not None:
            yield from _said(index, "export-number-wraps", found, large)
        if several and tunable in OF_A_FLAVOUR:
            continue
        before = own.get(tunable)
        if index.tunables[tunable].repeat == "adds":
            value = added(index.tunables[tunable], settings.get(tunable), value)
            found = found._replace(text=f"{part.text.partition('=')[0]}={value}")
        elif before is not None and before.value != value:
            yield from _said(index, "export-option-overridden", before, f"{before.text} is overridden by {part.text}")
        settings[tunable] = found._replace(value=value)
        if _is_own(part, export):
            own[tunable] = settings[tunable]
    return True


def _is_own(part: TextPart, export: Export) -> bool:
    """Whether an option is the client's own: the others are defaults of the line, there to be overridden."""
    return part.span > export.client.span


def _lacks(export: Export, tunable: str | None) -> bool:
    """Whether an option that is not among those of an export counts as left out: not behind a word that stands for
    others, nor where each flavour has options of its own."""
    parts = export.options.parts
    of_flavours = tunable in OF_A_FLAVOUR and sum(part.text.startswith("sec=") for part in parts) > 1
    return not of_flavours and not has_markup(export.options.text)


def _fix(finding: Finding, export: Export) -> Fix | None:
    """The finding's fix, where a list that sets nothing is empty and not `defaults`. None where it is about the options
    of all clients, adds to a list that is not there, or mends one of several words that add up."""
    fix, parts = finding.fix, export.options.parts
    if fix is None:
        return None
    again = sum(part.text.startswith("xprtsec=") for part in parts) > 1 and finding.tunable == "exports.xprtsec"
    nowhere = finding.value is None and not (parts and _is_own(parts[-1], export))
    if again or nowhere:
        return None
    if all(edit.text != NOTHING for edit in fix.edits):
        return fix
    if parts[0].span < export.client.span:
        return None
    return fix._replace(edits=tuple(edit._replace(text="") if edit.text == NOTHING else edit for edit in fix.edits))


def _written(index: RuleIndex, writer: Platform | None, *, by_zfs: bool) -> Iterator[Finding]:
    """That a program writes the file, so that nothing is mended in it."""
    if by_zfs:
        yield from _said(index, "export-by-zfs", _PLACE, "")
    elif writer is not None:
        yield from _said(index, "export-by-product", _PLACE, "", product=writer.title, place=writer.set_in or "")


def _unread(index: RuleIndex, writer: Platform) -> Iterator[Finding]:
    """That the lines are in the form of another system, unless somebody says that it is this one."""
    if index.given.get("storage.platform") != writer.platform:
        yield from _said(index, "export-other-form", _PLACE, "", product=writer.title)


def _two(client: str, given: str) -> str:
    if client == "*":
        return f"the space before {given} makes this two exports to everybody; the first counts and is read-only"
    return f"the space before {given} makes this two exports: {client} gets the defaults, everybody gets {given}"


def _with_loss(words: str, left: int | None, itself: bool = True) -> str:
    left = left or 0
    if not itself:
        lost = f"the {left} exports after it are" if left > 1 else "the export after it is"
        return f"{words}; exportfs stops reading here without a message, so {lost} not made"
    more = f" and the {left} after it" if left > 1 else " and the one after it" if left else ""
    return f"{words}; exportfs stops reading here, so this export{more} {'are' if left else 'is'} not made"


def _said(index: RuleIndex, slug: str, found: Setting, words: str, **more: str) -> Iterator[Finding]:
    check = index.builtin(slug)
    if check is not None:
        yield from_check(check, found, tunable=None, value=found.value, figures={"words": words, **more})


_PLATFORM = "storage.platform"


def product(index: RuleIndex, text: str) -> tuple[Platform | None, int]:
    """The product whose form a line of a file has, and the number of the line; (None, 0) where none has.

    A form that Linux does not read counts only where no line has a list of options in parentheses: then it was copied
    onto a Linux server, and exportfs stops at it."""
    said = index.given.get(_PLATFORM)
    known = [one for one in index.rulebase.platforms if one.exports_lines and said in (None, one.platform)]
    for number, line in enumerate(map(str.rstrip, text.split("\n")), 1):
        for one in known if line and not line.startswith("#") else ():
            own_form = one.set_in is None
            fits = (own_form and said is not None) or any(_fits(form, line) for form in one.exports_lines)
            if fits and not (own_form and "(" in text):
                return one, number
    return None, 0


def _fits(form: ExportsLine, line: str) -> bool:
    pattern = expression(f"~ {form.line}")
    return pattern is not None and (form.has or "") in line and pattern.fullmatch(line) is not None


def of_product(index: RuleIndex, platform: Platform) -> RuleIndex:
    """The index for a file of this product."""
    return index if _PLATFORM in index.given else index.knowing({**index.given, _PLATFORM: platform.platform})
