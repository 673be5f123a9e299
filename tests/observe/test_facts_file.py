"""From the counters to the advice: what was observed is marked, makes way, and gets too old."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import main
from advisor.observe.snapshot import record
from tests.observe.test_window import SOCKETS
from tests.observe.texts import mount, mountinfo, tcp
from tests.tiers import thorough

COMMON = {"mountinfo": mountinfo("/mnt/1"), "bdi_read_ahead_kb": "0:50 128\n", "date": "2026-11-22\n"}
STAT = {"GETATTR": [4000, 4000, 0, 1, 1, 10, 8900, 9000, 0]}
SMALL = {"READ": [4000, 4000, 0, 1, 1, 10, 80_000, 80_400, 0]}
SLOTS = ("@@ t=10.0\n# /s/switch-1/xprt-1-tcp/xprt_info state: dst: 192.0.2.7\nsrc_port=700\ndst_port=2049\n"
         "max_num_slots=65536\n")


def observed(folder: Path, ops: dict[str, list[int]], *, more: str = "", days: int = 30) -> Path:
    """The file of facts of a window with these calls."""
    first = {"mountstats": mount(age=60, xprts=[tcp(sends=1)]), "uptime": "100 0\n", **COMMON}
    counted = mount(age=70, xprts=[tcp(sends=4001, most_slots=31)], ops=ops, sizes={2: 4096, 4: 4096 * 4000})
    last = {"mountstats": counted, "uptime": "110 0\n", "ss_client": SOCKETS, **COMMON}
    record(str(folder / "kept"), first, last, SLOTS)
    file = folder / "seen.yaml"
    assert main(["observe", "--replay", str(folder / "kept"), "--write-to", str(file), "--good-for", str(days)]) == 0
    file.write_text(file.read_text() + more)
    return file


@pytest.fixture
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "strftime", lambda _: "2026-12-01")


def advice(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[dict[str, Any], str]:
    """What recommend says, and what it complains about."""
    capsys.readouterr()
    assert main(["recommend", "--output-format", "json", *args]) == 0
    said = capsys.readouterr()
    return json.loads(said.out), said.err


@pytest.mark.usefixtures("today")
def test_what_was_observed_is_known_and_marked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told, complaint = advice(capsys, "--facts", str(observed(tmp_path, STAT)))
    answers = told["answers"]
    assert answers["facts"]["workload.access"] == "metadata"
    assert answers["found"]["workload.access"] == "observed 2026-11-22 in 10 s: 4,000 calls"
    assert answers["facts"]["network.rtt_us"] == 400
    assert answers["names"] == {"server": "nas", "export": "/export", "target": "/mnt/1"}
    assert complaint == ""
    assert main(["recommend", "--facts", str(tmp_path / "seen.yaml")]) == 0
    assert "metadata (observed 2026-11-22 in 10 s: 4,000 calls)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("today")
def test_the_reason_for_a_setting_says_that_a_fact_was_observed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = str(observed(tmp_path, STAT))
    capsys.readouterr()
    assert main(["why", "bdi.read_ahead_kb", "--facts", file, "--set", "workload.kind=general", "--set",
                 "storage.platform=knfsd"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "found in observed" not in words
    assert "observed 2026-11-22 in 10 s: 4,000 calls" in words


@pytest.mark.usefixtures("today")
def test_what_somebody_says_goes_before_what_was_observed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(observed(tmp_path, STAT))
    told, complaint = advice(capsys, "--facts", file, "--set", "workload.access=random", "--set", "network.rtt_us=9000")
    assert "workload.access was observed to be metadata, but you say random, and that counts\n" in complaint
    assert complaint.count("was observed to be") == 2
    assert told["answers"]["facts"]["workload.access"] == "random"
    assert told["answers"]["facts"]["network.rtt_us"] == 9000
    assert not {"workload.access", "network.rtt_us"} & told["answers"]["found"].keys()


@pytest.mark.usefixtures("today")
def test_what_is_in_effect_holds_nothing_in_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """That a mount has vers=4.2 is no wish to keep it."""
    told, _ = advice(capsys, "--facts", str(observed(tmp_path, STAT)))
    assert not any(fact.startswith("mount.") for fact in told["answers"]["facts"])
    assert told["answers"]["observed"]["mount.vers"] == "4.2"


@thorough
@pytest.mark.usefixtures("today")
def test_what_is_too_old_is_told_and_not_used(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(observed(tmp_path, STAT, days=3))
    told, complaint = advice(capsys, "--facts", file)
    assert told["answers"]["facts"] == {}
    assert told["answers"]["observed"] == {}
    assert "observed too long ago (good until 2026-11-25), so not used; observe again, or give --expired" in complaint
    again, complaint = advice(capsys, "--facts", file, "--expired")
    assert again["answers"]["facts"]["workload.access"] == "metadata"
    assert complaint == ""


@pytest.mark.usefixtures("today")
def test_what_somebody_added_to_the_file_does_not_get_too_old(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = observed(tmp_path, STAT, days=3)
    file.write_text(file.read_text().replace("    found:\n", "    workload.kind: mail\n    found:\n", 2))
    file.write_text(file.read_text().replace("    workload.kind: mail\n", "", 1))  # it is no fact of a server
    told, _ = advice(capsys, "--facts", str(file))
    assert told["answers"]["facts"] == {"workload.kind": "mail"}


@pytest.mark.usefixtures("today")
def test_settings_that_would_change_nothing_are_marked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    known = ["--set", "storage.platform=anf", "--set", "workload.kind=oracle", "--set", "client.kernel=5.14"]
    file = str(observed(tmp_path, SMALL))
    told, _ = advice(capsys, "--facts", file, *known)
    marks = {one["tunable"]: one["observed"] for one in told["settled"] + told["assumed"]}
    assert marks["mount.rsize"]["kind"] == "useless"
    assert marks["mount.rsize"]["says"] == "READs brought 4 KiB on average; rsize allows 1 MiB."
    assert marks["mount.hard"] is None  # it is not there to make anything faster
    capsys.readouterr()
    assert main(["recommend", "--verbose", "--facts", file, *known]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert words.count("Observed: it would change nothing. READs brought 4 KiB") == 2  # listed, and explained
    assert main(["recommend", "--facts", file, *known, "--write-to", str(tmp_path / "files")]) == 0
    details = (tmp_path / "files/REPORT-details.md").read_text()
    assert "Observed: it would change nothing. READs brought 4 KiB" in details


@pytest.mark.usefixtures("today")
def test_a_setting_that_can_help_comes_first_with_what_it_saves(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = str(observed(tmp_path, STAT))
    known = ["--set", "workload.kind=eda", "--set", "workload.static_data=true", "--set", "storage.platform=ontap",
             "--set", "client.kernel=5.14"]
    told, _ = advice(capsys, "--facts", file, *known)
    marks = {one["tunable"]: one["observed"] for one in told["settled"] + told["assumed"]}
    assert marks["mount.nocto"]["kind"] == "helps"
    assert marks["mount.nocto"]["at_most"] == "9 s"
    assert main(["recommend", "--facts", file, *known]) == 0
    out = capsys.readouterr().out
    rows = out[out.index("Mount options"):].splitlines()[1:]
    assert rows[0].split()[0].startswith("nocto")
    assert "It saves 9 s at most." in " ".join(out.split())


@thorough
@pytest.mark.usefixtures("today")
def test_several_mounts_of_a_file_get_what_was_observed_of_each(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The file adds no mount to those of the fstab, and needs no more than the mount point to tell them apart."""
    (tmp_path / "fstab").write_text("filer:/export /mnt/1 nfs4 defaults 0 0\nfiler:/two /mnt/2 nfs4 defaults 0 0\n")
    told, _ = advice(capsys, "--mounts", str(tmp_path / "fstab"), "--facts", str(observed(tmp_path, STAT)))
    first, second = told["mounts"]
    assert first["facts"]["workload.access"] == "metadata"
    assert first["found"]["workload.access"].startswith("observed 2026-11-22")
    assert "workload.access" not in second["facts"]


