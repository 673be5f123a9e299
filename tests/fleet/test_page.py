from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings

from advisor.cli import main
from advisor.fleet.model import FleetReport, HostClass
from advisor.pages.fleet_page import NAMES, _squarify, fleet_page
from tests.fleet import made
from tests.fleet.made import NCONNECT, NOLOCK, host_class, report, share
from tests.pages.hostile import TEXT

TAGS = {
    "html", "head", "meta", "title", "style", "body", "script", "svg", "defs", "pattern", "rect", "text", "a", "ul",
    "li", "strong", "code", "h1", "h2", "p", "div", "table", "tr", "th", "td", "details", "summary", "dl", "dt",
    "dd", "pre", "br", "span",
}
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "height", "width", "role", "aria-label",
    "aria-hidden", "x", "y", "href", "id", "fill", "patternunits", "patterntransform",
}


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.scripts = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.scripts += tag == "script"
        self.attributes |= {name for name, _ in attrs}
        self.addresses |= {value or "" for name, value in attrs if name == "href"}


@given(made.reports, TEXT)
@settings(max_examples=60)
def test_nothing_that_a_bundle_says_becomes_markup(one: FleetReport, text: str) -> None:
    hostile = NOLOCK._replace(message=text, remedy=text, place=text, setting=text, rule=text)
    bad = HostClass(text, (text,), {text: text}, (text,), (hostile,), None)
    page = Tags(fleet_page(one._replace(classes=(*one.classes, bad), shares=(share(hostile, bad),)), "advisor"))
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert page.scripts == 1
    assert all(address.startswith("#class-") for address in page.addresses)


def test_a_tag_in_a_host_name_is_text() -> None:
    page = fleet_page(report(host_class("0000aaaa", ("<script>alert(1)</script>",), NOLOCK)), "advisor")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_large_fleet_is_a_small_page() -> None:
    names = [f"node{number:06}.example.org" for number in range(100_000)]
    classes = [host_class(f"{n:08x}", tuple(names[n * 200:n * 200 + 200]), NOLOCK, NCONNECT) for n in range(500)]
    page = fleet_page(report(*classes, shares=(share(NOLOCK, *classes),)), "advisor")
    assert len(page) < 3_000_000
    assert "100,000 of 100,000" in page
    assert f"and {200 - NAMES} more" in page


def test_the_area_of_a_tile_is_its_share_and_no_two_overlap() -> None:
    sizes = [60, 30, 20, 5, 5, 1]
    tiles = _squarify(sizes, 2.0)
    for size, one in zip(sizes, tiles):
        assert abs(one.wide * one.high - size / sum(sizes)) < 1e-9
        assert one.x + one.wide < 1 + 1e-9
        assert one.y + one.high < 1 + 1e-9
    for at, one in enumerate(tiles):
        for other in tiles[at + 1:]:
            assert (one.x + one.wide <= other.x + 1e-9 or other.x + other.wide <= one.x + 1e-9
                    or one.y + one.high <= other.y + 1e-9 or other.y + other.high <= one.y + 1e-9)


def test_each_tile_leads_to_its_class() -> None:
    page = fleet_page(report(host_class("0000aaaa", ("a",), NOLOCK), host_class("0000bbbb", ("b",))), "advisor")
    assert set(re.findall(r'href="#([^"]+)"', page)) == {"class-0000aaaa", "class-0000bbbb"}
    assert all(f'id="class-{name}"' in page for name in ("0000aaaa", "0000bbbb"))


def test_the_command_writes_the_page_and_what_changed_since(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = tmp_path / "a"
    (bundle / "etc").mkdir(parents=True)
    (bundle / "etc/fstab").write_text("filer:/data /data nfs nolock,vers=3 0 0\n")
    args = ["fleet", "report", str(bundle), "--jobs", "1", "--output-format"]
    main([*args, "jsonl"])
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_text(capsys.readouterr().out)
    main([*args, "html", "--since", str(earlier)])
    page = capsys.readouterr().out
    assert "NFS configuration of 1 host" in page
    assert "New: 0 hosts. Gone: 0 hosts. In another class: 0 hosts." in page
    earlier.write_text("[]\n")
    assert main([*args, "html", "--since", str(earlier)]) == 2
    assert "--since" in capsys.readouterr().err
