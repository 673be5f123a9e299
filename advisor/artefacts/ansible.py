"""An Ansible playbook that installs the other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.artefacts.context import FileContext
from advisor.artefacts.model import Artefact
from advisor.artefacts.settings import sysctls
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
