"""Times for which attributes are trusted: a shortest time above the longest, also where one of the two is left out."""

from __future__ import annotations

from tests.each import each
from tests.lint.fixing import judge

FILES, FOLDERS = "acregmin-above-acregmax", "acdirmin-above-acdirmax"


@each(lambda: [
    ("acregmin=60,acregmax=60,acdirmin=60,acdirmax=60", set()),
    ("acregmin=61", {FILES}),
    ("acregmin=60", set()),
    ("acregmax=2", {FILES}),
    ("acregmax=3", set()),
    ("acdirmin=61", {FOLDERS}),
    ("acdirmax=29", {FOLDERS}),
    ("acdirmax=30", set()),
    ("acregmin=90,acregmax=60", {FILES}),
    ("acdirmin=90,acdirmax=60", {FOLDERS}),
    ("acdirmax=60,acregmin=90,acdirmin=90,acregmax=60", {FILES, FOLDERS}),
    ("acregmin=90,acdirmax=90", {FILES}),
    ("acregmin=90,acregmax=120", set()),
    ("acdirmin=90,acdirmax=60,noac", set()),
    ("acregmin=90,acdirmin=90,actimeo=60", set()),
    ("acregmin=soon,acregmax=1", {FILES}),
    ("acregmin=90,acregmin=3", set()),
    ("hard", set()),
])
def test_a_shortest_time_above_the_longest(options: str, found: set[str]) -> None:
    told = {one.rule for one in judge(f"nas:/a /a nfs vers=4.2,{options} 0 0\n")[0]}
    assert told & {FILES, FOLDERS} == found
