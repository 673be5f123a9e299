"""What servers answered to a host when it asked them (advisor probe), as its files keep it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from advisor.check.host import UnseenFile, paths_like
from advisor.host.bundle import BundleTree
from advisor.host.tree import Unread
from advisor.probe.evidence import asked_for
from advisor.probe.result import ProbeFileError, from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.check.host import WholeHost
    from advisor.host.tree import Tree
    from advisor.probe.evidence import ServerAsked
    from advisor.probe.result import Probed
    from advisor.rulebase.model import RuleBase

FOLDER = "/var/lib/nfs-advisor/probes"
"""Where a host keeps them, a file each."""


def kept(tree: Tree) -> Iterator[tuple[str, Probed | UnseenFile]]:
    """The path of each file, and the answers in it, or why they are not used."""
    today = tree.bundle.made if isinstance(tree, BundleTree) and tree.bundle.made else time.strftime("%Y-%m-%d")
    for path in paths_like(tree, f"{FOLDER}/*.json"):
        try:
            probed = from_text(tree.text(path), path)
            old = f"asked on {probed.at[:10]}, which is too long ago" if probed.until < today[:10] else ""
        except (Unread, ProbeFileError) as error:
            old = str(error)
        yield path, UnseenFile("answers of servers", path, old, there=True) if old else probed


def asked_by(base: RuleBase, tree: Tree) -> list[ServerAsked]:
    """What the files of a host keep; of one export the latest."""
    found = [asked_for(base, probed, path) for path, probed in kept(tree) if not isinstance(probed, UnseenFile)]
    latest = sorted((each for each in found if each), key=lambda each: each.day)
    return [*{each.source: each for each in latest}.values()]


def take(host: WholeHost) -> None:
    """Give a host what its files keep; what of them is not used is unseen."""
    host.asked += asked_by(host.base, host.tree)
    host.collected.unseen.extend(unused for _, unused in kept(host.tree) if isinstance(unused, UnseenFile))
