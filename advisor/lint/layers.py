"""A check between lines: an overlay that keeps its changes on an NFS mount of the same file."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.lint.finding import Finding, from_check
from advisor.options.words import Setting
from advisor.readers.fstab import split_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.readers.fstab.entry import Whole

_OVERLAY, _UPPER = "overlay", "upperdir"


def check_overlays(
    index: RuleIndex, entries: Iterable[Whole], is_nfs: frozenset[int]
) -> Iterable[tuple[Whole, Finding]]:
    """Overlay lines whose upper directory lies on an NFS mount. `entries`: all lines; `is_nfs`: numbers of NFS ones."""
    told = index.builtin.get("overlay-upper-on-nfs")
    entries = list(entries)
    overlays = [e for e in entries if e.fstype.value == _OVERLAY and e.options is not None]
    if told is None or not overlays:
        return
    mounted = {e.target.value.rstrip("/") or "/": e for e in entries}
    for entry in overlays:
        for item in split_options(entry.options.text if entry.options else ""):
            if item.name != _UPPER or not item.value or not item.value.startswith("/"):
                continue
            path = item.value.rstrip("/") or "/"
            while path not in mounted and path != "/":
                path = path.rpartition("/")[0] or "/"
            below = mounted.get(path)
            if below is not None and below.line_no in is_nfs:
                found = Setting(item.value, "options", item.start, item.start + len(item.text), item.text)
                yield entry, from_check(told, found, tunable=None, other_line=below.line_no)
