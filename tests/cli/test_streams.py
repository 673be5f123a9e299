"""Closed streams, full disks, readers that go away, other locales: the right exit code. 1 means findings alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import some, thorough

ROOT = Path(__file__).resolve().parents[2]
BAD = "nas:/ä /ä nfs soft,nconect=4 0 0\n"
UTF8 = {"LC_ALL": "C.UTF-8"}
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
"""A locale in which Python itself writes ASCII."""


@pytest.fixture
def shell(tmp_path):
    """`shell("$ADVISOR lint -", stdin="…")` → what bash ran, in a folder with an fstab."""
    (tmp_path / "fstab").write_text(BAD, encoding="utf-8")
    (tmp_path / "fine").write_text("nas:/a /a nfs vers=4.2,hard,nofail 0 0\n")

    def run(command, stdin="", env=UTF8):
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))},
            "ADVISOR": f"{sys.executable} -m advisor", "PYTHONPATH": str(ROOT), **env,
        }
        return subprocess.run(
            ["bash", "-c", command], input=stdin.encode(), capture_output=True, cwd=tmp_path, env=environment,
            check=False, timeout=60,
        )

    return run


@pytest.mark.parametrize(
    ("command", "code", "words"),
    some([
        ("$ADVISOR lint fstab >&-", 2, b"standard output is closed"),
        ("$ADVISOR lint fstab > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR lint fstab --output-format json > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR lint fine > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR --version > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR --help > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR lint --help > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR rules list > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR lint fstab --diff --unsafe-fixes > /dev/full", 2, b"cannot write: No space left"),
        ("$ADVISOR lint - < fstab <&-", 2, b"standard input is closed"),
        ("$ADVISOR lint - < /dev/zero", 2, b"larger than 64 MiB"),
        ("$ADVISOR lint /dev/zero", 2, b"is a device"),
        ("mkfifo pipe; $ADVISOR lint pipe", 2, b"is a pipe"),
        ("mkfifo pipe; $ADVISOR lint fstab --facts pipe", 2, b"is a pipe"),
        ("mkfifo pipe; $ADVISOR lint fstab --baseline pipe", 2, b"is a pipe"),
        ("mkfifo pipe; $ADVISOR lint fstab --config pipe", 2, b"is a pipe"),
        ("mkfifo pipe; $ADVISOR recommend --answers pipe", 2, b"is a pipe"),
        ("mkfifo pipe; $ADVISOR recommend --compare pipe", 2, b"is a pipe"),
        ("mkdir rules; ln -s /dev/zero rules/a.yaml; $ADVISOR lint fstab --rules rules", 2, b"no rules here"),
        ("$ADVISOR lint fstab 2> /dev/full > /dev/null", 1, b""),
        ("$ADVISOR lint fine 2> /dev/full > /dev/null", 0, b""),
        ("$ADVISOR lint --nothing 2> /dev/full", 2, b""),
        ("$ADVISOR nothing 2> /dev/full", 2, b""),
        ("$ADVISOR lint none 2> /dev/full", 2, b""),
        ("$ADVISOR lint none 2>&-", 2, b""),
        ("$ADVISOR nothing >&- 2>&- <&-", 2, b""),
        ("$ADVISOR lint <(cat fstab) > /dev/null", 1, b""),
        ("$ADVISOR lint /dev/null > /dev/null", 0, b""),
    ], 2),
)
def test_exit_codes(shell, command, code, words):
    ran = shell(command)
    assert (ran.returncode, words in ran.stderr) == (code, True), ran.stderr
    assert b"Traceback" not in ran.stderr
    assert b"Exception ignored" not in ran.stderr
    assert b"internal error" not in ran.stderr


def test_a_reader_that_went_away(shell):
    lines = "".join(f"nas:/{n} /{n} nfs soft,nconect={n} 0 0\n" for n in range(500))  # more than a pipe holds
    ran = shell("set -o pipefail; $ADVISOR lint - | head -n 1", lines)
    assert (ran.returncode, ran.stderr) == (141, b"")
    assert ran.stdout.startswith(b"1 |")


def test_what_goes_to_a_closed_standard_error_does_not_land_in_the_result(shell):
    assert shell("$ADVISOR lint none 2>&-").stdout == b""
    ran = shell("touch advisor.toml; $ADVISOR lint fstab --output-format json 2>&-")
    assert ran.returncode == 1
    assert ran.stdout.startswith(b'{"schema"')


def test_a_closed_stream_is_not_taken_for_a_file(shell):
    ran = shell("$ADVISOR lint fstab --fix --no-config >&- 2>&-; cat fstab")
    assert ran.stdout == BAD.encode()


@thorough
@pytest.mark.parametrize(
    "command",
    ["lint fstab", "lint fstab --verbose", "lint fstab --output-format json", "lint fstab --output-format markdown",
     "lint fstab --diff --unsafe-fixes", "explain nconnect", "kb disputes", "recommend --set storage.platform=anf",
     "recommend --set storage.platform=anf --output-format json", "rules list", "lint ä", "nothing-ä",
     "completion bash"],
)
def test_other_encodings_than_utf8(shell, command):
    usual = shell(f"$ADVISOR {command}")
    for env in (ASCII, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1:strict"}):
        ran = shell(f"$ADVISOR {command}", env=env)
        assert ran.returncode == usual.returncode, env
        assert bool(ran.stdout) == bool(usual.stdout), env
        assert b"internal error" not in ran.stderr, env


def test_fixing_in_a_plain_locale(shell, tmp_path):
    assert shell("$ADVISOR lint fstab --unsafe-fixes --no-config", env=ASCII).returncode in (0, 1)
    fixed = BAD.replace("soft", "hard").replace("nconect", "nconnect")
    assert (tmp_path / "fstab").read_text(encoding="utf-8") == fixed
