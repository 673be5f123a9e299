"""Manifests for Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.advice.citing import citations
from advisor.artefacts.context import FileContext, wrapped
from advisor.artefacts.model import Artefact
from advisor.artefacts.templating import render

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
