"""Files of one mount on a client: fstab, a command, systemd units, autofs maps; and jobs of the benchmarks that fit its
workload (kb/recipes)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping

from advisor.advice.answers import FSTAB
from advisor.advice.arguments import citations
from advisor.advice.mount_line import fstab_line
from advisor.install import templating
from advisor.install.context import Artefact, FileContext, wrapped
from advisor.install.templating import Unwritable, render, simplified
from advisor.rulebase.model import Recipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value


def mounts(context: FileContext) -> Iterator[Artefact]:
    """Every way to mount it; the administrator chooses one. None on a server, where no option is settled, or where
    something other than the host mounts; for / only the line of fstab."""
    if not context.mounted or context.any_known(context.data["mounted_elsewhere"]):
        return
    yield _fstab(context)
    if context.at_root:
        context.remarks.append(
            "No command, units or autofs maps: / is the root file system, which is mounted before they could be used."
        )
        return
    yield _made(context, "mount-command", mode=0o755)
    if not context.any_known(context.data["units_unless"]):
        try:
            yield from _units(context)
        except Unwritable as reason:  # the other files can hold the name, and say nothing less
            context.remarks.append(f"No systemd units: {reason}.")
    for file in ("autofs-master", "autofs-map"):
        yield _made(context, file, options=_portable(context))


def _fstab(context: FileContext) -> Artefact:
    """The lines for fstab. What to do with them depends on the line for the mount point that was there before."""
    made = _made(context, "fstab", line=fstab_line(context.advice))
    known = context.advice.answers.before.get(FSTAB)
    if known is None or context.at_root:
        return made
    wording = context.data["files"]["fstab"]["absent" if known.value is None else "seen"]
    names = {"here": made.path, "target": shlex.quote(context.target), "old": known.value, "where": known.where}
    apply, undo = (tuple(step.format_map(names) for step in wording[word]) for word in ("apply", "undo"))
    return made._replace(apply=apply, undo=undo)


def _units(context: FileContext) -> tuple[Artefact, ...]:
    waits = not any(option.tunable in context.data["start_without"] for option in context.mounted)
    options = _portable(context, context.data["unit_too"])
    return tuple(
        _made(context, file, where=simplified(context.target), options=options, waits=waits)
        for file in ("mount-unit", "automount-unit")
    )


def _portable(context: FileContext, but: Iterable[str] = ()) -> str:
    return ",".join(option.text for option in context.portable(but))


def _made(context: FileContext, file: str, mode: int = 0o644, **values: object) -> Artefact:
    """The reasons are beside the line of fstab; the other ways to make the same mount give only what they rest on."""
    about: list[str] = []
    if context.data["files"][file]["kinds"]:
        about = context.reasons(context.mounted) if file == "fstab" else context.taken(context.mounted)
    return context.rendered(file, {"head": [*context.head_of(file), *about], **values}, mode=mode)


_FIELD = re.compile(r"\{([a-z-]+)\}")


def benchmarks(context: FileContext) -> Iterator[Artefact]:
    """A fio job file or a script for each recipe of the advice."""
    if context.is_server:
        return
    for recommendation in context.advice.advised:
        recipe = context.base.recipes.get(str(recommendation.value)) if recommendation.kind == "benchmark" else None
        if recipe is not None:
            about = [*context.about(recommendation), *_description(context, recipe)]
            yield _fio(context, recipe, about) if recipe.tool == "fio" else _script(context, recipe, about)


def _description(context: FileContext, recipe: Recipe) -> list[str]:
    lines = []
    for word in ("measures", "caution", "needs", "note"):
        if text := getattr(recipe, word):
            lines += wrapped(f"{word.capitalize()}: {text}")
    for cite in citations(context.base, recipe.cites):
        lines += wrapped(f"[{cite.claim}] {cite.title}, {cite.at}{f', {cite.address}' if cite.address else ''}", "  ")
    return lines


def _fio(context: FileContext, recipe: Recipe, about: list[str]) -> Artefact:
    """The words of the command line, as a job each. The directory is left out where fio has no way to write it."""
    directory = templating.fio(context.target)
    jobs = []
    for run in recipe.runs:
        values = {**_defaults(recipe), **run, "directory": directory or ""}
        words = [_fill(word, values).removeprefix("--").partition("=") for word in recipe.command[1:]]
        pairs = [(key, value) for key, _, value in words if key != "directory" or directory]
        jobs.append((next(value for key, value in pairs if key == "name"), [p for p in pairs if p[0] != "name"]))
    path = f"benchmarks/{recipe.recipe}.fio"
    head = context.head(recipe.title, names=["target"])
    text = render("fio", head=head, about=about, jobs=jobs, directory=directory)
    return Artefact(path, text, f"Benchmark: {recipe.title}", apply=(_run(context, f"fio {path}", directory),))


def _run(context: FileContext, command: str, directory: str | None) -> str:
    return command if directory else f"cd {shlex.quote(context.target)}, then {command}"


def _script(context: FileContext, recipe: Recipe, about: list[str]) -> Artefact:
    """Commands for a shell; what only the administrator knows (a host file) is its first argument."""
    asked = [parameter.name for parameter in recipe.parameters
             if parameter.default is None and parameter.name != "directory"]
    says = {parameter.name: parameter.says for parameter in recipe.parameters}
    commands = []
    for run in recipe.runs:
        values = {**_defaults(recipe), **run, "directory": context.target}
        commands.append(" ".join(_word(word, values, asked) for word in recipe.command))
    path = f"benchmarks/{recipe.recipe}.sh"
    usage = " ".join(name.upper() for name in asked)
    text = render(
        "benchmark-script", head=context.head(recipe.title, names=["target"]), about=about, commands=commands,
        asked=[(name, says[name]) for name in asked],
    )
    return Artefact(path, text, f"Benchmark: {recipe.title}", apply=(f"sh {path} {usage}".rstrip(),), mode=0o755)


def _defaults(recipe: Recipe) -> dict[str, Value]:
    return {parameter.name: parameter.default for parameter in recipe.parameters if parameter.default is not None}


def _fill(word: str, values: Mapping[str, Value]) -> str:
    return _FIELD.sub(lambda match: str(values[match[1]]), word)


def _word(word: str, values: Mapping[str, Value], asked: list[str]) -> str:
    match = _FIELD.fullmatch(word)
    return f'"${match[1]}"' if match and match[1] in asked else shlex.quote(_fill(word, values))
