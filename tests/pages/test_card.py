"""The card: few lines at any width, the verdict of the one place, the line whole to be copied, harms by their words."""

from __future__ import annotations

from typing import Any

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, Before
from advisor.advice.rows import has_mount, mount_line
from advisor.advice.several import advise_several
from advisor.advice.verdict import verdict, wanting, with_refusals
from advisor.install.build import artefacts_several
from advisor.pages import card as cards
from advisor.pages.layout import terminal
from advisor.pages.style import Style
from advisor.pages.wording import OTHERWISE, POSSIBLY
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.values import told_name
from tests.install.cases import CASES, base, made
from tests.install.cases import advice as advice_of
from tests.tiers import in_both, part

INSTALLED = {"fstab", "exports.d/nfs-advisor.exports"}
ANF = {"storage.platform": "anf", "storage.volume_protocol": "3"}
NAMES = {"server": "nas", "export": "/vol", "target": "/data"}


def drawn(advices: list[Any], columns: int = 100, **options: Any) -> str:
    page = cards.card(advices, verdict(base(), advices), columns=columns, **options)
    return terminal(page, columns, Style(False))


def judged(facts: dict[str, Any], **options: Any) -> Any:
    return with_refusals(base(), advise(base(), Answers(facts, names=NAMES, **options)))


@in_both
def test_a_card_has_at_most_15_lines_and_the_verdict_first() -> None:
    for case in part(CASES, 3):
        advice = with_refusals(base(), advice_of(case))
        files = {path: one.lines for path, one in made(case).items()}
        for columns in (76, 100, 120, 160):
            told = drawn([advice], columns, files=files, folder="out")
            assert len(told.splitlines()) <= cards.LINES, (case, columns)
            assert told.startswith(verdict(base(), [advice]).badge), case
            assert ("else apply.sh changes" in " ".join(told.split())) is bool(files.keys() & INSTALLED), case
            assert not has_mount(advice) or mount_line(advice) in told, case
            assert ("sudo sh out/apply.sh" in " ".join(told.split())) is ("apply.sh" in files), case


def test_a_folded_line_is_the_same_line() -> None:
    advice = judged({"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda"})
    told = drawn([advice], 60, fold=True)
    assert max(map(len, told.splitlines())) <= 60
    folded = told.split("\n    ", 1)[1].split("\n  by default")[0]
    assert folded.replace("\n    ", "").replace(" ", "") == mount_line(advice).replace(" ", "")


def test_harm_that_another_value_would_only_perhaps_do_is_not_called_certain() -> None:
    """vers is negotiated where it is not set, and hard is not."""
    told = drawn([judged(ANF)], 160)
    assert "the mount may fail" in told
    assert "the mount fails" not in told
    was = {"mount.vers": Before("4.1", "/etc/fstab")}
    assert "the mount fails" in drawn([judged(ANF, before=was)], 160)


def test_no_heading_stands_over_nothing() -> None:
    quiet = judged({"storage.platform": "ganesha", "host.role": "nfs-client"})
    assert "harm avoided" not in drawn([quiet], 74)


def test_what_is_better_settled_is_named_beside_ready() -> None:
    served = {"storage.platform": "knfsd", "host.role": "nfs-server", "workload.kind": "hpc", "server.distro": "rhel"}
    advice = judged(served)
    left = [row for row in advice.open if row.strength in ("must", "should") and row not in wanting(advice)]
    assert left
    worst = min((row for row in left if row.consequence), key=lambda row: CONSEQUENCES.index(row.consequence))
    assert f"Open:     {OTHERWISE[str(worst.consequence)]}: {told_name(worst.definition)}" in drawn([advice])
    assert "Open:" not in drawn([advice._replace(rows=tuple(row for row in advice.rows if not row.possible))])


def test_the_group_of_a_pair_is_loaded_with_what_it_needs() -> None:
    files = {path: one.lines for path, one in made("failover-pair").items()}
    told = " ".join(drawn([with_refusals(base(), advice_of("failover-pair"))], 160, files=files).split())
    script = made("failover-pair")["cluster/nfs-group.sh"].text
    needed = [word[2:].split(":?")[0] for word in script.split('"') if word.startswith("${") and ":?" in word]
    assert {"STATE_DEVICE", "ADDRESS"} <= {*needed}
    assert f"on one node {' '.join(f'{name}=…' for name in needed)} sh cluster/nfs-group.sh" in told
    assert "then pcs cluster cib-push nfs-group.xml diff-against=nfs-group.xml.before" in told
    report = made("failover-pair")["REPORT.md"].text
    for step in made("failover-pair")["cluster/nfs-group.sh"].apply:
        assert step in report


