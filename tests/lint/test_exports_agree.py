"""Exports files made at random: exportfs and the linter stop at the same files and drop the same entries.

exportfs runs in a mount namespace of its own, so that /etc/exports and /var/lib/nfs of the host stay as they are."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load

OPTIONS = (
    "rw", "ro", "sync", "async", "no_root_squash", "root_squash", "all_squash", "no_subtree_check", "fsid=0", "fsid=5",
    "fsid=root", "fsid=abc", "anonuid=5", "anonuid=bob", "anongid=-2", "sec=sys", "sec=krb5:krb5p", "sec=krb6", "",
    "crossmnt", "nohide", "insecure", "mp", "mountpoint=/srv", "rww", "wdelay", "no_acl", "pnfs", "security_label",
    "rw=1", "fsid", "sec=", "fsid=", "anonuid=", "no_auth_nlm", "fsid=4294967296", "sec=sys:", "sec=none", "fsid=0x5",
    "acl", "nordirplus", "fsid=12345678-1234-1234-1234-123456789012",
)  # fmt: skip
CLIENTS = (
    "10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.0.0", "*", "*.example.com", "@grp", "127.0.0.1", "10.0.0.1/33", "",
    "2001:db8::1", "2001:db8::/32", "10.0.0.1/", "[2001:db8::1]", "10.1.1", "10.0.0.*", "10.0.0.5/24", "0.0.0.0/0",
    "::/0", "10.1/16",
)  # fmt: skip
PATHS = ("/srv/a", "/srv/b", "/srv/a/", '"/srv/a b"', "/srv/c\\040d", "srv/a")
STOPS = ("unknown keyword", "bad option list", "syntax error", "bad fsid", "bad anon", "unknown flavor")
SCRIPT = """
mount -t tmpfs none /mnt && mkdir /mnt/lib /mnt/etc && touch /mnt/lib/etab && cp "$1" /mnt/etc/exports || exit 9
mount --bind /mnt/lib /var/lib/nfs && mount --bind /mnt/etc/exports /etc/exports || exit 9
exec exportfs -ra 2>&1
"""


def text(draw: random.Random) -> str:
    def one() -> str:
        words = [draw.choice(PATHS)]
        if draw.random() < 0.15:
            words.append("-" + ",".join(draw.sample(OPTIONS, 2)))
        for _ in range(draw.randint(0, 3)):
            options = [draw.choice(OPTIONS if draw.random() < 0.5 else OPTIONS[:8]) for _ in range(draw.randint(0, 3))]
            between = ", " if draw.random() < 0.05 else ","
            end = ")" if draw.random() < 0.96 else ""
            apart = " " if draw.random() < 0.06 else ""
            listed = f"{apart}({between.join(options)}{end}" if draw.random() < 0.85 else ""
            words.append(draw.choice(CLIENTS) + listed)
        return draw.choice((" ", "\t", "  ")).join(words)

    return "\n".join(one() for _ in range(draw.randint(1, 4))) + "\n"


def unable() -> str | None:
    if shutil.which("exportfs") is None or shutil.which("unshare") is None:
        return "exportfs or unshare is not installed"
    if os.geteuid() != 0 or not Path("/etc/exports").exists() or not Path("/var/lib/nfs").is_dir():
        return "needs root, /etc/exports and /var/lib/nfs to mount over"
    return None


@pytest.mark.skipif(unable() is not None, reason=unable() or "")
@pytest.mark.parametrize("seed", range(60))
def test_exportfs_agrees(seed: int, tmp_path: Path) -> None:
    written = text(random.Random(seed))
    file = tmp_path / "exports"
    file.write_text(written)
    ran = subprocess.run(
        ["unshare", "-m", "sh", "-c", SCRIPT, "sh", str(file)], capture_output=True, text=True, check=False
    )
    assert ran.returncode != 9, ran.stderr
    findings = lint_text(written, "/etc/exports", load(), {}, kind="exports").findings
    rules = {finding.rule for finding in findings}
    stops = any(words in ran.stdout for words in STOPS)
    assert bool(rules & {"export-list-broken", "export-option-unknown", "export-option-value"}) == stops, ran.stdout
    if not stops:
        # Two exports to everybody that a space makes are told as that space.
        blank = any(f.rule == "export-blank-before-options" and "everybody; the first" in f.message for f in findings)
        assert ("export-twice" in rules or blank) == ("duplicated export" in ran.stdout), ran.stdout
