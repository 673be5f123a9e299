"""Exports files made at random: exportfs and the linter stop at the same files and drop the same entries.

exportfs runs in a mount namespace of its own, so that /etc/exports and /var/lib/nfs of the host stay as they are."""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from advisor.files.export_clients import one_spelling
from advisor.files.export_options import ExportGrammar, in_full
from advisor.files.exports import Export, kept, plain, read
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
    "::/0", "10.1/16", "192.168.010.020", "192.168.010.0/24", "192.168.08.1", "0.0.0.0", "@", "10.0.0.0/255.255.0",
    "10.0.0.0/8/", "/24", "/srv/b", "-ro", "::ffff:10.0.0.1", "2001:db8::/129", "2001:db8::g", "2001:0DB8:0::1",
    "[2001:db8::]/64", "*.example.com/24", "10.1.2.3.4", "10.0.0.1:2049", ".example.com", "a..b", "{10.0.0.1,10.0.0.2}",
    "localhost", "10.0.0.0/0.0.255.255", "::", "fe80::1%lo", "gss/krb5", "10.0.0.1;10.0.0.2",
    "0300.0.2.7", "0400.0.2.7", "10.08", "300.1",
)  # fmt: skip
PATHS = ("/srv/a", "/srv/b", "/srv/a/", '"/srv/a b"', "/srv/c\\040d", "srv/a")
SHOWN = tuple(f"exports.{one}" for one in (
    "rw", "async", "no_wdelay", "nohide", "crossmnt", "insecure", "root_squash", "all_squash", "subtree_check",
    "no_auth_nlm", "acl", "pnfs", "anonuid", "anongid", "sec",
))  # fmt: skip
"""What etab says of every export."""
QUIET = ("a quotation mark is not closed", "this empty line contains a carriage return")
"""Where exportfs stops without a word."""
STOPS = ("unknown keyword", "bad option list", "syntax error", "bad fsid", "bad anon", "unknown flavor")
SCRIPT = """
mount -t tmpfs none /mnt && mkdir /mnt/lib /mnt/etc && touch /mnt/lib/etab && cp "$1" /mnt/etc/exports || exit 9
mount --bind /mnt/lib /var/lib/nfs && mount --bind /mnt/etc/exports /etc/exports || exit 9
exportfs -ra 2>&1
echo ETAB
cat /var/lib/nfs/etab
"""
ETAB = re.compile(r"^(\S+)\t([^(]*)\((.*)\)$", re.MULTILINE)


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

    lines = [one() for _ in range(draw.randint(1, 4))]
    if draw.random() < 0.1:
        lines[-1] += draw.choice((' "/srv/q', " # why \\", " *" + "x" * draw.choice((510, 511))))
    if draw.random() < 0.1:
        return "\r\n".join(lines).replace("\r\n", "\r\n\r\n", draw.randint(0, 1)) + "\r\n"
    return "\n".join(lines) + "\n"


def exported(text: str) -> dict[tuple[str, str], Export]:
    """Path and client of every export that the linter expects to be made, as etab has them."""
    whole = list(itertools.takewhile(lambda one: one.bad is None, read(text)))
    first: dict[tuple[str, str], Export] = {}
    for one in kept(whole):
        first.setdefault(spelled((one.path, one.export.client.text or one.client)), one.export)
    return first


def in_force(export: Export, words: Iterable[str] | None = None) -> dict[str, object]:
    """Tunable → value, of the export in full or of the `words` of etab."""
    grammar = load().ready(ExportGrammar)
    if words is None:
        full = in_full(grammar, export)
        assert full is not None
        words = (*full.defaults, *full.written)
    found = {}
    for word in words:
        tunable, value, wrong = grammar.option(word)
        assert wrong is None, wrong
        found[tunable] = value
    return {tunable: value for tunable, value in found.items() if tunable in SHOWN}


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
    said, _, etab = ran.stdout.partition("ETAB\n")
    findings = lint_text(written, "/etc/exports", load(), {}, kind="exports").findings
    rules = {finding.rule for finding in findings}
    stops = any(words in said for words in STOPS)
    quiet = any(one.bad in QUIET for one in read(written))
    assert bool(rules & {"export-list-broken", "export-option-unknown", "export-option-value"}) == (stops or quiet)
    if not stops and not quiet:
        # Two exports to everybody that a space makes are told as that space.
        blank = any(f.rule == "export-blank-before-options" and "everybody; the first" in f.message for f in findings)
        assert ("export-twice" in rules or blank) == ("duplicated export" in said), said
        lines = [(path.replace("\\040", " "), client, options) for path, client, options in ETAB.findall(etab)]
        there = {spelled((plain(path), client)): options for path, client, options in lines}
        asked = exported(written)
        assert set(there) == set(asked), said
        for one, options in there.items():
            if options.count("sec=") == 1:
                assert in_force(asked[one]) == in_force(asked[one], options.split(",")), options


def spelled(one: tuple[str, str]) -> tuple[str, str]:
    """etab writes the name that an address was first seen under."""
    path, client = one
    return path, {"127.0.0.1": "localhost", "192.168.1": "192.168.0.1"}.get(client, one_spelling(client))
