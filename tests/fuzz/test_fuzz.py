"""Texts, files and words that nobody means to write: nothing breaks the program, and nothing keeps it busy.

A few inputs are tried each time. ADVISOR_FUZZ=100000 tries that many, from the number ADVISOR_FUZZ_SEED (0) on, and
tells what took longest; ADVISOR_FUZZ=1 with the number that a failure names tries that one again. Use `-n 0 -s`."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from advisor.rulebase import base as bases
from tests import needs
from tests.fuzz.inputs import KINDS, Desk, Input
from tests.fuzz.seeds import OTHERS
from tests.steps import steps

FEW = 300
MANY = int(os.environ.get("ADVISOR_FUZZ", "0"))
SEED = int(os.environ.get("ADVISOR_FUZZ_SEED", "0"))
MOST_STEPS = (1_500_000, 300)
"""Lines of Python that judging or fixing a text may run, and how many more for each of its bytes."""
PER_BYTE = ("fstab", "fix", "kind")
"""Kinds of which the text is the work; of commands it is little beside the rules and the advice."""
MOST_MS = 100
"""Milliseconds of processor time that a long run grants each kilobyte of a text."""
HANGS = 60.0
"""Seconds of processor time after which an input of a long run is given up."""
others = pytest.mark.skipif(not OTHERS, reason=needs.SHARED)


class Hangs(BaseException):
    """Nothing of the program catches it."""


@pytest.fixture
def desk(request: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("ADVISOR_DEBUG", "1")  # an error comes out as itself
    load, shipped = bases.load, bases.load()

    def loaded(root: str | None = None, packs: Sequence[str] = (), **more: Any) -> Any:
        return load(root, packs, **more) if packs else shipped

    monkeypatch.setattr(bases, "load", loaded)
    monkeypatch.chdir(folder)
    return Desk(folder, request.param)


def tried(number: int, one: Input) -> float:
    """Try one input. Returns the seconds of processor time that the program took for it."""
    try:
        start = time.process_time()
        came = one.work()
        took = time.process_time() - start
        one.holds(came)
    except (Exception, Hangs) as error:
        error.add_note(f"ADVISOR_FUZZ=1 ADVISOR_FUZZ_SEED={number}: {one.kind} {one.data!r}")
        raise
    return took


@pytest.mark.parametrize("desk", [False, pytest.param(True, marks=others)], ids=["own", "of others"], indirect=True)
def test_a_few(desk: Desk) -> None:
    for number in range(FEW):
        tried(number, desk.input(number))


@pytest.mark.parametrize("desk", [False], indirect=True)
def test_no_text_keeps_the_program_busy(desk: Desk) -> None:
    start, each = MOST_STEPS
    for number in range(FEW // 10):
        one = desk.input(number)
        if one.kind in PER_BYTE:
            ran = steps(one.work)
            assert ran <= start + each * len(one.data), (number, one.kind, ran, len(one.data))


@contextmanager
def bounded() -> Iterator[None]:
    """Gives up after HANGS seconds of processor time."""

    def hangs(*_: object) -> None:
        raise Hangs(f"more than {HANGS} s of processor time")

    before = signal.signal(signal.SIGPROF, hangs)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.skipif(not MANY, reason="ADVISOR_FUZZ=100000 tries that many inputs")
@pytest.mark.parametrize("desk", [True], indirect=True)
def test_many(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    count: Counter[str] = Counter()
    slowest = dict.fromkeys(KINDS, (0.0, 0, 0))
    failed: list[int] = []
    slow: list[int] = []
    for number in range(SEED, SEED + MANY):
        if (number - SEED) % 1000 == 0:
            gc.collect()
            gc.disable()  # as lint does: whose turn it is to wait for the collector says nothing
        one = desk.input(number)
        count[one.kind] += 1
        try:
            with bounded():
                took = tried(number, one)
            size = len(one.data)
            kilobytes = max(1, size / 1000) if one.kind in PER_BYTE else 1
            slowest[one.kind] = max(slowest[one.kind], (1000 * took / kilobytes, number, size))
            if one.kind in PER_BYTE and 1000 * took / kilobytes > MOST_MS:
                slow.append(number)
        except (Exception, Hangs) as error:
            failed.append(number)
            with capsys.disabled():
                print(f"\n{type(error).__name__}: {error}", *error.__notes__, sep="\n", flush=True)
    gc.enable()
    with capsys.disabled():
        print(f"\n{MANY} inputs from {SEED} on, {len(failed)} failed: {failed[:100]}; {len(slow)} slow: {slow[:100]}")
        for kind in KINDS:
            most, number, size = slowest[kind]
            unit = "ms per kB" if kind in PER_BYTE else "ms"
            print(f"{kind}: {count[kind]} inputs, at most {most:.1f} {unit} (input {number}, {size} bytes)")
    assert not failed
