"""The numbered prompts: questions, answers, lines in and out."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.advice.answers import Answers
from advisor.advice.answers_file import read_answers
from advisor.wizard import files, questions, state, steps
from advisor.wizard.advice_cache import AdviceChange
from advisor.wizard.commands import BY_WORD, PROMPTS, usage
from advisor.wizard.prompt_tasks import Talk
from advisor.wizard.prompts import PlainWizard
from advisor.wizard.rows import FEW_CHANGES, change_rows
from advisor.wizard.state import Session
from tests.wizard.prompting import ANF, BASE, NAMED, NEW, V3, given, run


def test_a_question_comes_with_all_that_helps_to_answer_it() -> None:
    run().says(
        "Where the data lives", "Where does the data live?", "Why it is asked: Vendors", "Help: Choose the service",
        "1 Azure NetApp Files", "d I don't know", "questions still matter,",
        "more could fine-tune",
    )


def test_the_input_ends_and_what_is_settled_is_told() -> None:
    ran = run("1", "1").says("The input has ended", "Your answers:", "Where does the data live? Azure NetApp Files")
    assert ran.session.answers.facts == V3


def test_a_number_a_name_and_an_id_are_the_same_answer() -> None:
    for text in ("1", "anf", "Azure NetApp Files", "azure netapp files", "  1 "):
        assert run(text).session.answers.facts == {"storage.platform": "anf"}, text


def test_a_number_is_the_place_in_the_list_also_of_a_version() -> None:
    told = given(**{"storage.platform": "gcp-netapp-volumes", "host.role": "nfs-client"})
    session = state.go(told, "storage.volume_protocol")
    for text, value in (("1", "3"), ("3", "both"), ("1,2", ["3", "4.1"]), ("4.1", "4.1"), ("NFSv3", "3"),
                        ("3, 4.1", ["3", "4.1"])):
        assert run(text, session=session).session.answers.facts["storage.volume_protocol"] == value
    run("4", session=session).says("Refused:", "The choices are 1 to 3.")


def test_a_question_with_many_answers_fits_a_low_terminal_and_h_lists_all() -> None:
    labels = [choice.label for choice in steps.answer_choices(BASE, NEW, "storage.platform") if choice.act == "answer"]
    short, whole = run(), run("h")
    short.says(labels[8], f"… {len(labels) - 9} more: write a part of the name, or h for all").lacks(labels[9])
    assert len(short.out.partition("h for all")[0].splitlines()) <= 24
    whole.says(*labels)


def test_a_part_of_a_name_is_the_answer_unless_several_have_it() -> None:
    assert run("syno").session.answers.facts["storage.platform"] == "synology"
    ran = run("dell").says("Refused: Several names have dell: 14 Dell PowerScale (Isilon); 19 Dell PowerStore")
    assert "storage.platform" not in ran.session.answers.facts
    run("synolgy").says("did you mean synology")
    run("xyzzy").says("Refused: 'xyzzy' is not one of the choices; h lists them.")


def test_several_numbers_are_several_possible_values() -> None:
    assert run("1, 2").session.answers.facts == {"storage.platform": ["anf", "azure-files"]}


@pytest.mark.parametrize("text", ["0", "99", "1,99", "999999999999999999999999", "no such place", "²"])
def test_what_is_no_answer_is_refused_with_the_reason(text: str) -> None:
    ran = run(text).says("Refused:")
    assert ran.session == NEW
    if text[0].isascii() and text[0].isdigit():
        ran.says("The choices are 1 to")


def test_a_value_is_checked_and_the_reason_told() -> None:
    session = state.go(given(**{"storage.platform": "anf"}), "client.kernel")
    ran = run("new", "5.14.0-362.el9", session=session)
    ran.says("is not a version; write it like 5.14", "Understood: 5.14.0-362.el9", "Examples: 6.12")
    assert ran.session.answers.facts["client.kernel"] == "5.14.0-362.el9"


def test_yes_and_no() -> None:
    for text, value in (("1", True), ("y", True), ("yes", True), ("2", False), ("no", False)):
        session = state.go(given(**ANF), "workload.static_data")
        assert run(text, session=session).session.answers.facts["workload.static_data"] is value
    run("1,2", session=state.go(given(**ANF), "workload.static_data")).says("Choose one of them, or d.")


def test_an_answer_says_what_it_changes_and_why() -> None:
    run("1", "1").says("settings changed:", "fstab.type: nfs. The type nfs with vers= serves every version")


def test_i_do_not_know_is_an_answer() -> None:
    ran = run("d", "b", "s").says("Your answer: I don't know. An empty line keeps it.")
    assert ran.session.answers.unknown == {"storage.platform"}


def test_back_and_forward() -> None:
    ran = run("1", "1", "b", "b", "f", "", "1").says("Your answer: Azure NetApp Files. An empty line keeps it.")
    assert ran.session.order == ("storage.platform", "storage.volume_protocol", "workload.kind")
    changed = run("1", "1", "b", "4.1")
    assert changed.session.answers.facts["storage.volume_protocol"] == "4.1"


def test_undo_and_redo() -> None:
    ran = run("u", "1", "1", "u", "u", "r", "r", "r")
    ran.says("There is nothing to undo.", "There is nothing to redo.")
    assert ran.session.answers.facts == V3
    assert run("1", "undo").session.answers == Answers()


def test_show_tells_answers_settings_and_the_mount_line() -> None:
    ran = run("s", session=given(**ANF, **{"client.kernel": "6.1", "storage.volume_protocol": "4.1"}))
    ran.says("Where does the data live? Azure NetApp Files", "Mount options:", "settings to make,", "The mount line:")
    assert "\nnfs-server.example:/export  /mnt/nfs  nfs  " in ran.out, "in one piece, to be copied"


def test_open_tells_what_settles_it() -> None:
    run("o", session=given(**ANF)).says("nconnect", "It depends on:", "Which kernel do the clients run?")


def test_why_of_a_settled_an_open_and_an_unknown_setting() -> None:
    ran = run("w nconnect", "w", "w no-such-setting", "why mount.rsize", "w estimate.connections",
              session=given(**ANF, **{"workload.kind": "eda"}))
    ran.says("What settles it", "Write w and a setting", "no rule decides 'no-such-setting'", "Sources",
             "client.count")


def test_pin_holds_lets_go_and_refuses() -> None:
    ran = run("p nconnect=4", "s", "p nconnect=4", "p nconnect=17000000", "p nconnect", "p x=1", session=given(**ANF))
    ran.says("nconnect=4 (pinned)", "It is pinned.", "Refused:", "Write p and a setting", "no rule decides")
    assert ran.session.answers.pins == {"mount.nconnect": 4}
    assert run("p nconnect=4", "p nconnect=", "p nconnect=").says("It is no longer pinned.").session.answers.pins == {}


def test_names_for_the_files() -> None:
    ran = run("name server=nfs1.example", "name colour=red", "name export=relative", "name")
    ran.says("server is nfs1.example in the files.", "Write name WHAT=TEXT", "write an absolute path")
    assert ran.session.answers.names == {"server": "nfs1.example"}


def clash() -> tuple[Session, str, str]:
    """A session, the number of an answer that contradicts it, and the earlier answer."""
    return state.go(given(**ANF, **{"client.distro": "ubuntu"}), "client.kernel"), "5.14.0-362.el9", "client.distro"


def test_a_contradiction_names_the_earlier_answer_and_offers_to_drop_it() -> None:
    session, text, earlier = clash()
    kept = run(text, "1", session=session).says("Refused:", "Keep the earlier answer", "Drop it:", "stays.")
    assert kept.session.answers == session.answers
    dropped = run(text, "2", session=session).session.answers.facts
    assert dropped["client.kernel"] == text
    assert earlier not in dropped
    for odd in ("", "7", "-1", "drop"):
        assert run(text, odd, session=session).session.answers == session.answers
    assert run(text, session=session).session.answers == session.answers, "the input may end here too"


def test_a_pin_that_an_answer_forbids_stays_a_pin_when_the_answer_is_dropped() -> None:
    """Of a setting that is a fact too, which could be answered as well."""
    ran = run("p nconnect=4", "2", session=given(**ANF, **{"client.kernel": "3.10.0-1160.el7"}))
    ran.says("Refused:", "Drop it:")
    assert ran.session.answers.pins == {"mount.nconnect": 4}
    assert ran.session.answers.facts == ANF


def test_what_was_found_on_this_host_is_taken_with_an_empty_line() -> None:
    found = {"storage__platform": ("knfsd", "/proc/mounts")}
    ran = run("", **found).says("Found on this host: A Linux NFS server (knfsd), in /proc/mounts.")
    assert ran.session.answers.facts == {"storage.platform": "knfsd", "host.role": "nfs-client"}
    assert ran.session.answers.origin == {"storage.platform": "/proc/mounts", "host.role": state.CHOSEN}
    run("").says("Write an answer, or d if you don't know")


def test_export_writes_what_recommend_reads_again(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    session = given(**ANF)
    ran = run(f"x {folder}", f"export {folder}", session=session)
    ran.says("answers.yaml", "written", "is there already", "Nothing else on this host has changed",
             "write name server=… and name export=…")
    assert read_answers(BASE, str(folder / "answers.yaml")) == session.answers._replace(asked=True)
    (folder / "REPORT.md").write_text("mine")
    run(f"x {folder}", session=session).says("kept as edited", "--force")
    assert (folder / "REPORT.md").read_text() == "mine"
    run(f"x {folder}/REPORT.md", "x \0", session=session).says("Not written:")


def test_export_asks_for_a_folder_and_has_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("x", "", session=given(**ANF))
    assert (tmp_path / "nfs-config/answers.yaml").exists()


def test_quit_says_where_the_session_is_and_the_next_start_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "state/wizard.json"
    run("1", "1", "q", path=path).says(f"The answers are saved in {path}", "advisor wizard --plain continues")
    again = run("x?", "1", "s", path=path).says("Continue with the saved answers (anf, 2 answers, ", "Write 1 or 2.")
    assert again.session.answers.facts == V3
    assert run("2", path=path).session == NEW
    assert run("2", path=path).says("Nothing was answered.")
    run("2", "b", "b", "f", "u", path=path).says("Which mount is this for?", "No more answers in that direction.")
    assert files.read_session(path) is not None, "kept until there is something new"
    run("2", "q", session=given(**ANF), path=path).says("The answers are saved in")
    assert run("1", path=path).session.answers.facts == ANF, "those given at the start are kept too"
    path.write_text('{"order": [1]}')
    run("1", path=path).says("It cannot be continued")


def test_a_session_that_cannot_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = run("1", "1", path=tmp_path / "file/wizard.json")
    assert ran.out.count("cannot be saved") == 1


def test_help_names_every_command() -> None:
    run("?").says(*(f"{usage(one)} {one.help}" for one in PROMPTS))
    run("help").says("Or a command:")


def test_no_choice_is_called_like_a_command() -> None:
    offered = [one for fact in BASE.facts for one in questions.values_to_choose(BASE, NEW, fact)]
    called = {str(name).lower() for one in offered for name in (one.value, one.label)}
    assert not BY_WORD.keys() & called


def test_nothing_left_to_ask() -> None:
    session = NEW
    while (fact := questions.current_question(BASE, session)) is not None:
        session = state.dont_know(BASE, session, fact)
    run("", "1", "d", "h", "q", session=session).says("NOT READY: ", "No question is open")


def test_every_command_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/wizard.md").read_text()
    assert not [usage(one) for one in PROMPTS if f"`{usage(one)}`" not in page]


HOSTILE = [
    "\x1b[2J\x1b]0;title\x07", "\x00\x01\x7f", "\u202egnp.exe", "a" * 100_000, "1 " * 5000, "w \x1b[31m",
    "p \x1b=\x1b", "p nconnect=\x1b[2J", "name server=\x1b[2J", "x \x1b[2J\0", "\udcff\udcfe", "--help", "$(id)",
    "%s{0}", "w " + "(" * 2000, "\t", "1\x0b2", "🙂" * 50, "b b", "s x",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_line_of_input_is_obeyed_or_stumbled_over(text: str) -> None:
    run(text, text, "1", session=given(**ANF))


@pytest.mark.parametrize("columns", [1, 20, 40, 80, 200])
def test_lines_are_as_wide_as_asked(columns: int) -> None:
    ran = run("1", "?", "s", columns=columns)
    wide = [line for line in ran.out.splitlines() if len(line) > max(columns, 20) and " /mnt/nfs " not in line]
    assert not wide


def piped(*args: str, lines: bytes = b"", folder: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "advisor", "wizard", "--plain", *args], input=lines, capture_output=True, timeout=120,
        check=False, env={**os.environ, "XDG_STATE_HOME": str(folder), **env},
    )


def test_a_pipe_gets_no_session_in_its_way_and_leaves_none(tmp_path: Path) -> None:
    for _ in range(2):
        ran = piped(lines=b"\n1\n\xff\xfe\x1b[2J\n1\n", folder=tmp_path, COLUMNS="50", PYTHONIOENCODING="ascii")
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert b"\x1b" not in ran.stdout
        assert b"Answer: 1\n" in ran.stdout, "what was read is told, for whoever reads the transcript"
        assert b"Which NFS version is the volume set up for? NFSv3" in b" ".join(ran.stdout.split())
    assert not list(tmp_path.iterdir())


def test_options_apply(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("schema: advisor-answers/1\nfacts:\n  storage.platform: anf\n")
    ran = piped("--answers", str(answers), "--set", "host.role=nfs-client", "--quick", folder=tmp_path)
    assert ran.returncode == 0
    assert b"Where does the data live? Azure NetApp Files" in ran.stdout
    assert piped("--answers", str(tmp_path / "none"), folder=tmp_path).returncode == 2
    ran = piped("--web", folder=tmp_path)
    assert ran.returncode == 2
    assert b"give only one of them" in ran.stderr


def test_no_input_at_all_is_an_end() -> None:
    out = io.StringIO()
    assert PlainWizard(BASE, state.start(), {}, Talk(None, out), find_setting=NAMED).run() == 0
    closed = io.StringIO()
    closed.close()
    assert PlainWizard(BASE, state.start(), {}, Talk(closed, out), find_setting=NAMED).run() == 0
    assert out.getvalue().count("The input has ended.") == 2


def test_plain_needs_neither_textual_nor_rich() -> None:
    told = subprocess.run([sys.executable, "-c", (
        "import io, sys; sys.stdin = io.StringIO('\\n1\\n1\\nw nconnect\\no\\ns\\n'); from advisor.cli import main; "
        "code = main(['wizard', '--plain', '--no-save']); "
        "print(code, [name for name in ('textual', 'rich', 'pydantic') if name in sys.modules])"
    )], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.splitlines()[-1] == "0 []"


def typed(folder: Path, keys: bytes) -> bytes:
    """What a terminal shows when these keys are pressed."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen(
        [sys.executable, "-m", "advisor", "wizard", "--plain"], stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, "XDG_STATE_HOME": str(folder), "COLUMNS": "80", "TERM": "xterm-256color"},
    )
    os.close(theirs)
    os.write(ours, keys)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the program has ended, and the terminal with it
        pass
    finally:
        os.close(ours)
    assert program.wait(60) == 0
    return shown


