"""`advisor diagnose`: what it prints, in which forms, and with which exit codes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from advisor.cli import main
from advisor.diagnose import logs
from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.messages import Masks, without_secrets
from advisor.rulebase.base import load
from tests.schemas import validate

DENIED = "mount.nfs: access denied by server while mounting nas7:/srv/data"
STORY = f"""Hello, user@example.org writes:
> root@web7:~# mount nas7:/srv/data /mnt
> {DENIED}
Nov 22 10:11:12 nas7 rpc.mountd[812]: refused mount request from 192.0.2.7 for /srv/data (/): unmatched host
mount options: password=hunter2
nfs: frobnication failed
"""


def printed(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    assert main(["diagnose", *args]) == code
    return capsys.readouterr().out


def test_the_cause_comes_first_and_fits_the_screen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = printed(capsys, STORY)
    assert out.splitlines()[0].startswith("The export names other clients")
    assert max(map(len, out.splitlines())) <= 80
    assert "exportfs -a" in out


def test_a_file_and_standard_input_are_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "post.txt").write_text(STORY)
    from_file = printed(capsys, str(tmp_path / "post.txt"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STORY.encode())))
    assert printed(capsys, "-") == from_file == printed(capsys, STORY)


def test_json_keeps_its_published_schema(capsys: pytest.CaptureFixture[str]) -> None:
    for text in (STORY, DENIED, "ls hangs on the mount", "\x00\x1b[2J"):
        main(["diagnose", text, "--output-format", "json"])
        validate(json.loads(capsys.readouterr().out), "advisor-diagnose-1")


def test_causes_of_a_message_are_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(printed(capsys, STORY, "--output-format", "json"))
    assert [one["id"] for one in told["messages"]] == ["mount-nfs.access-denied", "mountd.unmatched-host"]
    assert told["causes"][0]["status"] == "confirmed"
    for message in told["messages"]:
        assert all(message["id"] in cause["explains"] for cause in message["causes"])
    assert told["verdict"] == told["causes"][0]["title"] + "."
    assert sum(cause["likelihood"] for cause in told["causes"] if cause["id"] != cause["family"]) <= 1.01


def test_markdown_is_for_a_ticket(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, STORY, "--output-format", "markdown").startswith("# The export names")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_secrets_are_never_echoed(capsys: pytest.CaptureFixture[str], form: str) -> None:
    text = f"{STORY}\nnfs: error: token=abcdef failed\nnas7:/a /b nfs password=hunter2 0 0"
    out = printed(capsys, text, "--output-format", form)
    assert "hunter2" not in out
    assert "abcdef" not in out


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_redacted_answer_names_nobody(capsys: pytest.CaptureFixture[str], form: str) -> None:
    out = printed(capsys, STORY, "--redact", "--output-format", form)
    for name in ("192.0.2.7", "nas7", "example.org", "user@"):
        assert name not in out
    assert "host-1" in out


def test_masks_are_stable_and_leave_programs_alone() -> None:
    masks = Masks(["nas"])
    assert masks("nas:/x from 192.0.2.1, 192.0.2.2, 192.0.2.1") == "host-1:/x from address-1, address-2, address-1"
    assert masks("nas: mount.nfs: at 10:11:12") == "host-1: mount.nfs: at 10:11:12"
    assert without_secrets("Password: x; pw=y,rw") == "Password: …; pw=…,rw"


@pytest.mark.parametrize("text", ["exportfs: duplicated export entries", "lchown operation not permitted"])
def test_a_message_without_its_signs_is_about_trouble(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert "Nothing here" not in printed(capsys, text)


def test_what_nobody_knows_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "zzz qqq"]) == 1
    assert "Nothing here is about NFS" in capsys.readouterr().out


@pytest.mark.parametrize("text", [
    "# mount -t cifs -o user=me //filer/media /media\nmount: /media: bad option; for several filesystems "
    "(e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.",
    "With the disk unplugged the boot waits 90 seconds although it says nofail.\n# /etc/fstab\n"
    "/dev/mapper/media /media ext4 nofail 0 2",
])
def test_another_file_system_is_not_taken_for_nfs(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert main(["diagnose", text]) == 1
    assert "Nothing here is about NFS" in capsys.readouterr().out


def test_a_server_with_another_file_system_is_about_nfs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "The NFS export is on ext4. mount: /mnt: bad option; for several filesystems (e.g. nfs, cifs) you might "
        "need a /sbin/mount.<type> helper program."
    )
    assert "mount.nfs is not installed" in printed(capsys, text).splitlines()[0]


@pytest.mark.parametrize(("line", "means"), [
    ("kernel: nfs: server nas OK", "The server answers again."),
    ("nas kernel: nfsd: peername failed (err 107)!", "does no harm."),
])
def test_what_is_normal_is_told_as_such(capsys: pytest.CaptureFixture[str], line: str, means: str) -> None:
    assert main(["diagnose", line]) == 1
    out = capsys.readouterr().out
    assert "Nothing here points to a fault" in out
    assert means in " ".join(out.split())


def test_what_a_shared_check_tells_is_about_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    words = printed(capsys, "mount.nfs: access denied by server while mounting nas:/srv").split()
    assert 'tells: "unmatched host": no export names the client' in " ".join(words)


@pytest.mark.parametrize("text", [
    STORY, DENIED, "ls hangs on the mount of nas7:/srv/data on /mnt", "NFS is slow",
    "As root I cannot chown on the NFS share", "nfs: server storage not responding",
    "OSError: [Errno 37] No locks available on a file over NFS, vers=3; other files are fine",
    "The NFS server has not been rebooted, yet I get Stale file handle in one directory",
    f"{DENIED}\nmount -o nconect=4 nas7:/srv/data /mnt",
])
def test_the_answer_is_read_in_twenty_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = printed(capsys, text)
    assert len(out.splitlines()) <= 15, out
    assert max(map(len, out.splitlines())) <= 80, out
    for word in ("counted", "tells: 1:", "SERVER:/PATH", "mount-nfs."):
        assert word not in out


def test_all_shows_what_was_understood_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, f"{DENIED}\n\nAs root I cannot chown a file of the share.\n\nBlue is nice.", "--all")
    assert "What was understood" in out
    assert "fails:chown" in out
    assert "Blue is nice.  (not understood)" in out
    assert "speaks for it" in out


def test_a_file_that_is_missing_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "/nowhere/at/all.log"]) == 2
    assert "file not found" in capsys.readouterr().err


def test_hostile_text_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    text = f"\x1b]0;pwned\x07{DENIED}\x1b[2J\u202e [link](http://x) <script>\n" + "nfs: error " * 10_000
    for form in ("text", "markdown", "json"):
        out = printed(capsys, text, "--output-format", form)
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert len(out) < 200_000


def test_what_was_read_is_told_as_proof(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, f"{DENIED}\nExport list for nas7:\n/volume1/data 192.0.2.0/24\n")
    assert "The server's exports include the path that is mounted: no" in out


def test_asking_goes_on_until_a_check_has_shown_the_cause(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("0\n1\n"))
    out = printed(capsys, DENIED, "--ask")
    assert "A number from 1 to" in out
    assert out.count("I cannot check that") == 2
    assert "the check showed it" in out


def test_asking_ends_with_the_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "Number, or paste" in printed(capsys, DENIED, "--ask")
    assert main(["diagnose", "-", "--ask"]) == 2
    assert "--ask needs the terminal" in capsys.readouterr().err


def test_a_long_log_may_come_through_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "HEAD", 1000)
    log = "Nov 22 10:11:12 web7 kernel: nfs: server nas7 not responding, still trying\n" * 40
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.encode())))
    assert "40 times" in printed(capsys, "-", "--all")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.encode())))
    assert "access denied by server" in printed(capsys, "-", DENIED, "--all")


@pytest.mark.parametrize("text", [
    "Laptop boots very slow, systemd-analyze blame shows snapd 12 s.",
    "mount error(13): Permission denied. The CIFS mount of //nas/media fails.",
    "git push fails: permission denied, https://github.com/me/repo.git. I restarted the server.",
    "iscsiadm: Could not login to the portal 10.0.0.5: connection timed out",
    "rpc error: code = Internal desc = failed to provision volume",
])
def test_a_text_of_other_things_has_no_cause(capsys: pytest.CaptureFixture[str], text: str) -> None:
    assert "Nothing here" in printed(capsys, text, code=1).splitlines()[0]


def test_names_are_put_in_only_where_the_text_gives_them(capsys: pytest.CaptureFixture[str]) -> None:
    below = printed(capsys, "NFS shows an empty directory.\nnas:/vol1 /mnt nfs defaults 0 0\nls shows nothing in it")
    assert "/EXPORTED/vol1" not in below
    volume = printed(capsys, "docker run -v foo:/data mongo\nchown /data: operation not permitted on the NFS volume")
    assert "foo:/data" not in volume


def test_a_host_that_the_message_names_is_the_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nc -zv storage 2049" in printed(capsys, "nfs: server storage not responding, still trying")


def test_nobody_is_not_always_a_user() -> None:
    base = load()
    nobody = Diagnosis(base, "Nobody can save on the NFS share any more, reading is fine.").evidence.terms
    owner = Diagnosis(base, "On the NFS share every file belongs to nobody.").evidence.terms
    assert "nobody" not in nobody
    assert "nobody" in owner
