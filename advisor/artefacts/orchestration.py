"""An Ansible playbook, and manifests of Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.advice.citations import citations
from advisor.artefacts.context import FileContext, wrapped
from advisor.artefacts.host_files import sysctls
from advisor.artefacts.model import Artefact
from advisor.artefacts.templating import render

_COPIED = ("modprobe", "nfs-conf", "udev", "exports")
"""Files of files.yaml that are copied as they are."""


def ansible(context: FileContext, made: Iterable[Artefact]) -> Iterator[Artefact]:
    """The playbook; none where there is nothing to install."""
    paths = {context.data["files"][file]["path"]: file for file in _COPIED}
    copied = [one for one in made if one.path in paths]
    settings = sysctls(context)
    if not (copied or settings or context.mounted):
        return
    text = render(
        "ansible", head=context.head_of("ansible"), c=context, copied=copied, settings=settings,
        hosts="nfs_servers" if context.is_server else "nfs_clients",
        sysctl_file=context.data["files"]["sysctl"]["install"],
    )
    yield context.artefact("ansible", text)


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
        "kubernetes", head=context.head_of("kubernetes"), c=context,
        settings=[context.about(one) for one in options], options=[one.text for one in options],
        server=context.server.strip(_ADDRESS_BRACKETS), read_only=read_only, capacity=capacity, note=_note(context),
    )
    yield context.artefact("kubernetes", text)


def _note(context: FileContext) -> list[str]:
    if _OPTIONS not in context.base.claims:
        return []
    cite = citations(context.base, [_OPTIONS])[0]
    return wrapped(f"{cite.says} [{cite.claim}] {cite.title}, {cite.at}, {cite.address}")
