"""What of a host's files leaves it in a recording, and what does not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.check.check_host import DPKG, HIDDEN, MOUNTINFO, PROCESSORS, RPM_LIST, RedactedFiles
from advisor.rulebase.base import load
from tests.each import each

BASE = load()


def text(path: str, *about: str, kind: str = "fstab") -> Any:
    return SimpleNamespace(path=path, host_file=SimpleNamespace(about=about, kind=kind))


def redacted(files: dict[str, str], texts: Any = (), others: Any = (), needed: tuple[str, ...] = ()) -> RedactedFiles:
    return RedactedFiles(BASE, files, texts, others, needed)


def test_a_file_that_does_not_concern_nfs_is_emptied_but_stays() -> None:
    files = {"/etc/auto.a": "x -fstype=ext4\n", "/etc/auto.b": "x\n", "/etc/auto.c": " \n", "/etc/d": "x\n"}
    others = [text(path, kind="fstab" if path == "/etc/d" else "autofs") for path in files]  # fstab is read with others
    found = redacted(files, others=others, needed=("/etc/auto.b",))
    assert found.emptied == ["/etc/auto.a"], "one that was read for another reason stays, and so does an empty one"
    assert found.files == {**files, "/etc/auto.a": "#\n"}


@each(lambda: [
    ("# the boss's machine", "#", 1), ("  ; the boss's machine", "  ;", 1), ("#", "#", 0),
    ("# advisor: ignore[hard]", "# advisor: ignore[hard]", 0), ("nas:/a /a nfs rw", "nas:/a /a nfs rw", 0),
    ("# nfs of the boss", "# nfs of the boss", 0),  # what makes the file concern NFS
    ("# continued \\", "# continued \\", 0),
])
def test_the_words_of_comments_stay_there(line: str, kept: str, count: int) -> None:
    found = redacted({"/etc/fstab": f"a\n{line}\nb"}, [text("/etc/fstab", "nfs of")])
    assert (found.files["/etc/fstab"], found.comments) == (f"a\n{kept}\nb", count)


def test_a_line_that_is_continued_is_no_comment() -> None:
    continued = "options nfs \\\n# nfs4_unique_id=x\n"
    assert redacted({"/etc/modprobe.d/a.conf": continued}).files == {"/etc/modprobe.d/a.conf": continued}
    assert redacted({"/proc/x": "# a\n"}).files == {"/proc/x": "# a\n"}, "only files that people write have comments"


@each(lambda: [
    ("//nas/a /a cifs username=u,password=geheim,uid=5", f"//nas/a /a cifs username=u,password={HIDDEN},uid=5"),
    ("token = abc", f"token = {HIDDEN}"), ("passwd: files", "passwd: files"),
    ("http://me:geheim@nas/a", f"http://{HIDDEN}@nas/a"), ("http://nas/a", "http://nas/a"),
    ('<nvpair name="passwd" value="geheim"/>', f'<nvpair name="passwd" value="{HIDDEN}"/>'),
    ("<nvpair value='geheim' name='api-token'/>", f"<nvpair value=\"{HIDDEN}\" name='api-token'/>"),
    ('<nvpair name="ip" value="192.0.2.1"/>', '<nvpair name="ip" value="192.0.2.1"/>'),
])
def test_secrets_are_taken_out_and_counted(line: str, kept: str) -> None:
    found = redacted({"/etc/x": line})
    assert (found.files["/etc/x"], found.secrets) == (kept, int(line != kept))


def test_of_long_lists_only_what_is_asked_for_leaves() -> None:
    packages = "Package: nfs-common\nStatus: ok\nDescription: d\nVersion: 1:2.6\n\nPackage: vim\nVersion: 9\n"
    assert redacted({DPKG: packages}).files == {DPKG: "Package: nfs-common\nStatus: ok\nVersion: 1:2.6\n"}
    builds = "nfs-utils-2.5.4-26.el9.x86_64\nnfs-utilsx-1\nvim-9\n"
    assert redacted({RPM_LIST: builds}).files == {RPM_LIST: "nfs-utils-2.5.4-26.el9.x86_64\n"}
    one = "processor : 0\nmodel name : x\n"
    assert redacted({PROCESSORS: f"{one}\nprocessor : 1\n"}).files == {PROCESSORS: one}
    layers = "1 2 0:3 / / rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d\n"
    hidden = f"lowerdir={HIDDEN},upperdir={HIDDEN},workdir={HIDDEN}"
    assert redacted({MOUNTINFO: layers}).files[MOUNTINFO].endswith(f"overlay rw,{hidden}\n")
