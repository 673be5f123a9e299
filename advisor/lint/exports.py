"""Judge exports(5) by the rule base: the option grammar (kb/tunables/exports), the decisions and checks, the client
names, and the exports of a file against each other."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence

from advisor.files.export_clients import is_placeholder, matches_others, never_matches
from advisor.files.export_options import OF_A_FLAVOUR, SEC, ExportGrammar, ExportOptions, OptionWord, wrapped_number
from advisor.files.exports import Export, is_ignored, kept, plain, read
from advisor.files.patterns import expression
from advisor.files.placeholders import has_markup
from advisor.files.records import Setting
from advisor.lint.checks import certain
from advisor.lint.compare import LineSettings
from advisor.lint.exports_together import together
from advisor.lint.finding import NOTHING, Finding, Fix, placed, report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.records import Token
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model import ExportsLine, Platform
    from advisor.rulebase.model.types import Value

_PLACE = Setting(None, "target", 0, 0, "")
_STOPS = ("export-option-unknown", "export-option-value")
"""Reported once, even for an option that a line gives to all its clients: exportfs stops there the first time."""
_BY_ZFS = "exports.d/zfs.exports"
"""ZFS writes this file, so fixes to it would be lost."""
_ARRANGED = ("export-fsid-twice", "export-outside-root")
"""Not reported for a product's own file: QTS exports a directory twice, as it mounts it again below the NFSv4 root."""
_OF_FILES = ("export-twice", "export-network-shadowed")
"""Depend on the order of lines, which cluster resources do not have."""
_SEVERAL = re.compile(r"[\s,;]")
_ADDS = "exports.xprtsec"
_UNPROVED = ("sys", "unix", "none", "null")
"""Flavours with which a client proves nothing."""


def judge(
    index: RuleIndex, text: str, name: str, earlier: Mapping[str, str] | None = None
) -> tuple[list[Finding], int]:
    """The findings of one file, unsorted, and the number of its lines that export something. `earlier`: the files that
    exportfs reads before it, name → text."""
    findings: list[tuple[Finding, Export]] = []
    exports = read(text)
    writer, at_line = product(index, text)
    if writer is not None and writer.set_in is None:
        on_line = {export.path.span.line: export for export in exports}
        export = on_line.get(at_line, exports[0])
        return [placed(finding, name, export) for finding in _unread(index, writer)], len(on_line)
    index = index if writer is None else of_product(index, writer)
    for number, export in enumerate(exports):
        before = exports[number - 1] if number else export
        ignored = before.apart is not None and before.client.text == "*" and export is not before
        following = len(exports) - number - 1
        findings += [(finding, export) for finding in _judge_export(index, export, following, ignored)]
    others = [export for file, content in (earlier or {}).items() for export in kept(read(content), file)]
    findings += [(finding, export) for export, finding in together(index, kept(exports), others)
                 if writer is None or finding.rule not in _ARRANGED]
    if exports and is_ignored(name):
        findings += [(finding, exports[0]) for finding in _report(index, "export-file-ignored", _PLACE, "")]
    lines = {export.path.span for export in exports if export.path.text}
    by_zfs = name.endswith(_BY_ZFS)
    if any(not finding.policy for finding, _ in findings):
        findings += [(finding, exports[0]) for finding in _written(index, writer, by_zfs=by_zfs)]
    everything = [placed(finding, name, export) for finding, export in findings]
    everything = [finding._replace(fix=None) for finding in everything] if by_zfs or writer else everything
    first = {(f.line, f.column, f.rule): f for f in reversed(everything) if f.rule in _STOPS}
    return [f for f in everything if f.rule not in _STOPS or first[f.line, f.column, f.rule] is f], len(lines)


def judge_resources(index: RuleIndex, exports: Sequence[Export], name: str) -> list[Finding]:
    """The findings on exports that are cluster resources, unsorted. `index`: made for the kind `exports`."""
    findings = [(finding, export) for export in exports for finding in _judge_export(index, export, None)]
    findings += [(finding, export) for export, finding in together(index, kept(exports))
                 if finding.rule not in _OF_FILES]
    return [placed(finding, name, export) for finding, export in findings]


