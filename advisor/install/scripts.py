"""What applies the settings: scripts that install the files, verify what is in effect and restore the earlier state;
the files that mount on a client; and an Ansible role, manifests of Kubernetes, user data for cloud-init, benchmark
jobs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from advisor.advice.answers import FSTAB
from advisor.advice.rows import by_hand, form_elsewhere, fstab_line
from advisor.advice.verdict import naming, unnamed, verdict
from advisor.engine import word_list
from advisor.files.libmount import escaped
from advisor.files.units import plain_path
from advisor.install.context import (
    Artefact,
    FileContext,
    Unwritable,
    data,
    exports,
    fio,
    for_people,
    render,
    simplified,
    unit_name,
    wrapped,
)
from advisor.install.host_files import modules, nfs_conf, reads_folder, sysctls, threads_line
from advisor.pages.wording import value_in_words
from advisor.regex import regex
from advisor.rulebase.citations import citations
from advisor.rulebase.model import Recipe, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_HOW = (
    "As root, sh apply.sh installs these files and puts their settings into effect{}; "
    "sh verify.sh shows what is not in effect; sh revert.sh restores what was there. They name what is left to do."
)
_EXPORTFS = "exportfs"
_WORD = regex(r"[^;, ]+")
"""The option in what a check shows; words about it may follow."""
_COMMAND = regex(r"[a-z]+(?: [a-z-]+)+")
"""A check that a script can make, not a sentence."""
_TABLE = str.maketrans({char: f"\\{ord(char):03o}" for char in " \t\n\\"})
"""How the kernel's table of mounts writes a mount point."""


class MountPoint(NamedTuple):
    """A mount. `line`: of fstab; `field`: the mount point in it; `at`: the same in the kernel's table; `unit`: its
    systemd unit, "" without one; `helper`: the program that mounts it; `source`: what the table shows, "" if the
    helper decides; `shows`: options that the table shows, `lacks`: beginnings of those that it does not show."""

    line: str
    field: str
    at: str
    target: str
    unit: str
    helper: str
    source: str
    shows: tuple[str, ...]
    lacks: tuple[str, ...]


class InstalledFile(NamedTuple):
    """`here`: below the folder; `place`: on the host; `lines`: without comments; `after`: what puts them into
    effect."""

    here: str
    place: str
    lines: tuple[str, ...]
    after: tuple[str, ...]


def scripts(contexts: Sequence[FileContext], host: FileContext, made: Sequence[Artefact]) -> Iterator[Artefact]:
    """The scripts; nothing if no file of `made` is for them. Arguments as `orchestration.ansible` has them."""
    copied = [*installed(host, made)]
    there = {artefact.path for artefact in made}
    mounts = [mount_point(context) for context in contexts] if host.data["files"]["fstab"]["path"] in there else []
    if not (copied or mounts):
        return
    after = [step for file in copied for step in file.after]
    values_of = {
        "files": copied, "values": [*modules(host), *sysctls(host)],
        "mounts": [mount for mount in mounts if mount.target.strip("/")],
        "looks": [{**line.row.steps._asdict(), "name": line.row.tunable.removeprefix("nfs.conf.")}
                  for ours in nfs_conf(host).values() for line in ours] + [
            {**row.steps._asdict(), "name": row.tunable, "shows": _words([row.steps.shows])[0]}
            for row in host.settled("service") if _COMMAND.fullmatch(row.steps.verify) and row.steps.shows
        ],
        "exports": [exports(host.export)] if host.data["files"]["exports"]["path"] in there else [],
        # The file of exports, the path as it writes it, and the exports as exportfs -u names them.
        "withdrawn": [word for file in copied if file.here == host.data["files"]["exports"]["path"]
                      for word in (file.place, exports(host.export), *host.exported)],
        "exported": [row.steps.shows for row in host.advice.advised if row.kind == "export-option" and row.steps.shows],
        "after": [step for step in dict.fromkeys(after) if not for_people(step)],
        "by_hand": [*dict.fromkeys((*_by_hand(contexts, host, made), *filter(for_people, after)))],
        "needs": {program: _package(host, program)
                  for program in (*(word for mount in mounts for word in ("awk", mount.helper)),
                                  *[_EXPORTFS] * any(step.startswith(_EXPORTFS) for step in after))}
                 | {need["program"]: need["package"] for need in before_mount([host, *contexts]) if "package" in need},
        "first": before_mount(contexts),
        "state": host.data["state"],
    }
    of_names = bool(mounts or values_of["exports"])
    values_of["failing"] = failing(contexts)
    values_of["unnamed"] = naming(unnamed(context.advice for context in contexts if of_names))
    host.remarks.append(_HOW.format(", and mounts the lines of fstab" if values_of["mounts"] else ""))
    for name in ("apply-script", "verify-script", "revert-script"):
        yield host.rendered(name, values_of, mode=0o755)


