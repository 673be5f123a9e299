"""An Ansible role with its playbook, and manifests of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from advisor.advice.arguments import citations
from advisor.install.context import FileContext, wrapped
from advisor.install.host_files import modules, nfs_conf, sysctls, threads_line
from advisor.install.model import Artefact
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
