"""All files that apply to an advice; for several mounts of one host every line in one fstab, the host's settings once,
a report for each with the whole argument. They are written into a folder, where files that were edited or there before
are not overwritten."""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from advisor.advice.answers import NAMES, bad_name
from advisor.advice.model import Advice, Row
from advisor.advice.rows import BY_HAND, in_order
from advisor.advice.several import Conflict, Several
from advisor.advice.verdict import AdviceVerdict, names_of, objections, verdict, with_refusals
from advisor.install.context import ARGUMENT, Artefact, FileContext, Unwritable, for_people
from advisor.install.host_files import host_files, identity
from advisor.install.scripts import ansible, benchmarks, cloud, kubernetes, mounts, role, scripts
from advisor.lint.finding import Finding
from advisor.pages import blocks
from advisor.pages.blocks import Block, Document, TextLike, TextRun, code, codes, strong, text
from advisor.pages.card import card
from advisor.pages.claims import cite
from advisor.pages.failover import picture
from advisor.pages.markup import html_page, markdown
from advisor.pages.phrases import counted, first_sentence
from advisor.pages.recommend import add_assumed, add_effects
from advisor.pages.why import bug_page, estimate_page, objections_to_pin, question_text, setting_page
from advisor.pages.wording import open_values, outcome, strength_text, value_in_words
from advisor.rulebase.citations import citations
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import LINE_KINDS, why_invalid, widest
from advisor.user_files import NewFile, WriteError, failure_text, sync


def artefacts(base: RuleBase, advice: Advice) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files.

    Raises Unwritable for a name or a held value that has no place in a file that root installs."""
    context = checked_context(base, advice)
    made = [*mounts(context), *host_files(context), *identity(context), *kubernetes(context)]
    played = list(ansible([context], context, made))
    run = [*scripts([context], context, made)]
    made += [*cloud([context], context, made), *played, *benchmarks(context)]
    run += role() if played else ()
    return [*made, *run, *report(context, made, run)]


def checked_context(base: RuleBase, advice: Advice, argument: str = ARGUMENT.format("REPORT.md")) -> FileContext:
    """The context of an advice. `argument`: the place to which a file refers for its reasons. Raises as `artefacts`
    does."""
    for name in NAMES:
        wrong = bad_name(name, advice.answers.name(name))
        if wrong:
            raise Unwritable(wrong)
    for row in advice.advised:
        wrong = None if row.written is None else why_invalid(widest(row.definition), row.written)
        if wrong:
            raise Unwritable(wrong)
    return FileContext(base, with_refusals(base, _in_order(base, advice)), argument)


def _in_order(base: RuleBase, advice: Advice) -> Advice:
    """Facts in the order of the rule base: neither the reasons nor the bytes may depend on who answered what first."""
    order = [*base.facts, *sorted({*advice.state, *advice.answers.facts} - set(base.facts))]
    facts, state = advice.answers.facts, advice.state
    answers = advice.answers._replace(facts={name: facts[name] for name in order if name in facts})
    return advice._replace(answers=answers, state={name: state[name] for name in order if name in state})


_ONE_ONLY = "No manifests or benchmarks: they are made for one mount; name it with --target."
_OTHER_DOMAIN = "Another mount of this host needs another {path}; a host has one, so the first mount's is written."


def artefacts_several(base: RuleBase, advices: Several) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files. Raises Unwritable as `artefacts` does."""
    names = [_name(number, advice.answers.name("target")) for number, advice in enumerate(advices.mounts, 1)]
    contexts = [
        checked_context(base, advice, ARGUMENT.format(f"reports/{name}.md"))
        for name, advice in zip(names, advices.mounts)
    ]
    own = [list(mounts(context)) for context in contexts]
    whole = _host(base, advices)
    host = list(host_files(whole))
    mounted = [artefact for several in own for artefact in several]
    run = [*scripts(contexts, whole, [*mounted, *host])]
    host += [*cloud(contexts, whole, [*mounted, *host]), *ansible(contexts, whole, host)]
    together: dict[str, Artefact] = {}
    for made in mounted:
        known = together.get(made.path)
        together[made.path] = made if known is None else _merge_files(known, made)
    played = any(artefact.path == whole.data["files"]["ansible"]["path"] for artefact in host)
    run += role() if played else ()
    reports = []
    users: dict[str, Artefact] = {}
    for name, context, made_here in zip(names, contexts, own):
        context.remarks += [_ONE_ONLY, *whole.remarks, *map(_conflict_text, advices.conflicts)]
        mine = [_for_mount(artefact, name) for artefact in identity(context)]
        for artefact in mine:
            known = users.setdefault(artefact.path, artefact)
            if known.lines != artefact.lines:
                context.remarks.append(_OTHER_DOMAIN.format(path=artefact.path))
        every = [*made_here, *mine, *host]
        for artefact in report(context, every, run, name=f"reports/{name}", conflicts=advices.conflicts):
            reports.append(artefact._replace(title=f"{artefact.title}, {context.target}"))
    written = [*together.values(), *users.values(), *host, *run]
    page = Document()
    judged = [context.advice for context in contexts]
    found = verdict(base, judged, advices.conflicts)
    page.add(card(judged, found, files={file.path: file.lines for file in written}, columns=_WIDE))
    page.listed("Each mount", (text(code(file.path), f": {file.title}") for file in reports))
    return [*written, Artefact("REPORT.md", markdown(page.blocks), "Report on all mounts"), *reports]


