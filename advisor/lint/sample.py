"""Examples of checks: a text of one kind of file under the name that YAML has for it."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.rulebase.model import CheckExample

KINDS = {
    "fstab": "fstab", "exports": "exports", "autofs": "autofs", "unit": "systemd-mount", "kubernetes": "kubernetes",
    "nfsmount": "nfsmount.conf",
}
"""Name in an example → kind of file (advisor.readers.kinds)."""


def sample(example: CheckExample) -> tuple[str, str]:
    """The kind and the text of an example."""
    if example.kind is not None:
        return example.kind, f"{example.text}\n"
    if example.host is not None:
        return "host", _files(example.host)
    if example.server is not None:
        client = "client" if example.clients == 1 else f"{example.clients} clients like this one"
        hosts = {"server": example.server, client: example.client, "other": example.other}
        return "hosts", "\n".join(f"{name}\n{_files(files)}" for name, files in hosts.items() if files is not None)
    name = next(name for name in KINDS if getattr(example, name) is not None)
    return KINDS[name], str(getattr(example, name))


def _files(host: Mapping[str, str]) -> str:
    return "\n".join(f"{path}:\n{text}" for path, text in host.items())
