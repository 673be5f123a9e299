"""What other programs apply: an Ansible role with its playbook, manifests of Kubernetes, user data for cloud-init, and
Terraform for storage that clouds offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from advisor.advice.arguments import citations
from advisor.advice.mount_line import escape_field
from advisor.install.context import Artefact, FileContext, wrapped
from advisor.install.host_files import modules, nfs_conf, sysctls, threads_line
from advisor.install.scripts import installed, mount_point
from advisor.install.templating import render

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


_ROLE = "roles/nfs_advice"


def ansible(contexts: Sequence[FileContext], host: FileContext, made: Iterable[Artefact]) -> Iterator[Artefact]:
    """The playbook and what is advised, as variables of the role; nothing if there is nothing to install.

    `contexts`: one for each mount; `host`: what the settings of the whole host are taken from."""
    lines = {artefact.path: artefact.lines for artefact in made}
    udev, exports = (lines.get(host.data["files"][file]["path"], ()) for file in ("udev", "exports"))
    mounted = [context for context in contexts if context.mounted]
    kernel, parameters, sections = sysctls(host), modules(host), nfs_conf(host)
    threads, tuned = threads_line(host), next(iter(host.settled("tuned")), None)
    if not (kernel or parameters or sections or threads or udev or exports or mounted):
        return
    hosts = "nfs_servers" if host.is_server else "nfs_clients"
    yield host.rendered("ansible", {"hosts": hosts})
    names = ("export", "clients") if exports else ("server", "export", "target") if mounted else ()
    head = host.head(host.data["files"]["ansible-values"]["title"], names=names)
    yield host.artefact("ansible-values", render(
        "ansible-values", head=head, sysctls=kernel, modules=parameters, sections=sections,
        udev=udev, exports=exports, threads=threads, tuned=tuned, about=host.about, clustered=host.settled("cluster"),
        server=host.is_server, mount_now=not any(context.at_root for context in mounted),
        helpers=_helpers(host, mounted),
        mounts=[(context, context.reasons(context.mounted)) for context in mounted],
    ))


def _helpers(host: FileContext, mounted: Iterable[FileContext]) -> list[tuple[str, str]]:
    """The distribution as Ansible calls it, and its package with a program that mounts."""
    helpers = [host.data["helpers"].get(kind, {}) for kind in dict.fromkeys(context.type for context in mounted)]
    return [(distro.capitalize(), package) for packages in helpers for distro, package in packages.items()]


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
_ADDRESS_BRACKETS = "[]"


def kubernetes(context: FileContext) -> Iterator[Artefact]:
    """StorageClass, PersistentVolume and claim, where pods mount it."""
    if not context.mounted or not context.any_known(context.data["kubernetes_when"]):
        return
    if context.type not in context.data["kubernetes_types"]:
        return
    options = context.portable()
    capacity = context.known("storage.capacity_gib")
    read_only = context.known("mount.ro") is True
    text = render(
        "kubernetes", head=[*context.head_of("kubernetes"), *context.reasons(options)], c=context,
        options=[option.text for option in options],
        server=context.server.strip(_ADDRESS_BRACKETS), read_only=read_only, capacity=capacity, note=_note(context),
    )
    yield context.artefact("kubernetes", text)


def _note(context: FileContext) -> list[str]:
    if _OPTIONS not in context.base.claims:
        return []
    cite = citations(context.base, [_OPTIONS])[0]
    return wrapped(f"{cite.says} [{cite.claim}] {cite.title}, {cite.at}, {cite.address}")


def cloud(contexts: Sequence[FileContext], host: FileContext, made: Sequence[Artefact]) -> Iterator[Artefact]:
    """The files; none for a cluster, which needs its nodes first, and for /, which is mounted before cloud-init runs.

    Arguments as `scripts.scripts` has them."""
    if host.settled("cluster") or any(context.at_root for context in contexts):
        return
    copied = [*installed(host, made)]
    fstab = host.data["files"]["fstab"]["path"]
    mounts = [mount_point(context) for context in contexts] if any(artefact.path == fstab for artefact in made) else []
    if not (copied or mounts):
        return
    tuned = next((str(recommendation.written) for recommendation in host.settled("tuned")), "")
    packages, missing = _packages(contexts, host)
    text = render(
        "cloud-init", head=host.head_of("cloud-init"), files=copied, mounts=mounts, tuned=tuned,
        packages=[*packages, *(["tuned"] if tuned else [])], missing=missing, server=host.is_server, export=host.export,
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
    return packages, missing


def _terraform(context: FileContext, user_data: str) -> Iterator[Artefact]:
    """The resources, and the user data with the address of the storage left open."""
    template = context.data["terraform"].get(context.known("storage.platform"))
    texts = (user_data, escape_field(context.source))
    literal, source = (text.replace("${", "$${").replace("%{", "%%{") for text in texts)
    if template is None or f"={source} " not in literal.replace("='", "="):
        return
    version = context.advice.find("mount.vers")
    head = context.head_of("terraform")
    protocol = "NFSv3" if version is not None and str(version.written) == "3" else "NFSv4.1"
    yield context.artefact("terraform", render(template, head=head, protocol=protocol))
    yield context.artefact("terraform-user-data", literal.replace(source, "${source}"))
