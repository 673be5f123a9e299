"""The files of a plan: new and original texts, the scripts, and the steps to read first."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.install.model import Artefact, for_people
from advisor.install.templating import render
from advisor.lint.fix_write import unified
from advisor.pages.blocks import Document, code, dim, text
from advisor.pages.escape import visible
from advisor.pages.markdown import markdown

if TYPE_CHECKING:
    from advisor.install.host_changes import EditedFile
    from advisor.install.host_plan import CheckedFiles, Plan
    from advisor.lint.finding import Finding

_BY_HAND = "What you unmounted, mounted or restarted yourself stays so until you undo it."
_MODULES = "A parameter that a module reads only when it is loaded changes back with the next reboot."
_EXPORTS = "What exportfs -a exported for the first time stays exported: exportfs -u withdraws it."


def artefacts(host: CheckedFiles, plan: Plan) -> list[Artefact]:
    """All files; the scripts and STEPS.md come last."""
    made = [*_edits(plan.edits), *plan.new.files]
    diff = "".join(_diff(plan.edits))
    if diff:
        made.append(Artefact("changes.diff", diff, "The changes of existing files"))
    head = [f"Made by advisor {__version__} from the rule base {host.base.hash}, for {_host_text(host)}."]
    back = [*plan.new.files][::-1]
    made += [
        _script("apply", "Applies all changes", [*head, "Undo it with undo.sh."], edits=[
            {"written": _new(edit), "found": _old(edit), "place": edit.file.path} for edit in plan.edits
        ], steps=[
            *(f"put {shlex.quote(_new(edit))} {shlex.quote(edit.file.path)}" for edit in plan.edits),
            *_commands(step for file in plan.new.files for step in file.apply), *plan.runs,
            *(change.apply for change in plan.changes),
        ], by_hand=plan.by_hand),
        _script("look", "Shows whether the changes are in effect", head,
                steps=_commands(step for file in plan.new.files for step in file.verify),
                values=[(change.place, change.value) for change in plan.changes]),
        _script("undo", "Restores the original state", head, steps=[
            *_commands(step for file in back for step in file.undo),
            *(f"put_back {shlex.quote(_new(edit))} {shlex.quote(_old(edit))} {shlex.quote(edit.file.path)}"
              for edit in plan.edits),
            *plan.runs, *(change.undo for change in plan.changes),
        ], by_hand=_not_undone(plan)),
    ]
    return [*made, Artefact("STEPS.md", _steps_page(plan, head), "What to do, in which order, and what remains")]


def _script(name: str, title: str, head: list[str], **values: object) -> Artefact:
    return Artefact(f"{name}.sh", render(f"host-{name}", head=[f"{title}.", *head], **values), title, mode=0o755)


def _commands(steps: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(step for step in steps if not for_people(step)))


def _not_undone(plan: Plan) -> list[str]:
    """Sentences on what undo.sh does not undo, and on what to do about it."""
    by_hand = (step for file in plan.new.files for step in file.undo if for_people(step))
    lines = list(dict.fromkeys(map(visible, by_hand)))
    lines += [_BY_HAND] * bool(plan.by_hand)
    lines += [_MODULES] * any(change.tunable.startswith("module.") for change in plan.changes)
    return lines + [_EXPORTS] * ("exportfs -a" in plan.runs)


def _edits(edits: Iterable[EditedFile]) -> Iterator[Artefact]:
    for edit in edits:
        yield Artefact(_new(edit), edit.text, "The new text", edit.file.path)
        yield Artefact(_old(edit), edit.file.text, "The original text")


def _new(edit: EditedFile) -> str:
    return f"files{edit.file.path}"


def _old(edit: EditedFile) -> str:
    return f"found{edit.file.path}"


def _diff(edits: Iterable[EditedFile]) -> Iterator[str]:
    for edit in edits:
        name = visible(edit.file.path)
        if edit.file.text.count("\n") == edit.text.count("\n"):
            yield from unified(name, edit.file.text, edit.text)
        else:  # a file that advisor wrote earlier is replaced
            old, new = (text.rstrip("\n").split("\n") for text in (edit.file.text, edit.text))
            yield f"--- {name}\n+++ {name}\n@@ -1,{len(old)} +1,{len(new)} @@\n"
            yield from (f"-{line}\n" for line in old)
            yield from (f"+{line}\n" for line in new)


def _host_text(host: CheckedFiles) -> str:
    return "this host" if host.tree.live else f"the host of {visible(host.tree.root)}"


def _steps_page(plan: Plan, head: list[str]) -> str:
    page = Document()
    page.heading("Repair of this host", 1)
    page.para(head[0])
    page.heading("In this order")
    page.item(text("Read ", code("changes.diff"), " and the new files; nothing has been done to the host yet."))
    page.item(text("As root: ", code("sh apply.sh"), ". It stops if a file was changed since it was read."))
    for step in plan.by_hand:
        page.item(text("By hand: ", step))
    page.item(text(code("sh look.sh"), " shows what is in effect afterwards."))
    page.item(text("To go back: ", code("sh undo.sh"), "."))
    rows = [(code(edit.file.path), code(_new(edit)), code(_old(edit))) for edit in plan.edits]
    rows += [(code(file.install), code(file.path), dim("not there")) for file in plan.new.files]
    if rows:
        page.heading("Files")
        page.table(("on the host", "to be", "was"), rows)
    if plan.changes:
        page.heading("Values that are set at once")
        page.table(("setting", "apply", "undo"), ((code(c.tunable), code(c.apply), code(c.undo)) for c in plan.changes))
    if plan.left or plan.new.left:
        page.heading("Not written: decide for yourself")
    for finding in plan.left:
        page.item(_finding_text(finding))
    for sentence in plan.new.left:
        page.item(visible(sentence))
    stays = _not_undone(plan)
    if stays:
        page.heading("What undo.sh does not undo")
    for sentence in stays:
        page.item(sentence)
    return markdown(page.blocks)


def _finding_text(finding: Finding) -> str:
    change = " --unsafe-fixes makes this change." if finding.fix is not None and finding.fix.safety == "unsafe" else ""
    stop = "" if finding.message.endswith((".", "?")) else "."
    return visible(f"{finding.file}:{finding.line}: {finding.message}{stop} {finding.remedy}{change}")
