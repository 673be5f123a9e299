"""Two windows: what is noise is called so as often as promised, and what changed is found."""

from __future__ import annotations

import copy
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cli import main
from advisor.observe.compare import (
    BUNCH,
    COMPARED,
    LEVEL,
    SPREAD,
    ComparedMount,
    ReportedConclusion,
    ReportedMount,
    ReportError,
    chance,
    compare,
    least_chance,
    reported_mounts,
)
from advisor.observe.snapshot import record
from advisor.pages.observe import comparison_data, comparison_page
from tests.observe.test_command import printed, readings
from tests.observe.texts import mount, tcp
from tests.schemas import validate

EVIDENCE = ("observed.backlog", "observed.calls")
SLOTS = ReportedConclusion("rpc_slots", "limit", "Too few RPC slots", "6 calls waited.", EVIDENCE)


def window(facts: dict[str, int], parts: list[dict[str, int]] | None = None, **more: Any) -> ReportedMount:
    told = {"target": "/a", "source": "nas:/x", "seconds": 60.0, "since_mount": False, "options": {}, "facts": facts,
            "parts": parts or [], **more}
    return ReportedMount(**told)


def one(before: ReportedMount, after: ReportedMount) -> ComparedMount:
    (found,) = compare([before], [after])
    return found


def cut(rates: list[float], times: list[float], **more: Any) -> ReportedMount:
    """A window of parts of 5 s, with so many calls a second of so many microseconds in each."""
    parts = [{"observed.window": 5000, "observed.call_rate": round(1000 * rate), "observed.execute": round(time)}
             for rate, time in zip(rates, times)]
    calls = sum(rates) * 5
    mean = sum(rate * time for rate, time in zip(rates, times)) / sum(rates)
    whole = {"observed.calls": round(calls), "observed.call_rate": round(1000 * calls / 5 / len(rates)),
             "observed.execute": round(mean)}
    return window(whole, parts, **more)


@given(st.lists(st.integers(0, 20), min_size=2, max_size=8), st.data())
def test_chance_is_promised_for_every_set_of_parts(values: list[int], data: st.DataObject) -> None:
    """Of all ways to deal these parts out to two windows, at most a share of p has a chance of p or less."""
    size = data.draw(st.integers(1, len(values) - 1))
    chances = []
    for chosen in combinations(range(len(values)), size):
        first = [values[at] for at in chosen]
        last = [value for at, value in enumerate(values) if at not in chosen]
        chances.append(chance(first, last))
    for limit in set(chances):
        assert sum(each <= limit for each in chances) <= limit * len(chances) + 1e-9
    assert min(chances) >= least_chance(size, len(values) - size) - 1e-12


@given(st.permutations(range(9)))
def test_chance_does_not_depend_on_which_window_is_the_first(values: list[int]) -> None:
    assert chance(values[:4], values[4:]) == chance(values[4:], values[:4])


def test_twelve_parts_tell_a_thousand_mounts() -> None:
    assert least_chance(12, 12) < LEVEL / (1000 * 7)
    assert chance(list(range(12)), list(range(12, 24))) == pytest.approx(least_chance(12, 12))


def test_noise_in_parts_is_no_change() -> None:
    """Parts that are as uneven as those of real work, and heavy-tailed: 400 comparisons may name four."""
    dice = random.Random(17)

    def noisy() -> ReportedMount:
        return cut([dice.lognormvariate(5, 1) for _ in range(12)], [dice.paretovariate(1.5) * 4000 for _ in range(12)])

    assert sum(bool(one(noisy(), noisy()).changed) for _ in range(400)) <= 400 * LEVEL


def test_noise_that_is_assumed_is_no_change() -> None:
    """Calls in bunches that share their time, which deviates by twice its mean: as the criterion has it."""
    dice = random.Random(4)

    def noisy() -> ReportedMount:
        bunches = max(1, round(dice.gauss(300, 300**0.5)))
        times = [dice.gammavariate(1 / SPREAD**2, 5000 * SPREAD**2) for _ in range(bunches)]
        calls = bunches * BUNCH
        return window({"observed.calls": calls, "observed.call_rate": calls * 1000 // 60,
                       "observed.execute": round(sum(times) / bunches)})

    assert sum(bool(one(noisy(), noisy()).changed) for _ in range(400)) <= 400 * LEVEL


