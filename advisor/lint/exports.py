"""Judge exports(5) by the rule base: the option grammar (kb/tunables/exports), the decisions and checks, the client
names, and the exports of a file beside one another and those of the files that exportfs reads before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from advisor.files import export_options
from advisor.files.export_clients import inside, is_placeholder, matches_others, never_matches
from advisor.files.export_options import BY_FLAVOUR, OF_A_FLAVOUR, SEC, ExportGrammar, ExportOptions, OptionWord
from advisor.files.exports import (
    UUID_DIGITS,
    Export,
    KeptExport,
    file_system,
    folder_of,
    is_ignored,
    kept,
    order,
    plain,
    read,
)
from advisor.files.mountinfo import below, parents
from advisor.files.patterns import expression
from advisor.files.placeholders import has_markup, is_of_template
from advisor.files.records import Setting, Token
from advisor.lint import lifetimes
from advisor.lint.checks import certain
from advisor.lint.compare import LineSettings
from advisor.lint.finding import NOTHING, Finding, Fix, placed, report
from advisor.lint.lines import never_filled_in
from advisor.lint.rule_index import FEW, RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import ExportsLine, Platform, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.read_together import Beside


DEEPEST = 100
"""Longest path, in components, whose parent directories are searched for exports; nobody exports a longer one."""
SHORT = 18
"""Characters of an option that is too short for a number of more than 32 bits."""
MOST = 200
"""Networks and patterns of one path among which one that contains another is searched; the search is quadratic."""
_PLACE = Setting(None, "target", 0, 0, "")
_STOPS = ("export-option-unknown", "export-option-value")
"""Reported once, even for an option that a line gives to all its clients: exportfs stops there the first time."""
_BY_ZFS = "exports.d/zfs.exports"
"""ZFS writes this file, so fixes to it would be lost."""
_ARRANGED = ("export-fsid-twice", "export-outside-root")
"""Not reported for a product's own file: QTS exports a directory twice, as it mounts it again below the NFSv4 root."""
_OF_FILES = ("export-twice", "export-network-shadowed")
"""Depend on the order of lines, which cluster resources do not have."""
_SEVERAL = regex(r"[\s,;]")
_ADDS = "exports.xprtsec"
_NO_HOST_NAME = regex(r"[^@.*?/:\[A-Z_]*[A-Z_][^@.*?/:\[]*")
"""A client that hardly is the name of a host: a word with a capital letter or an underscore, and without a dot."""
_UNPROVED = ("sys", "unix", "none", "null")
"""Flavours with which a client proves nothing."""


def judge(
    index: RuleIndex, text: str, name: str, beside: Sequence[Beside] = (), live: bool = False
) -> tuple[list[Finding], int]:
    """The findings of one file, unsorted, and the number of its lines that export something. `beside`: the other files
    of the run. `live`: nothing fills in placeholders any more."""
    findings: list[tuple[Finding, Export]] = []
    exports = read(text)
    lines = {export.path.span for export in exports if export.path.text}
    if exports and is_ignored(name):  # nothing in it is in effect
        unread = _report(index, "export-file-ignored", _PLACE, "")
        return [placed(finding, name, exports[0]) for finding in unread], len(lines)
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
        after = exports[number + 1] if following else export
        splits = before.path is not export.path or export is before
        splits = splits and after is not export and after.path is export.path and after.listed
        left = _left_over(index, export) if live else []
        judged = _judge_export(index, export, following, ignored, splits)
        findings += [(finding, export) for finding in (*left, *judged)]
    findings += [(finding, export) for finding, export in _together(index, exports, text, name, beside)
                 if writer is None or finding.rule not in _ARRANGED]
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
    findings += [(finding, export) for finding, export in _together(index, exports) if finding.rule not in _OF_FILES]
    return [placed(finding, name, export) for finding, export in findings]


def _left_over(index: RuleIndex, export: Export) -> Iterator[Finding]:
    """Findings on placeholders left in an export that keep it from being mounted."""
    places = [("source", export.path.text, 0, is_of_template), ("target", export.client.text, 0, is_placeholder)]
    start = 0
    for part in export.options.parts:
        places.append(("options", part.text, start, has_markup))
        start += len(part.text) + 1
    for field, text, at, is_open in places:
        if is_open(text):
            yield from never_filled_in(index, Setting(text, field, at, at + len(text), text), text)


