"""Names for findings that stay the same while lines move and other options of a line change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding


def fingerprints(findings: Iterable[Finding], line: Callable[[str, int], str]) -> list[str]:
    """One hexadecimal name a finding, no two alike: from its file, rule and tunable, and the line's server and target.

    Findings that have all of this in common are numbered. `line(file, number)` gives a line of a file."""
    seen: dict[str, int] = {}
    names = []
    place, fields = ("", 0), list[str]()
    for f in findings:
        if place != (f.file, f.line):
            place, fields = (f.file, f.line), line(f.file, f.line).split(None, 2)[:2]
        key = "\0".join((f.file, f.rule, f.tunable or "", *fields))
        seen[key] = number = seen.get(key, 0) + 1
        names.append(sha256(f"{key}\0{number}".encode("utf-8", "surrogatepass")).hexdigest())
    return names
