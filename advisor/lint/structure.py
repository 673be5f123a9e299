"""Findings on the form of a line: what mount(8) ignores, what programs read differently, and common mistakes."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.files.fstab import is_whole, split_options
from advisor.files.option_reading import meant_type
from advisor.files.placeholders import has_markup, placeholders
from advisor.files.records import Setting
from advisor.files.source import parse_source
from advisor.lint.finding import LINE, NOTHING, Edit, Finding, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.fstab import Entry, Whole
    from advisor.files.fstab_readings import Trap
    from advisor.files.records import MountEntry, Span
    from advisor.lint.rule_index import RuleIndex

_CAUSES = ("blank-after-comma", "shifted-fields", "glued-text", "trailing-comment", "quoted-path", "nul-byte",
           "typographic-quotes", "non-breaking-space", "carriage-return")
"""Traps that may be why mount(8) drops a line."""


def check(index: RuleIndex, entry: Entry, is_nfs: bool, carriage_returns: bool) -> Iterator[Finding]:
    """The findings on the form of one line. `carriage_returns`: whether DOS line ends were reported already."""
    traps = entry.traps
    dropped = entry.libmount
    if dropped != "ok":
        if not entry.template:
            yield from _dropped_line(index, "fstab-line-dropped", entry, traps, dropped)
        elif index.rules.nfs_types.intersection(entry.raw.split()):
            words = "the line cannot be read until its placeholders are filled in"
            seen = dropped.partition(": mount(8) ")[0]
            yield from index.report("fstab-placeholder-blank", LINE, words=f"{words}: {seen}")
        return
    assert is_whole(entry)
    if traps or entry.differ:
        if entry.difference is not None:
            # Lines of other file systems matter only for what they do to NFS.
            yield from index.report(
                "fstab-readers-differ", LINE, words=entry.difference, severity=None if is_nfs else "note"
            )
        for trap in traps:
            if (trap.slug == "carriage-return" and carriage_returns) or (trap.slug == "empty-option" and is_nfs):
                continue  # reported once per file; reported by the option grammar
            shifted = trap.slug == "shifted-fields"  # the third field is no file system type
            columns = shifted or trap.slug == "beyond-the-end"
            yield from index.report(
                "fstab-trap", _place(entry, trap.span), words=trap.words, severity="error" if shifted else None,
                consequence="mount-fails" if shifted else None,
                remedy=index.rulebase.checks["fstab-line-dropped"].remedy if columns else None,
                fix=Fix.of("unsafe", _missing_fields(index, entry, trap)),
            )
    if is_nfs and not entry.target.value.startswith("/") and not has_markup(entry.target.value):
        target = entry.target.value
        yield from index.report("fstab-target-relative", Setting(target, "target", 0, 0, target), words=target)
    if not is_nfs and ":/" in entry.source.value:
        yield from _unknown_type(index, entry)
    if is_nfs:
        yield from source_form(index, entry)


def source_form(index: RuleIndex, entry: Whole | MountEntry) -> Iterator[Finding]:
    """The finding on the source of an NFS mount, if it is malformed."""
    source = parse_source(entry.source.value)
    if source.problem and entry.fstype.value in ("nfs", "nfs4"):
        setting = Setting(entry.source.value, "source", 0, len(entry.source.text), entry.source.value)
        # The first of a list of hosts is mounted, and NFSv4 without a path mounts the root. Nothing else mounts.
        mounts = source.kind in ("host", "ipv4", "ipv6")
        yield from index.report(
            "fstab-source-form", setting, words=source.problem, severity="warning" if mounts else None,
            consequence="portability" if mounts else None,
        )


def blanks(index: RuleIndex, entry: Entry) -> Iterator[Finding]:
    """Reports that a line is judged although mount(8) would drop it for the spaces in its placeholders. `entry`: as
    written."""
    match = next(match for match in placeholders(entry.raw) if " " in match[0] or "\t" in match[0])
    start = match.start() - (len(entry.raw) - len(entry.raw.lstrip()))
    place = Setting(None, "source", start, start + len(match[0]), "")
    words = f"{match[0]} is still to be filled in; the line is checked as if it contained no space"
    yield from index.report("fstab-placeholder-blank", place, words=words)


def _unknown_type(index: RuleIndex, entry: Whole) -> Iterator[Finding]:
    source = parse_source(entry.source.value)
    if source.kind not in ("host", "ipv4", "ipv6", "placeholder") or not source.export.startswith("/"):
        return
    fstype = entry.fstype
    type_meant = meant_type(fstype.value, index.tunables["fstab.type"])
    if type_meant is not None:
        setting = Setting(fstype.value, "fstype", 0, len(fstype.text), fstype.text)
        yield from index.report(
            "fstab-type-unknown", setting, tunable="fstab.type", value=fstype.value, expected=type_meant,
            fix=Fix("unsafe", (Edit.within("fstype", 0, len(fstype.text), type_meant),)),
        )


def _dropped_line(index: RuleIndex, slug: str, entry: Entry, traps: tuple[Trap, ...], why: str) -> Iterator[Finding]:
    """The one finding on a dropped line, at the trap that explains it and in its words, or else with `why`."""
    # mount(8) strips a carriage return at the end of a line.
    end = ("carriage-return", len(entry.raw))
    cause = next((trap for trap in traps if trap.slug in _CAUSES and (trap.slug, trap.span.column) != end), None)
    if cause is not None:
        yield from index.report(slug, _place(entry, cause.span), words=cause.words)
    else:
        yield from index.report(slug, LINE, words=why.partition(": mount(8) ")[0])  # the check says that it is dropped


def _missing_fields(index: RuleIndex, entry: Entry, trap: Trap) -> tuple[Edit, ...]:
    """The edit that adds the fields that a line lacks, if its other fields are those of an NFS mount."""
    if not trap.lacks or (entry.target is not None and not entry.target.value.startswith("/")):
        return ()
    source = parse_source(entry.source.value)
    if source.kind not in ("host", "ipv4", "ipv6") or not source.export or source.problem:
        return ()
    if trap.lacks == ("fstype",) and not _known(index, entry.fstype.text if entry.fstype else ""):
        return ()
    if trap.lacks == ("options",) and (entry.fstype is None or entry.fstype.value not in index.rules.nfs_types):
        return ()
    at = trap.span.column - 1
    blanks = entry.raw[len(entry.raw[:at].rstrip(" \t")) : at]
    text = "".join(f"{_USUAL[field]}{blanks}" for field in trap.lacks)
    start = trap.span.column - entry.source.span.column
    return (Edit.within("source", start, start, text),)


_USUAL = {"fstype": "nfs", "options": NOTHING}
"""Field → what is written for a missing one."""


def _known(index: RuleIndex, options: str) -> bool:
    """Whether an NFS mount knows all of these options."""
    line = index.rules.grammar.read("nfs", split_options(options))
    return not any(problem.kind == "unknown-option" for problem in line.problems)


def _place(entry: Entry, span: Span) -> Setting:
    """A span as offsets within the first field; they may lie beyond its end."""
    start = entry.source.span.column
    return Setting(None, "source", span.column - start, max(span.end_column - start, span.column - start + 1), "")