def _judge_export(
    index: RuleIndex, export: Export, following: int | None, ignored: bool = False, splits: bool = False
) -> Iterator[Finding]:
    """The findings on one export by itself. `following`: how many exports come after it, None for a cluster resource.
    `ignored`: exportfs drops it, so its options are only checked for validity. `splits`: it is the first of several
    clients on its line and the next one has options, so its name may be the rest of a path with a space."""
    client = export.client.text
    at_client = Setting(client, "target", 0, len(client), client)
    open_path = has_markup(export.path.text)
    if is_placeholder(client) or has_markup(export.options.text) or (open_path and not client):
        at_client = at_client._replace(value="$")
    elif open_path:
        pass
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
            odd = splits and _NO_HOST_NAME.fullmatch(client) is not None
            whole = f"{export.path.text} {client}"
            slug = "export-path-unquoted" if odd else "export-no-options"
            yield from _report(index, slug, at_client, "", path=export.path.text, whole=whole)
    options = index.rulebase.ready(ExportGrammar).read(export.options)
    settings = {"exports.client": at_client._replace(value="$") if options.wrong else at_client}  # who may is open
    if not open_path:
        path = export.path.text
        settings["exports.path"] = Setting(plain(path), "source", 0, len(path), path)
    shape = _shape(index, export, options, settings)
    if ignored or shape is None or shape not in index.clean:
        findings = [*_judge_options(index, export, options, following, settings, ignored=ignored)]
        if not (findings or ignored or shape is None):
            index.clean.add(shape)
        yield from findings


def _shape(
    index: RuleIndex, export: Export, options: ExportOptions, settings: Mapping[str, Setting]
) -> Hashable:
    """A key that two exports share if no test tells them apart, so that nothing is found in either or something in
    both; None if that is not known. `settings`: the client and the path."""
    if index.lines < FEW or not options.is_whole or options.several_flavours:
        return None
    rules, times = index.rules, Counter(word.tunable for word in options.words)
    alike = [
        (word.tunable, rules.passed(word.tunable, word.value))
        if times[word.tunable] == 1 and len(word.text) < SHORT and word.tunable not in rules.weighed else word.text
        for word in options.words
    ]
    where = [(name, rules.passed(name, setting.value)) for name, setting in settings.items()]
    client = export.client.span
    own = sum(part.span > client for part in export.options.parts)
    return (*where, own, *alike)


def _judge_options(
    index: RuleIndex, export: Export, options: ExportOptions, following: int | None, settings: dict[str, Setting], *,
    ignored: bool,
) -> Iterator[Finding]:
    """The findings on the options of an export. `settings`: the client and the path."""
    yield from _options(index, export, options, following, settings)
    if not ignored:
        for finding in certain(index, LineSettings(settings, export.options.text), index.state):
            # A placeholder may set what is missing, and so may the options that follow each of several `sec=`.
            lacks = options.is_whole and not (finding.tunable in OF_A_FLAVOUR and options.several_flavours)
            if finding.tunable in settings or finding.expected is None or lacks:
                yield finding._replace(fix=_fix(finding, export, options))


def _options(
    index: RuleIndex, export: Export, options: ExportOptions, following: int | None, settings: dict[str, Setting]
) -> Iterator[Finding]:
    """Yields findings on single options and adds what they set to `settings`. After a word at which exportfs stops, the
    others are what it will find once that one is right."""
    own: dict[str, Setting] = {}
    for word, part in zip(options.words, export.options.parts):
        setting = Setting(word.text, "options", word.start, word.start + len(word.text), word.text)
        if word.wrong is not None:
            if following is None:
                yield from _report(index, "cib-export-refused", setting, word.wrong)
            else:
                slug = "export-option-value" if word.tunable else "export-option-unknown"
                yield from _report(index, slug, setting, _with_loss(word.wrong, following))
            continue
        if not word.tunable:
            continue  # a placeholder
        tunable = index.tunables[word.tunable]
        for finding in lifetimes.findings(index, tunable, index.state, setting, word.text):
            lost = finding.severity == "error"
            yield finding._replace(message=_with_loss(finding.message, following)) if lost else finding
        large = export_options.wrapped_number(word)
        if large is not None:
            yield from _report(index, "export-number-wraps", setting, large)
        if word.tunable in OF_A_FLAVOUR and options.several_flavours:
            continue
        before, value = own.get(word.tunable), _value(word)
        if tunable.repeat == "adds":
            setting = setting._replace(text=f"{word.name}={value}")
        elif before is not None and before.value != value:
            yield from _report(index, "export-option-overridden", before, f"{before.text} is overridden by {word.text}")
        settings[word.tunable] = setting._replace(value=value)
        if _is_own(part, export):
            own[word.tunable] = settings[word.tunable]


