"""Files that somebody names: what cannot be read ends in a clear error, and never hangs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import user_files
from advisor.user_files import UserFileError


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "circle").symlink_to("circle")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for name, words in (
            ("pipe", "is a pipe"), ("link", "is a pipe"), ("circle", "cannot be read"), ("socket", "cannot be read"),
            ("", "is a folder"), ("none", "file not found"), ("\0", "is not a file name"),
            ("x" * 5000, "cannot be read"),
        ):
            with pytest.raises(UserFileError, match=words):
                user_files.read_bytes(str(tmp_path / name))
    for name in ("/dev/zero", "/dev/full", "/dev/random"):
        with pytest.raises(UserFileError, match="is a device"):
            user_files.read_bytes(name)
    assert user_files.read_bytes("/dev/null") == b""


def test_a_pipe_that_the_shell_hands_over(tmp_path: Path) -> None:
    code = "import sys; from advisor import user_files; print(user_files.read_bytes(sys.argv[1]))"
    command = f"{sys.executable} -c {code!r} <(echo one; sleep 0.2; echo two)"
    root = Path(__file__).parents[1]
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=root, check=True)
    assert ran.stdout == "b'one\\ntwo\\n'\n"


def test_too_large(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1024)
    assert len(user_files.read_bytes(str(file), 1024)) == 1024
    file.write_bytes(b"x" * 1025)
    with pytest.raises(UserFileError, match="larger than 1 KiB"):
        user_files.read_bytes(str(file), 1024)


def test_text(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xef\xbb\xbfa: \xc3\xa4")
    assert user_files.read_text(str(file)) == "a: ä"
    file.write_bytes(b"a: \xe4")
    with pytest.raises(UserFileError, match=r"not UTF-8 \(byte 3\)"):
        user_files.read_text(str(file))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x 1\nb: 2", "file:1:4: an anchor or alias"), ("a: 1\nb: *a", "file:2:4: an anchor or alias"),
        ("a: &x [1]\nb: &y [*x, *x]", "anchor"), ("&x a: 1", "anchor"), ("<<: *x", "anchor"),
        ("[" * 100_000, "nested too deeply"), ("- " * 100 + "x", "nested too deeply"),
        ("{a: " * 120, "nested too deeply"), ("a: [1, 2", "file:1:9: not valid YAML"),
    ],
)
@pytest.mark.parametrize("places", [False, True])
def test_yaml_that_is_not_what_it_looks_like(text: str, words: str, places: bool) -> None:
    with pytest.raises(UserFileError, match=words):
        user_files.parse_yaml(text, "file", places)


@pytest.mark.parametrize(
    "text",
    ["a: 1\n---\nb: 2", "a: \0", "a: " + "9" * 5000, "a: 2024-13-45", "a: 1\na: 2", "!!python/object:os.system x"],
)
def test_yaml_that_is_none(text: str) -> None:
    with pytest.raises(UserFileError, match="not valid YAML"):
        user_files.parse_yaml(text, "file")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, "{", "9" * 5000 + "x", ""])
def test_json_that_is_none(text: str) -> None:
    with pytest.raises(UserFileError, match=r"nested too deeply|not valid JSON"):
        user_files.parse_json(text, "file")
