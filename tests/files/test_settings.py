"""Files of `name = value`: read as the programs read them that own these files, and with every place."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from advisor.files.kinds import SETTINGS, read_settings
from tests.tiers import examples

NFSCONF = shutil.which("nfsconf", path="/usr/sbin:/sbin:/usr/bin")
PIECES = st.sampled_from([
    "[nfsd]", "[ Mount D ]", '[mountd "x y"]', "[", "]", "[]", '"', "'", "=", " = ", "threads", "Threads", "vers4.1",
    "16", "y", "#", ";", "$X", " ", "\t", "\\", "\r", "é", "nfsd",
])  # fmt: skip
LINES = st.one_of(
    st.lists(PIECES, max_size=8).map("".join), st.sampled_from(["[nfsd]", "[statd]", "threads = 8", "port=1 # x"])
)
TEXTS = st.lists(LINES, max_size=8).map("\n".join).flatmap(lambda text: st.sampled_from([text, f"{text}\n"]))


def held(text: str) -> dict[tuple[str, str], str]:
    """Section and name, in small letters → the value that holds."""
    file = read_settings("nfs.conf", text, "x")
    lines = text.split("\n")  # the last is not ended: it and those that a backslash joins to it are not read
    first = len(lines)
    while first > 1 and lines[first - 2].endswith("\\"):
        first -= 1
    return {
        (one.section.lower(), one.key.text.lower()): one.value.text
        for one in file.settings if one.value.text and one.key.span.line < first
    }


@pytest.mark.skipif(NFSCONF is None, reason="nfsconf (nfs-common, nfs-utils) is not installed")
@examples(75, 300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_what_holds_is_what_nfsconf_says(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.conf"
    path.write_bytes(text.encode())
    ran = subprocess.run([str(NFSCONF), "--file", str(path), "--dump"], capture_output=True, check=False)
    told: dict[tuple[str, str], str] = {}
    section = ""
    for line in ran.stdout.decode().split("\n"):
        if line.startswith("["):
            section = line[1:-1]
        elif line.startswith(" "):
            key, _, value = line[1:].partition(" = ")
            inner = value[1:-1]
            quoted = value == f'"{inner}"' and inner != inner.strip()
            told[section.lower(), key.lower()] = inner if quoted else value
    assert held(text) == told


@given(st.sampled_from(SETTINGS), TEXTS)
@example("cmdline", 'nfsd.vers4.1"')
@example("cmdline", 'nfs.max="12"')
def test_names_and_values_stand_where_they_are_said_to(kind: str, text: str) -> None:
    lines = text.split("\n")
    for one in read_settings(kind, text, "x").settings:
        for word in (one.key, one.value):
            line, column, end = word.span
            written = lines[line - 1][column - 1:end - 1].rstrip("\\")
            assert kind == "nfs-defaults" or word.text.startswith(written)


def test_lines_that_nothing_reads_hide_no_others() -> None:
    file = read_settings("nfs.conf", 'a=1\n[nfsd\nb=2\n[nfsd]\nc="3\nd\n=4\nthreads=16\nport=1', "x")
    assert [one.key.text for one in file.settings] == ["threads", "port"]
    assert [span.line for span, _ in file.bad] == [1, 2, 5, 6, 7, 9]


def test_a_comment_that_ends_in_a_backslash_takes_the_next_line_with_it() -> None:
    assert read_settings("nfs.conf", "[nfsd]\n# path C:\\\nthreads=16\nudp=y\n", "x").settings[0].key.text == "udp"


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert read_settings("nfs.conf", b"[nfsd]\nscope=\xe9\n", "x").settings[0].value.text == "\udce9"


def variables(text: str) -> dict[str, str]:
    file = read_settings("nfs-defaults", text, "x")
    return {one.key.text: one.value.text for one in file.settings}


@pytest.mark.parametrize("text", [
    "A=1", "A='x y'", 'A="x y" # z', "A=1; B=2", "export A=1", 'A="a\n b"\nB=2', "A=a\\ b", 'A="say \\"x\\""', "A=",
    "A= \nB=1", "A=x#y", "# A=1\nB=2", 'A="${B:-1}"', "A=1\n\nA=2", 'A="-p 892" B=3', "A=a'b c'd",
])  # fmt: skip
def test_a_shell_has_the_same_variables(text: str) -> None:
    shell = shutil.which("dash") or shutil.which("sh")
    if shell is None:
        pytest.skip("there is no shell")
    told = variables(text)
    script = f"{text}\n" + "".join(f'printf "%s\\0" "${name}"\n' for name in told)
    ran = subprocess.run([shell, "-c", script], capture_output=True, check=True, env={})
    values = dict(zip(told, ran.stdout.decode().split("\0")))
    assert told == {name: was if "$" in was else values[name].strip() for name, was in told.items()}


@pytest.mark.parametrize(("text", "line"), [
    ("A = 1\nB=2", 1), ("A= 1\nB=2", 1), ('A="1\nB=2', 1), ('B=2\nA=16"', 2), ("B=2\nA='x", 2),
])  # fmt: skip
def test_what_a_shell_takes_otherwise_is_told(text: str, line: int) -> None:
    assert [span.line for span, _ in read_settings("nfs-defaults", text, "x").bad] == [line]
    assert variables(text)["B"] == "2"


def test_what_only_a_shell_understands_hides_no_assignment_of_autofs() -> None:
    text = "export LANG\nif true; then\nTIMEOUT=300\nfi\nLOGGING=none\n"
    file = read_settings("autofs-defaults", text, "/etc/sysconfig/autofs")
    assert [(one.key.text, one.value.text) for one in file.settings] == [("TIMEOUT", "300"), ("LOGGING", "none")]


def test_autofs_conf_as_automount_reads_it() -> None:
    # Seen with libautofs.so of autofs 5.1.8: what is indented is skipped, what stands before a heading counts.
    lines = [
        " timeout = 111", "Negative_Timeout = 22", "[ autofs ]", "\ttimeout = 222", 'browse_mode = "no" # c', "[bad",
        "logging=debug",
    ]
    file = read_settings("autofs.conf", "\n".join(lines), "x")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == [
        ("autofs", "Negative_Timeout", "22"), ("autofs", "browse_mode", "no"), ("autofs", "logging", "debug"),
    ]
    assert [span.line for span, _ in file.bad] == [1, 4, 6]
