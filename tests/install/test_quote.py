"""Names from anywhere are read back as they were, by whoever reads the format."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from advisor.advice.answers import bad_name
from advisor.files.fstab import read
from advisor.install import artefacts, context
from advisor.install.build import checked_context
from advisor.install.context import Unwritable, simplified, unit_name
from advisor.install.scripts import mounts
from tests.install.cases import HOSTILE, advice, base, made
from tests.tiers import examples

NASTY = st.text(st.one_of(
    st.sampled_from(" \\\"'#%$`&;|<>{}()[]*?!~^,:=-+@/.0124é\u2028\u00a0\u202e"),
    st.characters(exclude_categories=["Cs", "Cc"]),
), min_size=1, max_size=24)
PATHS = NASTY.map(lambda text: f"/{text}").filter(lambda text: bad_name("export", text) is None)
SERVERS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=16).filter(
    lambda text: bad_name("server", text) is None and not text.startswith("[")
)


@given(PATHS, PATHS)
@examples(15, 100)
def test_fstab(export: str, target: str) -> None:
    (entry,) = read(fstab(export=export, target=target), "fstab").entries
    for view in (entry.libmount_view, entry.glibc):
        assert view is not None
        assert (view.source, view.target) == (f"nas:{export}", target)


def fstab(server: str = "nas", export: str = "/export", target: str = "/mnt") -> str:
    told = advice("home-1gbe")
    names = {"server": server, "export": export, "target": target}
    return next(mounts(checked_context(base(), told._replace(answers=told.answers._replace(names=names))))).text


@given(st.one_of(NASTY, st.sampled_from(["yes", "No", "1:30", "0x1f", "1_000", "~", "null", "=", "- a", "a: b", "e1",
                                         "1e3", ".5", "on", "2001-01-01", "!x", "&a", "*a", "%x", "@x"])))
@settings(deadline=None)
def test_yaml(text: str) -> None:
    document = f"a: {context.yaml(text)}\nb: [{context.yaml(text)}]\n"
    assert yaml.safe_load(document) == {"a": text, "b": [text]}
    assert YAML(typ="safe", pure=True).load(document) == {"a": text, "b": [text]}


@pytest.mark.parametrize(("client", "written"), [
    ("10.0.0.0/8", "10.0.0.0/8"), ("2001:db8::/32", "[2001:db8::]/32"), ("2001:db8::7", "[2001:db8::7]"),
    ("[2001:db8::7]", "[2001:db8::7]"), ("@grp", "@grp"), ("*.example.org", "*.example.org"),
])
def test_exportfs_wants_an_ipv6_address_in_brackets(client: str, written: str) -> None:
    assert context.exportfs_client(client) == written


def test_what_looks_like_a_template_is_marked_for_ansible() -> None:
    assert context.ansible("{{ 7 * 7 }}").startswith('!unsafe "')
    assert context.ansible("/plain") == "/plain"


@given(st.lists(st.one_of(NASTY, st.sampled_from(["\\040", "\\\\", "\\134040"])), max_size=3).map("".join))
def test_exports(text: str) -> None:
    """exportfs decodes a backslash and three octal digits as soon as it has read them."""
    line = context.exports(text)
    token = b""
    for byte in line.encode():
        assert byte not in b' \t"#()'
        token += bytes([byte])
        tail = token[-4:]
        if len(tail) == 4 and tail[:1] == b"\\" and all(0x30 <= one <= 0x37 for one in tail[1:]):
            token = token[:-4] + bytes([int(tail[1:], 8) & 0xFF])
    assert token.decode() == text


@given(NASTY)
def test_autofs(text: str) -> None:
    """A backslash takes the meaning from the character behind it."""
    read_back, rest = "", iter(context.autofs(text))
    for char in rest:
        assert char not in " \"'#$&(){}"
        read_back += next(rest) if char == "\\" else char
    assert read_back == text


@given(NASTY)
def test_unit_values(text: str) -> None:
    try:
        value = context.unit(text)
    except Unwritable:
        return
    assert value.replace("%%", "") == value.replace("%%", "\0").replace("%", "").replace("\0", "")
    assert value.replace("%%", "%") == text
    assert value == value.strip()
    assert (len(value) - len(value.rstrip("\\"))) % 2 == 0


@given(PATHS)
@examples(10, 60)
def test_unit_names_are_what_systemd_makes_of_them(path: str) -> None:
    try:
        name = unit_name(path, "mount")
    except Unwritable:
        return
    assert "/" not in name
    escape = shutil.which("systemd-escape")
    if escape is None:
        pytest.skip("systemd-escape is not installed")
    told = subprocess.run([escape, "-p", "--suffix=mount", path], capture_output=True, text=True, check=True)
    assert told.stdout.rstrip("\n") == name
    assert simplified(path).startswith("/")


@pytest.mark.parametrize("path", ["/a/../b", "/" + "x" * 300])
def test_mount_points_that_systemd_refuses(path: str) -> None:
    with pytest.raises(Unwritable):
        unit_name(path, "mount")
    files = made("home-1gbe", {"target": path})
    assert "systemd" not in "".join(files)
    assert "No systemd units: " in files["REPORT.md"].text
    assert "No systemd units: " in files["REPORT.html"].text


@pytest.mark.parametrize("export", ["/ends in blank ", "/ends in backslash\\"])
def test_names_that_a_unit_cannot_hold_have_no_unit(export: str) -> None:
    paths = made("home-1gbe", {"export": export})
    assert "fstab" in paths
    assert not any(path.startswith("systemd/") for path in paths)


@pytest.mark.parametrize(("name", "text"), [
    ("server", "a b"), ("export", "relative"), ("target", "/a\nb"), ("clients", "a\x00"), ("server", "a;reboot"),
])
def test_names_that_no_file_should_hold(name: str, text: str) -> None:
    with pytest.raises(Unwritable):
        made("home-1gbe", {name: text})


@given(st.lists(NASTY | st.just("ends in \\"), max_size=3))
def test_comments_stay_comments(texts: list[str]) -> None:
    for line in context.comment([*texts, "a\nb\x00\u2028c"]).split("\n"):
        assert line.startswith("#")
        assert not line.endswith(("\\", " "))
        assert line.isprintable()


def test_facts_and_origins_cannot_leave_their_comment() -> None:
    told = advice("home-1gbe")
    answers = told.answers._replace(origin={"client.kernel": "x\n/evil /evil nfs \\"})
    for one in artefacts(base(), told._replace(answers=answers)):
        if not one.path.endswith(".html"):  # which has no comments that a line end could leave
            assert not any(line.startswith("/evil") for line in one.text.split("\n")), one.path


ADDRESSES = {source.address for source in base().sources.values()}
"""Of sources: nothing else is linked."""


class Tags(HTMLParser):
    """Collects the names of tags, and what is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.shown = ""
        self.attributes: set[str] = set()
        self.links: set[str | None] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value for name, value in attrs if name == "href"}

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_html_shows_names_and_obeys_none() -> None:
    page = Tags()
    page.feed(made("anf-eda-static", HOSTILE)["REPORT.html"].text)
    assert HOSTILE["target"] in page.shown
    assert HOSTILE["export"] in page.shown
    assert not page.tags & {"script", "b", "link", "img", "iframe", "object"}
    assert not page.attributes & {"src", "onload", "style"}
    assert {link for link in page.links if not link.startswith("#")} <= ADDRESSES
    assert {"meter", "details"} <= page.tags