@given(st.lists(st.floats(0.9, 1.1), min_size=24, max_size=24), st.floats(1.4, 20), st.booleans())
def test_a_change_that_is_larger_than_the_noise_is_found(
    noisy: list[float], factor: float, slower: bool
) -> None:
    usual = cut([100.0] * 12, [5000 * each for each in noisy[:12]])
    other = cut([100.0] * 12, [5000 * factor * each for each in noisy[12:]])
    found = one(*((usual, other) if slower else (other, usual)))
    assert [(each.quantity, each.parts) for each in found.changed] == [("observed.execute", True)]


def test_a_change_is_found_without_parts_where_there_were_calls_enough() -> None:
    def told(calls: int, time: int) -> ReportedMount:
        return window({"observed.calls": calls, "observed.call_rate": calls * 16, "observed.execute": time})

    found = one(told(20_000, 5000), told(20_000, 9000))
    assert [(each.quantity, each.parts) for each in found.changed] == [("observed.execute", False)]
    assert not one(told(200, 5000), told(200, 9000)).changed
    assert not one(told(10**9, 5000), told(10**9, 5200)).changed  # beyond noise, and too small to be told


def test_what_is_next_to_nothing_both_times_is_no_number_to_tell() -> None:
    few, many = ({"observed.calls": 10**7, "observed.backlog": one} for one in (3, 90))
    assert not one(window(few), window(many)).numbers
    assert one(window(few), window({**many, "observed.backlog": 6000})).changed


def test_parts_of_another_length_are_not_ranked() -> None:
    short, long = cut([100.0] * 12, [5000.0] * 12), cut([100.0] * 12, [9000.0] * 12)
    long = long._replace(parts=[{**part, "observed.window": 50_000} for part in long.parts])
    assert [each.parts for each in one(short, long).numbers] == [False, False]


NUMBERS = st.fixed_dictionaries({"observed.calls": st.integers(1, 10**6)}, optional={
    name: st.integers(0, 10**9) for name in COMPARED
})


@given(NUMBERS, st.lists(NUMBERS, max_size=12))
def test_a_window_is_like_itself(facts: dict[str, int], parts: list[dict[str, int]]) -> None:
    same = window(facts, parts, options={"vers": "4.2"}, conclusions=(SLOTS,))
    found = one(same, same)
    assert (found.changed, list(found.settings), list(found.gone), list(found.new)) == ([], [], [], [])
    assert list(found.still) == ["Too few RPC slots"]


def test_mounts_that_came_or_went_and_what_is_set_differently() -> None:
    old, new = window({"observed.calls": 9}, target="/old"), window({"observed.calls": 9}, target="/new")
    first = window({"observed.calls": 9, "observed.connections": 1}, options={"vers": "4.1", "rsize": "65536"})
    last = window({"observed.calls": 9, "observed.connections": 4}, source="nas2:/x",
                  options={"vers": "4.1", "rsize": "1048576", "nconnect": "4"})
    found = {each.target: each for each in compare([old, first], [last, new])}
    assert found["/new"].why_not == "It was not mounted before."
    assert found["/old"].why_not == "It is not mounted now."
    assert set(found["/a"].settings) == {
        ("source", "nas:/x", "nas2:/x"), ("rsize", "65536", "1048576"), ("nconnect", None, "4"),
        ("connections", "1", "4"),
    }


@pytest.mark.parametrize(("before", "after", "said"), [
    ({"since_mount": True}, {}, "averages since it was mounted"),
    ({}, {"since_mount": True}, "averages since it was mounted"),
    ({"facts": {"observed.calls": 0}}, {}, "no calls before"),
    ({}, {"facts": {}}, "no calls now"),
])
def test_what_cannot_be_compared_is_told_with_its_reason(before, after, said: str) -> None:
    usual = window({"observed.calls": 900, "observed.execute": 5000})
    found = one(usual._replace(**before), usual._replace(**after))
    assert said in found.why_not
    assert not found.numbers


@pytest.mark.parametrize(("kind", "after", "beyond"), [
    ("limit", 9000, True), ("limit", 5000, False), ("trouble", 5000, True),
])
def test_a_conclusion_is_a_change_if_what_it_rests_on_changed(kind: str, after: int, beyond: bool) -> None:
    rests = SLOTS._replace(kind=kind, evidence=("observed.execute",))
    first = cut([100.0] * 12, [5000.0] * 12, conclusions=(rests,))
    found = one(first, cut([100.0] * 12, [float(after)] * 12))
    assert [each.beyond for each in found.gone] == [beyond]
    assert [each.beyond for each in one(cut([100.0] * 12, [float(after)] * 12), first).new] == [beyond]