def _value(word: OptionWord) -> Value:
    """The value that checks look at: of several flavours, one without authentication decides."""
    if word.tunable != SEC:
        return word.value
    return next((flavour for flavour in str(word.value).split(":") if flavour in _UNPROVED), word.value)


def _is_own(part: Token, export: Export) -> bool:
    """Whether an option is the client's own, and not a default of the line, which may be overridden."""
    return part.span > export.client.span


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
    return index if _PLATFORM in index.given else index.knowing({**index.given, _PLATFORM: platform.platform})


def _together(
    index: RuleIndex, exports: Sequence[Export], text: str = "", name: str = "", beside: Sequence[Beside] = ()
) -> Iterator[tuple[Finding, Export]]:
    """The findings on the exports of a file beside one another and beside those of files that exportfs reads before."""
    grammar = index.rulebase.ready(ExportGrammar)
    clashes: list[_Clash] | None = None
    if beside and (folder := folder_of(name)) is not None:
        from advisor.files.read_together import Beside, RunFiles, exports_of  # noqa: PLC0415  most are alone

        run = RunFiles.of(beside)
        of_file = run.once(("exports", folder), lambda: _by_file(grammar, exports_of(run, folder)))
        clashes = of_file.get((name, text))
        if clashes is None:  # it is not in the run
            earlier = [file for file in exports_of(run, folder) if order(file.name) < order(name)]
            clashes = _by_file(grammar, [*earlier, Beside("exports", name, text)])[name, text]
    for clash in _Together(grammar).add(kept(exports)) if clashes is None else clashes:
        check = index.builtin(clash.slug)
        if check is not None:
            at = clash.at
            yield report(check, at, tunable=None, value=at.value, figures=clash.figures), clash.entry.export


def _by_file(grammar: ExportGrammar, files: Iterable[Beside]) -> dict[tuple[str, str], list[_Clash]]:
    """Name and text of each file → what is wrong with it beside those before it."""
    together = _Together(grammar)
    return {(file.name, file.text): list(together.add(kept(read(file.text), file.name))) for file in files}


class _Clash(NamedTuple):
    """A mistake in an export because of another one. `slug`: the check that describes it; `figures`: what to fill into
    its texts."""

    slug: str
    entry: KeptExport
    at: Setting
    figures: dict[str, str]