def failing(contexts: Sequence[FileContext]) -> str:
    """Why these files must not be installed; "" if nothing will certainly fail."""
    found = verdict(contexts[0].base, [context.advice for context in contexts])
    return found.reasons[0] if found.state == "will-fail" else ""


def before_mount(contexts: Iterable[FileContext]) -> list[dict[str, str]]:
    """What the advised settings need before anything mounts, as files.yaml has it."""
    advised = {row.tunable for context in contexts for row in context.settled("identity")}
    return [need for setting, need in data()["before_mount"].items() if setting in advised]


def _package(host: FileContext, program: str) -> str:
    """The package that has the program, or those that do if the distribution is not known."""
    side = "server" if program == _EXPORTFS else "client"
    of_helper: dict[str, str] = host.data["helpers"].get(program.removeprefix("mount."), host.data["packages"][side])
    known = of_helper.get(str(host.known(f"{side}.distro")))
    names = [known] if known else sorted({*of_helper.values()})
    return "the package that has it" if program == "awk" else word_list(names, "or")


def installed(host: FileContext, made: Iterable[Artefact]) -> Iterator[InstalledFile]:
    """The files of `made` that are copied to where they belong, in the order in which they count."""
    by_path = {artefact.path: artefact for artefact in made}
    for file, kind in host.data["scripted"].items():
        artefact = by_path.get(host.data["files"][file]["path"])
        if artefact is not None:
            yield InstalledFile(artefact.path, artefact.install, artefact.lines, tuple(_after(host, kind)))


def _after(host: FileContext, kind: str) -> list[str]:
    steps: list[str] = host.data["edited"].get(kind, [])
    if kind != "nfs.conf":
        return steps
    if not {"nfsd", "mountd"} & nfs_conf(host).keys():
        return []
    return [": ".join(host.data["restart_cluster"])] if host.settled("cluster") else steps


def _by_hand(contexts: Iterable[FileContext], host: FileContext, made: Iterable[Artefact]) -> Iterator[str]:
    """The steps of files that no script copies, and the settings that no file holds, or that data depend on."""
    there = {artefact.path: artefact for artefact in made}
    held: set[str] = set()
    group: list[str] = []
    for file in host.data["not_scripted"]:
        artefact = there.get(host.data["files"][file]["path"])
        if artefact is None:
            continue
        held.update(host.data["files"][file]["kinds"], re.findall(r"^# ([a-z_.]+): ", artefact.text, re.MULTILINE))
        if not group and artefact.path.startswith("cluster/"):
            group = [step for step in artefact.apply if not step.startswith("sh apply.sh")]
            yield from group
        else:
            yield f"{artefact.title} ({artefact.path}): see the report"
    for context in contexts:
        for row in by_hand(context.advice):
            grave = (row.strength, row.consequence) == ("must", "data-loss")
            apart = row.tunable in host.data["cluster_by_hand"]
            if (grave or apart or not held & {row.kind, row.tunable}) and f"({row.tunable})" not in " ".join(group):
                yield f"{row.title}: {value_in_words(row)} ({row.tunable}): see the report"
    fstab = host.data["files"]["fstab"]
    if host.at_root and any(artefact.path == fstab["path"] for artefact in made):
        yield from (step.format(here=fstab["path"]) for step in fstab["at_root"]["apply"])


def mount_point(context: FileContext) -> MountPoint:
    table = context.base.kinds["mount-option"].verify
    seen = [option.steps for option in context.mounted if option.steps.verify == table]
    try:
        unit = unit_name(context.target, "mount")
    except Unwritable:
        unit = ""
    at = plain_path(context.target) or context.target
    source = context.source.rstrip("/") if context.type in context.data["kernel_types"] else ""
    return MountPoint(
        fstab_line(context.advice), escaped(context.target), at.translate(_TABLE), context.target, unit,
        f"mount.{context.type}", source.translate(_TABLE), _words(steps.shows for steps in seen),
        _words(steps.lacks for steps in seen),
    )


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(match[0] for text in texts if (match := _WORD.match(text)))


