"""A window that moves along, and what lies between two readings of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.observe.counters import read_samples
from advisor.observe.snapshot import Recording
from advisor.observe.window import HISTORY, RollingWindow, waiting_calls, with_keys
from advisor.pages.layout import spark
from tests.observe.test_window import snapshot
from tests.observe.texts import mount, mountinfo
from tests.wizard.driving import BASE


def reading(second: float, calls: int, target: str = "/a", age: int = 0):
    row = [calls, calls, 0, 1, 1, calls * 5, calls * 10, calls * 20, 0]
    return snapshot(mount(target, age=age or int(second), ops={"READ": row}), second)


def test_each_step_has_its_own_rate_time_and_wait() -> None:
    rolling = RollingWindow(BASE, 60.0)
    for at, calls in ((0, 0), (2, 100), (4, 100), (6, 400)):
        rolling.add(at, reading(1000 + at, calls))
    (steps,) = rolling.steps.values()
    assert [(one.rate, one.time, one.waiting) for one in steps] == [(50, 20, 0.25), (0, None, 0), (150, 20, 0.75)]
    assert rolling.seconds == 6
    (one,) = rolling.report().mounts
    assert one.window.calls == {"READ": 400}


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(5, 100))
def test_the_window_is_about_as_long_as_was_asked_for(gaps: list[int], span: int) -> None:
    rolling = RollingWindow(BASE, float(span))
    at = 0
    for number, gap in enumerate(gaps):
        at += gap
        rolling.add(float(at), reading(1000 + at, number))
    assert rolling.seconds <= at - gaps[0]
    if at - gaps[0] <= span:
        assert rolling.seconds == at - gaps[0]
    else:  # it begins at a reading, which may be one part and one reading earlier
        assert span <= rolling.seconds <= span + span / 12 + 2 * max(gaps)
    assert len(rolling._readings) <= 15


def test_a_long_watch_remembers_so_much_and_no_more() -> None:
    rolling = RollingWindow(BASE, 10.0)
    for at in range(HISTORY + 50):
        rolling.add(float(at), reading(1000 + at, at))
    (steps,) = rolling.steps.values()
    assert len(steps) == HISTORY


def test_a_mount_that_is_gone_is_forgotten_once_the_window_has_passed() -> None:
    rolling = RollingWindow(BASE, 10.0)
    rolling.add(0.0, reading(1000, 1, "/gone"))
    rolling.add(2.0, reading(1002, 1, "/stays"))
    assert rolling.report().gone == ["/gone"]
    assert [name[0] for name in rolling.steps] == ["/stays"]
    for at in (4.0, 8.0, 13.0):
        rolling.add(at, reading(1000 + at, 1, "/stays"))
    assert rolling.report().gone == []


def test_mounts_on_one_target_have_names_of_their_own() -> None:
    several = snapshot(mount("/a") + mount("/a") + mount("/a", source="nas:/other")).mounts
    assert [name for name, _ in with_keys(several)] == [
        ("/a", "nas:/export", 0), ("/a", "nas:/export", 1), ("/a", "nas:/other", 0),
    ]


def test_a_recording_tells_what_waited_at_each_look() -> None:
    after = snapshot(mount("/a"), 100, mountinfo=mountinfo("/a"))
    looks = "".join(
        f"@@ t={at}\n# /s/switch-1/xprt-1-tcp/xprt_info state: x dst: 192.0.2.7\nsrc_port=7\ndst_port=2049\n"
        f"pending_q_len=2\ntasks_queuelen={tasks}\n" for at, tasks in ((1, 2), (2, 12), (3, 0))
    )
    (found,) = waiting_calls(Recording(None, after, read_samples(looks))).values()
    assert found == [0, 10, 0]


@pytest.mark.parametrize(("values", "columns", "line"), [
    ([0, 4, 8], 3, "▁▅█"), ([0, 0], 2, "▁▁"), ([1, None, 1], 5, "  █ █"), ([], 3, "   "), (list(range(9)), 2, "██"),
])
def test_a_course_in_one_line(values: list[float | None], columns: int, line: str) -> None:
    assert spark(values, columns) == line
