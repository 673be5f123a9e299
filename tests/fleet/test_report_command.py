"""`advisor fleet report`, as people and programs use it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from advisor.fleet.judge import HostSource, Knowledge
from advisor.fleet.model import FleetReport, read_lines
from advisor.fleet.report import Members, report
from advisor.fleet.run import judge_fleet, sources
from tests.fleet.test_across import client
from tests.fleet.test_bundle import BASE, bundle_of
from tests.fleet.test_classes import node
from tests.host import archives, trees

DISK = "11111111-2222-3333-4444-5555555555"
SOFT = "nas:/a /a nfs soft,timeo=50,vers=4.2 0 0\n"


def host(number: int, **more: str) -> str:
    """A bundle; hosts agree but for their identity."""
    files = node(f"node-{number:03}", f"10.1.0.{number}", 50 + number, f"{DISK}{number:02}", 65_679_312 - number)
    return bundle_of({**files, **more})


def made_at(bundle: str, time: str) -> str:
    return json.dumps({**json.loads(bundle), "made": time}) + "\n"


def test_what_is_found_between_hosts_is_told_and_can_be_ignored(advisor: Any) -> None:
    both = client(1) + client(2)
    (one,) = reported(advisor, "-", stdin=both).across
    assert one.rule == "clients-look-alike"
    assert reported(advisor, "-", "--ignore", "clients-look-alike", stdin=both, code=0).across == ()
    out = advisor("fleet", "report", "-", "--no-config", stdin=both).out
    assert "node at nas: node (<stdin>:1) and node (<stdin>:2) both call themselves node" in " ".join(out.split())


@pytest.fixture(scope="module")
def fleet() -> list[str]:
    """Twelve alike, one with a soft mount."""
    return [*(host(number) for number in range(1, 13)), host(13, **{"/etc/fstab": SOFT})]


def reported(advisor: Any, *args: str, stdin: str = "", code: int = 1) -> FleetReport:
    ran = advisor("fleet", "report", *args, "--output-format", "jsonl", "--no-config", stdin=stdin)
    assert ran.code == code, ran.err
    return read_lines(ran.out.splitlines(), "out")


def test_hosts_are_counted_by_known_fault(advisor: Any) -> None:
    """By the versions of their kernels: 6.12.63 corrects the one fault, 6.12.59 the other, and 6.1 has neither now."""
    kernels = ["6.12.50+deb13-amd64", "6.12.61+deb13-amd64", "6.12.90+deb13-amd64", "6.1.0-50-amd64"]
    line = {"/etc/fstab": "nas:/a /a nfs vers=3,hard 0 0\n"}
    hosts = [host(number, **line, **{"/proc/sys/kernel/osrelease": kernel}) for number, kernel in enumerate(kernels, 1)]
    found = {share.rule: share.hosts for share in reported(advisor, "-", stdin="".join(hosts)).shares}
    assert (found["client-ro-rw-shared"], found["client-v3-create-symlink"]) == (2, 1)
    assert "client-tls-mount-hang" not in found


def test_hosts_are_told_by_classes(advisor: Any, tmp_path: Path, fleet: list[str]) -> None:
    for number, one in enumerate(fleet):
        (tmp_path / f"{number}.json.gz").write_bytes(gzip.compress(one.encode()))
    (tmp_path / "notes.txt").write_text("of somebody else\n")
    made = reported(advisor, str(tmp_path))
    assert [len(one.hosts) for one in made.classes] == [12, 1]
    assert made.classes[0].hosts[0] == "node-001"
    assert made.classes[0].mounts[0].startswith("nas:/a /a nfs")
    soft = next(one for one in made.shares if one.rule == "hard/default")
    assert (soft.hosts, soft.classes) == (1, (made.classes[1].name,))
    (outlier,) = made.outliers
    assert (outlier.name, outlier.near) == (made.classes[1].name, made.classes[0].name)
    assert "/etc/fstab" in [one.what for one in outlier.differences]
    assert made.unread == ()
    out = advisor("fleet", "report", str(tmp_path), "--no-config").out
    assert out.startswith("13 hosts in 2 classes, 1 of them with a single host\n")
    assert "1 of 13 hosts: soft can lose writes; use hard" in out


def test_one_file_may_hold_them_all_and_so_may_the_standard_input(
    advisor: Any, tmp_path: Path, fleet: list[str]
) -> None:
    (tmp_path / "all.jsonl").write_text("".join(fleet))
    (tmp_path / "one.json").write_text(fleet[0])
    together = reported(advisor, str(tmp_path / "all.jsonl"))
    assert reported(advisor, "-", stdin="".join(fleet)).classes == together.classes
    paths = f"{tmp_path / 'all.jsonl'}\n\n{tmp_path / 'one.json'}\n"
    made = reported(advisor, "-", stdin=paths)
    assert made.classes == together.classes
    assert [one.place for one in made.unread] == [f"{tmp_path / 'all.jsonl'}:1"]


def test_of_one_host_the_newest_bundle_counts(advisor: Any, fleet: list[str]) -> None:
    newer = made_at(host(1, **{"/etc/fstab": SOFT}), "2027-01-01T00:00:00Z")
    older = made_at(fleet[0], "2026-01-01T00:00:00Z")
    for order in (newer + older, older + newer):
        made = reported(advisor, "-", stdin=order)
        assert made.hosts == 1
        assert "hard/default" in {one.rule for one in made.shares}
        (left,) = made.unread
        assert left.why.startswith("an older bundle of node-001 (2026-01-01T00:00:00Z); <stdin>:")


def test_two_hosts_of_one_name_stay_two(advisor: Any) -> None:
    one, two = (
        bundle_of({**node("node", f"10.1.0.{n}", 50, f"{DISK}00", 65_679_312),
                   "/proc/net/fib_trie": f"     |-- 10.1.0.{n}\n        /32 host LOCAL\n"}) for n in (1, 2)
    )
    made = reported(advisor, "-", stdin=one + two)
    assert [one.hosts for one in made.classes] == [("node (<stdin>:1)", "node (<stdin>:2)")]
    assert [one.rule for one in made.across] == ["unique-ids-equal"]


def test_what_cannot_be_read_is_named_and_costs_nothing_else(advisor: Any, tmp_path: Path, fleet: list[str]) -> None:
    (tmp_path / "a.json").write_text(fleet[0])
    (tmp_path / "b.json").write_text(fleet[1][:-100])
    (tmp_path / "c.json").write_text('{"schema": "advisor-bundle/9"}')
    (tmp_path / "d.json.gz").write_bytes(gzip.compress(fleet[2].encode())[:-20])
    (tmp_path / "e.json").write_bytes(b"{" + b" " * (3 << 20) + b"}")
    (tmp_path / "f.tar.gz").write_bytes(b"no archive")
    (tmp_path / "g.jsonl").write_text(fleet[3] + fleet[4][:200] + "\n" + fleet[5])
    made = reported(advisor, str(tmp_path), str(tmp_path / "gone.json"), code=0)
    assert made.hosts == 3
    why = {Path(one.place).name: one.why for one in made.unread}
    assert sorted(why) == ["b.json", "c.json", "d.json.gz", "e.json", "f.tar.gz", "g.jsonl:2", "gone.json"]
    assert "version 9" in why["c.json"]
    assert why["gone.json"] == "not found"
    ran = advisor("fleet", "report", str(tmp_path / "c.json"))
    assert ran.code == 2
    assert "no host could be read" in ran.err


def test_a_line_too_long_for_a_bundle_is_said_to_be_so(advisor: Any, tmp_path: Path, fleet: list[str]) -> None:
    large = json.dumps({**json.loads(fleet[0]), "host": "é" * (1 << 19)}, ensure_ascii=False)  # 1 MiB as UTF-8
    (tmp_path / "all.jsonl").write_text(f"{large}\n{fleet[1]}", encoding="utf-8")
    for where, stdin in ((str(tmp_path / "all.jsonl"), ""), ("-", f"{large}\n{fleet[1]}")):
        made = reported(advisor, where, stdin=stdin, code=0)
        (left,) = made.unread
        assert left.place.endswith(":1")
        assert left.why.startswith("larger than 1 MiB, and a bundle has at most 64 KiB; if one line")
        assert made.hosts == 1
    (no_path,) = reported(advisor, "-", stdin=f"{'x' * 5000}\n{fleet[1]}", code=0).unread
    assert no_path[:2] == ("<stdin>:1", "neither a bundle nor a path: longer than a path can be")


@pytest.mark.parametrize("form", ["text", "jsonl", "html", "prometheus"])
def test_a_report_goes_to_a_file(
    advisor: Any, tmp_path: Path, fleet: list[str], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.strftime", lambda *_: "2026-03-01T06:00:00Z")
    args = ("fleet", "report", "-", "--no-config", "--output-format", form, "--verbose")
    to_file = advisor(*args, "-o", str(tmp_path / "report"), stdin="".join(fleet[-2:]))
    printed = advisor(*args, "-o", "-", stdin="".join(fleet[-2:])).out
    assert (to_file.code, to_file.out) == (1, "")
    written = (tmp_path / "report").read_text(encoding="utf-8")
    assert "hard/default" in written
    assert written == printed


def test_trees_and_reports_of_support_tools_are_hosts_too(advisor: Any, tmp_path: Path) -> None:
    trees.plant(tmp_path / "web1", {**trees.EFS, "/etc/hostname": "web1\n"})
    archives.pack(tmp_path / "sosreport-web2.tar.xz", archives.SOS_UBUNTU, mode="w:xz")
    made = reported(advisor, str(tmp_path), code=1)
    names = {name for one in made.classes for name in one.hosts}
    assert "web1" in names
    assert len(names) == 2
    assert not made.unread


def test_processes_change_nothing(fleet: list[str]) -> None:
    many = [HostSource(f"x:{number}", host(1).replace("node-001", f"node-{number:03}")) for number in range(1, 60)]
    many += [HostSource(f"y:{number}", one) for number, one in enumerate(fleet)]
    alone, several = (judge_fleet(iter(many), Knowledge(), jobs) for jobs in (1, 3))
    assert [one.host for one in alone.hosts] == [one.host for one in several.hosts]
    one, other = (report("", each, Members(each.hosts), list, ()) for each in (alone, several))
    assert one == other
    assert one.hosts == 59


def test_a_link_back_ends(tmp_path: Path, fleet: list[str]) -> None:
    (tmp_path / "a.json").write_text(fleet[0])
    (tmp_path / "again").symlink_to(tmp_path)
    assert len([*sources([str(tmp_path)], [*BASE.layouts.values()])]) == 1
