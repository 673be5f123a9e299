"""What nfsmount.conf gives to the mounts of a client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.judge import judge
from advisor.readers import mounts
from advisor.readers.source import parse_source

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.lint.rule_index import RuleIndex
    from advisor.options.reading import Setting

KIND = "nfsmount.conf"


class Preset(NamedTuple):
    """What one section sets; `server` and `target`: whose mounts it is about, "" for all."""

    server: str
    target: str
    settings: Mapping[str, Setting]


def presets(index: RuleIndex, texts: Sequence[HostText]) -> list[Preset]:
    """The sections of nfsmount.conf and of the files in its .d, in the order in which they are read."""
    return [
        Preset(parse_source(one.source.value).host.lower(), one.target.value, {
            name: found for name, found in judge(index, one, text.name)[1].items() if name.startswith("mount.")
        })
        for text in texts for one in mounts.read(KIND, text.text, text.name).mounts
    ]


def given_by(presets: Sequence[Preset], server: str, target: str) -> dict[str, Setting]:
    """What these sections give to a mount: the section of its mount point goes before that of its server, and that
    before the one for all."""
    fitting = [one for one in presets if one.server in ("", server.lower()) and one.target in ("", target)]
    fitting.sort(key=lambda one: (bool(one.target), bool(one.server)))
    return {name: found for one in fitting for name, found in one.settings.items()}
