"""Compare the exports of a file with one another, and with those of the files that exportfs reads before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.files.export_clients import inside
from advisor.files.export_options import BY_FLAVOUR, SEC, ExportGrammar, ExportOptions
from advisor.files.exports import UUID_DIGITS, Export, KeptExport, file_system
from advisor.files.mountinfo import below, parents
from advisor.files.records import Setting
from advisor.lint.finding import Finding, report
from advisor.lint.rule_index import RuleIndex

DEEPEST = 100
"""Longest path, in components, whose parent directories are searched for exports; nobody exports a longer one."""
MOST = 200
"""Clients of one path that are searched for a network that contains another; the search is quadratic."""


def together(
    index: RuleIndex, own: Sequence[KeptExport], earlier: Sequence[KeptExport] = ()
) -> Iterator[tuple[Export, Finding]]:
    """The findings on the exports of a file, `own`, beside one another and beside those of files read `earlier`."""
    yield from _Together(index, [*earlier, *own]).findings()


class _Together:
    """`entries`: the file of those under judgement is ""."""

    def __init__(self, index: RuleIndex, entries: Sequence[KeptExport]) -> None:
        self.index, self.entries = index, entries
        self.grammar = index.rulebase.ready(ExportGrammar)

    def findings(self) -> Iterator[tuple[Export, Finding]]:
        yield from self._exported_twice()
        yield from self._shadowed()
        yield from self._fsids()
        yield from self._nested()
        yield from self._outside()

    def _exported_twice(self) -> Iterator[tuple[Export, Finding]]:
        first: dict[tuple[str, str], KeptExport] = {}
        for entry in self.entries:
            before = first.setdefault((entry.path, entry.client), entry)
            written = entry.export.client.text or before.export.apart is None  # else the space is reported
            if before is not entry and not entry.file and written:
                client = entry.export.client.text or ("everybody" if entry.client in ("", "*") else entry.client)
                yield from self._at_client("export-twice", entry, before, path=entry.path, client=client)

    def _shadowed(self) -> Iterator[tuple[Export, Finding]]:
        """Networks and patterns inside an earlier one with other options: of those that match a host, the first
        counts."""
        of_path: dict[str, list[KeptExport]] = {}
        for entry in self.entries:
            before = of_path.setdefault(entry.path, [])
            if not entry.file and len(before) < MOST:
                outer = next((other for other in before if other.client != entry.client
                              and inside(entry.client, other.client)), None)
                if outer is not None and self._differ(entry, outer):
                    yield from self._at_client("export-network-shadowed", entry, outer, other=outer.export.client.text)
            before.append(entry)

    def _differ(self, entry: KeptExport, other: KeptExport) -> bool:
        options, others = self._of_one_flavour(entry), self._of_one_flavour(other)
        return options is not None and others is not None and options.values != others.values

    def _of_one_flavour(self, entry: KeptExport) -> ExportOptions | None:
        """The options of an export; None if several flavours have separate ones, or if a word is not an option."""
        options = self.grammar.read(entry.export.options)
        return options if options.is_whole and options.wrong is None and not options.several_flavours else None

    def _fsids(self) -> Iterator[tuple[Export, Finding]]:
        """One fsid for two paths, and numbers beside reexport=."""
        roots: dict[str, KeptExport] = {}
        read = [(entry, self.grammar.read(entry.export.options).words) for entry in self.entries]
        reexporting = next(
            (entry for entry, words in read for word in words
             if word.tunable == "exports.reexport" and word.value != "none"), None,
        )
        for entry, words in read:
            for word in words:
                key = file_system(str(word.value)) if word.tunable == "exports.fsid" else None
                if key is None:
                    continue
                other = roots.setdefault(key, entry)
                setting = Setting(word.text, "options", word.start, word.start + len(word.text), word.text)
                if entry.file:
                    continue
                if other.path != entry.path:
                    yield from self._report(
                        "export-fsid-twice", entry, setting, other, other=other.export.path.text
                    )
                elif reexporting is not None and reexporting is not entry and len(key) < UUID_DIGITS:
                    yield from self._report("export-fsid-beside-reexport", entry, setting, reexporting)

    def _nested(self) -> Iterator[tuple[Export, Finding]]:
        """Exports with other rights than the nearest export above them to the same client."""
        first: dict[tuple[str, str], KeptExport] = {}
        for entry in self.entries:
            first.setdefault((entry.path, entry.client), entry)
        for (path, client), entry in first.items():
            above = parents(path) if path.startswith("/") and path.count("/") <= DEEPEST else ()
            outer = next((first[parent, client] for parent in above if (parent, client) in first), None)
            if outer is not None and not entry.file:
                yield from self._differing_rights(entry, outer)

    def _differing_rights(self, entry: KeptExport, outer: KeptExport) -> Iterator[tuple[Export, Finding]]:
        inner, around = self._of_one_flavour(entry), self._of_one_flavour(outer)
        if inner is None or around is None:
            return
        if inner.values[SEC] != around.values[SEC]:
            other = f"sec={around.values[SEC]} of {outer.path}"
            yield from self._at_client(
                "export-nested-sec", entry, outer, value=f"sec={inner.values[SEC]}", other=other
            )
            return
        changed = [tunable for tunable in BY_FLAVOUR if inner.values.get(tunable) != around.values.get(tunable)]
        if changed and not _apart(inner, around):
            own, other = (self.grammar.spelling(changed[0], each.values.get(changed[0])) for each in (inner, around))
            yield from self._at_client("export-nested-rights", entry, outer, value=own, other=other, path=outer.path)

    def _outside(self) -> Iterator[tuple[Export, Finding]]:
        """Paths that NFSv4 clients cannot reach, because an export with fsid=0 makes another directory their root."""
        root = next((entry for entry in self.entries if entry.path != "/" and entry.export.is_root), None)
        if root is None:
            return
        reported: set[str] = set()
        for entry in self.entries:
            beside = entry.path.startswith("/") and not below(entry.path, root.path)
            if beside and not entry.file and entry.path not in reported and not entry.export.is_root:
                reported.add(entry.path)
                setting = Setting(entry.path, "source", 0, len(entry.export.path.text), entry.export.path.text)
                yield from self._report("export-outside-root", entry, setting, root, other=root.path)

    def _at_client(
        self, slug: str, entry: KeptExport, beside: KeptExport, value: str | None = None, **figures: str
    ) -> Iterator[tuple[Export, Finding]]:
        text = entry.export.client.text
        setting = Setting(text if value is None else value, "target", 0, len(text), text)
        yield from self._report(slug, entry, setting, beside, **figures)

    def _report(
        self, slug: str, entry: KeptExport, setting: Setting, beside: KeptExport, **figures: str
    ) -> Iterator[tuple[Export, Finding]]:
        check = self.index.builtin(slug)
        line = f"line {beside.export.line_no}"
        figures["place"] = f"{line} of {beside.file}" if beside.file else line
        if check is not None:
            yield entry.export, report(check, setting, tunable=None, value=setting.value, figures=figures)


def _apart(inner: ExportOptions, around: ExportOptions) -> bool:
    """Whether the options show that the inner directory is a separate file system."""
    written = {"exports.fsid", "exports.mountpoint", "exports.refer"}.intersection(inner.written)
    shown = inner.values.get("exports.nohide") or around.values.get("exports.crossmnt")
    return bool(written or shown or "exports.fsid" in around.written)
