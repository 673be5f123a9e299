"""Measures what docs/speed.md shows: `python benchmarks/run.py [--advisor COMMAND] [--write] [WORD …]`.

Prints one table, or writes it into the page. Each case is run in turn with what it is compared with: bare Python, a
program that does the same, or a peer; peers that are not installed are left out. Times are of the processor, user and
system, and the least of several runs, so that a busy machine counts little; instructions are counted where valgrind is.
The peers are augtool (augeas-tools), and zizmor, yamllint, ansible-lint and hotsos from PyPI, all found by PATH. With
words, only the cases whose names have one of them are measured; `benchmarks/wizard.py` has more of the wizard."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/speed.md"
BEGIN, END = "<!-- measured -->\n", "<!-- end -->\n"
OPTIONS = (
    "vers=4.2,hard,_netdev,nofail", "vers=3,hard,nconnect=8,rsize=262144,wsize=262144", "rw,soft,timeo=14,intr",
    "vers=4.1,nconect=4", "defaults", "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport",
)
VOLUME = (
    "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: data-{0}\nspec:\n  capacity:\n    storage: 5Gi\n"
    "  accessModes:\n    - ReadWriteMany\n  mountOptions:\n    - vers=4.1\n    - hard\n"
    "  nfs:\n    server: nas{0}.example.com\n    path: /export/{0}\n"
)
PLAY = (
    "---\n- name: Mounts\n  hosts: all\n  tasks:\n    - name: Mount data\n      ansible.posix.mount:\n"
    "        src: nas:/data\n        path: /data\n        fstype: nfs\n        opts: vers=4.1,hard\n"
    "        state: mounted\n"
)
WORKFLOW = (
    "---\nname: test\non: push\npermissions: {}\njobs:\n  test:\n    runs-on: ubuntu-24.04\n"
    "    steps:\n      - run: make test\n"
)
LOGGED = (
    "sshd[{n}]: Accepted publickey for user{n} from 192.0.2.{n} port {n}", "systemd[1]: Started Session {n} of user.",
    "CRON[{n}]: (root) CMD (run-parts /etc/cron.hourly)",
)
COUNT = "import sys; print(sum(b'nfs' in line for line in open(sys.argv[1], 'rb')))"
DECODE = "import json, sys; print(sum(1 for line in open(sys.argv[1]) if json.loads(line)))"
FLEET = "import sys; from benchmarks.fleet_hosts import hosts; open(sys.argv[1], 'w').writelines(hosts(10_000, 400))"
MESSAGE = "nfs: server nas not responding, still trying"
START = "Imports are 3.6 times bare Python, of which its own re, enum and json are 1.9; preparing the rules is 0.7."
ADVISE = "Imports alone are 3.8 to 4.3 times bare Python, argparse among them; the rest decides and shows all settings."
TWO = "lint, two lines"
UNLIKE = "5 000 lines, no two alike"
MEMORY = "memory per 1 000 lines, no two alike"
"""By how much lint of these lines needs more than lint of two."""
WIZARD = (
    ("wizard, first frame : an empty program of Textual", 1.25, "Its own modules, and a page instead of a line."),
    ("wizard, a key after 0.6 s : a key in that program", 8, "A new question paints nearly every cell."),
    ("wizard, slowest key without pauses", 100, "What the answer decides is worked out first."),
)
"""What `benchmarks/wizard.py --goals` measures, in its order; the last in milliseconds."""


class Case(NamedTuple):
    """One line of the table. `goal`: at most so many times what it is compared with. `counted`: by instructions.
    `reason`: why it misses its goal, where it does."""

    name: str
    ours: Sequence[str]
    beside: Sequence[str]
    goal: float | None = None
    runs: int = 7
    counted: bool = False
    reason: str = ""


class Row(NamedTuple):
    """A line of the table. `reason`: why it misses its goal, "" if it does not."""

    line: str
    reason: str


class Cost(NamedTuple):
    """`time`: seconds of the processor; `peak`: MB of memory."""

    time: float
    peak: float


def fstab(lines: int, varied: bool = False) -> str:
    """A file of NFS lines; `varied` gives nearly every line option values of its own."""
    return "".join(
        f"nas{i % 500}.example.com:/export/{i} /mnt/{i} nfs {OPTIONS[i % 6]}"
        f"{f',actimeo={i},x-note={i}' * varied} 0 0\n" for i in range(lines)
    )


def log(megabytes: float, unlike: bool = False) -> Iterator[str]:
    """The lines of a log, two of a hundred about NFS; `unlike`: nearly every line is of a shape of its own."""
    draw = Random(7)
    size = 0
    while size < megabytes * 1e6:
        n = draw.randrange(100)
        line = f"kernel: nfs: server nas{n} not responding, still trying" if n < 2 else draw.choice(LOGGED).format(n=n)
        line += " " + "".join(draw.choices("abcdefghij", k=20)) if unlike and n >= 2 else ""
        whole = f"Nov 22 10:11:{n % 60:02} web7 {line}\n"
        size += len(whole)
        yield whole


def cases(
    advisor: Sequence[str], made: Callable[[str, Iterable[str]], str], folder: Path, wanted: Callable[[str], bool]
) -> Iterable[Case]:
    """The cases. `made`: writes a file and returns its name. `wanted`: whether a case is measured, for what takes long
    to make."""
    python = [sys.executable, "-c"]
    bare = [*python, "pass"]
    lint, diagnose = [*advisor, "lint"], [*advisor, "diagnose"]
    two = [*lint, made("two/fstab", fstab(2))]
    yield Case("`--version` : bare Python", [*advisor, "--version"], bare, 1.15, 15, True,
               "`python -m` loads runpy, and pip's launcher re, which take more than the program does.")
    yield Case(f"{TWO} : bare Python", two, bare, 3, 15, True, START)
    yield Case("lint, examples/fstab : bare Python", [*lint, str(ROOT / "examples/fstab")], bare, 6, 15, True, START)
    yield Case("lint, two lines, no module compiled : bare Python",
               ["env", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPYCACHEPREFIX=/nowhere", *two], bare, runs=3)
    zizmor = ["zizmor", "--offline", "--no-progress", made(".github/workflows/a.yml", WORKFLOW)]
    yield Case("lint, two lines : zizmor, one workflow", two, zizmor, 0.6, 15, reason=START)
    for name, text, goal, reason in (
        ("5 000 lines, six option lists", fstab(5000), 0.7, "Reading and placing are Python, augtool's are C."),
        (UNLIKE, fstab(5000, True), 3,
         "Reading, placing and showing each line are Python, augtool's are C."),
    ):
        file = made(f"{len(text)}/fstab", text)
        yield Case(f"{name} : augtool print", [*lint, file], augtool("Fstab", file), goal, 3, reason=reason)
    exports = made("exports", "".join(
        f"/srv/vol{i} 192.0.2.{i % 250}({('rw', 'ro')[i % 2]},sync,no_subtree_check,anonuid={i})"
        " *.example.com(ro,sync,no_subtree_check)\n" for i in range(5000)))
    yield Case("5 000 exports : augtool print", [*lint, exports], augtool("Exports", exports), 2.5, 3,
               reason="A quarter is reading, a third is telling exports apart; both are Python.")
    volumes = made("volumes.yaml", "---\n" + "---\n".join(map(VOLUME.format, range(500))))
    yield Case("500 PersistentVolumes : yamllint", [*lint, volumes], ["yamllint", volumes], 0.4, 3,
               reason="A quarter looks for text of NFS in other values, two fifths read and judge settings.")
    for i in range(1000):
        made(f"many/{i}.yaml", VOLUME.format(i))
    many = sorted(map(str, (folder / "many").iterdir()))
    yield Case("1 000 small files : yamllint", [*lint, *many], ["yamllint", *many], 0.7, 3,
               reason="As for PersistentVolumes.")
    play = made("play.yml", PLAY)
    yield Case("a playbook : ansible-lint", [*lint, play], ["ansible-lint", "--offline", "-q", play], 0.04, 3)
    for name, text in (("etc/fstab", fstab(2)), ("etc/exports", "/srv *(ro)\n"), ("etc/os-release", "ID=debian\n"),
                       ("proc/self/mountinfo", ""), ("uptime", "10:00 up 1 day\n")):
        made(f"root/{name}", text)
    yield Case("`check --root` of a small tree : hotsos", [*advisor, "check", "--root", str(folder / "root")],
               ["hotsos", str(folder / "root")], 0.2, 3)
    yield Case("diagnose, one message : bare Python", [*diagnose, MESSAGE], bare, 6, 15,
               reason="Imports alone are 3.7 times bare Python; then come the words of messages, and 300 causes.")
    for size, goal in ((1, None), (10, 5), (16.7, None), (100, 3)):
        file = made(f"{size}.log", log(size))
        yield Case(f"diagnose, {size} MB log : Python that counts lines with \"nfs\"", [*diagnose, file],
                   [*python, COUNT, file], goal, 3,
                   reason="Start-up, and the first lines as text; each further MB takes two to three times the count.")
    file = made("unlike.log", log(10, True))
    yield Case("diagnose, 10 MB log, no two lines alike : the same", [*diagnose, file], [*python, COUNT, file], None, 3)
    recommend = [*advisor, "recommend", "--set", "storage.platform=anf"]
    yield Case("recommend : bare Python", recommend, bare, 7, reason=ADVISE)
    yield Case("why : bare Python", [*advisor, "why", "mount.nconnect"], bare, 7, reason=ADVISE)
    yield Case("explain : bare Python", [*advisor, "explain", "mount.nconnect"], bare, 4.5,
               reason="Imports alone are 3.9 times bare Python.")
    fleet = "fleet report, 10 000 bundles : json.loads of each line"
    bundles = made("fleet.jsonl", ())
    if wanted(fleet):
        subprocess.run([*python, FLEET, bundles], cwd=ROOT, check=True)  # in a child: its memory would count as ours
    yield Case(fleet, [*advisor, "fleet", "report", bundles],
               [*python, DECODE, bundles], 8, 1, reason="25 ms for each of 400 classes, and 0.3 ms for each host.")
    base = folder / "checkout"
    for name in ("advisor", "rules", "kb"):
        shutil.copytree(ROOT / name, base / name, ignore=shutil.ignore_patterns("__pycache__"))
    verify = f"cd {base} && PYTHONPATH=. exec {sys.executable} -m advisor rules verify"
    peer = ["yamllint", str(base / "rules"), str(base / "kb")]
    for name, command, goal in (("cold", f"rm -rf {base}/.advisor-cache; {verify}", 0.2), ("warm", verify, None)):
        yield Case(f"`rules verify`, {name} : yamllint of the same files", ["sh", "-c", command], peer, goal, 1,
                   reason="Two fifths are the examples of causes and checks, a sixth those of decisions, a sixth YAML.")


def augtool(lens: str, path: str) -> list[str]:
    return ["augtool", "--noautoload", f"--transform={lens}.lns incl {path}", "-L", "print", f"/files{path}"]


def measured(command: Sequence[str]) -> Cost:
    """One run, with all that it starts."""
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(command, stdout=quiet, stderr=quiet, stdin=quiet)
    _, _, usage = os.wait4(child.pid, 0)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


once = cache(measured)
"""For a peer with which several cases are compared."""


def in_turn(commands: Sequence[Sequence[str]], runs: int) -> list[Cost]:
    """The least time and the most memory of each."""
    rounds = [[measured(command) for command in commands] for _ in range(runs)]
    return [Cost(min(one.time for one in of), max(one.peak for one in of)) for of in zip(*rounds)]


def instructions(command: Sequence[str]) -> int:
    """What one run executes, by callgrind; 0 without it."""
    if shutil.which("valgrind") is None:
        return 0
    counted = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--trace-children=no", *command]
    found = re.search(r"Collected : (\d+)", subprocess.run(counted, capture_output=True, text=True, check=False).stderr)
    return int(found[1]) if found else 0


def row(case: Case, peaks: dict[str, float]) -> Row:
    """`peaks`: notes the memory here, by the name of the case."""
    installed = shutil.which(case.beside[0]) is not None
    if case.runs == 1:  # what takes long
        ours, others = measured(case.ours), [once(tuple(case.beside))] * installed
    else:
        ours, *others = in_turn([case.ours, *[case.beside] * installed], case.runs)
    peaks[case.name.partition(" : ")[0]] = ours.peak
    time, peak = f"{1000 * ours.time:.0f} ms", f"{ours.peak:.0f} MB"
    if not installed:
        return in_cells(case.name, time, peak, f"no {case.beside[0]}", ratio=None, goal=case.goal, reason="")
    ratio, how = ours.time / max(others[0].time, 0.001), ""
    if case.counted and (count := instructions(case.beside)):
        ratio, how = instructions(case.ours) / count, " (I)"
    beside = f"{1000 * others[0].time:.0f} ms"
    return in_cells(f"{case.name}{how}", time, peak, beside, ratio=ratio, goal=case.goal, reason=case.reason)


def in_cells(name: str, *cells: str, ratio: float | None, goal: float | None, reason: str) -> Row:
    """A line of the table. `cells`: time, memory, beside what. `ratio`: what is compared with the goal, None if it is
    not known."""
    missed = ratio is not None and goal is not None and round(ratio, 2) > goal
    goals = "" if goal is None else f"{goal:g}" + ", missed" * missed
    line = f"| {' | '.join((name, *cells))} | {'' if ratio is None else f'{ratio:.2f}'} | {goals} |"
    return Row(line, f"- {name.partition(' : ')[0]}: {reason}" if missed else "")


def of_memory(peaks: Mapping[str, float]) -> Iterator[Row]:
    """The row of MEMORY, if both of its cases were measured."""
    if UNLIKE in peaks and TWO in peaks:
        each = (peaks[UNLIKE] - peaks[TWO]) / 5
        why = "A third are findings, kept until the page is written."
        yield in_cells(MEMORY, "", f"{each:.1f} MB", "", ratio=each, goal=6, reason=why)


def of_wizard() -> Iterator[Row]:
    """The rows of WIZARD."""
    command = [sys.executable, str(ROOT / "benchmarks/wizard.py"), "--goals"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    print(ran.stderr, end="", file=sys.stderr)
    if ran.returncode:
        return  # the other rows are worth keeping
    for (name, goal, reason), (ours, other) in zip(WIZARD, json.loads(ran.stdout)):
        beside = "" if other is None else f"{other:.1f} ms"
        yield in_cells(name, f"{ours:.0f} ms", "", beside, ratio=ours / (other or 1), goal=goal, reason=reason)


def machine() -> str:
    """When and on what it was measured."""
    try:
        info = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        info = ""
    model = re.search(r"model name\s*: (.*)", info)
    return (
        f"{time.strftime('%Y-%m-%d')}, {model[1] if model else platform.machine()}, {os.cpu_count()} processors, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--advisor", default=f"{sys.executable} -m advisor", help="the command that is measured")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    args = parser.parse_args()
    head = [machine(), "", "| what | time | memory | beside it | ratio | goal |", "|---|---|---|---|---|---|"]
    rows: list[Row] = []
    peaks: dict[str, float] = {}

    def wanted(name: str) -> bool:
        return not args.words or any(word in name for word in args.words)

    def add(each: Iterable[Row]) -> None:
        for one in each:
            print(one.line, file=sys.stderr, flush=True)
            rows.append(one)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Compiled ahead, as an installed program is, where the machine wants no bytecode beside the sources either.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "advisor")], check=True)

        def made(path: str, text: Iterable[str]) -> str:
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("w", encoding="utf-8") as out:  # not in one piece: a child's peak is at least ours
                out.writelines(text)
            return str(file)

        for case in cases(shlex.split(args.advisor), made, folder, wanted):
            if wanted(case.name):
                add([row(case, peaks)])
    if wanted(MEMORY):
        add(of_memory(peaks))
    if any(wanted(name) for name, _, _ in WIZARD):
        add(of_wizard())
    reasons = list(dict.fromkeys(one.reason for one in rows if one.reason))
    why = ["What misses its goal, and why:", "", *reasons] if reasons else []
    text = "\n".join([*head, *(one.line for one in rows), "", *why]) + "\n"
    if args.write:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}{text}{END}{rest.partition(END)[2]}", "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
