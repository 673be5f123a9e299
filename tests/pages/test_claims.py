"""How the figures of a claim are shown."""

from __future__ import annotations

from advisor.pages.blocks import Bar, Chart, Paragraph, Table, plain
from advisor.pages.claims import figure_blocks, figures_in_words
from tests.advice.environments import base
from tests.each import each

FIGURES = {
    "threads": [1, 2],
    "direct": True,
    "large": {"mib_s": 10240},
    "rows": [{"test": "read", "nss74": 7024}, {"test": "write", "nss74": 834, "unit": "MB/s"}],
}


def charts(claim: str) -> list[Chart]:
    told = base().claims[claim]
    return [block for block in figure_blocks(told.figures or {}, told.says, claim) if isinstance(block, Chart)]


def test_single_figures_in_words() -> None:
    assert figures_in_words(FIGURES) == "threads = 1/2, direct = true, large = (mib_s = 10240)"


def test_a_table() -> None:
    said, table = figure_blocks(FIGURES)
    assert isinstance(said, Paragraph)
    assert isinstance(table, Table)
    assert [plain(head) for head in table.heads] == ["test", "nss74", "unit"]
    assert [[plain(cell) for cell in row] for row in table.rows] == [["read", "7024", ""], ["write", "834", "MB/s"]]


def test_a_table_with_a_name() -> None:
    name, _ = figure_blocks({"readers": [{"count": 3}]})
    assert isinstance(name, Paragraph)
    assert plain(name.text) == "readers:"


def test_figures_that_a_sentence_has_are_not_told_again() -> None:
    assert figure_blocks({"sessions": 1000, "slots": 128}, "It caps 1,000 sessions at 128 slots.") == []
    assert figure_blocks({"sessions": 1000}, "It caps sessions.") != []


def test_what_can_be_compared_is_drawn_and_nothing_else() -> None:
    assert charts("anf-mount.eda-iops-saved") == [Chart("IOPS", (Bar("before", 150_000, 150_000),
                                                                   Bar("after", 6_000, 6_000)))]
    (percent,) = charts("anf-mount.nocto-saves")
    assert percent.unit == "%"
    assert percent.most == 100
    assert charts("anf-slots.per-connection-128") == []  # slots are set, not measured


def test_one_factor_is_drawn_beside_one() -> None:
    (chart,) = figure_blocks({"factor": 3})
    assert chart == Chart("times", (Bar("without", 1, 1), Bar("with", 3, 3)))


def test_a_table_is_drawn_where_its_rows_have_names_of_their_own() -> None:
    (chart,) = figure_blocks({"rows": [{"case": "a", "mib_s": 5}, {"case": "b", "mib_s": 9}]})
    assert chart == Chart("MiB/s", (Bar("case a", 5, 5), Bar("case b", 9, 9)))
    (table,) = figure_blocks({"rows": [{"case": "a", "mib_s": 5}, {"case": "a", "mib_s": 9}]})
    assert isinstance(table, Table)


@each(lambda: [name for name, told in base().claims.items() if told.figures])
def test_every_number_of_every_claim_is_told_or_drawn(claim: str) -> None:
    """Long tables aside, which are folded: each number stands in the sentence, in the words, in a table or in a bar."""
    told = base().claims[claim]
    shown = str(figure_blocks(told.figures or {}, "", "")).lower()
    for number in numbers(told.figures):
        assert str(number) in shown or f"{float(number)}" in shown, (claim, number)


def numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [number for inner in value.values() for number in numbers(inner)]
    if isinstance(value, list):
        return [number for inner in value for number in numbers(inner)]
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
