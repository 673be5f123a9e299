"""What servers answered to a host when it asked them (advisor probe), as its files keep it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from advisor.check.host import UnseenFile, paths_like
from advisor.engine.errors import word_list
from advisor.host.bundle import BundleTree
from advisor.host.tree import Unread
from advisor.probe.evidence import asked_for
from advisor.probe.result import ProbeFileError, from_text
from advisor.rulebase.values import NFS_VERSIONS
from advisor.sections import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from advisor.check.host import WholeHost
    from advisor.host.tree import Tree
    from advisor.probe.evidence import ServerAsked
    from advisor.probe.result import Probed
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value

FOLDER = "/var/lib/nfs-advisor/probes"
"""Where a host keeps them, a file each."""
_LIMITS = {"mount.rsize": "probe.maxread", "mount.wsize": "probe.maxwrite"}


def kept(tree: Tree) -> Iterator[tuple[str, Probed | UnseenFile]]:
    """The path of each file, and the answers in it, or why they are not used."""
    today = tree.bundle.made if isinstance(tree, BundleTree) and tree.bundle.made else time.strftime("%Y-%m-%d")
    for path in paths_like(tree, f"{FOLDER}/*.json"):
        try:
            probed = from_text(tree.text(path))
            old = f"asked on {probed.at[:10]}, which is too long ago" if probed.until < today[:10] else ""
        except (Unread, ProbeFileError) as error:
            old = str(error)
        yield path, UnseenFile("answers of servers", path, old, there=True) if old else probed


def asked_by(base: RuleBase, tree: Tree) -> list[ServerAsked]:
    """What the files of a host keep; of one export the latest."""
    found = [asked_for(base, probed, path) for path, probed in kept(tree) if not isinstance(probed, UnseenFile)]
    return [*{each.source: each for each in sorted(found, key=lambda each: each.day)}.values()]


def answer_for(base: RuleBase, answers: Sequence[ServerAsked], server: str, export: str) -> ServerAsked | None:
    """The latest answer about an export; else the latest of its server, with what holds for all exports."""
    host, path = normalized("server", server), normalized("export", export)
    own = [each for each in answers if normalized("server", each.server) == host]
    exact = [each for each in own if normalized("export", each.export) == path]
    if exact or not own:
        return exact[-1] if exact else None
    named = {**base.facts, **base.observations}
    wide = {name: value for name, value in own[-1].known.items() if named[name].scope == "server"}
    return own[-1]._replace(reply="", known=wide)


def beside_mount(
    asked: ServerAsked, settings: Mapping[str, Value], version: str, flavours: Sequence[str]
) -> tuple[dict[str, Value], dict[str, str]]:
    """What a server answered, beside a mount of it: `sides.asked…`, as checks name them, and words for messages.
    `version`, `flavours`: those in use or asked for, "" and none for any."""
    def told(name: str) -> Value:
        value = asked.known.get(name)
        return None if isinstance(value, list) else value

    offered = {each: told(f"probe.v{each.replace('.', '')}") for each in (*NFS_VERSIONS, "4")}
    accepted = asked.known.get("mount.sec", [])
    accepted = [*map(str, accepted)] if isinstance(accepted, list) else [str(accepted)]
    found: dict[str, Value] = {
        "sides.asked": asked.reply or None, "sides.asked_slots": told("probe.slots"),
        "sides.asked_access": "rw" if told("probe.may_write") else "ro" if told("probe.mode_lets_write") and (
            told("probe.may_write") is False) else None,
        "sides.asked_version": None if offered.get(version) is None else "on" if offered[version] else "off",
        "sides.asked_flavour": "refused" if flavours and accepted and not {*flavours} & {*accepted} else None,
    }
    for size, limit in _LIMITS.items():
        wanted, most = settings.get(size), told(limit)
        if isinstance(wanted, int) and isinstance(most, int) and wanted > most:
            found[f"sides.asked_{size.partition('.')[2]}"] = most
    words = {
        "said": asked.says, "day": asked.day, "told_flavours": word_list(accepted, "and"),
        "told_versions": word_list([each for each in NFS_VERSIONS if offered[each]], "and") or "none",
        "told_read": str(told("probe.maxread")), "told_write": str(told("probe.maxwrite")),
        "told_slots": str(told("probe.slots")),
    }
    return {name: value for name, value in found.items() if value is not None}, words


def take(host: WholeHost) -> None:
    """Give a host what its files keep; what of them is not used is unseen."""
    host.asked += asked_by(host.base, host.tree)
    host.collected.unseen.extend(unused for _, unused in kept(host.tree) if isinstance(unused, UnseenFile))