def mounts(context: FileContext) -> Iterator[Artefact]:
    """Every way to mount it; the administrator chooses one. None on a server, where no option is settled, or where
    something other than the host mounts; for / only the line of fstab."""
    if not context.mounted or form_elsewhere(context.advice) is not None:
        return
    yield _fstab(context)
    if context.at_root:
        context.remarks.append(
            "No command, units or autofs maps: / is the root file system, which is mounted before they could be used."
        )
        return
    yield _made(context, "mount-command", mode=0o755, failing=failing([context]), first=before_mount([context]))
    if not context.any_known(context.data["units_unless"]):
        try:
            waits = not any(option.tunable in context.data["start_without"] for option in context.mounted)
            yield from [
                _made(context, file, where=simplified(context.target), waits=waits,
                      options=_portable(context, context.data["unit_too"]))
                for file in ("mount-unit", "automount-unit")
            ]
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


def _portable(context: FileContext, but: Iterable[str] = ()) -> str:
    return ",".join(option.text for option in context.portable(but))


def _made(context: FileContext, file: str, mode: int = 0o644, **values: object) -> Artefact:
    """The reasons are beside the line of fstab; the other ways to make the same mount give only what they rest on."""
    about: list[str] = []
    if context.data["files"][file]["kinds"]:
        about = context.reasons(context.mounted) if file == "fstab" else context.taken(context.mounted)
    return context.rendered(file, {"head": [*context.head_of(file), *about], **values}, mode=mode)


_FIELD = regex(r"\{([a-z-]+)\}")


def benchmarks(context: FileContext) -> Iterator[Artefact]:
    """A fio job file or a script for each recipe of the advice."""
    if context.is_server:
        return
    for row in context.advice.advised:
        recipe = context.base.recipes.get(str(row.value)) if row.kind == "benchmark" else None
        if recipe is not None:
            about = [*context.about(row), *_description(context, recipe)]
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
    directory = fio(context.target)
    jobs = []
    for run in recipe.runs:
        values = {**_defaults(recipe), **run, "directory": directory or ""}
        words = [_fill(word, values).removeprefix("--").partition("=") for word in recipe.command[1:]]
        pairs = [(key, value) for key, _, value in words if key != "directory" or directory]
        jobs.append((next(value for key, value in pairs if key == "name"), [p for p in pairs if p[0] != "name"]))
    path = f"benchmarks/{recipe.recipe}.fio"
    head = context.head(recipe.title, names=["target"])
    text = render("fio", head=head, about=about, jobs=jobs, directory=directory)
    first = "" if directory else f"cd {shlex.quote(context.target)}, then "
    return Artefact(path, text, f"Benchmark: {recipe.title}", apply=(f"{first}fio {path}",))


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


_ROLE = "roles/nfs_advice"


def ansible(contexts: Sequence[FileContext], host: FileContext, made: Iterable[Artefact]) -> Iterator[Artefact]:
    """The playbook and what is advised, as variables of the role; nothing if there is nothing to install, or if it will
    fail.

    `contexts`: one for each mount; `host`: what the settings of the whole host are taken from."""
    lines = {artefact.path: artefact.lines for artefact in made}
    udev, exports = (lines.get(host.data["files"][file]["path"], ()) for file in ("udev", "exports"))
    mounted = [context for context in contexts if context.mounted]
    kernel, parameters, sections = sysctls(host), modules(host), nfs_conf(host) if reads_folder(host) else {}
    threads, tuned = threads_line(host), next(iter(host.settled("tuned")), None)
    if not (kernel or parameters or sections or threads or udev or exports or mounted) or failing(contexts):
        return
    hosts = "nfs_servers" if host.is_server else "nfs_clients"
    yield host.rendered("ansible", {"hosts": hosts})
    names = ("export", "clients") if exports else ("server", "export", "target") if mounted else ()
    head = [*host.head(host.data["files"]["ansible-values"]["title"], names=names), *host.statements()]
    yield host.artefact("ansible-values", render(
        "ansible-values", head=head, sysctls=kernel, modules=parameters, sections=sections,
        udev=udev, exports=exports, threads=threads, tuned=tuned, about=host.about, clustered=host.settled("cluster"),
        server=host.is_server, first=before_mount([host, *contexts]),
        by_hand="" if sections or not nfs_conf(host) else host.data["files"]["nfs-conf-lines"]["path"],
        mount_now=not (before_mount(mounted) or any(context.at_root for context in mounted)),
        helpers=[  # the distribution as Ansible calls it, and its package with a program that mounts
            (distro.capitalize(), package) for kind in dict.fromkeys(context.type for context in mounted)
            for distro, package in host.data["helpers"].get(kind, {}).items()
        ],
        mounts=[(context, context.reasons(context.mounted)) for context in mounted],
    ))


@cache
def role() -> tuple[Artefact, ...]:
    """The parts of the role that are the same whatever is advised."""
    return tuple(_below(files("advisor.install").joinpath("role"), _ROLE))


