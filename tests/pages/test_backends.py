"""Every medium shows the same words of any document, and what stands in them is never obeyed."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from advisor.pages import blocks as b
from advisor.pages.layout import lines, terminal
from advisor.pages.markup import html_page, markdown, svg
from advisor.pages.style import Style, visible, width
from advisor.wizard.widgets import screen
from tests.each import each
from tests.pages.hostile import TEXT
from tests.tiers import examples

ROLES = st.sampled_from(("", "code", "strong", "dim", "good", "warn", "bad"))
ADDRESS = st.one_of(st.none(), st.just("https://example.com/a"), st.just("javascript:alert(1)"), TEXT)
SPANS = st.lists(st.builds(b.TextRun, TEXT, ROLES, ADDRESS), max_size=3).map(tuple)
WORD = st.text("abcdefgh", min_size=1, max_size=6)
NUMBER = st.floats(0, 1e9, allow_nan=False)
MANY = examples(15, 100)


def leaves(said):
    row = st.tuples(said, said, said)
    label = said.map(b.plain).filter(bool)
    return st.one_of(
        st.builds(b.Heading, said, st.integers(1, 7), st.sampled_from(("", "must", "may"))),
        st.builds(b.Paragraph, said),
        st.builds(b.Pairs, st.lists(st.tuples(label, said), min_size=1, max_size=3).map(tuple)),
        st.builds(b.Table, st.one_of(st.just(()), row), st.lists(row, min_size=1, max_size=3).map(tuple)),
        st.builds(b.Chart, said.map(b.plain), st.lists(
            st.builds(b.Bar, said.map(b.plain), NUMBER, NUMBER), min_size=1, max_size=3).map(tuple)),
        st.builds(b.Stack, st.lists(
            st.builds(b.StackPart, said.map(b.plain), NUMBER, said.map(b.plain), st.integers(0, 4)),
            min_size=1, max_size=5).map(tuple)),
        st.builds(b.Code, said.map(b.plain), st.sampled_from(("", "fstab"))),
    )


def documents(said):
    """Documents whose texts are drawn from `said`."""
    def holding(inner):
        held = st.lists(inner, max_size=2).map(tuple)
        marks = st.sampled_from(("-", "✓", "✗", "?"))
        items = st.lists(st.builds(b.ListItem, said, marks, held), min_size=1, max_size=2)
        return st.one_of(st.builds(b.Items, items.map(tuple)), st.builds(b.Fold, said, st.integers(1, 3), held))

    return st.lists(st.recursive(leaves(said), holding, max_leaves=5), max_size=4)


class Words(HTMLParser):
    """The text of a page's body, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags, self.attributes = "", set(), []
        self.feed(text.partition("<body>")[2])

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        self.text += " " if tag not in ("code", "strong", "span", "a") else ""

    def handle_data(self, data):
        self.text += data


def parsed(text: str) -> Words:
    rendered = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    return Words(f"<body>{rendered}")


def seen(text: str) -> list[str]:
    """The words of what a reader sees, without bars and the signs before items."""
    return re.findall(r"[\w.]+", re.sub(r"[ ▏▎▍▌▋▊▉█░▒▓▚]+", " ", text))


CLEAN = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
CLEAN_SPANS = st.lists(st.builds(b.TextRun, CLEAN, ROLES), min_size=1, max_size=3).map(tuple)


@MANY
@given(documents(CLEAN_SPANS))
def test_the_same_words_in_the_same_order_everywhere(blocks):
    shown = [
        terminal(blocks, 10_000, Style(False)), screen(blocks, 10_000).plain, parsed(markdown(blocks)).text,
        Words(html_page(blocks, "t", "g")).text,
    ]
    words = [[word for word in seen(text) if word != "empty"] for text in shown]
    assert words[0] == words[1] == words[2] == words[3]
    texts = ElementTree.fromstring(svg(blocks, "", "")).iter("{http://www.w3.org/2000/svg}text")
    told = " ".join(filter(None, (one.text for one in texts)))
    assert "".join(seen(told)) == "".join(seen(terminal(blocks, 100, Style(False))))


