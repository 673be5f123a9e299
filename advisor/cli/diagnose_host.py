"""Evidence of a host, or of a copy of its files: its facts, its configuration as `check` judges it, and its logs.

Nothing is executed."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from advisor.check.files import collect
from advisor.check.host import judge_files
from advisor.cli.host_facts import look, tree_of
from advisor.diagnose.configuration import PastedFinding
from advisor.diagnose.evidence import StatedFact
from advisor.diagnose.logs import read_log
from advisor.host.tree import Unread
from advisor.observe.live import kernel_log

if TYPE_CHECKING:
    from advisor.diagnose.evidence import Reader, TextEvidence
    from advisor.host.tree import Tree
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

_LOGS = ("/logs/dmesg", "/logs/journal", "/var/log/messages", "/var/log/syslog", "/var/log/kern.log")
"""As kb/layouts.yaml names what the commands print, and as the host has them."""
_LARGEST = 64 << 20
_KMSG = "/dev/kmsg"


def add_host(base: RuleBase, reader: Reader, found: TextEvidence, root: str | None) -> list[str]:
    """Add what the host tells; `root`: a copy, None for this one. Returns the logs that were read."""
    tree = tree_of(base, root)
    seen = look(base, tree)
    facts: dict[str, Values] = {name: one.value for name, one in seen.facts.items() if one.value is not None}
    found.read += [StatedFact(name, value, 0) for name, value in facts.items()]
    collected = collect(tree, list(base.host_files.values()))
    areas, _ = judge_files(base, collected.texts, lambda _name, _server: facts)
    for results in areas.values():
        for result in results:
            for one in result.findings:
                found.configuration.findings.append(PastedFinding(one, one.line, result.line(one.line)))
    names = []
    for name, text in _logs(tree):
        names.append(name)
        read_log(reader, BytesIO(text.encode("utf-8", "replace")).read, found)
    return names


def _logs(tree: Tree) -> Iterator[tuple[str, str]]:
    for path in _LOGS:
        try:
            log = tree.read(path, _LARGEST)
        except Unread:
            continue
        yield log.where, log.text
    if tree.live:
        text = "\n".join(kernel_log() or ())
        if text:
            yield _KMSG, text
