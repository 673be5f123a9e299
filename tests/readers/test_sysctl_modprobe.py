"""sysctl.d and modprobe.d: read as sysctl and modprobe read them, where these are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.readers.settings import read

PLACES = "/usr/sbin:/sbin:/usr/bin:/bin"
MODPROBE = shutil.which("modprobe") or shutil.which("modprobe", path=PLACES)
SYSCTL = shutil.which("sysctl") or shutil.which("sysctl", path=PLACES)
OPTIONS = st.lists(st.sampled_from([
    "options", "option", "Options", "nfs", "sunrpc", "nfs-layout", "a=1", "b-c=2", 'd="x y"', "e", "#", "# f=3",
    "blacklist", "install", "/bin/true", "=", "-", "4", ";", "alias", "softdep", "pre:", "\t",
]), max_size=6).map(" ".join).flatmap(lambda line: st.sampled_from([line, f"{line} \\"]))  # fmt: skip
KEYS = st.lists(st.sampled_from([
    "kernel.domainname", "kernel/domainname", "-kernel.domainname", " ", "=", " = ", "1", "a b", "#", "; x", "16 # y",
    ":", '"1"', "\t", "==", "\\",
]), max_size=6).map("".join)  # fmt: skip


@pytest.mark.skipif(MODPROBE is None, reason="modprobe (kmod) is not installed")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(OPTIONS, max_size=5).map("\n".join))
def test_the_parameters_are_those_that_modprobe_gives_to_modules(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.conf").write_text(f"{text}\n", encoding="utf-8")
    ran = subprocess.run([str(MODPROBE), "-C", str(tmp_path), "-c"], capture_output=True, text=True, check=False)
    told = []
    for line in ran.stdout.split("\n"):
        if line.startswith("# End"):
            break
        command, _, rest = line.partition(" ")
        name, _, words = rest.partition(" ")
        if command == "options" and name in ("nfs", "sunrpc", "nfs_layout"):
            told += read("modprobe", f"options {name} {words}\n", "x").settings
    seen = [(one.section, one.key.text, one.value.text) for one in told]
    mine = read("modprobe", text, "x").settings
    assert [one for one in seen if one[1]] == [
        (one.section, one.key.text, one.value.text) for one in mine
        if one.key.text and one.section in ("nfs", "sunrpc", "nfs_layout")
    ]


def dry_run() -> bool:
    """Whether sysctl can be asked what it would set."""
    if SYSCTL is None:
        return False
    return "--dry-run" in subprocess.run([SYSCTL, "--help"], capture_output=True, text=True, check=False).stdout


@pytest.mark.skipif(not dry_run(), reason="no sysctl with --dry-run (procps-ng 4.0.4) is installed")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(KEYS, max_size=5).map("\n".join))
@example("kernel.domainname==\t#")
def test_the_keys_are_those_that_sysctl_would_set(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.conf"
    path.write_text(f"{text}\n", encoding="utf-8")
    ran = subprocess.run([str(SYSCTL), "--dry-run", "-p", str(path)], capture_output=True, text=True, check=False)
    told = ran.stdout.splitlines()
    lines = text.split("\n")
    mine = []
    for one in read("sysctl", text, "x").settings:
        if one.key.text == "kernel.domainname":  # what its author took for a comment is part of the value
            line, start, _ = one.value.span
            mine.append(f"{one.key.text} = {lines[line - 1][start - 1 : (one.aside or one.value).span.end_column - 1]}")
    assert told == mine


@pytest.mark.parametrize(("text", "key", "value"), [
    ("net.ipv4.tcp_sack=1", "net.ipv4.tcp_sack", "1"), ("-net.ipv4.tcp_sack = 1", "net.ipv4.tcp_sack", "1"),
    ("net/ipv4/tcp_sack\t=\t1\t", "net.ipv4.tcp_sack", "1"),
    ("net/ipv4/conf/eth0.1/x=1", "net.ipv4.conf.eth0/1.x", "1"),
    ("a.b = 1 2  3 # c", "a.b", "1 2  3"), ("a.b = x=y", "a.b", "x=y"), ("a.b =", "a.b", ""),
])  # fmt: skip
def test_a_key_and_its_value(text: str, key: str, value: str) -> None:
    [one] = read("sysctl", text, "x").settings
    assert (one.key.text, one.value.text) == (key, value)


@pytest.mark.parametrize(("text", "settings_", "bad"), [
    ("options nfs a=1 b-c=2", [("nfs", "a", "1"), ("nfs", "b_c", "2")], []),
    ("options nfs-x a=1 \\\n  b=2", [("nfs_x", "a", "1"), ("nfs_x", "b", "2")], []),
    ("options nfs a = 1 b=2", [("nfs", "a", ""), ("nfs", "b", "2")], []),
    ("options nfs a= 1", [("nfs", "a", "")], []),
    ('options nfs a="x y"', [("nfs", "a", "x y")], []),
    ("# options nfs a=1 \\\noptions nfs b=2\noptions nfs c=3", [("nfs", "c", "3")], []),
    ("option nfs a=1\noptions nfs\noptions nfs b=2", [("nfs", "b", "2")], [1, 2]),
    ("install nfs\nsoftdep nfs pre: sunrpc\nalias a b\nblacklist x", [], [1]),
])  # fmt: skip
def test_parameters(text: str, settings_: list[tuple[str, str, str]], bad: list[int]) -> None:
    file = read("modprobe", text, "x")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == settings_
    assert [span.line for span, _ in file.bad] == bad


def test_modules_that_are_never_loaded() -> None:
    text = "install nfs /bin/true\ninstall a /sbin/modprobe a\nblacklist nfsv4\ninstall b /usr/bin/false # c"
    assert [slip.section for slip in read("modprobe", text, "x").slips] == ["nfs", "nfsv4", "b"]
