"""One host of a fleet that takes too long, or too much memory, is named, and all others are judged."""

from __future__ import annotations

import gzip
import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from advisor.fleet import run
from advisor.fleet.judge import HostSource, JudgedClass, Knowledge
from advisor.fleet.model import UnreadBundle
from advisor.fleet.run import OverLimitError, host_limits
from advisor.host import bundle


def busy(*_: object) -> Any:
    while True:
        with suppress(Exception):  # as the handlers of one line or one file
            sum(range(1000))


def greedy(*_: object) -> Any:
    return [bytearray(run.MEMORY) for _ in range(4)]


@pytest.mark.parametrize(("work", "words"), [(busy, "processor time"), (greedy, "of memory")])
def test_a_host_that_takes_too_much_is_named(
    work: Callable[..., Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "SECONDS", 0.2 if work is busy else 60)
    before = resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGPROF)
    monkeypatch.setattr(run, "examine", work)
    outcomes = run.examine_chunk([HostSource("b", "")], ())
    assert [type(outcome) for outcome in outcomes] == [UnreadBundle]
    assert words in str(outcomes[0])
    monkeypatch.setattr(run, "judge", work)
    judged = run.judge_class(("abc", ""), Knowledge())
    assert isinstance(judged, JudgedClass)
    assert words in (judged.failed or "")
    assert (resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGPROF)) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_what_is_within_the_limits_is_done() -> None:
    with host_limits():
        done = [bytes(10)]
    assert done


def test_no_handler_of_errors_takes_the_limit_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "SECONDS", 0.1)
    with pytest.raises(OverLimitError), host_limits():
        busy()
    assert not issubclass(OverLimitError, Exception)


def test_a_line_without_an_end_stops_no_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_CUT", 3)
    with gzip.open(tmp_path / "bomb.json.gz", "wb", 1) as file:
        file.write(b"{" + b"x" * (5 << 20))
    with gzip.open(tmp_path / "cut.json.gz", "wb", 1) as file:
        file.write(b"{" + b"x" * (2 << 20) + b"\n{}\n")
    places = {Path(one.place).name: one.why for one in run.sources([str(tmp_path)], [])}
    assert {*places} == {"bomb.json.gz", "cut.json.gz:1", "cut.json.gz:2"}
    assert "line 1 has more than 3 MiB; it and what is behind it are not read" in places["bomb.json.gz"]