@MANY
@given(documents(CLEAN_SPANS), st.integers(20, 100))
def test_no_word_is_lost_on_a_narrow_screen(blocks, columns):
    assume(not any(isinstance(block, b.Table) for block in every(blocks)))  # a list repeats the heads of a table
    wide, narrow = (re.sub("[^a-h0-9]", "", terminal(blocks, columns, Style(False))) for columns in (10_000, columns))
    assert wide == narrow


@MANY
@given(documents(SPANS), st.integers(20, 100))
def test_nothing_is_wider_than_the_screen_but_code(blocks, columns):
    code = {line for block in every(blocks) if isinstance(block, b.Code) for line in visible_lines(block.text)}
    for line in lines(blocks, columns):
        text = b.plain(line)
        if any(span.address == "https://example.com/a" for span in line):
            continue  # an address stays whole
        assert width(text) <= columns or text.strip() in code or not text.isascii()
        assert text.isprintable()


@MANY
@given(documents(SPANS), TEXT)
@example([b.Paragraph((b.TextRun("it fails!"), b.TextRun("nfs(5)", "", "https://example.com/a")))], "")
def test_what_stands_in_a_document_is_obeyed_by_no_medium(blocks, title):
    """One document for all, since most of the time is spent on making it."""
    no_escape_code_is_left(blocks)
    html_has_no_markup_of_others(blocks)
    markdown_has_no_markup_of_others(blocks)
    a_picture_fetches_and_runs_nothing(blocks, title)


def no_escape_code_is_left(blocks):
    shown = (terminal(blocks, 60, Style(False)), screen(blocks, 60).plain, markdown(blocks),
             html_page(blocks, "t", "g"),
             svg(blocks, "t", "g"))
    for text in shown:
        assert all(line.isprintable() for line in text.split("\n"))


def html_has_no_markup_of_others(blocks):
    page = Words(html_page(blocks, "<b>", "g"))
    assert page.tags <= {
        "h1", "h2", "h3", "h4", "h5", "h6", "p", "dl", "dt", "dd", "ul", "li", "table", "tr", "th", "td", "meter",
        "pre", "details", "summary", "code", "strong", "span", "a", "br", "div",
    }
    for name, value in page.attributes:
        assert name in ("class", "href", "id", "value", "scope", "style")
        assert name != "style" or re.fullmatch(r"flex:\d+", value)
        assert name != "href" or value.startswith(("https://", "http://", "#"))


def markdown_has_no_markup_of_others(blocks):
    text = markdown(blocks)
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        assert token.type != "html_block"
        for child in token.children or ():
            assert child.type not in ("html_inline", "image", "em_open", "s_open")
            if child.type == "link_open":
                assert child.attrs["href"].startswith(("https://", "http://"))
    meant = sum(isinstance(block, (b.Heading, b.Fold)) for block in every(blocks))
    assert len(re.findall("<h[1-6]>", MarkdownIt("commonmark").enable("table").render(text))) <= meant


def test_a_screen_obeys_no_markup():
    content = screen([b.Paragraph(b.text("[bold red]x[/] [@click=app.quit]y[/]"))], 60)
    assert content.plain == "  [bold red]x[/] [@click=app.quit]y[/]"
    assert not content.spans


@each(lambda: ["- x", "1. x", "# x", "=====", "+ x", "> x", "    x", "```", "***", "| a |"])
def test_what_begins_a_line_is_text(text):
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown([b.Paragraph(b.text(text))]))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(child.content for child in tokens[1].children) == text.strip()


def test_bars_are_to_scale_in_every_medium():
    chart = [b.Chart("MiB/s", (b.Bar("two", 50, 50), b.Bar("four", 80, 100)))]
    assert terminal(chart, 80, Style(False)) == (
        f"    two   {'█' * 20} 50 MiB/s\n    four  {'█' * 40} 80 to 100 MiB/s\n"
    )
    assert '<meter value="0.5000">' in html_page(chart, "t", "g")
    assert "| two | 50 MiB/s |" in markdown(chart)


