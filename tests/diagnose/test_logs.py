"""Logs of any size: the same messages as in a pasted text, whatever the blocks, in bounded memory."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.cli import main
from advisor.diagnose import evidence, logs
from advisor.diagnose.evidence import Reader
from advisor.rulebase.base import load
from advisor.rulebase.words import stem
from tests.tiers import examples

DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"
REFUSED = "rpc.mountd[812]: refused mount request from 192.0.2.7 for /srv/data (/): unmatched host"
READER = load().ready(Reader)


def log(*lines: str) -> str:
    return "".join(f"Nov 22 10:{n // 60:02}:{n % 60:02} web7 {line}\n" for n, line in enumerate(lines))


def small_reads(raw: bytes, size: int) -> Callable[[int], bytes]:
    stream_ = io.BytesIO(raw)
    return lambda _most: stream_.read(size)


@examples(6, 30)
@given(
    st.lists(st.sampled_from((DENIED, REFUSED, "sshd[1]: Accepted", "", "x" * 300)), max_size=30),
    st.integers(min_value=1, max_value=700),
)
def test_a_log_gives_what_the_same_text_gives(lines: list[str], size: int) -> None:
    text = log(*lines)
    whole = {one.message.id: (one.count, one.line, one.first, one.last) for one in READER.read(text).problems()}
    found = logs.read_log(READER, small_reads(text.encode(), size)).problems()
    assert {one.message.id: (one.count, one.line, one.first, one.last) for one in found} == whole


@examples(4, 30)
@given(
    st.lists(st.sampled_from((DENIED, REFUSED, "sshd[7]: Accepted", "", "x[1]: nfs: odd")), max_size=40), st.booleans(),
)
def test_repetitions_count_as_in_a_text(lines: list[str], more: bool) -> None:
    """Whatever the size, and wherever in it the text ends: `FIRST` and `HEAD` are small here."""
    text = log(*lines)
    whole = {one.message.id: (one.count, one.line, one.first, one.last) for one in READER.read(text).problems()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logs, "FIRST", 3)
        first = text.find("\n") + 1 or len(text) + 1  # a line longer than HEAD is cut
        patch.setattr(logs, "HEAD", max(len(text) // 2, first) if more else len(text) + 1)
        head, rest = logs.split_input(io.BytesIO(text.encode()).read)
        found = READER.read(head.decode())
        logs.read_rest(READER, rest, found, 0)
    assert {one.message.id: (one.count, one.line, one.first, one.last) for one in found.problems()} == whole
    assert found.read_lines == len(lines)


@pytest.mark.parametrize("line", [
    "2026-11-22T10:11:12.123+01:00 web7 x", "[   12.000001] x", "Nov 22 10:11:12 web7 x", "22/11/2026 10:11:12 : x",
    "I1122 10:11:12.1234 1 mount.go:7] x", "web_1  | 2026-11-22 10:11:12 x",
])
def test_a_line_of_a_log_is_known_by_its_time(line: str) -> None:
    assert logs._LOGGED.search(line.encode())


def test_a_line_of_configuration_is_none_of_a_log() -> None:
    for line in ("/srv 2001:db8:10:11:12::/64(rw)", "fe80::10:11:12:13:/srv /mnt nfs4 ro 0 0", "[nfsd]"):
        assert not logs._LOGGED.search(line.encode())


@examples(6, 50)
@given(st.binary(max_size=3000), st.integers(min_value=1, max_value=100))
def test_bytes_without_meaning_are_harmless(raw: bytes, size: int) -> None:
    logs.read_log(READER, small_reads(raw, size))


def test_a_line_without_end_is_cut_and_the_next_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "BLOCK", 64)
    raw = b"nfs " * 1000 + log("mount.nfs: Stale file handle").encode() + b"\n" + log(DENIED).encode()  # one long line
    assert [one.message.id for one in logs.read_log(READER, small_reads(raw, 64)).problems()] == [
        "mount-nfs.access-denied"
    ]


def test_lines_alike_are_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    look = logs._Log._match
    monkeypatch.setattr(logs._Log, "_match", lambda self, *args: looked.append(args) or look(self, *args))
    raw = log(*[f"{DENIED}{n}" for n in range(1000)]).encode()
    (one,) = logs.read_log(READER, small_reads(raw, 4096)).problems()
    assert one.count == 1000
    assert len(looked) == 1


def test_the_shapes_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "SHAPES", 10)
    raw = "".join(f"nfs: odd line {'a' * n}\n" for n in range(200)).encode()
    told = logs._Log(READER, evidence.TextEvidence())
    told.block(raw, [b"nfs"])
    assert len(told.shapes) <= 10


def test_most_messages_of_a_log_pass_the_first_look() -> None:
    """A message that no trigger lets through would be lost in every large log."""
    words = [word.decode() for word in logs._triggers(READER.index, READER.vocabulary.lists["everywhere"])]
    texts = [" ".join(text) for text in READER.index.texts()]
    assert sum(any(word in text for word in words) for text in texts) > 0.9 * len(texts)
    assert "permission denied an application" not in texts, "what any program prints chooses no trigger"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    root = tmp_path / "copy"
    for name, text in {
        "etc/exports": "/srv/data 192.168.1/24(rw,sync)\n",
        "var/log/messages": log(DENIED, "kernel: all is well"),
        "proc/self/mountinfo": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_a_copy_of_a_host_gives_its_logs_and_its_configuration(host: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--root", str(host), "--all"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("The export names other clients")
    assert "etc/exports:1" in out
    assert "access denied by server" in out


def test_an_archive_gives_the_same(host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(tmp_path / "sosreport-web7.tar.xz", "w:xz") as tar:
        (host / "sos_commands/kernel").mkdir(parents=True)
        (host / "sos_commands/kernel/dmesg").write_text("[   12.000001] nfs: server nas7 not responding, timed out\n")
        tar.add(host, "sosreport-web7")
    assert main(["diagnose", "--root", str(tmp_path / "sosreport-web7.tar.xz"), "--all"]) == 0
    out = capsys.readouterr().out
    assert "access denied by server" in out
    assert "not responding, timed out" in out


def test_of_messages_in_different_lines_the_words_of_as_many_are_taken_as_are_shown() -> None:
    lines = [f"mount.nfs: access denied by server while mounting nas:/srv/{'x' * n}" for n in range(logs.SHOWN + 1)]
    found = logs.read_log(READER, small_reads(log(*lines).encode(), 512))
    assert found.terms[stem("denied")] == logs.SHOWN


def test_only_the_third_line_of_a_kind_and_those_after_it_are_repetitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FIRST", 2)
    lines = [f"Nov 22 10:11:1{number} web7 {text}" for number, text in enumerate("aaaba")] + ["a", "a", "a"]
    head, rest = logs.split_input(io.BytesIO("\n".join(lines).encode()).read)
    assert head.decode().split("\n") == [*lines[:2], "", lines[3], "", "a", "a", "a"]
    assert rest.again.decode().split("\n") == ["", "", lines[2], "", lines[4], "", "", ""]
    monkeypatch.setattr(logs, "FIRST", 3)
    assert logs.split_input(io.BytesIO("\n".join(lines).encode()).read)[0].decode().split("\n")[2] == lines[2]


@pytest.mark.parametrize(("raw", "head", "rest"), [
    (b"abc\ndefghij\n", b"abc\n", b"defghij\n"), (b"abcdefghijkl", b"abcdefgh", b"ijkl"), (b"abc", b"abc", b""),
    (b"abcdefg\nhi", b"abcdefg\n", b"hi"),
])
def test_the_text_of_an_input_ends_with_a_line_unless_that_is_too_long(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, head: bytes, rest: bytes
) -> None:
    monkeypatch.setattr(logs, "HEAD", 8)
    text, left = logs.split_input(io.BytesIO(raw).read)
    assert text == head
    assert left.again.strip(b"\n") == b""
    assert left.read(100) + left.read(100) == rest
