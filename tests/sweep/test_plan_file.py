"""The file of a plan: what is to_yaml is read, and what is wrong is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from advisor.rulebase.base import load
from advisor.sweep.model import Factor, OwnNamespace, SweepPlan, all_points
from advisor.sweep.plan_file import PlanError, read, to_yaml
from tests.tiers import examples

PLAN = SweepPlan(
    "nas.example:/data",
    (
        Factor("mount.vers", ("3", "4.1")), Factor("mount.sync", (True, False)),
        Factor("mount.hard", ("hard", "soft"), control=True),
    ),
    tuple((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)),
    {"write": {"rw": "write", "bs": "8k", "size": "1g"}}, {"mount.rsize": 65536}, 5, 7, 4, None, (),
    OwnNamespace("ipvlan", "eth0", "192.0.2.9/24", "192.0.2.254"), "2026-11-22",
)
HALF = PLAN._replace(points=((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)), resolution=3, aliases=("a = b:c",), own=None)


def back(tmp_path: Path, text: str) -> SweepPlan:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    return read(str(path), load().tunables)[0]


@pytest.mark.parametrize("plan", [PLAN, HALF])
def test_what_is_written_is_read(tmp_path: Path, plan: SweepPlan) -> None:
    assert back(tmp_path, to_yaml(plan)) == plan


@pytest.mark.parametrize(("old", "new", "says"), [
    ("schema: advisor-sweep-plan/1", "schema: other", "not a plan of a sweep"),
    ("blocks: 5", "blocks: 0", "blocks is a whole number from 1 to 1000"),
    ("blocks: 5", "blocks: 5\nblock: 5", "unknown key block; did you mean blocks?"),
    ("nas.example:/data", "/data", "SERVER:/PATH"),
    ("nas.example:/data", "nas.example:data", "SERVER:/PATH"),
    ('["3", "4.1"]', "[3, 4.1]", 'in quotes ("4.1") it is a version'),
    ('["3", "4.1"]', '["3", "5"]', "mount.vers"),
    ('["3", "4.1"]', "[]", "is a list of values"),
    ("mount.sync", "mount.nconect", "did you mean mount.nconnect?"),
    ("mount.rsize: 65536", "mount.sync: true", "mount.sync is a factor too"),
    ("65536", "4097", "would not be in effect"),
    ("[true, false]", "[true, true]", "a value twice"),
    ("[mount.hard]", "[mount.hart]", "did you mean mount.hard?"),
    ("mount.rsize: 65536", "mount.proto: udp", "the client would not mount with"),
    ("mount.sync", "sysctl.vm.dirty_ratio", "not a setting that a sweep can change"),
    ("link: ipvlan", "link: tun", "ipvlan, macvlan, veth"),
    ("192.0.2.9/24", "192.0.2.9", "prefix"),
    ('rw: write', 'exec_prerun: x', "exec_prerun is not among the parameters"),
    ('rw: write', 'filename: /etc/passwd', "filename is not among the parameters"),
    ('rw: write', 'ioengine: "external:/x"', "ioengine=external:/x"),
    ('size: "1g"', 'runtime: 9', "size is needed"),
])
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = to_yaml(PLAN)
    assert old in text
    with pytest.raises(PlanError) as refused:
        back(tmp_path, text.replace(old, new))
    assert says in str(refused.value)
    assert re.match(r"\S+plan\.yaml:\d+:\d+: ", str(refused.value))


def test_a_mistake_is_told_where_it_is(tmp_path: Path) -> None:
    text = to_yaml(PLAN).replace('"4.1"]', '"4.9"]')
    row, line = next((number, line) for number, line in enumerate(text.splitlines(), 1) if "4.9" in line)
    with pytest.raises(PlanError, match=f":{row}:{line.index('4.9')}: "):
        back(tmp_path, text)


LEVELS = {
    "mount.vers": ["3", "4.0", "4.1", "4.2"], "mount.sync": [True, False], "mount.nconnect": [1, 2, 4, 8, 16],
    "mount.rsize": [4096, 65536, 1048576], "mount.hard": ["hard", "soft"], "bdi.read_ahead_kb": [128, 4096],
}
WORDS = st.text(st.characters(min_codepoint=32).filter(str.isprintable), min_size=1, max_size=30)


@st.composite
def plans(draw: st.DrawFn) -> SweepPlan:
    """Plans that can be used."""
    names = draw(st.lists(st.sampled_from(sorted(LEVELS)), min_size=1, max_size=3, unique=True))
    factors = tuple(
        Factor(name, tuple(draw(st.lists(st.sampled_from(LEVELS[name]), min_size=1, unique=True))), draw(st.booleans()))
        for name in names
    )
    whole = all_points(factors)
    points = draw(st.one_of(st.just(whole), st.lists(st.sampled_from(whole), min_size=1).map(tuple)))
    names = draw(st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", fullmatch=True), min_size=1, unique=True))
    jobs = {name: {"rw": draw(st.sampled_from(("read", "randrw"))), "size": "1g", "ss": draw(WORDS)} for name in names}
    fraction = draw(st.booleans())
    own = draw(st.none() | st.just(OwnNamespace("veth", "br0", "2001:db8::9/64")))
    return SweepPlan(
        "[2001:db8::1]:/a b", factors, points, jobs, {"mount.acregmin": 3}, draw(st.integers(1, 1000)),
        draw(st.integers(0, (1 << 63) - 1)), draw(st.integers(0, 9)), 4 if fraction else None,
        tuple(draw(st.lists(WORDS))) if fraction else (), own, "2026-11-22",
        {"storage.platform": "knfsd", "storage.x": draw(WORDS)},
    )


@examples(15, 60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=plans())
def test_any_plan_is_read_as_it_was_written(tmp_path: Path, plan: SweepPlan) -> None:
    assert back(tmp_path, to_yaml(plan)) == plan


@pytest.mark.parametrize("points", ["[[0, 0]]", "[[0, 0, 2]]", "[[0, 0, true]]", "[]", "some", "[[0, 0, -1]]"])
def test_points_are_levels_that_there_are(tmp_path: Path, points: str) -> None:
    with pytest.raises(PlanError, match="points"):
        back(tmp_path, to_yaml(PLAN).replace("points: all", f"points: {points}"))