def _name(number: int, target: str) -> str:
    """The name of the files of one mount: "2-mnt-data"."""
    return f"{number}-{re.sub('[^A-Za-z0-9]+', '-', target).strip('-') or 'root'}"


def _for_mount(artefact: Artefact, name: str) -> Artefact:
    """The file under the name of its mount, if it is a list of steps; a file of the host keeps its name."""
    stem, dot, suffix = artefact.path.rpartition(".")
    return artefact._replace(path=f"{stem}-{name}{dot}{suffix}") if suffix == "md" else artefact


def _host(base: RuleBase, several: Several) -> FileContext:
    """What the files of the host are made from: its settings, and the facts that are known of all mounts."""
    before = {name: known for advice in several.mounts for name, known in advice.answers.before.items()}
    whole = several.mounts[0]._replace(answers=several.answers._replace(mounts=(), before=before))
    return checked_context(base, whole, ARGUMENT.format("reports"))


def _merge_files(first: Artefact, other: Artefact) -> Artefact:
    """A file with the content of both; a line that is not a comment is in it once."""
    there = set(first.text.splitlines())
    more = [
        line for line in other.text.splitlines()
        if not line.startswith("#!") and (line.startswith("#") or line not in there)
    ]
    return first._replace(
        content="\n".join((first.text.rstrip("\n"), "", *more, "")), apply=_distinct(first.apply, other.apply),
        verify=_distinct(first.verify, other.verify), undo=_distinct(first.undo, other.undo),
    )


