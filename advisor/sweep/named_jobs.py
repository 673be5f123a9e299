"""Jobs by name, out of the recipes of the rule base; and jobs out of a job file of fio."""

from __future__ import annotations

import re

from advisor import given
from advisor.rulebase.problems import either, near
from advisor.sweep import jobs as sweep_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model import Recipe
    from advisor.sweep.model import Job

_RUNNERS = ("directory", "name", "group_reporting", "thread", "stonewall", "description")
"""What the runner sets itself, or has no use for: a job file may hold it, and it is passed over."""
_TOOL = "fio"


class NoJob(Exception):
    """A job that is not known or cannot be used; the text says where, why and what to do."""


def of_recipe(recipes: Mapping[str, Recipe], name: str) -> dict[str, Job]:
    """The jobs of a recipe: one for each of its runs. Raises NoJob."""
    usable = sorted(one for one, recipe in recipes.items() if recipe.tool == _TOOL)
    recipe = recipes.get(name)
    if recipe is None or recipe.tool != _TOOL:
        raise NoJob(f"--job {name}: no job has this name; {near(name, usable, 'there are ' + either(usable, 'and'))}")
    usual = {one.name: str(one.default) for one in recipe.parameters if one.default is not None}
    found: dict[str, Job] = {}
    for run in recipe.runs or ({},):
        settings = {**usual, **{key: str(value) for key, value in run.items()}, "directory": "."}
        words = [re.sub(r"\{([\w-]+)\}", lambda hit: settings[hit[1]], word) for word in recipe.command]  # noqa: B023
        options = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
        title = options.get("name") or name
        job = {key: value or "1" for key, value in options.items() if key not in _RUNNERS}
        found[title] = _sized(job)
        _check(title, found[title], f"--job {name}")
    return found


def of_file(path: str) -> dict[str, Job]:
    """The jobs of a job file of fio, with what [global] says in each. Raises NoJob, with line and column."""
    try:
        lines = given.text(path).splitlines()
    except given.GivenError as error:
        raise NoJob(str(error)) from None
    shared: dict[str, str] = {}
    found: dict[str, dict[str, str]] = {}
    begun: dict[str, int] = {}
    part: dict[str, str] | None = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        at = f"{path}:{number}:{line.index(text) + 1}"
        if text.startswith("["):
            name = text[1:].partition("]")[0]
            if not text.endswith("]") or not name:
                raise NoJob(f"{at}: the name of a job ends with ]; write [name]")
            if name in found:
                raise NoJob(f"{at}: [{name}] is there already, in line {begun[name]}; give it another name")
            part = shared if name == "global" else found.setdefault(name, dict(shared))
            begun[name] = number
            continue
        if part is None:
            raise NoJob(f"{at}: {text}: stands before the first [job]; begin with [global] or the name of a job")
        key, _, value = (one.strip() for one in text.partition("="))
        if key in _RUNNERS:
            continue
        if key not in sweep_jobs.ALLOWED:
            known = f"a sweep takes {', '.join(sorted(sweep_jobs.ALLOWED))}"
            raise NoJob(f"{at}: {key}: a sweep does not pass this on to fio; {near(key, sweep_jobs.ALLOWED, known)}")
        if "$" in value:
            raise NoJob(f"{at}: {key}={value}: variables are not filled in; write the value itself")
        part[key] = value or "1"
    if not found:
        raise NoJob(f"{path}: holds no job; write [name] and below it what fio does")
    for name, job in found.items():
        found[name] = _sized(job)
        _check(name, found[name], f"{path}:{begun[name]}:1")
    return dict(found)


def _sized(job: dict[str, str]) -> dict[str, str]:
    """With the size of all files together, where the job says that of each."""
    if "size" not in job and "filesize" in job and job.get("nrfiles", "1").isdecimal():
        found = re.fullmatch(r"([0-9]{1,12})(\D*)", job["filesize"])
        if found:
            return {**job, "size": f"{int(found[1]) * int(job.get('nrfiles', '1')[:6])}{found[2]}"}
    return job


def _check(name: str, job: Job, where: str) -> None:
    try:
        sweep_jobs.check(name, job)
    except sweep_jobs.JobError as error:
        raise NoJob(f"{where}: {error}") from None
