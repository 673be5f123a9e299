"""sysctl.d and modprobe.d: read as sysctl and modprobe read them, where these are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.files.kinds import read_settings
from advisor.files.records import Span, Token
from tests.each import each
from tests.files.spans import written
from tests.tiers import examples

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
            told += read_settings("modprobe", f"options {name} {words}\n", "x").settings
    seen = [(one.section, one.key.text, one.value.text) for one in told]
    mine = read_settings("modprobe", text, "x").settings
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
@examples(50, 200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(KEYS, max_size=5).map("\n".join))
@example("kernel.domainname==\t#")
def test_the_keys_are_those_that_sysctl_would_set(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.conf"
    path.write_text(f"{text}\n", encoding="utf-8")
    ran = subprocess.run([str(SYSCTL), "--dry-run", "-p", str(path)], capture_output=True, text=True, check=False)
    told = ran.stdout.splitlines()
    lines = text.split("\n")
    mine = []
    for one in read_settings("sysctl", text, "x").settings:
        if one.key.text == "kernel.domainname":  # what its author took for a comment is part of the value
            line, start, _ = one.value.span
            mine.append(f"{one.key.text} = {lines[line - 1][start - 1 : (one.aside or one.value).span.end_column - 1]}")
    assert told == mine


@each(lambda: [
    ("net.ipv4.tcp_sack=1", "net.ipv4.tcp_sack", "1"), ("-net.ipv4.tcp_sack = 1", "net.ipv4.tcp_sack", "1"),
    ("net/ipv4/tcp_sack\t=\t1\t", "net.ipv4.tcp_sack", "1"),
    ("net/ipv4/conf/eth0.1/x=1", "net.ipv4.conf.eth0/1.x", "1"),
    ("a.b = 1 2  3 # c", "a.b", "1 2  3"), ("a.b = x=y", "a.b", "x=y"), ("a.b =", "a.b", ""),
])  # fmt: skip
def test_a_key_and_its_value(text: str, key: str, value: str) -> None:
    [one] = read_settings("sysctl", text, "x").settings
    assert (one.key.text, one.value.text) == (key, value)


@each(lambda: [
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
    file = read_settings("modprobe", text, "x")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == settings_
    assert [span.line for span, _ in file.bad] == bad


def test_modules_that_are_never_loaded() -> None:
    text = "install nfs /bin/true\ninstall a /sbin/modprobe a\nblacklist nfsv4\ninstall b /usr/bin/false # c"
    assert [slip.section for slip in read_settings("modprobe", text, "x").slips] == ["nfs", "nfsv4", "b"]


@each(lambda: [
    ("  a.b =  1 2  # c ", "a.b", "1 2", "# c"), ("-a/b=1", "a/b", "1", None), ("a.b = 1 //c", "a.b", "1", "//c"),
    ("a.b= ;c", "a.b", ";c", None), ("a.b = 1\t; c", "a.b", "1", "; c"), ("a.b = 1#c", "a.b", "1#c", None),
    ("a.b =  ", "a.b", "", None),
])  # fmt: skip
def test_where_a_key_of_sysctl_and_its_value_are(line: str, key: str, value: str, aside: str | None) -> None:
    text = f"# x\n{line}\n"
    (setting,) = read_settings("sysctl", text, "x").settings
    assert (written(text, setting.key.span), written(text, setting.value.span)) == (key, value)
    assert (setting.value.text, setting.aside and setting.aside.text) == (value, aside)
    assert setting.aside is None or written(text, setting.aside.span) == aside


@each(lambda: [
    ("a.b", "this is not an assignment, so it is skipped; write key = value"), ("-a.b", None), ("; a.b", None),
    ("=1", "no key before the equals sign; the line is skipped"), ("$A=1", None), ("{{ a }}", None),
    ("sudo /sbin/sysctl -w a.b=1", "this is a command, and a file has no commands; write a.b = 1"),
    ("sysctl a.b= 1", "this is a command, and a file has no commands; write a.b = 1"),
    ("echo a.b = 1", 'no kernel has a key called "echo a.b", so the line is skipped; write key = value'),
    ("sudo a.b = 1", 'no kernel has a key called "sudo a.b", so the line is skipped; write key = value'),
])  # fmt: skip
def test_lines_that_sysctl_skips(line: str, words: str | None) -> None:
    file = read_settings("sysctl", f"\n {line} \n", "x")
    assert file.bad == (((2, 2, len(line) + 2), words),) if words else not file.bad
    assert not file.settings


@each(lambda: [
    ("sunrpc.a-b=128", "modprobe skips the line, which is written as for sysctl; write options sunrpc a-b=128"),
    ("nfs.a = 1", "modprobe skips the line, which is written as for sysctl; write options nfs a=1"),
    ("option nfs a=1", "no command is called option (did you mean options?), so modprobe skips the line"),
    ("Optoins nfs a=1", "no command is called Optoins (did you mean options?), so modprobe skips the line"),
    ("OPTS nfs a=1", "no command is called OPTS (did you mean options?), so modprobe skips the line"),
    ("blaklist nfs", "no command is called blaklist (did you mean blacklist?), so modprobe skips the line"),
    ("bl nfs", "no command is called bl (did you mean blacklist?), so modprobe skips the line"),
    ("xyz nfs", "no command is called xyz, so modprobe skips the line"),
    ("alias nfs", "too few words follow alias, so the line is skipped"),
    ("softdep a", "too few words follow softdep, so the line is skipped"),
    ("blacklist", "too few words follow blacklist, so the line is skipped"),
    ("weakdep a", "too few words follow weakdep, so the line is skipped"),
    ("remove a", "too few words follow remove, so the line is skipped"),
    ("alias a b", None), ("remove a b", None), ("weakdep a b", None), ("include a", None), ("config b", None),
    ("$x nfs", None),
])  # fmt: skip
def test_lines_that_modprobe_skips(line: str, words: str | None) -> None:
    file = read_settings("modprobe", f"# x\n  {line}\n", "x")
    assert [(tuple(span), said) for span, said in file.bad] == ([((2, 3, len(line) + 3), words)] if words else [])


def test_a_skipped_line_is_marked_up_to_its_first_line_end() -> None:
    file = read_settings("modprobe", "option nfs \\\n  abcdefghijkl=1\n", "x")
    assert [tuple(span) for span, _ in file.bad] == [(1, 1, 11)]


@pytest.mark.parametrize(("line", "assigned"), [
    ('options nfs-x a-b="x y" c="" d=" e', [("a-b", "x y"), ("c", ""), ("d", '" e')]),
    ("options nfs a b=", [("a", ""), ("b", "")]),
    ('options nfs a=""', [("a", "")]), ("options nfs a =1 b=2", [("a", ""), ("b", "2")]),
    ("options nfs a= b c", [("a", ""), ("c", "")]), ("options nfs a= b=1", [("a", ""), ("b", "1")]),
])  # fmt: skip
def test_where_parameters_and_their_values_are(line: str, assigned: list[tuple[str, str]]) -> None:
    settings = read_settings("modprobe", line, "x").settings
    assert [(written(line, one.key.span), written(line, one.value.span)) for one in settings] == assigned
    assert [(one.key.text.replace("_", "-"), one.value.text) for one in settings] == assigned


def test_a_number_sign_makes_parameters_of_what_follows_on_its_line() -> None:
    text = "options nfs a=1 \\\n # b  c=2 \\\nd=3"
    first, rest = read_settings("modprobe", text, "x").settings
    assert (first.key.text, rest.key.text, rest.aside) == ("a", "", Token("# b c=2 d=3", Span(2, 2, 10)))


@each(lambda: [
    ("blacklist nfs-v4", ("nfs_v4", "blacklist", "module-blacklist-idle")),
    ("install nfs /bin/true", ("nfs", "install … /bin/true", "")), ("install nfs :", ("nfs", "install … :", "")),
    ("install nfs false", ("nfs", "install … false", "")), ("install nfs truely", None),
    ("install nfs /dev/null", ("nfs", "install … /dev/null", "")), ("remove nfs /bin/true", None),
])  # fmt: skip
def test_how_a_module_is_kept_from_loading(line: str, slip: tuple[str, str, str] | None) -> None:
    slips = read_settings("modprobe", line, "x").slips
    assert [(one.section, one.words["how"], one.by_name) for one in slips] == ([slip] if slip else [])
    assert all(written(line, one.span) == line.split()[1] for one in slips)