def _judge_export(
    index: RuleIndex, export: Export, following: int | None, ignored: bool = False
) -> Iterator[Finding]:
    """The findings on one export by itself. `following`: how many exports come after it, None for a cluster resource.
    `ignored`: exportfs drops it, so its options are only checked for validity."""
    client = export.client.text
    at_client = Setting(client, "target", 0, len(client), client)
    if has_markup(export.path.text) or is_placeholder(client) or has_markup(export.options.text):
        at_client = at_client._replace(value="$")
    elif export.bad is not None:
        lost_too = bool(export.path.text)
        if lost_too or following:
            yield from _report(index, "export-list-broken", at_client, _with_loss(export.bad, following, lost_too))
        return
    else:
        if export.apart is not None:
            words = _split_by_space(client, export.apart.text)
            yield from _report(index, "export-blank-before-options", at_client, words)
        nobody, other = never_matches(client), matches_others(client)
        if following is None and (nobody is not None or _SEVERAL.search(client)):
            reason = f"{client} is more than one client" if _SEVERAL.search(client) else nobody
            yield from _report(index, "cib-export-client", at_client, reason or "")
        elif nobody is not None:
            yield from _report(index, "export-client-never-matches", at_client, nobody)
        elif other is not None:
            yield from _report(index, other[0], at_client, other[1])
        if not export.listed and export.apart is None and client and nobody is None:
            yield from _report(index, "export-no-options", at_client, "")
    settings = {"exports.client": at_client}
    if not has_markup(export.path.text):
        path = export.path.text
        settings["exports.path"] = Setting(plain(path), "source", 0, len(path), path)
    options = index.rulebase.ready(ExportGrammar).read(export.options)
    read_all = yield from _options(index, export, options, following, settings)
    if read_all and not ignored:
        for finding in certain(index, LineSettings(settings, export.options.text), index.state):
            if finding.tunable in settings or finding.expected is None or _lacks(options, finding.tunable):
                yield finding._replace(fix=_fix(finding, export, options))


def _options(
    index: RuleIndex, export: Export, options: ExportOptions, following: int | None, settings: dict[str, Setting]
) -> Generator[Finding, None, bool]:
    """Yields findings on single options and adds what they set to `settings`. Returns False if exportfs stops."""
    own: dict[str, Setting] = {}
    for word, part in zip(options.words, export.options.parts):
        setting = Setting(word.text, "options", word.start, word.start + len(word.text), word.text)
        if word.wrong is not None:
            if following is None:
                yield from _report(index, "cib-export-refused", setting, word.wrong)
            else:
                slug = "export-option-value" if word.tunable else "export-option-unknown"
                yield from _report(index, slug, setting, _with_loss(word.wrong, following))
            return False
        if not word.tunable:
            continue  # a placeholder
        large = wrapped_number(word)
        if large is not None:
            yield from _report(index, "export-number-wraps", setting, large)
        if word.tunable in OF_A_FLAVOUR and options.several_flavours:
            continue
        before, value = own.get(word.tunable), _value(word)
        if index.tunables[word.tunable].repeat == "adds":
            setting = setting._replace(text=f"{word.name}={value}")
        elif before is not None and before.value != value:
            yield from _report(index, "export-option-overridden", before, f"{before.text} is overridden by {word.text}")
        settings[word.tunable] = setting._replace(value=value)
        if _is_own(part, export):
            own[word.tunable] = settings[word.tunable]
    return True


def _value(word: OptionWord) -> Value:
    """The value that checks look at: of several flavours, one without authentication decides."""
    if word.tunable != SEC:
        return word.value
    return next((flavour for flavour in str(word.value).split(":") if flavour in _UNPROVED), word.value)


def _is_own(part: Token, export: Export) -> bool:
    """Whether an option is the client's own, and not a default of the line, which may be overridden."""
    return part.span > export.client.span


def _lacks(options: ExportOptions, tunable: str | None) -> bool:
    """Whether an export certainly lacks this tunable: not if a placeholder may set it, or if the options that follow
    each of several `sec=` may."""
    return options.is_whole and not (tunable in OF_A_FLAVOUR and options.several_flavours)