def test_on_a_terminal_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first = typed(tmp_path, b"\n1\nq\n")
    assert b"continues from here" in first
    second = typed(tmp_path, b"1\ns\nq\n")
    assert b"Continue with the saved answers (anf, 1 answer, " in second
    assert b"Where does the data live? Azure NetApp Files" in second
    assert b"\x1b" not in first + second
    assert (tmp_path / "advisor/wizard.json").stat().st_mode & 0o777 == 0o600


def _said(changes: list[AdviceChange]) -> list[str]:
    out = io.StringIO()
    Talk(None, out).rows(change_rows(changes))
    return re.split(r"\n  - ", out.getvalue().rstrip("\n"))


def test_what_is_not_to_be_set_any_more_is_one_item() -> None:
    gone = [AdviceChange(f"sysctl.a.b{n}", "", f"a.b{n} = 1", "nothing to do", "It has its own administration.")
            for n in range(FEW_CHANGES + 4)]
    new = AdviceChange("volume.threads", "", "open", "automatic", "The system sets it.")
    head, first, second = _said([*gone, new])
    assert head == f"{FEW_CHANGES + 5} settings changed:"
    assert first == "volume.threads: automatic. The system sets it."
    assert "nothing to do. It has its own administration." in " ".join(second.split())
    assert "and 6 more" in " ".join(second.split())


def test_each_change_has_an_item_and_many_are_counted() -> None:
    changes = [AdviceChange(f"sysctl.a.b{n}", "", "open", f"a.b{n} = 1", "So it is.") for n in range(FEW_CHANGES + 3)]
    items = _said(changes)
    assert len(items) == FEW_CHANGES + 2
    assert items[-1] == "3 more; s shows everything."