def _below(folder: Traversable, path: str) -> Iterator[Artefact]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(entry, f"{path}/{entry.name}")
        else:
            yield Artefact(f"{path}/{entry.name}", entry.read_text(encoding="utf-8"), "Part of the role")


_OPTIONS = "kubernetes-pv.mount-options"


def kubernetes(context: FileContext) -> Iterator[Artefact]:
    """StorageClass, PersistentVolume and claim, where pods mount it."""
    if not context.mounted or not context.any_known(context.data["kubernetes_when"]):
        return
    if context.type not in context.data["kubernetes_types"]:
        return
    options, note = context.portable(), list[str]()
    if _OPTIONS in context.base.claims:
        cite = citations(context.base, [_OPTIONS])[0]
        note = wrapped(f"{cite.says} [{cite.claim}] {cite.title}, {cite.at}, {cite.address}")
    said = " ".join(str(row.value) for row in context.advice.part("set"))
    driver = next((name for name in context.data["kubernetes_drivers"] if name in said), "")
    yield context.rendered("kubernetes", {
        "head": [*context.head_of("kubernetes"), *context.reasons(options)], "note": note, "driver": driver,
        "options": [option.text for option in options], "server": context.server.strip("[]"),
        "read_only": context.known("mount.ro") is True, "capacity": context.known("storage.capacity_gib"),
    })


def cloud(contexts: Sequence[FileContext], host: FileContext, made: Sequence[Artefact]) -> Iterator[Artefact]:
    """The files; none for a cluster, which needs its nodes first, for /, which is mounted before cloud-init runs, and
    if the advice will fail.

    Arguments as `scripts.scripts` has them."""
    if host.settled("cluster") or any(context.at_root for context in contexts):
        return
    copied = [*installed(host, made)]
    fstab = host.data["files"]["fstab"]["path"]
    mounts = [mount_point(context) for context in contexts] if any(artefact.path == fstab for artefact in made) else []
    if not (copied or mounts) or failing(contexts):
        return
    tuned = next((str(row.written) for row in host.settled("tuned")), "")
    packages, missing = _packages(contexts, host)
    there = {artefact.path: artefact.title for artefact in made}
    left = [file["path"] for name in host.data["not_scripted"] if (file := host.data["files"][name])["path"] in there]
    text = render(
        "cloud-init", head=host.head_of("cloud-init"), files=copied, mounts=mounts, tuned=tuned,
        packages=[*packages, *(["tuned"] if tuned else [])], missing=missing, first=before_mount(contexts),
        left=[f"{path}: {there[path]}" for path in left], server=host.is_server, export=host.export,
        parameters=modules(host),
        sysctl=host.data["files"]["sysctl"], exported=any(file.place.endswith(".exports") for file in copied),
    )
    yield host.artefact("cloud-init", text)
    if len(mounts) == 1:
        yield from _terraform(contexts[0], text)


def _packages(contexts: Sequence[FileContext], host: FileContext) -> tuple[list[str], list[str]]:
    """What is installed, and what is left to a person: programs that mount, packages by distribution."""
    distro = str(host.known("server.distro" if host.is_server else "client.distro"))
    by_distro: dict[str, str] = host.data["packages"]["server" if host.is_server else "client"]
    packages = [by_distro[distro]] if distro in by_distro else []
    missing = [] if packages else [f"{package} ({name})" for name, package in by_distro.items()]
    for kind in dict.fromkeys(context.type for context in contexts if context.mounted):
        if kind in host.data["kernel_types"]:
            continue
        package = host.data["helpers"].get(kind, {}).get(distro)
        packages += [package] if package else []
        missing += [] if package else [f"the package with mount.{kind}, as its maker says"]
    return [*packages, *(need["package"] for need in before_mount([host, *contexts]) if "package" in need)], missing


def _terraform(context: FileContext, user_data: str) -> Iterator[Artefact]:
    """The resources, and the user data with the address of the storage left open."""
    template = context.data["terraform"].get(context.known("storage.platform"))
    texts = (user_data, escaped(context.source))
    literal, source = (text.replace("${", "$${").replace("%{", "%%{") for text in texts)
    if template is None or f"={source} " not in literal.replace("='", "="):
        return
    version = context.advice.find("mount.vers")
    head = context.head_of("terraform")
    protocol = "NFSv3" if version is not None and str(version.written) == "3" else "NFSv4.1"
    yield context.artefact("terraform", render(
        template, head=head, protocol=protocol, encrypted=context.any_known(context.data["terraform_tls"]),
    ))
    yield context.artefact("terraform-user-data", literal.replace(source, "${source}"))
