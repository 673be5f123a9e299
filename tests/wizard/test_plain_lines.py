"""`advisor wizard --plain` on pipes and terminals: hostile lines, the end of the input, width, what it imports."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import session as state
from advisor.wizard.plain import Plain
from advisor.wizard.plain_talk import Talk
from tests.wizard.prompting import ANF, BASE, NAMED, given, run

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
        ran = piped(lines=b"\n1\n\xff\xfe\x1b[2J\n3\n", folder=tmp_path, COLUMNS="50", PYTHONIOENCODING="ascii")
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
    assert Plain(BASE, state.start(), {}, Talk(None, out), named=NAMED).run() == 0
    closed = io.StringIO()
    closed.close()
    assert Plain(BASE, state.start(), {}, Talk(closed, out), named=NAMED).run() == 0
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
    assert b"goes on from here" in first
    second = typed(tmp_path, b"1\ns\nq\n")
    assert b"There is an earlier session: 1 answer," in second
    assert b"Where does the data live? Azure NetApp Files" in second
    assert b"\x1b" not in first + second
    assert (tmp_path / "advisor/wizard.json").stat().st_mode & 0o777 == 0o600
