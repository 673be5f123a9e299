"""What is written for a few environments, whole: each file with its place and steps, the lines that say something and
are not their template's, and the headings of the report. `python -m tests.install.test_whole_files` writes
whole_files.txt anew; read its diff before you commit it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.install import Artefact, artefacts
from tests.advice.environments import base
from tests.install.cases import CASES

FILE = Path(__file__).with_name("whole_files.txt")
TEMPLATES = Path(__file__).parents[2] / "advisor" / "install"
NAMES = {"server": "nas.example.com", "export": "/srv/data", "target": "/mnt/data", "clients": "192.0.2.0/24"}
WHOLE: dict[str, Answers] = {
    "a client of which the state is known": Answers(CASES["home-1gbe"], names=NAMES, before={
        "/etc/systemd/system/mnt-data.mount": Before(None, "x"), "/etc/auto.nfs-advisor": Before(True, "x")}),
    "a server": Answers(CASES["debian-server"], names=NAMES),
    "a cluster": Answers({**CASES["failover-pair"], "server.distro": "debian", "server.release": "12"},
                         names={**NAMES, "server": "192.0.2.9"}),
    "nodes of Kubernetes": Answers(CASES["kubernetes"], names=NAMES),
}


@cache
def of_templates() -> frozenset[str]:
    files = (path for path in TEMPLATES.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return frozenset(line.strip() for path in files for line in path.read_text(encoding="utf-8").split("\n"))


def lines_of(file: Artefact) -> Iterator[str]:
    if file.path.startswith("REPORT") and file.path.endswith(".md"):
        yield from (line for line in file.text.split("\n") if line.startswith("## "))
    elif not file.path.endswith((".md", ".html")):
        for line in file.lines:
            by_hand = re.fullmatch(r"printf .*  ([0-9]+)\. .*\(([a-z/._-]+)\).*", line.strip())
            if by_hand:
                yield f"by hand {by_hand[1]}: {by_hand[2]}"
            elif line.strip() not in of_templates() and line.strip()[0] != "#" and "Made by advisor" not in line:
                yield line


def told() -> str:
    parts: list[str] = []
    before: set[tuple[str, ...]] = set()
    for name, answers in WHOLE.items():
        parts.append(f"= {name}")
        for file in artefacts(base(), advise(base(), answers)):
            steps = [f"{word}: {step}" for word in ("apply", "verify", "undo") for step in getattr(file, word)]
            said = (f"== {file.path}: {file.title} → {file.install or 'nowhere'}, {file.mode:o}",
                    *(f"  {line}" for line in (*lines_of(file), *steps)))
            if file.title == "Part of the role":
                continue
            parts += said if said not in before else [f"== {file.path}: as before"]
            before.add(said)
    return "\n".join(parts) + "\n"


def test_what_is_written_for_whole_environments() -> None:
    assert told().split("\n") == FILE.read_text(encoding="utf-8").split("\n")


if __name__ == "__main__":
    FILE.write_text(told(), encoding="utf-8")