@pytest.mark.usefixtures("today")
def test_the_wizard_shows_when_it_was_observed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    file = str(observed(tmp_path, STAT))
    capsys.readouterr()
    monkeypatch.setattr(sys, "stdin", io.StringIO("b\nq\n"))
    main(["wizard", "--plain", "--no-save", "--facts", file])
    words = " ".join(capsys.readouterr().out.split())
    assert "Your answer: at least 1 MiB/s (observed 2026-11-22 in 10 s: 4,000 calls)." in words


@pytest.mark.usefixtures("today")
def test_answers_keep_what_was_observed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """An answers file made of it says the same again."""
    from advisor.advice.answers_file import answers_by_mount, answers_text, joined_answers, read_answers
    from advisor.rulebase.base import load

    base = load()
    told, _ = advice(capsys, "--facts", str(observed(tmp_path, STAT)))
    first = answers_by_mount(base, read_answers(base, _written(tmp_path, json.dumps(told["answers"]))))
    again = read_answers(base, _written(tmp_path, answers_text(joined_answers(base, first))))
    assert answers_by_mount(base, again) == first
    assert first[0].observed["observed.calls"] == 4000


def _written(folder: Path, text: str) -> str:
    (folder / "answers.yaml").write_text(text)
    return str(folder / "answers.yaml")


@pytest.mark.parametrize(("text", "said"), [
    ("until: soon\nfound: {client.distro: seen}\nclient.distro: rhel\n", "write a day such as 2026-12-31"),
    ("found: [a]\n", "found is a mapping"),
    ("mounts: [{target: /a, until: 2026, workload.kind: mail}]\n", "write a day"),
    ("mounts: [{target: /a, observed: {cals: 4}}]\n", "did you mean observed.calls"),
    ("mounts: [{target: /a, observed: {calls: -4}}]\n", "observed.calls"),
    ("mounts: [{target: /a, observed: {calls: [4]}}]\n", "a number or a word"),
])
def test_a_file_that_cannot_be_used_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    assert main(["recommend", "--facts", _written(tmp_path, text)]) == 2
    assert said in capsys.readouterr().err


def test_names_of_any_kind_are_read_back(tmp_path: Path) -> None:
    from ruamel.yaml import YAML

    from advisor.pages.phrases import yaml_value

    for text in ("plain", 'a"b\\c', "\x1b[2J", "\u2028\u0085", "\U0001f600", "a\nb", ""):
        assert YAML(typ="safe", pure=True).load(f"a: {yaml_value(text)}")["a"] == text


def test_findings_rest_on_what_was_observed_unless_somebody_says_otherwise() -> None:
    from advisor.lint.evidence import _origin
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.base import load
    from advisor.sections import Mount, Section

    where = "observed 2026-11-22 in 10 s: 4,000 calls"
    seen = Section("f:1:1", {"target": "/mnt/1"}, {"workload.access": "metadata"}, {}, found={"workload.access": where})
    here = Mount("nas", "/export", "/mnt/1")
    own = RuleIndex(load(), {}, (seen,)).of(here)
    assert own.known["workload.access"] == "metadata"
    assert _origin(own, None, "workload.access") == where
    said = RuleIndex(load(), {"workload.access": "random"}, (seen,)).of(here)
    assert said.known["workload.access"] == "random"
    assert _origin(said, None, "workload.access") == "given"
