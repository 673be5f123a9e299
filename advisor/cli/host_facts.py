"""The files and facts of the host that a command is about: this one, or the copy that --root names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check.facts import HostFacts, facts_of
from advisor.cli.common import CannotRun
from advisor.host.tree import Tree, Unread

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


def look(
    base: RuleBase, root: str | Tree | None = None, given: Mapping[str, Values] | None = None, *, platform: bool = True,
    settings: bool = False,
) -> HostFacts:
    """As `facts_of`, of the host whose files are below `root` (None: this one). CannotRun: `root` cannot be read, or
    `given` contradicts itself."""
    from advisor.engine import FactError

    tree = root if isinstance(root, Tree) else tree_of(base, root)
    try:
        return facts_of(base, tree, given, platform=platform, settings=settings)
    except FactError as error:
        raise CannotRun(str(error)) from None


def tree_of(base: RuleBase, root: str | None) -> Tree:
    """The files of the host below the folder, or in the archive, `root`; None: this host. CannotRun says why not."""
    if root is None:
        return Tree()
    from advisor.host.opening import open_tree

    try:
        return open_tree(root, [*base.layouts.values()])
    except Unread as error:
        raise CannotRun(f"--root {error}") from None