def test_what_fails_says_why_and_waits_with_the_command() -> None:
    told = drawn([judged({"storage.platform": "synology"}, pins={"mount.vers": "4.2"})], files={"apply.sh": ()})
    assert told.startswith("WILL FAIL · /data from nas:/vol\n  - vers=4.2: the server has at most ")
    assert "Install:  once that is corrected: on each client sudo sh apply.sh" in told


def test_what_is_there_today_is_beside_what_is_advised() -> None:
    advice = judged({"storage.platform": "anf", "storage.volume_protocol": "3"}, today={"mount.hard": "soft"})
    row = next(line for line in drawn([advice]).splitlines() if "data can be lost" in line)
    assert "soft" in row.split("→")[0]
    assert "today" in drawn([advice])


@in_both
def test_what_stays_as_it_is_avoids_no_harm() -> None:
    for case in part(CASES, 3):
        rows = [line for line in drawn([with_refusals(base(), advice_of(case))]).splitlines() if "→" in line]
        for now, advised in (row.split("→") for row in rows):
            assert not advised.startswith(f" {now.strip()} "), (case, now, advised)
            assert "=False" not in now, (case, now)
    facts = {"storage.platform": "anf", "storage.volume_protocol": "3"}
    assert "data can be lost" not in drawn([judged(facts)])
    assert "data can be lost" not in drawn([judged(facts, today={"mount.hard": "hard"})])


def test_harms_are_told_in_words_and_the_worst_settings_come_first() -> None:
    rows = [line for line in drawn([judged({"storage.platform": "aws-efs"})]).splitlines() if "→" in line]
    assert all(any(words in row for words in (*OTHERWISE.values(), *POSSIBLY.values())) for row in rows)
    assert "noresvport" in "".join(rows)


def test_the_worst_harm_comes_first_and_stays_on_any_width() -> None:
    pair = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "workload.kind": "vm-images",
            "server.shared_storage": "fc", "server.distro": "rhel"}
    advice = judged(pair)
    harms = [*OTHERWISE.values()]
    for columns in (74, 100, 118):
        told = drawn([advice], columns, fold=True)
        rows = [line for line in told.splitlines() if "→" in line]
        assert "→ Fencing (STONITH)" in rows[0], told
        assert "data can be lost" in rows[0], told
        assert "→ no_root_squash" in told, "a flag is not called by the name of its opposite"
        assert "Open:     programs can hang" in told
    headings = [line for line in terminal(cards.details([advice], 100), 100, Style(False)).splitlines()
                if line.lower() in harms]
    assert len(headings) > 1
    order = [CONSEQUENCES.index(next(key for key, words in OTHERWISE.items() if words == line.lower()))
             for line in headings]
    assert order == sorted(order)


def test_the_details_have_each_setting_of_the_card() -> None:
    advice = judged({"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda"})
    told = " ".join(terminal(cards.details([advice], 100), 100, Style(False)).split())
    assert "and 1 more" not in told
    for row in advice.part("set"):
        if row.kind in ("mount-option", "sysctl") and row.rule and row.consequence and row.text not in ("hard", "lock"):
            assert row.text in told, row.text


def test_several_mounts_have_one_card_and_a_report_each() -> None:
    section = {"/a": "3", "/b": "4.1"}
    mounts = tuple(Answers({"storage.platform": "anf", "storage.volume_protocol": version},
                           names={**NAMES, "target": target}) for target, version in section.items())
    several = advise_several(base(), Answers({"storage.platform": "anf"}), mounts)
    files = {file.path: file for file in artefacts_several(base(), several)}
    report = files["REPORT.md"].text
    assert " · 2 mounts" in report.splitlines()[0]
    assert all(mount_line(advice) in report for advice in several.mounts)
    assert "reports/1-a.md" in report
    assert "/a from nas:/vol" in files["reports/1-a.md"].text.splitlines()[0]
    assert "[1-a-details.md](1-a-details.md)" in files["reports/1-a.md"].text