def _distinct(some: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _conflict_text(conflict: Conflict) -> str:
    sides = "; ".join(
        f"{side.target} wants {side.tunable} {outcome(side.value)} ({side.rule})" for side in conflict.sides
    )
    return f"{conflict.says}: {sides}."


MANIFEST = ".advisor-manifest.json"
SCHEMA = "advisor-manifest/1"
_LONGEST = 50_000_000
"""A larger file is not one of ours."""


class Written(NamedTuple):
    """The outcome for a file. `status`: "new", "same", "changed", "kept" (edited, or not
    written by advisor, so not overwritten), "removed" (obsolete), "stale" (obsolete but edited, so not removed)."""

    path: str
    status: str


def write_all(folder: str | Path, artefacts: Iterable[Artefact], force: bool = False) -> list[Written]:
    """Write the files, and a manifest of what was written. A second run changes nothing.

    `force`: overwrite, and remove, what was edited too. Raises WriteError; each file is then as it was, or whole."""
    top = Path(folder)
    wanted = {artefact.path: artefact for artefact in artefacts}
    try:
        if top.exists() and not top.is_dir():
            raise WriteError(f"{top}: is not a folder")
        top.mkdir(parents=True, exist_ok=True)
        top = top.resolve()
        ours = _manifest(top)
        contents = {path: artefact.text.encode("utf-8", "surrogateescape") for path, artefact in wanted.items()}
        sums = {path: sha256(content).hexdigest() for path, content in contents.items()}
        plans = [(path, _plan(top, path, sums[path], ours, force)) for path in wanted]
        stale = [(path, _plan(top, path, "", ours, force)) for path in ours if path not in wanted]
        kept = {path: ours[path] for path, status in (*plans, *stale) if status in ("kept", "stale") and path in ours}
        # Both sums while files change: after a failure in between, each file is still known as ours.
        _save_manifest(top, {**ours, **{path: ours.get(path, set()) | {sums[path]} for path, status in plans if
                               status != "kept"}})
        for path, status in plans:
            if status in ("new", "changed"):
                _write(top, path, contents[path], wanted[path].mode)
        for path, status in stale:
            if status == "removed":
                _remove(top, path)
        _save_manifest(top, {**kept, **{path: {sums[path]} for path, status in plans if status != "kept"}})
    except OSError as error:
        raise WriteError(failure_text(str(error.filename or top), error)) from None
    return [Written(path, status) for path, status in (*plans, *stale) if status != "gone"]


def _plan(top: Path, path: str, wanted: str, ours: dict[str, set[str]], force: bool) -> str:
    """What becomes of a file, as `Written` has it; "gone" for an obsolete one that is not there. `wanted`: its new
    checksum, "" if it is obsolete."""
    there = _existing_sum(top, path)
    if there is None:
        return "new" if wanted else "gone"
    if there == wanted:
        return "same"
    replaced = force or there in ours.get(path, ())
    return ("changed" if replaced else "kept") if wanted else "removed" if replaced else "stale"


def _place(top: Path, path: str) -> Path:
    """The path of a file; no folder below `top` on the way may be a link or a file."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or parts == (MANIFEST,):
        raise WriteError(f"{path}: lies outside the folder")
    way = top
    for part in parts[:-1]:
        way = way / part
        status = _lstat(way)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise WriteError(f"{way}: is in the way: {_type_of(status)} where a folder belongs; move it away")
    return way / parts[-1]


def _existing_sum(top: Path, path: str) -> str | None:
    """The checksum of the file that is there; None without one."""
    place = _place(top, path)
    status = _lstat(place)
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{place}: is in the way: {_type_of(status)} where a file belongs; move it away")
    return sha256(_read(place)).hexdigest()


def _read(place: Path) -> bytes:
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read(_LONGEST)


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _type_of(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "a symbolic link"
    return "a folder" if stat.S_ISDIR(status.st_mode) else "a file" if stat.S_ISREG(status.st_mode) else "a device"


def _write(top: Path, path: str, content: bytes, mode: int) -> None:
    place = _place(top, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with NewFile(place, content, mode=mode) as fresh:
        fresh.replace(place)
    sync(place.parent)


def _remove(top: Path, path: str) -> None:
    """Remove the file, and the folders below `top` that this leaves empty."""
    place = _place(top, path)
    place.unlink()
    for folder in place.parents:
        if folder == top or any(folder.iterdir()):
            return
        folder.rmdir()


def _manifest(top: Path) -> dict[str, set[str]]:
    """Path → checksums of what was written there. Nothing is ours where the manifest cannot be read."""
    if _lstat(top / MANIFEST) is None:
        return {}
    try:
        data = json.loads(_read(top / MANIFEST))
        if data["schema"] != SCHEMA:
            return {}
        return {str(path): set(map(str, sums)) for path, sums in data["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _save_manifest(top: Path, files: dict[str, set[str]]) -> None:
    """Write the manifest, if it differs."""
    data = {"schema": SCHEMA, "files": {path: sorted(files[path]) for path in sorted(files)}}
    text = json.dumps(data, indent=1, ensure_ascii=True) + "\n"
    place = top / MANIFEST
    if _lstat(place) is None or _read(place) != text.encode():
        with NewFile(place, text.encode()) as fresh:
            fresh.replace(place)


_TITLE, _DETAILS = "NFS configuration: report", "NFS configuration: details"
_WIDE, _MOST = 160, 60
"""Columns of the card in the report, and the most rows of a list there; the details have all."""


def report(
    context: FileContext, files: list[Artefact], others: Iterable[Artefact] = (), *, name: str = "REPORT",
    conflicts: Iterable[Conflict] = (),
) -> Iterator[Artefact]:
    """The report and its details; both as one page for a browser. `others`: files whose text is not in the details;
    `name`: the path of the report without its suffix."""
    beside, every, conflicts = f"{name}-details.md", [*files, *others], [*conflicts]

    @cache
    def texts() -> tuple[str, str, str]:
        found, said = verdict(context.base, [context.advice], conflicts), _objections(context, files)
        below, head = _details(context, files, every), Document()
        head.heading(_DETAILS, 1)
        for line in context.provenance(names_of(context.advice)):
            head.item(line)
        short, whole = (_summary(context, every, found, said, page) for page in (PurePosixPath(beside).name, ""))
        page = html_page([*whole, *below], _TITLE, f"advisor {context.advice.version}")
        return markdown(short) + _statements(context), markdown([*head.blocks, *below]), page

    yield Artefact(f"{name}.md", lambda: texts()[0], "Report")
    yield Artefact(beside, lambda: texts()[1], "Each file and setting, with all sources")
    yield Artefact(f"{name}.html", lambda: texts()[2], "Report and details")


def _statements(context: FileContext) -> str:
    """What is known, in a comment, so that lint judges the line of the report as it judges the file."""
    said = "\n".join(f"# {line}" for line in context.statements(short=False))
    return f"\n<!--\n{said}\n-->\n" if said and "--" not in said else ""


def _summary(
    context: FileContext, files: list[Artefact], found: AdviceVerdict, said: list[Finding], beside: str
) -> list[Block]:
    """The card, and a line for each file and setting. `said`: by the linter, of the line for fstab. `beside`: the page
    with the details; "" for the same page."""
    page, advice = Document(), context.advice
    page.add(card([advice], found, files={file.path: file.lines for file in files}, columns=_WIDE))
    page.para("Each file and setting, with its steps, rules and sources: ",
              TextRun(beside, "", beside) if beside else "below.")
    for line in context.provenance(names_of(context.advice)):
        page.item(line)
    _objections_section(page, context, said)
    by_folder = {file.path.partition("/")[0]: file for file in files}
    numbers = Counter(file.path.partition("/")[0] for file in files)
    if files or context.remarks:
        page.heading("Files")
    if context.lacking and not context.is_server:
        lacking = codes(setting.tunable for setting in context.lacking)
        page.para("No file here mounts anything yet: ", lacking, " must be written, but its value is open.")
    for remark in context.remarks:
        page.para(remark)
    page.table(("file", "what it is", "belongs in"), (
        (code(file.path if numbers[top] == 1 else f"{top}/"),
         file.title if numbers[top] == 1 else counted(numbers[top], "file"), file.install if numbers[top] == 1 else "")
        for top, file in by_folder.items()
    ))
    drawn = picture(advice)
    if drawn:
        page.heading("The cluster")
        page.code("\n".join(drawn))
    for file in files:
        if file.path.startswith("cluster/nfs-group"):
            page.para(f"To load {file.title[0].lower()}{file.title[1:]}:")
            page.code("\n".join(f"# {step}" if for_people(step) else step for step in file.apply), "sh")
    for title, rows in _titled_rows(context, files):
        _table(page, title, ("setting", "strength", "why"), [
            (text(TextRun(row.tunable, "", f"{beside}#{_anchor(row)}"), f": {value_in_words(row)}"),
             strength_text(row), " ".join((first_sentence(row.why), *objections_to_pin(context.base, advice, row))))
            for row in rows
        ])
    waiting = in_order(row for row in _in_its_files(context, advice.open) if row.strength is not None)
    _table(page, "Open, and in no file until the questions are answered", ("setting", "values", "depends on"), [
        (code(setting.tunable), open_values(setting), codes(setting.asks)) for setting in waiting
    ])
    _table(page, "Known bugs", ("bug", "symptom"), [
        (bug.fault.title, bug.fault.symptom) for bug in advice.bugs if bug.certain
    ])
    possible = [bug for bug in advice.bugs if not bug.certain]
    if possible:
        page.para(f"{counted(len(possible), 'known bug')} of some versions may affect you; the details list them. "
                  "Which ones do depends on ", codes(dict.fromkeys(fact for bug in possible for fact in bug.asks)), ".")
    return page.blocks


def _table(page: Document, title: str, heads: Sequence[str], rows: Sequence[Sequence[TextLike]]) -> None:
    """Adds a heading and a table, cut after _MOST rows; nothing without rows."""
    if rows:
        page.heading(title)
        page.table(heads, rows[:_MOST])
    if len(rows) > _MOST:
        page.para(f"{len(rows) - _MOST} more are in the details.")


def _titled_rows(context: FileContext, files: Iterable[Artefact]) -> Iterator[tuple[str, list[Row]]]:
    """The settings that are shown, those of files first; what `apply.sh` does not leave to do, scripts do."""
    left = next((file.text for file in files if file.path == "apply.sh"), "")
    rows = [row for row in _in_its_files(context, in_order(context.advice.advised)) if _is_shown(row)]
    steps = " ".join(context.data["cluster_first"])  # what they name comes in their order
    rows.sort(key=lambda row: steps.find(f"({row.tunable})") % (len(steps) + 1))
    manual = [row for row in rows if row.kind in BY_HAND and (not left or f"({row.tunable})" in left)]
    yield "Settings", [row for row in rows if row not in manual and (row.part == "set" or row.kind not in BY_HAND)]
    yield "To do by hand", [row for row in manual if row.part == "set"]


def _in_its_files(context: FileContext, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows without those of a mount, if this is for a server."""
    return (row for row in rows if not (context.is_server and row.kind in LINE_KINDS))


def _anchor(row: Row) -> str:
    """The anchor of a setting's heading, as programs that show Markdown make it of the heading."""
    return re.sub(r"[^a-z0-9_-]", "", row.tunable.lower())


def _details(context: FileContext, files: list[Artefact], every: list[Artefact]) -> list[Block]:
    base, advice = context.base, context.advice
    page = Document()
    page.para("Measured effects are the sources' own figures, for their systems; nothing here was measured on yours.")
    page.table(("name", "value"), ((name, code(advice.answers.name(name))) for name in names_of(advice)))
    page.heading("Each file")
    for file in files:
        page.fold(text(code(file.path), f": {file.title}"), _file(file), 3)
    for title, rows in _titled_rows(context, every):
        if rows:
            page.heading(f"{title}, one by one")
        for row in rows:
            there = ", ".join(file.path for file in files if f"\n# {row.tunable}: " in file.text)
            folded = blocks.fold_details(setting_page(base, advice, row, there), "Why, and how")
            _, *about = blocks.lower_headings(folded, 2)
            page.fold(code(row.tunable), [blocks.Paragraph(text(strong(row.title))), *about], 3, _anchor(row))
    add_assumed(page, [advice], every=True)
    add_effects(page, advice)
    waiting = [row for row in _in_its_files(context, advice.open) if row.strength is not None]
    for place, setting in enumerate(waiting):
        if not place:
            page.heading("Open")
        questions = [part for fact in setting.asks for part in text(" ", question_text(base, fact))]
        page.item(text(code(setting.tunable), f": {open_values(setting)}.", questions))
    for title, parts in (
        ("Estimates", [estimate_page(base, estimate) for estimate in advice.estimates if estimate.value is not None]),
        ("Known bugs, one by one", [bug_page(base, bug) for bug in advice.bugs]),
    ):
        page.section(title, (block for part in parts for block in blocks.lower_headings(part, 2)))
    recipes = [base.recipes[str(row.value)] for row in advice.advised
               if row.kind == "benchmark" and str(row.value) in base.recipes]
    measured = citations(base, (claim for recipe in recipes for claim in recipe.cites))
    cite(page, base, measured, "What to compare benchmarks with")
    return page.blocks


def _file(file: Artefact) -> list[Block]:
    """Where a file belongs, how to install, check and undo it, and what is in it."""
    page = Document()
    page.pairs([
        ("belongs in", code(file.install) if file.install else None), ("apply", "\n".join(file.apply)),
        ("check", "\n".join(file.verify)), ("undo", "\n".join(file.undo)),
    ])
    page.add([blocks.Code(file.text.rstrip("\n"))])
    return page.blocks


def _is_shown(row: Row) -> bool:
    """Whether a setting is shown: not a default in effect that is only a matter of preference."""
    if row.kind == "benchmark":
        return False
    return row.pinned or (row.recommends and not (row.strength == "may" and (row.already or row.value == "omit")))


def _objections_section(page: Document, context: FileContext, found: list[Finding]) -> None:
    """Add the linter's findings in the line for fstab under the same facts, such as a workload that does not suit
    NFS."""
    if found:
        page.heading("What the linter says of the line")
    for objection in found:
        sources = Document()
        cite(sources, context.base, citations(context.base, objection.cites), tunable=objection.tunable)
        words = f": {objection.message}. {objection.why} {objection.remedy} ("
        page.item(text(strong(objection.severity), words, code(objection.rule), ")"), *sources.blocks)


def _objections(context: FileContext, files: Iterable[Artefact]) -> list[Finding]:
    line = next((file.text for file in files if file.path == context.data["files"]["fstab"]["path"]), None)
    if line is None:
        return []
    bugs = {bug.erratum for bug in context.advice.bugs}
    return [objection for objection in objections(context.base, line, context.advice.answers.facts)
            if objection.rule not in bugs]
