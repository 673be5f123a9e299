"""The pages of `tools/rule_pages.py`: one for everything, with headings and examples that hold."""

import re

import pytest
from markdown_it import MarkdownIt

from advisor.engine.base import GATE
from advisor.lint.finding import INTERNAL
from tests.tiers import thorough
from tools.rule_pages import INDEX, MARK, pages, write

pytestmark = thorough

HEADINGS = ["What it finds", "Why it matters", "Example", "Fix", "Sources"]


@pytest.fixture(scope="module")
def written(base):
    return pages(base)


def test_every_rule_has_a_page_and_stands_in_the_index(base, written):
    index = written[INDEX]
    sections = {name for text in written.values() for name in re.findall(r"^### `(.*)`$", text, re.M)}
    for name in base.rule_names:
        assert name in written or name in sections
        assert f"[{name}]({name}.md)" in index or f"`{name}`" in index


def test_headings_are_fixed(written):
    for name, text in written.items():
        if name != INDEX:
            assert re.findall(r"^## (.*)$", text, re.M) == HEADINGS, name


def test_every_check_shows_what_it_finds_and_what_not(base, written):
    for name in base.checks:
        assert "### Found\n" in written[name] or name == INTERNAL, name
        assert "### Not found\n" in written[name], name


def test_settings_that_nothing_writes_are_not_named(base, written):
    derived = [name for name, tunable in base.tunables.items() if tunable.derived]
    assert derived
    for text in written.values():
        assert not [name for name in derived if name in text.partition("## Why it matters")[0].partition("finds")[2]]


def test_an_example_of_several_hosts_says_which_is_which(written):
    assert "6 clients like this one" in written["connections-above-limit"]
    assert not [name for name, text in written.items() if "\n1 clients like" in text]


def test_rules_on_mount_options_are_shown_at_work(base, written):
    options = {name: each for name, each in base.decisions.items() if base.tunables[name].kind == "mount-option"}
    advised = {name for name, decision in options.items() if any(
        rule.strength in ("must", "should") and rule.layer != GATE for rule in decision.rules.values())}
    shown = {name for name in options if "### Found\n" in written[name] and "### Not found\n" in written[name]}
    assert advised - shown == {"mount.efs.tls", "mount.x-systemd.automount"}  # lint does not know what they depend on


def test_links_lead_somewhere_and_nothing_is_html(written):
    for name, text in written.items():
        tokens = MarkdownIt("commonmark").enable("table").parse(text.replace(MARK, ""))
        for token in (child for one in tokens for child in one.children or ()):
            assert token.type not in ("html_inline", "image"), name
            if token.type == "link_open":
                target = token.attrs["href"]
                assert target.startswith(("https://", "http://")) or target.removesuffix(".md") in written, name


def test_pages_are_written_and_outdated_ones_removed_and_nothing_else(tmp_path, written):
    gone = tmp_path / "gone.md"
    gone.write_text(f"# gone\n\n{MARK}\n")
    own = tmp_path / "own.md"
    own.write_text("# mine\n")
    write(tmp_path, written)
    assert not gone.exists()
    assert (tmp_path / f"{INDEX}.md").read_text() == written[INDEX]
    assert {path.stem for path in tmp_path.iterdir()} == {*written, "own"}
