"""A script, a playbook or another file that exports a directory and mounts it: the mount is compared with the server,
as far as the file itself shows both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from advisor.check.client_server import compare
from advisor.check.compared_host import ComparedHost
from advisor.check.mount_outcomes import KEYTAB
from advisor.files import kinds
from advisor.files.export_lookup import absolute
from advisor.files.exports import read as read_exports
from advisor.files.fstab import read as read_fstab
from advisor.files.mountinfo import parents
from advisor.files.placeholders import joined
from advisor.files.records import MountEntry, Placed, Span
from advisor.files.source import parse_source
from advisor.host.tree import tree_of
from advisor.lint.lines import Result, order
from advisor.lint.suppress import silence
from advisor.named_tuple import grouped
from advisor.rulebase.model import RuleBase

_KEYS = {KEYTAB: "keys"}
"""Both hosts may have some, though the file does not show it."""


def add_both_sides(base: RuleBase, result: Result) -> None:
    """Add what is wrong with mounts of paths that the same file exports. Only the path shows that one host serves the
    other, so nothing of it is an error."""
    texts = grouped((segment.kind, Placed.joined(segment.texts).text) for segment in result.segments)
    exports = read_exports("".join(texts.get("exports", ())))
    options = grouped((_path(export.path.text), export.options.text) for export in exports if export.listed)
    exported = {path for path, lists in options.items() if len({*lists}) == 1}
    mounts = [
        (path, entry, place) for entry, place in (_mounts(result) if exported else ())
        if (path := _path(parse_source(entry.source.value).export)) in exported
        # What is mounted in an exported directory is served on, and another host has it.
        and exported.isdisjoint((target := _path(entry.target.value), *parents(target)))
    ]
    if not mounts:
        return
    lines = "".join(f"{path} *({lists[0]})\n" for path, lists in options.items())  # its client counts as admitted
    fstab, exports_path, conf = (base.host_files[entry].at[0] for entry in ("fstab", "exports", "nfs-conf"))
    served = {**_KEYS, exports_path: lines, conf: "".join(texts.get("nfs.conf", ()))}
    asked = "".join(
        f"SERVER:{path} /m{number} {_word(entry.fstype.value) or 'nfs'} {_word(entry.options.text) or 'defaults'} 0 0\n"
        for number, (path, entry, _) in enumerate(mounts)
    )
    server = ComparedHost(base, tree_of(served), "the server", ("SERVER",))
    client = ComparedHost(base, tree_of({**_KEYS, fstab: asked}), "the client")
    areas = compare(base, [server], [client]).results.values()
    at_client = (each for area in areas for each in area if each.name == client.file(fstab))
    for finding in [finding for each in at_client for finding in each.findings]:
        sides, place = base.checks[finding.rule].sides, mounts[finding.line - 1][2]
        if sides is not None and "sides.reply" in sides.on and finding.severity != "note":
            moved = finding._replace(line=place.line, column=place.column, end_column=place.end_column)
            result.add([moved._replace(severity="warning")])
    silence(result, result.rule_index.kind)
    result.findings.sort(key=order)


def _word(text: str) -> str:
    """Text as one field of fstab."""
    return "".join(joined(text).split())


def _path(text: str) -> str:
    """A path, also one that a template fills in."""
    return absolute("".join(sign if sign.isalnum() or sign in "/._-" else "_" for sign in text))


def _mounts(result: Result) -> Iterator[tuple[MountEntry, Span]]:
    """The mounts of a file, and those of the text inside it, each with its place."""
    kind = result.rule_index.kind
    if kind in kinds.MOUNTS:
        yield from ((entry, entry.source.span) for entry in kinds.read_mounts(kind, result.text, result.name).mounts)
    yield from ((entry, entry.source.span) for _, entry in result.mounts)
    for segment in result.segments:
        text = Placed.joined(segment.texts)
        starts = [0, *accumulate(len(line) + 1 for line in text.text.split("\n"))]
        for entry in read_fstab(joined(text.text)).entries if segment.kind == "fstab" else ():
            start = starts[entry.line_no - 1]
            yield entry, text.token(start, start + len(entry.raw)).span