def test_colour_and_links_only_where_the_terminal_has_them():
    said = [b.Heading(b.text("Why"), 1), b.Paragraph(b.text(b.TextRun("nfs(5)", "dim", "https://man.example/nfs")))]
    assert terminal(said, 80, Style(False)) == "Why\n  nfs(5)\n"
    assert terminal(said, 80, Style(True, True)) == (
        "\x1b[1mWhy\x1b[0m\n  \x1b]8;;https://man.example/nfs\x1b\\\x1b[2mnfs(5)\x1b[0m\x1b]8;;\x1b\\\n"
    )


def test_commands_stay_line_by_line():
    said = b.Document()
    said.pairs([("apply", "first\nsecond"), ("undo", "third"), ("nothing", None)])
    assert terminal(said.blocks, 80, Style(False)) == "  apply:  first\n          second\n  undo:   third\n"
    assert markdown(said.blocks) == "- apply: \n\n  ```\n  first\n  second\n  ```\n- undo: third\n"


def test_a_table_that_is_too_wide_is_a_list():
    table = [b.Table((b.text("case"), b.text("ms")), ((b.text("read"), b.text("7")), (b.text("a"), b.text("12"))))]
    assert terminal(table, 80, Style(False)) == "  case  ms\n  read   7\n  a     12\n"
    assert terminal(table, 20, Style(False)) == terminal(table, 80, Style(False))
    wide = [b.Table((b.text("case"), b.text("ms"), b.text("ops")), ((b.text("x"), b.text("y" * 20), b.text("7")),))]
    assert terminal(wide, 24, Style(False)) == "  - case: x; ms:\n    " + "y" * 20 + "\n    ; ops: 7\n"


def test_a_last_column_that_is_too_wide_is_wrapped():
    rows = ((b.text("nconnect=8"), b.text("should"), b.text("More connections fill the link.")),
            (b.text("a setting of a long name"), b.text("may"), b.text("Why not.")))
    assert terminal([b.Table((), rows)], 48, Style(False)) == (
        "  nconnect=8  should  More connections fill the\n"
        "                      link.\n"
        "  a setting of a long name\n"
        "              may     Why not.\n"
    )


def every(blocks):
    for block in blocks:
        yield block
        if isinstance(block, b.Items):
            for item in block.items:
                yield from every(item.blocks)
        elif isinstance(block, b.Fold):
            yield from every(block.blocks)


def visible_lines(text):
    return [visible(line).strip() for line in text.split("\n")]


def test_an_address_stays_whole_to_be_copied():
    address = f"https://example.com/{'long/' * 20}"
    said = [b.Items((b.ListItem(b.text("x"), blocks=(b.Paragraph(b.text(b.TextRun(address, "dim", address))),)),))]
    assert terminal(said, 30, Style(False)) == f"  - x\n    {address}\n"
    assert max(map(len, screen(said, 30).plain.split("\n"))) <= 30
    assert f"[{address}]({address})" in markdown(said).replace("\\", "")
    assert f'<a href="{address}">' in html_page(said, "t", "g")


def a_picture_fetches_and_runs_nothing(blocks, title):
    picture = ElementTree.fromstring(svg(blocks, title, "g"))
    name = "{http://www.w3.org/2000/svg}"
    allowed = {"svg", "title", "desc", "style", "defs", "pattern", "rect", "text", "a"}
    for one in picture.iter():
        assert one.tag.removeprefix(name) in allowed
        assert one.tag != f"{name}a" or one.get("href", "").startswith(("https://", "http://"))
        assert not [each for each in one.attrib if each.startswith("on")]
        if one.tag == f"{name}rect":
            assert float(one.get("width", "0")) > 0


AMOUNTS = st.lists(st.floats(0, 1e9, allow_nan=False), min_size=1, max_size=8)


@given(AMOUNTS, st.integers(1, 1000))
def test_the_parts_of_a_stack_fill_it(amounts, of):
    shares = b.Stack(tuple(b.StackPart("", one, "", 0) for one in amounts)).shares(of)
    whole = sum(amounts)
    if not whole:
        assert not any(shares)
        return
    assert sum(shares) == of
    for share, amount in zip(shares, amounts):
        assert (share > 0) == (amount > 0) or of < len(amounts) or share == 0 == amount
        assert abs(share - amount * of / whole) <= len(amounts)
