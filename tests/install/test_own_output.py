"""What is written lints clean without a flag, or the verdict says why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import AnswerError, Answers, check_answers
from advisor.advice.verdict import verdict, warning, with_refusals
from advisor.cli import main
from advisor.files.kinds import identify
from advisor.install.build import artefacts, checked_context
from advisor.install.host_files import host_files
from advisor.install.scripts import mounts
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.lint.suppress import stated, stated_of_all
from tests.advice.environments import answers, base, fits
from tests.each import each
from tests.tiers import examples, some

PINS: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {"mount.nconnect": 2}, {"mount.rsize": 65536}, {"mount.hard": "soft"}, {"mount.vers": "3"},
)


NAMES = {"server": "nas.example.com", "export": "/acct/vol", "target": "/data", "clients": "10.0.0.0/8"}


def objections(told: Answers) -> list[str]:
    """The findings above a note in what is written of which the verdict says nothing: neither in its reasons, nor of a
    setting that is open or refused, nor as a known bug."""
    advice = with_refusals(base(), advise(base(), told._replace(names=NAMES)))
    if advice.unusable_pins:
        return []
    reasons = " ".join(verdict(base(), [advice]).reasons).casefold()
    said = {row.tunable for row in advice.rows if row.refused or row.part == "open"}
    said |= {bug.erratum for bug in advice.bugs}
    context = checked_context(base(), advice)
    made = [file for file in mounts(context) if file.path == "fstab"]
    made += host_files(context) if advice.server else ()
    found = [(one, file) for file in made if (kind := identify(file.text, file.path))
             for one in lint_text(file.text, file.path, base(), {}, kind=kind).findings]
    return [f"{one.rule}: {one.message}\n{told.facts}\n{file.text}" for one, file in found
            if one.severity != "note" and not one.policy
            and one.message.casefold() not in reasons and said.isdisjoint({one.rule, one.tunable})]


@examples(15, 200)
@given(answers(), st.sampled_from(PINS))
def test_the_verdict_says_what_the_linter_finds_above_a_note(told: Answers, pins: dict[str, Any]) -> None:
    pins = {name: value for name, value in pins.items() if name not in told.facts}
    try:
        consistent = check_answers(base(), told._replace(pins=pins))
    except AnswerError:  # a pin that the facts rule out is refused
        reject()
    assert objections(consistent) == []


def _together(platform: str, turn: int) -> dict[str, Any]:
    """An environment of the platform in which each fact about the work or the mount has its value of this turn, but for
    those that contradict the ones before them."""
    facts: dict[str, Any] = {"storage.platform": platform}
    names = [name for name in base().facts if name.startswith(("workload.", "mount.", "identity.", "network."))]
    kinds = base().facts["workload.kind"].values
    for place, name in enumerate((*names[turn:], *names[:turn])):
        fact = base().facts[name]
        values = list(fact.values) if fact.type == "enum" else [True, False] if fact.type == "bool" else []
        if values and fact.ask:
            step = 7 * len(facts) + turn if values == list(kinds) else turn >> place % 3
            tried = {**facts, name: values[step % len(values)]}
            facts = tried if fits(tried) else facts
    return facts


@pytest.mark.parametrize("platform", some(list(base().facts["storage.platform"].values), 23))
def test_so_it_does_for_all_that_is_known_of_the_work_and_the_mount(platform: str) -> None:
    for turn in range(8):
        assert objections(Answers(_together(platform, turn))) == []


AGAINST_THE_LINE: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"storage.platform": "azure-blob", "workload.locks": True}, "will-fail", "locks on Azure Blob storage"),
    ({"storage.platform": "azure-blob", "workload.locks": False}, "ready", ""),
    ({"storage.platform": "knfsd", "network.path": "internet"}, "open", "crosses the Internet unencrypted"),
    ({"storage.platform": "knfsd", "network.path": "local"}, "ready", ""),
)


@pytest.mark.parametrize(("facts", "state", "words"), AGAINST_THE_LINE)
def test_the_verdict_knows_what_the_linter_says_of_the_line(facts: dict[str, Any], state: str, words: str) -> None:
    advice = with_refusals(base(), advise(base(), Answers(facts)))
    found = verdict(base(), [advice])
    assert (found.state, found.open) == (state, state == "open")
    assert words in " ".join(found.reasons)
    assert bool(warning(advice)) is (state != "ready")


MOUNTED = {"fstab", "systemd-mount", "autofs", "cloud-init", "ansible", "script"}
WRITTEN: tuple[tuple[dict[str, Any], set[str]], ...] = (
    ({"storage.platform": "anf", "workload.kind": "eda", "mount.vers": "4.1"}, {*MOUNTED, "modprobe"}),
    ({"storage.platform": "aws-efs", "workload.static_data": True}, MOUNTED),
    ({"storage.platform": "azure-files"}, MOUNTED),
    ({"storage.platform": "ontap", "workload.kind": "home", "mount.sec": "krb5"}, MOUNTED),
    ({"storage.platform": "anf", "client.kubernetes": True, "mount.vers": "4.1"}, {"kubernetes", "modprobe"}),
    ({"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True}, {"script", "nfs.conf", "ansible"}),
    ({"storage.platform": "knfsd", "host.role": "nfs-server", "server.v40_clients": True}, {"exports", "nfs.conf"}),
)
"""Facts, and kinds of files that are written for them."""
PROSE = (".md", ".html")
"""What is for people: it quotes lines, and carries no comments."""


@each(lambda: WRITTEN)
def test_every_written_file_that_lint_reads_lints_clean(facts: dict[str, Any], kinds: set[str]) -> None:
    told = Answers(facts, names=NAMES)
    made = [file for file in artefacts(base(), advise(base(), told)) if not file.path.endswith(PROSE)]
    read = {file.path: (file.text, kind) for file in made if (kind := identify(file.text, file.path))}
    assert kinds <= {kind for _, kind in read.values()}
    results = {path: lint_text(text, path, base(), {}, kind=kind) for path, (text, kind) in read.items()}
    assert [f"{one.file}: {one.message}" for result in results.values() for one in result.findings
            if not one.policy] == []
    unread = {path for path, result in results.items() if result.unread}
    assert unread <= {"terraform/user-data.tftpl"}  # whose source is filled in later


def test_what_a_file_says_of_itself_gives_way_and_holds_for_no_other_file() -> None:
    unit = "[Mount]\nWhat=nas:/a/b\nWhere=/b\nType=nfs\nOptions=vers=4.1,hard,rsize=262144,wsize=262144\n"
    said = '# advisor: facts {"storage.platform": "anf"}\n# advisor: facts {"workload.kind": "eda"}\n' + unit

    def rules(text: str, index: RuleIndex | None = None, **facts: Any) -> set[str]:
        found = lint_text(text, "b.mount", base(), facts, index, kind="systemd-mount").findings
        return {one.rule for one in found}

    assert "rsize-below-1m" in rules(unit)
    assert "rsize-below-1m" not in rules(said)
    assert "rsize-below-1m" in rules(said, **{"storage.platform": "knfsd", "workload.kind": "media"})
    index = RuleIndex(base(), {}, (), "systemd-mount")
    rules(said, index)
    assert "rsize-below-1m" in rules(unit, index)
    apart = said + unit.join(['# advisor: facts {"storage.platform": "knfsd"}\n', ""])
    assert stated_of_all(apart, "facts") == {}
    pinned = '# advisor: pins {"mount.hard": "soft"}\n' + unit.replace("hard", "soft")
    assert rules(unit.replace("hard", "soft")) > rules(pinned)


@examples(5, 30)
@given(st.text(alphabet='{}":,a1 .\\', max_size=40))
def test_a_statement_that_is_not_understood_says_nothing_of_the_line(said: str) -> None:
    line = "nas:/a /a nfs hard 0 0\n"
    bare, told = (
        {one.rule for one in lint_text(text, "fstab", base(), {}).findings}
        for text in (line, f"# advisor: facts {{{said}}}\n{line}")
    )
    assert told - bare == ({"unused-suppression"} if said.strip() else set())
    assert bare <= told


def test_what_is_given_otherwise_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "fstab"
    file.write_text('# advisor: facts {"storage.platform": "azure-files"}\nnas:/a /a nfs vers=3,hard 0 0\n')
    assert stated(file.read_text(), "facts") == {2: {"storage.platform": "azure-files"}}
    assert main(["lint", str(file)]) == 1
    assert main(["lint", "--set", "storage.platform=ontap", str(file)]) in (0, 1)


@pytest.mark.parametrize(("said", "words"), [
    ('{"storage.platform": "knfds", "workload.kind": "home"}',
     "of the facts said of this line, these or their values are not known: storage.platform"),
    ("{storage.platform: knfsd}", """not understood: write '# advisor: facts {"NAME": "VALUE"}'"""),
    ('{"storage.platform": "' + 20_000 * "k" + '"}', """not understood: write '# advisor: facts {"NAME": "VALUE"}'"""),
    ('{"storage.platform": "knfsd", "workload.kind": "home"}', None),
])
def test_a_statement_that_was_edited_wrongly_is_reported(said: str, words: str | None) -> None:
    found = lint_text(f"# advisor: facts {said}\nnas:/a /a nfs hard 0 0\n", "fstab", base(), {}).findings
    assert [one.message for one in found if one.rule == "unused-suppression"] == ([words] if words else [])


def test_the_folder_is_linted_as_its_report_judges_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {"storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "hpc", "mount.sec": "sys"}
    advice = advise(base(), Answers(facts=told, names={**NAMES, "server": "10.0.0.4"}))
    reports = [one for one in artefacts(base(), advice) if one.path in ("fstab", "REPORT.md")]
    assert len(reports) == 2
    for one in reports:
        (tmp_path / one.path).write_text(one.text)
    assert main(["lint", "--no-config", str(tmp_path)]) == 0
    assert "no findings in" in capsys.readouterr().out
    (tmp_path / "REPORT.md").write_text(reports[1].text.replace("# advisor: facts", "# facts"))
    main(["lint", "--no-config", str(tmp_path)])
    assert "rsize-below-1m" in capsys.readouterr().out, "without what is known, it would be noted"
