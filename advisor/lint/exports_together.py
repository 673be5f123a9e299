"""What exports have to do with one another, in one file and in those that exportfs reads before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.lint.export_clients import left_out, unknown
from advisor.lint.export_networks import inside, same_host
from advisor.lint.export_options import Spellings, effect, fsid
from advisor.lint.finding import Finding, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.options.reading import Setting
from advisor.readers.exports import Export
from advisor.readers.placeholders import has_markup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

DEEPEST = 100
"""Directories of a path around which exports are looked for."""
MOST = 200
"""Clients of one path among which networks that hold one another are looked for."""
_RIGHTS = ("exports.rw", "exports.root_squash", "exports.all_squash")
"""What decides who may do what."""


class Made(NamedTuple):
    """An export that exportfs makes: its path without doubled slashes, and one spelling for its client."""

    export: Export
    file: str
    """The file that it stands in; "" for the one that is judged."""
    path: str
    client: str

    @property
    def place(self) -> str:
        line = f"line {self.export.line_no}"
        return f"{line} of {self.file}" if self.file else line


def made(exports: Sequence[Export], file: str = "") -> list[Made]:
    """The exports of one file that exportfs can make, as far as the text tells."""
    found = []
    for export in exports:
        path = plain(export.path.text)
        if export.bad is not None or has_markup(path) or unknown(export.client.text):
            continue
        client = same_host(export.client.text)
        if not client and export.client.near != export.path.span:  # a list of options by itself
            client = "*"
        if not left_out(export.client.text):
            found.append(Made(export, file, path, client))
    return found


def plain(path: str) -> str:
    """A path as exportfs resolves it: one slash between two names, none at the end."""
    return path[:1] + "/".join(part for part in path.split("/") if part) if path.startswith("/") else path


def together(
    index: RuleIndex, words: Spellings, own: Sequence[Made], earlier: Sequence[Made] = ()
) -> Iterator[tuple[Export, Finding]]:
    """What is to be said of the exports of a file beside one another and beside those of files read `earlier`."""
    everything = [*earlier, *own]
    yield from _twice(index, everything)
    yield from _first_of_kind(index, words, everything)
    yield from _numbers(index, everything)
    yield from _nested(index, words, everything)
    yield from _outside(index, everything)


def _twice(index: RuleIndex, everything: Sequence[Made]) -> Iterator[tuple[Export, Finding]]:
    first: dict[tuple[str, str], Made] = {}
    for one in everything:
        before = first.setdefault((one.path, one.client), one)
        written = one.export.client.text or before.export.apart is None  # else the space is told
        if before is not one and not one.file and written:
            client = one.export.client.text or ("everybody" if one.client in ("", "*") else one.client)
            yield from _said(
                index, "export-twice", one, _at_client(one), place=before.place, path=one.path, client=client,
            )


def _first_of_kind(index: RuleIndex, words: Spellings, everything: Sequence[Made]) -> Iterator[tuple[Export, Finding]]:
    """Of several networks, or several patterns, that a host belongs to, the first counts."""
    of_path: dict[str, list[Made]] = {}
    for one in everything:
        before = of_path.setdefault(one.path, [])
        if not one.file and len(before) < MOST:
            outer = next((other for other in before if other.client != one.client
                          and inside(one.client, other.client)), None)
            if outer is not None and _differ(index, words, one, outer):
                yield from _said(
                    index, "export-network-shadowed", one, _at_client(one), other=outer.export.client.text,
                    place=outer.place,
                )
        before.append(one)


def _differ(index: RuleIndex, words: Spellings, one: Made, other: Made) -> bool:
    left, right = effect(index, one.export, words), effect(index, other.export, words)
    return left is not None and right is not None and left != right


def _numbers(index: RuleIndex, everything: Sequence[Made]) -> Iterator[tuple[Export, Finding]]:
    """One fsid for two paths, and numbers beside reexport=."""
    roots: dict[str, Made] = {}
    again = next(
        (one for one in everything for part in one.export.options.parts
         if part.text.startswith("reexport=") and part.text != "reexport=none"), None,
    )
    for one in everything:
        offset = 0
        for part in one.export.options.parts:
            found = Setting(part.text, "options", offset, offset + len(part.text), part.text)
            offset += len(part.text) + 1
            key = fsid(part.text[5:]) if part.text.startswith("fsid=") else None
            if key is None:
                continue
            other = roots.setdefault(key, one)
            if one.file:
                continue
            if other.path != one.path:
                yield from _said(
                    index, "export-fsid-twice", one, found, other=other.export.path.text, place=other.place,
                )
            elif again is not None and again is not one and len(key) < 32:
                yield from _said(index, "export-fsid-beside-reexport", one, found, place=again.place)


def _nested(index: RuleIndex, words: Spellings, everything: Sequence[Made]) -> Iterator[tuple[Export, Finding]]:
    """Other rights below an export to the same client."""
    first: dict[tuple[str, str], Made] = {}
    for one in everything:
        first.setdefault((one.path, one.client), one)
    for (path, client), one in first.items():
        for parent in _above(path):
            outer = first.get((parent, client))
            if outer is not None:
                if not one.file:
                    yield from _inner(index, words, one, outer)
                break


def _inner(index: RuleIndex, words: Spellings, one: Made, outer: Made) -> Iterator[tuple[Export, Finding]]:
    inner, around = effect(index, one.export, words), effect(index, outer.export, words)
    if inner is None or around is None:
        return
    if inner["exports.sec"] != around["exports.sec"]:
        found = _at_client(one)._replace(value=f"sec={inner['exports.sec']}")
        yield from _said(
            index, "export-nested-sec", one, found, other=f"sec={around['exports.sec']} of {outer.path}",
            place=outer.place,
        )
        return
    changed = [tunable for tunable in _RIGHTS if inner[tunable] != around[tunable]]
    if changed and not _apart(one, outer):
        found = _at_client(one)._replace(value=_word(words, changed[0], inner[changed[0]]))
        yield from _said(
            index, "export-nested-rights", one, found, other=_word(words, changed[0], around[changed[0]]),
            path=outer.path, place=outer.place,
        )


def _apart(one: Made, outer: Made) -> bool:
    """Whether the options tell that the inner directory is a file system of its own."""
    inner, around = (
        {part.text.partition("=")[0] for part in made.export.options.parts} for made in (one, outer)
    )
    return bool(inner & {"fsid", "nohide", "mp", "mountpoint", "refer"} or around & {"crossmnt", "fsid"})


def _word(words: Spellings, tunable: str, value: Value) -> str:
    """The option that gives a tunable this value."""
    return next((form.spelling for name, form in words.values() if name == tunable and form.means == value), "")


def _outside(index: RuleIndex, everything: Sequence[Made]) -> Iterator[tuple[Export, Finding]]:
    """Paths that NFSv4 clients cannot reach, because an export makes another directory the root of all they see."""
    root = next((one for one in everything if one.path != "/" and _is_root(one)), None)
    if root is None:
        return
    reported: set[str] = set()
    for one in everything:
        beside = one.path.startswith("/") and one.path != root.path and not one.path.startswith(f"{root.path}/")
        if beside and not one.file and one.path not in reported and not _is_root(one):
            reported.add(one.path)
            found = Setting(one.path, "source", 0, len(one.export.path.text), one.export.path.text)
            yield from _said(index, "export-outside-root", one, found, other=root.path, place=root.place)


def _is_root(one: Made) -> bool:
    return any(part.text.startswith("fsid=") and fsid(part.text[5:]) == "0" for part in one.export.options.parts)


def _above(path: str) -> Iterator[str]:
    """The directories around a path, the nearest first. A path of very many is not looked at: none is exported so."""
    if path.count("/") <= DEEPEST:
        while path not in ("", "/"):
            path = path.rpartition("/")[0]
            yield path or "/"


def _at_client(one: Made) -> Setting:
    text = one.export.client.text
    return Setting(text, "target", 0, len(text), text)


def _said(
    index: RuleIndex, slug: str, one: Made, found: Setting, **figures: str
) -> Iterator[tuple[Export, Finding]]:
    check = index.builtin(slug)
    if check is not None:
        yield one.export, from_check(check, found, tunable=None, value=found.value, figures=figures)
