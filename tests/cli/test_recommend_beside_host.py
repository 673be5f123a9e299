"""What a host sets, what is in effect, and what is advised, side by side: as `check` compares them."""

from __future__ import annotations

import json

import pytest

from tests.host import trees
from tests.schemas import validate

SLOTS = "sysctl.sunrpc.tcp_max_slot_table_entries"
HOST = {
    **trees.DEBIAN12,
    "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("acct.file.core.windows.net:/acct/a", "/a"),
    "/etc/fstab": "acct.file.core.windows.net:/acct/a  /a  nfs  vers=4.1,soft  0 0\n",
    "/etc/sysctl.d/50-nfs.conf": "net.core.rmem_max = 4194304\n",
    "/etc/modprobe.d/nfs.conf": "options sunrpc tcp_max_slot_table_entries=16\n",
    "/proc/sys/net/core/rmem_max": "212992\n",
    "/sys/class/bdi/0:52/read_ahead_kb": "128\n",
}
FACTS = ("workload.access=sequential", "client.has_nfsrahead=no", "client.has_readahead_15x=no", "workload.kind=hpc")


@pytest.fixture
def recommend(advisor, tmp_path):
    def run(files: dict[str, str], *more: str):
        if not (tmp_path / "host").exists():
            trees.plant(tmp_path / "host", files)
        root = str(tmp_path / "host")
        sets = [word for fact in FACTS for word in ("--set", fact)]
        ran = advisor("recommend", "--root", root, "--target", "/a", *sets, *more)
        assert ran.code == 0, ran.err
        return ran.out

    return run


def settings(text: str) -> dict[str, tuple[object, object]]:
    told = json.loads(text)
    validate(told, "advisor-recommend-1")
    return {one["tunable"]: (one["set"], one["in_effect"]) for one in told["settled"] + told["assumed"]}


def test_each_setting_has_what_is_set_and_what_is_in_effect_with_its_place(recommend):
    told = settings(recommend(HOST, "--output-format", "json"))
    assert told["mount.hard"] == (
        {"value": "soft", "where": "/etc/fstab:1"}, {"value": "hard", "where": "/proc/self/mountinfo"},
    )
    assert told["mount.nconnect"][1] == {"value": 1, "where": "/proc/self/mountinfo"}
    assert told["sysctl.net.core.rmem_max"] == (
        {"value": "4194304", "where": "/etc/sysctl.d/50-nfs.conf:1"},
        {"value": 212992, "where": "/proc/sys/net/core/rmem_max"},
    )
    assert told["bdi.read_ahead_kb"][1] == {"value": 128, "where": "/sys/class/bdi/0:52/read_ahead_kb"}


def test_not_collected_is_not_the_same_as_not_set(recommend):
    files = {path: text.replace("acct.file.core.windows.net", "nas") for path, text in HOST.items()}
    anf = ("--set", "storage.platform=anf")
    told = settings(recommend(files, *anf, "--output-format", "json"))
    assert told["sysctl.net.core.wmem_max"] == ({"value": None, "where": None}, None)
    text = recommend(files, *anf)
    table = " ".join(text[text.index("Set, in effect, advised"):text.index("Mount options")].split())
    assert "hard; set: soft /etc/fstab:1; in effect: hard /proc/self/mountinfo; advised: hard" in table
    assert "net.core.wmem_max; set: not set; in effect: not collected; advised: 16777216" in table


def test_a_line_that_is_not_mounted_has_nothing_in_effect(recommend):
    told = settings(recommend({**HOST, "/proc/self/mountinfo": trees.ROOT_MOUNT}, "--output-format", "json"))
    assert told["mount.hard"][1] == {"value": None, "where": "not mounted"}


def test_check_and_recommend_see_the_same(recommend, advisor, tmp_path):
    told = settings(recommend(HOST, "--output-format", "json"))
    found = json.loads(advisor("check", "--root", str(tmp_path / "host"), "--output-format", "json").out)["findings"]
    differs = next(one for one in found if one["rule"] == "sysctl-not-in-effect")
    own, effect = told["sysctl.net.core.rmem_max"]
    assert (differs["value"], f"{differs['file']}:{differs['line']}") == (own["value"], own["where"])
    assert str(effect["value"]) in differs["message"]
    assert effect["where"] in differs["message"]


def test_without_a_host_nothing_is_told_of_one(advisor):
    ran = advisor("recommend", "--set", "storage.platform=anf", "--output-format", "json")
    assert not any("set" in one or "in_effect" in one for one in json.loads(ran.out)["settled"])
    assert "Set, in effect" not in advisor("recommend", "--set", "storage.platform=anf").out


def test_one_setting_is_explained_with_the_three(advisor, tmp_path):
    ran = advisor("why", "hard", "--root", trees.plant(tmp_path, HOST), "--target", "/a")
    assert "in effect" in ran.out
    assert "/etc/fstab:1" in ran.out