def kept(folder: Path, slow: bool) -> Path:
    """A recording of parts: with calls that wait, or without."""
    first, last = readings()
    mounts = []
    for at in range(13):
        calls = at * 100
        queue = calls * 200 if slow else 0
        row = [calls, calls, 0, 1, 1, queue, calls * 5, queue + calls * 5, 0]
        mounts.append({"uptime": f"{100 + at}.00 0\n", "mountstats": mount(
            age=60 + at, xprts=[tcp(sends=calls, backlog=calls * 6 if slow else 0)], ops={"READ": row})})
    record(str(folder), {**first, **mounts[0]}, {**last, **mounts[-1]}, "", mounts[1:-1])
    return folder


@pytest.fixture
def before(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Path:
    path = tmp_path / "before.json"
    told = printed(capsys, "--replay", str(kept(tmp_path / "slow", True)), "--output-format", "json")
    validate(json.loads(told), "advisor-observe-1")
    assert len(json.loads(told)["mounts"][0]["parts"]) == 12
    path.write_text(told)
    return path


def test_before_and_after_are_told_in_words_and_for_programs(
    capsys: pytest.CaptureFixture[str], before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    slow, fast = str(tmp_path / "slow"), str(kept(tmp_path / "fast", False))
    same = printed(capsys, "--replay", slow, "--compare", str(before))
    assert "No change that these windows can tell." in same
    out = printed(capsys, "--replay", fast, "--compare", str(before))
    assert max(map(len, out.splitlines())) <= 80
    assert [line.split()[-2:] for line in out.splitlines() if line.startswith("  time of a call  ")] == [["-98", "%"]]
    assert "no longer: Too few RPC slots" in out
    assert "at most one names a change" in out
    told = json.loads(printed(capsys, "--replay", fast, "--compare", str(before), "--output-format", "json"))
    validate(told, "advisor-observe-comparison-1")
    changed = {each["quantity"] for each in told["mounts"][0]["numbers"] if each["changed"]}
    assert changed == {"observed.execute", "observed.queue", "observed.backlog", "observed.concurrency"}
    assert told["mounts"][0]["conclusions"]["gone"][0]["beyond"] is True
    for form in ("html", "svg", "markdown"):
        assert "Changed beyond the noise" in printed(
            capsys, "--replay", fast, "--compare", str(before), "--output-format", form)


@pytest.mark.parametrize(("text", "said"), [
    (None, "file not found"), ("", "not valid JSON"), ("{", "not valid JSON"), ("[]", "not a window"),
    ('{"schema": "advisor-lint/1"}', "its schema is 'advisor-lint/1'"), ('{"schema": 7}', "it has no"),
    ('{"schema": "advisor-observe/1"}', 'its mounts is missing'),
    ('{"schema": "advisor-observe/1", "mounts": [{"target": 1}]}', 'its mounts: target: is not a text'),
])
def test_a_file_that_is_no_window_is_refused_before_anything_is_watched(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str | None, said: str
) -> None:
    path = tmp_path / "before.json"
    if text is not None:
        path.write_text(text)
    assert main(["observe", "--compare", str(path)]) == 2
    told = capsys.readouterr().err
    assert said.lower() in told.lower()
    assert "advisor observe --output-format json > before.json" in told


JUNK = st.recursive(st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
                    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2))


@given(data=st.data())
def test_no_file_is_too_odd(data: st.DataObject) -> None:
    """Any value anywhere in a good document: it is refused, or compared."""
    whole: dict[str, Any] = {"schema": "advisor-observe/1", "mounts": [{
        "target": "/a", "source": "x", "seconds": 60, "since_mount": False, "options": {"vers": "3"},
        "facts": {"observed.calls": 9, "observed.execute": 4}, "parts": [{"observed.window": 5}],
        "conclusions": [{"id": "x", "kind": "limit", "title": "t", "says": "s", "evidence": ["observed.calls"]}],
        "notes": [],
    }]}
    odd = copy.deepcopy(whole)
    holder: Any = odd
    while True:
        key = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        if not isinstance(holder[key], (dict, list)) or not holder[key] or data.draw(st.booleans()):
            holder[key] = data.draw(JUNK)
            break
        holder = holder[key]
    try:
        found = reported_mounts(odd)
    except ReportError:
        return
    comparison_page(compare(found, reported_mounts(whole)))
    comparison_data(compare(reported_mounts(whole), found))