def _fix(finding: Finding, export: Export, options: ExportOptions) -> Fix | None:
    """The finding's fix as exports(5) needs it: an option list that sets nothing is empty, not `defaults`. None if the
    fix would empty the options of all clients, add to a list that is not there, or correct one of several `xprtsec=`.
    """
    fix, parts = finding.fix, export.options.parts
    if fix is None:
        return None
    again = finding.tunable == _ADDS and sum(word.tunable == _ADDS for word in options.words) > 1
    nowhere = finding.value is None and not (parts and _is_own(parts[-1], export))
    if again or nowhere:
        return None
    if all(edit.text != NOTHING for edit in fix.edits):
        return fix
    if parts[0].span < export.client.span:
        return None
    return fix._replace(edits=tuple(edit._replace(text="") if edit.text == NOTHING else edit for edit in fix.edits))


def _written(index: RuleIndex, writer: Platform | None, *, by_zfs: bool) -> Iterator[Finding]:
    """Reports that a program writes the file, which is why nothing in it is fixed."""
    if by_zfs:
        yield from _report(index, "export-by-zfs", _PLACE, "")
    elif writer is not None:
        yield from _report(index, "export-by-product", _PLACE, "", product=writer.title, place=writer.set_in or "")


def _unread(index: RuleIndex, writer: Platform) -> Iterator[Finding]:
    """Reports lines in the form of another system, unless the given facts name that system."""
    if index.given.get(_PLATFORM) != writer.platform:
        yield from _report(index, "export-other-form", _PLACE, "", product=writer.title)


def _split_by_space(client: str, options: str) -> str:
    if client == "*":
        return f"the space before {options} makes this two exports to everybody; the first counts and is read-only"
    return f"the space before {options} makes this two exports: {client} gets the defaults, everybody gets {options}"


def _with_loss(words: str, following: int | None, lost_too: bool = True) -> str:
    """The message for a mistake at which exportfs stops, with what is lost. `lost_too`: so is this export."""
    after = following or 0
    if not lost_too:
        lost = f"the {after} exports after it are" if after > 1 else "the export after it is"
        return f"{words}; exportfs stops reading here without a message, so {lost} not made"
    more = f" and the {after} after it" if after > 1 else " and the one after it" if after else ""
    return f"{words}; exportfs stops reading here, so this export{more} {'are' if after else 'is'} not made"


def _report(index: RuleIndex, slug: str, setting: Setting, words: str, **figures: str) -> Iterator[Finding]:
    """The finding of a built-in check, or nothing if the rule base or the chosen profiles leave the check out."""
    check = index.builtin(slug)
    if check is not None:
        yield report(check, setting, tunable=None, value=setting.value, figures={"words": words, **figures})


_PLATFORM = "storage.platform"


def product(index: RuleIndex, text: str) -> tuple[Platform | None, int]:
    """The product whose form a line of a file has, and the number of that line, from 1; (None, 0) if no line has one.

    A form that Linux does not read counts only if no line has options in parentheses. Otherwise the line was copied to
    a Linux server, and exportfs stops at it."""
    given = index.given.get(_PLATFORM)
    platforms = [
        platform for platform in index.rulebase.platforms
        if platform.exports_lines and given in (None, platform.platform)
    ]
    for number, line in enumerate(map(str.rstrip, text.split("\n")), 1):
        for platform in platforms if line and not line.startswith("#") else ():
            own_form = platform.set_in is None
            fits = (own_form and given is not None) or any(_fits(form, line) for form in platform.exports_lines)
            if fits and not (own_form and "(" in text):
                return platform, number
    return None, 0


def _fits(form: ExportsLine, line: str) -> bool:
    pattern = expression(f"~ {form.line}")
    return pattern is not None and (form.has or "") in line and pattern.fullmatch(line) is not None


def of_product(index: RuleIndex, platform: Platform) -> RuleIndex:
    """The index for a file of this product."""
    return index if _PLATFORM in index.given else index.knowing({**index.given, _PLATFORM: platform.platform})
