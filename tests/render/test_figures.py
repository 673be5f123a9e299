"""How a claim's figures are shown."""

from advisor.render.figures import tables, words

FIGURES = {
    "threads": [1, 2],
    "direct": True,
    "large": {"mib_s": 10240},
    "rows": [{"test": "read", "nss74": 7024}, {"test": "write", "nss74": 834, "unit": "MB/s"}],
}


def test_single_figures_in_words() -> None:
    assert words(FIGURES) == "threads = 1/2, direct = true, large = (mib_s = 10240)"


def test_a_table() -> None:
    assert tables(FIGURES, 80) == [
        "",
        "  test   nss74  unit",
        "  read    7024",
        "  write    834  MB/s",
    ]


def test_a_table_that_is_too_wide_is_a_list() -> None:
    assert tables(FIGURES, 19) == ["", "  - test: read; nss74: 7024", "  - test: write; nss74: 834; unit: MB/s"]
    assert tables(FIGURES, 20)[1] == "  test   nss74  unit"


def test_a_table_with_a_name() -> None:
    assert tables({"readers": [{"count": 3}]}, 80)[1] == "readers:"


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in "".join(tables({"rows": [{"a\x1b": "b\x1b"}]}, 80))
    assert "\x1b" not in "".join(tables({"rows": [{"a\x1b": "b\x1b"}]}, 2))