class _Together:
    """The exports of some files, which are added in the order in which exportfs reads them."""

    def __init__(self, grammar: ExportGrammar) -> None:
        self.grammar = grammar
        self.first: dict[tuple[str, str], KeptExport] = {}
        """Path and client → their first export."""
        self.of_path: dict[str, list[KeptExport]] = {}
        self.of_fsid: dict[str, KeptExport] = {}
        self.reexporting: KeptExport | None = None
        self.root: KeptExport | None = None
        """The first export with fsid=0 of another directory than /."""

    def add(self, own: Sequence[KeptExport]) -> list[_Clash]:
        """The mistakes in the exports of the next file because of each other and of those before it."""
        return [*self._exported_twice(own), *self._shadowed(own), *self._fsids(own), *self._outside(own)]

    def _exported_twice(self, own: Sequence[KeptExport]) -> Iterator[_Clash]:
        """Also exports with other rights than the nearest export above them to the same client."""
        new = []
        for entry in own:
            before = self.first.setdefault((entry.path, entry.client), entry)
            written = entry.export.client.text or before.export.apart is None  # else the space is reported
            if before is entry:
                new.append(entry)
            elif written:
                client = entry.export.client.text or ("everybody" if entry.client in ("", "*") else entry.client)
                yield _at_client("export-twice", entry, before, path=entry.path, client=client)
        for entry in new:
            path = entry.path
            above = parents(path) if path.startswith("/") and path.count("/") <= DEEPEST else ()
            outers = (self.first[parent, entry.client] for parent in above if (parent, entry.client) in self.first)
            outer = next(outers, None)
            if outer is not None:
                yield from self._differing_rights(entry, outer)

    def _shadowed(self, own: Sequence[KeptExport]) -> Iterator[_Clash]:
        """Networks and patterns inside an earlier one with other options: of those that match a host, the first
        counts."""
        for entry in own:
            before = self.of_path.setdefault(entry.path, [])
            if len(before) < MOST:
                outer = next((other for other in before if other.client != entry.client
                              and inside(entry.client, other.client)), None)
                if outer is not None and self._differ(entry, outer):
                    yield _at_client("export-network-shadowed", entry, outer, other=outer.export.client.text)
                if "/" in entry.client or "*" in entry.client:
                    before.append(entry)

    def _differ(self, entry: KeptExport, other: KeptExport) -> bool:
        options, others = self._of_one_flavour(entry), self._of_one_flavour(other)
        return options is not None and others is not None and options.values != others.values

    def _of_one_flavour(self, entry: KeptExport) -> ExportOptions | None:
        """The options of an export; None if several flavours have separate ones, or if a word is not an option."""
        options = self.grammar.read(entry.export.options)
        return options if options.is_whole and not options.several_flavours else None

    def _fsids(self, own: Sequence[KeptExport]) -> Iterator[_Clash]:
        """One fsid for two paths, and numbers beside reexport=."""
        read_options = [
            (entry, self.grammar.read(entry.export.options).words) for entry in own
            if entry.export.names_file_system
        ]
        self.reexporting = self.reexporting or next(
            (entry for entry, words in read_options for word in words
             if word.tunable == "exports.reexport" and word.value != "none"), None,
        )
        for entry, words in read_options:
            for word in words:
                key = file_system(str(word.value)) if word.tunable == "exports.fsid" else None
                if key is None:
                    continue
                other = self.of_fsid.setdefault(key, entry)
                at = Setting(word.text, "options", word.start, word.start + len(word.text), word.text)
                if other.path != entry.path:
                    yield _clash("export-fsid-twice", entry, at, other, other=other.export.path.text)
                elif self.reexporting is not None and self.reexporting is not entry and len(key) < UUID_DIGITS:
                    yield _clash("export-fsid-beside-reexport", entry, at, self.reexporting)

    def _differing_rights(self, entry: KeptExport, outer: KeptExport) -> Iterator[_Clash]:
        inner, around = self._of_one_flavour(entry), self._of_one_flavour(outer)
        if inner is None or around is None:
            return
        if inner.values[SEC] != around.values[SEC]:
            other = f"sec={around.values[SEC]} of {outer.path}"
            yield _at_client("export-nested-sec", entry, outer, value=f"sec={inner.values[SEC]}", other=other)
            return
        changed = [tunable for tunable in BY_FLAVOUR if inner.values.get(tunable) != around.values.get(tunable)]
        if changed and not _apart(inner, around):
            own, other = (self.grammar.spelling(changed[0], each.values.get(changed[0])) for each in (inner, around))
            yield _at_client("export-nested-rights", entry, outer, value=own, other=other, path=outer.path)

    def _outside(self, own: Sequence[KeptExport]) -> Iterator[_Clash]:
        """Paths that NFSv4 clients cannot reach, because an export with fsid=0 makes another directory their root."""
        self.root = self.root or next((entry for entry in own if entry.path != "/" and entry.export.is_root), None)
        root = self.root
        if root is None:
            return
        reported: set[str] = set()
        for entry in own:
            beside = entry.path.startswith("/") and not below(entry.path, root.path)
            if beside and entry.path not in reported and not entry.export.is_root:
                reported.add(entry.path)
                at = Setting(entry.path, "source", 0, len(entry.export.path.text), entry.export.path.text)
                yield _clash("export-outside-root", entry, at, root, other=root.path)


def _at_client(slug: str, entry: KeptExport, beside: KeptExport, value: str | None = None, **figures: str) -> _Clash:
    text = entry.export.client.text
    at = Setting(text if value is None else value, "target", 0, len(text), text)
    return _clash(slug, entry, at, beside, **figures)


def _clash(slug: str, entry: KeptExport, at: Setting, beside: KeptExport, **figures: str) -> _Clash:
    line = f"line {beside.export.line_no}"
    place = line if beside.file == entry.file else f"{line} of {beside.file}"
    return _Clash(slug, entry, at, {**figures, "place": place})


def _apart(inner: ExportOptions, around: ExportOptions) -> bool:
    """Whether the options show that the inner directory is a separate file system."""
    written = {"exports.fsid", "exports.mountpoint", "exports.refer"}.intersection(inner.written)
    shown = inner.values.get("exports.nohide") or around.values.get("exports.crossmnt")
    return bool(written or shown or "exports.fsid" in around.written)
