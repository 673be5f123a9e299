"""Whatever stands in a recording: it is judged, every quantity is one that can be, and what cannot be says nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from hypothesis import example, given
from hypothesis import strategies as st

from advisor.observe.compare import parts_of
from advisor.observe.counters import read_samples
from advisor.observe.snapshot import Recording, Snapshot
from advisor.observe.window import judge
from advisor.pages.observe import data, facts_file, page
from advisor.rulebase.base import load
from tests.each import each
from tests.observe.test_window import SAMPLES, SOCKETS
from tests.observe.texts import mount, mountinfo, tcp

BASE = load()
OPS = {"READ": [400, 400, 0, 1, 1, 100, 80_000, 80_400, 0], "WRITE": [40, 41, 1, 1, 1, 10, 800, 840, 0],
       "GETATTR": [9, 9, 0, 1, 1, 0, 9, 9, 0], "OPEN": [3, 3, 0, 1, 1, 0, 9, 9, 0]}
NFSD = "rc 0 5 9\nproc3 3 1 20 7\nproc4ops 37 " + " ".join(["1"] * 37) + "\n"


def reading(age: int, *, scale: int) -> dict[str, str]:
    """What a whole reading holds."""
    ops = {name: [number * scale for number in row] for name, row in OPS.items()}
    busy = tcp(connects=1, sends=452 * scale, receives=452 * scale, backlog=9 * scale, most_slots=8)
    counted = {"events": {5: scale, 16: scale}, "sizes": {0: 9 * scale, 4: scale}}
    return {
        "mountstats": mount(age=age, xprts=[busy, tcp(sends=7 * scale)], ops=ops, **counted),
        "mountinfo": mountinfo("/mnt/1"), "uptime": f"{age + 40}.5 9\n", "bdi_read_ahead_kb": "0:50 128\n",
        "snmp_tcp": f"Tcp: OutSegs RetransSegs\nTcp: {900 * scale} {2 * scale}\n", "ss_client": SOCKETS,
        "rpc_nfsd": NFSD,
        "nfsd_pool_stats": f"0 {100 * scale} 100 {40 * scale} 0\n", "nfsd_threads": "8\n", "date": "2026-11-22\n",
    }


FIRST, LAST = reading(60, scale=1), reading(70, scale=2)


def told(first: Mapping[str, str], last: Mapping[str, str], samples: str = SAMPLES) -> dict[str, object]:
    """The whole way, to what every output says."""
    read = Recording(Snapshot(first), Snapshot(last), read_samples(samples), [Snapshot(last)])
    report = judge(BASE, read)
    page(report)
    facts_file(BASE, report, "2026-11-22", "2026-12-22")
    found = json.loads(json.dumps(data(report, parts_of(read))))
    for one in found["mounts"]:
        BASE.diagnosis.certain(one["facts"])  # each lies in its domain
    return found


NUMBERS = st.sampled_from(
    ["0", "-1", "18446744073706749450", "1e400", "9" * 30, "4503599627370496", "nan", "inf", "x", ""]
)


@given(st.data())
@example(None)
def test_a_number_of_any_kind_anywhere_is_survived(draw: st.DataObject | None) -> None:
    if draw is None:
        told(FIRST, LAST)
        return
    both = [dict(FIRST), dict(LAST)]
    samples = SAMPLES
    for _ in range(draw.draw(st.integers(1, 3))):
        name = draw.draw(st.sampled_from([*sorted(FIRST), "samples"]))
        texts = both[draw.draw(st.integers(0, 1))]
        text = samples if name == "samples" else texts[name]
        place = draw.draw(st.sampled_from([found.span() for found in re.finditer(r"-?[0-9]+", text)] or [(0, 0)]))
        text = text[: place[0]] + draw.draw(NUMBERS) + text[place[1] :]
        if name == "samples":
            samples = text
        else:
            texts[name] = text
    told(both[0], both[1], samples)


@given(st.sampled_from(sorted(FIRST)), st.booleans(), st.data())
def test_a_file_cut_or_overwritten_anywhere_is_survived(name: str, newer: bool, draw: st.DataObject) -> None:
    first, last = dict(FIRST), dict(LAST)
    texts = last if newer else first
    at = draw.draw(st.integers(0, len(texts[name])))
    texts[name] = texts[name][:at] + draw.draw(st.text(max_size=8)) + texts[name][at + draw.draw(st.integers(0, 400)) :]
    told(first, last)


@given(st.sets(st.sampled_from(sorted(FIRST))), st.sets(st.sampled_from(sorted(FIRST))))
def test_a_file_that_is_missing_is_survived(first: set[str], last: set[str]) -> None:
    told({name: FIRST[name] for name in first}, {name: LAST[name] for name in last})


@each(lambda: ["", "x", "nan 1", "inf 1", "-5 1", "1e400 1", "0 0"])
def test_a_clock_that_cannot_be_gives_no_rates(uptime: str) -> None:
    (one,) = told(FIRST, {**LAST, "uptime": uptime})["mounts"]  # type: ignore[misc,attr-defined]
    assert one["seconds"] == 10  # as the mount's age says


def test_a_corrupt_line_adds_no_conclusion() -> None:
    """A line of operations with an impossible number is as if it were not there; or as it was, where nothing is made of
    that number (timeouts, bytes sent and received)."""
    whole = " ".join(str(each * 2) for each in OPS["READ"])
    missing = concluded(LAST["mountstats"].replace(f"READ: {whole}", ""))
    intact = concluded(LAST["mountstats"])
    for number in range(8):
        for wrong in ("-1", "18446744073706749450", "9007199254740993000"):
            row = whole.split()
            row[number] = wrong
            got = concluded(LAST["mountstats"].replace(whole, " ".join(row)))
            assert got in ((intact, missing) if number in (2, 3, 4) else (missing,)), (number, wrong)


def concluded(mountstats: str) -> object:
    (one,) = told(FIRST, {**LAST, "mountstats": mountstats})["mounts"]  # type: ignore[misc,attr-defined]
    return one["conclusions"]
