"""The manual pages: what they hold, that formatters read them without a complaint, and that their examples run."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli import COMMANDS, command_parser, main
from advisor.cli.parser import leaves
from advisor.config import KEYS, check
from tests import needs
from tools import man_pages, man_roff
from tools.man_text import COMMANDS as TEXTS
from tools.man_text import PROGRAM, Example

ROOT = Path(__file__).parents[2]
EXAMPLES = [example for text in (PROGRAM, *TEXTS.values()) for example in text.examples]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, as the tool writes them for a package."""
    folder = tmp_path_factory.mktemp("man")
    written(folder)
    return folder


def written(folder: Path) -> None:
    subprocess.run(
        [sys.executable, ROOT / "tools" / "man_pages.py", folder], check=True, capture_output=True, cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
    )


def test_a_page_for_each_command(folder: Path) -> None:
    wanted = {"advisor.1", "advisor.toml.5", *(f"advisor-{name}.1" for name in COMMANDS)}
    assert {path.name for path in folder.iterdir()} == wanted
    assert set(TEXTS) <= set(COMMANDS)
    assert '"2023-11-14"' in (folder / "advisor.1").read_text()


def test_the_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    written(tmp_path)
    assert all((folder / path.name).read_bytes() == path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_its_place(folder: Path, name: str) -> None:
    text = (folder / f"advisor-{name}.1").read_text()
    for parser in leaves(command_parser(name)):
        assert man_roff.bold(parser.prog) in text
        shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        assert all(man_roff.bold(option) in text for action in shown for option in action.option_strings)


def test_every_key_has_its_place(folder: Path) -> None:
    text = (folder / "advisor.toml.5").read_text()
    assert all(f"{man_roff.bold(key)} (" in text for key in KEYS)
    tomllib = pytest.importorskip("tomllib" if sys.version_info >= (3, 11) else "tomli")
    check("advisor.toml", tomllib.loads(man_pages.CONFIGURATION))


def test_what_roff_would_take_for_its_own() -> None:
    assert list(man_roff.filled(man_roff.prose(".fstab is `a-b` and \\n"))) == [r"\&.fstab is \fBa\-b\fR and \en"]


@pytest.mark.parametrize("command", [("mandoc", "-Tlint"), ("man", "--warnings", "-lZTutf8")],
                         ids=lambda command: command[0])
def test_formatters_have_no_complaint(folder: Path, command: tuple[str, ...]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    names = sorted(folder.iterdir())
    ran = subprocess.run([*command, *names], check=False, capture_output=True, text=True,
                         env={**os.environ, "LC_ALL": "C.UTF-8"})
    complaints = ran.stdout if command[0] == "mandoc" else ran.stderr
    assert (complaints, ran.returncode) == ("", 0)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_examples_are_accepted(example: Example) -> None:
    words = shlex.split(example.command)
    assert words[0] == "advisor"
    command_parser(words[1]).parse_args(words[2:])


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.runs], ids=lambda example: example.command)
def test_examples_run(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if example.command.startswith("advisor sweep show"):
        needs.package("scipy", "sweep")
    line = "nas:/data  /data  nfs  soft,,intr  0 0\n"
    (tmp_path / "web1" / "etc").mkdir(parents=True)
    for name in ("fstab", "web1/etc/fstab"):
        (tmp_path / name).write_text(line)
    (tmp_path / "post.txt").write_text("mount.nfs: access denied by server while mounting nas:/data\n")
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "fstab").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main(shlex.split(example.command)[1:])
    told = capsys.readouterr()
    assert (code in (0, 1), bool(told.out)) == (True, True), told.err
