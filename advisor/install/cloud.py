"""What a new machine in a cloud starts with: user data for cloud-init, and Terraform for storage that clouds offer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.advice.mount_line import escape_field
from advisor.install.context import FileContext
from advisor.install.model import Artefact
from advisor.install.scripts import installed, mount_point, values
from advisor.install.templating import render


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
        parameters=[parameter for parameter in values(host) if parameter.place.startswith("/sys/module/")],
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
