"""`advisor facts --bundle FILE`: what is read of a host, to be judged elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from advisor import __version__, atomic
from advisor.check.recording import recorded
from advisor.cli.common import CannotRun
from advisor.document.escape import visible
from advisor.render.facts import MadeBy, bundle
from advisor.render.phrases import counted

if TYPE_CHECKING:
    from advisor.check.facts import HostFacts
    from advisor.host.tree import Tree
    from advisor.render.facts import FoundOnHost
    from advisor.rulebase.model import RuleBase


def write(base: RuleBase, tree: Tree, file: str, gathered: Callable[[HostFacts], FoundOnHost]) -> None:
    """Write the bundle of a host to a file, packed if its name ends with .gz; "-" is the standard output. CannotRun."""
    found = recorded(base, tree)
    layout = tree.layout
    made = MadeBy(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), __version__)
    done = bundle(found, gathered(found.seen), made, "" if layout is None else layout.id, tree.runs)
    _say_left_out(done.left_out)
    if file == "-":
        sys.stdout.write(done.line)
        return
    content = done.line.encode("ascii")
    if file.endswith(".gz"):
        import gzip

        content = gzip.compress(content, mtime=0)
    try:
        atomic.save(file, content, 0o600)
    except (atomic.WriteError, OSError) as error:
        raise CannotRun(f"--bundle {error}") from None
    gone = found.redacted
    without = f"{counted(gone.secrets, 'secret')} and {counted(gone.comments, 'comment')} taken out"
    holds = f"{found.node or 'a host without a name'}, {counted(len(found.answers.files), 'file')}, {without}"
    print(visible(f"{file}: {holds}"))


def _say_left_out(left_out: Mapping[str, int]) -> None:
    if left_out:
        names = ", ".join(f"{path} ({size >> 10} KiB)" for path, size in left_out.items())
        print(visible(f"advisor: a bundle has at most 64 KiB, so this was left out: {names}"), file=sys.stderr)
