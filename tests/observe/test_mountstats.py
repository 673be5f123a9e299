"""The reader of mountstats: every form that kernels print, real files, and whatever else it is given."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.observe.counters import EVENTS, read_mountstats
from tests import needs
from tests.observe.recorded import OBSERVE
from tests.observe.texts import mount, tcp

REAL = OBSERVE / "real"


def test_each_connection_has_its_line() -> None:
    (one,) = read_mountstats(mount(xprts=[tcp(port=700 + n, sends=1000 + n) for n in range(4)]))
    assert [transport.counts["sends"] for transport in one.transports] == [1000, 1001, 1002, 1003]


def test_udp_and_rdma_have_other_numbers() -> None:
    (one,) = read_mountstats(
        mount(xprts=["udp 824 0 52 51 1 60 2 16 3 4", "rdma 0 1 2 3 4 500 499 1 600 7 1 2 3 4 5 6 7 8 9"])
    )
    udp, rdma = (transport.counts for transport in one.transports)
    assert (udp["sends"], udp["receives"], udp["bad_xids"], udp["backlog"], udp["pending"]) == (52, 51, 1, 2, 4)
    assert (rdma["connects"], rdma["sends"], rdma["backlog"]) == (2, 500, 7)
    assert "most_slots" not in rdma


def test_old_versions_have_fewer_numbers() -> None:
    xprt = "tcp 832 0 1 0 11 6428 6428 0 12154 0"
    text = mount(statvers="1.0", xprts=[xprt], ops={"READ": [10, 10, 0, 1, 2, 3, 4, 5]})
    (one,) = read_mountstats(text)
    assert one.transports[0].counts["backlog"] == 0
    assert "sending" not in one.transports[0].counts
    assert one.operations["READ"] == (10, 10, 0, 1, 2, 3, 4, 5)


def test_a_counter_below_zero_is_below_zero() -> None:
    (one,) = read_mountstats(mount(ops={"ACCESS": [69477, 69476, 0, 1, 1, 18446744073706749450, 5, 6, 0]}))
    assert one.operations["ACCESS"][5] == 18446744073706749450 - 2**64 < 0


@pytest.mark.parametrize("row", ["12 x 0 0 0 0 0 0", "1 2 3", "", "99999999999999999999999999 1 1 1 1 1 1 1"])
def test_a_line_of_no_numbers_is_left_out_and_hides_no_other(row: str) -> None:
    text = mount(ops={"READ": [5, 5, 0, 1, 1, 1, 1, 1, 0]}).replace("\tper-op", f"\t WRITE: {row}\n\tper-op")
    (one,) = read_mountstats(text)
    assert list(one.operations) == ["NULL", "READ"]


def test_several_mounts_of_one_folder_are_kept_apart() -> None:
    assert [one.age for one in read_mountstats(mount(age=5) + mount(age=9))] == [5, 9]


def test_other_file_systems_and_broken_lines_are_passed_over() -> None:
    noise = (
        "device proc mounted on /proc with fstype proc\nno device mounted on /x with fstype tmpfs\n"
        "device a\nage: 7\n\timpl_id:\tname='a\nb',domain='x'\n"
    )
    text = noise + mount(age=3).replace("\tcaps:", "\timpl_id:\tname='free\nBSD',domain='x'\n\tcaps:") + noise
    (one,) = read_mountstats(text.replace("\tevents", "events"))
    assert one.age == 3
    assert len(one.events) == len(EVENTS) == 27


def test_blanks_in_names_are_decoded() -> None:
    (one,) = read_mountstats(mount(target="/mnt/my\\040disk"))
    assert one.target == "/mnt/my disk"


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read_mountstats("device nas:/x mounted on /m with fstype nfs4 statvers=1.1\n" + text)


@given(st.data())
def test_any_damage_is_survived(data: st.DataObject) -> None:
    text = mount(xprts=[tcp(sends=5)], ops={"READ": [5, 5, 0, 1, 1, 1, 1, 1, 0]})
    at = data.draw(st.integers(0, len(text)))
    for one in read_mountstats(text[:at] + data.draw(st.text(max_size=5)) + text[at + data.draw(st.integers(0, 30)):]):
        assert all(-(2**63) <= number < 2**63 for row in one.operations.values() for number in row)


def real_files() -> list[Any]:
    expected = REAL / "expected.json"
    if not expected.is_file():
        return [pytest.param({}, marks=pytest.mark.skip(reason=needs.SHARED))]
    found = json.loads(expected.read_text())
    return [pytest.param(one, id=one["file"]) for one in found if one["kind"] == "mountstats"]


@pytest.mark.parametrize("expected", real_files())
def test_real_files_give_the_numbers_that_another_program_found(expected: dict[str, Any]) -> None:
    found = read_mountstats((REAL / expected["file"]).read_text(errors="replace"))
    if expected["reject"]:
        return  # damaged on purpose: it is enough that it does no harm
    assert [
        (one.source, one.target, len(one.transports), sum(each.counts["sends"] for each in one.transports),
         sum(row[0] for row in one.operations.values()), sum(row[6] for row in one.operations.values()))
        for one in found
    ] == [
        (one["device"], one["mountpoint"], one["xprts"], one["sends"], one["sum_ops"], one["sum_rtt_ms"])
        for one in expected["mounts"]
    ]
    for one, told in zip(found, expected["mounts"]):
        for name in ("READ", "WRITE", "GETATTR"):
            row = [] if told[name] == "-" else [int(number) for number in told[name].split(",")]
            signed = [number - 2**64 if number >= 2**63 else number for number in row]
            assert list(one.operations.get(name, ())) == (signed if any(signed[:3]) else [])