def test_markdown_shows_names_and_obeys_none() -> None:
    page = Tags()
    files = made("anf-eda-static", HOSTILE)
    text = files["REPORT.md"].text + files["REPORT-details.md"].text
    page.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert HOSTILE["target"] in page.shown
    assert not page.tags & {"script", "b", "img"}
    assert {link for link in page.links if not link.startswith("REPORT-details.md")} <= ADDRESSES


def test_json_like_names_in_the_shell() -> None:
    name = json.dumps({"a": "'\"$(id)"})
    line = made("home-1gbe", {"target": f"/{name}"})["mount.sh"].text.splitlines()[-1]
    assert shlex.split(line)[-1] == f"/{name}"


@given(st.sampled_from(["/mnt/nfs", "/a;b", "/a#b", "/a b", "/${HOME}", "/a:b"]))
@settings(deadline=None)
def test_fio_gets_a_directory_only_where_it_can_read_it(target: str) -> None:
    text = made("home-1gbe", {"target": target})["benchmarks/fio-8k-random.fio"].text
    assert ("directory=/mnt/nfs" in text) == (target == "/mnt/nfs")
    assert ("change into it" in text) == (target != "/mnt/nfs")


@given(SERVERS)
@examples(10, 50)
def test_servers(server: str) -> None:
    (entry,) = read(fstab(server), "fstab").entries
    assert entry.source.value in (f"{server}:/export", f"[{server}]:/export")
